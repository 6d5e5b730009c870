# SPDX-License-Identifier: Apache-2.0
"""A LiteX SoC with engines of nttforge for the ULX3S board (LFE5U-85F), and its firmware.

  python soc.py FOLDER --clock-mhz 50 --engine-mhz 100

FOLDER has what nttforge_hardware.tools.board writes: the design in engine/, the known answers in
firmware/answers.h. This adds firmware/soc.h (addresses), firmware/firmware.bin and gateware/
(board.v, board.lpf, memory contents, sources.txt). It needs litex, litex-boards, a CPU's Verilog
and ziglang, whose clang compiles for RISC-V: requirements-board.txt.

VexRiscv (RV32IM, no data cache) runs from a ROM. Frames and tables lie in a memory of two ports
(burst_memory.sv): one is the CPU's, in its clock, the other one that of the engines, which read and
write it by themselves in AXI4 bursts, in a clock of their own. Both meet only in that memory, in
the registers of NAME_burst (through a crossing of AXI4-Lite) and in an interrupt.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from litex.build.lattice.trellis import LatticeTrellisToolchain
from litex.gen import ClockDomain, LiteXModule
from litex.soc.cores.clock import ECP5PLL
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import axi, wishbone
from litex.soc.interconnect.csr import CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from litex_boards.platforms import radiona_ulx3s
from migen import Cat, ClockSignal, Instance, ResetSignal, Signal
from migen.genlib.cdc import BusSynchronizer, MultiReg
from ports import axi4_bits, engine_ports, memory_ports

HERE = Path(__file__).resolve().parent
ROM_BYTES, RAM_BYTES = 0x8000, 0x10000
#: Registers of the engines; uncached, as all addresses from 0x80000000 on.
ENGINES = SoCRegion(origin=0x90000000, size=0x1000, cached=False)
#: What engines read and write; eight frames of 4 KiB.
FRAMES = SoCRegion(origin=0xA0000000, size=0x8000, cached=False)


class Clocks(LiteXModule):
    """The clocks of engines and system, made of the board's 25 MHz; button F1 resets."""

    def __init__(self, platform, frequency, engine_frequency):
        self.rst = Signal()  # of the SoC's own reset register
        self.cd_engine = ClockDomain()
        self.cd_sys = ClockDomain()
        self.pll = ECP5PLL()
        self.comb += self.pll.reset.eq(platform.request("user_btn", 1) | self.rst)
        self.pll.register_clkin(platform.request("clk25"), 25e6)
        self.pll.create_clkout(self.cd_engine, engine_frequency, margin=0)
        self.pll.create_clkout(self.cd_sys, frequency, margin=0)


class Engines(LiteXModule):
    """The module NAME_burst with its memory, an interrupt, and a counter of the engines' cycles."""

    def __init__(self, platform, folder):
        manifest = json.loads((folder / "design.json").read_text())
        beat = 32 * manifest["parameters"]["dp"]
        self.bus = axi.AXILiteInterface(data_width=32, address_width=32)
        self.frames = wishbone.Interface(data_width=32, addressing="word")
        registers = axi.AXILiteInterface(32, 32, clock_domain="engine")
        self.crossing = axi.AXILiteClockDomainCrossing(self.bus, registers, "sys", "engine")

        self.ev = EventManager()
        self.ev.done = EventSourceLevel(description="A marked descriptor is done, or an error.")
        self.ev.finalize()
        irq = Signal()
        self.specials += MultiReg(irq, self.ev.done.trigger, "sys")
        self.cycles = CSRStatus(32)
        count = Signal(32)
        self.crossed = BusSynchronizer(32, "engine", "sys")
        self.sync.engine += count.eq(count + 1)
        self.comb += [self.crossed.i.eq(count), self.cycles.status.eq(self.crossed.o)]

        channels = {
            name: Signal(bits, name=f"burst_{name}") for name, bits in axi4_bits(beat).items()
        }
        clock, reset = ClockSignal("engine"), ResetSignal("engine")
        ports = engine_ports(registers, channels, irq) | {"i_aclk": clock, "i_aresetn": ~reset}
        self.specials += Instance(manifest["top"].removesuffix("_top") + "_burst", **ports)

        # A word of the CPU is there a cycle after it is asked for.
        asked = self.frames.cyc & self.frames.stb & ~self.frames.ack
        self.sync += self.frames.ack.eq(asked)
        write = Signal(4)
        self.comb += write.eq(Cat(*(self.frames.sel[i] & self.frames.we for i in range(4))))
        address = self.frames.adr[: (FRAMES.size // 4 - 1).bit_length()]
        ports = memory_ports(self.frames, address, write, channels)
        ports |= {"i_a_clk": ClockSignal("sys"), "i_a_enable": asked}
        ports |= {"i_b_clk": clock, "i_b_reset": reset}
        parameters = {"p_DATA_BITS": beat, "p_BYTES": FRAMES.size, "p_BASE": FRAMES.origin}
        self.specials += Instance("burst_memory", **parameters, **ports)
        platform.add_source(str(HERE / "burst_memory.sv"))


class Board(SoCCore):
    """The whole SoC: CPU, ROM, RAM, UART, eight lights, engines and their memory."""

    def __init__(self, platform, folder, frequency, engine_frequency):
        self.crg = Clocks(platform, frequency, engine_frequency)
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
        self.bus.add_slave("frames", self.ntt.frames, FRAMES)
        self.irq.add("ntt")
        self.lights = Lights(platform)
        # Keeps the board's other processor from taking it over.
        self.comb += platform.request("wifi_gpio0").eq(1)


class Lights(LiteXModule):
    """Eight lights that software sets."""

    def __init__(self, platform):
        self.out = CSRStorage(8)
        self.comb += Cat(*(platform.request("user_led", i) for i in range(8))).eq(self.out.storage)


def header(soc, engine_frequency):
    """soc.h: addresses, as the firmware takes them."""
    said = json.loads(get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))
    lines = [f"#define {name.upper()} 0x{register['addr']:08x}u"
             for name, register in said["csr_registers"].items()]  # fmt: skip
    lines.append(f"#define FRAMES_BASE 0x{FRAMES.origin:08x}u")
    lines.append(f"#define FRAMES_BYTES 0x{FRAMES.size:08x}u")
    lines.append(f"#define NTT_IRQ {soc.irq.locs['ntt']}")
    lines.append(f"#define ENGINES_BASE 0x{ENGINES.origin:08x}u")
    lines.append(f"#define CLOCK_HZ {int(soc.sys_clk_freq)}u")
    lines.append(f"#define ENGINE_HZ {engine_frequency}u")
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
    parser.add_argument("--clock-mhz", type=float, required=True)
    parser.add_argument("--engine-mhz", type=float, required=True)
    options = parser.parse_args()
    folder = options.folder.resolve()
    platform = radiona_ulx3s.Platform(device="LFE5U-85F", revision="2.0", toolchain="trellis")
    clocks = (int(options.clock_mhz * 1e6), int(options.engine_mhz * 1e6))
    soc = Board(platform, folder / "engine", *clocks)
    soc.finalize()

    firmware = folder / "firmware"
    (firmware / "soc.h").write_text(header(soc, clocks[1]))
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
        "engine_mhz": options.engine_mhz,
        "firmware_bytes": len(code),
    }
    (gateware / "soc.json").write_text(json.dumps(soc_facts, indent=2) + "\n")


if __name__ == "__main__":
    main()
