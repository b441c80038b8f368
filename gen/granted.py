#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a table of what is taken for granted of instructions (data/isa/rdna3.granted) into C.

    granted.py IN.granted [--isa TABLE.isa] [--sem TABLE.sem] [--table OUT.c]

With TABLE.isa each pattern must be that of an instruction, and with TABLE.sem each instruction whose function is only `near` must
be in a row that always holds. Standard library only; the same input gives the same bytes. Every fault in a table is reported as
FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/granted.md describes the format.
"""
import argparse
import fnmatch
import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
sys.path[1:1] = [str(here), str(here / "isa")]

import bits  # noqa: E402

WHEN = ["always", "two-nans", "one-place", "one-place-returns", "one-place-stores", "clock"]
MOST = 32


def columns(text, rows):
    cols = [c.strip() for c in text.split("|")]
    if len(cols) != 6 or not all(cols):
        raise bits.TableError(f"{len(cols)} columns, not 6: name | when | instructions | what | why | source")
    if not re.fullmatch(r"[a-z][a-z0-9-]*", cols[0]):
        raise bits.TableError(f"'{cols[0]}' is not a word")
    if cols[1] not in WHEN:
        raise bits.TableError(f"{cols[0]}: '{cols[1]}' is none of {', '.join(WHEN)}")
    for p in cols[2].split():
        if not re.fullmatch(r"[a-z0-9_*]+", p):
            raise bits.TableError(f"{cols[0]}: '{p}' is not a pattern of mnemonics")
    if any(cols[0] == r[0] for r in rows):
        raise bits.TableError(f"'{cols[0]}' stands twice")
    if len(rows) == MOST:
        raise bits.TableError(f"more than {MOST} rows")
    return [cols[0], cols[1], cols[2].split(), *cols[3:]]


def read(path, names):
    """[[name, when, patterns, what, why, source]]; NAMES: mnemonics, or none."""
    rows = []
    for line, text in bits.lines_of(path):
        try:
            row = columns(text, rows)
            for p in row[2] if names else []:
                if not fnmatch.filter(names, p):
                    raise bits.TableError(f"{row[0]}: no instruction is '{p}'")
        except bits.TableError as e:
            raise bits.TableError(f"{path}:{line}: {e}") from None
        rows.append(row)
    if not rows:
        raise bits.TableError(f"{path}: nothing in it")
    return rows


def near(path):
    """Mnemonics of the rows of a table of semantics that call a function which is only near."""
    from sem import rows
    sem = rows.read(path)
    def is_near(body):
        return any("near" in f.options or (f.body and is_near(f.body)) for f in sem.calls(body))
    return [name for name, row in sem.rows.items() if row.body and is_near(row.body)]


def table(rows):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/granted.py from data/isa/rdna3.granted. Do not edit.",
           '#include "isa/rdna/granted.h"', "", f"const unsigned lull_rdna_ngranted = {len(rows)};",
           "const struct lull_rdna_granted lull_rdna_granted[] = {"]
    for name, when, patterns, *texts in rows:
        out.append(f"    {{{json.dumps(name)}, LULL_RDNA_GRANTED_{when.upper().replace('-', '_')}, {json.dumps(' '.join(patterns))}, "
                   f"{', '.join(json.dumps(t) for t in texts)}}},")
    return "\n".join(out + ["};", ""])


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("input")
    p.add_argument("--isa")
    p.add_argument("--sem")
    p.add_argument("--table", type=pathlib.Path)
    args = p.parse_args()
    try:
        names = []
        if args.isa:
            import table as isa_table
            names = [op.name for op in isa_table.parse(args.isa).ops]
        rows = read(args.input, names)
        always = [p for r in rows if r[1] == "always" for p in r[2]]
        for name in near(args.sem) if args.sem else []:
            if not any(fnmatch.fnmatchcase(name, p) for p in always):
                raise bits.TableError(f"{args.input}: '{name}' is only near in {args.sem}, and in no row that always holds")
    except (bits.TableError, ValueError) as e:
        print(e, file=sys.stderr)
        return 1
    if args.table:
        args.table.write_text(table(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
