# SPDX-License-Identifier: MIT
"""Scenes of what cuts coverage, or adds to it: discard rectangles, stippled lines, conservative rasterisation; of the order of fragments; of
their size. What must be seen is
computed here, by other ways than the model's. TEXT are shaders, add() adds scenes."""
import random

SIDE = 64
COUNT = "target R8G8B8A8_UNORM clear 0 0 0 0\nblend 0 one add one\n"
ONE = (1 / 255, 2 / 255, 3 / 255, 4 / 255)  # of each fragment

TEXT = {
    "interlock.frag": """#extension GL_ARB_fragment_shader_interlock : require
        layout(pixel_interlock_ordered) in;
        layout(set = 0, binding = 0) coherent buffer B { uint n[]; };
        layout(location = 0) out vec4 f_color;
        void main() {
            uint i = uint(gl_FragCoord.y) * 64 + uint(gl_FragCoord.x);
            beginInvocationInterlockARB();
            n[i] = n[i] * 5 + uint(gl_PrimitiveID) / 2 + 1;
            endInvocationInterlockARB();
            f_color = vec4(1); }""",
    "place.frag": """layout(location = 0) out vec4 f_color;
        void main() { f_color = vec4(gl_FragCoord.xy, 0, 255) / 255.0; }""",
    "fills.frag": """#extension GL_NV_conservative_raster_underestimation : require
        layout(location = 0) out vec4 f_color;
        void main() { f_color = gl_FragFullyCoveredNV ? vec4(1, 2, 3, 4) / 255.0 : vec4(16, 32, 48, 64) / 255.0; }""",
}


def _rule(color):
    """The pixel at x, y is @color(x, y)."""
    def want(got):
        texels = got["target0"]
        for i in range(SIDE * SIDE):
            x, y = i % SIDE, i // SIDE
            expected = bytes(color(x, y))
            if texels[4 * i:4 * i + 4] != expected:
                return f"pixel {x},{y}: {tuple(texels[4 * i:4 * i + 4])}, expected {tuple(expected)}"
        return ""
    return want


def _counted(n):
    return (n, 2 * n, 3 * n, 4 * n)


def _rectangles(scene, vertices, quad):
    boxes = ((5, 7, 20, 30), (15, 20, 30, 9), (40, 0, 64, 64), (0, 0, 3, 3))
    for n in range(1, 5):
        for mode in ("inclusive", "exclusive"):
            some = boxes[:n]
            words = " ".join(f"{x} {y} {w} {h}" for x, y, w, h in some)

            def color(x, y, some=some, mode=mode):
                inside = any(bx <= x < bx + w and by <= y < by + h for bx, by, w, h in some)
                return _counted(int(inside == (mode == "inclusive")))

            scene(f"discard_{mode}_{n}", COUNT + vertices("v", quad(-1, -1, 1, 1, color=ONE)) + f"discard_rectangles {mode} {words}\ndraw 6\n", want=_rule(color))
    scene("discard_off", COUNT + vertices("v", quad(-1, -1, 1, 1, color=ONE)) + "discard_rectangles exclusive 0 0 9 9\ndraw 6\ndiscard_rectangles off\ndraw 6\n",
          want=_rule(lambda x, y: _counted(1 if x < 9 and y < 9 else 2)))


def _walk(points, strip):
    """(pixel, number in the pattern) of lines between centres, along an axis or a diagonal; ends are not drawn."""
    n = 0
    for i, (a, b) in enumerate(zip(points, points[1:])):
        if not strip and i % 2 == 1:
            continue
        n = n if strip else 0
        length = max(abs(b[0] - a[0]), abs(b[1] - a[1]))
        for k in range(length):
            yield (a[0] + (b[0] - a[0]) // length * k, a[1] + (b[1] - a[1]) // length * k), n
            n += 1


def _snake():
    """A strip of 480 lines, which are 4 pixels long, and 2 where it turns."""
    points = [(1, 1)]
    for row in range(30):
        step = 4 if row % 2 == 0 else -4
        points += [(points[-1][0] + step * (k + 1), points[-1][1]) for k in range(15)]
        points.append((points[-1][0], points[-1][1] + 2))
    return points


def _stipples(scene, vertices):
    lines = [(2, 3), (60, 3), (5, 10), (45, 50), (50, 12), (50, 60), (7, 7), (8, 7)]
    back = [(60, 5), (2, 5), (50, 60), (50, 12), (40, 12), (4, 48), (45, 50), (5, 10)]
    strip = [(2, 2), (40, 2), (40, 33), (10, 33), (10, 50), (25, 35), (25, 60), (62, 60)]
    for name, points, topology in (("list", lines, "lines"), ("back", back, "lines"), ("strip", strip, "line_strip"), ("snake", _snake(), "line_strip")):
        for factor, pattern in ((1, 0x00ff), (3, 0xa5c3), (256, 0x0002)):
            times = {}
            for at, n in _walk(points, topology == "line_strip"):
                times[at] = times.get(at, 0) + (pattern >> n // factor % 16 & 1)
            placed = [(((x + 0.5) / 32 - 1, (y + 0.5) / 32 - 1, 0.5, 1), ONE) for x, y in points]
            # what lavapipe counts of lists that go back is off by one: these have a word that it lacks and that says nothing of lines
            only = "conservative over\n" if name == "back" else ""
            scene(f"stipple_{name}_{factor}", COUNT + only + vertices("v", placed) + f"topology {topology}\nline_mode bresenham\nstipple {factor} {pattern}\ndraw {len(points)}\n",
                  want=_rule(lambda x, y, times=times: _counted(times.get((x, y), 0))))


def _cut(polygon, inside, cross):
    out = []
    for a, b in zip(polygon, polygon[1:] + polygon[:1]):
        if inside(a):
            out.append(a)
        if inside(a) != inside(b):
            out.append(cross(a, b))
    return out


def _meets(corners, x, y):
    """Is anything left of a triangle (in 1/256 pixel) when it is cut to a pixel? In floats, so not for what only touches."""
    polygon = [tuple(map(float, c)) for c in corners]
    for axis, at in ((0, x), (1, y)):
        for side, edge in ((1, 256 * at), (-1, 256 * at + 256)):
            def cross(a, b, axis=axis, edge=edge):
                t = (edge - a[axis]) / (b[axis] - a[axis])
                return tuple(edge if i == axis else a[i] + (b[i] - a[i]) * t for i in range(2))

            polygon = _cut(polygon, lambda p, axis=axis, side=side, edge=edge: side * (p[axis] - edge) >= 0, cross)
    return bool(polygon)


def _fills(corners, x, y):
    """Are all corners of a pixel in the triangle?"""
    def of(a, b, p):
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    turn = of(*corners)
    return turn != 0 and all(of(corners[i], corners[(i + 1) % 3], (256 * px, 256 * py)) * turn >= 0
                             for i in range(3) for px in (x, x + 1) for py in (y, y + 1))


def _conservative(scene, vertices):
    r = random.Random(41)
    some = [[(r.randrange(64 * 256) | 1, r.randrange(64 * 256) | 1) for _ in range(3)] for _ in range(6)]
    some += [[(x + r.randrange(600) | 1, y + r.randrange(600) | 1) for _ in range(3)] for x, y in ((2000, 3000), (9000, 12000), (5000, 900), (16000, 16001))]
    degenerate = [[(2001, 3001), (9001, 4001), (9001, 4001)], [(8001, 9001)] * 3, [(1001, 12001), (3001, 12001), (7001, 12001)]]
    for mode, rule, them in (("over", _meets, some), ("under", _fills, some), ("over_degenerate", _meets, degenerate)):
        placed = [((x / 8192 - 1, y / 8192 - 1, 0.5, 1), ONE) for t in them for x, y in t]
        times = {(x, y): sum(rule(t, x, y) for t in them) for x in range(SIDE) for y in range(SIDE)}
        for samples in (1, 4) if mode != "over_degenerate" else (1,):
            scene(f"conservative_{mode}_{samples}", f"samples {samples}\n" + COUNT + vertices("v", placed) + f"conservative {mode.split('_')[0]}\ndraw {len(placed)}\n",
                  want=_rule(lambda x, y, times=times: _counted(times[x, y])))
    placed = [((x / 8192 - 1, y / 8192 - 1, 0.5, 1), ONE) for t in some[:3] for x, y in t]
    times = {(x, y): sum(1 if _fills(t, x, y) else 16 if _meets(t, x, y) else 0 for t in some[:3]) for x in range(SIDE) for y in range(SIDE)}
    scene("conservative_inner", COUNT + vertices("v", placed, frag="fills") + f"conservative inner\ndraw {len(placed)}\n",
          want=_rule(lambda x, y: _counted(times[x, y])))


def _interlock(scene, vertices, quad):
    """Of each pixel what all boxes on it make of a number, in their order."""
    r = random.Random(17)
    boxes = [sorted(r.sample(range(65), 2)) + sorted(r.sample(range(65), 2)) for _ in range(24)]
    placed = [v for x0, x1, y0, y1 in boxes for v in quad(x0 / 32 - 1, y0 / 32 - 1, x1 / 32 - 1, y1 / 32 - 1)]
    numbers = [0] * SIDE * SIDE
    for k, (x0, x1, y0, y1) in enumerate(boxes):
        for i in range(SIDE * SIDE):
            if x0 <= i % SIDE < x1 and y0 <= i // SIDE < y1:
                numbers[i] = (numbers[i] * 5 + k + 1) % 2 ** 32
    expected = b"".join(n.to_bytes(4, "little") for n in numbers)
    scene("interlock", COUNT + vertices("v", placed, frag="interlock") + f"buffer n zeros {4 * SIDE * SIDE}\nbind 0 storage n\nout n\ninterlock on\ndraw {len(placed)}\n",
          want=lambda got: "" if got["n"] == expected else f"{sum(got['n'][4 * i:4 * i + 4] != expected[4 * i:4 * i + 4] for i in range(SIDE * SIDE))} numbers are wrong")


def _rates(scene, vertices, quad):
    for w, h in ((2, 2), (1, 2), (2, 1)):
        scene(f"shading_rate_{w}x{h}", COUNT + vertices("v", quad(-1, -1, 1, 1), frag="place") + f"shading_rate {w} {h}\ndraw 6\n",
              want=_rule(lambda x, y, w=w, h=h: tuple(int(n // s * s + s / 2 + 0.5) for n, s in ((x, w), (y, h))) + (0, 255)))


def add(scene, vertices, quad):
    _interlock(scene, vertices, quad)
    _rates(scene, vertices, quad)
    _rectangles(scene, vertices, quad)
    _stipples(scene, vertices)
    _conservative(scene, vertices)
