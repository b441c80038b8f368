#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull run --gpu and lull diff of Vulkan shaders on a GPU of lull's that is not gfx1100: TAP. vk_gpu.py LULL SHADERS ARM64.

What needs arm64 programs (tools/arm64-root.sh) is skipped without them.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "shim")]
import arm64_tools  # noqa: E402
from tap import case, end, skip  # noqa: E402
from vk_shaders import FAULT, HANG  # noqa: E402

lull, shaders, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
env["LULL_ARM64"] = str(root)
SAXPY = [shaders / "saxpy.comp", "--groups", 1, "--bind", "0.0=iota:64:f32", "--bind", "0.1=fill:2:64:f32", "--push", "f32:3,u32:64"]
WANT = struct.pack("<64f", *(3 * 2 + i for i in range(64)))  # all of them floats, whatever rounds
# A subgroup of an Adreno has at least 64 fibers, one of gfx1100 at most, and lavapipe's is a vector of a CPU.
WIDE = """#version 460
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
void main() { y[gl_LocalInvocationID.x] = gl_LocalInvocationID.x + (gl_SubgroupSize < 32 ? 0 : 5 * gl_LocalInvocationID.x); }
"""
# (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46 if it rounds once, and 0 if the product rounds, too.
MAD = [shaders / "saxpy.comp", "--groups", 1, "--bind", "0.0=fill:-1.0000002384185791:64:f32", "--bind", "0.1=fill:1.0000001192092896:64:f32",
       "--push", "f32:1.0000001192092896,u32:64"]
IMAGE = """#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform image2D a;
layout(set = 0, binding = 1) buffer B { float v[]; };
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec4 c = imageLoad(a, p);
    v[p.y * 16 + p.x] = fma(c.x, v[p.y * 16 + p.x], -c.x);
    imageStore(a, p, c.yzwx);
}
"""
FUSED, UNFUSED = f"0.0=fill:{2.0 ** -46}:64:f32", "0.0=zeros:256"


def run(*args, command="run", more=None):
    r = subprocess.run([lull, *([command] if isinstance(command, str) else command), *map(str, args)], capture_output=True, text=True,
                       timeout=120, env={**env, **(more or {})}, check=False)
    return r.returncode, r.stdout, r.stderr


def refused(name, status, text, *args, **more):
    r = run(*args, **more)
    case(f"refused: {name}", r[0] == status and text in r[2] and r[1] == "", r)


def is_code(text, op, last):
    """A listing, once from the first instruction to `last`, with `op` in it."""
    lines = [re.fullmatch(r"  \+0x([0-9a-f]+) +(.*)", line) for line in text.splitlines()]
    return all(lines) and [int(m[1], 16) for m in lines] == sorted({int(m[1], 16) for m in lines}) and lines[0][1] == "0" and \
        any(op in m[2] for m in lines) and lines[-1][2] == last


def refusals():
    refused("a GPU that is not there", 2, "--gpu a999: there are gfx1100, a630, a660 and a740", *SAXPY, "--gpu", "a999")
    refused("a GPU and a device", 2, "--gpu", *SAXPY, "--gpu", "a660", "--vulkan-device", "lavapipe")
    refused("a GPU in the GPU of lull exec", 2, "under lull exec", *SAXPY, "--gpu", "a660", command=["exec", "--", lull, "run"])
    refused("diff: a GPU that is not there", 2, "--gpu a999", *SAXPY, "--gpu", "a999", "--against", "lavapipe", command="diff")
    refused("diff: a GPU and a device", 2, "--gpu", *SAXPY, "--gpu", "a660", "--vulkan-device", "lavapipe", "--against", "lull", command="diff")
    refused("a scene", 2, "--against a660: an Adreno of lull's does not draw", shaders.parents[2] / "examples/pane.scene", "--against", "a660",
            command="diff")
    assumed = "--assume is of Adreno's shaders"
    refused("what is assumed of a gfx1100", 2, assumed, *SAXPY, "--assume", "mad=fused")
    refused("what is assumed of lavapipe", 2, assumed, *SAXPY, "--assume", "mad=fused", "--vulkan-device", "lavapipe")
    refused("diff: what is assumed of a gfx1100", 2, assumed, *SAXPY, "--assume", "mad=fused", "--against", "lavapipe", command="diff")
    refused("diff: a listing as JSON", 2, "--listing is text", *SAXPY, "--gpu", "a660", "--against", "gfx1100", "--listing", "--json", command="diff")
    refused("what nobody can assume", 2, "mad=maybe: mad has the values unfused, fused", *SAXPY, "--gpu", "a660", "--assume", "mad=maybe")
    for command in ("run", "diff", "debug"):
        r = run("--assume", "list", command=command)
        case(f"{command}: the list of what is assumed", r[0] == 0 and "\nmad=unfused  (unfused, fused)\n" in "\n" + r[1], r)
    nowhere = {"LULL_ARM64": "/nowhere"}
    for gpu in (["--gpu", "a660", "--against", "lavapipe"], ["--against", "a660"]):
        refused(f"no arm64 programs, {gpu[0]}", 3, "tools/arm64-root.sh FOLDER", *SAXPY, *gpu, command="diff", more=nowhere)


def results(work):
    wide, want = work / "wide.comp", work / "want.bin"
    wide.write_text(WIDE)
    want.write_bytes(WANT)
    for gpu in ("gfx1100", "a630", "a660", "a740"):
        r = run(*SAXPY, "--gpu", gpu, "--expect", f"0.0={want}")
        case(f"run, {gpu}", r == (0, "", ""), r)
    r = run(*SAXPY, "--gpu", "a660", "--expect", "0.0=zeros:256", "--out", f"0.0={work / 'out'}")
    case("run: a difference, a file", r[0] == 1 and "first [0]: got 6, want 0" in r[1] and (work / "out").read_bytes() == WANT, r)
    for a, b in (("a660", "a740"), ("a660", "gfx1100"), ("gfx1100", "a740"), ("lavapipe", "a660")):
        first = ["--vulkan-device" if a == "lavapipe" else "--gpu", a]
        r = run(*SAXPY, *first, "--against", b, command="diff")
        case(f"diff: {a} and {b} agree", r == (0, "", ""), r)
    for more, want in (([], UNFUSED), (["--assume", "mad=fused"], FUSED), (["--assume=mad=fused", "--assume", "mad=unfused"], UNFUSED)):
        r = run(*MAD, "--gpu", "a660", *more, "--expect", want)
        case(f"run: {' '.join(more) or 'nothing assumed'}", r == (0, "", ""), r)
    # What is assumed is for the Adreno alone; either side may be one.
    for a, b in (("a660", "gfx1100"), ("gfx1100", "a740")):
        r = run(*MAD, "--gpu", a, "--against", b, command="diff")
        case(f"diff: {a} and {b} round differently", r[0] == 1 and r[1].startswith("0.0: 64 of 64 f32 differ"), r)
        r = run(*MAD, "--gpu", a, "--against", b, "--assume", "mad=fused", command="diff")
        case(f"diff: {a} and {b}, mad=fused", r == (0, "", ""), r)
    r = run(*MAD, "--gpu", "a660", "--against", "gfx1100", "--listing", command="diff")
    head, _, rest = r[1].partition("a660:\n")
    halves = rest.partition("gfx1100:\n")
    case("diff --listing: each driver's own code, from its first instruction to its last", r[0] == 1 and
         re.fullmatch("0.0: 64 of 64 f32 differ, .*\n", head) is not None and is_code(halves[0], "mad.f32", "end") and
         is_code(halves[2], "v_fma", "s_endpgm"), r)
    image = work / "image.comp"
    image.write_text(IMAGE)
    r = run(image, "--groups", "2,2", "--bind", "0.0=image:16x16:rgba8:rand:1", "--bind", "0.1=fill:1.0000001192092896:256:f32", "--gpu", "gfx1100", "--against",
            "a660", "--listing", command="diff")
    halves = r[1].partition("gfx1100:\n")[2].partition("a660:\n")
    case("diff --listing: not RADV's copy to the image, of as many groups", r[0] == 1 and is_code(halves[0], "v_fma", "s_endpgm") and
         is_code(halves[2], "mad.f32", "end"), r)
    r = run(*MAD, "--gpu", "a660", "--against", "gfx1100", "--assume", "mad=fused", "--listing", command="diff")
    case("diff --listing: nothing where they agree", r == (0, "", ""), r)
    r = run(wide, "--groups", 1, "--bind", "0.0=zeros:256", "--gpu", "a660", "--against", "llvmpipe", "--listing", command="diff")
    case("diff --listing: not of others' GPUs", r[0] == 1 and r[1].endswith("llvmpipe: no code, because it is not a GPU of lull's\n") and "  +0x0 " in r[1], r)
    args = [wide, "--groups", 1, "--bind", "0.0=zeros:256", "--gpu", "a660"]
    r = run(*args, "--against", "lavapipe", command="diff")
    case("diff: where they part", r[0] == 1 and r[1] == "0.0: 63 of 64 u32 differ, first [1]: got 6, want 1, greatest distance 315\n", r)
    r = run(*args, "--against", "lavapipe:abs:315", command="diff")
    case("diff: within a tolerance", r[0] == 0, r)
    r = run(*args, "--against", "a740", "--json", command="diff")
    case("diff of two: JSON", r[0] == 0 and json.loads(r[1])["against"] == "a740", r)
    r = run(*SAXPY, "--gpu", "a660", "-DUNUSED=1", "--json")
    case("run: JSON names Turnip", r[0] == 0 and "Turnip" in json.loads(r[1])["device"], r)


def ends(work):
    fault, hang = work / "fault.comp", work / "hang.comp"
    fault.write_text(FAULT)
    hang.write_text(HANG)
    r = run(fault, "--gpu", "a660", "--groups", 1, "--buffer", "a=zeros:64", "--push", "addr:a")
    case("a page fault: status 1 and the driver's log", r[0] == 1 and r[1].startswith("page-fault;") and "iova=" in r[1], r)
    r = run(hang, "--gpu", "a660", "--groups", 1, "--bind", "0.0=zeros:64", "--timeout", 500)
    case("a hang: status 124 and the driver's log", r[0] == 124 and r[1].startswith("hang;") and "lockup" in r[1], r)


refusals()
why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    skip(why)
    end()
case("arm64 programs are there", why is None, why)
with tempfile.TemporaryDirectory() as folder:
    results(pathlib.Path(folder))
    ends(pathlib.Path(folder))
end()
