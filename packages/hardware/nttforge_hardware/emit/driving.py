# SPDX-License-Identifier: Apache-2.0
"""How software runs a design behind DMA ports: the text of its README."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..plan.keyswitch import PARTS
from .engine_dma import element_bytes

_ENGINES = """`driver/nttf_engine.h` is the driver in C, over four functions of the user: two for
the registers, two for DMA. The `_layout.h` beside it tells it the sizes.
`nttforge_hardware.driver.EngineDriver` is the same in Python."""

_BURST = """`driver/nttf_burst.h` is the driver in C: `nttf_burst_push` puts a descriptor into the
queue, `nttf_burst_done` counts those that are done. nttf_engine.h beside it makes tables and
arranges frames; the `_layout.h` tells it the sizes. A row of frames needs no more than their
descriptors: the next frame is read while one is computed, and the last result is written
meanwhile."""

_FRAMES = {
    "s": "a polynomial, values",
    "k": "its key, digit by digit",
    "m": "the result, coefficients of part 0, then of part 1",
}


def switch_frames(parameters: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Words of a frame and residues of a word at each port of a key-switching pipeline.

    Examples
    --------
    >>> switch_frames({"n": 64, "dp": 2, "moduli": [1, 2], "special": [3], "digit_primes": 1})
    {'s': (32, 4), 'k': (64, 12), 'm': (64, 4)}
    """
    words, limbs = parameters["n"] // parameters["dp"], len(parameters["moduli"])
    digits = -(-limbs // parameters["digit_primes"])
    residues = limbs * parameters["dp"]
    of_key = PARTS * (limbs + len(parameters["special"])) * parameters["dp"]
    return {"s": (words, residues), "k": (digits * words, of_key), "m": (PARTS * words, residues)}


def driving(parameters: Mapping[str, Any], burst: bool = False) -> str:
    """What a program does, step by step; ``parameters`` are those of the manifest.

    ``burst``: the engines read and write memory by themselves.
    """
    if parameters["kind"] != "keyswitch":
        return _BURST if burst else _ENGINES
    size = element_bytes(parameters["bits"])
    frames = switch_frames(parameters)
    table = "| port | frame | words | residues of a word | bytes |\n| --- | --- | --- | --- | --- |"
    for port, what in _FRAMES.items():
        words, residues = frames[port]
        table += f"\n| `{port}_axis` | {what} | {words} | {residues} | {words * residues * size} |"
    factor = (
        "; those of keys with the factor that stands above"
        if parameters["core"] == "montgomery"
        else ""
    )
    return f"""A residue takes {size} bytes in memory, the lowest first{factor}.
Residue r of word w of a frame is at byte {size} (R w + r), R being the residues of a word. TLAST
goes with a frame's last word.

{table}

1. Read register 00: 0x4e545446 is there. Write 1 to 04 (a flush), then 3 to 08 (the error bits).
2. Begin a DMA of m_axis into memory for as many results as are asked for. A result that is not
   fetched stops the pipeline, and no word is lost.
3. Begin a DMA of k_axis: the keys of all operations, in their order. A key that is not there stops
   the pipeline.
4. Begin a DMA of s_axis: polynomial after polynomial, in the same order. The next one may be sent
   while one is computed.
5. When the results are in memory, read 08: bits 0 and 1 must be 0. Registers 1c and 20 count
   polynomials and results. After an error end the DMAs, write 1 to 04 and 3 to 08, and send again
   what was not finished.

In Python, `KeySwitchDesign.key_words` gives the words of a key,
`KeySwitchDesign.engines.port_words` those of a limb. `nttforge rtl layout .` says these sizes, and
with `--bits-out FOLDER` writes the bytes of the test vectors for all three ports."""
