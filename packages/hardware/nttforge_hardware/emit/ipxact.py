# SPDX-License-Identifier: Apache-2.0
"""The IP-XACT description (IEEE 1685-2014) of a design with AXI ports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

_NAMESPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"

#: By which a file of a design is known.
BEGINNING = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- nttforge design'

#: Registers of nttf_axi_lite: offset, name, access, what it is.
REGISTERS = (
    (0x00, "identity", "read-only", '"NTTF"'),
    (0x04, "control", "read-write", "bit 0 flushes, the bits from 1 on are the choice"),
    (0x08, "status", "read-write", "bit 0 last, bit 1 range, bit 2 busy"),
    (0x0C, "size", "read-only", "n"),
    (0x10, "lanes", "read-only", "coefficients in a word and limb"),
    (0x14, "limbs", "read-only", "primes"),
    (0x18, "bits", "read-only", "of a residue"),
    (0x1C, "taken", "read-only", "transforms taken"),
    (0x20, "given", "read-only", "transforms given"),
)


def ports_of(text: str) -> list[tuple[str, str, int]]:
    """Name, direction and bits of the ports of the first module in ``text``."""
    found = []
    for line in text[text.index("\nmodule ") :].split("\n);", 1)[0].splitlines():
        port = re.match(r"  (input|output) +logic +(?:\[(\d+):0\] +)?(\w+)", line)
        if port:
            found.append((port[3], port[1], int(port[2] or 0) + 1))
    return found


def component(
    name: str, version: str, axi_text: str, files: Sequence[str], images: Sequence[str]
) -> str:
    """``component.xml``: interfaces, registers, ports and files of ``<name>_axi``."""
    ports = ports_of(axi_text)
    names = [port for port, _, _ in ports]
    buses = [
        _bus("s_axi", "AXI4-Lite", _mode("slave", memory_map=True), _lite_map(names)),
        _bus("s_axis", "AXI4Stream", _mode("slave"), _stream_map("s_axis", names)),
        _bus("m_axis", "AXI4Stream", _mode("master"), _stream_map("m_axis", names)),
    ]
    top = f"{name}_axi"
    return f"""{BEGINNING} -->
<ipxact:component xmlns:ipxact="{_NAMESPACE}"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="{_NAMESPACE} {_NAMESPACE}/index.xsd">
  <ipxact:vendor>nttforge</ipxact:vendor>
  <ipxact:library>designs</ipxact:library>
  <ipxact:name>{top}</ipxact:name>
  <ipxact:version>{escape(version)}</ipxact:version>
  <ipxact:busInterfaces>
{"".join(buses)}  </ipxact:busInterfaces>
  <ipxact:memoryMaps>
    <ipxact:memoryMap>
      <ipxact:name>registers</ipxact:name>
      <ipxact:addressBlock>
        <ipxact:name>block</ipxact:name>
        <ipxact:baseAddress>0</ipxact:baseAddress>
        <ipxact:range>64</ipxact:range>
        <ipxact:width>32</ipxact:width>
        <ipxact:usage>register</ipxact:usage>
{"".join(_register(*row) for row in REGISTERS)}      </ipxact:addressBlock>
      <ipxact:addressUnitBits>8</ipxact:addressUnitBits>
    </ipxact:memoryMap>
  </ipxact:memoryMaps>
  <ipxact:model>
    <ipxact:views>
      <ipxact:view>
        <ipxact:name>rtl</ipxact:name>
        <ipxact:componentInstantiationRef>rtl</ipxact:componentInstantiationRef>
      </ipxact:view>
    </ipxact:views>
    <ipxact:instantiations>
      <ipxact:componentInstantiation>
        <ipxact:name>rtl</ipxact:name>
        <ipxact:language>SystemVerilog</ipxact:language>
        <ipxact:moduleName>{top}</ipxact:moduleName>
        <ipxact:fileSetRef>
          <ipxact:localName>rtl</ipxact:localName>
        </ipxact:fileSetRef>
      </ipxact:componentInstantiation>
    </ipxact:instantiations>
    <ipxact:ports>
{"".join(_port(*port) for port in ports)}    </ipxact:ports>
  </ipxact:model>
  <ipxact:fileSets>
    <ipxact:fileSet>
      <ipxact:name>rtl</ipxact:name>
{_files(files, "systemVerilogSource")}{_files(images, "user")}    </ipxact:fileSet>
  </ipxact:fileSets>
  <ipxact:description>A design by nttforge; README.md says what it is.</ipxact:description>
</ipxact:component>
"""


def _mode(side: str, memory_map: bool = False) -> str:
    if not memory_map:
        return f"      <ipxact:{side}/>\n"
    return """      <ipxact:slave>
        <ipxact:memoryMapRef memoryMapRef="registers"/>
      </ipxact:slave>
"""


def _lite_map(names: Iterable[str]) -> list[tuple[str, str]]:
    found = []
    for port in names:
        if port.startswith("s_axi_"):
            found.append((port.removeprefix("s_axi_").upper(), port))
    return [("ACLK", "aclk"), ("ARESETn", "aresetn"), *found]


def _stream_map(prefix: str, names: Iterable[str]) -> list[tuple[str, str]]:
    found = [(n.removeprefix(f"{prefix}_").upper(), n) for n in names if n.startswith(f"{prefix}_")]
    return [("ACLK", "aclk"), ("ARESETn", "aresetn"), *found]


def _bus(name: str, kind: str, mode: str, ports: Sequence[tuple[str, str]]) -> str:
    version = "r0p0_1"
    library = 'vendor="amba.com" library="AMBA4"'
    mapped = "".join(
        f"""            <ipxact:portMap>
              <ipxact:logicalPort>
                <ipxact:name>{logical}</ipxact:name>
              </ipxact:logicalPort>
              <ipxact:physicalPort>
                <ipxact:name>{physical}</ipxact:name>
              </ipxact:physicalPort>
            </ipxact:portMap>
"""
        for logical, physical in ports
    )
    return f"""    <ipxact:busInterface>
      <ipxact:name>{name}</ipxact:name>
      <ipxact:busType {library} name="{kind}" version="{version}"/>
      <ipxact:abstractionTypes>
        <ipxact:abstractionType>
          <ipxact:abstractionRef {library} name="{kind}_rtl" version="{version}"/>
          <ipxact:portMaps>
{mapped}          </ipxact:portMaps>
        </ipxact:abstractionType>
      </ipxact:abstractionTypes>
{mode}    </ipxact:busInterface>
"""


def _register(offset: int, name: str, access: str, note: str) -> str:
    return f"""        <ipxact:register>
          <ipxact:name>{name}</ipxact:name>
          <ipxact:description>{escape(note)}</ipxact:description>
          <ipxact:addressOffset>{offset}</ipxact:addressOffset>
          <ipxact:size>32</ipxact:size>
          <ipxact:access>{access}</ipxact:access>
          <ipxact:field>
            <ipxact:name>value</ipxact:name>
            <ipxact:bitOffset>0</ipxact:bitOffset>
            <ipxact:bitWidth>32</ipxact:bitWidth>
          </ipxact:field>
        </ipxact:register>
"""


def _port(name: str, direction: str, bits: int) -> str:
    vector = f"""          <ipxact:vectors>
            <ipxact:vector>
              <ipxact:left>{bits - 1}</ipxact:left>
              <ipxact:right>0</ipxact:right>
            </ipxact:vector>
          </ipxact:vectors>
"""
    return f"""      <ipxact:port>
        <ipxact:name>{name}</ipxact:name>
        <ipxact:wire>
          <ipxact:direction>{direction.removesuffix("put")}</ipxact:direction>
{vector if bits > 1 else ""}        </ipxact:wire>
      </ipxact:port>
"""


def _files(names: Iterable[str], kind: str) -> str:
    return "".join(
        f"""      <ipxact:file>
        <ipxact:name>{escape(n)}</ipxact:name>
        <ipxact:fileType>{kind}</ipxact:fileType>
      </ipxact:file>
"""
        for n in names
    )
