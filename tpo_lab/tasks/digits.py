"""Handwritten digits as a contextual bandit: see an image, name a class, learn only whether it was right.

Axes: `N` images, `P` pixels.

Source: arXiv 2604.06159, MNIST contextual bandit (Fig. 4).
"""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
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
    images, classes = _built_in()
    train, test = slice(-BUILT_IN_TEST), slice(-BUILT_IN_TEST, None)
    return Digits(_scaled(images[train], 16), _whole(classes[train]), _scaled(images[test], 16), _whole(classes[test]))


def _built_in() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Pixels 0 to 16, (1797, 64), and labels. Read from scikit-learn's own file: to import it takes a second or two."""
    package = find_spec("sklearn")
    folders = (package and package.submodule_search_locations) or ["."]
    table = np.loadtxt(Path(folders[0]) / "datasets" / "data" / "digits.csv.gz", delimiter=",")
    return table[:, :-1], table[:, -1]


def _scaled(images: Any, white: int) -> Array:
    return jnp.asarray(np.asarray(images, np.float32).reshape(len(images), -1) / np.float32(white))


def _whole(labels: Any) -> Array:
    return jnp.asarray(np.asarray(labels, np.int32))
