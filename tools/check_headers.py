#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every header of include/ and src/ compiles alone.

check_headers.py SOURCE_ROOT BUILD_ROOT LLVM_INCLUDE CC...: generated headers are found in BUILD_ROOT, LLVM's
C API in LLVM_INCLUDE.
"""
import pathlib
import subprocess
import sys

root, build, llvm, cc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
dirs = [root / "include", root / "src", build / "src"]
bad = 0
for base in (root / "include", root / "src"):
    for path in sorted(base.rglob("*.h")):
        if "uapi" in path.parts:
            continue
        flags = [f"-I{d}" for d in dirs] + ["-isystem", llvm, "-D_GNU_SOURCE", "-std=c17", "-Wall", "-Wextra", "-Werror"]
        text = f'#include "{path.relative_to(base)}"\n'
        r = subprocess.run([*cc, *flags, "-fsyntax-only", "-x", "c", "-"], input=text, text=True, capture_output=True)
        if r.returncode != 0:
            print(f"{path}: does not compile alone\n{r.stderr}")
            bad = 1
sys.exit(bad)
