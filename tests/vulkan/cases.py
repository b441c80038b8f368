# SPDX-License-Identifier: MIT
"""All cases of run.py: each module adds to table.CASES."""
import cases_basic  # noqa: F401
import cases_image  # noqa: F401
import cases_interface  # noqa: F401
import cases_memory  # noqa: F401
import cases_subgroup  # noqa: F401
import cases_types  # noqa: F401
from table import CASES  # noqa: F401
