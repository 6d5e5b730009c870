# SPDX-License-Identifier: Apache-2.0
"""The design behind its AXI ports in cocotb, driven by cocotbext-axi's masters and slaves.

    pip install cocotb cocotbext-axi
    python testbench/cocotb_axi.py

runs it in Icarus Verilog.
"""

import itertools
import json
import os
import random
import sys
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, with_timeout
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

FOLDER = Path(__file__).resolve().parents[1]
MANIFEST = json.loads((FOLDER / "design.json").read_text())
BENCH = MANIFEST["testbench"]["parameters"]
TOP = MANIFEST["top"].removesuffix("_top") + "_axi"
TDATA = MANIFEST["tdata"]
CONTROL, STATUS, TAKEN, GIVEN = 0x04, 0x08, 0x1C, 0x20
SEED = int(os.environ.get("SEED", "1"))


def spread(word):
    """A packed word with its residues where TDATA has them."""
    bits, lane = TDATA["field_bits"], TDATA["lane_bits"]
    fields = max(TDATA["in_fields"], TDATA["out_fields"])
    mask = (1 << bits) - 1
    return sum((word >> f * bits & mask) << f * lane for f in range(fields))


class Bench:
    """The design with a clock, a register port and both streams."""

    def __init__(self, dut):
        self.dut = dut
        cocotb.start_soon(Clock(dut.aclk, 10, "ns").start())
        reset = {"reset": dut.aresetn, "reset_active_level": False}
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, **reset)
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.aclk, **reset)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.aclk, **reset)
        self.taken_bytes = len(dut.s_axis_tdata) // 8
        self.given_bytes = len(dut.m_axis_tdata) // 8

    async def reset(self):
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 5)
        await FallingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 2)

    def frames(self, port, width):
        """The bytes of every frame of a port's vectors, word by word, lowest byte first."""
        words = [int(x, 16) for x in (FOLDER / "testbench" / f"{port}.hex").read_text().split()]
        size = BENCH["WORDS"]
        tdata = [spread(word).to_bytes(width, "little") for word in words]
        return [b"".join(tdata[at : at + size]) for at in range(0, len(words), size)]

    async def transform_all(self):
        """Sends every frame with its choice and compares what comes back."""
        given = self.frames("input", self.taken_bytes)
        wanted = self.frames("output", self.given_bytes)
        before = await self.registers.read_dword(GIVEN)
        for number, (sent, expected) in enumerate(zip(given, wanted, strict=True)):
            choice = number >= BENCH["INVERSE_FROM"]
            if BENCH["CHOICES"] > 1:
                choice = number % BENCH["CHOICES"]
            await self.registers.write_dword(CONTROL, 2 * int(choice))
            await self.source.send(AxiStreamFrame(sent))
            back = await with_timeout(self.sink.recv(), 1, "ms")
            assert bytes(back.tdata) == expected, f"transform {number}"
        assert await self.registers.read_dword(GIVEN) == before + len(wanted)
        assert await self.registers.read_dword(STATUS) == 0


@cocotb.test()
async def registers(dut):
    """Identity and sizes, and answers to addresses that are none."""
    bench = Bench(dut)
    await bench.reset()
    assert await bench.registers.read_dword(0x00) == int.from_bytes(b"NTTF", "big")
    assert await bench.registers.read_dword(0x0C) == MANIFEST["parameters"]["n"]
    assert (await bench.registers.read(0x24, 4)).resp == AxiResp.SLVERR
    assert (await bench.registers.write(0x0C, bytes(4))).resp == AxiResp.SLVERR


@cocotb.test()
async def transforms(dut):
    """Every frame of the vectors."""
    bench = Bench(dut)
    await bench.reset()
    await bench.transform_all()


@cocotb.test()
async def queued_frames(dut):
    """Frames with their choices in TUSER, directions in turn, all sent before one is awaited."""
    bench = Bench(dut)
    await bench.reset()
    given = bench.frames("input", bench.taken_bytes)
    wanted = bench.frames("output", bench.given_bytes)
    first = BENCH["INVERSE_FROM"]
    order = [k for pair in zip(range(first), range(first, len(given)), strict=False) for k in pair]
    for k in order or range(len(given)):
        choice = k % BENCH["CHOICES"] if BENCH["CHOICES"] > 1 else int(k >= first)
        await bench.source.send(AxiStreamFrame(given[k], tuser=choice))
    for k in order or range(len(given)):
        back = await with_timeout(bench.sink.recv(), 1, "ms")
        assert bytes(back.tdata) == wanted[k], f"transform {k}"


@cocotb.test()
async def pauses(dut):
    """The same with handshakes that pause at random on every channel."""
    bench = Bench(dut)
    source = random.Random(SEED)
    channels = [bench.source, bench.sink]
    write, read = bench.registers.write_if, bench.registers.read_if
    channels += [write.aw_channel, write.w_channel, write.b_channel]
    channels += [read.ar_channel, read.r_channel]
    for channel in channels:
        pattern = [source.randrange(4) == 0 for _ in range(997)]
        channel.set_pause_generator(itertools.cycle(pattern))
    await bench.reset()
    await bench.transform_all()


@cocotb.test()
async def a_wrong_last(dut):
    """A frame that ends too early is reported, and a flush makes the design usable again."""
    bench = Bench(dut)
    await bench.reset()
    await bench.source.send(AxiStreamFrame(bytes(bench.taken_bytes)))
    await bench.source.wait()
    await ClockCycles(dut.aclk, 2)
    assert await bench.registers.read_dword(STATUS) == 0b101
    await bench.registers.write_dword(CONTROL, 1)
    await bench.registers.write_dword(STATUS, 1)
    assert await bench.registers.read_dword(STATUS) == 0
    await bench.transform_all()


def main():
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    runner = get_runner("icarus")
    sources = [FOLDER / name for name in (FOLDER / "design.f").read_text().split()]
    sources += sorted((FOLDER / "models").glob("*.sv"))
    build = FOLDER / "build_cocotb"
    runner.build(
        sources=sources, hdl_toplevel=TOP, build_dir=build, timescale=("1ns", "1ps"), always=True
    )
    results = runner.test(
        hdl_toplevel=TOP,
        test_module=Path(__file__).stem,
        build_dir=build,
        test_dir=FOLDER,
        results_xml=str(build / "results.xml"),
    )
    tests, failed = get_results(results)
    print(f"{tests - failed} of {tests} cocotb tests passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
