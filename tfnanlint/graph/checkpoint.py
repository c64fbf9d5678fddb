"""What the variables of a SavedModel hold: their numbers are read from its checkpoint, as data.

Such a range is what the model serves with. Training it further moves its weights, and the range is one of a model that
is as it was saved; a reason that says so goes with it. Counters and other integers change while a model is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tfnanlint.graph.contents import range_of
from tfnanlint.ranges import Range

REASON = "the numbers that the model was saved with"
_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"


class Checkpoint:
    """The variables in a SavedModel's folder; none where it has no checkpoint that can be read."""

    def __init__(self, folder: str) -> None:
        self._prefix = os.path.join(folder, "variables", "variables")

    def ranges(self, names: Iterable[str]) -> dict[str, Range]:
        """The ranges of those of the named variables that hold real numbers."""
        wanted = list(names)
        if not wanted or not os.path.isfile(self._prefix + ".index"):
            return {}
        import tensorflow as tf

        found = {}
        try:
            reader = tf.train.load_checkpoint(self._prefix)
            keys = _keys(reader)
            for name in wanted:
                numbers = reader.get_tensor(keys[name]) if name in keys else None
                held = range_of(numbers) if numbers is not None and numbers.dtype.kind in "fV" else None
                if held is not None:
                    found[name] = replace(held, reason=REASON)
        except (tf.errors.OpError, ValueError, RuntimeError):
            return {}
        return found


def _keys(reader: Any) -> dict[str, str]:
    """The checkpoint's keys, by the names of the variables."""
    from tensorflow.core.protobuf.trackable_object_graph_pb2 import TrackableObjectGraph

    keys = {name: name for name in reader.get_variable_to_shape_map()}
    if _OBJECTS in keys:
        for node in TrackableObjectGraph.FromString(reader.get_tensor(_OBJECTS)).nodes:
            keys.update({held.full_name: held.checkpoint_key for held in node.attributes})
    return keys
