# SPDX-License-Identifier: Apache-2.0
"""Vectors meet the edges of the arithmetic in every stage; some are those of standards."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge.spec.transform import bit_reverse
from nttforge_hardware.cli.schemes import SCHEMES
from nttforge_hardware.emit.edges import EdgeVectors
from nttforge_hardware.emit.files import design_files
from nttforge_hardware.emit.vectors import default_sets
from nttforge_hardware.plan.design import plan_design
from nttforge_hardware.plan.parameters import HardwareParameters
from nttforge_hardware.prove.folder import prove_folder
from nttforge_hardware.prove.theorems_wide import SUM_IS_Q
from nttforge_hardware.tools.simulate import simulate_files, simulate_many
from nttforge_oracle import incomplete
from nttforge_oracle.dgt import multiply
from nttforge_oracle.fast import twiddles

Q = 1073692673  # 30 bits: random words meet nothing


def _edges(a: list[int], q: int, inverse: bool) -> list[tuple[int, int]]:
    """For each stage, sums of exactly q and products that are 1 or q - 1."""
    n, w, x, found = len(a), twiddles(len(a), q), list(a), []
    m, half = 1, len(a) // 2
    while half:
        sums = products = 0
        for i in (i for i in range(n) if not i & half):
            u, b = x[i], x[i + half]
            p = b * w[m + i // (2 * half)] % q
            x[i], x[i + half] = (u + p) % q, (u - p) % q
            sums += (x[i] + x[i + half] if inverse else u + p) == q
            products += (b if inverse else p) in (1, q - 1)
        found.append((sums, products))
        m, half = 2 * m, half // 2
    return found


@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_every_stage_meets_its_edges(direction: str) -> None:
    maker, inverse = EdgeVectors(64, Q), direction == "inverse"
    counts = [
        _edges(maker.polynomial(k, random.Random(k), direction), Q, inverse) for k in range(24)
    ]
    for stage in range(6):
        assert sum(c[stage][0] for c in counts) > 3, stage
        assert sum(c[stage][1] for c in counts) > 0, stage
    # Random words, as all vectors were before, meet none of them.
    words = random.Random(1)
    assert not any(map(any, _edges([words.randrange(Q) for _ in range(64)], Q, inverse)))
    first, sparse = counts[1], counts[4]
    assert first[-1 if inverse else 0][0] > 2 and sum(s for s, _ in sparse) > 10


def test_stages_are_undone_exactly() -> None:
    for parts, q in ((1, 257), (2, 2**31 - 1)):
        maker = EdgeVectors(16, q, parts=parts)
        source = random.Random(3)
        before = [[source.randrange(q) for _ in range(16)] for _ in range(parts)]
        x = [list(part) for part in before]
        maker._undo(x, 4, 0, 0, 16)
        m, half = 1, 8
        while half:
            for i in (i for i in range(16) if not i & half):
                w = maker._tree[m + i // (2 * half)]
                b = [part[i + half] for part in x]
                p = multiply((b[0], b[-1]), w, q) if parts == 2 else (b[0] * w[0],)
                for part, value in zip(x, p, strict=True):
                    u = part[i]
                    part[i], part[i + half] = (u + value) % q, (u - value) % q
            m, half = 2 * m, half // 2
        assert x == before


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_vectors_are_residues_and_the_same_every_time(direction: str, parts: int) -> None:
    q = 97 if parts == 1 else 127
    makers = [EdgeVectors(8, q, parts=parts) for _ in range(2)]
    for number in range(30):
        one, other = (m.polynomial(number, random.Random(7), direction) for m in makers)
        assert one == other and len(one) == 8 * parts and all(0 <= v < q for v in one)


@needs("verilator")
def test_a_sum_of_q_shows_in_simulation(tmp_path: Path) -> None:
    """The adder that gave q for a sum of q passed all vectors while they were random."""
    design = plan_design(HardwareParameters(32, (Q,), dp=4, pp=5, pipeline="small"))
    assert default_sets(design) >= 6
    emitted = {}
    for name, fault in (("right", False), ("wrong", True)):
        files = design_files(design, name=name, folder=f"{name}/")
        if fault:
            text = files[f"rtl/{SUM_IS_Q.file}"]
            assert SUM_IS_Q.old in text
            files[f"rtl/{SUM_IS_Q.file}"] = text.replace(SUM_IS_Q.old, SUM_IS_Q.new)
        emitted[name] = files
    for name, files in emitted.items():
        runs = simulate_files({name: files}, tmp_path / name)[name]
        assert all(r.passed == (name == "right") for r in runs.values())


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
        (["--transform", "dgt"], "leave --ring and --transform out"),
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
