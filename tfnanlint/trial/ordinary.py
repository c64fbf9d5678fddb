"""Ordinary numbers: what an input of a role holds on a calm batch, and what a setting and a state usually are."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from tfnanlint.flow import DYNAMIC, numbers_in
from tfnanlint.ops.numeric import Array, np
from tfnanlint.trial import roles
from tfnanlint.trial.roles import Role, is_of_scale

CLASSES = 3
"""Number of classes that indices select from, unless the program states it and all of them fit."""
LONGEST = 3
"""Length of the longest of a batch of sequences."""
SETTINGS: tuple[tuple[str, float | int], ...] = (
    (r".*(?<!st)(eps|epsilon|tiny|tol)\w*", 1e-7),  # but not `num_steps`
    (r"(.*_)?(pad|padding|ignore|mask|blank|null|unk|eos|bos|sep)(_.*)?_?(id|ids|idx|index|label|token|value)", 0),
    (r"(.*_)?(batch_?size|bs)", 4),
    (r"(num|n|nb|k|d|size|dim|depth|units|order|axis|window|kernel|length|degree|classes|channels|steps?)(_.*)?", 3),
    (r".*(size|dim|dims|length|classes|channels|steps|bins|num|count|units|heads|layers|axis)", 3),
    (r"(.*_)?(min|minimum|low|lower|start|begin|left)(_.*)?", 0.1),
    (r"(.*_)?(max|maximum|high|upper|stop|end|right)(_.*)?", 0.9),
)
"""The ordinary value of a setting without a default, by its name."""
DEFAULT_SETTING = 0.5
"""The value of a setting of another name."""
COUNT = 3
"""The ordinary value of an integer setting without a default."""
INTEGER_SETTINGS = {roles.COUNTED: COUNT, roles.DIVIDED: 4 * COUNT}
"""Its value by the evidence that it is an integer: a dividend is larger than a divisor."""


def calm(role: Role, shape: tuple[int, ...], attrs: Mapping[str, Any], seed: int, ordered: bool = False) -> Any:
    """Ordinary numbers for an input of a role; with `ordered`, indices are sorted before `seed` is added to each."""
    rng = np.random.default_rng(seed)
    kind = role.name
    start = attrs.get("initializer")
    if isinstance(start, tuple) and numbers_in(start) and (found := _array(start)) is not None:
        return found.astype(float)
    if kind == roles.SETTING:
        return _setting(attrs, role.evidence)
    if kind in (roles.WEIGHT, roles.POSITIVE) and isinstance(start, (int, float)) and start and not attrs.get("drawn"):
        return start * rng.uniform(0.95, 1.05, shape)
    if kind == roles.INDICES:
        places = np.arange(math.prod(shape))
        classes = attrs.get("classes", CLASSES)
        classes = classes if 0 < classes <= places.size else CLASSES
        if len(shape) > 1 and shape[-1] and shape[-1] % classes == 0:  # no two rows after each other are equal
            places += places // shape[-1]
        places = np.sort(places % classes) if ordered else places
        return ((places + seed) % classes).reshape(shape).astype("int32")
    if kind in (roles.COUNT, roles.SIZE):
        return (5.0 - np.arange(math.prod(shape)) % 3).reshape(shape)
    if kind == roles.LENGTHS:
        return (1 + np.arange(math.prod(shape)) % LONGEST).reshape(shape).astype("int32")
    if kind in roles.MASKS:
        found = np.ones(shape)
        if len(shape) == 1 or math.prod(shape[1:]) > 1:  # a row of one element is masked only as a padded one
            found.reshape(-1)[1::4] = 0.0
        return found
    if kind == roles.LABELS:
        return _one_hot(shape, np.arange(shape[0] if shape else 1) % max(shape[-1] if len(shape) > 1 else 2, 2))
    if kind in (roles.PROBABILITY, roles.CLASS_PROBABILITIES):
        drawn = rng.uniform(0.2, 0.8, shape)
        return drawn / drawn.sum(-1, keepdims=True) if len(shape) > 1 and shape[-1] > 1 else drawn
    if kind in (roles.LOG_PROBABILITY, roles.DRAWN_LOG_PROBABILITY):
        return -rng.uniform(0.3, 2.0, shape)
    if kind == roles.GRID:
        return (1.0 - 0.1 * (seed % 7) + np.arange(math.prod(shape))).reshape(shape) / max(math.prod(shape), 1)
    if kind in (roles.IMAGE, roles.POSITIVE, roles.SCALE, roles.RECORD) or (
        kind == roles.STATE and (start_of(attrs) > 0 or is_of_scale(str(attrs.get("name", ""))))
    ):
        return rng.uniform(0.1, 0.9, shape)
    if kind == roles.SIGNAL:
        return rng.uniform(-0.7, 0.7, shape)
    if kind == roles.ROTATION:
        return _rotations(rng.normal(0.0, 1.0, shape))
    if kind == roles.BOX:
        return _boxes(rng.uniform(0.1, 0.4, shape))
    if kind in (roles.WEIGHT, roles.ZERO_WEIGHT, roles.DRAWN_WEIGHT, roles.MINIMISED):
        return rng.normal(0.0, 0.5, shape)
    return rng.normal(0.0, 1.0, shape)


def _array(values: tuple[Any, ...]) -> Any:
    """Nested tuples of numbers as an array; None where they do not have the shape of one, or hold something else."""
    try:
        found = np.asarray(values)
    except ValueError:
        return None
    return found if found.dtype.kind in "biuf" else None


def _setting(attrs: Mapping[str, Any], evidence: str = "") -> Any:
    default = attrs.get("default", DYNAMIC)
    if isinstance(default, (bool, int, float, str)):
        return default
    if isinstance(default, tuple) and numbers_in(default) and (found := _array(default)) is not None:
        return found
    if str(attrs.get("annotation", "")).startswith("int"):
        return INTEGER_SETTINGS.get(evidence, COUNT)
    return setting_named(str(attrs.get("name", "")), evidence)


def setting_named(name: str, evidence: str = "") -> float | int:
    """The ordinary value of a setting with this name, which may have a dot.

    `evidence` may tell that it is whole, or a divisor, which is no epsilon.
    """
    named = _by_name(name.rpartition(".")[2])
    if evidence == roles.DIVISOR:
        return max(named, DEFAULT_SETTING)
    counted = evidence == roles.COUNTED and isinstance(named, int) and named
    return named if counted else INTEGER_SETTINGS.get(evidence, named)


def _by_name(name: str) -> float | int:
    for pattern, value in SETTINGS:
        if re.fullmatch(pattern, name, re.IGNORECASE):
            return value
    return DEFAULT_SETTING


def starts_at_a_number(attrs: Mapping[str, Any]) -> bool:
    """Whether the program says that all elements of a variable start at one number."""
    start = attrs.get("initializer")
    if isinstance(start, str):
        return start.lower().startswith(("zero", "one"))
    return isinstance(start, (int, float)) and not attrs.get("drawn")


def start_of(attrs: Mapping[str, Any]) -> float:
    """The number that a state starts at: 0, unless its initializer says another."""
    start = attrs.get("initializer")
    if isinstance(start, (int, float)) and not isinstance(start, bool):
        return float(start)
    return 1.0 if isinstance(start, str) and start.lower().startswith("one") else 0.0


def _one_hot(shape: tuple[int, ...], classes: Array) -> Array:
    """Rows of class labels: one-hot along the last axis, or 0 and 1 where there is no such axis."""
    if len(shape) < 2 or shape[-1] == 1:
        return np.broadcast_to((classes % 2).reshape((-1,) + (1,) * (len(shape) - 1)), shape).astype(float)
    rows = (classes[:, None] % shape[-1] == np.arange(shape[-1])).astype(float)  # a matrix of all classes may be vast
    return np.broadcast_to(rows.reshape((shape[0],) + (1,) * (len(shape) - 2) + (shape[-1],)), shape).copy()


def _boxes(corners: Array) -> Array:
    """Boxes along the last axis: the second corner, in columns 2 and 3, lies above the first one."""
    found = np.array(corners)
    found[..., 2:4] += 0.5
    return found


def _rotations(drawn: Array) -> Array:
    """Rotation matrices of two or three dimensions, or unit quaternions; of another shape, vectors of angles."""
    if drawn.shape[-2:] in ((2, 2), (3, 3)):
        found = np.linalg.qr(drawn)[0]
        found[..., 0] *= np.sign(np.linalg.det(found))[..., None]
        return found
    if drawn.shape[-1:] == (4,):
        return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
    return drawn
