"""Targets of the graph pass: resolves a text such as `train.py:step`, `pkg.models:model` or `saved/`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfnanlint.graph import keras_files, stored
from tfnanlint.graph.batches import Batch, by_name
from tfnanlint.graph.importing import TargetError, imported, resolve
from tfnanlint.graph.specs import Argument
from tfnanlint.graph.stored import load_stored, read_stored
from tfnanlint.graph.tracing import Subject, subjects_of

FORMS = (
    "pkg.module:name or path/file.py:name, of a function, of a model, or of a function that returns either; "
    "a SavedModel's folder; a .pb, .pbtxt, .keras or .h5 file"
)


def is_stored(target: str) -> bool:
    """Whether a target names a file or folder that holds a model, or would."""
    return target.endswith((*stored.ENDINGS, *keras_files.ENDINGS)) or os.path.isdir(target)


def subjects(
    target: str,
    arguments: Sequence[Argument] = (),
    allow_code: bool = False,
    to_run: bool = False,
    batch: Batch = None,
    signature: str | None = None,
    imports: Sequence[str] = (),
) -> Iterator[Subject]:
    """The graphs of a target, read or traced; raises `TargetError`.

    With `allow_code`, code in a Keras model's file may run, and saved graphs are loaded where they are `to_run`. A
    `batch` is a sample of the data. Of a SavedModel, `signature` names what to lint. The modules of `imports` define
    classes and functions of Keras models.
    """
    for module in imports:
        imported(module)
    if target.endswith(keras_files.ENDINGS):
        model = keras_files.load_keras(target, allow_code, imports)
        for subject in subjects_of(target, model, arguments, keras_files.call_of(target, model), batch):
            # A training step changes what was saved.
            yield replace(subject, path=target, loaded=subject.name == target)
        return
    if is_stored(target):
        samples = by_name(batch) if batch is not None else {}
        stored_graphs = load_stored if allow_code and to_run else read_stored
        for subject in stored_graphs(target, signature):
            yield replace(subject, samples=samples)
        return
    where, colon, name = target.rpartition(":")
    if not colon or not where or not name or os.sep in name:
        what = "names a file but no function in it" if target.endswith(".py") else "not a file, a folder or a target"
        raise TargetError(f"{target}: {what}; targets are {FORMS}")
    if not all(part.isidentifier() for part in name.split(".")):
        raise TargetError(f"{target}: {name!r} is not a valid Python name")
    yield from subjects_of(target, resolve(target), arguments, batch=batch)
