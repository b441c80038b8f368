#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What checks cost: checks.py LULL [RUNS [RESULTS.jsonl]]. Four kernels without and with each check, and with all. CPU time (user and system) of the least of RUNS runs,
large work less small, so that compiling and starting are not in it; as ratios to the plain run in the interpreter, and of all checks also to the plain run with
compiled waves. Interleaved, so that a busy machine is busy for all."""
import json
import os
import pathlib
import resource
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
lull, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
# Of all, index alone makes other code, which executes more instructions: "rest" is all but that.
CHECKS = ["barrier", "bounds", "divzero", "hazards", "index", "nan", "overflow", "race", "uninit", "rest", "all"]

REST = ",".join(c for c in CHECKS if c not in ("index", "rest", "all"))


def square(n):
    return ["--grid", f"{n},{n}", "--block", "16,16", "--arg", f"rand:1:{n * n}:f32:name=c", "--arg", f"rand:2:{n * n}:f32", "--arg", f"rand:3:{n * n}:f32", "--arg", f"i32:{n}"]


# kernel: (little, much, its command line)
KERNELS = {
    "saxpy": (256, 1 << 21, lambda n: ["--grid", n, "--block", 256, "--arg", f"rand:1:{n}:f32", "--arg", f"rand:2:{n}:f32", "--arg", "f32:2.5", "--arg", f"i32:{n}"]),
    "sgemm_tiled": (16, 320, square),
    "mandelbrot": (1, 3000, lambda n: ["--grid", "128,64", "--block", "32,2", "--arg", f"zeros:{128 * 64 * 4}", "--arg", "i32:128", "--arg", "i32:64", "--arg", f"i32:{n}"]),
    "reduce": (256, 1 << 20, lambda n: ["--grid", n, "--block", 256, "--arg", f"zeros:{n // 64}", "--arg", f"iota:{n}:i32", "--arg", f"i32:{n}"]),
}


def seconds(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if r.returncode != 0:
        sys.exit(f"checks: {' '.join(map(str, words))}: status {r.returncode}\n{r.stderr}{r.stdout}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name, level):
    little, much, args = KERNELS[name]
    ways = {"plain": ["--engine", "interp"], "compiled": ["--engine", "jit"]}
    ways |= {c: ["--engine", "interp", "--check", REST if c == "rest" else c] for c in CHECKS}
    least = {}
    for _ in range(runs):
        for way, words in ways.items():
            for n in (little, much):
                t = seconds([lull, "run", EXAMPLES / f"{name}.cl", level, "--threads", 1, "--timeout", 100000, *words, *args(n)])
                least[way, n] = min(least.get((way, n), t), t)
    work = {w: max(least[w, much] - least[w, little], 1e-3) for w in ways}
    row = {"bench": f"checks {name} {level}", "plain_seconds": work["plain"], "all_to_compiled": work["all"] / work["compiled"]}
    return row | {c: work[c] / work["plain"] for c in CHECKS}


results = []
print(f"{'kernel':18}{'plain':>8}" + "".join(f"{c:>9}" for c in CHECKS) + "   all to compiled")
for kernel in os.environ.get("KERNELS", " ".join(KERNELS)).split():
    for opt in os.environ.get("LEVELS", "-O2 -O0").split():
        r = measure(kernel, opt)
        results.append(r)
        print(f"{kernel + ' ' + opt:18}{r['plain_seconds'] * 1000:>6.0f}ms" + "".join(f"{r[c]:>9.1f}" for c in CHECKS) + f"{r['all_to_compiled']:>18.1f}", flush=True)
if len(sys.argv) > 3:
    with open(sys.argv[3], "a", encoding="utf-8") as out:
        out.writelines(json.dumps(r) + "\n" for r in results)
