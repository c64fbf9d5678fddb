"""The roles of inputs, such as labels, a mask, a network's output or a setting, and the names that indicate them.

One table holds the words of names, by the conventions of the field. What else tells a role stands in `evidence.py` and
`by_use.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from tfnanlint.vocabulary import words_of

ACTIVATED = "input of an activation"
ASSUMED = "assumed"
BOX = "box"
CLASS_PROBABILITIES = "probabilities of classes, which add up to 1"
COORDINATES = "coordinates"
COUNT = "count"
DRAWN_LOG_PROBABILITY = "log probability of what was drawn"
DRAWN_WEIGHT = "weight that starts at random numbers"
EMBEDDING = "embedding"
FEATURES = "features"
GRADIENT = "gradient"
GRID = "grid"
IMAGE = "image"
INDICES = "indices"
LABELS = "labels"
LENGTHS = "lengths of sequences"
LOGITS = "logits"
LOG_PROBABILITY = "log probability"
MASK = "mask"
MINIMISED = "weight whose length is minimised"
NOISE = "noise"
NOTHING = "nothing known"
OUTPUT = "network output"
PADDING_MASK = "mask of padding"
POSITIVE = "positive"
PROBABILITY = "probability"
RECORD = "labels of several parts, such as a box and a flag"
REWARD = "reward"
ROTATION = "rotation"
SCALE = "scale of a distribution"
SETTING = "setting"
SIGNAL = "signal"
SIZE = "size"
SLOPE = "gradient that is never 0"
STATE = "state"
TRANSFORMATION = "transformation"
WEIGHT = "weight"
ZERO_WEIGHT = "weight that starts at 0"


@dataclass(frozen=True)
class Role:
    """The role of an input, and the evidence for it."""

    name: str
    evidence: str = ""
    by_name: bool = False
    """Whether a name is the only evidence."""
    by_letter: bool = False
    """Whether a single letter, or a word of `OF_LETTERS`, is the only evidence: `y` may be labels or any number."""


UNTOLD = Role(NOTHING)
COUNTED = "it is counted up to"
"""The evidence that a setting is the integer at which something ends, such as `range(n)`."""
DIVIDED = "it is divided into whole parts"
"""The evidence that a setting is an integer that the program divides by another one, such as `n // 2`."""
DIVISOR = "the program divides by it"
"""The evidence that a setting is no guard, however it is called: nothing is divided by an epsilon alone."""
OF_BYTES = "its numbers are those of bytes: it is divided by 255"
"""The evidence that an image has pixels from 0 to 255."""
ORDERED = "it numbers segments"
"""The evidence that indices never fall."""
SELECTS = "it selects"
"""The evidence that a mask is boolean."""
OF_LETTERS = frozenset({"actual"})
"""Words that say as little as a letter: `actual` may be labels, or numbers that were measured."""
DATA = frozenset(
    {
        NOTHING,
        FEATURES,
        EMBEDDING,
        LOGITS,
        ACTIVATED,
        LOG_PROBABILITY,
        DRAWN_LOG_PROBABILITY,
        OUTPUT,
        PROBABILITY,
        STATE,
        REWARD,
        POSITIVE,
        IMAGE,
        SIGNAL,
        COUNT,
        WEIGHT,
        ZERO_WEIGHT,
        DRAWN_WEIGHT,
        ROTATION,
        TRANSFORMATION,
        COORDINATES,
        GRADIENT,
        SLOPE,
    }
)
"""Roles of real numbers."""
NAMES: tuple[tuple[str, str], ...] = (
    (
        SETTING,
        (
            "eps epsilon tiny clip alpha beta gamma delta lambda lam tau temperature temp margin lr rate momentum "
            "decay coef coeff coefficient factor power axis axes dim dims keepdims name scope dtype training "
            "reduction smooth smoothing threshold tol tolerance order ord degree size num nb k depth seed "
            "stride strides steps warmup config cfg args options params hparams flags units channels height width "
            "iterations epochs "
            "level levels range ranges bound bounds constraint interval domain path paths folder "
            "dir subdir dirname parent directory file filename"
        ),
    ),
    (
        MASK,
        (
            "mask masks valid padding paddings keep weights weight positives negatives observed "
            "presence present visible missing adj adjacency edges"
        ),
    ),
    (
        PADDING_MASK,
        "nonpad nonpadding",
    ),
    (
        LABELS,
        (
            "true label labels lbl lbls target targets truth gt onehot hot actual expected classes relevance "
            "relevances interactions ratings category categories event events ytrue yt y"
        ),
    ),
    (
        LOGITS,
        "logit logits score scores energy energies",
    ),
    (
        LOG_PROBABILITY,
        "logprob logprobs logp logpi loglik ll",
    ),
    (
        PROBABILITY,
        "prob probs probability probabilities responsibilities softmax attn policy confidence confidences",
    ),
    (
        GRADIENT,
        "grad grads gradient gradients updates",
    ),
    (
        OUTPUT,
        (
            "pred preds prediction predictions predicted ypred yp estimate estimates estimated output outputs hat "
            "recon reconstruction reconstructed generated fake mu mean loc logvar value values qvalues qvals"
        ),
    ),
    (
        IMAGE,
        "image images img imgs frame frames pixels rgb picture patch patches",
    ),
    (
        SIGNAL,
        (
            "audio wav wavs mixture stem stems wave waveform waveforms signal signals speech pcm magnitude magnitudes "
            "spectrogram spectrograms mel stft spectrum spec specs clean noisy denoised clips recording recordings"
        ),
    ),
    (
        INDICES,
        "id ids idx idxs index indices indexes",
    ),
    (
        COUNT,
        "count counts degrees total occurrences histogram",
    ),
    (
        SIZE,
        "length lengths len lens sizes shape shapes",
    ),
    (
        REWARD,
        "reward rewards return returns td discount discounts advantage advantages adv advs",
    ),
    (
        STATE,
        "state states carry memory prev",
    ),
    (
        WEIGHT,
        "kernel bias filter filters table variable var theta w",
    ),
    (
        POSITIVE,
        (
            "sigma std stddev scale variance covariance cov precision concentration distance distances dist dists "
            "frequency radius squared square sq filterbank fbank pi mixing confusion wh hw ratio ratios"
        ),
    ),
    (
        NOISE,
        "noise noises perturbation jitter",
    ),
    (
        ROTATION,
        "rotation rotations rot rotmat quaternion quaternions quat quats",
    ),
    (
        TRANSFORMATION,
        (
            "matrix matrices pose poses camera transform intrinsics "
            "extrinsics direction directions normal normals ray rays"
        ),
    ),
    (
        COORDINATES,
        "position positions location locations coordinates coords",
    ),
    (
        GRID,
        "grid grids mesh meshgrid knot knots bins boundaries breakpoints thresholds",
    ),
    (
        EMBEDDING,
        "embedding embeddings emb embs latent latents",
    ),
    (
        FEATURES,
        (
            "x input inputs feature features feat feats h hidden z code codes "
            "observation observations obs query queries key keys q v data batch batches tensor tensors "
            "node nodes point points vector vectors vec a b u anchor anchors positive negative encoded "
            "activation activations left right source src reference references ref"
        ),
    ),
)
"""Conventional words in names, by role. If a word fits several roles, the first one counts."""
_ROLES = {word: role for role, words in reversed(NAMES) for word in words.split()}
_POSITIVE_NUMBER = re.compile(
    r"(?<!non-)\bpositive,? (?:real |float\w* |scalar |`)*(?:tensor|number|scalar|float|int)", re.I
)
"""How a docstring says that numbers are positive; positive examples are another matter."""
_END_OF_NOUN = re.compile(
    r"[.,;:(]|\b(?:of|to|for|across|over|per|along|by|with|that|which|whose|in|from|shape|containing)\b"
)
"""Ends the noun phrase at the start of a description: what follows only qualifies it."""
DEFAULT = re.compile(r"\bdefaults?\b\D{0,15}\d", re.IGNORECASE)
"""Where a docstring states a number as the default."""
GENERIC = frozenset("tensor tensors data batch input inputs array arrays value values list number".split())
"""Words in docstrings that fit any input."""
STATISTICS = frozenset("mu mean loc value values".split())
"""Words that say less at the end of a name than the word before them: an `image_mean` has the numbers of an image."""
ARRANGED = frozenset("matrix matrices".split())
"""Words that say how numbers are arranged: the word before says what they are, as in `distance_matrix`."""
OF_ROTATIONS = ARRANGED | frozenset("mat mats rotmat rotmats".split())
"""Words for a rotation that is given by a matrix."""
QUATERNIONS = frozenset("quaternion quaternions quat quats".split())
"""Words for a rotation that is given by a quaternion."""
ANCHORS = frozenset("anchor anchors prior priors".split())
"""Words for boxes that others are measured by."""
OF_NETWORKS = frozenset("trainable trained pretrained kernel layer layers model network hidden embedding".split())
"""Words before `weights` that say that they are those of a network, and not of examples."""
SEVERAL = frozenset("counts degrees occurrences histogram".split())
"""Words for a count of each of several things."""
MASKS = (MASK, PADDING_MASK)
"""Roles of inputs that select elements. A mask of padding may leave a row empty, and never a whole batch."""
OF_SEQUENCES = frozenset(
    (
        "pad padded padding seq seqs sequence sequences length lengths token tokens word words tgt dec enc decoder "
        "encoder attention attn key query src"
    ).split()
)
"""Words in the name of a mask that say that it hides the padding of sequences."""
MEASURED = frozenset({SIGNAL, IMAGE, REWARD, COUNT, PROBABILITY})
"""Roles whose statistics have the role as well."""
ENDS = frozenset("min max minimum maximum low high lower upper".split())
"""Words for an end of a range of values: `max_value` is a setting."""
BOUNDED = frozenset({MASK, POSITIVE, SIZE})
"""Roles of which a program states bounds, as in `max_weight`, `min_scale` and `max_length`."""
SPECIFIED = frozenset(
    "input output inference train eval model tensor layer network action observation time step data dataset env".split()
)
"""Words before `spec` for what is specified: `input_spec` is a setting, and `mel_spec` a spectrogram."""
SUMS = frozenset("sum sums total totals".split())
"""Words for a sum: that of a mask or of sample weights, as in `weight_sum`, is a count."""
DROPPING = frozenset("keep kept drop dropout dropped survival survive mask masking".split())
"""Words for dropout and masking, whose probability is a setting."""
AMBIGUOUS = frozenset("score scores energy energies".split())
"""Words for what a network computes, or for what is measured: a `true_energy` is a label."""
OF_LABELS = frozenset("true truth gt target targets label labels".split())
"""Words that say that the numbers behind or before them come with the data."""
SCALES = frozenset("var vars variance variances sigma sigmas std stds stddev scale scales".split())
"""Words for the scale of a distribution and its square."""
DEVIATIONS = SCALES - frozenset("var vars scale scales".split())
"""Words at the start of a name that say that it is the deviation or the variance of what is named behind them."""
EARLIER = frozenset("old prev previous behavior behaviour".split())
"""Words for the policy that drew the actions: under it, none of them was improbable."""
OLD = "old"
"""The one of them that joins the next word: `oldpi`."""
FED = frozenset("ph pl placeholder".split())
"""Words at the end of a name that say how the value is given."""
OBJECTS = frozenset("transformer scaler normalizer encoder decoder tokenizer loader model net fn func".split())
"""Words at the end of a name for what is called or computes: an `x_scaler` is no `x`."""
TIMES = frozenset("time times timestep timesteps t".split())
"""Words at the end of a name for when something happens, which is counted from 0: a `time_series` is no time."""
POPULATIONS = frozenset("positives negatives pos neg valid tokens words elements matches hits".split())
"""Things in the data that code counts: `num_tokens` is a count, and not a setting."""


def by_description(text: str) -> Role | None:
    """The role that a docstring indicates: by the last known word of the noun phrase at its start."""
    if _POSITIVE_NUMBER.search(text) is not None:
        return Role(POSITIVE, "its docstring says that it is positive")
    first = _END_OF_NOUN.split(text, maxsplit=1)[0]
    for word in reversed(words_of(first)):
        told = _ROLES.get(word) if word not in GENERIC and len(word) > 2 else None
        if told is not None:
            return Role(told, f"its name in the docstring, {first.strip()}", by_name=True)
    return None


def is_several(name: str) -> bool:
    """Whether a name is that of several counts: `counts` is, `count` and `num_positives` are not."""
    return not SEVERAL.isdisjoint(words_of(name))


def is_earlier(name: str) -> bool:
    """Whether a name is that of what an earlier policy gave: `old_logp`, `logp_old`, and `OLDPI` in one word."""
    words = words_of(name) or [""]
    return not EARLIER.isdisjoint((words[0], words[-1])) or (words[0].startswith(OLD) and len(words[0]) > len(OLD) + 1)


def is_log_scale(name: str) -> bool:
    """Whether a name is that of the logarithm of a scale or a variance: `z_logvar`, `log_std`."""
    words = words_of(name)
    joined = any(word.removeprefix("log") in SCALES for word in words if word.startswith("log"))
    return joined or any(one == "log" and other in SCALES for one, other in pairwise(words))


def is_hot(name: str) -> bool:
    """Whether a name says that labels are 0 and 1: `one_hot`, `multihot_labels`."""
    return any(word.endswith("hot") for word in words_of(name))


def is_of_scale(name: str) -> bool:
    """Whether a name is that of a scale, of a variance, or of what one is computed from: `running_var`, `var_sum`."""
    words = words_of(name)
    named = not SCALES.isdisjoint(words) or any(
        one == "standard" and other[:3] == "dev" for one, other in pairwise(words)
    )
    return named and not is_log_scale(name)


def _is_of_sequences(words: list[str]) -> bool:
    """Whether the words of a name are those of a mask that hides padding: `seq_mask`, `attention_mask`, `mask_ids`."""
    if words[-2:] == ["mask", "ids"]:
        return True
    return _singular(words[-1]) == "mask" and not OF_SEQUENCES.isdisjoint(words[:-1])


def _singular(word: str) -> str:
    """The singular of a word that may be a plural."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def by_name(name: str) -> Role | None:
    """The role that a name indicates: by its last word, else by its first, else by any."""
    words = words_of(name)
    if len(words) > 1 and (len(words[-1]) == 1 or words[-1] in FED):  # `prob_a` and `prob_b`, `labels_ph`
        words.pop()
    told = _by_words(words) if words else None
    if told is None:
        return None
    role, word = told
    return Role(role, f"its name, {name}", by_name=True, by_letter=len(word) == 1 or word in OF_LETTERS)


def _by_words(words: list[str]) -> tuple[str, str] | None:
    """The role that the words of a name indicate, and the word that decides."""
    first, last = words[0], words[-1]
    if first in ENDS and (last in ("value", "val", "values", "vals") or _ROLES.get(last) in BOUNDED):
        return SETTING, first
    if last in ("prob", "probability", "rate") and not DROPPING.isdisjoint(words[:-1]):
        return SETTING, last
    if last == "pred" or words[:2] == ["y", "pred"]:
        return OUTPUT, "pred"
    if last in ("weight", "weights") and not OF_NETWORKS.isdisjoint(words[:-1]):
        return WEIGHT, last
    if last == "var" and len(words) > 1:  # a variance; `var_x` is a variable
        return POSITIVE, last
    if first in DEVIATIONS and len(words) > 1 and "log" not in words:  # `std_labels`: of the labels
        return POSITIVE, first
    if first in ("num", "n") and len(words) > 1:
        return COUNT if last in POPULATIONS else SETTING, last
    if any(word == "log" and after.startswith("prob") for word, after in pairwise(words)):
        return DRAWN_LOG_PROBABILITY if first in EARLIER else LOG_PROBABILITY, "log"
    if last in TIMES:
        return POSITIVE, last
    if last in OBJECTS and len(words) > 1:
        return None
    if last in ENDS and any(_ROLES.get(word) in BOUNDED for word in words[:-1]):
        return SETTING, last
    if last in ("weight", "weights") and words[-2:-1] == ["class"]:  # set for each class, and no mask of examples
        return POSITIVE, last
    if last in ("spec", "specs") and not SPECIFIED.isdisjoint(words[:-1]):
        return SETTING, last
    if last in SUMS and any(_ROLES.get(word) == MASK for word in words[:-1]):
        return COUNT, last
    if _is_of_sequences(words):
        return PADDING_MASK, last
    further = [word for word in (first, *words[1:-1]) if word not in STATISTICS]
    order = (*further, last) if last in ARRANGED else (last, *further)
    told = [(role, word) for word in order if (role := _ROLES.get(word) or _ROLES.get(_singular(word)))]
    if told and told[0][1] in AMBIGUOUS and not OF_LABELS.isdisjoint(words):
        return LABELS, told[0][1]
    if told and last in STATISTICS:
        told = [one for one in told if one[0] in MEASURED] or told
    if told and told[0][0] == LOG_PROBABILITY and not EARLIER.isdisjoint(words):
        return DRAWN_LOG_PROBABILITY, told[0][1]
    return told[0] if told else None


def is_open(named: Role | None) -> bool:
    """Whether a name leaves open what a value holds: nothing is known by it, or no more than that it is data."""
    return named is None or named.name in (FEATURES, EMBEDDING)
