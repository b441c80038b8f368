#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn a table of semantics (data/isa/*.sem) into C functions.

    sem.py TABLE.sem [TABLE.isa] [--info OUT.c] [--scalar OUT.c] [--lanes OUT.c]

TABLE.isa gives mnemonics and types of operands; without it only the form of the rows is checked. Standard library
only; the same input gives the same bytes. Faults are FILE:LINE: MESSAGE and exit status 1. The head of
data/isa/rdna3.sem describes the format.
"""
import argparse
import itertools
import re
import sys
from dataclasses import dataclass

KEYWORDS = {"nop": "NOP", "hand": "HAND", "system": "SYSTEM"}
# Type of the isa table: C type, width in bits, enum lull_sem_type.
TYPES = {
    "b8": ("uint8_t", 16, "B16"), "u8": ("uint8_t", 16, "B16"), "i8": ("int8_t", 32, "B32"),
    "i4": ("int32_t", 32, "B32"), "b16": ("uint16_t", 16, "B16"), "u16": ("uint16_t", 16, "B16"),
    "i16": ("int16_t", 16, "B16"), "f16": ("uint16_t", 16, "F16"), "bf16": ("uint16_t", 16, "BF16"),
    "u24": ("uint32_t", 32, "B32"), "i24": ("int32_t", 32, "B32"), "b32": ("uint32_t", 32, "B32"),
    "u32": ("uint32_t", 32, "B32"), "i32": ("int32_t", 32, "B32"), "f32": ("uint32_t", 32, "F32"),
    "v2i16": ("int16_t", 32, "V2I16"), "v2u16": ("uint16_t", 32, "V2I16"), "v2f16": ("uint16_t", 32, "V2F16"),
    "v2bf16": ("uint16_t", 32, "V2BF16"), "mix": ("uint32_t", 32, "MIX"), "b64": ("uint64_t", 64, "B64"),
    "u64": ("uint64_t", 64, "B64"), "i64": ("int64_t", 64, "I64"), "f64": ("uint64_t", 64, "F64"),
    "mask": ("uint32_t", 1, "MASK"), "b96": (None, 96, "WIDE"), "b128": (None, 128, "WIDE"),
    "b256": (None, 256, "WIDE"), "acc": (None, 256, "WIDE"), "b512": (None, 512, "WIDE"), "rel16": ("int32_t", 16, "NONE"),
}
SHORT = {f"{s}{n}": f"{l}{n}_t" for s, l in (("u", "uint"), ("i", "int")) for n in (8, 16, 32, 64)}
NOT_CALLS = {"if", "while", "for", "return", "sizeof"}
ASSIGN = r"\b{}\s*=(?!=)"
ALU = {"SOP1", "SOP2", "SOPK", "SOPC", "SOPP", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3SD", "VOP3P", "VOPD", "VOPDY"}
# f32 functions of host.h, and what makes the host's answer doubtful: a NaN result, a NaN operand, nothing.
HOST = {"f32_add": "out", "f32_sub": "out", "f32_mul": "out", "f32_fma": "out", "f32_min": "in", "f32_max": "in",
        "f32_cmp": "", "f32_from_i32": "", "f32_from_u32": "", "i32_from_f32": "", "u32_from_f32": ""}
# Functions of host_trans.h, which tell themselves when their answer is doubtful.
DOUBT = {"f32_" + f for f in "rcp sqrt rsq exp log sin cos floor ceil trunc rndne fract min3 max3 minmax maxmin med3 "
         "ldexp from_f16 from_f64 dot2_f16 div_scale div_fmas div_fixup".split()} | {"f16_" + f for f in "from_f32 fma add sub mul min max".split()} | \
    {"f64_" + f for f in "from_f32 from_i32 from_u32 min max cmp".split()}
# f64 functions of host.h: the host's modes are changed for them, since those of f32 are set.
HOST64 = {"f64_add", "f64_mul", "f64_fma", "f64_rcp", "f64_sqrt"}

TOOLS = """static void lanes_store(uint32_t *d, const uint32_t *v, uint32_t mask)
{
    uint32_t r[32];
    for (unsigned i = 0; i < 32; i++) {
        r[i] = (mask & (uint32_t)1 << i) != 0 ? v[i] : d[i];
    }
    for (unsigned i = 0; i < 32; i++) {
        d[i] = r[i];
    }
}

static void lanes_fill(uint32_t *d, uint32_t v)
{
    for (unsigned i = 0; i < 32; i++) {
        d[i] = v;
    }
}

static void lanes_sign(uint32_t *d, const uint32_t *v, uint32_t keep, uint32_t flip)
{
    for (unsigned i = 0; i < 32; i++) {
        d[i] = (v[i] & keep) ^ flip;
    }
}

const struct lull_lane_tools LULL_LANES_TOOLS = {lanes_store, lanes_fill, lanes_sign};
""".splitlines()

HOST64_CALL = """static void NAME(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
    struct lull_lane_ctx *x)
{
    uint32_t r[32], rh[32];
    struct lull_lane_ctx y = *x;
    y.dh = rh;
    const uint32_t saved = lull_fp_host_begin(lull_host_mode64(x->mode));
    const int64_t bad = NAME_core(r, a, b, c, &y);
    lull_fp_host_end(saved);
    if (bad != 0) {
        NAME_soft(d, a, b, c, x);
        return;
    }
    for (unsigned i = 0; i < 32; i++) {
        d[i] = r[i];
        x->dh[i] = rh[i];
    }
"""


class TableError(Exception):
    pass


@dataclass
class Op:
    slots: dict
    flags: set
    encs: set


@dataclass
class Row:
    name: str
    text: str
    line: int


def fail(path, line, message):
    raise TableError(f"{path}:{line}: {message}")


def read_isa(path):
    """Mnemonic -> Op. Faults of that table are isa.py's to find."""
    ops = {}
    for line in open(path, encoding="utf-8"):
        cols = [c.strip() for c in line.split("#")[0].split("|")]
        if len(cols) != 5 or not re.fullmatch(r"[a-z]\w*", cols[0]):
            continue
        slots = dict(s.split(":") for s in cols[2].split() if ":" in s)
        op = Op({k: v.split(".")[0] for k, v in slots.items()}, set(cols[3].split()),
                {e.split(":")[0] for e in cols[1].split()})
        if cols[0] in ops:
            op.encs |= ops[cols[0]].encs
        ops[cols[0]] = op
    return ops


def expand(path, line, name):
    """Each alternative of the groups of a mnemonic, with the values of $1 ..."""
    parts = re.split(r"\{([^{}]*)\}", name)
    if any("{" in p or "}" in p for p in parts):
        fail(path, line, f"braces of '{name}' do not match")
    groups = [[tuple((a.split(":", 1) * 2)[:2]) for a in g.split(",")] for g in parts[1::2]]
    for choice in itertools.product(*groups):
        text = parts[0] + "".join(c[0] + p for c, p in zip(choice, parts[2::2]))
        yield text, [c[1] for c in choice]


def read_sem(path):
    rows = {}
    for number, raw in enumerate(open(path, encoding="utf-8"), 1):
        text = raw.split("#")[0].strip() if raw.startswith("#") else raw.strip()
        if not text:
            continue
        cols = text.split("|")
        if len(cols) < 3:
            fail(path, number, f"{len(cols)} columns, 3 wanted: mnemonic | semantics | source")
        family, body, source = cols[0].strip(), "|".join(cols[1:-1]).strip(), cols[-1].strip()
        if not body:
            fail(path, number, "no semantics")
        if not source:
            fail(path, number, "no source")
        for name, values in expand(path, number, family):
            if not re.fullmatch(r"[a-z]\w*", name):
                fail(path, number, f"'{name}' is no mnemonic")
            if name in rows:
                fail(path, number, f"'{name}' is there already, line {rows[name].line}")
            rows[name] = Row(name, fill(path, number, body, values), number)
    return rows


def fill(path, number, body, values):
    def value(m):
        n = int(m[1])
        if not 0 < n <= len(values):
            fail(path, number, f"${n}, but the mnemonic has {len(values)} groups")
        return values[n - 1]
    body = re.sub(r"\$(\d)", value, body)
    if body in KEYWORDS:
        return body
    if body.count("(") != body.count(")"):
        fail(path, number, "parentheses do not match")
    if not re.search(r"\b(D|DHI|E|SCC|EXEC|PC|MODE)\s*=(?!=)", body):
        fail(path, number, "assigns to no destination")
    return body


def c_text(body, host=False):
    """Semantics as C statements, without the last semicolon."""
    def call(m):
        name = m[1]
        if name in NOT_CALLS or name in SHORT:
            return m[0]
        known = name in HOST or name in HOST64 or name in DOUBT
        return f"lull_host_{name}(" if host and known else f"lull_{name}("
    if host and set(re.findall(r"\b([a-z]\w*)\(", body)) & DOUBT:
        body = re.sub(r"\bM(, &t)?\)", r"M\1, &bad)", body)
    body = re.sub(r"\b([a-z]\w*)\(", call, body)
    body = re.sub(r"\bCMP_", "LULL_CMP_", body)
    return re.sub(r"\b[ui](8|16|32|64)\b(?!_)", lambda m: SHORT[m[0]], body)


def uses(body, name):
    return re.search(rf"\b{name}\b", body) is not None


def writes(body, name):
    return re.search(ASSIGN.format(name), body) is not None


def reads_dest(body, name="D"):
    """Whether the destination is read before it is written."""
    first = re.search(rf"\b{name}\b", body)
    if first is None:
        return False
    step = next(s for s in body.split(";") if uses(s, name))
    left, _, right = step.partition("=") if writes(step, name) else ("", "", step)
    return uses(right, name) if writes(step, name) else True


def info(op, row):
    """Kind, flags and types of a row."""
    body = row.text
    if body in KEYWORDS:
        kind = KEYWORDS[body]
    else:
        kind = "LANES" if row.name.startswith("v_") else "SCALAR"
    flags = []
    if kind == "LANES":
        flags += ["DREAD"] if reads_dest(body) else []
        flags += ["DHI"] if writes(body, "DHI") else []
        flags += ["VCC"] if uses(body, "VCC") else []
        flags += ["CLAMP"] if uses(body, "CLAMP") else []
    flags += ["MODE"] if writes(body, "MODE") else []
    flags += ["EXEC"] if row.name.startswith("v_cmpx") else []
    types = [TYPES.get(op.slots.get(s, ""), (None, 0, "NONE"))[2] for s in "DABC"]
    return kind, flags, types


def scalar_function(row, op):
    body = row.text
    out = [f"static enum lull_exec_result sem_{row.name}(struct lull_wave *w, const struct lull_uop *u)", "{"]
    out.append("    (void)w, (void)u;")
    for n, slot in enumerate("AB"):
        if slot in op.slots and uses(body, slot):
            ctype, bits, tag = TYPES[op.slots[slot]]
            fn = "lull_s64" if bits == 64 else "lull_s32"
            out.append(f"    const {ctype} {slot} = ({ctype}){fn}(w, u, {n}, LULL_T_{tag});")
    bits = 32
    if "D" in op.slots:
        ctype, bits, _ = TYPES[op.slots["D"]]
        read = "lull_sgpr64(w, u->in->dst)" if bits == 64 else "w->sgpr[u->in->dst & 127]"
        if uses(body, "D"):
            out.append(f"    {ctype} D = {f'({ctype}){read}' if reads_dest(body) else 0};")
    if uses(body, "K"):
        out.append("    const int32_t K = u->in->imm;")
    simple = {"SCC": ("uint32_t", "w->scc"), "MODE": ("uint32_t", "w->mode"), "STATUS": ("uint32_t", "w->status"),
              "VCC": ("uint64_t", "lull_wave_vcc(w)"), "NEXT": ("uint64_t", "w->pc + u->in->size")}
    for name, (ctype, read) in simple.items():
        if uses(body, name) or (name == "NEXT" and uses(body, "PC")):
            out.append(f"    {ctype} {name} = {read};")
    if uses(body, "EXEC"):
        whole = "D" not in op.slots
        ctype, read = ("uint64_t", "lull_wave_exec(w)") if whole else \
            ("uint64_t", "lull_sgpr64(w, LULL_RDNA_EXEC)") if bits == 64 else ("uint32_t", "w->sgpr[LULL_RDNA_EXEC]")
        out.append(f"    {ctype} EXEC = {read};")
    if uses(body, "PC"):
        out.append("    uint64_t PC = NEXT;")
    out += [f"    {s.strip()};" for s in c_text(body).split(";") if s.strip()]
    if writes(body, "SCC"):
        out.append("    w->scc = SCC;")
    if writes(body, "MODE"):
        out.append("    w->mode = MODE;")
    if writes(body, "EXEC"):
        width = "64" if bits == 64 else ""
        out.append(f"    lull_sgpr_write{width}(w, LULL_RDNA_EXEC, EXEC);")
    if writes(body, "D"):
        width, cast = ("64", "uint64_t") if bits == 64 else ("", "uint32_t")
        out.append(f"    lull_sgpr_write{width}(w, u->in->dst, ({cast})D);")
    if writes(body, "PC"):
        out += ["    w->pc = PC;", "    return LULL_EXEC_JUMP;"]
    else:
        out.append("    return LULL_EXEC_NEXT;")
    return out + ["}", ""]


def lane_value(slot, itype, half):
    """C for source SLOT of lane i."""
    low = slot.lower()
    ctype, bits, _ = TYPES[itype]
    if itype == "mask":
        return "in >> i & 1"
    if itype == "i24":
        return f"(int32_t)({low}[i] << 8) >> 8"
    if itype == "u24":
        return f"{low}[i] & 0xffffff"
    if itype == "i4":
        return f"(int32_t){low}[i]"
    if bits == 64:
        return f"({ctype})({low}[i] | (uint64_t){low}h[i] << 32)"
    if itype.startswith("v2"):
        return f"({ctype})({low}[i] >> {half})" if half is not None else f"{low}[i]"
    return f"({ctype}){low}[i]"


class Lane:
    """The C of one lane function. VARIANT: "" (may use the host's arithmetic), "soft" or "clamp"."""

    def __init__(self, row, op, variant):
        self.row, self.body, self.types, self.variant = row, row.text, op.slots, variant
        calls = set(re.findall(r"\b([a-z]\w*)\(", self.body))
        self.host64 = variant == "" and bool(calls & HOST64)
        self.doubt = variant == "" and bool(calls & DOUBT)
        self.host = variant == "" and ((bool(calls & set(HOST)) and "f64" not in row.name) or self.host64 or self.doubt)
        plain = self.host and not self.host64 and not self.doubt
        self.checks = {HOST[c] for c in calls & set(HOST)} - {""} if plain else set()
        self.name = f"lane_{row.name}" + (f"_{variant}" if variant else "") + ("_core" if self.host64 else "")
        self.dtype = op.slots["D"]
        self.ctype, self.dbits, _ = TYPES[self.dtype]
        self.halves = self.dtype.startswith("v2") and op.slots["A"].startswith("v2")
        if self.dtype.startswith("v2") and not self.halves:
            self.ctype = "uint32_t"
        self.dest = "DHI" if writes(self.body, "DHI") else "D"
        self.half = "half" if self.halves else None
        self.mask_out = self.dtype == "mask" or "E" in self.types

    def uses(self, name):
        return uses(self.body, name)

    def wide(self, slot):
        return slot in self.types and TYPES[self.types[slot]][1] == 64

    def head(self):
        attribute = "__attribute__((noinline)) " if self.variant == "soft" or self.host64 else ""
        out = [f"{attribute}static {'int64_t' if self.host64 else 'void'} {self.name}(uint32_t *d, "
               "const uint32_t *a, const uint32_t *b, const uint32_t *c,",
               "    struct lull_lane_ctx *x)", "{", "    (void)a, (void)b, (void)c, (void)x;"]
        out += ["    uint32_t r[32] = {0};" if self.halves else "    uint32_t r[32];"] if self.dtype != "mask" else []
        out += ["    uint32_t rh[32];", "    uint32_t *const dh = x->dh;"] if self.wide("D") else []
        for s in "ABC":
            if self.wide(s) and self.uses(s):
                out.append(f"    const uint32_t *const {s.lower()}h = x->{s.lower()}h;")
        out += ["    const uint32_t M = x->mode;", "    (void)M;"] if self.uses("M") else []
        if self.uses("L"):
            literal = "(uint16_t)x->literal" if self.types["L"] == "f16" else "x->literal"
            out.append(f"    const {TYPES[self.types['L']][0]} L = {literal};")
        out += ["    const uint32_t NEG = x->neg;"] if self.uses("NEG") else []
        out += [f"    const int CLAMP = {int(self.variant == 'clamp')};"] if self.uses("CLAMP") else []
        out += ["    const uint32_t lane0 = x->lane0;"] if self.uses("LANE") else []
        if self.uses("VCC") or self.types.get("C") == "mask":
            out.append("    const uint32_t in = x->in;")
        out += ["    uint32_t out = 0;"] if self.mask_out else []
        if self.checks or self.host64 or self.doubt:
            out.append(f"    int{64 if self.host64 else 32}_t bad = 0;")
        return out

    def operands(self, pad):
        out = []
        for s in "ABC":
            if s in self.types and self.uses(s):
                packed = self.types[s].startswith("v2") and not self.halves
                ctype = "uint32_t" if packed else TYPES[self.types[s]][0]
                out.append(f"{pad}const {ctype} {s} = {lane_value(s, self.types[s], self.half)};")
        out += [f"{pad}uint32_t E = 0;"] if "E" in self.types and self.uses("E") else []
        first = lane_value("D", self.dtype, self.half) if reads_dest(self.body, self.dest) else "0"
        return out + [f"{pad}{self.ctype} {self.dest} = {first};"]

    def nan_checks(self, pad):
        out = []
        for check in sorted(self.checks):
            for s in {"out": [self.dest], "in": [s for s in "AB" if self.uses(s)]}[check]:
                out.append(f"{pad}bad |= lull_host_nan({s});")
        return out + ([f"{pad}bad |= lull_host_nan64(D);"] if self.host64 else [])

    def result(self, pad):
        if self.dtype == "mask":
            return [f"{pad}out |= (uint32_t)(D) << i;"]
        if self.halves:
            return [f"{pad}r[i] |= (uint32_t)(uint16_t)D << half;"]
        if self.wide("D"):
            return [f"{pad}r[i] = (uint32_t)D;", f"{pad}rh[i] = (uint32_t)((uint64_t)D >> 32);"]
        return [f"{pad}r[i] = ({'uint16_t' if self.dbits == 16 else 'uint32_t'}){self.dest};"]

    def loop(self):
        pad = " " * 8
        out = ["    for (unsigned half = 0; half < 32; half += 16) {"] if self.halves else []
        out += ["    for (unsigned i = 0; i < 32; i++) {"]
        out += [f"{pad}const uint32_t VCC = in >> i & 1;"] if self.uses("VCC") else []
        out += [f"{pad}const uint32_t LANE = lane0 + i;"] if self.uses("LANE") else []
        out += self.operands(pad)
        out += [f"{pad}{s.strip()};" for s in c_text(self.body, self.host).split(";") if s.strip()]
        out += self.nan_checks(pad) + self.result(pad)
        out += [f"{' ' * 8}out |= E << i;"] if "E" in self.types else []
        return out + ["    }"] * (2 if self.halves else 1)

    def tail(self):
        out = []
        if self.checks or self.doubt:
            out += ["    if (__builtin_expect(bad != 0, 0)) {", f"        {self.name}_soft(d, a, b, c, x);",
                    "        return;", "    }"]
        if self.dtype == "mask":
            out.append("    (void)d;")
        else:
            out += ["    for (unsigned i = 0; i < 32; i++) {", "        d[i] = r[i];"]
            out += ["        dh[i] = rh[i];"] if self.wide("D") else []
            out.append("    }")
        out += ["    x->out = out;"] if self.mask_out else []
        if self.host64:
            out += ["    return bad;", "}", ""]
            out += HOST64_CALL.replace("NAME", f"lane_{self.row.name}").splitlines()
        return out + ["}", ""]

    def text(self):
        return self.head() + self.loop() + self.tail()


def write_lanes(rows, ops):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/sem.py; compiled once per kind of host.",
           '#include "model/amd/exec/fp.h"', '#include "model/amd/exec/host_trans.h"',
           '#include "model/amd/exec/ops.h"',
           '#include "model/amd/exec/uop.h"', ""]
    table = []
    for name in sorted(rows):
        row, op = rows[name], ops[name]
        if info(op, row)[0] != "LANES":
            continue
        plain = Lane(row, op, "")
        if plain.host:
            out += Lane(row, op, "soft").text()
        out += plain.text()
        second = "NULL"
        if uses(row.text, "CLAMP"):
            out += Lane(row, op, "clamp").text()
            second = f"lane_{name}_clamp"
        soft = f"lane_{name}{'_soft' if plain.host else ''}"
        table.append(f"    [LULL_RDNA_OP_{name.upper()}] = {{lane_{name}, {soft}, {second}}},")
    out += TOOLS
    out += ["const struct lull_lane_fns LULL_LANES_TABLE[LULL_RDNA_NOPS] = {"] + table + ["};"]
    return "\n".join(out) + "\n"


def write_scalar(rows, ops):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/sem.py.", '#include "model/amd/exec/ops.h"',
           '#include "model/amd/exec/uop.h"', ""]
    table = []
    for name in sorted(rows):
        if info(ops[name], rows[name])[0] == "SCALAR":
            out += scalar_function(rows[name], ops[name])
            table.append(f"    [LULL_RDNA_OP_{name.upper()}] = sem_{name},")
    out += ["lull_uop_fn *const lull_sem_scalar[LULL_RDNA_NOPS] = {"] + table + ["};"]
    return "\n".join(out) + "\n"


def write_info(rows, ops):
    out = ["// SPDX-License-Identifier: MIT", "// Made by gen/sem.py.", '#include "model/amd/exec/uop.h"', "",
           "const struct lull_sem lull_sem[LULL_RDNA_NOPS] = {"]
    for name in sorted(rows):
        kind, flags, t = info(ops[name], rows[name])
        bits = " | ".join(f"LULL_SEM_{f}" for f in flags) or "0"
        t = [f"LULL_T_{x}" for x in t]
        out.append(f"    [LULL_RDNA_OP_{name.upper()}] = {{LULL_SEM_{kind}, {bits}, {t[0]}, {{{', '.join(t[1:])}}}}},")
    return "\n".join(out + ["};"]) + "\n"


def check(path, rows, ops):
    for row in rows.values():
        if row.name not in ops:
            fail(path, row.line, f"no instruction '{row.name}'")
        op = ops[row.name]
        if row.text in KEYWORDS:
            continue
        for slot in "DEABCLK":
            if uses(row.text, slot) and slot not in op.slots:
                fail(path, row.line, f"'{row.name}' has no operand {slot}")
        if row.name.startswith("v_") and TYPES[op.slots["D"]][0] is None:
            fail(path, row.line, f"D of '{row.name}' is too wide for lanes: 'hand'")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sem")
    parser.add_argument("isa", nargs="?")
    for name in ("info", "scalar", "lanes"):
        parser.add_argument("--" + name)
    args = parser.parse_args()
    try:
        rows = read_sem(args.sem)
        if args.isa is None:
            return 0
        ops = read_isa(args.isa)
        check(args.sem, rows, ops)
    except (TableError, OSError, UnicodeDecodeError) as e:
        print(e, file=sys.stderr)
        return 1
    missing = sorted(n for n, op in ops.items() if op.encs & ALU and n not in rows)
    if missing:
        print(f"{len(missing)} ALU instructions are not executed: {' '.join(missing)}")
    for name, make in (("info", write_info), ("scalar", write_scalar), ("lanes", write_lanes)):
        if getattr(args, name):
            with open(getattr(args, name), "w", encoding="utf-8") as f:
                f.write(make(rows, ops))
    return 0


if __name__ == "__main__":
    sys.exit(main())
