"""Both passes say the same of a program: what the source pass finds in a function, its trace shows at the same line.

The functions are those of tests/programs that can be traced by themselves. What is a hazard only with a model around
it, is given a model, or looks at numbers, is left to the tests of either pass.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from tfnanlint.graph.lint import lint_concrete, trace

PROGRAMS = Path(__file__).parent / "programs"

TRACED = {
    "attention": {
        "4,3 4,3": "masked_softmax_by_hand stable_masked_softmax mean_pool_unguarded",
        "3,3 3,3": "mean_pool",
        "4,3": "squash sound_squash",
    },
    "comparisons": {
        "4,3 4,3": "metres_loss sound_metres_loss haversine_loss sound_haversine_loss gaze_loss sound_gaze_loss "
        "encoded removable_loss missing_loss",
        "4,3": "pairwise_distance_loss",
    },
    "conditions": {
        "4,3 4,3": "branch the_other_branch early expression both in_a_cond after_the_branch in_a_helper guarded_call "
        "asserted_by_tensorflow asserted_too_little",
        "-": "rooted",
    },
    "containers": {
        "4,3": "heads from_dictionary from_dict_call updated pair from_tuple from_named_tuple from_typed "
        "from_record nested",
        "4,2": "split",
        "3,3": "smallest_of_all",
    },
    "density": {"4,3": "logit_flow dequantised", "4,3 4,3": "poisson_loss sound_poisson_loss weibull_loss"},
    "embedding": {
        "4,3 4,3": "contrastive_loss cosine_loss nt_xent info_nce_by_hand_loss",
        "4,3 4,3 4,3": "triplet_norm_loss",
        "4,3": "pairwise_distances naive_pairwise_loss",
    },
    "functions": {
        "4,3": "entropy sound_entropy users per_row vectorised calls_starred unpacked unpacked_badly uses_decorated",
        "4,3 4,3": "closures",
    },
    "gradients": {"-": "chosen chosen_twice chosen_by_name persistent stopped jacobian accumulated"},
    "loops": {
        "-": "train sound_train",
        "4,3": "shrinking kept_up while_loop single_while scan folded scoped tried tried_soundly counted_selection",
    },
    "physics": {
        "4,3 4,3": "train_on_norm rmse_loss charbonnier_loss angle_loss sound_spectrogram_loss "
        "log_cosh_loss r_squared correlation mape_loss rmsle_loss",
        "4,3": "rotation_angle_loss to_decibels psnr min_max sound_min_max",
    },
    "rl": {"4,3": "entropy_bonus normalise", "4,3 4,3": "kl_of_policies sound_kl"},
    "segmentation": {
        "4,3 4,3": "dice_loss smooth_dice_loss sound_focal_loss masked_mean sound_masked_mean "
        "accuracy_per_class class_recall",
        "4,3 4,3 4,3": "weighted_crossentropy",
    },
    "tails": {
        "4,3 4,3": "membership_loss sound_memberships transport sound_transport",
        "4,3": "affinities",
        "16000": "log_mel",
    },
    "vae": {
        "4,3 4,3": "kl_by_std sound_kl_by_std gumbel sound_gumbel reconstruction_of clipped_reconstruction_of",
        "4,3": "backend_gumbel log_odds",
    },
}
"""The functions of each program by the shapes of what they are traced on; "-" is a number."""

INSTEAD = {
    ("functions", 77, "log-reaches-zero"): (77, "log-softmax"),  # what is mapped over rows is known by its name
    ("functions", 37, "log-reaches-zero"): (45, "log-reaches-zero"),  # TensorFlow maps no lines of a traced closure
    ("tails", 92, "divide-by-zero"): (91, "divide-by-zero"),  # the line before it, which a trace reaches first
    ("rl", 42, "log-times-argument"): (42, "log-softmax"),  # a trace has no text, and so no fix that decides
    ("loops", 95, "log-reaches-zero"): (95, "log-sigmoid"),  # what an exception would lead to is not traced
}
"""What a trace says in the place of a finding of the source pass, and why."""
BESIDES = {"gradients": {(58, "sqrt-of-relu")}}
"""What a trace does not tell from a finding: of two sums under one tape, which of them is differentiated."""


def stated(text: str, *kinds: str) -> set[tuple[int, str]]:
    """The hazards of a program by its marks: those found, and of other kinds those missed, or found in vain."""
    marks = rf"# (?:{'|'.join(kinds)})((?: [a-z0-9-]+)+)"
    lines = enumerate(text.splitlines(), 1)
    return {(number, rule) for number, line in lines for mark in re.finditer(marks, line) for rule in mark[1].split()}


def module_of(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"program_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines_of(text: str, names: set[str]) -> set[int]:
    """The lines of some functions."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name in names]
    return {line for node in functions for line in range(node.lineno, (node.end_lineno or 0) + 1)}


@pytest.mark.parametrize("name", TRACED)
def test_what_the_source_pass_finds_in_a_function_its_trace_shows_at_the_same_line(name: str) -> None:
    import tensorflow as tf

    path = PROGRAMS / f"{name}.py"
    text, module = path.read_text(), module_of(path)
    found: set[tuple[int, str]] = set()
    values: set[tuple[int, str]] = set()
    for shapes, functions in TRACED[name].items():
        specs = [tf.TensorSpec([int(size) for size in shape.split(",") if size != "-"]) for shape in shapes.split()]
        for function in functions.split():
            concrete = trace(getattr(module, function), *specs)
            for held, differentiate in ((found, None), (values, False)):
                findings = lint_concrete(concrete, differentiate=differentiate)
                held |= {(f.line, f.rule) for f in findings if Path(f.path).name == path.name}
    inside = lines_of(text, {function for held in TRACED[name].values() for function in held.split()})
    expected, known = (
        {INSTEAD.get((name, *hazard), hazard) for hazard in stated(text, *kinds)}
        for kinds in (("HAZARD",), ("HAZARD", "MISSED", "FALSE", "POSSIBLE"))
    )
    assert {hazard for hazard in expected if hazard[0] in inside} <= found
    assert values - BESIDES.get(name, set()) <= known
