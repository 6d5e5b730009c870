# SPDX-License-Identifier: Apache-2.0
"""The table that "auto" follows is what the kept measurements of BFV products say."""

import json
import re
from collections import defaultdict
from math import prod
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "bench/results/2026-11-23-bfv-products"


def fastest(path):
    """The form of least product of times, for each (n, word_bits)."""
    times = defaultdict(lambda: defaultdict(list))
    for row in json.loads(path.read_text())["results"]:
        if "min_ns" in row:
            times[row["n"], row["word_bits"]][row["form"]].append(row["min_ns"])
    for forms in times.values():
        assert {len(x) for x in forms.values()} == {4}
    return {key: min(forms, key=lambda f: prod(forms[f])) for key, forms in times.items()}


def test_the_table_of_fastest_products_follows_its_data():
    source = (ROOT / "nttforge/bfv/fastest_product.cpp").read_text()
    rows = re.findall(r'\{"cpu", (\d+), (\d+), ProductForm::(\w+)\}', source)
    table = {(int(n), int(bits)): form for n, bits, form in rows}
    assert fastest(DATA / "avx512-ifma.json") == table
    for key, form in fastest(DATA / "avx2.json").items():
        assert table[key] == form
    # Devices that the table does not have take BEHZ.
    assert '"cuda"' not in source
    assert set(fastest(DATA / "h200.json").values()) == {"behz"}


def test_forms_leave_nearly_the_same_budget():
    budgets = defaultdict(list)
    for row in json.loads((DATA / "avx512-ifma.json").read_text())["results"]:
        if "budget_bits" in row:
            budgets[row["n"], row["word_bits"]].append(row["budget_bits"])
    for rows in budgets.values():
        assert len(rows) == 4
        for level in zip(*rows, strict=True):
            assert max(level) - min(level) < 6
