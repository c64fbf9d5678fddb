"""Programs of any size, each with one kind of thing many times: what linting them costs must grow no faster than they.

`tests/test_growth.py` counts the calls that linting them makes; `benchmarks/growth.py` measures the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

IMPORT = "import tensorflow as tf\n"
HAZARD = "tf.math.log(tf.nn.softmax(x))"

Files = dict[str, str]
"""The texts of a project, by name."""


def _one(text: str) -> Files:
    return {"a.py": IMPORT + text}


def _in_function(lines: str, given: str = "x") -> Files:
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    return _one(f"\n\ndef f({given}):\n{body}    return x, {HAZARD}\n")


def functions(count: int) -> Files:
    """Functions that fail."""
    return _one("".join(f"\n\ndef f{n}(x):\n    return tf.exp(x) / tf.norm(x)\n" for n in range(count)))


def sound_functions(count: int) -> Files:
    """Functions that do not, and one that does."""
    sound = "".join(f"\n\ndef f{n}(x):\n    return tf.exp(x)\n" for n in range(count))
    return _one(f"{sound}\n\ndef g(x):\n    return {HAZARD}\n")


def losses(count: int) -> Files:
    """Losses in functions of their own."""
    return _one(
        "".join(
            f"\n\ndef loss{n}(y_true, y_pred):\n    return -tf.reduce_mean(y_true * tf.math.log(y_pred))\n"
            for n in range(count)
        )
    )


def statements(count: int) -> Files:
    """Statements in a row."""
    return _in_function("x = tf.exp(x)\n" * count)


def lines(count: int) -> Files:
    """Lines that compute nothing."""
    return _one("".join(f"v{n} = {n}\n" for n in range(count)) + f"\n\ndef f(x):\n    return {HAZARD}\n")


def findings(count: int) -> Files:
    """Findings in one function."""
    held = [f"y{n}" for n in range(count)]
    return _in_function("".join(f"{name} = {HAZARD}\n" for name in held) + f"x = ({', '.join(held)})\n")


def terms(count: int) -> Files:
    """Findings on one line."""
    return _one(f"def f(x):\n    return [{', '.join([HAZARD] * count)}]\n")


def shared(count: int) -> Files:
    """Findings in what is made of one value, each beside a use of its own."""
    uses = "".join(f"b{n} = tf.math.log(a)\nc{n} = b{n} / tf.norm(b{n - 1 if n else 0})\n" for n in range(count))
    return _in_function(f"a = tf.nn.softmax(x)\n{uses}x = [{', '.join(f'b{n}' for n in range(count))}]\n")


def named(count: int) -> Files:
    """Fixes that give a name to an operand in the same function."""
    made = "".join(
        f"p{n} = tf.nn.softmax(tf.keras.layers.Dense(3)(m))\nb{n} = tf.math.log(p{n})\nc{n} = p{n} + 1\n"
        for n in range(count)
    )
    return _in_function(f"{made}x = [{', '.join(f'b{n}, c{n}' for n in range(count))}]\n", "x, m")


def gathered(count: int) -> Files:
    """Inputs that are all used in one place, and many uses of what comes of it."""
    given = ", ".join(f"x{n}" for n in range(count))
    uses = "".join(f"b{n} = y * {n}.5 / tf.norm(y)\n" for n in range(count))
    return _in_function(f"y = tf.concat([{given}], 0)\n{uses}", f"x, {given}")


def classes(count: int) -> Files:
    """Layers, each of which inherits from the one before and extends what it does."""
    first = "class C0(tf.keras.layers.Layer):\n    def call(self, x):\n        return tf.sqrt(x)\n"
    return _one(
        first
        + "".join(
            f"class C{n}(C{n - 1}):\n    def call(self, x):\n        return x / tf.norm(x) + self.g{n}(x)\n"
            f"    def g{n}(self, x):\n        return x / tf.norm(x)\n"
            for n in range(1, count)
        )
    )


def files(count: int) -> Files:
    """Files that know nothing of each other."""
    return {f"m{n}.py": f"{IMPORT}\n\ndef f{n}(x):\n    return tf.exp(x) + {HAZARD}\n" for n in range(count)}


def ring(count: int) -> Files:
    """Modules, each of which imports from the next one."""
    return {
        f"m{n}.py": f"{IMPORT}from m{(n + 1) % count} import f{(n + 1) % count}\n\n\n"
        f"def f{n}(x):\n    return {HAZARD} + f{(n + 1) % count}(x)\n"
        for n in range(count)
    }


def all_from_all(count: int) -> Files:
    """Modules that all import from each other: the number of imports is the square of theirs."""
    return {
        f"m{n}.py": IMPORT
        + "".join(f"from m{other} import f{other}\n" for other in range(count) if other != n)
        + f"\n\ndef f{n}(x):\n    return {HAZARD} + f{(n + 1) % count}(x)\n"
        for n in range(count)
    }


KINDS: Mapping[str, Callable[[int], Files]] = {
    make.__name__.replace("_", " "): make
    for make in (
        *(functions, sound_functions, losses, statements, lines, findings, terms, shared, named, gathered, classes),
        *(files, ring, all_from_all),
    )
}


def size_of(texts: Files) -> int:
    """The size of a program, in characters."""
    return sum(map(len, texts.values()))
