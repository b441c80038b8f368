#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull run and lull diff of Vulkan shaders: options, reports, and what they refuse. vk_run.py LULL SHADERS."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402
from vk_shaders import FAULT, HANG  # noqa: E402

lull, shaders = sys.argv[1], pathlib.Path(sys.argv[2])
env = dict(os.environ)
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
LAVAPIPE = ["--vulkan-device", "lavapipe"]
TWO = """#version 460
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 0, binding = 1) uniform U { vec4 u[4]; };
layout(set = 1, binding = 0, rgba8) uniform image2D i;
void main() { o[gl_GlobalInvocationID.x] = uint(u[0].x + imageLoad(i, ivec2(0)).x); }
"""
# No CPU has vectors of 32 floats, so lavapipe has no such subgroup; the virtual GPU has no smaller one.
WIDE = """#version 460
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
layout(set = 0, binding = 1) buffer X { uint x[]; };
void main() { uint i = gl_GlobalInvocationID.x; y[i] = x[i] + (gl_SubgroupSize < 32 ? 0 : i); }
"""
# 16 * N + 16 bytes of shared memory; AMD's workgroups have 64 KiB.
SHARED = """#version 460
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint N = 64;
layout(set = 0, binding = 0) buffer Y { float y[]; };
struct Part { uint a; float b[3]; };
shared vec4 s[N];
shared Part part;
void main()
{
    uint i = gl_LocalInvocationIndex;
    s[i] = vec4(i);
    if (i == 0) part.b[2] = 1.0;
    barrier();
    y[i] = s[63 - i].w + part.b[2];
}
"""
# Words, texels behind them, and the bytes of the words are one buffer.
ALIASES = """#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint b[]; };
layout(set = 0, binding = 1, r32ui) uniform uimageBuffer w;
layout(set = 0, binding = 2) uniform usamplerBuffer f;
layout(set = 0, binding = 3) buffer O { uint o[]; };
void main()
{
    int i = int(gl_LocalInvocationIndex);
    o[i] = texelFetch(f, i).z;
    imageStore(w, i, uvec4(b[i] * 3u + 1u));
}
"""
SPEAKING = """#version 460
#extension GL_EXT_debug_printf : require
void main() { debugPrintfEXT("here"); }
"""


def run(*args, command="run"):
    r = subprocess.run([lull, command, *map(str, args)], capture_output=True, text=True, timeout=120, env=env)
    return r.returncode, r.stdout, r.stderr


def refused(name, status, text, *args):
    r = run(*args)
    case(f"refused: {name}", r[0] == status and text in r[2] and r[1] == "", r)


def refusals(work):
    saxpy = [shaders / "saxpy.comp", *LAVAPIPE, "--groups", 1]
    y, x, push = ["--bind", "0.0=zeros:256"], ["--bind", "0.1=zeros:256"], ["--push", "f32:1,u32:64"]
    two = work / "two.comp"
    two.write_text(TWO)
    twos = [two, *LAVAPIPE, "--groups", 1, "--bind", "0.0=zeros:32"]
    refused("no groups", 2, "--groups", shaders / "saxpy.comp", *LAVAPIPE)
    refused("a binding is missing", 2, "binding 0.1 (X, a storage buffer)", *saxpy, *y, *push)
    refused("no such binding", 2, "0.5: the shader has no such binding", *saxpy, *y, *x, *push, "--bind", "0.5=zeros:4")
    refused("given twice", 2, "0.1 is given twice", *saxpy, *y, *x, *x, *push)
    refused("push constants of another size", 2, "4 bytes, the shader has 8", *saxpy, *y, *x, "--push", "u32:1")
    refused("no push constants", 2, "0 bytes, the shader has 8", *saxpy, *y, *x)
    refused("push constants that end in a word", 2, "9 bytes, Vulkan takes multiples of 4", *saxpy, *y, *x, "--push", "hex:000000000000000000")
    (work / "far.comp").write_text("#version 460\nlayout(set = 20, binding = 0) buffer O { uint o; };\nvoid main() { o = 1u; }\n")
    refused("a set that is not there", 3, "descriptor set 20, 'llvmpipe", work / "far.comp", *LAVAPIPE, "--groups", 1, "--bind", "20.0=zeros:4")
    (work / "shared.comp").write_text(SHARED)
    shared = [work / "shared.comp", "--groups", 1, "--bind", "0.0=zeros:256"]
    refused("more shared memory than the device has", 3, "needs 65552 bytes of shared memory", *shared, "--spec", "3=4096")
    r = run(*shared, "--spec", "3=4095")
    case("all the shared memory that the device has", r[0] == 0, r)
    r = run(*shared, *LAVAPIPE, "--spec", "3=4096")
    case("lavapipe takes more than it says", r[0] == 0, r)
    refused("a bad place", 2, "'0' is not SET.BINDING", *saxpy, "--bind", "0=zeros:4")
    refused("a bad type", 2, "type 'f31' is not known", *saxpy, "--bind", "0.0=iota:4:f31")
    refused("a file that is not there", 3, "No such file", *saxpy, "--bind", "0.0=nowhere.bin")
    refused("an unknown option", 2, "--grid", *saxpy, "--grid", "4")
    refused("a device that is not there", 3, "no Vulkan device 'Voodoo'; there is: llvmpipe",
            shaders / "saxpy.comp", "--groups", 1, *y, *x, *push, "--vulkan-device", "Voodoo")
    refused("GLSL that does not compile", 3, "glslangValidator refused it", work / "bad.comp", *LAVAPIPE, "--groups", 1)
    refused("no SPIR-V", 3, "bad.spv", work / "bad.spv", *LAVAPIPE, "--groups", 1)
    refused("a uniform buffer too small", 2, "0.1: 16 bytes, the shader's block has 64", *twos, "--bind", "0.1=zeros:16",
            "--bind", "1.0=image:4x4:rgba8")
    refused("a buffer for an image", 2, "1.0: in the shader it is a storage image", *twos, "--bind", "0.1=zeros:64",
            "--bind", "1.0=zeros:64")
    refused("an image of another format", 2, "format r32f, the shader says rgba8", *twos, "--bind", "0.1=zeros:64",
            "--bind", "1.0=image:4x4:r32f")
    refused("an image of another shape", 2, "3 extents, the shader's image is 2D", *twos, "--bind", "0.1=zeros:64",
            "--bind", "1.0=image:4x4x4:rgba8")
    refused("an unknown format", 2, "format 'rgb7' is not known; there is: r8", *twos, "--bind", "1.0=image:4x4:rgb7")
    refused("an unknown constant", 2, "no specialization constant 7", *saxpy, *y, *x, *push, "--spec", "7=1")
    refused("a subgroup size that is not there", 3, ", not 3", *saxpy, *y, *x, *push,
            "--subgroup-size", 3)
    refused("an unknown entry point", 2, "no entry point 'other'; there is 'main'", *saxpy, *y, *x, *push, "--entry", "other")
    refused("two buffers that have each other's memory", 2, "0.0: '0.1' has no memory of its own", *saxpy, "--bind", "0.0=same:0.1", "--bind", "0.1=same:0.0",
            *push)
    refused("the memory of another, behind its end", 2, "do not fit 256 bytes", *saxpy, "--bind", "0.0=zeros:256", "--bind", "0.1=same:0.0:offset=256", *push)
    refused("the memory of what is not there", 2, "0.1: no buffer '7.0'", *saxpy, *y, "--bind", "0.1=same:7.0", *push)
    refused("an unaligned offset", 2, "offset 4, 'llvmpipe", *saxpy, "--bind", "0.0=zeros:512:offset=4", *x, *push)
    refused("--out of what is not there", 2, "--out 0.7: no buffer or image is bound there", *saxpy, *y, *x, *push, "--out", "0.7=o")
    refused("a capability that is not there", 3, "RuntimeDescriptorArray", shaders / "indexing.comp", *LAVAPIPE, "--groups", 1,
            "--bind", "0.0=zeros:64", "--bind", "1.0[0]=zeros:64", *sum((["--bind", f"1.1[{k}]=zeros:16"] for k in range(4)), []))
    new = work / "new.spv"
    subprocess.run(["glslangValidator", "--quiet", "-V", saxpy[0], "-o", new], check=True)
    words = new.read_bytes()
    new.write_bytes(words[:20] + struct.pack("<2I", 2 << 16 | 17, 6912) + words[20:])
    refused("a capability newer than the drivers", 3, "DotProductFloat16AccFloat32VALVE", new, *saxpy[1:], *y, *x, *push)


def aliases(work):
    shader, layout, pipeline = work / "aliases.comp", work / "aliases.json", work / "aliases.elf"
    words = [k * 0x01234567 & 0xffffffff for k in range(64)]
    shader.write_text(ALIASES)
    (work / "words.bin").write_bytes(struct.pack("<128I", *words, *[0] * 64))
    (work / "want.bin").write_bytes(struct.pack("<128I", *words, *(w * 3 + 1 & 0xffffffff for w in words)))
    (work / "bytes.bin").write_bytes(struct.pack("<64I", *(w >> 16 & 0xff for w in words)))
    kinds = ["buffer", "texel_buffer", "texel_buffer", "buffer"]
    layout.write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [{"type": t, "binding": k} for k, t in enumerate(kinds)]}]}))
    made = run("--layout", layout, shader, "-o", pipeline, command="cc")
    case("texels with the memory of another: a pipeline", made[0] == 0, made)
    ways = {"RADV": [shader], "lavapipe": [shader, *LAVAPIPE], "interpreter": [shader, "--vulkan-device", "interpreter"], "pipeline": [pipeline, "--layout", layout]}
    at, bytes_ = ":offset=256", "0.2=texels:rgba8ui:same:"
    for owner, binds in {
            "a buffer": [f"0.0={work / 'words.bin'}", f"0.1=texels:r32ui:same:0.0{at}", f"{bytes_}0.0"],
            "a texel buffer": ["0.0=same:0.1", f"0.1=texels:r32ui:file:{work / 'words.bin'}{at}", f"{bytes_}0.1:range=256"]}.items():
        for name, how in ways.items():
            r = run(*how, "--groups", 1, *(w for b in [*binds, "0.3=zeros:256"] for w in ("--bind", b)),
                    *(w for p in ("0.0=" + str(work / "want.bin"), "0.1=" + str(work / "want.bin"), "0.3=" + str(work / "bytes.bin")) for w in ("--expect", p)))
            case(f"texels with the memory of {owner}, {name}", r[0] == 0, r)
    refused("an image with the memory of another", 3, "same:0.1: No such file", shader, "--groups", 1, "--bind", "0.0=image:4x4:rgba8:same:0.1")
    refused("texels with the memory of what is not there", 2, "0.1: no buffer '7.0'", shader, "--groups", 1, "--bind", "0.1=texels:r32ui:same:7.0")


def reports(work):
    saxpy = [shaders / "saxpy.comp", "--groups", 1, "--bind", "0.0=iota:64:f32", "--bind", "0.1=iota:64:f32", "--push",
             "f32:2,u32:64"]
    for device in (LAVAPIPE, []):
        name = " ".join(device) or "lull's own"
        r = run(*saxpy, *device, "--expect", "0.0=zeros:256")
        case(f"a difference, {name}", r[0] == 1 and r[1] ==
             "0.0: 63 of 64 f32 differ, first [1]: got 3, want 0, greatest distance 189\n", r)
        out = work / "y.bin"
        r = run(*saxpy, *device, "--json", "--expect", "0.0=iota:64:f32", "--tolerance", "rel:0.7", "--out", f"0.0={out}")
        j = json.loads(r[1]) if r[1] else {}
        case(f"json and tolerance, {name}", r[0] == 0 and j["result"] == "done" and j["expect"][0]["different"] == 0 and
             j["ns"] > 0, r)
        r = run(*saxpy, *device, "--expect", f"0.0={out}", "--expect",
                "0.1=sha256:" + __import__("hashlib").sha256(__import__("array").array("f", range(64)).tobytes()).hexdigest())
        case(f"a file and a hash, {name}", r == (0, "", ""), r)
    r = run("--vulkan-device", "list")
    case("devices", r[0] == 0 and "llvmpipe" in r[1], r)
    env["VK_LOADER_DEBUG"] = "all"
    r = run(*saxpy)
    case("lull's own needs one driver: no other is loaded", r[0] == 0 and '"lvp_icd' in r[2] and "ignored because not selected" in r[2], r)
    env["VK_LOADER_DRIVERS_SELECT"] = "*lvp*"
    r = run(*saxpy)
    case("unless the user has chosen one", r[0] == 3 and "no Vulkan device 'lull'" in r[2], r)
    del env["VK_LOADER_DEBUG"], env["VK_LOADER_DRIVERS_SELECT"]
    speaking = work / "speaking.comp"
    speaking.write_text(SPEAKING)
    for device in ([], LAVAPIPE):
        r = run(speaking, "--groups", 1, *device)
        case(f"debugPrintfEXT: one line says how to see it {device}", r[0] == 0 and r[2].count("prints nothing here: lull printf run") == 1, r)
    hang, fault = work / "hang.comp", work / "fault.comp"
    hang.write_text(HANG)
    fault.write_text(FAULT)
    r = run(hang, "--groups", 1, "--bind", "0.0=zeros:64", "--timeout", 500)
    case("a hang: status 124 and the driver's log", r[0] == 124 and "timeout" in r[1] and "lull hang -- " in r[1], r)
    r = run(fault, "--groups", 1, "--buffer", "a=zeros:64", "--push", "addr:a")
    case("a page fault: status 1 and the driver's log", r[0] == 1 and "page fault" in r[1], r)
    r = run(fault, "--groups", 1, "--buffer", "a=zeros:64", "--push", "addr:a", "--json")
    case("a page fault as JSON", r[0] == 1 and json.loads(r[1])["result"] == "page-fault", r)


def diffs(work):
    saxpy = [shaders / "saxpy.comp", "--groups", 2, "--bind", "0.0=iota:128:f32", "--bind", "0.1=rand:1:128:f32", "--push",
             "f32:2.5,u32:128"]
    r = run(*saxpy, "--against", "lavapipe:ulp:1", command="diff")
    case("diff: equal within one ulp", r[0] == 0, r)
    wide = work / "wide.comp"
    wide.write_text(WIDE)
    wide = [wide, "--groups", 2, "--bind", "0.0=zeros:512", "--bind", "0.1=rand:1:128:u32"]
    r = run(*wide, "--against", "lavapipe", command="diff")
    case("diff: each value but the first", r[0] == 1 and "0.0: 127 of 128 u32 differ, first [1]: " in r[1] and "greatest distance 127" in r[1], r)
    r = run(*wide, "--against", "lavapipe", "--json", command="diff")
    j = json.loads(r[1]) if r[1] else {}
    case("diff: JSON", r[0] == 1 and [(b["place"], b["different"]) for b in j["bindings"]] == [("0.0", 127), ("0.1", 0)], r)
    r = run(*saxpy, command="diff")
    case("diff without --against", r[0] == 2 and "--against" in r[2], r)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "bad.comp").write_text("#version 460\nvoid main() { nothing(); }\n")
    (folder / "bad.spv").write_bytes(b"\x03\x02\x23\x07 no module")
    refusals(folder)
    aliases(folder)
    reports(folder)
    diffs(folder)
end()
