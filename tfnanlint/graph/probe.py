"""The look inside: a traced function rebuilt with a look at the operations of a finding, and run on some values.

The look tells whether the hazard is made there while all that comes in is finite, and how far it is. Because it changes
what TensorFlow's optimiser makes of a graph, and because other operations may go wrong at the same values, nothing is
believed before the function has been run as it is, which must show it, and with the finding mended, which must not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tfnanlint.graph.hooks import Hooks, Key
from tfnanlint.graph.instrument import Breaks, Detector, Sanitizer, finite
from tfnanlint.graph.lint import AS_OUTPUT
from tfnanlint.graph.region import NotTried, Region, key_of, operation_of, region_of
from tfnanlint.graph.replica import Copy, arguments_of, rebuild
from tfnanlint.graph.statics import DIFFERENTIABLE
from tfnanlint.interval import Interval
from tfnanlint.match.captures import Match
from tfnanlint.ops import OPS

if TYPE_CHECKING:
    from tfnanlint.flow import Node, Root
    from tfnanlint.graph.lowered import Lowered


@dataclass(frozen=True)
class Measured:
    """What a run showed: `what` is not finite ("" where all is), how far the hazard is, and the slopes to it."""

    what: str
    distance: float
    slopes: Sequence[Any]


class Outcome(NamedTuple):
    """What is finite of what a function gives: its results with what it differentiates, gradients, all that is seen."""

    values: bool
    gradients: bool
    seen: bool


def roots_of(match: Match, lowered: Lowered) -> Sequence[Root]:
    """What is differentiated through a match: by its own account, else anything that the graph differentiates."""
    return [match.differentiated] if match.differentiated is not None else lowered.flow.roots


def _tensors(values: Sequence[Any]) -> list[Any]:
    import tensorflow as tf

    return [tf.convert_to_tensor(value) for value in values]


@contextmanager
def _optimised(wanted: bool) -> Iterator[None]:
    """With TensorFlow's optimiser of graphs, or with graphs run as they are written."""
    import tensorflow as tf

    name = "disable_meta_optimizer"
    held = tf.config.optimizer.get_experimental_options().get(name, False)
    tf.config.optimizer.set_experimental_options({name: not wanted})
    try:
        yield
    finally:
        tf.config.optimizer.set_experimental_options({name: held})


class Probe:
    """The traced function of a match, run with a look at its operations.

    `others` are the further findings in the function; `pause` is called while it is rebuilt, and may raise.
    """

    def __init__(
        self,
        concrete: Any,
        match: Match,
        roots: Sequence[Root],
        others: Sequence[Match] = (),
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self.concrete = concrete
        self.match = match
        self.differentiated = roots
        self.pause = pause
        self.by_output = all(root.how == AS_OUTPUT for root in roots)
        self.region = region_of(match)
        self.others = frozenset(
            key for other in _regions(others) if not other.keys & self.region.keys for key in other.keys
        )
        self.arguments = arguments_of(concrete)
        self._breaks, self._inputs = _breaks(match)
        self.mode = next(mode for mode in ("eager", "graph", "xla") if mode in match.modes)
        self._functions: dict[Any, Any] = {}

    @property
    def with_nan(self) -> bool:
        return self.region.with_nan

    def __call__(self, values: Sequence[Any], mode: str = "") -> Measured:
        """What values show, by default in the mode in which the search is the quickest."""
        mode = mode or self.mode
        with _optimised(mode != "eager"):
            made, lost, distance, *slopes = self._function(mode, self._measure)(*_tensors(values))
        what = "value" if made > 0 else "gradient" if lost > 0 else ""
        if self.with_nan:
            what = "gradient"  # of values with NaN in them; whether it is so, the function itself has to tell
        return Measured(what, float(distance), [slope.numpy() for slope in slopes])

    def confirm(self, values: Sequence[Any], mode: str) -> str:
        """What is not finite when the function itself is run, and for this finding alone: "value", "gradient" or ""."""
        shown = self(values, mode).what
        plain = self._outcome(values, mode, frozenset())
        if not shown or plain.seen:
            return ""
        if self.with_nan:
            sound = self._outcome(_without_nan(values), mode, frozenset())
            return "gradient" if plain.values and not plain.gradients and sound.gradients else ""
        what = self._its_own(shown, plain, self._outcome(values, mode, self.region.keys))
        if what or not self.others:
            return what
        base = self._outcome(values, mode, self.others)
        return self._its_own(shown, base, self._outcome(values, mode, self.others | self.region.keys))

    def _its_own(self, shown: str, plain: Outcome, mended: Outcome) -> str:
        """What is not finite in what a function gives, and is once the finding is mended."""
        if shown == "value" and not plain.values and mended.values:
            return "value"
        return "gradient" if not plain.gradients and mended.gradients and mended.values >= plain.values else ""

    def _function(self, mode: str, made: Callable[..., Any], *mended: frozenset[Key]) -> Any:
        import tensorflow as tf

        # What is run eagerly is run as a graph as it is written, which `_optimised` sees to.
        key = (mode == "xla", made.__name__, *mended)
        if key not in self._functions:
            specs = [tf.TensorSpec(argument.shape, argument.dtype) for argument in self.arguments]
            self._functions[key] = tf.function(
                lambda *values: made(*values, *mended), specs, jit_compile=mode == "xla", autograph=False
            )
        return self._functions[key]

    # The look.

    def _measure(self, *values: Any) -> list[Any]:
        import tensorflow as tf

        count = tf.constant(0.0)
        look = Detector(self.region.keys, self.region.root, self._breaks, count)
        for argument, value in zip(self.arguments, values, strict=True):
            look.near(value, self._inputs.get(argument.name.removesuffix(":0"), ()))
        copy = self._rebuilt(values, look)
        if self.region.root not in copy.entered:
            raise NotTried("its operation is inside a function that is not entered")
        lost = None
        targets = self._targets(copy)
        if targets:
            weights = [tf.reshape(tf.cast(tf.linspace(1.0, 2.0, tf.size(t)), t.dtype), tf.shape(t)) for t in targets]
            lost = tf.gradients(targets, [count], grad_ys=weights)[0]
        distance = tf.math.log(look.distance + 1e-30)
        sources = [value for value in values if _is_float(value)]
        downhill = tf.gradients(distance, sources) if sources else []
        return [
            look.made_here,
            tf.constant(0.0) if lost is None else lost,
            distance,
            *(
                tf.zeros_like(x) if slope is None else tf.convert_to_tensor(slope)
                for x, slope in zip(sources, downhill, strict=True)
            ),
        ]

    def _rebuilt(self, values: Sequence[Any], hooks: Hooks) -> Copy:
        return rebuild(self.concrete, values, hooks, self.pause)

    # The function itself.

    def _outcome(self, values: Sequence[Any], mode: str, mended: frozenset[Key]) -> Outcome:
        """What a function gives, with some operations mended."""
        import tensorflow as tf

        function = self._function(mode, self._run, mended)
        tensors = _tensors(values)
        with _optimised(mode != "eager"):
            if not self.differentiated or not self.by_output:
                return Outcome(*map(bool, function(*tensors)))
            sources = [tensor for tensor in tensors if _is_float(tensor)]
            sound = bool(finite(function(*tensors)))  # under a tape the optimiser has less to choose from
            with tf.GradientTape() as tape:
                tape.watch(sources)
                outputs = function(*tensors)
            gradients = bool(finite(tape.gradient(outputs, sources)))
            return Outcome(sound, gradients, sound and gradients)

    def _run(self, *given: Any) -> Any:
        """The function's results, to be differentiated; where it does that itself, whether all is finite."""
        import tensorflow as tf

        *values, mended = given
        copy = self._rebuilt(values, Sanitizer(mended))
        outputs = [tensor for tensor in copy.outputs if _is_float(tensor)]
        if not self.differentiated:
            return [finite(outputs), tf.constant(True), finite(outputs)]
        if self.by_output:
            return outputs
        targets = self._targets(copy)
        slopes = tf.gradients(targets, [value for value in values if _is_float(value)])
        return [finite([*targets, *outputs]), finite(slopes), finite([*outputs, *copy.written])]

    def _targets(self, copy: Copy) -> list[Any]:
        """What is differentiated."""
        if not self.differentiated:
            return []
        if self.by_output:
            return [tensor for tensor in copy.outputs if _is_float(tensor)]
        operations = [operation_of(root.node) for root in self.differentiated]
        found = [t for operation in operations if operation is not None for t in copy.of(key_of(operation))]
        if not found:
            raise NotTried("it is differentiated inside a branch, a loop or a function that is not entered")
        return [tensor for tensor in found if _is_float(tensor)]


def _regions(matches: Sequence[Match]) -> Iterator[Region]:
    for match in matches:
        try:
            yield region_of(match)
        except NotTried:
            continue


def _breaks(match: Match) -> tuple[Breaks, dict[str, list[tuple[str, Interval]]]]:
    """Where the operations of a match break on what others give them, and on inputs and variables by their names."""
    made: dict[Key, list[tuple[str, Interval]]] = {}
    named: dict[str, list[tuple[str, Interval]]] = {}
    for node in {*match.matched, match.root}:
        row = OPS.get(node.op)
        for broken in row.breaks if row is not None else ():
            place = row.operands.index(broken.operand) if row is not None else 0
            if place >= len(node.operands):
                continue
            operand: Node = node.operands[place]
            operation = operation_of(operand)
            if operation is not None:
                made.setdefault(key_of(operation), []).append((broken.of, broken.region))
            elif operand.op in ("input", "variable"):
                name = str(operand.attrs["name"]).removesuffix(":0")
                named.setdefault(name, []).append((broken.of, broken.region))
    return made, named


def _without_nan(values: Sequence[Any]) -> list[Any]:
    """The same values with ones for what is no number."""
    import numpy as np

    return [
        np.where(np.isnan(value.astype(np.float64)), np.ones_like(value), value) if value.dtype.kind in "fV" else value
        for value in values
    ]


def _is_float(tensor: Any) -> bool:
    return getattr(getattr(tensor, "dtype", None), "name", "") in DIFFERENTIABLE
