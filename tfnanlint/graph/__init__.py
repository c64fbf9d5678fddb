"""The graph pass: traced functions and TensorFlow graphs, lowered to the same flow as source code.

No module here imports tensorflow before a function is called, so that the rest of the package can import from it.
"""

from __future__ import annotations

from tfnanlint.graph.api import lint_function, lint_graph
from tfnanlint.graph.lint import lint_concrete, trace
from tfnanlint.graph.model import GraphError
from tfnanlint.graph.training import explaining, keras_callback
from tfnanlint.graph.watching import watch

__all__ = [
    "GraphError",
    "explaining",
    "keras_callback",
    "lint_concrete",
    "lint_function",
    "lint_graph",
    "trace",
    "watch",
]
