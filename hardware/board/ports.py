# SPDX-License-Identifier: Apache-2.0
"""The ports of NAME_dma, as LiteX's Instance takes them; nothing of LiteX is imported here."""


def engine_ports(bus, frames, tables, results, user):
    """Ports by name, all but the clock and the reset.

    ``bus`` is an AXI4-Lite interface, the three others are stream endpoints: frames and tables
    are sources, results is a sink. ``user`` is the TUSER of frames.
    """
    ports = {"i_s_axis_tuser": user}
    for channel in ("aw", "w", "b", "ar", "r"):
        endpoint = getattr(bus, channel)
        into, out = ("i", "o") if channel in ("aw", "w", "ar") else ("o", "i")
        ports[f"{into}_s_axi_{channel}valid"] = endpoint.valid
        ports[f"{out}_s_axi_{channel}ready"] = endpoint.ready
    for channel in ("aw", "ar"):
        ports[f"i_s_axi_{channel}addr"] = getattr(bus, channel).addr[:6]
        ports[f"i_s_axi_{channel}prot"] = 0
    ports |= {"i_s_axi_wdata": bus.w.data, "i_s_axi_wstrb": bus.w.strb}
    ports |= {"o_s_axi_bresp": bus.b.resp, "o_s_axi_rresp": bus.r.resp}
    ports["o_s_axi_rdata"] = bus.r.data
    for port, endpoint, given in (("s", frames, 1), ("t", tables, 1), ("m", results, 0)):
        into, out = ("i", "o") if given else ("o", "i")
        ports[f"{into}_{port}_axis_tdata"] = endpoint.data
        ports[f"{into}_{port}_axis_tvalid"] = endpoint.valid
        ports[f"{into}_{port}_axis_tlast"] = endpoint.last
        ports[f"{out}_{port}_axis_tready"] = endpoint.ready
    return ports
