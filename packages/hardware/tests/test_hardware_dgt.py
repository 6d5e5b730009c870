# SPDX-License-Identifier: Apache-2.0
"""DGT designs: moduli without a power-of-two root, against the definition."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge.spec.transform import bit_reverse
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.dgt import DgtDesign, dgt_forward, plan_dgt
from nttforge_hardware.plan.primes import usable_dgt_primes
from nttforge_hardware.tools.simulate import lint, simulate_many
from nttforge_oracle import dgt as definition
from nttforge_oracle.number_theory import YAN22_TABLE_3, yan22_table_3

SEED = 20261122


def _designs() -> dict[str, DgtDesign]:
    first, second, third = (2**30 - 2**j - 1 for j in (9, 16, 18))
    return {
        "both": plan_dgt(64, (first,), "both", dp=8, pp=2),
        "limbs": plan_dgt(32, (third, second), "inverse", dp=4, core="montgomery"),
        "split": plan_dgt(32, (193,), dp=4, pp=4, core="barrett"),  # q = 1 (mod 4)
    }


def test_the_tree_gives_the_definition() -> None:
    source = random.Random(SEED)
    for q, n in ((2**30 - 2**9 - 1, 64), (97, 16), (2**52 - 2**19 - 1, 128), (7, 4)):
        a = [source.randrange(q) for _ in range(n)]
        values, bits = definition.forward(a, q), (n // 2).bit_length() - 1
        assert dgt_forward(a, q) == [values[bit_reverse(k, bits)] for k in range(n // 2)]


def test_steps_of_the_hardware() -> None:
    source = random.Random(SEED)
    for design in _designs().values():
        for limb, q in enumerate(design.parameters.moduli):
            a = [source.randrange(q) for _ in range(2 * design.parameters.n)]
            values = design.oracle(limb, a)
            if "forward" in design.schedules:
                assert design.compute(limb, a) == values
            if "inverse" in design.schedules:
                assert design.compute(limb, values, "inverse") == a


def test_every_modulus_of_yan22_table_3_has_a_design() -> None:
    for (i, sign_j, j, sign_0), support in zip(YAN22_TABLE_3, yan22_table_3(), strict=True):
        q = 2**i + sign_j * 2**j + sign_0
        n = min(512, support.max_n_dgt)
        design = plan_dgt(n, (q,), dp=8, pp=2, core="solinas")
        assert design.dsps == 3 * {30: 4, 52: 6}[i] * 2 * 2


@needs("verilator")
def test_designs_in_verilator(tmp_path: Path) -> None:
    designs = _designs()
    write_design(design_files(designs["both"]), tmp_path / "lint")
    lint(tmp_path / "lint")
    for name, runs in simulate_many(dict(designs), tmp_path / "run", sets=3).items():
        assert all(r.passed for r in runs.values()), f"{name}: {runs['streaming'].messages}"
        wanted = {d: designs[name].latency_cycles(d) for d in designs[name].schedules}
        assert runs["streaming"].latency_cycles == wanted


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 8}, "n = 8 must be a power of two in 16"),
        ({"n": 1024}, "does not support a DGT of n = 1024; its largest is 512"),
        ({"dp": 2}, "dp = 2 must be a power of two in 4 ... 32"),
        ({"dp": 64}, "dp = 64 must be a power of two in 4 ... 32"),
        ({"pp": 6}, "pp = 6 must be in 1 ... 5"),
        ({"moduli": (15,)}, "q = 15 is not prime"),
        ({"core": "none"}, "core = 'none' must be one of"),
    ],
)
def test_bad_parameters(change: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"n": 64, "moduli": (2**30 - 2**9 - 1,), "dp": 8, "pp": 2}
    with pytest.raises(ParameterError, match=message.replace("...", r"\.\.\.")):
        plan_dgt(**(good | change))


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = ["--n", "512", "--transform", "dgt", "--dp", "8", "--pp", "2"]
    assert main(["rtl", "generate", *shape, "--core", "solinas", "--out", str(tmp_path / "d")]) == 0
    assert "n = 512, 1 x 30 bits, dp = 8, pp = 2, core solinas" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "d" / "design.json").read_text())
    fields = manifest["parameters"]
    assert (fields["kind"], fields["n"], fields["dp"]) == ("dgt", 512, 8)
    assert "--transform dgt" in manifest["command"] and "--dp 8" in manifest["command"]
    assert usable_dgt_primes(512, 30, 1)[0] % 512 == 511
    for bad in (["--ring", "cyclic"], ["--direction", "product"], ["--bits", "8"]):
        assert main(["rtl", "generate", *shape, *bad, "--out", str(tmp_path / "e")]) == 2
        assert capsys.readouterr().err.count("\n") == 1
