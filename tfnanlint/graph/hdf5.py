"""Whether an HDF5 file can be read to its end, found out by another process.

A damaged file can make the HDF5 library loop for ever or crash, and nothing within the process can stop either.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from tempfile import TemporaryDirectory
from zipfile import ZipFile

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
    reason = _in_the_way(path)
    if reason:
        raise TargetError(f"{path}: is no model in HDF5: {reason}")


def check_inside(path: str, archive: ZipFile) -> None:
    """`TargetError` where one of the HDF5 files in an archive, which is at the path, cannot be read to its end."""
    for member in archive.infolist():
        if member.filename.endswith(".h5"):
            with TemporaryDirectory() as folder, archive.open(member) as packed:
                copy = os.path.join(folder, "weights.h5")
                with open(copy, "wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked)
                reason = _in_the_way(copy, strict=True)
            if reason:
                raise TargetError(f"{path}: its {member.filename} is no whole HDF5 file: {reason}")


def _in_the_way(path: str, strict: bool = False) -> str:
    """Why a file cannot be read to its end, "" where it can be; `strict`: an error in Python is a reason, too."""
    try:
        limit = PATIENCE + os.path.getsize(path) / SPEED
        where = f"import sys; sys.path[:] = {sys.path!r}\n"  # nothing is imported from the working directory
        command = [sys.executable, "-I", "-c", where + READ, path]
        done = subprocess.run(command, timeout=limit, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return "reading it does not come to an end"
    if done.returncode < 0:
        return "reading it ends in a crash"
    if done.returncode and strict:
        return done.stderr.decode(errors="replace").strip().rpartition("\n")[2].partition(": ")[2].lower()
    return ""
