# SPDX-License-Identifier: Apache-2.0
"""Files that are gone: the healthy partitions are computed, and all others named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_tables import make_home, plain, slow

from nttforge import bfv
from nttforge.errors import ClusterError
from nttforge_cluster import EncryptedDataset, Store, local_workers
from nttforge_cluster.manifest import NAME
from nttforge_cluster.parts import file_name, part_name
from nttforge_cluster.work import Job, Task, run_task, this_process

PARTS, GONE = 40, (4, 17, 38)
TABLE, BOUNDS = {"a": np.arange(10 * PARTS) % 7}, {"a": (0, 6)}
KEYS = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()


@pytest.fixture
def dataset(tmp_path: Path) -> EncryptedDataset:
    """Forty partitions, of which three files are gone."""
    found = EncryptedDataset.encrypt(TABLE, tmp_path / "in", KEYS.secret, records=10, bounds=BOUNDS)
    for number in GONE:
        (tmp_path / "in" / file_name(part_name(number))).rename(tmp_path / part_name(number))
    return found


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with local_workers(2) as found:
        yield found


@pytest.mark.parametrize("spread", [False, True])
def test_healthy_partitions_are_computed(
    dataset: EncryptedDataset, tmp_path: Path, client: Any, spread: bool
) -> None:
    steps = dataset.map(lambda a: {"c": a + a})
    options = {"client": client} if spread else {}
    with pytest.raises(ClusterError) as caught:
        steps.persist(tmp_path / "out", **options)
    said = str(caught.value)
    assert said.startswith("37 of 40 partitions are done. part-0000")
    for number in GONE:
        assert f"{part_name(number)}: " in said
        assert str(tmp_path / "in" / file_name(part_name(number))) in said
    assert said.count("fetch the partition again, or encrypt it again; the others are done") == 3
    assert len(list((tmp_path / "out").glob("part-*"))) == PARTS - len(GONE)
    assert not (tmp_path / "out" / NAME).exists()
    for number in GONE:
        (tmp_path / part_name(number)).rename(tmp_path / "in" / file_name(part_name(number)))
    kept: list[bool] = []
    result = steps.persist(tmp_path / "out", said=lambda o: kept.append(o["kept"]), **options)
    assert sorted(kept) == [False] * len(GONE) + [True] * (PARTS - len(GONE))
    assert (result.decrypt(KEYS)["c"] == 2 * TABLE["a"]).all()


def task_of(dataset: EncryptedDataset, folder: str, name: str) -> tuple[Job, Task]:
    """One task, of a folder that this process may not have."""
    job = Job(
        version=dataset.manifest.nttforge,
        fingerprint=dataset.manifest.fingerprint,
        parameters=dataset.parameters.to_bytes(),
        output=f"{folder}-out",
        keys="",
        keys_sha256="",
        device="cpu",
        steps=(),
        shared={},
        columns=dataset.columns,
        total=False,
        shrink=False,
        at_once=1,
        cache_bytes=2**20,
        client=this_process(),
    )
    part = dataset.manifest.parts[4]
    return job, Task(name, folder, ((part.name, part.sha256),), part.records)


def test_what_is_damage_and_what_is_no_access(dataset: EncryptedDataset, tmp_path: Path) -> None:
    there = dataset.store.address
    job, task = task_of(dataset, there, "part-000004")
    assert run_task(job, task)["trouble"] == "damaged"
    job, task = task_of(dataset, f"{there}-elsewhere", "part-000004")
    assert run_task(job, task)["trouble"] == "input"
    assert not Store(there).can_read("part-000004.enc")
    assert Store(there).can_read(NAME)


def test_sums_name_what_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums on the way have no manifest: one that is gone, beside others, is damage as well."""
    monkeypatch.setattr("nttforge_cluster.computation._FAN_IN", 2)
    home = make_home(tmp_path, parts=4)
    gone = tmp_path / "sums/level-0/part-000002.enc"

    def said(outcome: dict[str, Any]) -> None:
        if outcome["name"] == "part-000003" and gone.exists():
            gone.unlink()

    steps = home.dataset.map(slow(0))
    with pytest.raises(ClusterError, match=r"1 of 2 partitions are done. part-000001: .*part-0000"):
        steps.reduce(tmp_path / "sums", keys=home.server, said=said)
    sums = steps.reduce(tmp_path / "sums", keys=home.server)
    assert int(sums["c"].decrypt(home.keys)[0]) == plain(home).sum()


def test_keys_that_are_gone_are_named(tmp_path: Path) -> None:
    server = tmp_path / "keys"
    server.mkdir()
    (server / "parameters.bin").write_bytes(KEYS.context.parameters.to_bytes())
    found = EncryptedDataset.encrypt(
        TABLE, tmp_path / "in", KEYS.secret, records=200, bounds=BOUNDS
    )
    steps = found.map(lambda a: a * a)
    with pytest.raises(ClusterError) as caught:
        steps.persist(tmp_path / "out", keys=server)
    assert f"{server}/evaluation.key does not exist, and the computation needs it" in str(
        caught.value
    )
    with pytest.raises(ClusterError, match=r"no folder of keys is given \(keys=\), and the"):
        steps.persist(tmp_path / "out")
