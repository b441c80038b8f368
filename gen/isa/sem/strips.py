# SPDX-License-Identifier: MIT
"""Rows of kind lane to C once more, for the compiler of waves: each a function of eight lanes, of sixteen, or of four, operands and
results being vectors as the calling convention passes them. gen/lift reads what clang makes of these, src/jit puts it
together.

With eight lanes, and with four, a mask is a vector, all bits of a lane set or none. With sixteen it is one of k1 to k7, in the order of the
parameters, then of the results."""
from lang.c import ctype
from lang.tree import Call, Name, Num
from sem import operands
from sem.lanes import Lane, lane_rows, lane_value
from sem.scalar import HEAD, needs_mode

# MODE of which tables are made: denormals of f32 flushed or kept, IEEE off or on; those of f16 and f64 kept.
MODES = (0xc0, 0xf0, 0x2c0, 0x2f0)
MAX_PARAMS = 8  # Vectors that come in registers.
# Rows that are a simpler operation if both first sources are one register: a rotation.
SAME = {"v_alignbit_b32"}
# Functions that begin at what the host estimates of the first argument, AVX-512 to 2^-14, AVX2 to 1.5 * 2^-12: src/jit/strip.h has them with that,
# by lanes.
NEAR = {"f32_rsq": "rsq"}
FROM_NEAR = {8: "lull_strip_{}_single", 16: "lull_strip_{}"}
# Functions of f16 that src/jit/strip.h has of such numbers in f32, too, and NaNs that then put a lane in doubt.
WIDE = {"f16_add": "out", "f16_sub": "out", "f16_mul": "out", "f16_fma": "out", "f16_min": "in", "f16_max": "in", "f16_cmp": "none"}
# Of those, functions that src/jit/strip.h has a second time, for most numbers.
QUICK = {"f16_fma"}
# Parameters, in this order: gen/lift gives the compiler their places in this tuple.
PARAMS = ("a", "b", "c", "d", "vcc", "lit", "neg", "ah", "bh", "ch")

INCLUDES = """#include "jit/strip.h"
#include "model/amd/exec/uop.h"
#include "model/rdna_sem_fns.h"
"""
PROLOGUE = INCLUDES + """
typedef uint32_t vec __attribute__((vector_size(32)));
static inline vec near_rsq(vec a)
{
    typedef float floats __attribute__((vector_size(32)));
    return (vec)__builtin_ia32_rsqrtps256((floats)a);
}

// Further results are in ymm1 and ymm2.
#define PIN(n, x) register vec pin##n asm("ymm" #n) = (x); asm volatile("" ::"x"(pin##n));
#define STRIP _Pragma("clang loop unroll(disable) vectorize(enable) vectorize_width(8) interleave(disable)") \\
    for (unsigned i = 0; i < 8; i++)
"""
PROLOGUE_16 = "#include <immintrin.h>\n\n" + INCLUDES + """
typedef uint32_t vec __attribute__((vector_size(64)));
typedef int32_t lanes __attribute__((ext_vector_type(16)));
typedef _Bool bits __attribute__((ext_vector_type(16)));

static inline vec from_mask(uint16_t m)
{
    bits b;
    __builtin_memcpy(&b, &m, sizeof b);
    return (vec)__builtin_convertvector(b, lanes);
}

static inline uint16_t to_mask(vec v)
{
    const bits b = __builtin_convertvector((lanes)v != 0, bits);
    uint16_t m;
    __builtin_memcpy(&m, &b, sizeof m);
    return m;
}

static inline vec near_rsq(vec a)
{
    return (vec)_mm512_rsqrt14_ps((__m512)a);
}

/** A fused multiply-add of f16 that stand in f32: rounded to odd, then to f16. */
static inline vec wide_fma(vec a, vec b, vec c)
{
    enum { DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC, UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC,
           CUT = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC, A = 0xf0, B = 0xcc, C = 0xaa };
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i cut = (__m512i)_mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, CUT);
    const __m512i up = (__m512i)_mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, UP);
    const __m512i down = (__m512i)_mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, DOWN);
    const __m512i odd = _mm512_ternarylogic_epi32(up, down, one, (A | B) & C) | cut;
    return (vec)_mm512_cvtph_ps(_mm512_cvtps_ph((__m512)odd, _MM_FROUND_CUR_DIRECTION));
}

#define MASK(n, x) register uint16_t x##k asm("k" #n); asm volatile("" : "=k"(x##k)); const vec x##_ = from_mask(x##k);
#define PIN_UPPER(x) register vec pin_upper asm("zmm1") = (x); asm volatile("" ::"v"(pin_upper));
#define PIN(n, x) register uint16_t pin##n asm("k" #n) = to_mask(x); asm volatile("" ::"k"(pin##n));
#define STRIP _Pragma("clang loop unroll(disable) vectorize(enable) vectorize_width(16) interleave(disable)") \\
    for (unsigned i = 0; i < 16; i++)
"""


PROLOGUE_4 = """#include "jit/strip.h"
#include "model/rdna_sem_fns.h"

typedef uint32_t vec __attribute__((vector_size(16)));
// Further results are in v1 and v2.
#define PIN(n, x) register vec pin##n asm("v" #n) = (x); asm volatile("" ::"w"(pin##n));
#define STRIP _Pragma("clang loop unroll(disable) vectorize(enable) vectorize_width(4) interleave(disable)") \\
    for (unsigned i = 0; i < 4; i++)
"""


def declared(result, name, params):
    """The beginning of a function."""
    head = f"{result} {name}({', '.join(f'vec {p}_' for p in params) or 'void'})"
    return [f"{head};", head, "{"]


def frame(name, lanes, params, masks, outs, is_mask, constants, body, near=None):
    """A function of a strip: BODY, for lane i, reads elements of PARAMS and writes those of OUTS. IS_MASK: the first of OUTS is one.
    NEAR: of NEAR, what the body finds in near."""
    in_k = masks if lanes == 16 else []
    result = "void" if lanes == 16 and is_mask else "vec"
    out = declared(result, name, [p for p in params if p not in in_k])
    out += [f"    MASK({n}, {p})" for n, p in enumerate(in_k, 1)]
    for p in params:
        out += [f"    uint32_t {p}[{lanes}];", f"    __builtin_memcpy({p}, &{p}_, sizeof {p});"]
    if near:
        out += [f"    const vec near_ = near_{near}(a_);", f"    uint32_t near[{lanes}];", "    __builtin_memcpy(near, &near_, sizeof near);"]
    out += [f"    uint32_t {o}[{lanes}];" for o in outs] + constants
    out += ["    STRIP {", *body, "    }"]
    for o in outs:
        out += [f"    vec {o}v;", f"    __builtin_memcpy(&{o}v, {o}, sizeof {o}v);"]
    in_order = [o for o in outs[result == "vec":] if o != "rh" or lanes != 16]
    out += ["    PIN_UPPER(rhv)"] if "rh" in outs and lanes == 16 else []
    out += [f"    PIN({n}, {o}v)" for n, o in enumerate(in_order, 1)]
    return out + (["    return rv;"] if result == "vec" else []) + ["}", ""]


class Strip(Lane):
    """VARIANT: "", "clamp", "same": A and B are one, "wide": numbers of f16 are f32, or "quick": so they are, and some lanes are in doubt; MODE: its number in MODES, or None for rows that do not look at MODE."""

    def __init__(self, sem, row, variant, mode, lanes):
        super().__init__(sem, row, "clamp" if variant == "clamp" else "")
        self.variant = variant
        self.mode, self.lanes = mode, lanes
        self.function = "__".join([f"strip_{row.name}", variant or "plain", "all" if mode is None else str(mode)])
        self.second = "E" in self.row.writes
        self.doubtful = self.tells or bool(self.checks) and self.is_mask
        # The lower 16 bits of a register, whose others stay; src/jit turns it for the upper ones.
        self.low = variant not in ("wide", "quick") and not self.is_mask and "D" in self.slots and operands.bits(self.slots["D"]) == 16
        known = {s.lower() for s in "ABC" if s in self.slots and s in self.used} | \
            ({"d"} if "D" in row.reads or self.low else set()) | ({"vcc"} if "VCC" in self.used else set()) | \
            ({"lit"} if "L" in self.used else set()) | ({"neg"} if "NEG" in self.used else set()) | \
            {s.lower() + "h" for s in "ABC" if s in self.used and self.wide(s)}
        self.params = [p for p in PARAMS if p in known and (p != "b" or variant != "same")]
        # vectors that come back: the result, its upper half, E, and lanes of which the host is not sure
        if variant == "wide":
            self.tells, self.wide_check = False, WIDE[row.body[0].value.name]
        elif variant == "quick":
            self.tells = True
        self.masks = [p for p in self.params if p == "vcc" or self.slots.get(p.upper()) == "mask"]
        self.outs = ["r"] + (["rh"] if self.wide("D") and not self.is_mask else []) + (["e"] if self.second else []) + (["doubt"] if self.tells else [])

        self.near = next((NEAR[fn.name] for fn in sem.calls(row.body) if fn.name in NEAR), None) if lanes in FROM_NEAR and self.tells else None

    def call(self, name, args, result):
        if self.near and name in NEAR:
            return f"({ctype(result)}){FROM_NEAR[self.lanes].format(name)}({', '.join(args)}, M, near[i], &bad)"
        return super().call(name, args, result)

    def possible(self):
        """Nothing that another lane or the position of a lane says, and no f64 of the host, which has its own denormals."""
        return not (self.wide("D") and "D" in self.row.reads) and "LANE" not in self.used and \
            (not self.low or self.check() == "none") and not self.host64

    def check(self):
        """Which NaNs put a lane in doubt: of results, or of operands."""
        if self.variant == "wide":
            return self.wide_check
        if self.variant == "quick":
            return "none"
        return "out" if "host:nan_out" in self.checks else "in" if "host:nan_in" in self.checks else "none"

    def operand(self, slot, half):
        if self.slots[slot] == "mask":
            return f"{slot.lower()}[i] & 1"
        return lane_value(slot, self.slots[slot], self.row.vars[slot], half)

    def values(self, half):
        out = ["const uint32_t VCC = vcc[i] & 1;"] if "VCC" in self.used else []
        if "L" in self.used:
            t = ctype(self.row.vars["L"])
            out.append(f"const {t} L = ({t})lit[i];")
        out += ["const uint32_t NEG = neg[i];"] if "NEG" in self.used else []
        for s in "ABC":
            if s in self.slots and s in self.used:
                value = self.operand("A" if s == "B" and self.variant == "same" else s, half)
                out.append(f"const {ctype(self.row.vars[s])} {s} = {value};")
        out += ["uint32_t E = 0;"] if self.second else []
        first = self.operand("D", half) if "D" in self.row.reads else "0"
        return out + [f"{ctype(self.dtype)} {self.dest} = {first};"]

    def wide_body(self):
        """The same of numbers of f16 that are f32."""
        pad, call = " " * 8, self.row.body[0].value
        names = [a.name for a in call.args if isinstance(a, Name)]
        args = [a.name if isinstance(a, Name) else str(a.value) for a in call.args]
        value = f"lull_{self.variant}_{call.name}({', '.join(args + ['&bad'] * self.tells)})"
        return [*(f"{pad}const uint32_t {n} = {n.lower()}[i];" for n in names), f"{pad}r[i] = {'-' if self.is_mask else ''}{value};"]

    def body(self):
        """What is done for lane i."""
        pad = " " * 8
        out = [f"{pad}int32_t bad = 0;"] if self.tells else []
        if self.variant in ("wide", "quick"):
            return out + self.wide_body() + ([f"{pad}doubt[i] = (uint32_t)bad;"] if self.tells else [])
        if self.halves:
            out.append(f"{pad}uint32_t both = 0;")
            for half in (0, 16):
                out += [f"{pad}{{", *(pad + v for v in self.values(half)), *self.statements(pad),
                        f"{pad}both |= (uint32_t)(uint16_t)D << {half};", f"{pad}}}"]
            out.append(f"{pad}r[i] = both;")
        else:
            out += [pad + v for v in self.values(None)] + self.statements(pad)
            whole = f"-(uint32_t){self.dest}" if self.is_mask else f"(uint16_t){self.dest} | (d[i] & 0xffff0000)" if self.low else "(uint32_t)D"
            out.append(f"{pad}r[i] = {whole};")
            out += [f"{pad}rh[i] = (uint32_t)((uint64_t){self.dest} >> 32);"] if "rh" in self.outs else []
        out += [f"{pad}e[i] = -(uint32_t)E;"] if self.second else []
        return out + ([f"{pad}doubt[i] = (uint32_t)bad;"] if self.tells else [])

    def text(self):
        if self.variant == "wide" and self.lanes == 16 and self.row.body[0].value.name == "f16_fma":
            args = ", ".join(a.name.lower() + "_" for a in self.row.body[0].value.args)
            return [*declared("vec", self.function, self.params), f"    return wide_fma({args});", "}", ""]
        constants = [f"    const uint32_t M = {MODES[self.mode]:#x};"] if self.mode is not None else []
        constants += [f"    const uint32_t CLAMP = {int(self.variant == 'clamp')};"] if "CLAMP" in self.used else []
        return frame(self.function, self.lanes, self.params, self.masks, self.outs, self.is_mask, constants, self.body(), near=self.near)

    def meta(self):
        """A line for gen/lift: function, instruction, variant, mode, parameters, results, check, whether D is a mask."""
        return " ".join([self.function, self.row.name, self.variant or "plain", "-" if self.mode is None else str(self.mode),
                         ",".join(str(PARAMS.index(p)) + "m" * (p in self.masks) for p in self.params) or "-", ",".join(self.outs), self.check(),
                         "mask" if self.is_mask else "lanes"])


def has_wide(row):
    """Whether a row is nothing but a function of WIDE, of whole operands of f16."""
    call = row.body[0].value if len(row.body) == 1 else None
    return isinstance(call, Call) and call.name in WIDE and row.body[0].targets[0].name == "D" and \
        all(isinstance(a, Num) or isinstance(a, Name) and a.name in "ABCD" and row.slots.get(a.name) == "f16" for a in call.args)


def strips(sem, lanes):
    for row in lane_rows(sem):
        variants = ["", "clamp"] if "CLAMP" in Lane(sem, row).used else ["", "same"] if row.name in SAME else [""]
        variants += ["wide"] if has_wide(row) else []
        variants += ["quick"] if has_wide(row) and row.body[0].value.name in QUICK else []
        modes = range(len(MODES)) if needs_mode(sem, row.body) else [None]
        for variant in variants:
            for mode in modes:
                strip = Strip(sem, row, variant, mode, lanes)
                if strip.possible() and len(strip.params) <= MAX_PARAMS:
                    yield strip


def write(sem):
    out = HEAD + PROLOGUE.splitlines() + [""]
    for strip in strips(sem, 8):
        out += strip.text()
    return out


def write_16(sem):
    out = HEAD + PROLOGUE_16.splitlines() + [""]
    for strip in strips(sem, 16):
        out += strip.text()
    return out


def write_4(sem):
    """For aarch64: vectors of 128 bits."""
    out = HEAD + PROLOGUE_4.splitlines() + [""]
    for strip in strips(sem, 4):
        out += strip.text()
    return out


def write_list(sem):
    """The same for all."""
    return [strip.meta() for strip in strips(sem, 8)]


def write_header(sem):
    """MODES for the compiler."""
    del sem
    guard = "LULL_JIT_MODES_H"
    return HEAD + [f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", "",
                   f"enum {{ LULL_JIT_MODES = {len(MODES)} }};", "",
                   "/** MODE, as far as rows look at it, that templates were made for. */",
                   f"static const uint32_t lull_jit_modes[LULL_JIT_MODES] = {{{', '.join(hex(m) for m in MODES)}}};", "", "#endif"]
