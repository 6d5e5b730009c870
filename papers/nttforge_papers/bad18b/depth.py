# SPDX-License-Identifier: Apache-2.0
"""[Bad18b] Table 4: how many products follow each other before decryption fails."""

from __future__ import annotations

import json
from typing import Any

from nttforge.errors import NttforgeError

#: n -> log2 q (SEAL's, the others'), t, sigma, bound of errors, gamma, m_sk, depth.
TABLE_4 = {
    2048: (60, 62, 2, 8, 48, 7, 4211212259, 2),
    4096: (180, 186, 2, 8, 48, 13, 4211212259, 5),
    8192: (360, 372, 2, 8, 48, 37, 4211212259, 13),
    16384: (720, 744, 2, 8, 48, 53, 4211212259, 25),
}
#: The depth stops here: more than the paper's largest by far.
MOST = 100


def measure(sizes: tuple[int, ...] = tuple(TABLE_4)) -> dict[str, Any]:
    """Squares a random ciphertext of each set again and again, on this CPU.

    Each square is relinearized, and decrypted as long as there is a noise budget; modulo 2 the
    square of m(X) is m(X^2), with which the decryption is compared.
    """
    from nttforge import __version__, describe_cpu

    rows = [_depth(n) for n in sizes]
    return {
        "paper": "[Bad18b] Table 4, depth",
        "cpu": describe_cpu().brand,
        "version": __version__,
        "rows": rows,
    }


def _depth(n: int) -> dict[str, Any]:
    import numpy as np

    from nttforge import bfv

    parameters = bfv.Parameters.badawi2018(n)
    keys = bfv.Context(parameters).generate_keys(relinearization=True)
    message = np.random.default_rng(n).integers(0, 2, n, dtype=np.uint64)
    ciphertext = keys.encrypt(message, encoding="coefficients", signed=False)
    budgets = [keys.noise_budget_bits(ciphertext)]
    while budgets[-1] > 0 and len(budgets) <= MOST:
        found = keys.decrypt(ciphertext, signed=False, check=False)
        if not np.array_equal(np.asarray(found, dtype=np.uint64), message):
            raise NttforgeError(f"depth {len(budgets) - 1} at n = {n} decrypts wrongly")
        ciphertext = (ciphertext * ciphertext).relinearize(keys.relinearization)
        squared = np.zeros(2 * n, dtype=np.uint64)
        squared[::2] = message
        message = squared[:n] ^ squared[n:]
        budgets.append(keys.noise_budget_bits(ciphertext))
    return {
        "n": n,
        "depth": len(budgets) - 2,
        "noise_budget_bits": [round(float(b), 1) for b in budgets],
        "log2_q": parameters.q_bits,
        "log2_whole_modulus": parameters.modulus_bits,
        "promised_depth": parameters.promised_depth,
    }


if __name__ == "__main__":
    print(json.dumps(measure()))
