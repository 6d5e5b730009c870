# SPDX-License-Identifier: Apache-2.0
"""The Verilog generator without external tools: cores, schedules, twiddles, emission, explorer."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from nttforge.errors import ParameterError, SizeError
from nttforge.spec.transform import bit_reverse
from nttforge_hardware import HardwareParameters, Pipeline, plan_design
from nttforge_hardware.emit.files import design_files
from nttforge_hardware.plan.cores import choose_cores, multiplier_dsps
from nttforge_hardware.plan.dgt import plan_dgt
from nttforge_hardware.plan.explorer import OBJECTIVES, Constraints, choose, explore
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.plan.schedule import port_layout
from nttforge_hardware.plan.solinas import Solinas, solinas_form, solinas_problem, solinas_terms
from nttforge_oracle.dgt import twist_root
from nttforge_oracle.fast import forward_fast
from nttforge_oracle.number_theory import YAN22_TABLE_3, ntt_primes

SEED = 20261122


@pytest.mark.parametrize("kind", ["montgomery", "barrett"])
def test_every_product_modulo_small_primes(kind: str) -> None:
    for q in (17, 97, 113, 193, 241):
        core = choose_cores(kind, (q,), Pipeline())[0]
        factor = pow(core.twiddle_factor, -1, q)
        for a in range(q):
            for b in range(0, q, 1 if q < 100 else 7):
                assert core.multiply(a, b) == a * b * factor % q


@pytest.mark.parametrize("kind", ["montgomery", "barrett"])
@pytest.mark.parametrize("bits", [8, 13, 18, 19, 30, 36, 37, 52, 54, 60, 62])
def test_products_at_the_corners_and_between(kind: str, bits: int) -> None:
    source = random.Random(SEED)
    for q in usable_primes(8, bits, 2):
        core = choose_cores(kind, (q,), Pipeline())[0]
        factor = pow(core.twiddle_factor, -1, q)
        values = [0, 1, 2, q - 2, q - 1, q // 2, *(source.randrange(q) for _ in range(40))]
        for a in values:
            for b in values:
                assert core.multiply(a, b) == a * b * factor % q


@pytest.mark.parametrize("form", [*YAN22_TABLE_3, (28, -1, 16, 1), (20, 1, 7, 1), (13, -1, 9, 1)])
def test_solinas_reduction(form: tuple[int, int, int, int]) -> None:
    i, sign_j, j, sign_0 = form
    solinas = Solinas(i, j, sign_j, sign_0)
    q, source = solinas.value, random.Random(SEED)
    for z in [0, 1, q, (q - 1) ** 2, *(source.randrange(q * q) for _ in range(200))]:
        total = sum(
            s * (((z >> low) % 2**n) << shift) for s, low, n, shift in solinas_terms(solinas)
        )
        assert total % q == z % q
    if solinas_problem(solinas) is None and solinas_form(q) is not None:
        core = choose_cores("solinas", (q,), Pipeline())[0]
        for a, b in [
            (q - 1, q - 1),
            *((source.randrange(q), source.randrange(q)) for _ in range(99)),
        ]:
            assert core.multiply(a, b) == a * b % q


def test_a_wrong_weight_is_noticed() -> None:
    terms = solinas_terms(Solinas(30, 18, -1, 1))
    sign, low, bits, shift = terms[3]
    q, z = 2**30 - 2**18 + 1, (2**30 - 2**18) ** 2
    right = sum(s * (((z >> w) % 2**n) << t) for s, w, n, t in terms)
    wrong = right - 2 * sign * (((z >> low) % 2**bits) << shift)
    assert right % q == z % q != wrong % q


def test_figures_of_yan22_table_6() -> None:
    """DSPs and cycles of a core, theirs: 4/9, 12/14, 6/12, 17/19 (low latency, general)."""
    table = {
        2**30 - 2**18 + 1: (4, 9, "solinas"),
        ntt_primes(4096, 30, 1)[0]: (7, 14, "montgomery"),
        2**52 - 2**20 + 1: (6, 12, "solinas"),
        ntt_primes(8192, 52, 1)[0]: (13, 19, "montgomery"),
    }
    for q, (dsps, cycles, kind) in table.items():
        core = choose_cores("auto", (q,), Pipeline())[0]
        assert core.kind == kind and core.dsps <= dsps and core.latency() <= cycles


def test_multiplier_tiles() -> None:
    assert [multiplier_dsps(b, b) for b in (8, 17, 18, 26, 27, 52, 60)] == [1, 1, 1, 2, 2, 6, 12]


def _all_shapes() -> list[HardwareParameters]:
    shapes = []
    for log_n in range(3, 7):
        q = ntt_primes(1 << log_n, 16, 1)[0]
        for log_dp in range(1, log_n):
            for pp in range(1, log_n + 1):
                for ring in ("negacyclic", "cyclic"):
                    shapes.append(
                        HardwareParameters(1 << log_n, (q,), "both", ring, 1 << log_dp, pp)
                    )
    return shapes


@pytest.mark.parametrize("p", _all_shapes(), ids=lambda p: f"{p.n}-{p.dp}-{p.pp}-{p.ring[0]}")
def test_every_shape_computes_the_transform(p: HardwareParameters) -> None:
    design = plan_design(p)
    q, source = p.moduli[0], random.Random(SEED)
    x = [source.randrange(q) for _ in range(p.n)]
    values = forward_fast(x, q, p.ring)
    assert design.compute(0, x, "forward") == values
    assert design.compute(0, values, "inverse") == x
    assert len(design.twiddles) == p.pp  # placing every twiddle has found no conflict
    for direction, schedule in design.schedules.items():
        assert schedule.leave == port_layout(p, direction, "out")
        _check_occupation(p, direction, schedule.stages)


def _check_occupation(p: HardwareParameters, direction: str, stages: tuple) -> None:
    """No super pipeline has two words in a cycle, and no word is read before it was written."""
    taken: set[tuple[int, int]] = set()
    for s in stages:
        cycles = {(s.super_pipeline, s.start + slot) for slot in range(p.words)}
        assert not taken & cycles, direction
        taken |= cycles
        moved = sum(2**bit for bit in s.exchange if bit is not None)
        assert s.delay > moved or (s.delay == 0 and not moved)


@pytest.mark.parametrize(
    ("p", "cycles", "dsps"),
    [
        (HardwareParameters(4096, tuple(ntt_primes(4096, 30, 6)), dp=4, pp=2), 6175, 168),
        (HardwareParameters(8192, (2**52 - 2**20 + 1,), dp=32, pp=5), 990, 480),
        (HardwareParameters(1024, (2**28 - 2**16 + 1,), dp=32, pp=10), 231, 640),
    ],
)
def test_figures_of_yan22_table_4(p: HardwareParameters, cycles: int, dsps: int) -> None:
    design = plan_design(p)
    assert design.latency_cycles("forward") <= cycles and design.dsps <= dsps


def test_emission_is_deterministic_and_complete() -> None:
    p = HardwareParameters(16, (97, 193), "both", dp=4, pp=3)
    files = design_files(plan_design(p), "some command")
    assert files == design_files(plan_design(p), "some command")
    modules = {n: t for n, t in files.items() if n.endswith(".sv")}
    for name, text in modules.items():
        assert text.startswith("// nttforge design\n") and "some command" in text[:500]
        unit = "package" if name.endswith("_pkg.sv") else "module"
        assert text.count(f"\nend{unit}\n") == 1
        assert re.search(rf"^{unit} {name.split('/')[-1][:-3]}\b", text, re.M)
    # 5 transforms per direction, 4 words each, 2 limbs x 4 lanes x 8 bits a word.
    files = design_files(plan_design(p), "some command", sets=5)
    assert [len(x) for x in files["testbench/input.hex"].split()] == [16] * 40
    limb = files["rtl/ntt_limb_1.sv"]
    assert "8'd193" in limb and '"twiddles/ntt_limb_1_super_pipeline_2.hex"' in limb


def test_names_of_modules() -> None:
    design = plan_design(HardwareParameters(8, (17,), dp=2))
    assert "rtl/one_top.sv" in design_files(design, name="one")
    for name in ("nttf_x", "1a", "a b", ""):
        with pytest.raises(ParameterError, match="name = "):
            design_files(design, name=name)


def test_explorer_keeps_limits_and_drops_dominated() -> None:
    base = HardwareParameters(256, tuple(ntt_primes(256, 30, 1)))
    limits = Constraints(latency_us=2.0, dsps=60)
    found = explore(base, limits)
    assert found and all(c.latency_us <= 2.0 and c.dsps <= 60 for c in found)
    assert not any(a.dominates(b) for a in found for b in found)
    best = {name: choose(base, limits, objective=name) for name in OBJECTIVES}
    assert best["latency"].latency_cycles == min(c.latency_cycles for c in found)
    assert best["throughput"].interval_cycles == min(c.interval_cycles for c in found)
    assert best["area"].dsps == min(c.dsps for c in found)
    for name, candidate in best.items():
        assert explore(base, limits, objective=name)[0] == candidate
    with pytest.raises(ParameterError, match="objective = 'size' must be one of latency"):
        choose(base, limits, objective="size")
    with pytest.raises(
        ParameterError,
        match=r"no design keeps the limits: .* latency_us 0.4.* > 0.001, the fastest",
    ):
        choose(base, Constraints(latency_us=0.001))


GOOD = HardwareParameters(64, tuple(ntt_primes(64, 20, 2)), dp=4, pp=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 4}, "n = 4 must be a power of two in 8 ... 65536"),
        ({"n": 48}, "n = 48 must be a power of two"),
        ({"n": 2**17}, "n = 131072 must be a power of two in 8"),
        ({"n": 64.0}, "n = 64.0 must be an integer"),
        ({"dp": 1}, "dp = 1 must be a power of two in 2 ... 32"),
        ({"dp": 64}, "dp = 64 must be a power of two in 2 ... 32"),
        ({"dp": 6}, "dp = 6 must be a power of two"),
        ({"pp": 0}, "pp = 0 must be in 1 ... 6"),
        ({"pp": 7}, "pp = 7 must be in 1 ... 6"),
        ({"pp": True}, "pp = True must be an integer"),
        ({"direction": "back"}, "direction = 'back' must be one of forward, inverse, both"),
        ({"ring": "cycle"}, "ring = 'cycle' must be one of"),
        ({"core": "fast"}, "core = 'fast' must be one of auto, montgomery"),
        ({"moduli": ()}, r"moduli = \[\] is empty"),
        ({"moduli": (257, 257)}, "must be distinct"),
        ({"moduli": (129,)}, "q = 129 is not prime"),
        ({"moduli": (97,)}, r"q = 97 does not support n = 64: need q = 1 \(mod 128\)"),
        ({"moduli": (13,)}, "q = 13 does not support n = 64"),
        ({"moduli": (2**63 + 29,)}, "has 64 bits, allowed are 4 ... 62"),
        ({"moduli": (7,)}, "has 3 bits"),
        ({"moduli": ("257",)}, "moduli = '257' must be an integer"),
        ({"n": 0}, "n = 0 must be a power of two"),
        ({"n": -64}, "n = -64 must be a power of two"),
        ({"n": "64"}, "n = '64' must be an integer"),
        ({"n": None}, "n = None must be an integer"),
        ({"dp": 0}, "dp = 0 must be a power of two"),
        ({"dp": -4}, "dp = -4 must be a power of two"),
        ({"dp": 4.0}, "dp = 4.0 must be an integer"),
        ({"dp": False}, "dp = False must be an integer"),
        ({"n": 8, "dp": 8, "moduli": (17,)}, "dp = 8 must be a power of two in 2 ... 4"),
        ({"pp": -1}, "pp = -1 must be in 1 ... 6"),
        ({"pp": 2.0}, "pp = 2.0 must be an integer"),
        ({"pp": None}, "pp = None must be an integer"),
        ({"n": 8, "pp": 4, "moduli": (17,)}, r"pp = 4 must be in 1 ... 3 \(log2 n\)"),
        ({"direction": None}, "direction = None must be one of"),
        ({"direction": "Forward"}, "direction = 'Forward' must be one of"),
        ({"ring": ""}, "ring = '' must be one of negacyclic, cyclic"),
        ({"core": None}, "core = None must be one of"),
        ({"moduli": 257}, "moduli = 257 must be a list of primes, one per limb"),
        ({"moduli": "257"}, "moduli = '257' must be a list"),
        ({"moduli": (True,)}, "moduli = True must be an integer"),
        ({"moduli": (-257,)}, "q = -257 is not prime"),
        ({"moduli": (258,)}, "q = 258 is not prime"),
        ({"moduli": (257.0,)}, "moduli = 257.0 must be an integer"),
        ({"moduli": (257, 449)}, "q = 449 does not support n = 64"),
        ({"ring": "cyclic", "moduli": (97,)}, r"need q = 1 \(mod 64\).*cyclic n is 32"),
        ({"pipeline": None}, "pipeline = None must be a Pipeline"),
    ],
)
def test_bad_parameters(change: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("...", r"\.\.\.")) as error:
        replace(GOOD, **change)
    assert "\n" not in str(error.value)


def test_bad_cores_and_uses() -> None:
    with pytest.raises(ParameterError, match=r"core = 'solinas': q = .* is not"):
        plan_design(replace(GOOD, core="solinas"))
    mixed = (ntt_primes(64, 20, 1)[0], ntt_primes(64, 22, 1)[0])
    with pytest.raises(ParameterError, match=r"core = 'barrett': q = .* has 20 bits and another"):
        plan_design(replace(GOOD, core="barrett", moduli=mixed))
    for pipeline in ({"input_regs": 3}, {"sum_regs": -1}, {"tree_regs": 9}, {"block": "dsp60"}):
        with pytest.raises(ParameterError, match="pipeline"):
            Pipeline(**pipeline)
    design = plan_design(GOOD)
    with pytest.raises(ParameterError, match="this design has forward"):
        design.latency_cycles("inverse")
    with pytest.raises(SizeError, match="n = 64 are needed"):
        design.compute(0, [1, 2, 3])
    with pytest.raises(ParameterError, match="latency_us = 0 must be positive"):
        Constraints(latency_us=0)
    with pytest.raises(ParameterError, match="primes 2\\^i"):
        usable_primes(4096, 30, 9, core="solinas")


def test_headers_define_the_values() -> None:
    """By the roots that the top level names, from the definition it states."""
    p = HardwareParameters(16, (97, 193), dp=4, pp=2)
    top = design_files(plan_design(p))["rtl/ntt_top.sv"]
    (line,) = [text for text in top.splitlines() if text.startswith("// psi = ")]
    roots = [int(r) for r in re.findall(r"\d+", line)]
    a = list(range(16))
    for limb, (q, psi) in enumerate(zip(p.moduli, roots, strict=True)):
        values = [
            sum(a[j] * pow(psi, (2 * k + 1) * j, q) for j in range(16)) % q for k in range(16)
        ]
        got = plan_design(p).compute(limb, a)
        assert got == [values[bit_reverse(k, 4)] for k in range(16)]
    dgt = design_files(plan_dgt(16, (127,), "forward", 4, 1))["rtl/ntt_top.sv"]
    x, y = twist_root(16, 127)
    assert f"h = x + y i, x = {x}, y = {y}." in dgt
