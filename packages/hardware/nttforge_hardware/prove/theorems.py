# SPDX-License-Identifier: Apache-2.0
"""What is proved of the modules, each with faults that its proof must find."""

from __future__ import annotations

from collections.abc import Iterator

from ..emit.core_parameter import core_literal
from ..plan.cores import KINDS, CoreDesign, choose_cores
from ..plan.pipeline import Pipeline
from ..plan.solinas import solinas_form
from .theorem import Fault, Theorem
from .theorems_burst import burst_theorems
from .theorems_engines import engine_theorems
from .theorems_keyswitch import keyswitch_theorems
from .theorems_streams import stream_theorems
from .theorems_tables import table_theorems
from .theorems_wide import SUM_IS_Q, wide_theorems

#: Every prime of 8 bits that carries a transform of 8 points or more.
EIGHT_BIT_PRIMES = (193, 241)


def theorems() -> list[Theorem]:
    """All of them, the quick ones of each kind first."""
    return [
        *_sums(),
        *_multipliers(),
        *_reductions(),
        *_cores(),
        *wide_theorems(),
        *table_theorems(),
        *stream_theorems(),
        *engine_theorems(),
        *burst_theorems(),
        *keyswitch_theorems(),
    ]


def _sums() -> Iterator[Theorem]:
    for bits, limit in ((11, 6), (32, 9), (104, 60)):
        yield Theorem(
            f"sum of {bits} bits, carries of at most {limit}",
            "the parts make a + b + carry, for all a, b and both carries",
            "sum_proof",
            {"BITS": bits, "LIMIT": limit},
            1,
            faults=(
                Fault("a part without its carry", "nttf_sum.sv",
                      "with_one[SIZE+1:1] : without", "without : without"),
            ),
            quick=bits == 11,
        )  # fmt: skip


def _multipliers() -> Iterator[Theorem]:
    shift = Fault("a tile one bit too low", "nttf_multiplier.sv", "<< SHIFT;", "<< (SHIFT - 1);")
    for tile_a, tile_b, lut_bits, out_bits, sum_regs in ((4, 4, 0, 9, 1), (3, 7, 1, 16, 2)):
        yield Theorem(
            f"multiplier, tiles {tile_a} x {tile_b}, {out_bits} of 16 bits",
            "the sum of the tiles is the product, for all factors of 8 bits",
            "multiplier_proof",
            {"OUT_BITS": out_bits, "SUM_REGS": sum_regs,
             "CORE": core_literal({"TILE_A": tile_a, "TILE_B": tile_b, "LUT_BITS": lut_bits})},
            3 + sum_regs,
            faults=(shift,),
            quick=out_bits == 9,
        )  # fmt: skip


def _factor(core: CoreDesign) -> int:
    return 1 << core.steps * core.digit_bits if core.kind == "montgomery" else 1


def _lazy(core: CoreDesign) -> tuple[str, int, int, int, int]:
    """The wire before the last correction: name, bits, signed, interval."""
    q, bits = core.q, core.bits
    levels = (core.module_parameters["OPERANDS"] - 1).bit_length()
    return {
        "montgomery": (f"gen_step[{core.steps - 1}].next", bits + 1, 1, -q + 1, q),
        "barrett": ("lazy", bits + 1, 0, 0, 2 * q),
        "solinas": ("lazy", bits + levels + 2, 1, -q + 1, 2 * q),
    }[core.kind]


_REDUCTION_FAULTS = {
    "montgomery": (
        Fault("wrong weight of a digit", "nttf_reduce_montgomery.sv", "digit << row", "digit << 1"),
        Fault("no last addition", "nttf_reduce_montgomery.sv",
              "(value[STEPS][DATA_BITS] ? q_at[STEPS] : '0)", "'0"),
    ),
    "barrett": (
        Fault("quotient taken one bit too high", "nttf_reduce_barrett.sv",
              "scaled[2*DATA_BITS+5:DATA_BITS+5]", "scaled[2*DATA_BITS+5:DATA_BITS+6]"),
    ),
}  # fmt: skip


def _reduction_faults(core: CoreDesign, lemma: bool) -> tuple[Fault, ...]:
    """Faults that break the interval (lemma), or it or the remainder."""
    if core.kind != "solinas":
        return _REDUCTION_FAULTS[core.kind][: 1 if lemma else 2]
    if lemma:
        return (
            Fault("the folded part not taken off", "nttf_reduce_solinas.sv",
                  "SUM_BITS'(sum[I-1:0])", "sum"),
        )  # fmt: skip
    # The lowest bit of the first operand comes from the neighbour of its bit of z.
    fields = core.module_parameters
    wrong = core_literal(fields | {"SOURCES": fields["SOURCES"] ^ 1})
    return (Fault("wrong weight", parameters={"CORE": wrong}),)


def _reductions() -> Iterator[Theorem]:
    wide = (("montgomery", 3329), ("barrett", 3329), ("solinas", 3329), ("solinas", 4093 - 252))
    sixteen = (("montgomery", 40961), ("barrett", 40961), ("solinas", 2**16 - 2**12 + 1))
    cases = [(k, q) for q in EIGHT_BIT_PRIMES for k in KINDS] + [*wide, *sixteen]
    for kind, q in cases:
        if kind == "solinas" and not _has_solinas(q):
            continue
        core = choose_cores(kind, (q,), Pipeline())[0]
        lemma = (kind, q) in sixteen  # the solver takes too long for more
        wire, bits, signed, low, high = _lazy(core)
        latency = core.product_latency - core.full_latency
        yield Theorem(
            f"{kind} reduction, q = {q}",
            f"for all z < q^2 the lazy value lies in [{low}, {high})"
            + ("" if lemma else " and the remainder is right"),
            "reduction_proof",
            {"CORE": core_literal(core.module_parameters), "Q": q, "CONSTANT": core.constant,
             "LATENCY": latency, "LAZY_CYCLE": latency - 1, "LAZY_BITS": bits,
             "LAZY_SIGNED": signed, "LAZY_LOW": low, "LAZY_HIGH": high, "FACTOR": _factor(core),
             "REMAINDER": int(not lemma)},
            latency + 1,
            links={"lazy": f"gen_{kind}.u_reduce.{wire}"},
            faults=_reduction_faults(core, lemma),
            quick=q == EIGHT_BIT_PRIMES[1],
        )  # fmt: skip


def _has_solinas(q: int) -> bool:
    return solinas_form(q) is not None


def _cores() -> Iterator[Theorem]:
    ways = (
        ("forward", "forward"),
        ("inverse", "inverse"),
        ("forward", "both"),
        ("inverse", "both"),
    )
    swapped = Fault("sum and difference swapped", "nttf_butterfly.sv",
                    "select ? through_beside : sum, select ? product_beside : difference",
                    "select ? through_beside : difference, select ? product_beside : sum",
                    )  # fmt: skip
    no_half = Fault("half of an odd sum without q", "nttf_modular_half.sv",
                    "? more : less", "? {1'b0, lazy} : less")  # fmt: skip
    product = "u_core.u_product.gen_real.u_product"
    deep = Pipeline(
        sum_regs=2, tree_regs=3, add_regs=1, reduction_regs=2, product_regs=1, carry_bits=5
    )
    cases = [(kind, *way, Pipeline(), "") for kind in KINDS for way in ways]
    cases += [(kind, "inverse", "both", deep, ", all registers") for kind in KINDS]
    for kind, way, built, pipeline, title in cases:
        q = EIGHT_BIT_PRIMES[1]
        core = choose_cores(kind, (q,), pipeline)[0]
        yield Theorem(
            f"{kind} core, {way}" + (" of both" if built == "both" else "") + title,
            f"x and y are the butterfly of a, b, w for all of them below q = {q}, given that "
            "its multiplier multiplies",
            "core_proof",
            {"CORE": core_literal(core.module_parameters), "Q": q, "CONSTANT": core.constant,
             "FACTOR": _factor(core), "FORWARD": int(built != "inverse"),
             "INVERSE": int(built != "forward"), "RUN_INVERSE": int(way == "inverse")},
            core.latency(1 + (built == "both")) + 1,
            links={"z": f"{product}.z", "factor_a": f"{product}.a", "factor_b": f"{product}.b"},
            cut=("nttf_modular_multiplier*/u_z",),
            faults=(swapped, SUM_IS_Q) if way == "forward" else (no_half,),
            quick=kind == "montgomery" and way == built,
        )  # fmt: skip
