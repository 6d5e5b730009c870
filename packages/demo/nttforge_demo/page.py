# SPDX-License-Identifier: Apache-2.0
"""The page of a run: one self-contained HTML file, and the scores as CSV and the report as JSON."""

from __future__ import annotations

import csv
import html
import json
import math
import platform
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from nttforge import _html
from nttforge.console.output import duration, size

from . import charts, packing, plots
from .machines import recipe_facts
from .model import REFINED_SCALE

if TYPE_CHECKING:
    from .result import Result


def write_page(directory: Path, result: Result) -> None:
    """Writes index.html, scores.csv and report.json into ``directory``."""
    template = resources.files("nttforge_demo").joinpath("page.html").read_text("utf-8")
    page = Template(template).substitute(_fields(result))
    (directory / "index.html").write_text(page, "utf-8")
    (directory / "report.json").write_text(json.dumps(report(result), indent=2), "utf-8")
    with (directory / "scores.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["patient", "held_out", "malignant", "s", "s_plain", "r", "r_plain"])
        p = result.patients
        columns = [p.held_out.astype(int), p.outcome, result.scores, result.plain_scores]
        columns += [result.refined, result.plain_refined]
        writer.writerows([i, *map(int, row)] for i, row in enumerate(zip(*columns, strict=True)))


def report(result: Result) -> dict[str, Any]:
    """The figures of a run, for machines."""
    return {
        "records": len(result.scores),
        "equal_scores": result.equal_scores,
        "equal_refined": result.equal_refined,
        "metrics": {
            name: {key: value if math.isfinite(value) else None for key, value in m.items()}
            for name, m in metrics(result).items()
        },
        "ckks": _real_facts(result),
        "seconds": result.seconds,
        "phases": [asdict(p) for p in result.phases],
        "bytes": {**result.sent, **result.received},
        "noise": result.noise,
        "parameters": _parameters(result),
        "recipe": {"client": result.client_recipe, "server": result.server_recipe},
        "devices": {
            "client": {"device": "cpu", "machine": result.client_machine},
            "server": {"device": result.server_device, "machine": result.server_machine},
        },
        "repeated_on_cpu": None
        if result.repeated_files is None
        else {"ciphertexts": result.repeated_files, "equal_bytes": result.equal_files},
        "insecure_test_seed": result.seeded,
    }


def metrics(result: Result) -> dict[str, dict[str, float]]:
    """Accuracy and area under the ROC curve on the held-out patients."""
    half = REFINED_SCALE // 2
    return {
        "float model": {
            "accuracy": result.accuracy(result.float_scores > 0),
            "auc": result.auc(result.float_scores),
        },
        "plaintext integers s": {
            "accuracy": result.accuracy(result.plain_scores > 0),
            "auc": result.auc(result.plain_scores),
        },
        "encrypted s": {
            "accuracy": result.accuracy(result.scores > 0),
            "auc": result.auc(result.scores),
        },
        "encrypted r": {
            "accuracy": result.accuracy(result.refined > half),
            "auc": result.auc(result.refined),
        },
        "encrypted s, by CKKS": {
            "accuracy": result.accuracy(result.real.scores > 0),
            "auc": result.auc(result.real.scores),
        },
    }


def _real_facts(result: Result) -> dict[str, Any]:
    """What CKKS made of the same patients."""
    real, (of_scores, of_refined) = result.real, result.differences
    return {
        "n": real.choice.parameters.n,
        "largest_difference_of_scores": of_scores,
        "largest_difference_of_probabilities": of_refined,
        "promised_difference_of_scores": real.promised,
        "predicted_precision_bits": real.choice.precision_bits,
        "seconds": real.seconds,
        "bytes": {
            "evaluation keys": real.choice.evaluation_keys_bytes,
            "encrypted records and model": real.sent,
            "encrypted results": real.received,
        },
    }


def _parameters(result: Result) -> dict[str, Any]:
    p = result.parameters
    bits, reason = p.security_verdict()
    return {
        "n": p.n,
        "t": p.t,
        "q": list(p.q),
        "special": list(p.special),
        "q_bits": p.q_bits,
        "modulus_bits": p.modulus_bits,
        "security_bits": bits,
        "security": reason,
        "security_table": p.security_table,
    }


def _fields(result: Result) -> dict[str, str]:
    p = result.parameters
    count = len(result.scores)
    test = int(result.patients.held_out.sum())
    verdict = f"{min(result.equal_scores, result.equal_refined):,} of {count:,}"
    bits, reason = p.security_verdict()
    server = sum(phase.seconds for phase in result.phases if phase.who == "server")
    m = metrics(result)
    fields = {
        "count": f"{count:,}",
        "verdict": verdict,
        "verdict_class": "good" if result.passed else "bad",
        "verdict_mark": "✓" if result.passed else "✗",
        "accuracy": f"{100 * m['encrypted s']['accuracy']:.1f} %",
        "accuracy_float": f"{100 * m['float model']['accuracy']:.1f} %",
        "test_count": f"{test:,}",
        "seconds": duration(result.seconds),
        "server_seconds": duration(server),
        "noise_left": f"{result.noise[-1]['bits']:.0f} bits",
        "noise_fresh": f"{result.noise[0]['bits']:.0f}",
        "per_ciphertext": f"{packing.records_per_ciphertext(p.n):,}",
        "batches": "1 ciphertext" if result.batches == 1 else f"{result.batches:,} ciphertexts",
        "n": f"{p.n:,}",
        "t": f"{p.t:,}",
        "t_bits": str(p.t.bit_length()),
        "q_bits": str(p.q_bits),
        "limbs": str(len(p.q)),
        "modulus_bits": str(p.modulus_bits),
        "security_bits": str(bits),
        "security_reason": _html.grouped(reason.rstrip(".")),
        "security_source": p.security_source,
        "score_bound": f"{result.model.score_bound:,}",
        "refined_bound": f"{result.model.refined_bound:,}",
        "quadratic": ", ".join(
            f"{name} = {value:,}".replace("-", "−")
            for name, value in zip("abc", result.model.quadratic, strict=True)
        ),
        "version": _version(),
        "machine": f"{result.client_machine}, Python {platform.python_version()}",
        "client_device": "the CPU",
        "server_device": _device(result.server_device),
        "seed_warning": _SEED_WARNING if result.seeded else "",
    }
    fields = {name: html.escape(text) for name, text in fields.items()}
    fields["seed_warning"] = _SEED_WARNING if result.seeded else ""
    fields["style"] = _html.STYLE
    fields["phases_table"] = _phases_table(result)
    fields["sent_table"] = _sent_table(result)
    fields["metrics_table"] = _metrics_table(m)
    fields["recipe_table"] = _recipe_table(result)
    fields["schemes_table"] = _schemes_table(result)
    fields["repeated"] = _repeated(result)
    fields["phases_chart"] = charts.phase_times(result.phases)
    fields["noise_chart"] = charts.noise(result.noise)
    fields["roc_plot"] = plots.roc(result)
    fields["scores_plot"] = plots.scores(result)
    return fields


_SEED_WARNING = (
    '<p class="warning">Keys and encryptions of this run come from a fixed seed, so that it can be '
    "repeated: it protects nothing. Leave out --seed for real use.</p>"
)


def _version() -> str:
    from nttforge import __version__

    return str(__version__)


def _device(name: str) -> str:
    return "the CPU" if name == "cpu" else f"the GPU {name}"


def _repeated(result: Result) -> str:
    """A paragraph about what the CPU computed again; empty if the server was a CPU."""
    if result.repeated_files is None:
        return ""
    return (
        f"<p>The client needs no GPU: bytes go to the server and come back. Afterwards the CPU "
        f"computed the server's work again from the same bytes: <b>{result.equal_files:,} of "
        f"{result.repeated_files:,}</b> ciphertexts, results and those after each step for the "
        f"first batch, have the bytes that {html.escape(result.server_device)} wrote.</p>"
    )


def _phases_table(result: Result) -> str:
    rows = [
        [
            charts.who(p.who),
            html.escape(p.name),
            duration(p.seconds),
            size(p.byte_count) if p.byte_count is not None else "",
            html.escape(p.remark),
        ]
        for p in result.phases
    ]
    header = ["who", "phase", "time", "bytes", "remark"]
    return _html.table(header, rows, "Time and bytes of each phase", {2, 3}, least=700)


_SEEN = {
    "parameters": "read in full; public by design",
    "public key": "could encrypt more records; decrypts nothing",
    "relinearization key": "lets it finish products; decrypts nothing",
    "rotation keys": "for the steps 1, 2, 4, 8, 16 only; decrypt nothing",
    "encrypted model": "weights and a, b, c: indistinguishable from random",
    "encrypted records": "30 features of each patient: indistinguishable from random",
    "encrypted results": "s and r of each patient: computed, never seen",
}


def _sent_table(result: Result) -> str:
    sizes = {**result.sent, "encrypted results": result.received["encrypted results"]}
    rows = [[kind, size(count), _SEEN[kind]] for kind, count in sizes.items()]
    header = ["file", "bytes", "what the server can do with it"]
    return _html.table(header, rows, "What the server receives and makes", {1}, least=580)


def _schemes_table(result: Result) -> str:
    """Exact and approximate side by side."""
    real, facts = result.real, _real_facts(result)
    exact = sum(p.seconds for p in result.phases if p.who == "server")
    sent = result.sent
    keys = sent["relinearization key"] + sent["rotation keys"]
    count = len(result.scores)
    rows = [
        ["numbers", "integers, exact", "real numbers, nearly"],
        ["n", f"{result.parameters.n:,}", f"{real.choice.parameters.n:,}"],
        ["records", "in a process of its own, files", "in this process"],
        ["computed in", duration(exact), duration(real.seconds)],
        ["evaluation keys", size(keys), size(real.choice.evaluation_keys_bytes)],
        ["ciphertexts there", size(sent["encrypted model"] + sent["encrypted records"]),
         size(real.sent)],
        ["results back", size(result.received["encrypted results"]), size(real.received)],
        ["largest error of s", "0", f"{facts['largest_difference_of_scores']:.2g}"],
        ["the error that s carries", "0", f"{real.promised:.2g}"],
        ["of the probability", "0", f"{facts['largest_difference_of_probabilities']:.2g}"],
    ]  # fmt: skip
    text = f"The same {count:,} patients by both schemes"
    return _html.table(["", "BFV", "CKKS"], rows, text, {1, 2})


def _metrics_table(values: dict[str, dict[str, float]]) -> str:
    rows = [[name, f"{100 * m['accuracy']:.2f} %", f"{m['auc']:.4f}"] for name, m in values.items()]
    header = ["on the held-out patients", "accuracy", "AUC"]
    return _html.table(header, rows, "Accuracy of each model", {1, 2})


def _recipe_table(result: Result) -> str:
    sides = (
        ("client", "cpu", result.client_machine, result.client_recipe),
        ("server", result.server_device, result.server_machine, result.server_recipe),
    )
    rows = [
        [charts.who(who), *(html.escape(text) for text in (device, machine, *recipe_facts(recipe)))]
        for who, device, machine, recipe in sides
    ]
    header = ["who", "device", "machine", "kernel", "arithmetic", "shape", "threads"]
    return _html.table(header, rows, "Devices and recipes of the transforms", set(), least=700)
