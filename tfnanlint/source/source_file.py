"""A file that is lowered: its text, its tree or a sketch of it, and what has been found out about its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tfnanlint.assumptions import NO_ASSUMPTIONS, Assumptions
from tfnanlint.source.implicit_modules import modules_by_use
from tfnanlint.source.lines import python_lines
from tfnanlint.source.sketch import Sketch

if TYPE_CHECKING:
    import ast

    import libcst as cst

    from tfnanlint.source.positions import Layout
    from tfnanlint.source.values import Scope

_COUNTED = re.compile(r"\.(\w+)\s*[-+*/]=")


@dataclass(frozen=True)
class Named:
    """The names in a body: those that stand alone or in front of a dot, and the attributes that are asked of each."""

    plain: set[str]
    attributes: dict[str, set[str]]


@dataclass(eq=False, repr=False)
class SourceFile:
    """One parsed file: its path as reported, its text, its tree or a sketch of it, and where it is on disk."""

    path: str
    text: str
    tree: Any
    real_path: str = ""
    assumptions: Assumptions = field(default_factory=Assumptions)
    _layout: Layout | None = None
    _lines: list[str] | None = None
    promised: dict[cst.CSTNode | None, dict[str, cst.BaseExpression]] = field(default_factory=dict)
    """The names that repairs want to introduce, each with the operand it is for: no two repairs share one."""
    imported: dict[Scope, dict[str, str]] = field(default_factory=dict)
    """The names of each scope that stand for something of TensorFlow or Keras, once repairs have asked for them."""
    named_in_functions: dict[Any, Named] = field(default_factory=dict)
    """The names in the body of each function, once somebody has asked."""
    decisive_in_functions: dict[Any, frozenset[str]] = field(default_factory=dict)
    """The names in the conditions of each function, once somebody has asked."""
    stored_by_methods: dict[Any, frozenset[str]] = field(default_factory=dict)
    """The attributes of its object that each method makes, once somebody has asked."""

    def __post_init__(self) -> None:
        self.real_path = self.real_path or self.path

    @classmethod
    def sketched(
        cls, path: str, text: str, tree: ast.Module, real_path: str = "", assumptions: Assumptions = NO_ASSUMPTIONS
    ) -> SourceFile:
        """A file that is read as far as the lowering needs it, of the tree of Python's own parser."""
        return cls(path, text, Sketch(tree, text), real_path, assumptions)

    @property
    def lines(self) -> list[str]:
        """The lines with their ends, as Python counts lines."""
        if self._lines is None:
            self._lines = python_lines(self.text)
        return self._lines

    @cached_property
    def counted(self) -> frozenset[str]:
        """The attributes that the text increments or scales in place: each read of one is a value of its own."""
        return frozenset(_COUNTED.findall(self.text))

    @cached_property
    def names_in_expressions(self) -> bool:
        """Whether a part of an expression may be given a name, by `:=`."""
        return ":=" in self.text

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """The names that are used as a module of TensorFlow or Keras is, whatever they are bound to."""
        return modules_by_use(self.text)

    @property
    def newline(self) -> str:
        """The line end of the file's first line."""
        first = self.lines[0] if self.lines else ""
        return "\r\n" if first.endswith("\r\n") else "\r" if first.endswith("\r") else "\n"

    @property
    def layout(self) -> Layout:
        """Where every syntax node stands, computed at the first call."""
        if self._layout is None:
            from tfnanlint.source.positions import layout_of

            self._layout = layout_of(self.tree, self.lines)
        return self._layout
