# SPDX-License-Identifier: MIT
"""The scenes: each a name and the text of README.md. What they show is compared with lavapipe, and where `want` is given with that.

scene(NAME, TEXT, ...):
  edge   the share of pixels that may differ at edges; compare.EDGE if not given
  step   by how much a texel may differ; the format's own if not given
  want   function of the results {what: bytes}: "" or what is wrong; asked on lavapipe, too
  mixed  the share of pixels that may differ in any way (compare.py)
  loose  results that are not compared with lavapipe, since Vulkan leaves them open
"""
import dataclasses
import random
import struct

import compare
import coverage
import meshes
import tess

SCENES = []
RGBA = "target R8G8B8A8_UNORM clear 0.2 0.2 0.2 1\n"


@dataclasses.dataclass
class Scene:
    name: str
    text: str
    edge: float
    step: object  # a number, or by result: {"target0": 3}
    want: object
    loose: tuple
    mixed: float


def scene(name, text, edge=compare.EDGE, step=None, want=None, loose=(), mixed=0):
    SCENES.append(Scene(name, text, edge, step, want, tuple(loose), mixed))


def floats(name, values):
    return f"buffer {name} f32 " + " ".join(f"{v:.9g}" for v in values) + "\n"


def mesh(name, vertices, shader="color", frag="color"):
    """Vertices ((x, y, z, w), (r, g, b, a)) in a buffer, and the shaders that show them."""
    return (floats(name, [v for p, c in vertices for v in (*p, *c)]) +
            f"vertices {name} 32\nattribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 0 R32G32B32A32_SFLOAT 16\n"
            f"vert {shader}\nfrag {frag}\n")


def triangles(seed, n, low=-1.2, high=1.2, z=(0.0, 1.0), w=(1.0, 1.0), size=(64, 64)):
    """Random ones; coordinates are whole 1/256ths of a pixel of a picture of that size where w is 1."""
    r = random.Random(seed)
    out = []
    for _ in range(3 * n):
        v = r.uniform(*w)
        x, y = (round(r.uniform(low, high) * 128 * of) / (128 * of) * v for of in size)
        out.append(((x, y, round(r.uniform(*z) * 1024) / 1024 * v, v), tuple(r.randrange(256) / 255 for _ in range(4))))
    return out


def one(z=0.5, color=None):
    """A triangle that fills most of the picture."""
    places = ((-0.9, -0.8), (0.85, -0.6), (-0.3, 0.9))
    colors = color and (color,) * 3 or ((1, 0, 0, 1), (0, 1, 0, 0.5), (0, 0, 1, 0.25))
    return [((x, y, z, 1), c) for (x, y), c in zip(places, colors)]


def quad(x0, y0, x1, y1, z=0.5, color=(1, 1, 1, 1)):
    """Two triangles."""
    a, b, c, d = ((x0, y0), (x1, y0), (x0, y1), (x1, y1))
    return [((x, y, z, 1), color) for x, y in (a, b, c, c, b, d)]


def patch(x0, y0, x1, y1):
    """Four corners, row after row."""
    corners = quad(x0, y0, x1, y1)
    return [corners[0], corners[1], corners[2], corners[5]]


def u32(data):
    return [v for (v,) in struct.iter_unpack("<I", data)]


# The first ones: a triangle by its number, attributes, indices, instances, depth.
scene("triangle", RGBA + "vert number\nfrag white\ndraw 3\n")
scene("attributes", RGBA + mesh("v", one()) + "draw 3\n")
scene("perspective", RGBA + mesh("v", triangles(1, 3, w=(0.5, 3.0))) + "draw 9\n")
scene("soup", RGBA + mesh("v", triangles(2, 30)) + "draw 90\n")
scene("clipped", RGBA + mesh("v", triangles(3, 12, -3, 3, (-0.5, 1.5), (-1.0, 2.0))) + "draw 36\n")

STRIP = [((x * 0.2 - 0.9, (x & 1) * 0.7 - 0.35 + x * 0.03, 0.5, 1), (x / 9, 1 - x / 9, (x & 1), 1)) for x in range(10)]
for index, most in (("u16", 0xffff), ("u32", 0xffffffff), ("u8", 0xff)):
    numbers = "0 1 2 2 1 3 4 5 6 7 8 9"
    scene(f"indexed_{index}", RGBA + mesh("v", STRIP) + f"buffer i {index} {numbers}\nindex i {index}\n"
          "draw_indexed 12\n")
    scene(f"restart_{index}", RGBA + mesh("v", STRIP) + f"buffer i {index} 0 1 2 3 {most} 4 5 6 {most} {most} 7 8 9\nindex i {index}\n"
          "topology triangle_strip\nrestart on\ndraw_indexed 13\n")
scene("base_vertex", RGBA + mesh("v", STRIP) + "buffer i u16 0 0 1 2 2 1 3\nindex i u16\ndraw_indexed 6 1 1 4\n")
scene("scratch_vertex", RGBA + mesh("v", triangles(5, 24), "scratch", "color") + "draw 72\n")
scene("scratch_pixel", RGBA + mesh("v", one(), "color", "scratch") + "draw 3\n")
scene("first_vertex", RGBA + mesh("v", STRIP) + "draw 6 1 3\n")
scene("instanced", RGBA + mesh("v", one(), "instance") + floats("p", [-0.5, -0.5, 0.4, 0.4, 0.5, -0.5, 0.5, 0.3, 0, 0.5, 0.45, 0.5, 0.1, 0, 0.2, 0.2]) +
      "vertices p 16 instance 1\nattribute 2 1 R32G32B32A32_SFLOAT 0\ndraw 3 3 0 1\n")
scene("divisor", RGBA + mesh("v", one(), "instance") + floats("p", [-0.5, -0.5, 0.4, 0.4, 0.5, 0.5, 0.5, 0.3]) +
      "vertices p 16 instance 2\nattribute 2 1 R32G32B32A32_SFLOAT 0\ndraw 3 4\n")
scene("nothing", RGBA + mesh("v", one()) + "draw 0\ndraw 0 4000000000\ndraw 3 0\ndraw 2\n")
scene("discarded", RGBA + mesh("v", one()) + "discard on\ndraw 3\n")

# Topologies
for topology in ("triangle_strip", "triangle_fan", "triangles"):
    scene(topology, RGBA + mesh("v", STRIP) + f"topology {topology}\ndraw 10\n")
    scene(f"{topology}_flat", RGBA + mesh("v", STRIP, "flat", "flat") + f"topology {topology}\ndraw 10\n")
    scene(f"{topology}_flat_last", RGBA + mesh("v", STRIP, "flat", "flat") + f"topology {topology}\nprovoking last\ndraw 10\n")
    scene(f"{topology}_primitive", RGBA + mesh("v", STRIP, "color", "primitive") + f"topology {topology}\ndraw 10\n")
LINES = [((x * 0.37 % 1.7 - 0.85, x * 0.59 % 1.7 - 0.85, 0.5, 1), (x / 12, 1 - x / 12, 0.5, 1)) for x in range(12)]
for topology in ("lines", "line_strip"):
    scene(topology, RGBA + mesh("v", LINES) + f"topology {topology}\ndraw 12\n", edge=0.03)
    # By diamonds, which leave no choice.
    scene(f"{topology}_bresenham", RGBA + mesh("v", LINES) + f"topology {topology}\nline_mode bresenham\ndraw 12\n")
POINTS = [((x * 0.31 % 1.8 - 0.9, x * 0.53 % 1.8 - 0.9, 0.5, size), (x / 9, 1 - x / 9, 0.5, 1))
          for x, size in enumerate((1, 2, 3, 4, 7.5, 8, 12, 16, 1))]
scene("points", RGBA + mesh("v", POINTS, "points") + "topology points\ndraw 9\n", edge=0.01)
scene("point_coord", RGBA + mesh("v", POINTS, "points", "point_coord") + "topology points\ndraw 9\n", edge=0.01, step=4)
scene("wide_lines", RGBA + mesh("v", LINES) + "topology lines\nline_width 3\ndraw 12\n", edge=0.05)
for polygon in ("line", "point"):
    scene(f"polygon_{polygon}", RGBA + mesh("v", STRIP) + f"topology triangle_strip\npolygon {polygon}\nline_mode bresenham\ndraw 6\n", edge=0.01)

# Facing and culling, depth, stencil
for front in ("ccw", "cw"):
    for cull in ("front", "back", "both"):
        scene(f"cull_{cull}_{front}", RGBA + mesh("v", triangles(7, 12)) + f"cull {cull}\nfront {front}\ndraw 36\n")
    scene(f"facing_{front}", RGBA + mesh("v", triangles(8, 12), "color", "facing") + f"front {front}\ndraw 36\n")
DEEP = "depth_test on\ndepth_write on\ndepth_compare less\n"
for depth in ("D32_SFLOAT", "D16_UNORM", "D32_SFLOAT_S8_UINT"):
    scene(f"depth_{depth}", RGBA + f"depth {depth} clear 1\n" + DEEP + mesh("v", triangles(9, 20)) + "draw 60\n")
for number, op in enumerate(("never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always")):
    scene(f"compare_{op}", RGBA + "depth D32_SFLOAT clear 0.5\ndepth_test on\ndepth_write on\n" + mesh("v", one(0.5) + triangles(10 + number, 8)) +
          f"depth_compare {op}\ndraw 27\n", mixed=compare.EDGE)
scene("depth_read_only", RGBA + "depth D32_SFLOAT clear 0.5\ndepth_test on\ndepth_compare less\n" + mesh("v", triangles(20, 20)) + "draw 60\n")
scene("depth_only", "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(21, 20), "color", "depth_only") + "draw 60\n")
scene("depth_bias", RGBA + "depth D32_SFLOAT clear 1\ndepth_compare less\ndepth_test on\ndepth_write on\n" + mesh("v", triangles(22, 6)) +
      "draw 18\nbias 4 0 1.5\ndepth_compare less_equal\ndraw 18\n", loose=("target0",))
scene("depth_bias_d16", "depth D16_UNORM clear 1\n" + DEEP + mesh("v", triangles(23, 6)) + "bias 0 0 -2\ndraw 18\n", step=2, mixed=compare.EDGE)
scene("depth_bounds", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(24, 12)) + "draw 18\nbounds 0.25 0.75\ndraw 18 1 18\n")


def columns(*colors, step=1):
    """A rule: the picture is columns of these RGBA colours of bytes, which are 16 pixels wide, all the way down."""
    def rule(of):
        got = of["target0"]
        for y in range(64):
            for x in range(64):
                at = 4 * (64 * y + x)
                if any(abs(a - b) > step for a, b in zip(got[at:at + 4], colors[x // 16 % len(colors)])):
                    return f"pixel {x},{y}: {tuple(got[at:at + 4])}, expected {colors[x // 16 % len(colors)]}"
        return ""
    return rule


# Depths 0.1, 0.25, 0.6, 0.9 in four columns; what is drawn then is in front of all and seen where the depth that was is in the bounds.
BOUNDS = [v for n, z in enumerate((0.1, 0.25, 0.6, 0.9)) for v in quad(n / 2 - 1, -1, n / 2 - 0.5, 1, z, (0, 0, 1, 1))]
scene("depth_bounds_rule", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", BOUNDS + quad(-1, -1, 1, 1, 0, (1, 0, 0, 1))) +
      "draw 24\nbounds 0.25 0.75\ndraw 6 1 24\n", want=columns((0, 0, 255, 255), (255, 0, 0, 255), (255, 0, 0, 255), (0, 0, 255, 255)))
scene("depth_clamp", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(25, 12, z=(-0.8, 1.8))) + "depth_clamp on\ndraw 36\n")
scene("depth_no_clip", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(26, 12, z=(-0.2, 1.2))) +
      "depth_clamp on\ndepth_clip on\ndraw 36\n")
scene("depth_range", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(27, 12)) + "viewport 0 0 0 64 64 0.75 0.25\ndraw 36\n")
scene("negative_one", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(28, 12, z=(-1.5, 1.5))) + "negative_one on\ndraw 36\n",
      mixed=compare.EDGE)
STENCIL = RGBA + "depth D32_SFLOAT_S8_UINT clear 0.5 7\n"
for number, ops in enumerate(("replace keep zero", "increment_clamp decrement_clamp invert", "increment_wrap decrement_wrap replace", "zero invert keep")):
    fail, passed, depth_fail = ops.split()
    scene(f"stencil_{number}", STENCIL + mesh("v", triangles(30 + number, 24)) + DEEP +
          f"stencil front less_equal {fail} {passed} {depth_fail} 0x35 0xff 0xf7\nstencil back not_equal {passed} {depth_fail} {fail} 6 0x0f 0xff\n"
          "draw 36\nstencil both greater_equal zero increment_wrap replace 8 0xff 0xff\ndraw 36 1 36\n", mixed=compare.EDGE)

# Colour: blending, masks, logic operations, formats
BLENDS = ("src_alpha add one_minus_src_alpha", "one add one", "dst_color add zero", "one subtract dst_alpha", "one reverse one", "one min one", "one max one",
          "src_alpha_saturate add one", "constant_color add one_minus_constant_alpha", "one_minus_dst_color add src_color one add zero",
          "zero add one_minus_src_color dst_alpha add one_minus_dst_alpha")
for number, blend in enumerate(BLENDS):
    scene(f"blend_{number}", RGBA + mesh("v", triangles(40 + number, 12)) + f"constants 0.25 0.5 0.75 0.6\nblend 0 {blend}\ndraw 36\n", step=3,
          mixed=compare.EDGE)
scene("dual_source", RGBA + mesh("v", triangles(55, 8), "color", "dual") + "blend 0 src1_color add one_minus_src1_alpha\ndraw 24\n", step=2)
for mask in (1, 2, 5, 8, 0):
    scene(f"mask_{mask}", RGBA + mesh("v", one()) + f"mask 0 {mask}\ndraw 3\n")
for op in ("xor", "and_reverse", "or_inverted", "equivalent", "invert"):
    scene(f"logic_{op}", "target R8G8B8A8_UNORM clear 0.25 0.5 0.75 1\n" + mesh("v", quad(-1, -1, 0.5, 0.5, color=(0.2, 0.4, 0.6, 1))) +
          f"logic {op}\ndraw 6\n")
for name in ("R8_UNORM", "R8G8_UNORM", "R8G8B8A8_SNORM", "R8G8B8A8_SRGB", "B8G8R8A8_UNORM", "B8G8R8A8_SRGB", "A8B8G8R8_UNORM_PACK32", "R5G6B5_UNORM_PACK16",
             "A1R5G5B5_UNORM_PACK16", "A2B10G10R10_UNORM_PACK32", "B10G11R11_UFLOAT_PACK32", "R16_UNORM", "R16G16B16A16_UNORM", "R16G16B16A16_SNORM", "R16_SFLOAT",
             "R16G16_SFLOAT", "R16G16B16A16_SFLOAT", "R32_SFLOAT", "R32G32_SFLOAT", "R32G32B32A32_SFLOAT"):
    scene(f"format_{name}", f"target {name} clear 0.25 0.5 0.75 1\n" + mesh("v", one()) + "draw 3\n")
for name in ("R8_UINT", "R8G8B8A8_UINT", "A2B10G10R10_UINT_PACK32", "R16G16_UINT", "R32_UINT", "R32G32B32A32_UINT"):
    scene(f"format_{name}", f"target {name} clear 1 2 3 1\n" + mesh("v", quad(-0.9, -0.7, 0.6, 0.8, color=(0.1, 0.3, 0.7, 0.9)), frag="uint") + "draw 6\n")
for name in ("R8G8B8A8_SINT", "R16G16_SINT", "R32_SINT"):
    scene(f"format_{name}", f"target {name} clear 1 -2 3 -1\n" + mesh("v", quad(-0.9, -0.7, 0.6, 0.8, color=(0.1, 0.3, 0.7, 0.9)), frag="sint") + "draw 6\n")
scene("three_targets", RGBA + "target R16G16B16A16_SFLOAT clear 1 0 0 0\ntarget R8G8B8A8_SNORM clear 0 0 0 0\n" + mesh("v", triangles(60, 6), frag="three") +
      "blend 1 one add one\nmask 2 7\ndraw 18\n")
scene("eight_targets", RGBA * 8 + mesh("v", triangles(61, 6), frag="eight") + "mask 3 0\nblend 5 one add one\ndraw 18\n", step=3)
scene("clear_inside", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(62, 6)) +
      "draw 9\nclear 0 8 8 20 30 1 0 1 0.5\nclear depth 30 30 20 20 0.25\ndraw 9 1 9\n")

# What pixel shaders see and do
scene("flat", RGBA + mesh("v", triangles(70, 6), "flat", "flat") + "draw 18\n")
scene("noperspective", RGBA + mesh("v", triangles(71, 4, w=(0.5, 3.0)), "linear", "linear") + "draw 12\n")
scene("frag_coord", RGBA + mesh("v", triangles(72, 4, w=(0.5, 3.0)), frag="coord") + "draw 12\n")
scene("primitive_id", RGBA + mesh("v", triangles(73, 20), frag="primitive") + "draw 60\n")
scene("derivatives", "target R16G16B16A16_SFLOAT clear 0 0 0 0\n" + mesh("v", one(), frag="derivative") + "draw 3\n")
scene("discard", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(74, 8), frag="discard") + "draw 24\n")
scene("early_tests", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(75, 8), frag="early") + "draw 24\n")
scene("depth_export", RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(76, 8), frag="depth") + "draw 24\n")
CHECKS = "buffer t u8 " + " ".join(str((x * 37 + y * 59 + c * 83) % 256) for y in range(8) for x in range(8) for c in range(4)) + "\n"
UV = [((x, y, 0.5, 1), (u, v, 0, 0)) for (x, y), (u, v) in
      zip(((-0.9, -0.9), (0.9, -0.9), (-0.9, 0.9), (-0.9, 0.9), (0.9, -0.9), (0.9, 0.9)), ((0, 0), (1.5, 0), (0, 1.5), (0, 1.5), (1.5, 0), (1.5, 1.5)))]
scene("texture_nearest", RGBA + CHECKS + "bind 0 texture t R8G8B8A8_UNORM 8 8 nearest\n" + mesh("v", UV, "texture", "texture") + "draw 6\n", edge=0.01)
scene("texture_linear", RGBA + CHECKS + "bind 0 texture t R8G8B8A8_UNORM 8 8 linear\n" + mesh("v", UV, "texture", "texture") + "draw 6\n", step=4)
scene("texel_fetch", RGBA + CHECKS + "bind 0 texture t R8G8B8A8_UNORM 8 8 nearest\n" + mesh("v", quad(-1, -1, 1, 1), frag="fetch") + "draw 6\n")
scene("uniforms", RGBA + floats("u", [1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0]) + "bind 0 uniform u\n" + mesh("v", one(), frag="uniform") + "draw 3\n")
scene("push", RGBA + mesh("v", one(), "push", "push") + "push f32 0.5 0.5 1 1 0.25 0.25 0 0 0.9 0.6 0.3 0.1\ndraw 3\n"
      "push f32 0.25 0.5 1 1 -0.5 -0.25 0 0 0.1 0.2 0.3 0.4\ndraw 3\n")
scene("specialization", RGBA + mesh("v", triangles(77, 6), frag="spec") + "spec 0 1\ndraw 9\nspec 0 2\ndraw 9 1 9\n")
scene("vertex_formats", RGBA + floats("v", [v for p, _ in one() for v in p]) +
      "buffer m u8 10 60 110 160 210 250 1 2 3 4 5 6 7 8 9 10 200 100 50 25 128 64 32 16 1 2 3 4 255 254 253 252 90 80 70 60 50 40 30 20 10 0 99 98 97 96 95 94\n"
      "vertices v 16\nvertices m 16\nattribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 1 R8G8B8A8_UNORM 0\nattribute 2 1 R8G8B8A8_SNORM 4\n"
      "attribute 3 1 R8G8B8A8_UINT 8\nattribute 4 1 R8G8B8A8_SINT 12\nvert formats\nfrag color\ndraw 3\n")
scene("packed_vertices", RGBA + floats("v", [v for p, _ in one() for v in p]) +
      "buffer m u32 0x40180601 0xc0ffee11 0x3c003800 0x00010002 0x7fe00400 0x12345678 0x3800b400 0x00050006 0xbfe00fff 0x9abcdef0 0x34003a00 0x00ff0100\n"
      "vertices v 16\nvertices m 16\nattribute 0 0 R32G32B32A32_SFLOAT 0\nattribute 1 1 A2B10G10R10_UNORM_PACK32 0\nattribute 2 1 R16G16_SFLOAT 8\n"
      "attribute 3 1 R16G16_UINT 12\nattribute 4 1 R8G8B8A8_SINT 4\nvert formats\nfrag color\ndraw 3\n")

# Clipping, viewports, scissors, layers, views
scene("clip_distance", RGBA + mesh("v", triangles(80, 8), "clip") + "draw 24\n")
scene("cull_distance", RGBA + mesh("v", triangles(81, 8), "cull_distance") + "draw 24\n")
scene("viewport", RGBA + mesh("v", triangles(82, 8)) + "viewport 0 10.25 5.25 40.75 50.75 0 1\ndraw 24\n")
scene("viewport_upside_down", RGBA + mesh("v", triangles(83, 8)) + "viewport 0 0 64 64 -64 0 1\ncull back\ndraw 24\n")
scene("scissor", RGBA + mesh("v", triangles(84, 8)) + "scissor 0 11 7 30 41\ndraw 24\n")
scene("viewports", RGBA + mesh("v", one(), "viewport") + "viewport 0 0 0 32 32 0 1\nviewport 1 32 0 32 32 0 1\nviewport 2 0 32 64 32 0 1\nscissor 2 5 32 50 20\n"
      "draw 3 3\n")
scene("layers", "layers 3\n" + RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", one(), "layer") + "draw 3 3\n")
scene("multiview", "layers 2\nviews 3\n" + RGBA + mesh("v", one(), "multiview") + "draw 3\n")
scene("odd_size", "size 37 53\n" + RGBA + "depth D16_UNORM clear 1\n" + DEEP + mesh("v", triangles(85, 12, size=(37, 53))) + "draw 36\n")
scene("large", "size 600 530\n" + RGBA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(86, 3, size=(600, 530))) + "draw 9\n", mixed=compare.EDGE)

# Samples. lavapipe has 1 and 4.
MSAA = "samples 4\n" + RGBA
scene("msaa_4", MSAA + mesh("v", triangles(90, 6)) + "draw 18\n", edge=0.02, step=3, mixed=compare.EDGE)
scene("msaa_4_depth", MSAA + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", triangles(91, 6)) + "draw 18\n", edge=0.02, step=3, loose=("depth",))
scene("sample_shading", MSAA + mesh("v", triangles(92, 4), frag="sample") + "sample_shading 1\ndraw 12\n", edge=0.02, step=3, mixed=compare.EDGE)
scene("sample_id", MSAA + mesh("v", one(), frag="sample_id") + "draw 3\n", edge=0.02, step=3)
scene("sample_mask", MSAA + mesh("v", one()) + "sample_mask 0x5\ndraw 3\n", edge=0.02, step=3)
scene("sample_mask_export", MSAA + mesh("v", one(), frag="sample_mask") + "draw 3\n", edge=0.02, step=3)

# What lavapipe lacks, by rule: covered pixels, masks, depth of each sample, edges that are drawn once.
for n in (2, 4, 8):
    A, B, C, D, E = (-1.5, -1.3), (3, -2), (0.13, 0.31), (2.5, 3), (-2, 2.9)
    MANY = f"samples {n}\n" + RGBA
    CLEAR, RED = (51, 51, 51, 255), (255, 0, 0, 255)
    half = tuple((a * (n - 1) + b) / n for a, b in zip(CLEAR, RED))
    scene(f"msaa_{n}_full", MANY + mesh("v", quad(-1, -1, 1, 1, color=(1, 0, 0, 1))) + "draw 6\n", want=columns(RED))
    scene(f"msaa_{n}_one", MANY + mesh("v", quad(-1, -1, 1, 1, color=(1, 0, 0, 1))) + f"sample_mask {1 << (n - 1)}\ndraw 6\n",
          want=columns(half), loose=("target0",))
    scene(f"msaa_{n}_once", MANY + mesh("v", [((x, y, 0.5, 1), (0.4, 0, 0, 0)) for x, y in
                                              (A, B, C, B, D, C, D, E, C, E, A, C)]) + "blend 0 one add one\ndraw 12\n",
          want=columns((153, 51, 51, 255)), loose=("target0",))
    scene(f"msaa_{n}_deep", MANY + "depth D32_SFLOAT clear 1\n" + DEEP + mesh("v", quad(-1, -1, 1, 1, 0.5, (1, 0, 0, 1)) + quad(-1, -1, 1, 1, 0.75)) +
          f"sample_mask {1 << (n - 1)}\ndraw 6\nsample_mask {(1 << n) - 1}\nmask 0 0\ndraw 6 1 6\nmask 0 15\ndepth_compare equal\ndraw 6\n",
          want=columns(half), loose=("target0", "depth"))
    # Alpha to coverage: alphas that stand for whole samples, so that no driver's dithering shows. Alpha comes with the colour, or beside a depth.
    alphas = (0, 0.5, 1, 0.5 if n == 2 else 0.25)
    PARTS = mesh("v", [v for i, a in enumerate(alphas) for v in quad(i / 2 - 1, -1, i / 2 - 0.5, 1, color=(1, 0, 0, a))])
    parts = columns(*(tuple(a * (1 - k) + b * k for a, b in zip(CLEAR, (255, 0, 0, 255 * k))) for k in alphas))
    scene(f"msaa_{n}_alpha", MANY + PARTS + "alpha_to_coverage on\ndraw 24\n", want=parts, loose=("target0",))
    scene(f"msaa_{n}_alpha_depth", MANY + "depth D32_SFLOAT clear 1\n" + DEEP + PARTS.replace("frag color", "frag depth") +
          "depth_compare always\nalpha_to_coverage on\ndraw 24\n", want=parts, loose=("target0", "depth"))

# Compressed images (DCC, HTILE), whose clears fill metadata alone: colours that keys stand for and others, drawn into or only read.
BIG = "size 600 530\n"
CLEARS = {"0000": "0 0 0 0", "1111": "1 1 1 1", "0001": "0 0 0 1", "1110": "1 1 1 0", "single": "0.2 0.4 0.6 0.8"}
for colour, values in CLEARS.items():
    for format in ("R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT"):
        # RADV 22.3.6 stores the second of the two words of a colour of 128 bits three times.
        if format == "R8G8B8A8_UNORM" or colour in ("1111", "single") or (colour == "0001" and format != "R32G32B32A32_SFLOAT"):
            scene(f"compressed_{colour}_{format}", f"{BIG}target {format} clear {values}\n" + mesh("v", triangles(120, 1, -0.3, 0.2)) + "draw 3\n")
    scene(f"compressed_{colour}_read", f"{BIG}target R8G8B8A8_UNORM clear {values}\n" + mesh("v", one()) + "draw 0\n")
    scene(f"compressed_{colour}_samples", f"{BIG}samples 4\ntarget R8G8B8A8_UNORM clear {values}\n" +
          mesh("v", triangles(121, 1, -0.3, 0.2)) + "draw 3\n", edge=0.02, step=3)
scene("compressed_layers", f"{BIG}layers 2\ntarget R8G8B8A8_UNORM clear 0.2 0.4 0.6 0.8\n" + mesh("v", one(), "layer") + "draw 3 1\n")
for format in ("D16_UNORM", "D32_SFLOAT", "D32_SFLOAT_S8_UINT"):
    for value in ("0 0", "1 0", "0.3 7", "1 255"):
        test = "stencil both always keep replace keep 5 255 255\n" if format.endswith("S8_UINT") else ""
        name = f"{format}_{value.replace(' ', '_')}"
        scene(f"compressed_{name}", f"{RGBA}depth {format} clear {value}\n{DEEP}{test}" + mesh("v", one(0.25)) + "draw 3\n")
        scene(f"compressed_{name}_read", f"{RGBA}depth {format} clear {value}\n" + mesh("v", one()) + "draw 0\n")

# Geometry, tessellation, mesh shaders
scene("geometry", RGBA + mesh("v", [(p, c) for p, c in LINES], "through") + "geom quads\ntopology points\ndraw 12\n")
scene("geometry_twice", RGBA + mesh("v", one(), "through", "primitive") + "geom twice\ndraw 3\n")
scene("geometry_some", RGBA + mesh("v", triangles(100, 40), "through") + "geom some\ndraw 120\n")
scene("geometry_lines", RGBA + mesh("v", triangles(101, 3), "through") + "geom lines\nline_mode bresenham\ndraw 9\n")
scene("geometry_layers", "layers 2\n" + RGBA + mesh("v", triangles(102, 3), "through") + "geom layers\ndraw 9\n")
for topology in ("triangles_adjacency", "triangle_strip_adjacency"):
    scene(f"geometry_{topology}", RGBA + mesh("v", triangles(103, 4), "through") + f"geom adjacent\ntopology {topology}\ndraw 12\n")
LEVELS = {"triangles": "3 4 5 1 6 1", "quads": "2 3 4 5 3 4", "isolines": "4 6 1 1 1 1"}
for domain, levels in LEVELS.items():
    for spacing in ("equal", "odd", "even"):
        scene(f"tessellation_{domain}_{spacing}", RGBA + mesh("v", patch(-0.8, -0.9, 0.7, 0.8)) +
              f"vert through\ntesc push\ntese {domain}_{spacing}\ntopology patches\npatch 4\npush f32 {levels} 0 0\npolygon line\ndraw 4\n", edge=0.03, step=6)
        if domain != "isolines":
            scene(f"tessellation_{domain}_{spacing}_filled", RGBA + mesh("v", patch(-0.8, -0.9, 0.7, 0.8)) +
                  f"vert through\ntesc push\ntese {domain}_{spacing}\ntopology patches\npatch 4\npush f32 {levels.replace(' ', '.3 ')} 0 0\ndraw 4\n")
tess.add(scene, mesh, patch, RGBA)
meshes.add(scene, RGBA)
coverage.add(scene, mesh, quad)
scene("mesh", RGBA + "mesh triangles\nfrag color\ndraw_mesh 2 2 1\n")

# Commands
scene("secondary", "secondary on\n" + RGBA + mesh("v", triangles(110, 6)) + "draw 9\nblend 0 one add one\ndraw 9 1 9\n", step=2)
scene("indirect", RGBA + mesh("v", STRIP) + "buffer a u32 77 3 1 0 0 3 1 4 0 0 0 0 0\ndraw_indirect a 4 3 16\n")
scene("indexed_indirect", RGBA + mesh("v", STRIP) + "buffer i u16 0 0 1 2 3 4 5\nindex i u16\nbuffer a u32 3 1 1 2 0 6 1 1 4 0\ndraw_indexed_indirect a 0 2 20\n")
scene("indirect_count", RGBA + mesh("v", STRIP) + "buffer a u32 3 1 0 0 3 1 3 0 3 1 7 0\nbuffer n u32 2\ndraw_indirect_count a 0 n 0 3\n")
scene("draw_id", RGBA + mesh("v", one(), "draw_id") + "buffer a u32 3 1 0 0 3 1 0 0\ndraw_indirect a 0 2 16\n")
scene("conditional", RGBA + mesh("v", triangles(111, 6)) + "buffer c u32 0 1\ncondition c 0\ndraw 6\ncondition end\ncondition c 4\ndraw 6 1 6\ncondition end\n"
      "condition c 0 inverted\ndraw 6 1 12\ncondition end\n")
OCCLUSION = (RGBA + "depth D32_SFLOAT clear 0.5\ndepth_test on\ndepth_compare less\n" + "buffer n zeros 16384\nout n\nbind 0 storage n\n" +
             mesh("v", triangles(112, 8), frag="count"))


def counted(of):
    """The occlusion query's number, and the pixels that the shader counted."""
    number, pixels = int(of["queries"].split()[1]), sum(u32(of["n"]))
    return "" if number == pixels and pixels > 0 else f"occlusion {number}, {pixels} pixels"


scene("occlusion", OCCLUSION + "query precise\ndraw 24\nquery end\n", want=counted)
scene("statistics", RGBA + mesh("v", triangles(113, 5)) + "query statistics\ndraw 15\nquery end\n", loose=("queries",),
      want=lambda of: "" if of["queries"].split()[1:4] == [b"15", b"5", b"15"] else str(of["queries"]))
FEEDBACK = "buffer x zeros 256\nout x\nbuffer c zeros 16\n"
scene("transform_feedback", RGBA + mesh("v", triangles(114, 2), "feedback") + FEEDBACK + "feedback x c\ndraw 6\nfeedback end\n")
