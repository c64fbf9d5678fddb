"""The kinds of syntax that the lowering knows, and the fields of each that it looks at.

They have the names and the fields of libcst's, so that the same code reads both: the nodes of a sketch, which are of
these classes, and those of libcst's whole tree, each of which counts as one of the kind that has its name. Hence a file
that holds nothing is searched without libcst, whose import alone takes longer than such a search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class Kind(type):
    """A kind of syntax.

    An instance of a kind is a node of this class, or one of libcst's class of the same name; subclasses do not count.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], held: dict[str, Any]) -> Kind:
        """A node has room for the fields that its class annotates, and for no other."""
        return super().__new__(cls, name, bases, {**held, "__slots__": tuple(held.get("__annotations__", ()))})

    def __instancecheck__(cls, node: object) -> bool:
        return type(node).__name__ == cls.__name__


def kind_of(node: object) -> str:
    """The name of a node's kind, by which operators are told."""
    return type(node).__name__


class ByKind(dict[type, T | None]):
    """What there is for each kind of syntax; None for the other kinds."""

    def __init__(self, held: Mapping[type, T]) -> None:
        super().__init__(held)
        self._named = {kind.__name__: one for kind, one in held.items()}

    def __missing__(self, kind: type) -> T | None:
        """What there is for libcst's class of that name."""
        found = self[kind] = self._named.get(kind.__name__)
        return found


class Syntax(metaclass=Kind):
    """Any node. To ask for a field that it has not, or that is not set, is an `AttributeError`."""


class Expression(Syntax):
    """Any expression."""


class Suite(Syntax):
    """The statements in a block."""

    body: Sequence[Any]


# Names and literals.


class Name(Expression):
    value: str


class Attribute(Expression):
    value: Expression
    attr: Name


class Integer(Expression):
    value: str


class Float(Expression):
    value: str


class SimpleString(Expression):
    value: str


class ConcatenatedString(Expression):
    left: Expression
    right: Expression
    evaluated_value: str | bytes | None


class FormattedStringText(Syntax):
    value: str


class FormattedStringExpression(Syntax):
    expression: Expression
    conversion: str | None
    format_spec: Any


class FormattedString(Expression):
    parts: Sequence[FormattedStringText | FormattedStringExpression]


class Ellipsis(Expression):
    pass


# Calls and subscripts.


class Arg(Syntax):
    value: Expression
    keyword: Name | None
    star: str


class Call(Expression):
    func: Expression
    args: Sequence[Arg]


class Index(Syntax):
    value: Expression


class Slice(Syntax):
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


class SubscriptElement(Syntax):
    slice: Index | Slice


class Subscript(Expression):
    value: Expression
    slice: Sequence[SubscriptElement]


# Operators.


class BinaryOperation(Expression):
    left: Expression
    operator: Syntax
    right: Expression


class UnaryOperation(Expression):
    operator: Syntax
    expression: Expression


class BooleanOperation(Expression):
    left: Expression
    operator: Syntax
    right: Expression


class ComparisonTarget(Syntax):
    operator: Syntax
    comparator: Expression


class Comparison(Expression):
    left: Expression
    comparisons: Sequence[ComparisonTarget]


class IfExp(Expression):
    test: Expression
    body: Expression
    orelse: Expression


# Displays and comprehensions.


class Element(Syntax):
    value: Expression


class StarredElement(Syntax):
    value: Expression


class Tuple(Expression):
    elements: Sequence[Element | StarredElement]


class List(Expression):
    elements: Sequence[Element | StarredElement]


class DictElement(Syntax):
    key: Expression
    value: Expression


class StarredDictElement(Syntax):
    value: Expression


class Dict(Expression):
    elements: Sequence[DictElement | StarredDictElement]


class CompIf(Syntax):
    test: Expression


class CompFor(Syntax):
    target: Expression
    iter: Expression
    ifs: Sequence[CompIf]
    inner_for_in: CompFor | None


class ListComp(Expression):
    elt: Expression
    for_in: CompFor


class GeneratorExp(ListComp):
    pass


class SetComp(ListComp):
    pass


class DictComp(Expression):
    key: Expression
    value: Expression
    for_in: CompFor


class NamedExpr(Expression):
    target: Expression
    value: Expression


class Await(Expression):
    expression: Expression


# Functions and classes.


class Annotation(Syntax):
    annotation: Expression


class Param(Syntax):
    name: Name
    annotation: Annotation | None
    default: Expression | None


class Parameters(Syntax):
    posonly_params: Sequence[Param]
    params: Sequence[Param]
    kwonly_params: Sequence[Param]
    star_arg: Syntax | None
    star_kwarg: Param | None


class Lambda(Expression):
    params: Parameters
    body: Expression


class Decorator(Syntax):
    decorator: Expression


class FunctionDef(Syntax):
    name: Name
    params: Parameters
    body: Suite
    decorators: Sequence[Decorator]


class ClassDef(Syntax):
    name: Name
    bases: Sequence[Arg]
    body: Suite
    decorators: Sequence[Decorator]


# Statements in a line.


class SimpleStatementLine(Syntax):
    body: Sequence[Syntax]


class Expr(Syntax):
    value: Expression


class AssignTarget(Syntax):
    target: Expression


class Assign(Syntax):
    targets: Sequence[AssignTarget]
    value: Expression


class AnnAssign(Syntax):
    target: Expression
    value: Expression | None


class AugAssign(Syntax):
    target: Expression
    operator: Syntax
    value: Expression


class Return(Syntax):
    value: Expression | None


class From(Syntax):
    item: Expression


class Yield(Expression):
    value: Expression | From | None


class NameItem(Syntax):
    name: Name


class Global(Syntax):
    names: Sequence[NameItem]


class Nonlocal(Syntax):
    names: Sequence[NameItem]


class Assert(Syntax):
    test: Expression


class Raise(Syntax):
    pass


class Break(Syntax):
    pass


class Continue(Syntax):
    pass


class Pass(Syntax):
    pass


class AsName(Syntax):
    name: Expression


class ImportAlias(Syntax):
    name: Name | Attribute
    asname: AsName | None


class Import(Syntax):
    names: Sequence[ImportAlias]


class ImportStar(Syntax):
    pass


class ImportFrom(Syntax):
    relative: Sequence[Any]
    module: Name | Attribute | None
    names: Sequence[ImportAlias] | ImportStar


# Statements with a block.


class Else(Syntax):
    body: Suite


class Finally(Syntax):
    body: Suite


class If(Syntax):
    test: Expression
    body: Suite
    orelse: If | Else | None


class For(Syntax):
    target: Expression
    iter: Expression
    body: Suite
    orelse: Else | None


class While(Syntax):
    test: Expression
    body: Suite
    orelse: Else | None


class ExceptHandler(Syntax):
    body: Suite
    name: AsName | None


class ExceptStarHandler(ExceptHandler):
    pass


class Try(Syntax):
    body: Suite
    handlers: Sequence[ExceptHandler]
    orelse: Else | None
    finalbody: Finally | None


class TryStar(Try):
    pass


class WithItem(Syntax):
    item: Expression
    asname: AsName | None


class With(Syntax):
    items: Sequence[WithItem]
    body: Suite


class MatchValue(Syntax):
    pass


class MatchAs(Syntax):
    pattern: Any
    name: Name | None


class MatchStar(Syntax):
    name: Name | None


class MatchSequenceElement(Syntax):
    value: Any


class MatchList(Syntax):
    patterns: Sequence[MatchSequenceElement | MatchStar]


class MatchTuple(MatchList):
    pass


class MatchMappingElement(Syntax):
    pattern: Any


class MatchMapping(Syntax):
    elements: Sequence[MatchMappingElement]
    rest: Name | None


class MatchKeywordElement(Syntax):
    pattern: Any


class MatchClass(Syntax):
    patterns: Sequence[MatchSequenceElement]
    kwds: Sequence[MatchKeywordElement]


class MatchOrElement(Syntax):
    pattern: Any


class MatchOr(Syntax):
    patterns: Sequence[MatchOrElement]


class MatchCase(Syntax):
    pattern: Any
    guard: Expression | None
    body: Suite


class Match(Syntax):
    subject: Expression
    cases: Sequence[MatchCase]
