# SPDX-License-Identifier: MIT
"""What must hold of any picture, on random scenes with seeds: no reference is needed, and lavapipe is asked, too.

Shared edges are drawn once; what all vertices have each pixel has; an occlusion query counts what a shader counted; samples of one colour
resolve to it. PAIRS: scenes whose pictures are the same. SEEDED: scenes that waves in another order draw the same, byte for byte.
"""
import random
import struct

from scenes import RGBA, counted, floats, mesh, quad, scene, triangles

SEEDS = (1, 2, 3)
GRID = 7


def cover(seed, centres=False):
    """Triangles that share edges and cover more than the picture: a grid whose inner corners lie anywhere near, or at pixels' centres."""
    r = random.Random(seed)
    at = {}
    for y in range(GRID + 1):
        for x in range(GRID + 1):
            inner = 0 < x < GRID and 0 < y < GRID
            at[x, y] = tuple((c / GRID * 2 - 1) * 1.1 + (r.uniform(-0.2, 0.2) * 2.2 / GRID if inner else 0) for c in (x, y))
            if centres:
                at[x, y] = tuple((2 * round(c * 32) + 1) / 64 for c in at[x, y])
    out = []
    for y in range(GRID):
        for x in range(GRID):
            a, b, c, d = (at[x + i, y + j] for j in (0, 1) for i in (0, 1))
            out += [a, b, c, b, d, c] if r.random() < 0.5 else [a, d, c, a, b, d]
    # Its own w for each corner, so that every edge has the same ends in both triangles, in clip space, too.
    w = {p: 1 if centres else r.uniform(0.5, 2) for p in sorted(set(out))}
    return [((x * w[x, y], y * w[x, y], 0.25 * w[x, y], w[x, y]), (16 / 255, 32 / 255, 48 / 255, 64 / 255)) for x, y in out]


def everywhere(*texel):
    """A rule: all of the target is this texel."""
    def rule(of):
        data, want = of["target0"], bytes(texel)
        wrong = [i for i in range(len(data) // 4) if data[4 * i:4 * i + 4] != want]
        return "" if not wrong else f"{len(wrong)} pixels are not {texel}: {wrong[0] % 64},{wrong[0] // 64} is {tuple(data[4 * wrong[0]:4 * wrong[0] + 4])}"
    return rule


def one_of(*texels):
    """A rule: each texel is one of these, and each is somewhere."""
    def rule(of):
        found = {of["target0"][i:i + 4] for i in range(0, len(of["target0"]), 4)}
        return "" if found == {bytes(t) for t in texels} else f"{sorted(map(tuple, found))[:6]}, expected {texels}"
    return rule


def clamped(of):
    """The rule of frag_coord_clamp: z is -0.5 to 1.5 from left to right; shaders see it so, what depth is written is clamped."""
    for x in range(64):
        z = (x + 0.5) / 32 - 0.5
        seen, depth = struct.unpack_from("<f", of["target0"], 16 * (64 * 9 + x) + 8)[0], struct.unpack_from("<f", of["depth"], 4 * (64 * 9 + x))[0]
        if max(abs(seen - z), abs(depth - min(max(z, 0), 1))) > 1e-6:
            return f"pixel {x},9: z {seen} and depth {depth}, expected {z} and {min(max(z, 0), 1)}"
    return ""


# Vulkan 1.3, "Depth Clamping and Range Adjustment": a step of the depth test, behind the shader.
scene("frag_coord_clamp", "target R32G32B32A32_SFLOAT\ndepth D32_SFLOAT clear 0.5\ndepth_test on\ndepth_write on\ndepth_compare always\ndepth_clamp on\n" +
      mesh("v", [((x, y, x + 0.5, 1), c) for (x, y, _, _), c in quad(-1, -1, 1, 1)], frag="coord") + "draw 6\n", want=clamped)
CLEAR = "target R8G8B8A8_UNORM clear 0 0 0 0\n"
for seed in SEEDS:
    for samples in (1, 4):
        scene(f"shared_edges_{seed}_{samples}", f"samples {samples}\n" + CLEAR + mesh("v", cover(seed)) + f"blend 0 one add one\ndraw {GRID * GRID * 6}\n",
              want=everywhere(16, 32, 48, 64))
    scene(f"shared_edges_{seed}_centres", CLEAR + mesh("v", cover(seed, True)) + f"blend 0 one add one\ndraw {GRID * GRID * 6}\n",
          want=everywhere(16, 32, 48, 64))
    one_color = [(p, (37 / 255, 201 / 255, 5 / 255, 90 / 255)) for p, _ in triangles(seed, 12, -2, 2, w=(0.2, 3))]
    scene(f"constant_{seed}", CLEAR + mesh("v", one_color) + "draw 36\n", want=one_of((37, 201, 5, 90), (0, 0, 0, 0)))
    scene(f"counted_{seed}", RGBA + "depth D32_SFLOAT clear 0.6\ndepth_test on\ndepth_write on\ndepth_compare less\nbuffer n zeros 16384\nout n\n"
          "bind 0 storage n\n" + mesh("v", triangles(200 + seed, 12, -2, 2, w=(0.5, 2)), frag="count") + "query precise\ndraw 36\nquery end\n",
          want=counted, loose=("n", "queries"), mixed=0.001)
    soup = RGBA + mesh("v", triangles(300 + seed, 10, -1.5, 1.5))
    for how, more in (("plain", ""), ("geometry", "vert through\ngeom same\n"),
                      ("tessellation", "vert through\ntesc same\ntese same\ntopology patches\npatch 3\n")):
        scene(f"same_{how}_{seed}", soup + more + "draw 30\n", mixed=0.001)
for samples in (2, 4, 8):
    scene(f"resolved_{samples}", f"samples {samples}\n" + CLEAR + mesh("v", quad(-1, -1, 1, 1, color=(77 / 255, 3 / 255, 250 / 255, 128 / 255))) +
          "draw 6\n", want=everywhere(77, 3, 250, 128))

# Not as lavapipe: with samples it draws in the column and the row before the scissor, too.
for samples in (1, 4):
    scene(f"scissor_samples_{samples}", f"samples {samples}\n" + CLEAR + mesh("v", quad(-1, -1, 1, 1)) + "scissor 0 11 7 30 41\ndraw 6\n",
          loose=("target0",) if samples > 1 else ())

PAIRS = [(f"same_{how}_{seed}", f"same_plain_{seed}") for seed in SEEDS for how in ("geometry", "tessellation")]
PAIRS += [("scissor_samples_4", "scissor_samples_1")]
SEEDED = ("soup", "clipped", "blend_0", "blend_9", "depth_D32_SFLOAT", "stencil_0", "discard", "depth_export", "msaa_4", "geometry", "geometry_some",
          "tessellation_triangles_odd", "transform_feedback", "occlusion", "instanced", "shared_edges_1_4", "early_tests")
