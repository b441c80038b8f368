#version 450
// MODE: what -D says: domain, spacing, order, point_mode.
layout(MODE) in;
layout(location = 0) in uint patch_of[];
layout(location = 0) out vec3 at; // u, v, patch
void main()
{
    at = vec3(gl_TessCoord.xy, float(patch_of[0]));
    gl_Position = vec4(0, 0, 0, 1);
}
