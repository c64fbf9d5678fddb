"""Failures that only chance explains: single elements that happen to be special, inputs that happen to be equal, and
numbers that a trial makes up for unknown values.

A row of zeros is ordinary, also for the op that reduces it, and so are zeros after a ReLU. It is chance if an element
of a parameter `x` is exactly 0 where the program divides by that element.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.facts.kinds import HANDED_ON, is_indicator
from tfnanlint.flow import COMPARISONS, NETWORK, TRUTHS, Node, activations, behind, reached
from tfnanlint.ops import OPS
from tfnanlint.ops.numeric import np
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.trial import changes, roles
from tfnanlint.trial.by_use import LOGARITHMS, TOTALS
from tfnanlint.trial.column_evidence import is_cut_off
from tfnanlint.trial.evidence import name_of
from tfnanlint.trial.inputs import Inputs
from tfnanlint.trial.memo import once_per_facts
from tfnanlint.trial.python_numbers import POWERS, QUOTIENTS, SIZES, is_counter, is_python_number
from tfnanlint.trial.rounding import UNDEFINED_BELOW, UNDEFINED_BEYOND_ONE
from tfnanlint.trial.situations import CALM, STARTING, Situation
from tfnanlint.trial.slices import is_single
from tfnanlint.trial.uses import PICKING, is_element
from tfnanlint.trial.variables import assignment_of
from tfnanlint.trial.whole_numbers import WHOLE_PARTS
from tfnanlint.vocabulary import words_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

FED = frozenset({"placeholder", "input"})
"""Ops of values that may be a one-hot action from outside."""
UNDERFLOWING = frozenset("divide reciprocal log rsqrt sqrt".split())
"""Ops that fail where a scale is 0, in their value or in their gradient."""
VAGUE = frozenset({roles.FEATURES, roles.EMBEDDING, roles.REWARD, roles.POSITIVE})
"""Roles whose elements may be any number."""
TRAINED = frozenset({roles.WEIGHT, roles.DRAWN_WEIGHT})
"""Roles whose elements pass through any number in training, but do not stay at one."""
SELECTING = frozenset("unique unique_with_counts where nonzero dynamic_partition non_max_suppression compress".split())
"""Functions without a row whose results have shapes that depend on data."""
RECORDS = frozenset({roles.LABELS, roles.RECORD})
"""Roles of arrays that may hold other numbers as well, such as the scale of an image."""
GATHERED = RECORDS | {roles.FEATURES, roles.COORDINATES, roles.NOTHING}
"""Roles of what a program gathers for training."""
EXTREMES = frozenset({"reduce_max", "reduce_min"})
"""Reductions of which the difference is 0 only where all elements are equal."""
SPREADS = frozenset({"reduce_std", "reduce_variance", "ptp"})
"""Reductions that are 0 where all elements are equal."""
JOINING = frozenset("global_norm add_n concat stack loop".split())
"""Ops that put the gradients of several weights together."""
MEASURED = frozenset({roles.SETTING, roles.SIZE})
"""Roles of numbers that say how large something is, or how something is to be done."""
SCALE_KEEPING = frozenset(
    "neg multiply divide tile expand_dims squeeze reshape transpose getitem cast identity".split()
)
"""Ops whose result is a scale, or a log-scale, if their operand is one."""
COUNTING_UP = frozenset({"const", "phi", "stack", "concat", "reduce_prod"})
"""Ops by which a program computes the size of a whole from those of its axes."""
FACTORED = SCALE_KEEPING | {"square", "sqrt", "add", "clip_negative"}
"""Ops of positive numbers that give 0 only where an operand is 0."""
PARTIAL = UNDEFINED_BELOW | UNDEFINED_BEYOND_ONE | {"pow", "log1p", "acosh"}
"""Ops that are NaN outside a domain."""
SUMMED = frozenset({"add", "subtract"})
"""Ops that add up the terms of a loss."""
LINEAR = SCALE_KEEPING | SUMMED | {"reduce_sum", "reduce_mean"}
"""Ops of the terms in which a log-scale is linear."""
GROWING = LINEAR | {"square", "sqrt", "pow"}
"""Ops of the terms in which the exponential of a log-scale occurs."""
POINTWISE = frozenset(
    "add subtract multiply divide neg square abs sqrt rsqrt log log1p exp expm1 pow reciprocal cast identity getitem"
    " sin cos diag_part convert_to_tensor constant stop_gradient check_numerics ensure_shape".split()
) | {name for name, row in OPS.items() if row.moves}
"""Ops whose elements are elements of an operand, or made of them without mapping ordinary numbers to special ones."""


def is_by_chance(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether a failure needs single elements of an input to be special, without evidence that they ever are."""
    row = OPS.get(node.op)
    if situation.smallest_draw:
        return not any(one.op in OPS and OPS[one.op].random for one in _elements(breaking_operands(node)))
    if row is not None and (_divides_by_no_data(node, inputs) or _scales_data(node, situation, inputs)):
        return True
    if row is not None and not situation.side and _is_of_settings(node, inputs):
        return True
    if roles.GRADIENT in situation.changes and _is_of_all_weights(node):
        return True
    if not situation.needs_exact_values or situation.name == CALM.name or row is None or not row.elementwise:
        return False
    elements = _elements(breaking_operands(node))
    if any(map(_is_of_neighbours, elements)):
        return False
    ends = [one for one in elements if not _is_of_elements(one) and one.op != "const"]
    return bool(ends) and all(one in inputs.roles and _is_any_number(one, inputs) for one in ends)


def _divides_by_no_data(node: Node, inputs: Inputs) -> bool:
    """Whether a node divides by an index, by a counter, by one number of the labels, or by a difference of settings.

    A name alone tells that it is an index; the settings are made up by a trial, and so is what lies between them.
    """
    if node.op not in QUOTIENTS | POWERS:
        return False
    divisor = node.operands[-1]
    if is_single(divisor) and inputs.roles.get(divisor.operands[0], roles.UNTOLD).name in RECORDS:
        return True
    made_of = _elements([divisor])
    ends = [one for one in made_of if not _is_of_elements(one) and one.op not in WHOLE_PARTS and one.op != "const"]
    told = [inputs.roles[one] for one in ends if one in inputs.roles]
    if any(role.name == roles.INDICES and role.by_name for role in told):
        return True
    if any(one.op in WHOLE_PARTS for one in made_of) and _is_of_own_numbers(divisor, inputs):
        return True
    if ends and len(told) == len(ends) and all(role.name in MEASURED for role in told):
        between = WHOLE_PARTS if len(ends) == 1 else WHOLE_PARTS | {"subtract"}
        return any(one.op in between for one in made_of)
    return is_counter(divisor)


def _is_of_own_numbers(node: Node, inputs: Inputs) -> bool:
    """Whether a value is computed from numbers of the program alone, which go with each other: a trial mixes them."""
    made_of = reached([node], lambda at: at.operands)
    return not any(at in inputs.roles or at.op in ("unknown", "loop") for at in made_of)


def _scales_data(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether a node divides by the spread that columns of data have over all examples: no data set is constant.

    An image, a signal and what a network computes may be.
    """
    if node.op != "divide" or not situation.needs_exact_values:
        return False
    spreading = [one for one in _elements([node.operands[1]]) if _is_spread(one)]
    data = {behind(one.operands[0], HANDED_ON | {"abs", "flatten"}) for one in spreading}
    if len(data) != 1 or not all(_is_over_examples(one) for one in spreading):
        return False
    return inputs.roles.get(data.pop(), roles.UNTOLD).name in GATHERED


def _is_spread(node: Node) -> bool:
    """Whether a value is an extreme, or a deviation that NumPy computes before TensorFlow gets the data."""
    return node.op in EXTREMES or (node.op == "reduce_std" and node.attrs.get(LIBRARY) == "numpy")


def is_spread_of_one(node: Node, values: Mapping[Node, Any]) -> bool:
    """Whether a node breaks because a deviation is one of a single example, which a trial made up in place of many."""
    for at in reached(breaking_operands(node), lambda at: at.operands if at.op in SCALE_KEEPING else ()):
        held = values.get(at.operands[0]) if at.op in SPREADS else None
        if isinstance(held, np.ndarray) and (held.ndim == 0 or (len(held) == 1 and _is_over_examples(at))):
            return True
    return False


def _is_over_examples(node: Node) -> bool:
    """Whether a reduction goes over the first axis, which is that of the examples, or over the first ones."""
    axes = node.attrs.get("axis")
    several = axes if isinstance(axes, (tuple, list)) else (axes,)
    return bool(several) and [*several] == [*range(len(several))]


def _is_of_settings(node: Node, inputs: Inputs) -> bool:
    """Whether made-up numbers of settings decide, perhaps with values of which nothing is known."""
    made_of = reached(breaking_operands(node), lambda at: () if at in inputs.roles else at.operands)
    told = [at for at in made_of if at in inputs.roles]
    if any(at.op == "range" or at.op in COMPARISONS or "default" in at.attrs for at in made_of):
        return False  # 0 is the first number of a range, what is compared selects, and a default is the program's own
    names = {inputs.roles[at].name for at in told}
    return roles.SETTING in names and names <= {roles.SETTING, roles.NOTHING}


def _is_of_all_weights(node: Node) -> bool:
    """Whether a value is made of the gradients of all weights of a network: that of its last bias is the error itself.

    Units that are off, or saturated, stop the gradient of some weights, and of what is in front of them.
    """
    made_of = reached([node], lambda at: () if at.op == "gradient" else at.operands)
    gradients = [at for at in made_of if at.op == "gradient"]
    return bool(gradients) and all(map(_is_of_network, gradients)) and any(at.op in JOINING for at in made_of)


def _is_of_network(gradient: Node) -> bool:
    """Whether a gradient is one with respect to the weights of a network that the program is given and calls."""
    return any(
        NETWORK in user.attrs and user.operands[0] is source
        for source in gradient.operands[-1:]
        for user in source.users
    )


def is_made_up(node: Node, inputs: Inputs) -> bool:
    """Whether a value depends only on inputs with made-up numbers, for which the program states no domain.

    Indices only pick some of them. If it fails on an ordinary batch, the program expects other numbers.
    """
    made_of = reached([node], lambda at: at.operands[:1] if at.op in PICKING else at.operands)
    leaves = [one for one in made_of if one in inputs.roles]
    return bool(leaves) and all(inputs.roles[one].name == roles.SETTING or not inputs.is_told(one) for one in leaves)


def is_outside_domain(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether only made-up numbers are outside the domain of an op: who takes a root says that data is positive.

    A role tells where ordinary numbers lie, and nothing tells how far an outlier of them may be.
    """
    if node.op not in PARTIAL:
        return False
    outlying = any(change is changes.far for change in situation.changes.values())
    if outlying or (_is_of_labels(node, inputs) and not situation.rounds):
        return True
    return situation.name == CALM.name and (is_made_up(node, inputs) or _is_of_unknown_state(node, inputs))


def _is_of_unknown_state(node: Node, inputs: Inputs) -> bool:
    """Whether a value depends on states of which nobody knows how they belong together, as two moments do."""
    made_of = reached([node], lambda at: at.operands)
    told = [one for one in made_of if one in inputs.roles and inputs.roles[one].name == roles.STATE]
    return len(told) > 1 and not any(one in inputs.states for one in told)


def _is_of_labels(node: Node, inputs: Inputs) -> bool:
    """Whether a value depends on labels alone."""
    leaves = [one for one in reached([node], _but_sizes) if one in inputs.roles]
    return bool(leaves) and all(inputs.roles[one].name in RECORDS for one in leaves)


def is_coincidence(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether a value fails because two data inputs are equal, where the program relies on their difference.

    A distance that rounding makes less than 0 is one between any two points, and often one of a point to itself.
    """
    if situation.paired != "data" or (situation.rounds and node.op in UNDEFINED_BELOW):
        return False
    return not inputs.subtracted.isdisjoint(reached([node], lambda at: at.operands))


def is_of_sizes(node: Node, inputs: Inputs) -> bool:
    """Whether a value depends on the shapes of data and on settings alone, which a trial makes up."""
    made_of = reached(breaking_operands(node), _but_sizes)
    measured = [at.operands[0] for at in made_of if at.op in SIZES and at.operands]
    if not measured and not any(_is_given_shape(at, inputs) for at in made_of):
        return False
    if any(map(_selects, reached(measured, lambda at: at.operands))):
        return node.op in OPS and all(is_python_number(one, inputs.facts) for one in node.operands)
    return all(
        inputs.roles[at].name in MEASURED
        if at in inputs.roles
        else at.op in COUNTING_UP or at.op in SIZES or _is_pointwise(at)
        for at in made_of
    )


def _is_given_shape(node: Node, inputs: Inputs) -> bool:
    """Whether a node is a parameter for a shape, as that of a layer's `build`."""
    return node in inputs.roles and words_of(name_of(node, inputs.facts))[-1:] in (["shape"], ["shapes"])


def _is_pointwise(node: Node) -> bool:
    """Whether a node computes its elements from those of its operands, without random numbers."""
    row = OPS.get(node.op)
    return node.op in POINTWISE or (row is not None and row.elementwise and not row.random)


def is_before_update(node: Node, situation: Situation, inputs: Inputs) -> bool:
    """Whether a value fails only before the program first counts what it is given, as the result of a metric."""
    if situation.name not in STARTING or node.op not in OPS:
        return False
    assigned = inputs.facts.flow.assigned
    made_of = [
        at for at in reached(breaking_operands(node), lambda at: at.operands) if at.op in ("variable", "placeholder")
    ]
    if getattr(node.origin, "calls", ()):  # another function asks for it, before the state is counted
        made_of = [at for at in made_of if at in assigned]
    states = [found for found in (assignment_of(at, inputs.facts) for at in made_of) if found is not None]
    return bool(states) and all(_is_counted_first(state, held, node) for state, held in states)


def _is_counted_first(state: Node, after: Node, node: Node) -> bool:
    """Whether another function, or a loop before, adds a number or a size of data, which is not 0, to a state."""
    scopes: list[frozenset[Any]] = [activations(at.origin) for at in (after, node)]
    if after.op != "add" or state not in after.operands or not all(scopes):
        return False
    if not scopes[0].isdisjoint(scopes[1]) and not _is_in_loop_before(after, node):
        return False
    added = next((one for one in after.operands if one is not state), state)
    made_of = reached([added], _but_sizes)
    if any(map(_selects, reached(made_of, lambda at: at.operands))):
        return False
    return all(at.op in ("const", "cast", "convert_to_tensor", *SIZES, "getitem", "reduce_prod") for at in made_of)


def _is_in_loop_before(one: Node, node: Node) -> bool:
    """Whether a loop that computes one node ends before another node is computed."""
    loop = getattr(one.origin, "loop", 0)
    return bool(loop) and loop != getattr(node.origin, "loop", 0) and one.index < node.index


def _selects(node: Node) -> bool:
    """Whether the shape of a result depends on data."""
    if node.op in ("unknown", "where"):
        return node.attrs.get("called") in SELECTING or (node.op == "where" and len(node.operands) == 1)
    return node.op == "boolean_mask" or (node.op == "getitem" and any(one.op in TRUTHS for one in node.operands[1:]))


def _but_sizes(node: Node) -> Sequence[Node]:
    """The operands of a node; none for a size, which does not depend on the numbers of data."""
    return () if node.op in SIZES else node.operands


def is_held_back(node: Node, inputs: Inputs) -> bool:
    """Whether training itself keeps an exponential from the numbers at which it overflows, or underflows to 0.

    `exp(s) - s` of a KL divergence and `square(y - m) / exp(s) + s` of a likelihood grow with the log-scale `s`, and a
    scale of 0 fits no data. A policy stays near an earlier one. In float16, `exp` overflows at 11 already.
    """
    if inputs.facts.dtype(node) == "float16":
        return False
    if node.op in UNDERFLOWING:
        factors = reached(node.operands[-1:], lambda at: at.operands if at.op in FACTORED else ())
        scales = [at for at in factors if at.op not in FACTORED and at.op != "const"]
        return bool(scales) and all(at.op == "exp" and _is_scale(at, inputs.facts) for at in scales)
    if node.op != "exp":
        return False
    return _scales_noise(node) or _is_balanced(node) or _is_scale(node, inputs.facts) or _is_ratio(node, inputs)


def _is_ratio(exponential: Node, inputs: Inputs) -> bool:
    """Whether an exponential is the ratio of a policy to an earlier one, of which the next steps stay near."""
    difference = behind(exponential.operands[0], SCALE_KEEPING)
    terms = [one for one in difference.operands if one.op != "const"]
    if difference.op == "add" and len(terms) == 1:  # and a small number
        difference = terms[0]
    if difference.op != "subtract":
        return False
    earlier = _of_earlier(inputs.facts)
    one, other = difference.operands
    return (one in earlier) != (other in earlier) or _is_recorded(one, inputs) != _is_recorded(other, inputs)


def _is_recorded(node: Node, inputs: Inputs) -> bool:
    """Whether a value is a log-probability that the program is given: it was noted when the action was drawn."""
    passed_on = reached([node], lambda at: at.operands[:1] if at.op in SCALE_KEEPING else ())
    told = (inputs.roles[one].name for one in passed_on if one in inputs.roles)
    return any(name in (roles.LOG_PROBABILITY, roles.DRAWN_LOG_PROBABILITY) for name in told)


@once_per_facts
def _of_earlier(facts: Facts) -> set[Node]:
    """The values that are computed from what is called old, or previous."""
    found: set[Node] = set()
    for node in facts.flow:
        if any(map(roles.is_earlier, _names_of(node, facts))) or not found.isdisjoint(node.operands):
            found.add(node)
    return found


def _names_of(node: Node, facts: Facts) -> list[str]:
    """What the program calls a value, also the variables that hold what it computes."""
    return [name_of(node, facts), *facts.flow.variables.get(node, ())]


def _scales_noise(exponential: Node) -> bool:
    """Whether an exponential is multiplied by a random draw, as the standard deviation of a latent variable is."""
    scales = reached([exponential], _scaled_from)
    products = [user for at in scales for user in at.users if user.op == "multiply"]
    factors = [behind(operand, SCALE_KEEPING) for product in products for operand in product.operands]
    return any(factor.op in OPS and OPS[factor.op].random for factor in factors)


def _is_scale(exponential: Node, facts: Facts) -> bool:
    """Whether an exponential is a scale that a network predicts: by its name, its exponent's, or by its place."""
    exponents = reached(exponential.operands, lambda at: at.operands if at.op in SCALE_KEEPING else ())
    named = any(roles.is_log_scale(name) for at in exponents for name in _names_of(at, facts))
    named = named or any(map(roles.is_of_scale, _names_of(exponential, facts)))
    return named or _is_predicted_scale(exponential)


def _is_predicted_scale(exponential: Node) -> bool:
    """Whether a network predicts the exponent beside other values, as the size of a box or the width of a peak.

    The exponentials of a softmax are of all that it gives.
    """
    parts = reached(exponential.operands, lambda at: at.operands if at.op in SCALE_KEEPING else ())
    cut = any(at.op == "getitem" and is_cut_off(at) for at in parts)
    return cut and not any(user.op in TOTALS for at in reached([exponential], _scaled_from) for user in at.users)


def _scaled_from(node: Node) -> list[Node]:
    return [user for user in node.users if user.op in SCALE_KEEPING]


def _is_balanced(exponential: Node) -> bool:
    """Whether a sum has an exponential in one term, and what it is the exponential of in another one."""
    exponents = reached(exponential.operands, lambda at: at.operands if at.op in SCALE_KEEPING else ())
    grown = reached([exponential], lambda at: [user for user in at.users if user.op in GROWING])
    linear = reached(exponents | {user for at in grown for user in at.users if user.op == "log"}, _linear_in)
    return any(
        at.op in SUMMED and any(one in grown and other in linear and one is not other for one, other in _both(at))
        for at in grown & linear
    )


def _linear_in(node: Node) -> list[Node]:
    """The users of a value that are linear in it."""
    return [user for user in node.users if user.op in LINEAR and not (user.op == "divide" and user.operands[1] is node)]


def _both(node: Node) -> list[tuple[Node, Node]]:
    """The two operands of a node, in both orders."""
    one, other = node.operands
    return [(one, other), (other, one)]


def is_mask_in_logs(node: Node, inputs: Inputs) -> bool:
    """Whether a node is the logarithm of a mask: its -inf is meant, as a term that removes scores."""
    if node.op not in LOGARITHMS:
        return False
    held = behind(node.operands[0], HANDED_ON)
    return is_indicator(held) or (held in inputs.roles and inputs.role(held).name in roles.MASKS)


def is_of_drawn(node: Node, inputs: Inputs) -> bool:
    """Whether a node is the logarithm of the probability of an action that the program draws by that probability.

    What has probability 0 is not drawn. The action may be given, as to a placeholder.
    """
    if node.op not in LOGARITHMS:
        return False
    if any(user.op == "unknown" and any(_is_drawn_by(point, node) for point in user.operands) for user in node.users):
        return True
    for index in _picking(behind(node.operands[0], (SCALE_KEEPING - PICKING) | {"stack"})):
        made_of = reached([index], lambda at: at.operands)
        if any(map(_draws, made_of)):
            return True
        if behind(index, HANDED_ON) in inputs.roles and _is_drawing(inputs.facts):
            return True
    return False


def _picking(node: Node) -> Sequence[Node]:
    """What tells which elements are picked: indices, or that of the element of each row that `one_hot` leaves."""
    if node.op in PICKING:
        return node.operands[1:]
    if node.op == "reduce_sum":
        masks = [behind(one, SCALE_KEEPING) for one in node.operands[0].operands if node.operands[0].op == "multiply"]
        return [*(one.operands[0] for one in masks if one.op == "one_hot"), *(one for one in masks if one.op in FED)]
    return ()


def _is_drawn_by(point: Node, log: Node) -> bool:
    """Whether a distribution draws a point, and has the probabilities that a logarithm is taken of."""
    drawn = behind(point, HANDED_ON)
    return drawn.op == "unknown" and drawn.attrs.get("called") == "sample" and log.operands[0] in drawn.operands


def _draws(node: Node) -> bool:
    """Whether a node draws classes by given probabilities."""
    chosen = node.op == "unknown" and node.attrs.get("called") == "choice"
    return node.op == "random_categorical" or (chosen and len(node.operands) > 1)


@once_per_facts
def _is_drawing(facts: Facts) -> bool:
    """Whether a program draws classes from probabilities."""
    return any(map(_draws, facts.flow))


def breaking_operands(node: Node) -> Sequence[Node]:
    """The operands that decide whether an op fails, such as the divisor of a division."""
    row = OPS.get(node.op)
    if row is None:
        return node.operands
    named = {at.operand for at in row.breaks}
    return [one for name, one in zip(row.operands, node.operands, strict=False) if not named or name in named]


def _elements(start: Iterable[Node]) -> set[Node]:
    """The values that single elements of some values are computed from."""
    return reached(start, lambda at: at.operands if _is_of_elements(at) or at.op in WHOLE_PARTS else ())


def _is_of_elements(node: Node) -> bool:
    """Whether the elements of a value are made of those of its operands; a part of a batch is an input of its own."""
    return node.op in POINTWISE and not is_element(node)


def _is_of_neighbours(node: Node) -> bool:
    """Whether a node is the difference of neighbours, `x[1:] - x[:-1]`, which is 0 where `x` is flat."""
    if node.op != "subtract" or any(one.op != "getitem" for one in node.operands):
        return False
    left, right = node.operands
    return left.operands[0] is right.operands[0] and any(":-" in str(one.attrs.get("slices")) for one in (left, right))


def _is_any_number(node: Node, inputs: Inputs) -> bool:
    role = inputs.roles[node]
    if role.name in (roles.SETTING, *TRAINED) or (node.op not in ("input", "placeholder") and inputs.is_unknown(node)):
        return True
    return role.name in VAGUE and role.by_name
