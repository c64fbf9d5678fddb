"""Bugs with NaN and Inf that public repositories fixed: how many are found, and how many of the repairs are flagged.

    python benchmarks/bugs.py --needed                         # the repositories that it takes
    python benchmarks/bugs.py REPOSITORIES [--half open|aside] [--tree] [--list] [--bugs FILE]

`bugs.json` beside this file names them: repository, fixing commit and its parent, path, the lines of the hazard before
the fix and of the repaired expression after it, and what was not finite. It holds no code. A clone of each repository
stands below the folder REPOSITORIES, bare or not, as OWNER+NAME or OWNER+NAME/repo.

Each file is linted with the default settings as it was before the fix, alone or, with `--tree`, among the Python files
of its commit. A bug is *found* if a finding overlaps its lines; the repair is *flagged* if one overlaps the lines of
the repaired version. The bugs of some repositories, by the hash of their names, are set aside: whoever improves the
linter studies the open half bug by bug, with `--list`, and of the other half only the totals.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
BUGS = Path(__file__).with_name("bugs.json")
HALVES = ("open", "aside")
START = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tfnanlint.cli import main; sys.exit(main())"
LINT = (sys.executable, "-c", START, "check", "--isolated", "--no-cache", "--quiet", "--output-format", "json")


class Bug(NamedTuple):
    """Where a bug stands; the lines before the fix are those of the parent's file."""

    repository: str
    commit: str
    parent: str
    path: str
    before: list[int]
    after: list[int]
    failed: str
    half: str


class Missing(Exception):
    """A repository, or a commit of one, that is not there."""


def read_bugs(path: Path) -> list[Bug]:
    return [Bug(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def git(folder: Path, repository: str, *command: str) -> bytes:
    """What a git command prints in the clone of a repository."""
    name = repository.replace("/", "+")
    home = next((home for home in (folder / name, folder / name / "repo") if is_clone(home)), None)
    if home is None:
        raise Missing(f"{repository}: no clone of it at {folder / name}")
    done = subprocess.run(["git", "-C", str(home), *command], capture_output=True, check=False)
    if done.returncode:
        raise Missing(f"{repository}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def is_clone(folder: Path) -> bool:
    return (folder / "HEAD").is_file() or (folder / ".git").exists()


class Linter:
    """The lines that findings span, file by file."""

    def __init__(self, repositories: Path, tree: bool) -> None:
        self.repositories = repositories
        self.tree = tree

    @cache  # noqa: B019  it lives as long as the program
    def spans(self, repository: str, commit: str, path: str) -> list[tuple[int, int]]:
        """The first and last line of each finding in a file, as a commit has it."""
        with tempfile.TemporaryDirectory() as scratch:
            if self.tree:
                packed = git(self.repositories, repository, "archive", commit, "--", ":(glob)**/*.py")
                with tarfile.open(fileobj=io.BytesIO(packed)) as files:
                    files.extractall(scratch, [file for file in files if file.isfile()], filter="data")
            else:
                target = Path(scratch, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(git(self.repositories, repository, "show", f"{commit}:{path}"))
            done = subprocess.run([*LINT, path], cwd=scratch, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            print(f"{repository} {commit[:10]} {path}: {done.stderr.strip()}", file=sys.stderr)
        found = json.loads(done.stdout or "[]")
        return [(one["line"], one["end_line"]) for one in found if one["path"].endswith(path)]

    def overlaps(self, bug: Bug, commit: str, lines: list[int]) -> bool:
        spans = self.spans(bug.repository, commit, bug.path)
        return any(first <= line <= last for first, last in spans for line in lines)


def scores(bugs: list[Bug], linter: Linter) -> Iterator[tuple[Bug, bool, bool]]:
    """(bug, whether it is found, whether its repair is flagged); a line on standard error for one that is missing."""
    for bug in bugs:
        try:
            yield (
                bug,
                linter.overlaps(bug, bug.parent, bug.before),
                linter.overlaps(bug, bug.commit, bug.after),
            )
        except Missing as missing:
            print(missing, file=sys.stderr)


def main() -> int:
    """Score the bugs of the halves that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repositories", nargs="?", type=Path, help="a folder of clones")
    parser.add_argument("--needed", action="store_true", help="print the repositories that the bugs are from")
    parser.add_argument("--half", choices=HALVES, help="the open bugs or those set aside (default: both)")
    parser.add_argument("--tree", action="store_true", help="lint a file among the Python files of its commit")
    parser.add_argument("--list", action="store_true", help="name the open bugs that are missed, the repairs flagged")
    parser.add_argument("--bugs", type=Path, default=BUGS, help="references in the form of %(default)s")
    options = parser.parse_args()
    halves = HALVES if options.half is None else (options.half,)
    bugs = [bug for bug in read_bugs(options.bugs) if bug.half in halves]
    if options.needed:
        print(*sorted({bug.repository for bug in bugs}, key=str.lower), sep="\n")
        return 0
    if options.repositories is None:
        parser.error("which folder holds the clones? (--needed names them)")
    counts: Counter[tuple[str, str]] = Counter()
    for bug, found, flagged in scores(bugs, Linter(options.repositories, options.tree)):
        counts.update({(bug.half, "bugs"): 1, (bug.half, "found"): found, (bug.half, "flagged"): flagged})
        place = f"{bug.repository} {bug.path}:{bug.before[0]}: {bug.failed}"
        if options.list and bug.half == "open" and not found:
            print(f"missed   {place}")
        if options.list and bug.half == "open" and flagged:
            print(f"flagged  {place} (repaired at {bug.after[0]} in {bug.commit[:10]})")
    for half in halves:
        total, found, flagged = (counts[half, what] for what in ("bugs", "found", "flagged"))
        print(f"{half + ':':7}{found:4} of {total:4} bugs found, {flagged:4} repairs flagged")
    return 0 if sum(counts[half, "bugs"] for half in halves) == len(bugs) else 1


if __name__ == "__main__":
    sys.exit(main())
