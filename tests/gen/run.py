#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run each generator on broken tables: each says in its first line what must be said.

run.py GEN_DIR HERE: err_<what>.<kind> goes to GEN_DIR/<kind>.py, instruction tables to the commands of GEN_DIR/isa.
Operands of the instructions in tables of semantics are those of data/isa/rdna3.isa.
"""
import pathlib
import subprocess
import sys

ISA = {"isa": ["decode"], "sem": ["sem"], "memsem": ["memsem"]}  # Kind: command of gen/isa.


def command(gen, case):
    kind = case.suffix[1:]
    if kind not in ISA:
        return [gen / f"{kind}.py", case]
    isa = [gen.parent / "data" / "isa" / "rdna3.isa"] if kind == "sem" else []
    return [gen / "isa", *ISA[kind], case, *isa]


gen, here = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
cases = sorted(here.glob("err_*.*"))
print(f"1..{len(cases)}")
for n, case in enumerate(cases, 1):
    want = case.read_text().splitlines()[0].removeprefix("# want: ")
    r = subprocess.run([sys.executable, *command(gen, case)], capture_output=True, text=True)
    ok = r.returncode == 1 and want in r.stderr and "Traceback" not in r.stderr
    print(f"{'ok' if ok else 'not ok'} {n} - {case.name}")
    if not ok:
        print(f"# want {want!r}, got {r.returncode}: {r.stderr.strip()}")
