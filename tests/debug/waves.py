#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many waves in lull debug: waves.py LULL. Waves of 32 lanes in a grid of one dimension: wave n of those that stand at the start has work-items
32 n to 32 n + 31; x[i] is -1 where i % 97 is 5, else i, so that its root is not a number there."""
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
N = 2048
BAD = [i for i in range(N) if i % 97 == 5]
(work / "x.bin").write_bytes(b"".join(struct.pack("<f", -1 if i in BAD else i) for i in range(N)))
(work / "root.cl").write_text("""\
kernel void root(global float *x, global float *out)
{
    uint i = get_global_id(0);
    float v = x[i];
    float s = sqrt(v);
    out[i] = s;
}
""")


def debug(*commands, n=N, more=()):
    args = [a for c in commands for a in ("-ex", c)]
    return subprocess.run([lull, "debug", *more, "-batch", *args, "root.cl", "--grid", str(n), "--block", "64", "--arg", "buffer:x.bin:name=x",
                           "--arg", f"zeros:{4 * N}:name=out"], capture_output=True, text=True, cwd=work, env=ENV, timeout=120)


def behind(r, n=1):
    return r.stdout.splitlines()[-n:]


def fields(line):
    return re.split(r"\s{2,}", line.strip("* "))


def lists():
    r = debug("start", "info waves")
    case("64 waves that are alike are one line", len(behind(r)) == 1 and fields(behind(r)[0]) == ["[0-63]", "64 waves", "start", "all lanes", "root.cl:2"], r)
    r = debug("break root.cl:6", "start", "wave 7", "set scheduler-locking on", "until root.cl:6", "set scheduler-locking step", "wave 9", "stepi", "info waves")
    got = [fields(t) for t in behind(r, 3)]
    case("... groups by state and line, by their first wave, the focus has a star",
         [g[0] for g in got] == ["[0-6,8,10-63]", "[7]", "[9]"] and [g[2] for g in got] == ["start", "breakpoint", "step"] and got[1][4] == "root.cl:6" and
         [t[0] for t in behind(r, 3)] == [" ", " ", "*"], r)
    r = debug("start", "info waves -all")
    case("-all: a row each", [fields(t)[0] for t in behind(r, 64)] == [str(n) for n in range(64)], r)
    r = debug("start", "info waves 62-63")
    case("M-N", [fields(t)[0] for t in behind(r, 2)] == ["62", "63"] and len(r.stdout.splitlines()) == 6, r)
    r = debug("start", "info waves", n=128)
    case("few waves: a row each", [fields(t)[0] for t in behind(r, 4)] == ["0", "1", "2", "3"], r)
    r = debug("start", "info waves -groups", n=128)
    case("-groups: one line", fields(behind(r)[0])[:2] == ["[0-3]", "4 waves"], r)
    for what in ("-al", "5-", "x"):
        r = debug("start", f"info waves {what}")
        case(f"info waves {what} is refused", r.returncode == 3 and f"'{what}': info waves takes" in r.stderr, r)
    said = json.loads(behind(debug("start", "info waves", more=["--json"]))[0])
    case("--json: groups, and all waves", said["groups"][0]["waves"] == [[0, 63]] and said["groups"][0]["count"] == 64 and
         [w["wave"] for w in said["waves"]] == list(range(64)), said)


def where():
    r = debug("start", "wave 7 lane 9", "wave where $gid == 700", "print $wave * 100 + $_lane")
    case("wave where: the wave and its lane", fields(behind(r, 2)[0]) == [f"[{700 // 32}]", "1 wave", f"lane {700 % 32}"], r)
    case("... the focus stays", behind(r)[0].endswith("(709)"), r)
    r = debug("start", "wave where $gid % 97 == 5")
    want = {}
    for i in BAD:
        want.setdefault(i // 32, []).append(i % 32)
    groups = {}
    for wave, lanes in want.items():
        groups.setdefault(tuple(lanes), []).append(wave)
    case("wave where: equal lanes together", [fields(t)[1] for t in behind(r, len(groups))] == [f"{len(w)} wave{'s' if len(w) > 1 else ''}" for w in groups.values()] and
         [fields(t)[2].split()[1:] for t in behind(r, len(groups))] == [[str(n) for n in g] for g in groups], (r, groups))
    case("in no wave", behind(debug("start", "wave where $gid > 5000")) == ["In no wave."])
    case("in all lanes", fields(behind(debug("start", "wave where $lanes == 32"))[0]) == ["[0-63]", "64 waves", "all active lanes"])
    for text, message in (("wave where", "An expression"), ("wave where nothing", "wave 0: "), ("lanes", "lanes where EXPR"), ("lanes where", "lanes where EXPR"),
                          ("table", "An expression"), ("table $gid -waves", "expected -waves"), ("table $gid -waves 70", "no such wave stands"),
                          ("table nothing", "wave 0: ")):
        r = debug("start", text)
        case(f"{text}: refused", r.returncode == 3 and message in r.stderr, r)
    r = debug("wave where 1")
    case("not started", r.returncode == 3 and "not started" in r.stderr, r)


def values():
    there = [c for n in (0, 1, 3, 6) for c in (f"wave {n}", "until root.cl:6")]
    r = debug("start", "set scheduler-locking on", *there, "wave where isnan(s)", "table s -waves 6-6", "lanes where isnan(s)")
    lines = [t for t in r.stdout.splitlines() if re.match(r"[* ] \[", t)]
    want = [f"[{i // 32}]" for i in BAD if i // 32 in (0, 1, 3, 6)]
    case("wave where isnan of a variable", [fields(t)[0] for t in lines[:-1]] == want, (r, want))
    case("... waves that are elsewhere are left out", "60 waves left out" in r.stdout, r)
    case("lanes where: thread and number", f"lane  {BAD[2] % 32}  thread" in r.stdout and behind(r)[0] == "1 of 32 active lanes of wave 6", r)
    r = debug("start", "table $gid -waves 2-3", "table $lanes", "table -waves 5 $gid * 2", "table/x $gid == 40")
    case("table: rows of numbers", fields(behind(r, 6)[0]) == ["[2]", "1 wave", "64…95"] and fields(behind(r, 6)[1])[2] == "96…127", r)
    case("... equal rows together", fields(behind(r, 6)[2]) == ["[0-63]", "64 waves", "32"], r)
    case("... -waves in front", fields(behind(r, 6)[3]) == ["[5]", "1 wave", "320, 322…382"], r)
    case("... and a format", fields(behind(r, 6)[4])[:2] == ["[0,2-63]", "63 waves"] and fields(behind(r, 6)[5])[:2] == ["[1]", "1 wave"], r)
    r = debug("start", "table $gid, $wave * 2,$gid == 40 -waves 1-2", "table $lanes, $lanes - 1", 'table $gid, "a"', "table $gid,")
    case("table: several, each with its name", [re.split(r"\s{2,}", t.strip("* ")) for t in r.stdout.splitlines()[-3:]] ==
         [["[1]", "1 wave", "$gid = 32…63", "$wave * 2 = 2", "$gid == 40 = [0-7] 0 [8] 1 [9-31] 0"],
          ["[2]", "1 wave", "$gid = 64…95", "$wave * 2 = 4", "$gid == 40 = 0"], ["[0-63]", "64 waves", "$lanes = 32", "$lanes - 1 = 31"]], r)
    case("... one that is none", r.returncode == 3, r)
    said = json.loads(behind(debug("start", "table $wave, $lanes -waves 2-2", more=["--json"]))[0])
    case("... --json: by expression", [(v["wave"], v["expression"], int(v["value"], 16)) for v in said["rows"]] == [(2, "$wave", 2), (2, "$lanes", 32)], said)
    said = json.loads(behind(debug("start", "table $gid -waves 2-3", more=["--json"]))[0])
    case("--json", [(w["wave"], [int(v, 16) for v in w["lanes"]]) for w in said["rows"]] == [(n, list(range(32 * n, 32 * n + 32))) for n in (2, 3)], said)


FULL = 3072  # waves of 32 lanes that gfx1100 has room for: 48 WGPs, 4 SIMDs, 16 waves each
(work / "ticket.cl").write_text("""\
kernel void ticket(global uint *x, global uint *out)
{
    uint s = get_global_id(0);
    for (int j = 0; j < 700; j++) {
        s = s * 1664525u + 1013904223u;
        if ((j & 127) == 0)
            out[get_group_id(0) * 8 + j / 128] = atomic_inc((volatile global int *)x);
    }
    x[1 + get_group_id(0) % 4] = s;
}
""")


def full(*commands, kernel="root.cl", n=2 * FULL * 32, more=(), args=("zeros:786432:name=x", "zeros:786432:name=out"), block=64):
    ex = [a for c in commands for a in ("-ex", c)]
    return subprocess.run([lull, "debug", *more, "-batch", *ex, kernel, *([] if "-O0" in more else ["-O2"]), "--grid", str(n), "--block", str(block), *[a for v in args for a in ("--arg", v)]],
                          capture_output=True, text=True, cwd=work, env=ENV, timeout=170)


def as_many_as_there_is_room_for():
    for how in (("start",), ("break -launch", "run")):
        r = full(*how, "info waves", "delete", *["continue"] * (1 + (how[0] != "start")))
        case(f"{' and '.join(how)}: {FULL} waves stand", fields(behind(r, 2)[0]) == [f"[0-{FULL - 1}]", f"{FULL} waves", "start", "all lanes", "root.cl:3"], r)
        case("... and go on", "The dispatch is complete" in behind(r)[0], r)
    said = json.loads(behind(full("start", "info waves", more=["--json"]))[0])
    case("--json: one group, and each wave", said["groups"][0]["waves"] == [[0, FULL - 1]] and len(said["waves"]) == FULL and
         sorted(2 * w["workgroup"][0] + w["wave_in_group"] for w in said["waves"]) == list(range(FULL)), said["groups"])
    r = full("start", "wave 2000", "stepi", "info waves", "reverse-stepi", "info waves")
    got = [fields(t) for t in r.stdout.splitlines() if re.match(r"[* ] \[", t)]
    case("a wave that comes late is stepped alone", [(g[0], g[2]) for g in got[:2]] == [(f"[0-1999,2001-{FULL - 1}]", "start"), ("[2000]", "step")], r)
    case("... and back", [(g[0], g[2]) for g in got[2:]] == [(f"[0-1999,2001-{FULL - 1}]", "interrupt"), ("[2000]", "step")], r)
    r = full("start", "break root.cl:5", "continue", "info waves", "wave where $gid == 98303")
    case("the others are interrupted in front of what they have not done yet", [fields(t)[:3] for t in behind(r, 3)[:2]] ==
         [["[0]", "1 wave", "breakpoint"], [f"[1-{FULL - 1}]", f"{FULL - 1} waves", "interrupt"]], r)
    case("... and have their registers", fields(behind(r)[0])[::2] == [f"[{FULL - 1}]", "lane 31"], r)
    r = full("start", "info waves", n=2 * FULL * 64, more=["--wave", "64"])
    case("waves of 64", fields(behind(r)[0])[1] == f"{FULL} waves", r)
    r = full("start", "info waves", more=["-O0"])
    case("waves with scratch memory", fields(behind(r)[0])[1] == f"{FULL} waves", r)


def looking_changes_nothing():
    """A kernel whose result is the order of its workgroups, of which more than 64 waves are wanted and none is done in one turn."""
    args = ("zeros:20:name=x", "zeros:9600:name=out:out=out.bin")
    for seed in ("0", "9"):
        got = []
        for commands in ((), ("start", "continue"), ("start", "stepi", "continue"))[:3 if seed == "0" else 2]:
            more = ["--seed", seed]
            if commands:
                r = full(*commands, kernel="ticket.cl", n=300 * 256, block=256, args=args, more=more)
            else:
                r = subprocess.run([lull, "run", *more, "ticket.cl", "-O2", "--grid", str(300 * 256), "--block", "256", *[a for v in args for a in ("--arg", v)]],
                                   capture_output=True, text=True, cwd=work, env=ENV | {"LULL_THREADS": "1"}, timeout=170)
            got.append((r.returncode, (work / "out.bin").read_bytes()))
            (work / "out.bin").unlink()
        case(f"seed {seed}: the order is that of a run that nobody looks at", got[0] == got[1] and got[0][0] == 0, [g[0] for g in got])
        case(f"seed {seed}: ... also with a step in between", got[0] == got[-1], [g[0] for g in got])


for test in (lists, where, values, as_many_as_there_is_room_for, looking_changes_nothing):
    test()
end()
