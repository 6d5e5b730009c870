// SPDX-License-Identifier: Apache-2.0
// Sends frames of WORDS words to the engines that they name, and takes results in the order of the frames.
//
//   s -> the engine named with a frame's first word -> ... -> m, from the engine of the oldest frame
//
// At most FRAMES frames are inside; the next one's first word waits. A number that no engine has is
// engine 0, and the user of this module tells of it.
module nttf_dispatch #(
  parameter int ENGINES        = 2,
  localparam int ENGINE_BITS   = (ENGINES > 1) ? $clog2(ENGINES) : 1,
  parameter int WORDS          = 4,
  localparam int SLOT_BITS     = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int FRAMES         = 4,  // a power of two
  localparam int FRAME_BITS    = $clog2(FRAMES),
  parameter int OUT_BITS       = 8
) (
  input  logic                        clk,
  input  logic                        reset,
  input  logic                        s_valid,
  output logic                        s_ready,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [ENGINE_BITS-1:0]      s_engine,  // with a frame's first word; not read for a single engine
  // verilator lint_on UNUSEDSIGNAL
  output logic                        s_final,  // this is a frame's last word
  output logic [ENGINES-1:0]          in_valid,
  input  logic [ENGINES-1:0]          in_ready,
  input  logic [ENGINES-1:0]          out_valid,
  output logic [ENGINES-1:0]          out_ready,
  input  logic [ENGINES*OUT_BITS-1:0] out_data,
  output logic                        m_valid,
  input  logic                        m_ready,
  output logic                        m_last,
  output logic [OUT_BITS-1:0]         m_data
);
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);

  logic [SLOT_BITS-1:0]   in_slot, out_slot;
  // verilator lint_off UNUSEDSIGNAL
  logic [ENGINE_BITS-1:0] target, target_held, source;  // not all for a single engine
  // verilator lint_on UNUSEDSIGNAL
  logic [FRAME_BITS:0]    in_flight;
  logic                   begun, room, starts, ends;
  assign room    = begun || in_flight != (FRAME_BITS+1)'(FRAMES);
  assign s_ready = room && in_ready[target];
  assign m_valid = in_flight != '0 && out_valid[source];
  assign m_last  = out_slot == LAST;
  assign s_final = in_slot == LAST;
  assign m_data  = out_data[source*OUT_BITS+:OUT_BITS];
  assign starts  = s_valid && s_ready && !begun;
  assign ends    = m_valid && m_ready && m_last;
  generate
    if (ENGINES == 1) begin : gen_one
      assign target = '0;
      assign source = '0;
    end else begin : gen_order
      (* ram_style = "distributed" *) logic [ENGINE_BITS-1:0] order[FRAMES];
      logic [FRAME_BITS-1:0] newest, oldest;
      assign target = begun ? target_held : (32'(s_engine) < 32'(ENGINES)) ? s_engine : '0;
      assign source = order[oldest];
      always_ff @(posedge clk) begin
        if (reset) begin
          newest <= '0;
          oldest <= '0;
        end else begin
          if (starts) newest <= newest + 1'b1;
          if (ends) oldest <= oldest + 1'b1;
        end
        if (starts) order[newest] <= target;
      end
    end
    for (genvar e = 0; e < ENGINES; e = e + 1) begin : gen_engine
      assign in_valid[e]  = s_valid && room && target == ENGINE_BITS'(e);
      assign out_ready[e] = m_ready && in_flight != '0 && source == ENGINE_BITS'(e);
    end
  endgenerate
  always_ff @(posedge clk) begin
    if (reset) begin
      in_slot   <= '0;
      out_slot  <= '0;
      in_flight <= '0;
      begun     <= 1'b0;
    end else begin
      if (s_valid && s_ready) begin
        in_slot <= s_final ? '0 : in_slot + 1'b1;
        begun   <= !s_final;
      end
      if (m_valid && m_ready) out_slot <= m_last ? '0 : out_slot + 1'b1;
      in_flight <= in_flight + (FRAME_BITS+1)'(starts) - (FRAME_BITS+1)'(ends);
    end
    target_held <= target;
  end
endmodule
