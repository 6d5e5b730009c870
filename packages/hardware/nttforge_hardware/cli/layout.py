# SPDX-License-Identifier: Apache-2.0
"""``nttforge rtl layout``: the bytes that a DMA writes into a design and reads from it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge.errors import ParameterError

if TYPE_CHECKING:
    from ..emit.axi import TdataLayout


def add_actions(actions: Any) -> None:
    layout = actions.add_parser(
        "layout", help="the bytes that a DMA writes and reads, of a design with AXI ports"
    )
    layout.add_argument("folder", help="what generate --axi wrote")
    layout.add_argument(
        "--bits-out", metavar="FOLDER", help="also write them for every frame of the test vectors"
    )
    layout.add_argument("--json", action="store_true", help="machine-readable output")


def _layout(options: argparse.Namespace) -> int:
    from ..emit.axi import TdataLayout
    from ..emit.manifest import read_manifest

    folder = Path(options.folder)
    manifest = read_manifest(folder)
    dma = manifest["top"].removesuffix("_top") + "_dma"
    if manifest["parameters"]["kind"] == "keyswitch" and (folder / f"rtl/{dma}.sv").is_file():
        return _switch_layout(options, folder, manifest)
    fields = manifest.get("tdata")
    if not fields:
        raise ParameterError(
            f"the design in {folder} has no AXI ports for fixed moduli: generate a "
            "transform, product, dataflow, permutation or key switching with --axi; frames of "
            "loaded moduli are laid out by their driver, nttf_engine.h"
        )
    names = ("kind", "field_bits", "in_fields", "out_fields", "user_bits")
    layout = TdataLayout(*(fields[name] for name in names))
    bench = manifest["testbench"]["parameters"]
    words = {port: _words(folder, f"{port}put") for port in ("in", "out")}
    said = fields | {
        "words": bench["WORDS"],
        "in_frame_bytes": bench["WORDS"] * layout.in_bits // 8,
        "out_frame_bytes": bench["WORDS"] * layout.out_bits // 8,
        "frames": _frames(bench),
    }
    if options.bits_out:
        _write(_folder(options.bits_out), layout, words, said)
    if options.json:
        print(json.dumps(said, indent=2))
        return 0
    for port, bits, count in (
        ("in", layout.in_bits, layout.taken),
        ("out", layout.out_bits, layout.given),
    ):
        frame = said[f"{port}_frame_bytes"]
        print(f"{port}: {said['words']} words of {bits // 8} bytes, {frame} bytes a frame;")
        print(f"  {count} residues a word, number k in bits {layout.lane_bits} k ... ", end="")
        print(f"{layout.lane_bits} k + {layout.bits - 1}; the first word of the test vectors:")
        print(f"  {layout.word_bytes(words[port][0], port).hex(' ')}")
    print("Bytes are in the order of their addresses, the lowest byte of TDATA first. README.md")
    print("says which coefficient a residue is. A frame's choice is s_axis_tuser or the register.")
    if options.bits_out:
        print(f"{options.bits_out}: input.bin, output.bin, layout.json")
    return 0


#: Port of a key-switching pipeline -> the words of its test vectors.
_SWITCH_FILES = {"s": "input", "k": "keys", "m": "output"}


def _switch_layout(options: argparse.Namespace, folder: Path, manifest: dict[str, Any]) -> int:
    """The same of a key-switching pipeline: frames of whole elements at three ports."""
    from ..emit.driving import switch_frames
    from ..emit.engine_dma import element_bytes

    p = manifest["parameters"]
    bits, size = p["bits"], element_bytes(p["bits"])
    said: dict[str, Any] = {"residue_bits": bits, "residue_bytes": size, "ports": {}}
    data = {}
    for port, (words, residues) in switch_frames(p).items():
        name = _SWITCH_FILES[port]
        numbers = _words(folder, name)
        data[name] = b"".join(
            (word >> bits * r & (1 << bits) - 1).to_bytes(size, "little")
            for word in numbers
            for r in range(residues)
        )
        said["ports"][f"{port}_axis"] = {
            "words": words,
            "residues": residues,
            "frame_bytes": words * residues * size,
            "frames": len(numbers) // words,
            "test_vectors": f"{name}.bin",
        }
    if options.bits_out:
        out = _folder(options.bits_out)
        for name, content in data.items():
            (out / f"{name}.bin").write_bytes(content)
        (out / "layout.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    if options.json:
        print(json.dumps(said, indent=2))
        return 0
    for port, frame in said["ports"].items():
        print(
            f"{port}: {frame['words']} words of {frame['residues']} residues of {size} bytes, ",
            end="",
        )
        print(f"{frame['frame_bytes']} bytes a frame; {frame['frames']} in the test vectors")
    print("Residues are in the order of README.md, the lowest byte of each first.")
    if options.bits_out:
        print(f"{options.bits_out}: input.bin, keys.bin, output.bin, layout.json")
    return 0


def _words(folder: Path, name: str) -> list[int]:
    text = (folder / "testbench" / f"{name}.hex").read_text(encoding="utf-8")
    return [int(word, 16) for word in text.split()]


def _frames(bench: dict[str, int]) -> list[dict[str, int]]:
    """Number and choice of every frame of the test vectors."""
    first, choices = bench["INVERSE_FROM"], bench["CHOICES"]
    return [
        {"frame": k, "user": k % choices if choices > 1 else int(k >= first)}
        for k in range(bench["TRANSFORMS"])
    ]


def _folder(name: str) -> Path:
    out = Path(name)
    if out.exists() and not out.is_dir():
        raise ParameterError(f"--bits-out = {out} is a file; name a folder")
    out.mkdir(parents=True, exist_ok=True)
    return out


def _write(
    out: Path, layout: TdataLayout, words: dict[str, list[int]], said: dict[str, Any]
) -> None:
    for port, values in words.items():
        (out / f"{port}put.bin").write_bytes(layout.frame_bytes(values, port))
    (out / "layout.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")


ACTIONS = {"layout": _layout}
