"""The results of the traced function: as it is, and with some of its findings sanitized.

One function is built for both and for all findings, because building takes longer than all the runs. Gradients have one
of their own, which is only built when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tfnanlint.graph.hooks import Hooks, Key
from tfnanlint.graph.instrument import Sanitizer, finite
from tfnanlint.graph.lint import AS_OUTPUT
from tfnanlint.graph.region import NotTried, key_of, operation_of
from tfnanlint.graph.replica import NO_NAMES, Copy, arguments_of, rebuild
from tfnanlint.graph.statics import DIFFERENTIABLE

if TYPE_CHECKING:
    from tfnanlint.flow import Root

Keys = frozenset[Key]
"""The operations of a finding."""


class Outcome:
    """What is finite of what a function gives: its results with what it differentiates, gradients, all that is seen.

    Gradients that the function itself does not take are computed when they are asked for.
    """

    def __init__(self, values: bool, slopes: Callable[[], bool], seen: bool | None = None) -> None:
        """`slopes` tells of the gradients; without `seen`, the results and they are all that is seen."""
        self.values = values
        self._slopes = slopes
        self._seen = seen

    @cached_property
    def gradients(self) -> bool:
        return self._slopes()

    @property
    def seen(self) -> bool:
        return self.values and self.gradients if self._seen is None else self._seen


class Runs:
    """A traced function to be run in any mode, or `compiled` alone.

    `pause` is called while it is rebuilt, and may raise.
    """

    def __init__(self, concrete: Any, names: Mapping[str, str] = NO_NAMES, compiled: bool = False) -> None:
        self.compiled = compiled
        self.concrete = concrete
        self.names = names
        self.arguments = arguments_of(concrete)
        self.pause: Callable[[], None] = lambda: None
        self._functions: dict[Any, Any] = {}

    def function(self, mode: str, key: Any, made: Callable[..., Any], flags: int = 0) -> Any:
        """The results of `made` for inputs, variables and flags, as a function of a mode."""
        import tensorflow as tf

        # What is run eagerly is run as a graph as it is written, which `optimised` sees to.
        key = (mode == "xla", key)
        if key not in self._functions:
            specs = [tf.TensorSpec(argument.shape, argument.dtype) for argument in self.arguments]
            specs += [tf.TensorSpec([flags], tf.bool)] * bool(flags)
            self._functions[key] = tf.function(made, specs, jit_compile=mode == "xla", autograph=False)
        return self._functions[key]

    def rebuilt(self, values: Sequence[Any], hooks: Hooks) -> Copy:
        return rebuild(self.concrete, values, hooks, self.pause, self.names)

    def outcome(
        self,
        values: Sequence[Any],
        mode: str,
        roots: Sequence[Root],
        regions: Sequence[Keys] = (),
        mended: Sequence[Keys] = (),
    ) -> Outcome:
        """What the function gives where `roots` are differentiated, with some of its regions mended.

        Without any it is run as it is: a graph with something in it that mends has not the same optimisations.
        """
        import tensorflow as tf

        tensors = as_tensors(values)
        places = tuple(regions if mended else ())
        if places:
            tensors.append(tf.constant([region in mended for region in places]))
        key = (places, tuple(map(id, roots)))
        function = self.function(mode, key, lambda *given: self._values(given, roots, places), len(places))
        with optimised(mode != "eager"):
            given = function(*tensors)  # under a tape the optimiser has less to choose from
        if not roots:
            return Outcome(bool(finite(given)), lambda: True, bool(finite(given)))
        if not taken_outside(roots):
            sound, seen = map(bool, given)

            def own_slopes() -> bool:
                made = self.function(mode, (key, "slopes"), lambda *one: self._slopes(one, roots, places), len(places))
                with optimised(mode != "eager"):
                    return bool(made(*tensors))

            return Outcome(sound, own_slopes, seen)

        def slopes() -> bool:
            sources = [tensor for tensor in tensors if is_float(tensor)]
            with optimised(mode != "eager"):
                with tf.GradientTape() as tape:
                    tape.watch(sources)
                    outputs = function(*tensors)
                return bool(finite(tape.gradient(outputs, sources)))

        return Outcome(bool(finite(given)), slopes)

    def _copied(self, given: Sequence[Any], regions: Sequence[Keys]) -> tuple[Sequence[Any], Copy, list[Any]]:
        """The inputs and variables, the function rebuilt with them, and its floating-point results."""
        values = given[: len(self.arguments)]
        copy = self.rebuilt(values, Sanitizer(regions, given[-1]) if regions else Hooks())
        return values, copy, [tensor for tensor in copy.outputs if is_float(tensor)]

    def _values(self, given: Sequence[Any], roots: Sequence[Root], regions: Sequence[Keys]) -> Any:
        """The function's results, to be differentiated; where it does that itself, whether all is finite."""
        _, copy, outputs = self._copied(given, regions)
        if not roots or taken_outside(roots):
            return outputs
        return [finite([*targets_of(copy, roots), *outputs]), finite([*outputs, *copy.written])]

    def _slopes(self, given: Sequence[Any], roots: Sequence[Root], regions: Sequence[Keys]) -> Any:
        """Whether the gradients are finite that the function takes itself."""
        import tensorflow as tf

        values, copy, _ = self._copied(given, regions)
        return finite(tf.gradients(targets_of(copy, roots), [value for value in values if is_float(value)]))


def taken_outside(roots: Sequence[Root]) -> bool:
    """Whether it is the function's results that are differentiated, by who calls it."""
    return all(root.how == AS_OUTPUT for root in roots)


def targets_of(copy: Copy, roots: Sequence[Root]) -> list[Any]:
    """What is differentiated in a rebuilt function."""
    if not roots:
        return []
    if taken_outside(roots):
        return [tensor for tensor in copy.outputs if is_float(tensor)]
    operations = [operation_of(root.node) for root in roots]
    found = [t for operation in operations if operation is not None for t in copy.of(key_of(operation))]
    if not found:
        raise NotTried("its gradient is taken inside a branch, a loop or a function that the proof does not enter")
    return [tensor for tensor in found if is_float(tensor)]


def as_tensors(values: Sequence[Any]) -> list[Any]:
    import tensorflow as tf

    return [tf.convert_to_tensor(value) for value in values]


def is_float(tensor: Any) -> bool:
    return getattr(getattr(tensor, "dtype", None), "name", "") in DIFFERENTIABLE


@contextmanager
def optimised(wanted: bool) -> Iterator[None]:
    """With TensorFlow's optimiser of graphs, or with graphs run as they are written."""
    import tensorflow as tf

    name = "disable_meta_optimizer"
    held = tf.config.optimizer.get_experimental_options().get(name, False)
    tf.config.optimizer.set_experimental_options({name: not wanted})
    try:
        yield
    finally:
        tf.config.optimizer.set_experimental_options({name: held})
