"""`python -m tfnanlint` is the command line.

Python then searches the working directory for modules first. The linted project may contain a `libcst.py`, so this
folder is removed from the path. The command `tfnanlint` starts without it anyway.
"""

import os
import sys

if not getattr(sys.flags, "safe_path", False) and sys.path[0] != os.path.dirname(
    os.path.dirname(os.path.abspath(__file__))
):
    del sys.path[0]

from tfnanlint.cli import main

if __name__ == "__main__":
    sys.exit(main())
