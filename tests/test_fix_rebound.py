"""An equivalent fix leaves every result as it is, whatever gives a name, an item or an attribute another value.

Each program is run before and after all its equivalent fixes, on TensorFlow.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tfnanlint.lint import lint_source
from tfnanlint.run.edits import apply_edits

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"
MOST_ROUNDS = 5


def equivalent(text: str) -> str:
    """A program with all its equivalent fixes."""
    for _ in range(MOST_ROUNDS):
        found = lint_source(text, "program.py", pedantic=True)
        fixes = [one.fix for one in found if one.fix is not None and one.fix.kind == "after"]
        if not fixes:
            break
        text = apply_edits(text, fixes[0].edits)
    return text


def results(text: str) -> list[Any]:
    """What the functions of a program give, in order; what is left under a global name, too."""
    import tensorflow as tf

    held: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec", dont_inherit=True), held)
    found: list[Any] = [_numbers(value) for value in held["run"](tf.constant([1.0, 2.0]), np.array([1.0, 2.0]))]
    return [*found, _numbers(held.get("shared"))]


def _numbers(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_numbers(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _numbers(one) for key, one in value.items()}
    return np.round(np.asarray(value, np.float64), 4).tolist() if hasattr(value, "shape") else value


REBOUND = {
    "a capture of a sequence": """
def run(x, array):
    p = tf.nn.softmax(x)
    match [x * 2, 3]:
        case [x, *_]:
            yield tf.math.log(p)
""",
    "a capture of the subject": """
def run(x, array):
    p = tf.nn.softmax(x)
    match x * 2:
        case x:
            pass
    yield tf.math.log(p)
""",
    "a capture by `as`": """
def run(x, array):
    p = tf.nn.softmax(x)
    match [x * 2]:
        case [_] as rest if (x := rest[0]) is not None:
            yield tf.math.log(p)
""",
    "a capture of the rest of a sequence": """
def run(x, array):
    p = tf.nn.softmax(x)
    match [3, x * 2]:
        case [_, *x]:
            pass
    yield tf.math.log(p)
""",
    "a capture of the rest of a mapping": """
def run(x, array):
    p = tf.nn.softmax(x)
    match {"a": 1, "b": 2}:
        case {"a": _, **x}:
            pass
    x = tf.nn.softmax(x["b"] * tf.ones(2)) + 0.0 * p
    yield tf.math.log(p), x
""",
    "a capture of a case whose guard does not hold": """
def run(x, array):
    p = tf.nn.softmax(x)
    match x * 2:
        case x if tf.reduce_sum(x) < 0:
            yield None
        case _:
            yield tf.math.log(p)
""",
    "a capture of what is reported": """
def run(x, array):
    p = tf.nn.softmax(x)
    match p * 2:
        case p:
            yield tf.math.log(p)
""",
    "the name of an exception": """
def run(x, array):
    p = tf.nn.softmax(x)
    try:
        raise ValueError
    except ValueError as x:
        pass
    yield tf.math.log(p)
""",
    "a `try` that ends halfway": """
def run(x, array):
    p = tf.nn.softmax(x)
    try:
        x = x * 2.0
        raise ValueError
    except ValueError:
        yield tf.math.log(p)
""",
    "a `try` that would have returned": """
def run(x, array):
    def fails(x):
        raise ValueError

    def log(x):
        p = tf.nn.softmax(x)
        try:
            x = x * 2.0
            return fails(x)
        except ValueError:
            pass
        return tf.math.log(p)

    yield log(x)
""",
    "a name in a comprehension": """
def run(x, array):
    p = tf.nn.softmax(x)
    made = [(x := i * x) for i in (2.0, 3.0)]
    yield tf.math.log(p)
""",
    "a name in the condition of a comprehension of unknown length": """
def run(x, array):
    p = tf.nn.softmax(x)
    made = {i for i in array.tolist() if (x := x * i) is not None}
    yield tf.math.log(p)
""",
    "a name in a part of an expression that is not always evaluated": """
def log(x, smooth):
    p = x
    smooth and (p := tf.nn.softmax(x))
    return tf.math.log(p)


def run(x, array):
    yield log(x, True)
    yield log(x, False)
""",
    "a name in one of two expressions": """
def log(x, smooth):
    p = x
    q = (p := tf.nn.softmax(x)) if smooth else 1.0
    return tf.math.log(p) * q


def run(x, array):
    yield log(x, True)
    yield log(x, False)
""",
    "a name in a text": """
def run(x, array):
    p = tf.nn.softmax(x)
    text = f"{(x := x * 2)}"
    yield tf.math.log(p)
""",
    "a name in a default": """
def run(x, array):
    p = tf.nn.softmax(x)

    def inner(y=(x := x * 2)):
        return y

    yield tf.math.log(p)
""",
    "what is reported in a text": """
def run(x, array):
    p = tf.nn.softmax(x)
    text = f"{(p := p * 2)}"
    yield tf.math.log(p)
""",
    "a name that a loop binds at the end of its turn": """
def run(x, array):
    for turn in range(2):
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x)
            x = x * 2.0
        yield tf.math.log(p)
""",
    "an inner function by `nonlocal`": """
def run(x, array):
    def change():
        nonlocal x
        x = x * 5.0

    p = tf.nn.softmax(x)
    change()
    yield tf.math.log(p)
""",
    "an inner function that another one runs": """
def run(x, array):
    def change(i):
        nonlocal x
        x = x * 5.0
        return i

    p = tf.nn.softmax(x)
    list(map(change, array))
    yield tf.math.log(p)
""",
    "an inner function that calls itself": """
def run(x, array):
    def change(times):
        nonlocal x
        if times:
            x = x * 5.0
            change(times - 1)

    p = tf.nn.softmax(x)
    change(2)
    yield tf.math.log(p)
""",
    "an inner function in one arm": """
def run(x, array):
    def change(much):
        nonlocal x
        if much:
            x = x * 5.0
        else:
            pass

    p = tf.nn.softmax(x)
    change(True)
    yield tf.math.log(p)
""",
    "an inner function that changes what is reported": """
def run(x, array):
    def change():
        nonlocal p
        p = p * 5.0

    p = tf.nn.softmax(x)
    change()
    yield tf.math.log(p)
""",
    "an inner function that another one runs, and that changes what is reported": """
def run(x, array):
    def change(i):
        nonlocal p
        p = p * 5.0
        return i

    p = tf.nn.softmax(x)
    list(map(change, array))
    yield tf.math.log(p)
""",
    "an inner function in an inner function": """
def run(x, array):
    def outer():
        nonlocal x

        def change():
            nonlocal x
            x = x * 5.0

        change()

    p = tf.nn.softmax(x)
    outer()
    yield tf.math.log(p)
""",
    "a global name by another function": """
scale = eval("tf.constant([1.0, 2.0])")


def change():
    global scale
    scale = scale * 2.0


def log(other):
    p = tf.nn.softmax(scale)
    other()
    return tf.math.log(p)


def run(x, array):
    yield log(change)
""",
    "a global name in a loop": """
scale = eval("tf.constant([1.0, 2.0])")


def run(x, array):
    global scale
    p = tf.nn.softmax(scale)
    for i in range(2):
        scale = scale * 2.0
    yield tf.math.log(p)
""",
    "a global name that is reported": """
shared = None


def change():
    global shared
    shared = shared * 2.0


def log(x, other):
    global shared
    shared = tf.nn.softmax(x)
    other()
    return tf.math.log(shared)


def run(x, array):
    yield log(x, change)
""",
    "the turn before": """
def run(x, array):
    p = 1.0 + 0.0 * x
    for layer in [tf.nn.relu, tf.identity]:
        yield tf.math.log(p)
        p = tf.nn.softmax(x)
        x = layer(x) * 2.0
    yield tf.math.log(p)
""",
    "a parameter by a caller that asks for it": """
def log(x, smooth=False):
    p = tf.nn.softmax(x)
    if smooth:
        p = p + 1.0
    return tf.math.log(p)


def run(x, array):
    yield log(x)
    yield log(x, True)
""",
    "a name of a class body": """
def run(x, array):
    p = tf.nn.softmax(x)

    class Inner:
        nonlocal x
        x = x * 3.0

    yield tf.math.log(p)
""",
    "a name in what a function is said to return": """
def run(x, array):
    p = tf.nn.softmax(x)

    def inner() -> (x := x * 3.0):
        return 1

    yield tf.math.log(p)
""",
    "a name that is unbound": """
def run(x, array):
    held = x
    p = tf.nn.softmax(x)
    del x
    yield tf.math.log(p)
""",
}

CHANGED = {
    "an item by another name": """
def run(x, array):
    held = {"a": x}
    p = tf.nn.softmax(held["a"])
    other = held
    other["a"] = x * 3.0
    yield tf.math.log(p)
""",
    "an item of what is given by another name": """
def log(held):
    p = tf.nn.softmax(held["a"])
    other = held
    other["a"] = held["a"] * 3.0
    return tf.math.log(p)


def run(x, array):
    yield log({"a": x})
""",
    "an item of what is given twice": """
def log(held, other):
    p = tf.nn.softmax(held["a"])
    other["a"] = held["a"] * 3.0
    return tf.math.log(p)


def run(x, array):
    held = {"a": x}
    yield log(held, held)
""",
    "an item among other targets": """
def log(held):
    p = tf.nn.softmax(held["a"])
    held["a"], other = held["a"] * 3.0, 1
    return tf.math.log(p)


def run(x, array):
    yield log({"a": x})
""",
    "an item by a loop": """
def log(held):
    p = tf.nn.softmax(held["a"])
    for held["a"] in [held["a"] * 3.0]:
        pass
    return tf.math.log(p)


def run(x, array):
    yield log({"a": x})
""",
    "an item that holds the result itself": """
def log(held):
    held["a"] = tf.nn.softmax(held["a"])
    return tf.math.log(held["a"])


def run(x, array):
    yield log({"a": x})
""",
    "an item under a key that is not known": """
def log(held, other, key):
    p = tf.nn.softmax(held["a"])
    other[key] = held["a"] * 3.0
    return tf.math.log(p)


def run(x, array):
    held = {"a": x}
    yield log(held, held, "a")
""",
    "an item of a part": """
def log(held):
    p = tf.nn.softmax(held["a"]["b"])
    part = held["a"]
    part["b"] = part["b"] * 3.0
    return tf.math.log(p)


def run(x, array):
    yield log({"a": {"b": x}})
""",
    "an attribute by another name": """
class Held:
    pass


def log(held, other):
    p = tf.nn.softmax(held.scores)
    other.scores = held.scores * 3.0
    return tf.math.log(p)


def run(x, array):
    held = Held()
    held.scores = x
    yield log(held, held)
""",
    "an array by another name": """
def log(scores):
    p = tf.nn.softmax(scores)
    other = scores
    other[0] = 7.0
    return tf.math.log(p)


def run(x, array):
    yield log(array)
""",
    "an array by an operator in place": """
def log(scores):
    p = tf.nn.softmax(scores)
    other = scores
    other *= 7.0
    return tf.math.log(p)


def run(x, array):
    yield log(array)
""",
    "an array that a part of looks into": """
def log(scores):
    p = tf.nn.softmax(scores)
    part = scores[:1]
    part[:] = 7.0
    return tf.math.log(p)


def run(x, array):
    yield log(array)
""",
    "an array that is looked into": """
def log(scores):
    part = scores[:2]
    p = tf.nn.softmax(part)
    scores[0] = 7.0
    return tf.math.log(p)


def run(x, array):
    yield log(array)
""",
    "an array in a list": """
def log(scores):
    rows = [scores]
    p = tf.nn.softmax(scores)
    rows[0][0] = 7.0
    return tf.math.log(p)


def run(x, array):
    yield log(array)
""",
    "an array by a method of another name": """
def log(scores):
    other = scores
    p = tf.nn.softmax(scores)
    other.fill(7.0)
    other.put(0, 3.0)
    return tf.math.log(p)


def run(x, array):
    yield log(array)
""",
    "an array that a function of NumPy writes into by another name": """
def log(scores):
    other = scores[:1]
    p = tf.nn.softmax(scores)
    np.copyto(other, 7.0)
    return tf.math.log(p)


def run(x, array):
    yield log(array)
""",
    "an attribute while other code runs": """
class Held:
    pass


def log(held):
    p = tf.nn.softmax(held.scores)
    yield
    yield tf.math.log(p)


def run(x, array):
    held = Held()
    held.scores = x
    steps = log(held)
    next(steps)
    held.scores = x * 3.0
    yield next(steps)
""",
    "an array that a function of NumPy writes into": """
def log(scores):
    p = tf.nn.softmax(scores)
    np.multiply(scores, 7.0, out=scores)
    q = tf.nn.softmax(scores)
    np.copyto(scores, 1.0)
    return tf.math.log(p), tf.math.log(q)


def run(x, array):
    yield log(array)
""",
}

DROPPED = {
    "a global name": """
shared = None


def log(z):
    global shared
    shared = tf.nn.softmax(z)
    return tf.math.log(shared)


def run(x, array):
    yield log(x)
""",
    "a global name that nothing else binds": """
def log(z):
    global shared
    shared = tf.sigmoid(z)
    return tf.math.log(shared)


def run(x, array):
    yield log(x)
""",
    "a global name that is declared in a branch": """
def log(z):
    if z is not None:
        global shared
    shared = tf.sigmoid(z)
    return tf.math.log(shared)


def run(x, array):
    yield log(x)
""",
    "a name of the function around": """
def run(x, array):
    def log(z):
        nonlocal p
        p = tf.nn.softmax(z)
        return tf.math.log(p)

    p = None
    yield log(x)
    yield p
""",
    "a name of a dictionary of them all": """
def log(z):
    p = tf.nn.softmax(z)
    q = tf.math.log(p)
    return q, dict(locals())


def run(x, array):
    yield log(x)
""",
    "a name in `vars`": """
def log(z):
    p = tf.nn.softmax(z)
    q = tf.math.log(p)
    return vars()["p"], q


def run(x, array):
    yield log(x)
""",
    "a name in a text that is evaluated": """
def log(z):
    p = tf.nn.softmax(z)
    q = tf.math.log(p)
    return q, eval("p")


def run(x, array):
    yield log(x)
""",
    "a name in a text that is run": """
def log(z):
    p = tf.nn.softmax(z)
    q = tf.math.log(p)
    found = []
    exec("found.append(p)")
    return q, found


def run(x, array):
    yield log(x)
""",
}

ATTACKS = {**REBOUND, **CHANGED, **DROPPED}


@pytest.mark.parametrize("program", ATTACKS.values(), ids=list(ATTACKS))
def test_an_equivalent_fix_changes_no_result(program: str) -> None:
    text = HEAD + program
    assert lint_source(text, "program.py", pedantic=True), "nothing is reported, and so nothing is tried"
    assert results(equivalent(text)) == results(text)


KEPT = {
    "what is bound in an arm that returns": ("    if y:\n        x = y\n        return x\n", "x"),
    "what is bound in the other arm": ("    if y:\n        x = y\n    else:\n        return tf.math.log(p)\n", "x"),
    "an item under another key": ("    y['b'] = 1\n", "z['a']"),
    "an item of a list that is made here": ("    y = [1, 2]\n    y[0] = 3\n", "z[:, 0]"),
    "an attribute of another name": ("    y.rate = 1\n", "z.scores"),
    "the name of an exception that is another one": (
        "    try:\n        y()\n    except ValueError as error:\n        print(error)\n",
        "x",
    ),
    "a capture of another name": ("    match y:\n        case [first, *_]:\n            print(first)\n", "x"),
    "a name in a comprehension that is another one": ("    y = [(last := i) for i in y]\n", "x"),
    "a target of a comprehension": ("    y = [x for x in y]\n", "x"),
    "a name of an inner function": (
        "    def inner(x):\n        x = x * 2\n        return x\n\n    y = inner(y)\n",
        "x",
    ),
}


@pytest.mark.parametrize(("between", "operand"), KEPT.values(), ids=list(KEPT))
def test_what_stays_as_it_is_may_be_computed_again(between: str, operand: str) -> None:
    text = f"{HEAD}def f(x, y, z):\n    p = tf.nn.softmax({operand})\n{between}    return tf.math.log(p)\n"
    assert f"return tf.nn.log_softmax({operand})\n" in equivalent(text)


def test_an_operand_is_not_named_before_what_changes_it() -> None:
    program = """
def run(x, array):
    def net(x):
        return tf.reshape(x * 3.0, [-1])

    y, p = (x := x * 2.0), tf.nn.softmax(net(x))
    yield p, tf.math.log(p), y
"""
    assert results(equivalent(HEAD + program)) == results(HEAD + program)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 has no `except*`")
def test_the_name_of_a_group_of_exceptions_is_bound() -> None:
    program = """
def run(x, array):
    p = tf.nn.softmax(x)
    try:
        raise ExceptionGroup("group", [ValueError()])
    except* ValueError as x:
        pass
    yield tf.math.log(p)
"""
    assert results(equivalent(HEAD + program)) == results(HEAD + program)
