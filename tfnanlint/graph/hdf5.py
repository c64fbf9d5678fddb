"""Whether an HDF5 file can be read to its end, found out by another process.

A damaged file can make the HDF5 library loop for ever or crash, and nothing within the process can stop either.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tfnanlint.graph.importing import TargetError

READ = """
import sys, h5py
def look(name, item):
    dict(item.attrs)
    if isinstance(item, h5py.Dataset):
        item[()]
with h5py.File(sys.argv[1], "r") as file:
    dict(file.attrs)
    file.visititems(look)
"""
PATIENCE = 20.0
"""Seconds; reading begins to take longer only beyond some hundred megabytes."""
SPEED = 10e6
"""Bytes a second that any disk gives."""


def check(path: str) -> None:
    """`TargetError` where reading a file does not come to an end, or ends the process."""
    try:
        limit = PATIENCE + os.path.getsize(path) / SPEED
        where = f"import sys; sys.path[:] = {sys.path!r}\n"  # nothing is imported from the working directory
        command = [sys.executable, "-I", "-c", where + READ, path]
        done = subprocess.run(command, timeout=limit, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        raise TargetError(f"{path}: is no model in HDF5: reading it does not come to an end") from None
    if done.returncode < 0:
        raise TargetError(f"{path}: is no model in HDF5: reading it ends in a crash")
