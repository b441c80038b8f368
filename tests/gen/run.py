#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run each generator on broken tables: each says in its first line what must be said.

run.py GEN_DIR HERE: err_<what>.<kind> goes to GEN_DIR/<kind>.py.
"""
import pathlib
import subprocess
import sys

gen, here = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
cases = sorted(here.glob("err_*.*"))
print(f"1..{len(cases)}")
for n, case in enumerate(cases, 1):
    want = case.read_text().splitlines()[0].removeprefix("# want: ")
    tool = gen / (case.suffix[1:] + ".py")
    r = subprocess.run([sys.executable, tool, case], capture_output=True, text=True)
    ok = r.returncode == 1 and want in r.stderr and "Traceback" not in r.stderr
    print(f"{'ok' if ok else 'not ok'} {n} - {case.name}")
    if not ok:
        print(f"# want {want!r}, got {r.returncode}: {r.stderr.strip()}")
