# SPDX-License-Identifier: MIT
"""PNG files for tests, read without a library."""
import struct
import zlib


def read_png(path):
    """Width and rows of RGBA of a PNG whose rows have no filter but none, sub, up, average, Paeth."""
    data = path.read_bytes()
    at, idat, width, height = 8, b"", 0, 0
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8 : at + 18])
            if (depth, color) != (8, 6):
                raise AssertionError(f"depth and type of the PNG: {depth}, {color}")
        idat += data[at + 8 : at + 8 + n] if kind == b"IDAT" else b""
        at += 12 + n
    raw, rows, before = zlib.decompress(idat), [], bytearray(4 * width)
    for y in range(height):
        kind, row = raw[y * (4 * width + 1)], bytearray(raw[y * (4 * width + 1) + 1 : (y + 1) * (4 * width + 1)])
        for i in range(4 * width):
            a, b, c = row[i - 4] if i >= 4 else 0, before[i], before[i - 4] if i >= 4 else 0
            p = a + b - c
            paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            row[i] = row[i] + [0, a, b, (a + b) // 2, paeth][kind] & 255
        rows.append(row)
        before = row
    return rows
