#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull stomp: programs of which the test knows what they count on. stomp.py LULL STALE LULL_RUN_ARM64 ARM64.

STALE (adreno/stale.c) makes its submits by msm's calls.
The last case is Turnip's, unmodified; it needs arm64 programs (tools/arm64-root.sh).
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shim"))
import arm64_tools  # noqa: E402
from tap import case, end, skip  # noqa: E402

lull, stale, host, root = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
BOTH = ["--flags", "cmdbuf,renderpass"]


def run(command, *args, program, **more):
    return subprocess.run([lull, command, *args, "--", stale, *program], capture_output=True, text=True, timeout=200, **more)


def found(args, program):
    """Exit status; registers or buffers."""
    r = run("stomp", "--json", *args, program=program)
    try:
        got = json.loads(r.stdout)
    except ValueError:
        return r.returncode, r.stdout + r.stderr
    return r.returncode, [x if isinstance(x, int) else x["offset"] for x in got.get("registers", got.get("buffers"))]


# What each program counts on, and what must be found. 0x880e RB_DITHER_CNTL, 0x8864 RB_ALPHA_CONTROL, 0xa009 VFD_ADD_OFFSET.
for what, args, program, want in (
        ("a register", [], ["registers", "0x880e"], (1, ["0x880e"])),
        ("of a740", ["--gpu", "a740"], ["registers", "0xa009"], (1, ["0xa009"])),
        ("two together", [], ["registers", "0x8864,0xa009"], (1, ["0x8864", "0xa009"])),
        ("a register out of the range", ["--range", "0x9000,0xbe01"], ["registers", "0x880e"], (0, [])),
        ("a register in the range", ["--range", "0x880e,0x880e"], ["registers", "0x880e"], (1, ["0x880e"])),
        ("a register that a range leaves out", ["--range", "0x880e,0x8864", "--flags", "inverse"], ["registers", "0x880e"], (0, [])),
        ("outside of a range", ["--range", "0x8000,0x8800", "--flags", "cmdbuf,inverse"], ["registers", "0x880e"], (1, ["0x880e"])),
        ("a register that must not hold garbage", BOTH, ["registers", "0x8870"], (0, [])),
        ("at a render pass", ["--flags", "renderpass"], ["blit"], (1, ["0x8c2c"])),
        ("at a render pass, both", BOTH, ["blit"], (1, ["0x8c2c"])),
        ("not at a render pass", [], ["blit"], (0, [])),
        ("a buffer", ["--memory"], ["memory", "3"], (1, [4])),
        ("the first buffer", ["--memory"], ["memory", "0"], (1, [1])),
        ("a buffer, by registers", BOTH, ["memory", "3"], (0, []))):
    got = found(args, program)
    case(what, got == want, (got, want))

# In words.
r = run("stomp", "--flags", "renderpass", program=["blit"])
case("in words", r.returncode == 1 and r.stdout.startswith("passes  with no garbage\nfails (exit status 1)  ") and
     f"{stale} fails with garbage in this register:\n  0x8c2c RB_2D_SRC_SOLID_C0, which drivers set in each render pass or blit\n" in r.stdout, r.stdout)
r = run("stomp", program=["registers", "0xa009"])
case("fields", "  0xa009 VFD_ADD_OFFSET, which drivers set in each command buffer\n    fields: VERTEX, INSTANCE\n" in r.stdout, r.stdout)
r = run("stomp", program=["memory", "0"])
case("nothing", r.returncode == 0 and "passes, whatever registers hold" in r.stdout, r.stdout)

# How many registers there are: Mesa has 159 and 202 of command buffers, 1079 and 1027 of render passes; 1, 7, 8 and 10 dwords are denied,
# 22 and 11 are of dispatches (HLSQ_CS_*), which only Turnip itself sets again; one of a6xx, 0xbe04, is out of the range. 3 * 32 and 32 are what binning
# writes, VSC_STATE and sizes of streams.
def how_many(*args):
    return re.findall(r"  (\d+) registers, ", run("stomp", *args, program=["registers", "0x880e"]).stdout)[:1]


for what, args, want in (("a660", [], 159 - 1 - 1), ("a740", ["--gpu", "a740"], 202 - 7), ("a660, both", BOTH, 159 - 2 + 1079 - 8 - 22 - 96),
                         ("a740, both", ["--gpu", "a740", *BOTH], 202 - 7 + 1027 - 10 - 11 - 32)):
    got = how_many(*args)
    case(f"how many: {what}", got == [str(want)], (got, want))

# By a command: the run is wrong while it succeeds.
with tempfile.TemporaryDirectory() as d:
    for what, command, want in (("succeeds", 'test "$STATUS" = 1', (1, ["0x880e"])), ("never", "false", (0, [])),
                                ("cannot be told", "exit 125", None)):
        got = found(["--while", command], ["registers", "0x880e"])
        case(f"--while: {what}", got == want if want is not None else got[0] == 3 and "125" in got[1], got)

# What is wrong.
for what, args, program, words in (
        ("fails anyway", [], ["registers", "0x880e", "x"], None),
        ("no such GPU", ["--gpu", "a530"], ["blit"], "there are a630, a660 and a740"),
        ("a range", ["--range", "5"], ["blit"], "want FIRST,LAST"),
        ("a range that ends before it begins", ["--range", "6,5"], ["blit"], "want FIRST,LAST"),
        ("nothing in the range", ["--range", "0x1,0x2"], ["blit"], "no register there"),
        ("a flag", ["--flags", "cmdbuf,often"], ["blit"], "there are cmdbuf, renderpass and inverse")):
    if words is None:
        r = subprocess.run([lull, "stomp", "--", "false"], capture_output=True, text=True)
        case(what, r.returncode == 3 and "fails with no garbage, too" in r.stderr, r.stderr)
        continue
    r = run("stomp", *args, program=program)
    case(f"wrong: {what}", r.returncode in (2, 3) and words in r.stderr and r.stdout == "", (r.returncode, r.stderr))

# lull exec by itself.
for what, args, program, status in (("nothing", [], ["blit"], 0), ("a register", ["--stomp", "0x880e"], ["registers", "0x880e"], 1),
                                    ("another", ["--stomp", "0x880f-0x8864,0xa009"], ["registers", "0x880e"], 0),
                                    ("a buffer", ["--stomp-memory", "2-4"], ["memory", "3"], 1),
                                    ("other buffers", ["--stomp-memory", "1-3,5"], ["memory", "3"], 0)):
    r = run("exec", "--gpu", "a660", *args, program=program)
    case(f"exec: {what}", r.returncode == status, (r.returncode, r.stdout, r.stderr))
for args in (["--stomp", "12-"], ["--stomp", ""], ["--stomp-memory", "all,3"], ["--stomp", "-5"], ["--stomp", "0x20-0x10"]):
    r = run("exec", "--gpu", "a660", *args, program=["blit"])
    case(f"exec: {args}", r.returncode == 2 and "want N,FIRST-LAST" in r.stderr, (r.returncode, r.stderr))
r = subprocess.run([lull, "exec", "--stomp", "all", "--", "true"], capture_output=True, text=True)
case("exec: not of gfx1100", r.returncode == 2 and "of an Adreno" in r.stderr, (r.returncode, r.stderr))

# Turnip sets what it reads.
SHADER = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint v[]; } o;
layout(set = 0, binding = 1) uniform In { uvec4 a; } u;
void main() { o.v[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * gl_GlobalInvocationID.x + u.a.y; }
"""
why = arm64_tools.absent(root)
if why is not None:
    skip(why)
else:
    with tempfile.TemporaryDirectory(prefix="lull-") as d:
        d = pathlib.Path(d)
        (d / "s.comp").write_text(SHADER)
        (d / "want").write_bytes(b"".join((i * i + 1).to_bytes(4, "little") for i in range(128)))
        subprocess.run(["glslangValidator", "-V", "--quiet", d / "s.comp", "-o", d / "s.spv"], check=True, capture_output=True)
        env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
        env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true",
                   TMPDIR=str(d), XDG_RUNTIME_DIR=str(d))
        r = subprocess.run([lull, "stomp", "--json", *BOTH, "--while", f"! cmp -s {d / 'out'} {d / 'want'}", "--", host, "run", d / "s.spv", "--groups",
                            "2", "--bind", "0.0=zeros:512", "--bind", "0.1=iota:4:u32", "--out", f"0.0={d / 'out'}", "--vulkan-device", "Turnip"],
                           capture_output=True, text=True, timeout=280, env=env)
        case("Turnip", r.returncode == 0 and json.loads(r.stdout)["runs"] == 2, (r.returncode, r.stdout, r.stderr))
end()
