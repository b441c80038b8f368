#version 450
// Each primitive, as it comes: its patch, and u, v of its corners.
layout(INPUT) in;
layout(points, max_vertices = 1) out;
layout(location = 0) in vec3 at[];
layout(std430, binding = 1) buffer Found { uint count, room, pad[2]; float found[]; };
void main()
{
    const uint i = atomicAdd(count, 1u);
    if (i < room) {
        found[7 * i] = at[0].z;
        for (int k = 0; k < at.length(); k++) {
            found[7 * i + 1 + 2 * k] = at[k].x;
            found[7 * i + 2 + 2 * k] = at[k].y;
        }
    }
}
