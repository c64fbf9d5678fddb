"""Models from files that hold graphs: a SavedModel, a GraphDef.

They are read as data: they are not loaded into TensorFlow, and none of their code runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from tfnanlint.contents import contents
from tfnanlint.graph.checkpoint import Checkpoint
from tfnanlint.graph.importing import TargetError, blame
from tfnanlint.graph.lint import plain_name
from tfnanlint.graph.model import dtype_of
from tfnanlint.graph.runnable import ends_of
from tfnanlint.graph.statics import DIFFERENTIABLE
from tfnanlint.graph.tracing import Call, Subject

ENDINGS = (".pb", ".pbtxt")
NO_SIGNATURE = "no signature of the model contains it, so its arguments are unknown"
_LONGEST = 200
"""A message that quotes a file is cut after so many characters."""
_SAVED = ("saved_model.pb", "saved_model.pbtxt")


FUNCTIONS, GRADIENTS = attrgetter("library.function"), attrgetter("library.gradient")
"""The function definitions of a GraphDef, and which function is the gradient of which."""


class Signature(NamedTuple):
    """A way to call a SavedModel: its inputs' nodes by the names of the arguments, and the tensors of its results."""

    inputs: Mapping[str, str]
    results: Sequence[str]


class Definition(NamedTuple):
    """A GraphDef, the tensors that are its results, where that is said, and what a SavedModel says of it.

    `captured` has for functions of its library the variables that they take as arguments, by the names of these.
    """

    graph: Any
    outputs: Sequence[str] | None = None
    signatures: Mapping[str, Signature] = MappingProxyType({})
    captured: Mapping[str, Mapping[str, str]] = MappingProxyType({})


def saved_model_in(folder: str) -> str | None:
    """The file of the SavedModel in a folder."""
    return next((path for name in _SAVED if os.path.isfile(path := os.path.join(folder, name))), None)


def read_stored(target: str, signature: str | None = None) -> Iterator[Subject]:
    """The graphs in a SavedModel's folder, a `.pb` or a `.pbtxt`; `TargetError` where there are none.

    With the name of a `signature`, what this one computes.
    """
    path: str | None = target
    if os.path.isdir(target):
        path = saved_model_in(target)
        if path is None:
            raise TargetError(f"{target}: a folder without a saved_model.pb")
    assert path is not None
    if os.path.exists(path) and not os.path.isfile(path):
        raise TargetError(f"{path}: not a regular file")
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise TargetError(f"{path}: cannot read the file: {(error.strerror or str(error)).lower()}") from None
    if not data:
        raise TargetError(f"{path}: is empty")
    parse = _from_text if path.endswith(".pbtxt") else _from_bytes
    debug_info = _debug_info(path)
    checkpoint = Checkpoint(os.path.dirname(path))
    definitions = parse(path, data)
    if signature is not None:
        definitions = _of_signature(path, definitions, signature)
    for definition, outputs, signatures, captured in definitions:
        given = {
            "graph": definition,
            "debug_info": debug_info,
            "path": path,
            "checkpoint": checkpoint,
            "is_data": True,
        }
        try:
            kept_only = _kept_only(definition)
        except CycleError as error:
            names = " calls ".join(error.args[1])
            raise TargetError(f"{path}: its functions call each other endlessly: {names}") from None
        if definition.node:
            name = target if signature is None else f"{target} ({signature})"
            aliases = _argument_names(signatures.values())
            yield Subject(
                name, aliases=aliases, outputs=outputs, call=_again(path, definition, outputs, signatures), **given
            )
        for function in kept_only if signature is None else ():
            given["variables"] = captured.get(function, {})
            yield Subject(f"{target} ({plain_name(function)})", function=function, why_not=NO_SIGNATURE, **given)


def _of_signature(path: str, definitions: Sequence[Definition], name: str) -> list[Definition]:
    """What the signature of a name computes; `TargetError` where there is none."""
    from tensorflow.compat.v1.graph_util import extract_sub_graph

    found: list[Definition] = []
    for definition in definitions:
        if name in definition.signatures:
            signature = definition.signatures[name]
            nodes = {tensor.partition(":")[0] for tensor in signature.results} | set(signature.inputs.values())
            part = extract_sub_graph(definition.graph, sorted(nodes & {node.name for node in definition.graph.node}))
            whole = not signature.results  # it computes nothing that is differentiated
            found.append(Definition(definition.graph if whole else part, signature.results or None, {name: signature}))
    if not found:
        names = sorted({known for one in definitions for known in one.signatures if known[:2] != "__"})
        raise TargetError(f"{path}: no signature is named {name!r}; its signatures: {', '.join(names) or 'none'}")
    return found


def _argument_names(signatures: Iterable[Signature]) -> dict[str, str]:
    """The inputs that signatures have arguments for, by the names of the arguments, where these are unique."""
    nodes: dict[str, set[str]] = {}
    for signature in signatures:
        for name, node in signature.inputs.items():
            nodes.setdefault(name, set()).add(node)
    return {name: next(iter(of_name)) for name, of_name in nodes.items() if len(of_name) == 1}


def _again(path: str, definition: Any, outputs: Sequence[str] | None, signatures: Mapping[str, Signature]) -> Call:
    """How Python calls what is in a file: every signature of a SavedModel, a GraphDef on its placeholders."""
    names, results = ends_of(definition, outputs)
    called = {
        name: ", ".join(f"{key!r}: x[{names.index(node)}]" for key, node in sorted(inputs.items()))
        for name, (inputs, _) in signatures.items()
        if inputs and names and set(inputs.values()) <= set(names)
    }
    if called:
        words = ", ".join(f"held.signatures[{name!r}](**{{{given}}})" for name, given in called.items())
        return Call(f"held = tf.saved_model.load({os.path.dirname(path) or '.'!r})", "list", f"[{words}]")
    return _of_definition(path, [f"{name}:0" for name in names], results)


def load_stored(target: str, only: str | None = None) -> Iterator[Subject]:
    """The graphs in a SavedModel or a GraphDef, loaded into TensorFlow so that they can be run; `TargetError`."""
    import tensorflow as tf

    read = list(read_stored(target, only))  # says what is wrong with the file
    path = read[0].path
    if os.path.basename(path) == _SAVED[0]:
        _refuse_pipes(os.path.dirname(path) or ".")
        try:
            model = tf.saved_model.load(os.path.dirname(path) or ".")
        except Exception as error:
            raise TargetError(f"{target}: cannot load the model: {blame(error)}") from None
        brought = f"held = tf.saved_model.load({os.path.dirname(path) or '.'!r})"
        for name, signature in model.signatures.items():
            if only not in (None, name):
                continue
            names = sorted(signature.structured_input_signature[1])
            words = ", ".join(f"{key!r}: x[{place}]" for place, key in enumerate(names))
            call = Call(brought, f"held.signatures[{name!r}]", f"**{{{words}}}")
            yield Subject(f"{target} ({name})", signature, path=path, call=call)
        return
    for subject in read:
        if subject.function is None:
            yield _imported(target, subject.graph, path)


def _refuse_pipes(folder: str) -> None:
    """`TargetError` where TensorFlow, which opens whatever belongs to a SavedModel, would wait for a pipe."""
    for place in (folder, *(os.path.join(folder, name) for name in ("variables", "assets", "debug"))):
        for name in os.listdir(place) if os.path.isdir(place) else ():
            path = os.path.join(place, name)
            if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
                raise TargetError(f"{path}: not a regular file")


def _imported(target: str, definition: Any, path: str) -> Subject:
    """A GraphDef as a function of its placeholders."""
    import tensorflow as tf

    try:
        whole = tf.compat.v1.wrap_function(lambda: tf.graph_util.import_graph_def(definition, name=""), [])
        operations = whole.graph.get_operations()
        used = {tensor.op.name for operation in operations for tensor in operation.inputs}
        inputs = [operation.outputs[0].name for operation in operations if operation.type == "Placeholder"]
        results = [t.name for operation in operations if operation.name not in used for t in operation.outputs]
        pruned = whole.prune(inputs, results)
    except Exception as error:
        raise TargetError(f"{target}: cannot import the graph: {blame(error)}") from None
    return Subject(target, pruned, path=path, call=_of_definition(path, inputs, results))


def _of_definition(path: str, inputs: Sequence[str], results: Sequence[str]) -> Call:
    """How Python calls a GraphDef on some of its tensors."""
    read = f"tf.compat.v1.GraphDef.FromString(open({path!r}, 'rb').read())"
    if path.endswith(".pbtxt"):
        read = f"text_format.Parse(open({path!r}).read(), tf.compat.v1.GraphDef())"
        read = f"from google.protobuf import text_format; definition = {read}"
    else:
        read = f"definition = {read}"
    whole = "tf.compat.v1.wrap_function(lambda: tf.graph_util.import_graph_def(definition, name=''), [])"
    return Call(f"{read}; held = {whole}.prune({inputs}, {results})", "held", "*x")


def _from_bytes(path: str, data: bytes) -> list[Definition]:
    """The GraphDefs in the bytes of a SavedModel or of a GraphDef."""
    from google.protobuf.message import DecodeError
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import saved_model_pb2

    whole = True
    try:
        saved = saved_model_pb2.SavedModel.FromString(data)
        found = _graphs(saved)
        if found:
            return found
    except DecodeError:
        whole = False
    try:
        graph = graph_pb2.GraphDef.FromString(data)
        if _holds(graph):
            return [Definition(graph)]
    except DecodeError:
        whole = False
    what = "a whole SavedModel nor a whole GraphDef" if not whole else "a SavedModel nor a GraphDef"
    raise TargetError(f"{path}: is neither {what}: the file is damaged, truncated or of another kind")


def _from_text(path: str, data: bytes) -> list[Definition]:
    """The GraphDefs in the text of a SavedModel or of a GraphDef."""
    from google.protobuf import text_format
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import saved_model_pb2

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TargetError(f"{path}: not text: byte {error.start} is not UTF-8") from None
    troubles = []
    for message in (saved_model_pb2.SavedModel(), graph_pb2.GraphDef()):
        try:
            text_format.Parse(text, message)
        except (text_format.ParseError, RecursionError, UnicodeError, ValueError) as error:
            troubles.append(str(error).splitlines()[0][:_LONGEST] if str(error) else type(error).__name__)
            continue
        if isinstance(message, saved_model_pb2.SavedModel):
            found = _graphs(message)
        else:
            found = [Definition(message)] if _holds(message) else []
        if found:
            return found
    said = troubles[-1] if troubles else "it has no operations"
    raise TargetError(f"{path}: not a SavedModel or GraphDef in text form: {said}")


def _graphs(saved: Any) -> list[Definition]:
    """The graphs of a SavedModel, with the results of all their signatures."""
    found: list[Definition] = []
    for meta in saved.meta_graphs:
        if _holds(meta.graph_def):
            nodes = {node.name for node in meta.graph_def.node}
            signatures = {
                name: Signature(
                    {key: given.name.partition(":")[0] for key, given in signature.inputs.items()},
                    [
                        tensor.name
                        for tensor in signature.outputs.values()
                        if tensor.name.partition(":")[0] in nodes and dtype_of(tensor.dtype) in DIFFERENTIABLE
                    ],
                )
                for name, signature in meta.signature_def.items()
            }
            results = dict.fromkeys(tensor for signature in signatures.values() for tensor in signature.results)
            found.append(Definition(meta.graph_def, list(results) or None, signatures, _captured(meta)))
    return found


def _captured(meta: Any) -> dict[str, dict[str, str]]:
    """The variables that functions of a SavedModel take as arguments behind their own, by the names of these."""
    bodies = {function.signature.name: function.signature for function in FUNCTIONS(meta.graph_def)}
    objects = meta.object_graph_def
    found: dict[str, dict[str, str]] = {}
    for name, concrete in objects.concrete_functions.items():
        numbers = list(concrete.bound_inputs)
        arguments = bodies[name].input_arg[-len(numbers) :] if name in bodies and numbers else ()
        held = [objects.nodes[number] if 0 <= number < len(objects.nodes) else None for number in numbers]
        found[name] = {
            argument.name: one.variable.name
            for argument, one in zip(arguments, held, strict=False)
            if one is not None and one.variable.name
        }
    return found


def _holds(graph: Any) -> bool:
    """Whether a GraphDef holds anything that could have been meant."""
    return any(node.name and node.op for node in graph.node) or any(f.signature.name for f in FUNCTIONS(graph))


def _debug_info(path: str) -> Any:
    """The stacks that a SavedModel keeps beside its graphs; None where it keeps none that can be read."""
    from google.protobuf.message import DecodeError
    from tensorflow.core.framework import graph_debug_info_pb2

    try:
        data = contents(os.path.join(os.path.dirname(path), "debug", "saved_model_debug_info.pb"))
        return graph_debug_info_pb2.GraphDebugInfo.FromString(data)
    except (OSError, DecodeError):
        return None


def _kept_only(definition: Any) -> list[str]:
    """The functions of a GraphDef's library that its own operations do not lead to, those in others left out.

    Raises `CycleError` where functions call one another in a circle.
    """
    called = _called(node for node in definition.node)
    bodies = {function.signature.name: function for function in FUNCTIONS(definition)}
    calls = {name: _called(function.node_def) for name, function in bodies.items()}
    TopologicalSorter(calls).prepare()
    called.update(gradient.gradient_func for gradient in GRADIENTS(definition))
    reached = _closure(called, calls)
    inner = {name for names in calls.values() for name in names}
    return [name for name in bodies if name not in reached and name not in inner and not _is_derived(name)]


def _called(nodes: Any) -> set[str]:
    """The functions that nodes name in their attributes."""
    found: set[str] = set()
    for node in nodes:
        for value in node.attr.values():
            if value.HasField("func"):
                found.add(value.func.name)
            elif value.HasField("list"):
                found.update(function.name for function in value.list.func)
    return found


def _closure(names: set[str], calls: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(calls.get(name, ()))
    return reached


def _is_derived(name: str) -> bool:
    """Whether a function was made from another one: to save and restore variables, or to compute its gradient."""
    return bool(re.match(r"__(?:inference__traced_(?:save|restore)|forward|backward)_", name))
