"""This tool against the linters people compare it with: on one corpus, in one run, cold.

    python benchmarks/compare.py --setup /tmp/peers        # once: an environment for each peer
    python benchmarks/compare.py CORPUS --peers /tmp/peers

Measured for each: wall seconds, CPU seconds of the process and all its workers, and the memory of its largest process.
The peers do less (semgrep and Fixit apply one rule) or other things (ruff its default rules, TorchFix its own), so the
figures say what a user waits for, and no more. CPU seconds are the ones to compare on a machine that is not idle.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PEERS = ("ruff", "semgrep", "torchfix", "fixit")

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
    """A command to measure, without its paths; `heavy` ones run once however often the others do."""

    name: str
    command: tuple[str, ...]
    heavy: bool = False


def measure(command: Sequence[str], repeat: int = 1) -> Cost:
    """The quickest of some runs of a command, whose output is thrown away."""
    costs = []
    for _ in range(repeat):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode < 0 or process.returncode > 2:
            print(f"  (exit status {process.returncode}: {' '.join(command[:3])} ...)", file=sys.stderr)
        scale = 1 if sys.platform == "darwin" else 1024
        costs.append(Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * scale / 1e6))
    return min(costs, key=lambda cost: cost.wall)


def find(name: str, peers: Path | None) -> str | None:
    """The command of a peer: in the environment made for it, else on the PATH."""
    if peers and (found := shutil.which(name, path=str(peers / name / "bin"))):
        return found
    return shutil.which(name)


def tools(peers: Path | None, scratch: Path) -> list[Tool]:
    """What there is to measure; a line for each peer that is not installed."""
    own = (sys.executable, "-m", "tfnanlint", "check", "--isolated", "--quiet", "--output-format", "concise")
    found = [Tool("tfnanlint, 2 jobs", (*own, "--jobs", "2")), Tool("tfnanlint, 1 job", (*own, "--jobs", "1"))]
    commands = {name: find(name, peers) for name in PEERS}
    for name, command in commands.items():
        if command is None:
            print(f"{name}: not installed, passed over (see --setup)")
    if ruff := commands["ruff"]:
        found.append(Tool("ruff check", (ruff, "check", "--isolated", "--no-cache", "--quiet")))
    if semgrep := commands["semgrep"]:
        rule = scratch / "rule.yml"
        rule.write_text(SEMGREP_RULE)
        options = ("--metrics=off", "--disable-version-check", "--no-git-ignore", "--x-ignore-semgrepignore-files")
        found.append(
            Tool("semgrep, one rule", (semgrep, "scan", "-j", "2", "--quiet", *options, "--config", str(rule)))
        )
    if fixit := commands["fixit"]:
        (scratch / "one_rule.py").write_text(FIXIT_RULE)
        config = scratch / "fixit.toml"
        config.write_text(FIXIT_CONFIG)
        found.append(Tool("Fixit, one rule", (fixit, "--quiet", "--config-file", str(config), "lint"), heavy=True))
    if torchfix := commands["torchfix"]:
        driver = scratch / "torchfix_driver.py"
        driver.write_text(TORCHFIX_DRIVER)
        python = Path(torchfix).parent / "python"
        found.append(Tool("TorchFix, its rules", (str(python), str(driver), "2"), heavy=True))
    return found


def show(title: str, found: Sequence[Tool], paths: Sequence[str], repeat: int, with_heavy: bool = True) -> None:
    """Measure every tool on some paths and print a table; ratios are to the first."""
    print(f"\n{title}")
    print(f"{'':<22}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}{'wall ratio':>12}{'CPU ratio':>11}")
    base: Cost | None = None
    for tool in found:
        if tool.heavy and not with_heavy:
            continue
        cost = measure((*tool.command, *paths), 1 if tool.heavy and repeat < 5 else repeat)
        base = base or cost
        row = f"{tool.name:<22}{cost.wall:>9.2f}{cost.cpu:>9.2f}{cost.peak:>9.0f}"
        print(f"{row}{cost.wall / base.wall:>12.2f}{cost.cpu / base.cpu:>11.2f}", flush=True)


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
    parser.add_argument("--setup", type=Path, metavar="DIR", help="install the peers below a folder")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="where --setup has installed them")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each tool, of which the quickest counts")
    parser.add_argument("--skip-heavy", action="store_true", help="leave out those that take minutes")
    options = parser.parse_args()
    if options.setup:
        set_up(options.setup)
    if options.corpus is None:
        return 0 if options.setup else parser.error("name a corpus, or --setup")
    files = sum(1 for _ in options.corpus.rglob("*.py"))
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        found = tools(options.peers or options.setup, scratch)
        title = f"{options.corpus}: {files} files, {os.cpu_count()} cores"
        show(title, found, [str(options.corpus)], options.repeat, not options.skip_heavy)
        for title, text in (("one small file, clean", CLEAN_FILE), ("one small file, one finding", FINDING_FILE)):
            path = scratch / "small.py"
            path.write_text(text)
            show(title, found, [str(path)], 5)
    return 0


if __name__ == "__main__":
    sys.exit(main())
