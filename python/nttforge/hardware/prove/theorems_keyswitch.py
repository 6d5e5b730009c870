# SPDX-License-Identifier: Apache-2.0
"""What is proved of key switching: the streaming matrix and the division by special primes."""

from __future__ import annotations

from collections.abc import Iterator

from ...spec.key_switch import division
from ...spec.number_theory import ntt_primes
from ...spec.steps import conversion
from ..emit.core_parameter import core_literal
from ..emit.verilog import packed
from ..plan.cores import CoreDesign, choose_cores
from ..plan.pipeline import Pipeline
from .theorem import Fault, Theorem

_MATRIX, _DOWN = "nttf_base_conversion.sv", "nttf_mod_down.sv"
_CENTRED = (
    Fault("the half itself taken for a negative residue", _MATRIX, "> (SOURCE >> 1)",
          ">= (SOURCE >> 1)"),
    Fault("a larger prime that is not reduced", _MATRIX, "(SOURCE >= Q) ? SOURCE - Q : SOURCE",
          "SOURCE"),
)  # fmt: skip
_ONCE = Fault("a source that is the prime of the target", _MATRIX, "less[DATA_BITS] ? source :",
              "(less[DATA_BITS] || less == '0) ? source :")  # fmt: skip


def keyswitch_theorems() -> list[Theorem]:
    return [*_single(), *_matrices(), *_divisions()]


def _single() -> Iterator[Theorem]:
    for bits, pipeline in ((20, Pipeline()), (52, Pipeline()), (52, Pipeline.named("fast"))):
        # The source's prime is between those of the targets.
        high, source, low = ntt_primes(64, bits, 3)
        core = choose_cores("montgomery", (high,), pipeline)[0]
        registers = ", all registers" if pipeline.add_regs else ""
        for centred in (0, 1):
            latency = 1 + centred * (1 + pipeline.add_regs)
            kind = "centred" if centred else "plain"
            yield Theorem(
                f"digit of one prime, {bits} bits, {kind}{registers}",
                "every residue, read as centred or not, keeps its value modulo a smaller and a "
                "larger prime and is below it",
                "base_conversion_proof",
                {"SOURCES": 1, "CENTRED": centred, "LATENCY": latency,
                 "CORE": core_literal(core.module_parameters), "PRIMES": packed([source], bits),
                 "MODULI": packed([low, high], bits)},
                latency + 1,
                faults=_CENTRED if centred else (_ONCE,),
                quick=bits == 20,
            )  # fmt: skip


def _constants(cores: list[CoreDesign]) -> dict[str, object]:
    bits = cores[0].bits
    return {
        "CORE": core_literal(cores[0].module_parameters),
        "MODULI": packed([c.q for c in cores], bits),
        "CONSTANTS": packed([c.constant for c in cores], bits + 4),
    }


#: All primes of eight bits with q = 1 (mod 8).
_PRIMES = (137, 193, 233, 241)


def _matrices() -> Iterator[Theorem]:
    *targets, first, second = _PRIMES
    for kind, pipeline in (("barrett", Pipeline()), ("montgomery", Pipeline(add_regs=1))):
        cores = choose_cores(kind, tuple(targets), pipeline)
        rows = list(conversion((first, second), targets).factors)
        rows += [(1, 0), (targets[1] - 1, targets[1] - 1)]  # another set
        weights = [f % targets[k % 2] for k, row in enumerate(rows) for f in row]
        stored = [f * cores[k // 2 % 2].twiddle_factor % targets[k // 2 % 2]
                  for k, f in enumerate(weights)]  # fmt: skip
        latency = 2 + pipeline.add_regs + cores[0].product_latency
        yield Theorem(
            f"matrix of two sources and two targets, {kind}",
            "the sums of products with both sets of factors, modulo both targets, for all sources",
            "base_conversion_proof",
            _constants(cores)
            | {"SOURCES": 2, "LATENCY": latency, "PRIMES": packed((first, second), 8),
               "FACTORS": packed(stored, 8), "WEIGHTS": packed(weights, 8)},
            latency + 1,
            faults=(
                Fault("the factors of the other set", _MATRIX, "32'(set)*TARGETS",
                      "32'(!set)*TARGETS"),
                Fault("a source that is the prime of the target", _MATRIX,
                      "less[DATA_BITS] ? source :", "(less[DATA_BITS] || less == '0) ? source :"),
                Fault("the first source twice", _MATRIX, ".b(term[f*DATA_BITS+:DATA_BITS])",
                      ".b(sums[(i-1)*ROW+f*DATA_BITS+:DATA_BITS])"),
            ),
            quick=kind == "barrett",
        )  # fmt: skip


def _divisions() -> Iterator[Theorem]:
    for special, kind in ((1, "barrett"), (1, "montgomery"), (2, "barrett")):
        q, *primes = _PRIMES[1:] if special == 2 else _PRIMES[2:]
        cores = choose_cores(kind, (q, *primes), Pipeline())
        step = division((q,), primes)
        product = cores[0].product_latency
        # Scale, conversion, difference, product, offset: nttf_mod_down.
        latency = product + 3 if special == 1 else product + (product + 2) + 1 + product + 1
        fields: dict[str, object] = {
            "SPECIAL": special, "LATENCY": latency, "Q": q, "P_0": primes[0],
            "INVERSES": packed([step.own[0] * cores[0].twiddle_factor % q], 8),
        }  # fmt: skip
        if special == 2:
            scales = [
                s * c.twiddle_factor % c.q for s, c in zip(step.scale, cores[1:], strict=True)
            ]
            factors = [p * cores[0].twiddle_factor % q for p in primes[::-1]]
            fields |= {
                "P_1": primes[1], "SCALE_0": step.scale[0], "SCALE_1": step.scale[1],
                "SCALES": packed(scales, 8), "FACTORS": packed(factors, 8),
            }  # fmt: skip
        rounding = (_CENTRED[0],) if special == 1 else (
            Fault("halves not added", _DOWN, "DATA_BITS'(OFFSET)", "'0"),
        )  # fmt: skip
        yield Theorem(
            f"division by {special} special, {kind}",
            "the result times P, and what was taken off, are x modulo q, for all residues",
            "mod_down_proof",
            _constants(cores) | fields,
            latency + 1,
            faults=(
                *rounding,
                Fault("the rest added", _DOWN,
                      ".a(own[f*DATA_BITS+:DATA_BITS]), .b(rest[f*DATA_BITS+:DATA_BITS])",
                      ".a(rest[f*DATA_BITS+:DATA_BITS]), .b(own[f*DATA_BITS+:DATA_BITS])"),
            ),
            quick=special == 1 and kind == "barrett",
        )  # fmt: skip
