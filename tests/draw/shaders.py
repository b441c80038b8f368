# SPDX-License-Identifier: MIT
"""The shaders of the scenes, as GLSL, by name: NAME.STAGE. A scene says `vert NAME`; make() compiles what is asked for."""
import concurrent.futures
import subprocess

import coverage
import meshes
import tess

HEAD = "#version 460\n"
STAGES = ("vert", "tesc", "tese", "geom", "task", "mesh", "frag")

_PUSH = "layout(push_constant) uniform Push { vec4 a, b, c, d; } push;\n"
_COLORED = """layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 v_color;
"""
_IN = "layout(location = 0) in vec4 v_color;\n"
_OUT = "layout(location = 0) out vec4 f_color;\n"

TEXT = {
    # Vertices
    "number.vert": """void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1) * 1.5 - 0.75, 0.5, 1); gl_PointSize = 1; }""",
    "full.vert": """layout(location = 0) out vec4 v_color;
        void main() {
            vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
            v_color = vec4(at, 0.5, 1); gl_Position = vec4(at * 4 - 1, 0.25, 1); }""",
    "color.vert": _COLORED + """void main() { gl_Position = position; v_color = color; gl_PointSize = 1; }""",
    # More than registers hold, by an index that only the shader knows: in scratch memory
    "scratch.vert": _COLORED + """void main() { vec4 a[40];
            for (int i = 0; i < 40; i++) a[i] = vec4(i, position.x + i, color.y * i, i + gl_VertexIndex);
            v_color = fract(a[int(color.x * 39.0)] / 8.0); v_color.a = 1; gl_Position = position; }""",
    "flat.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) flat out vec4 v_color;
        void main() { gl_Position = position; v_color = color; }""",
    "linear.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) noperspective out vec4 v_color;
        void main() { gl_Position = position; v_color = color; }""",
    "push.vert": _PUSH + _COLORED + """void main() { gl_Position = position * push.a + push.b; v_color = color; }""",
    "instance.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 2) in vec4 place;
        layout(location = 0) out vec4 v_color;
        void main() { gl_Position = vec4(position.xy * place.zw + place.xy, position.zw);
            v_color = color * (1 - 0.125 * (gl_InstanceIndex & 3)) + vec4(0, 0, 0.03125 * gl_VertexIndex, 0); }""",
    "points.vert": _COLORED + """void main() { gl_Position = vec4(position.xyz, 1); v_color = color; gl_PointSize = position.w; }""",
    "clip.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 v_color;
        out float gl_ClipDistance[2];
        void main() { gl_Position = position; v_color = color;
            gl_ClipDistance[0] = position.x + 0.3; gl_ClipDistance[1] = 0.4 - position.y * 0.5; }""",
    "cull_distance.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 v_color;
        out float gl_CullDistance[1];
        void main() { gl_Position = position; v_color = color; gl_CullDistance[0] = position.x; }""",
    "layer.vert": """#extension GL_ARB_shader_viewport_layer_array : require
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 v_color;
        void main() { gl_Position = vec4(position.xy * (1 - 0.25 * gl_InstanceIndex), position.zw); v_color = color;
            gl_Layer = gl_InstanceIndex; }""",
    "viewport.vert": """#extension GL_ARB_shader_viewport_layer_array : require
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 v_color;
        void main() { gl_Position = position; v_color = color; gl_ViewportIndex = gl_InstanceIndex; }""",
    "multiview.vert": """#extension GL_EXT_multiview : require
        layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 v_color;
        void main() { gl_Position = vec4(position.xy * (gl_ViewIndex == 0 ? 1.0 : -0.5), position.zw); v_color = color; }""",
    "draw_id.vert": _COLORED + """void main() { gl_Position = vec4(position.xy * 0.5 + vec2(0.5 * gl_DrawID - 0.5, 0), position.zw);
            v_color = color; }""",
    "formats.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 a; layout(location = 2) in vec4 b; layout(location = 3) in uvec4 c; layout(location = 4) in ivec4 d;
        layout(location = 0) out vec4 v_color;
        void main() { gl_Position = position; v_color = vec4(a.xy + b.zw * 0.25, vec2(c.xy + uvec2(c.zw)) / 512.0 + vec2(d.xy) / 1024.0); }""",
    "texture.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec2 v_at;
        void main() { gl_Position = position; v_at = color.xy; }""",
    "feedback.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(xfb_buffer = 0, xfb_stride = 32) out;
        layout(location = 0, xfb_buffer = 0, xfb_offset = 16) out vec4 v_color;
        layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex { vec4 gl_Position; };
        void main() { gl_Position = position * vec4(0.5, 0.5, 1, 1); v_color = color + 0.125; }""",
    "through.vert": """layout(location = 0) in vec4 position;
        layout(location = 1) in vec4 color;
        layout(location = 0) out vec4 v_color;
        void main() { gl_Position = position; v_color = color; }""",
    # Pixels
    "white.frag": _OUT + "void main() { f_color = vec4(1, 0.5, 0.25, 1); }",
    "color.frag": _IN + _OUT + "void main() { f_color = v_color; }",
    "flat.frag": "layout(location = 0) flat in vec4 v_color;\n" + _OUT + "void main() { f_color = v_color; }",
    "linear.frag": "layout(location = 0) noperspective in vec4 v_color;\n" + _OUT + "void main() { f_color = v_color; }",
    "centroid.frag": "layout(location = 0) centroid in vec4 v_color;\n" + _OUT + "void main() { f_color = v_color; }",
    "sample.frag": "layout(location = 0) sample in vec4 v_color;\n" + _OUT + "void main() { f_color = v_color; }",
    "push.frag": _PUSH + _OUT + "void main() { f_color = push.c; }",
    "depth_only.frag": "void main() {}",
    "coord.frag": _OUT + "void main() { f_color = vec4(gl_FragCoord.xy / 64.0, gl_FragCoord.z, gl_FragCoord.w * 0.5); }",
    "facing.frag": _OUT + "void main() { f_color = gl_FrontFacing ? vec4(1, 0, 0, 1) : vec4(0, 0, 1, 1); }",
    "scratch.frag": _IN + _OUT + """void main() { float a[200];
            for (int i = 0; i < 200; i++) a[i] = float(i * 37 % 256) / 255.0;
            ivec2 at = ivec2(gl_FragCoord.xy);
            for (int i = 0; i < at.x; i++) a[(at.y * 7 + i * 3) % 200] += 1.0 / 64.0;
            f_color = vec4(a[at.x * 3 % 200], a[(at.x ^ at.y) % 200], a[at.y], 1); }""",
    "primitive.frag": _OUT + "void main() { f_color = vec4((gl_PrimitiveID & 7) / 7.0, (gl_PrimitiveID >> 3 & 7) / 7.0, 0.25, 1); }",
    "point_coord.frag": _IN + _OUT + "void main() { f_color = vec4(gl_PointCoord, v_color.z, 1); }",
    "sample_id.frag": _OUT + "void main() { f_color = vec4(gl_SampleID * 0.25, gl_SamplePosition, 1); }",
    "derivative.frag": _IN + _OUT + "void main() { f_color = vec4(abs(dFdx(v_color.xy)) * 8, abs(dFdy(v_color.xy)) * 8); }",
    "discard.frag": _IN + _OUT + """void main() { f_color = v_color;
        if (((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 4) != 0) discard; }""",
    "depth.frag": _IN + _OUT + "void main() { f_color = v_color; gl_FragDepth = fract(gl_FragCoord.x / 24.0); }",
    "sample_mask.frag": _IN + _OUT + """void main() { f_color = v_color; gl_SampleMask[0] = int(gl_FragCoord.x) & 15; }""",
    "early.frag": "layout(early_fragment_tests) in;\n" + _IN + _OUT + """void main() { f_color = v_color;
        if ((int(gl_FragCoord.x) & 2) != 0) discard; }""",
    "dual.frag": "layout(location = 0, index = 0) out vec4 f_color;\nlayout(location = 0, index = 1) out vec4 f_other;\n" + _IN +
        "void main() { f_color = v_color; f_other = vec4(v_color.yzx, 0.5) * 0.75; }",
    "three.frag": _IN + """layout(location = 0) out vec4 a; layout(location = 1) out vec4 b; layout(location = 2) out vec4 c;
        void main() { a = v_color; b = v_color.bgra * 0.5; c = vec4(v_color.rg - 0.5, v_color.b * 2, 1); }""",
    "uint.frag": _IN + """layout(location = 0) out uvec4 f_color;
        void main() { f_color = uvec4(v_color * 200.0 + 0.25); }""",
    "sint.frag": _IN + """layout(location = 0) out ivec4 f_color;
        void main() { f_color = ivec4(v_color * 200.0 - 100.25); }""",
    "eight.frag": _IN + "".join(f"layout(location = {i}) out vec4 c{i};\n" for i in range(8)) +
        "void main() {" + "".join(f" c{i} = v_color * {(i + 1) / 8};" for i in range(8)) + " }",
    "texture.frag": """layout(location = 0) in vec2 v_at;
        layout(set = 0, binding = 0) uniform sampler2D image;
        layout(location = 0) out vec4 f_color;
        void main() { f_color = texture(image, v_at); }""",
    "fetch.frag": """layout(set = 0, binding = 0) uniform sampler2D image;
        layout(location = 0) out vec4 f_color;
        void main() { f_color = texelFetch(image, ivec2(gl_FragCoord.xy) & 7, 0); }""",
    "uniform.frag": """layout(set = 0, binding = 0) uniform Colors { vec4 colors[4]; };
        layout(location = 0) out vec4 f_color;
        void main() { f_color = colors[int(gl_FragCoord.x) >> 4 & 3]; }""",
    "count.frag": """layout(set = 0, binding = 0) buffer Count { uint pixels[64 * 64]; };
        layout(location = 0) out vec4 f_color;
        layout(early_fragment_tests) in;
        void main() { atomicAdd(pixels[int(gl_FragCoord.y) * 64 + int(gl_FragCoord.x)], 1); f_color = vec4(1); }""",
    "spec.frag": _IN + _OUT + """layout(constant_id = 0) const int how = 0;
        void main() { f_color = how == 0 ? v_color : how == 1 ? v_color.gbra : vec4(gl_FragCoord.xy / 64, v_color.xy); }""",
    # Primitives
    "same.geom": """layout(triangles) in;
        layout(triangle_strip, max_vertices = 3) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; v_color = in_color[i]; EmitVertex(); } }""",
    "quads.geom": """layout(points) in;
        layout(triangle_strip, max_vertices = 4) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { for (int i = 0; i < 4; i++) {
            gl_Position = gl_in[0].gl_Position + vec4(vec2(i & 1, i >> 1) * 0.2 - 0.1, 0, 0);
            v_color = in_color[0] * (1 - i * 0.125); EmitVertex(); } }""",
    "twice.geom": """layout(triangles, invocations = 2) in;
        layout(triangle_strip, max_vertices = 6) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { for (int k = 0; k < 2; k++) { for (int i = 0; i < 3; i++) {
            gl_Position = vec4(gl_in[i].gl_Position.xy * 0.4 + vec2(gl_InvocationID, k) - 0.5, gl_in[i].gl_Position.zw);
            v_color = in_color[i]; gl_PrimitiveID = gl_PrimitiveIDIn; EmitVertex(); } EndPrimitive(); } }""",
    "some.geom": """layout(triangles) in;
        layout(triangle_strip, max_vertices = 3) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { if ((gl_PrimitiveIDIn & 1) != 0) return;
            for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; v_color = in_color[i]; EmitVertex(); } }""",
    "lines.geom": """layout(triangles) in;
        layout(line_strip, max_vertices = 4) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { for (int i = 0; i < 4; i++) { gl_Position = gl_in[i % 3].gl_Position; v_color = in_color[i % 3]; EmitVertex(); } }""",
    "adjacent.geom": """layout(triangles_adjacency) in;
        layout(triangle_strip, max_vertices = 3) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { for (int i = 0; i < 3; i++) { gl_Position = gl_in[2 * i].gl_Position;
            v_color = in_color[2 * i + 1]; EmitVertex(); } }""",
    "layers.geom": """layout(triangles) in;
        layout(triangle_strip, max_vertices = 6) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { for (int k = 0; k < 2; k++) { for (int i = 0; i < 3; i++) {
            gl_Position = gl_in[i].gl_Position; v_color = k == 0 ? in_color[i] : in_color[i].bgra; gl_Layer = k; EmitVertex(); }
            EndPrimitive(); } }""",
    # Tessellation
    "same.tesc": """layout(vertices = 3) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 out_color[];
        void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
            out_color[gl_InvocationID] = in_color[gl_InvocationID];
            gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1; }""",
    "push.tesc": _PUSH + """layout(vertices = 4) out;
        void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
            gl_TessLevelOuter[0] = push.a.x; gl_TessLevelOuter[1] = push.a.y; gl_TessLevelOuter[2] = push.a.z;
            gl_TessLevelOuter[3] = push.a.w; gl_TessLevelInner[0] = push.b.x; gl_TessLevelInner[1] = push.b.y; }""",
}


def _tese(domain, spacing, order):
    at = {"triangles": "gl_TessCoord.x * a + gl_TessCoord.y * b + gl_TessCoord.z * c",
          "quads": "mix(mix(a, b, gl_TessCoord.x), mix(c, d, gl_TessCoord.x), gl_TessCoord.y)",
          "isolines": "mix(mix(a, b, gl_TessCoord.x), mix(c, d, gl_TessCoord.x), gl_TessCoord.y)"}[domain]
    return f"""layout({domain}, {spacing}, {order}) in;
        layout(location = 0) out vec4 v_color;
        void main() {{ vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position, c = gl_in[2].gl_Position, d = gl_in[3].gl_Position;
            gl_Position = {at}; v_color = vec4(gl_TessCoord, 1); }}"""


SPACINGS = {"equal": "equal_spacing", "even": "fractional_even_spacing", "odd": "fractional_odd_spacing"}
for _domain in ("triangles", "quads", "isolines"):
    for _name, _spacing in SPACINGS.items():
        TEXT[f"{_domain}_{_name}.tese"] = _tese(_domain, _spacing, "ccw")
TEXT["same.tese"] = """layout(triangles, equal_spacing, ccw) in;
    layout(location = 0) in vec4 in_color[];
    layout(location = 0) out vec4 v_color;
    void main() { precise vec4 p = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
        gl_Position = p;
        v_color = gl_TessCoord.x * in_color[0] + gl_TessCoord.y * in_color[1] + gl_TessCoord.z * in_color[2]; }"""
TEXT["triangles.mesh"] = """#extension GL_EXT_mesh_shader : require
    layout(local_size_x = 4) in;
    layout(triangles, max_vertices = 3, max_primitives = 1) out;
    layout(location = 0) out vec4 v_color[];
    void main() { SetMeshOutputsEXT(3, 1);
        if (gl_LocalInvocationIndex < 3) { uint i = gl_LocalInvocationIndex;
            gl_MeshVerticesEXT[i].gl_Position = vec4(vec2(i & 1, i >> 1) * 0.75 + vec2(gl_WorkGroupID.xy) - 0.9, 0.5, 1);
            v_color[i] = vec4(i == 0, i == 1, i == 2, 1); }
        gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2); }"""


TEXT.update(meshes.TEXT)
TEXT.update(coverage.TEXT)
TEXT.update(tess.TEXT)


def _compile(folder, name):
    source = folder / name
    source.write_text(HEAD + TEXT[name])
    r = subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", source, "-o", f"{source}.spv"],
                       capture_output=True, text=True, check=False)
    return "" if r.returncode == 0 else f"{name}: {r.stdout}"


def make(folder, names):
    """Compile shaders into @folder, as NAME.STAGE.spv; what is wrong with them, or ""."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return "".join(pool.map(lambda name: _compile(folder, name), sorted(set(names))))
