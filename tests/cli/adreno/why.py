#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`why` in lull debug --gpu a660: why.py LULL DISPATCH SHADERS LULL_RUN_ARM64 ARM64 BUGS. One TAP line a case.

Which fiber, instruction and word of memory a value comes from, and the values on the way, are computed here from what the shaders say.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "shim"), str(pathlib.Path(__file__).resolve().parent)]
import arm64_tools  # noqa: E402
import session  # noqa: E402
from session import check, insn, need  # noqa: E402

lull, dispatch, shaders = sys.argv[1:4]
host, root, bugs = sys.argv[4], pathlib.Path(sys.argv[5]), pathlib.Path(sys.argv[6])
session.begin(lull, dispatch, shaders)
BASE = "($c0.x | 0x100000000)"
START = 0x100002000  # of the buffer


def nodes(shader, local, groups, commands, **how):
    """Of the first `why`; what was asked for stands first."""
    r = session.objects(shader, local, groups, ["catch dispatch", "run", *commands], **how)
    return next(x["nodes"] for x in r if "nodes" in x)


def value(n):
    return int(n["value"], 0)


def turns(group):
    """What the 256 invocations of a group of turns.asm have: in front of the first of six rounds, and behind each."""
    v = [[256 * group + i + 3 for i in range(256)]]
    for _ in range(6):
        v.append([(3 * v[-1][i] + v[-1][(i + 64) % 256]) % 2**32 for i in range(256)])
    return v


def across_waves():
    """A word of the output, through six rounds of shared memory: which wave and fiber stored what, down to the number of each fiber and of the group."""
    at = 44
    got = nodes("turns", 256, 3, [f"break *$code+{insn('turns', 'end'):#x} if $r48.x == 2", "continue", f"why -depth 40 {{u32}}({BASE} + {4 * (256 + at)})"])
    v = turns(1)
    check((value(got[0]), got[0]["lane"], "stg" in got[0]["instruction"]), (v[6][at], at, True), "the store")
    local = {(int(n["place"].split()[1], 16) // 4, value(n), n["lane"], n["wave"] % 4) for n in got if n["place"].startswith("LDS")}
    want = set()
    for k in range(1, 6):  # the value of round 6 - k of fibers 64 k further on; of those the same.
        for back in range(6 - k + 1):
            slot = (at + 64 * k) % 256
            want.add((slot, v[back][slot], slot % 64, slot // 64))
    check(local - want, set(), "shared memory")
    check({(s, x) for s, x, *_ in local} >= {((at + 64 * k) % 256, v[6 - k][(at + 64 * k) % 256]) for k in range(1, 6)}, True, f"rounds: {sorted(local)}")
    check({value(n) for n in got if n["how"] == "start" and n["place"] == "r0.x"}, {44, 108, 172, 236}, "numbers of fibers")
    check({value(n) for n in got if n["how"] == "start" and n["place"] == "r48.x"}, {1}, "the group")
    check({n["how"] for n in got}, {"made", "start", "again"}, "all is explained")


def atomics():
    """The counter: each addition of what was there before, down to 0; -control leads to the comparison of the loop."""
    got = nodes("turns", 256, 3, [f"break *$code+{insn('turns', 'end'):#x} if $r48.x == 2", "continue", f"why -depth 60 {{u32}}({BASE} + 0x2000)"])
    counts = [value(n) for n in got if n["place"] == f"{START + 0x2000:#x}"]
    check((counts[0] > 512, counts), (True, list(range(counts[0], -1, -64))), "the counter, a wave at a time")
    check([n["how"] for n in got if n["place"] == f"{START + 0x2000:#x}" and value(n) == 0], ["never written"], "the end")
    got = nodes("turns", 256, 1, [f"break *$code+{insn('turns', 'end'):#x}", "continue", f"why -depth 4 -control {{u32}}({BASE} + 8)"])
    p = [n for n in got if n["place"] == "p0.x" and n["parent"] == 0]
    check([(value(n), n["instruction"].startswith("cmps.s.lt p0.x, r1.x, 6")) for n in p], [(0, True)], "who decided")
    rounds = [value(n) for n in got if n["place"] == "r1.x" and n["how"] == "made"]
    check(rounds[:2], [6, 5], "rounds")


def places():
    """A register of the focused fiber, of another one, of the second half of a wave of 128; the focus and the time stay."""
    end = insn("turns", "end")
    stop = ["catch dispatch", "run", f"break *$code+{end:#x}", "continue", "wg 0 thread 100", "info when"]
    r = session.objects("turns", 256, 1, [*stop, "why -depth 1 $r0.x", "why -depth 1 $r2.x[7]", "info when", "print $_lane"], how="wide")
    r = r[len(stop):len(stop) + 4]
    check([(value(x["nodes"][0]), x["nodes"][0]["how"]) for x in r[:2]], [(100, "start"), (64 + 7, "made")], "registers")
    check(r[0]["nodes"][0]["place"], "r0.x", "its name")
    check(int(r[3]["value"], 0), 36, "$_lane")
    out = session.debug("turns", 64, 1, ["catch dispatch", "run", "stepi", "why $c0.x", "why $r0.x"])
    need(out, r"^\$c0\.x = 8192  in the file of constants: the host put it there$", r"^\$r0\.x = 0  the wave started with it$")
    out = session.debug("turns", 64, 1, ["catch dispatch", "run", "stepi", "why $nothing"], status=3)
    need(out, r"no register '\$nothing'")


# What fiber 5 has in r3.x, and of whose r2.x, r2.y, r2.z it is made: by the words of the instruction set. r1.w is 4 times the fiber's number. Fibers have
# loaded word 2 n and the two behind it.
ROWS = {
    "mov": ("mov.u32u32 r3.x, r2.x", {(5, 0)}),
    "rpt": ("(rpt2)mov.u32u32 r2.w, (r)r2.x\n(rpt5)nop\nmov.u32u32 r3.x, r3.y", {(5, 2)}),
    "swz": ("swz.u32u32 r3.y, r3.x, r2.x, r2.z", {(5, 2)}),
    "gat": ("gat.u32u32 r3.x, r2.y, r2.x, r2.x, r2.x", {(5, 1)}),
    "sct": ("sct.u32u32 r9.x, r9.y, r3.x, r9.w, r2.x\n", {(5, 2)}),
    "shfl.xor": ("shfl.xor.u32 r3.x, r2.x, 9", {(12, 0)}),
    "shfl.up": ("shfl.up.u32 r3.x, r2.y, 3", {(2, 1)}),
    "shfl.down": ("shfl.down.u32 r3.x, r2.x, 3", {(8, 0)}),
    "shfl.xor, wide": ("shfl.xor.u32 r3.x, r2.x, 64", {(69, 0)}),
    "quad_shuffle.horiz": ("quad_shuffle.horiz (u32)(x)r3.x, r2.x", {(4, 0)}),
    "quad_shuffle.vert": ("quad_shuffle.vert (u32)(x)r3.x, r2.x", {(7, 0)}),
    "quad_shuffle.diag": ("quad_shuffle.diag (u32)(x)r3.x, r2.x", {(6, 0)}),
    "brcst.active": ("mov.u32u32 r3.x, r2.y\n(rpt5)nop\nbrcst.active.w8 (u32)(x)r3.x, r2.x", {(3, 0)}),
    "brcst.active keeps": ("mov.u32u32 r3.x, r2.y\n(rpt5)nop\nbrcst.active.w16 (u32)(x)r3.x, r2.x", {(5, 1)}),
    "shared": ("mov.u32u32 r48.y, r2.x\n(ss)(rpt5)nop\nadd.u r3.x, r48.y, r2.y", {(0, 0), (5, 1)}),
    "a register that a0.x chooses": ("cov.u32u16 hr7.x, r10.x\n(rpt5)nop\nmova a0.x, hr7.x\n(rpt5)nop\nmov.u32u32 r3.x, r<a0.x + 8>", {(5, 1)}),
    "a result that a0.x chooses": ("mov.u32u32 r3.x, r2.y\ncov.u32u16 hr7.x, r10.y\n(rpt5)nop\nmova a0.x, hr7.x\n(rpt5)nop\nmov.u32u32 r<a0.x + 10>, r2.x", {(5, 0)}),
    "halves": ("cov.u32u16 hr6.x, r2.x\ncov.u32u16 hr6.y, r2.y\n(rpt5)nop", {(5, 0), (5, 1)}),
    "a half": ("mov.u32u32 r3.x, r2.x\n(rpt5)nop\ncov.u32u16 hr6.y, r2.z\n(rpt5)nop", {(5, 0), (5, 2)}),
    "shared memory": ("stl.u32 l[r1.w], r2.x, 1\n(ss)(rpt5)nop\n(ss)(sy)bar.g\nldl.u32 r3.x, l[r1.w+8], 1\n(ss)nop", {(7, 0)}),
    "shared memory, two words": ("mov.u32u32 r4.x, r0.x\n(rpt5)nop\nshl.b r4.x, r4.x, 3\n(rpt5)nop\nstl.u32 l[r4.x], r2.x, 2\n(ss)(rpt5)nop\n(ss)(sy)bar.g\nldl.u32 r3.x, l[r4.x+4], 1\n(ss)nop", {(5, 1)}),
    "an atomic of shared memory": ("stl.u32 l[r1.w], r2.x, 1\n(ss)(rpt5)nop\natomic.add.untyped.1d.u32.1.l r9.x, l[r1.w], r2.y\n(ss)(rpt5)nop\nldl.u32 r3.x, l[r1.w], 1\n(ss)nop",
                                   {(5, 0), (5, 1)}),
    "what an atomic gives": ("stl.u32 l[r1.w], r2.z, 1\n(ss)(rpt5)nop\natomic.add.untyped.1d.u32.1.l r3.x, l[r1.w], r2.y\n(ss)(rpt5)nop", {(5, 2)}),
    "a constant": ("stc.u32 c[40], r2.y, 1\n(ss)(rpt5)nop\nadd.u r3.x, c10.x, r2.z", {(0, 1), (5, 2)}),
    "memory": ("stg.a.u32 g[r41.x+(r0.x)<<2], r2.y, 1\n(sy)(ss)(rpt5)nop\n(sy)(ss)bar.g\nshl.b r8.x, r0.x, 2\n(rpt5)nop\nadd.u r8.x, r8.x, r41.x\nmov.u32u32 r8.y, r41.y\n"
               "(rpt5)nop\nldg.u32 r3.x, g[r8.x+12], 1\n(sy)nop", {(8, 1)}),
}
HEAD = """mov.u32u32 r41.x, c0.x
mov.u32u32 r41.y, c0.y
mov.u32u32 r10.x, 1
mov.u32u32 r10.y, 2
mov.u32u32 r10.z, 0x400
mov.u32u32 r10.w, 0x4000
shl.b r1.w, r0.x, 2
shl.b r1.z, r0.x, 3
(rpt5)nop
add.u r1.x, r1.z, r41.x
mov.u32u32 r1.y, r41.y
(rpt5)nop
add.u r1.x, r1.x, r10.z
(rpt5)nop
ldg.u32 r2.x, g[r1.x], 3
(sy)(rpt5)nop
"""
TAIL = "(rpt5)nop\nadd.u r41.x, r41.x, r10.w\n(rpt5)nop\nstg.a.u32 g[r41.x+(r0.x)<<2], r3.x, 1\nend\n"


def rows():
    """Each kind of instruction: the words of memory that its result comes from, of the fibers that it reads, and no other."""
    for k, (name, (body, want)) in enumerate(ROWS.items()):
        text = f"{HEAD}{body}\n{TAIL}"
        (session.here / f"row{k}.asm").write_text(text)
        end = 8 * (len([line for line in text.splitlines() if line]) - 1)
        got = nodes(f"row{k}", 128, 1, [f"break *$code+{end:#x}", "continue", *(["continue"] if "wide" not in name else []),
                                        f"why -depth 20 {{u32}}({BASE} + {0x4000 + 4 * 5:#x})"], how="wide" if "wide" in name else None)
        read = {((int(n["place"], 16) - START - 0x400) // 4, value(n)) for n in got if n["place"].startswith("0x") and n["how"] == "never written"}
        words = {2 * fiber + k for fiber, k in want}
        check(read, {(n, 0xD0000000 + n) for n in words}, f"{name}: {json.dumps(got)[:1500]}")


ENV = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
ENV.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true")
PRIVATE = """#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer A { uint values[]; };
layout(push_constant) uniform P { uint n; };
void main() {
    uint t[200];
    uint i = gl_GlobalInvocationID.x;
    for (uint k = 0; k < n; k++)
        t[(k * 7 + values[i]) % 200] = k * 3 + i;
    values[i] = t[(i * 7) % 200] + 5;
}
"""


def vulkan(path, args, *commands, gpu="a660"):
    """Replies of a session in which a Vulkan shader runs under Turnip, up to its end."""
    spirv = session.here / f"{path.name}.spv"
    subprocess.run(["glslangValidator", "-V", "--quiet", path, "-o", spirv], check=True, capture_output=True)
    program = ["--", host, "run", str(spirv), *args.split(), "--vulkan-device", "Turnip"]

    def ask(*commands):
        words = [w for c in ("catch dispatch", "run", *commands) for w in ("-ex", c)]
        r = subprocess.run([lull, "debug", "--gpu", gpu, "-batch", "--json", *words, *program], capture_output=True, text=True, timeout=100, env=ENV)
        if r.returncode != 0:
            raise AssertionError(f"{path.name}: {r.stdout[-1000:]} {r.stderr}")
        return session.replies(r.stdout)

    text = next(x["text"] for x in ask("info pipeline code", "kill") if "instructions, waves" in x.get("text", ""))
    stop = re.search(r"\+(0x[0-9a-f]+)>: (\(\w+\))*end$", text, re.M)[1]
    r = ask(f"break *$code+{stop}", *commands, "kill")
    return [x["access"] for x in r if "access" in x] or [x["nodes"] for x in r if "nodes" in x]


def ends(n):
    """Places and values that nobody has written."""
    return {(x["place"], value(x)) for x in n if x["how"] == "never written"}


def private():
    """Memory of each fiber, written in a loop: the store of the round that counts, in both halves of a wave."""
    path = session.here / "private.comp"
    path.write_text(PRIVATE)
    for i in (11, 100):
        n, = vulkan(path, "--groups 1 --bind 0.0=zeros:512 --push u32:200", "continue", f"why -depth 2 b0[{i}]")
        at = (i * 7) % 200
        k = next(k for k in range(199, -1, -1) if k * 7 % 200 == at)
        own = [x for x in n if x["place"].startswith("scratch")]
        check([(x["place"], value(x), x["lane"], x["instruction"].split(".")[0][-3:]) for x in own], [(f"scratch {4 * at:#x}", 3 * k + i, i % 64, "stp")], "the store")
        check(value(n[0]), 3 * k + i + 5, "the output")


FETCHED = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint x[]; } from;
layout(set = 0, binding = 1) readonly buffer B { uvec2 y[]; } pairs;
layout(set = 0, binding = 2) buffer C { uint z[]; } to;
void main() {
    uint i = gl_GlobalInvocationID.x;
    to.z[i] = from.x[63 - i] * 5 + pairs.y[i].y;
}
"""


def fetched():
    """What is only read comes by isam, of words on a630, of vectors on a660: back to the buffers, by the names of the program's variables."""
    path = session.here / "fetched.comp"
    path.write_text(FETCHED)
    for gpu in ("a660", "a630"):
        n, = vulkan(path, "--groups 1 --bind 0.0=iota:64:u32 --bind 0.1=iota:128:u32 --bind 0.2=zeros:256", "continue", "why -depth 20 to[9]", gpu=gpu)
        check((value(n[0]), ends(n)), (54 * 5 + 19, {(f"from+{4 * 54:#x}", 54), (f"pairs+{4 * 19:#x}", 19)}), gpu)


def bug(name, args, *commands):
    return vulkan(bugs / f"{name}.comp", args, *commands)


def causes():
    """Each planted bug that runs here: what the question leads to."""
    n, = bug("missing_barrier", "--groups 2 --bind 0.0=iota:256:u32 --subgroup-size 64", *["continue"] * 4, "why b0[1]")
    leaf = n[-1]
    check((leaf["how"], leaf["place"], leaf["lane"], leaf["wave"]), ("later", f"LDS {4 * 126:#x}", 62, 1), "missing_barrier: who stores to the tile later")
    n, m = bug("unset_slot", "--groups 1 --bind 0.0=iota:128:u32 --push u32:120", "continue", "why b0[3]", "why b0[30]")
    check([(x["place"], x["how"]) for x in n if x["place"].startswith("LDS")], [(f"LDS {4 * 124:#x}", "never written")], "unset_slot: a slot that nobody writes")
    check(ends(m), {(f"Out+{4 * 97:#x}", 97)}, "unset_slot: another one")
    n, = bug("wrong_owner", "--groups 2 --bind 0.0=zeros:1024", "continue", "continue", "why b0[3]")
    check(([value(n[0]), *[value(x) for x in n if x.get("earlier")]], [value(x) for x in n if x["place"] == "r48.x" and x["how"] == "start"]), ([67, 3], [1, 0]),
          "wrong_owner: two workgroups store there")
    of = ("push_bound", "--groups 1 --bind 0.0=zeros:256 --push u32:256")  # A register names the descriptor.
    va = bug(*of, "tbreak *b0.use", "continue", "info access")[0][0]["va"]
    n, = bug(*of, "continue", f"why -control {{u32}}({va} + 12)")
    bound = [x for x in n if x["place"] == "c504.x"]
    check([(value(x), x["how"], n[x["parent"]]["place"]) for x in bound], [(256, "start", "p0.x")], "push_bound: what is compared with is bytes")
    n, = bug("normalize", "--groups 1 --bind 0.0=zeros:1024", "continue", "why -depth 20 b0[12]")
    check((value(n[0]) & 0x7f800000, ends(n)), (0x7f800000, {(f"Vectors+{4 * k:#x}", 0) for k in (12, 13, 14)}), "normalize: a vector of zeros")
    rsq = [x for x in n if x.get("instruction", "").startswith("rsq") and x["how"] == "made"]
    check([value(x) for x in rsq], [0x7f800000], "normalize: by its infinite length")
    n, = bug("divide", "--groups 1 --bind 0.0=iota:64:u32", "continue", "why -depth 60 b0[0]")
    check(ends(n), {("Out+0x0", 0)}, "divide: a divisor of 0")
    n, = bug("divergent_barrier", "--groups 2 --bind 0.0=zeros:1024 --push u32:2 --subgroup-size 64", *["continue"] * 4, "why -depth 20 -control b0[3]")
    check(any(x["place"] == "c504.x" and value(x) == 2 for x in n) or any("atomic.add" in x.get("instruction", "") for x in n), True, f"divergent_barrier: {n}")


def texels():
    """A store to an image: which fiber the texel is of, and who stored there before."""
    path = bugs / "image_row.comp"
    args = "--groups 2 --bind 0.0=image:64x4:r32ui --push i32:63"
    # Texel 63 of the first row: its 4 bytes are where 64, of the second workgroup's first fiber, stands.
    spirv = session.here / "image_row.comp.spv"
    vulkan(path, args)
    words = [w for c in ("catch dispatch", "run", "stepi", "info descriptors", "kill") for w in ("-ex", c)]
    r = session.replies(subprocess.run([lull, "debug", "--gpu", "a660", "-batch", "--json", *words, "--", host, "run", str(spirv), *args.split()],
                                       capture_output=True, text=True, timeout=100, env=ENV).stdout)
    text = next(x["descriptors"] for x in r if "descriptors" in x)[0]["text"]
    base = int(re.search(r"BASE_LO = (0x[0-9a-f]+)", text)[1], 16) | int(re.search(r"BASE_HI = (0x[0-9a-f]+)", text)[1], 16) << 32
    # Found by looking for that number: the image lies in tiles.
    n, = vulkan(path, args, "continue", "continue", f"why -depth 2 {{u32}}{base + 0xdd4:#x}")
    check((value(n[0]), n[0]["lane"], "stib.b.typed" in n[0]["instruction"]), (64, 0, True), "the store")
    check([(value(x), x["lane"]) for x in n if x.get("earlier")], [(63, 63)], "who stored there before")


ARM64 = (private, fetched, causes, texels)
session.run([across_waves, atomics, places, rows, *ARM64], lambda case: arm64_tools.absent(root) if case in ARM64 else None)
