# SPDX-License-Identifier: MIT
"""Geometry shaders that tests/front/draw.py draws, each compiled together with the vertex shader before it. Corners lie beside whole pixels.

lavapipe of Mesa 22.3 ends lines elsewhere, and begins odd triangles of strips with adjacency at another vertex than RADV: those two rows are RADV's alone."""
import draw_cases
from draw_cases import HEAD, VIEW

PLAIN = HEAD + "layout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }"
FLAT = HEAD + "layout(location = 0) flat in ivec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(c) + (gl_FrontFacing ? 0.25 : 0.5); }"
VERT = HEAD + draw_cases.BODY + "layout(location = 0) out vec4 v;\nvoid main() { place(0.5); v = vec4(gl_VertexIndex, gl_Position.xy, 1); }"
# Twelve places, for strips and adjacency.
MANY = HEAD + """layout(location = 0) out vec4 v;
void main() {
  int i = gl_VertexIndex;
  gl_Position = vec4(float(i / 2) * 0.31 - 0.83 + 0.03 * float(i & 1), float(i & 1) * 1.1 - 0.57 + 0.07 * float(i), 0.5, 1);
  v = vec4(i, gl_InstanceIndex, 1, 0);
}"""


def geom(come_in, out, most, body, more="", passed="vec4 c"):
    return HEAD + f"""layout({come_in}) in;
layout({out}, max_vertices = {most}) out;
layout(location = 0) in vec4 v[];
layout(location = 0) out {passed};
{more}
void main() {{
{body}
}}"""


PASS = "for (int i = 0; i < 3; i++) { gl_Position = gl_in[i].gl_Position; c = v[i]; EmitVertex(); }"


def case(name, text, frag=PLAIN, vert=VERT, count=3, **more):
    return draw_cases.Case(name, vert, frag, geom=text, count=count, **more)


def words(name):
    plain = name.removesuffix("-adjacency")
    return {"scene": (f"topology {name.replace('-', '_')}",), "run": ("--topology", plain, *(["--adjacency"] if plain != name else []))}


CASES = [
    case("passed", geom("triangles", "triangle_strip", 3, PASS), count=6),
    # A strip of five vertices, then one that is too short, then one more: odd triangles keep their first vertex.
    case("strips", geom("points", "triangle_strip", 12, """  ivec4 n = ivec4(5, 2, 3, 1);
  int k = 0;
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < n[s]; i++) {
      gl_Position = vec4(float(s) * 0.45 - 0.87 + 0.35 * float(i & 1), float(i) * 0.31 - 0.83, 0.5, 1);
      c = ivec4(s, i, k++, gl_PrimitiveIDIn);
      EmitVertex();
    }
    EndPrimitive();
  }""", passed="flat ivec4 c"), FLAT, count=1, **words("points")),
    case("nothing", geom("triangles", "triangle_strip", 3, "  if (gl_PrimitiveIDIn != 1) return;\n" + PASS), count=6),
    # What comes out depends on the lane: some emit nothing, some less than the most; many subgroups.
    case("some", geom("points", "triangle_strip", 6, """  int id = gl_PrimitiveIDIn;
  for (int k = 0; k < id % 3; k++) {
    vec2 at = vec2(id % 12, id / 12) * vec2(0.16, 0.19) - vec2(0.97, 0.93) + 0.06 * float(k);
    for (int i = 0; i < 3; i++) {
      gl_Position = vec4(at + vec2(i & 1, i >> 1) * 0.13, 0.5, 1);
      c = ivec4(id, k, i, 3);
      EmitVertex();
    }
    EndPrimitive();
  }""", passed="flat ivec4 c"), FLAT, count=120, **words("points")),
    case("primitive_id", geom("triangles", "triangle_strip", 3, PASS.replace("c = v[i];", "c = v[i]; gl_PrimitiveID = gl_PrimitiveIDIn * 10 + 7;")),
         HEAD + "layout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c + float(gl_PrimitiveID) * 100.0; }", count=6),
    case("views", geom("triangles", "triangle_strip", 3, PASS.replace("c = v[i];", "c = v[i] + float(gl_ViewIndex); gl_Position.xy *= gl_ViewIndex == 1 ? 0.7 : 0.9;")
                       .replace("float(gl_ViewIndex)", "float(gl_ViewIndex + min(gl_SubgroupSize, 2u))")).replace(HEAD, VIEW + "#extension GL_KHR_shader_subgroup_basic : require\n"), count=6, layers=3, more={"view_mask": 7}, only=("RADV",)),
    # A large point, and a small one over it: what was not emitted must not come once more.
    case("over", geom("points", "points", 4, """  gl_Position = vec4(0.03, 0.07, 0.5, 1);
  gl_PointSize = gl_PrimitiveIDIn == 0 ? 17.0 : 5.0;
  c = vec4(gl_PrimitiveIDIn + 1);
  EmitVertex();"""), count=2, **words("points")),
    case("lines", geom("lines", "line_strip", 4, """  for (int i = 0; i < 2; i++) { gl_Position = gl_in[i].gl_Position; c = v[i]; EmitVertex(); }
  EndPrimitive();
  for (int i = 0; i < 2; i++) { gl_Position = gl_in[1 - i].gl_Position.yxzw; c = v[i] + 1; EmitVertex(); }"""), count=4, only=("RADV",), **words("lines")),
    case("points", geom("triangles", "points", 3, """  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position / gl_in[i].gl_Position.w; gl_PointSize = 3.0 + 2.0 * float(i); c = v[i]; EmitVertex(); }"""), count=6),
    case("line_strip", geom("lines", "triangle_strip", 3, """  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i & 1].gl_Position + vec4(0.11 * float(i >> 1)); c = v[i & 1]; EmitVertex(); }"""), vert=MANY, count=9, **words("line-strip")),
    case("triangle_strip", geom("triangles", "triangle_strip", 3, """  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position; c = ivec4(v[0].x, v[1].x, v[2].x, gl_PrimitiveIDIn); EmitVertex(); }""", passed="flat ivec4 c"), FLAT, vert=MANY,
         count=11, **words("triangle-strip")),
    case("triangle_fan", geom("triangles", "triangle_strip", 3, """  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position; c = ivec4(v[0].x, v[1].x, v[2].x, gl_PrimitiveIDIn); EmitVertex(); }""", passed="flat ivec4 c"), FLAT, vert=MANY,
         count=7, **words("triangle-fan")),
    case("adjacent_lines", geom("lines_adjacency", "triangle_strip", 4, """  for (int i = 0; i < 4; i++) {
    gl_Position = gl_in[i].gl_Position; c = v[3 - i]; EmitVertex(); }"""), vert=MANY, count=8, **words("lines-adjacency")),
    case("adjacent_line_strip", geom("lines_adjacency", "triangle_strip", 4, """  for (int i = 0; i < 4; i++) {
    gl_Position = gl_in[i].gl_Position; c = ivec4(v[0].x, v[1].x, v[2].x, v[3].x); EmitVertex(); }""", passed="flat ivec4 c"), FLAT, vert=MANY, count=9,
         **words("line-strip-adjacency")),
    case("adjacent_triangles", geom("triangles_adjacency", "triangle_strip", 6, """  for (int i = 0; i < 6; i++) {
    gl_Position = gl_in[i].gl_Position; c = v[5 - i]; EmitVertex(); }"""), vert=MANY, count=12, **words("triangles-adjacency")),
    case("adjacent_triangle_strip", geom("triangles_adjacency", "triangle_strip", 3, """  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position; c = ivec4(v[1].x, v[3].x, v[5].x, v[0].x * 100 + v[2].x * 10 + v[4].x); EmitVertex(); }""", passed="flat ivec4 c"),
         FLAT, vert=MANY, count=12, only=("RADV",), **words("triangle-strip-adjacency")),
    # Invocations, instances, a push constant and a buffer in both shaders.
    case("invocations", geom("triangles, invocations = 5", "triangle_strip", 3, """  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position * vec4(0.5, 0.5, 1, 1) + vec4(0.2 * float(gl_InvocationID) - 0.4, 0.1 * float(gl_InvocationID) - 0.3, 0, 0);
    c = v[i] * push.by + table.rows[gl_InvocationID % 4]; EmitVertex(); }""", """layout(push_constant) uniform Push { vec4 by; } push;
layout(set = 0, binding = 3) uniform Table { vec4 rows[4]; } table;"""),
         vert=HEAD + draw_cases.BODY + """layout(push_constant) uniform Push { vec4 by; } push;
layout(set = 0, binding = 3) uniform Table { vec4 rows[4]; } table;
layout(location = 0) out vec4 v;
void main() { place(0.5); gl_Position.xy += 0.1 * float(gl_InstanceIndex); v = table.rows[gl_VertexIndex % 4] + push.by; }""", count=6, instances=(1, 2),
         nodes=[{"type": "push_constants", "size": 4}, {"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 3}]}],
         scene=("buffer table f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "bind 3 uniform table", "push f32 1 2 0.5 0.25"),
         run=("--bind", "0.3=values:f32:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "--push", "f32:1,2,0.5,0.25")),
    # What goes to another stream than 0 is not drawn, and has no parameter; neither do ends of its strips end those of stream 0.
    case("streams", HEAD + """layout(points) in;
layout(points, max_vertices = 4) out;
layout(location = 0) in vec4 v[];
layout(stream = 0, location = 1) out vec4 c;
layout(stream = 1, location = 0) out vec4 other;
void main() {
  gl_Position = vec4(0.3 * float(gl_PrimitiveIDIn) - 0.6, 0.07, 0.5, 1);
  gl_PointSize = 5.0;
  c = v[0];
  EmitStreamVertex(0);
  other = v[0] * 2;
  EmitStreamVertex(1);
  EndStreamPrimitive(1);
  gl_Position = vec4(0.3 * float(gl_PrimitiveIDIn) - 0.6, 0.57, 0.5, 1);
  gl_PointSize = 3.0;
  c = v[0] + 1;
  EmitStreamVertex(0);
}""", HEAD + "layout(location = 1) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }", count=4, **words("points")),
    # More vertices than a subgroup has room for, with all invocations of a primitive.
    case("alone", geom("triangles, invocations = 6", "triangle_strip", 60, """  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < 3; i++) {
      gl_Position = gl_in[i].gl_Position * vec4(0.05, 0.05, 1, 1);
      gl_Position.xy += vec2(float(k) * 0.09 - 0.87, float(gl_InvocationID) * 0.3 - 0.77 + 0.15 * float(gl_PrimitiveIDIn)) * gl_Position.w;
      c = v[i] + vec4(k);
      EmitVertex();
    }
    EndPrimitive();
  }"""), count=6, lavapipe=3e-3),
    # Everything that passes to a geometry shader: blocks, arrays, matrices, numbers of other sizes, clip distances and sizes of points.
    case("others", HEAD + """layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
layout(location = 1) in Block { vec2 x; float y[2]; } block[];
layout(location = 5) in mat2x3 m[];
layout(location = 8) flat in uvec2 ids[];
layout(location = 9) in double d[];
layout(location = 10) in vec3 two[][2];
layout(location = 2) out vec4 c;
layout(location = 4) flat out uvec2 n;
layout(location = 6) noperspective out float e;
void main() {
  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position;
    gl_ClipDistance = gl_in[i].gl_ClipDistance;
    gl_CullDistance[0] = gl_in[i].gl_CullDistance[0];
    c = vec4(block[i].x + block[i].y[1], m[i][0].x + 10 * m[i][1].y, float(d[i]) + gl_in[i].gl_PointSize);
    n = ids[0] + ids[i].yx;
    e = two[i][1].y + two[2 - i][0].z;
    EmitVertex();
  }
}""", HEAD + """layout(location = 6) noperspective in float e;
layout(location = 4) flat in uvec2 n;
layout(location = 2) in vec4 c;
layout(location = 0) out vec4 o;
void main() { o = c + vec4(n, e, float(n.x) * 0.5); }""", vert=HEAD + """out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
""" + draw_cases.BODY + """layout(location = 1) out Block { vec2 x; float y[2]; } block;
layout(location = 5) out mat2x3 m;
layout(location = 8) flat out uvec2 ids;
layout(location = 9) out double d;
layout(location = 10) out vec3 two[2];
layout(location = 14) out vec4 unread;
void main() {
  place(0.25);
  float v = float(gl_VertexIndex);
  gl_PointSize = 4.0 + v;
  gl_ClipDistance = float[](gl_Position.x + 0.3, gl_Position.y + 0.51);
  gl_CullDistance[0] = gl_VertexIndex < 3 ? 1.0 : -1.0;
  block.x = vec2(v, 0.5);
  block.y = float[](0.125 * v, 3 - v);
  m = mat2x3(v, 1, 2, 3, v + 4, 5);
  ids = uvec2(gl_VertexIndex + 5, 9);
  d = 0.25lf * double(gl_VertexIndex);
  two = vec3[](vec3(v, 1, 2 * v), vec3(7, v * v, 3));
  unread = vec4(v);
}""", count=6, only=("RADV",)),
    case("wave64", geom("triangles, invocations = 2", "triangle_strip", 3, PASS), count=6, cc=("-mattr=+wavefrontsize64",)),
    # A vertex shader with attributes, by both ways: a part in front that loads them, and with the layout.
    case("attributes", geom("triangles", "triangle_strip", 3, PASS), vert=HEAD + """layout(location = 0) in vec3 corner;
layout(location = 2) in vec4 color;
layout(location = 0) out vec4 v;
void main() { gl_Position = vec4(corner, 1); v = color; }""", count=6,
         more={"vertex_input": {"bindings": [{"binding": 0, "stride": 12}, {"binding": 1, "stride": 4}],
                                "attributes": [{"location": 0, "binding": 0, "format": "R32G32B32_SFLOAT", "offset": 0},
                                               {"location": 2, "binding": 1, "format": "R8G8B8A8_UNORM", "offset": 0}]},
               "color_targets": [{"format": "R32G32B32A32_SFLOAT"}]},
         scene=("buffer corners f32 -0.83 -0.91 0.5 -0.27 -0.53 0.5 -0.77 -0.19 0.5 0.83 0.91 0.5 0.27 0.53 0.5 0.77 0.19 0.5",
                "buffer more u32 255 65280 16711680 4278190335 287454020 1432778632", "vertices corners 12", "vertices more 4",
                "attribute 0 0 R32G32B32_SFLOAT 0", "attribute 2 1 R8G8B8A8_UNORM 0"),
         run=("--vertices", "0=values:f32:-0.83,-0.91,0.5,-0.27,-0.53,0.5,-0.77,-0.19,0.5,0.83,0.91,0.5,0.27,0.53,0.5,0.77,0.19,0.5:stride=12",
              "--vertices", "1=values:u32:255,65280,16711680,4278190335,287454020,1432778632:stride=4")),
]
