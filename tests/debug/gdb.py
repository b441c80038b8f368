#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people who come from gdb type: gdb.py LULL. The first lines of their scripts, breakpoints at lines whose code is there several times, watchpoints on
what the GPU cannot watch, lists, arrays. What kernels compute is computed here, too."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull = os.path.abspath(sys.argv[1])
work = pathlib.Path(tempfile.mkdtemp())
ENV = os.environ | {"HOME": str(work)}
(work / "v.cl").write_text("""\
typedef struct { float x, y; int tag[2]; } point;
static int half_of(int a) { int h = a / 2; return h; }
kernel void v(global int *out, global float *f, int n)
{
    local int t[64];
    int i = get_global_id(0);
    point p;
    p.x = i * 0.5f;
    p.tag[0] = i;
    p.tag[1] = n;
    int acc = 0;
    t[get_local_id(0)] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; k++) {
        acc += half_of(i + k) + t[(get_local_id(0) + k) % 64];
    }
    f[i] = p.x;
    out[i] = acc + p.tag[1];
}
""")
# The loop is unrolled, and its stores stay in order; the function is inlined twice.
(work / "u.cl").write_text("""\
static inline void put(global volatile int *to, int a)
{
    to[0] = a;
    to[32] = a * 3;
}
kernel void u(global volatile int *out, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < 4; k++) {
        out[128 + k] = n;
        out[i * 4 + k] = out[132] + k + 1;
    }
    put(out + 256 + i, i);
    put(out + 320 + i, out[132] + i + n);
}
""")
# Functions that are called, and what they return for each work-item.
(work / "g.cl").write_text("""\
#define CALLED __attribute__((noinline))
CALLED float scale(int a) { return a * 0.5f; }
CALLED long wide(int a) { return (long)a << 33; }
CALLED uchar small(int a) { return (uchar)(a + 250); }
CALLED short less(int a) { return (short)-a; }
CALLED global long *place(global long *p, int i) { return p + i; }
CALLED int2 two(int a) { return (int2)(a, a + 1); }
CALLED void none(global long *p) { *p += 1; }
kernel void g(global long *out)
{
    int i = get_global_id(0);
    long all = (long)scale(i) + wide(i) + small(i) + less(i) + two(i).y;
    *place(out, i) = all;
    none(out + i);
}
""")
RETURNS = {"scale": lambda i: struct.unpack("<I", struct.pack("<f", i / 2))[0], "wide": lambda i: i << 33, "small": lambda i: (i + 250) & 255,
           "less": lambda i: -i & 0xffff}
V = ["v.cl", "--grid", "128", "--block", "64", "--arg", "zeros:512:name=out", "--arg", "zeros:512:name=f", "--arg", "i32:7"]
U = ["u.cl", "--grid", "32", "--block", "32", "--arg", "zeros:2048:name=out", "--arg", "i32:5"]
FIRST = """set confirm off
set pagination off
set height 0
set width 0
set print pretty on
set print elements 0
set breakpoint pending on
set logging file x.log
set logging enabled on
set disassembly-flavor intel
set auto-load safe-path /
set debuginfod enabled off
set env FOO=1
set cwd /tmp
set follow-fork-mode child
set detach-on-fork off
set schedule-multiple on
set max-value-size unlimited
set backtrace limit 20
set substitute-path /a /b
set disable-randomization off
set complaints 0
set history save on
set startup-with-shell off
set amdgpu precise-memory on
unset env FOO
handle SIGUSR1 nostop noprint pass
directory /tmp
"""


def run(kernel, script, *options):
    (work / "script").write_text(script)
    return subprocess.run([lull, "debug", "-batch", *options, "-x", "script", *kernel], capture_output=True, text=True, cwd=work, env=ENV, timeout=120)


def says(name, kernel, script, *wants, options=(), status=0):
    r = run(kernel, script, *options)
    case(name, r.returncode == status and all(w in r.stdout + r.stderr for w in wants), (wants, r.stdout, r.stderr))
    return r


def acc_after(i, turns):
    """acc of work-item i of the first workgroup behind so many turns of the loop."""
    return sum(((i + k) // 2) + (i % 64 + k) % 64 + i // 64 * 64 for k in range(turns))


def scripts():
    r = run(V, FIRST + "run\n")
    case("the first lines of scripts of gdb", r.returncode == 0 and r.stdout == "[The dispatch is complete]\n", r)
    r = run(V, "set no-such-setting on\n")
    case("a setting that gdb has not either", r.returncode == 3 and "no symbol" in r.stderr, r)
    says("$_exitcode before and behind", V, "p $_exitcode\nrun\np $_exitcode\n", "$_exitcode = void", "$_exitcode = 0x0000000000000000  (0)")
    says("$bpnum", V, "p $bpnum\nbreak 9\ntbreak 10\np $bpnum\n", "$bpnum = void", "(2)")
    says("thread apply", V, "break 15\nrun\nthread apply 0-1 p i\nthread apply all p $wave\nwave apply 1 p acc\np $wave\n", "Wave 0:\ni = 0…31", "Wave 1:\ni = 32…63", "Wave 3:\n$wave = 0x00000003", "\nWave 1:\nacc = 0\n$wave = 0x00000000  (0)")


def places():
    # In front of the store of each turn, `out` has those of the turns before.
    r = run(U, "break u.cl:11\ninfo breakpoints\nrun\n" + "x/4dw out\ncontinue\n" * 4, "-O2")
    rows = re.findall(r"^0x[0-9a-f]+: *(-?\d+) +(-?\d+) +(-?\d+) +(-?\d+)$", r.stdout, re.M)
    want = [tuple(str(k + 1) if k < turns else "0" for k in range(4)) for turns in range(4)]
    case("an unrolled line stops in each turn", "(4 places)" in r.stdout and rows == want and r.stdout.count("hit breakpoint 1,") == 4, (want, rows, r.stdout))
    case("... and its places are listed", all(f"1.{k}      enabled" in r.stdout for k in range(1, 5)) and "1.5" not in r.stdout, r.stdout)
    r = run(U, "break u.cl:3\nrun\np a\ncontinue\np a\ncontinue\n", "-O2")
    case("an inlined line stops in both calls", "(2 places)" in r.stdout and re.findall(r"^a = (.*)$", r.stdout, re.M) == ["0…31", "5…36"], r.stdout)
    r = run(U, "break u.cl:3 if a == 33\nrun\np a\ncontinue\n", "-O2")
    case("a condition is read in each of them", "lane 28\n" in r.stdout and "a = 5…36" in r.stdout and r.stdout.count("hit breakpoint") == 1, r.stdout)
    says("a place is turned off", U, "break u.cl:3\ndisable 1.1\ninfo breakpoints\nrun\np a\n", "1.1      disabled", "1 of them off", "a = 5…36", options=("-O2",))
    says("... and on", U, "break u.cl:3\ndisable 1.1 1.2\nenable 1.1\nrun\np a\n", "a = 0…31", options=("-O2",))
    says("... and no other place is there", U, "break u.cl:3\ndisable 1.3\n", "no place '1.3'", options=("-O2",), status=3)
    says("a function that is inlined only", U, "break put\ninfo breakpoints\n", "(2 places)", "1.2 ", options=("-O2",))
    r = run(U, "dprintf u.cl:3,\"a %d\\n\",a\nrun\n", "-O2")
    got = [int(x) for x in re.findall(r"a (-?\d+)", r.stdout)]
    case("dprintf at both", got == [*range(32), *range(5, 37)], (got, r.stdout, r.stderr))
    says("until goes to the next place", U, "break u.cl:11\nrun\ndelete\nuntil u.cl:11\nx/4dw out\n", ": 1 0 0 0", options=("-O2",))
    r = run(V, "break 14\ninfo breakpoints\nrun\ncontinue\ncontinue\n")
    case("-O0: a line of a loop has one place", "places" not in r.stdout and r.stdout.count("hit breakpoint 1") == 3, r.stdout)
    says("the line of a function's head is behind its prologue", V, "break 4\nrun\np n\n", "at v.cl:6\n", "n = 7")
    r = run(U, "break u.cl:11\n", "-O2", "--json")
    case("places in JSON", len(json.loads(r.stdout)["places"]) == 4, r.stdout)


def watches():
    script = "break 14\nrun\nwatch acc\ndelete 1\n" + "continue\n" * 4
    r = run(V, script)
    values = re.findall(r"Old value = (.*)\nNew value = (.*) by 0x\w+ <v\+0x\w+>, lanes ([0-9-]+)", r.stdout)
    news = [v[1] for v in values]
    case("a variable in scratch memory", [n.split(",")[0].split("…")[0].split(" ")[-1] for n in news][:4] == [str(acc_after(0, t)) for t in (1, 2, 3, 4)] or
         len(news) == 4 and all(str(acc_after(31, t)) in news[t - 1] for t in (1, 2, 3, 4)), (news, r.stdout))
    says("... of which wave is said", V, script, "Software watchpoint 2: acc (of wave 0: all waves are stepped)")
    r = run(V, "break 14\nrun\nwatch p.tag[0]\ndelete 1\ncontinue\ncontinue\n")
    case("the wave ends", "The wave has ended: the watchpoint is deleted" in r.stdout and r.stdout.rstrip().endswith("[The dispatch is complete]"), r.stdout)
    r = run(V, "break 14\nrun\nwatch $lane == 9 ? acc : 0\ndelete 1\ncontinue\noutput $lane\n")
    case("one lane changes, which is looked at", ", lane 9\n" in r.stdout and r.stdout.endswith("9") and f"[9] {acc_after(9, 1)}" in r.stdout, r.stdout)
    r = run(V, "break 12\nrun\ndelete\nwatch t[40]\ncontinue\noutput $lane\n")
    case("LDS: by another wave of the workgroup", "(of workgroup 0,0,0: all waves are stepped)" in r.stdout and "New value = 40 by" in r.stdout and "Wave 1 " in r.stdout, r.stdout)
    case("... and its lane", "watchpoint 2, lane 8\n" in r.stdout and r.stdout.endswith("8"), r.stdout)
    r = run(V, "break 12\nrun\nwatch $v3\ndelete 1\ncontinue\np/x $v3\n")
    case("a register", "Old value = " in r.stdout and re.search(r"New value = 0x00000000…0x0000001f by .*lanes 0-6 8-31", r.stdout) is not None, r.stdout)
    r = run(V, "break 17\nrun\n" + "".join(f"watch out[{k}]\n" for k in range(6)) + "delete 1\n" + "continue\n" * 6)
    news = re.findall(r"New value = 0x\w+  \((\d+)\)", r.stdout)
    case("more than the GPU's four on memory", r.stdout.count("Software watchpoint") >= 2 and "the GPU's four are in use" in r.stdout and
         sorted(map(int, news))[:6] == sorted(acc_after(k, 4) + 7 for k in range(6)), (news, r.stdout))
    # p.x of work-item 3 is 1.5; -7 is stored by hand, and 31 by it.
    says("a float is shown as one", V, "break 17\nrun\nwatch f[3]\ndelete 1\ncontinue\n", "\nOld value = 0  (0x0)\nNew value = 1.5  (0x3fc00000) by ")
    says("an integer has a sign", V, "break 17\nrun\nset var out[3] = -7\nwatch out[3]\ndelete 1\ncontinue\n", f"\nOld value = 0xfffffff9  (-7)\nNew value = {acc_after(3, 4) + 7:#x}  ({acc_after(3, 4) + 7}) by ")
    says("what has parts", V, "break 14\nrun\nwatch p\n", "'p' has parts: watch one of them", status=3)
    read = r"^Value = (.*) by 0x\w+ <v\+0x\w+>, lanes? ([0-9-]+)$"
    r = run(V, "break 14\nrun\ndelete\nrwatch acc\n" + "continue\n" * 3)
    values = re.findall(read, r.stdout, re.M)
    case("a variable in scratch memory is read", r.stdout.count("Wave 0 (workgroup 0,0,0 wave 0) hit watchpoint 2,") == 3 and [v[1] for v in values] == ["0-31"] * 3 and
         all(v[0].endswith(str(acc_after(31, t))) for t, v in enumerate(values)), (values, r.stdout))
    r = run(V, "break 14\nrun\ndelete\nrwatch t[40]\n" + "continue\noutput $lane\necho \\n\n" * 3)
    values, lanes = re.findall(read, r.stdout, re.M), re.findall(r"^(\d+)$", r.stdout, re.M)
    # Work-item 40 - k reads it in turn k: lane 8 - k of the second wave.
    case("LDS is read, by lanes of another wave", [v[0] for v in values] == ["40"] * 3 and lanes == [v[1] for v in values] and sorted(map(int, lanes)) == [6, 7, 8] and
         r.stdout.count("Wave 1 ") >= 3, (values, lanes, r.stdout))
    r = run(V, "break 17\nrun\ndelete\n" + "".join(f"awatch out[{k}]\n" for k in range(6)) + "continue\n" * 7)
    hit = sorted(int(n) for n in re.findall(r"New value = 0x\w+  \((\d+)\)", r.stdout))
    case("accesses to more than the GPU's four", r.stdout.count("Software watchpoint") >= 4 and hit == sorted(acc_after(k, 4) + 7 for k in range(6)), (hit, r.stdout))
    r = run(V, "break 14\nrun\ndelete\nrwatch acc if i == 33\ncontinue\n")
    case("a read with a condition that its wave cannot make true", "Value = " not in r.stdout and "The wave has ended" in r.stdout, r.stdout)
    r = run(U, "break u.cl:11\nrun\ndelete\nrwatch $v0\ncontinue\nx/i $pc\n", "-O2")
    before = re.search(r" by (0x\w+) ", r.stdout)
    text = run(U, f"break u.cl:11\nrun\nx/i {before[1]}\n", "-O2").stdout.splitlines()[-1] if before else ""
    case("a register is read", re.search(r": \w+ .*, (v0\b|v\[0:)|: global_store\w* v0,|: \w+ v0, v", text) is not None, (text, r.stdout))
    says("what no instruction names", V, "break 14\nrun\nrwatch i + 1\n", "is in no one place that instructions name", status=3)
    r = run(V, "break 14\nrun\nwatch acc if i == 3\ndelete 1\ncontinue\n", "--json")
    last = json.loads(r.stdout.splitlines()[-1])
    case("JSON", last.get("watchpoint") == 2 and int(last["new"]["lanes"][31], 0) == acc_after(31, 1), last)


def values():
    r = says("arrays by @", V, "break 17\nrun\nset out[0] = 1\nset out[1] = 2\np out[0]@3\np *out@2\np/x *out@2\np t[60]@4\n", "= {1, 2, 0}", "*out@2 = {1, 2}", "t[60]@4 = {60, 61, 62, 63}")
    says("... not of 0", V, "break 17\nrun\np out[0]@0\n", "'0' is not a count", status=3)
    r = run(V, "break 17\nrun\np out[0]@3\n", "--json")
    case("... in JSON", len(json.loads(r.stdout.splitlines()[-1])["elements"]) == 3, r)
    says("options of print", V, "break 17\nrun\nprint -pretty on -- n\n", "n = 7")
    says("a range between places", V, "list v.cl:2,v.cl:3\nlist half_of,3\n", "\n      3  kernel void v(", " 2  static int half_of")
    r = run(V, "list v\nlist\nlist 2,3\nlist\nlist -\nlist half_of\n")
    shown = [int(x) for x in re.findall(r"^(?:=>|  ) +(\d+)  ", r.stdout, re.M)]
    case("list goes on, and back", shown == [*range(1, 11), *range(11, 20), 2, 3, *range(4, 14), *range(1, 4), *range(1, 11)], (shown, r))
    r = run(V, "break 6\nrun\ndisassemble /s\ndisassemble /r $pc,1\nx/1xw $pc\n")
    at = r.stdout.find("v.cl:6\t    int i = get_global_id(0);\nB => ")
    word = re.search(r": 0x([0-9a-f]{8})\n$", r.stdout)
    case("disassemble with lines and bytes", at > 0 and word is not None and f"\nB {word[1]} " in r.stdout, r.stdout)
    r = run(V, "break 15\nrun\ndelete\nuntil\nuntil\nuntil\np acc\ninfo line\n")
    case("until goes out of a loop", "v.cl:17" in r.stdout and f"{acc_after(0, 4)}" in r.stdout and f"{acc_after(31, 4)}" in r.stdout, r.stdout)
    r = run(V, "break half_of\nrun\nbt full\nbt 1\ninfo frame\nup\ninfo frame\n")
    case("backtrace full, and of some frames", "#1 " in r.stdout and "acc = 0" in r.stdout and "(More frames follow...)" in r.stdout and "Frame 1 of wave 0" in r.stdout, r.stdout)


def symbols():
    r = says("functions", V, "info functions\ninfo functions ^half\n", "v.cl:3  v\n", "v.cl:2  half_of\n")
    case("... by name", r.stdout.rstrip().endswith("v.cl:2  half_of") and r.stdout.count("half_of") == 2, r.stdout)
    says("types, variables", V, "info types\ninfo variables\n", "point\n", "None.\n")
    r = says("addresses", V, "break 15\nrun\ninfo address acc\ninfo address t\ninfo address v\np &t[0]\n", "'acc' is a variable in scratch memory of each lane, at byte", "'t' is a variable in LDS at 0x0", "'v' is code at address")
    says("... in registers", U, "break u.cl:3\nrun\ninfo address a\n", "'a' is a variable in registers", options=("-O2",))


def returned():
    kernel = ["g.cl", "--grid", "32", "--block", "32", "--arg", "zeros:256:name=out"]
    for name, of in RETURNS.items():
        r = run(kernel, f"tbreak {name}\nrun\nfinish\n", "--json")
        lanes = json.loads(r.stdout.splitlines()[-1]).get("returned", {}).get("lanes", [])
        case(f"finish: what {name}() returns", [int(v, 16) for v in lanes] == [of(i) for i in range(32)], (lanes, r.stdout[-600:], r.stderr))
    r = run(kernel, "tbreak place\nrun\np/x p\nfinish\n", "--json")
    *_, p, end_of = [json.loads(line) for line in r.stdout.splitlines()]
    case("... a pointer", [int(v, 16) for v in end_of["returned"]["lanes"]] == [int(p["lanes"][0], 16) + 8 * i for i in range(32)], r.stdout[-900:])
    says("... in words, and as $", kernel, "tbreak less\nrun\nfinish\np $\n", "Value returned is $1 = 0, -1…-31\n", "$ = 0, -1…-31\n")
    for name in "two", "none":
        r = run(kernel, f"tbreak {name}\nrun\nfinish\n")
        case(f"... nothing is said of {name}()", r.returncode == 0 and " arrived, " in r.stdout and "returned" not in r.stdout, r.stdout + r.stderr)


def habits():
    """Assignments are expressions of C; types by their names; code from here to there."""
    r = says("print assigns, types", V, "catch fpe divzero\nbreak 17\ninfo breakpoints\nrun\nlane 3\np acc = i - 1\np acc[3]\np acc[4]\nlane 4\np acc = 500\np acc[4]\np acc[5]\np $a = 7\np $a * 2\np i[3] == 3\n"
             "ptype int *\nptype point *\nwhatis unsigned char\nx/3i $pc\ndisassemble $pc,3\ndisassemble $pc,+1\n", "Catchpoint 1: exceptions divzero", "acc[3] = 2\n", "acc[4] = 3\n", "acc[4] = 500\n", "acc[5] = 4\n",
             "$a * 2 = 0x0000000e  (14)", "i[3] == 3 = 0x00000001  (1)\n", "type = i32*\n", "type = point *\n", "type = u8\n")
    case("... info breakpoints says the line", re.search(r"^2 +keep enabled +0x\w+ <v\+0x\w+> at v\.cl:17 hit 0 times$", r.stdout, re.M) is not None, r.stdout)
    code = re.findall(r"^(?:B |  )?(?:=>|  ) (0x\w+) <v", r.stdout, re.M)[-7:]
    case("disassemble by instructions and bytes", len(code) == 7 and code[:3] == code[3:6] and code[6] == code[0], (code, r.stdout))
    r = run(V, f"break 17\nrun\ndisassemble $pc,{code[2]}\n")
    case("... to an address", re.findall(r"^(?:B |  )?(?:=>|  ) (0x\w+) <v", r.stdout, re.M)[-2:] == code[:2], (code, r.stdout))
    says("break -launch: all waves stand at their beginning", V, "tbreak -launch\nrun\ninfo waves\nbreak -launch\ncontinue\n", "* 0     0,0,0/0      start ", "  3     1,0,0/1      start ", "it runs already", status=3)
    bounds = "".join(f"break 17 if acc == {n}\n" for n in range(1000, 1150))
    says("150 breakpoints, the last of which holds", V, bounds + f"break 17 if acc == {acc_after(9, 4)} && i == 9\nrun\n", "hit breakpoint 151, lane 9\n")


HAS_NOT = ("alias", "attach", "checkpoint", "compare-sections", "detach", "explore", "find", "forward-search", "gcore", "generate-core-file", "jump", "layout", "macro",
           "maintenance", "monitor", "pipe", "python", "rbreak", "restart", "return", "reverse-search", "search", "signal", "skip", "strace", "target", "trace", "tui", "with")


def words():
    """gdb's other words, and its forms of arguments: frames, ranges of breakpoints, lines from here. In half_of() a is i + k, which is i in the first turn."""
    at = "break half_of\nrun\n"
    r = says("frame function, level", V, at + "frame function v\np i[5]\nframe level 0\np a[5]\nselect-frame 1\np acc\n", "#1  0x", "i[5] = 5\n", "a[5] = 5\n", "acc = 0\n")
    r = run(V, at + "faas p k\n")
    case("faas: the frames that have it", re.fullmatch(r".*\n#1  0x\w+ <v\+0x\w+> at v\.cl:15\nk = 0\n", r.stdout, re.S) is not None and r.stdout.count("#1") == 1 and "#0" not in r.stdout, r)
    r = run(V, at + "frame apply all -q p $_lane\nframe apply 1 -c p acc\nframe apply all -q p acc\n")
    case("frame apply: all, a number, and an error ends it", r.stdout.count("$_lane = ") == 2 and "#0  0x" in r.stdout and (r.stdout + r.stderr).count("no symbol or buffer 'acc'") == 2 and r.returncode == 3 and
         "#1" not in r.stdout, r)
    r = run(V, at + "bt -1\nframe\n")
    case("bt -1: the outermost, and the frame stays", re.findall(r"^#(\d)", r.stdout, re.M) == ["1", "0"], r)
    r = run(V, at + "thread apply all -q p $_lane\ntaas p nothing\nthread apply all -c p nothing\n")
    case("thread apply -q, -s, -c", r.returncode == 0 and r.stdout.count("$_lane = ") == 4 and r.stdout.count("Wave 0:") == 1 and r.stdout.count("no symbol or buffer 'nothing'") == 4, r)
    r = run(V, at + "up\nbreak +2\nhbreak 18\nthbreak 18\nbreak 14\ninfo b 2\nclear 18\ndelete 1-2\nenable delete 5\ninfo breakpoints\nclear\n")
    case("break +2, hbreak, info b 2, clear, delete 1-2, enable delete", re.findall(r"^(\d) +(\w+) +enabled +\S+ \S+ at v\.cl:(\d+)", r.stdout, re.M) == [("2", "keep", "17"), ("5", "once", "14")] and
         "Deleted breakpoint 3 4\n" in r.stdout, r)
    case("clear without a breakpoint there is refused", "no breakpoint at this line" in r.stderr and run(V, "break 17\nrun\nclear\n").stdout.endswith("Deleted breakpoint 1\n"), r)
    r = run(V, "break 17\nbreak 18\ndelete 4-9\n")
    case("a range without any is refused", r.returncode == 3 and "no breakpoint '4-9'" in r.stderr, r)
    r = run(V, at + "display/i $pc\nx/i $pc\nstepi\nx/i $pc\n")
    shown = re.findall(r"^1: x/i \$pc\n(=> .*)", r.stdout, re.M)
    case("display/i $pc: here and after a step, as x/i", len(shown) == 2 and shown[0] != shown[1] and all(r.stdout.count(s) >= 2 for s in shown), r)
    r = subprocess.run([lull, "debug", "-nx", *V], input="".join(f"{w} x\n" for w in HAS_NOT), capture_output=True, text=True, cwd=work, env=ENV, timeout=120)
    said = re.findall(r"no command '([\w-]+)' here: .", r.stdout + r.stderr)
    case("what gdb has and lull has not: each with what there is instead", said == list(HAS_NOT), (said, r))


(work / "e.cl").write_text("""\
typedef enum { RED, GREEN = 5, BLUE } color;
typedef struct { int x; color c; } point;
static int half_of(int a) { int h = a / 2; return h; }
constant int odd[4] = {10, 31, 52, 73};

kernel void e(global int *out, int n)
{
    int i = get_global_id(0);
    color c = i & 1 ? GREEN : BLUE;
    point p = {i, c};
    for (int k = 0; k < 3; k++) {
        n += half_of(i + k);
    }
    out[i] = n + odd[i & 3] + p.x;
}


// the end
""")
E = ["e.cl", "--grid", "64", "--block", "32", "--arg", "zeros:256:name=out", "--arg", "i32:7"]


def more_words():
    """Formats, constants of enumerations, places by file, function and line, breakpoints for some stops, settings one by one."""
    at = "break 14\nrun\n"
    r = says("formats o, z, a", E, at + "p/o i\np/z n[0]\np/a $pc\np/o 0\nx/2ow out\n", "[8] 010 011 012 013", "n[0] = 0x00000008\n", "\n$pc = 0x", "0 = 0\n", ": 0 0\n")
    case("... a: with the symbol", re.search(r"^\$pc = 0x[0-9a-f]+ <e\+0x[0-9a-f]+>$", r.stdout, re.M) is not None, r.stdout)
    r = says("constants of an enumeration", E, at + "p RED\np GREEN + 1\np/x BLUE\nlane 1\np c[1] == GREEN\np c[2] == GREEN\nbreak 14 if c == GREEN && i == 39\ndelete 1\ncontinue\n", "RED = RED\n", "GREEN + 1 = 0x00000006",
             "BLUE = 0x00000006\n", "c[1] == GREEN = 0x00000001", "c[2] == GREEN = 0x00000000", "hit breakpoint 2, lane 7\n")
    says("constant memory of the program", E, at + "p odd\np odd[2]\np 'e.cl'::odd[1]\np &odd[1] - &odd[0]\n", "odd = {10, 31, 52, 73}\n", "odd[2] = 52\n", "'e.cl'::odd[1] = 31\n", "= 0x0000000000000001")
    says("a variable of a function", E, "break half_of\nrun\np half_of::a[3]\np e::i[3]\n", "half_of::a[3] = 3\n", "'i' is not in scope here", status=3)
    r = run(E, "break e.cl:half_of\nbreak 'e.cl':half_of\nbreak 'e.cl':14\nbreak -function half_of\nbreak -line 14\nbreak -source e.cl -line 14 if i == 9\ntbreak -source e.cl -function half_of\n"
            "info breakpoints\nbreak e.cl:nothing\nbreak nothing.cl:half_of\n")
    rows = re.findall(r"^(\d) +\w+ +enabled +0x\w+ <(\w+)\+0x\w+> at e\.cl:(\d+)(.*)", r.stdout, re.M)
    case("places by file and function, and explicit ones", [(f, line) for _, f, line, _ in rows] == [("half_of", "3"), ("half_of", "3"), ("e", "14"), ("half_of", "3"), ("e", "14"), ("e", "14"), ("half_of", "3")] and
         rows[5][3].endswith("if i == 9") and "no function 'nothing' in 'e.cl'" in r.stderr, r)
    r = run(E, "break nothing.cl:half_of\n")
    case("... of another file", r.returncode == 3 and "no function 'half_of' in 'nothing.cl'" in r.stderr, r)
    for how, stops in ("once", 1), ("count 2", 2):
        r = run(E, f"break half_of\nenable {how} 1\nrun\ncontinue\ncontinue\ncontinue\n")
        case(f"enable {how}", r.stdout.count("hit breakpoint 1") == stops and "[The dispatch is complete]" in r.stdout, r)
    r = run(E, "break half_of\nenable once 1\nrun\ninfo breakpoints\nenable 1\ncontinue\ninfo breakpoints\nenable count 0 1\n")
    case("... then it is disabled, and enabled for good", re.findall(r"^1 +keep +(\w+)", r.stdout, re.M) == ["disabled", "enabled"] and "enable count needs a number" in r.stderr, r)
    r = run(E, at + "set listsize 3\nlist 17\nlist 8\nlist\nlist e.cl:12\nset listsize unlimited\nlist 1\nset listsize 0\n")
    shown = [int(n) for n in re.findall(r"^(?:  |=>) +(\d+)  ", r.stdout, re.M)]
    case("listsize, and lines without code", shown == [16, 17, 18, 7, 8, 9, 10, 11, 12, 11, 12, 13, *range(1, 19)] and "=>   17" not in r.stdout and "=>    8" in r.stdout and r.returncode == 3, (shown, r))
    says("settings one by one", E, "set listsize 4\nshow listsize\nshow confirm\nshow breakpoint mode\nshow height\nshow nothing\n", "listsize           4\n", "confirm: a setting of gdb's", "breakpoint mode    trap\n",
         "height ", "no setting 'nothing'", status=3)
    says("a struct that is none", E, "break half_of\nrun\nptype struct nothing\n", "no struct type named nothing", status=3)
    r = says("info frame N, ptype of functions, $_thread", E, "break half_of\nrun\ninfo frame 1\ninfo frame level 0\nptype half_of\nptype e\np $_thread\nthread 1\np $_thread\ninfo frame 2\n",
             "Frame 1 of wave 0: ", "Frame 0 of wave 0: ", "type = int (int)\n", "type = void (int *, int)\n", "$_thread = 0x00000000  (0)\n", "$_thread = 0x00000001  (1)\n", "'2' is not a count of 0 to", status=3)
    last = "{u32}(out+12)"
    r = run(E, f"break half_of\nrun\ndelete\nbreak 9\ncontinue\nrc -until {last}\nx/1dw out+12\nstepi\nx/1dw out+12\nreverse-continue -until {last}\nreverse-continue -until {last}\nrc -until\ninfo breakpoints\n")
    stores = re.findall(r"^=> 0x\w+ <e\+0x\w+>: (\w+)", r.stdout, re.M)
    now = [int(n) for n in re.findall(r"^0x\w+: (-?\d+)$", r.stdout, re.M)]
    case("reverse-continue -until: to who wrote it last, then not again", now == [0, 7 + (12 // 2 + 13 // 2 + 14 // 2) + 10 + 12] and r.stdout.count("hit watchpoint") >= 1 and
         f"'{last}' is not written in what is remembered before" in r.stdout and "until who wrote which PLACE" in r.stderr and len(stores) > 2, (now, r))
    r = run(E, "web\n")
    case("web without a prompt is refused", r.returncode == 3 and "web and -batch" in r.stderr, r)


for test in (scripts, places, watches, values, symbols, returned, habits, words, more_words):
    test()
end()
