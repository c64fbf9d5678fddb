"""How the time for a program grows with its size: for each kind of thing, the exponent for its number.

`python benchmarks/growth.py [KIND ...]`. Where things refer to each other the text grows faster than their number; the
exponent for the size of the text is printed beside it. Without a bound on the work, one of 1 is the best that can be.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.growing import KINDS, Files, functions, size_of
from tfnanlint.cli import main

LARGEST = {"statements": 4000, "lines": 16000, "sound functions": 4000, "files": 200, "ring": 200, "all from all": 80}
"""The largest program of a kind; of the others, `USUAL` things."""
USUAL = 1000
OPTIONS = "--no-cache --isolated --exit-zero --output-format concise --jobs 1".split()


def seconds(files: Files) -> float:
    """The processor time for linting these files, the less of two."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text)
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            taken = []
            for _ in range(2):
                start = time.process_time()
                main([".", *OPTIONS])
                taken.append(time.process_time() - start)
            return min(taken)


def exponent(costs: list[float], sizes: list[int]) -> float:
    """The exponent of the cost over the last doubling."""
    return math.log(costs[-1] / costs[-2]) / math.log(sizes[-1] / sizes[-2])


def measure(wanted: list[str]) -> None:
    seconds(functions(5))  # imports and compiles what the others need
    print(f"{'kind':<18}{'counts':>20}{'seconds':>22}{'by number':>12}{'by size':>10}")
    for kind, make in KINDS.items():
        if wanted and kind not in wanted:
            continue
        largest = LARGEST.get(kind, USUAL)
        counts = [largest // 4, largest // 2, largest]
        made = [make(count) for count in counts]
        costs = [seconds(files) for files in made]
        by_size = exponent(costs, [size_of(files) for files in made])
        shown = " ".join(f"{cost:.2f}" for cost in costs)
        print(f"{kind:<18}{' '.join(map(str, counts)):>20}{shown:>22}{exponent(costs, counts):>12.2f}{by_size:>10.2f}")


if __name__ == "__main__":
    os.environ.pop("TFNANLINT_CACHE_DIR", None)
    measure(sys.argv[1:])
