#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same Vulkan compute shader on lull's virtual GPUs, gfx1100 under RADV, interpreted and compiled (--engine jit), and a660 under Turnip, the same, and on
lavapipe, on one thread each.

vulkan.py LULL SHADERS [RESULTS.jsonl]: CPU time of one dispatch, of the whole command with all that it starts, as the difference of several
dispatches and one (which compiles), the best of three, the devices in turn. Without arm64 programs (tools/arm64-root.sh) there is no a660.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys

lull, shaders = sys.argv[1], pathlib.Path(sys.argv[2])
out = open(sys.argv[3], "a", encoding="utf-8") if len(sys.argv) > 3 else None
MORE = 4  # dispatches
HAS_ARM64 = (pathlib.Path(lull).resolve().parent / "arm64/complete").exists()
DEVICES = {"gfx1100": ["--threads", "1", "--engine", "interp"], "compiled": ["--threads", "1", "--engine", "jit"], **({"a660": ["--gpu", "a660", "--engine", "interp"], "a660 jit": ["--gpu", "a660", "--engine", "jit"]} if HAS_ARM64 else {}), "lavapipe": ["--vulkan-device", "lavapipe"]}
CASES = [
    ("saxpy, 1 Mi numbers", "saxpy.comp", "16384", ["0.0=iota:1048576:f32", "0.1=rand:1:1048576:f32"],
     ["--push", "f32:2.5,u32:1048576"]),
    ("sgemm in tiles, 256 x 256", "matmul.comp", "16,16", ["0.0=zeros:262144", "0.1=rand:1:65536:f32",
                                                           "0.2=rand:2:65536:f32"], ["--push", "u32:256"]),
    ("Mandelbrot, 512 x 256, 200 rounds", "mandelbrot.comp", "64,32", ["0.0=zeros:524288"],
     ["--push", "u32:512,256,200", "-DW=512.0", "-DH=256.0"]),
    ("SHA-256, 16 Ki messages", "sha256.comp", "256", ["0.0=zeros:524288", "0.1=rand:3:131072:u32"], []),
    ("n bodies, 1024", "nbody.comp", "16", ["0.0=zeros:16384", "0.1=rand:4:4096:f32"], []),
]


def cpu_seconds():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def run(device, shader, groups, binds, args, repeat):
    """CPU time in seconds."""
    before = cpu_seconds()
    r = subprocess.run([lull, "run", shaders / shader, "--groups", groups, *sum((["--bind", b] for b in binds), []), *args, "--repeat", str(repeat),
                        *device], capture_output=True, text=True, env=dict(os.environ, LP_NUM_THREADS="1"), check=False)
    if r.returncode != 0:
        sys.exit(f"{shader}: status {r.returncode}: {r.stdout}{r.stderr}")
    return cpu_seconds() - before


def measure(case):
    """Milliseconds of a dispatch by device."""
    best = {}
    for _ in range(3):
        for key, device in DEVICES.items():
            for repeat in (1, 1 + MORE):
                seconds = run(device, *case, repeat)
                best[key, repeat] = min(seconds, best.get((key, repeat), seconds))
    return {key: max(best[key, 1 + MORE] - best[key, 1], 1e-6) / MORE * 1e3 for key in DEVICES}


OWN = [d for d in DEVICES if d != "lavapipe"]
print(f"{'shader, CPU ms':36}" + "".join(f"{d:>10}" for d in DEVICES) + "".join(f"{d + '/lavapipe':>18}" for d in OWN))
for name, *case in CASES:
    ms = measure(case)
    print(f"{name:36}" + "".join(f"{ms[d]:10.2f}" for d in DEVICES) + "".join(f"{ms[d] / ms['lavapipe']:18.1f}" for d in OWN), flush=True)
    if out:
        out.write(json.dumps({"bench": "vulkan", "shader": name, "cpu_ms": ms}) + "\n")
