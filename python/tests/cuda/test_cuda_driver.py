# SPDX-License-Identifier: Apache-2.0
"""What a user reads where the driver is too old or shows no card: a stand-in for the driver."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nttforge._core import cuda as core

COMPILER = next((c for c in ("cc", "gcc", "g++", "clang") if shutil.which(c)), None)

# What the CUDA runtime looks for first in a driver: its version, then cuInit.
DRIVER = """
#include <string.h>
int cuDriverGetVersion(int* version) { *version = %d; return 0; }
int cuInit(unsigned flags) { return %d; }
static int missing() { return 500; }
int cuGetProcAddress_v2(const char* name, void** found, int version, unsigned long long flags,
                        int* status) {
  if (status) *status = 0;
  *found = (void*)missing;
  if (!*name || !strcmp(name, "cuDriverGetVersion")) *found = (void*)cuDriverGetVersion;
  if (!strcmp(name, "cuInit")) *found = (void*)cuInit;
  if (!strcmp(name, "cuGetProcAddress")) *found = (void*)cuGetProcAddress_v2;
  return 0;
}
"""

# Everything but the GPU works, and each way to ask for it says the same.
USER = """
import numpy as np, nttforge
from nttforge import cuda
plan = nttforge.NttPlan(16, 7681)
assert (plan.inverse(plan.forward(np.arange(16, dtype=np.uint64))) == np.arange(16)).all()
why = cuda.why_unavailable()
assert not cuda.is_available() and cuda.devices() == []
for ask in (lambda: nttforge.NttPlan(16, 7681, device="cuda"), lambda: cuda.empty(4)):
    try:
        ask()
    except nttforge.UnsupportedError as error:
        assert str(error) == why, error
    else:
        raise AssertionError("no error")
print(why)
"""

CASES = {
    "too old": (12040, 0, "the NVIDIA driver is too old: it runs CUDA 12.4 and this build needs 1"),
    "no card": (99000, 100, "no NVIDIA GPU is visible: look at nvidia-smi and the environment var"),
}


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
@pytest.mark.skipif(not core.in_this_build(), reason="this build has no GPU kernels")
@pytest.mark.parametrize("case", CASES)
def test_drivers_that_cannot_be_used(case: str, tmp_path: Path) -> None:
    version, code, text = CASES[case]
    source = tmp_path / "driver.c"
    source.write_text(DRIVER % (version, code), encoding="utf-8")
    build = [str(COMPILER), "-shared", "-fPIC", "-w", "-x", "c", str(source)]
    subprocess.run([*build, "-o", str(tmp_path / "libcuda.so.1")], check=True)
    places = f"{tmp_path}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":")
    environment = os.environ | {"LD_LIBRARY_PATH": places}
    done = subprocess.run(
        [sys.executable, "-c", USER], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(text) and done.stdout.count("\n") == 1
