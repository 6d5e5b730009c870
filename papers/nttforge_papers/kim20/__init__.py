# SPDX-License-Identifier: Apache-2.0
"""[Kim20]: NTT on a GPU for bootstrappable HE; Figs. 1, 3, 4, 5, 7, 9, 11, 12, 13 and Table II.

Every optimisation of the paper is a kernel of its own here, checked against the CPU's words and
timed on one GPU: radices in registers, two kernels through shared memory with 2 to 16 points a
thread, merged or not, preloaded or not, twiddles on the fly, four multiplications, the complex DFT.

examples:
  nttforge paper kim20                             kept results of this clone
  nttforge paper kim20 --measure --out out/kim20   on this GPU, with counters if ncu is there
"""

from __future__ import annotations

import argparse

from .._gpu import Results, heading
from .._gpu import add_arguments as add_arguments
from .._gpu import run as run_paper
from .._sections import statements_text
from .figures import Figures
from .plots import plot
from .statements import statements
from .tables import SECTIONS

#: Counters, by the profiler's name.
METRICS = {
    "dram__bytes_read.sum": "read_bytes",
    "dram__bytes_write.sum": "written_bytes",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "dram_percent",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy_percent",
    "gpu__time_duration.sum": "ns",
}


def run(options: argparse.Namespace) -> int:
    return run_paper("kim20", options, METRICS, report, plot)


def report(results: Results) -> str:
    """Every table, then the statements."""
    f = Figures(results)
    tables = [str(section(f)) for section in SECTIONS]
    return "\n".join([heading(results), "", *tables, statements_text(statements(f))])
