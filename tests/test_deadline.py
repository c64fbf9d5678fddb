"""A time limit ends what runs too long, also where Python swallows an exception."""

import subprocess
import sys

import pytest

PROGRAM = """
import signal
from tfnanlint.graph.deadline import OutOfTime, limited

LIMIT, TURNS = 0.05, 10**8


class Slow:
    def __del__(self):  # what is raised here is lost
        for _ in range(TURNS):
            rung = signal.getitimer(signal.ITIMER_REAL)[0] > AT_FIRST
            if rung:
                return


try:
    with limited(LIMIT):
        AT_FIRST = signal.getitimer(signal.ITIMER_REAL)[0]
        Slow()
        for _ in range(TURNS):
            pass
    print("reached the end")
except OutOfTime:
    print("out of time")
"""


@pytest.mark.quick
def test_a_limit_that_is_reached_in_a_finaliser_still_ends_the_run() -> None:
    """The timer of this process is the one of the tests, so that another process is limited."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == "out of time\n"
    assert done.stderr == ""
