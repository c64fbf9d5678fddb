"""How each kind of expression is drawn."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import chain
from operator import attrgetter
from typing import Any

from tfnanlint.source import grammar
from tfnanlint.source.sketch.pen import Draw, Pen, made, named


def _name(pen: Pen, node: ast.Name) -> Any:
    drawn = grammar.Name()
    drawn.value = node.id
    return drawn


def _attribute(pen: Pen, node: ast.Attribute) -> Any:
    drawn, attr = grammar.Attribute(), grammar.Name()
    attr.value = node.attr
    drawn.value = pen.draw(node.value)
    drawn.attr = attr
    return drawn


def _constant(pen: Pen, node: ast.Constant) -> Any:
    value: Any = node.value
    kind = type(value)
    if kind is str:
        return _literal(grammar.SimpleString(), _quoted(value))
    if kind is int:
        return _literal(grammar.Integer(), hex(value))  # of any length: decimal digits are limited
    if kind is float:
        return _literal(grammar.Float(), repr(value))
    if kind is bytes:
        return _literal(grammar.SimpleString(), repr(value))
    return named(str(value)) if value is None or kind is bool else grammar.Ellipsis()


def _literal(drawn: grammar.SimpleString | grammar.Integer | grammar.Float, text: str) -> grammar.Expression:
    drawn.value = text
    return drawn


def _quoted(text: str) -> str:
    """A literal that is read as it stands between its quotes, unless it has a backslash."""
    if "\\" in text:
        return repr(text)
    return f'"{text}"' if text.startswith("'") else f"'{text}'"


def _call(pen: Pen, node: ast.Call) -> Any:
    drawn = grammar.Call()
    drawn.func = pen.draw(node.func)
    drawn.args = _arguments(pen, node.args, node.keywords)
    return drawn


def _arguments(pen: Pen, positional: list[ast.expr], keywords: list[ast.keyword]) -> list[Any]:
    """Arguments in the order in which they are written."""
    written: Iterable[ast.expr | ast.keyword] = chain(positional, keywords)
    if keywords and positional and type(positional[-1]) is ast.Starred:
        written = sorted(written, key=attrgetter("lineno", "col_offset"))
    return [argument(pen, one) for one in written]


def argument(pen: Pen, given: ast.expr | ast.keyword) -> Any:
    star, keyword = "", None
    if isinstance(given, ast.keyword):
        if given.arg is None:
            star = "**"
        else:
            keyword = named(given.arg)
        given = given.value
    elif isinstance(given, ast.Starred):
        star, given = "*", given.value
    drawn = grammar.Arg()
    drawn.keyword = keyword
    drawn.star = star
    drawn.value = pen.draw(given)
    return drawn


def _binary(pen: Pen, node: ast.BinOp) -> Any:
    drawn = grammar.BinaryOperation()
    drawn.left = pen.draw(node.left)
    drawn.operator = _BINARY[type(node.op)]
    drawn.right = pen.draw(node.right)
    return drawn


def _unary(pen: Pen, node: ast.UnaryOp) -> Any:
    return made(grammar.UnaryOperation, operator=_UNARY[type(node.op)], expression=pen.draw(node.operand))


def _boolean(pen: Pen, node: ast.BoolOp) -> Any:
    operator = _BOOLEAN[type(node.op)]
    left, *rest = (pen.draw(value) for value in node.values)
    for right in rest:
        left = made(grammar.BooleanOperation, left=left, operator=operator, right=right)
    return left


def _comparison(pen: Pen, node: ast.Compare) -> Any:
    targets = [
        made(grammar.ComparisonTarget, operator=_COMPARISONS[type(op)], comparator=pen.draw(right))
        for op, right in zip(node.ops, node.comparators, strict=True)
    ]
    return made(grammar.Comparison, left=pen.draw(node.left), comparisons=targets)


def _conditional(pen: Pen, node: ast.IfExp) -> Any:
    test, body, orelse = pen.draw(node.test), pen.draw(node.body), pen.draw(node.orelse)
    return made(grammar.IfExp, test=test, body=body, orelse=orelse)


def _display(kind: type[grammar.Tuple | grammar.List]) -> Draw:
    def display(pen: Pen, node: ast.Tuple | ast.List) -> Any:
        drawn = kind()
        drawn.elements = [_element(pen, element) for element in node.elts]
        return drawn

    return display


def _element(pen: Pen, node: ast.expr) -> Any:
    if type(node) is ast.Starred:
        return made(grammar.StarredElement, value=pen.draw(node.value))
    drawn = grammar.Element()
    drawn.value = pen.draw(node)
    return drawn


def _dictionary(pen: Pen, node: ast.Dict) -> Any:
    elements = [
        made(grammar.StarredDictElement, value=pen.draw(value))
        if key is None
        else made(grammar.DictElement, key=pen.draw(key), value=pen.draw(value))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return made(grammar.Dict, elements=elements)


def _subscript(pen: Pen, node: ast.Subscript) -> Any:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) and _is_bare(node.slice) else [node.slice]
    drawn = made(grammar.Subscript, value=pen.draw(node.value), slice=[_index(pen, part) for part in parts])
    if any(
        isinstance(one.slice, grammar.Slice) or isinstance(one.slice.value, grammar.Ellipsis) for one in drawn.slice
    ):
        pen.slices[drawn] = node
    return drawn


def _is_bare(node: ast.Tuple) -> bool:
    """Whether a tuple stands without parentheses of its own, between those of a subscript."""
    if not node.elts or any(isinstance(part, ast.Slice) for part in node.elts):
        return bool(node.elts)
    first, last = node.elts[0], node.elts[-1]
    starts = (node.lineno, node.col_offset) == (first.lineno, first.col_offset)
    return starts or (node.end_lineno, node.end_col_offset) == (last.end_lineno, last.end_col_offset)


def _index(pen: Pen, node: ast.expr) -> Any:
    if isinstance(node, ast.Slice):
        lower, upper, step = pen.drawn(node.lower), pen.drawn(node.upper), pen.drawn(node.step)
        return made(grammar.SubscriptElement, slice=made(grammar.Slice, lower=lower, upper=upper, step=step))
    value = pen.draw(node.value if isinstance(node, ast.Starred) else node)
    element, index = grammar.SubscriptElement(), grammar.Index()
    element.slice, index.value = index, value
    return element


def _lambda(pen: Pen, node: ast.Lambda) -> Any:
    return made(grammar.Lambda, params=parameters(pen, node.args), body=pen.draw(node.body))


def _comprehension(kind: type) -> Draw:
    def comprehension(pen: Pen, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Any:
        return made(kind, elt=pen.draw(node.elt), for_in=_generators(pen, node.generators))

    return comprehension


def _dictionary_comprehension(pen: Pen, node: ast.DictComp) -> Any:
    key, value = pen.draw(node.key), pen.draw(node.value)
    return made(grammar.DictComp, key=key, value=value, for_in=_generators(pen, node.generators))


def _generators(pen: Pen, generators: list[ast.comprehension]) -> Any:
    inner = None
    for one in reversed(generators):
        inner = made(
            grammar.CompFor,
            target=pen.draw(one.target),
            iter=pen.draw(one.iter),
            ifs=[made(grammar.CompIf, test=pen.draw(test)) for test in one.ifs],
            inner_for_in=inner,
        )
    return inner


def _walrus(pen: Pen, node: ast.NamedExpr) -> Any:
    return made(grammar.NamedExpr, target=pen.draw(node.target), value=pen.draw(node.value))


def _formatted(pen: Pen, node: ast.JoinedStr) -> Any:
    return made(grammar.FormattedString, parts=[_part_of_text(pen, part) for part in node.values])


def _part_of_text(pen: Pen, node: ast.expr) -> Any:
    if not isinstance(node, ast.FormattedValue):
        return made(grammar.FormattedStringText, value=str(getattr(node, "value", "")))
    conversion = None if node.conversion == -1 else chr(node.conversion)
    drawn = pen.draw(node.value)
    return made(
        grammar.FormattedStringExpression, expression=drawn, conversion=conversion, format_spec=node.format_spec
    )


def _yield(pen: Pen, node: ast.Yield) -> Any:
    return made(grammar.Yield, value=pen.drawn(node.value))


def _yield_from(pen: Pen, node: ast.YieldFrom) -> Any:
    return made(grammar.Yield, value=made(grammar.From, item=pen.draw(node.value)))


def _await(pen: Pen, node: ast.Await) -> Any:
    return made(grammar.Await, expression=pen.draw(node.value))


def parameters(pen: Pen, node: ast.arguments) -> Any:
    positional = [*node.posonlyargs, *node.args]
    bare = len(positional) - len(node.defaults)
    defaults = [None] * bare + [pen.draw(default) for default in node.defaults]
    drawn = [_parameter(pen, one, default) for one, default in zip(positional, defaults, strict=True)]
    first = len(node.posonlyargs)
    return made(
        grammar.Parameters,
        posonly_params=drawn[:first],
        params=drawn[first:],
        kwonly_params=[
            _parameter(pen, one, pen.drawn(default))
            for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
        ],
        star_arg=_parameter(pen, node.vararg) if node.vararg else None,
        star_kwarg=_parameter(pen, node.kwarg) if node.kwarg else None,
    )


def _parameter(pen: Pen, node: ast.arg, default: Any = None) -> Any:
    drawn = grammar.Param()
    drawn.name, drawn.default, drawn.annotation = named(node.arg), default, None
    if node.annotation is not None:
        drawn.annotation = made(grammar.Annotation, annotation=pen.draw(node.annotation))
    return drawn


def _operator(name: str) -> grammar.Syntax:
    """An operator, which has nothing but its kind."""
    operator: grammar.Syntax = grammar.Kind(name, (grammar.Syntax,), {})()
    return operator


_NAMES = {
    ast.Add: "Add",
    ast.Sub: "Subtract",
    ast.Mult: "Multiply",
    ast.Div: "Divide",
    ast.FloorDiv: "FloorDivide",
    ast.Mod: "Modulo",
    ast.Pow: "Power",
    ast.MatMult: "MatrixMultiply",
    ast.LShift: "LeftShift",
    ast.RShift: "RightShift",
    ast.BitOr: "BitOr",
    ast.BitXor: "BitXor",
    ast.BitAnd: "BitAnd",
}
_BINARY = {kind: _operator(name) for kind, name in _NAMES.items()}
AUGMENTED = {kind: _operator(f"{name}Assign") for kind, name in _NAMES.items()}
_UNARY = {
    ast.USub: _operator("Minus"),
    ast.UAdd: _operator("Plus"),
    ast.Not: _operator("Not"),
    ast.Invert: _operator("BitInvert"),
}
_BOOLEAN = {ast.And: _operator("And"), ast.Or: _operator("Or")}
_COMPARISONS = {
    ast.Eq: _operator("Equal"),
    ast.NotEq: _operator("NotEqual"),
    ast.Lt: _operator("LessThan"),
    ast.LtE: _operator("LessThanEqual"),
    ast.Gt: _operator("GreaterThan"),
    ast.GtE: _operator("GreaterThanEqual"),
    ast.Is: _operator("Is"),
    ast.IsNot: _operator("IsNot"),
    ast.In: _operator("In"),
    ast.NotIn: _operator("NotIn"),
}
EXPRESSIONS: dict[type, Draw] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _conditional,
    ast.Tuple: _display(grammar.Tuple),
    ast.List: _display(grammar.List),
    ast.Dict: _dictionary,
    ast.Subscript: _subscript,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension(grammar.ListComp),
    ast.GeneratorExp: _comprehension(grammar.GeneratorExp),
    ast.SetComp: _comprehension(grammar.SetComp),
    ast.DictComp: _dictionary_comprehension,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.JoinedStr: _formatted,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
