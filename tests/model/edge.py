#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows for the format of alu.txt, with values computed here: edge.py OUT.txt

Floats are exact fractions that are rounded once; integers are Python's. The rules are those of the RDNA3 ISA guide,
written down a second time and without a look at the model. Standard library only; the same rows each time.
"""
import random
import sys
from fractions import Fraction

rows = []
rnd = random.Random(20250301)
NEAREST, UP, DOWN, ZERO = range(4)
ROUNDS = (NEAREST, UP, DOWN, ZERO)
IEEE, KEEP = 0x200, 0xf0


class Format:
    def __init__(self, bits, ebits):
        self.bits, self.ebits, self.mant = bits, ebits, bits - ebits - 1
        self.bias = (1 << (ebits - 1)) - 1
        self.sign = 1 << (bits - 1)
        self.inf = ((1 << ebits) - 1) << self.mant
        self.quiet = 1 << (self.mant - 1)

    def is_nan(self, b):
        return b & ~self.sign > self.inf

    def value(self, b):
        """Fraction of a finite number."""
        e, m = b >> self.mant & ((1 << self.ebits) - 1), b & ((1 << self.mant) - 1)
        v = Fraction(m | (1 << self.mant if e else 0)) * Fraction(2) ** (max(e, 1) - self.bias - self.mant)
        return -v if b & self.sign else v

    def rounded(self, v, mode, negative=False):
        """Bits of the fraction V; NEGATIVE: sign of a zero."""
        sign = self.sign if v < 0 or (v == 0 and negative) else 0
        a = abs(v)
        if a == 0:
            return sign
        e = max(ilog2(a), 1 - self.bias)
        unit = Fraction(2) ** (e - self.mant)
        n, rest = divmod(a, unit)
        up = {NEAREST: 2 * rest > unit or (2 * rest == unit and n % 2), UP: rest and not sign,
              DOWN: rest and sign, ZERO: False}[mode]
        n += 1 if up else 0
        bits = n + ((e + self.bias - 1) << self.mant) if n >> self.mant else n
        if bits >= self.inf:
            finite = mode == ZERO or mode == (UP if sign else DOWN)
            bits = self.inf - 1 if finite else self.inf
        return int(bits) | sign


def ilog2(v):
    e = v.numerator.bit_length() - v.denominator.bit_length()
    return e if Fraction(2) ** e <= v else e - 1


F16, F32, F64 = Format(16, 5), Format(32, 8), Format(64, 11)


def mode(f, r, keep=3, ieee=0):
    """MODE with rounding R and denormals KEEP of F, defaults elsewhere."""
    shift = 0 if f is F32 else 2
    return r << shift | (KEEP & ~(3 << (4 + shift)) | keep << (4 + shift)) | ieee


def reg(n, f):
    return f"v[{n}:{n + 1}]" if f is F64 else f"v{n}"


def items(n, bits, f):
    if f is F64:
        return f"v{n}=0x{bits & 0xffffffff:x} v{n + 1}=0x{bits >> 32:x}"
    return f"v{n}=0x{bits:x}"


def row(text, given, want):
    rows.append(f"{text} | {given} | {want}")


def normals(f, lo=None, hi=None):
    """A random normal number, with an exponent between the two."""
    e = rnd.randint(f.bias - 6 if lo is None else f.bias + lo, f.bias + 6 if hi is None else f.bias + hi)
    return rnd.getrandbits(1) << (f.bits - 1) | e << f.mant | rnd.getrandbits(f.mant)


def arithmetic():
    for f, t in ((F16, "f16"), (F32, "f32"), (F64, "f64")):
        add, mul = (f"v_{n}_{t}" + ("" if f is F64 else "_e64") for n in ("add", "mul"))
        for r in ROUNDS:
            for _ in range(6):
                a, b, c = (normals(f) for _ in range(3))
                x, y, z = f.value(a), f.value(b), f.value(c)
                given = f"{items(0, a, f)} {items(2, b, f)} {items(4, c, f)} mode=0x{mode(f, r):x}"
                for text, v in ((f"{add} {reg(6, f)}, {reg(0, f)}, {reg(2, f)}", x + y),
                                (f"{mul} {reg(6, f)}, {reg(0, f)}, {reg(2, f)}", x * y),
                                (f"{add} {reg(6, f)}, -{reg(0, f)}, |{reg(2, f)}|", abs(y) - x),
                                (f"v_fma_{t} {reg(6, f)}, {reg(0, f)}, {reg(2, f)}, {reg(4, f)}", x * y + z)):
                    row(text, given, items(6, f.rounded(v, r, negative=r == DOWN), f))
            # Overflow, and products in the middle of the denormals.
            big, tiny = f.inf - 3, (f.bias // 2 + 1) << f.mant | rnd.getrandbits(f.mant)
            for a, b in ((big, big), (big | f.sign, big)):
                v = f.value(a) * f.value(b)
                row(f"{mul} {reg(6, f)}, {reg(0, f)}, {reg(2, f)}",
                    f"{items(0, a, f)} {items(2, b, f)} mode=0x{mode(f, r):x}", items(6, f.rounded(v, r), f))
            low = (f.bias // 2 - 2) << f.mant | rnd.getrandbits(f.mant)
            v = f.value(low) * f.value(tiny)
            for keep in range(4):
                bits = f.rounded(v, r)
                want = bits if keep & 2 or bits >= 1 << f.mant else 0
                row(f"{mul} {reg(6, f)}, {reg(0, f)}, -{reg(2, f)}",
                    f"{items(0, low, f)} {items(2, tiny | f.sign, f)} mode=0x{mode(f, r, keep):x}", items(6, want, f))
        for keep in range(4):  # A denormal operand: 1 keeps it, 2 keeps the result.
            d = 5 | f.sign
            want = d if keep == 3 else f.sign
            row(f"{mul} {reg(6, f)}, 1.0, {reg(0, f)}", f"{items(0, d, f)} mode=0x{mode(f, NEAREST, keep):x}",
                items(6, want, f))


def nans():
    for f, t in ((F16, "f16"), (F32, "f32"), (F64, "f64")):
        one = f.bias << f.mant
        for nan in (f.inf | 1, f.inf | f.quiet | 5, f.sign | f.inf | 3):
            for ieee in (0, IEEE):
                want = nan | f.quiet if ieee else nan
                m = mode(f, NEAREST, 3, ieee)
                suffix = "" if f is F64 else "_e64"
                for op in ("add", "mul"):
                    for a, b in ((nan, one), (one, nan)):
                        row(f"v_{op}_{t}{suffix} {reg(6, f)}, {reg(0, f)}, {reg(2, f)}",
                            f"{items(0, a, f)} {items(2, b, f)} mode=0x{m:x}", items(6, want, f))
        # Invalid: the quiet NaN with sign.
        want = f.sign | f.inf | f.quiet
        suffix = "" if f is F64 else "_e64"
        row(f"v_add_{t}{suffix} {reg(6, f)}, {reg(0, f)}, -{reg(0, f)}", f"{items(0, f.inf, f)} mode=0xf0", items(6, want, f))
        row(f"v_mul_{t}{suffix} {reg(6, f)}, {reg(0, f)}, 0", f"{items(0, f.inf, f)} mode=0xf0", items(6, want, f))


def smaller(f, a, b, ieee, maximum):
    """V_MIN_F32 and V_MAX_F32, from the guide's pseudo code."""
    signalling = [n for n in (a, b) if f.is_nan(n) and not n & f.quiet]
    if ieee and signalling:
        return signalling[0] | f.quiet
    if f.is_nan(b):
        return a
    if f.is_nan(a):
        return b

    def key(n):  # -0 is below +0.
        return -(n & ~f.sign) - 1 if n & f.sign else n
    return max(a, b, key=key) if maximum else min(a, b, key=key)


def minima():
    for f, t in ((F16, "f16"), (F32, "f32"), (F64, "f64")):
        one = f.bias << f.mant
        values = (0, f.sign, one, one | f.sign, f.inf, f.inf | f.sign, f.inf | 1, f.inf | f.quiet | 9, 1, f.sign | 1)
        suffix = "" if f is F64 else "_e64"
        for a in values:
            for b in values:
                ieee = rnd.choice((0, IEEE))
                for op in ("min", "max"):
                    row(f"v_{op}_{t}{suffix} {reg(6, f)}, {reg(0, f)}, {reg(2, f)}",
                        f"{items(0, a, f)} {items(2, b, f)} mode=0x{mode(f, NEAREST, 3, ieee):x}",
                        items(6, smaller(f, a, b, ieee, op == "max"), f))
        if f is F64:
            continue
        for _ in range(40):
            a, b, c = (rnd.choice(values) for _ in range(3))
            ieee = rnd.choice((0, IEEE))

            def low(x, y):
                return smaller(f, x, y, ieee, False)

            def high(x, y):
                return smaller(f, x, y, ieee, True)
            got = {"min3": low(low(a, b), c), "max3": high(high(a, b), c), "minmax": high(low(a, b), c),
                   "maxmin": low(high(a, b), c)}
            if any(f.is_nan(n) for n in (a, b, c)):
                got["med3"] = got["min3"]
            elif len({n & ~f.sign for n in (a, b, c)}) == 3:
                got["med3"] = sorted((a, b, c), key=lambda n: -(n & ~f.sign) - 1 if n & f.sign else n)[1]
            for op, want in got.items():
                row(f"v_{op}_{t} v6, v0, v2, v4", f"{items(0, a, f)} {items(2, b, f)} {items(4, c, f)} "
                    f"mode=0x{mode(f, NEAREST, 3, ieee):x}", items(6, want, f))


def outputs():
    """CLAMP, and OMOD, which wants IEEE off and denormal results flushed."""
    for v, want in ((0xbf800000, 0), (0x3f000000, 0x3f000000), (0x40000000, 0x3f800000), (0x80000000, 0),
                    (0x7f800000, 0x3f800000), (0xff800000, 0)):
        row("v_mul_f32_e64 v6, 1.0, v0 clamp", f"v0=0x{v:x} mode=0xf0", f"v6=0x{want:x}")
    row("v_mul_f32_e64 v6, 1.0, v0 clamp", "v0=0x7fc00000 mode=0x1f0", "v6=0")  # DX10_CLAMP
    for _ in range(8):
        a, b = normals(F32), normals(F32)
        for omod, by in (("mul:2", 2), ("mul:4", 4), ("div:2", Fraction(1, 2))):
            want = F32.rounded(F32.value(F32.rounded(F32.value(a) * F32.value(b), NEAREST)) * by, NEAREST)
            row(f"v_mul_f32_e64 v6, v0, v2 {omod}", f"v0=0x{a:x} v2=0x{b:x} mode=0xc0", f"v6=0x{want:x}")


def saturate(v, bits, signed):
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(v, lo), hi) & ((1 << bits) - 1)


def conversions():
    for f, t, bits in ((F32, "f32", 32), (F64, "f64", 32), (F16, "f16", 16)):
        edges = [0, f.sign, f.inf | f.quiet, f.bias << f.mant | 1, (f.bias - 1) << f.mant | f.sign]
        near = [Fraction(n) + d for n in (2**(bits - 1), -2**(bits - 1), 2**bits, 0) for d in (-1, Fraction(-1, 2), 0, 1)]
        edges += [f.rounded(n, ZERO) for n in near if abs(n) < 2 ** f.bias] + [normals(f, 0, 12) for _ in range(6)]
        for signed in (True, False):
            for b in edges:
                v = 0 if f.is_nan(b) else f.value(b)
                want = saturate(int(v), bits, signed)  # int() rounds toward zero.
                row(f"v_cvt_{'i' if signed else 'u'}{bits}_{t}_e32 v6, {reg(0, f)}", f"{items(0, b, f)} mode=0xf0",
                    f"v6=0x{want:x}")
    for r in ROUNDS:
        for n in (0x7fffffff, 0x80000000, 0xffffffff, 0x01000001, 0x01000003, 0xfeffffff, 16777217 * 7):
            signed = n - 2**32 if n >> 31 else n
            m = mode(F32, r)
            row("v_cvt_f32_u32_e32 v6, v0", f"v0=0x{n:x} mode=0x{m:x}", f"v6=0x{F32.rounded(Fraction(n), r):x}")
            row("v_cvt_f32_i32_e32 v6, v0", f"v0=0x{n:x} mode=0x{m:x}", f"v6=0x{F32.rounded(Fraction(signed), r):x}")
        for _ in range(8):
            a = normals(F64, -3, 3)
            row("v_cvt_f32_f64_e32 v6, v[0:1]", f"{items(0, a, F64)} mode=0x{mode(F32, r):x}",
                f"v6=0x{F32.rounded(F64.value(a), r):x}")
            a = normals(F32, -20, 17)
            row("v_cvt_f16_f32_e32 v6, v0", f"v0=0x{a:x} mode=0x{mode(F16, r):x}", f"v6=0x{F16.rounded(F32.value(a), r):x}")
            b = normals(F32, -20, 17)
            pair = F16.rounded(F32.value(a), ZERO) | F16.rounded(F32.value(b), ZERO) << 16
            row("v_cvt_pk_rtz_f16_f32_e32 v6, v0, v2", f"v0=0x{a:x} v2=0x{b:x} mode=0x{mode(F16, r):x}", f"v6=0x{pair:x}")
    for a in [rnd.getrandbits(16) & 0xbfff for _ in range(10)] + [1, 0x83ff, 0x7c00]:
        v = 0x7f800000 if a == 0x7c00 else F32.rounded(F16.value(a), NEAREST, a >> 15)
        row("v_cvt_f32_f16_e32 v6, v0", f"v0=0x{a:x} mode=0xf0", f"v6=0x{v:x}")


def parts():
    """frexp, ldexp, fract."""
    for f, t in ((F16, "f16"), (F32, "f32"), (F64, "f64")):
        for _ in range(8):
            b = normals(f) if rnd.random() < .7 else rnd.getrandbits(f.mant) | f.sign
            v = f.value(b)
            e = ilog2(abs(v)) + 1
            row(f"v_frexp_mant_{t}_e32 {reg(6, f)}, {reg(0, f)}", f"{items(0, b, f)} mode=0xf0",
                items(6, f.rounded(v / Fraction(2) ** e, NEAREST), f))
            name, bits = ("i16", 16) if f is F16 else ("i32", 32)
            row(f"v_frexp_exp_{name}_{t}_e32 v6, {reg(0, f)}", f"{items(0, b, f)} mode=0xf0", f"v6=0x{e & ((1 << bits) - 1):x}")
            by = rnd.choice((-3, 1, 5, -f.bias, f.bias, -f.bias - f.mant + 3))
            ldexp = f"v_ldexp_{t}" + ("" if f is F64 else "_e64")
            n = by & (0xffff if f is F16 else 0xffffffff)
            row(f"{ldexp} {reg(6, f)}, {reg(0, f)}, v4", f"{items(0, b, f)} v4=0x{n:x} mode=0xf0",
                items(6, f.rounded(v * Fraction(2) ** by, NEAREST, bool(b & f.sign)), f))
            b = normals(f, -2, 5)
            v = f.value(b)
            row(f"v_fract_{t}_e32 {reg(6, f)}, {reg(0, f)}", f"{items(0, b, f)} mode=0xf0",
                items(6, f.rounded(v - (v.numerator // v.denominator), NEAREST), f))


DIVIDE32 = ("v_div_scale_f32 v3, null, v1, v1, v0; v_rcp_f32_e32 v4, v3; v_div_scale_f32 v5, vcc_lo, v0, v1, v0; "
            "v_fma_f32 v6, -v3, v4, 1.0; v_fmac_f32_e32 v4, v6, v4; v_mul_f32_e32 v6, v5, v4; v_fma_f32 v7, -v3, v6, v5; "
            "v_fmac_f32_e32 v6, v7, v4; v_fma_f32 v3, -v3, v6, v5; v_div_fmas_f32 v3, v3, v4, v6; "
            "v_div_fixup_f32 v2, v3, v1, v0")
DIVIDE64 = ("v_div_scale_f64 v[6:7], null, v[2:3], v[2:3], v[0:1]; v_rcp_f64_e32 v[8:9], v[6:7]; "
            "v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0; v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]; "
            "v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0; v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]; "
            "v_div_scale_f64 v[10:11], vcc_lo, v[0:1], v[2:3], v[0:1]; v_mul_f64 v[12:13], v[10:11], v[8:9]; "
            "v_fma_f64 v[6:7], -v[6:7], v[12:13], v[10:11]; v_div_fmas_f64 v[6:7], v[6:7], v[8:9], v[12:13]; "
            "v_div_fixup_f64 v[4:5], v[6:7], v[2:3], v[0:1]")


def division():
    """What a compiler makes of a / b: the helpers together must round right, over the whole range."""
    for f, text, second, third in ((F32, DIVIDE32, 1, 2), (F64, DIVIDE64, 2, 4)):
        pairs = [(normals(f), normals(f)) for _ in range(12)]
        pairs += [(normals(f, 1 - f.bias, f.bias), normals(f, 1 - f.bias, f.bias)) for _ in range(24)]
        pairs += [(normals(f, f.bias - 3, f.bias), normals(f, -3, 3)), (normals(f, 1 - f.bias, 4 - f.bias), normals(f, 0, 3)),
                  (normals(f, 0, 3), normals(f, f.bias - 1, f.bias)), (rnd.getrandbits(f.mant), normals(f, -9, 0)),
                  (normals(f, -9, 0), rnd.getrandbits(f.mant) | 1 << (f.mant - 2))]
        for a, b in pairs:
            want = f.rounded(f.value(a) / f.value(b), NEAREST, bool((a ^ b) & f.sign))
            row(text, f"{items(0, a, f)} {items(second, b, f)} mode=0xf0", items(third, want, f))
        one, nan = f.bias << f.mant, f.sign | f.inf | f.quiet
        for a, b, want in ((0, one, 0), (one, f.sign, f.inf | f.sign), (0, 0, nan), (f.inf, one | f.sign, f.inf | f.sign),
                           (one, f.inf, 0), (f.inf, f.inf, nan), (f.inf | f.quiet | 7, one, f.inf | f.quiet | 7)):
            row(text, f"{items(0, a, f)} {items(second, b, f)} mode=0xf0", items(third, want, f))


def integers():
    word, corner = (lambda: rnd.getrandbits(32)), (0, 1, 0xffffffff, 0x80000000, 0x7fffffff)

    def any32():
        return rnd.choice(corner) if rnd.random() < .5 else word()

    def signed(v, bits=32):
        return v - (1 << bits) if v >> (bits - 1) else v
    for _ in range(20):
        a, b, c = any32(), any32(), any32() << 32 | any32()
        given = f"v0=0x{a:x} v1=0x{b:x} v2=0x{c & 0xffffffff:x} v3=0x{c >> 32:x}"
        r = a * b + c
        row("v_mad_u64_u32 v[6:7], s2, v0, v1, v[2:3]", given + " exec=1 exec_hi=0",
            items(6, r & (2**64 - 1), F64) + f" s2={r >> 64}")
        r = (signed(a) * signed(b) + signed(c, 64)) & (2**64 - 1)
        row("v_mad_i64_i32 v[6:7], null, v0, v1, v[2:3]", given, items(6, r, F64))
        row("v_mul_hi_i32 v6, v0, v1", given, f"v6=0x{signed(a) * signed(b) >> 32 & 0xffffffff:x}")
        row("v_mul_hi_u32 v6, v0, v1", given, f"v6=0x{a * b >> 32:x}")
        s = rnd.choice((0, 31, 32, 33, 63, 64, 65, 0xffffffff, rnd.getrandbits(7)))
        given = f"v0=0x{s:x} v1=0x{b:x} v2=0x{c & 0xffffffff:x} v3=0x{c >> 32:x}"
        row("v_lshlrev_b32_e32 v6, v0, v1", given, f"v6=0x{b << (s & 31) & 0xffffffff:x}")
        row("v_ashrrev_i32_e32 v6, v0, v1", given, f"v6=0x{signed(b) >> (s & 31) & 0xffffffff:x}")
        row("v_lshlrev_b64 v[6:7], v0, v[2:3]", given, items(6, c << (s & 63) & (2**64 - 1), F64))
        row("v_lshrrev_b64 v[6:7], v0, v[2:3]", given, items(6, c >> (s & 63), F64))
        row("v_ashrrev_i64 v[6:7], v0, v[2:3]", given, items(6, signed(c, 64) >> (s & 63) & (2**64 - 1), F64))
        row("v_lshlrev_b16 v6, v0, v1", given, f"v6=0x{b << (s & 15) & 0xffff:x}")
        o, w = rnd.getrandbits(6), rnd.getrandbits(6)
        given = f"v0=0x{b:x} v1=0x{o:x} v2=0x{w:x}"
        field = b >> (o & 31) & ((1 << (w & 31)) - 1)
        row("v_bfe_u32 v6, v0, v1, v2", given, f"v6=0x{field:x}")
        if w & 31 and (o & 31) + (w & 31) <= 32:
            row("v_bfe_i32 v6, v0, v1, v2", given, f"v6=0x{signed(field, w & 31) & 0xffffffff:x}")
        row("v_bfm_b32 v6, v1, v2", given, f"v6=0x{((1 << (o & 31)) - 1) << (w & 31) & 0xffffffff:x}")
        x, y, z = word(), word(), word()
        given = f"v0=0x{x:x} v1=0x{y:x} v2=0x{z:x}"
        row("v_bfi_b32 v6, v0, v1, v2", given, f"v6=0x{(x & y) | (~x & z & 0xffffffff):x}")
        bx, by, bz = (list(n.to_bytes(4, "little")) for n in (x, y, z))
        sad = sum(abs(i - j) for i, j in zip(bx, by))
        row("v_sad_u8 v6, v0, v1, v2", given, f"v6=0x{sad + z & 0xffffffff:x}")
        row("v_sad_hi_u8 v6, v0, v1, v2", given, f"v6=0x{(sad << 16) + z & 0xffffffff:x}")
        msad = sum(abs(i - j) for i, j in zip(bx, by) if j)
        row("v_msad_u8 v6, v0, v1, v2", given, f"v6=0x{msad + z & 0xffffffff:x}")
        sad16 = abs((x & 0xffff) - (y & 0xffff)) + abs((x >> 16) - (y >> 16))
        row("v_sad_u16 v6, v0, v1, v2", given, f"v6=0x{sad16 + z & 0xffffffff:x}")
        lerp = bytes((i + j + (k & 1)) >> 1 for i, j, k in zip(bx, by, bz))
        row("v_lerp_u8 v6, v0, v1, v2", given, f"v6=0x{int.from_bytes(lerp, 'little'):x}")
        row("v_alignbit_b32 v6, v0, v1, v2", given, f"v6=0x{(x << 32 | y) >> (z & 31) & 0xffffffff:x}")
        row("v_med3_i32 v6, v0, v1, v2", given, f"v6=0x{sorted(map(signed, (x, y, z)))[1] & 0xffffffff:x}")


def cubes():
    """The face with the greatest component; z wins over y over x. Source: pseudo code of V_CUBEID_F32."""
    for _ in range(12):
        x, y, z = (normals(F32, -2, 2) for _ in range(3))
        if rnd.random() < .3:
            y = x ^ rnd.getrandbits(1) << 31
        ax, ay, az = (n & 0x7fffffff for n in (x, y, z))
        neg = 0x80000000

        def minus(n):
            return n ^ neg
        if az >= ax and az >= ay:
            low = bool(z & neg)
            face, sc, tc, ma = 5 if low else 4, minus(x) if low else x, minus(y), z
        elif ay >= ax:
            low = bool(y & neg)
            face, sc, tc, ma = 3 if low else 2, x, minus(z) if low else z, y
        else:
            low = bool(x & neg)
            face, sc, tc, ma = 1 if low else 0, z if low else minus(z), minus(y), x
        given = f"v0=0x{x:x} v1=0x{y:x} v2=0x{z:x} mode=0xf0"
        ma2 = F32.rounded(F32.value(ma) * 2, NEAREST)
        for op, want in (("id", F32.rounded(Fraction(face), NEAREST)), ("sc", sc), ("tc", tc), ("ma", ma2)):
            row(f"v_cube{op}_f32 v6, v0, v1, v2", given, f"v6=0x{want:x}")


for part in (arithmetic, nans, minima, outputs, conversions, parts, division, integers, cubes):
    part()
with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write("# Made by edge.py.\n" + "\n".join(rows) + "\n")
