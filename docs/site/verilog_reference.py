# SPDX-License-Identifier: Apache-2.0
"""The page of the Verilog generator: options, parameter objects, hand-written modules."""

from __future__ import annotations

import re
from pathlib import Path

from command_reference import commands, root_parser
from prose import comment_lines

RTL = Path(__file__).resolve().parents[2] / "hardware" / "rtl"
#: Parameter objects of the generator, each with what it is for.
OBJECTS = (
    ("nttforge_hardware.HardwareParameters", "A streaming transform or product"),
    ("nttforge_hardware.Pipeline", "Registers and multiplier blocks of every design"),
    ("nttforge_hardware.plan.engine.EngineParameters", "Engines with loaded moduli"),
    ("nttforge_hardware.plan.keyswitch.KeySwitchParameters", "Key switching"),
)


def modules() -> dict[str, tuple[str, list[str]]]:
    """Name of each hand-written module -> the comment that opens it, and its parameters' lines."""
    found = {}
    for path in sorted(RTL.rglob("*.sv")):
        text = path.read_text(encoding="utf-8")
        opening = re.search(r"\A// SPDX[^\n]*\n((?://[^\n]*\n)+)", text)
        head = re.search(
            rf"^(?:module|package) {path.stem}\b(.*?)\)\s*(?:\(|;)", text, re.MULTILINE | re.DOTALL
        )
        if opening is None or head is None:
            continue
        comment = re.sub(r"^// ?", "", opening[1], flags=re.MULTILINE)
        lines = [
            re.sub(r"\s+", " ", line.strip().rstrip(","))
            for line in re.sub(r"//[^\n]*", "", head[1]).splitlines()
            if re.match(r"\s*parameter\b", line)
        ]
        found[path.relative_to(RTL).as_posix()] = (comment, lines)
    return found


def page() -> dict[str, str]:
    """Path in the site's source and text of the page."""
    title = "Verilog"
    lines = [title, "=" * len(title), "",
             "What a design can be asked to be: by options of ``nttforge rtl``, or by objects in "
             "Python. :doc:`/hardware` says how a design works.", ""]  # fmt: skip
    root = root_parser()
    lines += ["Commands", "--------", ""]
    for parser in commands(root):
        if parser.prog.startswith("nttforge rtl "):
            name = parser.prog
            lines.append(f"* :ref:`{name} <{name.replace(' ', '-')}>`")
    lines += ["", "Parameter objects", "-----------------", ""]
    for path, text in OBJECTS:
        module, _, name = path.rpartition(".")
        lines += [f"**{text}**", ""]
        if module == "nttforge_hardware":
            lines += [f"* :any:`{path}`", ""]
        else:
            lines += [f".. autoclass:: {path}", "   :members:", ""]
    lines += ["Hand-written modules", "--------------------", "",
              "Designs are made of these, in ``hardware/rtl/``. The generator gives every "
              "parameter; a design's own README has those of its top level.", ""]  # fmt: skip
    for name, (comment, parameters) in modules().items():
        head = f"``{name}``"
        lines += [head, "~" * len(head), "", *comment_lines(comment), ""]
        if parameters:
            lines += [".. code-block:: text", "", *[f"   {line}" for line in parameters], ""]
    return {"reference/verilog.rst": "\n".join(lines) + "\n"}
