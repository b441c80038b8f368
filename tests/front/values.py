#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions that GLSL does not reach with all their operands, in SPIR-V assembly: signs of remainders, whole and empty bit fields, FMod of
negative numbers, dynamic parts of vectors. Run on the model, and compared with what this script computes. values.py LULL"""
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
N = 64
A = [(i * 7919 * 104729 + 12345) % (1 << 32) for i in range(N)]
B = [(3, (1 << 32) - 3, 1, (1 << 32) - 1, 7, 1 << 31, 5, (1 << 32) - 16)[i % 8] for i in range(N)]
MASK = (1 << 32) - 1


def signed(v):
    return v - (1 << 32) if v >> 31 else v


def trunc_rem(a, b):
    return int(math.copysign(abs(a) % abs(b), a)) if a % b else 0


def as_float(v):
    return struct.unpack("<f", struct.pack("<f", float(v)))[0]


def bits(v):
    return struct.unpack("<I", struct.pack("<f", v))[0]


def bytes_of(v, is_signed):
    return [x - 256 if is_signed and x > 127 else x for x in struct.pack("<I", v)]


def dot(a, b, signs="ss", more=None):
    total = sum(x * y for x, y in zip(bytes_of(a, signs[0] == "s"), bytes_of(b, signs[1] == "s")))
    if more is None:
        return total
    low, high = (-(1 << 31), (1 << 31) - 1) if signs[0] == "s" else (0, MASK)
    return min(max(total + more, low), high)


def halves(v):  # of integers of 8 bits, which are exact
    return [float(x) for x in bytes_of(v, True)[:2]]


def half_of(v):
    """As OpQuantizeToF16 has it: denormal halves are 0."""
    if abs(v) >= 65520:
        return math.copysign(math.inf, v)
    h = struct.unpack("<e", struct.pack("<e", v))[0]
    return h if abs(h) >= 2 ** -14 else math.copysign(0, v)


def copies(v):  # 21 copies of the sign, of which 32 bits without a sign are divided
    return (signed(v) >> 20) & MASK


SIGNS = "%u = OpShiftRightArithmetic %int %a %c20\n%d = OpBitwiseOr %int %u %c1\n"
BYTES = "%u = OpBitcast %v4b %a\n%w = OpBitcast %v4b %b\n"
HALVES = ("%sa = OpBitcast %v4b %a\n%sb = OpBitcast %v4b %b\n%ha = OpConvertSToF %v4h %sa\n%hb = OpConvertSToF %v4h %sb\n"
          "%a2 = OpVectorShuffle %v2h %ha %ha 0 1\n%b2 = OpVectorShuffle %v2h %hb %hb 0 1\n")

# name, instructions that make %r (an int) of %a and %b, what that is
ROWS = [
    ("an exponent of 64 bits", "%o = OpBitwiseAnd %int %a %c1\n%m = OpSNegate %int %o\n%e = OpSConvert %long %m\n%h = OpShiftLeftLogical %long %e %c32\n%l = OpSConvert %long %k\n"
     "%x = OpBitwiseOr %long %h %l\n%f = OpExtInst %float %std Ldexp %f15 %x\n%r = OpBitcast %int %f", lambda a, b: 0 if a & 1 else bits(1.5 * 2 ** (a & 7))),
    ("SMod", "%r = OpSMod %int %a %b", lambda a, b: signed(a) % signed(b)),
    ("SRem", "%r = OpSRem %int %a %b", lambda a, b: trunc_rem(signed(a), signed(b))),
    ("SDiv", "%r = OpSDiv %int %a %b", lambda a, b: (signed(a) - trunc_rem(signed(a), signed(b))) // signed(b)),
    ("UMod", "%r = OpUMod %int %a %b", lambda a, b: a % b),
    ("UDiv of copies of a sign", SIGNS + "%r = OpUDiv %int %u %d", lambda a, b: copies(a) // (copies(a) | 1)),
    ("UMod of copies of a sign", SIGNS + "%r = OpUMod %int %u %d", lambda a, b: copies(a) % (copies(a) | 1)),
    ("ShiftRightArithmetic", "%m = OpBitwiseAnd %int %b %c31\n%r = OpShiftRightArithmetic %int %a %m", lambda a, b: signed(a) >> (b & 31)),
    ("BitFieldSExtract, all", "%r = OpBitFieldSExtract %int %a %c0 %c32", lambda a, b: a),
    ("BitFieldUExtract, none", "%r = OpBitFieldUExtract %int %a %c5 %c0", lambda a, b: 0),
    ("BitFieldSExtract, upper", "%r = OpBitFieldSExtract %int %a %c31 %c1", lambda a, b: -(a >> 31)),
    ("BitFieldInsert, all", "%r = OpBitFieldInsert %int %a %b %c0 %c32", lambda a, b: b),
    ("BitFieldInsert, none", "%r = OpBitFieldInsert %int %a %b %c5 %c0", lambda a, b: a),
    ("FMod", "%s = OpShiftRightArithmetic %int %a %c20\n%t = OpShiftRightArithmetic %int %b %c20\n%u = OpBitwiseOr %int %t %c1\n"
     "%x = OpConvertSToF %float %s\n%y = OpConvertSToF %float %u\n%z = OpFMod %float %x %y\n%r = OpConvertFToS %int %z",
     lambda a, b: (signed(a) >> 20) % (signed(b) >> 20 | 1)),
    ("VectorExtractDynamic", "%v = OpCompositeConstruct %v4 %a %b %c5 %c31\n%i = OpBitwiseAnd %int %a %c3\n%r = OpVectorExtractDynamic %int %v %i",
     lambda a, b: (a, b, 5, 31)[a & 3]),
    ("VectorExtractDynamic of three", "%v = OpCompositeConstruct %v3 %a %b %c5\n%p = OpBitwiseAnd %int %a %c1\n%q = OpBitwiseAnd %int %b %c1\n"
     "%i = OpIAdd %int %p %q\n%r = OpVectorExtractDynamic %int %v %i", lambda a, b: (a, b, 5)[(a & 1) + (b & 1)]),
    ("CompositeInsert", "%v = OpCompositeConstruct %v4 %a %b %c5 %c31\n%w = OpCompositeInsert %v4 %a %v 2\n%r = OpCompositeExtract %int %w 2",
     lambda a, b: a),
    ("Switch, falling through", "OpSelectionMerge %m None\nOpSwitch %k %d 0 %p 1 %q 5 %q\n%p = OpLabel\nOpBranch %q\n%q = OpLabel\n"
     "%f = OpPhi %int %c3 %p %c5 %begin\nOpBranch %m\n%d = OpLabel\nOpBranch %m\n%m = OpLabel\n%r = OpPhi %int %f %q %c31 %d",
     lambda a, b: {0: 3, 1: 5, 5: 5}.get(a & 7, 31)),
    ("SDot", "%r = OpSDot %int %a %b PackedVectorFormat4x8Bit", dot),
    ("UDot", "%s = OpUDot %uint %a %b PackedVectorFormat4x8Bit\n%r = OpBitcast %int %s", lambda a, b: dot(a, b, "uu")),
    ("SUDot", "%r = OpSUDot %int %a %b PackedVectorFormat4x8Bit", lambda a, b: dot(a, b, "su")),
    ("SDot of vectors", BYTES + "%r = OpSDot %int %u %w", dot),
    ("SDot of vectors, 16 bits", BYTES + "%s = OpSDot %short %u %w\n%r = OpSConvert %int %s",
     lambda a, b: (dot(a, b) + (1 << 15)) % (1 << 16) - (1 << 15)),
    ("SDotAccSat", "%r = OpSDotAccSat %int %a %b %b PackedVectorFormat4x8Bit", lambda a, b: dot(a, b, "ss", signed(b))),
    ("UDotAccSat", "%s = OpUDotAccSat %uint %a %b %b PackedVectorFormat4x8Bit\n%r = OpBitcast %int %s", lambda a, b: dot(a, b, "uu", b)),
    ("SUDotAccSat", "%r = OpSUDotAccSat %int %a %b %b PackedVectorFormat4x8Bit", lambda a, b: dot(a, b, "su", signed(b))),
    ("FDot2MixAcc32VALVE", HALVES + "%c = OpConvertSToF %float %c31\n%s = OpBitFieldUExtract %float %a2 %b2 %c\n%r = OpBitcast %int %s",
     lambda a, b: bits(31 + sum(x * y for x, y in zip(halves(a), halves(b))))),
    ("FDot2MixAcc16VALVE", HALVES + "%c = OpConvertSToF %half %c7\n%q = OpFMul %v2h %a2 %h16\n%s = OpBitFieldSExtract %half %q %b2 %c\n"
     "%f = OpFConvert %float %s\n%r = OpBitcast %int %f", lambda a, b: bits(7 + sum(x / 16 * y for x, y in zip(halves(a), halves(b))))),
]
ROWS += [
    # Halves that are normal, or would be denormal, and of whole numbers also infinity.
    ("QuantizeToF16", "%u = OpShiftRightLogical %int %a %c3\n%v = OpBitwiseOr %int %u %c20000000\n%x = OpBitcast %float %v\n%q = OpQuantizeToF16 %float %x\n%r = OpBitcast %int %q",
     lambda a, b: bits(half_of(struct.unpack("<f", struct.pack("<I", a >> 3 | 0x20000000))[0]))),
    ("QuantizeToF16 of whole numbers", "%x = OpConvertSToF %float %b\n%v = OpFMul %float %x %f15\n%q = OpQuantizeToF16 %float %v\n%r = OpBitcast %int %q",
     lambda a, b: bits(half_of(signed(b) * 1.5))),
    ("Expect and AssumeTrue", "%e = OpExpectKHR %int %a %b\n%t = OpIEqual %bool %a %e\nOpAssumeTrueKHR %t\n%r = OpBitwiseXor %int %e %b", lambda a, b: a ^ b),
]
# spirv-as does not know them: instructions with the same operands stand for them.
STAND_INS = {"FDot2MixAcc32VALVE": (203, 6916), "FDot2MixAcc16VALVE": (202, 6917)}
HEAD = """OpCapability Shader
OpCapability ExpectAssumeKHR
OpCapability Int8
OpCapability Int16
OpCapability Float16
OpCapability DotProductKHR
OpCapability DotProductInput4x8BitPackedKHR
OpCapability DotProductInput4x8BitKHR
OpCapability Int64
OpExtension "SPV_KHR_expect_assume"
OpExtension "SPV_KHR_integer_dot_product"
%std = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpMemberDecorate %s0 0 Offset 0
OpDecorate %s0 Block
{bindings}
%void = OpTypeVoid
%bool = OpTypeBool
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%c20000000 = OpConstant %int 0x20000000
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%long = OpTypeInt 64 1
%f15 = OpConstant %float 1.5
%v3 = OpTypeVector %int 3
%v4 = OpTypeVector %int 4
%byte = OpTypeInt 8 1
%short = OpTypeInt 16 1
%half = OpTypeFloat 16
%v4b = OpTypeVector %byte 4
%v2h = OpTypeVector %half 2
%v4h = OpTypeVector %half 4
%sixteenth = OpConstant %half 0x1p-4
%h16 = OpConstantComposite %v2h %sixteenth %sixteenth
{constants}
%array = OpTypeRuntimeArray %int
%s0 = OpTypeStruct %array
%ps = OpTypePointer StorageBuffer %s0
%pint = OpTypePointer StorageBuffer %int
%pin = OpTypePointer Input %uint
%id = OpVariable %pin Input
%A = OpVariable %ps StorageBuffer
%B = OpVariable %ps StorageBuffer
%R = OpVariable %ps StorageBuffer
%main = OpFunction %void None %fn
%begin = OpLabel
%at = OpLoad %uint %id
%pa = OpAccessChain %pint %A %c0 %at
%a = OpLoad %int %pa
%pb = OpAccessChain %pint %B %c0 %at
%b = OpLoad %int %pb
%k = OpBitwiseAnd %int %a %c7
{body}
%pr = OpAccessChain %pint %R %c0 %at
OpStore %pr %r
OpReturn
OpFunctionEnd
"""


# An index that is itself of the array: LLVM 19 loses it when it makes a vector of the array.
TABLES = """#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2) writeonly buffer R { uint r[]; };
uint next[8] = { 3, 5, 0, 7, 1, 6, 2, 4 };
uint other(uint at) { return next[at]; }
void main()
{
    uint at = gl_LocalInvocationID.x, own[4];
    for (uint i = 0; i < 4; i++) own[i] = b[at] >> i & 3u;
    r[at] = next[other(next[a[at] & 7u])] * 16u + own[own[own[a[at] >> 8 & 3u]]];
}
"""
NEXT = [3, 5, 0, 7, 1, 6, 2, 4]
DOUBLES = """#version 460
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer R { double sum, least, most, each[64]; };
void main()
{
    uint at = gl_LocalInvocationID.x;
    double x = double(int(a[at]) >> 8);
    atomicAdd(sum, x);
    atomicMin(least, x);
    atomicMax(most, x);
    if ((at & 1u) != 0u) atomicAdd(each[a[at] & 63u], 1.5LF);
}
"""


# Around a compute shader what other entry points use, a variable that holds a pointer, one that holds nothing, and older words about the source.
OTHERS = [
    ("OpExtension", 'OpCapability VariablePointers\nOpExtension "SPV_KHR_variable_pointers"\nOpExtension "SPV_KHR_non_semantic_info"\n%words = OpExtInstImport "NonSemantic.Tests"\n%dbg = OpExtInstImport "OpenCL.DebugInfo.100"\nOpExtension'),
    ("OpExecutionMode", 'OpEntryPoint Vertex %vertex "vertex" %vi %pos\nOpEntryPoint Fragment %pixel "pixel" %fc %color\nOpExecutionMode %pixel OriginUpperLeft\n'
     '%file = OpString "x.hlsl"\nOpName %keep "keep"\nOpDecorate %vi BuiltIn VertexIndex\nOpDecorate %pos BuiltIn Position\nOpDecorate %fc BuiltIn FragCoord\n'
     "OpDecorate %color Location 0\nOpExecutionMode"),
    ("%main =", "%source = OpExtInst %void %dbg DebugSource %file\n%unit = OpExtInst %void %dbg DebugCompilationUnit 987654 4 %source HLSL\n"
     "%v4f = OpTypeVector %float 4\n%pvi = OpTypePointer Input %int\n%pfc = OpTypePointer Input %v4f\n%po = OpTypePointer Output %v4f\n%pp = OpTypePointer Private %pint\n"
     "%pn = OpTypePointer Private %void\n%vi = OpVariable %pvi Input\n%fc = OpVariable %pfc Input\n%pos = OpVariable %po Output\n%color = OpVariable %po Output\n"
     "%keep = OpVariable %pp Private\n%nothing = OpVariable %pn Private\n%main ="),
]
FUNCTIONS = """%vertex = OpFunction %void None %fn
%l0 = OpLabel
%i0 = OpLoad %int %vi
%x0 = OpConvertSToF %float %i0
%p0 = OpCompositeConstruct %v4f %x0 %x0 %f15 %f15
OpStore %pos %p0
OpReturn
OpFunctionEnd
%pixel = OpFunction %void None %fn
%l1 = OpLabel
%p1 = OpLoad %v4f %fc
OpStore %color %p1
OpReturn
OpFunctionEnd
%about = OpExtInst %void %words 1 %file
"""


def run(*args):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)
    (d / "layout.json").write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": i} for i in range(3)]}]}))
    for name, values in ("a", A), ("b", B):
        (d / name).write_bytes(struct.pack(f"<{N}I", *values))
    for name, body, want in ROWS:
        text = HEAD.format(bindings="\n".join(f"OpDecorate %{v} DescriptorSet 0\nOpDecorate %{v} Binding {i}" for i, v in enumerate("ABR")),
                           constants="\n".join(f"%c{n} = OpConstant %int {n}" for n in (0, 1, 3, 5, 7, 20, 31, 32)), body=body)
        subprocess.run(["spirv-as", "--target-env", "spv1.3", "-", "-o", d / "x.spv"], input=text, text=True, check=True)
        if name in STAND_INS:
            was, now = (6 << 16 | op for op in STAND_INS[name])
            data = (d / "x.spv").read_bytes()
            (d / "x.spv").write_bytes(data.replace(struct.pack("<I", was), struct.pack("<I", now)))
        (d / "want").write_bytes(struct.pack(f"<{N}I", *(want(a, b) & MASK for a, b in zip(A, B))))
        for level in "-O0", "-O2":
            status, said = run(lull, "cc", level, "--layout", d / "layout.json", d / "x.spv", "-o", d / "x.elf")
            if status == 0:
                status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", 1, "--bind", f"0.0={d / 'a'}",
                                   "--bind", f"0.1={d / 'b'}", "--bind", f"0.2=zeros:{4 * N}", "--expect", f"0.2={d / 'want'}")
            case(f"{name} {level}", status == 0, (status, said))

    (d / "tables.comp").write_text(TABLES)
    want = []
    for a, b in zip(A, B):
        own = [b >> i & 3 for i in range(4)]
        want.append(NEXT[NEXT[NEXT[a & 7]]] * 16 + own[own[own[a >> 8 & 3]]])
    (d / "want").write_bytes(struct.pack(f"<{N}I", *want))
    for level in "-O0", "-O1", "-O2", "-O3", "-Og":
        status, said = run(lull, "cc", level, "--layout", d / "layout.json", d / "tables.comp", "-o", d / "x.elf")
        if status == 0:
            status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", 1, "--bind", f"0.0={d / 'a'}",
                               "--bind", f"0.1={d / 'b'}", "--bind", f"0.2=zeros:{4 * N}", "--expect", f"0.2={d / 'want'}")
        case(f"an index of the array itself {level}", status == 0, (status, said))

    for old, new in OTHERS:
        text = text.replace(old, new, 1)
    text = text.replace(body, "OpStore %keep %pa\n%again = OpLoad %pint %keep\n%r0 = OpLoad %int %again\n%r = OpIAdd %int %r0 %b") + FUNCTIONS
    subprocess.run(["spirv-as", "--target-env", "spv1.3", "-", "-o", d / "others.spv"], input=text, text=True, check=True)
    (d / "want").write_bytes(struct.pack(f"<{N}I", *(a + b & MASK for a, b in zip(A, B))))
    for level in ["-O2"], ["-O0", "-g"]:
        for entry in "vertex", "pixel":
            status, said = run(lull, "cc", *level, "--relocatable", "--entry", entry, d / "others.spv", "-o", d / "x.o")
            case(f"entry points of several stages: {entry} {level}", status == 0, (status, said))
        status, said = run(lull, "cc", *level, "--entry", "main", "--layout", d / "layout.json", d / "others.spv", "-o", d / "x.elf")
        if status == 0:
            status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", 1, "--bind", f"0.0={d / 'a'}",
                               "--bind", f"0.1={d / 'b'}", "--bind", f"0.2=zeros:{4 * N}", "--expect", f"0.2={d / 'want'}")
        case(f"entry points of several stages: compute {level}", status == 0, (status, said))

    # Atomics on doubles in buffers, which the processor has not: whole numbers, whose sums are exact in any order.
    (d / "x.comp").write_text(DOUBLES)
    x = [float(signed(v) >> 8) for v in A]
    one_by_one = [0.0] * N
    for i, v in enumerate(A):
        one_by_one[v & 63] += 1.5 if i & 1 else 0
    (d / "want").write_bytes(struct.pack(f"<{3 + N}d", 3 * sum(x), min(0, *x), max(0, *x), *(3 * v for v in one_by_one)))
    for level in "-O0", "-O2":
        for lanes in 32, 64:
            status, said = run(lull, "cc", level, "--layout", d / "layout.json", d / "x.comp", "-o", d / "x.elf", f"-mattr=+wavefrontsize{lanes}")
            if status == 0:
                status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", 3, "--bind", f"0.0={d / 'a'}",
                                   "--bind", f"0.1=zeros:{8 * (3 + N)}", "--expect", f"0.1={d / 'want'}")
            case(f"atomics on doubles {level}, {lanes} lanes", status == 0, (status, said))
end()
