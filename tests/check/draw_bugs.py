# SPDX-License-Identifier: MIT
"""A scene whose shaders have bugs in known places, and pieces of text that make it right."""
# Buffer o has 50 elements of 8 x 8 pixels'; 8 columns of numbers 1 to 8, of which the third is 3; x is 0 in the sixth pixel of the first row.
SCENE = """size 8 8
target R8G8B8A8_UNORM clear 0 0 0 1
buffer in u32 1 2 3 4 5 6 7 8
buffer o zeros 200
buffer v zeros 8
out o
bind 0 storage in
bind 1 storage o
bind 2 storage v
vert glsl
layout(set = 0, binding = 2) buffer V { uint v[]; };
void main() {
    v[gl_VertexIndex] = 1;
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1, 0.5, 1);
}
end
frag glsl
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) readonly buffer A { int a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
void main() {
    int p = int(gl_FragCoord.y) * 8 + int(gl_FragCoord.x);
    b[p] = p;
    int d = a[p & 7] - 3;
    float x = float(p - 5);
    color = vec4(float(100 / d), x / x, 0, 1);
}
end
draw 3
"""
# What findings of its bounds are of: names as in the shaders, std430 (GLSL 4.6, 7.6.2.2); sizes as above.
RESOURCES = {"vertex shader": lambda at: {"set": 0, "binding": 2, "variable": "V", "path": f".v[{at[0]}]", "written": True, "buffer": "", "size": 8, "byte": 4 * at[0]},
             "fragment shader": lambda at: {"set": 0, "binding": 1, "variable": "B", "path": f".b[{8 * at[1] + at[0]}]", "written": True, "buffer": "", "size": 200, "byte": 4 * (8 * at[1] + at[0])}}
# Two draws in a picture of four tiles of an Adreno of 1.5 MiB; the fragments lie in the last one, from pixel 512 on.
TILES = """size 1024 1024
target R8G8B8A8_UNORM clear 0 0 0 1
buffer a zeros 8
buffer v zeros 8
bind 0 storage a
bind 2 storage v
vert glsl
layout(set = 0, binding = 2) buffer V { uint v[]; };
void main() {
    v[gl_VertexIndex] = 1;
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 0.01, 0.5, 1);
}
end
frag glsl
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) buffer A { uint a[]; };
void main() {
    a[int(gl_FragCoord.x)] = 1;
    color = vec4(1);
}
end
draw 3
draw 3
"""
TWIN = {"v[gl_VertexIndex]": "v[gl_VertexIndex & 1]", "b[p] = p": "if (p < 50) b[p] = p", "100 / d": "d != 0 ? 100 / d : 0", "x / x": "x != 0 ? x / x : 1"}
