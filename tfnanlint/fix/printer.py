"""A repair's expression written with the program's own operands: copied where they stand, named where they must be."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix import hoist
from tfnanlint.fix.departure import Departure, same
from tfnanlint.fix.dialect import Dialect, NoFix, keyword_of, same_value, spelled
from tfnanlint.fix.naming import telling_name
from tfnanlint.flow import Node
from tfnanlint.interval import FLOAT_TYPES, shortest
from tfnanlint.match.captures import ABSENT, Match, Static
from tfnanlint.ops import OPS, SPELLINGS, Spelling
from tfnanlint.source.positions import Span
from tfnanlint.source.values import Origin, SourceFile

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
_COMPARISONS: dict[type, str] = {
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
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
_ALONG_ONE_AXIS = frozenset({"softmax", "log_softmax", "softmax_cross_entropy_with_logits"})
"""Ops that take no list of axes in `tf.nn`."""
_NARROW = ("float16", "bfloat16")


class _TwiceComputed(Exception):
    """An operand of an earlier statement that is too dear, or too impure, to be written once more."""


def binding_of(node: cst.CSTNode) -> int:
    """How tightly an expression binds when written without its own parentheses."""
    if isinstance(node, _ATOMS):
        return ATOM
    if isinstance(node, cst.BinaryOperation) and type(node.operator) in _OPERATORS:
        return _OPERATORS[type(node.operator)][1]
    if isinstance(node, cst.UnaryOperation) and not isinstance(node.operator, cst.Not):
        return UNARY
    return LOWEST


def text_of(file: SourceFile, span: Span) -> str:
    """The text of a span, as it stands in the file."""
    lines = file.lines
    line, column, end_line, end_column = span
    if line == end_line:
        return lines[line - 1][column - 1 : end_column - 1]
    return "".join([lines[line - 1][column - 1 :], *lines[line : end_line - 1], lines[end_line - 1][: end_column - 1]])


def with_edits(file: SourceFile, span: Span, edits: list[Edit]) -> str:
    """The text of a span after edits; where one lies outside it, what the edits put there."""
    line, column, end_line, end_column = span
    if any((e.line, e.column) < (line, column) or (e.end_line, e.end_column) > (end_line, end_column) for e in edits):
        return "; ".join(edit.text for edit in edits)
    parts: list[str] = []
    for edit in sorted(edits, key=lambda e: (e.line, e.column)):
        parts += [text_of(file, (line, column, edit.line, edit.column)), edit.text]
        line, column = edit.end_line, edit.end_column
    return "".join([*parts, text_of(file, (line, column, end_line, end_column))])


class Printer:
    """Prints what a repair has for a match as a whole, or for the operand in which it departs from it.

    `expr` is the program's expression that the text is for; `edits` are what else has to be changed for it.
    """

    def __init__(self, match: Match, origin: Origin, expr: Any, departure: Departure | None = None) -> None:
        self.match = match
        self.origin = origin
        self.expr = expr
        self.old = departure.old if departure is not None else None
        self.dialect = Dialect(match, origin)
        self.outermost = departure is None
        self.edits: list[Edit] = []
        self.replaced: list[Any] = []
        self.gone: list[str] = []
        self.named: dict[str, str] = {}
        self.definitions: list[str] = []
        root = departure.new if departure is not None else match.pattern.repaired
        self.nodes = _by_expression(root) if isinstance(root, Node) else {}
        repair: Any = match.pattern.repair
        self.root = root.origin.expr if departure is not None else repair.expression
        self.uses = Counter(n.value for n in hoist.walk(self.root) if isinstance(n, cst.Name))

    def printed(self) -> tuple[str, int]:
        """(text, how tightly it binds)."""
        found = self.expression(self.root)
        self.edits += self.dialect.edits
        return found

    def expression(self, node: Any) -> tuple[str, int]:
        """(text, how tightly it binds) of a repair's expression."""
        if isinstance(node, cst.Name):
            return (node.value, ATOM) if node.value in ("True", "False", "None") else self.captured(node.value)
        if isinstance(node, (cst.Integer, cst.SimpleString)):
            return node.value, ATOM
        if isinstance(node, cst.Float):
            return self.number(node.value), ATOM
        own = self.program_text(node)
        if own is not None:
            return own
        if isinstance(node, cst.Call):
            return self.call(node)
        if isinstance(node, cst.UnaryOperation):
            self.outermost = False
            minus = isinstance(node.operator, cst.Minus)
            if minus and isinstance(node.expression, cst.Float):
                return "-" + self.number(node.expression.value), UNARY
            inner, binds = self.expression(node.expression)
            return ("-" if minus else "+") + (inner if binds >= UNARY else f"({inner})"), UNARY
        if isinstance(node, cst.BinaryOperation) and type(node.operator) in _OPERATORS:
            self.outermost = False
            sign, binds = _OPERATORS[type(node.operator)]
            left, left_binds = self.expression(node.left)
            right, right_binds = self.expression(node.right)
            folded = _product(left, right) if sign == "*" else None
            if folded is not None:
                return folded, ATOM
            left = left if left_binds >= binds + (sign == "**") else f"({left})"
            right = right if right_binds > binds else f"({right})"
            space = "" if sign == "**" else " "
            return f"{left}{space}{sign}{space}{right}", binds
        if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
            self.outermost = False
            sign = _COMPARISONS[type(node.comparisons[0].operator)]
            sides = [self.expression(side) for side in (node.left, node.comparisons[0].comparator)]
            words = [inner if tight > COMPARE else f"({inner})" for inner, tight in sides]
            return f" {sign} ".join(words), COMPARE
        if isinstance(node, cst.Subscript) and isinstance(node.slice[0].slice, cst.Index):
            self.outermost = False
            held, binds = self.expression(node.value)
            place, _ = self.expression(node.slice[0].slice.value)
            return f"{held if binds == ATOM else f'({held})'}[{place}]", ATOM
        if isinstance(node, cst.Attribute) and node.attr.value == "dtype":
            self.outermost = False
            held, binds = self.expression(node.value)
            return f"{held if binds == ATOM else f'({held})'}.dtype", ATOM
        if isinstance(node, (cst.Tuple, cst.List)):
            self.outermost = False
            inside = ", ".join(self.expression(e.value)[0] for e in node.elements)
            if isinstance(node, cst.List):
                return f"[{inside}]", ATOM
            return f"({inside},)" if len(node.elements) == 1 else f"({inside})", ATOM
        raise NoFix(f"the repair uses {type(node).__name__}, which cannot be written yet")

    def number(self, text: str) -> str:
        """A number of the repair, as the operands' type can hold it: an epsilon is no 0, what is next to 1 no 1."""
        kind = FLOAT_TYPES.get(self.match.other_dtype or "")
        value = float(text)
        if kind is None or kind.name not in _NARROW or value == 0:
            return text
        if value < kind.least:
            return f"1e{math.ceil(math.log10(kind.least))}"
        held = kind.round(value)
        if held == value or held not in (1.0, 2.0):
            return text
        return shortest(held * (1.0 - 2.0**-kind.digits if value < held else 1.0 + 2.0 ** (1 - kind.digits)), kind)

    def program_text(self, node: Any) -> tuple[str, int] | None:
        """A part of the repair that the program has computed already, as it is written there."""
        wanted = self.nodes.get(node)
        if wanted is None or wanted.op in ("const", "unknown"):
            return None
        if self.old is not None and same(wanted, self.old):
            return whole(self.expr, text_of(self.origin.file, self.origin.file.layout.spans[self.expr]))
        for (above, place), (value, user) in self.match.places.items():
            where: Origin = user.origin
            expression = where.expression_of(value)
            if expression is not None and same(wanted, above.operands[place]) and not self.is_shared(wanted):
                try:
                    return whole(expression, self.text(expression, where))
                except (_TwiceComputed, NoFix):
                    return None
        return None

    def call(self, node: cst.Call) -> tuple[str, int]:
        outermost, self.outermost = self.outermost, False
        path = spelled(node.func)
        if path == "downstream":
            raise NoFix("what would have to change is of use elsewhere")
        row = SPELLINGS.get(path)
        if row is None:
            raise NoFix(f"the repair calls {path}, which is no known op")
        op, template = row
        given = self.arguments(node, template)
        default = op.attrs.get("epsilon")
        if isinstance(default, float) and "epsilon" not in dict(given) and self.number(repr(default)) != repr(default):
            given.append(("epsilon", self.number(repr(default))))
        extra = self.name_argument() if outermost else None
        if extra is not None:
            given.append(("name", extra))
        text, spelling = self.dialect.spell(op, [key for key, _ in given])
        words = []
        for place, (key, value) in enumerate(given):
            in_order = place < len(spelling.parameters) and spelling.parameters[place][0] == key
            if in_order and (place < len(op.operands) or key == "dtype"):
                words.append(value)
            else:
                words.append(f"{keyword_of(spelling, key)}={value}")
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
                if OPS[held.node.op].attrs.get(held.attribute) != SPELLINGS[spelled(node.func)][0].attrs.get(key):
                    raise NoFix(f"{held.attribute} is not given, and its default here is another one")
                continue
            of_one = key == "axis" and SPELLINGS[spelled(node.func)][0].name in _ALONG_ONE_AXIS
            if of_one and isinstance(held, Static) and isinstance(held.value, (tuple, list)):
                raise NoFix("the repair goes along one axis, and this along a list of them")
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
            given = held.node.origin.keywords.get(held.attribute)
            if given is None:
                return repr(held.value), ATOM
            try:
                return whole(given, self.text(given, held.node.origin))
            except _TwiceComputed:
                raise NoFix(f"the repair would compute `{held.attribute}` once more") from None
        if held is None:
            raise NoFix(f"the repair needs {name}, which is not there")
        value, user = held
        constant = value.attrs.get("value") if value.op == "const" else None
        if isinstance(constant, float) and self.number(repr(constant)) != repr(constant):
            return self.number(repr(constant)), ATOM  # the program's own is lost in its type
        where: Origin = user.origin
        if self.old is not None and self.old.op == "input" and self.old.attrs["name"] == name:
            expression: cst.BaseExpression | None = self.expr
            where = self.origin
        else:
            expression = where.expression_of(value)
        if expression is None:
            raise NoFix("an operand is not written as an expression of its own")
        try:
            text = self.text(expression, where)
            if self.is_written_again(name, expression):
                return self.named_beforehand(name, expression, where), ATOM
        except _TwiceComputed:
            return self.hoisted(name, expression, where), ATOM
        return whole(expression, text)

    def is_shared(self, part: Node) -> bool:
        """Whether a part of the repair is made of an operand that has to be given a name first."""
        stack = [part]
        while stack:
            node = stack.pop()
            stack.extend(node.operands)
            held = self.match.captured.get(node.attrs["name"]) if node.op == "input" else None
            if isinstance(held, tuple) and self.is_written_again(
                node.attrs["name"], held[1].origin.expression_of(held[0])
            ):
                return True
        return False

    def is_written_again(self, name: str, expression: cst.BaseExpression | None) -> bool:
        """Whether the repair writes an operand more often than the program did, which it is too dear for."""
        if expression is None or hoist.is_cheap(expression):
            return False
        return self.uses[name] > max(self.copies(name), 1)

    def copies(self, name: str) -> int:
        """How often the program writes the operand that a variable stands for in what is replaced."""
        layout = self.origin.file.layout
        found = set()
        for (above, place), (value, user) in self.match.places.items():
            wanted = above.operands[place]
            expression = user.origin.expression_of(value)
            named = wanted.op == "input" and wanted.attrs["name"] == name
            if named and expression is not None and hoist.is_within(layout, expression, self.expr):
                found.add(id(expression))
        return len(found)

    def named_beforehand(self, variable: str, expression: cst.BaseExpression, where: Origin) -> str:
        """The new name of an operand of this very statement, which the repair takes more than once."""
        if variable in self.named:
            return self.named[variable]
        file = where.file
        name = self.new_name(variable, expression, file)
        text = text_of(file, file.layout.spans[expression])
        edits = hoist.name_operand(file, where, expression, text, name, replace_statement=False)
        if edits is None or not hoist.is_first(file, self.origin.scope, self.origin.time, expression):
            raise NoFix("its operand would be computed twice")
        return self.introduced(variable, name, text, edits[:1])

    def hoisted(self, variable: str, expression: cst.BaseExpression, where: Origin) -> str:
        """The new name of an operand that an earlier statement computes."""
        if variable in self.named:
            return self.named[variable]
        file = where.file
        statement = hoist.statement_of(file, where.expr)
        if statement is None:
            raise NoFix("its operand would be computed twice")
        name = self.new_name(variable, expression, file)
        assigned = hoist.assigned_name(statement, where.expr)
        alone = (
            assigned is not None
            and statement in hoist.dispensable(self.match.matched, self.origin)
            and not self.is_read_by_another(variable, assigned)
        )
        text = text_of(file, file.layout.spans[expression])
        edits = hoist.name_operand(file, where, expression, text, name, replace_statement=alone)
        if edits is None or (alone and text_of(file, file.layout.spans[where.expr]).count("#") > text.count("#")):
            raise NoFix("its operand would be computed twice")
        self.replaced.append(statement)
        if alone and assigned is not None:
            self.gone.append(assigned)
        return self.introduced(variable, name, text, edits)

    def is_read_by_another(self, variable: str, name: str) -> bool:
        """Whether an operand that the repair takes as it is written, other than this variable's, reads a name."""
        repair = self.match.pattern.repair
        others = [self.match.captured.get(v) for v in (repair.variables if repair is not None else ()) if v != variable]
        written = [held[1].origin.expression_of(held[0]) for held in others if isinstance(held, tuple)]
        return any(
            isinstance(part, cst.Name) and part.value == name
            for expression in written
            if expression is not None
            for part in hoist.walk(expression)
        )

    def new_name(self, variable: str, expression: cst.BaseExpression, file: SourceFile) -> str:
        """A name that is free here: the variable's where the rule gives it one that says something."""
        held = self.match.captured[variable]
        user = held[1].op if isinstance(held, tuple) else ""
        wanted = variable if len(variable) > 1 else telling_name(expression, user)
        return hoist.new_name(self.origin.scope, wanted, file, expression)

    def introduced(self, variable: str, name: str, text: str, edits: list[Edit]) -> str:
        """Take note of a new name and of the edits that give it."""
        self.edits += edits
        self.named[variable] = name
        self.definitions.append(f"{name} = {' '.join(text.split())}")
        return name

    def text(self, expression: cst.BaseExpression, where: Origin) -> str:
        """The text of an expression, if it still means the same where the repair is put."""
        layout = where.file.layout
        if not hoist.is_within(layout, expression, self.expr):
            self.unchanged(expression, where)
        return text_of(where.file, layout.spans[expression])

    def unchanged(self, expression: cst.BaseExpression, where: Origin) -> None:
        """Refuse unless an expression evaluated elsewhere gives the same value again, at no cost."""
        for node in hoist.walk(expression):
            if isinstance(node, cst.Name) and not hoist.is_attribute_name(where.file, node):
                before = where.scope.value_at(node.value, where.time)
                now = self.origin.scope.value_at(node.value, self.origin.time)
                if not same_value(before, now):
                    raise NoFix(f"`{node.value}` has another value by then")
        if not hoist.is_cheap(expression):
            raise _TwiceComputed
        changed = hoist.changed_between(where, expression, self.origin, self.expr)
        if changed is not None:
            raise NoFix(f"`{changed}` may have another value by then")


def _product(left: str, right: str) -> str | None:
    """The product of two numbers; None where one is no number."""
    try:
        return repr(float(left) * float(right))
    except ValueError:
        return None


def _by_expression(root: Node) -> dict[Any, Node]:
    """The nodes of a repair by the syntax they come from."""
    found: dict[Any, Node] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.origin is not None and node.origin.expr not in found:
            found[node.origin.expr] = node
            stack.extend(node.operands)
    return found


def whole(expression: cst.BaseExpression, text: str) -> tuple[str, int]:
    """The text of an expression with the parentheses that it cannot be without, and how tightly that binds."""
    if isinstance(expression, (cst.Tuple, cst.GeneratorExp)):
        return f"({text})", ATOM
    binds = binding_of(expression)
    return text, binds if "\n" not in text or binds == ATOM else LOWEST
