# SPDX-License-Identifier: Apache-2.0
"""A design with a register at every pin, to be placed with its ports bound to pads.

No path from a pad or to a pad is left in the clock, and every net of the design stays inside.

  python -m nttforge_hardware.tools.pinned FOLDER

writes this top level into pins/, and for designs of 7-series its netlist with pads, for openXC7.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nttforge.errors import FormatError, UnsupportedError

from ..emit.manifest import local_design, read_manifest
from .netlists import commands_xc7
from .programs import read_slang, run_yosys

#: Words that a stream may have waiting behind its pins; room for three is kept for those under way.
HELD = 8
_PORT = re.compile(r"^  (input|output) +logic +(?:\[(\d+):0\] +)?(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Port:
    """A port of a top level."""

    direction: str
    bits: int
    name: str

    @property
    def logic(self) -> str:
        """Its type."""
        return f"logic [{self.bits - 1}:0]" if self.bits > 1 else "logic"


def ports_of(text: str, top: str) -> tuple[Port, ...]:
    """The ports of a module that the generator wrote, in their order.

    Raises
    ------
    UnsupportedError
        If there is no such module, or it has no clock or no reset.

    Examples
    --------
    >>> ports = ["input logic clk,", "input logic reset,", "output logic [3:0] y"]
    >>> ports_of("module m (\\n  " + "\\n  ".join(ports) + "\\n);", "m")[2]
    Port(direction='output', bits=4, name='y')
    """
    found = re.search(rf"^module {top}\b.*?^\);", text, re.MULTILINE | re.DOTALL)
    declared = _PORT.findall(found[0]) if found else []
    ports = tuple(Port(way, int(high or 0) + 1, name) for way, high, name in declared)
    missing = {"clk", "reset"} - {port.name for port in ports}
    if missing:
        raise UnsupportedError(f"{top} has no {' and no '.join(sorted(missing))}: nothing to wrap")
    return ports


def pinned_top(text: str, top: str) -> str:
    """The top level ``{top}_pins`` around ``top``, whose Verilog is ``text``.

    A word that comes in waits in a small memory, so that none is lost between the register of its
    ready and those of its valid and data. A word that goes out is a cycle behind.
    """
    ports = [port for port in ports_of(text, top) if port.name != "clk"]
    ways = {port.name: port.direction for port in ports}
    streams = [name.removesuffix("_valid") for name in ways if name.endswith("_valid")]
    streams = [name for name in streams if f"{name}_ready" in ways]
    sinks = {name for name in streams if ways[f"{name}_valid"] == "input"}
    inputs = [port for port in ports if port.direction == "input"]
    clear = "reset_held || flush_held" if "flush" in ways else "reset_held"

    lines = [f"  {port.logic} {port.name}_in;" for port in ports]
    lines += [f"  {port.logic} {port.name}_held;" for port in inputs]
    lines += ["  logic clear;", f"  assign clear = {clear};", "  always_ff @(posedge clk) begin"]
    lines += [f"    {port.name}_held <= {port.name};" for port in inputs]
    outputs = [p.name for p in ports if p.direction == "output" and p.name[:-6] not in sinks]
    for name in outputs:
        stream = name.removesuffix("_valid")
        given = f" && {stream}_ready_held && !clear" if stream in streams and stream != name else ""
        lines.append(f"    {name} <= {name}_in{given};")
    lines.append("  end")
    body = "\n".join(lines) + "\n"
    waiting: set[str] = set()
    for name in sorted(sinks):
        words = [p for p in inputs if p.name.startswith(f"{name}_") and p.name != f"{name}_valid"]
        waiting |= {f"{name}_valid", *(port.name for port in words)}
        body += _sink(name, words)
    body += "".join(
        f"  assign {p.name}_in = {p.name}_held;\n" for p in inputs if p.name not in waiting
    )
    listed = ",\n".join(f"  {p.direction:6} {p.logic} {p.name}" for p in ports)
    wired = ",\n    ".join(f".{port.name}({port.name}_in)" for port in ports)
    return f"""// SPDX-License-Identifier: Apache-2.0
// {top} with a register at every pin. A word is taken where valid and ready meet at the pins.
// One that is given has valid, and the receiver takes it whatever its ready is: a word may still
// come in the first two cycles in which ready is low.
module {top}_pins (
  input  logic clk,
{listed}
);
{body}  {top} u_design (
    .clk(clk),
    {wired}
  );
endmodule
"""


def _sink(name: str, words: list[Port]) -> str:
    """A stream that comes in: a memory of ``HELD`` words and the ready at the pins."""
    bits, log = sum(port.bits for port in words), HELD.bit_length() - 1
    held = ", ".join(f"{port.name}_held" for port in words)
    given = ", ".join(f"{port.name}_in" for port in words)
    return f"""
  (* ram_style = "distributed" *) logic [{bits - 1}:0] {name}_words[{HELD}];
  logic [{log - 1}:0] {name}_write, {name}_read;
  logic [{log}:0] {name}_count;
  logic {name}_ready_held, {name}_push, {name}_pop;
  assign {name}_push     = {name}_valid_held && {name}_ready_held;
  assign {name}_valid_in = {name}_count != '0;
  assign {name}_pop      = {name}_valid_in && {name}_ready_in;
  assign {{{given}}} = {name}_words[{name}_read];
  always_ff @(posedge clk) begin
    {name}_ready      <= !clear && {name}_count <= {log + 1}'d{HELD - 3};
    {name}_ready_held <= {name}_ready;
    if ({name}_push) {name}_words[{name}_write] <= {{{held}}};
    if (clear) begin
      {name}_write <= '0;
      {name}_read  <= '0;
      {name}_count <= '0;
    end else begin
      if ({name}_push) {name}_write <= {name}_write + 1'b1;
      if ({name}_pop) {name}_read <= {name}_read + 1'b1;
      {name}_count <= {name}_count + {log + 1}'({name}_push) - {log + 1}'({name}_pop);
    end
  end
"""


def write_pinned(folder: Path) -> list[Path]:
    """Writes ``pins/`` into the design in ``folder``; gives the files.

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    UnsupportedError
        If its top level has no clock or no reset, or Yosys is missing or fails.
    """
    manifest = read_manifest(folder)
    top, folder = manifest["top"], local_design(folder.resolve())
    text = (folder / "rtl" / f"{top}.sv").read_text(encoding="utf-8")
    out = folder / "pins"
    out.mkdir(exist_ok=True)
    written = [out / f"{top}_pins.sv"]
    written[0].write_text(pinned_top(text, top), encoding="utf-8")
    if manifest["predicted"].get("dsp_block") == "dsp48e1":
        written.append(out / f"{top}_pins.json")
        sources = [*sorted(folder.glob("rtl/*.sv")), written[0]]
        commands = [
            read_slang(f"--top {top}_pins", sources, out),
            *commands_xc7(f"{top}_pins"),
            f"iopadmap -bits -inpad IBUF O:I -outpad OBUF I:O {top}_pins",
            f"clkbufmap -buf BUFG O:I {top}_pins",
            f"write_json {written[1]}",
        ]
        run_yosys(commands, folder)
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m nttforge_hardware.tools.pinned",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("folder", type=Path, help="what generate wrote")
    options = parser.parse_args(arguments)
    try:
        written = write_pinned(options.folder)
    except (FormatError, UnsupportedError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(str(path) for path in written))
    return 0


if __name__ == "__main__":
    sys.exit(main())
