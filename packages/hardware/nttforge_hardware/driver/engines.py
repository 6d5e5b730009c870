# SPDX-License-Identifier: Apache-2.0
"""The driver of engines with loaded moduli; nttf_engine.h is the same in C."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence

from nttforge.errors import ParameterError, SizeError, UnsupportedError

from ..emit.engine_dma import ENGINE_AT, SET_AT, element_bytes
from ..plan.engine import EngineDesign
from .bus import FRAMES, TABLES, Bus

IDENTITY, CONTROL, STATUS, SIZES = 0x00, 0x04, 0x08, 0x0C
TAKEN, GIVEN = 0x1C, 0x20


class EngineDriver:
    """Loads moduli and runs transforms over a bus.

    Parameters
    ----------
    bus : Bus
    design : EngineDesign
        What is behind the bus.

    Raises
    ------
    UnsupportedError
        If something else answers.

    Notes
    -----
    A modulus takes a free set, or the one that was used longest ago. Results come in the order in
    which transforms were begun.
    """

    def __init__(self, bus: Bus, design: EngineDesign) -> None:
        p = design.parameters
        self.bus, self.design = bus, design
        self._type = {4: "I", 8: "Q"}[element_bytes(p.bits)]
        assert array(self._type).itemsize == element_bytes(p.bits) and sys.byteorder == "little"
        self._sets: dict[int, tuple[int, int]] = {}  # of each modulus, the last used last
        wanted = [0x4E545446, p.n, p.dp, p.engines * p.sets, p.bits]
        found = [bus.read(IDENTITY), *(bus.read(SIZES + 4 * i) for i in range(4))]
        if found != wanted:
            raise UnsupportedError(f"the bus answers {found}, these engines have {wanted}")
        bus.write(CONTROL, 1)
        bus.write(STATUS, 3)

    def load(self, q: int) -> tuple[int, int]:
        """The engine and set of ``q``, which is loaded where it is not there yet.

        No transform modulo another prime may be under way that would lose its set.
        """
        p = self.design.parameters
        if q in self._sets:
            self._sets[q] = self._sets.pop(q)
            return self._sets[q]
        number = len(self._sets)
        place = self.design.place(number)
        if number == p.engines * p.sets:
            place = self._sets.pop(next(iter(self._sets)))
        half = p.dp // 2
        words = self.design.table(q, *place)
        mask = (1 << p.bits) - 1
        lanes = [w >> (b * p.bits) & mask for w in words for b in range(half)]
        self.bus.send(TABLES, 0, array(self._type, lanes).tobytes())
        self._sets[q] = place
        return place

    def transform(self, q: int, rows: Sequence[bytes], direction: str = "forward") -> list[bytes]:
        """Transforms of rows modulo ``q``.

        Parameters
        ----------
        q : int
        rows : sequence of bytes
            n residues below q each, of 4 bytes, or 8 where moduli have more than 32 bits: frames,
            in the order of the ports (``port_order``).
        direction : {"forward", "inverse"}

        Returns
        -------
        list of bytes
            Frames of the results.
        """
        return self.run([(q, row, direction) for row in rows])

    def run(self, frames: Sequence[tuple[int, bytes, str]]) -> list[bytes]:
        """Several frames, each with its modulus and direction, begun before any result is awaited.

        Raises
        ------
        UnsupportedError
            If the status tells of an error.
        """
        p = self.design.parameters
        size = p.n * element_bytes(p.bits)
        distinct = list(dict.fromkeys(q for q, _, _ in frames))
        if len(distinct) > p.engines * p.sets:
            raise ParameterError(
                f"{len(distinct)} moduli at a time: these engines hold {p.engines * p.sets}"
            )
        for q in distinct:
            self.load(q)
        for q, row, direction in frames:
            if len(row) != size:
                raise SizeError(f"a frame has {len(row)} bytes: need {size}")
            engine, number = self._sets[q]
            user = (direction == "inverse") | number << SET_AT | engine << ENGINE_AT
            self.bus.send(FRAMES, user, row)
        results = [self.bus.receive(size) for _ in frames]
        status = self.bus.read(STATUS)
        if status & 3:
            self.bus.write(CONTROL, 1)
            self.bus.write(STATUS, 3)
            what = ["a frame or table ended wrongly", "a residue was not below its modulus"]
            raise UnsupportedError(" and ".join(w for i, w in enumerate(what) if status >> i & 1))
        return results
