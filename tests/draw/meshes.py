# SPDX-License-Identifier: MIT
"""Scenes of mesh shaders, which bookworm's lavapipe lacks: what must be seen is computed here. TEXT are shaders, add() adds scenes.

A workgroup fills a tile of 16x16 pixels with 8x8 cells of two triangles; a cell's colour says which it is.
"""
CELLS, SIDE = 8, 64  # of a tile in each direction; pixels of the picture
CLEAR = (51, 51, 51, 255)  # 0.2 0.2 0.2 1


def _tiles(threads, outputs="SetMeshOutputsEXT(256, 128);", cull="false", layer="", last=True):
    """Cells by @threads threads; those with few loop, and their exports have several rows."""
    return f"""#extension GL_EXT_mesh_shader : require
    layout(local_size_x = {threads}) in;
    layout(triangles, max_vertices = 256, max_primitives = 128) out;
    layout(location = 0) perprimitiveEXT out vec4 p_color[];
    layout(location = 1) out vec4 v_place[];
    shared vec2 corner;
    void main() {{
        if (gl_LocalInvocationIndex == {threads - 1 if last else 0}) corner = vec2(gl_WorkGroupID.xy) * 0.5 - 1.0;
        barrier();
        {outputs}
        for (uint i = gl_LocalInvocationIndex; i < 256; i += {threads}) {{
            uint cell = i >> 2;
            vec2 at = corner + (vec2(cell & 7, cell >> 3) + vec2(i & 1, i >> 1 & 1)) / 16.0;
            gl_MeshVerticesEXT[i].gl_Position = vec4(at, 0.5, 1);
            v_place[i] = vec4(at, 0, 1); }}
        for (uint i = gl_LocalInvocationIndex; i < 128; i += {threads}) {{
            uint cell = i >> 1, v = cell * 4;
            gl_PrimitiveTriangleIndicesEXT[i] = (i & 1) == 0 ? uvec3(v, v + 1, v + 2) : uvec3(v + 1, v + 3, v + 2);
            gl_MeshPrimitivesEXT[i].gl_CullPrimitiveEXT = {cull};
            {layer}
            p_color[i] = vec4((cell & 7) * 32, (cell >> 3) * 32, (gl_WorkGroupID.x + gl_WorkGroupID.y * 4 + gl_WorkGroupID.z * 3) * 8, 255) / 255.0; }} }}"""


TEXT = {
    "tiles.mesh": _tiles(64),
    "tiles_few.mesh": _tiles(20),
    "tiles_waves.mesh": _tiles(128),
    "tiles_culled.mesh": _tiles(128, cull="((cell ^ cell >> 3) & 1) == 1"),
    "tiles_none.mesh": _tiles(32, outputs="bool none = ((gl_WorkGroupID.x ^ gl_WorkGroupID.y) & 1) == 1; SetMeshOutputsEXT(none ? 0 : 256, none ? 0 : 128);"
                                          " if (none) return;", last=False),
    "tiles_layers.mesh": _tiles(128, layer="gl_MeshPrimitivesEXT[i].gl_Layer = int(gl_WorkGroupID.z);"),
    "tiles.frag": """#extension GL_EXT_mesh_shader : require
        layout(location = 0) perprimitiveEXT in vec4 p_color;
        layout(location = 1) in vec4 v_place;
        layout(location = 0) out vec4 f_color;
        void main() { f_color = p_color;
            if (any(greaterThan(abs((v_place.xy + 1.0) * 32.0 - gl_FragCoord.xy), vec2(0.01)))) f_color = vec4(1, 0, 0, 0); }""",
}


def _cell(x, y, z):
    """The cell that pixel x, y is of, and its colour."""
    cx, cy, gx, gy = x % 16 // 2, y % 16 // 2, x // 16, y // 16
    return cx, cy, gx, gy, (cx * 32, cy * 32, (gx + gy * 4 + z * 3) * 8, 255)


def _rule(there=lambda cx, cy, gx, gy: True, layers=1):
    def want(got):
        texels = got["target0"]
        for i in range(SIDE * SIDE * layers):
            x, y, z = i % SIDE, i // SIDE % SIDE, i // SIDE // SIDE
            *place, color = _cell(x, y, z)
            expected = bytes(color if there(*place) else CLEAR)
            if texels[4 * i:4 * i + 4] != expected:
                return f"layer {z} pixel {x},{y}: {tuple(texels[4 * i:4 * i + 4])}, expected {tuple(expected)}"
        return ""
    return want


def add(scene, rgba):
    def tiles(name, rule, z=1):
        layers = f"layers {z}\n" if z > 1 else ""
        scene(f"mesh_{name}", f"{layers}{rgba}mesh {name}\nfrag tiles\ndraw_mesh 4 4 {z}\n", want=rule)

    tiles("tiles", _rule())
    tiles("tiles_few", _rule())
    tiles("tiles_waves", _rule())
    tiles("tiles_culled", _rule(lambda cx, cy, gx, gy: (cx ^ cy) & 1 == 0))
    tiles("tiles_none", _rule(lambda cx, cy, gx, gy: (gx ^ gy) & 1 == 0))
    tiles("tiles_layers", _rule(layers=2), 2)
