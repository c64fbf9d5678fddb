"""What a distribution draws lies in its support: TensorFlow Probability draws it so, and a trial does."""

import numpy as np
import pytest
import tensorflow as tf

from tfnanlint.lint import lint_source
from tfnanlint.source.distributions import PARAMETERS, SHARES, SUPPORTS

GIVEN = {"loc": 0.0, "scale": 2.0, "probs": 0.3, "logits": 0.3, "rate": 0.5, "concentration": [2.0, 3.0, 0.5]}
HEAD = """\
import tensorflow as tf
from tensorflow_probability import distributions as tfd


def loss(a, b):
    drawn = {}
    return tf.reduce_sum({})
"""


@pytest.mark.parametrize("kind", sorted(SUPPORTS))
def test_tensorflow_probability_draws_within_the_support(kind: str) -> None:
    distributions = pytest.importorskip("tensorflow_probability").distributions
    names = [name for name in PARAMETERS[kind].split() if name != "logits"]
    given = {name: GIVEN.get(name, 2.0) for name in names}
    if kind == "OneHotCategorical":
        given = {"probs": [0.2, 0.3, 0.5]}
    held = getattr(distributions, kind)(**given)
    tf.random.set_seed(0)
    lo, hi = (0.0, 1.0) if kind in SHARES else SUPPORTS[kind]
    for value in (held.sample(200).numpy(), np.asarray(held.mean())):
        assert lo <= value.min()
        assert value.max() <= hi
        if kind in SHARES:
            np.testing.assert_allclose(value.sum(-1), 1.0, rtol=1e-5)


@pytest.mark.parametrize(
    ("drawn", "line", "reported"),
    [
        ("tfd.Beta(tf.exp(a), tf.exp(b)).sample()", "tf.math.log(drawn) + tf.math.log(1.0 - drawn)", False),
        ("tfd.Beta(tf.exp(a), tf.exp(b)).mean()", "tf.sqrt(1.0 - drawn)", False),
        ("tfd.Dirichlet(tf.exp(a)).sample()", "tf.math.log(1.0 - tf.reduce_sum(0.9 * drawn, -1))", False),
        ("tfd.Gamma(tf.exp(a), tf.exp(b)).sample()", "tf.math.log(drawn)", False),
        ("tfd.Normal(a, tf.exp(b)).sample()", "tf.math.log(drawn)", True),
    ],
)
def test_a_trial_draws_within_the_support(drawn: str, line: str, reported: bool) -> None:
    found = [one for one in lint_source(HEAD.format(drawn, line), "a.py") if one.line == 7]
    assert bool(found) == reported
