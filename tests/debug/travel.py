#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Back in time in lull debug: travel.py LULL EXAMPLES. What is met going back is compared with what was met going forward, with values that Python
computes, and with what a plain run writes."""
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, examples = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
ENV = os.environ | {"HOME": str(work)}
TURNS = 5
(work / "sum.cl").write_text("""\
int twice(int v)
{
    int r = v + v;
    return r;
}
kernel void sum(global int *out, int n)
{
    int i = get_global_id(0);
    int s = i;
    for (int j = 0; j < n; j++) {
        s += twice(j) + i;
        out[i] = s;
    }
    out[i] = s * 3;
}
""")


LONG = 9000
(work / "long.cl").write_text("""\
kernel void spin(global uint *out, int n)
{
    uint i = get_global_id(0), s = i;
    for (int j = 0; j < n; j++) {
        s = s * 1664525u + 1013904223u;
        out[(i * 8191 + j * 127) & 0xfffff] = s;
    }
}
""")


def debug(kernel, args, *commands):
    (work / "commands").write_text("".join(f"{c}\n" for c in commands))
    return subprocess.run([lull, "debug", "--json", "-batch", "-x", "commands", str(kernel), *args], capture_output=True, text=True, cwd=work, env=ENV, timeout=170)


def answers(r):
    return [json.loads(line) for line in r.stdout.splitlines()]


def sum_of(*commands, grid=128):
    return debug("sum.cl", ["-O0", "--grid", str(grid), "--block", "64", "--arg", f"zeros:{4 * grid}:name=out:out=sum.bin", "--arg", f"i32:{TURNS}"], *commands)


LOOK = ("info registers", "info registers vector", "x/32xw out")


def plain(a):
    """An answer without its text and without what is in focus."""
    waves = [{k: v for k, v in w.items() if k != "current"} for w in a.get("waves", [])]
    return json.dumps({k: v for k, v in a.items() if k not in ("text", "waves")} | {"waves": waves}, sort_keys=True)


def looks(said):
    """Per place: all that LOOK, or as many other commands, say, from answers in order."""
    return [tuple(plain(a) for a in said[i:i + len(LOOK)]) for i in range(0, len(said), len(LOOK))]


def steps():
    n = 60
    forward = [c for _ in range(n) for c in ("stepi", *LOOK)]
    back = [c for _ in range(n - 1) for c in ("reverse-stepi", *LOOK)]
    r = sum_of("break sum.cl:11", "run", *forward, *back)
    said = answers(r)[2:] if r.returncode == 0 else []
    only = [a for i, a in enumerate(said) if i % (len(LOOK) + 1) != 0]
    seen = looks(only)
    there, again = seen[:n], seen[n:]
    case(f"reverse-stepi {n - 1} times: registers and memory as they were at each", len(again) == n - 1 and again == there[-2::-1], r)
    case("... which differ from one to the next", len(set(there)) > n // 2, len(set(there)))


def times():
    r = sum_of("run", "info when")
    total = answers(r)[1]["last"]
    r = sum_of("run", "goto 0", "info when", "goto end", "info when")
    said = answers(r)
    case("goto 0 and goto end, behind the end of the dispatch", said[2]["time"] == 0 and said[2]["executed"] == 0 and said[4]["ended"] and
         said[4]["time"] == total and said[3]["outcome"] == "done", r)
    r = sum_of("run", f"goto {total + 1}")
    case("a time behind the end is refused", r.returncode == 3 and f"time {total + 1}: what is remembered is 0 to {total}" in r.stderr, r)
    in_any_order("one wave", 32, total // 4 - 20, LOOK)
    in_any_order("four waves", 128, total, ("info waves -all", "table $pc", "x/128xw out"))


def in_any_order(name, grid, most, look):
    rng = random.Random(7)
    rising = sorted(rng.sample(range(most), 12))
    mixed = rng.sample(rising, len(rising))
    r = sum_of("run", *[c for t in rising + mixed for c in (f"goto {t}", *look)], grid=grid)
    said = answers(r)[1:]
    only = looks([a for i, a in enumerate(said) if i % (len(look) + 1) != 0])
    first = dict(zip(rising, only))
    case(f"goto TIME in any order comes to the same, {name}", len(only) == 24 and all(first[t] == got for t, got in zip(mixed, only[12:])), r)
    case("... and not to the same at each", len(set(only)) == 12, len(set(only)))


def lines():
    """The values of s that a wave meets at line 12, computed here, from the last to the first."""
    want = []
    s = [0] * 32
    for i in range(32):
        s[i] = i
    for j in range(TURNS):
        s = [v + 2 * j + i for i, v in enumerate(s)]
        want.append(list(s))
    met = []
    r = sum_of("tbreak sum.cl:14", "run", *["reverse-next", "print s", "info line"] * (6 * TURNS))
    said = answers(r)[2:]
    for i in range(0, len(said) - 2, 3):
        if said[i].get("line") == 12:
            met.append([int(v, 0) for v in said[i + 1]["lanes"]])
    case("reverse-next: line 12 is met once a turn, with s as computed", met == want[::-1], (met, want, r))
    r = sum_of("tbreak twice", "run", "finish", "reverse-step", "reverse-finish")
    said = answers(r)
    case("reverse-step goes into a call, reverse-finish to the call", [a.get("line") for a in said[-2:]] == [4, 11], r)


def writers():
    """Who wrote: work-item 519 of wrong_index.cl stores to element 583 what 583 stores there, too, and 519 itself is never written."""
    args = ["-O0", "--grid", "1024", "--block", "64", "--arg", "zeros:4096:name=out:out=wrong.bin"]
    r = debug(examples / "bugs/wrong_index.cl", args, "run", "watch {u32}(out+4*583)", *["reverse-continue", "info when"] * 3)
    said = answers(r)
    final = struct.unpack("<1024I", (work / "wrong.bin").read_bytes())
    stops = [(a["workgroup"][0] * 64 + a["wave_in_group"] * 32 + a["lane"], int(a["old"], 0) if "old" in a else None, int(a["new"], 0) if "new" in a else None)
             for a in said[2:6:2]]
    case("watch and reverse-continue: both writers, the last first", [s[0] for s in stops] in ([519, 583], [583, 519]) and stops[0][0] == final[583] and
         stops[0][1] == final[583] and stops[0][2] == stops[1][1] == stops[1][0] and stops[1][2] == 0, (stops, r))
    case("... and then no more", said[6]["no_more_history"] and said[7]["time"] == 0, r)
    r = debug(examples / "bugs/wrong_index.cl", args, "run", "watch {u32}(out+4*519)", "reverse-continue")
    case("element 519: nobody", answers(r)[2]["no_more_history"], r)
    met = []
    r = sum_of("tbreak sum.cl:14", "run", "watch s", *["reverse-continue", "print s"] * (TURNS + 1), grid=32)
    for a in answers(r)[4::2]:
        met.append([int(v, 0) for v in a["lanes"]])
    want = [list(range(32))]
    for j in range(TURNS):
        want.append([v + 2 * j + i for i, v in enumerate(want[-1])])
    case("a variable: the values that it had, as computed", met[:TURNS] == want[-2::-1], (met, want, r))


def registers():
    """Times at which a forward run sees a register change are those that going back stops at."""
    n = 150
    r = sum_of("break sum.cl:11", "run", "delete", *["info when", "print $v2", "stepi"] * n, "watch $v2", *["reverse-continue", "info when"] * 6, grid=32)
    said = answers(r)
    values = [(said[i]["time"], said[i + 1]["lanes"]) for i in range(3, 3 + 3 * n, 3)]
    changes = [a[0] for a, b in zip(values, values[1:]) if a[1] != b[1]]
    back = [a["time"] for a in said[-11::2]]
    case("a register: the instructions that change it", len(changes) in range(3, 7) and back[:len(changes)] == changes[::-1], (changes, back))


def conditions():
    r = sum_of("run", "break sum.cl:12 if i == 37 && j == 2", "reverse-continue", "print j", "print s", "reverse-continue", "info breakpoints")
    said = answers(r)
    s = 37
    for j in range(3):
        s += 2 * j + 37
    case("a breakpoint with a condition, its wave and lane", said[2]["stop"] == "breakpoint" and said[2]["wave_in_group"] == 1 and said[2]["lane"] == 5 and
         int(said[4]["lanes"][5], 0) == s, (said[2], said[4], s))
    case("... the wave and time before have none", said[5]["no_more_history"], r)


def long_runs():
    """Times between snapshots: in each the generator has gone on as often as j says, or once more. Memory for snapshots is bounded."""
    args = ["-O0", "--grid", "256", "--block", "64", "--timeout", "60000", "--arg", "zeros:4194304:name=out", "--arg", f"i32:{LONG}"]

    def turns(i, n):
        s = i
        for _ in range(n):
            s = (s * 1664525 + 1013904223) % (1 << 32)
        return s
    for mib in (1024, 12):
        r = debug("long.cl", args, f"set record-memory {mib}", "run", "info when")
        when = answers(r)[-1]
        case(f"{mib} MiB: snapshots of a dispatch of {when['last']} instructions", when["last"] > 4 << 20 and when["snapshots"] > 1 and when["bytes"] <= mib << 20, when)
        places = random.Random(mib).sample(range(1000, when["last"] - 1000), 5)
        r = debug("long.cl", args, f"set record-memory {mib}", "run", *[c for t in places for c in (f"goto {t}", "print j", "print s", "print i", "info when")])
        said = answers(r)[2:]
        good = 0
        for k, t in enumerate(places):
            at, j, s, i, now = said[5 * k:5 * k + 5] if len(said) >= 5 * k + 5 else [{}] * 5
            if "lanes" in j and "lanes" in s and "lanes" in i:
                rows = [(int(j["lanes"][n], 0), int(s["lanes"][n], 0), int(i["lanes"][n], 0)) for n in (0, 31)]
                good += now.get("time") == t and all(v in (turns(x, c), turns(x, c + 1)) for c, v, x in rows)
        case(f"{mib} MiB: at any time the values are those of that turn", good == len(places), (good, said, r.stderr))
        if mib == 12:
            first = answers(debug("long.cl", args, "run", "info when"))[-1]["snapshots"]
            case("... with fewer snapshots than there would be", when["snapshots"] < first, (when, first))


    full = [a.replace("zeros:4194304", "iota:1048576:i32") for a in args]
    r = debug("long.cl", full, "set record-memory 1", "start", "stepi", "info when")
    case("1 MiB is too little for a buffer of 4 MiB: it runs, and says so", r.returncode == 3 and answers(r)[2]["outcome"] == "stopped" and
         "nothing is recorded" in r.stderr, r)


def ends():
    """Going on from any time ends as a run that nobody looked at."""
    subprocess.run([lull, "run", "sum.cl", "-O0", "--grid", "128", "--block", "64", "--arg", "zeros:512:out=plain.bin", "--arg", f"i32:{TURNS}"], cwd=work, check=True,
                   capture_output=True)
    want = [3 * (i + sum(2 * j + i for j in range(TURNS))) for i in range(128)]
    case("a plain run gives what Python computes", list(struct.unpack("<128i", (work / "plain.bin").read_bytes())) == want, want)
    for t in (0, 100, 777):
        r = sum_of("run", f"goto {t}", "continue", "x/128dw out")
        values = answers(r)[-1]
        got = [v if isinstance(v, int) else int(v, 0) for v in values["values"]] if "values" in values else values
        case(f"from time {t} on it ends as it did", got == want, (got, r))


def main():
    steps()
    times()
    lines()
    writers()
    registers()
    conditions()
    long_runs()
    ends()
    return end()


sys.exit(main())
