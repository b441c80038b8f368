#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What breakpoints, conditions and watchpoints cost on gfx1100: CPU time of `lull debug` with them, against the same run without.

breaks.py LULL [RESULTS.jsonl]: each a kernel of many waves that go 250 times through a loop of five instructions; CPU time of the whole command as the
difference of much and little work, the best of some. A ratio to the plain run, and for conditions what each of the hits costs.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

lull = pathlib.Path(sys.argv[1]).resolve()
out = open(sys.argv[2], "a", encoding="utf-8") if len(sys.argv) > 2 else None
LOOP = pathlib.Path(__file__).resolve().parent.parent / "examples/loop.s"
TURNS, BLOCK, ROUNDS = 250, 256, 3
# name, commands, groups of much work, whether the loop's breakpoint is hit in each turn
CASES = [
    ("plain", [], 4096, False),
    ("armed, not hit", ["break *loop+0x38"], 4096, False),
    ("armed, not hit, by steps", ["set breakpoint mode step", "break *loop+0x38"], 16, False),
    ("a false condition, which waves check", ["break *loop+0x14 if $s2 == 9999"], 256, True),
    ("a false condition on lanes, the same", ["break *loop+0x14 if $v2 == 70000"], 256, True),
    ("a false condition, which the host checks", ["break *loop+0x14 if ($s2 & 1) == 2"], 8, True),
    ("a watchpoint, not hit", ["start", f"watch {{u32}}(out + {4 * BLOCK + 1024})", "continue"], 4096, False),
]
END = ".Lloop_end:\n"
NEVER = "    s_nop 0 // behind the end: no wave comes there\n"


def cpu_seconds(work, commands, groups):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run([lull, "debug", work / "loop.s", "--grid", str(BLOCK * groups), "--block", str(BLOCK), "--arg", f"zeros:{8 * BLOCK + 4096}:name=out",
                        "-batch", *sum((["-ex", c] for c in commands), [])], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if r.returncode != 0 or "complete" not in r.stdout:
        sys.exit(f"{commands}: status {r.returncode}: {r.stdout}{r.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def group_seconds(work, commands, groups):
    commands = commands if "start" in commands else [*commands, "run"]
    least = min(cpu_seconds(work, commands, 1) for _ in range(ROUNDS))
    most = min(cpu_seconds(work, commands, groups + 1) for _ in range(ROUNDS))
    return max(most - least, 1e-9) / groups


def main():
    with tempfile.TemporaryDirectory() as d:
        work = pathlib.Path(d)
        text = LOOP.read_text()
        (work / "loop.s").write_text(text.replace(END, NEVER + END, 1))
        got = {name: group_seconds(work, commands, groups) for name, commands, groups, _ in CASES}
    waves = BLOCK // 32
    for name, _, _, hits in CASES:
        ratio = got[name] / got["plain"]
        each = (got[name] - got["plain"]) / waves / TURNS * 1e6 if hits else None
        print(f"{name:44}{got[name] * 1e6:>12.1f} us a group{ratio:>10.2f} times" + (f"{each:>10.2f} us a hit" if hits else ""), flush=True)
        if out:
            out.write(json.dumps({"bench": f"debug {name}", "group_us": got[name] * 1e6, "ratio": ratio, "hit_us": each}) + "\n")


main()
