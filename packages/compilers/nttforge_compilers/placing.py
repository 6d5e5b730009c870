# SPDX-License-Identifier: Apache-2.0
"""Where a graph without bootstraps bootstraps, by the planner of :func:`nttforge.choose`."""

from __future__ import annotations

from dataclasses import replace

from nttforge import ParameterError, ckks
from nttforge.choosing.bootstraps import planned_bootstraps
from nttforge.choosing.simulated import Bootstrapping, LevelStep

from .demand import bootstrap_levels, levels_taken
from .graph import Graph
from .program import Program

__all__ = ["bootstrapped"]


def bootstrapped(program: Program, machine: ckks.Bootstrapper, *, bound: float = 1.0) -> Program:
    """The same program with bootstraps, as few as are found, each to the level that follows need.

    Parameters
    ----------
    program : Program
        Of CKKS, with numbers up to 1 wherever a bootstrap may come (:meth:`Graph.within`).
    machine : Bootstrapper
    bound : number
        What numbers that are encrypted stay within.

    Raises
    ------
    ParameterError
        An operation takes more levels than a bootstrap gives, or the program has bootstraps.

    Examples
    --------
    >>> from nttforge import ckks
    >>> from nttforge_compilers import Argument, Graph, Program, Result
    >>> machine = ckks.Bootstrapper.of("boot16_40", insecure_n=2**7)
    >>> graph = Graph(4)
    >>> x = graph.input()
    >>> for _ in range(20):
    ...     x = graph.within(graph.add("multiply", x, x), 1.0)
    >>> graph.outputs = [x]
    >>> none = Program("squarings", "ckks", graph, [Argument("x", 1, lambda v: [v])],
    ...                [Result(1, lambda rows: rows[0])])
    >>> bootstrapped(none, machine).bootstraps
    1
    """
    graph = program.graph
    if program.bootstraps:
        raise ParameterError(f"{program.name} has {program.bootstraps} bootstraps: need none")
    between = machine.level - machine.input_level
    stated = {o.operands[0] for o in graph.operations if o.name == "within"}
    steps, places = list[LevelStep](), list[int]()
    for i, operation in enumerate(graph.operations):
        steps.append(LevelStep(operation.operands, levels_taken(operation), 2, name=operation.name))
        if operation.name != "input" and i not in stated:  # after the statement, not before it
            places.append(i)
    plan = planned_bootstraps(steps, places, Bootstrapping(0.0, between, between))
    if isinstance(plan, str):
        raise ParameterError(f"{program.name}: {plan}; a bootstrap gives {between} levels")
    made, numbers = Graph(graph.slots), list[int]()
    for i, operation in enumerate(graph.operations):
        number = made.copied(operation, [numbers[k] for k in operation.operands])
        if i in plan.bootstrapped:
            number = made.add("bootstrap", number)
        numbers.append(number)
    made.outputs = [numbers[k] for k in graph.outputs]
    _state_levels(made)
    found = Program(
        program.name, program.scheme, made, program.arguments, program.results, program.t
    )
    bootstrap_levels(made, bound, machine)
    return found


def _state_levels(graph: Graph) -> None:
    """Says of every input and bootstrap how many levels follow, up to the next bootstraps."""
    follow = [0] * len(graph.operations)
    for i, operation in reversed(list(enumerate(graph.operations))):
        taken = 0 if operation.name == "bootstrap" else follow[i] + levels_taken(operation)
        for k in operation.operands:
            follow[k] = max(follow[k], taken)
        if operation.name in ("input", "bootstrap"):
            graph.operations[i] = replace(operation, value=follow[i])
