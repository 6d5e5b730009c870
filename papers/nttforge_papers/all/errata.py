# SPDX-License-Identifier: Apache-2.0
"""Errors in the papers, each with its proof, which is a test in ``papers/tests/test_errata.py``."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Erratum:
    """What a paper prints, what is right, and why; ``key`` names the test."""

    key: str
    where: str
    printed: str
    right: str
    proof: str


ERRATA = (
    Erratum(
        "kim20_alg_2",
        "[Kim20] Algorithm 2",
        "A butterfly with inputs in [0, 4p) that adds and subtracts without any reduction.",
        "A is first reduced below 2p, as in Harvey's butterfly.",
        "A = 4p - 1 and a product of p - 1 give 5p - 2, which is not below 4p, so that the next "
        "stage's input is out of its interval.",
    ),
    Erratum(
        "kim20_alg_3",
        "[Kim20] Algorithm 3",
        "Stockham's loops over j < m and k < N / 2 / m store to A[2 m j + k] and A[2 m j + k + m].",
        "j runs below N / 2 / m and k below m.",
        "In the first stage, m = 1, the printed stores reach only N / 2 + 1 of the N places, and "
        "overwrite each other.",
    ),
    Erratum(
        "kim20_alg_4",
        "[Kim20] Algorithm 4",
        "q = (b × w') << log β, and p is subtracted if r > p.",
        "The quotient is the upper word, a shift to the right, and p is subtracted if r ≥ p.",
        "With b = p the remainder before the comparison is exactly p, for which the algorithm "
        "returns p in place of 0.",
    ),
    Erratum(
        "kim20_fig_3",
        "[Kim20] Section VI.A, Fig. 3",
        "The per-NTT execution times are 2751.5 µs and 1426.4 µs for batches of 1 and 21, a "
        "speedup "
        "of 1.92.",
        "They are times of 21 NTTs, and their ratio is 1.93.",
        "Table II has 1427 µs for all 21 NTTs of the same size and radix; 1426.4 µs each would be "
        "29954 µs. 2751.5 / 1426.4 = 1.929.",
    ),
    Erratum(
        "kim20_fig_6",
        "[Kim20] Section VI.C, Fig. 6",
        "The text says N = 64 and N1 = 4, the caption a radix-16 NTT.",
        "N1 = 16, N2 = 4.",
        "The caption has four blocks of four threads with four points each: 64 / N1 = 4 blocks and "
        "N1 / 4 = 4 threads need N1 = 16. Neighbours of such a transform are N2 = 4 words, 32 "
        "bytes, "
        "apart, so that one word of each transaction is used and 75 % are wasted, as it says.",
    ),
    Erratum(
        "kim20_section_3b",
        "[Kim20] Section III.B",
        "Each of the np primes is congruent to 1 mod N.",
        "The negacyclic transform needs 1 mod 2N, as the input of Algorithm 1 says.",
        "q = 12289 is 1 mod N for N = 4096 and has no element of order 2N: 2N does not divide "
        "q - 1 = 12288.",
    ),
    Erratum(
        "din24_alg_1",
        "[Din24] Algorithm 1",
        "Pease's algorithm adds and subtracts two words; W is an input, and base is computed from "
        "c.",
        "The difference, or one operand, is multiplied by a twiddle factor that base selects.",
        "Without a twiddle the printed loops compute a Walsh-Hadamard transform: for n = 4 the "
        "outputs differ from the DFT. W and base are never used, and c is not defined.",
    ),
    Erratum(
        "din24_no_copy",
        "[Din24] Section III.B",
        "The outputs go to 4r + 0 ... 4r + 3 and four times to 4r + 2^(t-1).",
        "The last four are 4r + 2^(t-1) + 0 ... 3.",
        "Eight outputs of four butterflies need eight places; the printed list has five.",
    ),
    Erratum(
        "din24_most_hardware",
        "[Din24] Section IV.B",
        "Pease_nc consumes the most hardware of all algorithms on the FPGA.",
        "It has the most flip-flops; Six-step has more LUTs and DSPs, Pease more BRAMs.",
        "Table I: 77558 LUTs and 163 DSPs of Six-step at 16K, 320 BRAMs of Pease, against 23737, "
        "16 "
        "and 160 of Pease_nc with 16 cores.",
    ),
    Erratum(
        "din24_proportional",
        "[Din24] Section IV.B",
        "The latency increases proportionally to the vector's size.",
        "It grows as n log n, by 22.4 from 1024 to 16384.",
        "In Table I the times of 16K are 11.1 (Six-step) to 22.3 times (Stockham) those of 1K, not "
        "16; DIF, DIT, Flat and Stockham grow by 21.8 to 22.3.",
    ),
    Erratum(
        "din24_size",
        "[Din24] Section IV",
        "The input sizes are 1024, 4096 and 16834.",
        "The last is 16384.",
        "16834 is no power of two, which every algorithm of the suite needs.",
    ),
    Erratum(
        "bad18a_table_iii",
        "[Bad18a] Table III",
        "The NTT of category 32k takes 19.03 and 15.31 µs, a speedup of 1.22.",
        "1.24.",
        "19.03 / 15.31 = 1.243; even 19.025 / 15.315 is 1.242.",
    ),
    Erratum(
        "bad18a_alg_1",
        "[Bad18a] Algorithm 1",
        "Step 2 multiplies element (i, j) by ω_n^(ij), n being the length of a row.",
        "By ω_N^(ij), N = m n.",
        "For N = 8, m = 2, n = 4 modulo 17 the printed steps give another vector than the "
        "definition, equation (1); with ω_N they give its values.",
    ),
    Erratum(
        "bad18a_efficiency",
        "[Bad18a] Section IV.B",
        "With divergence the warp execution efficiency was 84.1 %.",
        "The divergent kernels of Table II have 84.5 % on average.",
        "The nine rows of first and second kernels are 83.77 to 84.95 with the mean 84.49; none "
        "is 84.1.",
    ),
    Erratum(
        "bad18b_alg_4",
        "[Bad18b] Algorithm 4",
        "The reconstruction begins with u = x_0, x = t.",
        "x = u.",
        "t is the last inverse of the precomputation; begun with it, the residues of 5 modulo 3, 5 "
        "and 7 do not give 5. With x = u all 105 values are right.",
    ),
    Erratum(
        "bad18b_appendix",
        "[Bad18b] Appendix A.1",
        "u = t2, and if (t1 <= p) t1 += p.",
        "t2 is declared nowhere and t0 used nowhere: u must be (t0 + u) % p; t1 is meant to be "
        "tested against 0.",
        "The listing's names: t0 is assigned once and never read, t2 read once and never assigned. "
        "u = (C_i x_i + (p - C_i) x) mod p gives the right digits.",
    ),
    Erratum(
        "bad18b_table_3",
        "[Bad18b] Table 3, Fig. 2",
        "The CPU has 24 cores.",
        "12 cores, 24 hardware threads.",
        "Section 7.2: two 6-core CPUs with hyper-threading: 2 · 6 = 12, 2 · 6 · 2 = 24.",
    ),
    Erratum(
        "bad18b_primes",
        "[Bad18b] Section 6.2",
        "32-bit primes form the CRT moduli.",
        "31-bit primes, by the sizes of the sets.",
        "62, 186, 372 and 744 bits are 2, 6, 12 and 24 times 31; a product of k primes of 32 bits "
        "has 31 k + 1 to 32 k bits, and none of the four sizes is among these for any k.",
    ),
    Erratum(
        "yan22_alg_1",
        "[Yan22] Algorithm 1",
        "The outer loop runs while m ≤ N.",
        "While m < N.",
        "m = 1, 2, ..., N are log2 N + 1 values; in the last, φ[m + i] is read at N ... 2N - 1, "
        "beyond its N entries, and t is 1/2.",
    ),
    Erratum(
        "yan22_tree",
        "[Yan22] Section 5.2.2",
        "A reduction of 4 modular operations has a tree of depth 2.",
        "3 operations, on 4 operands.",
        "A binary tree of depth 2 has at most 4 leaves and 3 nodes; the same section counts 3 "
        "operations for 4 operands, and 4 operations have 5 operands and depth 3.",
    ),
    Erratum(
        "yan22_table_3",
        "[Yan22] Table 3",
        "Eight moduli for NTTs.",
        "Five of them, 2^30 - 2^9 - 1, 2^30 - 2^16 - 1, 2^30 - 2^18 - 1, 2^52 - 2^19 - 1 and "
        "2^52 - 2^47 - 1, have no power-of-two transform beyond n = 2.",
        "For each of the five q - 1 = 2 (mod 4), and an n-th root of unity needs n | q - 1.",
    ),
    Erratum(
        "yan22_table_4",
        "[Yan22] Table 4",
        "4 limbs of 8192 words of 52 bits take 4.5 µs from DRAM to DRAM on the XCU200.",
        "5.46 µs at least.",
        "2 · 4 · 8192 · 6.5 bytes are 425984 bytes, and Table 2 gives the XCU200 78 GB/s.",
    ),
    Erratum(
        "yan22_table_7_cycles",
        "[Yan22] Table 7",
        "n = 16384 with dp = 32 and pp = 1 takes 39.6 µs at 180 MHz.",
        "39.8 µs at least.",
        "39.6 · 180 = 7128 cycles; 14 stages of 16384 / 32 words on one super pipeline are 7168. "
        "39.65 µs at 180.5 MHz would still be 7157.",
    ),
    Erratum(
        "yan22_table_7_efficiency",
        "[Yan22] Table 7",
        "The FPGA's compute efficiency is 67.3 %.",
        "Its claimed cycles would be 100.6 % of the cores' peak.",
        "8192 · 14 butterflies on 16 cores are 7168 cycles of 7128; at 67.3 % they would take "
        "59.2 µs.",
    ),
    Erratum(
        "yan22_table_7_gpu",
        "[Yan22] Section 7.5",
        "20 operations a butterfly make 0.096 GOP for the entire NTT, 35.5 % of the GPU's peak.",
        "0.048 GOP, 17.8 %.",
        "n / 2 · log2 n · 21 = 2408448 butterflies; times 20 that is 0.0482 GOP in 44.1 µs, "
        "1.09 of 6.14 TOPs. The claim counts n log2 n butterflies.",
    ),
)


def markdown() -> str:
    """``docs/papers/errata.md``."""
    lines = [
        "# Errata of the five papers",
        "",
        *_wrapped(
            "Found while every table, figure and algorithm was reproduced: what is printed, what "
            "is "
            "right, and the proof. Each is a test of the same name in "
            "[test_errata.py](../../papers/tests/test_errata.py). The papers' texts were "
            "read as extracted text, so that a slip of the extraction cannot be excluded where a "
            "single sign differs. Written by `nttforge paper all --kept --out docs/papers`."
        ),
    ]
    for erratum in ERRATA:
        lines += ["", f"## {erratum.where}", "", f"`{erratum.key}`", ""]
        for name, text in (
            ("Printed", erratum.printed),
            ("Right", erratum.right),
            ("Proof", erratum.proof),
        ):
            lines += _wrapped(f"* {name}: {text}", "  ")
    return "\n".join(lines) + "\n"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
