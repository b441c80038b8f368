# SPDX-License-Identifier: MIT
"""What register and packet tables (gen/reg.py, gen/pkt.py) have in common: lines, fields, enums, C.

docs/formats/reg-table.md describes the notation.
"""
import re
import sys
from dataclasses import dataclass, field

NAME = r"[A-Z][A-Z0-9_]*"


class TableError(Exception):
    pass


@dataclass
class Field:
    name: str
    lo: int
    bits: int
    shift: int = 0          # the value stands for value << shift (an address)
    kind: str = "UINT"      # UINT, ADDRESS, REG, F32, SIGNED
    base: int = 0           # kind REG: byte offset of register 0
    values: list = field(default_factory=list)  # (value, name)

    def mask(self):
        return ((1 << self.bits) - 1) << self.lo


@dataclass
class Table:
    path: str
    prefix: str = ""
    unit: str = ""
    width: int = 32
    gens: list = field(default_factory=list)
    sources: dict = field(default_factory=dict)
    enums: dict = field(default_factory=dict)


def number(text, what):
    if not re.fullmatch(r"0x[0-9a-fA-F]+|\d+", text):
        raise TableError(f"{what}: bad number '{text}'")
    return int(text, 0)


def lines_of(path):
    """(line number, text) of each logical line: no comments, a '\\' at the end joins lines."""
    try:
        with open(path, encoding="utf-8") as f:
            raw = f.read().split("\n")
    except (OSError, UnicodeDecodeError) as e:
        raise TableError(f"{path}: {e}") from None
    held, start = "", 0
    for n, line in enumerate(raw, 1):
        line = line.split("#", 1)[0].rstrip()
        start = n if not held else start
        if line.endswith("\\"):
            held += (line[:-1].strip() if held else line[:-1].rstrip()) + " "
            continue
        line = held + line.lstrip() if held else line
        held = ""
        if line.strip():
            yield start, line
    if held:
        raise TableError(f"{path}:{start}: the file ends inside a joined line")


def parse_values(text, what, bits):
    values = []
    for item in filter(None, (i.strip() for i in text.split(","))):
        m = re.fullmatch(r"(\w+)\s+([A-Z0-9_]+)", item)
        if not m:
            raise TableError(f"{what}: bad value '{item}', want NUMBER NAME")
        v = number(m[1], what)
        if bits is not None and v >> bits:
            raise TableError(f"{what}: value {v:#x} does not fit {bits} bits")
        for w, n in values:
            if w == v or n == m[2]:
                raise TableError(f"{what}: value {m[2]} = {v} stands there already")
        values.append((v, m[2]))
    return values


def parse_enum(table, text):
    m = re.fullmatch(rf"enum\s+({NAME})\s+(.*)", text)
    if not m:
        raise TableError("want: enum NAME VALUE NAME, VALUE NAME ...")
    if m[1] in table.enums:
        raise TableError(f"enum {m[1]} stands there already")
    table.enums[m[1]] = parse_values(m[2], f"enum {m[1]}", None)


def parse_kind(table, f, text, what):
    """What may follow a field's name: <<N, reg+BASE, f32, signed, =ENUM, {values}."""
    m = re.fullmatch(r"<<(\d+)", text)
    if m:
        f.shift, f.kind = int(m[1]), "ADDRESS"
        return
    m = re.fullmatch(r"reg\+(\w+)", text)
    if m:
        f.kind, f.base = "REG", number(m[1], what)
        return
    if text in ("f32", "signed"):
        f.kind = text.upper()
        return
    m = re.fullmatch(rf"=({NAME})", text)
    if m:
        if m[1] not in table.enums:
            raise TableError(f"{what}: unknown enum {m[1]}")
        f.values = table.enums[m[1]]
        big = next((v for v, _ in f.values if v >> f.bits), None)
        if big is not None:
            raise TableError(f"{what}: value {big:#x} of {m[1]} does not fit {f.bits} bits")
        return
    m = re.fullmatch(r"{(.*)}", text)
    if m:
        f.values = parse_values(m[1], what, f.bits)
        return
    raise TableError(f"{what}: cannot read '{text}'")


def parse_fields(table, text, width, owner):
    fields, used = [], 0
    for item in filter(None, (i.strip() for i in text.split(";"))):
        m = re.fullmatch(rf"(\d+)(?::(\d+))?\s+({NAME})\s*(.*)", item)
        if not m:
            raise TableError(f"{owner}: bad field '{item}', want HI:LO NAME or BIT NAME")
        hi, lo = int(m[1]), int(m[2] or m[1])
        what = f"{owner}.{m[3]}"
        if hi < lo or hi >= width:
            raise TableError(f"{what}: bits {hi}:{lo} of a {width}-bit word")
        f = Field(m[3], lo, hi - lo + 1)
        if used & f.mask():
            raise TableError(f"{what}: overlaps another field")
        if any(g.name == f.name for g in fields):
            raise TableError(f"{what}: stands there already")
        if m[4]:
            parse_kind(table, f, m[4], what)
        used |= f.mask()
        fields.append(f)
    return sorted(fields, key=lambda g: g.lo)


def parse_codes(table, text, what):
    """'0x10 gfx12:0x20' -> a number (or None) for each generation."""
    codes = [None] * len(table.gens)
    for item in text.split():
        since, _, code = item.rpartition(":")
        if since and since not in table.gens:
            raise TableError(f"{what}: unknown generation '{since}'")
        start = table.gens.index(since) if since else 0
        value = None if code == "-" else number(code, what)
        codes[start:] = [value] * (len(codes) - start)
    if all(c is None for c in codes):
        raise TableError(f"{what}: in no generation")
    return codes


def check_source(table, text, what):
    if not text:
        raise TableError(f"{what}: every row names its source")
    for key in text.split():
        if key not in table.sources:
            raise TableError(f"{what}: unknown source '{key}'")


def parse_head(table, line):
    """Lines that both kinds of table have. True if @p line was one."""
    words = line.split()
    if words[0] == "db":
        if len(words) != 3 or not re.fullmatch(NAME, words[1]):
            raise TableError("want: db PREFIX UNIT")
        table.prefix, table.unit = words[1], words[2]
    elif words[0] == "gens":
        table.gens = words[1:]
    elif words[0] == "width":
        table.width = number(words[1] if len(words) == 2 else "", "width")
        if table.width not in (32, 64):
            raise TableError(f"width is {table.width}, want 32 or 64")
    elif words[0] == "source":
        if len(words) < 3:
            raise TableError("want: source KEY DOCUMENT")
        table.sources[words[1]] = " ".join(words[2:])
    elif words[0] == "enum":
        parse_enum(table, line)
    else:
        return False
    return True


def check_head(table):
    if not table.prefix:
        raise TableError("no 'db' line above the first row")
    if not table.gens:
        raise TableError("no 'gens' line above the first row")


class Defines:
    """The #define lines of a header; refuses one name with two meanings."""

    def __init__(self, path):
        self.path, self.lines, self.seen = path, [], {}

    def add(self, name, value, line):
        old = self.seen.get(name)
        if old is not None and old != value:
            raise TableError(f"{self.path}:{line}: {name} would be {old} and {value}")
        if old is None:
            self.seen[name] = value
            self.lines.append(f"#define {name} {value}")

    def fields(self, owner, fields, wide, line):
        for f in fields:
            at = f"{owner}__{f.name}"
            mask = f"UINT64_C({f.mask():#x})" if wide else f"{f.mask():#x}u"
            self.add(at + "_SHIFT", f"{f.lo}", line)
            self.add(at + "_MASK", mask, line)
            if f.kind == "REG":
                self.add(at + "__BASE", f"{f.base:#x}u", line)
            for v, n in f.values:
                self.add(f"{at}__{n}", f"{v:#x}u", line)


class CFields:
    """Writes arrays of fields and values as static tables, equal ones once."""

    def __init__(self, out):
        self.out, self.known = out, {}

    def array(self, kind, text):
        if not text:
            return "NULL"
        if text not in self.known:
            name = f"{kind}_{len(self.known)}"
            self.known[text] = name
            struct = {"values": "lull_field_value", "fields": "lull_field"}[kind]
            self.out.append(f"static const struct {struct} {name}[] = {{\n{text}}};")
        return self.known[text]

    def values(self, values):
        return self.array("values", "".join(f'    {{{v:#x}, "{n}"}},\n' for v, n in sorted(values)))

    def fields(self, fields):
        rows = []
        for f in fields:
            vals = self.values(f.values)
            rows.append(f'    {{"{f.name}", {f.lo}, {f.bits}, {f.shift}, LULL_FIELD_{f.kind}, {f.base:#x}, '
                        f"{len(f.values)}, {vals}}},\n")
        return self.array("fields", "".join(rows))


def show_bits(f):
    return f"{f.lo + f.bits - 1}:{f.lo}" if f.bits > 1 else f"{f.lo}"


def show_fields(fields):
    """Fields as a cell of Markdown."""
    cells = []
    for f in fields:
        text = f"`{show_bits(f)}` {f.name}"
        if f.kind == "ADDRESS" and f.shift:
            text += f" (address >> {f.shift})"
        if f.values:
            text += " {" + ", ".join(f"{v} {n}" for v, n in f.values) + "}"
        cells.append(text)
    return "; ".join(cells)


def write(path, lines):
    if path:
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")


def run(job):
    try:
        job()
    except TableError as e:
        sys.exit(f"{e}")
