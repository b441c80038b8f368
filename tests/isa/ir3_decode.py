#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ir3 words decoded, against what Mesa's text says of them. ir3_decode.py LULL VECTORS [MORE.tsv].

VECTORS: tests/isa/ir3.vec. MORE: rows of the same kind, GPU as "FD630". The text is taken apart here by Mesa's grammar
(ir3_parser.y), without a look at lull's table.
"""
import collections
import json
import math
import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull = sys.argv[1]
FLUT = ["0.0", "0.5", "1.0", "2.0", "e", "pi", "1/pi", "1/log2(e)", "log2(e)", "1/log2(10)", "log2(10)", "4.0"]
TYPES = ["f16", "f32", "u16", "u32", "s16", "s32", "u8", "u8_32"]
CONDS = ["lt", "le", "gt", "ge", "eq", "ne"]
MODES = {"imm": 0, "uniform": 1, "nonuniform": 2}
SHUFFLES = {"xor": 1, "up": 2, "down": 3, "rup": 6, "rdown": 7}
ROUNDS = {"even": 1, "pos_infinity": 2, "neg_infinity": 3}
STORES = ("stg", "stl", "stp", "stib", "stgb")
NO_OPERANDS = ("nop", "end", "ret", "emit", "cut", "chmask", "chsh", "flow_rev", "shpe", "predt", "predf", "prede", "tcinv", "bar", "fence",
               "sleep", "icinv", "dccln", "dcinv", "dcflu", "ccinv", "lock", "unlock")


def number(text):
    return int(text, 0)


def component(text):
    """r5.y, c5.y: 4 times the number and the component."""
    n, c = text.split(".")
    return 4 * int(n) + "xyzw".index(c)


def operand(text, flut, want):
    """One operand as lull's JSON has it; what it says of the whole instruction goes to @want."""
    o = {}
    text = text.strip()
    while True:
        if m := re.match(r"\((neg|abs|absneg|r|last|even|pos_infinity|neg_infinity|ei)\)", text):
            word = m[1]
            if word in ROUNDS:
                want["round"] = ROUNDS[word]
            elif word == "ei":
                want["ei"] = 1
            else:
                o.update({"neg": True, "abs": True} if word == "absneg" else {word: True})
            text = text[m.end():]
        elif text.startswith("!"):
            o["inv"] = True
            text = text[1:]
        else:
            break
    if text.startswith("h"):
        o["half"] = True
        text = text[1:]
    if m := re.fullmatch(r"(r|c)(\d+\.[xyzw])", text):
        o.update(kind={"r": "gpr", "c": "const"}[m[1]], value=component(m[2]))
    elif m := re.fullmatch(r"rt(\d\.[xyzw])", text):
        o.update(kind="rt", value=component(m[1]))
    elif m := re.fullmatch(r"(r|c)<a0\.x(?: \+ (-?\d+))?>", text):
        o.update(kind={"r": "relgpr", "c": "relconst"}[m[1]], value=int(m[2] or 0))
    elif m := re.fullmatch(r"(a0|p0)\.([xyzw])", text):
        o.update(kind={"a0": "addr", "p0": "pred"}[m[1]], value="xyzw".index(m[2]))
    elif text == "a1.x":
        o.update(kind="addr", value=1)
    elif m := re.fullmatch(r"([st])#(\d+)", text):
        o.update(kind={"s": "samp", "t": "tex"}[m[1]], value=int(m[2]))
    elif flut and text[:1] == "(" and text[1:-1] in FLUT:
        o.update(kind="flut", value=FLUT.index(text[1:-1]))
    elif flut and (m := re.fullmatch(r"\d+", text)):  # an immediate, or the table's number where it has no float; of halves only that
        o.update(kind="flut" if o.get("half") else "imm or flut", value=int(text))
    elif m := re.fullmatch(r"\(?(-?\d+|0x[0-9a-f]+)\)?", text):
        o.update(kind="imm", value=number(m[1]))
    elif m := re.fullmatch(r"\((-?[0-9.]+|-?nan|-?inf)\)", text):
        o.update(kind="imm", value=float(m[1]))
    else:
        raise ValueError(f"operand '{text}'")
    return o


def address(text, want):
    """What stands in g[...], l[...], p[...]: operands; the offset and shift go to @want."""
    if m := re.fullmatch(r"(\w+\.[xyzw])\+(\w+\.[xyzw])<<(\d+)(?:\+(\d+))?(?:<<2)?", text):  # ldg.a, stg.a: shifted by more than 2
        want.update(shift=int(m[3]), offset=int(m[4] or 0))
    elif m := re.fullmatch(r"(\w+\.[xyzw])\+\((\w+\.[xyzw])(?:\+(\d+))?\)<<(\d+)", text):
        want.update(shift=int(m[4]), offset=int(m[3] or 0))
    elif m := re.fullmatch(r"(\w+\.[xyzw])\+(\w+\.[xyzw])\+(\d+)", text):
        want.update(offset=int(m[3]))
    elif m := re.fullmatch(r"(\w+\.[xyzw])([+-]\d+)?", text):
        want.update(offset=int(m[2] or 0))
        return [operand(m[1], False, want)]
    elif m := re.fullmatch(r"(\d+)", text):
        return [{"kind": "imm", "value": int(m[1])}]
    else:
        raise ValueError(f"address '{text}'")
    return [operand(m[1], False, want), operand(m[2], False, want)]


def flags(text, want):
    while m := re.match(r"\((sy|ss|jp|eq|sat|ul|rpt(\d)|nop(\d))\) ?", text):
        if m[2]:
            want["repeat"] = int(m[2])
        elif m[3]:
            want["nop"] = int(m[3])
        else:
            want[m[1]] = 1
        text = text[m.end():]
    return text


def name_parts(name, want):
    """What the parts of a mnemonic say."""
    base, *parts = name.split(".")
    if base in ("mov", "cov") and (m := re.fullmatch(r"(f16|f32|u16|u32|s16|s32|u8_32|u8)(f16|f32|u16|u32|s16|s32|u8_32|u8)", parts[0])):
        want.update(src_type=TYPES.index(m[1]), type=TYPES.index(m[2]))
    if base in ("cmps", "cmpv"):
        want["cond"] = CONDS.index(parts[1]) if parts[1] in CONDS else int(parts[1])
    if base in ("bar", "fence"):
        want.update({{"g": "global", "l": "local", "r": "reads", "w": "writes"}[p]: 1 for p in parts})
    if base == "ldc":
        if m := re.fullmatch(r"ldc\.(\d+)\.k\.(\w+)(\.base\d)?", name):
            want.update(size=int(m[1]), mode=MODES.get(m[2]) if m[2] in MODES else int(m[2]))
        elif m := re.fullmatch(r"ldc(?:\.u)?\.offset(\d)\.(\d)\.(\w+)(\.base\d)?", name):
            want.update(offset=int(m[1]), size=int(m[2]), mode=MODES.get(m[3]) if m[3] in MODES else int(m[3]))
    if base == "shfl":
        want.update(mode=SHUFFLES[parts[0]] if parts[0] in SHUFFLES else int(parts[0]), type=TYPES.index(parts[1]))
    image = base in ("ldib", "stib", "ldgb", "stgb", "atomic", "resinfo", "resbase") and any(p in parts for p in ("typed", "untyped"))
    for i, p in enumerate(parts):
        if image and re.fullmatch(r"[1-4]d", p):
            want["dims"] = int(p[0])
            t = parts[i + 1]
            want["type"] = TYPES.index(t) if t in TYPES else 6  # of atomics: u64
            if i + 2 < len(parts) and parts[i + 2].isdigit():
                want["size"] = int(parts[i + 2])
            if i + 3 < len(parts) and parts[i + 3] in MODES:
                want["mode"] = MODES[parts[i + 3]]
        if p == "typed":
            want["typed"] = 1
        if m := re.fullmatch(r"base(\d)", p):
            want.update(base=int(m[1]), bindless=1)
        if base in ("ldg", "stg", "ldl", "ldp", "ldlw", "ldlv", "stl", "stp", "stlw", "stc", "stsc", "getspid", "getwid", "getfiberid") and p in TYPES:
            want["type"] = TYPES.index(p)
        if base not in ("ldib", "stib", "ldgb", "stgb", "atomic", "resinfo", "resbase"):
            for key, text in (("s2en", "s2en"), ("uniform", "uniform"), ("nonuniform", "nonuniform"), ("dim3", "3d"), ("projected", "p"),
                              ("offsets", "o"), ("array", "a")):
                if p == text and base not in ("ldg", "stg", "ldc", "mov", "getspid"):
                    want[key] = 1


def split(text):
    """At commas outside of brackets."""
    text = text.replace("<<", "\1")
    parts, depth, at = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([<") - (c in ")]>")
        if c == "," and depth == 0:
            parts.append(text[at:i])
            at = i + 1
    return [x.strip().replace("\1", "<<") for x in [*parts, text[at:]] if x.strip()]


def read(text):
    """The operation's name, operands and numbers that Mesa's text shows."""
    want = {}
    text = flags(text, want)
    name, _, rest = text.partition(" ")
    name_parts(name, want)
    base = name.split(".")[0]
    dst, src, numbers = [], [], []
    if base in NO_OPERANDS:
        return name, [], [], want
    flut = re.match(r"(add|min|max|mul|sign|cmps|absneg|cmpv|floor|ceil|rndne|rndaz|trunc|sub|and|or|not|xor|mull|bfrev|clz|shl|shr|ashr|"
                    r"bary|flat|mgen|getbit|setrm|cbits|shb|msad|rcp|rsq|log2|exp2|sin|cos|sqrt|hrsq|hlog2|hexp2)(\.|$)", name)
    parts = split(rest)
    if base == "isam" and len(parts) > 1 and (m := re.fullmatch(r"(\w+\.[xyzw])\+(\d+)", parts[1])):  # an offset behind the coordinates
        parts[1:2] = [m[1], ("off", int(m[2]))]
    if m := re.fullmatch(r"\((\w+)\)\(([xyzw]*)\)(.*)", parts[0]):  # (f32)(xyzw)r0.x
        want.update(type=TYPES.index(m[1]), wrmask=sum(1 << "xyzw".index(c) for c in m[2]))
        parts[0] = m[3]
    elif m := re.fullmatch(r"\(([xyzw]*)\)(h?[rap].*)", parts[0]):
        want["wrmask"] = sum(1 << "xyzw".index(c) for c in m[1])
        parts[0] = m[2]
    ndst = 0 if base.startswith(STORES) or base in ("kill",) or rest.lstrip().startswith("#") or re.match(r"br|ba(ny|ll)", base) and \
        base not in ("brcst",) and not base.startswith("bary") else {"swz": 2, "sct": 4}.get(base, 1)
    sized = base in ("ldg", "stg", "ldl", "ldp", "ldlw", "ldlv", "stl", "stp", "stlw", "stc", "stsc")
    for i, p in enumerate(parts):
        to = dst if i < ndst else src
        if isinstance(p, tuple):
            to.append({"kind": p[0], "value": p[1]})
        elif p.startswith("#"):
            want["target"] = int(p[1:])
        elif sized and i == len(parts) - 1:
            want["size"] = int(p)
        elif m := re.fullmatch(r"[glp]?\[(.*)\]", p):
            if base == "ldlv":
                want["offset"] = int(m[1])
            else:
                to += address(m[1], want)
        elif m := re.fullmatch(r"c\[a1\.x(?:\+(\d+))?\]", p):
            to.append({"kind": "consta1", "value": int(m[1] or 0)})
        elif m := re.fullmatch(r"c\[(\d+)\]", p):
            to.append({"kind": "const", "value": int(m[1])})
        elif p == "a1.x" and i == len(parts) - 1 and "wrmask" in want:
            want["a1"] = 1
        elif base in ("ldib", "stib") and (m := re.fullmatch(r"(\w+\.[xyzw])\+(\d+)", p)):
            to.append(operand(m[1], False, want))
            want["offset"] = int(m[2])
        else:
            to.append(operand(p, flut, want))
    if name.startswith("atomic.b."):
        src.insert(0, dict(dst[0]))
    return name, dst, src, want


def bits(value, half):
    """Bits of a float; half: 16 of them."""
    if half:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    return struct.unpack("<I", struct.pack("<f", value))[0]


def same_operand(got, want):
    a, b = dict(got), dict(want)
    v, w = a.pop("value"), b.pop("value")
    if b["kind"] == "imm or flut" and a["kind"] in ("imm", "flut"):
        b["kind"] = a["kind"]
    if isinstance(w, float):  # six digits are shown
        f = struct.unpack("<e", struct.pack("<H", v & 0xffff))[0] if b.get("half") else struct.unpack("<f", struct.pack("<I", v & 0xffffffff))[0]
        return a == b and (math.isnan(f) and math.isnan(w) or f == w or abs(f - w) <= 1e-6)
    return a == b and v & 0xffffffff == w & 0xffffffff


def compare(got, want):
    name, dst, src, numbers = want
    wrong = []
    op = got["op"]
    if not (name == op or name.startswith(op + ".") or op == "mov" and re.match(r"mova?1?$|cov$", name.split(".")[0])
            or op == "ldc.k" and re.match(r"ldc\.\d+\.k\.", name)):
        wrong.append(("op", op, name))
    for key, w in (("dst", dst), ("src", src)):
        if len(got[key]) != len(w) or not all(same_operand(x, y) for x, y in zip(got[key], w)):
            wrong.append((key, got[key], w))
    for key, w in numbers.items():
        if got.get(key, 0) != w:
            wrong.append((key, got.get(key, 0), w))
    shown = {"sy", "ss", "jp", "eq", "sat", "ul", "repeat", "nop", "ei", "round", "offset", "a1", "s2en", "typed", "bindless", "target"}
    # Bits that are there and have no place in the text.
    hidden = {"repeat", "eq"} if got["category"] == 0 and ("target" in got or op == "kill") else {"repeat", "round"} if op == "movmsk" else {"bindless"} if op.startswith("get") else set()
    for key in shown & set(got) - hidden:
        if key not in numbers:
            wrong.append((key, got[key], "not in the text"))
    return wrong


def rows(path):
    for line in path.read_text().splitlines():
        cells = line.split("\t")
        if line.startswith(("#", "gpu\t")):
            continue
        if cells[0].startswith("FD"):
            cells = [cells[0][2:], cells[1], *cells[4:]]
        gpu, word, text, *wrong = cells
        # Operands that are none leave holes in the text.
        if "no match" not in text and not any(x in w for w in wrong for x in ("no match", "no field", "no display")):
            yield gpu, word, text


def decode(path):
    by_gpu = collections.defaultdict(list)
    for gpu, word, text in rows(path):
        by_gpu[gpu].append((word, text))
    counts, ops = collections.Counter(), set()
    for gpu, all_rows in by_gpu.items():
        for at in range(0, len(all_rows), 200):
            part = all_rows[at:at + 200]
            out = subprocess.run([lull, "ir3", "disasm", "--json", "--gpu", gpu, *(x for w, _ in part for x in ("--word", w))],
                                 capture_output=True, text=True, check=True).stdout
            for (word, text), line in zip(part, out.splitlines(), strict=True):
                got = json.loads(line)["instruction"]
                try:
                    wrong = compare(got, read(text))
                except (ValueError, IndexError) as e:
                    wrong = [f"{type(e).__name__}: {e}"]
                category = int(word, 16) >> 61
                counts[category, bool(wrong)] += 1
                ops.add(got["op"])
                if wrong:
                    print("#", gpu, word, text, wrong)
    for category in range(8):
        case(f"{path.name}: category {category}, {counts[category, False]} words", counts[category, False] > 0 and
             not counts[category, True], f"{counts[category, True]} are wrong")
    return ops


ops = decode(pathlib.Path(sys.argv[2]))
case(f"{len(ops)} operations", len(ops) > 200, ops)
if len(sys.argv) > 3:
    more = pathlib.Path(sys.argv[3])
    decode(more) if more.exists() else skip(f"{more.name} is not here")
end()
