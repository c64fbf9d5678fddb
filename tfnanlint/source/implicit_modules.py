"""Modules under unknown names: a name that is used like TensorFlow, Keras or NumPy stands for it.

A project often imports TensorFlow from a module of its own (`from .compat import tf`, `from . import backend as K`,
`tf1, tf, _ = try_import_tf()`). If that module cannot be read, the attributes of the name tell what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from tfnanlint.ops import SPELLINGS
from tfnanlint.source.imports import aliases_of
from tfnanlint.source.layer_kinds import is_layer
from tfnanlint.source.names import canonical_path
from tfnanlint.source.packages import is_ours

CONVENTIONS = (
    (re.compile(r"_?(?:tf|tensorflow)(?:_?(?:v?[12x]|lib|module|compat))?v?$"), "tensorflow"),
    (re.compile(r"K$"), "keras.backend"),
    (re.compile(r"_?(?:tf_?)?keras$"), "keras"),
    (re.compile(r"(?:keras_?)?layers$"), "keras.layers"),
    (re.compile(r"(?:keras_?|k)?ops$"), "keras.ops"),
)
"""The modules that such names stand for, if the module has at least one attribute that is taken of the name."""
MODULES = ("tensorflow", "keras.backend", "keras", "keras.layers", "keras.activations", "keras.losses", "keras.ops")
"""The modules that any other name may stand for: all attributes taken of it must exist, two functions at least."""
ASSIGNED_NAMES = frozenset(("tf", "tf1", "tf2", "K", "backend", "keras", "layers"))
"""Names that are taken for modules even if they are assigned, or are parameters."""
SELVES = frozenset(("self", "cls"))
"""The names by which methods call their object or its class."""
_CHAIN = re.compile(r"(?<![\w.])[^\W\d]\w*\.(?:\w+\.)*\w+")
"""A name and a chain of attributes."""
_TAKEN = re.compile(r"(?<![\w.])(?:self\.)?([^\W\d]\w*)\.([^\W\d]\w*)")
MOST_STARRED = 20
"""The most `import *` statements of a text that are followed."""
STRONG = 2
CLASSES = frozenset("keras.layers.Layer keras.Layer keras.Model keras.models.Model keras.losses.Loss".split())
"""What classes of a program extend."""
MODELS = ("keras.models.Model", "keras.models.Sequential", "keras.engine.Model")
"""Classes of models, by the ends of their paths."""
_BEYOND = {
    "tensorflow": frozenset(
        "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool string complex64 Variable "
        "Tensor TensorShape TensorSpec function GradientTape Module keras data train summary nest config "
        "random name_scope variable_scope get_variable placeholder Session Graph device "
        "control_dependencies newaxis compat io image strings errors debugging dtypes shape test logging "
        "app flags gfile initializers losses metrics layers contrib while_loop cond trainable_variables "
        "global_variables get_default_graph distribute saved_model autograph executing_eagerly no_op "
        "group assign signal sparse ragged bitwise feature_column estimator".split()
    ),
    "keras.backend": frozenset(
        "floatx epsilon backend int_shape ndim shape learning_phase in_train_phase in_test_phase "
        "set_session get_session clear_session image_data_format variable placeholder get_value set_value "
        "update update_add function rnn dtype is_keras_tensor is_sparse name_scope get_uid eval "
        "set_learning_phase print_tensor".split()
    ),
    "keras": frozenset(
        "layers models losses optimizers metrics Model Sequential Input backend utils callbacks "
        "activations initializers regularizers constraints applications preprocessing datasets engine ops "
        "saving config mixed_precision".split()
    ),
    "keras.layers": frozenset("Layer Input InputLayer InputSpec Wrapper serialize deserialize".split()),
}
"""Public names of modules besides ops."""
_IMPORTED = re.compile(
    r"\.+(?:\w+\.)*?(layers|activations|losses|backend|initializers|regularizers)(?:\.\w+)*?\.(\w+)$"
)
"""Something imported from a module of the project that is called as one of Keras is."""
_STARRED = re.compile(r"^[ \t]*from ([\w.]+) import \*", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_BOUND = r"^[ \t]*(?:def|class) %(name)s\b|\b(?:as|for) %(name)s\b|(?<![\w.])%(name)s[ \t]*=(?!=)"
"""What gives a name another meaning in a text."""
_PATH = r"(?:%s)(?:\.\w+)*"
_ASSIGNED = rf"^[ \t]*(\w+(?:, *\w+)*)[ \t]*=[ \t]*({_PATH}(?:, *{_PATH})*)[ \t]*(?:#.*)?$"
_LOADED = re.compile(
    r"^[ \t]*(\w+)[ \t]*=[ \t]*[\w.]{0,80}[Ll]azy\w{0,40}"
    r"\([^\n]{0,200}?['\"]((?:tensorflow|tf_keras|keras)[\w.]*)['\"]",
    re.MULTILINE,
)
"""A module that is imported when it is first used."""
_OTHERS = frozenset("torch jax numpy scipy cupy theano paddle mxnet chainer autograd mindspore".split())
"""Packages whose functions share names with TensorFlow's."""


@lru_cache(maxsize=4)
def attributes_taken(text: str) -> Mapping[str, frozenset[str]]:
    """The attributes that a text takes of each name, also where an object keeps a value under this name."""
    found: dict[str, set[str]] = {}
    for name, attribute in _TAKEN.findall(text):
        found.setdefault(name, set()).add(attribute)
    return {name: frozenset(taken) for name, taken in found.items()}


@lru_cache(maxsize=4)
def modules_by_use(text: str) -> Mapping[str, str]:
    """The names of a text that are used as a module of TensorFlow or Keras is, and which."""
    aliases = aliases_of(text)
    found: dict[str, str] = {}
    for name, dotted in aliases.items():
        if not is_ours(dotted):
            meant = _meant(name, dotted, text)
            if meant is not None:
                found[name] = meant
    for name in ASSIGNED_NAMES - aliases.keys():
        if f"{name}." in text and (meant := _meant(name, "", text)) is not None:
            found[name] = meant
    starred = _STARRED.findall(text)
    if starred and "np." in text and "np" not in aliases:
        found["np"] = "numpy"
    for module in islice(dict.fromkeys(filter(is_ours, starred)), MOST_STARRED):
        for name in set(_WORD.findall(text)) - aliases.keys():
            if _is_in(module, name) and not re.search(_BOUND % {"name": name}, text, re.MULTILINE):
                found[name] = f"{module}.{name}"
    return found


def known_aliases(text: str, aliases: Mapping[str, str]) -> dict[str, str]:
    """The meaning of names: from imports, or else from how they are used or assigned."""
    found = dict(aliases)
    for name, meant in modules_by_use(text).items():
        if not is_ours(found.get(name, "")):
            found[name] = meant
    ours = [name for name, dotted in found.items() if is_ours(dotted) and f"= {name}" in text]
    if ours:
        known = "|".join(map(re.escape, ours))
        for names, paths in re.findall(_ASSIGNED % (known, known), text, re.MULTILINE):
            for name, dotted in zip(names.split(","), paths.split(","), strict=False):
                first, dot, rest = dotted.strip().partition(".")
                found.setdefault(name.strip(), f"{found[first]}{dot}{rest}")
    if "self.backend." in text:
        found.setdefault("backend", "keras.backend")  # which an object of Keras holds
    return found | {name: module for name, module in _LOADED.findall(text) if name not in aliases}


def is_named_for_a_library(name: str) -> bool:
    """Whether a name is one that people give to TensorFlow or to a part of Keras."""
    return any(convention.match(name) for convention, _ in CONVENTIONS)


def _meant(name: str, dotted: str, text: str) -> str | None:
    """What a name stands for, by its use."""
    inside = _IMPORTED.match(dotted)
    if inside is not None and _is_known(f"keras.{inside[1]}", inside[2]):
        return f"keras.{inside[1]}.{inside[2]}"
    used = _chains(text).get(name, frozenset())
    for convention, module in CONVENTIONS:
        named = convention.match(name) or convention.match(dotted.rpartition(".")[2])
        if named and any(_is_op(module, chain) for chain in used):
            return module
    if (function := _function(name, dotted, text)) is not None:
        return function
    if dotted and not dotted.startswith("."):
        return None  # another package, of which nothing is known
    for module in MODULES if used else ():
        strong = sum(_is_op(module, chain) for chain in used)
        if strong >= STRONG and all(_is_known(module, chain) for chain in used):
            return module
    return None


def _function(name: str, dotted: str, text: str) -> str | None:
    """The function of TensorFlow that another module hands on under its own name, which says what it is."""
    last = dotted.rpartition(".")[2]
    path = f"tensorflow.{last}"
    if "_" not in last.strip("_") or canonical_path(path) not in SPELLINGS or dotted.partition(".")[0] in _OTHERS:
        return None
    return path if re.search(rf"(?<![\w.]){re.escape(name)}\(", text) is not None else None


@lru_cache(maxsize=4)
def _chains(text: str) -> Mapping[str, frozenset[str]]:
    """The dotted names that follow each name in a text."""
    found: dict[str, set[str]] = {}
    for chain in set(_CHAIN.findall(text)):
        name, _, rest = chain.partition(".")
        found.setdefault(name, set()).add(rest)
    return {name: frozenset(rest) for name, rest in found.items()}


def _is_op(module: str, chain: str) -> bool:
    """Whether a function of a module, or of one below it, is an op or a layer; a method call may follow its name."""
    path = f"{module}.{chain}"
    while len(path) > len(module):
        short = canonical_path(path)
        if (
            short in SPELLINGS
            or short in CLASSES
            or (short.startswith("keras.layers.") and is_layer(short.rpartition(".")[2]))
        ):
            return True
        path = path.rpartition(".")[0]
    return False


def _is_in(module: str, name: str) -> bool:
    """Whether a module of TensorFlow or Keras is known to have a name."""
    return (
        _is_op(module, name) or name in _BEYOND.get(canonical_path(module), ()) or f"{module}.{name}".endswith(MODELS)
    )


def _is_known(module: str, chain: str) -> bool:
    return chain.partition(".")[0] in _BEYOND.get(module, ()) or _is_op(module, chain)
