# SPDX-License-Identifier: Apache-2.0
"""The example of a client without a GPU and a server that computes on one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from devices import gpu_devices

PROGRAM = Path(__file__).resolve().parents[3] / "examples" / "gpu_encryption.py"


def run(device: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), "--device", device]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("device", ["cpu", *gpu_devices()])
def test_a_client_and_a_server(device: str) -> None:
    done = run(device)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("2048 weighted sums of squares are right") == 2
    assert f"the server computed on {device}, the client on the CPU" in done.stdout


def test_a_server_without_its_device() -> None:
    done = run("cuda:99")
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "server: " in done.stderr and "client: the server has gone" in done.stderr
