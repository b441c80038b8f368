#version 450
// A triangle, or a square of four vertices as a strip.
layout(push_constant) uniform Push { vec4 place; vec4 color; vec4 light; } push;
layout(location = 0) out vec3 normal;
void main()
{
    const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(push.place.xy + corner * push.place.w, push.place.z, 1.0);
    normal = vec3(0.0, 0.0, 1.0);
}
