"""Settings that a program is given when it is run, by arguments and flags: their defaults, where they have some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfnanlint.source import grammar
from tfnanlint.source.conditions import OFFERED
from tfnanlint.source.values import Class, Instance, Items, Path, Scope, Value, constant_of, nodes_in

if TYPE_CHECKING:
    from tfnanlint.source.arguments import Arguments
    from tfnanlint.source.lower import Lowering

PARSER = "argparse.ArgumentParser"
FLAG_MODULES = ("absl.flags", "tf.flags", "tf.app.flags", "flags")
FLAG_KINDS = ("float", "integer", "bool", "boolean", "string", "enum")


def parser(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """An `argparse.ArgumentParser`; the same object stands for the arguments that it parses."""
    return Instance(Class("ArgumentParser", Scope(None, "class"), [Path(PARSER)], low.file))


def is_parser(owner: Instance) -> bool:
    """Whether an object is made by `parser`."""
    return [base.dotted for base in owner.cls.bases if isinstance(base, Path)] == [PARSER]


def of_parser(
    low: Lowering, owner: Instance, name: str, args: Arguments, node: grammar.Syntax, scope: Scope
) -> Value | None:
    """A method of a parser: an argument is added, or all are given."""
    if name == "add_argument":
        names = [str(held).lstrip("-") for v, _ in args.positional if (held := constant_of(v)) is not None]
        named = constant_of(args.named("dest")) or next((n for n in names if len(n) > 1), names[0] if names else "")
        key = str(named).replace("-", "_")
        choices = nodes_in(args.named("choices"))
        owner.attributes[key] = _setting(low, key, args.named("default"), node, scope, len(choices) > 1)
        return None
    if name in ("parse_args", "add_argument_group", "add_mutually_exclusive_group"):
        return owner
    return Items([owner, low.unknown(node, scope)]) if name == "parse_known_args" else None


def flag(low: Lowering, args: Arguments, node: grammar.Syntax, scope: Scope) -> Value | None:
    """A flag that is defined: `FLAGS.name` has its value, and so has what the definition gives."""
    name = constant_of(args.get(0, "name"))
    if not isinstance(name, str):
        return None
    choices = nodes_in(args.get(2, "enum_values"))
    value = low.flags[name] = _setting(low, name, args.get(1, "default"), node, scope, len(choices) > 1)
    return Instance(Class("flag", Scope(None, "class"), [], low.file), {"value": value})


def _setting(
    low: Lowering, name: str, default: Value | None, node: grammar.Syntax, scope: Scope, offered: bool
) -> Value:
    """What a setting is: its default where that is a number or a text, else something that is given.

    If the program offers other texts, it goes each of the ways that it tells apart by them.
    """
    held = constant_of(default)
    if default is not None and isinstance(held, (int, float, str)) and not isinstance(held, bool):
        if offered and isinstance(held, str):
            return low.flow.add("const", (), {"value": held, OFFERED: True}, low.origin(node, scope))
        return default
    given = low.flow.add("input", (), {"name": name, "default": held}, low.origin(node, scope))
    low.flow.settings.add(given)
    return given
