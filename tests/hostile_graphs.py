"""Graph definitions that attack whoever lints them, made here: calls and constants without a bound, names that command.

`python tests/hostile_graphs.py FOLDER` writes them, for a look at what a tool makes of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

FLOAT = 1


def operation(nodes: Any, name: str, kind: str, inputs: Sequence[str] = (), called: str = "") -> Any:
    """Add an operation on float32, or a call of a function, to the nodes of a graph or a function."""
    node = nodes.add(name=name, op=kind, input=inputs)
    if called:
        node.attr["f"].func.name = called
        node.attr["Tin"].list.type.append(FLOAT)
        node.attr["Tout"].list.type.append(FLOAT)
    else:
        node.attr["dtype" if kind in ("Placeholder", "Const") else "T"].type = FLOAT
    return node


def graph(name: str = "x") -> Any:
    """A graph with one input, a vector."""
    from tensorflow.core.framework import graph_pb2

    made = graph_pb2.GraphDef()
    operation(made.node, name, "Placeholder").attr["shape"].shape.dim.add().size = -1
    return made


def function(made: Any, name: str, called: Sequence[str]) -> None:
    """Add a function of one vector to a graph: it calls others one after the other, or holds the hazard."""
    one = made.library.function.add()
    one.signature.name = name
    one.signature.input_arg.add(name="x", type=FLOAT)
    one.signature.output_arg.add(name="y", type=FLOAT)
    last = "x"
    for place, other in enumerate(called):
        operation(one.node_def, f"call{place}", "PartitionedCall", [last], other)
        last = f"call{place}:output:0"
    if not called:
        operation(one.node_def, "s", "Softmax", [last])
        operation(one.node_def, "l", "Log", ["s:softmax:0"])
        last = "l:y:0"
    one.ret["y"] = last


def calls(depth: int, times: int) -> Any:
    """Functions that call each the next, several times; the last one holds the hazard."""
    made = graph()
    for number in range(depth):
        function(made, f"f{number}", [f"f{number + 1}"] * times)
    function(made, f"f{depth}", ())
    operation(made.node, "r", "PartitionedCall", ["x"], "f0")
    return made


def chain(length: int) -> Any:
    """The hazard over and over, each on what the one before it gives."""
    made, last = graph(), "x"
    for number in range(length):
        operation(made.node, f"s{number}", "Softmax", [last])
        operation(made.node, f"l{number}", "Log", [f"s{number}"])
        last = f"l{number}"
    return made


def constant(axes: int, size: int) -> Any:
    """The logarithm of a constant of many axes."""
    made = graph()
    tensor = operation(made.node, "c", "Const").attr["value"].tensor
    tensor.dtype = FLOAT
    tensor.float_val.append(0.0)
    for _ in range(axes):
        tensor.tensor_shape.dim.add().size = size
    operation(made.node, "l", "Log", ["c"])
    return made


def named(name: str) -> Any:
    """The hazard on an input of some name."""
    made = graph(name)
    operation(made.node, "s", "Softmax", [name])
    operation(made.node, "l", "Log", ["s"])
    return made


FOUND, BEYOND = "log", "not linted to its end: function 'f"


def graphs() -> dict[str, tuple[Callable[[], Any], str]]:
    """Each attack by its file's name: what makes it, and what is said of it."""
    return {
        "axes.pb": (lambda: constant(65, 1), FOUND),
        "many-axes.pb": (lambda: constant(300, 2), FOUND),
        "calls-40.pb": (lambda: calls(40, 1), FOUND),
        "calls-100.pb": (lambda: calls(100, 1), f"{BEYOND}64' is called more than 64 calls deep"),
        "calls-3000.pb": (lambda: calls(3000, 1), f"{BEYOND}64' is called more than 64 calls deep"),
        "doubled.pb": (lambda: calls(16, 2), BEYOND),
        "chain.pb": (lambda: chain(1_500), "operations that may fail: checked with made-up operands"),
        "command.pb": (lambda: named("::stop-commands::tok"), FOUND),
    }


if __name__ == "__main__":
    for file, (make, _) in graphs().items():
        (Path(sys.argv[1]) / file).write_bytes(make().SerializeToString())
