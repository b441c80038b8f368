#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How floats are rounded, what becomes of denormals (execution modes of SPV_KHR_float_controls, FPRoundingMode), and atomics on floats of all widths in
buffers, shared memory and images. Run on the model; what must come out this script computes with fractions. floats.py LULL [SEED]"""
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, seed = sys.argv[1], int((sys.argv[2:] + ["1"])[0])
N = 64
# bits: format of struct, of its bits, digits of the mantissa with the hidden one, least exponent
WIDTH = {16: ("e", "H", 11, -14), 32: ("f", "I", 24, -126), 64: ("d", "Q", 53, -1022)}


def run(*args):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=120)
    return r.returncode, r.stdout + r.stderr


def value(bits, pattern):
    return struct.unpack("<" + WIDTH[bits][0], struct.pack("<" + WIDTH[bits][1], pattern))[0]


def pattern_of(bits, exact, sign, mode, flush):
    """The bits of a number. sign: of a zero. mode: "rte" or "rtz"."""
    _, _, digits, least = WIDTH[bits]
    sign = exact < 0 or (exact == 0 and sign)
    size = abs(exact)
    power = least
    while size >= Fraction(2) ** (power + 1):
        power += 1
    step = Fraction(2) ** (power - digits + 1)
    n, rest = divmod(size, step)
    if mode == "rte" and (rest * 2 > step or (rest * 2 == step and n % 2)):
        n += 1
    n = int(n)
    out = n if power == least and n < 1 << (digits - 1) else n + ((power - least) << (digits - 1))
    infinite = ((1 << (bits - digits)) - 1) << (digits - 1)
    out = min(out, infinite if mode == "rte" else infinite - 1)
    if flush and out < 1 << (digits - 1):
        out = 0
    return out | (1 << (bits - 1) if sign else 0)


def numbers(r, bits):
    """Finite numbers: some near 1, some that make denormals, some denormal."""
    _, _, digits, least = WIDTH[bits]
    out = []
    for i in range(N):
        exponent = r.choice((r.randint(-4, 4), r.randint(-4, 4), least // 2 + r.randint(-3, 3), least + r.randint(0, 2)))
        p = ((exponent - least + 1) << (digits - 1)) | r.getrandbits(digits - 1)
        p = r.getrandbits(digits - 1) if i % 11 == 7 else p
        out.append(p | r.getrandbits(1) << (bits - 1))
    return out


SHADER = """#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float a[64], b[64], c[64]; } s;
layout(set = 0, binding = 1) readonly buffer B { double a[64], b[64], c[64]; } d;
layout(set = 0, binding = 2) readonly buffer C { float16_t a[64], b[64], c[64]; } h;
layout(set = 0, binding = 3) buffer R { float r[9][64]; };
layout(set = 0, binding = 4) buffer S { double rd[4][64]; };
layout(set = 0, binding = 5) buffer T { float16_t rh[6][64]; };
float first = uintBitsToFloat(0x3dcccccd), second = uintBitsToFloat(0x3eaaaaab);
void main()
{
    uint i = gl_LocalInvocationIndex;
    r[0][i] = s.a[i] + s.b[i];
    r[1][i] = s.a[i] - s.b[i];
    r[2][i] = s.a[i] * s.b[i];
    r[3][i] = fma(s.a[i], s.b[i], s.c[i]);
    r[4][i] = float(d.a[i]);
    r[5][i] = float(int(floatBitsToUint(s.a[i])));
    r[6][i] = float(floatBitsToUint(s.a[i]));
    vec2 v = vec2(s.a[i], s.b[i]) * vec2(s.b[i], s.c[i]);
    r[7][i] = v.y;
    r[8][i] = first * second; // the compiler knows both
    rd[0][i] = d.a[i] + d.b[i];
    rd[1][i] = d.a[i] - d.b[i];
    rd[2][i] = d.a[i] * d.b[i];
    rd[3][i] = fma(d.a[i], d.b[i], d.c[i]);
    rh[0][i] = h.a[i] + h.b[i];
    rh[1][i] = h.a[i] - h.b[i];
    rh[2][i] = h.a[i] * h.b[i];
    rh[3][i] = fma(h.a[i], h.b[i], h.c[i]);
    rh[4][i] = float16_t(s.c[i]);
    rh[5][i] = float16_t(d.c[i]);
}
"""
MODES = {"preserve": 4459, "flush": 4460, "keep": 4461, "rte": 4462, "rtz": 4463}


def module(d, modes):
    """The shader with execution modes, which GLSL cannot say all of."""
    subprocess.run(["glslangValidator", "--quiet", "--target-env", "vulkan1.2", d / "x.comp", "-o", d / "x.spv"], check=True)
    words = list(struct.unpack(f"<{(d / 'x.spv').stat().st_size // 4}I", (d / "x.spv").read_bytes()))
    at = 5
    while words[at] & 0xffff != 16:  # OpExecutionMode
        at += words[at] >> 16
    for mode, bits in modes:
        words[at:at] = [16 | 4 << 16, words[at + 1], MODES[mode], bits]
    (d / "x.spv").write_bytes(struct.pack(f"<{len(words)}I", *words))
    return d / "x.spv"


def expected(data, modes):
    mode = {bits: "rtz" if ("rtz", bits) in modes else "rte" for bits in WIDTH}
    flush = {bits: ("flush", bits) in modes for bits in WIDTH}
    for a, b in (16, 64), (64, 16):  # one mode of the processor
        mode[a] = "rtz" if "rtz" in (mode[a], mode[b]) else "rte"
        flush[a] |= flush[b]

    def get(bits, at, i):
        p = data[bits][at][i]
        digits = WIDTH[bits][2]
        exact = Fraction(value(bits, p))
        small = (p & ((1 << (bits - 1)) - 1)) < 1 << (digits - 1)
        return (Fraction(0) if small and flush[bits] else exact), p >> (bits - 1)

    def put(bits, exact, sign):
        return pattern_of(bits, exact, sign, mode[bits], flush[bits])

    out = {bits: [] for bits in WIDTH}
    for bits in WIDTH:
        rows = []
        for op in range(4):
            row = []
            for i in range(N):
                (a, sa), (b, sb), (c, sc) = (get(bits, k, i) for k in range(3))
                if op < 2:
                    sb ^= op
                    row.append(put(bits, a + b if op == 0 else a - b, sa and sb))
                else:
                    row.append(put(bits, a * b + (c if op == 3 else 0), (sa ^ sb) and (sc or op == 2)))
            rows.append(row)
        out[bits] = rows
    word = [p for p in data[32][0]]
    out[32].append([put(32, *get(64, 0, i)) for i in range(N)])
    out[32].append([pattern_of(32, Fraction(p - (1 << 32) if p >> 31 else p), 0, mode[32], False) for p in word])
    out[32].append([pattern_of(32, Fraction(p), 0, mode[32], False) for p in word])
    out[32].append([put(32, get(32, 1, i)[0] * get(32, 2, i)[0], get(32, 1, i)[1] ^ get(32, 2, i)[1]) for i in range(N)])
    known = Fraction(value(32, 0x3dcccccd)) * Fraction(value(32, 0x3eaaaaab))
    assert pattern_of(32, known, 0, "rte", False) != pattern_of(32, known, 0, "rtz", False)
    out[32].append([put(32, known, 0)] * N)
    out[16].append([put(16, *get(32, 2, i)) for i in range(N)])
    out[16].append([put(16, *get(64, 2, i)) for i in range(N)])
    return out


ROWS = {
    "nothing said": [],
    "kept, to even": [(m, b) for m in ("preserve", "rte", "keep") for b in WIDTH],
    "to zero": [("rtz", b) for b in WIDTH] + [("preserve", b) for b in WIDTH],
    "32 bits to zero": [("rtz", 32), ("rte", 16), ("rte", 64)],
    "16 bits to zero": [("rtz", 16), ("rte", 32)],
    "denormals to zero": [("flush", b) for b in WIDTH],
    "denormals of 32 bits to zero": [("flush", 32), ("preserve", 64), ("preserve", 16)],
    "all to zero": [("flush", b) for b in WIDTH] + [("rtz", b) for b in WIDTH],
}


def controls(d):
    r = random.Random(seed)
    data = {bits: [numbers(r, bits) for _ in range(3)] for bits in WIDTH}
    data[32][2] = [p if i % 3 else pattern_of(32, Fraction(r.randint(-1 << 20, 1 << 20), 1 << r.randint(8, 34)), 0, "rte", False) for i, p in enumerate(data[32][2])]
    data[64][0] = [p if i % 3 else pattern_of(64, Fraction(r.getrandbits(60) - (1 << 59), 1 << r.randint(20, 90)), 0, "rte", False) for i, p in enumerate(data[64][0])]
    data[64][2] = [p if i % 3 else pattern_of(64, Fraction(r.getrandbits(60) - (1 << 59), 1 << r.randint(50, 80)), 0, "rte", False) for i, p in enumerate(data[64][2])]
    binds = []
    for at, bits in enumerate((32, 64, 16)):
        (d / f"in{at}").write_bytes(struct.pack(f"<{3 * N}{WIDTH[bits][1]}", *(p for row in data[bits] for p in row)))
        binds += ["--bind", f"0.{at}={d / f'in{at}'}"]
    (d / "layout.json").write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": i} for i in range(6)]}]}))
    (d / "x.comp").write_text(SHADER)
    for name, modes in ROWS.items():
        path = module(d, modes)
        outs = []
        for at, (bits, rows) in enumerate((b, expected(data, modes)[b]) for b in (32, 64, 16)):
            flat = [p for row in rows for p in row]
            (d / f"out{at}").write_bytes(struct.pack(f"<{len(flat)}{WIDTH[bits][1]}", *flat))
            outs += ["--bind", f"0.{3 + at}=zeros:{len(flat) * bits // 8}", "--expect", f"0.{3 + at}={d / f'out{at}'}"]
        for level in "-O0", "-O2":
            status, said = run(lull, "cc", level, "--layout", d / "layout.json", path, "-o", d / "x.elf")
            if status == 0:
                status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", 1, *binds, *outs)
            case(f"{name} {level}", status == 0, (status, said))
    for name, modes, want in [("other denormals of 16 and 64 bits", [("flush", 16), ("preserve", 64)], "execution modes: floats of 16 bits and those of 64 treat denormals differently"),
                              ("other rounding of 16 and 64 bits", [("rtz", 16), ("rte", 64)], "execution modes: floats of 16 bits and those of 64 are rounded differently"),
                              ("both for one width", [("rtz", 32), ("rte", 32)], "the module also says the other for 32 bits"),
                              ("a width that there is not", [("rtz", 8)], "floats of 8 bits")]:
        status, said = run(lull, "cc", "--relocatable", module(d, modes), "-o", d / "no.elf")
        case(f"refused: {name}", status == 3 and said.count("\n") == 1 and want in said and not (d / "no.elf").exists(), (status, said))


CONVERSION = """OpCapability Shader
OpCapability Float16
OpCapability Float64
OpCapability StorageBuffer16BitAccess
OpExtension "SPV_KHR_16bit_storage"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %fa ArrayStride 4
OpDecorate %da ArrayStride 8
OpDecorate %ha ArrayStride 2
OpMemberDecorate %fs 0 Offset 0
OpDecorate %fs Block
OpMemberDecorate %ds 0 Offset 0
OpDecorate %ds Block
OpMemberDecorate %hs 0 Offset 0
OpDecorate %hs Block
{bindings}
OpDecorate %x FPRoundingMode {mode}
OpDecorate %y FPRoundingMode {mode}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 0
%c0 = OpConstant %int 0
%c64 = OpConstant %int 64
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%half = OpTypeFloat 16
%fa = OpTypeRuntimeArray %float
%da = OpTypeRuntimeArray %double
%ha = OpTypeRuntimeArray %half
%fs = OpTypeStruct %fa
%ds = OpTypeStruct %da
%hs = OpTypeStruct %ha
%pfs = OpTypePointer StorageBuffer %fs
%pds = OpTypePointer StorageBuffer %ds
%phs = OpTypePointer StorageBuffer %hs
%pf = OpTypePointer StorageBuffer %float
%pd = OpTypePointer StorageBuffer %double
%ph = OpTypePointer StorageBuffer %half
%pin = OpTypePointer Input %int
%id = OpVariable %pin Input
%F = OpVariable %pfs StorageBuffer
%D = OpVariable %pds StorageBuffer
%R = OpVariable %phs StorageBuffer
%main = OpFunction %void None %fn
%begin = OpLabel
%i = OpLoad %int %id
%j = OpIAdd %int %i %c64
%qf = OpAccessChain %pf %F %c0 %i
%f = OpLoad %float %qf
%qd = OpAccessChain %pd %D %c0 %i
%d = OpLoad %double %qd
%x = OpFConvert %half %f
%y = OpFConvert %half %d
%q0 = OpAccessChain %ph %R %c0 %i
OpStore %q0 %x
%q1 = OpAccessChain %ph %R %c0 %j
OpStore %q1 %y
OpReturn
OpFunctionEnd
"""


def conversions(d):
    """FPRoundingMode: to zero of numbers of all sizes, infinities among them."""
    r = random.Random(seed + 1)
    special = [0, 1 << 31, 0x7f800000, 0xff800000, 0x477fe000, 0x477fefff, 0x477ff000, 0x47800000, 0x7f7fffff, 0x33000001, 0xb3000000, 0x387fffff, 1]
    f = special + [pattern_of(32, Fraction(r.randint(-1 << 24, 1 << 24), 1 << r.randint(8, 48)), 0, "rte", False) for _ in range(N - len(special))]
    doubles = [struct.unpack("<Q", struct.pack("<d", value(32, p)))[0] for p in special]
    dd = doubles + [pattern_of(64, Fraction(r.getrandbits(60) - (1 << 59), 1 << r.randint(44, 80)), 0, "rte", False) for _ in range(N - len(doubles))]
    (d / "f").write_bytes(struct.pack(f"<{N}I", *f))
    (d / "d").write_bytes(struct.pack(f"<{N}Q", *dd))
    (d / "layout.json").write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": i} for i in range(3)]}]}))

    def half(bits, p, mode):
        v = value(bits, p)
        return (0x7c00 if v > 0 else 0xfc00) if v in (float("inf"), float("-inf")) else pattern_of(16, Fraction(v), p >> (bits - 1), mode, False)

    for mode in "rtz", "rte", "rtp":
        text = CONVERSION.format(mode=mode.upper(), bindings="\n".join(f"OpDecorate %{v} DescriptorSet 0\nOpDecorate %{v} Binding {i}" for i, v in enumerate("FDR")))
        subprocess.run(["spirv-as", "--target-env", "spv1.3", "-", "-o", d / "x.spv"], input=text, text=True, check=True)
        for level in "-O0", "-O2":
            status, said = run(lull, "cc", level, "--layout", d / "layout.json", d / "x.spv", "-o", d / "x.elf")
            if mode == "rtp":
                case(f"FPRoundingMode {mode} {level}", status == 3 and re.search(r"OpFConvert %\d+: FPRoundingMode 2", said) is not None, (status, said))
                continue
            want = [half(32, p, mode) for p in f] + [half(64, p, mode) for p in dd]
            (d / "want").write_bytes(struct.pack(f"<{2 * N}H", *want))
            if status == 0:
                status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", 1, "--bind", f"0.0={d / 'f'}", "--bind", f"0.1={d / 'd'}",
                                   "--bind", f"0.2=zeros:{4 * N}", "--expect", f"0.2={d / 'want'}")
            case(f"FPRoundingMode {mode} {level}", status == 0, (status, said))


ZEROS = """OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability SignedZeroInfNanPreserve
OpExtension "SPV_KHR_float_controls"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpExecutionMode %main SignedZeroInfNanPreserve {bits}
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %fa ArrayStride 4
OpMemberDecorate %fs 0 Offset 0
OpDecorate %fs Block
OpDecorate %F DescriptorSet 0
OpDecorate %F Binding 0
OpDecorate %R DescriptorSet 0
OpDecorate %R Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 0
%float = OpTypeFloat 32
%half = OpTypeFloat 16
%v2f = OpTypeVector %float 2
%v2h = OpTypeVector %half 2
%c0 = OpConstant %int 0
%c64 = OpConstant %int 64
%fa = OpTypeRuntimeArray %int
%fs = OpTypeStruct %fa
%pfs = OpTypePointer StorageBuffer %fs
%pf = OpTypePointer StorageBuffer %int
%pin = OpTypePointer Input %int
%id = OpVariable %pin Input
%F = OpVariable %pfs StorageBuffer
%R = OpVariable %pfs StorageBuffer
%main = OpFunction %void None %fn
%begin = OpLabel
%i = OpLoad %int %id
%j = OpIAdd %int %i %c64
%pa = OpAccessChain %pf %F %c0 %i
%ba = OpLoad %int %pa
%a = OpBitcast %float %ba
%pb = OpAccessChain %pf %F %c0 %j
%bb = OpLoad %int %pb
%b = OpBitcast %float %bb
%ab = OpFMul %float %a %b
%x = OpFConvert %half %ab
%pair = OpCompositeConstruct %v2h %x %x
%first = OpBitcast %int %pair
%two = OpCompositeConstruct %v2f %ab %ab
%second = OpExtInst %int %glsl PackHalf2x16 %two
%q0 = OpAccessChain %pf %R %c0 %i
OpStore %q0 %first
%q1 = OpAccessChain %pf %R %c0 %j
OpStore %q1 %second
OpReturn
OpFunctionEnd
"""


def zeros(d):
    """SignedZeroInfNanPreserve: a product that is -0 is -0 as a half, too."""
    a, b = [(0.0, -0.0, 1.0, -1.0)[i & 3] for i in range(64)], [(0.0, -0.0, 2.0, -2.0)[i >> 2 & 3] for i in range(64)]
    (d / "f").write_bytes(struct.pack("<128f", *a, *b))
    (d / "want").write_bytes(2 * struct.pack("<128e", *(x * y for x, y in zip(a, b) for _ in range(2))))
    (d / "layout.json").write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": i} for i in range(2)]}]}))
    for bits in 16, 32:
        subprocess.run(["spirv-as", "--target-env", "spv1.3", "-", "-o", d / "x.spv"], input=ZEROS.format(bits=bits), text=True, check=True)
        for level in "-O0", "-O2":
            status, said = run(lull, "cc", level, "--layout", d / "layout.json", d / "x.spv", "-o", d / "x.elf")
            if status == 0:
                status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", 1, "--bind", f"0.0={d / 'f'}", "--bind", "0.1=zeros:512",
                                   "--expect", f"0.1={d / 'want'}")
            case(f"SignedZeroInfNanPreserve {bits} {level}", status == 0, (status, said))


ATOMICS = """#version 460
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { int a[]; };
layout(set = 0, binding = 1) buffer R { float16_t h[8]; float f[4]; double d[4]; };
layout(set = 0, binding = 2) buffer S { float16_t sh[8]; float sf[4]; double sd[4]; };
layout(set = 0, binding = 3, r32f) uniform image2D im;
shared float16_t ls[8];
shared float lf[4];
shared double ld[4];
void main()
{
    uint i = gl_LocalInvocationIndex;
    int n = a[i];
    float16_t x = float16_t(n);
    if (i < 8) ls[i] = float16_t(0);
    if (i < 4) { lf[i] = 0; ld[i] = 0; }
    barrier();
    atomicAdd(h[i % 2], x); atomicMin(h[2 + i % 2], x); atomicMax(h[4 + i % 2], x);
    atomicAdd(f[0], float(n)); atomicMin(f[1], float(n)); atomicMax(f[2], float(n));
    atomicAdd(d[0], double(n)); atomicMin(d[1], double(n)); atomicMax(d[2], double(n));
    atomicAdd(ls[i % 2], x); atomicMin(ls[2 + i % 2], x); atomicMax(ls[4 + i % 2], x);
    atomicAdd(lf[0], float(n)); atomicMin(lf[1], float(n)); atomicMax(lf[2], float(n));
    atomicAdd(ld[0], double(n)); atomicMin(ld[1], double(n)); atomicMax(ld[2], double(n));
    if (i == 5) {
        h[6] = float16_t(7);
        h[7] = atomicExchange(h[6], x) * float16_t(10);
        ls[6] = float16_t(8);
        ls[7] = atomicExchange(ls[6], x) * float16_t(10);
        f[3] = 9; f[3] += atomicExchange(f[3], 3.0);
        d[3] = 10; lf[3] = atomicExchange(lf[0], lf[0]) * 0.0 + float(atomicExchange(d[3], 11.0LF));
    }
    imageAtomicAdd(im, ivec2(i % 2, 0), float(n));
    imageAtomicMin(im, ivec2(0, 1), float(n));
    imageAtomicMax(im, ivec2(1, 1), float(n));
    barrier();
    if (i < 8) sh[i] = ls[i];
    if (i < 3) { sf[i] = lf[i]; sd[i] = ld[i]; }
}
"""


def atomics(d):
    r = random.Random(seed + 2)
    a = [r.randint(-15, 15) for _ in range(N)]
    even, odd = a[0::2], a[1::2]
    (d / "a").write_bytes(struct.pack(f"<{N}i", *a))
    (d / "layout.json").write_text(json.dumps({"nodes": [{"type": "table", "set": 0, "nodes": [
        *({"type": "buffer", "binding": i} for i in range(3)), {"type": "combined_texture", "binding": 3}]}]}))
    groups = 3
    halves = [sum(even), sum(odd), min(0, *even), min(0, *odd), max(0, *even), max(0, *odd)]
    all_ = [groups * halves[0], groups * halves[1], *halves[2:], a[5], 70]
    (d / "r").write_bytes(struct.pack("<8e4f4d", *all_, groups * sum(a), min(0, *a), max(0, *a), 12, groups * sum(a), min(0, *a), max(0, *a), 11))
    (d / "s").write_bytes(struct.pack("<8e4f4d", *halves, a[5], 80, sum(a), min(0, *a), max(0, *a), 0, sum(a), min(0, *a), max(0, *a), 0))
    (d / "im").write_bytes(struct.pack("<4f", groups * sum(even), groups * sum(odd), min(0, *a), max(0, *a)))
    (d / "x.comp").write_text(ATOMICS)
    for level in "-O0", "-O2":
        for lanes in 32, 64:
            status, said = run(lull, "cc", level, "--layout", d / "layout.json", d / "x.comp", "-o", d / "x.elf", f"-mattr=+wavefrontsize{lanes}")
            if status == 0:
                status, said = run(lull, "run", d / "x.elf", "--layout", d / "layout.json", "--groups", groups, "--seed", 3, "--bind", f"0.0={d / 'a'}",
                                   "--bind", "0.1=zeros:64", "--bind", "0.2=zeros:64", "--bind", "0.3=image:2x2:r32f", "--expect", f"0.1={d / 'r'}",
                                   "--expect", f"0.2={d / 's'}", "--expect", f"0.3={d / 'im'}")
            case(f"atomics {level}, {lanes} lanes", status == 0, (status, said))
    for chip in "gfx900", "gfx1030", "gfx1200":
        status, said = run(lull, "cc", f"-mcpu={chip}", "--relocatable", d / "x.comp", "-o", d / "x.elf")
        code = run("llvm-objdump-19", "-d", f"--mcpu={chip}", d / "x.elf")[1] if status == 0 else ""
        case(f"atomics, {chip}", status == 0 and "s_endpgm" in code and "unknown" not in code, (status, said))


with tempfile.TemporaryDirectory() as tmp:
    for part in controls, conversions, zeros, atomics:
        part(pathlib.Path(tmp))
end()
