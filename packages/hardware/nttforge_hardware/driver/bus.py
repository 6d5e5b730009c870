# SPDX-License-Identifier: Apache-2.0
"""What a driver reaches a design by, and the bus of a design that Verilator compiled."""

from __future__ import annotations

import contextlib
import functools
import shutil
import struct
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import IO, Protocol

from nttforge import _processes
from nttforge.errors import UnsupportedError

from ..emit.engine import engine_files
from ..emit.files import write_design
from ..emit.modules import MODELS, module_folder
from ..plan.engine import EngineDesign, EngineParameters, plan_engines
from ..plan.primes import usable_primes
from ..tools.verilate import build_program

#: Channels of words to the engines.
FRAMES, TABLES = 0, 1


class Bus(Protocol):
    """Registers and DMA channels; nttf_engine.h has the same four functions."""

    def read(self, address: int) -> int:
        """The 32 bits of a register."""
        ...

    def write(self, address: int, value: int) -> None:
        """Write a register."""

    def send(self, channel: int, user: int, words: bytes) -> None:
        """Send one frame or table behind those begun before on the same channel.

        May return before a frame is sent, but not before a table is: frames must not overtake it.
        """

    def receive(self, count: int) -> bytes:
        """Wait until so many bytes of results are there, and give them."""
        ...


class SimulatedBus:
    """A design that Verilator compiled, in a process of its own (rtl_server.cpp).

    It ends with this object. One thread at a time may use it.
    """

    def __init__(self, program: Path) -> None:
        held = contextlib.ExitStack()
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = held.enter_context(_processes.started([program], **pipes))
        assert process.stdin is not None and process.stdout is not None
        assert process.stderr is not None
        self._requests, self._answers = process.stdin, process.stdout
        self._complaints, self._process = process.stderr, process
        held.callback(_close, process.stdout, process.stderr, process.stdin)
        self._finalizer = weakref.finalize(self, held.close)

    def _ask(self, request: bytes, answer: int = 0) -> bytes:
        given = b""
        with contextlib.suppress(BrokenPipeError):
            self._requests.write(request)
            self._requests.flush()
            given = self._answers.read(answer) if answer else b""
        if len(given) != answer or self._process.poll() is not None:
            said = self._complaints.read().decode(errors="replace").strip()
            raise UnsupportedError(f"the simulated design has stopped: {said or 'no reason given'}")
        return bytes(given)

    def read(self, address: int) -> int:
        return int.from_bytes(self._ask(struct.pack("<BI", ord("r"), address), 4), "little")

    def write(self, address: int, value: int) -> None:
        self._ask(struct.pack("<BII", ord("w"), address, value))

    def send(self, channel: int, user: int, words: bytes) -> None:
        self._ask(struct.pack("<BIII", ord("s"), channel, user, len(words)) + words)

    def receive(self, count: int) -> bytes:
        return self._ask(struct.pack("<BI", ord("g"), count), count)

    @property
    def cycles(self) -> int:
        """Clock cycles since the design was started."""
        return int.from_bytes(self._ask(b"c", 8), "little")


def _close(*pipes: IO[bytes]) -> None:
    for pipe in pipes:
        with contextlib.suppress(BrokenPipeError):
            pipe.close()


@functools.lru_cache(maxsize=8)
def compiled_design(parameters: EngineParameters) -> tuple[EngineDesign, Path]:
    """The design of these parameters and its program, compiled once in this process.

    Raises
    ------
    UnsupportedError
        If Verilator or a C++ compiler is missing or fails.
    """
    design = plan_engines(parameters)
    folder = Path(tempfile.mkdtemp(prefix="nttforge-rtl-"))
    weakref.finalize(design, shutil.rmtree, folder, ignore_errors=True)
    moduli = usable_primes(parameters.n, parameters.bits, 1, parameters.ring)
    write_design(engine_files(design, moduli=moduli, axi=True), folder)
    server = module_folder("host") / "rtl_server.cpp"
    top = "ntt_dma"
    sources = ["rtl", MODELS]
    program = build_program(folder, folder / "build", top, [f"rtl/{top}.sv"], sources, server)
    return design, program
