"""Variables and weights: whether they are trained, and whether they start as random draws."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import DYNAMIC, Node, behind
from tfnanlint.interval import INF, Interval
from tfnanlint.ranges import Assumption, Range
from tfnanlint.source import grammar
from tfnanlint.source.arguments import DTYPES, shape_of, static
from tfnanlint.source.indexing import WRAPPED
from tfnanlint.source.names import canonical_path
from tfnanlint.source.values import Class, Function, Items, Layer, Method, Origin, Path, Scope, Value, constant_of
from tfnanlint.vocabulary import WEIGHTS

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

RANDOM = frozenset(
    "random_normal random_uniform truncated_normal glorot_normal glorot_uniform he_normal he_uniform "
    "lecun_normal lecun_uniform variance_scaling xavier orthogonal".split()
)
"""What draws the initial value of a weight; in `K.random_normal` the same names draw a tensor."""
STEADY = {"zeros": 0.0, "ones": 1.0, "constant": None, "identity": None}
"""What gives a weight one initial value, and which where it is one number."""
SETTINGS = frozenset({"input", "attribute", "getitem"})
DRAWS = frozenset("random_normal random_uniform random_truncated_normal".split())
FILLS = frozenset({"zeros", "ones"})
"""Ops that make an array of one number, by its shape."""
BEGINNINGS = FILLS | {"zeros_like", "ones_like", "fill", "const"}
"""Ops of what a variable is set to where it starts again."""
MADE_BY_LAYERS = {
    **dict.fromkeys("Dense EinsumDense Conv1D Conv2D Conv3D Conv1DTranspose Conv2DTranspose".split(), "kernel"),
    **dict.fromkeys(("Conv3DTranspose", "LSTMCell", "GRUCell", "SimpleRNNCell"), "kernel"),
    "DepthwiseConv2D": "depthwise_kernel",
    "Embedding": "embeddings",
}
"""The weights that Keras's layers draw, by the attribute that holds them."""
SCATTERING = {"scatter_add": "scatter_nd_add", "scatter_sub": "scatter_nd_add", "scatter_update": "scatter_nd_update"}
"""What changes some rows of a variable, a function and a method: the op that makes it of what the variable held."""
MOST_STATED = 32
"""The largest size of a shape that is taken from a draw: a trial cuts larger ones, which then fit no others."""
STEP = Assumption(Range(Interval(0.0, INF), "a step, the first of which is 0"), kinds=("count",))
"""The number of steps so far, such as the argument of a learning rate schedule."""


def initializers(names: Iterable[str] = RANDOM) -> dict[str, str]:
    """The paths under which TensorFlow and Keras have what draws a weight, and its name here."""
    found = {}
    for name in names:
        camel = "".join(part.capitalize() for part in name.split("_"))
        for path in (f"tf.{name}_initializer", f"tf.initializers.{name}", f"tf.contrib.layers.{name}_initializer"):
            found[path] = name
        for spelled in (name, camel):
            found[f"keras.initializers.{spelled}"] = found[f"tf.initializers.{spelled}"] = name
    return found


def initializer(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope, *, name: str) -> Value:
    """An initialiser that draws, which is its name here."""
    return Path(name)


def steady(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope, *, name: str) -> Value:
    """An initialiser that does not draw: its name here, or the number that it is made with."""
    value = args.get(0, "value") if name == "constant" else None
    return value if value is not None and isinstance(constant_of(value), (int, float)) else Path(name)


def frozen(args: Arguments) -> bool:
    """Whether a variable is made not to be trained."""
    given = args.keywords.get("trainable")
    return given is not None and constant_of(given[0]) is False


def made(low: Lowering, args: Arguments, attrs: dict[str, Any], origin: Origin) -> Node:
    """A weight that is made by name and shape: without an initialiser it starts as a draw."""
    named = args.keywords.get("initializer")
    given = [named[0]] if named is not None else [v for v, _ in args.positional[1:] if _names_initializer(v)]
    attrs = {**attrs, **_told(args, given[0] if given else None)}
    chosen = not frozen(args)  # an initializer that callers choose; state, such as a moving variance, is hardly drawn
    drawn = all(_draws(value) or (chosen and _is_setting(value)) for value in given) and args.starred is None
    shape = _shape_given(args)
    parts = tuple(part for part in shape.values if isinstance(part, Node)) if isinstance(shape, Items) else ()
    if isinstance(shape, Node) and _is_size(shape):  # a vector
        attrs, parts = {**attrs, "shape": (None,)}, (shape,)
    return _variable(low, args, drawn and (named is not None or len(args.positional) < 4), attrs, origin, parts)


def _shape_given(args: Arguments) -> Value | None:
    """The shape that a weight is made with, which stands first or after a name."""
    if "shape" in args.keywords:
        return args.keywords["shape"][0]
    given = (value for value, _ in args.positional[:2])
    return next((v for v in given if isinstance(v, Items) or type(constant_of(v)) is int or _is_size(v)), None)


def _is_size(value: Value) -> bool:
    """Whether a value is the size of one axis: what stands at a place of a shape."""
    if not isinstance(value, Node) or value.op != "getitem" or len(value.operands) != 2:
        return False
    return type(value.operands[1].constant) is int and value.operands[0].op == "shape"


def made_by_base(cls: Class, name: str) -> bool:
    """Whether a layer has a weight from the class of Keras that it extends, which draws it."""
    return any(
        MADE_BY_LAYERS.get(layer) == name
        for prefix, _, layer in (canonical_path(path).rpartition(".") for path in cls.ancestors())
        if prefix == "keras.layers"
    )


def drawn_by_base(cls: Class) -> bool:
    """Whether a class extends an initialiser that draws, and so draws by what it inherits."""
    drawing = initializers()
    return any(canonical_path(path) in drawing for path in cls.ancestors())


def holding(low: Lowering, args: Arguments, origin: Origin) -> Node:
    """A variable that is made of its initial value."""
    initial = args.get(0, "initial_value", "initializer", "value")
    if isinstance(initial, Node) and _is_of_whole_numbers(initial):  # which no optimizer trains
        return low.flow.add("identity", (initial,), {}, origin)
    drawn = initial is not None and _draws(initial)
    attrs = _told(args, initial, of_shape=False)
    filled = _made_in(initial, FILLS)
    made = _made_in(initial, DRAWS) or filled
    listed = made.operands[0] if made is not None and made.operands else None
    parts = listed.operands if listed is not None and listed.op == "stack" else ()
    stated = listed.constant if listed is not None and (made is initial or made is filled) else None
    if type(stated) is int:  # a vector
        stated = (stated,)
    if isinstance(initial, Node) and initial.op == "eye" and len(initial.operands) == 1:
        stated = (initial.operands[0].constant,) * 2
    if "shape" not in attrs and _is_small(stated):
        attrs["shape"] = stated
    if "shape" not in attrs and parts:
        attrs["shape"] = tuple(part.constant if type(part.constant) is int else None for part in parts)
    if "shape" not in attrs and isinstance(initial, Node) and isinstance(_number_of(initial), (int, float)):
        attrs["shape"] = ()
    return _variable(low, args, drawn, attrs, origin, parts)


def _is_of_whole_numbers(value: Node) -> bool:
    """Whether a value is a range of integers; one with a bound such as `1.0` holds floating-point numbers."""
    floats = str(value.attrs.get("dtype")).startswith(("float", "bfloat"))
    return value.op == "range" and not floats and not any(isinstance(one.constant, float) for one in value.operands)


def _is_small(shape: Any) -> bool:
    """Whether a shape is known and none of its sizes has to be cut."""
    return isinstance(shape, tuple) and all(type(size) is int and size <= MOST_STATED for size in shape)


def _told(args: Arguments, initial: Value | None, of_shape: bool = True) -> dict[str, Any]:
    """The attributes of a variable that the program states: `initializer`, `constraint`, `shape`, `trainable`, `name`.

    `initializer` is a name, a number or nested tuples of them, or `DYNAMIC`; `shape` holds None where a size is not
    known.
    """
    told: dict[str, Any] = {}
    if (starts := _starting(initial)) is not None:
        told["initializer"] = starts
    elif initial is not None:
        told["initializer"] = DYNAMIC
    if (bound := _starting(args.named("constraint"))) is not None:
        told["constraint"] = bound
    if (shape := shape_of(_shape_given(args) if of_shape else args.named("shape"))) is not None:
        told["shape"] = shape
    if (trained := args.keywords.get("trainable")) is not None and isinstance(held := constant_of(trained[0]), bool):
        told["trainable"] = held
    names = [held for held in (constant_of(args.named("name")), constant_of(args.get(0))) if isinstance(held, str)]
    if names:
        told["name"] = names[0]
    return told


def _starting(value: Value | None) -> Any:
    """What a variable starts as, or is kept within: a name, a number, nested tuples of them; else None."""
    if isinstance(value, Path):
        return canonical_path(value.dotted).rsplit(".", 1)[-1]
    if isinstance(value, (Function, Class)):
        return value.name
    if isinstance(value, Layer):
        return value.path
    if not isinstance(value, Node):
        held = static(value) if isinstance(value, Items) else None
        return held if isinstance(held, tuple) else None
    if (filled := _filled(value)) or value.op in DRAWS:
        return filled or value.op
    if value.op in WRAPPED and value.operands:
        return _starting(value.operands[0])
    if value.op == "fill" and len(value.operands) == 2:
        return _starting(value.operands[1])
    if value.op == "multiply" and len(value.operands) == 2:
        return _times_ones(*value.operands)
    if value.op == "divide":  # ones divided by their sum, or by a number of them
        return _filled(value.operands[0]) or None
    return _number_of(value)


def _number_of(value: Node) -> Any:
    """What a program states for a single value: a constant, or the default of a parameter."""
    default = value.attrs.get("default") if value.op in SETTINGS else None
    return default if isinstance(default, (int, float, str)) else value.constant


def _filled(value: Node) -> str:
    """The name of the op that fills a value with zeros or ones, also of NumPy's, which are unknown values; else ""."""
    made = value.attrs.get("called", "") if value.op == "unknown" else value.op
    return made if made in ("zeros", "ones", "zeros_like", "ones_like") else ""


def _times_ones(x: Node, y: Node) -> Any:
    """The number in a product of a number and ones; else None."""
    size, of = (x, y) if x.op == "const" else (y, x)
    return size.constant if _filled(of).startswith("ones") and isinstance(size.constant, (int, float)) else None


def _variable(
    low: Lowering, args: Arguments, drawn: bool, attrs: dict[str, Any], origin: Origin, parts: tuple[Node, ...]
) -> Node:
    """A weight, or what is not trained; `parts` are the sizes of its axes that the program computes."""
    if drawn:
        attrs = {**attrs, "drawn": True}
    dtype = static(args.keywords["dtype"][0]) if "dtype" in args.keywords else None
    if dtype in DTYPES:
        attrs = {**attrs, "dtype": dtype}
    weight = low.flow.add("placeholder" if frozen(args) else "variable", (), attrs, origin)
    if None in attrs.get("shape", ()) and len(parts) == len(attrs["shape"]):
        low.flow.computed[weight] = {"shape": parts}
    return weight


def _names_initializer(value: Value) -> bool:
    return isinstance(value, Path) or isinstance(constant_of(value), str)


def _is_setting(value: Value) -> bool:
    """Whether the maker of a layer chooses the initialiser; it counts as a random draw."""
    if not isinstance(value, Node):
        return False
    return value.op in SETTINGS or (value.op == "unknown" and any(map(_is_setting, value.operands)))


def _made_in(value: Value | None, ops: Container[str]) -> Node | None:
    """The draw, or the array of one number, that a value is or that it scales."""
    if not isinstance(value, Node):
        return None
    if value.op in ("multiply", "divide", "cast"):
        return next(filter(None, (_made_in(operand, ops) for operand in value.operands)), None)
    return value if value.op in ops else None


def _draws(value: Value) -> bool:
    """Whether a value is a draw times a size, or what draws one."""
    if isinstance(value, Path):
        return canonical_path(value.dotted) in RANDOM
    if not isinstance(value, Node):
        return False
    if value.op in ("multiply", "divide") and len(value.operands) == 2:
        x, y = value.operands
        size = SETTINGS | {"const", "unknown"}
        return (_draws(x) and y.op in size) or (value.op == "multiply" and _draws(y) and x.op in size)
    if value.op in ("phi", "cast"):  # on any path of the program, in any type
        return all(map(_draws, value.operands))
    return value.op in DRAWS or (value.op == "const" and value.constant in RANDOM)


def scattered(
    low: Lowering, held: Node, name: str, indices: Value, given: Value, node: grammar.Syntax, scope: Scope
) -> Node:
    """What a variable holds once some of its rows are changed by a function or method of `SCATTERING`."""
    origin = low.origin(node, scope)
    pointers = low.flow.add("expand_dims", (low.tensor(indices, node, scope),), {"axis": -1}, origin)
    rows = low.tensor(given, node, scope)
    rows = low.flow.add("neg", (rows,), {}, origin) if name == "scatter_sub" else rows
    return low.flow.add(SCATTERING[name], (held, pointers, rows), {}, origin)


def updated(
    low: Lowering, owner: Node, variable: Node, op: str, given: tuple[Value, Any], node: grammar.Syntax, scope: Scope
) -> Node:
    """What is assigned to a variable, of which `owner` is the value here."""
    taken = low.tensor(*given, scope)
    low.flow.kept.add(taken)
    operands = (owner, taken) if op else (taken,)
    held = low.flow.add(op or "identity", operands, {}, low.origin(node, scope))
    assign(low, variable, held)
    return held


def assign(low: Lowering, variable: Node, held: Node) -> None:
    """Note that a variable holds a value once the operation that gives it has run.

    What only starts it again, such as the zeros in `reset_state`, leaves what it holds in between.
    """
    known = low.flow.assigned if behind(held, {"identity", "detached"}).op in BEGINNINGS else ()
    low.flow.assigned.update((one, held) for one in _meant(variable) if one not in known)
    low.updates.setdefault(held, []).append(variable)


def _meant(variable: Node) -> Iterator[Node]:
    """What is assigned to: a variable, or any of those that are joined, or that a list holds."""
    yield variable
    if variable.op == "phi" or (variable.op == "getitem" and "place" in variable.attrs):
        for operand in variable.operands:
            yield from _meant(operand)


def is_list(value: Value) -> bool:
    """Whether a value is the list of a model's trained weights."""
    return isinstance(value, Method) and value.name in WEIGHTS


def some(low: Lowering, node: grammar.Syntax, scope: Scope, bias: bool = True) -> Node:
    """Some trained weight of a model, which may be a bias that starts at 0, or a kernel."""
    return low.flow.add("variable", (), {"initializer": "zeros"} if bias else {}, low.origin(node, scope))


def all_of_them(low: Lowering, node: grammar.Syntax, scope: Scope) -> Items:
    """What stands for a model's trained weights where a program goes through all of them: a kernel and a bias."""
    return Items([some(low, node, scope, bias) for bias in (False, True)])
