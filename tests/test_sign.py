"""A repair that begins with a minus: what stands around it takes the sign over, and the value stays the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfnanlint.lint import lint_source
from tfnanlint.run.rounds import fix_text
from tfnanlint.run.text import Linted

HEAD = "import tensorflow as tf\n\n\ndef f(x, y, a):\n    p = tf.sigmoid(x)\n"
LOG, LOSS = "tf.math.log(1.0 - p)", "tf.nn.softplus(x)"

TAKEN_OVER = {
    f"return a + {LOG}": f"return a - {LOSS}",
    f"return a - {LOG}": f"return a + {LOSS}",
    f"return -{LOG}": f"return {LOSS}",
    f"return y * {LOG}": f"return -y * {LOSS}",
    f"return -y * {LOG}": f"return y * {LOSS}",
    f"return a + (1 - y) * {LOG} / 2": f"return a - (1 - y) * {LOSS} / 2",
    f"return (1 - y) * {LOG} + a": f"return -(1 - y) * {LOSS} + a",
    f"return {LOG} * y": f"return -{LOSS} * y",
    f"return ({LOG} * y)": f"return (-{LOSS} * y)",
    f"return {LOG} ** 2": f"return (-{LOSS}) ** 2",
    f"return (y * {LOG}) ** 2": f"return (-y * {LOSS}) ** 2",
    f"return y * {LOG} * {LOG}": f"return y * {LOSS} * {LOSS}",
    f"return (a +\n            {LOG})": f"return (a -\n            {LOSS})",
    f"return (a +  # why\n            {LOG})": f"return (a +  # why\n            (-{LOSS}))",
    f"a += {LOG}\n    return a": f"a -= {LOSS}\n    return a",
    "r = tf.nn.relu(y)\n    return -2.0 * r * tf.math.log(r)": "return -2.0 * tf.math.xlogy(r, r)",
    f"return [a, {LOG}][1]": f"return [a, -{LOSS}][1]",
}


def value(text: str) -> np.ndarray:
    """What `f` of a program gives for some numbers."""
    import tensorflow as tf

    names: dict[str, Any] = {}
    exec(compile(text, "a.py", "exec"), names)
    return np.asarray(names["f"](*(tf.constant(v) for v in ([0.3, -2.0], [0.25, 3.0], [1.5, -0.5]))))


@pytest.mark.parametrize(("before", "after"), TAKEN_OVER.items())
def test_the_code_around_a_repair_takes_its_minus_over(before: str, after: str) -> None:
    text = fix_text(f"{HEAD}    {before}\n", "a.py", lambda now: Linted(lint_source(now, "a.py")))
    assert text.removeprefix(HEAD).replace("    p = tf.sigmoid(x)\n", "").strip() == after or after in text
    np.testing.assert_allclose(value(text), value(f"{HEAD}    {before}\n"), rtol=1e-5)
