"""Resources as Yosys counts them. So far: the DSP blocks of one core."""

from __future__ import annotations

import re

from .cores import CoreDesign
from .emit import module_folder
from .tools import run_yosys

FAMILIES = {"xcup": "DSP48E2", "xc7": "DSP48E1"}


def count_core_dsps(core: CoreDesign, family: str = "xcup") -> int:
    """DSP blocks of a butterfly after ``synth_xilinx``, whose modulus is an input.

    Parameters
    ----------
    core : CoreDesign
    family : {"xcup", "xc7"}

    Raises
    ------
    UnsupportedError
        If Yosys (pyosys) is missing.
    """
    settings = core.module_parameters | {"DATA_BITS": core.bits}
    values = " ".join(f"-G {name}={value}" for name, value in settings.items())
    sources = " ".join(str(path) for path in sorted(module_folder("rtl").glob("*.sv")))
    printed = run_yosys(
        [
            f"tee -q -o /dev/null read_slang --top nttf_butterfly {values} {sources}",
            f"tee -q -o /dev/null synth_xilinx -family {family} -top nttf_butterfly -flatten "
            "-run begin:map_memory",
            "stat",
        ]
    )
    counts = re.findall(rf"(?:{FAMILIES[family]}\s+(\d+)|(\d+)\s+{FAMILIES[family]})", printed)
    return sum(int(a or b) for a, b in counts[-1:])
