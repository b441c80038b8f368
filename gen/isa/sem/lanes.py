# SPDX-License-Identifier: MIT
"""Rows of kind lane to C: a loop over 32 lanes for each, in several files, so that a changed row rebuilds one."""
import zlib

from lang import uses
from lang.c import Writer, ctype
from lang.types import BOOL
from sem import operands
from sem.scalar import HEAD, needs_mode, typed

PARTS = 12  # Files that the functions are spread over, by name.

TOOLS = ["store", "low", "high", "fill", "sign", "half", "packed", "widen", "out_f32"]

HOST64_CALL = """void LULL_LANE(NAME)(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
    struct lull_lane_ctx *x)
{
    uint32_t r[32], rh[32];
    struct lull_lane_ctx y = *x;
    y.dh = rh;
    const uint32_t saved = lull_fp_host_begin(lull_host_mode64(x->mode));
    const int64_t bad = lane_NAME_core(r, a, b, c, &y);
    lull_fp_host_end(saved);
    if (bad != 0) {
        lull_lanes_redo(LULL_LANE(NAME), LULL_LANE(NAME_soft), d, a, b, c, x);
        return;
    }
    for (unsigned i = 0; i < 32; i++) {
        d[i] = r[i];
        x->dh[i] = rh[i];
    }
}
"""


def lane_value(slot, kind, t, half):
    """C for source SLOT of lane i, of operand type KIND and type T in the row."""
    low = slot.lower()
    if kind == "mask":
        return "in >> i & 1"
    if kind == "i24":
        return f"(int32_t)({low}[i] << 8) >> 8"
    if kind == "u24":
        return f"{low}[i] & 0xffffff"
    if operands.bits(kind) == 64:
        return f"({ctype(t)})({low}[i] | (uint64_t){low}h[i] << 32)"
    if half is not None and kind.startswith("v2"):
        return f"({ctype(t)})({low}[i] >> {half})"
    return f"({ctype(t)}){low}[i]"


class Lane:
    """The C of one lane function. VARIANT: "" (may use the host's arithmetic), "soft" or "clamp"."""

    def __init__(self, sem, row, variant=""):
        self.sem, self.row, self.slots, self.variant = sem, row, row.slots, variant
        hosts = {o for fn in sem.calls(row.body) for o in fn.options if o.startswith("host:")} if variant == "" else set()
        self.host, self.host64, self.tells = bool(hosts), "host:f64" in hosts, "host:tells" in hosts
        self.checks = hosts & {"host:nan_out", "host:nan_in"} if not self.host64 and not self.tells else set()
        plain = row.name + (f"_{variant}" if variant else "")
        self.name = f"lane_{row.name}_core" if self.host64 else f"LULL_LANE({plain})"
        self.halves = operands.by_halves(row.slots)
        self.half = "half" if self.halves else None
        # One result besides E: D, one half of it, or EXEC, which is a D that is a mask.
        self.dest = next((n for n in ("DHI", "DLO", "EXEC") if n in row.writes), "D")
        self.dtype = row.vars[self.dest]
        self.is_mask = self.dtype is BOOL
        self.used = uses.names(row.body)

    def call(self, name, args, result):
        options = self.sem.fns[name].options
        args = args + (["M"] if "mode" in options else [])
        host = self.host and any(o.startswith("host:") for o in options)
        if host and "host:tells" in options:
            args = args + ["&bad"]
        return f"({ctype(result)})lull_{'host_' if host else ''}{name}({', '.join(args)})"

    def wide(self, slot):
        return slot in self.slots and operands.bits(self.slots[slot]) == 64

    def head(self):
        result = "__attribute__((noinline)) static int64_t" if self.host64 else "void"
        out = [f"{result} {self.name}(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,",
               "    struct lull_lane_ctx *x)", "{", "    (void)a, (void)b, (void)c, (void)x;"]
        zero = " = {0}" if self.halves or self.variant == "soft" else ""
        out += [f"    uint32_t r[32]{zero};"] if not self.is_mask else []
        out += [f"    uint32_t rh[32]{zero};", "    uint32_t *const dh = x->dh;"] if self.wide("D") else []
        for s in "ABC":
            if self.wide(s) and s in self.used:
                out.append(f"    const uint32_t *const {s.lower()}h = x->{s.lower()}h;")
        out += ["    const uint32_t M = x->mode;", "    (void)M;"] if needs_mode(self.sem, self.row.body) else []
        if "L" in self.used:
            t = ctype(self.row.vars["L"])
            out.append(f"    const {t} L = ({t})x->literal;")
        out += ["    const uint32_t NEG = x->neg;"] if "NEG" in self.used else []
        out += [f"    const uint32_t CLAMP = {int(self.variant == 'clamp')};"] if "CLAMP" in self.used else []
        out += ["    const uint32_t lane0 = x->lane0;"] if "LANE" in self.used else []
        if "VCC" in self.used or self.slots.get("C") == "mask":
            out.append("    const uint32_t in = x->in;")
        out += ["    uint32_t out = 0;"] if self.is_mask or "E" in self.slots else []
        if self.checks or self.host64 or self.tells:
            out.append(f"    int{64 if self.host64 else 32}_t bad = 0;")
        return out

    def value(self, slot):
        return lane_value(slot, self.slots[slot], self.row.vars[slot], self.half)

    def locals(self, pad):
        out = [f"{pad}const uint32_t VCC = in >> i & 1;"] if "VCC" in self.used else []
        out += [f"{pad}const uint32_t LANE = lane0 + i;"] if "LANE" in self.used else []
        for s in "ABC":
            if s in self.slots and s in self.used:
                out.append(f"{pad}const {ctype(self.row.vars[s])} {s} = {self.value(s)};")
        out += [f"{pad}uint32_t E = 0;"] if "E" in self.row.writes else []
        first = self.value("D") if "D" in self.row.reads else "0"
        return out + [f"{pad}{ctype(self.dtype)} {self.dest} = {first};"]

    def statements(self, pad):
        writer, types, out = Writer(self.call), typed(self.row, self.row.body), []
        for s in self.row.body:
            if len(s.targets) == 1:
                out.append(f"{pad}{writer.statement(s, types)};")
                continue
            first, second = (t.name for t in s.targets)
            args = [writer.expr(a) for a in s.value.args]
            call = self.call(s.value.name, args, s.value.type)
            at = call.index("M")  # The second result goes out before &bad, after M.
            out += [f"{pad}bool second = false;", f"{pad}{first} = {call[:at]}M, &second{call[at + 1:]};",
                    f"{pad}{second} = second;"]
        return out

    def nan_checks(self, pad):
        out = []
        for check in sorted(self.checks):
            for s in [self.dest] if check == "host:nan_out" else [s for s in "AB" if s in self.used]:
                out.append(f"{pad}bad |= lull_host_nan({s});")
        return out + ([f"{pad}bad |= lull_host_nan64(D);"] if self.host64 else [])

    def result(self, pad):
        if self.is_mask:
            return [f"{pad}out |= {self.dest} << i;"]
        if self.halves:
            return [f"{pad}r[i] |= (uint32_t)(uint16_t)D << half;"]
        if self.wide("D"):
            return [f"{pad}r[i] = (uint32_t)D;", f"{pad}rh[i] = (uint32_t)((uint64_t)D >> 32);"]
        return [f"{pad}r[i] = ({'uint16_t' if operands.bits(self.slots['D']) == 16 else 'uint32_t'}){self.dest};"]

    def loop(self):
        pad = " " * 8
        out = ["    for (unsigned half = 0; half < 32; half += 16) {"] if self.halves else []
        out += ["    for (unsigned i = 0; i < 32; i++) {"]
        if self.variant == "soft" and not self.halves:
            out += [f"{pad}if ((x->off >> i & 1) != 0) {{", f"{pad}    continue;", f"{pad}}}"]
        out += self.locals(pad) + self.statements(pad) + self.nan_checks(pad) + self.result(pad)
        out += [f"{pad}out |= E << i;"] if "E" in self.row.writes else []
        return out + ["    }"] * (2 if self.halves else 1)

    def doubt(self):
        """Lanes that are on and have a NaN, once more: their results into r."""
        pad = " " * 8
        out = [f"{pad}uint32_t doubt = 0;", f"{pad}for (unsigned i = 0; i < 32; i++) {{"]
        for check in sorted(self.checks):
            for v in ["r"] if check == "host:nan_out" else [s.lower() for s in "AB" if s in self.used]:
                out.append(f"{pad}    doubt |= (lull_host_nan({v}[i]) != 0 ? (uint32_t)1 : 0) << i;")
        return out + [f"{pad}}}", f"{pad}lull_lanes_doubt(LULL_LANE({self.row.name}_soft), doubt, r, d, a, b, c, x);"]

    def tail(self):
        out, name = [], f"LULL_LANE({self.row.name})"
        if self.tells or self.checks and self.is_mask:
            out += ["    if (__builtin_expect(bad != 0, 0)) {", f"        lull_lanes_redo({name}, LULL_LANE({self.row.name}_soft), d, a, b, c, x);",
                    "        return;", "    }"]
        elif self.checks:
            out += ["    if (__builtin_expect(bad != 0, 0)) {", *self.doubt(), "    }"]
        if self.is_mask:
            out.append("    (void)d;")
        elif self.variant == "soft":
            out += ["    for (unsigned i = 0; i < 32; i++) {", "        d[i] = (x->off >> i & 1) != 0 ? d[i] : r[i];"]
            out += ["        dh[i] = (x->off >> i & 1) != 0 ? dh[i] : rh[i];"] if self.wide("D") else []
            out.append("    }")
        else:
            out += ["    for (unsigned i = 0; i < 32; i++) {", "        d[i] = r[i];"]
            out += ["        dh[i] = rh[i];"] if self.wide("D") else []
            out.append("    }")
        out += ["    x->out = out;"] if self.is_mask or "E" in self.slots else []
        if self.host64:
            return out + ["    return bad;", "}", ""] + HOST64_CALL.replace("NAME", self.row.name).splitlines() + [""]
        return out + ["}", ""]

    def text(self):
        return self.head() + self.loop() + self.tail()


def lane_rows(sem):
    """The rows of lane functions, by name."""
    return [sem.rows[n] for n in sorted(sem.rows) if sem.rows[n].kind == "lane" and sem.rows[n].body]


def part_of(row):
    return zlib.crc32(row.name.encode()) % PARTS


def variants(sem, row):
    """Lane functions of a row: plain; soft, if plain uses the host's arithmetic; clamp, if the row names it."""
    plain = Lane(sem, row)
    return [plain] + ([Lane(sem, row, "soft")] if plain.host else []) + \
        ([Lane(sem, row, "clamp")] if "CLAMP" in plain.used else [])


def write_part(sem, part):
    """The functions of one file."""
    out = HEAD + ['#include "model/fp/fp.h"', '#include "model/fp/host_trans.h"',
                  '#include "model/amd/exec/uop.h"', "", '#include "model/rdna_sem_fns.h"', '#include "model/rdna_sem_lanes.h"', ""]
    for row in lane_rows(sem):
        if part_of(row) == part:
            for lane in variants(sem, row):
                out += lane.text()
    return out


def write_header(sem):
    guard = "LULL_MODEL_RDNA_SEM_LANES_H"
    out = HEAD + [f"#ifndef {guard}", f"#define {guard}", "", '#include "model/amd/exec/uop.h"', "",
                  "// Compiled once per kind of host: LULL_LANES_HOST is its name.",
                  "#define LULL_LANE_JOINED(host, name) lull_lane_##host##_##name",
                  "#define LULL_LANE_OF(host, name) LULL_LANE_JOINED(host, name)",
                  "#define LULL_LANE(name) LULL_LANE_OF(LULL_LANES_HOST, name)", ""]
    for row in lane_rows(sem):
        suffixes = ["" if v.variant == "" else f"_{v.variant}" for v in variants(sem, row)]
        out.append("lull_lane_fn " + ", ".join(f"LULL_LANE({row.name}{s})" for s in suffixes) + ";")
    return out + ["", "#endif"]


def write_table(sem):
    out = HEAD + ['#include "model/amd/exec/tools.h"', "", '#include "model/rdna_sem_lanes.h"', ""]
    out += ["const struct lull_lane_tools LULL_LANES_TOOLS = {", *(f"    .{t} = lull_tool_{t}," for t in TOOLS), "};", ""]
    out += ["const struct lull_lane_fns LULL_LANES_TABLE[LULL_RDNA_NOPS] = {"]
    for row in lane_rows(sem):
        known = {v.variant for v in variants(sem, row)}
        names = [row.name, row.name + ("_soft" if "soft" in known else ""), f"{row.name}_clamp" if "clamp" in known else None]
        fns = ", ".join(f"LULL_LANE({n})" if n else "NULL" for n in names)
        out.append(f"    [LULL_RDNA_OP_{row.name.upper()}] = {{{fns}}},")
    return out + ["};"]
