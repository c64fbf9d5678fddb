"""Python's and NumPy's functions of numbers, arrays and lists: folded, or the ops that they are.

What NumPy computes is the same op with `library` among its attributes. It has a range and runs like the other. Rules
apply to it only if a function of TensorFlow takes what becomes of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from tfnanlint.flow import DYNAMIC, Node, numbers_in
from tfnanlint.interval import DEFAULT_FLOAT, FLOAT_TYPES
from tfnanlint.ops import OPS, SPELLINGS
from tfnanlint.source import folding, grammar, op_calls
from tfnanlint.source.arguments import static
from tfnanlint.source.libraries import LIBRARY, TABLE
from tfnanlint.source.list_functions import LIST_FUNCTIONS
from tfnanlint.source.literals import is_huge
from tfnanlint.source.values import Class, Instance, Items, Many, Path, Scope, Value, constant_of, nodes_in

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

_MATH: dict[str, Callable[..., float]] = {
    "log": math.log,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log2": math.log2,
    "log10": math.log10,
    "abs": abs,
    "power": pow,
    "pow": pow,
    "float": float,
    "int": int,
    "float32": float,
    "float64": float,
    "max": max,
    "min": min,
    "maximum": max,
    "minimum": min,
    "tanh": math.tanh,
    "sin": math.sin,
    "cos": math.cos,
    "square": lambda v: v * v,
    "log1p": math.log1p,
    "expm1": math.expm1,
    "floor": math.floor,
    "ceil": math.ceil,
}
_GROWING = {"pow": "Power", "power": "Power", "square": "Multiply"}
"""Functions whose results can have far more digits than their arguments, each with its operator."""
_NOT_FINITE = frozenset(f"{sign}{word}" for sign in ("", "-", "+") for word in ("inf", "infinity", "nan"))
_NUMPY_DRAWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "normal": ("random_normal", ("loc", "scale", "size")),
    "randn": ("random_normal", ()),
    "standard_normal": ("random_normal", ("size",)),
    "uniform": ("random_uniform", ("low", "high", "size")),
    "rand": ("random_uniform", ()),
    "random": ("random_uniform", ("size",)),
    "random_sample": ("random_uniform", ("size",)),
    "randint": ("random_integers", ("low", "high", "size")),
    "integers": ("random_integers", ("low", "high", "size")),
}
"""NumPy's draws: the op they are, and their parameters in order."""
_DRAW_NAMES = {"loc": "mean", "scale": "stddev", "low": "minval", "high": "maxval"}
_SCALARS = frozenset(f"numpy.{kind}" for kind in "float16 float32 float64 int32 int64".split())
"""NumPy's types, which convert what they are called with."""
_FLOATS = ("float16", "float32", "float64")
"""NumPy's floating-point types."""


def python(low: Lowering, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """Python's and NumPy's functions of numbers, folded; builtins that pass tensors through."""
    last = name.rsplit(".", 1)[-1]
    values = [constant_of(v) for v, _ in args.positional]
    if values and all(isinstance(v, (int, float)) for v in values) and not args.keywords and last in _MATH:
        if last in _GROWING and is_huge(_GROWING[last], values[0], values[-1]):
            return None
        try:
            return low.flow.constant(_MATH[last](*values), low.origin(node, scope))
        except (ArithmeticError, ValueError, TypeError):
            return None
    if name == "builtins.float" and len(values) == 1 and str(values[0]).lower() in _NOT_FINITE:
        return low.flow.constant(float(str(values[0])), low.origin(node, scope))
    if name.startswith("numpy.random.") and last in _NUMPY_DRAWS:
        return _drawn(low, last, args, node, scope)
    if name in _OF_NUMBERS and (made := _OF_NUMBERS[name](low, args, node, scope)) is not None:
        return made
    if name in _SCALARS and len(args.positional) == 1:
        return _converted(low, last, args, node, scope)
    if name == "numpy.fill_diagonal" and len(args.positional) == 2 and not args.keywords:
        return _diagonal_filled(low, args, node, scope)
    if name in ("builtins.abs", "builtins.pow") and args.nodes:
        row = SPELLINGS["tf.abs" if last == "abs" else "tf.pow"]
        return op_calls.op_call(low, *row, "", args, node, scope)
    if name.startswith("builtins."):
        listing = LIST_FUNCTIONS.get(last)
        handled = listing(low, args, node, scope) if listing is not None else None
        return handled if handled is not None or last not in _OF_TENSORS else _OF_TENSORS[last](low, args, node, scope)
    rest = name.removeprefix("numpy.")
    is_table = not rest.startswith("random.") and f"tnp.{rest}" not in SPELLINGS
    if rest != name and is_table and args.nodes and all(map(_is_number, args.nodes)):
        return low.flow.add("unknown", args.nodes, {TABLE: True}, low.origin(node, scope))
    return _row(low, name, args, node, scope)


def _drawn(low: Lowering, kind: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """A draw of `numpy.random` as the op that it is."""
    op, names = _NUMPY_DRAWS[kind]
    given = {k: static(v) for k, (v, _) in zip(names, args.positional, strict=False)}
    given |= {k: static(v) for k, (v, _) in args.keywords.items()}
    attrs = {_DRAW_NAMES.get(k, k): v for k, v in given.items() if k != "size"}
    if op == "random_integers" and "maxval" not in attrs:  # a single bound is the upper one
        attrs = {**attrs, "minval": 0, "maxval": attrs.get("minval", DYNAMIC)}
    size = args.get(names.index("size"), "size") if "size" in names else Items([v for v, _ in args.positional])
    shape = [] if size is None else [low.tensor(size, node, scope)]
    return low.flow.add(op, shape, {**attrs, "bits": 53}, low.origin(node, scope))


def _array(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`numpy.array` of a list of numbers, or of a tensor, which it keeps."""
    if not args.positional or constant_of(listed := args.positional[0][0]) is not None:
        return None
    held = static(listed) if isinstance(listed, Items) else None
    if isinstance(held, tuple) and held and len(args.positional) == 1:
        return low.flow.constant(held, low.origin(node, scope))
    return listed if isinstance(listed, Node) and listed.op != "unknown" else None


def _norm(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`numpy.linalg.norm` of known numbers."""
    numbers = constant_of(args.positional[0][0]) if len(args.positional) == 1 and not args.keywords else None
    if not isinstance(numbers, tuple):
        return None
    return low.flow.constant(math.hypot(*numbers_in(numbers)), low.origin(node, scope))


def _logspace(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`numpy.logspace`: 10 to the power of what `numpy.linspace` gives."""
    if len(args.positional) < 2 or not args.keywords.keys() <= {"num", "dtype"}:
        return None
    exponents = _row(low, "numpy.linspace", args, node, scope)
    if not isinstance(exponents, Node):
        return None
    origin = low.origin(node, scope)
    return low.flow.add("pow", (low.flow.constant(10.0, origin), exponents), {LIBRARY: "numpy"}, origin)


def _converted(low: Lowering, kind: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Node | None:
    """A number or an array in another type of NumPy's."""
    value, written = args.positional[0]
    if not isinstance(value, Node):
        return None
    origin = low.origin(node, scope, arguments=((value, written),))
    return low.flow.add("cast", (value,), {"dtype": kind, LIBRARY: "numpy"}, origin)


def _appended(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`numpy.append`: all elements of one array and of another, in a row."""
    if len(args.positional) != 2 or args.keywords:
        return None
    origin = low.origin(node, scope)
    flat = {"shape": (-1,), LIBRARY: "numpy"}
    rows = [low.flow.add("reshape", (low.tensor(part, node, scope),), flat, origin) for part, _ in args.positional]
    return low.flow.add("concat", rows, {"axis": 0, LIBRARY: "numpy"}, origin)


def _diagonal_filled(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`numpy.fill_diagonal`: the array that a name stands for is another one since."""
    (held, written), (value, expression) = args.positional
    if isinstance(held, Node) and isinstance(written, grammar.Name):
        parts = held, low.tensor(value, expression, scope)
        filled = low.flow.add("set_diag", parts, {LIBRARY: "numpy"}, low.origin(node, scope))
        low.bind(scope, written.value, filled)
    return None


def _row(low: Lowering, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A function of NumPy or of `math` as the op that it is."""
    library, _, rest = name.partition(".")
    prefixes = ("tnp.", "ops.") if library == "numpy" else ("tf.math.",)  # `keras.ops` has NumPy's names, too
    path = next((prefix + rest for prefix in prefixes if prefix + rest in SPELLINGS), None)
    if path is None or not args.nodes or rest in FILLED:
        return None
    return op_calls.op_call(low, *SPELLINGS[path], "", args, node, scope, library)


METHODS = frozenset(
    "sum mean max min std var prod any all cumsum cumprod argmax argmin clip dot reshape ravel flatten transpose "
    "swapaxes squeeze take repeat round astype".split()
)
"""Methods of NumPy's arrays that are functions of it, too."""


def is_array(owner: Node, args: Arguments) -> bool:
    """Whether a value is seen to be computed, or reduced over an axis: it may be an array, and no other object."""
    return owner.op in OPS or isinstance(owner.constant, tuple) or (owner.op == "input" and "axis" in args.keywords)


def method(low: Lowering, owner: Node, name: str, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A method of an array as the function that it is."""
    if not isinstance(node, grammar.Call) or not isinstance(node.func, grammar.Attribute):
        return None
    receiver = node.func.value
    rest = args.positional
    if name in ("reshape", "transpose") and len(rest) > 1:  # lengths and axes may be given one by one
        rest = [(Items([value for value, _ in rest]), node)]
    if name == "astype":
        kind = static(rest[0][0]) if len(rest) == 1 else None
        origin = low.origin(node, scope, arguments=((owner, receiver),))
        given = {"dtype": kind} if isinstance(kind, str) else {}
        return low.flow.add("cast", (owner,), {**given, LIBRARY: "numpy"}, origin) if given else None
    row = SPELLINGS.get(f"tnp.{name}")
    given_to = type(args)([(owner, receiver), *rest], args.keywords, args.starred, args.ordered)
    return op_calls.op_call(low, *row, "", given_to, node, scope, "numpy") if row is not None else None


def _length(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`len`: how many rows a tensor has, how many axes of its shape; of a list as much as is known."""
    given = args.get(0)
    if isinstance(given, Items) and given.values and all(constant_of(one) is not None for one in given.values):
        return low.flow.constant(len(given.values), low.origin(node, scope))
    if isinstance(given, (Items, Many)) and nodes_in(given):
        given = low.tensor(given, node, scope)
    if not isinstance(given, Node):
        return None
    origin = low.origin(node, scope)
    if given.op == "shape":
        return low.flow.describe("rank", given.operands[0], origin)
    if given.op in OPAQUE_SIZES:
        return None
    shape = low.flow.describe("shape", given, origin)
    return low.flow.add("getitem", (shape, low.flow.constant(0, origin)), {}, origin)


FILLED = frozenset(("ones", "zeros"))
"""NumPy functions whose results stay unknown: programs often take them in place of a value that is not given."""
FEW_TURNS = 3
"""Over so many known numbers a comprehension is lowered number by number."""
OPAQUE_SIZES = frozenset({"const"})
"""What may be no tensor at all, so that its length is not the size of one."""


def _passed(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A conversion that keeps the value."""
    given = args.get(0)
    return given if isinstance(given, Node) and given.op != "unknown" and len(args.positional) == 1 else None


def _number(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`float`: the same number, which is Python's own from now on."""
    given = _passed(low, args, node, scope)
    if not isinstance(given, Node) or given.op == "const" or LIBRARY in given.attrs:
        return given
    return low.flow.add("identity", (given,), {LIBRARY: "builtins"}, low.origin(node, scope))


def _whole(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`int`: what is a whole number already stays so, and another loses its fraction."""
    given = args.get(0)
    if not isinstance(given, Node) or given.op == "unknown" or len(args.positional) != 1:
        return None
    at = given.operands[0] if given.op == "getitem" else given
    return given if at.op in WHOLE else low.flow.add("floor", (given,), {LIBRARY: "builtins"}, low.origin(node, scope))


WHOLE = frozenset({"shape", "rank", "size", "range", "floor", "ceil", "round", "argmax", "argmin"})
"""Ops that give whole numbers."""


def _range(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`range`: whole numbers, one by one where they are few and known."""
    ends = [constant_of(v) for v, _ in args.positional]
    origin = low.origin(node, scope)
    if ends and all(type(end) is int for end in ends):
        numbers = range(*ends)
        if numbers and not numbers[FEW_TURNS:]:  # `len` takes no number of them beyond that of a machine's words
            return Items([low.flow.constant(number, origin) for number in numbers])
    given = args.positional if len(args.positional) != 1 else [(low.flow.constant(0, origin), node), args.positional[0]]
    if not all(isinstance(v, Node) for v, _ in given) or not given or args.keywords:
        return None
    step = [] if len(given) > 2 else [low.flow.constant(1, origin)]
    operands = [*(low.tensor(v, node, scope) for v, _ in given), *step]
    return low.flow.add("range", operands, {LIBRARY: "builtins"}, origin)


def _extreme(op: str, reduction: str) -> Callable[[Lowering, Arguments, grammar.Syntax, Scope], Value | None]:
    def extreme(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
        """`max` or `min` of several values, of a list, or of a tensor."""
        given = [v for v, _ in args.positional]
        if args.keywords or args.starred is not None or not given:
            return None
        origin = low.origin(node, scope)
        if len(given) == 1 and isinstance(given[0], Node) and given[0].op != "unknown":
            return low.flow.add(reduction, (given[0],), {LIBRARY: "builtins"}, origin)
        parts = given[0].values if len(given) == 1 and isinstance(given[0], Items) else given
        if len(parts) < 2 or not all(isinstance(part, Node) for part in parts):
            return None
        result = low.tensor(parts[0], node, scope)
        for part in parts[1:]:
            result = low.flow.add(op, (result, low.tensor(part, node, scope)), {LIBRARY: "builtins"}, origin)
        return result

    return extreme


_OF_TENSORS: dict[str, Callable[[Lowering, Arguments, grammar.Syntax, Scope], Value | None]] = {
    "len": _length,
    "float": _number,
    "list": _passed,
    "tuple": _passed,
    "int": _whole,
    "range": _range,
    "max": _extreme("maximum", "reduce_max"),
    "min": _extreme("minimum", "reduce_min"),
}
"""Python's functions that keep or compute a tensor."""


def _is_number(node: Node) -> bool:
    return isinstance(node.constant, (int, float)) and not isinstance(node.constant, bool)


def _finfo(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    given = args.get(0, "dtype", "type")
    kind = static(given) if given is not None else None
    if isinstance(given, Path) and given.dotted == "builtins.float":
        kind = "float64"
    # the type of most tensors, where it is not known
    limits = FLOAT_TYPES[kind if kind in _FLOATS else DEFAULT_FLOAT]
    origin = low.origin(node, scope)
    return Instance(
        Class("finfo", Scope(None, "class"), [], low.file),
        {
            "eps": low.flow.constant(limits.epsilon, origin),
            "tiny": low.flow.constant(limits.least, origin),
            "min": low.flow.constant(-limits.largest, origin),
            "max": low.flow.constant(limits.largest, origin),
        },
    )


_OF_NUMBERS: dict[str, Callable[[Lowering, Arguments, grammar.Syntax, Scope], Value | None]] = {
    "numpy.array": _array,
    "numpy.asarray": _array,
    "numpy.linalg.norm": _norm,
    "numpy.append": _appended,
    "numpy.logspace": _logspace,
    "numpy.finfo": _finfo,
    "math.prod": folding.product,
}
"""Functions of NumPy and of `math` that are no single op; None from one of them leaves the call to the op table."""
