# SPDX-License-Identifier: MIT
"""Mesh shaders that tests/front/draw.py draws, as RADV of Mesa 25 draws them: bookworm's lavapipe and RADV have none. Corners lie beside whole pixels."""
import draw_cases

HEAD = """#version 450
#extension GL_EXT_mesh_shader : require
"""
VIEWS = "#extension GL_EXT_multiview : require\n"
PLAIN = HEAD + "layout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }"
OF_PRIMITIVE = HEAD + "layout(location = 0) perprimitiveEXT in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }"


def grid(threads, outputs="SetMeshOutputsEXT(256, 128);", cull="false"):
    """Cells of two triangles; what few lanes write has rows that no wave has of its own."""
    return HEAD + f"""layout(local_size_x = {threads}) in;
layout(triangles, max_vertices = 256, max_primitives = 128) out;
layout(location = 0) perprimitiveEXT out vec4 color[];
layout(location = 1) out vec2 place[];
shared vec2 corner;
void main() {{
  if (gl_LocalInvocationIndex == {threads - 1}) corner = vec2(gl_WorkGroupID.xy) * vec2(0.9, 0.7) - 0.93;
  barrier();
  {outputs}
  for (uint i = gl_LocalInvocationIndex; i < 256; i += {threads}) {{
    uint cell = i >> 2;
    vec2 at = corner + (vec2(cell & 7, cell >> 3) + vec2(i & 1, i >> 1 & 1)) * vec2(0.11, 0.083);
    gl_MeshVerticesEXT[i].gl_Position = vec4(at, 0.5, 1);
    place[i] = at;
  }}
  for (uint i = gl_LocalInvocationIndex; i < 128; i += {threads}) {{
    uint v = (i >> 1) * 4;
    gl_PrimitiveTriangleIndicesEXT[i] = (i & 1) == 0 ? uvec3(v, v + 1, v + 2) : uvec3(v + 1, v + 3, v + 2);
    gl_MeshPrimitivesEXT[i].gl_CullPrimitiveEXT = {cull};
    color[i] = vec4(i, gl_WorkGroupID.x, gl_WorkGroupID.y, 7);
  }}
}}"""


GRID = HEAD + """layout(location = 0) perprimitiveEXT in vec4 color;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 o;
void main() { o = color + vec4(place, place.x * place.y, 0); }"""


def case(name, mesh, frag, groups="2 2", **more):
    return draw_cases.Case(name, "", frag, mesh=mesh, groups=groups, only=("RADV 25",), **more)


CASES = [
    case("grid", grid(64), GRID),
    case("grid_few", grid(20), GRID),
    case("views", grid(64).replace(HEAD, HEAD + VIEWS).replace("color[i] = vec4(i,", "color[i] = vec4(i + gl_ViewIndex,"),
         GRID.replace(HEAD, HEAD + VIEWS).replace("o = color", "o = vec4(gl_ViewIndex) + color"), layers=3, more={"view_mask": 7}),
    # One thread: the wave that it is in has lanes for vertices and primitives all the same.
    case("grid_one", grid(1), GRID, groups="2 1"),
    case("grid_many", grid(128), GRID, cc=("-mattr=+wavefrontsize64",)),
    case("grid_odd", grid(50), GRID, cc=("-mattr=+wavefrontsize64",)),
    case("culled", grid(128, cull="(i % 3) == 1"), GRID),
    # The first lane's numbers count; of some workgroups nothing comes out.
    case("none", grid(32, outputs="bool none = gl_WorkGroupID.x == gl_WorkGroupID.y; SetMeshOutputsEXT(none ? 0 : 200, none ? 0 : 77); if (none) return;"), GRID),
    # Never called: nothing comes out of that workgroup.
    case("silent", grid(32, outputs="if (gl_WorkGroupID.x == 1) return; SetMeshOutputsEXT(256, 128);"), GRID),
    case("lines", HEAD + """layout(local_size_x = 5) in;
layout(lines, max_vertices = 5, max_primitives = 5) out;
layout(location = 0) out vec4 c[];
void main() {
  uint i = gl_LocalInvocationIndex;
  vec2 p[5] = vec2[](vec2(-0.83, -0.91), vec2(0.87, -0.53), vec2(-0.37, 0.79), vec2(0.91, 0.83), vec2(-0.77, 0.61));
  SetMeshOutputsEXT(5, 5);
  gl_MeshVerticesEXT[i].gl_Position = vec4(p[i], 0.5, 1);
  c[i] = vec4(i, 1, 2, 3);
  gl_PrimitiveLineIndicesEXT[i] = uvec2(i, (i + 1) % 5);
}""", PLAIN, groups="1"),
    case("points", HEAD + """#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 2, local_size_y = 3) in;
layout(points, max_vertices = 6, max_primitives = 6) out;
layout(location = 0) out vec4 c[];
void main() {
  uint i = gl_LocalInvocationIndex;
  SetMeshOutputsEXT(6, 6);
  gl_MeshVerticesEXT[i].gl_Position = vec4(vec2(gl_LocalInvocationID.xy) * vec2(0.9, 0.6) - vec2(0.49, 0.61), 0.5, 1);
  gl_MeshVerticesEXT[i].gl_PointSize = 3.0 + 2.0 * float(i);
  c[i] = vec4(gl_LocalInvocationID, gl_SubgroupInvocationID);
  gl_PrimitivePointIndicesEXT[i] = 5 - i;
}""", PLAIN, groups="1"),
    case("clip", HEAD + """layout(local_size_x = 6) in;
layout(triangles, max_vertices = 6, max_primitives = 2) out;
out gl_MeshPerVertexEXT { vec4 gl_Position; float gl_ClipDistance[3]; float gl_CullDistance[1]; } gl_MeshVerticesEXT[];
layout(location = 0) out vec4 c[];
void main() {
  uint i = gl_LocalInvocationIndex;
  vec2 p[6] = vec2[](vec2(-0.83, -0.91), vec2(0.87, -0.53), vec2(-0.37, 0.79), vec2(0.91, 0.83), vec2(-0.77, 0.61), vec2(0.53, -0.87));
  SetMeshOutputsEXT(6, 2);
  gl_MeshVerticesEXT[i].gl_Position = vec4(p[i] * (1 + i), 0.5 * (1 + i), 1 + i);
  gl_MeshVerticesEXT[i].gl_ClipDistance[0] = p[i].x + 0.3;
  gl_MeshVerticesEXT[i].gl_ClipDistance[1] = p[i].y + 0.51;
  gl_MeshVerticesEXT[i].gl_ClipDistance[2] = 1;
  gl_MeshVerticesEXT[i].gl_CullDistance[0] = i < 3 ? 1.0 : -1.0;
  c[i] = vec4(1, i, 3, 4);
  if (i < 2) gl_PrimitiveTriangleIndicesEXT[i] = uvec3(0, 1, 2) + 3 * i;
}""", PLAIN, groups="1"),
    # Built-ins of primitives, which the pixel shader reads as if they were of vertices; beside one of each kind with a location.
    case("builtins", HEAD + """#extension GL_ARB_shader_viewport_layer_array : require
layout(local_size_x = 6) in;
layout(triangles, max_vertices = 6, max_primitives = 2) out;
layout(location = 2) out vec2 v[];
layout(location = 0) perprimitiveEXT out float p[];
void main() {
  uint i = gl_LocalInvocationIndex;
  vec2 at[6] = vec2[](vec2(-0.83, -0.91), vec2(0.87, -0.53), vec2(-0.37, 0.79), vec2(0.91, 0.83), vec2(-0.77, 0.61), vec2(0.53, -0.87));
  SetMeshOutputsEXT(6, 2);
  gl_MeshVerticesEXT[i].gl_Position = vec4(at[i], 0.5, 1);
  v[i] = at[i];
  if (i < 2) {
    p[i] = 3.0 + float(i);
    gl_MeshPrimitivesEXT[i].gl_PrimitiveID = int(i) * 10 + 7;
    gl_MeshPrimitivesEXT[i].gl_Layer = 0;
    gl_MeshPrimitivesEXT[i].gl_ViewportIndex = 0;
    gl_PrimitiveTriangleIndicesEXT[i] = uvec3(0, 1, 2) + 3 * i;
  }
}""", HEAD + """layout(location = 0) perprimitiveEXT in float p;
layout(location = 2) in vec2 v;
layout(location = 0) out vec4 o;
void main() { o = vec4(v, p, gl_PrimitiveID + gl_Layer * 1000); }""", groups="1"),
    # Everything that passes: blocks, arrays, matrices, numbers of other sizes, of vertices and of primitives; one parameter is never read.
    case("others", HEAD + """layout(local_size_x = 3) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
layout(location = 1) out Block { vec2 x; float y[2]; } block[];
layout(location = 5) out mat2x3 m[];
layout(location = 8) flat out uvec2 ids[];
layout(location = 9) out vec3 unread[];
layout(location = 10) perprimitiveEXT out Which { uint number; vec3 place; } which[];
layout(location = 14) perprimitiveEXT out float list[][2];
layout(push_constant) uniform Push { vec4 by; } push;
layout(set = 0, binding = 3) uniform Table { vec4 rows[4]; } table;
void main() {
  uint i = gl_LocalInvocationIndex;
  float v = float(i);
  vec2 p[3] = vec2[](vec2(-0.83, -0.91), vec2(0.87, -0.53), vec2(-0.37, 0.79));
  SetMeshOutputsEXT(3, 1);
  gl_MeshVerticesEXT[i].gl_Position = vec4(p[i] * (1 + v), 0.25, 1 + v);
  block[i].x = table.rows[i].xy;
  block[i].y = float[](0.125 * v, 3 - v);
  m[i] = mat2x3(v, 1, 2, 3, v + 4, 5) * push.by.x;
  ids[i] = uvec2(i + 5, 9);
  unread[i] = vec3(v);
  if (i == 2) {
    which[0].number = gl_NumWorkGroups.x * 100 + gl_NumWorkGroups.y * 10 + gl_NumWorkGroups.z;
    which[0].place = vec3(gl_WorkGroupID);
    list[0] = float[](11.0, float(gl_WorkGroupSize.x));
    gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);
  }
}""", HEAD + """layout(location = 14) perprimitiveEXT in float list[2];
layout(location = 10) perprimitiveEXT in Which { flat uint number; vec3 place; };
layout(location = 8) flat in uvec2 ids;
layout(location = 5) in mat2x3 m;
layout(location = 1) in Block { vec2 x; float y[2]; } block;
layout(location = 0) out vec4 o;
void main() {
  o = vec4(block.x.x + block.y[1] * 10, m[0].x + 10 * m[1].y + 100 * m[0].z, float(ids.x * 16 + ids.y), float(number) + list[int(gl_FragCoord.x) & 1])
    + vec4(place, block.x.y + block.y[0]);
}""", groups="1 1 1",
         nodes=[{"type": "push_constants", "size": 4}, {"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 3}]}],
         scene=("buffer table f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "bind 3 uniform table", "push f32 1.5 2 0.5 0.25"),
         run=("--bind", "0.3=values:f32:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "--push", "f32:1.5,2,0.5,0.25")),
    # Parameters of primitives only, and ids in three directions.
    case("only_primitives", HEAD + """layout(local_size_x = 1, local_size_y = 3) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
layout(location = 0) perprimitiveEXT out vec4 c[];
void main() {
  vec2 p[3] = vec2[](vec2(-0.83, -0.91), vec2(-0.43, -0.63), vec2(-0.77, -0.49));
  SetMeshOutputsEXT(3, 1);
  gl_MeshVerticesEXT[gl_LocalInvocationID.y].gl_Position = vec4(p[gl_LocalInvocationID.y] + vec2(gl_WorkGroupID.xy) * 0.4 + float(gl_WorkGroupID.z) * 0.2, 0.5, 1);
  c[0] = vec4(gl_WorkGroupID, gl_GlobalInvocationID.x);
  gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);
}""", OF_PRIMITIVE, groups="3 2 2"),
]
