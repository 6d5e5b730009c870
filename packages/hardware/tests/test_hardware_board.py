# SPDX-License-Identifier: Apache-2.0
"""The SoC of a board: what can be checked without LiteX, and its elaboration where there is one."""

from __future__ import annotations

import importlib.util
import json
import re
import runpy
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from marks import needs

from nttforge.errors import UnsupportedError
from nttforge.spec.number_theory import smallest_root_of_unity
from nttforge_hardware.emit.engine_burst import burst_module
from nttforge_hardware.emit.engine_dma import layout_header
from nttforge_hardware.emit.modules import module_folder
from nttforge_hardware.plan.engine import EngineParameters, plan_engines
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.tools import board, place

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def _declared(text: str, module: str) -> set[str]:
    """The ports of a module as LiteX names them."""
    header = text[text.index(f"module {module} ") :].split("\n);", 1)[0]
    ports = re.findall(r"^  (in|out)put +logic *(?:\[[^\]]*\])? *(\w+)", header, re.MULTILINE)
    return {f"{'i' if way == 'in' else 'o'}_{name}" for way, name in ports}


def test_the_ports_of_the_soc_are_those_of_the_design_and_of_its_memory() -> None:
    class Endpoint(SimpleNamespace):
        addr = "addr"

    channels = {"aw": "addr", "w": "data", "b": "resp", "ar": "addr", "r": "data"}
    named = dict.fromkeys(("valid", "ready", "data", "strb", "resp"), "")
    bus = SimpleNamespace(**{name: Endpoint(**named) for name in channels})
    ports = runpy.run_path(str(module_folder("board") / "ports.py"))
    wires = dict.fromkeys(ports["axi4_bits"](128))
    engine = {*ports["engine_ports"](bus, wires, "irq"), "i_aclk", "i_aresetn"}
    assert engine >= {"o_irq", "o_m_axi_araddr", "i_m_axi_rlast", "o_m_axi_rready"}
    # Constants of every burst, which this memory does not look at.
    what = ("size", "burst", "cache", "prot")
    engine |= {f"o_m_axi_{way}{name}" for way in ("ar", "aw") for name in what}
    design = board.board_design()
    assert engine == _declared(burst_module(design, "ntt", board.BURST), "ntt_burst")
    words = SimpleNamespace(dat_w="", dat_r="")
    memory = {*ports["memory_ports"](words, "", "", wires), "i_a_clk", "i_a_enable"}
    text = (module_folder("board") / "burst_memory.sv").read_text()
    assert memory | {"i_b_clk", "i_b_reset"} == _declared(text, "burst_memory")


@needs_compiler
def test_the_firmware_compiles_with_known_answers(tmp_path: Path) -> None:
    design = board.board_design()
    p = design.parameters
    (tmp_path / "answers.h").write_text(board.answers_header(design))
    (tmp_path / "ntt_layout.h").write_text(layout_header(design, "ntt"))
    firmware = module_folder("board") / "firmware.c"
    used = sorted(set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", firmware.read_text())))
    ours = ("ANSWERS_", "NTTF_")
    addresses = [name for name in used if not name.startswith(ours)]
    assert {"NTT_CYCLES", "UART_RXTX", "LIGHTS_OUT", "ENGINES_BASE"} <= set(addresses)
    values = {name: 3 if name == "NTT_IRQ" else 32768 for name in addresses}
    text = "".join(f"#define {name} {value}u\n" for name, value in values.items())
    (tmp_path / "soc.h").write_text(text)
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-ffreestanding"]
    folders = ["-I", str(tmp_path), "-I", str(module_folder("host"))]
    subprocess.run(["cc", *options, *folders, str(firmware)], check=True)
    # The firmware's frame in the header's values, by the definition at one point: a(psi).
    said = (tmp_path / "answers.h").read_text()
    q, root = (int(re.findall(rf"{name}\[.*\{{(\d+)u", said)[0]) for name in ("modulus", "root"))
    frame = board.random_frame(p.n, q, 2026)
    assert frame[0] == ((2026 * 1664525 + 1013904223) % 2**32 * q) >> 32
    first = int(re.findall(r"\{\n  \{(\d+)u", said)[0])
    assert first == sum(a * pow(root, j, q) for j, a in enumerate(frame)) % q


@needs_compiler
def test_the_driver_is_for_32_bit_processors_too(tmp_path: Path) -> None:
    source = tmp_path / "driver.c"
    source.write_text('#include "nttf_engine.h"\nint main(void) { return 0; }\n')
    options = ["-m32", "-std=c99", "-Wall", "-Werror", "-Wno-unused-function", "-fsyntax-only"]
    folder = ["-ffreestanding", "-I", str(module_folder("host"))]
    subprocess.run(["cc", *options, *folder, str(source)], check=True)


_TABLE = """
#include <stdio.h>
#include "ntt_layout.h"
static uint64_t powers[64], words[1024];
static void take(void* c, int channel, uint32_t user, const void* from, size_t bytes) {
  (void)c, (void)user, (void)channel;
  const size_t size = ntt_layout.element;
  for (size_t i = 0; i < bytes / size; i++) {
    const void* at = (const char*)from + i * size;
    printf("%llu\\n", (unsigned long long)(size == 8 ? *(uint64_t*)at : *(uint32_t*)at));
  }
}
int main(void) {
  nttf_engines e = {{0, 0, 0, take, 0}, &ntt_layout};
  return nttf_load(&e, 0, 1, QUull, ROOTull, powers, words);
}
"""


@needs_compiler
@pytest.mark.parametrize("core", ["montgomery", "barrett"])
@pytest.mark.parametrize("bits", [30, 62])
def test_the_driver_without_128_bits_loads_the_same_table(
    core: str, bits: int, tmp_path: Path
) -> None:
    design = plan_engines(EngineParameters(32, bits, 1, 2, dp=4, pp=1, core=core))
    (q,) = usable_primes(32, bits, 1, "negacyclic")
    root = smallest_root_of_unity(64, q)
    wanted = [
        word >> (bits * lane) & ((1 << bits) - 1)
        for word in design.table(q, 0, 1)
        for lane in range(2)
    ]
    (tmp_path / "ntt_layout.h").write_text(layout_header(design, "ntt"))
    text = _TABLE.replace("QU", str(q)).replace("ROOT", str(root))
    (tmp_path / "table.c").write_text(text)
    for options in ([], ["-U__SIZEOF_INT128__"]):
        program = tmp_path / "table"
        folders = ["-I", str(tmp_path), "-I", str(module_folder("host"))]
        build = ["cc", "-std=gnu11", *options, *folders, str(tmp_path / "table.c")]
        subprocess.run([*build, "-o", str(program)], check=True)
        ran = subprocess.run([str(program)], check=True, capture_output=True, text=True)
        assert [int(line) for line in ran.stdout.split()] == wanted


def test_missing_packages_and_bad_settings(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnsupportedError, match="the SoC needs litex, litex_boards"):
        board.write_soc(tmp_path, 50)
    for options, message in (
        (["--clock-mhz", "5"], "--clock-mhz = 5 must be in 10 ... 200"),
        (["--engine-mhz", "300"], "--engine-mhz = 300 must be in 10 ... 200"),
        (["--seed", "-1"], "--seed = -1 must be an integer from 0 on"),
    ):
        with pytest.raises(board.ParameterError, match=re.escape(message)):
            board.main([str(tmp_path), *options])


def test_synthesis_finds_its_files_from_a_relative_folder(tmp_path: Path, monkeypatch) -> None:
    """`make board` names a folder relative to the clone, and Yosys runs in another one."""
    monkeypatch.chdir(tmp_path)
    folder = Path("out") / "a board"
    for name in ("gateware/board.v", "engine/rtl/ntt_top.sv"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("module m; endmodule\n")
    (folder / "gateware" / "sources.txt").write_text("")
    (folder / "engine" / "design.f").write_text("rtl/ntt_top.sv\n")
    seen: list[str] = []

    def yosys(commands: list[str], cwd: Path) -> str:
        listed = cwd / re.findall(r" -f (\S+)", commands[0])[0]
        seen.extend(line.strip('"') for line in listed.read_text().splitlines())
        (cwd / commands[-1].split()[1]).write_text(
            json.dumps({"modules": {"board": {"cells": {}}}})
        )
        return ""

    def wheel(function: str, arguments: list[str], scratch: Path) -> None:
        (scratch / arguments[-1]).write_bytes(b"bits")

    report = {
        "fmax": {
            "sys": {"achieved": 60.0, "constraint": 50.0},
            "engine": {"achieved": 101.5, "constraint": 100.0},
        },
        "utilization": {name: {"used": 1} for name in place._USED},
        "critical_paths": [{"from": "a", "to": "b", "path": [
            {"delay": 1.0, "type": "logic", "from": {"cell": "x"}, "to": {"cell": "y"}}]}],
    }  # fmt: skip
    monkeypatch.setattr(place, "run_yosys", yosys)
    monkeypatch.setattr(board, "check_installed", lambda: None)
    monkeypatch.setattr(board, "tool_version", lambda package, name: name)
    monkeypatch.setattr(board, "run_nextpnr", lambda *_: report)
    monkeypatch.setattr(board, "run_wheel", wheel)
    for name in ("fold_output_registers", "copy_enables"):
        monkeypatch.setattr(place, name, lambda *_: None)
    soc = {"size": "85k", "package": "CABGA381", "speed": "6"}
    soc |= {"clock_mhz": 50.0, "engine_mhz": 100.0}
    said = board.build_bitstream(folder, soc)
    assert (said["placed_mhz"], said["placed_engine_mhz"]) == (60, 101.5)
    assert (folder / "gateware" / place.NETLIST).is_file() and (folder / "board.bit").is_file()
    assert len([name for name in seen if Path(name).is_file()]) == len(seen) > 2


@needs(*board.NEEDED)
def test_the_soc_is_elaborated(tmp_path: Path) -> None:
    said = board.write_soc(tmp_path, 50.0)
    assert said["device"] == "LFE5U-85F-6BG381C" and 8000 < said["firmware_bytes"] < 0x8000
    gateware = tmp_path / "gateware"
    board_text = (gateware / "board.v").read_text()
    assert "ntt_burst " in board_text and "burst_memory " in board_text
    assert 'LOCATE COMP "serial_tx"' in (gateware / "board.lpf").read_text()
    assert json.loads((gateware / "soc.json").read_text()) == said
