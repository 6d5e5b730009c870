# SPDX-License-Identifier: Apache-2.0
"""What is proved of twiddle memories and of the check of frames."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..emit.files import design_files
from ..plan.design import plan_design
from ..plan.parameters import HardwareParameters
from .theorem import Fault, Theorem


def table_theorems() -> list[Theorem]:
    return [*_twiddles(), *_frames(), *_designs()]


def _twiddles() -> Iterator[Theorem]:
    file = "nttf_twiddle_memory.sv"
    for banks, behind in ((1, 0), (2, 0), (16, 0), (16, 1), (64, 1)):
        faults: tuple[Fault, ...] = (
            Fault("the wrong half of a layer", file,
                  "value = bit_value ?", "value = !bit_value ?"),
            Fault("a layer that never looks at the lane", file,
                  "from_lane_held[j-1] ?", "(from_lane_held[j-1] && j != BANK_BITS) ?"),
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


def _designs() -> Iterator[Theorem]:
    cases = (
        ("montgomery", 7681, 64, 8, 2, "table", True),
        ("solinas", 7681, 32, 4, 1, "table", False),
        ("barrett", 12289, 2048, 2, 1, "on_the_fly", False),
    )
    for core, q, n, dp, pp, twiddles, quick in cases:
        p = HardwareParameters(n, (q,), "both", dp=dp, pp=pp, core=core, twiddles=twiddles)
        files = design_files(plan_design(p), sets=1)
        limb, image = "rtl/ntt_limb_0.sv", "twiddles/ntt_limb_0_super_pipeline_0.hex"
        yield Theorem(
            f"constants and tables of a design, n = {n}, dp = {dp}, pp = {pp}, {core}",
            "every constant, routing entry and twiddle is what q, n and the root define, and every "
            "word leaves where and when it must",
            "",
            {},
            0,
            sources=files,
            faults=(
                _other_digit("a wrong word in an image", image, files[image], r"([0-9a-f])\n"),
                _other_digit("a wrong routing entry", limb, files[limb],
                             r"\.EXCHANGE\(\d+'h[0-9a-f]*([0-9a-f])\)"),
                _other_digit("a wrong delay", limb, files[limb], r"\.DELAY\(\d+'h([0-9a-f])"),
                _other_digit("a wrong constant", limb, files[limb], r" Q = \d+'d\d*(\d);"),
            ),
            quick=quick,
        )  # fmt: skip


def _other_digit(name: str, file: str, text: str, pattern: str) -> Fault:
    """The lowest bit of the first digit that the pattern finds is another one."""
    found = re.search(pattern, text)
    assert found is not None
    start = found.start(1) - found.start()
    digit = f"{int(found[1], 16) ^ 1:x}"
    whole = text[: found.start()] + found[0][:start] + digit + found[0][start + 1 :]
    return Fault(name, file, text, whole + text[found.end() :])
