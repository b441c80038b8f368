#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a subpass draws, read by the next one as input attachments: on lavapipe, and under Turnip on the Adreno of `lull exec`, by tiles
(TU_DEBUG=gmem), where it never gets to memory, and without. TAP. Arguments: lull, the program, the same for arm64, folder of the shaders,
folder of arm64 programs (tools/arm64-root.sh)."""
import os
import pathlib
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / p) for p in ("", "shim")]
import arm64_tools  # noqa: E402
import tap  # noqa: E402

lull, program, arm64, shaders, root = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], pathlib.Path(sys.argv[5])


def case(name, command, more):
    env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0", **more}
    r = subprocess.run(command, capture_output=True, text=True, timeout=200, env=env, check=False)
    tap.case(name, r.returncode == 0 and r.stdout.count("\nok ") == 3 and r.stdout.startswith("ok 1"), (r.returncode, r.stdout, r.stderr))


for variable in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES", "LD_LIBRARY_PATH"):
    os.environ.pop(variable, None)
case("lavapipe", [program, "llvmpipe", shaders], {})
why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    tap.skip(why)
    tap.end()
tap.case("arm64 programs are there", why is None, why)
for chip, mode in (("a660", "gmem"), ("a660", "sysmem"), ("a630", "gmem"), ("a740", "gmem")):
    case(f"{chip}, {mode}", [lull, "exec", "--gpu", chip, "--", arm64, "Turnip", shaders],
         {"LULL_ARM64": str(root), "MESA_SHADER_CACHE_DISABLE": "true", "VK_ICD_FILENAMES": "/icd/backports/freedreno.json", "TU_DEBUG": mode})
tap.end()
