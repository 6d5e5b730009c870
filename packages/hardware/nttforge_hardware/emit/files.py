# SPDX-License-Identifier: Apache-2.0
"""Writes a design: Verilog, twiddle images, testbench, test vectors, manifest. Deterministic."""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nttforge.errors import ParameterError

from ..plan.cost import estimate
from ..plan.design import Design
from ..plan.memories import image_memories
from ..plan.parameters import DIRECTIONS
from ..plan.twiddles import fine_image, image
from .axi import TdataLayout, axi_module, tdata_layout
from .ipxact import BEGINNING, component
from .manifest import FORMAT, changed_files, text_digest
from .modules import LICENCE, MODELS, hand_written, reached
from .projects import ProjectFiles, project_files
from .readme import design_readme, parameter_lines
from .testbenches import (
    LIST,
    BenchParameters,
    list_text,
    parameter_header,
    python_files,
    testbench_modules,
)
from .top import top_module, transform_top
from .vectors import default_sets, vector_files
from .verilog import image_name, limb_module


def design_files(
    design: Design,
    command: str = "",
    sets: int | None = None,
    seed: int = 1,
    name: str = "ntt",
    folder: str = "",
    axi: bool = False,
    prefix: str = "",
    tdata: str = "packed",
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
        Where memory images and vectors are looked for: put before their names, ends with a slash.
    axi : bool
        Also a module ``<name>_axi``: AXI4-Stream ports, registers behind AXI4-Lite.
    prefix : str
        Stands before the names of all modules, hand-written ones too.
    tdata : {"packed", "bytes", "power-of-two"}
        How residues lie in TDATA: see ``TdataLayout``.
    """
    how = Emission(
        command, default_sets(design) if sets is None else sets, seed, prefix + name, folder, prefix
    )
    name, sets = how.name, how.sets
    p = design.parameters
    files = limb_files(design, name, folder)
    files[f"rtl/{name}_top.sv"] = top_module(design, name)
    files |= vector_files(design, sets, seed)
    top = transform_top(design, name)
    layout = tdata_layout(top, tdata)
    if axi:
        shape = (p.n * p.parts, p.dp * p.parts, p.bp)
        files[f"rtl/{name}_axi.sv"] = axi_module(top, *shape, tdata)
    estimated = estimate(design)
    return assemble(
        how,
        parameter_fields(design),
        files,
        {
            "latency_cycles": {d: design.latency_cycles(d) for d in p.directions},
            "interval_cycles": design.interval_cycles,
            **_change_fields(design),
            "core_latency_cycles": design.core_latency,
            "dsps": design.dsps,
            "dsp_block": p.pipeline.block,
            "memory_bits": design.memory_bits,
            "ramb18": ramb18_of_images(design, files, name),
            "block_memories": design.block_memories,
            **({"uram": design.uram} if design.in_ultra_ram else {}),
            **(
                dict(zip(("luts_estimated", "ffs_estimated"), estimated, strict=True))
                if estimated
                else {}
            ),
        },
        _bench_parameters(design, sets, name),
        layout=layout,
        family=p.pipeline.tile.family,
    )


def _change_fields(design: Design) -> dict[str, int]:
    """The predicted cycles from a transform to one of the other direction."""
    names = ("to_inverse_cycles", "to_forward_cycles")
    return dict(zip(names, design.change_cycles or (), strict=False))


def _bench_parameters(design: Design, sets: int, name: str) -> BenchParameters:
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
    prefix: str = ""


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


def ramb18_of_images(design: Design, files: dict[str, str], name: str) -> int:
    """Block memories of the design ``name``: columns that are constant in an image take none."""
    p = design.parameters
    total = design.permutation_ramb18 * p.bp + design.buffer_ramb18
    for limb in range(p.bp):
        for i in range(p.pp):
            for kind in ("", "fine_"):
                text = files.get(image_name(name, limb, i, kind), "")
                rows = [int(line, 16) for line in text.split()]
                total += image_memories(rows, p.pipeline.block)
    return total


def parameter_fields(design: Design, kind: str = "transform") -> dict[str, Any]:
    """The parameters for manifest and headers."""
    p = design.parameters
    fields = {"kind": "dgt" if p.parts == 2 else kind, **asdict(p)}
    if p.degree == 1:
        del fields["degree"]
    fields |= {"n": p.n * p.parts, "dp": p.dp * p.parts}
    return fields | {"moduli": list(p.moduli), "core": design.cores[0].kind}


def assemble(
    how: Emission,
    parameters: dict[str, Any],
    files: dict[str, str],
    predicted: dict[str, Any],
    bench_parameters: BenchParameters,
    bench_changes: tuple[tuple[str, str], ...] = (),
    family: str = "",
    checker: str = "check",
    more_tops: Sequence[str] = (),
    layout: TdataLayout | None = None,
    burst: BenchParameters | None = None,
) -> dict[str, str]:
    """All files: those given, the modules they reach, testbenches, manifest, file list, README.

    ``bench_changes`` are replacements in the testbenches' texts, ``family``: see ``hand_written``;
    ``checker`` is what a testbench runs, a file's stem; ``more_tops``: modules that nothing else
    instantiates; ``layout``: of words at AXI ports; ``burst``: what the checker of AXI4 ports
    takes, where a design has them.
    """
    check_name(how.name, how.prefix)
    check_folder(how.folder)
    own = {n: text for n, text in files.items() if n.endswith(".sv")}
    axi = f"rtl/{how.name}_axi.sv" in own
    tops = [f"{how.name}_top", *([f"{how.name}_axi"] if axi else []), *more_tops]
    if axi and layout:
        bench_parameters = {**bench_parameters, **layout.bench_parameters}
    library = hand_written(family, how.prefix)
    sources = library.texts | {n: library.renamed(text) for n, text in own.items()}
    order = reached(tops, sources)
    benches = testbench_modules(
        how.name, how.folder, axi, bench_changes, checker, bench_parameters, burst
    )
    bench_parameters = {**bench_parameters, **(burst or {})}
    parameter_file = f"testbench/{how.name}_parameters.svh"
    modules = {n: sources[n] for n in order} | benches
    modules[parameter_file] = parameter_header(bench_parameters)
    manifest = {
        "format": FORMAT,
        "made_by": made_by(),
        "command": how.command,
        "parameters": parameters,
        "predicted": predicted,
        "testbench": {"sets": how.sets, "seed": how.seed, "parameters": bench_parameters},
        "top": tops[0],
        "axi": axi,
        "tdata": layout.fields if axi and layout else None,
        "image_folder": how.folder,
    }
    if burst is not None:
        manifest["burst"] = True
    header = _header(parameters, how.command)
    generated = {*own, parameter_file}
    out = {n: header(n in generated) + text for n, text in modules.items()}
    out |= {n: text for n, text in files.items() if n not in own}
    if axi:
        out |= {n: comment_marks(header(False)) + text for n, text in python_files().items()}
    out["design.json"] = json.dumps(manifest, indent=2) + "\n"
    out["design.f"] = "".join(f"{n}\n" for n in order if n.startswith("rtl/"))
    out[LIST] = list_text([*order, *benches])
    models = [n for n in order if not n.startswith("rtl/")]
    project = ProjectFiles(
        name=how.name,
        version=made_by().split()[-1],
        axi=axi,
        block=predicted.get("dsp_block", ""),
        folder=how.folder,
        rtl=[n for n in order if n.startswith("rtl/")],
        models=models,
        images=[n for n in files if n.startswith(("twiddles/", "tables/"))],
        header=parameter_file,
        benches=list(benches),
        vectors=[n for n in files if n.startswith("testbench/")],
    )
    marked = comment_marks(header(True))
    for n, text in project_files(project).items():
        first, rest = text.split("\n", 1)
        out[n] = f"{first}\n{marked}{rest}" if n.endswith(".core") else marked + text
    if axi:
        axi_text = modules[f"rtl/{how.name}_axi.sv"]
        xml = component(how.name, project.version, axi_text, project.rtl, project.images)
        out["component.xml"] = xml
    out["README.md"] = design_readme(manifest, modules, [n for n in out if n not in modules])
    manifest["digests"] = {n: text_digest(out[n]) for n in sorted(out) if n != "design.json"}
    out["design.json"] = json.dumps(manifest, indent=2) + "\n"
    return out


def made_by() -> str:
    """This program with its version."""
    try:
        from nttforge import __version__
    except ImportError:  # the compiled core is not built, and not needed here
        __version__ = _installed_version()
    return f"nttforge {__version__}"


def _installed_version() -> str:
    """The version of what is installed: all distributions of a release have the same one."""
    for name in ("nttforge", "nttforge-hardware"):
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return "of unknown version"


def check_folder(folder: str) -> None:
    """Raises ParameterError unless ``folder`` can stand in Verilog before an image's name."""
    if not folder.isprintable() or not folder.isascii() or set(folder) & set('"\\'):
        raise ParameterError(
            f"image folder = {folder!r} must be ASCII without quotes and backslashes; write / "
            "between folders"
        )


def check_name(name: str, prefix: str = "") -> None:
    """Raises ParameterError unless ``name``, and ``prefix`` too, can begin the name of a module."""
    if prefix and not re.fullmatch(r"[a-z][a-z0-9_]*", prefix):
        raise ParameterError(
            f"prefix = {prefix!r} must be lower case letters, digits and _, and begin with a letter"
        )
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.startswith("nttf_"):
        raise ParameterError(
            f"name = {name!r} must be lower case letters, digits and _, and not begin with nttf_"
        )


def write_design(files: dict[str, str], out: Path, force: bool = False) -> None:
    """Writes the files below ``out``; Verilog and images of an earlier design there go.

    Raises
    ------
    ParameterError
        If files of the earlier design were changed since it was written, unless ``force``.
    """
    changed = [] if force else changed_files(out)
    if changed:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        raise ParameterError(
            f"{out} holds a design of which {', '.join(changed[:3])}{more} changed since it was "
            "written: name another folder, or discard the changes with --force"
        )
    try:
        if (out / "design.json").is_file():
            _remove_design(out, files)
        for name, text in files.items():
            path = out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ParameterError(
            f"{out} cannot be written ({error.strerror}): name a folder that can with --out"
        ) from None


def _remove_design(out: Path, kept: dict[str, str]) -> None:
    """Removes what an earlier design wrote under names that ``kept`` does not have."""
    kinds = [(folder, "sv*") for folder in ("rtl", MODELS, "testbench")] + [("testbench", "py")]
    kinds += [(".", kind) for kind in ("py", "core", "tcl", "xdc", "qsf", "sdc", "xml")]
    texts = [p for folder, kind in kinds for p in out.glob(f"{folder}/*.{kind}")]
    marks = tuple(f"{first}{_MARK[2:]}".encode() for first in ("//", "#", "CAPI=2:\n#"))
    mine = [p for p in texts if p.read_bytes().startswith((*marks, BEGINNING.encode()))]
    mine += [p for folder in ("twiddles", "tables") for p in out.glob(f"{folder}/*.hex")]
    for path in mine:
        if path.relative_to(out).as_posix() not in kept:
            path.unlink()


_MARK = "// nttforge design\n"


def comment_marks(text: str) -> str:
    """Comments of Verilog as Python and Tcl have them."""
    return re.sub(r"^//", "#", text, flags=re.MULTILINE)


def _header(parameters: dict[str, Any], command: str) -> Callable[[bool], str]:
    """The header of a file, which is generated or written by hand."""
    lines = parameter_lines(parameters)
    if command:
        lines.append(f"made by: {command}")
    rest = "".join(f"// {line}\n" for line in lines) + "\n"
    kinds = ("written by hand", "generated for this design, under the licence of the others")
    by = made_by()

    def header(generated: bool) -> str:
        return f"{_MARK}{LICENCE}// {by}, {kinds[generated]}\n{rest}"

    return header
