"""A stand-in for rules and engine, so that what surrounds them is tested without any real rule.

Calls are findings by their name: `root(x)` has a safe repair, `wide(x)` an unsafe one, `plain(x)` none, `maybe(x)` is
found under `pedantic` only, the repair of `breaks(x)` does not compile, that of `grows(x)` never comes to rest, and
`crash(x)` makes its rule crash.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tfnanlint.config import settings as config
from tfnanlint.errors import ConfigError, SourceError
from tfnanlint.finding import Edit, Finding, Fix, Step
from tfnanlint.run import plan

REPAIRS = {
    "root": ("guard", "safe_root({})"),
    "wide": ("rework", "narrow({})"),
    "breaks": ("after", "(("),
    "grows": ("after", "grows([{}])"),
    "plain": None,
    "maybe": None,
    "crash": None,
}
GROUPS = {"root": "roots"}


@dataclass(frozen=True)
class FakeRule:
    name: str
    group: str = "calls"
    code: str = ""
    message: str = "the call is bad"
    description: str = "Nobody should call it."
    severity: str = "error"
    modes: tuple[str, ...] = ("eager", "graph")
    text: str = '"""The call is bad."""\n\n\ndef before(x):\n    return x\n'
    dtypes: tuple[str, ...] = ("float32",)
    reports: tuple[str, ...] = ()
    patterns: tuple[Any, ...] = ()
    path: Path = Path("own.py")

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def befores(self) -> list[ast.FunctionDef]:
        return [node for node in self.tree.body if isinstance(node, ast.FunctionDef)]


class FakeRules:
    def __init__(self, rules: Sequence[FakeRule]) -> None:
        self.rules = tuple(rules)

    def __iter__(self) -> Iterator[FakeRule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules)

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule.group for rule in self.rules))

    def select(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> FakeRules:
        known = {*self.names, *self.groups}
        if not known.issuperset([*select, *ignore]):
            raise ConfigError("unknown name")
        chosen = [r for r in self.rules if not select or {r.name, r.group} & set(select)]
        return FakeRules([r for r in chosen if not {r.name, r.group} & set(ignore)])

    @property
    def matched(self) -> tuple[FakeRule, ...]:
        return self.rules

    def muting(self, names: Sequence[str]) -> FakeRules:
        return FakeRules([r for r in self.rules if not {r.name, r.group} & set(names)])

    def run_in(self, modes: Sequence[str]) -> FakeRules:
        return FakeRules([r for r in self.rules if not modes or set(modes) & set(r.modes)])


def load_rules(extra: Sequence[Path] = ()) -> FakeRules:
    own = [FakeRule(path.stem, "own") for folder in extra for path in sorted(folder.glob("*.py"))]
    return FakeRules([*(FakeRule(f"no-{name}", GROUPS.get(name, "calls")) for name in REPAIRS), *own])


def names_of_rules(folders: Iterable[str]) -> set[str]:
    rules = load_rules(list(map(Path, folders)))
    return {*rules.names, *rules.groups}


def lint_source(
    text: str, path: str = "<string>", *, rules: FakeRules, pedantic: bool = False, **_: object
) -> list[Finding]:
    if "exit_process" in text:
        os._exit(9)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise SourceError(path, error.lineno or 1, error.offset or 1, error.msg) from None
    lines = re.split("\r\n|\r|\n", text)
    found: list[Finding] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        if f"no-{name}" not in rules.names or (name == "maybe" and not pedantic):
            continue
        if name == "crash":
            raise ZeroDivisionError("the rule divided by zero")
        column = len(lines[node.lineno - 1].encode()[: node.col_offset].decode()) + 1
        end_column = len(lines[node.end_lineno - 1].encode()[: node.end_col_offset].decode()) + 1
        place = (path, node.lineno, column, node.end_lineno, end_column)
        fix = None
        if REPAIRS[name]:
            kind, template = REPAIRS[name]
            inside = ", ".join(ast.get_source_segment(text, argument) for argument in node.args)
            new = template.format(inside)
            fix = Fix(kind, new, (Edit(*place, new),))
        trail = (Step(path, 1, 1, "imported here"),) if name == "root" else ()
        found.append(
            Finding(
                *(f"no-{name}", GROUPS.get(name, "calls"), "error", "certain", "source"),
                *("the call is bad", "it is called", *place),
                trail=trail,
                fix=fix,
                no_fix=None if fix else "nothing is better",
            )
        )
    return found


@contextmanager
def installed() -> Iterator[None]:
    """The stand-in in the place of the engine."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        _install(monkeypatch)
        yield
    forget()


def _install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfnanlint.ruleset.files.names_of_rules", names_of_rules)
    for name in ("ruleset.rule", "ruleset.cache", "lint"):
        module = ModuleType(f"tfnanlint.{name}")
        module.__dict__.update(
            load_rules=load_rules,
            known_rules=load_rules,
            builtin_folder=lambda: Path("rules"),
            lint_source=lint_source,
        )
        monkeypatch.setitem(sys.modules, module.__name__, module)
    forget()


def forget() -> None:
    """Empty the caches that hold rules."""
    for cached in (config.all_rules, config.known_names, config.known_codes, plan.plan_of):
        cached.cache_clear()
