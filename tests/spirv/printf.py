#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull cc --printf of SPIR-V: what it writes is valid, for all stages, versions and ways to the buffer; what it refuses.

printf.py LULL DIRECTORY. The judge is spirv-val, the modules are glslang's and by hand.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, here = sys.argv[1], pathlib.Path(sys.argv[2])
env = dict(os.environ)
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
HEAD = "#version 460\n#extension GL_EXT_debug_printf : require\n"
RAYS = "#extension GL_EXT_ray_tracing : require\n"
MESH = "#extension GL_EXT_mesh_shader : require\n"
STAGES = {
    "comp": HEAD + """#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(local_size_x_id = 3) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
void f(int i, vec3 v) { if (i > 0) debugPrintfEXT("f %d %v3f %s|", i, v, "literal"); }
void main() {
  uint x = gl_GlobalInvocationID.x;
  debugPrintfEXT("hello");
  for (int i = 0; i < int(x); i++) { debugPrintfEXT("i %d", i); f(i, vec3(i, x, 1)); }
  debugPrintfEXT("%d %u %ld %lu %v2d %f %u %v3f", int8_t(-5), uint8_t(200), int64_t(-7), uint64_t(x), i16vec2(-1, x), float16_t(1.5),
                 x > 1, f16vec3(x));
  debugPrintfEXT("%v2lu %v2f %v2d %f", u64vec2(1, x), dvec2(1.25, x), bvec2(x > 1, x < 2), double(x));
  o[x] = x;
}
""",
    "vert": HEAD + """layout(location = 0) out vec4 c;
void main() { debugPrintfEXT("v %d %d", gl_VertexIndex, gl_InstanceIndex); gl_Position = vec4(0); c = vec4(1); }
""",
    "frag": HEAD + """layout(location = 0) in vec4 c;
layout(location = 0) out vec4 o;
layout(push_constant) uniform P { vec4 a; float k; } p;
float g(float x) { if (x > 0.5) { debugPrintfEXT("g %f", x); return 1; } debugPrintfEXT("none %v4f", p.a); return x; }
void main() { if (c.x < 0) discard; debugPrintfEXT("f %v2f %v4f", gl_FragCoord.xy, dFdx(c)); o = vec4(g(c.x)); }
""",
    "demote.frag": HEAD + """#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 c;
void main() { if (c.x < 0) demote; debugPrintfEXT("f %v4f %u", dFdx(c), helperInvocationEXT()); }
""",
    "tesc": HEAD + """layout(vertices = 3) out;
void main() { debugPrintfEXT("tc %d %d", gl_PrimitiveID, gl_InvocationID); gl_TessLevelOuter[0] = 1; }
""",
    "tese": HEAD + """layout(triangles) in;
void main() { debugPrintfEXT("te %v3f", gl_TessCoord); gl_Position = vec4(gl_TessCoord, 1); }
""",
    "geom": HEAD + """layout(triangles) in;
layout(points, max_vertices = 3) out;
void main() { for (int i = 0; i < 3; i++) { debugPrintfEXT("gs %v4f", gl_in[i].gl_Position); EmitVertex(); } }
""",
    "mesh": HEAD + MESH + """layout(local_size_x = 4) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
void main() { SetMeshOutputsEXT(3, 1); debugPrintfEXT("ms %v3u", gl_WorkGroupID); }
""",
    "task": HEAD + MESH + """layout(local_size_x = 4) in;
void main() { debugPrintfEXT("ts %u", gl_LocalInvocationIndex); EmitMeshTasksEXT(1, 1, 1); }
""",
    "rgen": HEAD + RAYS + """layout(set = 0, binding = 0) uniform accelerationStructureEXT as;
layout(location = 0) rayPayloadEXT vec4 p;
void main() {
  debugPrintfEXT("rg %v3u", gl_LaunchIDEXT);
  traceRayEXT(as, 0, 255, 0, 0, 0, vec3(0), 0, vec3(1), 9, 0);
  debugPrintfEXT("after %v4f", p);
}
""",
    "rchit": HEAD + RAYS + """layout(location = 0) rayPayloadInEXT vec4 p;
void main() { debugPrintfEXT("ch %v4f", p); p = vec4(1); }
""",
    "rmiss": HEAD + RAYS + """layout(location = 0) rayPayloadInEXT vec4 p;
void main() { debugPrintfEXT("mi %v4f", p); p = vec4(1); }
""",
    "rcall": HEAD + RAYS + """layout(location = 0) callableDataInEXT vec4 p;
void main() { debugPrintfEXT("ca %v4f", p); p = vec4(1); }
""",
    "rahit": HEAD + RAYS + """hitAttributeEXT vec2 h;
void main() { debugPrintfEXT("ah %v2f", h); if (h.x < 0.5) { ignoreIntersectionEXT; } debugPrintfEXT("kept"); terminateRayEXT; }
""",
    "rint": HEAD + RAYS + """hitAttributeEXT vec2 h;
void main() { h = vec2(1); debugPrintfEXT("ri %v3f", gl_WorldRayOriginEXT); reportIntersectionEXT(1.0, 0); }
""",
}
WAYS = [
    [],
    ["--printf-set=1", "--printf-binding", "9", "--printf-atomic", "wave", "--printf-record=dispatch,workgroup,wave,lane"],
    ["--printf-address=push:32", "--printf-counter=64", "--printf-record", "workgroup"],
    ["--printf-address", "spec:70", "--printf-atomic=wave", "--printf-counter", "64"],
]


def call(*args):
    r = subprocess.run([*map(str, args)], capture_output=True, text=True, timeout=60, env=env)
    return r.returncode, r.stdout, r.stderr


def lower(source, target, *args):
    """Status, output, and messages without what the program must bind, which `needs` is about."""
    status, out, err = call(lull, "cc", "--printf", source, "-o", target, *args)
    return status, out, "".join(x for x in err.splitlines(True) if not x.startswith(f"{target}: "))


def glsl(work, stage, text, target, *flags):
    source, out = work / f"a.{stage}", work / f"{stage}.spv"
    source.write_text(text)
    r = call("glslangValidator", "--quiet", "--target-env", target, *flags, source, "-o", out)
    assert r[0] == 0, r
    return out


def assemble(source, target, out):
    r = call("spirv-as", "--target-env", target, source, "-o", out)
    assert r[0] == 0, r
    return out


def words(path):
    data = path.read_bytes()
    return struct.unpack(f"<{len(data) // 4}I", data)


def clean(path):
    """Is printf's set gone, and the extension unless another set needs it?"""
    data = path.read_bytes()
    return b"NonSemantic.DebugPrintf" not in data and (b"SPV_KHR_non_semantic_info" in data) == (b"NonSemantic." in data)


def valid(work, name, module, target, ways):
    out = work / "out.spv"
    bad = []
    for way in ways:
        r = lower(module, out, *way)
        v = call("spirv-val", "--target-env", target, out) if r[0] == 0 else r
        if r[0] != 0 or r[2] != "" or v[0] != 0 or not clean(out):
            bad.append((way, r, v))
        out.unlink(missing_ok=True)
    case(f"valid: {name}, {target}", not bad, bad)


def stages(work):
    for stage, text in STAGES.items():
        new = stage in ("mesh", "task") or stage[0] == "r"
        targets = ["vulkan1.2", "vulkan1.3"] if new else ["vulkan1.1", "vulkan1.3"]
        for i, target in enumerate(targets):
            valid(work, stage, glsl(work, stage, text, target), target, WAYS[2 * i:2 * i + 2])
        valid(work, stage + " with debug information", glsl(work, stage, text, "vulkan1.2", "-gVS"), "vulkan1.2", WAYS)
    valid(work, "comp", glsl(work, "comp", STAGES["comp"], "vulkan1.0"), "vulkan1.0", [WAYS[0], WAYS[2]])


def by_hand(work):
    for target, vulkan in (("spv1.0", "vulkan1.0"), ("spv1.3", "vulkan1.1"), ("spv1.5", "vulkan1.2"), ("spv1.6", "vulkan1.3")):
        m = assemble(here / "control.spvasm", target, work / "m.spv")
        valid(work, "control flow", m, vulkan, [WAYS[0], WAYS[2]] if vulkan == "vulkan1.0" else WAYS)
    m = assemble(here / "entries.spvasm", "spv1.5", work / "m.spv")
    valid(work, "several entry points", m, "vulkan1.2", WAYS[1:])
    r = lower(m, work / "o.spv", "--printf-set=2")
    text = call("spirv-dis", "--raw-id", work / "o.spv")[1]
    lists = {x.split()[3].strip('"'): x.split()[4:] for x in text.split("\n") if "OpEntryPoint" in x}
    new = set(lists["fs"])
    case("only entry points that print list the buffer", r[0] == 0 and len(new) == 1 and new <= set(lists["vs"]) and
         new <= set(lists["cs"]) and lists["quiet"] == [], lists)
    case("a string that is a file's name stays", '"shared %u"' in text, text)
    out = work / "bytes.spv"
    swapped = work / "big.spv"
    swapped.write_bytes(struct.pack(f">{len(words(m))}I", *words(m)))
    lower(swapped, out, "--printf-set=2")
    case("the other byte order", out.exists() and words(out) == words(work / "o.spv"))


def unchanged(work):
    plain = glsl(work, "comp", HEAD + "void main() {}\n", "vulkan1.2", "-g")
    r = lower(plain, work / "same.spv")
    case("a module without printf passes unchanged", r == (0, "", f"{plain}: warning: no printf in it\n") and (work / "same.spv").read_bytes() == plain.read_bytes() and
         not (work / "same.strings").exists(), r)
    r = lower(plain, work / "same.spv", "--strings", work / "s")
    case("and has an empty table if one is asked for", r[0] == 0 and (work / "s").stat().st_size > 0, r)
    printing = glsl(work, "vert", STAGES["vert"], "vulkan1.2")
    a, b = lower(printing, work / "a.spv"), lower(printing, work / "b.spv", "--printf-strings", work / "b.x")
    case("the same input, the same output", a == b and words(work / "a.spv") == words(work / "b.spv") and
         (work / "a.strings").read_bytes() == (work / "b.x").read_bytes() and b"v %d %d" in (work / "b.x").read_bytes(), a)


def needs(work):
    """What the program must bind is said, once the module is written."""
    m = glsl(work, "comp", HEAD + 'void main() { debugPrintfEXT("x"); debugPrintfEXT("%v4f %d", vec4(0), 1); }\n', "vulkan1.2")
    out = work / "n.spv"
    for more, said in (((), "bind a storage buffer at set 3, binding 0;"),
                       (("--printf-set=1", "--printf-binding=70"), "bind a storage buffer at set 1, binding 70;"),
                       (("--printf-address=push:16",), "push the address of a buffer at byte 16 (64 bits) and its size in bytes at byte 24 "
                        "(32 bits)"),
                       (("--printf-address=spec:7",), "set specialization constants 7 and 8 to the halves of a buffer's address, the low "
                        "one first, and 9 to its size in bytes")):
        r = call(lull, "cc", "--printf", m, "-o", out, *more)
        # An entry's header has 8 bytes; behind it a vec4 and an int.
        case(f"what the program must give {' '.join(more)}", r[0] == 0 and f"{out}: its program must {said}" in r[2] and
             f"{out}: the buffer: 16 bytes that are 0 before the work, then room for entries of 8 to 28 bytes;" in r[2] and
             f"lull printf decode --strings {work}/n.strings BUFFER" in r[2], r)
    r = call(lull, "cc", "--printf", m, "-o", out, "--printf-record=lane", "--strings", work / "x")
    case("entries with records, another file", "entries of 12 to 32 bytes;" in r[2] and f"--strings {work}/x BUFFER" in r[2], r)


def big(work, n):
    """printf of n vectors of four doubles: 8 n dwords."""
    text = f"""OpCapability Shader
OpCapability Float64
OpExtension "SPV_KHR_non_semantic_info"
%set = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%format = OpString "{'%v4f' * n}"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f64 = OpTypeFloat 64
%v4 = OpTypeVector %f64 4
%c = OpConstant %f64 0.5
%v = OpConstantComposite %v4 %c %c %c %c
%main = OpFunction %void None %fn
%l = OpLabel
%p = OpExtInst %void %set 1 %format {'%v ' * n}
OpReturn
OpFunctionEnd
"""
    (work / "big.spvasm").write_text(text)
    return assemble(work / "big.spvasm", "spv1.5", work / "big.spv")


def refused(work):
    out = work / "no.spv"

    def no(name, status, message, module, *args):
        r = lower(module, out, *args)
        case(f"refused: {name}", r[0] == status and message in r[2] and r[1] == "" and not out.exists(), r)

    valid(work, "an entry of 65,530 dwords", big(work, 8191), "vulkan1.2", [WAYS[0], WAYS[3]])
    large = big(work, 8192)
    no("an entry of more than 65,535 dwords", 3, "an entry of 65538 dwords; 65535 is the most", large)
    m = assemble(here / "entries.spvasm", "spv1.5", work / "m.spv")
    no("a binding in use", 3, "set 3, binding 0 is in use in the module", m)
    frag = glsl(work, "frag", STAGES["frag"], "vulkan1.2")
    no("push constants in use", 3, "byte 16 of the push constants is in use", frag, "--printf-address=push:16")
    comp = glsl(work, "comp", STAGES["comp"], "vulkan1.2")
    no("specialization constants in use", 3, "specialization constant 3 is in use", comp, "--printf-address=spec:1")
    old = glsl(work, "comp", STAGES["comp"], "vulkan1.0")
    no("a subgroup's atomic before 1.3", 3, "needs SPIR-V 1.3, the module is 1.0", old, "--printf-atomic=wave")
    no("lanes before 1.3", 3, "need SPIR-V 1.3", old, "--printf-record=lane")
    no("a record that is not known", 2, "'wgp' is none of", old, "--printf-record=lane,wgp")
    no("an atomic that is not known", 2, "'quad' is not lane or wave", old, "--printf-atomic=quad")
    no("an address that is not known", 2, "neither push:BYTE nor spec:ID", old, "--printf-address=4096")
    no("an unaligned address", 2, "not a multiple of 8", old, "--printf-address=push:4")
    no("an option that is not known", 2, "--printf-sets", old, "--printf-sets=1")
    cut = work / "cut.spv"
    data = comp.read_bytes()
    cut.write_bytes(data[:-8])
    no("a module without its end", 3, "does not end", cut)
    cut.write_bytes(data[:data.index(b"NonSemantic") + 4])
    no("a module that is cut", 3, "left", cut)
    cut.write_bytes(b"no SPIR-V at all")
    no("no SPIR-V", 3, "no SPIR-V module", cut)
    no("no file", 3, "No such file", work / "nowhere.spv")
    r = call(lull, "cc", "--printf", "-o", out)
    case("refused: no module", r[0] == 2 and "no IN given" in r[2], r)
    r = call(lull, "cc", comp, "-o", out)
    case("refused: nothing to do", r[0] == 2 and "--printf" in r[2], r)
    text = comp.read_bytes()
    r = call(lull, "cc", "--printf", comp, "-o", comp)
    case("refused: the input is the output", r[0] == 2 and "input and output" in r[2] and comp.read_bytes() == text, r)


def diagnostics(work):
    text = HEAD + """layout(local_size_x = 1) in;
void main() {
  debugPrintfEXT("%d %d", 1);
}
"""
    m = glsl(work, "comp", text, "vulkan1.2", "-g")
    r = lower(m, work / "d.spv")
    case("too few arguments, with the line", r[0] == 3 and "a.comp:5: error: printf: " in r[2] and not (work / "d.spv").exists(), r)
    m = glsl(work, "comp", text.replace("%d %d", "%f"), "vulkan1.2", "-gVS")
    r = lower(m, work / "d.spv")
    case("an integer for %f, with the line of the debug instructions", r[0] == 0 and "a.comp:5" in r[2] and ": warning: printf: " in
         r[2] and (work / "d.spv").exists(), r)


with tempfile.TemporaryDirectory() as d:
    for part in (stages, by_hand, unchanged, needs, refused, diagnostics):
        part(pathlib.Path(d))
end()
