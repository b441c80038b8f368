#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn an instruction table (data/isa/*.isa) into C tables and Markdown.

    isa.py TABLE.isa [--ops-h OUT.h] [--ops-c OUT.c] [--tables OUT.h] [--names OUT.h] [--doc OUT.md]

Standard library only; the same input gives the same bytes. Every fault in a
table is reported as FILE:LINE: MESSAGE and exit status 1, never a traceback.
docs/formats/isa-table.md describes the format.
"""
import argparse
import re
import sys
from dataclasses import dataclass, field

KINDS = {None: "{}", "vgpr": "256 + {}", "sgpr2": "2 * {}", "sgpr4": "4 * {}", "int": "{}"}
SOURCE_BITS = {"A": 1, "B": 2, "C": 4, "D": 8}  # As in the op_sel field.
FLOATS = ("f16", "f32", "f64")
MARKS = (  # Members mod, neg_only, mod_ignored, op_sel of the row; each says whether an operand is in it.
    lambda t, m: "m" in m or t in FLOATS and not set("ngi") & set(m),
    lambda t, m: "g" in m,
    lambda t, m: "i" in m,
    lambda t, m: "o" in m,
)
FIRST_BITS = 9  # The top bits of dword 0 choose the encoding.


class TableError(Exception):
    pass


@dataclass
class Field:
    name: str
    kind: str
    word: int
    lo: int
    bits: int
    at: int


@dataclass
class Enc:
    name: str
    line: int
    words: int
    mask: int
    match: int
    fields: list
    source: str
    coded: bool  # An encoding, not a second dword.

    def field(self, name):
        for f in self.fields:
            if f.name == name:
                return f
        return None


@dataclass
class Op:
    name: str
    line: int
    codes: list  # (encoding name, opcode)
    operands: list  # (slot letter, type, marks)
    flags: list
    source: str


@dataclass
class Isa:
    path: str
    name: str = ""
    types: dict = field(default_factory=dict)
    slots: dict = field(default_factory=dict)
    flags: dict = field(default_factory=dict)
    encs: list = field(default_factory=list)
    subs: dict = field(default_factory=dict)
    ops: list = field(default_factory=list)
    names: dict = field(default_factory=dict)  # list -> {number: text}
    parts: dict = field(default_factory=dict)  # list -> [(name, low bit, bits)]

    def enc(self, name):
        return next((e for e in self.encs if e.coded and e.name == name), None)

    def owner(self, name):
        """The encoding that 'name', perhaps a sub line, is a part of."""
        return self.subs[name].partition(".")[0] if name in self.subs else name

    def op_bits(self, name):
        """Width of the opcode of an encoding, or of the half that a sub line names."""
        if name in self.subs:
            enc, _, target = self.subs[name].partition(".")
            return self.enc(enc).field(target).bits
        if self.enc(name) is None:
            raise TableError(f"unknown encoding '{name}'")
        f = self.enc(name).field("op")
        return f.bits if f else 0


def parse_word(text, index):
    """'10oo d-' -> (mask, match, {letter: (word, lo, bits)})."""
    bits = text.replace(" ", "")
    if len(bits) != 32:
        raise TableError(f"dword {index} has {len(bits)} bits, want 32")
    mask = match = 0
    runs = {}
    for i, ch in enumerate(bits):
        pos = 31 - i
        if ch in "01":
            mask |= 1 << pos
            match |= int(ch) << pos
        elif ch.isalpha():
            _, lo, n = runs.get(ch, (0, pos + 1, 0))
            if lo != pos + 1:
                raise TableError(f"field '{ch}' is in two pieces")
            runs[ch] = (index, pos, n + 1)
        elif ch != "-":
            raise TableError(f"bad character '{ch}' in pattern")
    return mask, match, runs


def parse_legend(legend, runs, name):
    fields = []
    for item in legend.split():
        m = re.fullmatch(r"(\w)=([a-z][\w.]*)(?::(\w+))?(?:@(\d+))?", item)
        if not m or m[1] not in runs:
            raise TableError(f"encoding {name}: bad legend '{item}'")
        if m[3] not in KINDS:
            raise TableError(f"encoding {name}: unknown kind '{m[3]}'")
        fields.append(Field(m[2], m[3], *runs.pop(m[1]), int(m[4] or 0)))
    if runs:
        raise TableError(f"encoding {name}: no legend for {', '.join(sorted(runs))}")
    return fields


def parse_enc(head, legend, line):
    kind, name, pattern = head.split(None, 2)
    mask = match = 0
    runs = {}
    words = pattern.split("/")
    for i, text in enumerate(words):
        word_mask, word_match, word_runs = parse_word(text, i)
        if runs.keys() & word_runs.keys():
            raise TableError(f"encoding {name}: a letter is used in two dwords")
        runs |= word_runs
        mask |= word_mask << 32 * i
        match |= word_match << 32 * i
    legend, _, source = legend.partition("|")
    if not source.strip():
        raise TableError(f"{name}: every row names its source")
    return Enc(name, line, len(words), mask, match, parse_legend(legend, runs, name), source.strip(), kind == "enc")


def parse_operand(text, isa):
    m = re.fullmatch(r"([A-Z]):(\w+)(?:\.([svcmngio]+))?", text)
    if not m or m[1] not in isa.slots:
        raise TableError(f"bad operand '{text}'")
    if m[2] not in isa.types:
        raise TableError(f"unknown type '{m[2]}'")
    return m[1], m[2], m[3] or ""


def parse_op(cells, line, isa):
    if len(cells) != 5:
        raise TableError(f"row has {len(cells)} columns, want 5")
    name, codes, operands, flags, source = cells
    if not re.fullmatch(r"[a-z]\w*", name):
        raise TableError(f"bad mnemonic '{name}'")
    parsed = []
    for item in codes.split():
        enc, _, code = item.partition(":")
        value = int(code, 16)
        if value >= 1 << isa.op_bits(enc):
            raise TableError(f"opcode {value:#x} does not fit {isa.op_bits(enc)} bits of {enc}")
        parsed.append((enc, value))
    if not parsed:
        raise TableError(f"{name}: no encoding")
    for flag in flags.split():
        if flag not in isa.flags:
            raise TableError(f"unknown flag '{flag}'")
    slots = [parse_operand(o, isa) for o in operands.split()]
    if len({s[0] for s in slots}) != len(slots):
        raise TableError(f"{name}: an operand slot is used twice")
    if not source:
        raise TableError(f"{name}: every row names its source")
    return Op(name, line, parsed, slots, flags.split(), source)


def check_encodings(isa):
    """An encoding may sit inside a wider one (SOPK inside SOP2): more fixed bits win."""
    isa.encs.sort(key=lambda e: -(e.mask & 0xFFFFFFFF).bit_count())
    coded = [e for e in isa.encs if e.coded]
    for i, a in enumerate(coded):
        for b in coded[i + 1:]:
            both = a.mask & b.mask & 0xFFFFFFFF
            same = (a.mask, a.match) == (b.mask, b.match) and a.field("op") == b.field("op")
            if not same and (a.match ^ b.match) & both == 0 and both != b.mask & 0xFFFFFFFF:
                raise TableError(f"{isa.path}:{b.line}: encodings {a.name} and {b.name} overlap")


def check_rows(isa):
    """No word may decode in two ways, no name may stand twice."""
    seen, names = {}, {}
    for op in isa.ops:
        if op.name in names:
            raise TableError(f"{isa.path}:{op.line}: {op.name} is also in line {names[op.name]}")
        names[op.name] = op.line
        for enc, code in op.codes:
            e = isa.enc(enc)
            key = (e.mask, e.match, code) if e else (enc, code)
            if key in seen:
                raise TableError(f"{isa.path}:{op.line}: {op.name} is also {seen[key]} in {enc}")
            seen[key] = op.name


def parse_line(isa, text, number):
    words = text.split(None, 3)
    if "|" in text:
        isa.ops.append(parse_op([c.strip() for c in text.split("|")], number, isa))
    elif words[0] == "isa" and len(words) == 2:
        isa.name = words[1]
    elif words[0] == "type" and len(words) == 4:
        isa.types[words[1]] = (int(words[2]), words[3])
    elif words[0] == "slot" and len(words) == 3:
        isa.slots[words[1]] = words[2]
    elif words[0] == "flag" and len(words) >= 3:
        isa.flags[words[1]] = text.split(None, 2)[2]
    elif words[0] == "name" and len(words) == 4:
        if isa.names.setdefault(words[1], {}).setdefault(int(words[2]), words[3]) != words[3]:
            raise TableError(f"{words[1]} {words[2]} has two names")
    elif words[0] == "part" and len(words) == 4:
        low, bits = words[3].split()
        isa.parts.setdefault(words[1], []).append((words[2], int(low), int(bits)))
    elif words[0] == "sub" and len(words) == 3:
        enc, _, target = words[2].partition(".")
        if isa.enc(enc) is None or isa.enc(enc).field(target) is None:
            raise TableError(f"no field '{words[2]}'")
        isa.subs[words[1]] = words[2]
    else:
        raise TableError(f"unknown line '{text.strip()}'")


def parse(path):
    isa = Isa(path)
    pending = None  # an enc or word line waiting for its legend
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for number, raw in enumerate(lines, 1):
        text = raw.split("#", 1)[0].rstrip()
        if not text:
            continue
        try:
            if pending:
                (number, head), pending = pending, None
                if text[0] != " ":
                    raise TableError(f"no legend after '{head}'")
                isa.encs.append(parse_enc(head, text, number))
            elif text.split()[0] in ("enc", "word"):
                pending = (number, text)
            else:
                parse_line(isa, text, number)
        except (TableError, ValueError) as e:
            raise TableError(f"{path}:{number}: {e}") from None
    if pending:
        raise TableError(f"{path}:{pending[0]}: no legend after '{pending[1]}'")
    check_encodings(isa)
    check_rows(isa)
    return isa


def prefix(isa):
    return f"LULL_{isa.name.upper()}"


def c_op(isa, name):
    return f"{prefix(isa)}_OP_{name.upper()}"


def c_target(name):
    """'y.src1' -> 'y.src[1]'."""
    return re.sub(r"(src|nsa)(\d)$", r"\1[\2]", name)


def write_ops_h(isa, out):
    p = lambda *a: print(*a, file=out)
    guard = f"LULL_GEN_{isa.name.upper()}_OPS_H"
    p(f"// Generated by gen/isa.py from data/isa. Do not edit.\n#ifndef {guard}\n#define {guard}\n")
    p(f"enum lull_{isa.name}_op {{")
    for op in isa.ops:
        p(f"    {c_op(isa, op.name)},")
    p(f"    {prefix(isa)}_NOPS,\n}};\n")
    p(f"/** Types of operands. */\nenum lull_{isa.name}_type {{\n    {prefix(isa)}_T_NONE,")
    for name, (dwords, text) in isa.types.items():
        p(f"    {prefix(isa)}_T_{name.upper()}, ///< {dwords or 'no'} dwords: {text}.")
    p(f"    {prefix(isa)}_NTYPES,\n}};\n")
    p(f"/** Operand slots: fields of struct lull_{isa.name}_insn. */\nenum lull_{isa.name}_slot {{")
    for letter, target in isa.slots.items():
        p(f"    {prefix(isa)}_SLOT_{target.upper()}, ///< {letter} in the table.")
    p(f"    {prefix(isa)}_NSLOTS,\n}};\n\n// What an instruction does besides its operands.")
    for i, (name, text) in enumerate(isa.flags.items()):
        p(f"#define {prefix(isa)}_F_{name.upper()} (1ULL << {i}) ///< {text[0].upper()}{text[1:]}.")
    p("\n#endif")


def c_flags(isa, names):
    return " | ".join(f"{prefix(isa)}_F_{n.upper()}" for n in names) or "0"


def write_ops_c(isa, out):
    p = lambda *a: print(*a, file=out)
    pre = prefix(isa)
    p(f'// Generated by gen/isa.py from data/isa. Do not edit.\n#include "isa/{isa.name}/ops.h"\n')
    p(f"const uint8_t lull_{isa.name}_type_dwords[{pre}_NTYPES] = {{")
    for name, (dwords, _) in isa.types.items():
        p(f"    [{pre}_T_{name.upper()}] = {dwords},")
    p(f"}};\n\nconst struct lull_{isa.name}_op_info lull_{isa.name}_ops[{pre}_NOPS] = {{")
    slot_names = list(isa.slots)
    for op in isa.ops:
        encs = " | ".join(dict.fromkeys(f"1U << {pre}_{isa.owner(e)}" for e, _ in op.codes))
        types = ", ".join(f"[{pre}_SLOT_{isa.slots[s].upper()}] = {pre}_T_{t.upper()}" for s, t, _ in op.operands)
        order = "".join(f"{slot_names.index(s) + 1}, " for s, _, _ in op.operands)
        only = {c: sum(1 << slot_names.index(s) for s, _, marks in op.operands if c in marks) for c in "svc"}
        marks = ", ".join(f"{sum(SOURCE_BITS.get(s, 0) for s, t, m in op.operands if has(t, m)):#x}" for has in MARKS)
        p(f"    // {isa.path.rsplit('/', 1)[-1]}:{op.line}")
        p(f'    [{c_op(isa, op.name)}] = {{"{op.name}", {encs}, {c_flags(isa, op.flags)},')
        p(f"        {{{types or 0}}}, {{{order}0}}, {only['s']:#x}, {only['v']:#x}, {only['c']:#x}, {marks}}},")
    p("};")


def field_lines(isa, enc):
    """C that moves the fields of one encoding into struct lull_<isa>_insn."""
    targets = {}
    for f in enc.fields:
        if f.name == "op":
            continue
        value = f"(w[{f.word}] >> {f.lo} & {(1 << f.bits) - 1:#x})"
        value = f"{value} << {f.at}" if f.at else KINDS[f.kind].format(value)
        if f.kind == "int":
            top = 1 << (f.bits - 1)
            value = f"(int32_t)({value} ^ {top:#x}) - {top:#x}"
        targets.setdefault(c_target(f.name), []).append((value, f))
    for target, parts in targets.items():
        f = parts[0][1]
        wide = f.bits > 16 or f.kind == "int" or f.name == "imm"
        cast = "" if f.kind == "int" else "(int32_t)" if f.name == "imm" else "" if wide else "(uint8_t)"
        cast = "(uint16_t)" if not wide and (f.kind or f.bits > 8) else cast
        yield f"    out->{target} = {cast}({' | '.join(v for v, _ in parts)});"


def write_opcode_table(isa, out, key, members):
    pre = prefix(isa)
    name = members[0]
    print(f"static const struct lull_{isa.name}_code codes_{name}[{1 << isa.op_bits(name)}] = {{", file=out)
    for op in isa.ops:
        for enc, code in op.codes:
            if enc in members:
                print(f"    [{code:#x}] = {{{c_op(isa, op.name)} + 1, {pre}_{isa.owner(enc)}}},", file=out)
    print("};\n", file=out)
    return name


def first_table(isa, coded):
    """Encoding to try first for each value of the top bits; and the one to try next."""
    first, following = [], {}
    shift = 32 - FIRST_BITS
    top = ((1 << FIRST_BITS) - 1) << shift
    for value in range(1 << FIRST_BITS):
        fit = [e for e in coded if (value << shift ^ e.match) & e.mask & top == 0]
        for i, e in enumerate(fit):
            if e.mask & 0xFFFFFFFF & ~top == 0:
                fit = fit[: i + 1]
                break
        first.append(coded.index(fit[0]) + 1 if fit else 0)
        for a, b in zip(fit, fit[1:] + [None]):
            if following.setdefault(a.name, b) is not b:
                raise TableError(f"{isa.path}:{a.line}: {a.name} has two followers")
    return first, following


def write_tables(isa, out):
    p = lambda *a: print(*a, file=out)
    pre = prefix(isa)
    p("// Generated by gen/isa.py from data/isa. Do not edit. Included by the decoder only.\n")
    for e in isa.encs:
        p(f"static void fields_{e.name}(const uint32_t *w, struct lull_{isa.name}_insn *out)\n{{")
        for line in field_lines(isa, e):
            p(line)
        p("}\n")
    groups = {}  # Encodings that share their bits share one opcode table.
    for e in (e for e in isa.encs if e.coded):
        groups.setdefault((e.mask, e.match), []).append(e)
    coded = [g[0] for g in groups.values()]
    tables = {g[0].name: write_opcode_table(isa, out, k, [e.name for e in g]) for k, g in groups.items()}
    for sub in isa.subs:
        write_opcode_table(isa, out, sub, [sub])
    p(f"static void (*const field_readers[])(const uint32_t *, struct lull_{isa.name}_insn *) = {{")
    for e in (e for e in isa.encs if e.coded):
        p(f"    [{pre}_{e.name}] = fields_{e.name},")
    first, following = first_table(isa, coded)
    p(f"}};\n\nstatic const struct lull_{isa.name}_format formats[] = {{")
    for e in coded:
        f = e.field("op") or Field("op", None, 0, 0, 0, 0)
        after = coded.index(following[e.name]) + 1 if following.get(e.name) else 0
        p(f"    {{{e.mask & 0xFFFFFFFF:#x}, {e.match & 0xFFFFFFFF:#x}, {f.lo}, {(1 << f.bits) - 1:#x}, {e.words}, "
          f"{after}, codes_{tables[e.name]}}}, // {e.name}")
    p(f"}};\n\n#define FIRST_SHIFT {32 - FIRST_BITS}\nstatic const uint8_t first_format[] = {{")
    for i in range(0, len(first), 16):
        p("    " + ", ".join(str(v) for v in first[i:i + 16]) + ",")
    p("};")


def write_names(isa, out):
    p = lambda *a: print(*a, file=out)
    p("// Generated by gen/isa.py from data/isa. Do not edit. Included by the printer only.")
    for name, entries in isa.names.items():
        p(f"\nstatic const char *const names_{name}[{max(entries) + 1}] = {{")
        for number, text in entries.items():
            p(f'    [{number}] = "{text}",')
        p("};")
    for name, entries in isa.parts.items():
        p(f"\nstatic const struct lull_{isa.name}_part parts_{name}[{len(entries)}] = {{")
        for text, low, bits in entries:
            p(f'    {{"{text}", {low}, {bits}}},')
        p("};")


def write_doc(isa, out):
    p = lambda *a: print(*a, file=out)
    p(f"# {isa.name} instructions\n\nGenerated from `data/isa/{isa.path.rsplit('/', 1)[-1]}`.\n")
    p("| instruction | encodings | operands | flags | source |\n|---|---|---|---|---|")
    for op in isa.ops:
        codes = " ".join(f"{e}:`{c:02x}`" for e, c in op.codes)
        operands = " ".join(f"{isa.slots[s]}:{t}" for s, t, _ in op.operands)
        p(f"| `{op.name}` | {codes} | {operands} | {' '.join(op.flags)} | {op.source} |")


def main():
    writers = {"ops_h": write_ops_h, "ops_c": write_ops_c, "tables": write_tables, "names": write_names, "doc": write_doc}
    ap = argparse.ArgumentParser()
    ap.add_argument("isa")
    for name in writers:
        ap.add_argument("--" + name.replace("_", "-"))
    args = ap.parse_args()
    try:
        isa = parse(args.isa)
        for name, write in writers.items():
            if getattr(args, name):
                with open(getattr(args, name), "w", encoding="utf-8") as out:
                    write(isa, out)
    except TableError as e:
        sys.exit(f"{e}")


if __name__ == "__main__":
    main()
