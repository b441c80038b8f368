#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of the model of ir3, one instruction at a time: ir3.py IR3_CODE [RESULTS.jsonl]

32 copies of an instruction on one wave of 128 fibers and one host thread, CPU time, the best of three. One JSON line for each, and a table of
fiber-instructions a second.
"""
import json
import subprocess
import sys

COPIES, ROUNDS = 32, 600
INSTRUCTIONS = {
    "mov.u32u32": "mov.u32u32 r4.x, r1.x",
    "mov.u32u32 of a constant": "mov.u32u32 r4.x, c1.x",
    "add.f": "add.f r4.x, r1.x, r1.y",
    "add.f (neg)": "add.f r4.x, r1.x, (neg)r1.y",
    "mad.f32": "mad.f32 r4.x, r1.x, r1.y, r4.x",
    "add.f half": "add.f hr16.x, hr8.x, hr8.y",
    "add.u": "add.u r4.x, r4.x, r0.x",
    "mull.u": "mull.u r4.x, r1.x, r1.y",
    "sel.b32": "sel.b32 r4.x, r1.x, r0.x, r1.y",
    "cmps.f to p0.x": "cmps.f.lt p0.x, r1.x, r1.y",
    "rcp": "rcp r4.x, r1.x",
    "ldg": "ldg.u32 r4.x, g[r2.x], 1",
    "stg": "stg.u32 g[r2.x], r1.x, 1",
    "ldl": "ldl.u32 r4.x, l[r0.y], 1",
}


def measure(tool, name, text):
    best = 0.0
    for _ in range(3):
        r = subprocess.run([tool, (text + "\n") * COPIES, str(ROUNDS)], capture_output=True, text=True, check=False)
        if r.returncode != 0:
            return {"bench": f"ir3 {name}", "error": r.stderr.strip()}
        fibers, seconds = r.stdout.split()
        best = max(best, int(fibers) / float(seconds))
    return {"bench": f"ir3 {name}", "fiber_instructions_per_second": best}


def main():
    lines = [measure(sys.argv[1], name, text) for name, text in INSTRUCTIONS.items()]
    print(f"{'instruction of ir3':30}{'M fiber-instr./s':>18}")
    for line in lines:
        print(f"{line['bench'][4:]:30}" + (f"{line['error']:>18}" if "error" in line else f"{line['fiber_instructions_per_second'] / 1e6:>18.0f}"))
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a", encoding="utf-8") as out:
            out.writelines(json.dumps(line) + "\n" for line in lines)
    sys.exit(any("error" in line for line in lines))


if __name__ == "__main__":
    main()
