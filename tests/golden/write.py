# SPDX-License-Identifier: Apache-2.0
"""Golden files of the byte format: `python tests/golden/write.py` writes those that are missing.

A file that exists is never changed: users have stored such bytes. A change of the format raises
its version (nttforge/rlwe/bytes/format.hpp), and this command then writes to the folder of that
version. Folders of older versions stay as long as a release reads them. The parameters are far too
small to be secure.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import nttforge
from nttforge import EncryptedArray, bfv, bgv, ckks
from nttforge.encrypted.layout import layout_of

FOLDER = Path(__file__).resolve().parent
#: The version that this build writes.
VERSION = 1
N, T, STEP = 16, 97, 1
KEY_SEED, ENCRYPTION_SEED = bytes(range(32)), bytes(range(100, 132))
SPARSE_SEED = bytes(range(200, 232))
X, Y = [1, -2, 3, 48, -48, *range(11)], [10, 20, -30]
ROWS = [X, [*Y, *[0] * (N - 3)], [7] * N]
BLOCK, SCALE = 4, 10  # of the array whose ciphertexts are ROWS

#: Folder: scheme, ciphertext primes, special primes, what else Parameters.custom takes.
SETS: dict[str, tuple[Any, int, int, dict[str, Any]]] = {
    "bfv": (bfv, 2, 1, {}),
    "bfv_digits": (bfv, 5, 2, {"word_bits": 32, "secret": "binary"}),
    "bfv_without_special": (bfv, 2, 0, {"error": "sigma_8_bound_48"}),
    "bgv": (bgv, 3, 1, {}),
    "bgv_digits": (bgv, 5, 2, {"word_bits": 32}),
}


def objects_of(scheme: Any, primes: int, special: int, options: dict[str, Any]) -> dict[str, Any]:
    """Every kind of object, every encoding and form of a ciphertext, by file name."""
    chain = nttforge.ntt_primes(N, 30, primes + special)
    q, p = chain[:primes], chain[primes:]
    given = {"security": "insecure_by_request", **options}
    parameters = scheme.Parameters.custom(N, T, q, p, **given)
    context = scheme.Context(parameters, threads=1)
    switching = {"rotations": [STEP], "swap_columns": True} if special else {}
    keys = context.generate_keys(**switching, seed=KEY_SEED)
    slots, coefficients = scheme.BatchEncoder(context), scheme.CoefficientEncoder(context)
    public, secret = scheme.Encryptor(keys.public), scheme.Encryptor(keys.secret)
    x = public.encrypt(slots.encode(X), seed=ENCRYPTION_SEED, index=1)
    y = secret.encrypt(slots.encode(Y), seed=ENCRYPTION_SEED, index=2)
    polynomial = secret.encrypt(coefficients.encode(X), seed=ENCRYPTION_SEED, index=3)
    rows = slots.encode(ROWS)
    product = x * y
    objects = {
        "parameters": parameters,
        "secret": keys.secret,
        "public": keys.public,
        "plaintext_slots": slots.encode(X),
        "plaintext_coefficients": coefficients.encode(X),
        "plaintext_batch": rows,
        "ciphertext_public": x,
        "ciphertext_seeded": y,
        "ciphertext_coefficients": polynomial,
        "ciphertext_product": product,
        "ciphertext_batch": public.encrypt(rows, seed=ENCRYPTION_SEED, index=4),
        "ciphertext_batch_seeded": secret.encrypt(rows, seed=ENCRYPTION_SEED, index=8),
    }
    if special:
        objects |= {
            "relinearization": keys.relinearization,
            "rotations": keys.rotations,
            "ciphertext_relinearized": product.relinearize(keys.relinearization),
            "ciphertext_rotated": x.rotate_rows(STEP, keys.rotations),
            "evaluation": keys.evaluation,
            "relinearization_level": keys.relinearization.at_level(primes - 1),
            "rotations_level": keys.rotations.at_level(primes - 1),
            "evaluation_level": keys.evaluation.at_level(1),
        }
    unknown = scheme.Ciphertext.from_residues(
        context, product.residues, encoding="slots", factor=product.factor
    )
    objects |= {
        "ciphertext_without_noise": unknown,
        "ciphertext_switched": x.mod_switch(),
        "ciphertext_shrunk": x.shrink(1.75),
        "ciphertext_shrunk_product": product.shrink(1.75),
        "ciphertext_shrunk_batch": objects["ciphertext_batch"].shrink(1.75),
    }
    return objects


def golden_files(
    primes: int = 2,
    special: int = 1,
    scheme: Any = bfv,
    options: dict[str, Any] | None = None,
) -> dict[str, bytes]:
    """The bytes of every object, by file name."""
    objects = objects_of(scheme, primes, special, options or {})
    files = {f"{name}.bin": thing.to_bytes() for name, thing in objects.items()}
    files["ciphertext_silent.bin"] = objects["ciphertext_product"].to_bytes(noise=False)
    batch = objects["ciphertext_batch"]
    layout = layout_of(N, BLOCK, len(ROWS) * N // BLOCK, BLOCK)
    array = EncryptedArray(batch, layout, None, T, SCALE, min(map(min, ROWS)), max(map(max, ROWS)))
    files["array.enc"] = array.to_bytes()
    return files


#: Folder: scale bits, bits of q, of special primes, windows of the levels.
CKKS_SETS: dict[str, tuple[int, tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...]]] = {
    "ckks": (40, (55, 40, 40), (60, 60), ()),
    "ckks_windows": (
        60,
        (25, 25, 25, 25, 30, 30, 30, 30, 30),
        (31, 31, 31),
        ((3, 5), (4, 7), (0, 5), (2, 8), (0, 9)),
    ),
}
#: Complex numbers, real ones, a sparse message and coefficients.
U = [complex(k - 3, 2 - k) / 8 for k in range(8)]
V = [0.5, -0.25, 1, 0, -1, 0.125, 0.75, -0.0625]
SHORT, POLYNOMIAL = [0.5, -1], [x / 16 for x in range(N)]


def _primes_of(sizes: tuple[int, ...], taken: list[int], n: int = N) -> list[int]:
    chosen: list[int] = []
    for bits in sizes:
        free = nttforge.ntt_primes(n, bits, len(sizes) + len(taken))
        chosen.append(next(q for q in free if q not in chosen and q not in taken))
    return chosen


def ckks_objects(folder: str) -> dict[str, Any]:
    """Every kind of object of CKKS, by file name."""
    scale, sizes, specials, levels = CKKS_SETS[folder]
    q = _primes_of(sizes, [])
    parameters = ckks.Parameters.custom(
        N, 2.0**scale, q, _primes_of(specials, q), security="insecure_by_request", levels=levels,
        word_bits=32 if levels else 64,
    )  # fmt: skip
    context = ckks.Context(parameters, threads=1)
    keys = context.generate_keys(rotations=[STEP], conjugation=True, seed=KEY_SEED)
    public, secret = ckks.Encryptor(keys.public), ckks.Encryptor(keys.secret)

    def fresh(encryptor: Any, index: int, values: Any, **options: Any) -> Any:
        plaintext = ckks.Plaintext(context, values, bound=2, **options)
        return encryptor.encrypt(plaintext, seed=ENCRYPTION_SEED, index=index)

    x, y = fresh(public, 1, U), fresh(secret, 2, V)
    product = x * y
    low = keys.evaluation.at_level(2)
    return {
        "parameters": parameters,
        "secret": keys.secret,
        "public": keys.public,
        "relinearization": keys.relinearization,
        "rotations": keys.rotations,
        "evaluation": keys.evaluation,
        "relinearization_level": low.relinearization,
        "rotations_level": low.rotations,
        "evaluation_level": low,
        "ciphertext_public": x,
        "ciphertext_seeded": y,
        "ciphertext_sparse": fresh(public, 3, SHORT, slots=2),
        "ciphertext_coefficients": fresh(secret, 4, POLYNOMIAL, encoding="coefficients"),
        "ciphertext_product": product,
        "ciphertext_relinearized": product.relinearize(keys),
        "ciphertext_rotated": x.rotate_rows(STEP, keys),
        "ciphertext_conjugated": x.conjugate(keys),
        "ciphertext_low": y.mod_switch(1),
        "ciphertext_batch": fresh(secret, 8, [V, V[::-1]]),
    }


#: The set that bootstraps: log2 of the primes of the lowest level, of two at the scale, of the
#: results' level, of the sine's eight and of coefficients to slots; and of special ones.
BOOTSTRAP_N, BOOTSTRAP_BITS, BOOTSTRAP_SPECIAL = 128, (38, 28, 28, 42, *8 * [42], 42), 13 * (43,)
RESULTS = 4
BOOTSTRAPPED = [0.5 - 0.25j, -0.75 + 0.125j]


def bootstrap_objects() -> dict[str, Any]:
    """What a bootstrap needs, by file name; the ephemeral secret as well, for the reader."""
    q = _primes_of(BOOTSTRAP_BITS, [], BOOTSTRAP_N)
    scale, stated = 2.0**28, 0.0
    for level, prime in enumerate(q[1:], 2):
        scale = 2.0**42 if level == RESULTS + 1 else scale
        scale = math.sqrt(scale * prime)
        stated = scale if level == RESULTS else stated
    parameters = ckks.Parameters.custom(
        BOOTSTRAP_N, scale, q, _primes_of(BOOTSTRAP_SPECIAL, q, BOOTSTRAP_N),
        security="insecure_by_request", scales=[0] * (RESULTS - 1) + [stated],
    )  # fmt: skip
    context = ckks.Context(parameters, threads=1)
    machine = ckks.Bootstrapper(
        context, slots=2, to_slots=[1], to_coefficients=[1], coefficients_first=True
    )
    generator = ckks.KeyGenerator(context, seed=KEY_SEED)
    sparse = ckks.KeyGenerator(context, seed=SPARSE_SEED, secret="sparse", secret_weight=32)
    keys = machine.make_keys(generator, seed=SPARSE_SEED)
    secrets = generator.secret_key(), sparse.secret_key()
    plaintext = ckks.Plaintext(context, BOOTSTRAPPED, slots=2)
    x = ckks.Encryptor(secrets[0]).encrypt(plaintext, seed=ENCRYPTION_SEED, index=1)
    return {
        "parameters": parameters,
        "secret": secrets[0],
        "secret_sparse": secrets[1],
        "switching": generator.key_switch_key(*secrets, index=3, level=1, special=2),
        "bootstrap": keys,
        "ciphertext_low": x.mod_switch(machine.input_level),
    }


#: The set of BFV that bootstraps: log2 of primes of q, of those above, of special ones.
EXACT_BITS = ((42, 42), (30, 30, *8 * [48], 43, 43), 12 * (53,))


def exact_bootstrap_objects() -> dict[str, Any]:
    """The same of integers; the reader finds the chain in the keys."""
    q, above, special = [], [], []
    for sizes, out in zip(EXACT_BITS, (q, above, special), strict=True):
        out += _primes_of(sizes, q + above, BOOTSTRAP_N)
    parameters = bfv.Parameters.custom(
        BOOTSTRAP_N, T, q, special[:1], security="insecure_by_request"
    )
    context = bfv.Context(parameters, threads=1)
    machine = bfv.Bootstrapper(
        context, primes=above, special=special, to_slots=[3, 3], to_coefficients=[3, 3],
        digit_primes=14, passes=1,
    )  # fmt: skip
    keys = context.generate_keys(seed=KEY_SEED)
    x = bfv.Encryptor(keys.public).encrypt(
        bfv.CoefficientEncoder(context).encode(X), seed=ENCRYPTION_SEED, index=1
    )
    return {
        "parameters": parameters,
        "secret": keys.secret,
        "bootstrap": machine.make_keys(keys, seed=SPARSE_SEED),
        "ciphertext_low": x,
    }


def ckks_values() -> dict[str, list[Any]]:
    """What the ciphertexts of CKKS hold but for their errors, complex numbers as pairs."""
    product = [u * v for u, v in zip(U, V, strict=True)]
    values: dict[str, list[Any]] = {
        "public": U, "seeded": V, "sparse": SHORT, "coefficients": POLYNOMIAL, "product": product,
        "relinearized": product, "rotated": U[STEP:] + U[:STEP],
        "conjugated": [u.conjugate() for u in U], "low": V, "batch": [V, V[::-1]],
    }  # fmt: skip
    return {
        f"ciphertext_{name}.bin": [[v.real, v.imag] if isinstance(v, complex) else v for v in row]
        for name, row in values.items()
    }


def expected_values() -> dict[str, list[Any]]:
    """What plaintexts decode to and ciphertexts decrypt to, by file name; from the inputs alone."""
    y = Y + [0] * (N - len(Y))
    product = [(a * b + T // 2) % T - T // 2 for a, b in zip(X, y, strict=True)]
    half = N // 2
    rotated = [X[row + (i + STEP) % half] for row in (0, half) for i in range(half)]
    singles = {"public": X, "seeded": y, "coefficients": X, "product": product}
    singles |= {"relinearized": product, "rotated": rotated, "without_noise": product}
    singles |= {"silent": product}
    singles |= {"batch": ROWS, "batch_seeded": ROWS, "switched": X, "shrunk": X}
    singles |= {"shrunk_product": product, "shrunk_batch": ROWS}
    values = {f"ciphertext_{name}.bin": found for name, found in singles.items()}
    flat, lanes = [v / SCALE for row in ROWS for v in row], N // 2 // BLOCK
    rows = range(len(flat) // BLOCK)
    at = [[r // lanes * (N // 2) + j * lanes + r % lanes for j in range(BLOCK)] for r in rows]
    values["array.enc"] = [[flat[slot] for slot in row] for row in at]
    values |= {"plaintext_slots.bin": X, "plaintext_coefficients.bin": X}
    return values | {"plaintext_batch.bin": ROWS}


def all_files() -> dict[str, bytes]:
    """Every golden file of this build, by version, set and name."""
    files = {
        f"v{VERSION}/{folder}/{name}": data
        for folder, (scheme, primes, special, options) in SETS.items()
        for name, data in golden_files(primes, special, scheme, options).items()
    }
    for folder in CKKS_SETS:
        for name, thing in ckks_objects(folder).items():
            files[f"v{VERSION}/{folder}/{name}.bin"] = thing.to_bytes()
    for name, thing in bootstrap_objects().items():
        files[f"v{VERSION}/ckks_bootstrap/{name}.bin"] = thing.to_bytes()
    for name, thing in exact_bootstrap_objects().items():
        files[f"v{VERSION}/bfv_bootstrap/{name}.bin"] = thing.to_bytes()
    for name, values in (("values", expected_values()), ("values_ckks", ckks_values())):
        lines = (f"  {json.dumps(key)}: {json.dumps(v)}" for key, v in values.items())
        files[f"v{VERSION}/{name}.json"] = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    return files


def write(folder: Path, files: dict[str, bytes]) -> list[str]:
    """Writes the files that are missing and returns their names.

    Raises
    ------
    FileExistsError
        A file exists and holds other bytes. Nothing is written then.
    """
    for name, data in files.items():
        path = folder / name
        if path.exists() and path.read_bytes() != data:
            raise FileExistsError(
                f"{name} exists and this build writes other bytes: users have stored such objects, "
                "so raise the version of the format (format.hpp, VERSION in write.py) instead of "
                "changing it, or undo the change of the bytes"
            )
    missing = [name for name in files if not (folder / name).exists()]
    for name in missing:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(files[name])
    return missing


if __name__ == "__main__":
    try:
        written = write(FOLDER, all_files())
    except FileExistsError as error:
        sys.exit(f"error: {error}")
    print(f"wrote {len(written)} files:", *written)
