"""Functions outside the module that are not ops of the table: what differentiates, makes variables or asserts;
Python's and NumPy's functions of numbers, which are folded."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tfnanlint.flow import DYNAMIC, Node
from tfnanlint.source import (
    arg_scopes,
    distributions,
    gradients,
    grammar,
    list_functions,
    objects,
    op_calls,
    records,
    settings,
    streams,
    weights,
)
from tfnanlint.source.arguments import shape_of, static
from tfnanlint.source.combinators import COMBINATORS
from tfnanlint.source.folding import FOLDS
from tfnanlint.source.packages import is_ours
from tfnanlint.source.values import (
    Class,
    Function,
    Instance,
    Items,
    Method,
    Path,
    Scope,
    Tape,
    Value,
    constant_of,
    nodes_in,
)
from tfnanlint.vocabulary import WEIGHTS

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

LEAST_POSITIVE = 2.0**-126
"""The least positive float32 that is not flushed to 0."""
EPSILON = 1e-7
"""What `keras.backend.epsilon()` returns unless it was changed."""

CASTS = {"float": "float32", "double": "float64", "int32": "int32", "int64": "int64", "bfloat16": "bfloat16"}
HANDED_ON = (
    "tf.TensorShape tf.compat.dimension_value tf.get_static_value tf.contrib.util.constant_value "
    "ops.convert_to_numpy K.convert_to_numpy K.get_value K.standardize_dtype K.cast_to_floatx "
    "keras.initializers.get keras.regularizers.get keras.constraints.get keras.models.clone_model "
    "keras.utils.multi_gpu_model tf.sparse.to_dense tf.sparse_tensor_to_dense tf.sparse.from_dense tf.sparse.reorder "
    "copy.copy copy.deepcopy"
).split()
"""Functions that give what they are given first, or what that stands for."""
HANDED_ON_INSIDE = (
    "keras.utils.conv_utils.normalize_tuple keras.utils.conv_utils.normalize_data_format "
    "keras.layers.rnn.gru_lstm_utils.read_variable_value "
    "tensorflow_probability.python.internal.tensor_util.convert_nonref_to_tensor"
).split()
"""Such functions of the internal modules of Keras and TensorFlow Probability, which their own code calls."""
GLOBAL_STEP = [f"tf.train.{verb}_global_step" for verb in ("get", "create", "get_or_create")]
"""Functions of TensorFlow 1 that give the number of steps so far."""

MOST_AXES = 5
"""The most axes of a grid that is followed."""
MOST_UPDATES = 1000
"""The most operations that are followed from a control dependency."""

Special = Callable[["Lowering", "Arguments", grammar.Syntax, Scope], "Value | None"]


def _updated(op: str) -> Special:
    def updated(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
        """`tf.assign` and its kin: the variable holds the result for what depends on it."""
        variable, given = args.get(0, "ref", "x"), args.get(1, "value", "new_x", "increment", "decrement")
        if not isinstance(variable, Node) or given is None:
            return None
        return weights.updated(low, variable, variable, op, (given, node), node, scope)

    return updated


def _scattered(name: str) -> Special:
    def scattered(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
        """`tf.scatter_add` and its kin: what a variable holds once some of its rows are changed."""
        variable, indices, given = args.get(0, "ref"), args.get(1, "indices"), args.get(2, "updates")
        if not isinstance(variable, Node) or indices is None or given is None:
            return None
        held = weights.scattered(low, variable, name, indices, given, node, scope)
        weights.assign(low, variable, held)
        return held

    return scattered


def _depended_on(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.control_dependencies`: from here on, variables hold what the given operations assign to them."""
    stack = nodes_in(args.get(0, "control_inputs"))
    for _ in range(MOST_UPDATES):
        if not stack:
            break
        update = stack.pop()
        for variable in low.updates.get(update, ()):
            low.assigned[variable] = update
        if update.op == "unknown":  # such as a group of operations
            stack += update.operands
    return None


def _trained(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.trainable_variables()`: the weights of all models, as those that a model has."""
    return Method(low.unknown(node, scope), WEIGHTS[0])


def _collected(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.get_collection`: the weights, where those are asked for."""
    asked = args.get(0, "key")
    key = asked.dotted.rpartition(".")[2] if isinstance(asked, Path) else constant_of(asked)
    return _trained(low, args, node, scope) if str(key).lower() == WEIGHTS[0] else None


def _super(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`super()`: the instance, seen through the bases of the class whose method this is."""
    inner: Scope | None = scope
    while inner is not None and not (isinstance(inner.owner, Function) and inner.owner.cls is not None):
        inner = inner.parent
    if inner is None or inner.owner.cls is None:
        return None
    cls: Class = inner.owner.cls
    above = Class(f"super of {cls.name}", Scope(None, "class"), cls.bases, cls.file)
    bound = next((v for v in inner.names.values() if isinstance(v, Instance)), None)
    return Instance(above, bound.attributes) if bound is not None else None


def _tape(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    return Tape(low.origin(node, scope), len(low.flow.nodes))


def _variable(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    origin = low.origin(node, scope, arguments=tuple((n, e) for v, e in args.positional[:1] for n in nodes_in(v)))
    return weights.holding(low, args, origin)


def _named_variable(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    origin = low.origin(node, scope, arguments=tuple((n, e) for v, e in args.positional[:1] for n in nodes_in(v)))
    return weights.made(low, args, {}, origin)


def _generator(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """A generator of random numbers: its methods take what the functions of `tf.random` do."""
    return Path("tf.random")


def _numpy_generator(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """One of NumPy's, likewise."""
    return Path("numpy.random")


def _placeholder(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    dtype = args.get(0, "dtype")
    held = static(dtype) if dtype is not None else None
    stated = {"dtype": held if isinstance(held, str) else None, "shape": shape_of(args.get(1, "shape"))}
    attrs = {k: v for k, v in stated.items() if v is not None}
    return op_calls.named_input(low, args, attrs, low.origin(node, scope), place=2)


def _symbolic(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A tensor of Keras that stands for values of a shape and a type."""
    dtype = static(given) if (given := args.get(1, "dtype")) is not None else None
    stated = {"dtype": dtype if isinstance(dtype, str) else None, "shape": shape_of(args.get(0, "shape"))}
    return op_calls.named_input(low, args, {k: v for k, v in stated.items() if v is not None}, low.origin(node, scope))


def _constant(value: str) -> Special:
    """What a setting of Keras is unless it was changed."""
    return lambda low, args, node, scope: low.flow.constant(value, low.origin(node, scope))


def _cast(dtype: str) -> Special:
    """A conversion of TensorFlow 1 to the type that its name tells."""

    def special(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
        given = args.get(0, "x")
        if given is None:
            return None
        taken, expression = low.tensor(given, node, scope), args.positional[0][1] if args.positional else node
        origin = low.origin(node, scope, arguments=((taken, expression),))
        return low.flow.add("cast", (taken,), {"dtype": dtype}, origin)

    return special


def _epsilon(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    return low.flow.constant(EPSILON, low.origin(node, scope))


def _template(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`tf.make_template(name, function)`: the same function, whose variables are shared between its calls."""
    return args.get(1, "func_")


def _dense(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """Whether a tensor is sparse: each is followed as a dense one."""
    return low.flow.constant(False, low.origin(node, scope))


def _downstream(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """The word of rule files: anything computed from its argument."""
    return low.flow.add("downstream", args.nodes[:1], {}, low.origin(node, scope))


def _asserted(lo: float, hi: float) -> Special:
    """An assertion about a variable: from here on it is known to lie in [lo, hi]."""

    def special(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
        value, name = args.positional[0] if args.positional else (None, None)
        if isinstance(value, Node) and isinstance(name, grammar.Name):
            low.bind(
                scope, name.value, low.flow.add("asserted", (value,), {"lo": lo, "hi": hi}, low.origin(node, scope))
            )
        return None

    return special


def _einsum(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`einsum`, which takes any number of operands by position."""
    if len(args.positional) < 2 or args.starred is not None:
        return None
    (equation, _), *given = args.positional
    pairs = tuple((low.tensor(value, expression, scope), expression) for value, expression in given)
    origin = low.origin(node, scope, arguments=pairs)
    return low.flow.add("einsum", [operand for operand, _ in pairs], {"equation": static(equation)}, origin)


def _module(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A module that is imported by a call."""
    name = constant_of(args.get(0, "name"))
    return Path(name) if isinstance(name, str) else None


def _given(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """What it is given, which is not a method."""
    return args.get(0)


def _python_function(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`py_function`: a function of Python, called with the tensors that it is given."""
    function, given = args.get(0, "func"), args.get(1, "inp")
    return low.call(function, given.values, node, scope) if function is not None and isinstance(given, Items) else None


def loaded(name: str, args: Arguments) -> Path | None:
    """A module of ours that is imported when it is first used, by a class or function of whatever package."""
    if not name.rpartition(".")[2].lower().startswith("lazy"):
        return None
    given = [constant_of(value) for value, _ in (*args.positional, *args.keywords.values())]
    return next((Path(one) for one in given if isinstance(one, str) and is_ours(one)), None)


def _normalised(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`batch_normalization`, by what it computes: the difference to the mean over a root of the variance."""
    names = ("x", "mean", "variance", "offset", "scale", "variance_epsilon")
    given = {name: args.get(place, name) for place, name in enumerate(names)}
    if any(given[name] is None for name in names) or args.starred is not None:
        return None
    origin = low.origin(node, scope)
    taken = {name: low.tensor(value, node, scope) for name, value in given.items()}

    def made(op: str, *operands: Node) -> Node:
        return low.flow.add(op, operands, {}, origin)

    factor = made("rsqrt", made("add", taken["variance"], taken["variance_epsilon"]))
    if _written(taken["scale"]):
        factor = made("multiply", factor, taken["scale"])
    result = made("multiply", made("subtract", taken["x"], taken["mean"]), factor)
    return made("add", result, taken["offset"]) if _written(taken["offset"]) else result


def _affine(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`xw_plus_b` and `relu_layer`: a product with weights, and a bias."""
    given = (args.get(0, "x"), args.get(1, "weights"), args.get(2, "biases"))
    if any(one is None for one in given) or args.starred is not None:
        return None
    x, weight, bias = (low.tensor(one, node, scope) for one in given)
    origin = low.origin(node, scope)
    return low.flow.add("add", (low.flow.add("matmul", (x, weight), {}, origin), bias), {}, origin)


def _rectified(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    result = _affine(low, args, node, scope)
    return low.flow.add("relu", nodes_in(result), {}, low.origin(node, scope)) if result is not None else None


def _grid(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """`meshgrid`: for each axis, its coordinates at every point of the grid."""
    axes = [low.tensor(value, node, scope) for value, _ in args.positional]
    indexing = args.named("indexing")
    if not axes or len(axes) > MOST_AXES or args.starred is not None:
        return None
    places = list(range(len(axes)))
    if len(axes) > 1 and (indexing is None or constant_of(indexing) != "ij"):
        places[:2] = [1, 0]
    origin = low.origin(node, scope)
    sizes = [low.flow.describe("size", axis, origin) for axis in axes]
    found: list[Value] = []
    for axis, place in zip(axes, places, strict=True):
        along = tuple(-1 if at == place else 1 for at in range(len(axes)))
        lifted = low.flow.add("reshape", (axis,), {"shape": along}, origin)
        everywhere = low.flow.add("broadcast_to", (lifted,), {"shape": DYNAMIC}, origin)
        low.flow.computed[everywhere] = {"shape": tuple(sizes[places.index(at)] for at in range(len(axes)))}
        found.append(everywhere)
    return Items(found)


def _written(node: Node) -> bool:
    """Whether an argument is anything but `None`."""
    return node.op != "const" or node.constant is not None


def _compared(op: str) -> Special:
    """An assertion that compares two values: from here to the end of the block it holds."""

    def special(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
        x, y = args.get(0, "x"), args.get(1, "y")
        if x is not None and y is not None:
            sides = [low.tensor(x, node, scope), low.tensor(y, node, scope)]
            low.suppose(low.flow.add(op, sides, {}, low.origin(node, scope)))
        return None

    return special


def _assert(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """An assertion of all elements of a condition: from here to the end of the block it holds."""
    condition = args.get(0, "condition")
    while isinstance(condition, Node) and condition.op in ("reduce_all", "identity"):
        condition = condition.operands[0]
    low.suppose(condition)
    return None


def _step(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value:
    """The number of steps so far: a variable that starts at 0 and is not trained."""
    attrs = {"name": "global_step", "initializer": "zeros", "trainable": False}
    step = low.flow.add("placeholder", (), attrs, low.origin(node, scope))
    low.flow.assumptions[step] = weights.STEP
    return step


SPECIAL: dict[str, Special] = {
    **COMBINATORS,
    **FOLDS,
    **objects.OBJECTS,
    **streams.STREAMS,
    **dict.fromkeys(("importlib.import_module", "builtins.__import__"), _module),
    **dict.fromkeys(arg_scopes.PATHS, arg_scopes.made),
    "tf.py_function": _python_function,
    "builtins.staticmethod": _given,
    settings.PARSER: settings.parser,
    **{f"{module}.DEFINE_{kind}": settings.flag for module in settings.FLAG_MODULES for kind in settings.FLAG_KINDS},
    **dict.fromkeys(HANDED_ON + HANDED_ON_INSIDE, _given),
    "builtins.super": _super,
    "collections.namedtuple": records.named_tuple,
    "dataclasses.replace": records.replaced,
    "itertools.repeat": list_functions.repeated,
    "tf.make_template": _template,
    **dict.fromkeys(("K.is_sparse", "tf.is_sparse"), _dense),
    "tf.GradientTape": _tape,
    **dict.fromkeys(("tf.einsum", "tf.linalg.einsum", "ops.einsum", "tnp.einsum"), _einsum),
    "tf.nn.batch_normalization": _normalised,
    "tf.nn.xw_plus_b": _affine,
    "tf.nn.relu_layer": _rectified,
    **dict.fromkeys(("tf.meshgrid", "ops.meshgrid"), _grid),
    **{f"{prefix}{distributions.DIVERGENCE}": distributions.divergence for prefix in distributions.PREFIXES},
    "tf.gradients": gradients.of_function,
    "K.gradients": gradients.of_function,
    "tf.Variable": _variable,
    "tf.get_variable": _named_variable,
    "keras.Variable": _variable,
    **dict.fromkeys(("keras.KerasTensor", "K.KerasTensor", "K.common.keras_tensor.KerasTensor"), _symbolic),
    "K.variable": _variable,
    **{path: partial(weights.initializer, name=name) for path, name in weights.initializers().items()},
    **{path: partial(weights.steady, name=name) for path, name in weights.initializers(weights.STEADY).items()},
    **dict.fromkeys(
        (
            "tf.random.Generator",
            "tf.random.Generator.from_seed",
            "tf.random.Generator.from_non_deterministic_state",
            "tf.random.get_global_generator",
        ),
        _generator,
    ),
    **dict.fromkeys(("numpy.random.default_rng", "numpy.random.RandomState"), _numpy_generator),
    **dict.fromkeys(("tf.assign", "K.update"), _updated("")),
    **dict.fromkeys(("tf.assign_add", "K.update_add"), _updated("add")),
    **dict.fromkeys(("tf.assign_sub", "K.update_sub"), _updated("subtract")),
    **{f"tf.{name}": _scattered(name) for name in weights.SCATTERING},
    "tf.IndexedSlices": records.indexed_slices,
    "tf.control_dependencies": _depended_on,
    "tf.trainable_variables": _trained,
    "tf.get_collection": _collected,
    **dict.fromkeys(GLOBAL_STEP, _step),
    "tf.placeholder": _placeholder,
    "tf.placeholder_with_default": _placeholder,
    "K.placeholder": _placeholder,
    "K.epsilon": _epsilon,
    "keras.config.epsilon": _epsilon,
    "K.backend": _constant("tensorflow"),
    "keras.config.backend": _constant("tensorflow"),
    "K.image_data_format": _constant("channels_last"),
    "keras.config.image_data_format": _constant("channels_last"),
    "K.floatx": _constant("float32"),
    "keras.config.floatx": _constant("float32"),
    **{f"tf.to_{name}": _cast(dtype) for name, dtype in CASTS.items()},
    **dict.fromkeys(("tfnanlint.template.downstream", "tfnanlint.template.nonlinear"), _downstream),
    **{
        f"{prefix}assert_{name}": _compared(name)
        for prefix in ("tf.debugging.", "tf.")
        for name in ("greater", "greater_equal", "less", "less_equal")
    },
    **{f"{prefix}assert_none_equal": _compared("not_equal") for prefix in ("tf.debugging.", "tf.")},
    "tf.debugging.Assert": _assert,
    "tf.Assert": _assert,
    "tf.debugging.assert_positive": _asserted(LEAST_POSITIVE, math.inf),
    "tf.assert_positive": _asserted(LEAST_POSITIVE, math.inf),
    "tf.debugging.assert_non_negative": _asserted(0.0, math.inf),
    "tf.assert_non_negative": _asserted(0.0, math.inf),
}
