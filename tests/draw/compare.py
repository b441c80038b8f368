# SPDX-License-Identifier: MIT
"""Pictures: bytes of a target to texels, and what two pictures may differ by.

A texel may be off by its format's step (what rounding of a correct result can give). More than that is allowed only where an edge
runs: at most EDGE of the pixels, each with a value that the other picture has beside it.
"""
import struct

EDGE = 0.001
DEPTH = 2.0 ** -17  # of D32: lavapipe computes depth in singles from whole coordinates
NEAR = 2.0 ** -9  # of floats: relative, and absolute below 1


def _unorm(bits):
    return ("int", bits, 1 if bits <= 10 else 1 << (bits - 10))


# name: (struct letters or bits of a word from the lowest, kind). "int": step of whole numbers, "float": NEAR.
_PLAIN = {"UNORM": "int", "SNORM": "int", "SRGB": "srgb", "UINT": "exact", "SINT": "exact", "SFLOAT": "float"}
_LETTERS = {("8", "SNORM"): "b", ("8", "SINT"): "b", ("8", None): "B", ("16", "SNORM"): "h", ("16", "SINT"): "h", ("16", "SFLOAT"): "e",
            ("16", None): "H", ("32", "SFLOAT"): "f", ("32", "SINT"): "i", ("32", None): "I"}
_PACKED = {"R5G6B5_UNORM_PACK16": (2, (5, 6, 5)), "A1R5G5B5_UNORM_PACK16": (2, (5, 5, 5, 1)),
           "A2B10G10R10_UNORM_PACK32": (4, (10, 10, 10, 2)), "A2B10G10R10_SNORM_PACK32": (4, (10, 10, 10, 2)),
           "A2B10G10R10_UINT_PACK32": (4, (10, 10, 10, 2)), "B10G11R11_UFLOAT_PACK32": (4, (11, 11, 10)),
           "A8B8G8R8_UNORM_PACK32": (4, (8, 8, 8, 8))}


def _small_float(bits, value):
    mantissa = bits - 5
    e, m = value >> mantissa, value & (1 << mantissa) - 1
    return m * 2.0 ** (-14 - mantissa) if e == 0 else (1 + m / (1 << mantissa)) * 2.0 ** (e - 15) if e < 31 else float("inf")


def texels(name, data):
    """(list of tuples, kind, step) of a target's bytes."""
    if name in ("D32_SFLOAT", "D32_SFLOAT_S8_UINT"):
        return list(struct.iter_unpack("<f", data)), "depth", DEPTH
    if name == "D16_UNORM":
        return list(struct.iter_unpack("<H", data)), "int", 1
    if name == "S8_UINT":
        return list(struct.iter_unpack("<B", data)), "exact", 0
    if name in _PACKED:
        size, bits = _PACKED[name]
        out = []
        for (word,) in struct.iter_unpack({2: "<H", 4: "<I"}[size], data):
            fields, at = [], 0
            for b in bits:
                v = word >> at & (1 << b) - 1
                fields.append(_small_float(b, v) if "UFLOAT" in name else v - (1 << b) if "SNORM" in name and v >> (b - 1) else v)
                at += b
            out.append(tuple(fields))
        return out, "rough" if "UFLOAT" in name else "exact" if "UINT" in name else "int", 1
    channels, number = name.split("_")
    bits = "".join(c if c.isdigit() else " " for c in channels).split()
    letter = _LETTERS.get((bits[0], number)) or _LETTERS[bits[0], None]
    kind = _PLAIN[number]
    step = 1 if bits[0] == "8" else 64  # of 65535: shaders export halves
    return list(struct.iter_unpack("<" + letter * len(bits), data)), kind, 2 if kind == "srgb" else step


def same(a, b, kind, step):
    """Are two texels as near as rounding leaves them?"""
    for x, y in zip(a, b):
        if x == y or (x != x and y != y):
            continue
        if kind == "exact" or x != x or y != y:
            return False
        if kind in ("float", "rough"):
            step = (NEAR if kind == "float" else 0.04) * max(1.0, abs(x), abs(y))
        if not abs(x - y) <= step:
            return False
    return True


def differences(want, got, how, step, width):
    """Indices of texels that differ."""
    return [i for i, (a, b) in enumerate(zip(want, got)) if a != b and not same(a, b, how, step)]


def picture(name, want, got, width, height, edge=EDGE, step=None, mixed=0):
    """What is wrong with picture @got where @want is known; "" if nothing is. @mixed: the share of pixels that may differ in any way."""
    if len(want) != len(got):
        return f"{len(got)} bytes, {len(want)} expected"
    a, how, usual = texels(name, want)
    b, _, _ = texels(name, got)
    step = usual if step is None else step
    bad = differences(a, b, how, step, width)

    def at(i):
        return f"layer {i // (width * height)} pixel {i % width},{i // width % height}: {b[i]}, expected {a[i]}"

    def is_edge(i):
        x, y, layer = i % width, i // width % height, i // (width * height)
        return any(same(b[i], a[(layer * height + v) * width + u], how, step)
                   for v in range(max(0, y - 1), min(height, y + 2)) for u in range(max(0, x - 1), min(width, x + 2)))

    inside = [i for i in bad if not is_edge(i)]
    if len(inside) > mixed * len(a):
        return f"{len(bad)} of {len(a)} texels differ, {at(inside[0])}"
    if len(bad) > edge * len(a):
        return f"{len(bad)} of {len(a)} texels at edges differ, {at(bad[0])}"
    return ""
