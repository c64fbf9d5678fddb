"""Functions of sound programs, each sound for a reason of its own, and beside it one that lacks the reason.

`quiet_*` is finite at its witness and not reported; `meant_*` is infinite there, as its exact value is, and not
reported either; `reported_*` is not finite at its witness, and reported. The witness is the defaults of the parameters.
"""

import numpy as np
import tensorflow as tf


def quiet_raised_where_it_is_zero(x=((0.0, 0.0), (3.0, 4.0))):
    norm = tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1))
    return 1.0 / (norm + 1.0 * tf.cast(tf.equal(norm, 0), tf.float32))


def reported_raised_elsewhere(x=((0.0, 0.0), (3.0, 4.0))):
    norm = tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1))
    return 1.0 / (norm + 1.0 * tf.cast(tf.equal(norm, 1), tf.float32))


def quiet_of_an_absolute_value_by_cases(x=(-200.0, 200.0)):
    size = tf.where(tf.convert_to_tensor(x) <= 0.0, -tf.convert_to_tensor(x), x)
    return tf.math.log(1.0 + tf.exp(-size))


def quiet_a_share_of_those_with_the_same_label(label=(3.0, 5.0, 3.0)):
    column = tf.expand_dims(label, -1)
    same = tf.cast(tf.equal(column, tf.transpose(column)), tf.float32)
    return same / tf.reduce_sum(same, 1, keepdims=True)


def reported_a_share_of_those_with_another_label(label=(3.0, 3.0, 3.0)):
    column = tf.expand_dims(label, -1)
    other = tf.cast(tf.not_equal(column, tf.transpose(column)), tf.float32)
    return other / tf.reduce_sum(other, 1, keepdims=True)


def quiet_a_share_of_the_largest(g=((0.0, 0.0), (1.0, 2.0))):
    g = tf.abs(g)
    largest = tf.where(tf.equal(g, tf.reduce_max(g, axis=1, keepdims=True)), 1.0, 0.0)
    return largest / tf.reduce_sum(largest, axis=1, keepdims=True)


def quiet_by_the_distance_of_two_grid_points(cutoff=(6.0,)):
    grid = np.linspace(0.0, cutoff, 4)
    return tf.cast(3.0 / (grid[1] - grid[0]) ** 2, tf.float32)


def quiet_by_a_part_of_what_was_stacked(size=(32.0, 64.0), scale=(0.5, 0.5), offset=(-1.0, -1.0)):
    info = tf.stack([tf.cast(size, tf.float32), tf.cast(scale, tf.float32), tf.nn.relu(offset)])
    return tf.constant([8.0, 8.0]) / info[1, :]


def reported_by_another_part_of_it(size=(32.0, 64.0), scale=(0.5, 0.5), offset=(-1.0, -1.0)):
    info = tf.stack([tf.cast(size, tf.float32), tf.cast(scale, tf.float32), tf.nn.relu(offset)])
    return tf.constant([8.0, 8.0]) / info[2, :]


def quiet_by_a_part_that_is_not_known(size=(32.0, 64.0), scale=(0.5, 0.5), offset=(-1.0, -1.0)):
    info = tf.stack([tf.cast(size, tf.float32), tf.cast(scale, tf.float32), tf.nn.relu(offset)], axis=1)
    return tf.constant([8.0, 8.0]) / info[:, 1]


def quiet_asserted(mask=((1.0, 0.0), (1.0, 1.0)), score=(2.0, 3.0)):
    count = tf.reduce_sum(tf.cast(tf.convert_to_tensor(mask) > 0.0, tf.float32), 1)
    counted = tf.debugging.Assert(tf.reduce_all(tf.greater(count, 0)), ["nothing is selected"])
    with tf.control_dependencies([counted]):
        return score / count


def quiet_where_a_lambda_is_made(record=(0.0, 0.0), limit=(1.0,)):
    norm = tf.norm(record)
    if norm > limit[0]:
        return tf.nest.map_structure(lambda part: part * limit[0] / norm, tf.convert_to_tensor(record))
    return tf.convert_to_tensor(record)


def quiet_counted_over_all_that_there_is(data=((1.0, 2.0), (3.0, 4.0))):
    total, correct = 0, 0
    for row in data:
        correct += tf.math.count_nonzero(tf.greater(row, 1.5), dtype=tf.int32)
        total += tf.shape(row)[0]
    return correct / tf.cast(total, tf.int32)


def reported_counted_over_some_of_it(data=((1.0, 2.0), (3.0, 4.0))):
    total, correct = 0, 0
    for row in data:
        correct += tf.math.count_nonzero(tf.greater(row, 9.5), dtype=tf.int32)
        total += tf.math.count_nonzero(tf.greater(row, 8.5), dtype=tf.int32)
    return correct / tf.cast(total, tf.int32)


def quiet_in_a_list_that_is_filled(words=("a", "bb")):
    matches, possible, precision = [0] * 2, [0] * 2, [0.0] * 2
    for word in words:
        matches[len(word) - 1] += 1
        possible[len(word) - 1] += 2
    for place in range(2):
        if possible[place] > 0:
            precision[place] = matches[place] / possible[place]
    return tf.constant(precision)


def quiet_a_share_of_draws(count=(3,)):
    draws = [tf.random.uniform([2, 1]) for _ in range(count[0])]
    total = tf.add_n(draws)
    return [draw / total for draw in draws]


def quiet_a_random_direction(size=(3, 4)):
    draw = tf.random.normal([size[0], size[1]])
    return draw * tf.math.rsqrt(tf.reduce_sum(tf.square(draw), axis=0, keepdims=True))


def quiet_a_direction_drawn_by_a_function_of_which_only_the_seed_is_known(like=(1.0, 2.0), step=(0.5,)):
    shape = tf.shape(like)
    draw = tf.random.stateless_parameterized_truncated_normal(shape, means=tf.zeros(shape), seed=[1, 2])
    parts = [part / step for part in (draw, draw + 1.0)]
    return tf.math.rsqrt(tf.add_n([tf.reduce_sum(part**2, axis=-1) for part in parts]))


def reported_of_data_that_is_shuffled(x=((0.0, 0.0), (3.0, 4.0))):
    row = tf.random.shuffle(x, seed=1)
    return tf.math.rsqrt(tf.reduce_sum(row**2, axis=-1))


def quiet_by_the_sums_of_a_matrix_that_is_written_out(x=((1.0, 2.0), (3.0, 4.0))):
    legal = tf.constant([[0.0, 1.0], [1.0, 1.0]])
    return x / tf.reduce_sum(legal, axis=-1, keepdims=True)


def quiet_by_the_length_of_an_axis_that_is_written_out(x=(1.0, 2.0)):
    up = tf.constant([0.0, 1.0])
    return x / tf.norm(up), up / tf.sqrt(tf.reduce_sum(tf.square(up)))


def reported_by_the_lengths_of_rows_that_are_written_out(x=(1.0, 2.0)):
    axes = tf.constant([[0.0, 0.0], [1.0, 1.0]])
    return x / tf.norm(axes, axis=-1)


def reported_by_sums_that_may_be_zero(x=((1.0, 2.0), (3.0, 4.0))):
    legal = tf.constant([[0.0, 0.0], [1.0, 1.0]])
    return x / tf.reduce_sum(legal, axis=-1, keepdims=True)


class OverflowTest:
    """A test of what is expected to overflow, and of what is expected to fail."""

    def compares_with_what_is_expected(self):
        large = np.random.uniform(1e4, 1e5, (2, 5))
        result = tf.exp(large)
        self.assertAllClose(result, np.exp(large))

    def expects_the_gradient_by_hand_to_be_nan(self):
        def by_hand(x):
            return tf.math.log(1.0 + tf.exp(x))

        class Layer(tf.keras.layers.Layer):
            def call(self, x):
                return by_hand(x)

        x = tf.constant(100.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = Layer()(x)
        gradient = tape.gradient(y, x)
        self.assertTrue(tf.math.is_nan(gradient).numpy())  # noqa: PT009

    def expects_a_failure(self):
        with self.assertRaises(ValueError):  # noqa: PT027
            tf.debugging.check_numerics(tf.math.log(tf.zeros([2])), "a log of 0")


def shared_by(op):
    chosen = tf.cast(tf.equal(tf.expand_dims(op.outputs[0], -1), op.inputs[0]), tf.float32)
    return chosen / tf.reduce_sum(chosen, 1, keepdims=True)


def quiet_by_a_whole_number(x=(1.0, 2.0)):
    return x / tf.cast(tf.cast(tf.reduce_prod([1]), tf.int32), tf.float32)


def quiet_by_the_rest_of_a_draw(x=(1.0, 2.0)):
    draw = tf.random.uniform([2], minval=-0.25, maxval=0.5)
    return x / (0.5 - tf.abs(draw))


def quiet_by_the_length_of_all_sequences(x=((1.0, 2.0), (3.0, 4.0)), lengths=(0, 2)):
    mask = tf.sequence_mask(lengths, 2, tf.float32)
    return tf.reduce_sum(x) / tf.reduce_sum(mask)


def reported_by_the_length_of_each(x=((1.0, 2.0), (3.0, 4.0)), lengths=(0, 2)):
    mask = tf.sequence_mask(lengths, 2, tf.float32)
    return x / tf.reduce_sum(mask, axis=1, keepdims=True)


def quiet_capped(x=(0.0, 0.0), limit=(1.0,)):
    return x * tf.minimum(limit / tf.norm(x), 1.0)


def reported_capped_from_below(x=(0.0, 0.0), limit=(1.0,)):
    return x * tf.maximum(limit / tf.norm(x), 1.0)


def quiet_looked_at_before_it_is_used(a=((0.0, 0.0),), b=((0.0, 0.0),)):
    overlap = tf.reduce_sum(tf.nn.relu(a)) / tf.reduce_sum(tf.nn.relu(b))
    if not tf.math.is_nan(overlap):
        return overlap
    return tf.constant(0.0)


def reported_used_without_a_look(a=((0.0, 0.0),), b=((0.0, 0.0),)):
    return tf.reduce_sum(tf.nn.relu(a)) / tf.reduce_sum(tf.nn.relu(b))


def quiet_asked_for_its_type_only(x=(0.0, 1.0)):
    return tf.zeros([2], (tf.convert_to_tensor(x) / tf.reduce_sum(tf.nn.relu(x))).dtype)


class Other:
    """An object that nothing is known of."""

    logits = tf.constant([[0.0, 200.0]])


def quiet_shifted_by_the_maximum_of_an_attribute(other=Other):
    shifted = other.logits - tf.reduce_max(other.logits, axis=-1, keepdims=True)
    return tf.math.log(tf.reduce_sum(tf.exp(shifted), axis=-1, keepdims=True))


def quiet_the_best_of_many(logits=((0.0, 200.0, 190.0),)):
    return tf.math.top_k(tf.math.log(tf.nn.softmax(logits)), k=2)[0] * tf.constant([1.0, 0.0])


def meant_a_mask_in_log_space(score=(1.0, 2.0), length=(1,)):
    mask = tf.sequence_mask(length[0], 2, tf.float32)
    return score + tf.math.log(mask)


def reported_a_mask_times_its_log(length=(1,)):
    mask = tf.sequence_mask(length[0], 2, tf.float32)
    return mask * tf.math.log(mask)


def meant_too_large_for_its_type(logits=(-120.0, 3.0)):
    logits = tf.convert_to_tensor(logits)
    return tf.exp(-logits) / tf.sigmoid(logits)


def reported_not_too_large_for_it(logits=(-120.0, 3.0)):
    return tf.nn.softplus(logits) / tf.sigmoid(tf.convert_to_tensor(logits))


def quiet_a_share_gathered_where_both_are_positive(mass=((0.0, 0.0), (0.0, 1.0)), rest=((0.0, 0.0), (2.0, 1.0))):
    one, other = tf.reduce_sum(tf.abs(mass), axis=1), tf.reduce_sum(tf.abs(rest), axis=1)
    share = 2.0 * tf.math.log(one / (one + other))
    return tf.gather_nd(share, tf.where(tf.greater(one, 0.0) & tf.greater(other, 0.0)))


def quiet_a_share_kept_where_the_total_is_positive(mass=((0.0, 0.0), (0.0, 1.0))):
    total = tf.reduce_sum(tf.abs(mass), axis=1)
    return tf.boolean_mask(1.0 / total, total > 0.0)


def quiet_the_log_of_what_is_positive(x=(-1.0, 2.0)):
    found = tf.nn.relu(x)
    return tf.math.log(found[found > 0.0]), tf.math.log(tf.gather_nd(found, tf.where(tf.abs(found) > 1e-3)))


def quiet_the_log_of_what_a_mask_makes_positive(x=(-1.0, 2.0)):
    found = tf.nn.relu(x)
    return tf.math.log(tf.gather(found, tf.where(found > 0.0)[:, 0]))


def reported_the_log_of_what_is_chosen_by_something_else(x=(-1.0, 2.0), mask=(True, True)):
    return tf.math.log(tf.boolean_mask(tf.nn.relu(x), mask))


def reported_a_share_gathered_where_something_else_is(mass=((0.0, 0.0), (0.0, 1.0)), rest=((5.0, 0.0), (2.0, 1.0))):
    total, other = tf.reduce_sum(tf.abs(mass), axis=1), tf.reduce_sum(tf.abs(rest), axis=1)
    return tf.gather_nd(1.0 / total, tf.where(other > 0.0))


def reported_a_share_that_is_also_read_elsewhere(mass=((0.0, 0.0), (0.0, 1.0))):
    total = tf.reduce_sum(tf.abs(mass), axis=1)
    share = 1.0 / total
    return tf.boolean_mask(share, total > 0.0), tf.reduce_sum(share)


def _exponential(x):
    kind = getattr(x, "dtype", None)
    return tf.exp(tf.cast(x, kind))


def _exponential_beside_what_it_is_of(x):
    given = np.copy(x)
    return tf.exp(x), given


def quiet_handed_to_a_function_that_asks_for_its_type(x=(-1.0, 2.0)):
    return _exponential(tf.math.log(tf.nn.relu(x)))


def reported_handed_to_a_function_that_hands_it_on(x=(-1.0, 2.0)):
    return _exponential_beside_what_it_is_of(tf.math.log(tf.nn.relu(x)))


def reported_by_a_window_that_is_data(frames=((1.0, 2.0),), window=(0.0, 0.0)):
    return Windowed()(tf.convert_to_tensor(frames), tf.convert_to_tensor(window))


class Windowed(tf.keras.layers.Layer):
    """A layer that is called on frames and a window."""

    def call(self, frames, window):
        return tf.stop_gradient(frames * window / tf.sqrt(tf.reduce_sum(tf.square(window))))


def quiet_by_a_window_that_sets_a_layer_up(frames=((1.0, 2.0),)):
    return Window((0.5, 1.0))(tf.convert_to_tensor(frames))


class Window(tf.keras.layers.Layer):
    """A layer that is set up with a window."""

    def __init__(self, window, **kwargs):
        super().__init__(**kwargs)
        self.window = window

    def get_config(self):
        return {**super().get_config(), "window": self.window}

    def call(self, frames):
        window = tf.convert_to_tensor(self.window)
        return tf.stop_gradient(frames * window / tf.sqrt(tf.reduce_sum(tf.square(window))))


def quiet_by_what_an_initializer_is_given():
    return Scaled((1.0, 2.0))((2, 3))


class Scaled(tf.keras.initializers.Initializer):
    """An initializer that is set up with gains, of which it takes as many as there are rows."""

    def __init__(self, gains):
        self.gains = tf.convert_to_tensor(gains)

    def __call__(self, shape, dtype=None):
        return tf.ones(shape) / tf.norm(self.gains[: shape[0]])


def quiet_by_the_spread_of_draws(size=(4,)):
    draws = tf.random.Generator.from_seed(1).normal([size[0]])
    draws = draws - tf.reduce_min(draws)
    return draws / tf.reduce_max(draws)


def reported_by_the_spread_of_anything(x=(3.0, 3.0)):
    x = x - tf.reduce_min(x)
    return x / tf.reduce_max(x)


def reported_the_log_of_the_spread_of_draws(size=(4,)):
    draws = tf.random.Generator.from_seed(1).normal([size[0]])
    return tf.math.log(draws - tf.reduce_min(draws))


def quiet_the_direction_of_a_weight(x=((1.0, 2.0),), size=(0.1,)):
    weight = tf.Variable(tf.random.normal([2, 3]) * size[0])
    return tf.matmul(x, weight / tf.norm(weight, axis=0, keepdims=True))


def reported_the_direction_of_a_weight_that_starts_at_zero(x=((1.0, 2.0),)):
    weight = tf.Variable(tf.zeros([2, 3]))
    return tf.matmul(x, weight / tf.norm(weight, axis=0, keepdims=True))


def reported_by_the_distance_to_a_weight(x=((1.0, 2.0),)):
    centre = tf.Variable(tf.random.normal([1, 2]))
    centre.assign(x)  # what is trained comes to be what it is compared with
    away = x - centre
    return away / tf.norm(away, axis=-1, keepdims=True)


def quiet_by_what_is_above_the_least_of_the_largest(x=((3.0, 1.0, 2.0), (0.0, 0.0, 0.0)), k=(1,)):
    largest, _ = tf.math.top_k(x, k[0] + 1)
    kept = tf.nn.relu(x - tf.reduce_min(largest, axis=-1, keepdims=True) + 1e-12)
    return kept / tf.reduce_sum(kept, axis=-1, keepdims=True)


def reported_by_what_is_above_the_largest(x=((3.0, 1.0, 2.0), (0.0, 0.0, 0.0))):
    kept = tf.nn.relu(tf.convert_to_tensor(x) - tf.reduce_max(x, axis=-1, keepdims=True))
    return kept / tf.reduce_sum(kept, axis=-1, keepdims=True)


def quiet_where_one_is_larger(first=(1.0, 1.0), last=(3.0, 3.0)):
    first, last = tf.nn.relu(first[0]), tf.nn.relu(last[0])
    if last > first + 1.0:
        return 1.0 / (last - first)
    return tf.constant(0.0)


def reported_where_another_is_larger(first=(3.0,), last=(3.0,), other=(4.0,)):
    first, last = tf.nn.relu(first[0]), tf.nn.relu(last[0])
    if other[0] > 1.0:
        return 1.0 / (last - first)
    return tf.constant(0.0)


def pitch(frequency):
    return tf.where(tf.less_equal(frequency, 0.0), 0.0, tf.math.log(tf.maximum(frequency, 1e-3)))


def quiet_between_two_limits(x=(1.0,), least=(20.0,), most=(90.0,)):
    return x / (pitch(tf.convert_to_tensor(most)) - pitch(tf.convert_to_tensor(least)))


def quiet_by_the_norm_of_numbers(x=((1.0, 2.0),)):
    written = np.array([[0.28, -0.96]])
    return tf.convert_to_tensor(x) / tf.norm(tf.constant(written, tf.float32))


class Rate:
    """What happened so far, and when."""

    def __init__(self):
        self.seen = []

    def add(self, time, count):
        self.seen.append((time, count))
        (first, least), (last, most) = self.seen[0], self.seen[-1]
        return (most - least) / (last - first) if last > first else 0.0


def quiet_raised_by_a_whole_number_where_it_is_zero(x=((0.0, 0.0), (3.0, 4.0))):
    norm = tf.sqrt(tf.reduce_sum(tf.square(x), axis=-1))
    return 1.0 / (norm + 1 * tf.cast(tf.equal(norm, 0), tf.float32))


def quiet_by_the_norm_of_an_identity(x=((1.0, 2.0), (3.0, 4.0))):
    one = tf.eye(2)
    return x - one / tf.norm(one)


def quiet_by_a_row_of_numbers(x=((1.0, 2.0),)):
    sizes = tf.constant([[[32.0, 32.0], [1.0, 1.0], [0.0, 0.0]]])
    return x / sizes[:, 1:2, :]


def reported_by_a_row_of_zeros(x=((1.0, 2.0),)):
    sizes = tf.constant([[[32.0, 32.0], [1.0, 1.0], [0.0, 0.0]]])
    return x / sizes[:, 2:, :]


def quiet_a_mean_over_all_sequences(x=((1.0, 2.0), (3.0, 4.0)), lengths=(0, 2)):
    mask = tf.sequence_mask(lengths, 2, tf.float32)
    return tf.reduce_sum(x * mask) / tf.reduce_sum(mask)


def reported_a_mean_over_each_sequence(x=((1.0, 2.0), (3.0, 4.0)), lengths=(0, 2)):
    mask = tf.sequence_mask(lengths, 2, tf.float32)
    return tf.reduce_sum(x * mask, axis=1) / tf.reduce_sum(mask, axis=1)


def quiet_a_mean_over_the_largest(x=((1.0, 2.0, 0.0),)):
    _, places = tf.math.top_k(x, k=2)
    chosen = tf.one_hot(places, 3, axis=1)
    return tf.reduce_sum(tf.expand_dims(x, 2) * chosen) / tf.reduce_sum(chosen)


def reported_a_mean_over_those_with_a_label(x=((1.0, 2.0, 0.0),), label=((-1,),)):
    chosen = tf.one_hot(label, 3, axis=1)
    return tf.reduce_sum(tf.expand_dims(x, 2) * chosen) / tf.reduce_sum(chosen)


def meant_a_ratio_of_signal_and_noise(true=(1.0, 2.0), found=(1.0, 2.0)):
    noise = tf.reduce_mean(tf.math.squared_difference(true, found))
    return 10.0 * tf.math.log(1.0 / noise)


def reported_a_ratio_of_noise_and_noise(true=(1.0, 1.0), found=(1.0, 1.0)):
    noise = tf.reduce_mean(tf.math.squared_difference(true, found))
    return 10.0 * tf.math.log(tf.math.reduce_variance(true) / noise)


def quiet_the_log_of_the_same_draws(size=(4,)):
    return tf.math.log(tf.random.stateless_uniform([size[0]], seed=(1, 2)))


def quiet_but_where_a_test_provokes_it(x=(3.0,)):
    return tf.math.log(tf.convert_to_tensor(x) - 2.0)


class ProvokingTest:
    """A test that provokes a NaN in what it calls."""

    def expects_a_nan(self):
        self.assertTrue(tf.math.is_nan(quiet_but_where_a_test_provokes_it(tf.constant([1.0]))).numpy().item())  # noqa: PT009


class Clipped:
    """A model that is trained on clipped gradients."""

    def compute_loss(self, optimizer, loss, weights):
        gradients = optimizer.compute_gradients(loss)
        clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in gradients], 5.0)
        step = optimizer.apply_gradients(zip(clipped, weights, strict=True))
        return loss, step


class State:
    """What is counted."""

    step = 0


def quiet_since_the_last_count(state=State):
    mark = state.step
    for _ in range(3):
        state.step += 1
        mean = 1.0 / (state.step - mark)
    return tf.constant(mean)


def reported_by_the_size_of_a_weight_that_is_minimised(x=((1.0, 2.0),), size=(0.0,)):
    weight = tf.Variable(tf.random.normal([2, 3]) * size[0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.matmul(x, weight)) + tf.norm(weight)
    return tape.gradient(loss, weight)


def reported_by_the_length_of_a_weight_that_is_minimised(x=((1.0, 2.0),), size=(0.0,)):
    weight = tf.Variable(tf.random.normal([2, 3]) * size[0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.matmul(x, weight)) + tf.sqrt(tf.reduce_sum(tf.square(weight)))
    return tape.gradient(loss, weight)


def quiet_of_the_inverse_of_a_factor(k=((2.0, 0.5), (0.5, 2.0))):
    root = tf.linalg.triangular_solve(tf.linalg.cholesky(k), tf.eye(2)[None, :, :] * tf.ones((1, 1, 1)))
    return tf.linalg.cholesky(tf.matmul(root, root, transpose_a=True))


def reported_of_the_solution_for_a_vector(k=((2.0, 0.5), (0.5, 2.0)), y=((1.0, 2.0), (2.0, 4.0))):
    root = tf.linalg.triangular_solve(tf.linalg.cholesky(k), y)
    return tf.linalg.cholesky(tf.matmul(root, root, transpose_a=True))


def quiet_by_the_norm_of_a_rule_that_has_a_table_for_default(rule=((0.0, 1.0), (0.5, 0.5))):
    if rule is None:
        points, weights = np.polynomial.hermite.hermgauss(8)
        return points, weights / np.linalg.norm(weights, ord=1)
    points, weights = tuple(rule)
    weights = tf.convert_to_tensor(weights)
    return points, weights / tf.norm(weights, ord=1)


def reported_by_the_norm_of_weights_that_are_all_alike_by_default(x=(1.0, 2.0), weights=(0.0, 0.0)):
    if weights is None:
        weights = np.ones(2, "float32")
    weights = tf.convert_to_tensor(weights)
    return weights / tf.norm(weights, ord=1)


def quiet_by_a_norm_at_which_no_gradient_comes_back(x=((0.0, 0.0), (3.0, 4.0))):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.math.divide_no_nan(x, tf.norm(x, axis=-1, keepdims=True)))
    return tape.gradient(loss, x)


def quiet_by_a_deviation_at_which_no_gradient_comes_back(x=((1.0, 2.0), (1.0, 4.0))):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.math.divide_no_nan(x - tf.reduce_mean(x, axis=0), tf.math.reduce_std(x, axis=0)))
    return tape.gradient(loss, x)


def reported_by_a_norm_of_another_order(x=((0.0, 0.0), (3.0, 4.0))):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.math.divide_no_nan(x, tf.norm(x, ord=3, axis=-1, keepdims=True)))
    return tape.gradient(loss, x)


def reported_beside_a_norm_at_which_none_comes_back(x=((0.0, 0.0), (3.0, 4.0))):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        size = tf.norm(x, axis=-1, keepdims=True)
        loss = tf.reduce_sum(tf.math.divide_no_nan(x, size)) + tf.reduce_sum(size)
    return tape.gradient(loss, x)


def quiet_raised_where_it_is_small(logits=(200.0, 0.0)):
    share = tf.nn.softmax(logits)
    return tf.math.log(share + tf.cast(tf.less(share, 1e-6), tf.float32) * 1e-6)


def reported_raised_where_it_is_large(logits=(200.0, 0.0)):
    share = tf.nn.softmax(logits)
    return tf.math.log(share + tf.cast(tf.greater(share, 1e-6), tf.float32) * 1e-6)


def quiet_by_a_draw_of_many_bits(size=(3,)):
    return tf.constant(1.0 / np.random.rand(size[0]))


def quiet_by_the_norm_of_a_start(start=None):
    if start is None:
        start = tf.random.normal([3])
    return start / tf.norm(start)


def reported_by_the_norm_of_what_noise_is_added_to(x=((0.0, 0.0),), noisy=False):
    x = tf.convert_to_tensor(x)
    if noisy:
        x = x + tf.random.normal([1, 2])
    return x / tf.norm(x)


@tf.function
def quiet_where_the_difference_is_used_elsewhere(logit=(20.0, -20.0)):
    p = tf.sigmoid(tf.convert_to_tensor(logit))
    return (1.0 - p) * tf.math.log(1.0 - p + 1e-15)


@tf.function
def reported_where_it_is_not(logit=(20.0, -20.0), y=(0.0, 1.0)):
    p = tf.sigmoid(tf.stack([logit[0] + tf.random.uniform([]), logit[1]]))
    return (1.0 - tf.convert_to_tensor(y)) * tf.math.log(1.0 - p + 1e-15)


def quiet_by_the_choice_of_an_unknown_function(x=(0.0, 0.0)):
    choose = getattr(tf, "wh" + "ere")
    size = tf.norm(x)
    return choose(size > 0.0, 1.0 / size, 1.0)


def reported_without_the_choice(x=(0.0, 0.0)):
    double = getattr(tf, "ad" + "d_n")
    size = tf.norm(x)
    return double([1.0 / size, 1.0 / size])


def quiet_compared_with_itself(x=(-1.0, 8.0)):
    bits = tf.math.log(tf.nn.relu(x)) / np.log(2.0)
    return tf.where(bits > 0.0, bits, 0.0)


def reported_compared_with_nothing(x=(-1.0, 8.0)):
    return tf.math.log(tf.nn.relu(x)) / np.log(2.0)


def quiet_a_power_iteration(matrix=((0.5, 0.2), (0.5, 0.8))):
    v = tf.ones_like(matrix)[0] / tf.norm(tf.ones_like(matrix)[0])
    for _ in range(20):
        v = tf.linalg.matvec(matrix, v)
        v = v / tf.norm(v)
    return tf.abs(v) / tf.reduce_sum(tf.abs(v))


def reported_of_the_matrix_itself(matrix=((0.0, 0.0), (0.0, 0.0))):
    return tf.abs(matrix) / tf.reduce_sum(tf.abs(matrix))


def quiet_by_how_many_are_encoded(label=(0, 1, 0)):
    count = tf.reduce_sum(tf.one_hot(label, 3), axis=0)
    return count / tf.reduce_sum(count)


def reported_by_how_many_are_of_a_kind(label=(0, 1, 0)):
    return 1.0 / tf.reduce_sum(tf.one_hot(label, 3), axis=0)


def quiet_by_a_number_that_is_looked_up(kind=(1, 2)):
    days = tf.where(tf.equal(kind, 1), 7.0, tf.where(tf.equal(kind, 2), 30.0, 0.0))
    return 1.0 / days


def reported_by_a_number_or_none(kind=(1, 2)):
    return 1.0 / tf.where(tf.equal(kind, 1), 7.0, 0.0)


def reported_where_the_mask_may_keep_nothing(x=(200.0, -300.0, 300.0), mask=(0.0, 0.0, 0.0)):
    kept = tf.where(tf.greater(mask, 0.0), x, tf.reduce_min(x) - 1.0)
    kept = kept - tf.reduce_max(kept)
    return tf.math.log(tf.reduce_sum(tf.exp(kept) * mask))


def quiet_a_reciprocal_root_with_a_bound(x=(0.0, 0.0)):
    return x * tf.minimum(0.99 * tf.math.rsqrt(tf.reduce_sum(tf.square(x))), 1.0)


def reported_a_reciprocal_root_without(x=(0.0, 0.0)):
    return x * (0.99 * tf.math.rsqrt(tf.reduce_sum(tf.square(x))))


def quiet_a_kernel_that_its_layer_draws(x=((1.0, 2.0),)):
    class Scaled(tf.keras.layers.Dense):
        def call(self, inputs):
            return tf.matmul(inputs, self.kernel / tf.norm(self.kernel))

    return Scaled(3)(tf.constant(x))


def reported_what_a_layer_is_given(x=((0.0, 0.0),)):
    class Scaled(tf.keras.layers.Dense):
        def call(self, inputs):
            return tf.matmul(inputs / tf.norm(inputs), self.kernel)

    return Scaled(3)(tf.constant(x))


def quiet_by_numbers_and_draws(count=3):
    weights = [place + 1.0 if place else tf.random.uniform([1])[0] for place in range(count)]
    return tf.stack(weights) / tf.reduce_sum(weights)


def quiet_what_a_model_is_made_with(x=(1.0, 2.0)):
    class Spline(tf.keras.layers.Layer):
        def __init__(self, domain, bins):
            super().__init__()
            self.domain, self.bins = domain, bins

        def call(self, inputs):
            width = (self.domain[1] - self.domain[0]) / self.bins
            return tf.nn.softplus(inputs + tf.math.log(tf.exp(width) - 1.0))

    return Spline((-5.0, 5.0), 16)(tf.constant(x))


def quiet_a_table_beside_the_loss(x=(0.0, 0.0)):
    def squared_loss(y):
        return tf.reduce_mean(tf.square(y)), {"size": tf.norm(y)}

    return squared_loss(x)[0]


def reported_in_the_loss(x=(0.0, 0.0)):
    def size_loss(y):
        return tf.norm(y), {"mean": tf.reduce_mean(y)}

    with tf.GradientTape() as tape:
        x = tf.convert_to_tensor(x)
        tape.watch(x)
        loss = size_loss(x)[0]
    return tape.gradient(loss, x)


def quiet_a_share_of_the_largest_probability(logits=((300.0, 0.0), (0.0, 0.0))):
    p = tf.nn.softmax(logits)
    return p / tf.reduce_max(p, axis=-1, keepdims=True)


def reported_odds_of_the_largest_probability(logits=((300.0, 0.0), (0.0, 0.0))):
    p = tf.reduce_max(tf.nn.softmax(logits), axis=-1)
    return p / (1.0 - p)


def quiet_a_reciprocal_that_is_clipped(x=(0.0, 0.0), limit=1e3):
    return tf.clip_by_value(1.0 / tf.reduce_sum(tf.square(x)), -limit, limit)


def meant_a_ratio_in_decibels(true=(1.0, 2.0), found=(1.0, 2.0)):
    return -10.0 * tf.math.log(tf.reduce_mean(tf.square(tf.subtract(true, found)))) / np.log(10.0)


def reported_the_logarithm_of_an_error(true=(1.0, 2.0), found=(1.0, 2.0)):
    return 10.0 * tf.math.log(tf.reduce_mean(tf.square(tf.subtract(true, found)))) / np.log(10.0)


def quiet_asked_whether_it_is_a_number(a=(1.0, 1.0), b=(1.0, 1.0), slope=(1.0, 1.0)):
    slope = tf.convert_to_tensor(slope)
    width = tf.norm(tf.subtract(a, b))
    bend = slope / width
    lowest = -slope / (2.0 * bend) + a
    return tf.where(tf.logical_or(tf.math.is_nan(lowest), bend <= 0.0), a, -slope / (2.0 * bend) + a)


def meant_a_ratio_of_a_maximum_and_an_error(true=(1.0, 2.0), found=(1.0, 2.0)):
    error = tf.reduce_sum(tf.math.squared_difference(true, found)) / tf.cast(tf.size(found), tf.float32)
    return 10.0 * tf.math.log(1.0 / error) / tf.math.log(10.0)


def quiet_clipped_to_bounds_of_which_nothing_is_known(x=(300.0, 1.0), limit=(13.0, 13.0)):
    return tf.math.log(tf.exp(tf.clip_by_value(x, -tf.abs(limit), tf.abs(limit))) + 1.0)


def reported_a_masked_mean_with_a_minus(mask=((0.0, 0.0),), loss=((1.0, 2.0),), weight=((1.0, 1.0),)):
    return -tf.reduce_sum(tf.convert_to_tensor(mask) * weight * loss) / tf.reduce_sum(mask)


def reported_the_weight_of_a_class_that_is_absent(label=((0.0, 0.0),), p=((0.5, 0.5),)):
    weight = 1.0 / tf.reduce_sum(label, axis=1) ** 2
    return tf.reduce_sum(tf.convert_to_tensor(label) * p, axis=1) * weight


def quiet_a_mean_weighed_by_exponentials(score=((0.0, 0.0),), loss=((1.0, 2.0),)):
    weight = tf.exp(tf.convert_to_tensor(score))
    return -tf.reduce_sum(weight * loss) / tf.reduce_sum(weight)


def reported_a_mean_over_the_places_of_a_mask(x=(1.0, 2.0), y=(1.0, 2.0), mask=(False, False)):
    places = tf.where(mask)
    return tf.reduce_mean(tf.square(tf.gather_nd(x, places) - tf.gather_nd(y, places)))


def reported_a_mean_over_what_is_larger(x=(1.0, 2.0)):
    x = tf.convert_to_tensor(x)
    return tf.reduce_mean(x[x > 3.0])


def reported_a_mean_of_the_losses_of_some(logits=((1.0, 2.0),), labels=(1,), mask=(False,)):
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.boolean_mask(labels, mask), tf.boolean_mask(logits, mask)
    )
    return tf.reduce_mean(losses)


def quiet_a_mean_of_some_where_there_are_any(x=(1.0, 2.0), mask=(False, False)):
    some = tf.square(tf.boolean_mask(x, mask))
    return tf.where(tf.size(some) > 0, tf.reduce_mean(some), 0.0)


def reported_the_log_of_an_overlap_of_softmaxes(x=((200.0, 0.0),), y=((0.0, 200.0),)):
    return tf.math.log(tf.reduce_sum(tf.nn.softmax(x) * tf.nn.softmax(y), axis=-1))


def quiet_the_log_of_an_overlap_with_an_epsilon(x=((200.0, 0.0),), y=((0.0, 200.0),)):
    return tf.math.log(tf.reduce_sum(tf.nn.softmax(x) * tf.nn.softmax(y), axis=-1) + 1e-6)


def reported_the_root_of_a_covariance(x=(1.0, 2.0), y=(2.0, 1.0)):
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    return tf.sqrt(tf.reduce_mean(x * y) - tf.reduce_mean(x) * tf.reduce_mean(y))


def reported_by_the_variance_in_a_window(x=((1.0, 1.0), (1.0, 1.0))):
    x = tf.reshape(x, [1, 2, 2, 1])
    mean = tf.nn.avg_pool2d(x, 2, 1, "VALID")
    return mean / (tf.nn.avg_pool2d(x**2, 2, 1, "VALID") - mean**2)


def reported_by_the_eigenvalues_of_a_gram_matrix(x=((0.0, 0.0), (0.0, 0.0))):
    values, vectors = tf.linalg.eigh(tf.matmul(x, x, transpose_a=True) / 2.0)
    return vectors / tf.sqrt(values)


def quiet_by_eigenvalues_kept_above_zero(x=((0.0, 0.0), (0.0, 0.0))):
    values, vectors = tf.linalg.eigh(tf.matmul(x, x, transpose_a=True) / 2.0)
    return vectors / tf.sqrt(tf.maximum(values, 0.0) + 1e-5)


def reported_the_slope_of_a_power_of_what_an_overlap_lacks(logit=(30.0, -200.0), label=(1.0, 0.0)):
    with tf.GradientTape() as tape:
        logit = tf.convert_to_tensor(logit)
        tape.watch(logit)
        p = tf.sigmoid(logit)
        found, missed = tf.reduce_sum(label * p), tf.reduce_sum(label * (1.0 - p))
        wrong = tf.reduce_sum((1.0 - tf.convert_to_tensor(label)) * p)
        loss = (1.0 - (found + 1.0) / (found + 0.7 * missed + 0.3 * wrong + 1.0)) ** 0.75
    return tape.gradient(loss, logit)


def quiet_the_slope_of_a_power_above_one(logit=(30.0, -200.0), label=(1.0, 0.0)):
    with tf.GradientTape() as tape:
        logit = tf.Variable(logit)
        p = tf.sigmoid(logit)
        found, missed = tf.reduce_sum(label * p), tf.reduce_sum(label * (1.0 - p))
        wrong = tf.reduce_sum((1.0 - tf.convert_to_tensor(label)) * p)
        loss = (1.0 - (found + 1.0) / (found + 0.7 * missed + 0.3 * wrong + 1.0)) ** 1.5
    return tape.gradient(loss, logit)


def reported_the_slope_of_a_root_of_a_product(logit=(-200.0, 1.0)):
    with tf.GradientTape() as tape:
        logit = tf.Variable(logit)
        mean = tf.sqrt(tf.reduce_prod(tf.sigmoid(logit)))
    return tape.gradient(mean, logit)


def reported_a_share_of_the_variance(true=((1.0, 1.0),), found=((1.0, 2.0),)):
    _, held = tf.nn.moments(tf.constant(true), axes=[0, 1])
    _, left = tf.nn.moments(tf.subtract(true, found), axes=[0, 1])
    return 1.0 - left / held


def reported_minus_the_log_of_a_difference(x=(20.0, 0.0)):
    return -tf.math.log(1.0 - tf.sigmoid(x))


def quiet_replaced_where_it_is_zero(x=((0.0, 0.0), (3.0, 4.0))):
    shares = []
    for row in tf.convert_to_tensor(x):
        total = tf.reduce_sum(tf.square(row))
        if tf.equal(total, 0.0):
            total = tf.constant(1.0)
        shares.append(row / (total * 2.0))
    return shares


def reported_replaced_where_it_is_one(x=((0.0, 0.0), (3.0, 4.0))):
    shares = []
    for row in tf.convert_to_tensor(x):
        total = tf.reduce_sum(tf.square(row))
        if tf.equal(total, 1.0):
            total = tf.constant(1.0)
        shares.append(row / (total * 2.0))
    return shares


def quiet_chosen_by_an_expression(x=(0.0, 0.0)):
    x = tf.convert_to_tensor(x)
    total = tf.reduce_sum(tf.square(x))
    raised = 1e-8 if total < 1e-8 else total
    return x / raised, x / tf.cond(total > 0.0, lambda: total, lambda: tf.constant(1.0))


def reported_chosen_by_another_expression(x=(0.0, 0.0)):
    x = tf.convert_to_tensor(x)
    total = tf.reduce_sum(tf.square(x))
    return x / (total if total < 1e-8 else 1e-8)


def quiet_below_an_infinite_bound(x=(0.0, 2.0)):
    without_end = tf.cast(tf.constant(1) / tf.constant(0), tf.float32)
    return x / tf.clip_by_value(tf.abs(x), 1e-7, without_end)


def meant_above_an_infinite_bound(x=(0.0, 2.0)):
    without_end = tf.cast(tf.constant(1) / tf.constant(0), tf.float32)
    return tf.clip_by_value(tf.abs(x), without_end, without_end)


def quiet_over_an_even_power_of_a_number(steps=(2.0,)):
    return tf.convert_to_tensor(1.0 / steps[0] ** 4)


def quiet_by_a_remainder_of_what_is_zero_on_one_path(x=(1.0, 2.0), size=(2.0,)):
    step = tf.zeros([]) if isinstance(size[0], str) else tf.convert_to_tensor(size[0])
    return tf.math.floormod(x, step)


def quiet_read_as_it_is_computed(p=(200.0, 0.0)):
    headroom = 1.0 - tf.sigmoid(tf.convert_to_tensor(p)) + 1e-8
    return (1.0 / headroom).numpy()


def reported_read_when_a_graph_has_computed_it(p=(200.0, 0.0)):
    @tf.function
    def traced(logits):
        return 1.0 / (1.0 - tf.sigmoid(logits) + 1e-8)

    return traced(tf.convert_to_tensor(p)).numpy()


def quiet_a_weight_drawn_in_one_way_or_another(wide=(True,)):
    start = tf.random.normal([3]) if wide[0] else tf.random.uniform([3], 1.0, 2.0)
    weight = tf.Variable(tf.cast(start, tf.float32))
    return weight / tf.norm(weight)


def quiet_widened_before_the_tape(x=((1.0, 1.0),)):
    def widened(a):
        return a + tf.math.reduce_std(a)

    y = widened(tf.constant(x))
    with tf.GradientTape() as tape:
        tape.watch(y)
        loss = tf.reduce_sum(tf.square(y))
    return tape.gradient(loss, y)


def reported_widened_under_the_tape(x=((1.0, 1.0),)):
    def widened(a):
        return a + tf.math.reduce_std(a)

    start = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(start)
        loss = tf.reduce_sum(tf.square(widened(start)))
    return tape.gradient(loss, start)


def quiet_by_elements_of_numbers_that_were_cast(x=(0.0, 1.0)):
    shape = tf.cast([0.0, 0.5], tf.float32)
    _, size = shape
    return x / size + tf.math.log(shape[1])


def reported_by_another_of_these_elements(x=(0.0, 1.0)):
    shape = tf.cast([0.0, 0.5], tf.float32)
    size, _ = shape
    return x / size


def quiet_by_the_norm_of_an_exponential(h=((0.0, 0.0), (0.0, 0.0))):
    state = tf.reshape(tf.linalg.expm(-0.5 * tf.convert_to_tensor(h)), [-1])
    return state / tf.norm(state)


def reported_by_the_norm_of_a_square(h=((0.0, 0.0), (0.0, 0.0))):
    state = tf.reshape(tf.matmul(h, h), [-1])
    return state / tf.norm(state)


def quiet_by_the_norm_of_an_eigenvector_in_another_basis(m=((0.0, 0.0), (0.0, 0.0)), basis=((1.0, 0.0), (0.0, 1.0))):
    _, vectors = tf.linalg.eigh(m)
    first = tf.matmul(tf.reshape(vectors[:, 0], (1, -1)), basis)
    return first / tf.norm(first)


def reported_by_the_norm_of_eigenvalues(m=((0.0, 0.0), (0.0, 0.0)), basis=((1.0, 0.0), (0.0, 1.0))):
    values, _ = tf.linalg.eigh(m)
    first = tf.matmul(tf.reshape(values, (1, -1)), basis)
    return first / tf.norm(first)


class Rescaled(tf.keras.initializers.Orthogonal):
    """Weights that are drawn as the class above draws them."""

    def __call__(self, shape, dtype="float32"):
        drawn = super().__call__(shape, dtype=dtype)
        return drawn * tf.sqrt(self.gain / tf.math.reduce_variance(drawn))


def quiet_by_the_variance_of_a_draw(shape=(3, 3)):
    return Rescaled()(shape)


def reported_by_the_variance_of_what_is_given(held=(1.0, 1.0)):
    given = tf.reshape(held, (1, 2))
    return given * tf.sqrt(1.0 / tf.math.reduce_variance(given))


def quiet_shifted_by_a_maximum_of_another_shape(x=((0.0, 200.0), (-200.0, 3.0))):
    x = tf.convert_to_tensor(x)
    top = tf.reduce_max(x, -1)
    shapes = top[:, None], top[..., tf.newaxis], tf.expand_dims(top, -1), tf.reshape(top, [-1, 1])
    return [tf.math.log(tf.reduce_sum(tf.exp(x - shape), -1)) for shape in shapes]


def reported_shifted_by_another_maximum(x=((0.0, 200.0), (-200.0, 3.0)), y=((0.0, 1.0), (-200.0, 3.0))):
    shifted = tf.convert_to_tensor(x) - tf.reduce_max(y, -1)[:, None]
    return tf.math.log(tf.reduce_sum(tf.exp(shifted), -1))


def quiet_of_what_a_mask_lets_through(x=(-1.0, 20.0, 200.0)):
    x = tf.convert_to_tensor(x)
    small = x <= 18.0
    rest = tf.boolean_mask(x, tf.logical_not(small) & (x > 0.0))
    return tf.math.log1p(tf.exp(x[small])), 1.0 / rest, 1.0 / x[~small]


def reported_of_what_another_mask_lets_through(x=(-1.0, 20.0, 200.0)):
    x = tf.convert_to_tensor(x)
    small = x <= 18.0
    return tf.math.log1p(tf.exp(x[~small]))


def quiet_by_a_side_of_a_scaled_window(offset=(-3.0,), size=(8.0,)):
    start = tf.maximum(0.0, offset[0])
    window = tf.stack([start, start, start + size[0], start + size[0]])
    window /= tf.stack([16.0, 16.0, 16.0, 16.0])
    return 1.0 / (window[2] - window[0])
