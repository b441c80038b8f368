#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint N = 3;
layout(constant_id = 3) const float F = 1.5;
layout(constant_id = 4) const bool TWICE = false;
layout(constant_id = 5) const int D = -7;
layout(constant_id = 6) const double Q = 0.25lf;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
shared uint s[N * 64];
void main()
{
    uint l = gl_LocalInvocationIndex, n = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    uint at = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * n + l, sum = 0;
    for (uint k = 0; k < N; k++) s[k * n + l] = at * k + uint(D);
    barrier();
    for (uint k = 0; k < N; k++) sum += s[k * n + (l + 1) % n];
    if (TWICE) sum *= 2;
    o[at] = sum + uint(F * 8.0) + uint(Q * 100.0lf) + gl_WorkGroupSize.x * 1000;
}
