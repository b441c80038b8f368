# SPDX-License-Identifier: MIT
"""Scenes of what is counted and what goes to memory: transform feedback, and queries. What must come out is computed here, by Vulkan's rules."""
import struct

import shaders
from scenes import LINES, RGBA, mesh, patch, scene, triangles

VERTEX = 32  # bytes of one in a feedback buffer: position, color

shaders.TEXT["two.vert"] = """layout(location = 0) in vec4 position;
    layout(location = 1) in vec4 color;
    layout(xfb_buffer = 0, xfb_stride = 16) out;
    layout(xfb_buffer = 2, xfb_stride = 24) out;
    layout(location = 0, xfb_buffer = 2, xfb_offset = 8) out vec4 v_color;
    layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex { vec4 gl_Position; };
    void main() { gl_Position = position * vec4(0.5, 0.5, 1, 1); v_color = color + 0.125; }"""
shaders.TEXT["feedback.tese"] = """layout(triangles, equal_spacing, ccw) in;
    layout(location = 0) in vec4 in_color[];
    layout(xfb_buffer = 0, xfb_stride = 32) out;
    layout(location = 0, xfb_buffer = 0, xfb_offset = 16) out vec4 v_color;
    layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex { vec4 gl_Position; };
    void main() { int i = gl_TessCoord.x == 1 ? 0 : gl_TessCoord.y == 1 ? 1 : 2;
        gl_Position = gl_in[i].gl_Position; v_color = in_color[i]; }"""
shaders.TEXT["feedback.geom"] = """layout(triangles) in;
    layout(triangle_strip, max_vertices = 4) out;
    layout(location = 0) in vec4 in_color[];
    layout(xfb_buffer = 0, xfb_stride = 32) out;
    layout(location = 0, xfb_buffer = 0, xfb_offset = 16) out vec4 v_color;
    layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex { vec4 gl_Position; };
    void main() { if (gl_PrimitiveIDIn % 3 == 1) return;
        for (int i = 0; i < (gl_PrimitiveIDIn % 3 == 2 ? 3 : 4); i++) {
            gl_Position = gl_in[i % 3].gl_Position; v_color = in_color[i % 3]; EmitVertex(); } }"""
shaders.TEXT["streams.geom"] = """layout(triangles) in;
    layout(points, max_vertices = 4) out;
    layout(location = 0) in vec4 in_color[];
    layout(xfb_buffer = 0, xfb_stride = 16) out;
    layout(xfb_buffer = 1, xfb_stride = 16) out;
    layout(stream = 0) out;
    layout(stream = 0, xfb_buffer = 0) out gl_PerVertex { layout(xfb_offset = 0) vec4 gl_Position; float gl_PointSize; };
    layout(stream = 1, location = 0, xfb_buffer = 1, xfb_offset = 0) out vec4 other;
    void main() { gl_Position = gl_in[0].gl_Position; gl_PointSize = 1; EmitStreamVertex(0); EndStreamPrimitive(0);
        for (int i = 0; i < (gl_PrimitiveIDIn & 1) + 1; i++) { other = in_color[i]; EmitStreamVertex(1); EndStreamPrimitive(1); } }"""


def f32(v):
    """As the scene's text gives it."""
    return struct.unpack("f", struct.pack("f", float(f"{v:.9g}")))[0]


def through(vertices, order):
    """Bytes of @vertices in @order as feedback.vert gives them."""
    out = b""
    for i in order:
        (x, y, z, w), color = vertices[i]
        out += struct.pack("8f", f32(x) * 0.5, f32(y) * 0.5, f32(z), f32(w), *(f32(c) + 0.125 for c in color))
    return out


def same(vertices, order):
    """Bytes of @vertices in @order, as they are."""
    return b"".join(struct.pack("8f", *map(f32, vertices[i][0] + vertices[i][1])) for i in order)


def difference(what, got, want):
    if got == want:
        return ""
    at = next((i for i in range(min(len(got), len(want))) if got[i] != want[i]), min(len(got), len(want)))
    return f"{what}: byte {at} of {len(want)} differs: {got[at:at + 16].hex()}, expected {want[at:at + 16].hex()}"


def expect(**want):
    """A rule: these results, padded with zeros; `queries` as text."""
    def rule(of):
        for what, value in want.items():
            if isinstance(value, str):
                if of[what].decode() != value:
                    return f"{what}: {of[what].decode()!r}, expected {value!r}"
            elif difference(what, of[what], value.ljust(len(of[what]), b"\0")):
                return difference(what, of[what], value.ljust(len(of[what]), b"\0"))
        return ""
    return rule


def feedback(name, vertices, lines, order, draws, prims, size=8192, shader="feedback", make=through, want=None, **more):
    """Transform feedback of @draws: @order of @vertices in buffer x, @prims of them, all written."""
    scene(f"feedback_{name}", RGBA + mesh("v", vertices, shader) + f"buffer x zeros {size}\nout x\nbuffer c u32 0\nout c\n" + lines +
          f"feedback x c\nquery feedback\n{draws}query end\nfeedback end\nquery generated\n{draws}query end\n", edge=0.02,
          want=want or expect(x=make(vertices, order), c=struct.pack("I", VERTEX * len(order)),
                              queries=f"feedback {prims} {prims}\ngenerated {prims}\n"),
          **more)


T6, T5 = triangles(200, 2), triangles(201, 2)[:5]
feedback("list", T6, "", range(6), "draw 6\n", 2)
feedback("list_rest", T6, "", range(3), "draw 5\n", 1)
feedback("strip", T5, "topology triangle_strip\n", (0, 1, 2, 1, 3, 2, 2, 3, 4), "draw 5\n", 3)
feedback("fan", T5, "topology triangle_fan\n", (1, 2, 0, 2, 3, 0, 3, 4, 0), "draw 5\n", 3)
feedback("points", T5, "topology points\n", range(5), "draw 5\n", 5)
feedback("lines", T6, "topology lines\n", range(6), "draw 6\n", 3, loose=("target0",))
feedback("line_strip", T5, "topology line_strip\n", (0, 1, 1, 2, 2, 3, 3, 4), "draw 5\n", 4, loose=("target0",))
feedback("first", T6, "", (3, 4, 5), "draw 3 1 3\n", 1)
feedback("instances", T6, "", list(range(3)) * 3, "draw 3 3\n", 3)
feedback("restart", T6, "topology triangle_strip\nrestart on\nbuffer i u16 0 1 2 3 65535 5 4 2\nindex i u16\n", (0, 1, 2, 1, 3, 2, 5, 4, 2),
         "draw_indexed 8\n", 3)
MANY = triangles(202, 90)
feedback("many", MANY, "", range(270), "draw 270\n", 90, size=16384)
feedback("draws", MANY, "", [*range(90), *range(30, 60), *range(120, 240)], "draw 90\ndraw 30 1 30\ndraw 120 1 120\n", 80, size=16384)
STRIP = MANY[:200]
feedback("long_strip", STRIP, "topology triangle_strip\n", [k for i in range(198) for k in ((i, i + 1, i + 2) if i % 2 == 0 else (i, i + 2, i + 1))],
         "draw 200\n", 198, size=32768)
feedback("discard", T6, "discard on\n", range(6), "draw 6\n", 2)


def rotated(of):
    """Two triangles, clockwise by their vertices: `ccw` with the domain's origin above. Which comes first is left open."""
    want = [[tuple(p + (k - i) % 3 for i in range(3)) for k in range(3)] for p in (0, 3)]
    allowed = [same(T6, a + b).ljust(8192, b"\0") for a in want[0] for b in want[1]]
    return "" if of["x"] in allowed and of["queries"] == b"feedback 2 2\n" else f"{of['x'][:16].hex()} {of['queries']}"


scene("feedback_tessellated", RGBA + mesh("v", T6, "through") + "tesc same\ntese feedback\ntopology patches\npatch 3\nbuffer x zeros 8192\nout x\n"
      "buffer c u32 0\nfeedback x c\nquery feedback\ndraw 6\nquery end\nfeedback end\n", edge=0.02, loose=("x",), want=rotated)
G9 = triangles(203, 9)
GEOM = [k for p in range(9) for k in ((3 * p, 3 * p + 1, 3 * p + 2, 3 * p + 1, 3 * p, 3 * p + 2) if p % 3 == 0 else
                                      () if p % 3 == 1 else (3 * p, 3 * p + 1, 3 * p + 2))]


def turned(of):
    """Triangles of strips: with which vertex RADV begins each is not what lavapipe does."""
    got = [of["x"][i:i + 3 * VERTEX] for i in range(0, 9 * 3 * VERTEX, 3 * VERTEX)]
    for i, triangle in enumerate(got):
        v = GEOM[3 * i:3 * i + 3]
        if triangle not in [same(G9, [v[(k + j) % 3] for j in range(3)]) for k in range(3)]:
            return f"triangle {i}: {triangle.hex()}"
    want = b"feedback 9 9\ngenerated 9\n"
    return "" if of["queries"] == want and not any(of["x"][9 * 3 * VERTEX:]) else f"{of['queries']}"


feedback("geometry", G9, "geom feedback\n", GEOM, "draw 27\n", 9, shader="through", loose=("x",), want=turned)

BUFFERS = "buffer x zeros {0}\nout x\nbuffer c u32 {1}\nout c\n"
# What the counter stops at, one draw goes on from; an offset is left free.
scene("feedback_resume", RGBA + mesh("v", T6, "feedback") + BUFFERS.format(1024, 64) +
      "feedback x c\ndraw 3\nfeedback end\ndraw 6\nfeedback x c\ndraw 3 1 3\nfeedback end\n",
      want=expect(x=bytes(64) + through(T6, range(6)), c=struct.pack("I", 64 + 6 * VERTEX)))
# Room for one triangle and two vertices of the next: whole primitives only.
scene("feedback_full", RGBA + mesh("v", T6, "feedback") + BUFFERS.format(5 * VERTEX, 0) +
      "feedback x c\nquery feedback\ndraw 6\ndraw 3\nquery end\nfeedback end\n", loose=("c",),
      want=expect(x=through(T6, range(3)), queries="feedback 1 3\n"))
TWO = [struct.unpack("8f", through(T6, [i])) for i in range(6)]
scene("feedback_buffers", RGBA + mesh("v", T6, "two") + BUFFERS.format(1024, 0) + "buffer y zeros 1024\nout y\nbuffer d u32 0\nout d\nbuffer z zeros 64\n" +
      "feedback x c z z y d\nquery feedback\ndraw 6\nquery end\nfeedback end\n",
      want=expect(x=b"".join(struct.pack("4f", *v[:4]) for v in TWO), y=b"".join(bytes(8) + struct.pack("4f", *v[4:]) for v in TWO),
                  c=struct.pack("I", 96), d=struct.pack("I", 144), queries="feedback 2 2\n"))
STREAMS = [b"".join(struct.pack("4f", *map(f32, G9[3 * p][0])) for p in range(9)),
           b"".join(struct.pack("4f", *map(f32, G9[3 * p + i][1])) for p in range(9) for i in range((p & 1) + 1))]
for stream, prims in ((0, 9), (1, 13)):
    scene(f"feedback_stream_{stream}", RGBA + mesh("v", G9, "through", "white") + "geom streams\n" + BUFFERS.format(1024, 0) +
          f"buffer y zeros 1024\nout y\nbuffer d u32 0\nout d\nfeedback x c y d\nquery feedback {stream}\ndraw 27\nquery end\nfeedback end\n",
          want=expect(x=STREAMS[0], y=STREAMS[1], c=struct.pack("I", 144), d=struct.pack("I", 208), queries=f"feedback {prims} {prims}\n"))
scene("feedback_draw", RGBA + mesh("v", T6, "feedback") + BUFFERS.format(1024, 0) + "feedback x c\ndraw 6\nfeedback end\n" +
      "vert color\nno_vertices\nvertices x 32\nattribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 0 R32G32B32A32_SFLOAT 16\n"
      "query generated\ndraw_feedback c 32\nquery end\n", want=expect(queries="generated 2\n"))


def statistics(name, lines, draw, want):
    """@want: 11 numbers in the order of the bits, each one number or (least, most)."""
    def rule(of):
        got = [int(n) for n in of["queries"].split()[1:12]]
        for i, (n, w) in enumerate(zip(got, want)):
            low, high = w if isinstance(w, tuple) else (w, w)
            if not low <= n <= high:
                return f"number {i} of {got} is not {w}"
        return ""
    scene(f"statistics_{name}", RGBA + lines + f"query statistics\n{draw}query end\n", edge=0.02, loose=("queries",), want=rule)


# A square of 32 pixels, and what each must count: vertices, primitives, VS, GS, its primitives, clipped, out, PS, patches, TES, CS.
SQUARE = [((x, y, 0.5, 1), (1, 0, 0, 1)) for x, y in ((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5))]
LIST = [SQUARE[i] for i in (0, 1, 2, 1, 3, 2)]
ANY = (0, 1 << 40)
PIXELS = (1024, 1024 + 256)  # helper invocations may count
statistics("list", mesh("v", LIST), "draw 6\n", (6, 2, (4, 6), 0, 0, 2, 2, PIXELS, 0, 0, 0))
statistics("strip", mesh("v", SQUARE) + "topology triangle_strip\n", "draw 4\n", (4, 2, (4, 6), 0, 0, 2, 2, PIXELS, 0, 0, 0))
statistics("indexed", mesh("v", SQUARE) + "buffer i u16 0 1 2 1 3 2\nindex i u16\n", "draw_indexed 6 2\n", (12, 4, (8, 12), 0, 0, 4, 4, (2048, 2560), 0, 0, 0))
statistics("points", mesh("v", SQUARE, "points") + "topology points\n", "draw 4\n", (4, 4, 4, 0, 0, 4, 4, (4, 64), 0, 0, 0))
statistics("discard", mesh("v", LIST) + "discard on\n", "draw 6\n", (6, 2, (4, 6), 0, 0, (0, 2), (0, 2), 0, 0, 0, 0))
statistics("outside", mesh("v", [((x + 3, y, z, w), c) for (x, y, z, w), c in LIST]), "draw 6\n", (6, 2, (4, 6), 0, 0, 2, 0, 0, 0, 0, 0))
# A point of 16x16 pixels whose middle lies 4 pixels outside: its 4 columns inside are drawn, so clipping lets it through.
statistics("point_reaching_in", mesh("v", [((1.125, 0, 0.5, 16), (1, 0, 0, 1))], "points") + "topology points\n", "draw 1\n",
           (1, 1, 1, 0, 0, 1, 1, (64, 128), 0, 0, 0))
statistics("geometry", mesh("v", LIST, "through") + "geom same\n", "draw 6\n", (6, 2, (4, 6), 2, 2, 2, 2, PIXELS, 0, 0, 0))
statistics("geometry_twice", mesh("v", LIST, "through") + "geom twice\n", "draw 6\n", (6, 2, (4, 6), (2, 4), 8, 8, 8, ANY, 0, 0, 0))  # lavapipe: 2
statistics("tessellation", mesh("v", LIST, "through") + "tesc same\ntese same\ntopology patches\npatch 3\n", "draw 6\n",
           (6, 2, (4, 6), 0, 0, 2, 2, PIXELS, 2, 6, 0))
statistics("mesh", "mesh triangles\nfrag color\n", "draw_mesh 2 2 1\n", (0, 0, 0, 0, 0, 4, (1, 4), ANY, 0, 0, 0))
statistics("nothing", mesh("v", LIST), "", (0,) * 11)


def occlusion(name, lines, draws, want):
    scene(f"occlusion_{name}", RGBA + lines + draws, want=expect(queries="".join(f"occlusion {n}\n" for n in want)))


occlusion("full", mesh("v", LIST), "query precise\ndraw 6\nquery end\n", (1024,))
occlusion("two", mesh("v", LIST), "query precise\ndraw 6\nquery end\ndraw 6\nquery precise\ndraw 3\ndraw 6\ndraw 3 1 3\nquery end\n", (1024, 2048))
occlusion("nothing", mesh("v", LIST), "query precise\nquery end\n", (0,))
occlusion("samples", "samples 4\n" + mesh("v", LIST), "query precise\ndraw 6\nquery end\n", (4096,))
occlusion("scissor", mesh("v", LIST) + "scissor 0 16 16 5 7\n", "query precise\ndraw 6\nquery end\n", (35,))
occlusion("discarded", mesh("v", LIST, frag="discard"), "query precise\ndraw 6\nquery end\n", (512,))
occlusion("depth", "depth D32_SFLOAT clear 0.5\ndepth_test on\ndepth_compare less\n" + mesh("v", LIST),
          "query precise\ndraw 6\nquery end\nviewport 0 0 0 64 64 0 0.5\nquery precise\ndraw 6\nquery end\n", (0, 1024))
occlusion("mask", "samples 4\n" + mesh("v", LIST) + "sample_mask 5\n", "query precise\ndraw 6\nquery end\n", (2048,))


def ordered(of):
    at = [int(line.split()[1]) for line in of["queries"].decode().splitlines()]
    return "" if len(at) == 3 and 0 < at[0] <= at[1] <= at[2] and at[0] < at[2] else str(at)


scene("timestamps", RGBA + mesh("v", LIST) + "query timestamp\ndraw 6\nquery timestamp\ndraw 6\nquery timestamp\n", loose=("queries",), want=ordered)
scene("generated_geometry", RGBA + mesh("v", LIST, "through") + "geom twice\nquery generated\ndraw 6\nquery end\n", want=expect(queries="generated 8\n"))
scene("generated_discard", RGBA + mesh("v", LIST) + "discard on\nquery generated\ndraw 6\nquery end\n", want=expect(queries="generated 2\n"))
