# SPDX-License-Identifier: Apache-2.0
"""ML-KEM's polynomial product through libnttforge_c, with nothing but ctypes.

    python examples/shared_library.py [libnttforge_c.so.1]

Every language that can load a C library does the same: a structure, three functions, two arrays.
docs/c.md says how to build the library.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Callable
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

ABI_VERSION = 1
N, Q, LAYERS = 256, 3329, 7
NATURAL, BIT_REVERSED, NEGACYCLIC = 0, 1, 0
Words = POINTER(c_uint64)


class Spec(ctypes.Structure):
    """nttforge_spec of nttforge.h; struct_size tells the library which fields there are."""

    _fields_ = (
        ("struct_size", c_size_t),
        ("n", c_size_t),
        ("moduli", Words),
        ("limbs", c_size_t),
        ("roots", Words),
        ("ring", c_int),
        ("input_order", c_int),
        ("output_order", c_int),
        ("word_bits", c_uint),
        ("layers", c_uint),
    )


def load(path: str | None) -> ctypes.CDLL:
    """The library, with the types of its functions, where its interface is this program's."""
    found = path or ctypes.util.find_library("nttforge_c")
    if found is None:
        sys.exit("libnttforge_c is not installed: build it with -DNTTFORGE_SHARED=ON")
    library = ctypes.CDLL(found)
    if (version := library.nttforge_abi_version()) != ABI_VERSION:
        sys.exit(f"{found} has version {version} of the interface: need {ABI_VERSION}")
    library.nttforge_last_error.restype = c_char_p
    library.nttforge_version.restype = c_char_p
    library.nttforge_plan_create.argtypes = (POINTER(Spec), c_uint, POINTER(c_void_p))
    library.nttforge_plan_destroy.argtypes = (c_void_p,)
    library.nttforge_plan_destroy.restype = None
    for name in ("forward", "inverse"):
        getattr(library, f"nttforge_{name}").argtypes = (c_void_p, Words, Words, c_size_t)
    library.nttforge_multiply.argtypes = (c_void_p, Words, Words, Words, c_size_t)
    return library


def main() -> None:
    library = load(sys.argv[1] if len(sys.argv) > 1 else None)

    def call(function: Callable[..., int], *arguments: object) -> None:
        if function(*arguments):
            sys.exit(library.nttforge_last_error().decode())

    q = (c_uint64 * 1)(Q)
    spec = Spec(ctypes.sizeof(Spec), N, q, 1, None, NEGACYCLIC, NATURAL, BIT_REVERSED, 64, LAYERS)
    plan = c_void_p()
    call(library.nttforge_plan_create, byref(spec), 1, byref(plan))
    a = (c_uint64 * N)(*(i * i % Q for i in range(N)))
    b = (c_uint64 * N)(*(3 * i + 1 for i in range(N)))
    x, y = (c_uint64 * N)(), (c_uint64 * N)()
    call(library.nttforge_forward, plan, a, x, N)
    call(library.nttforge_forward, plan, b, y, N)
    call(library.nttforge_multiply, plan, x, y, x, N)
    call(library.nttforge_inverse, plan, x, x, N)
    library.nttforge_plan_destroy(plan)

    # The product modulo X^256 + 1 and 3329 by its definition.
    expected = [0] * N
    for i in range(N):
        for j in range(N):
            expected[(i + j) % N] += a[i] * b[j] * (1 if i + j < N else -1)
    right = list(x) == [value % Q for value in expected]
    version = library.nttforge_version().decode()
    verdict = "right" if right else "wrong"
    print(f"nttforge {version}: the product modulo X^{N} + 1 and {Q} is {verdict}")
    sys.exit(not right)


if __name__ == "__main__":
    main()
