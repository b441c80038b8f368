# SPDX-License-Identifier: MIT
"""Random compute shaders whose results every device must give bit by bit: integers of 32 and 64 bits, floats with
one rounding, branches, loops, private arrays, shared memory.

random_shader.py SEED prints one."""
import random
import sys

BINARY = ["{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} & {b}", "{a} | {b}", "{a} ^ {b}", "{a} << ({b} & 31u)",
          "{a} >> ({b} & 31u)", "{a} / ({b} | 1u)", "{a} % ({b} | 1u)", "min({a}, {b})", "max({a}, {b})",
          "uint(int({a}) >> int({b} & 31u))", "uint(min(int({a}), int({b})))", "uint(max(int({a}), int({b})))",
          "bitfieldExtract({a}, int({b} & 15u), 7)", "bitfieldInsert({a}, {b}, int({b} & 7u), 11)",
          "uint(bitfieldExtract(int({a}), 5, int({b} & 15u)))", "({a} > {b} ? {a} : ~{b})", "mulhi({a}, {b})",
          "wide({a}, {b})", "uint(int({a}) / int({b} >> 1 | 1u))", "floats({a}, {b})", "mixed({a}, {b})",
          "uint(dot(vec2({a} & 255u, {b} & 255u), vec2(3, 5)))", "packed({a}, {b})", "small({a}, {b})"]
UNARY = ["~{a}", "-{a}", "uint(bitCount({a}))", "bitfieldReverse({a})", "uint(findMSB({a}))", "uint(findLSB({a}))",
         "uint(abs(int({a})))", "{a} * 2654435761u", "uint(float({a} >> 8))", "uint(int(float(int({a}) >> 9)))"]
CONDITION = ["{a} < {b}", "int({a}) >= int({b})", "({a} & 7u) == ({b} & 7u)", "({a} & 1u) != 0u",
             "float({a} & 1023u) < float({b} & 1023u)", "{a} % 3u == 0u", "lane % 5u < 2u"]
HEAD = """#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O {{ uint o[]; }};
layout(set = 0, binding = 1) readonly buffer I {{ uint v[]; }};
shared uint s[64];
uint mulhi(uint a, uint b) {{ uint h, l; umulExtended(a, b, h, l); return h ^ l; }}
uint wide(uint a, uint b)
{{
    uint64_t x = uint64_t(a) << 32 | uint64_t(b), y = x * {k}ul + (x >> (b & 63u));
    y ^= uint64_t(int64_t(y) >> 7) + uint64_t(a);
    return uint(y) ^ uint(y >> 32) ^ (x < y ? 3u : 5u);
}}
uint floats(uint a, uint b)
{{
    precise float x = float(int(a) >> 10), y = float(b & 4095u) * 0.25 + 0.25; // not 0: signs of zeros may differ
    precise float z = x + y, w = z * y, m = max(min(w, 1e6), -1e6);
    return floatBitsToUint(w) ^ uint(int(floor(m))) ^ (z > 100.0 ? 1u : 2u) ^ floatBitsToUint(trunc(z));
}}
uint mixed(uint a, uint b)
{{
    uvec3 x = uvec3(a, b, a ^ b);
    ivec3 y = ivec3(x.zxy) >> ivec3(1, 2, 3);
    bvec3 l = lessThan(y, ivec3(x));
    return x[b % 3u] + uint(y.x) * (l.x ? 3u : 1u) + (any(l) ? 7u : 0u) + (all(l) ? 1u : 0u);
}}
uint packed(uint a, uint b)
{{
    precise f16vec2 x = f16vec2(float16_t(int(a & 127u)), float16_t(int(b & 63u))), z = x * x.yx, y = z + f16vec2(1, 2);
    return packFloat2x16(y) ^ uint(x.x);
}}
uint small(uint a, uint b)
{{
    uint16_t x = uint16_t(a), y = uint16_t(b), z = x * y + (x >> uint16_t(y & 15us));
    int8_t p = int8_t(a), q = int8_t(b >> 8), r = p * q - q;
    return uint(z) | uint(int(r)) << 16;
}}
"""


class Shader:
    """Statements about u0 to u7 and the private array p."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.loops = 0

    def value(self):
        r = self.r
        kind = r.random()
        if kind < 0.65:
            return f"u{r.randrange(8)}"
        if kind < 0.8:
            return f"{r.choice([0, 1, 2, 3, 31, 255, 65535, 0x7fffffff, 0x80000000, r.getrandbits(32)])}u"
        if kind < 0.9:
            return f"p[u{r.randrange(8)} % 12u]"
        return "lane" if kind < 0.95 else "v[(lane * 3u + u0) % 64u]"

    def expression(self):
        r = self.r
        if r.random() < 0.3:
            return r.choice(UNARY).format(a=self.value())
        return r.choice(BINARY).format(a=self.value(), b=self.value())

    def condition(self):
        return self.r.choice(CONDITION).format(a=self.value(), b=self.value())

    def statement(self, depth, pad):
        r = self.r
        kind = r.random()
        target = f"u{r.randrange(8)}" if r.random() < 0.8 else f"p[u{r.randrange(8)} % 12u]"
        if kind < 0.7 or depth == 0:
            return [f"{pad}{target} {r.choice(['=', '=', '+=', '^='])} {self.expression()};"]
        if kind < 0.85:
            out = [f"{pad}if ({self.condition()}) {{", *self.block(depth - 1, pad + "    ")]
            if r.random() < 0.5:
                out += [f"{pad}}} else {{", *self.block(depth - 1, pad + "    ")]
            return [*out, pad + "}"]
        self.loops += 1
        n = f"n{self.loops}"
        bound = f"{r.randrange(2, 7)}u + ({self.value()} & 3u)"
        out = [f"{pad}for (uint {n} = 0u, e{n} = {bound}; {n} < e{n}; {n}++) {{", f"{pad}    {target} += {n};"]
        out += self.block(depth - 1, pad + "    ")
        if r.random() < 0.5:
            out.append(f"{pad}    if ({self.condition()}) {r.choice(['break', 'continue'])};")
        return [*out, *self.block(0, pad + "    "), pad + "}"]

    def block(self, depth, pad):
        return [line for _ in range(self.r.randrange(1, 5)) for line in self.statement(depth, pad)]

    def text(self):
        out = [HEAD.format(k=self.r.getrandbits(62) | 1), "void main()", "{",
               "    uint lane = gl_LocalInvocationID.x, at = gl_GlobalInvocationID.x;",
               "    uint " + ", ".join(f"u{i} = v[(at * 8u + {i}u) % v.length()]" for i in range(8)) + ";", "    uint p[12];",
               "    for (uint i = 0u; i < 12u; i++) p[i] = i * u1 + lane;"]
        for _ in range(3):
            out += self.block(3, "    ")
            out += ["    barrier();", f"    s[lane] = u{self.r.randrange(8)};", "    barrier();",
                    f"    u{self.r.randrange(8)} ^= s[(lane * {self.r.randrange(1, 64)}u + {self.r.randrange(64)}u) % 64u];"]
        out += [f"    o[at * 9u + {i}u] = u{i};" for i in range(8)]
        out += ["    uint sum = 0u;", "    for (uint i = 0u; i < 12u; i++) sum = sum * 31u + p[i];", "    o[at * 9u + 8u] = sum;", "}"]
        return "\n".join(out) + "\n"


if __name__ == "__main__":
    print(Shader(int(sys.argv[1])).text(), end="")
