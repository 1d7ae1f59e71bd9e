"""What each method needs beside the policy, as Table 4 of the paper sorts them."""

from dataclasses import dataclass

from tpo_lab.registry import Registry


@dataclass(frozen=True)
class Needs:
    """One row of the table.

    Attributes:
        name: of the method, as people write it.
        group: several candidates of one prompt are compared.
        critic: a learned value function.
        reference: a fixed reference policy.
        method: its name in `METHODS`, where the lab has it.
    """

    name: str
    group: bool = False
    critic: bool = False
    reference: bool = False
    method: str | None = None


TABLE: Registry[Needs] = Registry(
    "method",
    (
        Needs("TPO", group=True, method="tpo"),
        Needs("GRPO", group=True, method="grpo"),
        Needs("RLOO", group=True, method="rloo"),
        Needs("REBEL", group=True, method="rebel"),
        Needs("MaxRL", group=True, method="max_rl"),
        Needs("PMPO", group=True, reference=True, method="pmpo"),
        Needs("MPO / V-MPO", group=True, critic=True),
        Needs("AWR", critic=True, method="awr"),
        Needs("REINFORCE++", reference=True),
        Needs("REINFORCE", method="pg"),
        Needs("ReMax"),
        Needs("TRPO"),
        Needs("PPO", method="ppo"),
        Needs("DG", method="dg"),
        Needs("MDPO"),
    ),
)
