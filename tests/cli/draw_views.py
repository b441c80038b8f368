#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lull debug shows of draws: frames, names. draw_views.py LULL BUILD.

What must be seen is computed here, from what the program draws: vkcube (its source, cube.c, draws 36 vertices once for each image that it
presents), and examples/bughunt/drawing.c, which presents nothing."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull, build = sys.argv[1], pathlib.Path(sys.argv[2])
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


for part in (frames, names):
    try:
        part()
    except (AssertionError, OSError, KeyError, IndexError, ValueError, subprocess.TimeoutExpired) as e:
        case(part.__name__, False, repr(e))
end()
