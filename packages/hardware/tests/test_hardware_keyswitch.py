# SPDX-License-Identifier: Apache-2.0
"""Key-switching pipelines: predictions, memory, refusals, simulation against the scheme."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import shutil
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import FormatError, ParameterError
from nttforge_hardware.emit.files import write_design
from nttforge_hardware.emit.keyswitch import keyswitch_files
from nttforge_hardware.plan.keyswitch import (
    KeySwitchDesign,
    KeySwitchParameters,
    plan_keyswitch,
)
from nttforge_hardware.plan.keyswitch_timing import (
    KeyMemory,
    KeyRate,
    key_rate,
    least_buffer,
    operation_times,
    predict_switch,
)
from nttforge_hardware.prove.folder import prove_folder
from nttforge_hardware.report.page import write_report
from nttforge_hardware.tools import random_switches, set_runs
from nttforge_hardware.tools.icarus import simulate_icarus
from nttforge_hardware.tools.simulate import lint, simulate_files
from nttforge_oracle.number_theory import ntt_primes

of_size = KeySwitchParameters.of_size
RECORDED = Path(__file__).resolve().parents[3] / "bench/results/hardware-keyswitch"


def _design(*shape: int, **others: object) -> KeySwitchDesign:
    return plan_keyswitch(of_size(*shape, **others))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("n", "limbs", "dp", "interval", "keys"),
    [(4096, 4, 8, 43041, 1064960), (8192, 6, 16, 59937, 4472832)],
)
def test_figures_of_the_target_sets(n: int, limbs: int, dp: int, interval: int, keys: int) -> None:
    design = _design(n, limbs, 1, 52, dp=dp, pp=1)
    assert design.interval_cycles == interval and design.bytes_moved()["keys"] == keys
    # The floor: digits + 3 frames, each of log n passes of n / dp words.
    floor = (limbs + 3) * design.engines.interval_cycles
    assert floor <= interval < 1.002 * floor
    limb = n * 52 // 8
    assert keys == 2 * limbs * (limbs + 1) * limb
    assert design.bytes_moved() == {"keys": keys, "input": limbs * limb, "output": 2 * limbs * limb}
    assert predict_switch(design).latency == operation_times(design, 1)[0].latency


def test_whole_runs_that_are_recorded_are_what_is_predicted() -> None:
    lines = [json.loads(line) for line in (RECORDED / "runs.jsonl").read_text().splitlines()]
    assert {(line["n"], *line["primes"], line["bits"]) for line in lines} == {
        (4096, 4, 1, 52),
        (8192, 6, 1, 52),
    }
    for line in lines:
        design = _design(line["n"], *line["primes"], line["bits"], dp=line["dp"], pp=line["pp"])
        memory = {f.name: line["predicted"]["memory"][f.name] for f in fields(KeyMemory)}
        rate = key_rate(design, KeyMemory(**memory), line["predicted"]["memory"]["design_mhz"])
        for name, given in (("cycles", None), ("cycles_from_memory", rate)):
            times = operation_times(design, line["operations"], given)
            assert line[name] == [[t.first_in, t.last_out] for t in times]
        assert line["latency_cycles"] == predict_switch(design).latency
        assert line["errors"] == {"streaming": 0, "pauses": 0} and line["lint"] == "silent"
        assert (line["predicted"]["dsps"], line["interval_cycles"]) == (
            design.dsps,
            design.interval_cycles,
        )


def test_random_pipelines_that_are_recorded() -> None:
    """Each is what is emitted today and was bit-exact with exact cycles.

    After a change of the Verilog: python -m nttforge_hardware.tools.random_switches --out FILE.
    """
    lines = [json.loads(line) for line in (RECORDED / "sets.jsonl").read_text().splitlines()]
    numbers = [line["set"] for line in lines]
    assert numbers == list(range(random_switches.COUNT))  # each once, in order
    assert len(lines) >= 8 and all(line["ok"] for line in lines)
    assert sum("icarus" in line for line in lines) >= 4
    for line in lines:
        emitted = random_switches.random_switch(line["set"]).files()
        assert set_runs.emitted_digest(emitted) == line["emitted"]
        assert line["simulated_interval"] == line["predicted_interval"]
    assert {line["pipeline"] for line in lines} == {"small", "balanced", "fast"}
    with pytest.raises(ParameterError, match="set -1 must not be negative"):
        random_switches.random_switch(-1)
    with pytest.raises(ParameterError, match="must be FIRST:END, such as 0:12"):
        set_runs.set_range("5", random_switches.COUNT)


@pytest.mark.parametrize(
    ("shape", "others", "dsps"),
    [
        ((64, 2, 1, 20), {}, 74),  # 1 / P modulo one prime has a tile that is a shift
        ((64, 2, 2, 20), {"digit_primes": 2}, 192),  # one digit: factors of 0, a scale of 2^10
        ((64, 3, 2, 20), {"digit_primes": 2}, 270),  # two digits choose their factors
        ((64, 3, 2, 19), {"core": "barrett"}, 141),
        ((64, 4, 1, 20), {}, 130),
    ],
)
def test_dsps_are_what_yosys_counted(
    shape: tuple[int, ...], others: dict[str, object], dsps: int
) -> None:
    """Yosys 0.70, synth_xilinx -family xcup -flatten -run begin:map_memory, dp = 2."""
    assert _design(*shape, dp=2, **others).dsps == dsps


def test_frames_keep_their_distances() -> None:
    """Launches do not overlap, and no frame leaves before the one in front of it."""
    for n, limbs, special, dp, pp in ((64, 2, 1, 2, 6), (64, 5, 2, 8, 1), (256, 1, 1, 4, 3)):
        design = _design(n, limbs, special, 20, dp=dp, pp=pp, digit_primes=min(special, limbs))
        p, s = design.parameters, design.schedule
        for times in (s.launch, s.enter, s.leave):
            assert all(b - a >= p.words for a, b in itertools.pairwise(times))
        assert s.launch[0] + s.interval >= s.launch[-1] + p.words
        assert len(s.launch) == p.digits + 3


def test_memory_of_keys() -> None:
    design = _design(4096, 4, 1, 52, dp=8, pp=1)
    fast = KeyMemory(channels=32, width=256, mhz=450)
    assert fast.share == 1 and fast.bytes_per_second == 32 * 32 * 450_000_000
    slow = replace(fast, channels=1, outstanding=1)
    assert slow.share == Fraction(16, 116)
    found = {m: predict_switch(design, key_rate(design, m, 250)) for m in (fast, slow)}
    assert found[fast].interval_stalled == found[fast].interval and not any(found[fast].stalled)
    bytes_ = sum(design.bytes_moved().values())
    least = bytes_ / (float(slow.bytes_per_second) / 250e6)  # cycles, from the average alone
    # Beside that, keys wait for room between the digits of two operations.
    assert least <= found[slow].interval_stalled <= least + design.interval_cycles
    assert least_buffer(design, key_rate(design, slow, 250)) is None


def test_a_larger_buffer_of_keys_ends_the_stalls() -> None:
    design = _design(256, 2, 1, 20, dp=4, pp=1)
    need = design.parameters.digits * design.parameters.words
    rate = KeyRate(need * 11 // 10, design.interval_cycles, 30)
    size = least_buffer(design, rate)
    assert size is not None and any(predict_switch(design, rate).stalled)
    for words, stalls in ((size, False), (size // 2, True)):
        larger = plan_keyswitch(replace(design.parameters, key_words=words))
        assert any(predict_switch(larger, rate).stalled) == stalls
    with pytest.raises(ParameterError, match="less than a word of 480 bits in 4096 cycles"):
        key_rate(design, KeyMemory(width=8, mhz=1, outstanding=1, burst=1), 250)


def _sets() -> dict[str, tuple[KeySwitchDesign, KeyMemory]]:
    return {
        "single": (
            _design(64, 3, 1, 14, dp=4, pp=1, key_words=8),
            KeyMemory(width=64, mhz=60),
        ),
        "several": (
            _design(64, 3, 2, 16, digit_primes=2, dp=4, pp=2, key_words=4, core="barrett"),
            KeyMemory(width=128, mhz=150, outstanding=1, burst=8),
        ),
    }


def _behind_axi(files: dict[str, str], design: KeySwitchDesign, name: str) -> dict[str, str]:
    """The design with its testbench at the ports of the module for DMA."""
    p = design.parameters
    width = 32 if p.bits <= 32 else 64
    fields, keys = design.word_bits // p.bits, design.key_bits // p.bits

    def inner(text: str) -> str:
        return re.sub(rf"\b{name}_top\b", f"{name}_inner", text)

    top = files.pop(f"rtl/{name}_top.sv")
    header = top[top.index(f"module {name}_top (") : top.index("\n);\n") + 4]
    files[f"rtl/{name}_inner.sv"] = inner(top)
    files[f"rtl/{name}_dma.sv"] = inner(files[f"rtl/{name}_dma.sv"])
    files[f"rtl/{name}_top.sv"] = f"""{header}
  logic [{fields * width - 1}:0] s_wide, m_wide;
  logic [{keys * width - 1}:0] k_wide;
  logic flushed, errors_read, rvalid;
  logic [31:0] rdata;
  generate
    for (genvar f = 0; f < {fields}; f = f + 1) begin : gen_field
      assign s_wide[f*{width}+:{width}] = {width}'(s_data[f*{p.bits}+:{p.bits}]);
      assign m_data[f*{p.bits}+:{p.bits}] = m_wide[f*{width}+:{p.bits}];
    end
    for (genvar f = 0; f < {keys}; f = f + 1) begin : gen_key
      assign k_wide[f*{width}+:{width}] = {width}'(k_data[f*{p.bits}+:{p.bits}]);
    end
  endgenerate
  {name}_dma u_dma (
    .aclk(clk), .aresetn(!(reset || flush)), .s_axi_awaddr('0), .s_axi_awprot('0),
    .s_axi_awvalid(1'b0), .s_axi_wdata('0), .s_axi_wstrb('0), .s_axi_wvalid(1'b0),
    .s_axi_bready(1'b1), .s_axi_araddr(6'h08), .s_axi_arprot('0), .s_axi_arvalid(1'b1),
    .s_axi_rready(1'b1), .s_axi_rdata(rdata), .s_axi_rvalid(rvalid), .s_axis_tdata(s_wide),
    .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tlast(s_last), .k_axis_tdata(k_wide),
    .k_axis_tvalid(k_valid), .k_axis_tready(k_ready), .k_axis_tlast(k_last), .m_axis_tdata(m_wide),
    .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tlast(m_last));
  always_ff @(posedge clk) begin
    if (reset || flush) {{error_range, error_last}} <= '0;
    else if (rvalid) {{error_range, error_last}} <= rdata[1:0];
  end
endmodule
"""
    return files


@needs("verilator")
@pytest.mark.parametrize(
    "names",
    [("single",), pytest.param(("several", "axi"), marks=pytest.mark.full)],
)
def test_bit_exact_with_predicted_cycles_and_stalls(names: tuple[str, ...], tmp_path: Path) -> None:
    """Whole operations back to back: keys always there, keys at a memory's rate, and pauses."""
    designs = _sets()
    emitted = {
        name: keyswitch_files(design, "", 2, name=name, folder=f"{name}/", memory=memory)
        for name, (design, memory) in designs.items()
    }
    axi, memory = _design(64, 1, 1, 12, dp=2, pp=3), KeyMemory()
    files = keyswitch_files(axi, "", 2, name="axi", folder="axi/", axi=True, memory=memory)
    designs["axi"], emitted["axi"] = (axi, memory), _behind_axi(files, axi, "axi")
    emitted = {name: emitted[name] for name in names}
    assert all("RATED = 1;" in f[f"testbench/{n}_parameters.svh"] for n, f in emitted.items())
    for name, runs in simulate_files(emitted, tmp_path).items():
        design, memory = designs[name]
        for run, result in runs.items():
            assert result.errors == 0, (name, run, result.messages)
        latency = predict_switch(design).latency
        assert runs["streaming"].latency_cycles == {"forward": latency}
        stalled = predict_switch(design, key_rate(design, memory, 250))
        assert name == "axi" or any(stalled.stalled)
        assert stalled.latency_stalled > latency or name == "axi"
    lint(tmp_path / names[0])


@needs("verilator")
@pytest.mark.full
def test_the_ports_of_a_dma_are_lint_clean(tmp_path: Path) -> None:
    design = _sets()["several"][0]
    write_design(keyswitch_files(design, "", 1, axi=True), tmp_path)
    lint(tmp_path)


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs Icarus Verilog on the path")
def test_in_icarus(tmp_path: Path) -> None:
    design = _design(64, 2, 1, 13, dp=2, pp=3, key_words=4)
    write_design(keyswitch_files(design, "", 1), tmp_path)
    for run, result in simulate_icarus(tmp_path).items():
        assert result.errors == 0, (run, result.messages)


@pytest.mark.parametrize("core", ["montgomery", "barrett"])
def test_a_folder_holds_what_it_should_and_wrong_entries_are_found(
    tmp_path: Path, core: str
) -> None:
    design = _design(64, 3, 2, 16, digit_primes=2, dp=4, pp=2, core=core)
    write_design(keyswitch_files(design, "", 1), tmp_path)
    findings = prove_folder(tmp_path)
    assert findings and all(f.proved and f.entries for f in findings), findings
    top = tmp_path / "rtl" / "ntt_top.sv"
    good = top.read_text()
    tables = ["MODULI", "CONSTANTS", "SCALES", "FACTORS", "INVERSES"]
    for table in [*tables, "SPECIAL_SCALES", "SPECIAL_FACTORS"]:
        wrong = re.sub(
            rf"( {table} = \d+'h)([0-9a-f]+)",
            lambda found: f"{found[1]}{int(found[2], 16) ^ 1 << 5:x}",
            good,
        )
        assert wrong != good
        top.write_text(wrong)
        (bad,) = (f for f in prove_folder(tmp_path) if not f.proved)
        assert bad.name.endswith(f": {table}") and "the definition" in bad.problems[0]
    top.write_text(good.replace(" INVERSES = ", " OTHERS = "))
    with pytest.raises(FormatError, match="INVERSES is missing"):
        prove_folder(tmp_path)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, again = tmp_path / "design", tmp_path / "again"
    shape = "--n 64 --limbs 3 --special 2 --bits 20 --dp 4 --operations 1"
    words = shlex.split(f"rtl keyswitch {shape} --memory channels=1,width=64,mhz=50 --out")
    assert main([*words, str(out)]) == 0
    said = capsys.readouterr().out
    assert "3 + 2 primes of 20 bits, 2 digits" in said and "stalls by digit" in said
    manifest = json.loads((out / "design.json").read_text())
    assert manifest["parameters"]["kind"] == "keyswitch"
    assert (
        manifest["predicted"]["memory"]["interval_cycles"]
        > manifest["predicted"]["interval_cycles"]
    )
    assert main([*manifest["command"].split()[1:], "--out", str(again)]) == 0
    files = [p.relative_to(out) for p in out.rglob("*") if p.is_file()]
    assert all((out / f).read_bytes() == (again / f).read_bytes() for f in files)
    readme = (out / "README.md").read_text()
    assert "| stalls |" in readme and "nttf_control_keyswitch" in readme
    assert "Key switching" in write_report(out).read_text()


def test_what_a_dma_moves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, bits = tmp_path / "design", tmp_path / "bits"
    shape = "--n 64 --limbs 3 --special 2 --bits 20 --dp 4 --operations 2"
    assert main(shlex.split(f"rtl keyswitch {shape} --axi --out {out}")) == 0
    assert main(["rtl", "layout", str(out), "--bits-out", str(bits)]) == 0
    assert (
        "s_axis: 16 words of 12 residues of 4 bytes, 768 bytes a frame" in capsys.readouterr().out
    )
    ports = json.loads((bits / "layout.json").read_text())["ports"]
    sizes = {"s_axis": 768, "k_axis": 2 * 16 * 40 * 4, "m_axis": 2 * 768}
    assert {name: port["frame_bytes"] for name, port in ports.items()} == sizes
    for port in ports.values():
        data = (bits / port["test_vectors"]).read_bytes()
        assert len(data) == port["frames"] * port["frame_bytes"] and port["frames"] == 2
        name = port["test_vectors"].replace(".bin", ".hex")
        first = int((out / "testbench" / name).read_text().split()[0], 16)
        word = [int.from_bytes(data[4 * r : 4 * r + 4], "little") for r in range(port["residues"])]
        assert sum(x << 20 * r for r, x in enumerate(word)) == first
    readme = (out / "README.md").read_text()
    assert (
        "## DMA: ntt_dma" in readme and "| `k_axis` | its key, digit by digit | 32 | 40 |" in readme
    )
    top = tmp_path / "without"
    assert main(shlex.split(f"rtl keyswitch {shape} --out {top}")) == 0
    assert main(["rtl", "layout", str(top)]) == 2
    assert "permutation or key switching with --axi" in capsys.readouterr().err


#: Arguments of ``nttforge rtl keyswitch``, and how the message begins.
BAD = [
    ("--n 48", "n = 48 must be a power of two in 64 ... 65536"),
    ("--n 32", "n = 32 must be a power of two in 64 ... 65536"),
    ("--limbs 0", "limbs = 0 must be in 1 ... 32"),
    ("--limbs 33", "limbs = 33 must be in 1 ... 32"),
    ("--special 0", "special = 0 must be in 1 ... 8"),
    ("--special 9", "special = 9 must be in 1 ... 8"),
    ("--bits 63", "bits = 63 must be in 8 ... 62"),
    ("--bits 7", "bits = 7 must be in 8 ... 62"),
    ("--n 4096 --bits 14", "bits = 14: "),
    ("--digit-primes 2", "digit_primes = 2 must be in 1 ... 1: no more than there are special"),
    ("--digit-primes 0", "digit_primes = 0 must be in 1 ... 1: no more than there are special"),
    ("--dp 3", "dp = 3 must be a power of two in 2 ... 8 (n / 8)"),
    ("--dp 16", "dp = 16 must be a power of two in 2 ... 8 (n / 8)"),
    ("--pp 7", "pp = 7 must be in 1 ... 6 (log2 n)"),
    ("--core solinas", "core = 'solinas' must be one of auto, montgomery, barrett"),
    ("--key-words 48", "key_words = 48 must be a power of two in 4 ... 65536"),
    ("--key-words 2", "key_words = 2 must be a power of two in 4 ... 65536"),
    ("--pipeline quick", "pipeline = 'quick' must be one of small, balanced, fast"),
    ("--operations 0", "--operations = 0 must be in 1 ... 64"),
    ("--seed -1", "--seed = -1 must be 0 or more"),
    ("--frequency-mhz 0", "--frequency-mhz = 0 must be more than 0"),
    ("--memory channels=0", "memory: channels = 0 must be an integer in 1 ... 64"),
    ("--memory width=12", "memory: width = 12 must be a multiple of 8 bits"),
    ("--memory burst=300", "memory: burst = 300 must be an integer in 1 ... 256"),
    ("--memory mhz=x", "memory: mhz = 'x' must be an integer"),
    ("--memory speed=4", "memory: 'speed=4' must be NAME=COUNT, each name once, of channels, "),
    ("--memory channels", "memory: 'channels' must be NAME=COUNT, each name once, of channels, "),
    ("--memory mhz=1,mhz=2", "memory: 'mhz=2' must be NAME=COUNT, each name once, of channels, "),
    ("--moduli 257 641", "--moduli alone: give both --moduli and --special-primes, or neither"),
    ("--special-primes 257", "--special-primes alone: give both --moduli and --special-primes"),
    ("--moduli 257 --special-primes 641 --bits 9", "--bits = 9 beside --moduli: leave one out"),
    ("--moduli 257 --special-primes 641 --limbs 2", "--limbs = 2 beside 1 primes: leave one out"),
    ("--moduli 257 --special-primes 641", "moduli and special have primes of 9 and 10 bits: "),
    ("--moduli 641 --special-primes 641", "moduli = [641, 641] must be distinct: leave the"),
    ("--moduli 641 --special-primes 645", "moduli: q = 645 is not prime"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_refusals(
    arguments: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = "" if "--moduli" in arguments or "--special-primes" in arguments else "--bits 20"
    words = ["rtl", "keyswitch", "--n", "64", *shape.split(), *arguments.split()]
    assert main([*words, "--out", str(tmp_path / "no")]) == 2
    said = capsys.readouterr().err
    assert message in said and len(said.splitlines()) == 1, said


def test_too_many_primes() -> None:
    q = tuple(ntt_primes(64, 20, 34))
    with pytest.raises(ParameterError, match=r"moduli: 33 primes, 1 ... 32 are possible"):
        KeySwitchParameters(64, q[1:], q[:1])
    with pytest.raises(ParameterError, match=r"special: 0 primes, 1 ... 8 are possible"):
        KeySwitchParameters(64, q[:1], ())
