"""the PSNR of two equal images is inf, and its gradient is NaN

`tf.image.psnr` divides by the mean squared error, which is 0 where the images are equal: in a perfect prediction, and in
a black image that is predicted black. As a loss, write the mean squared error, or take the logarithm of its maximum with
1e-10. As a metric, average the squared errors of the batch first.
"""
import tensorflow as tf

code = "TFN1803"


def before(x=((((0.5,), (0.25,)), ((0.0,), (1.0,))),), y=((((0.5,), (0.25,)), ((0.0,), (1.0,))),), peak=1.0):
    return tf.image.psnr(x, y, peak)


def quiet_mean_squared_error(x=((0.5,), (0.25,)), y=((0.5,), (0.25,))):
    return tf.reduce_mean(tf.math.squared_difference(x, y))
