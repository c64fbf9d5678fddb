"""Every rule file is held to what it says, on real TensorFlow: in every mode and type it claims, in every spelling.

No test here names a rule. A new rule is tested by being there.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tfnanlint.errors import RuleError
from tfnanlint.ruleset.rule import Rule, load_rules
from tfnanlint.suppress.meta import CODES
from tfnanlint.testing import properties, rule_tests
from tfnanlint.testing.programs import broken, functions, rules
from tfnanlint.testing.properties import Property, of_rules
from tfnanlint.vocabulary import FIX_KINDS

RULES = [pytest.param(rule, id=rule.name) for rule in rules()]


@pytest.mark.parametrize("promise", list(of_rules(rules())), ids=str)
def test_a_rule_keeps_its_promise(promise: Property) -> None:
    promise.check()


# The style of the house.


def test_every_rule_has_a_code_of_its_own_and_the_hundreds_tell_its_group() -> None:
    every = load_rules()
    codes = [rule.code for rule in every] + list(CODES.values())
    assert len(set(codes)) == len(codes)
    hundreds: dict[str, set[int]] = {"meta": {int(code.removeprefix("TFN")) // 100 for code in CODES.values()}}
    for rule in every:
        hundreds.setdefault(rule.group, set()).add(int(rule.code.removeprefix("TFN")) // 100)
    assert all(len(found) == 1 for found in hundreds.values())
    assert len(set().union(*hundreds.values())) == len(hundreds)


def test_a_code_is_given_once_and_in_one_form(tmp_path: Path) -> None:
    text = '"""a root"""\nimport tensorflow as tf\n\ncode = "{}"\n\n\ndef before(x=1.0):\n    return tf.sqrt(x)\n'
    (tmp_path / "own-one.py").write_text(text.format("TFNX101"))
    assert {rule.code for rule in load_rules([tmp_path]) if rule.name == "own-one"} == {"TFNX101"}
    for code in ("TFN101", "X1"):
        (tmp_path / "own-one.py").write_text(text.format(code))
        with pytest.raises(RuleError, match="letters of your own and at least three digits"):
            load_rules([tmp_path])
    for name in ("own-one.py", "own-two.py"):
        (tmp_path / name).write_text(text.format("TFNX101"))
    with pytest.raises(RuleError, match=r"own-two.py: the code TFNX101 is already that of .*own-one.py"):
        load_rules([tmp_path])


def test_every_rule_file_can_be_read_and_understood() -> None:
    assert not broken()
    assert sorted(load_rules().names) == sorted(rules().names)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_file_speaks_in_the_voice_of_the_linter(rule: Rule) -> None:
    first = rule.text.split('"""')[1].splitlines()[0]
    assert first[0] == "`" or first[0].islower(), "a message starts in lower case or with code"
    assert len(first) <= 100, "a message has at most 100 characters"
    assert not first.endswith((".", "!")), "a message ends without a stop"
    said = re.sub(r"`[^`]*`", "", rule.message + " " + rule.description)
    assert not re.search(r"\b(may|might|could|can potentially|should)\b", rule.message), "a message states a fact"
    assert "!" not in said, "a rule does not exclaim"
    assert len(rule.description) > 80, "a rule says why it happens and what to do"


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_rule_file_shows_a_look_alike_and_pairs_every_repair(rule: Rule) -> None:
    assert functions(rule, "quiet"), "a rule has at least one quiet_... function"
    assert all("_" in name for name in functions(rule, "quiet")), "the name of a quiet_... function says what it shows"
    used = {id(p.repair.expression) for p in rule.patterns if p.repair is not None}
    repairs = [name for kind in FIX_KINDS for name in functions(rule, kind)]
    assert len(used) == len(repairs), f"a repair belongs to no `before`: {repairs}"


# The rules of others.

OWN = '''"""`log` of one minus a Bessel function is -inf where it is 1

The function rounds to 1 for any small argument: the difference is exactly 0 there, its log -inf, its gradient NaN.
"""

import tensorflow as tf

from tfnanlint.template import within


def before(x: within(0, 9) = 1e-12):
    return tf.math.log(1.0 - tf.math.bessel_i0e(x))


def guard(x):
    return tf.math.log(tf.maximum(1.0 - tf.math.bessel_i0e(x), {least}))


def quiet_of_the_function_alone(x=1e-12):
    return tf.math.log(tf.math.bessel_i0e(x))
'''


def kept(promise: Property) -> bool:
    """Whether a promise is kept."""
    try:
        promise.check()
    except Exception:
        return False
    return True


def test_the_rules_of_others_are_held_to_the_same(tmp_path: Path) -> None:
    (tmp_path / "sound-rule.py").write_text(OWN.format(least="1e-6"))
    (tmp_path / "no-rule.py").write_text("def before(x):\n    return x\n")
    found = list(properties(tmp_path))
    assert {str(promise) for promise in found if not kept(promise)} == {
        "a_rule_file_can_be_read_and_understood-no-rule"
    }
    (mark,) = rule_tests(tmp_path).pytestmark
    assert [str(promise) for promise in mark.args[1]] == [str(promise) for promise in found]


def test_a_repair_that_is_none_breaks_its_promise(tmp_path: Path) -> None:
    path = tmp_path / "hasty-rule.py"
    path.write_text(OWN.format(least="-1.0"))
    broken_ones = {promise.name for promise in properties(path) if not kept(promise)}
    assert "the_applied_fix_is_right_where_the_original_was_wrong" in broken_ones


def test_a_folder_without_rules_is_no_success(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="there is no rule file"):
        list(properties(tmp_path))
