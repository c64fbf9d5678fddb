"""Fuzz the command line with damaged files, notebooks and configurations for some minutes.

    python benchmarks/fuzz.py --minutes 10 [FOLDER of Python files ...]

What fails is printed, and its files are written to a folder each; the run goes on. The exit status is 1 if anything
failed.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from fuzzing import Case, cases, check, real_files, written

BATCH = 100
"""Cases between two looks at the clock."""


def main() -> int:
    """Fuzz until the time is over; the exit status."""
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("folders", nargs="*", metavar="FOLDER", help="where real files are taken from, beside our own")
    made.add_argument("--minutes", type=float, default=10.0)
    made.add_argument("--seed", type=int, default=0, help="where the random numbers start")
    made.add_argument("--shrink", action="store_true", help="make what fails as small as it goes, which takes minutes")
    made.add_argument("--failures", default="fuzz-failures", metavar="FOLDER", help="where to write what fails")
    options = made.parse_args()
    texts = real_files(options.folders)
    print(f"{len(texts)} real files", flush=True)
    end = time.monotonic() + 60 * options.minutes
    done = failed = 0
    number = options.seed
    slowest = (0.0, 0)
    ends: Counter[str] = Counter()
    while time.monotonic() < end:
        last = Case()

        @seed(number)
        @settings(
            max_examples=BATCH,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink) if options.shrink else (Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        @given(cases(texts))
        def batch(case: Case) -> None:
            nonlocal done, last, slowest
            last = case
            done += 1
            start = time.process_time()
            ends[check(case)] += 1
            slowest = max(slowest, (time.process_time() - start, done))

        try:
            batch()
        except Exception:
            failed += 1
            print(f"--- failure {failed} (seed {number}): {last.arguments}")
            print("".join(traceback.format_exc(limit=-3)))
            print(*written(last, f"{options.failures}/{number}"), sep="\n", flush=True)
        number += 1
    print(f"{done} cases, {failed} failures; number {slowest[1]} took the longest, {slowest[0]:.1f} s of CPU")
    print(", ".join(f"{count} {end}" for end, count in ends.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
