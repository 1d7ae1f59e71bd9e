"""The paper's experiments by name, and small ones for a talk. Importing this loads no JAX.

The names are those of the figures and tables of arXiv 2604.06159; what has several configurations has one preset each.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import product

from tpo_lab.errors import InputError, shown
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import CHOICES, ReversalConfig
from tpo_lab.registry import Registry


@dataclass(frozen=True)
class Preset:
    """A configuration by name, and why one would run it.

    Attributes:
        of: the figures and tables of the paper that it belongs to, as people type them.
    """

    name: str
    why: str
    config: BanditConfig | MultiBanditConfig | DigitsConfig | ReversalConfig
    of: tuple[str, ...] = ()


class Presets(Registry[Preset]):
    """The presets; an unknown name is answered with those that may be meant."""

    def __getitem__(self, name: str) -> Preset:
        """The preset of that name.

        Raises:
            InputError: if the name is unknown; the message lists those of this figure or table, or all families.
        """
        if name in self:
            return super().__getitem__(name)
        word = name.strip().lower() if isinstance(name, str) else ""
        meant = [p.name for p in self.values() if word in p.of or (word and p.name.lower().startswith(word))]
        meant = meant or get_close_matches(word, self, n=5, cutoff=0.75)
        families = dict.fromkeys(n if (stem := n.partition("-")[0]) == n else f"{stem}-..." for n in self)
        known = f"it may be one of: {', '.join(meant)}" if meant else f"known: {', '.join(families)}"
        raise InputError(self.kind, f"Unknown {self.kind} {shown(name)}; {known}; `tpo-lab list` has all.")


_DENSE = ReversalConfig(methods=("tpo_token", "grpo_token", "dg", "ppo"), reward="bag", episodes=1_000)
_TERMINAL = ReversalConfig()
_WHY = ReversalConfig(methods=("tpo", "grpo"), length=8, candidates=32, prompts=256, seeds=30)
REWARDS = ("bag", "sequential")  # per token
_DIGITS = DigitsConfig(methods=("tpo", "dg", "pg", "grpo", "group_pg"), prompts=10, every=50, episodes=2_000, seeds=10)
_LIVE = replace(_TERMINAL, vocabulary=4, length=3, prompts=64, episodes=120, seeds=3)


def _presets() -> Iterator[Preset]:
    yield Preset(
        "live-terminal",
        "One reward at the end of three tokens, each one of four: TPO is below 1 % while PPO, GRPO and DG lag.",
        _LIVE,
        ("live",),
    )
    yield Preset(
        "live-dense",
        "A reward per token, H = 6: groups of next tokens, learnt while an audience watches.",
        replace(_DENSE, length=6, prompts=50, episodes=120, seeds=2),
        ("live",),
    )
    yield Preset(
        "live-why",
        "Reward at the end of three tokens: TPO's gradient is large only while it learns or relapses; GRPO's goes on.",
        replace(_LIVE, methods=("tpo", "grpo"), episodes=160),
        ("live",),
    )
    yield Preset("fig2", "One context, 100 actions, sampled: whose direction is right.", BanditConfig())
    yield Preset(
        "easy",
        "Ten actions instead of a hundred: where a success is never far, the methods hardly differ.",
        BanditConfig(actions=10, steps=100),
    )
    yield Preset("fig3", "Exact updates in 100 contexts: how far from supervised learning.", MultiBanditConfig())
    yield Preset(
        "fig3-sampled",
        "The same with 10 sampled actions in each context instead of exact updates: what noise leaves of it.",
        MultiBanditConfig(update="sampled", samples=10, seeds=10),
    )
    yield Preset(
        "live-digits",
        "Ten images a step: TPO and DG read nine of ten while PG, GRPO and Group PG still miss one in five.",
        _DIGITS,
        ("live", "fig4", "mnist"),
    )
    yield Preset(
        "digits-100",
        "A hundred images a step, as in the paper: all come close; see who is below 15 % first.",
        replace(_DIGITS, prompts=100),
    )
    yield Preset(
        "fig4-digits",
        "The paper's own: 20 seeds of 10,000 steps. 8x8 digits, or MNIST if its folder is set.",
        DigitsConfig(),
        ("fig4", "mnist", "fig4-mnist"),
    )
    yield from _dense()
    yield from _terminal()
    yield from _why()
    yield from _appendix()


def _dense() -> Iterator[Preset]:
    for v in (2, 4, 8, 16):
        yield Preset(f"table1-V{v}", f"Bag-of-tokens reward, V = {v}.", replace(_DENSE, vocabulary=v), ("fig5",))
    for match, stem in (("prompt", "table2"), ("interaction", "fig6-interaction")):
        for reward, target in product(REWARDS, CHOICES["target"]):
            config = replace(_DENSE, target=target, reward=reward, match=match, seeds=10)
            why = f"{target.replace('_', ' ').capitalize()}, {reward} reward, {match}-matched."
            yield Preset(f"{stem}-{reward}-{target.replace('_', '-')}", why, config, ("fig6",))


def _terminal() -> Iterator[Preset]:
    for match in CHOICES["match"]:
        for h in (7, 8, 9, 10):
            config = replace(_TERMINAL, methods=("tpo", "grpo", "grpo_no_kl", "ppo", "dg"), length=h, match=match)
            yield Preset(f"table3-H{h}-{match}", f"Terminal reward, H = {h}, {match}-matched.", config, ("fig7",))
    parts = ("tpo", "tpo_no_anchor", "group_pg", "grpo", "grpo_no_kl")
    for h in (7, 8, 10):
        config = replace(_TERMINAL, methods=parts, length=h)
        yield Preset(f"fig8-H{h}", f"What TPO loses without its parts, H = {h}.", config)


def _why() -> Iterator[Preset]:
    observed = replace(_WHY, seeds=10)
    yield Preset("fig10", "Whose gradient ends when the task is learnt.", observed)
    yield Preset("fig11", "How many groups carry no signal.", replace(observed, methods=("tpo", "grpo", "grpo_no_kl")))
    for k in (4, 8, 16, 32, 64):
        yield Preset(f"fig12-K{k}", f"Groups of K = {k} candidates.", replace(_WHY, candidates=k))
    masked = replace(_WHY, methods=("tpo", "grpo", "grpo_masked"))
    yield Preset("fig13", "GRPO with its dead groups masked.", masked)
    once = replace(observed, methods=("tpo", "dg"), epochs=1)
    yield Preset("fig14-epochs1", "TPO and DG with one gradient epoch per batch.", once)
    four = replace(observed, methods=("tpo",), epochs=4)
    yield Preset("fig14-epochs4", "TPO with 4 gradient epochs per batch.", four)
    for e in (1, 2, 4, 8, 16):
        yield Preset(f"fig15-epochs{e}", f"{_epochs(e).capitalize()} per batch.", replace(_WHY, epochs=e))


def _appendix() -> Iterator[Preset]:
    for eta in (0.25, 0.5, 1, 2, 4):
        config = replace(_DENSE, methods=("tpo_token",), eta=float(eta), seeds=10)
        yield Preset(f"table5-eta{eta:g}", f"Temperature {eta:g}.", config, ("fig16",))
    for e in (1, 4):
        config = replace(_TERMINAL, methods=("dg",), length=7, epochs=e)
        why = f"DG with {_epochs(e)} per batch, terminal reward; H = 7, as the paper does not say which."
        yield Preset(f"fig17-terminal-epochs{e}", why, config)
    for reward, target in product(REWARDS, CHOICES["target"]):
        config = replace(_DENSE, methods=("dg",), target=target, reward=reward, seeds=10, epochs=4)
        why = (
            f"DG with 4 gradient epochs per batch, {target.replace('_', ' ')}, {reward} reward; Table 2 has one epoch."
        )
        yield Preset(f"fig17-{reward}-{target.replace('_', '-')}-epochs4", why, config)


def _epochs(n: int) -> str:
    return "one gradient epoch" if n == 1 else f"{n} gradient epochs"


PRESETS: Registry[Preset] = Presets("preset", tuple(_presets()))
