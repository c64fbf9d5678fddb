"""Trials: execute a flow in NumPy on what ordinary data does, and report what becomes non-finite.

`roles` classifies the inputs, `shapes` sizes them, `limits` and `pairs` find what the program compares them with,
and `padding` what it masks. `ordinary` has the numbers of a role on a calm batch, `situations` lists what ordinary data
does to them, and `inputs` makes the numbers. `run` executes the
flow forward and backward according to its `plan`: `nodes`, `control` and `subscripts` compute nodes that are not in the
op table, `fitting` repairs shapes that do not match. `part` tries a connected part, `chance` decides which of its
failures are likely, a `failure` is the result, `account` describes it in one line, and `judging` tells where ops fail.
`verdict` answers for the whole flow. `graft` puts a repair into a flow, and `retrial` runs that and compares.
"""

from tfnanlint.trial.failure import Failure
from tfnanlint.trial.verdict import Trials

__all__ = ["Failure", "Trials"]
