"""Every measured pattern is accounted for: a rule reports it, or the account says why none does."""

from __future__ import annotations

import re
from functools import cache

import pytest
from beliefs import BELIEFS
from catalogue_account import DOCUMENT, GOAL, SIZE, Entry, entries, reported, table

from tfnanlint.ruleset.rule import builtin_folder, load_rules

REJECTED = builtin_folder() / "REJECTED.md"


@cache
def account() -> list[Entry]:
    return entries()


def test_the_table_is_what_the_linter_says_now() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == table(account()), "run `python tests/catalogue_account.py`"


def test_every_belief_that_proved_false_is_held_to_the_truth() -> None:
    assert [belief.number for belief in BELIEFS] == list(range(1, 43))
    rejected = set(re.findall(r"^def (\w+)\(", REJECTED.read_text(encoding="utf-8"), flags=re.M))
    known = rejected | {f"{rule.name}.{function}" for rule in load_rules() for function in rule.functions}
    for belief in BELIEFS:
        assert belief.held_by, belief.believed
        assert set(belief.held_by) <= known, belief.believed


def test_every_pattern_has_an_entry() -> None:
    assert {entry.number for entry in account()} == set(range(1, SIZE + 1))
    assert len({(entry.number, entry.pattern) for entry in account()}) == SIZE


def test_most_patterns_are_reported_in_both_passes() -> None:
    assert len(reported(account())) >= GOAL


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: f"{entry.number}-{entry.function}")
def test_an_entry_marks_a_line_or_says_why_it_does_not(entry: Entry) -> None:
    assert bool(entry.hazards) != bool(entry.why)
    assert not entry.why or len(entry.why.split()) >= 8
