"""Writes a design: Verilog, twiddle images, testbench, test vectors, manifest. Deterministic."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import ParameterError, UnsupportedError
from .cost import estimate
from .design import Design
from .parameters import DIRECTIONS
from .top import top_module, transform_top
from .twiddles import fine_image, image
from .vectors import default_sets, vector_files
from .verilog import image_name, limb_module

RTL_MODULES = (
    "nttf_butterfly",
    "nttf_complex_multiplier",
    "nttf_control",
    "nttf_control_registered",
    "nttf_delay",
    "nttf_enable",
    "nttf_fifo",
    "nttf_frame_check",
    "nttf_lane_switches",
    "nttf_memory",
    "nttf_modular_add",
    "nttf_modular_half",
    "nttf_modular_multiplier",
    "nttf_modular_subtract",
    "nttf_multiplier",
    "nttf_product",
    "nttf_reduce_barrett",
    "nttf_reduce_montgomery",
    "nttf_reduce_solinas",
    "nttf_rom",
    "nttf_stage_spn",
    "nttf_super_pipeline",
    "nttf_tile",
    "nttf_twiddle_memory",
    "nttf_valid_line",
)

#: Folder of a design with models of a family's blocks, for simulation only.
MODELS = "models"


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
    axi: bool = False,
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
    axi : bool
        Also a module ``<name>_axi``: AXI4-Stream ports, registers behind AXI4-Lite.
    """
    sets = default_sets(design) if sets is None else sets
    p = design.parameters
    files = limb_files(design, name, folder)
    files[f"rtl/{name}_top.sv"] = top_module(design, name)
    files |= vector_files(design, sets, seed)
    if axi:
        shape = (p.n * p.parts, p.dp * p.parts, p.bp)
        files[f"rtl/{name}_axi.sv"] = transform_top(design, name).axi_module(*shape)
    luts, ffs = estimate(design)
    return assemble(
        Emission(command, sets, seed, name, folder),
        parameter_fields(design),
        files,
        RTL_MODULES,
        {
            "latency_cycles": {d: design.latency_cycles(d) for d in p.directions},
            "interval_cycles": design.interval_cycles,
            "core_latency_cycles": design.core_latency,
            "dsps": design.dsps,
            "dsp_block": p.pipeline.block,
            "memory_bits": design.memory_bits,
            "ramb18": design.ramb18,
            "block_memories": design.block_memories,
            "luts_estimated": luts,
            "ffs_estimated": ffs,
        },
        _bench_parameters(design, sets, name),
        family=p.pipeline.tile.family,
    )


def _bench_parameters(design: Design, sets: int, name: str) -> dict[str, int]:
    directions = design.parameters.directions
    latency = {d: design.latency_cycles(d) if d in directions else 0 for d in DIRECTIONS[:2]}
    return transform_top(design, name).bench_parameters(
        sets * len(directions),
        INVERSE_FROM=sets if "forward" in directions else 0,
        LATENCY_FORWARD=latency["forward"],
        LATENCY_INVERSE=latency["inverse"],
    )


@dataclass(frozen=True)
class Emission:
    """How a design is written: see ``design_files``."""

    command: str
    sets: int
    seed: int
    name: str
    folder: str


def limb_files(design: Design, name: str, folder: str) -> dict[str, str]:
    """The module and the twiddle images of every limb."""
    p = design.parameters
    files = {}
    for limb in range(p.bp):
        stored = design.cores[limb].tables(p.n, p.ring)
        for i, plan in enumerate(design.twiddles):
            files[image_name(name, limb, i)] = image(plan, stored, p.bits)
            if plan.fine_bits:
                text = fine_image(plan, stored, design.cores[limb], p.bits)
                files[image_name(name, limb, i, "fine_")] = text
        files[f"rtl/{name}_limb_{limb}.sv"] = limb_module(design, limb, name, folder)
    return files


def parameter_fields(design: Design, kind: str = "transform") -> dict[str, Any]:
    """The parameters for manifest and headers."""
    p = design.parameters
    fields = {"kind": "dgt" if p.parts == 2 else kind, **asdict(p)}
    fields |= {"n": p.n * p.parts, "dp": p.dp * p.parts}
    return fields | {"moduli": list(p.moduli), "core": design.cores[0].kind}


def assemble(
    how: Emission,
    parameters: dict[str, Any],
    files: dict[str, str],
    modules: tuple[str, ...],
    predicted: dict[str, Any],
    bench_parameters: dict[str, int],
    bench_changes: tuple[tuple[str, str], ...] = (),
    family: str = "",
) -> dict[str, str]:
    """All files: those given, the hand-written modules, testbench and manifest, with headers.

    ``bench_changes`` are replacements in the testbenches' texts. Modules that ``family`` has of its
    own take the place of the general ones; models of its blocks are for simulation.
    """
    check_name(how.name)
    header = _header(parameters, how.command)
    source, bench_source = module_folder("rtl"), module_folder("testbench") / "testbench.sv"
    out = {f"rtl/{m}.sv": header + (source / f"{m}.sv").read_text() for m in modules}
    for path in sorted((source / family).glob("*.sv")) if family else ():
        kind = "rtl" if path.stem in modules else MODELS
        out[f"{kind}/{path.name}"] = header + path.read_text()
    out |= {n: header + text if n.endswith(".sv") else text for n, text in files.items()}
    bench = bench_source.read_text()
    changes = (("ntt_top", f"{how.name}_top"), ('"testbench/', f'"{how.folder}testbench/'))
    for old, new in (*changes, *bench_changes):
        bench = bench.replace(old, new)
    out["testbench/testbench.sv"] = header + bench
    axi = f"rtl/{how.name}_axi.sv" in files
    if axi:
        out["rtl/nttf_axi_lite.sv"] = header + (source / "nttf_axi_lite.sv").read_text()
        bench = bench_source.with_name("testbench_axi.sv").read_text()
        for old, new in (("ntt_axi", f"{how.name}_axi"), changes[1], *bench_changes):
            bench = bench.replace(old, new)
        out["testbench/testbench_axi.sv"] = header + bench
    manifest = {
        "format": 1,
        "command": how.command,
        "parameters": parameters,
        "predicted": predicted,
        "testbench": {"sets": how.sets, "seed": how.seed, "parameters": bench_parameters},
        "top": f"{how.name}_top",
        "axi": axi,
    }
    out["design.json"] = json.dumps(manifest, indent=2) + "\n"
    return out


def check_name(name: str) -> None:
    """Raises ParameterError unless ``name`` can begin the name of a module."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.startswith("nttf_"):
        raise ParameterError(
            f"name = {name!r} must be lower case letters, digits and _, and not begin with nttf_"
        )


def write_design(files: dict[str, str], out: Path) -> None:
    """Writes the files below ``out``; Verilog and images of an earlier design there go."""
    if (out / "design.json").is_file():
        _remove_design(out, files)
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _remove_design(out: Path, kept: dict[str, str]) -> None:
    """Removes what an earlier design wrote under names that ``kept`` does not have."""
    verilog = [p for folder in ("rtl", MODELS, "testbench") for p in out.glob(f"{folder}/*.sv")]
    mine = [p for p in verilog if p.read_bytes().startswith(_MARK.encode())]
    mine += [p for folder in ("twiddles", "tables") for p in out.glob(f"{folder}/*.hex")]
    for path in mine:
        if path.relative_to(out).as_posix() not in kept:
            path.unlink()


_MARK = "// nttforge design\n"


def _header(parameters: dict[str, Any], command: str) -> str:
    fields = [f"{k} = {v}" for k, v in parameters.items() if isinstance(v, (int, str))]
    lines = [", ".join(fields)]
    if "moduli" in parameters:
        lines.append(f"moduli = {', '.join(map(str, parameters['moduli']))}")
    if command:
        lines.append(f"made by: {command}")
    return _MARK + "".join(f"// {line}\n" for line in lines) + "\n"
