"""A repair's expression written with the program's own operands."""

from __future__ import annotations

from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix.departure import Departure, same
from tfnanlint.fix.dialect import Dialect, NoFix, keyword_of, spelled
from tfnanlint.fix.operands import Operands, TwiceComputed
from tfnanlint.fix.text import ADD, ATOM, COMPARE, OPERATORS, UNARY, text_of, whole
from tfnanlint.flow import Node
from tfnanlint.match.captures import ABSENT, Match, Static
from tfnanlint.match.unify import TRANSPARENT
from tfnanlint.ops import OPS, SPELLINGS, Op, Spelling
from tfnanlint.ops.numeric import np
from tfnanlint.source.libraries import library_of
from tfnanlint.source.values import Origin

_COMPARISONS: dict[type, str] = {
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
}
BOUNDS = frozenset({"maximum", "minimum"})
"""Ops that NumPy has under the same name, which a repair puts around an operand of the program."""
_ALONG_ONE_AXIS = frozenset({"softmax", "log_softmax", "softmax_cross_entropy_with_logits"})
"""Ops that take no list of axes in `tf.nn`."""


class Printer:
    """Prints what a repair has for a match as a whole, or for the operand in which it departs from it.

    `expr` is the program's expression that the text is for.
    """

    def __init__(self, match: Match, origin: Origin, expr: Any, departure: Departure | None = None) -> None:
        self.match = match
        self.origin = origin
        self.expr = expr
        self.old = departure.old if departure is not None else None
        self.dialect = Dialect(match, origin)
        self.outermost = departure is None
        root = departure.new if departure is not None else match.pattern.repaired
        self.nodes = _by_expression(root) if isinstance(root, Node) else {}
        repair: Any = match.pattern.repair
        self.root = root.origin.expr if departure is not None else repair.expression
        self.operands = Operands(match, origin, expr, self.old, self.root)
        self.edits: list[Edit] = self.operands.edits
        """What else has to be changed for the text."""

    def printed(self) -> tuple[str, int]:
        """(text, how tightly it binds)."""
        found = self.expression(self.root)
        self.edits += self.dialect.edits
        return found

    def expression(self, node: Any) -> tuple[str, int]:
        """(text, how tightly it binds) of a repair's expression."""
        if isinstance(node, cst.Name):
            return (node.value, ATOM) if node.value in ("True", "False", "None") else self.operands.captured(node.value)
        if isinstance(node, (cst.Integer, cst.SimpleString)):
            return node.value, ATOM
        if isinstance(node, cst.Float):
            return self.operands.number(node.value), ATOM
        own = self.program_text(node)
        if own is not None:
            return own
        if isinstance(node, cst.Call):
            return self.call(node)
        if isinstance(node, cst.UnaryOperation):
            self.outermost = False
            minus = isinstance(node.operator, cst.Minus)
            if minus and isinstance(node.expression, cst.Float):
                return "-" + self.operands.number(node.expression.value), UNARY
            inner, binds = self.expression(node.expression)
            return ("-" if minus else "+") + (inner if binds >= UNARY else f"({inner})"), UNARY
        if isinstance(node, cst.BinaryOperation) and type(node.operator) in OPERATORS:
            self.outermost = False
            sign, binds = OPERATORS[type(node.operator)]
            left, left_binds = self.expression(node.left)
            right, right_binds = self.expression(node.right)
            folded = _product(left, right) if sign == "*" else None
            if folded is not None:
                return folded, ATOM
            if sign in "+-" and right_binds == UNARY and right.startswith("-"):
                sign, right, right_binds = "-" if sign == "+" else "+", right[1:], ATOM
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
            held = self.atom(node.value)
            return f"{held}[{self.expression(node.slice[0].slice.value)[0]}]", ATOM
        if isinstance(node, cst.Attribute) and node.attr.value == "dtype":
            self.outermost = False
            return f"{self.atom(node.value)}.dtype", ATOM
        if isinstance(node, (cst.Tuple, cst.List)):
            self.outermost = False
            inside = ", ".join(self.expression(e.value)[0] for e in node.elements)
            if isinstance(node, cst.List):
                return f"[{inside}]", ATOM
            return f"({inside},)" if len(node.elements) == 1 else f"({inside})", ATOM
        raise NoFix(f"the fix contains a {type(node).__name__}, which fixes do not support")

    def atom(self, node: Any) -> str:
        """The text of a repair's expression to which a subscript or an attribute is added."""
        text, binds = self.expression(node)
        return text if binds == ATOM else f"({text})"

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
            if expression is not None and same(wanted, above.operands[place]) and not self.operands.is_shared(wanted):
                try:
                    return whole(expression, self.operands.text(expression, where))
                except (TwiceComputed, NoFix):
                    return None
        return None

    def call(self, node: cst.Call) -> tuple[str, int]:
        outermost, self.outermost = self.outermost, False
        path = spelled(node.func)
        if path in ("downstream", "nonlinear"):
            raise NoFix("the value to change is used elsewhere, too")
        row = SPELLINGS.get(path)
        if row is None:
            raise NoFix(f"the fix calls {path}, which is not in the op table")
        op, template = row
        given = self.arguments(node, template)
        if op.name == "squared_difference" and not self.dialect.has(op):
            return self.square_of_difference(*(arg.value for arg in node.args)), ATOM
        if (number := self.number_of(op, node)) is not None:
            return number, UNARY if number.startswith("-") else ATOM
        default = op.attrs.get("epsilon")
        held = self.operands.number(repr(default)) if isinstance(default, float) else repr(default)
        if held != repr(default) and "epsilon" not in dict(given):
            given.append(("epsilon", held))
        extra = self.name_argument() if outermost else None
        if extra is not None:
            given.append(("name", extra))
        if op.name in BOUNDS and self.is_of_numpy(node):
            return f"{self.dialect.numpy()}.{op.name}({', '.join(value for _, value in given)})", ATOM
        text, spelling = self.dialect.spell(op, [key for key, _ in given])
        words = []
        for place, (key, value) in enumerate(given):
            in_order = place < len(spelling.parameters) and spelling.parameters[place][0] == key
            if in_order and (place < len(op.operands) or key == "dtype"):
                words.append(value)
            else:
                words.append(f"{keyword_of(spelling, key)}={value}")
        return f"{text}({', '.join(words)})", ATOM

    def number_of(self, op: Op, node: cst.Call) -> str | None:
        """What an op gives for a number that the program writes out, as the number that it is."""
        name = node.args[0].value.value if len(node.args) == 1 and isinstance(node.args[0].value, cst.Name) else ""
        held = self.match.captured.get(name)
        value = held[0].constant if isinstance(held, tuple) and held[0].op == "const" else None
        if not isinstance(value, (int, float)) or not op.elementwise or op.run is None or op.name in TRANSPARENT:
            return None
        return repr(float(op.run(np.asarray(value, "float64"), **op.attrs)))

    def is_of_numpy(self, node: cst.Call) -> bool:
        """Whether a bound is for an array of NumPy, which TensorFlow would turn into a tensor of its own type."""
        names = [arg.value.value for arg in node.args if isinstance(arg.value, cst.Name)]
        held = [self.match.captured.get(name) for name in names]
        values = [one[0] for one in held if isinstance(one, tuple)]
        return bool(values) and all(library_of([value]) == "numpy" for value in values)

    def square_of_difference(self, left: Any, right: Any) -> str:
        """What a family of functions without a squared difference has for it."""
        (minuend, loose), (subtrahend, tight) = self.expression(left), self.expression(right)
        minuend = minuend if loose >= ADD else f"({minuend})"
        subtrahend = subtrahend if tight > ADD else f"({subtrahend})"
        return f"{self.dialect.spell(OPS['square'], [])[0]}({minuend} - {subtrahend})"

    def arguments(self, node: cst.Call, template: Spelling) -> list[tuple[str, str]]:
        """(canonical parameter, text) of a repair's call; parameters that the program leaves out are left out."""
        found: list[tuple[str, str]] = []
        for place, arg in enumerate(node.args):
            key = template.canonical(arg.keyword.value) if arg.keyword is not None else template.parameters[place][0]
            if key is None:
                raise NoFix("the arguments of the fix do not match the op's signature")
            held = self.match.captured.get(arg.value.value) if isinstance(arg.value, cst.Name) else None
            made = SPELLINGS[spelled(node.func)][0]
            if isinstance(held, Static):
                given = self.operands.is_given(held)
                unlike = OPS[held.node.op].attrs.get(held.attribute) != made.attrs.get(key)
                if unlike and (given or held.value is ABSENT):
                    raise NoFix(f"`{held.attribute}` may be left out, and its default differs from the fix's")
                if held.value is ABSENT and not given:
                    continue
                of_one = key == "axis" and made.name in _ALONG_ONE_AXIS and held.node.op not in _ALONG_ONE_AXIS
                if of_one and not isinstance(held.value, int):
                    raise NoFix("the fix supports a single axis only; this uses several")
            found.append((key, self.expression(arg.value)[0]))
        return found

    def name_argument(self) -> str | None:
        """The text of the `name=` of the replaced call."""
        given = self.origin.keywords.get("name")
        return self.operands.text(given, self.origin) if given is not None else None


def _product(left: str, right: str) -> str | None:
    """The product of two numbers; None where one is not a number."""
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
