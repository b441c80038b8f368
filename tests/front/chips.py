#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shaders that draw, compiled for chips that have no model, and linked: their code as LLVM's disassembler reads it, beside the registers of the metadata.

chips.py LULL [--pipe PROGRAM] [--all] [NAME...]: TAP. What runs on gfx1100's model is tested by draw.py; here the same GLSL is compiled for gfx9, gfx10 and gfx12. The first part
follows values through the code: a colour is an interpolated parameter, which parameter that is the metadata say, and the vertex shader has put an attribute's
component there. RADV compiles the same two shaders for such chips, too (--pipe: radv_pipe.c): the same inputs with the same weights, exports and
messages must be there. The last part looks at the exports, parameters and inputs of draw.py's cases (some, or --all): as many as the registers say, each at its place.

Which VGPR is what: Mesa 25.0.7, radv_shader_args.c; interpolation: AMD's ISA guides of Vega, RDNA 1 and RDNA 4; parameters in memory: LLPC's NggPrimShader.cpp."""
import argparse
import collections
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("lull")
parser.add_argument("--pipe", help="radv_pipe, which has RADV compile two shaders")
parser.add_argument("--all", action="store_true")
parser.add_argument("names", nargs="*")
options = parser.parse_intermixed_args()
lull = str(pathlib.Path(options.lull).resolve())
CHIPS = ("gfx900", "gfx906", "gfx1010", "gfx1030", "gfx1100", "gfx1200")
# Hardware stage of a vertex shader, its first user SGPR, VGPRs with the numbers of the vertex and of the instance.
VERTEX = {9: ("vs", 0, 0, 1), 10: ("gs", 8, 5, 8), 11: ("gs", 8, 5, 8), 12: ("gs", 8, 3, 4)}
# Weights in the order of the VGPRs that SPI_PS_INPUT_ENA enables; the parts of the position come behind them.
WEIGHTS = (("persp_sample", 2), ("persp_center", 2), ("persp_centroid", 2), ("persp_pull_model", 3), ("linear_sample", 2), ("linear_center", 2), ("linear_centroid", 2),
           ("line_stipple_tex", 1), ("pos_x_float", 1), ("pos_y_float", 1), ("pos_z_float", 1), ("pos_w_float", 1), ("front_face", 1), ("ancillary", 1), ("sample_coverage", 1))


def generation(cpu):
    return int(cpu[3:-2])


def run(*args):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=300, check=False)
    return r.returncode, r.stdout + r.stderr


def value(text):
    return {"true": True, "false": False}.get(text, int(text, 0) if re.fullmatch(r"-?\d+|0x[0-9a-f]+", text, re.I) else text)


def notes(elf):
    """The pipeline's metadata, as llvm-readelf writes them: maps, lists and numbers of YAML's simplest kind."""
    lines = [ln for ln in subprocess.run(["llvm-readelf-19", "--notes", elf], capture_output=True, text=True, check=True).stdout.splitlines()]
    lines = lines[next(i for i, ln in enumerate(lines) if ln.strip() == "---") + 1:next(i for i, ln in enumerate(lines) if ln.strip() == "...")]
    at = 0

    def indent(line):
        return len(line) - len(line.lstrip())

    def block(depth):
        nonlocal at
        first, out = lines[at].lstrip(), None
        is_list = first.startswith("- ") or first == "-"
        out = [] if is_list else {}
        while at < len(lines) and indent(lines[at]) == depth and lines[at].lstrip().startswith("-") == is_list:
            line = lines[at]
            if is_list:
                rest = line.lstrip()[2:]
                if re.match(r"[^\s:]+:(\s|$)", rest):
                    lines[at] = " " * (depth + 2) + rest
                    out.append(block(depth + 2))
                else:
                    out.append(value(rest.strip()))
                    at += 1
                continue
            key, _, rest = line.strip().partition(":")
            at += 1
            if rest.strip():
                out[key] = {"{}": {}, "[]": []}.get(rest.strip(), value(rest.strip()))
            elif at < len(lines) and (indent(lines[at]) > depth or lines[at].lstrip().startswith("-")):
                out[key] = block(indent(lines[at]))
        return out

    return block(indent(lines[at]))["amdpal.pipelines"][0]


def listing(elf, cpu):
    """Instructions by symbol, and those that LLVM does not know."""
    text, out, name, bad = subprocess.run(["llvm-objdump-19", "-d", f"--mcpu={cpu}", elf], capture_output=True, text=True, check=True).stdout, {}, None, []
    for line in text.splitlines():
        if m := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            name = m[1]
            out[name] = []
        elif name and line.startswith("\t"):
            insn = line.split("//")[0].strip()
            bad += [line] if insn.startswith(".long") or "Invalid" in insn else []
            if not re.match(r"s_(code_end|nop|waitcnt|wait_|clause|delay)", insn):
                out[name].append(insn)
    return out, bad


def stage_code(code, stage):
    """All parts of a hardware stage: what the linker put in front of the shader, the shader, and what it put behind."""
    return [i for name, insns in code.items() if f"_{stage}_" in name or (stage == "ps" and name == "color_export_shader") for i in insns]


def registers(text):
    m = re.fullmatch(r"([vs])(\d+)|([vs])\[(\d+):(\d+)\]", text)
    return [] if not m else [m[1] + m[2]] if m[1] else [f"{m[3]}{i}" for i in range(int(m[4]), int(m[5]) + 1)]


class Machine:
    """What registers hold after straight code, as terms. Branches only skip what no lane does."""

    def __init__(self):
        self.v, self.exports, self.stores = {}, [], {}

    def get(self, text):
        return self.v.get(text, text)

    def pair(self, op, args, rest):
        """(register, term) of one instruction."""
        op = re.sub(r"_e(32|64)(_dpp)?$", "", op).replace("v_dual_", "v_")
        dpp = re.search(r"quad_perm:\[(.*?)\]", rest)
        args = [re.split(r" (?=quad_perm|row_mask|wait_|op_sel|clamp|idxen|offset|format)", a)[0] for a in args]
        attr = re.search(r"attr(\d+)\.([xyzw])", rest)
        slot = (int(attr[1]), "xyzw".index(attr[2])) if attr else None
        if op in ("v_interp_p1_f32",):
            return [(args[0], ("p1", self.get(args[1]), slot))]
        if op == "v_interp_p2_f32" and attr:
            before = self.get(args[0])
            return [(args[0], ("at", before[1], self.get(args[1]), slot) if before[:1] == ("p1",) and before[2] == slot else ("wrong", before))]
        if op == "v_interp_mov_f32":
            return [(args[0], ("flat", slot) if args[1] == "p0" else ("wrong", args[1]))]
        if op in ("lds_param_load", "ds_param_load"):
            return [(args[0], ("param", slot))]
        if op == "v_interp_p10_f32":
            a, i, b = (self.get(x) for x in args[1:4])
            return [(args[0], ("p10", a[1], i) if a == b and a[:1] == ("param",) else ("wrong", a, b))]
        if op == "v_interp_p2_f32":
            a, j, b = (self.get(x) for x in args[1:4])
            return [(args[0], ("at", b[2], j, a[1]) if b[:1] == ("p10",) and a == ("param", b[1]) else ("wrong", a, b))]
        if op.startswith("v_mov_b32") and dpp:
            a = self.get(args[1])
            return [(args[0], ("flat", a[1]) if dpp[1] == "0,0,0,0" and a[:1] == ("param",) else ("wrong", a, dpp[1]))]
        if op in ("v_mov_b32", "s_mov_b32") and len(args) == 2:
            return [(args[0], self.get(args[1]))]
        if op == "v_swap_b32":
            return [(args[0], self.get(args[1])), (args[1], self.get(args[0]))]
        if op in ("v_add_u32", "v_add_nc_u32", "v_add3_u32"):
            terms = []
            for a in args[1:]:
                t = self.get(a)
                terms += t[1:] if isinstance(t, tuple) and t[0] == "add" else [t]
            return [(args[0], ("add", *sorted(map(str, terms))))]
        if op.startswith("tbuffer_load_format_"):
            at = int(m[1]) if (m := re.search(r"offset:(\d+)", rest)) else 0
            return [(r, ("memory", at + 4 * i, self.get(args[1]))) for i, r in enumerate(registers(args[0]))]
        if op.startswith("buffer_store_b128") and "idxen" in rest:
            at = int(m[1]) if (m := re.search(r"offset:(\d+)", rest)) else 0
            self.stores[at] = [self.get(r) for r in registers(args[0])]
            return []
        if op in ("exp", "export"):
            words = rest.replace(",", "").split()
            self.exports.append((words[0], [self.get(w) if w != "off" else None for w in words[1:5]], words[5:]))
            return []
        first = registers(args[0]) if args and not op.startswith(("s_cmp", "v_cmp", "buffer_store", "s_cbranch", "s_sendmsg")) else []
        return [(r, ("other", op)) for r in first]

    def go(self, code):
        for text in code:
            new = []
            for part in text.split(" :: "):
                op, _, rest = part.partition(" ")
                new += self.pair(op, [a.strip() for a in re.split(r",(?![^\[]*\])", rest)], rest)
            self.v.update(new)
        return self


def build(d, cpu, parts, layout, level="-O2", more=()):
    """An ELF of the shaders in @parts, lists of files that are compiled together. (path, what went wrong)"""
    said, objects = [], []
    for i, files in enumerate(parts):
        objects.append(d / f"{cpu}.{i}.o")
        said.append(run(lull, "cc", level, "--relocatable", f"-mcpu={cpu}", *more, *files, "-o", objects[-1]))
    out = d / f"{cpu}.elf"
    if not any(s for s, _ in said):
        said.append(run(lull, "link", *objects, "--layout", layout, "-o", out))
    return out, [s for s in said if s[0] != 0]


FLOW_VERT = """#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec2 b;
layout(location = 2) in uvec3 c;
layout(location = 3) in float d;
layout(location = 0) out vec3 p;
layout(location = 2) flat out uvec2 q;
layout(location = 3) noperspective out vec2 r;
layout(location = 5, component = 1) centroid out float s;
layout(location = 7) flat out int id;
void main() { gl_Position = vec4(b, a.xw); p = a.zyx; q = c.zx; r = vec2(d, b.y); s = a.y; id = gl_InstanceIndex; }
"""
FLOW_FRAG = """#version 450
layout(location = 0) in vec3 p;
layout(location = 2) flat in uvec2 q;
layout(location = 3) noperspective in vec2 r;
layout(location = 5, component = 1) centroid in float s;
layout(location = 7) flat in int id;
layout(location = 0) out vec4 x;
layout(location = 1) out uvec4 y;
layout(location = 2) out vec2 z;
void main() { x = vec4(p.yx, r.x, s); y = uvec4(q.y, id, q.x, 7); z = vec2(gl_FragCoord.y, p.z); }
"""
# Where the attributes are in their buffers; the third is one of instances.
FLOW_LAYOUT = {"nodes": [], "color_targets": [{"format": "R32G32B32A32_SFLOAT"}, {"format": "R32G32B32A32_UINT"}, {"format": "R32G32_SFLOAT"}],
               "vertex_input": {"bindings": [{"binding": 0, "stride": 64}, {"binding": 1, "stride": 64, "rate": "instance"}],
                                "attributes": [{"location": 0, "binding": 0, "format": "R32G32B32A32_SFLOAT", "offset": 0}, {"location": 1, "binding": 0, "format": "R32G32_SFLOAT", "offset": 16},
                                               {"location": 2, "binding": 1, "format": "R32G32B32_UINT", "offset": 32}, {"location": 3, "binding": 0, "format": "R32_SFLOAT", "offset": 48}]}}


def weights(pipeline):
    """VGPRs of what the pixel shader gets, by name."""
    ena, out, at = pipeline[".graphics_registers"][".spi_ps_input_ena"], {}, 0
    for name, n in WEIGHTS:
        if ena[f".{name}_ena"]:
            out[name] = [f"v{at + i}" for i in range(n)]
            at += n
    return out


def flow(d, cpu):
    """Colours back to where they come from. [what is wrong]"""
    stage, user, vertex, instance = VERTEX[generation(cpu)]
    (d / "flow.vert").write_text(FLOW_VERT)
    (d / "flow.frag").write_text(FLOW_FRAG)
    (d / "flow.json").write_text(json.dumps(FLOW_LAYOUT))
    elf, said = build(d, cpu, [[d / "flow.vert"], [d / "flow.frag"]], d / "flow.json")
    if said:
        return said
    code, bad = listing(elf, cpu)
    pipeline = notes(elf)
    regs, hardware = pipeline[".graphics_registers"], pipeline[".hardware_stages"][f".{stage}"]
    where = {n: f"s{user + i}" for i, n in enumerate(hardware[".user_data_reg_map"])}
    vs, ps, have = Machine().go(stage_code(code, stage)), Machine().go(stage_code(code, "ps")), weights(pipeline)
    each = {False: ("add", *sorted((where[0x10000003], f"v{vertex}"))), True: ("add", *sorted((where[0x10000004], f"v{instance}")))}
    outputs = {name: terms for name, terms, _ in vs.exports}
    outputs |= {f"param{at // 16}": terms for at, terms in vs.stores.items()}
    expect = [("position", outputs.get("pos0"), [("memory", 16, each[False]), ("memory", 20, each[False]), ("memory", 0, each[False]), ("memory", 12, each[False])])]
    centers = {"p": "persp_center", "r": "linear_center", "s": "persp_centroid"}

    def source(term):
        """A pixel shader's term as what the vertex shader put out, and how it came over."""
        if not isinstance(term, tuple) or term[0] not in ("at", "flat"):
            return term
        attr, component = term[-1]
        control = regs[".spi_ps_input_cntl"][attr]
        over = "flat" if term[0] == "flat" and control.get(".flat_shade") else next((n for n, r in have.items() if [*term[1:3]] == r), term) if term[0] == "at" else term
        return over, outputs.get(f"param{control['.offset']}", [None] * 4)[component]

    def memory(how, at, instances=False):
        return centers.get(how, how), ("memory", at, each[instances])

    got = {name: [source(t) for t in terms] for name, terms, _ in ps.exports}
    expect += [("x", got.get("mrt0"), [memory("p", 4), memory("p", 8), memory("r", 48), memory("s", 4)]),
               ("y", got.get("mrt1"), [memory("flat", 32, True), ("flat", each[True]), memory("flat", 40, True), "7"]),
               ("z", (got.get("mrt2") or [])[:2], [have["pos_y_float"][0], memory("p", 0)])]
    bad += [(name, g, w) for name, g, w in expect if g != w]
    last = [flags for _, _, flags in ps.exports]
    bad += [("done", last)] if [("done" in f) for f in last] != [False, False, True] or (generation(cpu) < 11 and "vm" not in last[-1]) else []
    return bad


RADV = {"gfx900": "vega10", "gfx906": "vega20", "gfx1010": "navi10", "gfx1030": "navi21"}  # families that Mesa 22.3.6 knows, with parameters as exports


def radv_codes(d, family, attributes, targets, files, debug="shaders,nocache,nonggc"):
    """Instructions of each shader that RADV compiles for a pipeline; those of its own shaders, too, if @debug says so. None: it has not compiled."""
    for f in files:
        subprocess.run(["glslangValidator", "-V", "--quiet", "--target-env", "vulkan1.2", d / f, "-o", d / f"{f}.spv"], check=True, timeout=60)
    env = {**os.environ, "RADV_FORCE_FAMILY": family, "RADV_DEBUG": debug, "VK_ICD_FILENAMES": "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
           "VK_DRIVER_FILES": "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json"}
    r = subprocess.run([options.pipe, attributes, targets, *(d / f"{f}.spv" for f in files)], capture_output=True, text=True, timeout=120, check=False, env=env)
    parts = [[ln.split(";")[0].strip() for ln in part.split("\n\n")[0].splitlines() if ln.startswith("\t")] for part in (r.stdout + r.stderr).split("disasm:\n")[1:]]
    return parts if r.returncode == 0 else None


def by_radv(d, family):
    """RADV's code of the two shaders: of that with inputs, and of the other. None: it has not compiled."""
    parts = radv_codes(d, family, "ffuf", "fug", ("flow.vert", "flow.frag")) or []
    pixel, vertex = [p for p in parts if any("attr" in i for i in p)], [p for p in parts if any("pos0" in i for i in p)]
    return (pixel[0], vertex[0]) if len(pixel) == len(vertex) == 1 else None


def traits(pixel, vertex):
    """What two compilers must agree on."""
    # RADV packs parameters: which attribute it is differs, how many components have which weights does not.
    inputs = {(m[2], m[1]) for i in pixel if (m := re.match(r"v_interp_p1_f32_e32 v\d+, (v\d+), (attr\d+\.\w)", i))}
    weights_of = dict(sorted(collections.Counter(v for _, v in inputs).items()))
    flat = len({m[1] for i in pixel if (m := re.match(r"v_interp_mov_f32_e32 v\d+, p0, (attr\d+\.\w)", i))})

    def shape(code):
        """Exports without registers; of parameters, that there are some."""
        found = [(m[1], m[2]) for i in code if (m := re.match(r"exp (\S+) (.*)", i))]
        return sorted({("param",) if name.startswith("param") else (name, *[re.findall(r"off|v\d+", rest).count("off"), "done" in rest, " vm" in rest]) for name, rest in found})

    return {"weights": weights_of, "flat": flat, "pixels": shape(pixel), "vertices": shape(vertex), "asks": sum("GS_ALLOC_REQ" in i for i in vertex),
            "barrier": any("s_barrier" in i for i in pixel)}


EMIT_VERT = """#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v;
void main() { gl_Position = a; v = a.wzyx; }
"""
EMIT_GEOM = """#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 5) out;
layout(location = 0) in vec4 v[];
layout(location = 0) out vec4 c;
layout(location = 1) out vec2 d;
void main() {
  gl_Position = gl_in[0].gl_Position; c = v[1]; d = v[2].xy; EmitVertex();
  gl_Position = gl_in[1].gl_Position; c = v[2]; d = v[0].xy; EmitVertex();
  EndPrimitive();
  gl_Position = gl_in[2].gl_Position; c = v[0]; d = v[1].xy; EmitVertex();
}
"""
EMIT_FRAG = "#version 450\nlayout(location = 0) in vec4 c;\nlayout(location = 1) in vec2 d;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c + d.xyxy; }\n"
EMIT_LAYOUT = {"nodes": [], "color_targets": [{"format": "R32G32B32A32_SFLOAT"}],
               "vertex_input": {"bindings": [{"binding": 0, "stride": 16}], "attributes": [{"location": 0, "binding": 0, "format": "R32G32B32A32_SFLOAT", "offset": 0}]}}


def emitted(emits, copies):
    """What two compilers must agree on: messages, what is stored before each and where, the ring's stride; what the copy shader loads and exports."""
    out, stores = [], []
    for i in emits:
        if m := re.match(r"buffer_store_dword v\d+, off, s\[\d+:\d+\], s2(?: offset:(\d+))? glc slc$", i):
            stores.append(int(m[1] or 0))
        elif "MSG_GS" in i:
            out.append((i, sorted(stores)))
            stores = []
    stride = {int(m[1], 16) for i in emits if (m := re.match(r"s_or_b32 s\d+, s\d+, (0x[0-9a-f]+0000)$", i))} - {0x20000}  # the format is PAL's matter
    loads = sorted(int(m[1] or 0) for i in copies if (m := re.match(r"buffer_load_dword v\d+, v\d+, s\[\d+:\d+\], 0 offen(?: offset:(\d+))? glc slc$", i)))
    return {"messages": out, "stride": stride, "wave": [i for i in emits if re.match(r"s_bfe_u32 m0, s3,", i)], "barriers": sum("s_barrier" in i for i in emits), "loads": loads,
            "exports": sorted(i.split()[1] for i in copies if i.startswith("exp "))}


def emits(d, cpu):
    """A geometry shader of gfx9, and the copy shader behind it, beside RADV's. [what is wrong]"""
    for suffix, text in (("vert", EMIT_VERT), ("geom", EMIT_GEOM), ("frag", EMIT_FRAG)):
        (d / f"emit.{suffix}").write_text(text)
    (d / "emit.json").write_text(json.dumps(EMIT_LAYOUT))
    elf, said = build(d, cpu, [[d / "emit.vert", d / "emit.geom"], [d / "emit.frag"]], d / "emit.json")
    if said:
        return said
    code, bad = listing(elf, cpu)
    ours = emitted(stage_code(code, "gs"), stage_code(code, "vs"))
    parts = radv_codes(d, RADV[cpu], "f", "f", ("emit.vert", "emit.frag", "emit.geom"), "shaders,nocache,metashaders") or []
    gs = [p for p in parts if any("GS_OP_EMIT" in i for i in p)]
    vs = [p for p in parts if any("pos0" in i for i in p) and any("glc slc" in i for i in p)]
    theirs = emitted(gs[0], vs[0]) if len(gs) == len(vs) == 1 else {}
    bad += [(k, theirs.get(k), v) for k, v in ours.items() if theirs.get(k) != v]
    regs, said = notes(elf)[".graphics_registers"], notes(elf)
    words = 10  # a position, four and two numbers
    want = {".vgt_gsvs_ring_itemsize": 5 * words, ".vgt_gs_vert_itemsize": [words, 0, 0, 0], ".vgt_gs_max_vert_out": 5, ".vgt_esgs_ring_itemsize": 8}
    bad += [(k, regs.get(k), v) for k, v in want.items() if regs.get(k) != v]
    mapping = {k: v[".hardware_mapping"] for k, v in said[".shaders"].items()}
    bad += [mapping] if mapping != {".vertex": [".gs"], ".geometry": [".gs", ".vs"], ".pixel": [".ps"]} else []
    stages = regs[".vgt_shader_stages_en"]
    return bad + ([stages] if (stages.get(".gs_stage_en"), stages.get(".es_stage_en"), stages.get(".vs_stage_en")) != (True, 2, 2) else [])


IDS_FRAG = "#version 450\nlayout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = v + float(gl_PrimitiveID); }\n"


def id_way(code):
    """How a primitive's number comes to a vertex: through LDS, with barriers, and as what it is exported."""
    ids = [re.sub(r"v\d+", "v", i) for i in code if re.match(r"exp param\d+ v\d+, (off, off, off|(v\d+), \2, \2)$", i)]
    return {"written": sum(i.startswith("ds_write_b32") for i in code), "read": sum(i.startswith("ds_read_b32") for i in code), "barriers": sum("s_barrier" in i for i in code),
            "exported": len(ids)}


def ids(d, cpu):
    """gl_PrimitiveID in a pixel shader. [what is wrong]"""
    (d / "ids.vert").write_text(EMIT_VERT)
    (d / "ids.frag").write_text(IDS_FRAG)
    (d / "ids.json").write_text(json.dumps(EMIT_LAYOUT))
    elf, said = build(d, cpu, [[d / "ids.vert"], [d / "ids.frag"]], d / "ids.json", more=("--primitive-id",))
    if said:
        return said
    gfx, (code, bad) = generation(cpu), listing(elf, cpu)
    stage = VERTEX[gfx][0]
    vs, regs, hardware = stage_code(code, stage), notes(elf)[".graphics_registers"], notes(elf)[".hardware_stages"]
    ps = Machine().go(stage_code(code, "ps"))
    flat = {t[1] for t in ps.v.values() if t[:1] == ("flat",)} | {s for i in stage_code(code, "ps") if (m := re.search(r"(?:p0, |param_load.*)attr(\d+)\.x", i)) for s in [(int(m[1]), 0)]}
    slots = [regs[".spi_ps_input_cntl"][a][".offset"] for a, component in flat if component == 0 and regs[".spi_ps_input_cntl"][a].get(".flat_shade")]
    vgpr = {9: "v2", 10: "v2", 11: "v2", 12: "v1"}[gfx]
    if not regs.get(".vgt_primitive_id_en") or len(slots) != 1:
        return [*bad, regs.get(".vgt_primitive_id_en"), slots]
    if gfx == 9:
        at = [i for i in vs if i.startswith(f"exp param{slots[0]} v2,")]
        bad += [] if at and regs.get(".vs_vgpr_comp_cnt") == 2 and regs.get(".vgt_gs_mode", {}).get(".mode") == 1 else [vs]
    elif gfx == 10:
        at = [i for i in vs if re.match(rf"ds_write_b32 v\d+, {vgpr}$", i)]
        # A vertex reads at its place in the subgroup: that depends on the wave's number.
        wave = {m[1] for i in vs if (m := re.match(r"s_bfe_u32 (s\d+), s3, 0x40018$", i))}
        place = next((m[1] for i in vs if (m := re.match(r"ds_read_b32 v\d+, (v\d+)$", i))), None)
        bad += [] if any(i.split()[1:2] == [f"{place},"] and wave & set(re.findall(r"s\d+", i)) for i in vs) else [("place", place, wave)]
        bad += [] if at and regs.get(".ngg_disable_provok_reuse") and hardware[".gs"].get(".lds_size", 0) >= 4 * 128 else [vs, hardware]
    else:
        at = [i for i in vs if (m := re.match(r"buffer_store_b128 v\[(\d+):\d+\].*idxen", i)) and (f" offset:{16 * slots[0]}" in i)]
        bad += [] if len(at) == 1 and regs.get(".ngg_disable_provok_reuse") and regs[".gs_vgpr_comp_cnt"] == {11: 2, 12: 1}[gfx] else [vs, regs[".gs_vgpr_comp_cnt"]]
    if options.pipe and cpu in RADV:
        parts = radv_codes(d, RADV[cpu], "f", "f", ("ids.vert", "ids.frag")) or []
        theirs = [p for p in parts if any("pos0" in i for i in p)]
        theirs, ours = id_way(theirs[0]) if len(theirs) == 1 else {}, id_way(vs)
        bad += [(k, theirs.get(k), v) for k, v in ours.items() if theirs.get(k) != v]
    return bad


VIEW = "#version 450\n#extension GL_EXT_multiview : require\n"
VIEW_ID = 0x1000000b  # PAL inc/core/palPipelineAbi.h


def views(d, cpu):
    """The SGPR that the metadata give the view's number is the layer of each vertex, and what a pixel shader reads. [what is wrong]"""
    (d / "view.vert").write_text(VIEW + "void main() { gl_Position = vec4(gl_VertexIndex, 0, 0, 1); }")
    (d / "view.frag").write_text(VIEW + "layout(location = 0) out uvec4 o;\nvoid main() { o = uvec4(gl_ViewIndex, 1, 2, 3); }")
    (d / "view.json").write_text(json.dumps({"nodes": [], "view_mask": 3, "color_targets": [{"format": "R32G32B32A32_UINT"}]}))
    elf, said = build(d, cpu, [[d / "view.vert"], [d / "view.frag"]], d / "view.json", more=("--multiview",))
    if said:
        return said
    code, bad = listing(elf, cpu)
    pipeline, (stage, first, _, _) = notes(elf), VERTEX[generation(cpu)]

    def sgpr(stage, first):
        words = pipeline[".hardware_stages"][f".{stage}"][".user_data_reg_map"]
        return f"s{first + words.index(VIEW_ID)}" if VIEW_ID in words else "none"
    out, pixel = Machine().go(stage_code(code, stage)), Machine().go(stage_code(code, "ps"))
    layers = [e[1][2] for e in out.exports if e[0] == "pos1"]
    colors = [e[1][0] for e in pixel.exports if e[0] == "mrt0"]
    bad += [] if layers == [sgpr(stage, first)] else [("layer", layers, sgpr(stage, first))]
    bad += [] if colors == [sgpr("ps", 0)] else [("colour", colors, sgpr("ps", 0))]
    enables = pipeline[".graphics_registers"][".pa_cl_vs_out_cntl"]
    return bad + ([] if enables[".use_vtx_render_target_indx"] and enables[".vs_out_misc_vec_ena"] else [enables])


def exports(code, kind):
    return [(int(m[1]), m[2]) for i in code if (m := re.match(rf"exp(?:ort)? {kind}(\d+) (.*)", i))]


def check_vertices(cpu, code, regs):
    """The last stage of vertices beside its registers. [what is wrong]"""
    bad, gfx = [], generation(cpu)
    positions, want = exports(code, "pos"), len([f for f in regs[".spi_shader_pos_format"] if f])
    if {n for n, _ in positions} != set(range(want)) or any(("done" in rest.split()) != (n == want - 1) for n, rest in positions):
        bad.append(("positions", positions, want))
    config = regs[".spi_vs_out_config"]
    count = 0 if config[".no_pc_export"] else config[".vs_export_count"] + 1 + config.get(".prim_export_count", 0)
    if gfx < 11:
        got = {n for n, _ in exports(code, "param")}
    else:
        got = {(int(m[1]) if (m := re.search(r"offset:(\d+)", i)) else 0) // 16 for i in code if i.startswith("buffer_store_b128") and "idxen" in i}
    if not got <= set(range(count)) or (got != set(range(count)) and not config.get(".prim_export_count")):
        bad.append(("parameters", got, count))
    if gfx >= 10 and not any(re.match(r"exp(ort)? prim ", i) for i in code):
        bad.append("no primitive is exported")
    asks = [i for i in code if "GS_ALLOC_REQ" in i]
    passes = regs[".vgt_shader_stages_en"].get(".primgen_passthru_no_msg", False)
    if gfx >= 10 and passes == bool(asks):
        bad.append(("GS_ALLOC_REQ", asks, passes))
    if gfx == 9 and (asks or ".primgen_en" in regs[".vgt_shader_stages_en"]):
        bad.append("a primitive shader on gfx9")
    return bad


def check_pixels(cpu, code, regs):
    bad, gfx = [], generation(cpu)
    reads = [int(m[1]) for i in code if (m := re.search(r"\battr(\d+)\.", i))]
    n = len(regs[".spi_ps_input_cntl"]) if regs[".spi_ps_in_control"][".num_interps"] + regs[".spi_ps_in_control"].get(".num_prim_interp", 0) else 0
    if not set(reads) <= set(range(n)):
        bad.append(("inputs", set(reads), n))
    first = next((k for k, i in enumerate(code) if "attr" in i), len(code))
    if reads and not any(re.match(r"s_mov_b32 m0,", i) for i in code[:first]):
        bad.append("m0 is not the primitives' mask")
    old = [i for i in code if re.match(r"v_interp_(p1|mov)_", i)]
    if (gfx < 11) != bool(old) and reads:
        bad.append(("interpolation of another chip", old[:2]))
    out = exports(code, "mrt")
    formats = {k: regs[".spi_shader_col_format"][f".col_{k}_export_format"] for k in range(8)}
    wanted = {k for k, f in formats.items() if f}
    if "dual_src" not in " ".join(code) and {k for k, _ in out} - {0} != wanted - {0}:
        bad.append(("targets", out, wanted))
    for k, rest in out:
        if gfx < 11 and formats[k] and ("compr" in rest.split()) != (4 <= formats[k] <= 8):
            bad.append(("compressed", k, rest, formats[k]))
    if ("mrtz" in " ".join(code)) != (regs[".spi_shader_z_format"] != 0):
        bad.append(("depth", regs[".spi_shader_z_format"]))
    return bad


def refusal(cpu, c):
    """What says that the chip does not have it, if it does not."""
    return "mesh shader" if c.mesh and generation(cpu) < 11 else ""


def sweep(d, cpu, c):
    """One of draw.py's cases. [what is wrong]"""
    for stage, text in c.shaders().items():
        (d / f"{c.name}.{stage}").write_text(text)
    layout = d / f"{c.name}.json"
    layout.write_text(json.dumps({"nodes": c.nodes, **c.more}))
    elf, said = build(d, cpu, [[d / f"{c.name}.{stage}" for stage in stages] for stages in c.parts()], layout, more=c.cc)
    refused = refusal(cpu, c)
    if refused:
        return [] if len(said) == 1 and said[0][0] == 3 and f"a {refused}, for {cpu}: " in said[0][1] and said[0][1].count("\n") == 1 else [said]
    if said:
        return said
    code, bad = listing(elf, cpu)
    regs = notes(elf)[".graphics_registers"]
    bad += check_vertices(cpu, stage_code(code, VERTEX[generation(cpu)][0]), regs)
    return bad + check_pixels(cpu, stage_code(code, "ps"), regs)


FEW = {"draw_cases": 6, "tess_cases": 3, "geom_cases": 3, "mesh_cases": 2}
with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    for gpu in CHIPS:
        if not options.names:
            wrong = flow(work, gpu)
            case(f"{gpu}: colours are what the attributes were", not wrong, wrong[:4])
        if not options.names and options.pipe and gpu in RADV:
            theirs, symbols = by_radv(work, RADV[gpu]), listing(work / f"{gpu}.elf", gpu)[0]
            ours = traits(stage_code(symbols, "ps"), stage_code(symbols, VERTEX[generation(gpu)][0]))
            theirs = traits(*theirs) if theirs else {}
            case(f"{gpu}: as RADV has it for {RADV[gpu]}", theirs == ours, [(k, theirs.get(k), v) for k, v in ours.items() if theirs.get(k) != v])
        if not options.names and options.pipe and generation(gpu) == 9:
            wrong = emits(work, gpu)
            case(f"{gpu}: what a geometry shader emits, as RADV has it for {RADV[gpu]}", not wrong, wrong[:4])
        if not options.names:
            wrong = views(work, gpu)
            case(f"{gpu}: the layer of a view", not wrong, wrong[:4])
            wrong = ids(work, gpu)
            case(f"{gpu}: gl_PrimitiveID in a pixel shader", not wrong, wrong[:4])
    for module, few in FEW.items():
        rows = importlib.import_module(module).CASES
        step = 1 if options.all or options.names else max(1, len(rows) // few)
        for row in rows[::step]:
            for gpu in ("gfx900", "gfx1010", "gfx1200"):
                if not options.names or row.name in options.names:
                    wrong = sweep(work, gpu, row)
                    case(f"{gpu}: {row.name}", not wrong, wrong[:3])
end()
