"""What ordinary data does: a table of situations, each with a sentence for the report and the inputs that it changes.

A situation changes the calm inputs of some roles; all other inputs stay calm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tfnanlint.ops.numeric import np
from tfnanlint.trial import changes, roles
from tfnanlint.trial.changes import Change
from tfnanlint.trial.limits import NONE

SituationKey = tuple[str, int, int, frozenset[str], frozenset[int]]


@dataclass(frozen=True)
class Situation:
    """A name, its sentence in the report, and the change to the calm inputs of each role that it concerns."""

    name: str
    sentence: str
    changes: Mapping[str, Change] = field(default_factory=dict)
    copies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each role, the roles that its inputs copy: the first input of one of them that has the same shape."""
    equals: tuple[str, ...] = ()
    """Roles whose inputs equal the other operand where the program takes a difference."""
    paired: str = ""
    """Which inputs equal each other where the program takes their difference.

    "prediction": a prediction and its label; "data": any two inputs that are neither; "": none.
    """
    single: str = ""
    """Which inputs it changes one at a time, while the others that it concerns stay calm.

    "any": all that it concerns; "compared": those of which the program takes a difference; "": it changes all at once.
    """
    opposed: bool = False
    """Whether, where the program takes the difference of two inputs, the second one has the opposite sign."""
    arm: int = 0
    """The arm of an `if`, `elif` chain that is taken where the conditions are unknown."""
    steps: int = 1
    """Number of iterations of a loop."""
    factors: int = 1
    """Number of factors of a product over an axis whose size the program leaves open."""
    rounds: bool = False
    """Whether differences of sums are slightly less than 0 where they cancel (`rounding.py`)."""
    flags: frozenset[str] = frozenset()
    """Names of the flags that differ from their defaults."""
    checks_zero: bool = False
    """Whether values are 0 that the program expects to be 0 (`zero_checks.py`), one group after the other."""
    side: str = ""
    """Position of inputs relative to a constant that the program compares them with: a side of `limits.py`."""
    missing: Change | None = None
    """The change that makes data missing (NaN) which the program checks for NaN."""
    padded_by: str = ""
    """Which inputs have padded rows: those that the program masks, by the key of `padding.py`."""
    spared: frozenset[int] = frozenset()
    """The numbers of input nodes that stay calm: an op that fails because of them would hide the ops behind it."""
    smallest_draw: bool = False
    """Whether a random number is the smallest one that can be drawn."""
    zeroes_outputs: bool = False
    """Whether outputs are exactly 0: those of layers whose kernels the program starts at 0, and no others."""
    of_metrics: bool = False
    """Whether it is about what metrics have counted, and changes no other state."""
    blanks_patches: bool = False
    """Whether one image or signal is 0, and so are convolutions of it, as they are until their biases are trained."""
    spares_fed_data_of: frozenset[str] = frozenset()
    """Roles for which it changes only what the program computes, and not data that is fed to it."""
    needs_exact_values: bool = True
    """Whether inputs equal a special number such as 0, which continuous data does only by chance."""
    of_any_shape: bool = False
    """Whether shapes decide nothing: it changes all numbers of a network, not a row, a mask or an input at a limit."""
    is_extreme: bool = False
    """Whether scores lie further from 0 than training often takes them.

    A bare exponential or quotient whose value fails only in such a situation is merely possible.
    """
    rarely_right: bool = False
    """Whether what fails in it is rarely a hazard of published code: less than one time in ten (docs/trials.md)."""

    @property
    def takes_equal_shapes(self) -> bool:
        """Whether it makes inputs equal, which takes equal shapes."""
        return bool(self.copies or self.equals or self.paired)

    @property
    def key(self) -> SituationKey:
        """What tells it from all others; sentences are for readers, and two situations may share one."""
        return self.name, self.arm, self.steps, self.flags, self.spared


NETWORK = (roles.FEATURES, roles.EMBEDDING, roles.OUTPUT)
"""Inputs and outputs of a network."""
SCORES = (roles.LOGITS, roles.OUTPUT, roles.WEIGHT, roles.ZERO_WEIGHT, roles.MINIMISED, roles.DRAWN_WEIGHT)
"""Scores, and the weights that make them large."""
CALM = Situation("calm", "an ordinary batch")
"""The situation that the others change: ordinary numbers for every input."""
FIRST_STEP = Situation(
    "first step", "the first step: all state is 0", {roles.STATE: changes.zeros}, of_any_shape=True, rarely_right=True
)
"""The situation whose resulting state the others start from."""
UNTRAINED = Situation(
    "untrained network",
    "an untrained network: what starts at 0 is still 0",
    {
        roles.OUTPUT: changes.zeros,
        roles.LOGITS: changes.zeros,
        roles.ACTIVATED: changes.zeros,
        roles.ZERO_WEIGHT: changes.zeros,
    },
    zeroes_outputs=True,
)
"""The situation before the first step."""
CONFIDENT: tuple[Situation, ...] = (
    Situation(
        "confident network",
        "a confident network: one score far above the others",
        {
            roles.LOGITS: changes.confident,
            roles.ACTIVATED: changes.saturated(changes.confident),
            roles.OUTPUT: changes.confident,
            roles.WEIGHT: changes.weights_large,
            roles.ZERO_WEIGHT: changes.weights_large,
            roles.MINIMISED: changes.weights_large,
            roles.DRAWN_WEIGHT: changes.weights_large,
            roles.PROBABILITY: changes.certain,
            roles.CLASS_PROBABILITIES: changes.certain,
            roles.LOG_PROBABILITY: lambda x: np.minimum(changes.signs(x) - 1.0, 0.0) * changes.CONFIDENT,
        },
        needs_exact_values=False,
        is_extreme=True,
        of_any_shape=True,
    ),
    Situation(
        "mistaken network",
        "a confident network that is wrong: another class scores far above the label",
        {
            roles.LOGITS: changes.mistaken,
            roles.OUTPUT: changes.mistaken,
            roles.PROBABILITY: changes.certainly_mistaken,
            roles.CLASS_PROBABILITIES: changes.certainly_mistaken,
        },
        needs_exact_values=False,
        is_extreme=True,
        of_any_shape=True,
    ),
    Situation(
        "one class for all",
        "a confident network that gives every example the same class",
        {
            roles.LOGITS: changes.alike,
            roles.OUTPUT: changes.alike,
            roles.CLASS_PROBABILITIES: lambda x: (changes.first_class(x) > 0).astype(float),
        },
        needs_exact_values=False,
        is_extreme=True,
        of_any_shape=True,
    ),
    Situation(
        "scores of one row",
        "an example whose scores are all far below those of the other examples",
        {roles.LOGITS: changes.first_low},
        needs_exact_values=False,
        is_extreme=True,
    ),
    Situation(
        "confidently negative",
        "a confident network: all scores far below 0",
        {
            roles.LOGITS: changes.all_low,
            roles.ACTIVATED: changes.saturated(changes.all_low),
            roles.OUTPUT: changes.all_low,
            roles.PROBABILITY: changes.zeros,
            roles.LOG_PROBABILITY: changes.all_low,
        },
        needs_exact_values=False,
        is_extreme=True,
        of_any_shape=True,
    ),
    Situation(
        "confidently positive",
        "a confident network: all scores far above 0",
        {
            roles.LOGITS: changes.all_high,
            roles.ACTIVATED: changes.saturated(changes.all_high),
            roles.OUTPUT: changes.all_high,
            roles.PROBABILITY: changes.ones,
        },
        needs_exact_values=False,
        is_extreme=True,
        of_any_shape=True,
    ),
    Situation(
        "confident and positive",
        "a confident network without negative scores: one score far above the others",
        dict.fromkeys((roles.LOGITS, roles.OUTPUT), lambda x: np.maximum(changes.confident(x), np.abs(x) + 0.1)),
        needs_exact_values=False,
        is_extreme=True,
        rarely_right=True,
        of_any_shape=True,
    ),
)
"""Scores so far from 0 that an exponential overflows, and a softmax is exactly 0."""


def _trained(one: Situation, name: str, sentence: str) -> Situation:
    """A situation of confident networks with the scores that training often reaches."""
    milder = {role: changes.milder(one.changes[role]) for role in SCORES if role in one.changes}
    if roles.ACTIVATED in one.changes:
        milder[roles.ACTIVATED] = changes.saturated(milder[roles.LOGITS])
    return replace(one, name=name, sentence=sentence, changes={**one.changes, **milder}, is_extreme=False)


AS_TRAINED = {
    "confident network": ("trained network", "a trained network: one score 60 above the others"),
    "mistaken network": (
        "trained but wrong",
        "a trained network that is wrong: another class scores 60 above the label",
    ),
    "one class for all": ("trained on one class", "a trained network that gives every example the same class"),
    "confidently negative": ("trained negative", "a trained network: all scores 30 below 0"),
    "confidently positive": ("trained positive", "a trained network: all scores 30 above 0"),
    "confident and positive": (
        "trained and positive",
        "a trained network without negative scores: one score 30 above the others",
    ),
}
"""The name and the sentence of each situation of confident networks with the scores of a trained one."""
TRAINED = tuple(_trained(one, *AS_TRAINED[one.name]) for one in CONFIDENT if one.name in AS_TRAINED)
SITUATIONS: tuple[Situation, ...] = (
    CALM,
    *TRAINED,
    *CONFIDENT,
    Situation(
        "dead network",
        "a dead network: all units are off",
        {
            roles.FEATURES: changes.zeros,
            roles.OUTPUT: changes.all_off,
            roles.WEIGHT: changes.biases_off,
            roles.ZERO_WEIGHT: changes.biases_off,
            roles.DRAWN_WEIGHT: changes.biases_off,
        },
        spares_fed_data_of=frozenset({roles.FEATURES}),
        of_any_shape=True,
    ),
    UNTRAINED,
    Situation(
        "blank patch",
        "a blank patch, or silence, in the first step: biases are 0, so a convolution gives 0",
        blanks_patches=True,
    ),
    Situation(
        "perfect prediction",
        "a prediction that equals its label",
        copies={
            **dict.fromkeys((roles.PROBABILITY, roles.CLASS_PROBABILITIES, roles.OUTPUT), (roles.LABELS,)),
            roles.LABELS: (roles.OUTPUT,),
        },
        equals=(roles.LABELS, roles.ROTATION),
        paired="prediction",
    ),
    Situation(
        "rightly nothing",
        "an example without a positive label and without a positive prediction",
        {
            roles.LABELS: changes.first_zero,
            roles.LOGITS: changes.milder(changes.first_low),
            roles.ACTIVATED: changes.saturated(changes.milder(changes.first_low)),
        },
        copies={roles.PROBABILITY: (roles.LABELS,), roles.OUTPUT: (roles.LABELS,)},
    ),
    Situation(
        "nothing to find",
        "a batch without a positive label and without a positive prediction",
        {
            roles.LABELS: changes.zeros,
            roles.LOGITS: changes.milder(changes.all_low),
            roles.ACTIVATED: changes.saturated(changes.milder(changes.all_low)),
        },
        copies={roles.PROBABILITY: (roles.LABELS,), roles.OUTPUT: (roles.LABELS,)},
        rarely_right=True,
    ),
    Situation("empty mask", "a mask that selects nothing", {roles.MASK: changes.zeros}, rarely_right=True),
    Situation("full mask", "a mask that selects everything", dict.fromkeys(roles.MASKS, changes.ones)),
    Situation(
        "padded row",
        "a row that is all padding",
        dict.fromkeys((roles.FEATURES, roles.RECORD), changes.first_zero),
        rarely_right=True,
    ),
    Situation(
        "absent class",
        "a batch in which one class does not occur",
        {roles.LABELS: changes.one_class, roles.INDICES: changes.zeros},
        rarely_right=True,
    ),
    Situation(
        "lone class",
        "an example that is the only one of its class",
        {roles.LABELS: changes.first_alone, roles.INDICES: changes.first_alone},
    ),
    Situation(
        "every label positive", "a batch with only positive labels", {roles.LABELS: changes.ones}, rarely_right=True
    ),
    Situation("no label", "a batch without a positive label", {roles.LABELS: changes.zeros}, rarely_right=True),
    Situation("real labels", "soft labels, strictly between 0 and 1", {roles.LABELS: changes.real}),
    Situation(
        "silence",
        "silence, or a black image",
        {roles.SIGNAL: changes.zeros, roles.IMAGE: changes.zeros},
        rarely_right=True,
    ),
    Situation("white image", "a white image: all pixels have their largest value", {roles.IMAGE: changes.ones}),
    Situation(
        "a silent row",
        "a batch with one silent recording, or one black image",
        {roles.SIGNAL: changes.first_zero, roles.IMAGE: changes.first_zero},
    ),
    Situation(
        "one silent signal",
        "one of two signals is silent in a recording, or one of two images black",
        {roles.SIGNAL: changes.one_silent, roles.IMAGE: changes.one_silent},
        single="any",
    ),
    Situation(
        "equal rows",
        "a batch of identical rows",
        dict.fromkeys((*NETWORK, roles.REWARD, roles.SIGNAL, roles.IMAGE), changes.rows_equal),
    ),
    Situation(
        "constant rows",
        "constant rows: all elements of a row are equal",
        dict.fromkeys((*NETWORK, roles.IMAGE, roles.SIGNAL, roles.REWARD), changes.rows_constant),
    ),
    Situation(
        "equal elements",
        "a constant input, such as a blank image",
        dict.fromkeys((*NETWORK, roles.IMAGE, roles.SIGNAL), changes.all_equal),
    ),
    Situation("no rotation", "no rotation: the identity", {roles.ROTATION: changes.unrotated}),
    Situation(
        "standing still",
        "a still camera: the same quaternion at every step",
        {roles.ROTATION: changes.standing_still},
    ),
    Situation("half turn", "a rotation by 180 degrees", {roles.ROTATION: changes.half_turned}),
    Situation(
        "rounded rotation",
        "no rotation: rounding leaves the product slightly above the identity",
        {roles.ROTATION: changes.unrotated_by_rounding},
        needs_exact_values=False,
    ),
    Situation(
        "quarter turn",
        "a rotation by 90 degrees: rounding leaves an entry of the product slightly above 1",
        {roles.ROTATION: changes.quarter_turned},
        needs_exact_values=False,
    ),
    Situation("points on a line", "equally spaced points on a line", {roles.COORDINATES: changes.on_a_line}),
    Situation(
        "equal inputs",
        "two equal inputs",
        copies={one: (one,) for one in (roles.FEATURES, roles.EMBEDDING, roles.ROTATION)},
        equals=(roles.FEATURES, roles.EMBEDDING),
        paired="data",
    ),
    Situation(
        "equal inputs, rounded",
        "equal points: rounding makes their distance slightly less than 0",
        copies={one: (one,) for one in (roles.FEATURES, roles.EMBEDDING)},
        equals=(roles.FEATURES, roles.EMBEDDING),
        paired="data",
        rounds=True,
        needs_exact_values=False,
    ),
    Situation(
        "far apart",
        "two scores that are far apart, with opposite signs",
        {roles.LOGITS: changes.all_high},
        opposed=True,
        needs_exact_values=False,
        is_extreme=True,
    ),
    Situation(
        "far apart the other way",
        "two scores that are far apart, with opposite signs, the lower one first",
        {roles.LOGITS: changes.all_low},
        opposed=True,
        needs_exact_values=False,
        is_extreme=True,
    ),
    Situation(
        "outlier",
        "outliers: two examples far from all others, in opposite directions",
        {roles.FEATURES: changes.far, roles.EMBEDDING: changes.far, roles.SIGNAL: changes.far},
        needs_exact_values=False,
    ),
    Situation(
        "outlier of one input",
        "outliers: two examples far from all those that another input holds",
        {roles.FEATURES: changes.far, roles.EMBEDDING: changes.far},
        single="compared",
        needs_exact_values=False,
    ),
    Situation(
        "checked for zero", "a value is 0, and the program checks for that", checks_zero=True, needs_exact_values=False
    ),
    Situation(
        "at a limit", "an input equal to a threshold or an epsilon in the code", side="at", needs_exact_values=False
    ),
    Situation(
        "below a limit", "an input below a threshold or an epsilon in the code", side="below", needs_exact_values=False
    ),
    Situation(
        "above a limit", "an input above a threshold or an epsilon in the code", side="above", needs_exact_values=False
    ),
    Situation(
        "no index", "an invalid index such as -1, which the program checks for", side=NONE, needs_exact_values=False
    ),
    Situation(
        "missing value",
        "a missing value (NaN), which the program checks for",
        side="missing",
        missing=changes.first_missing,
        needs_exact_values=False,
    ),
    Situation(
        "missing row",
        "an example whose values are all missing (NaN), which the program checks for",
        side="missing",
        missing=changes.row_missing,
        needs_exact_values=False,
    ),
    Situation(
        "nothing known",
        "a batch whose values are all missing (NaN), which the program checks for",
        side="missing",
        missing=changes.all_missing,
        needs_exact_values=False,
    ),
    Situation(
        "rare draw",
        "the smallest random number that can be drawn",
        smallest_draw=True,
        needs_exact_values=False,
        of_any_shape=True,
    ),
    Situation(
        "unused unit",
        "an unused unit: its weights are 0",
        {roles.WEIGHT: changes.row_zero, roles.ZERO_WEIGHT: changes.row_zero},
        rarely_right=True,
    ),
    Situation("minimised weight", "a weight vector that the loss has shrunk to 0", {roles.MINIMISED: changes.zeros}),
    Situation("many steps", "a loop after two hundred iterations", steps=200, needs_exact_values=False),
    Situation("long product", "a product of two hundred factors", factors=200, needs_exact_values=False),
    FIRST_STEP,
    Situation(
        "class never seen",
        "an evaluation in which the last class never occurs and is never predicted",
        {roles.STATE: changes.last_class_unseen},
        of_metrics=True,
    ),
    Situation("zero gradient", "a gradient of 0, as from saturated units", {roles.GRADIENT: changes.zeros}),
    Situation(
        "zero gradient of a row",
        "a weight whose gradient has been 0 since the first step",
        {roles.GRADIENT: changes.first_zero, roles.STATE: changes.zeros},
    ),
    Situation(
        "nothing counted",
        "all counts are 0",
        {roles.COUNT: lambda x: changes.zeros(x) if np.ndim(x) else x},
        rarely_right=True,
    ),
    Situation(
        "one never counted",
        "counts, one of which is 0",
        {roles.COUNT: lambda x: changes.first_zero(x) if np.ndim(x) else x},
        rarely_right=True,
    ),
    Situation("one counted", "a count of 1", {roles.COUNT: changes.ones}),
    Situation("no reward", "an episode without any reward", {roles.REWARD: changes.zeros}),
    Situation("second step", "the second step, after one example", {roles.STATE: changes.ones}),
)
"""What ordinary data does: a failure in one of these is likely."""
STARTING = frozenset(one.name for one in SITUATIONS if one.changes.get(roles.STATE) is changes.zeros)
"""The situations in which states are what they start as."""
