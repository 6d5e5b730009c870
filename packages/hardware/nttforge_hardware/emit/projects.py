# SPDX-License-Identifier: Apache-2.0
"""What other tools read of a design's folder: FuseSoC, Vivado and Quartus projects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Clock that constraints ask for, in ns; the files say where to change it.
PERIOD_NS = 5.0

#: A part for each kind of multiplier block that Vivado infers.
PARTS = {"dsp48e2": "xczu7ev-ffvc1156-2-e", "dsp48e1": "xc7a200tfbg484-2"}
#: Names of the parts that have these blocks, as an expression of Tcl.
FAMILIES = {"dsp48e2": "^x[acq]r?(ku|vu|zu|au|k2|u[0-9])", "dsp48e1": "^x[acq]7"}


@dataclass(frozen=True)
class ProjectFiles:
    """A design's files as projects name them.

    ``rtl`` has the modules in order, ``models`` what is for simulation only, ``images`` what they
    read, ``benches`` the testbenches, ``vectors`` what those read.
    """

    name: str
    version: str
    axi: bool
    block: str
    folder: str
    rtl: Sequence[str]
    models: Sequence[str]
    images: Sequence[str]
    header: str
    benches: Sequence[str]
    vectors: Sequence[str]

    @property
    def top(self) -> str:
        return f"{self.name}_{'axi' if self.axi else 'top'}"

    @property
    def clock(self) -> str:
        return "aclk" if self.axi else "clk"


def project_files(p: ProjectFiles) -> dict[str, str]:
    """The files by name; those of Vivado and Quartus where they can build the design."""
    files = {f"{p.name}.core": fusesoc_core(p)}
    if p.block in (*PARTS, ""):
        files |= {
            "build.tcl": vivado_script(p),
            f"{p.name}.xdc": clock_constraint(p, "port"),
            f"{p.name}.qsf": quartus_settings(p),
            f"{p.name}.sdc": clock_constraint(p, "ports"),
        }
    return files


def fusesoc_core(p: ProjectFiles) -> str:
    """A core description (CAPI2) with a lint and two simulations."""

    def copied(names: Iterable[str]) -> str:
        # Memory images and vectors are looked for from where the simulator runs.
        return "".join(f"      - {n}: {{copyto: {p.folder}{n}}}\n" for n in names)

    def listed(names: Iterable[str]) -> str:
        return "".join(f"      - {n}\n" for n in names)

    models = (
        f"  models:\n    files:\n{listed(p.models)}    file_type: systemVerilogSource\n"
        if p.models
        else ""
    )
    sets = ["rtl", *(["models"] if p.models else []), "images"]
    text = f"""CAPI=2:
name: nttforge:designs:{p.name}:{p.version}
description: A design by nttforge; README.md says what it is.
filesets:
  rtl:
    files:
{listed(p.rtl)}    file_type: systemVerilogSource
{models}  images:
    files:
{copied(p.images)}    file_type: user
  bench:
    files:
      - {p.header}: {{is_include_file: true}}
{listed(p.benches)}    file_type: systemVerilogSource
  vectors:
    files:
{copied(p.vectors)}    file_type: user
targets:
  default:
    filesets: [rtl, images]
    toplevel: {p.top}
  lint:
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
    filesets: [{", ".join(sets)}]
    toplevel: {p.top}
"""
    for target, bench in (("sim", ""), ("sim_axi", "axi_")) if p.axi else (("sim", ""),):
        text += f"""  {target}:
    flow: sim
    flow_options:
      tool: icarus
      iverilog_options: [-g2012]
    filesets: [{", ".join([*sets, "bench", "vectors"])}]
    toplevel: {p.name}_{bench}testbench
"""
    return text


def _refusal(block: str) -> str:
    """Lines that end a build for a part without the blocks that products were cut for."""
    if not block:
        return ""
    return f"""# Products are cut for {block.upper()}; on other blocks they would take other counts.
if {{![regexp {{{FAMILIES[block]}}} $part]}} {{
  error "$part has no {block.upper()}: generate the design again with its --device"
}}
"""


def vivado_script(p: ProjectFiles) -> str:
    """Synthesis, placement and routing in Vivado without a project."""
    sources = " \\\n  ".join(p.rtl)
    images = " \\\n  ".join(p.images)
    return f"""# Builds {p.top} out of context: vivado -mode batch -source build.tcl [-tclargs PART]
# Results: build_vivado/*.rpt and routed.dcp. The clock is in {p.name}.xdc.
set part {PARTS[p.block or "dsp48e2"]}
if {{[info exists argv] && [llength $argv] > 0}} {{
  set part [lindex $argv 0]
}}
{_refusal(p.block)}# Memory images are looked for from this folder.
cd [file dirname [file normalize [info script]]]
set out build_vivado
file mkdir $out
read_verilog -sv [list \\
  {sources}]
read_mem [list \\
  {images}]
read_xdc {p.name}.xdc
synth_design -top {p.top} -part $part -mode out_of_context
report_utilization -file $out/synthesised.rpt
opt_design
place_design
phys_opt_design
route_design
report_utilization -file $out/utilization.rpt
report_timing_summary -file $out/timing.rpt
write_checkpoint -force $out/routed.dcp
"""


def clock_constraint(p: ProjectFiles, kind: str) -> str:
    """The clock, for Vivado (``port``) or Quartus (``ports``)."""
    tool = "Vivado" if kind == "port" else "Quartus"
    return f"""# The clock of {p.top} for {tool}: {1000 / PERIOD_NS:g} MHz.
create_clock -name {p.clock} -period {PERIOD_NS:.3f} [get_ports {{{p.clock}}}]
"""


def quartus_settings(p: ProjectFiles) -> str:
    """The settings of a Quartus project of the design."""
    lines = [
        "# Run it in this folder, from which memory images are looked for:",
        f"# quartus_sh --flow compile {p.name}",
        'set_global_assignment -name FAMILY "Arria 10"',
        "set_global_assignment -name DEVICE 10AX115S2F45I1SG",
        f"set_global_assignment -name TOP_LEVEL_ENTITY {p.top}",
        "set_global_assignment -name PROJECT_OUTPUT_DIRECTORY build_quartus",
        *(f"set_global_assignment -name SYSTEMVERILOG_FILE {name}" for name in p.rtl),
        f"set_global_assignment -name SDC_FILE {p.name}.sdc",
        "# Ports are no pins of the device: this is one part of a larger design.",
        "set_instance_assignment -name VIRTUAL_PIN ON -to *",
        f"set_instance_assignment -name VIRTUAL_PIN OFF -to {p.clock}",
    ]
    return "\n".join(lines) + "\n"
