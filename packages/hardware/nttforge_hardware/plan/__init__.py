# SPDX-License-Identifier: Apache-2.0
"""What follows from the parameters of a design: integers only, before a file is written."""
