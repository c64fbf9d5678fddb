"""The settings of a folder, the settings of one file in it, and the rule names they may use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tfnanlint.assumptions import NO_ASSUMPTIONS, Assumptions
from tfnanlint.errors import ConfigError, rule_hint
from tfnanlint.suppress.meta import CODES, GROUP, META
from tfnanlint.vocabulary import CODE

if TYPE_CHECKING:
    from tfnanlint.ruleset.rule import Rules

MOST_PATTERNS = 2_000
"""The most patterns of one file."""
EVERY = "ALL"
"""The name that stands for every rule."""


class Config(NamedTuple):
    """What holds for the files of a folder: the values of `KEYS`, and where each comes from.

    `extend_select` adds to `select`; `exclude` is relative to `root`; `rules` are folders, `installed` those among
    them that installed packages bring; `per_file_ignores` are (folder, pattern relative to it, names), `severity`
    pairs of a rule or group and its severity, `assume` inputs with their bounds. `sources` are pairs of a key, or of
    an entry of a table as `key.entry`, and the file that it comes from.
    """

    path: str | None = None
    root: str = ""
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    assume: tuple[tuple[str, float, float], ...] = ()
    modes: tuple[str, ...] = ()
    target: str = ""
    fail_on: str = ""
    min_certainty: str = ""
    unfixable: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    line_length: int = 0
    output_format: str = ""
    required_version: str = ""
    sources: tuple[tuple[str, str], ...] = ()

    @property
    def selected(self) -> tuple[str, ...]:
        """The rules and groups that are applied; none: all of them."""
        return (*self.select, *self.extend_select) if self.select else ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name of a rule or group that the configuration holds."""
        in_tables = [name for *_, names in self.per_file_ignores for name in names] + [
            name for name, _ in self.severity
        ]
        return (*self.select, *self.extend_select, *self.ignore, *self.unfixable, *in_tables)


class Settings(NamedTuple):
    """All that a worker must know to check a file; equal settings share their rules.

    `fix` says whether files are repaired, and `unsafe_fixes` whether that includes what changes training; of what a
    run wants, None leaves it to the configuration.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    pedantic: bool = False
    fix: bool = False
    unsafe_fixes: bool | None = None
    severity: tuple[tuple[str, str], ...] = ()
    modes: tuple[str, ...] = ()
    assumptions: Assumptions = NO_ASSUMPTIONS
    fail_on: str = ""
    min_certainty: str = ""
    unfixable: tuple[str, ...] = ()

    @property
    def adjusts(self) -> bool:
        """Whether findings are not all reported as they are found."""
        return bool(self.severity or self.min_certainty or self.unfixable)

    @property
    def only_meta(self) -> bool:
        """Whether only findings about ignore comments are reported."""
        return bool(self.select) and {*META, GROUP}.issuperset(self.select)


@cache
def all_rules(folders: tuple[str, ...]) -> Rules:
    """The built-in rules and those of the given folders."""
    from pathlib import Path

    from tfnanlint.ruleset.cache import known_rules

    return known_rules([Path(folder) for folder in folders])


@cache
def known_names(folders: tuple[str, ...]) -> frozenset[str]:
    """Every name that `select` and `ignore` may hold: rules, groups, and those about ignore comments."""
    from tfnanlint.ruleset.files import names_of_rules

    return frozenset({*names_of_rules(folders), *META, GROUP})


@cache
def known_codes(folders: tuple[str, ...]) -> Mapping[str, str]:
    """The codes of rules, and their names."""
    return {rule.code: rule.name for rule in all_rules(folders) if rule.code} | {c: name for name, c in CODES.items()}


def by_name(names: Iterable[str], folders: tuple[str, ...]) -> tuple[str, ...]:
    """Names of rules and groups in the place of codes, and every group in the place of `ALL`."""
    return tuple(found for name in names for found in _by_name(name, folders))


def _by_name(name: str, folders: tuple[str, ...]) -> tuple[str, ...]:
    if name == EVERY:
        return (*all_rules(folders).groups, GROUP)
    code = name.upper()
    return (known_codes(folders).get(code, name),) if CODE.fullmatch(code) else (name,)


def check_names(names: Iterable[str], folders: tuple[str, ...], where: str) -> None:
    """`ConfigError` for a name that no rule and no group has."""
    for name in by_name((name for name in names if name != EVERY), folders):
        known = known_names(folders)
        if name not in known:
            hint = rule_hint(name, known) or "; `tfnanlint rule` lists them"
            raise ConfigError(f"{where}: no rule or group is named `{name}`{hint}")
