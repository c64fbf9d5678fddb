"""Trials: a flow is run in NumPy on what ordinary data does, and what becomes non-finite is said.

`roles` says what each input is, `shapes` how large, `limits` and `pairs` what the program compares it with,
`situations` what ordinary data does to inputs of a role: `inputs` makes the numbers. `run` executes the flow forward
and backward, as its `plan` says: `nodes`, `control` and `subscripts` do what is no op of the table, `fitting` what does
not fit. `part` tries a connected part, `chance` says what of its failures is likely, `failure` is what is found, and
`account` tells it in a line. `verdict` answers for the whole flow.
"""

from tfnanlint.trial.failure import Failure
from tfnanlint.trial.verdict import Trials

__all__ = ["Failure", "Trials"]
