"""Instrumentation of a finding's operations: detect whether they produce a non-finite value, and sanitize it.

The hazard belongs to the finding if all inputs of its operations are finite, and all incoming derivatives are, while
their result or an outgoing derivative is not. Derivatives are checked on the backward pass. The inputs carry a token to
the outputs; the token returns whether the derivative was still finite there, and the derivative of a `count` that comes
with the tokens is how often it was lost in between. This works through branches, loops and calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfnanlint.graph.hooks import Boundary, Hooks, Key
from tfnanlint.interval import Interval
from tfnanlint.ops.row import CONSTANT, EVERY, SOME

FAR = 1e30
"""The distance to a hazard that no operation has."""
OWN = -2
"""The group of the operations of which is to be told."""
Breaks = Mapping[Key, Sequence[tuple[str, Interval]]]
"""Where operations behind some others break on their results: of which elements, in which region."""


class Detector(Hooks):
    """Detects whether some operations of a rebuilt function make what is not finite.

    `made_here` is how often the result at `root` was not finite while all that came in was, `given_sound` how often all
    that came in was, `distance` how far the operands were from where they break. What `others` make of finite numbers
    is sanitized.
    """

    def __init__(
        self, keys: frozenset[Key], root: Key, breaks: Breaks, count: Any, others: Sequence[frozenset[Key]] = ()
    ) -> None:
        import tensorflow as tf

        self._others = Sanitizer(others)
        self.keys = keys | self._others.keys
        self.root = root
        self.breaks = breaks
        self.count = count
        self.made_here = tf.constant(0.0)
        self.given_sound = tf.constant(0.0)
        self.distance = tf.constant(FAR)

    def group(self, key: Key) -> int:
        return self._others.group(key) if key in self._others.keys else OWN

    def boundary(self, group: int) -> Boundary:
        return _Detecting(self) if group == OWN else self._others.boundary(group)

    def made(self, key: Key, results: Sequence[Any]) -> None:
        for result in results[:1]:
            self.near(result, self.breaks.get(key, ()))

    def near(self, tensor: Any, breaks: Sequence[tuple[str, Interval]]) -> None:
        """Note how near a tensor is to where what it goes into breaks."""
        import tensorflow as tf

        for of, region in breaks:
            if tensor.dtype.is_floating and of in _DISTANCES:
                found = _DISTANCES[of](tf, tf.cast(tensor, tf.float32), region.lo, region.hi)
                self.distance = tf.minimum(self.distance, found)

    def carried(self) -> list[Any]:
        return [self.made_here, self.given_sound, self.distance]

    def resume(self, carried: Sequence[Any]) -> None:
        self.made_here, self.given_sound, self.distance = carried


class _Detecting(Boundary):
    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self.known: dict[int, Any] = {}
        self.tokens: list[Any] = []
        self.sound: list[Any] = []

    def enter(self, tensor: Any) -> Any:
        if id(tensor) not in self.known:
            entered, token = _entering(tensor, self.detector.count)
            self.known[id(tensor)] = entered
            self.known[id(entered)] = entered
            self.tokens.append(token)
            self.sound.append(finite([tensor]))
        return self.known[id(tensor)]

    def leave(self, key: Key, tensor: Any) -> Any:
        import tensorflow as tf

        if key == self.detector.root:
            sound = tf.reduce_all(tf.stack([tf.constant(True), *self.sound]))
            lost = tf.logical_and(sound, tf.logical_not(finite([tensor])))
            self.detector.given_sound += tf.cast(sound, tf.float32)
            self.detector.made_here += tf.cast(lost, tf.float32)
        return _leaving(tensor, self.tokens) if self.tokens else tensor


def _entering(tensor: Any, count: Any) -> tuple[Any, Any]:
    """A tensor and a token; the derivative of `count` is 1 where that of the tensor is lost in front of the token."""
    import tensorflow as tf

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def entered(tensor: Any, count: Any) -> Any:
        def gradient(slope: Any, behind: Any) -> Any:
            lost = tf.logical_and(finite([tensor]), tf.logical_not(finite([slope])))
            return slope, tf.cast(tf.logical_and(lost, tf.equal(behind, 0.0)), tf.float32)

        return (tf.identity(tensor), tf.identity(count)), gradient

    made: tuple[Any, Any] = entered(tensor, count)
    return made


def _leaving(tensor: Any, tokens: Sequence[Any]) -> Any:
    """A tensor; the derivatives of the tokens are 1 where its own is not finite."""
    import tensorflow as tf

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def left(tensor: Any, *tokens: Any) -> Any:
        def gradient(slope: Any) -> Any:
            lost = 1.0 - tf.cast(finite([slope]), tf.float32)
            return (slope, *[lost] * len(tokens))

        return tf.identity(tensor), gradient

    return left(tensor, *tokens)


class Sanitizer(Hooks):
    """Sanitizes regions of operations: from finite inputs each returns finite values and derivatives.

    Values that are not finite before a region pass through. `flags` select the regions.
    """

    def __init__(self, regions: Sequence[frozenset[Key]], flags: Any = None) -> None:
        self.keys = frozenset(key for region in regions for key in region)
        self._groups = {key: place for place, region in enumerate(regions) for key in region}
        self._flags = flags

    def group(self, key: Key) -> int:
        return self._groups[key]

    def boundary(self, group: int) -> Boundary:
        return _Sanitizing(None if self._flags is None else self._flags[group])


class _Sanitizing(Boundary):
    def __init__(self, flag: Any) -> None:
        import tensorflow as tf

        self.flag = tf.constant(True) if flag is None else flag
        self.tokens: list[Any] = []
        self.sound: list[Any] = []

    def enter(self, tensor: Any) -> Any:
        entered, token = _guarded(tensor, self.flag)
        self.tokens.append(token)
        self.sound.append(finite([tensor]))
        return entered

    def leave(self, key: Key, tensor: Any) -> Any:
        import tensorflow as tf

        parts = [tf.math.real(tensor), tf.math.imag(tensor)] if tensor.dtype.is_complex else [tensor]
        kept = tf.reduce_all(tf.stack([tf.math.is_finite(part) for part in parts]), axis=0)
        kept = tf.logical_or(kept, tf.logical_not(tf.reduce_all(tf.stack([self.flag, *self.sound]))))
        made = tf.where(kept, tensor, tf.ones_like(tensor))
        return _leaving(made, self.tokens) if self.tokens else made


def _guarded(tensor: Any, flag: Any) -> tuple[Any, Any]:
    """A tensor and a token; where the flag is up, a derivative of the tensor that was lost behind the token is 0."""
    import tensorflow as tf

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def entered(tensor: Any, flag: Any) -> Any:
        def gradient(slope: Any, behind: Any) -> Any:
            own = tf.reduce_all(tf.stack([flag, finite([tensor]), tf.equal(behind, 0.0)]))
            sound = tf.equal(slope - slope, tf.zeros_like(slope))
            return tf.where(tf.logical_and(own, tf.logical_not(sound)), tf.zeros_like(slope), slope), None

        return (tf.identity(tensor), tf.constant(0.0)), gradient

    made: tuple[Any, Any] = entered(tensor, flag)
    return made


def finite(tensors: Sequence[Any]) -> Any:
    """Whether every element of some tensors is finite; None among them counts for nothing."""
    import tensorflow as tf

    flags = []
    for tensor in tensors:
        if tensor is not None:
            held = tensor.values if isinstance(tensor, tf.IndexedSlices) else tensor
            parts = (tf.math.real(held), tf.math.imag(held)) if held.dtype.is_complex else (held,)
            flags += [tf.reduce_all(tf.math.is_finite(part)) for part in parts]
    return tf.reduce_all(tf.stack(flags)) if flags else tf.constant(True)


def _outside(tf: Any, x: Any, low: float, high: float) -> Any:
    return tf.maximum(x - high, 0.0) + tf.maximum(low - x, 0.0)


_DISTANCES: dict[str, Callable[..., Any]] = {
    SOME: lambda tf, x, low, high: tf.reduce_min(_outside(tf, x, low, high)),
    EVERY: lambda tf, x, low, high: tf.reduce_max(_outside(tf, x, low, high)),
    CONSTANT: lambda tf, x, low, high: tf.reduce_max(x) - tf.reduce_min(x),
}
