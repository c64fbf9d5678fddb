"""What becomes of the value or the gradient of a finding, in a word: NaN, inf or -inf.

The run says it in numbers. Where none ran, the rule's message says it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tfnanlint.finding import Finding

_IN_NUMBERS = re.compile(r"(the gradient of (?:(?!: ).)*? is|=) (nan|-?inf)$")
_IN_WORDS = re.compile(r"(?:\b(?:is|are)|=) (NaN|-?inf|infinite)\b")
_WORDS = {"nan": "NaN", "infinite": "inf"}


class Outcome(NamedTuple):
    """What a value or a gradient becomes; `what` is empty where nothing tells."""

    what: str
    of_gradient: bool

    @classmethod
    def of(cls, found: Finding) -> Outcome:
        """The outcome of a finding."""
        shown = _IN_NUMBERS.search(found.trial["run"]) if found.trial else None
        if shown is not None:
            return cls(_WORDS.get(shown[2], shown[2]), shown[1] != "=")
        told = _IN_WORDS.search(found.message)
        gradient = "gradient" in found.message[: told.start()] if told else False
        return cls(_WORDS.get(told[1], told[1]) if told else "", gradient)

    @property
    def sentence(self) -> str:
        """What happens, as a sentence that goes on with when it does."""
        subject = "The gradient" if self.of_gradient else "The value"
        return f"{subject} becomes {self.what or 'wrong'}"

    def __str__(self) -> str:
        return f"gradient {self.what}" if self.what and self.of_gradient else self.what
