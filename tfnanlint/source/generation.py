"""The generation of TensorFlow that a file is written for, as far as the names in it show.

TensorFlow 1 got `tf.math` with its last versions only. Code that writes `tf.log` and nothing of `tf.math` often runs
on an older one, so that a repair keeps to the names and the functions that all of them have.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tfnanlint.ops import OPS, SPELLINGS
from tfnanlint.source.imports import aliases_of

_STARRED = re.compile(r"^from [\w.]+ import \*", re.MULTILINE)
"""What may give a file the name `tf`."""


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


def _depth(name: str) -> int:
    return name.count(".")
