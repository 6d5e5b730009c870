# SPDX-License-Identifier: Apache-2.0
"""Predicted DSPs are those that Yosys counts."""

from __future__ import annotations

from typing import Any

import pytest
from marks import needs

from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, Pipeline, plan_design
from nttforge_hardware.emit.files import design_files
from nttforge_hardware.plan.cores import choose_cores
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.dgt import plan_dgt
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.tools.synthesis import FAMILIES, Resources, count_core_dsps, disagreements
from nttforge_hardware.tools.synthesis_parts import design_parts, part_counts, sum_parts
from nttforge_oracle.number_theory import ntt_primes

needs_yosys = needs("pyosys")


def _in_full(*values: object) -> object:
    return pytest.param(*values, marks=pytest.mark.full)


@needs_yosys
@pytest.mark.parametrize(
    ("kind", "q", "family", "dsps"),
    [
        ("montgomery", ntt_primes(4096, 30, 1)[0], "xcup", 6),
        _in_full("montgomery", ntt_primes(8192, 52, 1)[0], "xcup", 12),
        _in_full("montgomery", ntt_primes(8192, 52, 1)[0], "xc7", 15),
        _in_full("barrett", ntt_primes(4096, 30, 1)[0], "xcup", 10),
        ("solinas", 2**30 - 2**18 + 1, "xcup", 4),
        _in_full("solinas", 2**52 - 2**20 + 1, "xcup", 6),
        _in_full("solinas", 2**52 - 2**20 + 1, "xc7", 9),
    ],
)
def test_predicted_dsps(kind: str, q: int, family: str, dsps: int) -> None:
    core = choose_cores(kind, (q,), Pipeline(block=FAMILIES[family].lower()))[0]
    assert count_core_dsps(core, family) == core.dsps == dsps


@needs_yosys
@pytest.mark.full
def test_predicted_resources_of_a_dgt_design_in_parts() -> None:
    design = plan_dgt(512, (2**17 - 1,), dp=4, pp=1, pipeline="small")
    parts, counts = design_parts(design, design_files(design, sets=1)), part_counts(design)
    assert list(parts) == list(counts) == ["top", "super pipeline 0", "core behind 1"]
    total = sum_parts([(parts[name].cells(), n) for name, n in counts.items()])
    counted = Resources("", "xcup", total)
    assert (counted.dsps, counted.ramb18) == (design.dsps, design.ramb18) == (3, 3)
    assert min(total.values()) > 0


def test_parts_of_designs() -> None:
    def parts(**fields: Any) -> dict[str, int]:
        moduli = usable_primes(64, 20, fields.pop("limbs", 1))
        plain = {"pipeline": "small"} | fields
        return part_counts(plan_design(HardwareParameters(64, moduli, **plain)))

    # Super pipelines 0 and 2 have memories; transforms enter at number 2.
    cores = {"core behind 1": 4, "core behind 3": 4}
    pipelines = {f"super pipeline {i}": 1 for i in range(4)}
    assert parts(dp=4, pp=4) == {"top": 1, **pipelines, **cores}
    assert parts(dp=8, pp=1, limbs=2) == {
        "top": 1,
        "super pipeline 0, limb 0": 1,
        "core behind 1, limb 0": 4,
        "super pipeline 0, limb 1": 1,
        "core behind 1, limb 1": 4,
    }
    with pytest.raises(
        ParameterError, match=r"pipeline = 'fast'.* have parts; synthesise the whole"
    ):
        parts(dp=4, pp=1, pipeline=device_pipeline("ecp5"))


def test_disagreements() -> None:
    predicted = {"dsps": 12, "ramb18": 6}
    assert disagreements({"dsps": 12, "ramb18": 6}, predicted) == []
    assert disagreements({"dsps": 12, "ramb18": 7}, predicted) == ["ramb18 = 7, predicted 6"]
    assert disagreements({"dsps": 11, "ramb18": 3}, predicted) == [
        "dsps = 11, predicted 12",
        "ramb18 = 3, predicted 6",
    ]
