"""The role of an input, from evidence: how the program uses it, what kind of value it is, and its name.

The default, the annotation and the type count more than the name; what an unknown function computes it from counts
least.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tfnanlint.facts.kinds import LINEAR_LAYERS
from tfnanlint.flow import DYNAMIC, GIVEN_LABELS, Node, behind
from tfnanlint.ops import OPS
from tfnanlint.trial.corners import is_box
from tfnanlint.trial.limits import CARRYING, number_of
from tfnanlint.trial.roles import (
    ACTIVATED,
    ANCHORS,
    ASSUMED,
    BOX,
    CLASS_PROBABILITIES,
    COORDINATES,
    COUNT,
    COUNTED,
    DIVIDED,
    DRAWN_WEIGHT,
    EMBEDDING,
    FEATURES,
    GRADIENT,
    GRID,
    IMAGE,
    INDICES,
    LABELS,
    LENGTHS,
    LOGITS,
    MASK,
    MINIMISED,
    NOISE,
    NOTHING,
    OUTPUT,
    PADDING_MASK,
    POSITIVE,
    PROBABILITY,
    RECORD,
    ROTATION,
    SCALE,
    SELECTS,
    SETTING,
    SIGNAL,
    SIZE,
    SLOPE,
    STATE,
    TRANSFORMATION,
    UNTOLD,
    WEIGHT,
    ZERO_WEIGHT,
    Role,
    by_description,
    by_name,
)
from tfnanlint.trial.slices import last_part
from tfnanlint.trial.uses import HANDED_ON, Uses, is_element, is_index, key_of, uses_of
from tfnanlint.trial.variables import (
    ACTIVATIONS,
    NORMS,
    is_assigned,
    is_minimised,
    is_never_flat,
    is_right_factor,
    products_of,
)
from tfnanlint.vocabulary import NETWORKS, words_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

WHOLE_PARTS = frozenset({"floordiv", "floormod"})
"""Integer division: the divisor is a number of parts."""
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
SAME = frozenset("identity cast convert_to_tensor stop_gradient check_numerics ensure_shape".split())
"""Ops that give the elements of their first operand where they were."""
GUARDS = frozenset("add maximum clip".split())
"""Ops that keep what a logarithm takes above 0."""
RATIOS = frozenset({"divide", "reciprocal"})
"""Those of them that take sums of exponentials: a quotient of two exponentials may be any ratio."""
COMPUTED = frozenset({"unknown", "cast"})
"""Ops of values that the program has computed, nobody knows how."""
SCALING = frozenset("multiply divide neg".split())
"""Ops that scale a value by a number."""
SUMMING = frozenset("add subtract multiply reduce_sum reduce_mean cumsum neg sqrt identity cast expand_dims".split())
"""Ops that occur in sums of exponentials."""
TOTALS = frozenset("add reduce_sum reduce_mean cumsum".split())
"""Ops that add exponentials up."""
TRANSFORMS = frozenset("stft rfft fft rfft2d fft2d".split())
"""Ops that compute a spectrum."""
LOGARITHMS = frozenset(
    "log log2 xlogy log1p binary_crossentropy categorical_crossentropy kl_divergence poisson v1_log_loss".split()
)
"""Ops that take the logarithm of an operand."""
ROOTS = frozenset("log log2 sqrt rsqrt".split())
"""Ops that take positive numbers: a value that one branch gives to a softmax, and another one to a logarithm."""
SIDES = frozenset("hw")
"""What a height and a width are called."""
MANY = 10
"""Columns that are more than those of a box, a point or a size: they may be classes."""
TAKING_DATA = LINEAR_LAYERS | frozenset("LSTM GRU SimpleRNN Bidirectional ConvLSTM2D".split())
"""Layers that multiply what they take by weights: it is data, and no indices."""
VARIANCES = frozenset({"var", "vars"})
"""Words for variances and for variables."""
OPPOSITES = frozenset("neg multiply subtract".split())
"""Ops that compute `-p` from a probability."""
PASSED_ON = {
    IMAGE: IMAGE,
    SIGNAL: SIGNAL,
    GRADIENT: GRADIENT,
}
"""The role of an unknown function's result, by the role of its argument. What is computed from data may be anything."""
CALLABLE = NETWORKS | frozenset("models nets networks".split())
"""Names of networks that are passed in: the result of calling one is a network's output."""
CORNERED = frozenset({FEATURES, EMBEDDING, LABELS, ROTATION, TRANSFORMATION, COORDINATES})
"""Roles by name that leave open whether a value consists of boxes; those that a network predicts may be no boxes."""
GIVEN = frozenset("mask masks length lengths len size sizes shape shapes count counts dist distance distances".split())
"""Words in function names that indicate the role of the result."""
POSITIVE_OPS = frozenset({"square", "abs", "exp", "softplus"})
"""Ops whose results are positive; what an unknown function computes of them alone is taken for positive, too."""
OF_EITHER = frozenset(("weight", "weights"))
"""Words for the weights of examples and for those of a network."""
PARTING = frozenset({"split", "unstack"})
"""Ops that cut a value into parts."""
PARAMETERS = frozenset("param params parameter parameters".split())
"""Words at the end of function names that count the weights of a model or read a configuration."""
OF_SHAPE = {"single"}
"""Kinds of values that only their shape decides."""
AGGREGATES = frozenset("sum len max min int float round abs prod".split())
"""Functions of Python that compute a number."""
INTEGERS = frozenset("int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())


UNIQUE = frozenset({"unique", "unique_with_counts"})
"""Functions that give the values that occur, and how often each of them does."""
UNLIKE_DATA = frozenset({SETTING, STATE, WEIGHT, NOISE})
"""Roles that a value does not get from the name of a helper's parameter."""
A_TENSOR = "a tensor, whatever its name"

_KNOWN: WeakKeyDictionary[Facts, dict[Node, Role]] = WeakKeyDictionary()
"""The roles told so far: those of the operands are asked for again and again."""
_COUNTED: WeakKeyDictionary[Facts, frozenset[str]] = WeakKeyDictionary()


def role_of(node: Node, facts: Facts) -> Role:
    """The role of a value that comes from outside the flow."""
    known = _KNOWN.setdefault(facts, {})
    role = known.get(node)
    if role is None:
        role = known[node] = _told(node, facts)
    return role


def _told(node: Node, facts: Facts) -> Role:
    if (assumed := facts.assumptions.get(node)) is not None and "mask" in assumed.kinds:
        return Role(PADDING_MASK, "Keras hands a mask to a layer")
    if is_assumed(node, facts):
        return Role(ASSUMED, "as assumed")
    uses = uses_of(node)
    if any(user.op == "range" for user, _ in uses):
        return Role(SETTING, COUNTED)
    role = _role_of(node, facts, uses)
    if role.name == MASK and _is_of_batch(node, facts):
        role = Role(PADDING_MASK, role.evidence, role.by_name)
    if role.name == LABELS and _has_columns(node):
        role = Role(RECORD, "the program takes its columns apart", role.by_name)
    if role.name == NOTHING and is_sampled(node, facts):
        return Role(FEATURES, "as in the sample")
    if role.name in (SETTING, NOTHING) or role.by_name:
        if is_divided(node):
            return Role(SETTING, DIVIDED)
        if role.name != SETTING and any(_is_of_whole_parts(user) and place == 1 for user, place in uses):
            return Role(SETTING, COUNTED)
    if _is_side(node, facts):
        return Role(SIZE, "a width and a height are given together")
    if role.by_letter and name_of(node, facts) in _counted(facts):
        return Role(SETTING, COUNTED)
    return role


def _is_of_batch(node: Node, facts: Facts) -> bool:
    """Whether a value is fed, or is an element of a batch that a loader gives: it holds no batch without an example.

    What a function's caller passes may be any mask, also one of a rare subset.
    """
    return (node.op == "placeholder" or is_element(node)) and node not in facts.flow.traced


def _counted(facts: Facts) -> frozenset[str]:
    """The names of what functions of the module count up to: a letter stands for one thing in all of them."""
    known = _COUNTED.get(facts)
    if known is None:
        inputs = (node for node in facts.flow.nodes if node.op in ("input", "placeholder"))
        counted = (node for node in inputs if any(user.op == "range" for user, _ in uses_of(node)))
        known = _COUNTED[facts] = frozenset(name_of(node, facts) for node in counted)
    return known


def is_divided(node: Node) -> bool:
    """Whether integer division divides a value, or a product of it."""
    dividends = [node, *(user for user in node.users if user.op == "multiply")]
    return any(
        user.operands[0] is one and user.op != "floormod" and _is_of_whole_parts(user)
        for one in dividends
        for user in one.users
    )


def _is_of_whole_parts(node: Node) -> bool:
    """Whether an op is an integer division, also one that rounds a quotient down."""
    return node.op in WHOLE_PARTS or (node.op == "divide" and any(user.op == "floor" for user in node.users))


def _role_of(node: Node, facts: Facts, uses: Uses) -> Role:
    if node in facts.flow.settings or node in facts.flow.configuration:
        return Role(SETTING, "it sets an object up")
    if isinstance(default := node.attrs.get("default"), bool):
        return Role(SETTING, f"its default is {default!r}")
    if GIVEN_LABELS in node.attrs:
        return Role(LABELS, "Keras gives labels to a loss first")
    if is_scale(node):
        return Role(SCALE, "a likelihood divides by it and adds its logarithm")
    name = name_of(node, facts)
    return (
        _by_owner(node, facts)
        or _by_gradient(node, facts)
        or _by_use(node, facts, name, uses)
        or _by_settings(node, facts)
        or _by_what_it_is(node, facts)
        or _by_axes(node, name, uses)
        or _by_other_names(node, name, facts)
        or _by_occurrence(node, name)
        or _by_name(node, name)
        or by_description(str(node.attrs.get("doc", "")))
        or _by_what_is_called(node)
        or _by_what_it_is_made_of(node, facts)
        or UNTOLD
    )


def is_assumed(node: Node, facts: Facts) -> bool:
    """Whether the user states numbers for a value; for a traced value, an assumption may state dtype and shape alone.

    A sample says what the data is like, and leaves open what else it does.
    """
    assumed = facts.assumptions.get(node)
    if assumed is None or assumed.sample is not None:
        return False
    return bool(assumed.range is not None or set(assumed.kinds) - OF_SHAPE or assumed.witness is not None)


def is_sampled(node: Node, facts: Facts) -> bool:
    """Whether the user gives a sample of a value."""
    assumed = facts.assumptions.get(node)
    return assumed is not None and assumed.sample is not None


def name_of(node: Node, facts: Facts) -> str:
    """What the program calls a value."""
    name = str(node.attrs.get("name") or "").rpartition(".")[2] or facts.flow.named.get(node, "")
    return name or (key_of(node) if is_element(node) else "")


def _by_owner(node: Node, facts: Facts) -> Role | None:
    """A value that is read from a configuration is a setting, whatever its name is."""
    read = node.op == "attribute" or (node.op == "unknown" and "name" in node.attrs)
    if not read and (node.op != "getitem" or is_given(node)):
        return None
    owner = node.operands[0] if node.operands else node
    while owner.op in ("attribute", "getitem"):
        owner = owner.operands[0]
    name = name_of(owner, facts)
    told = by_name(name)
    return Role(SETTING, f"it belongs to {name}") if told is not None and told.name == SETTING else None


def _by_gradient(node: Node, facts: Facts) -> Role | None:
    """A parameter with respect to which a loss is differentiated is a weight if it is multiplied by data."""
    if node.op not in ("input", "placeholder") or not any(node in root.sources for root in facts.roots()):
        return None
    if all(any(one.op == "variable" for one in user.operands) for user in products_of(node)):
        return None
    return Role(WEIGHT, "a loss is differentiated with respect to it, and data is multiplied by it")


def _by_use(node: Node, facts: Facts, name: str, users: Uses) -> Role | None:
    """The role that the uses of a value indicate, also the uses of results that pass it on."""
    named = by_name(name)
    computed = node.op == "unknown" and bool(node.operands) and named is not None and named.name == SETTING
    vague = node.op != "variable" and (computed or _is_vague(named))  # a weight is one whatever is computed from it
    if facts.dtype(node) == "bool" or any(u.op in CONDITIONS and at == _condition_place(u) for u, at in users):
        return Role(PADDING_MASK if named is not None and named.name == PADDING_MASK else MASK, SELECTS)
    outside = node.op in ("input", "placeholder") and named is not None and named.name == MASK
    if outside and words_of(name)[-1] in OF_EITHER and is_right_factor(node):
        return Role(WEIGHT, "data is multiplied by it, as by the kernel of a layer")
    if any(u.op in SCORES and _is_choice_of_link(u, node, facts) for u, _ in users):
        return Role(PROBABILITY, "a flag decides whether a sigmoid or a softmax is taken of it first")
    if any(u.op in SCORES and at == _score_place(u) for u, at in users) and not any(
        u.op in ROOTS and behind(u.operands[0], CARRYING) is node for u, _ in users
    ):
        return Role(LOGITS, "it is given to a softmax or a sigmoid")
    free = node.op == "variable" or named is None or named.name in (FEATURES, EMBEDDING)
    if free and any(_is_predicted(u, at) for u, at in users):
        return Role(OUTPUT, "a loss compares it with labels")
    if free and any(_is_score(u) for u, _ in users if u.op == "multiply" and not _is_of_layer(u)):
        return Role(LOGITS, "a softmax or a sigmoid is given its product")
    if vague and _by_what_is_called(node) is None and any(_is_of_scores(u, node, named) for u in _exponentials(node)):
        return Role(LOGITS, "a formula takes its exponential")
    if vague and any(u.op in ACTIVATIONS for u, _ in users):
        return Role(ACTIVATED, "an activation is taken of it")
    if named is not None and words_of(name)[-1] in VARIANCES and any(u.op in ROOTS for u, _ in users):
        return Role(POSITIVE, "a variance: its root or its logarithm is taken")
    if any(u.op in TRANSFORMS and at == 0 for u, at in users):
        return Role(SIGNAL, "its spectrum is taken")
    if (named is None or (named.name == FEATURES and len(name) == 1)) and _weighs(users):
        return Role(MASK, "what it weighs is divided by its sum")
    if node.op in ("input", "placeholder") and (named is None or named.name == FEATURES) and _picks_class(users):
        return Role(LABELS, "it picks one of the probabilities of a softmax")
    if node.op in ("input", "placeholder") and named is None and any(map(_is_length, node.users)):
        return Role(FEATURES, "its length is taken")
    if any(u.op == "sequence_mask" and at == 0 for u, at in users):
        return Role(LENGTHS, "a mask is made of as many elements")
    if any(is_index(u, at) for u, at in users):
        return Role(INDICES, "it indexes")
    if (named is None or named.name in CORNERED) and node.op != "layer":
        if is_box(u for u, _ in users):
            return Role(BOX, "its width and its height are computed from its corners")
        if _has_sizes(name, node):
            return Role(POSITIVE, "the two columns behind its first two are taken, as of sizes")
    if named is None and any(u.op == "layer" and u.attrs.get("kind") in TAKING_DATA for u, _ in users):
        return Role(FEATURES, "a layer takes it")
    if node.op == "variable" or "initializer" in node.attrs:  # no network predicts it
        return None
    if _is_prediction(name) and any(_is_share(u, node) for u in node.users):
        return Role(CLASS_PROBABILITIES, "a prediction that is divided by its sum over the classes")
    if _is_prediction(name) and not _is_split(node) and any(_takes_logarithm(u) for u, _ in users):
        return Role(PROBABILITY, "its logarithm is taken of a prediction")
    if _is_prediction(name) and any(_weighs_complement(u) for u in node.users):
        return Role(PROBABILITY, "a prediction whose complement weighs something")
    return None


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


def _is_side(node: Node, facts: Facts) -> bool:
    """Whether a value is the width or the height of what an unknown function gives both of."""
    names = {name_of(one, facts).lower() for one in node.operands[0].users} if is_given(node) else set()
    return names >= SIDES and name_of(node, facts).lower() in SIDES


def is_given(node: Node) -> bool:
    """Whether a value is one of several results of an unknown function."""
    return node.op == "getitem" and bool(node.attrs.get("unpacked")) and node.operands[0].op == "unknown"


def _weighs_complement(user: Node) -> bool:
    """Whether an op computes `1 - p` of a probability, which is then multiplied."""
    complement = user.op == "subtract" and user.operands[0].constant == 1
    return complement and any(one.op == "multiply" for one in user.users)


def _is_share(user: Node, node: Node) -> bool:
    """Whether an op divides a value by its own sum over an axis."""
    if user.op != "divide" or user.operands[0] is not node:
        return False
    total = behind(user.operands[1], HANDED_ON)
    return total.op == "reduce_sum" and total.operands[0] is node and total.attrs.get("axis") is not None


def _takes_logarithm(user: Node) -> bool:
    """Whether an op takes the logarithm of a probability: `log1p(-p)` does, `log1p(x)` takes that of a count.

    So does `log(x + 1)`, in whatever order it is written.
    """
    if user.op not in LOGARITHMS or any(map(_is_raised, user.operands)):
        return False
    return user.op != "log1p" or user.operands[0].op in OPPOSITES


def _is_raised(node: Node) -> bool:
    """Whether 1 or more is added to a value."""
    total = behind(node, CARRYING)
    return total.op == "add" and any((number_of(one) or 0.0) >= 1 for one in total.operands)


def _is_predicted(user: Node, place: int) -> bool:
    """Whether an op is a loss without a logarithm, with its prediction at this position."""
    row = OPS.get(user.op)
    if row is None or user.op in LOGARITHMS or place >= len(row.operands):
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
    while stack and len(met) < 40:
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
    while stack and len(met) < 40:
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
        if other.op in ROOTS:
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


def _has_columns(node: Node) -> bool:
    """Whether slices cut several columns out of a value, and others: one-hot labels have no such parts."""
    parts = {str(part): part for user in node.users if (part := last_part(user)) is not None}
    return len(parts) > 1 and any(isinstance(one, slice) and 1 < (one.stop or 0) < MANY for one in parts.values())


def _has_sizes(name: str, node: Node) -> bool:
    """Whether slices take the two columns behind the first two of a value: the sizes of boxes, or of anchors."""
    cut = [part for user in node.users if isinstance(part := last_part(user), slice)]
    ends = {(part.start or 0, part.stop) for part in cut}
    if ends.isdisjoint(((2, None), (2, 4))):
        return False
    return (0, 2) in ends or not ANCHORS.isdisjoint(words_of(name))


def is_scale(node: Node) -> bool:
    """Whether a part of a prediction is a scale: a likelihood divides by it, and adds its logarithm.

    The network that predicts it keeps it positive, as softplus does: its loss need not.
    """
    if node.op != "getitem" or not (is_cut_off(node) and _is_from_outside(node)):
        return False
    uses = [*uses_of(node)]
    uses += [(user, place) for used, _ in uses if used.op == "square" for user, place in uses_of(used)]
    divides = any(user.op in RATIOS and place == len(user.operands) - 1 for user, place in uses)
    return divides and any(user.op == "log" for user, _ in uses)


def is_cut_off(part: Node) -> bool:
    """Whether a value is one of several parts of another one."""
    return part.operands[0].op in PARTING or "slices" in part.attrs


def _is_from_outside(part: Node) -> bool:
    whole = behind(part, HANDED_ON | PARTING)
    return whole.op in ("input", "placeholder", "unknown") or (whole.op == "layer" and not whole.operands)


def _condition_place(user: Node) -> int:
    return 1 if user.op == "boolean_mask" else 0


def _score_place(user: Node) -> int:
    row = OPS[user.op]
    return row.operands.index("logits") if "logits" in row.operands else 0


def _by_name(node: Node, name: str) -> Role | None:
    """The role that the name indicates; a name does not show that the result of a function is trained."""
    named = by_name(name)
    return None if named is not None and named.name == WEIGHT and node.op == "unknown" else named


def _by_occurrence(node: Node, name: str) -> Role | None:
    """Counts of the values that occur are at least 1."""
    made, named = node.operands[0] if node.op == "getitem" else node, by_name(name)
    if made.op != "unknown" or made.attrs.get("called") not in UNIQUE or named is None or named.name != COUNT:
        return None
    return Role(POSITIVE, "it counts what occurs")


def _by_other_names(node: Node, name: str, facts: Facts) -> Role | None:
    """The role that a parameter's name indicates to which a value is passed, if its own name leaves the role open."""
    if not _is_open(by_name(name)):
        return None
    told = filter(None, map(by_name, facts.flow.renamed.get(node, ())))
    return next((one for one in told if not (_is_open(one) or one.by_letter or one.name in UNLIKE_DATA)), None)


def _is_open(named: Role | None) -> bool:
    return named is None or named.name in (FEATURES, EMBEDDING)


def _by_axes(node: Node, name: str, uses: Uses) -> Role | None:
    """An operand of a reduction or a matrix product is a tensor, also if its name suggests a setting: the keys `k`.

    A parameter holds data, and what the program computes or reads somewhere may be anything.
    """
    named = by_name(name)
    if named is None or named.name != SETTING or not any(_has_axes(u, at) for u, at in uses):
        return None
    return Role(FEATURES, A_TENSOR, by_name=True) if node.op in ("input", "placeholder") else Role(NOTHING, A_TENSOR)


def _has_axes(user: Node, place: int) -> bool:
    """Whether an op takes a tensor of rank 1 or more at this position."""
    row = OPS.get(user.op)
    if row is None or place >= len(row.operands):
        return False
    return (place == 0 and "keepdims" in row.attrs) or row.takes.get(row.operands[place]) in ("matrix", "image")


def _by_what_it_is(node: Node, facts: Facts) -> Role | None:
    attrs = node.attrs
    if node.op == "variable":
        start = attrs.get("initializer", DYNAMIC)
        if is_assigned(node, facts):
            return Role(STATE, "a variable that the program itself assigns to")
        if start in ("zeros", 0.0, 0) and start is not False:
            return Role(ZERO_WEIGHT, "a trained weight that starts at 0")
        if is_minimised(node, facts):
            return Role(MINIMISED, "a trained weight whose length is a term of the loss")
        named = by_name(name_of(node, facts))
        if named is not None and named.name in (GRID, ROTATION, TRANSFORMATION, COORDINATES, POSITIVE):
            return named
        return Role(DRAWN_WEIGHT if attrs.get("drawn") else WEIGHT, "a trained weight")
    if node.op == "placeholder" and attrs.get("drawn"):
        return Role(NOISE, "a variable that is not trained and starts at random numbers")
    if node.op == "placeholder" and ("initializer" in attrs or attrs.get("trainable") is False):
        return Role(STATE, "a variable that is not trained")
    if node.op == "gradient":
        return Role(SLOPE if is_never_flat(node) else GRADIENT, "a gradient")
    if node.op == "attribute" and role_of(node.operands[0], facts).name == SETTING:
        return Role(SETTING, f"it belongs to a setting, {name_of(node.operands[0], facts)}")
    if node.op == "layer" and is_minimised(node, facts):
        return Role(MINIMISED, "what a layer gives, whose length is a term of the loss")
    if node.op == "layer":
        return Role(OUTPUT, "what a layer gives")
    default = attrs.get("default", DYNAMIC)
    if isinstance(default, (bool, int, float, str)) and default is not DYNAMIC:
        return Role(SETTING, f"its default is {default!r}")
    annotation = str(attrs.get("annotation", ""))
    if re.fullmatch(r"(?:Optional\[)?(?:float|int|bool|str|Callable.*)\]?(?: \| None)?", annotation):
        return Role(SETTING, f"it is annotated as {annotation}")
    traced = facts.flow.traced.get(node)
    if attrs.get("shape") == () or (traced is not None and traced.shape == ()):
        return Role(SETTING, "a single number")
    if facts.dtype(node) in INTEGERS and (node.op == "placeholder" or _is_traced_index(node, facts)):
        return Role(INDICES, "whole numbers")
    if node.op == "placeholder" and by_name(name_of(node, facts)) is None:
        return Role(FEATURES, "it is fed under a name without meaning", by_name=True)
    return None


def _is_traced_index(node: Node, facts: Facts) -> bool:
    """Whether a traced input holds integers, and its name does not say that they are counts or anything else."""
    named = by_name(name_of(node, facts))
    return node in facts.flow.traced and facts.dtype(node) in ("int32", "int64") and _is_vague(named)


def _is_vague(named: Role | None) -> bool:
    return named is None or named.name in (FEATURES, EMBEDDING, OUTPUT, LABELS)


def _by_settings(node: Node, facts: Facts) -> Role | None:
    """What Python computes from settings, such as the `sum` of a list of them, is a setting."""
    counted = node.op == "unknown" and node.attrs.get("called") in AGGREGATES and node.operands
    if not counted or any(role_of(operand, facts).name != SETTING for operand in node.operands):
        return None
    return Role(SETTING, f"the {node.attrs['called']} of settings")


def _by_what_is_called(node: Node) -> Role | None:
    """The role that the name of an unknown function indicates for its result: lengths, a shape, a mask."""
    called = str(node.attrs.get("called", ""))
    words = words_of(called)
    if words and words[-1] in PARAMETERS:
        return Role(SETTING, f"what is called for it, {called}")
    told = by_name(next((word for word in reversed(words) if word in GIVEN), ""))
    return Role(told.name, f"what is called for it, {called}") if told is not None else None


def _by_what_it_is_made_of(node: Node, facts: Facts) -> Role | None:
    """The role of an unknown function's result: of a signal it is a signal, and of a network's output it is data."""
    if node.op != "unknown" and not is_given(node):
        return None
    if len(node.operands) > 1 and CALLABLE.intersection(words_of(name_of(node.operands[0], facts))):
        return Role(OUTPUT, f"what {name_of(node.operands[0], facts)} gives, by name", by_name=True)
    waiting, met = list(node.operands), {node, *node.operands}
    while waiting and len(met) < 20:
        operand = waiting.pop(0)
        if operand.op in ("input", "placeholder", "variable", "layer", "gradient"):
            made_of = role_of(operand, facts)
            if made_of.name in PASSED_ON:
                return Role(PASSED_ON[made_of.name], f"made of {name_of(operand, facts)}, by name", by_name=True)
            continue
        if operand.op in POSITIVE_OPS:
            return Role(POSITIVE, f"made of {operand.op}", by_name=True)
        further = [one for one in operand.operands if one not in met]
        waiting += further
        met.update(further)
    return None
