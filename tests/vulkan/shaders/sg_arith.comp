#version 460
// SPDX-License-Identifier: MIT
// Reductions and scans of all kinds over a subgroup: of all lanes, and of two in three.
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) writeonly buffer O { T o[]; };
layout(set = 0, binding = 1) readonly buffer I { T v[]; };
#ifdef INTEGER
const uint ROWS = 21;
#else
const uint ROWS = 12;
#endif
#define ALL(k, op) \
    o[(row + 3 * k + 0) * n + i] = subgroup##op(x); \
    o[(row + 3 * k + 1) * n + i] = subgroupInclusive##op(x); \
    o[(row + 3 * k + 2) * n + i] = subgroupExclusive##op(x);
void all(T x, uint row)
{
    uint i = gl_GlobalInvocationID.x, n = gl_WorkGroupSize.x * gl_NumWorkGroups.x;
    ALL(0, Add)
    ALL(1, Mul)
    ALL(2, Min)
    ALL(3, Max)
#ifdef INTEGER
    ALL(4, And)
    ALL(5, Or)
    ALL(6, Xor)
#endif
}
void main()
{
    T x = v[gl_GlobalInvocationID.x];
    all(x, 0);
    if (gl_GlobalInvocationID.x % 3 != 0) {
        all(x, ROWS);
    }
}
