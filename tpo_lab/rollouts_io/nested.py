"""Objects that hold several candidates, or hide their numbers in lists, as flat rows: one dict a candidate."""

from collections.abc import Iterator
from typing import Any

from tpo_lab.rollouts_io.values import flat_text

Row = dict[str, Any]


def prime_rl(episode: Row) -> Iterator[Row]:
    """One row a trace: rewards {name: {score, weight}} are added up, log-probs are those of its sampled tokens."""
    group = episode.get("group")
    key = group.get("id") if isinstance(group, dict) else group
    prompt = episode.get("prompt") or (group.get("prompt") if isinstance(group, dict) else None)
    for trace in _listed(episode.get("traces")):
        if not isinstance(trace, dict):
            yield {"group": key, "score": "no trace"}  # unreadable, and counted as such
            continue
        nodes = [node for node in _listed(trace.get("nodes")) if isinstance(node, dict)]
        log_probs = [value for node in nodes for value in _listed(node.get("logprobs"))]
        yield {
            "group": key,
            "step": episode.get("step"),
            "score": _weighted(trace.get("rewards")),
            "log_prob": log_probs or None,
            "length": log_probs or None,
            "prompt": prompt,
            "text": _first(trace, "completion", "output", "text") or _texts(nodes),
            "advantage": _constant(_first(trace, "advantages", "advantage"))
            if _first(trace, "advantages", "advantage") is not None
            else _constant([value for node in nodes for value in _listed(_first(node, "advantages", "advantage"))]),
        }


def reasoning_gym(document: Row) -> Iterator[Row]:
    """One row a completion of each entry of `results`."""
    for number, entry in enumerate(_listed(document.get("results"))):
        if not isinstance(entry, dict):
            yield {"group": number, "score": "no result"}
            continue
        for completion in _listed(entry.get("completions")):
            if not isinstance(completion, dict):
                yield {"group": number, "score": "no completion"}
                continue
            yield {
                "group": number,
                "score": completion.get("score"),
                "prompt": entry.get("question"),
                "text": _first(completion, "full_model_response", "model_answer"),
            }


def nemo_rl(sample: Row) -> Iterator[Row]:
    """The sample with its lists of length 1 opened; the prompt is what comes before the first trained token."""
    row = {name: _open(value) for name, value in sample.items()}
    mask, tokens = _listed(row.get("token_loss_mask")), _listed(row.get("token_ids"))
    start = next((i for i, kept in enumerate(mask) if kept), len(tokens))
    content = row.get("content")
    prompt = content[:-1] if isinstance(content, list) and len(content) > 1 else None
    key = prompt if prompt is not None else str(tokens[:start]) if mask and tokens else None
    log_probs = _listed(_first(row, "prev_logprobs", "generation_logprobs"))
    trained = [x for x, kept in zip(log_probs, mask, strict=False) if kept] if mask else log_probs
    yield {
        "prompt": None if key is None else flat_text(key),
        "step": row.get("step"),
        "score": _first(row, "filtered_rewards", "rewards"),
        "log_prob": trained or None,
        "length": [1 for kept in mask if kept] or trained or None,
        "text": content[-1] if isinstance(content, list) and content else content,
        "advantage": _constant(_masked(row.get("advantages"), mask)),
    }


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _open(value: Any) -> Any:
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def _first(row: Row, *names: str) -> Any:
    """The first of the fields that is there and not null."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def _weighted(rewards: Any) -> Any:
    """The weighted sum of the scores that were given; None if none was, anything else as it is."""
    if not isinstance(rewards, dict):
        return rewards
    total: float = 0
    some = False
    for entry in rewards.values():
        score, weight = (entry.get("score"), entry.get("weight", 1.0)) if isinstance(entry, dict) else (entry, 1.0)
        if score is None:
            continue
        if not isinstance(score, int | float) or not isinstance(weight, int | float):
            return "no number"
        total, some = total + score * weight, True
    return total if some else None


def _texts(nodes: list[Row]) -> str | None:
    parts = [_first(node, "text", "content", "message", "completion") for node in nodes]
    return "\n".join(flat_text(part) for part in parts if part is not None) or None


def _masked(values: Any, mask: list[Any]) -> Any:
    if isinstance(values, list) and len(values) == len(mask):
        return [value for value, kept in zip(values, mask, strict=True) if kept]
    return values


def _constant(values: Any) -> Any:
    """The number that all entries are; None where they differ or there are none."""
    values = _open(values)
    if not isinstance(values, list):
        return values
    present = [value for value in values if value is not None]
    return present[0] if present and all(value == present[0] for value in present) else None
