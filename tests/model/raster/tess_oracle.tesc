#version 450
// Levels of each patch out of a buffer: six floats, outer then inner.
layout(vertices = 1) out;
layout(std430, binding = 0) readonly buffer Levels { float level[]; };
layout(location = 0) out uint patch_of[];
void main()
{
    const uint n = uint(gl_PrimitiveID);
    for (int i = 0; i < 4; i++) {
        gl_TessLevelOuter[i] = level[6 * n + i];
    }
    gl_TessLevelInner[0] = level[6 * n + 4];
    gl_TessLevelInner[1] = level[6 * n + 5];
    patch_of[gl_InvocationID] = n;
}
