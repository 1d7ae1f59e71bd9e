"""The file formats, as data: what each is recognised by, which columns it has, and the rules behind its advantages."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tpo_lab.errors import InputError
from tpo_lab.registry import Registry
from tpo_lab.rollouts_io import nested
from tpo_lab.rollouts_io.columns import Columns, listed

Expand = Callable[[dict[str, Any]], Iterator[dict[str, Any]]]
Trim = Callable[[str], str]


@dataclass(frozen=True)
class Format:
    """How one stack writes scored rollouts.

    Attributes:
        name: the key, as in commands.
        label: the name that people read.
        files: what its files are called.
        needs: fields that together give it away.
        columns: the columns of its rows, after `expand`.
        numeric: every numeric column that is not in `columns` is a score: one per reward function.
        expand: one object of the file as flat rows, where it holds several or hides them in lists.
        trim: what a group id is cut to.
        step_of_name: the step in the name of a file or its folder counts before one in its rows.
        repeats: a folder whose files hold some of the rows of the folder beside it again.
        runs: rows of one group follow each other; used where all runs are of one length.
        rules: names in `tpo_lab.group.RULES` that may have made its advantages, the default first.
        note: what a reader should know.
    """

    name: str
    label: str
    files: str
    needs: frozenset[str]
    columns: Columns
    numeric: bool = False
    expand: Expand | None = None
    trim: Trim | None = None
    step_of_name: bool = False
    repeats: tuple[str, str] | None = None
    runs: bool = False
    rules: tuple[str, ...] = ()
    note: str = ""


def without_sample(uid: str) -> str:
    """The prompt's part of a uid {prompt}_{rollout}_{output}: all but the last two numbers."""
    parts = uid.rsplit("_", 2)
    return parts[0] if len(parts) == 3 and parts[1].isdecimal() and parts[2].isdecimal() else uid


_FLAT = Columns(
    ("group",), ("score",), log_prob="log_prob", length="length", text="text", prompt="prompt", advantage="advantage",
    step="step", candidate="id",
)  # fmt: skip
_PRIME_RL = (
    "The score is the weighted sum of a trace's rewards; rewards that are null are left out. Traces of agents that are "
    "not trained are no candidates."
)

FORMATS: Registry[Format] = Registry(
    "format",
    (
        Format(
            "prime_rl",
            "prime-rl",
            "rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl",
            frozenset({"traces"}),
            _FLAT,
            expand=nested.prime_rl,
            step_of_name=True,
            repeats=("effective", "all"),
            rules=("prime_rl_grpo", "prime_rl_max_rl"),
            note=_PRIME_RL,
        ),
        Format(
            "prime_rl_trace",
            "prime-rl, one trace a line",
            "rollouts/step_N/{train,eval}/{all,effective}/traces.jsonl",
            frozenset({"nodes", "rewards"}),
            _FLAT,
            expand=nested.prime_rl_trace,
            step_of_name=True,
            repeats=("effective", "all"),
            rules=("prime_rl_grpo", "prime_rl_max_rl"),
            note=_PRIME_RL,
        ),
        Format(
            "reasoning_gym",
            "reasoning-gym",
            "{category}/{dataset}.json",
            frozenset({"results"}),
            Columns(("group",), ("score",), text="text", prompt="prompt"),
            expand=nested.reasoning_gym,
            note="Calls that failed are absent from the file, so K varies.",
        ),
        Format(
            "nemo_rl",
            "NeMo-RL",
            "train_data_step{N}.jsonl",
            frozenset({"content", "rewards", "idx"}),
            Columns(
                ("prompt",), ("score",), log_prob="log_prob", length="length", text="text", prompt="prompt",
                advantage="advantage", step="step",
            ),
            expand=nested.nemo_rl,
            rules=("nemo_rl", "rloo"),
            note="filtered_rewards are read where they are there: rewards can belong to other rows. Log-probs are the "
            "trainer's (prev_logprobs), else the sampler's.",
        ),
        Format(
            "open_instruct",
            "open-instruct",
            "{run}_rollouts_{shard}.jsonl",
            frozenset({"prompt_idx", "response_tokens", "reward"}),
            Columns(
                ("prompt_idx",), ("reward",), step="step", candidate="sample_idx", log_prob="logprobs",
                length="response_tokens", advantage="advantage",
            ),
            rules=("open_instruct_centered", "open_instruct_standard"),
            note="The file holds tokens, not texts.",
        ),
        Format(
            "skyrl",
            "SkyRL",
            "dumped_evals/**/{source}.jsonl",
            frozenset({"input_prompt", "output_response", "score"}),
            Columns(("input_prompt",), ("score",), text="output_response", prompt="input_prompt"),
            rules=("skyrl_grpo", "skyrl_max_rl"),
            note="A score that is a list is the sum of it.",
        ),
        Format(
            "verl_uid",
            "verl, with uid",
            "{step}.jsonl",
            frozenset({"input", "output", "score", "uid"}),
            Columns(
                ("uid",), ("score",), step="step", candidate="uid", text="output", prompt="input",
            ),
            trim=without_sample,
            rules=("verl_grpo", "dr_grpo", "rloo"),
        ),
        Format(
            "verl",
            "verl, without uid",
            "{step}.jsonl",
            frozenset({"input", "output", "score"}),
            Columns(("input",), ("score",), step="step", text="output", prompt="input"),
            runs=True,
            rules=("verl_grpo", "dr_grpo", "rloo"),
        ),
        Format(
            "trl",
            "TRL GRPO",
            "completions/completions_{step}.parquet",
            frozenset({"prompt", "completion", "advantage"}),
            Columns(("prompt",), (), step="step", text="completion", prompt="prompt", advantage="advantage"),
            numeric=True,
            runs=True,
            rules=("trl_group", "trl_batch", "trl_none", "trl_rloo", "trl_rloo_batch"),
            note="Every numeric column counts as a reward function of weight 1; pick others where that is wrong.",
        ),
    ),
)  # fmt: skip
TABLE = "table"


def recognise(names: frozenset[str]) -> Format | None:
    """The first format whose fields are all there."""
    return next((entry for entry in FORMATS.values() if entry.needs <= names), None)


def of_table(known: Sequence[str]) -> Format:
    """A table without a format: a person says which column is what.

    Raises:
        InputError: if it has no columns.
    """
    if not known:
        raise InputError("columns", f"The file has {listed(known)}.")
    return Format(TABLE, "table", "any", frozenset(), Columns())
