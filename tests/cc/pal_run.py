#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One relocatable shader, linked for many layouts, with and without folding, and compiled whole for each: all must compute
what this script computes. pal_run.py LULL [SEED [N]]: N random layouts from SEED on. Runs on the model through lull run."""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
seed, many = (int(a) for a in (sys.argv[2:] + ["1", "6"][len(sys.argv) - 2:])[:2])


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


DECLS = """declare <4 x i32> @lull.buffer.desc(i32, i32, i32)
declare <4 x i32> @lull.buffer.desc.nonuniform(i32, i32, i32)
declare <4 x i32> @lull.texel.desc(i32, i32, i32)
declare <8 x i32> @lull.image.desc(i32, i32, i32)
declare <4 x i32> @lull.sampler.desc(i32, i32, i32)
declare ptr addrspace(4) @lull.desc.table(i32)
declare i32 @lull.push.constant(i32)
declare ptr addrspace(4) @lull.push.pointer()
declare i32 @lull.workgroup.id(i32)
declare i32 @lull.local.id(i32)
declare i32 @lull.num.workgroups(i32)
declare i32 @lull.device.index()
declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.raw.buffer.store.f32(float, <4 x i32>, i32, i32, i32)
declare i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32>, i32, i32, i32)
declare float @llvm.amdgcn.struct.buffer.load.format.f32(<4 x i32>, i32, i32, i32, i32)
declare <4 x float> @llvm.amdgcn.image.load.2d.v4f32.i32(i32, i32, i32, <8 x i32>, i32, i32)
declare <4 x float> @llvm.amdgcn.image.sample.lz.2d.v4f32.f32(i32, float, float, <8 x i32>, <4 x i32>, i1, i32, i32)
declare void @llvm.amdgcn.s.barrier()
"""

ID = """  %wg = call i32 @lull.workgroup.id(i32 0)
  %l = call i32 @lull.local.id(i32 0)
  %b = mul i32 %wg, 64
  %id = add i32 %b, %l
  %off = shl i32 %id, 2
"""


def shader(body, attrs="", more=""):
    return f"{DECLS}define amdgpu_cs void @main() {attrs} !reqd_work_group_size !0 {{\n{body}  ret void\n}}\n!0 = !{{i32 64, i32 1, i32 1}}\n{more}"


def u32(values):
    return struct.pack(f"<{len(values)}I", *(v & 0xffffffff for v in values))


class Group:
    """A shader, linked for layouts, all with the same resources and result."""

    def __init__(self, d, name, text, binds, groups=2, args=()):
        self.d, self.name, self.binds, self.groups, self.args = d, name, binds, groups, list(args)
        self.ll, self.rel = d / f"{name}.ll", d / f"{name}.elf"
        self.ll.write_text(text)
        status, said = run("cc", "--relocatable", self.ll, "-o", self.rel)
        case(f"{name}: relocatable", status == 0 and said == "", said)

    def layout(self, name, nodes, whole=True, linked=True, **more):
        path, out = self.d / "layout.json", self.d / "linked.elf"
        path.write_text(json.dumps({"nodes": nodes, **more}))
        for how, command in [("linked", ["link", self.rel, "--layout", path, "-o", out]),
                             ("not folded", ["link", self.rel, "--layout", path, "--no-fold", "-o", out]),
                             ("whole", ["cc", "--layout", path, self.ll, "-o", out])]:
            if not (whole if how == "whole" else linked):
                continue
            out.unlink(missing_ok=True)
            status, said = run(*command)
            status2, said2 = run("run", out, "--layout", path, "--groups", self.groups, *self.binds, *self.args) if status == 0 else (0, "")
            case(f"{self.name}, {name}: {how}", status == status2 == 0, (status, said, status2, said2))


def table(s, *nodes, **more):
    return {"type": "table", "set": s, "nodes": list(nodes), **more}


def buf(binding, **more):
    return {"type": "buffer", "binding": binding, **more}


def push(size, **more):
    return {"type": "push_constants", "size": size, **more}


def random_layout(r):
    """Buffers, an array and push constants of the first shader, anywhere, with other things in between."""
    size = {"resource": 8, "sampler": 4, "combined_texture": 12, "texel_buffer": 4, "buffer": 4, "const_buffer": 4, "buffer_compact": 2,
            "const_buffer_compact": 2, "table": 1}
    kinds = ["buffer", "const_buffer", "buffer_compact", "const_buffer_compact"]
    array = {"type": r.choice(kinds), "set": 0, "binding": 3, "count": 4}
    array["stride"] = size[array["type"]] * r.choice([1, 1, 2, 3, 4])
    root, inner = [push(r.choice([4, 5, 16]))], {0: [], 1: []}
    for node in ({"type": r.choice(kinds), "set": 0, "binding": 0}, array, {"type": r.choice(kinds), "set": 1, "binding": 2}):
        (root if r.random() < 0.35 else inner[node["set"]]).append(node)
    for k in range(r.randrange(3)):
        inner[0].append({"type": r.choice(["resource", "sampler", "combined_texture", "texel_buffer"]), "set": 0, "binding": 20 + k,
                         "count": r.choice([1, 3])})
    inner[10] = [{"type": "buffer", "set": 10, "binding": 0}]
    for s, nodes in inner.items():
        r.shuffle(nodes)
        if nodes:
            root.append(table(s, *nodes))
    r.shuffle(root)
    for nodes, gaps in [(root, [0, 0, 1, 3])] + [(n["nodes"], [0, 0, 1, 3, 17, 1000]) for n in root if "nodes" in n]:
        at = 0
        for n in nodes:
            n["offset"] = at + r.choice(gaps)
            at = n["offset"] + (n["size"] if "size" in n else n.get("count", 1) * n.get("stride", size.get(n["type"])))
    return root


with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)

    def file(name, data):
        (d / name).write_bytes(data)
        return d / name

    # 1. Two buffers in two sets, an array of four buffers by workgroup and by lane, push constants: fixed and by offset.
    text = shader(ID + """  %in = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %out = call <4 x i32> @lull.buffer.desc(i32 1, i32 2, i32 0)
  %a2 = call <4 x i32> @lull.buffer.desc(i32 0, i32 3, i32 2)
  %aw = call <4 x i32> @lull.buffer.desc(i32 0, i32 3, i32 %wg)
  %lane = and i32 %l, 3
  %al = call <4 x i32> @lull.buffer.desc.nonuniform(i32 0, i32 3, i32 %lane)
  %k = call i32 @lull.push.constant(i32 0)
  %c = call i32 @lull.push.constant(i32 12)
  %at = shl i32 %wg, 2
  %p = call i32 @lull.push.constant(i32 %at)
  %pp = call ptr addrspace(4) @lull.push.pointer()
  %p2p = getelementptr i32, ptr addrspace(4) %pp, i32 2
  %p2 = load i32, ptr addrspace(4) %p2p
  %n = call i32 @lull.num.workgroups(i32 0)
  %x = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %in, i32 %off, i32 0, i32 0)
  %y2 = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %a2, i32 4, i32 0, i32 0)
  %yw = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %aw, i32 0, i32 0, i32 0)
  %yl = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %al, i32 8, i32 0, i32 0)
  %s0 = mul i32 %x, %k
  %s1 = add i32 %s0, %c
  %s2 = add i32 %s1, %y2
  %s3 = add i32 %s2, %yw
  %s4 = add i32 %s3, %yl
  %s5 = add i32 %s4, %p
  %s6 = add i32 %s5, %p2
  %s7 = add i32 %s6, %n
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %s7, <4 x i32> %out, i32 %off, i32 0, i32 0)
""")
    xs = [(i * 7919 + 3) & 0xffff for i in range(128)]
    arrays = [[1000 * (a + 1) + j for j in range(4)] for a in range(4)]
    pushed = [5, 0x10000, 0x2000000, 77]
    want = [x * 5 + 77 + arrays[2][1] + arrays[i // 64][0] + arrays[i % 4][2] + pushed[i // 64] + pushed[2] + 2
            for i, x in enumerate(xs)]
    binds = ["--bind", f"0.0={file('in', u32(xs))}", "--bind", "1.2=zeros:512", "--push", "u32:" + ",".join(map(str, pushed)),
             "--expect", f"1.2={file('want', u32(want))}"]
    for i, a in enumerate(arrays):
        binds += ["--bind", f"0.3[{i}]={file(f'a{i}', u32(a))}"]
    g = Group(d, "buffers", text, binds)
    arr = buf(3, count=4)
    g.layout("tables and push constants", [table(0, buf(0), arr), table(1, buf(2)), push(4)])
    g.layout("push constants first", [push(4), table(1, buf(2)), table(0, buf(0), arr)])
    g.layout("other order inside a table", [table(0, arr, {"type": "resource", "binding": 9}, buf(0)), push(4), table(1, buf(1), buf(2))])
    for stride in (4, 8, 12):
        g.layout(f"stride {stride * 4}", [table(0, buf(0), buf(3, count=4, stride=stride)), table(1, buf(2)), push(4)])
    g.layout("dynamic input", [{**buf(0), "set": 0}, table(0, arr), table(1, buf(2)), push(4)])
    g.layout("dynamic output", [table(0, buf(0), arr), push(4), {**buf(2), "set": 1}])
    g.layout("both dynamic", [{**buf(2), "set": 1}, {**buf(0), "set": 0}, push(4), table(0, arr)])
    g.layout("dynamic array", [table(0, buf(0)), {**arr, "set": 0}, table(1, buf(2)), push(4)])
    g.layout("dynamic array, stride 32", [table(0, buf(0)), push(4), {**buf(3, count=4, stride=8), "set": 0}, table(1, buf(2))])
    g.layout("compact buffers", [table(0, {"type": "buffer_compact", "binding": 0}, arr), table(1, buf(2)), push(4)])
    g.layout("compact array, last of its table", [table(0, buf(0), {"type": "buffer_compact", "binding": 3, "count": 4}),
                                                  table(1, {"type": "const_buffer_compact", "binding": 2}), push(4)])
    g.layout("dynamic and compact", [{"type": "buffer_compact", "set": 0, "binding": 0}, table(0, arr), table(1, buf(2)), push(4)])
    g.layout("mutable", [table(0, {"type": "mutable", "binding": 0, "stride": 8}, {"type": "mutable", "binding": 3, "count": 4, "stride": 16}),
                         table(1, {"type": "mutable", "binding": 2}), push(4)])
    g.layout("far offsets", [table(0, buf(0, offset=300), buf(3, count=4, offset=5000)), table(1, buf(2, offset=262140)), push(4, offset=90)])
    g.layout("offsets beyond an immediate", [table(0, buf(0, offset=262144), buf(3, count=4, offset=300000)), table(1, buf(2, offset=262143)), push(4)])
    g.layout("tables far behind", [push(4, offset=3), table(1, buf(2), offset=100), table(0, buf(0), arr, offset=120)])
    g.layout("immutable sampler, in between", [table(0, {"type": "sampler", "binding": 1, "immutable": [[146, 4095, 0, 0]]}, buf(0), arr),
                                               table(1, buf(2)), push(4)])

    area = {"type": "push_area", "nodes": [push(4), {**buf(2), "set": 1, "offset": 8}]}
    g.layout("push area", [area, table(0, buf(0), arr)], linked=False)
    g.layout("push area, of more than one set", [{"type": "push_area", "nodes": [push(4), {**buf(2), "set": 1}, {**buf(0), "set": 0}]}, table(0, arr)],
             linked=False)
    g.layout("push area for buffers only", [push(4), {"type": "push_area", "nodes": [{**buf(2), "set": 1}]}, table(0, buf(0), arr)])
    path = d / "area.json"
    path.write_text(json.dumps({"nodes": [area, table(0, buf(0), arr)]}))
    status, said = run("link", g.rel, "--layout", path, "-o", d / "area.elf")
    case("push constants in a push area, linked: refused", status == 3 and "push area" in said and "nodes[0]" in said, (status, said))

    for n in range(seed, seed + many):
        g.layout(f"random, seed {n}", random_layout(random.Random(n)))

    # 2. More user data than SGPRs: sets and push constants out of the spill table.
    body = ID + "  %out = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)\n  %s0 = add i32 %id, 0\n"
    n = 0
    for s in range(1, 12):
        body += f"""  %d{s} = call <4 x i32> @lull.buffer.desc(i32 {s}, i32 1, i32 0)
  %x{s} = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %d{s}, i32 %off, i32 0, i32 0)
  %s{n + 1} = add i32 %s{n}, %x{s}
"""
        n += 1
    for i in range(12):
        body += f"  %p{i} = call i32 @lull.push.constant(i32 {4 * i})\n  %s{n + 1} = add i32 %s{n}, %p{i}\n"
        n += 1
    body += f"  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %s{n}, <4 x i32> %out, i32 %off, i32 0, i32 0)\n"
    values = [[(s * 1000003 + i) & 0xffffffff for i in range(128)] for s in range(12)]
    pushed = [3 ** i for i in range(12)]
    want = [i + sum(values[s][i] for s in range(1, 12)) + sum(pushed) for i in range(128)]
    binds = ["--bind", "0.0=zeros:512", "--push", "u32:" + ",".join(map(str, pushed)), "--expect", f"0.0={file('want2', u32(want))}"]
    for s in range(1, 12):
        binds += ["--bind", f"{s}.1={file(f'v{s}', u32(values[s]))}"]
    g = Group(d, "spilled", shader(body), binds)
    tables = [table(s, buf(1)) for s in range(1, 12)]
    g.layout("rising", [table(0, buf(0)), *tables, push(12)])
    g.layout("falling", [push(12), *reversed(tables), table(0, buf(0))])
    g.layout("some dynamic", [table(0, buf(0)), *tables[:5], push(12), *({**buf(1), "set": s} for s in range(6, 12))])

    # 3. Images and samplers, separate and combined; arrays of them.
    body = ID + """  %out = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %ix = and i32 %l, 3
  %iy0 = lshr i32 %l, 2
  %iy = and i32 %iy0, 1
  %img = call <8 x i32> @lull.image.desc(i32 1, i32 4, i32 %wg)
  %smp = call <4 x i32> @lull.sampler.desc(i32 1, i32 SAMPLER, i32 %wg)
  %one = call <8 x i32> @lull.image.desc(i32 1, i32 7, i32 0)
  %t = call <4 x float> @llvm.amdgcn.image.load.2d.v4f32.i32(i32 15, i32 %ix, i32 %iy, <8 x i32> %one, i32 0, i32 0)
  %tx = extractelement <4 x float> %t, i32 0
  %fx = uitofp i32 %ix to float
  %fy = uitofp i32 %iy to float
  %u0 = fadd float %fx, 1.0
  %u = fmul float %u0, 0.25
  %v0 = fadd float %fy, 0.5
  %v = fmul float %v0, 0.5
  %s = call <4 x float> @llvm.amdgcn.image.sample.lz.2d.v4f32.f32(i32 15, float %u, float %v, <8 x i32> %img, <4 x i32> %smp, i1 false, i32 0, i32 0)
  %sx = extractelement <4 x float> %s, i32 0
  %buf = call <4 x i32> @lull.texel.desc(i32 1, i32 9, i32 0)
  %tb = call float @llvm.amdgcn.struct.buffer.load.format.f32(<4 x i32> %buf, i32 %ix, i32 0, i32 0, i32 0)
  %a = fmul float %tx, 1024.0
  %c = fadd float %a, %sx
  %e = fmul float %tb, 65536.0
  %r = fadd float %c, %e
  call void @llvm.amdgcn.raw.buffer.store.f32(float %r, <4 x i32> %out, i32 %off, i32 0, i32 0)
"""
    f32 = lambda v: struct.pack(f"<{len(v)}f", *v)
    images = [[float(16 * (a + 1) + 2 * i) for i in range(8)] for a in range(2)]  # 4x2
    texels = [1.0, 2.0, 3.0, 4.0]
    want = []
    for i in range(128):
        wg, x, y = i // 64, i % 4, i // 4 % 2
        im = images[wg]
        # The sample lies between texel x and x + 1: linear takes both, clamped at the edge; nearest the right one, or repeats.
        linear = (im[4 * y + x] + im[4 * y + min(x + 1, 3)]) / 2
        nearest = im[4 * y + (x + 1) % 4]
        want.append(images[0][4 * y + x] * 1024 + (linear if wg == 0 else nearest) + texels[x] * 65536)
    separate = shader(body.replace("SAMPLER", "5"))
    common = ["--bind", "0.0=zeros:512", "--bind", f"1.9=texels:r32f:{file('texels', f32(texels))}",
              "--bind", f"1.7=image:4x2:r32f:{file('im0', f32(images[0]))}", "--expect", f"0.0={file('want3', f32(want))}"]
    samplers = ["filter=linear:wrap=clamp", "wrap=repeat"]
    binds = common + sum((["--bind", f"1.4[{a}]=image:4x2:r32f:{file(f'im{a}', f32(images[a]))}", "--bind", f"1.5[{a}]=sampler:{samplers[a]}"]
                          for a in range(2)), [])
    combined_binds = common + sum((["--bind", f"1.4[{a}]=image:4x2:r32f:{d / f'im{a}'}:{samplers[a]}"] for a in range(2)), [])
    g = Group(d, "separate images", separate, binds)
    image, sampler, one, texel = ({"type": "resource", "binding": 4, "count": 2}, {"type": "sampler", "binding": 5, "count": 2},
                                  {"type": "resource", "binding": 7}, {"type": "texel_buffer", "binding": 9})
    g.layout("tight", [table(0, buf(0)), table(1, image, sampler, one, texel)])
    g.layout("stride 48 each", [table(1, {**sampler, "stride": 12}, one, {**image, "stride": 12}, texel), table(0, buf(0))])
    g.layout("in two places", [table(0, buf(0)), table(1, texel, {**image, "offset": 1000}, {**one, "offset": 2000}, {**sampler, "offset": 3000})])
    words = [[int(w, 16) for w in ws] for ws in (("92", "fff000", "4500000", "0"), ("0", "fff000", "4000000", "0"))]
    immutable = Group(d, "immutable samplers", separate, [b for i, b in enumerate(binds) if "sampler" not in b
                                                        and not (i + 1 < len(binds) and "sampler" in binds[i + 1])])
    immutable.layout("out of the layout", [table(0, buf(0)), table(1, image, {**sampler, "immutable": words}, one, texel)])
    g = Group(d, "combined textures", shader(body.replace("SAMPLER", "4")), combined_binds)
    combined = {"type": "combined_texture", "binding": 4, "count": 2}
    g.layout("tight", [table(0, buf(0)), table(1, combined, one, texel)])
    g.layout("stride 64", [table(1, texel, {**combined, "stride": 16}, one), table(0, buf(0))])
    g.layout("samplers at byte 80", [table(1, texel, {**combined, "stride": 24, "sampler_offset": 20}, one), table(0, buf(0))])
    g.layout("samplers at byte 80, strides of that", [table(1, texel, {**combined, "sampler_offset": 20}, one), table(0, buf(0))])
    g.layout("image of a combined texture", [table(0, buf(0)), table(1, combined, {**one, "type": "combined_texture"}, texel)])

    # 4. What else a shader has: constants in memory (relocations for the loader), LDS, scratch, three dimensions, wave64.
    body = """  %out = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %wx = call i32 @lull.workgroup.id(i32 0)
  %wz = call i32 @lull.workgroup.id(i32 2)
  %nx = call i32 @lull.num.workgroups(i32 0)
  %x = call i32 @lull.local.id(i32 0)
  %y = call i32 @lull.local.id(i32 1)
  %z = call i32 @lull.local.id(i32 2)
  %y8 = mul i32 %y, 8
  %z32 = mul i32 %z, 32
  %l0 = add i32 %x, %y8
  %l = add i32 %l0, %z32
  %w0 = mul i32 %wz, %nx
  %w = add i32 %w0, %wx
  %b = mul i32 %w, 64
  %id = add i32 %b, %l
  %off = shl i32 %id, 2
  %i = and i32 %id, 7
  %p = getelementptr [8 x i32], ptr addrspace(4) @table, i32 0, i32 %i
  %t = load i32, ptr addrspace(4) %p
  %q = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %l
  store i32 %t, ptr addrspace(3) %q
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %back = sub i32 63, %l
  %q2 = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %back
  %u = load i32, ptr addrspace(3) %q2
  %s = alloca [16 x i32], addrspace(5)
  %k = and i32 %id, 15
  %sp = getelementptr [16 x i32], ptr addrspace(5) %s, i32 0, i32 %k
  store volatile i32 %id, ptr addrspace(5) %sp
  %k2 = xor i32 %k, 0
  %sp2 = getelementptr [16 x i32], ptr addrspace(5) %s, i32 0, i32 %k2
  %v = load volatile i32, ptr addrspace(5) %sp2
  %r0 = mul i32 %t, 3
  %r1 = add i32 %r0, %u
  %r = add i32 %r1, %v
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %r, <4 x i32> %out, i32 %off, i32 0, i32 0)
"""
    consts = [11, 222, 3333, 44444, 5, 66, 777, 8888]
    more = ("@table = internal addrspace(4) constant [8 x i32] [" + ", ".join(f"i32 {c}" for c in consts) + "]\n"
            "@lds = internal addrspace(3) global [64 x i32] undef\n")
    want = [consts[i % 8] * 3 + consts[(63 - i % 64) % 8] + i for i in range(64 * 6)]
    for wave in (32, 64):
        text = shader(body, f'"target-features"="+wavefrontsize{wave}"', more).replace("i32 64, i32 1, i32 1}", "i32 8, i32 4, i32 2}")
        g = Group(d, f"constants, LDS, scratch, wave{wave}", text,
                  ["--bind", f"0.0=zeros:{4 * len(want)}", "--expect", f"0.0={file('want4', u32(want))}"], groups="3,1,2")
        g.layout("table", [table(0, buf(0))])
        g.layout("dynamic", [push(3), {**buf(0), "set": 0}])

    # 5. Ranges: a binding inside an array's node.
    body = ID + """  %out = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %in = call <4 x i32> @lull.buffer.desc(i32 0, i32 3, i32 0)
  %x = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %in, i32 %off, i32 0, i32 0)
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %x, <4 x i32> %out, i32 %off, i32 0, i32 0)
"""
    g = Group(d, "binding ranges", shader(body), ["--bind", "0.0=zeros:512", "--bind", f"0.3={d / 'in'}", "--expect", f"0.0={d / 'in'}"])
    g.layout("third of a node", [table(0, buf(0), buf(1, count=4, offset=8))], binding_ranges=True)

    # The address of a table, and a number of the pipeline.
    body = ID + """  %out = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %t = call ptr addrspace(4) @lull.desc.table(i32 2)
  %in = load <4 x i32>, ptr addrspace(4) %t
  %n = call i32 @lull.device.index()
  %x = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %in, i32 %off, i32 0, i32 0)
  %y = add i32 %x, %n
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %y, <4 x i32> %out, i32 %off, i32 0, i32 0)
"""
    g = Group(d, "table's address", shader(body), ["--bind", "0.0=zeros:512", "--bind", f"2.0={d / 'in'}",
                                                   "--expect", f"0.0={file('want8', u32([x + 3 for x in xs]))}"])
    g.layout("second", [table(0, buf(0)), table(2, buf(0))], device_index=3)
    g.layout("first", [table(2, buf(0)), {**buf(0), "set": 0}], device_index=3)

    # 6. Addresses in push constants; a dynamic offset; ranges of buffers.
    body = ID + """  %lo = call i32 @lull.push.constant(i32 0)
  %hi = call i32 @lull.push.constant(i32 4)
  %lo64 = zext i32 %lo to i64
  %hi64 = zext i32 %hi to i64
  %h = shl i64 %hi64, 32
  %a = or i64 %h, %lo64
  %base = inttoptr i64 %a to ptr addrspace(1)
  %q = getelementptr i32, ptr addrspace(1) %base, i32 %id
  %in = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %x = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %in, i32 %off, i32 0, i32 0)
  store i32 %x, ptr addrspace(1) %q
"""
    part = [0x1000 + i if 16 <= i + 16 < 116 else 0 for i in range(128)]
    data = [0x1000 + i - 16 for i in range(160)]
    g = Group(d, "dynamic offset", shader(body), ["--bind", f"0.0={file('data', u32(data))}:dynamic=64:range=400", "--buffer", "out=zeros:512",
                                                  "--push", "addr:out", "--expect",
                                                  f"out={file('part', u32([data[16 + i] if i < 100 else 0 for i in range(128)]))}"])
    g.layout("range", [push(2), {**buf(0), "set": 0}])

    # Metadata of version 2: numbers of registers (COMPUTE_USER_DATA_0 is 0x2e40), none of lull's intrinsics.
    (d / "old.ll").write_text(r"""declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)
define amdgpu_cs void @_amdgpu_cs_main(i32 inreg %gt, <4 x i32> inreg %d, i32 inreg %push, i32 inreg %wg, i32 %l) {
  %b = mul i32 %wg, 64
  %id = add i32 %b, %l
  %o = shl i32 %id, 2
  %v = add i32 %id, %push
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %v, <4 x i32> %d, i32 %o, i32 0, i32 0)
  ret void
}
!amdgpu.pal.metadata.msgpack = !{!90}
!90 = !{!"\82\B0amdpal.pipelines\91\83\AA.registers\8B\CD.@\CE\10\00\00\00\CD.A\01\CD.B\02\CD.C\03\CD.D\04\CD.E\00\CD.\07@\CD.\08\01\CD.\09\01\CD.\13\CD\00\8C\CD.\00\CD\80\00\B0.user_data_limit\05\B0.spill_threshold\CE\FF\FF\FF\FF\AEamdpal.version\92\02\06"}
""")
    (d / "old.json").write_text(json.dumps([push(1), {**buf(0), "set": 0}]))
    status, said = run("cc", d / "old.ll", "-o", d / "old.elf")
    status2, said2 = run("run", d / "old.elf", "--layout", d / "old.json", "--groups", 2, "--bind", "0.0=zeros:512", "--push",
                         "64000000", "--expect", f"0.0={file('want7', u32(range(100, 228)))}", "--dump", f"0.0={d / 'dump'}")
    case("registers of version 2", status == status2 == 0 and (d / "dump").read_bytes() == u32(range(100, 228)), (status, said, status2, said2))

    # printf of a relocatable shader: the buffer's descriptor is relocated, too, and the strings are in the pipeline.
    (d / "print.ll").write_text(r"""declare void @lgc.debug.printf(ptr addrspace(4), ...)
declare <4 x i32> @lull.buffer.desc(i32, i32, i32)
declare i32 @lull.local.id(i32)
declare i32 @lull.workgroup.id(i32)
declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)
@fmt = internal addrspace(4) constant [14 x i8] c"lane %d of %u\0A"
define amdgpu_cs void @main() {
  %d = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  %l = call i32 @lull.local.id(i32 0)
  %w = call i32 @lull.workgroup.id(i32 0)
  %c = icmp ult i32 %l, 3
  br i1 %c, label %a, label %b
a:
  call void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) @fmt, i32 %l, i32 %w)
  br label %b
b:
  %o = shl i32 %l, 2
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %l, <4 x i32> %d, i32 %o, i32 0, i32 0)
  ret void
}
""")
    printed = [f"lane {i} of {w}" for i in range(3) for w in range(2)]
    path = d / "print.json"
    for name, nodes in [("table", [table(0, buf(0)), table("0xfffffff0", buf(6))]),
                        ("dynamic", [{**buf(6), "set": "0xfffffff0"}, table(0, buf(0))])]:
        path.write_text(json.dumps(nodes))
        for how in ("linked", "whole"):
            out = d / "print.elf"
            out.unlink(missing_ok=True)
            if how == "linked":
                status, said = run("cc", "--printf", "--relocatable", d / "print.ll", "-o", d / "print.o")
                status, said = run("link", d / "print.o", "--layout", path, "-o", out)
            else:
                status, said = run("cc", "--printf", "--layout", path, d / "print.ll", "-o", out)
            status2, lines = run("run", out, "--layout", path, "--groups", 2, "--bind", "0.0=zeros:256", "--printf")
            case(f"printf, {name}: {how}", status2 == 0 and sorted(lines.splitlines()) == printed, (status, said, status2, lines))
            status2, lines = run("run", out, "--layout", path, "--groups", 2, "--bind", "4294967280.6=zeros:4096",
                                 "--dump", f"4294967280.6={d / 'print.bin'}")
            status3, lines3 = run("printf", "decode", d / "print.bin", "--strings", out)
            case(f"printf, {name}: {how}, decoded later", status2 == status3 == 0 and sorted(lines3.splitlines()) == printed,
                 (status2, lines, status3, lines3))
    status, said = run("run", out, "--layout", path, "--groups", 1, "--printf", "--printf-bind", "7.7")
    case("printf buffer where the layout has none", status == 2 and "set 7, binding 7" in said, (status, said))

    # Refusals of the loader.
    path, rel, out = d / "layout.json", d / "buffers.elf", d / "linked.elf"
    good = [table(0, buf(0), arr), table(1, buf(2)), push(4)]
    path.write_text(json.dumps({"nodes": good}))
    run("link", rel, "--layout", path, "-o", out)

    def refused(name, wants, *args, pipeline=out, want=2):
        status, said = run("run", pipeline, "--layout", path, *args)
        case(name, status == want and all(w in said for w in wants) and len(said.splitlines()) <= 2, (status, said))

    refused("not linked", ["not defined", "lull link"], "--groups", 1, pipeline=rel, want=3)
    refused("no such binding", ["set 4, binding 4"], "--groups", 1, "--bind", "4.4=zeros:4")
    refused("element behind the array", ["binding 3[4]", "has 4"], "--groups", 1, "--bind", "0.3[4]=zeros:4")
    refused("sampler for a buffer", ["is buffer", "a sampler is bound"], "--groups", 1, "--bind", "0.0=sampler")
    refused("too many push constants", ["20 bytes", "16"], "--groups", 1, "--push", "u32:1,2,3,4,5")
    refused("no groups", ["--groups"])
    refused("another size of workgroup", ["64,1,1"], "--groups", 1, "--block", "32")
    refused("option of Vulkan shaders", ["--spec"], "--groups", 1, "--spec", "1=2")
    refused("no such output", ["--out 9.9"], "--groups", 1, "--out", "9.9=/dev/null")
    refused("range", ["from byte 8"], "--groups", 1, "--bind", "0.0=zeros:16:offset=8:range=12")
    refused("hexadecimal", ["'123'"], "--groups", 1, "--push", "hex:123")
    status, said = run("run", out, "--groups", 1)
    case("without its layout", status == 3 and "user SGPR" in said, (status, said))
    (d / "cut.elf").write_bytes(out.read_bytes()[:-300])
    refused("cut", ["cut.elf"], "--groups", 1, pipeline=d / "cut.elf", want=3)
    path.write_text(json.dumps({"nodes": [push(1)]}))
    refused("another layout", ["user SGPR", "limit"], "--groups", 1, want=3)
    status, said = run("run", out, "--layout", d / "none.json", "--groups", 1)
    case("no layout file", status == 3 and "none.json" in said, (status, said))
    # A store far behind a compact buffer faults, and is told.
    path.write_text(json.dumps({"nodes": [table(0, {"type": "buffer_compact", "binding": 0})]}))
    (d / "far.ll").write_text(shader("""  %out = call <4 x i32> @lull.buffer.desc(i32 0, i32 0, i32 0)
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 1, <4 x i32> %out, i32 1073741824, i32 0, i32 0)
"""))
    run("cc", "--layout", path, d / "far.ll", "-o", out)
    status, said = run("run", out, "--layout", path, "--groups", 1, "--bind", "0.0=zeros:64")
    case("page fault", status == 1 and "page fault" in said, (status, said))

end()
