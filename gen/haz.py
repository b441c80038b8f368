#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a table of hazards (data/isa/ir3.haz) into C.

    haz.py IN.haz [--table OUT.c]

Standard library only; the same input gives the same bytes. Every fault in a table is reported as FILE:LINE: MESSAGE and
exit status 1, never a traceback. docs/formats/ir3-haz.md describes the format.
"""
import argparse
import pathlib
import re
import sys

import bits
from bits import TableError

WRITERS, READERS = ("alu", "address"), ("alu", "other", "memory")
LATE = ("mad", "cat3")
WAITS = {"-": "NONE", "ss": "SS", "sy": "SY", "ss-or-sy": "SS_OR_SY"}
COUNTS = ("size", "mask", "dims", "coord", "data", "old", "after", "cluster", "const")
MAX_SOURCES = 4


def expanded(text):
    """'a{b,c}' -> ab, ac."""
    m = re.match(r"([^{}]*)\{([^{}]*)\}(.*)$", text)
    if not m:
        return [text]
    return [x for alt in m.group(2).split(",") for x in expanded(m.group(1) + alt + m.group(3))]


def span(text, what, unit):
    m = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if not m:
        raise TableError(f"{what} '{text}' is not {unit} or {unit}-{unit}")
    low, high = int(m.group(1)), int(m.group(2) or m.group(1))
    if low > high or high > 999:
        raise TableError(f"{what} '{text}' is not a range")
    return low, high


def timing(cols, what):
    if len(cols) != 5:
        raise TableError(f"{len(cols)} columns, not 5: {what} | chips | lanes | N | source")
    number = bits.number(cols[3], "N")
    if number > 15:
        raise TableError(f"{number} slots: at most 15")
    return span(cols[1], "chips", "NUMBER") + span(cols[2], "lanes", "NUMBER") + (number,)


def operand(text):
    m = re.fullmatch(r"(\d|" + "|".join(COUNTS) + r")(t?)", text)
    if not m:
        raise TableError(f"operand '{text}' is neither a number nor one of {', '.join(COUNTS)}")
    fixed = m.group(1).isdigit()
    kind = "FIXED" if fixed else m.group(1).upper()
    return f"{{LULL_IR3_COUNT_{kind}, {m.group(1) if fixed else 0}, {'true' if m.group(2) else 'false'}}}"


def read_op(names, cols):
    if len(cols) != 6:
        raise TableError(f"{len(cols)} columns, not 6: op NAMES | result | sources | written | read | source")
    for word in cols[1:3]:
        if word not in WAITS:
            raise TableError(f"'{word}' is none of {', '.join(WAITS)}")
    written, read = cols[3].split(), cols[4].split()
    if len(written) > 1 or len(read) > MAX_SOURCES:
        raise TableError(f"{len(written)} operands written, {len(read)} read: at most 1 and {MAX_SOURCES}")
    if not all(re.fullmatch(r"[a-z][\w.]*", n) for n in expanded(names)):
        raise TableError(f"'{names}' is not names of instructions")
    return expanded(names), WAITS[cols[1]], WAITS[cols[2]], [operand(o) for o in written], [operand(o) for o in read]


def read(path):
    slots, late, ops = [], [], {}
    for line, text in bits.lines_of(path):
        try:
            cols = [c.strip() for c in text.split("|")]
            words = cols[0].split()
            if not cols[-1]:
                raise TableError("no source")
            if words[0] == "slots" and len(words) == 3 and words[1] in WRITERS and words[2] in READERS:
                slots.append((words[1], words[2]) + timing(cols, cols[0]))
            elif words[0] == "read" and len(words) == 2 and words[1] in LATE:
                late.append((words[1],) + timing(cols, cols[0]))
            elif words[0] == "op" and len(words) == 2:
                names, *row = read_op(words[1], cols)
                for n in names:
                    if n in ops:
                        raise TableError(f"'{n}' stands twice")
                    ops[n] = row
            else:
                raise TableError(f"'{cols[0]}' where 'slots WRITER READER', 'read WHICH' or 'op NAMES' belongs")
        except TableError as e:
            raise TableError(f"{path}:{line}: {e}") from None
    return slots, late, ops


def table(slots, late, ops):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/haz.py from data/isa/ir3.haz. Do not edit.",
           '#include "isa/ir3/hazards.h"', "", "const struct lull_ir3_slots lull_ir3_slot_rows[] = {"]
    out += [f"    {{LULL_IR3_BY_{w.upper()}, LULL_IR3_TO_{r.upper()}, {', '.join(map(str, rest))}}},"
            for w, r, *rest in slots]
    out += ["};", "const unsigned lull_ir3_nslot_rows = sizeof lull_ir3_slot_rows / sizeof lull_ir3_slot_rows[0];", "",
            "const struct lull_ir3_late_read lull_ir3_late_rows[] = {"]
    out += [f"    {{{'true' if w == 'cat3' else 'false'}, {', '.join(map(str, rest))}}}," for w, *rest in late]
    out += ["};", "const unsigned lull_ir3_nlate_rows = sizeof lull_ir3_late_rows / sizeof lull_ir3_late_rows[0];", "",
            "const struct lull_ir3_op_waits lull_ir3_op_waits[LULL_IR3_NOPS] = {"]
    for name, (result, sources, written, reads) in ops.items():
        out.append(f"    [LULL_IR3_OP_{name.upper().replace('.', '_')}] = {{true, LULL_IR3_WAIT_{result}, LULL_IR3_WAIT_{sources}, "
                   f"{written[0] if written else '{0}'}, {{{', '.join(reads) or '{0}'}}}}},")
    return "\n".join(out + ["};", ""])


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("input")
    p.add_argument("--table", type=pathlib.Path)
    args = p.parse_args()
    try:
        rows = read(args.input)
    except TableError as e:
        print(e, file=sys.stderr)
        return 1
    if args.table:
        args.table.write_text(table(*rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
