#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same Vulkan compute shader on lull's virtual GPU and on lavapipe, on one thread each.

vulkan.py LULL SHADERS [RESULTS.jsonl]: host time of one dispatch, as the difference of several dispatches and
one (which compiles), the best of three, both devices in turn.
"""
import json
import os
import pathlib
import subprocess
import sys

lull, shaders = sys.argv[1], pathlib.Path(sys.argv[2])
out = open(sys.argv[3], "a", encoding="utf-8") if len(sys.argv) > 3 else None
MORE = 4  # dispatches
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


def run(device, shader, groups, binds, args, repeat):
    env = dict(os.environ, LP_NUM_THREADS="1")
    r = subprocess.run([lull, "run", shaders / shader, "--groups", groups, *sum((["--bind", b] for b in binds), []),
                        *args, "--repeat", str(repeat), "--json", *device], capture_output=True, text=True, env=env,
                       check=False)
    if r.returncode != 0:
        sys.exit(f"{shader}: status {r.returncode}: {r.stdout}{r.stderr}")
    return json.loads(r.stdout)["ns"]


print(f"{'shader':36} {'lull ms':>9} {'lavapipe ms':>12} {'lull/lavapipe':>14}")
for name, *case in CASES:
    best = {}
    for _ in range(3):
        for key, device in (("lull", []), ("lavapipe", ["--vulkan-device", "lavapipe"])):
            for repeat in (1, 1 + MORE):
                ns = run(device, *case, repeat)
                best[key, repeat] = min(ns, best.get((key, repeat), ns))
    ms = {key: max(best[key, 1 + MORE] - best[key, 1], 1) / MORE / 1e6 for key in ("lull", "lavapipe")}
    print(f"{name:36} {ms['lull']:9.2f} {ms['lavapipe']:12.2f} {ms['lull'] / ms['lavapipe']:14.1f}", flush=True)
    if out:
        out.write(json.dumps({"bench": "vulkan", "shader": name, "ms": ms}) + "\n")
