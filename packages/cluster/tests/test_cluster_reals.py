# SPDX-License-Identifier: Apache-2.0
"""Tables of real numbers, encrypted with CKKS: steps, workers and files are those of integers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nttforge import bfv, bgv, ckks
from nttforge.ckks import functions
from nttforge.errors import ArgumentTypeError, ParameterError, SizeError, UnsupportedError
from nttforge_cluster import EncryptedDataset, local_workers

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "cluster_sweep.py"
ROWS = 10_000
TABLE = {
    "a": np.random.default_rng(1).uniform(-1, 1, ROWS),
    "b": np.random.default_rng(2).uniform(-1, 1, ROWS),
}
BOUNDS = {"a": (-1, 1), "b": (-1, 1)}


@pytest.fixture(scope="module")
def keys() -> ckks.Keys:
    context = ckks.Context(ckks.Parameters.preset(2**13, 36))
    sums = [1 << k for k in range(context.slots.bit_length() - 1)]
    return context.generate_keys(rotations=sums)


@pytest.fixture(scope="module")
def server(keys: ckks.Keys, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("server")
    (folder / "parameters.bin").write_bytes(keys.context.parameters.to_bytes())
    (folder / "evaluation.key").write_bytes(keys.evaluation.to_bytes())
    return folder


@pytest.fixture(scope="module")
def dataset(keys: ckks.Keys, tmp_path_factory: pytest.TempPathFactory) -> EncryptedDataset:
    folder = tmp_path_factory.mktemp("reals") / "in"
    return EncryptedDataset.encrypt(TABLE, folder, keys.secret, bounds=BOUNDS, records=4096)


def _work(a: Any, b: Any) -> Any:
    return {"c": (a * b).apply(functions.Polynomial((0.0, 1.0, 0.5), (-1.0, 1.0))), "d": a - b}


def _expected() -> Any:
    product = TABLE["a"] * TABLE["b"]
    return product + 0.5 * (2 * product**2 - 1)


def test_workers_compute_on_real_numbers(
    keys: ckks.Keys, server: Path, dataset: EncryptedDataset, tmp_path: Path
) -> None:
    with local_workers(1) as client:
        result = dataset.map(_work).persist(tmp_path / "out", keys=server, client=client)
    assert [part.records for part in result.manifest.parts] == [4096, 4096, 1808]
    again = EncryptedDataset.open(tmp_path / "out")
    assert isinstance(again.parameters, ckks.Parameters)
    found = again.decrypt(keys.secret)
    assert np.abs(found["c"] - _expected()).max() < 1e-4
    assert np.abs(found["d"] - (TABLE["a"] - TABLE["b"])).max() < 1e-5


def test_this_process_and_fewer_bytes(
    keys: ckks.Keys, server: Path, dataset: EncryptedDataset, tmp_path: Path
) -> None:
    result = dataset.map(lambda a, b: 0.5 * a + b).persist(tmp_path / "out", shrink=True)
    found = result.decrypt(keys)["result"]
    assert np.abs(found - (0.5 * TABLE["a"] + TABLE["b"])).max() < 1e-5
    full = dataset.map(lambda a, b: a + b).persist(tmp_path / "full")
    assert (
        sum(p.bytes for p in result.manifest.parts) < sum(p.bytes for p in full.manifest.parts) / 2
    )
    sums = dataset.reduce(tmp_path / "sums", keys=server)
    total = sums["a"].decrypt(keys)
    assert np.abs(total - TABLE["a"].sum()).max() < 1e-2


def test_a_matrix_of_real_numbers(keys: ckks.Keys, server: Path, tmp_path: Path) -> None:
    matrix = np.array([[0.5, -0.25], [0.125, 1.0]])
    rows = EncryptedDataset.encrypt(
        {n: c[:3000] for n, c in TABLE.items()},
        tmp_path / "in",
        keys.public,
        matrix="x",
        bounds={"x": (-1, 1)},
    )
    result = rows.linear_map(matrix).persist(tmp_path / "out", keys=server)
    expected = np.stack([TABLE["a"][:3000], TABLE["b"][:3000]], axis=1) @ matrix.T
    assert np.abs(result.decrypt(keys)["x"] - expected).max() < 1e-5
    with pytest.raises(SizeError, match=r"matrix has shape \(2,\): need rows and columns"):
        rows.linear_map(np.ones(2))
    with pytest.raises(ParameterError, match="matrix has NaN"):
        rows.linear_map([[float("nan"), 0.0]])


def test_what_is_not_for_real_numbers(
    keys: ckks.Keys, dataset: EncryptedDataset, tmp_path: Path
) -> None:
    with pytest.raises(UnsupportedError, match="scale = 10"):
        EncryptedDataset.encrypt(TABLE, tmp_path / "a", keys.secret, scale=10)
    with pytest.raises(UnsupportedError, match="proved_bits is for integers"):
        dataset.decrypt(keys, shared=True, proved_bits=80)
    other = bgv.Context(bgv.Parameters.preset(4096)).generate_keys()
    with pytest.raises(ArgumentTypeError, match="a dataset is of BFV or of CKKS"):
        EncryptedDataset.encrypt(TABLE, tmp_path / "b", other.secret)
    integers = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
    with pytest.raises(ArgumentTypeError, match="scale = 1 would round them"):
        EncryptedDataset.encrypt(TABLE, tmp_path / "c", integers.secret)


@pytest.mark.full
def test_a_sweep_loses_nothing_when_workers_are_killed() -> None:
    options = "--records", "120000", "--features", "8", "--kills", "1", "--workers", "2"
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), *options], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS: 120000 records in 8 partitions, 1 workers killed, none lost" in done.stdout
