# SPDX-License-Identifier: Apache-2.0
"""Objects that describe themselves wrongly by ``__cuda_array_interface__`` are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from nttforge._core import cuda as core

import nttforge
from nttforge import cuda

if not core.host_in_this_build():
    pytest.skip("needs a build with NTTFORGE_CUDA_HOST=ON", allow_module_level=True)

MISSING = object()


class Described:
    def __init__(self, interface: Any) -> None:
        self.__cuda_array_interface__ = interface


def interface(**changes: Any) -> dict[str, Any]:
    whole = {"shape": (2, 16), "typestr": "<u8", "data": (4096, False), "version": 3} | changes
    return {name: value for name, value in whole.items() if value is not MISSING}


NAME = r"x\.__cuda_array_interface__"
CASES: dict[str, tuple[Any, str]] = {
    "no dict": ([1, 2], rf"{NAME} is a list: need a dict"),
    "empty": ({}, rf"{NAME} has no 'shape'"),
    "no shape": (interface(shape=MISSING), rf"{NAME} has no 'shape': the protocol asks for"),
    "no typestr": (interface(typestr=MISSING), rf"{NAME} has no 'typestr'"),
    "no data": (interface(data=MISSING), rf"{NAME} has no 'data'"),
    "shape of text": (
        interface(shape="ab"),
        rf"{NAME}\['shape'\] = 'ab': need a tuple of integers",
    ),
    "shape of floats": (interface(shape=(2.0, 16)), r"\['shape'\]"),
    "shape none": (interface(shape=None), r"\['shape'\] = None"),
    "negative shape": (interface(shape=(-2, 16)), "lengths cannot be negative"),
    "typestr of nonsense": (interface(typestr="words"), "x.dtype = 'words': need uint64 or uint32"),
    "typestr a number": (interface(typestr=8), "need uint64 or uint32"),
    "typestr a dict": (interface(typestr={"names": 1}), "need uint64 or uint32"),
    "typestr none": (interface(typestr=None), "need uint64 or uint32"),
    "data an address": (interface(data=4096), rf"{NAME}\['data'\] = 4096: need \(address"),
    "data none": (interface(data=None), r"\['data'\] = None"),
    "data of text": (interface(data=("4096", False)), r"\['data'\]"),
    "address too large": (interface(data=(2**64, False)), r"\['data'\]"),
    "negative address": (interface(data=(-1, False)), r"\['data'\]"),
    "too few strides": (interface(strides=(8,)), r"\['strides'\] = \(8,\): need one for each axis"),
    "strides of text": (interface(strides="cc"), r"\['strides'\] = 'cc'"),
    "mask": (interface(mask=np.zeros(2)), "has a mask"),
    "stream of text": (interface(stream="main"), rf"{NAME}\['stream'\] = 'main': need an address"),
    "stream a bool": (interface(stream=True), r"\['stream'\] = True"),
    "stream nowhere": (interface(stream=0x1234), rf"{NAME}\['stream'\]: stream = 4660 is not"),
}


@pytest.mark.parametrize("case", CASES)
def test_malformed_interfaces(case: str) -> None:
    stated, text = CASES[case]
    plan = nttforge.NttPlan(16, nttforge.ntt_primes(16, 60, 2), device="cuda:host")
    x = Described(stated)
    error = nttforge.ParameterError if case == "stream nowhere" else nttforge.ArgumentTypeError
    with pytest.raises(error, match=text):
        plan.forward(x)
    with pytest.raises(error, match=text):
        cuda.to_host(x)


def test_malformed_interfaces_of_host_arrays() -> None:
    class Host:
        def __init__(self, stated: Any) -> None:
            self.__array_interface__ = stated

    for stated in ({}, interface(data=MISSING, shape=None), interface(shape="ab"), 5):
        with pytest.raises(nttforge.ArgumentTypeError, match="x is a Host whose __array_interface"):
            nttforge.NttPlan(16, 7681).forward(Host(stated))
        with pytest.raises(nttforge.ArgumentTypeError):
            cuda.to_device(Host(stated), "cuda:host")


def test_malformed_devices_and_streams() -> None:
    class Device:
        def __init__(self, stated: Any) -> None:
            self.stated = stated

        def __dlpack_device__(self) -> Any:
            return self.stated

        def __dlpack__(self, **_: Any) -> Any:
            raise AssertionError

    class OfStream:
        def __init__(self, stated: Any) -> None:
            self.__cuda_stream__ = stated

    plan = nttforge.NttPlan(16, 7681, device="cuda:host")
    x = cuda.to_device(np.zeros(16, np.uint64), "cuda:host")
    for stated in (None, 2, (2,), "ab3"):
        with pytest.raises(nttforge.ArgumentTypeError, match=r"x\.__dlpack_device__\(\) gives"):
            plan.forward(Device(stated))
    for stated in (None, 7, (0,), (0, "7"), (0, 1, 2)):
        with pytest.raises(nttforge.ArgumentTypeError, match=r"stream\.__cuda_stream__ gives"):
            plan.forward(x, stream=OfStream(stated))
    with pytest.raises(nttforge.ParameterError, match="stream = 4660 is not the address"):
        plan.forward(x, stream=OfStream((0, 0x1234)))
