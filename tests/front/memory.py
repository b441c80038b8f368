#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Memory that shaders have in other ways than most: arrays of arrays of descriptors, shared memory with an initializer, uniform buffers at
offsets that are one or differ, pointers that are chosen. Run on the model, and compared with what this script computes. memory.py LULL [NAME...]"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, only = sys.argv[1], sys.argv[2:]


def run(*args):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=120)
    return r.returncode, r.stdout + r.stderr


def u32(values):
    return struct.pack(f"<{len(values)}I", *(v & 0xffffffff for v in values))


ARRAYS = """#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint v[]; } b[2][3][2];
layout(set = 0, binding = 1) uniform U { uvec4 k; } u[3][2];
layout(set = 0, binding = 2, r32ui) uniform uimage2D im[2][2];
layout(set = 0, binding = 3) buffer R { uint r[]; };
layout(push_constant) uniform P { uint one; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    uint sum = b[one][2][0].v[i] + u[2][one].k.y * 1000u;
    sum += b[nonuniformEXT(i % 2)][nonuniformEXT(i / 2 % 3)][nonuniformEXT(i / 6 % 2)].v[i];
    sum += u[nonuniformEXT(i % 3)][nonuniformEXT(i / 3 % 2)].k[i % 4];
    sum += imageLoad(im[one][0], ivec2(i % 4, 0)).x + uint(b[one][0][1].v.length()) * 7u;
    b[0][one][1].v[64 + i] = sum;
    r[i] = sum;
}
"""


def arrays():
    size = 128
    b = [[k * 10000 + i for i in range(size)] for k in range(12)]
    u = [[k * 16 + c for c in range(4)] for k in range(6)]
    im = [[[k * 100 + x for x in range(4)] for _ in range(4)] for k in range(4)]
    binds = {f"0.0[{k}]": u32(v) for k, v in enumerate(b)} | {f"0.1[{k}]": u32(v) for k, v in enumerate(u)}
    images = {f"0.2[{k}]": u32([x for row in v for x in row]) for k, v in enumerate(im)}
    want = []
    for i in range(64):
        at = (i % 2 * 3 + i // 2 % 3) * 2 + i // 6 % 2
        want.append(b[1 * 6 + 2 * 2][i] + u[2 * 2 + 1][1] * 1000 + b[at][i] + u[i % 3 * 2 + i // 3 % 2][i % 4] + im[2][0][i % 4] + size * 7)
    layout = [{"type": "buffer", "binding": 0, "count": 12}, {"type": "buffer", "binding": 1, "count": 6},
              {"type": "combined_texture", "binding": 2, "count": 4}, {"type": "buffer", "binding": 3}]
    return ARRAYS, layout, binds, images, {"0.0[3]": u32(b[3][:64] + want), "0.3": u32(want)}, 1, 64


# With a seed the model begins with numbers in shared memory, and the groups leave others; each must see zeros.
CLEARED = """#version 460
#extension GL_EXT_null_initializer : require
layout(local_size_x = 16, local_size_y = 3) in;
struct S { vec3 v; uint w; };
shared uint big[1000] = {};
shared struct { uint x; } one = {};
shared S s[3] = {};
shared uint not_cleared[8];
layout(set = 0, binding = 0) buffer R { uint r[]; };
void main()
{
    uint i = gl_LocalInvocationIndex, sum = 0;
    for (uint k = i; k < 1000; k += 48) sum += big[k] == 0u ? 1u : 0u;
    if (i < 3) sum += s[i].v == vec3(0) && s[i].w == 0u ? 100000u : 0u;
    sum += one.x == 0u ? 1000000u : 0u;
    barrier();
    r[gl_WorkGroupID.x * 48 + i] = sum;
    for (uint k = i; k < 1000; k += 48) big[k] = k + 1;
    if (i < 8) not_cleared[i] = i;
    if (i < 3) s[i] = S(vec3(1), 2);
    one.x = 5;
}
"""


def cleared():
    want = [sum(1 for _ in range(i, 1000, 48)) + (100000 if i < 3 else 0) + 1000000 for i in range(48)] * 5
    return CLEARED, [{"type": "buffer", "binding": 0}], {}, {}, {"0.0": u32(want)}, 5, None


UNIFORM = """#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(scalar, set = 0, binding = 0) uniform U { uint a; vec3 v; double d; uvec4 many[8]; mat3 m; uint16_t h[4]; uint64_t q[3]; uint last[7]; } u;
layout(set = 0, binding = 1) buffer R { uint r[]; };
layout(push_constant) uniform P { uint at; };
void main()
{
    uint i = gl_LocalInvocationIndex, same = gl_WorkGroupID.x + at;
    uint sum = u.a + uint(dot(u.v, vec3(1, 10, 100))) + uint(u.d);
    sum += u.many[same].z + u.many[i % 8].y + u.many[same][i % 4] + uint(u.m[same].y) * 1000u + uint(u.m[i % 3][same]) * 3000u;
    sum += uint(u.h[same]) + uint(u.h[i % 4]) + uint(u.q[i % 3]) + uint(u.q[same] >> 32);
    sum += u.last[i % 9 < 7 ? i % 9 : 6] + u.last[same * 2];
    r[gl_WorkGroupID.x * 64 + i] = sum;
}
"""


def uniform():
    many = [[k * 100 + c for c in range(4)] for k in range(8)]
    m = [[k * 3 + c for c in range(3)] for k in range(3)]
    h, q, last = [5, 6, 7, 8], [11 | 21 << 32, 12 | 22 << 32, 13 | 23 << 32], [900 + k for k in range(7)]
    # scalar layout: each number at a multiple of its own size
    data = struct.pack("<I3fd", 40, 2, 3, 4, 77)
    data += u32([x for v in many for x in v]) + struct.pack("<9f", *(x for v in m for x in v))
    data += bytes(-len(data) % 2) + struct.pack("<4H", *h)
    data += bytes(-len(data) % 8) + struct.pack("<3Q", *q) + u32(last)
    want = []
    for group in range(2):
        for i in range(64):
            same = group + 1
            v = 40 + 432 + 77 + many[same][2] + many[i % 8][1] + many[same][i % 4] + m[same][1] * 1000 + m[i % 3][same] * 3000
            want.append(v + h[same] + h[i % 4] + (q[i % 3] & 0xffffffff) + (q[same] >> 32) + last[min(i % 9, 6)] + last[same * 2])
    return UNIFORM, [{"type": "buffer", "binding": 0}, {"type": "buffer", "binding": 1}], {"0.0": data}, {}, {"0.1": u32(want)}, 2, None


# Of A and B, buffers of 64 words, and two arrays in shared memory.
POINTERS = """OpCapability Shader
OpCapability VariablePointers
OpExtension "SPV_KHR_variable_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %A %B %R %sx %sy
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %pint ArrayStride 4
OpMemberDecorate %s0 0 Offset 0
OpDecorate %s0 Block
OpDecorate %A DescriptorSet 0
OpDecorate %A Binding 0
OpDecorate %B DescriptorSet 0
OpDecorate %B Binding 1
OpDecorate %R DescriptorSet 0
OpDecorate %R Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 0
%c0 = OpConstant %int 0
%c1 = OpConstant %int 1
%c3 = OpConstant %int 3
%c5 = OpConstant %int 5
%c7 = OpConstant %int 7
%c8 = OpConstant %int 8
%c100 = OpConstant %int 100
%c64 = OpConstant %int 64
%c264 = OpConstant %int 264
%array = OpTypeRuntimeArray %int
%s0 = OpTypeStruct %array
%ps = OpTypePointer StorageBuffer %s0
%pint = OpTypePointer StorageBuffer %int
%pin = OpTypePointer Input %int
%tile = OpTypeArray %int %c64
%ptile = OpTypePointer Workgroup %tile
%pw = OpTypePointer Workgroup %int
%pick = OpTypeFunction %pint %pint %pint %bool
%nothing = OpConstantNull %pint
%id = OpVariable %pin Input
%A = OpVariable %ps StorageBuffer
%B = OpVariable %ps StorageBuffer
%R = OpVariable %ps StorageBuffer
%sx = OpVariable %ptile Workgroup
%sy = OpVariable %ptile Workgroup
%choose = OpFunction %pint None %pick
%one = OpFunctionParameter %pint
%other = OpFunctionParameter %pint
%which = OpFunctionParameter %bool
%cb = OpLabel
OpSelectionMerge %cm None
OpBranchConditional %which %ct %cf
%ct = OpLabel
OpReturnValue %one
%cf = OpLabel
OpReturnValue %other
%cm = OpLabel
OpUnreachable
OpFunctionEnd
%main = OpFunction %void None %fn
%begin = OpLabel
%i = OpLoad %int %id
%i3 = OpBitwiseAnd %int %i %c3
%odd = OpBitwiseAnd %int %i %c1
%is = OpIEqual %bool %odd %c1
%pa = OpAccessChain %pint %A %c0 %i
%pb = OpAccessChain %pint %B %c0 %i3
{body}
%pr = OpAccessChain %pint %R %c0 %i
OpStore %pr %r
OpReturn
OpFunctionEnd
"""
NUMBERS_A, NUMBERS_B = [i * 3 + 1 for i in range(80)], [i * 1000 + 5 for i in range(80)]
# name: instructions that make %r, what it is
CHOSEN = {
    "one of two buffers": ("%p = OpSelect %pint %is %pa %pb\n%r = OpLoad %int %p", lambda i: NUMBERS_A[i] if i & 1 else NUMBERS_B[i & 3]),
    "one that a function chose": ("%p = OpFunctionCall %pint %choose %pa %pb %is\n%q = OpPtrAccessChain %pint %p %c3\n%r = OpLoad %int %q",
                                  lambda i: NUMBERS_A[i + 3] if i & 1 else NUMBERS_B[(i & 3) + 3]),
    "one that moves in a loop": (
        "%first = OpSelect %pint %is %pa %pb\nOpBranch %h\n%h = OpLabel\n%p = OpPhi %pint %first %begin %n %k\n%t = OpPhi %int %c0 %begin %t1 %k\n"
        "%sum = OpPhi %int %c0 %begin %s1 %k\nOpLoopMerge %e %k None\nOpBranch %b\n%b = OpLabel\n%v = OpLoad %int %p\n%s1 = OpIAdd %int %sum %v\nOpBranch %k\n"
        "%k = OpLabel\n%n = OpPtrAccessChain %pint %p %c1\n%t1 = OpIAdd %int %t %c1\n%go = OpULessThan %bool %t1 %c5\nOpBranchConditional %go %h %e\n%e = OpLabel\n%r = OpCopyObject %int %s1",
        lambda i: sum(NUMBERS_A[i:i + 5]) if i & 1 else sum(NUMBERS_B[i & 3:(i & 3) + 5])),
    "one of two arrays in shared memory": (
        "%px = OpAccessChain %pw %sx %i\n%py = OpAccessChain %pw %sy %i\nOpStore %px %i\n%hundred = OpIAdd %int %i %c100\nOpStore %py %hundred\n"
        "%scope = OpCopyObject %int %c1\nOpControlBarrier %c2 %c2 %c264\n%rev = OpBitwiseXor %int %i %c7\n%qx = OpAccessChain %pw %sx %rev\n%qy = OpAccessChain %pw %sy %rev\n"
        "%p = OpSelect %pw %is %qx %qy\n%r = OpLoad %int %p", lambda i: (i ^ 7) + (0 if i & 1 else 100)),
    "the distance of two": ("%q = OpPtrAccessChain %pint %pa %c7\n%r = OpPtrDiff %int %q %pa", lambda i: 7),
    "the same or not": (
        "%q = OpAccessChain %pint %A %c0 %i3\n%same = OpPtrEqual %bool %pa %q\n%other_ = OpPtrNotEqual %bool %pa %pb\n%x = OpSelect %int %same %c1 %c0\n"
        "%y = OpSelect %int %other_ %c100 %c0\n%r = OpIAdd %int %x %y", lambda i: (1 if i < 4 else 0) + 100),
    "none or one": (
        "%p = OpSelect %pint %is %pa %nothing\n%no = OpPtrEqual %bool %p %nothing\nOpSelectionMerge %m None\nOpBranchConditional %no %m %t\n%t = OpLabel\n%v = OpLoad %int %p\n"
        "OpBranch %m\n%m = OpLabel\n%r = OpPhi %int %c8 %begin %v %t", lambda i: NUMBERS_A[i] if i & 1 else 8),
    "one in a variable": (
        "OpBranch %w\n%w = OpLabel\nOpStore %keep %pa\nOpSelectionMerge %m None\nOpBranchConditional %is %m %t\n%t = OpLabel\nOpStore %keep %pb\nOpBranch %m\n%m = OpLabel\n"
        "%p = OpLoad %pint %keep\n%r = OpLoad %int %p", lambda i: NUMBERS_A[i] if i & 1 else NUMBERS_B[i & 3]),
}


ROWS = {"arrays of arrays": arrays, "shared memory with an initializer": cleared, "uniform buffers": uniform}

with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)
    for name, make in ROWS.items():
        if only and name not in only:
            continue
        source, nodes, binds, images, want, groups, _ = make()
        (d / "layout.json").write_text(json.dumps({"nodes": [{"type": "push_constants", "size": 16}, {"type": "table", "set": 0, "nodes": nodes}]}))
        (d / "x.comp").write_text(source)
        args = []
        for n, (place, data) in enumerate({**binds, **images}.items()):
            (d / f"b{n}").write_bytes(data)
            args += ["--bind", f"{place}=image:4x4:r32ui:{d / f'b{n}'}" if place in images else f"{place}={d / f'b{n}'}"]
        for n, (place, data) in enumerate(want.items()):
            (d / f"w{n}").write_bytes(data)
            args += [] if place in binds else ["--bind", f"{place}=zeros:{len(data)}"]
            args += ["--expect", f"{place}={d / f'w{n}'}"]
        for level in "-O0", "-O2":
            for lanes in 32, 64:
                status, said = run(lull, "cc", level, "--layout", d / "layout.json", d / "x.comp", "-o", d / "x.elf", f"-mattr=+wavefrontsize{lanes}")
                if status == 0:
                    status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", groups, "--seed", 7, "--push", "u32:1,0,0,0", *args)
                case(f"{name} {level}, {lanes} lanes", status == 0, (status, said))
                if make is uniform and level == "-O2" and status == 0:
                    code = run("llvm-objdump-19", "-d", f"--mattr={'+' if lanes == 64 else '-'}wavefrontsize64", "--mcpu=gfx1100", d / "x.elf")[1]
                    scalar, vector = code.count("\ts_buffer_load_"), code.count("\tbuffer_load_")
                    case(f"{name}: scalar loads where the offset is one for all, {lanes} lanes", scalar >= 5 and vector >= 5, (scalar, vector))
    (d / "layout.json").write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": i} for i in range(3)]}]}))
    (d / "a").write_bytes(u32(NUMBERS_A))
    (d / "b").write_bytes(u32(NUMBERS_B))
    for name, (body, what) in CHOSEN.items():
        if only and name not in only:
            continue
        text = POINTERS.format(body=body).replace("%c3 = ", "%c2 = OpConstant %int 2\n%c3 = ")
        if "%keep" in body:
            text = text.replace("%id = OpVariable", "%ppint = OpTypePointer Function %pint\n%id = OpVariable").replace("%begin = OpLabel", "%begin = OpLabel\n%keep = OpVariable %ppint Function")
        subprocess.run(["spirv-as", "--target-env", "spv1.4", "-", "-o", d / "x.spv"], input=text, text=True, check=True)
        (d / "want").write_bytes(u32([what(i) for i in range(64)]))
        for level in "-O0", "-O2":
            status, said = run(lull, "cc", level, "--layout", d / "layout.json", d / "x.spv", "-o", d / "x.elf")
            if status == 0:
                status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", 1, "--bind", f"0.0={d / 'a'}", "--bind", f"0.1={d / 'b'}",
                                   "--bind", "0.2=zeros:256", "--expect", f"0.2={d / 'want'}")
            case(f"pointers: {name} {level}", status == 0, (status, said))
end()
