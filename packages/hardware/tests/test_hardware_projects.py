# SPDX-License-Identifier: Apache-2.0
"""What other tools read of a design's folder; make hardware-folder runs those tools."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge_hardware.emit.axi import TdataLayout

SHAPE = ["--n", "16", "--bits", "20", "--dp", "4", "--pp", "2"]
IPXACT = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"


def _design(folder: Path, *more: str) -> dict[str, object]:
    assert main(["rtl", "generate", *SHAPE, *more, "--out", str(folder)]) == 0
    manifest: dict[str, object] = json.loads((folder / "design.json").read_text())
    return manifest


def test_every_file_that_is_named_is_there(tmp_path: Path) -> None:
    _design(tmp_path, "--axi", "--prefix", "my_", "--direction", "both")
    for name in ("my_ntt.core", "build.tcl", "my_ntt.qsf", "component.xml"):
        text = (tmp_path / name).read_text()
        named = set(re.findall(r"\b(?:rtl|twiddles|testbench)/[\w.]+", text))
        sources = {f"rtl/{p.name}" for p in tmp_path.glob("rtl/*.sv")}
        assert sources <= named and all((tmp_path / file).is_file() for file in named), name
        assert "my_ntt_axi" in text
    core = (tmp_path / "my_ntt.core").read_text()
    assert core.startswith("CAPI=2:\n") and "toplevel: my_ntt_axi_testbench" in core
    readme = (tmp_path / "README.md").read_text()
    assert "fusesoc --cores-root . run --target sim_axi my_ntt\n" in readme
    # Another design leaves nothing of this one behind.
    _design(tmp_path, "--device", "ecp5")
    kept = {p.name for p in tmp_path.iterdir() if p.is_file()}
    assert kept == {"README.md", "design.f", "design.json", "testbench.f", "ntt.core"}


def test_tcl_reads_scripts_and_constraints(tmp_path: Path) -> None:
    tkinter = pytest.importorskip("tkinter")
    _design(tmp_path, "--axi")
    tcl = tkinter.Tcl()
    seen: list[tuple[str, ...]] = []
    tcl.createcommand("seen", lambda *words: seen.append(words) or words[0])
    tcl.eval("proc unknown {args} { return [seen {*}$args] }")
    for name in ("build.tcl", "ntt.xdc", "ntt.qsf", "ntt.sdc"):
        tcl.eval(f"source {{{tmp_path / name}}}")
    commands = [words[0] for words in seen]
    assert commands[:4] == ["read_verilog", "read_mem", "read_xdc", "synth_design"]
    assert commands.count("create_clock") == 2 and "set_global_assignment" in commands
    files = tcl.splitlist(seen[0][2])
    assert list(files) == (tmp_path / "design.f").read_text().split()
    assert seen[3][:3] == ("synth_design", "-top", "ntt_axi")


def test_ip_xact_has_every_port_of_the_module(tmp_path: Path) -> None:
    _design(tmp_path, "--axi", "--direction", "both")
    root = ElementTree.parse(tmp_path / "component.xml").getroot()
    ports = {p.findtext(f"{IPXACT}name"): p for p in root.iter(f"{IPXACT}port")}
    text = (tmp_path / "rtl" / "ntt_axi.sv").read_text()
    declared = re.findall(r"^  (?:input|output) +logic +(?:\[\d+:0\] +)?(\w+)", text, re.MULTILINE)
    assert list(ports) == declared and len(declared) == 30
    data = ports["s_axis_tdata"].find(f".//{IPXACT}left")
    assert data is not None and data.text == "79"
    mapped = [p.text for p in root.iterfind(f".//{IPXACT}physicalPort/{IPXACT}name")]
    assert set(mapped) == set(declared)
    registers = [r.findtext(f"{IPXACT}name") for r in root.iter(f"{IPXACT}register")]
    assert registers[:3] == ["identity", "control", "status"]


def test_tdata_layouts() -> None:
    """Lanes of 20 bits: packed, in 3 bytes each, in 4; the last in a power of two of bytes."""
    word = 0xABCDE << 40 | 0x12345 << 20 | 0x00001
    cases = {
        "packed": (20, 64, "0100503412deBC0a"),
        "bytes": (24, 72, "010000452301debc0a"),
        "power-of-two": (32, 128, "0100000045230100debc0a00" + "00" * 4),
    }
    for kind, (lane, whole, said) in cases.items():
        layout = TdataLayout(kind, 20, 3, 3)
        assert (layout.lane_bits, layout.in_bits) == (lane, whole)
        assert layout.word_bytes(word, "in").hex() == said.lower()
        assert layout.frame_bytes([word, 0], "out").hex() == said.lower() + "00" * (whole // 8)
    with pytest.raises(ParameterError, match="tdata = 'wide' must be one of packed, bytes"):
        TdataLayout("wide", 20, 3, 3)


def test_bytes_that_a_dma_moves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, bits = tmp_path / "design", tmp_path / "bits"
    _design(folder, "--axi", "--tdata", "power-of-two", "--direction", "both", "--sets", "2")
    capsys.readouterr()
    assert main(["rtl", "layout", str(folder), "--bits-out", str(bits)]) == 0
    said = capsys.readouterr().out
    assert "in: 4 words of 16 bytes, 64 bytes a frame;" in said
    layout = json.loads((bits / "layout.json").read_text())
    assert [frame["user"] for frame in layout["frames"]] == [0, 0, 1, 1]
    for port in ("input", "output"):
        words = [int(x, 16) for x in (folder / "testbench" / f"{port}.hex").read_text().split()]
        moved = (bits / f"{port}.bin").read_bytes()
        assert len(moved) == 4 * layout[f"{port[:-3]}_frame_bytes"] == 16 * len(words)
        lanes = [int.from_bytes(moved[at : at + 4], "little") for at in range(0, len(moved), 4)]
        assert lanes == [word >> 20 * lane & (1 << 20) - 1 for word in words for lane in range(4)]
    plain = tmp_path / "plain"
    _design(plain)
    assert main(["rtl", "layout", str(plain)]) == 2
    assert "has no AXI ports for fixed moduli: generate" in capsys.readouterr().err
