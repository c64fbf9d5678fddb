"""Linting of traced TensorFlow code: a function, a concrete function, a graph."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tfnanlint.explain.finding import better, finding_of
from tfnanlint.facts import Facts, Range
from tfnanlint.finding import Finding, Place
from tfnanlint.graph.lower import lower
from tfnanlint.graph.lowered import Lowered
from tfnanlint.graph.model import GraphError
from tfnanlint.graph.origin import GraphOrigin
from tfnanlint.graph.positions import Positions
from tfnanlint.graph.samples import learn
from tfnanlint.graph.specs import told
from tfnanlint.graph.statics import DIFFERENTIABLE
from tfnanlint.interval import Interval
from tfnanlint.lint import no_collection
from tfnanlint.match.captures import Match
from tfnanlint.match.matcher import Matcher
from tfnanlint.ops.work import WORK
from tfnanlint.ruleset.cache import installed_rules

if TYPE_CHECKING:
    from tfnanlint.flow import Flow, Node
    from tfnanlint.ruleset.rule import Rule, Rules

Bounds = Range | Interval | tuple[float, float]
"""What is known of an input: a range, or its least and greatest value."""

AS_OUTPUT = "differentiated as an output of the traced function"
EVERY_INPUT = "*"
"""The name under which a range is given for all inputs that have none of their own."""
NEAREST, MOST_NAMED = 3, 12
"""How many names a message suggests, and how many it lists."""
NO_FIX = "a trace cannot be edited; lint this file with `tfnanlint --fix`"
NO_SOURCE = "a saved graph cannot be edited; change the code that built it"


@no_collection()
def lint_concrete(
    function: Any,
    *,
    rules: Rules | None = None,
    ranges: Mapping[str, Bounds] | None = None,
    differentiate: bool | Sequence[str] | None = None,
    pedantic: bool = False,
    name: str | None = None,
    outputs: Sequence[str] | None = None,
    debug_info: Any = None,
    samples: Mapping[str, Any] | None = None,
    witness: Mapping[str, Any] | None = None,
) -> list[Finding]:
    """The findings in a concrete function, a FuncGraph, a Graph or a GraphDef.

    `samples` are arrays of inputs' data, by name: the graph is tried on them, and other inputs are sought in their
    range. At a `witness` alone, values of inputs by name, nothing else is tried. `ranges` bounds inputs, by the names
    of the function's parameters, and variables, by theirs. Of a GraphDef, `name`
    is the function of its library to lint, `outputs` the tensors that are its results (by default what nothing uses)
    and `debug_info` the GraphDebugInfo that was saved with it; without one, findings name the node. `differentiate`
    says whether the results are differentiated with respect to the inputs and variables (True, False, or the names of
    the results' operations); by default they are where the graph takes no gradients itself. Raises `GraphError` for a
    definition that makes no graph, and for a name that is not there. Warns where calls are too many or too deep.
    """
    lowered = lower(function, function=name, outputs=outputs, debug_info=debug_info)
    checked(lowered, ranges)
    for given, value in (witness or {}).items():
        node = known_as(given, lowered)
        if node is not None:
            lowered.assume(node, witness=value)
    warn_of(lowered.not_linted)
    found = examined(
        lowered, rules=rules, ranges=ranges, differentiate=differentiate, pedantic=pedantic, samples=samples
    )
    return [finding for finding, _ in found]


def warn_of(not_linted: str) -> None:
    """Warn who asked for findings of a graph that was not linted to its end."""
    if not_linted:
        warnings.warn(f"tfnanlint: {not_linted}", RuntimeWarning, stacklevel=2)


def checked(lowered: Lowered, ranges: Mapping[str, Bounds] | None) -> None:
    """`GraphError` for a range of something that the graph does not have."""
    for given in ranges or {}:
        if given != EVERY_INPUT and known_as(given, lowered) is None:
            raise GraphError(no_input(given, lowered.inputs, lowered.variables))


def known_as(name: str, lowered: Lowered) -> Node | None:
    """The input or the variable of a name."""
    plain = name.removesuffix(":0")
    return lowered.inputs.get(plain) or lowered.variables.get(plain)


def no_input(name: str, inputs: Iterable[str], variables: Iterable[str]) -> str:
    """The message about a range for an unknown input: similar names, or else the existing ones."""
    import difflib

    given, held = list(inputs), list(variables)
    near = difflib.get_close_matches(name.removesuffix(":0"), [*given, *held], n=NEAREST)
    if near:
        return f"no input is named {name!r}; did you mean {' or '.join(map(repr, near))}?"
    known = f"no input is named {name!r}; the graph's inputs: {_listed(given)}"
    return f"{known}; --range also accepts the names of its {len(held)} variables" if held else known


def _listed(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED]) or 'none'}{more}"


@no_collection()
def examined(
    lowered: Lowered,
    *,
    rules: Rules | None = None,
    ranges: Mapping[str, Bounds] | None = None,
    differentiate: bool | Sequence[str] | None = None,
    pedantic: bool = False,
    saved: Mapping[str, Bounds] | None = None,
    samples: Mapping[str, Any] | None = None,
    unshown: bool = False,
) -> list[tuple[Finding, Match]]:
    """The findings in a lowered graph, each with its match; options are those of `lint_concrete`.

    With `unshown` and `pedantic`, also what ranges do not exclude, though no trial shows it: for a search to show.
    Ranges of inputs that the graph does not have are ignored; `saved` are the ranges of variables without one.
    """
    WORK.begin()
    _bound(lowered, ranges or {})
    _bound(lowered, saved or {})
    if samples:
        learn(lowered, samples)
    if differentiate is None:
        differentiate = not lowered.differentiates
    targets = _targets(lowered, differentiate)
    for node in targets:
        lowered.flow.differentiate(node, AS_OUTPUT, None)
    if not targets and lowered.differentiates:
        _hold_fixed(lowered)
    lowered.flow.updates.update(node for node in lowered.flow if node.origin is not None and node.origin.stack.updates)
    facts = Facts(lowered.flow, lowered.assumptions)
    rules = installed_rules() if rules is None else rules
    matcher = _matcher(rules.matched, rules.modes)
    found = matcher.matches(lowered.flow, facts, pedantic, unshown)
    lowered.partly = matcher.partly
    matches = [m for m in found if m.rule not in rules.muted and not m.inner]
    return _findings(matches, facts, Positions(lowered.sites))


@lru_cache(maxsize=64)
def _matcher(rules: tuple[Rule, ...], modes: tuple[str, ...]) -> Matcher:
    """The matcher of all rules, for every graph of a process: to tell which of them one graph needs takes longer."""
    return Matcher(rules, repairing=False, modes=modes)


def _bound(lowered: Lowered, ranges: Mapping[str, Bounds]) -> None:
    """Note the ranges of inputs and variables."""
    named = [(known_as(name, lowered), given) for name, given in ranges.items() if name != EVERY_INPUT]
    every = [(node, ranges[EVERY_INPUT]) for node in lowered.inputs.values()] if EVERY_INPUT in ranges else []
    for node, given in (*named, *every):
        if isinstance(given, tuple):
            given = told(float(given[0]), float(given[1]))
        elif isinstance(given, Interval):
            given = told(given.lo, given.hi)
        if node is not None and (node not in lowered.assumptions or lowered.assumptions[node].range is None):
            lowered.assume(node, range=given)


def _hold_fixed(lowered: Lowered) -> None:
    """Inputs that no tape of the graph watches are data: no gradient with respect to them is of use."""
    watched = lowered.watched()
    for node in lowered.inputs.values():
        if node.op == "input" and node not in watched:
            node.op = "placeholder"
    for root in lowered.flow.roots:
        root.sources = (*root.sources, *watched)


def _targets(lowered: Lowered, differentiate: bool | Sequence[str]) -> list[Node]:
    """The nodes that are differentiated from outside."""
    if differentiate is False:
        return []
    held = lowered.assumptions
    nodes = [n for n in lowered.outputs if n not in held or held[n].dtype in DIFFERENTIABLE]
    if differentiate is True:
        return nodes
    found = [node for node in lowered.flow if node.origin is not None and node.origin.name in differentiate]
    missing = set(differentiate) - {node.origin.name for node in found}
    if missing:
        raise GraphError(f"the graph has no operation named {sorted(missing)[0]!r}")
    return found


def _findings(matches: list[Match], facts: Facts, positions: Positions) -> list[tuple[Finding, Match]]:
    """The findings of matches, the best of each place."""
    best: dict[Any, tuple[Finding, Match]] = {}
    alike: dict[Any, list[Match]] = {}
    for match in matches:
        origin = match.root.origin
        if _lacks_gradient(match):
            continue
        nowhere: Place = ("<graph>", 1, 1, 1, 1)
        node = node_name(origin)
        found = finding_of(match, facts, positions, origin="graph", nowhere=nowhere, node=node, no_fix=NO_FIX)
        if origin.site is None:  # there is no line to look at: what the node gives helps to tell which one it is
            evidence = "; ".join(filter(None, (found.evidence, made_by(origin))))
            found = replace(found, evidence=evidence, no_fix=NO_SOURCE)
        key = (*found.position, found.node if origin.site is None else "")
        if key not in best or better(found, best[key][0]) or _serves(match, best[key][1], facts.flow):
            best[key] = found, match
        alike.setdefault(key, []).append(match)
    for key, (_, match) in best.items():
        match.repeated = [other for other in alike[key] if other is not match]
    return sorted(best.values(), key=lambda pair: (pair[0].position, pair[0].node or ""))


def _lacks_gradient(match: Match) -> bool:
    """Whether a match is about a gradient that is not taken, which of a graph is known."""
    wanted = any(condition.differentiated for condition in match.pattern.preconditions.values())
    return wanted and match.differentiated is None


def _serves(match: Match, other: Match, flow: Flow) -> bool:
    """Whether the program has a use for what is computed where a match is, and none for another of the same line."""
    return not _is_used(other.root, flow) and _is_used(match.root, flow)


def _is_used(node: Node, flow: Flow) -> bool:
    """Whether any result, or anything that is differentiated, is made of a value."""
    ends = flow.kept.union(root.node for root in flow.roots)
    waiting, seen = [node], {node}
    while waiting:
        at = waiting.pop()
        if at in ends:
            return True
        more = [user for user in at.users if user not in seen]
        seen.update(more)
        waiting += more
    return False


def made_by(origin: GraphOrigin) -> str:
    """The type and the shape of what an origin's operation gives, in words; "" where the graph does not say."""
    outputs = origin.operation.outputs if origin.operation is not None else []
    if len(outputs) != 1 or not outputs[0].dtype:
        return ""
    shape = outputs[0].shape
    sizes = "" if shape is None else f"[{', '.join('None' if size is None else str(size) for size in shape)}]"
    return f"its result is {outputs[0].dtype}{sizes}"


def node_name(origin: GraphOrigin) -> str:
    """The name of an origin's operation; inside a function, behind the function's name."""
    within = plain_name(origin.operation.graph.name) if origin.operation is not None else ""
    return f"{within}/{origin.name}" if within else origin.name


def plain_name(function: str) -> str:
    """A function's name as it was before TensorFlow numbered it."""
    return re.sub(r"^__inference_(.+?)_\d+$", r"\1", function)


def trace(function: Any, *specs: Any, **named: Any) -> Any:
    """The concrete function of a Python function, a `tf.function`, a layer or a model, on arguments like these."""
    import inspect

    import tensorflow as tf

    if hasattr(function, "get_concrete_function"):
        traced = function
    elif inspect.isroutine(function):
        traced = tf.function(function)
    elif callable(function):
        traced = tf.function(lambda *args, **kwargs: function(*args, **kwargs))  # noqa: PLW0108 (an object has no signature)
    else:
        raise GraphError(f"{function!r} is not callable")
    arguments = {name: _spec(tf, value) for name, value in named.items()}
    return traced.get_concrete_function(*(_spec(tf, value) for value in specs), **arguments)


def _spec(tf: Any, value: Any) -> Any:
    """A spec as `get_concrete_function` takes it: arrays and tensors by their type, everything else as it is."""
    if isinstance(value, (list, tuple)) and not all(isinstance(v, (int, float)) for v in value):
        return type(value)(_spec(tf, v) for v in value)
    if isinstance(value, dict):
        return {key: _spec(tf, v) for key, v in value.items()}
    if isinstance(value, tf.Tensor) or (hasattr(value, "__array__") and not isinstance(value, tf.Variable)):
        return tf.TensorSpec(value.shape, value.dtype)
    return value
