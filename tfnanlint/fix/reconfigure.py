"""Fixes of objects: a parameter set where the object is created, such as a loss passed to `compile`."""

from __future__ import annotations

from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix import syntax
from tfnanlint.fix.departure import same
from tfnanlint.fix.dialect import Dialect, NoFix
from tfnanlint.fix.text import dotted
from tfnanlint.flow import Node
from tfnanlint.match.captures import Match
from tfnanlint.ops.losses import CLASSES
from tfnanlint.source.names import canonical_path
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Origin, Path

ACCURACIES = frozenset({"accuracy", "acc", "binary_accuracy"})
"""Names of metrics that compare the outputs of a binary classifier with 0.5."""


def is_own_call(origin: Origin) -> bool:
    """Whether an origin's expression calls the op itself, and not an object that holds it."""
    expr = origin.expr
    if not origin.written or any(expression is expr for _, expression in origin.arguments):
        return False
    return not isinstance(expr, cst.Call) or not origin.spelling or isinstance(_value(origin, expr.func), Path)


def reconfigured(match: Match) -> tuple[list[Edit], str]:
    """The edits that set the parameters in which a repair differs, and what they come to; raises `NoFix`."""
    origin: Origin = match.root.origin
    settings = _settings(match)
    given = _given(origin.expr)
    text = ", ".join(f"{key}={value}" for key, value in settings.items())
    elsewhere = "the loss object is created elsewhere" + (f"; set `{text}` where it is created" if text else "")
    if f"keras.losses.{match.root.op}" not in CLASSES.values():
        called = dotted(given) if given is not None else match.root.op
        elsewhere = f"the file leaves open what `{called}` is; call the function of `tf` itself and run --fix again"
        if not origin.written:
            called = called.rpartition(".")[2]
            elsewhere = f"the op is inside `{called}`; `tfnanlint rule {match.rule.name}` lists what to do instead"
        elif not called or _path(origin, given) is not None:
            elsewhere = f"`{match.root.op}` is passed as a function; pass one that guards its argument"
    if not settings or given is None:
        raise NoFix(elsewhere)
    file, made = origin.file, _definition(origin, given)
    wanted = f"keras.losses.{match.root.op}"
    if isinstance(made, cst.Call):
        path = _path(origin, made.func)
        if path is None or CLASSES.get(path) != wanted or any(arg.keyword is None for arg in made.args):
            raise NoFix(elsewhere)
        return _with_keywords(file, made, settings), text
    name: Any = made.evaluated_value if isinstance(made, cst.SimpleString) else _path(origin, made)
    name = name if isinstance(name, str) and name.startswith("keras.") else f"keras.losses.{name}"
    if wanted not in (name, CLASSES.get(name)):
        raise NoFix(elsewhere)
    kind = next(cls for cls, function in CLASSES.items() if function == wanted)
    reached = Dialect(match, origin).reachable(kind)
    if reached is None:
        raise NoFix(f"this file imports no module that provides `{kind}`")
    return [Edit(file.path, *file.layout.spans[made], f"{reached}({text})")], f"{reached}({text})"


def note_on_metrics(match: Match, fix: str) -> str:
    """What a loss that gets logits leaves to do: Keras compares the outputs with 0.5 for a binary accuracy."""
    call: Any = match.root.origin.expr
    if "from_logits" not in fix or match.root.op != "binary_crossentropy" or not isinstance(call, cst.Call):
        return ""
    given = (arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == "metrics")
    texts = [one for value in given for one in syntax.walk(value) if isinstance(one, cst.SimpleString)]
    named = next((one.raw_value for one in texts if one.raw_value in ACCURACIES), "")
    return named and f'"{named}" compares the outputs with 0.5; for logits use `BinaryAccuracy(threshold=0.0)`'


def _settings(match: Match) -> dict[str, str]:
    """The static parameters that a repair gives another value, if that is all it does."""
    old, new = match.pattern.root, match.pattern.repaired
    if not isinstance(new, Node) or old.op != new.op or len(old.operands) != len(new.operands):
        return {}
    if not all(same(a, b) for a, b in zip(old.operands, new.operands, strict=True)):
        return {}
    changed = [key for key in new.attrs if old.attrs.get(key) != new.attrs[key]]
    if not old.attrs.keys() <= new.attrs.keys() or any(key not in new.origin.keywords for key in changed):
        return {}
    return {key: cst.Module([]).code_for_node(new.origin.keywords[key]) for key in changed}


def _given(call: Any) -> cst.BaseExpression | None:
    """What gives the object: the loss of a `compile`, or what is called."""
    if not isinstance(call, cst.Call):
        return None
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "compile":
        return call.func
    named = [arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == "loss"]
    placed = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
    return named[0] if named else placed[1] if len(placed) > 1 else None


def _definition(origin: Origin, given: cst.BaseExpression) -> cst.BaseExpression:
    """The expression that a name or an attribute of `self` stands for, where it is assigned once; else itself."""
    file = origin.file
    text = dotted(given)
    home: Any = file.tree
    if text.startswith("self."):
        home = given
        while home is not None and not isinstance(home, cst.ClassDef):
            home = file.layout.parents.get(home)
    elif not isinstance(given, cst.Name) or isinstance(_value(origin, given), Path):
        return given
    found = [
        node.value
        for node in syntax.walk(home or file.tree)
        if isinstance(node, cst.Assign) and any(dotted(target.target) == text for target in node.targets)
    ]
    return found[0] if len(found) == 1 else given


def _with_keywords(file: SourceFile, call: cst.Call, settings: dict[str, str]) -> list[Edit]:
    """The edits that give a call these keyword arguments."""
    held = {arg.keyword.value: arg.value for arg in call.args if arg.keyword is not None}
    edits = [Edit(file.path, *file.layout.spans[held[key]], settings[key]) for key in settings if key in held]
    rest = {key: value for key, value in settings.items() if key not in held}
    if rest:
        text = ", ".join(f"{key}={value}" for key, value in rest.items())
        line, column = file.layout.spans[call.args[-1] if call.args else call][2:]
        column -= not call.args
        edits.append(Edit(file.path, line, column, line, column, f", {text}" if call.args else text))
    return edits


def _value(origin: Origin, node: Any) -> Any:
    """What a dotted name stands for: a path, or whatever else its first name holds."""
    pieces: list[str] = []
    while isinstance(node, cst.Attribute):
        pieces.append(node.attr.value)
        node = node.value
    held = origin.scope.value_at(node.value, origin.time) if isinstance(node, cst.Name) else None
    return Path(".".join([held.dotted, *reversed(pieces)])) if isinstance(held, Path) else held


def _path(origin: Origin, node: Any) -> str | None:
    value = _value(origin, node)
    return canonical_path(value.dotted) if isinstance(value, Path) else None
