"""What an optimizer assigns to the state that it keeps for each weight."""

import keras
from keras import ops


class Scaled(keras.optimizers.Optimizer):
    def build(self, variables):
        super().build(variables)
        self._means = [self.add_variable_from_reference(v, name="mean") for v in variables]

    def update_step(self, gradient, variable, learning_rate):
        mean = self._means[self._get_variable_index(variable)]
        self.assign(mean, ops.add(0.9 * mean, ops.square(gradient) + 1e-3))
        self.assign_sub(variable, learning_rate * gradient / mean)


class Unscaled(keras.optimizers.Optimizer):
    def build(self, variables):
        super().build(variables)
        self._means = [self.add_variable_from_reference(v, name="mean") for v in variables]

    def update_step(self, gradient, variable, learning_rate):
        mean = self._means[self._get_variable_index(variable)]
        self.assign_sub(variable, learning_rate * gradient / mean)  # HAZARD divide-by-zero
        self.assign(mean, ops.add(0.9 * mean, ops.square(gradient) + 1e-3))
