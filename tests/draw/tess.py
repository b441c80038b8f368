# SPDX-License-Identifier: MIT
"""Scenes of tessellation, beyond one patch in each mode: TEXT are shaders, add() adds scenes."""

_PUSH = "layout(push_constant) uniform Push { vec4 a, b, c, d; } push;\n"
_PASS = "gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"

TEXT = {
    # Levels of each patch by its number; all outputs of the patch and of its points are used.
    "patches.tesc": """layout(vertices = 3) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 out_color[];
        layout(location = 1) patch out vec4 tint;
        void main() { """ + _PASS + """
            out_color[gl_InvocationID] = in_color[gl_InvocationID];
            tint = vec4(gl_PrimitiveID % 7, gl_PrimitiveID % 5, gl_PrimitiveID % 3, gl_PatchVerticesIn) / 8.0;
            gl_TessLevelOuter[0] = 1 + gl_PrimitiveID % 5; gl_TessLevelOuter[1] = 1 + gl_PrimitiveID % 3;
            gl_TessLevelOuter[2] = 1.5 + gl_PrimitiveID % 4; gl_TessLevelInner[0] = gl_PrimitiveID % 6; }""",
    "patches.tese": """layout(triangles, fractional_odd_spacing, ccw) in;
        layout(location = 0) in vec4 in_color[];
        layout(location = 1) patch in vec4 tint;
        layout(location = 0) out vec4 v_color;
        void main() { vec3 t = gl_TessCoord;
            gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
            v_color = (t.x * in_color[0] + t.y * in_color[1] + t.z * in_color[2]) * 0.5 + tint * 0.25 +
                vec4(gl_PrimitiveID % 4, gl_TessLevelOuter[0], gl_TessLevelInner[0], 0) / 32.0; }""",
    # Each invocation makes a corner out of the one point of the patch, and of another's corner.
    "corners.tesc": """layout(vertices = 4) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 out_color[];
        void main() { int i = gl_InvocationID;
            gl_out[gl_InvocationID].gl_Position = gl_in[0].gl_Position + vec4((i & 1) * 0.3, (i >> 1) * 0.3, 0, 0);
            barrier();
            out_color[gl_InvocationID] = in_color[0] * 0.5 + vec4(abs(gl_out[3 - i].gl_Position.xy), 0, 0) * 0.5;
            if (i == 0) { gl_TessLevelOuter[0] = gl_TessLevelOuter[2] = 3; gl_TessLevelOuter[1] = gl_TessLevelOuter[3] = 2;
                gl_TessLevelInner[0] = 4; gl_TessLevelInner[1] = 5; } }""",
    "corners.tese": """layout(quads, equal_spacing, cw) in;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { vec2 t = gl_TessCoord.xy;
            gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x), mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);
            v_color = mix(mix(in_color[0], in_color[1], t.x), mix(in_color[2], in_color[3], t.x), t.y); }""",
    # Three points of the patch become one.
    "middle.tesc": """layout(vertices = 1) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 out_color[];
        void main() {
            gl_out[gl_InvocationID].gl_Position = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3;
            out_color[gl_InvocationID] = (in_color[0] + in_color[1] + in_color[2]) / 3;
            gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2; gl_TessLevelInner[0] = 3; }""",
    "middle.tese": """layout(triangles, equal_spacing, ccw) in;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { gl_Position = gl_in[0].gl_Position + vec4(gl_TessCoord.x - 0.3, gl_TessCoord.y - 0.3, 0, 0) * 0.5;
            v_color = in_color[0] + vec4(gl_TessCoord * 0.25, 0); }""",
    # Levels that cull: 0, less, not a number, in different places.
    "culled.tesc": """layout(vertices = 3) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 out_color[];
        void main() { """ + _PASS + """
            out_color[gl_InvocationID] = in_color[gl_InvocationID];
            int n = gl_PrimitiveID % 8;
            gl_TessLevelOuter[0] = n == 1 ? 0 : n == 5 ? -2 : 2; gl_TessLevelOuter[1] = n == 2 ? uintBitsToFloat(0x7fc00000u) : 3;
            gl_TessLevelOuter[2] = n == 3 ? -1 : 1; gl_TessLevelInner[0] = n == 4 ? 0 : n == 6 ? -1 : 2; }""",
    "points.tese": """layout(quads, fractional_even_spacing, point_mode) in;
        layout(location = 0) out vec4 v_color;
        void main() { vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position, c = gl_in[2].gl_Position, d = gl_in[3].gl_Position;
            gl_Position = mix(mix(a, b, gl_TessCoord.x), mix(c, d, gl_TessCoord.x), gl_TessCoord.y); gl_PointSize = 3;
            v_color = vec4(gl_TessCoord, 1); }""",
    "quarter.frag": "layout(location = 0) out vec4 f_color;\nvoid main() { f_color = vec4(0.25); }",
    # 32 points of 32, each with something of its neighbour's.
    "wide.tesc": """layout(vertices = 32) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 out_color[];
        void main() { int next = (gl_InvocationID + 1) % 32;
            gl_out[gl_InvocationID].gl_Position = (gl_in[gl_InvocationID].gl_Position + gl_in[next].gl_Position) / 2;
            out_color[gl_InvocationID] = in_color[31 - gl_InvocationID];
            gl_TessLevelOuter[0] = 2; gl_TessLevelOuter[1] = 31; }""",
    "wide.tese": """layout(isolines, equal_spacing) in;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { int i = int(gl_TessCoord.x * 31 + 0.5);
            gl_Position = gl_in[i].gl_Position + vec4(0, gl_TessCoord.y * 0.1, 0, 0); v_color = in_color[i]; }""",
    "next.tesc": """layout(vertices = 3) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 out_color[];
        void main() { int next = (gl_InvocationID + 1) % 3;
            gl_out[gl_InvocationID].gl_Position = gl_in[next].gl_Position; out_color[gl_InvocationID] = in_color[next] * 0.5 + in_color[0] * 0.5;
            gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2; }""",
    "curve.geom": """layout(triangles, invocations = 2) in;
        layout(triangle_strip, max_vertices = 3) out;
        layout(location = 0) in vec4 in_color[];
        layout(location = 0) out vec4 v_color;
        void main() { for (int i = 0; i < 3; i++) {
            gl_Position = gl_in[i].gl_Position * vec4(0.5, 0.5, 1, 1) + vec4(gl_InvocationID - 0.5, 0.2 * gl_InvocationID, 0, 0);
            v_color = in_color[i] * 0.75 + vec4(0, 0, gl_InvocationID, 0) / 8.0; EmitVertex(); } }""",
}
for _n in (0, 1):
    TEXT[f"all{_n}.tesc"] = ("layout(vertices = 4) out;\nvoid main() { " + _PASS +
                             f"for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = {_n}; gl_TessLevelInner[0] = gl_TessLevelInner[1] = {_n}; }}")
# All sides of patches are split alike, the insides not: sheets of patches have neither holes nor overlaps.
for _n, _name in ((3, "triangles"), (4, "quads")):
    TEXT[f"sealed_{_name}.tesc"] = f"layout(vertices = {_n}) out;\nvoid main() {{ {_PASS}" + """
        for (int i = 0; i < 4; i++) gl_TessLevelOuter[i] = 3.7;
        gl_TessLevelInner[0] = 3 + gl_PrimitiveID % 7 * 0.9; gl_TessLevelInner[1] = 8 - gl_PrimitiveID % 5; }"""
for _spacing in ("equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"):
    TEXT[f"sealed_triangles_{_spacing}.tese"] = f"""layout(triangles, {_spacing}, cw) in;
        void main() {{ precise vec4 p = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
            gl_Position = p; }}"""
    TEXT[f"sealed_quads_{_spacing}.tese"] = f"""layout(quads, {_spacing}, cw) in;
        void main() {{ vec2 t = gl_TessCoord.xy;
            precise vec4 a = gl_in[0].gl_Position * (1 - t.x) + gl_in[1].gl_Position * t.x;
            precise vec4 b = gl_in[2].gl_Position * (1 - t.x) + gl_in[3].gl_Position * t.x;
            precise vec4 p = a * (1 - t.y) + b * t.y; gl_Position = p; }}"""
TEXT["quads_cw.tese"] = TEXT["points.tese"].replace("fractional_even_spacing, point_mode", "equal_spacing, cw")


def _grid(across, down, corners):
    """Small patches side by side, that do not touch."""
    out = []
    for i in range(across * down):
        x, y = (round((k + 0.1) / n * 64) * 2 / 64 - 1 for k, n in ((i % across, across), (i // across, down)))
        for c in range(corners):
            at = (x + (c % 2) * 1.5 / across, y + (c // 2) * 1.5 / down)
            out.append(((*at, 0.5, 1), ((i * 37 + c * 91) % 256 / 255, (i * 11 + c * 50) % 256 / 255, c / 4, 1)))
    return out


def _sheet(n):
    """Patches of four corners side by side over the whole picture."""
    def corner(i, j):
        return ((i / n * 2 - 1 + (0.07 if 0 < i < n else 0) * (j % 3), j / n * 2 - 1 - (0.05 if 0 < j < n else 0) * (i % 3), 0.5, 1), (1, 1, 1, 1))

    return [corner(i + a, j + b) for j in range(n) for i in range(n) for a, b in ((0, 0), (1, 0), (0, 1), (1, 1))]


def _halves(sheet):
    """Two patches of three corners of each of four."""
    return [sheet[i + k] for i in range(0, len(sheet), 4) for k in (0, 1, 2, 2, 1, 3)]


def _once(of):
    """Each pixel has been drawn once."""
    values = set(of["target0"])
    return "" if values == {64} else f"values {sorted(values)}"


def _counted(of):
    """Vertices, patches, vertex shaders, hull shaders; points: some may be shaded more than once."""
    n = [int(v) for v in of["queries"].split()[1:]]
    return "" if n[:3] + n[8:9] == [300, 100, 300, 100] and 1560 <= n[9] < 2 * 1560 else str(n)


def add(scene, mesh, patch, rgba):
    def draw(name, vertices, corners, stages, rest, **more):
        scene(f"tessellation_{name}", rgba + mesh("v", vertices, "through") + stages + f"topology patches\npatch {corners}\n" + rest, **more)

    square = patch(-0.8, -0.9, 0.7, 0.8)
    draw("many", _grid(10, 10, 3), 3, "tesc patches\ntese patches\n", "draw 300\n")
    draw("instances", _grid(7, 7, 3), 3, "tesc patches\ntese patches\n", "draw 75 2 12\n")
    draw("indexed", _grid(5, 5, 3), 3, "tesc patches\ntese patches\n",
         "buffer i u16 " + " ".join(str((i * 7) % 75) for i in range(66)) + "\nindex i u16\ndraw_indexed 66\n")
    draw("corners", _grid(6, 6, 1), 1, "tesc corners\ntese corners\n", "draw 36\n")
    draw("middle", _grid(9, 9, 3), 3, "tesc middle\ntese middle\n", "draw 243\n")
    draw("culled", _grid(8, 8, 3), 3, "tesc culled\ntese patches\n".replace("tese patches", "tese same"), "draw 192\n")
    draw("most", square, 4, "tesc push\ntese quads_equal\n", "push f32 64 64 64 64 64 64 0 0\ndraw 4\n")
    draw("most_odd", square, 4, "tesc push\ntese triangles_odd\n", "push f32 63 62.5 64 0 62.9 0 0 0\ndraw 4\n")
    draw("points", square, 4, "tesc push\ntese points\n", "push f32 3 4.5 5 6 7 8 0 0\ndraw 4\n")
    for side in ("front", "back"):
        draw(f"cull_{side}", square, 4, "tesc push\ntese quads_cw\n", f"cull {side}\npush f32 3 4 5 2 3 4 0 0\ndraw 4\n")
        draw(f"ccw_cull_{side}", square, 4, "tesc push\ntese triangles_even\n", f"cull {side}\npush f32 3 4 5 2 3 4 0 0\ndraw 4\n")
    draw("all_0", square, 4, "tesc all0\ntese quads_equal\n", "draw 4\n")
    draw("all_1", square, 4, "tesc all1\ntese quads_equal\n", "draw 4\n")
    draw("all_1_even", square, 4, "tesc all1\ntese quads_even\n", "draw 4\n")
    draw("geometry", _grid(8, 8, 3), 3, "tesc patches\ntese patches\ngeom curve\n", "draw 192\n")
    draw("wide", [((-0.95 + 0.006 * (i * 7 % 300), -0.9 + i * 0.01, 0.5, 1), (i % 32 / 31, i // 32 / 5, 0.5, 1)) for i in range(160)], 32,
         "tesc wide\ntese wide\n", "draw 160\n", edge=0.03, step=6)
    draw("next", _grid(8, 8, 3), 3, "tesc next\ntese same\n", "draw 192\n")
    for spacing in ("equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"):
        for domain, corners, vertices in (("quads", 4, _sheet(5)), ("triangles", 3, _halves(_sheet(5)))):
            scene(f"tessellation_sealed_{domain}_{spacing}", "target R8G8B8A8_UNORM clear 0 0 0 0\n" + mesh("v", vertices, "through", "quarter") +
                  f"tesc sealed_{domain}\ntese sealed_{domain}_{spacing}\ntopology patches\npatch {corners}\nblend 0 one add one\ndraw {len(vertices)}\n", want=_once)
    draw("statistics", _grid(10, 10, 3), 3, "tesc patches\ntese patches\n", "query statistics\ndraw 300\nquery end\n", loose=("queries",), want=_counted)
