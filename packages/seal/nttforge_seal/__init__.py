# SPDX-License-Identifier: Apache-2.0
"""Parameters, keys and ciphertexts of Microsoft SEAL 4, read and written without SEAL.

SEAL and this library agree in what counts: the order of the primes with the special one last,
transformed keys at the same roots in the same order, one digit of key switching for each prime, the
generator 3 of rotations, and the order of slots. So objects are taken over exactly, word for word;
nothing is encrypted anew. BFV and BGV.

    context = bfv.Context(seal.import_parameters(read("parms.seal")))
    keys = seal.import_keys(context, relinearization=..., rotations=...)
    c = seal.import_ciphertext(context, read("c.seal"))
    answer = seal.export_ciphertext((c * c).relinearize(keys).rotate_rows(1, keys))

Read are objects that SEAL 4 saved without compression or with zlib, and with Zstandard where a
package for that is installed; also those whose second half is a seed. Nothing in the bytes is
trusted: sizes are compared with the context before anything is allocated.
"""

from __future__ import annotations

from ._ciphertexts import export_ciphertext, import_ciphertext
from ._keys import import_keys, import_public_key, import_secret_key
from ._parameters import import_parameters

__all__ = [
    "export_ciphertext",
    "import_ciphertext",
    "import_keys",
    "import_parameters",
    "import_public_key",
    "import_secret_key",
]


def __dir__() -> list[str]:
    return sorted(__all__)
