"""Trials: a flow is run in NumPy on what ordinary data does, and what becomes non-finite is said.

`roles` says what each input is, `shapes` how large, `situations` what ordinary data does to inputs of a role, `run`
executes the flow forward and backward, `verdict` says what failed, in which situation, and what it reaches.
"""

from tfnanlint.trial.verdict import Failure, Trials

__all__ = ["Failure", "Trials"]
