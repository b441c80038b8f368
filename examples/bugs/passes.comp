#version 450
// out[i] += a * in[i], for the first n elements.
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { float a; uint n; };
layout(set = 0, binding = 0) readonly buffer From { float from[]; };
layout(set = 0, binding = 1) buffer To { float to[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        to[i] += a * from[n - 1 - i];
}
