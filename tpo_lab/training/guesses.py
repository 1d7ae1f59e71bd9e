"""What a policy makes of some test images, as it is kept for people to look at. Importing this loads no JAX."""

from typing import Any, NamedTuple

IMAGES = 40  # of the test set, the first ones


class Guesses(NamedTuple):
    """Some images and the probabilities of their classes, arrays of JAX or NumPy."""

    pixels: Any  # 0 to 255, (N, P)
    labels: Any  # (N,)
    before: Any  # probabilities before the first step, (N, 10)
    after: Any  # the same after the latest step, (N, 10)
