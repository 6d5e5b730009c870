# SPDX-License-Identifier: Apache-2.0
"""[Din24] on GPUs: measured here or kept results; tables, what was to be reached, conclusions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nttforge.errors import FormatError, UnsupportedError

from .._sections import Row, as_data, statements_text
from .figures import Figures
from .gpu_statements import statements
from .hardware import NAMES
from .tables import all_sizes, speed_ups, times

PROGRAM = "gpu_nttsuite_bench"
#: What the tuned kernels are to reach: the best within so many times the engine, each so many
#: times as fast as the paper's method.
MOST_OVER_ENGINE, LEAST_GAIN = 1.5, 3.0


@dataclass(frozen=True)
class Measured:
    """A document of the program, and where it is from in words."""

    results: dict[str, Any]
    source: str
    here: bool


def measure(folder: Path, programs_at: Path | None) -> dict[str, Any]:
    """Runs the program on this machine's GPU; it writes nttsuite.json into a folder.

    Raises
    ------
    UnsupportedError
        If the program cannot be built or fails.
    """
    from nttforge_bench import programs

    root = programs.clone_root(Path.cwd())
    ours = programs.find(programs_at, Path.cwd(), (PROGRAM,), gpu=True)
    origin = ["--commit", programs.commit(root)]
    return dict(programs.run(ours / PROGRAM, origin, folder / "nttsuite.json"))


def kept(path: Path | None) -> Measured:
    """The kept results named by --results, or the newest of this clone.

    Raises
    ------
    UnsupportedError
        If there are none: what to do.
    FormatError
        If the file is not the program's.
    """
    from nttforge_bench import documents, programs

    if path is None:
        root = programs.clone_root(Path.cwd())
        found = sorted((root / "bench/results").glob("*/nttsuite.json*")) if root else []
        if not found:
            raise UnsupportedError(
                "no kept GPU results of nttsuite here: run inside a clone, name a file by "
                "--results, or run on a machine with a GPU"
            )
        path = found[-1]
    results = documents.load(path)
    if not {"tuned", "paper"} <= {row.get("kind") for row in results["results"]}:
        raise FormatError(f"{path} is no document of {PROGRAM}")
    dated = re.search(r"\d{4}-\d\d-\d\d", path.as_posix())
    shown = "/".join(path.parts[-2:])
    return Measured(results, f"kept results {shown}" + (f", {dated[0]}" if dated else ""), False)


def heading(found: Measured) -> str:
    """Card, CPU and origin in a line."""
    results = found.results
    card = (results.get("gpu") or {}).get("name", "unknown GPU")
    return (
        f"{card} and one core of {results.get('cpu', 'unknown CPU')}, nttforge "
        f"{results.get('version')}; {found.source}; GPU: medians of CUDA graphs, CPU: minima"
    )


def report(found: Measured, hardware: dict[str, Any]) -> str:
    """Table I, Fig. 2, every size, what was to be reached, and the paper's conclusions."""
    f = Figures(found.results)
    sections = [times(f, hardware), speed_ups(f), *all_sizes(f)]
    lines = [heading(found), "", *map(str, sections), *reached(f), ""]
    return "\n".join([*lines, statements_text(statements(f))])


def reached(f: Figures) -> list[str]:
    """The targets of the tuned kernels, and where one is missed."""
    lines = []
    for order in ("bit_reversed", "natural"):
        over = {c: r for c in f.cells if (r := f.over_engine(*c, order=order)) is not None}
        lines.append(
            f"best of the tuned over the engine, {order.replace('_', '-')} order: "
            f"{_range(over)} (at most {MOST_OVER_ENGINE}); missed: "
            + _missed({_cell(c): r for c, r in over.items() if r > MOST_OVER_ENGINE})
        )
    gains = {(n, c): g for c in f.cells for n in NAMES if (g := f.gain(n, *c)) is not None}
    least = {n: [g for (name, _), g in gains.items() if name == n] for n in NAMES}
    lines.append(
        f"tuned over the paper's method: {_range(list(gains.values()))} times as fast (at least "
        f"{LEAST_GAIN}); missed: "
        + _missed({f"{n} {_cell(c)}": g for (n, c), g in gains.items() if g < LEAST_GAIN})
    )
    lines.append("  " + "; ".join(f"{name} {_range(values)}" for name, values in least.items()))
    return lines


def quoted(results: dict[str, Any]) -> list[str]:
    """What the documents say of the kept results; a test compares them."""
    f = Figures(results)
    natural, default = (
        {c: r for c in f.cells if (r := f.over_engine(*c, order=order)) is not None}
        for order in ("natural", "bit_reversed")
    )
    ahead = [f"{bits}-bit 2^{n} × {batch}" for (n, batch, bits), r in default.items() if r < 1]
    gains = [g for c in f.cells for name in NAMES if (g := f.gain(name, *c)) is not None]
    enough = sum(g >= LEAST_GAIN for g in gains)
    return [
        "With values in natural order the best of the tuned kernels takes "
        f"{_range(natural)} of the time of the engine's kernels, which permute in a pass of "
        "their own; in the engine's "
        f"default bit-reversed order {_range(default)} of it, and the engine is ahead "
        f"everywhere{' except at ' + ', '.join(ahead) if ahead else ''}.",
        f"The tuned kernels are {_range(gains)} times as fast as the paper's method, at least "
        f"{LEAST_GAIN:g} times in {enough} of {len(gains)} cells.",
    ]


def _range(found: Mapping[Any, float] | list[float]) -> str:
    values = list(found.values() if isinstance(found, Mapping) else found)
    return f"{min(values):.2f} … {max(values):.2f}" if values else "not measured"


def _cell(cell: tuple[int, int, int]) -> str:
    log_n, batch, bits = cell
    return f"2^{log_n} x {batch}, {bits} bits"


def _missed(found: dict[str, float]) -> str:
    return "; ".join(f"{where}: {ratio:.2f}" for where, ratio in found.items()) or "nowhere"


def judged(found: Measured) -> list[Row]:
    """The conclusions about GPUs."""
    return as_data(statements(Figures(found.results)))
