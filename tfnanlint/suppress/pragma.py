"""Ignore comments, and the findings about these comments.

`# tfnanlint: ignore[rule, group]` covers its line and every statement and pair of brackets that opens or closes on it;
without brackets it covers all rules. Alone on a line it covers the next line of code and everything that opens there,
and is never removed. `# noqa: CODE` does the same by code. `# tfnanlint: ignore-file` covers the file, and
`# tfnanlint: off[rule]` covers the lines up to `# tfnanlint: on[rule]`, or to the end. Only comments count, not strings
that look like one. A comment that is unused, names an unknown rule or is an unknown directive is reported.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tfnanlint.errors import rule_hint, suggestion
from tfnanlint.finding import Edit, Finding, Fix
from tfnanlint.run.edits import split_lines
from tfnanlint.source.syntax import syntax_of
from tfnanlint.suppress.layout import Layout, Span, layout_of
from tfnanlint.suppress.meta import BAD, CODES, GROUP, META, UNUSED, Scope, is_marked
from tfnanlint.vocabulary import CODE

# What follows the names is the writer's reason. It reaches to the next comment, and `#12` does not open one.
_PRAGMA = re.compile(
    r"#\s*tfnanlint(?P<colon>\s*:)?\s*(?P<word>[\w-]*)(?P<rest>(?:[^#]|#(?=\d))*)", flags=re.IGNORECASE
)
_NAMES = re.compile(r"\s*\[([^\[\]]*)\]")
_WITHOUT_BRACKETS = re.compile(r"[\s:]*((?:[\w-]+[\s,]*)*)")
_NOQA = re.compile(r"#\s*noqa\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*)\s*", flags=re.IGNORECASE)
_NOQA_OF_NAMES = re.compile(r"#\s*noqa\s*:\s*(?P<names>[\w-]+(?:\s*,\s*[\w-]+)*)", flags=re.IGNORECASE)
_WORDS = ("ignore", "ignore-file", "off", "on")
_FOREIGN_WORDS = frozenset({"ignore", "disable", "enable", "noqa", "nolint", "skip"})
"""The first words of directives of this linter and of others: `skip-file`, `disable-next-line`."""
NOQA = "noqa"
MOST_UNKNOWN = 20
"""The most unknown names of one comment that are reported."""
MOST_BLOCKS = 200
"""The most comments of a file about more than a place in it: `off`, `on` and `ignore-file`."""
NO_RULES = Scope((), ())


@dataclass
class Pragma:
    """One ignore comment: where it stands, and what it says. `names` is None when it speaks for every rule.

    Of an `ignore` and a `noqa`, `reach` has the first and the last lines of what it speaks for, and `above` says that
    it stands alone on its line, above that. Of an `off`, `until` has the line of the `on` that ends its block for each
    name, under None that for every rule. Of a `noqa`, `listed` are all of its codes, those of other tools too. `bare`
    are words where names in brackets could stand.
    """

    line: int
    column: int
    end_column: int
    text: str
    word: str = "ignore"
    names: tuple[str, ...] | None = None
    trouble: str = ""
    reach: Sequence[Span] = ()
    above: bool = False
    until: dict[str | None, int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    listed: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()

    def names_of(self, finding: Finding) -> set[str]:
        """The names under which this comment lists a finding."""
        return {finding.rule, finding.group, finding.code}.intersection(self.names or ())

    def speaks_for(self, finding: Finding) -> bool:
        """Whether this comment silences a finding."""
        if self.trouble or not (self.names is None or self.names_of(finding)):
            return False
        if self.word == "off":
            ends = (self.until.get(name) for name in (finding.rule, finding.group, finding.code, None))
            return self.line <= finding.line < min((end for end in ends if end is not None), default=finding.line + 1)
        if self.word in ("ignore", NOQA):
            lines = {finding.line, finding.end_line}
            ends_here = self.line in lines and not self.above
            return ends_here or any(first <= finding.line and finding.end_line <= last for first, last in self.reach)
        return self.word == "ignore-file"


@dataclass
class Silenced:
    """What is left of the findings, with those about ignore comments, and what was silenced."""

    findings: list[Finding]
    silenced: list[Finding]


def find_pragmas(text: str, path: str = "<string>", scope: Scope = NO_RULES) -> list[Pragma]:
    """The ignore comments of a text, in order; `SourceError` if it has some and is not Python."""
    if not is_marked(text):
        return []
    layout = layout_of(text, path)
    marked = (comment for comment in layout.comments if is_marked(comment[2]))
    found = [pragma for line, column, comment in marked for pragma in _read(comment, line, column)]
    if found:  # there are texts that have tokens and are not Python
        syntax_of(text, path)
    for pragma in found:
        _place(pragma, layout)
        _take_bare_names(pragma, scope)
    for pragma in [one for one in found if one.word not in ("ignore", NOQA)][MOST_BLOCKS:]:
        pragma.trouble = f"a file has at most {MOST_BLOCKS} comments `off`, `on` and `ignore-file`"
    _close_blocks(found, scope)
    return found


def _place(pragma: Pragma, layout: Layout) -> None:
    """Tell a comment what it speaks for."""
    pragma.above = pragma.word in ("ignore", NOQA) and not layout.is_code(pragma.line)
    pragma.reach = layout.below(pragma.line) if pragma.above else layout.reach(pragma.line)


def _take_bare_names(pragma: Pragma, scope: Scope) -> None:
    """Tell a comment whose names stand in no brackets what is wrong with it: it would silence every rule."""
    names = [name for name in pragma.bare if scope.has(name)]
    if names and pragma.word == NOQA:
        codes = [next((code for code, rules in scope.codes.items() if name in rules), name) for name in names]
        pragma.trouble = f"a `noqa` takes codes: `# noqa: {', '.join(codes)}`"
    elif names and names[0] == pragma.bare[0]:
        pragma.trouble = f"rule names go in brackets: `{pragma.word}[{', '.join(names)}]`"


def _close_blocks(pragmas: Iterable[Pragma], scope: Scope) -> None:
    """Tell every `off` where its block ends, and note at every `on` what it has ended."""
    blocks: list[Pragma] = []
    for pragma in pragmas:
        if pragma.word == "off" and not pragma.trouble:
            blocks.append(pragma)
        elif pragma.word == "on" and not pragma.trouble:
            for name in pragma.names or (None,):
                ended = [block for block in blocks if _ends(name, block, scope)]
                for block in ended:
                    block.until.setdefault(name, pragma.line)
                if ended:
                    pragma.used.add(name or "")


def _ends(name: str | None, block: Pragma, scope: Scope) -> bool:
    """Whether an `on` with a name (None: of every rule) ends a block."""
    if None in block.until or name in block.until:
        return False
    if name is None or block.names is None:
        return True
    rules = set(scope.rules(name))
    return any(not rules.isdisjoint(scope.rules(other)) for other in block.names)


def silence(
    text: str, path: str, findings: Sequence[Finding], scope: Scope, pedantic: Callable[[], Iterable[Finding]] | None
) -> Silenced:
    """Apply the ignore comments of a text to its findings.

    `pedantic` gives the findings of the most talkative run; it is asked only when a comment seems to do nothing,
    so that one which is needed under `--pedantic` is not called unused in a plain run.
    """
    pragmas = find_pragmas(text, path, scope)
    if not pragmas:
        return Silenced(list(findings), [])
    kept, silenced = _split(findings, pragmas)
    if pedantic and UNUSED in scope.meta and any(_unused_names(pragma, scope) for pragma in pragmas):
        _split(pedantic(), pragmas)
    lines = split_lines(text)
    own = [found for pragma in pragmas for found in _about(pragma, lines, path, scope) if found.rule in scope.meta]
    kept_own, silenced_own = _split(own, [pragma for pragma in pragmas if pragma.names is not None])
    return Silenced(sorted(kept + kept_own, key=lambda f: f.position), silenced + silenced_own)


def _split(findings: Iterable[Finding], pragmas: Sequence[Pragma]) -> tuple[list[Finding], list[Finding]]:
    """Findings that no comment speaks for, and the others; every comment that does is marked as used."""
    ordered = sorted(findings, key=lambda finding: finding.line)
    lines = [finding.line for finding in ordered]
    by_end: dict[int, list[int]] = {}
    for place, finding in enumerate(ordered):
        by_end.setdefault(finding.end_line, []).append(place)
    spoken_for: set[int] = set()
    for pragma in pragmas:
        near: Iterable[int] = range(len(ordered))
        if pragma.word in ("ignore", NOQA):
            spans = [(pragma.line, pragma.line), *pragma.reach]
            held = {at for first, last in spans for at in range(bisect_left(lines, first), bisect_right(lines, last))}
            near = held.union(by_end.get(pragma.line, ()))
        for place in near:
            finding = ordered[place]
            if pragma.speaks_for(finding):
                pragma.used |= pragma.names_of(finding) or {finding.rule}
                spoken_for.add(place)
    kept = [finding for place, finding in enumerate(ordered) if place not in spoken_for]
    return kept, [ordered[place] for place in sorted(spoken_for)]


def _read(comment: str, line: int, column: int) -> Iterator[Pragma]:
    """The ignores in one comment token, which may hold several and those of other tools."""
    for found in _NOQA.finditer(comment):
        listed = tuple(re.split(r"[\s,]+", found["codes"].upper()))
        own = tuple(dict.fromkeys(code for code in listed if CODE.fullmatch(code)))
        if own:
            place = (line, column + found.start(), column + found.end(), found[0].rstrip())
            yield Pragma(*place, word=NOQA, names=own, listed=listed)
    for found in _NOQA_OF_NAMES.finditer(comment):
        words = tuple(name for name in re.split(r"\s*,\s*", found["names"]) if "-" in name)
        if words:
            place = (line, column + found.start(), column + found.end(), found[0].rstrip())
            yield Pragma(*place, word=NOQA, names=(), bare=words)
    for found in _PRAGMA.finditer(comment):
        word, rest = found["word"].lower(), found["rest"]
        place = (line, column + found.start(), column + found.end(), found[0].rstrip())
        if not found["colon"]:
            if word in _WORDS:
                yield Pragma(*place, trouble=f"the colon is missing: `# tfnanlint: {word}`")
            continue
        if word not in _WORDS:
            if _is_directive(word, rest):
                yield Pragma(*place, trouble=f"`{word}` is not one of `ignore`, `ignore-file`, `off` and `on`")
            continue
        names = _NAMES.match(rest)
        listed = tuple(dict.fromkeys(_in_form(name) for name in names[1].split(",") if name.strip())) if names else ()
        trouble = ""
        if rest.lstrip().startswith("[") and not names:
            trouble = "its list of rules has no closing bracket"
        elif names and not listed:
            trouble = "its list of rules is empty"
        bare = _WITHOUT_BRACKETS.match(rest) if not names else None
        words = tuple(re.findall(r"[\w-]+", bare[1])) if bare else ()
        yield Pragma(*place, word=word, names=listed if names else None, trouble=trouble, bare=words)


def _in_form(name: str) -> str:
    """A name as rules have it: codes are in capitals."""
    return code if CODE.fullmatch(code := name.strip().upper()) else name.strip()


def _is_directive(word: str, rest: str) -> bool:
    """Whether an unknown word after `tfnanlint:` is meant as a directive, and does not begin a sentence."""
    if not word:
        return False
    known = re.split("[-_]", word)[0] in _FOREIGN_WORDS or bool(suggestion(word, _WORDS[:2]))
    return known or not rest.strip() or rest.lstrip()[0] in "[(=:"


def _unused_names(pragma: Pragma, scope: Scope) -> list[str]:
    """What a comment names in vain; `*` for one that speaks for every rule. Rules that did not run prove nothing."""
    if pragma.trouble:
        return []
    if pragma.word == "on":
        known = [name for name in pragma.names or ("",) if not name or scope.has(name)]
        return [name or "*" for name in known if name not in pragma.used]
    if pragma.names is None:
        return ["*"] if not pragma.used and set(scope.known) <= {*scope.active, *META} else []
    ran = set(scope.active)
    return [name for name in pragma.names if name not in pragma.used and ran.issuperset(scope.rules(name))]


def _about(pragma: Pragma, lines: Sequence[str], path: str, scope: Scope) -> Iterator[Finding]:
    """The findings about one comment."""
    if pragma.trouble:
        yield _finding(
            BAD,
            pragma,
            path,
            pragma.trouble,
            no_fix="only the author of the comment knows what it was meant to silence",
        )
        return
    unknown = [name for name in pragma.names or () if not scope.has(name)]
    for name in unknown[:MOST_UNKNOWN]:
        hint = rule_hint(name, [*scope.known, *META, *scope.groups, *scope.codes])
        no_fix = "it may name a rule that this run did not load"
        yield _finding(BAD, pragma, path, f"no rule or group is named `{name}`{hint}", no_fix=no_fix)
    unused = _unused_names(pragma, scope)
    if unused:
        evidence = _told(pragma, unused)
        if pragma.above:
            no_fix = "it may be meant to protect code nearby; remove it by hand"
            yield _finding(UNUSED, pragma, path, evidence, no_fix=no_fix)
        else:
            yield _finding(UNUSED, pragma, path, evidence, fix=_without(pragma, unused, lines, path))


def _told(pragma: Pragma, unused: Sequence[str]) -> str:
    """What a comment does not do, in words."""
    word = pragma.word
    names = [f"`{name}`" for name in unused if name != "*"]
    if word == "on":
        return (
            f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} not off here"
            if names
            else "no rule is off here"
        )
    places = {"ignore-file": "in this file", "off": "in this block"}
    where = "in the statement below" if pragma.above else places.get(word, "on this line")
    return f"{'no ' + ' and no '.join(names) if names else 'nothing'} is found {where}"


def _finding(
    rule: str, pragma: Pragma, path: str, evidence: str, fix: Fix | None = None, no_fix: str | None = None
) -> Finding:
    end_column = pragma.column + len(pragma.text)
    place = (path, pragma.line, pragma.column, pragma.line, end_column)
    message = f"{META[rule][0]}: {evidence}"  # formats of one line show the message alone
    head = (rule, GROUP, "warning", "certain", "source", message, evidence)
    return Finding(*head, *place, fix=fix, no_fix=no_fix, code=CODES[rule])


def _without(pragma: Pragma, unused: Sequence[str], lines: Sequence[str], path: str) -> Fix:
    """The repair that takes the unused names out of a comment, or all of it when none is left."""
    line = lines[pragma.line - 1]
    start, end = pragma.column - 1, pragma.end_column - 1
    left = [name for name in pragma.listed or pragma.names or () if name not in unused]
    if left and pragma.word == NOQA:
        codes = _NOQA.match(line, start)
        assert codes is not None
        edit = Edit(path, pragma.line, codes.start("codes") + 1, pragma.line, codes.end("codes") + 1, ", ".join(left))
        return Fix("after", line[start : codes.start("codes")] + ", ".join(left), (edit,))
    if left:
        opening = line.index("[", start)
        closing = line.index("]", opening)
        edit = Edit(path, pragma.line, opening + 2, pragma.line, closing + 1, ", ".join(left))
        return Fix("after", line[start : opening + 1] + ", ".join(left) + line[closing:end].rstrip(), (edit,))
    if not line[:start].strip() and not line[end:].strip() and pragma.line < len(lines):
        return Fix("after", "remove the comment", (Edit(path, pragma.line, 1, pragma.line + 1, 1, ""),))
    if not line[end:].strip():
        start = len(line[:start].rstrip())
    return Fix("after", "remove the comment", (Edit(path, pragma.line, start + 1, pragma.line, end + 1, ""),))
