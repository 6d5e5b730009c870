# SPDX-License-Identifier: Apache-2.0
"""A LiteX SoC with engines of nttforge for the ULX3S board (LFE5U-85F), and its firmware.

  python soc.py FOLDER --clock-mhz 50

FOLDER has what nttforge_hardware.tools.board writes: the design in engine/, the known answers in
firmware/answers.h. This adds firmware/soc.h (addresses), firmware/firmware.bin and gateware/
(board.v, board.lpf, memory contents, sources.txt). It needs litex, litex-boards, a CPU's Verilog
and ziglang, whose clang compiles for RISC-V: requirements-board.txt.

VexRiscv (RV32IM, no data cache) runs from a ROM. A DMA reads frames and tables from the SoC's
RAM and another one writes results there, both over its 32-bit bus.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from litex.build.lattice.trellis import LatticeTrellisToolchain
from litex.gen import ClockDomain, LiteXModule
from litex.soc.cores.clock import ECP5PLL
from litex.soc.cores.dma import WishboneDMAReader, WishboneDMAWriter
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import axi, stream, wishbone
from litex.soc.interconnect.csr import CSRStatus, CSRStorage
from litex_boards.platforms import radiona_ulx3s
from migen import Cat, ClockSignal, If, Instance, ResetSignal, Signal
from ports import engine_ports

HERE = Path(__file__).resolve().parent
ROM_BYTES, RAM_BYTES = 0x8000, 0x10000
#: Registers of the engines; uncached, as all addresses from 0x80000000 on.
ENGINES = SoCRegion(origin=0x90000000, size=0x1000, cached=False)


class Clock(LiteXModule):
    """The system's clock, made of the board's 25 MHz; button F1 resets."""

    def __init__(self, platform, frequency):
        self.rst = Signal()  # of the SoC's own reset register
        self.cd_sys = ClockDomain()
        self.pll = ECP5PLL()
        self.comb += self.pll.reset.eq(platform.request("user_btn", 1) | self.rst)
        self.pll.register_clkin(platform.request("clk25"), 25e6)
        self.pll.create_clkout(self.cd_sys, frequency, margin=0)


class Engines(LiteXModule):
    """The module NAME_dma with a DMA in each direction and a counter of cycles.

    Registers: send_base, send_bytes, send_user (TUSER of a frame), send_table (1: a table);
    send_enable starts with 1, send_done follows, and 0 makes ready for the next; receive_*
    likewise.
    """

    def __init__(self, platform, folder):
        manifest = json.loads((folder / "design.json").read_text())
        lanes, bits = manifest["parameters"]["dp"], 32
        self.bus = axi.AXILiteInterface(data_width=32, address_width=32)
        # Words are what the CPU writes: bytes are not turned round.
        self.reader = WishboneDMAReader(wishbone.Interface(data_width=32), endianness="big")
        self.writer = WishboneDMAWriter(wishbone.Interface(data_width=32), endianness="big")
        self.send_user = CSRStorage(24, name="send_user")
        self.send_table = CSRStorage(name="send_table")
        self.frames = stream.Converter(bits, lanes * bits)
        self.tables = stream.Converter(bits, lanes // 2 * bits)
        self.results = stream.Converter(lanes * bits, bits)
        frames, tables, results = self.frames.source, self.tables.source, self.results.sink
        for name, dma in (("send", self.reader), ("receive", self.writer)):
            dma.add_ctrl()
            for what, size in (("base", 32), ("bytes", 32), ("enable", 1)):
                setattr(self, f"{name}_{what}", CSRStorage(size, name=f"{name}_{what}"))
            setattr(self, f"{name}_done", CSRStatus(name=f"{name}_done"))
            # Done is when the last word has left, and the next frame may have another TUSER.
            left = ~(dma.source.valid | frames.valid | tables.valid) if name == "send" else 1
            self.comb += [
                dma.base.eq(getattr(self, f"{name}_base").storage),
                dma.length.eq(getattr(self, f"{name}_bytes").storage),
                dma.enable.eq(getattr(self, f"{name}_enable").storage),
                getattr(self, f"{name}_done").status.eq(dma.done & left),
            ]
        self.cycles = CSRStatus(32)
        self.sync += self.cycles.status.eq(self.cycles.status + 1)

        self.comb += [
            If(self.send_table.storage, self.reader.source.connect(self.tables.sink)).Else(
                self.reader.source.connect(self.frames.sink)
            ),
            self.results.source.connect(self.writer.sink, omit={"last"}),
        ]
        ports = engine_ports(self.bus, frames, tables, results, self.send_user.storage)
        ports |= {"i_aclk": ClockSignal("sys"), "i_aresetn": ~ResetSignal("sys")}
        self.specials += Instance(manifest["top"].removesuffix("_top") + "_dma", **ports)


class Board(SoCCore):
    """The whole SoC: CPU, ROM, RAM, UART, eight lights, engines."""

    def __init__(self, platform, folder, frequency):
        self.crg = Clock(platform, frequency)
        super().__init__(
            platform,
            frequency,
            cpu_type="vexriscv",
            cpu_variant="lite",
            ident="nttforge",
            integrated_rom_size=ROM_BYTES,
            integrated_sram_size=RAM_BYTES,
            uart_baudrate=115200,
            with_timer=False,
        )
        self.ntt = Engines(platform, folder)
        self.bus.add_slave("engines", self.ntt.bus, ENGINES)
        self.bus.add_master("ntt_send", self.ntt.reader.bus)
        self.bus.add_master("ntt_receive", self.ntt.writer.bus)
        self.lights = Lights(platform)
        # Keeps the board's other processor from taking it over.
        self.comb += platform.request("wifi_gpio0").eq(1)


class Lights(LiteXModule):
    """Eight lights that software sets."""

    def __init__(self, platform):
        self.out = CSRStorage(8)
        self.comb += Cat(*(platform.request("user_led", i) for i in range(8))).eq(self.out.storage)


def header(soc):
    """soc.h: addresses, as the firmware takes them."""
    said = json.loads(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))
    lines = [f"#define {name.upper()} 0x{register['addr']:08x}u"
             for name, register in said["csr_registers"].items()]  # fmt: skip
    lines.append(f"#define ENGINES_BASE 0x{ENGINES.origin:08x}u")
    lines.append(f"#define CLOCK_HZ {int(soc.sys_clk_freq)}u")
    return "/* Addresses of the SoC, by soc.py. */\n" + "\n".join(lines) + "\n"


def linker_script(soc):
    """Code and constants in ROM, what is zero at first and the stack in RAM; nothing is copied."""
    rom, ram = soc.mem_regions["rom"], soc.mem_regions["sram"]
    return f"""ENTRY(_start)
SECTIONS {{
  . = 0x{rom.origin:08x};
  .text : {{ KEEP(*(.start)) *(.text .text.*) *(.rodata .rodata.* .srodata .srodata.*) }}
  ASSERT(. <= 0x{rom.origin + rom.size:08x}, "the firmware is larger than the ROM")
  .data : {{ *(.data .data.* .sdata .sdata.*) }}
  ASSERT(SIZEOF(.data) == 0, "the firmware has variables with first values: nobody copies them")
  . = 0x{ram.origin:08x};
  .bss (NOLOAD) : {{ _bss = .; *(.bss .bss.* .sbss .sbss.* COMMON) . = ALIGN(4); _bss_end = .; }}
  _stack = 0x{ram.origin + ram.size:08x};
  ASSERT(_bss_end + 0x1000 <= _stack, "no room for the stack")
  /DISCARD/ : {{ *(.eh_frame*) *(.comment) *(.riscv.attributes) *(.note*) }}
}}
"""


def compile_firmware(folder):
    """firmware.bin of firmware.c, by zig's clang and lld."""
    zig = [sys.executable, "-m", "ziglang"]
    elf, binary = folder / "firmware.elf", folder / "firmware.bin"
    flags = ["-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-mabi=ilp32", "-O2"]
    flags += ["-std=c11", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fno-sanitize=all"]
    flags += ["-fno-stack-protector", "-ffunction-sections", "-nostdlib", "-static", "-g0"]
    flags += ["-I", str(folder), "-I", str(folder.parent / "engine" / "driver")]
    flags += ["-Wl,-T," + str(folder / "firmware.ld"), "-Wl,--gc-sections"]
    source = str(HERE / "firmware.c")
    subprocess.run([*zig, "cc", *flags, source, "-lcompiler_rt", "-o", str(elf)], check=True)
    subprocess.run([*zig, "objcopy", "-O", "binary", str(elf), str(binary)], check=True)
    return binary.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--clock-mhz", type=float, default=50.0)
    options = parser.parse_args()
    folder = options.folder.resolve()
    platform = radiona_ulx3s.Platform(device="LFE5U-85F", revision="2.0", toolchain="trellis")
    soc = Board(platform, folder / "engine", int(options.clock_mhz * 1e6))
    soc.finalize()

    firmware = folder / "firmware"
    (firmware / "soc.h").write_text(header(soc))
    (firmware / "firmware.ld").write_text(linker_script(soc))
    code = compile_firmware(firmware)
    code += bytes(-len(code) % 4)
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    soc.init_rom("rom", words, auto_size=False)

    gateware = folder / "gateware"
    platform.build(soc, build_dir=str(gateware), build_name="board", run=False)
    sources = [str(source[0]) for source in platform.sources]
    (gateware / "sources.txt").write_text("".join(f"{source}\n" for source in sources))
    parsed = LatticeTrellisToolchain.nextpnr_ecp5_parse_device(None, platform.device)
    soc_facts = {
        "device": platform.device,
        "size": LatticeTrellisToolchain.nextpnr_ecp5_architectures[f"{parsed[0]}-{parsed[1]}"],
        "speed": parsed[2],
        "package": parsed[3],
        "clock_mhz": options.clock_mhz,
        "firmware_bytes": len(code),
    }
    (gateware / "soc.json").write_text(json.dumps(soc_facts, indent=2) + "\n")


if __name__ == "__main__":
    main()
