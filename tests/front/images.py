#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Images, samplers and texel buffers in forms that tests/vulkan has not: compiled by lull cc and run as pipelines, and compared with what RADV's
compiler (ACO) makes of the same shader on the same model; sparse forms with those that are not, in the same shader. images.py LULL"""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
HEAD = """#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_shader_image_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_ARB_sparse_texture2 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer O { vec4 o[]; };
layout(set = 0, binding = 2) buffer N { uvec4 n[]; };
uint i = gl_LocalInvocationIndex;
vec3 p = vec3(i % 8u, i / 8u, i % 5u) / 8.0 - 0.28;
vec3 d = vec3(i % 8u, i / 8u, i % 5u) - vec3(3.4, 3.3, 1.9);
float l = float(i % 16u) / 8.0 + 1.0 / 32.0;
uint at = 0;
void put(vec4 v) { o[at++ * 64 + i] = v; }
void put(float v) { put(vec4(v, 0, 0, 0)); }
void put(uvec4 v) { n[at++ * 64 + i] = v; } // compared exactly
"""
MIPS = "mips=4:filter=linear:mip=linear"

# LLVM's disassembler says what is stored, and with how many coordinates.
SAMPLES = """#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform image2DMS a;
layout(set = 0, binding = 1, r32ui) uniform uimage2DMSArray b;
layout(set = 0, binding = 2) buffer O { uint o[]; };
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    int s = int(gl_WorkGroupID.z);
    imageStore(a, p, s, vec4(p, s, 1) / 255.0);
    imageStore(b, ivec3(p, 1), s, uvec4(p.x, p.y, s, 4));
    o[p.x] = imageAtomicAdd(b, ivec3(p, 2), s, 5u) + imageAtomicCompSwap(b, ivec3(p, 3), s, 5u, 6u);
}
"""
STORED = [("image_store", "0xf", "2D_MSAA", 3), ("image_store", "0xf", "2D_MSAA_ARRAY", 4), ("image_atomic_add", "0x1", "2D_MSAA_ARRAY", 4),
          ("image_atomic_cmpswap", "0x3", "2D_MSAA_ARRAY", 4)]

# Each sample of 8x8 texels in two layers is written out, and then changed; a sample that there is not stays away.
EACH_SAMPLE = """#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2DMSArray t;
layout(set = 0, binding = 1) buffer O { uint o[]; };
void main()
{
    ivec3 p = ivec3(gl_GlobalInvocationID);
    int n = imageSamples(t), first = ((p.z * 8 + p.y) * 8 + p.x) * n;
    for (int s = 0; s < n; s++) {
        o[first + s] = imageLoad(t, p, s).x;
        if (s % 2 == 0) imageAtomicAdd(t, p, s, 1000u * (s + 1)); else imageStore(t, p, s, uvec4(o[first + s] ^ 0xffffu));
    }
    imageStore(t, p, n, uvec4(7));
    imageStore(t, p, -1, uvec4(8));
}
"""

# name, binding 0 (and 2), what is bound, is it a cube, results with a tolerance; or integers
ROWS = [
    ("projections", "uniform sampler2D t;", f"image:8x8:rgba32f:rand:1:{MIPS}", """
     put(textureProjLod(t, vec3(p.xy, 1.5), l)); put(textureProjLod(t, vec4(p.xy, 9, 0.75), l));
     put(textureProjLodOffset(t, vec3(p.xy, 1.5), l, ivec2(1, -2)));
     put(textureProjGrad(t, vec3(p.xy, 2), vec2(0.125, 0), vec2(0, 0.25)));
     put(textureProjGradOffset(t, vec3(p.xy, 2), vec2(0.125, 0), vec2(0, 0.25), ivec2(-3, 1)));"""),
    ("projected shadows", "uniform sampler2DShadow t;", "image:8x8:d32f:rand:2:compare=less:filter=linear", """
     put(textureProjLod(t, vec4(p.xy, 0.7, 1.5), 0)); put(textureLodOffset(t, vec3(p.xy, 0.5), 0, ivec2(1, 2)));
     put(textureGrad(t, vec3(p.xy, 0.5), vec2(0.1), vec2(0.2))); put(textureGatherOffset(t, p.xy, 0.5, ivec2(2, -1)));
     put(textureGatherOffsets(t, p.xy, 0.25, ivec2[](ivec2(0, 1), ivec2(-2, 3), ivec2(4, -5), ivec2(1, 1))));"""),
    ("derivatives of a line", "uniform sampler1D t;", f"image:16:rgba32f:rand:3:{MIPS}", """
     put(textureGrad(t, p.x, 0.25, 0.1)); put(textureGradOffset(t, p.x, 0.1, 0.3, 2)); put(textureProjLod(t, p.xy, l));"""),
    ("derivatives of layers", "uniform sampler2DArray t;", f"image:8x8:rgba32f:rand:4:layers=3:{MIPS}", """
     put(textureGrad(t, vec3(p.xy, l * 2), vec2(0.25, 0), vec2(0, 0.3))); put(textureLod(t, vec3(p.xy, l * 2 - 1), l));
     put(textureGatherOffset(t, vec3(p.xy, l), ivec2(1), 2));"""),
    ("derivatives of a volume", "uniform sampler3D t;", f"image:8x8x8:rgba32f:rand:5:{MIPS}", """
     put(textureGrad(t, p, vec3(0.25, 0, 0), vec3(0, 0.1, 0.3))); put(textureGradOffset(t, p, vec3(0.2), vec3(0), ivec3(1, 2, -3)));"""),
    ("a cube", "uniform samplerCube t;", f"image:16x16:rgba32f:rand:6:layers=6:{MIPS}:cube", """
     put(textureLod(t, d, l)); put(textureGather(t, d, 1)); put(uvec4(textureSize(t, 1), textureQueryLevels(t), 0));"""),
    ("cubes in layers", "uniform samplerCubeArray t;", f"image:16x16:rgba32f:rand:7:layers=12:{MIPS}:cube", """
     put(textureGather(t, vec4(d, l - 1), 2));
     put(textureLod(t, vec4(d, l * 2 - 1), l)); put(uvec4(textureSize(t, 1), textureQueryLevels(t)));"""),
    ("shadows of cubes in layers", "uniform samplerCubeArrayShadow t;", "image:8x8:d32f:rand:8:layers=12:compare=greater:cube", """
     put(texture(t, vec4(d, l), 0.5)); put(textureGather(t, vec4(d, l), 0.4));"""),
    ("shadows in layers", "uniform sampler2DArrayShadow t;", "image:8x8:d32f:rand:9:layers=3:compare=less-equal:filter=linear", """
     put(texture(t, vec4(p.xy, l, 0.5))); put(textureGather(t, vec3(p.xy, l), 0.4));"""),
    ("fetches", "uniform isampler2DArray t;", "image:8x8:rgba16i:rand:10:layers=3:mips=3", """
     put(uvec4(texelFetch(t, ivec3(i % 9, i / 9, i % 4) - 1, int(i % 4)))); put(uvec4(texelFetchOffset(t, ivec3(i % 9, i / 9, 1), 0, ivec2(-1, 2))));
     put(uvec4(textureSize(t, int(i % 3)), textureQueryLevels(t)));"""),
    ("images in an array, each lane another", "uniform sampler2D t[4];", [f"image:8x8:rgba32f:rand:{20 + n}" for n in range(4)], """
     put(textureLod(t[nonuniformEXT(i % 4)], p.xy, 0)); put(texelFetch(t[nonuniformEXT(i / 7 % 4)], ivec2(i % 8, i / 8), 0));
     put(textureLod(t[2], p.xy, 0)); put(textureLod(t[gl_WorkGroupID.x + 1], p.xy, 0));"""),
    ("stored images in an array", "layout(r32ui) uniform uimage2D t[3];", [f"image:8x8:r32ui:rand:{30 + n}" for n in range(3)], """
     ivec2 a = ivec2(i % 8, i / 8); put(imageLoad(t[nonuniformEXT(i % 3)], a)); imageStore(t[nonuniformEXT((i + 1) % 3)], a, uvec4(i * 77));
     put(uvec4(imageAtomicAdd(t[nonuniformEXT((i + 2) % 3)], a, i), imageAtomicCompSwap(t[nonuniformEXT((i + 2) % 3)], a, 5, 6), imageSize(t[i % 3])));"""),
    ("texel buffers in an array", "layout(r32ui) uniform uimageBuffer t[3];", [f"texels:r32ui:rand:{33 + n}:64:u32" for n in range(3)], """
     put(imageLoad(t[nonuniformEXT(i % 3)], int(i))); imageStore(t[nonuniformEXT((i + 1) % 3)], int(i), uvec4(i));
     put(uvec4(imageAtomicMax(t[nonuniformEXT((i + 2) % 3)], int(i), 1u << 31), imageAtomicCompSwap(t[nonuniformEXT((i + 2) % 3)], int(i), 1u << 31, 6),
     imageSize(t[0]), imageAtomicExchange(t[nonuniformEXT((i + 2) % 3)], int(i), 9)));"""),
    ("64 bits", "layout(r64ui) uniform u64image2D t;", "image:8x8:r64ui:rand:40", """
     ivec2 a = ivec2(i % 8, i / 8); u64vec4 v = imageLoad(t, a); put(uvec4(unpackUint2x32(v.x), uint(v.y), uint(v.w)));
     uint64_t w = imageAtomicAdd(t, a, v.x ^ 0x123456789abcul); put(uvec4(unpackUint2x32(w), unpackUint2x32(imageAtomicMax(t, a, 1ul << 63))));
     w = imageAtomicCompSwap(t, a, 1ul << 63, 55ul); put(uvec4(unpackUint2x32(w), unpackUint2x32(imageLoad(t, a).x)));
     imageStore(t, a, u64vec4(v.x * 3ul));"""),
    ("floats that are swapped", "layout(r32f) coherent uniform image3D t;", "image:4x4x4:r32f:rand:41", """
     ivec3 a = ivec3(i % 4, i / 4 % 4, i / 16); put(imageAtomicExchange(t, a, 1.5 * float(i))); put(imageLoad(t, a)); put(uvec4(imageSize(t), 0));"""),
    ("stored cubes in layers", "layout(rgba16f) uniform imageCubeArray t;", "image:8x8:rgba16f:rand:42:layers=12", """
     ivec3 a = ivec3(i % 8, i / 8, i % 12); put(imageLoad(t, a)); imageStore(t, a, vec4(p, 0.5)); put(uvec4(imageSize(t), 0));"""),
    ("without a format", "writeonly uniform image2D t;", "image:8x8:rgba8:rand:43", "imageStore(t, ivec2(i % 8, i / 8), vec4(p, 0.25) + 0.3);"),
    ("a line in layers", "layout(r32i) uniform iimage1DArray t;", "image:16:r32i:rand:44:layers=4", """
     ivec2 a = ivec2(i % 16, i / 16); put(uvec4(imageAtomicMin(t, a, -5), imageAtomicOr(t, a, 3), imageSize(t))); put(uvec4(imageLoad(t, a)));"""),
    ("half floats", "uniform sampler2D t;", "image:8x8:rgba16f:rand:45:filter=linear", """
     f16vec4 v = f16vec4(textureLod(t, p.xy, 0)); put(vec4(v + v.wzyx));"""),
    # Compared in the shader: texels that are there have the value that others read.
    ("sparse forms", "uniform sampler2D t;", f"image:8x8:rgba32f:rand:50:{MIPS}", """
     vec4 v[7]; bool all = sparseTexelsResidentARB(sparseTextureLodARB(t, p.xy, l, v[0]));
     all = all && sparseTexelsResidentARB(sparseTexelFetchARB(t, ivec2(i % 8, i / 8), 0, v[1]));
     all = all && sparseTexelsResidentARB(sparseTextureGatherARB(t, p.xy, v[2], 1));
     all = all && sparseTexelsResidentARB(sparseTextureGradARB(t, p.xy, vec2(0.1), vec2(0.2), v[3]));
     all = all && sparseTexelsResidentARB(sparseTextureLodOffsetARB(t, p.xy, l, ivec2(2, -1), v[4]));
     all = all && sparseTexelsResidentARB(sparseTextureGatherOffsetsARB(t, p.xy, ivec2[](ivec2(0, 1), ivec2(-2, 3), ivec2(4, -5), ivec2(1, 1)), v[5], 2));
     bool same = v[0] == textureLod(t, p.xy, l) && v[1] == texelFetch(t, ivec2(i % 8, i / 8), 0) && v[2] == textureGather(t, p.xy, 1) &&
       v[3] == textureGrad(t, p.xy, vec2(0.1), vec2(0.2)) && v[4] == textureLodOffset(t, p.xy, l, ivec2(2, -1)) &&
       v[5] == textureGatherOffsets(t, p.xy, ivec2[](ivec2(0, 1), ivec2(-2, 3), ivec2(4, -5), ivec2(1, 1)), 2);
     put(uvec4(all, same, v[0] != v[1], 7));"""),
    ("sparse stored images and shadows", "layout(rgba8) uniform image2D t;", "image:8x8:rgba8:rand:51", """
     vec4 v; bool all = sparseTexelsResidentARB(sparseImageLoadARB(t, ivec2(i % 8, i / 8), v));
     put(uvec4(all, v == imageLoad(t, ivec2(i % 8, i / 8)), v != vec4(0), 7));"""),
    ("sparse shadows", "uniform sampler2DShadow t;", "image:8x8:d32f:rand:52:compare=less", """
     float v; bool all = sparseTexelsResidentARB(sparseTextureLodOffsetARB(t, vec3(p.xy, 0.5), 0, ivec2(1, 2), v));
     put(uvec4(all, v == textureLodOffset(t, vec3(p.xy, 0.5), 0, ivec2(1, 2)), v == 0 || v == 1, 7));"""),
]
RESULTS = 8
# Derivatives of a cube, RADV 22.3.6 takes the axis' own without its sign. Level n of the image has the value n: the shader reads the level.
GRADIENTS = [((0.4, 0.1, 0), (0, 0.2, 0.3)), ((1, -0.5, 0.25), (-0.1, 0.7, 0.6))]
GRAD = HEAD + "layout(set = 0, binding = 0) uniform samplerCube t;\nvoid main() {" + "".join(
    f"put(textureGrad(t, d, vec3{a}, vec3{b}));" for a, b in GRADIENTS) + "}"
# Of each face +x -x +y -y +z -z: component and sign of what goes to the right and down. Vulkan 1.3, "Cube Map Face Selection".
FACES = [((2, -1), (1, -1)), ((2, 1), (1, -1)), ((0, 1), (2, 1)), ((0, 1), (2, -1)), ((0, 1), (1, -1)), ((0, -1), (1, -1))]


def level_of(direction, gradients, size=16, levels=5):
    """Level by the longer of two steps on a face, each by the quotient of a small one."""
    m = max(range(3), key=lambda k: (abs(direction[k]), k))
    face = FACES[2 * m + (direction[m] < 0)]

    def place(v):
        return [v[c] * sign / abs(v[m]) / 2 * size for c, sign in face]

    step = 1e-6
    longest = max(math.dist(place(direction), place([x + step * y for x, y in zip(direction, g)])) / step for g in gradients)
    return min(levels - 1, max(0, math.log2(longest)))


def levels():
    """(Texels of the cube, four floats of each texel that GRAD gives.)"""
    texels = b"".join(struct.pack("<4f", *[n] * 4) * ((16 >> n) ** 2 * 6) for n in range(5))
    want = [level_of((i % 8 - 3.4, i // 8 - 3.3, i % 5 - 1.9), g) for g in GRADIENTS for i in range(64)]
    return texels, b"".join(struct.pack("<4f", *[v] * 4) for v in want)


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=120, check=False)
    return r.returncode, (r.stdout + r.stderr).strip()


with tempfile.TemporaryDirectory() as tmp:
    work = pathlib.Path(tmp)
    for number, (name, declaration, bound, body) in enumerate(ROWS):
        bound = bound if isinstance(bound, list) else [bound]
        own, spv = work / f"{number}.comp", work / f"{number}.spv"
        own.write_text(HEAD + f"layout(set = 0, binding = 0{declaration[7:] if declaration.startswith('layout(') else ') ' + declaration}".replace("binding = 0r", "binding = 0, r")
                       + "\nvoid main()\n{\n" + body + "\n}\n")
        said = subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", own, "-o", spv], capture_output=True, text=True, check=False)
        if said.returncode != 0:
            case(name, False, said.stdout)
            continue
        binds = ["--bind", f"0.1=zeros:{RESULTS * 64 * 16}", "--bind", f"0.2=zeros:{RESULTS * 64 * 16}"]
        places = []
        for n, content in enumerate(bound):
            places.append(f"0.0[{n}]" if len(bound) > 1 else "0.0")
            binds += ["--bind", f"{places[-1]}={content}"]
        kind = "texel_buffer" if bound[0].startswith("texels") else "combined_texture"
        layout = work / "layout.json"
        layout.write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [
            {"type": kind, "binding": 0, "count": len(bound)}, {"type": "buffer", "binding": 1}, {"type": "buffer", "binding": 2}]}]}))
        if name.startswith("sparse"):
            compare = ["--expect", "0.2=values:u32:" + ",".join(["1,1,1,7"] * 64 + ["0"] * ((RESULTS - 1) * 64 * 4))]
        else:
            status, said = run("run", spv, "--groups", 1, *binds, "--out-dir", work)
            if status != 0:
                case(f"{name}, on RADV", False, (status, said))
                continue
            compare = [w for p in [*places, "0.1", "0.2"] for w in ("--expect", f"{p}={work / (p + '.bin')}")] + ["--tolerance", "0.1=f32:abs:1e-6"]
        for level in ["-O2", "-O0"]:
            elf = work / "p.elf"
            status, said = run("cc", level, "--layout", layout, spv, "-o", elf)
            if status == 0:
                status, said = run("run", elf, "--layout", layout, "--groups", 1, *binds, *compare)
            case(f"{name} {level}", status == 0, (status, said))
    texels, want = levels()
    (work / "texels").write_bytes(texels)
    (work / "want").write_bytes(want)
    (work / "grad.comp").write_text(GRAD)
    layout.write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "combined_texture", "binding": 0}, {"type": "buffer", "binding": 1}, {"type": "buffer", "binding": 2}]}]}))
    for level in ["-O2", "-O0"]:
        status, said = run("cc", level, "--layout", layout, work / "grad.comp", "-o", elf)
        if status == 0:
            status, said = run("run", elf, "--layout", layout, "--groups", 1, "--bind", f"0.1=zeros:{len(want)}", "--expect", f"0.1={work / 'want'}", "--bind",
                               f"0.0=image:16x16:rgba32f:file:{work / 'texels'}:layers=6:mips=5:mip=linear:cube", "--tolerance", "0.1=f32:abs:0.02")
        case(f"derivatives of a cube {level}", status == 0, (status, said))
    # An image that is of depth for one sampler and not for the other; GLSL says it of samplers only.
    (work / "depth.comp").write_text(HEAD + """layout(set = 0, binding = 0) uniform texture2D t;
layout(set = 0, binding = 3) uniform sampler s;
layout(set = 0, binding = 4) uniform samplerShadow c;
void main() { put(textureLod(sampler2D(t, s), p.xy, 0)); put(textureLod(sampler2DShadow(t, c), vec3(p.xy, 0.5), 0)); }""")
    binds = [w for b in ("0.0=image:8x8:d32f:rand:60", "0.1=zeros:4096", "0.2=zeros:1024", "0.3=sampler", "0.4=sampler:compare=less") for w in ("--bind", b)]
    kinds = ["resource", "buffer", "buffer", "sampler", "sampler"]
    layout.write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [{"type": t, "binding": k} for k, t in enumerate(kinds)]}]}))
    status, said = run("run", work / "depth.comp", "--groups", 1, *binds, "--out-dir", work)
    case("an image of depth and its value, on RADV", status == 0, (status, said))
    for level in ["-O2", "-O0"]:
        status, said = run("cc", level, "--layout", layout, work / "depth.comp", "-o", elf)
        if status == 0:
            status, said = run("run", elf, "--layout", layout, "--groups", 1, *binds, "--expect", f"0.1={work / '0.1.bin'}")
        case(f"an image of depth and its value {level}", status == 0, (status, said))
    (work / "samples.comp").write_text(SAMPLES)
    for level in ["-O2", "-O0"]:
        status, said = run("cc", level, "--relocatable", work / "samples.comp", "-o", work / "samples.elf")
        code = subprocess.run(["llvm-objdump-19", "-d", "--mcpu=gfx1100", work / "samples.elf"], capture_output=True, text=True, check=False).stdout if status == 0 else ""
        found = re.findall(r"(image_(?!get|load)\w+) v\S+, (?:v\[(\d+):(\d+)\]|\[(v[^]]*)\]), \S+ dmask:(\w+) dim:SQ_RSRC_IMG_(\w+)", code)
        found = [(name, mask, dim, len(each.split(",")) if each else int(last) - int(first) + 1) for name, first, last, each, mask, dim in found]
        case(f"images with samples {level}", sorted(found) == sorted(STORED), (status, said, found, code))
    (work / "each.comp").write_text(EACH_SAMPLE)
    for level, samples in [("-O2", 2), ("-O2", 4), ("-O0", 8)]:
        before = [77 * n for n in range(2 * 64 * samples)]
        after = [v + 1000 * (n % samples + 1) if n % samples % 2 == 0 else v ^ 0xffff for n, v in enumerate(before)]
        for file, values in [("before", before), ("after", after)]:
            (work / file).write_bytes(struct.pack(f"<{len(values)}I", *values))
        status, said = run("cc", level, "--layout", layout, work / "each.comp", "-o", elf)
        if status == 0:
            status, said = run("run", elf, "--layout", layout, "--groups", "1,1,2", "--bind", f"0.0=image:8x8:r32ui:file:{work / 'before'}:layers=2:samples={samples}",
                               "--bind", f"0.1=zeros:{4 * len(before)}", "--expect", f"0.0={work / 'after'}", "--expect", f"0.1={work / 'before'}")
        case(f"{samples} samples {level}", status == 0, (status, said))
    # What a pipeline cannot bind, and a cube that the shader has not.
    for content, want in [("image:8x4:r32f:zeros:layers=6:cube", "a cube is square and has 6 layers, not 6"), ("image:8x8x2:r32f:zeros:layers=2", "a 3D image has no layers"),
                          ("image:8x8:r32f:zeros:layers=5:cube", "a cube is square and has 6 layers, not 5"),
                          ("image:8x8:r32f:samples=6", "6 samples: there are 2, 4 or 8"), ("image:8x8:r32f:mips=2:samples=4", "an image with samples is 2D and has one level"),
                          ("image:8:r32f:samples=2", "an image with samples is 2D and has one level")]:
        status, said = run("run", elf, "--layout", layout, "--groups", 1, "--bind", "0.1=zeros:64", "--bind", f"0.0={content}")
        case(content, status in (2, 3) and want in said, (status, said))
    status, said = run("run", work / "0.spv", "--groups", 1, "--bind", "0.1=zeros:64", "--bind", "0.2=zeros:64", "--bind", "0.0=image:8x8:rgba32f:zeros:layers=6:cube")
    case("a cube that is none", status == 2 and "0.0: a cube, the shader's image is 2D" in said, (status, said))
    for device in [[], ["--vulkan-device", "interpreter"]]:
        status, said = run("run", work / "0.spv", "--groups", 1, "--bind", "0.1=zeros:64", "--bind", "0.2=zeros:64", "--bind", "0.0=image:8x8:rgba32f:samples=4", *device)
        case(f"samples, of a Vulkan shader {device}", status == 3 and "0.0: an image with samples is for pipelines" in said, (status, said))
end()
