# SPDX-License-Identifier: Apache-2.0
"""The layers of the house and the arrows between them, as data.

`check_layers.py` holds sources to them and `draw_architecture.py` draws them. A layer may use what
it stands on, and what that stands on in turn; nothing else. A new layer is a row here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """A folder of C++ or a part of the Python package.

    Parameters
    ----------
    name : str
        In C++ a folder; in Python a module or package below `nttforge`, or a package beside it.
        The longest name counts.
    on : tuple of str
        The layers it stands on directly.
    part : str
        What the picture shows it as: "base", "transform", "device", "implements" (what these
        declare), "scheme" or "python". A layer without one is not drawn.
    says : str
        What the picture says of it.
    """

    name: str
    on: tuple[str, ...] = ()
    part: str = ""
    says: str = ""


_BASE, _ARITH, _RANDOM = "nttforge/base", "nttforge/arith", "nttforge/random"
_NTT, _RNS, _DEVICE = "nttforge/ntt", "nttforge/rns", "nttforge/device"
_CPU, _CUDA, _MULTI = "nttforge/cpu", "nttforge/cuda", "nttforge/multi"
_RLWE, _INTEGERS = "nttforge/rlwe", "nttforge/integer_encoding"
_BFV, _BGV = "nttforge/bfv", "nttforge/bgv"
_HEXL = "nttforge/hexl"

#: Folders of the C++ library, lowest first, then what is built on the whole library.
CPP = (
    Layer(_BASE, (), "base", "errors, buffers, threads, files, JSON; no mathematics"),
    Layer(_ARITH, (_BASE,), "base", "one prime: products, reductions, roots"),
    Layer(_NTT, (_ARITH,), "transform", "spec, recipe, plan, explorer"),
    Layer(_RANDOM, (_ARITH,), "base", "ChaCha20 streams and samplers"),
    Layer(_RNS, (_NTT,), "transform", "primes side by side; conversions"),
    Layer(
        _DEVICE,
        (_RNS, _RANDOM),
        "device",
        "memory, queues and what a scheme may ask for",
    ),
    Layer(_CPU, (_DEVICE,), "implements", "scalar, AVX2, AVX-512, IFMA; chosen at run time"),
    Layer(_CUDA, (_DEVICE,), "implements", "NVIDIA GPUs; kernels that also run on the host"),
    Layer(_MULTI, (_DEVICE,), "device", "several devices: copies between their memories"),
    Layer(_RLWE, (_MULTI,), "scheme", "what schemes share: keys, levels, linear operations"),
    Layer(_INTEGERS, (_RLWE,), "scheme", "integers modulo t: slots, coefficients, encryption"),
    Layer(_BFV, (_INTEGERS,), "scheme", "messages on top; BEHZ"),
    Layer(_BGV, (_INTEGERS,), "scheme", "messages below; levels"),
    # What programs written for another library include.
    Layer(_HEXL, (_NTT,)),
    Layer("nttforge/hexl_compat.hpp", (_HEXL,)),
    # What programs in C include, and the functions behind it.
    Layer("nttforge/nttforge.h"),
    Layer("nttforge/cxx17.hpp", ("nttforge/nttforge.h",)),
    Layer("nttforge/c", (_NTT, "nttforge/cxx17.hpp")),
    Layer("python/bindings", (_BFV, _BGV, _CPU, _CUDA)),
    Layer("bench", (_BFV, _CUDA)),
    Layer("papers", ("bench",)),
    Layer("fuzz", (_BFV, _BGV, _CPU)),
)

#: Parts of the Python packages, lowest first. "_core" is the compiled module.
PYTHON = (
    Layer("errors"),
    Layer("_cells"),
    Layer("_extras"),
    Layer("_gpu_package"),
    Layer("_html"),
    Layer("_system"),
    Layer("_processes", ("_system", "errors")),
    Layer("_secrecy", ("errors",)),
    Layer("_scheduler", ("_extras", "_secrecy")),
    Layer("_parallel", ("_processes", "_scheduler")),
    Layer(
        "spec",
        (),
        "python",
        "the oracle: every definition in plain integers, and the vectors of all tests",
    ),
    Layer("typing", ("spec",)),
    Layer("console", ("_scheduler",)),
    # The Verilog generator needs no compiled module.
    Layer("hardware.plan", ("_parallel", "spec")),
    Layer(
        "hardware",
        ("hardware.plan",),
        "python",
        "from parameters to Verilog: planned, emitted, simulated, synthesised, proved",
    ),
    Layer("hardware.emit", ("hardware.plan", "_extras")),
    Layer("hardware.tools", ("hardware.emit", "console")),
    Layer("hardware.driver", ("hardware.tools",)),
    Layer("hardware.prove", ("hardware.tools",)),
    Layer("hardware.report", ("hardware.emit", "_html")),
    # What stands on the compiled module.
    Layer("_core"),
    Layer("_arguments", ("_core", "errors", "typing")),
    Layer("arrays", ("_arguments",)),
    Layer("number_theory", ("_arguments",)),
    Layer("targets", ("_core", "typing")),
    Layer("ntt.spec", ("_arguments",)),
    Layer("cuda", ("ntt.spec", "arrays")),
    Layer("ntt", ("cuda", "hardware.driver", "number_theory")),
    Layer("rlwe", ("arrays", "cuda", "_secrecy")),
    Layer("multi", ("rlwe", "_parallel")),
    Layer("bfv", ("rlwe",)),
    Layer("bgv", ("rlwe",)),
    Layer("seal", ("bfv", "bgv", "ntt")),
    Layer("encrypted", ("rlwe", "number_theory")),
    Layer("circuits", ("bfv", "encrypted", "number_theory")),
    Layer("cluster", ("bfv", "encrypted", "_parallel", "_cells")),
    Layer("selftest", ("ntt", "bfv", "bgv", "number_theory")),
    # What reads the whole package from outside: __init__ has its public names.
    Layer(
        "__init__",
        ("_gpu_package", "ntt", "circuits", "bgv", "cluster", "multi", "seal", "targets"),
    ),
    Layer("demo", ("__init__", "_html", "_processes", "console")),
    Layer("cli", ("cluster", "hardware", "hardware.prove", "hardware.report", "demo", "selftest")),
    Layer("__main__", ("cli",)),
    # Packages of the repository that are not in the wheel.
    Layer("nttforge_bench", ("demo",)),
    Layer("nttforge_papers", ("nttforge_bench", "hardware", "hardware.tools")),
)


def allowed(layers: Sequence[Layer]) -> dict[str, set[str]]:
    """Every layer with all that it may use: itself, what it stands on, and what that stands on.

    Raises
    ------
    ValueError
        If a layer stands on one that does not come before it: arrows could go in a circle.

    Examples
    --------
    >>> sorted(allowed((Layer("a"), Layer("b", ("a",)), Layer("c", ("b",))))["c"])
    ['a', 'b', 'c']
    """
    found: dict[str, set[str]] = {}
    for layer in layers:
        if layer.name in found:
            raise ValueError(f"layer {layer.name} is there twice")
        for below in layer.on:
            if below not in found:
                raise ValueError(f"{layer.name} stands on {below}, which must come before it")
        found[layer.name] = {layer.name}.union(*(found[below] for below in layer.on))
    return found
