#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn register, packet and descriptor tables of Adreno GPUs (data/adreno/*.dom) into C.

    dom.py TABLE.dom ... [--header OUT.h] [--table OUT.c] [--hidden TABLE.dom ... --packets OUT.h] [--registers OUT.h]

All tables together make one database. OUT.h of --packets has a function for each field of each packet, also of the hidden
tables, which are not in the database; that of --registers one for each field of the registers that the machine for
Adreno reads. Standard library only; the same input gives the same bytes. Every fault is
reported as FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/dom-table.md describes the format.
"""
import argparse
import re
import sys
from dataclasses import dataclass, field

CHIPS = ["A2XX", "A3XX", "A4XX", "A5XX", "A6XX", "A7XX"]
FIRST_CHIP = 2
KINDS = {"hex": "HEX", "uint": "UINT", "int": "INT", "boolean": "BOOL", "float": "FLOAT", "fixed": "FIXED",
         "ufixed": "UFIXED", "a3xx_regid": "REGID", "address": "ADDRESS", "waddress": "WADDRESS", "void": "VOID",
         "-": "NONE"}
NAME = r"[A-Za-z0-9_]+"
DESCRIPTORS = ("A6XX_TEX_CONST", "A6XX_TEX_SAMP", "A6XX_UBO")  # Read as packets are: dword by dword.
# Registers of A6XX, and bitsets, whose fields C reads.
REGISTERS = r"SP_CS_\w+|HLSQ_CS_\w+|SP_MODE_CONTROL|RB_[\w.]+|TPL1_2D_\w+|SP_PS_2D_\w+|GRAS_[\w.]+|SP_2D_\w+|" + \
    r"SP_[VF]S_[\w.]+|HLSQ_CONTROL_\w+|VFD_[\w.]+|VPC_[\w.]+|PC_(?!PERFCTR)[\w.]+|SP_PS_ALIASED_COMPONENTS_CONTROL"
BITSETS = ("a6xx_sp_xs_ctrl_reg0", "a6xx_sp_xs_pvt_mem_param", "a6xx_sp_xs_pvt_mem_size", "a6xx_hlsq_xs_cntl",
           "a6xx_vpc_xs_pack", "a6xx_vpc_xs_clip_cntl", "a6xx_vpc_xs_layer_cntl", "a6xx_primitive_cntl_0", "a6xx_sp_xs_prim_cntl",
           "a6xx_gras_xs_cl_cntl", "a6xx_gras_layer_cntl", "a6xx_hlsq_control_3_reg", "a6xx_hlsq_control_4_reg",
           "a6xx_sample_config", "a6xx_sample_locations", "a6xx_sp_xs_config", "a6xx_scissor_xy", "a6xx_polygon_mode", "a6xx_multiview_cntl",
           "a6xx_2d_dst_surf_info", "a6xx_2d_src_surf_info", "a6xx_2d_blit_cntl", "a6xx_reg_xy")
ENUMS = ("a6xx_tex_type", "a6xx_2d_ifmt", "a6xx_tile_mode", "a3xx_color_swap", "a6xx_tex_swiz",
         "a6xx_tex_filter", "a6xx_tex_clamp", "a6xx_tex_prefetch_cmd",
         "pc_di_primtype", "a6xx_polygon_mode", "a5xx_line_mode",
         "a6xx_format", "a6xx_depth_format", "a6xx_ztest_mode", "a6xx_rotation", "a6xx_blit_event_type",
         "a6xx_buffers_location", "a3xx_rb_blend_opcode", "adreno_rb_blend_factor", "adreno_stencil_op",
         "vgt_event_type")  # Whose names C uses.
USAGES = ("-", "cmd", "rp_blit")


class TableError(Exception):
    pass


@dataclass
class Field:
    lo: int
    hi: int
    name: str
    type: str
    shr: int
    radix: int
    cond: str
    adds: bool
    inline: bool = False


@dataclass
class Reg:
    where: str
    offset: int
    name: str
    width: int
    type: str
    shr: int
    radix: int
    lo: int
    hi: int
    cond: str
    usage: str
    fields: list
    refs: list


@dataclass
class Base:
    enums: dict = field(default_factory=dict)  # name: [(value, name, cond)]
    bitsets: dict = field(default_factory=dict)  # name: (inline, fields)
    domains: dict = field(default_factory=dict)  # name: [Reg]
    conds: list = field(default_factory=lambda: [""])
    adding: list = field(default_factory=list)  # enums whose fields choose a variant


def number(text, what):
    if not re.fullmatch(r"\d+|0x[0-9a-fA-F]+", text):
        raise TableError(f"{what}: '{text}' is not a number")
    return int(text, 0)


def parse_bits(text):
    hi, _, lo = text.partition(":")
    hi, lo = number(hi, "bits"), number(lo or hi, "bits")
    if lo > hi or hi > 63:
        raise TableError(f"bits {text} end before they begin, or leave the register")
    return lo, hi


def parse_type(text):
    m = re.fullmatch(rf"({NAME}|-)(?:<<(\d+))?(?:\.(\d+))?", text)
    if not m:
        raise TableError(f"bad type '{text}'")
    return m[1], int(m[2] or 0), int(m[3] or 0)


def parse_field(text):
    """HI:LO NAME TYPE [@CONDITION] [*]"""
    m = re.fullmatch(rf"(\d+(?::\d+)?) ({NAME}) (\S+)(?: @([^*]+?))?( \*)?", text.strip())
    if not m:
        raise TableError(f"bad field '{text.strip()}'")
    lo, hi = parse_bits(m[1])
    kind, shr, radix = parse_type(m[3])
    return Field(lo, hi, m[2], kind, shr, radix, m[4] or "", bool(m[5]))


def parse_fields(text):
    return [parse_field(f) for f in text.split(";")]


def parse_reg(base, text, where):
    cells = [c.strip() for c in text.split(" | ")]
    if len(cells) != 5:
        raise TableError(f"row has {len(cells)} columns, want 5")
    spaced = text.split(" | ")[1].lstrip()  # a name may end with a space, as one does
    m = re.fullmatch(r"([A-Za-z0-9_.\[\]+-]*? ?)(:64)?", spaced)
    if not m or not m[1]:
        raise TableError(f"bad name '{cells[1]}'")
    width = 64 if m[2] else 32
    refs, fields, own = [], [], cells[2]
    m2 = re.fullmatch(rf"\{{(.*?)\}}((?: \+ {NAME})*)(?: (\d+(?::\d+)?))?", own)
    if m2:
        fields = parse_fields(m2[1])
        refs = [r.strip() for r in m2[2].split("+") if r.strip()]
        kind, shr, radix, bits = "-", 0, 0, m2[3]
    else:
        head, _, bits = own.partition(" ")
        kind, shr, radix = parse_type(head)
    lo, hi = parse_bits(bits) if bits else (0, width - 1)
    if cells[4] not in USAGES:
        raise TableError(f"unknown usage '{cells[4]}'")
    if any(f.hi >= width for f in fields):
        raise TableError(f"{cells[1]}: a field leaves the register")
    cond = "" if cells[3] == "-" else cells[3]
    return Reg(where, number(cells[0], "offset"), m[1], width, kind, shr, radix, lo, hi, cond, cells[4], fields, refs)


def parse_line(base, text, where, state):
    word, _, rest = text.partition(" ")
    if word == "source":
        return
    if word == "enum":
        name, _, values = rest.partition(" ")
        if name in base.enums:
            raise TableError(f"enum {name} stands twice")
        found = []
        for v in values.split(","):
            m = re.fullmatch(rf"(\d+|0x[0-9a-fA-F]+) ({NAME})(?: @(\S+))?", v.strip())
            if not m:
                raise TableError(f"enum {name}: bad value '{v.strip()}'")
            found.append((int(m[1], 0), m[2], m[3] or ""))
        base.enums[name] = found
    elif word == "bitset":
        m = re.fullmatch(rf"({NAME})( inline)? (.*)", rest)
        if not m:
            raise TableError("want: bitset NAME [inline] FIELDS")
        if m[1] in base.bitsets:
            raise TableError(f"bitset {m[1]} stands twice")
        base.bitsets[m[1]] = (bool(m[2]), parse_fields(m[3]))
    elif word == "domain":
        if not re.fullmatch(NAME, rest):
            raise TableError(f"bad name '{rest}'")
        state["domain"] = base.domains.setdefault(rest, [])
    elif state.get("domain") is None:
        raise TableError(f"unknown line '{text}'")
    else:
        state["domain"].append(parse_reg(base, text, where))


def parse(base, path):
    state, held, first = {}, "", 0
    with open(path, encoding="utf-8") as f:
        for n, raw in enumerate(f, 1):
            text = raw.strip()
            if not held and (not text or text.startswith("#")):
                continue
            first = first if held else n
            if text.endswith("\\"):
                held += text[:-1].rstrip() + " "
                continue
            where = f"{path}:{first}"
            try:
                parse_line(base, held + text, where, state)
            except TableError as e:
                raise TableError(f"{where}: {e}") from None
            held = ""


def chips_of(text):
    """Bits of the chips from A to B, or None if it is no such thing."""
    m = re.fullmatch(r"(A\dXX)?(-)?(A\dXX)?", text)
    if not m or not text or (m[1] or m[3]) is None:
        return None
    names = [m[1] or CHIPS[0], (m[3] or CHIPS[-1]) if m[2] else m[1]]
    if any(n not in CHIPS for n in names):
        return None
    a, b = (CHIPS.index(n) for n in names)
    return sum(1 << (FIRST_CHIP + i) for i in range(a, b + 1))


class Writer:
    def __init__(self, base):
        self.b, self.out = base, []
        self.enum_at = {n: i for i, n in enumerate(base.enums)}
        self.bitset_at = {n: i for i, n in enumerate(base.bitsets)}
        lists = [fields for _, fields in base.bitsets.values()]
        lists += [r.fields for rows in base.domains.values() for r in rows]
        for fields in lists:
            for f in fields:
                if f.adds and f.type not in base.adding:
                    base.adding.append(f.type)

    def cond(self, text, where):
        if text not in self.b.conds:
            self.cond_code(text, where)
            self.b.conds.append(text)
        return self.b.conds.index(text)

    def cond_code(self, text, where):
        """(chips, which adding enum, value) of a condition."""
        chips, which, value = 0, -1, 0
        for part in filter(None, text.split(" & ")):
            mask = chips_of(part)
            if mask is not None:
                chips = mask if not chips else chips & mask
                continue
            enum, _, name = part.rpartition(":")
            found = [(i, v) for i, e in enumerate(self.b.adding) if not enum or e == enum
                     for v, n, _ in self.b.enums.get(e, []) if n == name]
            if len(found) != 1:
                raise TableError(f"{where}: condition '{part}' fits {len(found)} values of enums that choose")
            which, value = found[0]
        return chips, which, value

    def kind(self, name, where):
        if name in KINDS:
            return "LULL_DOM_" + KINDS[name], 0
        if name in self.enum_at:
            return "LULL_DOM_ENUM", self.enum_at[name]
        if name in self.bitset_at:
            return "LULL_DOM_BITSET", self.bitset_at[name]
        raise TableError(f"{where}: unknown type '{name}'")

    def field(self, f, where):
        kind, sub = self.kind(f.type, where)
        adds = self.b.adding.index(f.type) + 1 if f.adds else 0
        return (f'    {{"{f.name}", {f.lo}, {f.hi}, {kind}, {f.shr}, {f.radix}, {sub}, {self.cond(f.cond, where)}, '
                f"{adds}, {'true' if f.inline else 'false'}}},")

    def fields(self, name, fields, where):
        # the field that chooses the variant changes places with the first, as in Mesa
        order = list(fields)
        for i, f in enumerate(order):
            if f.adds:
                order[0], order[i] = order[i], order[0]
                break
        if order:
            self.out += [f"static const struct lull_dom_field {name}[] = {{",
                         *(self.field(f, where) for f in order), "};"]

    def enums(self):
        rows = []
        for i, (name, values) in enumerate(self.b.enums.items()):
            cells = []
            for v, n, c in values:
                mask = chips_of(c) if c else 0
                if mask is None:
                    raise TableError(f"enum {name}: '{c}' is not a range of chips")
                cells.append(f'{{{v}u, "{n}", {mask}}}')
            self.out.append(f"static const struct lull_dom_value e_{i}[] = {{{', '.join(cells)}}};")
            rows.append(f'    {{"{name}", {len(values)}, e_{i}}},')
        self.out += ["static const struct lull_dom_enum enums[] = {", *rows, "};"]

    def bitsets(self):
        rows = []
        for i, (name, (inline, fields)) in enumerate(self.b.bitsets.items()):
            self.fields(f"b_{i}", fields, f"bitset {name}")
            rows.append(f'    {{"{name}", {len(fields)}, b_{i}}},')
        self.out += ["static const struct lull_dom_bitset bitsets[] = {", *rows, "};"]

    def reg(self, r, tag):
        fields, kind_name = list(r.fields), r.type
        inline = [n for n in r.refs if self.b.bitsets.get(n, (False,))[0]]
        for n in [*inline, *([r.type] if self.b.bitsets.get(r.type, (False,))[0] else [])]:
            fields += [Field(f.lo, f.hi, f.name, f.type, f.shr, f.radix, f.cond, f.adds, True)
                       for f in self.b.bitsets[n][1]]
        if any(n not in self.b.bitsets for n in r.refs):
            raise TableError(f"{r.where}: unknown bitset in '{' + '.join(r.refs)}'")
        if r.fields and [n for n in r.refs if n not in inline]:
            raise TableError(f"{r.where}: fields and a bitset that is not inline")
        if fields:
            self.fields(tag, fields, r.where)
            kind_name = "-"
        kind, sub = self.kind(kind_name, r.where)
        if fields:
            kind = "LULL_DOM_FIELDS"
        parts = re.split(r"\[(\d+)\+(\w+)\]", r.name)
        if len(parts) > 4 or "[" in parts[0]:
            raise TableError(f"{r.where}: more than one array in '{r.name}'")
        count, stride = (int(parts[1]), int(parts[2], 0)) if len(parts) == 4 else (0, 0)
        after = parts[3] if len(parts) == 4 else ""
        return (f'    {{{r.offset:#x}, "{parts[0]}", "{after}", {count}, {stride}, {r.width}, {kind}, {sub}, {r.shr}, '
                f"{r.radix}, {r.lo}, {r.hi}, {self.cond(r.cond, r.where)}, {USAGES.index(r.usage)}, {len(fields)}, "
                f"{tag if fields else 'NULL'}}},")

    def domains(self):
        rows = []
        for i, (name, regs) in enumerate(self.b.domains.items()):
            lines = [self.reg(r, f"f_{i}_{j}") for j, r in enumerate(regs)]
            self.out += [f"static const struct lull_dom_reg r_{i}[] = {{", *lines, "};"]
            rows.append(f'    {{"{name}", {len(regs)}, r_{i}}},')
        self.out += ["static const struct lull_dom domains[] = {", *rows, "};"]

    def table(self):
        self.enums()
        self.bitsets()
        self.domains()
        conds = [f"    {{{c}, {w}, {v}}}," for c, w, v in (self.cond_code(t, "") for t in self.b.conds)]
        adding = ", ".join(str(self.enum_at[n]) for n in self.b.adding)
        return "\n".join([
            '// Made by gen/dom.py.', '#include "hw/adreno_doms.h"', "", *self.out,
            "static const struct lull_dom_cond conds[] = {", *conds, "};",
            f"static const uint16_t choosing[] = {{{adding or 0}}};", "",
            "const struct lull_dom_db lull_dom_adreno = {",
            f"    {len(self.b.domains)}, {len(self.b.enums)}, {len(self.b.bitsets)}, {len(self.b.conds)}, "
            f"{len(self.b.adding)},", "    domains, enums, bitsets, conds, choosing,", "};", ""])

    def header(self):
        out = ["// Made by gen/dom.py.", "#ifndef LULL_HW_ADRENO_DOMS_H", "#define LULL_HW_ADRENO_DOMS_H", "",
               '#include "hw/dom.h"', "", "extern const struct lull_dom_db lull_dom_adreno;", "",
               "/** Domains. */", "enum lull_adreno_domain {"]
        out += [f"    LULL_ADRENO_DOM_{n} = {i}," for i, n in enumerate(self.b.domains)]
        out += ["};", "", "/** Enums. */", "enum lull_adreno_enum {"]
        out += [f"    LULL_ADRENO_ENUM_{n} = {i}," for i, n in enumerate(self.b.enums)]
        out += ["};", ""]
        for dom, regs in self.b.domains.items():
            seen = {}
            for r in regs:
                name = re.sub(r"\[[^\]]*\]", "", r.name).strip(".").replace(".", "_").replace("-", "_")
                if name.isdigit() or not re.fullmatch(NAME, name):
                    continue
                if name in seen and seen[name] != r.offset:
                    tail = re.sub(r"\W+", "_", r.cond).strip("_")
                    name = f"{name}__{tail}" if tail else f"{name}__{r.offset:X}"
                if name not in seen:
                    seen[name] = r.offset
                    out.append(f"#define LULL_{dom}_{name} {r.offset:#x}")
                array = re.match(r"(\w+)\[\d+\+(\w+)\]", r.name)
                if array and f"{array[1]}[" not in seen:
                    seen[f"{array[1]}["] = r.offset
                    out.append(f"#define LULL_{dom}_{array[1]}__STRIDE {array[2]}")
        for enum in ("adreno_pm4_type3_packets",):
            seen = set()
            for v, n, _ in self.b.enums.get(enum, []):
                if n not in seen:
                    seen.add(n)
                    out.append(f"#define LULL_PKT_{n} {v:#x}")
        return "\n".join([*out, "", "#endif", ""])


@dataclass
class Place:
    """Where a field of a packet is, when its conditions hold."""
    conds: tuple
    dword: int
    lo: int
    hi: int
    shr: int
    high: object = None  # the Place of bits 63:32

    def bits(self):
        return 64 if self.high else self.hi - self.lo + 1 + self.shr


@dataclass
class PacketField:
    name: str
    stride: int  # dwords from one element of the array to the next; 0: no array
    places: list
    type: str = "-"

    def bits(self):
        return max(p.bits() for p in self.places)


class Packets:
    """The fields of packets by name: what gen/pm4 and C take values from."""

    def __init__(self, base, writer):
        self.b, self.w = base, writer
        self.domains = {}
        for name, regs in base.domains.items():
            if name.startswith(("CP_", "MESA_CP_")) or name in DESCRIPTORS:
                self.domains[name] = self.fields(regs)

    def fields_of(self, r):
        fields = list(r.fields)
        for n in [*r.refs, r.type]:
            fields += self.b.bitsets.get(n, (False, []))[1]
        return fields

    def fields(self, regs):
        found = {}

        def add(name, stride, place, kind="-"):
            f = found.setdefault(name, PacketField(name, stride, [], kind))
            f.places.append(place)

        for r in regs:
            m = re.fullmatch(r"(\w*)\[(\d+)\+(\w+)\](\.?\w*)", r.name)
            stride = int(m[3], 0) if m else 0
            conds = (r.cond,) if r.cond else ()
            fields = self.fields_of(r)
            for f in fields:
                if f.name.startswith("UNK"):
                    continue
                more = (f.cond,) if f.cond else ()
                add(f.name, stride, Place(conds + more, r.offset + f.lo // 32, f.lo % 32, f.hi % 32, f.shr), f.type)
            name = m[1] if m else r.name
            if not fields and re.fullmatch(r"[A-Z]\w*", name):
                hi = Place(conds, r.offset + 1, 0, 31, 0) if r.width == 64 else None
                add(name, stride, Place(conds, r.offset, 0, 31, 0, hi))
        self.join(found)
        return found

    def join(self, found):
        """X_LO (or X) and X_HI are also X, of 64 bits."""
        for high in [n for n in found if n.endswith("_HI")]:
            x = high[:-3]
            lows = found.get(x + "_LO") or found.get(x)
            if lows is None:
                continue
            short = [p for p in lows.places if p.high is None]
            pairs = [Place(tuple(dict.fromkeys(p.conds + h.conds)), p.dword, p.lo, p.hi, p.shr, h)
                     for p in short for h in found[high].places if h.dword == p.dword + 1]
            rest = found[x].places if x in found else []
            if pairs:
                found[x] = PacketField(x, lows.stride, pairs + rest + (short if x + "_LO" in found else []))

    def condition(self, dom, texts):
        parts = []
        for text in texts:
            chips, which, value = self.w.cond_code(text, dom)
            if chips:
                parts.append(f"(1u << p->gen & {chips:#x}u) != 0")
            if which >= 0:
                enum = self.b.adding[which]
                chooser = next((f.name for r in self.b.domains[dom] for f in self.fields_of(r)
                                if f.adds and f.type == enum), None)
                if chooser is None:
                    raise TableError(f"{dom}: no field chooses '{text}'")
                parts.append(f"{accessor(dom, chooser)}(p) == {value}u")
        return " && ".join(dict.fromkeys(parts))

    def value(self, p, at):
        def low(q):
            word = f"lull_apkt_dword(p, {q.dword}{at})"
            size = q.hi - q.lo + 1
            text = word if size == 32 else f"({word} >> {q.lo} & {(1 << size) - 1:#x}u)"
            return text if not q.shr else f"({text} << {q.shr})" if size + q.shr <= 32 else f"((uint64_t){text} << {q.shr})"
        return low(p) if p.high is None else f"({low(p)} | (uint64_t){low(p.high)} << 32)"

    def function(self, dom, f):
        wide = f.bits() > 32
        at = f" + i * {f.stride}" if f.stride else ""
        args = "const struct lull_apkt_args *p" + (", uint32_t i" if f.stride else "")
        kind = "uint64_t" if wide else "uint32_t"
        body, seen = [], set()
        for p in f.places:
            cond = self.condition(dom, p.conds)
            if cond in seen:
                continue  # the first one is meant
            seen.add(cond)
            text = f"return {self.value(p, at)};"
            if not cond:
                body.append(f"    {text}")
                break
            body += [f"    if ({cond}) {{", f"        {text}", "    }"]
        else:
            body.append("    return 0;")
        return [f"static inline {kind} {accessor(dom, f.name)}({args})", "{", *body, "}"]

    def header(self):
        out = ["// Made by gen/dom.py.", "// Fields of packets by generation; 0 where the packet has no such field.",
               "#ifndef LULL_HW_ADRENO_PKTS_H", "#define LULL_HW_ADRENO_PKTS_H", "", '#include "hw/apkt.h"', ""]
        for enum in ENUMS:
            values = [f"    LULL_{name.upper()} = {value}," for value, name, _ in self.b.enums[enum]]
            out += [f"enum lull_{enum} {{", *values, "};", ""]
        for dom, fields in self.domains.items():
            for f in sorted(fields.values(), key=lambda f: not any(
                    g.adds for r in self.b.domains[dom] for g in self.fields_of(r) if g.name == f.name)):
                out += [*self.function(dom, f), ""]
        return "\n".join([*out, "#endif", ""])


def bits_of_register(name, f, suffix=""):
    """A function: the field F of a value of register or bitset NAME."""
    name = re.sub(r"\W", "_", name).lower().removeprefix("a6xx_")
    kind = "uint64_t" if f.hi > 31 else "uint32_t"
    size = f.hi - f.lo + 1
    text = "v" if size == (64 if f.hi > 31 else 32) else f"v >> {f.lo} & {(1 << size) - 1:#x}u"
    if f.hi > 31 and size > 32 and size < 64:
        text = f"v >> {f.lo} & UINT64_C({(1 << size) - 1:#x})"
    text = f"({text}) << {f.shr}" if f.shr else text
    return [f"static inline {kind} lull_a6xx_{name}__{f.name.lower()}{suffix}({kind} v)", "{", f"    return {text};", "}", ""]


def registers(base):
    out = ["// Made by gen/dom.py.", "// Fields of registers of a6xx; with __a7xx where a7xx has them elsewhere.",
           "#ifndef LULL_HW_ADRENO_REGS_H", "#define LULL_HW_ADRENO_REGS_H", "", "#include <stdint.h>", ""]
    seen = {}
    for r in base.domains["A6XX"]:
        name = re.sub(r"\[.*?\]", "", r.name)
        for f in r.fields if re.fullmatch(REGISTERS, name) else []:
            place = (f.lo, f.hi, f.shr)
            before = seen.setdefault((name, f.name), place)
            if before is place:
                out += bits_of_register(name, f)
            elif before != place and (name, f.name, "7") not in seen:
                seen[name, f.name, "7"] = place
                out += bits_of_register(name, f, "__a7xx")
    for name in BITSETS:
        for f in base.bitsets[name][1] if name in base.bitsets else []:
            out += bits_of_register(name, f)
    return "\n".join([*out, "#endif", ""])


def accessor(dom, name):
    return f"lull_{dom.lower()}__{name.lower()}"


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("tables", nargs="+")
    ap.add_argument("--header")
    ap.add_argument("--table", dest="out")
    ap.add_argument("--hidden", nargs="*", default=[])
    ap.add_argument("--packets")
    ap.add_argument("--registers")
    args = ap.parse_args()
    try:
        base = Base()
        for path in args.tables:
            parse(base, path)
        base.domains = dict(sorted(base.domains.items()))  # lull_adreno_domain() searches by halves
        w = Writer(base)
        texts = [(args.out, w.table()), (args.header, w.header()), (args.registers, registers(base))]
        if args.packets:
            for path in args.hidden:
                parse(base, path)
            texts.append((args.packets, Packets(base, Writer(base)).header()))
    except (TableError, OSError, UnicodeDecodeError) as e:
        sys.exit(str(e))
    for path, text in texts:
        if path:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)


if __name__ == "__main__":
    main()
