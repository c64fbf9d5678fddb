"""What a model is trained towards, where nobody describes it: its outputs and its losses show what labels they take."""

from __future__ import annotations

from typing import Any

from tfnanlint.graph.importing import TargetError, guarded
from tfnanlint.graph.lint import trace

BATCH, OPEN = 5, 7
"""Sizes of axes that a model leaves open: unequal, for a loss that mixes examples with something else to show it."""


def labels_of(model: Any, outputs: Any) -> Any:
    """Descriptions of labels in the structure of a model's outputs.

    They are like the outputs, or class numbers for a loss that takes them. A loss that is a function and cannot take
    the former is given one number for each example.
    """
    import tensorflow as tf

    flat = tf.nest.flatten(outputs)
    specs = []
    for place, output in enumerate(flat):
        loss = _loss_of(model, outputs, place)
        forms = _forms(output, "y" if len(flat) == 1 else f"y_{place}", loss)
        fitting = (spec for spec in forms if len(forms) > 1 and _takes(loss, spec, output))
        specs.append(next(fitting, forms[0]))
    return tf.nest.pack_sequence_as(outputs, specs)


def class_numbers_of(outputs: Any) -> Any:
    """Descriptions of labels that are class numbers, one for each row of a model's outputs."""
    import tensorflow as tf

    flat = tf.nest.flatten(outputs)
    names = ["y"] if len(flat) == 1 else [f"y_{place}" for place in range(len(flat))]
    shapes = [output.shape[:-1] if output.shape.rank else output.shape for output in flat]
    specs = [tf.TensorSpec(shape, tf.int32, name=name) for shape, name in zip(shapes, names, strict=True)]
    return tf.nest.pack_sequence_as(outputs, specs)


def _forms(output: Any, name: str, loss: Any) -> list[Any]:
    """The labels that a loss may take beside an output, the most usual ones first."""
    import tensorflow as tf

    shape = output.shape
    if "sparse" in _name_of(loss).lower():
        return [tf.TensorSpec(shape[:-1] if shape.rank else shape, tf.int32, name=name)]
    forms = [tf.TensorSpec(shape, tf.float32, name=name)]
    if callable(loss) and (shape.rank or 0) > 1:
        forms.append(tf.TensorSpec([*shape[:-1], 1], tf.float32, name=name))
        forms.append(tf.TensorSpec(shape[:-1], tf.float32, name=name))
    return forms


def _takes(loss: Any, labels: Any, output: Any) -> bool:
    """Whether a loss gives a number for each example, or one for all of them."""
    import tensorflow as tf

    def taken(y: Any, predicted: Any) -> Any:
        return loss(y, predicted)

    given = [tf.TensorSpec(_sized(spec.shape), spec.dtype, name=spec.name) for spec in (labels, output)]
    try:
        made = guarded("", "", lambda: trace(taken, *given))
    except TargetError:
        return False
    shape = getattr(made.structured_outputs, "shape", None)
    return shape is not None and shape.rank is not None and given[1].shape[: shape.rank].is_compatible_with(shape)


def _sized(shape: Any) -> list[int]:
    """A shape with a size for each axis that is open."""
    return [size if size is not None else (OPEN if place else BATCH) for place, size in enumerate(shape)]


def _loss_of(model: Any, outputs: Any, place: int) -> Any:
    """The loss of one of a model's outputs: one for all of them, or one each, in order or by name."""
    loss = getattr(model, "loss", None)
    if isinstance(loss, dict):
        names = sorted(outputs) if isinstance(outputs, dict) else list(getattr(model, "output_names", ()))
        return loss.get(names[place]) if place < len(names) else None
    if isinstance(loss, (list, tuple)):
        return loss[place] if place < len(loss) else None
    return loss


def _name_of(loss: Any) -> str:
    return str(loss if isinstance(loss, str) else getattr(loss, "name", None) or getattr(loss, "__name__", ""))
