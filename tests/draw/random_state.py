# SPDX-License-Identifier: MIT
"""Draws in random states, compared with lavapipe: add(N) makes scenes random_1 to random_N, the same each time.

What is left out, because lavapipe or RADV is free there, or wrong:
- Depth only where places are whole 1/256ths of a pixel, so with viewports of 64 pixels: lavapipe takes it at the place before that is rounded.
- A scissor only with one sample: lavapipe of Mesa 22.3.6 draws samples in the column and the row before it (rules.py: scissor_samples).
- Viewports that lie wholly above of the target: RADV (22.3.6, 25.0.7) takes the smaller of two ends as numbers without a sign, so one below 0 does not
  cut, the scissor that it sets stays as large as the target, and what reaches beyond the viewport within the guard band is drawn.

What is blended may be three steps off: RADV's shaders export halves that are cut, not rounded (up to half a step of ten bits lower a layer),
and lavapipe blends bytes in whole numbers. Blending in doubles from halves that are cut is what the model gives.
"""
import random

from scenes import BLENDS, floats, mesh, scene, triangles

COMPARES = "never less equal less_equal greater not_equal greater_equal always".split()
STENCIL = "keep zero replace increment_clamp decrement_clamp invert increment_wrap decrement_wrap".split()
COLORS = ("R8G8B8A8_UNORM", "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R16G16B16A16_SFLOAT", "A2B10G10R10_UNORM_PACK32", "R32G32B32A32_SFLOAT")
DEPTHS = ("", "", "D32_SFLOAT", "D16_UNORM", "D32_SFLOAT_S8_UINT")
FLOATS = ("color", "color", "color", "discard", "early", "spec", "coord", "facing")


def _target(r):
    """The picture's own lines."""
    depth = r.choice(DEPTHS)
    size = "64 64" if depth else f"{r.choice((64, 48, 33))} {r.choice((64, 40, 51))}"
    text = f"size {size}\n" + ("samples 4\n" if r.random() < 0.2 else "")
    for _ in range(r.choice((1, 1, 1, 2))):
        text += f"target {r.choice(COLORS)} clear 0.25 0.5 0.125 0.75\n"
    return text + (f"depth {depth} clear {r.choice((0.25, 0.5, 1))} {r.randrange(256)}\n" if depth else ""), depth


def _state(r, depth, samples):
    lines = [f"cull {r.choice(('none', 'none', 'front', 'back'))}", f"front {r.choice(('cw', 'ccw'))}"]
    if depth:
        lines += [f"depth_test {r.choice(('on', 'on', 'off'))}", f"depth_write {r.choice(('on', 'off'))}", f"depth_compare {r.choice(COMPARES)}"]
    if "S8" in depth and r.random() < 0.7:
        lines += [f"stencil {side} {r.choice(COMPARES)} {' '.join(r.choice(STENCIL) for _ in range(3))} {r.randrange(256)} {r.choice((255, 15, 240))} "
                  f"{r.choice((255, 85))}" for side in ("front", "back")]
    if r.random() < 0.5:
        lines += [f"constants {' '.join(str(r.randrange(9) / 8) for _ in range(4))}", f"blend 0 {r.choice(BLENDS)}"]
    if r.random() < 0.3:
        lines.append(f"mask 0 {r.randrange(16)}")
    if r.random() < 0.3:
        scissor = f"scissor 0 {r.randrange(20)} {r.randrange(20)} {r.randrange(1, 44)} {r.randrange(1, 31)}"
        lines += [] if samples else [scissor]
    if r.random() < 0.3:
        x, y, width, sign, height = r.randrange(-8, 16), r.randrange(-8, 16), r.randrange(16, 64), r.choice((1, -1)), r.randrange(16, 64)
        width, height = (64, 64) if depth else (width, height)
        lines.append(f"viewport 0 {x} {y if sign > 0 else y + height} {width} {sign * height} 0 1")
    if r.random() < 0.2:
        lines.append("depth_clamp on")
    return "\n".join(lines) + "\n"


def _draw(r, count):
    topology = r.choice(("triangles", "triangles", "triangle_strip", "triangle_fan"))
    text = f"topology {topology}\n"
    if r.random() < 0.4:
        restart = topology != "triangles" and r.random() < 0.5
        numbers = [r.randrange(count) if not restart or r.random() > 0.2 else 0xffff for _ in range(count)]
        return text + f"buffer i u16 {' '.join(map(str, numbers))}\nindex i u16\nrestart {'on' if restart else 'off'}\ndraw_indexed {count}\n"
    return text + f"draw {count} 1 0\n"


def one(seed):
    r = random.Random(seed)
    n = r.randrange(2, 9)
    target, depth = _target(r)
    text = target + mesh("v", triangles(seed, n, -1.5, 1.5, (-0.25, 1.25), r.choice(((1, 1), (0.5, 2), (-0.5, 2)))))
    if r.random() < 0.2:
        text += floats("p", [0, 0, 1, 1, 0.5, -0.25, 0.5, 0.5]) + "vertices p 16 instance 1\nattribute 2 1 R32G32B32A32_SFLOAT 0\nvert instance\n"
    frag = r.choice(FLOATS) if text.count("target ") == 1 else "three"  # what is not written is not Vulkan's to say
    text += f"frag {frag}\n" + (f"spec 0 {r.randrange(3)}\n" if frag == "spec" else "")
    return text + _state(r, depth, "samples" in target) + _draw(r, 3 * n)


def add(count):
    for seed in range(1, count + 1):
        text = one(seed)
        scene(f"random_{seed}", text, edge=0.01, mixed=0.01, step={"target0": 3} if "\nblend 0 " in text else None)
