# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on a cluster: retried, or reported with the partition; never a wrong record."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cluster_tables import Home, kill, make_home, outside_cluster, require_equal, slow, wait_until

from nttforge.errors import ClusterError
from nttforge_cluster import connected, engine, local_workers, scheduler
from nttforge_cluster.local import local_client
from nttforge_cluster.manifest import NAME
from nttforge_cluster.scheduler import dask, dask_client, workers_of


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with local_workers(2) as found:
        yield found


@pytest.fixture
def both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets this process, which has keys, speak to Dask, so that it can break workers by a client.

    That this is refused otherwise is tested in test_cluster_thief.py.
    """
    monkeypatch.setattr(scheduler, "refuse_secrets", lambda what, reason: None)


def test_a_worker_killed_in_mid_partition(home: Home, tmp_path: Path, client: Any) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    killed: list[int] = []

    def killer() -> None:
        for _ in range(3):
            wait_until(lambda: any(int(p.name) not in killed for p in begun.iterdir()))
            killed.append(next(int(p.name) for p in begun.iterdir() if int(p.name) not in killed))
            kill(killed[-1])

    thread = threading.Thread(target=killer)
    thread.start()
    result = home.dataset.map(slow(0.25, str(begun))).persist(tmp_path / "out", client=client)
    thread.join()
    assert len(set(killed)) == 3
    require_equal(home, result)
    assert sorted(p.name for p in (tmp_path / "out").iterdir() if p.name.startswith(".")) == []


@pytest.mark.usefixtures("both_sides")
def test_killed_workers_come_back_however_long_they_take() -> None:
    """Dask gives a worker up that is not there a while after a kill, and all kills run into it."""
    impatient = {"distributed.deploy.lost-worker-timeout": "100ms"}  # less than any start takes
    with dask("dask").config.set(impatient), local_client(2) as client:
        killed = client.run(os.getpid)
        for pid in killed.values():
            kill(pid)
        wait_until(lambda: len(set(workers_of(client)) - set(killed)) == 2)


def test_a_damaged_partition(home: Home, tmp_path: Path, client: Any) -> None:
    file = home.folder / "in" / "part-000003.enc"
    whole = file.read_bytes()
    file.write_bytes(whole[:5000] + bytes([whole[5000] ^ 4]) + whole[5001:])
    done: list[str] = []
    steps = home.dataset.map(slow(0))
    try:
        with pytest.raises(ClusterError) as caught:
            steps.persist(tmp_path / "out", client=client, said=lambda o: done.append(o["name"]))
    finally:
        file.write_bytes(whole)
    said = str(caught.value)
    assert said.startswith("7 of 8 partitions are done. part-000003: ")
    assert f"{file} is damaged: column a of batch 0 does not have its SHA-256" in said
    assert "(worker tls://127.0.0.1:" in said
    assert "part-000003" not in done
    assert not (tmp_path / "out" / NAME).exists()
    again: list[bool] = []
    result = steps.persist(tmp_path / "out", client=client, said=lambda o: again.append(o["kept"]))
    assert sorted(again) == [False] + [True] * 7
    require_equal(home, result)


def test_a_partition_of_another_dataset(home: Home, tmp_path: Path, client: Any) -> None:
    file = home.folder / "in" / "part-000003.enc"
    whole = file.read_bytes()
    file.write_bytes((home.folder / "in" / "part-000002.enc").read_bytes())
    try:
        with pytest.raises(
            ClusterError, match=r"part-000003: .* holds part-000002, not part-000003"
        ):
            home.dataset.map(slow(0)).persist(tmp_path / "out", client=client)
    finally:
        file.write_bytes(whole)


@pytest.mark.full
@pytest.mark.usefixtures("both_sides")
def test_a_full_disk(home: Home, tmp_path: Path) -> None:
    """The workers' writes fail with the operating system's own error, half-way through a file."""

    def full(on: bool) -> None:
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit = 100_000 if on else resource.RLIM_INFINITY
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    steps, out = home.dataset.map(slow(0)), tmp_path / "out"
    with local_client(2) as client:
        client.run(full, True)
        with pytest.raises(ClusterError) as caught:
            steps.persist(out, client=client)
        said = str(caught.value)
        assert "part-00000" in said
        assert "File too large" in said
        assert "(worker tls://127.0.0.1:" in said
        assert "free space or mend access there, and run the same again" in said
        assert [p.name for p in out.iterdir() if p.suffix == ".part"] == []
        client.run(full, False)
        require_equal(home, steps.persist(out, client=client))


@pytest.mark.full
@pytest.mark.usefixtures("both_sides")
def test_a_worker_with_another_release(home: Home, tmp_path: Path) -> None:
    def another() -> None:
        from nttforge_cluster import work

        work.VERSION = "0.0.9"

    steps = home.dataset.map(slow(0.05))
    with local_client(2) as client:
        old, good = workers_of(client)
        client.run(another, workers=[old])
        used: list[str] = []
        result = steps.persist(
            tmp_path / "out", client=client, said=lambda o: used.append(o["worker"].split()[0])
        )
        require_equal(home, result)
        assert set(used) == {good}
        client.run(another)
        with pytest.raises(ClusterError) as caught:
            steps.persist(tmp_path / "none", client=client)
    said = str(caught.value)
    assert said.startswith("no worker can compute part-00000")
    assert "the worker has nttforge 0.0.9, and the client" in said
    assert "install the same release of nttforge on all workers" in said
    assert good in said


@pytest.mark.usefixtures("both_sides")
def test_a_worker_without_access_to_the_keys(home: Home, tmp_path: Path) -> None:
    def without() -> None:
        from nttforge_cluster import storage

        usual = storage.Store.opened

        def opened(self: Any, name: str) -> Any:
            if name == "evaluation.key":
                raise PermissionError(13, "Permission denied", self.file(name))
            return usual(self, name)

        storage.Store.opened = opened  # type: ignore[method-assign]

    steps = home.dataset.map(lambda a, b: {"c": a * b})
    with local_client(2) as client:
        bad, good = workers_of(client)
        client.run(without, workers=[bad])
        used: list[str] = []
        result = steps.persist(
            tmp_path / "out",
            keys=home.server,
            client=client,
            said=lambda o: used.append(o["worker"].split()[0]),
        )
        assert set(used) == {good}
        found = result.decrypt(home.keys.secret)["c"]
        assert (found == home.table["a"] * home.table["b"]).all()
        client.run(without, workers=[good])
        with pytest.raises(ClusterError) as caught:
            client.run(_forget)
            steps.persist(tmp_path / "none", keys=home.server, client=client)
    said = str(caught.value)
    assert "no worker can compute part-00000" in said
    assert f"Permission denied: '{home.server}/evaluation.key'" in said
    assert "mount the folder of keys on the worker" in said


def _forget() -> None:
    from nttforge_cluster import work

    work.CACHE = work.Cache()


def test_keys_that_are_not_the_clients(home: Home, tmp_path: Path) -> None:
    """The file changes between the client's look and the workers'."""
    file = home.server / "evaluation.key"
    whole = file.read_bytes()

    def changed(plan: Any) -> None:
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))

    try:
        with (
            local_workers(1) as client,
            pytest.raises(ClusterError, match="does not have the SHA-256 that the client saw"),
        ):
            home.dataset.map(lambda a, b: a * b).persist(
                tmp_path / "out", keys=home.server, client=client, planned=changed
            )
    finally:
        file.write_bytes(whole)


@pytest.mark.full
@pytest.mark.usefixtures("both_sides")
def test_the_scheduler_dies_and_a_new_one_goes_on(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_PATIENCE", 5.0)
    steps, kept = home.dataset.map(slow(0.2)), []
    with outside_cluster(tmp_path) as (address, scheduler), dask_client(address) as client:

        def said(outcome: dict[str, Any]) -> None:
            kept.append(outcome["name"])
            if len(kept) == 3:
                scheduler.kill()

        with pytest.raises(ClusterError, match="the scheduler"):
            steps.persist(tmp_path / "out", client=client, said=said)
    assert not (tmp_path / "out" / NAME).exists()
    outcomes: list[dict[str, Any]] = []
    with local_workers(2) as client:
        result = steps.persist(tmp_path / "out", client=client, said=outcomes.append)
    assert set(kept) <= {o["name"] for o in outcomes if o["kept"]}
    require_equal(home, result)


@pytest.mark.usefixtures("both_sides")
def test_no_worker_and_no_scheduler(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_PATIENCE", 0.5)
    steps = home.dataset.map(slow(0))
    with (
        outside_cluster(tmp_path, workers=0) as (address, _),
        dask_client(address, seconds=20) as client,
        pytest.raises(ClusterError, match=r"the scheduler has had no worker for 0.5 s: start some"),
    ):
        steps.persist(tmp_path / "out", client=client)
    with (
        pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127.0.0.1:9 within 1 s"),
        connected("tcp://127.0.0.1:9", seconds=1),
    ):
        pass


@pytest.mark.full
@pytest.mark.usefixtures("both_sides")
def test_few_partitions_are_given_out_at_a_time(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, most = [0], [0]

    def counted(*arguments: Any, **options: Any) -> Any:
        given[0] += 1
        most[0] = max(most[0], given[0])
        return submit(*arguments, **options)

    def said(_: dict[str, Any]) -> None:
        given[0] -= 1

    with local_client(2) as client:
        submit = client.submit
        monkeypatch.setattr(client, "submit", counted)
        steps = home.dataset.map(slow(0.02))
        steps.persist(tmp_path / "out", client=client, said=said, in_flight=3)
    assert most[0] == 3


@pytest.mark.usefixtures("both_sides")
def test_a_worker_takes_no_more_memory_than_was_stated(home: Home, tmp_path: Path) -> None:
    """Products and sums with keys, in batches: growth of the process's peak against the plan."""

    def peak() -> int:
        from pathlib import Path

        from nttforge_cluster import work  # noqa: F401

        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(x.split()[1]) * 1024 for x in lines if x.startswith("VmHWM:"))

    plans: list[Any] = []
    steps = home.dataset.map(lambda a, b: {"c": a * b, "d": a * a})
    with local_client(1) as client:
        (before,) = client.run(peak).values()
        steps.persist(tmp_path / "out", keys=home.server, client=client, planned=plans.append)
        (after,) = client.run(peak).values()
    assert plans[0].total == plans[0].keys + 2 * plans[0].batch
    assert after - before < plans[0].total
