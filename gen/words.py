#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn fields and names of instruction words (data/isa/*.words) into C enums and tables.

    words.py TABLE.words [--header OUT.h] [--table OUT.c]

Standard library only; the same input gives the same bytes. Every fault in the table is reported as
FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/words-table.md describes the format.
"""
import argparse
import os
import re
import sys


class TableError(Exception):
    pass


class Table:
    def __init__(self):
        self.words = []  # (name, bits, [(name, hi, lo)])
        self.names = []  # (name, [(number, name, kind)])
        self.source = None


def field(words, text):
    m = re.fullmatch(r"(\d+)(?::(\d+))? ([A-Z][A-Z0-9_]*)", text)
    if not m:
        raise TableError(f"no field 'HI:LO NAME': {text}")
    hi = int(m[1])
    lo = int(m[2]) if m[2] else hi
    name, bits, fields = words[-1]
    if lo > hi or hi >= bits:
        raise TableError(f"{name} has no bits {hi}:{lo}")
    if hi - lo >= 32:
        raise TableError("a field of more than 32 bits")
    if any(f[0] == m[3] for f in fields):
        raise TableError(f"{m[3]} is there already")
    fields.append((m[3], hi, lo))


def row(names, text):
    m = re.fullmatch(r"(\d+) (\S.*) ([A-Z0-9_]+)", text)
    if not m:
        raise TableError(f"no row 'NUMBER NAME KIND': {text}")
    name, rows = names[-1]
    if any(r[0] == int(m[1]) for r in rows):
        raise TableError(f"{name} has {m[1]} already")
    rows.append((int(m[1]), m[2], m[3]))


def parse(path):
    t = Table()
    current = None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            text = line.split("#")[0].strip()
            if not text:
                continue
            try:
                if m := re.fullmatch(r"source \S+ (.+)", text):
                    t.source = m[1]
                elif m := re.fullmatch(r"word ([A-Z0-9_]+) (\d+)", text):
                    t.words.append((m[1], int(m[2]), []))
                    current = field, t.words
                elif m := re.fullmatch(r"names ([A-Z0-9_]+)", text):
                    t.names.append((m[1], []))
                    current = row, t.names
                elif current is None:
                    raise TableError("neither word nor names above")
                else:
                    current[0](current[1], text)
            except TableError as e:
                raise TableError(f"{path}:{number}: {e}") from None
    if t.source is None:
        raise TableError(f"{path}:1: no source")
    return t


def header(t, prefix, base):
    p = prefix.upper()
    out = [f"// Made by gen/words.py from {base}.", f"#ifndef LULL_ISA_{p}_WORDS_H", f"#define LULL_ISA_{p}_WORDS_H", "",
           "#include <stdint.h>", "", "/** Fields, as lowest bit << 8 | bits. */", f"enum lull_{prefix}_field {{"]
    for word, _, fields in t.words:
        out += [f"    LULL_{p}_{word}_{name} = {lo << 8 | (hi - lo + 1)}," for name, hi, lo in fields]
    kinds = sorted({r[2] for _, rows in t.names for r in rows if not r[2].isdigit()})
    out += ["};", "", f"enum lull_{prefix}_kind {{", f"    LULL_{p}_KIND_NONE,"]
    out += [f"    LULL_{p}_KIND_{k}," for k in kinds]
    out += ["};", "", "/** What a number is called; name NULL: nobody knows. */", f"struct lull_{prefix}_name {{",
            "    const char *name;", f"    uint8_t kind; ///< enum lull_{prefix}_kind, or a count.", "};", ""]
    for name, rows in t.names:
        out += [f"enum {{ LULL_{p}_NAMES_{name} = {max(r[0] for r in rows) + 1} }};",
                f"extern const struct lull_{prefix}_name lull_{prefix}_{name.lower()}[LULL_{p}_NAMES_{name}];"]
    return "\n".join([*out, "", "#endif", ""])


def table(t, prefix, base):
    p = prefix.upper()
    out = [f"// Made by gen/words.py from {base}.", f'#include "isa/{prefix}_words.h"', ""]
    for name, rows in t.names:
        out.append(f"const struct lull_{prefix}_name lull_{prefix}_{name.lower()}[LULL_{p}_NAMES_{name}] = {{")
        for number, text, kind in rows:
            out.append(f'    [{number}] = {{"{text}", {kind if kind.isdigit() else f"LULL_{p}_KIND_{kind}"}}},')
        out += ["};", ""]
    return "\n".join(out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("table")
    ap.add_argument("--header")
    ap.add_argument("--table", dest="out")
    args = ap.parse_args()
    base = os.path.basename(args.table)
    prefix = base.split(".")[0]
    try:
        t = parse(args.table)
    except (TableError, OSError, UnicodeDecodeError) as e:
        sys.exit(str(e))
    for path, text in ((args.header, header(t, prefix, base)), (args.out, table(t, prefix, base))):
        if path:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)


main()
