"""The rules that can match in a file, selected from its text before anything heavy is imported.

The mentions of the text (`mentions.py`) are compared with the needs of each rule. If in doubt, the rule stays a
candidate.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from tfnanlint.flow import REWRITTEN_FROM
from tfnanlint.ops import SPELLINGS
from tfnanlint.prefilter.mentions import (
    ANY_LAYER,
    BY_STRING,
    GRADIENT,
    HALF,
    HUGE,
    INFINITE,
    NAN,
    OPERATORS,
    STATEMENT,
    TINY,
    Mentions,
    code_of,
    mentions_in,
    names_in,
    ops_named,
    trains,
)
from tfnanlint.ruleset.rule import Requirements, Rule
from tfnanlint.source.imports import aliases_of, imports_apart, without_imports
from tfnanlint.source.names import canonical_path
from tfnanlint.vocabulary import is_module_of_losses


def attainable(present: Collection[str]) -> set[str]:
    """The ops of which a file that mentions these can hold nodes."""
    return {*present, *(op for op, sources in REWRITTEN_FROM.items() if not sources.isdisjoint(present))}


@lru_cache(maxsize=512)
def requirements(rule: Rule) -> Requirements:
    """For each `before` of a rule: the ops it mentions, and the traits that a program needs for it."""
    if rule.kept is not None:
        return rule.kept.requirements
    aliases = aliases_of(rule.text)
    return tuple(
        (
            frozenset(ANY_LAYER if op.startswith(ANY_LAYER) else op for op in _mentioned(function, aliases))
            | _asked(function),
            frozenset(_traits(function)),
        )
        for function in rule.befores
    )


def satisfiable(rules: Iterable[Rule], mentions: Mentions) -> list[Rule]:
    """The rules of which some `before` needs no more than what is mentioned."""
    if not mentions.names_ops:
        return []
    held = attainable(mentions.ops)
    return [
        rule
        for rule in rules
        if (GRADIENT in mentions.traits or not rule.gradient_only)
        and (
            not requirements(rule)
            or any(ops <= held and traits <= mentions.traits for ops, traits in requirements(rule))
        )
    ]


def candidate_rules(
    text: str,
    rules: Iterable[Rule],
    around: Sequence[Mentions] = (),
    aliases: Mapping[str, str] | None = None,
    path: str = "",
) -> list[Rule]:
    """The rules of which some `before` could stand in a text, or across it and something that it imports.

    `aliases` maps imported names, if more is known about them than the text tells.
    """
    rules = list(rules)
    code = code_of(text)
    rest = without_imports(code)
    if "(" not in rest:
        return []  # nothing is called, nothing has parameters
    names = names_in(rest) | names_in("\n".join(imports_apart(code)[0]))
    own = mentions_in(code, names, aliases_of(text) if aliases is None else aliases)
    if trains(code) or is_module_of_losses(path):
        own = own.with_trait(GRADIENT)
    return candidates_in(rules, own, around)


def candidates_in(rules: list[Rule], own: Mentions, around: Sequence[Mentions]) -> list[Rule]:
    """The rules that can hold with what a place and its imports mention; none if the place adds nothing to its imports.

    A place that cannot hold a finding by itself is of interest if it adds to what it imports (an op, a gradient), or
    joins what it imports. What can go wrong in there anyhow is found there.
    """
    every = own
    for one in around:
        every |= one
    if not satisfiable(rules, own):
        # What is differentiated here may be what goes wrong there, whatever it differentiates itself.
        alone = [(one, satisfiable(rules, one.without(own.traits & {GRADIENT}))) for one in around]
        known = {rule.name for _, held in alone for rule in held}
        joined = any(rule.name not in known for rule in satisfiable(rules, every))
        if not joined and not any(rule not in held for one, held in alone for rule in satisfiable(rules, own | one)):
            return []
    return satisfiable(rules, every)


def _asked(function: ast.FunctionDef) -> frozenset[str]:
    """The ops that the preconditions of a rule's `before` ask for."""
    words = " ".join(ast.unparse(a.annotation) for a in function.args.args if a.annotation is not None)
    return frozenset({"boolean_mask"} if "selection" in words else ())


def _traits(function: ast.FunctionDef) -> Iterator[str]:
    """The traits that a rule's `before` asks for: in the preconditions of its variables, and in its own numbers."""
    if _throws_away(function):
        yield STATEMENT
        return
    for annotation in [a.annotation for a in function.args.args if a.annotation is not None]:
        words = {
            ast.unparse(part.func if isinstance(part, ast.Call) else part): part for part in _conjuncts(annotation)
        }
        if "differentiated" in words:
            yield GRADIENT
        types = [word for word in words if "float" in word]
        if types and set(types) <= {"float16", "bfloat16"}:
            yield HALF
        bounds, reached = words.get("within"), words.get("reaches")
        if isinstance(reached, ast.Call) and math.isinf(ast.literal_eval(reached.args[0])):
            yield INFINITE
        if "literal" in words and isinstance(bounds, ast.Call):
            yield from _kinds_of(*(float(ast.literal_eval(bound)) for bound in bounds.args))
    for node in (inner for statement in function.body for inner in ast.walk(statement)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "float":
            number = float(ast.literal_eval(node.args[0]))
            yield from _kinds_of(number, number)


def _throws_away(function: ast.FunctionDef) -> bool:
    """Whether a `before` calls an op in a statement of its own."""
    return any(isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) for one in function.body)


def _conjuncts(annotation: ast.expr) -> Iterator[ast.expr]:
    if isinstance(annotation, ast.BinOp):
        yield from _conjuncts(annotation.left)
        yield from _conjuncts(annotation.right)
    else:
        yield annotation


def _kinds_of(low: float, high: float) -> Iterator[str]:
    """What all the numbers between two bounds are."""
    if math.isnan(low):
        yield NAN
    elif low == high and math.isinf(low):
        yield INFINITE
    elif low >= 1e4 or high <= -1e4:
        yield HUGE
    elif 0 < low <= high < 1e-3 or -1e-3 < low <= high < 0 or 0 < abs(low - 1) < 1e-3 > abs(high - 1) > 0:
        yield TINY


def _mentioned(function: ast.FunctionDef, aliases: dict[str, str]) -> frozenset[str]:
    """The ops that a rule's `before` mentions: calls under the file's aliases, and operators."""
    if _throws_away(function):
        return frozenset()  # one op stands for all
    found: set[str] = set()
    inner = [node for statement in function.body for node in ast.walk(statement)]
    settings = {id(n.value) for n in inner if isinstance(n, ast.keyword) and str(n.arg).endswith("_initializer")}
    for node in inner:
        if type(node) in OPERATORS:
            found.add(OPERATORS[type(node)])
        elif isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            path = canonical_path(f"{aliases.get(first, first)}.{rest}")
            if path in SPELLINGS or path.startswith("keras.layers."):
                found |= ops_named(path) if path not in SPELLINGS else {SPELLINGS[path][0].name}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in settings:
            found |= BY_STRING.get(node.value, frozenset())
    return frozenset(found)
