"""The beliefs about NaN in TensorFlow that proved false, each with what holds the linter to the truth.

`held_by` names programs of `rules/REJECTED.md`, and functions of rules as `rule.function`: a `quiet_...` one where the
belief makes an alarm of what is harmless, a `before...` one where it takes for harmless what is reported.
"""

from __future__ import annotations

from typing import NamedTuple


class Belief(NamedTuple):
    """One belief: its number, what is believed, and what shows that it is false."""

    number: int
    believed: str
    held_by: tuple[str, ...]


def _belief(number: int, believed: str, held_by: str) -> Belief:
    return Belief(number, believed, tuple(held_by.split()))


BELIEFS = (
    _belief(1, "a model that ends in a softmax and is compiled with `from_logits=True` takes the softmax twice",
            "logits_of_a_softmax_that_ends_a_model softmax-twice.before_reshaped"),
    _belief(2, "the loss of a softmax that ends a model is unstable", "loss_of_a_softmax_that_ends_a_model"),
    _belief(3, "a sparse loss of sigmoids breaks", "sparse_loss_of_sigmoids"),
    _belief(4, "the value of `1 / (1 + exp(-x))` is NaN",
            "sigmoid_by_hand_without_a_gradient sigmoid-as-quotient.before"),
    _belief(5, "a GELU by hand breaks for large inputs", "gelu_by_hand"),
    _belief(6, "the gradient of `svd` and `eigh` is NaN for repeated values", "repeated_eigenvalues"),
    _belief(7, "the gradient of `clip_by_norm` at 0 is NaN",
            "clip_by_norm_of_zeros global-norm-at-zero.before_clipped"),
    _belief(8, "the gradient of `reduce_prod` is wrong where a factor is 0",
            "product_with_a_zero cumprod-at-zero.before"),
    _belief(9, "the gradient of the magnitude of a complex 0 is NaN",
            "magnitude_of_a_silent_spectrum angle-at-zero.before"),
    _belief(10, "any norm is dangerous", "norms_without_a_root norm-at-zero.quiet_order_1"),
    _belief(11, "any power of 0 or of a negative number is dangerous", "powers_at_zero"),
    _belief(12, "a choice around a square root has a NaN gradient everywhere",
            "choice_around_a_square_root sqrt-under-xla.before_inside_a_where"),
    _belief(13, "a choice protects nothing from NaN", "choice_around_a_guarded_division choice_around_a_tangent"),
    _belief(14, "an epsilon behind a norm or a deviation does not help",
            "divided_by_a_norm_and_an_epsilon divided_by_a_deviation_and_an_epsilon"),
    _belief(15, "a mask multiplied by a logarithm is harmless, for XLA shows no NaN",
            "logarithm_times_its_mask log-relu.before"),
    _belief(16, "the logarithm of one minus a uniform draw reaches -inf", "log_of_one_minus_a_uniform_draw"),
    _belief(17, "an epsilon of 1e-20 in a Gumbel draw is lost in float32", "gumbel_draw_with_tiny_constants"),
    _belief(18, "a mask of -1e9 is NaN where everything is masked", "everything_masked mask-float16.before"),
    _belief(19, "Keras's attention is NaN where everything is masked", "keras_softmax_with_everything_masked"),
    _belief(20, "Keras's normalisation layers lose their epsilon in float16", "layer_normalisation_in_float16"),
    _belief(21, "Adam loses its epsilon under mixed precision", "step_of_an_optimiser"),
    _belief(22, "a float16 model that is compiled needs a scaled loss of its own", "scaled_loss"),
    _belief(23, "Keras's metrics divide by 0", "precision_of_nothing"),
    _belief(24, "Keras's losses of zeros are NaN", "keras_losses_of_zeros poisson-below-zero.before"),
    _belief(25, "a loss whose weights are all 0, or an empty segment, is NaN", "loss_with_weights_of_zero"),
    _belief(26, "a cross-entropy on huge logits is infinite", "cross_entropies_on_huge_logits"),
    _belief(27, "a sparse cross-entropy of logits of -inf is NaN", "sparse_cross_entropy_of_masked_logits"),
    _belief(28, "standardising a constant image divides by 0", "standardised_constant_image"),
    _belief(29, "the hue, the variation and the similarity of even images have NaN gradients", "even_images"),
    _belief(30, "a CTC loss without an alignment is infinite", "label_that_is_longer_than_its_frames"),
    _belief(31, "a warm-up schedule is infinite at step 0", "warm_up_at_step_zero"),
    _belief(32, "the mean of what a mask leaves poisons the gradient of what was masked",
            "sum_of_what_a_mask_leaves mean-of-nothing.before"),
    _belief(33, "an LSTM or GRU with a ReLU explodes", "recurrence_with_a_relu"),
    _belief(34, "zero weights are a mistake", "softmax_regression_from_zero"),
    _belief(35, "a learning rate of 1 is too high", "step_of_size_one"),
    _belief(36, "the log of a softmax that is only read out is -inf",
            "log_softmax_of_huge_logits log-softmax.before"),
    _belief(37, "`log1p(exp(x))` is a stable softplus",
            "softplus-by-hand.before_with_log1p softplus_of_a_negative_magnitude"),
    _belief(38, "`multiply_no_nan`, `where` and `nan_to_num` cure NaN", "nan-patched-late.before_replaced"),
    _belief(39, "an optimiser that divides by norms needs a guard for its gradient", "trust_ratio"),
    _belief(40, "roots, logarithms and quotients of positive expressions are dangerous",
            "roots_and_logarithms_of_positive_expressions"),
    _belief(41, "a graph turns x * 0 into 0, and hides NaN", "product_with_zero"),
    _belief(42, "moments in float16 overflow", "moments_in_float16"),
)  # fmt: skip
"""All of them, by number."""
