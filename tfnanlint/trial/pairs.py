"""Pairs of inputs that can be equal: the program takes their difference, or the cosine of the angle between them.

`norm(a - b)`, `log(p) - log(t)` and `(x1 - x2) ** 2` compare two inputs with each other: a prediction with its label, a
point with another one, and `matmul(l2_normalize(x), l2_normalize(w, 0))` their directions, as does a product of
vectors that are divided by their norms, before or after, or a product beside the squares of both. What both sides go
through on the way is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfnanlint.flow import Node, behind, reached
from tfnanlint.trial.limits import CARRYING, SELECTING

DIFFERENCES = frozenset({"subtract", "squared_difference"})
"""Ops that are 0 where their operands are equal."""
COPYING = CARRYING | {"repeat"}
"""Ops that hand numbers on as they are, perhaps several times."""
SAME = COPYING | frozenset("log sqrt exp square abs neg multiply l2_normalize".split())
"""Ops through which equal numbers stay equal."""
NORMALIZED = "l2_normalize"
"""The op that divides a vector by its length, however the program writes it."""
NORMS = frozenset({"norm", "reduce_euclidean_norm"})
"""Ops that compute the length of their operand."""
BOUNDED = CARRYING | {"add", "maximum"}
"""Ops that hand a length on, also with an epsilon."""
DIVIDING = SELECTING | {"divide"}
"""Ops that hand a product on, also divided by a length."""
PRODUCTS = frozenset({"matmul", "multiply"})
"""Products of two matrices, or of the elements of two vectors."""
ANGLES = frozenset({"acos", "asin", "acosh"})
"""Ops that take an angle, or a distance on a curved surface, by its cosine."""
TO_ANGLES = (
    CARRYING | ANGLES | frozenset("reduce_sum trace add subtract multiply divide clip maximum minimum abs neg".split())
)
"""Ops between a product and the angle between its factors."""
LONGEST = 12
"""The most ops through which an operand is traced back."""


def pairs_of(nodes: Iterable[Node]) -> dict[Node, Node]:
    """By input, the earlier one that it can equal."""
    found: dict[Node, Node] = {}
    for node in nodes:
        pair = _pair(node)
        if pair is not None:
            first, second = pair
            found.setdefault(second, found.get(first, first))
    return found


def subtracted_in(nodes: Iterable[Node]) -> set[Node]:
    """The later inputs of pairs of which the program takes the difference."""
    return {pair[1] for pair in (_pair(node) for node in nodes if node.op in DIFFERENCES) if pair is not None}


def compared_with(node: Node) -> Iterator[Node]:
    """The values that a program subtracts an input from, or whose direction it compares with that of the input.

    It does where it takes the angle of which a product of both gives the cosine.
    """
    for user in node.users:
        if user.op in DIFFERENCES and len(user.operands) == 2:
            yield user.operands[1 if user.operands[0] is node else 0]
        elif user.op == NORMALIZED or (_is_normalized(user) and user.operands[0] is node):
            for product in user.users:
                if product.op == "multiply":
                    other = product.operands[1 if product.operands[0] is user else 0]
                    if other.op == NORMALIZED or _is_normalized(other):
                        yield other
        elif user.op in PRODUCTS and len(user.operands) == 2 and _is_angle_taken(user):
            yield user.operands[1 if user.operands[0] is node else 0]


def _is_angle_taken(product: Node) -> bool:
    """Whether a program takes the angle of which a sum of the elements of a product is the cosine."""
    onward = reached([product], lambda at: [one for one in at.users if one.op in TO_ANGLES])
    return any(at.op in ANGLES for at in onward)


def crossed_in(nodes: Iterable[Node]) -> set[Node]:
    """The later inputs of pairs in a product `matmul(a, b)`: rows of one can equal columns of the other."""
    products = [node for node in nodes if node.op == "matmul" and not _is_of_rows(node)]
    return {pair[1] for pair in map(_pair, products) if pair is not None}


def _is_of_rows(product: Node) -> bool:
    """Whether a product multiplies rows of one matrix with rows of another one, which is transposed."""
    turned = ("transpose_b", "adjoint_b", "transpose_a", "adjoint_a")
    return any(product.attrs.get(name) for name in turned) or any(
        behind(operand, CARRYING - {"transpose"}).op == "transpose" for operand in product.operands
    )


def _pair(node: Node) -> tuple[Node, Node] | None:
    """The two inputs, in order, if a node is their difference or the cosine of the angle between them."""
    if not (node.op in DIFFERENCES or node.op == "matmul") or len(node.operands) != 2:
        return None
    (left, passed), (right, taken) = (_origin(operand) for operand in node.operands)
    if node.op == "matmul":
        late = _divided_by_lengths_of(node)
        passed, taken = ((*way, NORMALIZED) if one in late else way for one, way in ((left, passed), (right, taken)))
        if NORMALIZED not in passed and not (_is_squared(left) and _is_squared(right)):
            return None
    if passed != taken or left is right or not _apart(left, right) or "const" in (left.op, right.op):
        return None
    return (left, right) if left.index < right.index else (right, left)


def _divided_by_lengths_of(product: Node) -> set[Node]:
    """The values by whose lengths a program divides a product of them."""
    found: set[Node] = set()
    for quotient in reached([product], lambda node: node.users if node is product or node.op in DIVIDING else ()):
        if quotient.op == "divide" and len(quotient.operands) == 2:
            divisor = behind(quotient.operands[1], BOUNDED)
            lengths = divisor.operands if divisor.op == "multiply" else (divisor,)
            found |= {one for length in lengths if (one := _vector_of(behind(length, SELECTING))) is not None}
    return found


def _is_squared(value: Node) -> bool:
    """Whether a program squares a value as well, as in `x*x - 2*x*y + y*y`."""
    return any(user.op == "square" for user in value.users)


def _apart(left: Node, right: Node) -> bool:
    """Whether neither value is an operand of the other one."""
    return left not in right.operands and right not in left.operands


def _origin(node: Node) -> tuple[Node, tuple[str, ...]]:
    """The input that a value is computed from alone, and the ops on the way that change its numbers."""
    passed: list[str] = []
    for _ in range(LONGEST):
        if _is_normalized(node):
            passed.append(NORMALIZED)
            node = node.operands[0]
            continue
        others = [operand for operand in node.operands if operand.op != "const"]
        if node.op not in SAME or not others or (node.op not in COPYING and len(others) > 1):
            break
        if node.op not in COPYING:
            passed.append(node.op)
        node = others[0]
    return node, tuple(passed)


def _is_normalized(node: Node) -> bool:
    """Whether a value is divided by its own length."""
    divides = node.op == "divide" and len(node.operands) == 2
    return divides and _vector_of(behind(node.operands[1], BOUNDED)) is node.operands[0]


def _vector_of(length: Node) -> Node | None:
    """The vector whose length a value is: the norm, or the root of the sum of the squares."""
    if length.op in NORMS:
        return length.operands[0]
    if length.op != "sqrt":
        return None
    total = behind(length.operands[0], BOUNDED)
    squares = total.operands[0] if total.op == "reduce_sum" else total
    return squares.operands[0] if squares.op == "square" else None
