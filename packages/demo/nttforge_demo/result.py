# SPDX-License-Identifier: Apache-2.0
"""What a run of the demonstration gives: times, scores, and whether they are right."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import model as models
from .real import RealScores

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Phase:
    """One line of the table of times."""

    who: str
    name: str
    seconds: float
    byte_count: int | None = None
    remark: str = ""


@dataclass
class Result:
    """What the page and the summary are made of."""

    patients: models.Patients
    model: models.Model
    parameters: Any
    float_scores: NDArray[np.float64]
    plain_scores: IntArray
    plain_refined: IntArray
    scores: IntArray
    refined: IntArray
    real: RealScores
    phases: list[Phase] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)
    noise: list[dict[str, Any]] = field(default_factory=list)
    client_recipe: dict[str, Any] = field(default_factory=dict)
    server_recipe: dict[str, Any] = field(default_factory=dict)
    client_machine: str = ""
    server_machine: str = ""
    server_device: str = "cpu"
    repeated_files: int | None = None
    """Ciphertexts that the CPU computed again; None if the server was a CPU itself."""
    equal_files: int = 0
    """Those of them that have the server's bytes."""
    batches: int = 0
    threads: int = 0
    seeded: bool = False
    seconds: float = 0.0

    @property
    def equal_scores(self) -> int:
        """Records whose decrypted score is the plaintext one."""
        return int((self.scores == self.plain_scores).sum())

    @property
    def equal_refined(self) -> int:
        """Records whose decrypted refinement is the plaintext one."""
        return int((self.refined == self.plain_refined).sum())

    @property
    def equal_rounded(self) -> int:
        """Records whose score by CKKS is the plaintext one when it is rounded."""
        return int((np.rint(self.real.scores) == self.plain_scores).sum())

    @property
    def passed(self) -> bool:
        """Every value is what the plaintext computation gives, every byte what a CPU gives.

        CKKS' scores are as close to them as the error that they carry says.
        """
        right = self.equal_scores == self.equal_refined == len(self.scores)
        right = right and self.differences[0] <= self.real.promised
        return right and self.equal_files == (self.repeated_files or 0)

    @property
    def differences(self) -> tuple[float, float]:
        """Largest ones of CKKS' scores from the exact ones, and of its probabilities."""
        return self.real.differences(self.plain_scores, self.plain_refined)

    def accuracy(self, positive: NDArray[np.bool_]) -> float:
        """Share of held-out patients told right; nan if there are none."""
        test = self.patients.held_out
        if not test.any():
            return float("nan")
        return float((positive[test] == (self.patients.outcome[test] == 1)).mean())

    def auc(self, values: NDArray[Any]) -> float:
        """Area under the ROC curve of the held-out patients; nan if they have one outcome only."""
        from sklearn.metrics import roc_auc_score

        test = self.patients.held_out
        outcome = self.patients.outcome[test]
        if outcome.size == 0 or outcome.min() == outcome.max():
            return float("nan")
        return float(roc_auc_score(outcome, values[test]))


class Clock:
    """Times phases and reports each as it ends."""

    def __init__(self, report: Callable[[Phase], None]) -> None:
        self.phases: list[Phase] = []
        self._report = report

    def add(self, phase: Phase) -> None:
        """Records a phase that was timed elsewhere."""
        self.phases.append(phase)
        self._report(phase)

    @contextlib.contextmanager
    def time(self, who: str, name: str) -> Iterator[dict[str, Any]]:
        """Times the block, which may set ``byte_count`` and ``remark``."""
        details: dict[str, Any] = {}
        start = time.perf_counter()
        yield details
        self.add(Phase(who, name, time.perf_counter() - start, **details))
