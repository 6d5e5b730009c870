# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the C++ engine beside other libraries: run, merge, judge, plot.

``programs`` finds, builds and runs the benchmark programs, ``documents`` reads and merges what
they write, ``model`` turns the core's measured ceilings into lower bounds, ``goals`` holds the
figures to reach, ``report`` prints and ``plot`` draws. None of it needs the compiled core of the
package.
"""
