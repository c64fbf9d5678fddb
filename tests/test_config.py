"""The configuration files: which one holds, and what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import fake_engine
import jsonschema
import pytest

from tfnanlint.config.discovery import Configs
from tfnanlint.config.keys import read_keys, schema
from tfnanlint.config.reading import read_config
from tfnanlint.config.settings import Config, Settings
from tfnanlint.errors import ConfigError
from tfnanlint.run.many import settings_for, tasks_for


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
        ("zzz = 1", "unknown key `zzz`; there are: extend, select, extend-select, ignore, per-file-ignores"),
        ('select = "no-root"', "`select` must be a list of strings"),
        ("ignore = [1]", "`ignore` must be a list of strings"),
        ('rules = ["nowhere"]', "nowhere, which is not a folder"),
        ("select = [", "invalid TOML: "),
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
    with pytest.raises(ConfigError, match=r"gone\.toml: cannot read the file: no such file"):
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


def test_a_file_that_extends_another_adds_to_it_and_wins(tmp_path: Path) -> None:
    base = 'select = ["roots"]\nextend-select = ["no-wide"]\nignore = ["no-root"]\nexclude = ["gen/"]\n[severity]\n'
    write(tmp_path / "base.toml", base + 'no-root = "info"\nno-wide = "info"\n[assume]\nx = [0, 1]\n')
    write(tmp_path / "middle.toml", 'extend = "base.toml"\nmodes = ["xla", "eager"]\ntarget = 2\n')
    own = 'extend = "../middle.toml"\nignore = []\nextend-select = ["no-plain"]\n[severity]\nno-wide = "error"\n'
    config = read_config(str(write(tmp_path / "inner" / "tfnanlint.toml", own)))
    assert config.selected == ("roots", "no-wide", "no-plain")
    assert config.ignore == ()
    assert (config.exclude, config.root) == (("gen/",), str(tmp_path))
    assert dict(config.severity) == {"no-root": "info", "no-wide": "error"}
    assert config.assume == (("x", 0.0, 1.0),)
    assert (config.modes, config.target) == (("eager", "xla"), "2")
    named = {key: Path(source).name for key, source in config.sources}
    assert (named["severity.no-root"], named["severity.no-wide"]) == ("base.toml", "tfnanlint.toml")
    assert (named["exclude"], named["modes"], named["ignore"]) == ("base.toml", "middle.toml", "tfnanlint.toml")


def test_a_new_selection_replaces_all_of_the_inherited_one(tmp_path: Path) -> None:
    write(tmp_path / "base.toml", 'select = ["roots"]\nextend-select = ["no-wide"]\n')
    config = read_config(str(write(tmp_path / "a.toml", 'extend = "base.toml"\nselect = ["no-plain"]\n')))
    assert config.select == ("no-plain",)


def test_a_circle_of_files_that_extend_each_other_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", 'extend = "b.toml"\n')
    write(tmp_path / "b.toml", 'extend = "./a.toml"\n')
    with pytest.raises(ConfigError, match="`extend` is circular"):
        read_config(str(tmp_path / "a.toml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extend = "gone.toml"', "`extend`: file not found: "),
        ("extend = 3", "`extend` must be the path"),
        ('severity = "error"', "`severity` must be a table"),
        ('severity = { no-root = "eror" }', "`severity` cannot be `eror`; did you mean `error`?"),
        ("severity = { no-root = 1 }", "must set `no-root` to one of"),
        ('modes = ["grahp"]', "`modes` cannot be `grahp`; did you mean `graph`?"),
        ("modes = []", "`modes` must name at least one"),
        ("target = 3", "`target` cannot be `3`"),
        ("target = true", "`target` must be one of 1, 2, keras3"),
        ("assume = { x = 1 }", "`assume` must give `x` a lower and an upper bound"),
        ("assume = { x = [0, 1, 2] }", "must give `x`"),
        ("assume = { x = [true, 2] }", "must give `x`"),
        ("assume = { x = [2, 1] }", "gives `x` an empty range"),
        ("assume = { x = [nan, 1] }", "gives `x` an empty range"),
        ("assume = { x = [0, 1" + "0" * 400 + "] }", "exceeds the float range"),
        ('per-file-ignores = ["a"]', "`per-file-ignores` must be a table"),
        ('per-file-ignores = { "a.py" = "no-root" }', "`per-file-ignores` must set `a.py` to a list of strings"),
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    ],
)
def test_a_value_of_the_wrong_kind_is_an_error_that_says_what_it_should_be(
    tmp_path: Path, text: str, message: str
) -> None:
    path = write(tmp_path / "tfnanlint.toml", text + "\n")
    with pytest.raises(ConfigError) as caught:
        read_config(str(path))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ['severity = { no-rot = "info" }', 'per-file-ignores = { "a.py" = ["no-rot"] }'])
def test_a_rule_that_does_not_exist_is_found_in_every_key(tmp_path: Path, text: str) -> None:
    config = read_config(str(write(tmp_path / "tfnanlint.toml", text + "\n")))
    with pytest.raises(ConfigError, match="no rule or group is named `no-rot`; did you mean `no-root`"):
        settings_for([config], Settings())


def test_files_that_a_pattern_matches_have_rules_of_their_own(tmp_path: Path) -> None:
    text = '[per-file-ignores]\n"tests/" = ["no-root"]\n"*_gen.py" = ["roots", "no-wide"]\n"/a.py" = ["no-plain"]\n'
    text += '"./tests/b.py" = ["no-wide"]\n'
    write(tmp_path / "tfnanlint.toml", text)
    names = ["a.py", "tests/b.py", "tests/c_gen.py", "tests/a.py"]
    tasks = tasks_for([str(tmp_path / name) for name in names], Configs(), Settings())
    ignored = [settings.ignore for _, settings in tasks]
    assert ignored == [("no-plain",), ("no-root", "no-wide"), ("no-root", "roots", "no-wide"), ("no-root",)]


def test_a_file_is_linted_by_the_configuration_nearest_to_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.tfnanlint]\nselect = ["no-root"]\ntarget = 1\n')
    write(tmp_path / "inner" / "tfnanlint.toml", 'modes = ["xla"]\n')
    tasks = tasks_for([str(tmp_path / "a.py"), str(tmp_path / "inner" / "a.py")], Configs(), Settings())
    (_, outer), (_, inner) = tasks
    assert (outer.select, outer.modes, outer.assumptions.target) == (("no-root",), (), "1")
    assert (inner.select, inner.modes, inner.assumptions.target) == ((), ("xla",), "")


def test_the_schema_takes_what_is_taken_and_refuses_what_is_refused() -> None:
    validator = jsonschema.Draft7Validator(schema(["no-root"]))
    jsonschema.Draft7Validator.check_schema(schema())
    good = {
        "extend": "a.toml",
        "select": ["no-root", "mine"],
        "per-file-ignores": {"a.py": ["no-root"]},
        "severity": {"no-root": "info"},
        "assume": {"x": [0, 1.5]},
        "modes": ["xla"],
        "target": 2,
        "fail-on": "info",
        "min-certainty": "likely",
        "unfixable": ["no-root"],
        "unsafe-fixes": True,
        "line-length": 88,
        "output-format": "json",
        "required-version": ">=0.1",
    }
    assert validator.is_valid(good)
    for key, value in [("zzz", 1), ("modes", ["a"]), ("assume", {"x": [1]}), ("target", 3), ("severity", {"a": "b"})]:
        assert not validator.is_valid({key: value})
    read_keys({key: value for key, value in good.items() if key != "extend"}, "tfnanlint.toml")


def test_the_published_schema_is_the_one_that_the_keys_give() -> None:
    published = Path(__file__).parent.parent / "docs" / "tfnanlint.schema.json"
    assert json.loads(published.read_text()) == schema()
