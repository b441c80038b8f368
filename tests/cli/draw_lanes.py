#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug: debug pixel, vertex, primitive on draws: draw_lanes.py LULL BUILD DRAW_SCENES. One TAP line a case.

Where a lane stands is shown by what it computes: the wave goes on to its export, and what the lane puts out there is compared with
what is computed here from the scene (positions of vertices, colours), or with the registers that hardware starts it with (gl_FragCoord).
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

lull, build, scenes = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "draw"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import shaders  # noqa: E402
from tap import share  # noqa: E402
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
DRAWING = [str(build / "drawing"), str(build / "drawing.vert.spv"), str(build / "drawing.frag.spv")]
# Of drawing.c: x, y, z and size of the floor (four vertices), the triangle (three), the pane (four).
PLACES = [(-1, -1, 0.9, 2), (-0.75, -0.75, 0.5, 1), (0.25, 0.25, 0.25, 0.5)]
COLORED = "attribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 0 R32G32B32A32_SFLOAT 16\n"
SIZE = 64
folder = pathlib.Path()  # of the scenes


class Skip(Exception):
    pass


def check(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {got}, want {want}")


def near(got, want, what, by):
    if len(got) != len(want) or any(abs(g - w) > by for g, w in zip(got, want)):
        raise AssertionError(f"{what}: got {got}, want {want}")


def debug(commands, program, status=0):
    """The objects of all commands."""
    args = [a for c in commands for a in ("-ex", c)]
    r = subprocess.run([lull, "debug", "-batch", "--json", *args, "--", *program], capture_output=True, text=True, timeout=200)
    if r.returncode != status:
        raise AssertionError(f"{commands}: status {r.returncode}, want {status}: {r.stdout[-600:]} {r.stderr[-600:]}")
    return [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]


def scene(text, *names):
    """A program that draws it, and the numbers of its own draws from the last one back: [-1] is the last."""
    problem = shaders.make(folder, names)
    check(problem, "", "shaders")
    (folder / "one.scene").write_text(text)
    return [scenes, "RADV", str(folder), str(folder / "one.scene")]


def last_draws(program, n):
    return [d["number"] for d in debug(["run", "info draws"], program)[-1]["draws"][-n:]]


def colored(vertices):
    """A buffer of vertices of a position of four and a colour of four, and what reads it."""
    return "buffer v f32 " + " ".join(str(x) for v in vertices for x in v) + "\nvertices v 32\n" + COLORED


def arrive(program, draw, command):
    """The goal and the stop of @command, given when @draw is held."""
    o = debug([f"catch draw {draw}", "run", command], program)[-1]
    check(o["outcome"], "stopped", f"{command}: outcome")
    check((o["stop"], o["goal"]["found"], o["goal"]["lane"]), ("start", True, o["lane"]), f"{command}: the wave")
    return o


def exported(program, draw, command, target):
    """The goal, and what its lane puts out to @target ("pos0", "mrt0"): four numbers."""
    o = debug([f"catch draw {draw}", "run", command, "x/400i $pc"], program)
    goal, code = o[-2], o[-1]["text"]
    at = re.search(rf"<(\w+\+0x[0-9a-f]+)>: exp {target} ([^\n]*)", code)
    if at is None:
        raise AssertionError(f"no export to {target}: {code[:2000]}")
    regs = re.findall(r"\bv\d+", at[2])
    o = debug([f"catch draw {draw}", "run", command, f"until {at[1]}", *[f"print ${r}" for r in regs]], program)
    check(o[-len(regs) - 1]["lane"], goal["lane"], "the lane is kept")
    words = [int(p["lanes"][goal["lane"]], 16) for p in o[-len(regs):]]
    bits = struct.pack(f"<{len(words)}I", *words)
    return goal, list(struct.unpack("<4e", bits) if len(words) == 2 else struct.unpack(f"<{len(words)}f", bits))


def pixels_of_the_drawing():
    """Who shades it first, and the colour that the shader gives there."""
    numbers = last_draws(DRAWING, 3)
    for x, y, draw, prim, color in [(60, 4, 0, 1, [0.4, 0.4, 0.4, 1]),  # x + y > 64: the second triangle of the floor's strip
                                    (3, 4, 0, 0, [0.4, 0.4, 0.4, 1]), (48, 40, 2, 0, [0, 0, 1, 0.6]), (52, 50, 2, 1, [0, 0, 1, 0.6])]:
        goal, got = exported(DRAWING, numbers[draw], f"debug pixel {x} {y}", "mrt0")
        check((goal["goal"]["draw"], goal["goal"]["primitive"]), (numbers[draw], prim), f"{x},{y}: who")
        near(got, color, f"{x},{y}: what the lane puts out", 1e-3)


def the_next_draw_that_covers_it():
    """From the floor on; the pane is named, and does not come first."""
    floor, triangle, pane = last_draws(DRAWING, 3)
    o = debug([f"catch draw {floor}", "run", "debug pixel 48 48", "debug pixel 48 48", "debug pixel 48 48"], DRAWING)
    check([p["goal"].get("draw") for p in o[2:5]], [floor, pane, None], "draws at 48,48: the triangle is not there")
    check(o[4]["outcome"], "done", "then the program ends")
    if "Pixel 48,48 was not shaded in any draw" not in o[4]["text"]:
        raise AssertionError(o[4]["text"])
    o = debug([f"catch draw {floor}", "run", f"debug pixel 48 48 draw {pane}", "delete 1", f"debug pixel 48 48 draw {triangle}"], DRAWING,
              status=3)
    check(o[2]["goal"]["draw"], pane, "the pane by its number")


def a_draw_that_does_not_cover_it():
    triangle = last_draws(DRAWING, 3)[1]
    o = debug([f"catch draw {triangle}", "run", f"debug pixel 60 60 draw {triangle}"], DRAWING)[-1]
    check((o["outcome"], o["goal"]["found"]), ("done", False), "outcome")
    if f"Pixel 60,60 was not shaded in draw {triangle}" not in o["text"]:
        raise AssertionError(o["text"])


def where_the_lane_is():
    """gl_FragCoord of the lane is the pixel: two registers that follow each other hold x and y."""
    program = scene("target R8G8B8A8_UNORM clear 0 0 0 0\n" + colored([(-1, -1, 0, 1, 1, 1, 1, 1), (3, -1, 0, 1, 1, 1, 1, 1), (-1, 3, 0, 1, 1, 1, 1, 1)]) +
                    "vert color.vert.spv\nfrag coord.frag.spv\ndraw 3\n", "color.vert", "coord.frag")
    number = last_draws(program, 1)[0]
    for x, y in [(0, 0), (37, 22), (62, 63), (5, 58)]:
        o = debug([f"catch draw {number}", "run", f"debug pixel {x} {y}", *[f"print $v{r}" for r in range(8)]], program)
        lane = o[2]["goal"]["lane"]
        row = [struct.unpack("<f", struct.pack("<I", int(p["lanes"][lane], 16)))[0] for p in o[3:]]
        if (x + 0.5, y + 0.5) not in zip(row, row[1:]):
            raise AssertionError(f"{x},{y}: lane {lane} starts with {row}")


def several_primitives():
    """Three triangles that cover all, each of its colour, in one draw."""
    colors = [(1, 0, 0, 1), (0, 1, 0, 0.5), (0, 0.25, 1, 0)]
    program = scene("target R8G8B8A8_UNORM clear 0 0 0 0\n" + colored([(x, y, 0, 1, *c) for c in colors for x, y in [(-1, -1), (3, -1), (-1, 3)]]) +
                    "vert color.vert.spv\nfrag color.frag.spv\ndraw 9\n", "color.vert", "color.frag")
    number = last_draws(program, 1)[0]
    for words, prim in [("", 0), (" prim 0", 0), (" prim 1", 1), (" prim 2", 2), (f" draw {number} primitive 2", 2)]:
        goal, got = exported(program, number, f"debug pixel 21 50{words}", "mrt0")
        check(goal["goal"]["primitive"], prim, f"'{words}': primitive")
        near(got, colors[prim], f"'{words}': what the lane puts out", 1e-3)
    o = debug([f"catch draw {number}", "run", "debug pixel 21 50 prim 3"], program)[-1]
    check((o["outcome"], o["goal"]["found"]), ("done", False), "there is not a fourth")


def samples_of_a_pixel():
    """A triangle's edge goes through pixel 32 at x = 32.5: of four samples, those at 0.375, 0.875, 0.125, 0.625, two are right of it."""
    program = scene("samples 4\ntarget R8G8B8A8_UNORM clear 0 0 0 0\n" +
                    colored([(x, y, 0, 1, 1, 1, 1, 1) for x, y in [(1 / 64, -5), (1 / 64, 5), (9, 0)]]) +
                    "vert color.vert.spv\nfrag color.frag.spv\ndraw 3\n", "color.vert", "color.frag")
    number = last_draws(program, 1)[0]
    for sample, found in [("", 1), (" sample 0", None), (" sample 1", 1), (" sample 2", None), (" sample 3", 3)]:
        o = debug([f"catch draw {number}", "run", f"debug pixel 32 32{sample} draw {number}"], program)[-1]
        check(o["goal"].get("sample"), found, f"'{sample}'")


def vertices_of_the_drawing():
    """Its strips: vertex n is at the corner n & 1, n >> 1 of a square."""
    numbers = last_draws(DRAWING, 3)
    for draw, n in [(0, 0), (0, 3), (1, 2), (2, 1)]:
        x, y, z, size = PLACES[draw]
        goal, got = exported(DRAWING, numbers[draw], f"vertex {n}", "pos0")
        check((goal["goal"]["draw"], goal["goal"]["index"]), (numbers[draw], n), "whose vertex")
        near(got, [x + (n & 1) * size, y + (n >> 1) * size, z, 1], f"vertex {n} of draw {draw}", 1e-6)
    o = debug([f"catch draw {numbers[1]}", "run", f"vertex 3 draw {numbers[1]}"], DRAWING)[-1]
    check((o["outcome"], o["goal"]["found"]), ("done", False), "the triangle has three")


POSITIONS = [(-0.5, -0.25), (0.75, -0.5), (0.25, 0.5), (-0.75, 0.75)]


def vertices_by_index():
    """Vertex n of an indexed draw is the one whose index stands n places behind the first."""
    indices = [3, 0, 2, 2, 1, 0]
    for kind in ("u16", "u32"):
        program = scene("target R8G8B8A8_UNORM clear 0 0 0 0\n" + colored([(9, 9, 9, 9, 0, 0, 0, 0)] + [(x, y, 0.5, 1, 1, 1, 1, 1) for x, y in POSITIONS]) +
                        f"buffer i {kind} 7 7 {' '.join(str(i) for i in indices)}\nindex i {kind}\n"
                        "vert color.vert.spv\nfrag color.frag.spv\ndraw_indexed 6 1 2 1\n", "color.vert", "color.frag")
        number = last_draws(program, 1)[0]
        for n in (0, 2, 3, 4):
            goal, got = exported(program, number, f"vertex {n}", "pos0")
            check(goal["goal"]["index"], indices[n], f"{kind}: index of vertex {n}")
            near(got, [*POSITIONS[indices[n]], 0.5, 1], f"{kind}: vertex {n}", 1e-6)


def vertices_of_instances():
    """Instance m of instance.vert is at its own place."""
    places = [(-0.5, -0.5, 0.25, 0.25), (0.5, -0.25, 0.5, 0.125), (0, 0.5, 0.25, 0.5)]
    program = scene("target R8G8B8A8_UNORM clear 0 0 0 0\n" + colored([(x, y, 0.5, 1, 1, 1, 1, 1) for x, y in POSITIONS[:3]]) +
                    "buffer p f32 " + " ".join(str(x) for p in places for x in p) + "\nvertices p 16 instance 1\nattribute 2 1 R32G32B32A32_SFLOAT 0\n"
                    "vert instance.vert.spv\nfrag color.frag.spv\ndraw 3 3\n", "instance.vert", "color.frag")
    number = last_draws(program, 1)[0]
    for instance, n in [(0, 1), (1, 2), (2, 0)]:
        x, y, w, h = places[instance]
        goal, got = exported(program, number, f"vertex {n} instance {instance}", "pos0")
        check(goal["goal"]["instance"], instance, "instance")
        near(got, [POSITIONS[n][0] * w + x, POSITIONS[n][1] * h + y, 0.5, 1], f"vertex {n} of instance {instance}", 1e-6)


def many_vertices():
    """Far into a draw of many subgroups: 700 triangles without a common vertex."""
    places = [((i % 50) / 64 - 0.5, (i // 50) / 64 - 0.5) for i in range(2100)]
    program = scene("target R8G8B8A8_UNORM clear 0 0 0 0\n" + colored([(x, y, 0.5, 1, 1, 1, 1, 1) for x, y in places]) +
                    "vert color.vert.spv\nfrag color.frag.spv\ndraw 2100\n", "color.vert", "color.frag")
    number = last_draws(program, 1)[0]
    _, got = exported(program, number, "vertex 1999", "pos0")
    near(got, [*places[1999], 0.5, 1], "vertex 1999", 1e-6)


def values(program, number, command, regs):
    """Registers of the lane that @command goes to, as it starts."""
    o = debug([f"catch draw {number}", "run", command, *[f"print ${r}" for r in regs]], program)
    return o[2], [int(p["lanes"][o[2]["goal"]["lane"]] if "lanes" in p else p["value"], 16) for p in o[3:]]


def primitives_of_a_geometry_shader():
    """A lane of it starts with its primitive's id in v2 (Mesa's radv_shader_args.c: gs_prim_id)."""
    strip = [(-0.9 + 0.15 * i, 0.5 - (i & 1), 0.5, 1, 1, 1, 1, 1) for i in range(12)]
    program = scene("target R8G8B8A8_UNORM clear 0 0 0 0\n" + colored(strip) + "topology triangle_strip\n"
                    "vert color.vert.spv\ngeom same.geom.spv\nfrag color.frag.spv\ndraw 12 2\n", "color.vert", "same.geom", "color.frag")
    number = last_draws(program, 1)[0]
    for n, instance in [(0, 0), (9, 0), (4, 1)]:
        goal, got = values(program, number, f"primitive {n} instance {instance}", ["v2"])
        check((goal["goal"]["primitive"], goal["goal"]["instance"], got), (n, instance, [n]), f"primitive {n}")
    goal, got = values(program, number, "vertex 7", ["v5", "v8"])  # gl_VertexIndex, gl_InstanceIndex of merged waves
    check(got, [7, 0], "vertex 7 of the same waves")


def tessellation():
    """vertex: LS and HS are one wave, whose lanes start with vertices in v2; primitive: with the patch in v0, its point in v1."""
    patches = [(x + dx, y, 0.5, 1, 1, 1, 1, 1) for x in (-0.9, -0.3, 0.3) for dx, y in [(0, -0.5), (0.5, -0.5), (0, 0.5)]]
    program = scene("target R8G8B8A8_UNORM clear 0 0 0 0\n" + colored(patches) + "topology patches\npatch 3\n"
                    "vert color.vert.spv\ntesc same.tesc.spv\ntese same.tese.spv\nfrag color.frag.spv\ndraw 9\n",
                    "color.vert", "same.tesc", "same.tese", "color.frag")
    number = last_draws(program, 1)[0]
    goal, got = values(program, number, "vertex 7", ["v2"])
    check((goal["goal"]["index"], got), (7, [7]), "vertex 7")
    goal, got = values(program, number, "primitive 2", ["v0", "v1"])
    check((got[0], got[1] >> 8 & 31), (2, 0), "patch 2: its id, its first control point")
    hull = [s["pipeline"] for s in debug([f"catch draw {number}", "run"], program)[-1]["draw"]["stages"] if s["stage"] == "hull"]
    where = debug([f"catch draw {number}", "run", "vertex 7"], program)[-1]["text"]
    if f"<{hull[0]}+0x0>" not in where:
        raise AssertionError(where)


def meshes():
    """A thread of a workgroup: its number is in v0, the workgroup in s4 (x, and y above)."""
    program = scene("target R8G8B8A8_UNORM clear 0 0 0 0\nmesh tiles_waves.mesh.spv\nfrag tiles.frag.spv\ndraw_mesh 4 2\n",
                    "tiles_waves.mesh", "tiles.frag")
    draws = debug(["run", "info draws"], program)[-1].get("draws", [])
    if not draws or "mesh" not in debug(["run", "info draws"], program)[-1]["text"]:
        raise Skip("this RADV draws no meshes")
    goal, got = values(program, draws[-1]["number"], "primitive 77 instance 6", ["v0", "s4"])
    check((goal["goal"]["primitive"], got[0] & 1023, got[1]), (77, 77, 2 | 1 << 16), "thread 77 of workgroup 6: 2, 1")


def what_comes_first_counts():
    """A breakpoint on the way stops; the words that it has not come say so; then it goes on."""
    numbers = last_draws(DRAWING, 3)
    draw = debug([f"catch draw {numbers[1]}", "run"], DRAWING)[-1]["draw"]
    code = {s["stage"]: s["pipeline"] for s in draw["stages"]}
    o = debug([f"catch draw {numbers[1]}", "run", f"break {code['geometry']}", "debug pixel 16 16", "delete 2", "debug pixel 16 16",
               "continue"], DRAWING)
    check((o[3]["goal"]["found"], o[3]["outcome"]), (False, "stopped"), "at the breakpoint")
    if "Pixel 16,16 has not come yet" not in o[3]["text"] or code["geometry"] not in o[3]["text"]:
        raise AssertionError(o[3]["text"])
    check((o[5]["goal"]["found"], o[5]["goal"].get("draw")), (True, numbers[1]), "then the pixel")
    if code["pixel"] not in o[5]["text"]:
        raise AssertionError(o[5]["text"])
    check(o[6]["outcome"], "done", "and nothing else stopped")


def bad_words():
    pixel, vertex = "expected 'debug pixel X Y", "expected 'vertex N"
    for command, words in [("debug", pixel), ("debug pixel 1", pixel), ("debug pixel 1 2 3", pixel), ("debug pixel 1 2 sample 8", pixel),
                           ("debug pixel 65536 0", pixel), ("debug pixel 1 2 draw", pixel), ("vertex", vertex), ("vertex x", vertex),
                           ("vertex 1 instance", vertex), ("primitive -1", "expected 'primitive N"), ("vertex 4294967295", vertex)]:
        r = subprocess.run([lull, "debug", "-batch", "-ex", "catch draw", "-ex", "run", "-ex", command, "--", *DRAWING],
                           capture_output=True, text=True, timeout=200)
        if r.returncode == 0 or words not in r.stderr:
            raise AssertionError(f"{command}: {r.returncode} {r.stderr[-300:]}")
    for commands, words in [(["catch draw 2", "run", "debug pixel 1 1 draw 0"], "draw 0 is over"), (["vertex 0"], "not started")]:
        r = subprocess.run([lull, "debug", "-batch", *[a for c in commands for a in ("-ex", c)], "--", *DRAWING],
                           capture_output=True, text=True, timeout=200)
        if r.returncode == 0 or words not in r.stderr:
            raise AssertionError(f"{commands}: {r.returncode} {r.stderr[-300:]}")


CASES = share([pixels_of_the_drawing, the_next_draw_that_covers_it, a_draw_that_does_not_cover_it, where_the_lane_is, several_primitives, samples_of_a_pixel,
         vertices_of_the_drawing, vertices_by_index, vertices_of_instances, many_vertices, primitives_of_a_geometry_shader, tessellation, meshes,
         what_comes_first_counts, bad_words], 2)


def main():
    global folder
    failed = 0
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        for n, case in enumerate(CASES, 1):
            try:
                case()
                print(f"ok {n} - {case.__name__}", flush=True)
            except Skip as e:
                print(f"ok {n} - {case.__name__} # SKIP {e}", flush=True)
            except (AssertionError, OSError, KeyError, IndexError, ValueError, subprocess.TimeoutExpired) as e:
                failed += 1
                print(f"not ok {n} - {case.__name__}\n# {type(e).__name__} " + str(e).replace("\n", "\n# "), flush=True)
    print(f"1..{len(CASES)}")
    return failed != 0


sys.exit(main())
