"""`python -m tfnanlint` is the command line."""

import sys

from tfnanlint.cli import main

if __name__ == "__main__":
    sys.exit(main())
