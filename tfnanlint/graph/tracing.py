"""From Python objects to graphs: functions, layers and models are traced on arguments that the user describes.

A Keras model is traced in its forward pass and, if it is compiled, in its training step, as `fit` does.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, repeat
from typing import Any

from tfnanlint.graph.batches import Batch, by_name, function_arguments, model_arguments, samples_in
from tfnanlint.graph.checkpoint import Checkpoint, loaded
from tfnanlint.graph.importing import TargetError, guarded
from tfnanlint.graph.labels import class_numbers_of, labels_of
from tfnanlint.graph.lint import trace
from tfnanlint.graph.lower import lower
from tfnanlint.graph.lowered import Lowered
from tfnanlint.graph.region import NotTried
from tfnanlint.graph.runnable import Runnable, runnable
from tfnanlint.graph.samples import Sample
from tfnanlint.graph.specs import Argument, StructureArgument, TensorArgument, ValueArgument
from tfnanlint.ranges import Range

UNTRACEABLE = "cannot trace it"
OWN_STEP = "cannot trace its training step (a further --input-spec describes its labels)"
DESCRIBE = (
    'describe them with --input-spec, once for each argument, such as --input-spec "float32[None,4]", or with --sample'
)


@dataclass(frozen=True)
class Call:
    """How Python calls the source of a graph: the import, the callee and its arguments.

    `x[0]`, `x[1]` are the graph's inputs.
    """

    brought: str
    called: str
    words: str


@dataclass(frozen=True)
class Subject:
    """One graph to lint: a concrete function, a GraphDef, or the function of this name in a GraphDef's library.

    `path` is where findings without a line of source stand. `outputs`, `debug_info` and `differentiate` are as in
    `lint_concrete`. `why_not` says why the graph is not to be run, and is empty where it may be. `checkpoint` is
    what its variables were saved with; a graph that is `loaded` was made of a model whose variables hold it, one that
    `is_data` was read, and becomes a function only where it is run. One that is `compiled` is run by XLA. `samples` are
    those of its inputs, by name. `aliases` are other names of inputs. `variables` are the names of the variables that a
    function in a library takes as arguments, by the names of these.
    """

    name: str
    graph: Any
    function: str | None = None
    outputs: Sequence[str] | None = None
    debug_info: Any = None
    path: str = "<graph>"
    differentiate: bool | None = None
    why_not: str = ""
    call: Call | None = None
    checkpoint: Checkpoint | None = None
    loaded: bool = False
    is_data: bool = False
    compiled: bool = False
    samples: Mapping[str, Sample] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    def lowered(self) -> Lowered:
        """The graph, lowered; raises `GraphError` if it cannot be read as one."""
        given: dict[str, Any] = {"function": self.function, "outputs": self.outputs, "debug_info": self.debug_info}
        lowered = lower(self.graph, compiled=self.compiled, variables=self.variables, **given)
        for alias, name in self.aliases.items():
            if name in lowered.inputs:
                lowered.inputs.setdefault(alias, lowered.inputs[name])
        return lowered

    def runnable(self, lowered: Lowered) -> Runnable:
        """The graph as a function that can be run; raises `NotTried` if it cannot or must not be run."""
        if self.why_not:
            raise NotTried(self.why_not)
        if self.is_data:
            values = self.checkpoint.values(lowered.variables) if self.checkpoint is not None else {}
            return runnable(self.graph, self.outputs, values)
        if _is_concrete(self.graph):
            return Runnable(self.graph, (), {})
        if self.function is not None:
            raise NotTried("it is a function inside a graph's library, and only whole graphs can be run")
        definition = self.graph.as_graph_def() if hasattr(self.graph, "as_graph_def") else self.graph
        return runnable(definition, self.outputs, {})

    def saved(self, lowered: Lowered) -> Mapping[str, Range]:
        """The ranges of variables with which the lowered graph was saved."""
        if self.loaded:
            return loaded(lowered.named(self.graph.graph.variables))
        return self.checkpoint.ranges(lowered.variables) if self.checkpoint is not None else {}


def subjects_of(
    target: str, held: Any, arguments: Sequence[Argument], call: Call | None = None, batch: Batch = None
) -> Iterator[Subject]:
    """The graphs of what a target names; `TargetError` where there are none.

    `call` is how Python gets at it, where that is not by an import. A `batch` is a sample of its data, and describes
    the arguments if nothing else does.
    """
    import tensorflow as tf

    call = call or Call(_import(target), _called(target, held), "*x")
    if inspect.isclass(held) and callable(getattr(held, "__call__", None)):  # noqa: B004 (of its instances)
        held = _made(target, held)
    if isinstance(held, (tf.Graph, tf.compat.v1.GraphDef)) or _is_concrete(held):
        yield Subject(target, held, path=target, samples=_samples(batch))
    elif is_model(held):
        yield from _of_model(target, held, arguments, call, batch)
    elif not callable(held) and not hasattr(held, "get_concrete_function"):
        yield from _of_parts(target, held, arguments, call, batch)
    else:
        yield from _of_function(target, _called_by_itself(held), arguments, call, batch)


def _samples(batch: Batch) -> dict[str, Sample]:
    """The samples of a batch by name, for inputs that are named otherwise than by the batch."""
    return by_name(batch) if batch is not None else {}


def _of_parts(target: str, held: Any, arguments: Sequence[Argument], call: Call, batch: Batch) -> Iterator[Subject]:
    """The graphs of an object that cannot be called and has functions of TensorFlow, such as a module for serving."""
    kind = type(held)
    names = [
        name
        for name in dir(kind)
        if not name.startswith("__") and hasattr(inspect.getattr_static(kind, name), "get_concrete_function")
    ]
    if not names:
        raise TargetError(f"{target}: is of type {kind.__name__}, which cannot be traced")
    for name in sorted(names, key=lambda name: _is_undescribed(getattr(held, name))):
        function = getattr(held, name)
        given = arguments if _is_undescribed(function) else ()
        try:
            part = replace(call, called=f"{call.called}.{name}")
            yield from _of_function(f"{target}.{name}", function, given, part, batch)
        except TargetError as error:
            raise TargetError(f"{target}: {str(error).removeprefix(f'{target}.')}") from error


def _is_undescribed(function: Any) -> bool:
    """Whether a `tf.function` needs arguments of which it does not know the types."""
    if getattr(function, "input_signature", None) is not None or function._list_all_concrete_functions():
        return False
    return _needs_arguments(function)


def _called_by_itself(held: Any) -> Any:
    """What an object does when it is called, where that is a `tf.function`, which may know what it is called with."""
    if inspect.isroutine(held) or hasattr(held, "get_concrete_function"):
        return held
    call = getattr(held, "__call__", None)  # noqa: B004 (to have it, not to ask whether there is one)
    return call if hasattr(call, "get_concrete_function") else held


def _is_concrete(held: Any) -> bool:
    return hasattr(held, "structured_input_signature") and hasattr(held, "graph")


def _made(target: str, kind: type) -> Any:
    """An instance of a class that needs no arguments."""
    try:
        inspect.signature(kind).bind()
    except (TypeError, ValueError):
        raise TargetError(f"{target}: a class whose instances need arguments; name an instance") from None
    return guarded(target, "cannot create an instance", kind)


def is_model(held: Any) -> bool:
    """Whether something is a model of Keras, of whichever generation."""
    homes = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(held).__mro__}
    return not homes.isdisjoint({("keras", "Model"), ("tf_keras", "Model")})


# Functions.


def _of_function(
    target: str, function: Any, arguments: Sequence[Argument], call: Call, batch: Batch, is_made: bool = False
) -> Iterator[Subject]:
    """The graphs of a function, or of the model or function that it returns, unless it `is_made` by another one."""
    traces = getattr(function, "_list_all_concrete_functions", None)
    signed = getattr(function, "input_signature", None) is not None
    of_what_it_makes: Sequence[Argument] = ()
    samples = _samples(batch)
    if signed:
        arguments = ()
    elif batch is not None and not arguments and not _takes_nothing(function):
        arguments = function_arguments(batch, _signature(function))
        samples = samples_in(arguments)
    elif arguments and _takes_nothing(function):
        arguments, of_what_it_makes = (), arguments
    if traces is not None and not arguments and not signed and _needs_arguments(function):
        found = traces()
        if found:
            for concrete in found:
                yield Subject(target, concrete, path=target, call=call, samples=samples)
            return
    positional, named = _bound(target, function, arguments, signed)
    try:
        concrete = guarded(target, UNTRACEABLE, lambda: trace(function, *positional, **named))
    except TargetError as error:
        if signed or _takes_tensors([*positional, *named.values()]):
            raise
        made = _made_by(function, positional, named, error)
        call = replace(call, called=f"{call.called}({', '.join(_words(function, positional, named))})")
        if is_model(made):
            yield from _of_model(target, made, of_what_it_makes, call, batch)
        elif callable(made) and not is_made:
            yield from _of_function(target, made, of_what_it_makes, call, batch, is_made=True)
        else:
            raise
        return
    if of_what_it_makes:
        _bound(target, function, of_what_it_makes, signed)
    if not signed:
        call = replace(call, words=", ".join(_words(function, positional, named)))
    yield Subject(target, concrete, path=target, call=call, samples=samples)


def _takes_nothing(function: Any) -> bool:
    signature = _signature(function)
    return signature is not None and not signature.parameters


def _takes_tensors(given: Sequence[Any]) -> bool:
    return any(hasattr(value, "dtype") and hasattr(value, "shape") for value in given)


def _made_by(function: Any, positional: Sequence[Any], named: Mapping[str, Any], untraced: TargetError) -> Any:
    """What a function of Python values gives that cannot be traced; where calling it fails, `untraced` tells why."""
    try:
        return guarded("", UNTRACEABLE, lambda: function(*positional, **named))
    except TargetError:
        raise untraced from untraced.__cause__


def _words(function: Any, positional: Sequence[Any], named: Mapping[str, Any]) -> list[str]:
    """The arguments of a call as they are written, its tensors numbered as the trace numbers them."""
    signature = _signature(function)
    order = list(signature.parameters) if signature is not None else []
    later = sorted(named, key=lambda name: order.index(name) if name in order else len(order))
    numbers = count()

    def word(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {word(inner)}" for key, inner in sorted(value.items())) + "}"
        if isinstance(value, (list, tuple)):
            inside = ", ".join(map(word, value))
            return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
        return f"x[{next(numbers)}]" if hasattr(value, "dtype") and hasattr(value, "shape") else repr(value)

    return [*map(word, positional), *(f"{name}={word(named[name])}" for name in later)]


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(getattr(function, "python_function", function))
    except (TypeError, ValueError):
        return None


def _needs_arguments(function: Any) -> bool:
    signature = _signature(function)
    if signature is None:
        return True
    try:
        signature.bind()
    except TypeError:
        return True
    return False


def _bound(target: str, function: Any, arguments: Sequence[Argument], signed: bool) -> tuple[list[Any], dict[str, Any]]:
    """The arguments a function is traced with: those that name one of its parameters by name, the others in order."""
    signature = _signature(function)
    parameters = dict(signature.parameters) if signature is not None else {}
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for argument in arguments:
        if argument.name is None:
            positional.append(given(argument))
        elif argument.name in parameters:
            named[argument.name] = given(argument)
        elif isinstance(argument, TensorArgument) and not signature:
            positional.append(given(argument))
        else:
            raise TargetError(
                f"{target}: no parameter named {argument.name!r}; its parameters: {', '.join(parameters) or 'none'}"
            )
    if signature is not None and not signed:
        try:
            signature.bind(*positional, **named)
        except TypeError as error:
            raise TargetError(f"{target}: its signature is {_called(target)}{signature}: {error}; {DESCRIBE}") from None
    return positional, named


def _called(target: str, held: Any = None) -> str:
    """How Python names what a target names, once the first part of it is imported."""
    name = target.rpartition(":")[2]
    owner, _, last = name.rpartition(".")
    if inspect.isclass(held):
        return f"{name}()"
    if owner and type(getattr(held, "__self__", None)).__name__ == owner.rpartition(".")[2]:
        return f"{owner}().{last}"
    return name


def _import(target: str) -> str:
    """How Python gets at what a target names."""
    where, _, name = target.rpartition(":")
    first = name.partition(".")[0]
    if not where.endswith(".py"):
        return f"from {where} import {first}"
    folder, file = os.path.split(where)
    path = f"import sys; sys.path.insert(0, {folder!r}); " if folder else ""
    return f"{path}from {os.path.splitext(file)[0]} import {first}"


def given(argument: Argument, name: str | None = None) -> Any:
    """An argument as TensorFlow is given it."""
    import tensorflow as tf

    if isinstance(argument, ValueArgument):
        return argument.value
    if isinstance(argument, StructureArgument):
        return _given_together(argument.held, argument.name or name)
    return tf.TensorSpec(argument.shape, argument.dtype, name=argument.name or name)


def _given_together(held: Any, name: str | None) -> Any:
    """A structure of arguments as TensorFlow is given it; a tensor is called as its key, or by its place."""
    if isinstance(held, dict):
        return {key: _given_together(inner, _name(key)) for key, inner in held.items()}
    if isinstance(held, (list, tuple)):
        parts = [_given_together(inner, f"{name or 'x'}_{place}") for place, inner in enumerate(held)]
        return tuple(parts) if isinstance(held, tuple) else parts
    return given(held, name)


# Models.


def _of_model(target: str, model: Any, arguments: Sequence[Argument], call: Call, batch: Batch) -> Iterator[Subject]:
    inputs = _inputs(model)
    samples = _samples(batch)
    if batch is not None and not arguments:
        arguments = model_arguments(batch, [tensor.name for tensor in inputs] if inputs is not None else None)
        samples = samples_in(arguments)
    if not arguments and inputs is None:
        arguments = _called_with(model)
    held = _described(arguments, inputs)
    trains = getattr(model, "optimizer", None) is not None
    if _defines_call(model):
        x = _structured(target, model, arguments[:held], inputs)
        concrete = guarded(target, UNTRACEABLE, lambda: trace(_forward(model), x))
        words = f"{_numbered([x])}, training=False"
        forward = replace(call, words=words)
        differentiate = False if trains else None
        yield Subject(target, concrete, path=target, differentiate=differentiate, call=forward, samples=samples)
    elif not trains:
        raise TargetError(f"{target}: the model neither defines `call` nor is compiled")
    if trains:
        data = _training_data(target, model, arguments, inputs)
        what = "cannot build its optimizer" if not _has_own_step(model) else OWN_STEP
        guarded(target, what, _build, model, data)
        concrete = guarded(target, "cannot trace its training step", lambda: trace(_step(model), *data))
        batch = _numbered(data) if len(data) == 1 else f"({_numbered(data)})"
        step = replace(call, called=f"{call.called}.train_step", words=batch)
        yield Subject(f"{target} (training step)", concrete, path=target, call=step, samples=samples)


def _called_with(model: Any) -> Sequence[Argument]:
    """What a model was called with when its weights were made, where Keras remembers the shape of one tensor."""
    described = model.get_build_config() if hasattr(model, "get_build_config") else None
    shape = described.get("input_shape") if described else None
    is_of_one = isinstance(shape, tuple) and all(size is None or isinstance(size, int) for size in shape)
    return [TensorArgument("float32", (None, *shape[1:]))] if is_of_one and shape else ()


def _numbered(arguments: Sequence[Any]) -> str:
    """Arguments as they are written, each tensor in them by its number."""
    import tensorflow as tf

    flat = tf.nest.flatten(list(arguments))
    numbered = tf.nest.pack_sequence_as(list(arguments), [f"x[{place}]" for place in range(len(flat))])
    return ", ".join(_code(part) for part in numbered)


def _code(part: Any) -> str:
    if isinstance(part, dict):
        return "{" + ", ".join(f"{key!r}: {_code(value)}" for key, value in part.items()) + "}"
    if isinstance(part, (list, tuple)):
        return "[" + ", ".join(_code(inner) for inner in part) + "]"
    return str(part)


def _forward(model: Any) -> Callable[[Any], Any]:
    def forward(x: Any) -> Any:
        return model(x, training=False)

    return forward


def _step(model: Any) -> Callable[..., Any]:
    """The training step, as a function of x, y and weights, or of x alone."""

    def step(*data: Any) -> Any:
        return model.train_step(data if len(data) > 1 else data[0])

    return step


def _defines_call(model: Any) -> bool:
    """Whether a model computes anything itself: one with a training step of its own need not."""
    home: str = getattr(type(model).call, "__module__", "")
    own = type(model).call.__qualname__ != "Model.call" or not home.startswith(("keras.", "tf_keras."))
    return own or getattr(model, "inputs", None) is not None


def _inputs(model: Any) -> list[Any] | None:
    """The symbolic inputs of a functional or sequential model, in a flat list."""
    try:
        found = model.inputs
    except (AttributeError, ValueError):
        return None
    return list(found) if found else None


def _described(arguments: Sequence[Argument], inputs: list[Any] | None) -> int:
    """How many of the arguments describe what a model is called with: one, where that is a structure."""
    if inputs is None or (arguments and isinstance(arguments[0], StructureArgument)):
        return 1
    return len(inputs)


def _structured(target: str, model: Any, arguments: Sequence[Argument], inputs: list[Any] | None) -> Any:
    """The input of a model, in the structure in which it takes it."""
    import tensorflow as tf

    if not arguments:
        if inputs is None:
            raise TargetError(f"{target}: the model does not declare its inputs; {DESCRIBE}")
        specs = [_spec_of(tensor) for tensor in inputs]
    else:
        specs = [given(argument, _called_x(place, len(arguments))) for place, argument in enumerate(arguments)]
    if inputs is None or (arguments and isinstance(arguments[0], StructureArgument)):
        return specs[0] if len(specs) == 1 else specs
    if len(specs) != len(inputs):
        raise TargetError(f"{target}: has {len(inputs)} inputs, and {len(specs)} are described; {DESCRIBE}")
    try:
        return tf.nest.pack_sequence_as(model.input, specs)
    except (AttributeError, ValueError, TypeError):
        return specs[0] if len(specs) == 1 else specs


def _called_x(place: int, count: int) -> str:
    """What an input of a model is called that has no name of its own, in every graph of the model."""
    return "x" if count == 1 else f"x_{place}"


def _spec_of(tensor: Any) -> Any:
    import tensorflow as tf

    return tf.TensorSpec(tensor.shape, tensor.dtype, name=_name(tensor.name))


def _name(name: str) -> str:
    """A name as TensorFlow allows it for a placeholder."""
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name.partition(":")[0]).strip("_") or "x"


def _training_data(target: str, model: Any, arguments: Sequence[Argument], inputs: list[Any] | None) -> list[Any]:
    """(x, y, ...) for a training step; x alone where only that is described and a step of the model's own takes it."""
    if inputs is None and not arguments:
        raise TargetError(f"{target}: the model does not declare its training inputs; {DESCRIBE}")
    held = _described(arguments, inputs)
    x = _structured(target, model, arguments[:held], inputs)
    names = chain(("y", "sample_weight"), repeat(None))
    further = [given(argument, name) for argument, name in zip(arguments[held:], names, strict=False)]
    if further:
        return [x, *further]
    alone = bool(arguments) and _has_own_step(model)
    if alone and (not _defines_call(model) or _can_be_trained(model, [x])):
        return [x]
    concrete = guarded(target, UNTRACEABLE, lambda: trace(_forward(model), x))
    both = [x, labels_of(model, concrete.structured_outputs)]
    if not _has_own_step(model) or _can_be_trained(model, both):
        return both
    numbered = [x, class_numbers_of(concrete.structured_outputs)]
    return numbered if _can_be_trained(model, numbered) else [x] if alone else both


def _can_be_trained(model: Any, data: Sequence[Any]) -> bool:
    """Whether a training step takes such a batch."""
    try:
        guarded("", "", lambda: trace(_step(model), *data))
    except TargetError:
        return False
    return True


def _has_own_step(model: Any) -> bool:
    return not type(model).train_step.__module__.startswith(("keras.", "tf_keras."))


def _build(model: Any, data: Sequence[Any]) -> None:
    """Make the optimizer's variables, which a trace must not do, and before them the model's own."""
    import tensorflow as tf

    if not model.built and _defines_call(model):
        trace(_forward(model), data[0])
    optimizer = model.optimizer
    if _has_own_step(model) and not getattr(optimizer, "built", False):
        # A step may use layers that the forward pass does not, and the optimizer has to know their weights, too.
        trace(_step(model), *data)
        return
    known = {id(variable) for variable in getattr(optimizer, "_trainable_variables", ())}
    if getattr(optimizer, "built", False) and not known.issuperset(map(id, model.trainable_variables)):
        # Keras builds the optimizer of a model in HDF5 before the model has variables, and then refuses to train it.
        model.optimizer = optimizer = type(optimizer).from_config(optimizer.get_config())
    if hasattr(optimizer, "build"):
        with tf.init_scope():
            optimizer.build(model.trainable_variables)
