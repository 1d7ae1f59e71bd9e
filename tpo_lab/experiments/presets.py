"""The paper's experiments by name, and small ones for a talk. Importing this loads no JAX."""

from dataclasses import dataclass, replace

from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.reversal import CHOICES, ReversalConfig
from tpo_lab.registry import Registry


@dataclass(frozen=True)
class Preset:
    """A configuration by name, and why one would run it."""

    name: str
    why: str
    config: ReversalConfig | MultiBanditConfig | DigitsConfig


_DENSE = ReversalConfig(methods=("tpo_token", "grpo_token", "dg", "ppo"), reward="bag", episodes=1_000)
_TERMINAL = ReversalConfig()
_WHY = ReversalConfig(methods=("tpo", "grpo"), length=8, candidates=32, prompts=256, seeds=10)


def _presets() -> tuple[Preset, ...]:
    live = replace(_TERMINAL, length=4, prompts=32, episodes=120, seeds=2)
    found = [
        Preset("fig3", "Fig. 3: exact updates in 100 contexts; how far from supervised learning.", MultiBanditConfig()),
        Preset("live-terminal", "One reward at the end of H = 4 tokens, learnt while an audience watches.", live),
        Preset(
            "live-dense",
            "A reward per token, H = 6: groups of next tokens, learnt while an audience watches.",
            replace(_DENSE, length=6, prompts=50, episodes=120, seeds=2),
        ),
        Preset("fig4-digits", "Fig. 4 on 8x8 digits; with --set folder=FOLDER on MNIST.", DigitsConfig()),
    ]
    found += [
        Preset(f"table1-V{v}", f"Table 1: bag-of-tokens reward, V = {v}.", replace(_DENSE, vocabulary=v))
        for v in (2, 4, 8, 16)
    ]
    for reward in ("bag", "sequential"):
        for target in CHOICES["target"]:
            name = f"table2-{reward}-{target.replace('_', '-')}"
            words = target.replace("_", " ")
            found.append(
                Preset(name, f"Table 2: {words}, {reward}.", replace(_DENSE, target=target, reward=reward, seeds=10))
            )
    for match in CHOICES["match"]:
        for h in (7, 8, 9, 10):
            config = replace(_TERMINAL, methods=("tpo", "grpo", "grpo_no_kl", "ppo", "dg"), length=h, match=match)
            found.append(Preset(f"table3-H{h}-{match}", f"Table 3: terminal reward, H = {h}, {match}-matched.", config))
    ablations = ("tpo", "tpo_no_anchor", "group_pg", "grpo", "grpo_no_kl")
    for h in (7, 8, 10):
        config = replace(_TERMINAL, methods=ablations, length=h)
        found.append(Preset(f"fig8-H{h}", f"Fig. 8: what TPO loses without its parts, H = {h}.", config))
    found.append(Preset("why-gradient", "Section 4: whose gradient ends when the task is learnt.", _WHY))
    for k in (4, 8, 16, 32, 64):
        config = replace(_WHY, candidates=k, seeds=30)
        found.append(Preset(f"why-K{k}", f"Section 4: groups of K = {k} candidates.", config))
    masked = replace(_WHY, methods=("tpo", "grpo", "grpo_masked"), seeds=30)
    found.append(Preset("why-masked", "Section 4: GRPO with its dead groups masked.", masked))
    for e in (1, 2, 4, 8, 16):
        config = replace(_WHY, epochs=e, seeds=30)
        found.append(Preset(f"why-epochs{e}", f"Section 4: {e} gradient epochs per batch.", config))
    for eta in (0.25, 0.5, 1, 2, 4):
        config = replace(_DENSE, methods=("tpo_token",), eta=float(eta), seeds=10)
        found.append(Preset(f"table5-eta{eta:g}", f"Table 5: temperature {eta:g}.", config))
    return tuple(found)


PRESETS: Registry[Preset] = Registry("preset", _presets())
