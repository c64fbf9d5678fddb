"""The mentions of a text: its ops, its kinds of numbers, and whether it differentiates anything.

Names are resolved by the import statements alone, and operators are found as characters. Walking the syntax tree would
add little and cost twice the parse. If in doubt, the text counts as mentioning it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from tfnanlint.ops import SPELLINGS
from tfnanlint.ops.losses import CLASSES as LOSS_CLASSES
from tfnanlint.source.layer_kinds import layer_of
from tfnanlint.source.names import canonical_path
from tfnanlint.source.packages import is_ours
from tfnanlint.vocabulary import NETWORKS, WEIGHTS

_DIFFERENTIATION = frozenset(
    "GradientTape gradients minimize compute_gradients get_gradients compile add_loss Layer Model Module Loss "
    "Regularizer gradient loss custom_gradient".split()
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
SINGULAR = frozenset("log log2 pow reciprocal divide".split())
"""Ops of NumPy that give an infinity; of code without one, what NumPy computes is not looked at."""
NUMPY = "tnp"
"""How the op table begins the names of what NumPy and `tf.experimental.numpy` have."""
ANY_LAYER = "layer:"
"""How the ops that are layers begin: in a rule one layer stands for all."""

GRADIENT = "gradient"
"""Something is differentiated."""
HALF = "half"
"""Something is computed in float16 or bfloat16."""
TINY = "tiny"
"""There may be a number next to 0 or to 1."""
HUGE = "huge"
"""There may be a number of 1e4 and more, or of -1e4 and less."""
INFINITE = "infinite"
NAN = "nan"
STATEMENT = "statement"
"""An op is called as a statement of its own."""

_WORDS = {
    HALF: ("float16",),
    TINY: (".000", ".999", "eps", "tiny", "small", "finfo", "**", "pow"),
    HUGE: ("finfo", "larg", "big", "huge", "**", "<<", "pow"),
}
"""How numbers and types are written that most code does without, in lower case."""
_EXPONENTS = re.compile(r"\d\.?e([-+]?)(\d+)")
_INFINITY = re.compile(r"(?<![a-z])n?inf(?:ini?ty)?(?![a-z])")
_NAN = re.compile(r"(?<![a-z_])nan(?![a-z])")
_HALF = re.compile(r"(?<!\w)half(?!\w)")
_MANY_DIGITS = re.compile(r"\d_?\d\d\d")
_LARGEST = re.compile(r"\.m(?:in|ax)\b")
"""The largest or least number of a type."""


def _strings() -> dict[str, frozenset[str]]:
    """The ops that an activation string may name."""
    found: dict[str, set[str]] = {}
    for spelled, (op, _) in SPELLINGS.items():
        if spelled.startswith(("tf.nn.", "ops.", "K.", "keras.activations.", "keras.losses.")):
            last = spelled.rsplit(".", 1)[-1]
            for name in (last, last.capitalize(), "ReLU" if last == "relu" else last):
                found.setdefault(name, set()).add(op.name)
    return {name: frozenset(ops) for name, ops in found.items()}


BY_STRING = _strings()


@dataclass(frozen=True)
class Mentions:
    """What a text mentions, once names are resolved: ops and layers, and traits of the whole.

    `ours` says whether anything of TensorFlow or Keras is used.
    """

    ops: frozenset[str] = frozenset()
    traits: frozenset[str] = frozenset()
    ours: bool = False

    def __or__(self, other: Mentions) -> Mentions:
        return Mentions(self.ops | other.ops, self.traits | other.traits, self.ours or other.ours)

    def with_trait(self, trait: str) -> Mentions:
        return replace(self, traits=self.traits | {trait})

    def without(self, traits: frozenset[str]) -> Mentions:
        return replace(self, traits=self.traits - traits) if traits else self

    @property
    def names_ops(self) -> bool:
        """Whether any tensor op is named, beside operators."""
        return self.ours and not self.ops <= _OPERATORS


def combined(parts: Collection[Mentions]) -> Mentions:
    """What several parts mention together."""
    return Mentions(
        frozenset().union(*(part.ops for part in parts)),
        frozenset().union(*(part.traits for part in parts)),
        any(part.ours for part in parts),
    )


def mentions_in(code: str, names: Collection[str], aliases: Mapping[str, str], keras: bool = False) -> Mentions:
    """What code mentions, in which `names` stand, under what `aliases` calls imported things.

    With `keras`, strings name losses and activations also where the code itself uses nothing of TensorFlow: a method
    that compiles what another function builds.
    """
    ours = {alias: path for alias, path in aliases.items() if is_ours(path)}
    present = _operators_in(_LITERALS.sub("''", code))
    if _DENSITY.search(code):
        present |= _DENSITIES
    lower = code.lower()
    if _NETWORK.search(lower):
        present.add(ANY_LAYER)
    words: set[str] = set()
    for dotted in dotted_names(names, ours):
        present |= ops_named(dotted)
        words.add(dotted.rpartition(".")[2])
    arrays = {alias: NUMPY for alias, path in aliases.items() if path == "numpy"}
    of_numpy = set().union(*map(ops_named, dotted_names(names, arrays))) if arrays else set()
    if not of_numpy.isdisjoint(SINGULAR):
        present |= of_numpy
    for string in set(_QUOTED.findall(code)) if ours or keras else ():
        present |= BY_STRING.get(string, frozenset())
    traits = _traits_of(lower)
    if ours and _calls_alone(code, ours):
        traits.add(STATEMENT)
    if not words.isdisjoint(_DIFFERENTIATION) or (ours and _is_below_a_layer(code, ours)):
        traits.add(GRADIENT)
    return Mentions(frozenset(present), frozenset(traits), bool(ours))


def _is_below_a_layer(code: str, aliases: Mapping[str, str]) -> bool:
    """Whether a class inherits from a layer of Keras."""
    bases = names_in("\n".join(_BASES.findall(code)))
    firsts = {name.partition(".")[0].rstrip() for name in bases} & aliases.keys()
    return any(map(layer_of, map(canonical_path, dotted_names(bases, {name: aliases[name] for name in firsts}))))


def _calls_alone(code: str, aliases: Mapping[str, str]) -> bool:
    """Whether a line outside all brackets begins with the call of an op."""
    depth = end = 0
    for found in _CALL.finditer(code):
        first, _, rest = found[1].partition(".")
        if first not in aliases or canonical_path(f"{aliases[first]}.{rest}".rstrip(".")) not in SPELLINGS:
            continue
        between = _LITERALS.sub("", code[end : found.start()])
        depth += sum(between.count(sign) for sign in "([{") - sum(between.count(sign) for sign in ")]}")
        end = found.start()
        if depth <= 0 and not between.rstrip(" \t").endswith("\\\n"):
            return True
    return False


def _traits_of(code: str) -> set[str]:
    """The kinds of numbers and types that code in lower case may hold."""
    traits = {trait for trait, words in _WORDS.items() if any(word in code for word in words)}
    for sign, digits in _EXPONENTS.findall(code) if "e" in code else ():
        traits.add(TINY if sign == "-" else HUGE)
        if sign != "-" and len(digits) > 2:
            traits.add(INFINITE)
    if "inf" in code and _INFINITY.search(code) is not None:
        traits.add(INFINITE)
    if "nan" in code and _NAN.search(code) is not None:
        traits.add(NAN)
    if "half" in code and _HALF.search(code) is not None:
        traits.add(HALF)
    if not traits.isdisjoint((INFINITE, NAN)) or _MANY_DIGITS.search(code) or _LARGEST.search(code):
        traits.add(HUGE)
    return traits


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
    for op, signs in _SIGNS.items():
        if not any(sign in code for sign in signs):
            found.discard(op)
    if "<" not in code and ">" not in code.replace("->", ""):
        found -= _ORDER
    if not any(
        left.rstrip()[-1:] not in _OPENS and not _is_by_number(right) for left, right in pairwise(code.split("%"))
    ):
        found.discard("floormod")
    if all(map(_is_by_number, code.split("//")[1:])):
        found.discard("floordiv")
    if not any(left.rpartition("\n")[2].strip() for left in code.split("@")[:-1]):
        found.discard("matmul")
    quotients = code.split("/")
    if not any(
        left.rstrip()[-1:] not in _OPENS and right[:8].lstrip("= ")[:1] not in _ENDS
        for left, right in pairwise(quotients)
    ):
        found.discard("divide")
    if "truediv" in code:
        found.add("divide")
    return found


_SIGNS = {"equal": ("==", "!="), "not_equal": ("!=",)}
"""Operators that have no other way into a program than these signs."""
_ORDER = frozenset("less less_equal greater greater_equal".split())


def _is_by_number(divisor: str) -> bool:
    """Whether what follows a sign of division begins with a number, which no rule about a remainder asks about."""
    return divisor[:8].lstrip("= ")[:1].isdigit()


def _is_same(left: str, right: str) -> bool:
    """Whether the texts on both sides of a `*` end and begin with the same word."""
    other = _FIRST_WORD.match(right)
    before = left.rstrip()
    if other is None or not before.endswith(other[1]):
        return False
    rest = before[: -len(other[1])]
    return not (rest[-1:].isalnum() or rest.endswith("_"))


_OPENS = frozenset(("", "(", "[", "{", ",", "=", ":", '"', "'"))
"""Before a sign, what says that it divides and raises nothing: it unpacks, or stands in a string."""
_ENDS = frozenset(("", ")", "]", "}", ",", ":", '"', "'"))
"""Behind a sign, what says that it divides nothing."""
_TALK = re.compile(
    r"""("(?!"")[^"\\\n]*(?:\\.[^"\\\n]*)*"?|'(?!'')[^'\\\n]*(?:\\.[^'\\\n]*)*'?)"""  # strings in a line, which stay
    r"|#[^\n]*"
    r'|("""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:""")?'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:''')?)",
    re.DOTALL,
)
"""Comments, docstrings, and the strings in which neither begins; of what does not end, no text is read twice."""
_LITERALS = re.compile(r"""(?<![fF])(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')""")
"""Strings in which nothing is computed."""
_FIRST_WORD = re.compile(r"\s*(\w+)")
_BASES = re.compile(r"^[ \t]*class +\w+\(([^()]*)\)", re.MULTILINE)
_NAMES = re.compile(r"[^\x00-@\[-^`{-\x7f]\w*(?: *\. *\w+)*")
"""A name begins with a letter, `_`, or anything beyond ASCII: a range of all that takes 4 ms to compile."""
_CALL = re.compile(r"(?:^|;)[ \t]*([a-zA-Z_]\w*(?:\.\w+)*)\(", re.MULTILINE)
_DENSITY = re.compile(r"\b(?:log_prob|prob|entropy|kl_divergence|variance)\(")
_DENSITIES = frozenset("divide log log1p xlogy xlog1py exp subtract neg square multiply_no_nan".split())
"""What the densities of TensorFlow Probability compute."""
_STANDS_FOR = {"tf.nn.batch_normalization": frozenset(("rsqrt", "add", "subtract", "multiply"))}
"""What a function computes that is read by what it is made of."""
_NETWORK = re.compile(rf"\.(?:{'|'.join(WEIGHTS)})\b|(?:{'|'.join(sorted(NETWORKS))})\w*\(")
"""In lower case, the weights of a network that the code is given, or a call of one."""
_QUOTED = re.compile(r"['\"]([A-Za-z_]\w*)['\"]")
_TRAINS = re.compile(r"\.(?:minimize|compute_gradients|get_gradients|gradient|compile|add_loss)\(|loss|_regularizer=")


@lru_cache(maxsize=2)
def code_of(text: str) -> str:
    """A text without its comments and docstrings, line by line, and with one kind of line end."""
    parts: list[str | None] = _TALK.split(text.replace("\r\n", "\n").replace("\r", "\n"))
    for place in range(2, len(parts), 3):
        docstring = parts[place]
        if docstring is not None:
            parts[place] = "\n" * docstring.count("\n")
    return "".join(filter(None, parts))


def trains(code: str) -> bool:
    """Whether code has words that are used where something is trained."""
    return _TRAINS.search(code) is not None


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
        elif dot and (second := rest.replace(" ", "").partition("."))[0] in aliases:
            found.add(f"{aliases[second[0]]}.{second[2]}")  # a module that an object holds under the name it has here
    return found


@lru_cache(maxsize=4096)
def ops_named(dotted: str) -> frozenset[str]:
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
            return frozenset((f"{ANY_LAYER}{last}", ANY_LAYER)) | BY_STRING.get(last, frozenset())
        dotted = dotted.rpartition(".")[0]
    return frozenset()
