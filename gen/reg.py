#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a register table (data/reg/*.reg) into a C header, a C look-up table and Markdown.

    reg.py TABLE.reg [--header OUT.h] [--table OUT.c] [--doc OUT.md]

Standard library only; the same input gives the same bytes. Every fault in a table is reported as
FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/reg-table.md describes the format.
"""
import argparse
import os
import re
from dataclasses import dataclass, field

import bits
from bits import NAME, TableError

BANKS = ("-", "srbm", "grbm", "sh")


@dataclass
class Reg:
    before: str  # the name; an array's name is before + index + after
    after: str
    line: int
    count: int
    first: int
    stride: int
    width: int
    bank: str
    offsets: list
    fields: list
    source: str

    def name(self):
        return (self.before + self.after).replace("__", "_").rstrip("_")

    def elements(self):
        if not self.count:
            return [self.before]
        return [f"{self.before}{i}{self.after}" for i in range(self.first, self.first + self.count)]


@dataclass
class Regs(bits.Table):
    rows: list = field(default_factory=list)
    pairs: list = field(default_factory=list)  # (line, name, low register, field, high register, field, shift)


def parse_name(text):
    """NAME, NAME:64 or BEFORE{0..15}AFTER+STRIDE."""
    m = re.fullmatch(rf"({NAME})(?:{{(\d+)\.\.(\d+)}}([A-Z0-9_]*)\+(\w+))?(?::(\d+))?", text)
    if not m:
        raise TableError(f"bad register name '{text}'")
    first, last = int(m[2] or 0), int(m[3] or 0)
    count = last - first + 1 if m[2] else 0
    if m[2] and count < 1:
        raise TableError(f"{text}: an array that ends before it begins")
    stride = bits.number(m[5], text) if m[5] else 0
    if m[2] and stride == 0:
        raise TableError(f"{text}: an array with stride 0")
    return m[1], m[4] or "", first, count, stride, m[6]


def parse_row(regs, line, number):
    cells = [c.strip() for c in line.split("|")]
    if len(cells) != 5:
        raise TableError(f"row has {len(cells)} columns, want 5")
    bits.check_head(regs)
    before, after, first, count, stride, width = parse_name(cells[0])
    width = bits.number(width, cells[0]) if width else regs.width
    if width not in (32, 64):
        raise TableError(f"{cells[0]}: width is {width}, want 32 or 64")
    if cells[1] not in BANKS:
        raise TableError(f"{cells[0]}: unknown bank '{cells[1]}'")
    offsets = bits.parse_codes(regs, cells[2], cells[0])
    bits.check_source(regs, cells[4], cells[0])
    reg = Reg(before, after, number, count, first, stride, width, cells[1], offsets, [], cells[4])
    reg.fields = bits.parse_fields(regs, cells[3], width, reg.name())
    return reg


def parse_pair(regs, line, number):
    """pair NAME LOW.FIELD HIGH.FIELD <<N"""
    m = re.fullmatch(rf"pair\s+({NAME})\s+({NAME})\.({NAME})\s+({NAME})\.({NAME})(?:\s+<<(\d+))?", line)
    if not m:
        raise TableError("want: pair NAME LOW.FIELD HIGH.FIELD [<<N]")
    found = []
    for reg_name, field_name in ((m[2], m[3]), (m[4], m[5])):
        reg = next((r for r in regs.rows if r.name() == reg_name), None)
        if reg is None:
            raise TableError(f"pair {m[1]}: unknown register {reg_name}")
        f = next((g for g in reg.fields if g.name == field_name), None)
        if f is None:
            raise TableError(f"pair {m[1]}: {reg_name} has no field {field_name}")
        found += [reg, f]
    if found[0].count != found[2].count:
        raise TableError(f"pair {m[1]}: {m[2]} and {m[4]} are not equally many")
    regs.pairs.append((number, m[1], *found, int(m[6] or 0)))


def check_rows(regs):
    """No two rows with one name, no two registers at one offset, in one generation."""
    for g, gen in enumerate(regs.gens):
        names, at = {}, {}
        for r in regs.rows:
            if r.offsets[g] is None:
                continue
            for i, name in enumerate(r.elements()):
                where = f"{regs.path}:{r.line}: {name}"
                if name in names:
                    raise TableError(f"{where} stands there already for {gen}")
                names[name] = r
                offset = r.offsets[g] + i * r.stride
                if offset in at:
                    raise TableError(f"{where} is at {offset:#x} on {gen}, and so is {at[offset]}")
                at[offset] = name


def parse(path):
    regs = Regs(path)
    for number, line in bits.lines_of(path):
        try:
            if "|" in line:
                regs.rows.append(parse_row(regs, line, number))
            elif line.split()[0] == "pair":
                parse_pair(regs, line, number)
            elif not bits.parse_head(regs, line):
                raise TableError(f"unknown line '{line.split()[0]}'")
        except TableError as e:
            raise TableError(f"{path}:{number}: {e}") from None
    check_rows(regs)
    return regs


def base_name(regs):
    return os.path.basename(regs.path)


def symbol(regs):
    return f"lull_regs_{regs.prefix.lower()}"


def write_header(regs, path):
    d = bits.Defines(regs.path)
    for r in regs.rows:
        names = [r.name()] + r.elements() if r.count else [r.name()]
        plain = next(o for o in r.offsets if o is not None)
        again = any(set(q.elements()) & set(r.elements()) for q in regs.rows[:regs.rows.index(r)])  # for later generations
        tail = "_" + regs.gens[r.offsets.index(plain)].upper() if again else ""
        for k, name in enumerate(names):
            full = f"LULL_{regs.prefix}_{name}{tail}"
            step = max(k - 1, 0) * r.stride
            d.add(full, f"{plain + step:#x}u", r.line)
            for gen, offset in zip(regs.gens, r.offsets):
                if offset not in (None, plain):
                    d.add(f"{full}_{gen.upper()}", f"{offset + step:#x}u", r.line)
            if k == 0 and r.count:
                d.add(full + "__COUNT", f"{r.count}", r.line)
                d.add(full + "__STRIDE", f"{r.stride:#x}u", r.line)
            if k < 2:  # the array's name and its first element
                d.fields(full, r.fields, r.width == 64, r.line)
    guard = f"LULL_REGS_{regs.prefix}_H"
    bits.write(path, [f"// Generated by gen/reg.py from {base_name(regs)}. Do not edit.",
                      f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "",
                      '#include "hw/reg.h"', "",
                      f"/** Registers of {base_name(regs)}; offsets in {regs.unit}. */",
                      f"extern const struct lull_reg_db {symbol(regs)};", "", *d.lines, "", "#endif"])


def variants(regs):
    """(row, offset, mask of generations): a row once for each offset it has."""
    for r in regs.rows:
        for offset in sorted({o for o in r.offsets if o is not None}):
            yield r, offset, sum(1 << g for g, o in enumerate(r.offsets) if o == offset)


def write_table(regs, path):
    out = [f"// Generated by gen/reg.py from {base_name(regs)}. Do not edit.", '#include "hw/reg.h"', "",
           f"extern const struct lull_reg_db {symbol(regs)};", ""]
    cf = bits.CFields(out)
    rows, entries = [], []
    for k, (r, offset, gens) in enumerate(variants(regs)):
        rows.append(f'    {{"{r.name()}", "{r.bank}", "{r.source}", {offset:#x}, {r.stride:#x}, {r.count}, '
                    f"{gens:#x}, {r.width}, {len(r.fields)}, {cf.fields(r.fields)}}},")
        entries += [(offset + i * r.stride, name, k, i) for i, name in enumerate(r.elements())]
    out += ["static const struct lull_reg regs[] = {", *rows, "};", ""]
    entries.sort()
    out.append("static const struct lull_reg_entry by_offset[] = {")
    out += [f'    {{"{name}", {offset:#x}, {k}, {i}}},' for offset, name, k, i in entries]
    order = sorted(range(len(entries)), key=lambda e: entries[e][1].lower())  # as strcasecmp() does
    out += ["};", "", "static const uint16_t by_name[] = {"]
    out += ["    " + ", ".join(map(str, order[i:i + 16])) + "," for i in range(0, len(order), 16)]
    out += ["};", ""]
    if regs.pairs:
        out.append("static const struct lull_reg_pair pairs[] = {")
        for _, name, lo, lf, hi, hf, shift in regs.pairs:
            out.append(f'    {{"{name}", "{lo.name()}", "{hi.name()}", {lf.mask():#x}, {hf.mask():#x}, {shift}}},')
        out += ["};", ""]
    gens = ", ".join(f'"{g}"' for g in regs.gens)
    out += [f"static const char *const gens[] = {{{gens}}};", "",
            f"const struct lull_reg_db {symbol(regs)} = {{",
            f'    "{regs.prefix}", "{regs.unit}", {len(regs.gens)}, {len(rows)}, {len(entries)}, {len(regs.pairs)},',
            f'    gens, regs, by_offset, by_name, {"pairs" if regs.pairs else "NULL"},', "};"]
    bits.write(path, out)


def write_doc(regs, path):
    out = [f"# {regs.prefix} registers", "", f"Generated from `{base_name(regs)}`. Offsets in {regs.unit}.", "",
           "| register | " + " | ".join(regs.gens) + " | bank | fields | source |",
           "|---" * (4 + len(regs.gens)) + "|"]
    for r in regs.rows:
        offsets = " | ".join("-" if o is None else f"`{o:#x}`" for o in r.offsets)
        name = r.name() + (f"[{r.count}] +{r.stride}" if r.count else "")
        out.append(f"| `{name}` | {offsets} | {r.bank} | {bits.show_fields(r.fields)} | {r.source} |")
    bits.write(path, out + ["", *(f"- {k}: {v}" for k, v in regs.sources.items())])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("table_file")
    for name in ("header", "table", "doc"):
        ap.add_argument(f"--{name}")
    args = ap.parse_args()
    regs = parse(args.table_file)
    write_header(regs, args.header)
    write_table(regs, args.table)
    write_doc(regs, args.doc)


if __name__ == "__main__":
    bits.run(main)
