#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull exec --check all looks at the shaders of draws: bugs of a vertex and a fragment shader are named with the stage and the vertex or pixel, which follow from
the numbers in the scene; the right twin has no finding.

    draws.py LULL PANE

PANE: a scene without bugs. TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).resolve().parents[1])]
from draw_bugs import RESOURCES, SCENE, TWIN  # noqa: E402
from tap import case, end  # noqa: E402

lull, pane = sys.argv[1:3]
env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}


def line_of(piece):
    return next(n for n, line in enumerate(SCENE.splitlines(), 1) if piece in line)


def run(scene):
    r = subprocess.run([lull, "exec", "--json", "--check", "all", "--", lull, "run", scene], env=env, capture_output=True, text=True, timeout=120)
    lines = [json.loads(line) for line in r.stderr.splitlines() if line.startswith('{"check"')]
    return r, {line["check"]: line["findings"] for line in lines}


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "bugs.scene"
    path.write_text(SCENE)
    r, found = run(path)
    sites = {(s["stage"], *s["at"]) for f in found["bounds"] for s in f["sites"]}
    case("bounds: the third vertex, and the seventh row from its third pixel on", r.returncode == 1 and {s[0] for s in sites} == {"vertex shader", "fragment shader"} and
         ("vertex shader", 2, 0) in sites and all(8 * s[2] + s[1] >= 50 for s in sites if s[0] == "fragment shader"), (r, found))
    case("bounds: what it stores", any("at byte 8 of the range" in f["sites"][0]["does"] for f in found["bounds"]), found)
    lines = {(s["stage"], pathlib.Path(s["file"]).name, s["line"]) for f in found["bounds"] for s in f["sites"]}
    case("bounds: lines of the scene", lines == {("vertex shader", "bugs.scene", line_of("v[gl_VertexIndex] =")), ("fragment shader", "bugs.scene", line_of("b[p] = p"))}, (lines, found))
    case("bounds: of what", all(s["resource"] == RESOURCES[s["stage"]](s["at"]) for f in found["bounds"] for s in f["sites"]), found)
    division, = found["divzero"]
    case("divzero: a pixel of the third column", all(s["stage"] == "fragment shader" and s["at"][0] == 2 for s in division["sites"]) and "exports" in division["sites"][1]["does"], found)
    nan, = found["nan"]
    case("nan: the sixth pixel", [s["at"] for s in nan["sites"]] == [[5, 0], [5, 0]], found)
    case("nothing else", not any(found[name] for name in found if name not in ("bounds", "divzero", "nan")), found)
    lines = [json.loads(x) for x in r.stderr.splitlines() if x.startswith('{"check"')]
    case("of races in draws it is said that they are not looked at", [x["check"] for x in lines if x.get("draws_looked_at") is False] == ["race"], lines)
    r = subprocess.run([lull, "exec", "--check", "race,nan", "--", lull, "run", path], env=env, capture_output=True, text=True, timeout=120)
    case("... in words, too", "\nrace: 0 findings; draws are not looked at\n" in "\n" + r.stderr and "\nnan: 1 finding, " in r.stderr, r)
    right = SCENE
    for wrong, instead in TWIN.items():
        assert wrong in right, wrong
        right = right.replace(wrong, instead)
    path.write_text(right)
    for name, scene in (("the right twin", path), ("another", pane)):
        r, found = run(scene)
        case(name, r.returncode == 0 and "uninit" in found and not any(found.values()), (r, found))
end()
