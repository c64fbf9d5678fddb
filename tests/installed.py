"""The program as it is installed: the script beside this Python, or the module where it runs from its clone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCRIPT = Path(sys.executable).parent / "tfnanlint"
COMMAND = (str(_SCRIPT),) if _SCRIPT.exists() else (sys.executable, "-m", "tfnanlint")


def tfnanlint(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    return subprocess.run([*COMMAND, *arguments], input=given, capture_output=True, text=True, check=False)
