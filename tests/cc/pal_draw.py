#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shaders of LLVM IR, linked to pipelines that draw: every pixel against what this script computes. pal_draw.py LULL.

Corners stand on 1/256 of pixels and edges go through no pixel's centre, so that coverage is exact. Runs on the model through lull run."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "link"))
from lib import assemble, shader  # noqa: E402
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
# Under sanitizers lull, which is debugged, finds their library behind another one that is preloaded.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
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


def in_scratch(ps):
    """A pixel shader that keeps its components in an array of its own, and reads them by a number that only a push constant knows."""
    before, after = ps.split("  %d = call", 1)
    array = "  %array = alloca [64 x float], addrspace(5)\n  %zero = call i32 @lull.push.constant(i32 0)\n"
    for c in range(4):
        array += f"""  %at{c} = getelementptr float, ptr addrspace(5) %array, i32 {9 * c}
  store volatile float %c{c}, ptr addrspace(5) %at{c}
"""
    for c in range(4):
        array += f"""  %n{c} = add i32 %zero, {9 * c}
  %from{c} = getelementptr float, ptr addrspace(5) %array, i32 %n{c}
  %s{c} = load volatile float, ptr addrspace(5) %from{c}
"""
    for c in range(3):
        after = after.replace(f"float %c{c}, %k", f"float %s{c}, %k")
    return before + array + "  %d = call" + after


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

    def draw(self, pipeline, count, corners, *args, move=((0, 0),), target=f"{W}x{H}", under=()):
        out = self.d / "target.bin"
        out.unlink(missing_ok=True)
        binds = ["--bind", "0.3=values:f32:" + ",".join(map(str, FACTOR)), "--push", f"u32:0,f32:{ALPHA}"]
        r = run(*under, "run", pipeline, "--layout", self.layout, "--draw", count, "--target", target, "--out", f"target={out}", *binds,
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
    for name, vs, ps in (("waves of 64", vertex(64), pixel(64)), ("parameters in a function", vertex(), in_functions(pixel())),
                         ("scratch memory", vertex(), in_scratch(pixel()))):
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
    r = b.draw(pipeline, 2, [(10.5, 20.5, 0.5, 1.0, (1, 1, 1, 1)), (30.5, 8.5, 0.5, 1.0, (1, 1, 1, 1))], "--topology", "points")
    lit = {(i % W, i // W) for i in range(W * H) if r[1][4 * i:4 * i + 4] != bytes(4)}
    case("points", r[0][0] == 0 and lit == {(10, 20), (30, 8)}, (r[0], lit))
    r = b.draw(pipeline, 2, [(4.5, 10.5, 0.5, 1.0, (1, 1, 1, 1)), (20.5, 10.5, 0.5, 1.0, (1, 1, 1, 1))], "--topology", "lines")
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
    many, want = [], Picture()
    for i in range(50):  # vertices of more than one subgroup, and of several waves in one
        x, y = 1 + i % 10 * 4 + i // 10, 1 + i // 10 * 7 + i % 3
        many += odd([(x, y, 0.5, 1.0, (1, 0, i / 50, 1)), (x + 6, y + 1, 0.5, 1.0, (0, 1, i / 50, 1)), (x + 2, y + 8, 0.5, 1.0, (i / 50, 0, 1, 1))])
        want.triangle(many[-3:], shade)
    r = b.draw(pipeline, 150, many)
    case("many triangles", r[0][0] == 0 and close(r[1], want.rgba8())[0], (r[0], close(r[1], want.rgba8())))
    png = b.d / "t.png"
    r = b.draw(pipeline, 3, CORNERS, "--out", f"target={png}")
    case("a picture for people", r[0][0] == 0 and png.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and
         struct.unpack(">II", png.read_bytes()[16:24]) == (W, H), r[0])
    before = bytes(range(256)) * (W * H * 4 // 256)
    r = b.draw(pipeline, 3, moved(CORNERS, 100, 0), target=f"{W}x{H}:rgba8:{b.file('before', before)}")
    case("beside the target nothing changes", r[0][0] == 0 and r[1] == before, r[0])


# One triangle over everything, and one colour: two components of set 0, binding 3, a push constant, and 1.
GS_CODE = """ exp prim v0, off, off, off done
 v_mov_b32 v9, 0x40400000
 v_cmp_eq_u32 vcc_lo, 1, v5
 v_cndmask_b32_e64 v1, -1.0, v9, vcc_lo
 v_cmp_eq_u32 vcc_lo, 2, v5
 v_cndmask_b32_e64 v2, -1.0, v9, vcc_lo
 v_mov_b32 v3, 0.5
 v_mov_b32 v4, 1.0
 exp pos0 v1, v2, v3, v4 done
 s_endpgm"""
PS_CODE = """ s_getpc_b64 s[4:5]
 s_mov_b32 s2, doff_0_3_b@abs32@lo
 s_mov_b32 s4, s0
 s_load_b128 s[8:11], s[4:5], s2
 s_waitcnt lgkmcnt(0)
 s_buffer_load_b64 s[12:13], s[8:11], 0x0
 s_waitcnt lgkmcnt(0)
 v_mov_b32 v0, s12
 v_mov_b32 v1, s13
 v_mov_b32 v2, s1
 v_mov_b32 v3, 1.0
 exp mrt0 v0, v1, v2, v3 done
 s_endpgm"""
RSRC1 = 0x00af0001  # 16 VGPRs in wave32, all denormals, clamping, IEEE off

# Both forms of what PAL is given: dwords of registers, as LLVM and PAL number them; names and fields, as LLPC writes them.
GS_NUMBERS = {"SPI_SHADER_PGM_RSRC1_GS": (0x2c8a, RSRC1), "VGT_SHADER_STAGES_EN": (0xa2d5, 2 << 3 | 1 << 13 | 1 << 22 | 1 << 25 | 1 << 26),
              "SPI_SHADER_POS_FORMAT": (0xa1c3, 4), "SPI_VS_OUT_CONFIG": (0xa1b1, 0x80), "PA_CL_VS_OUT_CNTL": (0xa207, 0),
              "PA_CL_VTE_CNTL": (0xa206, 0x43f), "PA_CL_CLIP_CNTL": (0xa204, 0x1000000), "VGT_GS_ONCHIP_CNTL": (0xa291, 64 | 64 << 11),
              "VGT_GS_OUT_PRIM_TYPE": (0xa29b, 2)}
PS_NUMBERS = {"SPI_SHADER_PGM_RSRC1_PS": (0x2c0a, RSRC1), "SPI_SHADER_PGM_RSRC2_PS": (0x2c0b, 2 << 1),
              "SPI_SHADER_USER_DATA_PS_0": (0x2c0c, 0x80000000), "SPI_SHADER_USER_DATA_PS_1": (0x2c0d, 0x80000101),
              "SPI_PS_INPUT_CNTL_0": (0xa191, 0), "SPI_PS_IN_CONTROL": (0xa1b6, 1 << 15), "SPI_PS_INPUT_ENA": (0xa1b3, 2),
              "SPI_PS_INPUT_ADDR": (0xa1b4, 2), "SPI_SHADER_COL_FORMAT": (0xa1c5, 9), "SPI_SHADER_Z_FORMAT": (0xa1c4, 0),
              "CB_SHADER_MASK": (0xa08f, 15), "DB_SHADER_CONTROL": (0xa203, 0x10)}
GS_FIELDS = {".vgt_shader_stages_en": "{.es_stage_en: 2, .primgen_en: 1, .primgen_passthru_en: 1, .primgen_passthru_no_msg: 1, .gs_w32_en: 1}",
             ".spi_shader_pos_format": "[4, 0, 0, 0, 0]", ".spi_vs_out_config": "{.no_pc_export: 1}",
             ".pa_cl_vs_out_cntl": "{.clip_dist_ena_0: 0, .use_vtx_vrs_rate: 0}", ".vgt_gs_out_prim_type": "{.outprim_type: TriStrip}",
             ".vgt_gs_onchip_cntl": "{.es_verts_per_subgroup: 64, .gs_prims_per_subgroup: 64, .gs_inst_prims_per_subgrp: 64}",
             ".vgt_gs_mode": "{.mode: 3, .onchip: 1}", ".es_vgpr_comp_cnt": 3, ".max_verts_per_subgroup": 64}
PS_FIELDS = {".spi_ps_input_cntl": "[{.offset: 0}]", ".spi_ps_in_control": "{.num_interps: 0, .ps_w32_en: 1}",
             ".spi_ps_input_ena": "{.persp_center_ena: 1}", ".spi_ps_input_addr": "{.persp_center_ena: 1}",
             ".spi_shader_col_format": "{.col_0_export_format: 9}", ".spi_shader_z_format": 0, ".cb_shader_mask": "{.output0_enable: 15}",
             ".db_shader_control": "{.z_order: 1, .alpha_to_mask_disable: 1, .conservative_z_export: 0}"}
STAGE = "        .wavefront_size: 32\n        .vgpr_count: 16\n        .float_mode: 0xf0"
USER = "\n        .user_sgprs: 2\n        .user_data_reg_map: [0x80000000, 0x80000101]"


def registers(stage, numbers=None, fields=None, hardware=STAGE):
    """A shader with registers by number or by field."""
    lines = "    .registers: {" + ", ".join(f"{k}: {v}" for k, v in numbers.values()) + "}" if numbers else ""
    lines += "    .graphics_registers:\n" + "\n".join(f"      {k}: {v}" for k, v in fields.items()) if fields else ""
    return shader(stage, GS_CODE if stage == "gs" else PS_CODE, "" if numbers else hardware + (USER if stage == "ps" else ""), pipeline=lines)


def without(table, *names, **more):
    return {k: v for k, v in {**table, **more}.items() if k not in names}


class Written:
    """Pipelines of the two shaders above."""

    def __init__(self, d):
        self.d, self.n = d, 0
        self.layout = d / "written.json"
        self.layout.write_text(json.dumps({"nodes": TABLE}))

    def draw(self, *shaders, args=("--draw", 3)):
        self.n += 1
        objects = [assemble(self.d, f"w{self.n}-{i}.o", text) for i, text in enumerate(shaders)]
        out, target = self.d / f"w{self.n}.elf", self.d / "written.bin"
        target.unlink(missing_ok=True)
        r = run("link", *objects, "--layout", self.layout, "-o", out)
        if r[0] != 0:
            return r, b""
        r = run("run", out, "--layout", self.layout, *args, *(["--target", f"{W}x{H}", "--out", f"target={target}"] if "--draw" in args else []),
                "--bind", "0.3=values:f32:0.2,0.4", "--push", "f32:0,0.6")
        return (r[0], r[1].replace(str(out), "PIPELINE")), target.read_bytes() if target.exists() else b""


def forms(d):
    w = Written(d)
    want = bytes((51, 102, 153, 255)) * (W * H)
    for name, gs, ps in (("numbers", registers("gs", GS_NUMBERS), registers("ps", PS_NUMBERS)),
                         ("fields", registers("gs", fields=GS_FIELDS), registers("ps", fields=PS_FIELDS)),
                         ("numbers and fields", registers("gs", GS_NUMBERS), registers("ps", fields=PS_FIELDS)),
                         ("not all bits of the mask", registers("gs", GS_NUMBERS), registers("ps", {**PS_NUMBERS, "CB_SHADER_MASK": (0xa08f, 13)})),
                         ("rasterization is off", registers("gs", fields={**GS_FIELDS, ".pa_cl_clip_cntl": "{.rasterization_kill: 1}"}),
                          registers("ps", fields=PS_FIELDS))):
        r, got = w.draw(gs, ps)
        expected = {"not all bits of the mask": bytes((51, 0, 153, 255)), "rasterization is off": bytes(4)}.get(name, want[:4]) * (W * H)
        case(f"registers: {name}", r == (0, "") and got == expected, (r, got[:8]))

    gs, ps = registers("gs", GS_NUMBERS), registers("ps", PS_NUMBERS)
    fgs, fps = registers("gs", fields=GS_FIELDS), registers("ps", fields=PS_FIELDS)

    def lacks(stage, table, name):
        kind = "numbers" if table in (GS_NUMBERS, PS_NUMBERS) else "fields"
        other = (gs if kind == "numbers" else fgs) if stage == "ps" else (ps if kind == "numbers" else fps)
        text = registers(stage, **{kind: without(table, name)})
        word = name if kind == "numbers" else name[1:].upper()
        return (f"without {name}", (text, other) if stage == "gs" else (other, text), [f"no register {word}, which a draw needs"])

    numbers = [lacks("gs", GS_NUMBERS, n) for n in ("VGT_SHADER_STAGES_EN", "SPI_SHADER_POS_FORMAT", "SPI_VS_OUT_CONFIG", "PA_CL_VS_OUT_CNTL")]
    numbers += [lacks("ps", PS_NUMBERS, n) for n in ("SPI_PS_IN_CONTROL", "SPI_PS_INPUT_ENA", "SPI_PS_INPUT_ADDR", "SPI_SHADER_COL_FORMAT",
                                                    "SPI_SHADER_Z_FORMAT", "CB_SHADER_MASK", "DB_SHADER_CONTROL")]
    fields = [lacks("ps", PS_FIELDS, n) for n in (".spi_shader_col_format", ".spi_ps_in_control")]
    interps = without(PS_NUMBERS, SPI_PS_IN_CONTROL=(0xa1b6, 1 << 15 | 1))
    rows = [
        *numbers, *fields,
        ("no pixel shader", (fgs,), ["no hardware stage '.ps'"]), ("no primitive shader", (fps,), ["no hardware stage '.gs'"]),
        ("a hull shader", (fgs, fps, registers("hs", fields={".ps_extra_lds_size": 0})), ["hardware stage '.hs'"]),
        ("no primitive generator", (registers("gs", without(GS_NUMBERS, VGT_SHADER_STAGES_EN=(0xa2d5, 1 << 22))), ps), ["VGT_SHADER_STAGES_EN 0x00400000"]),
        ("a mesh shader", (registers("gs", without(GS_NUMBERS, VGT_SHADER_STAGES_EN=(0xa2d5, 1 << 22 | 1 << 13 | 2 << 19))), ps), ["a mesh shader"]),
        ("a geometry shader that does not say how much",
         (registers("gs", without(GS_NUMBERS, "VGT_GS_OUT_PRIM_TYPE", VGT_SHADER_STAGES_EN=(0xa2d5, 1 << 13 | 1 << 5))), ps), ["VGT_GS_MAX_VERT_OUT"]),
        ("a parameter that nobody writes", (gs, registers("ps", interps)), ["reads parameter 0, the primitive shader writes 0"]),
        ("a parameter without a register", (gs, registers("ps", without(interps, "SPI_PS_INPUT_CNTL_0"))), ["no register SPI_PS_INPUT_CNTL_0"]),
        ("a field that is not known", (fgs, registers("ps", fields={**PS_FIELDS, ".pa_new": "{.thing: 1}"})), ["'.pa_new.thing' is not known"]),
        ("a number that is not known", (fgs, registers("ps", fields={**PS_FIELDS, ".new_number": 7})), ["'.new_number' is not known"]),
        ("a list that is not known", (fgs, registers("ps", fields={**PS_FIELDS, ".new_list": "[0, 7]"})), ["'.new_list' is not known"]),
        ("too much for its field", (fgs, registers("ps", fields={**PS_FIELDS, ".spi_shader_z_format": 16})), ["'.spi_shader_z_format'", "4 bits"]),
        ("not a number", (fgs, registers("ps", fields={**PS_FIELDS, ".spi_shader_z_format": "many"})), ["'.spi_shader_z_format'"]),
        ("a wrong name", (registers("gs", fields={**GS_FIELDS, ".vgt_gs_out_prim_type": "{.outprim_type: Dots}"}), fps), ["outprim_type"]),
        ("waves of 48", (registers("gs", fields=GS_FIELDS, hardware=STAGE.replace("32", "48")), fps), ["'.gs'", "'.wavefront_size' is 48"]),
        ("more VGPRs than there are", (registers("gs", fields=GS_FIELDS, hardware=STAGE.replace("16", "600")), fps), ["600 VGPRs"]),
        ("user data of compute shaders", (fgs, registers("ps", fields=PS_FIELDS).replace("0x80000101]", "0x10000006]")), ["'.ps'", "0x10000006"]),
    ]
    for name, shaders, words in rows:
        r, got = w.draw(*shaders)
        case(f"refused: {name}", r[0] == 3 and got == b"" and r[1].count("\n") == 1 and all(x in r[1] for x in ["PIPELINE", *words]), r)
    return w


def usage(d, w):
    """Command lines that cannot be."""
    gs, ps = registers("gs", GS_NUMBERS), registers("ps", PS_NUMBERS)
    cs = shader("cs", " s_endpgm", STAGE)
    draw = ("--draw", 3)
    rows = [
        ("no --draw", (gs, ps), ("--groups", 1), ["PIPELINE", "--draw N"]), ("nothing to do", (gs, ps), (), ["--groups is needed", "--draw"]),
        ("a compute pipeline", (cs,), draw, ["PIPELINE", "--groups"]), ("both", (gs, ps), ("--groups", 1, *draw), ["--groups is not for --draw"]),
        ("no draw", (gs, ps), ("--groups", 1, "--instances", 2), ["--instances is for --draw"]),
        ("lines of a pipeline for triangles", (gs, ps), (*draw, "--topology", "lines"), ["--topology", "VGT_GS_OUT_PRIM_TYPE is 2"]),
        ("adjacency of points", (gs, ps), (*draw, "--topology", "points", "--adjacency"), ["--adjacency is for --topology"]),
        ("fewer indices", (gs, ps), (*draw, "--indices", "u16=values:u16:0,1"), ["--indices has 4 bytes"]),
        ("half an index", (gs, ps), ("--draw", 1, "--indices", "u32=values:u16:0,1,2"), ["--indices has 6 bytes"]),
        ("indices of no type", (gs, ps), (*draw, "--indices", "values:u16:0,1,2"), ["--indices", "u8=, u16= or u32="]),
        ("no stride", (gs, ps), (*draw, "--vertices", "0=zeros:32"), ["--vertices", "stride=N"]),
        ("a stride of 0", (gs, ps), (*draw, "--vertices", "0=zeros:32:stride=0"), ["--vertices", "stride of 0"]),
        ("a buffer twice", (gs, ps), (*draw, *["--vertices", "1=zeros:32:stride=4"] * 2), ["--vertices", "before"]),
        ("a buffer that there is not", (gs, ps), (*draw, "--vertices", "32=zeros:32:stride=4"), ["--vertices", "B=CONTENT"]),
        ("a colour", (gs, ps), (*draw, "--clear", "red"), ["--clear", "R,G,B,A"]),
        ("a colour of no target", (gs, ps), (*draw, "--clear", "1=0,0,0,0"), ["--clear", "target 1 is not given"]),
        ("blending of words", (gs, ps), (*draw, "--blend", "one,plus,zero"), ["--blend", "SRC,OP,DST"]),
        ("blending of two words", (gs, ps), (*draw, "--blend", "one,add"), ["--blend", "SRC,OP,DST"]),
        ("a target twice", (gs, ps), (*draw, *["--target", "0=4x4"] * 2), ["--target", "target 0", "before"]),
        ("targets of two sizes", (gs, ps), (*draw, "--target", "7=4x4"), ["--target 4x4", f"{W}x{H}"]),
        ("a ninth target", (gs, ps), (*draw, "--target", "8=4x4"), ["--target", "0 to 7"]),
        ("three samples", (gs, ps), (*draw, "--samples", "3"), ["--samples 3", "1, 2, 4 or 8"]),
        ("a comparison", (gs, ps), (*draw, "--depth", "lower"), ["--depth", "less-equal"]),
        ("an address as image", (gs, ps), (*draw, "--out", "depth=x"), ["--out depth"]),
    ]
    for name, shaders, args, words in rows:
        r, got = w.draw(*shaders, args=args)
        case(f"usage: {name}", r[0] == 2 and got == b"" and all(x in r[1] for x in words), r)
    for target, word in (("0x4", "WxHxD"), ("8x8x8", "width and height"), ("8", "width and height"), ("8x8:rgb", "format 'rgb'"),
                         ("8x8:rgba8:mips=2", "width and height"), ("20000x8", "WxHxD")):
        r = run("run", d / f"w{w.n}.elf", "--layout", w.layout, "--draw", 3, "--target", target)
        case(f"usage: a target {target}", r[0] == 2 and "--target" in r[1] and word in r[1], r)
    r = run("run", d / f"w{w.n}.elf", "--layout", w.layout, "--draw", 3)
    case("usage: no target", r[0] == 2 and "--draw needs --target" in r[1], r)


def debugged(b, pipeline):
    """lull debug -- lull run: the draw is held, its waves are stopped in both stages, a pixel's history is told."""
    def debug(*commands):
        words = [w for c in commands for w in ("-ex", c)]
        return b.draw(pipeline, 3, CORNERS, "--device", "/dev/dri/renderD128", under=("debug", "-batch", *words, "--", lull))

    want = Picture()
    want.triangle(CORNERS, shade)
    (status, said), got = debug("pixel 20 12", "catch draw", "run", "continue", "pixel 20 12")
    names = re.search(r"gs_[0-9a-f]{8} ps_[0-9a-f]{8}", said)
    told = re.search(r"primitive 0 .* passed\n *shader ([-0-9. e]+), before 0 0 0 0, after ([-0-9. e]+)", said)
    case("debugged: the picture", status == 0 and close(got, want.rgba8())[0], said)
    values = [[float(v) for v in told[i].split()] for i in (1, 2)] if told else [[], []]
    apart = [abs(g - w) for g, w in zip(values[0], want.color[12][20])]
    after = [abs(g - w / 255) for g, w in zip(values[1], want.rgba8()[12 * W + 20])]
    case("debugged: a pixel", len(apart) == len(after) == 4 and max(apart) < 1e-3 and max(after) < 1.01 / 255, said)
    gs, ps = names[0].split() if names else ("gs_0", "ps_0")
    (status, said), _ = debug("catch draw", "run", f"tbreak {gs}", "continue", "print $v5", f"tbreak {ps}", "continue", "info waves -all", "kill")
    case("debugged: stops at vertices", status == 0 and f"<{gs}+0x0>" in said and "*0x00000000  0x00000001  0x00000002" in said, said)
    lanes = [int(e, 16).bit_count() for e in re.findall(r"breakpoint +([0-9a-f]{8}) .*<" + ps + r"\+0x0>", said)]
    case("debugged: stops at pixels", sum(lanes) == sum(d != 1 for row in want.depth for d in row), (lanes, said))


def refused_ir(b):
    """What lull cc does not take."""
    ring = "%ring = call <4 x i32> @lull.attribute.ring(i32 2)"
    for name, text, words in (("no slots", vertex().replace(ring, ring.replace("2)", "0)")), ["lull.attribute.ring", "there are 32"]),
                              ("33 slots", vertex().replace(ring, ring.replace("2)", "33)")), ["lull.attribute.ring", "there are 32"]),
                              ("slots that differ", vertex().replace(ring, ring + "\n  " + ring.replace("%ring", "%r2").replace("2)", "3)")), ["2 slots, and 3 elsewhere"]),
                              ("vertex buffer 32", vertex().replace("desc(i32 1)", "desc(i32 32)"), ["lull.vertex.desc", "there are 32"]),
                              ("in a pixel shader", pixel().replace("call <4 x i32> @lull.buffer.desc(i32 0, i32 3, i32 0)",
                                                                    "call <4 x i32> @lull.vertex.desc(i32 0)"), ["primitive, hull and vertex shaders"])):
        r = run("cc", "--relocatable", b.file("bad.ll", text), "-o", b.d / "bad.o")
        case(f"lull cc refuses {name}", r[0] == 3 and all(x in r[1] for x in ["bad.ll", *words]), r)


with tempfile.TemporaryDirectory() as tmp:
    bench = Bench(pathlib.Path(tmp))
    drawn = triangles(bench)
    layouts(bench)
    more(bench, drawn)
    debugged(bench, drawn)
    usage(pathlib.Path(tmp), forms(pathlib.Path(tmp)))
    refused_ir(bench)
end()
