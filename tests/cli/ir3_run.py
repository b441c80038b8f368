#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull ir3 run: kernels as files of Mesa's computerator, on each GPU, with what they must leave in their buffers as it is computed
here; what goes wrong and what is refused. ir3_run.py LULL TRACES."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

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


def goes_wrong():
    r = run("-", "--json", text="@localsize 4,1,1\n@invocationid(r0.x)\n@buf 4 (c1.x)\nmov.u32u32 r1.x, c1.x\nmov.u32u32 r1.y, c1.y\n"
            "shl.b r2.x, r0.x, 12\n(rpt5)nop\nadd.u r1.x, r1.x, r2.x\n(rpt5)nop\nstg.u32 g[r1.x], r0.x, 1\nend\n")
    said = json.loads(r[1])
    case("a page fault says where", r[0] == 1 and said["result"] == "page fault" and said["faults"][0]["write"] and
         "0xff0 bytes past the end of buf[0]" in said["faults"][0]["where"], r)
    r = run("-", text="@buf 1\nnop\nshb r1.x, r0.x, r0.y\nend\n")
    case("an instruction that the model does not know", r[0] == 1 and "wave 0 of group 0,0,0 at instruction 1: " in r[1] and
         "=> shb r1.x, r0.x, r0.y\n" in r[1], r)
    r = run("-", "--timeout", 5, text="@buf 1 9\nl0:\njump #l0\nend\n")
    case("an endless loop", r[0] == 124 and r[1].startswith("hang: no end in 5 ms of GPU time\nbuf[0]:\n\t00000009\n"), r)


# name, exit status, text, arguments, what the message has.
REFUSED = [
    ("no code", 3, "@buf 4\n", [], "there is no code"),
    ("no instruction", 3, "@buf 4\nfoo r0.x\nend\n", [], "-: line 2: column "),
    ("an unknown header", 3, "@bufs 4\nend\n", [], "-: line 1: there is no header @bufs"),
    ("a large group", 2, "\n@localsize 64, 64, 1\nend\n", [], "-: line 2: @localsize 64, 64, 1: a group has 1 to 1024 invocations"),
    ("a group of 0", 2, "@localsize 0, 1, 1\nend\n", [], "a group has 1 to 1024"),
    ("a buffer of 0", 2, "@buf 0\nend\n", [], "-: line 1: @buf of 0 dwords"),
    ("more values than room", 2, "@buf 2 1, 2, 3\nend\n", [], "@buf of 2 dwords has 3 values"),
    ("17 buffers", 2, "@buf 1\n" * 17 + "end\n", [], "-: line 17: more than 16"),
    ("an id in a shared register", 2, "@invocationid(r48.x)\nend\n", [], "@invocationid needs a full register below r48.x"),
    ("a group id in another", 2, "@wgid(r4.x)\nend\n", [], "@wgid needs a full register from r48.x"),
    ("textures", 3, "@tex(r0.x) src=0, samp=0, tex=0, type=f32\nend\n", [], "there are no textures"),
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
    ("no such shader", 2, "end\n", ["--shader", "4"], "--shader: '4' is neither"),
    ("missing file", 3, None, [], "/nowhere.asm"),
]

works()
goes_wrong()
for name, status, text, args, said in REFUSED:
    r = run("-" if text is not None else "/nowhere.asm", *args, text=text)
    case(f"refused: {name}", r[0] == status and r[1] == "" and said in r[2] and r[2].startswith("lull ir3: "), r)
end()
