# SPDX-License-Identifier: MIT
"""Scenes of mesh and task shaders, which bookworm's lavapipe lacks: what must be seen is computed here. TEXT are shaders, add() adds scenes.

A mesh workgroup fills a tile of 16x16 pixels with 8x8 cells of two triangles; a cell's colour says which it is.
A task workgroup has a tile, and asks for a mesh for each of its first rows of two pixels: as many as ROWS says, some for none.
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


def _row(at, color, extra="", colors=""):
    """A mesh of one row, two pixels high: at @at of the picture, 0 to 64."""
    return f"""#extension GL_EXT_mesh_shader : require
    layout(local_size_x = 4) in;
    layout(triangles, max_vertices = 4, max_primitives = 2) out;
    layout(location = 0) perprimitiveEXT out vec4 p_color[];
    {extra}
    void main() {{
        SetMeshOutputsEXT(4, 2);
        uint i = gl_LocalInvocationIndex;
        {colors}
        vec4 box = {at}; // left, top, width, height
        gl_MeshVerticesEXT[i].gl_Position = vec4((box.xy + box.zw * vec2(i & 1, i >> 1)) / 32.0 - 1.0, 0.5, 1);
        if (i < 2) {{
            gl_PrimitiveTriangleIndicesEXT[i] = i == 0 ? uvec3(0, 1, 2) : uvec3(1, 3, 2);
            p_color[i] = {color} / 255.0; }} }}"""


def _task(emit, before="", payload="", threads=32, extra=""):
    return f"""#extension GL_EXT_mesh_shader : require
    #extension GL_ARB_shader_draw_parameters : require
    layout(local_size_x = {threads}) in;
    {extra}
    {payload and "taskPayloadSharedEXT " + payload + ";"}
    void main() {{ {before} {emit} }}"""


ROWS = "(gl_WorkGroupID.x * 3 + gl_WorkGroupID.y * 5) % 9"  # of a task workgroup's tile
TILE = "struct Tile { uvec4 at; uint rows[64]; }"
PAYLOAD = f"{TILE}; taskPayloadSharedEXT Tile tile;"
FILL = "if (gl_LocalInvocationIndex < 64) tile.rows[gl_LocalInvocationIndex] = 255 - gl_LocalInvocationIndex;"
WHERE = "tile.at = uvec4(gl_WorkGroupID, {});"  # by all lanes the same
TASKS = {
    # each row of the picture is drawn as often as there are workgroups that ask for it
    "count.task": _task(f"EmitMeshTasksEXT({ROWS}, 1, 1);"),
    "count.mesh": _row("vec4(0, gl_WorkGroupID.x * 2, 64, 2)", "vec4(1, 2, 3, 4)"),
    "rows.task": _task(f"EmitMeshTasksEXT({ROWS}, 1, 1);", FILL + WHERE.format("7"), extra=PAYLOAD, threads=64),
    "rows_waves.task": _task(f"EmitMeshTasksEXT(1, {ROWS}, 1);", "last = 0; barrier(); atomicAdd(last, 1); barrier();" + FILL + WHERE.format("last - 121"),
                             extra="shared uint last;" + PAYLOAD, threads=128),
    "rows_draws.task": _task(f"EmitMeshTasksEXT({ROWS}, 1, 1);", FILL + WHERE.format("gl_DrawIDARB"), extra=PAYLOAD, threads=64),
    "rows.mesh": _row("vec4(tile.at.x * 16, tile.at.y * 16 + k * 2, 16, 2)", "vec4(tile.rows[k], (tile.at.x + tile.at.y * 4) * 8, tile.at.w * 30, 255)",
                      PAYLOAD, "uint k = gl_WorkGroupID.x + gl_WorkGroupID.y;"),
    # 2 x 3 x 2 meshes of each: their number and that of all
    "grid.task": _task("EmitMeshTasksEXT(2, 3, 2);", "at = gl_WorkGroupID.xy;", "uvec2 at"),
    "grid.mesh": _row("vec4(at * 16 + uvec2(w.x * 8 + w.z * 4, w.y * 4), 4, 4)", "vec4(n.x * 100 + n.y * 10 + n.z, w.x + w.y * n.x + w.z * n.x * n.y, 9, 255)",
                      "taskPayloadSharedEXT uvec2 at;", "uvec3 w = gl_WorkGroupID, n = gl_NumWorkGroups;"),
    # more workgroups than the ring has entries: each a pixel, drawn as often as it asks for
    "many.task": _task("EmitMeshTasksEXT(me % 3, 1, 1);", "me = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;", "uint me", threads=1),
    "many.mesh": _row("vec4(me % 64, me / 64, 1, 1)", "vec4(1, 2, 3, 4)", "taskPayloadSharedEXT uint me;"),
    "tasks.frag": """#extension GL_EXT_mesh_shader : require
        layout(location = 0) perprimitiveEXT in vec4 p_color;
        layout(location = 0) out vec4 f_color;
        void main() { f_color = p_color; }""",
}


TEXT = {
    **TASKS,
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


def _rows(x, y):
    return (x * 3 + y * 5) % 9


def _picture(color):
    """A rule: the pixel at x, y is @color(x, y)."""
    def want(got):
        texels = got["target0"]
        for i in range(SIDE * SIDE):
            x, y = i % SIDE, i // SIDE
            expected = bytes(color(x, y))
            if texels[4 * i:4 * i + 4] != expected:
                return f"pixel {x},{y}: {tuple(texels[4 * i:4 * i + 4])}, expected {tuple(expected)}"
        return ""
    return want


def _tile_rows(last, width=4, height=4):
    """Of @width x @height workgroups; @last: the payload's last number, or for whom it is what."""
    def color(x, y):
        gx, gy, k = x // 16, y // 16, y % 16 // 2
        if gx >= width or gy >= height or k >= _rows(gx, gy):
            return CLEAR
        return (255 - k, (gx + gy * 4) * 8, (last(gx, gy) if callable(last) else last) * 30, 255)
    return _picture(color)


def _grid(x, y):
    w = x % 16 // 8, y % 16 // 4, x % 8 // 4
    return (232, w[0] + w[1] * 2 + w[2] * 6, 9, 255) if w[1] < 3 else CLEAR


def _counted(n):
    return (n, 2 * n, 3 * n, 4 * n)


def _tasks(scene, rgba):
    """Of task shaders."""
    counts = "target R8G8B8A8_UNORM clear 0 0 0 0\nblend 0 one add one\n"
    rows = [_rows(x, y) for x in range(4) for y in range(4)]
    shaders = "task {0}\nmesh {1}\nfrag tasks\n"

    def tasks(name, text, rule):
        scene(f"task_{name}", text, want=_picture(rule) if rule.__code__.co_argcount == 2 else rule)

    tasks("count", counts + shaders.format("count", "count") + "draw_mesh 4 4 1\n", lambda x, y: _counted(sum(n > y // 2 for n in rows)))
    tasks("rows", rgba + shaders.format("rows", "rows") + "draw_mesh 4 4 1\n", _tile_rows(7))
    tasks("waves", rgba + shaders.format("rows_waves", "rows") + "draw_mesh 4 4 1\n", _tile_rows(7))
    tasks("grid", rgba + shaders.format("grid", "grid") + "draw_mesh 4 4 1\n", _grid)
    tasks("nothing", rgba + shaders.format("rows", "rows") + "draw_mesh 4 0 1\n", _tile_rows(7, 0))
    tasks("again", rgba + shaders.format("rows", "rows") + "draw_mesh 2 1 1\ndraw_mesh 0 1 1\ndraw_mesh 1 3 1\ndraw_mesh 3 3 1\n", _tile_rows(7, 3, 3))
    arguments = "buffer a u32 " + " ".join(f"{w} {h} 1 99" for w, h in DRAWS) + "\n"
    packed = "buffer p u32 " + " ".join(f"{w} {h} 1" for w, h in DRAWS) + "\n"
    draws = rgba + shaders.format("rows_draws", "rows") + arguments
    tasks("indirect", draws + f"draw_mesh_indirect a 0 {len(DRAWS)} 16\n", _tile_rows(lambda x, y: _last(DRAWS, x, y), 4, 4))
    tasks("indirect_offset", draws + "draw_mesh_indirect a 16 1 16\n", _tile_rows(0, *DRAWS[1]))
    for n in (0, 2, 9):
        most = min(n, len(DRAWS))
        tasks(f"indirect_count_{n}", draws + packed + f"buffer n u32 5 {n}\ndraw_mesh_indirect_count p 0 n 4 {len(DRAWS)}\n",
              _tile_rows(lambda x, y, most=most: _last(DRAWS[:most], x, y), *(DRAWS[0] if most else (0, 0))))
    tasks("many", counts + shaders.format("many", "many") + "draw_mesh 40 64 1\n", lambda x, y: _counted((x + y * 64) % 3 if x + y * 64 < 2560 else 0))


DRAWS = ((4, 4), (2, 3), (0, 4), (1, 2))  # workgroups of indirect draws


def _last(draws, x, y):
    """The last draw that has workgroup x, y."""
    return max((i for i, (w, h) in enumerate(draws) if x < w and y < h), default=0)


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
    _tasks(scene, rgba)
