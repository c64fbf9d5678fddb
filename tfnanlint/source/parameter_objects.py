"""What a parameter stands for that no call gives: its default, or the one object of the program it is named for."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from tfnanlint.source import grammar, literals, other_files
from tfnanlint.source.implicit_modules import SELVES, attributes_taken
from tfnanlint.source.inheritance import stored_by
from tfnanlint.source.names import canonical_path
from tfnanlint.source.packages import is_ours
from tfnanlint.source.parameters import Parameter, parameters_of
from tfnanlint.source.values import Class, Function, Layer, Path, Scope, Value, constant_of, is_object, nodes_in
from tfnanlint.vocabulary import NETWORKS, may_be_object, words_of

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

OBJECTS = 2
"""So deep objects are made for parameters that are said to be of a class."""
OBJECTS_BY_USE = 1
"""So deep they are made for parameters whose attributes tell the class."""
_LITERALS = (grammar.SimpleString, grammar.Integer, grammar.Float, grammar.Tuple, grammar.List, grammar.Dict)
CALLED = ("__call__", "call", "forward")
"""Methods that do what the class is named for."""
GENERIC = frozenset("model net network".split())
"""Words for a network that say nothing of its kind."""
MODELS = frozenset({"keras.Model", "keras.models.Model", "tf.Module"})
OBJECTS_OF_KERAS = MODELS | {"keras.Layer", "keras.layers.Layer"}
OF_EVERY_MODEL = frozenset(
    "trainable_variables trainable_weights non_trainable_variables non_trainable_weights variables weights submodules "
    "name losses metrics layers build built compile fit predict evaluate summary save save_weights load_weights".split()
)
"""Attributes that an object has from `tf.Module`, or from a layer or a model of Keras."""
BUILDERS = frozenset("build make create get define construct".split())
"""The first words of functions that build a network."""
MODEL_MADE = re.compile(r"\b(Model|Sequential)\(")
"""How a module makes a model of Keras."""


def usual(low: Lowering, function: Function, parameter: Parameter, scope: Scope) -> Value | None:
    """What a parameter usually is: its default, an object of the only class that it can be of, or the one network."""
    name, default, written = parameter
    if default is not None and is_usual_number(number := literals.number(default)):
        return low.flow.constant(number, low.origin(default, scope))
    known = _known(low, function, default, written)
    if known is not None or default is not None or len(low.active) >= OBJECTS:
        return known
    cls = _only_class(function, name) or _class_by_use(low, function, name)
    if cls is not None:
        return low.call(cls, [], written, function.scope)
    builder = _only_builder(low, function, name)
    built = low.call(builder, [], written, function.scope) if builder is not None else None
    return built if isinstance(built, Layer) and _says_more(built) else None


def _known(
    low: Lowering, function: Function, default: grammar.Expression | None, parameter: grammar.Param
) -> Value | None:
    """A parameter that nobody gives: what its default is computed to be, or an object of the class it is said to be."""
    if default is not None and not isinstance(default, _LITERALS):
        value = low.expression(default, function.scope)
        if is_object(value) or is_usual_number(constant_of(value)):
            return value
    if isinstance(default, grammar.Dict) and default.elements:
        return low.expression(default, function.scope)
    annotation = parameter.annotation.annotation if parameter.annotation is not None else None
    if isinstance(annotation, (grammar.Name, grammar.Attribute)):
        cls = low.expression(annotation, function.scope)
        cls = (other_files.imported(low, cls) or cls) if isinstance(cls, Path) and not is_ours(cls.dotted) else cls
        if isinstance(cls, Class) and len(low.active) < OBJECTS:
            return low.call(cls, [], parameter, function.scope)
    return None


def is_usual_number(value: Any) -> bool:
    """Whether the default of a parameter is an ordinary value of it.

    A default of 0 often means "none", and an infinity one of several choices, as in `ord=np.inf`.
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < abs(value) < math.inf


def _only_class(function: Function, parameter: str) -> Class | None:
    """The class of the object that a parameter is given, if its name says what it is and the module has only one such.

    `camera` is a `Camera` or the one `PinholeCamera`, `model` and `net` are the one model of the module, `loss_fn` is
    the one class of a loss.
    """
    classes = [
        one for one in function.scope.module.names.values() if isinstance(one, Class) and one is not function.cls
    ]
    words = words_of(parameter)
    named = [one for one in classes if words_of(one.name)[-len(words) :] == words and _is_called(one)]
    named = [one for one in named if words_of(one.name) == words] or named
    if len(named) == 1 and re.search(rf"(?<![\w.]){re.escape(parameter)}\(", function.file.text):
        return named[0]
    if not classes or not may_be_object(parameter):
        return None
    if not NETWORKS.isdisjoint(words):
        models = [one for one in classes if not ancestors_of(one).isdisjoint(MODELS) and _is_called(one)]
        models = [one for one in models if not _takes_network(one)]
        generic = [one for one in models if words[-1] in GENERIC or words[-1] in words_of(one.name)]
        return generic[0] if len(generic) == 1 else None
    losses = [one for one in classes if ancestors_of(one).isdisjoint(OBJECTS_OF_KERAS) and _takes_two(one)]
    return losses[0] if len(losses) == 1 else None


def _class_by_use(low: Lowering, function: Function, parameter: str) -> Class | None:
    """The one class of the module that has all attributes which the module takes of a parameter's name.

    Of several classes below one that has them all, the first stands for the others. Not for functions that another one
    calls: to make their objects takes too long.
    """
    taken = attributes_taken(function.file.text).get(parameter) if len(low.active) < OBJECTS_BY_USE else None
    classes = function.scope.module.names.values() if taken and parameter not in SELVES else ()
    own = [one for one in classes if isinstance(one, Class) and one is not function.cls and one.file is function.file]
    able = [one for one in own if taken and _has(one, taken)]
    above = {cls for one in able for cls in one.lineage() if cls is not one}
    below = [one for one in able if one not in above]  # a base class has objects through the classes below it
    alike = len(below) == 1 or any(all(base in one.lineage() for one in below) for base in above.intersection(able))
    return below[0] if below and alike else None


def _has(cls: Class, taken: frozenset[str]) -> bool:
    """Whether objects of a class have all of these attributes."""
    lacking = {name for name in taken if name not in cls.fields and cls.find(name) is None}
    if lacking < taken and not ancestors_of(cls).isdisjoint(OBJECTS_OF_KERAS):
        lacking -= OF_EVERY_MODEL
    methods = (one for above in cls.lineage() for one in above.scope.names.values() if isinstance(one, Function))
    return not lacking or lacking <= set().union(*map(stored_by, methods))


def _is_called(cls: Class) -> bool:
    return any(isinstance(cls.find(name), Function) for name in CALLED)


def _takes_network(cls: Class) -> bool:
    """Whether objects of a class are made of a network: it wraps the model, or trains it."""
    method = cls.find("__init__")
    named = parameters_of(method.node) if isinstance(method, Function) else []
    return any(not NETWORKS.isdisjoint(words_of(name)) for name, _, _ in named)


def _takes_two(cls: Class) -> bool:
    """Whether an object of a class is called on two values, as labels and a prediction."""
    method = cls.find("__call__") or cls.find("call")
    if not isinstance(method, Function):
        return False
    required = [name for name, default, _ in parameters_of(method.node) if default is None]
    return len(required) == 3


def _says_more(model: Layer) -> bool:
    """Whether a model gives anything but what a linear layer does, which is all that is known of a network anyway."""
    given = nodes_in(model.arguments.get("outputs"))
    return model.path != "Functional" or any(node.op != "layer" for node in given)


def _only_builder(low: Lowering, function: Function, parameter: str) -> Function | None:
    """The function of the module that builds the network a parameter is named for, if there is one such only.

    `model` is what the one `build_model` returns, `generator` what `make_generator` does.
    """
    words = words_of(parameter)
    if not words or words[-1] not in NETWORKS:
        return None
    module = function.scope.module
    if module not in low.builders:
        low.builders[module] = _builders(module, function.file.text)
    found = [one for one in low.builders[module] if one.node is not function.node]
    if words[-1] not in GENERIC:
        found = [one for one in found if words[-1] in words_of(one.name)]
    return found[0] if len(found) == 1 else None


def _builders(module: Scope, text: str) -> list[Function]:
    """The functions of a module that builds models which are named as those that build something."""
    if MODEL_MADE.search(text) is None:
        return []
    functions = (one for one in module.names.values() if isinstance(one, Function))
    return [one for one in functions if not BUILDERS.isdisjoint(words_of(one.name)[:1])]


def ancestors_of(cls: Class) -> set[str]:
    """The classes above a class that are of TensorFlow or Keras, under their usual names."""
    return {canonical_path(path) for path in cls.ancestors()}
