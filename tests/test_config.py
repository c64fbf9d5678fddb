"""The configuration files: which one holds, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fake_engine
import pytest

from tfnanlint.config import Config, Configs, Settings, read_config
from tfnanlint.errors import ConfigError
from tfnanlint.run import settings_for


@pytest.fixture(autouse=True)
def _engine() -> Iterator[None]:
    with fake_engine.installed():
        yield


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read_and_folders_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "lint_rules").mkdir()
    text = '[tool.tfnanlint]\nselect = ["roots"]\nignore = ["no-wide"]\nexclude = ["gen/"]\nrules = ["lint_rules"]\n'
    config = read_config(str(write(tmp_path / "pyproject.toml", text)))
    assert (config.select, config.ignore, config.exclude) == (("roots",), ("no-wide",), ("gen/",))
    assert config.rules == (str(tmp_path / "lint_rules"),)


def test_the_nearest_configuration_wins(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.tfnanlint]\nignore = ["no-root"]\n')
    write(tmp_path / "inner" / "tfnanlint.toml", 'ignore = ["no-wide"]\n')
    configs = Configs()
    assert configs.of(str(tmp_path / "other" / "deep")).ignore == ("no-root",)
    assert configs.of(str(tmp_path / "inner" / "deep")).ignore == ("no-wide",)


def test_a_tfnanlint_toml_comes_before_the_pyproject_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.tfnanlint]\nignore = ["no-root"]\n')
    write(tmp_path / "tfnanlint.toml", 'ignore = ["no-wide"]\n')
    assert Configs().of(str(tmp_path)).ignore == ("no-wide",)


def test_a_pyproject_that_does_not_speak_of_this_tool_is_passed_by(tmp_path: Path) -> None:
    write(tmp_path / "tfnanlint.toml", 'ignore = ["no-wide"]\n')
    write(tmp_path / "a" / "pyproject.toml", "this is not even TOML")
    write(tmp_path / "b" / "pyproject.toml", '[project]\ndependencies = ["tfnanlint"]\n')
    assert Configs().of(str(tmp_path / "a")).ignore == ("no-wide",)
    assert Configs().of(str(tmp_path / "b")).ignore == ("no-wide",)


def test_an_empty_table_stops_the_search(tmp_path: Path) -> None:
    write(tmp_path / "tfnanlint.toml", 'ignore = ["no-wide"]\n')
    write(tmp_path / "a" / "pyproject.toml", "[tool.tfnanlint]\n")
    assert Configs().of(str(tmp_path / "a")).ignore == ()


def test_a_fixed_configuration_and_isolation_leave_the_others_unread(tmp_path: Path) -> None:
    write(tmp_path / "tfnanlint.toml", "broken")
    other = write(tmp_path / "other.toml", 'ignore = ["no-root"]\n')
    assert Configs(str(other)).of(str(tmp_path)).ignore == ("no-root",)
    assert Configs(isolated=True).of(str(tmp_path)) == Config()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('ignroe = ["no-root"]', "unknown key `ignroe`; did you mean `ignore`?"),
        ("zzz = 1", "unknown key `zzz`; there are: select, ignore, exclude, rules"),
        ('select = "no-root"', "`select` must be a list of strings"),
        ("ignore = [1]", "`ignore` must be a list of strings"),
        ('rules = ["nowhere"]', "nowhere, which is not a folder"),
        ("select = [", "is not valid TOML"),
    ],
)
def test_what_cannot_be_used_is_an_error_that_names_the_file_and_the_way_out(
    tmp_path: Path, text: str, message: str
) -> None:
    path = write(tmp_path / "tfnanlint.toml", text + "\n")
    with pytest.raises(ConfigError) as caught:
        read_config(str(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_configuration_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: cannot be read: no such file"):
        Configs("gone.toml")


def test_an_unknown_rule_is_an_error_that_suggests_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"c\.toml: no rule or group is named `no-rot`; did you mean `no-root`\?"):
        settings_for([Config("c.toml", ignore=("no-rot",))], Settings())
    with pytest.raises(ConfigError, match=r"command line: no rule or group is named `rots`; did you mean `roots`\?"):
        settings_for([Config()], Settings(select=("rots",)))


def test_the_command_line_replaces_what_is_selected_and_adds_to_what_is_ignored() -> None:
    config = Config("c.toml", select=("calls",), ignore=("no-wide",))
    (settings,) = settings_for([config], Settings(select=("roots",), ignore=("no-plain",)))
    assert settings is not None
    assert (settings.select, settings.ignore) == (("roots",), ("no-wide", "no-plain"))


def test_a_rule_of_one_project_selects_nothing_in_another(tmp_path: Path) -> None:
    write(tmp_path / "own-rule.py", "")
    homes = [Config("a.toml", rules=(str(tmp_path),)), Config("b.toml")]
    ours, theirs = settings_for(homes, Settings(select=("own-rule",)))
    assert ours is not None
    assert ours.select == ("own-rule",)
    assert theirs is None
