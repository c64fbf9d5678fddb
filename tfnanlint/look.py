"""The cheap look: whether a file can hold a finding at all, before anything heavy is imported.

First the bytes (a package's name, then the identifiers of the ops that rules speak of); then the standard
library's parser says whether it is Python at all, and the names written under the import aliases say which ops it
holds. Walking the syntax tree would say little more and cost twice the parse. All of it errs towards "perhaps".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache

from tfnanlint.flow import REWRITTEN_FROM
from tfnanlint.ops import OPS, SPELLINGS
from tfnanlint.ops.losses import CLASSES as LOSS_CLASSES
from tfnanlint.source.names import ROOT_PACKAGES, canonical_path
from tfnanlint.syntax import check_syntax
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
_OPERATORS = frozenset(OPERATORS.values())
_EVIDENT = frozenset(name for name, row in OPS.items() if row.attained is not None) - _OPERATORS
"""Ops that are evidence of a value in themselves; operators only hand evidence on."""


def _index() -> tuple[dict[bytes, frozenset[str]], dict[str, frozenset[str]]]:
    """The ops that an identifier may name, and those that an activation string may."""
    identifiers: dict[bytes, set[str]] = {}
    strings: dict[str, set[str]] = {}
    for spelled, (op, _) in SPELLINGS.items():
        last = spelled.rsplit(".", 1)[-1]
        identifiers.setdefault(last.encode(), set()).add(op.name)
        if spelled.startswith(("tf.nn.", "ops.", "K.", "keras.activations.", "keras.losses.")):
            strings.setdefault(last, set()).add(op.name)
            for layer in (last.capitalize(), "ReLU" if last == "relu" else last):
                identifiers.setdefault(layer.encode(), set()).add(op.name)
                strings.setdefault(layer, set()).add(op.name)
    for path, function in LOSS_CLASSES.items():
        identifiers.setdefault(path.rsplit(".", 1)[-1].encode(), set()).add(SPELLINGS[function][0].name)
    return {k: frozenset(v) for k, v in identifiers.items()}, {k: frozenset(v) for k, v in strings.items()}


_BY_IDENTIFIER, _BY_STRING = _index()


def possible(op: str, present: set[str]) -> bool:
    """Whether a file in which these ops are written can hold a node of this op."""
    return op in present or any(source in present for source in REWRITTEN_FROM.get(op, ()))


@lru_cache(maxsize=512)
def requirements(rule: Rule) -> tuple[tuple[frozenset[str], bool], ...]:
    """For each `before` of a rule: the ops it is written with, and whether it asks for evidence of a range."""
    aliases = aliases_of(rule.text)
    found = []
    for function in rule.befores:
        reaching = any(word in ast.unparse(function.args) for word in ("reaches(", "below(", "above("))
        found.append((_written(function, aliases), reaching))
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
    present = set(_OPERATORS)
    for identifier in identifiers & _BY_IDENTIFIER.keys():
        present |= _BY_IDENTIFIER[identifier]
    present |= {f"layer:{name.decode()}" for name in identifiers}
    return _satisfied(rules, present, b"loss" in data or any(word.encode() in identifiers for word in _DIFFERENTIATION))


def _satisfied(rules: Iterable[Rule], present: set[str], differentiates: bool) -> list[Rule]:
    if present <= _OPERATORS:
        return []  # no tensor op is named at all
    attains = not present.isdisjoint(_EVIDENT)
    return [
        rule
        for rule in rules
        if (differentiates or not rule.gradient_only)
        and (
            not rule.befores
            or any(
                all(possible(op, present) for op in ops) and (attains or not reaching)
                for ops, reaching in requirements(rule)
            )
        )
    ]


def narrowed(text: str, path: str, rules: Iterable[Rule], around: Iterable[bytes] = ()) -> list[Rule]:
    """The rules that remain when names are resolved; raises `SourceError` where the text is no Python."""
    check_syntax(text, path)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    aliases = aliases_of(text)
    if not any(path.split(".")[0] in ROOT_PACKAGES for path in aliases.values()):
        return []
    code = _COMMENT.sub("", text)
    present = {op for op in _OPERATORS if op not in _MARKS or _MARKS[op].search(code)}
    if _SQUARE.search(code):
        present.add("square")
    words: set[str] = set()
    for dotted in _dotted_names(text, aliases):
        present |= _named(dotted)
        words.add(dotted.rsplit(".", 1)[-1])
    for string in set(_QUOTED.findall(text)):
        present |= _BY_STRING.get(string, frozenset())
    for data in around:
        for identifier in set(_IDENTIFIER.findall(data)) & _BY_IDENTIFIER.keys():
            present |= _BY_IDENTIFIER[identifier]
    return _satisfied(rules, present, not words.isdisjoint(_DIFFERENTIATION) or _METHODS.search(text) is not None)


_FROM = re.compile(r"(?:^|[;:])[ \t\f]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(?:\(([^)]*)\)|([^\n;#]*))", re.MULTILINE)
_IMPORT = re.compile(r"(?:^|[;:])[ \t\f]*import[ \t]+([^\n;#]*)", re.MULTILINE)
_MARKS = {
    "pow": re.compile(r"[\w)\]]\s*\*\*"),
    "divide": re.compile(r"[\w)\]]\s*/=?\s*[\w(]"),
}
"""Operators rare enough that looking for them says something."""
_COMMENT = re.compile(r"#[^\n]*|\"\"\"[^\"]*\"\"\"")
"""Comments, and docstrings without a quotation mark inside (what follows a `#` in a string goes too, on that line)."""
_SQUARE = re.compile(r"\*\*\s*2|\b(\w+)\s*\*\s*\1\b")
_QUOTED = re.compile(r"['\"]([A-Za-z_]\w*)['\"]")
_METHODS = re.compile(r"\.(?:minimize|compute_gradients|get_gradients|gradient|compile|add_loss)\(|loss")


def aliases_of(text: str) -> dict[str, str]:
    """What each imported name stands for, as far as the text of the import statements tells."""
    found: dict[str, str] = {}
    for module, bracketed, plain in _FROM.findall(text):
        for part in (_without_comments(bracketed) or plain).replace("\\\n", " ").split(","):
            name, _, alias = part.strip().partition(" as ")
            if name:
                found[alias.strip() or name] = f"{module}{'' if module.endswith('.') else '.'}{name}"
    for names in _IMPORT.findall(text):
        for part in names.split(","):
            name, _, alias = part.strip().partition(" as ")
            if name:
                found[alias.strip() or name.split(".")[0]] = name if alias else name.split(".")[0]
    return found


def _without_comments(text: str) -> str:
    return re.sub(r"#[^\n]*", "", text)


def _dotted_names(text: str, aliases: dict[str, str]) -> set[str]:
    """The full paths of everything written as `alias.name...`, and of every imported name."""
    ours = {alias: path for alias, path in aliases.items() if path.split(".")[0] in ROOT_PACKAGES}
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(ours, key=len, reverse=True)))})((?:[ ]*\.[ ]*\w+)+)")
    used = {ours[alias] + rest.replace(" ", "") for alias, rest in pattern.findall(text)}
    return used | set(aliases.values())


def _named(dotted: str) -> frozenset[str]:
    """The op, or the layer, that a dotted path names; a method call at its end is looked behind."""
    while dotted:
        path = canonical_path(dotted)
        path = LOSS_CLASSES.get(path, path)
        if path in SPELLINGS:
            return frozenset((SPELLINGS[path][0].name,))
        if path.startswith(("keras.layers.", "tf.layers.")):
            last = path.rsplit(".", 1)[-1]
            return frozenset((f"layer:{last}",)) | _BY_STRING.get(last, frozenset())
        dotted = dotted.rpartition(".")[0]
    return frozenset()


def _written(function: ast.FunctionDef, aliases: dict[str, str]) -> frozenset[str]:
    """The ops that a rule's `before` is written with: calls under the file's aliases, and operators."""
    found: set[str] = set()
    for node in (inner for statement in function.body for inner in ast.walk(statement)):
        if type(node) in OPERATORS:
            found.add(OPERATORS[type(node)])
        elif isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            path = canonical_path(f"{aliases.get(first, first)}.{rest}")
            if path in SPELLINGS or path.startswith("keras.layers."):
                found |= _named(path) if path not in SPELLINGS else {SPELLINGS[path][0].name}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= _BY_STRING.get(node.value, frozenset())
    return frozenset(found)
