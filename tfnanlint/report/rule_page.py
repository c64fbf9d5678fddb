"""The page of a rule: its text, its measurements, its examples and fixes, and code that it does not report.

The same text serves the documentation, the terminal, the editor and the reports with help. Measurements are stored
beside the rules in `MEASURED.json`; the page of a user's own rule has none.
"""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from tfnanlint.vocabulary import FIX_KINDS, FIX_WORDS

if TYPE_CHECKING:
    from tfnanlint.ruleset.pattern import Pattern
    from tfnanlint.ruleset.rule import Rule

MEASURED = "MEASURED.json"

_KINDS = {
    "after": "the same function, up to rounding",
    "guard": "differs only next to the singular point",
    "rework": "the model trains differently",
}
_SYMPTOMS = {
    "value": "value not finite",
    "gradient": "gradient not finite",
    "digits": "value wrong",
    "gradient digits": "gradient wrong",
    "": "fine",
}

Measured = Mapping[str, Mapping[str, Any]]
"""What was measured of a rule: by the name of each `before`, the object that `MEASURED.json` holds."""


@cache
def _all_measured() -> Mapping[str, Measured]:
    from tfnanlint.ruleset.rule import builtin_folder

    path = builtin_folder() / MEASURED
    loaded: Mapping[str, Measured] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return loaded


def measured(rule: Rule) -> Measured:
    """What was measured of a rule; nothing for a user's own."""
    from tfnanlint.ruleset.rule import builtin_folder

    return _all_measured().get(rule.name, {}) if builtin_folder() in rule.path.parents else {}


def page(rule: Rule) -> str:
    """All there is to say of a rule, in Markdown."""
    return "\n".join(_lines(rule, measured(rule))) + "\n"


def table(rules: Iterable[Rule], folder: str, short: bool = False) -> str:
    """The rules by group as a Markdown table with links to their pages: a row a rule, or if `short` a row a group."""
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.group, []).append(rule)

    def link(rule: Rule) -> str:
        code = f"{rule.code} " if rule.code and not short else ""
        return f"[{code}{rule.name}]({folder}{rule.name}.md)"

    if short:
        rows = [f"| {group} | {', '.join(map(link, members))} |" for group, members in groups.items()]
        return "\n".join(["| group | rules |", "|---|---|", *rows])
    rows = [f"| {group} | {link(rule)} | {rule.message} |" for group, members in groups.items() for rule in members]
    return "\n".join(["| group | rule | what it reports |", "|---|---|---|", *rows])


def _lines(rule: Rule, known: Measured) -> Iterator[str]:
    patterns = {pattern.name: pattern for pattern in rule.patterns}
    kinds = sorted({p.fix_kind for p in patterns.values() if p.fix_kind is not None}, key=FIX_KINDS.index)
    yield f"# {rule.name}" + (f" ({rule.code})" if rule.code else "")
    yield ""
    yield f"{rule.message[:1].upper()}{rule.message[1:]}."
    yield ""
    yield rule.description
    yield ""
    yield f"- Group: {rule.group}. Severity: {rule.severity}."
    yield f"- Fails in: {', '.join(rule.modes)}; shown in {', '.join(rule.dtypes)}."
    if kinds:
        yield f"- Fix: {'; '.join(f'*{FIX_WORDS[kind]}*: {_KINDS[kind]}' for kind in kinds)}."
    else:
        yield "- No automatic fix; the text above says what to do."
    for function in rule.befores:
        words = _words(function.name)
        yield from ("", f"## Variant: {words}" if words else "## Reported", "")
        yield from _block(_body(rule, function))
        if function.name in patterns:
            yield from _case(patterns[function.name], known.get(function.name))
    yield from _failures(known)
    quiet = [f for f in rule.tree.body if isinstance(f, ast.FunctionDef) and f.name.startswith("quiet_")]
    if quiet:
        yield from ("", "## Not reported")
    for function in quiet:
        words = _words(function.name)
        yield from ("", f"{words[:1].upper()}{words[1:]}:", "")
        yield from _block(_body(rule, function))
    if rule.reports:
        yield from ("", "## Public reports", "")
        yield from (f"- <{address}>" for address in rule.reports)


def _words(name: str) -> str:
    """What the name of a rule's function says after its first word, with names of functions as code."""
    words = name.split("_")[1:]
    said: list[str] = []
    while words:
        size = next(n for n in range(len(words), 0, -1) if n == 1 or "_".join(words[:n]) in _names_in_code())
        whole = "_".join(words[:size])
        is_code = whole in _names_in_code() and (size > 1 or not whole.isalpha())
        said.append(f"`{whole}`" if is_code else _PROPER.get(whole, whole))
        del words[:size]
    return " ".join(said)


_PROPER = {"nan": "NaN", "keras": "Keras", "dice": "Dice", "jaccard": "Jaccard"}
"""Words that are written otherwise than a name of a function has them."""


@cache
def _names_in_code() -> frozenset[str]:
    """The last part of every spelling of an op."""
    from tfnanlint.ops import SPELLINGS

    return frozenset(spelling.rpartition(".")[2] for spelling in SPELLINGS)


def _block(code: str) -> Iterator[str]:
    yield "```python"
    yield code
    yield "```"


def _body(rule: Rule, function: ast.FunctionDef) -> str:
    """What a function of a rule computes: its statements, or the expression alone that it returns."""
    lines = rule.text.splitlines()[function.body[0].lineno - 1 : function.end_lineno]
    return textwrap.dedent("\n".join(lines)).removeprefix("return ")


def _case(pattern: Pattern, case: Mapping[str, Any] | None) -> Iterator[str]:
    """What was measured of one `before`, and its repair."""
    import libcst as cst

    if case is not None:
        yield from ("", f"At {_witness(case)} ({case['mode']}, {case['dtype']}): {_outcome(case)}.")
    if pattern.repair is None:
        return
    yield from ("", f"Fix ({FIX_WORDS[pattern.repair.kind]}):", "")
    yield from _block(cst.Module([]).code_for_node(pattern.repair.expression))
    if case is not None and "repaired" in case:
        yield from ("", f"With the fix: {_outcome(case['repaired'])}.{_difference(case.get('elsewhere'))}")


def _witness(case: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name} = {value}`" for name, value in case["witness"].items()) or "any input"


def _outcome(case: Mapping[str, Any]) -> str:
    said = f"value `{case['value']}`"
    return f"{said}, gradient `{case['gradient']}`" if case["gradient"] is not None else said


def _difference(elsewhere: Mapping[str, Any] | None) -> str:
    """How far the repair is from the original where that is finite."""
    if elsewhere is None:
        return ""
    said = f" Checked on {elsewhere['inputs']} random inputs ({elsewhere['dtype']}): "
    if elsewhere["value"] == elsewhere["gradient"] == "0":
        said += "identical."
    else:
        said += (
            f"the value differs by at most {elsewhere['value']} (relative), the gradient by {elsewhere['gradient']}."
        )
    width = elsewhere.get("width")
    if width is None:
        return said
    if width == "0":
        return f"{said} Near the singular point the two agree to 0.1 % wherever the original is finite."
    return f"{said} Within {width} of the singular point they differ by more than 0.1 %."


def _failures(known: Measured) -> Iterator[str]:
    """What goes wrong in which mode and type."""
    rows = {name: case["fails"] for name, case in known.items()}
    columns = list(dict.fromkeys(key for fails in rows.values() for key in fails))
    if not columns:
        return
    yield from ("", "## Measured", "")
    yield f"| | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for name, fails in rows.items():
        cells = (_SYMPTOMS.get(fails[key], fails[key]) if key in fails else "" for key in columns)
        yield f"| {_words(name) or 'reported'} | {' | '.join(cells)} |"
