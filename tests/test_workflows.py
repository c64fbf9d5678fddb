"""The command as other tools run it: an installed script, its exit statuses, hooks, watching."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from installed import COMMAND
from installed import tfnanlint as run

from tfnanlint.config.keys import KEYS

if sys.version_info >= (3, 11):
    import tomllib as toml
else:
    import tomli as toml

REPOSITORY = Path(__file__).parent.parent
IMPORT = "import tensorflow as tf\n"
LOG = "y = tf.math.log(tf.nn.softmax(x))\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.write_text(text)
    return path


STATUSES = [
    (("clean.py",), 0),
    (("hazard.py",), 1),
    (("hazard.py", "--exit-zero"), 0),
    (("hazard.py", "--diff"), 1),
    (("hazard.py", "--fix"), 0),
    (("hazard.py", "--write-baseline", "known.json"), 0),
    (("hazard.py", "--add-ignores"), 0),
    (("broken.py",), 2),
    (("broken.py", "hazard.py", "--exit-zero"), 2),
    (("gone.py",), 2),
    (("--no-such-option",), 2),
    (("--select", "no-such-rule", "clean.py"), 2),
    (("--config", "bad.toml", "clean.py"), 2),
    (("--baseline", "gone.json", "clean.py"), 2),
    (("--version",), 0),
    (("--help",), 0),
    (("rule",), 0),
    (("rule", "no-such-rule"), 2),
    (("config",), 0),
    (("config", "gone.py"), 2),
]


@pytest.mark.parametrize(("arguments", "status"), STATUSES, ids=[" ".join(arguments) for arguments, _ in STATUSES])
def test_the_exit_status_is_the_documented_one(arguments: tuple[str, ...], status: int) -> None:
    write("clean.py", IMPORT + "y = tf.nn.log_softmax(x)\n")
    write("hazard.py", IMPORT + LOG)
    write("broken.py", IMPORT + "def f(:\n")
    write("bad.toml", "selct = []\n")
    done = run(*arguments)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_has_the_status_that_shells_give_it() -> None:
    write("a.py", IMPORT + LOG)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "a.py"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_output_on_a_full_disk_is_an_error_in_one_line_and_a_closed_one_is_none() -> None:
    write("a.py", IMPORT + LOG)
    for arguments in (("a.py",), ("rule",)):
        with open("/dev/full", "w") as full:
            done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        said = "tfnanlint: cannot write the output: no space left on device\n"
        assert (done.returncode, done.stderr) == (2, said)
    closed = subprocess.run(["bash", "-c", '"$@" a.py --quiet >&-', "bash", *COMMAND], capture_output=True, check=False)
    assert (closed.returncode, closed.stderr) == (1, b"")


def limited(blocks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program where no file may grow beyond some blocks, as on a disk that is nearly full."""
    code = f'ulimit -f {blocks}; trap "" XFSZ; "$@"'
    return subprocess.run(
        ["bash", "-c", code, "bash", *COMMAND, *arguments], capture_output=True, text=True, check=False
    )


def test_on_a_full_disk_files_stay_as_they_are_and_what_is_found_is_told() -> None:
    text = IMPORT + LOG + "# long\n" * 500
    path = write("a.py", text)
    for arguments in (("--fix",), ("--add-ignores",), ("--output-file", "report.html", "--output-format", "html")):
        done = limited(1, ".", *arguments)
        assert done.returncode == 2, arguments
        assert re.fullmatch(
            r"(a\.py|tfnanlint: report\.html): (not fixed: )?cannot write the file: file too large",
            done.stderr.splitlines()[0],
        )
        assert path.read_text() == text
        assert sorted(os.listdir()) == [".tfnanlint_cache", "a.py"]
    assert limited(0, ".", "--quiet").stdout.startswith("a.py:2:5: error (likely) TFN118 log-softmax")


@pytest.mark.usefixtures("interruptible")
def test_what_is_watched_is_linted_again_after_a_change() -> None:
    path = write("a.py", IMPORT)
    with subprocess.Popen(
        [*COMMAND, ".", "--watch"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None

        def report() -> str:
            lines = iter(process.stdout)  # type: ignore[arg-type]
            text = ""
            for line in lines:
                if line.startswith("Watching"):
                    return text
                text += line
            raise AssertionError(f"it ended: {text}")

        try:
            assert "No problems found" in report()
            path.write_text(IMPORT + LOG)
            assert "log-softmax" in report()
            write("tfnanlint.toml", "selct = []\n")
            assert "unknown key `selct`; did you mean `select`?" in report()
            Path("tfnanlint.toml").unlink()
            assert "log-softmax" in report()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 130
            assert "Traceback" not in process.stdout.read()
        finally:
            process.kill()


@pytest.mark.usefixtures("interruptible")
def test_what_the_watching_run_has_repaired_itself_is_not_linted_again() -> None:
    path = write("a.py", IMPORT + LOG)
    with subprocess.Popen(
        [*COMMAND, ".", "--watch", "--fix"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        try:
            lines = iter(process.stdout)
            first = list(itertools.takewhile(lambda line: not line.startswith("Watching"), lines))
            assert first[0] == "Fixed 1 problem in 1 file.\n"
            write("b.py", IMPORT + LOG)
            second = list(itertools.takewhile(lambda line: not line.startswith("Watching"), lines))
            assert second[0] == "Fixed 1 problem in 1 file.\n"  # a run over nothing new would have come between
            assert "log_softmax" in path.read_text()
        finally:
            process.kill()


def test_watching_what_is_not_there_is_an_error() -> None:
    done = run("gone.py", "--watch")
    assert (done.returncode, done.stderr) == (2, "tfnanlint: gone.py: no such file or folder\n")
    assert run("-", "--watch").returncode == 2


# pre-commit and continuous integration.


def test_the_hooks_are_for_files_that_are_linted() -> None:
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["tfnanlint", "tfnanlint-fix"]
    for hook in hooks:
        assert hook["types_or"] == ["python", "pyi", "jupyter"]
        assert hook["require_serial"]


def blocks(language: str) -> list[str]:
    text = (REPOSITORY / "docs" / "workflows.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch with a hazard that `origin/main` has not, and the program in the path."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "tfnanlint").write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    (tools / "tfnanlint").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    Path("project/src").mkdir(parents=True)
    monkeypatch.chdir("project")
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "m"]
    subprocess.run(["git", "init", "-q", "-b", "work"], check=True)
    subprocess.run(commit, check=True)
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], check=True)
    write("src/a.py", IMPORT + LOG)
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(commit, check=True)


def script(commands: list[str]) -> subprocess.CompletedProcess[str]:
    """Some commands of an example, as a runner runs them; the program is there already."""
    text = "\n".join(commands).replace("${{ github.base_ref }}", "main").replace("pip install tfnanlint", "true")
    return subprocess.run(["bash", "-ec", text], capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("project")
def test_the_github_workflow_annotates_what_is_new_and_writes_what_is_uploaded() -> None:
    (workflow,) = (loaded for block in blocks("yaml") if "jobs" in (loaded := yaml.safe_load(block)))
    steps = workflow["jobs"]["tfnanlint"]["steps"]
    install, annotate, report = (script([step["run"]]) for step in steps if "run" in step)
    assert (install.returncode, annotate.returncode, report.returncode) == (0, 1, 0)
    assert annotate.stdout.startswith("::error file=src/a.py,line=2,")
    (upload,) = (step["with"]["sarif_file"] for step in steps if "upload-sarif" in step.get("uses", ""))
    (run,) = json.loads(Path(upload).read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["log-softmax"]


@pytest.mark.usefixtures("project")
def test_the_gitlab_jobs_write_the_reports_that_they_name() -> None:
    jobs = {name: job for block in blocks("yaml") for name, job in items(yaml.safe_load(block)) if "script" in job}
    assert [script(job["script"]).returncode for job in jobs.values()] == [1, 1]
    reports = [report for job in jobs.values() for report in job["artifacts"]["reports"].items()]
    assert [kind for kind, _ in reports] == ["codequality", "junit"]
    quality, results = (Path(path).read_text() for _, path in reports)
    assert [one["check_name"] for one in json.loads(quality)] == ["log-softmax"]
    assert ElementTree.fromstring(results).get("failures") == "1"


def items(loaded: Any) -> Iterable[tuple[str, Any]]:
    return [(name, job) for name, job in loaded.items() if isinstance(job, dict)]


@pytest.mark.usefixtures("project")
def test_the_examples_for_tox_and_nox_run_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    (tox,) = (toml.loads(block)["tool"]["tox"]["env"]["tfnanlint"] for block in blocks("toml") if "tox" in block)
    ran = [[word.replace("{posargs:src}", "src") for word in command] for command in tox["commands"]]
    nox = ModuleType("nox")
    vars(nox).update(session=lambda function: function, Session=object)
    monkeypatch.setitem(sys.modules, "nox", nox)
    (code,) = (block for block in blocks("python") if "nox" in block)
    names: dict[str, Any] = {}
    exec(code, names)
    session = SimpleNamespace(posargs=[], install=lambda *_: None, run=lambda *command: ran.append(list(command)))
    names["tfnanlint"](session)
    assert [
        script([shlex.join(command)]).stdout.startswith("src/a.py:2:5: error (likely) TFN118 log-softmax")
        for command in ran
    ] == [True] * 2


def test_the_example_of_a_configuration_is_one(tmp_path: Path) -> None:
    (example,) = (block for block in blocks("toml") if "[tool.tfnanlint]" in block)
    Path("inner/lint_rules").mkdir(parents=True)
    write("shared.toml", 'select = ["sqrt"]\n')
    write("inner/pyproject.toml", example)
    done = run("config", "inner")
    assert done.returncode == 0, done.stderr
    assert 'select = ["log", "norm"]' in done.stdout
    assert set(KEYS) - set(re.findall(r"[\w-]+", example)) == set()


def test_the_commands_of_the_examples_have_options_that_exist() -> None:
    text = (REPOSITORY / "docs" / "workflows.md").read_text()
    commands = [line for line in re.findall(r"(.*)(tfnanlint [^`\n]*)", text) if "pre-commit" not in line[0]]
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", " ".join(command for _, command in commands)))
    known = set(re.findall(r"--[a-z-]+", run("check", "--help").stdout + run("config", "--help").stdout))
    assert named - known == set()


def test_the_exit_statuses_are_documented_as_the_tests_have_them() -> None:
    text = (REPOSITORY / "docs" / "workflows.md").read_text()
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", text, flags=re.MULTILINE))
    assert set(rows) == {"0", "1", "2", "130", "141"}


def test_the_command_as_a_pre_commit_hook_finds_and_repairs() -> None:
    """What pre-commit runs: the entry of each hook, with the files that were staged."""
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
    write("a.py", IMPORT + LOG)
    write("skipped.py", IMPORT + LOG)
    write("tfnanlint.toml", 'exclude = ["skipped.py"]\n')
    (report, repair) = [hook["entry"].split()[1:] for hook in hooks]
    done = run(*report, "a.py", "skipped.py")
    assert (done.returncode, done.stdout.count("log-softmax")) == (1, 1)
    assert run(*repair, "a.py", "skipped.py").returncode == 0
    assert "log_softmax" in Path("a.py").read_text()
    assert "log_softmax" not in Path("skipped.py").read_text()


def test_pre_commit_installs_the_hook_and_runs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in `pre-commit try-repo`: a clone of this repository, installed into an environment of its own."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PYTHONPATH")
    subprocess.run(["git", "init", "-q", "work"], check=True)
    monkeypatch.chdir(tmp_path / "work")
    write("a.py", IMPORT + LOG)
    subprocess.run(["git", "add", "a.py"], check=True)
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(REPOSITORY), "tfnanlint-fix", "--files", "a.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "files were modified by this hook" in done.stdout, done.stdout + done.stderr
    assert "Fixed 1 problem in 1 file." in done.stdout
    assert Path("a.py").read_text() == IMPORT + "y = tf.nn.log_softmax(x)\n"


def test_the_action_installs_its_own_checkout_and_annotates_what_it_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step of `action.yml` as a runner runs it: its script in bash, its inputs in the environment."""
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text())
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path / "runner"))
    monkeypatch.setenv("GITHUB_ACTION_PATH", str(REPOSITORY))
    Path("src").mkdir()
    write("src/a.py", IMPORT + LOG)
    write("b.py", IMPORT + LOG)
    given = {name: of["default"] for name, of in action["inputs"].items()} | {"paths": "src"}
    statuses = []
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        said = {
            name: re.sub(r"\$\{\{ inputs\.(\w+) }}", lambda at: given[at[1]], v)
            for name, v in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]], env=os.environ | said, capture_output=True, text=True, check=False
        )
        statuses.append((done.returncode, done.stderr))
    assert [status for status, _ in statuses] == [0, 1], statuses
    assert done.stdout.startswith("::error file=src/a.py,line=2,")
    assert "b.py" not in done.stdout


def test_the_image_copies_all_that_an_installation_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps of the Dockerfile outside of a container: what it copies is installed, and the entry point runs."""
    text = (REPOSITORY / "Dockerfile").read_text()
    build = tmp_path / "build"
    build.mkdir()
    for *sources, target in (line.split() for line in re.findall(r"^COPY (.*)$", text, flags=re.MULTILINE)):
        for source in sources:
            whole = REPOSITORY / source
            place = tmp_path / target.strip("/")
            if whole.is_dir():
                shutil.copytree(whole, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(whole, place)
    (install,) = re.findall(r"^RUN (pip install [^&]*/build) && ", text, flags=re.MULTILINE)
    (entry,) = json.loads(re.findall(r"^ENTRYPOINT (.*)$", text, flags=re.MULTILINE)[0])
    monkeypatch.delenv("PYTHONPATH")
    command = [sys.executable, "-m", *install.replace("/build", str(build)).split(), "--target", str(tmp_path / "made")]
    subprocess.run([*command, "--quiet", "--no-deps"], check=True)
    write("a.py", IMPORT + LOG)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "made"))
    done = subprocess.run([str(tmp_path / "made" / "bin" / entry)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.startswith("a.py:2:5: error")) == (1, True), done.stderr


def test_the_example_for_pre_commit_runs_one_hook_that_there_is() -> None:
    """Both hooks report what is left, so with both of them every problem would be told twice."""
    hooks = {hook["id"] for hook in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())}
    readme = re.findall(r"^```yaml\n(.*?)^```", (REPOSITORY / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    examples = [loaded for block in (*blocks("yaml"), *readme) if "repos" in (loaded := yaml.safe_load(block))]
    assert len(examples) == 2
    for example in examples:
        ((repo,),) = (example["repos"],)
        assert len(repo["hooks"]) == 1
        assert repo["hooks"][0]["id"] in hooks


def test_the_module_runs_where_python_has_no_safe_path() -> None:
    """Python 3.10 has no such flag."""
    code = (
        "import runpy, sys\n"
        "class Flags:\n"
        "    def __getattr__(self, name, whole=sys.flags):\n"
        "        if name == 'safe_path':\n"
        "            raise AttributeError(name)\n"
        "        return getattr(whole, name)\n"
        "sys.flags, sys.argv = Flags(), ['tfnanlint', '--version']\n"
        "runpy.run_module('tfnanlint', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
