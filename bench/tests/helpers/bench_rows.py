# SPDX-License-Identifier: Apache-2.0
"""Rows of benchmark results, made up for tests."""

from __future__ import annotations

from typing import Any

from nttforge_bench import documents

Row = dict[str, Any]


def transform_row(
    min_ns: float, bits: int = 50, n: int = 4096, target: str = "avx512_ifma", **fields: Any
) -> Row:
    row = {"kind": "transform", "bits": bits, "word_bits": 64, "q": 97, "n": n, "min_ns": min_ns}
    row |= {"ring": "negacyclic", "target": target, "direction": "forward", "median_ns": min_ns}
    return row | fields


def rate_row(name: str, per_cycle: float, vector_bits: int = 512) -> Row:
    row = {"kind": "instruction", "name": name, "vector_bits": vector_bits}
    return row | {"per_cycle": per_cycle, "ghz": 3.0}


def bfv_row(min_ns: float, operation: str, variant: str = "") -> Row:
    row = {"kind": "bfv", "set": "128-bit 2^14", "n": 16384, "log2_q": 389, "t": 2}
    return row | {"variant": variant, "operation": operation, "min_ns": min_ns}


def document_of(*rows: Row, program: str = "nttforge", build: str = "-O3") -> dict[str, Any]:
    head = {"schema": documents.SCHEMA, "program": program, "version": "abc", "build": build}
    return {**head, "compiler": "12", "cpu": "a CPU", "results": list(rows)}
