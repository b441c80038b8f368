#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug -- PROGRAM that draws: draws.py LULL BUILD DRAW_SCENES. One TAP line a case.

The program is examples/bughunt/drawing.c: a floor, a triangle without light, a pane that blends to nothing. What must be
seen is computed here from what drawing.c, drawing.vert and drawing.frag say.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

lull, build, scenes = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "draw"))
import shaders  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from png_rows import read_png  # noqa: E402
from tap import share  # noqa: E402
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
PROGRAM = [str(build / "drawing"), str(build / "drawing.vert.spv"), str(build / "drawing.frag.spv")]
FLOOR, TRIANGLE, PANE = 0, 1, 2
DEPTH = [0.9, 0.5, 0.25]  # of the three
VERTICES = [4, 3, 4]
SIZE = 64


class Skip(Exception):
    pass


def debug(commands, status=0, json_too=False):
    args = [lull, "debug", "-batch", *(["--json"] if json_too else [])]
    for c in commands:
        args += ["-ex", c]
    r = subprocess.run([*args, "--", *PROGRAM], capture_output=True, text=True, timeout=200)
    if r.returncode != status:
        raise AssertionError(f"status {r.returncode}, want {status}: {r.stdout[-600:]} {r.stderr[-600:]}")
    return r


def objects(commands, **how):
    return [json.loads(line) for line in debug(commands, json_too=True, **how).stdout.splitlines()
            if line.startswith("{")]


def check(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {got}, want {want}")


def near(got, want, what, by=1 / 255):
    if len(got) != len(want) or any(g is None or abs(g - w) > by for g, w in zip(got, want)):
        raise AssertionError(f"{what}: got {got}, want {want}")


def own_draws():
    """Numbers of the program's three draws: its last ones; the driver's own come before."""
    draws = objects(["run", "info draws"])[-1]["draws"]
    check([d["count"] for d in draws[-3:]], VERTICES, "vertices")
    check([d["instances"] for d in draws[-3:]], [1, 1, 1], "instances")
    check({d["state"] for d in draws}, {"done"}, "states")
    check([len(d["stages"]) for d in draws[-3:]], [2, 2, 2], "stages")
    return [d["number"] for d in draws[-3:]]


def history(x, y):
    """What became of a pixel, in the program's own draws."""
    numbers = own_draws()
    rows = objects(["catch draw 0", "run", f"pixel {x} {y}", "delete 1", "continue", "pixel"])[-1]["history"]
    return [(numbers.index(r["draw"]), r) for r in rows if r["draw"] in numbers]


def black_triangle():
    rows = history(16, 16)
    check([n for n, _ in rows], [FLOOR, TRIANGLE], "who drew at 16,16")
    check([r["fate"] for _, r in rows], ["passed", "passed"], "fates")
    floor, triangle = rows[0][1], rows[1][1]
    near([floor["depth"], floor["depth_before"]], [DEPTH[FLOOR], 1], "depth of the floor", 1e-6)
    near([triangle["depth"], triangle["depth_before"]], [DEPTH[TRIANGLE], DEPTH[FLOOR]], "depth of the triangle", 1e-6)
    near(floor["shader"], [0.4, 0.4, 0.4, 1], "shader of the floor")
    near(floor["before"], [0, 0, 0, 0], "before the floor")
    near(floor["after"], [102 / 255] * 3 + [1], "after the floor", 1e-6)
    check(triangle["shader"][:3], [None] * 3, "normalize(0): not numbers, null in JSON")
    near(triangle["after"], [0, 0, 0, 1], "after the triangle", 1e-6)


def pane_of_nothing():
    rows = history(48, 48)
    check([n for n, _ in rows], [FLOOR, PANE], "who drew at 48,48")
    pane = rows[1][1]
    near(pane["shader"], [0, 0, 1, 0.6], "shader of the pane")
    near(pane["before"], [102 / 255] * 3 + [1], "before the pane", 1e-6)
    check(pane["after"], pane["before"], "the pane blends to what was there")


def only_the_floor():
    rows = history(60, 4)
    check([n for n, _ in rows], [FLOOR], "who drew at 60,4")


def digest_of_a_draw():
    number = own_draws()[PANE]
    o = objects([f"catch draw {number}", "run", "info draw"])[-1]
    if "8_8_8_8_UNORM 64x64" not in o["target 0"] or "writes RGBA" not in o["target 0"]:
        raise AssertionError(f"target 0: {o['target 0']}")
    if "blend ZERO * source + ONE * target" not in o["target 0"]:
        raise AssertionError(f"blending: {o['target 0']}")
    if "32_FLOAT 64x64" not in o["depth"] or "test LESS, writes" not in o["depth"]:
        raise AssertionError(f"depth: {o['depth']}")
    check(o["vertices"], "triangle strip", "topology")
    if not o["viewport"].startswith("0,0 64x64"):
        raise AssertionError(f"viewport: {o['viewport']}")


def picture_of_a_held_draw():
    number = own_draws()[TRIANGLE]
    with tempfile.TemporaryDirectory() as d:
        png = pathlib.Path(d) / "target.png"
        debug([f"catch draw {number}", "run", f"dump target out={png}"])
        rows = read_png(png)
    # Only the floor has been drawn.
    check({bytes(row[4 * x : 4 * x + 4]) for row in rows for x in range(SIZE)}, {bytes([102, 102, 102, 255])}, "texels")


def waves_of_a_draw():
    number = own_draws()[TRIANGLE]
    draw = objects([f"catch draw {number}", "run", f"info draw {number}"])[-1]
    code = {s["stage"]: s["pipeline"] for s in draw["stages"]}
    out = debug([f"catch draw {number}", "run", f"break *{code['pixel']}", "continue", "info waves", "stepi", "kill"],
                ).stdout
    if code["pixel"] not in out or "breakpoint" not in out:
        raise AssertionError(out[-800:])


def vertex_buffer():
    """A vertex buffer of three vertices of 32 bytes: position and colour, four floats each."""
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        check(shaders.make(folder, ["color.vert", "color.frag"]), "", "shaders")
        (folder / "one.scene").write_text(
            "target R8G8B8A8_UNORM\nbuffer v f32 -1 -1 0 1 1 0 0 1  3 -1 0 1 1 0 0 1  -1 3 0 1 1 0 0 1\nvertices v 32\n"
            "attribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 0 R32G32B32A32_SFLOAT 16\nvert color.vert.spv\nfrag color.frag.spv\ndraw 3\n")
        args = [lull, "debug", "-batch", "--json"]
        program = ["--", scenes, "RADV", d, str(folder / "one.scene")]
        def last(commands):
            r = subprocess.run([*args, *[a for c in commands for a in ("-ex", c)], *program], capture_output=True, text=True, timeout=200)
            return json.loads([line for line in r.stdout.splitlines() if line.startswith("{")][-1])
        number = last(["run", "info draws"])["draws"][-1]["number"]
        buffers = last([f"catch draw {number}", "run", "info descriptors gs"])["descriptors"]
        check(len(buffers) in (1, 2), True, "descriptors: one for the buffer, or one for each attribute")
        base = int(buffers[0]["va"], 16)
        check({int(b["va"], 16) - base for b in buffers} <= {0, 16}, True, "their addresses")
        check(all(base <= int(b["va"], 16) and b["size"] >= 80 for b in buffers), True, "their sizes")
        for b in buffers:
            if "stride 32" not in b["text"] or not b["reads"] or b["writes"]:
                raise AssertionError(b)


def scene_history(text, names, x, y, words="", between=()):
    """What the last draws of a scene did to a pixel. @between: given where the last draw is held, with its digest as %s."""
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        check(shaders.make(folder, names), "", "shaders")
        (folder / "one.scene").write_text(text)
        program = [scenes, "RADV", d, str(folder / "one.scene")]
        def run(commands):
            args = [a for c in commands for a in ("-ex", c)]
            r = subprocess.run([lull, "debug", "-batch", "--json", *args, "--", *program], capture_output=True, text=True, timeout=200)
            check(r.returncode, 0, f"{commands}: {r.stderr[-300:]}")
            return [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]
        last = run(["run", "info draws"])[-1]["draws"][-1]["number"]
        digest = run([f"catch draw {last}", "run", "info draw"])[-1]
        poke = [c % re.search(r"at (0x[0-9a-f]+)", digest["target 0"])[1] for c in between]
        return run(["catch draw 0", "run", f"pixel {x} {y}", "delete 1", f"catch draw {last}", "continue", *poke, "delete 2", "continue",
                    f"pixel {words}"])[-1]["history"]


COLORED = "attribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 0 R32G32B32A32_SFLOAT 16\n"


def covering(colors, depths):
    """A buffer of triangles that cover all, each of its colour and depth."""
    words = [str(v) for c, z in zip(colors, depths) for x, y in ((-1, -1), (3, -1), (-1, 3)) for v in (x, y, z, 1, *c)]
    return f"buffer v f32 {' '.join(words)}\nvertices v 32\n" + COLORED


def several_targets():
    """three.frag gives v, v.bgra / 2 and (v.r - 0.5, v.g - 0.5, v.b * 2, 1); target 1 adds to what is there, target 2 clamps to -1 to 1."""
    r, g, b, a = color = (1, 0.25, 0.75, 0.5)
    text = ("target R8G8B8A8_UNORM clear 0 0 0 0\ntarget R16G16B16A16_SFLOAT clear 1 0 0.5 2\ntarget R8G8B8A8_SNORM clear 0 0 0 0\n" +
            covering([color], [0]) + "vert color.vert.spv\nfrag three.frag.spv\nblend 1 one add one\ndraw 3\n")
    want = [(color, (0, 0, 0, 0), color), ((b / 2, g / 2, r / 2, a / 2), (1, 0, 0.5, 2), (1 + b / 2, g / 2, 0.5 + r / 2, 2 + a / 2)),
            ((r - 0.5, g - 0.5, 2 * b, 1), (0, 0, 0, 0), (r - 0.5, g - 0.5, 1, 1))]
    names = ["color.vert", "three.frag"]
    row = scene_history(text, names, 30, 9)[-1]
    check([t["target"] for t in row["targets"]], [0, 1, 2], "targets")
    for n, (shader, before, after) in enumerate(want):
        one = scene_history(text, names, 30, 9, f"30 9 target {n}")[-1] if n == 1 else row["targets"][n]
        for what, values in (("shader", shader), ("before", before), ("after", after)):
            near(one[what], values, f"target {n}: {what}", 1 / 127)
    check([row[k] for k in ("shader", "after")], [row["targets"][0][k] for k in ("shader", "after")], "without a word it is target 0")


def the_order_of_the_api():
    """Triangles of one draw: those that fail in front of the shader stand where they came, not before the others."""
    depths = [0.5, 0.75, 0.25, 0.625, 0.125, 0.875, 0.0625]
    before, want = 1, []
    for n, z in enumerate(depths):
        want.append((n, z, before, "passed" if z < before else "failed the depth test"))
        before = min(z, before)
    for samples in (1, 4):
        text = (f"samples {samples}\ntarget R8G8B8A8_UNORM clear 0 0 0 0\ndepth D32_SFLOAT clear 1\ndepth_test on\ndepth_write on\ndepth_compare less\nscissor 0 8 32 8 8\n" +
                covering([(1, 1, 1, 1)] * len(depths), depths) + f"vert color.vert.spv\nfrag color.frag.spv\ndraw {3 * len(depths)}\n")
        rows = scene_history(text, ["color.vert", "color.frag"], 12, 34)
        rows = [r for r in rows if r["kind"] == "draw"]
        check([(r["primitive"], r["depth"], r["depth_before"], r["fate"], r["sample"]) for r in rows],
              [(*w, s) for w in want for s in range(samples)], f"{samples} samples: primitives, depths, fates")


def discards_in_order():
    """discard.frag throws away squares of four pixels: with a draw of three triangles, all of them, in their order."""
    text = ("target R8G8B8A8_UNORM clear 0 0 0 0\n" + covering([(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)], [0, 0, 0]) +
            "vert color.vert.spv\nfrag discard.frag.spv\ndraw 9\n")
    for x, y, fate in [(4, 0, "discarded by the shader"), (4, 4, "passed")]:
        rows = [r for r in scene_history(text, ["color.vert", "discard.frag"], x, y) if r["kind"] == "draw"]
        check([(r["primitive"], r["fate"]) for r in rows], [(n, fate) for n in range(3)], f"{x},{y}")


def discarded_between_others():
    """Three triangles of a few pixels, in one wave: the shader throws the second away, which stands between the others."""
    shaders.TEXT["transparent.frag"] = ("layout(location = 0) in vec4 v_color;\nlayout(location = 0) out vec4 f_color;\n"
                                        "void main() { f_color = v_color; if (v_color.a < 0.5) discard; }")
    text = ("target R8G8B8A8_UNORM clear 0 0 0 0\nscissor 0 8 8 2 2\n" + covering([(1, 0, 0, 1), (0, 1, 0, 0.25), (0, 0, 1, 1)], [0, 0, 0]) +
            "vert color.vert.spv\nfrag transparent.frag.spv\ndraw 9\n")
    rows = [r for r in scene_history(text, ["color.vert", "transparent.frag"], 9, 8) if r["kind"] == "draw"]
    check([(r["primitive"], r["fate"]) for r in rows], [(0, "passed"), (1, "discarded by the shader"), (2, "passed")], "primitives and fates")


def clears_of_the_driver():
    """A clear inside the pass is a draw of the driver's: it is shown as what it is."""
    text = ("target R8G8B8A8_UNORM clear 0 0 0 0\n" + covering([(1, 0, 0, 1)], [0]) + "vert color.vert.spv\nfrag color.frag.spv\ndraw 3\n"
            "clear 0 8 8 16 16 0 0.4 0.6 1\ndraw 3\n")
    names = ["color.vert", "color.frag"]
    rows = scene_history(text, names, 10, 10)[-3:]
    check([r["kind"] for r in rows], ["draw", "clear", "draw"], "kinds at 10,10")
    near(rows[1]["before"], [1, 0, 0, 1], "before the clear")
    near(rows[1]["after"], [0, 0.4, 0.6, 1], "after the clear")
    check({r["changed_between"] for r in rows[1:]}, {False}, "nothing else wrote it")
    check([r["kind"] for r in scene_history(text, names, 30, 30)][-2:], ["draw", "draw"], "kinds at 30,30")


def what_is_not_a_draw():
    """The debugger writes the texel between two draws, as a copy would: it is said that none of the draws left that."""
    text = ("target R8G8B8A8_UNORM clear 0 0 0 0\n" + covering([(1, 0, 0, 1)], [0]) + "vert color.vert.spv\nfrag color.frag.spv\ndraw 3\ndraw 3\n")
    rows = scene_history(text, ["color.vert", "color.frag"], 0, 0, between=["set {u32}%s = 0xff804020"])[-2:]
    near(rows[1]["before"], [0x20 / 255, 0x40 / 255, 0x80 / 255, 1], "before the second", 1e-6)
    check([r["changed_between"] for r in rows], [False, True], "changed between")
    rows = scene_history(text, ["color.vert", "color.frag"], 0, 0)[-2:]
    check([r["changed_between"] for r in rows], [False, False], "without that")


def dumps_at_the_last_draw(text, names):
    """What `dump` writes of the planes @names where the last draw of a scene is held: lists of texels, four dwords each."""
    with tempfile.TemporaryDirectory() as d:
        check(shaders.make(pathlib.Path(d), ["color.vert", "color.frag"]), "", "shaders")
        (pathlib.Path(d) / "one.scene").write_text(text)
        program = [scenes, "RADV", d, f"{d}/one.scene"]
        def run(commands):
            args = [a for c in commands for a in ("-ex", c)]
            r = subprocess.run([lull, "debug", "-batch", "--json", *args, "--", *program], capture_output=True, text=True, timeout=200)
            check(r.returncode, 0, f"{commands}: {r.stderr[-300:]}")
            return [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]
        last = run(["run", "info draws"])[-1]["draws"][-1]["number"]
        run([f"catch draw {last}", "run", *(f"dump {n} out={d}/{n}" for n in names), "kill"])
        return [list(struct.iter_unpack("4I" if n == "stencil" else "4f", (pathlib.Path(d) / n).read_bytes())) for n in names]


def cleared_by_metadata():
    """Targets so large that RADV clears them by their metadata alone: held at the first draw, memory has not been written, and dumps show the clear value."""
    for form, color, depth, stencil in [("R8G8B8A8_UNORM", (0.2, 0.4, 0.6, 0.8), 1, None), ("R8G8B8A8_UNORM", (1, 1, 1, 0), 0, None),
                                        ("R32G32_SFLOAT", (1, 1, 0, 1), 0.75, 77)]:
        plane = f"D32_SFLOAT clear {depth}" if stencil is None else f"D32_SFLOAT_S8_UINT clear {depth} {stencil}"
        text = (f"size 640 520\ntarget {form} clear {' '.join(map(str, color))}\ndepth {plane}\ndepth_test on\ndepth_write on\nscissor 0 8 8 16 16\n" +
                covering([(1, 0, 0, 1)], [0.5]) + "vert color.vert.spv\nfrag color.frag.spv\ndraw 3\n")
        wants = [color, (depth, 0, 0, 1)] + ([(stencil, 0, 0, 1)] if stencil is not None else [])
        names = ["target", "depth", "stencil"][:len(wants)]
        for name, texels, want in zip(names, dumps_at_the_last_draw(text, names), wants):
            check((len(texels), len(set(texels))), (640 * 520, 1), f"{form} {name}: texels, and values")
            near(texels[0], want, f"{form} {name}", 1e-6)


def frames_of_a_program():
    """vkcube clears and draws its cube in each frame, of which --c says how many; pixel 250,250 is the cube's."""
    cube = shutil.which("vkcube")
    if cube is None or (shutil.which("Xvfb") is None and not os.environ.get("DISPLAY")):
        raise Skip("needs vkcube and an X server or Xvfb")
    args = [lull, "debug", "-batch", "--json", "-ex", "catch draw 0", "-ex", "run", "-ex", "pixel 250 250", "-ex", "delete 1", "-ex", "continue",
            "-ex", "pixel", "-ex", "pixel frame 1", "-ex", "pixel frame 3", "--", cube, "--c", "3"]
    r = subprocess.run(args, capture_output=True, text=True, timeout=200)
    rows = [json.loads(line)["history"] for line in r.stdout.splitlines() if '"history"' in line]
    check({w["frame"] for w in rows[0]}, {0, 1, 2}, "frames")
    check([w["kind"] for w in rows[1]].count("draw"), 1, "one cube in frame 1")
    check(rows[1], [w for w in rows[0] if w["frame"] == 1], "frame 1 alone")
    check(rows[2], [], "there is not a frame 3")


def bad_words():
    for command, word in [("pixel 1", "expected 'pixel X Y"), ("pixel", "no pixel is watched"), ("pixel 1 2 target 8", "expected 'pixel X Y"),
                          ("info draw 99999", "has not come yet"), ("info draw x", "is not the number of a draw"),
                          ("catch draw x", "expected a draw's number"), ("dump target 7 out=/dev/null", "has no such target"),
                          ("info descriptors hs", "has no hull stage"), ("reverse-stepi", "nothing is recorded"),
                          ("record save no.rec", "not for draws")]:
        r = subprocess.run([lull, "debug", "-batch", "-ex", "catch draw", "-ex", "run", "-ex", command, "--", *PROGRAM],
                           capture_output=True, text=True, timeout=200)
        # Later drivers clear by a dispatch of their own, which stands in front of the draw and can be gone back in.
        if command == "reverse-stepi" and r.returncode == 0 and "s_endpgm" in r.stdout and "<cs_" in r.stdout:
            continue
        if r.returncode == 0 or word not in r.stderr:
            raise AssertionError(f"{command}: {r.returncode} {r.stderr[-300:]}")


CASES = share([black_triangle, pane_of_nothing, only_the_floor, digest_of_a_draw, picture_of_a_held_draw, waves_of_a_draw, vertex_buffer, several_targets,
         the_order_of_the_api, discards_in_order, discarded_between_others, clears_of_the_driver, cleared_by_metadata, what_is_not_a_draw, frames_of_a_program, bad_words], 2)
failed = 0
for n, case in enumerate(CASES, 1):
    try:
        case()
        print(f"ok {n} - {case.__name__}", flush=True)
    except Skip as e:
        print(f"ok {n} - {case.__name__} # SKIP {e}", flush=True)
    except (AssertionError, OSError, KeyError, IndexError, ValueError, subprocess.TimeoutExpired) as e:
        failed += 1
        print(f"not ok {n} - {case.__name__}\n# " + str(e).replace("\n", "\n# "), flush=True)
print(f"1..{len(CASES)}")
sys.exit(failed != 0)
