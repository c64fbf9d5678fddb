"""Code of an application that nothing uses or compiles: what fails there harms no run, so it is merely possible.

A function or class, or a method of a class whose bases are all the project's own, is used if code at the top of a
module names it, or code that is used itself. Of a function or a class, only the files count that import its module, if
through others: a copy that nothing imports is not used because the original is. Of a function in a function, only the
code around it counts. Settings and texts count as well: `loss: dice` in a YAML file is a use. A package for others
exports its functions, so that nothing in it is unused. A folder without a script that runs is a collection of
functions, all of them meant to be used.

What fails only under XLA harms no run of an application that never compiles: it does not ask for XLA, and does not
train with `fit`, which compiles by itself since Keras 3.
"""

from __future__ import annotations

import ast
import os
import re
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from tfnanlint.contents import contents, files_below
from tfnanlint.finding import Finding
from tfnanlint.source.callers import INIT
from tfnanlint.source.generation import ASKS_FOR_XLA
from tfnanlint.source.project import names_in, project_around, up_to_root

PACKAGING = frozenset("setup.py setup.cfg PKG-INFO meta.yaml".split())
"""Files beside a package that is built for others."""
BUILT = re.compile(rb"^\[(?:project|build-system|tool\.poetry|tool\.flit)", re.MULTILINE)
"""What a `pyproject.toml` of such a package holds."""
DISTRIBUTED = (".dist-info", ".egg-info")
"""The endings of folders beside an installed package."""
TEXTS = tuple(".py .pyi .ipynb .yaml .yml .json .gin .cfg .ini .toml .sh .txt .md .rst".split())
"""The endings of files that may name a function."""
LARGEST = 1_000_000
"""Bytes of a text; a larger one is data."""
MOST_BYTES = 50_000_000
"""The most bytes of all texts of a project: of a larger one, everything counts as used."""
RUN = re.compile(rb"__name__\s*==\s*[\"']__main__[\"']")
"""What a script that runs has at its end."""
NO_CODE = re.compile(
    rb"""(?s)(?P<long>\"{3}.*?\"{3}|'{3}.*?'{3})|(?P<short>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|#[^\n]*"""
)
"""Comments, long texts and short ones: a call that was taken out so is no use, but a short text may name a function."""
IMPORTING = re.compile(rb"^[ \t]*(?:from|import)\b[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
"""What names the modules that a file imports."""
RENAMED = re.compile(rb"\s+as\b")
"""What stands behind a name that is used under another one."""
DEFINED = re.compile(rb"(?:def|class)\s+$")
"""What stands before a name that is defined, not used."""
EXPOSING = re.compile(rb"\bFire\(\s*\)")
"""What runs any function of its own file without naming it."""
MAIN, RUNS_MAIN = "main", rb"\bapp\.run\("
"""The function that `tf.app.run()` runs without naming it."""
MOST_ASKED = 300
"""The most functions of which the users are looked for to see whether one is used."""
MOST_SEARCHED = 2_000_000_000
"""The most bytes that are searched for names in a run; then everything counts as used."""
BY_TEXT = re.compile(rb"(?<![.\w])(?<!def )(?:globals\(\)\s*[\[.]|eval\()")
"""What a program does that finds functions by text, without naming them."""
MODULE_BY_TEXT = re.compile(rb"(?<![.\w])__import__\(|\bimport_module\(")
"""What finds a module by text."""
ASKING = re.compile(rb"(?<![.\w])(?:getattr\(\s*[\w.]+\s*,\s*[^\s\"']|vars\()")
"""What asks an object, perhaps such a module, for what it holds under a name that is computed."""
COMPILING = re.compile(ASKS_FOR_XLA.pattern.encode() + rb"|\.fit\(")
"""What a program does that XLA may compile."""

NO_BASES = frozenset({"object", "ABC"})
"""Bases that call no method."""
PLAIN = frozenset(
    "function custom_gradient recompute_grad lru_cache cache contextmanager staticmethod classmethod".split()
)
"""Decorators that do not register what they decorate."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
"""What may hold the definition of a function, beside other definitions."""


@dataclass(frozen=True, eq=False)
class Part:
    """A function, class or method that runs only where it is named: its name, and its first and last line."""

    name: str
    start: int
    end: int
    of_class: str = ""
    """The class that a method belongs to: who calls it need not import its module."""
    inside: str = ""
    """The function or class that a function inside it belongs to: only the code of its module can call it."""


class Module:
    """A Python file of the project: its code, without comments and long texts, and what it imports and defines."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.code = NO_CODE.sub(_only_code, data)
        folder, file = os.path.split(path)
        self.package = os.path.join(folder, "") if file == INIT else ""
        """The folder of a package, if it is its `__init__.py`."""
        self.name = os.path.basename(folder) if self.package else os.path.splitext(file)[0]
        """The last word of the path by which others import it."""
        self.exposes = EXPOSING.search(self.code) is not None
        self._data = data

    @cached_property
    def imported(self) -> set[str]:
        """The words in its imports."""
        return {word for found in IMPORTING.findall(self.code) for word in re.findall(r"\w+", os.fsdecode(found))}

    @cached_property
    def parts(self) -> list[Part]:
        """Each behind those that it is in; none if the code is nested too deeply to be read."""
        try:
            return list(_parts(self._body, "", ""))
        except RecursionError:
            return []

    @cached_property
    def bases(self) -> dict[str, set[str]]:
        """The names of its classes, each with the last words of its bases."""
        classes = (one for one in self._body if isinstance(one, ast.ClassDef))
        return {one.name: set(map(_last_word, one.bases)) for one in classes}

    @cached_property
    def calls(self) -> set[str]:
        """The last words of what the code calls that runs when the module is imported."""
        code = [one for one in self._body if not isinstance(one, Definition)]
        return {_last_word(call.func) for one in code for call in ast.walk(one) if isinstance(call, ast.Call)}

    @cached_property
    def _body(self) -> list[ast.stmt]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self._data).body
        except (SyntaxError, ValueError, RecursionError):
            return []

    def imports(self, other: Module) -> bool:
        """Whether it imports another one, or may: `from . import` names no package.

        Words decide: where two modules share a name, a use too many only keeps a finding.
        """
        return other.name in self.imported or bool(other.package and self.path.startswith(other.package))

    def lines_using(self, name: str) -> Iterator[int]:
        """The lines that use a name: not those that import or define it."""
        if name.encode() not in self.code and name != MAIN:
            return
        word = rb"\b%s\b" % re.escape(name.encode())
        for found in re.finditer(rb"%s|%s" % (word, RUNS_MAIN) if name == MAIN else word, self.code):
            if DEFINED.search(self.code, max(0, found.start() - 20), found.start()):
                continue
            at = bisect_left(self._imports, (found.start(), 0)) - 1
            if at >= 0 and found.end() <= self._imports[at][1] and not RENAMED.match(self.code, found.end()):
                continue
            yield self.code.count(b"\n", 0, found.start()) + 1

    @cached_property
    def _imports(self) -> list[tuple[int, int]]:
        return [found.span() for found in IMPORTING.finditer(self.code)]


class Unused:
    """The functions and classes of a run's files that no code of their project uses."""

    def __init__(self, files: Iterable[str], read: Callable[[str], str]) -> None:
        """`read` gives the text of one of the files, as it is linted."""
        self._files = [os.path.abspath(file) for file in files]
        self._read = read
        self._linted: dict[str, tuple[str, Module]] = {}
        self._seen: dict[str, list[Module]] = {}
        self._asked: dict[str, bool] = {}
        self._of_project: dict[str, bool] = {}
        self._in_texts: dict[str, bool] = {}
        self._left = MOST_SEARCHED

    def without(self, path: str, text: str | None, findings: list[Finding], pedantic: bool) -> list[Finding]:
        """The findings in the text of a file, or in one that replaces it, without those in code that is not run so.

        With `pedantic`, those are possible.
        """
        if not findings or path.endswith(".ipynb") or not self._is_application:
            return findings
        module = self._module(path, self._read(path) if text is None else text)
        left: list[Finding] = []
        for found in findings:
            reason = self._spared(module, found) if found.certainty != "possible" else ""
            if not reason:
                left.append(found)
            elif pedantic:
                evidence = f"{found.evidence}; {reason}" if found.evidence else reason
                left.append(replace(found, certainty="possible", severity="info", evidence=evidence))
        return left

    def _module(self, path: str, text: str) -> Module:
        """The file as it is linted, which repairs change."""
        held = self._linted.get(path)
        if held is None or held[0] != text:
            held = self._linted[path] = text, Module(os.path.abspath(path), text.encode("utf-8", "surrogatepass"))
        return held[1]

    def _spared(self, module: Module, found: Finding) -> str:
        """Why no run of the project comes to a failure; "" if one may."""
        if found.takes_xla and not self._compiles:
            return "nothing in the project compiles with XLA"
        name = self._unused_around(module, found.line)
        return f"nothing that the project runs uses `{name}`" if name else ""

    def _unused_around(self, module: Module, line: int) -> str:
        """The name of the unused part that a line is in; "" if there is none."""
        around = self._around(module, line)
        if not around or module.exposes or self._is_asked(module):
            return ""
        return next((one.name for one in around if not self._is_used(module, one)), "")

    def _around(self, module: Module, line: int) -> list[Part]:
        """The parts that a line is in, the innermost one last; no method that a base from outside may call."""
        around = (one for one in module.parts if one.start <= line <= one.end)
        return [one for one in around if not one.of_class or self._is_of_project(one.of_class)]

    def _is_of_project(self, name: str) -> bool:
        """Whether the project holds all that a class inherits from."""
        if name not in self._of_project:
            self._of_project[name] = True  # also for one that inherits from its own name
            bases = {base for module in self._modules for base in module.bases.get(name, ())} - NO_BASES
            known = {one for module in self._modules for one in module.bases}
            self._of_project[name] = bases <= known and all(map(self._is_of_project, bases))
        return self._of_project[name]

    def _is_used(self, module: Module, part: Part) -> bool:
        """Whether the project names a part in code that is used itself; yes if that takes too long to see."""
        asked = {part}
        todo = [(module, part)]
        while todo:
            at, wanted = todo.pop()
            if at.exposes or self._is_in_texts(wanted.name):
                return True
            for user in [at] if wanted.inside else self._modules if wanted.of_class else self._seeing(at):
                self._left -= len(user.code)
                if self._left < 0:
                    return True
                for line in user.lines_using(wanted.name):
                    around = self._around(user, line)
                    if not around or len(asked) > MOST_ASKED:
                        return True
                    if around[-1] not in asked:
                        asked.add(around[-1])
                        todo.append((user, around[-1]))
        return False

    def _seeing(self, module: Module) -> list[Module]:
        """A module, and those that import it, through others or not, or may find it by text."""
        if self._finds_modules:
            return self._modules
        found = self._seen.get(module.path)
        if found is None:
            found = self._seen[module.path] = []
            todo, others = [module], [one for one in self._modules if one.path != module.path]
            while todo:
                at = todo.pop()
                more = [one for one in others if one.imports(at)]
                others = [one for one in others if one not in more]
                found += more
                todo += more
        return [module, *found]

    def _is_in_texts(self, name: str) -> bool:
        """Whether the settings and texts of the project name a part."""
        if name not in self._in_texts:
            word = re.compile(rb"\b%s\b" % re.escape(name.encode()))
            self._in_texts[name] = any(map(word.search, self._texts))
        return self._in_texts[name]

    def _is_asked(self, module: Module) -> bool:
        """Whether the project asks a module for what it holds under a name that is computed."""
        if module.path not in self._asked:
            name = re.escape(os.fsencode(module.name))
            asking = re.compile(rb"\b(?:getattr|vars)\(\s*(?:\w+\.)*%s\s*[,)]|\b%s\.__dict__" % (name, name))
            self._asked[module.path] = any(map(asking.search, self._codes))
        return self._asked[module.path]

    @cached_property
    def _is_application(self) -> bool:
        """Whether the files are those of a program that is run, and of no package."""
        if len(self._files) < 2:
            return False
        if any(map(_is_packaged, up_to_root(self._root))):
            return False
        if any(map(BY_TEXT.search, self._codes)) or (self._finds_modules and any(map(ASKING.search, self._codes))):
            return False
        return any(map(RUN.search, self._codes)) or any(map(self._is_script, self._modules))

    @cached_property
    def _compiles(self) -> bool:
        return any(map(COMPILING.search, self._codes))

    @cached_property
    def _finds_modules(self) -> bool:
        return any(map(MODULE_BY_TEXT.search, self._codes))

    def _is_script(self, module: Module) -> bool:
        """Whether a module that nothing imports calls functions of others when it is run."""
        others = [one for one in self._modules if one is not module]
        if not module.calls or any(one.imports(module) for one in others):
            return False
        return any(part.name in module.calls for one in others if module.imports(one) for part in one.parts)

    @cached_property
    def _root(self) -> str:
        """The top folder of the project: the one that is marked as such, or the highest that looks like it."""
        return project_around(os.path.commonpath([os.path.dirname(file) for file in self._files]))

    @property
    def _codes(self) -> list[bytes]:
        return [*(one.code for one in self._modules), *self._texts]

    @property
    def _modules(self) -> list[Module]:
        return self._project[0]

    @property
    def _texts(self) -> list[bytes]:
        return self._project[1]

    @cached_property
    def _project(self) -> tuple[list[Module], list[bytes]]:
        """The modules of the project and its other texts; none if there are too many, or if one must not be read."""
        modules: list[Module] = []
        texts: list[bytes] = []
        left = MOST_BYTES
        try:
            files = list(files_below(self._root, TEXTS))
        except OverflowError:
            return [], []
        for file in files:
            try:
                data = contents(file, LARGEST)
            except PermissionError:
                return [], []
            except OSError:  # large, no regular file, or a link to nothing
                continue
            if file.endswith(".py"):
                modules.append(Module(file, data))
            else:
                texts.append(data)
            left -= len(data)
            if left < 0:
                return [], []
        return modules, texts


def _only_code(found: re.Match[bytes]) -> bytes:
    """A short text as it is, and the line ends of what is no code."""
    if found["short"] is not None:
        return found[0]
    return b"\n" * found[0].count(b"\n")


def _parts(body: Iterable[ast.AST], of_class: str, inside: str) -> Iterator[Part]:
    """The functions and classes in a block that run only where they are named.

    A decorator may register what it decorates.
    """
    for one in body:
        if not isinstance(one, Definition):
            if inside and isinstance(one, STATEMENTS):
                yield from _parts(ast.iter_child_nodes(one), "", inside)
            continue
        if not _is_plain(one) or (of_class and _is_run_by_python(one.name)):
            continue
        yield Part(one.name, one.lineno, one.end_lineno or one.lineno, of_class, inside)
        if not isinstance(one, ast.ClassDef):
            yield from _parts(one.body, "", one.name)
        elif not inside:
            yield from _parts(one.body, one.name, "")


def _is_run_by_python(method: str) -> bool:
    """Whether not only calls run a method, as they do not alone run `__init__`."""
    return method.startswith("__") and method.endswith("__")


def _is_plain(definition: Definition) -> bool:
    """Whether no decorator may register a definition or change what it is."""
    return all(_last_word(getattr(one, "func", one)) in PLAIN for one in definition.decorator_list)


def _last_word(name: ast.expr) -> str:
    """The last word of a dotted name; "" for any other expression."""
    return str(getattr(name, "attr", getattr(name, "id", "")))


def _is_packaged(folder: str) -> bool:
    """Whether a folder holds the description of a package for others."""
    names = names_in(folder)
    if not PACKAGING.isdisjoint(names) or any(name.endswith(DISTRIBUTED) for name in names):
        return True
    if "pyproject.toml" not in names:
        return False
    try:
        return BUILT.search(contents(os.path.join(folder, "pyproject.toml"), LARGEST)) is not None
    except OSError:
        return True
