#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every header of include/ and src/ compiles alone.

check_headers.py SOURCE_ROOT BUILD_ROOT CC...: generated headers are found in BUILD_ROOT.
"""
import pathlib
import subprocess
import sys

root, build, cc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
dirs = [root / "include", root / "src", build / "src"]
bad = 0
for base in (root / "include", root / "src"):
    for path in sorted(base.rglob("*.h")):
        if "uapi" in path.parts:
            continue
        flags = [f"-I{d}" for d in dirs] + ["-D_GNU_SOURCE", "-std=c17", "-Wall", "-Wextra", "-Werror"]
        text = f'#include "{path.relative_to(base)}"\n'
        r = subprocess.run([*cc, *flags, "-fsyntax-only", "-x", "c", "-"], input=text, text=True, capture_output=True)
        if r.returncode != 0:
            print(f"{path}: does not compile alone\n{r.stderr}")
            bad = 1
sys.exit(bad)
