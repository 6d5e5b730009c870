# SPDX-License-Identifier: Apache-2.0
"""Engines with loaded moduli behind AXI4: bursts, descriptors, an interrupt; and their test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nttforge.errors import ParameterError

from ..plan.engine import EngineDesign
from ..plan.engine_timing import Frame, batch_times
from .axi import LITE_BUS, lite_ports
from .engine_dma import ENGINE_AT, SET_AT, element_bytes, padded, unpadded
from .stream_top import unread
from .verilog import width_of, wrong_word

#: Where a burst may not go on, and the most beats of one, by AXI4.
PAGE_BYTES, MOST_BEATS = 4096, 256
#: Widest data of AXI4.
MOST_BITS = 1024
#: Places of the queue of descriptors, descriptors inside, bursts read at a time.
QUEUE, JOBS, OUTSTANDING = 16, 8, 4
#: Bits of a descriptor's word.
TABLE, AFTER, MARK = 1 << 29, 1 << 30, 1 << 31
#: Cycles from an address to the memory's answer, and of a descriptor's writes, in the testbench.
MEMORY_LATENCY, PUSH_CYCLES = 60, 18


def beat_bytes(design: EngineDesign) -> int:
    """Bytes of a word of all lanes, which is a beat."""
    p = design.parameters
    return p.dp * element_bytes(p.bits)


def check_burst(design: EngineDesign, burst: int) -> None:
    """Raises ParameterError unless AXI4 has beats of this size and bursts of ``burst`` of them."""
    size = beat_bytes(design)
    if 8 * size > MOST_BITS:
        raise ParameterError(
            f"burst with dp = {design.parameters.dp}: a beat of {8 * size} bits is wider than AXI4 "
            f"has ({MOST_BITS}); use fewer lanes, or the streams of --axi alone"
        )
    most = min(MOST_BEATS, PAGE_BYTES // size)
    if isinstance(burst, bool) or burst & (burst - 1) or not 2 <= burst <= most:
        raise ParameterError(
            f"burst = {burst!r} must be a power of two in 2 ... {most}: {most} beats of {size} "
            "bytes are what AXI4 allows"
        )


def burst_module(design: EngineDesign, name: str, burst: int) -> str:
    """The module ``<name>_burst``."""
    p, width = design.parameters, 8 * element_bytes(design.parameters.bits)
    engine_bits, set_bits = width_of(p.engines), width_of(p.sets)
    beat, given = 8 * beat_bytes(design), padded("out_data", p.dp, p.bits)
    awprot, arprot = (
        unread(f"  input  logic [2:0]  s_axi_{way}prot,  // not used\n") for way in ("aw", "ar")
    )
    irq = "  output logic        irq,  // interrupt, level\n"
    wires = unread(
        f"  logic [{beat - 1}:0] s_data;\n  logic [{beat // 2 - 1}:0] t_data;\n"
        "  logic [23:0] s_user;\n  logic m_last;\n"
    )
    words, limbs = design.shape.parameters.words, p.engines * p.sets
    channels = "".join(
        f"""  output logic [31:0] m_axi_{way}addr,
  output logic [7:0]  m_axi_{way}len,
  output logic [2:0]  m_axi_{way}size,
  output logic [1:0]  m_axi_{way}burst,
  output logic [3:0]  m_axi_{way}cache,
  output logic [2:0]  m_axi_{way}prot,
  output logic        m_axi_{way}valid,
  input  logic        m_axi_{way}ready,
"""
        for way in ("ar", "aw")
    )
    constants = "".join(
        f"  assign m_axi_{way}size  = 3'd{(beat // 8).bit_length() - 1};\n"
        f"  assign m_axi_{way}burst = 2'b01;\n  assign m_axi_{way}cache = 4'b0011;\n"
        f"  assign m_axi_{way}prot  = 3'b000;\n"
        for way in ("ar", "aw")
    )
    return f"""// {name}_top behind AXI4: frames and tables come from memory, results go there.
// A residue takes {width} bits in memory, lane 0 lowest: frames are arrays of them.
// s_axi takes descriptors (nttf_burst_registers), irq says that a marked one is done.
// m_axi has 32 bits of address, {beat} of data, bursts of at most {burst} beats,
// no IDs and no narrow beats.
module {name}_burst (
{lite_ports(awprot, arprot, 7, irq)}{channels}  input  logic [{beat - 1}:0] m_axi_rdata,
  input  logic [1:0]  m_axi_rresp,
  input  logic        m_axi_rlast,
  input  logic        m_axi_rvalid,
  output logic        m_axi_rready,
  output logic [{beat - 1}:0] m_axi_wdata,
  output logic [{beat // 8 - 1}:0] m_axi_wstrb,
  output logic        m_axi_wlast,
  output logic        m_axi_wvalid,
  input  logic        m_axi_wready,
  input  logic [1:0]  m_axi_bresp,
  input  logic        m_axi_bvalid,
  output logic        m_axi_bready
);
{constants}
  logic halt, clear, idle, empty, d_valid, d_ready, done, marked, refused, error_read, error_write;
  logic t_valid, t_last, s_valid, s_ready, s_last, m_valid, m_ready;
  logic error_last, error_range, error_table;
  logic [31:0] d_source, d_destination, d_word;
{wires}  logic [{p.dp * p.bits - 1}:0] out_data;

  nttf_burst_registers #(
    .WORDS({words}), .SIZE({p.n}), .LANES({p.dp}), .LIMBS({limbs}), .BITS({p.bits}), .DEPTH({QUEUE})
  ) u_registers (
    .clk(aclk), .reset(!aresetn), {LITE_BUS} .irq(irq),
    .halt(halt), .clear(clear), .idle(idle), .empty(empty), .d_valid(d_valid), .d_ready(d_ready),
    .d_source(d_source), .d_destination(d_destination), .d_word(d_word), .done(done),
    .marked(marked), .takes(s_valid && s_ready), .gives(m_valid && m_ready),
    .error_last(error_last || error_table), .error_range(error_range), .error_refused(refused),
    .error_read(error_read), .error_write(error_write));

  nttf_burst #(
    .DATA_BITS({beat}), .FRAME_BEATS({words}), .TABLE_WORDS({design.table_words}),
    .ENGINES({p.engines}), .SETS({p.sets}), .BURST({burst}), .OUTSTANDING({OUTSTANDING}),
    .JOBS({JOBS})
  ) u_burst (
    .clk(aclk), .reset(!aresetn || clear), .halt(halt), .idle(idle), .empty(empty),
    .d_valid(d_valid), .d_ready(d_ready), .d_source(d_source), .d_destination(d_destination),
    .d_word(d_word), .done(done), .marked(marked), .refused(refused), .error_read(error_read),
    .error_write(error_write), .araddr(m_axi_araddr), .arlen(m_axi_arlen), .arvalid(m_axi_arvalid),
    .arready(m_axi_arready), .rdata(m_axi_rdata), .rresp(m_axi_rresp), .rlast(m_axi_rlast),
    .rvalid(m_axi_rvalid), .rready(m_axi_rready), .awaddr(m_axi_awaddr), .awlen(m_axi_awlen),
    .awvalid(m_axi_awvalid), .awready(m_axi_awready), .wdata(m_axi_wdata), .wstrb(m_axi_wstrb),
    .wlast(m_axi_wlast), .wvalid(m_axi_wvalid), .wready(m_axi_wready), .bresp(m_axi_bresp),
    .bvalid(m_axi_bvalid), .bready(m_axi_bready), .t_valid(t_valid), .t_last(t_last),
    .t_data(t_data), .s_valid(s_valid), .s_ready(s_ready), .s_last(s_last), .s_user(s_user),
    .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready), .m_data({{{given}}}));

  {name}_top u_top (
    .clk(aclk), .reset(!aresetn), .flush(clear), .t_valid(t_valid), .t_last(t_last),
    .t_data({{{unpadded("t_data", p.dp // 2, p.bits)}}}),
    .s_valid(s_valid), .s_ready(s_ready),
    .s_engine(s_user[{ENGINE_AT}+:{engine_bits}]), .s_set(s_user[{SET_AT}+:{set_bits}]),
    .s_inverse(s_user[0]), .s_last(s_last),
    .s_data({{{unpadded("s_data", p.dp, p.bits)}}}),
    .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last), .m_data(out_data),
    .error_last(error_last), .error_range(error_range), .error_table(error_table));
endmodule
"""


def burst_bench(
    design: EngineDesign,
    modulus: int,
    files: Mapping[str, str],
    frames: Sequence[Frame],
    burst: int,
) -> tuple[str, dict[str, int | str]]:
    """``memory.hex`` and the parameters of the checker of the AXI4 ports.

    ``modulus`` is that of the first frame; ``files`` has the tables and frames of the other
    checker: the words here are the same, residues in elements of their own. Frames begin where the
    first one crosses a page.
    """
    p, shape = design.parameters, design.shape.parameters
    size, element = beat_bytes(design), element_bytes(p.bits)
    digits, page = 2 * size, PAGE_BYTES // size
    wrong = wrong_word([modulus], p.dp, p.bits)

    def spread(line: str, lanes: int) -> str:
        word, mask = int(line, 16), (1 << p.bits) - 1
        parts = [word >> lane * p.bits & mask for lane in range(lanes)]
        return "".join(f"{part:0{2 * element}x}" for part in reversed(parts))

    halves = [spread(line, p.dp // 2) for line in files["testbench/tables.hex"].split()]
    beats: list[str] = []
    for at in range(0, len(halves), design.table_words):
        table = halves[at : at + design.table_words]
        table += ["f" * size] * (len(table) % 2)  # nobody reads it
        beats += [high + low for low, high in zip(table[::2], table[1::2], strict=True)]
    table_beats = -(-design.table_words // 2)
    wrong_at = len(beats)
    beats += [spread(wrong.partition("'h")[2], p.dp)] * shape.words
    frames_at = -(-len(beats) // page) * page + page - min(shape.words, page) // 2
    beats += ["0" * digits] * (frames_at - len(beats))
    beats += [spread(line, p.dp) for line in files["testbench/input.hex"].split()]
    beats += ["0" * digits] * 3  # results begin in the middle of a burst
    times = batch_times(design, [replace(frame, alone=False) for frame in frames])
    # What the engines take, or the testbench's memory, which is asked for only so many bursts at a
    # time, or its three writes of a descriptor.
    waits = max(PUSH_CYCLES, shape.words * (MEMORY_LATENCY + 6) // (OUTSTANDING * burst))
    span = max(times[-1].last_out - times[0].last_out, (len(frames) - 1) * waits)
    values: dict[str, int | str] = {
        "WORD_BITS": p.dp * p.bits,
        "WORDS": shape.words,
        "TRANSFORMS": len(frames),
        "TABLES": len(halves) // design.table_words,
        "BITS": p.bits,
        "BEAT_BITS": 8 * size,
        "BURST": burst,
        "ENGINES": p.engines,
        "SETS": p.sets,
        "TABLE_BEATS": table_beats,
        "WRONG_AT": wrong_at,
        "FRAMES_AT": frames_at,
        "RESULTS_AT": len(beats),
        "QUEUE": QUEUE,
        "LATENCY": MEMORY_LATENCY,
        "SPAN": span,
        "BURST_LIMIT": 20_000 + 40 * (len(beats) + times[-1].last_out),
    }
    return "".join(f"{beat}\n" for beat in beats), values
