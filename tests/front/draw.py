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
from tap import case, end, share, skip  # noqa: E402

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
# In Vulkan, in lull, a component in Python, how many of them; those of "n" and "b" are exported as halves.
FORMATS = {"f": ("R32G32B32A32_SFLOAT", "rgba32f", "f", 4), "u": ("R32G32B32A32_UINT", "rgba32ui", "I", 4), "n": ("R8G8B8A8_UNORM", "rgba8", "B", 4),
           "h": ("R16G16B16A16_SFLOAT", "rgba16f", "e", 4), "g": ("R32G32_UINT", "rg32ui", "I", 2), "r": ("R32_SFLOAT", "r32f", "f", 1),
           "b": ("B8G8R8A8_UNORM", "bgra8", "B", 4), "p": ("R16G16_SFLOAT", "rg16f", "e", 2), "q": ("R8_UNORM", "r8", "B", 1), "s": ("R16G16_SINT", "rg16i", "h", 2),
           "c": ("R8G8B8A8_SINT", "rgba8i", "b", 4), "w": ("R16G16B16A16_UNORM", "rgba16", "H", 4)}


def run(*args, env=None):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **(env or {})})
    return r.returncode, r.stdout + r.stderr


def scene(c, d):
    """The same draw for a Vulkan driver."""
    lines = [f"size {W} {H}", f"layers {c.layers}", f"views {c.more.get('view_mask', 0)}", *(f"{stage} {c.name}.{stage}" for stage in c.shaders()), f"samples {c.samples}"]
    lines += [f"target {FORMATS[c.target[i]][0]} clear 0 0 0 0" for i in range(max(c.target) + 1)]
    lines += c.scene
    lines.append(f"draw_mesh {c.groups}" if c.groups else f"draw {c.count} {c.instances[1]} {c.first} {c.instances[0]}")
    path = d / f"{c.name}.scene"
    path.write_text("\n".join(lines) + "\n")
    return path


def pixels(folder, c):
    """Numbers of each picture, and of depth; none if there is no file."""
    names = {**{f"target{i}": f for i, f in c.target.items() if i not in c.without}, **({"depth": "r"} if "--depth" in c.run else {})}
    got = {}
    for name, f in names.items():
        path = folder / f"{name}.bin"
        data = path.read_bytes() if path.exists() else b""
        got[name] = f, [v for v, in struct.iter_unpack(f"<{FORMATS[f][2]}", data)]
    return got


def compare(got, want, most, layers):
    """Why they differ; "" if they do not."""
    for name, (f, wanted) in want.items():
        numbers, n = got[name][1], FORMATS[f][3]
        if len(numbers) != len(wanted) or len(numbers) != W * H * n * layers:
            return f"{name}: {len(numbers)} numbers, {len(wanted)} expected"
        if not all(any(wanted[i * W * H * n:(i + 1) * W * H * n]) for i in range(layers)):
            return f"{name}: nothing was drawn"
        bad = []
        for i, (g, w) in enumerate(zip(numbers, wanted)):
            if g != w and (f in "ugcs" or not abs(g - w) <= most * (1 if f in "nbwq" else max(1, abs(w)))):
                bad.append(f"x {i // n % W} y {i // n // W} component {i % n}: got {g!r}, want {w!r}")
        if bad:
            return f"{name}: {len(bad)} differ: {bad[:4]}"
    return ""


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


# How primitives are assembled, clipped and snapped, as LLPC tells PAL (lgc/lowering/RegisterMetadataBuilder.cpp).
ASSEMBLY = {"vgt_reuse_off": 0, "dx_linear_attr_clip_ena": 1, "rasterization_kill": 0, "vte_vport_provoke_disable": 0, "pix_center": 1, "round_mode": 2, "quant_mode": 5,
            "primgroup_size": 127, "vgt_primitive_id_en": 0, "ngg_disable_provok_reuse": 0}
OTHERS = {"plain": (), "layer": ("vgt_reuse_off", "vte_vport_provoke_disable"), "primitive_id": ("vgt_primitive_id_en", "ngg_disable_provok_reuse")}


def assembly(c, what, elf):
    notes = subprocess.run(["llvm-readelf-19", "--notes", elf], capture_output=True, text=True, check=False).stdout
    got = {key: {"true": 1, "false": 0}.get(v) if v[0] in "tf" else int(v, 0) for key, v in re.findall(r"\.(\w+): +(true|false|0x[0-9a-fA-F]+|\d+)$", notes, re.M)}
    want = {**ASSEMBLY, **dict.fromkeys(OTHERS[c.name], 1)}
    case(f"{c.name}, {what}: assembly in the metadata", {k: got.get(k, 0) for k in want} == want, (got, want))


def draw(c, d, elf, layout):
    where = d / "model"
    where.mkdir(exist_ok=True)
    for old in where.iterdir():
        old.unlink()
    places = [(f"target{i if i else ''}", f"target{i}", f"{i}={W}x{H}:{FORMATS[f][1]}:layers={c.layers}") for i, f in c.target.items() if i not in c.without]
    out = [word for place, name, size in places for word in ("--target", size, "--out", f"{place}={where / name}.bin")]
    out += ["--out", f"depth={where}/depth.bin"] if "--depth" in c.run else []
    out += ["--samples", c.samples] if c.samples > 1 else []
    vertices = ("--draw", c.count, "--instances", c.instances[1], "--first-instance", c.instances[0], "--first-vertex", c.first)
    r = run("run", elf, "--layout", layout, *(("--groups", c.groups.replace(" ", ",")) if c.groups else vertices), *out, *c.run)
    return r, pixels(where, c)


def some_views(what, c, d, elf, every):
    """All views but number 1: its layer stays as it was."""
    layout = d / "some.json"
    layout.write_text(json.dumps({"nodes": c.nodes, **c.more, "view_mask": c.more["view_mask"] & ~2}))
    r, got = draw(c, d, elf, layout)
    n = len(every) // c.layers
    want = every[:n] + [0] * n + every[2 * n:]
    case(f"{what}: without one view", r[0] == 0 and got["target0"][1] == want, r)


def one(c, d):
    for stage, text in c.shaders().items():
        (d / f"{c.name}.{stage}").write_text(text)
    path = scene(c, d)
    wants = {}
    for name, device in (("lavapipe", ["--vulkan-device", "lavapipe"]), ("RADV", []), ("RADV 25", [])):
        if name == "RADV 25" and newer is None and name in c.only:
            skip(f"{c.name}: no newer RADV, see --radv")
        elif name in c.only and not c.want:
            where = d / name
            where.mkdir(exist_ok=True)
            r = run("run", path, *device, "--out-dir", where, env=newer if name == "RADV 25" else None)
            wants[name] = r, pixels(where, c)
    ways = [(level, how) for how in (["--relocatable", "--layout"] if c.more else ["--relocatable"]) for level in ("-O2", "-O0")]
    for level, how in ways:
        elf, layout, said = pipeline(c, d, level, how)
        if said:
            case(f"{c.name}, {level} {how}", False, said)
            continue
        if c.formats:
            targets(c, f"{level} {how}", elf)
        if options.cases == "draw_cases" and c.name in OTHERS:
            assembly(c, f"{level} {how}", elf)
        if c.name == "input_attachments":  # the layer that is drawn to, as RADV reads them
            code = subprocess.run(["llvm-objdump-19", "-d", "--mcpu=gfx1100", elf], capture_output=True, text=True, check=False).stdout
            loads = re.findall(r"image_load.*?dim:SQ_RSRC_IMG_(\w+)", code)
            case(f"{c.name}, {level} {how}: of an array", len(loads) == 2 and set(loads) == {"2D_ARRAY"}, loads)
        r, got = draw(c, d, elf, layout)
        if c.name == "views" and "view_mask" in c.more:
            some_views(f"{c.name}, {level} {how}", c, d, elf, got["target0"][1])
        if c.want:
            numbers = got["target0"][1]
            drawn = [i for i in range(len(numbers) // 4) if numbers[4 * i + 3] == 1]
            bad = [(i % W, i // W, numbers[4 * i:4 * i + 4]) for i in drawn if tuple(numbers[4 * i:4 * i + 4]) != c.want(i % W, i // W)]
            case(f"{c.name}, {level} {how}: as computed", r[0] == 0 and len(drawn) > 1000 and not bad, (r, len(drawn), len(bad), bad[:4]))
            continue
        for name, (told, want) in wants.items():
            most = c.lavapipe if name == "lavapipe" else c.radv
            why = "" if r[0] == 0 and told[0] == 0 else f"{r} {told}"
            why = why or compare(got, want, most, c.layers)
            case(f"{c.name}, {level} {how}: as {name}", why == "", why)


try:
    newer = radv.environment(options.radv) if options.radv else None
except radv.Missing as e:
    print(f"# {e}")
    newer = None
with tempfile.TemporaryDirectory() as work:
    for row in share(importlib.import_module(options.cases).CASES):
        if not only or row.name in only:
            one(row, pathlib.Path(work))
end()
