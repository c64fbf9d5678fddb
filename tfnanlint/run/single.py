"""One file, from its bytes to its findings and those in the files it uses: prefilter first, then every rule.

Errors stay with their file: an unreadable file, or a rule that crashes on it, becomes a `Problem`.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfnanlint.config.settings import Settings
from tfnanlint.errors import RuleError, SourceError
from tfnanlint.limits import SECONDS, WAY_OUT, TooLong, give_back_memory, processor_time
from tfnanlint.run.files import FileError, decode, read_bytes, refuse_null_bytes, shown
from tfnanlint.run.problem import Problem, crash
from tfnanlint.source.packages import may_mention_package, mentions_package
from tfnanlint.source.project import Project, Trace, digest
from tfnanlint.suppress.meta import are_marked

if TYPE_CHECKING:
    from tfnanlint.finding import Finding
    from tfnanlint.notebook import Notebook
    from tfnanlint.run.text import Linted

NOTEBOOK = ".ipynb"
GARBAGE = 4_000_000
"""Bytes of linted source after which what is left of them is looked for, and the system gets its memory back."""

LARGEST = 2_000_000
"""Bytes beyond which a file is not analysed: its syntax tree would take a thousand times as much memory."""


class Raw:
    """What linting one file gave, before any comment is heard: findings in it, and through it in others.

    `digest` is of the bytes that were linted, `trace` of all else that it depends on; `marked` says that a comment may
    have something to say, `unreadable` that there is nothing to judge. `book` is the notebook that was linted,
    `seconds` the time of the processor that it took.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.problems: list[Problem] = []
        self.digest = ""
        self.marked = False
        self.unreadable = False
        self.seconds = 0.0
        self.trace = Trace()
        self.book: Notebook | None = None

    def fail(self, problem: Problem) -> None:
        """Leave nothing to judge but this problem."""
        self.unreadable = True
        self.problems = [problem]


class Linter:
    """Lints the files of one run, each under its own settings, and keeps what several of them import.

    `overlay` has what stands for files: bytes, such as standard input, or the texts that repairs have made of them.
    """

    def __init__(self, settings: Mapping[str, Settings], overlay: Mapping[str, bytes | str] | None = None) -> None:
        self.settings = settings
        self._overlay: Mapping[str, bytes | str] = {}
        self.project = Project(shown=shown)
        self._linted = 0
        self.revise(overlay or {})

    def revise(self, overlay: Mapping[str, bytes | str]) -> None:
        """Replace the texts of the overlay."""
        self._overlay = overlay
        self.project.revise({path: text for path, text in overlay.items() if not path.endswith(NOTEBOOK)})

    def data(self, path: str) -> bytes:
        """The bytes of a file, from the overlay or from disk."""
        text = self._overlay.get(path)
        if text is None:
            return read_bytes(path)
        return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")

    def dismissed(self, path: str) -> Raw | None:
        """What linting a file gives where a look at its bytes shows that nothing can be found; None elsewhere."""
        raw = Raw(path)
        try:
            return None if self._is_worth_reading(raw, self.data(path)) else raw
        except Exception:
            return None  # `lint` will say what is wrong

    def lint(self, path: str, pedantic: bool = False) -> Raw:
        """Lint one file; `RuleError` for a rule that no file can use."""
        settings = self.settings[path]._replace(pedantic=True) if pedantic else self.settings[path]
        raw = Raw(path)
        start = time.thread_time()
        try:
            with processor_time(SECONDS):
                data = self.data(path)
                if self._is_worth_reading(raw, data):
                    self._lint(raw, data, settings)
            self._collect(len(data))
        except TooLong:
            raw.fail(Problem(path, 0, 0, f"not analysed: it takes more than {SECONDS:g} s; {WAY_OUT}"))
        except MemoryError:
            raw.fail(Problem(path, 0, 0, f"not analysed: it takes more memory than there is; {WAY_OUT}"))
        except (SourceError, FileError) as error:
            raw.fail(Problem.of(path, error))
        except RuleError:
            raise
        except Exception as error:
            raw.fail(crash(path, "", error))
        raw.seconds = time.thread_time() - start
        return raw

    def _is_worth_reading(self, raw: Raw, data: bytes) -> bool:
        """The cheap look: whether anything may be found in these bytes of a file, or through them."""
        raw.digest = digest(data)
        raw.trace = self.project.begin()
        if b"\0" in data:
            if mentions_package(data.replace(b"\0", b"")):  # UTF-16 has a null byte in each letter
                refuse_null_bytes(data, raw.path)
            return False
        raw.marked = len(data) <= LARGEST and are_marked(data)
        if isinstance(self._overlay.get(raw.path), str) or may_mention_package(data):
            return True
        if raw.path.endswith(NOTEBOOK):
            return raw.marked or b"import" in data
        return self.project.leads_to_tensorflow(data, raw.path)

    def _lint(self, raw: Raw, data: bytes, settings: Settings) -> None:
        path = raw.path
        text = self._overlay.get(path)
        if isinstance(text, str):
            self._lint_text(raw, text, settings)
        elif path.endswith(NOTEBOOK):
            self._lint_notebook(raw, data, settings)
        elif len(data) > LARGEST:
            size = f"{len(data) / 1e6:.1f} MB exceeds the {LARGEST / 1e6:.0f} MB limit"
            raise FileError(f"{path}: skipped: {size}. Add it to `exclude`.")
        else:
            self._lint_text(raw, decode(data, path).text, settings)

    def _lint_notebook(self, raw: Raw, data: bytes, settings: Settings) -> None:
        from tfnanlint.notebook import read_notebook

        book = read_notebook(data, raw.path)
        if book is None:
            return
        worth = mentions_package(data)
        if not worth and not self.project.leads_to_tensorflow(book.text.encode("utf-8", "replace"), raw.path):
            raw.book = book if raw.marked else None
            return
        while True:
            try:
                self._lint_text(raw, book.text, settings)
                break
            except SourceError as error:  # the two parsers do not agree on everything
                book = book.without(error)
        raw.book = book

    def _lint_text(self, raw: Raw, text: str, settings: Settings) -> None:
        """Lint by the file's own rules, and once more by those of each file that it leads into and that has others."""
        linted = self._asked_for(text, raw.path, settings, settings)
        raw.findings, raw.problems = linted.findings, linted.problems
        around = {found for file in raw.trace.files if (found := self.settings.get(shown(file))) is not None}
        for theirs in sorted({other._replace(pedantic=settings.pedantic) for other in around} - {settings}, key=repr):
            raw.findings += self._asked_for(text, raw.path, settings, theirs).findings

    def _asked_for(self, text: str, path: str, own: Settings, by: Settings) -> Linted:
        """What is found by some settings, without what is in files that have others or that the run is not over."""
        from tfnanlint.run.plan import plan_of
        from tfnanlint.run.text import lint_raw

        plan = plan_of(by)
        linted = lint_raw(text, path, plan.rules, by.pedantic, plan.assumptions, self.project)
        of: dict[str, Settings] = {path: own}
        for found in linted.findings:
            if found.path not in of and found.path in self.settings:
                of[found.path] = self.settings[found.path]._replace(pedantic=by.pedantic)
        linted.findings = [found for found in linted.findings if of.get(found.path) == by]
        return linted

    def _collect(self, size: int) -> None:
        """Where nobody else does, throw away what is left of linted files, and pass over what is kept of others."""
        self._linted += size
        if self._linted > GARBAGE and len(self.settings) > 1 and not gc.isenabled():
            self._linted = 0
            gc.collect()
            gc.freeze()
            give_back_memory()
