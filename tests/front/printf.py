#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""debugPrintfEXT compiled by lull cc into a pipeline: printf.py LULL SPIRV. TAP.

What must be printed is written here or computed; the shapes are those of Khronos' tests of debug printf (Vulkan-ValidationLayers,
tests/unit/debug_printf.cpp), with the texts that those expect. lavapipe, by lull printf run, must print the same.
"""
import collections
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, spirv = sys.argv[1], pathlib.Path(sys.argv[2])
env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
HEAD = """#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer B { float f; int i; uint u; float four[4]; };
layout(buffer_reference) buffer N { uint v[]; };
"""
# Khronos' shapes: source, text. In the buffer: f 3.1415, i -4, u 128, four 1.2, 2.2, 3.2, 4.2.
SHAPES = [
    ('"float == %f", f', "float == 3.141500"),
    ('"underflow == %u", 127u - u', "underflow == 4294967295"),
    ('"Here are two float values %f, %F", 1.0, f', "Here are two float values 1.000000, 3.141500"),
    ('"smaller float value %1.2f", f', "smaller float value 3.14"),
    ('"Here\'s an integer %i with text before and after it", i - 131', "Here's an integer -135 with text before and after it"),
    ('"Here\'s an integer in octal %o and hex 0x%x", i, i', "Here's an integer in octal 37777777774 and hex 0xfffffffc"),
    ('"vector of floats %v2f", V.xy', "vector of floats 1.200000, 2.200000"),
    ('"vector of floats %v4f", V', "vector of floats 1.200000, 2.200000, 3.200000, 4.200000"),
    ('"vector of floats %1.2v4f", V.xy', "vector of floats 1.20, 2.20, 0.00, 0.00"),
    ('"vector of floats %v2e", V.xy', "vector of floats 1.200000e+00, 2.200000e+00"),
    ('"vector of ints %v3u", uvec3(V)', "vector of ints 1, 2, 3"),
    ('"vector of ints %v4d", ivec3(V)', "vector of ints 1, 2, 3, 0"),
    ('"float in sn %1.2e and %1.2E", f, f', "float in sn 3.14e+00 and 3.14E+00"),
    ('"Here\'s a float in shortest %g", f', "Here's a float in shortest 3.1415"),
    ('"float in hex %1.3a and %1.9A", f, f', "float in hex 0x1.922p+1 and 0X1.921CAC000P+1"),
    ('"Here\'s an unsigned long 0x%ul", L', "Here's an unsigned long 0x2000000000000001"),
    ('"Unsigned long as decimal %lu and as hex 0x%lx", L, L', "Unsigned long as decimal 2305843009213693953 and as hex 0x2000000000000001"),
    ('"vector of lx 0x%1.3v2lx", u64vec2(L, L)', "vector of lx 0x2000000000000001, 2000000000000001"),
    ('"floats and doubles %f %f %f %f %f", D, float(D), D, float(D), D', "floats and doubles 1.234568 1.234568 1.234568 1.234568 1.234568"),
    ('"vector of float64 %1.2v2f", f64vec2(D, D)', "vector of float64 1.23, 1.23"),
    ('"unsigned and signed %v2d | %v2d", u16vec2(u - 5), i16vec2(i - 119)', "unsigned and signed 123, 123 | -123, -123"),
    ('"unsigned and signed %d %d", uint8_t(u - 5), int8_t(i - 119)', "unsigned and signed 123 -123"),
    ('"unsigned, and large %d %v2d %d", uint8_t(u + 127), u8vec2(u), uint16_t(i)', "unsigned, and large 255 128, 128 65532"),
    ('"unsigned and signed 0x%x 0x%x", uint8_t(u - 5), int8_t(i - 119)', "unsigned and signed 0x7b 0x85"),
    ('"bvec2 %v2u", bvec2(u > 0, i > 0)', "bvec2 1, 0"),
    ('"Results: %8d %8x %8x %8x\\n", 42u * u / 128, 1, 2, 3', "Results:       42        1        2        3"),
    ('"Results: %ld %ld %ld %ld\\n", int64_t(i) + 4, int64_t(i) + 3, int64_t(i) - 38, int64_t(1) << (u - 65)',
     "Results: 0 -1 -42 -9223372036854775808"),
    ('"sAA?\\\'%%"', "sAA?'%"),
    ('"the text %s and %s", "first", "and 100%"', "the text first and and 100%"),
    ('"TEST"', "TEST"),
]
WARNED = ['"%d %d", 0, 1, 2, 3', '"%v3f", V', '"%f", i', '"%lu", i']
REFUSED = ['"vector of %v"', '"vector of %v1f", V', '"vector of %1.2l", 0', '"%U", 3', '"test % this"', '"%d %d"', '"%v3f %f", V.xyz, V.xyz', '""']
HALF = [('"32, 16 | %f %f", f, float16_t(f)', "32, 16 | 3.141500 3.140625"), ('"%1.2v2f", f16vec2(V.xy)', "1.20, 2.20")]


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=240, env=env)
    return r.returncode, r.stdout, r.stderr


def write(d, name, text):
    (d / name).write_text(text)
    return d / name


def layout(d, nodes, name="layout.json"):
    return write(d, name, json.dumps({"nodes": nodes}))


BUFFER = [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 0}]}]
PUSH = [{"type": "push_constants", "size": 4}]


def content(d):
    (d / "in.bin").write_bytes(struct.pack("<fiI4f", 3.1415, -4, 128, 1.2, 2.2, 3.2, 4.2))
    return f"0.0=file:{d / 'in.bin'}"


def pipelines(d, shader, where, *flags):
    """(what it is, elf, what the compiler said) of each way to a pipeline."""
    out = []
    for level in ("-O0", "-O2"):
        elf = d / f"p{level}.elf"
        r = run("cc", level, "--printf", "--layout", where, shader, "-o", elf, *flags)
        out.append((f"by a layout, {level}", elf, r))
    part, elf = d / "part.elf", d / "linked.elf"
    r = run("cc", "--printf", "--relocatable", shader, "-o", part, *flags)
    r = r if r[0] else run("link", part, "--layout", where, "-o", elf)
    return out + [("linked", elf, r)]


def shapes(d):
    body = "".join(f"  debugPrintfEXT({s});\n" for s, _ in SHAPES + HALF)
    s = write(d, "shapes.comp", HEAD + "void main() {\n  vec4 V = vec4(four[0], four[1], four[2], four[3]);\n"
              "  uint64_t L = (uint64_t(1) << (u - 67)) + 1;\n  double D = 1.23456789lf * double(u) / 128;\n" + body + "}\n")
    want = "".join(text + "\n" for _, text in SHAPES + HALF)
    where = layout(d, BUFFER)
    bind = ["--groups", 1, "--bind", content(d)]
    for way, elf, made in pipelines(d, s, where):
        r = run("run", elf, "--layout", where, *bind, "--printf") if made[0] == 0 else made
        case(f"Khronos' shapes {way}", r == (0, want, ""), (r, made))
    r = run("printf", "run", s, *bind, "--device", "lull")
    case("the same on RADV", r[:2] == (0, want), r)
    body = "".join(f"  debugPrintfEXT({s});\n" for s, _ in SHAPES)  # half floats need F16C there
    s = write(d, "shapes2.comp", s.read_text().split("  debugPrintfEXT")[0] + body + "}\n")
    r = run("printf", "run", s, *bind, "--device", "llvmpipe")
    case("the same on lavapipe", r[:2] == (0, "".join(text + "\n" for _, text in SHAPES)), r)


def wrong(d):
    where = layout(d, BUFFER)
    for args in WARNED:
        s = write(d, "w.comp", HEAD + f"void main() {{ vec4 V = vec4(four[0]);\n  debugPrintfEXT({args}); }}\n")
        r = run("cc", "-g", "--printf", "--layout", where, s, "-o", d / "w.elf")
        case(f"warned of: {args}", r[0] == 0 and "warning: " in r[2] and "w.comp" in r[2], r)
    for args in REFUSED:
        s = write(d, "w.comp", HEAD + f"void main() {{ vec4 V = vec4(four[0]);\n  debugPrintfEXT({args}); }}\n")
        r = run("cc", "-g", "--printf", "--layout", where, s, "-o", d / "refused.elf")
        case(f"refused: {args}", r[0] == 3 and "w.comp:9:0: " in r[2] and "printf: " in r[2] and not (d / "refused.elf").exists(), r)


MANY = """#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 64) in;
void inner(uint a, uint b) { if (a % 2 == 0) debugPrintfEXT("a %u %u", a, b); else debugPrintfEXT("b %u", a * 4 + b); }
void main() {
  uint x = gl_GlobalInvocationID.x;
  for (uint i = 0; i < x % 4; i++) { if (i == 2) continue; inner(x, i); }
  if (x == 77) return;
  debugPrintfEXT("end %u", x);
}
"""


def many(d):
    s = write(d, "many.comp", MANY)
    lines = []
    for x in range(256):
        lines += [f"a {x} {i}" if x % 2 == 0 else f"b {x * 4 + i}" for i in range(x % 4) if i != 2]
        lines += [f"end {x}"] if x != 77 else []
    want, where = collections.Counter(lines), layout(d, [])
    for flags in ([], ["-mattr=+wavefrontsize64"], ["--printf-atomic=lane"]):
        for way, elf, made in pipelines(d, s, where, *flags):
            r = run("run", elf, "--layout", where, "--groups", 4, "--printf") if made[0] == 0 else made
            case(f"{len(lines)} lines of loops and functions {way} {' '.join(flags)}", r[0] == 0 and collections.Counter(r[1].splitlines()) == want,
                 (r[0], r[2], made))
    r = run("run", d / "linked.elf", "--layout", where, "--groups", 4, "--printf", "--printf-size", 1000)
    got = r[1].splitlines()
    case("a buffer too small", r[0] == 1 and not collections.Counter(got) - want and f"{len(lines) - len(got)} entries lost" in r[2], r)
    elf = d / "records.elf"
    made = run("cc", "--printf", "--printf-record=workgroup,wave,lane", "--layout", where, s, "-o", elf)
    r = run("run", elf, "--layout", where, "--groups", 4, "--printf", "--json")
    good = True
    ends = 0
    for line in r[1].splitlines():
        e = json.loads(line)
        if e.get("printf", "").startswith("end "):
            ends += 1
            good &= int(e["printf"][4:]) == 64 * e["workgroup"][0] + 32 * e["wave"] + e["lane"]
    case("each entry knows its place", made[0] == 0 and r[0] == 0 and good and ends == 255, (made, r[0], r[2], ends))


def control(d):
    """Blocks of every kind, from tests/spirv; WorkgroupSize is 1 there, so its order is one lane's."""
    m, where = d / "control.spv", layout(d, [])
    subprocess.run(["spirv-as", "--target-env", "spv1.3", spirv / "control.spvasm", "-o", m], check=True)
    want, i, j = ["start"], 0, 0
    while True:
        want += [f"phi {i}", f"header {i} {j}"]
        if i >= 2:
            break
        want += ["case -1"] if i == 0 else []
        i, j = i + 1, j + i + 1
        want += [f"continue {i}", f"called {j} here"]
    want += [f"end {j}"]
    for way, elf, made in pipelines(d, m, where):
        r = run("run", elf, "--layout", where, "--groups", 1, "--printf") if made[0] == 0 else made
        case(f"control flow {way}", r[0] == 0 and r[1].splitlines() == want, (r, want))


def places(d):
    """Where the buffer is: named by the layout's file or not, and what is said without --printf."""
    text = MANY.replace("local_size_x = 64", "local_size_x = 1")
    s = write(d, "p.comp", text)
    named = layout(d, PUSH + [{"type": "table", "set": 5, "nodes": [{"type": "buffer", "binding": 1}]}], "named.json")
    elf = d / "place.elf"
    made = run("cc", "--printf", "--printf-set", 5, "--printf-binding", 1, "--layout", named, s, "-o", elf)
    r = run("run", elf, "--layout", named, "--groups", 1, "--printf", "--printf-bind", "5.1")
    case("a buffer that the layout names", made[0] == 0 and r == (0, "end 0\n", ""), (made, r))
    where = layout(d, PUSH + BUFFER)
    made = run("cc", "--printf", "--layout", where, s, "-o", elf)
    r = run("run", elf, "--layout", where, "--groups", 1)
    case("without --printf it says so", r[:2] == (0, "") and "it prints; --printf" in r[2], (made, r))
    made = run("cc", "--layout", where, s, "-o", elf)
    r = run("run", elf, "--layout", where, "--groups", 1, "--printf")
    case("compiled without --printf", made[0] == 0 and r[:2] == (0, "") and "no printf in it" in r[2], (made, r))
    full = layout(d, [{"type": "push_constants", "size": 65532}], "full.json")
    r = run("cc", "--printf", "--layout", full, s, "-o", d / "full.elf")
    case("no room in the root table", r[0] == 3 and "the root table ends at dword 65532" in r[2], r)
    r = run("cc", "--printf", s, "-o", d / "none.elf")
    case("neither --layout nor --relocatable", r[0] == 3 and "--layout" in r[2], r)
    made = run("cc", "--printf", "--relocatable", s, "-o", d / "part.elf")
    made2 = run("link", d / "part.elf", "-o", elf)
    r = run("run", elf, "--groups", 1, "--printf")
    case("no layout at all", made[0] == 0 and made2[0] == 0 and r == (0, "end 0\n", ""), (made, made2, r))


MESH = """#version 460
#extension GL_EXT_mesh_shader : require
#extension GL_EXT_debug_printf : require
layout(triangles, max_vertices = 3, max_primitives = 1) out;
void main() {{
  debugPrintfEXT("mesh %u", gl_WorkGroupID.x);
  {outputs}
}}
"""
OUTPUTS = ["", "SetMeshOutputsEXT(3, 1);", "SetMeshOutputsEXT(3, 1); gl_MeshVerticesEXT[0].gl_Position = vec4(0); gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);"]


def meshes(d):
    """One thread prints once, however many lanes vertices and primitives have; shaders that write little, or nothing, are good ones."""
    pixel, where = write(d, "m.frag", "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1); }\n"), layout(d, [])
    for outputs in OUTPUTS:
        s = write(d, "m.mesh", MESH.format(outputs=outputs))
        for level in ("-O0", "-O2"):
            made = [run("cc", level, "--printf", "--relocatable", f, "-o", f"{f}.o") for f in (s, pixel)]
            made.append(run("link", d / "m.mesh.o", d / "m.frag.o", "--layout", where, "-o", d / "m.elf"))
            r = run("run", d / "m.elf", "--layout", where, "--printf", "--groups", 2, "--target", "8x8")
            case(f"a mesh shader of one thread, {level}, outputs {outputs!r}", (r[0], sorted(r[1].splitlines())) == (0, ["mesh 0", "mesh 1"]), (made, r))


def changed(d):
    """Words of a good module changed: compiled, or refused by one line behind warnings; no signal."""
    m, where = d / "changed.spv", layout(d, BUFFER)
    subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", d / "shapes.comp", "-o", m], check=True)
    good = struct.unpack(f"<{m.stat().st_size // 4}I", m.read_bytes())
    starts, at, prints = [], 5, None
    while at < len(good):
        op, n = good[at] & 0xFFFF, good[at] >> 16
        if op == 11 and b"Printf" in struct.pack(f"<{n}I", *good[at:at + n]):
            prints = good[at + 1]
        if op == 12 and good[at + 3] == prints:
            starts.append((at, n))
        at += n
    bad = []
    for i in range(60):
        r = random.Random(i)
        words = list(good)
        at, n = r.choice(starts)
        words[at + r.randrange(1, n)] = r.choice([r.randrange(good[3]), r.randrange(good[3]), 0, 1, 2**32 - 1])
        m.write_bytes(struct.pack(f"<{len(words)}I", *words))
        status, _, err = run("cc", "-O0", "--printf", "--layout", where, m, "-o", d / "changed.elf")
        if status not in (0, 3) or (status == 3 and len([t for t in err.splitlines() if "warning: " not in t]) != 1):
            bad.append((i, status, err))
    case(f"printf's words changed at random, {len(starts)} calls", len(starts) == len(SHAPES + HALF) and not bad, bad)


with tempfile.TemporaryDirectory() as tmp:
    for part in (shapes, wrong, many, control, places, meshes, changed):
        part(pathlib.Path(tmp))
end()
