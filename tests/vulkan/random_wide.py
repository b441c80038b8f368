# SPDX-License-Identifier: MIT
"""Random compute shaders with more of the language than random_shader.py has: nested functions with parameters that are written, early returns,
switches that fall through, structs in arrays, matrices and vectors indexed at run time, numbers of 8, 16 and 64 bits, doubles, buffers with
layouts of all kinds, atomics on shared memory and buffers, and, if asked for, subgroup operations (whose results need the same wave size).

The lowest bit of a ballot without bits is undefined (SPIR-V, OpGroupNonUniformBallotFindLSB): each such ballot gets a bit. RADV of Mesa 22.3.6
gives wrong results for some loops in functions with early returns (seeds 16, 24, 29), with ACO and with LLVM; RADV of Mesa 25.0.7 does not.

random_wide.py SEED [subgroups] prints one. Floats have small whole values, so that each rounding gives the same.
"""
import sys

import random_shader

HEAD = """
struct T { uint a; float f; uvec3 v; uint16_t h[3]; };
struct S { T t[3]; uint64_t q; mat3x2 m; uint k; };
layout(set = 0, binding = 2, std430) buffer L { uint8_t c[5]; layout(row_major) mat3 r; mat2x3 m[2]; uint16_t h; i8vec3 b; uint64_t q; vec3 w[2]; T t[2]; dmat2 d; } l[2];
shared uint sum[8];
shared S block[2];
uint64_t twist(uint a, uint b) { return (uint64_t(a) << (b & 63u)) ^ (uint64_t(b) * 0x9e3779b97f4a7c15ul); }
uint deep(inout T t, uint n, out uint other)
{
    other = n ^ t.a;
    for (uint i = 0u; i < 4u; i++) {
        switch ((n + i) % 6u) {
        case 0u: t.v[i % 3u] += n; break;
        case 1u: t.a ^= t.v.y; // falls through
        case 2u: t.h[(n >> 3) % 3u] += uint16_t(i); continue;
        case 3u: if (t.a % 3u == 0u) return t.a + i; break;
        default: t.v = t.v.zxy; n = n * 5u + 1u;
        }
        t.a += n & 15u;
    }
    return n + t.v.x;
}
uint outer(inout S s, uint n)
{
    uint x, y = 0u;
    for (uint i = 0u; i < 3u; i++) {
        y += deep(s.t[(n + i) % 3u], n ^ i, x);
        if ((y & 12u) == 4u) break;
        s.k ^= x;
    }
    s.q += twist(y, x);
    return y ^ uint(s.q >> 17);
}
uint square(inout S s, uint a, uint b)
{
    precise mat2x3 t = transpose(s.m);
    precise vec2 v = vec2(float(a & 7u), float(b & 7u));
    precise vec3 w = v * s.m;
    s.m[a % 3u][b & 1u] = float((a + b) & 7u);
    s.m[b % 3u] = v.yx;
    precise float d = dot(w, vec3(1, 2, 3)) + t[a & 1u].y;
    return uint(int(d)) + uint(int(determinant(mat2(v, v.yx + 1.0))));
}
uint doubles(uint a, uint b)
{
    precise double x = double(int(a) >> 8), y = double(b & 1023u) * 0.125LF;
    precise double z = x * y + 3.0LF;
    return uint(int(floor(z) - floor(z / 65536.0LF) * 65536.0LF)) ^ (x < y ? 9u : 4u) ^ unpackDouble2x32(z).y;
}
uint tiny(uint a, uint b)
{
    i8vec4 x = i8vec4(a, a >> 8, b, b >> 8), y = x * x.wzyx + i8vec4(3);
    u16vec3 z = u16vec3(a, b, a >> 16) / (u16vec3(b, a, 5) | 1us);
    x[b & 3u] = y[a & 3u];
    return uint(uint8_t(x.x)) | uint(uint8_t(y.y)) << 8 | uint(z[a % 3u]) << 16;
}
uint layouts(uint g, uint lane, uint a)
{
    uint old = uint(l[0].c[a % 5u]) + uint(int(l[0].r[a % 3u][(a >> 2) % 3u])) + uint(l[0].h) + uint(int(l[0].b[a % 3u])) + uint(l[0].q >> 30);
    precise vec3 v = l[0].r * vec3(1, 2, 3) + l[0].m[a & 1u] * vec2(2, 1);
    T t = l[0].t[a & 1u];
    precise dvec2 d = l[0].d * dvec2(2, 3);
    return old ^ uint(int(v.x)) ^ uint(int(v.z)) << 8 ^ t.a ^ t.v.z ^ uint(t.h[a % 3u]) ^ uint(int(d.y)) ^ uint(int(l[0].w[a & 1u].y));
}
"""
BINARY = ["outer(own, {a})", "square(own, {a}, {b})", "doubles({a}, {b})", "tiny({a}, {b})", "layouts(gl_WorkGroupID.x, lane, {a})", "deep(own.t[{a} % 3u], {b}, u0)",
          "uint(twist({a}, {b}) % (twist({b}, 5u) | 1ul))", "uint(int64_t(twist({a}, {b})) / int64_t({b} | 1u))", "uint(abs(int64_t(twist({b}, {a}))) >> 9)",
          "uint(max(twist({a}, {b}), twist({b}, {a})) >> 20)", "uint(bitCount({a}) + findMSB(int({b})))", "pack32(u16vec2({a}, {b}))",
          "uint(pack64(u32vec2({a}, {b})) >> 11)", "packHalf2x16(vec2({a} & 63u, {b} & 63u))", "uint(int(mod(float({a} & 255u), float(1u << ({b} & 7u)))))",
          "uint(clamp(int({a}), -5, int({b} & 255u)))", "uint(int(step(float({a} & 3u), float({b} & 3u))))", "uint(sign(int({a}))) ^ {b}",
          "({a} ^ uvec4({b}, 1u, {a}, 7u))[{b} & 3u]", "uint(ldexp(float({a} & 31u), int({b} & 7u)))", "uint(mix(ivec2({a}, {b}), ivec2(3), bvec2({a} > {b}, true)).x)",
          "uint(uint16_t({a}) / (uint16_t({b}) | 1us))", "uint(int(int16_t({a} & 0x7fffu) % (int16_t({b} & 255u) | 1s)))"]
AT_TOP = ["atomicAdd(sum[{a} & 7u], {b});", "atomicXor(sum[{a} & 7u], {b});", "atomicMax(sum[{a} & 7u], {b});", "atomicMin(sum[{a} & 7u], {b});",
          "atomicOr(sum[{a} & 7u], {b} & 255u);", "atomicAnd(sum[{a} & 7u], {b});"]
OVER_LANES = ["subgroupAdd({a})", "subgroupXor({a})", "subgroupMin({a})", "subgroupMax({a})", "subgroupInclusiveAdd({a})", "subgroupExclusiveAdd({a})",
              "subgroupInclusiveMax({a})", "subgroupExclusiveOr({a})", "subgroupShuffle({a}, {b} % gl_SubgroupSize)", "subgroupShuffleXor({a}, {n}u)",
              "subgroupBroadcastFirst({a})", "subgroupBroadcast({a}, {n}u)", "subgroupBallot(({a} & {b} & 1u) != 0u).x", "subgroupBallotBitCount(subgroupBallot({a} > {b}))",
              "subgroupBallotExclusiveBitCount(subgroupBallot({a} > {b}))", "subgroupClusteredAdd({a}, 8)", "subgroupClusteredMin({a}, 4)", "subgroupClusteredXor({a}, 16)",
              "uint(subgroupAny({a} == {b}))", "uint(subgroupAll({a} != {b}))", "uint(subgroupAllEqual({a} & 1u))", "subgroupQuadSwapHorizontal({a})",
              "subgroupQuadSwapVertical({a})", "subgroupQuadSwapDiagonal({a})", "subgroupQuadBroadcast({a}, {q}u)", "uint(subgroupElect())",
              "uint(subgroupAdd(uint64_t({a}) << 20 | {b}) >> 13)", "uint(subgroupInclusiveMul(uint16_t({a} | 1u)))", "uint(subgroupShuffle(u16vec3({a}, {b}, 7), {b} % gl_SubgroupSize).x)",
              "uint(subgroupMax(int64_t(twist({a}, {b}))) >> 5)", "uint(int(subgroupAdd(float({a} & 31u))))", "uint(int(subgroupInclusiveMin(double({a} & 255u))))",
              "uint(subgroupInverseBallot(uvec4({n}u, {q}u, 0, 0)))", "uint(subgroupBallotFindLSB(subgroupBallot(({a} & 3u) == 1u) | uvec4(512u, 0, 0, 0)))"]

FROM_ANY = ("Shuffle", "Broadcast(", "Quad", "InverseBallot")


class Wide(random_shader.Shader):
    """Also the struct own of each lane; sum and block are the workgroup's."""

    def __init__(self, seed, subgroups=False):
        super().__init__(seed)
        self.subgroups = subgroups

    def expression(self):
        r = self.r
        if r.random() < 0.5:
            return r.choice(BINARY).format(a=self.value(), b=self.value())
        return super().expression()

    def value(self):
        r = self.r
        if r.random() < 0.2:
            return r.choice([f"own.t[u{r.randrange(8)} % 3u].a", f"own.t[{r.randrange(3)}].v[u{r.randrange(8)} % 3u]", "own.k", f"uint(own.t[lane % 3u].h[{r.randrange(3)}])"])
        return super().value()

    def statement(self, depth, pad):
        r = self.r
        if depth and r.random() < 0.12:
            out = [f"{pad}switch ({self.value()} % {r.randrange(3, 9)}u) {{"]
            for i in range(r.randrange(2, 5)):
                out += [f"{pad}case {i}u: {{", *self.block(depth - 1, pad + "    "), f"{pad}}} {r.choice(['break;', '', 'break;'])}"]
            return [*out, f"{pad}default: {self.statement(0, '')[0]}", pad + "}"]
        return super().statement(depth, pad)

    def over_lanes(self, pad):
        r = self.r
        apart = r.random() < 0.3  # then some lanes are off, of which nothing may be read
        one = r.choice([o for o in OVER_LANES if not apart or not any(n in o for n in FROM_ANY)]).format(a=self.value(), b=self.value(), n=r.randrange(32), q=r.randrange(4))
        line = f"{pad}u{r.randrange(8)} ^= {one};"
        return [f"{pad}if (lane % {r.randrange(2, 6)}u != 1u) {{", "    " + line, pad + "}"] if apart else [line]

    def text(self):
        r = self.r
        head = random_shader.HEAD.format(k=r.getrandbits(62) | 1)
        more = "".join(f"#extension GL_KHR_shader_subgroup_{n} : require\n" for n in
                       ("basic", "arithmetic", "ballot", "shuffle", "clustered", "vote", "quad")) + "#extension GL_EXT_shader_subgroup_extended_types_int16 : require\n" \
            "#extension GL_EXT_shader_subgroup_extended_types_int64 : require\n"
        head = head.replace("layout(local_size_x", "#extension GL_EXT_scalar_block_layout : require\n" + (more if self.subgroups else "") + "layout(local_size_x", 1)
        out = [head + HEAD, "void main()", "{", "    uint lane = gl_LocalInvocationID.x, at = gl_GlobalInvocationID.x;",
               "    uint " + ", ".join(f"u{i} = v[(at * 8u + {i}u) % v.length()]" for i in range(8)) + ";", "    uint p[12];",
               "    for (uint i = 0u; i < 12u; i++) p[i] = i * u1 + lane;", "    S own;", "    own.q = u3; own.k = u4; own.m = mat3x2(1, 2, 3, 4, 5, 6);",
               "    for (uint i = 0u; i < 3u; i++) own.t[i] = T(u2 + i, float(i), uvec3(u0, u1, i), uint16_t[](uint16_t(u5), uint16_t(u6), 3us));",
               "    if (lane < 8u) sum[lane] = lane * 77u;"]
        for _ in range(3):
            out += self.block(3, "    ")
            for _ in range(4 if self.subgroups else 0):
                out += self.over_lanes("    ")
            # Only one kind of atomic between barriers: their order does not matter then.
            out += ["    barrier();", "    " + r.choice(AT_TOP).format(a=self.value(), b=self.value()), f"    if (lane == {r.randrange(64)}u) block[{r.randrange(2)}] = own;",
                    "    barrier();", f"    u{r.randrange(8)} ^= sum[(lane + {r.randrange(8)}u) & 7u];", "    barrier();"]
        out += ["    if (lane == 5u) {{ block[0] = own; block[1] = block[0]; }}", "    barrier();", "    u0 += block[lane & 1u].t[lane % 3u].a + uint(block[1].q >> 7);"]
        out += [f"    o[at * 9u + {i}u] = u{i};" for i in range(8)]
        out += ["    uint total = own.k ^ uint(own.q) ^ uint(int(own.m[lane % 3u].x));", "    for (uint i = 0u; i < 12u; i++) total = total * 31u + p[i] + own.t[i % 3u].v.y;",
                "    o[at * 9u + 8u] = total;",
                "    if (at == 70u) { l[1].c[u0 % 5u] = uint8_t(u1); l[1].r[u2 % 3u][1] = 9.0; l[1].m[1][u3 & 1u] = vec3(5, 6, 7); l[1].b.y = int8_t(u4);",
                "        l[1].h = uint16_t(u5); l[1].t[u6 & 1u].h[2] = uint16_t(u7); l[1].w[u1 & 1u].z = 4.0; l[1].d[1] = dvec2(u2 & 7u, 3); l[1].q = twist(u0, u1); }", "}"]
        return "\n".join(out) + "\n"


if __name__ == "__main__":
    print(Wide(int(sys.argv[1]), "subgroups" in sys.argv[2:]).text(), end="")
