#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turn the table of swizzle modes (data/tile/*.tile) into C.

    tile.py TABLE.tile [--table OUT.c]

Standard library only; the same input gives the same bytes. Every fault in the table is reported as
FILE:LINE: MESSAGE and exit status 1, never a traceback. docs/formats/images.md describes the format.
"""
import argparse
import re

import bits
from bits import TableError

NMODES, NBYTES, NSAMPLES = 32, 5, 4
COORDS = {"X": 10, "Y": 10, "Z": 8, "S": 3}  # coordinate bits that patterns may name
ORDERS = ("linear", "z", "s", "d", "r")
NAME = re.compile(r"[0-9A-Z][0-9A-Z_]*")


class Tiles:
    def __init__(self):
        self.sources = {}
        self.modes = {}     # number: (name, block bits, order, xor)
        self.patterns = []  # (bits, {coordinate: masks})
        self.where = {}     # (3d, mode, log2 samples, log2 bytes): index of patterns


def cells_of(text, n):
    cells = [c.strip() for c in text.split("|")]
    if len(cells) != n:
        raise TableError(f"row has {len(cells)} columns, want {n}")
    return cells


def log2_of(text, what, most):
    n = bits.number(text, what)
    if n == 0 or n & (n - 1) or n.bit_length() > most:
        raise TableError(f"{what} '{text}' is not a power of two up to {1 << (most - 1)}")
    return n.bit_length() - 1


def parse_mode(t, text):
    number, name, block, order, xor = cells_of(text, 5)
    number, block = bits.number(number, "mode"), bits.number(block, f"mode {name}")
    if number >= NMODES or number in t.modes:
        raise TableError(f"mode {number} stands there already, or is not below {NMODES}")
    if not NAME.fullmatch(name) or any(m[0] == name for m in t.modes.values()):
        raise TableError(f"bad mode name '{name}', or it stands there already")
    if block > 18 or order not in ORDERS or xor not in ("-", "xor") or (block == 0) != (order == "linear"):
        raise TableError(f"mode {name}: bad block size, order or flag")
    t.modes[number] = (name, block, order, xor == "xor")


def rank(rows):
    """Rank of a matrix over GF(2) whose rows are numbers."""
    found = []
    for r in rows:
        for f in found:
            r = min(r, r ^ f)
        if r:
            found.append(r)
    return len(found)


def block_dims(three, order, block, samples, size):
    """log2 of a block's width, height and depth in elements: as even as they can be."""
    if three and order in ("s", "d"):
        third = [(4, 3, 3), (3, 3, 3), (3, 3, 2), (3, 2, 2), (2, 2, 2)][size]  # of 1 KiB
        times, rest = divmod(block - 10, 3)
        return third[0] + times, third[1] + times + (rest == 2), third[2] + times + (rest != 0)
    n = block - size - samples
    width = (n + (samples % 2 == 0)) // 2
    return width, n - width, 0


def parse_bits(text, what):
    masks = {c: [0] * n for c, n in COORDS.items()}
    words = text.split()
    for at, word in enumerate(words):
        for item in [] if word == "-" else word.split("^"):
            m = re.fullmatch(r"([XYZS])(\d+)", item)
            if not m or int(m[2]) >= COORDS[m[1]]:
                raise TableError(f"{what}: bad coordinate bit '{item}'")
            if masks[m[1]][int(m[2])] >> at & 1:
                raise TableError(f"{what}: {item} stands twice in bit {at}")
            masks[m[1]][int(m[2])] |= 1 << at
    return words, masks


def check_block(words, masks, dims, samples, size, what):
    """No two elements of a block at one address, and none across another's bytes."""
    if any((w == "-") != (n < size) for n, w in enumerate(words)):
        raise TableError(f"{what}: the bits inside the element are not the lowest {size}")
    low = [m for c, n in zip("XYZS", (*dims, samples)) for m in masks[c][:n]]
    if rank(low) != len(words) - size:
        raise TableError(f"{what}: two elements of a block share an address")


def parse_row(t, text):
    modes, dims, samples, size, pattern = cells_of(text, 5)
    samples, size = log2_of(samples, "samples", NSAMPLES), log2_of(size, "element bytes", NBYTES)
    words, masks = parse_bits(pattern, modes)
    t.patterns.append((len(words), masks))
    for name in modes.split():
        number = next((k for k, m in t.modes.items() if m[0] == name), None)
        if number is None:
            raise TableError(f"no mode '{name}'")
        _, block, order, _ = t.modes[number]
        if len(words) != block:
            raise TableError(f"{name}: {len(words)} address bits, want {block}")
        for dim in dims.split():
            if dim not in ("2d", "3d"):
                raise TableError(f"{name}: unknown kind of image '{dim}'")
            check_block(words, masks, block_dims(dim == "3d", order, block, samples, size), samples, size, name)
            key = (dim == "3d", number, samples, size)
            if key in t.where:
                raise TableError(f"{name} {dim}, {1 << samples} samples, {1 << size} bytes stands there already")
            t.where[key] = len(t.patterns) - 1


def parse(path):
    t = Tiles()
    for number, line in bits.lines_of(path):
        try:
            word, _, rest = line.partition(" ")
            if word == "source":
                t.sources[rest.split(" ", 1)[0]] = rest
            elif word == "mode":
                parse_mode(t, rest)
            else:
                parse_row(t, line)
        except TableError as e:
            raise TableError(f"{path}:{number}: {e}") from None
    if not t.sources or not t.modes:
        raise TableError(f"{path}:1: no source, or no modes")
    return t


def masks_text(masks):
    return "{" + ", ".join(f"{m:#x}" for m in masks) + "}"


def write_table(t, path):
    out = ["// Generated by gen/tile.py. Do not edit.", '#include "tex/tile.h"', "",
           "const struct lull_tile_pattern lull_tile_patterns[] = {"]
    out += ["    {" + ", ".join(masks_text(m[c]) for c in COORDS) + "}," for _, m in t.patterns]
    out += ["};", "", f"const struct lull_tile_mode lull_tile_modes[{NMODES}] = {{"]
    for k, (name, block, order, xor) in sorted(t.modes.items()):
        out.append(f'    [{k}] = {{"{name}", {block}, LULL_TILE_{order.upper()}, {str(xor).lower()}}},')
    out += ["};", "", f"const uint8_t lull_tile_index[2][{NMODES}][{NSAMPLES}][{NBYTES}] = {{"]
    out += [f"    [{int(d)}][{m}][{s}][{b}] = {p + 1}," for (d, m, s, b), p in sorted(t.where.items())]
    bits.write(path, out + ["};"])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("table_file")
    ap.add_argument("--table")
    args = ap.parse_args()
    write_table(parse(args.table_file), args.table)


if __name__ == "__main__":
    bits.run(main)
