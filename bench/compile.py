#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compile time of compute shaders: lull cc -O0 and -O2 beside RADV with ACO, from the same SPIR-V.

compile.py LULL_CC COMPILE_RADV SHADERS [RESULTS.jsonl]: CPU time, the best of five. lull-cc is a program that starts LLVM for each shader: the time of one that compiles a
shader without code is taken off; the object file is in it. RADV's is that of creating module and pipeline in one process, without its cache of shaders, and for gfx1100
without a GPU (RADV_FORCE_FAMILY); there, too, that of the shader without code is taken off. The last column is lull-cc's whole process: what a user waits for.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

lull_cc, compile_radv, shaders = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
out = open(sys.argv[4], "a", encoding="utf-8") if len(sys.argv) > 4 else None
ROUNDS = 5
EMPTY = "#version 450\nlayout(local_size_x = 64) in;\nvoid main() {}\n"
CASES = [("saxpy", 2, []), ("matmul", 3, []), ("mandelbrot", 1, ["-DW=512.0", "-DH=256.0"]), ("sha256", 2, []), ("nbody", 2, [])]
RADV = {"RADV_FORCE_FAMILY": "gfx1100", "RADV_DEBUG": "nocache", "MESA_SHADER_CACHE_DISABLE": "true", "VK_ICD_FILENAMES": "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json"}


def run(args, env=None):
    r = subprocess.run([*map(str, args)], capture_output=True, text=True, env={**os.environ, **(env or {})}, check=False)
    if r.returncode != 0:
        sys.exit(f"{' '.join(map(str, args))}: status {r.returncode}: {r.stdout}{r.stderr}")
    return r.stdout


def cpu(args):
    """Milliseconds of CPU of a program and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def by_lull(level, files):
    """The best of each file, all in turn."""
    best = {}
    for _ in range(ROUNDS):
        for f in files:
            ms = cpu([lull_cc, level, "--relocatable", f, "-o", f.with_suffix(".elf")])
            best[f] = min(ms, best.get(f, ms))
    return [best[f] for f in files]


def by_radv(buffers, files):
    name, *us = run([compile_radv, ROUNDS, buffers, *files], RADV).splitlines()
    return name, [float(v) / 1e3 for v in us]


def main():
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        (folder / "empty.comp").write_text(EMPTY)

        def spirv(name, source, flags):
            spv = folder / f"{name}.spv"
            subprocess.run(["glslangValidator", "-V", "--target-env", "vulkan1.2", *flags, source, "-o", spv], check=True, stdout=subprocess.DEVNULL)
            return spv
        files = [spirv("empty", folder / "empty.comp", []), *(spirv(name, shaders / f"{name}.comp", flags) for name, _, flags in CASES)]
        theirs, name = [], ""
        for i, (_, buffers, _) in enumerate(CASES):
            name, (nothing, full) = by_radv(buffers, [files[0], files[1 + i]])
            theirs.append(full - nothing)
        ours = {level: by_lull(level, files) for level in ("-O0", "-O2")}
        llvm = run(["llvm-config-19", "--version"]).strip()
        print(f"lull-cc with LLVM {llvm}; {name}; CPU ms")
        print(f"{'shader':12}{'lull -O0':>10}{'lull -O2':>10}{'ACO':>10}{'-O0/ACO':>10}{'-O2/ACO':>10}{'process -O2':>13}")
        for i, (shader, _, _) in enumerate(CASES):
            ms = {level: ours[level][1 + i] - ours[level][0] for level in ours}
            print(f"{shader:12}{ms['-O0']:10.1f}{ms['-O2']:10.1f}{theirs[i]:10.1f}{ms['-O0'] / theirs[i]:10.1f}{ms['-O2'] / theirs[i]:10.1f}{ours['-O2'][1 + i]:13.1f}", flush=True)
            if out:
                out.write(json.dumps({"bench": "compile", "shader": shader, "cpu_ms": {**ms, "RADV": theirs[i]}, "driver": name, "llvm": llvm}) + "\n")


main()
