# SPDX-License-Identifier: Apache-2.0
"""The demonstration with its server on a GPU, and on the host's run of the GPU's kernels."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from devices import gpu_devices
from page_checks import Page, check_numbers, check_tables

import nttforge
from nttforge.errors import NttforgeError
from nttforge.typing import DeviceName
from nttforge_demo import command
from nttforge_demo.run import run


@pytest.fixture(autouse=True)
def _packages_of_the_demo() -> None:
    for package in ("sklearn", "matplotlib"):
        pytest.importorskip(package)


def _run(*words: str) -> int:
    """What ``nttforge demo`` does, where the package need not be installed."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(words))


@pytest.mark.parametrize(
    "device",
    [pytest.param(d, marks=[pytest.mark.full] * (d == "cuda:host")) for d in gpu_devices()],
)
def test_a_server_on_a_gpu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], device: DeviceName
) -> None:
    out = tmp_path / "page"
    words = ["--records", "20", "--out", str(out), "--seed", "test", "--keep-files"]
    assert _run(*words, "--device", device) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "20 of 20 decrypted scores equal" in text
    assert f"8 of 8 ciphertexts of {device} have the bytes of the CPU" in text
    assert f"server {device}: {nttforge.cuda.describe(device).card}" in text
    report = json.loads((out / "report.json").read_text("utf-8"))
    assert report["devices"]["client"]["device"] == "cpu"
    assert report["devices"]["server"]["device"] == device
    assert report["repeated_on_cpu"] == {"ciphertexts": 8, "equal_bytes": 8}
    files = sorted(f.name for f in (out / "exchange").iterdir())
    assert files == ["from_cpu", "from_server", "to_server"]
    page = Page((out / "index.html").read_text("utf-8"))
    words = " ".join(page.text.split())
    assert f"Server, on the GPU {device}" in words and "Client, on the CPU" in words
    assert "8 of 8 ciphertexts, results and" in words
    check_tables(page)
    check_numbers(page)


@pytest.mark.full
@pytest.mark.parametrize("device", gpu_devices()[:1])
def test_a_gpu_that_computes_something_else_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: DeviceName
) -> None:
    from nttforge_demo import run as module

    serve = module._serve

    def damaged(exchange: Path, *words: object) -> dict[str, object]:
        report = serve(exchange, *words)  # type: ignore[arg-type]
        if "--outbox" in words:
            file = exchange / "from_cpu" / "refined_000.ct"
            file.write_bytes(file.read_bytes()[:-1])
        return report

    monkeypatch.setattr(module, "_serve", damaged)
    result = run(tmp_path / "out", records=2, threads=1, device=device)
    assert result.equal_scores == result.equal_refined == 2
    assert (result.equal_files, result.repeated_files, result.passed) == (7, 8, False)


@pytest.mark.parametrize("device", ["gpu", "cuda:-1", "cuda:99", "cpu:0"])
def test_devices_that_are_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], device: str
) -> None:
    out = tmp_path / "page"
    with pytest.raises(NttforgeError):
        _run("--records", "2", "--out", str(out), "--device", device)
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == []
