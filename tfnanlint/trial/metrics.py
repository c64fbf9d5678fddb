"""Which values only measure how good a model is: somebody reads them, and training does not use them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfnanlint.facts import Facts
from tfnanlint.flow import Flow, Node, activations, reached
from tfnanlint.ops import OPS
from tfnanlint.source.values import Function, Origin, Scope
from tfnanlint.trial import roles
from tfnanlint.trial.evidence import role_of
from tfnanlint.trial.limits import number_of
from tfnanlint.trial.variables import assignment_of
from tfnanlint.vocabulary import METRIC_METHODS, is_metric

DECISIONS = frozenset("argmax argmin round in_top_k".split())
"""Ops that decide on a class, or on yes or no, by the scores of a network."""
CLASSIFYING = DECISIONS | {"one_hot", "confusion_matrix", "bincount", "unsorted_segment_sum"}
"""Ops of classes: their results are counted for each class."""
COUNTING = frozenset("reduce_sum reduce_mean count_nonzero size shape".split())
"""Ops by which decisions are counted."""
TOTALS = frozenset("reduce_sum reduce_mean count_nonzero".split())
"""Ops that are 0 where nothing was selected."""
UNTRAINED = frozenset(
    {
        *(roles.LABELS, roles.RECORD, *roles.MASKS, roles.SETTING, roles.INDICES),
        *(roles.COUNT, roles.SIZE, roles.REWARD, roles.LENGTHS, roles.GRID),
    }
)
"""Roles of inputs that are not differentiated."""


def measures(node: Node, flow: Flow) -> bool:
    """Whether a function that computes a value is a metric: by its name, by its class, or as `compile` takes it."""
    return any(
        is_metric(function.name)
        or (function.name in METRIC_METHODS and _is_of_metric(function))
        or function.node in flow.metrics
        for function in _computing(node)
    )


def is_guarded_beside(node: Node, facts: Facts) -> bool:
    """Whether the function that divides keeps another divisor of the same inputs from being 0.

    Its author has seen that these inputs may be empty, and has forgotten one of the quotients.
    """
    scope = _scope_of(node)
    if node.op != "divide" or scope is None:
        return False
    inputs = _inputs_of(node.operands[1])
    return bool(inputs) and any(
        other.op == "divide"
        and _scope_of(other) is scope
        and _is_floored(other.operands[1])
        and _inputs_of(other.operands[1]) == inputs
        for other in facts.flow.nodes
    )


def _scope_of(node: Node) -> Scope | None:
    """The activation of the function that computes a value; None in a graph."""
    return node.origin.scope if isinstance(node.origin, Origin) else None


def _is_floored(divisor: Node) -> bool:
    """Whether a total is kept above 0, by a maximum or by a number that is added."""
    if divisor.op not in ("maximum", "add"):
        return False
    floor = next((held for one in divisor.operands if (held := number_of(one)) is not None), 0.0)
    return floor > 0 and any(one.op in TOTALS for one in divisor.operands)


def _inputs_of(node: Node) -> set[Node]:
    """The values from outside that a value is computed from."""
    return {one for one in reached([node], lambda at: at.operands) if not one.operands and one.op != "const"}


def is_tally(state: Node, facts: Facts) -> bool:
    """Whether a variable belongs to a metric, and holds how often each class was counted."""
    found = assignment_of(state, facts) if any(map(_is_of_metric, _computing(state))) else None
    return found is not None and any(at.op in CLASSIFYING for at in reached(found[1:], lambda at: at.operands))


def _computing(node: Node) -> Iterator[Function]:
    """The functions whose calls compute a value."""
    owners = (scope.owner for scope in activations(node.origin))
    return (owner for owner in owners if isinstance(owner, Function))


def _is_of_metric(function: Function) -> bool:
    """Whether a function is a method of a class that is updated as a Keras metric is."""
    return function.cls is not None and function.cls.find("update_state") is not None


def counts_decisions(value: Node, facts: Facts) -> bool:
    """Whether a value is computed from the decisions of a network, and no gradient passes through it to anything."""
    made_of = reached([value], _decided_by)
    decided = reached([at for at in made_of if at.op in DECISIONS], lambda at: at.operands)
    if all(_is_untrained(at, facts) for at in decided if at.op not in OPS or not at.operands):
        return False
    if COUNTING.isdisjoint(at.op for at in made_of):
        return False
    differentiated = reached([value], _differentiated)
    ends = [at for at in differentiated if not _differentiated(at) and at.op not in OPS]
    return all(_is_untrained(at, facts) for at in ends)


def _is_untrained(leaf: Node, facts: Facts) -> bool:
    """Whether a constant, or an input by its role, is not differentiated."""
    return leaf.op == "const" or role_of(leaf, facts).name in UNTRAINED


def _decided_by(node: Node) -> Sequence[Node]:
    """The operands of a node; a one-hot decision routes examples, and measures nothing."""
    return () if node.op == "one_hot" else node.operands


def _differentiated(node: Node) -> list[Node]:
    """The operands to which a node passes a gradient."""
    row = OPS.get(node.op)
    if row is None:
        return list(node.operands)
    if node.op == "cast" and str(node.attrs.get("dtype")).startswith(("int", "uint", "bool")):
        return []
    return [operand for place, operand in enumerate(node.operands) if not row.blocks(place)]
