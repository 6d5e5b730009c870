# SPDX-License-Identifier: Apache-2.0
"""What is proved of the hand-written modules, and the solver that proves it."""
