#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much longer instrumented shaders run: compute shaders on the virtual a660 under Turnip, as they are, and as `lull ir3 instrument` makes them.

records.py LULL SHADERS LULL_RUN_ARM64 [RESULTS.jsonl]: CPU time of one dispatch, of the whole command with all that it starts, as the difference of
several dispatches and one (which compiles), the best of two. Without arm64 programs (tools/arm64-root.sh) it measures nothing. Not `sha256.comp`: Turnip
cannot read back a listing with a table of constants.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

lull, shaders, host = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
out = open(sys.argv[4], "a", encoding="utf-8") if len(sys.argv) > 4 else None
MORE = 4  # dispatches
CASES = [
    ("saxpy, 64 Ki numbers", "saxpy.comp", "1024", ["0.0=iota:65536:f32", "0.1=rand:1:65536:f32"], ["--push", "f32:2.5,u32:65536"]),
    ("sgemm in tiles, 64 x 64", "matmul.comp", "4,4", ["0.0=zeros:16384", "0.1=rand:1:4096:f32", "0.2=rand:2:4096:f32"], ["--push", "u32:64"]),
    ("Mandelbrot, 64 x 32, 200 rounds", "mandelbrot.comp", "8,4", ["0.0=zeros:8192"], ["--push", "u32:64,32,200", "-DW=64.0", "-DH=32.0"]),
]
WAYS = {"all instructions": [], "one of its instructions": ["--regex", "^(\\([^)]*\\))*(mad|mul)\\.f"], "all, of one invocation": ["--invocations", "0"]}


def cpu_seconds():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def run(work, case, repeat, folder, **more):
    """(CPU time in seconds, what was said on standard error)."""
    name, shader, groups, binds, args = case
    line = "\t".join(["x", str(work / f"{shader}.spv"), "--groups", groups, *sum((["--bind", b] for b in binds), []),
                      *(a for a in args if not a.startswith("-D")), "--repeat", str(repeat), "--timeout", "600000"])
    env = dict(os.environ, LULL_ARM64=str(lull.parent / "arm64"), MESA_SHADER_CACHE_DISABLE="true", XDG_RUNTIME_DIR=str(work), TMPDIR=str(work), **more)
    before = cpu_seconds()
    r = subprocess.run([lull, "exec", "--gpu", "a660", *(["--records", folder] if folder else []), "--", host, "cases", "Turnip"], input=line + "\n",
                       capture_output=True, text=True, env=env, check=False)
    if r.stdout.strip() != "x 0":
        sys.exit(f"{name}: {r.stdout}{r.stderr[-1000:]}")
    return cpu_seconds() - before, r.stderr


def dispatch(work, case, folder=None, **more):
    """Milliseconds."""
    best = [min(run(work, case, repeat, folder, **more)[0] for _ in range(2)) for repeat in (1, 1 + MORE)]
    return max(best[1] - best[0], 1e-6) / MORE * 1e3


def measure(work, case):
    subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", *(a for a in case[4] if a.startswith("-D")), shaders / case[1],
                    "-o", work / f"{case[1]}.spv"], check=True, stdout=subprocess.DEVNULL)
    (work / "log").write_text(run(work, case, 1, None, IR3_SHADER_DEBUG="cs")[1])
    got = {"plain": dispatch(work, case)}
    for i, (way, args) in enumerate(WAYS.items()):
        folder = work / f"{case[1]}-{i}"
        subprocess.run([lull, "ir3", "instrument", work / "log", "--gpu", "660", "--into", folder, "--room", "64000000", *args], check=True,
                       stdout=subprocess.DEVNULL)
        got[way] = dispatch(work, case, folder, IR3_SHADER_OVERRIDE_PATH=str(folder))
    return got


def main():
    if not (lull.parent / "arm64/complete").exists():
        print("records: no arm64 programs (tools/arm64-root.sh)")
        return
    print(f"{'shader on a660, CPU ms':36}{'plain':>10}" + "".join(f"{w:>26}" for w in WAYS))
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            got = measure(pathlib.Path(folder), case)
            print(f"{case[0]:36}{got['plain']:>10.1f}" + "".join(f"{got[w] / got['plain']:>20.1f} times" for w in WAYS), flush=True)
            if out:
                out.write(json.dumps({"bench": f"records {case[0]}", "ms": got}) + "\n")


main()
