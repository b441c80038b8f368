# SPDX-License-Identifier: MIT
"""What Adreno's packets do (data/adreno/pm4.sem): the table (table), its names (names), C (c) and pages (page)."""
