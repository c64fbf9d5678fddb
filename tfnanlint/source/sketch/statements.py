"""How each kind of statement is drawn, its blocks later."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from tfnanlint.source.sketch.expressions import OPERATORS, argument, parameters
from tfnanlint.source.sketch.pen import Block, Draw, Pen, dotted, made, named, new, put

# Statements in a line.


def _expression(pen: Pen, node: ast.Expr) -> Any:
    drawn = new(cst.Expr)
    put(drawn, "value", pen.draw(node.value))
    return drawn


def _assign(pen: Pen, node: ast.Assign) -> Any:
    targets = [_target(pen, target) for target in node.targets]
    drawn = new(cst.Assign)
    put(drawn, "targets", targets)
    put(drawn, "value", pen.draw(node.value))
    return drawn


def _target(pen: Pen, node: ast.expr) -> Any:
    drawn = new(cst.AssignTarget)
    put(drawn, "target", pen.draw(node))
    return drawn


def _annotated(pen: Pen, node: ast.AnnAssign) -> Any:
    return made(cst.AnnAssign, target=pen.draw(node.target), value=pen.drawn(node.value))


def _augmented(pen: Pen, node: ast.AugAssign) -> Any:
    operator = new(OPERATORS[type(node.op)][1])
    return made(cst.AugAssign, target=pen.draw(node.target), operator=operator, value=pen.draw(node.value))


def _return(pen: Pen, node: ast.Return) -> Any:
    return made(cst.Return, value=pen.drawn(node.value))


def _assert(pen: Pen, node: ast.Assert) -> Any:
    return made(cst.Assert, test=pen.draw(node.test))


def _bare(kind: type) -> Draw:
    return lambda pen, node: new(kind)


def _import(pen: Pen, node: ast.Import) -> Any:
    return made(cst.Import, names=[_alias(alias) for alias in node.names])


def _import_from(pen: Pen, node: ast.ImportFrom) -> Any:
    names = new(cst.ImportStar) if node.names[0].name == "*" else [_alias(alias) for alias in node.names]
    module = dotted(node.module) if node.module else None
    return made(cst.ImportFrom, relative=range(node.level), module=module, names=names)


def _alias(alias: ast.alias) -> Any:
    asname = made(cst.AsName, name=named(alias.asname)) if alias.asname else None
    return made(cst.ImportAlias, name=dotted(alias.name), asname=asname)


# Statements with a block.


def _function(pen: Pen, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
    return made(
        cst.FunctionDef,
        name=named(node.name),
        params=parameters(pen, node.args),
        body=Block(pen, node.body),
        decorators=_decorators(pen, node.decorator_list),
    )


def _decorators(pen: Pen, nodes: list[ast.expr]) -> list[Any]:
    return [made(cst.Decorator, decorator=pen.draw(node)) for node in nodes]


def _class(pen: Pen, node: ast.ClassDef) -> Any:
    return made(
        cst.ClassDef,
        name=named(node.name),
        bases=[argument(pen, base) for base in node.bases],
        body=Block(pen, node.body),
        decorators=_decorators(pen, node.decorator_list),
    )


def _if(pen: Pen, node: ast.If) -> Any:
    otherwise: Any = _else(pen, node.orelse)
    if len(node.orelse) == 1 and isinstance(inner := node.orelse[0], ast.If) and inner.col_offset == node.col_offset:
        otherwise = _if(pen, inner)
    return made(cst.If, test=pen.draw(node.test), body=Block(pen, node.body), orelse=otherwise)


def _else(pen: Pen, body: list[ast.stmt], kind: type = cst.Else) -> Any:
    return made(kind, body=Block(pen, body)) if body else None


def _for(pen: Pen, node: ast.For | ast.AsyncFor) -> Any:
    return made(
        cst.For,
        target=pen.draw(node.target),
        iter=pen.draw(node.iter),
        body=Block(pen, node.body),
        orelse=_else(pen, node.orelse),
    )


def _while(pen: Pen, node: ast.While) -> Any:
    body, orelse = Block(pen, node.body), _else(pen, node.orelse)
    return made(cst.While, test=pen.draw(node.test), body=body, orelse=orelse)


def _try(pen: Pen, node: Any) -> Any:
    return made(
        cst.Try,
        body=Block(pen, node.body),
        handlers=[made(cst.ExceptHandler, body=Block(pen, handler.body)) for handler in node.handlers],
        orelse=_else(pen, node.orelse),
        finalbody=_else(pen, node.finalbody, cst.Finally),
    )


def _with(pen: Pen, node: ast.With | ast.AsyncWith) -> Any:
    items = [
        made(
            cst.WithItem,
            item=pen.draw(item.context_expr),
            asname=made(cst.AsName, name=pen.draw(item.optional_vars)) if item.optional_vars else None,
        )
        for item in node.items
    ]
    return made(cst.With, items=items, body=Block(pen, node.body))


def _match(pen: Pen, node: ast.Match) -> Any:
    cases = [made(cst.MatchCase, body=Block(pen, case.body)) for case in node.cases]
    return made(cst.Match, subject=pen.draw(node.subject), cases=cases)


SMALL: dict[type, Draw] = {
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
