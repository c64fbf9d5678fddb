"""A cache with a size limit that drops the least recently used entry."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class SizedCache(Generic[K, V]):
    """A mapping that forgets what was asked for longest ago, once the sizes of all add up to more than `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.size = 0

    def __contains__(self, key: K) -> bool:
        return key in self._held

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, key: K) -> V:
        self._held.move_to_end(key)
        return self._held[key][0]

    def get(self, key: K) -> V | None:
        return self[key] if key in self._held else None

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value; it stays at least until the next one comes, however large it is."""
        self.drop(key)
        self._held[key] = value, size
        self.size += size
        while self.size > self._most and len(self._held) > 1:
            self.size -= self._held.popitem(last=False)[1][1]

    def drop(self, key: K) -> None:
        """Forget one value, if it is there."""
        if key in self._held:
            self.size -= self._held.pop(key)[1]

    def clear(self) -> None:
        self._held.clear()
        self.size = 0

    def values(self) -> Iterator[V]:
        return (value for value, _ in self._held.values())
