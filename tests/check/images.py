#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings of images say which descriptor, variable and image they are of, and which texel of it.

    images.py LULL IMAGES SPIRV
    images.py LULL IMAGES SPIRV a660 ARM64

What is expected are the sizes, names and views in images.c: levels and layers count from where the view begins (Vulkan 1.3, 12.5, "Image Views"). TAP.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / p) for p in ("", "shim")]
import arm64_tools  # noqa: E402
from tap import case, end  # noqa: E402

lull, program, spirv = sys.argv[1:4]
GPU = ["--gpu", sys.argv[4]] if len(sys.argv) > 4 else []
env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}


def image(bind, variable, name, extent, texel, level=0, **more):
    return {"set": bind[0], "binding": bind[1], **more, "variable": variable, "path": "", "written": True, "image": name, "extent": extent, "texel": texel, "level": level}


# Image, x, y and z as the shader has them; the resource; its text.
CASES = {
    "0 5 3 0": (image((0, 0), "flat_image", "flat", [64, 4], [5, 3]), 'set 0 binding 0: flat_image, texel 5,3 of image "flat", which has 64x4'),
    "1 2 3 1": (image((0, 1), "layered", "layers", [8, 8], [2, 3, 1 + 1]), 'set 0 binding 1: layered, texel 2,3,2 of image "layers", which has 8x8 in 3 layers'),
    "2 7 9 0": (image((0, 2), "small", "levels", [32, 32], [7, 9], 0 + 1), 'set 0 binding 2: small, texel 7,9 of level 1 of image "levels", which has 32x32'),
    "3 1 2 3": (image((0, 3), "volume", "volume", [4, 4, 4], [1, 2, 3]), 'set 0 binding 3: volume, texel 1,2,3 of image "volume", which has 4x4x4'),
    "4 17 0 0": ({"set": 0, "binding": 4, "variable": "row", "path": "[17]", "written": True, "buffer": "row", "size": 4096, "byte": 256 + 4 * 17},
                 'set 0 binding 4: row[17], byte 324 of buffer "row", which has 4096'),
    "5 3 2 0": (image((1, 0), "several", "", [16, 8], [3, 2], element=2), "set 1 binding 0 element 2: several[2], texel 3,2 of an image, which has 16x8"),
    "6 5 0 2": (image((1, 2), "lines", "lines", [16], [5, 1 + 2]), 'set 1 binding 2: lines, texel 5,3 of image "lines", which has 16 in 4 layers'),
    "7 0 0 0": None,
}


def run(which, *more):
    return subprocess.run([lull, "exec", *GPU, "--check", "bounds,race", *more, "--", program, spirv, *which.split()], capture_output=True, text=True, timeout=120, env=env, check=False)


why = arm64_tools.absent(pathlib.Path(sys.argv[5])) if GPU else None
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
# An emulator runs the program there: not each of them.
for which, want in [c for i, c in enumerate(CASES.items()) if not GPU or i not in (0, 3, 6)]:
    r = run(which, "--json")
    found = [f for line in r.stderr.splitlines() if line.startswith("{") for f in json.loads(line)["findings"]]
    got = [[s.get("resource") for s in f["sites"]] for f in found]
    case(which, r.stdout == "done\n" and got == ([] if want is None else [[want[0]] * 2]), (want, r))
for which in ("1 2 3 1", "2 7 9 0", "5 3 2 0", "6 5 0 2")[:1 if GPU else 4]:
    r = run(which)
    case(f"{which} as text", r.stderr.count(f"      {CASES[which][1]}\n") == 2, (CASES[which], r))
end()
