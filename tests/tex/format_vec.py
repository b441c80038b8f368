#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Texels and what shaders see of them, computed with exact fractions.

format_vec.py OUT: lines "load NAME TEXEL X Y Z W", "store NAME X Y Z W TEXEL", "half BITS HALF", "d16 BITS HALF";
all numbers in hex, TEXEL as a little-endian number. Nothing here reads the project's tables: component widths
come from the format's name, lowest bits last.
"""
import random
import struct
import sys
from fractions import Fraction

INTS = "UNORM SNORM USCALED SSCALED UINT SINT".split()
NAMES = [f"{w}_{k}" for w in ("8", "8_8", "8_8_8_8") for k in INTS]
NAMES += [f"{w}_{k}" for w in ("16", "16_16", "16_16_16_16") for k in INTS + ["FLOAT"]]
NAMES += [f"{w}_{k}" for w in ("32", "32_32", "32_32_32", "32_32_32_32") for k in ("UINT", "SINT", "FLOAT")]
NAMES += [f"10_10_10_2_{k}" for k in ("UNORM", "SNORM", "UINT", "SINT")] + [f"2_10_10_10_{k}" for k in INTS]
NAMES += ["10_11_11_FLOAT", "11_11_10_FLOAT", "5_9_9_9_FLOAT", "5_6_5_UNORM", "1_5_5_5_UNORM", "5_5_5_1_UNORM",
          "4_4_4_4_UNORM", "4_4_UNORM", "8_SRGB", "8_8_SRGB", "8_8_8_8_SRGB", "24_8_UINT", "8_24_UINT"]
ONE = 0x3F800000


def f32(value):
    """Bits of the single nearest to a fraction."""
    if value == 0:
        return 0
    sign, value = (0x80000000, -value) if value < 0 else (0, value)
    exp = 0
    while value >= 2:
        value, exp = value / 2, exp + 1
    while value < 1 and exp > -126:
        value, exp = value * 2, exp - 1
    scaled = value * 2**23
    whole, rest = divmod(scaled, 1)
    whole = int(whole)
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1):
        whole += 1
    return sign | ((exp + 126) << 23) + whole if whole >= 2**23 else sign | whole


def small(v, mantissa):
    """Bits of the single that a float with 5 bits of exponent stands for."""
    exp, frac = v >> mantissa, v & (1 << mantissa) - 1
    if exp == 31:
        return 0x7F800000 | (frac << 23 - mantissa) | (0x400000 if frac else 0)
    if exp == 0:
        return f32(Fraction(frac, 2 ** (mantissa + 14)))
    return f32(Fraction(frac + 2**mantissa, 2**mantissa) * Fraction(2) ** (exp - 15))


def single(bits):
    """Fraction of a finite single, "inf", "-inf" or "nan"."""
    f = struct.unpack("<f", struct.pack("<I", bits))[0]
    return "nan" if f != f else "inf" if f == float("inf") else "-inf" if f == float("-inf") else Fraction(f)


def to_small(bits, mantissa, nearest=False):
    """Magnitude as a small float: the biggest that is not above (towards 0), or the nearest even."""
    v = single(bits & 0x7FFFFFFF)
    if v == "nan":
        return 31 << mantissa | (bits & 0x7FFFFF) >> 23 - mantissa | 1 << mantissa - 1
    top = 31 << mantissa
    if v == "inf":
        return top
    lo, hi = 0, top - 1  # biggest code whose value is not above v
    while lo < hi:
        mid = (lo + hi + 1) // 2
        lo, hi = (mid, hi) if single(small(mid, mantissa)) <= v else (lo, mid - 1)
    if nearest:
        below = single(small(lo, mantissa))
        above = single(small(lo + 1, mantissa)) if lo + 1 < top else Fraction(2**16)
        if v - below > above - v or (v - below == above - v and lo & 1):
            lo += 1
    return lo


def half_load(v):
    return (v & 0x8000) << 16 | small(v & 0x7FFF, 10)


def clamp_round(v, lo, hi):
    """Nearest integer, halves away from 0."""
    if v == "nan":
        return 0
    if v in ("inf", "-inf"):
        return hi if v == "inf" else lo
    v = min(max(v, lo), hi)
    return int(v + Fraction(1, 2)) if v >= 0 else -int(-v + Fraction(1, 2))


def scale(v, by):
    return v if isinstance(v, str) else v * by


def srgb_decode(code):
    c = code / 255
    return struct.unpack("<I", struct.pack("<f", c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4))[0]


def srgb_encode(bits):
    """The code whose curve value is nearest in sRGB space: by the thresholds between codes."""
    v = single(bits)
    if v == "nan":
        return 0
    v = 0.0 if v == "-inf" else 1.0 if v == "inf" else min(max(float(v), 0.0), 1.0)
    for code in range(255):
        edge = (code + 0.5) / 255
        linear = edge / 12.92 if edge <= 0.04045 else ((edge + 0.055) / 1.055) ** 2.4
        if v < linear:
            return code
    return 255


def signed(v, n):
    return v - (1 << n) if v >> n - 1 else v


def load(kind, v, n):
    if kind == "UNORM":
        return f32(Fraction(v, 2**n - 1))
    if kind == "SNORM":
        return f32(max(Fraction(signed(v, n), 2 ** (n - 1) - 1), Fraction(-1)))
    if kind in ("USCALED", "SSCALED"):
        return f32(Fraction(v if kind[0] == "U" else signed(v, n)))
    if kind in ("UINT", "SINT"):
        return v if kind == "UINT" else signed(v, n) & 0xFFFFFFFF
    if kind == "SRGB":
        return srgb_decode(v)
    return v if n == 32 else half_load(v) if n == 16 else small(v, n - 5)


def store(kind, bits, n):
    v = single(bits)
    if kind == "UNORM":
        return clamp_round(scale(v, 2**n - 1), 0, 2**n - 1)
    if kind == "SNORM":
        most = 2 ** (n - 1) - 1
        return clamp_round(scale(v, most), -most, most) & (1 << n) - 1
    if kind == "USCALED":
        return clamp_round(v, 0, 2**n - 1)
    if kind == "SSCALED":
        return clamp_round(v, -(2 ** (n - 1)), 2 ** (n - 1) - 1) & (1 << n) - 1
    if kind == "UINT":
        return min(bits, 2**n - 1)
    if kind == "SINT":
        return min(max(signed(bits, 32), -(2 ** (n - 1))), 2 ** (n - 1) - 1) & (1 << n) - 1
    if kind == "SRGB":
        return srgb_encode(bits)
    if n == 32:
        return bits
    if n == 16:
        return bits >> 16 & 0x8000 | to_small(bits, 10)
    return 0 if v == "-inf" or (not isinstance(v, str) and v < 0) else to_small(bits, n - 5)


def shared_store(values):
    """EXT_texture_shared_exponent: try exponents from the lowest until all mantissas fit."""
    most = Fraction(511 * 2**7)
    c = [single(v) for v in values[:3]]
    c = [most if v == "inf" else Fraction(0) if isinstance(v, str) or v < 0 else min(v, most) for v in c]
    for exp in range(32):
        m = [int(v / Fraction(2) ** (exp - 24) + Fraction(1, 2)) for v in c]
        if max(m) <= 511:
            return exp << 27 | m[2] << 18 | m[1] << 9 | m[0]
    raise AssertionError(c)


def components(name):
    parts = name.split("_")
    kind = parts.pop()
    widths = [int(p) for p in parts][::-1]
    return widths, kind


def row(*numbers):
    return " ".join(f"{n:x}" for n in numbers)


def loads(name, rng, out):
    widths, kind = components(name)
    size = sum(widths)
    texels = [0, 2**size - 1] + [rng.getrandbits(size) for _ in range(30)]
    texels += [sum((1 << w - 1) + d << sum(widths[:i]) for i, w in enumerate(widths)) for d in (-1, 0)]
    integer = kind in ("UINT", "SINT")
    for t in texels:
        rgba, at = [0, 0, 0, 1 if integer else ONE], 0
        if name == "5_9_9_9_FLOAT":
            for i in range(3):
                rgba[i] = f32(Fraction(t >> 9 * i & 511) * Fraction(2) ** ((t >> 27) - 24))
        else:
            for i, w in enumerate(widths):
                k = "UNORM" if kind == "SRGB" and i == 3 else kind
                rgba[i] = load(k, t >> at & (1 << w) - 1, w)
                at += w
        out.append(f"load {name} {row(t, *rgba)}")


def inputs(kind, widths, rng):
    if kind in ("UINT", "SINT"):
        w = widths[0]
        edges = [0, 1, 2**w - 1, 2**w & 0xFFFFFFFF, 2 ** (w - 1), 2 ** (w - 1) - 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF]
        edges += [-(2 ** (w - 1)) & 0xFFFFFFFF, (-(2 ** (w - 1)) - 1) & 0xFFFFFFFF]
        return edges + [rng.getrandbits(rng.randrange(1, 33)) for _ in range(21)]
    edges = [0, 0x80000000, ONE, ONE | 0x80000000, 0x3F000000, 0xBF000000, 0x7F800000, 0xFF800000, 0x7FC00000,
             0x7F800001, 0xFFC12345, 1, 0x7F7FFFFF, 0xFF7FFFFF, 0x477FE000, 0x477FF000, 0x33800000, 0x33000000,
             0x387FC000, 0x38800000, 0x3EFFFFFF, 0x3F7FFFFF, 0x40490FDB]
    near = [f32(Fraction(rng.randrange(-300, 300), 255)) for _ in range(12)]
    return edges + near + [rng.getrandbits(32) for _ in range(10)] + \
        [f32(Fraction(rng.randrange(-2**20, 2**20), 2 ** rng.randrange(1, 40))) for _ in range(20)]


def stores(name, rng, out):
    widths, kind = components(name)
    values = inputs(kind, widths, rng)
    for _ in range(len(values)):
        rgba = [values[len(out) % len(values)]] + [rng.choice(values) for _ in range(3)]
        texel, at = 0, 0
        if name == "5_9_9_9_FLOAT":
            texel = shared_store(rgba)
        else:
            for i, w in enumerate(widths):
                k = "UNORM" if kind == "SRGB" and i == 3 else kind
                texel |= store(k, rgba[i], w) << at
                at += w
        out.append(f"store {name} {row(*rgba, texel)}")


def main():
    rng, out = random.Random(11), []
    for name in NAMES:
        loads(name, rng, out)
        stores(name, rng, out)
    singles = inputs("FLOAT", [16], rng) + [f32(Fraction(n, 2**25)) for n in range(-20, 60)]
    singles += [rng.randrange(0x38000000, 0x47900000) for _ in range(60)]
    for what, nearest in (("half", False), ("d16", True)):
        out += [f"{what} {row(b, b >> 16 & 0x8000 | to_small(b, 10, nearest))}" for b in singles]
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
