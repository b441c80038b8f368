# SPDX-License-Identifier: MIT
"""What instructions compute: the rows of data/isa/*.sem, and what is made of them."""
