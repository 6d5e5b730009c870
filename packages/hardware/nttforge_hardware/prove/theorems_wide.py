# SPDX-License-Identifier: Apache-2.0
"""What is proved at full width, for every modulus of a width: cores and reductions, by steps.

Multipliers are cut out and proved by themselves; docs/bounds/hardware-proofs.md puts the steps
together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..emit.core_parameter import core_literal
from ..plan.cores import CoreDesign, choose_cores
from ..plan.dgt import DgtCore
from ..plan.pipeline import Pipeline
from ..plan.solinas import Solinas, sum_range
from .theorem import Fault, Theorem

#: A prime for each width: q = 1 (mod 2^12), so that a digit of 18 bits needs its correction.
_PRIMES = {30: 1073692673, 52: 4503599627366401, 60: 1152921504606830593}
_SOLINAS = {30: 2**30 - 2**18 + 1, 60: 2**60 - 2**14 + 1}
_DEEP = Pipeline.named("fast")
#: Never seen by random words: they meet the sum q once in q / 2 additions.
SUM_IS_Q = Fault(
    "the sum q is not reduced", "nttf_modular_add.sv",
    "less[DATA_BITS+1] ?", "(less[DATA_BITS+1] || less == '0) ?",
)  # fmt: skip
_TREE = ("nttf_multiplier*/u_sum",)  # behind the tiles: what a multiplier gives


def wide_theorems() -> list[Theorem]:
    return [
        *_additions(),
        *_multipliers(),
        *_montgomery(),
        *_barrett(),
        *_solinas(),
        *_butterflies(),
        *_complex(),
        *_base_products(),
    ]


def _core(kind: str, bits: int, pipeline: Pipeline, moving: bool = False) -> CoreDesign:
    q = _SOLINAS[bits] if kind == "solinas" else _PRIMES[bits]
    return replace(choose_cores(kind, (q,), pipeline)[0], moving=moving)


def _note(pipeline: Pipeline, moving: bool = False) -> str:
    return (", all registers" if pipeline == _DEEP else "") + (", moving moduli" if moving else "")


def _additions() -> Iterator[Theorem]:
    for bits, regs in ((30, 0), (30, 1), (60, 0)):
        yield Theorem(
            f"additions of {bits} bits" + (", all registers" if regs else ""),
            "sum, difference and half of a sum are right modulo q and below q, for every odd q and "
            "all a, b below q",
            "additions_proof",
            {"DATA_BITS": bits, "REGS": regs},
            1 + regs,
            faults=(
                SUM_IS_Q,
                Fault("the difference of equal numbers is q", "nttf_modular_subtract.sv",
                      "lazy[DATA_BITS] ?", "(lazy[DATA_BITS] || lazy == '0) ?"),
                Fault("half of an odd sum without q", "nttf_modular_half.sv",
                      "? more : less", "? {1'b0, lazy} : less"),
            ),
            quick=bits == 30 and not regs,
        )  # fmt: skip


def _multipliers() -> Iterator[Theorem]:
    cases = (
        ("dsp48e2", 52, 52, 104, 1, 1, True),
        ("dsp48e1", 60, 60, 120, 0, 2, False),
        ("dsp48e2", 62, 64, 126, 1, 2, False),
        ("dsp48e2", 49, 18, 67, 0, 0, False),
    )
    for block, a_bits, b_bits, out_bits, front, regs, quick in cases:
        tile = Pipeline(block=block).tile
        fields = {"TILE_A": tile.a_bits, "TILE_B": tile.b_bits, "LUT_BITS": tile.lut_bits}
        several = a_bits > tile.a_bits and b_bits > tile.b_bits
        yield Theorem(
            f"parts of a multiplier, {a_bits} x {b_bits} bits, {block}",
            "the product is the sum of the products of all parts of the factors, in their places",
            "multiplier_parts_proof",
            {"A_BITS": a_bits, "B_BITS": b_bits, "OUT_BITS": out_bits, "INPUT_REGS": front,
             "SUM_REGS": regs, "CORE": core_literal(fields)},
            1,
            registers=False,
            faults=(
                Fault("a tile one bit too low", "nttf_multiplier.sv",
                      "<< SHIFT;", "<< (SHIFT - (i > 0 ? 1 : 0));"),
                Fault("a tile that drops a rare carry", "nttf_tile.sv",
                      "(A_BITS+B_BITS)'(a_in) * (A_BITS+B_BITS)'(b_in);",
                      "(A_BITS+B_BITS)'(a_in) * (A_BITS+B_BITS)'(b_in)\n"
                      "        - (A_BITS+B_BITS)'(&a_in && &b_in);"),
            ) if several else (
                Fault("a tile one bit too low", "nttf_multiplier.sv",
                      "<< SHIFT;", "<< (SHIFT - (i > 0 ? 1 : 0));"),
            ),
            quick=quick,
        )  # fmt: skip


def _montgomery() -> Iterator[Theorem]:
    cases = [(bits, Pipeline(), False) for bits in (30, 52, 60)]
    cases += [(60, _DEEP, False), (30, _DEEP, True)]
    for bits, pipeline, moving in cases:
        core = _core("montgomery", bits, pipeline, moving)
        links: dict[str, str] = {}
        for i in range(core.steps):
            step = f"u_reduce.gen_step[{i}]"
            links |= {
                f"next_{i}": f"{step}.next",
                f"digit_{i}": f"{step}.digit",
                f"product_{i}": f"{step}.product",
                f"factor_a_{i}": f"{step}.u_product.a",
                f"factor_b_{i}": f"{step}.u_product.b",
            }
        latency = core.product_latency - core.full_latency
        step_cycles = (latency - 1) // core.steps
        name = f"montgomery of {bits} bits" + _note(pipeline, moving)
        file = "nttf_reduce_montgomery.sv"
        whole = "{{(FULL_BITS-RANGE_BITS-1){next[RANGE_BITS]}}, next};"
        rare = Fault("a carry lost over 15 ones after the first step", file,
                     f"assign value[i+1] = {whole}",
                     f"assign value[i+1] = {whole[:-1]}\n"
                     "          ^ FULL_BITS'(i > 0 && next[14:0] == '1);")  # fmt: skip
        for at in range(core.steps + 2):
            faults: tuple[Fault, ...]
            if at < core.steps:
                statement = (
                    f"step {at} takes m q from its value and divides by 2^{core.digit_bits} "
                    "exactly, within the bounds of the next step"
                )
                faults = (
                    Fault("a borrow lost where a digit is all ones", file,
                          ".in_data(shifted)",
                          ".in_data(shifted + (FULL_BITS'(&m) << (DIGIT_BITS - W)))"),
                )  # fmt: skip
            elif at == core.steps:
                statement = "the result is the last value, or it plus q if negative, and below q"
                faults = (
                    Fault(
                        "no last addition",
                        file,
                        "(value[STEPS][DATA_BITS] ? q_at[STEPS] : '0)",
                        "'0",
                    ),
                    rare,
                )
            else:
                statement = "every digit is multiplied by 1 / q modulo its power of two"
                faults = (
                    Fault("wrong weight of a digit", file, "digit << row", "digit << (row - 1)"),
                )
            if moving and 0 < at <= core.steps:
                faults = (
                    Fault("a modulus that comes a cycle too early", file,
                          ".DEPTH(2 + PRODUCT_REGS + FRONT + SUM)",
                          ".DEPTH(1 + PRODUCT_REGS + FRONT + SUM)"),
                )  # fmt: skip
            cycles = {core.steps: latency + 1, core.steps + 1: (core.steps - 1) * step_cycles + 1}
            yield Theorem(
                f"{name}, " + ("digits" if at > core.steps else "result" if at == core.steps
                               else f"step {at}"),
                f"{statement}, for every q with the two-adicity of the core, given that its "
                "multipliers multiply",
                "montgomery_steps_proof",
                {"CORE": core_literal(core.module_parameters), "AT": at},
                cycles.get(at, (at + 1) * step_cycles + 1),
                links=links,
                cut=_TREE,
                faults=faults,
                quick=bits == 30 and not moving,
            )  # fmt: skip


def _barrett() -> Iterator[Theorem]:
    cases = [(bits, Pipeline(), False) for bits in (30, 60)]
    cases += [(60, _DEEP, False), (30, _DEEP, True)]
    for bits, pipeline, moving in cases:
        core = _core("barrett", bits, pipeline, moving)
        latency = core.product_latency - core.full_latency
        file = "nttf_reduce_barrett.sv"
        yield Theorem(
            f"barrett of {bits} bits" + _note(pipeline, moving),
            "the result is z less quotient q, or less q more, and below q, for every q, given that "
            "its multipliers multiply and the quotient is at most one too small",
            "barrett_steps_proof",
            {"CORE": core_literal(core.module_parameters)},
            latency + 1,
            links={
                "scaled_a": "u_reduce.u_scaled.a",
                "scaled_b": "u_reduce.u_scaled.b",
                "scaled": "u_reduce.u_scaled.product",
                "multiple_a": "u_reduce.u_multiple.a",
                "multiple_b": "u_reduce.u_multiple.b",
                "multiple_low": "u_reduce.u_multiple.product",
            },
            cut=_TREE,
            faults=(
                Fault("quotient taken one bit too high", file,
                      "scaled[2*DATA_BITS+5:DATA_BITS+5]", "scaled[2*DATA_BITS+5:DATA_BITS+6]"),
                Fault("the rest q is not reduced", file,
                      "difference[LOW_BITS] ?", "(difference[LOW_BITS] || difference == '0) ?"),
            ),
            quick=bits == 30 and not moving,
        )  # fmt: skip


def _solinas() -> Iterator[Theorem]:
    for bits, pipeline in ((30, Pipeline()), (60, Pipeline()), (60, _DEEP)):
        core = _core("solinas", bits, pipeline)
        form = core.solinas
        assert isinstance(form, Solinas)
        operands = core.module_parameters["OPERANDS"]
        width = bits + (operands - 1).bit_length() + 2
        low, high = sum_range(form)
        name = f"solinas of {bits} bits" + _note(pipeline)
        shared = {"CORE": core_literal(core.module_parameters)}
        links = {"sum": "u_reduce.sum", "lazy": "u_reduce.lazy"}
        yield Theorem(
            f"{name}, sum",
            f"the tree gives the sum of the {operands} operands, each made of the bits of z that "
            "the weight matrix names",
            "solinas_steps_proof",
            shared | {"FOLD": 0},
            1,
            registers=False,
            links=links,
            faults=(
                Fault("an operand without its highest bit", "nttf_reduce_solinas.sv",
                      "assign operand[t] = z[FROM];",
                      "assign operand[t] = z[FROM] && (k == 0 || t < WIDTH_IN - 2);"),
            ),
            quick=bits == 30,
        )  # fmt: skip
        yield Theorem(
            f"{name}, fold",
            f"every sum in [{low}, {high}] is folded and corrected to what it is modulo q, below q",
            "solinas_steps_proof",
            shared | {"FOLD": 1, "LOW": _literal(low, width), "HIGH": _literal(high, width)},
            3,
            links=links,
            cut=("nttf_reduce_solinas*/u_sum",),
            faults=(
                Fault("the folded part not taken off", "nttf_reduce_solinas.sv",
                      "SUM_BITS'(sum[I-1:0])", "sum"),
                Fault("the value q is not reduced", "nttf_reduce_solinas.sv",
                      "less[SUM_BITS-1] ?", "(less[SUM_BITS-1] || less == '0) ?"),
            ),
            quick=bits == 30,
        )  # fmt: skip


def _literal(value: int, bits: int) -> str:
    """A signed number of any size for Yosys's command line."""
    return f"{bits}'h{value % (1 << bits):x}"


_WAYS = (("forward", "forward"), ("inverse", "inverse"), ("forward", "both"), ("inverse", "both"))


def _butterflies() -> Iterator[Theorem]:
    cases = [(way, 30, 1, 1, Pipeline(), False) for way in _WAYS]
    cases += [(way, 60, 1, 1, _DEEP, False) for way in _WAYS[2:]]
    cases += [(way, 30, 1, 1, _DEEP, True) for way in _WAYS[2:]]
    cases += [(way, 30, 2, 1, Pipeline(), False) for way in _WAYS[2:]]
    cases += [(_WAYS[1], 30, 1, 0, Pipeline(), False)]
    for (way, built), bits, parts, halve, pipeline, moving in cases:
        core = _core("montgomery", bits, pipeline, moving)
        if parts == 2:
            core = DgtCore(core.kind, core.q, core.bits, pipeline, core.two_adicity)
        inner = "gen_real" if parts == 1 else "gen_complex"
        out = "select ? through_beside : sum, select ? product_beside : difference"
        swapped = Fault("sum and difference swapped", "nttf_butterfly.sv", out,
                        "select ? through_beside : difference, select ? product_beside : sum",
                        )  # fmt: skip
        late = Fault("the difference the other way round", "nttf_butterfly.sv",
                     ".a(a[p*DATA_BITS+:DATA_BITS]),\n"
                     "          .b(b[p*DATA_BITS+:DATA_BITS]), .difference(",
                     ".a(b[p*DATA_BITS+:DATA_BITS]),\n"
                     "          .b(a[p*DATA_BITS+:DATA_BITS]), .difference(")  # fmt: skip
        # An inverse transform reads q in front of its product only, a forward one behind it.
        right, wrong = {"forward": ("PRODUCT_LATENCY + ADD_REGS", "PRODUCT_LATENCY"),
                        "inverse": ("BEFORE", "0")}[way]  # fmt: skip
        early = Fault("a modulus that comes too early", "nttf_butterfly.sv",
                      f"(MOVING != 0) ? {right} : 0", f"(MOVING != 0) ? {wrong} : 0")  # fmt: skip
        what = "" if parts == 1 else ", words of two parts"
        what += "" if halve else ", without the half"
        directions = 1 + (built == "both")
        yield Theorem(
            f"butterfly of {bits} bits, {way}" + (" of both" if built == "both" else "") + what
            + _note(pipeline, moving),
            "x and y are the butterfly of a, b and the product, below q, for every odd q and any "
            "residues",
            "butterfly_proof",
            {"CORE": core_literal(core.module_parameters), "FORWARD": int(built != "inverse"),
             "INVERSE": int(built != "forward"), "RUN_INVERSE": int(way == "inverse"),
             "HALVE": halve, "PARTS": parts},
            core.latency(directions) + 1,
            links={"product": "u_core.u_product.product", "factor_a": "u_core.u_product.a",
                   "factor_b": "u_core.u_product.b"},
            cut=(f"nttf_product*/{inner}.u_product",),
            faults=(early if moving else swapped if way == "forward" else late,),
            quick=pipeline != _DEEP and parts == halve and built != "both",
        )  # fmt: skip


def _complex() -> Iterator[Theorem]:
    for bits, pipeline in ((30, Pipeline()), (52, _DEEP)):
        plain = _core("montgomery", bits, pipeline)
        core = DgtCore(plain.kind, plain.q, plain.bits, pipeline, plain.two_adicity)
        links: dict[str, str] = {}
        for f in range(3):
            product = f"u_multiplier.gen_product[{f}].u_product"
            links |= {f"factor_a_{f}": f"{product}.a", f"factor_b_{f}": f"{product}.b"}
            links[f"product_{f}"] = f"{product}.product"
        file = "nttf_complex_multiplier.sv"
        yield Theorem(
            f"complex product of {bits} bits" + _note(pipeline),
            "three products and their sums give the product of two numbers a0 + a1 i, for every q",
            "complex_multiplier_proof",
            {"CORE": core_literal(core.module_parameters)},
            core.product_latency + 1,
            links=links,
            cut=("nttf_modular_multiplier*/gen_montgomery.u_reduce",),
            faults=(
                Fault("the wrong product taken off", file,
                      ".b(products[DATA_BITS+:DATA_BITS]), .difference(re)",
                      ".b(products[2*DATA_BITS+:DATA_BITS]), .difference(re)"),
                Fault("a part of the sum of the other factor", file,
                      ".b(b[DATA_BITS+:DATA_BITS]),", ".b(a[DATA_BITS+:DATA_BITS]),"),
            ),
        )  # fmt: skip


def _base_products() -> Iterator[Theorem]:
    for q, pipeline in ((3329, Pipeline()), (_PRIMES[30], _DEEP)):
        bits = q.bit_length()
        (core,) = choose_cores("barrett", (q,), pipeline)
        links: dict[str, str] = {}
        for f in range(4):
            product = f"u_base.gen_product[{f}].u_product"
            links |= {f"factor_a_{f}": f"{product}.a", f"factor_b_{f}": f"{product}.b"}
            links[f"product_{f}"] = f"{product}.product"
        fifth = {"folded_a": "a", "folded_b": "b", "folded": "product"}
        links |= {name: f"u_base.u_folded.{port}" for name, port in fifth.items()}
        file = "nttf_base_product.sv"
        yield Theorem(
            f"product of remainders of degree 1, {bits} bits" + _note(pipeline),
            "five products and their sums multiply modulo X^2 - gamma, for every q and gamma",
            "base_product_proof",
            {"CORE": core_literal(core.module_parameters)},
            2 * core.product_latency + core.pipeline.add_regs + 2,
            links=links,
            cut=("nttf_modular_multiplier*/gen_barrett.u_reduce",),
            faults=(
                Fault("gamma of the word behind", file, ".DEPTH(LATENCY - 1)", ".DEPTH(LATENCY)"),
                Fault("the square of a part", file,
                      "{b[0+:DATA_BITS], b[DATA_BITS+:DATA_BITS], b}",
                      "{b[DATA_BITS+:DATA_BITS], b[DATA_BITS+:DATA_BITS], b}"),
            ),
            quick=bits < 16,
        )  # fmt: skip
