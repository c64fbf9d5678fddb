"""Compiling a rule file: its `before`s lowered by the source pass, its repairs kept as syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfnanlint.errors import RuleError
from tfnanlint.flow import DISCARDED, Node
from tfnanlint.ruleset.pattern import Pattern, Repair
from tfnanlint.template import WORDS, Precondition
from tfnanlint.vocabulary import FIX_KINDS

if TYPE_CHECKING:
    from pathlib import Path

    from tfnanlint.source.lower import Lowering


def compile_patterns(path: Path, text: str) -> list[Pattern]:
    """The patterns of a rule file, each with the repair that its name or its variables give it."""
    import libcst as cst

    from tfnanlint.source.lower import Lowering
    from tfnanlint.source.source_file import SourceFile

    tree = cst.parse_module(text)
    low = Lowering(SourceFile(str(path), text, tree))
    low.block(tree.body, low.module)
    functions = {s.name.value: s for s in tree.body if isinstance(s, cst.FunctionDef)}
    repairs = {name: _repair(path, name, f) for name, f in functions.items() if name.split("_")[0] in FIX_KINDS}
    patterns = []
    for name, function in functions.items():
        if name.split("_")[0] == "before":
            pattern = lower_before(path, name, function, low)
            pattern.repair = _repair_for(pattern, name, repairs)
            if pattern.repair is not None:
                pattern.repaired = low.expression(pattern.repair.expression, pattern.scope)
            patterns.append(pattern)
    patterns.sort(key=lambda p: (p.repair is None, -p.size))
    return patterns


def lower_before(path: Path, name: str, function: Any, low: Lowering) -> Pattern:
    """A `before` as a pattern: its parameters are the variables."""
    from tfnanlint.source import functions
    from tfnanlint.source.values import Function, Scope

    scope = Scope(low.module, "function")
    preconditions: dict[str, Precondition] = {}
    variables: list[str] = []
    for param in (*function.params.params, *function.params.kwonly_params):
        variable = param.name.value
        variables.append(variable)
        low.bind(scope, variable, low.flow.add("input", (), {"name": variable}, low.origin(param, scope)))
        if param.annotation is not None:
            preconditions[variable] = _precondition(path, name, param.annotation.annotation)
    start = len(low.flow.nodes)
    root = functions.body(low, Function(function, low.module, low.file), scope)
    thrown = next((node for node in low.flow.nodes[start:] if node.op == DISCARDED), None)
    if thrown is not None:
        return _of_a_statement(name, thrown, scope)
    if not isinstance(root, Node) or root.op in ("unknown", "input"):
        raise RuleError(f"{path}: {name} returns a value that the source pass does not understand")
    nodes = pattern_nodes(root)
    if any(node.op == "unknown" for node in nodes):  # it would stand for anything at all
        raise RuleError(f"{path}: {name} uses a value that the source pass does not understand")
    named = {v: n for n, v in scope.names.items() if isinstance(v, Node) and v in nodes and v is not root}
    statics = {node: _statics(node, variables) for node in nodes if node.origin.keywords}
    return Pattern(name, root, preconditions, tuple(variables), len(nodes), named=named, statics=statics, scope=scope)


def _of_a_statement(name: str, thrown: Node, scope: Any) -> Pattern:
    """The pattern of a `before` that throws a result away, which stands for every op of which that is wrong."""
    result = Node("input", (), {"name": "result"}, None, 0, 0)
    root = Node(thrown.op, (result,), {}, thrown.origin, 1, 1)
    return Pattern(name, root, {}, ("result",), 1, scope=scope)


def _statics(node: Node, variables: list[str]) -> dict[str, str | None]:
    """The static parameters a pattern node is given, each with the variable that gives it, if one does."""
    import libcst as cst

    return {
        name: given.value if isinstance(given, cst.Name) and given.value in variables else None
        for name, given in node.origin.keywords.items()
    }


def pattern_nodes(root: Node) -> list[Node]:
    """The op nodes of a pattern."""
    found: dict[Node, None] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node.op not in ("input", "const") and node not in found:
            found[node] = None
            stack.extend(node.operands)
    return list(found)


def _repair(path: Path, name: str, function: Any) -> Repair:
    import libcst as cst

    body = list(function.body.body)
    last = body[-1].body[-1] if isinstance(body[-1], cst.SimpleStatementLine) else None
    if len(body) != 1 or not isinstance(last, cst.Return) or last.value is None:
        raise RuleError(f"{path}: {name}: a repair must be a single return statement")
    return Repair(name.split("_", maxsplit=1)[0], tuple(p.name.value for p in function.params.params), last.value)


def _repair_for(pattern: Pattern, name: str, repairs: dict[str, Repair]) -> Repair | None:
    """`after_x` belongs to `before_x`; a plain `after` to every `before` that has no own and binds its names."""
    _, _, suffix = name.partition("_")
    for kind in FIX_KINDS:
        own = repairs.get(f"{kind}_{suffix}" if suffix else kind)
        if own is not None:
            return own
    for kind in FIX_KINDS:
        shared = repairs.get(kind)
        if shared is not None and set(shared.variables) <= {*pattern.variables, *pattern.named.values()}:
            return shared
    return None


def _precondition(path: Path, name: str, annotation: Any) -> Precondition:
    """The precondition an annotation spells, from the closed vocabulary."""
    import libcst as cst

    from tfnanlint.source.literals import number

    if isinstance(annotation, cst.BinaryOperation) and isinstance(annotation.operator, cst.BitAnd):
        return _precondition(path, name, annotation.left) & _precondition(path, name, annotation.right)
    if isinstance(annotation, cst.Name) and isinstance(WORDS.get(annotation.value), Precondition):
        word: Precondition = WORDS[annotation.value]
        return word
    if (
        isinstance(annotation, cst.Call)
        and isinstance(annotation.func, cst.Name)
        and callable(WORDS.get(annotation.func.value))
    ):
        numbers = [number(arg.value) for arg in annotation.args]
        if all(n is not None for n in numbers):
            made: Precondition = WORDS[annotation.func.value](*numbers)
            return made
    raise RuleError(f"{path}: {name}: preconditions are {', '.join(WORDS)}, joined by &")
