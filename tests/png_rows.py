# SPDX-License-Identifier: MIT
"""PNG files for tests, read without a library."""
import struct
import zlib


# Bytes of a pixel, by bits and colour type.
PIXELS = {(8, 6): 4, (8, 0): 1, (16, 0): 2}


def read_png(path):
    """Rows of a PNG as bytes: RGBA or grey of 8 bits, or grey of 16 bits, whose high byte is first. Filters: none, sub, up, average, Paeth."""
    data = path.read_bytes()
    at, idat, width, height, size = 8, b"", 0, 0, 0
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8 : at + 18])
            if (depth, color) not in PIXELS:
                raise AssertionError(f"depth and type of the PNG: {depth}, {color}")
            size = PIXELS[depth, color]
        idat += data[at + 8 : at + 8 + n] if kind == b"IDAT" else b""
        at += 12 + n
    line = size * width
    raw, rows, before = zlib.decompress(idat), [], bytearray(line)
    for y in range(height):
        kind, row = raw[y * (line + 1)], bytearray(raw[y * (line + 1) + 1 : (y + 1) * (line + 1)])
        for i in range(line):
            a, b, c = row[i - size] if i >= size else 0, before[i], before[i - size] if i >= size else 0
            p = a + b - c
            paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            row[i] = row[i] + [0, a, b, (a + b) // 2, paeth][kind] & 255
        rows.append(row)
        before = row
    return rows


def grey16(path):
    """Rows of numbers."""
    return [list(struct.unpack(f">{len(row) // 2}H", row)) for row in read_png(path)]
