# SPDX-License-Identifier: Apache-2.0
"""Incomplete transforms, and those of ML-KEM, ML-DSA and Falcon, against the oracle."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge.spec.transform import bit_reverse
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.cli.schemes import SCHEMES
from nttforge_hardware.prove.folder import prove_folder
from nttforge_hardware.tools.simulate import simulate_many
from nttforge_oracle import incomplete

#: Roots by FIPS 203, FIPS 204 and the Falcon specification.
ROOTS = {"ml-kem": 17, "ml-dsa": 1753, "falcon-512": 49, "falcon-1024": 7}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_values_are_those_of_the_standard(scheme: str) -> None:
    n, q, layers = SCHEMES[scheme]
    design = plan_design(HardwareParameters.incomplete(n, [q], layers, dp=4, pp=1))
    source, d = random.Random(scheme), n >> layers
    a = [source.randrange(q) for _ in range(n)]
    limbs = [design.oracle(c, a[c::d]) for c in range(d)]
    values = [limb[k] for k in range(1 << layers) for limb in limbs]
    zeta = ROOTS[scheme]
    assert values == incomplete.forward(a, q, layers, zeta=zeta)
    k = source.randrange(1 << layers)  # one factor by the standard's own formula
    gamma = pow(zeta, 2 * bit_reverse(k, layers) + 1, q)
    for c, limb in enumerate(limbs):
        assert limb[k] == sum(x * pow(gamma, j, q) for j, x in enumerate(a[c::d])) % q
    steps = [design.compute(c, a[c::d], "forward") for c in range(d)]
    assert steps == limbs  # as the hardware goes


@needs("verilator")
@pytest.mark.parametrize("names", [("four",), pytest.param(("kem",), marks=pytest.mark.full)])
def test_simulated(names: tuple[str, ...], tmp_path: Path) -> None:
    designs = {
        "kem": HardwareParameters.incomplete(256, [3329], 7, direction="both", dp=4, pp=2),
        "four": HardwareParameters.incomplete(64, [97, 193], 4, dp=2, pp=4),
    }
    said = simulate_many({k: plan_design(designs[k]) for k in names}, tmp_path, sets=2)
    for name, runs in said.items():
        assert all(run.passed for run in runs.values()), (name, runs)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "kem"
    words = ["rtl", "generate", "--scheme", "ml-kem", "--dp", "4", "--pp", "7", "--out"]
    assert main([*words, str(out)]) == 0
    manifest = json.loads((out / "design.json").read_text())
    assert manifest["parameters"]["degree"] == 2
    assert "coefficient c of the polynomial modulo X^2 - gamma" in (out / "README.md").read_text()
    assert all(finding.proved for finding in prove_folder(out))
    again = manifest["command"].split()[1:]
    assert main([*again, "--out", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "rtl" / "ntt_top.sv").read_text() == (
        out / "rtl" / "ntt_top.sv"
    ).read_text()
    capsys.readouterr()
    for more, message in (
        (["--moduli", "97"], "leave --moduli out"),
        (["--direction", "product"], "--layers = 7 beside --direction = 'product'"),
    ):
        assert main([*words, str(tmp_path / "bad"), *more]) != 0
        assert message in capsys.readouterr().err


def test_bad_sets() -> None:
    for message, arguments in (
        ("layers = 9 must be in 3 ... 8", (256, [3329], 9)),
        ("layers = 2 must be in 3", (256, [3329], 2)),
        ("does not support n = 256", (256, [3329], 8)),
        ("must be distinct", (256, [3329, 3329], 7)),
    ):
        with pytest.raises(ParameterError, match=message):
            HardwareParameters.incomplete(*arguments)
    with pytest.raises(ParameterError, match="3 times in a row"):
        HardwareParameters(16, (97, 97, 193), degree=3)
    with pytest.raises(ParameterError, match="degree = 2 must divide the 3 limbs"):
        HardwareParameters(16, (97, 97, 193), degree=2)
