"""Data classes of the results: a finding, the steps of its trail, and its fix.

These classes are the schema of the JSON report: their fields are its keys, in its order. Positions count from 1, in
lines and in characters, as editors show them; `end_column` is exclusive.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from tfnanlint.vocabulary import SAFE_FIX_KINDS

Place = tuple[str, int, int, int, int]
"""(path, line, column, end line, end column)"""

Bounds = tuple[float, float]
"""The least and the greatest value, infinities included."""

_JSON_KEYS = (
    *("rule", "code", "group", "severity", "certainty", "origin", "message", "evidence"),
    *(
        "path",
        "cell",
        "line",
        "column",
        "end_line",
        "end_column",
        "node",
        "trail",
        "trial",
        "fix",
        "no_fix",
        "proof",
        "url",
    ),
)
PAGES = "https://github.com/tfnanlint/tfnanlint/blob/main/docs/rules/"
"""Where the pages of the built-in rules are."""


@dataclass(frozen=True)
class Step:
    """One step of a trail, from the cause towards the symptom; in a notebook, lines count from the cell's first.

    `end_line` and `end_column` are 0 if only the start is known.
    """

    path: str
    line: int
    column: int
    note: str
    cell: int | None = None
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True)
class Edit:
    """Replace the text between two positions of one file."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    cell: int | None = None


@dataclass(frozen=True)
class Fix:
    """A fix: `kind` tells what it changes (see `FIX_KINDS`), `message` is the fixed code.

    `note` says what it does not repair, and what would; most fixes have none.
    """

    kind: str
    message: str
    edits: tuple[Edit, ...]
    note: str = ""

    @property
    def safe(self) -> bool:
        """Whether `--fix` applies it without `--unsafe-fixes`."""
        return self.kind in SAFE_FIX_KINDS


@dataclass(frozen=True)
class Value:
    """One value of the dataflow around a hazard: what makes it, what it can be and why, and where it is written.

    `role` is one of `ROLES`. `range` says in words what it can be, `bounds` in numbers; both
    are empty where nothing is known. `breaks` are the intervals of it on which the hazard is not finite.
    `operands` are places in the same slice, and `cut` says that it is computed from more than the slice shows.
    """

    op: str
    role: str
    range: str
    reason: str
    place: Place | None
    operands: tuple[int, ...] = ()
    cut: bool = False
    cell: int | None = None
    bounds: Bounds | None = None
    breaks: tuple[Bounds, ...] = ()


@dataclass(frozen=True)
class Finding:
    """One hazard at one place, with its evidence."""

    rule: str
    group: str
    severity: str
    certainty: str
    origin: str
    message: str
    evidence: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None
    node: str | None = None
    trail: tuple[Step, ...] = ()
    trial: dict[str, str] | None = field(default=None, compare=False)
    """The run that failed: the `situation`'s name, its `description`, and the `run` in numbers; None where none ran."""
    fix: Fix | None = None
    proof: dict[str, Any] | None = None
    no_fix: str | None = field(default=None, compare=False)
    fix_held: bool | None = field(default=None, compare=False)
    """Whether a fix held in a run of the program; False where none did and so none is offered, None where none ran."""
    takes_xla: bool = field(default=False, compare=False)
    """Whether it fails only where XLA compiles the program, which the program itself does not ask for there."""
    code: str = ""
    slice: tuple[Value, ...] = field(default=(), compare=False, repr=False)

    @property
    def run(self) -> str:
        """The run that failed, in a line: the situation, then the numbers; empty where none ran."""
        return f"{self.trial['description']}: {self.trial['run']}" if self.trial else ""

    @property
    def in_cell(self) -> str:
        """The prefix of a message about a finding in a notebook; empty elsewhere."""
        return "" if self.cell is None else f"cell {self.cell}, line {self.line}: "

    @property
    def position(self) -> tuple[str, int, int, int, str]:
        """The sort key of all reports."""
        return (self.path, self.cell or 0, self.line, self.column, self.rule)

    @property
    def has_source(self) -> bool:
        """Whether it has a source line; a node of a graph saved without stacks has none."""
        return self.origin != "graph" or (self.line, self.column, self.end_line, self.end_column) != (1, 1, 1, 1)

    @property
    def beside(self) -> str:
        """The evidence to show beside the message; "" if the message ends with it."""
        return "" if self.message.endswith(self.evidence) else self.evidence

    @property
    def fix_rank(self) -> int:
        """How much is known of the fix: 0 if it held, 1 if it was refused, 2 if it was not run, 3 if there is none."""
        if self.fix_held is not None:
            return 0 if self.fix_held else 1
        return 2 if self.fix is not None else 3

    @property
    def proved(self) -> bool:
        """Whether `--prove` found inputs at which TensorFlow shows it."""
        return self.proof is not None and self.proof["status"] == "proved"

    @property
    def url(self) -> str | None:
        """The address of the rule's page; None for rules about comments and for a user's own rules."""
        return f"{PAGES}{self.rule}.md" if is_built_in(self.code) else None

    def as_json(self) -> dict[str, Any]:
        """The JSON object of this finding; the slice is for people only."""
        plain = {key: getattr(self, key) for key in _JSON_KEYS} | {"code": self.code or None}
        plain["trail"] = [_plain(step) for step in self.trail]
        if self.fix:
            edits = [_plain(edit) for edit in self.fix.edits]
            told = {key: value for key, value in asdict(self.fix).items() if key != "note" or value}
            plain["fix"] = told | {"edits": edits, "safe": self.fix.safe}
        return plain


def is_built_in(code: str) -> bool:
    """Whether a code is that of a rule which comes with the package and finds hazards."""
    return code.startswith("TFN") and code[3:].isdecimal() and int(code[3:]) >= 100


def _plain(part: Step | Edit) -> dict[str, Any]:
    """The JSON object of a step or an edit, whose cell is named in notebooks only, and its end where it is known."""
    return {key: value for key, value in asdict(part).items() if value is not None and (value != 0 or key == "text")}
