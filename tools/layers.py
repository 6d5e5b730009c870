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
        In C++ a folder; in Python a module or package below `nttforge` or `nttforge_hardware`, or a
        package beside it by its full name. The longest name counts.
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
_EMBEDDING = "nttforge/embedding"
_NTT, _RNS, _DEVICE = "nttforge/ntt", "nttforge/rns", "nttforge/device"
_CPU, _CUDA, _MULTI = "nttforge/cpu", "nttforge/cuda", "nttforge/multi"
_RLWE, _CIRCUITS = "nttforge/rlwe", "nttforge/circuits"
_INTEGERS = "nttforge/integer_encoding"
_BFV, _BGV, _CKKS = "nttforge/bfv", "nttforge/bgv", "nttforge/ckks"
_EXACT = "nttforge/exact_bootstrap"
_HEXL = "nttforge/hexl"

#: Folders of the C++ library, lowest first, then what is built on the whole library.
CPP = (
    Layer(_BASE, (), "base", "errors, buffers, threads, files, JSON; no mathematics"),
    Layer(_ARITH, (_BASE,), "base", "one prime: products, reductions, roots"),
    Layer(_NTT, (_ARITH,), "transform", "spec, recipe, plan, explorer"),
    Layer(_RANDOM, (_ARITH,), "base", "ChaCha20 streams and samplers"),
    Layer(_RNS, (_NTT,), "transform", "several primes"),
    Layer(_EMBEDDING, (_NTT,), "transform", "real numbers"),
    Layer(
        _DEVICE,
        (_RNS, _EMBEDDING, _RANDOM),
        "device",
        "memory, queues and what a scheme may ask for",
    ),
    Layer(_CPU, (_DEVICE,), "implements", "scalar, AVX2, AVX-512, IFMA; chosen at run time"),
    Layer(_CUDA, (_DEVICE,), "implements", "NVIDIA GPUs; kernels that also run on the host"),
    Layer(_MULTI, (_DEVICE,), "device", "several devices: copies between their memories"),
    Layer(_RLWE, (_MULTI,), "scheme", "what schemes share: keys, levels, linear operations"),
    Layer(
        _CIRCUITS, (_RLWE,), "scheme", "what is computed on ciphertexts of any scheme: linear maps"
    ),
    Layer(_INTEGERS, (_CIRCUITS,), "scheme", "integers modulo t"),
    Layer(_BFV, (_INTEGERS,), "scheme", "message on top"),
    Layer(_BGV, (_INTEGERS,), "scheme", "message below"),
    Layer(_CKKS, (_CIRCUITS,), "scheme", "real numbers"),
    Layer(_EXACT, (_BFV, _BGV, _CKKS), "scheme", "integers for ever"),
    # What programs written for another library include.
    Layer(_HEXL, (_NTT,)),
    Layer("nttforge/hexl_compat.hpp", (_HEXL,)),
    # What programs in C include, and the functions behind it.
    Layer("nttforge/nttforge.h"),
    Layer("nttforge/cxx17.hpp", ("nttforge/nttforge.h",)),
    Layer("nttforge/c", (_NTT, "nttforge/cxx17.hpp")),
    # What a page's JavaScript calls.
    Layer("nttforge/wasm", (_BFV, _BGV, _CKKS, _CPU)),
    Layer("python/bindings", (_EXACT, _CPU, _CUDA)),
    Layer("bench", (_EXACT, _CUDA)),
    Layer("papers", ("bench",)),
    Layer("fuzz", (_EXACT, _CPU)),
)

#: Parts of the Python packages, lowest first. "_core" is the compiled module.
PYTHON = (
    Layer("errors"),
    Layer("_cells"),
    Layer("_extras"),
    Layer("_providers", ("errors",)),
    Layer("_gpu_package"),
    Layer("_html"),
    Layer("_system"),
    Layer("_processes", ("_system", "errors")),
    Layer("_secrecy", ("errors",)),
    Layer("_parallel"),
    Layer("spec"),
    Layer("typing", ("spec",)),
    # Not in the wheel. Its types alone name one of the arguments.
    Layer(
        "nttforge_oracle",
        ("typing",),
        "python",
        "the oracle: every definition in plain integers, and the vectors of all tests",
    ),
    Layer("console", ("_providers",)),
    # What stands on the compiled module.
    Layer("_core"),
    Layer("_arguments", ("_core", "errors", "typing")),
    Layer("arrays", ("_arguments",)),
    Layer("number_theory", ("_arguments",)),
    Layer("targets", ("_core", "typing")),
    Layer("ntt.spec", ("_arguments",)),
    Layer("cuda", ("ntt.spec", "arrays")),
    Layer("ntt", ("cuda", "_providers", "number_theory")),
    Layer("rlwe", ("arrays", "cuda", "_secrecy")),
    Layer("circuits", ("rlwe",)),
    Layer("integer_encoding", ("circuits",)),
    Layer("multi", ("rlwe", "_parallel")),
    Layer("bfv", ("integer_encoding",)),
    Layer("bgv", ("integer_encoding",)),
    Layer("ckks", ("circuits",)),
    Layer("encrypted", ("integer_encoding", "number_theory", "ckks")),
    Layer("choosing", ("bfv", "bgv", "encrypted", "number_theory", "ckks")),
    Layer("selftest", ("ntt", "bfv", "bgv", "number_theory")),
    # What reads the whole package from outside: __init__ has its public names.
    Layer(
        "__init__",
        ("_gpu_package", "ntt", "choosing", "bgv", "ckks", "multi", "targets"),
    ),
    Layer("cli", ("__init__", "_cells", "_extras", "_processes", "selftest", "console")),
    Layer("__main__", ("cli",)),
    # Packages of the repository that are not in the wheel.
    Layer(
        "nttforge_cluster",
        ("__init__", "encrypted", "_parallel", "_processes", "_cells", "_extras"),
    ),
    Layer("nttforge_compilers", ("__init__", "encrypted")),
    Layer("nttforge_seal", ("__init__", "ntt")),
    Layer("nttforge_he", ("__init__", "_cells", "_extras", "console")),
    Layer("nttforge_serve", ("cli", "_html", "_secrecy", "_extras", "encrypted")),
    Layer(
        "nttforge_demo",
        ("cli", "nttforge_he", "_html", "nttforge_oracle", "nttforge_cluster", "nttforge_serve"),
    ),
    Layer("nttforge_bench", ("nttforge_demo",)),
    Layer("nttforge_hardware"),  # which papers use
    Layer("nttforge_papers", ("nttforge_bench", "nttforge_hardware")),
)

#: Parts of the Verilog generator, packages/hardware/nttforge_hardware, lowest first, behind what
#: they use of nttforge. All but the driver and the commands do without the compiled module.
HARDWARE = (
    Layer("nttforge.errors"),
    Layer("nttforge.spec"),
    Layer("nttforge_oracle", ("nttforge.spec",)),
    Layer("nttforge._extras"),
    Layer("nttforge._html"),
    Layer("nttforge._processes"),
    Layer("nttforge._parallel"),
    Layer("nttforge._system"),
    Layer("nttforge.console"),
    Layer("nttforge.typing"),
    Layer("nttforge._core"),
    Layer("nttforge._arguments"),
    Layer("nttforge.arrays"),
    Layer("nttforge.ntt", ("nttforge._core", "nttforge._arguments", "nttforge.arrays")),
    Layer("nttforge.cli", ("nttforge.console",)),
    Layer("_definitions"),
    Layer("_extras", ("nttforge._extras",)),
    Layer(
        "_parallel",
        ("nttforge.errors", "nttforge._parallel", "nttforge._processes", "nttforge._system"),
    ),
    Layer("plan", ("_parallel", "nttforge_oracle")),
    Layer(
        "__init__",
        ("plan", "_definitions"),
        "python",
        "from parameters to Verilog: planned, emitted, simulated, synthesised, proved",
    ),
    Layer("emit", ("plan", "_extras")),
    Layer("tools", ("emit", "nttforge._processes", "nttforge.console")),
    Layer("driver", ("tools", "nttforge.ntt", "nttforge.typing")),
    Layer("prove", ("tools",)),
    Layer("report", ("emit", "nttforge._html")),
    Layer("cli", ("__init__", "prove", "report")),
    Layer("__main__", ("cli", "nttforge.cli")),
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
