"""Small programs for the graph pass's tests: one text, lowered from its source and from its trace."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Iterable
from typing import Any

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.ops import OPS

HEAD = "import tensorflow as tf\nimport keras\nfrom keras import ops\n\n\n"
_numbers = itertools.count()


def program(text: str, path: str | None = None) -> tuple[str, dict[str, Any]]:
    """A program's path and its names, after running it; its lines are known to Python as those of a file."""
    path = path or f"/programs/{next(_numbers)}.py"
    whole = HEAD + text
    linecache.cache[path] = (len(whole), None, whole.splitlines(keepends=True), path)
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(whole, path, "exec"), names)
    return path, names


def traced(text: str, *specs: Any) -> Any:
    """The concrete function of a program's `f`, on float32 inputs of the given shapes, or on given specs."""
    import tensorflow as tf

    from tfnanlint.graph import trace

    _, names = program(text)
    return trace(names["f"], *(tf.TensorSpec(s, tf.float32) if isinstance(s, (list, tuple)) else s for s in specs))


def from_source(text: str) -> Any:
    """The value that a program's `f` returns, by the source pass."""
    from tfnanlint.lint import parse
    from tfnanlint.source.functions import alone
    from tfnanlint.source.lower import Lowering

    low = Lowering(parse(HEAD + text, "program.py"))
    low.block(low.file.tree.body, low.module)
    return alone(low, low.module.names["f"])


def from_graph(text: str, *specs: Any) -> list[Node]:
    """The nodes that a program's traced `f` returns, by the graph pass."""
    from tfnanlint.graph.lower import lower

    return lower(traced(text, *specs)).outputs


def shape_of(node: Node) -> Any:
    """A node as nested (op, static parameters, operands), with what hands a value on left out."""
    while node.op in OPS and OPS[node.op].transparent and node.operands:
        node = node.operands[0]
    if node.op == "const":
        return node.constant
    if node.op in ("input", "placeholder"):
        return node.attrs.get("name")
    attrs = {k: v for k, v in node.attrs.items() if k not in ("name", "dtype", "seed") and v is not DYNAMIC}
    return (node.op, tuple(sorted(attrs.items())), *(shape_of(operand) for operand in node.operands))


def ops_of(nodes: Iterable[Node]) -> set[str]:
    """The ops that some nodes are computed with."""
    found: set[str] = set()
    stack = list(nodes)
    seen: set[Node] = set()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            found.add(node.op)
            stack.extend(node.operands)
    return found
