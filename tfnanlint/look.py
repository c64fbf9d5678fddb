"""The cheap look: whether a file can hold a finding at all, before anything heavy is imported.

First the bytes (the package's name, then the identifiers of the ops that rules speak of), then one
walk of the standard library's syntax tree with an import-alias map.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from tfnanlint.errors import SourceError
from tfnanlint.ops import SPELLINGS
from tfnanlint.source.names import ROOT_PACKAGES, canonical_path
from tfnanlint.template import Rule, Rules

_PACKAGES = re.compile(rb"tensorflow|keras")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w+")
_DIFFERENTIATION = frozenset(
    b"GradientTape gradients minimize compute_gradients get_gradients compile add_loss Layer Model Loss "
    b"Regularizer gradient loss".split()
)
_ALSO_WRITTEN: dict[str, tuple[bytes, ...]] = {
    # op: other identifiers, or operators, that stand for it
    "sqrt": (b"**", b"pow", b"power"),
    "rsqrt": (b"**", b"pow", b"power"),
    "square": (b"*",),
    "norm": (b"reduce_euclidean_norm",),
    "is_nan": (b"!=", b"not_equal"),
    "neg": (b"-",),
    "reciprocal": (b"**",),
    "cast": (b"",),
    "constant": (b"",),
    "downstream": (b"",),
    "softmax": (b"Softmax",),
    "relu": (b"ReLU",),
}
_OPERATORS = frozenset({"add", "subtract", "multiply", "divide", "equal", "not_equal", "less", "greater", "logical_and", "less_equal",
                        "greater_equal", "pow"})

_NAMES_OF: dict[str, frozenset[bytes]] = {}
for _spelled, (_op, _) in SPELLINGS.items():
    _last = _spelled.rsplit(".", 1)[-1].encode()
    _NAMES_OF[_op.name] = _NAMES_OF.get(_op.name, frozenset()) | {_last}


def _possible(dotted: str, identifiers: frozenset[bytes] | set[bytes], data: bytes) -> bool:
    """Whether a file with these identifiers can hold the op that a rule calls `dotted`."""
    if dotted not in SPELLINGS:
        last = dotted.rsplit(".", 1)[-1]
        return dotted == "downstream" or last.encode() in identifiers or dotted.startswith("tf.keras.layers")
    op = SPELLINGS[dotted][0].name
    if op in _OPERATORS or not identifiers.isdisjoint(_NAMES_OF[op]):
        return True
    return any(other in identifiers or (not other.isalpha() and other in data) for other in _ALSO_WRITTEN.get(op, ()))


def feasible(data: bytes, rules: Rules) -> list[Rule]:
    """The rules of which some `before` could stand in a file of these bytes."""
    if not _PACKAGES.search(data):
        return []
    identifiers = set(_IDENTIFIER.findall(data))
    differentiates = not identifiers.isdisjoint(_DIFFERENTIATION) or b"loss" in data
    found = []
    for rule in rules:
        if rule.gradient_only and not differentiates:
            continue
        if any(all(_possible(name, identifiers, data) for name in names) for names in rule.requirements):
            found.append(rule)
    return found


class Look:
    """What one walk over a file's syntax tree tells: which ops it calls under any alias."""

    def __init__(self, text: str, path: str) -> None:
        try:
            self.tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            column = getattr(error, "offset", None) or 1
            reason = getattr(error, "msg", None) or str(error) or type(error).__name__
            raise SourceError(path, line, column, f"this is no valid Python: {reason}") from error
        self.aliases: dict[str, str] = {}
        self.ops: set[str] = set()
        self._walk()

    def _walk(self) -> None:
        calls: list[ast.Call] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    self.aliases[name.asname or name.name.split(".")[0]] = name.name if name.asname else name.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom):
                for name in node.names:
                    self.aliases[name.asname or name.name] = f"{'.' * node.level}{node.module or ''}.{name.name}"
            elif isinstance(node, ast.Attribute):
                self._op(node)
            elif isinstance(node, ast.Call):
                calls.append(node)
        for call in calls:
            self._op(call.func)

    def _op(self, node: ast.expr) -> None:
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in self.aliases:
            path = canonical_path(".".join([self.aliases[node.id], *reversed(names)]))
            if path in SPELLINGS:
                self.ops.add(SPELLINGS[path][0].name)

    def narrowed(self, rules: Iterable[Rule]) -> list[Rule]:
        """The rules that remain: some tensor op is called at all, and the roots they look for are there."""
        uses = any(path.split(".")[0] in ROOT_PACKAGES for path in self.aliases.values())
        return list(rules) if uses else []
