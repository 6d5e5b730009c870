# SPDX-License-Identifier: Apache-2.0
"""Stalls of a slow memory: predicted ones beside those of emitted Verilog at rate-limited ports."""

from __future__ import annotations

from pathlib import Path

import pytest
from marks import needs

from nttforge import _processes
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.traffic import Traffic
from nttforge_hardware.tools.verilate import build_program
from nttforge_oracle.number_theory import ntt_primes

#: Thousandths of a cycle that the memory takes for a word of each port.
RATES = (1000, 1250, 1709, 3000)

#: One transform: word k can be given from cycle ceil((k + 1) rate) - 1 on, and one is taken every
#: rate cycles. Prints the cycles from the first word asked for to the last one taken.
BENCH = """module memory_bench;
  logic clk = 0, reset = 1;
  longint cycle = 0, sent = 0, taken = 0, free_at = 0, rate;
  logic s_ready, m_valid;
  wire s_valid = !reset && sent < WORDS && (cycle + 1) * 1000 >= (sent + 1) * rate;
  wire m_ready = cycle * 1000 >= free_at;
  TOP u_top (.clk(clk), .reset(reset), .flush(1'b0), .s_valid(s_valid), .s_ready(s_ready),
    .s_inverse(1'b0), .s_last(sent == WORDS - 1), .s_data('0), .m_valid(m_valid),
    .m_ready(m_ready), .m_last(), .m_data(), .error_last(), .error_range());
  initial begin
    if (!$value$plusargs("rate=%d", rate)) rate = 1000;
    repeat (8) #5 clk = !clk;
    reset = 0;
    while (taken < WORDS) #5 clk = !clk;
    $display("cycles %0d", cycle);
    $finish;
  end
  always @(posedge clk) if (!reset) begin
    cycle <= cycle + 1;
    if (s_valid && s_ready) sent <= sent + 1;
    if (m_valid && m_ready) begin
      taken   <= taken + 1;
      free_at <= (free_at > (cycle - 1) * 1000 ? free_at : cycle * 1000) + rate;  // no drift
    end
  end
endmodule
"""


@needs("verilator")
@pytest.mark.parametrize("choice", ["small", pytest.param("balanced", marks=pytest.mark.full)])
def test_stalls_of_a_memory_are_those_of_verilog(choice: str, tmp_path: Path) -> None:
    p = HardwareParameters(256, tuple(ntt_primes(256, 16, 1)), dp=4, pp=2, pipeline=choice)
    design = plan_design(p)
    write_design(design_files(design, sets=1), tmp_path)
    text = BENCH.replace("TOP", "ntt_top").replace("WORDS", str(p.words))
    (tmp_path / "memory_bench.sv").write_text(text)
    program = build_program(
        tmp_path, tmp_path / "build", "memory_bench", ["memory_bench.sv"], ["rtl"]
    )
    latency = design.latency_cycles("forward")
    traffic = Traffic(8.0, 8.0, p.words, latency, design.interval_cycles)
    for rate in RATES:
        said = _processes.run([str(program), f"+rate={rate}"], cwd=tmp_path).stdout
        (cycles,) = [int(line.split()[1]) for line in said.splitlines() if "cycles" in line]
        predicted = traffic.latency_from_memory(8.0 * 1000 / rate)
        # The last word is taken in a cycle, and the memory has it when its time is over.
        assert 0 <= predicted - cycles <= -(-(rate - 1000) // 1000), (rate, cycles, predicted)
