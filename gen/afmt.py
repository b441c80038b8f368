#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Texel formats of Adreno (data/fmt/a6xx.fmt) to C: by number of a6xx_format, the number of gfx11's with that layout.

    afmt.py A6XX.fmt GFX11.fmt TYPES.dom --table OUT.c

Standard library only; faults are FILE:LINE: MESSAGE and exit status 1.
"""
import argparse
import re
import sys


def cells(path):
    with open(path, encoding="utf-8") as f:
        for number, raw in enumerate(f, 1):
            text = raw.split("#", 1)[0].strip()
            if text and not text.startswith("source "):
                yield number, [c.strip() for c in text.split("|")]


def numbers(path):
    """Names of enum a6xx_format with their numbers."""
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("\\\n", " ")
    row = re.search(r"^enum a6xx_format (.*)$", text, re.M)
    return {name: int(n) for n, name in re.findall(r"(\d+) (FMT6_\w+)", row[1])}


def table(args):
    theirs = {c[1]: int(c[0]) for _, c in cells(args.gfx11)}
    known, out = numbers(args.types), {}
    for line, row in cells(args.formats):
        if len(row) != 2 or row[0] not in known or row[1] not in theirs:
            sys.exit(f"{args.formats}:{line}: not a format of a6xx and one of gfx11: {' | '.join(row)}")
        out[known[row[0]]] = theirs[row[1]]
    lines = ["// Made by gen/afmt.py.", '#include "tex/a6xx_format.h"', "",
             "const uint16_t lull_afmt_codes[LULL_AFMTS] = {"]
    return lines + [f"    [{n}] = {code}," for n, code in sorted(out.items())] + ["};", ""]


def main():
    ap = argparse.ArgumentParser()
    for name in ("formats", "gfx11", "types"):
        ap.add_argument(name)
    ap.add_argument("--table", required=True)
    args = ap.parse_args()
    text = "\n".join(table(args))
    with open(args.table, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
