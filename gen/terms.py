#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Words that are explained (data/terms/*.terms) as a C table, struct lull_term of src/hw/terms.h. A row is WORD | OF | text | source; '#' begins a
comment."""
import argparse
import json
import pathlib
import sys

OF = {"adreno": "LULL_TERM_ADRENO", "amd": "LULL_TERM_AMD", "both": "LULL_TERM_ADRENO | LULL_TERM_AMD"}


def rows(path):
    """Yield (word, of, text); a wrong row ends the program, with its line."""
    seen = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("# ") or line == "#":
            continue
        parts = [p.strip() for p in line.split("|")]
        if len(parts) != 4 or not all(parts) or parts[1] not in OF:
            sys.exit(f"{path}:{number}: a row is WORD | {', '.join(OF)} | text | source")
        word, of, text, _ = parts
        for vendor in ("adreno", "amd") if of == "both" else (of,):
            if (word.lower(), vendor) in seen:
                sys.exit(f"{path}:{number}: {word} of {vendor} a second time")
            seen.add((word.lower(), vendor))
        yield word, OF[of], text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--table", required=True, type=pathlib.Path)
    parser.add_argument("--name", default="lull_terms", help="of the table")
    args = parser.parse_args()
    out = ["// Made by gen/terms.py.", '#include "hw/terms.h"', "", f"const struct lull_term {args.name}[] = {{"]
    out += [f"    {{{json.dumps(word)}, {of}, {json.dumps(text)}}}," for word, of, text in rows(args.file)]
    args.table.write_text("\n".join([*out, "    {0},", "};", ""]), encoding="utf-8")


main()
