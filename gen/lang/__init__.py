# SPDX-License-Identifier: MIT
"""The small typed language of semantics tables: text to a tree (parse), the tree to types (types), what it reads and
writes (uses), values to C (c). docs/formats/sem-language.md describes it."""
