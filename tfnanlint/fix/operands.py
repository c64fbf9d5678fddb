"""The text of a repair's variables in the program: copied where possible, assigned to a name where necessary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import libcst as cst

from tfnanlint.finding import Edit
from tfnanlint.fix import changes, hoist, rebinding, syntax
from tfnanlint.fix.departure import nodes_of_repair
from tfnanlint.fix.dialect import NoFix, same_value
from tfnanlint.fix.naming import TAKING_LOGITS, telling_name
from tfnanlint.fix.numbers import written
from tfnanlint.fix.settled import is_settled
from tfnanlint.fix.text import ATOM, text_of, whole
from tfnanlint.flow import Node
from tfnanlint.match.captures import Match, Static
from tfnanlint.source.source_file import SourceFile
from tfnanlint.source.values import Origin

LONGEST_COPY = 12
"""Longer sums and products are written once."""
TWICE = "the fix needs an operand twice; assign it to a variable first and run --fix again"
"""Why there is no fix where an operand that must be computed once has no place for a name."""


class TwiceComputed(Exception):
    """An operand of an earlier statement that must not be computed twice: it is expensive or has side effects."""


def is_long(file: SourceFile, expression: cst.BaseExpression) -> bool:
    """Whether a reader would rather read an operand once."""
    return (
        isinstance(expression, cst.BinaryOperation) and len(text_of(file, file.layout.spans[expression])) > LONGEST_COPY
    )


class Operands:
    """The operands of a match, as a repair in place of `expr` uses them.

    `edits` assign names to operands that must not be computed twice; `replaced` are the statements they replace, `gone`
    the names these had assigned, and `definitions` the text about the new names in a message.
    """

    def __init__(self, match: Match, origin: Origin, expr: Any, old: Node | None, root: Any) -> None:
        self.match = match
        self.origin = origin
        self.expr = expr
        self.old = old
        self.edits: list[Edit] = []
        self.replaced: list[Any] = []
        self.gone: list[str] = []
        self.named: dict[str, str] = {}
        self.definitions: list[str] = []
        self.uses = Counter(n.value for n in syntax.walk(root) if isinstance(n, cst.Name))

    def number(self, text: str) -> str:
        """A number of the repair, as it is written here."""
        number = written(self.match, text)
        named = self.match.names.get(number)
        return named.text if named is not None and named.reaches(self.origin) else number

    def captured(self, name: str) -> tuple[str, int]:
        """The text of a variable of the repair."""
        held = self.match.captured.get(name)
        if isinstance(held, Static):
            given = held.node.origin.keywords.get(held.attribute)
            if given is None:
                return repr(held.value), ATOM
            try:
                return whole(given, self.text(given, held.node.origin))
            except TwiceComputed:
                raise NoFix(f"the fix would compute `{held.attribute}` twice") from None
        if held is None:
            raise NoFix(f"the fix needs {name}, which this code does not have")
        value, user = held
        constant = value.attrs.get("value") if value.op == "const" else None
        if isinstance(constant, float) and self.number(repr(constant)) != repr(constant):
            return self.number(repr(constant)), ATOM  # the program's own is lost in its type
        where: Origin = user.origin
        if self.old is not None and self.old.op == "input" and self.old.attrs["name"] == name:
            expression: cst.BaseExpression | None = self.expr
            where = self.origin
        else:
            expression = where.expression_of(value)
        if expression is None:
            raise NoFix("the fix cannot copy an operand that is not written as an expression here")
        try:
            text = self.text(expression, where)
            if self.is_written_again(name, expression, where):
                own = syntax.statement_of(where.file, where.expr) is syntax.statement_of(where.file, self.expr)
                named = self.named_beforehand if own else self.hoisted
                return named(name, expression, where), ATOM
        except TwiceComputed:
            return self.hoisted(name, expression, where), ATOM
        return whole(expression, text)

    def is_given(self, held: Static) -> bool:
        """Whether the program gives a parameter by something that other calls may give otherwise."""
        given = held.node.origin.keywords.get(held.attribute)
        return given is not None and not is_settled(given, held.node.origin.file)

    def is_shared(self, part: Node) -> bool:
        """Whether a part of the repair uses an operand that needs a name first."""
        stack = [part]
        while stack:
            node = stack.pop()
            stack.extend(node.operands)
            held = self.match.captured.get(node.attrs["name"]) if node.op == "input" else None
            if isinstance(held, tuple):
                where: Origin = held[1].origin
                if self.is_written_again(node.attrs["name"], where.expression_of(held[0]), where):
                    return True
        return False

    def is_written_again(self, name: str, expression: cst.BaseExpression | None, where: Origin) -> bool:
        """Whether the repair writes an operand more often than the program, though it is expensive or long."""
        if expression is None or (syntax.is_cheap(expression, where.file) and not is_long(where.file, expression)):
            return False
        return self.uses[name] > max(self.copies(name), 1)

    def copies(self, name: str) -> int:
        """How often the replaced code contains the operand of a variable."""
        layout = self.origin.file.layout
        found = set()
        for (above, place), (value, user) in self.match.places.items():
            wanted = above.operands[place]
            expression = user.origin.expression_of(value)
            named = wanted.op == "input" and wanted.attrs["name"] == name
            if named and expression is not None and syntax.is_within(layout, expression, self.expr):
                found.add(id(expression))
        return len(found)

    def named_beforehand(self, variable: str, expression: cst.BaseExpression, where: Origin) -> str:
        """The new name of an operand of this very statement, which the repair takes more than once."""
        if variable in self.named:
            return self.named[variable]
        file = where.file
        name = self.new_name(variable, expression, file)
        text = text_of(file, file.layout.spans[expression])
        edits = hoist.name_operand(file, where, expression, text, name, replace_statement=False)
        if edits is None or not changes.is_first(file, self.origin.scope, self.origin.time, expression):
            raise NoFix(TWICE)
        return self.introduced(variable, name, text, edits[:1])

    def hoisted(self, variable: str, expression: cst.BaseExpression, where: Origin) -> str:
        """The new name of an operand that an earlier statement computes."""
        if variable in self.named:
            return self.named[variable]
        file = where.file
        statement = syntax.statement_of(file, where.expr)
        if statement is None or not changes.is_ahead(file, where.scope, where.time, expression):
            raise NoFix(TWICE)
        name = self.new_name(variable, expression, file)
        text = text_of(file, file.layout.spans[expression])
        if statement in self.replaced:  # its other operand has taken its place, which this one comes before
            edits = hoist.name_operand(file, where, expression, text, name, replace_statement=False)
            return self.introduced(variable, name, text, (edits or [])[:1])
        assigned = hoist.dispensable(self.match.matched, self.origin).get(statement)
        alone = assigned is not None and not self.is_read_by_another(variable, assigned)
        edits = hoist.name_operand(file, where, expression, text, name, replace_statement=alone)
        whole_statement = text_of(file, file.layout.spans[statement.body[0]])
        if edits is None or (alone and whole_statement.count("#") > text.count("#")):
            raise NoFix(TWICE)
        if alone and assigned is not None:
            self.replaced.append(statement)
            self.gone.append(assigned)
        return self.introduced(variable, name, text, edits)

    def is_read_by_another(self, variable: str, name: str) -> bool:
        """Whether an operand that the repair takes as it is written, other than this variable's, reads a name."""
        repair = self.match.pattern.repair
        others = [self.match.captured.get(v) for v in (repair.variables if repair is not None else ()) if v != variable]
        written = [held[1].origin.expression_of(held[0]) for held in others if isinstance(held, tuple)]
        return any(
            isinstance(part, cst.Name) and part.value == name
            for expression in written
            if expression is not None
            for part in syntax.walk(expression)
        )

    def new_name(self, variable: str, expression: cst.BaseExpression, file: SourceFile) -> str:
        """A name that is free here: the one in the rule if it is telling, else one from the operand."""
        held = self.match.captured[variable]
        taken = {user.op for user in self.takers(variable)} & TAKING_LOGITS
        user = min(taken) if taken else held[1].op if isinstance(held, tuple) else ""
        wanted = variable if len(variable) > 1 else telling_name(expression, user)
        return syntax.new_name(self.origin.scope, wanted, file, expression)

    def takers(self, variable: str) -> Iterator[Node]:
        """The ops of the repair that take a variable."""
        for node in nodes_of_repair(self.match.pattern):
            if any(operand.op == "input" and operand.attrs["name"] == variable for operand in node.operands):
                yield node

    def introduced(self, variable: str, name: str, text: str, edits: list[Edit]) -> str:
        """Take note of a new name and of the edits that give it."""
        self.edits += edits
        self.named[variable] = name
        self.definitions.append(f"{name} = {' '.join(text.split())}")
        return name

    def text(self, expression: cst.BaseExpression, where: Origin) -> str:
        """The text of an expression, if it still means the same where the repair is put."""
        layout = where.file.layout
        parent = layout.parents.get(expression)
        if isinstance(parent, cst.Arg) and parent.star:
            raise NoFix(
                f"`{parent.star}{text_of(where.file, layout.spans[expression])}` gives more than the fix can take"
            )
        if not syntax.is_within(layout, expression, self.expr):
            self.unchanged(expression, where)
        return text_of(where.file, layout.spans[expression])

    def unchanged(self, expression: cst.BaseExpression, where: Origin) -> None:
        """Raises `NoFix` or `TwiceComputed` unless an expression from elsewhere cheaply gives the same value here."""
        for node in syntax.walk(expression):
            if isinstance(node, cst.Name) and not syntax.is_attribute_name(where.file, node):
                if where.scope.holder(node.value) is not self.origin.scope.holder(node.value):
                    raise NoFix(f"`{node.value}` is another variable here")
                before = where.scope.value_at(node.value, where.time)
                now = self.origin.scope.value_at(node.value, self.origin.time)
                if not same_value(before, now) or self.is_rebound(node.value, where):
                    raise NoFix(f"`{node.value}` changes before this line")
        if not syntax.is_cheap(expression, where.file):
            raise TwiceComputed
        changed = changes.changed_between(where, expression, self.origin, self.expr)
        if changed is not None:
            raise NoFix(f"`{changed}` may change before this line")

    def is_rebound(self, name: str, where: Origin) -> bool:
        """Whether in some run a name may have another value here than at another place."""
        in_order = where.time <= self.origin.time
        first, second = (where.expr, self.expr) if in_order else (self.expr, where.expr)
        if where.scope.body is self.origin.scope.body:
            return rebinding.bindings_between(where.file, name, first, second) > 0
        holder = where.scope.holder(name)
        return holder is not None and len(holder.history[name]) > 1
