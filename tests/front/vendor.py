#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Extensions that RADV has beside Vulkan: ballots and votes of KHR (and of GL_ARB), of AMD ballots, cube faces and minima of three, of Intel integers.
Compiled by lull cc and run on the model, and the same shader under RADV; both compared with what this script computes. vendor.py LULL"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, N, MASK = sys.argv[1], 128, (1 << 32) - 1
A = [(i * 7919 * 104729 + 12345) & MASK for i in range(N)]
B = [(3, MASK - 2, 1, MASK, 7, 1 << 31, 0x7fffffff, MASK - 15, 0x10203)[i % 9] for i in range(N)]
C = [(5, 1 << 31, MASK, 0x7fffffff, 0, 77)[i % 6] for i in range(N)]
# RADV loads its shim into a program that is checked, and leaks at exit, which is not ours to check.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
HEAD = """#version 450
#extension GL_ARB_gpu_shader_int64 : require
%s
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer I { uint v[]; };
layout(set = 0, binding = 1) buffer R { uint r[]; };
void main()
{
  uint at = gl_LocalInvocationIndex, a = v[at], b = v[at + 128], c = v[at + 256];
  %s
}
"""


def signed(x):
    return x - (1 << 32) if x >> 31 else x


def clamp(x, low, high):
    return min(max(x, low), high)


def low16(x, is_signed):
    x &= 0xffff
    return x - 65536 if is_signed and x >> 15 else x


def trinary(i, wave):
    del wave
    u, s = sorted((A[i], B[i], C[i])), sorted(signed(x) for x in (A[i], B[i], C[i]))
    f = sorted((A[i] >> 8, B[i] >> 8, C[i] >> 8))
    return [u[0], s[0], f[0], u[2], s[2], f[2], u[1], s[1], f[1]]


def intel(i, wave):
    del wave
    a, b, x, y = A[i], B[i], signed(A[i]), signed(B[i])
    return [32 - a.bit_length(), (a & -a).bit_length() - 1 if a else 32, abs(x - y), abs(a - b), clamp(x + y, -(1 << 31), (1 << 31) - 1), min(a + b, MASK),
            x + y >> 1, a + b >> 1, x + y + 1 >> 1, a + b + 1 >> 1, clamp(x - y, -(1 << 31), (1 << 31) - 1), max(a - b, 0),
            x * low16(b, True), a * low16(b, False)]


def group_of(i, wave, values):
    first = i // wave * wave
    return values[first:first + wave]


def khr(i, wave):
    """Lanes with an even number leave first, but for the first test."""
    ballot = sum((x & 1) << k for k, x in enumerate(group_of(i, wave, A)))
    odd = [x for k, x in enumerate(group_of(i, wave, A)) if k % 2]
    inside = [ballot & MASK, ballot >> 32, odd[0], group_of(i, wave, B)[5], all(x % 7 for x in odd), any(x % 7 == 0 for x in odd), 0] if i % 2 else [0] * 7
    return inside + [1]


def amd(i, wave):
    lane, a = i % wave, group_of(i, wave, A)
    mask = (i * 0x9E3779B97F4A7C15) & (1 << 64) - 1
    other = ((lane & 31 & 0x1d) | 2) ^ 9 | lane & 32
    own = [x & 0xff for x in a]
    return [a[lane & ~3 | (2, 0, 3, 1)[lane & 3]], a[other], B[200 - N] if lane == 6 else A[i], bin(mask & (1 << lane) - 1).count("1"),
            sum(own), max(own), min(own), sum(own[:lane + 1]), sum(own[:lane])]


def cube(i, wave):
    """Whole numbers of which one is the largest; the quotient is exact. The axis has its sign."""
    del wave
    axis, minus = i % 3, i // 3 % 2
    v = [(A[i] % 7) - 3, (B[i] % 7) - 3, (C[i] % 7) - 3]
    v[axis] = -4 if minus else 4
    x, y, z = v
    s, t = ((z if minus else -z, -y), (x, -z if minus else z), (-x if minus else x, -y))[axis]
    return [2 * axis + minus] + [struct.unpack("<I", struct.pack("<f", n / (-8 if minus else 8) + 0.5))[0] for n in (s, t)] + [1]


def put(n, *values):
    return "\n  ".join(f"r[at * {n} + {k}] = {text};" for k, text in enumerate(values))


ONE = [("minima and maxima of three", "#extension GL_AMD_shader_trinary_minmax : require", "float fa = float(a >> 8), fb = float(b >> 8), fc = float(c >> 8);\n  " +
        put(9, *(f"uint({name}3({args}))" for name in ("min", "max", "mid") for args in ("a, b, c", "int(a), int(b), int(c)", "fa, fb, fc"))), trinary, 9),
       ("integers of Intel's extension", "#extension GL_INTEL_shader_integer_functions2 : require",
        put(14, "countLeadingZeros(a)", "countTrailingZeros(a)", "absoluteDifference(int(a), int(b))", "absoluteDifference(a, b)",
            "uint(addSaturate(int(a), int(b)))", "addSaturate(a, b)", "uint(average(int(a), int(b)))", "average(a, b)", "uint(averageRounded(int(a), int(b)))",
            "averageRounded(a, b)", "uint(subtractSaturate(int(a), int(b)))", "subtractSaturate(a, b)", "uint(multiply32x16(int(a), int(b)))",
            "multiply32x16(a, b)"), intel, 14),
       ("ballots and votes of KHR", "#extension GL_ARB_shader_ballot : require\n#extension GL_ARB_shader_group_vote : require",
        "uvec2 all = unpackUint2x32(ballotARB((a & 1) != 0));\n  r[at * 8 + 7] = uint(allInvocationsEqualARB(gl_SubGroupSizeARB == 32u || gl_SubGroupSizeARB == 64u));\n"
        "  for (uint k = 0; k < 7; k++) r[at * 8 + k] = 0;\n  if ((at & 1) == 0) return;\n  " +
        put(8, "all.x", "all.y", "readFirstInvocationARB(a)", "readInvocationARB(b, 5)", "uint(allInvocationsARB(a % 7 != 0))", "uint(anyInvocationARB(a % 7 == 0))",
            "uint(allInvocationsEqualARB((at & 3) == 1))"), khr, 8),
       # A value that differs from lane to lane is not written: Mesa 22.3.6 makes v_writelane_b32 with a VGPR of it, which no GPU has (LLVM's disassembler says so, and the
       # model stops there); 25.0.7 takes the first lane's.
       ("ballots of AMD", "#extension GL_AMD_shader_ballot : require\n#extension GL_ARB_shader_ballot : require",
        "uint64_t mask = uint64_t(at) * 0x9E3779B97F4A7C15ul;\n  " +
        put(9, "swizzleInvocationsAMD(a, uvec4(2, 0, 3, 1))", "swizzleInvocationsMaskedAMD(a, uvec3(0x1d, 2, 9))", "writeInvocationAMD(a, v[200], 6)", "mbcntAMD(mask)",
            "addInvocationsNonUniformAMD(a & 255)", "maxInvocationsNonUniformAMD(a & 255)", "minInvocationsNonUniformAMD(a & 255)",
            "addInvocationsInclusiveScanNonUniformAMD(a & 255)", "addInvocationsExclusiveScanNonUniformAMD(a & 255)"), amd, 9),
       ("cube faces and the time", "#extension GL_AMD_gcn_shader : require",
        "vec3 p = vec3(ivec3(a % 7, b % 7, c % 7) - 3);\n  p[at % 3] = (at / 3) % 2 == 1 ? -4.0 : 4.0;\n  vec2 w = cubeFaceCoordAMD(p);\n"
        "  uint64_t t = timeAMD();\n  barrier();\n  " +
        put(4, "uint(cubeFaceIndexAMD(p))", "floatBitsToUint(w.x)", "floatBitsToUint(w.y)", "uint(timeAMD() > t)"), cube, 4)]


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=120, check=False)
    return r.returncode, r.stdout + r.stderr


def words(path):
    return struct.unpack(f"<{path.stat().st_size // 4}I", path.read_bytes()) if path.exists() else ()


with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)
    nodes = [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": i} for i in range(2)]}]
    (d / "layout.json").write_text(json.dumps({"nodes": nodes}))
    (d / "in").write_bytes(struct.pack(f"<{3 * N}I", *A, *B, *C))
    for title, extensions, body, compute, n in ONE:
        (d / "x.comp").write_text(HEAD % (extensions, body))
        for wave in 32, 64:
            want = [x & MASK for i in range(N) for x in compute(i, wave)]
            bind = ["--groups", 1, "--bind", f"0.0={d / 'in'}", "--bind", f"0.1=zeros:{4 * N * n}", "--out", f"0.1={d / 'got'}"]
            made = [(f"lull {level}", run("cc", level, "--layout", d / "layout.json", d / "x.comp", "-o", d / f"x{level}.elf", f"-mattr=+wavefrontsize{wave}"),
                     ["run", d / f"x{level}.elf", "--layout", d / "layout.json", *bind]) for level in ("-O0", "-O2")]
            made.append(("RADV", (0, ""), ["run", d / "x.comp", "--subgroup-size", wave, "--full-subgroups", *bind]))
            for who, said, command in made:
                (d / "got").unlink(missing_ok=True)
                said = run(*command) if said[0] == 0 else said
                got = words(d / "got")
                bad = [(k // n, k % n, got[k] if k < len(got) else None, w) for k, w in enumerate(want) if k >= len(got) or got[k] != w]
                case(f"{title}, {wave} lanes, {who}", said[0] == 0 and not bad, (said, len(bad), bad[:6]))
end()
