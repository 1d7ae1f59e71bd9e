"""An MLP policy: pixels in, log-probabilities of the actions out. Pure `init` and `log_probs`.

Axes: `...` any leading axes, `P` pixels, `K` actions.
"""

import jax
import jax.numpy as jnp
from jax import Array

from tpo_lab.policies.layers import dense

Params = tuple[tuple[Array, Array], ...]  # kernel (I, O) and bias (O,) of each layer


def init(key: Array, widths: tuple[int, ...]) -> Params:
    """LeCun normal kernels and zero biases; `widths` runs from P over the hidden layers to K."""
    lecun = jax.nn.initializers.lecun_normal()
    keys = jax.random.split(key, len(widths) - 1)
    sizes = zip(keys, widths[:-1], widths[1:], strict=True)
    return tuple((lecun(k, (i, o), jnp.float32), jnp.zeros(o, jnp.float32)) for k, i, o in sizes)


def log_probs(params: Params, pixels: Array) -> Array:
    """log pi(. | image) in nats, (..., K), of images (..., P): layers with ReLU between them, then a log-softmax."""
    x = pixels
    for kernel, bias in params[:-1]:
        x = jax.nn.relu(dense(x, kernel, bias))
    return jax.nn.log_softmax(dense(x, *params[-1]))
