# SPDX-License-Identifier: Apache-2.0
"""One encrypted multiplication of BFV, whose transforms run on a simulated Verilog design.

python examples/multiply_on_rtl.py [--n 1024] [--dp 4] [--pp 1] [--engines 1]

A client encrypts two messages. A server multiplies the ciphertexts and relinearizes the product:
every polynomial goes through NttPlan(device="rtl"), that is, through registers and DMA channels of
a design that Verilator compiled. The server's words must be those of the textbook scheme in plain
integers (nttforge_oracle.fv), and the client must decrypt the product of its messages. The server
is in packages/demo/nttforge_demo/rtl.py; nttforge demo --device rtl computes scores of patients.

The parameters are far too small to be secure: they keep a simulation of every cycle short.
"""

from __future__ import annotations

import argparse
import random

from nttforge_demo.rtl import multiply

T = 257


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--n", type=int, default=1024, help="ring dimension (default 1024)")
    parser.add_argument("--dp", type=int, default=4, help="coefficients per cycle (default 4)")
    parser.add_argument("--pp", type=int, default=1, help="stages in hardware (default 1)")
    parser.add_argument("--engines", type=int, default=1, help="that limbs share (default 1)")
    options = parser.parse_args(arguments)

    # A fixed seed: this shows hardware, it protects nothing.
    source = random.Random(1)
    messages = ([source.randrange(T) for _ in range(options.n)] for _ in range(2))
    recipe = {"dp": options.dp, "pp": options.pp, "engines": options.engines}
    found = multiply((next(messages), next(messages)), T, source, recipe, _said)
    print(f"design       {found.recipe}")
    print(f"cycles       {found.cycles}")
    words = found.equal_words == found.words
    decrypted = found.decrypted == found.expected
    print(f"words        {'those' if words else 'NOT those'} of the textbook scheme")
    print(f"decrypted    {'the product' if decrypted else 'NOT the product'} of the messages")
    return 0 if words and decrypted else 1


def _said(step: str, seconds: float, cycles: int) -> None:
    print(f"{step:<28} {seconds:6.1f} s  {cycles} cycles", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
