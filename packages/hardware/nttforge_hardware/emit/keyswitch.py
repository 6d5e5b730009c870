# SPDX-License-Identifier: Apache-2.0
"""The files of a key-switching pipeline: engines of all primes, top level, vectors."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..plan.keyswitch import KeySwitchDesign
from ..plan.keyswitch_timing import KeyMemory, key_rate, operation_times, predict_switch
from .files import Emission, assemble, limb_files, ramb18_of_images
from .keyswitch_dma import switch_dma_module
from .keyswitch_top import keyswitch_top
from .keyswitch_vectors import switch_vectors
from .verilog import wrong_word


def keyswitch_files(
    design: KeySwitchDesign,
    command: str = "",
    operations: int = 3,
    seed: int = 1,
    name: str = "ntt",
    folder: str = "",
    prefix: str = "",
    axi: bool = False,
    memory: KeyMemory | None = None,
    mhz: float = 250,
) -> dict[str, str]:
    """Every file of a design by its name.

    Parameters
    ----------
    design : KeySwitchDesign
    command : str
        Written into the headers.
    operations : int
        That the testbench runs back to back.
    seed : int
        Of the test vectors.
    name, folder, prefix
        As those of ``design_files``.
    axi : bool
        Also a module ``<name>_dma`` with AXI ports.
    memory : KeyMemory, optional
        The testbench then also gives keys at its rate, and the manifest says what they cost.
    mhz : float
        Clock of the design, which the rate of a memory is compared with.
    """
    p, name = design.parameters, prefix + name
    rate = key_rate(design, memory, mhz) if memory else None
    files = limb_files(design.engines, name, folder)
    files[f"rtl/{name}_top.sv"] = keyswitch_top(design, name)
    if axi:
        files[f"rtl/{name}_dma.sv"] = switch_dma_module(design, name)
    keys = min(operations, 2 if p.n <= 1024 else 1)
    files |= switch_vectors(design, operations, keys, seed)
    plain = operation_times(design, operations)
    rated = operation_times(design, operations, rate)
    files["testbench/operations.hex"] = "".join(
        f"{b.last_out:08x}{b.first_in:08x}{a.last_out:08x}{a.first_in:08x}\n"
        for a, b in zip(plain, rated, strict=True)
    )
    found = predict_switch(design, rate)
    predicted: dict[str, Any] = {
        "latency_cycles": {"forward": found.latency},
        "interval_cycles": found.interval,
        "cores_busy": round(design.busy, 4),
        "core_latency_cycles": design.engines.core_latency,
        "dsps": design.dsps,
        "dsp_block": p.pipeline.block,
        "memory_bits": design.memory_bits,
        "ramb18": design.ramb18
        - design.engines.ramb18
        + ramb18_of_images(design.engines, files, name),
        "block_memories": design.block_memories,
        "bytes_moved": design.bytes_moved(),
    }
    if memory and rate:
        predicted["memory"] = {
            **memory.describe(),
            "design_mhz": mhz,
            "gb_per_second": round(float(memory.bytes_per_second) / 1e9, 3),
            "key_words": rate.words,
            "key_cycles": rate.cycles,
            "latency_cycles": found.latency_stalled,
            "interval_cycles": found.interval_stalled,
            "stalled_cycles_by_digit": list(found.stalled),
        }
    bench: dict[str, int | str] = {
        "WORD_BITS": design.word_bits,
        "KEY_BITS": design.key_bits,
        "WORDS": p.words,
        "DIGITS": p.digits,
        "TRANSFORMS": operations,
        "KEYS": keys,
        "INTERVAL": design.interval_cycles,
        "WRONG": wrong_word(p.moduli, p.dp, p.bits),
        "WRONG_KEY": wrong_word((*p.everything, *p.everything), p.dp, p.bits),
        "RATED": int(rate is not None),
        "KEY_WORDS": rate.words if rate else 1,
        "KEY_CYCLES": rate.cycles if rate else 1,
        "KEY_LATENCY": rate.latency if rate else 0,
        "LIMIT": 1000 + 8 * max(plain[-1].last_out, rated[-1].last_out),
    }
    fields: dict[str, Any] = {"kind": "keyswitch", **asdict(p), "core": design.cores[0].kind}
    fields |= {"bits": p.bits, "moduli": list(p.moduli), "special": list(p.special)}
    return assemble(
        Emission(command, operations, seed, name, folder, prefix),
        fields,
        files,
        predicted,
        bench,
        family=p.pipeline.tile.family,
        checker="check_keyswitch",
        more_tops=[f"{name}_dma"] if axi else [],
    )
