"""`tfnanlint rule`: list the rules, search them, or explain one."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tfnanlint.commands import CLEAN
from tfnanlint.commands.options import add_configuration, parser, wants_color
from tfnanlint.config.discovery import Configs
from tfnanlint.config.settings import all_rules
from tfnanlint.errors import ConfigError, rule_hint
from tfnanlint.report.rule_page import measured, page
from tfnanlint.suppress.meta import CODES, GROUP, META

if TYPE_CHECKING:
    from tfnanlint.ruleset.rule import Rule, Rules


def run(arguments: Sequence[str]) -> int:
    """Print the list of rules, or what there is to say of one; the exit status."""
    options = grammar().parse_args(arguments)
    rules = all_rules(Configs(options.config, options.isolated).of(os.getcwd()).rules)
    codes = {rule.code: rule.name for rule in rules if rule.code} | {code: name for name, code in CODES.items()}
    options.name = codes.get((options.name or "").upper(), options.name)
    chosen = _chosen(rules, options.name, options.search)
    if options.output_format == "json":
        json.dump([_as_json(rule) for rule in chosen], sys.stdout, indent=1, ensure_ascii=False)
        print()
    elif options.name in rules.names:
        _show(page(chosen[0]), wants_color(options.color, sys.stdout))
    elif options.name in META:
        message, description = META[options.name]
        head = f"# {options.name} ({CODES[options.name]})"
        _show(f"{head}\n\n{message}\n\n{description}\n", wants_color(options.color, sys.stdout))
    else:
        names = [name for name in META if _lists_meta(options, name)]
        about = [(GROUP, name, CODES[name], META[name][0]) for name in names]
        from tfnanlint.report.terminal import printable_lines

        sys.stdout.writelines(f"{printable_lines(line)}\n" for line in _list(chosen, about))
        if not (chosen or about):
            print(f"no rule contains {' and '.join(f'`{word}`' for word in options.search)}", file=sys.stderr)
    return CLEAN


def _chosen(rules: Rules, name: str | None, words: Sequence[str] | None) -> list[Rule]:
    """The rules of a name or group, that speak of every word searched for."""
    named = [r for r in rules if name in (None, r.name, r.group)]
    if name is not None and not named and name not in (*META, GROUP):
        hint = rule_hint(name, [*rules.names, *rules.groups, *META, GROUP]) or "; `tfnanlint rule` lists them"
        raise ConfigError(f"no rule or group is named `{name}`{hint}")
    return [r for r in named if all(w.casefold() in f"{r.name}\n{r.code}\n{r.text}".casefold() for w in words or ())]


def _lists_meta(options: argparse.Namespace, name: str) -> bool:
    """Whether a list has a place for this rule about comments."""
    said = " ".join((name, *META[name])).casefold()
    return options.name in (None, GROUP) and all(w.casefold() in said for w in options.search or ())


def _list(rules: Sequence[Rule], about: Sequence[tuple[str, str, str, str]]) -> Iterator[str]:
    """The rules by group, each with its code and its message."""
    listed = sorted([(rule.group, rule.name, rule.code, rule.message) for rule in rules] + [*about])
    width = max((len(name) for _, name, _, _ in listed), default=0)
    longest = max((len(code) for _, _, code, _ in listed), default=0)
    last = None
    for group, name, code, message in listed:
        if group != last:
            yield from ("",) if last is not None else ()
            yield f"{group}:"
        last = group
        yield "  " + (f"{code:<{longest}}  " if longest else "") + f"{name:<{width}}  {message}"


def _as_json(rule: Rule) -> dict[str, Any]:
    repairs = {pattern.fix_kind for pattern in rule.patterns if pattern.fix_kind is not None}
    return {
        "rule": rule.name,
        "code": rule.code or None,
        "group": rule.group,
        "message": rule.message,
        "description": rule.description,
        "severity": rule.severity,
        "modes": list(rule.modes),
        "dtypes": list(rule.dtypes),
        "repairs": sorted(repairs),
        "reports": list(rule.reports),
        "measured": measured(rule),
        "text": rule.text,
    }


def _show(text: str, color: bool) -> None:
    """A page as it is, or rendered on a terminal."""
    if not color:
        from tfnanlint.report.terminal import printable_lines

        sys.stdout.write(printable_lines(text))
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(force_terminal=True)
    console.width = min(console.width, 120)
    console.print(Markdown(text))


def grammar() -> argparse.ArgumentParser:
    """The options of this subcommand."""
    made = parser("rule", "List the rules, search them, or explain one.")
    made.add_argument("name", nargs="?", metavar="NAME", help="a rule to explain, or a group to list")
    made.add_argument(
        "--search", action="append", metavar="WORD", help="only rules that contain WORD; repeat to require several"
    )
    made.add_argument("--output-format", choices=("text", "json"), default="text", help="(default: text)")
    made.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="(default: auto)")
    add_configuration(made)
    return made
