"""A traced program comes back from its file as it was, and never from a file that is not its own."""

from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.training import kept

X = jnp.arange(3.0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept, "_folder", lambda: tmp_path / "new")
    return tmp_path / "new"


def compiled(traced: list[int], name: str = "f", factor: float = 2.0) -> Callable[..., dict[str, jax.Array]]:
    """A program that notes when it is traced."""

    def function(x: jax.Array, key: jax.Array) -> dict[str, jax.Array]:
        traced.append(1)
        return {"x": factor * x, "key": jax.random.fold_in(key, 1)}

    return kept.compiled(name, function, (X, jax.random.key(0)), {"x": 0, "key": 0}, {})


def test_a_second_process_need_not_trace(folder: Path) -> None:
    traced: list[int] = []
    first = compiled(traced)(X, jax.random.key(3))
    assert len(traced) == 1
    second = compiled(traced)(X, jax.random.key(3))
    assert len(traced) == 1
    np.testing.assert_array_equal(first["x"], 2 * X)
    np.testing.assert_array_equal(second["x"], 2 * X)
    assert first["key"] == second["key"] == jax.random.fold_in(jax.random.key(3), 1)
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"x" * 40, None])
def test_a_damaged_file_is_written_anew(folder: Path, damage: bytes | None) -> None:
    traced: list[int] = []
    compiled(traced)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] if damage is None else damage)
    np.testing.assert_array_equal(compiled(traced)(X, jax.random.key(0))["x"], 2 * X)
    assert len(traced) == 2
    compiled(traced)
    assert len(traced) == 2


def test_another_name_or_source_is_another_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    traced: list[int] = []
    compiled(traced)
    np.testing.assert_array_equal(compiled(traced, "g", 3.0)(X, jax.random.key(0))["x"], 3 * X)
    monkeypatch.setattr(kept, "_sources", lambda: "changed")
    np.testing.assert_array_equal(compiled(traced, factor=4.0)(X, jax.random.key(0))["x"], 4 * X)
    assert len(traced) == len(list(folder.iterdir())) == 3


def test_without_a_folder_or_with_one_that_takes_no_file_it_is_traced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced: list[int] = []
    monkeypatch.setattr(kept, "_folder", lambda: None)
    compiled(traced)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(kept, "_folder", lambda: tmp_path / "file" / "below")
    np.testing.assert_array_equal(compiled(traced)(X, jax.random.key(0))["x"], 2 * X)
    assert len(traced) == 2


def test_the_sources_of_the_engine_name_the_file() -> None:
    package = Path(kept.__file__).parents[1]
    assert all((package / room).is_dir() for room in kept.ROOMS)
