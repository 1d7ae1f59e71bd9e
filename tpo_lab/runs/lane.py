"""A lane: one method of a configuration with all its seeds, as a state that goes on, is written down and is read back.

Importing this loads JAX: only workers do.
"""

import io
import time
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig, Config
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import AnyConfig, steps_of
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.runs import looks
from tpo_lab.tasks import bandit, multi_bandit
from tpo_lab.training import digits, reversal
from tpo_lab.training.look import steps_kept

Values = npt.NDArray[np.float32]  # (T, D, S): steps, diagnostics, seeds

BANDIT_CHUNK = 50  # rows of the bandit's compiled buffer
# Of one chunk: short at first, so that curves appear and advance together; longer in a long run, whose file then has
# fewer pieces. A stop waits for no more than this, unless one step of one seed takes longer.
SHORT, LONG = 0.1, 0.4
SHARE = 0.01  # of the time so far that a chunk may take

# The bandit computes blocks of seeds in one call; each block is one part, as a seed is in the other tasks.
_BANDIT = SimpleNamespace(
    CHUNK=BANDIT_CHUNK,
    DIAGNOSTICS=bandit.DIAGNOSTICS,
    SHOWS_DIVERGENCE="error",
    init=lambda config, _, part: bandit.init(
        config, part * bandit.BLOCK, min(bandit.BLOCK, config.seeds - part * bandit.BLOCK)
    ),
    chunk=lambda config, method, state, n: bandit.chunk(config, method, state, n, BANDIT_CHUNK),
    warm=lambda config, method: bandit.chunk(config, method, bandit.init(config, 0, 1), 0, BANDIT_CHUNK),
)
# What trains a configuration: init, chunk, warm, CHUNK, DIAGNOSTICS and SHOWS_DIVERGENCE.
TASKS: dict[type[Config], Any] = {
    BanditConfig: _BANDIT,
    ReversalConfig: reversal,
    MultiBanditConfig: multi_bandit,
    DigitsConfig: digits,
}


class Lane:
    """One method of a configuration with all its seeds.

    What it computes depends on (config, method) alone: not on the lengths of its chunks, nor on whether it was written
    down and read back in between.

    Args:
        checkpoint: what `to_bytes` gave; empty: from the first step.

    Attributes:
        steps, total: taken so far, and of the whole lane.
        seconds: of computation so far, without `prepare`.
        rate: steps per second lately; 0 before the first.
        diverged: by seed, the first step whose values show a policy that is not finite.
        look: at the batch of the latest step and the first seed, as `looks.to_bytes` writes it, if it is to be kept.

    Raises:
        InputError: if the configuration does not allow the method, or the checkpoint is not of this lane.
    """

    def __init__(self, config: AnyConfig, method: str, checkpoint: bytes = b"") -> None:
        self.config, self.method = config, method
        self.task = TASKS[type(config)]
        self.diagnostics: tuple[str, ...] = tuple(self.task.DIAGNOSTICS)
        self.total = steps_of(config)
        self.steps, self.seconds, self.rate = 0, 0.0, 0.0
        self._lately: tuple[float, float] | None = None  # steps and seconds of the latest chunks
        self.diverged: dict[int, int] = {}
        self._parts: list[Any] = []
        self._checkpoint = checkpoint
        self.look: bytes | None = None
        self._kept = steps_kept(self.total) if hasattr(self.task, "chunk_and_look") else ()
        self._length = 1  # a single step first: of the largest settings one takes seconds

    def prepare(self) -> None:
        """Compile, or fetch from the cache on disk, and make or restore the state: may take seconds, once."""
        self.task.warm(self.config, self.method)
        if self._checkpoint:
            self._restore(self._checkpoint)
            self._checkpoint = b""
        else:
            self._parts = [self.task.init(self.config, self.method, part) for part in range(self._count())]

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return self.steps / self.total

    def advance(self, halt: Callable[[], bool] = lambda: False) -> Values | None:
        """Take the next steps with every seed, a tenth of a second or so of them: their values.

        Args:
            halt: asked before each seed; if it says so, nothing has happened, and the answer is None.
        """
        next_kept = next((step for step in self._kept if step >= self.steps), self.total)  # ends a chunk
        n = min(self._length, self.total - self.steps, next_kept + 1 - self.steps)
        look = None
        began = time.perf_counter()
        after: list[Any] = []
        columns = []
        for part in self._parts:
            if halt():
                return None
            if not after and self.steps + n > next_kept:
                state, record, look = self.task.chunk_and_look(self.config, self.method, part, n)
            else:
                state, record = self.task.chunk(self.config, self.method, part, n)
            after.append(state)
            columns.append(np.stack([np.reshape(record[name], (n, -1)) for name in self.diagnostics], axis=1))
        values: Values = np.concatenate(columns, axis=2)
        self.look = look and looks.to_bytes(look)
        took = time.perf_counter() - began
        self._note_divergence(values)
        self._parts, self.steps, self.seconds = after, self.steps + n, self.seconds + took
        self._note_pace(n, took)
        wanted = min(max(SHORT, SHARE * self.seconds), LONG)
        self._length = max(1, min(self.task.CHUNK, 2 * self._length, round(n * wanted / took)))
        return values

    def _note_pace(self, steps: int, seconds: float) -> None:
        """Steps weigh, not chunks: early ones are mostly what a chunk costs beside its steps, the first above all."""
        if self._lately is None:
            self._lately = 0.0, 0.0
            return
        self._lately = 0.7 * self._lately[0] + steps, 0.7 * self._lately[1] + seconds
        self.rate = self._lately[0] / self._lately[1]

    def _note_divergence(self, values: Values) -> None:
        broken = ~np.isfinite(values[:, self.diagnostics.index(self.task.SHOWS_DIVERGENCE)])
        for seed in map(int, np.flatnonzero(broken.any(axis=0))):
            self.diverged.setdefault(seed, self.steps + int(np.argmax(broken[:, seed])))

    def to_bytes(self) -> bytes:
        """All that the lane needs to go on from here, bit for bit: plain arrays, one .npy after the other."""
        leaves = zip(*(map(_plain, jax.tree.leaves(part)) for part in self._parts), strict=True)
        diverged = np.array([*self.diverged.items()], np.int64).reshape(-1, 2)
        file = io.BytesIO()
        for array in (np.array([self.steps, self.seconds]), diverged, *map(np.stack, leaves)):
            np.save(file, array, allow_pickle=False)
        return file.getvalue()

    def _count(self) -> int:
        return -(-self.config.seeds // bandit.BLOCK) if isinstance(self.config, BanditConfig) else self.config.seeds

    def _restore(self, checkpoint: bytes) -> None:
        template, tree = jax.tree.flatten(self.task.init(self.config, self.method, 0))
        file = io.BytesIO(checkpoint)
        try:
            (steps, seconds), diverged, *columns = (np.load(file, allow_pickle=False) for _ in range(len(template) + 2))
            leaves = zip(*(_like(leaf, column) for leaf, column in zip(template, columns, strict=True)), strict=True)
            self._parts = [jax.tree.unflatten(tree, list(part)) for part in leaves]
            if file.read(1) or len(self._parts) != self._count():
                raise ValueError(f"it holds {len(self._parts)} parts, not {self._count()}")
        except (ValueError, EOFError, OSError) as error:
            raise InputError("run", f"The checkpoint of {self.method} cannot be read: {error}.") from error
        self.steps, self.seconds, self.diverged = int(steps), float(seconds), dict(diverged.tolist())


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _plain(leaf: Any) -> npt.NDArray[Any]:
    if isinstance(leaf, slice):
        return np.array([leaf.start, leaf.stop])
    if _is_key(leaf):
        return np.asarray(jax.random.key_data(leaf))
    return np.asarray(leaf)


def _like(template: Any, column: npt.NDArray[Any]) -> Iterable[Any]:
    """The rows of an array, each as the kind of leaf that the template is."""
    plain = _plain(template)
    if column.shape[1:] != plain.shape or column.dtype != plain.dtype:
        raise ValueError(f"it holds {column.dtype}{column.shape[1:]}, not {plain.dtype}{plain.shape}")
    if isinstance(template, slice):
        return [slice(*row) for row in column.tolist()]
    if isinstance(template, int):
        return column.tolist()  # type: ignore[no-any-return]
    if _is_key(template):
        return [jax.random.wrap_key_data(row, impl=jax.random.key_impl(template)) for row in column]
    return [jnp.asarray(row) for row in column]
