"""A short run of the fuzzer; `benchmarks/fuzz.py` makes long ones."""

from __future__ import annotations

from fuzzing import Case, cases, check, real_files
from hypothesis import HealthCheck, given, settings

TEXTS = real_files()


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(cases(TEXTS))
def test_nothing_random_ends_in_an_internal_error_or_a_broken_file(case: Case) -> None:
    check(case)
