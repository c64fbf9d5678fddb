"""The programs that a rule file stands for: its own functions, and the same computations in other spellings.

A `before` becomes a small program whose parameters are the tensors and whose static parameters are written out. The
other spellings are printed from its flow, so that every rule is tried in every way in which its ops can be written.
"""

from __future__ import annotations

import ast
import importlib.util
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import libcst as cst

from tfnanlint.flow import DYNAMIC, Flow, Node
from tfnanlint.ops import OPS, Spelling
from tfnanlint.ruleset.pattern import Pattern
from tfnanlint.ruleset.rule import Rule, Rules, builtin_folder, read_rule, rule_files
from tfnanlint.source.functions import alone
from tfnanlint.source.lower import Lowering
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Function
from tfnanlint.template import WORDS, Precondition

OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "pow": "**"}
WRITTEN = "as written"


@dataclass(frozen=True, eq=False)
class Program:
    """A function as a file of its own: `text` defines `name`, whose parameters are the keys of `witness`."""

    rule: Rule
    name: str
    spelling: str
    text: str
    witness: dict[str, Any]
    statics: dict[str, Any]
    preconditions: dict[str, Precondition]
    among: Rules | None = None
    """The rules that it is linted with, the built-in ones where nothing is said."""

    @property
    def rules(self) -> Rules:
        """The rules that it is linted with."""
        return rules() if self.among is None else self.among

    def __repr__(self) -> str:
        return f"{self.rule.name}.{self.name} ({self.spelling})"

    @property
    def differentiated(self) -> bool:
        """Whether the rule asks for a gradient."""
        return any(p.differentiated or p.missing for p in self.preconditions.values())

    def with_text(self, text: str) -> Program:
        return replace(self, text=text)


@cache
def _readable() -> tuple[Rules, dict[str, Exception]]:
    found, broken = readable(rule_files(builtin_folder()))
    return Rules(tuple(found)), broken


def rules() -> Rules:
    """The built-in rules whose files can be read and compiled."""
    return _readable()[0]


def broken() -> dict[str, Exception]:
    """The built-in rule files that cannot be, by their paths."""
    return _readable()[1]


def readable(paths: Iterable[Path]) -> tuple[list[Rule], dict[str, Exception]]:
    """The rules of some files, and what is wrong with each file of which no programs can be made."""
    found, broken = [], {}
    for path in paths:
        try:
            rule = read_rule(path)
            for name in (*functions(rule, "before"), *functions(rule, "quiet")):
                written(rule, name)
            assert rule.patterns is not None
            found.append(rule)
        except Exception as error:  # whatever it is, it is about this file
            broken[str(path)] = error
    return found, broken


def lowered(text: str, name: str) -> tuple[Flow, Node]:
    """The flow of a text, and the value that its function `name` returns for unknown arguments."""
    low = Lowering(SourceFile(f"{name}.py", text, cst.parse_module(text)))
    low.block(low.file.tree.body, low.module)
    function = low.module.names[name]
    assert isinstance(function, Function)
    result = alone(low, function)
    assert isinstance(result, Node), f"{name} returns a value that the source pass does not understand"
    return low.flow, result


def imported(rule: Rule) -> ModuleType:
    """The rule file as a module, with TensorFlow."""
    spec = importlib.util.spec_from_file_location("rule_" + rule.name.replace("-", "_"), rule.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions(rule: Rule, prefix: str) -> list[str]:
    return [name for name in rule.functions if name.split("_")[0] == prefix]


def pattern_of(rule: Rule, name: str) -> Pattern:
    return next(p for p in rule.patterns if p.name == name)


class _Written(ast.NodeTransformer):
    """Writes static parameters out, and drops the helpers that are identities when run."""

    def __init__(self, statics: dict[str, Any]) -> None:
        self.statics = statics

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(repr(self.statics[node.id]), mode="eval").body if node.id in self.statics else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "downstream":
            return node.args[0]
        if isinstance(node.func, ast.Name) and node.func.id == "nonlinear":
            node.func = ast.parse("tf.square", mode="eval").body
        return node


def _imports(rule: Rule) -> str:
    kept = [
        ast.unparse(node)
        for node in rule.tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "module", "").startswith("tfnanlint")
    ]
    return "\n".join(kept)


def _defaults(function: ast.FunctionDef) -> dict[str, Any]:
    """The defaults of a rule's function: literals, for nothing of the file is run to read them."""
    names = [a.arg for a in function.args.args]
    given = [literal_of(d) for d in function.args.defaults]
    assert len(given) == len(names), f"{function.name}: every parameter has a default, which is the witness"
    return dict(zip(names, given, strict=True))


class _NaN(ast.NodeTransformer):
    """Puts a number in the place of `float("nan")`, for which Python has no literal."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.Constant(float("nan")) if ast.unparse(node) == "float('nan')" else node


def literal_of(node: ast.expr) -> Any:
    """The value of a literal, in which NaN is written `float("nan")`."""
    return ast.literal_eval(_NaN().visit(node))


def defaults_of(text: str, name: str) -> dict[str, Any]:
    """The defaults of one function of a text."""
    return _defaults(next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == name))


def _tree_of(rule: Rule, name: str) -> ast.FunctionDef:
    return next(n for n in rule.tree.body if isinstance(n, ast.FunctionDef) and n.name == name)


def _text(rule: Rule, name: str, body: list[str], tensors: list[str], statics: dict[str, Any]) -> str:
    tree = _Written(statics).visit(ast.parse("\n".join(body)))
    lines = "\n".join("    " + line for line in ast.unparse(ast.fix_missing_locations(tree)).splitlines())
    return f"{_imports(rule)}\n\n\ndef {name}({', '.join(tensors)}):\n{lines}\n"


def tensors_of(text: str, name: str, names: Iterable[str]) -> list[str]:
    """The parameters that are values, and not only static parameters of ops."""
    _, root = lowered(text, name)
    found: set[str] = set()
    for node in _below(root):
        if node.op == "input":
            found.add(node.attrs["name"])
        for value in node.origin.keywords.values():
            found.discard(getattr(value, "value", None))
    return [given for given in names if given in found]


def _below(root: Node) -> list[Node]:
    seen: dict[Node, None] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen[node] = None
            stack.extend(node.operands)
    return list(seen)


_written: dict[tuple[str, str, int], Program] = {}


def written(rule: Rule, name: str, among: Rules | None = None) -> Program:
    """A function of a rule file as a program, its preconditions taken from its annotations."""
    key = (str(rule.path), name, id(among))
    if key not in _written:
        function = _tree_of(rule, name)
        defaults = _defaults(function)
        preconditions = {
            a.arg: eval(ast.unparse(a.annotation), dict(WORDS)) for a in function.args.args if a.annotation is not None
        }
        literals = {n for n, p in preconditions.items() if p.literal}
        whole = _text(rule, name, [ast.unparse(s) for s in function.body], list(defaults), {})
        tensors = [n for n in tensors_of(whole, name, defaults) if n not in literals]
        statics = {n: v for n, v in defaults.items() if n not in tensors}
        witness = {n: defaults[n] for n in tensors}
        held = {n: p for n, p in preconditions.items() if n in tensors}
        body = [ast.unparse(s) for s in function.body]
        text = _text(rule, name, body, tensors, statics)
        _written[key] = Program(rule, name, WRITTEN, text, witness, statics, held, among)
    return _written[key]


def repaired(before: Program, pattern: Pattern) -> Program:
    """The repair of a pattern as a program with the parameters of the `before`."""
    assert pattern.repair is not None
    expression = cst.Module([]).code_for_node(pattern.repair.expression)
    named = [ast.unparse(s) for s in _tree_of(before.rule, before.name).body if not isinstance(s, ast.Return)]
    text = _text(before.rule, before.name, [*named, f"return {expression}"], list(before.witness), before.statics)
    return before.with_text(text)


def with_statics(program: Program, **statics: Any) -> Program:
    """A function of a rule file as a program with other static parameters."""
    held = {**program.statics, **statics}
    body = [ast.unparse(s) for s in _tree_of(program.rule, program.name).body]
    text = _text(program.rule, program.name, body, list(program.witness), held)
    return replace(program, text=text, statics=held)


# Other spellings.


@dataclass
class Style:
    """How a flow is printed: which spelling of an op is taken, and whether operators and nesting are used."""

    name: str
    imports: str
    prefixes: tuple[tuple[str, str], ...]
    """(canonical prefix, how it is written), the preferred one first."""
    operators: bool = True
    statements: bool = False
    swapped: bool = False

    def spelling(self, op: str) -> tuple[str, Spelling] | None:
        row = OPS.get(op)
        for canonical, text in self.prefixes:
            for spelling in row.spellings if row is not None else ():
                for name in spelling.names if spelling.through is None else ():
                    if name.startswith(canonical):
                        return text + name[len(canonical) :], spelling
        return None


TF = "import tensorflow as tf"
PLAIN = (("tf.", "tf."),)
STYLES = (
    Style("functions for operators", TF, PLAIN, operators=False),
    Style("one statement an op, operands swapped", TF, PLAIN, statements=True, swapped=True),
    Style("tensorflow.compat.v1", "import tensorflow.compat.v1 as tf", PLAIN),
    Style("math imported by name", f"{TF}\nfrom tensorflow import math as m", (("tf.math.", "m."), *PLAIN)),
    Style("keras.ops", "import keras\nfrom keras import ops", (("ops.", "ops."),)),
    Style("keras backend", f"{TF}\nfrom tensorflow.keras import backend as K", (("K.", "K."), *PLAIN)),
)


class NotSpelled(Exception):
    """A flow that a style has no words for."""


class _Printer:
    def __init__(self, style: Style) -> None:
        self.style = style
        self.lines: list[str] = []
        self.used = False

    def value(self, node: Node) -> str:
        if node.op == "input":
            return str(node.attrs["name"])
        if node.op == "const":
            if isinstance(node.constant, float) and not math.isfinite(node.constant):
                return f'float("{node.constant}")'
            return repr(node.constant)
        operands = [self.value(o) for o in node.operands]
        if self.style.swapped and node.op in ("add", "multiply"):
            operands.reverse()  # not of a maximum: of two equal numbers the first is given the gradient
        text = self.call(node, operands)
        if not self.style.statements:
            return text
        self.lines.append(f"t{len(self.lines)} = {text}")
        return f"t{len(self.lines) - 1}"

    def call(self, node: Node, operands: list[str]) -> str:
        if self.style.operators and node.op in OPERATORS and not node.attrs:
            self.used = self.used or node.op == "pow"
            return "(" + f" {OPERATORS[node.op]} ".join(operands) + ")"
        if self.style.operators and node.op == "neg":
            return f"(-{operands[0]})"
        found = self.style.spelling(node.op)
        if found is None:
            raise NotSpelled(node.op)
        text, spelling = found
        names = dict(spelling.parameters)
        places = [canonical for canonical, _ in spelling.parameters]
        row = OPS[node.op]
        plain = not row.operands[-1].startswith("*") and len(operands) <= len(row.operands) and spelling.through is None
        if not plain or list(row.operands) != places[: len(row.operands)]:
            raise NotSpelled(node.op)
        words = list(operands)
        # What the row leaves out is its default, which need not be this spelling's.
        for key, value in {**{k: row.attrs.get(k) for k in spelling.defaults}, **node.attrs}.items():
            if key not in names or value is DYNAMIC:
                raise NotSpelled(f"{node.op} {key}")
            words.append(f"{names[key]}={value!r}")
        self.used = True
        return f"{text}({', '.join(words)})"


def other_spellings(program: Program) -> Iterator[Program]:
    """The same computation in every style that has words for all of its ops; none of a `before` about a statement."""
    if program.name.startswith("before") and pattern_of(program.rule, program.name).of_statement:
        return
    _, root = lowered(program.text, program.name)
    for style in STYLES:
        printer = _Printer(style)
        try:
            result = printer.value(root)
        except NotSpelled:
            continue
        if not printer.used:
            continue  # nothing of the style is in it
        lines = "\n".join("    " + line for line in [*printer.lines, f"return {result}"])
        text = f"{style.imports}\n\n\ndef {program.name}({', '.join(program.witness)}):\n{lines}\n"
        yield replace(program, spelling=style.name, text=text)


def befores(of: Iterable[Rule] | None = None, among: Rules | None = None) -> list[Program]:
    """Every `before` of some rules, by default of all built-in ones, as it is written."""
    return [written(rule, name, among) for rule in _each(of) for name in functions(rule, "before")]


def in_every_spelling(programs: Iterable[Program]) -> list[Program]:
    """Programs, each followed by its other spellings."""
    return [spelled for program in programs for spelled in (program, *other_spellings(program))]


def quiets(of: Iterable[Rule] | None = None, among: Rules | None = None) -> list[Program]:
    """Every `quiet_*` function of some rules, by default of all built-in ones."""
    return [written(rule, name, among) for rule in _each(of) for name in functions(rule, "quiet")]


def _each(of: Iterable[Rule] | None) -> Iterable[Rule]:
    return rules() if of is None else of
