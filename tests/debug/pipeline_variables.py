#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variables of a compute pipeline under lull debug, in all lanes: pipeline_variables.py LULL

Inputs are numbers that count up, so that each value says where it was read; the rest is computed here.
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

lull = sys.argv[1]
SOURCE = """#version 450
layout(local_size_x = 64) in;
struct Body { vec3 pos; float mass; mat3 m; float hist[4]; };
layout(std430, binding = 0) buffer B { uint n; vec4 b[]; };
layout(std430, binding = 1) readonly buffer C { Body bodies[]; } inst;
layout(std140, binding = 2) uniform U { float arr[5]; mat3 rot; layout(row_major) mat2x3 rm; } u;
layout(std430, binding = 3) buffer D { float f; } many[2];
layout(push_constant) uniform P { uint scale; vec2 off; } pc;
shared float tile[64];
shared uint count;
float g_private = 3.0;
float twice(float x, int k)
{
    float local = x * 2 + k;
    return local; // IN
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec3 v = vec3(i, 1, 2);
    mat2 m = mat2(1, 2, 3, i);
    Body bd = inst.bodies[i];
    bool flag = i > 3;
    uint grid[2][3] = uint[2][3](uint[3](1, 2, 3), uint[3](4, 5, i));
    float t = 0;
    for (int k = 0; k < 3; k++) {
        t = twice(v.x, k) + twice(1000, k);
    }
    tile[gl_LocalInvocationIndex] = 7 * i;
    count = 5;
    barrier();
    g_private += t;
    n = 9; // HERE
    b[i] = vec4(v, flag ? g_private : u.arr[2]) + bd.mass + pc.scale + tile[3] + count + m[1][1] + float(grid[1][i % 3]) + many[1].f;
}
"""
LINES = {mark: n + 1 for n, line in enumerate(SOURCE.split("\n")) for mark in ("HERE", "IN") if line.endswith("// " + mark)}
CALL = next(n + 1 for n, line in enumerate(SOURCE.split("\n")) if "t = twice(" in line)
LAYOUT = {"nodes": [{"type": "push_constants", "size": 16}, {"type": "table", "set": 0, "nodes": [
    {"type": "buffer", "set": 0, "binding": i, "count": 2 if i == 3 else 1} for i in range(4)]}]}


def body(at):
    """A Body at a word of numbers that count up: std430."""
    return [[at, at + 1, at + 2], at + 3, [[at + 4 + 4 * c + r for r in range(3)] for c in range(3)], [at + 16 + i for i in range(4)]]


# What lane i of the first wave has at HERE.
WANT = {
    "i": lambda i: i,
    "v": lambda i: [i, 1, 2],
    "m": lambda i: [[1, 2], [3, i]],
    "bd": lambda i: body(20 * i),
    "flag": lambda i: int(i > 3),
    "grid": lambda i: [[1, 2, 3], [4, 5, i]],
    "t": lambda i: 2 * i + 2 + 2002,
    "g_private": lambda i: 3 + 2 * i + 2004,
    "gl_GlobalInvocationID": lambda i: [i, 0, 0],
    "gl_LocalInvocationIndex": lambda i: i,
    "pc": lambda i: [5, [1.5, 2.5]],
    "u": lambda i: [[4 * k for k in range(5)], [[20 + 4 * c + r for r in range(3)] for c in range(3)], [[32 + 4 * r + c for r in range(3)] for c in range(2)]],
    "inst.bodies[3].m[1]": lambda i: [68, 69, 70],
    "inst.bodies[i].mass": lambda i: 20 * i + 3,
    "n": lambda i: 77,
    "b[1]": lambda i: [4, 5, 6, 7],
    "(*many[1]).f": lambda i: 0.5,
    "tile[5]": lambda i: 35,
    "tile[i + 1]": lambda i: 7 * (i + 1),
    "count": lambda i: 5,
}


def number(text, leaf):
    """A lane's bits as the number that they are."""
    bits = int(text, 0)
    return struct.unpack("<f", struct.pack("<I", bits))[0] if leaf["type"] in ("float", "f32") else bits


def lane_of(value, lane):
    """What a printed value is in a lane: numbers, and lists of them."""
    parts = value.get("members", value.get("elements"))
    if parts is not None:
        return [lane_of(p, lane) for p in parts]
    lanes = value.get("lanes", [value.get("value")])
    return number(lanes[lane if len(lanes) > 1 else 0], value)


def run(*args):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True, check=False)


# At -Og what is the same in all lanes, and has scalar registers, is known, too, and so are vectors and what lies in buffers.
KEPT = """#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Y { uint y[64]; } b;
layout(push_constant) uniform P { uint n, m; } pc;
void main()
{
    uint q = pc.n * 3u;
    uint w = gl_WorkGroupID.x * 5u + q;
    vec4 v = vec4(gl_LocalInvocationIndex) * vec4(1, 2, 3, 4);
    uint l = gl_LocalInvocationID.x;
    uint own = l ^ pc.m;
    b.y[own] = own; // HERE
}
"""
KEPT_WANT = {"q": lambda i: 21, "w": lambda i: 21, "v": lambda i: [i, 2 * i, 3 * i, 4 * i], "own": lambda i: i ^ 1, "l": lambda i: i, "gl_LocalInvocationID": lambda i: [i, 0, 0], "b.y[3]": lambda i: 1000, "gl_WorkGroupID": lambda i: [0, 0, 0]}


def kept(d):
    (d / "kept.comp").write_text(KEPT)
    (d / "y.bin").write_bytes(struct.pack("<64I", *[1000] * 64))
    layout = {"nodes": [{"type": "push_constants", "size": 8}, {"type": "table", "set": 0, "nodes": [{"type": "buffer", "set": 0, "binding": 0, "count": 1}]}]}
    (d / "kept.json").write_text(json.dumps(layout))
    subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", "-g", d / "kept.comp", "-o", d / "kept.spv"], check=True)
    r = run(lull, "cc", "-g", "-Og", "--relocatable", d / "kept.spv", "-o", d / "k.elf")
    r = run(lull, "link", d / "k.elf", "--layout", d / "kept.json", "-o", d / "p.elf") if r.returncode == 0 else r
    line = next(n + 1 for n, t in enumerate(KEPT.split("\n")) if t.endswith("// HERE"))
    commands = [f"break kept.comp:{line}", "run", *(f"print {e}" for e in KEPT_WANT)]
    args = [d / "p.elf", "--layout", d / "kept.json", "--groups", "1", "--bind", f"0.0=file:{d / 'y.bin'}", "--push", "u32:7,u32:1", "--json"]
    r = subprocess.run([str(a) for a in [lull, "debug", *args]], input="\n".join(commands), capture_output=True, text=True, check=False)
    values = {v["expression"]: v for v in map(json.loads, r.stdout.splitlines()) if v.get("command") == "print" and "type" in v}
    for e, want in KEPT_WANT.items():
        got = [lane_of(values[e], i) for i in range(32)] if e in values else r.stdout[-900:] + r.stderr
        case(f"-Og: {e}", got == [want(i) for i in range(32)], got)


# In the driver's own code, without lines: what buffers and push constants hold, in front of the first wave.
HELD = {"*u": WANT["u"]} | {e: WANT[e] for e in ("inst.bodies[3].m[1]", "n", "b[1]", "pc")} | {
    "*inst->bodies[2].hist": lambda i: 56, "inst.bodies[n - 74].mass": lambda i: 63, "inst->bodies[1].pos.zx": lambda i: [22, 20], "B.b[2].w": lambda i: 11,
    "many[1].f": lambda i: 0.5, "many[0].f * 2": lambda i: 8, "u.rm[1][2]": lambda i: 41, "pc.off.y": lambda i: 2.5,
    "sizeof(inst.bodies[0])": lambda i: 80, "*&u.arr[3]": lambda i: 12}
SAID = {"ptype B": "uint n;\n    vec4 b[320];\n", "whatis inst.bodies[1].m": "type = vec3[3]", "print inst.bodies[1].mas": "struct Body has no member 'mas', but pos, mass, m, hist",
        "print pc.z": "struct P has no member 'z', but scale, off", "print u.arr.x": "has no member 'x'", "x/3fw &inst.bodies[3].m[1]": ": 68 69 70",
        "x/2fw inst.bodies[2].hist": ": 56 57", "watch b[1]": "has parts: watch one of them", "set var pc.scale = 3": "push constants cannot be set",
        "print outp": "no symbol or buffer 'outp'"}


def held(d):
    """Of a Vulkan program: lull run, whose shader RADV compiles."""
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"}
    (d / "f.bin").write_bytes(struct.pack("<f", 4))
    program = [lull, "run", d / "shader.comp", "--groups", "1", "--bind", f"0.0=file:{d / 'b.bin'}", "--bind", "0.1=iota:8192:f32", "--bind", "0.2=iota:256:f32",
               "--bind", f"0.3[0]=file:{d / 'f.bin'}", "--bind", f"0.3[1]=file:{d / 'many.bin'}", "--push", "u32:5,u32:0,f32:1.5,f32:2.5"]

    def debug(commands):
        r = subprocess.run([str(w) for w in [lull, "debug", "--json", "--", *program]], input="\n".join(["catch dispatch", "run", *commands]), capture_output=True, text=True,
                           check=False, env=environment, timeout=120)
        return [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")][2:], r.stdout + r.stderr

    said, text = debug([f"print {e}" for e in HELD])
    values = {v["expression"]: v for v in said if "type" in v}
    for e, want in HELD.items():
        case(f"held: {e}", e in values and lane_of(values[e], 0) == want(0), values.get(e, text[-600:]))
    said, text = debug([*SAID])
    for command, want in SAID.items():
        case(f"held: {command}", want in "".join(a.get("text", "") for a in said) + text, text[-1600:])
    said, text = debug(["watch n", "continue", "print n", "why n", "set var b[300].y = 2.5", "print b[300]", "delete", "watch b[2].z if n == 9", "continue", "print $_lane"])
    case("held: watch n, print, why", len(said) > 3 and said[1].get("watchpoint") == 2 and lane_of(said[2], 0) == 9 and "n = 9 " in said[3].get("text", "").replace("  ", " "), text[-900:])
    case("held: set and print an element", len(said) > 5 and lane_of(said[5], 0) == [0, 2.5, 0, 0], said[5:6])
    case("held: watch an element on a condition", len(said) > 9 and said[8].get("watchpoint") == 3 and int(said[9].get("value", "9"), 16) == 2, said[7:])


with tempfile.TemporaryDirectory() as tmp:
    kept(pathlib.Path(tmp))
    d = pathlib.Path(tmp)
    (d / "shader.comp").write_text(SOURCE)
    (d / "layout.json").write_text(json.dumps(LAYOUT))
    (d / "b.bin").write_bytes(struct.pack("<I", 77) + bytes(12) + struct.pack("<256f", *range(256)) + bytes(4096))
    (d / "many.bin").write_bytes(struct.pack("<f", 0.5))
    held(d)
    for name, flag in ("line.spv", "-g"), ("debug.spv", "-gVS"):
        subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", flag, d / "shader.comp", "-o", d / name], check=True)
        r = run(lull, "cc", "-g", "-O0", "--relocatable", d / name, "-o", d / "s.elf")
        r = run(lull, "link", d / "s.elf", "--layout", d / "layout.json", "-o", d / "p.elf") if r.returncode == 0 else r
        case(f"{name}: links", r.returncode == 0, r.stderr)
        r = run("llvm-dwarfdump-19", "--verify", d / "p.elf")
        case(f"{name}: the pipeline's DWARF verifies", r.returncode == 0, r.stdout)
        pipeline = [d / "p.elf", "--layout", d / "layout.json", "--groups", "1", "--bind", f"0.0=file:{d / 'b.bin'}", "--bind", "0.1=iota:8192:f32",
                    "--bind", "0.2=iota:256:f32", "--bind", "0.3[1]=file:" + str(d / "many.bin"), "--push", "u32:5,u32:0,f32:1.5,f32:2.5"]
        commands = [f"break shader.comp:{LINES['HERE']}", "run", *(f"print {e}" for e in WANT)]
        r = run(lull, "debug", *pipeline, "--json", "-batch", *(w for c in commands for w in ("-ex", c)))
        said = [json.loads(line) for line in r.stdout.splitlines()]
        case(f"{name}: it stops at the line", len(said) > 1 and (said[1].get("line"), said[1].get("file", "")[-11:]) == (LINES["HERE"], "shader.comp"), r.stdout[:800] + r.stderr)
        values = {v["expression"]: v for v in said if v.get("command") == "print" and "type" in v}
        for e, want in WANT.items():
            got = [lane_of(values[e], i) for i in range(32)] if e in values else r.stderr
            case(f"{name}: {e}", got == [want(i) for i in range(32)], got)
        # The first call, in the second turn.
        commands = [f"break shader.comp:{LINES['IN']}", "disable 1.2", "run", "continue", "print x", "print local", "print k", "list", "next"]
        r = run(lull, "debug", *pipeline, "--json", "-batch", *(w for c in commands for w in ("-ex", c)))
        said = [json.loads(line) for line in r.stdout.splitlines()]
        values = {v["expression"]: v for v in said if v.get("command") == "print" and "type" in v}
        got = {e: lane_of(v, 7) for e, v in values.items()}
        case(f"{name}: parameters and variables of an inlined function", got == {"x": 7, "local": 15, "k": 1}, (got, r.stderr))
        case(f"{name}: list shows the source", len(said) > 1 and f"=> {LINES['IN']:4d}      return local; // IN" in said[-2].get("text", ""), said[-2:])
        case(f"{name}: next goes back to the caller's line", bool(said) and said[-1].get("line") == CALL, said[-1:])
        r = run(lull, "debug", *pipeline, "-batch", "-ex", "run", "--out", f"0.0={d / 'out.bin'}")
        out = (d / "out.bin").read_bytes() if (d / "out.bin").exists() else b""
        case(f"{name}: it runs to its end, and --out has n", out[:4] == struct.pack("<I", 9), (r.stdout, r.stderr))
        r = run(lull, "disasm", d / "p.elf")
        case(f"{name}: lull disasm lists it", r.returncode == 0 and "s_endpgm" in r.stdout, r.stderr[:400])
end()
