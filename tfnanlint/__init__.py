"""Find code that will produce NaN or Inf in TensorFlow, before it runs, and fix it.

Public names are loaded on first use, so that the command line imports only what a run needs. Before that nothing at all
is imported here: `python -m tfnanlint` runs this file while the working directory still comes first in the path.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfnanlint.errors import ConfigError, RuleError, SourceError, TfnanlintError
    from tfnanlint.finding import Edit, Finding, Fix, Step
    from tfnanlint.graph import GraphError, explaining, keras_callback, lint_function, lint_graph, watch
    from tfnanlint.run.edits import apply_edits
    from tfnanlint.run.many import lint_paths, lint_source

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "Edit",
    "Finding",
    "Fix",
    "GraphError",
    "RuleError",
    "SourceError",
    "Step",
    "TfnanlintError",
    "__version__",
    "apply_edits",
    "explaining",
    "keras_callback",
    "lint_function",
    "lint_graph",
    "lint_paths",
    "lint_source",
    "watch",
]

_HOMES = {
    "ConfigError": "tfnanlint.errors",
    "RuleError": "tfnanlint.errors",
    "SourceError": "tfnanlint.errors",
    "TfnanlintError": "tfnanlint.errors",
    "Edit": "tfnanlint.finding",
    "Finding": "tfnanlint.finding",
    "Fix": "tfnanlint.finding",
    "Step": "tfnanlint.finding",
    "GraphError": "tfnanlint.graph",
    "apply_edits": "tfnanlint.run.edits",
    "explaining": "tfnanlint.graph",
    "keras_callback": "tfnanlint.graph",
    "lint_function": "tfnanlint.graph",
    "lint_graph": "tfnanlint.graph",
    "lint_paths": "tfnanlint.run.many",
    "lint_source": "tfnanlint.run.many",
    "watch": "tfnanlint.graph",
}


def __getattr__(name: str) -> "Any":
    """Load a public name from its home on first use."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
