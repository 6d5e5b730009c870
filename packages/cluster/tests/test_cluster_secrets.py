# SPDX-License-Identifier: Apache-2.0
"""No secret leaves the client: every byte that scheduler and workers saw is searched for it."""

from __future__ import annotations

import pickle
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_tables import Home, make_home, outside_cluster, slow

from nttforge.encrypted.kinds import private_kind
from nttforge.errors import ClusterError
from nttforge_cluster import connected, local_workers

#: Writes all that a process of Dask sends or receives to a file of its own.
RECORDER = """
import os, pathlib
from distributed.comm import tcp

log = open(pathlib.Path({folder!r}) / f"comm-{{os.getpid()}}.bin", "ab", buffering=0)
async def sent(*words, **options):
    frames = await tcp.recorded[0](*words, **options)
    for frame in frames:
        log.write(bytes(frame))
    return frames

async def received(frames, *words, **options):
    for frame in frames:
        log.write(bytes(frame))
    return await tcp.recorded[1](frames, *words, **options)

if not hasattr(tcp, "recorded"):  # it is loaded twice
    tcp.recorded = tcp.to_frames, tcp.from_frames
    tcp.to_frames, tcp.from_frames = sent, received
"""
_WINDOW = 24  # bytes of the packed key: nothing random has them by chance


def packed_forms(home: Home) -> dict[str, bytes]:
    """The secret's coefficients as the format packs them, and as integers of 1, 4 and 8 bytes."""
    data = home.keys.secret.to_bytes()
    payload = data[32 : 32 + home.keys.context.n // 4]
    bits = np.unpackbits(np.frombuffer(payload, np.uint8), bitorder="little").reshape(-1, 2)
    values = bits[:, 0].astype(np.int64) + 2 * bits[:, 1]
    values[values == 3] = -1
    assert set(np.unique(values)) == {-1, 0, 1}
    forms = {"packed": payload}
    return forms | {f"int{8 * s}": values.astype(f"<i{s}").tobytes() for s in (1, 4, 8)}


def found_in(data: bytes, forms: dict[str, bytes]) -> list[str]:
    """The forms of which a window lies in the data."""
    if private_kind(data) == "secret key":
        return ["the library's format"]
    named = []
    for name, form in forms.items():
        width = _WINDOW * (1 if name == "packed" else 4 * int(name[3:]) // 8)
        windows = range(0, len(form) - width, max(width, len(form) // 64))
        if any(form[i : i + width] in data for i in windows if any(form[i : i + width])):
            named.append(name)
    return named


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("secrets"), parts=3)


def test_the_search_finds_what_it_looks_for(home: Home) -> None:
    forms = packed_forms(home)
    noise = np.random.default_rng(0).bytes(100_000)
    assert found_in(noise, forms) == []
    for name, form in forms.items():
        assert name in found_in(noise + form + noise, forms)
    assert found_in(noise + home.keys.secret.to_bytes(), forms) == ["the library's format"]


def test_scheduler_and_workers_see_no_secret(home: Home, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    preload = tmp_path / "recorder.py"
    preload.write_text(textwrap.dedent(RECORDER.format(folder=str(seen))))
    with (
        outside_cluster(tmp_path, workers=2, preload=preload) as (address, _),
        connected(address, seconds=30) as client,
    ):
        assert client.count == 2
        steps = home.dataset.map(slow(0)).map(lambda c: {"d": c * c})
        result = steps.persist(tmp_path / "out", keys=home.server, client=client)
        sums = steps.reduce(tmp_path / "sums", keys=home.server, client=client)
    assert (result.decrypt(home.keys)["d"] >= 0).all()
    assert int(sums["d"].decrypt(home.keys)[0]) == int(result.decrypt(home.keys)["d"].sum())
    files = list(seen.iterdir())
    assert len(files) == 3
    assert all(p.stat().st_size > 5000 for p in files), "the recorder saw nothing"
    forms = packed_forms(home)
    storage = [p for folder in ("out", "sums") for p in (tmp_path / folder).rglob("*")]
    storage += [*home.server.iterdir(), *(home.folder / "in").iterdir()]
    storage += list((tmp_path / "dask-scratch-space").rglob("*"))
    for path in (*files, *storage):
        if path.is_file():
            assert found_in(path.read_bytes(), forms) == [], path
    text = b"".join(p.read_bytes() for p in files)
    assert b"part-000000" in text  # what travels by the scheduler: names and digests,
    assert b"evaluation" not in text  # no keys
    assert len(text) < 10 * 2**20


def test_a_worker_refuses_a_secret_key(home: Home, tmp_path: Path) -> None:
    """A key in a place where a worker reads, and one that a function reads there, in any form."""
    data = home.keys.secret.to_bytes()
    (tmp_path / "secret").write_bytes(data)
    (tmp_path / "pickle").write_bytes(pickle.dumps(home.keys.secret))

    def reading(name: str) -> Any:
        place = str(tmp_path / name)

        def work(a: Any, b: Any) -> Any:
            import pathlib
            import pickle

            from nttforge import bfv, seal

            data = pathlib.Path(place).read_bytes()
            if place.endswith("pickle"):
                return pickle.loads(data)
            if place.endswith("secret"):
                return bfv.SecretKey.from_bytes(a.context, data)
            return seal.import_secret_key(a.context, data)

        return work

    (tmp_path / "seal").write_bytes(bytes(100))
    with local_workers(1) as client:
        for name, what in (("pickle", ""), ("secret", ""), ("seal", " of SEAL")):
            refusal = f"a secret key{what} is refused here: this process speaks to Dask"
            with pytest.raises(ClusterError, match=refusal):
                home.dataset.map(reading(name)).persist(tmp_path / "out", client=client)

        def put(plan: Any) -> None:
            (home.server / "stray").write_bytes(data)

        try:
            with pytest.raises(ClusterError, match=r"stray is a secret key: nothing is computed"):
                home.dataset.map(lambda a, b: a * b).persist(
                    tmp_path / "other", keys=home.server, client=client, planned=put
                )
        finally:
            (home.server / "stray").unlink()
