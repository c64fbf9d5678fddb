"""Rule files: how one is read, and the words a precondition may use.

A rule file is read with the source pass and never run; only the tests import it, which is why the
words below are real objects: annotations that mean nothing when the function is called, and helpers
that return what they are given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tfnanlint.errors import ConfigError, RuleError
from tfnanlint.interval import INF, Interval
from tfnanlint.listing import rule_paths
from tfnanlint.stamp import rules_folder
from tfnanlint.vocabulary import FIX_KINDS, MODES, SEVERITIES

if TYPE_CHECKING:
    from tfnanlint.flow import Node


# The words of a precondition.


@dataclass(frozen=True)
class Precondition:
    """What a captured value must be: a conjunction of words.

    `regions` are sets of values it must reach, `possible` ones that nothing known keeps it out of,
    `differentiated` that its gradient is taken, `literal` that it is a constant, `dtypes` the element types
    it may have, `kinds` what else it has to be (`facts/kinds.py`), `apart`
    that it is computed from nothing else that the pattern matches.
    """

    regions: tuple[Interval, ...] = ()
    inside: Interval | None = None
    differentiated: bool = False
    literal: bool = False
    dtypes: tuple[str, ...] = ()
    possible: tuple[Interval, ...] = ()
    kinds: tuple[str, ...] = ()
    apart: bool = False

    def __and__(self, other: Precondition) -> Precondition:
        return Precondition(
            self.regions + other.regions,
            self.inside or other.inside,
            self.differentiated or other.differentiated,
            self.literal or other.literal,
            self.dtypes + other.dtypes,
            self.possible + other.possible,
            self.kinds + other.kinds,
            self.apart or other.apart,
        )


def reaches(value: float) -> Precondition:
    """There is evidence that the operand takes this value."""
    return Precondition(regions=(Interval.point(float(value)),))


def below(value: float) -> Precondition:
    """There is evidence that the operand takes this value or smaller ones."""
    return Precondition(regions=(Interval(-INF, float(value)),))


def above(value: float) -> Precondition:
    """There is evidence that the operand takes this value or larger ones."""
    return Precondition(regions=(Interval(float(value), INF),))


def unbounded(value: float) -> Precondition:
    """Nothing that is known keeps the operand below this value."""
    return Precondition(possible=(Interval(float(value), INF),))


def sinking(value: float) -> Precondition:
    """Nothing that is known keeps the operand above this value."""
    return Precondition(possible=(Interval(-INF, float(value)),))


def within(lo: float, hi: float) -> Precondition:
    """The operand is known to stay between two values."""
    return Precondition(inside=Interval(float(lo), float(hi)))


differentiated = Precondition(differentiated=True)
literal = Precondition(literal=True)
apart = Precondition(apart=True)
logits = Precondition(kinds=("logits",))
"""The operand is what a layer with weights gives before any activation: numbers of either sign."""
compiled = Precondition(kinds=("compiled",))
"""The operand is computed with in a function that XLA compiles, whatever the program is run by."""
count = Precondition(kinds=("count",))
"""The operand is a number of elements: 0, or 1 at least."""
data = Precondition(kinds=("data",))
"""The operand depends on what the program is given, not on shapes and constants alone."""
deficient = Precondition(kinds=("deficient",))
"""Nothing shows that the operand, a matrix, has full rank."""
numbers = Precondition(kinds=("numbers",))
"""The operand is no direct result of a sigmoid or a softmax, behind which Keras's losses find the logits again."""
selection = Precondition(kinds=("selection",))
"""The operand is what a mask selects, or computed of it element by element: perhaps of nothing."""
single = Precondition(kinds=("single",))
"""The operand's last axis holds one element."""
single_use = Precondition(kinds=("single_use",))
"""The operand is subtracted from a number once, or compiled by XLA: a graph keeps a difference it uses elsewhere."""
told = Precondition(kinds=("told",))
"""The program tells something of the operand: its range, or what it comes from."""
zero_there = Precondition(kinds=("zero_there",))
"""The operand is 0 wherever what it is divided by is, as a part of a total; or something else is taken there."""
float16 = Precondition(dtypes=("float16",))
bfloat16 = Precondition(dtypes=("bfloat16",))
float32 = Precondition(dtypes=("float32",))
float64 = Precondition(dtypes=("float64",))

WORDS: dict[str, Any] = {
    "reaches": reaches,
    "below": below,
    "above": above,
    "sinking": sinking,
    "unbounded": unbounded,
    "within": within,
    "differentiated": differentiated,
    "literal": literal,
    "apart": apart,
    "compiled": compiled,
    "count": count,
    "data": data,
    "deficient": deficient,
    "logits": logits,
    "numbers": numbers,
    "selection": selection,
    "single": single,
    "single_use": single_use,
    "told": told,
    "zero_there": zero_there,
    "float16": float16,
    "bfloat16": bfloat16,
    "float32": float32,
    "float64": float64,
}


def downstream(value: Any) -> Any:
    """In a template: anything computed from `value`. When run: `value` itself."""
    return value


# Rules.


@dataclass
class Pattern:
    """One `before` of a rule, lowered: its root node, its variables' preconditions, and its repair.

    `named` are the inner nodes that the `before` gives a name to: its repair can take them as a whole.
    """

    name: str
    root: Node
    preconditions: dict[str, Precondition]
    variables: tuple[str, ...]
    size: int
    repair: Repair | None = None
    named: dict[Node, str] = field(default_factory=dict)
    statics: dict[Node, dict[str, str | None]] = field(default_factory=dict)
    """The static parameters that its nodes are given, each with the variable that gives it, if one does."""
    scope: Any = None
    repaired: Any = None
    """What the repair computes, of the same input nodes and inner nodes as the `before`."""


@dataclass
class Repair:
    """A repair function of a rule: its kind, its variables, and the expression it returns."""

    kind: str
    variables: tuple[str, ...]
    expression: Any


Requirements = tuple[tuple[frozenset[str], frozenset[str]], ...]
"""For each `before`: the ops it is written with, and the traits that a program needs for it (`mentions.py`)."""


class Kept(Protocol):
    """What is kept of a rule that has been compiled."""

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

    @cached_property
    def shapes(self) -> list[Pattern]:
        """The patterns, to find matches with: what repairs them may be left out."""
        return self.kept.shapes() if self.kept is not None else self.patterns

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The lowered `before`s, those with a repair first, larger ones before smaller ones."""
        from tfnanlint.templates import compile_patterns

        return compile_patterns(self)

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
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise RuleError(f"{path}: the rule file cannot be read: {error}") from error
    rule = Rule(path.stem, path.parent.name, path, text)
    document = ast.get_docstring(tree)
    if not document:
        raise RuleError(f"{path}: a rule file opens with a docstring, whose first line is the message")
    first, _, rest = document.partition("\n")
    # An address alone on a line is a public report; the rest is what there is to say.
    said: list[str] = []
    addresses: list[str] = []
    for line in rest.splitlines():
        (addresses if line.startswith("https://") else said).append(line)
    rule.message, rule.description = first.strip().rstrip("."), "\n".join(said).strip()
    rule.reports = tuple(addresses)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    rule.functions = tuple(functions)
    for name in functions:
        if name.split("_")[0] not in ("before", *FIX_KINDS, "quiet", "find"):
            raise RuleError(
                f"{path}: {name}: a function of a rule is named before, {', '.join(FIX_KINDS)}, quiet_... or find"
            )
    if not any(name.split("_")[0] in ("before", "find") for name in functions):
        raise RuleError(f"{path}: a rule has at least one function whose name starts with `before`")
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            _setting(rule, node.targets[0].id, node.value)
    rule.__dict__["tree"] = tree
    return rule


def _setting(rule: Rule, name: str, value: ast.expr) -> None:
    """The module constants of a rule file: `severity`, `modes`, `dtypes`."""
    allowed = {"severity": SEVERITIES, "modes": MODES, "dtypes": ("float16", "bfloat16", "float32", "float64")}
    if name not in allowed:
        raise RuleError(f"{rule.path}: {name}: a rule file sets only {', '.join(allowed)}")
    try:
        given = ast.literal_eval(value)
    except ValueError as error:
        raise RuleError(f"{rule.path}: {name}: give a literal") from error
    values = (given,) if isinstance(given, str) else tuple(given)
    wrong = [v for v in values if v not in allowed[name]]
    if wrong:
        raise RuleError(f"{rule.path}: {name}: {wrong[0]!r} is none of {', '.join(allowed[name])}")
    setattr(rule, name, given if name == "severity" else values)


@dataclass
class Rules:
    """An ordered collection of rules, for programs that run in some modes (none named: in any)."""

    rules: tuple[Rule, ...]
    modes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(rule.name for rule in self.rules)

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule.group for rule in self.rules))

    def select(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Rules:
        """The rules that are named in `select` (by rule or group; all, where it is empty) and not in `ignore`."""
        known = {*self.names, *self.groups}
        for name in (*select, *ignore):
            if name not in known:
                raise ConfigError(f"no rule and no group is named {name!r}")

        def named(rule: Rule, names: Sequence[str]) -> bool:
            return rule.name in names or rule.group in names

        left = tuple(r for r in self.rules if (not select or named(r, select)) and not named(r, ignore))
        return Rules(left, self.modes)

    def run_in(self, modes: Sequence[str]) -> Rules:
        """The rules for programs that run in these modes only, without those that fail in others."""
        return Rules(tuple(r for r in self.rules if not modes or set(modes) & set(r.modes)), tuple(modes))


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
    for rule in (*known, *_read_all(extra)):
        if rule.name in found:
            raise RuleError(f"{rule.path}: a rule of this name is already in {found[rule.name].path}")
        found[rule.name] = rule
    return Rules(tuple(sorted(found.values(), key=lambda r: (r.group, r.name))))


def _read_all(folders: Iterable[Path]) -> Iterator[Rule]:
    for folder in folders:
        if not folder.is_dir():
            raise RuleError(f"{folder}: there is no such folder of rules")
        for path in rule_files(folder):
            if not _RULE_NAME.fullmatch(path.stem):
                raise RuleError(f"{path}: a rule's file name is its name: lower case words joined by hyphens")
            yield read_rule(path)
