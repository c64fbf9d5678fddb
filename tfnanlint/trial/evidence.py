"""The role of an input, from evidence: how the program uses it, what kind of value it is, and its name.

The default, the annotation and the type count more than the name; what an unknown function computes it from counts
least.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tfnanlint.flow import DYNAMIC, GIVEN_LABELS, NETWORK, Node, behind, reached
from tfnanlint.source.buffers import FILLED, ZEROED
from tfnanlint.source.libraries import LIBRARY, TABLE
from tfnanlint.trial.by_use import by_use, by_what_is_called, is_vague
from tfnanlint.trial.column_evidence import cuts_axes, has_columns, is_given, is_scale
from tfnanlint.trial.file_evidence import by_file
from tfnanlint.trial.memo import once_per_facts
from tfnanlint.trial.ordinary import start_of, starts_at_a_number
from tfnanlint.trial.roles import (
    ANCHORS,
    ASSUMED,
    COORDINATES,
    COUNT,
    COUNTED,
    DEFAULT,
    DIVIDED,
    DIVISOR,
    DRAWN_WEIGHT,
    FEATURES,
    GRADIENT,
    GRID,
    IMAGE,
    INDICES,
    LABELS,
    MASK,
    MINIMISED,
    NOISE,
    NOTHING,
    OUTPUT,
    PADDING_MASK,
    POSITIVE,
    RECORD,
    ROTATION,
    SCALE,
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
    is_of_scale,
    is_open,
)
from tfnanlint.trial.slices import last_part
from tfnanlint.trial.tensor_evidence import READ, by_axes, by_statistics
from tfnanlint.trial.uses import (
    HANDED_ON,
    Uses,
    is_element,
    is_index,
    is_made_of_drawn,
    key_of,
    kind_taken,
    tests_in,
    uses_of,
)
from tfnanlint.trial.variables import (
    is_assigned,
    is_minimised,
    is_never_flat,
    products_of,
)
from tfnanlint.trial.whole_numbers import extents, is_divided, is_of_whole_parts
from tfnanlint.vocabulary import NETWORKS, words_of

if TYPE_CHECKING:
    from tfnanlint.facts import Facts

SIDES = frozenset("hw")
"""What a height and a width are called."""
PASSED_ON = {
    IMAGE: IMAGE,
    SIGNAL: SIGNAL,
    GRADIENT: GRADIENT,
}
"""The role of an unknown function's result, by the role of its argument. What is computed from data may be anything."""
OF_HIDDEN = frozenset("h z q k v".split())
"""Letters by which the values go that networks hand to one another."""
CALLABLE = NETWORKS | frozenset("models nets networks".split())
"""Names of networks that are passed in: the result of calling one is a network's output."""
PREDICTABLE = frozenset({TRANSFORMATION, COORDINATES, MASK})
"""Roles of what a network may predict as well: a pose, a segmentation."""
OF_GEOMETRY = frozenset({GRID, ROTATION, TRANSFORMATION, COORDINATES, POSITIVE})
"""Roles that a trained weight has by its name."""
POSITIVE_OPS = frozenset({"square", "abs", "exp", "softplus"})
"""Ops whose results are positive; what an unknown function computes of them alone is taken for positive, too."""
OF_SHAPE = {"single"}
"""Kinds of values that only their shape decides."""
AGGREGATES = frozenset("sum len max min int float round abs prod".split())
"""Functions of Python that compute a number."""
RECORDED = {"uint8": IMAGE, "uint16": IMAGE, "int8": SIGNAL, "int16": SIGNAL}
"""What inputs of narrow integer types hold: pixels, and the samples of a recording."""
INTEGERS = frozenset("int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
UNIQUE = frozenset({"unique", "unique_with_counts"})
"""Functions that give the values that occur, and how often each of them does."""
MOST_SET = 20
"""The most elements that are set one after the other."""
MOST_INGREDIENTS = 20
"""The most values that are visited on the way to what an unknown function's result is made of."""
UNLIKE_DATA = frozenset({SETTING, STATE, WEIGHT, NOISE})
"""Roles that a value does not get from the name of a helper's parameter."""

_KNOWN: WeakKeyDictionary[Facts, dict[Node, Role]] = WeakKeyDictionary()
"""The roles found so far, since those of operands are asked for again and again."""


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
    if (role.name in (SETTING, NOTHING) or role.by_name) and node.op in READ and node in extents(facts):
        return Role(SETTING, DIVIDED if is_divided(node) else COUNTED)
    named = by_name(name_of(node, facts))
    selects = role.name == MASK and (named is None or named.name != MASK)  # one column of labels may be a mask
    if role.name == MASK and _is_of_classes(node):
        role = Role(LABELS, "a loss over classes takes it")
    elif (role.name == LABELS or selects) and has_columns(node):
        role = Role(RECORD, "the program takes its columns apart", role.by_name)
    elif role.name == MASK and _is_of_batch(node, facts):
        role = Role(PADDING_MASK, role.evidence, role.by_name)
    if role.name == NOTHING and is_sampled(node, facts):
        return Role(FEATURES, "as in the sample")
    if role.name in (SETTING, NOTHING) or role.by_name:
        if is_divided(node):
            return Role(SETTING, DIVIDED)
        if role.name != SETTING and any(is_of_whole_parts(user) and place == 1 for user, place in uses):
            return Role(SETTING, COUNTED)
    if _is_side(node, facts):
        return Role(SIZE, "a width and a height are given together")
    if role.by_letter and name_of(node, facts) in _counted(facts):
        return Role(SETTING, COUNTED)
    if (role.name == NOTHING or role.by_name) and node.op in READ and node in _asked(facts):
        return Role(SETTING, "an `if` of Python compares it with a number")
    if role.name == NOTHING and node in _marked(facts):
        return Role(LABELS, "the program asks which elements are 1")
    if role.name == SETTING and any(user.op == "divide" and place == 1 for user, place in uses):
        return replace(role, evidence=DIVISOR)
    return role


def is_fed(node: Node, facts: Facts) -> bool:
    """Whether a value is fed to a graph of TensorFlow 1, or is read from a batch by its key."""
    return (node.op == "placeholder" or (is_element(node) and key_of(node) != "")) and node not in facts.flow.traced


def _is_of_batch(node: Node, facts: Facts) -> bool:
    """Whether a value is fed, or is an element of a batch that a loader gives: it holds no batch without an example.

    What a function's caller passes may be any mask, also one of a rare subset.
    """
    return (node.op == "placeholder" or is_element(node)) and node not in facts.flow.traced


@once_per_facts
def _counted(facts: Facts) -> frozenset[str]:
    """The names of what functions of the module count up to: a letter stands for one thing in all of them."""
    inputs = (node for node in facts.flow.nodes if node.op in ("input", "placeholder"))
    counted = (node for node in inputs if any(user.op == "range" for user, _ in uses_of(node)))
    return frozenset(name_of(node, facts) for node in counted)


@once_per_facts
def _asked(facts: Facts) -> frozenset[Node]:
    """What an `if` of Python compares with a number of the program."""
    tests = (test for test in tests_in(facts.flow.nodes) if any(one.op == "const" for one in test.operands))
    return frozenset(one for test in tests for one in test.operands)


@once_per_facts
def _marked(facts: Facts) -> frozenset[Node]:
    """The values of which the program asks which elements are 1."""
    asked = (node.operands for node in facts.flow.nodes if node.op in ("equal", "not_equal"))
    ones = (one for one, other in asked if other.constant == 1 and not isinstance(other.constant, bool))
    return frozenset(behind(one, HANDED_ON) for one in ones)


def _role_of(node: Node, facts: Facts, uses: Uses) -> Role:
    if (node in facts.flow.settings or node in facts.flow.configuration) and not any(cuts_axes(u) for u, _ in uses):
        return Role(SETTING, "it sets an object up")
    if isinstance(default := node.attrs.get("default"), bool):
        return Role(SETTING, f"its default is {default!r}")
    if DEFAULT.search(str(node.attrs.get("doc", ""))):
        return Role(SETTING, "its docstring states a default")
    if GIVEN_LABELS in node.attrs and not any(is_index(user, at) for user, at in uses):
        return Role(LABELS, "Keras gives labels to a loss first")
    if TABLE in node.attrs:
        return Role(NOTHING, "a table that the program computes from numbers")
    if is_scale(node):
        return Role(SCALE, "a likelihood divides by it and adds its logarithm")
    name = name_of(node, facts)
    return (
        _by_filling(node)
        or _by_owner(node, facts)
        or _by_gradient(node, facts)
        or by_use(node, facts, name, uses)
        or _by_settings(node, facts)
        or _by_what_it_is(node, facts)
        or by_file(node, name)
        or by_statistics(node, name, uses)
        or _by_drawing(node)
        or by_axes(node, name, uses, facts)
        or _by_other_names(node, name, facts)
        or _by_occurrence(node, name)
        or _by_name(node, name)
        or by_description(str(node.attrs.get("doc", "")))
        or by_what_is_called(node)
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


def _by_filling(node: Node) -> Role | None:
    """An array of ones, whatever it is multiplied by: nothing in it is 0."""
    made = node.attrs.get("called") if node.op == "unknown" and node.attrs.get(LIBRARY) == "numpy" else None
    return Role(POSITIVE, "the program fills it with ones") if made in ("ones", "ones_like") else None


def _by_owner(node: Node, facts: Facts) -> Role | None:
    """A value that is read from a configuration is a setting, whatever its name."""
    read = node.op == "attribute" or (node.op == "unknown" and "name" in node.attrs)
    if not read and (node.op != "getitem" or is_given(node)):
        return None
    if node.attrs.get("unpacked") and not is_open(by_name(name_of(node, facts))):
        return None  # `outputs = args[0]`: its own name tells more
    owner = node.operands[0] if node.operands else node
    while owner.op in ("attribute", "getitem"):
        owner = owner.operands[0]
    name = name_of(owner, facts)
    told = by_name(name)
    return Role(SETTING, f"it belongs to {name}") if told is not None and told.name == SETTING else None


def _by_gradient(node: Node, facts: Facts) -> Role | None:
    """A parameter with respect to which a loss is differentiated is a weight if it is multiplied by data.

    A name may say that it is data itself, such as an image or a time.
    """
    if node.op not in ("input", "placeholder") or not any(node in root.sources for root in facts.roots()):
        return None
    named = by_name(name_of(node, facts))
    if named is not None and named.name in (IMAGE, SIGNAL, POSITIVE):
        return None
    if not any(_has_data(user, node) for user in products_of(node)):
        return None
    return Role(WEIGHT, "a loss is differentiated with respect to it, and data is multiplied by it")


def _has_data(product: Node, given: Node) -> bool:
    """Whether a value is multiplied by data: not by a weight, nor by what is computed of the value itself."""
    return not any(one.op == "variable" for one in product.operands) and any(
        given not in reached([one], lambda at: at.operands) for one in product.operands if one.op != "const"
    )


def _is_side(node: Node, facts: Facts) -> bool:
    """Whether a value is the width or the height of what gives both of them: `w` and `h`, or `wref` and `href`."""
    name = name_of(node, facts).lower()
    if node.op != "getitem" or not node.attrs.get("unpacked") or name[:1] not in SIDES:
        return False
    names = {name_of(one, facts).lower() for one in node.operands[0].users}
    return names >= {side + name[1:] for side in SIDES}


def is_of_one_class(node: Node, facts: Facts) -> bool:
    """Whether each row of labels has one class, which may be that of the background.

    They are called one-hot, a loss over classes takes them, the program asks for the class by `argmax`, it takes single
    columns, the first one among them, or it mixes the labels of several examples by a matrix of weights.
    """
    words = words_of(name_of(node, facts))
    uses = uses_of(node)
    users = [user for user, _ in uses]
    places = {part for user in users if isinstance(part := last_part(user), int)}
    called = "onehot" in words or {"one", "hot"} <= set(words)
    return (
        called
        or _is_of_classes(node)
        or (0 in places and len(places) > 1)
        or any(user.op == "argmax" or (user.op == "matmul" and place == 1) for user, place in uses)
    )


def _is_of_classes(node: Node) -> bool:
    """Whether a loss takes a value for the classes, or for their probabilities."""
    return any(kind_taken(*use) == "shares" for use in uses_of(node))


def is_prior(node: Node, facts: Facts) -> bool:
    """Whether a value is a table of boxes that others are measured by: none of them is empty, and none is trained."""
    return not ANCHORS.isdisjoint(words_of(name_of(node, facts)))


def _by_name(node: Node, name: str) -> Role | None:
    """The role that the name indicates; a name does not show that the result of a function is trained.

    Nor does it show that an array which the program fills holds what a network computes. A letter says less than that
    a network gives a value, unless it is one by which hidden values go: `y = model(x)`.
    """
    named = by_name(name)
    if named is not None and named.by_letter and by_what_is_called(node) is not None:
        return None
    if named is not None and named.by_letter and NETWORK in node.attrs and name not in OF_HIDDEN:
        return None
    if named is not None and named.name == FEATURES and _is_filled(node, ZEROED):
        return None
    if named is not None and named.name == MASK and _is_filled(node, FILLED):
        return None
    if named is not None and named.name == STATE and node.op == "attribute" and node.operands[0].op == "unknown":
        return None  # such as the states that a solver has gone through
    return None if named is not None and named.name == WEIGHT and node.op == "unknown" else named


def _is_filled(node: Node, makers: Collection[str]) -> bool:
    """Whether a value is an array that the program makes by one of these, whatever of it is set already."""
    for _ in range(MOST_SET):
        if node.attrs.get("called") in makers:
            return True
        if (node.op != "phi" and (node.op != "unknown" or "called" in node.attrs)) or not node.operands:
            return False
        node = node.operands[0]
    return False


def _by_occurrence(node: Node, name: str) -> Role | None:
    """Counts of the values that occur are at least 1."""
    made, named = node.operands[0] if node.op == "getitem" else node, by_name(name)
    if made.op != "unknown" or made.attrs.get("called") not in UNIQUE or named is None or named.name != COUNT:
        return None
    return Role(POSITIVE, "it counts what occurs")


def _by_other_names(node: Node, name: str, facts: Facts) -> Role | None:
    """The role that a parameter's name indicates to which a value is passed, if its own name leaves the role open.

    A name of geometry leaves open whether the value is a label: `normals` may be the `target` of a loss, as the `masks`
    of a segmentation may. A letter leaves open what a device records.
    """
    own = by_name(name)
    names = [facts.flow.named.get(node, ""), *facts.flow.renamed.get(node, ())]
    told = filter(None, map(by_name, names))
    if own is not None and own.name in PREDICTABLE:
        return next((one for one in told if one.name == LABELS and not one.by_letter), None)
    if own is not None and own.by_letter:
        return next((one for one in told if one.name in (IMAGE, SIGNAL)), None)
    if not is_open(own):
        return None
    return next((one for one in told if not (is_open(one) or one.by_letter or one.name in UNLIKE_DATA)), None)


def _sums_up(attrs: Mapping[str, Any]) -> bool:
    """Whether all weights of a layer are one number, and stay that."""
    start = {"initializer": attrs.get("kernel_initializer")}
    return attrs.get("trainable") is False and starts_at_a_number(start)


def _by_drawing(node: Node) -> Role | None:
    """What NumPy computes from random numbers is noise, whatever its name: it is not constant."""
    return Role(NOISE, "it is made of numbers that the program draws") if is_made_of_drawn(node) else None


def _by_what_it_is(node: Node, facts: Facts) -> Role | None:
    attrs = node.attrs
    if node.op == "variable":
        start = attrs.get("initializer", DYNAMIC)
        if is_assigned(node, facts):
            return Role(STATE, "a variable that the program itself assigns to")
        if is_of_scale(name_of(node, facts)) and start_of(attrs) > 0:
            return Role(POSITIVE, "a scale that starts above 0")
        if start in ("zeros", 0.0, 0) and start is not False:
            return Role(ZERO_WEIGHT, "a trained weight that starts at 0")
        if is_minimised(node, facts):
            return Role(MINIMISED, "a trained weight whose length is a term of the loss")
        named = by_name(name_of(node, facts))
        drawn_matrix = named is not None and named.name == TRANSFORMATION and attrs.get("drawn")
        if named is not None and named.name in OF_GEOMETRY and not drawn_matrix:  # a kernel is called a matrix, too
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
    if node.op == "layer" and _sums_up(attrs):
        return Role(NOTHING, "a sum: the weights of the layer stay at one number")
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
    recorded = RECORDED.get(facts.dtype(node) or "") if node.op in ("input", "placeholder") else None
    if recorded is not None and _may_be_recorded(by_name(name_of(node, facts))):
        return Role(recorded, f"{facts.dtype(node)} numbers")
    fed = node.op == "placeholder" and not _is_named_as_number(node, facts)
    if facts.dtype(node) in INTEGERS and (fed or _is_traced_index(node, facts)):
        return Role(INDICES, "whole numbers")
    if node.op == "placeholder" and by_name(name := name_of(node, facts)) is None:
        told = _by_other_names(node, name, facts)
        return told or Role(FEATURES, "it is fed under a name without meaning", by_name=True)
    return None


def _may_be_recorded(named: Role | None) -> bool:
    """Whether a name leaves open that an input holds pixels or a recording."""
    return is_open(named) or (named is not None and named.name in (IMAGE, SIGNAL))


def _is_named_as_number(node: Node, facts: Facts) -> bool:
    """Whether a name says that an input is one number of the program, such as the size of its data."""
    named = by_name(name_of(node, facts))
    return named is not None and named.name in (SETTING, SIZE, COUNT)


def _is_traced_index(node: Node, facts: Facts) -> bool:
    """Whether a traced input holds integers, and its name does not say that they are counts or anything else."""
    named = by_name(name_of(node, facts))
    return node in facts.flow.traced and facts.dtype(node) in ("int32", "int64") and is_vague(named)


def _by_settings(node: Node, facts: Facts) -> Role | None:
    """What Python computes from settings, such as the `sum` of a list of them, is a setting."""
    counted = node.op == "unknown" and node.attrs.get("called") in AGGREGATES and node.operands
    if not counted or any(role_of(operand, facts).name != SETTING for operand in node.operands):
        return None
    return Role(SETTING, f"the {node.attrs['called']} of settings")


def _by_what_it_is_made_of(node: Node, facts: Facts) -> Role | None:
    """The role of an unknown function's result: of a signal it is a signal, and of a network's output it is data."""
    if node.op != "unknown" and not is_given(node):
        return None
    if len(node.operands) > 1 and CALLABLE.intersection(words_of(name_of(node.operands[0], facts))):
        return Role(OUTPUT, f"what {name_of(node.operands[0], facts)} gives, by name", by_name=True)
    waiting, met = list(node.operands), {node, *node.operands}
    while waiting and len(met) < MOST_INGREDIENTS:
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
