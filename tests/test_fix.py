"""Repairs as edits of a program: what they keep, what they name, and when there is none and why.

The rules used here are written for these tests, so that a built-in rule can change without touching them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tfnanlint.facts import Facts, Reach
from tfnanlint.finding import Finding
from tfnanlint.fix.dialect import NEW_ACTIVATIONS
from tfnanlint.lint import lint_source
from tfnanlint.match import matcher
from tfnanlint.match.captures import Match
from tfnanlint.ruleset.cache import installed_rules
from tfnanlint.ruleset.rule import Rules, read_rule
from tfnanlint.run.edits import apply_edits
from tfnanlint.run.names import undefined

LOG = '''"""`log` of a softmax is -inf where the softmax underflows to 0

The log-softmax does not underflow.
"""
import tensorflow as tf


def before(logits=(200.0, 0.0, -200.0), axis=-1):
    return tf.math.log(tf.nn.softmax(logits, axis=axis))


def after(logits, axis):
    return tf.nn.log_softmax(logits, axis=axis)
'''

NORM = '''"""the gradient of a norm at a zero vector is NaN

The root needs an argument above 0.
"""
import tensorflow as tf


def before(x=(0.0, 0.0), axis=-1, keepdims=False):
    return tf.norm(x, axis=axis, keepdims=keepdims)


def guard(x, axis, keepdims):
    return tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(x), axis=axis, keepdims=keepdims), 1e-12))
'''

DIFFERENCE = '''"""a difference of exponentials overflows

Rewritten as a product, for the sake of these tests.
"""
import tensorflow as tf


def before(a=100.0, b=100.0):
    return tf.exp(a) - tf.exp(b)


def after(a, b):
    return tf.exp(b) * tf.math.expm1(a - b)
'''


ROOT = '''"""the gradient of a root at 0 is infinite

Its argument needs a bound.
"""
import tensorflow as tf

from tfnanlint.template import reaches


def before(y=1.0, x: reaches(0) = 0.0):
    return y / tf.sqrt(x)


def guard(y, x):
    return y / tf.sqrt(tf.maximum(x, 1e-12))
'''

INVERSE = '''"""the logarithm of an exponential less 1 overflows

Taken apart, it does not.
"""
import tensorflow as tf


def before(x=100.0):
    return tf.math.log(tf.exp(x) - 1.0)


def after(x):
    return x + tf.math.log(-tf.math.expm1(-x))
'''


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    folder = tmp_path_factory.mktemp("rules") / "own"
    folder.mkdir()
    found = []
    for name, text in (
        ("log-own", LOG),
        ("norm-own", NORM),
        ("difference-own", DIFFERENCE),
        ("root-own", ROOT),
        ("inverse-own", INVERSE),
    ):
        path: Path = folder / f"{name}.py"
        path.write_text(text)
        found.append(read_rule(path))
    return Rules(tuple(found))


TRIED = frozenset(
    "import_is_added_behind_the_one_that_is_there name_that_is_taken_is_not_imported_over"
    " what_keras_3_added_is_not_written_where_the_backend_of_keras_2_is"
    " number_of_pythons_is_not_bounded_by_a_tensor epsilon_of_the_program_where_its_type_can_hold_it"
    " parameter_of_one_name_in_another_method_is_another_variable touches_an_operator_or_a_parenthesis".split()
)
"""The tests, by the ends of their names, that ask what is reported, too."""


@pytest.fixture(autouse=True)
def untried(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Whatever fits is repaired here: the rules of these tests are shapes, and need not fail in a run."""
    if any(name in request.node.name for name in TRIED):
        return

    def likely(self: matcher.Matcher, matches: Sequence[Match], facts: Facts, edges: bool) -> Iterator[Match]:
        for match in matches:
            if match.reach is Reach.UNKNOWN:
                match.reach = Reach.LIKELY
            yield match

    monkeypatch.setattr(matcher.Matcher, "_tried", likely)
    monkeypatch.setattr(matcher, "_lacks_trial", lambda match: False)


def only(text: str, rules: Rules) -> Finding:
    (finding,) = lint_source(text, "program.py", rules=rules)
    return finding


def fixed(text: str, rules: Rules) -> str:
    finding = only(text, rules)
    assert finding.fix is not None, finding.no_fix
    result = apply_edits(text, finding.fix.edits)
    compile(result, "program.py", "exec")
    return result


def refused(text: str, rules: Rules) -> str:
    finding = only(text, rules)
    assert finding.fix is None
    assert finding.no_fix is not None
    return finding.no_fix


HEAD = "import tensorflow as tf\n"

IN_PLACE = {
    "axis and keepdims are carried over": (
        "y = tf.norm(v, axis=1, keepdims=True)\n",
        "y = tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(v), axis=1, keepdims=True), 1e-12))\n",
    ),
    "what is not given stays away": (
        "y = tf.norm(v)\n",
        "y = tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(v)), 1e-12))\n",
    ),
    "a list axis and a computed one are copied as they stand": (
        "y = tf.norm(v, axis=[1, n - 1])\n",
        "y = tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(v), axis=[1, n - 1]), 1e-12))\n",
    ),
    "a name goes to the outermost call": (
        "y = tf.norm(v, name='length')\n",
        "y = tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(v)), 1e-12), name='length')\n",
    ),
    "positional arguments are understood": (
        "y = tf.norm(v, 'euclidean', 0, True)\n",
        "y = tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(v), axis=0, keepdims=True), 1e-12))\n",
    ),
    "an operand keeps its layout and its comments": (
        "y = tf.math.log(tf.nn.softmax(f(\n    a,  # first\n    b,\n)))\n",
        "y = tf.nn.log_softmax(f(\n    a,  # first\n    b,\n))\n",
    ),
    "an operand gets parentheses where its place binds tighter": (
        "y = tf.exp(p + q) - tf.exp(r if s else t)\n",
        "y = tf.exp(r if s else t) * tf.math.expm1(p + q - (r if s else t))\n",
    ),
    "the repair gets parentheses where it stands in an operator": (
        "y = (tf.exp(p) - tf.exp(q)) ** 2\n",
        "y = (tf.exp(q) * tf.math.expm1(p - q)) ** 2\n",
    ),
    "a negated repair keeps its sign": (
        "y = -(tf.exp(p) - tf.exp(q))\n",
        "y = -(tf.exp(q) * tf.math.expm1(p - q))\n",
    ),
    "what stands around the expression is untouched": (
        "y = [1,  tf.math.log( tf.nn.softmax( v ) ),  3]  # why\n",
        "y = [1,  tf.nn.log_softmax(v),  3]  # why\n",
    ),
}


@pytest.mark.parametrize("case", IN_PLACE.values(), ids=list(IN_PLACE))
def test_an_expression_is_repaired_in_place(case: tuple[str, str], rules: Rules) -> None:
    before, after = case
    assert fixed(HEAD + before, rules) == HEAD + after


STYLES = {
    "import tensorflow\ny = tensorflow.math.log(tensorflow.nn.softmax(v))\n": "tensorflow.nn.log_softmax(v)",
    "import tensorflow.compat.v1 as tf\ny = tf.log(tf.nn.softmax(v, dim=1))\n": "tf.nn.log_softmax(v, axis=1)",
    "from keras import ops\ny = ops.log(ops.softmax(v, axis=0))\n": "ops.log_softmax(v, axis=0)",
    "import keras\ny = keras.ops.log(keras.ops.softmax(v))\n": "keras.ops.log_softmax(v)",
    "from tensorflow import math, nn\ny = math.log(nn.softmax(v))\n": "nn.log_softmax(v)",
    "import keras.backend as K\ny = 1 / K.sqrt(K.relu(v))\n": "1 / K.sqrt(K.maximum(K.relu(v), 1e-12))",
    "import tensorflow as tf\nfrom tensorflow.keras import backend as K\ny = K.log(K.softmax(v))\n": (
        "tf.nn.log_softmax(v)"
    ),
}


@pytest.mark.parametrize(("text", "expected"), STYLES.items(), ids=[s.split("\n")[0] for s in STYLES])
def test_a_repair_speaks_the_dialect_of_the_file(text: str, expected: str, rules: Rules) -> None:
    assert f"y = {expected}\n" in fixed(text, rules)


def test_what_keras_3_added_is_not_written_where_the_backend_of_keras_2_is() -> None:
    import tf_keras

    text = "import keras\nimport keras.backend as K\n\n\ndef loss(v):\n    return K.log(K.sigmoid(v))\n"
    by_rule = {finding.rule: finding for finding in lint_source(text, "program.py")}
    fix = by_rule["log-sigmoid"].fix
    assert fix is not None
    assert "    return K.log(K.maximum(K.sigmoid(v), 1e-30))\n" in apply_edits(text, fix.edits)
    assert not any(hasattr(tf_keras.activations, name) for name in NEW_ACTIVATIONS)


def test_an_import_is_added_behind_the_one_that_is_there(rules: Rules) -> None:
    text = '"""Doc."""\nfrom tensorflow.keras import backend as K\n\ny = K.log(K.softmax(v))\n'
    expected = (
        '"""Doc."""\nfrom tensorflow.keras import backend as K\nimport tensorflow as tf\n\ny = tf.nn.log_softmax(v)\n'
    )
    assert fixed(text, rules) == expected


def test_arguments_that_share_a_line_get_one_each_where_the_fix_of_one_is_too_long(rules: Rules) -> None:
    lines = ["def f(y, probabilities):", "    return tf.where(", "        {}", "    )", ""]
    short = "is_missing(y), tf.zeros_like(y), 1 / tf.sqrt(tf.nn.relu(probabilities - 1.0))"
    parts = ["is_missing(y)", "tf.zeros_like(y)", "1 / tf.sqrt(tf.maximum(tf.nn.relu(probabilities - 1.0), 1e-12))"]
    filler = [f"long_{number} = {'1' * 67}" for number in range(40)]
    text = HEAD + "\n".join([*filler, *lines])
    broken = "\n        ".join(f"{part}," for part in parts)
    assert fixed(text.format(short), rules) == text.format(broken)


def test_a_sum_that_the_next_argument_is_aligned_with_is_broken_between_its_terms(rules: Rules) -> None:
    filler = [f"long_{number} = {'1' * 67}" for number in range(40)]
    lines = ["def f(all_of_the_scores, y, axis):", "    return tf.reduce_sum({},", "                         axis)", ""]
    text = HEAD + "\n".join([*filler, *lines])
    sums = "all_of_the_scores{}+ y / tf.sqrt({})"
    bound = "tf.maximum(tf.nn.relu(y), 1e-12)"
    expected = text.format(sums.format("\n" + " " * 25, bound))
    assert fixed(text.format(sums.format(" ", "tf.nn.relu(y)")), rules) == expected


IMPORTS = {
    "from tensorflow import relu, sqrt\ny = 1 / sqrt(relu(v))\n": (
        "from tensorflow import relu, sqrt, maximum\ny = 1 / sqrt(maximum(relu(v), 1e-12))\n"
    ),
    "from tensorflow import (\n    nn,\n    sqrt,\n)\ny = 1 / sqrt(nn.relu(v))\n": (
        "from tensorflow import (\n    nn,\n    sqrt,\n    maximum,\n)\ny = 1 / sqrt(maximum(nn.relu(v), 1e-12))\n"
    ),
    "from tensorflow import nn, sqrt\nmaximum = 1\ny = 1 / sqrt(nn.relu(v))\n": (
        "from tensorflow import nn, sqrt\nimport tensorflow as tf\nmaximum = 1\n"
        "y = 1 / sqrt(tf.maximum(nn.relu(v), 1e-12))\n"
    ),
    "import tensorflow.experimental.numpy as np\ny = 1 / np.sqrt(np.maximum(v, 0.0))\n": (
        "import tensorflow.experimental.numpy as np\ny = 1 / np.sqrt(np.maximum(np.maximum(v, 0.0), 1e-12))\n"
    ),
    "import tensorflow as tf\nimport tensorflow.experimental.numpy as np\ny = 1 / np.sqrt(tf.nn.relu(v))\n": (
        "import tensorflow as tf\nimport tensorflow.experimental.numpy as np\n"
        "y = 1 / np.sqrt(np.maximum(tf.nn.relu(v), 1e-12))\n"
    ),
}


@pytest.mark.parametrize(
    ("text", "expected"), IMPORTS.items(), ids=[text.split("\n")[0] + str(len(text)) for text in IMPORTS]
)
def test_a_file_that_imports_names_gets_another_name(text: str, expected: str, rules: Rules) -> None:
    assert fixed(text, rules) == expected


BACKEND = "from . import backend as bk\n\n\ndef f(x):\n    return 1 / bk.sqrt(bk.relu(x)){}\n"


def test_a_module_of_the_project_is_not_said_to_have_what_nobody_takes_from_it(rules: Rules) -> None:
    """It may be one of several libraries, so that TensorFlow itself is no substitute."""
    assert "through `bk`, which may not provide `tf.maximum`" in refused(BACKEND.format(""), rules)
    text = BACKEND.format(" + bk.maximum(x, 1.0)")
    assert "1 / bk.sqrt(bk.maximum(bk.relu(x), 1e-12))" in fixed(text, rules)


def test_a_comment_inside_of_what_is_replaced_is_kept_above_the_statement(rules: Rules) -> None:
    text = function(
        "p = [", "    tf.math.log(  # careful", "        tf.nn.softmax(v),  # twice", "    )", "]", "return p"
    )
    expected = function("# careful", "# twice", "p = [", "    tf.nn.log_softmax(v)", "]", "return p")
    assert fixed(text, rules) == expected


def test_a_new_name_tells_what_it_holds(rules: Rules) -> None:
    text = function("return tf.math.log(tf.exp(tf.reduce_sum(x)) - 1.0)")
    assert fixed(text, rules) == function(
        "total = tf.reduce_sum(x)", "return total + tf.math.log(-tf.math.expm1(-total))"
    )


def test_a_name_that_is_taken_is_not_imported_over(rules: Rules) -> None:
    text = "from tensorflow.keras import backend as K\ntf = 1\ny = K.log(K.softmax(v))\n"
    assert "imports no module that provides" in refused(text, rules)


def function(*lines: str) -> str:
    return HEAD + "\n\ndef f(net, x, y):\n" + "".join(f"    {line}\n" for line in lines)


def test_a_statement_that_nothing_else_reads_goes(rules: Rules) -> None:
    text = function("z = net(x)", "p = tf.nn.softmax(z)", "return y * tf.math.log(p)")
    assert fixed(text, rules) == function("z = net(x)", "return y * tf.nn.log_softmax(z)")


def test_a_statement_that_something_else_reads_stays(rules: Rules) -> None:
    text = function("z = net(x)", "p = tf.nn.softmax(z)", "return p, tf.math.log(p)")
    assert fixed(text, rules) == function("z = net(x)", "p = tf.nn.softmax(z)", "return p, tf.nn.log_softmax(z)")


def test_a_statement_goes_that_only_the_replaced_operand_reads() -> None:
    """Where a repair differs in one operand of the matched code, and the rest of it stays as it is written."""
    body = ("p = tf.nn.softmax(x)", "return y * tf.math.log(p + 1e-8)")
    (found,) = lint_source(function(*body), pedantic=True)
    assert found.fix is not None
    assert apply_edits(function(*body), found.fix.edits) == function("return y * tf.nn.log_softmax(x)")
    kept = ("p = tf.nn.softmax(x)", "q = p + 1e-8", "return q, y * tf.math.log(q)")
    (found,) = lint_source(function(*kept), pedantic=True)
    assert found.fix is not None
    assert apply_edits(function(*kept), found.fix.edits) == function(*kept[:2], "return q, y * tf.nn.log_softmax(x)")


@pytest.mark.parametrize("depth", ["tf.shape(x)[-1]", "int(x.shape[-1])", "tf.shape(p)[-1]"])
def test_what_an_operand_with_a_new_name_stood_in_goes_with_what_it_read(depth: str) -> None:
    """The name takes the place of the statement, so that no statement is left which reads a removed one."""
    text = function(
        "p = tf.nn.softmax(x)",
        f"chosen = tf.reduce_sum(p * tf.one_hot(y, {depth}), axis=-1)",
        "return -tf.reduce_mean(tf.math.log(chosen))",
    )
    (found,) = lint_source(text)
    assert found.fix is not None
    after = apply_edits(text, found.fix.edits)
    assert "chosen" not in after
    assert f"    depth = {depth}\n" in after
    assert ("p = tf.nn.softmax(x)" in after) is ("p)" in depth)


def test_two_operands_of_one_statement_get_names_in_its_place() -> None:
    text = function(
        "p = tf.nn.softmax(net(x))",
        "chosen = tf.reduce_sum(p * tf.one_hot(tf.cast(y, tf.int32), tf.shape(x)[-1]), axis=-1)",
        "return -tf.reduce_mean(tf.math.log(chosen))",
    )
    (found,) = lint_source(text)
    assert found.fix is not None
    after = apply_edits(text, found.fix.edits)
    assert undefined(after, "a.py") == undefined(text, "a.py")
    assert "chosen" not in after
    assert "softmax(net" not in after
    assert after.count("tf.shape(x)") == after.count("tf.cast(y, tf.int32)") == after.count("net(x)") == 1


def test_functions_of_a_file_do_not_share_the_names_that_repairs_invent(rules: Rules) -> None:
    one = "\n\ndef {name}(x):\n    p = tf.nn.softmax(net(x))\n    return p, tf.math.log(p)\n"
    text = HEAD + one.format(name="f") + one.format(name="g")
    found = lint_source(text, "program.py", rules=rules)
    after = apply_edits(text, [edit for one in found if one.fix for edit in one.fix.edits])
    assert after.count("    logits = net(x)\n") == 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f():\n    return a + b\nb = 1\n", {"a"}),
        ("def f():\n    global b\n    b = 1\nprint(b)\n", set()),
        ("import c as d\n[e for e in d]\nlen(g)\n", {"g"}),
        ("class A:\n    x = 1\n    def f(self):\n        return x\n", {"x"}),
    ],
)
def test_names_without_a_definition_are_known(text: str, names: set[str]) -> None:
    assert undefined(text, "a.py") == names


def test_the_factors_of_a_correlation_are_bounded_one_by_one() -> None:
    """A bound on their product would change the correlation of small numbers, which is finite."""
    text = function("return tf.reduce_sum(x * y) / tf.sqrt(tf.reduce_sum(x * x) * tf.reduce_sum(y * y))")
    (found,) = lint_source(text)
    assert found.fix is not None
    after = " ".join(apply_edits(text, found.fix.edits).split())
    assert "tf.maximum(tf.reduce_sum(x * x), 1e-12)" in after
    assert "tf.maximum(tf.reduce_sum(y * y), 1e-12)" in after


def test_an_operand_that_is_computed_gets_a_name_where_it_stands(rules: Rules) -> None:
    text = function("p = tf.nn.softmax(net(x), axis=1)", "return p, tf.math.log(p)")
    expected = function(
        "logits = net(x)", "p = tf.nn.softmax(logits, axis=1)", "return p, tf.nn.log_softmax(logits, axis=1)"
    )
    assert fixed(text, rules) == expected


def test_a_statement_stays_whose_name_another_operand_of_the_repair_reads(rules: Rules) -> None:
    text = function("p = tf.exp(net(x))", "return p - tf.exp(p + y)")
    expected = function(
        "exponent = net(x)", "p = tf.exp(exponent)", "return tf.exp(p + y) * tf.math.expm1(exponent - (p + y))"
    )
    assert fixed(text, rules) == expected


def test_a_name_in_use_is_not_taken_again(rules: Rules) -> None:
    text = function("logits = 1", "p = tf.nn.softmax(net(x))", "return logits, tf.math.log(p)")
    expected = function("logits = 1", "logits_2 = net(x)", "return logits, tf.nn.log_softmax(logits_2)")
    assert fixed(text, rules) == expected


def test_a_module_keeps_its_names_for_whoever_imports_them(rules: Rules) -> None:
    text = HEAD + "p = tf.nn.softmax(v)\nq = tf.math.log(p)\n"
    assert fixed(text, rules) == HEAD + "p = tf.nn.softmax(v)\nq = tf.nn.log_softmax(v)\n"


def test_crlf_line_ends_are_kept_in_what_is_added(rules: Rules) -> None:
    text = function("p = tf.nn.softmax(net(x))", "return p, tf.math.log(p)").replace("\n", "\r\n")
    assert "    logits = net(x)\r\n    p = tf.nn.softmax(logits)\r\n" in fixed(text, rules)


REFUSED = {
    "`x` changes before this line": function("p = tf.nn.softmax(x)", "x = x + 1", "return tf.math.log(p)"),
    "into a loop": function("p = tf.nn.softmax(x)", "for i in y:", "    net(tf.math.log(p))"),
    "the fix would delete a comment": HEAD + "y = tf.math.log(  # noqa: careful\n    tf.nn.softmax(v))\n",
    "spans several functions": HEAD
    + "def p(x):\n    return tf.nn.softmax(x)\n\n\ndef f(x):\n    return tf.math.log(p(x))\n",
}


@pytest.mark.parametrize(("reason", "text"), REFUSED.items(), ids=list(REFUSED))
def test_where_a_repair_could_be_wrong_there_is_none_and_the_report_says_why(
    reason: str, text: str, rules: Rules
) -> None:
    assert reason in refused(text, rules)


def test_a_branch_does_not_hide_that_a_name_was_rebound(rules: Rules) -> None:
    text = function("p = tf.nn.softmax(x)", "if y:", "    x = net(x)", "return tf.math.log(p)")
    assert "`x` changes before this line" in refused(text, rules)


def test_an_operand_inside_a_lambda_is_not_moved_out_of_it(rules: Rules) -> None:
    text = function("g = lambda: tf.nn.softmax(net(x))", "return tf.math.log(g())")
    finding = only(text, rules)
    assert finding.fix is None


def test_fixing_twice_is_fixing_once(rules: Rules) -> None:
    text = function("p = tf.nn.softmax(net(x))", "return p, tf.math.log(p), tf.norm(x, axis=1)")
    for _ in range(5):
        findings = [f for f in lint_source(text, "program.py", rules=rules) if f.fix]
        if not findings:
            break
        text = apply_edits(text, findings[0].fix.edits)
    assert lint_source(text, "program.py", rules=rules) == []


def test_two_repairs_of_one_function_do_not_take_the_same_new_name(rules: Rules) -> None:
    text = function(
        "p = tf.nn.softmax(net(x))", "q = tf.nn.softmax(net(y))", "return p, q, tf.math.log(p), tf.math.log(q)"
    )
    first, second = lint_source(text, "program.py", rules=rules)
    assert first.fix is not None
    assert second.fix is not None
    both = apply_edits(text, [*first.fix.edits, *second.fix.edits])
    assert both == function(
        "logits = net(x)",
        "p = tf.nn.softmax(logits)",
        "logits_2 = net(y)",
        "q = tf.nn.softmax(logits_2)",
        "return p, q, tf.nn.log_softmax(logits), tf.nn.log_softmax(logits_2)",
    )


def test_one_operand_of_two_repairs_gets_one_name(rules: Rules) -> None:
    text = function("p = tf.nn.softmax(net(x))", "return p, tf.math.log(p), 1 + tf.math.log(p)")
    first, second = lint_source(text, "program.py", rules=rules)
    assert first.fix is not None
    assert second.fix is not None
    assert [e.text for e in first.fix.edits[:2]] == [e.text for e in second.fix.edits[:2]]


def test_only_the_operand_in_which_a_repair_differs_is_changed(rules: Rules) -> None:
    text = HEAD + "y = 1.0 / tf.sqrt(  # why\n    tf.nn.relu(v), name='root'\n)\n"
    assert fixed(text, rules) == text.replace("tf.nn.relu(v)", "tf.maximum(tf.nn.relu(v), 1e-12)")


def test_an_operand_is_changed_where_an_earlier_statement_computes_it_for_this_alone(rules: Rules) -> None:
    text = function("root = tf.sqrt(tf.nn.relu(x))", "net(y)", "return 1.0 / root")
    expected = function("root = tf.sqrt(tf.maximum(tf.nn.relu(x), 1e-12))", "net(y)", "return 1.0 / root")
    assert fixed(text, rules) == expected


def test_an_operand_that_something_else_reads_is_not_changed_for_it(rules: Rules) -> None:
    text = function("square = tf.nn.relu(x)", "root = tf.sqrt(square)", "return root, 1.0 / root")
    expected = function(
        "square = tf.nn.relu(x)", "root = tf.sqrt(square)", "return root, 1.0 / tf.sqrt(tf.maximum(square, 1e-12))"
    )
    assert fixed(text, rules) == expected


def test_a_value_that_an_object_keeps_is_not_changed_for_it(rules: Rules) -> None:
    text = function("root = y.root = tf.sqrt(tf.nn.relu(x))", "return 1.0 / root")
    assert "y.root = tf.sqrt(argument)\n" in fixed(text, rules)


def test_an_operator_is_changed_in_the_operand_it_is_written_with(rules: Rules) -> None:
    text = HEAD + "y = 1.0 / tf.nn.relu(v) ** 0.5\n"
    assert fixed(text, rules) == HEAD + "y = 1.0 / tf.maximum(tf.nn.relu(v), 1e-12) ** 0.5\n"


def test_an_augmented_assignment_is_repaired_as_an_assignment(rules: Rules) -> None:
    text = function("z = tf.exp(x)", "z -= tf.exp(y)", "return z")
    assert "z = tf.exp(y) * tf.math.expm1(x - y)" in fixed(text, rules)


def test_an_operand_of_an_earlier_statement_that_a_repair_takes_twice_takes_that_statement_s_place() -> None:
    head = HEAD + "\n\ndef loss(x):\n    "
    near, far = "-0.2 * ((x - 2) / 0.8) ** 2", "-0.2 * ((x + 2) / 0.8) ** 2"
    text = head + f"a = tf.exp({near})\n    b = tf.exp({far})\n    return -tf.math.log(a + b)\n"
    expected = head + f"exponent = {far}\n    return -(exponent + tf.nn.softplus({near} - exponent))\n"
    assert fixed(text, installed_rules()) == expected


def test_what_a_repair_takes_twice_is_computed_once(rules: Rules) -> None:
    text = function("return tf.math.log(tf.exp(tf.nn.relu(x)) - 1.0)")
    expected = function("exponent = tf.nn.relu(x)", "return exponent + tf.math.log(-tf.math.expm1(-exponent))")
    assert fixed(text, rules) == expected


def test_a_draw_is_made_once(rules: Rules) -> None:
    text = HEAD + "y = tf.math.log(tf.exp(tf.random.normal((3,))) - 1.0)\n"
    expected = "noise = tf.random.normal((3,))\ny = noise + tf.math.log(-tf.math.expm1(-noise))\n"
    assert fixed(text, rules) == HEAD + expected


TWICE = {
    "beside a call that may have effects": function("return net(y), tf.math.log(tf.exp(tf.nn.relu(x)) - 1.0)"),
    "in a lambda": function("return lambda: tf.math.log(tf.exp(net(x)) - 1.0)"),
    "in a comprehension": function("return [tf.math.log(tf.exp(net(i)) - 1.0) for i in y]"),
    "in a condition": function("while net(tf.math.log(tf.exp(net(x)) - 1.0)):", "    pass"),
    "perhaps not at all": function("return y if net else tf.math.log(tf.exp(net(x)) - 1.0)"),
}


@pytest.mark.parametrize("text", TWICE.values(), ids=list(TWICE))
def test_what_would_be_computed_twice_is_not_repaired(text: str, rules: Rules) -> None:
    assert "needs an operand twice; assign it to a variable" in refused(text, rules)


CHANGED = {
    "an attribute after an unknown call": ("y.w", "net.update(y)"),
    "an attribute that is set": ("y.w", "y.w = 1"),
    "an item that is set": ("y[0]", "y[0] = 1"),
    "an object by its own method": ("y.w", "y.train()"),
    "an item by an operator": ("y[0]", "y[0] += 1"),
}


@pytest.mark.parametrize(("operand", "between"), CHANGED.values(), ids=list(CHANGED))
def test_what_code_in_between_may_have_changed_is_not_read_again(operand: str, between: str, rules: Rules) -> None:
    text = function(f"p = tf.nn.softmax({operand})", between, "return p, tf.math.log(p)")
    assert "before this line" in refused(text, rules)


def test_a_variable_that_is_assigned_in_between_is_not_read_again(rules: Rules) -> None:
    text = function("w = tf.Variable(x)", "p = tf.nn.softmax(w)", "w.assign(y)", "return p, tf.math.log(p)")
    assert "`w` may change before this line" in refused(text, rules)


def test_harmless_code_in_between_does_not_stand_in_the_way(rules: Rules) -> None:
    text = function("p = tf.nn.softmax(y.w)", "z = tf.reduce_sum(x)", "print(z)", "return p, tf.math.log(p)")
    assert "tf.nn.log_softmax(y.w)" in fixed(text, rules)


HALF = "y = 1.0 / tf.sqrt(tf.nn.relu(tf.cast(v, tf.{})))\n"


def test_the_type_decides_the_epsilon(rules: Rules) -> None:
    assert "tf.maximum(tf.nn.relu(tf.cast(v, tf.float32)), 1e-12)" in fixed(HEAD + HALF.format("float32"), rules)
    assert "tf.maximum(tf.nn.relu(tf.cast(v, tf.bfloat16)), 1e-12)" in fixed(HEAD + HALF.format("bfloat16"), rules)
    assert "tf.maximum(tf.nn.relu(tf.cast(v, tf.float16)), 1e-4)" in fixed(HEAD + HALF.format("float16"), rules)


OWN = """EPSILON = 1e-8


@tf.function
def loss(x):
    p = tf.sigmoid(tf.cast(x, tf.{}))
    return tf.math.log(1.0 - p + EPSILON)
"""


def test_a_bound_is_the_epsilon_of_the_program_where_its_type_can_hold_it() -> None:
    rules = installed_rules()
    assert "tf.maximum(1.0 - p, EPSILON)" in fixed(HEAD + OWN.format("float32"), rules)
    assert "tf.maximum(1.0 - p, 1e-4)" in fixed(HEAD + OWN.format("float16"), rules)


def test_what_is_only_compared_keeps_its_infinity(rules: Rules) -> None:
    assert "the value is compared" in refused(HEAD + "y = tf.greater(v / tf.sqrt(tf.nn.relu(v)), 0.5)\n", rules)


def test_a_long_line_is_broken_as_the_file_breaks_its_lines(rules: Rules) -> None:
    more = "".join(f"    z{i} = net(\n        x, y\n    )\n" for i in range(20))
    line = "    length = net(y) + net(net(y, x) + 1.0, y / tf.sqrt(tf.nn.relu(x - 1)))\n"
    laid_out = (
        "    length = net(y) + net(\n"
        "        net(y, x) + 1.0, y / tf.sqrt(tf.maximum(tf.nn.relu(x - 1), 1e-12))\n"
        "    )\n"
    )
    text = function() + line + more
    assert fixed(text, rules) == text.replace(line, laid_out)


def guarded(*lines: str) -> str:
    """A function with a tape after the repairs of the built-in rules, round after round."""
    text = function(*lines)
    for _ in range(4):
        found = [f for f in lint_source(text, "program.py", rules=installed_rules()) if f.fix]
        if not found:
            break
        assert found[0].fix is not None
        text = apply_edits(text, found[0].fix.edits)
    return text


def test_a_count_of_integers_is_kept_at_an_integer() -> None:
    lines = ("n = tf.math.count_nonzero(y)", "hits = tf.math.count_nonzero(y * x)")
    assert guarded(*lines, "return hits / n") == function(*lines, "return hits / tf.maximum(n, 1)")


SCHEDULE = """import tensorflow as tf


class Warmup(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        since = tf.maximum(step - 100.0, 0.0)
        return tf.where(step < 100.0, 0.01 * step, tf.math.rsqrt({}))
"""


def test_the_steps_since_a_warmup_are_kept_at_one() -> None:
    rules = installed_rules()
    assert fixed(SCHEDULE.format("since"), rules) == SCHEDULE.format("tf.maximum(since, 1.0)")


def test_what_python_compares_with_nan_may_be_of_any_type() -> None:
    text = """import numpy as np
import tensorflow as tf


def f(results):
    return {k: v for k, v in results.items() if v != np.nan}


def g(x, w):
    y = tf.matmul(x, w)
    return tf.where(y != np.nan, y, 0.0)
"""
    anything, tensor = lint_source(text, "program.py", rules=installed_rules())
    assert "values of any type" in (anything.no_fix or "")
    assert tensor.fix is not None
    assert "tf.math.is_nan(y)" in apply_edits(text, tensor.fix.edits)


def test_a_number_of_pythons_is_not_bounded_by_a_tensor() -> None:
    found = lint_source(function("n = len(x)", "return tf.reduce_sum(y) / n**4"), "program.py", rules=installed_rules())
    assert all(finding.fix is None for finding in found)


@pytest.mark.parametrize("size", ["int(x * ratio)", "int(tf.reduce_sum(x))"])
def test_an_integer_of_pythons_is_not_bounded_by_a_tensor(size: str) -> None:
    text = function(f"n = {size}", "return tf.reduce_sum(y) * n**-0.5").replace("net, x, y", "x, y, ratio=0.5")
    assert all(one.fix is None for one in lint_source(text, "program.py", rules=installed_rules(), pedantic=True))


def test_a_division_by_a_written_zero_means_the_infinity() -> None:
    text = function(
        "top = tf.cast(tf.constant(1) / tf.constant(0), tf.float32)", "return tf.clip_by_value(x, 0.0, top)"
    )
    assert all(finding.fix is None for finding in lint_source(text, "program.py", rules=installed_rules()))


def test_the_bound_of_a_complex_norm_is_not_written_for_real_numbers() -> None:
    text = function("v = tf.Variable(x, dtype=tf.complex128)", "n = tf.norm(v)", "return y / n**2")
    assert "complex128" in (only(text, installed_rules()).no_fix or "")


def test_a_length_that_several_use_is_kept_above_zero_where_it_is_defined() -> None:
    rest = ("a = tf.tanh(n)", "return a * x / n")
    length = "n = tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(y)), 1e-12))"
    assert guarded("n = tf.norm(y)", *rest) == function(length, *rest)
    squares = "s = tf.reduce_sum(y * y)"
    assert guarded(squares, "n = tf.sqrt(2.0 * s)", *rest) == function(
        squares, "n = tf.sqrt(tf.maximum(2.0 * s, 1e-12))", *rest
    )


def test_a_length_that_is_compared_with_zero_stays_what_it_is() -> None:
    text = guarded("n = tf.norm(y)", "found = tf.cast(n > 0.0, tf.float32)", "return found + x / n")
    assert "    n = tf.norm(y)\n" in text


def test_a_dropped_statement_leaves_no_second_empty_line_nor_one_that_opens_a_block(rules: Rules) -> None:
    after = function("y = x", "", "return tf.nn.log_softmax(y)")
    assert fixed(function("y = x", "", "p = tf.nn.softmax(y)", "", "return tf.math.log(p)"), rules) == after
    opened = fixed(function("p = tf.nn.softmax(x)", "", "return tf.math.log(p)"), rules)
    assert opened == function("return tf.nn.log_softmax(x)")


def test_a_name_is_not_in_use_where_an_attribute_is_called_so(rules: Rules) -> None:
    text = function("softmax = tf.nn.softmax(x)", "return tf.math.log(softmax)")
    assert fixed(text, rules) == function("return tf.nn.log_softmax(x)")


def test_parentheses_around_broken_lines_go_with_what_they_held(rules: Rules) -> None:
    text = function("p = (", "    tf.math.log(tf.nn.softmax(x))", ")", "return p")
    assert fixed(text, rules) == function("p = tf.nn.log_softmax(x)", "return p")


def test_code_of_keras_ops_is_repaired_with_keras_ops_though_tensorflow_is_there() -> None:
    head = "import tensorflow as tf\nfrom keras import ops\n\n\n"
    text = head + "def f(x):\n    return (x - ops.mean(x)) / ops.std(x)\n"
    finding = only(text, installed_rules())
    assert finding.fix is not None
    assert apply_edits(text, finding.fix.edits).endswith(
        "    return (x - ops.mean(x)) / ops.sqrt(ops.maximum(ops.var(x), 1e-12))\n"
    )


def test_a_name_that_takes_the_place_of_a_broken_argument_stands_on_the_line_of_the_call(rules: Rules) -> None:
    for closing in (")", "\n    )"):
        text = function(
            f"total = tf.nn.softmax(\n        net(x) + net(y){closing}",
            "return total, tf.math.log(total)",
        )
        assert "total = tf.nn.softmax(logits)\n" in fixed(text, rules)


@pytest.mark.parametrize("word", ["return", "yield", "return not", "return x if x else"])
@pytest.mark.parametrize("value", ["-tf.math.log(1 - tf.sigmoid(x))", "(x / tf.norm(x))"])
def test_a_keyword_that_touches_an_operator_or_a_parenthesis_stays_a_keyword(word: str, value: str) -> None:
    text = function(word + value)
    (found,) = lint_source(text, "program.py")
    assert found.fix is not None
    assert f"{word} tf." in apply_edits(text, found.fix.edits)


def test_a_keyword_that_follows_a_parenthesis_stays_a_keyword(rules: Rules) -> None:
    text = function("return [tf.math.log(tf.nn.softmax(x))for _ in x]")
    assert fixed(text, rules) == function("return [tf.nn.log_softmax(x)for _ in x]")


def test_an_import_stands_above_other_statements_of_the_line_that_it_is_for(rules: Rules) -> None:
    text = "from tensorflow.math import log; from tensorflow.nn import softmax; y = log(softmax(x))\n"
    assert fixed(text, rules) == "import tensorflow as tf\n" + text.replace("log(softmax(x))", "tf.nn.log_softmax(x)")


NORMALIZE = """import pandas as pd
import tensorflow as tf

table = tf.convert_to_tensor(pd.read_csv("cars.csv"), dtype=tf.float32)
rows = tf.random.shuffle(table)[100:][:, 1:]


class Normalize(tf.Module):
    def __init__(self, x):
        self.mean = tf.math.reduce_mean(x, axis=0)
        self.std = tf.math.reduce_std(x, axis=0)

    def norm(self, x):
        return (x - self.mean) / self.std


normalized = Normalize(rows).norm(rows)
"""


def test_a_parameter_of_one_name_in_another_method_is_another_variable() -> None:
    (found,) = lint_source(NORMALIZE, "normalize.py")
    assert found.fix is not None
    assert "self.std" in found.fix.message
