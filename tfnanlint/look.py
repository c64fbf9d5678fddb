"""The cheap look: whether a file can hold a finding at all, before anything heavy is imported.

First the bytes (a package's name, then the identifiers of the ops that rules speak of), then one walk
of the standard library's syntax tree with an import-alias map. Both only ever err towards "perhaps".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from tfnanlint.errors import SourceError
from tfnanlint.flow import REWRITTEN_FROM
from tfnanlint.ops import OPS, SPELLINGS
from tfnanlint.source.names import ROOT_PACKAGES, canonical_path
from tfnanlint.template import Rule, Rules

_PACKAGES = re.compile(rb"tensorflow|keras")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w+")
_DIFFERENTIATION = frozenset(
    "GradientTape gradients minimize compute_gradients get_gradients compile add_loss Layer Model Loss Regularizer "
    "gradient loss custom_gradient".split()
)
"""Without one of these words nothing in a file is differentiated, as far as the file shows."""

OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "pow",
    ast.Mod: "floormod",
    ast.FloorDiv: "floordiv",
    ast.MatMult: "matmul",
    ast.USub: "neg",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.BitAnd: "logical_and",
    ast.BitOr: "logical_or",
    ast.Invert: "logical_not",
    ast.Not: "logical_not",
    ast.Subscript: "getitem",
}
_ATTAINING = frozenset(name for name, row in OPS.items() if row.attained is not None)


def _index() -> tuple[dict[bytes, frozenset[str]], dict[str, frozenset[str]]]:
    """The ops that an identifier may name, and those that an activation string may."""
    identifiers: dict[bytes, set[str]] = {}
    strings: dict[str, set[str]] = {}
    for spelled, (op, _) in SPELLINGS.items():
        last = spelled.rsplit(".", 1)[-1]
        identifiers.setdefault(last.encode(), set()).add(op.name)
        if spelled.startswith(("tf.nn.", "ops.", "K.", "keras.activations.")):
            strings.setdefault(last, set()).add(op.name)
            for layer in (last.capitalize(), "ReLU" if last == "relu" else last):
                identifiers.setdefault(layer.encode(), set()).add(op.name)
                strings.setdefault(layer, set()).add(op.name)
    return {k: frozenset(v) for k, v in identifiers.items()}, {k: frozenset(v) for k, v in strings.items()}


_BY_IDENTIFIER, _BY_STRING = _index()
_ALWAYS = frozenset(OPERATORS.values())


def possible(op: str, present: set[str]) -> bool:
    """Whether a file in which these ops are written can hold a node of this op."""
    return op in present or any(source in present for source in REWRITTEN_FROM.get(op, ()))


@lru_cache(maxsize=512)
def requirements(rule: Rule) -> tuple[tuple[frozenset[str], bool], ...]:
    """For each `before` of a rule: the ops it is written with, and whether it asks for evidence of a range."""
    aliases = _aliases(rule.tree)
    found = []
    for function in rule.befores:
        reaching = any(word in ast.unparse(function.args) for word in ("reaches(", "below(", "above("))
        found.append((frozenset(_ops(ast.Module(function.body, []), aliases)), reaching))
    return tuple(found)


def mentions_package(data: bytes) -> bool:
    """Whether bytes speak of TensorFlow or Keras at all."""
    return _PACKAGES.search(data) is not None


def feasible(data: bytes, rules: Rules, around: Iterable[bytes] = ()) -> list[Rule]:
    """The rules of which some `before` could stand in a file of these bytes, or reach into those `around` it."""
    if not mentions_package(data):
        return []
    identifiers = set(_IDENTIFIER.findall(data))
    for other in around:
        identifiers.update(_IDENTIFIER.findall(other))
    present = set(_ALWAYS)
    for identifier in identifiers & _BY_IDENTIFIER.keys():
        present |= _BY_IDENTIFIER[identifier]
    present |= {f"layer:{name.decode()}" for name in identifiers}
    return _satisfied(rules, present, b"loss" in data or any(word.encode() in identifiers for word in _DIFFERENTIATION))


def _satisfied(rules: Iterable[Rule], present: set[str], differentiates: bool) -> list[Rule]:
    attains = not present.isdisjoint(_ATTAINING)
    return [
        rule
        for rule in rules
        if (differentiates or not rule.gradient_only)
        and (not rule.befores or any(all(possible(op, present) for op in ops) and (attains or not reaching)
                                     for ops, reaching in requirements(rule)))
    ]


def narrowed(text: str, path: str, rules: Iterable[Rule], around: Iterable[bytes] = ()) -> list[Rule]:
    """The rules that remain when names are resolved; raises `SourceError` where the text is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
        reason = getattr(error, "msg", None) or str(error) or type(error).__name__
        raise SourceError(path, line, column, f"this is no valid Python: {reason}") from error
    aliases = _aliases(tree)
    if not any(path.split(".")[0] in ROOT_PACKAGES for path in aliases.values()):
        return []
    present = _ops(tree, aliases)
    for data in around:
        for identifier in set(_IDENTIFIER.findall(data)) & _BY_IDENTIFIER.keys():
            present |= _BY_IDENTIFIER[identifier]
    words = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)} | {n.split(".")[-1] for n in aliases.values()}
    return _satisfied(rules, present, not words.isdisjoint(_DIFFERENTIATION) or "loss" in text)


def _aliases(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                first = name.name.split(".")[0]
                found[name.asname or first] = name.name if name.asname else first
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                found[name.asname or name.name] = f"{'.' * node.level}{node.module or ''}.{name.name}"
    return found


def _ops(tree: ast.AST, aliases: dict[str, str]) -> set[str]:
    """The ops that a tree is written with: calls and references under any alias, operators, activation strings."""
    found: set[str] = set()
    for node in ast.walk(tree):
        kind = type(node)
        if kind in OPERATORS:
            found.add(OPERATORS[kind])
        elif kind is ast.Attribute:
            found |= _named(node, aliases)
        elif kind is ast.Name:
            if node.id in aliases:
                found |= _named(node, aliases)
        elif kind is ast.Constant and isinstance(node.value, str):
            found |= _BY_STRING.get(node.value, frozenset())
    return found


def _named(node: ast.expr, aliases: dict[str, str]) -> frozenset[str]:
    """The op, or the layer, that a dotted expression names."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not (isinstance(node, ast.Name) and node.id in aliases):
        return frozenset()
    path = canonical_path(".".join([aliases[node.id], *reversed(names)]))
    if path in SPELLINGS:
        return frozenset((SPELLINGS[path][0].name,))
    if path.startswith(("keras.layers.", "tf.layers.")):
        last = path.rsplit(".", 1)[-1]
        return frozenset((f"layer:{last}",)) | _BY_STRING.get(last, frozenset())
    return frozenset()
