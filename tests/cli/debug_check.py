#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug --check: a wave that is found doing something wrong stops behind it, with its lane in focus.

    debug_check.py LULL BUGS PASSES SPIRV ARM64

Bugs of examples/bugs; lines by their text, lanes and elements worked out here. TAP.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shim"))
import arm64_tools  # noqa: E402

lull, bugs, passes, spirv = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
adreno = arm64_tools.absent(pathlib.Path(sys.argv[5]))  # None: a660 can be tested.


def debug(what, *commands, check="all", before=()):
    words = [w for c in commands for w in ("-ex", c)]
    r = subprocess.run([lull, "debug", "-nx", "--json", "-batch", *before, "--check", check, *words, *map(str, what)], capture_output=True, text=True, timeout=120)
    return r, [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]


def kernel(name, args):
    return [bugs / name, *args.split()]


def line_of(name, piece):
    return next(n for n, line in enumerate((bugs / name).read_text().splitlines(), 1) if piece in line)


# File, arguments, check, line of what is found, wave of the workgroup, lane; None: not said.
STOPS = [
    ("off_by_one.cl", "--grid 256 --block 64 --arg zeros:1020 --arg iota:256:f32 --arg i32:255", "bounds", "out[i] =", [3, 0, 0], 1, 31),
    ("missing_barrier.cl", "--grid 256 --block 128 --arg zeros:1024 --arg iota:256:i32 --arg local:512", "race", "tile[l] =", [0, 0, 0], 2, 0),
    ("divide.cl", "--grid 64 --block 64 --arg zeros:256 --arg iota:64:i32 --arg iota:64:i32", "divzero", "sums[i] /", [0, 0, 0], 0, 0),
    ("mean.cl", "--grid 64 --block 64 --arg zeros:256 --arg iota:64:f32 --arg iota:64:f32", "nan", "sums[i] /", [0, 0, 0], 0, 0),
]
for name, args, check, piece, group, wave, lane in STOPS:
    for checks in (check, "all")[:1 if name == "missing_barrier.cl" else 2]:  # -O0: uninit comes first in that one
        r, out = debug(kernel(name, args), "run", "info findings", "continue", check=checks)
        stop = out[0]
        found = stop.get("finding", {})
        case(f"{name}, {checks}: stops", (stop.get("workgroup"), stop.get("wave_in_group"), stop.get("lane"), found.get("check")) == (group, wave, lane, check) and
             f"{name}:{line_of(name, piece)}" in found["text"] and r.returncode == 1, (r, stop))
        case(f"{name}, {checks}: info findings, and it ends", [f["check"] for f in out[1]["findings"]] == [check] and len(out) == 3 and ("finding" in out[2]) == (name == "off_by_one.cl"), out)
r, out = debug(kernel("missing_barrier.cl", STOPS[1][1]), "run", "reverse-stepi", "info findings", "continue", "info findings", "continue", check="race")
stop, again = out[0].get("finding", {}), out[3].get("finding", {})
case("one step back it is not found yet, and then again", stop.get("check") == "race" and out[2]["findings"] == [] and again == stop and
     [(f["check"], f["count"]) for f in out[4]["findings"]] == [("race", stop["count"])] and r.returncode == 1, r)
# The lane that stored tile[64], work-item 64, races with the one that loads it: l with 127 - l == 64. Other breakpoints do not stop on the way there.
r, out = debug(kernel("missing_barrier.cl", STOPS[1][1]), "break 5", "run", "delete", "continue", "other", "print l[31]", "info breakpoints", "other", "continue", check="race")
there = next(o for o in out if o.get("command") == "other")
case("the other of a race: at its load, back in time", (there.get("workgroup"), there.get("wave_in_group"), there.get("lane")) == ([0, 0, 0], 1, 31) and
     "workgroup 0,0,0 wave 1 lane 31" in there["text"] and there.get("line") == line_of("missing_barrier.cl", "tile[n - 1 - l]") and
     int(next(o for o in out if o.get("expression") == "l[31]")["value"], 0) == 127 - 64 and "No breakpoints." in r.stdout, r)
r, _ = debug(kernel("missing_barrier.cl", STOPS[1][1]), "start", "other", check="race")
case("... of nothing", r.returncode == 3 and "no check has found" in r.stderr + r.stdout, r)
with tempfile.TemporaryDirectory() as folder:
    text = (bugs.parent / "loop.s").read_text()
    for name, was, now in (("lacks.s", "s_waitcnt lgkmcnt(0)", "s_nop 0"), ("has.s", "", "")):
        (pathlib.Path(folder) / name).write_text(text.replace(was, now))
        r, out = debug([f"{folder}/{name}", *"--grid 256 --block 64 --arg zeros:1024".split()], "run", "info findings", "reverse-stepi", "info findings", "continue", "continue", check="hazards")
        found = [o.get("finding", {}).get("kind") for o in out if o.get("command") in ("run", "continue")]
        lists = [[f["check"] for f in o["findings"]] for o in out if "findings" in o]
        if name == "has.s":
            case("a wait that is there: nothing stops", found[:1] == [None] and lists[:1] == [[]] and r.returncode != 1, (r, out))
            continue
        store = 1 + next(i for i, t in enumerate(text.splitlines()) if "global_store_b32" in t)
        case("a wait that is left out: stops behind the store", found == ["wait-read", "wait-read", None] and f"lacks.s:{store} " in out[0]["finding"]["text"] and r.returncode == 1, (r, out))
        case("... it is listed, one step back not yet", lists == [["hazards"], []], lists)
r, out = debug(kernel("overflow.cl", "--grid 64 --block 64 --arg zeros:512 --arg i32:1000000"), "run", check="overflow")
case("an overflow: the line, though the wave stops behind it", out[0].get("line") == line_of("overflow.cl", "i * i") and "text" in out[0].get("finding", {}), r)
r, out = debug(["--", passes, spirv, "no-descriptor"], "run", "reverse-stepi", check="bounds")
case("a program: one step back is the load that is found", len(out) == 2 and out[1].get("pc") == out[0].get("finding", {}).get("sites", [{}])[0].get("pc") != out[0]["pc"], (r, out))
with tempfile.TemporaryDirectory() as folder:
    two = pathlib.Path(folder) / "two.cl"
    two.write_text("kernel void two(global int *out, global const int *in, int n) {\n  int i = get_global_id(0);\n  out[i] = in[i] / n;\n"
                   "  if (i == 70)\n    out[i + 26] = 1;\n}\n")
    command = [two, *"--grid 96 --block 96 --arg zeros:384 --arg iota:96:i32 --arg i32:0".split()]
    for level in ("-O0", "-O2"):
        r, out = debug([*command, level], "run", "continue", "continue", "reverse-continue", "info findings", "print $_lane", "reverse-continue", "reverse-continue", "info findings", "continue",
                       "continue", "continue", check="bounds,divzero")
        stops = [o["finding"] for o in out if "finding" in o]
        lines = [s["sites"][-1]["line"] for s in stops]
        case(f"{level}: back to each finding, and on again", sorted(lines[:2]) == [3, 5] and lines == lines[:2] + lines[1::-1] + lines[:2] and stops[2] == stops[1] and
             stops[3]["text"] == stops[0]["text"] and [len(o["findings"]) for o in out if "findings" in o] == [2, 0], (lines, r))
        r, out = debug([*command, level], "run", "continue", "reverse-stepi", check="bounds,divzero")
        at = [o.get("pc") and (o["wave_in_group"], int(str(o["pc"]), 0)) for o in out]
        case(f"{level}: one step back from the second: the first, on the way there, stops nothing", len(at) == 3 and None not in at and at[2][0] == at[1][0] and
             at[1][1] - 64 <= at[2][1] < at[1][1] and r.returncode == 1, (at, r))
right = kernel("stride.cl", "--grid 64 --block 64 --arg zeros:1024 --arg i32:64")
r, out = debug(right, "run", "info findings")
case("a right run does not stop", r.returncode == 0 and "finding" not in out[0] and out[1]["findings"] == [], r)
r, out = debug(right, "break stride.cl:1", "run", "info findings", "continue", "info findings", check="race")
case("with a breakpoint", [o["findings"] for o in out if "findings" in o] == [[], []], r)
r, out = debug(["--", passes, spirv, "no-descriptor"], "run", "continue", check="bounds")
case("a program: a load, then a store", [o["finding"]["check"] for o in out if "finding" in o] == ["bounds", "bounds"] and "loads" in out[0]["finding"]["text"] and "stores" in out[1]["finding"]["text"], r)
for gpu in ([], ["--gpu", "a660"])[: 2 if adreno is None else 1]:
    r, out = debug(["--", passes if not gpu else f"{passes}_arm64", spirv, "same-buffer"], "run", "info findings", "reverse-stepi 3", "info findings", "continue", "info findings", check="race", before=gpu)
    lists = [[f["text"] for f in o["findings"]] for o in out if "findings" in o]
    case(f"a program{' on a660' if gpu else ''}: back in front of a race, and on to it again", len(lists) == 3 and len(lists[0]) == 1 and lists[1] == [] and lists[2] == lists[0] and
         out[4].get("pc") == out[0].get("pc") is not None and out[4].get("workgroup") == out[0]["workgroup"] == [8, 0, 0], (r, out))
r, out = debug(["--", passes, spirv, "few-groups"], "catch dispatch", "run", "delete", "stepi 20", "reverse-stepi 10", "continue", "info findings", check="lint")
case("a program: what a whole dispatch did is known behind a way back, too", [(f["kind"], f["count"]) for f in out[-1]["findings"]] == [("too few workgroups: the end of a buffer is not written", 2)], (r, out))
r, out = debug(["--", passes, spirv, "no-barrier"], "run", "info findings", check="race")
case("two dispatches: told in the end", "finding" not in out[0] and [f["kind"] for f in out[-1]["findings"]] == ["two dispatches, no barrier between them"], r)
for what, word in ((["--check", "speed", "x.cl"], "unknown check 'speed'"), (["--check", "overflow", "--gpu", "a660", "--", "true"], "an Adreno does not have overflow"), (["--check", "lint", *right], "Vulkan")):
    r = subprocess.run([lull, "debug", "-nx", "-batch", *map(str, what)], capture_output=True, text=True, timeout=60)
    case(f"refused: {what[1]}", r.returncode in (2, 3) and word in r.stderr, r)
end()
