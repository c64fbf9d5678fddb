"""What a file is about (its packages, whether it holds tests), found without importing anything heavy."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

ROOT_PACKAGES = ("tensorflow", "keras", "tf_keras")
OTHERS = frozenset({"torch", "jax", "flax", "mxnet", "paddle"})
"""Other frameworks, whose programs look alike."""
_NAMES = (b"tensorflow", b"keras")
_CONVENTIONS = (b"tf.", b" K\n", b" K,", b" K;", b"backend.")
"""How TensorFlow and Keras are called that come from another module."""
TEST_FILE = re.compile(r"(?:test_.*|.*_tests?|conftest)\.py", re.IGNORECASE)
"""The file names under which pytest and unittest look for tests."""
TEST_FOLDERS = frozenset({"test", "tests"})
"""The names of folders that hold nothing but tests and what helps them."""
TEST = re.compile(r"^(?:class \w*Test|[ \t]*(?:async )?def test|@(?:pytest\.)?fixture)", re.MULTILINE)
"""What defines a test, or what tests are given."""


def mentions_package(data: bytes) -> bool:
    """Whether bytes mention TensorFlow or Keras."""
    return any(name in data for name in _NAMES)


def may_mention_package(data: bytes) -> bool:
    """Whether bytes mention TensorFlow or Keras, or one of their usual aliases."""
    return mentions_package(data) or any(name in data for name in _CONVENTIONS)


def is_of_another_framework(imported: Collection[str]) -> bool:
    """Whether a file that imports these computes with another framework, and not with TensorFlow or Keras."""
    roots = {dotted.partition(".")[0] for dotted in imported}
    return not roots.isdisjoint(OTHERS) and roots.isdisjoint(ROOT_PACKAGES)


def is_ours(dotted: str) -> bool:
    """Whether a dotted path belongs to TensorFlow or Keras."""
    return dotted.partition(".")[0] in ROOT_PACKAGES


def is_test_module(path: str, text: str) -> bool:
    """Whether a file holds tests, by its name and by what it defines, or helpers of the tests around it."""
    folder, name = os.path.split(path)
    if TEST_FILE.fullmatch(name) is None:
        return False
    return TEST.search(text) is not None or os.path.basename(folder) in TEST_FOLDERS
