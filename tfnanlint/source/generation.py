"""The generation of TensorFlow that a file is written for, as far as the names in it show.

TensorFlow 1 got `tf.math` with its last versions only. Code that writes `tf.log` and nothing of `tf.math` often runs
on an older one, so that a repair keeps to the names and the functions that all of them have.

Keras 3 is the first whose `fit` compiles a model with XLA unasked.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tfnanlint.ops import OPS, SPELLINGS
from tfnanlint.source.imports import aliases_of

_STARRED = re.compile(r"^from [\w.]+ import \*", re.MULTILINE)
"""What may give a file the name `tf`."""

GONE_MODULES = (
    "engine objectives backend.tensorflow_backend layers.advanced_activations layers.convolutional layers.core "
    "layers.embeddings layers.local layers.merge layers.normalization layers.pooling layers.recurrent layers.wrappers "
    "utils.generic_utils utils.layer_utils utils.np_utils"
).split()
"""Modules of Keras that version 3 has no more."""
GONE_FUNCTIONS = "fit_generator evaluate_generator predict_generator get_session set_session".split()
"""Methods of models and functions of the backend that version 3 has no more."""
GONE_LAYERS = "LocallyConnected1D LocallyConnected2D CuDNNGRU CuDNNLSTM".split()
"""Layers that version 3 has no more."""
_GONE = re.compile(
    rf"\bkeras\.(?:{'|'.join(map(re.escape, GONE_MODULES))})\b"
    rf"|(?<!def )\b(?:{'|'.join(GONE_FUNCTIONS)})\("
    rf"|(?<!class )\b(?:{'|'.join(GONE_LAYERS)})\b"
)

ASKS_FOR_XLA = re.compile(r"jit_compile|experimental_compile|global_jit|(?<![A-Za-z\d+/])(?:xla|XLA)(?![A-Za-z])")
"""What asks XLA to compile, unless it stands in a picture that a notebook holds."""


@lru_cache(maxsize=1)
def first_names() -> frozenset[str]:
    """The names that TensorFlow 1 alone has: those straight in `tf` of what `tf.math` and the like hold today."""
    found: set[str] = set()
    for op in OPS.values():
        for spelling in op.spellings:
            names = [name for name in spelling.names if name.startswith("tf.")]
            if names and _depth(names[0]) == 2:
                found.update(name for name in names[1:] if _depth(name) == 1)
    return frozenset(found)


@lru_cache(maxsize=64)
def is_of_first(text: str) -> bool:
    """Whether a file is for TensorFlow 1 and may be for any version of it."""
    aliases = aliases_of(text)
    locals_ = [re.escape(local) for local, path in aliases.items() if path == "tensorflow"]
    if "tf" not in aliases and _STARRED.search(text) is not None:  # a module of the project hands it on
        locals_.append("tf")
    if not locals_:
        return False
    module = rf"(?<![\w.])(?:{'|'.join(locals_)})"
    written = {f"tf.{name}" for name in re.findall(rf"{module}\.([\w.]+)", text)}
    if any(name.startswith("tf.math.") or (name in SPELLINGS and SPELLINGS[name][0].late) for name in written):
        return False
    return "tensorflow.contrib" in text or any(
        name in first_names() or name.startswith("tf.contrib.") for name in written
    )


@lru_cache(maxsize=64)
def is_never_compiled(text: str) -> bool:
    """Whether a file does not ask for XLA, and needs versions of Keras or TensorFlow that compile nothing unasked."""
    return ASKS_FOR_XLA.search(text) is None and (_GONE.search(text) is not None or is_of_first(text))


def _depth(name: str) -> int:
    return name.count(".")
