#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings in shaders that Turnip compiled for an Adreno name file and line, which are those of the text of examples/bugs. adreno_lines.py LULL BUGS ARM64. TAP."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "shim")]
import arm64_tools  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, bugs, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
env["LULL_ARM64"] = str(root)
# Shader: (check, arguments, a piece of the line of its sites, GPUs).
BUGS = {
    "short_range.comp": ("bounds", "--groups 4 --bind 0.0=zeros:1000", "values[gl_GlobalInvocationID.x] =", ("a660", "a740")),
    "push_bound.comp": ("bounds", "--groups 1 --bind 0.0=zeros:256 --push u32:256", "atomicAdd", ("a660",)),
    "wrong_owner.comp": ("race", "--groups 2 --bind 0.0=zeros:1024", "values[gl_LocalInvocationID.x] =", ("a660",)),
}

# A loop that the compiler of a shader with a change must come out of, too.
SUM = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { float a[]; };
layout(set = 0, binding = 1) buffer B { float b[]; };
shared float t[64];
void main() {
    uint l = gl_LocalInvocationID.x;
    t[l] = a[gl_GlobalInvocationID.x];
    barrier();
    for (uint s = 32; s > 0; s >>= 1) {
        if (l < s) t[l] += t[l + s];
        barrier();
    }
    if (l == 0) b[gl_WorkGroupID.x] = t[0];
}
"""


def run(gpu, path, args, check):
    r = subprocess.run([lull, "run", "--gpu", gpu, path, *args.split(), "--check", check, "--json"], env=env, capture_output=True, text=True, timeout=120)
    found = [f for text in r.stdout.splitlines() if text.startswith('{"check"') for f in json.loads(text)["findings"]]
    return r, [(pathlib.Path(s.get("file", "")).name, s.get("line")) for f in found for s in f["sites"]]


why = arm64_tools.absent(root)
if why:
    skip(why)
for name, (check, args, piece, gpus) in BUGS.items():
    line = next(n for n, text in enumerate((bugs / name).read_text().splitlines(), 1) if piece in text)
    for gpu in [] if why else gpus:
        r, sites = run(gpu, bugs / name, args, check)
        case(f"{name} on {gpu}: {check}, line {line}", r.returncode == 1 and set(sites) == {(name, line)}, (sites, r))
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "sum.comp"
    path.write_text(SUM)
    line = next(n for n, text in enumerate(SUM.splitlines(), 1) if "b[gl_WorkGroupID.x] =" in text)
    for size, status in (() if why else ((16, 0), (12, 1))):
        r, sites = run("a660", path, f"--groups 4 --bind 0.0=iota:256:f32 --bind 0.1=zeros:{size}", "all")
        case(f"a sum of {size // 4} of 4 groups", r.returncode == status and set(sites) == ({("sum.comp", line)} if status else set()) and "crashed" not in r.stderr, (sites, r))
end()
