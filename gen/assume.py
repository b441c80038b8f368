#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a table of assumptions (data/isa/ir3.assume) into C.

    assume.py IN.assume [--header OUT.h] [--table OUT.c]

Standard library only; the same input gives the same bytes. Every fault in a table is reported as FILE:LINE: MESSAGE and
exit status 1, never a traceback. docs/formats/ir3-assume.md describes the format.
"""
import argparse
import json
import pathlib
import re
import sys

import bits
from bits import TableError

WORD = r"[a-z][a-z0-9-]*"
MOST = 4


def read(path):
    """[(name, values, decides, why, source)]"""
    rows = []
    for line, text in bits.lines_of(path):
        try:
            cols = [c.strip() for c in text.split("|")]
            if len(cols) != 5 or not all(cols):
                raise TableError(f"{len(cols)} columns, not 5: name | values | decides | why | source")
            values = cols[1].split()
            if not re.fullmatch(WORD, cols[0]) or not all(re.fullmatch(WORD, v) for v in values):
                raise TableError(f"'{cols[0]} | {cols[1]}' is not made of words")
            if not 2 <= len(values) <= MOST or len(set(values)) != len(values):
                raise TableError(f"{cols[0]}: {len(values)} values, not 2 to {MOST} different ones")
            if any(cols[0] == r[0] for r in rows):
                raise TableError(f"'{cols[0]}' stands twice")
            rows.append((cols[0], values, *cols[2:]))
        except TableError as e:
            raise TableError(f"{path}:{line}: {e}") from None
    if not rows:
        raise TableError(f"{path}: nothing in it")
    return rows


def constant(*words):
    return "LULL_IR3_ASSUME_" + "_".join(w.upper().replace("-", "_") for w in words)


def header(rows):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/assume.py from data/isa/ir3.assume. Do not edit.",
           "#ifndef LULL_ISA_IR3_ASSUME_ROWS_H", "#define LULL_ISA_IR3_ASSUME_ROWS_H", "",
           "/** What is assumed; data/isa/ir3.assume. */", "enum lull_ir3_assume {"]
    out += [f"    {constant(r[0])}, ///< {r[2][0].upper()}{r[2][1:]}." for r in rows]
    out += ["    LULL_IR3_NASSUME,", "};"]
    for r in rows:
        out += ["", "enum {"] + [f"    {constant(r[0], v)}," for v in r[1]] + ["};"]
    return "\n".join(out + ["", "#endif", ""])


def table(rows):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/assume.py from data/isa/ir3.assume. Do not edit.",
           '#include "isa/ir3/assume.h"', "", "const struct lull_ir3_assume_row lull_ir3_assume_rows[LULL_IR3_NASSUME] = {"]
    for name, values, *texts in rows:
        out.append(f"    {{{json.dumps(name)}, {{{', '.join(json.dumps(v) for v in values)}}}, "
                   f"{', '.join(json.dumps(t) for t in texts)}}},")
    return "\n".join(out + ["};", ""])


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("input")
    p.add_argument("--header", type=pathlib.Path)
    p.add_argument("--table", type=pathlib.Path)
    args = p.parse_args()
    try:
        rows = read(args.input)
    except TableError as e:
        print(e, file=sys.stderr)
        return 1
    if args.header:
        args.header.write_text(header(rows), encoding="utf-8")
    if args.table:
        args.table.write_text(table(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
