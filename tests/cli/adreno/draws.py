#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug of draws on an Adreno: draws.py LULL DRAW_SCENES_ARM64 ARM64. One TAP line a case.

The program (tests/draw/main.c, arm64) draws scenes under Debian's Turnip 25.0.7, unmodified. A triangle covers all of the picture; what its inputs
are at each pixel, and what shaders make of them, is computed here from the scene.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "shim"), str(pathlib.Path(__file__).resolve().parent)]
import arm64_tools  # noqa: E402
import session  # noqa: E402
from session import check, lanes  # noqa: E402

lull, program, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
folder = tempfile.TemporaryDirectory(prefix="lull-")
here = pathlib.Path(folder.name)
W, H = 64, 32
GPUS = ("a630", "a660", "a740")

# Input b is 3 (x + 100 y) at a place of the picture; `who` is that of the first vertex.
VERT = """layout(location = 0) in vec2 pos;
layout(location = 1) in float a;
layout(location = 0) out float b;
layout(location = 1) flat out uint who;
void main() { gl_Position = vec4(pos, 0.5, 1); b = a * 3.0; who = gl_VertexIndex * 100 + gl_InstanceIndex; }
"""
FRAG = """layout(location = 0) in float b;
layout(location = 1) flat in uint who;
layout(set = 0, binding = 0) buffer O { uint v[]; } o;
layout(location = 0) out vec4 color;
void main() { uint at = uint(gl_FragCoord.y) * 64 + uint(gl_FragCoord.x); o.v[at] = uint(b + 0.5) + who; color = vec4(b); }
"""
# Which primitive and, with sample shading, which sample.
PRIMITIVE = """layout(set = 0, binding = 0) buffer O { uint v[]; } o;
layout(location = 0) out vec4 color;
void main() { o.v[gl_PrimitiveID] = %s + gl_PrimitiveID + 1000 * uint(gl_FragCoord.x); color = vec4(1); }
"""
# One pixel, one vertex reaches for what is not there.
ADDRESS = """#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430) buffer P { uint v; };
layout(push_constant) uniform C { uint64_t at; } c;
"""
STORE = ADDRESS + "layout(location = 0) out vec4 color;\nvoid main() { if (uvec2(gl_FragCoord.xy) == uvec2(1)) { P(c.at).v = 7; } color = vec4(1); }\n"
LOAD = ADDRESS + "layout(location = 0) in vec2 pos;\nvoid main() { gl_Position = vec4(pos + (gl_VertexIndex == 1 ? P(c.at).v : 0), 0.5, 1); }\n"
WHITE = "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(1); }\n"
ENDLESS = """layout(push_constant) uniform C { uint n; } c;
layout(location = 0) out vec4 color;
void main() { uint k = 1; while (k < c.n) { k = (k * 5 + 1) & 0xffff; } color = vec4(k); }
"""
PLAIN = "layout(location = 0) in vec2 pos;\nvoid main() { gl_Position = vec4(pos, 0.5, 1); }\n"
# Four that are not drawn, the triangle; the second instance covers the first.
CORNERS = "9 9 9  9 9 9  9 9 9  9 9 9   -1 -1 0   3 -1 128   -1 3 6400"
SCENE = f"""size {W} {H}
target R32G32B32A32_SFLOAT clear 0 0 0 0
buffer v f32 {CORNERS}
buffer o zeros {4 * W * H}
out o
bind 0 storage o
vertices v 12
attribute 0 0 R32G32_SFLOAT 0
attribute 1 0 R32_SFLOAT 8
vert whole.vert.spv
frag whole.frag.spv
draw 3 2 4 7
"""


def pixel(x, y, instance):
    """What the shader stores for it."""
    return int(3 * (x + 0.5 + 100 * (y + 0.5)) + 0.5) + 400 + instance


def make(name, vert, frag, scene):
    for stage, text in (("vert", vert), ("frag", frag)):
        (here / f"{name}.{stage}").write_text(f"#version 460\n{text}")
        subprocess.run(["glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.2", here / f"{name}.{stage}", "-o", here / f"{name}.{stage}.spv"], check=True,
                       capture_output=True)
    (here / f"{name}.scene").write_text(scene)


def environment(mode):
    env = {k: v for k, v in os.environ.items() if k not in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH")}
    env.update(LULL_ARM64=str(root), VK_ICD_FILENAMES="/icd/backports/freedreno.json", MESA_SHADER_CACHE_DISABLE="true", TU_DEBUG=mode,
               XDG_RUNTIME_DIR=str(here))
    return env


def run(name, gpu, mode, commands, status=0, more=("--json",)):
    (here / "out").mkdir(exist_ok=True)
    words = [w for c in commands for w in ("-ex", c)]
    r = subprocess.run([lull, "debug", "--gpu", gpu, "-batch", *more, *words, "--", program, "Turnip", here / "out", here / f"{name}.scene"],
                       capture_output=True, text=True, timeout=200, env=environment(mode))
    if r.returncode != status:
        raise AssertionError(f"{gpu}, {mode}: status {r.returncode}, want {status}: {r.stdout[-600:]} {r.stderr[-600:]}")
    return r.stdout


def objects(*args, **how):
    return [json.loads(line) for line in run(*args, **how).splitlines() if line.startswith("{")]


def floats(reply):
    return [struct.unpack("<f", struct.pack("<I", v))[0] for v in lanes(reply)]


def who(reply):
    """[invocation, or None] of `info lanes`."""
    return [x.get("invocation") for x in reply["lanes"]]


def number(name, gpu):
    """The scene's own draw: Turnip clears pictures with samples by draws of its own."""
    r = objects(name, gpu, "sysmem", ["run", "info draws"])
    return next(d["number"] for d in r[1]["draws"] if d["count"] == 6)


def listing(name, gpu, mode="sysmem", draw=0):
    """(offset, text) of the instructions of both shaders."""
    text = run(name, gpu, mode, [f"catch draw {draw}", "run", "info pipeline code vs", "info pipeline code fs", "kill"], more=())
    return [[(int(at, 16), insn) for at, insn in re.findall(rf"<{stage}_\w+\+(0x\w+)>: (.*)$", text, re.M)] for stage in ("vs", "fs")]


def find(code, text):
    """(offset, groups) of the first instruction that matches."""
    return next((at, re.search(text, insn).groups()) for at, insn in code if re.search(text, insn))


def held():
    """A draw in front of its first wave: what it draws, its shaders, and no wave yet."""
    r = objects("whole", "a660", "sysmem", ["catch draw", "run", "info draws", "info draw", "info waves", "x/1i $vs", "x/1i $fs", "info descriptors fs",
                                            "info pipeline fs", "continue", "info draws"])
    check((r[1]["outcome"], r[1]["draw"]["number"]), ("held", 0), "run")
    d = r[2]["draws"]
    check([(x["state"], x["count"], x["instances"], x["index_bytes"], [s["stage"] for s in x["stages"]]) for x in d],
          [("held", 3, 2, 0, ["vertex", "fragment"])], "draws")
    check((r[3]["vertices"], r[3]["window"], "tile" in r[3]), ("triangle list", f"0,0 {W}x{H}", False), "info draw")
    check(r[4]["waves"], [], "waves")
    for reply, stage in ((r[5], "vs"), (r[6], "fs")):
        if not re.search(rf"<{stage}_[0-9a-f]{{8}}\+0x0>: ", reply["text"]):
            raise AssertionError(f"no {stage} in {reply['text']}")
    check([(x["kind"], x["reads"], x["writes"]) for x in r[7]["descriptors"]], [("storage", False, True)], "descriptors")
    check(r[8]["code"], d[0]["stages"][1]["code"], "info pipeline")
    check((r[9]["outcome"], [x["state"] for x in r[10]["draws"]]), ("done", ["done"]), "the end")
    r = objects("whole", "a660", "sysmem", ["catch draw", "run", "stepi", "info when", "kill"])
    check((r[3]["time"], r[3]["executed"]), (0, 0), "info when")


def vertices():
    """The vertex shader from its first instruction to its end: who its lanes are, and what they compute."""
    for gpu in GPUS:
        vs, _ = listing("whole", gpu)
        at, (reg,) = find(vs, r"mul\.f (r\d+\.\w),")
        end, _ = find(vs, r"()\bend$")
        r = objects("whole", gpu, "sysmem", ["catch draw", "run", "stepi", "info lanes", "stepi 2", f"break *$vs+{end:#x}", "continue", f"print ${reg}",
                                             "print $exec", "info waves", "print $code - $vs", "delete", "continue"])
        check((r[2]["stop"], r[2]["draw"], r[2]["stage"], r[2]["invocation"]), ("start", 0, "vertex", {"vertex": 4, "instance": 7}), "the first stop")
        check(who(r[3]), [{"vertex": v, "instance": i} for i in (7, 8) for v in (4, 5, 6)] + [None] * 58, "lanes")
        check((r[4]["stop"], int(r[4]["pc"], 16) - int(r[2]["pc"], 16)), ("step", 16), "two steps")
        check((r[6]["stop"], int(r[6]["pc"], 16) - int(r[2]["pc"], 16)), ("breakpoint", end), "the breakpoint")
        check(floats(r[7])[:6], [0, 384, 19200] * 2, f"$ {reg}, 3 times the attribute")
        check(int(r[8]["value"], 16), 0x3F, "$exec")
        check([(w["draw"], w["stage"], w["stop"]) for w in r[9]["waves"]], [(0, "vertex", "breakpoint")], "waves")
        check(int(r[10]["value"], 16), 0, "$code")
        check(r[12]["outcome"], "done", "the end")


def pixels():
    """The fragment shader: each lane's pixel is what the shader itself finds; what is set in a lane comes out at its pixel."""
    for gpu, mode in [(g, "sysmem") for g in GPUS] + [("a660", "gmem"), ("a740", "gmem")]:
        _, fs = listing("whole", gpu, mode)
        at, (value, where) = find(fs, r"stib\S* (r\d+\.\w), (r\d+\.\w),")
        _, (first,) = find(fs, r"flat\.b (?:\([a-z]+\))?(r\d+\.\w),")
        stop = f"break *$fs+{at:#x} if ${first}[0] == 408 && ${where}[0] == {8 * W}"
        r = objects("whole", gpu, mode, ["catch draw", "run", stop, "continue", "info lanes", f"print ${where}", f"print ${value}", "info waves",
                                         "lane 5", f"set ${value}[5] = 4321", "delete", "continue"])
        want = [{"x": x + i % 2, "y": 8 + i // 2, "primitive": 0, "layer": 0, "helper": False, "instance": 8} for x in range(0, 32, 2) for i in range(4)]
        check((r[3]["stop"], r[3]["draw"], r[3]["stage"], r[3]["invocation"]), ("breakpoint", 0, "fragment", want[0]), f"{gpu}, {mode}: stop")
        check(who(r[4]), want, "lanes")
        check(lanes(r[5]), [W * p["y"] + p["x"] for p in want], "where it stores")
        check(lanes(r[6]), [pixel(p["x"], p["y"], 8) for p in want], "what it stores")
        check([(w["draw"], w["stage"]) for w in r[7]["waves"]], [(0, "fragment")] * 2, "waves, of 128 fibers two")
        check(r[8]["invocation"], want[5], "lane 5")
        check(r[11]["outcome"], "done", "the end")
        out = struct.unpack(f"<{W * H}I", (here / "out" / "whole.o").read_bytes())
        mine = W * want[5]["y"] + want[5]["x"]
        check(out, tuple(4321 if i == mine else pixel(i % W, i // W, 8) for i in range(W * H)), f"{gpu}, {mode}: the buffer")


def accesses():
    """Where each pixel stores, and who changes a dword: helpers of the triangles store nothing."""
    for gpu in ("a660", "a740"):
        _, fs = listing("whole", gpu)
        at, (value, where) = find(fs, r"stib\S* (r\d+\.\w), (r\d+\.\w),")
        r = objects("whole", gpu, "sysmem", ["catch draw", "run", "info descriptors fs", f"break *$fs+{at:#x} if ${where}[0] == {8 * W}", "continue",
                                                "info lanes", "info access", "kill"])
        base = int(r[2]["descriptors"][0]["va"], 16)
        want = [base + 4 * (W * p["y"] + p["x"]) for p in who(r[5])]
        check([int(x["va"], 16) for x in r[6]["access"]], want, "where")
        check([int(x["data"].split()[0], 16) for x in r[6]["access"]], [pixel(p["x"], p["y"], 7) for p in who(r[5])], "what")
        r = objects("whole", gpu, "sysmem", ["catch draw", "run", f"watch --software {{u32}}({base + 4 * (3 * W + 37):#x})", "continue"])
        check((r[3]["draw"], r[3]["stage"], [r[3]["invocation"][k] for k in ("x", "y", "instance")]), (0, "fragment", [37, 3, 7]), "who changes a dword")
    _, fs = listing("two", "a660")
    at, _ = find(fs, r"stib\S* (r\d+\.\w), r\d+\.\w,")
    r = objects("two", "a660", "sysmem", ["catch draw", "run", f"break *$fs+{at:#x}", "continue", "info lanes", "info access", "kill"])
    check([x["lane"] for x in r[5]["access"]], [x["lane"] for x in r[4]["lanes"] if x["active"] and not x["invocation"]["helper"]], "no helper stores")


def second_half():
    """Fibers 64 to 127 are a wave of their own to the user, with their own pixels."""
    _, fs = listing("whole", "a660")
    at, (_, where) = find(fs, r"stib\S* (r\d+\.\w), (r\d+\.\w),")
    r = objects("whole", "a660", "sysmem", ["catch draw", "run", f"break *$fs+{at:#x}", "continue", "wave 1", "info lanes", f"print ${where}",
                                            "delete", "continue"])
    check([(p["x"], p["y"]) for p in who(r[5])], [(x + i % 2, i // 2) for x in range(32, 64, 2) for i in range(4)], "pixels")
    check(lanes(r[6]), [W * p["y"] + p["x"] for p in who(r[5])], "where it stores")


def moves():
    """From the last instruction of the vertex shader a step goes on to the fragment shader; until, finish."""
    vs, fs = listing("whole", "a660")
    end, _ = find(vs, r"()\bend$")
    r = objects("whole", "a660", "sysmem", ["catch draw", "run", "stepi", "finish", f"tbreak *$fs+{fs[3][0]:#x}", "stepi", f"until *$fs+{fs[6][0]:#x}",
                                            "nexti", "finish", "continue"])
    at = [(x["stage"], int(x["pc"], 16) - int(r[2]["pc"], 16)) for x in (r[2], r[3])]
    check(at, [("vertex", 0), ("vertex", end)], "finish")
    base = int(r[5]["pc"], 16) - fs[3][0]
    check([(x["stage"], int(x["pc"], 16) - base) for x in r[5:9]],
          [("fragment", o) for o in (fs[3][0], fs[6][0], fs[7][0], find(fs, r"()\bend$")[0])], "steps")
    check(r[9]["outcome"], "done", "the end")


def primitives():
    """Primitives, samples and helpers: as the shader finds them, and by where the triangles are."""
    for gpu in ("a660", "a740"):
        for name in ("two", "samples"):
            draw = number(name, gpu)
            _, fs = listing(name, gpu, draw=draw)
            at, (value,) = find(fs, r"stib\S* (r\d+\.\w), r\d+\.\w,")
            r = objects(name, gpu, "sysmem", [f"catch draw {draw}", "run", f"break *$fs+{at:#x}", "continue", "info lanes", f"print ${value}", "print $exec", "kill"])
            some = [(p, v) for p, v, lane in zip(who(r[4]), lanes(r[5]), r[4]["lanes"]) if p is not None and lane["active"]]
            want = [10000 * p.get("sample", 0) + p["primitive"] + 1000 * p["x"] for p, _ in some]
            check([v for _, v in some], want, f"{gpu}, {name}: what is stored")
            check({p["primitive"] for p, _ in some}, {0, 1}, f"{gpu}, {name}: primitives")
            if name == "samples":
                check({p["sample"] for p, _ in some}, {0, 1, 2, 3}, "samples")
            else:  # x + y < 4 in pixels from the corner; the second is 16 to the right
                inside = [p["x"] % 16 + 0.5 + p["y"] + 0.5 < 4 for p, _ in some]
                check([not p["helper"] for p, _ in some], inside, f"{gpu}: who is a helper")


def indirect():
    """Each draw of an indirect packet is one of its own."""
    r = objects("indirect", "a660", "sysmem", ["catch draw 1", "run", "info draws", "stepi", "continue"])
    check([(d["state"], d["count"], d["instances"]) for d in r[2]["draws"]], [("done", 3, 1), ("held", 3, 2)], "draws")
    check((r[3]["draw"], r[3]["invocation"]), (1, {"vertex": 4, "instance": 5}), "its first wave")


def tiles():
    """In GMEM a draw is drawn once for each tile: each is named, and has the pixels of its tile only."""
    for gpu in ("a660", "a740"):
        _, fs = listing("tiles", gpu, "gmem")
        at, _ = find(fs, r"stib\S* (r\d+\.\w), r\d+\.\w,")
        r = objects("tiles", gpu, "gmem", ["catch draw", "run", "continue", "continue", "info draws"])
        known = [d["tile"] for d in r[4]["draws"]] if "draws" in r[4] else []
        n = len(known)
        if n < 2:
            raise AssertionError(f"{gpu}: {n} tiles: {known}")
        check([(a, b) for a in known for b in known if a < b and max(a[0], b[0]) < min(a[2], b[2]) and max(a[1], b[1]) < min(a[3], b[3])], [],
              f"{gpu}: tiles that overlap")
        r = objects("tiles", gpu, "gmem", ["catch draw", "run", f"break *$fs+{at:#x}", "delete 1", *["continue"] * 2, "info draws"])
        stops = [x for x in r[4:6] if x.get("stop") == "breakpoint"]
        draws = r[6]["draws"]
        check(len(stops), 2, f"{gpu}: one wave in each of two tiles")
        for s in stops:
            x0, y0, x1, y1 = draws[s["draw"]]["tile"]
            p = s["invocation"]
            check(x0 <= p["x"] < x1 and y0 <= p["y"] < y1, True, f"{gpu}: {p} is in {draws[s['draw']]['tile']}")
        check([s["invocation"]["primitive"] for s in stops], [0, 1], f"{gpu}: the primitive of each")


def fault():
    """A store that memory refuses: the draw, the pixel, the instruction. The buffer's descriptor is spoilt while the draw is held."""
    for gpu in GPUS:
        _, fs = listing("whole", gpu)
        at, (_, where) = find(fs, r"stib\S* (r\d+\.\w), (r\d+\.\w),")
        r = objects("whole", gpu, "sysmem", ["catch draw", "run", "info descriptors fs", "kill"])
        base = int(r[2]["descriptors"][0]["descriptor"], 16) + 16
        r = objects("whole", gpu, "sysmem", ["catch draw", "run", f"set {{u64}}{base:#x} = 0x2000000000", "continue", "continue", "kill"], status=1)
        for stop, y in ((r[3], 0), (r[4], 2)):  # a wave is 64 x 2 pixels
            f = stop["fault"]
            check((stop["stop"], stop["draw"], stop["stage"], f["fiber"], f["write"], int(f["va"], 16)),
                  ("memory violation", 0, "fragment", 0, True, 0x2000000000 + 4 * W * y), f"{gpu}: stop")
            check((f["invocation"]["x"], f["invocation"]["y"], f["text"].startswith("stib")), (0, y, True), f"{gpu}: who")


def log():
    """The kernel's log names the draw, the stage and the invocation, without a debugger, too."""
    rows = (("store", "fragment shader", "fiber 3: pixel 1,1, primitive 0", "WRITE"), ("load", "vertex shader", "fiber 1: vertex 1, instance 0", "READ"))
    (here / "out").mkdir(exist_ok=True)
    for gpu in ("a660", "a740"):
        for name, shader, who_it_was, way in rows:
            r = subprocess.run([lull, "exec", "--gpu", gpu, "--", program, "Turnip", here / "out", here / f"{name}.scene"], capture_output=True, text=True,
                               timeout=200, env=environment("sysmem"))
            line = rf"iova=0000002000000000 dir={way} type=TRANSLATION source=UCHE: SP: draw 0, {shader} at instruction \d+, {who_it_was} \(process \d+\)$"
            if not re.search(line, r.stderr, re.M):
                raise AssertionError(f"{gpu}: no '{line}' in {r.stderr}")


def attached():
    """A draw that runs already is stopped by who attaches to `lull exec`, who sees what it is."""
    socket = here / "socket"
    p = subprocess.Popen([lull, "exec", "--gpu", "a660", "--socket", socket, "--", program, "Turnip", here / "out", here / "endless.scene"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment("sysmem"))
    try:
        waves, r = [], []
        while not waves:
            check(p.poll(), None, "lull exec")
            time.sleep(0.1)  # until the socket is there, and the draw
            r = subprocess.run([lull, "debug", "--attach", socket, "-batch", "--json", "-ex", "interrupt", "-ex", "info waves", "-ex", "info draw",
                                "-ex", "info pipeline", "-ex", "print $pc - $fs", "-ex", "info registers vector"], capture_output=True, text=True,
                               timeout=100).stdout.splitlines()
            r = [json.loads(line) for line in r]
            waves = r[1]["waves"] if len(r) > 2 else []
        check([(w["draw"], w["stage"]) for w in waves], [(0, "fragment")] * len(waves), "waves")
        check((r[2]["state"], r[2]["count"], r[2]["vertices"]), ("running", 3, "triangle list"), "info draw")
        check(r[3]["code"], r[2]["stages"][1]["code"], "info pipeline")
        check(0 < int(r[4]["value"], 16) < 8 * r[3]["instructions"], True, "$pc is in the fragment shader")
        check(len([x for x in r[5]["registers"] if x["name"].startswith("r")]), 4 * r[3]["full_registers"], "registers")
    finally:
        p.terminate()
        p.wait()


def back_in_time():
    """In a fragment wave back by instructions, to any time and on; who wrote a word of memory; the picture is what it would have been, with tiles, too."""
    # Each instance adds to the picture: what was executed once more must have been taken back.
    make("added", VERT, FRAG, SCENE.replace("R32G32B32A32_SFLOAT", "R16G16B16A16_SFLOAT").replace("draw 3", "blend 0 one add one\ndraw 3"))
    for gpu, mode in (("a660", "sysmem"), ("a660", "gmem"), ("a740", "sysmem")):
        run("added", gpu, mode, ["run"])
        want = {f.name: f.read_bytes() for f in (here / "out").glob("*")}
        code = listing("added", gpu, mode)[1]
        store, (value_reg, at_reg) = find(code, r"stib\S* (r\d+\.\w), (r\d+\.\w), ")
        x, y = 9, 20
        there = ["catch draw 0", "run", f"break *$fs+{store:#x} if ${at_reg} == {y * W + x}", "continue"]
        look = ["info when", f"print ${value_reg}", "info lanes", "info waves"]
        r = objects("added", gpu, mode, [*there, "continue", *look, "info access", "reverse-stepi 5", *look, "goto start", "info when", "goto end", *look, "delete",
                                         "stepi", "info when", "reverse-stepi 2", "info when", "continue"])
        n = len(look)
        first = r[5:5 + n]
        lane = next(k for k, w in enumerate(who(first[2])) if w is not None and (w["x"], w["y"]) == (x, y))
        check(lanes(first[1])[lane], pixel(x, y, 8), f"{gpu} {mode}: what it stores, of the second instance")
        va = next(a["va"] for a in r[5 + n]["access"] if a["lane"] == lane)
        back = r[7 + n:7 + 2 * n]
        check((back[0]["executed"], back[3]["waves"][0]["wave"]), (first[0]["executed"] - 5, first[3]["waves"][0]["wave"]), f"{gpu} {mode}: five back")
        check(r[8 + 2 * n]["time"], 0, f"{gpu} {mode}: the first instruction")
        again = r[10 + 2 * n:10 + 3 * n]
        check([lanes(again[1]), who(again[2]), again[0]["time"]], [lanes(first[1]), who(first[2]), first[0]["time"]], f"{gpu} {mode}: there again")
        at = 10 + 3 * n
        check([r[at + 2]["time"] - first[0]["time"], r[at + 4]["time"] - first[0]["time"]], [1, -1], f"{gpu} {mode}: on, and back")
        check(r[-1]["outcome"], "done", f"{gpu} {mode}: the end")
        words = {f.name: f.read_bytes() for f in (here / "out").glob("*")}
        check(words == want and len(words) > 1, True, f"{gpu} {mode}: the picture")
        stored = next(struct.unpack(f"<{W * H}I", b) for b in words.values() if len(b) == 4 * W * H)
        check(list(stored), [pixel(n % W, n // W, 8) for n in range(W * H)], f"{gpu} {mode}: what all store")
        # The second instance has stored there: back to that, and to the first.
        r = objects("added", gpu, mode, [*there, "continue", "stepi", "delete 2", f"watch --software {{u32}}{va}", "reverse-continue", "print $_lane",
                                         f"print ${value_reg}", f"why -depth 1 {{u32}}{va}", "reverse-continue", f"print ${value_reg}", "reverse-continue", "kill"])
        check((int(r[9]["value"], 16), lanes(r[10])[lane]), (lane, pixel(x, y, 8)), f"{gpu} {mode}: who wrote it")
        check((r[11]["nodes"][0]["how"], lanes(r[13])[lane]), ("made", pixel(x, y, 7)), f"{gpu} {mode}: who wrote it before")
        check(r[14].get("no_more_history"), True, f"{gpu} {mode}: nobody else did")


CASES = [back_in_time, held, vertices, pixels, accesses, second_half, moves, primitives, indirect, tiles, fault, log, attached]


def scenes():
    make("whole", VERT, FRAG, SCENE)
    small = "-1 -1  -0.875 -1  -1 -0.75"  # 4 pixels along each edge
    right = "-0.5 -1  -0.375 -1  -0.5 -0.75"
    plain = f"target R8G8B8A8_UNORM clear 0 0 0 0\nbuffer v f32 {small}  {right}\nbuffer o zeros 4096\nbind 0 storage o\nvertices v 8\n" \
            "attribute 0 0 R32G32_SFLOAT 0\n"
    make("two", PLAIN, PRIMITIVE % "0", f"size {W} {H}\n{plain}vert two.vert.spv\nfrag two.frag.spv\ndraw 6\n")
    make("samples", PLAIN, PRIMITIVE % "10000 * gl_SampleID",
         f"size {W} {H}\nsamples 4\nsample_shading 1\n{plain}vert samples.vert.spv\nfrag samples.frag.spv\ndraw 6\n")
    for name, vert, frag in (("store", PLAIN, STORE), ("load", LOAD, WHITE)):
        make(name, vert, frag, f"size {W} {H}\n{plain}vert {name}.vert.spv\nfrag {name}.frag.spv\npush u32 0 32\ndraw 3\n")
    make("endless", PLAIN, ENDLESS, f"size {W} {H}\n{plain}vert endless.vert.spv\nfrag endless.frag.spv\npush u32 0xffffffff\ndraw 3\n")
    make("indirect", VERT, FRAG, SCENE.replace("draw 3 2 4 7", "buffer i u32 3 1 4 1  3 2 4 5\ndraw_indirect i 0 2 16"))
    wide = "-1 -1  -0.99 -1  -1 -0.98   0.98 -1  0.99 -1  0.98 -0.98"  # in tiles far from each other
    make("tiles", PLAIN, PRIMITIVE % "0", f"size 512 512\n{plain.replace('R8G8B8A8_UNORM', 'R32G32B32A32_SFLOAT').replace(f'{small}  {right}', wide)}"
         "vert tiles.vert.spv\nfrag tiles.frag.spv\ndraw 6\n")


why = arm64_tools.absent(root)
if why is not None:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
scenes()
session.run([c for c in CASES if len(sys.argv) < 5 or c.__name__ in sys.argv[4:]])
