# SPDX-License-Identifier: Apache-2.0
"""The server: ``python -m nttforge_demo.server DIRECTORY [--device cuda] [--outbox NAME]``.

Reads encrypted records, an encrypted model and evaluation keys from DIRECTORY/to_server, writes
encrypted scores to DIRECTORY/from_server. It is given no secret key and needs none. It computes on
the device that it is told to: bytes come in and bytes go out, so whoever sent them needs no GPU.
One JSON object a line on standard output says how far it is.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from nttforge import bfv, cuda
from nttforge.errors import NttforgeError, ParameterError

from .machines import description

if TYPE_CHECKING:
    from nttforge.typing import DeviceName

T = TypeVar("T")


class Server:
    """Everything the server knows, and what it does with it."""

    def __init__(
        self, directory: Path, device: DeviceName = "cpu", outbox: str = "from_server"
    ) -> None:
        self.device: DeviceName = device
        self.inbox = directory / "to_server"
        self.outbox = directory / outbox
        self.job: dict[str, Any] = json.loads((self.inbox / "job.json").read_text("utf-8"))
        self.phases: dict[str, dict[str, Any]] = {}
        self.bytes_moved = 0
        self.steps: list[dict[str, Any]] = []

    def run(self) -> None:
        """The whole job; the report is written last."""
        self.outbox.mkdir(exist_ok=True)
        self._timed("load keys and model", self._load)
        for batch in range(self.job["batches"]):
            self._score(batch)
            self._say(done=batch + 1, of=self.job["batches"])
        report = {
            "phases": list(self.phases.values()),
            "steps": self.steps,
            "device": self.device,
            "machine": description(self.device),
            "recipe": self.context.recipe,
            "fingerprint": f"{self.context.fingerprint:016x}",
        }
        (self.outbox / "report.json").write_text(json.dumps(report, indent=2), "utf-8")

    def _load(self) -> None:
        parameters = bfv.Parameters.from_bytes(self._read("parameters.bin"))
        threads = self.job["threads"] if self.device == "cpu" else 0
        context = self.context = bfv.Context(parameters, self.device, threads)
        self.relinearization = bfv.RelinearizationKey.from_bytes(
            context, self._read("relinearization.key")
        )
        self.rotations = bfv.RotationKeys.from_bytes(context, self._read("rotations.key"))
        self.weights, self.a, self.b, self.c = (
            bfv.Ciphertext.from_bytes(context, self._read(f"model_{name}.ct"))
            for name in ("weights", "a", "b", "c")
        )

    def _score(self, batch: int) -> None:
        trace = batch == 0
        records = self._timed(
            "load records",
            lambda: bfv.Ciphertext.from_bytes(self.context, self._read(f"records_{batch:03}.ct")),
        )

        def step(name: str, phase: str, run: Callable[[], bfv.Ciphertext]) -> bfv.Ciphertext:
            result = self._timed(phase, run)
            predicted = result.predicted_noise_budget_bits
            if predicted is None or predicted <= 0:
                left = (
                    "nothing is known of it" if predicted is None else f"{predicted:.0f} bits left"
                )
                raise ParameterError(
                    f"the noise of step {name!r} may be too large to decrypt (by the prediction: "
                    f"{left}): use a larger n"
                )
            if trace:
                file = f"trace_{len(self.steps)}.ct"
                self.steps.append({"name": name, "file": file, "predicted_bits": predicted})
                (self.outbox / file).write_bytes(result.to_bytes())
            return result

        product = step("x w", "multiply", lambda: records * self.weights)
        product = step(
            "relinearize",
            "relinearize",
            lambda: product.relinearize(self.relinearization),
        )
        score = step(
            f"sum of {self.job['span']} slots = s",
            "inner sum (rotations)",
            lambda: product.inner_sum(self.job["span"], self.rotations),
        )
        square = step(
            "s²",
            "square, relinearize",
            lambda: score.square_relinearize(self.relinearization),
        )
        refined = step(
            "a s² + b s",
            "refinement (sum of products)",
            lambda: bfv.sum_of_products([self.a, self.b], [square, score]),
        )
        refined = step(
            "relinearize, + c = r",
            "refinement (sum of products)",
            lambda: refined.relinearize(self.relinearization) + self.c,
        )
        self._timed("write results", lambda: self._write(batch, score, refined))

    def _write(self, batch: int, score: bfv.Ciphertext, refined: bfv.Ciphertext) -> None:
        for name, ciphertext in (("score", score), ("refined", refined)):
            data = ciphertext.to_bytes()
            (self.outbox / f"{name}_{batch:03}.ct").write_bytes(data)
            self.bytes_moved += len(data)

    def _read(self, name: str) -> bytes:
        data = (self.inbox / name).read_bytes()
        self.bytes_moved += len(data)
        return data

    def _timed(self, name: str, operation: Callable[[], T]) -> T:
        """Runs the operation and adds its time, and the bytes it read or wrote, to a phase."""
        phase = self.phases.setdefault(name, {"name": name, "seconds": 0.0, "byte_count": None})
        start, moved = time.perf_counter(), self.bytes_moved
        result = operation()
        if self.device != "cpu":
            cuda.synchronize(self.device)  # operations have only been enqueued
        phase["seconds"] += time.perf_counter() - start
        if self.bytes_moved > moved:
            phase["byte_count"] = (phase["byte_count"] or 0) + self.bytes_moved - moved
        return result

    @staticmethod
    def _say(**event: Any) -> None:
        print(json.dumps(event), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the server once; 0 if every record was scored."""
    parser = argparse.ArgumentParser("python -m nttforge_demo.server", description=__doc__)
    parser.add_argument("directory", type=Path, help="where to_server is")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda, cuda:1 ...")
    parser.add_argument("--outbox", default="from_server", help="default %(default)s")
    options = parser.parse_args(arguments)
    try:
        Server(options.directory, options.device, options.outbox).run()
    except KeyboardInterrupt:
        return 130
    except (NttforgeError, OSError, KeyError, ValueError) as error:
        print(f"server: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
