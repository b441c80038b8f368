#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug --lines of what tests/debug/lines.py does not have: compute shaders under Turnip on an Adreno, and shaders of draws on both.

    lines_turnip.py LULL DRAW_ARM64 ARM64 LULL_RUN_ARM64

Which line an instruction is of is known by what only one line of the source does: a store, a comparison, a sine. TAP.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[1] / "shim")]
import arm64_tools  # noqa: E402
from tap import case, end  # noqa: E402

lull, draw_arm64, root, run_arm64 = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve(), os.path.abspath(sys.argv[4])
work = pathlib.Path(tempfile.mkdtemp())
env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
env |= {"LULL_ARM64": str(root), "HOME": str(work), "ASAN_OPTIONS": env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
COMP = """#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { float a; uint n; };
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n) {
        float before = y[i];
        y[i] = a * x[i] + before;
    }
}
"""
SCENE = """size 64 64
target R8G8B8A8_UNORM clear 0 0 0 1
buffer corners f32 -1 -1   3 -1   -1 3
vertices corners 8
attribute 0 0 R32G32_SFLOAT 0
vert glsl
layout(location = 0) in vec2 corner;
void main() { gl_Position = vec4(corner, 0, 1); }
end
frag glsl
layout(push_constant) uniform Push { vec4 color; } push;
layout(location = 0) out vec4 color;
void main() {
  vec4 c = push.color;
  c.x = sin(gl_FragCoord.x) * c.y;
  c.z = c.x * 3.0 + gl_FragCoord.y;
  color = c; }
end
push f32 0.4 0.4 0.4 1
draw 3
"""
(work / "axpy.comp").write_text(COMP)
(work / "wave.scene").write_text(SCENE)
subprocess.run(["glslangValidator", "-V", "-g", "--quiet", str(work / "axpy.comp"), "-o", str(work / "axpy.spv")], check=True)


def line_of(text, piece):
    return next(n for n, line in enumerate(text.splitlines(), 1) if piece in line)


def debug(commands, program, *options):
    script = work / "commands"
    script.write_text("\n".join(commands) + "\n")
    return subprocess.run([lull, "debug", "--lines", *options, "-batch", "-x", script, "--", *map(str, program)], env=env, cwd=work, capture_output=True, text=True, timeout=240)


def rows(text):
    """Of `info lines`: offset, line, instruction."""
    return [(int(m[2], 16), int(m[1]), m[3]) for m in re.finditer(r"^ *(\d+)  \+0x([0-9a-f]+) +(.*?)  ", text, re.M)]


def stops(name, r, text, piece, wants):
    n = line_of(text, piece)
    case(f"{name}: stops at line {n}", None is not re.search(rf"^Wave \d+ \(.*hit breakpoint 2.*\n[^\n]*:{n} \([^\n]*\)\t *{re.escape(piece)}", r.stdout, re.M), r)
    got = rows(r.stdout)
    for word, of in wants:
        found = [line for _, line, insn in got if word in insn]
        case(f"{name}: {word} is of '{of}'", found == [line_of(text, of)], (found, r))


why = arm64_tools.absent(root)
case("there are arm64 programs, or none are needed", why is None or "LULL_NEED_ARM64" not in os.environ, why)
for gpu in () if why else ("a660", "a740"):
    stop = ["catch dispatch", "run", f"break axpy.comp:{line_of(COMP, 'y[i] = a')}", "continue", "info lines", "print $pc"]
    program = [run_arm64, "run", "axpy.spv", "--groups", "2", "--bind", "0.0=iota:128:f32", "--bind", "0.1=iota:128:f32", "--push", "f32:2.5,u32:128"]
    r = debug(stop, program, "--gpu", gpu)
    stops(gpu, r, COMP, "y[i] = a", [("stib", "y[i] = a"), ("mad.f32", "y[i] = a"), ("cmps.u", "if (i < n)")])
    r = debug([*stop[:2], f"break axpy.comp:{line_of(COMP, 'if (i < n)')}", "continue", "next", "next", "next"], program, "--gpu", gpu)
    lines = [int(n) for n in re.findall(r"^[^\n]*axpy.comp:(\d+) \(", r.stdout, re.M)]
    case(f"{gpu}: next goes on to lines of the condition", lines[:1] == [line_of(COMP, "if (i < n)")] and line_of(COMP, "y[i] = a") in lines, (lines, r))
r = debug(["run"], ["true"], "--gpu", "a660", "--noopt")
case("--noopt is gfx1100's", r.returncode == 2 and "--noopt is for programs on gfx1100" in r.stderr, r)
SCENES = [("gfx1100", [lull, "run", "wave.scene"], [], 2, [("v_sin_f32", "sin("), ("v_fmamk_f32", "c.z =")])]
SCENES += [] if why else [("a660", [draw_arm64, "Turnip", work, "wave.scene"], ["--gpu", "a660"], 1, [("sin r", "sin("), ("mad.f32 r1.w", "c.z =")])]
for gpu, program, options, draws, wants in SCENES:
    r = debug(["catch draw", "run", *["continue"] * (draws - 1), f"break wave.scene:{line_of(SCENE, 'c.z =')}", "continue", "info lines"], program, *options)
    stops(f"draw on {gpu}", r, SCENE, "c.z =", wants)
end()
