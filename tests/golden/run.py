#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run lull on each folder beside this file and compare stdout with its `out`.

A folder is one case: `cmd` holds the arguments (@ is the folder), `out` what
stdout must be. `run.py LULL --rebase` writes `out`; read the diff before you
commit it.
"""
import difflib
import pathlib
import shlex
import subprocess
import sys

lull, rebase = sys.argv[1], "--rebase" in sys.argv
cases = sorted(p.parent for p in pathlib.Path(__file__).parent.glob("*/cmd"))
print(f"1..{len(cases)}")
for n, case in enumerate(cases, 1):
    args = shlex.split((case / "cmd").read_text().replace("@", str(case)))
    got = subprocess.run([lull, *args], capture_output=True, text=True).stdout
    out = case / "out"
    if rebase:
        out.write_text(got)
    want = out.read_text() if out.exists() else ""
    print(f"{'ok' if got == want else 'not ok'} {n} - {case.name}")
    for line in difflib.unified_diff(want.splitlines(), got.splitlines(), "want", "got", lineterm=""):
        print("#", line)
