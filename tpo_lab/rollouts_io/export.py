"""What is known of every group as a table that others read: Arrow, and from it Parquet, CSV and JSON."""

import io
import json
import math
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.csv as pa_csv  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from tpo_lab.rollouts_io.health import KINDS, Health
from tpo_lab.rollouts_io.logged import Logged
from tpo_lab.rollouts_io.table import Rollouts


def groups_table(table: Rollouts, health: Health) -> pa.Table:
    """One row a group."""
    n = health.numbers
    kinds = pa.DictionaryArray.from_arrays(pa.array(health.kinds.astype(np.int8)), pa.array(KINDS))
    labels = pa.DictionaryArray.from_arrays(
        pa.array(table.group_key.astype(np.int32)), pa.array(table.labels, pa.string())
    )
    return pa.table(
        {
            "group": np.arange(1, table.groups + 1),
            "step": pa.array(table.group_step, from_pandas=True),
            "key": labels.cast(pa.string()),
            "kind": kinds.cast(pa.string()),
            "candidates": table.sizes(),
            "scored": n.n,
            "mean": n.mean,
            "sigma": n.sigma,
            "amplification": n.amplification,
            "kl_q_p": n.kl,
            "entropy_p_old": n.entropy_p_old,
            "entropy_q": n.entropy_q,
            "mean_abs_q_minus_p": n.mean_abs_change,
            "argmax_moved": n.argmax_moved,
            "peaked": n.peaked,
            "largest_u": n.largest,
        }
    )


def as_parquet(rows: pa.Table) -> bytes:
    """The table as a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(rows, sink)
    return sink.getvalue()


def as_csv(rows: pa.Table) -> bytes:
    """The table as CSV with a header."""
    sink = io.BytesIO()
    pa_csv.write_csv(rows, sink)
    return sink.getvalue()


def as_mapping(table: Rollouts, health: Health, found: Logged | None) -> dict[str, Any]:
    """The health as JSON values."""
    s = health.setting
    mapping: dict[str, Any] = finite(
        {
            "format": table.format.name,
            "columns": {
                name: list(value) if isinstance(value, tuple) else value
                for name in table.columns.__dataclass_fields__
                if (value := getattr(table.columns, name)) not in (None, ())
            },
            "rows": table.rows,
            "rows_unreadable": table.faults.rows,
            "unreadable": {
                reason: {"rows": fault.rows, "first": fault.places} for reason, fault in table.faults.by_reason.items()
            },
            "notes": list(table.notes),
            "setting": {
                "rule": s.rule,
                "eta": s.eta,
                "strength": s.strength,
                "policy": s.policy,
                "log_prob": s.log_prob,
                "missing": s.missing,
            },
            "threshold": health.threshold,
            "suggested_threshold": health.suggested,
            **health.summary,
            "advantages": None
            if found is None
            else {"rule": found.rule, "groups": found.compared, "groups_that_disagree": int(found.groups.sum())},
            "over_steps": {name: values.tolist() for name, values in health.steps.items()},
        }
    )
    return mapping


def as_json(mapping: dict[str, Any]) -> str:
    """The mapping as text; it holds no NaN."""
    return json.dumps(mapping, allow_nan=False, indent=2) + "\n"


def finite(value: Any) -> Any:
    """The value with null for what JSON has no word for."""
    if isinstance(value, dict):
        return {name: finite(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
