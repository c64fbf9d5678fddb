"""How each kind of statement is drawn, its blocks later."""

from __future__ import annotations

import ast
from typing import Any

from tfnanlint.source import grammar
from tfnanlint.source.sketch.expressions import AUGMENTED, argument, parameters
from tfnanlint.source.sketch.pen import Block, Draw, Pen, dotted, made, named

# Statements in a line.


def _expression(pen: Pen, node: ast.Expr) -> Any:
    drawn = grammar.Expr()
    drawn.value = pen.draw(node.value)
    return drawn


def _assign(pen: Pen, node: ast.Assign) -> Any:
    targets = [_target(pen, target) for target in node.targets]
    drawn = grammar.Assign()
    drawn.targets = targets
    drawn.value = pen.draw(node.value)
    return drawn


def _target(pen: Pen, node: ast.expr) -> Any:
    drawn = grammar.AssignTarget()
    drawn.target = pen.draw(node)
    return drawn


def _annotated(pen: Pen, node: ast.AnnAssign) -> Any:
    return made(grammar.AnnAssign, target=pen.draw(node.target), value=pen.drawn(node.value))


def _augmented(pen: Pen, node: ast.AugAssign) -> Any:
    target, value = pen.draw(node.target), pen.draw(node.value)
    return made(grammar.AugAssign, target=target, operator=AUGMENTED[type(node.op)], value=value)


def _return(pen: Pen, node: ast.Return) -> Any:
    return made(grammar.Return, value=pen.drawn(node.value))


def _assert(pen: Pen, node: ast.Assert) -> Any:
    return made(grammar.Assert, test=pen.draw(node.test))


def _global(pen: Pen, node: ast.Global) -> Any:
    return made(grammar.Global, names=[made(grammar.NameItem, name=named(name)) for name in node.names])


def _nonlocal(pen: Pen, node: ast.Nonlocal) -> Any:
    return made(grammar.Nonlocal, names=[made(grammar.NameItem, name=named(name)) for name in node.names])


def _bare(kind: type) -> Draw:
    return lambda pen, node: kind()


def _import(pen: Pen, node: ast.Import) -> Any:
    return made(grammar.Import, names=[_alias(alias) for alias in node.names])


def _import_from(pen: Pen, node: ast.ImportFrom) -> Any:
    names = grammar.ImportStar() if node.names[0].name == "*" else [_alias(alias) for alias in node.names]
    module = dotted(node.module) if node.module else None
    return made(grammar.ImportFrom, relative=range(node.level), module=module, names=names)


def _alias(alias: ast.alias) -> Any:
    asname = _as_name(alias.asname)
    return made(grammar.ImportAlias, name=dotted(alias.name), asname=asname)


def _as_name(name: str | None) -> Any:
    return made(grammar.AsName, name=named(name)) if name else None


# Statements with a block.


def _function(pen: Pen, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
    return made(
        grammar.FunctionDef,
        name=named(node.name),
        params=parameters(pen, node.args),
        body=Block(pen, node.body),
        decorators=_decorators(pen, node.decorator_list),
    )


def _decorators(pen: Pen, nodes: list[ast.expr]) -> list[Any]:
    return [made(grammar.Decorator, decorator=pen.draw(node)) for node in nodes]


def _class(pen: Pen, node: ast.ClassDef) -> Any:
    return made(
        grammar.ClassDef,
        name=named(node.name),
        bases=[argument(pen, base) for base in node.bases],
        body=Block(pen, node.body),
        decorators=_decorators(pen, node.decorator_list),
    )


def _if(pen: Pen, node: ast.If) -> Any:
    otherwise: Any = _else(pen, node.orelse)
    if len(node.orelse) == 1 and isinstance(inner := node.orelse[0], ast.If) and inner.col_offset == node.col_offset:
        otherwise = _if(pen, inner)
    return made(grammar.If, test=pen.draw(node.test), body=Block(pen, node.body), orelse=otherwise)


def _else(pen: Pen, body: list[ast.stmt], kind: type = grammar.Else) -> Any:
    return made(kind, body=Block(pen, body)) if body else None


def _for(pen: Pen, node: ast.For | ast.AsyncFor) -> Any:
    return made(
        grammar.For,
        target=pen.draw(node.target),
        iter=pen.draw(node.iter),
        body=Block(pen, node.body),
        orelse=_else(pen, node.orelse),
    )


def _while(pen: Pen, node: ast.While) -> Any:
    body, orelse = Block(pen, node.body), _else(pen, node.orelse)
    return made(grammar.While, test=pen.draw(node.test), body=body, orelse=orelse)


def _try(pen: Pen, node: Any) -> Any:
    return made(
        grammar.Try,
        body=Block(pen, node.body),
        handlers=[
            made(grammar.ExceptHandler, body=Block(pen, handler.body), name=_as_name(handler.name))
            for handler in node.handlers
        ],
        orelse=_else(pen, node.orelse),
        finalbody=_else(pen, node.finalbody, grammar.Finally),
    )


def _with(pen: Pen, node: ast.With | ast.AsyncWith) -> Any:
    items = [
        made(
            grammar.WithItem,
            item=pen.draw(item.context_expr),
            asname=made(grammar.AsName, name=pen.draw(item.optional_vars)) if item.optional_vars else None,
        )
        for item in node.items
    ]
    return made(grammar.With, items=items, body=Block(pen, node.body))


def _match(pen: Pen, node: ast.Match) -> Any:
    cases = [
        made(grammar.MatchCase, pattern=_pattern(case.pattern), guard=pen.drawn(case.guard), body=Block(pen, case.body))
        for case in node.cases
    ]
    return made(grammar.Match, subject=pen.draw(node.subject), cases=cases)


def _pattern(node: ast.pattern | None) -> Any:
    """The names in a pattern, and what holds them; the values that it compares with are left out."""
    if isinstance(node, ast.MatchAs):
        inner = _pattern(node.pattern) if node.pattern is not None else None
        return made(grammar.MatchAs, pattern=inner, name=named(node.name) if node.name else None)
    if isinstance(node, ast.MatchStar):
        return made(grammar.MatchStar, name=named(node.name) if node.name else None)
    if isinstance(node, ast.MatchSequence):
        return made(grammar.MatchList, patterns=_elements(node.patterns))
    if isinstance(node, ast.MatchMapping):
        elements = [made(grammar.MatchMappingElement, pattern=_pattern(one)) for one in node.patterns]
        return made(grammar.MatchMapping, elements=elements, rest=named(node.rest) if node.rest else None)
    if isinstance(node, ast.MatchClass):
        by_name = [made(grammar.MatchKeywordElement, pattern=_pattern(one)) for one in node.kwd_patterns]
        return made(grammar.MatchClass, patterns=_elements(node.patterns), kwds=by_name)
    if isinstance(node, ast.MatchOr):
        return made(
            grammar.MatchOr, patterns=[made(grammar.MatchOrElement, pattern=_pattern(one)) for one in node.patterns]
        )
    return grammar.MatchValue()


def _elements(nodes: list[ast.pattern]) -> list[Any]:
    return [
        _pattern(one) if isinstance(one, ast.MatchStar) else made(grammar.MatchSequenceElement, value=_pattern(one))
        for one in nodes
    ]


SMALL: dict[type, Draw] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Raise: _bare(grammar.Raise),
    ast.Assert: _assert,
    ast.Break: _bare(grammar.Break),
    ast.Continue: _bare(grammar.Continue),
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
COMPOUND: dict[type, Draw] = {
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
