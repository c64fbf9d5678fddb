"""Batches of data: read from files, datasets and modules, and given to functions and models as their arguments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Container, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from tfnanlint.graph.importing import guarded, resolve
from tfnanlint.graph.samples import Sample, sample_of
from tfnanlint.graph.specs import Argument, SpecError, StructureArgument, TensorArgument

_PARTS = ("x", "y", "sample_weight")
"""The parts of a batch as Keras orders and names them."""
_NUMBERED = re.compile(r"arr_(\d+)")
"""How NumPy names the arrays in a file that nobody named."""
BATCHES = 8
"""Number of batches that are read from a dataset."""
ENDINGS = (".npz", ".npy")
Batch = Any
"""A `Sample`, or a dictionary, a tuple or a list of batches."""


# Reading.


def read_batch(text: str) -> Batch:
    """What `--sample` names: arrays in a file, or a dataset or a batch in a module; `SpecError`, `TargetError`."""
    if not text.endswith(ENDINGS):
        if not all(text.rpartition(":")[::2]):
            raise SpecError(f"--sample: {text!r} is neither a .npz or .npy file nor MODULE:NAME")
        held = resolve(text)
        if callable(held) and not hasattr(held, "element_spec"):
            held = guarded(text, "cannot make the sample", held)
        return guarded(text, "cannot read the sample", batch_of, held)
    import numpy as np

    try:
        held = np.load(text, allow_pickle=False)
        if text.endswith(".npy"):
            return sample_of(held)
        with held:
            return {name: sample_of(held[name]) for name in held.files}
    except OSError as error:
        raise SpecError(f"--sample: cannot read {text}: {(error.strerror or str(error)).lower()}") from None
    except Exception as error:  # a damaged archive raises what the library that unpacks it raises
        raise SpecError(f"--sample: {text} is not a NumPy file: {error}") from None


def batch_of(held: Any) -> Batch:
    """The samples in a dataset, in an array, or in a structure of arrays; `SpecError`."""
    import numpy as np

    if is_dataset(held):
        return dataset_batch(held)
    if isinstance(held, dict):
        return {str(key): batch_of(inner) for key, inner in held.items()}
    if isinstance(held, (list, tuple)) and not all(isinstance(value, (int, float)) for value in held):
        return tuple(map(batch_of, held))
    if hasattr(held, "__array__") or isinstance(held, (list, tuple, int, float)):
        return sample_of(np.asarray(held))
    raise SpecError(f"--sample: {type(held).__name__} is neither a dataset nor an array")


def is_dataset(held: Any) -> bool:
    """Whether something is a `tf.data` dataset."""
    return hasattr(held, "element_spec") and hasattr(held, "take")


def dataset_batch(dataset: Any) -> Batch:
    """The samples in the first batches of a dataset, at the sizes of its `element_spec`."""
    import numpy as np
    import tensorflow as tf

    spec = dataset.element_spec
    rows = [tf.nest.flatten(element) for element in islice(iter(dataset), BATCHES)]
    if not rows:
        raise SpecError("the dataset of the sample is empty")
    samples = []
    for of_tensor, tensors in zip(tf.nest.flatten(spec), zip(*rows, strict=True), strict=True):
        if not isinstance(of_tensor, tf.TensorSpec):
            raise SpecError(
                f"the dataset has elements of {type(of_tensor).__name__}; a sample consists of dense tensors"
            )
        arrays = [tensor.numpy() for tensor in tensors]
        alike = all(np.ndim(array) and array.shape[1:] == arrays[0].shape[1:] for array in arrays)
        values = np.concatenate(arrays) if alike else np.asarray(arrays[0])
        samples.append(Sample(values, tuple(of_tensor.shape)))
    return tf.nest.pack_sequence_as(spec, samples)


# Use.


def by_name(batch: Batch) -> dict[str, Sample]:
    """The samples of a batch by the names that its tensors usually have: keys, or x, y and sample_weight."""
    if isinstance(batch, Sample):
        return {_PARTS[0]: batch}
    if isinstance(batch, dict):
        return {name: sample for key, inner in batch.items() for name, sample in _prefixed(key, inner)}
    parts = zip(chain(_PARTS, map("x_{}".format, range(len(_PARTS), len(batch)))), batch, strict=False)
    return {name: sample for key, inner in parts for name, sample in _prefixed(key, inner)}


def _prefixed(name: str, batch: Batch) -> Iterator[tuple[str, Sample]]:
    if isinstance(batch, Sample):
        yield name, batch
    elif isinstance(batch, dict):
        for key, inner in batch.items():
            yield from _prefixed(key, inner)
    else:
        for place, inner in enumerate(batch):
            yield from _prefixed(f"{name}_{place}", inner)


def samples_in(arguments: Sequence[Argument]) -> dict[str, Sample]:
    """The samples that come with arguments, by the names of the arguments."""
    found: dict[str, Sample] = {}

    def enter(held: Any, name: str | None) -> None:
        if isinstance(held, TensorArgument) and held.sample is not None:
            found[held.name or name or _PARTS[0]] = held.sample
        elif isinstance(held, StructureArgument):
            enter(held.held, held.name or name)
        elif isinstance(held, dict):
            for key, inner in held.items():
                enter(inner, key)
        elif isinstance(held, (list, tuple)):
            for place, inner in enumerate(held):
                enter(inner, f"{name or 'x'}_{place}")

    for argument in arguments:
        enter(argument, None)
    return found


def function_arguments(batch: Batch, signature: inspect.Signature | None) -> list[Argument]:
    """The arguments of a function that is called with a batch: each tensor is one, or the batch as a whole."""
    parameters = list(signature.parameters.values()) if signature is not None else []
    names = [
        p.name for p in parameters if p.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    required = [p.name for p in parameters if p.default is inspect.Parameter.empty and p.name in names]
    first = names[0] if names else None
    if isinstance(batch, Sample):
        return [batch.argument(first)]
    if isinstance(batch, dict):
        numbered = {key: int(found[1]) for key in batch if (found := _NUMBERED.fullmatch(key))}
        called = {key: names[n] if (n := numbered.get(key, len(names))) < len(names) else key for key in batch}
        if len(required) == 1 and not set(called.values()) & set(names):
            return [_argument(batch, first)]
        return [_argument(inner, called[key]) for key, inner in batch.items()]
    if len(required) == 1 < len(batch):
        return [_argument(batch, first)]
    called_by_place = chain(names, _PARTS[len(names) :])
    return [_argument(inner, name) for inner, name in zip(batch, called_by_place, strict=False)]


def model_arguments(batch: Batch, inputs: Sequence[str] | None) -> list[Argument]:
    """The arguments of a Keras model and its training step: its inputs, then labels, then weights."""
    if isinstance(batch, (list, tuple)):
        parts = dict(zip(_PARTS, batch, strict=False))
    elif isinstance(batch, dict) and _PARTS[0] in batch:
        parts = batch
    elif isinstance(batch, dict) and inputs is not None and set(inputs) <= set(batch):
        parts = {_PARTS[0]: {name: batch[name] for name in inputs}, **batch}
    else:
        parts = {_PARTS[0]: batch}
    x = parts[_PARTS[0]]
    found = [_argument(x, _PARTS[0])]
    if inputs is not None and isinstance(x, dict) and set(inputs) <= set(x):
        found = [_argument(x[name], name) for name in inputs]
    elif inputs is not None and isinstance(x, (list, tuple)):
        found = [_argument(part, name) for part, name in zip(x, inputs, strict=False)]
    return [*found, *(_argument(parts[name], name) for name in _PARTS[1:] if name in parts)]


def _argument(batch: Batch, name: str | None) -> Argument:
    if isinstance(batch, Sample):
        return batch.argument(name)
    return StructureArgument(_held(batch), name)


def _held(batch: Batch) -> Any:
    if isinstance(batch, dict):
        return {key: _held(inner) for key, inner in batch.items()}
    return tuple(map(_held, batch)) if isinstance(batch, (list, tuple)) else batch.argument(None)


def unused(batch: Batch, inputs: Container[str]) -> Iterator[str]:
    """The names in a batch, given by the user, that no input has."""
    if isinstance(batch, dict):
        names = (name for name in by_name(batch) if not _NUMBERED.fullmatch(name))
        yield from (name for name in names if name not in inputs)


# In Python.


def described_by(function: Any, specs: Sequence[Any], of_model: bool) -> tuple[list[Any], list[Sample | None]]:
    """The arguments to trace a function on, and the sample of each tensor in them that has one.

    `of_model` says whether it is a Keras model, which takes the input alone of what a dataset yields.
    """
    described: list[Any] = []
    samples: list[Sample | None] = []
    for spec in specs:
        if is_dataset(spec):
            elements, batches = [spec.element_spec], [dataset_batch(spec)]
            if len(specs) == 1 and isinstance(spec.element_spec, tuple):
                elements, batches = _spread(function, spec.element_spec, batches[0], of_model)
            described += elements
            samples += _leaves(batches)
        else:
            described.append(spec)
            samples += [sample_of(leaf) if _is_array(leaf) else None for leaf in _leaves(spec) if _is_tensor(leaf)]
    return described, samples


def _spread(function: Any, element: tuple[Any, ...], batch: Any, of_model: bool) -> tuple[list[Any], list[Any]]:
    """An element of a dataset as arguments: all parts of it, or a model's input alone, or the element as a whole."""
    if of_model:
        return [element[0]], [batch[0]]
    try:
        inspect.signature(getattr(function, "python_function", function)).bind(element)
    except (TypeError, ValueError):
        return list(element), list(batch)
    return [element], [batch]


def _leaves(held: Any) -> list[Any]:
    import tensorflow as tf

    return list(tf.nest.flatten(held))


def _is_tensor(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype") and not hasattr(leaf, "assign")


def _is_array(leaf: Any) -> bool:
    """Whether a tensor has numbers: a symbolic one and a spec have none."""
    return hasattr(leaf, "__array__") and (not hasattr(leaf, "op") or hasattr(leaf, "numpy"))


def sampled_inputs(concrete: Any, samples: Sequence[Sample | None]) -> dict[str, Sample]:
    """The samples by the names of a traced function's inputs, which stand in the order of its arguments."""
    inputs = concrete.inputs[: len(concrete.inputs) - len(concrete.captured_inputs)]
    if len(inputs) != len(samples):
        return {}
    pairs = zip(inputs, samples, strict=True)
    return {tensor.op.name: sample for tensor, sample in pairs if sample is not None}
