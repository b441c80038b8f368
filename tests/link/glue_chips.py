#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Vertex fetch and colour export of gfx9, gfx10, gfx11 and gfx12, as LLVM's disassembler shows them. glue_chips.py LULL.

No such GPU is there but gfx11's model (tests/link/glue.py runs what is made for that). Here the code that the linker puts in front of a vertex shader and behind a
pixel shader is read back, instruction by instruction, and what each register then holds is compared with what the Vulkan names of the formats say: which
bytes are loaded as what, from the buffer's element of which number, and what is exported as what. Which VGPR is the vertex's number: Mesa 25.0.7,
si_shader.c, declare_vs_input_vgprs; compressed exports: AMD's ISA guides of Vega and RDNA 1, "Exporting"."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = str(pathlib.Path(sys.argv[1]).resolve())
rows = pathlib.Path(__file__).resolve().parents[2] / "data/fmt/vulkan.formats"
NAMES = {use: [f[0] for f in ([c.strip() for c in line.split("#")[0].split("|")] for line in rows.read_text().splitlines()) if len(f) == 5 and use in f[4]]
         for use in "vc"}
KINDS = {"UNORM": "UNORM", "SNORM": "SNORM", "USCALED": "USCALED", "SSCALED": "SSCALED", "UINT": "UINT", "SINT": "SINT", "SFLOAT": "FLOAT", "UFLOAT": "FLOAT"}
# Hardware stage, its parameters before user data, VGPRs, those with the number of the vertex and of the instance.
STAGES = {("gfx900", "vs"): (0, 4, 0, 1), ("gfx900", "gs"): (8, 9, 5, 6), ("gfx900", "hs"): (8, 6, 2, 4), ("gfx1010", "vs"): (0, 4, 0, 3), ("gfx1030", "vs"): (0, 4, 0, 3),
          ("gfx1030", "gs"): (8, 9, 5, 8), ("gfx1030", "hs"): (8, 6, 2, 5), ("gfx1100", "gs"): (8, 9, 5, 8), ("gfx1100", "hs"): (8, 6, 2, 5),
          ("gfx1200", "gs"): (8, 5, 3, 4), ("gfx1200", "hs"): (8, 4, 2, 3)}
# All formats; of the others, whose code has the same numbers, some.
EVERY = {("gfx900", "vs"), ("gfx1030", "vs"), ("gfx1100", "gs"), ("gfx1200", "gs")}


def run(*args):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True, check=False)
    return r.returncode, r.stdout + r.stderr


def listing(elf, cpu):
    """Instructions by symbol."""
    text, out, name = subprocess.run(["llvm-objdump-19", "-d", f"--mcpu={cpu}", elf], capture_output=True, text=True, check=True).stdout, {}, None
    for line in text.splitlines():
        if m := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            name = m[1]
            out[name] = []
        elif name and line.startswith("\t") and not re.match(r"\ts_(code_end|nop|waitcnt|wait_|clause|delay)", line):
            out[name].append(line.split("//")[0].strip())
    return out


def registers(text, v):
    """v3 or v[3:6]: their numbers."""
    m = re.fullmatch(rf"{v}(\d+)|{v}\[(\d+):(\d+)\]", text)
    return [] if not m else [int(m[1])] if m[1] else list(range(int(m[2]), int(m[3]) + 1))


def number_format(text):
    """The name of a format without what LLVM leaves out, since it is 0 or the first: 8_UNORM."""
    if m := re.search(r"format:\[BUF_FMT_(\w+)\]", text):
        return m[1]
    data, kind = re.search(r"BUF_DATA_FORMAT_(\w+?)[,\]]", text), re.search(r"BUF_NUM_FORMAT_(\w+)", text)
    return f"{data[1] if data else '8'}_{kind[1] if kind else 'UNORM'}"


class Machine:
    """What VGPRs and SGPRs hold after straight code, as terms."""

    def __init__(self):
        self.v, self.unknown = {}, []

    def value(self, text):
        return self.v.get(text, text) if re.fullmatch(r"[vs]\d+", text) else text

    def step(self, text):
        for part in text.split(" :: "):
            op, _, rest = part.partition(" ")
            args = [a.strip() for a in re.split(r",(?![^\[]*\])", rest)]
            plain = re.sub(r"_e(32|64)$", "", op).replace("v_dual_", "v_")
            if plain == "v_mov_b32" and len(args) == 2:
                yield args[0], self.value(args[1])
            elif plain == "v_swap_b32":
                yield args[0], self.value(args[1])
                yield args[1], self.value(args[0])
            elif plain in ("v_add_u32", "v_add_nc_u32"):
                yield args[0], ("add", *sorted(map(str, (self.value(a) for a in args[1:3]))))
            elif plain == "s_mov_b32":
                yield args[0], self.value(args[1])
            elif plain in ("v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"):
                yield args[0], ("half", self.value(args[1]), self.value(args[2]))
            elif m := re.fullmatch(r"v_cvt_pk_?(norm)?_([ui])16_(f32|u32|i32)", plain):
                yield args[0], (("norm" if m[1] else "int") + m[2], self.value(args[1]), self.value(args[2]))
            elif op.startswith("tbuffer_load_format_"):
                offset = int(m[1]) if (m := re.search(r"offset:(\d+)", rest)) else 0
                assert " idxen" in rest and "offen" not in rest, text
                for i, r in enumerate(registers(args[0], "v")):
                    yield f"v{r}", ("load", number_format(rest), offset, i, self.value(args[1]), self.tables[registers(args[2], "s")[0]])
            elif m := re.fullmatch(r"s_load_(?:dword(?:x(\d+))?|b(\d+))", op):
                at = 0 if args[2] == "null" else int(args[2], 0)
                for r in registers(args[0], "s")[::4]:
                    self.tables[r] = (at + 4 * (r - registers(args[0], "s")[0])) // 16
                assert int(m[1] or int(m[2]) // 32) % 4 == 0, text
            elif op not in ("s_getpc_b64", "s_sext_i32_i16", "s_mov_b64"):
                self.unknown.append(text)

    def go(self, code):
        self.tables = {}
        for text in code:
            for to, what in list(self.step(text)):
                self.v[to] = what
        return self


def components(name):
    parts = [(c, int(b)) for c, b in re.findall(r"([RGBA])(\d+)", name.split("_")[0])]
    return parts[::-1] if re.search(r"_PACK\d+$", name) else parts


def attribute(name):
    """What the four components of an attribute are, by its name: ("load", format, byte, component), or a constant. Components of 64 bits: words."""
    parts, kind = components(name), KINDS[name.split("_")[1]]
    bits = [b for _, b in parts]
    wide = bits[0] == 64
    packed = len(set(bits)) > 1 or bits[0] % 8 != 0
    got = {}
    for i, (c, b) in enumerate(parts):
        got[c] = ("load", "_".join(map(str, reversed(bits))) + "_" + kind, 0, i) if packed else ("load", f"{b}_{kind}", i * b // 8, 0)
    if wide:  # as two words each
        return [("load", "32_32_" + ("UINT" if kind == "UINT" else "SINT" if kind == "SINT" else "FLOAT"), 8 * (i // 2), i % 2) if i // 2 < len(parts) else "0" for i in range(8)]
    one = "1" if kind in ("UINT", "SINT") else "1.0"
    return [got.get(c, one if c == "A" else "0") for c in "RGBA"]


def same(got, want):
    """Is a register what it should be? One load of several components is as good as one for each."""
    if not isinstance(want, tuple):
        return got == want
    if not isinstance(got, tuple) or got[0] != "load":
        return False
    _, form, byte, component = want
    parts, _, kind = form.rpartition("_")
    bits, got_parts = parts.split("_")[0], got[1].rpartition("_")[0].split("_")
    whole = got[1].endswith("_" + kind) and set(got_parts) == {bits} and got[2] + got[3] * int(bits) // 8 == byte + component * int(bits) // 8
    # 64 bits are two words, whatever their kind.
    words = form.startswith("32_32_") and got[1].startswith("32_32_") and got[2] + 4 * got[3] == byte + 4 * component
    return got[1:4] == (form, byte, component) or whole or words


def fetch(cpu, stage, names, d):
    """Eight formats at a time, each at another offset; every other one of instances."""
    sgprs, vgprs, vertex, instance = STAGES[cpu, stage]
    types, calls, sums = set(), "", []
    for i, name in enumerate(names):
        n, t = (8, "i32") if "64" in name else (4, "i32" if name.split("_")[1] in ("UINT", "SINT") else "float")
        suffix = f"v{n}{'i32' if t == 'i32' else 'f32'}"
        types.add(f"declare <{n} x {t}> @lull.vertex.input.{suffix}(i32, i32)\n")
        calls += f"  %a{i} = call <{n} x {t}> @lull.vertex.input.{suffix}(i32 {i}, i32 0)\n"
        for k in range(n):
            calls += f"  %e{i}_{k} = extractelement <{n} x {t}> %a{i}, i32 {k}\n" + (f"  %f{i}_{k} = bitcast i32 %e{i}_{k} to float\n" if t == "i32" else "")
            sums.append(f"%{'f' if t == 'i32' else 'e'}{i}_{k}")
    params = [f"i32 inreg %s{i}" for i in range(sgprs)] + [f"i32 %v{i}" for i in range(vgprs)]
    calls += "".join(f"  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, {', '.join('float ' + s for s in sums[i:i + 4])}, i1 false, i1 false)\n" for i in range(0, len(sums), 4))
    (d / "v.ll").write_text("target triple = \"amdgcn-amd-amdpal\"\ndeclare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)\n" + "".join(sorted(types)) +
                            f"define amdgpu_{stage} void @v({', '.join(params)}) {{\n{calls}  ret void\n}}\n")
    attributes = [{"location": i, "binding": i % 2, "format": n, "offset": 64 * i} for i, n in enumerate(names)]
    (d / "v.json").write_text(json.dumps({"nodes": [], "vertex_input": {"bindings": [{"binding": 0, "stride": 512}, {"binding": 1, "stride": 512, "rate": "instance"}],
                                                                        "attributes": attributes}}))
    said = [run(lull, "cc", "--relocatable", f"-mcpu={cpu}", d / "v.ll", "-o", d / "v.o"), run(lull, "link", d / "v.o", "--layout", d / "v.json", "-o", d / "v.elf")]
    if [s for s, _ in said] != [0, 0]:
        return said
    m = Machine().go(listing(d / "v.elf", cpu)[f"_amdgpu_{stage}_main"])
    # User data: global table, vertex buffers, base vertex, base instance.
    index = {0: ("add", *sorted((f"s{sgprs + 2}", f"v{vertex}"))), 1: ("add", *sorted((f"s{sgprs + 3}", f"v{instance}")))}
    bad, at = list(m.unknown), vgprs
    notes = subprocess.run(["llvm-readelf-19", "--notes", d / "v.o"], capture_output=True, text=True, check=True).stdout
    order = [int(n) for n in re.findall(r"- (\d+)\n +- 0\n +- v[48][if]32\n", notes)]  # .vertexInputs: VGPRs in their order
    if sorted(order) != list(range(len(names))):
        return [("order", order)]
    for i in order:
        name = names[i]
        for k, want in enumerate(attribute(name)):
            got = m.value(f"v{at}")
            if isinstance(want, tuple):
                want = (*want[:2], want[2] + 64 * i, want[3])
            if not same(got, want) or (isinstance(want, tuple) and got[4:] != (index[i % 2], i % 2)):
                bad.append((name, k, got, want, index[i % 2]))
            at += 1
    return bad


def export(cpu, name, more, d):
    """One target: what is exported, its format and what the metadata say."""
    integer = name.split("_")[1] in ("UINT", "SINT")
    t, suffix = ("i32", "v4i32") if integer else ("float", "v4f32")
    (d / "p.ll").write_text(f"target triple = \"amdgcn-amd-amdpal\"\ndeclare void @lull.color.export.{suffix}(i32, i32, <4 x {t}>)\n"
                            f"define amdgpu_ps void @p(<4 x float> %c) {{\n"
                            "  %r = shufflevector <4 x float> %c, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>\n"
                            f"  %x = bitcast <4 x float> %r to <4 x {t}>\n"
                            f"  call void @lull.color.export.{suffix}(i32 0, i32 0, <4 x {t}> %x)\n  ret void\n}}\n")
    (d / "p.json").write_text(json.dumps({"nodes": [], "color_targets": [{"format": name, **more}]}))
    said = [run(lull, "cc", "--relocatable", f"-mcpu={cpu}", d / "p.ll", "-o", d / "p.o"), run(lull, "link", d / "p.o", "--layout", d / "p.json", "-o", d / "p.elf")]
    if [s for s, _ in said] != [0, 0]:
        return said
    code = listing(d / "p.elf", cpu)
    code = [text for symbol in code.values() for text in symbol]
    m, outs = Machine(), []
    m.tables = {}
    for text in code:
        if re.match(r"exp(ort)? mrt", text):
            words = text.replace(",", "").split()
            outs.append((words[1], [m.value(w) if w != "off" else None for w in words[2:6]], words[6:]))
        elif text != "s_endpgm":
            for to, what in list(m.step(text)):
                m.v[to] = what
    notes = subprocess.run(["llvm-readelf-19", "--notes", d / "p.elf"], capture_output=True, text=True, check=True).stdout
    form = int(re.search(r"\.col_0_export_format: +(\d+)", notes)[1])
    c = ["v3", "v2", "v1", "v0"]
    old, done = cpu < "gfx11" or cpu == "gfx900", ["done"]
    bits, n, kind = max(b for _, b in components(name)), len(components(name)), name.split("_")[1]
    pair = "half" if kind == "SRGB" or (kind in ("UNORM", "SNORM") and bits < 11) or (kind in ("SFLOAT", "UFLOAT") and bits <= 16) else \
        {"UNORM": "normu", "SNORM": "normi"}.get(kind, "") if bits == 16 and kind in ("UNORM", "SNORM") and not more else \
        {"UINT": "intu", "SINT": "inti"}.get(kind, "") if bits <= 16 else ""
    if pair:
        a, b = (pair, c[0], c[1]), (pair, c[2], c[3])
        want = [a, a, b, b] if old else [a, b, None, None]
        want_form = {"half": 4, "normu": 5, "normi": 6, "intu": 7, "inti": 8}[pair]
    elif n == 1 and more:
        want, want_form = ([c[0], None, None, c[3]] if cpu == "gfx900" else [c[0], c[3], None, None]), 3
    else:
        want, want_form = (c[:n] + [None] * (4 - n) if n < 3 and not more else c), {1: 1, 2: 2}.get(n if not more else 4, 9)
    flags = ([*(["done"]), "compr", "vm"] if pair else ["done", "vm"]) if old else done
    bad = list(m.unknown)
    if outs != [("mrt0", want, flags)] or form != want_form:
        bad.append((outs, want, flags, form, want_form))
    return bad


with tempfile.TemporaryDirectory() as tmp:
    work = pathlib.Path(tmp)
    for (gpu, hardware) in STAGES:
        for first in range(0, len(NAMES["v"]), 8):
            some = NAMES["v"][first:first + 8]
            if (gpu, hardware) in EVERY or first == 0:
                wrong = fetch(gpu, hardware, some, work)
                case(f"{gpu} .{hardware}: {some[0]} to {some[-1]}", not wrong, wrong[:3])
    for gpu in ("gfx900", "gfx1030", "gfx1100", "gfx1200"):
        wrong = {}
        for target in NAMES["c"]:
            for also in ({}, {"source_alpha": True}) if target in ("R32_SFLOAT", "R16_UNORM", "R32G32_SFLOAT") else ({},):
                result = export(gpu, target, also, work)
                if result:
                    wrong[target, str(also)] = result
        case(f"{gpu}: colours of {len(NAMES['c'])} formats", not wrong, list(wrong.items())[:4])
    # What a chip does not have.
    for gpu, text, want in [("gfx1100", "vs", "amdgpu_gs"), ("gfx1200", "vs", "amdgpu_gs"), ("gfx900", "es", "amdgpu_gs"), ("gfx803", "ps", "of gfx9 to gfx12 only"),
                            ("gfx803", "vs", "of gfx9 to gfx12 only")]:
        pixel = text == "ps"
        call = "call void @lull.color.export.f32(i32 0, i32 0, float 1.0)" if pixel else "%x = call float @lull.vertex.input.f32(i32 0, i32 0)"
        (work / "x.ll").write_text("target triple = \"amdgcn-amd-amdpal\"\ndeclare float @lull.vertex.input.f32(i32, i32)\ndeclare void @lull.color.export.f32(i32, i32, float)\n"
                                   f"define amdgpu_{text} void @x({'' if pixel else 'i32 %v0, i32 %v1, i32 %v2, i32 %v3'}) {{\n  {call}\n  ret void\n}}\n")
        status, said_ = run(lull, "cc", "--relocatable", f"-mcpu={gpu}", work / "x.ll", "-o", work / "x.o")
        case(f"{gpu} amdgpu_{text} is refused", status == 3 and want in said_ and said_.count("\n") == 1, (status, said_))
end()
