# SPDX-License-Identifier: Apache-2.0
"""The design with its AXI ports as a LiteX module.

In a SoC:

    self.ntt = Design(platform)
    region = SoCRegion(origin=0x30000000, size=0x1000, cached=False)
    self.bus.add_slave("ntt", self.ntt.bus, region)

`sink` and `source` are streams of whole words, TDATA as README.md says; `user` is the choice of a
frame. Memory images are looked for from where a tool runs: `copy_images` puts them there.
"""

import json
import shutil
from pathlib import Path

from litex.gen import LiteXModule
from litex.soc.interconnect import axi, stream
from migen import ClockSignal, Instance, ResetSignal

FOLDER = Path(__file__).resolve().parent
MANIFEST = json.loads((FOLDER / "design.json").read_text())
TDATA = MANIFEST["tdata"]


class Design(LiteXModule):
    """The module ``<name>_axi``: registers on ``bus``, frames from ``sink`` to ``source``."""

    def __init__(self, platform, user_bits=TDATA["user_bits"]):
        self.bus = bus = axi.AXILiteInterface(data_width=32, address_width=32)
        self.sink = sink = stream.Endpoint([("data", TDATA["in_bits"]), ("user", user_bits)])
        self.source = source = stream.Endpoint([("data", TDATA["out_bits"])])
        ports = {"i_aclk": ClockSignal("sys"), "i_aresetn": ~ResetSignal("sys")}
        for channel in ("aw", "w", "b", "ar", "r"):
            endpoint = getattr(bus, channel)
            given = channel in ("aw", "w", "ar")
            ports[f"{'i' if given else 'o'}_s_axi_{channel}valid"] = endpoint.valid
            ports[f"{'o' if given else 'i'}_s_axi_{channel}ready"] = endpoint.ready
        for channel in ("aw", "ar"):
            ports[f"i_s_axi_{channel}addr"] = getattr(bus, channel).addr[:6]
            ports[f"i_s_axi_{channel}prot"] = 0
        ports |= {"i_s_axi_wdata": bus.w.data, "i_s_axi_wstrb": bus.w.strb}
        ports |= {"o_s_axi_bresp": bus.b.resp, "o_s_axi_rresp": bus.r.resp}
        ports |= {"o_s_axi_rdata": bus.r.data}
        ports |= {"i_s_axis_tdata": sink.data, "i_s_axis_tuser": sink.user}
        ports |= {"i_s_axis_tvalid": sink.valid, "o_s_axis_tready": sink.ready}
        ports |= {"i_s_axis_tlast": sink.last, "o_m_axis_tdata": source.data}
        ports |= {"o_m_axis_tvalid": source.valid, "i_m_axis_tready": source.ready}
        ports |= {"o_m_axis_tlast": source.last}
        self.specials += Instance(MANIFEST["top"].removesuffix("_top") + "_axi", **ports)
        for name in (FOLDER / "design.f").read_text().split():
            platform.add_source(str(FOLDER / name), language="systemverilog")


def copy_images(folder):
    """Copies the memory images to where a tool of LiteX runs, such as build/BOARD/gateware."""
    for kind in ("twiddles", "tables"):
        if (FOLDER / kind).is_dir():
            shutil.copytree(FOLDER / kind, Path(folder) / kind, dirs_exist_ok=True)
