"""the gradient of multiscale SSIM is NaN where two images are anticorrelated

`tf.image.ssim_multiscale` applies ReLU to the mean contrast of each scale and raises it to a power below 1. Before
training that mean is often negative: the value is then 0 and the gradient NaN. As a loss, use `tf.image.ssim`, which
takes no power, or train with another loss first. Compiled by XLA, the gradient is 0.

https://github.com/tensorflow/tensorflow/issues/50400
https://github.com/tensorflow/tensorflow/issues/57493
"""
import tensorflow as tf

from tfnanlint.template import differentiated

code = "TFN1804"
severity = "warning"
modes = ("eager", "graph")


def before(
    x: differentiated = (((0.0,), (1.0,)), ((1.0,), (0.0,))),
    y=(((1.0,), (0.0,)), ((0.0,), (1.0,))),
    peak=1.0,
    power_factors=(0.5,),
    filter_size=2,
):
    return tf.image.ssim_multiscale(x, y, peak, power_factors=power_factors, filter_size=filter_size)


def before_behind_the_label(
    y=(((0.0,), (1.0,)), ((1.0,), (0.0,))),
    x: differentiated = (((1.0,), (0.0,)), ((0.0,), (1.0,))),
    peak=1.0,
    power_factors=(0.5,),
    filter_size=2,
):
    return tf.image.ssim_multiscale(y, x, peak, power_factors=power_factors, filter_size=filter_size)


def quiet_of_one_scale(x=(((0.0,), (1.0,)), ((1.0,), (0.0,))), y=(((1.0,), (0.0,)), ((0.0,), (1.0,)))):
    return tf.image.ssim(x, y, 1.0, filter_size=2)
