# SPDX-License-Identifier: Apache-2.0
"""What is proved of the modules around shared engines: buffers of a frame, and dispatch."""

from __future__ import annotations

from collections.abc import Iterator

from .theorem import Fault, Theorem


def engine_theorems() -> Iterator[Theorem]:
    """Frames through buffers and to engines, in order and whole."""
    buffer, dispatch, free = "nttf_frame_buffer.sv", "nttf_dispatch.sv", "nttf_control_free.sv"
    cases = ((2, 2, 1, 0, 16, True), (4, 4, 4, 0, 14, False), (4, 4, 4, 1, 15, False))
    for words, depth, begin, behind, cycles, quick in cases:
        yield Theorem(
            f"buffer of a frame, {words} words, {depth} deep, begins with {begin}"
            + (", a register behind" if behind else ""),
            "offers stay, words keep their order and none is lost, a frame is held back until "
            f"enough of it is there and no longer: {cycles} cycles of any traffic from reset",
            "frame_buffer_proof",
            {"WORDS": words, "DEPTH": depth, "BEGIN": begin, "BEHIND": behind},
            cycles,
            faults=(
                Fault("a word more than there is room for", buffer,
                      "stored != COUNT_BITS'(DEPTH)", "1'b1"),
                Fault("a word of the memory on its way not counted", buffer,
                      "count + 3'(flying[0]) +", "count +"),
                *((Fault("a frame not held back", buffer, "held >= COUNT_BITS'(BEGIN)", "1'b1"),)
                  if begin > 1 else ()),
                *((Fault("a word in the register behind not counted", buffer,
                         " + 3'(BEHIND != 0 && flying[BEHIND])", ""),) if behind else ()),
            ),
            quick=quick,
        )  # fmt: skip
    words = 4
    for interval, depth, front, behind, cycles, quick in (
        (5, 2, 4, 0, 21, True),
        (4, 3, 8, 1, 24, False),
    ):
        yield Theorem(
            f"frames that never wait, {words} words, interval {interval}, {depth} stages"
            + (", a register behind" if behind else ""),
            "offers stay, words keep their order and none is lost, transforms enter whole, keep "
            f"their distance and find room behind: {cycles} cycles of any traffic from reset",
            "control_free_proof",
            {"WORDS": words, "INTERVAL": interval, "DEPTH": depth, "IN_DEPTH": front, "ROOM": 2,
             "BEHIND": behind},
            cycles,
            faults=(
                Fault("begun without room", free, "(waited && room)", "waited"),
                *((Fault("interval one short", "nttf_distance.sv", "(CYCLES - 1)", "(CYCLES - 2)"),)
                  if interval > words else ()),
                Fault("a result counted as gone one word early", free,
                      "gives && out_slot == LAST", "gives && out_slot == LAST - 1'b1"),
                Fault("a frame that ends late", free, "begun && in_slot != LAST",
                      "begun && in_slot != '0"),
                Fault("a frame not held back", buffer, "held >= COUNT_BITS'(BEGIN)", "1'b1"),
            ),
            quick=quick,
        )  # fmt: skip
    yield Theorem(
        "frames to two engines and back",
        "words leave in the order in which they came, whatever engines their frames name: 10 "
        "cycles of any traffic and any engines from reset",
        "dispatch_proof",
        {"WORDS": 2, "FRAMES": 2},
        10,
        faults=(
            Fault("one frame too many", dispatch, "in_flight != (FRAME_BITS+1)'(FRAMES)",
                  "1'b1"),
            Fault("the engine named again within a frame", dispatch, "begun ? target_held :",
                  "1'b0 ? target_held :"),
            Fault("the next engine after every word", dispatch, "if (ends) oldest",
                  "if (m_valid && m_ready) oldest"),
        ),
        quick=True,
    )  # fmt: skip
