# SPDX-License-Identifier: Apache-2.0
"""The top level of engines with loaded moduli: ports, dispatch, loader, engines."""

from __future__ import annotations

from ..plan.engine import EngineDesign
from ..plan.engine_timing import Frame, batch_times
from .stream_top import unread
from .verilog import named_list, packed, width_of


def row_bits_of(design: EngineDesign) -> int:
    """Bits of a row's address in the largest of an engine's twiddle memories."""
    return max(width_of(design.parameters.sets * rows) for rows in design.table_rows)


def _description(design: EngineDesign) -> str:
    p = design.parameters
    words = design.shape.parameters.words
    root, power = ("psi", "(2 k + 1)") if p.ring == "negacyclic" else ("omega", "k")
    exactly = "of exactly" if design.core.kind == "barrett" else "of at most"
    title = f"{p.n} coefficients, {p.dp} per cycle, modulo primes {exactly} {p.bits} bits"
    return f"""// {title} that are loaded.
//
// {p.engines} engine(s) of {p.sets} set(s) each: a set is a modulus with its twiddles. A frame
// names engine, set and direction with its first word; results leave in the order of the frames.
// Engines work side by side, and frames may follow each other without a gap, whatever sets and
// directions they have.
// Words at the ports: lane by lane, {p.bits} bits each, lane 0 lowest.
// Coefficients: lane l of word t is number l * {words} + t.
// Values: lane l of word t is at position t * {p.dp} + l of the bit-reversed order.
// Value k: sum over j < {p.n} of a[j] {root}^({power} j), {root} as in the set.
// A forward transform takes coefficients and gives values, an inverse the other way round.
{_early(design)}\
// Port t loads a set in {design.table_words} words (nttf_table_loader says which). No frame of that
// set may be inside meanwhile; frames of other sets may.
// s_ready depends on s_engine in the same cycle: another engine may have room."""


def _early(design: EngineDesign) -> str:
    """What the values of sets are that stop a layer early."""
    p = design.parameters
    if not p.early:
        return ""
    order = design.shape.parameters.root_order
    return f"""// A set whose prime has no root of order {order} stops a layer early: positions
// 2 i and 2 i + 1 have e + o and e - o of remainder i, which is e + o X modulo X^2 - gamma.
"""


def engine_top(design: EngineDesign, name: str) -> str:
    p, shape = design.parameters, design.shape.parameters
    word, tag, row_bits = p.dp * p.bits, design.tag_bits, row_bits_of(design)
    engine_bits, set_bits = width_of(p.engines), width_of(p.sets)
    directions = tuple(design.shape.schedules)
    s_inverse = "  input  logic s_inverse,  // direction, likewise\n"
    inverse = "s_inverse"
    if len(directions) == 1:
        inverse = f"1'b{int(directions[0] == 'inverse')}"
        s_inverse = unread(s_inverse.replace("direction, likewise", "not used"))
    s_engine = (
        f"  input  logic [{engine_bits - 1}:0] s_engine,  "
        "// with a frame's first word; s_ready follows it\n"
    )
    s_set = f"  input  logic [{set_bits - 1}:0] s_set,     // likewise\n"
    latency = ", ".join(
        f"{batch_times(design, [Frame(0, 0, d)])[0].latency} cycles ({d})" for d in directions
    )
    loader = {
        "BITS": p.bits,
        "BANKS": p.dp // 2,
        "ENGINES": p.engines,
        "SETS": p.sets,
        "PIPELINES": p.pp,
        "ADDRESS_BITS": row_bits,
        "ROWS": packed(design.table_rows, 32),
    }
    nowhere = unread("  logic nowhere;  // moduli are loaded\n")
    text = f"""{_description(design)}
// First word in to last word out of a single frame: {latency}.
// An engine begins a frame every {design.interval_cycles} cycles.
module {name}_top (
  input  logic clk,
  input  logic reset,      // synchronous
  input  logic flush,      // drops all words inside; the next ones are firsts. Sets stay
  input  logic t_valid,    // a word of a table: always taken
  input  logic t_last,     // with a table's last word
  input  logic [{word // 2 - 1}:0] t_data,
  input  logic s_valid,    // stays, as s_data does, until the word is taken: with s_ready
  output logic s_ready,
{s_engine}{s_set}{s_inverse}  input  logic s_last,     // with a frame's last word
  input  logic [{word - 1}:0] s_data,
  output logic m_valid,
  input  logic m_ready,    // the word is given: with m_valid
  output logic m_last,     // with a result's last word
  output logic [{word - 1}:0] m_data,
  output logic error_last,  // s_last came too early or not in time; until reset or flush
  output logic error_range,  // a residue was not below its q, or no such engine or set; likewise
  output logic error_table  // a table's t_last, engine or set was wrong; likewise
);
  logic clear, begun, named, in_last;
  assign clear = reset || flush;

{nowhere}  nttf_frame_check #(
    .DATA_BITS({p.bits}), .FIELDS({p.dp}), .WORDS({shape.words}), .MODULI({p.dp * p.bits}'h0)
  ) u_frame_check (
    .clk(clk), .reset(clear), .in_valid(s_valid && s_ready), .in_last(s_last), .in_data(s_data),
    .error_last(error_last), .error_range(nowhere));

  // The tag of a frame goes with all of its words.
  logic [{set_bits - 1}:0] set, set_held;
  logic inverse, inverse_held;
  assign set     = begun ? set_held : s_set;
  assign inverse = begun ? inverse_held : {inverse};
  always_ff @(posedge clk) begin
    if (clear) begin
      begun <= 1'b0;
      named <= 1'b1;
    end else if (s_valid && s_ready) begin
      begun <= !in_last;
      if (!begun && (32'(s_engine) >= {p.engines} || 32'(s_set) >= {p.sets})) named <= 1'b0;
    end
    set_held     <= set;
    inverse_held <= inverse;
  end

  logic [{p.engines - 1}:0] in_valid, in_ready, out_valid, out_ready, above;
  logic [{p.engines * word - 1}:0] out_data;
  nttf_dispatch #(
    .ENGINES({p.engines}), .WORDS({shape.words}), .FRAMES({design.frames_inside}), .OUT_BITS({word})
  ) u_dispatch (
    .clk(clk), .reset(clear), .s_valid(s_valid), .s_ready(s_ready), .s_engine(s_engine),
    .s_final(in_last), .in_valid(in_valid), .in_ready(in_ready), .out_valid(out_valid),
    .out_ready(out_ready), .out_data(out_data), .m_valid(m_valid), .m_ready(m_ready),
    .m_last(m_last), .m_data(m_data));
  assign error_range = !named || above != '0;

  logic [{p.engines - 1}:0] load;
  logic [{p.pp - 1}:0] load_rows;
  logic [{row_bits - 1}:0] load_at;
  logic [{word // 2 - 1}:0] load_word;
  logic load_constants;
  logic [{set_bits - 1}:0] load_set;
  logic [{2 * p.bits + 3}:0] load_value;
  nttf_table_loader #(
    {named_list(loader)}
  ) u_loader (
    .clk(clk), .reset(clear), .t_valid(t_valid), .t_last(t_last), .t_data(t_data), .engine(load),
    .write(load_rows), .row(load_at), .word(load_word), .constants(load_constants),
    .set(load_set), .value(load_value), .error_table(error_table));
"""
    for e in range(p.engines):
        text += f"""
  {name}_engine u_engine_{e} (
    .clk(clk), .reset(clear), .s_valid(in_valid[{e}]), .s_ready(in_ready[{e}]),
    .s_data({{set, inverse, s_data}}), .m_valid(out_valid[{e}]), .m_ready(out_ready[{e}]),
    .m_data(out_data[{e * word}+:{word}]), .load(load[{e}]), .load_rows(load_rows),
    .load_at(load_at), .load_word(load_word), .load_constants(load_constants),
    .load_set(load_set), .load_value(load_value), .error_range(above[{e}])
  );
"""
    assert tag == 1 + set_bits
    return text + "endmodule\n"
