#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Vertex attributes and colours by the layout's formats: what shaders see and targets get, against what this script computes. glue.py LULL.

A vertex shader stores the attributes that it is given into a buffer; a pixel shader's colour is read back from the target. Values are those of
Vulkan's "Numeric Representation and Computation" and "Fixed-Point Data Conversion". Runs on the model through lull run."""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
rnd = random.Random(11)


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


# What the formats are: components as (name, bits), from the lowest bit or byte of memory on, by Vulkan's rules of names.
def components(name):
    packed = re.search(r"_PACK(8|16|32)$", name)
    parts = [(c, int(b)) for c, b in re.findall(r"([RGBA])(\d+)", name.split("_")[0])]
    return parts[::-1] if packed else parts


def kind(name):
    return name.split("_")[1]


def bits_to_value(k, bits, n):
    """A component's bits as what a shader sees: a float, or an int."""
    signed = n - (1 << bits) if n >> bits - 1 else n
    if k == "UINT":
        return n
    if k == "SINT":
        return signed
    if k == "UNORM":
        return n / ((1 << bits) - 1)
    if k == "SNORM":
        return max(signed / ((1 << bits - 1) - 1), -1.0)
    if k == "USCALED":
        return float(n)
    if k == "SSCALED":
        return float(signed)
    if k == "SFLOAT":
        return struct.unpack({16: "<e", 32: "<f", 64: "<d"}[bits], n.to_bytes(bits // 8, "little"))[0]
    if k == "UFLOAT":  # 5 bits of exponent, no sign: the same as a half with fewer bits
        return struct.unpack("<e", (n << 15 - bits).to_bytes(2, "little"))[0]
    raise ValueError(k)


def texel(name, ns):
    out = at = 0
    for (_, bits), n in zip(components(name), ns):
        out |= n << at
        at += bits
    return out.to_bytes(at // 8, "little")


def random_bits(name):
    out = []
    for _, bits in components(name):
        n = rnd.choice([0, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, rnd.getrandbits(bits), rnd.getrandbits(bits)])
        if "FLOAT" in kind(name) and bits <= 16:  # finite numbers
            n = rnd.getrandbits(bits) & ~(1 << (10 if bits == 16 else bits - 5))
        elif "FLOAT" in kind(name) and bits == 32:
            n = struct.unpack("<I", struct.pack("<f", rnd.uniform(-1e6, 1e6)))[0]
        out.append(n)
    return out


def seen(name, ns):
    """RGBA that a shader sees."""
    got = {c: bits_to_value(kind(name), bits, n) for (c, bits), n in zip(components(name), ns)}
    one = 1 if kind(name) in ("UINT", "SINT") else 1.0
    return [got.get(c, one if c == "A" else 0 * one) for c in "RGBA"]


SUFFIX = {"float": "f32", "i32": "i32", "half": "f16", "i16": "i16"}


def typed(t, n):
    return (t, SUFFIX[t]) if n == 1 else (f"<{n} x {t}>", f"v{n}{SUFFIX[t]}")


HEAD = """target triple = "amdgcn-amd-amdpal"
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)
declare void @llvm.amdgcn.exp.i32(i32, i32, i32, i32, i32, i32, i1, i1)
declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.kill(i1)
declare <4 x i32> @lull.buffer.desc(i32, i32, i32)
declare i32 @lull.push.constant(i32)
declare i32 @lull.user.data(i32)
"""

VS = """define amdgpu_gs void @vs(i32 inreg %s0, i32 inreg %s1, i32 inreg %s2, i32 inreg %info, i32 inreg %s4, i32 inreg %s5,
    i32 inreg %s6, i32 inreg %s7, i32 %prim, i32 %v1, i32 %v2, i32 %v3, i32 %v4, i32 %vertex, i32 %v6, i32 %v7, i32 %instance) {
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
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
BODY
  br label %end
end:
  ret void
}
"""


def dump(attributes):
    """A vertex shader that stores what it is given: [(location, component, type, n)], 16 dwords apart; a point at the picture's upper left."""
    decls, body, at = set(), "  %out = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)\n", 0
    body += "  %many = call i32 @lull.push.constant(i32 0)\n  %i0 = mul i32 %instance, %many\n  %i1 = add i32 %i0, %vertex\n"
    body += f"  %base = mul i32 %i1, {16 * len(attributes)}\n"
    for i, (location, component, t, n) in enumerate(attributes):
        full, suffix = typed(t, n)
        decls.add(f"declare {full} @lull.vertex.input.{suffix}(i32, i32)\n")
        body += f"  %a{i} = call {full} @lull.vertex.input.{suffix}(i32 {location}, i32 {component})\n"
        for c in range(n):
            e = f"%e{i}_{c}"
            body += f"  {e} = extractelement {full} %a{i}, i32 {c}\n" if n > 1 else f"  {e} = bitcast {t} %a{i} to {t}\n"
            if t == "half":
                body += f"  %x{i}_{c} = fpext half {e} to float\n  %w{i}_{c} = bitcast float %x{i}_{c} to i32\n"
            elif t == "i16":
                body += f"  %w{i}_{c} = sext i16 {e} to i32\n"
            else:
                body += f"  %w{i}_{c} = bitcast {t} {e} to i32\n"
            body += f"  %o{i}_{c} = add i32 %base, {16 * i + 4 * c}\n"
            body += f"  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %w{i}_{c}, <4 x i32> %out, i32 %o{i}_{c}, i32 0, i32 0)\n"
        at += 16
    body += "  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float -0.5, float -0.5, float 0.5, float 1.0, i1 true, i1 false)\n"
    return HEAD + "".join(sorted(decls)) + VS.replace("BODY", body)


def pixel(colors, before="", attrs="", kill=False):
    """A pixel shader of constant colours: [(location, index, type, [values as IR text])]."""
    decls, body = set(), before
    for location, index, t, values in colors:
        full, suffix = typed(t, len(values))
        decls.add(f"declare void @lull.color.export.{suffix}(i32, i32, {full})\n")
        value = values[0] if len(values) == 1 else "<" + ", ".join(f"{t} {v}" for v in values) + ">"
        body += f"  call void @lull.color.export.{suffix}(i32 {location}, i32 {index}, {full} {value})\n"
    return HEAD + "".join(sorted(decls)) + f"define amdgpu_ps void @ps(i32 inreg %mask, <2 x float> %sample, <2 x float> %center) #0 {{\n{body}  ret void\n}}\n" \
        f'attributes #0 = {{ "InitialPSInputAddr"="2" {attrs} }}\n'


def f32(v):
    return f"0x{struct.unpack('<Q', struct.pack('<d', struct.unpack('<f', struct.pack('<f', v))[0]))[0]:016X}"


# A vertex shader for colours: one triangle over everything, from the number of the vertex.
COVER = HEAD + VS.replace("BODY", """  %is1 = icmp eq i32 %vertex, 1
  %is2 = icmp eq i32 %vertex, 2
  %x = select i1 %is1, float 3.0, float -1.0
  %y = select i1 %is2, float 3.0, float -1.0
  %unused = call i32 @lull.push.constant(i32 0)
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %x, float %y, float 0.5, float 1.0, i1 true, i1 false)""")

NODES = [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 0}]}, {"type": "push_constants", "size": 1}]


class Bench:
    def __init__(self, d):
        self.d, self.n = d, 0

    def file(self, name, data):
        p = self.d / name
        p.write_bytes(data) if isinstance(data, bytes) else p.write_text(data)
        return p

    def whole(self, vs, ps, layout):
        """Both stages with the layout, then linked: there is nothing left to do."""
        self.n += 1
        path, out = self.file(f"l{self.n}.json", json.dumps(layout)), self.d / f"p{self.n}.elf"
        objects, said = [], []
        for stage, text in (("vs", vs), ("ps", ps)):
            objects.append(self.d / f"{stage}{self.n}.o")
            said.append(run("cc", "--layout", path, self.file(f"{stage}{self.n}.ll", text), "-o", objects[-1]))
        said.append(run("link", *objects, "--layout", path, "-o", out))
        return path, out, [s for s in said if s[0] != 0]

    def linked(self, vs, ps, layout, *args):
        """Relocatable objects, which the linker completes."""
        self.n += 1
        path, out = self.file(f"l{self.n}.json", json.dumps(layout)), self.d / f"p{self.n}.elf"
        objects, said = [], []
        for stage, text in (("vs", vs), ("ps", ps)):
            objects.append(self.d / f"{stage}{self.n}.o")
            said.append(run("cc", "--relocatable", self.file(f"{stage}{self.n}.ll", text), "-o", objects[-1]))
        said.append(run("link", *objects, "--layout", path, "-o", out, *args))
        self.said = said[-1][1]
        return path, out, [s for s in said if s[0] != 0]

    def draw(self, how, vs, ps, layout, *args, place="target"):
        path, out, said = getattr(self, how)(vs, ps, layout)
        got = self.d / "got.bin"
        got.unlink(missing_ok=True)
        r = run("run", out, "--layout", path, "--out", f"{place}={got}", *args) if not said else said
        return r, got.read_bytes() if got.exists() else b""


def near(got, want, bits=22):
    """Equal, or the nearest floats to it: conversions of fixed-point numbers need not be rounded right."""
    return got == want or isinstance(want, float) and abs(got - want) <= max(abs(want) * 2.0 ** -bits, 1e-40)


VERTEX_FORMATS = [f"{n}_{k}" for n in ("R8", "R8G8", "R8G8B8", "R8G8B8A8") for k in ("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT")]
VERTEX_FORMATS += [f"{n}_{k}" for n in ("R16", "R16G16", "R16G16B16", "R16G16B16A16") for k in ("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SFLOAT")]
VERTEX_FORMATS += [f"{n}_{k}" for n in ("R32", "R32G32", "R32G32B32", "R32G32B32A32") for k in ("UINT", "SINT", "SFLOAT")]
VERTEX_FORMATS += [f"B8G8R8A8_{k}" for k in ("UNORM", "SNORM", "UINT", "SINT")]
VERTEX_FORMATS += [f"{n}_{k}_PACK32" for n in ("A8B8G8R8", "A2B10G10R10", "A2R10G10B10") for k in ("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT")]
VERTEX_FORMATS += ["B10G11R11_UFLOAT_PACK32"]


def fetches(b, how):
    many, vertices = 12, 5
    for first in range(0, len(VERTEX_FORMATS), many):
        names = VERTEX_FORMATS[first:first + many]
        rows = [[random_bits(n) for n in names] for _ in range(vertices + 1)]
        # One after the other, packed formats at multiples of 4 bytes, in two buffers.
        offsets, strides = [], [0, 4]
        for i, name in enumerate(names):
            size = len(texel(name, rows[0][i]))
            align = 4 if "PACK" in name else size // len(components(name))
            at = (strides[i % 2] + align - 1) // align * align
            offsets.append(at)
            strides[i % 2] = at + size
        strides = [(s + 3) // 4 * 4 for s in strides]
        data = [bytearray(strides[k] * (vertices + 1)) for k in range(2)]
        for v, row in enumerate(rows):
            for i, name in enumerate(names):
                t = texel(name, row[i])
                data[i % 2][v * strides[i % 2] + offsets[i]:][:len(t)] = t
                at = v * strides[i % 2] + offsets[i]
                data[i % 2][at:at + len(t)] = t
        vs = dump([(3 + i, 0, "i32" if kind(n) in ("UINT", "SINT") else "float", 4) for i, n in enumerate(names)])
        layout = {"nodes": NODES, "color_targets": [{"format": "R8G8B8A8_UNORM"}],
                  "vertex_input": {"bindings": [{"binding": 2 + k, "stride": strides[k]} for k in range(2)],
                                   "attributes": [{"location": 3 + i, "binding": 2 + i % 2, "format": ("VK_FORMAT_" if i % 3 else "") + n, "offset": offsets[i]}
                                                  for i, n in enumerate(names)]}}
        r, got = b.draw(how, vs, pixel([(0, 0, "float", ["0.0"] * 4)]), layout, "--draw", vertices, "--first-vertex", 1, "--topology", "points", "--target", "4x4",
                        "--vertices", f"2={b.file('b2', bytes(data[0]))}:stride={strides[0]}", "--vertices", f"3={b.file('b3', bytes(data[1]))}:stride={strides[1]}",
                        "--bind", f"0.0=zeros:{vertices * 16 * len(names)}", "--push", "u32:0", place="0.0")
        for i, name in enumerate(names):
            integer = kind(name) in ("UINT", "SINT")
            code = {"UINT": "I", "SINT": "i"}.get(kind(name), "f")
            bad = []
            for v in range(vertices):
                at = (v * len(names) + i) * 16
                values = struct.unpack_from(f"<4{code}", got, at) if len(got) >= at + 16 else ()
                want = seen(name, rows[v + 1][i])
                if len(values) != 4 or not all(near(g, w) for g, w in zip(values, want)):
                    bad.append((v, values, want))
            case(f"{how}: {name} in a vertex buffer", r[0] == 0 and not bad, (r, integer, bad[:2]))


# Colour targets: Vulkan's format, what --target calls it, what the export may be off by, in units of the last place of a component.
TARGETS = [("R8_UNORM", "r8", 1), ("R8G8_UNORM", "rg8", 1), ("R8G8B8A8_UNORM", "rgba8", 1), ("R8_UINT", "r8ui", 0),
           ("R8_SINT", "r8i", 0), ("R8G8_UINT", "rg8ui", 0), ("R8G8_SINT", "rg8i", 0), ("R8G8B8A8_UINT", "rgba8ui", 0), ("R8G8B8A8_SINT", "rgba8i", 0),
           ("R8G8B8A8_SNORM", "rgba8_snorm", 1),
           ("R16_UINT", "r16ui", 0), ("R16_SINT", "r16i", 0), ("R16_SFLOAT", "r16f", 1), ("R16G16_UINT", "rg16ui", 0),
           ("R16G16_SINT", "rg16i", 0), ("R16G16_SFLOAT", "rg16f", 1), ("R16G16B16A16_UINT", "rgba16ui", 0), ("R16G16B16A16_SINT", "rgba16i", 0),
           ("R16G16B16A16_SFLOAT", "rgba16f", 1), ("R16_UNORM", "r16", 1), ("R16G16B16A16_UNORM", "rgba16", 1), ("R16G16B16A16_SNORM", "rgba16_snorm", 1),
           ("R32_UINT", "r32ui", 0), ("R32_SINT", "r32i", 0), ("R32_SFLOAT", "r32f", 0), ("R32G32_UINT", "rg32ui", 0), ("R32G32_SINT", "rg32i", 0),
           ("R32G32_SFLOAT", "rg32f", 0), ("R32G32B32A32_UINT", "rgba32ui", 0), ("R32G32B32A32_SINT", "rgba32i", 0), ("R32G32B32A32_SFLOAT", "rgba32f", 0)]


# Formats that lull run does not draw to: the export is that of another one of their kind, whose target shows it.
LIKE = {"R8G8B8A8_SRGB": "R16G16B16A16_SFLOAT", "B8G8R8A8_SRGB": "R16G16B16A16_SFLOAT", "B8G8R8A8_UNORM": "R16G16B16A16_SFLOAT",
        "A8B8G8R8_UNORM_PACK32": "R16G16B16A16_SFLOAT", "A2B10G10R10_UNORM_PACK32": "R16G16B16A16_SFLOAT", "A2B10G10R10_UINT_PACK32": "R16G16B16A16_UINT",
        "A8B8G8R8_SINT_PACK32": "R16G16B16A16_SINT", "B10G11R11_UFLOAT_PACK32": "R16G16B16A16_SFLOAT", "R5G6B5_UNORM_PACK16": "R16G16B16A16_SFLOAT",
        "A1R5G5B5_UNORM_PACK16": "R16G16B16A16_SFLOAT"}


def color_of(name):
    """A colour in the format's range, R to A; what the target should hold, as the components' bits."""
    parts = dict(components(name))
    values = []
    for i, c in enumerate("RGBA"):
        bits, k = parts.get(c, 8), kind(name)
        values.append({"UINT": rnd.getrandbits(bits), "SINT": rnd.getrandbits(bits) - (1 << bits - 1)}.get(k, rnd.uniform(-1 if k in ("SNORM", "SFLOAT") else 0, 1)))
    out = []
    for c, bits in components(name):
        v, k = values["RGBA".index(c)], kind(name)
        if k in ("UINT", "SINT"):
            out.append(v & (1 << bits) - 1)
        elif k == "UNORM" or k == "SRGB" and c == "A":
            out.append(round(v * ((1 << bits) - 1)))
        elif k == "SRGB":
            out.append(round(255 * (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055)))
        elif k == "SNORM":
            out.append(round(v * ((1 << bits - 1) - 1)))
        elif k == "SFLOAT":
            out.append(struct.unpack({16: "<H", 32: "<I"}[bits], struct.pack({16: "<e", 32: "<f"}[bits], v))[0])
        else:  # UFLOAT: a half's upper bits, towards 0
            out.append(struct.unpack("<H", struct.pack("<e", v))[0] >> 15 - bits)
    return values, out


def colors(b, how):
    shown = {n: (t, most) for n, t, most in TARGETS}
    for said, name in ([(n, n) for n in shown] + list(LIKE.items()))[::1 if how == "whole" else 3]:
        target, most = shown[name]
        integer = kind(name) in ("UINT", "SINT")
        narrow = integer and max(n for _, n in components(name)) <= 16
        for t in ("i32", "i16") if narrow else ("i32",) if integer else ("float",):
            values, want = color_of(name)
            text = [str(v) for v in values] if integer else [f32(v) for v in values]
            ps = pixel([(0, 0, t, text)])
            r, got = b.draw(how, COVER, ps, {"nodes": NODES, "color_targets": [{"location": 0, "format": said}]}, "--draw", 3, "--target", f"4x4:{target}", "--push", "u32:0")
            size = len(got) // 16
            apart, n, at = [], int.from_bytes(got[:size], "little"), 0
            for (_, bits), w in zip(components(name), want):
                g = n >> at & (1 << bits) - 1
                at += bits
                if kind(name) == "SNORM":
                    g, w = (v - (1 << bits) if v >> bits - 1 else v for v in (g, w & (1 << bits) - 1))
                apart.append(abs(g - w))
            case(f"{how}: {t} to a target of {said}", r[0] == 0 and size == at // 8 and got == got[:size] * 16 and max(apart) <= most, (r, apart, values, got[:16]))


def shapes(b, how):
    """Parts of attributes, half, i16, 64 bits; buffers of instances."""
    doubles = [[rnd.uniform(-1e9, 1e9) for _ in range(3)] for _ in range(4)]
    halves = [[random_bits("R16G16B16A16_SFLOAT"), random_bits("R16G16_SINT")] for _ in range(4)]
    floats = [[struct.unpack("<f", struct.pack("<f", rnd.uniform(-9, 9)))[0] for _ in range(4)] for _ in range(8)]
    per_vertex = b"".join(struct.pack("<3d", *d) + texel("R16G16B16A16_SFLOAT", h[0]) + texel("R16G16_SINT", h[1]) for d, h in zip(doubles, halves))
    per_instance = b"".join(struct.pack("<4f", *f) for f in floats)
    asked = [(0, 0, "i32", 4), (0, 4, "i32", 2), (1, 0, "half", 4), (1, 2, "half", 1), (1, 1, "float", 3), (2, 0, "i16", 2), (2, 1, "i16", 1), (3, 0, "float", 2),
             (3, 3, "float", 1), (4, 0, "float", 4), (5, 1, "float", 3)]
    layout = {"nodes": NODES, "colorBuffer": [{"format": "VK_FORMAT_R8G8B8A8_UNORM", "channelWriteMask": 15, "blendEnable": False}],
              "vertexBindings": [{"binding": 0, "stride": 36, "inputRate": "VK_VERTEX_INPUT_RATE_VERTEX"},
                                 {"binding": 7, "stride": 16, "inputRate": "VK_VERTEX_INPUT_RATE_INSTANCE"},
                                 {"binding": 8, "stride": 16, "rate": "instance", "divisor": 2}, {"binding": 9, "stride": 16, "rate": "instance", "divisor": 0}],
              "vertexAttributes": [{"location": 0, "binding": 0, "format": "VK_FORMAT_R64G64B64_SFLOAT", "offset": 0},
                                   {"location": 1, "binding": 0, "format": "VK_FORMAT_R16G16B16A16_SFLOAT", "offset": 24},
                                   {"location": 2, "binding": 0, "format": "VK_FORMAT_R16G16_SINT", "offset": 32},
                                   *({"location": 3 + i, "binding": 7 + i, "format": "VK_FORMAT_R32G32B32A32_SFLOAT"} for i in range(3))]}
    instances = b.file("instances", per_instance)
    r, got = b.draw(how, dump(asked), pixel([(0, 0, "float", ["0.0"] * 4)]), layout, "--draw", 3, "--first-vertex", 1, "--instances", 4, "--first-instance", 2,
                    "--topology", "points", "--target", "4x4", "--vertices", f"0={b.file('vertices', per_vertex)}:stride=36",
                    *(w for n in (7, 8, 9) for w in ("--vertices", f"{n}={instances}:stride=16")), "--bind", f"0.0=zeros:{4 * 3 * 16 * len(asked)}",
                    "--push", "u32:3", place="0.0")
    bad = []
    for instance in range(4):
        for v in range(3):
            d, h = doubles[v + 1], halves[v + 1]
            words = struct.unpack("<6I", struct.pack("<3d", *d))
            half, small = seen("R16G16B16A16_SFLOAT", h[0]), seen("R16G16_SINT", h[1])
            want = [words[:4], words[4:], half, half[2:3], half[1:], small[:2], small[1:2], floats[2 + instance][:2], floats[2 + instance][3:],
                    floats[2 + instance // 2], floats[2][1:]]
            for i, w in enumerate(want):
                at = ((instance * 3 + v) * len(asked) + i) * 16
                code = "I" if i < 2 else "i" if isinstance(w[0], int) else "f"
                values = struct.unpack_from(f"<{len(w)}{code}", got, at) if len(got) >= at + 16 else ()
                if tuple(values) != tuple(w):
                    bad.append((instance, v, asked[i], values, w))
    case(f"{how}: parts of attributes, half, i16, 64 bits, instances", r[0] == 0 and not bad, (r, bad[:3]))


def killed(b, how):
    """A pixel shader that discards: what is left gets its colour."""
    for wave in ("", '"target-features"="+wavefrontsize64"'):
        ps = pixel([(0, 0, "float", [f32(v) for v in (1.0, 0.5, 0.25, 1.0)])], attrs=wave)
        ps = ps.replace("<2 x float> %sample, <2 x float> %center)", "<2 x float> %a, <2 x float> %b, <2 x float> %c, <3 x float> %d, <2 x float> %e, "
                        "<2 x float> %f, <2 x float> %g, float %h, float %x, float %y)").replace('"InitialPSInputAddr"="2"', '"InitialPSInputAddr"="770"')
        ps = ps.replace("#0 {\n", "#0 {\n  %keep = fcmp olt float %x, 2.0\n  call void @llvm.amdgcn.kill(i1 %keep)\n", 1)
        r, got = b.draw(how, COVER, ps, {"nodes": NODES, "color_targets": [{"format": "R32G32B32A32_SFLOAT"}]}, "--draw", 3, "--target", "4x4:rgba32f", "--push", "u32:0")
        want = (struct.pack("<4f", 1.0, 0.5, 0.25, 1.0) * 2 + bytes(32)) * 4
        case(f"{how}: pixels that are discarded, {64 if wave else 32} lanes", r[0] == 0 and got == want, (r, got[:64]))


def untold(b, how):
    """Without color_targets a colour is exported as it is, 32_ABGR."""
    values = (0.1, -2.5e20, 3e-30, 7.0)
    ps = pixel([(0, 0, "float", [f32(v) for v in values])])
    r, got = b.draw(how, COVER, ps, {"nodes": NODES}, "--draw", 3, "--target", "4x4:rgba32f", "--push", "u32:0")
    case(f"{how}: no colour targets", r[0] == 0 and got == struct.pack("<4f", *values) * 16, (r, got[:16]))
    _, out, said = getattr(b, how)(COVER, ps, {"nodes": NODES})
    formats = re.findall(r"\.col_0_export_format: +(\d+)", readelf("--notes", out))
    case(f"{how}: no colour targets: the format", not said and formats == ["9"], (said, formats))


def readelf(*args):
    return subprocess.run(["llvm-readelf-19", *map(str, args)], capture_output=True, text=True).stdout


def objects(b):
    """What LLVM's tools see in the linked file."""
    layout = {"nodes": NODES, "vertex_input": {"bindings": [{"binding": 0, "stride": 16}], "attributes": [{"location": 3, "binding": 0, "format": "R16G16_SNORM"}]},
              "color_targets": [{"location": 0, "format": "R8G8B8A8_UNORM"}, {"location": 2, "format": "R32G32_UINT"}]}
    ps = pixel([(0, 0, "float", ["1.0"] * 4), (1, 0, "float", ["1.0"] * 4), (2, 0, "i32", ["1"] * 4)])
    _, out, said = b.linked(dump([(3, 0, "float", 2)]), ps, layout, "--explain")
    symbols = {n: (int(v, 16), int(s)) for v, s, n in re.findall(r"\d+: ([0-9a-f]+) +(\d+) FUNC .* (\S+)\n", readelf("-sW", out))}
    need = ("_amdgpu_gs_main", "_amdgpu_gs_main_fetchless", "_amdgpu_ps_main", "color_export_shader")
    ok = not said and all(n in symbols for n in need)
    ends = {n: sum(symbols[n]) for n in need} if ok else {}
    case("linked: a shader goes from its fetch part to its end", ok and ends[need[0]] == ends[need[1]] and symbols[need[0]][0] < symbols[need[1]][0], (said, symbols))
    case("linked: a shader goes to the end of its export part", ok and ends[need[2]] == ends[need[3]] and symbols[need[2]][0] < symbols[need[3]][0], symbols)
    told = re.findall(r"glue +(.*) \((fetch|export) part\): .*", b.said)
    places = [int(n, 16) for n in re.findall(r"^glue .*? at 0x([0-9a-f]+)$", b.said, re.M)]
    case("linked: --explain says where", ok and sorted(places) == sorted([symbols[need[1]][0], symbols[need[3]][0]]), (told, places, b.said))
    code = subprocess.run(["llvm-objdump-19", "-d", "--disassemble-symbols=color_export_shader", "--mcpu=gfx1100", out], capture_output=True, text=True).stdout
    exports = [re.sub(r"\s+", " ", e) for e in re.findall(r"exp (.*?) *//", code)]
    case("linked: exports of three colours, where the layout has two", len(exports) == 2 and re.fullmatch(r"mrt0 v\d+, v\d+, off, off", exports[0]) is not None and
         re.fullmatch(r"mrt1 v\d+, v\d+, off, off done", exports[1]) is not None, (exports, code))
    notes = readelf("--notes", out)
    formats = dict(re.findall(r"\.col_(\d)_export_format: (\d+)", notes))
    enables = dict(re.findall(r"\.output(\d)_enable: +(\d+)", notes))
    case("linked: formats and masks", [formats.get(str(i)) for i in range(4)] == ["4", "2", "0", "0"] and [enables.get(str(i)) for i in range(4)] == ["15", "0", "3", "0"],
         (formats, enables))
    case("linked: the entry's name", "_fetchless" not in notes and ".vertexInputs" not in notes and ".colorExports" not in notes, notes)


def refused(b, how):
    one = {"nodes": NODES, "color_targets": [{"format": "R8G8B8A8_UNORM"}],
           "vertex_input": {"bindings": [{"binding": 0, "stride": 24}], "attributes": [{"location": 0, "binding": 0, "format": "R64G64B64_SFLOAT"},
                                                                                      {"location": 1, "binding": 0, "format": "R8_UNORM"}]}}
    white = [(0, 0, "float", ["1.0"] * 4)]
    without = {k: v for k, v in one.items() if k != "vertex_input"}
    rows = [("no such location", dump([(2, 0, "float", 4)]), pixel(white), one, ["lull.vertex.input", "no vertex attribute at location 2"]),
            ("behind the last component", dump([(1, 2, "float", 3)]), pixel(white), one, ["3 components from component 2", "there are 4"]),
            ("64 bits as floats", dump([(0, 0, "float", 2)]), pixel(white), one, ["64 bits", "two i32"]),
            ("no vertex input", dump([(0, 0, "i32", 2)]), pixel(white), without, ["the layout has no vertex_input"]),
            ("a colour twice", COVER, pixel(white + [(0, 0, "float", ["1.0"])]), one, ["location 0 is exported twice"]),
            ("location 8", COVER, pixel([(8, 0, "float", ["1.0"])]), one, ["location 8", "there are 8"]),
            ("fewer VGPRs", dump([(1, 0, "float", 1)]).replace(", i32 %v6, i32 %v7, i32 %instance", "").replace("%instance", "%v1").replace("i32 %vertex)", "float %vertex)")
             .replace("%vertex", "%unused").replace("i32 %i0, %unused", "i32 %i0, %i0"), pixel(white), one, ["VGPR 5", "the vertex"]),
            ("in another stage", COVER, pixel(white).replace("ret void", "%a = call float @lull.vertex.input.f32(i32 1, i32 0)\n  ret void")
             .replace("define", "declare float @lull.vertex.input.f32(i32, i32)\ndefine"), one, ["primitive, hull and vertex shaders"]),
            ("another type", COVER, pixel(white).replace(".v4f32(", ".v3f32("), one, ["declared as", "its name ends in"]),
            ("not in one block", COVER, pixel(white).replace("  ret void", "  br label %next\nnext:\n  ret void"), one, ["at whose end the shader returns"])]
    unlinked = {"no such location": [".vertexInputs", "no vertex attribute at location 2"], "no vertex input": [".vertexInputs", "vertex_input"]}
    for name, vs, ps, layout, words in rows:
        if how == "linked":
            if name not in unlinked:
                continue
            words = unlinked[name]
        _, _, said = getattr(b, how)(vs, ps, layout)
        case(f"{how}, refused: {name}", bool(said) and said[0][0] == 3 and all(w in said[0][1] for w in words), said[:1])


with tempfile.TemporaryDirectory() as tmp:
    bench = Bench(pathlib.Path(tmp))
    fetches(bench, "whole")
    colors(bench, "whole")
    shapes(bench, "whole")
    killed(bench, "whole")
    untold(bench, "whole")
    refused(bench, "whole")
    for test in (fetches, colors, shapes, killed, untold, refused):
        test(bench, "linked")
    objects(bench)
end()
