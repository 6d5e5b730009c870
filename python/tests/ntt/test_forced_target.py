# SPDX-License-Identifier: Apache-2.0
"""NTTFORGE_TARGET forced to each target, in a process of its own: which one ran."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import nttforge
from nttforge import _core

PROGRAM = """
import json, nttforge
from nttforge_oracle.fast import forward_fast
out = {"active": nttforge.active_target(), "ran": {}}
for bits in (50, 60):
    q = nttforge.ntt_primes(1024, bits)[0]
    plan = nttforge.NttPlan(1024, q)
    a = [(7 * i * i + 1) % q for i in range(1024)]
    assert plan.forward(a).tolist() == forward_fast(a, q)
    out["ran"][bits] = plan.recipe["target"]
print(json.dumps(out))
"""


@pytest.mark.parametrize("target", _core.all_targets())
def test_the_forced_target_is_the_one_that_runs(target: str) -> None:
    environment = {**os.environ, "NTTFORGE_TARGET": target}
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True
    )
    if target not in nttforge.available_targets():
        assert result.returncode != 0 and "UnsupportedError" in result.stderr
        assert f"target = {target}" in result.stderr.replace("'", "")
        pytest.skip(f"this CPU has no {target}; it was refused, as it must be")
    assert result.returncode == 0, result.stderr
    out = json.loads(result.stdout)
    assert out["active"] == target
    order = _core.all_targets()
    assert all(order.index(ran) <= order.index(target) for ran in out["ran"].values())
    # The class for which each target has the fastest kernels up to it.
    assert out["ran"]["50" if target == "avx512_ifma" else "60"] == target
