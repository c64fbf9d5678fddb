"""Evidence that a value comes from a file, as a table or an array: its author knows what that holds."""

from __future__ import annotations

from tfnanlint.flow import Node, reached
from tfnanlint.source.libraries import LIBRARY
from tfnanlint.trial.roles import NOTHING, Role, by_name, is_open
from tfnanlint.trial.uses import key_of
from tfnanlint.vocabulary import words_of

READING = frozenset("load loadtxt loadmat genfromtxt fromfile read".split())
"""How the names of functions begin that read arrays or tables from a file: `load`, `loadtxt`, `read_csv`."""
PARTS_OF_TABLES = frozenset("unknown attribute getitem cast convert_to_tensor".split())
"""Ops that give a part of a table, or what a function of a library makes of it."""


def by_file(node: Node, name: str) -> Role | None:
    """What a program reads from a file: its author knows whether a column of it is constant.

    So is a part of that, what it holds under a key, or a share of its rows, of which the name does not tell more.
    """
    if node.op != "unknown" and not (node.op == "getitem" and (node.attrs.get("unpacked") or key_of(node))):
        return None
    if not _reads(node) and not is_open(by_name(name)):
        return None
    made_of = reached([node], lambda at: at.operands if at.op in PARTS_OF_TABLES and not _reads(at) else ())
    if any(at.op not in PARTS_OF_TABLES and at.op != "const" for at in made_of) or not any(map(_reads, made_of)):
        return None
    return Role(NOTHING, "it is read from a file")


def _reads(node: Node) -> bool:
    """Whether a call reads a file that the program names or opens, an array of NumPy, or a data set of Keras."""
    words = words_of(str(node.attrs.get("called", "")))
    if node.op != "unknown" or not READING.intersection(words[:1]):
        return False
    if node.attrs.get(LIBRARY) == "numpy" or any(one.attrs.get("called") == "open" for one in node.operands):
        return True
    named = words[1:] == ["data"] or any(isinstance(operand.constant, str) for operand in node.operands)
    return named and all(operand.op == "const" for operand in node.operands)
