"""Rules read from their files and validated, and collections of them.

A rule file is read as text and never run; only the tests import it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from tfnanlint.contents import contents
from tfnanlint.errors import ConfigError, RuleError
from tfnanlint.ruleset.files import rule_paths, rules_folder
from tfnanlint.ruleset.form import check_functions
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.vocabulary import CODE, FIX_KINDS, MODES, SEVERITIES

Requirements = tuple[tuple[frozenset[str], frozenset[str]], ...]
"""For each `before`: the ops it is written with, and the traits that a program needs for it (`mentions.py`)."""


class Kept(Protocol):
    """The cached parts of a compiled rule."""

    requirements: Requirements
    gradient_only: bool

    def shapes(self) -> list[Pattern]:
        """Its patterns, without what repairs them."""


@dataclass(eq=False)
class Rule:
    """One rule file, read but not yet lowered."""

    name: str
    group: str
    path: Path
    text: str
    code: str = ""
    """A short name that never changes; rules of one's own may have none."""
    message: str = ""
    description: str = ""
    severity: str = "error"
    modes: tuple[str, ...] = ("eager", "graph", "xla")
    dtypes: tuple[str, ...] = ("float32",)
    functions: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    """Addresses of public reports that it answers."""
    kept: Kept | None = None
    """What was found out about it in an earlier run."""

    def __getstate__(self) -> dict[str, object]:
        """What goes to another process: what the file says, and not what this process has made of it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def repairs(self) -> bool:
        """Whether it has a repair; where it has none, its text says what to do."""
        return any(name.split("_")[0] in FIX_KINDS for name in self.functions)

    @cached_property
    def shapes(self) -> list[Pattern]:
        """The patterns, to find matches with: what repairs them may be left out."""
        return self.kept.shapes() if self.kept is not None else self.patterns

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The lowered `before`s, those with a repair first, larger ones before smaller ones."""
        from tfnanlint.ruleset.compile import compile_patterns

        return compile_patterns(self.path, self.text)

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the file, by the standard library."""
        return ast.parse(self.text)

    @cached_property
    def befores(self) -> list[ast.FunctionDef]:
        """The functions whose shape is reported."""
        return [
            node for node in self.tree.body if isinstance(node, ast.FunctionDef) and node.name.split("_")[0] == "before"
        ]

    @cached_property
    def gradient_only(self) -> bool:
        """Whether every `before` asks for a value that is differentiated."""
        if self.kept is not None:
            return self.kept.gradient_only
        return bool(self.befores) and all("differentiated" in ast.unparse(node.args) for node in self.befores)


def read_rule(path: Path) -> Rule:
    """A rule file, with its form checked; raises `RuleError`."""
    try:
        text = contents(path).decode("utf-8").replace("\r\n", "\n")
        tree = ast.parse(text)
    except SyntaxError as error:
        raise RuleError(f"{path}:{error.lineno or 1}:{error.offset or 1}: not valid Python: {error.msg}") from error
    except (RecursionError, MemoryError):
        raise RuleError(f"{path}: nested too deeply") from None
    except (OSError, ValueError) as error:
        raise RuleError(f"{path}: cannot read the rule file: {error}") from error
    rule = Rule(path.stem, path.parent.name, path, text)
    document = ast.get_docstring(tree)
    if not document:
        raise RuleError(f"{path}: a rule file starts with a docstring, whose first line is the message")
    first, _, rest = document.partition("\n")
    # An address alone on a line is a public report; the rest is what there is to say.
    said: list[str] = []
    addresses: list[str] = []
    for line in rest.splitlines():
        (addresses if line.startswith("https://") else said).append(line)
    rule.message, rule.description = first.strip().rstrip("."), "\n".join(said).strip()
    rule.reports = tuple(addresses)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    rule.functions = tuple(node.name for node in functions)
    for name in rule.functions:
        if name.split("_")[0] not in ("before", *FIX_KINDS, "quiet", "find"):
            raise RuleError(f"{path}: {name}: functions are named before..., {', '.join(FIX_KINDS)}, quiet_... or find")
    if not any(name.split("_")[0] in ("before", "find") for name in rule.functions):
        raise RuleError(f"{path}: a rule needs at least one function whose name starts with `before`")
    check_functions(path, functions)
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            _setting(rule, node.targets[0].id, node.value)
    rule.__dict__["tree"] = tree
    return rule


_OWN_CODE = "write TFN, letters of your own and at least three digits, such as TFNX101"


def _setting(rule: Rule, name: str, value: ast.expr) -> None:
    """The module constants of a rule file: `code`, `severity`, `modes`, `dtypes`."""
    allowed = {"severity": SEVERITIES, "modes": MODES, "dtypes": ("float16", "bfloat16", "float32", "float64")}
    if name not in ("code", *allowed):
        raise RuleError(f"{rule.path}: {name}: a rule file can set only code, {', '.join(allowed)}")
    try:
        given = ast.literal_eval(value)
    except ValueError as error:
        raise RuleError(f"{rule.path}: {name}: the value must be a literal") from error
    if name == "code":
        if not isinstance(given, str) or not CODE.fullmatch(given):
            raise RuleError(f"{rule.path}: code: {_OWN_CODE}")
        rule.code = given
        return
    values = (given,) if isinstance(given, str) else tuple(given)
    wrong = [v for v in values if v not in allowed[name]]
    if wrong:
        raise RuleError(f"{rule.path}: {name}: {wrong[0]!r} is not one of {', '.join(allowed[name])}")
    setattr(rule, name, given if name == "severity" else values)


@dataclass
class Rules:
    """An ordered collection of rules, for programs that run in some modes (none named: in any).

    `muted` rules are matched like the others, and what they find is dropped: were they left out, another rule would
    report the same code under its own name.
    """

    rules: tuple[Rule, ...]
    modes: tuple[str, ...] = ()
    muted: tuple[Rule, ...] = ()

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def matched(self) -> tuple[Rule, ...]:
        """The rules that are matched, whether or not what they find is reported."""
        return self.rules + self.muted

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules)

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule.group for rule in self.rules))

    def select(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Rules:
        """The rules that are named in `select` (by rule or group; all, where it is empty) and not in `ignore`."""
        known = {name for rule in self.matched for name in (rule.name, rule.group)}
        for name in (*select, *ignore):
            if name not in known:
                raise ConfigError(f"no rule or group is named {name!r}")
        return self._where(lambda rule: (not select or _named(rule, select)) and not _named(rule, ignore))

    def run_in(self, modes: Sequence[str]) -> Rules:
        """The rules for programs that run in these modes only, without those that fail in others."""
        left = self._where(lambda rule: not modes or not set(modes).isdisjoint(rule.modes))
        return replace(left, modes=tuple(modes))

    def muting(self, names: Sequence[str]) -> Rules:
        """The same rules, of which those that are named (by rule or group) report nothing."""
        muted = tuple(rule for rule in self.rules if _named(rule, names))
        return replace(self, rules=tuple(r for r in self.rules if r not in muted), muted=self.muted + muted)

    def _where(self, wanted: Callable[[Rule], bool]) -> Rules:
        return replace(self, rules=tuple(filter(wanted, self.rules)), muted=tuple(filter(wanted, self.muted)))


def _named(rule: Rule, names: Sequence[str]) -> bool:
    return rule.name in names or rule.group in names


def builtin_folder() -> Path:
    """Where the rules that come with the package are."""
    return Path(rules_folder())


_RULE_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def rule_files(folder: Path) -> Iterable[Path]:
    """The rule files of a folder, in order."""
    return sorted(map(Path, rule_paths(str(folder))))


def load_rules(extra: Sequence[Path] = ()) -> Rules:
    """The built-in rules and those of the user's folders, read from their files; raises `RuleError`."""
    return rules_with(_read_all([builtin_folder()]), extra)


def rules_with(known: Iterable[Rule], extra: Sequence[Path]) -> Rules:
    """Rules, and those of the user's folders, in order; raises `RuleError`."""
    found: dict[str, Rule] = {}
    codes: dict[str, Path] = {}
    for rule in (*known, *_read_all(extra)):
        if rule.name in found:
            raise RuleError(f"{rule.path}: the same rule name is used in {found[rule.name].path}")
        if rule.code and rule.code in codes:
            raise RuleError(f"{rule.path}: the code {rule.code} is already that of {codes[rule.code]}")
        codes[rule.code] = rule.path
        found[rule.name] = rule
    return Rules(tuple(sorted(found.values(), key=lambda r: (r.group, r.name))))


def _read_all(folders: Iterable[Path]) -> Iterator[Rule]:
    for folder in folders:
        if not folder.is_dir():
            raise RuleError(f"{folder}: no such rule folder")
        for path in rule_files(folder):
            if not _RULE_NAME.fullmatch(path.stem):
                raise RuleError(f"{path}: the file name of a rule is its name: lower case words joined by hyphens")
            rule = read_rule(path)
            if folder != builtin_folder() and rule.code[3:].isdecimal():
                raise RuleError(f"{path}: code: {_OWN_CODE}")
            yield rule
