"""Weights, states and gradients: which of them a program trains, assigns to, multiplies by data, or keeps from 0."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tfnanlint.facts.kinds import PRODUCTS
from tfnanlint.flow import Node, activations, behind, reached
from tfnanlint.trial.memo import once_per_facts
from tfnanlint.trial.uses import HANDED_ON, MOST_WALKED, uses_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

ACTIVATIONS = frozenset(
    "relu relu6 leaky_relu elu selu celu gelu silu mish softplus softsign tanh erf hard_sigmoid hard_tanh "
    "hard_silu".split()
)
"""Ops whose operand is a score or a feature."""
GATES = ACTIVATIONS | {"sigmoid", "softmax"}
"""Ops whose result scales another value."""
SQUARES = frozenset({"square", "abs"})
SUMS = frozenset("reduce_sum reduce_mean add stack concat identity cast reshape squeeze".split())
"""Ops that add up the terms of a loss."""
NORMS = frozenset("sqrt norm reduce_euclidean_norm".split())
"""Ops that compute the length of a vector: `sqrt` takes the sum of its squares."""
OVER_AXES = frozenset("norm reduce_euclidean_norm reduce_sum reduce_mean".split())
"""Ops that compute one number of all numbers along their `axis`."""
LOOKUPS = frozenset({"gather", "gather_nd"})
"""Ops that select rows of their first operand."""
WHOLES = frozenset("concat stack phi".split())
"""Ops whose results have a weight as a part."""
BIASED = frozenset({"add", "bias_add"})
"""Ops that add a bias."""
FLAT = GATES | frozenset(
    "maximum minimum clip where sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
    "sparse_softmax_cross_entropy_with_logits gradient stop_gradient round sign".split()
)
"""Ops whose gradient can be 0."""
STEPS = frozenset({"add", "subtract"})
"""Ops that move a weight by a step of training."""
KEPT = frozenset("variable placeholder gradient".split())
"""Nodes that a state is made of, such as the maximum of squared gradients; bounds that clip a weight contain none."""
PROJECTIONS = frozenset("clip maximum minimum clip_by_norm l2_normalize".split())
"""Ops that bring a weight back to where it may be, after a step of training."""
ASSIGNING = frozenset({"identity", "detached"})
"""Nodes that stand for the assignment of a value."""
CONVOLUTIONS = frozenset("Conv1D Conv1DTranspose Conv2D DepthwiseConv2D SeparableConv2D".split())
"""Layers of which each result is computed of a patch of an image, or of a stretch of a signal."""
PATCHWISE = frozenset(
    "input placeholder identity cast stop_gradient relu relu6 leaky_relu elu selu gelu silu tanh max_pool repeat "
    "getitem stack".split()
)
"""Ops that give 0 for a patch of zeros, and images."""
JOINING = frozenset({"concat", "add", "phi", "loop"})
"""Ops that give 0 where all their operands are 0: skip connections, branches and loops over layers."""
PATCHWISE_LAYERS = frozenset(
    "MaxPooling2D AveragePooling2D UpSampling2D ZeroPadding2D Dropout Activation ReLU LeakyReLU".split()
)
"""Layers that give 0 for a patch of zeros."""


def assignment_of(variable: Node, facts: Facts) -> tuple[Node, Node] | None:
    """The assignment to a variable, or to one that the same line makes for another object."""
    assigned = facts.flow.assigned
    if assigned and variable not in assigned:
        variable = _assigned_by_line(facts).get(id(_made_by(variable)), variable)
    return (variable, behind(assigned[variable], ASSIGNING)) if variable in assigned else None


@once_per_facts
def _assigned_by_line(facts: Facts) -> dict[int, Node]:
    """The variables that the program assigns to, by the expression that makes them."""
    return {id(expr): one for one in facts.flow.assigned if (expr := _made_by(one)) is not None}


def _made_by(variable: Node) -> Any:
    return getattr(variable.origin, "expr", None)


def is_assigned(variable: Node, facts: Facts) -> bool:
    """Whether the program assigns to a variable that it does not train.

    It trains one that it updates with its gradient, that it only clips, and one that starts at random and is moved.
    """
    found = assignment_of(variable, facts)
    if found is None:
        return False
    if variable.attrs.get("drawn") and found[1].op in STEPS and found[0] in found[1].operands:
        return False
    made_of = reached(found[1:], lambda at: at.operands)
    if found[1].op in PROJECTIONS and not any(at.op in KEPT for at in made_of - {found[0]}):
        return False
    gradients = [at for at in made_of if at.op == "gradient"]
    return found[0] not in reached(gradients, lambda at: at.operands)


def is_filled(variable: Node, facts: Facts) -> bool:
    """Whether a program assigns other values to a variable before it uses it, as a `fit` does for what predicts.

    It does not where an update adds to what the variable holds, nor where a function uses it and then assigns to it.
    """
    found = assignment_of(variable, facts)
    if found is None or found[0] in reached(found[1:], lambda at: at.operands):
        return False
    at = facts.flow.assigned[found[0]]
    there = activations(at.origin)  # none in a traced graph: there, what reads the variable does so before
    return bool(there) and not any(
        user.index < at.index and there & activations(user.origin) for user in found[0].users
    )


def is_counter(variable: Node, facts: Facts) -> bool:
    """Whether a program only adds a positive number to a variable: it never falls below the number it starts at."""
    found = assignment_of(variable, facts)
    if found is None or found[1].op != "add" or found[0] not in found[1].operands:
        return False
    added = [one.constant for one in found[1].operands if one is not found[0]]
    return all(isinstance(one, (int, float)) and one > 0 for one in added)


def is_of_linear_map(weight: Node) -> bool:
    """Whether a weight is a kernel or a bias: a linear map sums many of them, so that its output is far from 0."""
    return is_kernel(weight) or any(
        user.op in BIASED and not any(one.op == "const" for one in user.operands) for user, _ in uses_of(weight)
    )


def is_table(weight: Node) -> bool:
    """Whether rows of a weight are looked up, as of a table of embeddings."""
    return any(user.op in LOOKUPS and place == 0 for user, place in _uses_in_wholes(weight))


def is_kernel(weight: Node) -> bool:
    """Whether a weight is multiplied by data, and products are summed or offset: the factor of a linear map."""
    return any(
        user.op in PRODUCTS or any(at.op == "reduce_sum" or at.op in BIASED for at in user.users)
        for user in products_of(weight)
    )


def patches_in(nodes: Iterable[Node]) -> set[Node]:
    """Convolutions of images or signals, or of what convolutions and activations give of them; and what is between.

    Where the image is blank, or the signal silent, they are 0 in the first step, when all biases are.
    """
    found: set[Node] = set()
    for node in nodes:
        if node.attrs.get("kind") in CONVOLUTIONS:
            through = reached([node], lambda at: at.operands if at.op in JOINING else at.operands[:1])
            kinds = {at.attrs.get("kind", at.op) for at in through}
            found |= through if kinds <= CONVOLUTIONS | PATCHWISE | PATCHWISE_LAYERS | JOINING else set()
    return found


def hidden_in(weights: Iterable[Node], inside: Container[Node]) -> set[Node]:
    """The weights of hidden layers: what they are multiplied with goes into a product with another weight."""
    products = {weight: {user for user in products_of(weight) if user in inside} for weight in weights}
    of_others = {product: weight for weight, own in products.items() for product in own}
    found: set[Node] = set()
    for weight, own in products.items():
        beyond = reached(own, lambda at: [user for user in at.users if user in inside])
        if any(at in of_others and of_others[at] is not weight for at in beyond - own):
            found.add(weight)
    return found


def is_right_factor(weight: Node) -> bool:
    """Whether data is multiplied by a value, or by its normalised columns, from the right, as by a kernel."""
    uses = [*uses_of(weight)]
    columns = (user for user, place in uses if place == 0 and user.op in ("divide", "l2_normalize"))
    uses += [use for one in columns for use in uses_of(one)]
    return any(user.op == "matmul" and place == 1 for user, place in uses)


def _uses_in_wholes(weight: Node) -> Iterator[tuple[Node, int]]:
    """The uses of a weight, and of what it is concatenated to."""
    for whole in reached([weight], lambda at: [user for user in at.users if user.op in WHOLES]):
        yield from uses_of(whole)


def products_of(weight: Node) -> Iterator[Node]:
    """The products of a value with others that linear maps consist of."""
    for user, _ in _uses_in_wholes(weight):
        several = len([one for one in user.operands if one.op != "const"]) > 1
        if user.op in PRODUCTS or (user.op == "multiply" and several and not _is_gate(user)):
            yield user


def _is_gate(product: Node) -> bool:
    """Whether a factor of a product is in a known range."""
    return any(behind(factor, HANDED_ON).op in GATES for factor in product.operands)


def is_minimised(weight: Node, facts: Facts) -> bool:
    """Whether the length of a value is a term of the differentiated value: as a penalty, it may shrink to 0.

    A whole matrix that starts at random numbers, and has to fit data, does not: a row of it, or a vector, may.
    """
    matrix = weight.op == "variable" and _has_rows(weight)
    ends = {root.node for root in facts.roots()}
    stack, met = [(weight, False)], {(weight, False)}
    while stack and len(met) < MOST_WALKED:
        at, long = stack.pop()
        if long and at in ends:
            return True
        for user in at.users:
            scaled = user.op in ("multiply", "divide") and any(_is_positive(o) for o in user.operands)
            if matrix and user.op in NORMS and not long and _is_of_whole(user):
                continue
            if user.op in SQUARES | SUMS | NORMS or scaled:
                after = user, long or user.op in NORMS
                if after not in met:
                    met.add(after)
                    stack.append(after)
    return False


def _has_rows(weight: Node) -> bool:
    shape = weight.attrs.get("shape")
    return isinstance(shape, (tuple, list)) and len(shape) > 1


def _is_of_whole(norm: Node) -> bool:
    """Whether a norm is that of all numbers of a value; the root of a sum is the norm of what is summed."""
    at = norm
    while at.op not in OVER_AXES and at.operands:
        at = at.operands[0]
    return at.op in OVER_AXES and at.attrs.get("axis") is None


def _is_positive(node: Node) -> bool:
    value = node.constant
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def is_never_flat(gradient: Node) -> bool:
    """Whether no unit is ever off between the source and the targets of a gradient, as in a critic of leaky ReLUs."""
    targets, sources = gradient.operands[:-1], gradient.operands[-1:]
    onward = reached(sources, lambda at: [user for user in at.users if user.index < gradient.index])
    if not targets or not onward.issuperset(targets):
        return False
    between = {at for at in reached(targets, lambda at: at.operands) if at in onward}
    leaky = [at for at in between if at.op == "leaky_relu" or (at.op == "maximum" and between.issuperset(at.operands))]
    flat = [at for at in between if (at.op in FLAT and at not in leaky) or starts_at_zero(at)]
    return bool(leaky) and not flat


def starts_at_zero(layer: Node) -> bool:
    """Whether the kernel of a layer is 0 until it is trained."""
    return str(layer.attrs.get("kernel_initializer", "")).lower() in ("zeros", "zero")
