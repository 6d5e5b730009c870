# SPDX-License-Identifier: Apache-2.0
"""Golden files of the byte format: `python tests/golden/write.py` writes them from seeds.

The parameters are far too small to be secure. A change of any byte is a change of the format or of
the random streams.
"""

from pathlib import Path

import nttforge
from nttforge import bfv

N, T, STEP = 16, 97, 1
KEY_SEED, ENCRYPTION_SEED = bytes(range(32)), bytes(range(100, 132))
X, Y = [1, -2, 3, 48, -48, *range(11)], [10, 20, -30]


def golden_files(primes: int = 2, special: int = 1) -> dict[str, bytes]:
    """Every kind of object, every encoding and form of a ciphertext, by file name."""
    chain = nttforge.ntt_primes(N, 30, primes + special)
    q, p = chain[:primes], chain[primes:]
    parameters = bfv.Parameters.custom(N, T, q, p, security="insecure_by_request")
    context = bfv.Context(parameters, threads=1)
    keys = context.generate_keys(rotations=[STEP], columns=True, seed=KEY_SEED)
    slots, coefficients = bfv.BatchEncoder(context), bfv.CoefficientEncoder(context)
    public, secret = bfv.Encryptor(keys.public), bfv.Encryptor(keys.secret)
    x = public.encrypt(slots.encode(X), seed=ENCRYPTION_SEED, index=1)
    y = secret.encrypt(slots.encode(Y), seed=ENCRYPTION_SEED, index=2)
    polynomial = secret.encrypt(coefficients.encode(X), seed=ENCRYPTION_SEED, index=3)
    product = x * y
    objects = {
        "parameters": parameters,
        "secret": keys.secret,
        "public": keys.public,
        "relinearization": keys.relinearization,
        "rotations": keys.rotations,
        "plaintext_slots": slots.encode(X),
        "plaintext_coefficients": coefficients.encode(X),
        "ciphertext_public": x,
        "ciphertext_seeded": y,
        "ciphertext_coefficients": polynomial,
        "ciphertext_product": product,
        "ciphertext_relinearized": product.relinearize(keys.relinearization),
        "ciphertext_rotated": x.rotate_rows(STEP, keys.rotations),
    }
    files = {f"{name}.bin": thing.to_bytes() for name, thing in objects.items()}
    files["ciphertext_without_noise.bin"] = product.to_bytes(noise=False)
    return files


if __name__ == "__main__":
    for name, data in golden_files().items():
        (Path(__file__).parent / name).write_bytes(data)
