"""Code of other files of the project: the names that it gives, and how far calls into it are followed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tfnanlint.source import grammar
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Class, Path, Scope, Value

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

FOLLOWED_MODULES = 24
"""How many modules of the project one file is followed into."""
PASSED_ON = 8
"""How many re-exporting modules are followed to the definition of a name."""
ABROAD_DEPTH = 8
"""How deep calls are followed in other modules: a model, its layers, the helpers of these, and what they call."""
ABROAD_STEPS = 600
"""How many values are looked at in other modules for one call, before further calls are not followed."""
ABROAD_BUDGET = 3000
"""How many values are looked at in other modules for one file."""


def imported(low: Lowering, path: Path, importer: str = "", hops: int = 0) -> Value | None:
    """What an imported dotted path stands for, if a module of the project defines it or hands it on."""
    if low.project is None:
        return None
    place = low.project.find(path.dotted, importer or low.file.real_path)
    if place is None or not place[1]:
        return None
    scope = module_scope(low, place[0])
    if scope is None:
        return None
    first, *rest = place[1].split(".")
    value = scope.lookup(first)
    if isinstance(value, Path):  # a name that the module has from another
        target = Path(".".join([value.dotted, *rest]))
        if hops >= PASSED_ON:
            return None
        return imported(low, target, place[0], hops + 1) or (None if target.dotted.startswith(".") else target)
    for name in rest:
        value = value.find(name) if isinstance(value, Class) else None
    return value


def starred(low: Lowering, module: str) -> dict[str, Path]:
    """What `from module import *` gives, where it is a module of the project."""
    place = low.project.find(module, low.file.real_path) if low.project is not None else None
    scope = module_scope(low, place[0]) if place is not None and not place[1] else None
    given: dict[str, Path] = {}
    for name, value in scope.names.items() if scope is not None else ():
        if not name.startswith("_"):
            passed_on = isinstance(value, Path) and not value.dotted.startswith(".")
            given[name] = value if isinstance(value, Path) and passed_on else Path(f"{module}.{name}")
    return given


def module_scope(low: Lowering, path: str) -> Scope | None:
    """The names that a module of the project defines; its own code is run once, what it calls is not followed."""
    if path not in low.modules:
        file = _read(low, path) if len(low.modules) < FOLLOWED_MODULES else None
        if file is None:
            return None
        scope = low.modules[path] = low.scope(None, "module")
        saved = low.file, low.calls, low.pending, low.classes, low.returns, low.flow.conditions
        low.file, low.pending, low.classes, low.flow.conditions = file, {}, [], ()
        try:
            low.block((s for s in file.tree.body if _defines(s)), scope)
        finally:
            low.file, low.calls, low.pending, low.classes, low.returns, low.flow.conditions = saved
    return low.modules[path]


def _read(low: Lowering, path: str) -> SourceFile | None:
    """A module of the project, in the form in which this one is read; None where it is not Python."""
    assert low.project is not None
    return low.project.sketched(path) if low.sketches else low.project.parsed(path)


@contextmanager
def leaving(low: Lowering, file: SourceFile) -> Iterator[bool]:
    """While code of a file is followed; whether it is, being this program's own or not yet too much."""
    saved, start = low.abroad, low.time
    if file is low.home:
        low.abroad = 0
    elif low.abroad == 0:
        low.left_at, low.abroad = start, 1
    else:
        low.abroad += 1
    too_much = low.abroad > ABROAD_DEPTH or low.spent > ABROAD_BUDGET or start - low.left_at > ABROAD_STEPS
    try:
        yield not (low.abroad and too_much)
    finally:
        if low.abroad == 1:
            low.spent += low.time - start
        low.abroad = saved


def _defines(statement: Any) -> bool:
    """Whether a statement of an imported module gives a name: a definition, an import, an assignment."""
    if isinstance(statement, grammar.SimpleStatementLine):
        return isinstance(statement.body[0], (grammar.Import, grammar.ImportFrom, grammar.Assign, grammar.AnnAssign))
    return isinstance(statement, (grammar.FunctionDef, grammar.ClassDef, grammar.Try, grammar.If))
