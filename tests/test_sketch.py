"""Sketches of syntax trees: a file is lowered to the same flow from a sketch as from its whole tree."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from tfnanlint.flow import Flow
from tfnanlint.lint import lint_source
from tfnanlint.source import grammar
from tfnanlint.source.lower import Lowering, lower
from tfnanlint.source.project import Project
from tfnanlint.source.source_file import SourceFile

HERE = Path(__file__).parent

EVERY_KIND = '''
"""A docstring with 'quotes' and a \\\\ backslash."""
from __future__ import annotations
import os.path as path, keras.ops
import tensorflow as tf; from math import (pi, e as euler)
from .sibling import *
from ... import above
a: float = 1e-8; b = 0xFF; c = 1_000j; d = -1; f = 1e999; big = 99999999999999999999
s = "one" 'two'; t = f"{a}" "three"; u = b"raw" b"bytes"; v = r"\\d"; w = "'"; x = """it's
two lines"""; y = "''two"; z = '\\'"'; nothing = None; more = ...
yes, (no, *rest) = True, (False, 1, 2)
[first, *others] = table = {"a": 1, **{"b": tf.zeros(2)}, "c": [1, *rest]}


@tf.function(jit_compile=True)
def every(x, /, y=1.0, *args, axis=-1, keepdims, **kwargs):
    global a
    total = x + y - x * y / (y ** 2) // 2 % 3 @ x
    total += x; total -= y; total *= 2; total /= y; total **= 0.5; total <<= 1
    bits = x & y | x ^ y << 1 >> 2, ~x, +x, not x
    asked = x < y <= 2 > 1 >= 0 == 0 != 1, x is None, x is not y, x in args, x not in args
    chosen = x if x > 0 and y > 0 and axis or keepdims else tf.math.log(y)
    cut = x[:, 0], x[1:2, ..., ::2], x[(0, 1)], x[0, 1], x[0,], x[(0), 1], x[...][0], x[
        :,   # all rows
        0,
    ]
    f = lambda p, q=2, *r, **s: p / q
    many = [tf.sqrt(v) for v in x for w in y if v > w if w], (g for g in x), {s for s in x}, {k: v for k, v in x}
    call = f(x, *args, y, axis=axis, *rest, **kwargs), f(v for v in x), f(x)(y).shape[-1]
    if (n := len(args)) > 1: pass; x = tf.exp(x)
    elif n: return x
    else:
        if a:
            x = x / 0.0
    for i, v in enumerate(args):
        if i: continue
        total = total + v
        break
    else:
        total = tf.norm(x)
    while total > 0:
        total = total - 1
    else:
        del total
    try:
        x = tf.math.log(x)
    except (ValueError, TypeError) as error:
        raise RuntimeError("no") from error
    except KeyError as y:
        x = tf.sqrt(y)
    else:
        x = x / y
    finally:
        y = tf.sqrt(y)
    with tf.GradientTape() as tape, open("f"):
        loss = tf.reduce_mean(tf.sqrt(x))
    assert x > 0, "positive"
    match x:
        case [1, *_] if y: x = y / x
        case {"a": q} | None: x = tf.math.log(x)
        case (p, [*q], *rest) if (n := p / q): y = p / q
        case {"a": [p], "b": _, **rest}: y = tf.sqrt(p)
        case Layer(p, [q], rate=[w] as t) as x: y = p / (q * w)
        case -1 | "one" | None | tf.float32: pass
        case (1 | 2 as q) | [q]: y = 1 / q
        case x: y = tf.sqrt(x)
    yield tape.gradient(loss, x)
    return total, bits, asked, chosen, cut, many, call


async def later(x):
    async with x as y, y: pass
    async for z in x:
        await z
    return [tf.sqrt(v) async for v in x]


class Layer(tf.keras.layers.Layer, metaclass=type):
    field: int = 1
    other: float

    def __init__(self, *, rate):
        super().__init__()
        self.rate, self.table[0] = rate, 1

    @property
    def scale(self): return 1.0 / self.rate

    def call(self, x):
        nonlocal_name = x
        def inner():
            nonlocal nonlocal_name
            if self.scale: nonlocal_name = tf.exp(nonlocal_name)
            return tf.sqrt(nonlocal_name) / self.scale
        for _ in x:
            many = [(x := tf.math.log(x)) for _ in x if self.scale and (x := x / 2)]
            with self.scale as nonlocal_name: pass
        return inner(), nonlocal_name, x, (x := 1) if many else (y := x)
'''


def flow_of(path: str, text: str, sketched: bool, project: Project | None = None) -> Flow:
    if sketched:
        return lower(SourceFile.sketched(path, text, ast.parse(text)), project)
    return lower(SourceFile(path, text, cst.parse_module(text)), project)


def told(flow: Flow) -> list[Any]:
    """Everything in a flow but where it was written."""
    return [
        [(repr(n), n.value, [(at.index, holds) for at, holds in n.under]) for n in flow],
        [(root.node.index, root.how, [s.index for s in root.sources]) for root in flow.roots],
        sorted(node.index for node in flow.kept),
    ]


def test_every_kind_of_syntax_is_lowered_to_the_same_flow() -> None:
    whole = told(flow_of("every.py", EVERY_KIND, sketched=False))
    assert len(whole[0]) > 150
    assert told(flow_of("every.py", EVERY_KIND, sketched=True)) == whole


@pytest.mark.parametrize("folder", ["programs", "gradients", "../rules/norm", "../rules/log", "../tfnanlint/report"])
def test_programs_are_lowered_to_the_same_flow(folder: str) -> None:
    files = sorted((HERE / folder).rglob("*.py"))
    assert files
    for file in files:
        text = file.read_text()
        assert told(flow_of(file.name, text, True)) == told(flow_of(file.name, text, False)), file


def test_the_kinds_of_syntax_have_the_names_and_the_fields_of_libcst() -> None:
    kinds = [kind for kind in vars(grammar).values() if type(kind) is grammar.Kind and kind.__mro__[1] is not object]
    abstract = {grammar.Expression, grammar.Suite}
    for kind in set(kinds) - abstract:
        node = getattr(cst, kind.__name__)
        assert set(kind.__slots__) <= {*node.__dataclass_fields__, *vars(node)}, kind


def test_an_imported_module_is_followed_in_a_sketch_too(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "helper.py").write_text(
        "import tensorflow as tf\nEPSILON = 0.0\n\ndef safe(x):\n    return tf.math.log(x + EPSILON)\n\n"
        "def unused(x):\n    return tf.sqrt(x)\n"
    )
    path = str(tmp_path / "main.py")
    text = "import tensorflow as tf\nfrom helper import safe\n\ndef loss(p):\n    return safe(tf.nn.softmax(p))\n"
    flow = flow_of(path, text, True, Project())
    assert told(flow) == told(flow_of(path, text, False, Project()))
    assert "log" in {node.op for node in flow}


def test_no_syntax_tree_is_read_of_a_text_without_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    parse = cst.parse_module
    monkeypatch.setattr(cst, "parse_module", lambda text: read.append(text) or parse(text))
    text = "import tensorflow as tf\n\ndef f(x):\n    return tf.math.log({})\n"
    quiet, loud = text.format("tf.nn.softmax(x) + 1e-6"), text.format("tf.nn.softmax(x)")
    assert not lint_source(quiet)
    assert quiet not in read
    assert lint_source(loud)
    assert loud in read


def test_what_a_sketch_leaves_out_is_looked_up_in_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that comes to look at more than a sketch holds is slow, not wrong."""
    expression = Lowering.expression

    def curious(low: Lowering, node: Any, scope: Any) -> Any:
        assert node.lpar is not None
        return expression(low, node, scope)

    text = "import tensorflow as tf\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n"
    found = lint_source(text)
    monkeypatch.setattr(Lowering, "expression", curious)
    assert lint_source(text) == found != []
