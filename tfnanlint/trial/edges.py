"""What ordinary data does not do, or hardly ever does: situations that show only what is possible."""

from __future__ import annotations

from tfnanlint.ops.numeric import np
from tfnanlint.trial import changes, roles
from tfnanlint.trial.padding import BY_MASK
from tfnanlint.trial.situations import Situation

EDGES: tuple[Situation, ...] = (
    Situation("zeros", "inputs that are 0", {roles.NOTHING: changes.zeros, roles.POSITIVE: changes.zeros}),
    Situation("ones", "inputs that are 1", {roles.NOTHING: changes.ones, roles.POSITIVE: changes.ones}),
    Situation("negative", "negative inputs", {roles.NOTHING: lambda x: -np.abs(x) - 1.5}),
    Situation(
        "hidden row",
        "a row that a mask hides as a whole",
        dict.fromkeys((*roles.MASKS, roles.FEATURES, roles.LENGTHS, roles.RECORD), changes.first_zero),
        padded_by=BY_MASK,
        spares_fed_data_of=frozenset({roles.LENGTHS}),
    ),
    Situation("zero row", "a row of zeros", {roles.NOTHING: changes.first_zero}),
    Situation("equal", "equal inputs", {roles.NOTHING: changes.rows_equal}, copies={roles.NOTHING: (roles.NOTHING,)}),
    Situation("constant", "constant rows: all elements of a row are equal", {roles.NOTHING: changes.rows_constant}),
    Situation("scores", "large inputs of both signs", {roles.NOTHING: changes.confident}),
    Situation("large", "large inputs", {roles.NOTHING: changes.all_high}),
    Situation("low", "large negative inputs", {roles.NOTHING: changes.all_low}),
    Situation(
        "improbable",
        "an action to which the policy gave a probability of almost 0",
        {roles.DRAWN_LOG_PROBABILITY: changes.all_low},
    ),
    Situation("nothing counted at all", "a count of 0", {roles.COUNT: changes.zeros}),
    Situation("cancelling", "an input that cancels the epsilon added to it", side="cancelling"),
)
"""What inputs of unknown roles may be, and what was never right: a failure in these alone is merely possible.

A row of padding was right in none of 22 findings in published code, though it explains 3 of 106 fixed bugs there
(docs/trials.md).
"""
SCALED = Situation(
    "scaled",
    "inputs 10,000 times smaller than ordinary ones",
    {
        role: lambda x: x * 1e-4
        for role in (
            *(roles.FEATURES, roles.EMBEDDING, roles.OUTPUT, roles.ACTIVATED, roles.NOTHING, roles.POSITIVE),
            *(roles.SIGNAL, roles.IMAGE, roles.GRADIENT, roles.REWARD),
        )
    },
)
"""Small numbers, which a repair may not change; what fails there is no failure of the program."""
