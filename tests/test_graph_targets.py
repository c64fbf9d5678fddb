"""`tfnanlint graph`: what its targets may be, how their arguments are described, and how each can be wrong."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tfnanlint import keras_callback, lint_function, lint_graph, watch
from tfnanlint.cli import main
from tfnanlint.commands import CLEAN, FINDINGS, WRONG
from tfnanlint.errors import TfnanlintError
from tfnanlint.graph.importing import LONGEST, TargetError, blame
from tfnanlint.graph.keras_files import load_keras
from tfnanlint.graph.specs import SpecError, TensorArgument, ValueArgument, parse_range, parse_spec
from tfnanlint.graph.stored import FUNCTIONS
from tfnanlint.graph.tracing import DESCRIBE
from tfnanlint.interval import INF, Interval

PROGRAM = """\
import keras
import tensorflow as tf

print("the module is imported")


def entropy(x):
    return tf.math.log(tf.nn.softmax(x))


def shifted(x, eps):
    return tf.math.log(x + eps)


def root(x):
    return tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1))  # tfnanlint: ignore[sqrt-at-zero]


@tf.function(input_signature=[tf.TensorSpec([None, 3])])
def signed(x):
    return tf.math.log(tf.nn.sigmoid(x))


def likelihood(y, p):
    return -tf.reduce_sum(y * tf.math.log(p), axis=-1)


compiled = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
compiled.compile("adam", likelihood)
sound = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
sound.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])

left, right = keras.Input((3,), name="left"), keras.Input((2,), name="right")
scores = [keras.layers.Dense(1)(left), keras.layers.Dense(4, activation="softmax")(right)]
double = keras.Model({"left": left, "right": right}, scores)
double.compile("adam", ["mse", "sparse_categorical_crossentropy"])


class Head(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def call(self, x):
        return tf.math.log(tf.nn.relu(self.dense(x)))


def made(units, activation="relu"):
    logarithm = keras.layers.Lambda(lambda x: tf.math.log(x))
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(units, activation), logarithm])


def made_to_be_called():
    return Head()


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def train_step(self, images):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.norm(self.dense(images), axis=-1))
        weights = self.dense.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return {"loss": loss}


head = Head()
own = Own()
own.dense.build((None, 4))
own.compile("sgd")


class Loss:
    def step(self, x):
        return tf.math.log(tf.nn.softmax(x))


class Weighted:
    def __init__(self, weight):
        self.weight = weight

    def step(self, x):
        return x * self.weight


class Scores(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def __call__(self, x):
        return tf.math.log(tf.nn.softmax(2.0 * x))


scores_of = Scores()


class Served(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def scores(self, x):
        return tf.math.log(tf.nn.softmax(3.0 * x))

    @tf.function
    def noise(self):
        return tf.math.log(tf.nn.relu(tf.random.normal([3])))


held = Served()


class Open(tf.Module):
    @tf.function
    def add(self, x, y):
        return x + y


def helper(x):
    if tf.reduce_sum(x) > 0:
        raise ValueError("no such\\nluck")
    return x


def calls(x):
    return helper(x)


class Odd(BaseException):
    pass


def odd(x):
    raise Odd("no")


number = 3
"""


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all tests: AutoGraph takes the same text in another file for the same program."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, with the program; what it imports is forgotten afterwards."""
    known, paths = set(sys.modules), list(sys.path)
    (home / "program.py").write_text(PROGRAM)
    (home / "tfnanlint.toml").write_text("")
    monkeypatch.chdir(home)
    yield home
    sys.path[:] = paths
    for name in set(sys.modules) - known:
        if str(home) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with saved graphs and models."""
    import keras
    import tensorflow as tf
    from google.protobuf import text_format

    folder = tmp_path_factory.mktemp("stored")

    class Scorer(tf.Module):
        def __init__(self) -> None:
            self.w = tf.Variable(tf.reshape(tf.range(12.0), (4, 3)))

        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
        def score(self, x: Any) -> Any:
            return tf.math.log(tf.nn.softmax(x @ self.w))

        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
        def unit(self, x: Any) -> Any:
            return x / tf.norm(x, axis=-1, keepdims=True)

    scorer = Scorer()
    tf.saved_model.save(scorer, str(folder / "bare"), signatures={"score": scorer.score})
    options = tf.saved_model.SaveOptions(save_debug_info=True)
    tf.saved_model.save(scorer, str(folder / "traced"), signatures={"score": scorer.score}, options=options)
    definition = scorer.unit.get_concrete_function().graph.as_graph_def()
    (folder / "unit.pb").write_bytes(definition.SerializeToString())
    (folder / "unit.pbtxt").write_text(text_format.MessageToString(definition))
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Softmax()])
    model.compile("adam", "categorical_crossentropy")
    model.save(folder / "model.keras")
    model.save(folder / "model.h5")
    model.save_weights(folder / "only.weights.h5")
    inputs = keras.Input((4,))
    operation = keras.Model(inputs, keras.ops.log(keras.layers.Softmax()(inputs)))
    operation.save(folder / "operation.keras")
    operation.save(folder / "operation.h5")
    lambdas = keras.Sequential([keras.Input((4,)), keras.layers.Lambda(lambda x: x + 1.0)])
    lambdas.save(folder / "lambda.keras")
    lambdas.save(folder / "lambda.h5")
    return folder


def graph(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """(status, standard output, standard error) of a run."""
    try:
        status = main(["graph", *arguments])
    except SystemExit as error:
        status = int(error.code or 0)
    said = capsys.readouterr()
    return status, said.out, said.err


def places(out: str) -> list[tuple[str, int]]:
    """(rule, line) of the findings in a concise report."""
    return [(line.split(" ")[4].rstrip(":"), int(line.split(":")[1])) for line in out.splitlines()]


# What can be named.


def test_several_targets_are_linted_and_each_finding_is_told_once(folder: Path, capsys: Any) -> None:
    names = "entropy signed compiled sound head own Loss.step root".split()
    targets = [*(f"program.py:{name}" for name in names), "program:entropy"]
    common = ("--input-spec", "float32[None,4]", "--output-format", "concise")
    assert graph(capsys, "program.py:double", "--quiet") == (CLEAN, "", "the module is imported\n")
    status, out, err = graph(capsys, *targets, *common)
    assert places(out) == [
        ("log-softmax", line_of("log(tf.nn.softmax(x))")),
        ("log-sigmoid", line_of("tf.nn.sigmoid(x)")),
        ("log-softmax", line_of("tf.math.log(p)")),
        ("log-relu", line_of("tf.nn.relu")),
        ("norm-at-zero", line_of("tf.norm")),
        ("log-softmax", line_of("class Loss") + 2),
    ]
    assert status == FINDINGS
    assert err == "Found 6 problems (6 errors) in 1 file; 11 graphs checked.\n"


def test_an_object_is_traced_on_what_its_call_is_signed_for(folder: Path, capsys: Any) -> None:
    for target in ("program:Scores", "program:scores_of"):
        status, out, _ = graph(capsys, target, "--output-format", "concise")
        assert status == FINDINGS
        assert places(out) == [("log-softmax", line_of("softmax(2.0"))]


def test_an_object_that_cannot_be_called_stands_for_its_functions(folder: Path, capsys: Any) -> None:
    for target in ("program:Served", "program:held"):
        status, out, err = graph(capsys, target, "--output-format", "concise", "--quiet")
        assert (status, err.replace("the module is imported\n", "")) == (FINDINGS, "")
        assert [line for _, line in places(out)] == [
            line_of("tf.nn.softmax(3.0 * x)"),
            line_of("tf.random.normal([3])"),
        ]


def test_a_method_that_is_a_function_of_tensorflow_is_traced_with_an_instance_of_its_class(
    folder: Path, capsys: Any
) -> None:
    Path("served.py").write_text(
        "import tensorflow as tf\n\n\n"
        "class Scorer(tf.Module):\n"
        "    def __init__(self):\n"
        "        self.slope = tf.Variable(2.0)\n\n"
        "    @tf.function(input_signature=[tf.TensorSpec((None, 3))])\n"
        "    def score(self, x):\n"
        "        return tf.math.log(tf.nn.softmax(self.slope * x))\n"
    )
    common = ("--isolated", "--output-format", "concise", "--quiet")
    assert places(graph(capsys, "served.py:Scorer.score", *common)[1]) == [("log-softmax", 10)]


def test_a_function_that_makes_a_model_stands_for_the_model(folder: Path, capsys: Any) -> None:
    common = ("--output-format", "concise", "--quiet")
    assert places(graph(capsys, "program:made", "--input-spec", "units=3", *common)[1]) == [
        ("log-relu", line_of("logarithm ="))
    ]
    assert places(graph(capsys, "program:made_to_be_called", "--input-spec", "float32[None,4]", *common)[1]) == [
        ("log-relu", line_of("tf.nn.relu(self.dense"))
    ]
    status, _, err = graph(capsys, "program:made_to_be_called", "--quiet")
    assert (status, "the model does not declare its inputs; describe them" in err) == (WRONG, True)


def test_a_function_that_returns_a_function_stands_for_it(folder: Path, capsys: Any) -> None:
    Path("factory.py").write_text(
        "import tensorflow as tf\n\n\n"
        "def step():\n"
        "    @tf.function(input_signature=[tf.TensorSpec((None, 3))])\n"
        "    def loss(x):\n"
        "        return tf.math.log(tf.nn.softmax(x))\n\n"
        "    return loss\n\n\n"
        "def plain():\n"
        "    return lambda x: tf.math.log(tf.nn.softmax(x))\n\n\n"
        "def itself():\n"
        "    return itself\n"
    )
    common = ("--isolated", "--output-format", "concise", "--quiet")
    assert places(graph(capsys, "factory.py:step", *common)[1]) == [("log-softmax", 7)]
    assert places(graph(capsys, "factory.py:plain", "--input-spec", "float32[None,3]", *common)[1]) == [
        ("log-softmax", 13)
    ]
    status, _, err = graph(capsys, "factory.py:itself", *common)
    assert (status, "cannot trace it" in err) == (WRONG, True), err


def test_a_function_without_arguments_that_cannot_be_traced_is_called(folder: Path, capsys: Any) -> None:
    Path("eagerly.py").write_text(
        "import keras\nimport tensorflow as tf\n\n\n"
        "def copied():\n"
        "    nets = [keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)]) for _ in range(2)]\n"
        "    nets[0].set_weights([weight.numpy() for weight in nets[1].weights])\n\n"
        "    @tf.function(input_signature=[tf.TensorSpec((None, 3))])\n"
        "    def loss(x):\n"
        "        return tf.math.log(tf.nn.softmax(nets[0](x)))\n\n"
        "    return loss\n\n\n"
        "def counted():\n"
        "    return int(tf.size(tf.zeros(3)).numpy())\n\n\n"
        "def broken():\n"
        "    if not tf.executing_eagerly():\n"
        "        raise ValueError('while it is traced')\n"
        "    raise KeyError('while it is called')\n"
    )
    common = ("--isolated", "--output-format", "concise", "--quiet")
    assert places(graph(capsys, "eagerly.py:copied", *common)[1]) == [("log-softmax", 11)]
    for target, reason in (("counted", "numpy"), ("broken", "eagerly.py:22: ValueError: while it is traced")):
        status, _, err = graph(capsys, f"eagerly.py:{target}", *common)
        assert (status, f"eagerly.py:{target}: cannot trace it" in err, reason in err) == (WRONG, True, True), err


def test_a_model_that_was_called_and_the_labels_of_a_loss_need_no_description(folder: Path, capsys: Any) -> None:
    Path("undescribed.py").write_text(
        "import keras\nimport tensorflow as tf\n\n\n"
        "class Pair(keras.Model):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.dense = keras.layers.Dense(3)\n\n"
        "    def call(self, x):\n"
        "        return tf.math.log(tf.nn.softmax(self.dense(x)))\n\n"
        "    def train_step(self, data):\n"
        "        x, y = data\n"
        "        with tf.GradientTape() as tape:\n"
        "            loss = -tf.reduce_mean(y * self(x) + tf.math.log(tf.nn.sigmoid(self.dense(x))))\n"
        "        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)\n"
        "        return {'loss': loss}\n\n\n"
        "def called():\n"
        "    model = Pair()\n"
        "    model(tf.zeros((1, 4)))\n"
        "    model.compile('sgd')\n"
        "    return model\n\n\n"
        "def mixture(y, parameters):\n"
        "    weight, mean = tf.split(parameters, 2, axis=-1)\n"
        "    density = tf.exp(-tf.square(y - mean))\n"
        "    return -tf.math.log(tf.reduce_sum(tf.nn.softmax(weight) * density, axis=-1))\n\n\n"
        "def one_number_each():\n"
        "    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6)])\n"
        "    model.compile('sgd', mixture)\n"
        "    return model\n\n\n"
        "def alone(y, embedded):\n"
        "    labels = tf.reshape(tf.cast(y, tf.int32), (-1,))\n"
        "    same = tf.cast(labels[:, None] == labels[None, :], tf.float32) - tf.eye(tf.shape(embedded)[0])\n"
        "    alike = tf.matmul(embedded, embedded, transpose_b=True)\n"
        "    return tf.reduce_sum(same * alike, axis=1) / tf.reduce_sum(same, axis=1)\n\n\n"
        "def class_numbers():\n"
        "    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6)])\n"
        "    model.compile('sgd', alone)\n"
        "    return model\n\n\n"
        "class Sorting(Pair):\n"
        "    def train_step(self, data):\n"
        "        x, kind = data\n"
        "        with tf.GradientTape() as tape:\n"
        "            logits = self.dense(x)\n"
        "            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=kind, logits=logits)\n"
        "            loss += 1.0 / tf.norm(tf.nn.relu(logits), axis=-1)\n"
        "        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)\n"
        "        return {'loss': loss}\n\n\n"
        "def sorting():\n"
        "    model = Sorting()\n"
        "    model(tf.zeros((1, 4)))\n"
        "    model.compile('sgd')\n"
        "    return model\n"
    )
    common = ("--isolated", "--output-format", "concise", "--quiet")
    assert places(graph(capsys, "undescribed.py:called", *common)[1]) == [("log-softmax", 11), ("log-sigmoid", 16)]
    assert places(graph(capsys, "undescribed.py:one_number_each", *common)[1]) == [("log-sum-exp", 31)]
    assert places(graph(capsys, "undescribed.py:class_numbers", *common)[1]) == [("divide-by-mask-sum", 44)]
    assert places(graph(capsys, "undescribed.py:sorting", *common)[1]) == [("log-softmax", 11), ("divide-by-norm", 59)]


def test_ranges_and_named_arguments_decide_what_is_found(folder: Path, capsys: Any) -> None:
    spec = ("--input-spec", "x:float32[3]", "--input-spec", "eps=1e-3", "--output-format", "concise", "--quiet")
    assert graph(capsys, "program:shifted", *spec)[0] == CLEAN
    status, out, _ = graph(capsys, "program:shifted", *spec, "--range", "x=-1..1")
    assert status == FINDINGS
    assert places(out)[0][1] == line_of("x + eps")
    assert graph(capsys, "program:shifted", *spec, "--range", "0..255")[0] == CLEAN
    status, _, err = graph(capsys, "program:shifted", *spec, "--range", "y=0..1")
    assert (status, err) == (
        WRONG,
        "--range: no input is named 'y'; the graph's inputs: x\n",
    )


def test_rules_reports_and_statuses_are_those_of_check(folder: Path, capsys: Any) -> None:
    target = ("program:entropy", "--input-spec", "float32[None,3]")
    assert graph(capsys, *target, "--ignore", "log")[0] == CLEAN
    assert graph(capsys, *target, "--select", "sqrt")[0] == CLEAN
    assert graph(capsys, *target, "--exit-zero", "--statistics")[0] == CLEAN
    status, _, err = graph(capsys, *target, "--select", "log-softmx")
    assert (status, "did you mean `log-softmax`" in err) == (WRONG, True)
    (folder / "tfnanlint.toml").write_text('ignore = ["log"]\n')
    assert graph(capsys, *target)[0] == CLEAN
    assert graph(capsys, *target, "--isolated")[0] == FINDINGS
    report = folder / "report.json"
    assert graph(capsys, *target, "--isolated", "--output-format", "json", "--output-file", str(report))[1] == ""
    (found,) = json.loads(report.read_text())
    assert (found["origin"], found["path"], found["node"]) == ("graph", "program.py", "Log")


# What is read from files.


def test_saved_models_and_graphs_are_read_as_data(stored: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import tensorflow as tf

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a graph that is read as data is neither loaded nor imported")

    monkeypatch.chdir(stored)
    monkeypatch.setattr(tf.saved_model, "load", refuse)
    monkeypatch.setattr(tf, "import_graph_def", refuse)
    monkeypatch.setattr(tf.graph_util, "import_graph_def", refuse)
    found = {}
    for target in ("bare", "bare/saved_model.pb", "unit.pb", "unit.pbtxt", "traced"):
        status, out, _ = graph(capsys, target, "--output-format", "json")
        assert status == FINDINGS
        found[target] = {(f["rule"], f["node"], os.path.basename(f["path"])) for f in json.loads(out)}
    both = {("log-softmax", "score/Log"), ("divide-by-norm", "unit/truediv")}
    assert found["bare"] == found["bare/saved_model.pb"] == {(*pair, "saved_model.pb") for pair in both}
    assert found["unit.pb"] == {("divide-by-norm", "truediv", "unit.pb")}
    assert found["unit.pbtxt"] == {("divide-by-norm", "truediv", "unit.pbtxt")}
    assert found["traced"] == {(*pair, "test_graph_targets.py") for pair in both}


def test_a_node_without_source_is_named_with_the_type_of_its_result(
    stored: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(stored)
    _, out, _ = graph(capsys, "unit.pbtxt")
    assert out.startswith(
        "unit.pbtxt: node truediv: error (likely) TFN202 divide-by-norm: "
        "dividing by the norm of a zero vector is NaN or inf"
    )
    assert "node {" not in out
    assert "; its result is float32\n" in out


def test_keras_files_are_built_and_linted_forward_and_in_training(stored: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(stored)
    status, _, err = graph(capsys, "model.keras", "model.h5")
    assert (status, err) == (CLEAN, "")
    status, out, _ = graph(capsys, "model.keras", "--quiet")
    assert (status, out) == (CLEAN, "")


def test_an_operation_that_keras_does_not_load_from_hdf5_is_told_with_the_way_out(
    stored: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(stored)
    for allowed in ((), ("--allow-code",)):
        status, _, err = graph(capsys, "operation.h5", "--quiet", *allowed)
        assert (status, err) == (
            WRONG,
            "operation.h5: uses the operation 'Log', which Keras cannot load from HDF5; save the model as .keras\n",
        )
    assert graph(capsys, "operation.keras", "--quiet")[0] == FINDINGS


def test_code_in_a_file_is_run_only_where_that_is_allowed(stored: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(stored)
    status, _, err = graph(capsys, "lambda.keras", "lambda.h5", "--quiet")
    assert status == WRONG
    assert err.splitlines() == [
        f"lambda.{kind}: has a Lambda layer, whose code is not run; "
        "if you trust the file, pass --allow-code to run its code"
        for kind in ("h5", "keras")
    ]
    assert graph(capsys, "lambda.keras", "--quiet", "--allow-code")[0] == CLEAN


def test_a_file_may_not_name_what_is_not_kerass_own(stored: Path, tmp_path: Path, capsys: Any) -> None:
    import zipfile

    target = tmp_path / "evil.keras"
    with zipfile.ZipFile(stored / "model.keras") as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "config.json":
                data = data.replace(
                    b'"module": "keras.layers", "class_name": "Dense"', b'"module": "os", "class_name": "system"'
                )
            new.writestr(name, data)
    status, _, err = graph(capsys, str(target), "--quiet")
    assert (status, "names os.system, which is not part of Keras" in err) == (WRONG, True)


# What can go wrong.

SPEC = ("--input-spec", "float32[None,4]")


def wrong(*arguments: str, cwd: Path) -> list[str]:
    """The lines that a run of the command in a process of its own complains with; all else it prints is a failure."""
    command = shutil.which("tfnanlint", path=os.path.dirname(sys.executable))
    start = [command] if command else [sys.executable, "-m", "tfnanlint"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    for name in ("TF_CPP_MIN_LOG_LEVEL", "TF_ENABLE_ONEDNN_OPTS"):
        environment.pop(name, None)
    done = subprocess.run(
        [*start, "graph", *arguments], capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )
    assert done.returncode == WRONG
    assert done.stdout == ""
    return done.stderr.splitlines()


def hostile() -> dict[str, Any]:
    """GraphDefs that no program makes."""
    from tensorflow.core.framework import graph_pb2

    found = {name: graph_pb2.GraphDef() for name in ("circle", "cycle", "dangling", "results")}
    for name, called in (("f", "g"), ("g", "f")):
        function = FUNCTIONS(found["circle"]).add()
        function.signature.name = name
        function.node_def.add(name="call", op="PartitionedCall").attr["f"].func.name = called
    found["cycle"].node.add(name="a", op="Neg", input=["b"])
    found["cycle"].node.add(name="b", op="Neg", input=["a"])
    found["dangling"].node.add(name="a", op="Log", input=["nothing"])
    found["results"].node.add(name="many", op="Split").attr["num_split"].i = 2**40
    return found


def nested(depth: int) -> bytes:
    """A message in a message in a message."""
    data = b""
    for _ in range(depth):
        length, size = len(data), b""
        while length > 127:
            size, length = size + bytes([length & 127 | 128]), length >> 7
        data = b"\x0a" + size + bytes([length]) + data
    return data


def test_a_graph_that_calls_without_measure_and_one_of_many_operations_come_to_an_end(
    folder: Path, capsys: Any
) -> None:
    from tensorflow.core.framework import graph_pb2

    calls, chain = graph_pb2.GraphDef(), graph_pb2.GraphDef()
    calls.node.add(name="call", op="PartitionedCall").attr["f"].func.name = "f0"
    for number in range(40):
        function = FUNCTIONS(calls).add()
        function.signature.name = f"f{number}"
        for place in range(3):
            function.node_def.add(name=f"c{place}", op="PartitionedCall").attr["f"].func.name = f"f{number + 1}"
    chain.node.add(name="x0", op="Placeholder").attr["dtype"].type = 1
    for number in range(20_000):
        chain.node.add(name=f"x{number + 1}", op="Neg", input=[f"x{number}"]).attr["T"].type = 1
    (folder / "calls.pb").write_bytes(calls.SerializeToString())
    (folder / "chain.pb").write_bytes(chain.SerializeToString())
    status, _, said = graph(capsys, "calls.pb", "chain.pb", "--quiet")
    assert (status, said.count("\n")) == (WRONG, 1)
    assert said.startswith("calls.pb: not linted to its end: function 'f")


def test_whatever_is_wrong_with_a_target_is_said_in_one_line(folder: Path, stored: Path) -> None:
    for name in ("unit.pb", "model.keras", "model.h5"):
        data = (stored / name).read_bytes()
        (folder / f"truncated-{name}").write_bytes(data[: len(data) * 2 // 3])
    for name, change in {
        "no-object": {"config.json": b"[]"},
        "no-json": {"config.json": b"{"},
        "nested": {"config.json": b"[" * 100_000},
        "no-weights": {"model.weights.h5": b"\0" * 100},
    }.items():
        with ZipFile(stored / "model.keras") as whole, ZipFile(folder / f"{name}.keras", "w") as other:
            for member in whole.namelist():
                other.writestr(member, change.get(member, whole.read(member)))
    with ZipFile(stored / "model.keras") as whole, ZipFile(folder / "own-layer.keras", "w") as other:
        for member in whole.namelist():
            held = whole.read(member)
            if member == "config.json":
                held = held.replace(b'"keras.layers", "class_name": "Softmax"', b'null, "class_name": "Odd"')
            other.writestr(member, held)
    for name, definition in hostile().items():
        (folder / f"{name}.pb").write_bytes(definition.SerializeToString())
    (folder / "nested.pb").write_bytes(nested(5000))
    (folder / "random.pb").write_bytes(bytes(i * i * 7 % 251 for i in range(4000)))
    (folder / "empty.pb").write_bytes(b"")
    (folder / "text.pbtxt").write_text("hello\n")
    (folder / "syntax.py").write_text("x = (\n")
    (folder / "divides.py").write_text("import os\n1 / 0\n")
    (folder / "imports.py").write_text("import no_such_library\n")
    (folder / "leaves.py").write_text("import sys\n\nsys.exit(3)\n")
    expected = {
        "nowhere:f": "no module named 'nowhere'",
        "nowhere.deep:f": "no module named 'nowhere.deep'",
        "nothing.py:f": "file not found: nothing.py",
        "syntax.py:f": "cannot import it: syntax.py:1: SyntaxError: '(' was never closed",
        "divides.py:f": "cannot import it: divides.py:2: ZeroDivisionError: division by zero",
        "imports:f": "cannot import it: imports.py:1: ModuleNotFoundError: No module named 'no_such_library'",
        "leaves:f": "cannot import it: leaves.py:3: SystemExit: 3",
        "program:entrpy": "program has no attribute 'entrpy'; did you mean 'entropy'?",
        "program:Open": "add: its signature is Open.add(x, y): missing a required argument: 'y'; describe them with",
        "program:number": "is of type int, which cannot be traced",
        "program:shifted": "its signature is shifted(x, eps): missing a required argument: 'eps'; describe them with",
        "program:Weighted.step": "needs an instance, and Weighted(weight) takes arguments",
        "program:calls": f"cannot trace it: program.py:{line_of('raise ValueError')}: ValueError: no such",
        "program.py": "names a file but no function in it; targets are",
        "program": "not a file, a folder or a target; targets are",
        "program:a b": "'a b' is not a valid Python name",
        "missing.pb": "cannot read the file: no such file or directory",
        "missing.keras": "no such file",
        "truncated-unit.pb": "is neither a whole SavedModel nor a whole GraphDef",
        "truncated-model.keras": "not a Keras model",
        "truncated-model.h5": "not a Keras model in HDF5",
        "no-object.keras": "not a Keras model: its config.json is not a JSON object",
        "no-json.keras": "not a Keras model: its config.json is not JSON: Expecting",
        "nested.keras": "not a Keras model: its config.json is nested too deeply",
        "no-weights.keras": "its model.weights.h5 is not a complete HDF5 file: unable to synchronously open",
        "own-layer.keras": "needs 'Odd', which is not part of Keras; name the model in Python instead",
        "program:odd": "cannot trace it: Odd: no",
        "circle.pb": "its functions call each other endlessly: f calls g calls f",
        "cycle.pb": "the graph has a cycle through 'a'",
        "dangling.pb": "the graph uses operation 'nothing', which it does not define",
        "results.pb": "operation 'many' declares 1099511627776",
        "nested.pb": "is neither a whole SavedModel nor a whole GraphDef",
        "random.pb": "is neither a whole SavedModel nor a whole GraphDef",
        "empty.pb": "is empty",
        "text.pbtxt": "not a SavedModel or GraphDef in text form: 1:1",
        str(stored / "only.weights.h5"): "contains weights but no model",
        str(folder): "a folder without a saved_model.pb",
    }
    said = wrong(*expected, *SPEC, "--quiet", cwd=folder)
    assert said.count("the module is imported") == 1
    said.remove("the module is imported")
    assert len(said) == len(expected)
    for target, reason in expected.items():
        (line,) = [line for line in said if line.startswith(f"{target}: ")]
        assert line.startswith(f"{target}: {reason}"), line


def test_a_file_in_a_package_is_imported_as_a_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    package = tmp_path / "forecast" / "losses"
    package.mkdir(parents=True)
    (tmp_path / "forecast" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "scale.py").write_text("FACTOR = 2.0\n")
    (package / "entropy.py").write_text(
        "import tensorflow as tf\nfrom forecast.losses import scale\nfrom .scale import FACTOR\n\n\n"
        "def entropy(x):\n    return scale.FACTOR * FACTOR * tf.math.log(tf.nn.softmax(x))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(["graph", "forecast/losses/entropy.py:entropy", *SPEC, "--output-format", "concise"]) == FINDINGS
    assert "entropy.py:7:36: error (likely) TFN118 log-softmax" in capsys.readouterr().out


def test_a_file_that_has_the_name_of_a_target_is_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('owned', 'w').close()\n")
    names = ["evil.py:net", "evil:net", "evil:data"]
    for name in names[:2]:
        (tmp_path / name).write_text("")
    (tmp_path / names[2]).mkdir()
    status, out, err = graph(capsys, *names, "--quiet")
    assert (status, out) == (WRONG, "")
    assert sorted(err.splitlines()) == [
        "evil.py:net: is a file, and not one with a model; rename it to name what is in a module",
        "evil:data: a folder without a saved_model.pb",
        "evil:net: is a file, and not one with a model; rename it to name what is in a module",
    ]
    assert graph(capsys, "evil.py:other", "--sample", "evil.py:net", "--quiet")[0] == WRONG
    assert not (tmp_path / "owned").exists()


def test_without_a_description_of_its_arguments_a_function_asks_for_one(folder: Path, capsys: Any) -> None:
    status, _, err = graph(capsys, "program:entropy", "program:head", "--quiet")
    assert status == WRONG
    assert [line for line in err.splitlines() if line.startswith("program")] == [
        f"program:entropy: its signature is entropy(x): missing a required argument: 'x'; {DESCRIBE}",
        f"program:head: the model does not declare its inputs; {DESCRIBE}",
    ]


def test_without_tensorflow_the_python_api_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    absent = lambda name, *rest: None if name == "tensorflow" else real(name, *rest)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", absent)
    entered = lambda: watch().__enter__()  # noqa: E731
    for call in (lambda: lint_function(abs, 1.0), lambda: lint_graph("model.pb"), entered, keras_callback):
        with pytest.raises(TfnanlintError, match=r"the graph pass needs TensorFlow: pip install 'tfnanlint\[graph\]'"):
            call()


def test_without_tensorflow_the_command_says_how_to_install_it(tmp_path: Path) -> None:
    code = (
        "import importlib.util, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'tensorflow' else find(name, *rest)\n"
        "from tfnanlint.cli import main\n"
        "sys.exit(main(['graph', 'a:b']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (WRONG, "")
    assert done.stderr == "tfnanlint: the graph pass needs TensorFlow: pip install 'tfnanlint[graph]'\n"


# How arguments are described.

SPECS = {
    "float32[None,4]": TensorArgument("float32", (None, 4)),
    " x : float32[ ?, 3 ] ": TensorArgument("float32", (None, 3), "x"),
    "int32[]": TensorArgument("int32", ()),
    "bfloat16": TensorArgument("bfloat16", None),
    "half[2]": TensorArgument("float16", (2,)),
    "ids:string[None]": TensorArgument("string", (None,), "ids"),
    "3": ValueArgument(3),
    "training=True": ValueArgument(True, "training"),
    "'mean'": ValueArgument("mean"),
    "axis=None": ValueArgument(None, "axis"),
}
BAD_SPECS = {
    "": "at character 1 (its end): expected a dtype, such as float32",
    "x:": "at character 3 (its end): expected a dtype",
    "flaot32[3]": "at character 1 (at 'flaot32[3]'): flaot32 is not a dtype; did you mean float32?",
    "float32[None,4": "at character 15 (its end): expected a comma or ]",
    "float32[None,x]": "at character 14 (at 'x]'): expected a size, None or ]",
    "float32[3,]": "at character 11 (at ']'): expected a size or None",
    "float32[-1]": "at character 9 (at '-1]'): expected a size, None or ]",
    f"float32[{10**20}]": f"at character 9 (at '{10**20}]'): a size has at most 18 digits",
    "float32[3]]": "at character 11 (at ']'): unexpected text after the shape",
    "float32(3)": "at character 8 (at '(3)'): expected a shape in brackets, such as [None,4]",
}


@pytest.mark.parametrize(("text", "meant"), SPECS.items(), ids=SPECS)
def test_an_argument_is_described_by_type_and_shape_or_by_a_value(text: str, meant: Any) -> None:
    assert parse_spec(text) == meant


@pytest.mark.parametrize(("text", "reason"), BAD_SPECS.items(), ids=BAD_SPECS)
def test_a_description_that_does_not_parse_is_refused_at_its_place(text: str, reason: str, capsys: Any) -> None:
    status, out, err = graph(capsys, "a:b", "--input-spec", text)
    assert (status, out) == (WRONG, "")
    assert err.startswith(f"tfnanlint: --input-spec: {text!r} is invalid {reason}")
    assert err.count("\n") == 1


def test_a_range_has_two_bounds_either_of_which_may_be_left_open() -> None:
    texts = {
        "x=0..255": ("x", 0, 255),
        "-1..1": (None, -1, 1),
        "a/b = .5..inf": ("a/b", 0.5, INF),
        "..1": (None, -INF, 1),
    }
    for text, (name, low, high) in texts.items():
        found, told = parse_range(text)
        assert (found, told.outer) == (name, Interval(low, high))
    assert parse_range("..")[1].outer.unknown
    for text in ("x=1", "x=a..2", "1..nan", "3..1", "", "1...2...3"):
        with pytest.raises(SpecError, match="--range: "):
            parse_range(text)


def test_an_error_that_quotes_a_whole_file_is_told_in_part() -> None:
    told = blame(ValueError("a" * 100_000))
    assert told.startswith("ValueError: aaa")
    assert len(told) <= LONGEST + len("...")


def test_a_sequence_in_a_file_is_built_once_and_as_keras_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import keras
    import numpy as np

    dense = keras.layers.Dense
    inner = keras.Sequential([keras.Input((3,)), dense(3), dense(3)], name="inner")
    deferred = keras.Sequential([dense(3), inner, keras.layers.BatchNormalization(), dense(2)])
    deferred.build((None, 3))
    data = keras.Input((3,))
    model = keras.Model(data, deferred(data))
    model.save(path := str(tmp_path / "model.keras"))
    built: list[str] = []

    def counted(sequence: keras.Sequential, shape: object = None) -> None:
        built.append(sequence.name)
        build(sequence, shape)

    build = keras.Sequential.build
    monkeypatch.setattr(keras.Sequential, "build", counted)
    loaded = load_keras(path, allow_code=False)
    assert sorted(built) == sorted({"inner", deferred.name})
    assert [tuple(weights.shape) for weights in loaded.weights] == [tuple(weights.shape) for weights in model.weights]
    rows = np.ones((2, 3), "float32")
    assert np.array_equal(loaded(rows), model(rows))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in the file system")
def test_a_pipe_in_the_place_of_a_model_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.keras")
    with pytest.raises(TargetError, match="not a regular file"):
        load_keras(str(tmp_path / "model.keras"), allow_code=False)
