# SPDX-License-Identifier: Apache-2.0
"""What is proved of twiddle memories and of the check of frames."""

from __future__ import annotations

from collections.abc import Iterator

from .theorem import Fault, Theorem


def table_theorems() -> list[Theorem]:
    return [*_twiddles(), *_frames()]


def _twiddles() -> Iterator[Theorem]:
    file = "nttf_twiddle_memory.sv"
    for banks, behind in ((1, 0), (2, 0), (16, 0), (16, 1), (64, 1)):
        faults = (
            Fault("the wrong half of a layer", file,
                  "bit_value ? layer[ONE", "!bit_value ? layer[ONE"),
            Fault("a layer that never looks at the lane", file,
                  "from_lane_held[j] ? (OWN == 1)",
                  "(from_lane_held[j] && j != BANK_BITS - 1) ? (OWN == 1)"),
        )  # fmt: skip
        if banks == 1:
            faults = (
                Fault("a row too early", file, ".read_address(row)", ".read_address(row + 1'b1)"),
            )
        yield Theorem(
            f"choice of twiddles from {banks} banks" + (", all registers" if behind else ""),
            "every butterfly gets the word of the row and of the bank that its number and the "
            "choice name",
            "twiddle_memory_proof",
            {"BANKS": banks, "BEHIND": behind},
            3 + behind,
            sources={"numbers.hex": _numbers(banks)},
            faults=faults,
            quick=banks == 16 and not behind,
        )  # fmt: skip


def _numbers(banks: int, rows: int = 8) -> str:
    """An image in which every entry is its own number."""
    bits = (banks * rows - 1).bit_length()
    words = (sum((r * banks + b) << (b * bits) for b in range(banks)) for r in range(rows))
    return "".join(f"{word:0{-(-banks * bits // 4)}x}\n" for word in words)


def _frames() -> Iterator[Theorem]:
    file = "nttf_frame_check.sv"
    for words, quick in ((3, True), (1, False), (8, False)):
        cycles = 3 * words + 4
        faults = (
            Fault("the residue q is in range", file, ">= MODULUS;", "> MODULUS;"),
            Fault("an error that a good word clears", file,
                  "if (checked && above_held != '0) error_range <= 1'b1;",
                  "if (checked) error_range <= above_held != '0;"),
            Fault("a missing last word is not seen", file,
                  "in_last != (slot == LAST)", "in_last && slot != LAST"),
        )  # fmt: skip
        yield Theorem(
            f"check of frames of {words} words",
            "the error bits tell of wrong last words and of residues that are not below their "
            f"modulus, and of nothing else: {cycles} cycles of any traffic from reset",
            "frame_check_proof",
            {"WORDS": words},
            cycles,
            faults=faults,
            quick=quick,
        )
