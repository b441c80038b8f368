#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""VK_LAYER_LULL_printf under programs that know nothing of it: printf.py LULL PROGRAM DIRECTORY LAYERS [RADV | PROGRAM-FOR-ARM64].

What is expected follows from the shaders and from what the program does (printf_program.c). The Khronos validation layer stands below
lull's and complains of what that does wrong.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / p) for p in ("", "shim")]
import arm64_tools  # noqa: E402
from tap import case, end  # noqa: E402

lull, program, here, layers = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
backports = "BACKPORTS" in sys.argv  # RADV 25.0.7, by the environment: what 22.3.6 does not have
radv = "RADV" in sys.argv or backports
work = pathlib.Path(tempfile.mkdtemp())
env = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_PRINTF", "VK_"))}
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
ICD = "/usr/share/vulkan/icd.d/" + ("radeon" if radv else "lvp") + "_icd.x86_64.json"
ICD = os.environ["VK_ICD_FILENAMES"] if backports else ICD
env |= {"VK_DRIVER_FILES": ICD, "VK_ICD_FILENAMES": ICD, "VK_ADD_LAYER_PATH": layers, "MESA_SHADER_CACHE_DISABLE": "true",
        "VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation" if radv else "VK_LAYER_LULL_printf:VK_LAYER_KHRONOS_validation"}
REFUSALS = ["VUID", "Validation Error"]


def run(*command, options=(), **more):
    """On lavapipe with the layer from the environment; on RADV by lull exec --printf."""
    command = [lull, "exec", "--printf", *options, "--", *command] if radv else list(command)
    return subprocess.run(command, env=env | more, capture_output=True, text=True, timeout=240, cwd=work)


def compile_shader(name, *flags):
    spv = work / f"{name}{''.join(flags)}.spv"
    subprocess.run(["glslangValidator", "--quiet", "-V", *flags, name, "-o", spv], cwd=here, check=True, stdout=subprocess.DEVNULL)
    return spv


def lines(r):
    return sorted(line for line in r.stdout.splitlines() if line != "done")


def clean(r):
    """It ended well, and the validation layer was silent."""
    return r.returncode == 0 and "done" in r.stdout.splitlines() and not any(w in r.stdout + r.stderr for w in REFUSALS)


NAMES = {1: "pipeline 1", 2: "pipeline 2 'second\\x1b'"}
K = {1: 10, 2: 20}


def line(pipeline, number, rnd, group, place="printf.comp:8"):
    dispatch = "" if number is None else f" dispatch {number}"
    return f"[{place} {NAMES[pipeline]}{dispatch} workgroup {group},0,0] k {K[pipeline]} round {rnd} group {group}"


MANY = sorted([line(1, 0, 1, 0), line(1, 0, 1, 1), line(2, 1, 2, 0), line(1, 2, 3, 0), line(1, 2, 3, 1), line(2, 3, 4, 0)])


def programs(spv):
    for way in ("many", "readonly-on", "features", *([] if radv else ["inline"])):  # RADV 22.3.6 has no pipeline libraries
        r = run(program, spv, way)
        case(f"{way}: pipelines, dispatches, indirect and secondary", clean(r) and lines(r) == MANY and not r.stderr, r)
    r = run(program, spv, "unnamed", VK_INSTANCE_LAYERS="" if radv else "VK_LAYER_LULL_printf")  # the validation layer would complain
    case("the function that names things, without its extension", clean(r) and not r.stderr and lines(r) == MANY, r)
    r = run(program, spv, "exit", options=["--printf-size", "67108864"], LULL_PRINTF_SIZE="67108864")
    case("a driver that takes its memory away as the program ends", clean(r) and lines(r) == MANY and not r.stderr, r)
    r = run(program, spv, "readonly")
    case("features that cannot be changed: printf is off, the program goes on", clean(r) and not lines(r) and
         "printf is off" in r.stderr, r)
    r = run(program, spv, "again")
    # The first ran before the second was submitted, or not, or it was printed then, and not yet known to have ended.
    both = [sorted([line(1, a, 7, 0), line(1, b, 7, 0), line(1, 2, 7, 0)]) for a, b in ((None, None), (0, 1), (0, None))]
    case("a command buffer twice: no number that may be wrong", clean(r) and lines(r) in both, r)
    size = {"LULL_PRINTF_SIZE": "4096"}
    r = run(program, spv, "rounds", options=["--printf-size", "4096"], **size)
    rounds = sorted(line(1, i, i, g) for i in range(200) for g in range(3))
    case("a small buffer, emptied while the program waits", clean(r) and not r.stderr and lines(r) == rounds, r)
    if not radv:  # On the model one waits for the shader.
        r = run(program, compile_shader("printf_slow.comp", "-g"), "flight", **size)
        rounds = sorted(line(1, i, i, g, "printf_slow.comp:8") for i in range(200) for g in range(3))
        case("a small buffer, and something always runs", clean(r) and not r.stderr and lines(r) == rounds, r)
    r = run(program, spv, "flood", options=["--printf-size", "4096"], **size)
    lost = sum(int(n) for n in re.findall(r"(\d+) lines are lost", r.stderr))
    kept = lines(r)
    case("a full buffer says what is lost", clean(r) and len(kept) + lost == 1000 and lost > 0 and len(set(kept)) == len(kept), r)


def forms(spv):
    plain = compile_shader("printf.comp")
    r = run(program, plain, "many")
    case("a module without lines has a number", clean(r) and lines(r) == [m.replace("printf.comp:8", "module 1") for m in MANY], r)
    texts = sorted(m.split("] ")[1] for m in MANY)
    r = run(program, spv, "many", options=["--printf-record", "none"], LULL_PRINTF_RECORD="none")
    case("nothing but the text", clean(r) and lines(r) == texts, r)
    r = run(program, spv, "many", options=["--printf-record", "workgroup"], LULL_PRINTF_RECORD="workgroup")
    case("the workgroup alone", clean(r) and lines(r) == sorted("[workgroup" + m.split(" workgroup")[1] for m in MANY), r)
    if not radv:
        r = run(program, spv, "many", LULL_PRINTF="stderr")
        case("to standard error", r.stdout == "done\n" and sorted(r.stderr.splitlines()) == MANY, r)
        r = run(program, spv, "many", LULL_PRINTF_RECORD="place,foo", LULL_PRINTF_SIZE="7")
        case("variables that make no sense are named", "'foo'" in r.stderr and "'7'" in r.stderr and clean(r) and len(lines(r)) == 6, r)
    bad = work / "bad.comp"
    bad.write_text((here / "printf.comp").read_text().replace("round %u", "round %f"))
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", bad, "-o", work / "bad.spv"], check=True, stdout=subprocess.DEVNULL)
    r = run(program, work / "bad.spv", "many")
    case("integers for %f: a warning with the line", clean(r) and "bad.comp:8: warning" in r.stderr and len(lines(r)) == 6, r)
    bad.write_text((here / "printf.comp").read_text().replace(", gl_WorkGroupID.x", ""))
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", bad, "-o", work / "bad.spv"], check=True, stdout=subprocess.DEVNULL)
    r = run(program, work / "bad.spv", "many")
    case("too few arguments: said with the line, and the program goes on", clean(r) and "bad.comp:8: " in r.stderr and not lines(r), r)


SCENE = """size 8 8
target R8G8B8A8_UNORM clear 0 0 0 1
vert glsl
#version 460
#extension GL_EXT_debug_printf : require
void main() {
  gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1, 0.5, 1);
  if (gl_InstanceIndex == 1) debugPrintfEXT("at %v2f", gl_Position.xy);
}
end
frag glsl
#version 460
#extension GL_EXT_debug_printf : require
layout(push_constant) uniform P { uint n; } p;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(1, 0, 0, 1);
  if (gl_FragCoord.x < 1 && gl_FragCoord.y < 2) debugPrintfEXT("n %u y %f", p.n, gl_FragCoord.y);
}
end
push u32 5
draw 3
push u32 6
draw 3 2
"""


def draws():
    """lull itself is the program that draws; each draw of a scene has a pipeline of its own."""
    (work / "printf.scene").write_text(SCENE)
    device = "RADV" if radv else "llvmpipe"
    r = run(lull, "run", "printf.scene", "--out-dir", ".", "--vulkan-device", device)
    want = []
    for pipeline, instances in ((1, 1), (2, 2)):
        where = f"pipeline {pipeline} draw {pipeline - 1}"
        want += [f"{where} pixel 0,{y}] n {pipeline + 4} y {y + 0.5:f}" for y in range(2) for _ in range(instances)]
        want += [f"{where} vertex {v} instance 1] at {(v & 1) * 4 - 1:f}, {(v >> 1) * 4 - 1:f}" for v in range(3) if instances == 2]
    got = sorted(re.sub(r"^\[\S+ ", "", m) for m in r.stdout.splitlines() if m.startswith("["))
    case("draws: pixels, vertices, the number of the draw", r.returncode == 0 and got == sorted(want) and
         not any(w in r.stdout + r.stderr for w in REFUSALS), r)


def turnip(arm64, spv):
    """Under Debian's Turnip, whose layers are arm64 ones."""
    for chip in ("a630", "a660", "a740"):
        r = subprocess.run([lull, "exec", "--gpu", chip, "--printf", "--", arm64, spv, "many"], env=arm64_env, capture_output=True, text=True,
                           timeout=240)
        case(f"{chip}: pipelines, dispatches, indirect and secondary", r.returncode == 0 and lines(r) == MANY and not r.stderr, r)
    r = subprocess.run([lull, "debug", "--gpu", "a660", "--printf", "--batch", "-ex", "run", "--", arm64, spv, "many"], env=arm64_env,
                       capture_output=True, text=True, timeout=240)
    case("lull debug --gpu a660 --printf", sorted(m for m in r.stdout.splitlines() if m.startswith("[printf.comp")) == MANY, r)


with_lines = compile_shader("printf.comp", "-g")
arm64_env = {k: v for k, v in env.items() if not k.startswith("VK_")}
if len(sys.argv) == 6 and not radv:
    why = arm64_tools.absent(pathlib.Path(layers) / "../../arm64")
    if why is not None and "LULL_NEED_ARM64" not in os.environ:
        print(f"1..0 # SKIP {why}")
        sys.exit(0)
    case("arm64 programs are there", why is None, why)
    turnip(os.path.abspath(sys.argv[5]), with_lines)
    end()
if backports:  # Debian 12's validation layer does not know shader objects
    env.pop("VK_INSTANCE_LAYERS")
    for way in ("objects", "inline"):
        r = run(program, with_lines, way)
        case(f"{way}: two, dispatches, indirect and secondary", clean(r) and lines(r) == MANY and not r.stderr, r)
    end()
programs(with_lines)
forms(with_lines)
draws()
if radv:
    r = subprocess.run([lull, "debug", "--printf", "--batch", "-ex", "catch dispatch", "-ex", "run", *["-ex", "continue"] * 4,
                        "--", program, with_lines, "many"], env=env, capture_output=True, text=True, timeout=240)
    got = sorted(m for m in r.stdout.splitlines() if m.startswith("[printf.comp"))
    case("lull debug --printf", "Dispatch 0 is held" in r.stdout and got == MANY, r)
    case("a name with control characters in the debugger's text", 'main of "second\\x1b"' in r.stdout and "\033" not in r.stdout, r)
    one = compile_shader("printf_counts.comp", "-g")
    bind = ["--groups", "2", "--bind", "0.0=iota:64:u32"]
    r = subprocess.run([lull, "debug", "--printf", "--batch", "-ex", "catch dispatch", "-ex", "run", "-ex", "source compare", "-ex", "delete", "-ex", "continue",
                        "--", lull, "run", one, *bind], env=env, capture_output=True, text=True, timeout=240)
    printed = sorted(m.split("] ")[1] for m in r.stdout.splitlines() if m.startswith("[printf_counts.comp:"))
    case("source compare leaves the printf buffer alone, and says what lull's code does not do", re.search(r"^equal: \d+ bytes in 1 buffer$", r.stdout, re.M)
         and "lull's code prints nothing" in r.stdout and printed == sorted(f"{i} is now {3 * i + 1}" for i in range(64) if i % 16 == 0), r)
    for options, words in ((["--printf-size", "4096"], "needs --printf"), (["--printf", "--printf-record", "x"], "'x'"),
                           (["--printf-record", "lane"], "needs --printf")):
        r = subprocess.run([lull, "exec", *options, "--", "true"], capture_output=True, text=True, timeout=60)
        case(f"refused: {' '.join(options)}", r.returncode == 2 and words in r.stderr, r)
end()
