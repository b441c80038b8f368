#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull printf run: shaders on lavapipe and on lull's GPU print what they must. printf_run.py LULL DIRECTORY.

What is expected is computed here, or by hand.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, here = sys.argv[1], pathlib.Path(sys.argv[2])
env = dict(os.environ)
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
HEAD = """#version 460
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
"""
LAVAPIPE, LULL = ["--device", "llvmpipe"], ["--device", "lull"]
WAVE = ["--printf-atomic=wave"]
TYPES = HEAD + """layout(local_size_x = 1) in;
layout(local_size_x_id = 9) in;
layout(constant_id = 1) const int K = 5;
layout(push_constant) uniform P { float f; } p;
void main() {
  int one = int(gl_WorkGroupID.x) + 1;
  debugPrintfEXT("%d %d %u|%d %d %u", int8_t(-one), int8_t(127 * one), uint8_t(255 * one), int16_t(-one), int16_t(-32768 * one),
                 uint16_t(65535 * one));
  debugPrintfEXT("%d %u %x %o %i", -one, 4294967295u * one, 0xbeefu * one, 8 * one, -2147483647 - one);
  debugPrintfEXT("%ld %lu %lx", int64_t(-9223372036854775807l) - one, uint64_t(18446744073709551615ul) * one, uint64_t(0xfedcba9876543210ul));
  debugPrintfEXT("%f %e %g %a %F %E", 1.5 * one, 1.5 * one, 1.5 * one, 1.5 * one, -0.25 * one, 1e10 * one);
  debugPrintfEXT("%f %.12f %f", float16_t(0.5 * one), double(0.1lf) * one, float(p.f) * one);
  debugPrintfEXT("%v2d %v3u %v4i", ivec2(-one, 2), uvec3(one, 2, 3), ivec4(one, -2, 3, -4));
  debugPrintfEXT("%v2f %1.2v3f %v4f", vec2(1, one), vec3(one, 0.126, 3), vec4(1, 2, 3, one));
  debugPrintfEXT("%v2ld %v3lu %v4lx", i64vec2(-one, 2), u64vec3(1, one, 3), u64vec4(16, 32, one, 255));
  debugPrintfEXT("%v2d %v3u %v4d %v2u", i8vec2(-one, 2), u8vec3(one, 254, 3), i16vec4(-one, 2, 3, 4), u16vec2(65535 * one, 1));
  debugPrintfEXT("%.1v2f %.1v4f %v3f", f16vec2(one, 2), dvec4(one, 2, 3, 4.5), dvec3(one, 0.5, 0.25));
  debugPrintfEXT("%v2u %v4d %d %u", bvec2(one > 0, one > 1), bvec4(true, false, one > 0, one < 0), one == 1, one == 2);
  debugPrintfEXT("[%s] 100%% [%5d|%-5d|%05d|%+d] [%8.3f|%-8.1f] %c", "a string", one, one, one, one, 1.5 * one, 2.5 * one, 64 + one);
  debugPrintfEXT("");
  debugPrintfEXT("K %d", K * one);
}
"""
TYPES_WANT = """-1 127 255|-1 -32768 65535
-1 4294967295 beef 10 -2147483648
-9223372036854775808 18446744073709551615 fedcba9876543210
1.500000 1.500000e+00 1.5 0x1.8p+0 -0.250000 1.000000E+10
0.500000 0.100000000000 0.750000
-1, 2 1, 2, 3 1, -2, 3, -4
1.000000, 1.000000 1.00, 0.13, 3.00 1.000000, 2.000000, 3.000000, 1.000000
-1, 2 1, 1, 3 10, 20, 1, ff
-1, 2 1, 254, 3 -1, 2, 3, 4 65535, 1
1.0, 2.0 1.0, 2.0, 3.0, 4.5 1.000000, 0.500000, 0.250000
1, 0 1, 0, 1, 0 1 0
[a string] 100% [    1|1    |00001|+1] [   1.500|2.5     ] A
K 7
"""
MANY = HEAD + """layout(local_size_x = 64) in;
void main() {
  uint x = gl_GlobalInvocationID.x;
  for (uint i = 0; i < 4; i++) {
    if ((x + i) % 3 == 0) debugPrintfEXT("a %u %u", x, i); else debugPrintfEXT("b %u", x * 4 + i);
  }
}
"""


def run(*args):
    r = subprocess.run([lull, "printf", "run", *map(str, args)], capture_output=True, text=True, timeout=120, env=env)
    return r.returncode, r.stdout, r.stderr


def shader(work, text, name="a.comp"):
    (work / name).write_text(text)
    return work / name


def types(work):
    s = shader(work, TYPES.replace('  debugPrintfEXT("");\n', ""))
    args = ["--groups", 1, "--push", "f32:0.75", "--spec", "1=7"]
    if "capability Float16" in run(s, *args, *LAVAPIPE)[2]:  # the CPU has no F16C; the text of a float is the same
        narrow = shader(work, TYPES.replace('  debugPrintfEXT("");\n', "").replace("float16_t(", "float(").replace("f16vec2", "vec2"), "no16.comp")
    else:
        narrow = s
    for name, device in (("lavapipe", [narrow, *LAVAPIPE]), ("lull", [s, *LULL])):
        for more in ([], WAVE + ["--printf-counter=64"], ["--printf-set", 0, "--printf-binding", 7]):
            if name == "lull" and "--printf-counter=64" in more:
                more = WAVE
            r = run(*args, *device, *more)
            case(f"all types on {name} {' '.join(map(str, more))}", r == (0, TYPES_WANT, ""), r)


def unbound(work):
    """Buffers that are not on the command line hold zeros, and that is told."""
    s = shader(work, HEAD + """layout(local_size_x = 4) in;
layout(binding = 0) buffer B { float x[]; } b;
layout(set = 1, binding = 2) uniform U { vec4 v; } u[2];
void main() {
  uint i = gl_GlobalInvocationID.x;
  b.x[i] += u[1].v.x + i;
  debugPrintfEXT("%u %.1f", i, b.x[i]);
}
""")
    told = ["binding 0.0 (b) is not bound: zeros", "binding 1.2 (u) is not bound: zeros"]
    for name, device in (("lavapipe", LAVAPIPE), ("lull", LULL)):
        r = run(s, "--groups", 1, *device)
        case(f"buffers that are not bound on {name}", r[:2] == (0, "".join(f"{i} {i}.0\n" for i in range(4))) and all(t in r[2] for t in told), r)
        r = run(s, "--groups", 1, "--bind", "0.0=iota:4:f32", *device)
        case(f"one that is bound on {name}", r[:2] == (0, "".join(f"{i} {2 * i}.0\n" for i in range(4))) and told[0] not in r[2], r)


def many_want(groups):
    lines = []
    for x in range(64 * groups):
        for i in range(4):
            lines.append(f"a {x} {i}" if (x + i) % 3 == 0 else f"b {x * 4 + i}")
    return lines


def losses(work):
    s = shader(work, MANY)
    want = collections.Counter(many_want(16))
    total = sum(want.values())
    for name, device in (("lavapipe", LAVAPIPE), ("lull", LULL)):
        for more in ([], WAVE):
            how = f"{name} {' '.join(more)}"
            r = run(s, "--groups", 16, *device, *more)
            case(f"{total} entries, none lost: {how}", r[0] == 0 and collections.Counter(r[1].splitlines()) == want, r)
            for size in (16, 20, 24, 28, 36, 1000, 8188):
                r = run(s, "--groups", 16, *device, *more, "--buffer-size", size, "--json")
                j = json.loads(r[1])
                got = collections.Counter(e["text"] for e in j["entries"] if e["kind"] == "text")
                lost = sum(e["lost"] for e in j["entries"] if e["kind"] == "lost")
                ok = r[0] == 1 and not got - want and j["printed"] + lost == total == sum(got.values()) + lost
                case(f"{size} bytes: {j['printed']} printed, {lost} lost: {how}", ok and j["problems"] == 1, r)


def hundred_thousand(work):
    text = HEAD + """layout(local_size_x = 64) in;
void main() { for (uint i = 0; i < 25; i++) debugPrintfEXT("%u %u", gl_GlobalInvocationID.x, i); }
"""
    s, total = shader(work, text), 64 * 64 * 25
    want = collections.Counter(f"{x} {i}" for x in range(64 * 64) for i in range(25))
    for name, device, more in (("lavapipe", LAVAPIPE, []), ("lull", LULL, WAVE)):
        r = run(s, "--groups", 64, *device, *more, "--buffer-size", 16 + 16 * total)
        case(f"{total} entries of 64 workgroups: {name}", r[0] == 0 and collections.Counter(r[1].splitlines()) == want, r[2])
        r = run(s, "--groups", 64, *device, *more, "--buffer-size", 1000000)
        lines = r[1].splitlines()
        case(f"and with too little room: {name}", r[0] == 1 and len(lines) == (1000000 - 16) // 16 and
             not collections.Counter(lines) - want and f"{total - len(lines)} entries lost" in r[2], r[2])


def lavapipe_wave(work):
    """How many lanes lavapipe has in a subgroup: the width of this CPU's vectors."""
    text = "#version 460\n#extension GL_KHR_shader_subgroup_basic : require\nlayout(binding = 0) buffer B { uint x; };\nvoid main() { x = gl_SubgroupSize; }\n"
    subprocess.run([lull, "run", shader(work, text, "size.comp"), "--vulkan-device", "lavapipe", "--groups", "1", "--bind", "0.0=zeros:4", "--out",
                    f"0.0={work / 'size'}"], check=True, env=env)
    return int.from_bytes((work / "size").read_bytes(), "little")


def order(work):
    text = HEAD + """layout(local_size_x = 128) in;
void main() { if (gl_LocalInvocationID.x % 5 != 2) debugPrintfEXT("%u", gl_LocalInvocationID.x); }
"""
    s = shader(work, text)
    for name, device in (("lavapipe", LAVAPIPE), ("lull", LULL)):
        r = run(s, "--groups", "3,2", *device, *WAVE, "--printf-record=workgroup,wave,lane", "--json")
        j = json.loads(r[1])
        lanes, size = collections.defaultdict(list), lavapipe_wave(work) if name == "lavapipe" else 64
        good = True
        for e in j["entries"]:
            lanes[tuple(e["workgroup"]), e["wave"]].append(e["lane"])
            good &= int(e["text"]) == e["wave"] * size + e["lane"]
        in_order = all(v == sorted(v) for v in lanes.values())
        case(f"lanes in order, each entry knows its place: {name}", r[0] == 0 and good and in_order and
             len(j["entries"]) == 6 * sum(i % 5 != 2 for i in range(128)) and
             {k[0] for k in lanes} == {(x, y, 0) for x in range(3) for y in range(2)}, r)


def control(work):
    m = work / "control.spv"
    subprocess.run(["spirv-as", "--target-env", "spv1.3", here / "control.spvasm", "-o", m], check=True)
    want = []
    for x in range(1):  # WorkgroupSize is 1, whatever LocalSize says
        want += ["start"]
        i, j = 0, x
        while True:
            want += [f"phi {i}", f"header {i} {j}"]
            if i >= 2:
                break
            want += ["case -1"] if i == 0 else []
            i, j = i + 1, j + i + 1
            want += [f"continue {i}", f"called {j} here"]
        want += [f"end {j}"]
    for name, device in (("lavapipe", LAVAPIPE), ("lull", LULL)):
        for more in ([], WAVE):
            r = run(m, "--groups", 1, *device, *more)
            case(f"control flow: {name} {' '.join(more)}", r[0] == 0 and r[1].splitlines() == want, (r, want))


def places(work):
    r = run(shader(work, HEAD + """layout(local_size_x = 1) in;
void main() { uint x = gl_WorkGroupID.x; debugPrintfEXT("x %d", int(x) - 1); debugPrintfEXT("x %d", x + 1); debugPrintfEXT("x"); }
"""), "--groups", 1, *LAVAPIPE)
    case("one format with two types", r == (0, "x -1\nx 1\nx\n", ""), r)
    text = HEAD + """layout(local_size_x = 1) in;
layout(set = 3, binding = 0) buffer A { uint a[]; };
layout(set = 3, binding = 1) uniform B { uint b[4]; };
void main() { a[0] = b[0]; debugPrintfEXT("%u", b[0] + a[1]); }
"""
    s = shader(work, text, "places.comp")
    args = [s, "--groups", 1, "--bind", "3.0=values:u32:1,30", "--bind", "3.1=values:u32:12,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", *LAVAPIPE]
    r = run(*args, "--out", f"3.0={work}/o")
    case("a free binding is found", r == (0, "42\n", "") and (work / "o").read_bytes()[:4] == b"\x0c\0\0\0", r)
    r = run(*args, "--printf-set", 3)
    case("a binding that is asked for and in use", r[0] == 3 and "set 3, binding 0 is in use" in r[2], r)
    r = run(shader(work, HEAD + "layout(local_size_x = 1) in;\nvoid main() {}\n"), "--groups", 2, *LAVAPIPE)
    case("a shader without printf", r == (0, "", ""), r)
    r = run(shader(work, HEAD + 'layout(local_size_x = 1) in;\nvoid main() { debugPrintfEXT("%d %d", 1); }\n'), "--groups", 1, *LAVAPIPE)
    case("a format in error", r[0] == 3 and "a.comp:5: error: printf: " in r[2] and r[1] == "", r)
    image = shader(work, HEAD + """layout(local_size_x = 1) in;
layout(set = 2, binding = 1, r32f) uniform image2D im;
void main() { debugPrintfEXT("%f", imageLoad(im, ivec2(0)).x); }
""", "image.comp")
    r = run(image, "--groups", 1, *LAVAPIPE)
    case("an image is not bound", r[0] == 2 and "binding 2.1" in r[2], r)
    r = run(s, *LAVAPIPE)
    case("no groups", r[0] == 2 and "--groups" in r[2], r)
    r = run(s, "--groups", 1, "--buffer-size", 17)
    case("a buffer of 17 bytes", r[0] == 2 and "--buffer-size" in r[2], r)
    r = run(s, "--groups", 1, "--out-dir", work)
    case("an option of lull run that is not for it", r[0] == 2 and "no option '--out-dir'" in r[2], r)
    r = run(s, "--groups", 1, "--printf-address=push:0")
    case("an address", r[0] == 2 and "the buffer is a binding" in r[2], r)
    r = run(s, "--groups", 1, "--device", "Voodoo", "--bind", "3.0=zeros:4", "--bind", "3.1=zeros:64")
    case("a device that is not there", r[0] == 3 and "no Vulkan device 'Voodoo'" in r[2], r)
    s = shader(work, HEAD + """layout(local_size_x = 1) in;
layout(set = 0, binding = 2) buffer B { uint n[]; } b;
void main() { debugPrintfEXT("one %u", 1, b.n[0]); debugPrintfEXT("two"); }
""")
    for name, device in (("lavapipe", LAVAPIPE), ("lull", LULL)):
        r = run(s, "--groups", 1, *device, "--buffer-size", 32)
        case(f"messages name the file that was given: {name}", r[1] == "one 1\n" and f"{s}:6: warning: printf: " in r[2] and
             f"{s}: offset 0x20: 1 entry lost" in r[2], r)
    s = shader(work, HEAD + "layout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer A { uint a; };\n"
               'void main() { debugPrintfEXT("before"); while (atomicAdd(a, 0) == 0) {} }\n')
    args = [s, "--groups", 1, *LULL, "--bind", "0.0=zeros:4", "--timeout", 500]
    r = run(*args)
    case("a hang, and what was printed until then", r[0] == 124 and r[1].startswith("before\nhang; "), r)
    r = run(*args, "--json")
    j = json.loads(r[1])
    case("the same as JSON", r[0] == 124 and j["result"] == "hang" and [e["text"] for e in j["report"]["entries"]] == ["before"], r)
    s = shader(work, HEAD + """#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer N { uint v[]; };
layout(push_constant) uniform P { N n; };
void main() { debugPrintfEXT("at %p", n); n.v[100000000u] = 5; debugPrintfEXT("after"); }
""")
    r = run(s, "--groups", 1, *LULL, "--buffer", "n=zeros:16", "--push", "addr:n")
    case("a page fault, and what was printed until then", r[0] == 1 and r[1].startswith("at 0x") and "\npage-fault; " in r[1] and
         "\nafter" not in r[1], r)


with tempfile.TemporaryDirectory() as d:
    for part in (types, unbound, losses, hundred_thousand, order, control, places):
        part(pathlib.Path(d))
end()
