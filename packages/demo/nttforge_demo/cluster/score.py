# SPDX-License-Identifier: Apache-2.0
"""``nttforge cluster score``: what whoever computes runs, without any secret."""

from __future__ import annotations

import argparse
import contextlib
import re
import time
from typing import TYPE_CHECKING, Any

from nttforge.console.arguments import integer
from nttforge.console.output import duration, size
from nttforge.console.scheduler import add_scheduler
from nttforge.encrypted.kinds import EVALUATION
from nttforge.errors import MissingKeyError, ParameterError

from .client import MODEL_FOLDER
from .progress import Progress

if TYPE_CHECKING:
    from nttforge_cluster import Workers

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def add_actions(actions: Any) -> None:
    score = actions.add_parser("score", help="score encrypted records, on as many processes")
    score.add_argument("data", help="folder that encrypt wrote, or address of fsspec")
    score.add_argument("--keys", required=True, help="the server's folder, which workers read")
    score.add_argument("--out", default=None, help="folder for the scores (default DATA-scores)")
    score.add_argument("--local", type=integer, metavar="N", help="N worker processes here")
    score.add_argument(
        "--dashboard",
        action="store_true",
        help="with --local: the scheduler's web pages, on 127.0.0.1 for all of this machine",
    )
    add_scheduler(score)
    score.add_argument(
        "--device", default="cpu", help="of each worker: cpu (default), cuda, cuda:1 or cuda:host"
    )
    score.add_argument("--memory", help="bytes for each worker, as 2GiB (default: a fair share)")
    score.add_argument(
        "--in-flight",
        type=integer,
        default=0,
        help="partitions given out at a time (default 0: two for each worker)",
    )


def memory_bytes(text: str | None) -> int:
    """Bytes of a text such as 2GiB; 0 of none."""
    if text is None:
        return 0
    found = re.fullmatch(r"([0-9]{1,15})([KMGT]?)(iB)?", text)
    if not found or int(found[1]) < 1:
        raise ParameterError(f"--memory {text!r}: need bytes, as 2GiB or 500MiB")
    return int(found[1]) * _UNITS[found[2]]


def _score(options: argparse.Namespace) -> int:
    from nttforge.encrypted import EncryptedArray
    from nttforge_cluster import (
        Certificates,
        EncryptedDataset,
        MemoryPlan,
        Store,
        connected,
        local_workers,
    )

    from .. import scoring

    if options.local is not None and options.scheduler is not None:
        raise ParameterError("--local and --scheduler: give one of them")
    if options.dashboard and options.local is None:
        raise ParameterError("--dashboard goes with --local N: another scheduler has its own")
    if not 0 <= options.in_flight <= 2**20:
        raise ParameterError(f"--in-flight = {options.in_flight} is not in [0, 2^20]")
    memory = memory_bytes(options.memory)
    secure = Certificates.of(options.tls_ca, options.tls_cert, options.tls_key)
    dataset = EncryptedDataset.open(options.data)
    if dataset.columns != (scoring.RECORDS,):
        raise ParameterError(
            f"{dataset.store.address} has the columns {', '.join(dataset.columns)}: score takes "
            "what nttforge cluster encrypt wrote"
        )
    from nttforge_cluster.schemes import context_of

    context = context_of(dataset.parameters)
    keys = Store(options.keys)
    folder = keys.child(MODEL_FOLDER)
    for store, name in ((keys, EVALUATION), *((folder, f"{name}.enc") for name in scoring.MODEL)):
        if not store.exists(name):
            raise MissingKeyError(
                f"{store.file(name)} does not exist: give the server's folder of nttforge cluster "
                "keys"
            )
    model = {
        name: EncryptedArray.from_bytes(context, folder.read(f"{name}.enc"))
        for name in scoring.MODEL
    }
    out = options.out or f"{dataset.store.address}-scores"
    with contextlib.ExitStack() as stack:
        if options.scheduler is not None:
            client = stack.enter_context(connected(options.scheduler, secure))
        elif options.local is not None:
            cards = options.device.startswith("cuda") and options.device != "cuda:host"
            client = stack.enter_context(
                local_workers(options.local, cards, secure, options.dashboard)
            )
        else:
            client = None
        _say_where(client, options.device)
        begun = time.perf_counter()
        progress = Progress("score", dataset.records)
        done = {"computed": 0, "kept": 0, "records": 0}

        def planned(plan: MemoryPlan) -> None:
            print(
                f"memory of a worker: at most {size(plan.total)} beside the program (keys "
                f"{size(plan.keys)}, two batches of {plan.at_once} ciphertexts, "
                f"{size(plan.batch)} each)",
                flush=True,
            )

        def said(outcome: dict[str, Any]) -> None:
            done["kept" if outcome["kept"] else "computed"] += 1
            done["records"] += 0 if outcome["kept"] else int(outcome["records"])
            progress.add(int(outcome["records"]), bool(outcome["kept"]))

        result = dataset.map(scoring.score, model).persist(
            out,
            keys=options.keys,
            client=client,
            device=options.device,
            memory=memory,
            in_flight=options.in_flight,
            planned=planned,
            said=said,
        )
        progress.close()
        spent = time.perf_counter() - begun
    total = sum(part.bytes for part in result.manifest.parts)
    rate = f", {done['records'] / spent:.4g} records/s" if done["records"] else ""
    print(
        f"{result.store.address}: {result.records} scores in {len(result.manifest.parts)} "
        f"partitions ({done['computed']} computed now, {done['kept']} kept), {size(total)}, "
        f"{duration(spent)}{rate}"
    )
    return 0


def _say_where(client: Workers | None, device: str) -> None:
    if client is None:
        print(f"in this process, device {device}")
        return
    print(f"scheduler {client.address}, {client.count} workers, device {device}", flush=True)
    if client.dashboard:
        try:
            import bokeh  # noqa: F401

            pages = ""
        except ImportError:
            pages = " (its pages need: pip install bokeh)"
        print(f"dashboard {client.dashboard}{pages}", flush=True)


ACTIONS = {"score": _score}
