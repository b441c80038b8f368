#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the table of texel formats (data/fmt/*.fmt) into C and Markdown.

    fmt.py TABLE.fmt [--table OUT.c] [--doc OUT.md]

Standard library only; the same input gives the same bytes. Every fault in the table is reported as
FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/fmt.md describes the format.
"""
import argparse
import re
import struct
from dataclasses import dataclass, field

import bits
from bits import TableError

KINDS = ("unorm", "snorm", "uscaled", "sscaled", "uint", "sint", "float", "ufloat", "srgb", "shared_exp")
SRGB_STEPS = 1024  # LULL_SRGB_STEPS of src/tex/format_table.h
WIDTHS = {"float": (16, 32), "ufloat": (10, 11), "srgb": (8,), "shared_exp": (9,)}
CODECS = tuple(f"bc{n}" for n in range(1, 8)) + ("other",)
MAX_CODE = 255


@dataclass
class Format:
    name: str
    code: int
    kind: str
    source: str
    codec: str = "plain"
    size: int = 0
    components: list = field(default_factory=list)  # (lowest bit, bits, kind) of X Y Z W


def parse_component(f, text, at):
    """X8, Y8:uint or -24; returns how many bits it takes."""
    m = re.fullmatch(r"(?:([XYZW])(\d+)(?::(\w+))?|-(\d+))", text)
    if not m:
        raise TableError(f"{f.name}: bad component '{text}'")
    if m[4]:
        return int(m[4])
    width, kind = int(m[2]), m[3] or f.kind
    if m[1] != "XYZW"[len(f.components)]:
        raise TableError(f"{f.name}: component {m[1]} is not the next")
    if kind not in KINDS or not 1 <= width <= 32 or width not in WIDTHS.get(kind, (width,)):
        raise TableError(f"{f.name}: component of {width} bits {kind}")
    f.components.append((at, width, kind))
    return width


def parse_layout(f, text):
    words = text.split()
    if words and words[0] in CODECS:
        if len(words) != 2:
            raise TableError(f"{f.name}: want a codec and its bytes")
        f.codec, f.size = words[0], bits.number(words[1], f.name)
    else:
        at = 0
        for word in words:
            at += parse_component(f, word, at)
        if at == 0 or at % 8:
            raise TableError(f"{f.name}: {at} bits are not whole bytes")
        f.size = at // 8
    if not 1 <= f.size <= 16:
        raise TableError(f"{f.name}: {f.size} bytes, want 1 to 16")


def parse(path):
    sources, formats = {}, []
    for number, line in bits.lines_of(path):
        try:
            if line.startswith("source "):
                sources[line.split()[1]] = line.split(None, 2)[2]
                continue
            cells = [c.strip() for c in line.split("|")]
            if len(cells) != 5:
                raise TableError(f"row has {len(cells)} columns, want 5")
            f = Format(cells[1], bits.number(cells[0], cells[1]), cells[3], cells[4])
            if not re.fullmatch(r"[A-Z0-9_]+", f.name) or f.code > MAX_CODE:
                raise TableError(f"bad name '{f.name}' or number {f.code}")
            if any(f.name == g.name or f.code == g.code for g in formats):
                raise TableError(f"{f.name} = {f.code} stands there already")
            if f.kind not in KINDS:
                raise TableError(f"{f.name}: unknown kind '{f.kind}'")
            if not f.source or any(s not in sources for s in f.source.split()):
                raise TableError(f"{f.name}: unknown source '{f.source}'")
            parse_layout(f, cells[2])
            formats.append(f)
        except TableError as e:
            raise TableError(f"{path}:{number}: {e}") from None
    if not formats:
        raise TableError(f"{path}:1: no formats")
    return sorted(formats, key=lambda f: f.code)


def srgb(code):
    """Value of an 8-bit sRGB code, as C writes a float exactly. Source: IEC 61966-2-1."""
    c = code / 255
    return float.hex(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) + "f"


def srgb_limits():
    """For each code but the last the smallest single that is nearer to the next."""
    for code in range(255):
        edge = (code + 0.5) / 255
        linear = edge / 12.92 if edge <= 0.04045 else ((edge + 0.055) / 1.055) ** 2.4
        word, = struct.unpack("<I", struct.pack("<f", linear))
        value, above = struct.unpack("<ff", struct.pack("<II", word, word + 1))
        yield value if value >= linear else above


def write_srgb():
    """Both ways: values of codes; limits between codes, and which code a value's SRGB_STEPSth of 1 begins with."""
    limits = list(srgb_limits())
    first = [sum(limit <= n / SRGB_STEPS for limit in limits) for n in range(SRGB_STEPS)]
    out = ["};", "", "const float lull_srgb_values[256] = {"]
    out += ["    " + ", ".join(srgb(c) for c in range(i, i + 4)) + "," for i in range(0, 256, 4)]
    out += ["};", "", "const float lull_srgb_limits[256] = {"]
    out += ["    " + ", ".join(float.hex(v) + "f" for v in (limits + [2.0])[i:i + 4]) + "," for i in range(0, 256, 4)]
    out += ["};", "", f"const uint8_t lull_srgb_first[{SRGB_STEPS}] = {{"]
    return out + ["    " + ", ".join(map(str, first[i:i + 16])) + "," for i in range(0, SRGB_STEPS, 16)]


def write_table(formats, path):
    out = ["// Generated by gen/fmt.py. Do not edit.", '#include "tex/format_table.h"', "",
           "const struct lull_format_info lull_formats[] = {"]
    index = [0] * (MAX_CODE + 1)
    for n, f in enumerate(formats):
        index[f.code] = n + 1
        block = 4 if f.codec.startswith("bc") else 1
        count = len(f.components) or {"bc4": 1, "bc5": 2, "bc6": 3}.get(f.codec, 4)
        comps = ", ".join(f"{{{lo}, {width}, LULL_FORMAT_{kind.upper()}}}" for lo, width, kind in f.components)
        out.append(f'    {{"{f.name}", {f.code}, {f.size}, LULL_FORMAT_{f.codec.upper()}, '
                   f"LULL_FORMAT_{f.kind.upper()}, {count}, {block}, {block}, {{{comps or '{0}'}}}}},")
    out += ["};", "", f"const size_t lull_nformats = {len(formats)};", "",
            f"const uint8_t lull_format_index[{MAX_CODE + 1}] = {{"]
    out += ["    " + ", ".join(map(str, index[i:i + 16])) + "," for i in range(0, MAX_CODE + 1, 16)]
    bits.write(path, out + write_srgb() + ["};"])


def write_doc(formats, path):
    out = ["# Texel formats of gfx11", "", "Generated from the table.", "",
           "| number | name | bytes | components | kind | source |", "|---|---|---|---|---|---|"]
    for f in formats:
        comps = " ".join(f"{c}{width}@{lo}" for c, (lo, width, _) in zip("XYZW", f.components)) or f.codec
        out.append(f"| {f.code} | `{f.name}` | {f.size} | {comps} | {f.kind} | {f.source} |")
    bits.write(path, out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("table_file")
    for name in ("table", "doc"):
        ap.add_argument(f"--{name}")
    args = ap.parse_args()
    formats = parse(args.table_file)
    write_table(formats, args.table)
    write_doc(formats, args.doc)


if __name__ == "__main__":
    bits.run(main)
