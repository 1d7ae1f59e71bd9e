"""Every seed of one diagnostic: only what is new is read, also where a lane goes on from a checkpoint."""

from pathlib import Path

import numpy as np
import pytest

from tests.runs.store import CONFIG, DIAGNOSTICS, values_of
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.curves import Chunk, RunFile
from tpo_lab.runs.reader import Reader


def test_only_new_chunks_are_read_and_a_lane_that_goes_back_is_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = Catalogue(folder)
    run_id = catalogue.add(CONFIG)
    name, asked = DIAGNOSTICS[1], []
    reader = Reader(catalogue, run_id)
    assert reader.seeds(name) == {}

    def read(file: RunFile, since: int = 0, lane: str | None = None) -> list[Chunk]:
        asked.append(since)
        return original(file, since, lane)

    original = RunFile.read
    with RunFile.create(folder, run_id, DIAGNOSTICS, 3) as file:
        file.take("tpo")
        file.append("tpo", 0, values_of(0, 5), b"state")
        file.append("tpo", 5, values_of(5, 4))
        monkeypatch.setattr(RunFile, "read", read)
        before = reader.seeds(name)
        np.testing.assert_array_equal(before["tpo"], values_of(0, 9)[:, 1])
        file.take("tpo")  # from the checkpoint after five steps
        file.append("tpo", 5, values_of(20, 2))
        after = reader.seeds(name)
    np.testing.assert_array_equal(after["tpo"], np.concatenate([values_of(0, 5), values_of(20, 2)])[:, 1])
    np.testing.assert_array_equal(before["tpo"], values_of(0, 9)[:, 1])  # what was read stays as it was
    assert not after["tpo"].flags.writeable
    assert asked == [0, 2]
    assert reader.seeds("nothing") == {}
    reader.close()
    catalogue.close()
