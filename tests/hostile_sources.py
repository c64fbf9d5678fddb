"""Sources that would take a linter's time or memory without a bound, made here: nothing of them is stored.

`python tests/hostile_sources.py FOLDER` writes them, for a look at what a tool makes of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

IMPORT = "import tensorflow as tf\n"
IGNORE = "# tfnanlint: ignore[sqrt-at-zero]\n"
DESCRIBED = "Args:\n    x: a mask\n"
STEP = "tf.cast(tf.compat.v1.train.get_global_step(), tf.float32)"
HAZARD = "tf.math.log(tf.nn.softmax(x))"
FOUND, BEYOND, LARGE, REFUSED = "log-softmax", "only the first 60,000 words", "MB exceeds", "nested too deeply"
COMMENTS = "comments for tfnanlint take more than"
"""What is said: of the hazard in it, or why it is not analysed."""


def program(body: str, before: str = "") -> str:
    """A program of some statements in a function of x, c and m, with a hazard at its end beside what becomes of x."""
    inside = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{IMPORT}{before}\n\ndef f(x, c, m, z):\n{inside}    return x + {HAZARD.replace('(x)', '(z)')}\n"


def held_open(count: int) -> str:
    """An import whose bracket a comment of many number signs keeps open, in a text."""
    return f'{program("")}\n"""\nfrom a import (a {"#" * count} (\n"""\n'


def commented(count: int) -> str:
    """A line of many brackets, with as many comments that may be about any of them."""
    return f"{program('')}\ny = [{'(),' * count}]{' # tfnanlint: ignore[log-softmax]' * count}\n"


def switched(count: int) -> str:
    """Comments that switch rules off, and one that switches others on, each with many names."""
    off, on = (",".join(f"{word}-{n}" for n in range(count)) for word in "ab")
    return program("") + f"# tfnanlint: off[{off}]\n" * 50 + f"# tfnanlint: on[{on}]\n"


def folded(expression: str) -> str:
    """A constant that takes for ever to compute, beside a hazard."""
    return program("", f"n = {expression}\nm = n * 2\ny = tf.ones(3) / m\n")


def doubled(statement: str, times: int = 60, first: str = "tf.ones(3)") -> str:
    """A container that each statement doubles, and what is done with it."""
    uses = (
        "y = tf.math.log(a)",
        "b, c = a",
        "z = [tf.exp(d) for d in a]",
        "w = tf.nest.map_structure(tf.exp, a)",
        "tf.stack(a)",
    )
    return program("", "\n".join([f"a = {first}", *[statement] * times, *uses, ""]))


def held() -> str:
    """Lists that hold each other twice, put together from the outermost on."""
    made = [f"a{n} = []\n" for n in range(40)]
    made += [f"a{n}.append(a{n + 1})\n" * 2 for n in range(39)]
    return program("", f"{''.join(made)}y = tf.stack(a0)\n")


def cells(number: int, code: str) -> str:
    """A notebook of so many cells."""
    cell = {"cell_type": "code", "source": [code], "metadata": {}, "outputs": [], "execution_count": None}
    return json.dumps({"cells": [cell] * number, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def fan(width: int, depth: int) -> str:
    """Values of which each is made of several before it: more ways through them than can be walked."""
    lines = [f"a{n} = x + {n}.0" for n in range(width)]
    lines += [
        f"a{n} = tf.nn.relu({' + '.join(f'a{n - back}' for back in range(1, width + 1))})" for n in range(width, depth)
    ]
    return program("\n".join([*lines, f"x = a{depth - 1}"]))


def calls(depth: int, times: int) -> str:
    """Functions that call the next one several times: a tree of calls."""
    body = "".join(f"def f{n}(x):\n    return {' + '.join([f'f{n + 1}(x)'] * times)}\n\n\n" for n in range(depth))
    return f"{IMPORT}\n\n{body}def f{depth}(x):\n    return {HAZARD}\n\n\ny = f0(tf.ones(3))\n"


def loops(depth: int) -> str:
    """Loops in loops over functions that are known, each of which is followed."""
    lines = ["    " * n + f"for f{n} in fs:" for n in range(depth)]
    inner = "    " * depth + "x = f0(x)"
    return program("\n".join([*lines, inner]), "fs = [tf.exp, tf.sin, tf.cos, tf.tanh, tf.nn.relu, tf.abs]\n")


def comprehensions(depth: int) -> str:
    """Lists of lists of lists, made element by element."""
    return program(f"y = {'[' * depth}tf.exp(x){''.join(f' for v{n} in [1, 2, 3, 4, 5, 6]]' for n in range(depth))}")


def lines(number: int, form: str, first: str = f"y = {HAZARD}") -> str:
    """So many statements of a form."""
    return "\n".join([IMPORT + first, *(form.format(n=n) for n in range(number)), ""])


def quotients(number: int) -> str:
    """Values that are each made of the one before, with a hazard in every second line of a function."""
    pairs = (f"b{n} = tf.math.log(a)\nc{n} = b{n} / tf.norm(b{max(n - 1, 0)})" for n in range(number))
    return program("\n".join(["a = tf.nn.softmax(x)", *pairs, "x = c9"]))


def lattice() -> str:
    """Classes with two bases each, which have the same two bases: the paths upward double with each."""
    made = ("class {0}{n}(A{m}, B{m}):\n    def call(self, x):\n        return self.missing(x) / tf.norm(x)\n",)
    made += ("@dataclass\nclass {0}{n}_(A{m}_, B{m}_):\n    {0}{n}: int = 1\n",)
    first = "class A0(tf.keras.layers.Layer): pass\nclass B0(tf.keras.layers.Layer): pass\n"
    first += "@dataclass\nclass A0_:\n    a: int = 1\n@dataclass\nclass B0_:\n    b: int = 1\n"
    layers = "".join(form.format(name, n=n, m=n - 1) for n in range(1, 50) for name in "AB" for form in made)
    used = "a = A49()(tf.ones(3)) / tf.norm(B49_(1).a)\n"
    return program("", f"from dataclasses import dataclass\n{first}{layers}{used}")


def lineage(count: int) -> str:
    """Classes, each with the one before as its base."""
    layers = "".join(f"class C{n}(C{n - 1}): pass\n" for n in range(1, count))
    return program("", f"class C0(tf.keras.layers.Layer): pass\n{layers}a = C{count - 1}()(tf.ones(3))\n")


def sources() -> dict[str, tuple[Callable[[], str], str]]:
    """Each by its file's name: what makes it, and what is said of it."""
    vast = '{"cells": [' + "[]," * 3_000_000 + '{}], "a": "import tensorflow"}'
    made: dict[str, tuple[Callable[[], str], str]] = {
        "tower.py": (lambda: program("", "n = 3\n" + "n = n * n\n" * 60 + "y = tf.ones(3) / n\n"), FOUND),
        "wrapped.py": (lambda: doubled("a = (a,)", 3000), FOUND),
        "constants.py": (lambda: doubled("a = tf.constant([a, a])", first="1.0"), FOUND),
        "held.py": (held, FOUND),
        "unpacked.py": (lambda: doubled("a = [*a, *a]", first="[1.0]"), FOUND),
        "text.py": (lambda: f"{IMPORT}t = tf.constant('{'a' * 1_500_000}', shape=[1000])\ny = {HAZARD}\n", FOUND),
        "lazy.py": (lambda: f"{IMPORT}y = {HAZARD}\nx={'Lazy' * 250_000}\n", FOUND),
        "word.py": (lambda: f"{IMPORT}y = {'b' * 1_500_000} + x * z / {HAZARD}\n", FOUND),
        "comment.py": (lambda: f"{IMPORT}y = {HAZARD}\n# {';from a import (#' * 100_000}\n", FOUND),
        "counted.py": (lambda: program("c = c + c\n" * 60 + "if c > 5:\n    x = tf.exp(x)"), FOUND),
        "chained.py": (lambda: program("c = c + 1\n" * 3000 + "if c > 5:\n    x = tf.exp(x)"), FOUND),
        "steps.py": (lambda: program(f"c = {STEP}\n" + "c = c + c\n" * 60 + "x = x / tf.sqrt(c)"), FOUND),
        "masks.py": (lambda: program("m = tf.cast(m > 0, tf.float32)\n" + "m = m * m\n" * 300 + "x = x * m"), FOUND),
        "fan.py": (lambda: fan(12, 150), FOUND),
        "calls.py": (lambda: calls(12, 8), FOUND),
        "nested-loops.py": (lambda: loops(15), FOUND),
        "nested-lists.py": (lambda: comprehensions(15), FOUND),
        "one-line.py": (lambda: f"{IMPORT}y = [{', '.join([HAZARD] * 40_000)}]\n", BEYOND),
        "brackets.py": (lambda: f"{IMPORT}y = {'(' * 5000}x{')' * 5000}\n", "not valid Python"),
        "chain.py": (lambda: f"{IMPORT}y = {' + '.join(['x'] * 20_000)}\n", REFUSED),
        "long-chain.py": (lambda: f"{IMPORT}y = {' + '.join(['x'] * 50_000)}\n", BEYOND),
        "conjunction.py": (lambda: f"{IMPORT}y = {HAZARD}\nz = {' and '.join(['x'] * 20_000)}\n", REFUSED),
        "dotted.py": (lambda: f"{IMPORT}y = {HAZARD}\nfrom {'a.' * 20_000}b import c\n", REFUSED),
        "lambdas.py": (lambda: f"{IMPORT}y = {HAZARD}\nz = {'lambda: ' * 2500}x\n", REFUSED),
        "subscripts.py": (lambda: f"{IMPORT}y = {HAZARD}\nz = x{'[0]' * 2500}\n", REFUSED),
        "stored.py": (lambda: program(f"x = '{'self.' * 100_000}'"), FOUND),
        "gap.py": (lambda: f"{IMPORT}y = {HAZARD}{' ' * 500_000}+ 1\n", FOUND),
        "blank.py": (lambda: f"{IMPORT}y = {HAZARD}\n" + "\n" * 1_900_000, BEYOND),
        "stars.py": (lambda: lines(3_000, "from tensorflow.a{n} import *") + f"y = {HAZARD}\n", FOUND),
        "opened.py": (lambda: IMPORT + "from a import (\n" * 100_000, "no statement ends"),
        "unclosed.py": (lambda: IMPORT + '"\\' * 900_000, "not valid Python"),
        "fields.py": (lambda: f"{IMPORT}y = {HAZARD}\nz = f'{'{x}' * 300_000}'\n", BEYOND),
        "functions.py": (lambda: lines(20_000, "def f{n}(x):\n    return tf.exp(x)"), BEYOND),
        "lines.py": (lambda: lines(100_000, "v{n} = {n}"), BEYOND),
        "large.py": (lambda: lines(200_000, "v{n} = {n}"), LARGE),
        "long-sum.py": (
            lambda: program(f"x = {' + '.join(f'tf.sqrt(x * {n}.0)' for n in range(300))} + {HAZARD}"),
            FOUND,
        ),
        "comments.py": (lambda: f"{IMPORT}{IGNORE * 20_000}y = {HAZARD}\n", FOUND),
        "listed.py": (
            lambda: f"{IMPORT}y = {HAZARD}  # tfnanlint: ignore[{', '.join(f'a{n}' for n in range(50_000))}]\n",
            FOUND,
        ),
        "described.py": (lambda: program(f"'''\n{DESCRIBED * 20_000}'''\nx = x / tf.norm(x)"), FOUND),
        "lattice.py": (lattice, FOUND),
        "lineage.py": (lambda: lineage(3000), FOUND),
        "quotients.py": (lambda: quotients(600), FOUND),
        "branches.py": (lambda: lines(3_000, "if c{n}:\n    v{n} = {n}"), FOUND),
        "held_open.py": (lambda: held_open(60), FOUND),
        "imports_open.py": (lambda: program("") + "#" + "import(" * 200_000 + "\n", FOUND),
        "noqas.py": (lambda: program("") + "#" + " noqa:" * 100_000 + "\n", FOUND),
        "commented.py": (lambda: commented(1_000), COMMENTS),
        "switched.py": (lambda: switched(2_000), COMMENTS),
        "large.ipynb": (lambda: cells(100, f"y = {HAZARD}\n" * 1000), LARGE),
        "cells.ipynb": (lambda: cells(500, f"{IMPORT}y = {HAZARD}\n"), FOUND),
        "magics.ipynb": (lambda: cells(1, IMPORT + "?\n" * 480_000), BEYOND),
        "values.ipynb": (lambda: vast, "is too large to read"),
    }
    numbers = {"power": "10**10**10", "shift": "1 << 10**12", "text": "'a' * 10**12", "tuple": "(0,) * 10**12"}
    numbers |= {"pow": "pow(3, 10**10)", "beyond": "1" + "0" * 400}
    numbers |= {"list": "[0] * 10**12", "hexadecimal": "0x" + "f" * 500_000}
    tensors = {
        "draws": "tf.random.gamma((2000, 2000), x)",
        "counts": "tf.cast(tf.math.bincount(tf.cast(tf.abs(x) * 1e9, tf.int32)), tf.float32)",
        "segments": "tf.math.segment_sum(x, tf.constant([0, 1, 2, 10**9]))",
        "spectra": "tf.abs(tf.signal.stft(x, 2048, 1, 10**7))",
        "axes": "tf.reshape(x, [64] * 9)",
        "input": "tf.keras.Input(shape=(12,) * 9)",
        "windows": "tf.nn.avg_pool2d(tf.ones((4, 110, 110, 1)) * x[0, 0], 110, 1, 'SAME')",
        "subscripts": "tf.ones((4, 12000))[tf.zeros([40000], tf.int32) + tf.cast(x[0, 0], tf.int32)]",
    }
    made |= {f"{name}.py": (partial(program, f"x = {text} / tf.norm(x)"), FOUND) for name, text in tensors.items()}
    made |= {f"{name}.py": (partial(folded, expression), FOUND) for name, expression in numbers.items()}
    containers = {"pairs": "(a, a)", "lists": "[a, a]", "tables": "{1: a, 2: a}", "joined": "a + a if a else [a, a]"}
    made |= {f"{name}.py": (partial(doubled, f"a = {held}"), FOUND) for name, held in containers.items()}
    steps = {"straight": ("tf.exp(x)", 1000), "chosen": ("tf.where(c, x, -x)", 1000), "sums": ("x + x", 500)}
    steps |= {"products": ("x * x", 500), "halves": ("(x - m) / (x + m)", 300), "norms": ("x / tf.norm(x)", 300)}
    steps |= {"outer": ("tf.tensordot(x, x, 0)", 20), "spread": ("x[..., None] * x[None]", 30)}
    steps |= {"factors": ("tf.linalg.svd(x + tf.random.normal([100, 100]))[0] / tf.norm(x)", 20)}
    steps |= {"gathered": ("tf.gather(x, tf.cast(x, tf.int32), axis=-1)", 20)}
    made |= {f"{name}.py": (partial(program, f"x = {step}\n" * times), FOUND) for name, (step, times) in steps.items()}
    return made


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file_name, (make, _) in sources().items():
        (folder / file_name).write_text(make())
