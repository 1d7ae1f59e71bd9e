"""Objects that hold several candidates, or hide their numbers in lists, as flat rows: one dict a candidate."""

from collections.abc import Iterable, Iterator
from typing import Any

from tpo_lab.rollouts_io.values import flat_text

Row = dict[str, Any]


def prime_rl(episode: Row) -> Iterator[Row]:
    """One row a trace of an episode: rewards {name: {score, weight}} are added up, log-probs are of what was sampled.

    Traces of agents that are not trained, such as judges, are no candidates.
    """
    group, task = _dict(episode.get("group")), _dict(episode.get("task"))
    key = _first({**task, "id": group.get("id")}, "id", "key", "hash")
    if key is None and not group:
        key = episode.get("group") or None
    work = _dict(_dict(episode.get("run")).get("work"))
    for trace in _listed(episode.get("traces")):
        if not isinstance(trace, dict):
            yield {"group": key, "score": "no trace"}  # unreadable, and counted as such
            continue
        agent = _dict(trace.get("agent"))
        if agent.get("trainable") is False:
            continue
        nodes = [node for node in _listed(trace.get("nodes")) if isinstance(node, dict)]
        log_probs = [value for node in nodes for value in _listed(node.get("logprobs"))]
        sampled = [1 for node in nodes for kept in _listed(node.get("mask")) if kept]
        credit = _first({**trace, **_dict(trace.get("info"))}, "advantage", "advantages")
        name = agent.get("name")
        yield {
            "group": key if name in (None, "agent") else f"{flat_text(key)} {flat_text(name)}",
            "id": trace.get("id"),
            "step": work.get("step"),
            "score": _weighted(trace.get("rewards")),
            "log_prob": log_probs or None,
            "length": log_probs or sampled or None,
            "prompt": _first(_dict(_first({**episode, **trace}, "task")).get("data") or {}, "prompt", "name")
            or _texts(node for node in nodes if not node.get("sampled")),
            "text": _texts(node for node in nodes if node.get("sampled")),
            "advantage": _constant(
                credit if credit is not None else [x for node in nodes for x in _listed(node.get("advantages"))]
            ),
        }


def prime_rl_trace(trace: Row) -> Iterator[Row]:
    """The same of a file with one trace a line, whose group is named in its `info`."""
    info = _dict(trace.get("info"))
    group = _first({**info, **trace}, "group_id", "example_id")
    yield from prime_rl({"group": {"id": group}, "task": trace.get("task"), "run": trace.get("run"), "traces": [trace]})


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


def _dict(value: Any) -> Row:
    return value if isinstance(value, dict) else {}


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
        score, weight = (entry.get("score"), entry.get("weight")) if isinstance(entry, dict) else (entry, None)
        weight = 1.0 if weight is None else weight
        if score is None:
            continue
        if not isinstance(score, int | float) or not isinstance(weight, int | float):
            return "no number"
        total, some = total + score * weight, True
    return total if some else None


def _texts(nodes: Iterable[Row]) -> str | None:
    """What the messages of the nodes say, one below the other: thoughts, contents, and calls of tools."""
    parts: list[Any] = []
    for node in nodes:
        message = node.get("message")
        if isinstance(message, dict):
            parts += [message.get("reasoning_content"), message.get("content"), message.get("tool_calls")]
        else:
            parts.append(_first(node, "message", "text", "content"))
    return "\n".join(flat_text(part) for part in parts if part) or None


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
