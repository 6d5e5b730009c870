# SPDX-License-Identifier: Apache-2.0
"""[Bad18a]: faster NTT on GPUs for ring-LWE; Tables I-III.

Emmart and Weems' three kernels modulo the Goldilocks prime, forward of zero-padded 32-bit words and
inverse to residues modulo a 32-bit prime, 2^14 ... 2^16 points: shared memory packed or split and
padded, powers of 8 by a case for each exponent or from constant memory, each switch alone too.

examples:
  nttforge paper bad18a                              kept results of this clone
  nttforge paper bad18a --measure --out out/bad18a   on this GPU, with counters if ncu is there
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .._gpu import Results, heading
from .._gpu import add_arguments as add_arguments
from .._gpu import run as run_paper
from .._sections import statements_text
from .tables import TABLE_III, VARIANTS, statements, table_i, table_ii, table_iii, time_us

#: Counters, by the profiler's name.
METRICS = {
    "smsp__thread_inst_executed_per_inst_executed.ratio": "threads_per_instruction",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "load_transactions",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "store_transactions",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": "conflict_transactions",
    "gpu__time_duration.sum": "ns",
}


def run(options: argparse.Namespace) -> int:
    return run_paper("bad18a", options, METRICS, report, plot)


def report(results: Results) -> str:
    """Tables I to III, then the statements."""
    tables = [table_i(), table_ii(results), table_iii(results)]
    parts = [heading(results), "", *map(str, tables)]
    return "\n".join([*parts, statements_text(statements(results))])


def plot(results: Results, path: Path) -> None:
    """Table III: the paper's card and this one."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(13, 4.5), layout="constrained")
    labels = [f"2^{log_n} {direction}" for log_n, direction in TABLE_III]
    for axis, title in zip(axes, ("paper: Tesla K80", "this card"), strict=True):
        paper = title.startswith("paper")
        series = VARIANTS[:2] if paper else VARIANTS
        for i, variant in enumerate(series):
            if paper:
                times = [TABLE_III[key][i] for key in TABLE_III]
            else:
                times = [time_us(results, n, variant, d) or 0.0 for n, d in TABLE_III]
            at = [k + (i - len(series) / 2) * 0.8 / len(series) for k in range(len(labels))]
            axis.bar(at, times, 0.8 / len(series), label=", ".join(variant), align="edge")
        axis.set_xticks(range(len(labels)), labels, rotation=30, ha="right", fontsize=8)
        axis.set_title(title, fontsize=10)
        axis.set_ylabel("µs")
        axis.legend(fontsize=7)
    gpu = (results.get("gpu") or {}).get("name", "")
    figure.suptitle(f"[Bad18a] Table III; this card: {gpu}", fontsize=11)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)
