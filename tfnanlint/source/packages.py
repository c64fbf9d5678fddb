"""The packages this tool is about, for those who must know before anything heavy is imported."""

from __future__ import annotations

ROOT_PACKAGES = ("tensorflow", "keras", "tf_keras")
_NAMES = (b"tensorflow", b"keras")


def mentions_package(data: bytes) -> bool:
    """Whether bytes speak of TensorFlow or Keras at all."""
    return any(name in data for name in _NAMES)


def is_ours(dotted: str) -> bool:
    """Whether a dotted path belongs to TensorFlow or Keras."""
    return dotted.partition(".")[0] in ROOT_PACKAGES
