"""Folders that come from elsewhere and attack whoever lints them: nothing in them runs, nothing outside is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.run.single import LARGEST
from tfnanlint.suppress import git as git_module
from tfnanlint.suppress.git import changes_since, contents_of

PROGRAM = "import tensorflow as tf\n\n\ndef loss(x):\n    return tf.math.log(tf.nn.softmax(x))\n"
OTHER = Path(__file__).parent.parent


def git(*arguments: str, cwd: Path) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *name, *arguments], cwd=cwd, check=True, capture_output=True, timeout=60)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit and one change since."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "unpacked"
    folder.mkdir()
    git("init", "-q", cwd=folder)
    (folder / "a.py").write_text("x = 1\n")
    git("add", ".", cwd=folder)
    git("commit", "-q", "-m", "first", cwd=folder)
    (folder / "a.py").write_text(PROGRAM)
    monkeypatch.chdir(folder)
    return folder


def evil(tmp_path: Path) -> tuple[Path, Path]:
    """A command, and what it leaves behind."""
    mark, script = tmp_path / "owned", tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    return script, mark


SETTINGS = """
    core.fsmonitor=@ core.pager=@ core.editor=@ core.sshCommand=@ core.askPass=@ core.gitProxy=@ diff.external=@
    diff.evil.command=@ diff.evil.textconv=@ filter.evil.clean=@ filter.evil.smudge=@ filter.evil.required=true
    filter.evil.process=@ core.alternateRefsCommand=@ gpg.program=@ credential.helper=@ uploadpack.packObjectsHook=@
    extensions.partialClone=origin remote.origin.promisor=true remote.origin.url=ext::@ remote.origin.uploadpack=@
    protocol.ext.allow=always protocol.allow=always alias.diff=!@ alias.ls-files=!@ pager.diff=@ pager.config=@
    diff.submodule=diff status.submoduleSummary=true core.attributesFile=/dev/zero diff.orderFile=/dev/zero
    core.excludesFile=/dev/zero
""".split()


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_setting_of_a_repository_makes_git_run_anything(
    repository: Path, tmp_path: Path, setting: str, capsys: Any
) -> None:
    script, mark = evil(tmp_path)
    (repository / ".gitattributes").write_text("*.py diff=evil filter=evil\n")
    key, _, value = setting.partition("=")
    git("config", key, value.replace("@", str(script)), cwd=repository)
    assert main(["--changed-since", "HEAD", "--quiet", "--no-cache"]) == FINDINGS, capsys.readouterr()
    assert main([".", "--quiet", "--no-cache"]) == FINDINGS
    assert not mark.exists()


def test_comparing_with_a_revision_does_not_write_where_the_index_leads(
    repository: Path, tmp_path: Path, capsys: Any
) -> None:
    (repository / "b.py").write_text("y = 1\n")
    git("add", "b.py", cwd=repository)
    git("commit", "-q", "-m", "second", cwd=repository)
    elsewhere = tmp_path / "index"
    (repository / ".git" / "index").rename(elsewhere)
    (repository / ".git" / "index").symlink_to(elsewhere)
    os.utime(repository / "b.py", (1_000_000_000, 1_000_000_000))  # git would note that only the time has changed
    before = elsewhere.read_bytes()
    assert main(["--changed-since", "HEAD", "--quiet", "--no-cache"]) == FINDINGS, capsys.readouterr()
    assert elsewhere.read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a limit of memory")
def test_a_file_of_git_that_never_ends_is_told_in_one_line(repository: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(git_module, "MOST_MEMORY", 100_000_000)
    (repository / ".git" / "objects" / "info" / "alternates").symlink_to("/dev/zero")
    assert main(["--changed-since", "HEAD", "--quiet", "--no-cache"]) == WRONG
    (line,) = capsys.readouterr().err.splitlines()
    assert "memory" in line


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a limit of memory")
def test_a_file_that_git_need_not_read_may_be_endless(repository: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(git_module, "MOST_MEMORY", 100_000_000)
    (repository / ".git" / "info" / "attributes").symlink_to("/dev/zero")
    status = main(["--changed-since", "HEAD", "--quiet", "--no-cache"])
    told = capsys.readouterr()
    assert status == FINDINGS or (status == WRONG and "memory" in told.err)  # older versions of git read it


@pytest.mark.parametrize("driver", ["a=b", "a.clean=b", "a.b", "A b", "\u00e9"])
@pytest.mark.parametrize("place", ["config", "included"])
def test_a_filter_runs_nothing_whatever_its_name_is(
    repository: Path, tmp_path: Path, driver: str, place: str, capsys: Any
) -> None:
    script, mark = evil(tmp_path)
    named = f'"{driver}"' if " " in driver else driver
    (repository / ".gitattributes").write_text(f"*.py filter={named}\n", encoding="utf-8")
    with (repository / ".git" / place).open("a", encoding="utf-8") as file:
        file.write(f'[filter "{driver}"]\n\tclean = {script}\n\trequired = true\n')
    if place != "config":
        git("config", "include.path", place, cwd=repository)
    status = main(["--changed-since", "HEAD", "--quiet", "--no-cache"])
    assert not mark.exists()
    assert status == (WRONG if "=" in driver else FINDINGS)
    assert ("git would run the commands of" in capsys.readouterr().err) == ("=" in driver)


def test_the_attack_on_git_would_work_otherwise(repository: Path, tmp_path: Path) -> None:
    script, mark = evil(tmp_path)
    git("config", "core.fsmonitor", str(script), cwd=repository)
    subprocess.run(["git", "status"], cwd=repository, check=False, capture_output=True, timeout=60)
    assert mark.exists()


def test_neither_hooks_nor_submodules_nor_missing_objects_run_anything(repository: Path, tmp_path: Path) -> None:
    script, mark = evil(tmp_path)
    for hook in ("post-index-change", "post-checkout", "fsmonitor-watchman", "reference-transaction"):
        shutil.copy(script, repository / ".git" / "hooks" / hook)
    inner = repository / "sub"
    inner.mkdir()
    git("init", "-q", cwd=inner)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=inner)
    git("-c", "advice.addEmbeddedRepo=false", "add", "sub", cwd=repository)
    git("commit", "-q", "-m", "second", cwd=repository)
    mark.unlink(missing_ok=True)
    git("config", "core.fsmonitor", str(script), cwd=inner)
    os.utime(repository / "a.py", (1, 1))
    assert main(["--changed-since", "HEAD~1", "--quiet", "--no-cache"]) in (FINDINGS, CLEAN, WRONG)
    assert not mark.exists()


def test_a_revision_that_cannot_be_compared_with_is_told_in_one_line(repository: Path, capsys: Any) -> None:
    assert main(["--changed-since", "", ".", "--no-cache"]) == WRONG
    assert "no revision is given" in capsys.readouterr().err
    for blob in (repository / ".git/objects").glob("??/*"):
        kind = subprocess.run(
            ["git", "cat-file", "-t", blob.parent.name + blob.name], capture_output=True, check=True, timeout=60
        )
        if kind.stdout.strip() == b"blob":
            blob.unlink()
    assert main(["--changed-since", "HEAD", ".", "--no-cache"]) == WRONG
    captured = capsys.readouterr()
    assert len(captured.err.splitlines()) == 1
    assert "git has no content for object" in captured.err or "unable to read" in captured.err  # by git's version


def test_of_old_contents_only_what_is_linted_is_read(repository: Path, monkeypatch: Any) -> None:
    places = [repository / name for name in ("a.py", "large.py", "b.txt")]
    for place, text in zip(places, (PROGRAM, "#" * (LARGEST + 1), "text"), strict=True):
        place.write_text(text)
    git("add", ".", cwd=repository)
    git("commit", "-q", "-m", "second", cwd=repository)
    for place in places:
        place.write_text(f"\n{PROGRAM}")
    asked: list[int] = []

    def counted(names: list[str], how: str, revision: str) -> bytes:
        asked.extend([len(names)] if how == "--batch" else [])
        return about(names, how, revision)

    about = git_module._about
    monkeypatch.setattr(git_module, "_about", counted)
    assert main(["a.py", "--changed-since", "HEAD", "--quiet", "--no-cache"]) == CLEAN
    assert main([".", "--changed-since", "HEAD", "--quiet", "--no-cache"]) == FINDINGS  # those in the large file
    assert asked == [1, 1]


def test_old_contents_are_held_some_at_a_time(repository: Path, monkeypatch: Any) -> None:
    names = [f"{number}.py" for number in range(5)]
    for number, name in enumerate(names):
        (repository / name).write_text(f"{PROGRAM}# {number}\n")
    git("add", ".", cwd=repository)
    git("commit", "-q", "-m", "second", cwd=repository)
    for name in names:
        (repository / name).write_text(f"\n{PROGRAM}")
    blobs = [name for name in changes_since("HEAD").values() if name is not None]
    monkeypatch.setattr(git_module, "TOGETHER", 2 * len(PROGRAM) + 20)
    assert [len(some) for some in contents_of(dict.fromkeys(blobs, LARGEST), "HEAD")] == [2, 2, 1]
    assert list(contents_of(dict.fromkeys(blobs, 1), "HEAD")) == []
    assert main([".", "--changed-since", "HEAD", "--quiet", "--no-cache"]) == CLEAN


def test_a_link_is_no_place_for_a_report_or_a_baseline(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    (tmp_path / "home").mkdir()
    profile = tmp_path / "home" / "profile"
    profile.write_text("mine\n")
    folder = tmp_path / "unpacked"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("a.py").write_text(PROGRAM)
    Path("report.json").symlink_to(profile)
    Path("new.json").symlink_to(tmp_path / "home" / "new")
    Path("reports").symlink_to(tmp_path / "home")
    for option in ("--output-file", "--write-baseline"):
        for name in ("report.json", "new.json", "reports/profile", "reports/new"):
            words = [option, name] if option == "--output-file" else [f"{option}={name}"]
            assert main(["a.py", "--no-cache", *words]) == WRONG, name
            assert f"{name}: " in (err := capsys.readouterr().err), err
            assert "not written" in err or "not a baseline file" in err
    assert profile.read_text() == "mine\n"
    assert os.listdir(tmp_path / "home") == ["profile"]
    assert main(["a.py", "--no-cache", "--output-file", "out.json", "--exit-zero"]) == CLEAN
    assert Path("out.json").exists()


def test_a_link_out_of_a_folder_is_neither_read_nor_repaired(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    outside = tmp_path / "mine.py"
    outside.write_text(PROGRAM)
    folder = tmp_path / "unpacked"
    folder.mkdir()
    (folder / "link.py").symlink_to(outside)
    (folder / "note.ipynb").symlink_to(outside)
    monkeypatch.chdir(folder)
    assert main([".", "--fix", "--no-cache"]) == CLEAN
    assert outside.read_text() == PROGRAM
    assert "log" not in capsys.readouterr().out
    assert main(["link.py", "--fix", "--no-cache"]) == CLEAN  # it was named
    assert outside.read_text() != PROGRAM


@pytest.mark.parametrize("is_one_project", [False, True])
def test_an_import_through_a_link_stays_inside_the_project(
    is_one_project: bool, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    folder, helpers = tmp_path / "unpacked", tmp_path / "home"
    for one in (folder, helpers):
        one.mkdir()
    (helpers / "mine.py").write_text("import tensorflow as tf\n\n\ndef soft(x):\n    return tf.nn.softmax(x)\n")
    (folder / "link.py").symlink_to(helpers / "mine.py")
    (folder / "linked").symlink_to(helpers)
    (folder / "a.py").write_text(
        "import tensorflow as tf\nfrom link import soft\nfrom linked.mine import soft as other\n\n\n"
        "def step(x):\n    return tf.math.log(soft(x)), tf.math.log(other(x))\n"
    )
    if is_one_project:
        (tmp_path / ".git").mkdir()
    monkeypatch.chdir(folder)
    assert main(["a.py", "--no-cache"]) == (FINDINGS if is_one_project else CLEAN)
    assert capsys.readouterr().out.count("log-softmax") == (2 if is_one_project else 0)


def test_a_cache_that_is_a_link_or_somebody_elses_folder_is_left_alone(tmp_path: Path, monkeypatch: Any) -> None:
    home, folder = tmp_path / "home", tmp_path / "unpacked"
    home.mkdir()
    folder.mkdir()
    for number in range(12):
        (home / f"{number}.json").write_text("{}")
    before = sorted(os.listdir(home))
    (folder / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    (folder / "a.py").write_text(PROGRAM)
    (folder / ".tfnanlint_cache").symlink_to(home)
    monkeypatch.chdir(folder)
    assert main([".", "--quiet"]) == FINDINGS
    assert main([".", "--quiet", "--cache-dir", str(home)]) == FINDINGS
    assert sorted(os.listdir(home)) == before


def test_a_cache_is_not_kept_or_removed_behind_a_link_that_leads_away(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    home, folder = tmp_path / "home", tmp_path / "unpacked"
    for made in (home, folder, folder / "below"):
        made.mkdir()
    monkeypatch.chdir(folder)
    Path("a.py").write_text(PROGRAM)
    Path("reports").symlink_to(home)
    Path("inside").symlink_to("below")
    for name in ("reports", "reports/c"):
        assert main(["a.py", "--quiet", "--cache-dir", name]) == WRONG
        assert f"--cache-dir {name}: links to a place outside this folder" in capsys.readouterr().err
    assert os.listdir(home) == []
    for name in ("inside/c", str(home / "c")):
        assert main(["a.py", "--quiet", "--cache-dir", name]) == FINDINGS
    assert sorted(os.listdir(folder / "below")) == sorted(os.listdir(home)) == ["c"]
    assert main(["clean", "--cache-dir", "reports/c"]) == WRONG
    assert "nothing was removed" in capsys.readouterr().err
    assert os.listdir(home) == ["c"]
    assert main(["clean", "--cache-dir", "inside/c"]) == main(["clean", "--cache-dir", str(home / "c")]) == CLEAN
    assert os.listdir(folder / "below") == os.listdir(home) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "hint: Support for grafts is deprecated\nhint: Please use replace\nerror: bad graft data: x",
            "error: bad graft",
        ),
        ("warning: w\nerror: unable to read a\nfatal: unable to read tree", "error: unable to read a"),
        ("hint: h\nusage: git diff", "usage: git diff"),
        ("hint: h", "hint: h"),
        ("", "git failed"),
    ],
)
def test_of_what_git_says_the_error_is_told(said: str, told: str, monkeypatch: Any) -> None:
    def failed(command: Any, *_: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(command, 128, b"", said.encode())

    monkeypatch.setattr(git_module, "_done", failed)
    with pytest.raises(git_module.GitError, match=f"^--changed-since HEAD: {told}"):
        changes_since("HEAD")


def test_modules_in_the_working_directory_are_not_imported(tmp_path: Path) -> None:
    others = ("libcst", "networkx", "numpy", "pathspec")
    own = ("__future__", "argparse", "dataclasses", "difflib", "json", "multiprocessing", "re", "tomllib", "typing")
    for name in (*others, *own):
        (tmp_path / f"{name}.py").write_text("import os\nos.mkdir('owned')\n")
    (tmp_path / "a.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").write_text("[tool.tfnanlint]\nexclude = ['b.py']\n")
    (tmp_path / ".gitignore").write_text("*.txt\n")
    environment = {**os.environ, "PYTHONPATH": str(OTHER)}
    command = [sys.executable, "-m", "tfnanlint", ".", "--quiet", "--jobs", "2"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (FINDINGS, "")
    assert not (tmp_path / "owned").exists()
