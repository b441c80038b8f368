#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""GLSL vertex and pixel shaders, compiled by lull cc, linked and drawn on the model: each pixel against lavapipe's and RADV's draw of the same GLSL.

draw.py LULL [--radv FOLDER] [--cases MODULE] [NAME...]: TAP. Cases are those of draw_cases.py if not given. --radv: where tools/radv.py has a newer RADV,
for cases that need it; without it they are skipped by name. Which pixels are drawn, and whole numbers, must be equal. Floats may differ as interpolation may: Vulkan says nothing about its
precision, so 1e-3 of the value or of 1 are allowed against lavapipe, which interpolates otherwise, and against RADV, which has the model's own
instructions, 2e-6. Bytes are RADV's, and lavapipe's within 1: exports of halves are rounded to zero."""
import argparse
import importlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import radv  # noqa: E402
from tap import case, end, skip  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("lull")
parser.add_argument("--radv")
parser.add_argument("--cases", default="draw_cases")
parser.add_argument("names", nargs="*")
options = parser.parse_intermixed_args()
lull, only = str(pathlib.Path(options.lull).resolve()), options.names
# lavapipe leaks at exit, which is not ours to check.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
W, H = 48, 40
FORMATS = {"f": ("R32G32B32A32_SFLOAT", "rgba32f"), "u": ("R32G32B32A32_UINT", "rgba32ui"), "n": ("R8G8B8A8_UNORM", "rgba8"), "h": ("R16G16B16A16_SFLOAT", "rgba16f")}
CODES = {"f": "f", "u": "I", "n": "B", "h": "e"}


def run(*args, env=None):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **(env or {})})
    return r.returncode, r.stdout + r.stderr


def scene(c, d):
    """The same draw for a Vulkan driver."""
    lines = [f"size {W} {H}", f"target {FORMATS[c.target][0]} clear 0 0 0 0", *(f"{stage} {c.name}.{stage}" for stage in c.shaders()), *c.scene]
    lines.append(f"draw_mesh {c.groups}" if c.groups else f"draw {c.count} {c.instances[1]} {c.first} {c.instances[0]}")
    path = d / f"{c.name}.scene"
    path.write_text("\n".join(lines) + "\n")
    return path


def pixels(path, target):
    """Numbers of a picture; none if there is no file."""
    data = path.read_bytes() if path.exists() else b""
    return [v for v, in struct.iter_unpack(f"<{CODES[target]}", data)]


def compare(got, want, target, most):
    """Why they differ; "" if they do not."""
    if len(got) != len(want) or len(got) != W * H * 4:
        return f"{len(got)} numbers, {len(want)} expected"
    bad = []
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w and (target == "u" or not abs(g - w) <= most * (1 if target == "n" else max(1, abs(w)))):
            bad.append(f"x {i // 4 % W} y {i // 4 // W} component {i % 4}: got {g!r}, want {w!r}")
    return f"{len(bad)} differ: {bad[:4]}" if bad else ""


def pipeline(c, d, level, how):
    """The shaders, compiled apart and linked. (path, what was said)"""
    said, objects = [], []
    layout = d / f"{c.name}.json"
    layout.write_text(json.dumps({"nodes": c.nodes, **c.more}))
    for stages in c.parts():
        objects.append(d / f"{c.name}.{stages[0]}.o")
        files = [d / f"{c.name}.{stage}" for stage in stages]
        said.append(run("cc", level, *(["--layout", layout] if how == "--layout" else [how]), *files, "-o", objects[-1], *c.cc))
    out = d / f"{c.name}.elf"
    said.append(run("link", *objects, "--layout", layout, "-o", out))
    return out, layout, [s for s in said if s[0] != 0]


def targets(c, what, elf):
    """Formats of the exports, as LLVM's tools see them in the metadata and in the code."""
    notes = subprocess.run(["llvm-readelf-19", "--notes", elf], capture_output=True, text=True, check=False).stdout
    code = subprocess.run(["llvm-objdump-19", "-d", "--mcpu=gfx1100", elf], capture_output=True, text=True, check=False).stdout
    formats = {int(n): int(f) for n, f in re.findall(r"\.col_(\d)_export_format: +(\d+)", notes) if f != "0"}
    exports = [(n, re.findall(r"v\d+|off", rest).count("off"), "done" in rest) for n, rest in re.findall(r"\texp (mrt\d) (.*?)//", code)]
    case(f"{c.name}, {what}: formats of targets", formats == c.formats, (formats, c.formats))
    case(f"{c.name}, {what}: exports", exports == [*c.exports], (exports, c.exports))


def draw(c, d, elf, layout):
    out = d / "target.bin"
    out.unlink(missing_ok=True)
    vertices = ("--draw", c.count, "--instances", c.instances[1], "--first-instance", c.instances[0], "--first-vertex", c.first)
    r = run("run", elf, "--layout", layout, *(("--groups", c.groups.replace(" ", ",")) if c.groups else vertices), "--target", f"{W}x{H}:{FORMATS[c.target][1]}", "--out", f"target={out}", *c.run)
    return r, pixels(out, c.target)


def one(c, d):
    for stage, text in c.shaders().items():
        (d / f"{c.name}.{stage}").write_text(text)
    path = scene(c, d)
    wants = {}
    for name, device in (("lavapipe", ["--vulkan-device", "lavapipe"]), ("RADV", []), ("RADV 25", [])):
        if name == "RADV 25" and newer is None and name in c.only:
            skip(f"{c.name}: no newer RADV, see --radv")
        elif name in c.only:
            where = d / name
            where.mkdir(exist_ok=True)
            r = run("run", path, *device, "--out-dir", where, env=newer if name == "RADV 25" else None)
            wants[name] = r, pixels(where / "target0.bin", c.target)
    ways = [(level, how) for how in (["--relocatable", "--layout"] if c.more else ["--relocatable"]) for level in ("-O2", "-O0")]
    for level, how in ways:
        elf, layout, said = pipeline(c, d, level, how)
        if said:
            case(f"{c.name}, {level} {how}", False, said)
            continue
        if c.formats:
            targets(c, f"{level} {how}", elf)
        r, got = draw(c, d, elf, layout)
        for name, (told, want) in wants.items():
            most = c.lavapipe if name == "lavapipe" else c.radv
            why = "" if r[0] == 0 and told[0] == 0 else f"{r} {told}"
            why = why or ("nothing was drawn" if not any(want) else "") or compare(got, want, c.target, most)
            case(f"{c.name}, {level} {how}: as {name}", why == "", why)


try:
    newer = radv.environment(options.radv) if options.radv else None
except radv.Missing as e:
    print(f"# {e}")
    newer = None
with tempfile.TemporaryDirectory() as work:
    for row in importlib.import_module(options.cases).CASES:
        if not only or row.name in only:
            one(row, pathlib.Path(work))
end()
