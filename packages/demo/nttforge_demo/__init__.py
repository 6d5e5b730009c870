# SPDX-License-Identifier: Apache-2.0
"""Private scoring of real patients: a client holds the keys, a server sees only ciphertexts.

The Wisconsin breast cancer data (569 patients, 30 features, shipped inside scikit-learn) is scored
by a logistic-regression model. Records and model are both encrypted; the server, a separate
process, computes the score and a degree-2 refinement of it without any secret key. Read ``run.py``
first.
"""
