"""The values of a saved model's variables: read as data from a SavedModel's checkpoint, or loaded with a Keras model.

They hold for serving the model. Further training changes the weights, so every reason derived from them says that they
are saved weights. Counters and other integers are left out, because they change during use.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tfnanlint.graph.contents import range_of
from tfnanlint.ranges import Range

REASON = "the saved weights of the model"
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


class Checkpoint:
    """The variables in a SavedModel's folder; none where it has no checkpoint that can be read."""

    def __init__(self, folder: str) -> None:
        self._prefix = os.path.join(folder, "variables", "variables")

    def ranges(self, names: Iterable[str]) -> dict[str, Range]:
        """The ranges of those of the named variables that hold real numbers."""
        found = {name: _saved(numbers) for name, numbers in self.values(names).items()}
        return {name: held for name, held in found.items() if held is not None}

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """What those of the named variables that are there were saved with."""
        wanted = list(names)
        if not wanted or not self._is_stored():
            return {}
        import tensorflow as tf

        try:
            reader = tf.train.load_checkpoint(self._prefix)
            keys = _keys(reader)
            found = {name: reader.get_tensor(keys[name]) for name in wanted if name in keys}
        except Exception:  # TensorFlow has an exception of Python's for each way in which a checkpoint can be damaged
            return {}
        return found

    def _is_stored(self) -> bool:
        """Whether there is a checkpoint, in regular files only: TensorFlow waits for pipes."""
        folder, start = os.path.split(self._prefix)
        if not os.path.isfile(self._prefix + ".index"):
            return False
        return all(os.path.isfile(os.path.join(folder, name)) for name in os.listdir(folder) if name.startswith(start))


def loaded(variables: Mapping[str, Any]) -> dict[str, Range]:
    """The ranges of those of some variables that hold real numbers, by the names they are given."""
    found = {name: _saved(variable.numpy()) for name, variable in variables.items()}
    return {name: held for name, held in found.items() if held is not None}


def _saved(numbers: Any) -> Range | None:
    """The range of what a variable was saved with; None of what is not a real number."""
    held = range_of(numbers) if numbers.dtype.kind in "fV" else None
    return replace(held, reason=REASON) if held is not None else None


def _keys(reader: Any) -> dict[str, str]:
    """The checkpoint's keys, by the names of the variables."""
    from tensorflow.core.protobuf.trackable_object_graph_pb2 import TrackableObjectGraph

    keys = {name: name for name in reader.get_variable_to_shape_map()}
    if _OBJECTS in keys:
        for node in TrackableObjectGraph.FromString(reader.get_tensor(_OBJECTS)).nodes:
            keys.update({held.full_name: held.checkpoint_key for held in node.attributes})
    return keys
