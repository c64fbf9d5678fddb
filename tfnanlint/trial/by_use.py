"""Evidence for the role of an input from its uses: the ops that take it, and those that take what is made of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfnanlint.facts.kinds import LINEAR_LAYERS
from tfnanlint.flow import Node, behind
from tfnanlint.ops import OPS
from tfnanlint.trial.boxes import is_box
from tfnanlint.trial.limits import CARRYING, number_of
from tfnanlint.trial.roles import (
    ACTIVATED,
    ANCHORS,
    BOX,
    CLASS_PROBABILITIES,
    COORDINATES,
    EMBEDDING,
    FEATURES,
    GRID,
    IMAGE,
    INDICES,
    LABELS,
    LENGTHS,
    LOGITS,
    MASK,
    OF_BYTES,
    ORDERED,
    OUTPUT,
    PADDING_MASK,
    POSITIVE,
    PROBABILITY,
    RECORD,
    ROTATION,
    SELECTS,
    SETTING,
    SIGNAL,
    TRANSFORMATION,
    WEIGHT,
    Role,
    by_name,
)
from tfnanlint.trial.slices import last_part
from tfnanlint.trial.uses import (
    HANDED_ON,
    MOST_WALKED,
    PICKING,
    Uses,
    is_index,
    is_of_bytes,
    is_ordered,
    takes_image,
    uses_of,
)
from tfnanlint.trial.variables import ACTIVATIONS, NORMS, is_right_factor
from tfnanlint.vocabulary import words_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

SCORES = frozenset(
    "softmax log_softmax sigmoid log_sigmoid softmax_cross_entropy_with_logits sigmoid_cross_entropy_with_logits "
    "sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits random_categorical "
    "v1_softmax_cross_entropy v1_sigmoid_cross_entropy v1_sparse_softmax_cross_entropy".split()
)
"""Ops that take logits."""
CONDITIONS = frozenset("where boolean_mask logical_and logical_or logical_not reduce_any reduce_all".split())
"""Ops that take a mask."""
EXPONENTIALS = frozenset("exp expm1 cosh sinh bessel_i0 bessel_i1".split())
"""Ops that grow exponentially: their operand is a score if a formula of `FORMULAS` uses the result."""
HYPERBOLIC = frozenset({"cosh", "sinh"})
"""Those of them that are sums of exponentials."""
FORMULAS = frozenset("log log1p log2 divide reciprocal where minimum clip tanh".split())
"""Ops that turn an exponential into a softmax, a sigmoid, a softplus or the like, or that bound it."""
RATIOS = frozenset({"divide", "reciprocal"})
"""Those of them that take sums of exponentials: a quotient of two exponentials may be any ratio."""
SAME = frozenset("identity cast convert_to_tensor stop_gradient check_numerics ensure_shape".split())
"""Ops that give the elements of their first operand where they were."""
SIGNED = SAME | {"neg"}
"""The same, and their negatives."""
BOUNDING = frozenset({"clip", "maximum", "minimum"})
"""Ops that a value bounds another one by."""
SUMS = frozenset({"reduce_sum", "reduce_mean"})
"""Ops that an entropy ends with."""
GUARDS = frozenset("add maximum clip".split())
"""Ops that keep what a logarithm takes above 0."""
COMPUTED = frozenset({"unknown", "cast"})
"""Nodes whose values the program computes in an unknown way."""
SCALING = frozenset("multiply divide neg".split())
"""Ops that scale a value by a number."""
SUMMING = frozenset(
    "add subtract multiply reduce_sum reduce_mean cumsum segment_sum unsorted_segment_sum gather neg sqrt identity "
    "cast expand_dims".split()
)
"""Ops that occur in sums of exponentials."""
TOTALS = frozenset("add reduce_sum reduce_mean cumsum segment_sum unsorted_segment_sum".split())
"""Ops that add exponentials up."""
TRANSFORMS = frozenset("stft rfft fft rfft2d fft2d".split())
"""Ops that compute a spectrum."""
OPS_WITH_A_LOG = frozenset(
    "log log2 xlogy log1p binary_crossentropy categorical_crossentropy kl_divergence poisson v1_log_loss".split()
)
"""Ops that take the logarithm of an operand."""
LOGARITHMS = frozenset({"log", "log2"})
"""Logarithms that are -inf at 0."""
ROOTS = LOGARITHMS | frozenset({"sqrt", "rsqrt"})
"""Ops that take positive numbers: a value that one branch gives to a softmax, and another one to a logarithm."""
TAKING_DATA = LINEAR_LAYERS | frozenset("LSTM GRU SimpleRNN Bidirectional ConvLSTM2D".split())
"""Layers that multiply what they take by weights: it is data, and no indices."""
VARIANCES = frozenset({"var", "vars"})
"""Words for variances and for variables."""
OPPOSITES = frozenset("neg multiply subtract".split())
"""Ops that compute `-p` from a probability."""
CORNERED = frozenset({FEATURES, EMBEDDING, LABELS, ROTATION, TRANSFORMATION, COORDINATES})
"""Roles by name that leave open whether a value consists of boxes; those that a network predicts may be no boxes."""
BOXES = frozenset("box boxes bbox bboxes".split())
"""Words for what is decoded from the output of a network, which alone need not have a width."""
GIVEN = frozenset(
    "mask masks length lengths len size sizes shape shapes count counts dist distance distances stddev variance".split()
)
"""Words in function names that indicate the role of the result."""
OF_EITHER = frozenset(("weight", "weights"))
"""Words for the weights of examples and for those of a network."""
HIDING = -1e4
"""The largest factor of a mask that removes scores: a softmax gives nothing to what it is added to."""
PARTING = frozenset({"split", "unstack"})
"""Ops that cut a value into parts."""
SUMMED_LIKE = frozenset("flatten reshape squeeze cast identity round".split())
"""Ops of a prediction whose sum is about that of the prediction."""
PARAMETERS = frozenset("param params parameter parameters".split())
"""Words at the end of function names that count the weights of a model or read a configuration."""


def _entropies(user: Node, node: Node) -> list[Node]:
    """The products of a node and a user of it that is its logarithm."""
    if user.op not in LOGARITHMS or behind(user.operands[0], SAME) is not node:
        return []
    products = (one for one in user.users if one.op == "multiply")
    return [one for one in products if any(behind(operand, SIGNED) is node for operand in one.operands)]


def by_use(node: Node, facts: Facts, name: str, users: Uses) -> Role | None:
    """The role that the uses of a value indicate, also the uses of results that pass it on."""
    named = by_name(name)
    return (
        _by_condition(node, facts, name, named, users)
        or _by_entropy(node, named, users)
        or _by_score(node, facts, named, users)
        or _by_function(node, name, named, users)
        or _by_bytes(node, named)
        or _by_masking(name, named, users)
        or _by_indexing(node, named, users)
        or _by_ends(node)
        or _by_boxes(node, name, named, users)
        or _by_layer(named, users)
        or _by_prediction(node, name, users)
    )


def _by_ends(node: Node) -> Role | None:
    """A table in order, such as the support of a distribution: its first and its last element bound other values."""
    taken = [user for user in node.users if user.op == "getitem" and len(user.operands) == 2]
    bounding = [one.operands[1].constant for one in taken if any(user.op in BOUNDING for user in one.users)]
    both = {0, -1} <= {place for place in bounding if isinstance(place, int)}
    return Role(GRID, "its first and its last element bound other values") if both else None


def _by_condition(node: Node, facts: Facts, name: str, named: Role | None, users: Uses) -> Role | None:
    """The role of what is used as a condition, and of what only its name makes a mask."""
    if facts.dtype(node) == "bool" or any(u.op in CONDITIONS and at == _condition_place(u) for u, at in users):
        return Role(PADDING_MASK if named is not None and named.name == PADDING_MASK else MASK, SELECTS)
    if named is None or named.name != MASK:
        return None
    weighs = words_of(name)[-1] in OF_EITHER
    if weighs and any(u.op == "getitem" and len(u.operands) == 1 for u in node.users):
        return Role(POSITIVE, "the program takes its elements one by one, as the weights of several terms")
    either = weighs and node.op in ("input", "placeholder")
    if either and is_right_factor(node):
        return Role(WEIGHT, "data is multiplied by it, as by the kernel of a layer")
    if either and _divides_by_element(node):
        return Role(SETTING, "each of its elements divides something, as a scale does")
    if any(_entropies(u, node) for u, _ in users):
        return Role(CLASS_PROBABILITIES, "its entropy is taken, as of the weights of a mixture")
    return None


def _by_entropy(node: Node, named: Role | None, users: Uses) -> Role | None:
    """The probabilities of which a sum is an entropy, if a network or another function gives them."""
    computed = node.op in ("unknown", "layer") and (named is None or named.name in (FEATURES, EMBEDDING))
    if not computed and (named is None or named.name != OUTPUT):
        return None
    parts = [part for user, _ in users for part in _entropies(user, node)]
    parts += [user for part in parts for user in part.users if user.op == "neg"]
    if not any(user.op in SUMS for part in parts for user in part.users):
        return None
    return Role(CLASS_PROBABILITIES, "its entropy is taken")


def _by_score(node: Node, facts: Facts, named: Role | None, users: Uses) -> Role | None:
    """The role of what a softmax, a sigmoid or a loss is given."""
    if any(u.op in SCORES and _is_choice_of_link(u, node, facts) for u, _ in users):
        return Role(PROBABILITY, "a flag decides whether a sigmoid or a softmax is taken of it first")
    if any(u.op in SCORES and at == _score_place(u) for u, at in users) and not any(
        _is_share(u, node) or (u.op in ROOTS and behind(u.operands[0], CARRYING) is node) for u, _ in users
    ):
        return Role(LOGITS, "it is given to a softmax or a sigmoid")
    if node.op != "variable" and named is not None and named.name not in (FEATURES, EMBEDDING):
        return None
    if any(_is_predicted(u, at) for u, at in users):
        return Role(OUTPUT, "a loss compares it with labels")
    if any(_is_score(u) for u, _ in users if u.op == "multiply" and not _is_of_layer(u)):
        return Role(LOGITS, "a softmax or a sigmoid is given its product")
    return None


def _by_function(node: Node, name: str, named: Role | None, users: Uses) -> Role | None:
    """The role of what an exponential, an activation, a root, a logarithm or a Fourier transform is taken of."""
    computed = node.op == "unknown" and bool(node.operands) and named is not None and named.name == SETTING
    vague = node.op != "variable" and (computed or is_vague(named))  # a weight is one whatever is computed from it
    if vague and by_what_is_called(node) is None and any(_is_of_scores(u, node, named) for u in _exponentials(node)):
        return Role(LOGITS, "a formula takes its exponential")
    if vague and any(u.op in ACTIVATIONS for u, _ in users):
        return Role(ACTIVATED, "an activation is taken of it")
    if named is not None and words_of(name)[-1] in VARIANCES and any(u.op in ROOTS for u, _ in users):
        return Role(POSITIVE, "a variance: its root or its logarithm is taken")
    if any(u.op in TRANSFORMS and at == 0 for u, at in users):
        return Role(SIGNAL, "its spectrum is taken")
    if named is None and any(takes_image(u, at) for u, at in users):
        return Role(IMAGE, "an op for images takes it")
    return None


def _by_bytes(node: Node, named: Role | None) -> Role | None:
    """An image, if the program treats a value as bytes and its name says nothing else."""
    return Role(IMAGE, OF_BYTES) if (named is None or named.name in (FEATURES, IMAGE)) and is_of_bytes(node) else None


def _by_masking(name: str, named: Role | None, users: Uses) -> Role | None:
    """The role of what weighs or hides elements, if its name says nothing."""
    if named is not None and (named.name != FEATURES or len(name) != 1):
        return None
    if _weighs(users):
        return Role(MASK, "what it weighs is divided by its sum")
    if any(_hides(u) or (_is_complement(u) and any(map(_hides, u.users))) for u, _ in users):
        return Role(MASK, "it is multiplied by a very large negative number, which hides elements")
    return None


def _by_indexing(node: Node, named: Role | None, users: Uses) -> Role | None:
    """The role of what picks a class, is as long as a sequence, or is an index."""
    given = node.op in ("input", "placeholder")
    if given and (named is None or named.name == FEATURES) and _picks_class(users):
        return Role(LABELS, "it picks one of the probabilities of a softmax")
    if given and named is None and any(map(_is_length, node.users)):
        return Role(FEATURES, "its length is taken")
    if any(u.op == "sequence_mask" and at == 0 for u, at in users):
        return Role(LENGTHS, "a mask is made of as many elements")
    if any(is_ordered(u, at) for u, at in users):
        return Role(INDICES, ORDERED)
    if any(is_index(u, at) for u, at in users):
        return Role(INDICES, "it indexes")
    return None


def _by_boxes(node: Node, name: str, named: Role | None, users: Uses) -> Role | None:
    """The role of boxes, and of their sizes."""
    decoded = named is not None and named.name == OUTPUT and not BOXES.isdisjoint(words_of(name))
    cornered = named is None or named.name in CORNERED or decoded
    labelled = named is not None and named.name == LABELS  # by class labels there are no corners
    if node.op != "layer" and cornered and is_box((u for u, _ in users), bounded=labelled):
        return Role(BOX, "its width and its height are computed from its corners")
    if not ANCHORS.isdisjoint(words_of(name)) and any(u.op in RATIOS and at == len(u.operands) - 1 for u, at in users):
        return Role(POSITIVE, "the size of boxes is divided by it")
    if node.op == "layer" or not cornered:
        return None
    if _has_sizes(name, node):
        return Role(RECORD if labelled else POSITIVE, "the two columns behind its first two are taken, as of sizes")
    return None


def _by_layer(named: Role | None, users: Uses) -> Role | None:
    """Data, if a layer takes it and its name says nothing."""
    if named is None and any(u.op == "layer" and u.attrs.get("kind") in TAKING_DATA for u, _ in users):
        return Role(FEATURES, "a layer takes it")
    return None


def _by_prediction(node: Node, name: str, users: Uses) -> Role | None:
    """Probabilities, if a prediction by name is used as such; no network predicts a variable."""
    if node.op == "variable" or "initializer" in node.attrs or not _is_prediction(name):
        return None
    if any(_is_share(u, node) for u, _ in users):
        return Role(CLASS_PROBABILITIES, "a prediction that is divided by its sum over the classes")
    if any(_takes_logarithm(u) and (_is_of_one_element(u) or not _is_split(node)) for u, _ in users):
        return Role(PROBABILITY, "its logarithm is taken of a prediction")
    if any(_weighs_complement(u) for u, _ in users):
        return Role(PROBABILITY, "a prediction whose complement weighs something")
    if any(_overlaps(one) for one in (node, *(u for u, _ in users if u.op in SUMMED_LIKE))):
        return Role(PROBABILITY, "a prediction that is added up, and whose overlap with something is")
    return None


def _is_of_one_element(user: Node) -> bool:
    """Whether an op is applied to elements that an index picks, as the label picks the probability of its class."""
    picked = behind(user.operands[0], SAME)
    return picked.op in PICKING and len(picked.operands) > 1 and picked.operands[1].op != "const"


def _overlaps(node: Node) -> bool:
    """Whether a value is added up and so is its product with another one, as for the overlap of two masks."""
    products = [user for user in node.users if user.op == "multiply" and user.operands[0] is not user.operands[1]]
    apart = any(user.op == "reduce_sum" for user in node.users)
    return apart and any(user.op == "reduce_sum" for product in products for user in product.users)


def _hides(product: Node) -> bool:
    """Whether a product is that of a mask, or of `1 - mask`, with a number that no score outweighs."""
    numbers = [one.constant for one in product.operands if isinstance(one.constant, (int, float))]
    return product.op == "multiply" and any(number <= HIDING or number == math.inf for number in numbers)


def _is_choice_of_link(link: Node, node: Node, facts: Facts) -> bool:
    """Whether a flag decides that a sigmoid or a softmax of a value is taken, and is off by default."""
    for user in link.users:
        flag = facts.flow.decided.get(user)
        if flag is None or len(user.operands) != 2:
            continue
        default = flag.attrs.get("default")
        taken = user.operands[0 if default else 1]
        if isinstance(default, bool) and taken is not link and behind(taken, HANDED_ON - {"phi"}) is node:
            return True
    return False


def _weighs_complement(user: Node) -> bool:
    """Whether an op computes `1 - p` of a probability, which is then multiplied."""
    return _is_complement(user) and any(one.op == "multiply" for one in user.users)


def _is_complement(node: Node) -> bool:
    return node.op == "subtract" and node.operands[0].constant == 1


def _is_share(user: Node, node: Node) -> bool:
    """Whether a program divides a value, or the elements that it picks of it, by their sum over an axis."""
    if user.op in PICKING and user.operands[0] is node:
        return any(_is_own_share(one, user) for one in user.users)
    return _is_own_share(user, node)


def _is_own_share(user: Node, node: Node) -> bool:
    if user.op != "divide" or behind(user.operands[0], SAME) is not node:
        return False
    total = behind(user.operands[1], HANDED_ON)
    own = total.op == "reduce_sum" and behind(total.operands[0], SAME) is node
    return own and total.attrs.get("axis") is not None


def _takes_logarithm(user: Node) -> bool:
    """Whether an op takes the logarithm of a probability: `log1p(-p)` does, `log1p(x)` takes that of a count.

    `log(x + 1)` and `log(1 + x)` take that of a count, too.
    """
    if user.op not in OPS_WITH_A_LOG or any(map(_is_raised, user.operands)):
        return False
    return user.op != "log1p" or user.operands[0].op in OPPOSITES


def _is_raised(node: Node) -> bool:
    """Whether 1 or more is added to a value."""
    total = behind(node, CARRYING)
    return total.op == "add" and any((number_of(one) or 0.0) >= 1 for one in total.operands)


def _is_predicted(user: Node, place: int) -> bool:
    """Whether an op is a loss without a logarithm, with its prediction at this position."""
    row = OPS.get(user.op)
    if row is None or user.op in OPS_WITH_A_LOG or place >= len(row.operands):
        return False
    return row.operands[place] in ("y_pred", "predictions")


def _is_of_layer(product: Node) -> bool:
    """Whether a factor of a product is the output of a layer: that factor is the score, and the other one a gate."""
    return any(behind(factor, HANDED_ON).op == "layer" for factor in product.operands)


def _is_score(node: Node) -> bool:
    return any(user.op in SCORES and place == _score_place(user) for user, place in uses_of(node))


def _exponentials(node: Node) -> Iterator[Node]:
    """The exponentials of a value, or of a multiple of it."""
    met, stack = {node}, [node]
    while stack and len(met) < MOST_WALKED:
        at = stack.pop()
        for user in at.users:
            if user.op in EXPONENTIALS:
                yield user
            scaled = user.op in SCALING and all(o is at or o.op == "const" for o in user.operands)
            if (scaled or (user.op in HANDED_ON and user.operands[0] is at)) and user not in met:
                met.add(user)
                stack.append(user)


def _is_of_scores(exponential: Node, of: Node, named: Role | None) -> bool:
    """Whether a formula uses an exponential of a value as that of a score.

    What an unknown function computes is a score only where exponentials are added up, as in a softmax or a softplus:
    other formulas take exponentials of scales and distances.
    """
    any_value = of.op not in COMPUTED or (named is not None and named.name == OUTPUT)
    stack = [(user, True) for user in exponential.users if user.op in TOTALS]
    if any_value:
        stack.append((exponential, exponential.op in HYPERBOLIC))
    met = set(stack)
    while stack and len(met) < MOST_WALKED:
        at, summed = stack.pop()
        for user in at.users:
            if user.op in FORMULAS and (summed or user.op not in RATIOS):
                return True
            after = user, summed or user.op in TOTALS
            if user.op in SUMMING and after not in met:
                met.add(after)
                stack.append(after)
    return False


def _is_length(node: Node) -> bool:
    """Whether a node is the length of its operand, or a square that is then summed."""
    if node.op in NORMS and node.op != "sqrt":
        return True
    return node.op == "square" and any(user.op == "reduce_sum" for user in node.users)


def _weighs(uses: Uses) -> bool:
    """Whether a value multiplies another one and its sum is a divisor, as in a weighted mean."""
    sums = [user for user, _ in uses if user.op == "reduce_sum"]
    divides = any(u.op in ("divide", "divide_no_nan") and u.operands[1] is s for s in sums for u in s.users)
    return divides and any(user.op == "multiply" for user, _ in uses)


def _divides_by_element(node: Node) -> bool:
    """Whether single elements of a value are divisors: none of them masks anything."""
    parts = [node, *(user for user in node.users if user.op in PARTING | {"getitem"} and user.operands[0] is node)]
    uses = [use for part in parts for use in uses_of(part)]
    return any(user.op == "divide" and place == 1 for user, place in uses)


def _picks_class(uses: Uses) -> bool:
    """Whether a value selects from the probabilities of classes, as the one-hot action that was taken.

    It multiplies a softmax, and the logarithm of the sum over the classes is taken, or a ratio of it; or it multiplies
    a logarithm of a softmax.
    """
    for product, place in uses:
        if product.op != "multiply":
            continue
        other = behind(product.operands[1 - place], SAME)
        logarithm = other.op == "log_softmax"
        if other.op in OPS_WITH_A_LOG and len(other.operands) == 1:
            other = behind(other.operands[0], SAME | GUARDS)
            logarithm = True
        if other.op not in ("softmax", "log_softmax"):
            continue
        sums = [user for user in product.users if user.op == "reduce_sum"]
        if any(logarithm or any(u.op in RATIOS or _takes_logarithm(u) for u, _ in uses_of(one)) for one in sums):
            return True
    return False


def _is_prediction(name: str) -> bool:
    named = by_name(name)
    return named is not None and named.name in (OUTPUT, PROBABILITY)


def _is_split(node: Node) -> bool:
    """Whether slices cut a value into parts, such as a mean and a deviation that a network returns side by side."""
    if any(user.op in PARTING for user in node.users):
        return True
    return len({str(user.attrs["slices"]) for user in node.users if "slices" in user.attrs}) > 1


def _has_sizes(name: str, node: Node) -> bool:
    """Whether slices take the two columns behind the first two of a value: the sizes of boxes, or of anchors."""
    cut = [part for user in node.users if isinstance(part := last_part(user), slice)]
    ends = {(part.start or 0, part.stop) for part in cut}
    if ends.isdisjoint(((2, None), (2, 4))):
        return False
    return (0, 2) in ends or not ANCHORS.isdisjoint(words_of(name))


def _condition_place(user: Node) -> int:
    return 1 if user.op == "boolean_mask" else 0


def _score_place(user: Node) -> int:
    row = OPS[user.op]
    return row.operands.index("logits") if "logits" in row.operands else 0


def is_vague(named: Role | None) -> bool:
    return named is None or named.name in (FEATURES, EMBEDDING, OUTPUT, LABELS)


def by_what_is_called(node: Node) -> Role | None:
    """The role that the name of an unknown function indicates for its result: lengths, a shape, a mask."""
    called = str(node.attrs.get("called", ""))
    words = words_of(called)
    if words and words[-1] in PARAMETERS:
        return Role(SETTING, f"what is called for it, {called}")
    told = by_name(next((word for word in reversed(words) if word in GIVEN), ""))
    return Role(told.name, f"what is called for it, {called}") if told is not None else None
