"""`tfnanlint rule`: list the rules, or explain one."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfnanlint.commands import CLEAN
from tfnanlint.commands.options import add_configuration, parser
from tfnanlint.config import Configs, all_rules, suggestion
from tfnanlint.errors import ConfigError
from tfnanlint.pragma import GROUP, META

if TYPE_CHECKING:
    from tfnanlint.template import Rule, Rules


def run(arguments: Sequence[str]) -> int:
    """Print the list of rules, or what there is to say of one; the exit status."""
    options = _parse(arguments)
    rules = all_rules(Configs(options.config, options.isolated).of(os.getcwd()).rules)
    lines = _explain(options.name, rules) if options.name else _list(rules)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return CLEAN


def _list(rules: Rules, group: str | None = None) -> Iterator[str]:
    """The rules by group, each with its message."""
    listed = [(rule.group, rule.name, rule.message) for rule in rules]
    listed += [(GROUP, name, message) for name, (message, _) in META.items()]
    width = max(len(name) for _, name, _ in listed)
    last = None
    for home, name, message in sorted(listed):
        if group not in (None, home):
            continue
        if home != last:
            if last is not None:
                yield ""
            yield f"{home}:"
        last = home
        yield f"  {name:<{width}}  {message}"


def _explain(name: str, rules: Rules) -> Iterator[str]:
    """All about the rule of a name, or the rules of a group."""
    if name in META:
        message, description = META[name]
        return iter([f"{name}: {message}", "", description])
    if name in rules.groups or name == GROUP:
        return _list(rules, name)
    for rule in rules:
        if rule.name == name:
            return _page(rule)
    hint = suggestion(name, [*rules.names, *rules.groups, *META, GROUP]) or "; `tfnanlint rule` lists them"
    raise ConfigError(f"no rule or group is named `{name}`{hint}")


def _page(rule: Rule) -> Iterator[str]:
    yield f"{rule.name}: {rule.message}"
    yield f"group: {rule.group}; severity: {rule.severity}; fails in: {', '.join(rule.modes)}"
    if rule.description:
        yield ""
        yield rule.description.strip()
    yield ""
    yield from (f"    {line}".rstrip() for line in _code(rule.text).splitlines())


def _code(text: str) -> str:
    """A rule file without its docstring: what it reports, and what it makes of it."""
    first = next(iter(ast.parse(text).body), None)
    if isinstance(first, ast.Expr) and first.end_lineno:
        return "\n".join(text.splitlines()[first.end_lineno :]).strip("\n")
    return text.strip("\n")


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    made = parser("rule", "List the rules, or explain one.")
    made.add_argument("name", nargs="?", metavar="NAME", help="a rule to explain, or a group to list")
    add_configuration(made)
    return made.parse_args(arguments)
