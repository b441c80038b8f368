#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bugs of Mesa 22.3.6's compiler for AMD that are not in 25.0.7, on the model: radv_bugs.py LULL EXAMPLES RADV. What the shaders mean is computed here;
diff-run with both drivers names where they part, and the line."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, shaders, other = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve() / "radv", pathlib.Path(sys.argv[3]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
env = os.environ | {"HOME": str(work), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
system = pathlib.Path("/usr/share/vulkan/icd.d/radeon_icd.x86_64.json")
PAIR = 0x43214000


def half(x):
    try:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    except OverflowError:
        return 0x7c00


def version():
    r = subprocess.run([lull, "exec", "vulkaninfo", "--summary"], capture_output=True, text=True, env=env, timeout=200)
    return "Mesa 22.3.6" in r.stdout and system.exists() and (other / "radeon_icd.json").exists()


def lines(name, text):
    return [i + 1 for i, line in enumerate((shaders / name).read_text().splitlines()) if text in line]


def both(name, *args):
    """Right memory under each driver, and what diff-run says."""
    got = []
    for variables in ({"VK_ICD_FILENAMES": str(system)}, {"VK_ICD_FILENAMES": str(other / "radeon_icd.json"), "LD_LIBRARY_PATH": str(other)}):
        r = subprocess.run([lull, "run", shaders / name, *args, "--out", f"{args[-1].split('=')[0] if args[-2] == '--bind' else '0.0'}=out.bin"], capture_output=True, text=True,
                           cwd=work, env=env | variables, timeout=200)
        got.append((work / "out.bin").read_bytes() if r.returncode == 0 else r.stderr.encode())
    r = subprocess.run([lull, "diff-run", "--json", f"VK_ICD_FILENAMES={system}::{other / 'radeon_icd.json'}", f"LD_LIBRARY_PATH=::{other}", "run", shaders / name, *args],
                       capture_output=True, text=True, cwd=work, env=env, timeout=250)
    return got, json.loads(r.stdout) if r.stdout.startswith("{") else {"runs": [{}, {}], "place": None, "source": {}}, r


def half_vector():
    got, a, r = both("half_vector.comp", "--groups", "1", "--bind", "0.0=zeros:512", "--push", f"u32:{PAIR:#x}")
    row = struct.pack("<4H", half(1.0), PAIR >> 16, half(2.0), half(4.0))
    case("half_vector: right under 25.0.7, wrong under 22.3.6", got[1] == 64 * row and got[0] != 64 * row, got)
    case("... the third number has bits of the second", a["place"] == "buffer 0+0x4" and
         [int(x["value"], 0) for x in a["runs"]] == [half(4.0) << 16 | half(2.0) | PAIR >> 16, half(4.0) << 16 | half(2.0)], r)
    ored = [s for s in a["runs"][0].get("steps", []) if s["instruction"].startswith("s_or_b32")]
    case("... by an s_or_b32 that the other code does not have", len(ored) == 1 and any(int(v, 0) == PAIR >> 16 for v in ored[0]["reads"].values()), r)
    case("... at the line of the vector", a["source"].get("line") in lines("half_vector.comp", "f16vec4(1.0hf") and a["source"]["run"] == 1, r)


def to_half():
    got, a, r = both("to_half.comp", "--groups", "1", "--bind", "0.0=iota:64:u32", "--bind", "0.1=zeros:256")
    want = [half(float(5000 * i)) for i in range(64)]
    first = next(i for i in range(64) if 5000 * i > 0xffff)
    case("to_half: right under 25.0.7, wrong under 22.3.6", got[1] == struct.pack("<64I", *want) and got[0] != got[1], got)
    case("... from 65536 on", a["place"] == f"buffer 0+{4 * first:#x}" and
         [int(x["value"], 0) for x in a["runs"]] == [half(float(5000 * first & 0xffff)), 0x7c00], r)
    steps = [s["steps"][0]["instruction"] if s.get("steps") else "" for s in a["runs"]]
    case("... by a conversion from 16 bits", steps[0].startswith("v_cvt_f16_u16") and steps[1].startswith("v_cvt_f32_u32"), r)
    case("... at the line of the conversion", a["source"].get("line") in lines("to_half.comp", "float16_t(n)") and a["source"]["run"] == 1, r)


if version():
    half_vector()
    to_half()
    end()
else:
    print("1..0 # SKIP the system's RADV is not of Mesa 22.3.6, or the second one is not there")
