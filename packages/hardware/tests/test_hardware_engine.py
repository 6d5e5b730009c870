# SPDX-License-Identifier: Apache-2.0
"""Engines with loaded moduli: predictions, refusals, and simulation against the oracle."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge_hardware.emit.core_parameter import core_literal
from nttforge_hardware.emit.engine import bench_moduli, engine_files
from nttforge_hardware.emit.files import write_design
from nttforge_hardware.emit.modules import module_folder
from nttforge_hardware.emit.verilog import packed
from nttforge_hardware.plan.engine import EngineDesign, EngineParameters, plan_engines
from nttforge_hardware.plan.engine_explorer import explore_engines
from nttforge_hardware.plan.engine_timing import Frame, batch_times, predict_batch, round_robin
from nttforge_hardware.plan.explorer import Constraints
from nttforge_hardware.plan.pipeline import Pipeline
from nttforge_hardware.prove.folder import prove_folder
from nttforge_hardware.tools.icarus import simulate_icarus
from nttforge_hardware.tools.simulate import lint, simulate_files
from nttforge_hardware.tools.synthesis import synthesise_module
from nttforge_oracle import fips
from nttforge_oracle.number_theory import ntt_primes

Capture = pytest.CaptureFixture[str]
needs_verilator = needs("verilator")


def test_figures_of_four_butterflies() -> None:
    small = Pipeline(block="dsp48e1")
    design = plan_engines(EngineParameters(n=4096, bits=30, dp=4, pp=2, pipeline=small))
    assert predict_batch(design, 1).cycles == 6181 and predict_batch(design, 1).interval == 6144
    assert design.dsps == 24 and design.ramb18 == 38  # 19 RAMB36, as Yosys counts
    assert sum(design.memory_bits.values()) / 18432 < design.ramb18


def test_limbs_keep_shared_engines_busy() -> None:
    busy = {}
    for engines in (1, 2, 4):
        sets = -(-21 // engines)
        p = EngineParameters(
            n=4096, bits=52, engines=engines, sets=sets, direction="forward", dp=16, pp=1
        )
        found = predict_batch(plan_engines(p), 21)
        # No engine has more than `sets` limbs, and each takes an interval.
        assert found.interval == sets * 12 * 256
        busy[engines] = found.busy
    assert busy == {1: 1.0, 2: 21 / 22, 4: 21 / 24}


def test_results_of_one_port_leave_in_order() -> None:
    design = plan_engines(EngineParameters(n=64, bits=30, engines=2, sets=2, dp=4, pp=1))
    times = batch_times(design, round_robin(design, 4, "forward", 3))
    assert [t.first_in for t in times] == sorted(t.first_in for t in times)
    assert all(a.last_out + 16 <= b.last_out for a, b in itertools.pairwise(times))
    with pytest.raises(ParameterError, match="for another design"):
        batch_times(design, [Frame(2)])
    with pytest.raises(ParameterError, match=r"limbs = 5 must be in 1 ... 4"):
        round_robin(design, 5, "forward")


@pytest.mark.parametrize("core", ["montgomery", "barrett"])
def test_every_modulus_that_an_engine_takes(core: str) -> None:
    design = plan_engines(EngineParameters(n=16, bits=20, dp=4, pp=2, core=core))
    source = random.Random(3)
    sizes = (20,) if core == "barrett" else (20, 13, 7)
    for bits in sizes:
        q = ntt_primes(16, bits, 1)[0]
        a = [source.randrange(q) for _ in range(16)]
        values = design.compute(q, a)
        assert values == design.oracle(q, a)
        assert design.compute(q, values, "inverse") == a


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"engines": 65}, "engines = 65 must be an integer in 1 ... 64"),
        ({"sets": 0}, "sets = 0 must be an integer in 1 ... 64"),
        ({"bits": 7}, "bits = 7 must be an integer in 8 ... 62"),
        ({"core": "solinas"}, "core = 'solinas' must be one of auto, montgomery, barrett"),
        ({"start": "now"}, "start = 'now' must be one of word, frame, room"),
        ({"start": "room", "dp": 32}, "n / dp = 2: use a smaller dp or start = 'frame'"),
        ({"dp": 3}, "dp = 3 must be a power of two"),
        ({"bits": 8, "n": 4096}, "use more bits"),
    ],
)
def test_refusals(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as error:
        replace(EngineParameters(n=64, bits=30), **changes)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_moduli_that_do_not_fit() -> None:
    design = plan_engines(EngineParameters(n=64, bits=20))
    for q, message in (
        (97, "need q = 1 (mod 128)"),
        (ntt_primes(64, 21, 1)[0], "these engines take at most 20"),
        (129, "is not prime"),
    ):
        with pytest.raises(ParameterError) as error:
            design.table(q)
        assert message in str(error.value)


def test_explorer_compares_numbers_of_engines() -> None:
    bases = [EngineParameters(n=256, bits=30, engines=e, sets=6 // e) for e in (1, 2)]
    found = explore_engines(bases, 6, Constraints(dsps=60))
    assert {c.parameters.engines for c in found} == {1, 2}
    assert all(c.dsps <= 60 for c in found)
    assert [c.cycles for c in found] == sorted(c.cycles for c in found)


def test_command_line(tmp_path: Path, capsys: Capture) -> None:
    loaded = ["--n", "64", "--moduli", "runtime", "--limbs", "3"]
    assert (
        main(["rtl", "explore", *loaded, "--engines", "1", "3", "--max-dsp", "30", "--json"]) == 0
    )
    designs = json.loads(capsys.readouterr().out)
    assert {d["engines"] for d in designs} == {1, 3}
    out = tmp_path / "design"
    shape = ["--engines", "2", "--dp", "4", "--pp", "1", "--direction", "both"]
    assert main(["rtl", "generate", *loaded, *shape, "--out", str(out)]) == 0
    assert "2 engines x 2 sets" in capsys.readouterr().out
    command = json.loads((out / "design.json").read_text())["command"].split()
    again = tmp_path / "again"
    assert main([*command[1:], "--out", str(again)]) == 0
    files = [p.relative_to(out) for p in out.rglob("*") if p.is_file()]
    assert all((out / f).read_bytes() == (again / f).read_bytes() for f in files)
    capsys.readouterr()
    for wrong, message in (
        (["--moduli", "runtime", "97"], "must be runtime alone: primes are loaded later"),
        (["--engines", "2"], "--engines = 2 goes with --moduli runtime only"),
        (["--moduli", "runtime", "--core", "solinas"], "must be one of auto, montgomery, barrett"),
        (["--moduli", "runtime", "--sets", "2"], "--sets does not go with --moduli runtime"),
    ):
        arguments = ["rtl", "generate", "--n", "64", *wrong, "--out", str(tmp_path / "no")]
        assert main([*arguments, "--dp", "4", "--pp", "1"]) == 2
        assert message in capsys.readouterr().err


def _designs() -> dict[str, EngineDesign]:
    e = EngineParameters
    fast = Pipeline.named("fast")
    wanted = {
        "shared": e(32, 30, 2, 2, "both", dp=4, pp=2),
        "whole": e(16, 20, 1, 3, "both", "cyclic", dp=4, pp=1, core="barrett", start="frame"),
        "two_words": e(8, 13, 1, 2, "both", dp=4, pp=3, start="frame"),
        "unrolled": e(16, 17, 1, 2, "both", dp=2, pp=4, pipeline=fast),
        "room": e(32, 30, 2, 2, "both", dp=4, pp=2, start="room"),
        "room_unrolled": e(64, 17, 1, 2, "both", dp=8, pp=6, pipeline=fast, start="room"),
        "room_cyclic": e(16, 20, 1, 3, "both", "cyclic", dp=4, pp=1, core="barrett", start="room"),
    }
    return {name: plan_engines(p) for name, p in wanted.items()}


@needs_verilator
@pytest.mark.parametrize(
    "names",
    [
        ("shared", "whole"),
        ("room", "room_unrolled"),
        pytest.param(("two_words", "unrolled", "room_cyclic"), marks=pytest.mark.full),
    ],
)
def test_engines_bit_exact_with_predicted_cycles(names: tuple[str, ...], tmp_path: Path) -> None:
    designs = {name: design for name, design in _designs().items() if name in names}
    emitted = {name: engine_files(d, name=name, folder=f"{name}/") for name, d in designs.items()}
    for name, runs in simulate_files(emitted, tmp_path).items():
        for run, result in runs.items():
            assert result.errors == 0, (name, run, result.messages)
        alone = {d: batch_times(designs[name], [Frame(0, 0, d)])[0].latency for d in ("forward",)}
        assert runs["streaming"].latency_cycles.items() >= alone.items()
    write_design(engine_files(designs[names[0]]), tmp_path / "alone")
    lint(tmp_path / "alone")


@pytest.mark.full
@needs("pyosys")
def test_addresses_of_sets_take_no_multiplier() -> None:
    sources = sorted(module_folder("rtl").glob("*.sv"))
    rows = packed((1024, 600), 32)
    shape = {"SETS": 7, "PIPELINES": 2, "ADDRESS_BITS": 13, "ROWS": rows}
    assert synthesise_module("nttf_table_loader", shape, sources).dsps == 0


@needs("pyosys")
@pytest.mark.full
def test_addresses_of_moduli_take_no_multiplier() -> None:
    sources = sorted(module_folder("rtl").glob("*.sv"))
    core = plan_engines(EngineParameters(n=64, bits=30)).core.module_parameters
    shape = {"SETS": 7, "WORDS": 1024, "TWIDDLE_ROWS": 600, "CORE": core_literal(core)}
    options = "-flatten -run begin:map_memory"
    found = synthesise_module("nttf_super_pipeline", shape, sources, options=options)
    assert found.dsps == 2 * 6


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs Icarus Verilog on the path")
@pytest.mark.parametrize("name", ["whole", "room_unrolled", "room_cyclic"])
def test_engines_in_icarus(name: str, tmp_path: Path) -> None:
    files = engine_files(_designs()[name])
    write_design(files, tmp_path)
    for run, result in simulate_icarus(tmp_path).items():
        assert result.errors == 0, (run, result.messages)


def test_with_room_kept_behind_nothing_waits() -> None:
    """No register has an enable, and results keep the interval."""
    p = EngineParameters(n=1024, bits=30, dp=4, pp=2, direction="forward", pipeline="fast")
    frame, room = (plan_engines(replace(p, start=start)) for start in ("frame", "room"))
    assert room.buffered_frames == (1, 2) and frame.buffered_frames == (1, 1)
    assert room.ramb18 == frame.ramb18  # 512 words, or 256, of 36 bits are one
    alone = [predict_batch(design, 1) for design in (frame, room)]
    assert alone[1].interval == alone[0].interval == 1280
    # The buffers of four words around the other control are not there.
    assert alone[0].cycles - alone[1].cycles == 2
    text = engine_files(room)["rtl/ntt_engine.sv"]
    assert "assign enable      = 1'b1;" in text and ".ENABLE_REGS(0)" in text


#: Sets may stop a layer early: ML-KEM and ML-DSA, chosen frame by frame.
BOTH = EngineParameters(n=256, bits=23, sets=2, layers=7, dp=4, pp=2)
EARLY = {
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


def test_command_and_tables_of_two_schemes(tmp_path: Path, capsys: Capture) -> None:
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


@needs_verilator
def test_early_sets_simulated(tmp_path: Path) -> None:
    files = {}
    for name, p in EARLY.items():
        moduli = bench_moduli(p, 2)
        early = [(q - 1) % p.shape.root_order != 0 for q in moduli]
        assert early == [False, True]
        files[name] = engine_files(plan_engines(p), name=name, folder=f"{name}/")
    for name, runs in simulate_files(files, tmp_path).items():
        assert all(run.passed for run in runs.values()), (name, runs)
