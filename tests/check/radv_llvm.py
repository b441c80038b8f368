#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What --check hazards tells of RADV's code by LLVM 15, and what LLVM 19 says of the same instructions.

    radv_llvm.py LULL RUN_PY SHADERS

LLVM 19's pass is asked by llc-19 about three instructions of that code. TAP.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull, run_py, shaders = sys.argv[1:4]
MIR = """--- |
  define amdgpu_cs void @f() { ret void }
...
---
name: f
body: |
  bb.0:
    $vgpr1 = V_CNDMASK_B32_e64 0, $vgpr0, 0, $vgpr0, $sgpr6_sgpr7, implicit $exec
    $sgpr6_sgpr7 = S_MOV_B64 -1
    $vcc = S_ANDN2_B64 $exec, $sgpr6_sgpr7, implicit-def $scc
    S_ENDPGM 0
...
"""
r = subprocess.run(["llc-19", "-mtriple=amdgcn", "-mcpu=gfx1100", "-mattr=+wavefrontsize64", "-run-pass", "post-RA-hazard-rec", "-x", "mir", "-o", "-", "-"],
                   input=MIR, capture_output=True, text=True, timeout=60, check=False)
case("LLVM 19 waits between the write and the read", re.search(r"S_MOV_B64 -1\s+S_WAITCNT_DEPCTR 65534\s+\$vcc", r.stdout) is not None, r)
env = {**os.environ, "RADV_DEBUG": "llvm"}
r = subprocess.run([lull, "exec", "--check", "hazards", "--", "python3", run_py, lull, shaders, "game-of-life", "saxpy"], env=env, capture_output=True, text=True,
                   timeout=110, check=False)
told = re.findall(r"^([a-z-]+): 0x[0-9a-f]+ .*\n  (.*)", r.stderr, re.M)
if not re.search(r"^ok \d+ - game-of-life", r.stdout, re.M):
    skip("RADV without LLVM")
else:
    case("what LLVM 15 left out", r.returncode == 1 and {t[0] for t in told} == {"mask-write"} and all("reads s6, written at" in t[1] for t in told), (told, r))
end()
