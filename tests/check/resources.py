#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings of a Vulkan program say which descriptor, variable and buffer they are of, however the program has made its sets.

    resources.py LULL RESOURCES SPIRV
    resources.py LULL RESOURCES SPIRV a660 ARM64
    resources.py LULL RESOURCES SPIRV six: the calls of VK_KHR_maintenance6 alone, under a driver that has them

What is expected stands in resources.c and resources.comp: offsets by std430 (GLSL 4.6, 7.6.2.2). TAP.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shim"))
import arm64_tools  # noqa: E402

lull, program, spirv = sys.argv[1:4]
SIX = sys.argv[4:] == ["six"]
GPU = [] if SIX else sys.argv[4:5]  # An Adreno, under Turnip; none: gfx1100.
SIZE = 4096
PARTS = {"set": 0, "binding": 0, "element": 1, "variable": "parts", "path": ".data[63]", "written": True, "buffer": "second part", "size": SIZE, "byte": 512 + 4 + 4 * 63}
MOVING = {"set": 0, "binding": 2, "variable": "Moving", "path": ".words[16].z", "written": True, "buffer": "moving", "size": SIZE, "byte": 256 + 768 + 16 * 16 + 8}
LAST = {"set": 1, "binding": 3, "variable": "last", "path": ".items[15].id", "written": True, "buffer": "last", "size": SIZE, "byte": 1024 + 16 + 16 * 15 + 8}
HOWS = {"right": None, "right-push": None, "parts": PARTS, "moving": MOVING, "last": LAST, "last-push": LAST, "last-template": LAST, "last-both": LAST, "last-copy": LAST,
        "parts-later": PARTS, "moving-secondary": MOVING, "moving-indirect": MOVING}
TEXT = f'      set 1 binding 3: last.items[15].id, byte {LAST["byte"]} of buffer "last", which has {SIZE}\n'


def run(how, *more):
    gpu = [w for g in GPU for w in ("--gpu", g)]
    r = subprocess.run([lull, "exec", *gpu, "--check", "bounds,race,lint", *map(str, more), "--", program, spirv, how], capture_output=True, text=True, timeout=120)
    return r, {o["check"]: o["findings"] for o in map(json.loads, (line for line in r.stderr.splitlines() if line.startswith("{"))) if "check" in o}


if GPU:
    why = arm64_tools.absent(pathlib.Path(sys.argv[5]))
    if why is not None and "LULL_NEED_ARM64" not in os.environ:
        print(f"1..0 # SKIP {why}")
        sys.exit(0)
if SIX:
    HOWS = {"right-six": None, "right-six-push": None, "parts-six": PARTS, "moving-six": MOVING, "last-six": LAST, "last-six-push": LAST, "last-six-both": LAST}
for how, want in HOWS.items():
    r, found = run(how, "--json")
    got = [s.get("resource") for f in found["bounds"] for s in f["sites"]]
    case(how, r.stdout == "done\n" and got == ([] if want is None else [want]) and not found["race"] and not found["lint"], (r, want))
if SIX:
    with tempfile.TemporaryDirectory() as names:
        run("parts-six", "--names", names)
        pushed = [d["push"] for file in pathlib.Path(names).glob("*.names") for line in file.read_text().splitlines() for d in json.loads(line).get("dispatches", [])]
        case("push constants", pushed == [struct.pack("<QII", 0, 0, 63 - 7).hex()], pushed)
    end()
for how in ("grid", "grid-shader", "right-grid"):
    r, found = run(how, "--json")
    got = [(f["kind"], [s["instruction"].split()[0] for s in f["sites"]], f["sites"][0].get("resource", {}).get("path"), "DRAW_INDIRECT" in f["text"]) for f in found["race"]]
    want = [("a dispatch stores the workgroups of an indirect one, no barrier between them", "vkCmdDispatchIndirect", ".data[1]", True)]
    case(how, r.stdout == "done\n" and [(k, i[1], p, d) for k, i, p, d in got] == ([] if how == "right-grid" else want), r)
with tempfile.TemporaryDirectory() as tmp:
    report = pathlib.Path(tmp, "found.sarif")
    r, _ = run("last", "--check-report", report)
    case("as text", TEXT in r.stderr, r)
    result = json.loads(report.read_text())["runs"][0]["results"][0]
    names = [n for n in result["locations"][0]["logicalLocations"] if n.get("kind") == "resource"]
    case("SARIF", names == [{"fullyQualifiedName": TEXT.strip(), "kind": "resource"}], result)
    folder = pathlib.Path(tmp, "names")
    folder.mkdir()
    run("last", "--names", folder)
    case("modules that VK_LAYER_LULL_lines makes are not told", len(list(folder.glob("*.spv"))) == 1, list(folder.iterdir()))
gpu = [w for g in GPU for w in ("--gpu", g)]
r = subprocess.run([lull, "debug", *gpu, "--check", "bounds", "-ex", "run", "--", program, spirv, "last"], capture_output=True, text=True, timeout=120)
case("in the debugger", TEXT in r.stdout, r)
end()
