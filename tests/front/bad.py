#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modules that lull cc refuses, each by one line that names file, word, instruction and id; and good modules with words changed at random,
which are compiled or refused, and never end lull-cc by a signal. bad.py LULL VULKAN [SEED [N]]: N changed modules of each shader from SEED on."""
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, shaders = sys.argv[1], pathlib.Path(sys.argv[2]) / "shaders"
seed, many = (int(a) for a in (sys.argv[3:] + ["1", "12"][len(sys.argv) - 3:])[:2])

HEAD = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main "main" {interface}
OpExecutionMode %main {mode}
{decorate}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%v2 = OpTypeVector %float 2
%zero = OpConstant %int 0
%one = OpConstant %float 1
%yes = OpConstantTrue %bool
%pfn = OpTypePointer Function %int
{types}
"""
MAIN = "%main = OpFunction %void None %fn\n%begin = OpLabel\n{body}\nOpReturn\nOpFunctionEnd\n{more}"

MESH = "OutputVertices {}\nOpExecutionMode %main OutputPrimitivesEXT {}\nOpExecutionMode %main OutputTrianglesEXT\nOpExecutionMode %main LocalSize 3 1 1"

# name, what differs from a shader that does nothing, what the message has
ROWS = [
    ("stage", {"model": "MeshNV"},
     r"word \d+: OpEntryPoint: 'main' is a mesh shader of NVIDIA's extension \(execution model 5268\); compute, vertex, tessellation, geometry, mesh and pixel"),
    ("workgroups of a vertex shader", {"model": "Vertex", "mode": "Xfb", "interface": "%v",
                                       "decorate": "OpDecorate %v BuiltIn LocalInvocationIndex", "types": "%pi = OpTypePointer Input %int\n%v = OpVariable %pi Input",
                                       "body": "%x = OpLoad %int %v"}, r"built-in 29 \(LocalInvocationIndex\), of compute and mesh shaders only"),
    ("no location", {"model": "Vertex", "mode": "Xfb", "interface": "%v", "types": "%pi = OpTypePointer Input %int\n%v = OpVariable %pi Input",
                     "body": "%x = OpLoad %int %v"}, r"interface variable %\d+: it has no Location"),
    ("location", {"model": "Fragment", "mode": "OriginUpperLeft", "interface": "%v", "decorate": "OpDecorate %v Location 32\nOpDecorate %v Flat",
                  "types": "%pi = OpTypePointer Input %int\n%v = OpVariable %pi Input", "body": "%x = OpLoad %int %v"},
     r"interface variable %\d+: behind the last location, which is 31"),
    ("many numbers", {"model": "Fragment", "mode": "OriginUpperLeft", "interface": "%v", "decorate": "OpDecorate %v Location 0\nOpDecorate %v Flat",
                      "types": "%n = OpConstant %int 5000\n%ar = OpTypeArray %int %n\n%pi = OpTypePointer Input %ar\n%v = OpVariable %pi Input",
                      "body": "%x = OpLoad %ar %v"}, r"interface variable %\d+: too many numbers"),
    ("target", {"model": "Fragment", "mode": "OriginUpperLeft", "interface": "%v", "decorate": "OpDecorate %v Location 8",
                "types": "%pi = OpTypePointer Output %int\n%v = OpVariable %pi Output", "body": "OpStore %v %zero"}, r"location 8; colours have 0 to 7"),
    ("task", {"model": "TaskEXT"}, r"is a task shader \(execution model 5364\)"),
    ("mesh without modes", {"model": "MeshEXT"}, r"a mesh shader that does not say what it puts out, and how much"),
    ("indices of lines in a mesh of triangles", {"model": "MeshEXT", "mode": MESH.format(3, 1), "interface": "%v",
                                                 "decorate": "OpDecorate %v BuiltIn PrimitiveLineIndicesEXT",
                                                 "types": "%u = OpTypeInt 32 0\n%v2u = OpTypeVector %u 2\n%n = OpConstant %int 1\n%a = OpTypeArray %v2u %n\n"
                                                          "%zeros = OpConstantNull %a\n%po = OpTypePointer Output %a\n%v = OpVariable %po Output",
                                                 "body": "OpStore %v %zeros"}, r"a mesh shader whose primitives have 3 vertices and indices of 2"),
    ("what a task shader hands on", {"model": "MeshEXT", "mode": MESH.format(3, 1), "types": "%pt = OpTypePointer TaskPayloadWorkgroupEXT %int\n"
                                     "%v = OpVariable %pt TaskPayloadWorkgroupEXT"},
     r"OpVariable %\d+: variables of storage class 5402 \(TaskPayloadWorkgroupEXT\) are not supported"),
    ("shading rate of a mesh", {"model": "MeshEXT", "mode": MESH.format(3, 1), "interface": "%v", "decorate": "OpDecorate %v BuiltIn PrimitiveShadingRateKHR",
                                "types": "%n = OpConstant %int 1\n%a = OpTypeArray %int %n\n%zeros = OpConstantNull %a\n%po = OpTypePointer Output %a\n"
                                         "%v = OpVariable %po Output", "body": "OpStore %v %zeros"}, r"built-in 4432 \(PrimitiveShadingRateKHR\)"),
    *((f"{name} of a pixel shader", {"model": "Fragment", "mode": "OriginUpperLeft", "interface": "%v", "decorate": f"OpDecorate %v BuiltIn {name}\nOpDecorate %v Flat",
                                     "types": f"%v3 = OpTypeVector %float 3\n%pi = OpTypePointer Input {kind}\n%v = OpVariable %pi Input", "body": f"%x = OpLoad {kind} %v"},
       rf"built-in {number} \({name}\)") for name, number, kind in (("BaryCoordKHR", 5286, "%v3"), ("BaryCoordNoPerspKHR", 5287, "%v3"), ("ShadingRateKHR", 4444, "%int"))),
    ("large mesh", {"model": "MeshEXT", "mode": MESH.format(257, 1)}, r"a mesh of 257 vertices and 1 primitives; 256 are possible"),
    ("much LDS", {"model": "MeshEXT", "mode": MESH.format(256, 1), "interface": "%v", "decorate": "OpDecorate %v Location 0",
                  "types": "%many = OpConstant %int 256\n%n = OpConstant %int 20\n%a = OpTypeArray %v4 %n\n%aa = OpTypeArray %a %many\n"
                           "%po = OpTypePointer Output %aa\n%pf = OpTypePointer Output %float\n%v = OpVariable %po Output",
                  "body": "%x = OpAccessChain %pf %v %zero %zero %zero\nOpStore %x %one"},
     r"a mesh shader whose outputs and shared memory need 819\d\d bytes of LDS; there are 65536"),
    ("large workgroup of a mesh", {"model": "MeshEXT", "mode": "LocalSize 300 1 1"}, r"workgroups of 300 x 1 x 1; 1 to 256 lanes are possible"),
    ("mesh without an array", {"model": "MeshEXT", "mode": MESH.format(3, 1), "interface": "%v", "decorate": "OpDecorate %v Location 0",
                               "types": "%po = OpTypePointer Output %int\n%v = OpVariable %po Output", "body": "OpStore %v %zero"},
     r"interface variable %\d+: it is not an array of what each vertex or primitive has"),
    ("vertex that is emitted", {"body": "OpEmitVertex"}, r"OpEmitVertex: not in a geometry shader"),
    ("outputs of a mesh", {"body": "OpSetMeshOutputsEXT %zero %zero"}, r"OpSetMeshOutputsEXT: not in a mesh shader"),
    ("numbers of a mesh", {"model": "MeshEXT", "mode": MESH.format(3, 1), "body": "OpSetMeshOutputsEXT %zero %one"}, r"OpSetMeshOutputsEXT: %\d+ is of a wrong type"),
    ("mesh with an input", {"model": "MeshEXT", "mode": MESH.format(3, 1), "interface": "%v", "decorate": "OpDecorate %v Location 0",
                            "types": "%pi = OpTypePointer Input %int\n%v = OpVariable %pi Input", "body": "%x = OpLoad %int %v"},
     r"input %\d+: a mesh shader has only built-ins"),
    ("size", {"mode": "LocalSize 2048 1 1"}, r"workgroups of 2048 x 1 x 1; 1 to 1024 lanes are possible"),
    ("other type", {"body": "%x = OpIAdd %int %zero %one"}, r"word \d+: OpIAdd %\d+: %\d+ is of a wrong type"),
    ("other result", {"body": "%x = OpFAdd %int %one %one"}, r"OpFAdd %\d+: operands that do not fit the type of the result"),
    ("a second colour elsewhere", {"model": "Fragment", "mode": "OriginUpperLeft", "interface": "%v", "decorate": "OpDecorate %v Location 1\nOpDecorate %v Index 1",
                                   "types": "%po = OpTypePointer Output %v4\n%v = OpVariable %po Output\n%c = OpConstantComposite %v4 %one %one %one %one",
                                   "body": "OpStore %v %c"}, r"output %\d+: location 1, index 1; a second colour for blending has location 0, index 1"),
    ("bits", {"body": "%x = OpBitcast %v2 %one"}, r"OpBitcast %\d+: operands that do not fit the type of the result"),
    ("a pointer as a number", {"body": "%p = OpVariable %pfn Function\n%x = OpIAdd %int %p %zero"}, r"OpIAdd %\d+: %\d+ is of a wrong type"),
    ("store of another type", {"body": "%p = OpVariable %pfn Function\nOpStore %p %one"}, r"OpStore: the value is not of the pointer's type"),
    ("later", {"body": "%x = OpIAdd %int %y %zero\n%y = OpIAdd %int %zero %zero"}, r"OpIAdd %\d+: %\d+ is used before it is defined"),
    ("itself", {"body": "%x = OpFunctionCall %void %main"}, r"OpFunctionCall %\d+: calls 64 deep, or a function that calls itself"),
    ("no such part", {"body": "%x = OpCompositeExtract %float %one 0"}, r"OpCompositeExtract %\d+: a part that there is not"),
    ("kill", {"body": "OpKill\n%l = OpLabel"}, r"word \d+: OpKill: only pixel shaders discard"),
    ("derivative", {"body": "%x = OpDPdx %float %one"}, r"word \d+: OpDPdx %\d+: lull does not compile this instruction"),
    ("no binding", {"types": "%s = OpTypeStruct %int\n%ps = OpTypePointer StorageBuffer %s\n%b = OpVariable %ps StorageBuffer"},
     r"OpVariable %\d+: it has no descriptor set and binding"),
    ("an input attachment in a compute shader", {
        "decorate": "OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0",
        "types": "%i = OpTypeImage %float SubpassData 0 0 0 2 Unknown\n%pi = OpTypePointer UniformConstant %i\n%v = OpVariable %pi UniformConstant\n"
                 "%v2i = OpTypeVector %int 2\n%at = OpConstantComposite %v2i %zero %zero",
        "body": "%x = OpLoad %i %v\n%y = OpImageRead %v4 %x %at"}, r"OpImageRead %\d+: an input attachment, and not a pixel shader"),
    ("rectangle", {"types": "%i = OpTypeImage %float Rect 0 0 0 1 Unknown\n%si = OpTypeSampledImage %i\n%pi = OpTypePointer UniformConstant %si\n"
                            "%v = OpVariable %pi UniformConstant"}, r"OpVariable %\d+: OpTypeSampledImage of dimension Rect is not supported"),
    ("shared memory that is not cleared", {"types": "%ps = OpTypePointer Workgroup %int\n%two = OpConstant %int 2\n%v = OpVariable %ps Workgroup %two"},
     r"OpVariable %\d+: shared memory with an initializer that is not OpConstantNull"),
    ("a vector as an index", {"types": "%v2i = OpTypeVector %int 2\n%c = OpConstantComposite %v2i %zero %zero\n%pv = OpTypePointer Function %v2i",
                              "body": "%p = OpVariable %pv Function\n%x = OpAccessChain %pfn %p %c"}, r"OpAccessChain %\d+: %\d+ is of a wrong type"),
    ("too much", {"types": "%n = OpConstant %int 4000\n%a = OpTypeArray %int %n\n%pa = OpTypePointer Function %a",
                  "body": "%p = OpVariable %pa Function\n" + "\n".join(f"%x{i} = OpLoad %a %p" for i in range(270))},
     r"OpLoad %\d+: more than \d+ instructions and numbers"),
    ("a vector as a condition", {"types": "%v2b = OpTypeVector %bool 2\n%c = OpConstantComposite %v2b %yes %yes",
                                 "body": "OpSelectionMerge %m None\nOpBranchConditional %c %m %m\n%m = OpLabel"},
     r"OpBranchConditional: its condition is a vector"),
]


def compile_(path, *more):
    out = [] if "-o" in more else ["-o", path.with_suffix(".elf")]
    r = subprocess.run([lull, "cc", "--relocatable", "-O0", path, *out, *more], capture_output=True, text=True, timeout=120)
    return r.returncode, r.stderr


with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)

    def assemble(name, model="GLCompute", mode="LocalSize 64 1 1", decorate="", types="", body="", more="", interface=""):
        path = d / f"{name.replace(' ', '-')}.spv"
        text = HEAD.format(model=model, mode=mode, decorate=decorate, types=types, interface=interface) + MAIN.format(body=body, more=more)
        subprocess.run(["spirv-as", "--target-env", "spv1.3", "-", "-o", path], input=text, text=True, check=True)
        return path

    status, said = compile_(assemble("nothing"))
    case("a shader that does nothing", status == 0 and said == "", said)
    for name, parts, want in ROWS:
        path = assemble(name, **parts)
        status, said = compile_(path)
        case(name, status == 3 and said.count("\n") == 1 and said.startswith(f"lull cc: {path}: ") and re.search(want, said) is not None and
             not path.with_suffix(".elf").exists(), (status, said))
    # SPV_KHR_untyped_pointers is newer than this machine's assembler.
    words = [w[0] for w in struct.iter_unpack("<I", (d / "nothing.spv").read_bytes())]
    at = words.index(5 << 16 | 54)  # OpFunction
    untyped = d / "untyped.spv"
    for name, new in (("OpTypeUntypedPointerKHR", (3 << 16 | 4417, words[3], 12)), ("OpUntypedVariableKHR", (4 << 16 | 4418, words[6], words[3], 12))):
        untyped.write_bytes(struct.pack(f"<{len(words) + len(new)}I", *words[:3], words[3] + 1, *words[4:at], *new, *words[at:]))
        status, said = compile_(untyped)
        case(f"untyped pointers: {name}", status == 3 and said.count("\n") == 1 and re.search(rf"word {at}: {name}", said) is not None, (status, said))
    path = assemble("options", decorate="OpDecorate %s SpecId 3", types="%s = OpSpecConstant %int 4")
    for args, status_, want in [(["--spec", "3=5"], 0, ""), (["--spec", "4=5"], 2, "--spec 4: there is no such constant"),
                                (["--spec", "3=x"], 2, "--spec 3=x: not a value of its type"), (["--spec", "3"], 2, "--spec: '3' is not ID=VALUE"),
                                (["--entry", "main"], 0, ""), (["--entry", "other"], 2, "there is no entry point 'other'")]:
        status, said = compile_(path, *args)
        case(" ".join(args), status == status_ and want in said, (status, said))
    (d / "x.ll").write_text("define amdgpu_cs void @f() {\n  ret void\n}\n")
    status, said = compile_(d / "x.ll", "--entry", "f")
    case("--entry of LLVM IR", status == 2 and "are for SPIR-V" in said, (status, said))

    # Geometry shaders, with the vertex shader before them.
    vertex = assemble("a vertex shader", "Vertex", "Xfb")
    strip = "OpExecutionMode %main OutputTriangleStrip\nOpExecutionMode %main OutputVertices {}\nOpExecutionMode %main Invocations {}"
    arrays = "%n = OpConstant %int 2\n%a = OpTypeArray %int %n\n%pa = OpTypePointer Input %a\n%v = OpVariable %pa Input"
    big = "%n = OpConstant %int 100\n%a = OpTypeArray %int %n\n%pa = OpTypePointer Output %a\n%v = OpVariable %pa Output"
    for name, parts, status_, want in [
            ("a geometry shader", {"mode": "Triangles\n" + strip.format(3, 1)}, 0, ""),
            ("without modes", {"mode": "Triangles"}, 3, r"a geometry shader that does not say what comes in and out"),
            ("many vertices", {"mode": "Triangles\n" + strip.format(257, 1)}, 3, r"a geometry shader of 257 vertices and 1 invocations; 256 and 128 are possible"),
            ("many invocations", {"mode": "Triangles\n" + strip.format(3, 129)}, 3, r"a geometry shader of 3 vertices and 129 invocations"),
            ("another array", {"mode": "Triangles\n" + strip.format(3, 1), "interface": "%v", "decorate": "OpDecorate %v Location 0", "types": arrays,
                               "body": "%x = OpLoad %a %v"}, 3, r"input %\d+: 2 vertices; primitives that come in have 3"),
            ("no array", {"mode": "Triangles\n" + strip.format(3, 1), "interface": "%v", "decorate": "OpDecorate %v Location 0",
                          "types": "%pi = OpTypePointer Input %int\n%v = OpVariable %pi Input", "body": "%x = OpLoad %int %v"}, 3,
             r"interface variable %\d+: it is not an array of what each vertex or primitive has"),
            ("a stream", {"mode": "Triangles\n" + strip.format(3, 1), "types": "%s = OpConstant %int 1", "body": "OpEmitStreamVertex %s"}, 0, ""),
            ("a stream that is no constant", {"mode": "Triangles\n" + strip.format(3, 1), "types": "%pf = OpTypePointer Private %int\n%v = OpVariable %pf Private",
                                              "body": "%s = OpLoad %int %v\nOpEmitStreamVertex %s"}, 3, r"OpEmitStreamVertex: "),
            ("much LDS", {"mode": "Triangles\n" + strip.format(256, 1), "interface": "%v", "decorate": "OpDecorate %v Location 0", "types": big,
                          "body": "%z = OpLoad %a %v\nOpStore %v %z"}, 3, r"vertices of one primitive that need \d+ bytes of LDS; there are 65536")]:
        path = assemble("geometry, " + name, "Geometry", **parts)
        status, said = compile_(vertex, path)
        case(f"geometry: {name}", status == status_ and said.count("\n") == (status_ != 0) and bool(re.search(want, said)), (status, said))
    good, crowd = d / "geometry,-a-geometry-shader.spv", d / "geometry,-many-invocations.spv"
    wide = assemble("1025 vertices", "Geometry", "Triangles\n" + strip.format(1025, 1))
    row = "%n = OpConstant %int 5\n%a = OpTypeArray %v4 %n\n%po = OpTypePointer Output %a\n%v = OpVariable %po Output\n%zeros = OpConstantNull %a"
    much = assemble("20480 bytes", "Geometry", "Triangles\n" + strip.format(256, 1), interface="%v", decorate="OpDecorate %v Location 0", types=row, body="OpStore %v %zeros\nOpEmitVertex")
    control, evaluation = assemble("a control shader", "TessellationControl", "OutputVertices 3\nOpExecutionMode %main Triangles"), None
    patches = "%n = OpConstant %int 32\n%a = OpTypeArray %v4 %n\n%pa = OpTypePointer Input %a\n%v = OpVariable %pa Input"
    large = "%n = OpConstant %int 300\n%a = OpTypeArray %v4 %n\n%t = OpConstant %int 3\n%aa = OpTypeArray %a %t\n%po = OpTypePointer Output %aa\n%v = OpVariable %po Output"
    for name, models, parts, status_, want in [
            ("an evaluation shader", "e", {"mode": "Triangles"}, 0, ""),
            ("no domain", "c", {"mode": "OutputVertices 3"}, 0, ""),
            ("no vertices", "c", {"mode": "Quads"}, 3, "a tessellation control shader that puts out 0 vertices; 1 to 32 are possible"),
            ("many vertices", "c", {"mode": "OutputVertices 33"}, 3, "a tessellation control shader that puts out 33 vertices"),
            ("no array", "c", {"mode": "OutputVertices 3", "interface": "%v", "decorate": "OpDecorate %v Location 0",
                               "types": "%pi = OpTypePointer Input %int\n%v = OpVariable %pi Input", "body": "%x = OpLoad %int %v"}, 3,
             r"interface variable %\d+: it is not an array of what each vertex or primitive has"),
            ("no location", "e", {"mode": "Triangles", "interface": "%v", "types": patches, "body": "%x = OpLoad %a %v"}, 3, r"interface variable %\d+: it has no Location"),
            ("much LDS", "c", {"mode": "OutputVertices 3", "interface": "%v", "decorate": "OpDecorate %v Location 0", "types": large,
                               "body": "%z = OpLoad %aa %v\nOpStore %v %z"}, 3, r"too many numbers"),
            ("an initializer", "c", {"mode": "OutputVertices 3", "interface": "%v", "decorate": "OpDecorate %v Location 0\nOpDecorate %v Patch",
                                     "types": "%po = OpTypePointer Output %int\n%v = OpVariable %po Output %zero", "body": "OpStore %v %zero"}, 3,
             r"OpVariable %\d+: an output of patches with an initializer")]:
        path = assemble("patches, " + name, "TessellationEvaluation" if models == "e" else "TessellationControl", **parts)
        evaluation = evaluation or path
        files = (vertex, control, path) if models == "e" else (vertex, path, evaluation)
        status, said = compile_(*files)
        case(f"patches: {name}", status == status_ and said.count("\n") == (status_ != 0) and bool(re.search(want, said)), (status, said))
    # No shader says the domain: the evaluation shader has to if the control shader does not.
    silent, mute = assemble("silent control", "TessellationControl", "OutputVertices 3"), assemble("silent evaluation", "TessellationEvaluation", "SpacingEqual")
    several = "several files are a vertex and a geometry shader"
    for files, status_, want in [((good,), 2, "compiled with all shaders before the pixel shader: lull cc X.vert X.geom"), ((good, good), 2, several),
                                 ((good, vertex), 2, several), ((vertex, good, good), 2, several), ((vertex, control), 2, several),
                                 ((control, vertex, evaluation), 2, several), ((vertex, control, evaluation, vertex), 2, several),
                                 ((control,), 2, "compiled with all shaders before"), ((evaluation,), 2, "compiled with all shaders before"),
                                 ((vertex, control, evaluation, good, good), 2, "up to 4 files at a time"), ((vertex, control, evaluation, good), 0, ""),
                                 ((vertex, silent, mute), 3, "no shader says whether patches are triangles, quads or isolines"),
                                 ((vertex, d / "x.ll"), 2, "one file of LLVM IR at a time"), ((d / "x.ll", good), 3, "x.ll"),
                                 ((vertex, good, "--spec", "1=2"), 2, "--spec and --entry are for one file, not for several"),
                                 ((vertex, good, "-mcpu=gfx906"), 0, ""), ((vertex, good, "-mcpu=gfx942"), 3, "for gfx942: it has no stages that draw"),
                                 ((vertex, crowd, "-mcpu=gfx906"), 3, "a geometry shader of 3 vertices and 129 invocations; 1024 and 127 are possible"),
                                 ((vertex, wide, "-mcpu=gfx906"), 3, "a geometry shader of 1025 vertices and 1 invocations; 1024 and 127 are possible"),
                                 ((vertex, much, "-mcpu=gfx906"), 3, "20480 bytes emitted by an invocation; 16383 are possible"),
                                 ((vertex, good, "--primitive-id"), 3, "--primitive-id is for a vertex or tessellation evaluation shader right before the pixel shader"),
                                 ((vertex, "-mcpu=gfx942"), 3, "a vertex shader, for gfx942: it has no stages that draw"),
                                 ((vertex, "-mcpu=gfx803"), 3, "a vertex shader, for gfx803: shaders that draw are compiled for gfx9 to gfx12")]:
        status, said = compile_(*files)
        case(f"files: {[str(f).rsplit('/', maxsplit=1)[-1] for f in files]}", status == status_ and want in said, (status, said))

    # Shaders that do not go together.
    mesh = """#version 450
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 3) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
layout(location = 0) out float c[];
layout(location = 1) perprimitiveEXT out float p[];
void main() { SetMeshOutputsEXT(3, 1); c[gl_LocalInvocationIndex] = 1; p[0] = 2; gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2); }"""
    frag = "#version 450\n#extension GL_EXT_mesh_shader : require\nlayout(location = {}) {} in float c;\nlayout(location = 0) out vec4 o;\nvoid main() {{ o = vec4({}); }}"
    plain = "#version 450\nlayout(location = 0) out float c;\nvoid main() { gl_Position = vec4(c = 1); }"
    (d / "pair.json").write_text('{"nodes": []}')
    for name, stage, before, after, status_, want in [
            ("a pair", "mesh", mesh, frag.format(1, "perprimitiveEXT", "c"), 0, ""),
            ("of a primitive, read as of vertices", "mesh", mesh, frag.format(1, "", "c"), 3,
             "parameter 1: the pixel shader reads it as one of vertices, the shader before it writes it as one of primitives"),
            ("of vertices, read as of a primitive", "mesh", mesh, frag.format(0, "perprimitiveEXT", "c"), 3,
             "parameter 0: the pixel shader reads it as one of primitives, the shader before it writes it as one of vertices"),
            ("gl_PrimitiveID of a mesh that has none", "mesh", mesh, frag.format(0, "", "c + gl_PrimitiveID"), 3, "reads gl_PrimitiveID"),
            ("gl_PrimitiveID of a vertex shader", "vert", plain, frag.format(0, "", "c + gl_PrimitiveID"), 3, "reads gl_PrimitiveID")]:
        (d / f"pair.{stage}").write_text(before)
        (d / "pair.frag").write_text(after)
        said = [compile_(d / f"pair.{stage}", "-o", d / "a.o"), compile_(d / "pair.frag", "-o", d / "b.o")]
        r = subprocess.run([lull, "link", d / "a.o", d / "b.o", "--layout", d / "pair.json", "-o", d / "pair.elf"], capture_output=True, text=True, timeout=60)
        case(f"link: {name}", [s for s, _ in said] == [0, 0] and r.returncode == status_ and want in r.stderr, (said, r.returncode, r.stderr))

    # Views: primitives that go to no layer, and a target with too few of them.
    (d / "view.json").write_text('{"nodes": [], "view_mask": 4}')
    (d / "pair.vert").write_text("#version 450\nvoid main() { gl_Position = vec4(0); }")
    (d / "pair.frag").write_text("#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1); }")
    for name, more, status_, want in [("that it does not know", (), 3, "does not read gl_ViewIndex; compile it with --multiview"), ("that it is told of", ("--multiview",), 0, "")]:
        said = [compile_(d / f"pair.{s}", *more, "-o", d / f"{s}.o") for s in ("vert", "frag")]
        r = subprocess.run([lull, "link", d / "vert.o", d / "frag.o", "--layout", d / "view.json", "-o", d / "view.elf"], capture_output=True, text=True, timeout=60)
        case(f"link: views {name}", [s for s, _ in said] == [0, 0] and r.returncode == status_ and want in r.stderr, (said, r.returncode, r.stderr))
    r = subprocess.run([lull, "run", d / "view.elf", "--layout", d / "view.json", "--draw", "3", "--target", "8x8:rgba8:layers=2"], capture_output=True, text=True, timeout=60)
    case("run: fewer layers than views", r.returncode == 2 and "its layers are 2, and the layout's view_mask has view 2 (:layers=3)" in r.stderr, (r.returncode, r.stderr))
    (d / "c.comp").write_text("#version 450\nvoid main() {}")
    status, said = compile_(d / "c.comp", "--multiview")
    case("views of a compute shader", status == 3 and "--multiview is for shaders that draw" in said, (status, said))

    # A node of the layout that only vertex shaders see, in each hardware stage that runs one.
    (d / "see.json").write_text('{"nodes": [{"type": "table", "set": 0, "visibility": 2, "nodes": [{"type": "buffer", "binding": 3}]}], "patch_control_points": 3}')
    (d / "see.vert").write_text("#version 450\nlayout(set = 0, binding = 3) uniform T { vec4 rows[4]; } t;\nvoid main() { gl_Position = t.rows[gl_VertexIndex & 3]; }")
    (d / "see.geom").write_text("#version 450\nlayout(points) in;\nlayout(points, max_vertices = 1) out;\nvoid main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }")
    (d / "see.tesc").write_text("#version 450\nlayout(vertices = 3) out;\nvoid main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; }")
    (d / "see.tese").write_text("#version 450\nlayout(triangles) in;\nvoid main() { gl_Position = gl_in[0].gl_Position; }")
    for stages in (["vert"], ["vert", "geom"], ["vert", "tesc", "tese"], ["vert", "tesc", "tese", "geom"]):
        said = compile_(*(d / f"see.{s}" for s in stages), "-o", d / "see.o")
        r = subprocess.run([lull, "link", d / "see.o", "--layout", d / "see.json", "-o", d / "see.elf"], capture_output=True, text=True, timeout=60)
        case(f"link: visible to a vertex shader, in {stages}", said == (0, "") and r.returncode == 0, (said, r.returncode, r.stderr))
    # Vertices of a patch: the layout has to say how many, and the object may have been compiled for another number.
    (d / "none.json").write_text('{"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 3}]}]}')
    (d / "four.json").write_text('{"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 3}]}], "patch_control_points": 4}')
    patch = [d / f"see.{s}" for s in ("vert", "tesc", "tese")]
    status, said = compile_(*patch, "-o", d / "see.o")
    r = subprocess.run([lull, "link", d / "see.o", "--layout", d / "none.json", "-o", d / "see.elf"], capture_output=True, text=True, timeout=60)
    case("link: no patch_control_points", status == 0 and r.returncode == 3 and "the layout has no patch_control_points" in r.stderr, (status, said, r.returncode, r.stderr))
    for layout, text in (("see", "patch_control_points is 4"), ("four", "")):
        r = subprocess.run([lull, "cc", *patch, "--layout", d / f"{layout}.json", "-o", d / "see.o"], capture_output=True, text=True, timeout=60)
        r2 = subprocess.run([lull, "link", d / "see.o", "--layout", d / "four.json", "-o", d / "see.elf"], capture_output=True, text=True, timeout=60)
        case(f"link: compiled for the layout {layout}", r.returncode == 0 and r2.returncode == (3 if text else 0) and text in r2.stderr, (r.stderr, r2.stderr))

    rays = "#extension GL_EXT_ray_tracing : require\n"
    cause = "rays go through acceleration structures and tables of shaders, whose form only the driver knows"
    for stage, head, body, want in [
            ("task", "#extension GL_EXT_mesh_shader : require\n", "EmitMeshTasksEXT(1, 1, 1);",
             "is a task shader (execution model 5364): it runs on a queue of its own, and gives workgroups and their payload to mesh shaders through rings"),
            *((stage, rays + f"layout(location = 0) {data} vec4 v;\n", "v = vec4(1);", f"is {what} shader (execution model {model}): {cause}; compute, vertex")
              for stage, data, what, model in [("rgen", "rayPayloadEXT", "a ray generation", 5313), ("rint", "hitAttributeEXT", "an intersection", 5314),
                                               ("rahit", "rayPayloadInEXT", "an any-hit", 5315), ("rchit", "rayPayloadInEXT", "a closest-hit", 5316),
                                               ("rmiss", "rayPayloadInEXT", "a miss", 5317), ("rcall", "callableDataInEXT", "a callable", 5318)])]:
        source = d / f"glsl.{stage}"
        source.write_text(f"#version 460\n{head}void main() {{\n  {body}\n}}\n".replace("layout(location = 0) hitAttributeEXT", "hitAttributeEXT"))
        status, said = compile_(source)
        case(f"GLSL of stage {stage}", status == 3 and want in said, (status, said))
        # The same as a module, with lines: OpEntryPoint, the line and the cause.
        subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3", source, "-o", d / "glsl.spv"], check=True)
        status, said = compile_(d / "glsl.spv")
        line = source.read_text().count("\n", 0, source.read_text().index(body)) + 1
        case(f"module of stage {stage}", status == 3 and want in said and re.search(rf"glsl.spv: word \d+: OpEntryPoint: 'main' at \S*glsl.{stage}:{line} is ", said) is not None,
             (status, said, line))

    # Each instruction of ray queries that glslang makes, and its line.
    for op, statement in [
            ("Initialize", "rayQueryInitializeEXT(q, top, 0u, 0xffu, vec3(0), 0.0, vec3(0, 0, 1), 9.0)"), ("Proceed", "rayQueryProceedEXT(q)"),
            ("Terminate", "rayQueryTerminateEXT(q)"), ("GenerateIntersection", "rayQueryGenerateIntersectionEXT(q, 1.0)"),
            ("ConfirmIntersection", "rayQueryConfirmIntersectionEXT(q)"), ("GetIntersectionType", "b.v = vec4(rayQueryGetIntersectionTypeEXT(q, true))"),
            ("GetRayTMin", "b.v = vec4(rayQueryGetRayTMinEXT(q))"), ("GetRayFlags", "b.v = vec4(rayQueryGetRayFlagsEXT(q))"),
            ("GetWorldRayOrigin", "b.v = rayQueryGetWorldRayOriginEXT(q).xyzz"), ("GetWorldRayDirection", "b.v = rayQueryGetWorldRayDirectionEXT(q).xyzz"),
            ("GetIntersectionT", "b.v = vec4(rayQueryGetIntersectionTEXT(q, true))"),
            ("GetIntersectionInstanceCustomIndex", "b.v = vec4(rayQueryGetIntersectionInstanceCustomIndexEXT(q, true))"),
            ("GetIntersectionInstanceId", "b.v = vec4(rayQueryGetIntersectionInstanceIdEXT(q, true))"),
            ("GetIntersectionInstanceShaderBindingTableRecordOffset",
             "b.v = vec4(rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, true))"),
            ("GetIntersectionGeometryIndex", "b.v = vec4(rayQueryGetIntersectionGeometryIndexEXT(q, true))"),
            ("GetIntersectionPrimitiveIndex", "b.v = vec4(rayQueryGetIntersectionPrimitiveIndexEXT(q, true))"),
            ("GetIntersectionBarycentrics", "b.v = rayQueryGetIntersectionBarycentricsEXT(q, true).xyxy"),
            ("GetIntersectionFrontFace", "b.v = vec4(rayQueryGetIntersectionFrontFaceEXT(q, true))"),
            ("GetIntersectionCandidateAABBOpaque", "b.v = vec4(rayQueryGetIntersectionCandidateAABBOpaqueEXT(q))"),
            ("GetIntersectionObjectRayOrigin", "b.v = rayQueryGetIntersectionObjectRayOriginEXT(q, true).xyzz"),
            ("GetIntersectionObjectRayDirection", "b.v = rayQueryGetIntersectionObjectRayDirectionEXT(q, true).xyzz"),
            ("GetIntersectionObjectToWorld", "b.v = rayQueryGetIntersectionObjectToWorldEXT(q, true)[0].xyzz"),
            ("GetIntersectionWorldToObject", "b.v = rayQueryGetIntersectionWorldToObjectEXT(q, true)[0].xyzz")]:
        (d / "query.comp").write_text("#version 460\n#extension GL_EXT_ray_query : require\nlayout(set = 0, binding = 0) uniform accelerationStructureEXT top;\n"
                                      "layout(set = 0, binding = 1) buffer B { vec4 v; } b;\nvoid main() {\n  rayQueryEXT q;\n"
                                      f"  b.v = vec4(2);\n  {statement};\n}}\n")
        subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3", d / "query.comp", "-o", d / "query.spv"], check=True)
        status, said = compile_(d / "query.spv")
        case(f"OpRayQuery{op}KHR", status == 3 and said.count("\n") == 1 and
             re.search(rf"word \d+: OpRayQuery{op}KHR(?: %\d+)?: at \S*query.comp:8: ray queries are not compiled: they go through acceleration structures", said) is not None,
             (status, said))

    for shader in ["spec", "matrices", "address", "radix", "small_ints", "sampled", "image2d", "texels"]:
        good = d / f"{shader}.spv"
        subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", shaders / f"{shader}.comp", "-o", good], check=True)
        words = list(struct.unpack(f"<{good.stat().st_size // 4}I", good.read_bytes()))
        bound = words[3]
        for n in range(seed, seed + many):
            r = random.Random(f"{shader} {n}")
            changed = list(words)
            for _ in range(r.choice([1, 1, 1, 2, 4])):
                at = r.randrange(5, len(words))
                changed[at] = r.choice([r.randrange(bound), r.randrange(bound), words[r.randrange(5, len(words))], changed[at] ^ 1 << r.randrange(20)])
            bad = d / f"{shader}-{n}.spv"
            bad.write_bytes(struct.pack(f"<{len(changed)}I", *changed))
            status, said = compile_(bad)
            good_end = status == 0 or (status == 3 and said.count("\n") == 1 and "LLVM failed" not in said)
            case(f"{shader}, changed by seed {n}", good_end, (status, said))
end()
