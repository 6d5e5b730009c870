# SPDX-License-Identifier: Apache-2.0
"""Engines whose sets may stop a layer early: ML-KEM and ML-DSA, chosen frame by frame."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge_hardware.emit.engine import bench_moduli, engine_files
from nttforge_hardware.plan.engine import EngineParameters, plan_engines
from nttforge_hardware.prove.folder import prove_folder
from nttforge_hardware.tools.simulate import simulate_files
from nttforge_oracle import fips

BOTH = EngineParameters(n=256, bits=23, sets=2, layers=7, dp=4, pp=2)
SMALL = {
    "negacyclic": EngineParameters(n=16, bits=12, sets=2, layers=3, dp=4, pp=3),
    "cyclic": EngineParameters(n=16, bits=12, sets=2, layers=3, dp=2, pp=2, ring="cyclic"),
}


def test_words_are_those_of_the_standards() -> None:
    """FIPS 203, Algorithms 9 and 10; FIPS 204, Algorithms 41 and 42; as the hardware goes."""
    design, source = plan_engines(BOTH), random.Random(203)
    for q, there, back in (
        (fips.KEM_Q, fips.kem_ntt, fips.kem_inverse),
        (fips.DSA_Q, fips.dsa_ntt, fips.dsa_inverse),
    ):
        a = [source.randrange(q) for _ in range(256)]
        given = design.compute(q, a)
        assert given == design.oracle(q, a)
        assert design.remainders(q, given) == there(a)
        values = [source.randrange(q) for _ in range(256)]
        assert design.compute(q, design.sums(q, values), "inverse") == back(values)
    assert given == there(a)  # of ML-DSA the engine's own
    assert design.core.two_adicity == 8


def test_a_prime_with_fewer_roots_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"does not support n = 256: need q = 1 \(mod 512\)"):
        plan_engines(EngineParameters(n=256, bits=23)).core_of(fips.KEM_Q)
    with pytest.raises(ParameterError, match=r"need q = 1 \(mod 256\)"):
        plan_engines(BOTH).core_of(97)
    with pytest.raises(ParameterError, match=r"layers = 6 must be an integer in 7 \.\.\. 8"):
        EngineParameters(n=256, bits=23, layers=6)
    with pytest.raises(ParameterError, match="axi with layers = 7: the driver in C"):
        engine_files(plan_engines(BOTH), axi=True)


def test_command_and_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "both"
    words = ["rtl", "generate", "--scheme", "ml-kem+ml-dsa", "--direction", "both", "--dp", "4"]
    assert main([*words, "--pp", "2", "--out", str(out)]) == 0
    assert "loaded moduli of 23 bits, 1 engines x 2 sets" in capsys.readouterr().out
    manifest = json.loads((out / "design.json").read_text())
    assert manifest["parameters"]["moduli"] == [fips.DSA_Q, fips.KEM_Q]
    assert manifest["parameters"]["layers"] == 7
    assert "have e + o and e - o of remainder i, which" in (out / "README.md").read_text()
    assert all(finding.proved for finding in prove_folder(out))
    again = manifest["command"].split()[1:]
    assert main([*again, "--out", str(tmp_path / "again")]) == 0
    for name in ("rtl/ntt_top.sv", "testbench/tables.hex", "testbench/output.hex"):
        assert (out / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    # A twiddle of the layer that is not there: 1 with the core's factor becomes another number.
    path = out / "testbench/tables.hex"
    rows = path.read_text().split()
    rows[-1] = f"{int(rows[-1], 16) ^ 1:0{len(rows[-1])}x}"
    path.write_text("\n".join(rows) + "\n")
    assert not all(finding.proved for finding in prove_folder(out))


def test_other_engines_say_nothing_of_layers() -> None:
    files = engine_files(plan_engines(EngineParameters(n=16, bits=12)))
    assert "layers" not in json.loads(files["design.json"])["parameters"]
    assert "layer early" not in files["rtl/ntt_top.sv"]


@needs("verilator")
def test_simulated(tmp_path: Path) -> None:
    files = {}
    for name, p in SMALL.items():
        moduli = bench_moduli(p, 2)
        early = [(q - 1) % p.shape.root_order != 0 for q in moduli]
        assert early == [False, True]
        files[name] = engine_files(plan_engines(p), name=name, folder=f"{name}/")
    for name, runs in simulate_files(files, tmp_path).items():
        assert all(run.passed for run in runs.values()), (name, runs)
