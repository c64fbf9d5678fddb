"""The cheap look: whether a file can hold a finding at all, before anything heavy is imported.

The standard library's parser says whether it is Python at all, and the names written under the import aliases say
which ops it holds. Walking the syntax tree would say little more and cost twice the parse. All of it errs towards
"perhaps".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from tfnanlint.flow import REWRITTEN_FROM
from tfnanlint.ops import OPS, SPELLINGS
from tfnanlint.ops.losses import CLASSES as LOSS_CLASSES
from tfnanlint.source.imports import aliases_of, imports_apart, without_imports
from tfnanlint.source.names import canonical_path
from tfnanlint.source.packages import is_ours
from tfnanlint.template import Requirements, Rule

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


def _strings() -> dict[str, frozenset[str]]:
    """The ops that an activation string may name."""
    found: dict[str, set[str]] = {}
    for spelled, (op, _) in SPELLINGS.items():
        if spelled.startswith(("tf.nn.", "ops.", "K.", "keras.activations.", "keras.losses.")):
            last = spelled.rsplit(".", 1)[-1]
            for name in (last, last.capitalize(), "ReLU" if last == "relu" else last):
                found.setdefault(name, set()).add(op.name)
    return {name: frozenset(ops) for name, ops in found.items()}


_BY_STRING = _strings()

ANY_LAYER = "layer:"
"""How the ops that are layers begin: in a rule one layer stands for all."""


def attainable(present: Collection[str]) -> set[str]:
    """The ops of which a file can hold nodes in which these are written; `ANY_LAYER`, where one is a layer."""
    found = {*present, *(op for op, sources in REWRITTEN_FROM.items() if not sources.isdisjoint(present))}
    if any(op.startswith(ANY_LAYER) for op in present):
        found.add(ANY_LAYER)
    return found


@lru_cache(maxsize=512)
def requirements(rule: Rule) -> Requirements:
    """For each `before` of a rule: the ops it is written with, and whether it asks for evidence of a range."""
    if rule.kept is not None:
        return rule.kept.requirements
    aliases = aliases_of(rule.text)
    found = []
    for function in rule.befores:
        reaching = any(word in ast.unparse(function.args) for word in ("reaches(", "below(", "above("))
        ops = (ANY_LAYER if op.startswith(ANY_LAYER) else op for op in _written(function, aliases))
        found.append((frozenset(ops), reaching))
    return tuple(found)


def satisfied(rules: Iterable[Rule], written: Written) -> list[Rule]:
    """The rules of which some `before` could be made of what is written."""
    present, differentiates = written.ops, written.differentiates
    if not written.ours or present <= _OPERATORS:
        return []  # no tensor op is named at all
    attains = not present.isdisjoint(_EVIDENT)
    held = attainable(present)
    return [
        rule
        for rule in rules
        if (differentiates or not rule.gradient_only)
        and (
            not requirements(rule)
            or any(ops <= held and (attains or not reaching) for ops, reaching in requirements(rule))
        )
    ]


@dataclass(frozen=True)
class Written:
    """What is written in a text, once names are resolved: ops and layers.

    `ours` says whether anything of TensorFlow or Keras is used, `differentiates` whether anything is differentiated.
    """

    ops: frozenset[str] = frozenset()
    ours: bool = False
    differentiates: bool = False

    def __or__(self, other: Written) -> Written:
        return Written(self.ops | other.ops, self.ours or other.ours, self.differentiates or other.differentiates)


def narrowed(
    text: str, rules: Iterable[Rule], around: Sequence[Written] = (), aliases: Mapping[str, str] | None = None
) -> list[Rule]:
    """The rules of which some `before` could stand in a text, or reach into what each thing it imports is written of.

    `aliases` says what the imported names stand for, where more is known of that than the text tells.

    A file that cannot hold a finding by itself is of interest if it adds to what it imports (an op, evidence, a
    gradient), or joins what it imports. What can go wrong in there anyhow is found there.
    """
    rules = list(rules)
    code = code_of(text)
    rest = without_imports(code)
    if "(" not in rest:
        return []  # nothing is called, nothing has parameters
    names = names_in(rest) | names_in("\n".join(imports_apart(code)[0]))
    own = written_in(code, names, aliases_of(text) if aliases is None else aliases)
    own = replace(own, differentiates=own.differentiates or _METHODS.search(code) is not None)
    every = own
    for one in around:
        every |= one
    if not satisfied(rules, own):
        alone = [(one, satisfied(rules, one)) for one in around]
        known = {rule.name for _, held in alone for rule in held}
        joined = any(rule.name not in known for rule in satisfied(rules, every))
        if not joined and not any(rule not in held for one, held in alone for rule in satisfied(rules, own | one)):
            return []
    return satisfied(rules, every)


def written_in(code: str, names: Collection[str], aliases: Mapping[str, str]) -> Written:
    """What is written in code, in which `names` stand, under what `aliases` calls imported things."""
    ours = {alias: path for alias, path in aliases.items() if is_ours(path)}
    present = _operators_in(code)
    if _DENSITY.search(code):
        present |= _DENSITIES
    words: set[str] = set()
    for dotted in dotted_names(names, ours):
        present |= _named(dotted)
        words.add(dotted.rpartition(".")[2])
    for string in set(_QUOTED.findall(code)) if ours else ():
        present |= _BY_STRING.get(string, frozenset())
    return Written(frozenset(present), bool(ours), not words.isdisjoint(_DIFFERENTIATION))


def _operators_in(code: str) -> set[str]:
    """The operators that may be written in a text; those that are rare are looked for."""
    found = set(_OPERATORS)
    factors = code.split("*")
    if not any(not right and left.rstrip()[-1:] not in _OPENS for left, right in pairwise(factors)):
        found.discard("pow")
    elif any(right[:8].lstrip().startswith("2") for right in factors):
        found.add("square")
    if any(_is_same(left[-80:], right[:80]) for left, right in pairwise(factors)):
        found.add("square")
    quotients = code.split("/")
    if not any(
        left.rstrip()[-1:] not in _OPENS and right[:8].lstrip("= ")[:1] not in _ENDS
        for left, right in pairwise(quotients)
    ):
        found.discard("divide")
    return found


def _is_same(left: str, right: str) -> bool:
    """Whether the texts on both sides of a `*` end and begin with the same word."""
    one, other = _LAST_WORD.search(left.rstrip()), _FIRST_WORD.match(right)
    return one is not None and other is not None and one[0] == other[1]


_OPENS = frozenset(("", "(", "[", "{", ",", "=", ":", '"', "'"))
"""Before a sign, what says that it divides and raises nothing: it unpacks, or stands in a string."""
_ENDS = frozenset(("", ")", "]", "}", ",", ":", '"', "'"))
"""Behind a sign, what says that it divides nothing."""
_TALK = re.compile(
    r"""("(?!"")[^"\\\n]*(?:\\.[^"\\\n]*)*"|'(?!'')[^'\\\n]*(?:\\.[^'\\\n]*)*')"""  # strings in a line, which stay
    r"|#[^\n]*"
    r'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''",
    re.DOTALL,
)
"""Comments and docstrings, and the strings in which neither begins."""
_FIRST_WORD = re.compile(r"\s*(\w+)")
_LAST_WORD = re.compile(r"\w+$")
_NAMES = re.compile(r"[^\W\d]\w*(?:[ ]*\.[ ]*\w+)*")
_DENSITY = re.compile(r"\.(?:log_prob|prob|entropy)\(")
_DENSITIES = frozenset("divide log log1p xlogy xlog1py exp subtract neg".split())
"""What the densities of TensorFlow Probability compute."""
_STANDS_FOR = {"tf.nn.batch_normalization": frozenset(("rsqrt", "add", "subtract", "multiply"))}
"""What a function computes that is read by what it is made of."""
_QUOTED = re.compile(r"['\"]([A-Za-z_]\w*)['\"]")
_METHODS = re.compile(r"\.(?:minimize|compute_gradients|get_gradients|gradient|compile|add_loss)\(|loss|_regularizer=")


@lru_cache(maxsize=2)
def code_of(text: str) -> str:
    """A text without its comments and docstrings, and with one kind of line end."""
    return "".join(filter(None, _TALK.split(text.replace("\r\n", "\n").replace("\r", "\n"))))


@lru_cache(maxsize=2)
def names_in(text: str) -> frozenset[str]:
    """All names in a text, with the attributes that are taken of them."""
    return frozenset(_NAMES.findall(text))


def dotted_names(names: Iterable[str], aliases: Mapping[str, str]) -> set[str]:
    """The full paths of all names that begin with an alias, and of every imported name."""
    found = set(aliases.values())
    for name in names:
        first, dot, rest = name.partition(".")
        if dot and (first := first.rstrip()) in aliases:
            found.add(f"{aliases[first]}.{rest.replace(' ', '')}")
    return found


@lru_cache(maxsize=4096)
def _named(dotted: str) -> frozenset[str]:
    """The op, or the layer, that a dotted path names; a method call at its end is looked behind."""
    while dotted:
        path = canonical_path(dotted)
        path = LOSS_CLASSES.get(path, path)
        if path in SPELLINGS:
            return frozenset((SPELLINGS[path][0].name,))
        if path in _STANDS_FOR:
            return _STANDS_FOR[path]
        if path.startswith(("keras.layers.", "tf.layers.")):
            last = path.rsplit(".", 1)[-1]
            return frozenset((f"layer:{last}",)) | _BY_STRING.get(last, frozenset())
        dotted = dotted.rpartition(".")[0]
    return frozenset()


def _written(function: ast.FunctionDef, aliases: dict[str, str]) -> frozenset[str]:
    """The ops that a rule's `before` is written with: calls under the file's aliases, and operators."""
    found: set[str] = set()
    inner = [node for statement in function.body for node in ast.walk(statement)]
    settings = {id(n.value) for n in inner if isinstance(n, ast.keyword) and str(n.arg).endswith("_initializer")}
    for node in inner:
        if type(node) in OPERATORS:
            found.add(OPERATORS[type(node)])
        elif isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            path = canonical_path(f"{aliases.get(first, first)}.{rest}")
            if path in SPELLINGS or path.startswith("keras.layers."):
                found |= _named(path) if path not in SPELLINGS else {SPELLINGS[path][0].name}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in settings:
            found |= _BY_STRING.get(node.value, frozenset())
    return frozenset(found)
