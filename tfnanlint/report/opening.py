"""What the page opens with: what was linted, how grave it is, how much can be fixed and how, what its words mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone

from tfnanlint import __version__
from tfnanlint.report import Report
from tfnanlint.vocabulary import SEVERITIES

NO_FIX = "none"
FIX_NAMES = {
    "after": "equivalent fix",
    "guard": "fix adds a guard",
    "rework": "fix changes training",
    NO_FIX: "no fix",
}
WORDS = {
    "error": "A value or a gradient becomes NaN or infinite.",
    "warning": "The same, but only under XLA or in a rare case; or the model trains badly, or precision is lost.",
    "info": "Often harmless, or merely possible.",
    "certain": "It fails whatever the data is.",
    "likely": "Ordinary data triggers it: a very confident network, equal rows, a prediction that equals its label.",
    "possible": "It would fail for some values, but nothing shows that the program gets them. Only with --pedantic.",
    "equivalent fix": "The same function up to rounding. Applied by tfnanlint --fix.",
    "fix adds a guard": "Differs only next to the point of failure. Applied by tfnanlint --fix.",
    "fix changes training": "The model trains differently. Applied by tfnanlint --fix --unsafe-fixes only.",
}
"""What the words of the page mean to someone who trains models."""


def opening(report: Report) -> Iterator[str]:
    """The summary above the findings."""
    found = report.findings
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    yield f'<section class="opening">\n<p>tfnanlint {__version__} checked {_many(report.files, "file")} on {now}.'
    if not found:
        yield "</p>\n</section>\n"
        return
    counts = Counter(one.severity for one in found)
    graded = [f"<b class='{s}'>{_graded(counts[s], s)}</b>" for s in SEVERITIES if counts[s]]
    made = [one.fix.safe or one.path in report.unsafe for one in found if one.fix is not None]
    plain, more = made.count(True), made.count(False)
    yield f" It found {', '.join(graded)}.</p>\n<ul>\n"
    if plain:
        yield f"<li><code>tfnanlint --fix</code> fixes {plain} of {len(found)}.</li>\n"
    if more:
        command = "<code>tfnanlint --fix --unsafe-fixes</code>"
        yield f"<li class='rework'>{command} fixes {more} more, and changes training.</li>\n"
    if len(made) < len(found):
        yield f"<li>{_without(len(found) - len(made))}</li>\n"
    yield "</ul>\n<details><summary>What the words mean</summary>\n<dl>\n"
    yield from (f"<dt>{word}</dt><dd>{meaning}</dd>\n" for word, meaning in WORDS.items())
    yield "</dl>\n</details>\n</section>\n"


def _graded(count: int, severity: str) -> str:
    return f"{count} info" if severity == "info" else _many(count, severity)


def _without(count: int) -> str:
    return (
        f"{count} problems have no automatic fix; each says why." if count > 1 else "1 problem has none; it says why."
    )


def _many(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"
