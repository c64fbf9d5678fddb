"""This tool against the linters people compare it with: on one corpus, in one run.

    python benchmarks/compare.py --setup /tmp/peers        # once: an environment for each peer
    python benchmarks/compare.py CORPUS --peers /tmp/peers

Measured for each: wall seconds, CPU seconds of the process and all its workers, and the memory of its largest process,
each the median of some runs. The peers do less (semgrep and Fixit apply one rule) or other things (ruff its default
rules, TorchFix its own), so the figures say what a user waits for, and no more. CPU seconds are the ones to compare on
a machine that is not idle. *Cold* runs start without any cache and, where a tool has one, fill it; *warm* ones find it.

A tool that is to look for the log of a softmax must find one before it is measured. One that takes longer over the
corpus than `--limit` is stopped, and its row says so; all finish a sample of the corpus. What was promised is told at
the end, with what was measured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

PEERS = ("ruff", "semgrep", "torchfix", "fixit")
ROOT = Path(__file__).resolve().parent.parent
SAMPLE = 40
"""Of how many files of the corpus a sample is made that every tool gets through, none of them large."""
LARGE = 20_000
"""Bytes."""
FILES = (500, 1500, 4000)
"""Of how many files the memory is measured."""
LARGEST = 20
"""How many of the largest files are among them each time: what more files add is then their number."""

SEMGREP_RULE = """\
rules:
  - id: log-of-softmax
    languages: [python]
    severity: WARNING
    message: log of softmax
    pattern: tf.math.log(tf.nn.softmax(...))
"""

FIXIT_RULE = """\
import libcst as cst
from fixit import LintRule


class LogOfSoftmax(LintRule):
    MESSAGE = "log of softmax"

    def visit_Call(self, node: cst.Call) -> None:
        if _calls(node, "log") and node.args and _calls(node.args[0].value, "softmax"):
            self.report(node)


def _calls(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == name
"""

# TorchFix passes over files that do not say "torch". To see what its engine costs on this corpus, it is given those
# that speak of TensorFlow or Keras, by the function its own command calls.
TORCHFIX_DRIVER = """\
import sys
import libcst.codemod as codemod
from torchfix.torchfix import TorchCodemod, TorchCodemodConfig, process_error_code_str

if __name__ == "__main__":
    words = (b"tensorflow", b"keras")
    files = [f for f in codemod.gather_files(sys.argv[2:]) if any(word in open(f, "rb").read() for word in words)]
    config = TorchCodemodConfig(list(process_error_code_str(None)))
    command = TorchCodemod(codemod.CodemodContext(), config)
    codemod.parallel_exec_transform_with_prettyprint(
        command, files, jobs=int(sys.argv[1]), unified_diff=5, hide_progress=True, format_code=False, repo_root=None
    )
"""

SMALL_FILES = {
    "One small file without TensorFlow": "import os\n\n\ndef here():\n    return os.getcwd()\n",
    "One small file of TensorFlow, clean": (
        "import tensorflow as tf\n\n\ndef loss(x):\n    return tf.reduce_mean(tf.nn.log_softmax(x))\n"
    ),
    "One small file with a finding": (
        "import tensorflow as tf\n\n\ndef loss(x):\n    return tf.math.log(tf.nn.softmax(x))\n"
    ),
}


@dataclass(frozen=True)
class Cost:
    """What a run cost: seconds, seconds, megabytes; and its exit status, None where it was stopped."""

    wall: float
    cpu: float
    peak: float
    status: int | None


@dataclass(frozen=True)
class Tool:
    """A command to measure, without its paths.

    `cache` is the option that names a cache, if there is one, and `warm` has the tool find there what it left; `says`
    is what it prints for a file with a finding; `heavy` tools run once however often the others do: they take minutes.
    """

    name: str
    command: tuple[str, ...]
    cache: str = ""
    warm: bool = False
    says: str = ""
    heavy: bool = False


@dataclass(frozen=True)
class Bench:
    """Where commands run, and how long they may take, in seconds."""

    folder: Path
    limit: float

    def run(self, command: Sequence[str], output: int = subprocess.DEVNULL) -> tuple[Cost, bytes]:
        """What one run of a command costs, and its output if that is piped."""
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            start_new_session=True,
        )
        stopped = threading.Event()
        timer = threading.Timer(self.limit, lambda: (stopped.set(), _end(process.pid)))
        timer.start()
        try:
            told = process.stdout.read() if process.stdout else b""
            _, status, used = os.wait4(process.pid, 0)
        except KeyboardInterrupt:
            _end(process.pid)
            raise
        finally:
            timer.cancel()
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        scale = 1 if sys.platform == "darwin" else 1024
        cost = Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * scale / 1e6, process.returncode)
        return (Cost(wall, 0.0, 0.0, None) if stopped.is_set() else cost), told

    def measure(self, tool: Tool, paths: Sequence[str], repeat: int) -> Cost:
        """The median of some runs of a tool; one that is stopped is not run again."""
        with tempfile.TemporaryDirectory() as scratch:
            kept = Path(scratch) / "kept"
            if tool.warm:
                self.run([*tool.command, tool.cache, str(kept), *paths])
            costs = []
            for number in range(repeat):
                folder = kept if tool.warm else Path(scratch) / str(number)
                cost, _ = self.run([*tool.command, *((tool.cache, str(folder)) if tool.cache else ()), *paths])
                costs.append(cost)
                if cost.status is None:
                    return cost
        return Cost(
            *(statistics.median(getattr(c, n) for c in costs) for n in ("wall", "cpu", "peak")), costs[0].status
        )


def _end(process: int) -> None:
    """End a process that leads a group, and its workers."""
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def find(name: str, peers: Path | None) -> str | None:
    """The command of a peer: in the environment made for it, else on the PATH."""
    if peers and (found := shutil.which(name, path=str(peers.resolve() / name / "bin"))):
        return found
    return shutil.which(name)


def own_tools() -> Iterator[Tool]:
    """This tool from this clone, as its installed command starts it, cold and warm, with one job and with two."""
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tfnanlint.cli import main; sys.exit(main())"
    own = (sys.executable, "-c", start, "check", "--isolated", "--quiet", "--output-format", "concise")
    for warm in (False, True):
        for jobs in (1, 2):
            name = f"tfnanlint, {'warm' if warm else 'cold'}, {jobs} job{'s' if jobs > 1 else ''}"
            yield Tool(name, (*own, "--jobs", str(jobs)), "--cache-dir", warm, says="log-softmax")


def peer_tools(peers: Path | None, scratch: Path) -> Iterator[Tool]:
    """The peers that there are; a line for each that is not."""
    commands = {name: find(name, peers) for name in PEERS}
    for name, command in commands.items():
        if command is None:
            print(f"{name}: not installed, passed over (see --setup)")
    if ruff := commands["ruff"]:
        for warm in (False, True):
            name = f"ruff check, {'warm' if warm else 'cold'}"
            yield Tool(name, (ruff, "check", "--isolated", "--quiet"), "--cache-dir", warm)
    if semgrep := commands["semgrep"]:
        rule = scratch / "rule.yml"
        rule.write_text(SEMGREP_RULE)
        options = ("--metrics=off", "--disable-version-check", "--no-git-ignore", "--x-ignore-semgrepignore-files")
        command = (semgrep, "scan", "-j", "2", "--quiet", *options, "--config", str(rule))
        yield Tool("semgrep, one rule", command, says="log-of-softmax")
    if fixit := commands["fixit"]:
        # A configuration speaks for the files below its own folder only; a rule named on the command line, for all.
        (scratch / "one_rule.py").write_text(FIXIT_RULE)
        command = (fixit, "--quiet", "--rules", ".one_rule", "lint")
        yield Tool("Fixit, one rule", command, says="LogOfSoftmax", heavy=True)
    if torchfix := commands["torchfix"]:
        driver = scratch / "torchfix_driver.py"
        driver.write_text(TORCHFIX_DRIVER)
        python = Path(torchfix).parent / "python"
        yield Tool("TorchFix, its rules", (str(python), str(driver), "2"), heavy=True)


def working(tools: Sequence[Tool], bench: Bench) -> Iterator[Tool]:
    """The tools that say of a file with a finding what they are to say; a line for each that does not."""
    small = bench.folder / "finding.py"
    small.write_text(SMALL_FILES["One small file with a finding"])
    for tool in tools:
        cost, told = bench.run([*tool.command, str(small)], subprocess.PIPE)
        if cost.status in (0, 1) and tool.says in told.decode(errors="replace"):
            yield tool
        else:
            said = f"without `{tool.says}`" if tool.says else ""
            print(f"{tool.name}: exit status {cost.status} {said} for a file with a finding, passed over")


Row = tuple[Tool, str, Sequence[str], int]
"""A tool, the name of its row, the paths that it is given, and how often it runs."""


def show(title: str, rows: Sequence[Row], bench: Bench) -> dict[str, Cost]:
    """Measure tools and print a table, by name of row; ratios are to the first."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("")
    for heading in ("CPU s", "ratio", "wall s", "ratio", "peak MB", "runs"):
        table.add_column(heading, justify="right")
    costs: dict[str, Cost] = {}
    print()
    with Live(table, console=Console(width=100)):  # on a terminal, row by row
        for tool, name, paths, repeat in rows:
            cost = costs[name] = bench.measure(tool, paths, repeat)
            base = next(iter(costs.values()))
            if cost.status is None:
                table.add_row(
                    f"{name}: stopped", "", "", f"> {bench.limit:.0f}", f"> {bench.limit / base.wall:.0f}", "", ""
                )
                continue
            cpu, wall = (
                (f"{cost.cpu:.2f}", f"{cost.cpu / base.cpu:.2f}"),
                (f"{cost.wall:.2f}", f"{cost.wall / base.wall:.2f}"),
            )
            failed = "" if cost.status in (0, 1) else f" (exit status {cost.status})"
            table.add_row(name + failed, *cpu, *wall, f"{cost.peak:.0f}", str(repeat))
    return costs


def subset(corpus: Path, files: Sequence[Path], folder: Path) -> str:
    """A folder with some files of a corpus, under the paths that they have there."""
    for file in files:
        place = folder / file.relative_to(corpus)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    return str(folder)


def measure_memory(corpus: Path, tools: Sequence[Tool], bench: Bench) -> dict[str, Cost]:
    """Over more and more files of a corpus, the largest among them each time."""
    files = sorted(corpus.rglob("*.py"))
    files = list(dict.fromkeys([*nlargest(LARGEST, files, key=lambda file: file.stat().st_size), *files]))
    counts = [count for count in FILES if count <= len(files)] or [len(files)]
    folders = {count: subset(corpus, files[:count], bench.folder / str(count)) for count in counts}
    own = [tool for tool in tools if tool.name.startswith("tfnanlint, cold")]
    rows: list[Row] = [(tool, f"{tool.name}, {count} files", [folders[count]], 1) for tool in own for count in counts]
    return show(f"Memory, on files of {corpus.name}", rows, bench)


def promises(
    whole: Mapping[str, Cost], small: Mapping[str, Cost], memory: Mapping[str, Cost]
) -> Iterator[tuple[str, float, float]]:
    """What was promised, what was measured of it, and what it may be at most."""
    if "ruff check, cold" in whole:
        warm = min(whole[f"tfnanlint, warm, {jobs}"].wall for jobs in ("1 job", "2 jobs"))
        yield "warm beside ruff check cold, wall", warm / whole["ruff check, cold"].wall, 1.0
    if "semgrep, one rule" in whole:
        cold, semgrep = whole["tfnanlint, cold, 2 jobs"], whole["semgrep, one rule"]
        yield "cold beside semgrep with one rule, two jobs each, wall", cold.wall / semgrep.wall, 2.0
    yield "one small clean file, first time, wall seconds", small["tfnanlint, cold, 1 job"].wall, 0.15
    for jobs in ("1 job", "2 jobs"):
        peaks = [cost.peak for name, cost in memory.items() if f", {jobs}," in name]
        yield f"memory over the most files beside that over the fewest, {jobs}", peaks[-1] / peaks[0], 1.25


def set_up(folder: Path) -> None:
    """Install each peer in an environment of its own; one that cannot be installed is passed over."""
    for name in PEERS:
        subprocess.run([sys.executable, "-m", "venv", str(folder / name)], check=True)
        done = subprocess.run([str(folder / name / "bin" / "pip"), "install", "-q", name], check=False)
        print(f"{name}: {'installed' if done.returncode == 0 else 'could not be installed'}")


def main() -> int:
    """Parse the arguments, and set up or measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", nargs="?", type=Path, help="a folder of Python files")
    parser.add_argument("--memory", type=Path, metavar="DIR", help="a folder of more files, to measure memory on")
    parser.add_argument("--setup", type=Path, metavar="DIR", help="install the peers below a folder")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="where --setup has installed them")
    parser.add_argument("--repeat", type=int, default=3, help="runs over the corpus, of which the median counts")
    parser.add_argument("--limit", type=float, default=120.0, metavar="SECONDS", help="for one run (default: 120)")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # where no user would keep it, all would be compiled each time
    if options.setup:
        set_up(options.setup)
    if options.corpus is None:
        return 0 if options.setup else parser.error("name a corpus, or --setup")
    corpus, started = options.corpus.resolve(), time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), options.limit)
        tools = list(working([*own_tools(), *peer_tools(options.peers or options.setup, bench.folder)], bench))
        files = sorted(corpus.rglob("*.py"))
        rows: list[Row] = [(tool, tool.name, [str(corpus)], 1 if tool.heavy else options.repeat) for tool in tools]
        whole = show(f"{corpus.name}: {len(files)} files, {os.cpu_count()} cores", rows, bench)
        light = [file for file in files if file.stat().st_size < LARGE] or files
        chosen = light[:: max(1, len(light) // SAMPLE)][:SAMPLE]
        sample = subset(corpus, chosen, bench.folder / "sample")
        rows = [(tool, tool.name, [sample], 1) for tool in tools if not tool.warm]
        show(f"{corpus.name}: a sample of {len(chosen)} files below {LARGE // 1000} kB", rows, bench)
        small: dict[str, dict[str, Cost]] = {}
        for title, text in SMALL_FILES.items():
            (bench.folder / "small.py").write_text(text)
            rows = [
                (t, t.name, [str(bench.folder / "small.py")], 3 if t.heavy else 2 * options.repeat + 1) for t in tools
            ]
            small[title] = show(title, rows, bench)
        unhurried = Bench(bench.folder, 10 * options.limit)
        memory = measure_memory((options.memory or corpus).resolve(), tools, unhurried)
        print()
        for what, measured, most in promises(whole, next(iter(small.values())), memory):
            print(f"{what}: {measured:.2f} (at most {most:.2f}: {'kept' if measured <= most else 'NOT KEPT'})")
        print(f"All of it took {(time.perf_counter() - started) / 60:.1f} minutes.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
