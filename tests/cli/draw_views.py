#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lull debug shows of draws: frames, names, vertices, meshes, pictures of overdraw and primitives. draw_views.py LULL BUILD DRAW_SCENES.

What must be seen is computed here, from what the program draws: vkcube (its source, cube.c, draws 36 vertices once for each image that it
presents), examples/bughunt/drawing.c, which presents nothing, and scenes of tests/draw."""
import json
import os
import pathlib
import shutil
import subprocess
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from png_rows import read_png  # noqa: E402
from tap import case, end, share, skip  # noqa: E402

lull, build, scenes = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "draw"))
import shaders  # noqa: E402
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
DRAWING = [str(build / "drawing"), str(build / "drawing.vert.spv"), str(build / "drawing.frag.spv")]


def debug(commands, program, json_too=True):
    args = [lull, "debug", "-batch", *(["--json"] if json_too else [])]
    for c in commands:
        args += ["-ex", c]
    return subprocess.run([*args, "--", *program], capture_output=True, text=True, timeout=300)


def objects(commands, program):
    r = debug(commands, program)
    found = [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]
    if not found:
        raise AssertionError(f"{commands}: {r.returncode} {r.stdout[-300:]} {r.stderr[-300:]}")
    return found


def cubes(draws):
    return [d["frame"] for d in draws if d["count"] == 36]


def frames():
    headless = objects(["catch frame 1", "run", "info draws"], DRAWING)[-1]["draws"]
    case("a program that presents nothing stays in frame 0", {d["frame"] for d in headless} == {0} and headless[-1]["state"] == "done", headless)
    for command, word in (("catch frame x", "is not the number of a frame"), ("catch frame 0", "frame 0 has begun: this is frame 0")):
        r = debug(["catch draw", "run", command], DRAWING, False)
        case(command, r.returncode != 0 and word in r.stderr, r.stderr)
    if shutil.which("vkcube") is None or (shutil.which("Xvfb") is None and not os.environ.get("DISPLAY")):
        for _ in range(3):
            skip("needs vkcube and an X server or Xvfb")
        return
    cube = ["vkcube", "--c", "4"]
    draws = objects(["run", "info draws"], cube)[-1]["draws"]
    case("one cube for each frame", cubes(draws) == [0, 1, 2, 3], draws)
    draws = objects(["catch frame 2", "run", "info draws", "kill"], cube)[-2]["draws"]
    case("catch frame 2 stops behind two cubes", cubes(draws) == [0, 1], draws)
    draws = objects(["catch frame", "run", "continue", "continue", "info draws", "kill"], cube)[-2]["draws"]
    case("catch frame stops in each, and not in the first", cubes(draws) == [0, 1, 2], draws)


def names():
    draws = [d for d in objects(["run", "info draws"], DRAWING)[-1]["draws"]]
    got = [(d["name"], d["labels"], d["sure"]) for d in draws if "name" in d]
    want = [("solid", ["floor"], True), ("solid", ["triangle"], True), ("glass", ["pane"], True)]
    case("pipelines and labels of the three, none of the driver's own", got == want and len(draws) > 3, got)
    for what, vertices in (("glass", 4), ("^tri", 3)):
        held = objects([f"catch draw name {what}", "run", "info draw"], DRAWING)[-1]
        case(f"catch draw name {what}", held["count"] == vertices and held["state"] == "held" and held["name"] == ("glass" if vertices == 4 else "solid"), held)
    text = debug(["catch draw name pane", "run"], DRAWING, False).stdout
    case("names in the line", ' of "glass" [pane], frame 0' in text, text)


def own(commands, folder, text, name="one", last=-1):
    """The object of the last of @commands at the first draw of the scene @text that is not the driver's own."""
    (folder / f"{name}.scene").write_text("target R8G8B8A8_UNORM\n" + text)
    program = [scenes, "RADV", str(folder), str(folder / f"{name}.scene")]
    draws = [d for d in objects(["run", "info draws"], program)[-1]["draws"] if "sure" in d]
    if not draws or not draws[0]["sure"]:
        raise AssertionError(f"{name}: no draw of its own is known for sure: {draws}")
    return objects([f"catch draw {draws[0]['number']}", "run", *commands, "kill"], program)[last - 1]


HALF = [1.5, -2.0, 0.25, 8.0]


def elements(folder):
    """Values by hand: floats as they stand; 0x80 / 255 as UNORM; the 16-bit words of struct's own halves."""
    halves = struct.unpack("<2I", struct.pack("<4e", *HALF))
    o = own(["info draw"], folder, "buffer v f32 -1 -1 1  3 -1 1  -1 3 1\nbuffer c u32 0xff0000ff 0x00ff0000 0x80808080\nbuffer i u16 2 1 0 2\n"
            "vertices v 12\nvertices c 4\nattribute 0 0 R32G32B32_SFLOAT 0\nattribute 1 1 R8G8B8A8_UNORM 0\n"
            "vert color.vert.spv\nfrag color.frag.spv\nindex i u16\ndraw_indexed 3 1 1\n")
    got = [(e["location"], e["format"], e["stride"], e["offset"], [[round(x, 4) for x in v] for v in e["values"]]) for e in o["elements"]]
    want = [(0, "32_32_32_FLOAT", 12, 0, [[3, -1, 1], [-1, -1, 1], [-1, 3, 1]]),
            (1, "8_8_8_8_UNORM", 4, 0, [[0, 0, 1, 0], [1, 0, 0, 1], [0.502] * 4])]
    case("indexed vertices of two buffers", got == want and o["indices"] == [1, 0, 2], (got, o["indices"]))
    o = own(["info draw"], folder, f"buffer v f32 9 9 9 9 -1 -1 0 1  3 -1 0 1  -1 3 0 1\nbuffer c u32 7 7 {halves[0]} {halves[1]}\n"
            "vertices v 16\nvertices c 8 instance 1\nattribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 1 R16G16B16A16_SFLOAT 0\n"
            "vert color.vert.spv\nfrag color.frag.spv\ndraw 3 1 1 1\n")
    got = [(e["location"], e["format"], e["first"], e["per_instance"], e["values"]) for e in o["elements"]]
    want = [(0, "32_32_32_32_FLOAT", 1, False, [[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]]), (1, "16_16_16_16_FLOAT", 1, True, [HALF])]
    case("a first vertex and a first instance", got == want, got)


def read_obj(path):
    """Positions, and primitives as lists of positions' numbers from 0."""
    lines = [line.split() for line in path.read_text().splitlines() if line and line[0] != "#"]
    v = [tuple(float(x) for x in words[1:]) for words in lines if words[0] == "v"]
    p = [(words[0], [int(x) - 1 for x in words[1:]]) for words in lines if words[0] in "plf"]
    if {words[0] for words in lines} - {"v", "o", "p", "l", "f"} or any(not 0 <= i < len(v) for _, i in p for i in i):
        raise AssertionError(f"not an OBJ that a reader takes: {lines}")
    return v, p


GRID = [(-1.0, -1.0, 0.5), (1.0, -1.0, 0.5), (-1.0, 0.0, 0.5), (1.0, 0.0, 0.25), (-1.0, 1.0, 0.5), (1.0, 1.0, 0.5)]
MESHES = (  # topology, indices (65535: restart), primitives by Vulkan's rules
    ("triangles", [0, 1, 2, 5, 4, 3, 1], [("f", [0, 1, 2]), ("f", [5, 4, 3])]),
    ("triangle_strip", [0, 1, 2, 3, 65535, 3, 4, 5, 0], [("f", [0, 1, 2]), ("f", [1, 3, 2]), ("f", [3, 4, 5]), ("f", [4, 0, 5])]),
    ("triangle_fan", [2, 0, 1, 3, 5], [("f", [2, 0, 1]), ("f", [2, 1, 3]), ("f", [2, 3, 5])]),
    ("line_strip", [0, 1, 2, 65535, 4, 5], [("l", [0, 1]), ("l", [1, 2]), ("l", [4, 5])]),
    ("lines", [0, 1, 2, 3], [("l", [0, 1]), ("l", [2, 3])]),
    ("points", [4, 0, 3], [("p", [4]), ("p", [0]), ("p", [3])]),
)


def mesh_scene(topology, indices):
    positions = " ".join(f"{x} {y} {z}" for x, y, z in GRID)
    return (f"buffer v f32 {positions}\nbuffer i u16 {' '.join(str(i) for i in indices)}{' 0' * (len(indices) % 2)}\nvertices v 12\nattribute 0 0 R32G32B32_SFLOAT 0\n"
            f"attribute 1 0 R32G32B32_SFLOAT 0\nvert color.vert.spv\nfrag color.frag.spv\nindex i u16\ntopology {topology}\n"
            f"restart {'on' if 65535 in indices else 'off'}\ndraw_indexed {len(indices)}\n")


def meshes(folder):
    for topology, indices, want in MESHES:
        out = folder / "in.obj"
        own([f"dump mesh out={out}"], folder, mesh_scene(topology, indices))
        v, p = read_obj(out)
        got = [(kind, [v[i] for i in of]) for kind, of in p]
        case(f"mesh of {topology}", got == [(kind, [GRID[i] for i in of]) for kind, of in want] and len(v) == len({i for _, of in want for i in of} | {i for i in indices if i != 65535}), got)
    r = debug(["catch draw", "run", f"dump mesh out={folder / 'no.obj'}"], DRAWING, False)
    case("a draw without vertex buffers", r.returncode != 0 and "reads no vertex buffer" in r.stderr and not (folder / "no.obj").exists(), r.stderr)


def corners_after(path):
    """Primitives of an OBJ as their kind and positions, whatever corner is first."""
    v, p = read_obj(path)
    return [(kind, sorted(v[i] for i in of)) for kind, of in p]


def meshes_after(folder):
    for topology, indices, want in MESHES:
        out = folder / "out.obj"
        own([f"dump mesh after out={out}"], folder, mesh_scene(topology, indices))
        got = corners_after(out)
        case(f"mesh of {topology}, as color.vert exports it", got == [(kind, sorted(GRID[i] for i in of)) for kind, of in want], got)


FLOOR, TRIANGLE, PANE, NONE = 2, 3, 4, 0xffffffff  # draws of drawing.c; the driver clears before them


def drawn_at(x, y):
    """Who covers a pixel, by drawing.c: place is x y z size of a triangle's or a square's corner in a picture of 64."""
    yield FLOOR
    if x >= 8 and y >= 8 and x - 8 + y - 8 < 31:  # centres on its long edge, a right one, are not its own
        yield TRIANGLE
    if 40 <= x < 56 and 40 <= y < 56:
        yield PANE


def texels(path):
    words = struct.unpack(f"<{4 * 64 * 64}I", path.read_bytes())
    return {(i % 64, i // 64): words[4 * i : 4 * i + 4] for i in range(64 * 64)}


def pictures():
    with tempfile.TemporaryDirectory() as d:
        raw, png, mesh = pathlib.Path(d) / "raw", pathlib.Path(d) / "a.png", pathlib.Path(d) / "a.obj"
        o = objects(["catch draw name floor", "run", f"dump overdraw frame out={raw}"], DRAWING)[-1]
        got = texels(raw)
        wrong = [(p, t) for p, t in got.items() if (t[0], t[1]) != (len(list(drawn_at(*p))), list(drawn_at(*p))[-1])]
        case("overdraw of a frame, and who was last", not wrong and (o["covered"], o["most"]) == (4096, 2), wrong[:4] or o)
        wrong = [(p, t) for p, t in got.items() if t[1] == FLOOR and sum(p) != 63 and t[2] != (sum(p) > 63)]
        case("the two primitives of the floor", not wrong, wrong[:4])
        o = objects(["catch draw name triangle", "run", f"dump primitives out={raw}", "info draws"], DRAWING)
        wrong = [(p, t) for p, t in texels(raw).items() if t[:3] != ((1, TRIANGLE, 0) if TRIANGLE in drawn_at(*p) else (0, NONE, 0))]
        case("one draw alone: 31 * 32 / 2 pixels", not wrong and o[-2]["covered"] == 496, wrong[:4] or o[-2])
        case("it ends at the next draw", o[-2]["outcome"] == "held" and o[-2]["draw"]["number"] == PANE, o[-2])
        debug(["catch draw name triangle", "run", f"dump mesh after out={mesh}"], DRAWING)
        case("the triangle as it comes out", corners_after(mesh) == [("f", [(-0.75, -0.75, 0.5), (-0.75, 0.25, 0.5), (0.25, -0.75, 0.5)])], mesh.read_text())
        for what, of in (("overdraw", {(60, 4): (0, 0, 160), (16, 16): (0, 96, 224)}), ("primitives", {})):
            debug(["catch draw name floor", "run", f"dump {what} frame out={png}"], DRAWING)
            rows = read_png(png)
            got = {p: tuple(rows[p[1]][4 * p[0] : 4 * p[0] + 3]) for p in ((60, 4), (16, 16), (48, 48), (4, 4), (60, 60))}
            distinct = len(set(got.values())) == 4 and got[(4, 4)] == got[(4, 4)]  # floor 0 twice, floor 1, triangle, pane
            case(f"picture of {what}", all(got[p] == c for p, c in of.items()) and (what == "overdraw" or distinct), got)
        for commands, word in ((["catch draw", "run", "delete 1", "continue", f"dump overdraw out={png}"], "no draw is held"),
                               (["catch draw", "run", f"dump overdraw x out={png}"], "'x' is left over")):
            r = debug(commands, DRAWING, False)
            case(commands[-1].split(" out=")[0] + ": " + word, r.returncode != 0 and word in r.stderr, r.stderr)


def of_scenes():
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        said = shaders.make(folder, ["color.vert", "color.frag"])
        if said != "":
            raise AssertionError(said)
        elements(folder)
        meshes(folder)
        meshes_after(folder)


for part in share((frames, names, of_scenes, pictures), 2):
    try:
        part()
    except (AssertionError, OSError, KeyError, IndexError, ValueError, subprocess.TimeoutExpired) as e:
        case(part.__name__, False, repr(e))
end()
