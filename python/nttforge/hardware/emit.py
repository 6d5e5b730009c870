"""Writes a design: Verilog, twiddle images, testbench, test vectors, manifest. Deterministic."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path

from ..errors import ParameterError, UnsupportedError
from .design import Design
from .twiddles import image, stored_twiddles
from .vectors import default_sets, testbench_parameters, vector_files
from .verilog import image_name, limb_module, top_module

RTL_MODULES = (
    "nttf_butterfly",
    "nttf_control",
    "nttf_delay",
    "nttf_lane_switches",
    "nttf_memory",
    "nttf_modular_add",
    "nttf_modular_multiplier",
    "nttf_modular_subtract",
    "nttf_multiplier",
    "nttf_reduce_barrett",
    "nttf_reduce_montgomery",
    "nttf_reduce_solinas",
    "nttf_rom",
    "nttf_stage_spn",
    "nttf_super_pipeline",
    "nttf_twiddle_memory",
    "nttf_valid_line",
)


def module_folder(kind: str) -> Path:
    """Where the hand-written files are (``rtl`` or ``testbench``): installed, or in the repository.

    Raises
    ------
    UnsupportedError
        If they are not there.
    """
    here = Path(__file__).resolve().parent
    for folder in (here / kind, here.parents[2] / "hardware" / kind):
        if folder.is_dir():
            return folder
    raise UnsupportedError(f"the Verilog modules ({kind}) are missing: reinstall nttforge")


def design_files(
    design: Design,
    command: str = "",
    sets: int | None = None,
    seed: int = 1,
    name: str = "ntt",
    folder: str = "",
) -> dict[str, str]:
    """Every file of a design by its name.

    Parameters
    ----------
    design : Design
    command : str
        Written into the headers; the same design and command give the same bytes.
    sets : int, optional
        Transforms per direction in the test vectors; by default ``default_sets``.
    seed : int
        Of the test vectors.
    name : str
        Beginning of the names of the modules that belong to this design only.
    folder : str
        Put before the names of memory images, with a slash, where tools run elsewhere.
    """
    check_name(name)
    sets = default_sets(design) if sets is None else sets
    header = _header(design, command)
    source = module_folder("rtl")
    files = {f"rtl/{m}.sv": header + (source / f"{m}.sv").read_text() for m in RTL_MODULES}
    p = design.parameters
    for limb in range(p.bp):
        stored = stored_twiddles(p, design.cores[limb])
        for i, plan in enumerate(design.twiddles):
            files[image_name(name, limb, i)] = image(plan, stored, p.bits)
        files[f"rtl/{name}_limb_{limb}.sv"] = header + limb_module(design, limb, name, folder)
    files[f"rtl/{name}_top.sv"] = header + top_module(design, name)
    bench = (
        (module_folder("testbench") / "testbench.sv").read_text().replace("ntt_top", f"{name}_top")
    )
    files["testbench/testbench.sv"] = header + bench.replace('"testbench/', f'"{folder}testbench/')
    files.update(vector_files(design, sets, seed))
    files["design.json"] = json.dumps(manifest(design, command, sets, seed, name), indent=2) + "\n"
    return files


def check_name(name: str) -> None:
    """Raises ParameterError unless ``name`` can begin the name of a module."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.startswith("nttf_"):
        raise ParameterError(
            f"name = {name!r} must be lower case letters, digits and _, and not begin with nttf_"
        )


def write_design(files: dict[str, str], out: Path) -> None:
    """Writes the files below ``out``; files of an earlier design there are overwritten."""
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def manifest(design: Design, command: str, sets: int, seed: int, name: str) -> dict[str, object]:
    """Parameters, predictions and test settings, for tools that read a design."""
    p = design.parameters
    return {
        "format": 1,
        "command": command,
        "parameters": asdict(p) | {"moduli": list(p.moduli), "core": design.cores[0].kind},
        "predicted": {
            "latency_cycles": {d: design.latency_cycles(d) for d in p.directions},
            "interval_cycles": design.interval_cycles,
            "core_latency_cycles": design.core_latency,
            "dsps": design.dsps,
            "memory_bits": design.memory_bits,
            "ramb18": design.ramb18,
        },
        "testbench": {"sets": sets, "seed": seed, "parameters": testbench_parameters(design, sets)},
        "top": f"{name}_top",
    }


def _header(design: Design, command: str) -> str:
    p = design.parameters
    lines = [
        "nttforge design",
        f"n = {p.n}, {p.ring}, {p.direction}, dp = {p.dp}, pp = {p.pp}, bp = {p.bp}, "
        f"core = {design.cores[0].kind}",
        f"moduli = {', '.join(map(str, p.moduli))}",
    ]
    if command:
        lines.append(f"made by: {command}")
    return "".join(f"// {line}\n" for line in lines) + "\n"
