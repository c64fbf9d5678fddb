"""Arguments that `arg_scope` gives to the layers of slim: a layer without one has a ReLU."""

import tensorflow as tf
from tensorflow.contrib import slim

arg_scope = tf.contrib.framework.arg_scope


def linear_heads(decay=1e-4):
    with arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(decay)):
        with arg_scope([slim.fully_connected], activation_fn=None) as scope:
            return scope


def head(features):
    return tf.nn.softmax(slim.fully_connected(features, 10))


def sound_in_the_scope_of_a_caller(features):
    with slim.arg_scope(linear_heads()):
        return head(features)


def scope_for_layers_of_another_kind(features):
    with slim.arg_scope([slim.conv2d], activation_fn=None):
        with slim.arg_scope([slim.fully_connected], activation_fn=tf.nn.relu):
            return tf.nn.softmax(slim.fully_connected(features, 10))  # HAZARD softmax-of-relu


def innermost_scope(features):
    with slim.arg_scope(linear_heads()):
        with slim.arg_scope([slim.fully_connected, slim.conv2d], activation_fn=tf.nn.relu):
            return tf.nn.softmax(slim.fully_connected(features, 10))  # HAZARD softmax-of-relu


def sound_with_an_argument_of_its_own(features):
    with slim.arg_scope([slim.fully_connected], activation_fn=tf.nn.relu):
        return tf.nn.softmax(slim.fully_connected(features, 10, activation_fn=None))


def sound_in_an_unknown_scope(features, settings):
    with slim.arg_scope(settings.scope()):
        return tf.nn.softmax(slim.fully_connected(features, 10))


def sound_behind_a_scope(features):
    with slim.arg_scope([slim.fully_connected], activation_fn=tf.nn.relu):
        hidden = slim.fully_connected(features, 10)
    return tf.nn.softmax(slim.fully_connected(hidden, 10, activation_fn=None))
