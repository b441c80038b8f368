# SPDX-License-Identifier: MIT
"""Captures of an Adreno, put together by hand: sections of an rd file, packets of a5xx and later.

Source: Mesa's redump.h (kinds of sections) and freedreno_pm4.h (headers, odd parity).
"""
import struct


def section(kind, payload=b""):
    return struct.pack("<II", kind, len(payload)) + payload


def odd(v):
    """1 if @v and this bit together have an odd number of bits set."""
    return 1 - bin(v).count("1") % 2


def pkt4(reg, *values):
    return [4 << 28 | odd(reg) << 27 | reg << 8 | odd(len(values)) << 7 | len(values), *values]


def pkt7(op, *values):
    return [7 << 28 | odd(op) << 23 | op << 16 | odd(len(values)) << 15 | len(values), *values]


def words(*lists):
    """Dwords of lists, as bytes."""
    flat = [w for x in lists for w in x]
    return struct.pack(f"<{len(flat)}I", *flat)


def place(kind, address, size):
    return section(kind, struct.pack("<III", address & 0xffffffff, size, address >> 32))


def buffer(address, data):
    """A range with its contents."""
    return place(3, address, len(data)) + section(12, data)


def stream(address, dwords):
    return place(6, address, dwords)
