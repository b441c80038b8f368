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

lull, examples = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
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
    ends()
    return end()


sys.exit(main())
