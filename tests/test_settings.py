"""What the settings of a configuration do to findings and repairs, by the real rules and through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from shell import Shell

from tfnanlint import lint_source
from tfnanlint.assumptions import Assumptions
from tfnanlint.config.settings import all_rules
from tfnanlint.finding import Finding
from tfnanlint.lint import lint_source as lint_by

IMPORT = "import tensorflow as tf\n"
SOFTMAX = IMPORT + "y = tf.math.log(tf.nn.softmax(x))\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys)


def lint_with(text: str, assumptions: Assumptions, pedantic: bool = False) -> list[Finding]:
    return lint_by(text, rules=all_rules(()), assumptions=assumptions, pedantic=pedantic)


def assumed(**bounds: tuple[float, float]) -> Assumptions:
    return Assumptions(tuple((name, low, high) for name, (low, high) in bounds.items()))


LOG_OF_INPUT = [
    "def f(x):\n    return tf.math.log(x)\n",
    "def f(x=None):\n    return tf.math.log(x)\n",
    "for x, y in data:\n    z = tf.math.log(x)\n",
    "x = load()\nz = tf.math.log(x)\n",
    "class L(tf.keras.layers.Layer):\n    def call(self, x):\n        return tf.math.log(x)\n",
    "i = tf.keras.Input((3,), name='x')\nm = tf.keras.Model(i, tf.math.log(i))\n",
    "p = tf.compat.v1.placeholder(tf.float32, name='x')\nz = tf.math.log(p)\n",
]


@pytest.mark.parametrize("program", LOG_OF_INPUT)
def test_what_is_assumed_of_an_input_is_evidence(program: str) -> None:
    assert lint_source(IMPORT + program) == []
    (found,) = lint_with(IMPORT + program, assumed(x=(0, 255)))
    assert found.rule == "log-reaches-zero"
    assert "[0, 255]" in found.evidence
    assert "assumed in the configuration" in found.evidence


@pytest.mark.parametrize("program", LOG_OF_INPUT)
def test_what_is_assumed_of_an_input_can_rule_a_hazard_out(program: str) -> None:
    assert lint_with(IMPORT + program, assumed(x=(1, 255)), pedantic=True) == []
    assert lint_with(IMPORT + program, assumed(x=(-1, 255)), pedantic=True) != []


def test_an_assumption_does_not_outlive_the_name() -> None:
    program = IMPORT + "def f(x):\n    x = tf.square(x) + 2.0\n    return tf.math.log(x)\n"
    assert lint_with(program, assumed(x=(0, 255))) == []


def test_assumptions_of_a_configuration_reach_the_source_pass(run: Shell) -> None:
    Path("tfnanlint.toml").write_text("[assume]\nlabels = [0, 9]\n")
    Path("a.py").write_text(IMPORT + "def f(labels):\n    return 1.0 / labels\n")
    assert run("a.py") == 1
    assert "[0, 9]: assumed in the configuration" in run.out
    assert run("a.py", "--isolated") == 0


def test_severities_are_those_of_the_configuration_and_a_rule_goes_before_its_group(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    Path("tfnanlint.toml").write_text('[severity]\nlog = "info"\n')
    assert [found["severity"] for found in run.findings("a.py")] == ["info"]
    Path("tfnanlint.toml").write_text('[severity]\nlog-softmax = "warning"\nlog = "info"\n')
    assert [found["severity"] for found in run.findings("a.py")] == ["warning"]
    assert [found["severity"] for found in run.findings("a.py", "--isolated")] == ["error"]


def test_a_severity_of_off_drops_the_rule_and_one_of_its_own_keeps_it_where_its_group_is_off(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    for severity, left in (
        ('log = "off"\n', []),
        ('log-softmax = "off"\n', []),
        ('log = "off"\nlog-softmax = "warning"\n', ["log-softmax"]),
    ):
        Path("tfnanlint.toml").write_text(f"[severity]\n{severity}")
        assert [found["rule"] for found in run.findings("a.py")] == left


OVERLAPPING = {
    "y = tf.math.log(tf.nn.sigmoid(x))\n": "log-sigmoid",
    "def f(x):\n    return x / tf.norm(x)\n": "divide-by-norm",
    "def f(model, x):\n    with tf.GradientTape() as tape:\n        y = tf.nn.relu(model(x))\n"
    "        loss = tf.reduce_sum(y / tf.norm(y, axis=-1, keepdims=True))\n    return tape.gradient(loss, y)\n": (
        "divide-by-norm"
    ),
}


@pytest.mark.parametrize(("code", "rule"), OVERLAPPING.items(), ids=["log", "divide", "gradient"])
def test_no_other_rule_reports_the_code_that_an_ignored_rule_would_have(code: str, rule: str, run: Shell) -> None:
    Path("a.py").write_text(IMPORT + code)
    assert rule in [found["rule"] for found in run.findings("a.py")]
    others = [found["rule"] for found in run.findings("a.py") if found["rule"] != rule]
    for text in (f'ignore = ["{rule}"]', f'[per-file-ignores]\n"a.py" = ["{rule}"]', f'[severity]\n{rule} = "off"'):
        Path("tfnanlint.toml").write_text(text)
        assert [found["rule"] for found in run.findings("a.py")] == others, text
    assert [found["rule"] for found in run.findings("a.py", "--isolated", "--ignore", rule)] == others


@pytest.mark.tensorflow
def test_no_other_rule_reports_in_a_graph_what_an_ignored_rule_would_have(run: Shell) -> None:
    Path("model.py").write_text(IMPORT + "def f(x):\n    return tf.math.log(tf.nn.sigmoid(x))\n")
    command = ("graph", "model.py:f", "--input-spec", "float32[3]")
    assert [found["rule"] for found in run.findings(*command)] == ["log-sigmoid"]
    assert run.findings(*command, "--ignore", "log-sigmoid") == []


def test_a_code_stands_for_its_rule_wherever_a_name_does(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    (found,) = run.findings("a.py")
    code = found["code"]
    assert run("rule", code) == 0
    assert run.out.startswith(f"# log-softmax ({code})\n")
    assert len(run.findings("a.py", "--select", code)) == 1
    assert len(run.findings("a.py", "--select", code.lower())) == 1
    assert run.findings("a.py", "--ignore", code) == []
    for text in (f'ignore = ["{code}"]', f'[per-file-ignores]\n"a.py" = ["{code}"]', f'[severity]\n{code} = "off"'):
        Path("tfnanlint.toml").write_text(text)
        assert run.findings("a.py") == [], text
    Path("tfnanlint.toml").write_text(f'unfixable = ["{code}"]\n')
    assert run.findings("a.py")[0]["fix"] is None
    Path("tfnanlint.toml").write_text('ignore = ["TFN999"]\n')
    assert run("a.py") == 2
    assert "no rule or group is named `TFN999`" in run.err
    Path("tfnanlint.toml").unlink()
    Path("a.py").write_text(SOFTMAX.rstrip() + f"  # noqa: {code}\n")
    assert run.findings("a.py") == []


def test_all_stands_for_every_rule(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    Path("tfnanlint.toml").write_text('select = ["norm"]\n')
    assert run.findings("a.py") == []
    assert len(run.findings("a.py", "--select", "ALL")) == 1
    Path("tfnanlint.toml").write_text('[severity]\nALL = "info"\n[per-file-ignores]\n"b.py" = ["ALL"]\n')
    Path("b.py").write_text(SOFTMAX)
    assert [(found["path"], found["severity"]) for found in run.findings(".")] == [("a.py", "info")]
    Path("tfnanlint.toml").unlink()
    assert run("a.py", "--ignore", "ALL") == 2
    assert run.err == "tfnanlint: the command line: `ignore` contains every rule, so no rule is left\n"


@pytest.mark.parametrize("comment", ["ignore[log]", "ignore[TFN118]"])
@pytest.mark.tensorflow
def test_comments_by_group_or_code_hold_for_graphs_too(comment: str, run: Shell) -> None:
    text = IMPORT + f"def f(x):\n    return tf.math.log(tf.nn.softmax(x))  # tfnanlint: {comment}\n"
    Path("model.py").write_text(text)
    assert run.findings("graph", "model.py:f", "--input-spec", "float32[3]") == []


def test_a_run_fails_from_the_severity_that_is_asked_for(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    for severity, asked, status in (
        ("error", (), 1),
        ("warning", (), 1),
        ("info", (), 0),
        ("info", ("--fail-on", "info"), 1),
        ("warning", ("--fail-on", "error"), 0),
        ("error", ("--fail-on", "error"), 1),
    ):
        Path("tfnanlint.toml").write_text(f'[severity]\nlog = "{severity}"\n')
        assert run("a.py", *asked) == status
        assert ("No finding is severe enough to fail the run" in run.out) is (status == 0)
    Path("tfnanlint.toml").write_text('fail-on = "info"\n[severity]\nlog = "info"\n')
    assert run("a.py") == 1
    assert run("a.py", "--fail-on", "warning") == 0


def test_an_info_is_named_in_the_report_and_does_not_fail_the_run(run: Shell) -> None:
    Path("a.py").write_text("import tensorflow as tf\n\n\ndef f(x):\n    return tf.math.log(1.0 + 0.0 * x)\n")
    for style in ("text", "concise"):
        assert run("a.py", "--output-format", style) == 0
        assert run.out.startswith("a.py:5:12: info (certain) TFN113 log-one-plus: ")
    assert run("a.py", "--fail-on", "info") == 1
    assert run("a.py", "--fix") == 0
    assert "log1p(0.0 * x)" in Path("a.py").read_text()


def test_each_file_fails_by_its_own_configuration(run: Shell) -> None:
    for folder, level in (("strict", "warning"), ("lax", "error")):
        Path(folder).mkdir()
        Path(folder, "a.py").write_text(SOFTMAX)
        Path(folder, "tfnanlint.toml").write_text(f'fail-on = "{level}"\n[severity]\nlog = "warning"\n')
    assert run("lax") == 0
    assert run("lax", "strict") == 1


def test_findings_below_the_certainty_that_is_asked_for_are_neither_reported_nor_repaired(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)  # likely
    assert len(run.findings("a.py", "--min-certainty", "likely")) == 1
    assert run("a.py", "--min-certainty", "certain", "--fix") == 0
    assert Path("a.py").read_text() == SOFTMAX
    Path("tfnanlint.toml").write_text('min-certainty = "certain"\n')
    assert run.findings("a.py") == []
    assert len(run.findings("a.py", "--min-certainty", "possible")) == 1


def test_what_is_unfixable_is_reported_and_left_as_it_is(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    for name in ("log", "log-softmax"):
        Path("tfnanlint.toml").write_text(f'unfixable = ["{name}"]\n')
        assert run("a.py", "--fix") == 1
        assert "no fix: `unfixable` in the configuration excludes this rule" in run.out
        assert Path("a.py").read_text() == SOFTMAX


def test_unsafe_repairs_are_made_where_the_configuration_asks_for_them(run: Shell) -> None:
    text = IMPORT + "def f(x):\n    return tf.nn.softmax(tf.nn.relu(tf.keras.layers.Dense(3)(x)))\n"
    Path("a.py").write_text(text)
    run("a.py")
    assert "fix (changes training, needs --unsafe-fixes):" in run.out
    assert "(1 fixable with --fix --unsafe-fixes)" in run.out
    Path("tfnanlint.toml").write_text("unsafe-fixes = true\n")
    run("a.py")
    assert "fix (changes training):" in run.out
    assert "(1 fixable with --fix)" in run.out
    for name in ("concise", "markdown", "github"):
        run("a.py", "--output-format", name)
        assert "changes training" in run.out
        assert "needs --unsafe-fixes" not in run.out
    run("a.py", "--fix", "--no-unsafe-fixes")
    assert Path("a.py").read_text() == text
    assert "(1 fixable with --fix --unsafe-fixes)" in run.out
    run("a.py", "--fix")
    assert Path("a.py").read_text() != text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tfnanlint.toml", "line-length = 60\n"),
        ("pyproject.toml", "[tool.black]\nline-length = 60\n"),
        ("pyproject.toml", "[tool.other]\nline-length = 99\n[tool.ruff]\nline-length = 60\n"),
        ("ruff.toml", "line-length = 60\n"),
    ],
)
def test_repaired_code_keeps_to_the_line_length_of_the_project(name: str, text: str, run: Shell) -> None:
    code = IMPORT + "def f(logits_of_teacher, weights_of_classes):\n    return tf.math.log(\n"
    code += "        tf.nn.softmax(logits_of_teacher + weights_of_classes)\n    )\n"
    Path("a.py").write_text(code)
    run("a.py", "--fix")
    assert max(map(len, Path("a.py").read_text().splitlines())) > 60
    Path("a.py").write_text(code)
    Path(name).write_text(text)
    run("a.py", "--fix")
    assert "log_softmax" in Path("a.py").read_text()
    assert max(map(len, Path("a.py").read_text().splitlines())) <= 60


def test_the_format_of_the_report_is_that_of_the_configuration_unless_an_option_says_otherwise(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    Path("tfnanlint.toml").write_text('output-format = "json"\n')
    run("a.py", "--quiet")
    assert json.loads(run.out)[0]["rule"] == "log-softmax"
    run("a.py", "--quiet", "--output-format", "concise")
    assert run.out.startswith("a.py:2:5")


@pytest.mark.parametrize(("wanted", "status"), [(">=0.1", 0), ("==0.1.0", 0), (">=0.1,<99", 0), (">=99", 2), ("99", 2)])
def test_a_configuration_for_another_version_is_refused(wanted: str, status: int, run: Shell) -> None:
    Path("a.py").write_text(IMPORT)
    Path("tfnanlint.toml").write_text(f'required-version = "{wanted}"\n')
    assert run("a.py") == status
    if status:
        assert f"`required-version` requires tfnanlint {wanted}, and this is " in run.err
        assert "pip install" in run.err


def test_rules_that_fail_in_other_modes_only_are_dropped(run: Shell) -> None:
    own = Path("mine/own")
    own.mkdir(parents=True)
    rule = '"""`exp` is bad here"""\nimport tensorflow as tf\n\nmodes = ("xla",)\n\n\n'
    rule += "def before(x=1e9):\n    return tf.exp(x)\n"
    (own / "exp-on-xla.py").write_text(rule)
    Path("a.py").write_text(IMPORT + "def f(logits):\n    return tf.exp(tf.exp(logits))\n")
    for modes, status in (('["xla"]', 1), ('["eager", "graph"]', 0), ('["graph", "xla"]', 1)):
        Path("tfnanlint.toml").write_text(f'rules = ["mine"]\nselect = ["exp-on-xla"]\nmodes = {modes}\n')
        assert run("a.py") == status


def test_per_file_ignores_hold_for_standard_input_and_notebooks_too(run: Shell) -> None:
    Path("tfnanlint.toml").write_text('[per-file-ignores]\n"tests/*" = ["log"]\n')
    Path("tests").mkdir()
    for path in ("a.py", "tests/a.py"):
        Path(path).write_text(SOFTMAX)
    assert [found["path"] for found in run.findings(".")] == ["a.py"]


def test_the_configuration_is_printed_as_toml_with_the_source_of_each_setting(run: Shell) -> None:
    Path("base.toml").write_text('select = ["log"]\n[severity]\nlog-softmax = "warning"\n')
    Path("sub").mkdir()
    text = (
        'extend = "../base.toml"\n[assume]\nx = [-inf, 9.5]\n[per-file-ignores]\n"odd \\"name.py" = ["log-softmax"]\n'
    )
    Path("sub/tfnanlint.toml").write_text(text)
    assert run("config", "sub") == 0
    assert 'select = ["log"]  # base.toml\n' in run.out
    assert 'log-softmax = "warning"  # base.toml\n' in run.out
    assert "x = [-inf, 9.5]  # sub/tfnanlint.toml\n" in run.out
    (unset,) = [line for line in run.out.splitlines() if line.startswith("# not set: ")]
    assert {"modes", "extend-select", "fail-on", "severity"}.intersection(
        unset.removeprefix("# not set: ").split(", ")
    ) == {
        "modes",
        "extend-select",
        "fail-on",
    }
    assert run.out.count("fail-on") == 1
    shown = run.out
    Path("printed.toml").write_text(shown)
    assert run("config", "sub", "--config", "printed.toml") == 0
    plain = [line.split("  #")[0] for line in shown.splitlines()]
    assert [line.split("  #")[0] for line in run.out.splitlines()] == plain


def test_what_is_added_to_the_selection_is_printed_as_such(run: Shell) -> None:
    Path("tfnanlint.toml").write_text('extend-select = ["log"]\nunsafe-fixes = false\nline-length = 79\n')
    assert run("config") == 0
    assert "# not set: select, " in run.out
    assert 'extend-select = ["log"]  # tfnanlint.toml\n' in run.out
    assert "unsafe-fixes = false  # tfnanlint.toml\n" in run.out
    assert "line-length = 79  # tfnanlint.toml\n" in run.out


def test_the_configuration_of_a_file_names_what_is_ignored_in_it(run: Shell) -> None:
    Path("tfnanlint.toml").write_text('[per-file-ignores]\n"a.py" = ["log-softmax"]\n')
    Path("a.py").write_text("")
    assert run("config", "a.py") == 0
    assert "# per-file-ignores removes log-softmax\n" in run.out


def test_the_schema_is_printed_with_the_names_of_the_rules(run: Shell) -> None:
    assert run("config", "--schema") == 0
    schema = json.loads(run.out)
    jsonschema.Draft7Validator.check_schema(schema)
    assert "log-softmax" in schema["definitions"]["rule"]["anyOf"][0]["enum"]


def test_the_configuration_of_what_is_not_there_is_an_error(run: Shell) -> None:
    assert run("config", "gone.py") == 2
    assert run.err == "tfnanlint: gone.py: no such file or folder\n"


def repaired(run: Shell, imports: str, call: str, target: str) -> str:
    """What `--fix` makes of a call in a program for a target."""
    Path("tfnanlint.toml").write_text(f'target = "{target}"\n' if target else "")
    path = Path("a.py")
    path.write_text(f"{imports}\ny = {call}\n")
    run("a.py", "--fix")
    return path.read_text().splitlines()[-1].removeprefix("y = ")


BOTH = "import tensorflow as tf\nfrom keras import ops, backend as K"


@pytest.mark.parametrize(
    ("call", "target", "after"),
    [
        ("ops.log(ops.softmax(x))", "", "ops.log_softmax(x)"),
        ("ops.log(ops.softmax(x))", "2", "tf.nn.log_softmax(x)"),
        ("ops.log(ops.softmax(x))", "1", "tf.nn.log_softmax(x)"),
        ("ops.log(ops.softmax(x))", "keras3", "ops.log_softmax(x)"),
        ("tf.math.log(tf.nn.softmax(x))", "keras3", "tf.nn.log_softmax(x)"),
    ],
)
def test_a_repair_uses_names_of_the_target_only(call: str, target: str, after: str, run: Shell) -> None:
    assert repaired(run, BOTH, call, target) == after


def test_where_the_target_has_no_name_within_reach_there_is_no_repair_and_the_reason_is_told(run: Shell) -> None:
    call = "ops.log(ops.softmax(x))"
    assert repaired(run, "from keras import ops", call, "2") == call
    assert "no fix: this file imports no name for `tf.nn.log_softmax` that exists in target 2" in run.out


@pytest.mark.tensorflow
def test_settings_reach_the_graph_pass(run: Shell) -> None:
    Path("model.py").write_text(IMPORT + "def f(x, labels):\n    return tf.math.log(x) + labels\n")
    Path("tfnanlint.toml").write_text('[assume]\nx = [0, 255]\nother = [0, 1]\n[severity]\nlog = "warning"\n')
    specs = ("--input-spec", "float32[3]", "--input-spec", "float32[3]")
    (found,) = run.findings("graph", "model.py:f", *specs)
    assert (found["rule"], found["severity"]) == ("log-reaches-zero", "warning")
    assert "[0, 255]: assumed in the configuration" in str(found["evidence"])
    assert run.findings("graph", "model.py:f", *specs, "--range", "x=1..2") == []
    Path("tfnanlint.toml").write_text('modes = ["xla"]\nselect = ["log"]\nignore = ["log-reaches-zero"]\n')
    assert run.findings("graph", "model.py:f", *specs, "--range", "x=0..255") == []


# What users expect of a command line.


def test_a_file_gets_the_format_that_its_ending_tells_and_the_run_says_where_it_went(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    openings = {"html": "<!doctype html>", "json": "[", "sarif": "{", "xml": "<?xml", "md": "#"}
    for name, opening in ((f"r.{ending}", opening) for ending, opening in openings.items()):
        run("a.py", "-o", name)
        assert Path(name).read_text().startswith(opening), name
        assert f"Wrote the report to {name}.\n" in run.err
    run("a.py", "-o", "r.html", "--output-format", "concise", "-q")
    assert Path("r.html").read_text().startswith("a.py:2:5: error")
    assert run.err == ""


def test_statistics_stand_for_the_list(run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    assert run("a.py", "--statistics", "--quiet") == 1
    assert run.out == "    1  log-softmax  (1 with a fix)\n"
    run("a.py", "--statistics", "--output-format", "concise", "--quiet")
    assert (run.out, run.err) == ("", "    1  log-softmax  (1 with a fix)\n")


SAME = {"lint a.py": "check a.py", "explain log-softmax": "rule log-softmax", "help": "check --help"}


@pytest.mark.parametrize(("words", "same"), SAME.items())
def test_the_words_of_other_linters_are_understood(words: str, same: str, run: Shell) -> None:
    Path("a.py").write_text(SOFTMAX)
    status = run(*same.split())
    expected = run.out
    assert (run(*words.split()), run.out) == (status, expected)


def test_a_file_that_is_called_like_a_command_of_another_linter_is_a_file(run: Shell) -> None:
    Path("lint").mkdir()
    Path("lint/a.py").write_text(SOFTMAX)
    Path("b.py").write_text(SOFTMAX)
    assert run.places("lint") == [("lint/a.py", 2)]


def test_what_is_built_is_not_linted(run: Shell) -> None:
    for folder in ("build/lib", "dist", "src"):
        Path(folder).mkdir(parents=True)
        Path(folder, "a.py").write_text(SOFTMAX)
    assert run.places(".") == [("src/a.py", 2)]
    assert run.places("build") == [("build/lib/a.py", 2)]


def test_two_repairs_of_the_same_code_name_each_other(run: Shell) -> None:
    Path("a.py").write_text(IMPORT + "def f(x):\n    h = tf.nn.relu(x)\n    return tf.reduce_sum(h * tf.math.log(h))\n")
    run("a.py")
    for rule in ("log-relu", "log-times-argument"):
        assert f"   apply either this fix or that of {rule}: both change the same code\n" in run.out
    Path("a.py").write_text(SOFTMAX + SOFTMAX)
    run("a.py")
    assert "either" not in run.out


def test_of_a_hazard_and_its_part_the_one_with_an_equivalent_fix_is_reported(run: Shell) -> None:
    entropy = "def f(x):\n    p = tf.nn.softmax(x)\n    return tf.reduce_sum(p * tf.math.log(p))\n"
    Path("a.py").write_text(IMPORT + entropy)
    assert run("--output-format", "concise", "a.py") == 1
    assert "log-softmax" in run.out
    assert "log-times-argument" not in run.out
    assert run("--fix", "a.py") == 0
    assert "p * tf.nn.log_softmax(x)" in Path("a.py").read_text()


def test_repairs_of_two_expressions_of_a_line_that_is_broken_anew_are_both_to_be_made(run: Shell) -> None:
    sides = "x * tf.math.log(sigmoid_of_the_logits) + (1.0 - x) * tf.math.log(1.0 - sigmoid_of_the_logits)"
    model = "    sigmoid_of_the_logits = tf.keras.layers.Dense(1, activation='sigmoid')(x)\n"
    Path("a.py").write_text(f"{IMPORT}def f(x):\n{model}    return -tf.reduce_mean({sides})\n")
    Path("tfnanlint.toml").write_text("line-length = 120\n")
    assert run("a.py") == 1
    assert "Found 2 problems" in run.out
    assert "either" not in run.out
