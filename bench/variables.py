#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much of RADV's code has a line, and which variables are found in registers: `lull debug --lines` over the compute
shaders of tests/vulkan.

variables.py LULL [--radv DIR] [--lines N] [NAME...]: for each shader its numbers, then the sums. Waves are stopped at the
first N (6) lines that instructions of the driver's code are known to be of, and all variables of the function looked at.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

lull, rest, driver, most = sys.argv[1], sys.argv[2:], [], 6
root = pathlib.Path(__file__).resolve().parents[1]
if rest[:1] == ["--radv"]:
    driver, rest = [sys.executable, root / "tools/radv.py", "run", rest[1]], rest[2:]
if rest[:1] == ["--lines"]:
    most, rest = int(rest[1]), rest[2:]
sys.path[:0] = [str(root / "tests/vulkan")]
import cases  # noqa: E402
import words  # noqa: E402


def debug(commands, program):
    args = [*driver, lull, "debug", "--lines", "-batch", "--json"]
    for c in commands:
        args += ["-ex", c]
    try:
        r = subprocess.run([*map(str, args), "--", lull, "run", *map(str, program)], capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return []
    return [json.loads(line) for line in r.stdout.splitlines() if line.startswith('{"command"')]


def one(case, work):
    args, _ = words.words(root / "tests/vulkan/shaders", work, case)
    spv = work / "g.spv"
    flags = [a for a in case.args if str(a)[:2] in ("-D", "-I")]
    if subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3", *flags, root / "tests/vulkan/shaders" / case.shader, "-o", spv],
                      check=False, capture_output=True).returncode:
        return None
    first = [f"catch dispatch name {case.shader}", "run", "info lines"]
    answers = debug(first, [spv, *args[1:]])
    lines = next((a for a in answers if "instructions_in_all" in a), None)
    if lines is None:
        return None
    n = collections.Counter({k: lines[k] for k in lines if k.startswith(("instructions_", "lines_")) or k == "changes"})
    known = []
    for row in lines["instructions"]:
        if row.get("changes") and row.get("line") and row["line"] not in known:
            known.append(row["line"])
    for line in known[:most]:
        answers = debug([*first[:2], "delete", f"break {case.shader}:{line}", "continue", "info locals"], [spv, *args[1:]])
        stopped = any(a.get("stop") == "breakpoint" for a in answers)
        locals_ = next((a for a in answers if "variables" in a), None)
        n["stops"] += stopped
        n["interpreted"] += locals_ is not None
        for v in locals_["variables"] if locals_ else []:
            how = "alone" if "only" in v["how"] else "alike" if "all alike" in v["how"] else "found"
            n[how] += 1
        if stopped and not locals_:
            print("  ", line, next((a["error"] for a in answers if "error" in a), "?")[:150], flush=True)
    return n


total, seen = collections.Counter(), 0
for case in cases.CASES:
    if not case.shader.endswith(".comp") or (rest and case.name not in rest) or (not rest and any(
            c.shader == case.shader for c in cases.CASES[:cases.CASES.index(case)])):
        continue
    with tempfile.TemporaryDirectory() as d:
        numbers = one(case, pathlib.Path(d))
    print(case.name, dict(numbers) if numbers else "no lines", flush=True)
    seen += numbers is not None
    total.update(numbers or {})
print(seen, "shaders:", dict(total))
