"""Lowering of a module to flow: statements, functions and classes, in the order Python would run them.

Every function that no other code of the module calls is lowered on its own with unknown arguments;
the others are inlined where they are called, so that facts pass through them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from tfnanlint.flow import Flow, Node
from tfnanlint.source import assignments, calls, expressions, functions, grammar, order, other_files, statements
from tfnanlint.source.conditions import is_shape_check, is_truth
from tfnanlint.source.networks import mark_networks
from tfnanlint.source.packages import is_ours, is_test_module
from tfnanlint.source.parameters import parameters_of
from tfnanlint.source.sketch import Sketch
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.stores import Stores
from tfnanlint.source.tuples import mark_tuples
from tfnanlint.source.values import (
    NO_KEYWORDS,
    Choice,
    Class,
    Function,
    Instance,
    Items,
    Jumps,
    Layer,
    Origin,
    Path,
    Scope,
    Table,
    Value,
    choice_of,
    is_object,
    is_vast,
    nodes_in,
)
from tfnanlint.vocabulary import is_metric, is_summary

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.comprehensions import Comprehension
    from tfnanlint.source.project import Project

MOST_VALUES = 50_000
"""Values in a flow beyond which nothing is looked at twice: calls are not followed, loops not unrolled."""
WORD = re.compile(r"[^\W\d]\w*")
"""A name."""
TALK = re.compile(r"""^[ \t]*#.*$|\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}""", re.MULTILINE)
"""A comment on a line of its own, or a text in triple quotes: names in it are no code."""
GLOBAL = re.compile(r"^[ \t]+global ", re.MULTILINE)
"""A statement by which a function stores into names of its module."""
NAMED = frozenset({"unknown", "input", "placeholder", "getitem", "gradient", "layer", "variable"})
"""Values that a report calls by the name that the program gives them."""
UNNAMED = frozenset({"unknown", "getitem"})
"""Values that have no name until the program assigns one."""
PASSING = frozenset("identity cast convert_to_tensor stack clip".split())
"""Ops that hand on what they are given, perhaps within bounds."""
MOST_NAMES = 3
"""The most names that are noted of a computed value."""
OPAQUE = frozenset({"unknown", "input", "placeholder", "getitem"})
"""Values that come from outside the program, and parts of them."""


class Lowering:
    """The state of one lowering: the flow so far, the clock, and where evaluation stands."""

    def __init__(self, file: SourceFile, project: Project | None = None) -> None:
        self.home = file
        """The file that is linted."""
        self.file = file
        """The file whose code is being lowered: that one, or another one that it calls into."""
        self.abroad = 0
        """How many calls deep the lowering is in code of other files; 0 in `home`."""
        self.left_at = 0
        """The time at which it last left `home`."""
        self.spent = 0
        """How much time code of other files has taken so far, in units of `time`."""
        self.sought: Collection[grammar.Syntax] = ()
        """The definition of a function that is followed wherever it is called."""
        self.assumptions = file.assumptions
        self.project = project
        self.sketches = isinstance(file.tree, Sketch)
        """Whether files are read as sketches, rather than as libcst's trees."""
        self.modules: dict[str, Scope] = {}
        """The scopes of the modules that were followed, by the paths of their files."""
        self.meanings: dict[str, str] = {}
        """For dotted paths of which the project shows nothing, the modules that the code uses them as."""
        self._recalled: dict[tuple[Any, ...], Node] = {}
        """The nodes of what was read of unknown values, by what was read and where."""
        self.stores = Stores()
        self.flags: dict[str, Value] = {}
        """The values of command line flags (`absl.flags`), by name."""
        self.policy: str | None = file.assumptions.policy or None
        """The element type in which layers compute under the global policy for mixed precision; None without one."""
        self.flow = Flow()
        self.time = 0
        """The clock: it advances with every expression that is lowered and every name that is bound."""
        self.loop = 0
        """The number of the innermost loop around what is being lowered; 0 outside of loops."""
        self.life = 0
        """Which method of a class is lowered on its own; what it appends to an earlier method's list comes again."""
        self.loops = 0
        """How many loops were met."""
        self.calls: tuple[Origin, ...] = ()
        """The calls through which the code that is being lowered was reached, the outermost first."""
        self.noted: tuple[Any, str] | None = None
        """An expression, and what the report says about calls that are made from it."""
        self.active: list[tuple[Any, Scope]] = []
        """The functions that are being lowered, each with the scope that it closes over."""
        self.chosen: dict[Node, Choice] = {}
        """What calls of each of several functions have returned, with the choice between these functions."""
        self.assigned: dict[Node, Node] = {}
        """What variables hold here since the function that is lowered on its own assigned to them."""
        self.statement: Any = None
        """The expression that is a statement of its own, whose value nothing takes."""
        self.updates: dict[Node, list[Node]] = {}
        """The variables that hold a result for what depends on it: those of `tf.assign`."""
        self.inlined = 0
        """How many calls were followed."""
        self.builders: dict[Scope, list[Function]] = {}
        """By module, the functions that may build a network: `parameter_objects.py` asks."""
        self.recording = 0
        """The index of the first node that the outermost open tape may record; 0 where none is open."""
        self.known_tests: dict[int, bool] = {}
        """By the `id` of a test, whether it holds in the turn of a loop that is lowered."""
        self.called: set[int] = set()
        """The functions that were lowered or need not be, by the `id` of their syntax."""
        self.called_on: set[tuple[int, Class]] = set()
        """The methods that were lowered as calls, by the `id` of their syntax, and the class of the object."""
        self.made_of: dict[Node, str] = {}
        """What the arguments of calls are made of: `demonstrations.py` asks."""
        self.pending: dict[int, Function] = {}
        """The functions to lower on their own at the end, unless something calls them, by the `id` of their syntax."""
        self.omitted: Collection[str] = frozenset()
        """The names of functions that are lowered only if something calls them."""
        self._named: Counter[str] | None = None
        """How often each name stands in the code of the file."""
        self.classes: list[Class] = []
        """The classes whose methods are not lowered yet."""
        self.returns: list[list[Value]] = []
        """What each function that is being lowered has returned so far, the innermost last."""
        self.yields: list[list[Value]] = []
        """The same for what it yields."""
        self.jumps: list[Jumps] = []
        """The `break` and `continue` statements of each loop that is being lowered, the innermost last."""
        self.comprehensions: dict[Node, Comprehension] = {}
        """What the lists of comprehensions are made of, whose elements are not known one by one."""
        self.entries: dict[int, dict[str, Value]] = {}
        """What the program stores under names in dictionaries that it is given, by their `Node.value`."""
        self.halves: dict[Node, tuple[Value, Value]] = {}
        """The two parts of lists such as `[*outputs, *labels]`, whose numbers of elements are not known."""
        self.layer_calls: list[tuple[Layer | Instance, list[Node], list[Node]]] = []
        """The calls of layers, those within models aside: what was called, on what, and what it gave."""
        self.trained: set[Node] = set()
        """The values whose trained weights the program asks for: they are networks."""
        self.applied: dict[Node, Node] = {}
        """Of the result of calling an unknown value, or a method of one, that value."""
        self.arg_scopes: list[Any] = []
        """The arguments that layers have by default in the `with` statements that are being lowered."""
        self.probes: set[grammar.Expr] = set()
        """Statements that a `try` makes to see whether they work."""
        self.module = self.scope(None, "module")
        self._handlers = expressions.handlers()
        if project is not None:  # modules that import each other see this one as it is being read
            self.modules[os.path.abspath(file.real_path)] = self.module

    def scope(self, parent: Scope | None, kind: str, owner: Any = None) -> Scope:
        """A scope that is taken apart with the flow."""
        made = Scope(parent, kind, owner)
        self.flow.scopes.append(made)
        return made

    @property
    def crowded(self) -> bool:
        """Whether the flow holds so much that only what is written is added to it, each place once."""
        return self.time > MOST_VALUES

    # Nodes.

    def origin(
        self,
        expr: Any,
        scope: Scope,
        arguments: Sequence[tuple[Node, Any]] = (),
        keywords: Mapping[str, Any] = NO_KEYWORDS,
        spelling: str = "",
    ) -> Origin:
        self.time += 1
        note = self.noted[1] if self.noted is not None and self.noted[0] is expr else ""
        place = (self.file, expr, scope, self.time, self.loop, self.calls)
        return Origin(*place, arguments, keywords, spelling, note=note)

    def unknown(self, expr: grammar.Syntax, scope: Scope, operands: Sequence[Node] = ()) -> Node:
        return self.flow.add("unknown", operands, {}, self.origin(expr, scope))

    def recall(self, op: str, operands: Sequence[Node], attrs: Mapping[str, Any], origin: Origin) -> Node:
        """What is read of a value that nobody knows: the same node where the same code reads the same again.

        Elsewhere it is a node of its own that is equal.
        """
        read = op, *(operand.value for operand in operands), *attrs.values()
        scope = None if op == "attribute" else origin.scope  # a function may be given an attribute before it is read
        here = *read, scope, origin.loop
        held = self._recalled.get(here)
        if held is None or held.under != self.flow.conditions[: len(held.under)]:
            held = self.flow.add(op, operands, attrs, origin)
            held.value = self._recalled.setdefault(read, held).value
            self._recalled[here] = held
        return held

    def forget_reads(self) -> None:
        """Take what is read from now on for other values: something that nobody knows was changed."""
        self._recalled.clear()

    def bind(self, scope: Scope, name: str, value: Value) -> None:
        self.time += 1
        if name in self.file.modules:
            value = self._meant(self.file.modules[name], value)
        scope.bind(name, value, self.time)
        if isinstance(value, Node):
            if value.op not in NAMED and is_metric(name):
                self.flow.measured.add(value)
            if value.op not in NAMED and is_summary(name):
                self.flow.shown.add(value)
            self.note_name(value, name)
        if self.assumptions.bounds:
            self.know(name, value)

    def note_name(self, value: Node, name: str) -> None:
        """Note what the program calls a value; an unknown one that was only cast or stacked before goes by it, too."""
        if value.op not in NAMED and value.op != "const":
            held = self.flow.variables.setdefault(value, [])
            held += [name] if len(held) < MOST_NAMES else []
        waiting = [value]
        while waiting:
            node = waiting.pop()
            if node.op in NAMED and (node is value or node.op in UNNAMED):
                if self.flow.named.setdefault(node, name) != name:
                    self.flow.renamed.setdefault(node, []).append(name)
            elif node.op in ("input", "placeholder", "attribute"):
                self.flow.renamed.setdefault(node, []).append(name)
            elif node.op in PASSING:
                waiting += node.operands if node.op == "stack" else node.operands[:1]

    def _meant(self, module: str, value: Value) -> Value:
        """A value of which nothing is known, as the module that it is used as."""
        if isinstance(value, Path) and not is_ours(value.dotted):
            place = self.project.find(value.dotted, self.file.real_path) if self.project is not None else None
            if place is None or (place[1] and other_files.imported(self, value) is None):
                return Path(module)
            self.meanings[value.dotted] = module
        elif isinstance(value, Node) and (value.op in OPAQUE or (value.op == "const" and value.constant is None)):
            return Path(module)
        return value

    def meaning(self, path: Path) -> Path | None:
        """What a path is taken for that leads into a module of the project, which does not define it."""
        for prefix, module in self.meanings.items():
            if path.dotted.startswith(f"{prefix}."):
                return Path(module + path.dotted[len(prefix) :])
        return None

    def know(self, name: str, value: Value) -> None:
        """Note what is given of an input that goes by a name."""
        if isinstance(value, Node) and value.op in OPAQUE and (known := self.assumptions.of(name)) is not None:
            self.flow.assumptions.setdefault(value, known)

    # Modules and functions.

    def module_body(self) -> None:
        """The module's own code, then everything it defines and does not call itself."""
        self.block(self.file.tree.body, self.module)
        self.flow.held.update(node for value in self.module.names.values() for node in nodes_in(value))
        while True:
            rest = [f for key, f in self.pending.items() if key not in self.called]
            classes, self.classes = order.callers_first(self.classes, order.names_in_class), []
            # A loss comes after the functions, which may compile a model with it.
            later = {cls for cls in classes if functions.is_loss_class(cls)} if rest else set()
            for cls in classes:
                if cls not in later:
                    functions.class_alone(self, cls)
            self.classes += [cls for cls in classes if cls in later]
            rest = [f for f in rest if id(f.node) not in self.called]
            self.called |= {id(f.node) for f in rest if self.is_unused(f) or self.is_test(f)}
            if not rest and not classes:
                return
            named = partial(order.names_through, order.held_in(self.module))
            rest = order.callers_first(rest[::-1], named)  # most stand behind what they call
            if GLOBAL.search(self.file.text) is not None:
                rest.sort(key=lambda f: not statements.declares_global(f.node))  # what others use is made there
            for function in rest:
                if id(function.node) in self.called:
                    continue
                before = len(self.pending)
                functions.alone(self, function)
                for closure in [*self.pending.values()][before:]:  # it calls what stands behind
                    if id(closure.node) not in self.called and not self.is_unused(closure):
                        functions.alone(self, closure)

    def is_unused(self, function: Function) -> bool:
        """Whether nothing can run a function: it is private, and its file names it once, to define it."""
        name = function.name
        private = function.scope is not self.module or (name.startswith("_") and not name.endswith("__"))
        if not private or function.is_decorated:
            return False
        if self._named is None:
            self._named = Counter(WORD.findall(TALK.sub("", self.home.text)))
        return self._named[name] == 1

    def is_test(self, function: Function) -> bool:
        """Whether a function is a test in a file of other code: it chooses the numbers for what it calls."""
        if not function.name.startswith("test_") or function.scope.kind != "module":
            return False
        return not parameters_of(function.node) and not is_test_module(function.file.path, function.file.text)

    def differentiate(
        self,
        value: Value | None,
        how: str,
        origin: Origin,
        sources: Iterable[Node] = (),
        opened: int = 0,
        inner: bool = False,
    ) -> None:
        for node in nodes_in(value):
            self.flow.differentiate(node, how, origin, sources, opened, inner=inner)

    # Statements.

    def expression(self, node: grammar.Expression, scope: Scope) -> Value:
        """The value of an expression."""
        handler = self._handlers[type(node)]
        value = handler(self, node, scope) if handler is not None else self.unknown(node, scope)
        return self.assigned.get(value, value) if self.assigned and isinstance(value, Node) else value

    def tensor(self, value: Value | None, node: grammar.Syntax, scope: Scope) -> Node:
        """A value as a tensor operand."""
        return expressions.as_node(self, value, node, scope)

    def attribute(self, owner: Value, name: str, node: Any, scope: Scope) -> Value:
        """An attribute of a value."""
        return expressions.attribute(self, owner, name, node, scope)

    def call(self, function: Value, values: Sequence[Value], node: Any, scope: Scope) -> Value:
        """Calling a value with values that no argument expression gave (a loss, a layer's activation)."""
        return calls.call_value(self, function, values, node, scope)

    def apply(self, function: Value, args: Arguments, node: Any, scope: Scope) -> Value:
        """The value of calling a value with arguments that are evaluated."""
        return calls.apply(self, function, args, node, scope)

    def block(self, body: Iterable[Any], scope: Scope, condition: Value | None = None, holds: bool = True) -> bool:
        """Lower a block; True when control leaves it for good. What is supposed of it or in it holds to its end."""
        with self.under(condition, holds):
            return self.statements(body, scope)

    def statements(self, body: Iterable[Any], scope: Scope) -> bool:
        """Lower statements in order; True when control leaves them for good."""
        for statement in body:
            handler = statements.HANDLERS[type(statement)]
            if handler is not None and handler(self, statement, scope):
                return True
        return False

    @contextmanager
    def under(self, condition: Value | None = None, holds: bool = True) -> Iterator[None]:
        """What is lowered meanwhile is computed only if a condition holds, or does not."""
        saved = self.flow.conditions
        self.suppose(condition, holds)
        try:
            yield
        finally:
            self.flow.conditions = saved

    def suppose(self, condition: Value | None, holds: bool = True) -> None:
        """From here to the end of the block a condition is known to hold, or not to."""
        if (
            isinstance(condition, Node) and is_truth(condition) and not is_shape_check(condition)
        ):  # a bare name asks for None, or for nothing known
            self.flow.conditions = (*self.flow.conditions, (condition, holds))

    @contextmanager
    def knowing(self, tests: Mapping[int, bool]) -> Iterator[None]:
        """While some tests, by their `id`, are known to hold or not to."""
        saved, self.known_tests = self.known_tests, {**self.known_tests, **tests}
        try:
            yield
        finally:
            self.known_tests = saved

    @contextmanager
    def inside_loop(self) -> Iterator[None]:
        self.loops += 1
        saved, self.loop = self.loop, self.loops
        try:
            yield
        finally:
            self.loop = saved

    def decided(
        self, condition: Value | None, values: Sequence[Value], expr: grammar.Syntax, scope: Scope
    ) -> Value | None:
        """One value for two paths of control, the first of which is taken where a condition holds."""
        joined = self.join(values, expr, scope)
        both = isinstance(joined, Node) and joined.op == "phi" and list(joined.operands) == list(values)
        asked = isinstance(condition, Node) and (is_truth(condition) or condition.op == "input")
        if isinstance(joined, Node) and both and isinstance(condition, Node) and asked:
            self.flow.decided[joined] = condition
        return joined

    def left_by_loop(
        self, first: Value, last: Value | None, breaks: Sequence[Value | None], expr: grammar.Syntax, scope: Scope
    ) -> Value | None:
        """What a loop leaves: what there was before it, what its last iteration computed, or what a `break` leaves."""
        joined = self.join([first, last, *breaks], expr, scope)
        if isinstance(joined, Node) and joined.op == "phi" and last in joined.operands:
            self.flow.turned[joined] = joined.operands.index(last)
        return joined

    def join(self, values: Sequence[Value | None], expr: grammar.Syntax, scope: Scope) -> Value | None:
        """One value for several paths of control."""
        found = [v for v in values if v is not None]
        if not found:
            return None
        if all(_same(v, found[0]) for v in found):
            return found[0]
        nodes = [v for v in found if isinstance(v, Node) and not (v.op == "const" and v.constant is None)]
        if nodes and all(isinstance(v, Node) for v in found):  # a None beside them is never used
            return nodes[0] if len(nodes) == 1 else self.flow.add("phi", nodes, {}, self.origin(expr, scope))
        lists = [v for v in found if isinstance(v, Items)]
        if len(lists) == len(found) and len({len(v.values) for v in lists}) == 1 and not any(map(is_vast, lists)):
            columns = [self.join(column, expr, scope) for column in zip(*[v.values for v in lists], strict=True)]
            return Items([v for v in columns if v is not None])
        tables = [v for v in found if isinstance(v, Table)]
        if len(tables) == len(found):
            return self._any_of(tables, expr, scope)
        objects = [v for v in found if not isinstance(v, Node)]
        if all(node.op in OPAQUE for node in nodes) and objects and all(map(is_object, objects)):
            chosen = choice_of(objects, expr)  # it may be given another one
            if chosen is not None:
                return chosen
        return self.unknown(expr, scope, [n for v in found for n in nodes_in(v)]) if nodes else (objects or found)[0]

    def _any_of(self, tables: Sequence[Table], expr: grammar.Syntax, scope: Scope) -> Table:
        """One dictionary for several: under each key what any of them holds there."""
        keys = dict.fromkeys(key for table in tables for key in table.entries)
        joined = {key: self.join([table.entries.get(key) for table in tables], expr, scope) for key in keys}
        rest = self.join([table.rest for table in tables], expr, scope)
        return Table({key: value for key, value in joined.items() if value is not None}, rest)

    def assign(self, target: grammar.Expression, value: Value, scope: Scope) -> None:
        assignments.assign(self, target, value, scope)


def _same(a: Value, b: Value) -> bool:
    if a is b:
        return True
    if isinstance(a, Node) and isinstance(b, Node):
        return a.value == b.value
    return isinstance(a, Path) and a == b


def lower(
    file: SourceFile,
    project: Project | None = None,
    omitted: Collection[str] = frozenset(),
    sought: Collection[grammar.Syntax] = (),
) -> Flow:
    """The flow of a parsed file, with the modules of its project that it calls into.

    Functions whose names are `omitted` (methods after their class and a dot) are followed only where they are called.
    Calls of the functions that are `sought`, by their definitions, are followed however deep and far away they are.
    """
    lowering = Lowering(file, project)
    lowering.omitted = omitted
    lowering.sought = sought
    lowering.module_body()
    mark_tuples(lowering.flow)
    mark_networks(lowering.flow, lowering.applied, lowering.trained)
    return lowering.flow


def dissolve(flow: Flow) -> None:
    """Take a flow apart that nobody needs any more.

    Nodes, origins, scopes and objects hold each other and with them the syntax tree. Without these rings they go at
    once, and the garbage collector has not to walk through all of them first.
    """
    for node in flow.nodes:
        node.users.clear()
        node.operands, node.origin = (), None
    for scope in flow.scopes:
        for value in scope.names.values():
            if isinstance(value, Instance):
                value.attributes.clear()
        scope.names.clear()
        scope.history.clear()
    flow.scopes.clear()
