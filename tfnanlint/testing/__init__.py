"""Tests for rules: other projects can test their own rules as the built-in ones are tested.

One line in a test file, `test_my_rules = rule_tests("lint_rules")`, tests every rule file of a folder on real
TensorFlow: its witness fails, its repair does not, both agree elsewhere, both passes report it, and the fix is the
repair. This needs pytest, hypothesis and TensorFlow: `pip install 'tfnanlint[testing]'`. It imports and runs the rule
files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from tfnanlint.errors import RuleError
from tfnanlint.ruleset.rule import Rules, load_rules, rule_files
from tfnanlint.testing.programs import readable
from tfnanlint.testing.properties import Property, of_rules

__all__ = ["Property", "properties", "rule_tests"]


def properties(path: str | os.PathLike[str]) -> Iterator[Property]:
    """Every property of the rules in a folder or of one rule file; for an invalid file, that it is a valid rule.

    Raises `RuleError` if there is no rule file. The rules are tested together with all built-in ones and those of the
    folder.
    """
    given = Path(path)
    paths = [given] if given.is_file() else list(rule_files(given)) if given.is_dir() else []
    if not paths:
        raise RuleError(f"{given}: there is no rule file")
    found, broken = readable(paths)
    for name, error in broken.items():
        yield Property("a_rule_file_can_be_read_and_understood", Path(name).stem, _raising(error))
    own = {rule.name for rule in found}
    among = Rules((*found, *(rule for rule in load_rules() if rule.name not in own)))
    yield from of_rules(found, among)


def _raising(error: Exception) -> Callable[[], None]:
    def check() -> None:
        raise error

    return check


def rule_tests(path: str | os.PathLike[str]) -> Callable[..., None]:
    """A pytest test, parametrized by every property of the rules in a folder or of one rule file."""
    import pytest

    def test(promise: Property) -> None:
        promise.check()

    made: Callable[..., None] = pytest.mark.parametrize("promise", list(properties(path)), ids=str)(test)
    return made
