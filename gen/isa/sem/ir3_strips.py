# SPDX-License-Identifier: MIT
"""Rows of ir3.sem to C once more, for the compiler of waves: each a function of eight fibers, or of sixteen, as sem/strips.py
writes those of gfx1100.

A row is several cases: by the modifiers of the instruction that it looks at, of which each has a number here, and by what
becomes of its result: it is as wide as the destination, or it is not and is fitted, or it is a bit of a predicate register. What
is below 32 bits goes to the lower half of a register, whose upper half stays."""
import itertools

from lang.c import ctype
from lang.tree import walk
from sem import ir3, strips
from sem.scalar import HEAD as RDNA_HEAD

HEAD = [RDNA_HEAD[0], "// Made by gen/isa from data/isa/ir3.sem. Do not edit."]
# ZERO is no name of a row: its conversion is rounded toward zero, by functions of jit/strip.h.
ROUNDED = {"f32_from_u32", "f32_from_i32", "f16_from_f32"}
# Modifiers and how many values each has, in the order of a case's number; C has the same in struct lull_jit_ir3_cases.
VALUES = {"COND": 6, "ROUND": 4, "SAT": 2, "EI": 2, "MIXED": 2, "HIGH": 2, "FUSED": 2, "ZERO": 2}
SHAPES = ("plain", "fitted", "mask")  # enum lull_jit_ir3_shape
# Rows whose result may be a bit of a predicate register.
MASKS = ("cmps.f", "cmps.u", "cmps.s", "and.b", "or.b", "xor.b", "not.b")
# MODE of model/fp/fp.h with which ir3 is executed: to nearest even, denormals are flushed, a clamped NaN is 0.
MODE = "LULL_FP_DX10_CLAMP"
INCLUDES = """#include "jit/strip.h"
#include "model/adreno/exec/half.h"
#include "model/adreno/exec/num.h"

enum { ONE = 0x3f800000, HALF_ONE = 0x3c00, INFINITE = 0x7f800000, HALF_INFINITE = 0x7c00 };

/** (sat) of a float: a NaN is 0. */
static inline uint32_t saturated(uint32_t v, uint32_t one, uint32_t infinite, unsigned bits)
{
    const uint32_t least = lull_f32_pick(v > one, one, v);
    return lull_f32_pick((v >> (bits - 1) != 0) | (v > infinite), 0, least);
}
"""


class Case(ir3.HostText):
    """A row with values of its modifiers, in one shape."""

    def __init__(self, sem, row, values, shape, number, lanes):
        super().__init__(sem)
        self.sem, self.one, self.values, self.shape, self.number, self.lanes = sem, row, values, shape, number, lanes
        self.function_name = f"strip_{number}_{row.symbol}"
        named = {e.name for e in walk(row.body) if hasattr(e, "name")}
        self.sources = [s for s in "ABC" if s in named]
        hosts = {o for f in ir3.c_functions(sem, row.body) for o in ir3.host_of(f)}
        self.is_float = row.result.kind == "f"
        self.fits_float = shape == "fitted" and self.is_float
        self.tells = "host:tells" in hosts or self.fits_float
        sat = self.is_float and values.get("SAT", 0)
        # A NaN that is clamped is 0, whichever it is.
        self.check = "in" if "host:nan_in" in hosts else "out" if "host:nan_out" in hosts and not sat and not self.fits_float else "none"
        self.low = shape != "mask" and (row.result.bits >= 32) == (shape == "fitted")
        self.near = lanes in strips.FROM_NEAR and any(f.name == "f32_rsq" for f in ir3.c_functions(sem, row.body))
        self.params = [s.lower() for s in self.sources] + ["d"] * self.low
        self.outs = ["r"] + ["doubt"] * self.tells

    def call(self, name, args, result):
        if name in ROUNDED and self.values.get("ZERO", 0):
            return f"lull_strip_{name}_cut({', '.join(args)}{', bad' if name == 'f16_from_f32' else ''})"
        if self.near and name == "f32_rsq":
            return f"{strips.FROM_NEAR[self.lanes].format(name)}({', '.join(args)}, M, near[i], bad)"
        return super().call(name, args, result)

    def result(self):
        """C of what goes to the register."""
        t, d = self.one.result, "D"
        if self.is_float and self.values.get("SAT", 0):
            d = "saturated(D, ONE, INFINITE, 32)" if t.bits == 32 else "saturated(D, HALF_ONE, HALF_INFINITE, 16)"
        if self.shape == "mask":
            return f"-(uint32_t)({d} != 0)"
        if self.fits_float:
            d = f"lull_ir3_host_f16_from_f32({d}, M, bad)" if t.bits == 32 else f"lull_ir3_host_f32_from_f16((uint16_t){d}, M, bad)"
        elif self.shape == "fitted" and t.bits < 32:
            d = f"(uint32_t)(int32_t){d}" if t.kind == "i" else f"(uint32_t){d}"
        if self.low:
            narrow = f"(uint{min(t.bits, 16)}_t)" if t.bits < 32 else ""
            return f"(uint16_t){narrow}{d} | (d[i] & 0xffff0000)"
        return f"(uint32_t){d}"

    def body(self):
        pad, row = " " * 8, self.one
        out = [f"{pad}int32_t doubtful = 0, *const bad = &doubtful;", f"{pad}(void)bad;"]
        out += [f"{pad}const {ctype(row.source)} {s} = ({ctype(row.source)}){s.lower()}[i];" for s in self.sources]
        out += [f"{pad}{ctype(row.result)} D;", *self.statements(row.body, pad, "D", row.result)]
        out += [f"{pad}r[i] = {self.result()};"]
        return out + ([f"{pad}doubt[i] = (uint32_t)doubtful;"] if self.tells else [])

    def constants(self):
        """Values of what a row names besides its operands."""
        out = [f"    const uint32_t M = {MODE};", "    (void)M;"]
        return out + [f"    const uint32_t {m} = {v};" for m, v in self.values.items() if m != "ZERO"]

    def text(self):
        in_k = self.shape == "mask"
        return strips.frame(self.function_name, self.lanes, self.params, [], self.outs, in_k, self.constants(), self.body(),
                            near=strips.NEAR["f32_rsq"] if self.near else None)

    def meta(self):
        """A line for gen/lift: see sem/strips.py."""
        places = ",".join(str(strips.PARAMS.index(p)) for p in self.params) or "-"
        return " ".join([self.function_name, str(self.number), "plain", "-", places, ",".join(self.outs), self.check,
                         "mask" if self.shape == "mask" else "lanes"])


def modifiers(row):
    """Those that the cases of ROW differ by: named in it, and (sat), which floats have behind it."""
    named = {e.name for e in walk(row.body) if hasattr(e, "name")} | ({"SAT"} if row.result.kind == "f" else set())
    loses = row.result.kind == "f" and row.source is not row.result and (row.result.bits == 16 or row.source.bits == 32)
    named |= {"ZERO"} if row.name == "mov" and loses else set()
    return [m for m in VALUES if m in named]


def has_shape(row, shape):
    """A mov says both types: floats in a register of another width are none that compilers make."""
    odd = row.name == "mov" and row.result.kind == "f"
    return row.name in MASKS if shape == "mask" else not (odd and shape == "fitted")


def cases(path, lanes):
    sem, rows = ir3.read(path)
    text = ir3.HostText(sem)
    at = 0
    for row in rows.values():
        names = modifiers(row)
        for values in itertools.product(*(range(VALUES[m]) for m in names)):
            for shape in SHAPES:
                if text.able(row) and has_shape(row, shape):
                    yield Case(sem, row, dict(zip(names, values)), shape, at, lanes)
                at += 1


def write(path, lanes):
    sem, rows = ir3.read(path)
    text = ir3.HostText(sem)
    prologue = strips.PROLOGUE_16 if lanes == 16 else strips.PROLOGUE
    out = HEAD + prologue.replace(strips.INCLUDES, INCLUDES).splitlines() + [""]
    for fn in ir3.used(sem, {s: r for s, r in rows.items() if text.able(r)}):
        out += text.function(fn)
    for case in cases(path, lanes):
        out += case.text()
    return out


def write_list(path):
    return [case.meta() for case in cases(path, 8)]


def write_header(path):
    """Which cases each row has."""
    _, rows = ir3.read(path)
    at, lines = 0, []
    for row in rows.values():
        names, n = modifiers(row), 1
        for m in names:
            n *= VALUES[m]
        bits = " | ".join(f"LULL_JIT_IR3_{m}" for m in names) or "0"
        lines.append(f"    {{{at}, {bits}}}, // {row.symbol}")
        at += n * len(SHAPES)
    guard = "LULL_JIT_IR3_CASES_H"
    out = HEAD + [f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "",
                  "/** What becomes of a result. */", "enum lull_jit_ir3_shape {", *(f"    LULL_JIT_IR3_{s.upper()}," for s in SHAPES),
                  "    LULL_JIT_IR3_SHAPES,", "};", "", "/** Modifiers that cases of a row differ by, in the order of a case's number. */", "enum {"]
    out += [f"    LULL_JIT_IR3_{m} = {1 << n}," for n, m in enumerate(VALUES)]
    out += ["};", "", f"enum {{ LULL_JIT_IR3_CASES = {at} }};", "",
            "/** By row of lull_ir3_alu_rows: its first case, and its modifiers. */",
            "static const struct lull_jit_ir3_cases {", "    uint16_t first;", "    uint16_t modifiers;", "} lull_jit_ir3_cases[] = {"]
    return out + lines + ["};", "", "#endif"]
