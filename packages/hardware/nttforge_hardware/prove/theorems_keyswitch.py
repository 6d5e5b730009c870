# SPDX-License-Identifier: Apache-2.0
"""What is proved of key switching: the streaming matrix and the division by special primes."""

from __future__ import annotations

from collections.abc import Iterator

from nttforge_oracle.number_theory import ntt_primes

from ..emit.core_parameter import core_literal
from ..emit.verilog import packed
from ..plan.cores import choose_cores
from ..plan.pipeline import Pipeline
from .theorem import Fault, Theorem

_MATRIX, _DOWN = "nttf_base_conversion.sv", "nttf_mod_down.sv"
_HALF = Fault("the half itself taken for a negative residue", _MATRIX, "> (SOURCE >> 1)",
              ">= (SOURCE >> 1)")  # fmt: skip
_CENTRED = (
    _HALF,
    Fault("a larger prime that is not reduced", _MATRIX, "(SOURCE >= Q) ? SOURCE - Q : SOURCE",
          "SOURCE"),
)  # fmt: skip
_ONCE = Fault("a source that is the prime of the target", _MATRIX, "less[DATA_BITS] ? source :",
              "(less[DATA_BITS] || less == '0) ? source :")  # fmt: skip
_PRODUCTS = ("nttf_products*/*u_product",)
_CASES = ((20, Pipeline()), (52, Pipeline()), (52, Pipeline.named("fast")))


def keyswitch_theorems() -> list[Theorem]:
    return [*_single(), *_matrices(), *_divisions(), _control()]


def _control() -> Theorem:
    file = "nttf_control_keyswitch.sv"
    return Theorem(
        "control of key switching",
        "keys are there and used in order, results leave in order, frames are launched at their "
        "cycles: 14 cycles of any traffic and any engines from reset",
        "control_keyswitch_proof",
        {"WORDS": 2, "INTERVAL": 9},
        14,
        links={"key_count": "u_control.key_count", "out_count": "u_control.out_count"},
        faults=(
            Fault("the key that is used now counted for the next word", file,
                  "key_count > 3'(takes_key)", "key_count != '0"),
            Fault("a word that waits for its key forgotten", file,
                  "enable ? exit_key : held_key", "exit_key"),
            Fault("room for one result too few", file, "out_count <= 3'd2", "out_count <= 3'd3"),
            Fault("interval one short", file, "s_valid && at == TIME_BITS'(INTERVAL)",
                  "s_valid && 32'(at) >= INTERVAL - 1"),
            Fault("the parts of a result swapped", file, "frame - LAST_DIGIT - 1'b1 :",
                  "LAST_FRAME - frame :"),
        ),
        quick=True,
    )  # fmt: skip


def _title(bits: int, pipeline: Pipeline) -> str:
    return f"{bits} bits" + (", all registers" if pipeline.add_regs else "")


def _single() -> Iterator[Theorem]:
    for bits, pipeline in _CASES:
        # The source's prime is between those of the targets.
        high, source, low = ntt_primes(64, bits, 3)
        core = choose_cores("montgomery", (high,), pipeline)[0]
        for centred in (0, 1):
            latency = 1 + centred * (1 + pipeline.add_regs)
            kind = "centred" if centred else "plain"
            yield Theorem(
                f"digit of one prime, {kind}, {_title(bits, pipeline)}",
                "every residue, read as centred or not, keeps its value modulo a smaller and a "
                "larger prime and is below it",
                "base_conversion_proof",
                {"CENTRED": centred, "LATENCY": latency,
                 "CORE": core_literal(core.module_parameters), "SOURCE": f"{bits}'d{source}",
                 "MODULI": packed([low, high], bits)},
                latency + 1,
                faults=_CENTRED if centred else (_ONCE,),
                quick=bits == 20,
            )  # fmt: skip


def _matrices() -> Iterator[Theorem]:
    for bits, pipeline in _CASES:
        targets = ntt_primes(64, bits, 2)
        core = choose_cores("montgomery", tuple(targets), pipeline)[0]
        latency = 1 + core.product_latency + 2 * (1 + pipeline.add_regs)
        links = {"once": "u_matrix.once"}
        for i in range(3):
            source = f"u_matrix.gen_sum.gen_source[{i}]"
            links |= {f"factors_{i}": f"{source}.factors", f"terms_{i}": f"{source}.terms"}
        yield Theorem(
            f"matrix of three sources, {_title(bits, pipeline)}",
            "its multipliers get every source once reduced and the factors of the word's set, and "
            "what they give is summed modulo both targets",
            "matrix_proof",
            {"CORE": core_literal(core.module_parameters), "LATENCY": latency,
             "MODULI": packed(targets, bits), "FACTORS": packed(range(1, 13), bits)},
            latency + 1,
            links=links,
            cut=_PRODUCTS,
            faults=(
                _ONCE,
                Fault("the factors of the other set", _MATRIX, "32'(set) == s", "32'(set) != s"),
                Fault("the first source twice", _MATRIX, ".b(term[f*DATA_BITS+:DATA_BITS])",
                      ".b(sums[(i-1)*ROW+f*DATA_BITS+:DATA_BITS])"),
                Fault("the last source a cycle early", _MATRIX, "(i > 1) ? (i - 1) * ADD : 0",
                      "(i > 1) ? (i - 1) * ADD - 1 : 0"),
            ),
            quick=bits == 20,
        )  # fmt: skip


def _divisions() -> Iterator[Theorem]:
    for special in (1, 2):
        for bits, pipeline in _CASES:
            primes = ntt_primes(64, bits, 3)
            # The limb's prime is smaller than one special prime and larger than the other.
            moduli = [primes[1], primes[0], primes[2]][: 1 + special]
            core = choose_cores("montgomery", tuple(moduli), pipeline)[0]
            add = 1 + pipeline.add_regs
            latency = 1 + 2 * add + core.product_latency
            latency += (special - 1) * (2 * core.product_latency + add)
            yield Theorem(
                f"division by {special} special, {_title(bits, pipeline)}",
                "x less the rest of its own word is multiplied by 1 / P, halves are read as the "
                "rounding asks, and the offset is added",
                "mod_down_proof",
                {"SPECIAL": special, "OFFSET": special // 2, "MODULI": packed(moduli, bits),
                 "CORE": core_literal(core.module_parameters)},
                latency + 1,
                links={k: f"u_down.{k}" for k in ("rest", "difference", "product")},
                cut=_PRODUCTS,
                faults=(
                    _HALF if special == 1 else
                    Fault("halves not added", _DOWN, "DATA_BITS'(OFFSET)", "'0"),
                    Fault("the rest of another word", _DOWN, ".DEPTH(SCALED + CONVERTED)",
                          ".DEPTH(SCALED + CONVERTED - 1)"),
                    Fault("the difference the other way round", _DOWN,
                          ".a(own[f*DATA_BITS+:DATA_BITS]), .b(rest[f*DATA_BITS+:DATA_BITS])",
                          ".a(rest[f*DATA_BITS+:DATA_BITS]), .b(own[f*DATA_BITS+:DATA_BITS])"),
                ),
                quick=bits == 20 and special == 1,
            )  # fmt: skip
