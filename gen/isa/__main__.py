#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instruction tables (data/isa/*.isa, *.sem, *.memsem) to C and Markdown.

    gen/isa decode TABLE.isa [--sem TABLE.sem --memsem TABLE.memsem] [--ops-h OUT.h] [--ops-c OUT.c] [--tables OUT.h]
                             [--names OUT.h] [--makers OUT.h] [--doc OUT.md]
    gen/isa sem TABLE.sem [TABLE.isa] [--info OUT.c] [--scalar OUT.c] [--functions OUT.h] [--lanes-h OUT.h]
                          [--excp OUT.c] [--lanes OUT.c ...] [--pages FOLDER]
                          [--strips OUT.c] [--strips-16 OUT.c] [--strips-4 OUT.c] [--strips-list OUT.txt] [--strips-h OUT.h] [--stencils OUT.c]
    gen/isa ir3sem TABLE.sem --alu OUT.c
    gen/isa ir3sem TABLE.sem --host OUT.c
    gen/isa ir3sem TABLE.sem --strips OUT.c --strips-16 OUT.c --strips-list OUT.txt --strips-h OUT.h
    gen/isa memsem TABLE.memsem [--isa TABLE.isa] [--header OUT.h] [--table OUT.c]

Standard library only; the same input gives the same bytes, and a file that would not change is left alone. Faults are
FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/ has a page for each kind of table.
"""
import argparse
import io
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).parent.parent))

import decode  # noqa: E402
import encode  # noqa: E402
import memory  # noqa: E402
import table  # noqa: E402
from sem import excp, ir3, ir3_strips, lanes, page, rows, scalar, stencils, strips, used  # noqa: E402

ALU = {"SOP1", "SOP2", "SOPK", "SOPC", "SOPP", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD", "VOP3P", "VOPD", "VOPDY"}


def put(path, text):
    path = pathlib.Path(path)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def lines(text):
    return "\n".join(text) + "\n"


def decode_command(args):
    isa = table.parse(args.table)
    uses = {}
    if args.sem:
        sem = rows.read(args.sem)
        rows.check(args.sem, sem, isa)
        uses = used.table(isa, sem, {n: r[2] for n, r in memory.parse(args.memsem).rows.items()})
    for name, write in decode.WRITERS.items():
        if getattr(args, name):
            out = io.StringIO()
            write(isa, out, uses) if name == "ops_c" else write(isa, out)
            put(getattr(args, name), out.getvalue())
    if args.makers:
        out = io.StringIO()
        encode.write(isa, out)
        put(args.makers, out.getvalue())


def sem_command(args):
    sem = rows.read(args.table)
    if args.isa is None:
        return
    isa = table.parse(args.isa)
    rows.check(args.table, sem, isa)
    missing = sorted(op.name for op in isa.ops if {e for e, _ in op.codes} & ALU and op.name not in sem.rows)
    if missing and args.info:
        print(f"{len(missing)} ALU instructions are not executed: {' '.join(missing)}")
    for path, write in ((args.info, scalar.write_info), (args.scalar, scalar.write_scalar),
                        (args.lanes_h, lanes.write_header), (args.excp, excp.write), (args.strips, strips.write),
                        (args.strips_16, strips.write_16), (args.strips_4, strips.write_4),
                        (args.strips_list, strips.write_list), (args.strips_h, strips.write_header),
                        (args.stencils, stencils.write)):
        if path:
            put(path, lines(write(sem)))
    if args.functions:
        put(args.functions, lines(scalar.write_functions(sem)))
    for n, path in enumerate(args.lanes):
        put(path, lines(lanes.write_table(sem) if n == 0 else lanes.write_part(sem, n - 1)))
    if args.pages:
        page.write(sem, isa, pathlib.Path(args.pages))


def ir3sem_command(args):
    if args.strips:
        put(args.strips, lines(ir3_strips.write(args.table, 8)))
        put(args.strips_16, lines(ir3_strips.write(args.table, 16)))
        put(args.strips_list, lines(ir3_strips.write_list(args.table)))
        put(args.strips_h, lines(ir3_strips.write_header(args.table)))
        return
    make = ir3.write_host if args.host else ir3.write
    put(args.host or args.alu, lines(make(args.table, pathlib.Path(args.table).name)))


def arguments():
    parser = argparse.ArgumentParser(prog="gen/isa")
    commands = parser.add_subparsers(dest="command", required=True)
    d = commands.add_parser("decode")
    d.add_argument("table")
    for name in ("sem", "memsem", *decode.WRITERS, "makers"):
        d.add_argument("--" + name.replace("_", "-"), dest=name)
    s = commands.add_parser("sem")
    s.add_argument("table")
    s.add_argument("isa", nargs="?")
    for name in ("info", "scalar", "functions", "lanes-h", "excp", "pages", "strips", "strips-16", "strips-4", "strips-list", "strips-h", "stencils"):
        s.add_argument("--" + name, dest=name.replace("-", "_"))
    s.add_argument("--lanes", nargs=lanes.PARTS + 1, default=[])
    i = commands.add_parser("ir3sem")
    i.add_argument("table")
    what = i.add_mutually_exclusive_group(required=True)
    what.add_argument("--alu")
    what.add_argument("--host")
    what.add_argument("--strips")
    for name in ("strips-16", "strips-list", "strips-h"):
        i.add_argument("--" + name, dest=name.replace("-", "_"))
    memory.add_arguments(commands.add_parser("memsem"))
    return parser.parse_args()


def main():
    args = arguments()
    try:
        {"decode": decode_command, "sem": sem_command, "memsem": memory.command, "ir3sem": ir3sem_command}[args.command](args)
    except (table.TableError, OSError, UnicodeDecodeError) as e:
        print(e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
