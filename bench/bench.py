#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed of the model against native C for the same work, in one run on one machine.

bench.py LULL [RESULTS.jsonl]

Each kernel runs as a whole command (`lull run`, timed by hyperfine) with little and with much
work; the difference is the work itself, without start-up. The same difference of bench/native.c
(cc -O2, one thread) is what it is divided by. One JSON line for each kernel, and a table.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"

# kernel: (little, much, what a size is, its command line)
KERNELS = {
    "saxpy": (256, 1 << 20, "numbers", lambda n: [
        "--grid", n, "--block", 256, "--arg", f"zeros:{4 * n}", "--arg", f"zeros:{4 * n}", "--arg", "f32:2.5",
        "--arg", f"i32:{n}"]),
    "sgemm_tiled": (16, 192, "rows", lambda n: [
        "--grid", f"{n},{n}", "--block", "16,16", "--arg", f"zeros:{4 * n * n}", "--arg", f"zeros:{4 * n * n}",
        "--arg", f"zeros:{4 * n * n}", "--arg", f"i32:{n}"]),
    "mandelbrot": (1, 1000, "iterations at most", lambda n: [
        "--grid", "128,64", "--block", "32,2", "--arg", f"zeros:{128 * 64 * 4}", "--arg", "i32:128", "--arg", "i32:64",
        "--arg", f"i32:{n}"]),
}


def run(*args):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    if r.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, args))}: status {r.returncode}\n{r.stderr}{r.stdout}")
    return r.stdout


def whole_command(words, work):
    """Best time of a command, in seconds."""
    out = work / "hyperfine.json"
    line = " ".join(f"'{w}'" for w in words)
    run("hyperfine", "-N", "--warmup", 1, "--min-runs", 3, "--max-runs", 5, "--style", "none", "--export-json", out, line)
    return json.loads(out.read_text())["results"][0]["min"]


def measure(name, lull, work):
    little, much, unit, command = KERNELS[name]
    obj, code = work / f"{name}.o", work / f"{name}.co"
    run("clang-19", "-x", "cl", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-O2", "-c",
        EXAMPLES / f"{name}.cl", "-o", obj)
    run("ld.lld-19", "-shared", obj, "-o", code)
    small, large = (whole_command([lull, "run", code, "--threads", "1", *command(n)], work) for n in (little, much))
    native = [float(run(work / "native", name, n)) for n in (little, much)]
    model_work, native_work = large - small, native[1] - native[0]
    return {"bench": name, "size": much, "unit": unit, "command_seconds": large, "startup_seconds": small,
            "model_seconds": model_work, "native_seconds": native_work, "ratio": model_work / native_work}


def main():
    lull = sys.argv[1]
    results = []
    with tempfile.TemporaryDirectory() as d:
        work = pathlib.Path(d)
        run(os.environ.get("CC", "cc"), "-O2", "-std=gnu17", HERE / "native.c", "-o", work / "native", "-lm")
        for name in KERNELS:
            results.append(measure(name, lull, work))
            print(json.dumps(results[-1]), flush=True)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a", encoding="utf-8") as out:
            out.writelines(json.dumps(r) + "\n" for r in results)
    print(f"\n{'kernel':14}{'size':>10} {'unit':20}{'command':>10}{'model':>10}{'native':>12}{'ratio':>9}")
    for r in results:
        print(f"{r['bench']:14}{r['size']:>10} {r['unit']:20}{r['command_seconds']:>9.3f}s{r['model_seconds']:>9.3f}s"
              f"{r['native_seconds']:>11.6f}s{r['ratio']:>8.0f}x")


if __name__ == "__main__":
    main()
