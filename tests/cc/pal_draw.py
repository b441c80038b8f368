#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shaders of LLVM IR, linked to pipelines that draw: every pixel against what this script computes. pal_draw.py LULL.

Corners stand on 1/256 of pixels and edges go through no pixel's centre, so that coverage is exact. Runs on the model through lull run."""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
W, H = 48, 40


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


HEAD = """target triple = "amdgcn-amd-amdpal"
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)
declare void @llvm.amdgcn.exp.i32(i32, i32, i32, i32, i32, i32, i1, i1)
declare float @llvm.amdgcn.lds.param.load(i32, i32, i32)
declare float @llvm.amdgcn.interp.inreg.p10(float, float, float)
declare float @llvm.amdgcn.interp.inreg.p2(float, float, float)
declare <4 x float> @llvm.amdgcn.struct.buffer.load.v4f32(<4 x i32>, i32, i32, i32, i32)
declare void @llvm.amdgcn.struct.buffer.store.v4f32(<4 x float>, <4 x i32>, i32, i32, i32, i32)
declare float @llvm.amdgcn.s.buffer.load.f32(<4 x i32>, i32, i32)
declare <4 x i32> @lull.vertex.desc(i32)
declare <4 x i32> @lull.attribute.ring(i32)
declare <4 x i32> @lull.buffer.desc(i32, i32, i32)
declare i32 @lull.push.constant(i32)
declare i32 @lull.user.data(i32)
"""

# A vertex: position and colour of buffer 0, moved by what buffer 1 has for the instance.
VERTEX = HEAD + """define amdgpu_gs void @vs(i32 inreg %s0, i32 inreg %s1, i32 inreg %s2, i32 inreg %info, i32 inreg %s4, i32 inreg %s5,
    i32 inreg %s6, i32 inreg %s7, i32 %prim, i32 %v1, i32 %v2, i32 %v3, i32 %v4, i32 %vertex, i32 %v6, i32 %v7, i32 %instance) ATTRS {
  %l0 = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %lane = LANE
  %p = lshr i32 %info, 8
  %nprims = and i32 %p, 255
  %isprim = icmp ult i32 %lane, %nprims
  br i1 %isprim, label %primitive, label %next
primitive:
  call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 %prim, i32 poison, i32 poison, i32 poison, i1 true, i1 false)
  br label %next
next:
  %nvertices = and i32 %info, 255
  %isvertex = icmp ult i32 %lane, %nvertices
  br i1 %isvertex, label %one, label %end
one:
  %first = call i32 @lull.user.data(i32 268435459)
  %base = call i32 @lull.user.data(i32 268435460)
  %v = add i32 %vertex, %first
  %i = add i32 %instance, %base
  %b0 = call <4 x i32> @lull.vertex.desc(i32 0)
  %b1 = call <4 x i32> @lull.vertex.desc(i32 1)
  %pos = call <4 x float> @llvm.amdgcn.struct.buffer.load.v4f32(<4 x i32> %b0, i32 %v, i32 0, i32 0, i32 0)
  %col = call <4 x float> @llvm.amdgcn.struct.buffer.load.v4f32(<4 x i32> %b0, i32 %v, i32 16, i32 0, i32 0)
  %by = call <4 x float> @llvm.amdgcn.struct.buffer.load.v4f32(<4 x i32> %b1, i32 %i, i32 0, i32 0, i32 0)
  %at = fadd <4 x float> %pos, %by
  %x = extractelement <4 x float> %at, i32 0
  %y = extractelement <4 x float> %at, i32 1
  %z = extractelement <4 x float> %at, i32 2
  %w = extractelement <4 x float> %at, i32 3
  %ring = call <4 x i32> @lull.attribute.ring(i32 2)
  %w0 = lshr i32 %info, 24
  %w1 = and i32 %w0, 15
  %w2 = mul i32 %w1, WAVE
  %slot = add i32 %w2, %lane
  %r = and i32 %s5, 32767
  %offset = shl i32 %r, 9
  call void @llvm.amdgcn.struct.buffer.store.v4f32(<4 x float> %by, <4 x i32> %ring, i32 %slot, i32 0, i32 %offset, i32 0)
  call void @llvm.amdgcn.struct.buffer.store.v4f32(<4 x float> %col, <4 x i32> %ring, i32 %slot, i32 16, i32 %offset, i32 0)
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %x, float %y, float %z, float %w, i1 true, i1 false)
  br label %end
end:
  ret void
}
"""


def interpolated(slot):
    return "".join(f"""  %p{c} = call float @llvm.amdgcn.lds.param.load(i32 {c}, i32 {slot}, i32 %mask)
  %t{c} = call float @llvm.amdgcn.interp.inreg.p10(float %p{c}, float %i, float %p{c})
  %c{c} = call float @llvm.amdgcn.interp.inreg.p2(float %p{c}, float %j, float %t{c})
""" for c in range(4))


# A pixel: the colour times what set 0, binding 3 has, and a push constant for its alpha.
PIXEL = HEAD + """define amdgpu_ps void @ps(i32 inreg %mask, <2 x float> %sample, <2 x float> %center) #0 {
  %i = extractelement <2 x float> %center, i32 0
  %j = extractelement <2 x float> %center, i32 1
""" + interpolated(1) + """  %d = call <4 x i32> @lull.buffer.desc(i32 0, i32 3, i32 0)
  %k0 = call float @llvm.amdgcn.s.buffer.load.f32(<4 x i32> %d, i32 0, i32 0)
  %k1 = call float @llvm.amdgcn.s.buffer.load.f32(<4 x i32> %d, i32 4, i32 0)
  %k2 = call float @llvm.amdgcn.s.buffer.load.f32(<4 x i32> %d, i32 8, i32 0)
  %r = fmul float %c0, %k0
  %g = fmul float %c1, %k1
  %b = fmul float %c2, %k2
  %ai = call i32 @lull.push.constant(i32 4)
  %a = bitcast i32 %ai to float
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %r, float %g, float %b, float %a, i1 true, i1 true)
  ret void
}
attributes #0 = { "InitialPSInputAddr"="2" WAVE }
"""


def vertex(wave=32):
    hi = "call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %l0)" if wave == 64 else "add i32 %l0, 0"
    attrs = '"target-features"="+wavefrontsize64"' if wave == 64 else ""
    return VERTEX.replace("LANE", hi).replace("WAVE", str(wave)).replace("ATTRS", attrs)


def pixel(wave=32):
    return PIXEL.replace("WAVE", '"target-features"="+wavefrontsize64"' if wave == 64 else "")


def in_functions(ps):
    """A pixel shader whose components are loaded and interpolated in functions that it calls."""
    before, body = ps.split("define", 1)
    functions = ""
    for c in range(4):
        begin, last = body.index(f"  %p{c} ="), body.index(f"  %c{c} =")
        stop = body.index("\n", last) + 1
        functions += f"define internal float @component{c}(i32 %mask, float %i, float %j) alwaysinline {{\n{body[begin:stop]}  ret float %c{c}\n}}\n"
        body = body[:begin] + f"  %c{c} = call float @component{c}(i32 %mask, float %i, float %j)\n" + body[stop:]
    return before + functions + "define" + body


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def clip(x, y, z=0.5, w=1.0):
    """A place in pixels, as a position in clip space."""
    return ((2 * x / W - 1) * w, (2 * y / H - 1) * w, z * w, w)


class Picture:
    """What the GPU should draw: pixel centres, edge functions, w-weighted attributes, in Python's doubles."""

    def __init__(self, clear=(0, 0, 0, 0)):
        self.color = [[tuple(clear)] * W for _ in range(H)]
        self.depth = [[1.0] * W for _ in range(H)]

    def triangle(self, corners, shade, less=False):
        """corners: (x, y, z, w, colour) in pixels."""
        (x0, y0), (x1, y1), (x2, y2) = ((c[0], c[1]) for c in corners)
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        for y in range(H):
            for x in range(W):
                px, py = x + 0.5, y + 0.5
                e = [(x2 - x1) * (py - y1) - (px - x1) * (y2 - y1), (x0 - x2) * (py - y2) - (px - x2) * (y0 - y2),
                     (x1 - x0) * (py - y0) - (px - x0) * (y1 - y0)]
                assert 0 not in e, "an edge through a centre: choose other corners"
                if not all((v > 0) == (area > 0) for v in e):
                    continue
                bary = [v / area for v in e]
                z = sum(b * c[2] for b, c in zip(bary, corners))
                if less and not z < self.depth[y][x]:
                    continue
                self.depth[y][x] = z
                over = [b / c[3] for b, c in zip(bary, corners)]
                weights = [o / sum(over) for o in over]
                self.color[y][x] = shade([sum(b * c[4][k] for b, c in zip(weights, corners)) for k in range(4)])

    def rgba8(self):
        return [tuple(round(min(max(v, 0), 1) * 255) for v in p) for row in self.color for p in row]


def close(got, want, most=1):
    """Pixels that differ by more than @most."""
    pixels = [tuple(got[i:i + 4]) for i in range(0, len(got), 4)]
    bad = [(i % W, i // W, g, w) for i, (g, w) in enumerate(zip(pixels, want)) if max(abs(a - b) for a, b in zip(g, w)) > most]
    return len(pixels) == len(want) and not bad, bad[:3]


def odd(corners):
    """Corners off the whole pixels, on 1/256 of them: no edge goes through a centre."""
    return [(x + (11 + 30 * i) / 256, y + (29 + 14 * i) / 256, z, w, c) for i, (x, y, z, w, c) in enumerate(corners)]


CORNERS = odd([(3, 2, 0.25, 1.0, (1, 0, 0.25, 1)), (45, 7, 0.5, 1.0, (0, 1, 0.5, 1)), (12, 37, 0.75, 1.0, (0.5, 0.25, 1, 1))])
FACTOR, ALPHA = (1.0, 0.5, 0.75), 0.25
TABLE = [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 3}]}, {"type": "push_constants", "size": 2}]


def shade(c):
    return (*(v * f for v, f in zip(c, FACTOR)), ALPHA)


def vertices(corners):
    return floats([v for x, y, z, w, c in corners for v in (*clip(x, y, z, w), *c)])


def moved(corners, dx, dy):
    return [(x + dx, y + dy, z, w, c) for x, y, z, w, c in corners]


def by(*pixels):
    """Buffer 1: by how much instances are moved."""
    return floats([v for dx, dy in pixels for v in (2 * dx / W, 2 * dy / H, 0, 0)])


class Bench:
    def __init__(self, d):
        self.d, self.layout = d, None

    def file(self, name, data):
        p = self.d / name
        p.write_bytes(data) if isinstance(data, bytes) else p.write_text(data)
        return p

    def link(self, name, vs, ps, nodes=TABLE, **more):
        """A pipeline of two relocatable shaders."""
        out = self.d / f"{name}.elf"
        self.layout = self.file(f"{name}.json", json.dumps({"nodes": nodes, **more}))
        said = []
        for stage, text in (("vs", vs), ("ps", ps)):
            said.append(run("cc", "--relocatable", self.file(f"{name}-{stage}.ll", text), "-o", self.d / f"{name}-{stage}.o"))
        said.append(run("link", self.d / f"{name}-vs.o", self.d / f"{name}-ps.o", "--layout", self.layout, "-o", out))
        case(f"{name}: linked", all(r[0] == 0 for r in said), said)
        return out

    def draw(self, pipeline, count, corners, *args, move=((0, 0),), target=f"{W}x{H}", bind=True):
        out = self.d / "target.bin"
        out.unlink(missing_ok=True)
        binds = ["--bind", "0.3=values:f32:" + ",".join(map(str, FACTOR)), "--push", f"u32:0,f32:{ALPHA}"] if bind else []
        r = run("run", pipeline, "--layout", self.layout, "--draw", count, "--target", target, "--out", f"target={out}", *binds,
                "--vertices", f"0={self.file('v.bin', vertices(corners))}:stride=32",
                "--vertices", f"1={self.file('i.bin', by(*move))}:stride=16", *args)
        return r, out.read_bytes() if out.exists() else b""


def triangles(b):
    pipeline = b.link("triangle", vertex(), pixel())
    want = Picture((0, 0, 1, 1))
    want.triangle(CORNERS, shade)
    first = b.draw(pipeline, 3, CORNERS, "--clear", "0,0,1,1")
    case("one triangle", first[0][0] == 0 and close(first[1], want.rgba8())[0], (first[0], close(first[1], want.rgba8())))
    for seed in (1, 7):
        r = b.draw(pipeline, 3, CORNERS, "--clear", "0,0,1,1", "--seed", seed)
        case(f"the same with seed {seed}", r == first, r[0])
    for name, args, values in (("u16", ["--indices", "u16=values:u16:2,0,1"], CORNERS), ("u8", ["--indices", "u8=values:u8:2,0,1"], CORNERS),
                               ("u32, further on", ["--indices", "u32=values:u32:2,0,1", "--first-vertex", 2], CORNERS[:2] + CORNERS)):
        r = b.draw(pipeline, 3, values, "--clear", "0,0,1,1", *args)
        case(f"indices of {name}", r[0][0] == 0 and close(r[1], want.rgba8())[0], (r[0], close(r[1], want.rgba8())))
    near = [(x, y, z, w, c) for (x, y, z, _, c), w in zip(CORNERS, (1, 4, 2))]
    want = Picture()
    want.triangle(near, shade)
    r = b.draw(pipeline, 3, near)
    case("in perspective", r[0][0] == 0 and close(r[1], want.rgba8())[0], (r[0], close(r[1], want.rgba8())))
    small = odd([(2, 1, 0.5, 1.0, (1, 0, 0, 1)), (13, 3, 0.5, 1.0, (0, 1, 0, 1)), (4, 12, 0.5, 1.0, (0, 0, 1, 1))])
    places = [(0, 0), (17, 5), (30, 24), (5, 20)]
    want = Picture()
    for dx, dy in places[1:]:
        want.triangle(moved(small, dx, dy), shade)
    r = b.draw(pipeline, 3, small, "--instances", 3, "--first-instance", 1, move=places)
    case("instances", r[0][0] == 0 and close(r[1], want.rgba8())[0], (r[0], close(r[1], want.rgba8())))
    for name, vs, ps in (("waves of 64", vertex(64), pixel(64)), ("parameters in a function", vertex(), in_functions(pixel()))):
        r = b.draw(b.link(name.replace(" ", "-"), vs, ps), 3, CORNERS, "--clear", "0,0,1,1")
        case(name, r[0][0] == 0 and r[1] == first[1], r[0])
    b.layout = b.d / "triangle.json"
    return pipeline


def layouts(b):
    """One relocatable shader: its descriptor and push constants may lie anywhere."""
    want = Picture()
    want.triangle(CORNERS, shade)
    buf, push = {"type": "buffer", "binding": 3}, {"type": "push_constants", "size": 2}
    for name, nodes in (("push constants first", [push, {"type": "table", "set": 0, "nodes": [buf]}]),
                        ("far in the table", [{"type": "table", "set": 0, "nodes": [{**buf, "offset": 300}]}, push]),
                        ("dynamic", [push, {**buf, "set": 0}]),
                        ("compact", [{"type": "table", "set": 0, "nodes": [{"type": "buffer_compact", "binding": 3}]}, push]),
                        ("beside other sets", [{"type": "table", "set": 5, "nodes": [{"type": "resource", "binding": 0}]}, push,
                                               {"type": "table", "set": 0, "nodes": [{"type": "sampler", "binding": 0}, buf]}])):
        r = b.draw(b.link(name.replace(" ", "-"), vertex(), pixel(), nodes), 3, CORNERS)
        case(f"layout: {name}", r[0][0] == 0 and close(r[1], want.rgba8())[0], (r[0], close(r[1], want.rgba8())))
    b.layout = b.d / "triangle.json"


def more(b, pipeline):
    quad = odd([(5, 4, 0.5, 1.0, (1, 0, 0, 1)), (41, 6, 0.5, 1.0, (0, 1, 0, 1)), (7, 35, 0.5, 1.0, (0, 0, 1, 1)), (39, 33, 0.5, 1.0, (1, 1, 1, 1))])
    want = Picture()
    want.triangle(quad[:3], shade)
    want.triangle(quad[1:], shade)
    r = b.draw(pipeline, 4, quad, "--topology", "triangle-strip")
    case("a strip", r[0][0] == 0 and close(r[1], want.rgba8())[0], (r[0], close(r[1], want.rgba8())))
    fan = b.draw(pipeline, 4, [quad[1], quad[0], quad[2], quad[3]], "--topology", "triangle-fan")
    want = Picture()
    want.triangle([quad[1], quad[0], quad[2]], shade)
    want.triangle([quad[1], quad[2], quad[3]], shade)
    case("a fan", fan[0][0] == 0 and close(fan[1], want.rgba8())[0], (fan[0], close(fan[1], want.rgba8())))
    r = b.draw(pipeline, 2, [(10.5, 20.5, 0.5, 1.0, (1, 1, 1, 1)), (30.5, 8.5, 0.5, 1.0, (1, 1, 1, 1))], "--topology", "point-list")
    lit = {(i % W, i // W) for i in range(W * H) if r[1][4 * i:4 * i + 4] != bytes(4)}
    case("points", r[0][0] == 0 and lit == {(10, 20), (30, 8)}, (r[0], lit))
    r = b.draw(pipeline, 2, [(4.5, 10.5, 0.5, 1.0, (1, 1, 1, 1)), (20.5, 10.5, 0.5, 1.0, (1, 1, 1, 1))], "--topology", "line-list")
    lit = {(i % W, i // W) for i in range(W * H) if r[1][4 * i:4 * i + 4] != bytes(4)}
    case("a line", r[0][0] == 0 and {(x, 10) for x in range(5, 20)} <= lit <= {(x, 10) for x in range(4, 21)}, (r[0], lit))
    two = odd([(3, 2, 0.9, 1.0, (1, 0, 0, 1)), (45, 7, 0.1, 1.0, (1, 0, 0, 1)), (12, 37, 0.5, 1.0, (1, 0, 0, 1)),
           (44, 3, 0.6, 1.0, (0, 1, 0, 1)), (2, 6, 0.3, 1.0, (0, 1, 0, 1)), (35, 38, 0.8, 1.0, (0, 1, 0, 1))])
    want = Picture()
    want.triangle(two[:3], shade, less=True)
    want.triangle(two[3:], shade, less=True)
    depth = b.d / "depth.bin"
    r = b.draw(pipeline, 6, two, "--depth", "less", "--out", f"depth={depth}")
    got = struct.unpack(f"<{W * H}f", depth.read_bytes()) if depth.exists() else ()
    apart = [abs(g - w) for g, w in zip(got, (v for row in want.depth for v in row))]
    case("depth: colours", r[0][0] == 0 and close(r[1], want.rgba8())[0], (r[0], close(r[1], want.rgba8())))
    case("depth: values", len(apart) == W * H and max(apart) < 1e-5, max(apart, default=None))
    want = Picture()
    want.triangle(CORNERS, shade)
    r = b.draw(pipeline, 3, CORNERS, target=f"{W}x{H}:rgba32f")
    got = struct.unpack(f"<{W * H * 4}f", r[1]) if len(r[1]) == W * H * 16 else ()
    apart = [abs(g - w) for g, w in zip(got, (v for row in want.color for p in row for v in p))]
    case("a target of floats", r[0][0] == 0 and len(apart) == W * H * 4 and max(apart) < 1e-5, (r[0], max(apart, default=None)))
    png = b.d / "t.png"
    r = b.draw(pipeline, 3, CORNERS, "--out", f"target={png}")
    case("a picture for people", r[0][0] == 0 and png.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and
         struct.unpack(">II", png.read_bytes()[16:24]) == (W, H), r[0])
    before = bytes(range(256)) * (W * H * 4 // 256)
    r = b.draw(pipeline, 3, moved(CORNERS, 100, 0), target=f"{W}x{H}:rgba8:{b.file('before', before)}")
    case("beside the target nothing changes", r[0][0] == 0 and r[1] == before, r[0])


with tempfile.TemporaryDirectory() as tmp:
    bench = Bench(pathlib.Path(tmp))
    drawn = triangles(bench)
    layouts(bench)
    more(bench, drawn)
end()
