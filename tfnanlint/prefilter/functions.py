"""Which functions of a file must be lowered on their own, because they can contain a finding.

A function that nothing in its file calls is lowered with unknown arguments. Most of these can contain no finding:
neither they nor the code they use mention everything that some rule needs. They are left out, and followed only where
another function calls them.

A part of a file is a function, a method, the class body beside its methods, or another top-level statement. Names tell
which parts use which; if in doubt, the answer is yes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from tfnanlint.prefilter.candidates import candidates_in
from tfnanlint.prefilter.dependencies import import_mentions
from tfnanlint.prefilter.mentions import GRADIENT, Mentions, code_of, combined, mentions_in, names_in, trains
from tfnanlint.ruleset.rule import Rule
from tfnanlint.source.implicit_modules import SELVES, attributes_taken
from tfnanlint.source.packages import is_ours
from tfnanlint.vocabulary import is_module_of_losses, may_be_object

if TYPE_CHECKING:
    from tfnanlint.source.project import Project

FEW = 2
"""Up to this many functions are all lowered: choosing would cost more."""
ALWAYS = frozenset(("__init__", "build", "call", "__call__", "get_config", "setUp", "setUpClass", "setup_method"))
"""Methods that say what an object is and does, whichever other method is run."""
TESTS = re.compile(r"Test(?:Case|s)?$")
"""How classes are named whose methods are run one by one, and use no others through what they inherit."""
_GLOBAL = re.compile(r"^[ \t]+global ", re.MULTILINE)
_STORED = re.compile(r"self\.(\w+)(?=[^=\n(]{0,500}=(?!=)|\.assign)|(?:assign|assign_add|assign_sub)\(\s*self\.(\w+)")
"""Attributes that a method may store or assign to: the sign stands within 500 characters."""


def irrelevant_functions(
    text: str, tree: ast.Module, rules: list[Rule], path: str, project: Project | None, aliases: Mapping[str, str]
) -> frozenset[str]:
    """The top-level functions of a file and the methods of its classes that can contain no finding on their own.

    `rules` are those that fit the file as a whole, `aliases` what its imported names stand for. A method is named after
    its class and a dot.
    """
    parts = _Parts(text, tree, aliases)
    trained = parts.trains or is_module_of_losses(path)
    if len(parts.functions) <= FEW:
        return frozenset()
    # Its arguments may be tensors, and what is differentiated is often so in another place.
    given = Mentions(frozenset(("unknown",)), frozenset((GRADIENT,) if trained else ()), ours=True)
    around = {
        part: import_mentions(part.names, part.aliases, path, project) if project is not None else []
        for part in parts.every
    }
    verdicts: dict[tuple[Mentions, frozenset[Mentions]], bool] = {}
    relevant = [name for name in parts.functions if parts.gives_globals(name)]
    for name in parts.functions:
        used = parts.used_by(name)
        key = (
            combined([given, *(part.mentions for part in used)]),
            frozenset(chain.from_iterable(around[part] for part in used)),
        )
        if key not in verdicts:
            verdicts[key] = bool(candidates_in(rules, key[0], list(key[1])))
        if verdicts[key]:
            relevant.append(name)
    return frozenset(parts.functions).difference(parts.with_objects(relevant))


class _Part:
    """A part of a file: its code, the names in it, and the class that it is a method of."""

    def __init__(self, code: str, aliases: Mapping[str, str], keras: bool, owner: str = "") -> None:
        self.owner = owner
        self.names = names_in(code)
        self.gives_globals = _GLOBAL.search(code) is not None
        pieces = [name.replace(" ", "").split(".", 2) for name in self.names]
        self.first = frozenset(piece[0] for piece in pieces)
        taken = attributes_taken(code).items()
        self.taken = [held for name, held in taken if name not in aliases and name not in (*SELVES, owner)]
        """The attributes that are taken of each name."""
        self.own = frozenset(piece[1] for piece in pieces if piece[0] in ("self", "cls", owner) and len(piece) > 1)
        self.stored = frozenset(chain.from_iterable(_STORED.findall(code))) if owner else frozenset()
        held = {piece[1] for piece in pieces if len(piece) > 1 and piece[0] not in aliases}
        self.aliases = {name: aliases[name] for name in self.first | held if name in aliases}
        self.mentions = mentions_in(code, self.names, self.aliases, keras)


class _Parts:
    """The parts of a file, each under the names that it defines, and how they use each other."""

    def __init__(self, text: str, tree: ast.Module, aliases: Mapping[str, str]) -> None:
        code = code_of(text)
        self._lines = code.split("\n")
        self._aliases = aliases
        self._keras = any(map(is_ours, aliases.values()))
        self.every: list[_Part] = []
        self._defining: dict[str, list[_Part]] = {}
        self._methods: dict[str, set[str]] = {}
        """The methods of each class."""
        self._joined: set[str] = set()
        """Classes whose methods may use each other through what they inherit."""
        self._storing: dict[tuple[str, str], set[str]] = {}
        """The methods of each class that store an attribute."""
        self._used: dict[_Part, set[str]] = {}
        self._registered: dict[str, set[str]] = {}
        """By a variable of the module, what a decorator may put there, as `@register("dice")` does with a loss."""
        functions: dict[str, None] = {}
        elsewhere: set[str] = set()
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._part([node], [node.name])
                functions[node.name] = None
            elif isinstance(node, ast.ClassDef):
                functions |= dict.fromkeys(self._class(node))
            elif not isinstance(node, (ast.Import, ast.ImportFrom)):
                names = set(_defined_in(node))
                self._part([node], names)
                elsewhere |= names
        self.functions = [name for name in functions if name.partition(".")[0] not in elsewhere]
        for name, decorator in _decorated_in(tree):
            for part in self._defining.get(decorator, ()):
                for variable in part.first & elsewhere:
                    self._registered.setdefault(variable, set()).add(name)
        self.trains = trains(code) or any(GRADIENT in part.mentions.traits for part in self.every)

    def _part(self, nodes: Sequence[ast.stmt], names: Collection[str], owner: str = "", header: str = "") -> None:
        code = "\n".join([header, *("\n".join(self._lines[_start(n) - 1 : n.end_lineno]) for n in nodes)])
        part = _Part(code, self._aliases, self._keras, owner)
        self.every.append(part)
        for name in names:
            self._defining.setdefault(name, []).append(part)
            for attribute in part.stored:
                self._storing.setdefault((owner, attribute), set()).add(name)

    def _class(self, node: ast.ClassDef) -> Iterator[str]:
        """Take a class apart; the names of its methods."""
        methods = [n for n in node.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        header = "\n".join(self._lines[_start(node) - 1 : _start(node.body[0]) - 1])
        self._part([n for n in node.body if n not in methods], [node.name], node.name, header)
        held = self._methods.setdefault(node.name, set())
        for method in methods:
            name = f"{node.name}.{method.name}"
            self._part([method], [name], node.name)
            held.add(name)
        bases = [ast.unparse(base) for base in node.bases]
        if any(self._may_call_back(base) for base in bases if TESTS.search(base) is None):
            self._joined.add(node.name)
        return iter(held)

    def _may_call_back(self, base: str) -> bool:
        """Whether a class is of this program, so that its methods may call those of classes that inherit from it."""
        first = base.partition(".")[0]
        return first in self._methods or not is_ours(self._aliases.get(first, "keras"))

    def gives_globals(self, name: str) -> bool:
        """Whether a function binds names of the module, which any other may use."""
        return any(part.gives_globals for part in self._defining[name])

    def used_by(self, name: str) -> list[_Part]:
        """The parts that a function may use, itself among them."""
        met = {name}
        found: dict[_Part, None] = {}
        todo = [name]
        while todo:
            for part in self._defining.get(todo.pop(), ()):
                if part not in found:
                    found[part] = None
                    onward = self._uses(part) - met
                    met |= onward
                    todo += onward
        return list(found)

    def _uses(self, part: _Part) -> set[str]:
        """What a part names of the file, and what else of its class a method uses."""
        if part not in self._used:
            used = {name for name in part.first & self._defining.keys() if name != part.owner}
            used = used.union(*(self._registered[name] for name in used & self._registered.keys()))
            if any(map(may_be_object, part.first)):  # such a parameter may be given the only object of a class here
                used |= self._methods.keys() - {part.owner}
            used |= set(filter(partial(self._may_be_given, part), self._methods.keys() - {part.owner}))
            for name in used & self._methods.keys():
                used |= self._methods[name]
            self._used[part] = used | self._of_the_same_object(part) if part.owner else used
        return self._used[part]

    def _may_be_given(self, part: _Part, cls: str) -> bool:
        """Whether a name in a part may be an object of a class, which has all attributes that are taken of the name."""
        methods, storing = self._methods[cls], self._storing
        return any(
            all(f"{cls}.{one}" in methods or (cls, one) in storing for one in attributes) for attributes in part.taken
        )

    def _of_the_same_object(self, part: _Part) -> set[str]:
        methods = self._methods[part.owner]
        if part.owner in self._joined:
            return {part.owner, *methods}
        own = {f"{part.owner}.{name}" for name in part.own} & methods
        return {part.owner, *own, *self._making(part)}

    def _making(self, part: _Part) -> set[str]:
        """The methods that make the object of a method what it is: those that are always run, and those that store."""
        always = {f"{part.owner}.{name}" for name in ALWAYS} & self._methods[part.owner]
        return always.union(*(self._storing.get((part.owner, name), ()) for name in part.own))

    def with_objects(self, functions: Iterable[str]) -> set[str]:
        """Functions, and with methods those that make their objects what they are."""
        found = set(functions)
        todo = list(found)
        while todo:
            parts = self._defining[todo.pop()]
            onward = set().union(*(self._making(part) for part in parts if part.owner)) - found
            found |= onward
            todo += onward
        return found


def _start(node: ast.stmt) -> int:
    """The first line of a statement, its decorators included."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.decorator_list:
        return node.decorator_list[0].lineno
    return node.lineno


def _decorated_in(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The functions and classes of a file, each with the first name of each of its decorators."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for inner in chain.from_iterable(map(ast.walk, node.decorator_list)):
                if isinstance(inner, ast.Name):
                    yield node.name, inner.id


def _defined_in(node: ast.stmt) -> Iterator[str]:
    """The names that a statement at the margin gives something to."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield inner.name
