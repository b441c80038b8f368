#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull ir3 instrument and records: what the buffer must have is computed here; which invocations, shaders that use all registers, what
hardware must wait for, forms of output, what is refused. ir3_instrument.py LULL TRACES. TAP."""
import json
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull, traces = sys.argv[1], pathlib.Path(sys.argv[2])
tmp = pathlib.Path(tempfile.mkdtemp())
GPUS = ("630", "660", "740")
BASE = 0x6A88000


def call(*args, text=None):
    r = subprocess.run([lull, "ir3", *map(str, args)], capture_output=True, text=True, input=text, timeout=120)
    return r.returncode, r.stdout, r.stderr


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def instrument(text, *args, gpu="630", room=200000, name="y.asm"):
    out = tmp / name
    r = call("instrument", "-", "--gpu", gpu, "-o", out, "--room", room, *args, text=text)
    return out, r


def run(listing, *args, gpu="630", bytes_=201100, name="d.bin"):
    dump = tmp / name
    r = call("run", listing, "--gpu", f"a{gpu}", "--check", "hazards", "--memory", f"0x{BASE:x}=zeros:{bytes_}", "--out", f"0x{BASE:x}={dump}", *args)
    return dump, r


def records(listing, dump, *args):
    """(instruction, destinations, sources) of each record of each invocation, and the object."""
    r = call("records", f"{listing}.records", dump, "--json", *args)
    said = json.loads(r[1]) if r[1] else {"records": []}
    got = {}
    for x in said["records"]:
        got.setdefault(x["invocation"], []).append((x["instruction"], [(v["name"], v["bits"]) for v in x["dst"]],
                                                    [(v["name"], v["bits"]) for v in x["src"]]))
    return got, said, r


# The shader of Mesa merge request 8961: color = vec4(0); for (i = 0; i < len; i++) color += vec4(arr[i] / 50.f);
LOOP = (pathlib.Path(__file__).resolve().parents[2] / "examples/loop.listing").read_text()


def loop_records(kinds):
    """What each instruction reads and writes, truly."""
    scale, total, i = struct.unpack("<f", struct.pack("<I", 0x3CA3D70A))[0], 0.0, 0

    def keep(*named):
        return [(n, v) for n, v in named if {"c": "const", "p": "pred", "a": "addr"}.get(n[0], "gpr") in kinds]
    yield 0, [("r1.x", 0)], []
    for n, (d, s) in enumerate((("r0.w", "r1.x"), ("r0.z", "r0.w"), ("r0.y", "r0.z"), ("r0.x", "r0.y"))):
        yield n + 1, [(d, 0)], [(s, 0)]
    while True:
        yield 5, keep(("p0.x", int(i >= 4))), keep(("r1.x", i), ("c0.x", 4))
        yield 6, [], keep(("p0.x", int(i >= 4)))
        if i >= 4:
            break
        value = 5 * (i + 1)
        yield 7, [("r1.y", 4 * i)], [("r1.x", i)]
        yield 8, [("hr2.w", 4 * i)], [("r1.y", 4 * i)]
        yield 9, keep(("a0.x", 4 * i)), [("hr2.w", 4 * i)]
        yield 10, [("r1.y", bits(value))], keep(("c<a0.x + 4>", value))
        after = f32(total + f32(scale * value))
        for n, r in enumerate(("r0.w", "r0.z", "r0.y", "r0.x")):
            yield 11 + n, [(r, bits(after))], keep(("c133.x", 0x3CA3D70A), ("r1.y", bits(value)), (r, bits(total)))
        yield 15, [("r1.x", i + 1)], [("r1.x", i)]
        total, i = after, i + 1
    for n, (d, s) in enumerate((("r1.x", "r0.z"), ("r1.y", "r0.y"), ("r1.z", "r0.x"))):
        yield 16 + n, [(d, bits(total))], [(s, bits(total))]


def public_case():
    for gpu in GPUS:
        for kinds in (["gpr", "pred"], ["gpr", "pred", "const", "addr"]):
            y, made = instrument(LOOP, "--values", ",".join(kinds), gpu=gpu)
            dump, r = run(y, "--header", "@localsize 4,1,1", gpu=gpu)
            got, said, shown = records(y, dump)
            want = list(loop_records(kinds))
            name = f"the public shader, {','.join(kinds)}, a{gpu}"
            case(f"{name}: values", made[0] == 0 and got == {n: want for n in range(4)}, (made, r[1][-300:], r[2], shown[2], got.get(0), want))
            case(f"{name}: hazards", r[0] == 0 and "\nhazards: 0 findings\n" in r[1], r[1][-600:])
    y, made = instrument(LOOP, "--values", "gpr,pred", room=625 * 872)
    dump, r = run(y, "--header", "@localsize 125,1,1", "--groups", 5, bytes_=625 * 872 + 1100)
    text = call("records", f"{y}.records", dump)
    lines = text[1].split("\n")
    case("872 bytes for each of 625 invocations, and two dwords", lines[:2] == [f"Data written {2 + 625 * 872 // 4}", "Invocations 625"], lines[:4])
    case("text as in the public log", lines[2:6] == [
        "[0/0]: mov.u32u32 r1.x, 0", "dst(r1.x)=00000000 /* 0.000000 */",
        "[0/1]: mov.u32u32 r0.w, r1.x", "dst(r0.w)=00000000 /* 0.000000 */ src(r1.x)=00000000 /* 0.000000 */"] and
        "dst(r0.w)=0x3dcccccc /* 0.100000 */ src(r1.y)=0x40a00000 /* 5.000000 */ src(r0.w)=00000000 /* 0.000000 */" in lines and
        "dst(r1.x)=0x000001 /* 0.000000 */ src(r1.x)=00000000 /* 0.000000 */" in lines, lines[:60])
    tour = (pathlib.Path(__file__).resolve().parents[2] / "docs/tour.md").read_text()
    shown = re.search(r"\nData written (\d+)\nInvocations (\d+)\n((?:\[0/1.*\ndst.*\n)+)```", tour)
    case("what the tour shows", (int(shown[1]) - 2) * 4 == 872 * int(shown[2]) and shown[3] in text[1], shown)
    case("it is whole", text[0] == 0 and len(lines) == 2 + 2 * 625 * 54 + 1, (text[0], len(lines)))


def public_log():
    """The log of hardware: the same but for predicates, and where its stores came too late."""
    log = traces / "ir3-instrument/loop-output.txt"
    if not log.exists():
        return skip("ir3-instrument is not here")
    y, _ = instrument(LOOP, "--values", "gpr")
    dump, _ = run(y, "--header", "@localsize 4,1,1")
    text = call("records", f"{y}.records", dump, "--invocations", "0")[1].splitlines()[2:]
    theirs = log.read_text().splitlines()[2:]
    theirs = [(a, b) for a, b in zip(theirs[::2], theirs[1::2]) if not a.startswith("[0/6]")]  # br, with sources that it has not got
    ours = list(zip(text[::2], text[1::2]))
    # Numbers are one less behind br, which has no value of kind gpr.
    same = sum(b == d for (_, b), (_, d) in zip(ours, theirs))
    differ = {re.sub(r"^\[\S+ ", "", c) for (_, b), (c, d) in zip(ours, theirs) if b != d}
    case("lines of the public log, but for what it has wrong", len(ours) == len(theirs) == 49 and same == 49 - 23 and
         {x.split()[0] for x in differ} == {"cov.u32s16", "mad.f32", "add.u"}, (len(ours), len(theirs), same, differ))


# name, arguments, invocations of 100.
WHO = [
    ("a range", ["--invocations", "3-5"], [3, 4, 5]),
    ("one", ["--invocations", "99"], [99]),
    ("every third", ["--every", "3"], list(range(0, 100, 3))),
    ("every eighth", ["--every", "8"], list(range(0, 100, 8))),
    ("every twelfth of a range", ["--every", "12", "--invocations", "13-50"], [24, 36, 48]),
    ("a register", ["--where", "r5.x=2"], [2]),
    ("two registers", ["--where", "r5.x=7", "--where", "r5.y=0"], [7]),
    ("none", ["--where", "r5.x=200"], []),
]


def who():
    want = list(loop_records(["gpr", "pred", "const", "addr"]))
    for name, args, chosen in WHO:
        y, made = instrument(LOOP, *args)
        dump, r = run(y, "--header", "@localsize 100,1,1 @invocationid(r5.x)")
        got, said, _ = records(y, dump)
        case(f"who: {name}", got == {n: want for n in chosen} and said["invocations"] == 100 and r[0] == 0 and "\nhazards: 0 findings\n" in r[1],
             (made, r[1][-300:], sorted(got), said.get("invocations")))
    text = ("@localsize 4,1,1\n@invocationid(r0.x)\n@wgid(r48.x)\n@buf 24\nmov.u32u32 r1.y, 4\n(rpt5)nop\nmull.u r1.x, r48.x, r1.y\n(rpt5)nop\n"
            "add.u r1.x, r1.x, r0.x\nadd.u r2.x, r48.x, r48.y\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm r2.x, r1.x, 0\nend\n")
    y, made = instrument(text, "--group", "4,0,0", "--regex", "^add.u r2")
    dump, r = run(y, "--groups", 6)
    got, said, _ = records(y, dump)
    case("who: a workgroup, by regular expression", [x for n in got for x in got[n]] == [(0, [("r2.x", 4)], [("r48.x", 4), ("r48.y", 0)])] * 4, (made, r, got))
    y, made = instrument(LOOP, "--where", "r1.w=2")
    dump, r = run(y, "--header", "@localsize 10,10,1 @invocationid(r1.w)")
    got, _, _ = records(y, dump)
    case("who: a register that the shader itself does not read", got == {n: want for n in range(2, 100, 10)} and r[0] == 0, (made, r[1][-300:], sorted(got)))
    # What Mesa prints behind the code says where the pixel is, in sixteenths, and the workgroup.
    text = ("Native code for unnamed FRAG shader (null) with sha1 0123456789012345678901234567890123456789:\n@out(r1.x) out0 (wrmask=0x1)\n"
            "add.u r1.x, r0.x, 1\nend\n; FRAG: outputs: r1.x (FRAG_RESULT_DATA0)\n"
            "; FRAG: inputs: r0.x (SYSTEM_VALUE_BARYCENTRIC_PERSP_PIXEL slot=50 cm=3,il=0,b=0) r2.z (SYSTEM_VALUE_FRAG_COORD slot=33 cm=3,il=0,b=0)\n")
    y, made = instrument(text, "--pixel", "20,21")
    places = {0: (20, 20), 1: (21, 20), 2: (20, 21), 3: (21, 21)}
    sets = [w for n, (px, py) in places.items() for w in ("--set", f"r0.x[{n}]={n + 5}", "--set", f"r2.z[{n}]={16 * px + 8 - n}", "--set", f"r2.w[{n}]={16 * py + 8 + n}")]
    dump, r = run(y, "--header", "@localsize 4,1,1", *sets)
    got, _, _ = records(y, dump)
    case("who: a pixel, by Mesa's line", got == {2: [(0, [("r1.x", 8)], [("r0.x", 7)])]}, (made, r, got))
    text = text.replace("FRAG", "CL").replace("CL_COORD", "X").replace("r2.z (SYSTEM_VALUE_X", "r48.x (SYSTEM_VALUE_WORKGROUP_ID")
    y, made = instrument(text, "--group", "1,0,0")
    dump, r = run(y, "--groups", 3, "--header", "@localsize 4,1,1", "--header", "@invocationid(r0.x)", "--header", "@wgid(r48.x)")
    got, _, _ = records(y, dump)
    case("who: a workgroup, by Mesa's line", made[0] == 0 and list(got) == [4, 5, 6, 7], (made, r, got))
    y, made = instrument(LOOP, "--instructions", "11-12")
    case("which: numbers", made[0] == 0 and re.findall(r"^instruction \d+ (\d+) (\S+)", pathlib.Path(f"{y}.records").read_text(), re.M) ==
         [("11", "br"), ("12", "(jp)(nop3)")], made)


WAIT = "(sy)(ss)(rpt5)nop\n"
# name, headers and text, options of run, the records of invocation 3 as (text, destinations, sources).
VALUES = [
    ("vectors of loads and stores", "@localsize 4,1,1\n@invocationid(r0.x)\n@buf 16 (c1.x) 10, 11, 12, 13\nmov.u32u32 r1.x, c1.x\nmov.u32u32 r1.y, c1.y\n" +
     WAIT + "ldg.u32 r2.x, g[r1.x], 4\n" + WAIT + "stg.u32 g[r1.x+16], r2.x, 3\nend\n", "ldg|stg", [
         ("ldg", [("r2.x", 10), ("r2.y", 11), ("r2.z", 12), ("r2.w", 13)], None), ("stg", [], [None, None, ("r2.x", 10), ("r2.y", 11), ("r2.z", 12)])]),
    ("repetitions", "@localsize 4,1,1\n@invocationid(r0.x)\n(rpt2)mov.u32u32 r2.x, r0.x\n" + WAIT + "(rpt2)add.u r3.x, (r)r2.x, 5\nend\n", "rpt2.(mov|add)", [
        ("mov", [("r2.x", 3), ("r2.y", 3), ("r2.z", 3)], [("r0.x", 3)]),
        ("add", [("r3.x", 8), ("r3.y", 8), ("r3.z", 8)], [("r2.x", 3), ("r2.y", 3), ("r2.z", 3)])]),
    ("halves, and a register that is written where it is read", "@localsize 4,1,1\n@invocationid(r0.x)\nmov.u32u32 r1.x, 0x12345678\n" + WAIT +
     "add.u hr2.x, hr2.x, hr2.y\n" + WAIT + "add.u r1.x, r1.x, r0.x\nend\n", "add", [
         ("add.u hr2.x", [("hr2.x", 0x68ac)], [("hr2.x", 0x5678), ("hr2.y", 0x1234)]),
         ("add.u r1.x", [("r1.x", 0x123468af)], [("r1.x", 0x123468ac), ("r0.x", 3)])]),
    ("the vector that an atomic shares", "@localsize 4,1,1\n@invocationid(r0.x)\n@buf 4 7, 7, 7, 7\nmov.u32u32 r1.y, 100\n" + WAIT +
     "atomic.b.add.untyped.1d.u32.1.imm r1.x, r0.x, 0\nend\n", "atomic", [("atomic", [("r1.x", 7)], [("r1.y", 100), ("r0.x", 3)])]),
    ("predicates, and what is made of them", "@localsize 4,1,1\n@invocationid(r0.x)\ncmps.u.gt p0.x, r0.x, 1\ncmps.u.lt p0.y, r0.x, 3\n" + WAIT +
     "braa p0.x, p0.y, #l9\nbrao p0.x, p0.y, #l9\nnop\nl9:\n(jp)nop\nend\n", "cmps|bra", [
         ("cmps", [("p0.x", 1)], [("r0.x", 3)]), ("cmps", [("p0.y", 0)], [("r0.x", 3)]), ("braa", [], [("p0.x", 1), ("p0.y", 0)]),
         ("brao", [], [("p0.x", 1), ("p0.y", 0)])]),
    ("under predicates", "@localsize 4,1,1\n@invocationid(r0.x)\nmov.u32u32 r1.x, 0\ncmps.u.gt p0.x, r0.x, 1\n" + WAIT +
     "predt\nmov.u32u32 r1.x, 11\npredf\nmov.u32u32 r1.x, 22\nprede\n" + WAIT + "mov.u32u32 r2.x, r1.x\nend\n", "mov.*(11|22|r1.x$)|pred", [
         ("predt", [], [("p0.x", 1)]), ("mov", [("r1.x", 11)], []), ("predf", [], [("p0.x", 1)]), ("mov", [("r2.x", 11)], [("r1.x", 11)])]),
    ("registers and constants by a0.x", "@localsize 4,1,1\n@invocationid(r0.x)\n@const(c2.x) 50, 60, 70, 80\nadd.u r1.x, r0.x, 100\nadd.u r1.y, r0.x, 200\n" +
     "cov.u32s16 hr8.x, r0.x\n" + WAIT + "mova a0.x, hr8.x\n" + WAIT + "mov.u32u32 r3.x, c<a0.x + 7>\nmova a0.x, 1\n" + WAIT +
     "mov.u32u32 r3.y, r<a0.x + 4>\nmov.u32u32 r<a0.x + 40>, r1.x\nend\n", "a0", [
         ("mova", [("a0.x", 3)], [("hr8.x", 3)]), ("mov", [("r3.x", 70)], [("c<a0.x + 7>", 70)]), ("mova", [("a0.x", 1)], []),
         ("mov", [("r3.y", 203)], [("r<a0.x + 4>", 203)]), ("mov", [("r<a0.x + 40>", 103)], [("r1.x", 103)])]),
    ("a function that is called twice, and what is live behind each call", "@localsize 4,1,1\n@invocationid(r0.x)\nmov.u32u32 r1.x, 5\n"
     "mov.u32u32 r0.y, 77\n" + WAIT + "call #f\nadd.u r1.x, r1.x, r0.y\n" + WAIT + "mov.u32u32 r0.z, 78\n" + WAIT + "call #f\nadd.u r2.x, r1.x, r0.z\nend\n"
     "f:\nadd.u r1.x, r1.x, r0.x\n" + WAIT + "shl.b r1.x, r1.x, 1\n" + WAIT + "ret\n", "add|shl", [
         ("add", [("r1.x", 8)], [("r1.x", 5), ("r0.x", 3)]), ("shl", [("r1.x", 16)], [("r1.x", 8)]), ("add", [("r1.x", 93)], [("r1.x", 16), ("r0.y", 77)]),
         ("add", [("r1.x", 96)], [("r1.x", 93), ("r0.x", 3)]), ("shl", [("r1.x", 192)], [("r1.x", 96)]),
         ("add", [("r2.x", 270)], [("r1.x", 192), ("r0.z", 78)])]),
    ("by a0.x alone, and less", "@localsize 4,1,1\n@invocationid(r0.x)\n@const(c2.x) 50, 60, 70, 80\nmova a0.x, 9\n" + WAIT +
     "mov.u32u32 r3.x, c<a0.x>\nmov.u32u32 r3.y, c<a0.x + -1>\nend\n", "mov.*c<", [
         ("mov", [("r3.x", 60)], [("c<a0.x>", 60)]), ("mov", [("r3.y", 50)], [("c<a0.x + -1>", 50)])]),
]


def values():
    for name, text, regex, want in VALUES:
        for gpu in GPUS:
            y, made = instrument(text, "--regex", regex, gpu=gpu)
            dump, r = run(y, gpu=gpu)
            got, said, _ = records(y, dump)
            mine = [(x["text"], [(v["name"], v["bits"]) for v in x["dst"]], [(v["name"], v["bits"]) for v in x["src"]])
                    for x in said["records"] if x["invocation"] == 3]
            ok = len(mine) == len(want) and all(a[0].lstrip("(rpt2) ").startswith(b[0].lstrip("(rpt2) ")) and a[1] == b[1] and
                                                (b[2] is None or (len(a[2]) == len(b[2]) and all(q in (None, p) for p, q in zip(a[2], b[2]))))
                                                for a, b in zip(mine, want))
            case(f"values: {name}, a{gpu}", ok and r[0] == 0 and "hazards: 0 findings" in r[1], (made, r[1][-500:], r[2], mine))


def barycentrics():
    """bary.f reads i and j: neither is a register for the code."""
    y, made = instrument("@out(r0.z) out0 (wrmask=0x7)\n(sy)(ss)(rpt2)bary.f (ei)r0.z, (r)0, r0.x\nend\n")
    manifest = pathlib.Path(f"{y}.records").read_text()
    code = y.read_text().split("bary.f")[0]
    case("bary.f reads two registers, which stay", made[0] == 0 and "\nsrc r0.x\nsrc r0.y\n" in manifest and re.findall(r" r0\.[xy],", code) == [], (made, code))


def preambles():
    """They stay, are named if they were meant, and what is behind them is recorded; a choice below runs a copy of the shader with its functions."""
    text = ("@localsize 4,1,1\n@invocationid(r0.x)\nshps #l1\nnop\nmov.u32u32 r48.x, 7\n(ss)add.u r48.y, r48.x, 1\n(sy)(ss)nop\nshpe\nl1:\n(jp)nop\n"
            "add.u r1.x, r0.x, r48.x\n" + WAIT + "call #f\nadd.u r1.x, r1.x, 1\nend\nf:\nadd.u r1.x, r1.x, 100\n" + WAIT + "ret\n")
    said = "instructions 2 to 3 are not recorded: the preamble, 'mov.u32u32 r48.x, 7' and so on, runs once, before invocations have numbers\n"
    for name, args, notes, chosen in [("all", [], said, [0, 1, 2, 3]), ("a choice of the rest", ["--instructions", "7-99"], "", [0, 1, 2, 3]),
                                      ("some invocations", ["--invocations", "1-2"], said, [1, 2])]:
        y, made = instrument(text, *args)
        dump, r = run(y)
        got, _, _ = records(y, dump)
        want = {n: [[("r1.x", n + 7)], [("r1.x", n + 107)], [("r1.x", n + 108)]] for n in chosen}
        case(f"a preamble: {name}", made[0] == 0 and made[2] == notes and {n: [d for _, d, _ in x] for n, x in got.items()} == want and r[0] == 0,
             (made, r[1][-400:], r[2], got))


def crowded(live):
    """A kernel with @p live registers of which each is read in the end: their sum, by each invocation."""
    text = "@localsize 8,1,1\n@invocationid(r0.x)\n@buf 8\n"
    names = [f"r{i // 4}.{'xyzw'[i % 4]}" for i in range(1, live)]
    text += "".join(f"add.u {n}, r0.x, {i + 1}\n" for i, n in enumerate(names)) + WAIT
    text += "".join(f"add.u {names[0]}, {names[0]}, {n}\n" + WAIT for n in names[1:])
    return text + f"stib.b.untyped.1d.u32.1.imm {names[0]}, r0.x, 0\nend\n", [sum(n + i + 1 for i in range(live - 1)) for n in range(8)]


def spills():
    for live, kept in ((160, False), (185, False), (189, True), (191, True)):
        text, want = crowded(live)
        y, made = instrument(text, room=600000)
        dump, r = run(y, "--json", "--out", f"0={tmp / 'sum.bin'}", bytes_=601100)
        got, said, _ = records(y, dump)
        sums = list(struct.unpack("<8I", (tmp / "sum.bin").read_bytes())) if r[0] in (0, 1) else []
        adds = {n: [x[1][0][1] for x in rec if x[1]][-1] for n, rec in got.items()}
        case(f"{live} registers of 192 live: the kernel's result", made[0] == 0 and made[2] == "" and sums == want, (made, r[2], sums, want))
        case(f"{live} registers of 192 live: records", adds == dict(enumerate(want)) and said["missing"] == 0 and
             all(len(x) == 2 * live - 2 for x in got.values()), (adds, [len(x) for x in got.values()]))
        case(f"{live} registers of 192 live: waits", r[0] == 0, r[1][-500:])
        case(f"{live} registers of 192 live: private memory", ("@pvtmem" in y.read_text()) == kept)
    text, want = crowded(192)
    y, made = instrument(text, room=600000)
    dump, r = run(y, "--out", f"0={tmp / 'sum.bin'}", bytes_=601100)
    case("192 registers live: it says what is not recorded", made[0] == 0 and " is not recorded: no register is free\n" in made[2] and
         list(struct.unpack("<8I", (tmp / "sum.bin").read_bytes())) == want, (made, r[2]))


def slices():
    """A slice of the buffer for each invocation: its head says how many bytes are there, and would be."""
    want = list(loop_records(["gpr", "pred", "const", "addr"]))
    sizes = [8 + 4 * (len(d) + len(s)) for _, d, s in want]
    size, last = sum(sizes), sizes[-1]
    for gpu in GPUS:
        y, made = instrument(LOOP, "--slice", size, gpu=gpu)
        dump, r = run(y, "--header", "@localsize 4,1,1", gpu=gpu)
        got, said, shown = records(y, dump)
        all_of = 200000 // (size + 8) - 1
        case(f"slices: what fits exactly, a{gpu}", got == {n: want for n in range(4)} and (said["missing"], said["sliceless"], shown[0]) == (0, 0, 0) and
             said["written"] == 2 + size and made[1].endswith(f"slices of {size} bytes for {all_of} invocations\n"), (made, r[1][-300:], shown[2], got.get(0), want))
        case(f"slices: waits, a{gpu}", r[0] == 0 and "\nhazards: 0 findings\n" in r[1], r[1][-600:])
        heads = [struct.unpack_from("<2I", dump.read_bytes(), 8 + n * (size + 8)) for n in range(5)]
        case(f"slices: their heads, a{gpu}", heads == [(size, 0)] * 4 + [(0, 0)], heads)
        case(f"slices: atomics where the shader begins alone, a{gpu}", len(re.findall(r"^atomic", y.read_text(), re.M)) == 2, y.read_text()[:900])
    y, made = instrument(LOOP, "--slice", size - 4)
    dump, r = run(y, "--header", "@localsize 4,1,1")
    got, said, shown = records(y, dump)
    heads = [struct.unpack_from("<2I", dump.read_bytes(), 8 + n * (size + 4)) for n in range(4)]
    case("slices: a record that does not fit is lost", got == {n: want[:-1] for n in range(4)} and said["missing"] == 4 * last and shown[0] == 1 and
         f"{4 * last} bytes of records are missing: there was room for {size - 4} of each invocation\n" in shown[2] and heads == [(size - last, size)] * 4,
         (made, shown[2], said["missing"], heads))
    y, made = instrument(LOOP, "--slice", 200, room=11 * 208)
    dump, r = run(y, "--header", "@localsize 100,1,1", bytes_=11 * 208 + 1100)
    got, said, shown = records(y, dump)
    fits = want[:max(n for n in range(len(sizes)) if sum(sizes[:n]) <= 200)]
    case("slices: invocations that get none", len(got) == 10 and all(x == fits for x in got.values()) and said["sliceless"] == 90 and said["invocations"] == 100 and
         said["missing"] == 10 * sum(sizes[len(fits):]) and shown[0] == 1 and "records of 90 invocations are missing: there were slices for 10\n" in shown[2],
         (made, r[2], shown[2], len(got), said["sliceless"]))
    y, made = instrument(LOOP, "--slice", size, "--every", 3, room=35 * (size + 8))
    dump, r = run(y, "--header", "@localsize 100,1,1")
    got, said, _ = records(y, dump)
    case("slices: of invocations that are chosen alone", got == {n: want for n in range(0, 100, 3)} and said["sliceless"] == 0 and "\nhazards: 0 findings\n" in r[1],
         (made, r[1][-300:], sorted(got), said["sliceless"]))
    text, sums = crowded(191)
    y, made = instrument(text, "--slice", 8000)
    dump, r = run(y, "--json", "--out", f"0={tmp / 'sum.bin'}")
    got, said, _ = records(y, dump)
    adds = {n: [x[1][0][1] for x in rec if x[1]][-1] for n, rec in got.items()}
    case("slices: 191 registers of 192 live", adds == dict(enumerate(sums)) and said["missing"] == 0 and all(len(x) == 2 * 191 - 2 for x in got.values()) and
         list(struct.unpack("<8I", (tmp / "sum.bin").read_bytes())) == sums and r[0] == 0, (made, r[1][-500:], adds, said["missing"]))


def forms():
    y, _ = instrument(LOOP)
    dump, _ = run(y, "--header", "@localsize 4,1,1")
    got, said, _ = records(y, dump)
    db = tmp / "x.sqlite"
    r = call("records", f"{y}.records", dump, "--sqlite", db)
    rows = sqlite3.connect(db).execute("SELECT r.invocation, i.text, v.role, v.name, v.bits FROM records r JOIN instructions i ON i.id = r.instruction "
                                       "JOIN vals v ON v.record = r.id ORDER BY r.invocation, r.id, v.rowid").fetchall()
    want = [(x["invocation"], x["text"], role, v["name"], v["bits"]) for x in said["records"] for role in ("dst", "src") for v in x[role]]
    case("a database has the same", r[0] == 0 and rows == want and len(rows) > 500, (r, rows[:3], want[:3]))
    same = call("records", f"{y}.records", dump, "--diff", dump)
    case("--diff: the same", same == (0, f"{len(said['records'])} records, all the same\n", ""), same)
    other, _ = run(y, "--header", "@localsize 4,1,1", "--set", "c3.x=16", name="other.bin")
    r = call("records", f"{y}.records", dump, "--diff", other)
    want = "[0/10]: (ul)cov.s32f32 r1.y, c<a0.x + 4>\ndst(r1.y)="
    case("--diff: the first record that differs", r[0] == 1 and want + "0x41700000 /* 15.000000 */" in r[1] and want + "0x41800000 /* 16.000000 */" in r[1], r)
    text = "@localsize 4,1,1\n@invocationid(r0.x)\nmov.u32u32 r1.x, 0xffffffff\nmov.f32f32 r1.y, c0.x\n" + WAIT + "mul.f r1.z, r1.y, r1.y\nadd.f r2.x, r1.z, c1.x\nend\n"
    y, _ = instrument(text)
    dump, _ = run(y, "--set", "c0.x=0x7f800000", "--set", "c1.x=0xff800000")
    r = call("records", f"{y}.records", dump, "--first-nan")
    case("--first-nan: infinity less infinity, not bits of an integer", r[0] == 1 and r[1].startswith("r2.x is not a number, ") and "]: add.f r2.x" in r[1], r)
    dump, _ = run(y, "--set", "c0.x=0x7f800000", "--set", "c1.x=0x3f800000")
    r = call("records", f"{y}.records", dump, "--first-nan")
    case("--first-nan: none", r[0] == 0, r)
    y, _ = instrument(LOOP, room=1000)
    dump, r = run(y, "--header", "@localsize 4,1,1", bytes_=2100)
    got, said, shown = records(y, dump)
    full = said["missing"]
    case("a buffer that is full: the rest is missing, and nothing is behind its end", shown[0] == 1 and "bytes of records are missing" in shown[2] and
         said["invocations"] == 4 and full == 4 * said["written"] - 8 - sum(8 + 4 * (len(d) + len(s)) for x in got.values() for _, d, s in x) and full > 0 and
         all(a[:len(b)] == b for a, b in ((list(loop_records(["gpr", "pred", "const", "addr"])), x) for x in got.values())), (shown[2], said["missing"]))
    manifest = pathlib.Path(f"{y}.records").read_text()
    size = int(re.search(r"^buffer \S+ \d+ (\d+)$", manifest, re.M)[1])
    case("the manifest's size is enough", dump.read_bytes()[size:] == bytes(2100 - size), size)


def page_of(path):
    text = path.read_text()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return text, json.loads(data[1]) if data else {"records": [], "instructions": [], "nan": None}


def pages():
    """The first that is not a number: of invocation 0 in the third instruction, as 0 - 3 has no root."""
    y, _ = instrument("@localsize 8,1,1\n@invocationid(r0.x)\ncov.u32f32 r1.y, r0.x\nmov.u32u32 r1.x, 0x40400000\n" + WAIT + "add.f r1.z, r1.y, (neg)r1.x\n" +
                      WAIT + "rsq r1.w, r1.z\n" + WAIT + "end\n")
    dump, _ = run(y)
    got, said, _ = records(y, dump)
    html = tmp / "x.html"
    r = call("records", f"{y}.records", dump, "--html", html)
    text, data = page_of(html)
    rows = [[x["invocation"], x["instruction"], *(v["bits"] for v in x["dst"] + x["src"])] for x in said["records"]]
    case("--html: the records, and the instructions", r == (0, "", "") and data["records"] == rows and len(rows) == 32 and
         [(x["text"], x["dst"], x["src"]) for x in data["instructions"]][2] == ("add.f r1.z, r1.y, (neg)r1.x", ["r1.z"], ["r1.y", "r1.x"]), (r, data))
    nan = data["nan"]
    case("--html: the first that is not a number", nan is not None and data["records"][nan["record"]][:2] == [0, 3] and nan["value"] == 0, nan)
    case("--html: complete in itself", text.startswith("<!DOCTYPE html>") and text.rstrip().endswith("</html>") and "default-src 'none'" in text and
         not re.search(r"https?:|(?<!style-)(?<!script-)src=|href=|@import|url\(", text), text[:300])
    r = call("records", f"{y}.records", dump, "--html", html, "--invocations", "5-6")
    data = page_of(html)[1]
    case("--html: some invocations, none of them the first", r[0] == 0 and {x[0] for x in data["records"]} == {5, 6} and data["all"] == 8 and data["nan"] is None, data)
    (tmp / "bad.records").write_text(pathlib.Path(f"{y}.records").read_text().replace("rsq r1.w", "</script><script>alert(1)</script> rsq r1.w"))
    call("records", tmp / "bad.records", dump, "--html", html)
    text, data = page_of(html)
    case("--html: a text that looks like markup is a text", "<script>alert" not in text and data["instructions"][3]["text"].startswith("</script><script>alert(1)"), text[-200:])
    r = call("records", f"{y}.records", dump, "--html", html, "--sqlite", tmp / "y.sqlite")
    case("--html and --sqlite are refused", r[0] == 2 and "one of --sqlite, --html, --first-nan and --diff" in r[2], r)
    html.unlink()
    r = call("records", f"{y}.records", dump, "--html", tmp / "none" / "x.html")
    case("--html: where nothing can be written", r[0] == 3 and "none/x.html" in r[2], r)


def into():
    """A log with two shaders, as Mesa prints it: the NIR before the first says that it has constants behind its code."""
    one = "MESA: info: {}NIR (final form) for CL shader (null):\nMESA: info: shader: MESA_SHADER_COMPUTE\n{}MESA: info: Native code for unnamed CL shader " \
          "(null) with sha1 {}:\nMESA: info: mov.u32u32 r<a0.x + 4>, r0.x\nMESA: info: end\nMESA: info: ; CL: outputs: \n"
    r = call("instrument", "-", "--into", tmp / "into", text=one.format("", "MESA: info: constants: 1024\n", "12ab") + one.format("", "", "34cd"))
    case("--into: tables of constants, with which Turnip crashes, and registers by a0.x, with which it does not", r[0] == 0 and
         r[2] == "lull ir3: 12ab: it has tables of constants, with which Turnip 25.0.7 crashes when it reads a listing, and is left out\n" and
         sorted(p.name for p in (tmp / "into").iterdir()) == ["34cd.asm", "34cd.records"], r)


# name, exit status, arguments, text, what the message has.
REFUSED = [
    ("no such pattern", 2, ["--regex", "("], LOOP, "--regex: column 2: "),
    ("values of words", 2, ["--values", "gpr,many"], LOOP, "--values: 'many' is not of gpr, "),
    ("a range backwards", 2, ["--invocations", "5-3"], LOOP, "--invocations: '5-3' is not N or N-M"),
    ("every 0th", 2, ["--every", "0"], LOOP, "--every: '0' is not a number from 1 on"),
    ("no register", 2, ["--where", "c1.x=3"], LOOP, "--where: 'c1.x=3' is not rN.x=V"),
    ("a group without its register", 2, ["--group", "1,2,3"], LOOP, "has no @wgid"),
    ("a pixel without its register", 2, ["--pixel", "1,2"], LOOP, "--pixel: no register of the shader has its pixel"),
    ("an address across 4 GiB", 2, ["--buffer", "0xfffff000"], LOOP, "not lie across 4 GiB"),
    ("a slice that does not fit twice", 2, ["--slice", "100000"], LOOP, "--slice: 100000 bytes, and 8 for each slice, fit into --room 200000 less than twice"),
    ("a call of a preamble, of the shader's function", 3, [], "shps #l1\ncall #l2\nshpe\nl1:\nend\nl2:\nret\n",
     "instruction 1: call: the preamble calls what is behind it"),
    ("no code", 2, [], "@buf 4\n", "this one has no code"),
]

# name, manifest, buffer, what the message has.
DAMAGED = [
    ("no manifest", "hello\n", b"", "line 1: it does not begin as a manifest does"),
    ("half a manifest", "lull-ir3-records 1\ngpu 630\n", b"", "line 3: the line 'buffer' is missing"),
    ("no sizes", "lull-ir3-records 1\nbuffer 0x1000\n", b"", "line 2: buffer needs an address"),
    ("a value of nothing", "lull-ir3-records 1\nbuffer 0x1000 8 64\nsrc r0.x\n", b"", "line 3: a value belongs behind its instruction"),
    ("numbers that jump", "lull-ir3-records 1\nbuffer 0x1000 8 64\ninstruction 1 4 nop\n", b"", "line 3: instructions are not numbered"),
    ("a short buffer", "lull-ir3-records 1\nbuffer 0x1000 8 64\n", b"abc", "the buffer: truncated"),
    ("no such instruction", "lull-ir3-records 1\nbuffer 0x1000 8 64\n", struct.pack("<4I", 8, 1, 0, 5), "offset 8: a record of instruction 5; the manifest has 0"),
    ("no such invocation", "lull-ir3-records 1\nbuffer 0x1000 8 64\ninstruction 0 0 nop\n", struct.pack("<4I", 8, 1, 1, 0), "offset 8: a record of invocation 1"),
    ("a slice too large for two", "lull-ir3-records 1\nbuffer 0x1000 64 100\nslice 25\n", b"", "line 3: slice needs its bytes"),
    ("a slice with more than it can have", "lull-ir3-records 1\nbuffer 0x1000 64 100\nslice 16\n", struct.pack("<4I", 1, 1, 17, 0),
     "offset 8: a slice with 17 bytes of records; it has room for 16"),
    ("half a slice's head", "lull-ir3-records 1\nbuffer 0x1000 64 100\nslice 16\n", struct.pack("<3I", 1, 1, 0), "the slice: truncated"),
    ("half a record", "lull-ir3-records 1\nbuffer 0x1000 64 100\ninstruction 0 0 x\ndst r0.x\n", struct.pack("<4I", 12, 1, 0, 0), "truncated at byte"),
]


def refused():
    for name, status, args, text, said in REFUSED:
        y, r = instrument(text, *args, name="no.asm")
        case(f"refused: {name}", r[0] == status and r[1] == "" and said in r[2] and not y.exists(), r)
    for name, manifest, buffer, said in DAMAGED:
        (tmp / "m").write_text(manifest)
        (tmp / "b").write_bytes(buffer)
        r = call("records", tmp / "m", tmp / "b")
        case(f"damaged: {name}", r[0] == 3 and r[1] == "" and said in r[2], r)


public_case()
public_log()
who()
values()
barycentrics()
preambles()
spills()
slices()
forms()
pages()
into()
refused()
end()
