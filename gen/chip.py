#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the tables of chips (data/chip/*.chip) into C.

    chip.py FIELDS.chip [CHIP.chip ...] [--struct NAME] [--header OUT.h] [--table OUT.c]

Standard library only; the same input gives the same bytes. Every fault in a table is reported as FILE:LINE: MESSAGE and
exit status 1, never a traceback. docs/formats/chip-table.md describes the format.
"""
import argparse
import pathlib
import re
import sys

import bits
from bits import TableError

TYPES = {"u32": ("uint32_t", 32), "u64": ("uint64_t", 64), "text": ("const char *", 0)}


def read_fields(path):
    """Name -> (type, text), from lines 'field NAME TYPE TEXT'."""
    fields = {}
    for line, text in bits.lines_of(path):
        words = text.split(None, 3)
        if words[0] != "field":
            raise TableError(f"{path}:{line}: '{words[0]}' where 'field' belongs")
        if len(words) != 4 or not re.fullmatch(r"[a-z]\w*", words[1]) or words[2] not in TYPES:
            raise TableError(f"{path}:{line}: not 'field NAME TYPE TEXT' with a type of {', '.join(TYPES)}")
        if words[1] in fields:
            raise TableError(f"{path}:{line}: field '{words[1]}' stands twice")
        fields[words[1]] = (words[2], words[3])
    return fields


def read_value(kind, text, name):
    if kind == "text":
        if not re.fullmatch(r"[\w .,+-]+", text):
            raise TableError(f"{name}: '{text}' is not a plain text")
        return text
    value = bits.number(text, name)
    if value >= 1 << TYPES[kind][1]:
        raise TableError(f"{name}: {text} does not fit {kind}")
    return value


def read_chip(path, fields):
    values = {}
    for line, text in bits.lines_of(path):
        try:
            cols = [c.strip() for c in text.split("|")]
            if len(cols) != 3:
                raise TableError(f"{len(cols)} columns, not 3: field | value | source")
            name, value, source = cols
            if name not in fields:
                raise TableError(f"no field '{name}'")
            if name in values:
                raise TableError(f"'{name}' stands twice")
            if not source:
                raise TableError(f"{name}: no source")
            values[name] = read_value(fields[name][0], value, name)
        except TableError as e:
            raise TableError(f"{path}:{line}: {e}") from None
    missing = [f for f in fields if f not in values]
    if missing:
        raise TableError(f"{path}: no {', '.join(missing)}")
    return values


def header(struct, fields, chips):
    guard = f"LULL_HW_{struct.removeprefix('lull_').upper()}S_H"
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/chip.py from data/chip. Do not edit.",
           f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "",
           "/** What one chip is: a file of data/chip. */", f"struct {struct} {{"]
    for name, (kind, text) in fields.items():
        ctype = TYPES[kind][0]
        out.append(f"    {ctype}{'' if ctype.endswith('*') else ' '}{name}; ///< {text[0].upper()}{text[1:]}.")
    out += ["};", ""] + [f"extern const struct {struct} {struct}_{c};" for c in chips]
    return "\n".join(out + ["", "#endif", ""])


def table(struct, fields, chips):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/chip.py from data/chip. Do not edit.",
           f'#include "hw/{struct.removeprefix("lull_")}s.h"', ""]
    for chip, values in chips.items():
        out.append(f"const struct {struct} {struct}_{chip} = {{")
        for name, (kind, _) in fields.items():
            v = values[name]
            out.append(f"    .{name} = " + (f'"{v}",' if kind == "text" else f"UINT64_C({v}),"
                                            if kind == "u64" else f"{v},"))
        out += ["};", ""]
    return "\n".join(out)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("fields")
    p.add_argument("chips", nargs="*")
    p.add_argument("--struct", default="lull_chip", help="what the struct is called; the header is named after it")
    p.add_argument("--header")
    p.add_argument("--table")
    args = p.parse_args()
    try:
        fields = read_fields(args.fields)
        chips = {pathlib.Path(c).stem: read_chip(c, fields) for c in args.chips}
    except TableError as e:
        print(e, file=sys.stderr)
        return 1
    for path, make in ((args.header, header), (args.table, table)):
        if path:
            pathlib.Path(path).write_text(make(args.struct, fields, chips), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
