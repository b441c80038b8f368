#version 460
// SPDX-License-Identifier: MIT
// Shared memory that is cleared before the shader begins: types of all sizes, more and fewer of them than lanes, one of an odd number of bytes.
#extension GL_EXT_null_initializer : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8, local_size_y = 12) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
struct S { uint a; vec3 b; uint16_t c[5]; };
shared uint one = {};
shared uint many[500] = {};
shared S mixed[3] = {};
shared uint8_t bytes[7] = {};
shared double wide[2] = {};
shared uint other[96];
uint sum()
{
    uint n = one;
    for (uint i = 0; i < 500; i++) {
        n += many[i] * (i + 1u);
    }
    for (uint i = 0; i < 3; i++) {
        n += mixed[i].a + uint(mixed[i].b.x + mixed[i].b.y + mixed[i].b.z);
        for (uint k = 0; k < 5; k++) {
            n += uint(mixed[i].c[k]) << k;
        }
    }
    for (uint i = 0; i < 7; i++) {
        n += uint(bytes[i]);
    }
    return n + uint(wide[0] + wide[1]);
}
void main()
{
    uint i = gl_LocalInvocationIndex, at = gl_WorkGroupID.x * 96u + i;
    uint before = sum();
    barrier();
    // What the next workgroup must not see.
    for (uint k = i; k < 500u; k += 96u) {
        many[k] = k ^ 0x5a5au;
    }
    other[i] = i;
    if (i < 7u) {
        bytes[i] = uint8_t(i + 1u);
    }
    if (i < 3u) {
        mixed[i].a = 7u * i;
        mixed[i].b = vec3(1, 2, 3);
        mixed[i].c[4] = uint16_t(i);
        atomicAdd(one, 5u);
        wide[i & 1u] = 2.0;
    }
    barrier();
    o[at] = sum() + (before << 24) + other[95u - i] + before;
}
