"""Expressions lowered to values; operators become the ops they stand for, literals are folded."""

from __future__ import annotations

import math
import operator
import pathlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import COMPARISONS, Node, ancestors
from tfnanlint.interval import FLOAT_TYPES
from tfnanlint.ops import OPS
from tfnanlint.source import (
    branches,
    calls,
    comprehensions,
    containers,
    distributions,
    folding,
    functions,
    grammar,
    literals,
    model_layers,
    other_files,
    precision,
    texts,
    weights,
)
from tfnanlint.source.arguments import dtype_of
from tfnanlint.source.conditions import CHOICE, is_choice, is_flag, is_offered, is_truth
from tfnanlint.source.grammar import ByKind, kind_of
from tfnanlint.source.libraries import LIBRARY, library_of
from tfnanlint.source.literals import is_huge
from tfnanlint.source.names import canonical_path
from tfnanlint.source.packages import is_ours
from tfnanlint.source.values import (
    ABOUT,
    Choice,
    Class,
    Function,
    Instance,
    Items,
    Layer,
    Many,
    Method,
    Path,
    Scope,
    Table,
    Tape,
    Value,
    constant_of,
    is_none,
    is_object,
    is_vast,
    nodes_in,
)
from tfnanlint.vocabulary import WEIGHTS

if TYPE_CHECKING:
    from tfnanlint.source.lower import Lowering

_BINARY: dict[str, tuple[str, Callable[[Any, Any], Any] | None]] = {
    "Add": ("add", operator.add),
    "Subtract": ("subtract", operator.sub),
    "Multiply": ("multiply", operator.mul),
    "Divide": ("divide", operator.truediv),
    "Power": ("pow", operator.pow),
    "Modulo": ("floormod", operator.mod),
    "FloorDivide": ("floordiv", operator.floordiv),
    "MatrixMultiply": ("matmul", None),
    "BitAnd": ("logical_and", None),
    "BitOr": ("logical_or", None),
}
PATH = "Path"
"""The `called` attribute of the result of joining paths."""
_AUGMENTED = {f"{name}Assign": name for name in _BINARY}
_COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "Equal": ("equal", operator.eq),
    "NotEqual": ("not_equal", operator.ne),
    "LessThan": ("less", operator.lt),
    "LessThanEqual": ("less_equal", operator.le),
    "GreaterThan": ("greater", operator.gt),
    "GreaterThanEqual": ("greater_equal", operator.ge),
}
LIMITS = {
    f"{dtype}.{end}": sign * FLOAT_TYPES[dtype].largest
    for dtype in ("float16", "bfloat16", "float32")
    for end, sign in (("min", -1.0), ("max", 1.0))
}
"""The least and the largest number of a type."""
PYTHON_CONSTANTS = {
    **{f"tensorflow.{name}": limit for name, limit in LIMITS.items()},
    "math.pi": math.pi,
    "numpy.pi": math.pi,
    "math.e": math.e,
    "numpy.e": math.e,
    "math.inf": math.inf,
    "numpy.inf": math.inf,
    "math.nan": math.nan,
    "numpy.nan": math.nan,
    "sys.float_info.epsilon": 2.0**-52,
    "sys.float_info.min": 2.0**-1022,
}
DIMENSION = ("value", "dims")
"""What TensorFlow 1 has the number of a size in, and a shape its sizes."""
PARTS = {"top_k": ("values", "indices"), "qr": ("q", "r")}
"""The names of what an op gives, where that is a tuple with names."""


def _name(low: Lowering, node: grammar.Name, scope: Scope) -> Value:
    name = node.value
    found = scope.lookup(name)
    if found is not None:
        return found
    if name in literals.SINGLETONS:
        return low.flow.constant(literals.SINGLETONS[name], low.origin(node, scope))
    if name in low.file.modules:  # `from utils import *` gives it, of a module that cannot be read
        return Path(low.file.modules[name])
    return Path(f"builtins.{name}")


def _literal(low: Lowering, node: Any, scope: Scope) -> Value:
    return low.flow.constant(literals.LITERALS[kind_of(node)](node.value), low.origin(node, scope))


def _concatenated(low: Lowering, node: grammar.ConcatenatedString, scope: Scope) -> Value:
    """Literals side by side, which are one unless a part of them is formatted."""
    held = node.evaluated_value
    return low.flow.constant(held, low.origin(node, scope)) if held is not None else _formatted(low, node, scope)


def _formatted(low: Lowering, node: grammar.Expression, scope: Scope) -> Value:
    """A text with values in it, where those are known by name."""
    parts = texts.parts_of(node)
    if not parts or not all(isinstance(part, (str, grammar.Name, grammar.Attribute)) for part in parts):
        return low.unknown(node, scope)
    held = [part if isinstance(part, str) else constant_of(low.expression(part, scope)) for part in parts]
    text = texts.joined(held)
    return low.flow.constant(text, low.origin(node, scope)) if text is not None else low.unknown(node, scope)


def _yield(low: Lowering, node: grammar.Yield, scope: Scope) -> Value:
    """What a generator gives: one of the elements of what its call is."""
    if isinstance(node.value, grammar.From):
        given = [containers.element_of(low, low.expression(node.value.item, scope), node, scope)]
    else:
        given = [low.expression(node.value, scope)] if node.value is not None else []
    if low.yields:
        low.yields[-1] += given
    return low.unknown(node, scope)


def _attribute(low: Lowering, node: grammar.Attribute, scope: Scope) -> Value:
    return attribute(low, low.expression(node.value, scope), node.attr.value, node, scope)


def attribute(low: Lowering, owner: Value, name: str, node: grammar.Expression, scope: Scope) -> Value:
    """`owner.name`, wherever the owner came from."""
    if isinstance(owner, Path):
        return _of_path(low, owner, name, node, scope)
    if isinstance(owner, Instance):
        return _of_instance(low, owner, name, node, scope)
    if isinstance(owner, (Function, Class)) and name == "__name__":
        return low.flow.constant(owner.name, low.origin(node, scope))
    if isinstance(owner, Choice):
        joined = low.join([attribute(low, one, name, node, scope) for one in owner.values], node, scope)
        return joined if joined is not None else low.unknown(node, scope)
    if isinstance(owner, Class):
        found = owner.find(name)
        return found if found is not None else low.unknown(node, scope)
    if isinstance(owner, Layer):
        held = distributions.attribute(owner, name) or model_layers.attribute(low, owner, name, node, scope)
        return held if held is not None else Method(owner, name)
    if isinstance(owner, Method) and owner.name == "dtype" and isinstance(owner.owner, Node):
        limit = LIMITS.get(f"{dtype_of(owner.owner)}.{name}")
        return low.flow.constant(limit, low.origin(node, scope)) if limit else low.unknown(node, scope)
    if isinstance(owner, (Tape, Items, Many, Table)):
        return Method(owner, name)
    if isinstance(owner, Node):
        return _of_node(low, owner, name, node, scope)
    return low.flow.add("unknown", nodes_in(owner), {"name": name}, low.origin(node, scope))


def _of_path(low: Lowering, owner: Path, name: str, node: grammar.Expression, scope: Scope) -> Value:
    """A name of a module: a constant, a flag, or a longer path."""
    if owner.dotted.endswith("flags.FLAGS") and name in low.flags:
        return low.flags[name]
    path = owner.attribute(name)
    if path.dotted in PYTHON_CONSTANTS:
        return low.flow.constant(PYTHON_CONSTANTS[path.dotted], low.origin(node, scope))
    return path


def _of_instance(low: Lowering, owner: Instance, name: str, node: grammar.Expression, scope: Scope) -> Value:
    """An attribute of an object of one of the program's classes, or what it inherits from Keras."""
    if name in owner.attributes:
        return owner.attributes[name]
    found = owner.cls.find(name)
    if isinstance(found, Function):
        if not {"property", "cached_property"}.isdisjoint(found.decorators):
            result = functions.inline(low, found.bind(owner), [], {}, low.origin(node, scope))
            return result if result is not None else low.unknown(node, scope)
        return found if "staticmethod" in found.decorators else found.bind(owner)
    if found is not None:
        return found
    if weights.made_by_base(owner.cls, name):
        weight = owner.attributes[name] = low.flow.add("variable", (), {}, low.origin(node, scope))
        return weight
    if name == "layers" and owner.cls.ancestors():
        listed = model_layers.of_model(low, owner, node, scope)
        return listed if listed is not None and listed.values else Method(owner, name)
    if name in precision.COMPUTED_IN and (dtype := precision.of_object(low, owner)):
        return low.flow.constant(dtype, low.origin(node, scope))
    if name == "backend" and owner.cls.ancestors():
        return Path("keras.backend")  # whichever runs it
    return Method(owner, name)


def _of_node(low: Lowering, owner: Node, name: str, node: grammar.Expression, scope: Scope) -> Value:
    """An attribute of a tensor, or of an object of which nothing is known but its name."""
    if name == "dtype":
        return Method(owner, name)
    if name in ABOUT:
        return described(low, owner, name, node, scope)
    if name == "T":
        return low.flow.add("transpose", (owner,), {}, low.origin(node, scope))
    if name in PARTS.get(owner.op, ()):
        return containers.element_of(low, owner, node, scope, PARTS[owner.op].index(name))
    if name in DIMENSION and is_of_shape(owner):
        return owner
    if name in WEIGHTS:
        low.trained.add(owner)
    if name in ("real", "values"):
        return low.recall("unknown", (owner,), {"part": name}, low.origin(node, scope))
    return Method(owner, name)


def described(low: Lowering, owner: Node, name: str, node: grammar.Syntax, scope: Scope) -> Node:
    """What an attribute tells of a tensor: its shape, or how many axes that has; anything else is not known."""
    if name == "shape":
        return low.flow.describe("shape", owner, low.origin(node, scope))
    if name in ("rank", "ndim", "ndims"):
        of = owner.operands[0] if owner.op == "shape" else owner
        return low.flow.describe("rank", of, low.origin(node, scope))
    return low.unknown(node, scope)


def as_node(low: Lowering, value: Value | None, node: grammar.Syntax, scope: Scope) -> Node:
    """A value as a tensor operand."""
    if isinstance(value, Node):
        return value
    if isinstance(value, (Items, Many)) and is_vast(value):
        return low.unknown(node, scope, nodes_in(value))
    if isinstance(value, Items):
        numbers = [constant_of(v) for v in value.values]
        if numbers and all(isinstance(n, (int, float, tuple)) and n is not None for n in numbers):
            return low.flow.constant(tuple(numbers), low.origin(node, scope))
        return low.flow.add("stack", [as_node(low, v, node, scope) for v in value.values], {}, low.origin(node, scope))
    if isinstance(value, Many):
        return low.flow.add("stack", (as_node(low, value.element, node, scope),), {}, low.origin(node, scope))
    if isinstance(value, Path):
        followed = other_files.imported(low, value)
        if isinstance(followed, Node):
            return followed
        if followed is None and is_ours(value.dotted):  # a type, a mode, or another name that stands for itself
            return low.flow.constant(canonical_path(value.dotted), low.origin(node, scope))
    if isinstance(value, Method) and isinstance(value.owner, Node) and value.name not in ABOUT:
        if value.name in low.file.counted:
            return low.flow.add("unknown", (value.owner,), {"name": value.name}, low.origin(node, scope))
        read = low.recall("attribute", (value.owner,), {"name": value.name}, low.origin(node, scope))
        if isinstance(node, grammar.Name):  # a variable that holds it
            low.note_name(read, node.value)
        return read
    if isinstance(value, Method) and isinstance(value.owner, Instance):
        return _inherited(low, value.owner, value.name, node, scope)
    return low.unknown(node, scope, nodes_in(value))


def _inherited(low: Lowering, owner: Instance, name: str, node: grammar.Syntax, scope: Scope) -> Node:
    """The value of an attribute that only code elsewhere sets: the same node at each access."""
    key = f"value of {name}"
    held = owner.attributes.get(key)
    if not isinstance(held, Node):
        held = low.flow.add("unknown", (), {"name": name}, low.origin(node, scope))
        owner.attributes[key] = held
    return held


def _binary(low: Lowering, node: grammar.BinaryOperation, scope: Scope) -> Value:
    left, right = low.expression(node.left, scope), low.expression(node.right, scope)
    return binary(low, kind_of(node.operator), left, right, (node.left, node.right), node, scope)


def binary(
    low: Lowering, kind: str, left: Value, right: Value, sides: tuple[Any, Any], node: grammar.Syntax, scope: Scope
) -> Value:
    """The value of a binary operator: a folded constant, a joined list, or its op."""
    op, fold = _BINARY.get(kind, (None, None))
    a, b = constant_of(left), constant_of(right)
    if fold is not None and isinstance(a, (int, float)) and isinstance(b, (int, float)):
        try:
            if not is_huge(kind, a, b):
                return low.flow.constant(fold(a, b), low.origin(node, scope))
        except (ArithmeticError, ValueError):
            pass
        return low.unknown(node, scope)
    left, right = (Items([side]) if weights.is_list(side) else side for side in (left, right))
    if kind == "Add" and isinstance(left, (Items, Many)) and isinstance(right, (Items, Many)):
        return containers.joined(low, left, right, node, scope)
    if kind == "Add" and all(map(_is_list, (left, right))):
        operands = (as_node(low, left, sides[0], scope), as_node(low, right, sides[1], scope))
        return low.flow.add("concat", operands, {"axis": 0}, low.origin(node, scope))
    if kind == "Multiply" and (isinstance(left, Items) or isinstance(right, Items)):
        listed, times = (left, b) if isinstance(left, Items) else (right, a)
        if times is not None or not _is_made_by_an_op(right if listed is left else left):
            return containers.repeated(low, listed, times, node, scope)
    if kind == "Modulo" and (isinstance(right, (Items, Table)) or _may_be_text(left)):
        op = None  # a text to be filled in
    if isinstance(a, str) and (text := texts.made(kind, a, right if b is None else b)) is not None:
        return low.flow.constant(text, low.origin(node, scope))
    if kind == "Divide" and any(isinstance(side, str) or _is_path(side) for side in (a, b, left, right)):
        return low.flow.add("unknown", (*nodes_in(left), *nodes_in(right)), {"called": PATH}, low.origin(node, scope))
    if op is None or isinstance(a, str) or isinstance(b, str):
        return low.unknown(node, scope, [*nodes_in(left), *nodes_in(right)])
    operands = (as_node(low, left, sides[0], scope), as_node(low, right, sides[1], scope))
    if op == "divide" and (infinity := folding.infinity(*operands)) is not None:
        return low.flow.constant(infinity, low.origin(node, scope))
    origin = low.origin(node, scope, arguments=tuple(zip(operands, sides, strict=True)))
    library = library_of(operands)
    return low.flow.add(op, operands, {LIBRARY: library} if library else {}, origin)


def _is_list(value: Value) -> bool:
    """Whether a value is a list, a static shape, or a part or sum of these: `+` joins two of them."""
    if not isinstance(value, Node):
        return isinstance(value, Many) or (isinstance(value, Items) and bool(value.values))
    while value.op == "getitem" and "slices" in value.attrs:
        value = value.operands[0]
    if value.op == "concat":
        return any(map(_is_list, value.operands))
    return value.op == "shape" and value not in value.operands[0].users  # `tf.shape(x)` is a tensor, and uses `x`


def _is_path(value: Any) -> bool:
    """Whether a value is a path of files, its folder or what else a method of it gives: `/` joins it with a name."""
    while isinstance(value, Method):
        value = value.owner
    if not isinstance(value, Node):
        return False
    return any(at.attrs.get("called") == PATH for at in ancestors(value, _path_of))


def _path_of(value: Node) -> Sequence[Node]:
    """What may be a path if a value is one: each branch of a join, and what a method is called on."""
    if value.op == "phi":
        return value.operands
    of_path = value.op == "unknown" and hasattr(pathlib.Path, str(value.attrs.get("called")))
    return value.operands[:1] if of_path else ()


def _may_be_text(value: Value) -> bool:
    """Whether a value is what a function makes of a text with a field, such as `os.path.join(folder, "%d.png")`."""
    if not isinstance(value, Node) or value.op != "unknown":
        return False
    return any(isinstance(operand.constant, str) and "%" in operand.constant for operand in value.operands)


def _is_made_by_an_op(value: Value) -> bool:
    """Whether a value is a tensor, by which a list is multiplied element by element; a length repeats the list."""
    if not isinstance(value, Node) or value.op not in OPS:
        return False
    return value.op != "size" and not (value.op == "getitem" and is_of_shape(value))


def is_of_shape(value: Node) -> bool:
    """Whether a value is a shape, a part of one, one of its sizes, or their sum or product."""
    while value.op in ("getitem", "reduce_sum", "reduce_prod"):
        value = value.operands[0]
    return value.op == "shape"


def augmented(low: Lowering, statement: grammar.AugAssign, scope: Scope) -> Value:
    """The new value of `target op= value`."""
    left, right = low.expression(statement.target, scope), low.expression(statement.value, scope)
    kind = _AUGMENTED.get(kind_of(statement.operator), "")
    return binary(low, kind, left, right, (statement.target, statement.value), statement, scope)


def _unary(low: Lowering, node: grammar.UnaryOperation, scope: Scope) -> Value:
    value = low.expression(node.expression, scope)
    held = constant_of(value)
    sign = kind_of(node.operator)
    if sign == "Not":
        if isinstance(held, bool):
            return low.flow.constant(not held, low.origin(node, scope))
        if isinstance(value, Node) and (is_truth(value) or is_flag(value)):
            return low.flow.add("logical_not", (value,), {}, low.origin(node, scope))
        return low.unknown(node, scope, nodes_in(value))
    if isinstance(held, (int, float)) and sign in ("Minus", "Plus"):
        return low.flow.constant(-held if sign == "Minus" else held, low.origin(node, scope))
    if sign == "Plus":
        return value
    operand = as_node(low, value, node.expression, scope)
    op = "neg" if sign == "Minus" else "logical_not"
    return low.flow.add(op, (operand,), {}, low.origin(node, scope, arguments=((operand, node.expression),)))


def _comparison(low: Lowering, node: grammar.Comparison, scope: Scope) -> Value:
    left = low.expression(node.left, scope)
    rights = [(kind_of(c.operator), c.comparator, low.expression(c.comparator, scope)) for c in node.comparisons]
    kind, expression, right = rights[0]
    if len(rights) == 1 and (kind in ("Is", "IsNot") or (kind in ("Equal", "NotEqual") and _is_none(right))):
        absent = _is_none(left) if _is_none(right) else None
        holds = kind in ("Is", "Equal")
        if absent is not None:
            return low.flow.constant(absent == holds, low.origin(node, scope))
        if isinstance(left, Node) and _is_none(right):
            asked = low.flow.add("absent", (left,), {}, low.origin(node, scope))
            return asked if holds else low.flow.add("logical_not", (asked,), {}, low.origin(node, scope))
    if len(rights) != 1 or kind not in _COMPARISONS:
        return low.unknown(node, scope, [*nodes_in(left), *(n for r in rights for n in nodes_in(r[2]))])
    op, fold = _COMPARISONS[kind]
    a, b = constant_of(left), constant_of(right)
    if a is not None and b is not None and not (is_offered(left) or is_offered(right)):
        try:
            return low.flow.constant(bool(fold(a, b)), low.origin(node, scope))
        except TypeError:
            return low.unknown(node, scope)
    operands = (as_node(low, left, node.left, scope), as_node(low, right, expression, scope))
    if is_choice(operands):
        runs = isinstance(node.left, grammar.Name) and node.left.value == "__name__"
        return low.recall("unknown", operands, {CHOICE: not runs}, low.origin(node, scope))
    origin = low.origin(node, scope, arguments=tuple(zip(operands, (node.left, expression), strict=True)))
    return low.flow.add(op, operands, {}, origin)


def _is_none(value: Value) -> bool | None:
    """Whether a value is None; None where that is not known."""
    if isinstance(value, Node):
        return value.constant is None if value.op == "const" else None
    return False


def _boolean(low: Lowering, node: grammar.BooleanOperation, scope: Scope) -> Value:
    conjunction = kind_of(node.operator) == "And"
    left = low.expression(node.left, scope)
    held = constant_of(left)
    if isinstance(held, bool):
        return low.expression(node.right, scope) if held == conjunction else left
    with low.under(left, conjunction):
        right = branches.perhaps(low, node.right, scope)
    if isinstance(left, Node) and isinstance(right, Node) and (is_truth(left) or is_truth(right)):
        op = "logical_and" if conjunction else "logical_or"
        operands = (_truth_of(low, left, node.left, scope), _truth_of(low, right, node.right, scope))
        return low.flow.add(op, operands, {}, low.origin(node, scope))
    joined = low.join([left, right], node, scope)
    return joined if joined is not None else low.unknown(node, scope)


def _truth_of(low: Lowering, value: Node, expression: Any, scope: Scope) -> Node:
    """The truth of what `and` and `or` take: a number is true where it is not 0."""
    if is_truth(value) or is_flag(value) or value.op not in ("input", "attribute", "phi"):
        return value
    origin = low.origin(expression, scope)
    return low.flow.add("not_equal", (value, low.flow.constant(0, origin)), {}, origin)


def _conditional(low: Lowering, node: grammar.IfExp, scope: Scope) -> Value:
    test = low.expression(node.test, scope)
    held = low.known_tests.get(id(node.test), constant_of(test))
    if isinstance(held, bool):
        return low.expression(node.body if held else node.orelse, scope)
    body, orelse = branches.either(low, test, node, scope)
    default = test.attrs.get("default") if isinstance(test, Node) else None
    if isinstance(default, bool) and not (isinstance(body, Node) or isinstance(orelse, Node)):
        return body if default else orelse  # a type, or a function, that a flag chooses
    left_out = next((one for one in (body, orelse) if is_none(one)), None)
    compares = isinstance(test, Node) and test.op in COMPARISONS
    if left_out is not None and compares and any(map(is_object, (body, orelse))):
        return left_out  # an activation of all layers but the last one, whose result is that of the network
    joined = low.decided(test, [body, orelse], node, scope)
    return joined if joined is not None else low.unknown(node, scope)


def _lambda(low: Lowering, node: grammar.Lambda, scope: Scope) -> Value:
    function = Function(node, scope, low.file, under=low.flow.conditions)
    low.pending.setdefault(id(node), function)
    return function


def _walrus(low: Lowering, node: grammar.NamedExpr, scope: Scope) -> Value:
    value = low.expression(node.value, scope)
    low.assign(node.target, value, scope.body)
    return value


def _call(low: Lowering, node: grammar.Call, scope: Scope) -> Value:
    return calls.call(low, node, scope)


def _awaited(low: Lowering, node: Any, scope: Scope) -> Value:
    return low.expression(node.expression, scope)


@cache
def handlers() -> ByKind[Callable[[Lowering, Any, Scope], Value]]:
    """What lowers each kind of expression; asked for late, for these modules call each other."""
    return ByKind(
        {
            grammar.Name: _name,
            grammar.Integer: _literal,
            grammar.Float: _literal,
            grammar.SimpleString: _literal,
            grammar.ConcatenatedString: _concatenated,
            grammar.Attribute: _attribute,
            grammar.BinaryOperation: _binary,
            grammar.UnaryOperation: _unary,
            grammar.Comparison: _comparison,
            grammar.BooleanOperation: _boolean,
            grammar.IfExp: _conditional,
            grammar.Tuple: containers.display,
            grammar.List: containers.display,
            grammar.Dict: containers.dictionary,
            grammar.Subscript: containers.subscript,
            grammar.Lambda: _lambda,
            grammar.ListComp: comprehensions.comprehension,
            grammar.GeneratorExp: comprehensions.comprehension,
            grammar.SetComp: comprehensions.comprehension,
            grammar.DictComp: comprehensions.dictionary_comprehension,
            grammar.NamedExpr: _walrus,
            grammar.Call: _call,
            grammar.Await: _awaited,
            grammar.FormattedString: _formatted,
            grammar.Yield: _yield,
        }
    )
