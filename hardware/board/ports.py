# SPDX-License-Identifier: Apache-2.0
"""The ports of NAME_burst and burst_memory for LiteX's Instance; LiteX is not needed here."""


def axi4_bits(beat):
    """Bits of the signals between both by name; `beat` is those of a beat."""
    bits = {f"{way}{what}": n for way in ("ar", "aw") for what, n in (("addr", 32), ("len", 8))}
    bits |= {"rdata": beat, "rresp": 2, "wdata": beat, "wstrb": beat // 8, "bresp": 2}
    bits |= {"rlast": 1, "wlast": 1}
    ways = ("ar", "r", "aw", "w", "b")
    return bits | {f"{way}{what}": 1 for way in ways for what in ("valid", "ready")}


def _into_memory(name):
    """Whether the memory, and not the engines, has a signal of AXI4 as an input."""
    return name.startswith(("ar", "aw", "w")) != name.endswith("ready")


def engine_ports(bus, channels, irq):
    """Ports of NAME_burst by name, all but the clock and the reset.

    ``bus`` is an AXI4-Lite interface, ``channels`` has the signals of ``axi4_bits`` by name.
    """
    ports = {"o_irq": irq}
    for channel in ("aw", "w", "b", "ar", "r"):
        endpoint = getattr(bus, channel)
        into, out = ("i", "o") if channel in ("aw", "w", "ar") else ("o", "i")
        ports[f"{into}_s_axi_{channel}valid"] = endpoint.valid
        ports[f"{out}_s_axi_{channel}ready"] = endpoint.ready
    for channel in ("aw", "ar"):
        ports[f"i_s_axi_{channel}addr"] = getattr(bus, channel).addr[:7]
        ports[f"i_s_axi_{channel}prot"] = 0
    ports |= {"i_s_axi_wdata": bus.w.data, "i_s_axi_wstrb": bus.w.strb}
    ports |= {"o_s_axi_bresp": bus.b.resp, "o_s_axi_rresp": bus.r.resp}
    ports["o_s_axi_rdata"] = bus.r.data
    ports |= {
        f"{'o' if _into_memory(name) else 'i'}_m_axi_{name}": signal
        for name, signal in channels.items()
    }
    return ports


def memory_ports(words, address, write, channels):
    """Ports of burst_memory by name, all but clocks, reset and port a's enable.

    ``words`` is a Wishbone interface; ``address`` is a word's, ``write`` which bytes are written.
    """
    ports = {"i_a_address": address, "i_a_write": write, "i_a_in": words.dat_w}
    ports["o_a_out"] = words.dat_r
    return ports | {
        f"{'i' if _into_memory(name) else 'o'}_{name}": signal for name, signal in channels.items()
    }
