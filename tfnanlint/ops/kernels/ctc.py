"""The CTC loss: the probability of all paths through a label sequence and its blanks, in logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfnanlint.ops.kernels.nn import log_softmax, softmax
from tfnanlint.ops.kernels.shapes import Array, whole_numbers
from tfnanlint.ops.work import affordable

FRAME = 10_000
"""The cost of one frame, in elements."""
LEAST = float(np.log(1e-307))
"""TensorFlow's logarithm of 0 where a path begins or ends: labels that no path spells have a large finite loss."""


class Paths:
    """The frames of a batch, and which states a label sequence passes: its labels in turn with blanks."""

    def __init__(
        self, labels: Any, logits: Any, label_length: Any, logit_length: Any, time_major: Any, blank_index: Any
    ) -> None:
        self.logits = np.asarray(logits) if time_major else np.swapaxes(logits, 0, 1)
        frames, batch, classes = self.logits.shape
        self.labels = np.asarray(labels).astype(np.int64)
        if self.labels.ndim != 2 or len(self.labels) != batch:
            raise ValueError(f"labels of shape {self.labels.shape} do not fit a batch of {batch}")
        self.blank = int(blank_index or 0) % classes
        self.lengths = _lengths(label_length, self.labels.shape[1], batch)
        self.frames = _lengths(logit_length, frames, batch)
        if min(self.frames, default=1) < 1:
            raise ValueError("a sequence has no frames")
        self.time_major = bool(time_major)
        affordable(sum(self.frames), FRAME)

    def states(self, example: int) -> Array:
        found = np.full(2 * self.lengths[example] + 1, self.blank)
        found[1::2] = np.clip(self.labels[example, : self.lengths[example]], 0, self.logits.shape[2] - 1)
        return found

    def observed(self, example: int) -> Array:
        """[frame, state]: the logarithm of the probability of the state's symbol."""
        return log_softmax(self.logits[: self.frames[example], example].astype(np.float64), -1)[:, self.states(example)]

    def walked(self, observed: Array, states: Array, entered: bool) -> Array:
        """[frame, state]: the logarithm of the probability of all beginnings of paths that end there.

        A path begins in one of the first two states; entered, they are a step away, which all states have behind them.
        """
        found = np.empty_like(observed)
        skips = np.full(len(states), -np.inf)
        skips[2:] = np.where((states[2:] == self.blank) | (states[2:] == states[:-2]), -np.inf, 0.0)
        reached = np.full(len(states), LEAST)
        if entered:
            reached = _stepped(reached, skips)
            reached[:2] = np.logaddexp(reached[:2], 0.0)
        else:
            reached[:2] = 0.0
        for frame, seen in enumerate(observed):
            found[frame] = reached + seen
            reached = _stepped(found[frame], skips)
        return found


def _stepped(before: Array, skips: Array) -> Array:
    """To the same state, to the next one, or over a blank between two labels that differ."""
    parts = before, _shifted(before, 1), _shifted(before, 2) + skips
    return np.logaddexp.reduce(np.stack(parts), axis=0)


def _shifted(x: Array, by: int) -> Array:
    return np.concatenate([np.full(min(by, len(x)), -np.inf), x[:-by]])


def _lengths(given: Any, longest: int, batch: int) -> tuple[int, ...]:
    numbers = (longest,) * batch if given is None else whole_numbers(given)
    numbers = numbers * batch if len(numbers) == 1 else numbers
    if len(numbers) != batch:
        raise ValueError(f"{given!r} does not hold the lengths of a batch of {batch}")
    return tuple(min(max(number, 0), longest) for number in numbers)


def ctc_loss(
    labels: Any,
    logits: Array,
    label_length: Any,
    logit_length: Any,
    time_major: Any,
    blank_index: Any,
    **settings: Any,
) -> Array:
    paths = Paths(labels, logits, label_length, logit_length, time_major, blank_index)
    found = [-_likelihood(paths, example)[0] for example in range(len(paths.labels))]
    return np.asarray(found, np.asarray(logits).dtype)


def _likelihood(paths: Paths, example: int) -> tuple[float, Array, Array]:
    """(its logarithm, [frame, state] that of all paths through there, the states)."""
    states, observed = paths.states(example), paths.observed(example)
    ahead = paths.walked(observed, states, True)
    behind = paths.walked(observed[::-1, ::-1], states[::-1], False)[::-1, ::-1]
    through = ahead + behind - observed
    return float(np.logaddexp.reduce(behind[0][:2])), through, states


def pull_ctc_loss(
    grad: Array,
    result: Array,
    labels: Any,
    logits: Array,
    label_length: Any,
    logit_length: Any,
    time_major: Any,
    blank_index: Any,
    **settings: Any,
) -> tuple[None, Array]:
    """The probability of each symbol in each frame, less that of the paths that have it there."""
    paths = Paths(labels, logits, label_length, logit_length, time_major, blank_index)
    back = np.zeros(paths.logits.shape)
    for example, frames in enumerate(paths.frames):
        _, through, states = _likelihood(paths, example)
        share = np.exp(through - np.logaddexp.reduce(through, axis=1, keepdims=True))
        own = back[:frames, example]
        own += softmax(paths.logits[:frames, example].astype(np.float64), -1)
        np.subtract.at(own, (slice(None), states), share)
    spread = np.asarray(grad)[None, :, None] * back
    ordered = spread if paths.time_major else np.swapaxes(spread, 0, 1)
    return None, ordered.astype(np.asarray(logits).dtype)
