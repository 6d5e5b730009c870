# SPDX-License-Identifier: Apache-2.0
"""The public workloads of examples/workloads, in the sizes that take seconds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from nttforge._core import cuda as core

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples" / "workloads"


def _run(*arguments: object, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / "run.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:host", marks=pytest.mark.full)])
def test_products_of_64_bit_integers(device: str, tmp_path: Path) -> None:
    if device == "cuda:host" and not core.host_in_this_build():
        pytest.skip("this build does not run GPU kernels on the host")
    kept = tmp_path / "found.json"
    options = "--size", "small", "--runs", 1, "--device", device, "--json", kept
    done = _run("zn_multiplication", *options)
    assert done.returncode == 0, done.stderr
    assert "PASS: 1000 products equal those of plain integers" in done.stdout
    found = json.loads(kept.read_text("utf-8"))
    assert found["device"] == device
    assert 0 < found["bytes"]["answer"] < found["bytes"]["request"] < 2**19


def test_digits_are_recognised_as_in_the_clear(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    kept = tmp_path / "found.json"
    done = _run("ml_inference", "--size", "single", "--runs", 1, "--json", kept)
    assert done.returncode == 0, done.stderr
    assert "PASS: 1 predictions equal those of the network in the clear" in done.stdout
    found = json.loads(kept.read_text("utf-8"))
    assert found["accuracy"] == found["accuracy_in_the_clear"]
    assert 0 < found["bytes"]["answer"] < found["bytes"]["request"] < 2**18


def test_training_goes_down_as_in_the_clear(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    kept = tmp_path / "found.json"
    done = _run("logistic_training", "--size", "small", "--json", kept)
    assert done.returncode == 0, done.stderr
    assert "PASS: after 5 iterations weights are those of the clear" in done.stdout
    losses = json.loads(kept.read_text("utf-8"))["losses"]
    assert losses["encrypted"] == sorted(losses["encrypted"], reverse=True)
    assert losses["encrypted"] == pytest.approx(losses["plain"], abs=0.01)


def test_numbers_come_in_order() -> None:
    done = _run("sorting", "--size", "small")
    assert done.returncode == 0, done.stderr
    assert "PASS: 32 numbers are in order" in done.stdout


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:host", marks=pytest.mark.full)])
def test_all_layers_of_a_network(device: str, tmp_path: Path) -> None:
    kept = tmp_path / "found.json"
    options = "--size", "small", "--runs", 1, "--device", device, "--json", kept
    done = _run("resnet20", *options)
    assert done.returncode == 0, done.stderr
    assert "PASS: 10 scores are those of the same polynomials in the clear" in done.stdout
    found = json.loads(kept.read_text("utf-8"))
    assert found["layers"] == 8 and found["bootstraps"] >= 7
    assert found["packing_off_by"] < 1e-9 and found["off_by"] < 2**-8


def test_payloads_of_similar_records() -> None:
    done = _run("fetch_by_similarity", "--size", "toy", "--runs", 1)
    assert done.returncode == 0, done.stderr
    assert "payloads in 1 runs equal those of plain NumPy" in done.stdout


@pytest.mark.full
@pytest.mark.parametrize(
    ("workload", "size"),
    [
        ("ml_inference", "hundred"),
        ("logistic_training", "medium"),
        ("fetch_by_similarity", "small"),
        ("sorting", "medium"),
        ("resnet20", "medium"),
    ],
)
def test_larger_sizes(workload: str, size: str) -> None:
    pytest.importorskip("sklearn")
    done = _run(workload, "--size", size, "--runs", 1, timeout=3600)
    assert done.returncode == 0, done.stderr
    assert "PASS" in done.stdout


def test_a_harness_that_is_not_there_and_numbers_out_of_range(tmp_path: Path) -> None:
    done = _run("zn_multiplication", "--harness", tmp_path)
    assert done.returncode == 1
    assert "no harness/run_submission.py: clone the harness there first" in done.stderr
    assert "--runs 0: must be at least 1" in _run("zn_multiplication", "--runs", 0).stderr
    said = _run("ml_inference", "--size", "huge").stderr
    assert "--size huge: ml_inference has single, small, hundred, medium, large" in said
    said = _run("logistic_training", "--harness", tmp_path).stderr
    assert "--harness: there is none for logistic_training" in said


def test_every_workload_has_a_page_and_a_submission() -> None:
    page = (ROOT / "docs" / "workloads.md").read_text("utf-8")
    folders = [path for path in FOLDER.iterdir() if path.is_dir() and path.name[0] not in "._"]
    assert folders
    for folder in folders:
        assert (folder / "submission" / "README.md").is_file()
        assert f"examples/workloads/run.py {folder.name} " in page
