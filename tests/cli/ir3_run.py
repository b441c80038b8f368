#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull ir3 run: kernels as files of Mesa's computerator, on each GPU, with what they must leave in their buffers as it is computed
here; what goes wrong and what is refused. ir3_run.py LULL TRACES."""
import collections
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull, traces = sys.argv[1], pathlib.Path(sys.argv[2])
tmp = pathlib.Path(tempfile.mkdtemp())
GPUS = ("a630", "a660", "a740")


def run(*args, text=None):
    r = subprocess.run([lull, "ir3", "run", *map(str, args)], capture_output=True, text=True, input=text, timeout=120)
    return r.returncode, r.stdout, r.stderr


def buffers(r):
    """Dwords of each buffer, by its number or address."""
    said = json.loads(r[1]) if r[0] in (0, 1, 124) and r[1] else {"buffers": []}
    return {b.get("buffer", b.get("address")): b["dwords"] for b in said["buffers"]}


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def floats(*values):
    return [bits(v) for v in values]


# r9.x: the invocation's number in all groups, if they have N invocations.
NUMBER = "mov.u32u32 r9.y, {0}\n(rpt5)nop\nmull.u r9.x, r48.x, r9.y\n(rpt5)nop\nadd.u r9.x, r9.x, r0.x\n(rpt5)nop\n"
HEAD = "@localsize {0}, 1, 1\n@invocationid(r0.x)\n@wgid(r48.x)\n"


def collatz(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


# name, groups, text, more arguments, what each buffer has.
ROWS = [
    ("numbers of invocations and groups", "3", HEAD.format(32) + "@buf 96\n@numwg(c2.x)\n" + NUMBER.format(32) +
     "mul.u24 r1.x, r9.x, c2.x\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm r1.x, r9.x, 0\nend\nnop\n", [], {0: [3 * i for i in range(96)]}),
    ("groups in three dimensions", "2,3,2", "@localsize 1,1,1\n@wgid(r48.x)\n@numwg(c4.x)\n@buf 12\n"
     "mov.u32u32 r2.x, c4.y\n(rpt5)nop\nmull.u r1.x, r48.z, r2.x\n(rpt5)nop\nadd.u r1.x, r1.x, r48.y\nmov.u32u32 r2.y, c4.x\n(rpt5)nop\n"
     "mull.u r1.x, r1.x, r2.y\n(rpt5)nop\nadd.u r1.x, r1.x, r48.x\nmov.u32u32 r1.y, c4.z\n(rpt5)nop\nadd.u r1.y, r1.y, r1.x\n(rpt5)nop\n"
     "stib.b.untyped.1d.u32.1.imm r1.y, r1.x, 0\nend\n", [], {0: [2 + i for i in range(12)]}),
    ("two buffers, one given, constants as floats", "2", HEAD.format(16) + "@buf 32\n@buf 32\n@const(c1.x) 2.5, -1.0, 7, 0x3f000000\n" +
     NUMBER.format(16) + "ldib.b.untyped.1d.u32.1.imm r1.x, r9.x, 1\n(sy)(rpt5)nop\nmul.f r1.y, r1.x, c1.x\n(rpt5)nop\n"
     "add.f r1.y, r1.y, c1.w\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm r1.y, r9.x, 0\nend\n", ["--buf", "1=iota:32:f32"],
     {0: floats(*(2.5 * i + 0.5 for i in range(32))), 1: floats(*range(32))}),
    ("values of a header, and @ubo", "1", HEAD.format(4) + "@buf 4 5, 6, 7, 8\n@ubo 4 10, 20, 30, 40\n"
     "mov.u32u32 r2.x, 0\n(rpt5)nop\nldc.offset0.4.imm r3.x, 0, 0\nldib.b.untyped.1d.u32.1.imm r1.x, r0.x, 0\n(sy)(rpt5)nop\n"
     "add.u r1.x, r1.x, r3.w\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm r1.x, r0.x, 0\nend\n", [],
     {0: [45, 46, 47, 48], 1: [10, 20, 30, 40]}),
    ("the address of a buffer", "1", HEAD.format(8) + "@buf 4\n@buf 16 (c7.x) 100, 101\nmov.u32u32 r1.x, c7.x\nmov.u32u32 r1.y, c7.y\n"
     "(rpt5)nop\nldg.u32 r2.x, g[r1.x+4], 1\n(sy)(rpt5)nop\nadd.u r2.x, r2.x, r0.x\nmov.u32u32 r3.y, 0\nshl.b r3.x, r0.x, 2\n(rpt5)nop\n"
     "add.u r1.x, r1.x, r3.x\n(rpt5)nop\nstg.u32 g[r1.x+32], r2.x, 1\nend\n", [],
     {0: [0] * 4, 1: [100, 101, 0, 0, 0, 0, 0, 0, *range(101, 109)]}),
    ("shared memory, a barrier, 128 invocations", "2", HEAD.format(128) + "@localmem 512\n@buf 256\n" + NUMBER.format(128) +
     "shl.b r1.y, r0.x, 2\n(rpt5)nop\nstl.u32 l[r1.y], r9.x, 1\n(ss)(sy)bar.g\nsub.u r1.w, 127, r0.x\n(rpt5)nop\nshl.b r1.w, r1.w, 2\n"
     "(rpt5)nop\nldl.u32 r1.x, l[r1.w], 1\n(ss)(sy)(rpt5)nop\nstib.b.untyped.1d.u32.1.imm r1.x, r9.x, 0\nend\n", [],
     {0: [128 * (i // 128) + 127 - i % 128 for i in range(256)]}),
    ("private memory of 150 invocations", "1", HEAD.format(150) + "@pvtmem 600\n@buf 150\nmov.u32u32 r3.x, 592\nadd.u r2.x, r0.x, 7\n"
     "(rpt5)nop\nstp.u32 p[r3.x], r2.x, 1\n(ss)nop\nldp.u32 r4.x, p[r3.x], 1\n(sy)(rpt5)nop\nadd.u r4.x, r4.x, 1\n(rpt5)nop\n"
     "stib.b.untyped.1d.u32.1.imm r4.x, r0.x, 0\nend\n", [], {0: [i + 8 for i in range(150)]}),
    ("a branch in a loop", "1", HEAD.format(64) + "@branchstack 2\n@buf 64\nadd.u r1.y, r0.x, 1\nmov.u32u32 r1.x, 0\n"
     "l1:\n(jp)(rpt5)nop\ncmps.u.eq p0.x, r1.y, 1\n(rpt5)nop\nbr p0.x, #out\nand.b r1.z, r1.y, 1\n(rpt5)nop\ncmps.u.eq p0.y, r1.z, 0\n"
     "(rpt5)nop\nbr p0.y, #even\nshl.b r1.w, r1.y, 1\n(rpt5)nop\nadd.u r1.y, r1.y, r1.w\n(rpt5)nop\nadd.u r1.y, r1.y, 1\njump #next\n"
     "even:\n(jp)shr.b r1.y, r1.y, 1\nnext:\n(jp)add.u r1.x, r1.x, 1\njump #l1\nout:\n(jp)(rpt5)nop\n"
     "stib.b.untyped.1d.u32.1.imm r1.x, r0.x, 0\nend\n", [], {0: [collatz(i + 1) for i in range(64)]}),
    ("memory where the code wants it, below 4 GiB", "1", "@localsize 4,1,1\n@invocationid(r0.x)\nmov.u32u32 r1.x, 0x6a88000\n"
     "mov.u32u32 r1.y, 0\n(rpt5)nop\nldg.u32 r2.x, g[r1.x+8], 1\n(sy)(rpt5)nop\nadd.u r2.x, r2.x, r0.x\nshl.b r3.x, r0.x, 2\n(rpt5)nop\n"
     "add.u r1.x, r1.x, r3.x\n(rpt5)nop\nstg.u32 g[r1.x+16], r2.x, 1\nend\n", ["--memory", "0x6a88000=values:u32:1,2,30,0,0,0,0,0"],
     {"0x6a88000": [1, 2, 30, 0, 30, 31, 32, 33]}),
    ("descriptors by number, as drivers have them", "1", HEAD.format(8) + "@buf 8\n@ubo 4 7, 8, 9, 1000\n@buf 6 1, 2, 3, 4, 5, 6\n"
     "mov.u32u32 r2.x, 0\n(rpt5)nop\nldc.offset0.4.imm.base2 r3.x, 0, 1\nldib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 2\n(sy)(rpt5)nop\n"
     "add.u r1.x, r1.x, r3.w\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm.base4 r1.x, r0.x, 0\nend\n", [],
     {0: [1001, 1002, 1003, 1004, 1005, 1006, 1000, 1000], 1: [7, 8, 9, 1000], 2: [1, 2, 3, 4, 5, 6]}),
    ("headers of the command line", "1", "@buf 3\nadd.u r5.x, r7.x, c3.y\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm r5.x, r7.x, 0\nend\n",
     ["--header", "@localsize 3, 1, 1 @invocationid(r7.x)", "--header", "@const(c3.x) 0, 1000, 0, 0"], {0: [1000, 1001, 1002]}),
]


def works():
    for name, groups, text, args, want in ROWS:
        for gpu in GPUS:
            r = run("-", "--gpu", gpu, "--groups", groups, "--json", *args, text=text)
            case(f"{name}, {gpu}", r[0] == 0 and r[2] == "" and buffers(r) == want, (r[0], r[2], buffers(r), want))
    r = run("-", text="@buf 10 0x3f800000, 7\n@buf 1\nend\n")
    zeros, points = " ".join(["00000000"] * 6), " ".join(["0.000000"] * 6)
    case("text as of computerator", r == (0, f"buf[0]:\n\t3f800000 00000007 {zeros}\n\t00000000 00000000\n\t1.000000 0.000000 {points}\n"
                                          "\t0.000000 0.000000\nbuf[1]:\n\t00000000\n\t0.000000\n", ""), r)
    data, out = tmp / "in.bin", tmp / "out.bin"
    data.write_bytes(struct.pack("<4I", 1, 2, 3, 4))
    r = run("-", "--buf", f"0={data}", "--out", f"0={out}", text="@localsize 4,1,1\n@invocationid(r0.x)\n@buf 6\n"
            "ldib.b.untyped.1d.u32.1.imm r1.x, r0.x, 0\n(sy)(rpt5)nop\nadd.u r1.x, r1.x, r1.x\n(rpt5)nop\n"
            "stib.b.untyped.1d.u32.1.imm r1.x, r0.x, 0\nend\n")
    case("buffers from files and into files", r[0] == 0 and struct.unpack("<6I", out.read_bytes()) == (2, 4, 6, 8, 0, 0), r)
    two = "".join(f"Native code for unnamed CL shader (null) with sha1 {s}:\n@buf 1\nmov.u32u32 r0.x, 0\nmov.u32u32 r1.x, {v}\n(rpt5)nop\n"
                  "stib.b.untyped.1d.u32.1.imm r1.x, r0.x, 0\nend\n; CL: outputs:\n" for s, v in (("abc1", 11), ("abd2", 22)))
    r = run("-", "--json", "--shader", "abd", text=two)
    case("one listing of a log", buffers(r) == {0: [22]}, r)


def frag(code, *outs):
    return ("Native code for unnamed FRAG shader (null) with sha1 abc1:\n@in(r0.x) in0 (wrmask=0x3)\n" +
            "".join(f"@out({o}) out{i} (wrmask=0x{m:x})\n" for i, (o, m) in enumerate(outs)) + code + "\n; FRAG: outputs: r0.x\n")


def half(x):
    return struct.unpack("<H", struct.pack("<e", x))[0]


# Shaders of another stage: name, text, what is set, outputs as (register, values of each invocation).
BY_HAND = [
    ("a quad, one input for each", frag("add.u r2.x, r0.x, r0.y\n(rpt5)nop\nadd.u r2.y, r2.x, c1.z\nend", ("r2.x", 3)),
     ["r0.x=5,6", "r0.x[2]=100", "c1.z=7"], [("r2.x", [[11, 18], [11, 18], [106, 113], [11, 18]])]),
    ("floats, halves and shared registers", frag("mul.f r4.w, r0.x, (2.0)\n(ss)mov.u32u32 r5.x, r48.y\nadd.f hr0.z, hr6.x, hr6.y\n(rpt5)nop\nend",
                                                 ("r4.w", 3), ("hr0.z", 1)),
     ["r0.x=0.25", "r0.x[1]=-3.5", "r48.y=0xffff0000", "hr6.x=1.5,2.25", "hr6.y[3]=-1.0"],
     [("r4.w", [[bits(v), 0xffff0000] for v in (0.5, -7.0, 0.5, 0.5)]), ("hr0.z", [[half(v)] for v in (3.75, 3.75, 3.75, 0.5)])]),
    ("what is killed has no output, ends in a branch", frag(
        "cmps.u.eq p0.x, r0.x, 1\ncmps.u.gt p0.y, r0.x, 2\n(rpt5)nop\nkill p0.x\nmov.u32u32 r1.x, 10\nbr p0.y, #l8\nnop\nend\nl8:\n"
        "(jp)mov.u32u32 r1.x, 20\n(rpt5)nop\nend", ("r1.x", 1)),
     [f"r0.x[{i}]={i}" for i in range(4)], [("r1.x", [[10], None, [10], [20]])]),
    ("the next invocation in the quad", frag("quad_shuffle.horiz (u32)(x)r1.x, r0.x\n(sy)(rpt5)nop\nend", ("r1.x", 1)),
     [f"r0.x[{i}]={10 + i}" for i in range(4)], [("r1.x", [[11], [10], [13], [12]])]),
]


def by_hand():
    for name, text, sets, want in BY_HAND:
        for gpu in GPUS:
            r = run("-", "--gpu", gpu, "--json", *(x for s in sets for x in ("--set", s)), text=text)
            got = [(o["register"], o["invocations"]) for o in json.loads(r[1])["outputs"]] if r[0] == 0 else None
            case(f"by hand: {name}, {gpu}", got == want and r[2] == "", (r, want))
    r = run("-", "--set", "r0.x[1]=1.5", text=frag("nop\nend", ("r0.x", 3), ("hr9.y", 1)))
    case("outputs as text", r[0] == 0 and "r0.x:\n\t[0] 00000000 " in r[1] and "\n\t[1] 3fc00000 " in r[1] and "\nhr9.y:\n\t[0] " in r[1], r)
    r = run("-", "--json", "--groups", 3, "--set", "r1.x[1]=4", text="@localsize 2,1,1\n@wgid(r48.x)\n@invocationid(r0.x)\n@buf 6\n"
            "mov.u32u32 r2.y, 2\n(rpt5)nop\nmull.u r2.x, r48.x, r2.y\n(rpt5)nop\nadd.u r2.x, r2.x, r0.x\n(rpt5)nop\n"
            "stib.b.untyped.1d.u32.1.imm r1.x, r2.x, 0\nend\n")
    case("registers of each of several groups", buffers(r) == {0: [0, 4, 0, 4, 0, 4]}, r)
    r = run("-", "--set", "r0.x=1", text="nop\nnop\nshb r1.x, r0.x, r0.y\nend\n")
    hazard = "@buf 1\nmov.u32u32 r1.x, 5\nadd.u r2.x, r1.x, r3.x\nmov.u32u32 r4.x, 0\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm r2.x, r4.x, 0\nend\n"
    found = run("-", "--check", "hazards", "--set", "r3.x=7", text=hazard)
    none = run("-", "--check", "hazards", "--set", "r3.x=7", text=hazard.replace("add.u", "(rpt5)nop\nadd.u"))
    case("--check: a result that is not there yet", found[0] == 1 and "buf[0]:\n\t0000000c\n" in found[1] and
         re.search(r"\nearly: 0x\w+ instruction 1  add.u r2.x, r1.x, r3.x\n", found[1]) is not None and "\nhazards: 1 finding\n" in found[1], found)
    case("--check: none, nor in what lull puts around the kernel", none[0] == 0 and none[1].endswith("\nhazards: 0 findings\n"), none)
    case("numbers of instructions are the kernel's", r[0] == 1 and "at instruction 2: " in r[1] and "=> shb r1.x" in r[1], r)


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def shader_of_the_log():
    """What each instruction of the public shader must see, and write: (number, destinations, sources), for one invocation."""
    scale, total, i = struct.unpack("<f", struct.pack("<I", 0x3CA3D70A))[0], 0.0, 0
    yield from ((n, [0], [0] * (n > 0)) for n in range(5))
    while True:
        yield 5, [], [i]
        yield 6, [], [bits(total)] * 2  # its buggy sources: r0.x twice
        if i >= 4:
            break
        yield 7, [4 * i], [i]
        yield 8, [4 * i], [4 * i]
        yield 9, [], [4 * i]
        value = 5.0 * (i + 1)
        yield 10, [bits(value)], []
        after = f32(total + f32(scale * value))
        yield from ((n, [bits(after)], [bits(value), bits(total)]) for n in range(11, 15))
        total = after
        # Its destination is r1.x; but l77, to which the loop jumps, is the store of r0.x after instruction 4, into this record.
        yield 15, [bits(total)], [i]
        i += 1
    yield from ((n, [bits(total)], [bits(total)]) for n in (16, 17, 18))


def driver_listing():
    """A compute shader as Turnip printed it: out[i] = 2.5 * x[i] + y[i], if i is below the first push constant, c504.x."""
    log = traces / "turnip/listings_a630.txt.gz"
    if not log.exists():
        return skip("turnip/listings_a630.txt.gz is not here")
    r = run(log, "--json", "--shader", "45071507", "--groups", 2, "--header", "@localsize 256, 1, 1 @wgid(r48.x) @invocationid(r0.x)",
            "--header", "@buf 512 @buf 512 @buf 512", "--set", "c504.x=300", "--set", "c1.x=0", "--buf", "0=iota:512:f32", "--buf",
            "1=fill:100:512:f32")
    case("a listing of Turnip's as it is", r[0] == 0 and buffers(r).get(2) == floats(*(2.5 * i + 100 if i < 300 else 0 for i in range(512))),
         (r[0], r[2], buffers(r).get(2)))


def public_listing():
    """The instrumented shader of the public request for one quad: its records, for each invocation; and the log of hardware."""
    folder, base, room = traces / "ir3-instrument", 0x6A88000, 2 + 4 * 872 // 4
    if not folder.exists():
        return skip("ir3-instrument is not here")
    given = [x for n, v in enumerate((4, 5, 10, 15, 20)) for x in ("--set", f"c{n}.x={v}")]
    memory = f"0x{base:x}=values:u32:{base + 8},0" + ",0" * (room - 2)
    r = run(folder / "loop-instrumented.listing", "--json", "--memory", memory, *given)
    words = buffers(r).get(f"0x{base:x}", [0, 0])
    want = list(shader_of_the_log())
    sizes = {n: 2 + len(d) + len(s) for n, d, s in want}
    got, at = {n: [] for n in range(4)}, 2
    while at < (words[0] - base) // 4 and words[at] < 4 and words[at + 1] in sizes:
        who, n = words[at], words[at + 1]
        got[who].append((n, words[at + 2:at + sizes[n]]))
        at += sizes[n]
    case("instrumented: 872 bytes for each of four invocations", words[:2] == [base + 8 + 4 * 872, 4], (r[0], words[:4], r[2]))
    for who in range(4):
        case(f"instrumented: records of invocation {who}", got[who] == [(n, d + s) for n, d, s in want], got[who])
    case("instrumented: notes", all(x in r[2] for x in ("label l77", "stg g[A+B]", "stg.u16, as in 2021")), r[2])
    log = (folder / "loop-output.txt").read_text().splitlines()[2:]
    differ = collections.Counter()
    for (n, d, s), line, values in zip(want, log[::2], log[1::2]):
        said = [int(x, 16) for x in re.findall(r"\)=(?:0x)?([0-9a-f]+)", values)]
        differ[n] += line.split(":")[0] != f"[0/{n}]" or (said != d + s)
    case("instrumented: the log is right but where its stores came too late", set(+differ) == {8, 11, 12, 13, 14, 15} and
         differ[8] == 3 and all(differ[n] == 4 for n in range(11, 16)), differ)
    # In a wave of 128, for which its (rpt3)nop are enough (data/isa/ir3.haz).
    large = tmp / "records.bin"
    large.write_bytes(struct.pack("<I", base + 8) + bytes(128 * 872 + 4))
    r = run(folder / "loop-instrumented.listing", "--memory", f"0x{base:x}={large}", "--header", "@localsize 128, 1, 1", "--check", "hazards",
            *given)
    told = re.findall(r"^late-read: 0x\w+ instruction (\d+)  (\S+) (\S+),", r[1], re.M)
    case("instrumented: --check tells the six overwritten sources, and nothing else", r[0] == 1 and "\nhazards: 6 findings\n" in r[1] and
         collections.Counter(x[1] for x in told) == {"mad.f32": 4, "add.u": 1, "cov.u32s16": 1}, (r[0], told, r[1][-400:]))
    r = run(folder / "loop.listing", "--json", *given)
    out = json.loads(r[1])["outputs"] if r[0] == 0 else []
    case("the shader itself: its colour", out == [{"register": "r0.w", "invocations": [[0x3F7FFFFF] * 4] * 4}], r)


def examples():
    """What docs/tour.md shows."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "examples"
    r = run(folder / "halve.asm", "--gpu", "a660", "--groups", 2, "--buf", "1=iota:8:f32", "--json", "--check", "hazards")
    first = (r[0], r[1].split("\n")[0], r[2])
    case("halve.asm", r[0] == 0 and buffers(first) == {0: floats(*(i / 2 for i in range(8))), 1: floats(*range(8))}, r)
    r = run(folder / "quad.listing", "--set", "r0.x=0.25", "--set", "r0.x[1]=1.5", "--json")
    want = [[floats(2 * a, b) for a, b in ((0.25, 1.5), (1.5, 0.25), (0.25, 0.25), (0.25, 0.25))]]
    case("quad.listing", r[0] == 0 and [o["invocations"] for o in json.loads(r[1])["outputs"]] == want, r)


def goes_wrong():
    r = run("-", "--json", text="@localsize 4,1,1\n@invocationid(r0.x)\n@buf 4 (c1.x)\nmov.u32u32 r1.x, c1.x\nmov.u32u32 r1.y, c1.y\n"
            "shl.b r2.x, r0.x, 12\n(rpt5)nop\nadd.u r1.x, r1.x, r2.x\n(rpt5)nop\nstg.u32 g[r1.x], r0.x, 1\nend\n")
    said = json.loads(r[1])
    case("a page fault says where", r[0] == 1 and said["result"] == "page fault" and said["faults"][0]["write"] and
         said["faults"][0]["who"] == "wave 0 of group 0,0,0 at instruction 6, fiber 1" and
         said["faults"][0]["instruction"] == "stg.u32 g[r1.x], r0.x, 1" and
         "0xff0 bytes past the end of buf[0]" in said["faults"][0]["where"], r)
    r = run("-", "--groups", 5, "--set", "r9.y=7", text="@localsize 70,1,1\n@wgid(r48.x)\n@invocationid(r0.x)\nadd.u r9.x, r0.x, r48.y\n"
            "cmps.u.eq p0.x, r0.x, 66\ncmps.u.eq p0.y, r48.x, 3\n(rpt5)nop\nbraa p0.x, p0.y, #bad\nend\nbad:\n(jp)mov.u32u32 r1.x, 0x10\n"
            "mov.u32u32 r1.y, 0\n(rpt5)nop\nldg.u32 r2.x, g[r1.x], 1\nend\n")
    case("who it was: group, wave and fiber", r[0] == 1 and r[1] == "page fault at 0x10, read: in no buffer\n"
         "  wave 0 of group 3,0,0 at instruction 9, fiber 66\n  => ldg.u32 r2.x, g[r1.x], 1\n", r)
    r = run("-", text="@buf 1\nnop\nshb r1.x, r0.x, r0.y\nend\n")
    case("an instruction that the model does not know", r[0] == 1 and "wave 0 of group 0,0,0 at instruction 1: " in r[1] and
         "=> shb r1.x, r0.x, r0.y\n" in r[1], r)
    r = run("-", "--timeout", 5, text="@buf 1 9\nl0:\njump #l0\nend\n")
    case("an endless loop", r[0] == 124 and r[1].startswith("hang: no end in 5 ms of GPU time\n  wave 0 of group 0,0,0 at instruction 0\n"
                                                            "  => jump #0\nbuf[0]:\n\t00000009\n"), r)
    r = run("-", "--timeout", 5, "--json", "--set", "r5.x=1", text="@localsize 128,1,1\n@invocationid(r0.x)\nmov.u32u32 r40.x, 1\n"
            "cmps.u.lt p0.x, r0.x, 64\n(rpt5)nop\nbr p0.x, #l5\nbar.g\nl5:\n(jp)nop\nl6:\njump #l6\nend\n")
    waves = [(w["wave"], w["at"], w["barrier"], w["instruction"]) for w in json.loads(r[1])["waves"]]
    case("a barrier that not all come to", r[0] == 124 and waves == [(0, 6, False, "jump #0"), (1, 4, True, "bar.g")], (r, waves))


# name, exit status, text, arguments, what the message has.
REFUSED = [
    ("no code", 3, "@buf 4\n", [], "the listing has no code"),
    ("no instruction", 3, "@buf 4\nfoo r0.x\nend\n", [], "-: line 2: column "),
    ("an unknown header", 3, "@bufs 4\nend\n", [], "-: line 1: there is no header @bufs"),
    ("a large group", 2, "\n@localsize 64, 64, 1\nend\n", [], "-: line 2: @localsize 64, 64, 1: a group has 1 to 1024 invocations"),
    ("a group of 0", 2, "@localsize 0, 1, 1\nend\n", [], "a group has 1 to 1024"),
    ("a buffer of 0", 2, "@buf 0\nend\n", [], "-: line 1: @buf of 0 dwords"),
    ("more values than room", 2, "@buf 2 1, 2, 3\nend\n", [], "@buf of 2 dwords has 3 values"),
    ("17 buffers", 2, "@buf 1\n" * 17 + "end\n", [], "-: line 17: more than 16"),
    ("an id in a shared register", 2, "@invocationid(r48.x)\nend\n", [], "@invocationid needs a full register below r48.x"),
    ("a group id in another", 2, "@wgid(r4.x)\nend\n", [], "@wgid needs a full register from r48.x"),
    ("textures", 3, "@tex(r0.x) src=0, samp=0, tex=0, type=f32\nend\n", [], "kernels cannot have textures"),
    ("constants behind the end", 2, "@const(c511.y) 1, 2, 3, 4\nend\n", [], "constants behind c511.w"),
    ("no such GPU", 2, "end\n", ["--gpu", "a550"], "'a550' is not one of a630, a660 and a740"),
    ("groups of words", 2, "end\n", ["--groups", "many"], "--groups: 'many' is not X, X,Y or X,Y,Z"),
    ("no such buffer", 2, "@buf 1\nend\n", ["--buf", "1=zeros:4"], "buf[1]: the kernel has 1 of @buf"),
    ("too much for a buffer", 2, "@buf 1\nend\n", ["--buf", "0=iota:2:u32"], "buf[0]: 8 bytes for a buffer of 4"),
    ("a buffer twice", 2, "@buf 1\nend\n", ["--buf", "0=iota:1:u32", "--buf", "0=iota:1:u32"], "it is given twice"),
    ("no content", 2, "@buf 1\nend\n", ["--buf", "0"], "--buf: '0' is not NUMBER=..."),
    ("an odd address", 2, "end\n", ["--memory", "0x1001=zeros:4"], "not a multiple of 4096"),
    ("an address too low", 3, "end\n", ["--memory", "0x1000=zeros:4"], "0x1000"),
    ("no memory to write out", 2, "end\n", ["--out", "0x2000=x"], "0x2000: no --memory lies there"),
    ("code as a header", 2, "end\n", ["--header", "nop"], "--header 'nop': it is not a header"),
    ("half a header", 2, "end\n", ["--header", "@const(c0.x) 1"], "--header '@const(c0.x) 1': line 1: "),
    ("a register that is not there", 2, "end\n", ["--set", "r60.x=1"], "--set: 'r60.x=1' is not rN.x=V"),
    ("a component that is not there", 2, "end\n", ["--set", "r1.q=1"], "--set: 'r1.q=1' is not rN.x=V"),
    ("a shared register of one invocation", 2, "end\n", ["--set", "r48.x[1]=1"], "is not rN.x=V"),
    ("an invocation too many", 2, "end\n", ["--set", "r1.x[1]=1"], "invocation 1: a group has 1"),
    ("a value that does not fit", 2, "end\n", ["--set", "hr1.x=65536"], "'hr1.x=65536': a value is not a number that fits"),
    ("a value of words", 2, "end\n", ["--set", "r1.x=1,two"], "a value is not a number"),
    ("constants behind c511.w", 2, "end\n", ["--set", "c511.z=1,2,3"], "there are fewer registers"),
    ("no register left", 3, "mov.u32u32 r47.w, 1\nend\n", ["--set", "r1.x=1"], "the kernel uses all registers"),
    ("no such shader", 2, "end\n", ["--shader", "4"], "--shader: '4' is neither"),
    ("missing file", 3, None, [], "/nowhere.asm"),
]

works()
by_hand()
driver_listing()
public_listing()
examples()
goes_wrong()
for name, status, text, args, said in REFUSED:
    r = run("-" if text is not None else "/nowhere.asm", *args, text=text)
    case(f"refused: {name}", r[0] == status and r[1] == "" and said in r[2] and r[2].startswith("lull ir3: "), r)
end()
