#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer V { vec4 velocity[]; };
layout(set = 0, binding = 1) readonly buffer P { vec4 body[]; };
shared vec4 tile[64];
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec3 me = body[i].xyz, force = vec3(0);
    for (uint t = 0; t < body.length(); t += 64) {
        tile[gl_LocalInvocationID.x] = body[t + gl_LocalInvocationID.x];
        barrier();
        for (uint k = 0; k < 64; k++) {
            vec3 d = tile[k].xyz - me;
            float r2 = dot(d, d) + 0.01;
            float inv = inversesqrt(r2);
            force += d * (tile[k].w * inv * inv * inv);
        }
        barrier();
    }
    velocity[i] += vec4(force * 0.01, 0);
}
