# SPDX-License-Identifier: Apache-2.0
"""Bootstraps in a row with products between them, each compared with what its result states.

python python/tests/helpers/bootstrap_chains.py --count 10000 --seed 1
python python/tests/helpers/bootstrap_chains.py --set boot16w_40 --device cuda
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nttforge import PrecisionError, ckks

#: The sets whose chains run here; boot16_51, boot16w_45 and boot16w_54 are for two iterations.
SETS = ("boot16_40", "boot16w_40", "boot16w_fast", "boot16_45", "boot15w_30", "boot15_31")


@dataclass
class Margins:
    """Bits that errors stay below what is stated, at the least; and how much was compared."""

    heuristic: float = np.inf
    proved: float = np.inf
    bootstraps: int = 0
    compared: int = 0
    largest: float = 0.0  # error of a bootstrap's result

    def check(self, keys: ckks.Keys, x: ckks.Ciphertext, exact: np.ndarray, what: str) -> float:
        """The largest error, which is below both bounds."""
        error = float(np.abs(keys.decrypt(x) - exact).max())
        assert error <= min(x.error, x.proved_error), (what, error, x.error, x.proved_error)
        self.heuristic = min(self.heuristic, float(np.log2(x.error / error)))
        self.proved = min(self.proved, float(np.log2(x.proved_error / error)))
        self.compared += 1
        return error


def turns(rng: np.random.Generator, count: int, real: bool) -> np.ndarray:
    """Numbers of absolute value 1, with whose products errors stay as they are.

    Parts of complex ones are at most 0.7072, so that the library knows their absolute value.
    """
    signs = rng.choice([-1.0, 1.0], (2, count))
    return signs[0] if real else np.sqrt(0.5) * (signs[0] + 1j * signs[1])


def run_chain(
    evaluation: ckks.BootstrapKeys,
    keys: ckks.Keys,
    rounds: int,
    products: int,
    rng: np.random.Generator,
    real: bool,
    margins: Margins,
) -> int:
    """So many bootstraps with products after each: how many there were before no bit was left."""
    machine = evaluation.bootstrapper
    slots = machine.slots
    angles = np.exp(0 if real else 2j * np.pi * rng.uniform(size=slots))
    exact = rng.uniform(0.1, 0.999, slots) * turns(rng, slots, real) * angles
    x = keys.encrypt(exact, slots=slots).mod_switch(machine.input_level)
    for done in range(rounds):
        try:
            y = x.bootstrap(evaluation)
            error = margins.check(keys, y, exact, f"bootstrap {done}")
            margins.largest = max(margins.largest, error)
            margins.bootstraps += 1
            factor = turns(rng, slots, real)
            other = keys.encrypt(factor, bound=1 if real else 0.7072, slots=slots)
            for _ in range(min(products, y.level - machine.input_level)):
                y = (y * other).relinearize(keys).within(1)
                exact = exact * factor
            if products:
                margins.check(keys, y, exact, f"products after bootstrap {done}")
            x = y.mod_switch(machine.input_level)
        except PrecisionError:
            return done
    return rounds


def machines(n: int) -> Iterator[tuple[str, ckks.Bootstrapper]]:
    """The sets at a small n, and messages of few slots."""
    for name in SETS:
        machine = ckks.Bootstrapper.of(name, insecure_n=n)
        yield name, machine
    yield "8 slots", machine_of(machine.context, 8)


def machine_of(context: ckks.Context, slots: int) -> ckks.Bootstrapper:
    """A bootstrapper of a named set's chain for messages of few slots."""
    layers = slots.bit_length() - 1
    half = [layers - layers // 2, layers // 2] if layers > 1 else [1]
    return ckks.Bootstrapper(
        context,
        slots=slots,
        to_slots=half,
        to_coefficients=half,
        coefficients_first=True,
    )


def main() -> None:
    """Chains of all sets by turns, or of one at its own n, until there were so many bootstraps."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--products", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", choices=SETS, help="this one alone, at its own n")
    parser.add_argument("--device", default="cpu", help="where --set computes")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    parties = []
    if options.set is not None:
        chosen = [(options.set, ckks.Bootstrapper.of(options.set, device=options.device))]
    else:
        chosen = [pair for n in (2**7, 2**8) for pair in machines(n)]
    for name, machine in chosen:
        keys = machine.context.generate_keys()
        title = f"{name}, n = {machine.context.n}"
        parties.append((title, machine.make_keys(keys), keys, Margins()))
    total, turn = 0, 0
    while total < options.count:
        _, evaluation, keys, margins = parties[turn % len(parties)]
        before, real = margins.bootstraps, turn // len(parties) % 2 == 1
        run_chain(evaluation, keys, options.rounds, options.products, rng, real, margins)
        total, turn = total + margins.bootstraps - before, turn + 1
    for name, _, _, margins in parties:
        print(
            f"{name}: {margins.bootstraps} bootstraps, {margins.compared} results compared, "
            f"errors at most 2^{np.log2(margins.largest):.2f}, {margins.heuristic:.2f} bits below "
            f"the heuristic bound and {margins.proved:.2f} below the proved one"
        )


if __name__ == "__main__":
    main()
