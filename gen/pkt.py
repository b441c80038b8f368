#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a packet table (data/pkt/*.pkt) into a C header, a C look-up table and Markdown.

    pkt.py TABLE.pkt [--header OUT.h] [--table OUT.c] [--doc OUT.md]

Standard library only; the same input gives the same bytes. Every fault in a table is reported as
FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/pkt-table.md describes the format.
"""
import argparse
import os
import re
from dataclasses import dataclass, field

import bits
from bits import NAME, TableError

NO_WORD = 255  # struct lull_pkt_word.when_word: the condition is about the number of body dwords


@dataclass
class Word:
    name: str
    line: int
    index: int
    repeats: bool
    fields: list
    when: tuple = ()  # (word index or NO_WORD, mask, set of values as bits)
    registers: bool = False  # a repeating word that holds registers, from the packet's reg field on


@dataclass
class Packet:
    name: str
    line: int
    codes: list
    least: int
    most: int  # -1: no limit
    source: str
    words: list = field(default_factory=list)


@dataclass
class Packets(bits.Table):
    header: list = field(default_factory=list)
    rows: list = field(default_factory=list)


def parse_size(text, name):
    m = re.fullmatch(r"(\d+)(\+|\.\.(\d+))?", text)
    if not m:
        raise TableError(f"{name}: bad size '{text}', want N, N+ or N..M dwords")
    least = int(m[1])
    most = -1 if m[2] == "+" else int(m[3] or m[1])
    if most != -1 and most < least:
        raise TableError(f"{name}: size {text} ends before it begins")
    return least, most


def parse_packet(pkts, line, number):
    """packet NAME | opcode | size | source"""
    cells = [c.strip() for c in line.split(None, 1)[1].split("|")] if " " in line else []
    if len(cells) != 4:
        raise TableError("want: packet NAME | OPCODE | DWORDS | SOURCE")
    bits.check_head(pkts)
    if not pkts.header:
        raise TableError("no 'header' line above the first packet")
    if not re.fullmatch(NAME, cells[0]):
        raise TableError(f"bad packet name '{cells[0]}'")
    opcodes = bits.parse_codes(pkts, cells[1], cells[0])
    opcode = next((f for f in pkts.header if f.name == "OPCODE"), None)
    if opcode is None:
        raise TableError("the header has no field OPCODE")
    for code in opcodes:
        if code is not None and code >> opcode.bits:
            raise TableError(f"{cells[0]}: opcode {code:#x} does not fit {opcode.bits} bits")
    bits.check_source(pkts, cells[3], cells[0])
    return Packet(cells[0], number, opcodes, *parse_size(cells[2], cells[0]), cells[3])


def parse_when(packet, text, what):
    """'n=3' or 'WORD.FIELD=VALUE,VALUE'"""
    left, _, right = text.partition("=")
    left, values = left.strip(), [v.strip() for v in right.split(",")]
    if left == "n":
        names, at, limit = [], (NO_WORD, 0), 32
    else:
        word_name, _, field_name = left.partition(".")
        word = next((w for w in packet.words if w.name == word_name), None)
        f = next((g for g in word.fields if g.name == field_name), None) if word else None
        if f is None:
            raise TableError(f"{what}: unknown field {left}")
        names, at, limit = f.values, (word.index, f.mask()), 1 << f.bits
    mask = 0
    for v in values:
        n = next((k for k, name in names if name == v), None)
        n = bits.number(v, what) if n is None else n
        if n >= min(limit, 32):
            raise TableError(f"{what}: {left} is never {n}")
        mask |= 1 << n
    return (*at, mask)


def parse_word(pkts, line, number):
    """INDEX NAME[[]] [? WHEN] [| FIELDS]"""
    if not pkts.rows:
        raise TableError("a word before the first packet")
    packet = pkts.rows[-1]
    head, _, cell = line.partition("|")
    m = re.fullmatch(rf"\s+(\d+)\s+({NAME})(\[\])?(\s+registers)?\s*(?:\?\s*(\S.*?)\s*)?", head)
    if not m:
        raise TableError(f"{packet.name}: bad word '{head.strip()}'")
    what = f"{packet.name}.{m[2]}"
    word = Word(m[2], number, int(m[1]), bool(m[3]), bits.parse_fields(pkts, cell, 32, what),
                registers=bool(m[4]))
    word.when = parse_when(packet, m[5], what) if m[5] else ()
    if packet.most != -1 and word.index >= packet.most:
        raise TableError(f"{what}: dword {word.index} of {packet.most}")
    if any(w.name == word.name for w in packet.words):
        raise TableError(f"{what}: stands there already")
    if word.registers and not (word.repeats and any(f.kind == "REG" for w in packet.words for f in w.fields)):
        raise TableError(f"{what}: no field above says which registers")
    last = packet.words[-1] if packet.words else None
    if last and last.repeats and not last.when:
        raise TableError(f"{what}: comes after a word that repeats")
    if last and word.index < last.index:
        raise TableError(f"{what}: dword {word.index} after {last.index}")
    if last and word.index == last.index and not last.when:
        raise TableError(f"{what}: dword {word.index} is {last.name} without a condition")
    packet.words.append(word)


def check_rows(pkts):
    for g, gen in enumerate(pkts.gens):
        names, codes = {}, {}
        for p in pkts.rows:
            code = p.codes[g]
            if code is None:
                continue
            where = f"{pkts.path}:{p.line}: {p.name}"
            if p.name in names:
                raise TableError(f"{where} stands there already for {gen}")
            if code in codes:
                raise TableError(f"{where} is {code:#x} on {gen}, and so is {codes[code]}")
            names[p.name], codes[code] = p, p.name


def parse(path):
    pkts = Packets(path)
    for number, line in bits.lines_of(path):
        try:
            word = line.split()[0]
            if line[0] in " \t":
                parse_word(pkts, line, number)
            elif word == "packet":
                pkts.rows.append(parse_packet(pkts, line, number))
            elif word == "header":
                pkts.header = bits.parse_fields(pkts, line.removeprefix("header"), 32, "header")
            elif not bits.parse_head(pkts, line):
                raise TableError(f"unknown line '{word}'")
        except TableError as e:
            raise TableError(f"{path}:{number}: {e}") from None
    check_rows(pkts)
    return pkts


def base_name(pkts):
    return os.path.basename(pkts.path)


def symbol(pkts):
    return "lull_pkts_" + base_name(pkts).rsplit(".", 1)[0]


def write_header(pkts, path):
    d = bits.Defines(pkts.path)
    d.fields(f"LULL_{pkts.prefix}_HEADER", pkts.header, False, 1)
    for p in pkts.rows:
        full = f"LULL_{pkts.prefix}_{p.name}"
        plain = next(c for c in p.codes if c is not None)
        d.add(full, f"{plain:#x}u", p.line)
        for gen, code in zip(pkts.gens, p.codes):
            if code not in (None, plain):
                d.add(f"{full}_{gen.upper()}", f"{code:#x}u", p.line)
        for w in p.words:
            d.add(f"{full}_{w.name}", f"{w.index}", w.line)
            d.fields(f"{full}_{w.name}", w.fields, False, w.line)
    guard = f"LULL_PKTS_{pkts.prefix}_H"
    bits.write(path, [f"// Generated by gen/pkt.py from {base_name(pkts)}. Do not edit.",
                      f"#ifndef {guard}", f"#define {guard}", "", '#include "hw/pkt.h"', "",
                      f"/** Packets of {base_name(pkts)}. */",
                      f"extern const struct lull_pkt_db {symbol(pkts)};", "", *d.lines, "", "#endif"])


def write_table(pkts, path):
    out = [f"// Generated by gen/pkt.py from {base_name(pkts)}. Do not edit.", '#include "hw/pkt.h"', "",
           f"extern const struct lull_pkt_db {symbol(pkts)};", ""]
    cf = bits.CFields(out)
    rows = []
    header = cf.fields(pkts.header)
    for k, p in enumerate(pkts.rows):
        words = []
        for w in p.words:
            at, mask, values = w.when or (0, 0, 0)
            words.append(f'    {{"{w.name}", {w.index}, {int(w.repeats)}, {int(w.registers)}, {at}, {mask:#x}u, '
                         f"{values:#x}u, {len(w.fields)}, {cf.fields(w.fields)}}},")
        if words:
            out += [f"static const struct lull_pkt_word words_{k}[] = {{", *words, "};"]
        for code in sorted({c for c in p.codes if c is not None}):
            gens = sum(1 << g for g, c in enumerate(p.codes) if c == code)
            rows.append((code, f'    {{"{p.name}", "{p.source}", {code:#x}, {gens:#x}, {p.least}, {p.most}, '
                               f'{len(words)}, {f"words_{k}" if words else "NULL"}}},'))
    out += ["", "static const struct lull_pkt packets[] = {", *(text for _, text in sorted(rows)), "};", ""]
    gens = ", ".join(f'"{g}"' for g in pkts.gens)
    out += [f"static const char *const gens[] = {{{gens}}};", "",
            f"const struct lull_pkt_db {symbol(pkts)} = {{",
            f'    "{pkts.prefix}", {len(pkts.gens)}, {len(rows)}, {len(pkts.header)}, gens, {header}, packets,', "};"]
    bits.write(path, out)


def write_doc(pkts, path):
    out = [f"# {pkts.prefix} packets", "", f"Generated from `{base_name(pkts)}`.", "",
           f"Header: {bits.show_fields(pkts.header)}", ""]
    for p in pkts.rows:
        codes = ", ".join(f"{g} `{c:#x}`" for g, c in zip(pkts.gens, p.codes) if c is not None)
        size = f"{p.least}+" if p.most == -1 else f"{p.least}..{p.most}" if p.most != p.least else f"{p.least}"
        out += [f"## {p.name}", "", f"{codes}; {size} dwords after the header; source: {p.source}", ""]
        out += [f"- `{w.index}` {w.name}{'[]' if w.repeats else ''}: {bits.show_fields(w.fields)}" for w in p.words]
        out.append("")
    bits.write(path, out + [f"- {k}: {v}" for k, v in pkts.sources.items()])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("table_file")
    for name in ("header", "table", "doc"):
        ap.add_argument(f"--{name}")
    args = ap.parse_args()
    pkts = parse(args.table_file)
    write_header(pkts, args.header)
    write_table(pkts, args.table)
    write_doc(pkts, args.doc)


if __name__ == "__main__":
    bits.run(main)
