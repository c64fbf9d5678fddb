"""Bodies of functions and methods: on their own with unknown arguments, or inlined where they are called."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import GIVEN_LABELS, WITHIN, Node, ancestors
from tfnanlint.interval import UNIT
from tfnanlint.ranges import Assumption, Range
from tfnanlint.source import grammar, literals, other_files, precision
from tfnanlint.source.demonstrations import is_demonstration, is_staged
from tfnanlint.source.inheritance import affected, stored_by, used_by
from tfnanlint.source.layer_kinds import layer_of
from tfnanlint.source.order import callers_first, decisive, makers_first
from tfnanlint.source.packages import ROOT_PACKAGES
from tfnanlint.source.parameter_objects import CALLED, ancestors_of, usual
from tfnanlint.source.parameters import Parameter, documented, parameters_of, stated_bounds, told_of
from tfnanlint.source.values import (
    Class,
    Function,
    Instance,
    Items,
    Many,
    Origin,
    Scope,
    Table,
    Value,
    constant_of,
    nodes_in,
)
from tfnanlint.source.weights import STEP
from tfnanlint.vocabulary import is_module_of_losses, words_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

INLINE_DEPTH = 8
"""How deep calls are followed; deeper ones are unknown."""
INLINE_BUDGET = 4000
"""How many calls of one module are followed; beyond it they are unknown."""
INHERITED = 12
"""The most inherited methods that are lowered again for a class, because they use what it overrides."""
_LOSS_NAME = re.compile(r"((^|_)loss|Loss)(es)?((_|(?=[A-Z]))(fn|fun(c(tion)?)?|graph|op|tensor|Function|Graph|Op))?$")
"""A function so named returns what training differentiates, by every convention of the field."""
_KIND_OF_LOSS = re.compile(
    r"^loss_(?!.*(grad|reduc|decay|wrap|weight|scal|summar|metric|hist|name|key|matrix|type|config|mask|plot|log$))"
)
"""Names such as `loss_hinge` are losses, too, unless one of these words follows."""
HELD_OUT = frozenset("val valid validation test eval evaluation best last history average avg running".split())
"""Words in names of losses that train nothing: those of other data, and those computed before."""
OTHER_THAN_LOSSES = frozenset("prediction predictions metric metrics accuracy label labels mask masks weights".split())
"""Words at the end of function names in a module of losses that say that the result is no loss."""
DIFFERENTIATED_CLASSES = {
    "keras.layers.Layer": "a Layer's `call`",
    "keras.Layer": "a Layer's `call`",
    "keras.Model": "a Model's `call`",
    "keras.models.Model": "a Model's `call`",
    "keras.losses.Loss": "a Loss's `call`",
    "keras.Loss": "a Loss's `call`",
    "keras.regularizers.Regularizer": "a Regularizer's `__call__`",
}
OF_MODULE = "a Module's `__call__`"
"""What is said of a `tf.Module` with variables: TensorFlow does not call it, but who trains it does."""
FROM_ELSEWHERE = "`call`, of a class whose base is not read"
"""What is said of a layer that extends a class of another package: `call` is the word of Keras."""
PROBABILISTIC = re.compile(r"(?:.*\.)?\w*(Distribution|Bijector|PositiveSemidefiniteKernel)$")
"""Base classes of which the methods in `DENSITIES` are differentiated by whoever trains with them."""
DENSITIES = frozenset(
    "log_prob prob cdf log_cdf survival_function log_survival_function quantile entropy mean variance stddev "
    "forward inverse forward_log_det_jacobian inverse_log_det_jacobian apply log_probability kl_divergence "
    "kl logp neglogp".split()
)
"""Methods of distributions, of bijectors and of kernels, without the underscore that marks those to override."""
LOSS_CLASSES = frozenset({"keras.losses.Loss", "keras.Loss"})
"""Classes whose `call` is given labels first, whatever their name."""
INITIALIZERS = frozenset({"keras.initializers.Initializer", "keras.Initializer"})
"""Classes whose objects are given settings, a shape and a type, and no data."""
CONFIGURATION = "get_config"
"""The method that gives the settings of an object, as they are written to a file."""
MASK = Assumption(Range(UNIT, "a mask, 0 for padding"), kinds=("mask",))
"""What Keras hands to a layer's `call` as `mask`."""
SCHEDULES = frozenset({"keras.optimizers.schedules.LearningRateSchedule"})
ENTRY_METHODS = ("__init__", "build")


def alone(low: Lowering, function: Function, instance: Value | None = None) -> Value | None:
    """A function lowered on its own, its parameters unknown."""
    low.called.add(id(function.node))
    assigned, low.assigned = low.assigned, {}
    scope = low.scope(function.scope, "function", function)
    if instance is not None:
        function = function.bind(instance)
    parameters, lines = parameters_of(function.node), documented(function)
    is_loss = {"y_true", "y_pred"} <= {name for name, _, _ in parameters}
    for position, parameter in enumerate(parameters):
        name, _, written = parameter
        value: Value | None
        if is_loss and name == "y_true":  # by Keras's contract these are labels, which are not trained
            value = low.flow.add("placeholder", (), {}, low.origin(written, scope))
        elif position == 0 and instance is not None and "staticmethod" not in function.decorators:
            value = instance
        else:
            value = usual(low, function, parameter, scope)
        if value is None:
            value = _given(low, function, instance, position, told_of(parameter, lines), parameter, scope)
        low.bind(scope, name, value)
    _bind_starred(low, function.node.params, scope)
    returned = results(low, function, scope)
    for one in returned:
        low.flow.kept.update(nodes_in(one))
    result = low.join(returned, function.node, scope)
    low.assigned = assigned
    if _is_loss(function):
        low.differentiate(_minimised(result), "returned by a loss function", low.origin(function.header, scope))
    return result


def _given(
    low: Lowering,
    function: Function,
    instance: Value | None,
    position: int,
    attrs: dict[str, Any],
    parameter: Parameter,
    scope: Scope,
) -> Node:
    """A parameter as an input of the program, with what Keras says of those of its methods."""
    name, default, written = parameter
    ancestors = ancestors_of(instance.cls) if isinstance(instance, Instance) else set()
    if isinstance(default, grammar.Name) and "default" not in attrs:
        stated = constant_of(low.expression(default, function.scope))
        attrs |= {"default": stated} if isinstance(stated, (str, bool)) else {}
    if position == 1 and function.name == "call" and not ancestors.isdisjoint(LOSS_CLASSES):
        attrs[GIVEN_LABELS] = True
    dtype = precision.of_object(low, instance) if isinstance(instance, Instance) else None
    if dtype is not None and function.name == "call":
        attrs["dtype"] = dtype  # Keras casts a layer's inputs to the type it computes in
    value = low.flow.add("input", (), attrs, low.origin(written, scope))
    if not INITIALIZERS.isdisjoint(ancestors):
        low.flow.settings.add(value)
    if function.name == "__init__" and any(map(_kind_of, ancestors)):
        low.flow.configuration.add(value)
    if name == "mask" and function.name == "call" and isinstance(instance, Instance):
        low.flow.assumptions[value] = MASK
    if position == 1 and function.name == "__call__" and not ancestors.isdisjoint(SCHEDULES):
        low.flow.assumptions[value] = STEP
    return value


def _is_loss(function: Function) -> bool:
    """Whether a function is a loss by its name, or by that of its class, its module or its package."""
    called = function.cls.name if function.cls is not None and function.name in CALLED else function.name
    if _LOSS_NAME.search(called) or _KIND_OF_LOSS.search(called):
        return True
    if function.scope.kind != "module" or function.name.startswith(("_", "test")):
        return False
    return is_module_of_losses(function.file.path) and OTHER_THAN_LOSSES.isdisjoint(words_of(function.name)[-1:])


def is_minimised(name: str) -> bool:
    """Whether an attribute of this name holds the loss of a model that another function trains."""
    return _LOSS_NAME.search(name) is not None and HELD_OUT.isdisjoint(words_of(name))


def _minimised(result: Value | None) -> Value | None:
    """What a loss function returns to be minimised.

    Not so a dictionary beside the loss, which is for display, nor what is computed from the gradient of the loss.
    """
    if not isinstance(result, Items):
        return result
    return Items([value for at, value in enumerate(result.values) if at == 0 or not _comes_with_a_loss(value)])


def _comes_with_a_loss(value: Value) -> bool:
    if isinstance(value, Table):
        return True
    return any(at.op == "gradient" for node in nodes_in(value) for at in ancestors(node))


def _bind_starred(low: Lowering, params: grammar.Parameters, scope: Scope) -> None:
    """`*args` and `**kwargs` of which nothing is known."""
    if isinstance(params.star_arg, grammar.Param):
        low.bind(scope, params.star_arg.name.value, Many(_further(low, params.star_arg, scope)))
    if params.star_kwarg is not None:
        low.bind(scope, params.star_kwarg.name.value, Table({}, _further(low, params.star_kwarg, scope)))


def _further(low: Lowering, parameter: grammar.Param, scope: Scope) -> Node:
    """An argument beyond those that have a name."""
    return low.flow.add("input", (), {"name": parameter.name.value}, low.origin(parameter, scope))


def body(low: Lowering, function: Function, scope: Scope) -> Value | None:
    """The returned value of a function whose parameters are bound in `scope`."""
    return low.join(results(low, function, scope), function.node, scope)


def results(low: Lowering, function: Function, scope: Scope) -> list[Value]:
    """What a function returns whose parameters are bound in `scope`, one value for each `return`."""
    node = function.node
    low.active.append((node, function.scope))
    flow = low.flow
    saved, low.file, low.jumps = (low.file, low.jumps, flow.conditions, flow.compiling), function.file, []
    flow.compiling = flow.compiling or function.compiled
    low.flow.conditions = (*low.flow.conditions, *(c for c in function.under if c not in low.flow.conditions))
    try:
        if isinstance(node, grammar.Lambda):
            return [low.expression(node.body, scope)]
        low.returns.append([])
        low.yields.append([])
        low.block(node.body.body, scope)
        returned, yielded = low.returns.pop(), low.join(low.yields.pop(), node, scope)
        return returned if yielded is None else [Many(yielded)]
    finally:
        low.file, low.jumps, flow.conditions, flow.compiling = saved
        low.active.pop()


def inline(
    low: Lowering,
    function: Function,
    arguments: list[Value],
    keywords: dict[str, Value],
    call: Origin,
    rest: Value | None = None,
) -> Value | None:
    """A call of a function of the module, followed into its body; None where it is not followed.

    `rest` stands for an unknown number of further arguments.
    """
    if isinstance(function.node, grammar.Lambda):  # if it is not followed, it lacks the conditions of the call
        low.called.add(id(function.node))
    sought = function.node in low.sought
    if (
        (function.node, function.scope) in low.active
        or (len(low.active) >= INLINE_DEPTH and not sought)
        or low.inlined >= INLINE_BUDGET
        or low.crowded
        or low.is_test(function)
    ):
        return None
    with other_files.leaving(low, function.file) as follows:
        if follows or sought:
            return _inlined(low, function, arguments, keywords, call, rest)
    if function.scope.kind == "function":  # by itself, a closure lacks the conditions of this call
        low.called.add(id(function.node))
    return None


def _inlined(
    low: Lowering,
    function: Function,
    arguments: list[Value],
    keywords: dict[str, Value],
    call: Origin,
    rest: Value | None,
) -> Value | None:
    low.inlined += 1
    given = [node for value in (*arguments, *keywords.values(), rest) for node in nodes_in(value)]
    if not is_demonstration(low, given) and not _settles_a_choice(function, arguments, keywords):
        low.called.add(id(function.node))
        if isinstance(function.bound, Instance):
            low.called_on.add((id(function.node), function.bound.cls))
        if any(node.op != "const" for node in given):
            low.flow.called.add(function.node)
    scope = low.scope(function.scope, "function", function)
    scope.staged = is_staged(call.scope, given)
    if function.bound is not None and "staticmethod" not in function.decorators:
        arguments = [function.bound, *arguments]
    saved, low.calls = low.calls, (*low.calls, call)
    try:
        named = dict(keywords)
        positional = list(arguments)
        lines = documented(function)
        for name, default, parameter in parameters_of(function.node):
            if name in named:
                value: Value = named.pop(name)
                _note_bounds(value, lines.get(name, ""))
            elif positional:
                value = positional.pop(0)
                _note_bounds(value, lines.get(name, ""))
            elif default is not None and (rest is None or literals.number(default)):
                value = low.expression(default, function.scope)
            elif rest is not None:
                value = low.unknown(parameter, scope, nodes_in(rest))
            else:
                value = low.flow.add(
                    "input", (), told_of((name, default, parameter), lines), low.origin(parameter, scope)
                )
            low.bind(scope, name, value)
        params = function.node.params
        if isinstance(params.star_arg, grammar.Param):
            many = Many(low.unknown(params.star_arg, scope, nodes_in(rest))) if rest is not None else None
            low.bind(scope, params.star_arg.name.value, many if many is not None else Items(positional))
        if params.star_kwarg is not None:
            low.bind(scope, params.star_kwarg.name.value, Table(dict(named), rest))
        result = body(low, function, scope)
        if _is_loss(function):
            header = low.origin(function.header, scope)
            low.differentiate(_minimised(result), "returned by a loss function", header, opened=low.recording)
        return result
    finally:
        low.calls = saved


def _note_bounds(value: Value, text: str) -> None:
    """Note the bounds that the documentation of a parameter states of an input that it is given."""
    if isinstance(value, Node) and value.op in ("input", "placeholder") and WITHIN not in value.attrs:
        bounds = stated_bounds(text)
        value.attrs = {**value.attrs, WITHIN: bounds} if bounds is not None else value.attrs


def _settles_a_choice(function: Function, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> bool:
    """Whether a call chooses by a constant what a public function does; other callers may choose otherwise."""
    if function.name.startswith("_"):
        return False
    names = [name for name, _, _ in parameters_of(function.node)]
    bound = function.bound is not None and "staticmethod" not in function.decorators
    given = {**dict(zip(names[bound:], arguments, strict=False)), **keywords}
    stated = {name for name, value in given.items() if isinstance(value, Node) and value.op == "const"}
    if any(constant_of(given[name]) is False for name in stated):
        return True
    return bool(stated) and not stated.isdisjoint(decisive(function))


def is_loss_class(cls: Class) -> bool:
    """Whether a class is a loss of Keras."""
    return not LOSS_CLASSES.isdisjoint(ancestors_of(cls))


def class_alone(low: Lowering, cls: Class) -> None:
    """A class lowered on its own: one unknown instance, its `__init__` first, then every method."""
    instance = Instance(cls)
    ancestors = ancestors_of(cls)
    differentiated = _differentiated(ancestors)
    probabilistic = next(filter(None, map(PROBABILISTIC.match, sorted(ancestors))), None)
    found = [v for v in cls.scope.names.values() if isinstance(v, Function)]
    found.sort(key=lambda f: (f.name not in ENTRY_METHODS, f.name != "__init__"))
    inherited = affected(cls, frozenset(ENTRY_METHODS))[:INHERITED]
    open_: dict[str, Value] | None = None
    later = _stored_later(cls)
    # Other programs take a layer for other inputs. A loss is of the predictions that its program gives it, as a loss
    # function is.
    once_more = ENTRY_METHODS if is_loss_class(cls) else ("call", "__call__", *ENTRY_METHODS)
    for method in (*callers_first(makers_first(found), used_by, stored_by), *inherited):
        own = method.cls is cls
        if method.name not in ENTRY_METHODS:
            if open_ is None:
                open_ = _numbers_stored(low, instance, later)
                for held in instance.attributes.values():
                    if isinstance(held, Instance):  # as a buffer holds a tree, which counts what is put into it
                        held.attributes.update(_numbers_stored(low, held, _stored_later(held.cls)))
            instance.attributes.update(open_)
        if own and cls.scope.parent is low.module and f"{cls.name}.{method.name}" in low.omitted:
            continue
        called = method.scope is cls.scope and id(method.node) in low.called  # what a decorator made may be another's
        if own and called and method.name not in once_more:
            continue
        if not own and (id(method.node), cls) in low.called_on:
            continue
        low.life += method.name not in ENTRY_METHODS
        result = alone(low, method, None if "staticmethod" in method.decorators else instance)
        if method.name in differentiated and (differentiated[method.name] != OF_MODULE or _is_trained(instance)):
            how = f"returned from {differentiated[method.name]}"
            low.differentiate(result, how, low.origin(method.header, cls.scope), inner=True)
        if probabilistic is not None and method.name.removeprefix("_") in DENSITIES:
            how = f"returned from `{method.name}` of a {probabilistic[1]}"
            low.differentiate(result, how, low.origin(method.header, cls.scope), inner=True)
        if method.name == CONFIGURATION:
            low.flow.settings.update(_inputs_of(nodes_in(result)))


def _stored_later(cls: Class) -> frozenset[str]:
    """The attributes that the methods of a class change once its objects are made."""
    methods = (one for name, one in cls.scope.names.items() if name not in ENTRY_METHODS)
    return frozenset().union(*(stored_by(one) for one in methods if isinstance(one, Function)))


def _numbers_stored(low: Lowering, instance: Instance, names: Iterable[str]) -> dict[str, Value]:
    """Unknown values for numbers and flags that `__init__` sets and that other methods change."""
    found: dict[str, Value] = {}
    for name in sorted(names):
        held = instance.attributes.get(name)
        parts = held.values if isinstance(held, Items) else [held]
        numbers = [constant_of(part) for part in parts]
        if numbers and all(isinstance(one, (int, float)) for one in numbers):
            made: list[Value] = [low.flow.add("input", (), {"name": name}, part.origin) for part in nodes_in(held)]
            found[name] = Items(made) if isinstance(held, Items) else made[0]
    return found


def _kind_of(ancestor: str) -> str:
    """The words for what is differentiated in subclasses of a class, perhaps one that a project re-exports; else ""."""
    known = DIFFERENTIATED_CLASSES.get(ancestor, "")
    is_layer = ancestor.rpartition(".")[2] == "Layer" or layer_of(ancestor) is not None
    return known or (DIFFERENTIATED_CLASSES["keras.Layer"] if is_layer else "")


def _differentiated(ancestors: Iterable[str]) -> dict[str, str]:
    """The methods of a subclass of some classes whose results are differentiated, each with the words for that."""
    kind = next(filter(None, map(_kind_of, sorted(ancestors))), None)
    if kind is not None:
        return {"call": kind, "__call__": kind}
    if "tf.Module" in ancestors:
        return {"__call__": OF_MODULE}
    return {"call": FROM_ELSEWHERE} if _extends_unread(ancestors) else {}


def _is_trained(instance: Instance) -> bool:
    """Whether an object holds variables that are trained."""
    held = (node for value in instance.attributes.values() for node in nodes_in(value))
    return any(node.op == "variable" and node.attrs.get("trainable") is not False for node in held)


def _extends_unread(ancestors: Iterable[str]) -> bool:
    """Whether a class extends one of a module that is not read, and that is neither Python's nor TensorFlow's."""
    roots = {ancestor.partition(".")[0] for ancestor in ancestors if "." in ancestor.lstrip(".")}
    return not roots <= {*sys.stdlib_module_names, *ROOT_PACKAGES, "tf"}


def _inputs_of(nodes: list[Node]) -> Iterator[Node]:
    """The inputs that values are made of."""
    stack, met = list(nodes), set(nodes)
    while stack:
        at = stack.pop()
        if at.op == "input":
            yield at
        onward = set(at.operands) - met
        met |= onward
        stack += onward
