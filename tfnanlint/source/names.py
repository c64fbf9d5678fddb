"""Names: what a dotted path in a file means, under whatever alias it was imported.

Canonical paths are short: `tf.` for TensorFlow in every generation and layout, `ops.` for
`keras.ops`, `K.` for the old Keras backend, `keras.` for the rest of Keras, `tnp.` for
`tensorflow.experimental.numpy`.
"""

from __future__ import annotations

from functools import lru_cache

from tfnanlint.ops import SPELLINGS

_TENSORFLOW = (
    "tensorflow.compat.v1",
    "tensorflow.compat.v2",
    "tensorflow._api.v1",
    "tensorflow._api.v2.compat.v1",
    "tensorflow._api.v2",
    "tensorflow",
)
_NUMPY = (
    "tensorflow.compat.v2.experimental.numpy",
    "tensorflow._api.v2.experimental.numpy",
    "tensorflow.experimental.numpy",
)
_KERAS = (
    "tensorflow.compat.v1.keras",
    "tensorflow.compat.v2.keras",
    "tensorflow.keras",
    "tensorflow.python.keras",
    "tensorflow.contrib.keras",
    "tf_keras.src",
    "tf_keras",
    "keras.src",
    "keras.api",
    "keras._tf_keras.keras",
    "keras",
)
_SAME_NAMES = ("tensorflow_probability.python.internal.prefer_static.", "tensorflow.python.framework.ops.")
"""Modules whose functions are TensorFlow's under the same names."""
_BUILTINS = "six.moves."
"""The module under which code for Python 2 and 3 imports functions that are builtins of Python 3."""
_KERAS_PARTS = {
    "ops.": "ops.",
    "ops.numpy.": "ops.",
    "ops.nn.": "ops.",
    "ops.math.": "ops.",
    "ops.core.": "ops.",
    "ops.linalg.": "ops.linalg.",
    "backend.": "K.",
    "backend.numpy.": "ops.",
    "backend.nn.": "ops.",
    "backend.math.": "ops.",
    "backend.core.": "ops.",
    "backend.linalg.": "ops.linalg.",
    "legacy.backend.": "K.",
    "backend_config.": "K.",
    "backend.config.": "K.",
    **{f"backend.tensorflow.{part}.": "ops." for part in ("core", "numpy", "nn", "math", "linalg")},
    **{f"backend.{name}.core.": "ops." for name in ("numpy", "jax", "torch", "openvino")},
    "initializers.initializer.": "keras.initializers.",
}
_PYTHON_OPS = {
    "math_ops": ("tf.math.", "tf."),
    "gen_math_ops": ("tf.math.", "tf."),
    "array_ops": ("tf.",),
    "array_ops_stack": ("tf.",),
    "gen_array_ops": ("tf.",),
    "nn_ops": ("tf.nn.",),
    "nn": ("tf.nn.",),
    "gen_nn_ops": ("tf.nn.",),
    "nn_impl": ("tf.nn.",),
    "linalg_ops": ("tf.linalg.", "tf."),
    "clip_ops": ("tf.",),
    "random_ops": ("tf.random.",),
    "stateless_random_ops": ("tf.random.",),
    "standard_ops": ("tf.math.", "tf."),
    "special_math_ops": ("tf.math.", "tf."),
    "gradients_impl": ("tf.",),
    "gradients": ("tf.",),
    "backprop": ("tf.",),
    "variables": ("tf.",),
    "constant_op": ("tf.",),
    "control_flow_ops": ("tf.",),
    "cond": ("tf.",),
    "while_loop": ("tf.",),
    "map_fn": ("tf.",),
    "functional_ops": ("tf.",),
    "check_ops": ("tf.debugging.", "tf."),
    "state_ops": ("tf.",),
    "image_ops": ("tf.image.",),
    "image_ops_impl": ("tf.image.",),
    "sparse_ops": ("tf.sparse.",),
}


_OLD = {
    "tf.mul": "tf.multiply",
    "tf.sub": "tf.subtract",
    "tf.neg": "tf.negative",
    "tf.inv": "tf.reciprocal",
    "tf.batch_matmul": "tf.matmul",
    "tf.select": "tf.where",
    "tf.pack": "tf.stack",
    "tf.unpack": "tf.unstack",
    "K.bias_add": "tf.nn.bias_add",
    "tf.contrib.signal.linear_to_mel_weight_matrix": "tf.signal.linear_to_mel_weight_matrix",
}
"""Functions that have another name now, with the same parameters by position."""


_FAMILIES = frozenset(
    "layers losses metrics optimizers models initializers activations regularizers constraints callbacks".split()
)
"""Packages of Keras that give at their top what their modules define."""
_ENGINE = {"Input": "layers", "InputLayer": "layers", "Layer": "layers"}
"""What the modules of `keras.engine` define that is not a model."""


def _public(path: str) -> str:
    """The public path, below `keras`, of a class or function that is imported from the module that defines it."""
    family, *modules = path.split(".")
    place = next((at for at, piece in enumerate(modules) if piece[:1].isupper()), None)
    if place is None:  # a function, if one of the table
        short = f"{family}.{modules[-1]}" if modules else family
        return short if family in _FAMILIES and f"keras.{short}" in SPELLINGS else path
    name = ".".join(modules[place:])
    if family == "engine":
        return f"{_ENGINE.get(modules[place], 'models')}.{name}"
    within = "schedules." if modules[0] == "schedules" else ""
    return f"{family}.{within}{name}" if family in _FAMILIES else path


def _after(prefixes: tuple[str, ...], path: str) -> str | None:
    for prefix in prefixes:
        if path == prefix:
            return ""
        if path.startswith(prefix) and path[len(prefix)] == ".":
            return path[len(prefix) + 1 :]
    return None


@lru_cache(maxsize=4096)
def canonical_path(path: str) -> str:
    """The short form of an imported dotted path; a path of another package stays as it is."""
    rest = _after(_KERAS, path)
    if rest is not None:
        for part in sorted(_KERAS_PARTS, key=len, reverse=True):
            if rest == part[:-1]:
                return _KERAS_PARTS[part][:-1]
            if rest.startswith(part):
                short = _KERAS_PARTS[part] + rest[len(part) :]
                short = _OLD.get(short, short)
                newer = f"ops.{rest[len(part) :]}"  # what a backend of Keras 3 has beside those of Keras 2
                return newer if short not in SPELLINGS and short.startswith("K.") and newer in SPELLINGS else short
        return f"keras.{_public(rest)}" if rest else "keras"
    for prefix in _SAME_NAMES:
        candidate = "tf." + path.removeprefix(prefix)
        if path.startswith(prefix) and candidate in SPELLINGS:
            return candidate
    if path.startswith("tensorflow.python."):
        pieces = path.split(".")
        for place, piece in enumerate(pieces[2:-1], 2):
            for prefix in _PYTHON_OPS.get(piece, ()):
                candidate = prefix + ".".join(pieces[place + 1 :]).replace("stateless_random_", "stateless_")
                if candidate in SPELLINGS:
                    return candidate
        for place, piece in enumerate(pieces[2:-1], 2):
            if piece in _PYTHON_OPS:
                return _PYTHON_OPS[piece][-1] + ".".join(pieces[place + 1 :])
        return path
    rest = _after(_NUMPY, path)
    if rest is not None:
        return f"tnp.{rest}" if rest else "tnp"
    rest = _after(_TENSORFLOW, path)
    if rest is not None:
        short = f"tf.{rest}" if rest else "tf"
        return _OLD.get(short, short)
    return f"builtins.{path.rpartition('.')[2]}" if path.startswith(_BUILTINS) else path
