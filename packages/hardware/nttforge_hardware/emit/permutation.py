# SPDX-License-Identifier: Apache-2.0
"""Writes a stand-alone permutation: Verilog, tables, testbench, vectors, manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from ..plan.memories import block_memories, image_memories
from ..plan.permutation import PermutationDesign, PermutationParameters, table_image, test_frames
from .axi import axi_module, tdata_layout
from .files import Emission, assemble
from .stream_top import StreamTop
from .vectors import words_text
from .verilog import width_of


def permutation_files(
    design: PermutationDesign,
    command: str = "",
    frames: int | None = None,
    seed: int = 1,
    name: str = "permutation",
    folder: str = "",
    axi: bool = False,
    prefix: str = "",
    tdata: str = "packed",
    names: Sequence[str] = (),
) -> dict[str, str]:
    """Every file of a permutation by its name; arguments as those of ``design_files``.

    ``names`` are those of the permutations, for README and report.
    """
    p, name = design.parameters, prefix + name
    count = len(p.sources)
    frames = count * 3 + 2 if frames is None else frames
    images = _images(design)
    files = {f"tables/{name}_{k}.hex": text for k, text in images.items()}
    files[f"rtl/{name}_top.sv"] = _top(design, name, folder)
    if axi:
        files[f"rtl/{name}_axi.sv"] = axi_module(_shared(design, name), p.n, p.dp, 1, tdata)
    given = test_frames(p, frames, seed)
    wanted = [design.compute(frame, i % count) for i, frame in enumerate(given)]
    for port, data in (("input", given), ("output", wanted)):
        words = [[[f[t * p.dp : (t + 1) * p.dp] for t in range(p.words)]] for f in data]
        files[f"testbench/{port}.hex"] = words_text(words, p.bits)
    return assemble(
        Emission(command, frames, seed, name, folder, prefix),
        {
            "kind": "permutation",
            "n": p.n,
            "dp": p.dp,
            "bits": p.bits,
            "permutations": count,
            **(
                {"named": ", ".join(f"{k}: {each}" for k, each in enumerate(names))}
                if names
                else {}
            ),
            "pipeline": asdict(p.pipeline),
        },
        files,
        {
            "latency_cycles": {"forward": design.latency_cycles},
            "interval_cycles": p.words,
            "dsps": 0,
            "ramb18": permutation_ramb18(design, images),
            "block_memories": design.block_memories,
        },
        _shared(design, name).bench_parameters(frames, CHOICES=count),
        ((".s_inverse(", ".s_select("),),
        layout=tdata_layout(_shared(design, name), tdata),
    )


def permutation_ramb18(design: PermutationDesign, images: dict[str, str] | None = None) -> int:
    """Block memories of Xilinx devices; constant columns of the images take none."""
    number, width, words = design.memories["frames"]
    images = _images(design) if images is None else images
    rows = [[int(line, 16) for line in text.split()] for text in images.values()]
    return number * block_memories(width, words) + sum(map(image_memories, rows))


def _images(design: PermutationDesign) -> dict[str, str]:
    p = design.parameters
    settings_in, addresses, settings_out = [], [], []
    for route in design.routes:
        settings_in += [[int(s) for layer in row for s in layer] for row in route.settings_in]
        settings_out += [[int(s) for layer in row for s in layer] for row in route.settings_out]
        addresses += route.addresses
    return {
        "in": table_image(settings_in, 1),
        "read": table_image(addresses, width_of(p.words)),
        "out": table_image(settings_out, 1),
    }


def _shared(design: PermutationDesign, name: str) -> StreamTop:
    p = design.parameters
    word = p.dp * p.bits
    note = "which permutation, with a frame's first word"
    return StreamTop(
        name,
        word,
        word,
        p.words,
        p.words,
        design.latency_cycles,
        (0,),
        p.dp,
        p.bits,
        frame="frame",
        choice=("s_select", width_of(len(p.sources)), note),
        registered=bool(p.pipeline.enable_regs),
    )


def _numbers(p: PermutationParameters) -> str:
    """The permutations by number: where the first words that come out were."""
    text = ""
    for number, source in enumerate(p.sources):
        first = ", ".join(map(str, source[:12])) + (" ..." if p.n > 12 else "")
        text += f"// Permutation {number}: out come numbers {first}\n"
    return text


def _top(design: PermutationDesign, name: str, folder: str) -> str:
    p = design.parameters
    count = len(p.sources)
    images = {k: f'"{folder}tables/{name}_{k}.hex"' for k in ("in", "read", "out")}
    return f"""// {p.n} words of {p.bits} bits, {p.dp} a cycle, lane 0 lowest: lane l of word t is
// number t * {p.dp} + l.
{_numbers(p)}// First word in to last word out, without stalls: {design.latency_cycles} cycles.
{_shared(design, name).opening()}  nttf_permutation #(
    .DATA_BITS({p.bits}), .LANES({p.dp}), .WORDS({p.words}), .PERMUTATIONS({count}),
    .DELAY({design.delay}),
    .IMAGE_IN({images["in"]}), .IMAGE_READ({images["read"]}),
    .IMAGE_OUT({images["out"]})
  ) u_permutation (
    .clk(clk), .reset(clear), .enable(enable), .in_valid(entry_valid), .in_first(entry_first),
    .in_select(entry_choice), .in_data(entry_word), .out_valid(exit_valid_0), .out_data(exit_word)
  );
endmodule
"""
