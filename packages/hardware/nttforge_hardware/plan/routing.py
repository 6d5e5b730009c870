# SPDX-License-Identifier: Apache-2.0
"""Settings of Benes networks, and the split of a permutation over space and time."""

from __future__ import annotations

from collections.abc import Sequence


def benes_settings(source: Sequence[int]) -> list[list[bool]]:
    """Switches of nttf_benes, layer by layer, so that output lane o gets input lane source[o].

    The looping algorithm: an output's input fixes its partner's half, and so on round a loop.

    Examples
    --------
    >>> benes_settings([1, 0])
    [[True]]
    """
    lanes = len(source)
    if lanes == 2:
        return [[source[0] == 1]]
    half = lanes // 2
    target = [0] * lanes
    for output, lane in enumerate(source):
        target[lane] = output
    inner_of_input: list[int] = [-1] * lanes
    inner_of_output: list[int] = [-1] * lanes
    for start in range(lanes):
        output = start
        while inner_of_output[output] < 0:
            inner_of_output[output] = 0
            lane = source[output]
            inner_of_input[lane], inner_of_input[lane ^ half] = 0, 1
            opposite = target[lane ^ half]
            inner_of_output[opposite] = 1
            output = opposite ^ half
    inner = []
    for which in (0, 1):
        outputs = [p if inner_of_output[p] == which else p + half for p in range(half)]
        inner.append(benes_settings([source[o] % half for o in outputs]))
    middle = [low + high for low, high in zip(*inner, strict=True)]
    first = [inner_of_input[p] == 1 for p in range(half)]
    last = [inner_of_output[p] == 1 for p in range(half)]
    return [first, *middle, last]


def apply_benes(settings: Sequence[Sequence[bool]], words: Sequence[int]) -> list[int]:
    """What nttf_benes does to one word of every lane."""
    values, top = list(words), (len(settings) - 1) // 2
    for j, layer in enumerate(settings):
        bit = top - j if j <= top else j - top
        for i, crosses in enumerate(layer):
            low = (i >> bit << (bit + 1)) | (i & ((1 << bit) - 1))
            if crosses:
                values[low], values[low | 1 << bit] = values[low | 1 << bit], values[low]
    return values


def colour_edges(edges: Sequence[tuple[int, int]], degree: int) -> list[int]:
    """A colour in 0 ... degree - 1 for each edge of a regular bipartite multigraph.

    No two edges at a node have one colour. ``degree`` is a power of two: an Euler circuit splits
    the graph into two of half the degree, again and again.

    Examples
    --------
    >>> colour_edges([(0, 0), (0, 1), (1, 0), (1, 1)], 2)
    [1, 0, 0, 1]
    """
    colours = [0] * len(edges)
    parts = [list(range(len(edges)))]
    while degree > 1:
        degree //= 2
        halves = []
        for part in parts:
            first, second = _euler_split(edges, part)
            for edge in second:
                colours[edge] += degree
            halves += [first, second]
        parts = halves
    return colours


def _euler_split(edges: Sequence[tuple[int, int]], part: list[int]) -> tuple[list[int], list[int]]:
    """Edges passed left to right, and right to left, on closed walks through all of them."""
    at: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
    for edge in part:
        for side in (0, 1):
            at[side].setdefault(edges[edge][side], []).append(edge)
    used: set[int] = set()
    halves: tuple[list[int], list[int]] = ([], [])
    for start in part:
        side, node = 0, edges[start][0]
        while True:
            waiting = at[side][node]
            while waiting and waiting[-1] in used:
                waiting.pop()
            if not waiting:
                break
            edge = waiting.pop()
            used.add(edge)
            halves[side].append(edge)
            side = 1 - side
            node = edges[edge][side]
    return halves
