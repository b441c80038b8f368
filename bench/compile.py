#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compile time of compute shaders: lull cc -O0 and -O2 beside RADV with ACO, from the same SPIR-V.

compile.py LULL LULL_CC SHADERS [RESULTS.jsonl]: CPU time of a process that compiles the shader less that of one that compiles a
shader without code, the best of five, all ways in turn: what starts LLVM, or the driver and lull's virtual GPU, is in both. RADV
compiles without its cache of shaders. lull's time includes the object file; RADV's, the pipeline and one dispatch of one workgroup.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

lull, lull_cc, shaders = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
out = open(sys.argv[4], "a", encoding="utf-8") if len(sys.argv) > 4 else None
ROUNDS = 5
EMPTY = "#version 450\nlayout(local_size_x = 64) in;\nvoid main() {}\n"
# What the one workgroup computes is not looked at: push constants of 0 let it end soon.
CASES = [
    ("saxpy", [("0.0", 256), ("0.1", 256)], ["--push", "f32:2.5,u32:0"], []),
    ("matmul", [("0.0", 4096), ("0.1", 4096), ("0.2", 4096)], ["--push", "u32:0"], []),
    ("mandelbrot", [("0.0", 256)], ["--push", "u32:0,0,0"], ["-DW=512.0", "-DH=256.0"]),
    ("sha256", [("0.0", 4096), ("0.1", 4096)], [], []),
    ("nbody", [("0.0", 4096), ("0.1", 4096)], [], []),
]


def cpu(args):
    """Seconds of CPU of a program and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run([*map(str, args)], capture_output=True, text=True, env={**os.environ, "MESA_SHADER_CACHE_DISABLE": "true"}, check=False)
    if r.returncode != 0:
        sys.exit(f"{' '.join(map(str, args))}: status {r.returncode}: {r.stdout}{r.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(folder, spv, binds, push):
    ways = {level: [lull_cc, level, "--relocatable", spv, "-o", folder / "out.elf"] for level in ("-O0", "-O2")}
    ways["RADV"] = [lull, "run", spv, "--groups", "1", *sum((["--bind", f"{at}=zeros:{size}"] for at, size in binds), []), *push]
    return ways


def main():
    print(f"{'shader, CPU ms':16}{'lull -O0':>10}{'lull -O2':>10}{'RADV':>10}{'-O0/RADV':>10}{'-O2/RADV':>10}")
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)

        def spirv(name, source, flags):
            spv = folder / f"{name}.spv"
            subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.2", *flags, source, "-o", spv], check=True, stdout=subprocess.DEVNULL)
            return spv
        (folder / "empty.comp").write_text(EMPTY)
        empty = spirv("empty", folder / "empty.comp", [])
        for name, binds, push, flags in CASES:
            spv = spirv(name, shaders / f"{name}.comp", flags)
            full, nothing = commands(folder, spv, binds, push), commands(folder, empty, [], [])
            best = {}
            for _ in range(ROUNDS):
                for way in full:
                    for what, args in (("full", full[way]), ("nothing", nothing[way])):
                        seconds = cpu(args)
                        best[way, what] = min(seconds, best.get((way, what), seconds))
            ms = {way: max(best[way, "full"] - best[way, "nothing"], 1e-5) * 1e3 for way in full}
            print(f"{name:16}" + "".join(f"{ms[w]:10.1f}" for w in ms) + "".join(f"{ms[w] / ms['RADV']:10.1f}" for w in ("-O0", "-O2")), flush=True)
            if out:
                out.write(json.dumps({"bench": "compile", "shader": name, "cpu_ms": ms}) + "\n")


main()
