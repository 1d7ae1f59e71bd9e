"""Handwritten digits as a contextual bandit: see an image, name a class, learn only whether it was right.

Axes: `N` images, `P` pixels.

Source: arXiv 2604.06159, MNIST contextual bandit (Fig. 4).
"""

from functools import lru_cache
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from tpo_lab.tasks.digits_idx import CLASSES, read_folder

ACTIONS = CLASSES  # K: one action per class
BUILT_IN_TEST = 500  # the last images of scikit-learn's digits


class Digits(NamedTuple):
    """Pixels in [0, 1] as float32 and labels 0..9 as int32, of the training and of the test set."""

    train_pixels: Array  # (N, P)
    train_labels: Array  # (N,)
    test_pixels: Array  # (N, P)
    test_labels: Array  # (N,)


@lru_cache(maxsize=2)
def load(folder: str | None = None) -> Digits:
    """The digits: MNIST from a folder, or scikit-learn's, 8x8 pixels each.

    The split of scikit-learn's is fixed and draws nothing: the last 500 of its 1,797 images are the test set. The file
    is in the order of its writers, so most test writers are not in the training set, as with MNIST.

    Raises:
        InputError: one sentence, if the folder is not MNIST.
    """
    if folder is not None:
        pixels, labels, test_pixels, test_labels = read_folder(folder)
        return Digits(_scaled(pixels, 255), _whole(labels), _scaled(test_pixels, 255), _whole(test_labels))
    from sklearn.datasets import load_digits  # type: ignore[import-untyped]  # a second: only where it is needed

    images, classes = load_digits(return_X_y=True)
    train, test = slice(-BUILT_IN_TEST), slice(-BUILT_IN_TEST, None)
    return Digits(_scaled(images[train], 16), _whole(classes[train]), _scaled(images[test], 16), _whole(classes[test]))


def _scaled(images: Any, white: int) -> Array:
    return jnp.asarray(np.asarray(images, np.float32).reshape(len(images), -1) / np.float32(white))


def _whole(labels: Any) -> Array:
    return jnp.asarray(np.asarray(labels, np.int32))
