"""What `--fix --unsafe-fixes` does to whole packages: every hunk it writes, and whether it keeps its promises.

    python benchmarks/fix_packages.py PACKAGE... --into /tmp/fixed

Each package is copied below the folder, and the copies are repaired. Then each promise is checked by other means than
the tool's own: every changed file compiles, no file has appeared or gone or has another mode, what changed is what the
JSON report had announced edit by edit and no byte more, and a second run changes nothing. The exit status says whether
all of that held.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROUNDS = 10
ALL = ["--fix", "--unsafe-fixes"]


class Copies:
    """The copies of some packages, with the bytes and modes that they were copied with."""

    def __init__(self, packages: Sequence[Path], folder: Path) -> None:
        self.folder = folder
        self.names = [package.name for package in packages]
        for package in packages:
            shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__"))
        self.before = self.contents()

    def contents(self) -> dict[str, tuple[int, bytes]]:
        """(mode, bytes) of every file, by its path below the folder."""
        files = [path for name in self.names for path in sorted((self.folder / name).rglob("*")) if path.is_file()]
        return {str(path.relative_to(self.folder)): (path.stat().st_mode, path.read_bytes()) for path in files}

    def changed(self) -> dict[str, tuple[int, bytes]]:
        """What differs from what was copied; a file that has gone stands there with no bytes and mode 0."""
        now = self.contents()
        every = sorted(now.keys() | self.before.keys())
        return {path: now.get(path, (0, b"")) for path in every if now.get(path) != self.before.get(path)}

    def lint(self, options: Sequence[str], paths: Sequence[str] = ()) -> tuple[int, str, str]:
        """(exit status, standard output, standard error) of a run over the copies, or over some of their files."""
        given = [*options, "--isolated", "--cache-dir", str(self.folder / ".cache")]
        command = [sys.executable, "-m", "tfnanlint", *(paths or self.names), *given]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def report(self, paths: Sequence[str] = ()) -> list[dict[str, Any]]:
        """The JSON report; a run that goes wrong ends the program with what it said."""
        status, out, err = self.lint(["--output-format", "json"], paths)
        if status == 2 and not out:
            sys.exit(err)
        return list(json.loads(out))


def offsets(text: str, edit: dict[str, Any]) -> tuple[int, int]:
    """The offsets between which an edit of the report replaces the text."""
    starts = [0, *(end.end() for end in re.finditer("\r\n|\r|\n", text))]
    ends = [(edit["line"], edit["column"]), (edit["end_line"], edit["end_column"])]
    start, end = (starts[line - 1] + column - 1 for line, column in ends)
    return start, end


def applied(text: str, findings: Sequence[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """A text after the announced edits that can be made side by side, and the findings they belong to."""
    done: list[dict[str, Any]] = []
    taken: list[tuple[int, int, str]] = []
    for found in findings:
        wanted = [(*offsets(text, edit), edit["text"]) for edit in found["fix"]["edits"]]
        wanted = [edit for edit in wanted if edit not in taken]
        if not any(a < d and c < b for a, b, _ in wanted for c, d, _ in taken):
            taken += wanted
            done.append(found)
    for start, end, new in sorted(taken, reverse=True):
        text = text[:start] + new + text[end:]
    return text, done


def replayed(copies: Copies, after: dict[str, bytes]) -> tuple[list[dict[str, Any]], set[str]]:
    """(the findings whose announced edits make the repaired texts of the copied ones, the files they do not make)."""
    texts = {path: data.decode() for path, (_, data) in copies.before.items() if path in after}
    made: list[dict[str, Any]] = []
    left: set[str] = set(after)
    announced = copies.report()
    for _ in range(ROUNDS):
        for path in sorted(left):
            fixable = [found for found in announced if found["path"] == path and found["fix"]]
            texts[path], done = applied(texts[path], fixable)
            made += done
            (copies.folder / path).write_bytes(texts[path].encode())
        left = {path for path in left if texts[path].encode() != after[path]}
        if not left:
            break
        announced = copies.report(sorted(left))
    return made, left


def compiles(path: str, data: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(data, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
    return True


def main() -> int:
    """Repair copies of the packages, print what that changed, and say what did not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("packages", nargs="+", type=Path, metavar="PACKAGE", help="folders")
    parser.add_argument("--into", required=True, type=Path, help="a folder, empty or new, for the repaired copies")
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    copies = Copies(options.packages, options.into)
    first, _, said = copies.lint(ALL)
    changed = copies.changed()
    second, _, _ = copies.lint(ALL)
    again = copies.changed()
    after = {path: data for path, (_, data) in changed.items()}
    for path in changed:
        (copies.folder / path).write_bytes(copies.before.get(path, (0, b""))[1])
    made, unannounced = replayed(copies, after)
    for path, data in after.items():
        (copies.folder / path).write_bytes(data)
        old, new = copies.before[path][1].decode(), data.decode()
        whose = [f"{f['line']}: {f['rule']} ({f['fix']['kind']})" for f in made if f["path"] == path]
        print(f"\n{path}\n    " + "\n    ".join(whose))
        print("\n".join(list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2))[2:]))
    kinds = Counter(found["fix"]["kind"] for found in made)
    print(f"\n{len(made)} fixes in {len(after)} files: {', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))}")
    print(said.strip())
    promises = {
        "every changed file compiles": all(compiles(path, data) for path, data in after.items()),
        "no file appeared or went, and every mode is kept": all(
            path in copies.before and copies.before[path][0] == mode for path, (mode, _) in changed.items()
        ),
        "nothing outside the announced edits differs": not unannounced,
        "a second run changes nothing": again == changed,
        "both runs ended with status 0 or 1": {first, second} <= {0, 1},
    }
    for promise, held in promises.items():
        print(("held:   " if held else "BROKEN: ") + promise)
    return 0 if all(promises.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
