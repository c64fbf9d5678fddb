"""Products of matrices, and what is computed of one: inverses, factors, determinants, solutions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfnanlint.interval import INF, Interval
from tfnanlint.ops.numeric import Kernels, Tape, composed, moving
from tfnanlint.ops.row import (
    EVERY,
    INDEFINITE,
    SINGULAR,
    Attributes,
    Op,
    Spelling,
    bounded,
    gradient_at,
    gradient_of,
    row,
    same,
    spelled,
    value_of,
)

kernels, products, systems, diagonals = map(Kernels, ("linalg", "products", "systems", "diagonals"))

MATRIX, SYMMETRIC = {"x": "matrix"}, {"x": "symmetric"}
SYSTEM = {"x": "matrix", "y": "matrix"}


def _products(x: Interval, y: Interval, attrs: Attributes) -> Interval:
    """A sum of products, of how many is not known."""
    product = x * y
    return Interval(product.lo if product.lo >= 0 else -INF, product.hi if product.hi <= 0 else INF)


def _of_matrix(name: str, *spellings: Spelling, graph: str = "", takes: Mapping[str, str] = MATRIX, **rest: Any) -> Op:
    return row(name, *spellings, graph=graph, takes=takes, elementwise=False, **rest)


def _system(name: str, *spellings: Spelling, graph: str = "", takes: Mapping[str, str] = SYSTEM, **rest: Any) -> Op:
    """The solution y of x y = rhs; it breaks where x has no inverse."""
    return row(
        name,
        *spellings,
        graph=graph,
        operands="x y",
        takes=takes,
        elementwise=False,
        breaks=(value_of("x", SINGULAR),),
        **rest,
    )


def _cholesky_solve_steps(t: Tape, x: Any, y: Any) -> Any:
    return t.triangular_solve(x, t.triangular_solve(x, y), adjoint=True)


ZERO_MATRIX = "the range of its entries does not tell that all of them are 0 at once"

ROWS: tuple[Op, ...] = (
    row(
        "matmul",
        spelled(
            "tf.matmul tf.linalg.matmul",
            "x:a y:b transpose_a transpose_b adjoint_a adjoint_b"
            " | hint:a_is_sparse hint:b_is_sparse hint:output_type name",
        ),
        spelled("ops.matmul ops.dot tnp.matmul", "x:x1 y:x2"),
        spelled("tnp.dot", "x:a y:b"),
        spelled("K.dot", "x y"),
        graph="MatMul BatchMatMulV2 BatchMatMul BatchMatMulV3",
        operands="x y",
        takes=SYSTEM,
        attrs={"transpose_a": False, "transpose_b": False, "adjoint_a": False, "adjoint_b": False},
        transfer=_products,
        elementwise=False,
        **products.both("matmul"),
    ),
    row(
        "matvec",
        spelled("tf.linalg.matvec", "x:a y:b transpose_a adjoint_a | hint:a_is_sparse hint:b_is_sparse name"),
        operands="x y",
        takes={"x": "matrix"},
        attrs={"transpose_a": False, "adjoint_a": False},
        transfer=_products,
        elementwise=False,
        **products.both("matvec"),
    ),
    row(
        "batch_dot",
        spelled("K.batch_dot", "x y axes"),
        operands="x y",
        takes=SYSTEM,
        attrs={"axes": None},
        transfer=_products,
        elementwise=False,
        **products.both("batch_dot"),
    ),
    row(
        "tensordot",
        spelled("tf.tensordot tf.linalg.tensordot", "x:a y:b axes name"),
        spelled("ops.tensordot", "x:x1 y:x2 axes=2"),
        spelled("tnp.tensordot", "x:a y:b axes=2"),
        operands="x y",
        takes={"x": "matrix", "y": "square"},
        attrs={"axes": None},
        transfer=_products,
        elementwise=False,
        **products.both("tensordot"),
    ),
    _of_matrix(
        "det",
        spelled("tf.linalg.det tf.matrix_determinant", "x:input name"),
        spelled("ops.det ops.linalg.det", "x"),
        graph="MatrixDeterminant",
        breaks=(gradient_of("x", SINGULAR),),
        **kernels.both("det"),
    ),
    _of_matrix(
        "slogdet",
        spelled("tf.linalg.slogdet", "x:input name"),
        spelled("ops.slogdet", "x"),
        graph="LogMatrixDeterminant",
        breaks=(value_of("x", SINGULAR),),
        **kernels.both("slogdet"),
    ),
    _of_matrix(
        "logdet",
        spelled("tf.linalg.logdet", "x:matrix name"),
        spelled("ops.logdet", "x"),
        takes=SYMMETRIC,
        breaks=(value_of("x", INDEFINITE),),
        **kernels.both("logdet"),
    ),
    _of_matrix(
        "inverse",
        spelled("tf.linalg.inv tf.matrix_inverse", "x:input adjoint name"),
        spelled("ops.inv ops.linalg.inv", "x"),
        graph="MatrixInverse",
        attrs={"adjoint": False},
        breaks=(value_of("x", SINGULAR),),
        **systems.both("inverse"),
    ),
    _of_matrix(
        "pinv",
        spelled("tf.linalg.pinv", "x:a rcond validate_args name"),
        spelled("ops.pinv ops.linalg.pinv", "x rcond"),
        attrs={"rcond": None, "validate_args": False},
        **kernels.both("pinv"),
    ),
    _of_matrix(
        "cholesky",
        spelled("tf.linalg.cholesky tf.cholesky", "x:input name"),
        spelled("ops.cholesky ops.linalg.cholesky", "x upper"),
        graph="Cholesky",
        attrs={"upper": False},
        takes=SYMMETRIC,
        breaks=(value_of("x", INDEFINITE),),
        **kernels.both("cholesky"),
    ),
    _of_matrix(
        "qr",
        spelled("tf.linalg.qr tf.qr", "x:input full_matrices name"),
        spelled("ops.qr ops.linalg.qr", "x mode"),
        graph="Qr",
        attrs={"full_matrices": False, "mode": "reduced"},
        breaks=(gradient_at("x", 0.0, of=EVERY, untold=ZERO_MATRIX),),
        **kernels.both("qr"),
    ),
    _of_matrix(
        "svd",
        spelled("tf.linalg.svd tf.svd", "x:tensor full_matrices compute_uv name"),
        spelled("ops.svd ops.linalg.svd", "x full_matrices=True compute_uv"),
        graph="Svd",
        attrs={"full_matrices": False, "compute_uv": True},
        **kernels.both("svd"),
    ),
    _of_matrix(
        "eigh",
        spelled("tf.linalg.eigh tf.self_adjoint_eig", "x:tensor name"),
        spelled("ops.eigh ops.linalg.eigh", "x"),
        graph="SelfAdjointEigV2",
        takes=SYMMETRIC,
        **kernels.both("eigh"),
    ),
    _of_matrix(
        "eigvalsh",
        spelled("tf.linalg.eigvalsh tf.self_adjoint_eigvals", "x:tensor name"),
        takes=SYMMETRIC,
        **kernels.both("eigvalsh"),
    ),
    _of_matrix(
        "sqrtm",
        spelled("tf.matrix_square_root tf.linalg.sqrtm", "x:input name"),
        graph="MatrixSquareRoot",
        takes=SYMMETRIC,
        breaks=(gradient_at("x", 0.0, of=EVERY, untold=ZERO_MATRIX),),
        **kernels.both("sqrtm"),
    ),
    _of_matrix(
        "expm",
        spelled("tf.linalg.expm", "x:input name"),
        **kernels.both("expm"),
    ),
    _of_matrix(
        "trace",
        spelled("tf.linalg.trace tf.trace", "x name"),
        spelled("ops.trace", "x offset axis1 axis2"),
        spelled("tnp.trace", "x:a offset axis1 axis2"),
        attrs={"offset": 0, "axis1": 0, "axis2": 1},
        transfer=lambda x, attrs: Interval(x.lo if x.lo >= 0 else -INF, x.hi if x.hi <= 0 else INF),
        **diagonals.both("trace"),
    ),
    _of_matrix(
        "matrix_rank",
        spelled("tf.linalg.matrix_rank", "x:a tol validate_args name"),
        spelled("ops.matrix_rank", "x tol"),
        attrs={"tol": None, "validate_args": False},
        transfer=bounded(0.0, INF),
        blocked=("*",),
        same_dtype=False,
        run=kernels.matrix_rank,
    ),
    _system(
        "solve",
        spelled("tf.linalg.solve tf.matrix_solve", "x:matrix y:rhs adjoint name"),
        spelled("ops.solve ops.linalg.solve", "x:a y:b"),
        graph="MatrixSolve",
        attrs={"adjoint": False},
        **systems.both("solve"),
    ),
    _system(
        "triangular_solve",
        spelled("tf.linalg.triangular_solve tf.matrix_triangular_solve", "x:matrix y:rhs lower adjoint name"),
        spelled("ops.solve_triangular ops.linalg.solve_triangular", "x:a y:b lower=False"),
        graph="MatrixTriangularSolve",
        attrs={"lower": True, "adjoint": False},
        **systems.both("triangular_solve"),
    ),
    _system(
        "lstsq",
        spelled("tf.linalg.lstsq tf.matrix_solve_ls", "x:matrix y:rhs l2_regularizer fast name"),
        spelled("ops.lstsq ops.linalg.lstsq", "x:a y:b rcond"),
        attrs={"l2_regularizer": 0.0, "fast": True, "rcond": None},
        **systems.both("lstsq"),
    ),
    _system(
        "cholesky_solve",
        spelled("tf.linalg.cholesky_solve tf.cholesky_solve", "x:chol y:rhs name"),
        **composed(_cholesky_solve_steps),
    ),
    _of_matrix(
        "band_part",
        spelled("tf.linalg.band_part tf.matrix_band_part", "x:input num_lower num_upper name"),
        graph="MatrixBandPart",
        attrs={"num_lower": None, "num_upper": None},
        transfer=lambda x, attrs: x.hull(Interval.point(0.0)),
        **moving(diagonals.band_part),
    ),
    _of_matrix(
        "diag_part",
        spelled("tf.linalg.diag_part tf.matrix_diag_part", "x:input | name k padding_value align"),
        graph="MatrixDiagPartV3 MatrixDiagPartV2 MatrixDiagPart",
        attrs={"k": 0, "padding_value": 0, "align": "RIGHT_LEFT"},
        transfer=lambda x, attrs: x if not attrs else x.hull(Interval.point(0.0)),
        **moving(diagonals.diag_part),
    ),
    row(
        "set_diag",
        spelled("tf.linalg.set_diag tf.matrix_set_diag", "x:input y:diagonal | name k align"),
        graph="MatrixSetDiagV3 MatrixSetDiagV2 MatrixSetDiag",
        operands="x y",
        takes=MATRIX,
        attrs={"k": 0, "align": "RIGHT_LEFT"},
        transfer=lambda x, y, attrs: x.hull(y),
        elementwise=False,
        **diagonals.both("set_diag"),
    ),
    row(
        "matrix_diag",
        spelled("tf.linalg.diag tf.matrix_diag", "x:diagonal | name k num_rows num_cols padding_value align"),
        graph="MatrixDiagV3 MatrixDiagV2 MatrixDiag",
        attrs={"k": 0, "num_rows": -1, "num_cols": -1, "padding_value": 0, "align": "RIGHT_LEFT"},
        transfer=lambda x, attrs: x.hull(Interval.point(0.0)),
        elementwise=False,
        **diagonals.both("matrix_diag"),
    ),
    row(
        "tensor_diag",
        spelled("tf.linalg.tensor_diag tf.diag", "x:diagonal name"),
        graph="Diag",
        transfer=lambda x, attrs: x.hull(Interval.point(0.0)),
        elementwise=False,
        **diagonals.both("tensor_diag"),
    ),
    row(
        "tensor_diag_part",
        spelled("tf.linalg.tensor_diag_part tf.diag_part", "x:input name"),
        graph="DiagPart",
        takes={"x": "square"},
        transfer=same,
        elementwise=False,
        moves=True,
        **moving(diagonals.tensor_diag_part),
    ),
    row(
        "eye",
        spelled("tf.eye tf.linalg.eye", "num_rows num_columns batch_shape dtype name"),
        operands="num_rows",
        takes={"num_rows": "size"},
        attrs={"num_columns": None, "batch_shape": None, "dtype": None},
        transfer=bounded(0.0, 1.0),
        blocked=("*",),
        elementwise=False,
        same_dtype=False,
        reason="an identity matrix",
        run=diagonals.eye,
    ),
    row(
        "cross",
        spelled("tf.linalg.cross tf.cross", "x:a y:b name"),
        spelled("ops.cross", "x:x1 y:x2 axisa axisb axisc axis"),
        graph="Cross",
        operands="x y",
        takes={"x": "triple", "y": "triple"},
        attrs={"axisa": -1, "axisb": -1, "axisc": -1, "axis": None},
        transfer=lambda x, y, attrs: x * y - x * y,
        elementwise=False,
        **kernels.both("cross"),
    ),
)
