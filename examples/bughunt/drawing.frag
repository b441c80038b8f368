#version 450
layout(push_constant) uniform Push { vec4 place; vec4 color; vec4 light; } push;
layout(location = 0) in vec3 normal;
layout(location = 0) out vec4 color;
void main()
{
    const float shade = dot(normalize(normal), normalize(push.light.xyz));
    color = vec4(push.color.rgb * shade, push.color.a);
}
