#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--check all of draws under Turnip on a660: bugs of shaders by stage, vertex and pixel, which follow from the numbers in the scene; the right twin has no
finding. TAP. adreno_draws.py LULL DRAW-SCENES-ARM64 ARM64
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), *(str(pathlib.Path(__file__).resolve().parents[1] / p) for p in ("", "shim"))]
import arm64_cases  # noqa: E402
import arm64_tools  # noqa: E402
from draw_bugs import RESOURCES, SCENE, TILES, TWIN  # noqa: E402
from tap import case, end  # noqa: E402

lull, program, root = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def run(folder, scene, **more):
    """(Result, findings by check)"""
    path = folder / "bugs.scene"
    path.write_text(scene)
    r = subprocess.run([lull, "exec", "--gpu", "a660", "--check", "all", "--json", "--", program, "Turnip", folder, path], capture_output=True, text=True, timeout=120,
                       env={**arm64_cases.environment(root, folder), **more}, check=False)
    return r, {line["check"]: line["findings"] for line in map(json.loads, (x for x in r.stderr.splitlines() if x.startswith("{")))}


why = arm64_tools.absent(root)
if why is not None and "LULL_NEED_ARM64" not in os.environ:
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
case("arm64 programs are there", why is None, why)
with tempfile.TemporaryDirectory(prefix="lull-draws-") as d:
    folder = pathlib.Path(d)
    r, found = run(folder, SCENE)
    division, *_ = found.get("divzero") or [None]
    case("divzero: a pixel of the third column", division is not None and all(s["stage"] == "fragment shader" and s["at"][0] == 2 for s in division["sites"]) and
         [s["does"] for s in division["sites"]] == ["divides by 0", "exports what came out"], (r, found))
    nan, *_ = found.get("nan") or [None]
    case("nan: the sixth pixel", nan is not None and [s["at"] for s in nan["sites"]] == [[5, 0], [5, 0]] and
         [s["does"] for s in nan["sites"]] == ["makes a NaN of 0 and inf", "stores it"], (r, found))
    sites = {(s["stage"], *s["at"]) for f in found.get("bounds", []) for s in f["sites"]}
    case("bounds: the third vertex, and pixels behind the buffer", ("vertex shader", 2, 0) in sites and all(8 * s[2] + s[1] >= 50 for s in sites if s[0] == "fragment shader") and
         len(sites) == 2, (r, found))
    case("bounds: of what", all(s["resource"] == RESOURCES[s["stage"]](s["at"]) for f in found["bounds"] for s in f["sites"]), found)
    case("nothing else", not any(found[name] for name in found if name not in ("bounds", "divzero", "nan")), found)
    # Drawn tile by tile, a draw of the program is several of the GPU.
    r, found = run(folder, TILES, TU_DEBUG="gmem")
    got = {(s["stage"], s["resource"].get("variable"), s["resource"].get("path"), f["count"] > 2) for f in found.get("bounds", []) for s in f["sites"]}
    case("tiles", got == {("vertex shader", "V", ".v[2]", True), ("fragment shader", "A", ".a[512]", True)}, (r, found))
    for wrong, right in TWIN.items():
        SCENE = SCENE.replace(wrong, right)
    r, found = run(folder, SCENE)
    case("the right twin", r.returncode == 0 and len(found) == 9 and not any(found.values()), (r, found))
end()
