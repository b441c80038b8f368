#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull run --check names the planted bugs of examples/bugs, and says nothing of their right twins.

    bugs.py LULL BUGS kernels|shaders|reaches|options|divisions|indices|corners|reports|adreno

A bug: its file and what it runs on, the check, the kind, the lines (found by a piece of their text) and what else must be
told: which element, which work-item, worked out here. A twin: pieces of text that make the program right. TAP.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

import divided  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shim"))
import arm64_tools  # noqa: E402

lull, bugs, part = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
# Of Vulkan shaders: a sanitized lull starts itself once more under the shim, with drivers that are not sanitized.
drivers = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"

# file: (check, arguments, kind, lines of the sites, words of its sites, twin)
KERNELS = {
    "off_by_one.cl": ("bounds", "--grid 256 --block 64 --arg zeros:1020 --arg iota:256:f32 --arg i32:255", "a buffer is left",
                      ["out[i] ="], ["stores 4 bytes", "(element 255 of 255)", "byte 1020 of out"], [("i <= n", "i < n")]),
    "atomic_end.cl": ("bounds", "--grid 256 --block 64 --arg zeros:64 --arg iota:256:i32", "a buffer is left",
                      ["atomic_inc"], ["atomic", "(element 16 of 16)", "byte 64 of bins"], [(" + 1) / 16", ") / 16")]),
    "local_end.cl": ("bounds", "--grid 256 --block 64 --arg zeros:1024 --arg iota:256:i32 --arg local:256", "local memory is left",
                     ["tile[l + 1]"], ["byte 256 of tile"], [("tile[l + 1]", "tile[(l + 1) % 64]")]),
    # Buffers lie 128 KiB from each other if nobody wants them further apart: the second row would be in "in".
    "pitch.cl": ("bounds", f"--grid 64 --block 64 --arg zeros:256 --arg iota:64:i32 --arg i32:{128 << 8}", "a buffer is left",
                 ["out[i / 32"], ["stores 4 bytes, 0x20", "byte 131072 of out, which has 256 (element 32768 of 64)"], [("* pitch", "* 32")]),
    "missing_barrier.cl": ("race", "--grid 256 --block 128 --arg zeros:1024 --arg iota:256:i32 --arg local:512",
                           "two waves of a workgroup, no barrier between them", ["tile[n - 1 - l]", "tile[l] ="], ["loads 4 bytes at tile", "stores 4 bytes"],
                           [("    out[", f"    {BARRIER}\n    out[")]),
    "wrong_index.cl": ("race", "--grid 1024 --block 64 --arg zeros:4096", "two workgroups of a dispatch, nothing orders them", ["out[p] = i", "out[p] = i"],
                       [f"0x{519:x}", f"0x{519 ^ 64:x}", f"element {519 ^ 64} "], [("p ^= 64", "p ^= 0")]),
    "stride.cl": ("race", "--grid 256 --block 64 --arg zeros:1024 --arg i32:64", "two workgroups of a dispatch, nothing orders them",
                  ["out[y *"] * 2, ["element 63 ", f"0x{63:x}", f"0x{1000:x}"], [("(width - 1)", "width")]),
    "histogram.cl": ("race", "--grid 256 --block 64 --arg zeros:64 --arg iota:256:i32", "two workgroups of a dispatch, nothing orders them",
                     ["bins[b] ="] * 2, ["bins+0x"], [("bins[b] = bins[b] + 1", "atomic_inc(&bins[b])")]),
    "divergent_barrier.cl": ("barrier", "--grid 256 --block 128 --arg zeros:1024 --arg local:512",
                             "work-items of a workgroup go past a barrier that others wait at", [BARRIER], ["waits at the barrier"],
                             [(f"    {BARRIER}", ""), ("    if (l < 16) {", f"    {BARRIER}\n    if (l < 16) {{")]),
    "divide.cl": ("divzero", "--grid 64 --block 64 --arg zeros:256 --arg iota:64:i32 --arg iota:64:i32", "an integer is divided by 0, and the result is used",
                  ["sums[i] /"] * 2, ["divides by 0", "stores what came out"], [("sums[i] / counts[i]", "counts[i] != 0 ? sums[i] / counts[i] : 0")]),
    "mean.cl": ("nan", "--grid 64 --block 64 --arg zeros:256 --arg iota:64:f32 --arg iota:64:f32", "a NaN comes of operands that are none, and is stored",
                ["sums[i] /"] * 2, ["makes a NaN of 0", "stores it"], [("sums[i] / counts[i]", "counts[i] != 0 ? sums[i] / counts[i] : 0")]),
    "unset_slot.cl": ("uninit", "--grid 128 --block 64 --arg zeros:512 --arg iota:128:i32 --arg local:256 --arg i32:120", "what nothing wrote is stored",
                      ["out[i] = tile"] * 2, ["which no work-item had written", "stores it"], [("        tile[l] = in[i];", "        tile[l] = in[i];\n    else\n        tile[l] = 0;")]),
    "overflow.cl": ("overflow", "--grid 64 --block 64 --arg zeros:512 --arg i32:1000000", "a signed integer overflows",
                    ["i * i"], [f"computes {47 * 47} * 1000000, which an int"], [("i * i", "(long)i * i")]),
    "row_end.cl": ("index", "--grid 128 --block 128 --arg zeros:512 --arg iota:128:f32", "an index is outside of its array",
                   ["tile[y][x + 1]"], ["lane 7 takes index 8 of __local float[8]"], [("x + 1", "(x + 1) % 8")]),
    "private_end.cl": ("uninit", "--grid 64 --block 64 --arg zeros:256 --arg iota:64:i32 --arg i32:7", "what nothing wrote is stored",
                       ["sum += terms[k]", "out[i] = sum"], ["nothing wrote|did not write", "stores it"], [("k < 8", "k < n")]),
}
# Optimised, the compiler takes what suits it for such a variable, and nothing is left to be found.
UNOPTIMISED = {
    "unset_variable.cl": ("uninit", "--grid 64 --block 64 --arg zeros:256 --arg iota:64:i32", "a branch depends on what nothing wrote",
                          ["best > 20"] * 2, ["did not write", "lanes on or off"], [("best;", "best = 0;")]),
}
SHADERS = {
    "short_range.comp": ("bounds", "--groups 4 --bind 0.0=zeros:1000", "the range of a descriptor is left", 1,
                         ["stores 4 bytes, 0xfa", "(element 250 of 250)"], [("    values[", "    if (gl_GlobalInvocationID.x < values.length())\n        values[")]),
    "push_bound.comp": ("bounds", "--groups 1 --bind 0.0=zeros:256 --push u32:256", "the range of a descriptor is left", 1,
                        ["atomic", "(element 64 of 64)"], [("i < count", "i < count / 4")]),
    "missing_barrier.comp": ("race", "--groups 2 --bind 0.0=iota:256:u32", "two waves of a workgroup, no barrier between them", 2,
                             ["loads 4 bytes at LDS", "stores 4 bytes"], [("    values[gl_GlobalInvocationID.x] =", "    barrier();\n    values[gl_GlobalInvocationID.x] =")]),
    "wrong_owner.comp": ("race", "--groups 2 --bind 0.0=zeros:1024", "two workgroups of a dispatch, nothing orders them", 2,
                         ["stores 4 bytes, 0x0", "stores 4 bytes, 0x40"], [("values[gl_LocalInvocationID.x]", "values[gl_GlobalInvocationID.x]")]),
    "divergent_barrier.comp": ("barrier", "--groups 2 --bind 0.0=zeros:1024 --push u32:2", "waves of a workgroup come to different numbers of barriers", 1,
                               ["comes to barrier number 4"], [("count + (gl_LocalInvocationIndex < 64 ? 1 : 0)", "count"), ("barrier();\n    }", "}\n    barrier();")]),
}
SHADERS["some_lanes.comp"] = ("barrier", "--groups 2 --bind 0.0=zeros:1024", "work-items of a workgroup go past a barrier that others wait at", 1,
                              ["waits at the barrier"], [("    if (l % 64 < 40) {\n        barrier();", "    barrier();\n    if (l % 64 < 40) {"), ("    tile[l] = 1;\n", "")])
SHADERS["divide.comp"] = ("divzero", "--groups 1 --bind 0.0=iota:64:u32", "an integer is divided by 0, and the result is used", 2,
                          ["divides by 0", "stores what came out"], [("1000 % values[i]", "values[i] != 0 ? 1000 % values[i] : 0")])
SHADERS["unset_slot.comp"] = ("uninit", "--groups 1 --bind 0.0=iota:128:u32 --push u32:120", "what nothing wrote is stored", 2,
                             ["which no work-item had written", "stores it"], [("    if (l < count)", "    tile[l] = 0;\n    if (l < count)")])
SHADERS["normalize.comp"] = ("nan", "--groups 1 --bind 0.0=zeros:1024", "a NaN comes of operands that are none, and is stored", 2,
                             ["makes a NaN of", "inf", "stores it"], [("normalize(v[i].xyz)", "v[i].xyz == vec3(0) ? vec3(0) : normalize(v[i].xyz)")])
SHADERS["row_end.comp"] = ("index", "--groups 2 --bind 0.0=iota:128:f32", "an index is outside of its array", 1,
                           ["lane 7 takes index 8 of tile[], which has 8 elements"], [("x + 1", "(x + 1) % 8")])
# Texel 63 is the last of the first workgroup and the first of the second.
SHADERS["image_row.comp"] = ("race", "--groups 2 --bind 0.0=image:64x4:r32ui --push i32:63", "two workgroups of a dispatch, nothing orders them", 2,
                             ["stores 4 bytes, 0x3f", "stores 4 bytes, 0x40", "of an image, texel (63, 0)"], [("uvec4(gl_GlobalInvocationID.x)", "uvec4(7)")])  # Twice the same value is no race.
# Lines that the driver's code is of, by a piece of their text; of the barriers it may be the other one.
SHADER_LINES = {
    "short_range.comp": ["values["], "push_bound.comp": ["atomicAdd"], "missing_barrier.comp": ["= tile[127 - l]", "tile[l] ="], "wrong_owner.comp": ["values["] * 2,
    "divide.comp": ["1000 %"] * 2, "unset_slot.comp": ["= tile["] * 2, "normalize.comp": ["normalize("] * 2, "image_row.comp": ["imageStore"] * 2,
    "row_end.comp": ["x + 1"],
}
SHADERS_ALL = {"hazards", "barrier", "bounds", "divzero", "index", "lint", "nan", "race", "uninit"}
ALL = SHADERS_ALL - {"lint"} | {"overflow"}


def check(path, args, *more):
    """Exit status, findings by check, standard error."""
    env = drivers if str(path).endswith(".comp") else os.environ
    r = subprocess.run([lull, "run", path, *args.split(), *map(str, more), "--json"], env=env, capture_output=True, text=True,
                       timeout=120)
    lines = [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]
    return r.returncode, {line["check"]: line["findings"] for line in lines if "check" in line}, r.stderr


def line_of(text, piece):
    return next(n for n, line in enumerate(text.splitlines(), 1) if piece in line)


def judge(got, name, kind, words, sites):
    """The finding is there, with that many sites (or those lines), and nothing of another check."""
    status, found, err = got
    of_kind = [f for f in found.get(name, []) if f["kind"] == kind]
    for f in of_kind:
        text = " ".join(f"lane {s.get('lane')} {s['does']}" for s in f["sites"])
        lines = [s.get("line") for s in f["sites"]]
        fits = len(lines) == sites if isinstance(sites, int) else sorted(lines) == sorted(sites)
        if fits and all(any(a in text for a in w.split("|")) for w in words):
            return status == 1
    return False


def with_twin(folder, name, of, twin, ways, lines):
    check_name, args, kind, sites, words, _ = of
    text = (bugs / name).read_text()
    right = text
    for a, b in twin:
        assert a in right, (name, a)
        right = right.replace(a, b)
    fixed = folder / name
    fixed.write_text(right)
    for way in ways:
        want = [line_of(text, s) for s in sites] if lines else sites
        got = check(bugs / name, args, *way, "--check", check_name)
        case(f"{name} {' '.join(map(str, way))}: {kind}", judge(got, check_name, kind, words, want), (want, words, got))
        got = check(fixed, args, *way, "--check", "all")
        case(f"{name} {' '.join(map(str, way))}: the right twin", got[0] == 0 and set(got[1]) == (SHADERS_ALL if name.endswith(".comp") else ALL - {"index"} if "-O0" in way else ALL) and not any(got[1].values()), got)


def kernels(folder):
    for name, of in KERNELS.items():
        ways = [("-O0", "--wave", 32), ("-O2", "--wave", 64)]
        # 16 of 64 lanes are off in the one wave that comes to it; a race needs the source's two waves.
        with_twin(folder, name, of, of[-1], ways, True)
    for name, of in UNOPTIMISED.items():
        with_twin(folder, name, of, of[-1], [("-O0", "--wave", 32), ("--wave", 64)], True)


def shaders(folder):
    for name, pieces in SHADER_LINES.items():
        text = (bugs / name).read_text()
        body = text[text.index("void main"):]
        above = text.count("\n", 0, text.index("void main"))
        want = sorted(above + line_of(body, piece) for piece in pieces)
        got = check(bugs / name, SHADERS[name][1], "--check", SHADERS[name][0])
        sites = [s for f in got[1][SHADERS[name][0]] if f["kind"] == SHADERS[name][2] for s in f["sites"]][:len(pieces)]
        case(f"{name}: lines of the source", sorted(s.get("line", 0) for s in sites) == want and all(s["file"].endswith(name) for s in sites), (want, got))
    for name, of in SHADERS.items():
        with_twin(folder, name, of, of[-1], [("--subgroup-size", 64), ("--subgroup-size", 32)], False)
    few, part = "too few workgroups: the end of a buffer is not written", "too few workgroups: parts of a buffer are not written"
    turned = "push constants look swapped"
    rows, columns = ("uint w, h;", "uint h, w;"), ("uint w, h;", "uvec2 s;")
    # What it runs on; pieces of the shader that are others; the kind; words.
    for args, pieces, kind, words in [
            ("--groups 4,4 4096 32,32", [], None, []), ("--groups 8,2 4096 64,16", [], None, []), ("--groups 8,2 4096 16,64", [rows], None, []),
            ("--groups 4,3 4096 32,32", [], few, ["element 767 of 1024", "all 768 work-items", "w (byte 0) is 32, h (byte 4) is 32"]),
            ("--groups 3,4 4096 32,32", [], part, ["element 1015 of 1024", "all 768 work-items"]),
            ("--groups 3,4 4096 32,32", [columns, ("< w", "< s.x"), ("< h", "< s.y"), ("* w", "* s.x")], part, ["s.x (byte 0) is 32, s.y (byte 4) is 32"]),
            ("--groups 3,4 4096 32,32,0,0", [("uint w, h;", "uint w, h, x, y;")], None, []),
            ("--groups 8,2 4096 16,64", [], turned, ["stores the last of 256 elements that are stored, of 1024", "64 x 16 work-items; w (byte 0) is 16, h (byte 4) is 64"]),
            ("--groups 8,2 3600 15,60", [], turned, ["of 900"])]:
        path = folder / "picture.comp"
        text = (bugs / "picture.comp").read_text()
        for a, b in pieces:
            text = text.replace(a, b)
        path.write_text(text)
        groups, bytes_, push = args.rsplit(" ", 2)
        got = check(path, f"{groups} --bind 0.0=zeros:{bytes_} --push u32:{push}", "--check", "all")
        told = [(f["kind"], f["sites"][0]["does"] + " " + f["text"]) for f in got[1]["lint"]]
        case(f"picture.comp {args} {kind}", got[0] == 0 and [k for k, _ in told] == [k for k in [kind] if k] and all(w in told[0][1] for w in words), got)
    for groups, n, size, kind in [(15, 1000, 4096, few), (15, 1000, 4000, few), (15, 960, 4096, None), (3, 700, 4096, None)]:
        path = folder / "line.comp"
        path.write_text("#version 450\nlayout(local_size_x = 64) in;\nlayout(push_constant) uniform Push { uint n; };\nlayout(set = 0, binding = 0) buffer A { uint a[]; };\n"
                        "void main()\n{\n    if (gl_GlobalInvocationID.x < n)\n        a[gl_GlobalInvocationID.x] = n;\n}\n")
        got = check(path, f"--groups {groups} --bind 0.0=zeros:{size} --push u32:{n} --check all")
        case(f"{groups} workgroups, {n} elements, {size} bytes: {kind}", got[0] == 0 and [f["kind"] for f in got[1]["lint"]] == [k for k in [kind] if k], got)
    path = folder / "halves.comp"
    text = ("#version 450\nlayout(local_size_x = 256) in;\nlayout(push_constant) uniform Push { uint n; };\nlayout(set = 0, binding = 0) buffer A { uint low[]; };\n"
            "layout(set = 0, binding = 1) buffer B { uint high[]; };\nvoid main()\n{\n    uint i = gl_GlobalInvocationID.x;\n    low[i] = i;\n    if (i + 256 < n)\n"
            "        high[i + 256] = i;\n}\n")
    for found in ([], ["too few workgroups: the end of a buffer is not written"]):
        path.write_text(text if not found else text.replace("    if (i + 256 < n)\n        high[i + 256] = i;\n", ""))
        got = check(path, "--groups 1 --bind 0.0=zeros:2048 --bind 0.1=same:0.0 --push u32:512 --check all")
        case(f"the end of a buffer is written {'otherwise' if not found else 'by nobody'}", got[0] == 0 and [f["kind"] for f in got[1]["lint"]] == found, got)


BUFFERS = "layout(set = 0, binding = 0) readonly buffer A { uint a[]; };\nlayout(set = 0, binding = 1) buffer B { uint b[]; };\n"
PUSH = "layout(push_constant) uniform P { uint n; };\n"
ADDRESS = ("#extension GL_EXT_buffer_reference2 : require\nlayout(buffer_reference, std430, buffer_reference_align = 4) buffer To { uint v; };\n"
           "layout(push_constant) uniform P { To p; };\nlayout(set = 0, binding = 1) buffer B { uint b[]; };\n")
ADDRESS_N = ADDRESS.replace("buffer To", "readonly buffer To").replace("To p;", "To p; uint n;")
ADDRESS_3 = ADDRESS_N.replace("uint v;", "uvec3 v;").replace("std430", "scalar").replace("#extension", "#extension GL_EXT_scalar_block_layout : require\n#extension", 1)
SHUFFLE = "#extension GL_KHR_shader_subgroup_shuffle : require\n#extension GL_KHR_shader_subgroup_ballot : require\n" + PUSH + BUFFERS
SHORT, LONG = "--bind 0.0=iota:200:u32", "--bind 0.1=zeros:1024"
USED, BEYOND = "what was loaded outside of the range of a descriptor is used", "an address is outside of all buffers"
LOCAL = "local memory is left"
STORED, OFF = "what nothing wrote is stored", "what a lane that is off gave is stored"
SOME = "uint s = gl_SubgroupInvocationID; if (s < 16) { uint v = a[i] * 3; b[i] = %s; }"
# What is declared, what main() does, arguments, the kind (of subgroups of 32, of 64), words of its sites; and what makes it right.
LANES = {
    "a shuffle from a lane that is off, the same for all": (SHUFFLE, SOME % "subgroupShuffle(v, n)", "u32:20", (OFF, STORED), ["reads the value of lane 20, which is off|nothing wrote", "stores it"], ("u32:20", "u32:15")),
    "a broadcast from one": (SHUFFLE, SOME % "subgroupBroadcast(v, 20)", "u32:0", OFF, ["reads the value of lane 20, which is off", "stores it"], ("v, 20", "v, 5")),
    "a shuffle, each from another": (SHUFFLE, SOME % "subgroupShuffle(v, s + n)", "u32:5", STORED, ["nothing wrote", "lane 11 stores it"], ("s + n", "(s + n) % 16")),
    "a broadcast that is not used": (SHUFFLE, SOME % "n > 4 ? subgroupBroadcast(v, 20) : v", "u32:9", OFF, ["reads the value of lane 20, which is off", "stores it"], ("u32:9", "u32:3")),
}
UNIFORMS = "layout(set = 0, binding = 0) uniform A { uvec4 a[50]; };\nlayout(set = 0, binding = 1) buffer B { uint b[]; };\n"
# What is declared, what main() does, arguments, the kind or None, words of its sites.
REACHES = {
    "a load behind the range, stored": (BUFFERS, "b[i] = a[i] * 2 + 1;", f"{SHORT} {LONG}", USED, ["byte 800 of the range", "which has 800 (element 200 of 200)", "stores what it got"]),
    "branched on": (BUFFERS, "if (a[i] > 100) b[i] = 1;", f"{SHORT} {LONG}", USED, ["byte 800 of the range", "branches on what it got"]),
    "an index": (BUFFERS, "b[a[i] & 255] = 1;", f"{SHORT} {LONG}", USED, ["byte 800 of the range", "takes what it got for an address"]),
    "the same for all lanes": (PUSH + BUFFERS, "b[i] = a[n] + i;", f"{SHORT} {LONG} --push u32:205", USED, ["loads 4 bytes at byte 820 of the range", "stores what it got"]),
    "of a uniform block": (PUSH + UNIFORMS, "b[i] = a[n].x + i;",
                           f"{SHORT} {LONG} --push u32:51", USED, ["at byte 816 of the range", "stores what it got"]),
    "two of a uniform block, summed in some lanes": (PUSH + UNIFORMS, "if (i >= 100 && i < 103) b[i] = a[n].x + a[n + 1].z; else b[i] = a[n - 10].w;", f"{SHORT} {LONG} --push u32:53", USED,
                                                     ["at byte 848 of the range|at byte 872 of the range", "lane 36 stores what it got|lane 4 stores what it got"]),
    "of a uniform block, one that is in range": (PUSH + UNIFORMS, "b[i] = a[n].x + a[n - 1].z + i;", f"{SHORT} {LONG} --push u32:49", None, []),
    "of a uniform block, not chosen": (PUSH + UNIFORMS, "b[i] = n < 50 ? a[n].x : 3;", f"{SHORT} {LONG} --push u32:70", None, []),
    "guarded": (BUFFERS, "uint v = 7; if (i < 200) v = a[i]; uint w = i < 200 ? a[i] : 3; b[i] = v + w;", f"{SHORT} {LONG}", None, []),
    "loaded, but not chosen": (BUFFERS, "uint v = a[i]; b[i] = i < 200 ? v : 3;", f"{SHORT} {LONG}", None, []),
    "loaded, and masked": (BUFFERS, "uint v = a[i]; b[i] = v & (i < 200 ? 255 : 0);", f"{SHORT} {LONG}", None, []),
    "neighbours": (BUFFERS, "uint s = 0; for (int d = -3; d <= 3; d++) if (int(i) + d >= 0 && i + d < a.length()) s += a[int(i) + d]; b[i] = s;", f"{SHORT} {LONG}", None, []),
    "a texel": ("layout(set = 0, binding = 0) uniform usamplerBuffer a;\nlayout(set = 0, binding = 1) buffer B { uint b[]; };\n", "b[i] = texelFetch(a, int(i) - 1).x;",
                f"--bind 0.0=texels:r32ui:iota:200:u32 {LONG}", None, []),
    "more words than are used": ("layout(set = 0, binding = 0) uniform A { ivec3 a; };\nlayout(set = 0, binding = 1) buffer B { int b[]; };\n", "b[i] = a.x + a.y * a.z;",
                                 f"--bind 0.0=iota:3:i32 {LONG}", None, []),
    "a load by an address": (ADDRESS, "b[i] = p[i].v + 1;", f"--buffer in=iota:200:u32 {LONG} --push addr:in", BEYOND, ["loads 4 bytes at byte 1020 of the buffer", "which has 800 bytes"]),
    "a store by an address": (ADDRESS, "p[i].v = b[i];", f"--buffer in=zeros:1000 {LONG} --push addr:in", BEYOND, ["stores 4 bytes at byte 1020 of the buffer", "which has 1000 bytes"]),
    "in front of it": (ADDRESS, "b[i] = p[int(i) - 1].v;", f"--buffer in=iota:256:u32 {LONG} --push addr:in", BEYOND, ["loads 4 bytes 4 bytes in front of the buffer"]),
    "a scalar load by an address": (ADDRESS_N, "b[i] = p[n].v + i;", f"--buffer in=iota:50:u32 {LONG} --push addr:in,u32:60", BEYOND, ["loads 4 bytes at byte 240 of the buffer", "which has 200 bytes"]),
    "scalar loads within, wider than what is used": (ADDRESS_3, "b[i] = p[n].v.x * p[n].v.y + p[n].v.z;", f"--buffer in=iota:51:u32 {LONG} --push addr:in,u32:16", None, []),
    # Of local memory hardware gives out more than these.
    "a store behind what is shared": (BUFFERS + "shared uint tile[64];\n", "tile[gl_LocalInvocationIndex + 1] = i; barrier(); b[i] = tile[63 - gl_LocalInvocationIndex];", f"{LONG} --bind 0.0=zeros:4", LOCAL,
                                      ["lane 63 stores 4 bytes at byte 256 of tile, which has 256|lane 31 stores 4 bytes at byte 256 of tile, which has 256"]),
    "of two variables": (BUFFERS + "shared uint tile[64];\nshared vec3 more[3];\n", "tile[gl_LocalInvocationIndex] = i; more[gl_LocalInvocationIndex % 8] = vec3(i); barrier(); b[i] = tile[63 - gl_LocalInvocationIndex] + uint(more[2].x);",
                         f"{LONG} --bind 0.0=zeros:4", LOCAL, ["of local memory, of which the shader's variables have 292"]),
    "atomically": (BUFFERS + "layout(constant_id = 3) const uint N = 20;\nshared uint bins[N];\n", "if (gl_LocalInvocationIndex < N) bins[gl_LocalInvocationIndex] = 0; barrier(); atomicAdd(bins[gl_LocalInvocationIndex * 36 / 63], i); barrier(); b[i] = bins[i % N];",
                   f"{LONG} --bind 0.0=zeros:4 --spec 3=36", LOCAL, ["lane 63 atomically changes 4 bytes at byte 144 of bins, which has 144|lane 31 atomically changes 4 bytes at byte 144 of bins, which has 144"]),
    "all that is shared, of several types": (BUFFERS + "struct S { bool b; vec3 v; mat3 m; };\nshared uint tile[64];\nshared S s[3];\nshared bool e[5];\n",
                                             "uint l = gl_LocalInvocationIndex; tile[l] = i; if (l < 3) { s[l].b = i > 1; s[l].v = vec3(l); s[l].m = mat3(l); } if (l < 5) e[l] = i > 1; barrier(); "
                                             "b[i] = tile[63 - l] + uint(s[l % 3].m[1][1] + s[l % 3].v.z) + (e[l % 5] || s[l % 3].b ? 1 : 0);", f"{LONG} --bind 0.0=zeros:4", None, []),
    "addresses within": (ADDRESS, "b[i] = p[i].v + (i > 0 ? p[int(i) - 1].v : 0);", f"--buffer in=iota:256:u32 {LONG} --push addr:in", None, []),
}


def reaches(folder):
    """Loads behind a descriptor's range, which compilers do, too, are told where what they give is used; addresses where they are in no buffer."""
    path = folder / "reach.comp"
    for name, (head, body, args, kind, words) in REACHES.items():
        path.write_text(f"#version 450\n{head}layout(local_size_x = 64) in;\nvoid main()\n{{\n    uint i = gl_GlobalInvocationID.x;\n    {body}\n}}\n")
        for size in (32, 64):
            got = check(path, f"--groups 4 {args}", "--subgroup-size", size, "--check", "bounds" if kind else "all")
            right = judge(got, "bounds", kind, words, 2 if kind == USED else 1) if kind else got[0] == 0 and "bounds" in got[1] and not any(got[1].values())
            case(f"{name}, subgroups of {size}", right, (words, got))


MIXED_HEAD = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32ui) uniform %s uimage2D im;
layout(set = 0, binding = 1) %s buffer B { uint x[64]; uint sums[4]; };
shared bool last;
void main()
{
    uint g = gl_WorkGroupID.x, l = gl_LocalInvocationIndex;
    bool first = l == 0;
"""
# Atomic operations and plain stores at one place: name: the statements, what the two sites do, or None: right; qualifiers.
MIXED = {
    "a texel: atomic twice, then a store": ("if (g == 0 && first) { imageAtomicAdd(im, ivec2(3, 2), 1); imageAtomicAdd(im, ivec2(3, 2), 5); }\n"
                                            "    if (g == 1 && l == 1) imageStore(im, ivec2(3, 2), uvec4(7));", "atomically stores", ""),
    "a texel: a store, then atomic": ("if (g == 1 && l == 1) imageStore(im, ivec2(3, 2), uvec4(7));\n    if (g == 2 && first) imageAtomicMax(im, ivec2(3, 2), 5);", "stores atomically", ""),
    "a dword: atomic twice, then a store": ("if (g == 0 && first) { atomicAdd(x[3], 1); atomicAdd(x[3], 5); }\n    if (g == 1 && l == 1) x[3] = 7;", "atomically stores", ""),
    "a dword: a store, then atomic": ("if (g == 1 && l == 1) x[3] = 7;\n    if (g == 2 && first) atomicAdd(x[3], 1);", "stores atomically", ""),
    "a sum that the first workgroup sets to 0": ("if (g == 0 && l == 1) x[3] = 0;\n    barrier();\n    if (first) { atomicAdd(x[3], 1); atomicAdd(x[3], 1); }", "stores atomically", ""),
    "a store without atomics": ("if (g == 0 && first) x[3] = 1;\n    if (g == 1 && l == 1) x[3] = 7;", "stores stores", ""),
    "all atomic": ("if (g == 0 && first) { atomicAdd(x[3], 1); imageAtomicAdd(im, ivec2(3, 2), 1); }\n    if (g == 1 && l == 1) { atomicExchange(x[3], 7); imageAtomicExchange(im, ivec2(3, 2), 7); }",
                   None, ""),
    "one workgroup, a barrier": ("if (l == 40) { x[g] = 7; imageStore(im, ivec2(g, 2), uvec4(7)); }\n    memoryBarrier();\n    barrier();\n"
                                 "    if (first) { atomicAdd(x[g], 1); imageAtomicAdd(im, ivec2(g, 2), 1); }\n    memoryBarrier();\n    barrier();\n    if (l == 1) x[g] = 8;", None, ""),
    "the last workgroup sets the counter to 0": ("if (first) sums[g] = g;\n    memoryBarrierBuffer();\n    barrier();\n    if (first) last = atomicAdd(x[0], 1) == 2;\n    barrier();\n"
                                                 "    if (last && l == 1) x[0] = 0;", None, ""),
    "coherent: a lock that a store frees": ("if (first) { while (atomicCompSwap(x[0], 0, 1) != 0) {}\n        x[0] = 0; }", None, "coherent"),
}


def mixed(folder, sizes, rows, *way):
    path = folder / "mixed.comp"
    for name, (body, does, qualifier) in list(MIXED.items())[::rows]:
        path.write_text(MIXED_HEAD % (qualifier, qualifier) + f"    {body}\n}}\n")
        for size in sizes:
            got = check(path, "--groups 3 --bind 0.0=image:8x4:r32ui --bind 0.1=zeros:272", *way, "--subgroup-size", size, "--check", "race")
            told = [" ".join(s["does"].split()[0] for s in f["sites"]) for f in got[1].get("race", [])]
            case(f"{name}, subgroups of {size} {' '.join(way)}", got[0] == bool(does) and bool(told) == bool(does) and set(told) <= {does}, got)


def lanes(folder):
    """A lane that is off has no value to give: where what it gives is used, that is told."""
    path = folder / "lanes.comp"
    for name, (head, body, push, kind, words, (wrong, instead)) in LANES.items():
        assert wrong in body or wrong == push, name
        for right in (False, True):
            text, given = (body.replace(wrong, instead), push.replace(wrong, instead)) if right else (body, push)
            path.write_text(f"#version 450\n{head}layout(local_size_x = 64) in;\nvoid main()\n{{\n    uint i = gl_GlobalInvocationID.x;\n    {text}\n}}\n")
            for size in (32, 64):
                got = check(path, f"--groups 2 --bind 0.0=iota:128:u32 --bind 0.1=zeros:512 --push {given}", "--subgroup-size", size, "--check", "all" if right else "uninit")
                case(f"{name}, subgroups of {size}{': the right twin' if right else ''}", got[0] == 0 and not any(got[1].values()) if right else judge(got, "uninit", kind if isinstance(kind, str) else kind[size == 64], words, 2), got)


# Of a wave of 128 fibers, the upper half: local size, what main() does, arguments, check, words of the sites.
UPPER = {
    "a store outside of the range": ("values[i] = i;", "0.0=zeros:400", "bounds", ["lane 100 stores 4 bytes, 0x64, at byte 400 of the range of descriptor 0 of base 0, which has 400 (element 100 of 100)"]),
    "a load outside of it, used": ("uint v = values[i]; if (v > 1000) values[0] = v;", "0.0=zeros:400", "bounds", ["lane 100 loads 4 bytes at byte 400", "lane 100 branches on what it got"]),
    "two workgroups store": ("if (l >= 100) values[l] = i;", "0.0=zeros:512", "race", ["lane 100 stores 4 bytes, 0x64,", "lane 100 stores 4 bytes, 0xe4,"]),
    "shared memory is left, of which Turnip takes 2 KiB": ("tile[l * 8] = i; values[i] = tile[l * 8];", "0.0=zeros:1024", "bounds", ["lane 64 stores 4 bytes, 0x40, at byte 2048 of local memory, which has 2048"]),
    "a store behind what is shared, within what Turnip takes": ("tile[l >> 1] = 0; tile[l >> 2 | 32] = 1; if (l == 0) tile[values[0] + 64] = 9; values[i] = tile[0];", "0.0=zeros:1024", "bounds", ["lane 0 stores 4 bytes at byte 256 of tile, which has 256"]),
    "two lanes store": ("values[i == 127 ? 1 : i] = i;", "0.0=zeros:1024", "race", ["lane 1 stores 4 bytes, 0x1,", "lane 127 stores 4 bytes, 0x7f,"]),
    "some lanes come to a barrier": ("if (l < 70) barrier(); values[i] = l;", "0.0=zeros:1024", "barrier", ["lane 0 waits at the barrier"]),
    "what the next workgroup stored": ("values[i] = i; other[i] = values[(i + 128) & 255];", "0.0=zeros:1024 --bind 0.1=zeros:1024", "race", ["lane 0 loads 4 bytes", "lane 0 stores 4 bytes, 0x80,"]),
}


def adreno(folder):
    """The same on a model of Qualcomm's a660, under Turnip."""
    for name in ("short_range.comp", "push_bound.comp", "missing_barrier.comp", "wrong_owner.comp", "divergent_barrier.comp", "some_lanes.comp", "image_row.comp"):
        with_twin(folder, name, SHADERS[name], SHADERS[name][-1], [("--gpu", "a660", "--subgroup-size", 64)], False)
    path = folder / "adreno.comp"
    head = "#version 450\nlayout(local_size_x = 128) in;\nlayout(set = 0, binding = 0) %s buffer A { uint values[]; };\n"
    second = "layout(set = 0, binding = 1) buffer B { uint other[]; };\n"
    main = "void main()\n{\n    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;\n    %s\n}\n"
    for name, (body, bind, which, words) in UPPER.items():
        path.write_text(head % "" + (second if "other" in body else "") + ("shared uint tile[64];\n" if "tile" in body else "") + main % body)
        args = f"--groups 2 --bind {bind} --gpu a660 --subgroup-size 128 --check {which}"
        got = check(path, args)
        texts = [" ".join(f"lane {s.get('lane')} {s['does']}" for s in f["sites"]) for f in got[1].get(which, [])]
        case(f"waves of 128: {name}", got[0] == 1 and len([t for t in texts if all(w in t for w in words)]) == 1, got)
    path.write_text(head % "coherent" + second + main % UPPER["what the next workgroup stored"][0])
    got = check(path, f"--groups 2 --bind {UPPER['what the next workgroup stored'][1]} --gpu a660 --check race")
    case("coherent: it may be ordered by what code does not show", got[0] == 0 and got[1] == {"race": []}, got)
    uniforms = [name for name in REACHES if "uniform block" in name]  # Turnip loads them in its preamble, once for all waves.
    for name in (*uniforms, "a load behind the range, stored", "loaded, but not chosen", "loaded, and masked", "a store by an address", "addresses within"):
        decl, body, args, kind, words = REACHES[name]
        path.write_text(f"#version 450\n{decl}layout(local_size_x = 64) in;\nvoid main()\n{{\n    uint i = gl_GlobalInvocationID.x;\n    {body}\n}}\n")
        got = check(path, f"--groups 4 {args} --gpu a660 --check", "bounds" if kind else "all")
        right = judge(got, "bounds", kind, words, 2 if kind == USED else 1) if kind else got[0] == 0 and "bounds" in got[1] and not any(got[1].values())
        case(name, right, (words, got))

    mixed(folder, (64,), 4, "--gpu", "a660")
    for name in ("a broadcast from one", "a shuffle, each from another"):
        decl, body, push, _, _, (wrong, instead) = LANES[name]
        for right in (False, True):
            path.write_text(f"#version 450\n{decl}layout(local_size_x = 64) in;\nvoid main()\n{{\n    uint i = gl_GlobalInvocationID.x;\n    {body.replace(wrong, instead) if right else body}\n}}\n")
            got = check(path, f"--groups 2 --bind 0.0=iota:128:u32 --bind 0.1=zeros:512 --push {push} --gpu a660 --check uninit")
            case(f"{name}{': the right twin' if right else ''}", got[0] == 0 and not any(got[1].values()) if right else judge(got, "uninit", STORED, ["which nothing wrote", "stores it"], 2), got)
    indices(folder, ("--gpu", "a660"), ("private", "specialized"))
    divided.wide_divisions(check, folder, dict(list(divided.WIDE.items())[1:7:2]), {"uint64_t": ("--gpu", "a660"), "i64vec3": ("--gpu", "a660")})


INDEX_HEAD = """#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint N = 6;
struct Part { uint rows[4][8]; };
layout(set = 0, binding = 0) buffer Out { uint o[]; };
layout(set = 0, binding = 1) buffer Parts { Part s[2]; uint16_t small[3]; uint rest[]; } b;
layout(set = 0, binding = 2) uniform Given { uvec4 u[2]; } given[2];
layout(push_constant) uniform Push { uint n; uint t[3]; };
shared uint tile[16];
shared mat3x2 m;
shared uint specced[N];
uint third(uint a[3]) { return a[n]; }
void set(inout uint v) { v += 1; }
void main()
{
    uint i = gl_LocalInvocationIndex, r = 0;
    uint own[5] = uint[5](i, 1, 2, 3, 4);
    uvec3 v = uvec3(i, 1, 2);
    tile[i & 15] = 1;
    m = mat3x2(1);
    specced[i % N] = 2;
    barrier();
"""
# What main() does, n, and what is told, of work-item: by what GLSL says of each length, worked out here.
INDICES = {
    "private": ("r = own[n];", 5, "array", 0, "index 5 of own, which has 5 elements"),
    "private, stored": ("own[i % 4 + n] = 3; r = own[1];", 2, "array", 3, "index 5 of own, which has 5 elements"),
    "shared": ("r = tile[i % 8 + n];", 9, "array", 7, "index 16 of tile, which has 16 elements"),
    "below": ("r = tile[int(i) - int(n)];", 1, "array", 0, "index -1 of tile"),
    "an atomic": ("atomicAdd(tile[n], 1);", 16, "array", 0, "index 16 of tile"),
    "inner, of a buffer": ("r = b.s[i & 1].rows[n & 3][n];", 8, "array, in a buffer", 0, "index 8 of b.s[].rows[], which has 8 elements"),
    "outer, of a buffer": ("b.s[n].rows[1][2] = i;", 2, "array, in a buffer", 0, "index 2 of b.s, which has 2 elements"),
    "of 16 bits": ("r = b.small[n];", 3, "array, in a buffer", 0, "index 3 of b.small, which has 3 elements"),
    "push constants": ("r = t[n];", 3, "array, in a buffer", 0, "index 3 of Push.t, which has 3 elements"),
    "uniform block": ("r = given[1].u[n].y;", 2, "array, in a buffer", 0, "index 2 of given[1].u, which has 2 elements"),
    "descriptors": ("r = given[n].u[0].y;", 2, "array", 0, "index 2 of given, which has 2 elements"),
    "a component": ("r = v[n];", 3, "vector", 0, "component 3 of v, which has 3 components"),
    "a component, stored": ("v[i % 3 + n] = 1; r = v.x;", 1, "vector", 2, "component 3 of v, which has 3 components"),
    "a column": ("r = uint(m[n].x);", 3, "matrix", 0, "column 3 of m, which has 3 columns"),
    "a row": ("r = uint(m[n & 1][n]);", 2, "vector", 0, "component 2 of m[], which has 2 components"),
    "specialized": ("r = specced[n];", 4, "array", 0, "index 4 of specced, which has 4 elements"),
    "a parameter": ("r = third(uint[3](1, 2, 3));", 3, "array", 0, "index 3 of a, which has 3 elements"),
    "an inout argument": ("set(own[n]); r = own[0];", 6, "array", 0, "index 6 of own, which has 5 elements"),
    "a byte with a sign": ("r = tile[int8_t(n)];", 255, "array", 0, "index -1 of tile"),
    "chosen": ("r = mix(own[n], 7u, n < 5);", 6, "array", 0, "index 6 of own"),
    "chosen, component by component": ("uvec4 w = uvec4(own[n]); r = mix(uvec4(7), given[0].u[n], lessThan(uvec4(1, 2, 3, 4), uvec4(3))).x;", 2, "array, in a buffer", 0, "index 2 of given[0].u"),
    "in a loop, unrolled": ("for (uint k = 0; k < 6; k++)\n        r += own[k];", 0, "array", 0, "index 5 of own"),
}
# Where nothing is to be told: the last ones, what has no length, what is not executed.
INDICES_RIGHT = {
    "the last": ("own[n] = tile[n * 3 + 3] + b.s[n - 3].rows[n - 1][n + 3] + t[n - 2] + v[n - 2] + given[n - 3].u[n - 3].x + specced[n - 1]; r = own[4] + uint(m[n - 2][n - 3]);", 4),
    "without a length": ("r = b.rest[n];", 9),
    "not chosen": ("r = mix(7u, own[n], n < 5) + mix(tile[n], i, n > 15) + mix(uvec2(1), uvec2(own[4]), lessThan(uvec2(n), uvec2(5))).x;", 20),
    "not executed": ("if (n < 5)\n        r = own[n];\n    r += n < 16 ? tile[n] : 7;\n    for (uint k = n; k < 5; k++)\n        r += own[k];", 20),
}


def indices(folder, more, chosen=None):
    """Of the shaders above: what is told, and what the bytes are that come out where nothing is."""
    path = folder / "index.comp"
    args = "--bind 0.0=zeros:256 --bind 0.1=zeros:400 --bind 0.2[0]=iota:8:u32 --bind 0.2[1]=iota:8:u32 --spec 3=4 --groups 1"
    for name, (body, n, of, lane, text) in INDICES.items():
        if chosen and name not in chosen:
            continue
        path.write_text(INDEX_HEAD + f"    {body}\n    o[i] = r;\n}}\n")
        line = next(k for k, t in enumerate(path.read_text().splitlines(), 1) if (body.splitlines()[-1] if name != "a parameter" else "return a[n]") in t)
        got = check(path, f"{args} --push u32:{n},u32:1,u32:2,u32:3", *more, "--check", "index")
        sites = [s for f in got[1].get("index", []) for s in f["sites"] if f["kind"] == f"an index is outside of its {of}"]
        right = got[0] == 1 and len(got[1]["index"]) == len(sites) == 1 and f"takes {text}" in sites[0]["does"] and (sites[0]["lane"], sites[0].get("line")) == (lane, line)
        case(f"{' '.join(map(str, more))} {name}", right, (line, text, got))
    path.write_text(INDEX_HEAD + "    own[(i & 3) + n] = i;\n    o[i] = own[0];\n}\n")  # Lanes store different marks to one place.
    got = check(path, f"{args} --push u32:5,u32:1,u32:2,u32:3", *more, "--check", "all")
    case(f"{' '.join(map(str, more))}: nobody else sees the marks", got[0] == 1 and {c: len(f) for c, f in got[1].items() if f and c != "uninit"} == {"index": 1}, got)
    for name, (body, n) in list(INDICES_RIGHT.items())[:2 if "--gpu" in more else None]:
        path.write_text(INDEX_HEAD + f"    {body}\n    o[i] = r;\n}}\n")
        got = check(path, f"{args} --push u32:{n},u32:1,u32:2,u32:3", *more, "--check", "index")
        case(f"{' '.join(map(str, more))} {name}: nothing", got[0] == 0 and got[1] == {"index": []}, got)


def early(folder):
    """Who returns in front of a barrier gets a warning: the exit status says so only if the check was named."""
    path = folder / "early.cl"
    path.write_text("kernel void k(global int *out, local int *t) {\n"
                    "    int l = get_local_id(0);\n    if (l >= 40)\n        return;\n    t[l] = l;\n"
                    "    barrier(1);\n    out[get_global_id(0)] = t[39 - l];\n}\n")
    args = "--grid 64 --block 64 --arg zeros:256 --arg local:256"
    for checks, status in (("barrier", 1), ("all", 0)):
        got = check(path, args, "--wave", 32, "--check", checks)
        found = got[1]["barrier"]
        case(f"returned early, --check {checks}", got[0] == status and [f["warning"] for f in found] == [True] and "40-63" in found[0]["text"] and
             found[0]["sites"][0]["line"] == 6, got)


def ended(folder):
    """A work-item that index has ended comes to no barrier, and stores nothing that others load: neither is told. Without such an end, they are."""
    path = folder / "ended.cl"
    path.write_text("kernel void k(global int *out, local int *t, global const int *at) {\n"
                    "    int l = get_local_id(0), a[8];\n    for (int i = 0; i < 8; i++)\n        a[i] = i * l;\n"
                    "    t[l] = a[at[l]];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (at[0] > 100 || l < 40)\n        out[get_global_id(0)] = t[63 - l];\n}\n")
    for wave in (32, 64):
        args = f"--grid 64 --block 64 --arg zeros:256 --arg local:256 --arg iota:64:i32 -O2 --wave {wave} --check"
        got = check(path, args, "index,barrier,uninit")
        case(f"ended by index, --wave {wave}: nothing but that", got[0] == 1 and [len(got[1][c]) for c in ("index", "barrier", "uninit")] == [1, 0, 0] and
             "takes index 8 of __private int[8]" in got[1]["index"][0]["sites"][0]["does"], got)
    path.write_text(path.read_text().replace("a[at[l]];", "a[l & 7];").replace("    barrier", "    if (l >= 48) return;\n    barrier"))
    got = check(path, args, "index,barrier,uninit")
    case("returned: a barrier is told", got[0] == 1 and [len(got[1][c]) for c in ("index", "barrier")] == [0, 1], got)


def last_member(folder):
    """An array at the end of a structure has its own length, and a kernel all of whose ways end at its index does not go on in the kernel behind it, which never ends."""
    path = folder / "last_member.cl"
    path.write_text("typedef struct { char tag; short n; float v[3]; } S;\n"
                    "kernel void k(global S *s, global float *out) {\n    int i = get_global_id(0);\n    float sum = 0;\n"
                    "    for (int j = 0; j <= 3; j++)\n        sum += s[i].v[j];\n    out[i] = sum / s[i].n;\n}\n"
                    "kernel void other(global volatile int *out) { for (;;) out[0]++; }\n")
    args = "--grid 64 --block 64 --kernel k --arg iota:256:i32 --arg zeros:256 --check index"
    for level in ("-O0", "-O2"):
        got = check(path, args, level)
        case(f"the last member of a structure, {level}", got[0] == 1 and not got[2] and
             [(s["line"], "takes index 3 of __global float[3]" in s["does"]) for f in got[1]["index"] for s in f["sites"]] == [(6, True)], got)
    path.write_text(path.read_text().replace("<= 3", "< 3"))
    got = check(path, args, "-O2")
    case("the last member of a structure: the right twin", got == (0, {"index": []}, ""), got)
    path.write_text(path.read_text().replace("v[3]", "v[1]"))
    got = check(path, args, "-O2")
    case("an array of 1 at the end stands for any length", got == (0, {"index": []}, ""), got)


# What a work-item takes through a pointer into a variable: the kernel's text, what makes it right, and what is said, at the line with "here".
POINTERS = {
    "private, in a function": ("int last(int *a, int n) { for (int i = 0; i < n; i++)\n    a[i] = n - i; // here\n    return a[0]; }\n"
                               "kernel void k(global int *out, int n) { int own[6]; out[get_global_id(0)] = last(own, n + 1); }\n", ("n + 1", "n"), "index 6 of own, int[6]"),
    "private, below": ("kernel void k(global int *out, int n) { short own[8]; short *p = own; for (int i = 0; i < 8; i++) own[i] = i;\n"
                       "    p += n - 7;\n    out[get_global_id(0)] = *p; } // here\n", ("n - 7", "n - 6"), "index -1 of own, short[8]"),
    "local, in a function": ("void put(local float *t, int l, int n) {\n    t[l * n / 6] = l; // here\n}\n"
                             "kernel void k(global float *out, int n) { local float tile[64]; int l = get_local_id(0); put(tile + 1, l, n);\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = tile[max(63 - l, 1)]; }\n", ("l * n / 6", "min(l * n / 6, 62)"), "index 64 of tile, float[64]"),
    "constant": ("constant int table[4] = {1, 2, 3, 4};\nint get(constant int *p, int n) {\n    return p[n / 2 + 1]; // here\n}\n"
                 "kernel void k(global int *out, int n) { out[get_global_id(0)] = get(table, n); }\n", (" + 1", ""), "index 4 of table, int[4]"),
    "one number": ("void two(int *p, int n) {\n    p[n / 6] = n; // here\n}\nkernel void k(global int *out, int n) { int x = 0; two(&x, n); out[get_global_id(0)] = x; }\n", ("n / 6", "n / 7"), "index 1 of x, int[1]"),
    "vectors": ("void add(float4 *p, int n) {\n    p[n - 2] += n; // here\n}\nkernel void k(global float4 *out, int n) { float4 v[4]; for (int i = 0; i < 4; i++) v[i] = i; add(v, n); out[get_global_id(0)] = v[3]; }\n",
                ("n - 2", "n - 3"), "index 4 of v, float4[4]"),
    "one of two": ("kernel void k(global int *out, int n) { int a[4] = {1, 2, 3, 4}, b[8] = {5}; int *p = out[get_global_id(0)] == 0 ? a : b;\n"
                   "    out[get_global_id(0)] = p[n]; } // here\n", ("p[n]", "p[n / 2]"), "index 6 of what it points into"),
}


def through_pointers(folder):
    """Accesses through pointers into variables of the kernel, of which the array is named elsewhere. The last has eight elements in one of two."""
    path = folder / "through.cl"
    for name, (text, (wrong, right), words) in POINTERS.items():
        args, more = "--grid 64 --block 64 --arg zeros:1024 --arg i32:6", ("-O2", "--check", "index,uninit,bounds")
        path.write_text(text)
        got = check(path, args, *more)
        sites = [(s["line"], words in s["does"]) for f in got[1].get("index", []) for s in f["sites"]]
        case(f"through a pointer, {name}", got[0] == 1 and sites == [(line_of(text, "// here"), True)], (sites, got))
        assert wrong in text
        path.write_text(text.replace(wrong, right))
        got = check(path, args, *more)
        case(f"through a pointer, {name}: the right twin", got[0] == 0 and not any(got[1].values()) and got[2] == "", got)


def rounds(folder):
    """What one instruction does in several rounds: a barrier between two of them orders them, whichever bytes of a dword each goes to. And a wave that ends
    while others wait is in front of what they do then."""
    path = folder / "rounds.cl"
    for name, byte, found in (("the byte of the round before", "(r + 3) % 4", 0), ("the byte of the round", "r", 1)):
        path.write_text("kernel void k(global uchar *out, local uchar *t, int n) {\n"
                        "    int l = get_local_id(0), sum = 0;\n"
                        "    __attribute__((opencl_unroll_hint(1))) for (int r = 0; r < n; r++) {\n"
                        "        if (l < 32)\n            sum += t[4 * l + r % 4];\n"
                        f"        else if (r > 0)\n            t[4 * (l - 32) + ({byte}) % 4] = r + 1;\n"
                        "        barrier(CLK_LOCAL_MEM_FENCE);\n    }\n    out[get_global_id(0)] = sum;\n}\n")
        got = check(path, "--grid 64 --block 64 --arg zeros:64 --arg local:128 --arg i32:4", "-O2", "--wave", 32, "--check", "race")
        case(f"rounds: {name}", len(got[1]["race"]) == found, got)
    path.write_text("kernel void k(global int *out, local int *t) {\n"
                    "    int l = get_local_id(0);\n"
                    "    if (l >= 32) {\n        t[l] = l;\n        return;\n    }\n"
                    "    barrier(CLK_LOCAL_MEM_FENCE);\n    out[get_global_id(0)] = t[63 - l];\n}\n")
    got = check(path, "--grid 64 --block 64 --arg zeros:256 --arg local:256", "--wave", 32, "--check", "race")
    case("a wave that ends while the other waits", got[1]["race"] == [], got)


def corners(folder):
    """Ways of values through a kernel that the bugs above do not take. A row: the check, options, arguments, the kind, words of its sites, the text, and what makes it right."""
    rows = {
        "a variable in a frame with others, set in a branch": (
            "uninit", ["-O0"], "zeros:256 iota:64:i32", "a branch depends on what nothing wrote", ["did not write", "lanes on or off"],
            "kernel void k(global int *out, global const int *in)\n{\n    int best, terms[16];\n    int i = get_global_id(0);\n"
            "    for (int j = 0; j < 16; j++)\n        terms[j] = in[i] + j;\n    if (in[i] > 30)\n        best = terms[3];\n"
            "    if (best > 20)\n        out[i] = terms[in[i] & 15];\n}\n", ("best,", "best = 0,")),
        "a NaN of 16 bits": (
            "nan", ["-O2"], "zeros:256 iota:64:f32", "a NaN comes of operands that are none, and is stored", ["makes a NaN of", "stores it"],
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global half *out, global const float *in)\n{\n"
            "    half a = (half)in[get_global_id(0)] * (half)60000 * (half)60000;\n    out[get_global_id(0)] = a - a;\n}\n", ("(half)60000 * (half)60000", "(half)2")),
        "a half that an instruction on floats reads": (
            "nan", ["-O2"], "zeros:256 iota:64:f32", "a NaN comes of operands that are none, and is stored", ["makes a NaN of inf, 2 and ", "stores it"],
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global float *out, global const float *in)\n{\n    int i = get_global_id(0);\n"
            "    half h = (half)in[i] * (half)60000 * (half)60000;\n    out[i] = fma((float)h, 2.0f, -(in[i] * 3e38f * 3e38f));\n}\n", ("(half)60000 * (half)60000", "(half)2")),
        "the upper of two halves that it reads": (
            "nan", ["-O2"], "zeros:256 iota:64:i32", "a NaN comes of operands that are none, and is stored", ["makes a NaN of inf, 2 and ", "stores it"],
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global float *out, global const int *in)\n{\n    int i = get_global_id(0);\n"
            "    float big = (float)in[i] * 3e38f * 3e38f;\n    half2 h = as_half2((uint)in[i] | 0x7c000000u) * (half2)(in[i] + 1);\n"
            "    out[i] = fma((float)h.y, 2.0f, -big) + fma((float)h.x, 2.0f, 1.0f);\n}\n", ("0x7c000000u", "0x3c000000u")),
        "a NaN that waits in scratch memory": (
            "nan", ["-O0"], "zeros:256 zeros:256", "a NaN comes of operands that are none, and is stored", ["makes a NaN of 0", "stores it"],
            "kernel void k(global float *out, global const float *in)\n{\n    float means[4];\n    int i = get_global_id(0);\n"
            "    for (int j = 0; j < 4; j++)\n        means[j] = in[i] / in[i];\n    out[i] = means[i & 3];\n}\n", ("/ in[i]", "+ in[i]")),
        "the upper half of a NaN of 64 bits": (
            "nan", ["-O2"], "zeros:256 zeros:512", "a NaN comes of operands that are none, and is stored", ["makes a NaN of 0", "stores it"],
            "kernel void k(global uint *out, global const double *in)\n{\n    int i = get_global_id(0);\n"
            "    out[i] = as_uint2(in[i] / in[i]).y;\n}\n", ("/ in[i]", "+ in[i]")),
        "two waves have read what the second writes": (
            "race", ["-O2"], "zeros:256 iota:64:i32 local:4", "two waves of a workgroup, no barrier between them", ["loads 4 bytes at tile", "stores 4 bytes, 0x7"],
            "kernel void k(global int *out, global const int *in, local int *tile)\n{\n    int l = get_local_id(0);\n    if (l == 0)\n"
            "        tile[0] = in[5];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    out[l] = tile[0];\n    if (l == 63)\n        tile[0] = 7;\n"
            "    barrier(CLK_LOCAL_MEM_FENCE);\n    out[l] += tile[0];\n}\n", ("    if (l == 63)", "    barrier(CLK_LOCAL_MEM_FENCE);\n    if (l == 63)")),
        "two lanes of one instruction store to one place": (
            "race", ["-O2"], "zeros:256", "two lanes of one instruction store different values to one place", ["stores 4 bytes, 0x0", "stores 4 bytes, 0x1,"],
            "kernel void k(global int *out)\n{\n    int l = get_local_id(0);\n    out[l / 2] = l;\n}\n", ("l / 2", "l")),
        "a lane of a whole wave that stores, each a dword": (
            "race", ["-O2"], "zeros:256 zeros:256", "two waves of a workgroup, no barrier between them", [f"lane 21 stores 4 bytes, 0x{3 * 21:x}, at all", "loads 4 bytes at all"],
            "kernel void k(global int *out, global int *all)\n{\n    int l = get_local_id(0);\n    if (l < 32)\n        all[l] = 3 * l;\n"
            "    else if (l == 40)\n        out[0] = all[(l & 21) + 21];\n}\n", ("(l & 21) + 21", "(l & 21) + 32")),
        "a lane of a whole wave that loads, each a dword": (
            "race", ["-O2"], "zeros:256 zeros:256", "two waves of a workgroup, no barrier between them", ["lane 21 loads 4 bytes at all", "lane 8 stores 4 bytes, 0x7"],
            "kernel void k(global int *out, global int *all)\n{\n    int l = get_local_id(0);\n    if (l < 32)\n        out[l] = all[l];\n"
            "    else if (l == 40)\n        all[21] = 7;\n}\n", ("[21]", "[32]")),
        "spilled, stored and loaded at one place": (
            "uninit", ["-O0"], "zeros:256 iota:64:i32", "what nothing wrote is stored", ["did not write|nothing wrote", "stores it"],
            "kernel void k(global int *out, global const int *in)\n{\n    int i = get_global_id(0), a, b;\n    if (i & 1)\n        a = in[i];\n    b = a;\n    out[i] = b;\n}\n",
            ("        a = in[i];", "        a = in[i];\n    else\n        a = 2;")),
        "one byte of a dword": (
            "race", ["-O2"], "zeros:256 local:64", "two waves of a workgroup, no barrier between them", ["stores 1 byte, ", "loads 1 byte at tile"],
            "kernel void k(global int *out, local uchar *tile)\n{\n    int l = get_local_id(0);\n    if (l < 32)\n        tile[2 * l] = l;\n"
            "    else\n        out[l] = tile[2 * (l - 32)];\n}\n", ("[2 * (l - 32)]", "[2 * (l - 32) + 1]")),
        "halves of dwords, by the same lanes several times": (
            "race", ["-O2"], "zeros:256 local:128", "two lanes of one instruction store different values to one place", ["stores 2 bytes, 0x0, at tile+0x2", "stores 2 bytes, 0x101, at tile+0x2"],
            "kernel void k(global int *out, local volatile ushort *tile)\n{\n    int l = get_local_id(0);\n    if (l < 32) {\n"
            "        for (int j = 0; j < out[63] + 3; j++)\n            tile[l | 1] = l * 257 + j;\n        out[l] = tile[l];\n    }\n}\n", ("l | 1", "l")),
        "a flag that is not waited for": (
            "race", ["-O2"], "zeros:128 zeros:4 zeros:256", "two waves of a workgroup, no barrier between them", ["stores 4 bytes, 0x0", "loads 4 bytes"],
            "kernel void k(global int *data, global atomic_int *flag, global int *out)\n{\n    int l = get_local_id(0);\n    if (l < 32) {\n        data[l] = l;\n"
            "        if (l == 0)\n            atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);\n    } else {\n"
            "        while (*(global int *)data < 0) {\n        }\n        out[l] = data[l - 32];\n    }\n}\n",
            ("*(global int *)data < 0", "atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group) == 0")),
    }
    for name, (check_name, options, args, kind, words, text, (a, b)) in rows.items():
        path = folder / "corner.cl"
        line = "--grid 64 --block 64 " + " ".join("--arg " + x for x in args.split())
        path.write_text(text)
        got = check(path, line, *options, "--wave", 32, "--check", check_name)
        case(name, judge(got, check_name, kind, words, 2), got)
        assert a in text
        path.write_text(text.replace(a, b))
        got = check(path, line, *options, "--wave", 32, "--check", check_name)
        case(f"{name}: the right twin", got[0] == 0 and got[1] == {check_name: []}, got)


def options(folder):
    args = "--grid 64 --block 64 --arg zeros:256"
    path = folder / "one.cl"
    path.write_text("kernel void k(global int *out) { out[get_global_id(0)] = 1; }\n")
    for value, word in (("poison", "unknown check 'poison'"), ("race,", "unknown check ''"), ("", "unknown check ''"), ("races", "unknown check 'races'")):
        got = check(path, args, "--check", value)
        case(f"--check '{value}'", got[0] == 2 and word in got[2] and "race" in got[2], got)
    for value, names in (("race,bounds", {"race", "bounds"}), ("hazards", {"hazards"}), ("all", set(ALL)), ("barrier,all", set(ALL))):
        got = check(path, args, "--check", value)
        case(f"--check {value}", got[0] == 0 and set(got[1]) == names, got)
    r = subprocess.run([lull, "run", path, *args.split(), "--check", "race"], capture_output=True, text=True, timeout=60)
    case("text", r.returncode == 0 and r.stdout == "race: 0 findings\n", r)
    out = folder / "one.bin"
    got = check(path, f"--grid 64 --block 64 --arg zeros:256:out={out}", "--check", "all")
    case("what is computed stays the same", got[0] == 0 and out.read_bytes() == b"\1\0\0\0" * 64, got)
    got = check(path, "--grid 64 --block 64 --arg u64:4096", "--check", "bounds")
    case("an address as a number: nothing is known of its bounds", got[1].get("bounds", []) == [], got)
    early(folder)
    ended(folder)
    last_member(folder)
    through_pointers(folder)
    rounds(folder)


UNROLLED = """int other(local int *t, int k, int l) { return t[(l + k) & 63]; }
kernel void k(global int *out)
{
    local int t[64];
    int l = get_local_id(0), s = 0;
    t[l] = l;
    for (int i = 0; i < 4; i++)
        s += other(t, i * 5 + 33, l);
    out[l] = s;
}
"""


# Two variables of a kernel in LDS: LLVM puts the larger first. Each is raced for; at -O2 what b has is known.
TWO_LOCAL = """kernel void k(global int *out)
{
    local short b[8];
    local int a[64];
    int l = get_local_id(0);
    a[l] = l;
    b[l & 3] = 7;
    if (l % 32 == 0) a[40] = l;
    out[l] = a[40] + b[l & 7 & 3];
}
"""


def named_local(folder):
    """Variables in LDS: which element of which it is."""
    path = folder / "two_local.cl"
    path.write_text(TWO_LOCAL)
    for more in ("-O0", "-O2"):
        got = check(path, "--grid 64 --block 64 --arg zeros:256 --check race", more)
        told = {s["does"].split(" at ")[1] for f in got[1]["race"] for s in f["sites"]}
        want = "a+0xa0 (element 40 of 4 bytes)"
        case(f"{more}: elements of both", got[0] == 1 and want in told and (more == "-O2" or any(t.startswith("b+0x") for t in told)) and not any("local" in t for t in told), got)


def unrolled(folder):
    """Four loads of an unrolled loop that race with one store are one finding, in each form; two buffers that one line leaves are two."""
    path, sarif, junit = folder / "unrolled.cl", folder / "unrolled.sarif", folder / "unrolled.xml"
    path.write_text(UNROLLED)
    args = "--grid 64 --block 64 --arg zeros:256 -O2 --check race"
    got = check(path, args, "--check-report", sarif)
    told = [([s.get("line") for s in f["sites"]], f["places"], f["count"] > 4) for f in got[1]["race"]]
    case("... of a variable by its name", all(" at t+0x" in s["does"] for f in got[1]["race"] for s in f["sites"]), got)
    case("an unrolled loop: one finding", got[0] == 1 and told == [([1, 6], 4, True)], got)
    result, = json.loads(sarif.read_text())["runs"][0]["results"]
    case("... in SARIF", result["properties"] == {"placesOfCode": 4} and result["occurrenceCount"] == got[1]["race"][0]["count"], result)
    r = subprocess.run([lull, "run", path, *args.split(), "--check-report", junit], capture_output=True, text=True, timeout=60, check=False)
    case("... as text", "times, at 4 places of the code\n" in r.stdout and "\nrace: 1 finding\n" in r.stdout, r)
    case("... in JUnit", len(ElementTree.parse(junit).findall(".//failure")) == 1, junit.read_text())
    text = (bugs / "off_by_one.cl").read_text()
    got = check(bugs / "off_by_one.cl", KERNELS["off_by_one.cl"][1], "--check", "bounds", "-O2")
    told = sorted((f["sites"][0]["line"], f["sites"][0]["does"].split()[0]) for f in got[1]["bounds"])
    case("two buffers of a line", told == [(line_of(text, "out[i] ="), "loads"), (line_of(text, "out[i] ="), "stores")], got)


def reports(folder):
    """Files for other tools, and findings that are known. What they must have: SARIF 2.1.0 (OASIS), JUnit's testsuite."""
    named_local(folder)
    unrolled(folder)
    path, args = bugs / "missing_barrier.cl", KERNELS["missing_barrier.cl"][1] + " --check race,bounds"
    key = "race:missing_barrier.cl:7:missing_barrier.cl:6"
    sarif, junit, known = folder / "found.sarif", folder / "found.xml", folder / "known"
    got = check(path, args, "--check-report", sarif)
    run, = json.loads(sarif.read_text())["runs"]
    result, = run["results"]
    lines = [[p["physicalLocation"]["region"]["startLine"] for p in result[of]] for of in ("locations", "relatedLocations")]
    case("SARIF", got[0] == 1 and result["ruleId"] == "race" and result["level"] == "error" and lines == [[7], [6]] and result["occurrenceCount"] == 256 and
         result["partialFingerprints"] == {"lullKey/v1": key} and [r["id"] for r in run["tool"]["driver"]["rules"]] == ["bounds", "race"] and
         "tile+0x100" in result["message"]["text"] and "suppressions" not in result, (got, run))
    case("the key in JSON", [f["key"] for f in got[1]["race"]] == [key], got)
    check(path, args, "--check-report", junit)
    suite = ElementTree.parse(junit).getroot()
    cases = {c.get("name"): [e.tag for e in c] for c in suite.iter("testcase")}
    case("JUnit", suite.tag == "testsuite" and [suite.get(k) for k in ("tests", "failures", "skipped")] == ["2", "1", "0"] and
         cases == {"bounds": [], key: ["failure"]}, ElementTree.tostring(suite))
    for text, status in ((f"# one\n\n  {key}  \n", 0), ("race:missing*\n", 0), ("bounds:*\n", 1), ("race:[no]*\n", 1), ("", 1)):
        known.write_text(text)
        got = check(path, args, "--check-known", known, "--check-report", sarif)
        result, = json.loads(sarif.read_text())["runs"][0]["results"]
        case(f"known: {text!r}", got[0] == status and len(got[1]["race"]) == status and ("suppressions" in result) == (status == 0), got)
    for more, status, words in ((("--check-known", folder / "none"), 3, "none"), (("--check-report", folder / "found.txt"), 2, ".sarif"),
                                (("--check-report", folder / "no/found.xml"), 3, "no/found.xml"), (("--check-known", path, "--check-report", path), 2, "")):
        got = check(path, args, *more)
        case(f"refused: {' '.join(str(m).replace(str(folder), '') for m in more)}", got[0] == status and words in got[2], got)
    known.write_text("# k\nrace\n")
    got = check(path, args, "--check-known", known)
    case("a line without a place", got[0] == 3 and "known: line 2: 'race'" in got[2], got)
    got = check(path, args.replace("--check race,bounds", "--check-known"), known)
    case("known, but no check", got[0] == 2 and "--check-known is for --check" in got[2], got)


if part == "adreno":
    why = arm64_tools.absent(pathlib.Path(sys.argv[4]))
    if why is not None and "LULL_NEED_ARM64" not in os.environ:
        print(f"1..0 # SKIP {why}")
        sys.exit(0)
with tempfile.TemporaryDirectory() as work:
    {"kernels": kernels, "shaders": shaders, "options": options, "reaches": lambda folder: (reaches(folder), lanes(folder), mixed(folder, (32, 64), 1)), "divisions": lambda folder: (divided.divisions(check, folder), divided.overflows(check, folder, bugs)), "reports": reports, "indices": lambda folder: [indices(folder, ("--subgroup-size", size), chosen) for size, chosen in ((64, None), (32, ("shared", "specialized", "a row")))], "corners": corners, "adreno": adreno}[part](pathlib.Path(work))
end()
