# SPDX-License-Identifier: Apache-2.0
"""What commands share: arguments, tables, files written whole, subcommands that are modules."""
