"""Which column of a table holds what: picked by a person, set by a format, or guessed from the names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, Self

from tpo_lab.errors import InputError, shown

LogProbKind = Literal["sum", "mean"]
_SHOWN = 30  # column names in a message


@dataclass(frozen=True)
class Columns:
    """The columns that are read; a name that is not given is not read.

    Attributes:
        group: columns whose values together tell one group from another; the step belongs to them by itself.
        score: the score, or several that are added up with `weights`. A candidate has a score if one of them is there.
        weights: one number per score; none: 1 each.
        step: the training step; else the number in the file's name.
        candidate: an id of the row: the same one twice in a group is the same candidate twice.
        log_prob: log-prob under the policy that sampled: a number, or a list with one per token.
        log_prob_kind: what a number is: the sum over the tokens, or their mean (which needs `length`).
        length: number of tokens, or the list of them.
        text: what the candidate wrote.
        prompt: what it was asked.
        advantage: what the stack made of the score.
        size: so many rows in a row are a group, when no column says it.
    """

    group: tuple[str, ...] = ()
    score: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    step: str | None = None
    candidate: str | None = None
    log_prob: str | None = None
    log_prob_kind: LogProbKind = "sum"
    length: str | None = None
    text: str | None = None
    prompt: str | None = None
    advantage: str | None = None
    size: int | None = None

    def named(self) -> tuple[str, ...]:
        """Every column that is read, each once."""
        single = (self.step, self.candidate, self.log_prob, self.length, self.text, self.prompt, self.advantage)
        return tuple(dict.fromkeys([*self.group, *self.score, *(name for name in single if name)]))

    def only(self, known: Sequence[str]) -> Self:
        """The same columns without the optional ones that a table does not have."""

        def there(name: str | None) -> str | None:
            return name if name in known else None

        return replace(
            self,
            step=there(self.step),
            candidate=there(self.candidate),
            log_prob=there(self.log_prob),
            length=there(self.length),
            text=there(self.text),
            prompt=there(self.prompt),
            advantage=there(self.advantage),
        )

    def check(self, known: Sequence[str]) -> Self:
        """The same columns, if a table with the known names can be read by them.

        Raises:
            InputError: if a column is missing, the picks lack a group or a score, or contradict each other.
        """
        there = f"the file has {listed(known)}"
        for name in self.named():
            if name not in known:
                raise InputError("columns", f"There is no column {shown(name)}; {there}.")
        if not self.score:
            raise InputError("score", f"Which column holds the score? Pick one or more; {there}.")
        if not self.group and self.size is None:
            raise InputError("group", f"Which column tells the groups apart? Pick one or more, or a size; {there}.")
        if self.size is not None and self.size < 1:
            raise InputError("size", f"A group has at least 1 row, not {self.size}.")
        if self.weights and len(self.weights) != len(self.score):
            raise InputError("weights", f"There are {len(self.weights)} weights for {len(self.score)} scores.")
        if self.log_prob_kind == "mean" and self.log_prob and not self.length:
            raise InputError("length", "A mean log-prob per token needs the column with the number of tokens.")
        return self


def listed(names: Sequence[str]) -> str:
    """Column names for a message."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (", ".join(shown(name) for name in names[:_SHOWN]) or "no columns") + more


_GUESSES: Mapping[str, tuple[str, ...]] = {
    "group": (
        "group", "group_id", "uid", "prompt_id", "prompt_idx", "prompt_uid", "problem_id", "question_id", "task_id",
        "example_id", "prompt", "input_prompt", "input", "question", "problem", "query", "instruction",
    ),
    "score": ("score", "reward", "rewards", "scores", "total_reward", "final_reward", "return", "acc", "correct"),
    "step": ("step", "global_step", "training_step", "train_step", "iteration", "epoch"),
    "log_prob": (
        "log_prob", "logprob", "log_probs", "logprobs", "sum_logprob", "sum_log_prob", "old_log_prob", "old_logprob",
        "old_log_probs", "cumulative_logprob", "generation_logprobs", "logp",
    ),
    "length": ("length", "n_tokens", "num_tokens", "response_length", "completion_length", "tokens", "response_tokens"),
    "text": ("text", "output", "completion", "response", "output_response", "answer", "generation", "model_answer"),
    "prompt": ("prompt", "input", "question", "input_prompt", "problem", "query", "instruction"),
    "advantage": ("advantage", "advantages", "adv"),
}  # fmt: skip


NO_SCORES = frozenset(word for what in ("group", "step", "log_prob", "length") for word in _GUESSES[what])


def guess(known: Sequence[str], numeric: Sequence[str] = ()) -> Columns:
    """The columns by their usual names; what is not found is left out.

    Args:
        known: names of the table.
        numeric: those that hold numbers; names with "reward" or "score" among them are scores.
    """
    lower = {name.lower(): name for name in reversed(known)}
    found = {what: next((lower[w] for w in words if w in lower), None) for what, words in _GUESSES.items()}
    taken = {name for what, name in found.items() if name and what != "score"}
    score: tuple[str, ...] = (found["score"],) if found["score"] else ()
    if not score:
        score = tuple(n for n in numeric if n not in taken and any(w in n.lower() for w in ("reward", "score")))
    return Columns(
        group=(found["group"],) if found["group"] else (),
        score=score,
        step=found["step"],
        log_prob=found["log_prob"],
        length=found["length"],
        text=found["text"],
        prompt=found["prompt"],
        advantage=found["advantage"],
    )


def parse(text: str) -> dict[str, str]:
    """`group=prompt_id,score=acc+format,step=step` as a mapping from what to names.

    Raises:
        InputError: for anything else.
    """
    picks: dict[str, str] = {}
    for part in text.split(","):
        what, equals, names = (word.strip() for word in part.partition("="))
        if not equals or not names:
            raise InputError("columns", f"--columns needs WHAT=COLUMN, not {shown(part)}.")
        picks[what] = names
    return picks


def with_picks(columns: Columns, picks: Mapping[str, str]) -> Columns:
    """The columns with some replaced; `+` stands between several groups or scores.

    Raises:
        InputError: for an unknown name or a value of the wrong kind.
    """
    known = tuple(field.name for field in fields(Columns))
    values = {name: getattr(columns, name) for name in known}
    for what, text in picks.items():
        if what not in known:
            raise InputError("columns", f"Unknown column {shown(what)}; known: {', '.join(known)}.")
        values[what] = _pick(what, text)
    if "score" in picks and "weights" not in picks:
        values["weights"] = ()
    if "size" in picks and "group" not in picks:
        values["group"] = ()
    return Columns(**values)


def _pick(what: str, text: str) -> object:
    if what in ("group", "score"):
        return tuple(text.split("+"))
    try:
        if what == "weights":
            return tuple(float(word) for word in text.split("+"))
        if what == "size":
            return int(text)
    except ValueError:
        raise InputError(what, f"{what} is {shown(text)}, which is not a number.") from None
    if what == "log_prob_kind" and text not in ("sum", "mean"):
        raise InputError(what, f"log_prob_kind is sum or mean, not {shown(text)}.")
    return None if text == "-" else text
