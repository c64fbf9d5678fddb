"""How much of the tensor code of some packages the flow does not hold: values and calls that are unknown, by cause.

    python benchmarks/unknowns.py PACKAGE... [--show CAUSE] [--json FILE]

Every file is lowered whole, with the modules of its project. A place in the text counts once, however often it is
evaluated, and only if it is unknown each time; it counts if an op or a layer computes something of it.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tfnanlint.flow import Flow, Node
from tfnanlint.ops import OPS
from tfnanlint.source import grammar
from tfnanlint.source.grammar import kind_of
from tfnanlint.source.lower import dissolve, lower
from tfnanlint.source.names import canonical_path
from tfnanlint.source.packages import mentions_package
from tfnanlint.source.project import Project
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Class, Function, Instance, Items, Layer, Many, Method, Table
from tfnanlint.source.values import Path as Dotted

TENSORS = frozenset({"layer", "variable", "gradient"})
HANDING_ON = frozenset({"getitem", "phi", "loop", "attribute", "identity", "stack", "shape", "rank", "size"})
"""Ops that compute nothing."""
LIBRARY = ("tf.", "keras.", "ops.", "K.", "tnp.")


def is_tensor_code(node: Node) -> bool:
    """Whether an op or a layer computes something of an unknown value, or of what is made of it and unknown, too."""
    met, todo = {node}, [node]
    while todo:
        for user in todo.pop().users:
            if (user.op in OPS or user.op in TENSORS) and user.op not in HANDING_ON:
                return True
            if user not in met and (user.op == "unknown" or user.op in HANDING_ON):
                met.add(user)
                todo.append(user)
    return False


def cause_of(node: Node, project: Project) -> tuple[str, str]:
    """Why a value is unknown, and what names it."""
    expr: Any = node.origin.expr
    if not isinstance(expr, grammar.Call):
        return f"{kind_of(expr)}", dotted(expr)
    name = dotted(expr.func)
    first, _, rest = name.partition(".")
    held = node.origin.scope.lookup(first) if first.isidentifier() else None
    if first in ("self", "cls"):
        return ("call of an attribute of self" if rest.count(".") == 0 else "call of something held by self"), rest
    if isinstance(held, Dotted) or held is None:
        path = canonical_path(f"{held.dotted if held is not None else f'builtins.{first}'}{'.' if rest else ''}{rest}")
        if path.startswith(LIBRARY):
            return "function of the library without a row", path
        if path.startswith("builtins."):
            return "function of Python", path
        if path.startswith("numpy."):
            return "function of NumPy", path
        if project.find(path, node.origin.file.real_path) is not None:
            return "function of another module of the project", path
        return "function of another package", path
    kinds: dict[type, str] = {
        Function: "function of the file",
        Class: "class of the file",
        Instance: "object of a class of the file",
        Layer: "layer or model",
        Items: "list",
        Many: "list",
        Table: "dictionary",
        Method: "method of an object",
    }
    if isinstance(held, Node):
        return ("call of a parameter" if not rest else "method of a parameter or a value"), f"{held.op}: {name}"
    return f"call of a {kinds.get(type(held), type(held).__name__)}", name


def dotted(expr: Any) -> str:
    """An expression's names, the rest of it left out."""
    if isinstance(expr, grammar.Name):
        return str(expr.value)
    if isinstance(expr, grammar.Attribute):
        return f"{dotted(expr.value)}.{expr.attr.value}"
    if isinstance(expr, grammar.Call):
        return f"{dotted(expr.func)}()"
    if isinstance(expr, grammar.Subscript):
        return f"{dotted(expr.value)}[]"
    return kind_of(expr)


def unknown_places(flow: Flow, file: SourceFile) -> Iterator[Node]:
    """One node for each place of a file at which nothing but unknown values is made, some of them in tensor code."""
    made: dict[int, list[Node]] = {}
    for node in flow:
        if node.origin is not None and node.origin.file is file:
            made.setdefault(id(node.origin.expr), []).append(node)
    for nodes in made.values():
        if all(node.op == "unknown" for node in nodes) and any(map(is_tensor_code, nodes)):
            yield nodes[0]


def measure(folder: Path, show: str | None) -> tuple[Counter[str], Counter[str]]:
    """The unknown places of the files in a folder by cause, with totals, and what names those of one cause."""
    counts: Counter[str] = Counter()
    names: Counter[str] = Counter()
    project = Project()
    for path in sorted(folder.rglob("*.py")):
        data = path.read_bytes()
        if not mentions_package(data) and not project.leads_to_tensorflow(data, str(path)):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text = data.decode("utf-8-sig")
                tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        real = str(path.resolve())
        file = SourceFile(str(path), text, project.sketch(real, text, tree), real)
        flow = lower(file, project)
        counts["values"] += len({id(n.origin.expr) for n in flow if n.origin is not None and n.origin.file is file})
        for node in unknown_places(flow, file):
            cause, name = cause_of(node, project)
            counts["unknown values"] += 1
            counts["unknown calls"] += isinstance(node.origin.expr, grammar.Call)
            counts[cause] += 1
            if show == cause:
                names[name] += 1
        dissolve(flow)
    return counts, names


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("packages", nargs="+", type=Path, metavar="PACKAGE")
    parser.add_argument("--show", metavar="CAUSE", help="list what names the places of one cause")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts of each package there")
    given = parser.parse_args()
    table: dict[str, Counter[str]] = {}
    names: Counter[str] = Counter()
    for package in given.packages:
        start = time.process_time()
        table[package.name], named = measure(package, given.show)
        names += named
        counts = table[package.name]
        print(
            f"{package.name}: {counts['unknown values']} of {counts['values']} values, "
            f"{counts['unknown calls']} calls, {time.process_time() - start:.1f} s",
            flush=True,
        )
    total: Counter[str] = sum(table.values(), Counter())
    for cause, count in total.most_common():
        print(f"{count:8} {cause}")
    for name, count in names.most_common(80):
        print(f"{count:8}   {name}")
    if given.json is not None:
        given.json.write_text(json.dumps({"total": total, **table}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
