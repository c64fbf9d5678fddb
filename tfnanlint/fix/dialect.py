"""How a file spells an op: its import alias of TensorFlow or Keras, and the API generation it uses."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix import imports
from tfnanlint.fix.text import dotted
from tfnanlint.flow import Node
from tfnanlint.match.captures import Match
from tfnanlint.ops import SPELLINGS, Op, Spelling
from tfnanlint.source.generation import first_names, is_of_first
from tfnanlint.source.implicit_modules import is_named_for_a_library
from tfnanlint.source.imports import aliases_of
from tfnanlint.source.names import canonical_path
from tfnanlint.source.packages import is_ours
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Origin, Path, Scope


class NoFix(Exception):
    """Why a match has no fix, in words for the report."""


_PARTS = frozenset("numpy nn math core linalg image backend".split())
_INSIDE = "tensorflow.python.ops.math_ops"
HELD_INSIDE = frozenset(
    "abs add_n exp expm1 greater log log1p maximum minimum reduce_max reduce_sum rsqrt sqrt square tanh".split()
)
"""Functions that `_INSIDE` holds under their public names; it lacks other public ones."""
NEW_ACTIVATIONS = frozenset(
    "celu hard_shrink hard_silu hard_swish hard_tanh leaky_relu log_sigmoid log_softmax relu6 silu soft_shrink "
    "sparse_sigmoid sparsemax squareplus tanh_shrink".split()
)
"""The activations that Keras has since its third generation."""
_FAMILIES = ("tf", "keras", "K", "ops", "tnp")
"""The first parts of canonical names."""
_WAYS = {"ops": ["", ".ops"], "K": ["", ".backend", ".keras.backend"], "keras": ["", ".keras"]}
"""What may stand between an imported package and the names of each family."""


class Dialect:
    """The ways in which the code around a match can write an op; `edits` are the imports that they need."""

    def __init__(self, match: Match, origin: Origin) -> None:
        self.origin = origin
        self.around = match.root.origin.spelling
        self.names = imported_names(origin.scope, origin.file.imported)
        self.used = {node.op: node.origin.spelling for node in match.matched if node.origin.spelling}
        self.written = {node.op: _called(node.origin) for node in match.matched if node.origin.spelling}
        self.proxy_module = self._proxy_module()
        """The name of a module of the project that the file calls in the place of TensorFlow or another library."""
        self.edits: list[Edit] = []

    def spell(self, op: Op, keys: list[str]) -> tuple[str, Spelling]:
        """How this file writes an op that takes these parameters."""
        given = self.origin.file.assumptions
        first = given.target in ("", "1") and is_of_first(self.origin.file.text)
        if first and op.late and op.name not in self.used:
            wanted = op.spellings[0].names[0]
            raise NoFix(f"older versions of TensorFlow 1 have no `{wanted}`; keep the operand away from 0")
        own = self.used.get(op.name)
        options = [SPELLINGS[own][1]] if own else []
        family = self.family()
        homes = {spelling: [name.split(".")[0] for name in spelling.names] for spelling in op.spellings}
        options += sorted(homes, key=lambda spelling: (family not in homes[spelling], homes[spelling][0] != "tf"))
        for spelling in options:
            if not all(keyword_of(spelling, key) for key in keys):
                continue
            if own in spelling.names and given.allows(own) and (text := self.written.get(op.name)):
                return text, spelling
            names = ([own] if own and own in spelling.names else []) + sorted(
                spelling.names,
                key=lambda name: (name.split(".")[0] != family, first and name not in first_names()),
            )
            names = [name for name in names if given.allows(name)]
            for name in names:
                text = self.reachable(name)
                if text is not None:
                    return text, spelling
        imported = self.imported(options, keys) if given.allows("tf") else None
        if imported is not None:
            return imported
        wanted = op.spellings[0].names[0] if op.spellings else op.name
        if self.proxy_module is not None:
            raise NoFix(f"the code calls TensorFlow through `{self.proxy_module}`, which may not provide `{wanted}`")
        if given.target:
            raise NoFix(f"this file imports no name for `{wanted}` that exists in target {given.target}")
        raise NoFix(f"this file imports no module that provides `{wanted}`")

    def numpy(self) -> str:
        """The name of NumPy in this file."""
        aliases = aliases_of(self.origin.file.text)
        name = next((local for local, path in aliases.items() if path == "numpy"), None)
        if name is None:
            raise NoFix(
                "the value is a NumPy array, and this file does not import NumPy; bound it where it is computed"
            )
        return name

    def _proxy_module(self) -> str | None:
        file = self.origin.file
        if any(is_ours(dotted) for dotted in aliases_of(file.text).values()):
            return None
        modules = (name for name, meant in file.modules.items() if canonical_path(meant) not in SPELLINGS)
        return next((name for name in modules if not is_named_for_a_library(name)), None)

    def family(self) -> str:
        """The first part of the canonical names that the code around writes: "tf", "ops" or "K"."""
        spelling = self.origin.spelling or self.around or next(iter(self.used.values()), "")
        family = spelling.split(".")[0]
        return family if self.origin.file.assumptions.allows(family) else "tf"

    def has(self, op: Op) -> bool:
        """Whether the family of functions that the code around writes has an op."""
        return any(name.split(".")[0] == self.family() for spelling in op.spellings for name in spelling.names)

    def imported(self, options: list[Spelling], keys: list[str]) -> tuple[str, Spelling] | None:
        """How this file writes an op once it imports it, or `tensorflow as tf`; the import is one of the edits."""
        if self.proxy_module is not None:
            return None
        whole = imports.import_tensorflow(self.origin.file, self.origin.scope)
        for spelling in options:
            name = next((n for n in spelling.names if n.startswith("tf.")), None)
            if name is None or not all(keyword_of(spelling, key) for key in keys):
                continue
            module, _, last = f"tensorflow{name[2:]}".rpartition(".")
            edit = imports.import_beside(self.origin.file, self.origin.scope, module, last)
            text = name if edit is None else last
            edit = edit or whole
            if edit is not None:
                if edit not in self.edits:
                    self.edits.append(edit)
                return text, spelling
        return None

    def reachable(self, name: str) -> str | None:
        """The text by which this file can write a canonical name."""
        best: str | None = None
        for local, path in self.names.items():
            if self.proxy_module not in (None, local):
                continue
            if self.origin.scope.value_at(local, self.origin.time) != Path(path):
                continue
            old = any(spelled.startswith("K.") for spelled in self.used.values())
            if path.split(".")[0] == "keras" and (_is_of_keras_3(name) if old else name.startswith("K.")):
                continue  # Keras 3 has `ops` in the place of the functions that the backend had before
            part = canonical_path(path) == "K" or (path.startswith("keras.") and path.rsplit(".", 1)[-1] in _PARTS)
            if part and not name.startswith("K."):
                continue  # the backend and a part of keras.ops hold some functions of keras.ops only
            if path == _INSIDE and name.rsplit(".", 1)[-1] not in HELD_INSIDE:
                continue
            for suffix in _suffixes(name):
                if canonical_path(path + suffix) == name:
                    text = local + suffix
                    if self.proxy_module is not None and not _is_written(text, self.origin.file):
                        continue
                    if best is None or len(text) < len(best):
                        best = text
        return best


def _is_of_keras_3(name: str) -> bool:
    """Whether Keras has a function since its third generation."""
    module, _, last = name.rpartition(".")
    return module == "ops" or (module == "keras.activations" and last in NEW_ACTIVATIONS)


def imported_names(scope: Scope, known: dict[Scope, dict[str, str]]) -> dict[str, str]:
    """The imported names visible in a scope: {name: dotted path}; `known` are those of other scopes."""
    if scope not in known:
        own = {
            name: value.dotted
            for name, value in scope.names.items()
            if isinstance(value, Path)
            and (value.dotted == _INSIDE or canonical_path(value.dotted).split(".")[0] in _FAMILIES)
        }
        outer = imported_names(scope.parent, known) if scope.parent is not None else {}
        known[scope] = own | {name: path for name, path in outer.items() if name not in own} if own else outer
    return known[scope]


def keyword_of(spelling: Spelling, key: str) -> str | None:
    """The keyword by which a spelling takes a parameter: its own, else one that every generation knows it by."""
    given = [*spelling.parameters, *((canonical, spelled) for spelled, canonical in spelling.keywords.items())]
    return next((spelled for canonical, spelled in given if canonical == key), None)


def spelled(function: Any) -> str:
    """The canonical path of what a repair calls: in a rule file `tf` is TensorFlow."""
    path = dotted(function)
    return canonical_path(f"tensorflow.{path[3:]}") if path.startswith("tf.keras.") else path


def _called(origin: Origin) -> str:
    """How the program itself writes the function that it calls there."""
    expr = origin.expr
    return dotted(expr.func) if isinstance(expr, cst.Call) else ""


def _is_written(text: str, file: SourceFile) -> bool:
    """Whether a dotted name occurs in a file."""
    return re.search(rf"(?<![\w.]){re.escape(text)}\b", file.text) is not None


def _suffixes(name: str) -> list[str]:
    """What may have to be added to an imported path to reach a canonical name."""
    head, _, rest = name.partition(".")
    long = _WAYS.get(head, [""])
    pieces = rest.split(".")
    tails = ["." + ".".join(pieces[i:]) for i in range(len(pieces))] + [""]
    return [prefix + tail for prefix in long for tail in tails]


def same_value(a: Any, b: Any) -> bool:
    """Whether a name held the same value at two times."""
    return (
        a is b
        or (isinstance(a, Node) and isinstance(b, Node) and a.value == b.value)
        or (isinstance(a, Path) and a == b)
    )
