#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machine code of scalar rows, with holes: gen/lift/stencils.py [--target a64] STENCILS.o STENCILS.s OUT.c

STENCILS.s is what clang made of the functions that `gen/isa sem --stencils` wrote, STENCILS.o the object of it. A function
that ends in its only return, calls nothing, leaves the stack and the register of its parameter alone and touches no register
that code around it wants is a stencil: src/jit copies its bytes up to the return. For aarch64 the object says all of that, and
STENCILS.s is not read: a function without calls and stack changes nothing but what its callers let it. The same input gives
the same bytes.
"""
import argparse
import pathlib
import re
import struct
import sys

import elf

HOLES = ("hole_a", "hole_b", "hole_d", "hole_k")  # enum lull_jit_hole.
R32, R32S = 10, 11  # Relocations of x86-64.
UABS_G = {263: 0, 264: 0, 265: 1, 266: 1, 267: 2, 268: 2, 269: 3}  # Of aarch64: which 16 bits of an address.
RET = 0xd65f03c0
WRITTEN = {"rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11"}
NAMES = {"eax": "rax", "ax": "rax", "al": "rax", "ah": "rax", "ecx": "rcx", "cx": "rcx", "cl": "rcx", "ch": "rcx", "edx": "rdx", "dx": "rdx",
         "dl": "rdx", "dh": "rdx", "esi": "rsi", "si": "rsi", "sil": "rsi"} | {f"r{n}{s}": f"r{n}" for n in range(8, 12) for s in "dwb"}
LABEL = re.compile(r"(stencil_\w+):")
MEMORY = re.compile(r"[\w$.+-]*\([^()]*\)")
BAD = re.compile(r"ret|call|push|pop(?!cnt)|rep|stos|enter|leave")


def bodies(text):
    """Function -> its instructions."""
    out, name = {}, None
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        label = LABEL.match(line)
        if label:
            name = label[1]
            out[name] = []
        elif line.startswith(".Lfunc_end"):
            name = None
        elif name and line and not line.startswith("."):
            out[name].append(line)
    return out


def good(instructions):
    """Whether nothing but the registers above is written, and all ways lead to the end."""
    if not instructions or instructions[-1] != "retq":
        return False
    for line in instructions[:-1]:
        words = line.split(None, 1)
        if BAD.match(line) or "%rip" in line:
            return False
        operands = words[1] if len(words) > 1 else ""
        bases = {m for place in MEMORY.findall(operands) for m in re.findall(r"%(\w+)", place)}
        registers = set(re.findall(r"%(\w+)", MEMORY.sub("", operands)))
        if not {NAMES.get(r, r) for r in registers} <= WRITTEN or not {NAMES.get(r, r) for r in bases} <= WRITTEN | {"rdi"}:
            return False
        if words[0].startswith("j") and not operands.startswith(".L"):
            return False
    return True


def holes(obj, section, start, size):
    """(place, number of the hole, what is added) of each relocation; None: there are others."""
    out = []
    for (where, offset), (kind, symbol, addend) in sorted(obj.relocations.items()):
        if where != section or not start <= offset < start + size:
            continue
        name = obj.symbols[symbol][0]
        if kind not in (R32, R32S) or name not in HOLES:
            return None
        out.append((offset - start, HOLES.index(name), addend))
    return out


def x86(obj, text):
    """(name, code without its return, holes) of each stencil."""
    known = {name for name, body in bodies(text).items() if good(body)}
    for name, (section, start, data) in sorted(obj.functions().items()):
        found = holes(obj, section, start, len(data)) if name in known and data[-1:] == b"\xc3" else None
        if found is not None and len(data) <= 255:
            yield name, data[:-1], found


def good_a64(word):
    """Whether an instruction neither calls nor uses the stack nor an address in the code. Source: Arm ARM, C4.1."""
    rd, rn = word & 31, word >> 5 & 31
    group = word >> 25 & 15
    branch = word & 0xfc000000 == 0x94000000 or word & 0xfe000000 == 0xd6000000  # BL; BR, BLR, RET.
    address = word & 0x1f000000 == 0x10000000
    stack = group & 5 == 4 and rn == 31 or word & 0x1f000000 == 0x11000000 and (rn == 31 or rd == 31 and not word >> 29 & 1)
    return not branch and not address and not stack and group != 7 and group != 15


def holes_a64(obj, section, start, size):
    """The same as holes(): the number says the part of the address, too."""
    out = []
    for (where, offset), (kind, symbol, addend) in sorted(obj.relocations.items()):
        if where == section and start <= offset < start + size:
            name = obj.symbols[symbol][0]
            if kind not in UABS_G or name not in HOLES or addend != 0:
                return None
            out.append((offset - start, HOLES.index(name) + 4 * UABS_G[kind], 0))
    return out


def aarch64(obj):
    for name, (section, start, data) in sorted(obj.functions().items()):
        words = struct.unpack(f"<{len(data) // 4}I", data)
        found = holes_a64(obj, section, start, len(data))
        if words[-1] == RET and all(good_a64(w) for w in words[:-1]) and found is not None and len(data) <= 255:
            yield name, data[:-4], found


def table(target, found):
    code, rows, places = b"", [], []
    prefix = "lull_a64" if target == "a64" else "lull_jit"
    for name, data, holes_of in found:
        op, kinds = name[len("stencil_"):].rsplit("__", 1)
        index = sum(1 << n for n, kind in enumerate(kinds) if kind == "k")
        rows.append(f"    [LULL_RDNA_OP_{op.upper()}][{index}] = {{{len(code)}, {len(places)}, {len(data)}, {len(holes_of)}}},")
        code += data
        places += holes_of
    if len(code) > 0xffff or len(places) > 0xffff:
        sys.exit("stencils.py: more than 65535 bytes")
    return ["// SPDX-License-Identifier: MIT", "// Made by gen/lift from rows of data/isa/rdna3.sem. Do not edit.", '#include "jit/scalar.h"', "",
            f"const uint8_t {prefix}_stencil_code[] = {{",
            *(f"    {', '.join(f'{b:#04x}' for b in code[i:i + 16])}," for i in range(0, len(code), 16)),
            "};", "", f"const struct lull_jit_hole {prefix}_holes[] = {{", *(f"    {{{at}, {which}, {plus}}}," for at, which, plus in places), "};", "",
            f"const struct lull_jit_stencil {prefix}_stencils[LULL_RDNA_NOPS][4] = {{", *rows, "};"]


def main():
    parser = argparse.ArgumentParser(prog="gen/lift/stencils.py")
    for name in ("object", "assembly", "out"):
        parser.add_argument(name)
    parser.add_argument("--target", choices=("x86", "a64"), default="x86")
    args = parser.parse_args()
    obj = elf.Object(pathlib.Path(args.object).read_bytes())
    found = aarch64(obj) if args.target == "a64" else x86(obj, pathlib.Path(args.assembly).read_text(encoding="utf-8"))
    text = table(args.target, found)
    pathlib.Path(args.out).write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
