#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn an instruction set described by bitsets (data/isa/*.spec) into C tables.

    spec.py TABLE.spec [--header OUT.h] [--table OUT.c] [--insn OUT.h --members OUT.c]

--insn and --members are for tables with rows `member`: the struct that an instruction is decoded into, and where its members are.

Standard library only; the same input gives the same bytes. Every fault in the table is reported as
FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/spec-table.md describes the format.
"""
import argparse
import re
import sys
from dataclasses import dataclass, field

ROLES = ("dst", "src", "both", "target", "operand")
MODS = ("half", "neg", "abs", "r", "last", "inv", "absneg")
MEMBERS = {"bool": "bool", "uint8": "uint8_t", "int32": "int32_t"}
TYPES = ("bool", "bool_inv", "uint", "int", "hex", "offset", "uoffset", "float", "branch", "absbranch", "custom")
NAME = r"[A-Za-z0-9_]+"
BITSET = r"#?[a-z0-9][A-Za-z0-9_.-]*"
INDEX_BITS = 9


class TableError(Exception):
    pass


@dataclass
class Field:
    name: str
    lo: int
    bits: int
    type: str
    text: str = None
    params: list = field(default_factory=list)
    expr: str = None
    expect: int = 0


@dataclass
class Operand:
    role: str
    kind: str  # None: that of the operand in a field
    value: str  # expression, or the name of that field
    mods: list  # (what, expression)


@dataclass
class Case:
    expr: str
    display: str = None
    fields: list = field(default_factory=list)
    operands: list = field(default_factory=list)


@dataclass
class Bitset:
    name: str
    mnemonic: str
    parent: str
    gens: tuple
    line: int
    cases: list = field(default_factory=list)
    also: list = field(default_factory=list)
    op: str = None
    patterns: list = field(default_factory=list)  # (lo, text)
    at: int = 0
    up: object = None
    children: int = 0


@dataclass
class Table:
    prefix: str = ""
    bits: int = 0
    enums: dict = field(default_factory=dict)
    bitsets: list = field(default_factory=list)
    exprs: list = field(default_factory=list)
    names: list = field(default_factory=list)
    members: list = field(default_factory=list)  # (type, name, text, fields)
    exports: list = field(default_factory=list)  # (enum, prefix)
    kinds: list = field(default_factory=list)
    category: tuple = None

    def name(self, text):
        if text not in self.names:
            if len(self.names) == 254:
                raise TableError("more than 254 names of fields")
            self.names.append(text)
        return self.names.index(text)

    def expr(self, text):
        if text not in self.exprs:
            self.exprs.append(text)
        return self.exprs.index(text)


def parse_bits(text, width):
    m = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    hi, lo = int(m[1]), int(m[2] if m[2] else m[1])
    if lo > hi or hi >= width:
        raise TableError(f"bits {text} are not bits of a word of {width}")
    return lo, hi - lo + 1


def parse_enum(table, rest):
    m = re.fullmatch(rf"({BITSET})\s+(.*)", rest)
    if not m:
        raise TableError("want: enum NAME NUMBER \"TEXT\", ...")
    values = re.findall(r'(\d+) "([^"]*)"', m[2])
    if ", ".join(f'{v} "{t}"' for v, t in values) != m[2]:
        raise TableError(f"enum {m[1]}: want NUMBER \"TEXT\" apart by commas")
    if m[1] in table.enums:
        raise TableError(f"enum {m[1]} stands twice")
    table.enums[m[1]] = [(int(v), t) for v, t in values]


def parse_bitset(table, rest, line):
    m = re.fullmatch(rf"({BITSET})(?: : ({BITSET}))?(?: = (\S+))?(?: \| (\d*)-(\d*))?", rest)
    if not m:
        raise TableError("want: bitset NAME [: PARENT] [= MNEMONIC] [| FIRST-LAST]")
    gens = (int(m[4] or 0), int(m[5] or 65535))
    table.bitsets.append(Bitset(m[1], m[3] or m[1], m[2], gens, line))


def parse_params(text):
    params = []
    for part in text.split(","):
        m = re.fullmatch(rf"({NAME})(?: as ({NAME}))?", part.strip())
        if not m:
            raise TableError(f"bad parameter '{part.strip()}'")
        params.append((m[1], m[2] or m[1]))
    return params


def parse_member(table, rest):
    m = re.fullmatch(rf'(\w+) ([a-z][a-z0-9_]*) "([^"]*)" ({NAME}(?: {NAME})*)', rest)
    if not m or m[1] not in MEMBERS:
        raise TableError(f"want: member {'|'.join(MEMBERS)} NAME \"TEXT\" FIELD ...")
    if m[2] in [x[1] for x in table.members]:
        raise TableError(f"member {m[2]} stands twice")
    table.members.append((m[1], m[2], m[3], m[4].split()))


def parse_operand(table, role, rest):
    """[KIND] EXPRESSION [, MOD EXPRESSION]...; without a kind a field that is an operand."""
    first, *mods = rest.split(", ")
    kind, _, value = first.partition(" ")
    if kind == "none" and not value and role == "operand" and not mods:
        return Operand(role, "none", "0", [])
    m = re.fullmatch(rf"\{{({NAME})\}}", first)
    if not m and (kind not in table.kinds or not value):
        raise TableError(f"'{first}' is neither a field nor a kind of operand and its value")
    for i, mod in enumerate(mods):
        mods[i] = mod.partition(" ")[::2]
        if mods[i][0] not in MODS or not mods[i][1]:
            raise TableError(f"'{mod}' is not one of {' '.join(MODS)} and its value")
    return Operand(role, None if m else kind, m[1] if m else value, mods)


def parse_row(table, b, case, text):
    """A line of a bitset: a display, fixed bits, expected bits, a field, a derived field, an operand."""
    word, _, rest = text.partition(" ")
    if word in ROLES:
        case.operands.append(parse_operand(table, word, rest))
        return
    if word == "op":
        if case.expr is not None or not re.fullmatch(r"[a-z][a-z0-9_.]*", rest):
            raise TableError("want: op NAME, without a condition")
        b.op = rest
        return
    if text == "display" or text.startswith("display "):
        if case.display is not None:
            raise TableError("a second display")
        case.display = text[8:]
        return
    if text.startswith("also "):
        if case.expr is not None:
            raise TableError("a text that is read, too, has no condition")
        b.also.append(text[5:])
        return
    m = re.fullmatch(r"(\d+(?::\d+)?) (=|expect|default) ([01x]+)", text)
    if m:
        lo, n = parse_bits(m[1], table.bits)
        if len(m[3]) != n:
            raise TableError(f"{n} bits, but '{m[3]}'")
        if m[2] == "=" and case.expr is None:
            b.patterns.append((lo, m[3]))
        elif m[2] == "=" and set(m[3]) == {"x"}:
            pass
        elif "x" in m[3]:
            raise TableError("bits that are expected must be 0 or 1")
        elif m[2] == "default" and case.expr is not None:
            raise TableError("a default has no condition")
        else:
            case.fields.append(Field("", lo, n, {"=": "fixed"}.get(m[2], m[2]), expect=int(m[3], 2)))
        return
    m = re.fullmatch(rf'(?:(\d+(?::\d+)?) )?({NAME}) ({BITSET}|{NAME})(?: "([^"]*)")?(?: \(([^)]*)\))?(?: := (.*))?', text)
    if not m or bool(m[1]) == bool(m[6]):
        raise TableError(f"bad line '{text}'")
    lo, n = parse_bits(m[1], table.bits) if m[1] else (0, 0)
    f = Field(m[2], lo, n, m[3], m[4], parse_params(m[5]) if m[5] else [], m[6])
    case.fields.append(f)


def parse(path):
    table = Table()
    b = case = None
    with open(path, encoding="utf-8") as f:
        for number, raw in enumerate(f, 1):
            text = raw.rstrip("\n")
            if text.strip() == "" or text.lstrip().startswith("# "):
                continue
            try:
                word, _, rest = text.partition(" ")
                if word == "spec":
                    m = re.fullmatch(r"([A-Z0-9]+) (32|64)", rest)
                    if not m:
                        raise TableError("want: spec PREFIX 32|64")
                    table.prefix, table.bits = m[1], int(m[2])
                elif word == "source":
                    pass
                elif word == "enum":
                    parse_enum(table, rest)
                elif word == "member":
                    parse_member(table, rest)
                elif word == "kinds":
                    table.kinds = rest.split()
                elif word == "category":
                    table.category = parse_bits(rest, table.bits)
                elif word == "export":
                    m = re.fullmatch(rf"({BITSET}) ([A-Z]+)", rest)
                    if not m or not all(re.fullmatch(r"\w+", t) for _, t in table.enums.get(m[1], [(0, "")])):
                        raise TableError("want: export ENUM PREFIX, of an enum above whose texts are names")
                    table.exports.append((m[1], m[2]))
                elif word == "bitset":
                    parse_bitset(table, rest, number)
                    b = table.bitsets[-1]
                    case = Case(None)
                    b.cases.append(case)
                elif b is None or not text.startswith("    "):
                    raise TableError(f"unknown line '{text}'")
                elif text.startswith("    when "):
                    case = Case(text[9:].strip())
                    b.cases.append(case)
                elif text.startswith("        "):
                    parse_row(table, b, case, text[8:])
                else:
                    case = b.cases[0]
                    parse_row(table, b, case, text[4:])
            except TableError as e:
                raise TableError(f"{path}:{number}: {e}") from None
    if not table.bits:
        raise TableError(f"{path}:1: no line 'spec'")
    return table


def join(table, path):
    """Parents, masks, roots; the case without condition goes last."""
    last = {}
    for i, b in enumerate(table.bitsets):
        b.at = i
        if b.parent:
            if b.parent not in last:
                raise TableError(f"{path}:{b.line}: {b.name} extends {b.parent}, which does not stand above")
            b.up = last[b.parent]
            b.up.children += 1
        last[b.name] = b
        if not b.cases[0].fields and b.cases[0].display is None and not b.cases[0].operands:
            b.cases = b.cases[1:]
        else:
            b.cases = b.cases[1:] + b.cases[:1]
    for b in table.bitsets:
        b.mask, b.match, b.dontcare = masks(b, path)


def masks(b, path):
    mask = match = dontcare = 0
    at = b
    while at is not None:
        for lo, text in at.patterns:
            for i, c in enumerate(reversed(text)):
                bit = 1 << (lo + i)
                if mask & bit:
                    raise TableError(f"{path}:{b.line}: {b.name}: bit {lo + i} is fixed twice")
                if c == "x":
                    dontcare |= bit
                else:
                    mask |= bit
                    match |= bit if c == "1" else 0
        at = at.up
    return mask, match, dontcare & ~mask


def root_of(b):
    while b.up is not None:
        b = b.up
    return b


def roots(table, path):
    """Every root that is a type of a field, instructions first."""
    leaves = {}
    for b in table.bitsets:
        if b.children == 0:
            leaves.setdefault(root_of(b).name, []).append(b)
    names = ["#instruction"] + [n for n in leaves if n != "#instruction"]
    if "#instruction" not in leaves:
        raise TableError(f"{path}:1: no bitset extends #instruction")
    return [(n, leaves[n]) for n in names]


def bucket(b, shift, bits):
    """Values of the index that leaf @b may have: all, for bits that it does not fix."""
    low = (1 << bits) - 1
    mask, match = b.mask >> shift & low, b.match >> shift & low
    free = low & ~mask
    out, v = [], free
    while True:
        out.append(match | v)
        if v == 0:
            return out
        v = (v - 1) & free


def index_bits(leaves, width):
    """The few bits that tell most leaves apart: (lowest, how many)."""
    best, found = len(leaves) ** 2, (0, 0)
    for bits in range(1, INDEX_BITS + 1) if len(leaves) > 2 else ():
        for shift in range(width - bits + 1):
            sizes = [0] * (1 << bits)
            for b in leaves:
                for v in bucket(b, shift, bits):
                    sizes[v] += 1
            cost = sum(n * n for n in sizes) / len(sizes)
            if cost < best * 0.8:
                best, found = cost, (shift, bits)
    return found


def c_string(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def c_expr(table, text, known):
    def name(m):
        if m[1] not in known:
            raise TableError(f"expression '{text}' names {m[1]}, which no field is called")
        return f"V({table.name(m[1])})"

    out = re.sub(rf"\{{({NAME})\}}", name, text)
    out = out.replace("ISA_GPU_ID()", "lull_spec_gen(s)")
    rest = re.sub(r"V\(\d+\)|lull_spec_gen\(s\)|\b\d+(ULL)?\b|0x[0-9a-fA-F]+|[-+*()<>=!&|\s]", "", out)
    if rest:
        raise TableError(f"expression '{text}' has '{rest}' in it")
    return out


class Writer:
    def __init__(self, table, path):
        self.t, self.path, self.out, self.known = table, path, [], set()
        self.roots = roots(table, path)
        self.root_index = {n: i for i, (n, _) in enumerate(self.roots)}
        self.enum_index = {n: i for i, n in enumerate(table.enums)}
        for b in table.bitsets:
            for c in b.cases:
                self.known.update(f.name for f in c.fields if f.name)
                for f in c.fields:
                    self.known.update(p[1] for p in f.params)
        self.operand_fields = {f.name for b in table.bitsets for c in b.cases for f in c.fields if f.type in self.root_index}

    def type_of(self, f, b):
        if f.type in ("expect", "fixed", "default"):
            return "LULL_SPEC_" + f.type.upper(), 0
        if f.type in self.enum_index:
            return "LULL_SPEC_ENUM", self.enum_index[f.type]
        if f.type in self.root_index:
            return "LULL_SPEC_BITSET", self.root_index[f.type]
        if f.type in TYPES:
            return "LULL_SPEC_" + f.type.upper(), 0
        raise TableError(f"{self.path}:{b.line}: {b.name}.{f.name}: unknown type '{f.type}'")

    def pieces(self, b, display):
        out = []
        for m in re.finditer(r"\{([^}]*)\}|[^{]+", display):
            if m[1] is None:
                out.append(f"{{{c_string(m[0])}, {len(m[0])}, 0}}")
            elif m[1] == "NAME":
                out.append("{NULL, 0, LULL_SPEC_NAME}")
            elif re.fullmatch(NAME, m[1]):
                out.append(f"{{NULL, 0, {self.t.name(m[1])}}}")
            else:
                raise TableError(f"{self.path}:{b.line}: {b.name}: bad display '{display}'")
        return out

    def field(self, b, f, tag):
        kind, sub = self.type_of(f, b)
        params = "NULL"
        if f.params:
            params = f"p_{tag}"
            rows = ", ".join(f"{{{self.t.name(a)}, {self.t.name(c)}}}" for a, c in f.params)
            self.out.append(f"static const struct lull_spec_param {params}[] = {{{rows}}};")
        expr = self.t.expr(f.expr) if f.expr else -1
        name = self.t.name(f.name) if f.name else 254
        bits = f.bits or 64
        return (f"    {{.name = {name}, .lo = {f.lo}, .bits = {bits}, .type = {kind}, .expr = {expr}, .sub = {sub}, "
                f".nparams = {len(f.params)}, .params = {params}, .text = {c_string(f.text)}, "
                f".expect = {f.expect:#x}}},")

    def operands(self, b, c, tag):
        """Rows of operands of a case; how many."""
        rows = []
        for i, o in enumerate(c.operands):
            mods = "NULL"
            if o.mods:
                mods = f"m_{tag}_{i}"
                cells = ", ".join(f"{{LULL_SPEC_MOD_{what.upper()}, {self.t.expr(expr)}}}" for what, expr in o.mods)
                self.out.append(f"static const struct lull_spec_mod {mods}[] = {{{cells}}};")
            if o.kind is None and o.value not in self.operand_fields:
                raise TableError(f"{self.path}:{b.line}: {b.name}: operand {o.value}, and no field with operands is called so")
            kind = "LULL_SPEC_OF_FIELD" if o.kind is None else 0 if o.kind == "none" else 1 + self.t.kinds.index(o.kind)
            rows.append(f"    {{.role = LULL_SPEC_ROLE_{o.role.upper()}, .kind = {kind}, "
                        f".field = {self.t.name(o.value) if o.kind is None else 0}, "
                        f".expr = {self.t.expr(o.value) if o.kind is not None else -1}, .nmods = {len(o.mods)}, .mods = {mods}}},")
        if rows:
            self.out += [f"static const struct lull_spec_operand o_{tag}[] = {{", *rows, "};"]
        return len(rows)

    def bitset(self, b):
        rows = []
        for i, c in enumerate(b.cases):
            tag = f"{b.at}_{i}"
            noperands = self.operands(b, c, tag)
            pieces = self.pieces(b, c.display) if c.display is not None else []
            fields = [self.field(b, f, f"{tag}_{j}") for j, f in enumerate(c.fields)]
            if pieces:
                self.out.append(f"static const struct lull_spec_piece d_{tag}[] = {{{', '.join(pieces)}}};")
            if fields:
                self.out += [f"static const struct lull_spec_field f_{tag}[] = {{", *fields, "};"]
            rows.append(f"    {{.expr = {self.t.expr(c.expr) if c.expr else -1}, "
                        f".has_display = {'true' if c.display is not None else 'false'}, "
                        f".npieces = {len(pieces)}, .nfields = {len(fields)}, .noperands = {noperands}, "
                        f".operands = {'o_' + tag if noperands else 'NULL'}, "
                        f".pieces = {'d_' + tag if pieces else 'NULL'}, .fields = {'f_' + tag if fields else 'NULL'}}},")
        if rows:
            self.out += [f"static const struct lull_spec_case c_{b.at}[] = {{", *rows, "};"]
        for i, text in enumerate(b.also):
            pieces = self.pieces(b, text)
            self.out.append(f"static const struct lull_spec_piece d_{b.at}_also{i}[] = {{{', '.join(pieces)}}};")
            b.also[i] = f"    {{.expr = -1, .has_display = true, .npieces = {len(pieces)}, .pieces = d_{b.at}_also{i}}},"
        if b.also:
            self.out += [f"static const struct lull_spec_case a_{b.at}[] = {{", *b.also, "};"]

    def slots(self, b):
        """Where the fields of leaf @b are, its own and its parents', by name and in the order of search."""
        found, at = {}, b
        while at is not None:
            for i, c in enumerate(at.cases):
                seen = set()
                for j, f in enumerate(c.fields):
                    if f.name and f.name not in seen:
                        seen.add(f.name)
                        found.setdefault(self.t.name(f.name), []).append((f"{at.at}_{i}", j, c.expr))
            at = at.up
        rows, where = [], [0] * len(self.t.names)
        for name, places in found.items():
            where[name] = len(rows) + 1
            for n, (tag, j, expr) in enumerate(places):
                rows.append(f"    {{&f_{tag}[{j}], {self.t.expr(expr) if expr else -1}, "
                            f"{'true' if n + 1 < len(places) else 'false'}}},")
        if len(rows) > 254:
            raise TableError(f"{self.path}:{b.line}: {b.name}: more than 254 fields")
        if rows:
            self.out += [f"static const struct lull_spec_slot s_{b.at}[] = {{", *rows, "};"]
            self.out.append(f"static const uint8_t w_{b.at}[] = {{{', '.join(map(str, where))}}};")
        b.slots = bool(rows)

    def bitsets(self):
        for b in self.t.bitsets:
            self.bitset(b)
        for b in self.t.bitsets:
            b.slots = False
            if b.children == 0:
                self.slots(b)
        self.out.append("static const struct lull_spec_bitset bitsets[] = {")
        for b in self.t.bitsets:
            self.out.append(
                f"    {{.name = {c_string(b.name)}, .mnemonic = {c_string(b.mnemonic)}, .gen_min = {b.gens[0]}, "
                f".gen_max = {b.gens[1]}, .parent = {b.up.at if b.up else -1}, .ncases = {len(b.cases)}, "
                f".nalso = {len(b.also)}, .also = {f'a_{b.at}' if b.also else 'NULL'}, "
                f".mask = {b.mask:#x}u, .match = {b.match:#x}u, .dontcare = {b.dontcare:#x}u, "
                f".cases = {f'c_{b.at}' if b.cases else 'NULL'}, .slots = {f's_{b.at}' if b.slots else 'NULL'}, "
                f".where = {f'w_{b.at}' if b.slots else 'NULL'}}},")
        self.out.append("};")

    def root_tables(self):
        rows = []
        for i, (name, leaves) in enumerate(self.roots):
            shift, bits = index_bits(leaves, self.t.bits)
            buckets = [[] for _ in range(1 << bits)]
            for b in leaves:
                for v in bucket(b, shift, bits):
                    buckets[v].append(b.at)
            order = [at for v in buckets for at in v]
            first = [sum(map(len, buckets[:v])) for v in range(len(buckets) + 1)]
            self.out.append(f"static const uint16_t first_{i}[] = {{{', '.join(map(str, first))}}};")
            self.out.append(f"static const uint16_t leaves_{i}[] = {{{', '.join(map(str, order))}}};")
            rows.append(f"    {{{c_string(name)}, {shift}, {bits}, first_{i}, leaves_{i}}},")
        self.out += ["static const struct lull_spec_root roots[] = {", *rows, "};"]

    def enums(self):
        rows = []
        for i, (name, values) in enumerate(self.t.enums.items()):
            # Longest text first: one may begin with another.
            cells = ", ".join(f"{{{v}, {c_string(t)}}}" for v, t in sorted(values, key=lambda x: -len(x[1])))
            self.out.append(f"static const struct lull_spec_value e_{i}[] = {{{cells}}};")
            rows.append(f"    {{{c_string(name)}, {len(values)}, e_{i}}},")
        self.out += ["static const struct lull_spec_enum enums[] = {", *rows, "};"]

    def expressions(self):
        done = []
        for i, text in enumerate(self.t.exprs):
            try:
                code = c_expr(self.t, text, self.known)
            except TableError as e:
                raise TableError(f"{self.path}: {e}") from None
            done += [f"static uint64_t x_{i}(struct lull_spec_scope *s)", "{", "    (void)s;",
                     f"    return (uint64_t)({code});", "}"]
        uses = [sorted({self.t.name(n) for n in re.findall(rf"\{{({NAME})\}}", e)}) for e in self.t.exprs]
        done += [f"static const uint8_t u_{i}[] = {{{', '.join(map(str, u))}}};" for i, u in enumerate(uses) if u]
        names = ", ".join(f"{{x_{i}, {len(u)}, {f'u_{i}' if u else 'NULL'}}}" for i, u in enumerate(uses))
        return [*done, f"static const struct lull_spec_expr exprs[] = {{{names}}};"]

    def table(self):
        self.enums()
        self.bitsets()
        self.root_tables()
        body, self.out = self.out, []
        exprs = self.expressions()
        names = ["static const char *const names[] = {", *(f"    {c_string(n)}," for n in self.t.names), "};"]
        low = self.t.prefix.lower()
        return "\n".join([
            f"// Made by gen/spec.py from {self.path.rsplit('/', 1)[-1]}.", f'#include "isa/{low}_spec.h"', "",
            "#define V(name) lull_spec_value(s, name)", "", *exprs, "", *body, *names, "",
            f"const struct lull_spec lull_spec_{low} = {{",
            f"    .prefix = {c_string(self.t.prefix)}, .bits = {self.t.bits}, .nbitsets = {len(self.t.bitsets)},",
            f"    .nroots = {len(self.roots)}, .nenums = {len(self.t.enums)}, .nnames = {len(self.t.names)},",
            "    .bitsets = bitsets, .roots = roots, .enums = enums, .names = names, .exprs = exprs,",
            f"    .nexprs = {len(self.t.exprs)},", "};", ""])

    def leaves(self):
        return [b for _, leaves in self.roots[:1] for b in leaves]

    def op_of(self, b):
        while b.up is not None and b.op is None:
            b = b.up
        return b.op

    def check_operands(self):
        """What the text of an instruction shows as an operand is one, or a member."""
        members = {f for m in self.t.members for f in m[3]}
        for b in self.leaves():
            shown, named, at = set(), set(members), b
            complete = False
            while at is not None:
                for c in at.cases:
                    named.update(o.value for o in c.operands if o.kind is None)
                    if c.display is not None and not complete:
                        shown.update(re.findall(rf"\{{({NAME})\}}", c.display))
                        complete = c.expr is None
                at = at.up
            kinds, at = {}, b
            while at is not None:
                for c in at.cases:
                    kinds.update({f.name: f.type for f in c.fields if f.type in self.root_index})
                at = at.up
            missing = sorted(n for n in shown if n in kinds and n not in named)
            if missing:
                raise TableError(f"{self.path}:{b.line}: {b.name}: {missing[0]} is shown, and is neither an operand nor a member")

    def insn(self):
        """Header of the decoded instruction, and the tables of its operations and members."""
        p = f"LULL_{self.t.prefix}"
        low = p.lower()
        self.check_operands()
        ops, rows = {}, [0] * len(self.t.bitsets)
        for b in self.leaves():
            op = self.op_of(b) or b.mnemonic
            if not re.fullmatch(r"[a-z0-9_.]+", op):
                raise TableError(f"{self.path}:{b.line}: {b.name}: '{op}' is not a name of an operation: give it one with a row op")
            rows[b.at] = ops.setdefault(op, len(ops) + 1)
        guard = f"{p}_INSN_H"
        src = self.path.rsplit("/", 1)[-1]
        out = [f"// Made by gen/spec.py from {src}.", f"#ifndef {guard}", f"#define {guard}", "", "#include <stdbool.h>",
               "#include <stdint.h>", "", "/** What it does; 0: not an instruction. */", f"enum {low}_op {{", f"    {p}_OP_NONE,"]
        out += [f"    {p}_OP_{op.upper().replace('.', '_')}," for op in ops] + [f"    {p}_NOPS,", "};", ""]
        for name, prefix in self.t.exports:
            out += [f"/** {name} */", f"enum {low}_{prefix.lower()} {{"]
            out += [f"    {p}_{prefix}_{t.upper()} = {v}," for v, t in self.t.enums[name]] + ["};", ""]
        out += ["/** Kinds of operands; 0: none that is known. */", f"enum {low}_kind {{", f"    {p}_K_NONE,"]
        out += [f"    {p}_K_{k.upper()}," for k in self.t.kinds] + [f"    {p}_NKINDS,", "};", ""]
        out += ["/** The numbers in an instruction; 0 where it has none of this name. */", f"struct {low}_members {{"]
        out += [f"    {MEMBERS[t]} {n}; ///< {text}" for t, n, text, _ in self.t.members] + ["};", "", "#endif", ""]
        names = ", ".join(f'"{op}"' for op in ops)
        lo, bits = self.t.category
        cats = ", ".join(str(b.match >> lo & (1 << bits) - 1) for b in self.t.bitsets)
        c = [f"// Made by gen/spec.py from {src}.", f'#include "isa/ir3/decode.h"', "", "#include <stddef.h>", "",
             f"const char *const {low}_op_names[{p}_NOPS] = {{\"\", {names}}};",
             f"const char *const {low}_kind_names[{p}_NKINDS] = {{\"none\", {', '.join(chr(34) + k + chr(34) for k in self.t.kinds)}}};",
             f"const uint16_t {low}_op_of[] = {{{', '.join(map(str, rows))}}};",
             f"const uint8_t {low}_category_of[] = {{{cats}}};"]
        table = []
        for i, (t, n, _, fields) in enumerate(self.t.members):
            for f in fields:
                if f not in self.known:
                    raise TableError(f"{self.path}: member {n}: no field is called {f}")
            c.append(f"static const uint8_t of_{i}[] = {{{', '.join(str(self.t.name(f)) for f in fields)}}};")
            table.append(f'    {{"{n}", {p}_MEMBER_{t.upper()}, {len(fields)}, of_{i}, offsetof(struct {low}_members, {n})}},')
        c += [f"const struct {low}_member {low}_member_table[] = {{", *table, "};",
              f"const unsigned {low}_nmembers = {len(table)};", ""]
        return "\n".join(out), "\n".join(c)

    def header(self):
        p = self.t.prefix
        lines = [f"// Made by gen/spec.py from {self.path.rsplit('/', 1)[-1]}.", f"#ifndef LULL_ISA_{p}_SPEC_H",
                 f"#define LULL_ISA_{p}_SPEC_H", "", '#include "isa/spec/spec.h"', "",
                 f"extern const struct lull_spec lull_spec_{p.lower()};", "", "/** Names of fields. */",
                 f"enum lull_{p.lower()}_field {{"]
        lines += [f"    LULL_{p}_F_{n.upper()} = {i}," for i, n in enumerate(self.t.names)]
        return "\n".join([*lines, "};", "", "#endif", ""])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("table")
    ap.add_argument("--header")
    ap.add_argument("--table", dest="out")
    ap.add_argument("--insn")
    ap.add_argument("--members")
    args = ap.parse_args()
    try:
        table = parse(args.table)
        join(table, args.table)
        w = Writer(table, args.table)
        insn, members = w.insn() if table.members else (None, None)
        c = w.table()
        h = w.header()
    except (TableError, OSError, UnicodeDecodeError) as e:
        sys.exit(str(e))
    for path, text in ((args.header, h), (args.out, c), (args.insn, insn), (args.members, members)):
        if path and text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)


main()
