"""`python -m tfnanlint` is the command line.

Python then looks for modules in the working directory first. What is linted may hold a `libcst.py`, so that folder is
taken from the path; the command `tfnanlint` starts without it anyway.
"""

import os
import sys

if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
    del sys.path[0]

from tfnanlint.cli import main

if __name__ == "__main__":
    sys.exit(main())
