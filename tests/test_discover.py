"""Which files a run looks at."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tfnanlint.config.discovery import Configs
from tfnanlint.errors import ConfigError
from tfnanlint.run.discover import Found, discover, is_excluded


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in an empty folder of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def make(*names: str, text: str = "") -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


def look(*paths: str, exclude: tuple[str, ...] = (), force: bool = False) -> Found:
    return discover(paths or (".",), Configs(), exclude, force)


def files(*paths: str, exclude: tuple[str, ...] = (), force: bool = False) -> list[str]:
    found = look(*paths, exclude=exclude, force=force)
    assert found.problems == []
    return found.files


def test_python_files_are_found_in_order_and_others_are_not() -> None:
    make("b.py", "a/z.pyi", "a/y.py", "c.txt", "d.pyc", "e.ipynb.py~", "py")
    assert files() == ["a/y.py", "a/z.pyi", "b.py"]


def test_a_file_named_twice_or_within_a_named_folder_is_taken_once(here: Path) -> None:
    make("a/x.py")
    assert files("a/x.py", "a", ".", "./a/../a/x.py", str(here / "a")) == ["a/x.py"]


def test_a_named_file_is_taken_whatever_its_suffix() -> None:
    make("script")
    assert files("script") == ["script"]


def test_what_is_not_there_is_a_problem_and_the_rest_is_found() -> None:
    make("a.py")
    found = look("gone.py", "a.py")
    assert found.files == ["a.py"]
    assert found.problems == [("gone.py", "no such file or folder")]


def test_notebooks_are_found_like_modules() -> None:
    make("a.ipynb", "b/c.ipynb", "b/.ipynb_checkpoints/c-checkpoint.ipynb")
    assert files() == ["a.ipynb", "b/c.ipynb"]


def test_folders_that_hold_nobodys_own_source_are_not_entered_unless_named() -> None:
    make("venv/a.py", ".git/b.py", "__pycache__/c.py", "node_modules/d.py", "lib/pyvenv.cfg", "lib/e.py", "src/f.py")
    assert files() == ["src/f.py"]
    assert files("venv", "lib") == ["lib/e.py", "venv/a.py"]


def test_gitignore_is_honoured_in_every_folder_and_the_nearer_one_decides() -> None:
    make(".gitignore", text="build/\n*_gen.py\n/top.py\nnested/keep_gen.py\n")
    make("nested/.gitignore", text="!keep_gen.py\nlocal.py\n")
    make("build/a.py", "x_gen.py", "top.py", "sub/top.py", "nested/keep_gen.py", "nested/local.py", "local.py")
    assert files() == ["local.py", "nested/keep_gen.py", "sub/top.py"]


def test_gitignore_agrees_with_git(here: Path) -> None:
    make(".gitignore", text="a/*\n!a/b/\n**/deep/x.py\n# comment\n\\#odd.py\nfoo?.py\n[xy].py\ntrail.py  \ndir/\n")
    make(
        "a/1.py", "a/b/2.py", "q/deep/x.py", "#odd.py", "foo1.py", "foo12.py", "x.py", "z.py", "trail.py", "u/dir/v.py"
    )
    make("w/.gitignore", text="*.py\n!/keep.py\n")
    make("w/keep.py", "w/s/keep.py", "w/t.py")
    subprocess.run(["git", "init", "-q"], check=True)
    command = ["git", "ls-files", "--others", "--exclude-standard", "*.py"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert files() == sorted(listed)


def test_gitignore_above_a_named_folder_holds_up_to_the_root_of_the_repository(here: Path) -> None:
    make("../.gitignore", text="kept.py\n")
    make(".gitignore", text="gone.py\n")
    make("sub/gone.py", "sub/kept.py")
    (here / ".git").mkdir()
    assert files("sub") == ["sub/kept.py"]


def test_a_named_file_or_folder_is_taken_even_if_git_ignores_it(here: Path) -> None:
    make(".gitignore", text="build/\n*.pyi\n")
    make("build/a.py", "build/b.pyi", "c.pyi")
    (here / ".git").mkdir()
    assert files("build", "c.pyi") == ["build/a.py", "c.pyi"]


def test_a_line_of_gitignore_that_git_cannot_read_does_not_stop_the_others() -> None:
    make(".gitignore", text="\\\n[z-a]\na.py\n")
    make("a.py", "b.py")
    assert files() == ["b.py"]


def test_a_pattern_that_is_none_is_told_with_its_folder() -> None:
    make("a.py")
    with pytest.raises(ConfigError, match=r"invalid file pattern: bad character range z-a"):
        files(exclude=("[z-a]",))


def test_exclude_patterns_are_relative_to_their_configuration() -> None:
    make("sub/tfnanlint.toml", text='exclude = ["/gen", "*_pb2.py"]\n')
    make("sub/gen/a.py", "sub/b_pb2.py", "sub/c/gen/d.py", "gen/e.py", "b_pb2.py")
    assert files() == ["b_pb2.py", "gen/e.py", "sub/c/gen/d.py"]


def test_an_exclude_pattern_may_begin_with_the_folder_that_it_is_relative_to() -> None:
    make("sub/tfnanlint.toml", text='exclude = ["./a.py", "./gen/*", "!./gen/keep.py"]\n')
    make("sub/a.py", "sub/c/a.py", "sub/gen/b.py", "sub/gen/keep.py", "d.py", "e/d.py")
    assert files(exclude=("./d.py",)) == ["e/d.py", "sub/c/a.py", "sub/gen/keep.py"]


def test_exclude_on_the_command_line_is_relative_to_the_working_directory() -> None:
    make("a/x.py", "b/a/x.py", "c.py")
    assert files(exclude=("/a", "c.py")) == ["b/a/x.py"]


def test_a_named_file_is_taken_even_if_the_configuration_excludes_it_unless_that_is_enforced() -> None:
    make("tfnanlint.toml", text='exclude = ["gen.py"]\n')
    make("gen.py", "a.py", "venv/b.py")
    assert files("gen.py", "a.py", "venv/b.py") == ["a.py", "gen.py", "venv/b.py"]
    assert files("gen.py", "a.py", "venv/b.py", force=True) == ["a.py"]
    assert files("gen.py", "a.py", exclude=("gen.py",)) == ["a.py"]


def test_a_named_folder_is_entered_even_if_the_configuration_excludes_it() -> None:
    make("tfnanlint.toml", text='exclude = ["tests", "*_gen.py"]\n')
    make("tests/a.py", "tests/b_gen.py")
    assert files("tests") == ["tests/a.py"]
    assert files(".") == []
    assert files("tests", force=True) == []


def test_standard_input_under_a_name_is_excluded_like_a_file() -> None:
    make("tfnanlint.toml", text='exclude = ["gen.py"]\n')
    assert is_excluded("gen.py", Configs(), ())
    assert is_excluded("a.py", Configs(), ("a.*",))
    assert not is_excluded("a.py", Configs(), ())


def test_links_lead_neither_out_of_the_folder_nor_around_in_circles(here: Path) -> None:
    make("a/x.py", "../outside/y.py")
    os.symlink(here, "a/loop")
    os.symlink(here.parent / "outside", "out")
    os.symlink("nowhere", "dangling.py")
    assert files() == ["a/x.py"]


def test_a_file_under_two_names_is_taken_under_its_own(here: Path) -> None:
    make("z/x.py")
    os.symlink("z/x.py", "a.py")
    os.symlink(here / "z", "y")
    assert files() == ["z/x.py"]
    assert files("a.py", "z/x.py") == ["z/x.py"]
    assert files("y", "z") == ["z/x.py"]
    assert files("a.py") == ["a.py"]


def test_a_folder_that_cannot_be_read_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    make("a/x.py", "b/y.py")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if os.path.basename(path) == "a":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = look()
    assert found.files == ["b/y.py"]
    assert found.problems == [("a", "cannot read it: permission denied")]
