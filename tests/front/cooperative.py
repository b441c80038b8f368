#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cooperative matrices (SPV_KHR_cooperative_matrix): products, layouts, each number, conversions, shared memory, a tiled product with bounds, compiled by
lull cc, run on the model and compared with what this script computes. cooperative.py LULL [--driver] [NAME...]: with --driver the same modules run under
the Vulkan driver, so that what this script thinks of them is tested by another compiler.

Debian's glslang knows the extension of NVIDIA only. khr() makes Khronos' of it; the use of a matrix, which NVIDIA's types have not, is told by its scope:
MA, MB and MC below."""
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, only = sys.argv[1], sys.argv[2:]
driver = "--driver" in only
only = [o for o in only if o != "--driver"] or (["products", "each", "others"] if driver else [])
HEAD = """#version 450
#extension GL_KHR_memory_scope_semantics : enable
#extension GL_NV_cooperative_matrix : enable
#extension GL_NV_integer_cooperative_matrix : enable
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_KHR_shader_subgroup_basic : enable
#define MA(kind, bits) kind##coopmatNV<bits, gl_ScopeSubgroup, 16, 16>
#define MB(kind, bits) kind##coopmatNV<bits, gl_ScopeWorkgroup, 16, 16>
#define MC(kind, bits) kind##coopmatNV<bits, gl_ScopeDevice, 16, 16>
"""
# Scopes stand for uses: matrix A, matrix B, accumulator.
USES = {3: 0, 2: 1, 1: 2}
OP = {"extension": 10, "capability": 17, "bool true": 41, "bool false": 42, "constant": 43, "spec op": 52, "function": 54, "variable": 59, "label": 248,
      "int": 21, "float": 22, "extract": 81, "iadd": 128}
NV = {"type": 5358, "load": 5359, "store": 5360, "muladd": 5361, "length": 5362}
KHR = {"type": 4456, "load": 4457, "store": 4458, "muladd": 4459, "length": 4460}


def khr(data, brain=False, saturate=False, without=0, edit=None):
    """The module with Khronos' instructions for NVIDIA's. brain: floats of 16 bits become bfloat16. without: operands of products that are left out. edit: changes instructions,
    lists of words."""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    code, at = [], 5
    while at < len(words):
        n = words[at] >> 16
        code.append([words[at] & 0xffff, *words[at + 1:at + n]])
        at += n
    bound = words[3]
    uint = next(i[1] for i in code if i[0] == OP["int"] and i[2:] == [32, 0])
    value = {i[2]: i[3] for i in code if i[0] == OP["constant"]}
    truth = {i[2]: i[0] == OP["bool true"] for i in code if i[0] in (OP["bool true"], OP["bool false"])}
    number = {n: bound + n for n in (0, 1, 2, 3)}
    bound += 4
    signed = {i[1]: i[3] for i in code if i[0] == OP["int"]}
    element = {i[1]: i[2] for i in code if i[0] == NV["type"]}
    of = {i[2]: i[1] for i in code if i[0] not in (NV["type"],) and len(i) > 2}
    out, moved, moved_ids, inside = [], [], set(), False
    first_type = True
    for i in code:
        op = i[0]
        if 19 <= op <= 33 and first_type:  # constants that all types may use
            first_type = False
            out += [[OP["int"], uint, 32, 0]] + [[OP["constant"], uint, number[n], n] for n in number]
        if op == OP["int"] and i[1] == uint:
            continue
        if op == OP["float"] and i[2] == 16 and brain:
            i = [*i, 0]  # FPEncoding BFloat16KHR
        if op == OP["capability"] and i[1] == 5357:
            i = [op, 6022]
        elif op == OP["spec op"] and (i[3] == NV["length"] or moved_ids & set(i[4:])):
            moved_ids.add(i[2])
            moved.append([KHR["length"], i[1], i[2], i[4]] if i[3] == NV["length"] else [i[3], i[1], i[2], *i[4:]])
            continue
        elif op == NV["type"]:
            i = [KHR["type"], i[1], i[2], number[3], i[4], i[5], number[USES[value[i[3]]]]]
        elif op == NV["load"]:
            i = [KHR["load"], i[1], i[2], i[3], number[truth[i[5]]], i[4], *i[6:]]
        elif op == NV["store"]:
            i = [KHR["store"], i[1], i[2], number[truth[i[4]]], i[3], *i[5:]]
        elif op == NV["muladd"]:
            flags = 0
            for bit, k in (1, 3), (2, 4), (4 | 8, 5):
                flags |= bit if signed.get(element[of[i[k]]]) else 0
            i = [KHR["muladd"], *i[1:]] + ([(flags | (16 if saturate else 0)) & ~without] if flags else [])
        inside |= op == OP["function"]
        if inside and moved and op not in (OP["function"], OP["label"], OP["variable"], 8, 12):
            out += moved
            moved = []
        out.append(i)
    out = [j for i in out for j in (edit(i, number) if edit else [i])]
    return struct.pack(f"<{5}I", *words[:3], bound, 0) + b"".join(struct.pack(f"<{len(i)}I", i[0] | len(i) << 16, *i[1:]) for i in out)


def as_brain(v):
    return struct.unpack("<I", struct.pack("<f", v))[0] >> 16


PACK = {"f16": lambda v: struct.pack(f"<{len(v)}e", *v), "f32": lambda v: struct.pack(f"<{len(v)}f", *v), "bf16": lambda v: struct.pack(f"<{len(v)}H", *map(as_brain, v)),
        "i8": lambda v: struct.pack(f"<{len(v)}B", *(x & 0xff for x in v)), "i32": lambda v: struct.pack(f"<{len(v)}I", *(x & 0xffffffff for x in v))}
SIDE = 16


def memory(m, stride, column_major, kind, fill=0):
    """A matrix, a list of rows, as it lies in memory."""
    lines = list(zip(*m)) if column_major else m
    out = []
    for line in lines:
        out += [*line, *[fill] * (stride - len(line))]
    return PACK[kind](out)


def product(a, b, c):
    return [[c[i][j] + sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def rand(r, least, most, rows=SIDE, columns=SIDE):
    return [[r.randint(least, most) for _ in range(columns)] for _ in range(rows)]


def run(*args):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=240)
    return r.returncode, r.stdout + r.stderr


class Shader:
    """A shader of NVIDIA's dialect, as a module of Khronos'."""

    def __init__(self, d, text, debug=False, **how):
        (d / "x.comp").write_text(HEAD + text)
        self.path = d / "x.spv"
        subprocess.run(["glslangValidator", "--quiet", *(["-g"] if debug else []), "--target-env", "vulkan1.2", d / "x.comp", "-o", d / "nv.spv"], check=True)
        self.path.write_bytes(khr((d / "nv.spv").read_bytes(), **how))


def compile_and_run(d, shader, lanes, level, files, want, groups="1", push=None, more=()):
    layout = {"nodes": [{"type": "push_constants", "size": 64}, {"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": i} for i in range(4)]}]}
    (d / "layout.json").write_text(json.dumps(layout))
    (d / "want").write_bytes(want)
    binds = ["--bind", f"0.3=zeros:{len(want)}", "--expect", f"0.3={d / 'want'}"] + (["--push", push] if push else [])
    for i, content in enumerate(files):
        (d / f"b{i}").write_bytes(content)
        binds += ["--bind", f"0.{i}={d / f'b{i}'}"]
    if driver:
        return run(lull, "run", shader.path, "--groups", groups, "--subgroup-size", lanes, "--full-subgroups", *binds)
    status, said = run(lull, "cc", level, "--layout", d / "layout.json", shader.path, "-o", d / "x.elf", f"-mattr=+wavefrontsize{lanes}", *more)
    if status != 0:
        return status, said
    return run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", groups, *binds)


PRODUCT = """layout(local_size_x = {lanes}) in;
layout(set = 0, binding = 0) readonly buffer A {{ {ta} a[]; }};
layout(set = 0, binding = 1) readonly buffer B {{ {tb} b[]; }};
layout(set = 0, binding = 2) readonly buffer C {{ {tc} c[]; }};
layout(set = 0, binding = 3) buffer R {{ {tc} r[]; }};
void main()
{{
    MA({ka}) x;
    MB({kb}) y;
    MC({kc}) z;
    coopMatLoadNV(x, a, 0, 16, {la});
    coopMatLoadNV(y, b, 0, 24, {lb});
    coopMatLoadNV(z, c, 0, 20, {lc});
    coopMatStoreNV(coopMatMulAddNV(x, y, z), r, 0, 18, {lr});
}}
"""
# name: types of buffers and matrices, kinds of numbers, their range, how the module is changed
KINDS = {
    "f16 to f32": ("float16_t", "float16_t", "float", "f, 16", "f, 16", "f, 32", "f16", "f16", "f32", -9, 9, {}),
    "f16 to f16": ("float16_t", "float16_t", "float16_t", "f, 16", "f, 16", "f, 16", "f16", "f16", "f16", -9, 9, {}),
    "bf16 to f32": ("uint16_t", "uint16_t", "float", "f, 16", "f, 16", "f, 32", "bf16", "bf16", "f32", -9, 9, {"brain": True}),
    "bf16 to bf16": ("uint16_t", "uint16_t", "uint16_t", "f, 16", "f, 16", "f, 16", "bf16", "bf16", "bf16", -3, 3, {"brain": True}),
    "i8 to i32": ("int8_t", "int8_t", "int", "i, 8", "i, 8", "i, 32", "i8", "i8", "i32", -128, 127, {}),
    "u8 to u32": ("uint8_t", "uint8_t", "uint", "u, 8", "u, 8", "u, 32", "i8", "i8", "i32", 0, 255, {}),
    "i8, u8 to i32": ("int8_t", "int8_t", "int", "i, 8", "i, 8", "i, 32", "i8", "i8", "i32", None, None, {"without": 2}),
    "i8 to i32, saturating": ("int8_t", "int8_t", "int", "i, 8", "i, 8", "i, 32", "i8", "i8", "i32", -128, 127, {"saturate": True}),
}


def products(d):
    for n, (name, (ta, tb, tc, ka, kb, kc, pa, pb, pc, least, most, how)) in enumerate(KINDS.items()):
        if driver and "bf16" in name:  # RADV 25.0.7 has none
            continue
        r = random.Random(n)
        a, b = (rand(r, -128, 127), rand(r, 0, 255)) if least is None else (rand(r, least, most), rand(r, least, most))
        c = rand(r, -50, 50)
        if how.get("saturate"):
            c = [[x + r.choice((0, (1 << 31) - 60, -(1 << 31) + 60)) for x in row] for row in c]
        d_ = product(a, b, c)
        if how.get("saturate"):
            d_ = [[min(max(x, -(1 << 31)), (1 << 31) - 1) for x in row] for row in d_]
        for lanes in 32, 64:
            for layouts in range(16) if n == 0 else (0, 5, 10, 15):
                la, lb, lc, lr = (bool(layouts >> k & 1) for k in range(4))
                word = ["false", "true"]
                shader = Shader(d, PRODUCT.format(lanes=lanes, ta=ta, tb=tb, tc=tc, ka=ka, kb=kb, kc=kc, la=word[la], lb=word[lb], lc=word[lc], lr=word[lr]), **how)
                files = [memory(a, 16, la, pa), memory(b, 24, lb, pb), memory(c, 20, lc, pc)]
                want = memory(d_, 18, lr, pc)
                for level in ("driver",) if driver else ("-O2", "-O0") if layouts in (5, 10) else ("-O2",):
                    status, said = compile_and_run(d, shader, lanes, level, files, want)
                    case(f"{name}, layouts {layouts:04b}, {lanes} lanes, {level}", status == 0, (status, said))


EACH = """layout(local_size_x = {lanes}) in;
layout(set = 0, binding = 0) readonly buffer A {{ float a[]; }};
layout(set = 0, binding = 1) readonly buffer B {{ {other} b[]; }};
layout(set = 0, binding = 2) readonly buffer C {{ float16_t c[]; }};
layout(set = 0, binding = 3) buffer R {{ float r[]; }};
{more}
void main()
{{
    MC(f, 32) x, y;
    MC(f, 16) h;
    {kind} o;
    coopMatLoadNV(x, a, 0, 16, false);
    coopMatLoadNV(o, b, 0, 16, false);
    coopMatLoadNV(h, c, 0, 16, false);
    {body}
    coopMatStoreNV(y, r, 0, 16, false);
}}
"""
FLOATS, INTS, BYTES = ("float", "MC(f, 32)", "f32"), ("int", "MC(i, 32)", "i32"), ("int8_t", "MC(i, 8)", "i8")
# name: what o is, the shader's body, what a number becomes: of x, o, h, and of lane, place, length of the vector
EACHES = {
    "add": (FLOATS, "y = x + o;", lambda x, o, h: x + o),
    "subtract": (FLOATS, "y = x - o;", lambda x, o, h: x - o),
    "divide": (FLOATS, "y = x * 8.0 / o;", lambda x, o, h: x * 8 / o),
    "negate": (FLOATS, "y = -x;", lambda x, o, h: -float(x)),
    "scale": (FLOATS, "y = x * float(o[0] * 0.0 + 3.0);", lambda x, o, h: 3 * x),
    "constant": (FLOATS, "y = x + MC(f, 32)(5.0);", lambda x, o, h: x + 5),
    "from halves": (FLOATS, "y = x - MC(f, 32)(h);", lambda x, o, h: x - h),
    "halves": (FLOATS, "MC(f, 16) g = MC(f, 16)(o); y = MC(f, 32)((h + g) * float16_t(2.0) - h);", lambda x, o, h: (h + o) * 2 - h),
    "integers": (INTS, "MC(i, 32) p = o + o - MC(i, 32)(x); y = MC(f, 32)(-p / MC(i, 32)(3)); p = p * 2;", lambda x, o, h: -1 * int((2 * o - x) / 3)),
    "unsigned": (INTS, "MC(u, 32) p = MC(u, 32)(MC(i, 32)(h)); p = p * 7u / MC(u, 32)(3u); y = MC(f, 32)(p);", lambda x, o, h: h * 7 // 3),
    "wider integers": (BYTES, "MC(i, 32) p = MC(i, 32)(o); y = MC(f, 32)(p) + MC(f, 32)(MC(u, 32)(MC(u, 8)(o)));", lambda x, o, h: o + (o & 0xff)),
    "each number": (FLOATS, "y = x; for (int i = 0; i < y.length(); i++) { y[i] = y[i] * 2.0 + o[i]; }", lambda x, o, h: 2 * x + o),
    "one of them": (FLOATS, "y = MC(f, 32)(0.0); for (int i = 0; i < y.length(); i++) if (x[i] > 0.0) y[i] = x[i];", lambda x, o, h: max(x, 0)),
    "the last": (FLOATS, "y = x; y[{last}] = 100.0;", None),
    "an array of them": (FLOATS, "MC(f, 32) m[3]; m[0] = x; m[1] = o; m[2] = MC(f, 32)(h); y = m[0]; for (int i = 1; i < 3; i++) y = y + m[i];", lambda x, o, h: x + o + h),
    "a struct": (FLOATS, "struct S { MC(f, 32) p; float q; }; S s; s.p = x; s.q = 2.0; s.p = s.p * s.q; S t = s; y = t.p;", lambda x, o, h: 2 * x),
    "chosen by a loop": (FLOATS, "y = x; for (int i = 0; i < int(b[0] * 0.0) + 4; i++) { if ((i & 1) == 0) y = y + o; else y = y - x; }", lambda x, o, h: 2 * o - x),
    "a function": (FLOATS, "y = twice(x, 3.0);", lambda x, o, h: 6 * x),
}
FUNCTION = "MC(f, 32) twice(MC(f, 32) m, float by) { m = m + m; return m * by; }"


def length_of(lanes, use="c"):
    return 256 // lanes if use == "c" else 16


def each(d):
    r = random.Random(5)
    x, o = rand(r, -60, 60), [[v or 1 for v in row] for row in rand(r, -4, 4)]
    o = [[(1, 2, 4, -2, -4)[v % 5] for v in row] for row in o]
    h = rand(r, 0, 90)
    for name, ((other, kind, pack), body, what) in EACHES.items():
        if driver and other == "int8_t":  # RADV has no accumulators of 8 bits
            continue
        for lanes in 32, 64:
            last = length_of(lanes) - 1
            more = FUNCTION if "twice" in body else ""
            shader = Shader(d, EACH.format(lanes=lanes, other=other, kind=kind, more=more, body=body.replace("{last}", str(last))))
            if what is None:  # the last number of each lane: the last rows, one for each group of 16 lanes
                want = [[100 if i >= SIDE - lanes // SIDE else x[i][j] for j in range(SIDE)] for i in range(SIDE)]
            else:
                want = [[what(x[i][j], o[i][j], h[i][j]) for j in range(SIDE)] for i in range(SIDE)]
            files = [memory(x, 16, False, "f32"), memory(o, 16, False, pack), memory(h, 16, False, "f16")]
            for level in ("driver",) if driver else ("-O2", "-O0"):
                status, said = compile_and_run(d, shader, lanes, level, files, memory(want, 16, False, "f32"))
                case(f"{name}, {lanes} lanes, {level}", status == 0, (status, said))


LENGTHS = """layout(local_size_x = {lanes}) in;
layout(set = 0, binding = 3) buffer R {{ uint r[]; }};
void main()
{{
    MA(f, 16) a;
    MB(i, 8) b;
    MC(f, 16) c;
    r[0] = a.length();
    r[1] = b.length();
    r[2] = c.length();
}}
"""
# Matrices go through shared memory, whose elements are vectors; strides are in them.
SHARED = """layout(local_size_x = {lanes}) in;
layout(set = 0, binding = 0) readonly buffer A {{ uvec2 a[]; }};
layout(set = 0, binding = 1) readonly buffer B {{ float16_t b[]; }};
layout(set = 0, binding = 2) readonly buffer C {{ uvec2 c[]; }};
layout(set = 0, binding = 3) buffer R {{ float r[]; }};
shared uvec2 sa[16 * 6];
shared float16_t sb[16 * 24];
shared float sr[16 * 20];
void main()
{{
    MA(f, 16) x;
    MB(f, 16) y;
    MC(f, 32) z;
    for (uint i = gl_LocalInvocationIndex; i < 64; i += gl_WorkGroupSize.x) sa[i / 4 * 6 + i % 4] = a[i];
    for (uint i = gl_LocalInvocationIndex; i < 256; i += gl_WorkGroupSize.x) sb[i / 16 * 24 + i % 16] = b[i];
    barrier();
    coopMatLoadNV(x, sa, 0, 6, {la});
    coopMatLoadNV(y, sb, 0, 24, {lb});
    coopMatLoadNV(z, c, 8, 8, false);
    coopMatStoreNV(coopMatMulAddNV(x, y, z), sr, 0, 20, {lr});
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < 256; i += gl_WorkGroupSize.x) r[i] = sr[i / 16 * 20 + i % 16];
}}
"""
# 64 x 64 numbers for each workgroup, 32 x 32 for each of its waves; matrices that are no multiple of it.
TILES = """layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer A {{ float16_t a[]; }};
layout(set = 0, binding = 1) readonly buffer B {{ float16_t b[]; }};
layout(set = 0, binding = 2) readonly buffer C {{ float c[]; }};
layout(set = 0, binding = 3) buffer R {{ float r[]; }};
layout(push_constant) uniform P {{ uint m, n, k; }};
shared float16_t sa[64 * 72], sb[64 * 72];
shared float sr[64 * 64];
void main()
{{
    uint id = gl_LocalInvocationIndex, row0 = gl_WorkGroupID.y * 64, column0 = gl_WorkGroupID.x * 64;
    uint part = gl_SubgroupID * {lanes} / 32, mine = part & 1u, top = (part >> 1) * 32;
    MC(f, 32) sums[2][2];
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) sums[i][j] = MC(f, 32)(0.0);
    for (uint step = 0; step < k; step += 64) {{
        for (uint i = id; i < 64 * 64; i += 128) {{
            uint y = i / 64, x = i % 64;
            sa[y * 72 + x] = row0 + y < m && step + x < k ? a[(row0 + y) * k + step + x] : float16_t(0);
            sb[y * 72 + x] = step + y < k && column0 + x < n ? b[(step + y) * n + column0 + x] : float16_t(0);
        }}
        barrier();
        for (uint t = 0; t < 64; t += 16) {{
            for (int i = 0; i < 2; i++) {{
                MA(f, 16) x;
                coopMatLoadNV(x, sa, (top + i * 16) * 72 + t, 72, false);
                for (int j = 0; j < 2; j++) {{
                    MB(f, 16) y;
                    coopMatLoadNV(y, sb, t * 72 + mine * 32 + j * 16, 72, false);
                    sums[i][j] = coopMatMulAddNV(x, y, sums[i][j]);
                }}
            }}
        }}
        barrier();
    }}
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++)
        coopMatStoreNV(sums[i][j], sr, (top + i * 16) * 64 + mine * 32 + j * 16, 64, false);
    barrier();
    for (uint i = id; i < 64 * 64; i += 128) {{
        uint y = row0 + i / 64, x = column0 + i % 64;
        if (y < m && x < n) r[y * n + x] = sr[i] + c[y * n + x];
    }}
}}
"""


def others(d):
    for lanes in 32, 64:
        shader = Shader(d, LENGTHS.format(lanes=lanes))
        status, said = compile_and_run(d, shader, lanes, "-O2", [], struct.pack("<3I", 16, 16, 256 // lanes))
        case(f"lengths, {lanes} lanes", status == 0, (status, said))
        r = random.Random(9)
        a, b, c = rand(r, -9, 9), rand(r, -9, 9), rand(r, -9, 9)
        for layouts in range(8):
            la, lb, lr = (bool(layouts >> k & 1) for k in range(3))
            word = ["false", "true"]
            shader = Shader(d, SHARED.format(lanes=lanes, la=word[la], lb=word[lb], lr=word[lr]))
            files = [memory(a, 16, la, "f16"), memory(b, 16, lb, "f16"), bytes(64) + memory(c, 16, False, "f32")]
            want = memory(product(a, b, c), 16, lr, "f32")
            for level in ("driver",) if driver else ("-O2", "-O0") if layouts in (2, 5) else ("-O2",):
                status, said = compile_and_run(d, shader, lanes, level, files, want)
                case(f"shared memory, layouts {layouts:03b}, {lanes} lanes, {level}", status == 0, (status, said))
    m, n, k = 70, 100, 83
    r = random.Random(3)
    a, b, c = rand(r, -3, 3, m, k), rand(r, -3, 3, k, n), rand(r, -50, 50, m, n)
    flat = [[x for row in v for x in row] for v in (a, b, c, product(a, b, c))]
    files = [PACK["f16"](flat[0]), PACK["f16"](flat[1]), PACK["f32"](flat[2])]
    shader = Shader(d, TILES.format(lanes=32))
    for level in ("driver",) if driver else ("-O2", "-O0"):
        status, said = compile_and_run(d, shader, 32, level, files, PACK["f32"](flat[3]), groups="2,2", push=f"u32:{m},{n},{k}")
        case(f"{m} x {k} by {k} x {n} in tiles of 64 x 64, {level}", status == 0, (status, said))
    if driver:
        return
    shader = Shader(d, LENGTHS.format(lanes=32).replace("r[0]", "a = MA(f, 16)(1.0); c = MC(f, 16)(2.0); r[0]"), debug=True)
    for level in "-O0", "-O2":
        status, said = run(lull, "cc", "-g", level, "--relocatable", shader.path, "-o", d / "g.elf")
        dwarf = run("llvm-dwarfdump-19", "--name=a", "--name=c", d / "g.elf")[1] + run("llvm-dwarfdump-19", "--verify", d / "g.elf")[1] if status == 0 else ""
        types = re.findall(r'DW_AT_type\s+\(\S+ "(.*)"', dwarf)
        good = status == 0 and "No errors" in dwarf and (level == "-O2" or types == ["float16_t[16]", "float16_t[8]"])
        case(f"debug information {level}", good, (status, said, types, dwarf[-800:]))


def chips(d):
    word = {"f16 to f32": "v_wmma_f32_16x16x16_f16", "f16 to f16": "v_wmma_f16_16x16x16_f16", "i8 to i32": "v_wmma_i32_16x16x16_iu8"}
    for name, insn in word.items():
        ta, tb, tc, ka, kb, kc = KINDS[name][:6]
        for lanes in 32, 64:
            shader = Shader(d, PRODUCT.format(lanes=lanes, ta=ta, tb=tb, tc=tc, ka=ka, kb=kb, kc=kc, la="false", lb="true", lc="false", lr="true"), **KINDS[name][11])
            for chip in "gfx1100", "gfx1200":
                status, said = run(lull, "cc", f"-mcpu={chip}", f"-mattr=+wavefrontsize{lanes}", "--relocatable", shader.path, "-o", d / "c.elf")
                code = run("llvm-objdump-19", "-d", f"--mcpu={chip}", d / "c.elf")[1] if status == 0 else ""
                case(f"{name}, {chip}, {lanes} lanes", status == 0 and code.count(insn) == 1, (status, said, code[-500:]))
    for chip in "gfx900", "gfx1030":
        status, said = run(lull, "cc", f"-mcpu={chip}", "--relocatable", shader.path, "-o", d / "n.elf")
        case(f"refused for {chip}", status == 3 and not (d / "n.elf").exists() and
             re.search(r"word \d+: Op\w+ %\d+: a cooperative matrix, for gfx\d+; gfx11 and gfx12 have them", said) is not None, (status, said))


def refusals(d):
    """What there is no instruction for, or no such thing: one line, with word, instruction and id."""
    text = PRODUCT.format(lanes=32, ta="float16_t", tb="float16_t", tc="float", ka="f, 16", kb="f, 16", kc="f, 32", la="false", lb="true", lc="false", lr="true")

    def words(op, at, new):
        def change(i, number):
            return [[*i[:at], number[new] if new is not None else i[at - 1], *i[at + 1:]] if i[0] == op else i]
        return change

    rows = [
        ("scope", text, words(KHR["type"], 3, 2), r"OpVariable %\d+: a cooperative matrix of scope 2; those of a subgroup \(3\)"),
        ("rows", text, words(KHR["type"], 4, 3), r"a cooperative matrix of 3 x 16; the processor has those of 16 x 16"),
        ("use", text, words(KHR["type"], 6, 3), r"OpTypeCooperativeMatrixKHR %\d+: a type that cannot be"),
        ("layout", text, words(KHR["load"], 4, 3), r"OpCooperativeMatrixLoadKHR %\d+: memory layout 3 of cooperative matrices"),
        ("no stride", text, lambda i, n: [i[:5] if i[0] == KHR["load"] else i], r"OpCooperativeMatrixLoadKHR %\d+: the stride is missing"),
        ("operands missing", text, lambda i, n: [i[:4] if i[0] == KHR["load"] else i], r"OpCooperativeMatrixLoadKHR %\d+: operands are missing"),
        ("other uses", text, lambda i, n: [[*i[:3], i[4], i[3], i[5]] if i[0] == KHR["muladd"] else i], r"OpCooperativeMatrixMulAddKHR %\d+: %\d+ is of another use"),
        ("floats of 32 bits", text.replace("MA(f, 16)", "MA(f, 32)").replace("MB(f, 16)", "MB(f, 32)").replace("float16_t", "float"), None,
         r"OpCooperativeMatrixMulAddKHR %\d+: a product of cooperative matrices: floats of 32 bits by floats of 32 bits to floats of 32 bits"),
        ("not a pointer to numbers", text, lambda i, n: [[*i[:3], i[2], *i[4:]] if i[0] == KHR["load"] else i], r"is used before it is defined|is not a pointer"),
        ("another instruction", text, lambda i, n: [[148, *i[1:5]] if i[0] == KHR["muladd"] else i], r"OpDot %\d+: %\d+ is of a wrong type"),
        ("sum of A and B", text, lambda i, n: [[129, *i[1:5]] if i[0] == KHR["muladd"] else i], r"OpFAdd %\d+: operands that do not fit the type of the result"),
        ("in shared memory", text, lambda i, n: [[i[0], *i[1:(2 if i[0] == 32 else 3)], 4, *i[(3 if i[0] == 32 else 4):]] if i[0] in (32, 59) and 7 in i[2:4] else i],
         r"OpVariable %\d+: a cooperative matrix in memory that is not a lane's own"),
    ]
    for name, source, edit, want in rows:
        try:
            shader = Shader(d, source, edit=edit)
        except subprocess.CalledProcessError:
            case(f"refused: {name}", False, "glslang refuses it first")
            continue
        status, said = run(lull, "cc", "--relocatable", shader.path, "-o", d / "bad.elf")
        case(f"refused: {name}", status == 3 and said.count("\n") == 1 and not (d / "bad.elf").exists() and re.search(want, said) is not None, (status, said))


def damaged(d):
    """Good modules with words changed at random: compiled or refused by one line."""
    text = TILES.format(lanes=32), EACH.format(lanes=32, other="float", kind="MC(f, 32)", more=FUNCTION, body="y = twice(x, 3.0) - MC(f, 32)(h) * o[1];")
    for which, source in enumerate(text):
        good = Shader(d, source).path.read_bytes()
        for n in range(24):
            r = random.Random(f"{which} {n}")
            words = list(struct.unpack(f"<{len(good) // 4}I", good))
            for _ in range(r.choice([1, 1, 1, 2, 4])):
                at = r.randrange(5, len(words))
                words[at] = r.choice([r.randrange(words[3]), r.randrange(words[3]), words[r.randrange(5, len(words))], words[at] ^ 1 << r.randrange(20)])
            (d / "bad.spv").write_bytes(struct.pack(f"<{len(words)}I", *words))
            status, said = run(lull, "cc", "--relocatable", "-O0", d / "bad.spv", "-o", d / "bad.elf")
            case(f"module {which}, changed by seed {n}", status == 0 or (status == 3 and said.count("\n") == 1 and "LLVM failed" not in said), (status, said))


with tempfile.TemporaryDirectory() as tmp:
    for part in products, each, others, chips, refusals, damaged:
        if not only or part.__name__ in only:
            part(pathlib.Path(tmp))
end()
