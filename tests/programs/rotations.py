"""Rotations as matrices and quaternions: no rotation and half a turn are ordinary, and rounding leaves entries above 1."""

import tensorflow as tf


def axis_and_angle(quaternions):
    xyz, w = tf.split(quaternions, (3, 1), axis=-1)
    norm = tf.norm(xyz, axis=-1, keepdims=True)
    return xyz / norm, 2.0 * tf.atan2(norm, w)  # HAZARD divide-by-norm


def axis_and_angle_with_a_floor(quaternions):
    xyz, w = tf.split(quaternions, (3, 1), axis=-1)
    norm = tf.norm(xyz, axis=-1, keepdims=True)
    return xyz / tf.maximum(norm, 1e-6), 2.0 * tf.atan2(norm, w)


def inverse_of_a_unit_quaternion(quaternion):
    return tf.concat([-quaternion[..., :3], quaternion[..., 3:]], -1) / tf.reduce_sum(quaternion**2, -1, keepdims=True)


def rotation_vector(rotation):
    angle = tf.acos((tf.linalg.trace(rotation) - 1.0) / 2.0)  # HAZARD inverse-sine-outside
    axis = tf.stack([rotation[..., 2, 1] - rotation[..., 1, 2], rotation[..., 0, 2] - rotation[..., 2, 0]], -1)
    return axis * (angle / (2.0 * tf.sin(angle)))[..., None]  # HAZARD divide-by-zero


def quaternion_of(rot_matrix):
    w = tf.sqrt(1.0 + tf.linalg.trace(rot_matrix)) / 2.0
    return (rot_matrix[..., 2, 1] - rot_matrix[..., 1, 2]) / (4.0 * w), w  # HAZARD divide-by-zero


def pitch_of(rotation_matrix):
    return tf.asin(-rotation_matrix[..., 2, 0])  # HAZARD inverse-sine-outside


def pitch_within_bounds(rotation_matrix):
    return tf.asin(tf.clip_by_value(-rotation_matrix[..., 2, 0], -1.0, 1.0))


def turned(rotations, points):
    moved = tf.matmul(rotations, points[..., None])
    return moved / tf.norm(points[..., None] + 1.0, axis=-2, keepdims=True)
