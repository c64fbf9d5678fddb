"""The pytest plugin: `pytest --tfnanlint` lints what the tests trace.

Every run of pytest loads this module, so it imports the rest on demand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and ini settings."""
    group = parser.getgroup("tfnanlint")
    group.addoption(
        "--tfnanlint", action="store_true", help="lint every function that TensorFlow traces during the tests"
    )
    group.addoption("--tfnanlint-fail", action="store_true", help="the same, and fail the tests that trace a finding")
    group.addoption(
        "--tfnanlint-prove",
        action="store_true",
        help="lint, run the traced functions, and search for inputs that trigger each finding",
    )
    parser.addini("tfnanlint", "as --tfnanlint", type="bool", default=False)
    parser.addini("tfnanlint_fail", "with --tfnanlint: whether findings fail a test", type="bool", default=False)
    parser.addini("tfnanlint_prove", "with --tfnanlint: whether to prove findings", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Start listening, where that is asked for."""
    fail, prove = (config.getoption(name) for name in ("--tfnanlint-fail", "--tfnanlint-prove"))
    if fail or prove or config.getoption("--tfnanlint") or config.getini("tfnanlint"):
        from tfnanlint.pytest_plugin.suite import Suite

        fail, prove = bool(fail or config.getini("tfnanlint_fail")), bool(prove or config.getini("tfnanlint_prove"))
        config.pluginmanager.register(Suite(config, fail, prove), "tfnanlint-suite")
