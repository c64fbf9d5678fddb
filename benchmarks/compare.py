"""This tool against the linters people compare it with: on one corpus, in one run.

    python benchmarks/compare.py --setup /tmp/peers        # once: an environment for each peer
    python benchmarks/compare.py CORPUS --peers /tmp/peers

Measured for each: wall seconds, CPU seconds of the process and all its workers, and the memory of its largest process,
each the median of some runs. The peers do less (semgrep and Fixit apply one rule) or other things (ruff its default
rules, TorchFix its own), so the figures say what a user waits for, and no more. CPU seconds are the ones to compare on
a machine that is not idle. *Cold* runs start without any cache and, where a tool has one, fill it; *warm* ones find it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

PEERS = ("ruff", "semgrep", "torchfix", "fixit")
FILES = (500, 1500, 4000, 7000)
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

FIXIT_CONFIG = '[tool.fixit]\nroot = true\nenable = [".one_rule"]\ndisable = ["fixit.rules"]\n'

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

CLEAN_FILE = "import os\n\n\ndef here():\n    return os.getcwd()\n"
FINDING_FILE = "import tensorflow as tf\n\n\ndef loss(x):\n    return tf.math.log(tf.nn.softmax(x))\n"


@dataclass(frozen=True)
class Cost:
    """What a run cost: seconds, seconds, megabytes."""

    wall: float
    cpu: float
    peak: float


@dataclass(frozen=True)
class Tool:
    """A command to measure, without its paths.

    `cache` is the option that names a cache, if there is one, and `warm` has the tool find there what it left; `heavy`
    tools run over a corpus once however often the others do, for they take minutes.
    """

    name: str
    command: tuple[str, ...]
    cache: str = ""
    warm: bool = False
    heavy: bool = False


def run_once(command: Sequence[str]) -> Cost:
    """What one run of a command costs, whose output is thrown away."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        print(f"  (exit status {process.returncode}: {' '.join(command[:3])} ...)", file=sys.stderr)
    scale = 1 if sys.platform == "darwin" else 1024
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * scale / 1e6)


def measure(tool: Tool, paths: Sequence[str], repeat: int) -> Cost:
    """The median of some runs of a tool."""
    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(scratch) / "kept"
        if tool.warm:
            run_once([*tool.command, tool.cache, str(kept), *paths])
        costs = []
        for number in range(repeat):
            folder = kept if tool.warm else Path(scratch) / str(number)
            costs.append(run_once([*tool.command, *((tool.cache, str(folder)) if tool.cache else ()), *paths]))
    return Cost(*(statistics.median(getattr(cost, name) for cost in costs) for name in ("wall", "cpu", "peak")))


def find(name: str, peers: Path | None) -> str | None:
    """The command of a peer: in the environment made for it, else on the PATH."""
    if peers and (found := shutil.which(name, path=str(peers / name / "bin"))):
        return found
    return shutil.which(name)


def own_tools() -> Iterator[Tool]:
    """This tool, cold and warm, with one job and with two."""
    own = (sys.executable, "-m", "tfnanlint", "check", "--isolated", "--quiet", "--output-format", "concise")
    for warm in (False, True):
        for jobs in (1, 2):
            name = f"tfnanlint, {'warm' if warm else 'cold'}, {jobs} job{'s' if jobs > 1 else ''}"
            yield Tool(name, (*own, "--jobs", str(jobs)), "--cache-dir", warm)


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
        yield Tool("semgrep, one rule", (semgrep, "scan", "-j", "2", "--quiet", *options, "--config", str(rule)))
    if fixit := commands["fixit"]:
        (scratch / "one_rule.py").write_text(FIXIT_RULE)
        config = scratch / "fixit.toml"
        config.write_text(FIXIT_CONFIG)
        yield Tool("Fixit, one rule", (fixit, "--quiet", "--config-file", str(config), "lint"), heavy=True)
    if torchfix := commands["torchfix"]:
        driver = scratch / "torchfix_driver.py"
        driver.write_text(TORCHFIX_DRIVER)
        python = Path(torchfix).parent / "python"
        yield Tool("TorchFix, its rules", (str(python), str(driver), "2"), heavy=True)


def show(title: str, rows: Sequence[tuple[Tool, str, Sequence[str], int]]) -> None:
    """Measure tools, each under a name on some paths as often as said, and print a table; ratios are to the first."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("")
    for heading in ("CPU s", "ratio", "wall s", "ratio", "peak MB", "runs"):
        table.add_column(heading, justify="right")
    base: Cost | None = None
    print()
    with Live(table, console=Console(width=100)):  # on a terminal, row by row
        for tool, name, paths, repeat in rows:
            cost = measure(tool, paths, repeat)
            base = base or cost
            cpu, wall = (
                (f"{cost.cpu:.2f}", f"{cost.cpu / base.cpu:.2f}"),
                (f"{cost.wall:.2f}", f"{cost.wall / base.wall:.2f}"),
            )
            table.add_row(name, *cpu, *wall, f"{cost.peak:.0f}", str(repeat))


def subset(corpus: Path, files: Sequence[Path], count: int, folder: Path) -> Path:
    """A folder with so many files of a corpus, under the paths that they have there."""
    for file in files[:count]:
        place = folder / file.relative_to(corpus)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    return folder


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
    parser.add_argument("--skip-heavy", action="store_true", help="leave out the peers that take minutes")
    options = parser.parse_args()
    if options.setup:
        set_up(options.setup)
    if options.corpus is None:
        return 0 if options.setup else parser.error("name a corpus, or --setup")
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        every = [*own_tools(), *peer_tools(options.peers or options.setup, scratch)]
        tools = [tool for tool in every if not (tool.heavy and options.skip_heavy)]
        count = sum(1 for _ in options.corpus.rglob("*.py"))
        title = f"{options.corpus.name}: {count} files, {os.cpu_count()} cores"
        whole = [str(options.corpus)]
        show(title, [(tool, tool.name, whole, 1 if tool.heavy else options.repeat) for tool in tools])
        small = scratch / "small.py"
        for title, text in (("One small file, clean", CLEAN_FILE), ("One small file with a finding", FINDING_FILE)):
            small.write_text(text)
            show(title, [(tool, tool.name, [str(small)], 2 * options.repeat + 1) for tool in tools])
        corpus = options.memory or options.corpus
        files = sorted(corpus.rglob("*.py"))
        files = list(dict.fromkeys([*nlargest(LARGEST, files, key=lambda file: file.stat().st_size), *files]))
        own = [tool for tool in tools if tool.cache and tool.name.startswith("tfnanlint") and not tool.warm]
        counts = [count for count in FILES if count <= len(files)]
        folders = {count: [str(subset(corpus, files, count, scratch / str(count)))] for count in counts}
        rows = [(tool, f"{count} files, {tool.name}", folders[count], 1) for tool in own for count in counts]
        show(f"Memory, on files of {corpus.name}", rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
