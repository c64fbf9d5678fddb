"""Trials: execute a flow in NumPy on what ordinary data does, and report what becomes non-finite.

The modules, by stage:

- roles of inputs: `roles`, `evidence`, `by_use`, `column_evidence`, `boxes`, `python_numbers`, `uses`, `variables`;
- their shapes and numbers: `shapes`, `shape_search`, `input_shapes`, `ordinary`, `domains`, `inputs`, `limits`,
  `pairs`, `padding`, `memo`;
- what data does to the numbers: `situations`, `edges`, `changes`, `flags`;
- running a part of the flow: `partition`, `part_trial`, `part_runs`, `plan`, `run`, `budget`, `nodes`, `control`,
  `subscripts`, `slices`, `arrays`, `rounding`, `shape_fitting`;
- judging: `judging`, `chance`, `hidden_failures`, `metrics`, `failure`, `run_summary`, `verdict`;
- trying a repair: `flow_patch` puts it into the flow, `retrial` runs the part again and compares.
"""

from tfnanlint.trial.failure import Failure
from tfnanlint.trial.verdict import Trials

__all__ = ["Failure", "Trials"]
