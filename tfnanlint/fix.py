"""A match turned into edits: the repair's expression, with the program's own operands, in its own style.

Where anything stands in the way (a name that no longer holds the same value, an argument or comment
that would be lost, an op that this file has no name for) there is no fix, and the reason is told.
"""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from tfnanlint import hoist
from tfnanlint.captures import ABSENT, Match, Static
from tfnanlint.finding import Edit, Fix
from tfnanlint.flow import Node
from tfnanlint.ops import OPS, SPELLINGS, Op, Spelling
from tfnanlint.source.names import canonical_path
from tfnanlint.source.positions import Span
from tfnanlint.source.values import Origin, Path, Scope, SourceFile


class NoFix(Exception):
    """Why a match has no fix, in words for the report."""


class _TwiceComputed(Exception):
    """An operand of an earlier statement that is too dear, or too impure, to be written once more."""


# How tightly an expression binds; an operand that binds less tightly than its place gets parentheses.
LOWEST, COMPARE, ADD, MULTIPLY, UNARY, POWER, ATOM = range(7)
_OPERATORS: dict[type, tuple[str, int]] = {
    cst.Add: ("+", ADD),
    cst.Subtract: ("-", ADD),
    cst.Multiply: ("*", MULTIPLY),
    cst.Divide: ("/", MULTIPLY),
    cst.MatrixMultiply: ("@", MULTIPLY),
    cst.FloorDivide: ("//", MULTIPLY),
    cst.Modulo: ("%", MULTIPLY),
    cst.Power: ("**", POWER),
}
_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.Integer,
    cst.Float,
    cst.List,
    cst.Dict,
    cst.SimpleString,
)
_CHEAP = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.Integer,
    cst.Float,
    cst.Tuple,
    cst.List,
    cst.UnaryOperation,
    cst.Minus,
)


def binding_of(node: cst.CSTNode) -> int:
    """How tightly an expression binds when written without its own parentheses."""
    if isinstance(node, _ATOMS):
        return ATOM
    if isinstance(node, cst.BinaryOperation) and type(node.operator) in _OPERATORS:
        return _OPERATORS[type(node.operator)][1]
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
        return UNARY
    return LOWEST


def fix_of(match: Match) -> Fix:
    """The fix of a match in source code; raises `NoFix`."""
    repair = match.pattern.repair
    if repair is None:
        raise NoFix("this has to be decided by hand")
    if match.other_dtype is not None and (repair.kind != "after" or "complex" in match.other_dtype):
        raise NoFix(f"its repair is made for {' and '.join(match.rule.dtypes)}, and this is {match.other_dtype}")
    origin: Origin = match.root.origin
    if not isinstance(origin.expr, cst.BaseExpression):
        raise NoFix("it is not written as one expression")
    if not origin.written:
        raise NoFix("a layer computes it")
    _same_activation(match, origin)
    printer = _Printer(match, origin)
    text, binds = printer.expression(repair.expression)
    span = origin.file.layout.spans[origin.expr]
    _keep_comments(match, origin, text)
    if not _stands_safely(origin, binds):
        text = f"({text})"
    line, column, end_line, end_column = span
    if _slice(origin.file, span) == text:
        raise NoFix("it is written that way already")
    edits = (
        *printer.edits,
        *_unused(match, origin, printer, text),
        Edit(origin.file.path, line, column, end_line, end_column, text),
    )
    message = f"{text}, with {', '.join(printer.definitions)}" if printer.definitions else text
    return Fix(repair.kind, message, tuple(sorted(edits, key=lambda e: (e.line, e.column))))


def _unused(match: Match, origin: Origin, printer: _Printer, text: str) -> list[Edit]:
    """The edits that drop matched statements whose name nothing reads any more."""
    dropped = []
    for node in match.matched:
        where: Origin = node.origin
        statement = hoist.statement_of(where.file, where.expr)
        if (
            node is match.root
            or statement is None
            or statement in printer.replaced
            or _within(where.file.layout, where.expr, origin.expr)
        ):
            continue
        name = hoist.assigned_name(statement, where.expr)
        if name is not None and re.search(rf"\b{name}\b", text):
            continue  # the repair takes what it holds
        if name is not None and hoist.read_only_within(origin.scope, name, [origin.expr, *printer.goes]):
            edit = hoist.remove_statement(where.file, statement)
            if edit is not None and not any(_touch(edit, other) for other in printer.edits):
                dropped.append(edit)
    return dropped


def _touch(a: Edit, b: Edit) -> bool:
    return (a.line, a.column) <= (b.end_line, b.end_column) and (b.line, b.column) <= (a.end_line, a.end_column)


def _same_activation(match: Match, origin: Origin) -> None:
    """The matched code has to stand in one function, and be evaluated once."""
    for node in match.matched:
        where: Origin = node.origin
        if where.scope is not origin.scope or where.file is not origin.file:
            raise NoFix("its parts are in different functions")
        if where.loop != origin.loop:
            raise NoFix("evaluation would move into a loop")


def _stands_safely(origin: Origin, binds: int) -> bool:
    """Whether text that binds so tightly can replace the expression without parentheses."""
    expr = origin.expr
    if binds == ATOM or getattr(expr, "lpar", False):
        return True
    parent = origin.file.layout.parents.get(expr)
    if isinstance(parent, cst.Arg) and not parent.star:
        return True
    if isinstance(
        parent, (cst.BaseSmallStatement, cst.Element, cst.Index, cst.Annotation, cst.NamedExpr, cst.DictElement)
    ):
        return True
    operator = isinstance(parent, (cst.BinaryOperation, cst.UnaryOperation))
    return operator and binding_of(expr) <= binds and binds > UNARY


def _slice(file: SourceFile, span: Span) -> str:
    """The text of a span, as it stands in the file."""
    lines = file.lines
    line, column, end_line, end_column = span
    if line == end_line:
        return lines[line - 1][column - 1 : end_column - 1]
    return "".join([lines[line - 1][column - 1 :], *lines[line : end_line - 1], lines[end_line - 1][: end_column - 1]])


def _keep_comments(match: Match, origin: Origin, text: str) -> None:
    """Refuse where the replaced text holds a comment that the new text does not."""
    old = _slice(origin.file, origin.file.layout.spans[origin.expr])
    if old.count("#") > text.count("#"):
        raise NoFix("a comment would be lost")


class _Printer:
    """Prints a repair's expression for one match."""

    def __init__(self, match: Match, origin: Origin) -> None:
        self.match = match
        self.origin = origin
        self.names = module_names(origin.scope)
        self.used = {node.op: node.origin.spelling for node in match.matched if node.origin.spelling}
        self.written = {node.op: _called(node.origin) for node in match.matched if node.origin.spelling}
        self.outermost = True
        self.edits: list[Edit] = []
        self.replaced: list[Any] = []
        self.goes: list[Any] = []
        self.named: dict[str, str] = {}
        self.definitions: list[str] = []

    def expression(self, node: Any) -> tuple[str, int]:
        """(text, how tightly it binds) of a repair's expression."""
        if isinstance(node, cst.Name):
            return (node.value, ATOM) if node.value in ("True", "False", "None") else self.captured(node.value)
        if isinstance(node, (cst.Integer, cst.Float, cst.SimpleString)):
            return node.value, ATOM
        if isinstance(node, cst.Call):
            return self.call(node)
        if isinstance(node, cst.UnaryOperation):
            self.outermost = False
            inner, binds = self.expression(node.expression)
            sign = "-" if isinstance(node.operator, cst.Minus) else "+"
            return sign + (inner if binds >= UNARY else f"({inner})"), UNARY
        if isinstance(node, cst.BinaryOperation) and type(node.operator) in _OPERATORS:
            self.outermost = False
            sign, binds = _OPERATORS[type(node.operator)]
            left, left_binds = self.expression(node.left)
            right, right_binds = self.expression(node.right)
            left = left if left_binds >= binds + (sign == "**") else f"({left})"
            right = right if right_binds > binds else f"({right})"
            space = "" if sign == "**" else " "
            return f"{left}{space}{sign}{space}{right}", binds
        if isinstance(node, (cst.Tuple, cst.List)):
            self.outermost = False
            inside = ", ".join(self.expression(e.value)[0] for e in node.elements)
            if isinstance(node, cst.List):
                return f"[{inside}]", ATOM
            return f"({inside},)" if len(node.elements) == 1 else f"({inside})", ATOM
        raise NoFix(f"the repair uses {type(node).__name__}, which cannot be written yet")

    def call(self, node: cst.Call) -> tuple[str, int]:
        outermost, self.outermost = self.outermost, False
        path = _spelled(node.func)
        row = SPELLINGS.get(path)
        if row is None:
            raise NoFix(f"the repair calls {path}, which is no known op")
        op, template = row
        given = self.arguments(node, template)
        extra = self.name_argument() if outermost else None
        if extra is not None:
            given.append(("name", extra))
        text, spelling = self.spell(op, [key for key, _ in given])
        words = []
        for place, (key, value) in enumerate(given):
            if place < len(op.operands) and place < len(spelling.parameters) and spelling.parameters[place][0] == key:
                words.append(value)
            else:
                words.append(f"{_keyword(spelling, key)}={value}")
        return f"{text}({', '.join(words)})", ATOM

    def arguments(self, node: cst.Call, template: Spelling) -> list[tuple[str, str]]:
        """(canonical parameter, text) of a repair's call; parameters that the program leaves out are left out."""
        found: list[tuple[str, str]] = []
        for place, arg in enumerate(node.args):
            key = template.canonical(arg.keyword.value) if arg.keyword is not None else template.parameters[place][0]
            if key is None:
                raise NoFix("the repair's call does not fit its signature")
            held = self.match.captured.get(arg.value.value) if isinstance(arg.value, cst.Name) else None
            if isinstance(held, Static) and held.value is ABSENT:
                if OPS[held.node.op].attrs.get(held.attribute) != SPELLINGS[_spelled(node.func)][0].attrs.get(key):
                    raise NoFix(f"{held.attribute} is not given, and its default here is another one")
                continue
            found.append((key, self.expression(arg.value)[0]))
        return found

    def name_argument(self) -> str | None:
        """The text of the `name=` of the replaced call."""
        given = self.origin.keywords.get("name")
        return self.text(given, self.origin) if given is not None else None

    def captured(self, name: str) -> tuple[str, int]:
        """The text of what a variable of the repair stands for."""
        held = self.match.captured.get(name)
        if isinstance(held, Static):
            expression = held.node.origin.keywords.get(held.attribute)
            if expression is None:
                return repr(held.value), ATOM
            return _whole(expression, self.text(expression, held.node.origin))
        if held is None:
            raise NoFix(f"the repair needs {name}, which is not there")
        value, user = held
        where: Origin = user.origin
        expression = where.expression_of(value)
        if expression is None:
            raise NoFix("an operand is not written as an expression of its own")
        try:
            text = self.text(expression, where)
        except _TwiceComputed:
            return self.hoisted(name, expression, where), ATOM
        return _whole(expression, text)

    def hoisted(self, variable: str, expression: cst.BaseExpression, where: Origin) -> str:
        """The new name of an operand that an earlier statement computes."""
        if variable in self.named:
            return self.named[variable]
        file = where.file
        statement = hoist.statement_of(file, where.expr)
        if statement is None:
            raise NoFix("its operand would be computed twice")
        name = hoist.new_name(self.origin.scope, variable if len(variable) > 1 else "argument", file, expression)
        assigned = hoist.assigned_name(statement, where.expr)
        alone = assigned is not None and hoist.read_only_within(self.origin.scope, assigned, [self.origin.expr])
        text = _slice(file, file.layout.spans[expression])
        edits = hoist.name_operand(file, where, expression, text, name, replace_statement=alone)
        if edits is None or (alone and _slice(file, file.layout.spans[where.expr]).count("#") > text.count("#")):
            raise NoFix("its operand would be computed twice")
        self.edits += edits
        self.replaced.append(statement)
        self.named[variable] = name
        self.definitions.append(f"{name} = {' '.join(text.split())}")
        return name

    def text(self, expression: cst.BaseExpression, where: Origin) -> str:
        """The text of an expression, if it still means the same where the repair is put."""
        layout = where.file.layout
        if where is not self.origin and not _within(layout, expression, self.origin.expr):
            self.unchanged(expression, where)
        return _slice(where.file, layout.spans[expression])

    def unchanged(self, expression: cst.BaseExpression, where: Origin) -> None:
        """Refuse unless an expression evaluated elsewhere gives the same value again, at no cost."""
        stack: list[Any] = [expression]
        while stack:
            node = stack.pop()
            if isinstance(node, cst.Name):
                before = where.scope.value_at(node.value, where.time)
                now = self.origin.scope.value_at(node.value, self.origin.time)
                if before is not now and not _equal_nodes(before, now):
                    raise NoFix(f"`{node.value}` has another value by then")
            elif isinstance(node, cst.Attribute):
                stack.append(node.value)
            elif isinstance(node, cst.BinaryOperation):
                stack += [node.left, node.right]
            elif isinstance(node, cst.UnaryOperation):
                stack.append(node.expression)
            elif isinstance(node, (cst.Tuple, cst.List)):
                stack += [e.value for e in node.elements]
            elif isinstance(node, cst.Subscript):
                stack.append(node.value)
                for part in node.slice:
                    if isinstance(part.slice, cst.Index):
                        stack.append(part.slice.value)
                    elif isinstance(part.slice, cst.Slice):
                        stack += [p for p in (part.slice.lower, part.slice.upper, part.slice.step) if p is not None]
            elif not isinstance(node, _CHEAP):
                raise _TwiceComputed

    def spell(self, op: Op, keys: list[str]) -> tuple[str, Spelling]:
        """How this file writes an op that takes these parameters."""
        own = self.used.get(op.name)
        options = [SPELLINGS[own][1]] if own else []
        family = self.origin.spelling.split(".")[0] if self.origin.spelling else ""
        homes = {spelling: spelling.names[0].split(".")[0] for spelling in op.spellings}
        options += sorted(homes, key=lambda spelling: (homes[spelling] != family, homes[spelling] != "tf"))
        for spelling in options:
            if not all(_keyword(spelling, key) for key in keys):
                continue
            if own in spelling.names and (text := self.written.get(op.name)):
                return text, spelling
            names = ([own] if own and own in spelling.names else []) + list(spelling.names)
            for name in names:
                text = self.reachable(name)
                if text is not None:
                    return text, spelling
        imported = self.imported(options, keys)
        if imported is not None:
            return imported
        wanted = op.spellings[0].names[0] if op.spellings else op.name
        raise NoFix(f"this file imports nothing that `{wanted}` could be reached through")

    def imported(self, options: list[Spelling], keys: list[str]) -> tuple[str, Spelling] | None:
        """How this file writes an op once it imports `tensorflow as tf`; the import is one of the edits."""
        edit = hoist.import_tensorflow(self.origin.file, self.origin.scope)
        if edit is None:
            return None
        for spelling in options:
            name = next((n for n in spelling.names if n.startswith("tf.")), None)
            if name is not None and all(_keyword(spelling, key) for key in keys):
                if edit not in self.edits:
                    self.edits.append(edit)
                return name, spelling
        return None

    def reachable(self, name: str) -> str | None:
        """The text by which this file can write a canonical name."""
        best: str | None = None
        for local, path in self.names.items():
            if self.origin.scope.value_at(local, self.origin.time) != Path(path):
                continue
            if name.startswith("K.") and path.split(".")[0] == "keras":
                continue  # Keras 3 has no such functions in its backend
            if path.startswith("keras.") and path.rsplit(".", 1)[-1] in _PARTS:
                continue  # a part of keras.ops holds some of its functions only
            for suffix in _suffixes(name):
                if canonical_path(path + suffix) == name:
                    text = local + suffix
                    if best is None or len(text) < len(best):
                        best = text
        return best


def _called(origin: Origin) -> str:
    """How the program itself writes the function that it calls there."""
    expr = origin.expr
    return _dotted(expr.func) if isinstance(expr, cst.Call) else ""


def _whole(expression: cst.BaseExpression, text: str) -> tuple[str, int]:
    """The text of an expression with the parentheses that it cannot be without, and how tightly that binds."""
    if isinstance(expression, (cst.Tuple, cst.GeneratorExp)):
        return f"({text})", ATOM
    binds = binding_of(expression)
    return text, binds if "\n" not in text or binds == ATOM else LOWEST


_PARTS = frozenset("numpy nn math core linalg image backend".split())
_WAYS = {"ops": ["", ".ops"], "K": ["", ".backend", ".keras.backend"], "keras": ["", ".keras"]}
"""What may stand between an imported package and the names of each family."""


def _suffixes(name: str) -> list[str]:
    """What may have to be added to an imported path to reach a canonical name."""
    head, _, rest = name.partition(".")
    long = _WAYS.get(head, [""])
    pieces = rest.split(".")
    tails = ["." + ".".join(pieces[i:]) for i in range(len(pieces))] + [""]
    return [prefix + tail for prefix in long for tail in tails]


def module_names(scope: Scope) -> dict[str, str]:
    """The names of the module that stand for something imported: {name: dotted path}."""
    found: dict[str, str] = {}
    inner: Scope | None = scope
    while inner is not None:
        for name, value in inner.names.items():
            if (
                isinstance(value, Path)
                and name not in found
                and canonical_path(value.dotted).split(".")[0] in ("tf", "keras", "K", "ops")
            ):
                found[name] = value.dotted
        inner = inner.parent
    return found


def _keyword(spelling: Spelling, key: str) -> str | None:
    """The keyword by which a spelling takes a parameter: its own, else one that every generation knows it by."""
    given = [*spelling.parameters, *((canonical, spelled) for spelled, canonical in spelling.keywords.items())]
    return next((spelled for canonical, spelled in given if canonical == key), None)


def _spelled(function: Any) -> str:
    """The canonical path of what a repair calls: in a rule file `tf` is TensorFlow."""
    path = _dotted(function)
    return canonical_path(f"tensorflow.{path[3:]}") if path.startswith("tf.keras.") else path


def _dotted(node: Any) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _within(layout: Any, node: Any, outer: Any) -> bool:
    while node is not None:
        if node is outer:
            return True
        node = layout.parents.get(node)
    return False


def _equal_nodes(a: Any, b: Any) -> bool:
    return (isinstance(a, Node) and isinstance(b, Node) and a.value == b.value) or (isinstance(a, Path) and a == b)
