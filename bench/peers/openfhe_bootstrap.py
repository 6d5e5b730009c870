# SPDX-License-Identifier: Apache-2.0
"""Bootstraps of CKKS by OpenFHE's wheel on one thread, checked and then timed.

    OMP_NUM_THREADS=1 python bench/peers/openfhe_bootstrap.py [--log-n 16] [--json FILE]

Needs the package openfhe alone, of Python 3.10 or 3.12. Dense ternary secrets with OpenFHE's sparse
encapsulation, as ours; the numbers are those of `ckks_bench --bootstrap`, uniform in [-1, 1].
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from importlib.metadata import version
from pathlib import Path

import openfhe

SCALE_BITS = 52


def make(log_n: int, depth: int, budget: list[int], digits: int) -> tuple:
    """A context of so many levels and its keys."""
    secret = openfhe.SecretKeyDist.SPARSE_ENCAPSULATED
    parameters = openfhe.CCParamsCKKSRNS()
    parameters.SetSecretKeyDist(secret)
    insecure = log_n < 16
    level = openfhe.SecurityLevel
    parameters.SetSecurityLevel(level.HEStd_NotSet if insecure else level.HEStd_128_classic)
    parameters.SetRingDim(1 << log_n)
    parameters.SetNumLargeDigits(digits)
    parameters.SetScalingTechnique(openfhe.ScalingTechnique.FLEXIBLEAUTO)
    parameters.SetScalingModSize(SCALE_BITS)
    parameters.SetFirstModSize(58)
    parameters.SetCKKSDataType(openfhe.CKKSDataType.COMPLEX)
    parameters.SetMultiplicativeDepth(depth)
    context = openfhe.GenCryptoContext(parameters)
    feature = openfhe.PKESchemeFeature
    for one in (
        feature.PKE,
        feature.KEYSWITCH,
        feature.LEVELEDSHE,
        feature.ADVANCEDSHE,
        feature.FHE,
    ):
        context.Enable(one)
    slots = 1 << (log_n - 1)
    context.EvalBootstrapSetup(budget, [0, 0], slots)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    context.EvalBootstrapKeyGen(keys.secretKey, slots)
    return context, keys


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--log-n", type=int, default=16)
    parser.add_argument("--depth", type=int, default=24, help="levels, those of the bootstrap too")
    parser.add_argument("--budget", type=int, nargs=2, default=[4, 3])
    parser.add_argument("--digits", type=int, default=4)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    depth = options.depth
    context, keys = make(options.log_n, depth, options.budget, options.digits)
    slots = 1 << (options.log_n - 1)
    draw = random.Random(1)
    numbers = [complex(draw.uniform(-1, 1), draw.uniform(-1, 1)) for _ in range(slots)]
    plain = context.MakeCKKSPackedPlaintext(numbers, 1, depth - 1)
    x = context.Encrypt(keys.publicKey, plain)
    times = []
    for _ in range(options.runs + 1):
        begun = time.perf_counter()
        fresh = context.EvalBootstrap(x)
        times.append(time.perf_counter() - begun)
    answer = context.Decrypt(fresh, keys.secretKey)
    answer.SetLength(slots)
    found = answer.GetCKKSPackedValue()
    errors = [
        abs(part)
        for a, b in zip(found, numbers, strict=True)
        for part in ((a - b).real, (a - b).imag)
    ]
    assert max(errors) < 1e-2, "openfhe: wrong result of a bootstrap"
    row = {
        "kind": "ckks",
        "library": "openfhe",
        "operation": "bootstrap",
        "n": 1 << options.log_n,
        "threads": 1,
        "depth": depth,
        "level_budget": options.budget,
        "digits": options.digits,
        "levels_left": depth - fresh.GetLevel(),
        "modulus_bits_between": SCALE_BITS * (depth - fresh.GetLevel()),
        "mean_bits": -math.log2(sum(errors) / len(errors)),
        "worst_bits": -math.log2(max(errors)),
        "min_ns": min(times[1:]) * 1e9,
        "median_ns": sorted(times[1:])[options.runs // 2] * 1e9,
        "runs": options.runs,
    }
    print(row)
    if options.json:
        result = {"schema": "nttforge-bench-1", "program": "openfhe", "version": version("openfhe")}
        text = json.dumps({**result, "results": [row]}, indent=1)
        Path(options.json).write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
