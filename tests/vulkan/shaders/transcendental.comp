#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { float o[]; };
layout(set = 0, binding = 1) readonly buffer A { float a[]; };
layout(set = 0, binding = 2) readonly buffer B { float b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, n = gl_NumWorkGroups.x * 64;
    float x = a[i], y = b[i];
    o[0 * n + i] = sin(x);
    o[1 * n + i] = cos(x);
    o[2 * n + i] = tan(x * 0.1);
    o[3 * n + i] = exp(x);
    o[4 * n + i] = log(y);
    o[5 * n + i] = exp2(x);
    o[6 * n + i] = log2(y);
    o[7 * n + i] = pow(y, 1.5);
    o[8 * n + i] = sqrt(y);
    o[9 * n + i] = inversesqrt(y);
    o[10 * n + i] = x / y;
    o[11 * n + i] = 1.0 / y;
    o[12 * n + i] = atan(x, y);
    o[13 * n + i] = asin(x * 0.2);
    o[14 * n + i] = acos(x * 0.2);
    o[15 * n + i] = sinh(x) + tanh(x);
    o[16 * n + i] = length(vec3(x, y, 1));
    o[17 * n + i] = dot(normalize(vec3(x, y, 1)), vec3(0.5));
    o[18 * n + i] = mix(x, y, 0.3);
    o[19 * n + i] = smoothstep(-2.0, 2.0, x);
    o[20 * n + i] = degrees(radians(y));
    o[21 * n + i] = mod(y, 0.7);
    o[22 * n + i] = atan(x);
    o[23 * n + i] = reflect(vec2(x, y), normalize(vec2(1, 2))).x;
}
