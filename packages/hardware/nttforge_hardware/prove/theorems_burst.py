# SPDX-License-Identifier: Apache-2.0
"""What is proved of the modules that read and write memory behind AXI4 by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from .theorem import Fault, Theorem

_ROOM = "(AT_BITS+1)'(BURST) - (AT_BITS+1)'(address[LOW+:AT_BITS])"


def burst_theorems() -> Iterator[Theorem]:
    """Bursts of reads and of writes, descriptors, and their registers."""
    yield from _reader()
    yield from _writer()
    yield from (_descriptors(11, True), _descriptors(17, False))
    yield _registers()


def _reader() -> Iterator[Theorem]:
    file = "nttf_burst_reader.sv"
    for burst, bits, cycles, quick in ((2, 2, 12, True), (4, 3, 12, False)):
        yield Theorem(
            f"bursts of reads, {burst} beats",
            "offers stay, bursts cover all jobs and cross no boundary, beats leave in order with "
            f"their job's tag, a halt ends it: {cycles} cycles of any jobs, memory and receiver "
            "from reset",
            "burst_reader_proof",
            {"BURST": burst, "BEAT_BITS": bits},
            cycles,
            faults=(
                Fault("a burst over its boundary", file, _ROOM, "(AT_BITS+1)'(BURST)"),
                Fault("a burst too many", file, "flying != OUT_BITS'(OUTSTANDING)", "1'b1"),
                Fault("a beat taken without room", file, "count != 3'd4)", "1'b1)"),
                Fault("the last beat one early", file, "{coming == BEAT_BITS'(1), tag",
                      "{coming == BEAT_BITS'(2), tag"),
                Fault("the tag of the next job", file, "if (begins) tag <= next_tag",
                      "tag <= next_tag"),
                Fault("an error before its beat is taken", file, "takes && rresp[1]",
                      "rvalid && rresp[1]"),
                Fault("a burst begun in a halt", file, "OUT_BITS'(OUTSTANDING) && !halt",
                      "OUT_BITS'(OUTSTANDING)"),
            ),
            quick=quick,
        )  # fmt: skip


def _writer() -> Iterator[Theorem]:
    file = "nttf_burst_writer.sv"
    for beats, cycles, quick in ((3, 12, True), (2, 14, False)):
        yield Theorem(
            f"bursts of writes, jobs of {beats} beats",
            "offers stay, bursts cover all jobs and cross no boundary, beats leave in order, jobs "
            f"retire in order after their last answer, a halt ends it: {cycles} cycles of any "
            "jobs, sender and memory from reset",
            "burst_writer_proof",
            {"BEATS": beats},
            cycles,
            faults=(
                Fault("a burst over its boundary", file, _ROOM, "(AT_BITS+1)'(BURST)"),
                Fault("a burst without a beat", file, "count != '0 && beats == '0 && !awvalid",
                      "beats == '0 && !awvalid"),
                Fault("retired with the first answer", file, "answered && final_burst",
                      "answered"),
                Fault("work without beats does not wait for jobs before", file,
                      "flying == '0 && nones != '0", "nones != '0"),
                Fault("written in a halt", file, "drops   <= halt &&", "drops   <= 1'b0 &&"),
                Fault("dropped while it is offered", file, "(drops || !wvalid || wready)", "1'b1"),
                Fault("an answer's error is not told", file, "answered && bresp[1]", "1'b0"),
            ),
            quick=quick,
        )  # fmt: skip


def _descriptors(cycles: int, quick: bool) -> Theorem:
    """Sixteen cycles take a frame through memory and engine and back; eleven take it there."""
    file = "nttf_burst.sv"
    way_back = (
        Fault("one is refused before others are done", file,
              "wrong && !halt && under_way == '0", "wrong && !halt"),
        Fault("a word too many of a table", file, "upper || (out_last && ODD)", "upper"),
        Fault("a result written to its source", file, "word[31], destination[31:LOW]}",
              "word[31], source[31:LOW]}"),
    )  # fmt: skip
    return Theorem(
        "descriptors of bursts" + ("" if quick else ", with their answers"),
        "wrong ones are refused and move nothing, the others read and write at their addresses, in "
        f"order, and are done after their last answer or word: {cycles} cycles of any "
        "descriptors, memory and engine from reset",
        "burst_proof",
        {},
        cycles,
        faults=(
            Fault("a bit that is let through", file, "word[28:24] != '0", "word[28:25] != '0"),
            Fault("an engine that is not there", file, ">= ENGINES", "> ENGINES"),
            Fault("a frame over the end of memory", file, "(FRAME_BEATS - 1));",
                  "(FRAME_BEATS - 2));"),
            Fault("one that waits is begun", file, "&& !(waits && under_way != '0)", ""),
            Fault("the mark of a refused one is lost", file, "refuses ? word[31] :",
                  "refuses ? 1'b0 :"),
            *(() if quick else way_back),
        ),
        quick=quick,
    )  # fmt: skip


def _registers() -> Theorem:
    file, port = "nttf_burst_registers.sv", "nttf_lite_port.sv"
    return Theorem(
        "registers and descriptors behind AXI4-Lite",
        "responses stay and answer one request each, descriptors, flushes, error and interrupt "
        "bits are those written: 9 cycles of any master from reset",
        "burst_registers_proof",
        {},
        9,
        links={k: f"u_registers.{k}" for k in ("busy", "errors", "interrupts", "enabled")},
        faults=(
            Fault("a response is not waited for", port, "aw_held && w_held && !bvalid",
                  "aw_held && w_held"),
            Fault("data change after they were taken", port, "if (!w_held) {", "{"),
            Fault("a strobe is not looked at", file, "= writes && strobes == 4'hf",
                  "= writes && strobes[2:0] == 3'h7"),
            Fault("a descriptor too many", file, "count == COUNT_BITS'(DEPTH) || halt", "halt"),
            Fault("a flush does not wait", file, "halt && idle && !clear", "halt && !clear"),
            Fault("a flush clears the errors", file, "errors & ~cleared)",
                  "errors & ~cleared & ~{6{clear}})"),
            Fault("an interrupt without a mark", file, "(done && marked)", "done"),
        ),
        quick=True,
    )  # fmt: skip
