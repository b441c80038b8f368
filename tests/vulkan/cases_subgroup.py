# SPDX-License-Identifier: MIT
"""Subgroup operations of every kind, in both wave sizes."""
from table import *  # noqa: F401,F403
