# SPDX-License-Identifier: Apache-2.0
"""One design of the league: simulated, counted by Yosys, kept as lines of a file."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nttforge import _processes
from nttforge_hardware.tools.paths import FAMILY, parse
from nttforge_hardware.tools.programs import read_slang, run_yosys, tool_version
from nttforge_hardware.tools.synthesis import Resources
from nttforge_hardware.tools.verilate import build_program

HERE = Path(__file__).parent
#: A transform as a testbench prints it: cycles of first and last word in, of start and words out.
_LINE = re.compile(r"(forward|inverse): in (\d+) (\d+) began (\d+) (?:ended \d+ )?out (\d+) (\d+)")
_VERDICT = re.compile(r"(\d+) words, (\d+) errors")


@dataclass(frozen=True)
class Prepared:
    """A design on the disk: its files in ``folder``, beside the images of its testbench.

    ``sources``: in the order in which they are read; ``headers``: what only an include reads.
    ``bench``: the testbench and its parameters; ``ring`` and ``interleaved``: what it computes.
    """

    folder: Path
    top: str
    sources: tuple[str, ...]
    bench: str
    parameters: dict[str, int]
    headers: tuple[str, ...] = ()
    images: tuple[str, ...] = ("given.hex", "wanted.hex")
    defines: tuple[str, ...] = ()
    note: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        """Digest of everything that a tool reads."""
        total = hashlib.sha256((HERE / self.bench).read_bytes())
        total.update(json.dumps([self.parameters, self.defines]).encode())
        for name in sorted({*self.sources, *self.headers, *self.images}):
            text = (self.folder / name).read_text("utf-8").replace(str(self.folder), "")
            lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
            code = "\n".join(lines)
            total.update(f"\0{name}\0{code}".encode())
        return total.hexdigest()[:16]


def simulate(design: Prepared) -> dict[str, Any]:
    """Cycles of the transforms, all words of which were those of the oracle."""
    shutil.copy(HERE / design.bench, design.folder / "league_bench.sv")
    values = [f"-G{name}={value}" for name, value in design.parameters.items()]
    values += [f"-D{name}" for name in design.defines]
    files = [*values, "-I.", *design.sources, "league_bench.sv"]
    program = build_program(design.folder, design.folder / "build", "league_bench", files, [])
    said = _processes.run([str(program)], cwd=design.folder).stdout
    lines = [match.groups() for match in map(_LINE.match, said.splitlines()) if match]
    verdict = _VERDICT.search(said)
    if verdict is None or int(verdict[2]) or not lines:
        raise SystemExit(f"{design.folder}: the testbench says {said!r}")
    alone = {}
    for direction, *cycles in lines[:2]:
        in_first, in_last, _, out_first, out_last = map(int, cycles)
        alone[direction] = {
            "load": in_last - in_first + 1,
            "between": out_first - in_last - 1,
            "unload": out_last - out_first + 1,
            "total": out_last - in_first + 1,
        }
    said_cycles: dict[str, Any] = {"words_compared": int(verdict[1]), "cycles": alone}
    burst = [int(line[-1]) for line in lines[2:]]
    if burst:
        said_cycles["interval"] = max(b - a for a, b in itertools.pairwise(burst))
    return said_cycles


def synthesise(design: Prepared) -> dict[str, Any]:
    """Cells for 7-series, and the slowest path of them, from one run of Yosys."""
    with tempfile.TemporaryDirectory() as scratch:
        names = ("stat.json", "flat.il", "sta.txt")
        counted, flat, report = (Path(scratch) / name for name in names)
        sources = [design.folder / name for name in design.sources]
        run_yosys(
            [
                read_slang(f"-I {design.folder} --top {design.top}", sources, Path(scratch)),
                f"synth_xilinx -family {FAMILY} -top {design.top} -flatten -noiopad -noclkbuf",
                f"tee -q -o {counted} stat -json",
                "setattr -mod -unset keep_hierarchy *",
                "flatten",
                f"select {design.top}",
                f"write_rtlil -selected {flat}",
                "design -reset",
                "read_verilog -lib -specify +/xilinx/cells_sim.v +/xilinx/cells_xtra.v",
                f"read_rtlil {flat}",
                f"tee -q -o {report} sta",
            ],
            design.folder,
        )
        cells = json.loads(counted.read_text("utf-8"))["design"]["num_cells_by_type"]
        path = parse(report.read_text("utf-8"))
    got = Resources(tool_version("pyosys", "Yosys"), FAMILY, cells)
    return {
        "luts": got.luts,
        "ffs": got.ffs,
        "dsps": got.dsps,
        "bram36": got.ramb18 / 2,
        "worst_ns": path["worst_ns"],
        "path": f"{path['begins']} to {path['ends']}",
    }


class Lines:
    """What was run, by name, in a file of lines: an interrupted command goes on where it was."""

    def __init__(self, path: Path, kept: bool = False) -> None:
        self.path, self.kept = path, kept
        self.known: dict[str, dict[str, Any]] = {}
        if path.is_file():
            lines = map(json.loads, path.read_text("utf-8").splitlines())
            self.known = {line["run"]: line for line in lines}

    def once(
        self, name: str, read: str, tool: str, work: Callable[[], dict[str, Any]]
    ) -> dict[str, Any] | None:
        """The line of a run, made now unless the same tool has read the same before.

        None with --kept where it would have to be made.
        """
        line = self.known.get(name)
        if line is None or (line["read"], line["tool"]) != (read, tool):
            if self.kept:
                return None
            print(name, flush=True)
            line = {"run": name, "read": read, "tool": tool, **work()}
            self.known[name] = line
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lines = "".join(json.dumps(x) + "\n" for x in self.known.values())
            self.path.write_text(lines, "utf-8")
        return line


def hexadecimal(path: Path, words: Sequence[int]) -> None:
    """Write an image that $readmemh reads."""
    path.write_text("".join(f"{word:x}\n" for word in words), "utf-8")


def packed_word(residues: Sequence[int], bits: int) -> int:
    return sum(residue << (lane * bits) for lane, residue in enumerate(residues))
