#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a crash dump has of an Adreno (data/adreno/a6xx.dumped) as C, the table of src/vdrm/msm/dumped.h.

    dumped.py TABLE.dumped [--table OUT.c]

A fault is FILE:LINE: MESSAGE and exit status 1. docs/formats/dumped-table.md describes the format.
"""
import argparse
import pathlib
import re
import sys


class TableError(Exception):
    pass


def number(text):
    if not re.fullmatch(r"[0-9a-f]{1,5}", text):
        raise TableError(f"'{text}' is not a hexadecimal number")
    return int(text, 16)


def ranges(text):
    rows, behind = [], 0
    for part in text.split():
        first, _, last = part.partition("-")
        at = number(first), number(last or first)
        if at[0] < behind or at[1] < at[0]:
            raise TableError(f"'{part}' does not rise")
        rows.append(at)
        behind = at[1] + 1
    return rows


class Table:
    def __init__(self):
        self.sources, self.clusters, self.blocks = set(), [], []

    def line(self, text):
        word, _, rest = text.partition(" ")
        cells = [c.strip() for c in rest.split("|")]
        if word == "source":
            self.sources.add(rest.split()[0])
            return
        if (word, len(cells)) not in (("cluster", 4), ("block", 3)) or not all(cells):
            raise TableError("a row is: source KEY TEXT, cluster NAME | CHIPS | REGISTERS | SOURCES or block NAME | DWORDS | SOURCES")
        if not set(cells[-1].split()) <= self.sources:
            raise TableError(f"unknown source in '{cells[-1]}'")
        if not re.fullmatch(r"[A-Z0-9_]+", cells[0]):
            raise TableError(f"'{cells[0]}' is not a name")
        if word == "cluster":
            self.clusters.append((cells[0], cells[1], ranges(cells[2])))
        else:
            self.blocks.append((cells[0], number(cells[1])))

    def text(self):
        out = ["// Made by gen/dumped.py.", '#include "vdrm/msm/dumped.h"', ""]
        for i, (_, _, rows) in enumerate(self.clusters):
            cells = ", ".join(f"{{{a:#x}, {b:#x}}}" for a, b in rows)
            out.append(f"static const struct lull_vdm_range registers_{i}[] = {{{cells}, {{0, 0}}}};")
        out.append("const struct lull_vdm_cluster lull_vdm_clusters[] = {")
        for i, (name, chips, _) in enumerate(self.clusters):
            out.append('    {"%s", %s, registers_%d},' % (name, "NULL" if chips == "all" else f'"{chips}"', i))
        out += ["    {0},", "};", "const struct lull_vdm_block lull_vdm_blocks[] = {"]
        out += ['    {"%s", %d},' % row for row in self.blocks]
        return "\n".join([*out, "    {0},", "};", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    args = parser.parse_args()
    table, n = Table(), 0
    try:
        for n, line in enumerate(args.file.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                table.line(line)
        if args.table:
            args.table.write_text(table.text(), encoding="utf-8")
    except TableError as e:
        sys.exit(f"{args.file}:{n}: {e}")


if __name__ == "__main__":
    main()
