#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the table of what Adreno's packets do (data/adreno/pm4.sem) into C functions and pages of Markdown.

    gen/pm4 TABLE.sem [--dom TABLE.dom ...] [--table OUT.c] [--pages FOLDER]

Without --dom the tables in data/adreno are taken. Standard library only; the same input gives the same bytes. Faults
are FILE:LINE: MESSAGE and exit status 1. docs/formats/pm4-sem.md describes the format.
"""
import argparse
import pathlib
import sys

GEN = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(1, str(GEN))

import dom  # noqa: E402
from lang.tree import SemError  # noqa: E402
from pm4 import c, page, table  # noqa: E402


def main():
    ap = argparse.ArgumentParser(prog="gen/pm4")
    ap.add_argument("sem")
    ap.add_argument("--dom", nargs="*")
    ap.add_argument("--table")
    ap.add_argument("--pages")
    args = ap.parse_args()
    try:
        base = dom.Base()
        for p in args.dom or sorted(str(q) for q in (GEN.parent / "data" / "adreno").glob("*.dom")):
            dom.parse(base, p)
        packets = dom.Packets(base, dom.Writer(base))
        rows, sources = table.read(args.sem)
        table.check(rows, packets, base)
    except SemError as e:
        sys.exit(f"{args.sem}:{e.line}: {e}")
    except (dom.TableError, OSError, UnicodeDecodeError) as e:
        sys.exit(str(e))
    if args.table:
        pathlib.Path(args.table).write_text(c.table(rows), encoding="utf-8")
    if args.pages:
        page.write(rows, sources, packets, base, pathlib.Path(args.pages))


if __name__ == "__main__":
    main()
