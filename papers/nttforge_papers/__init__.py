# SPDX-License-Identifier: Apache-2.0
"""Published tables and figures as commands: one module per paper, ``nttforge paper KEY``.

A module has ``add_arguments(parser)`` and ``run(options)``. It verifies every output before it
times anything, prints the paper's statement beside ours, and writes its results as JSON (and a
plot, if matplotlib is there) into a folder.
"""

from __future__ import annotations

#: Key of the paper -> what is reproduced so far.
PAPERS = {
    "all": "all five: a page with every table and figure, verdicts and errata",
    "yan22": "NTTGen [Yan22]: streaming NTT designs; Tables 3-7, Figs. 3, 7-10",
    "kim20": "[Kim20]: NTT on GPUs; Figs. 1, 3-5, 7, 9, 11-13, Table II",
    "bad18a": "[Bad18a]: Goldilocks NTT on GPUs; Tables I-III",
    "bad18b": "[Bad18b]: FV on GPUs; Tables 1, 2, 5-7, Figs. 2, 4",
    "nttsuite": "NTTSuite [Din24]: seven algorithms; Fig. 2's CPU half, Table I as hardware",
}
