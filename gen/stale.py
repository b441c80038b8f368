#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""State of an Adreno that can be stale (data/adreno/a6xx.stale) as C tables, those of src/hw/stale.h.

    stale.py TABLE.stale [--dom TABLE.dom ...] [--table OUT.c]

Names are looked up in the domain A6XX of the .dom files, for each generation. A fault is FILE:LINE: MESSAGE and exit status 1.
docs/formats/stale-table.md describes the format.
"""
import argparse
import pathlib
import re
import sys

import dom

GENS = {"A6XX": 6, "A7XX": 7}
WORKS = ("draw", "direct", "pixels", "dispatch", "blit", "resolve")
EFFECTS = ("flushes_color", "flushes_depth", "invalidates", "cleans")
MOST_TESTS = 4
ADRENO = pathlib.Path(__file__).resolve().parents[1] / "data" / "adreno"


class Registers:
    """Registers of the domain A6XX, as one generation has them."""

    def __init__(self, base, gen):
        self.base, self.by_name, self.rows = base, {}, []
        for r in base.domains["A6XX"]:
            chips = dom.chips_of(r.cond) if r.cond else None
            if chips is not None and not chips >> gen & 1:
                continue
            name, _, rest = r.name.strip().partition("[")
            count, _, stride_after = rest.partition("+")
            stride, _, after = stride_after.partition("]")
            row = (r, int(count or 0), int(stride or "0", 0))
            self.rows.append(row)
            self.by_name.setdefault(name + ("[]" + after if rest else ""), row)

    def find(self, name):
        """(offset, dwords, stride, count) of NAME, NAME[].AFTER or NAME[3].AFTER; None: this generation has no such register."""
        m = re.fullmatch(r"(\w+)\[(\d*)\](.*)", name)
        row = self.by_name.get(f"{m[1]}[]{m[3]}" if m else name)
        if row is None:
            return None
        r, count, stride = row
        first = int(m[2] or 0) if m else 0
        return r.offset + first * stride, r.width // 32, stride, count if m and not m[2] else 1

    def bits(self, name, field):
        """(offset, lo, hi) of a register or its field; None: there is no such register."""
        row = self.by_name.get(name)
        if row is None:
            return None
        if not field:
            return row[0].offset, 0, 31
        fields = list(row[0].fields)
        for sub in [row[0].type, *row[0].refs]:
            fields += self.base.bitsets.get(sub, (False, []))[1]
        found = [f for f in fields if f.name == field]
        if not found:
            raise dom.TableError(f"{name} has no field {field}")
        return row[0].offset, found[0].lo, found[0].hi


def test(regs, text):
    """C of a test of a register, and whether it counts elements; None: this generation has no such register."""
    m = re.fullmatch(r"via (\w+\[\]\.\w+)\.(\w+)", text)
    if m:
        at = regs.find(m[1])
        bits = regs.bits(m[1], m[2]) if at else None
        return at and (f"{{{at[0]:#x}, {bits[1]}, {bits[2]}, LULL_STALE_VIA, {at[2]}}}", False)
    m = re.fullmatch(r"(each )?(!)?([\w.]+)(?: (!?=|/) (\d+))?", text)
    if not m or (m[1] and (m[2] or m[4] not in (None, "/"))) or (not m[1] and m[4] == "/") or (m[2] and m[4]):
        raise dom.TableError(f"bad condition '{text}'")
    at = regs.bits(*m[3].partition(".")[::2])
    if at is None:
        return None
    op = "EACH" if m[1] else "IS" if m[4] == "=" or m[2] else "IS_NOT"
    value = int(m[5]) if m[5] else 1 if m[1] else 0
    return f"{{{at[0]:#x}, {at[1]}, {at[2]}, LULL_STALE_{op}, {value}}}", bool(m[1])


def read_rows(regs, work, when, names):
    tests = [] if when == "-" else [test(regs, t.strip()) for t in when.split("&")]
    if len(tests) > MOST_TESTS:
        raise dom.TableError(f"more than {MOST_TESTS} conditions")
    if None in tests:
        return
    each = any(t[1] for t in tests)
    for name in names:
        found = regs.find(name)
        if found is None:
            continue
        at, dwords, stride, count = found
        if each != ("[]" in name):
            raise dom.TableError(f"{name}: an array without a number goes with 'each', and only with it")
        cells = ", ".join(t[0] for t in tests)
        yield at, (f"    {{LULL_STALE_{work.upper()}, {len(tests)}, {{{cells or '{0}'}}}, {at:#x}, {dwords}, {stride}, {count}}},")


def ranges(text):
    for part in text.split():
        m = re.fullmatch(r"(0x[0-9a-f]+)(?:-(0x[0-9a-f]+))?", part)
        if not m:
            raise dom.TableError(f"'{part}' is not a range of registers")
        yield int(m[1], 16), int(m[2] or m[1], 16)


class Table:
    def __init__(self, base):
        self.regs = {g: Registers(base, n) for g, n in GENS.items()}
        self.base, self.sources, self.events = base, set(), []
        self.reads = {g: [] for g in GENS}
        self.unbanked = {g: [] for g in GENS}
        self.keep = {g: [] for g in GENS}
        self.bound = {g: [] for g in GENS}

    def line(self, text):
        word, _, rest = text.partition(" ")
        if word == "source":
            self.sources.add(rest.split()[0])
            return
        cells = [c.strip() for c in rest.split("|")]
        if word not in ("read", "event", "unbanked", "bound", "keep") or len(cells) != (4 if word == "read" else 3) or not all(cells):
            raise dom.TableError("a row is: source KEY TEXT, read WORK | WHEN | REGISTERS | SOURCES, event EFFECT | NAMES | SOURCES, unbanked or bound GEN | RANGES | SOURCES "
                                 "or keep GEN | REGISTERS | SOURCES")
        if not set(cells[-1].split()) <= self.sources:
            raise dom.TableError(f"unknown source in '{cells[-1]}'")
        if word == "read":
            self.read(*cells[:3])
            return
        if word == "event":
            self.event(*cells[:2])
            return
        if cells[0] not in GENS:
            raise dom.TableError(f"'{cells[0]}' is not one of {', '.join(GENS)}")
        if word in ("unbanked", "bound"):
            getattr(self, word)[cells[0]] += ranges(cells[1])
            return
        for name in cells[1].split():
            found = self.regs[cells[0]].find(name)
            if found is None:
                raise dom.TableError(f"there is no register {name}")
            self.keep[cells[0]].append((found[0], found[0] + found[1] - 1))

    def read(self, work, when, names):
        if work not in WORKS:
            raise dom.TableError(f"'{work}' is not one of {', '.join(WORKS)}")
        for name in names.split():
            if all(r.find(name) is None for r in self.regs.values()):
                raise dom.TableError(f"there is no register {name}")
        for gen, regs in self.regs.items():
            self.reads[gen] += read_rows(regs, work, when, names.split())

    def event(self, effect, names):
        if effect not in EFFECTS:
            raise dom.TableError(f"'{effect}' is not one of {', '.join(EFFECTS)}")
        known = {n for _, n, _ in self.base.enums["vgt_event_type"]}
        for name in names.split():
            if name not in known:
                raise dom.TableError(f"there is no event {name}")
            self.events.append(f'    {{"{name}", LULL_STALE_{effect.upper()}}},')

    def text(self):
        out = ["// Made by gen/stale.py.", '#include "hw/stale.h"', "", "static const struct lull_stale_event events[] = {", *self.events, "};"]
        for g in GENS:
            out += [f"static const struct lull_stale_read reads_{g}[] = {{", *(t for _, t in self.reads[g]), "};"]
            for what, rows in (("unbanked", self.unbanked[g]), ("bound", self.bound[g]), ("keep", self.keep[g])):
                cells = [f"    {{{a:#x}, {b:#x}}}," for a, b in sorted(rows)]
                out += [f"static const struct lull_stale_range {what}_{g}[] = {{", *cells, "};"]
        out += ["const struct lull_stale lull_stale_gens[] = {"]
        for g, n in GENS.items():
            out += [f"    {{{n}, {len(self.reads[g])}, reads_{g}, {len(self.events)}, events, {len(self.unbanked[g])}, unbanked_{g}, {len(self.bound[g])}, bound_{g}, {len(self.keep[g])}, keep_{g}}},"]
        return "\n".join([*out, "    {0},", "};", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--dom", nargs="+", default=[ADRENO / "types.dom", ADRENO / "a6xx.dom"])
    parser.add_argument("--table", type=pathlib.Path)
    args = parser.parse_args()
    base, n = dom.Base(), 0
    try:
        for path in args.dom:
            dom.parse(base, path)
        table = Table(base)
        for n, line in enumerate(args.file.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                table.line(line)
        if args.table:
            args.table.write_text(table.text(), encoding="utf-8")
    except dom.TableError as e:
        sys.exit(f"{args.file}:{n}: {e}")


if __name__ == "__main__":
    main()
