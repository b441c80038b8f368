#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many steps at once in lull debug: stepping.py LULL SOURCE-ROOT. A wave that is told to step many instructions goes on by itself where nobody has to
look. It must come to where the same number of single steps, each with the host in between, brings it; what the kernels compute is computed here, too."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
ENV = os.environ | {"HOME": str(work)}
(work / "mix.cl").write_text("""\
__attribute__((noinline)) uint twist(uint p) { return (p ^ (p >> 7)) * 1664525u + 1013904223u; }
kernel void mix(global uint *out, uint n)
{
    local uint room[64];
    uint p = get_global_id(0), l = get_local_id(0);
    for (uint i = 0; i < n; i++) {
        p = twist(p);
        if ((p & 3) == 0) p += i;
        room[l] = p; barrier(CLK_LOCAL_MEM_FENCE); p += room[63 - l];
    }
    out[get_global_id(0)] = p;
}
""")
(work / "line.cl").write_text("""\
kernel void line(global uint *out, uint n)
{
    uint p = get_global_id(0);
    for (uint i = 0; i < n; i++) p = (p ^ (p >> 7)) * 1664525u + 1013904223u;
    out[get_global_id(0)] = p;
}
""")
MIX = ["mix.cl", "--grid", "128", "--block", "64", "--arg", "zeros:512:name=out", "--arg", "u32:40"]
LINE = ["line.cl", "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out", "--arg", "u32:4000"]
LOOP = [str(root / "examples/loop.s"), "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out"]
STATE = "info registers\np $pc\n"


def run(kernel, script):
    (work / "script").write_text(script)
    return subprocess.run([lull, "debug", "-batch", "-x", "script", *kernel], capture_output=True, text=True, cwd=work, env=ENV, timeout=120)


def state(r):
    """What stands behind the mark."""
    return r.returncode, r.stdout.split("[mark]")[-1]


def same(name, kernel, first, many, single, n, after=STATE):
    """`many` against n times `single`."""
    a = run(kernel, first + many + "\necho [mark]\n" + after)
    b = run(kernel, first + "".join(f"{single}\n" for _ in range(n)) + "echo [mark]\n" + after)
    case(name, state(a) == state(b) and state(a)[0] == 0 and len(state(a)[1]) > 1000, (state(a)[1][:600], state(b)[1][:600], a.stderr, b.stderr))


def instructions():
    for opt in ("0", "2"):
        kernel = ["-O", opt, *MIX]
        for n in (2, 60, 257, 700):
            same(f"-O{opt}: stepi {n}, with barriers and calls on the way", kernel, "start\n", f"stepi {n}", "stepi", n)
        same(f"-O{opt}: nexti 300", kernel, "start\n", "nexti 300", "nexti", 300)
    same("another wave of the group", MIX, "start\nwave 1\n", "stepi 500", "stepi", 500)
    same("a breakpoint that does not count is no stop", MIX, "break mix.cl:8 if i == 100\nstart\n", "stepi 600", "stepi", 600)
    same("... nor one in another's code", MIX, "break mix.cl:12\nstart\n", "stepi 600", "stepi", 600)
    same("exceptions on", MIX, "catch fp divzero\nstart\n", "stepi 400", "stepi", 400)


def counts():
    """examples/loop.s: at its line of s_sub_i32 for the n-th time s2 is 251 - n, v2 is n (i + 1)."""
    text = (root / "examples/loop.s").read_text().splitlines()
    at = next(i + 1 for i, t in enumerate(text) if "s_sub_i32" in t)
    back = next(i for i, t in enumerate(text) if "s_cbranch" in t)
    label = next(i for i, t in enumerate(text) if t.startswith(text[back].split()[-1] + ":"))
    length = sum(1 for t in text[label + 1:back + 1] if re.match(r"\s+[sv]_", t))
    first = f"tbreak loop.s:{at}\nrun\n"
    for k in (1, 63, 64, 200):
        r = run(LOOP, first + f"stepi {k * length}\np $s2\np $v2\np $pc\n")
        case(f"{k} rounds of {length} instructions", f"({250 - k})" in r.stdout and f"0x{(k + 1) * 32:08x}" in r.stdout, r)
    r = run(LOOP, first + "stepi 1000000\n")
    case("the end of the program on the way", "[The dispatch is complete]" in r.stdout and r.returncode == 0, r)
    r = run(LOOP, f"break loop.s:{at} if $s2 == 100\nstart\nstepi 1000000\np $s2\ninfo breakpoints\n")
    case("a breakpoint on the way stops, and counts once", "(100)" in r.stdout and re.search(r"already hit 1 time|hit 1\b|1 hit|hits? 1", r.stdout) is not None, r)


def line():
    r = run(LINE, "break line.cl:4\nrun\nnext\np p\nnext\np out[5]\n")
    want = []
    for p in range(32):
        for _ in range(4000):
            p = ((p ^ (p >> 7)) * 1664525 + 1013904223) & 0xffffffff
        want.append(p)
    case("next over a line of 4,000 rounds", "line.cl:5" in r.stdout and str(want[0]) in r.stdout, (r, want[:6]))
    case("... and the line behind it", "line.cl:6" in r.stdout and str(want[5]) in r.stdout, (r, want[:6]))
    r = run(LINE, "break line.cl:4\nrun\nstep\np p\n")
    case("step: the same", "line.cl:5" in r.stdout and str(want[0]) in r.stdout, (r, want[:6]))


for test in (instructions, counts, line):
    test()
end()
