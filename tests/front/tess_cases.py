# SPDX-License-Identifier: MIT
"""Shaders of patches that tests/front/draw.py draws: vertex, tessellation control and evaluation shaders compiled together, some with a geometry shader.

Isolines and points are RADV's alone, whose rasteriser the model has: lavapipe of Mesa 22.3 ends lines elsewhere."""
import draw_cases
from draw_cases import HEAD, VIEW

PLAIN = HEAD + "layout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }"
FACING = HEAD + "layout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c + (gl_FrontFacing ? 0.25 : 0.5); }"
# Corners of patches beside whole pixels; four of them are a quad.
VERT = HEAD + """layout(location = 0) out vec4 v;
void main() {
  vec2 p[8] = vec2[](vec2(-0.83, -0.77), vec2(0.91, -0.69), vec2(-0.13, 0.87), vec2(0.79, 0.73), vec2(-0.91, 0.3), vec2(0.1, 0.2), vec2(0.7, 0.33), vec2(0.4, -0.9));
  gl_Position = vec4(p[gl_VertexIndex % 8], 0.5, 1);
  v = vec4(gl_VertexIndex, p[gl_VertexIndex % 8], gl_InstanceIndex);
}"""
PASS = """  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  c[gl_InvocationID] = v[gl_InvocationID];
"""
TRIANGLE = "  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;\n"
QUAD = "  gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x), mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x), gl_TessCoord.y);\n"


def tesc(points, body, more="", ins="layout(location = 0) in vec4 v[];", outs="layout(location = 0) out vec4 c[];"):
    return HEAD + f"layout(vertices = {points}) out;\n{ins}\n{outs}\n{more}\nvoid main() {{\n{body}\n}}"


def tese(mode, body, more="", ins="layout(location = 0) in vec4 c[];", outs="layout(location = 0) out vec4 o;"):
    return HEAD + f"layout({mode}) in;\n{ins}\n{outs}\n{more}\nvoid main() {{\n{body}\n}}"


def levels(*outer, inner=(1, 1)):
    return "".join(f"  gl_TessLevelOuter[{i}] = {v};\n" for i, v in enumerate(outer)) + "".join(f"  gl_TessLevelInner[{i}] = {v};\n" for i, v in enumerate(inner))


def case(name, control, evaluation, points=3, count=0, vert=VERT, frag=PLAIN, scene=(), run=(), more=None, **rest):
    return draw_cases.Case(name, vert, frag, tesc=control, tese=evaluation, count=count or points, scene=("topology patches", f"patch {points}", *scene),
                           run=("--topology", "patches", *run), more={"patch_control_points": points, **(more or {})}, **rest)


MIX = "  o = gl_TessCoord.x * c[0] + gl_TessCoord.y * c[1] + gl_TessCoord.z * c[2]"
FIRST = "  if (gl_InvocationID == 0) {\n"

CASES = [
    # What belongs to the patch, levels and numbers of patches in the evaluation shader; lanes read what others wrote.
    case("triangles", tesc(3, PASS + "  barrier();\n" + FIRST + "  p = c[1] + c[2] * float(gl_PatchVerticesIn);\n" + levels(2, 3, 4, inner=(3,)) + "  }",
                           "layout(location = 3) patch out vec4 p;"),
         tese("triangles, equal_spacing, ccw", TRIANGLE + MIX + """ + p * 0.25 + float(gl_PrimitiveID) + gl_TessLevelOuter[2] + gl_TessLevelInner[0] * 10.0
    + float(gl_PatchVerticesIn) * 100.0;""", "layout(location = 3) patch in vec4 p;"), count=6),
    # The pixel shader is given the patch's number.
    case("primitive_id", tesc(3, PASS + levels(2, 3, 4, inner=(3,))), tese("triangles, equal_spacing, ccw", TRIANGLE + MIX + ";"),
         frag=HEAD + "layout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c + float(gl_PrimitiveID) * 10.0; }", count=9, cc=("--primitive-id",)),
    case("views", tesc(3, PASS + "  p = gl_ViewIndex;\n" + levels("2 + gl_ViewIndex", 3, 4, inner=(3,)), "layout(location = 3) patch out int p;").replace(HEAD, VIEW),
         tese("triangles, equal_spacing, ccw", TRIANGLE + MIX + " + vec4(p, gl_ViewIndex, 0, 0);", "layout(location = 3) patch in int p;").replace(HEAD, VIEW),
         vert=VERT.replace(HEAD, VIEW).replace("v = vec4(", "gl_Position.x *= 1.0 - 0.25 * float(gl_ViewIndex);\n  v = vec4("), layers=2, more={"view_mask": 3}),
    case("facing", tesc(3, PASS + levels(5, 5, 5, inner=(4,))), tese("triangles, fractional_even_spacing, cw", TRIANGLE + MIX + ";"), frag=FACING),
    case("odd", tesc(3, PASS + levels(3.3, 4.7, 5.1, inner=(2.6,))), tese("triangles, fractional_odd_spacing, ccw", TRIANGLE + MIX + ";"), frag=FACING),
    case("quads", tesc(4, PASS + levels(2, 3, 4, 5, inner=(3, 6))),
         tese("quads, equal_spacing, cw", QUAD + "  o = vec4(gl_TessCoord, 1) + mix(c[0], c[3], gl_TessCoord.y);"), points=4, frag=FACING),
    case("quads_odd", tesc(4, PASS + levels(2.5, 3.2, 4.9, 1.1, inner=(3.7, 6.2))),
         tese("quads, fractional_odd_spacing, ccw", QUAD + "  o = vec4(gl_TessCoord, 1) + mix(c[0], c[3], gl_TessCoord.y);"), points=4),
    case("isolines", tesc(4, PASS + levels(3, 5, inner=())), tese("isolines, equal_spacing", QUAD + "  o = vec4(gl_TessCoord, 1) + c[1];"), points=4, only=("RADV",)),
    case("points", tesc(3, PASS + levels(4, 4, 4, inner=(4,))),
         tese("triangles, equal_spacing, point_mode", TRIANGLE + "  gl_PointSize = 3.0;\n" + MIX + ";"), only=("RADV",)),
    # More vertices come out than in, of several waves; each lane reads what another one wrote, twice.
    case("more_out", tesc(31, """  c[gl_InvocationID] = v[gl_InvocationID % 3] + float(gl_InvocationID);
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID % 3].gl_Position;
  barrier();
  vec4 other = c[(gl_InvocationID + 17) % 31];
  barrier();
  c[gl_InvocationID] = other;
  barrier();
""" + levels(3, 3, 3, inner=(3,))), tese("triangles, equal_spacing, ccw", TRIANGLE + "  vec4 sum = vec4(0);\n  for (int i = 0; i < gl_PatchVerticesIn; i++) sum += c[i] * float(i + 1);\n  o = sum * 0.01 + gl_TessCoord.xyzx;"),
         count=15),
    # Fewer out than in: one vertex for five.
    case("fewer_out", tesc(1, """  vec4 sum = vec4(0);
  for (int i = 0; i < gl_PatchVerticesIn; i++) sum += v[i] * float(i);
  c[gl_InvocationID] = sum;
  for (int i = 0; i < 3; i++) corner[i] = gl_in[i].gl_Position;
""" + levels(2, 2, 2, inner=(2,)), "layout(location = 4) patch out vec4 corner[3];"),
         tese("triangles, equal_spacing, ccw", "  gl_Position = gl_TessCoord.x * corner[0] + gl_TessCoord.y * corner[1] + gl_TessCoord.z * corner[2];\n  o = c[0] + gl_TessCoord.xyzx;",
              "layout(location = 4) patch in vec4 corner[3];"), points=5, count=10),
    # A patch with a level of 0 or of nothing is not drawn; levels go up to 64.
    case("levels", tesc(3, PASS + """  float l = gl_PrimitiveID == 0 ? 0.0 : gl_PrimitiveID == 1 ? -3.0 : gl_PrimitiveID == 2 ? uintBitsToFloat(0x7fc00000u) : gl_PrimitiveID == 3 ? 900.0 : 1.0;
  if (gl_PrimitiveID > 4) return;
  gl_TessLevelOuter[0] = l; gl_TessLevelOuter[1] = 5.0; gl_TessLevelOuter[2] = 2.0; gl_TessLevelInner[0] = 1.0;"""),
         tese("triangles, equal_spacing, ccw", TRIANGLE + MIX + " + float(gl_PrimitiveID);"), count=15),
    # Many patches: several groups; instances; attributes, push constants and a buffer in all stages.
    case("many", tesc(3, PASS + "  c[gl_InvocationID] += push.by * table.rows[1];\n  float l = float(gl_PrimitiveID % 4 + 1);\n  gl_TessLevelOuter = float[4](l, l, 2.0, 1.0);\n  gl_TessLevelInner[0] = 2.0;",
                      "layout(push_constant) uniform Push { vec4 by; } push;\nlayout(set = 0, binding = 3) uniform Table { vec4 rows[4]; } table;"),
         tese("triangles, equal_spacing, ccw", TRIANGLE + MIX + " + table.rows[gl_PrimitiveID % 4] * push.by;",
              "layout(push_constant) uniform Push { vec4 by; } push;\nlayout(set = 0, binding = 3) uniform Table { vec4 rows[4]; } table;"),
         vert=HEAD + """layout(location = 0) in vec2 at;
layout(location = 2) in vec4 shade;
layout(push_constant) uniform Push { vec4 by; } push;
layout(set = 0, binding = 3) uniform Table { vec4 rows[4]; } table;
layout(location = 0) out vec4 v;
void main() {
  int patch_ = gl_VertexIndex / 3;
  gl_Position = vec4(at * 0.11 + vec2(float(patch_ % 8), float(patch_ / 8)) * 0.23 - 0.87 + 0.03 * float(gl_InstanceIndex), 0.5, 1);
  v = shade + push.by * table.rows[gl_VertexIndex % 4];
}""", count=192, instances=(1, 2), nodes=[{"type": "push_constants", "size": 4}, {"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 3}]}],
         more={"vertex_input": {"bindings": [{"binding": 0, "stride": 8}, {"binding": 1, "stride": 4, "rate": "instance"}],
                                "attributes": [{"location": 0, "binding": 0, "format": "R32G32_SFLOAT"}, {"location": 2, "binding": 1, "format": "R8G8B8A8_UNORM"}]}},
         scene=("buffer table f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "bind 3 uniform table", "push f32 1 2 0.5 0.25",
                "buffer places f32 " + " ".join(("-0.9 -0.8", "0.9 -0.7", "-0.1 0.9")[i % 3] for i in range(192)), "vertices places 8",
                "attribute 0 0 R32G32_SFLOAT 0", "buffer shades u32 0x01020304 0x8040ff20 0x11ff7f33", "vertices shades 4 instance 1",
                "attribute 2 1 R8G8B8A8_UNORM 0"),
         run=("--bind", "0.3=values:f32:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "--push", "f32:1,2,0.5,0.25",
              "--vertices", "0=values:f32:" + ",".join(("-0.9,-0.8", "0.9,-0.7", "-0.1,0.9")[i % 3] for i in range(192)) + ":stride=8",
              "--vertices", "1=values:u32:0x01020304,0x8040ff20,0x11ff7f33:stride=4")),
    # Everything that passes: blocks, arrays, matrices, numbers of other sizes, clip distances; blocks of patches.
    case("others", tesc(3, """  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_out[gl_InvocationID].gl_ClipDistance = gl_in[gl_InvocationID].gl_ClipDistance;
  a[gl_InvocationID].x = b[gl_InvocationID].x * 2.0;
  for (int i = 0; i < 2; i++) a[gl_InvocationID].y[i] = b[gl_InvocationID].y[1 - i] + float(i);
  m[gl_InvocationID] = n[gl_InvocationID] * 3.0;
  e[gl_InvocationID] = d[gl_InvocationID] + 0.125lf;
  k[gl_InvocationID] = ids[gl_InvocationID] + uvec3(1, 2, 3);
  w[gl_InvocationID] = f[gl_InvocationID];
  whole.s = 5u;
  whole.t[gl_InvocationID] = vec2(gl_InvocationID, gl_PrimitiveID);
""" + levels(3, 2, 4, inner=(2,)), """out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_out[];
layout(location = 12) patch out Whole { uint s; vec2 t[3]; } whole;""",
                        ins="""in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
layout(location = 1) in B { vec2 x; float y[2]; } b[];
layout(location = 5) in mat2x3 n[];
layout(location = 8) in dvec3 d[];
layout(location = 10) flat in uvec3 ids[];
layout(location = 11, component = 2) in vec2 f[];""",
                        outs="""layout(location = 1) out B { vec2 x; float y[2]; } a[];
layout(location = 5) out mat2x3 m[];
layout(location = 8) out dvec3 e[];
layout(location = 10) out uvec3 k[];
layout(location = 11, component = 2) out vec2 w[];"""),
         tese("triangles, equal_spacing, ccw", """  vec3 t = gl_TessCoord;
  gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
  for (int i = 0; i < 2; i++) gl_ClipDistance[i] = t.x * gl_in[0].gl_ClipDistance[i] + t.y * gl_in[1].gl_ClipDistance[i] + t.z * gl_in[2].gl_ClipDistance[i];
  o = vec4(a[0].x + a[1].x, a[2].y[0] + t.x, a[0].y[1]) + vec4(m[0][0] * t.x + m[1][1], m[2][1].z) + vec4(vec3(e[0] * double(t.y) + e[2]), float(e[1].z));
  o += vec4(vec3(k[0] + k[1] * k[2]), w[1].x + w[2].y * t.z) + vec4(whole.t[0] + whole.t[2], float(whole.s), whole.t[1].y);""",
              "layout(location = 12) patch in Whole { uint s; vec2 t[3]; } whole;\nout gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };",
              ins="""in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];
layout(location = 1) in B { vec2 x; float y[2]; } a[];
layout(location = 5) in mat2x3 m[];
layout(location = 8) in dvec3 e[];
layout(location = 10) in uvec3 k[];
layout(location = 11, component = 2) in vec2 w[];"""),
         vert=HEAD + """out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
layout(location = 1) out B { vec2 x; float y[2]; } b;
layout(location = 5) out mat2x3 n;
layout(location = 8) out dvec3 d;
layout(location = 10) flat out uvec3 ids;
layout(location = 11, component = 2) out vec2 f;
void main() {
  vec2 p[3] = vec2[](vec2(-0.83, -0.77), vec2(0.91, -0.69), vec2(-0.13, 0.87));
  gl_Position = vec4(p[gl_VertexIndex % 3], 0.5, 1);
  float i = float(gl_VertexIndex);
  gl_ClipDistance = float[2](0.83 - 0.5 * i, 0.31 + 0.25 * i);
  b.x = vec2(i, i * 2.0); b.y = float[2](i + 0.5, i * i);
  n = mat2x3(i, 1, 2, 3, i, 5);
  d = dvec3(i, 0.25lf, i * 4.0);
  ids = uvec3(gl_VertexIndex, 7, 9);
  f = vec2(i * 0.5, 11);
}"""),
    *(case(name, tesc(3, PASS + levels(3, 2, 2, inner=(2,))), tese("triangles, equal_spacing, ccw", TRIANGLE + MIX + ";"),
           geom=HEAD + f"""layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 o[];
layout(location = 0) out vec4 c;
void main() {{
  vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
  for (int i = 0; i < 3; i++) {{
    gl_Position = mix(gl_in[i].gl_Position, middle, 0.23);
    c = o[i]{more};
    EmitVertex();
  }}
}}""", count=6, **only) for name, more, only in [
        ("with_geometry", "", {}),
        # lavapipe of Mesa 22.3 counts triangles, where Vulkan means patches.
        ("id_in_geometry", " + float(gl_PrimitiveIDIn) * 10.0", {"only": ("RADV",)})]),
    case("wave64", tesc(3, PASS + "  barrier();\n  c[gl_InvocationID] += 0.5;\n" + levels(3, 3, 3, inner=(3,))), tese("triangles, equal_spacing, ccw", TRIANGLE + MIX + ";"),
         count=90, cc=("-mattr=+wavefrontsize64",)),
]
