"""Syntax trees in libcst's shapes, drawn after the tree of Python's own parser as far as the lowering looks at them.

libcst keeps every blank and comment, which a repair needs and the search for a hazard does not: most files hold none,
and a sketch of them costs a fraction of their syntax tree in time and in memory. It has no white space, no parentheses
and no positions; a block is drawn when it is first looked into, so that of an imported module little but what is called
is drawn at all. What a sketch leaves out is missing, not empty: asking for it is an `AttributeError`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import libcst as cst

from tfnanlint.source.positions import python_lines

_set = object.__setattr__
_new: Callable[[Any], Any] = object.__new__


class Sketch:
    """What the lowering looks at of a module: its body, and the text of a subscript."""

    def __init__(self, tree: ast.Module, text: str) -> None:
        self._text = text
        self._pen = _Pen()
        self._block = _Block(self._pen, tree.body)

    @property
    def body(self) -> Sequence[Any]:
        return self._block.body

    def code_for_node(self, node: cst.CSTNode) -> str:
        """The text of a subscript with a slice in it."""
        drawn = self._pen.slices[node]
        lines = python_lines(self._text)[drawn.lineno - 1 : drawn.end_lineno]
        lines[-1] = lines[-1].encode()[: drawn.end_col_offset].decode()
        lines[0] = lines[0].encode()[drawn.col_offset :].decode()
        return "".join(lines)


class _Pen:
    """Draws; and keeps where subscripts with slices stand, whose text is asked for."""

    def __init__(self) -> None:
        self.slices: dict[Any, ast.Subscript] = {}

    def statements(self, body: Sequence[ast.stmt]) -> list[Any]:
        """A block's statements, those without a block of their own line by line."""
        found: list[Any] = []
        line: list[Any] = []
        last = 0
        for statement in body:
            if (compound := _COMPOUND.get(type(statement))) is not None:
                found.append(compound(self, statement))
                line = []
                continue
            small = _SMALL.get(type(statement), _nothing)(self, statement)
            if line and statement.lineno == last:
                line.append(small)
            else:
                line = [small]
                found.append(_made(cst.SimpleStatementLine, body=line))
            last = statement.end_lineno or 0
        return found

    def draw(self, node: ast.expr) -> Any:
        """An expression."""
        return _EXPRESSIONS.get(type(node), _unread)(self, node)

    def drawn(self, node: ast.expr | None) -> Any:
        """An expression that may be missing."""
        return None if node is None else _EXPRESSIONS.get(type(node), _unread)(self, node)


Draw = Callable[[_Pen, Any], Any]


class _Block:
    """A block that is drawn at the first look."""

    __slots__ = ("_drawn", "_pen", "_statements")

    def __init__(self, pen: _Pen, statements: Sequence[ast.stmt]) -> None:
        self._pen = pen
        self._statements = statements
        self._drawn: list[Any] | None = None

    @property
    def body(self) -> Sequence[Any]:
        if self._drawn is None:
            self._drawn = self._pen.statements(self._statements)
            self._statements = ()
        return self._drawn


def _made(kind: type, **fields: Any) -> Any:
    """A syntax node with these fields and no other."""
    node = _new(kind)
    for name, value in fields.items():
        _set(node, name, value)
    return node


def _named(name: str) -> Any:
    node = _new(cst.Name)
    _set(node, "value", name)
    return node


def _dotted(name: str) -> Any:
    first, *rest = name.split(".")
    node = _named(first)
    for one in rest:
        node = _made(cst.Attribute, value=node, attr=_named(one))
    return node


# Expressions.


def _unread(pen: _Pen, node: Any) -> Any:
    """An expression into which the lowering does not look."""
    return _new(cst.FormattedString)


def _name(pen: _Pen, node: ast.Name) -> Any:
    drawn = _new(cst.Name)
    _set(drawn, "value", node.id)
    return drawn


def _attribute(pen: _Pen, node: ast.Attribute) -> Any:
    drawn = _new(cst.Attribute)
    _set(drawn, "value", pen.draw(node.value))
    _set(drawn, "attr", _named(node.attr))
    return drawn


def _constant(pen: _Pen, node: ast.Constant) -> Any:
    value: Any = node.value
    kind = type(value)
    if kind is int:
        return _made(cst.Integer, value=hex(value))  # of any length: decimal digits are limited
    if kind is float:
        return _made(cst.Float, value=repr(value))
    if kind is str:
        return _made(cst.SimpleString, value=_quoted(value))
    if kind is bytes:
        return _made(cst.SimpleString, value=repr(value))
    return _named(str(value)) if value is None or kind is bool else _new(cst.Ellipsis)


def _quoted(text: str) -> str:
    """A literal that is read as it stands between its quotes, unless it has a backslash."""
    if "\\" in text:
        return repr(text)
    return f'"{text}"' if text.startswith("'") else f"'{text}'"


def _call(pen: _Pen, node: ast.Call) -> Any:
    drawn = _new(cst.Call)
    _set(drawn, "func", pen.draw(node.func))
    _set(drawn, "args", _arguments(pen, node.args, node.keywords))
    return drawn


def _arguments(pen: _Pen, positional: list[ast.expr], keywords: list[ast.keyword]) -> list[Any]:
    """Arguments in the order in which they are written."""
    written: Iterable[ast.expr | ast.keyword] = chain(positional, keywords)
    if keywords and positional and isinstance(positional[-1], ast.Starred):
        written = sorted(written, key=attrgetter("lineno", "col_offset"))
    return [_argument(pen, one) for one in written]


def _argument(pen: _Pen, given: ast.expr | ast.keyword) -> Any:
    drawn = _new(cst.Arg)
    _set(drawn, "keyword", None)
    _set(drawn, "star", "")
    if isinstance(given, ast.keyword):
        if given.arg is None:
            _set(drawn, "star", "**")
        else:
            _set(drawn, "keyword", _named(given.arg))
        given = given.value
    elif isinstance(given, ast.Starred):
        _set(drawn, "star", "*")
        given = given.value
    _set(drawn, "value", pen.draw(given))
    return drawn


def _binary(pen: _Pen, node: ast.BinOp) -> Any:
    return _made(
        cst.BinaryOperation,
        left=pen.draw(node.left),
        operator=_new(_OPERATORS[type(node.op)][0]),
        right=pen.draw(node.right),
    )


def _unary(pen: _Pen, node: ast.UnaryOp) -> Any:
    operator = _new(_UNARY[type(node.op)])
    return _made(cst.UnaryOperation, operator=operator, expression=pen.draw(node.operand))


def _boolean(pen: _Pen, node: ast.BoolOp) -> Any:
    kind = cst.And if isinstance(node.op, ast.And) else cst.Or
    left, *rest = (pen.draw(value) for value in node.values)
    for right in rest:
        left = _made(cst.BooleanOperation, left=left, operator=_new(kind), right=right)
    return left


def _comparison(pen: _Pen, node: ast.Compare) -> Any:
    targets = [
        _made(cst.ComparisonTarget, operator=_new(_COMPARISONS[type(op)]), comparator=pen.draw(right))
        for op, right in zip(node.ops, node.comparators, strict=True)
    ]
    return _made(cst.Comparison, left=pen.draw(node.left), comparisons=targets)


def _conditional(pen: _Pen, node: ast.IfExp) -> Any:
    test, body, orelse = pen.draw(node.test), pen.draw(node.body), pen.draw(node.orelse)
    return _made(cst.IfExp, test=test, body=body, orelse=orelse)


def _display(kind: type) -> Draw:
    def display(pen: _Pen, node: ast.Tuple | ast.List) -> Any:
        return _made(kind, elements=[_element(pen, element) for element in node.elts])

    return display


def _element(pen: _Pen, node: ast.expr) -> Any:
    if isinstance(node, ast.Starred):
        return _made(cst.StarredElement, value=pen.draw(node.value))
    return _made(cst.Element, value=pen.draw(node))


def _dictionary(pen: _Pen, node: ast.Dict) -> Any:
    elements = [
        _made(cst.StarredDictElement, value=pen.draw(value))
        if key is None
        else _made(cst.DictElement, key=pen.draw(key), value=pen.draw(value))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return _made(cst.Dict, elements=elements)


def _subscript(pen: _Pen, node: ast.Subscript) -> Any:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) and _is_bare(node.slice) else [node.slice]
    drawn = _made(cst.Subscript, value=pen.draw(node.value), slice=[_index(pen, part) for part in parts])
    if any(isinstance(part, ast.Slice) for part in parts):
        pen.slices[drawn] = node
    return drawn


def _is_bare(node: ast.Tuple) -> bool:
    """Whether a tuple stands without parentheses of its own, between those of a subscript."""
    if not node.elts or any(isinstance(part, ast.Slice) for part in node.elts):
        return bool(node.elts)
    first, last = node.elts[0], node.elts[-1]
    starts = (node.lineno, node.col_offset) == (first.lineno, first.col_offset)
    return starts or (node.end_lineno, node.end_col_offset) == (last.end_lineno, last.end_col_offset)


def _index(pen: _Pen, node: ast.expr) -> Any:
    if isinstance(node, ast.Slice):
        lower, upper, step = pen.drawn(node.lower), pen.drawn(node.upper), pen.drawn(node.step)
        return _made(cst.SubscriptElement, slice=_made(cst.Slice, lower=lower, upper=upper, step=step))
    value = pen.draw(node.value if isinstance(node, ast.Starred) else node)
    return _made(cst.SubscriptElement, slice=_made(cst.Index, value=value))


def _lambda(pen: _Pen, node: ast.Lambda) -> Any:
    return _made(cst.Lambda, params=_parameters(pen, node.args), body=pen.draw(node.body))


def _comprehension(kind: type) -> Draw:
    def comprehension(pen: _Pen, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Any:
        return _made(kind, elt=pen.draw(node.elt), for_in=_generators(pen, node.generators))

    return comprehension


def _dictionary_comprehension(pen: _Pen, node: ast.DictComp) -> Any:
    key, value = pen.draw(node.key), pen.draw(node.value)
    return _made(cst.DictComp, key=key, value=value, for_in=_generators(pen, node.generators))


def _generators(pen: _Pen, generators: list[ast.comprehension]) -> Any:
    inner = None
    for one in reversed(generators):
        inner = _made(
            cst.CompFor,
            target=pen.draw(one.target),
            iter=pen.draw(one.iter),
            ifs=[_made(cst.CompIf, test=pen.draw(test)) for test in one.ifs],
            inner_for_in=inner,
        )
    return inner


def _walrus(pen: _Pen, node: ast.NamedExpr) -> Any:
    return _made(cst.NamedExpr, target=pen.draw(node.target), value=pen.draw(node.value))


def _await(pen: _Pen, node: ast.Await) -> Any:
    return _made(cst.Await, expression=pen.draw(node.value))


# Statements in a line.


def _nothing(pen: _Pen, node: Any) -> Any:
    """A statement that does nothing to any value."""
    return _new(cst.Pass)


def _expression(pen: _Pen, node: ast.Expr) -> Any:
    return _made(cst.Expr, value=pen.draw(node.value))


def _assign(pen: _Pen, node: ast.Assign) -> Any:
    targets = [_made(cst.AssignTarget, target=pen.draw(target)) for target in node.targets]
    return _made(cst.Assign, targets=targets, value=pen.draw(node.value))


def _annotated(pen: _Pen, node: ast.AnnAssign) -> Any:
    return _made(cst.AnnAssign, target=pen.draw(node.target), value=pen.drawn(node.value))


def _augmented(pen: _Pen, node: ast.AugAssign) -> Any:
    operator = _new(_OPERATORS[type(node.op)][1])
    return _made(cst.AugAssign, target=pen.draw(node.target), operator=operator, value=pen.draw(node.value))


def _return(pen: _Pen, node: ast.Return) -> Any:
    return _made(cst.Return, value=pen.drawn(node.value))


def _assert(pen: _Pen, node: ast.Assert) -> Any:
    return _made(cst.Assert, test=pen.draw(node.test))


def _bare(kind: type) -> Draw:
    return lambda pen, node: _new(kind)


def _import(pen: _Pen, node: ast.Import) -> Any:
    return _made(cst.Import, names=[_alias(alias) for alias in node.names])


def _import_from(pen: _Pen, node: ast.ImportFrom) -> Any:
    names = _new(cst.ImportStar) if node.names[0].name == "*" else [_alias(alias) for alias in node.names]
    module = _dotted(node.module) if node.module else None
    return _made(cst.ImportFrom, relative=range(node.level), module=module, names=names)


def _alias(alias: ast.alias) -> Any:
    asname = _made(cst.AsName, name=_named(alias.asname)) if alias.asname else None
    return _made(cst.ImportAlias, name=_dotted(alias.name), asname=asname)


# Statements with a block.


def _function(pen: _Pen, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
    return _made(
        cst.FunctionDef,
        name=_named(node.name),
        params=_parameters(pen, node.args),
        body=_Block(pen, node.body),
        decorators=_decorators(pen, node.decorator_list),
    )


def _parameters(pen: _Pen, node: ast.arguments) -> Any:
    positional = [*node.posonlyargs, *node.args]
    bare = len(positional) - len(node.defaults)
    defaults = [None] * bare + [pen.draw(default) for default in node.defaults]
    drawn = [_parameter(one, default) for one, default in zip(positional, defaults, strict=True)]
    first = len(node.posonlyargs)
    return _made(
        cst.Parameters,
        posonly_params=drawn[:first],
        params=drawn[first:],
        kwonly_params=[
            _parameter(one, pen.drawn(default)) for one, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
        ],
        star_arg=_parameter(node.vararg) if node.vararg else None,
        star_kwarg=_parameter(node.kwarg) if node.kwarg else None,
    )


def _parameter(node: ast.arg, default: Any = None) -> Any:
    return _made(cst.Param, name=_named(node.arg), default=default)


def _decorators(pen: _Pen, nodes: list[ast.expr]) -> list[Any]:
    return [_made(cst.Decorator, decorator=pen.draw(node)) for node in nodes]


def _class(pen: _Pen, node: ast.ClassDef) -> Any:
    return _made(
        cst.ClassDef,
        name=_named(node.name),
        bases=[_argument(pen, base) for base in node.bases],
        body=_Block(pen, node.body),
        decorators=_decorators(pen, node.decorator_list),
    )


def _if(pen: _Pen, node: ast.If) -> Any:
    otherwise: Any = _else(pen, node.orelse)
    if len(node.orelse) == 1 and isinstance(inner := node.orelse[0], ast.If) and inner.col_offset == node.col_offset:
        otherwise = _if(pen, inner)
    return _made(cst.If, test=pen.draw(node.test), body=_Block(pen, node.body), orelse=otherwise)


def _else(pen: _Pen, body: list[ast.stmt], kind: type = cst.Else) -> Any:
    return _made(kind, body=_Block(pen, body)) if body else None


def _for(pen: _Pen, node: ast.For | ast.AsyncFor) -> Any:
    return _made(
        cst.For,
        target=pen.draw(node.target),
        iter=pen.draw(node.iter),
        body=_Block(pen, node.body),
        orelse=_else(pen, node.orelse),
    )


def _while(pen: _Pen, node: ast.While) -> Any:
    body, orelse = _Block(pen, node.body), _else(pen, node.orelse)
    return _made(cst.While, test=pen.draw(node.test), body=body, orelse=orelse)


def _try(pen: _Pen, node: Any) -> Any:
    return _made(
        cst.Try,
        body=_Block(pen, node.body),
        handlers=[_made(cst.ExceptHandler, body=_Block(pen, handler.body)) for handler in node.handlers],
        orelse=_else(pen, node.orelse),
        finalbody=_else(pen, node.finalbody, cst.Finally),
    )


def _with(pen: _Pen, node: ast.With | ast.AsyncWith) -> Any:
    items = [
        _made(
            cst.WithItem,
            item=pen.draw(item.context_expr),
            asname=_made(cst.AsName, name=pen.draw(item.optional_vars)) if item.optional_vars else None,
        )
        for item in node.items
    ]
    return _made(cst.With, items=items, body=_Block(pen, node.body))


def _match(pen: _Pen, node: ast.Match) -> Any:
    cases = [_made(cst.MatchCase, body=_Block(pen, case.body)) for case in node.cases]
    return _made(cst.Match, subject=pen.draw(node.subject), cases=cases)


_OPERATORS: dict[type, tuple[type, type]] = {
    ast.Add: (cst.Add, cst.AddAssign),
    ast.Sub: (cst.Subtract, cst.SubtractAssign),
    ast.Mult: (cst.Multiply, cst.MultiplyAssign),
    ast.Div: (cst.Divide, cst.DivideAssign),
    ast.FloorDiv: (cst.FloorDivide, cst.FloorDivideAssign),
    ast.Mod: (cst.Modulo, cst.ModuloAssign),
    ast.Pow: (cst.Power, cst.PowerAssign),
    ast.MatMult: (cst.MatrixMultiply, cst.MatrixMultiplyAssign),
    ast.LShift: (cst.LeftShift, cst.LeftShiftAssign),
    ast.RShift: (cst.RightShift, cst.RightShiftAssign),
    ast.BitOr: (cst.BitOr, cst.BitOrAssign),
    ast.BitXor: (cst.BitXor, cst.BitXorAssign),
    ast.BitAnd: (cst.BitAnd, cst.BitAndAssign),
}
_UNARY: dict[type, type] = {ast.USub: cst.Minus, ast.UAdd: cst.Plus, ast.Not: cst.Not, ast.Invert: cst.BitInvert}
_COMPARISONS: dict[type, type] = {
    ast.Eq: cst.Equal,
    ast.NotEq: cst.NotEqual,
    ast.Lt: cst.LessThan,
    ast.LtE: cst.LessThanEqual,
    ast.Gt: cst.GreaterThan,
    ast.GtE: cst.GreaterThanEqual,
    ast.Is: cst.Is,
    ast.IsNot: cst.IsNot,
    ast.In: cst.In,
    ast.NotIn: cst.NotIn,
}
_EXPRESSIONS: dict[type, Draw] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _comparison,
    ast.IfExp: _conditional,
    ast.Tuple: _display(cst.Tuple),
    ast.List: _display(cst.List),
    ast.Dict: _dictionary,
    ast.Subscript: _subscript,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension(cst.ListComp),
    ast.GeneratorExp: _comprehension(cst.GeneratorExp),
    ast.SetComp: _comprehension(cst.SetComp),
    ast.DictComp: _dictionary_comprehension,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
}
_SMALL: dict[type, Draw] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _bare(cst.Raise),
    ast.Assert: _assert,
    ast.Break: _bare(cst.Break),
    ast.Continue: _bare(cst.Continue),
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
_COMPOUND: dict[type, Draw] = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    **({ast.TryStar: _try} if hasattr(ast, "TryStar") else {}),
}
