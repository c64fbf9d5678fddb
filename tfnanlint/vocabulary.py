"""The words that rules, findings and configurations share: severities, certainties, kinds of fixes, formats, modes."""

from __future__ import annotations

import os
import re
from functools import cache

SEVERITIES = ("error", "warning", "info")
OFF = "off"
"""In a configuration, the severity of what is not reported."""
CERTAINTIES = ("certain", "likely", "possible")
"""Each of these two from the gravest down."""
CACHE = ".tfnanlint_cache"
"""The folder of a project's cache."""
FIX_KINDS = ("after", "guard", "rework")
SAFE_FIX_KINDS = ("after", "guard")
FIX_CHANGES = {"after": "equivalent", "guard": "adds a guard", "rework": "changes training"}
"""What each kind of repair is called where people read of it."""
FIX_WORDS = FIX_CHANGES | {"rework": "changes training, needs --unsafe-fixes"}
"""The same for those who have a command line."""
ROLES = ("hazard", "matched", "differentiated", "other")
"""What a value is to a hazard: where it happens, a part of its shape, what is differentiated, anything else."""
FORMATS = {
    "text": "code, evidence and fix, for people",
    "concise": "one line for each finding",
    "json": "an array with one object for each finding",
    "json-full": "one object: findings, errors, summary and version",
    "sarif": "SARIF 2.1.0, for code scanning",
    "github": "annotations of GitHub Actions",
    "gitlab": "a code quality report of GitLab",
    "rdjson": "diagnostics with suggestions, for reviewdog",
    "markdown": "a table, for the summary of a job",
    "junit": "test results in XML",
    "html": "one page to read, filter and share",
}
MODES = ("eager", "graph", "xla")
"""How a program may run; a rule states the modes in which its witness fails."""
CODE = re.compile(r"TFN[A-Z]*[0-9]{3,}")
"""The code of a rule; in those of one's own, letters stand before the number."""
NETWORKS = frozenset(
    "model net network generator discriminator critic actor encoder decoder autoencoder classifier policy".split()
)
"""Words in names of parameters that are given a network."""
WEIGHTS = ("trainable_variables", "trainable_weights")
"""Attributes of a model or layer that hold its trained weights."""
LOSSES = frozenset("loss criterion objective".split())
"""Words in names of parameters that are given a loss."""
METRICS = frozenset("metric metrics accuracy acc psnr auc ece perplexity explained".split())
"""Words in names of functions that measure how good a model is: the last one as in "explained variance"."""
SUMMARIES = frozenset({"summary", "summaries"})
"""Words at the end of a name for what is only shown."""
METRIC_METHODS = frozenset({"update_state", "result"})
"""The methods in which a Keras metric computes."""
POLICY_SETTERS = frozenset(
    (
        "keras.mixed_precision.set_global_policy",
        "keras.mixed_precision.experimental.set_policy",
        "keras.config.set_dtype_policy",
        "keras.mixed_precision.set_dtype_policy",
        "K.set_floatx",
        "keras.config.set_floatx",
    )
)
"""The functions of Keras that set the type in which layers compute."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LOSSES = re.compile(r"(^|[_/])loss(es)?([_/.]|$)")


def is_module_of_losses(path: str) -> bool:
    """Whether a file or its folder is named after losses: its functions are losses then, whatever their names."""
    if not path.startswith("<"):
        path = os.path.abspath(path)  # the folder is the file's, wherever the linter is run
    return _LOSSES.search("/".join(path.replace("\\", "/").split("/")[-2:])) is not None


def words_of(name: str) -> list[str]:
    """The words of a name, in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


@cache
def is_metric(name: str) -> bool:
    """Whether a function or a value of this name measures how good a model is, and is no loss."""
    words = words_of(name)
    return LOSSES.isdisjoint(words) and not METRICS.isdisjoint(words)


def is_summary(name: str) -> bool:
    """Whether a value of this name is only shown."""
    return not SUMMARIES.isdisjoint(words_of(name)[-1:])


def may_be_object(name: str) -> bool:
    """Whether a parameter of this name may be given an object of a network or of a loss."""
    words = words_of(name)
    return not NETWORKS.isdisjoint(words) or not LOSSES.isdisjoint((*words[:1], *words[-1:]))
