"""NumPy functions behind the `run` and `pull` columns that take more than a line, a module per family of the op table.

A module here imports NumPy at its top: the table names its functions through `numeric.Kernels`, which imports the
module when the first of them is called.
"""
