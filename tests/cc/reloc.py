#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull cc --relocatable and --layout: what LLVM's tools read in the objects, and refusals. reloc.py LULL.

Names of relocations and values of user data are LLPC's and PAL's (AbiUnlinked.h, palPipelineAbi.h). That the code computes
the right thing is tested by running it: tests/target/pal.py."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
GLOBAL, SPILL, WORKGROUPS, SET, PUSH, NONE = 0x10000000, 0x10000002, 0x10000006, 1 << 31, (1 << 31) + 256, 0xffffffff


def run(*args):
    r = subprocess.run([lull, "cc", *map(str, args)], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def tool(*args):
    return subprocess.run([*map(str, args)], capture_output=True, text=True).stdout


types = {"buffer": "<4 x i32>", "texel": "<4 x i32>", "sampler": "<4 x i32>", "image": "<8 x i32>", "fmask": "<8 x i32>"}
decls = "".join(f"declare {t} @lull.{n}.desc{s}(i32, i32, i32)\n" for n, t in types.items() for s in ("", ".nonuniform"))
decls += """declare i32 @lull.push.constant(i32)
declare ptr addrspace(4) @lull.push.pointer()
declare ptr addrspace(4) @lull.desc.table(i32)
declare i32 @lull.user.data(i32)
declare i32 @lull.workgroup.id(i32)
declare i32 @lull.local.id(i32)
declare i32 @lull.num.workgroups(i32)
declare i32 @lull.device.index()
declare i32 @lull.num.samples()
declare i32 @lull.sample.pattern()
declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)
"""


def module(calls, cc="amdgpu_cs", params="", attrs="", more="", decls=decls):
    """A shader that stores what the calls give, so that nothing is dropped. calls: type and call."""
    body = ""
    for i, (t, call) in enumerate(calls):
        body += f"  %c{i} = call {t} @{call}\n"
        if t == "i32":
            body += f"  %v{i} = add i32 %c{i}, 0\n"
        elif t.startswith("ptr"):
            body += f"  %v{i} = load i32, ptr addrspace(4) %c{i}\n"
        else:
            n = int(t[1])
            body += f"  %v{i} = extractelement {t} %c{i}, i32 {n - 1}\n"
        body += f"  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %v{i}, <4 x i32> zeroinitializer, i32 {4 * i}, i32 0, i32 0)\n"
    return f"{decls}define {cc} void @main({params}) {attrs} {{\n{body}  ret void\n}}\n{more}"


def desc(kind, s, b, index="0", suffix=""):
    return types[kind], f"lull.{kind}.desc{suffix}(i32 {s}, i32 {b}, i32 {index})"


def push(offset):
    return "i32", f"lull.push.constant(i32 {offset})"


with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)

    def compile(text, *args):
        (d / "a.ll").write_text(text)
        (d / "a.elf").unlink(missing_ok=True)
        status, said = run(d / "a.ll", "-o", d / "a.elf", *args)
        relocs = set(re.findall(r"R_AMDGPU_\w+\s+\S+\s+(\S+)", tool("llvm-readelf-19", "-r", d / "a.elf")))
        notes = tool("llvm-readelf-19", "--notes", d / "a.elf")
        map_ = []
        for m in re.findall(r"\.user_data_reg_map:\s*((?:- \d+\s*)+)", notes):
            m = [int(n) for n in re.findall(r"\d+", m)]
            while m and m[-1] == NONE:
                m.pop()
            map_ += m
        return status, said, relocs, map_, notes

    def objects(name, text, relocs, map_, *args, has=()):
        status, said, got, got_map, notes = compile(text, *args)
        case(name, status == 0 and got == set(relocs.split()) and got_map == map_ and all(h in notes for h in has),
             (status, said, sorted(got), [hex(m) for m in got_map], notes))

    def layout(nodes, **more):
        (d / "layout.json").write_text(json.dumps({"nodes": nodes, **more}))
        return f"--layout={d / 'layout.json'}"

    rel = "--relocatable"
    # Every kind of descriptor, with the letters of DescBuilder's GetRelocTypeSuffix.
    objects("buffer", module([desc("buffer", 3, 7)]), "doff_3_7_b dusespill_3_7 compactbuffer_3_7", [GLOBAL, SET + 3, SPILL], rel)
    objects("texel buffer", module([desc("texel", 0, 1)]), "doff_0_1_t", [GLOBAL, SET], rel)
    objects("image and sampler", module([desc("image", 0, 1), desc("sampler", 1, 2)]), "doff_0_1_r doff_1_2_s",
            [GLOBAL, SET, SET + 1], rel)
    objects("fmask", module([desc("fmask", 0, 4)]), "doff_0_4_f $shadowenabled $shadowdesctable", [GLOBAL, SET], rel)
    objects("array", module([desc("image", 0, 1, "3")]), "doff_0_1_r dstride_0_1", [GLOBAL, SET], rel)
    objects("internal set", module([desc("buffer", -1, 5)]),
            "doff_4294967295_5_b dusespill_4294967295_5 compactbuffer_4294967295_5 descset_4294967295", [GLOBAL, SPILL], rel)
    objects("set above 255", module([desc("image", 256, 0)]), "doff_256_0_r descset_256", [GLOBAL, SPILL], rel)
    objects("push constants", module([push(0), push(8)]), "", [GLOBAL, PUSH, PUSH + 2], rel)
    objects("push constant dword 256", module([push(1024)]), "pushconst", [GLOBAL, SPILL], rel)
    objects("push pointer", module([("ptr addrspace(4)", "lull.push.pointer()")]), "pushconst", [GLOBAL, SPILL], rel)
    objects("push constant at an offset", module([push("%p")], cc="amdgpu_ps", params="i32 inreg %p"), "pushconst",
            [GLOBAL, SPILL], rel)
    objects("too many push constants", module([push(4 * i) for i in range(20)]), "pushconst",
            [GLOBAL] + [PUSH + i for i in range(14)] + [SPILL], rel)
    objects("too many sets", module([desc("image", i, 0) for i in range(17)]),
            " ".join(f"doff_{i}_0_r" for i in range(17)) + " descset_14 descset_15 descset_16",
            [GLOBAL] + [SET + i for i in range(14)] + [SPILL], rel)
    objects("table", module([("ptr addrspace(4)", "lull.desc.table(i32 2)")]), "", [GLOBAL, SET + 2], rel)
    objects("the pipeline's numbers", module([("i32", f"lull.{n}()") for n in ("device.index", "num.samples", "sample.pattern")]),
            "$deviceIdx $numsamples $samplePatternIdx", [GLOBAL], rel)
    objects("number of workgroups", module([("i32", "lull.num.workgroups(i32 1)")]), "", [GLOBAL, WORKGROUPS], rel)
    objects("user data by number", module([("i32", f"lull.user.data(i32 {0x10000003})")], cc="amdgpu_vs"), "",
            [GLOBAL, 0x10000003], rel, "-mcpu=gfx1030")
    objects("user data that take several SGPRs", module([("i32", f"lull.user.data(i32 {n})") for n in (0x10000012, 0x10000006, 0x10000012)] +
            [desc("image", 1, 0)], cc="amdgpu_ps"), "doff_1_0_r", [GLOBAL, 0x10000012, NONE, NONE, WORKGROUPS, NONE, SET + 1], rel)
    objects("ids", module([("i32", "lull.workgroup.id(i32 1)"), ("i32", "lull.local.id(i32 2)")], attrs="!reqd_work_group_size !0",
                          more="!0 = !{i32 4, i32 2, i32 8}\n"), "", [GLOBAL], rel,
            has=[".tgid_x_en:      false", ".tgid_y_en:      true", ".tidig_comp_cnt: 2", "- 4\n          - 2\n          - 8"])
    objects("pixel shader", module([desc("image", 0, 1)], cc="amdgpu_ps", params="i32 inreg %m, <2 x float> %ij"), "doff_0_1_r",
            [GLOBAL, SET], rel, has=[".ps:", "_amdgpu_ps_main", ".pixel:"])
    merged = ", ".join(f"i32 inreg %s{i}" for i in range(8)) + ", i32 %v"
    objects("merged stage", module([desc("image", 0, 1)], cc="amdgpu_gs", params=merged), "doff_0_1_r", [GLOBAL, SET], rel,
            has=["_amdgpu_gs_main"])
    objects("vertex and pixel shader in one file", module([desc("image", 0, 1)], cc="amdgpu_vs") +
            "define amdgpu_ps void @other() {\n  ret void\n}\n", "doff_0_1_r", [GLOBAL, SET], rel, "-mcpu=gfx1030",
            has=["_amdgpu_ps_main", ".vs:", ".spill_threshold: 65535"])
    objects("in a function that is called", module([("i32", "f()")], more="define i32 @f() noinline {\n"
            "  %x = call i32 @lull.push.constant(i32 4)\n  ret i32 %x\n}\n"), "", [GLOBAL, PUSH + 1], rel)
    objects("gfx1030", module([desc("buffer", 0, 7)]), "doff_0_7_b dusespill_0_7 compactbuffer_0_7", [GLOBAL, SET, SPILL], rel,
            "-mcpu=gfx1030")
    objects("gfx900, 16 SGPRs are not the limit of pixel shaders", module([push(4 * i) for i in range(20)], cc="amdgpu_ps"), "",
            [GLOBAL] + [PUSH + i for i in range(20)], rel, "-mcpu=gfx900", has=[".wavefront_size: 64"])
    # Nothing of lull's in it: the front end's relocations and metadata stay.
    own = r'"\82\B0amdpal.pipelines\91\81\A4.api\A6Vulkan\AEamdpal.version\92\02\06"'
    text = """declare i32 @llvm.amdgcn.reloc.constant(metadata)
define amdgpu_cs i32 @other_name() {
  %x = call i32 @llvm.amdgcn.reloc.constant(metadata !0)
  ret i32 %x
}
!0 = !{!"doff_0_1_b"}
!amdgpu.pal.metadata.msgpack = !{!1}
!1 = !{!OWN}
""".replace("OWN", own)
    objects("nothing to lower", text.replace("amdgpu_cs i32", "amdgpu_vs i32"), "doff_0_1_b", [], rel, has=["Vulkan", "other_name"])
    kept = r'"\81\B5amdpal.format_strings\81\A8.version\01"'
    objects("other metadata are kept", module([push(0)], more=f"!amdgpu.pal.metadata.msgpack = !{{!9}}\n!9 = !{{!{kept}}}\n"),
            "", [GLOBAL, PUSH], rel, has=["amdpal.format_strings", "_amdgpu_cs_main"])

    # With a layout: no relocation left, root dwords in the map; threshold and limit by hand.
    table = {"type": "table", "set": 0, "nodes": [{"type": "resource", "binding": 0}, {"type": "buffer", "binding": 1}]}
    objects("whole: table and push constants", module([desc("buffer", 0, 1), push(4)]), "", [GLOBAL, 0, 2],
            layout([table, {"type": "push_constants", "size": 2}]), has=[".spill_threshold: 65535", ".user_data_limit: 3"])
    objects("whole: dynamic buffer in SGPRs", module([desc("buffer", 1, 9)]), "", [GLOBAL, 1, 2, 3, 4],
            layout([table, {"type": "buffer", "set": 1, "binding": 9}]), has=[".spill_threshold: 65535", ".user_data_limit: 5"])
    objects("whole: array of dynamic buffers", module([desc("buffer", 1, 9, "1")]), "", [GLOBAL, SPILL],
            layout([table, {"type": "buffer", "set": 1, "binding": 9, "count": 2}, {"type": "push_constants", "size": 4}]),
            has=[".spill_threshold: 1", ".user_data_limit: 13"])
    objects("whole: too many push constants", module([push(4 * i) for i in range(20)]), "",
            [GLOBAL] + list(range(14)) + [SPILL], layout([{"type": "push_constants", "size": 32}]),
            has=[".spill_threshold: 14", ".user_data_limit: 32"])
    objects("whole: registers are given dwords up to 127", module([push(0), push(4)]), "", [GLOBAL, 127, SPILL],
            layout([{"type": "push_constants", "size": 2, "offset": 127}]), has=[".spill_threshold: 128", ".user_data_limit: 129"])
    objects("whole: numbers", module([("i32", "lull.num.samples()")]), "", [GLOBAL], layout([], num_samples=8),
            has=[".user_data_limit: 0"])

    # Two stages, linked to one pipeline.
    (d / "vs.ll").write_text(module([desc("buffer", 0, 1), push(8), ("i32", "lull.user.data(i32 268435459)")], cc="amdgpu_vs", params="i32 %v"))
    (d / "ps.ll").write_text(module([desc("image", 1, 2), desc("sampler", 1, 2), push(12)], cc="amdgpu_ps", params="i32 inreg %m"))
    (d / "gfx.json").write_text(json.dumps([{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 1}]}, {"type": "push_constants", "size": 4},
                                            {"type": "table", "set": 1, "nodes": [{"type": "combined_texture", "binding": 2}]}]))
    compiled = [run(d / f"{s}.ll", rel, "-mcpu=gfx1030", "-o", d / f"{s}.elf") for s in ("vs", "ps")]
    r = subprocess.run([lull, "link", d / "vs.elf", d / "ps.elf", "--layout", d / "gfx.json", "-o", d / "gfx.elf"], capture_output=True, text=True)
    shown, notes = tool("llvm-readelf-19", "-rs", d / "gfx.elf"), tool("llvm-readelf-19", "--notes", d / "gfx.elf")
    maps = [[int(n) for n in re.findall(r"\d+", m)] for m in re.findall(r"\.user_data_reg_map:\s*((?:- \d+\s*)+)", notes)]
    case("vertex and pixel shader, linked", compiled == [(0, ""), (0, "")] and r.returncode == 0 and "R_AMDGPU" not in shown and
         all(n in shown for n in ("_amdgpu_vs_main", "_amdgpu_ps_main")) and len(maps) == 2 and maps[0][:3] == [GLOBAL, 5, 4] and
         maps[1][:5] == [GLOBAL, 0x10000003, 0, 3, SPILL], (compiled, r, shown, maps))

    # Compute objects of other GPUs: LLVM disassembles all of the code, and each word that a relocation named holds the layout's number.
    numbers = {"doff_0_1_b": 48, "dusespill_0_1": 0, "compactbuffer_0_1": 1, "doff_0_2_r": 64, "dstride_0_2": 48, "doff_1_0_b": 20,
               "dusespill_1_0": 1, "compactbuffer_1_0": 0, "descset_256": 36, "doff_256_3_s": 16 + 32, "$numsamples": 4}
    nodes = [{"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 0, "count": 3}, {"type": "buffer_compact", "binding": 1},
                                                   {"type": "combined_texture", "binding": 2, "offset": 16, "count": 2}]},
             {"type": "buffer", "set": 1, "binding": 0, "offset": 5},
             {"type": "table", "offset": 9, "nodes": [{"type": "combined_texture", "set": 256, "binding": 3, "offset": 4}]}]
    (d / "far.json").write_text(json.dumps({"nodes": nodes, "num_samples": 4}))
    calls = [desc("buffer", 0, 1), desc("image", 0, 2, "1"), desc("buffer", 1, 0), desc("sampler", 256, 3), ("i32", "lull.num.samples()")]
    for cpu, word3 in (("gfx1030", 0x21014fac), ("gfx1100", 0x20014fac), ("gfx1200", 0x22014fac)):  # LLPC, DescBuilder.cpp
        status, said, got, _, _ = compile(module(calls), rel, f"-mcpu={cpu}")
        case(f"{cpu}: relocations", status == 0 and got == set(numbers), (status, said, got))
        r = subprocess.run([lull, "link", d / "a.elf", "--layout", d / "far.json", "--no-fold", "-o", d / "far.elf"], capture_output=True, text=True)
        start = int(re.search(r"\.text\s+PROGBITS\s+\w+\s+(\w+)", tool("llvm-readelf-19", "-S", d / "far.elf"))[1], 16)
        code = (d / "far.elf").read_bytes()[start:] if r.returncode == 0 else b""
        places = re.findall(r"^(\w+)\s+\w+\s+R_AMDGPU_ABS32(?:_LO)?\s+\S+\s+(\S+)", tool("llvm-readelf-19", "-r", d / "a.elf"), re.M)
        words = [(n, int.from_bytes(code[int(at, 16):int(at, 16) + 4], "little")) for at, n in places]
        case(f"{cpu}: linked numbers", r.returncode == 0 and {n for n, _ in words} == set(numbers) and all(v == numbers[n] for n, v in words),
             (r, words))
        for args in (["-o", d / "far.elf", rel, f"-mcpu={cpu}"], ["-o", d / "far.elf", f"--layout={d / 'far.json'}", f"-mcpu={cpu}"]):
            status, said = run(d / "a.ll", *args)
            dump = subprocess.run(["llvm-objdump-19", "-d", d / "far.elf"], capture_output=True, text=True)
            case(f"{cpu}: dword 3 of a compact buffer, {str(args[2])[:8]}", status == 0 and dump.returncode == 0 and dump.stderr == "" and
                 "<unknown>" not in dump.stdout and f"{word3:#x}" in dump.stdout, (status, said, dump))
        r = subprocess.run([lull, "link", d / "a.elf", "--layout", d / "far.json", "-o", d / "far.elf"], capture_output=True, text=True)
        dump = subprocess.run(["llvm-objdump-19", "-d", d / "far.elf"], capture_output=True, text=True)
        case(f"{cpu}: folded", r.returncode == 0 and dump.returncode == 0 and dump.stderr == "" and "<unknown>" not in dump.stdout and
             "s_endpgm" in dump.stdout, (r, dump))

    # gfx12 has a workgroup's number in trap temporaries: x in ttmp9, y and z in ttmp7 (LLVM's AMDGPUUsage, "Architected SGPRs").
    for cpu, wants in (("gfx1100", ("s2", "s3")), ("gfx1200", ("ttmp9", "ttmp7"))):
        status, said, _, _, _ = compile(module([("i32", f"lull.workgroup.id(i32 {i})") for i in (0, 1)]), rel, f"-mcpu={cpu}")
        dump = tool("llvm-objdump-19", "-d", f"--mcpu={cpu}", d / "a.elf")
        case(f"{cpu}: where a workgroup's number is", status == 0 and ("ttmp" in dump) == (cpu == "gfx1200") and all(w in dump for w in wants),
             (status, said, dump))

    def refused(name, text, wants, *args, want=3):
        bad, out = d / "bad.ll", d / "bad.elf"
        bad.write_text(text)
        out.unlink(missing_ok=True)
        status, said = run(bad, "-o", out, *(args or (rel,)))
        case(name, status == want and not out.exists() and all(w in said for w in wants) and len(said.splitlines()) <= 2,
             (status, said))

    for stage, cpu, instead in (("vs", "gfx1100", "gs"), ("vs", "gfx1200", "gs"), ("es", "gfx1030", "gs"), ("ls", "gfx900", "hs"),
                                ("es", "gfx1100", "gs"), ("ls", "gfx1100", "hs")):
        refused(f"{stage} of {cpu}", module([push(0)], cc=f"amdgpu_{stage}"),
                ["bad.ll", "'main'", f"{cpu} has no such stage: write amdgpu_{instead},"], rel, f"-mcpu={cpu}")
    objects("es of gfx803", module([push(0)], cc="amdgpu_es"), "", [GLOBAL, PUSH], rel, "-mcpu=gfx803", has=[".es:"])
    colours = module([push(0)], cc="amdgpu_ps").replace("void @main", "<4 x float> @main").replace("ret void", "ret <4 x float> zeroinitializer")
    for args in ((rel,), (layout([{"type": "push_constants", "size": 4}]),)):
        refused(f"a pixel shader that returns its colours {args[0][:9]}", colours, ["bad.ll", "'main' returns values", "llvm.amdgcn.exp"], *args)
    refused("unknown intrinsic", module([("i32", "lull.nothing(i32 1)")], decls=decls + "declare i32 @lull.nothing(i32)\n"),
            ["bad.ll", "'lull.nothing'"])
    refused("no suffix for this one", module([], decls=decls + "declare i32 @lull.push.constant.nonuniform(i32)\n") +
            "define i32 @f() {\n  %x = call i32 @lull.push.constant.nonuniform(i32 0)\n  ret i32 %x\n}\n", ["nonuniform"])
    refused("set is not a constant", module([desc("buffer", "%p", 1)], cc="amdgpu_ps", params="i32 inreg %p"),
            ["bad.ll", "'main'", "lull.buffer.desc", "set must be a constant"])
    refused("binding is not a constant", module([desc("image", 1, "%p")], cc="amdgpu_ps", params="i32 inreg %p"),
            ["binding must be a constant"])
    refused("undefined set", module([desc("buffer", "undef", 1)]), ["set must be a constant"])
    refused("wrong type", module([("<8 x i32>", "lull.buffer.desc(i32 0, i32 0, i32 0)")],
            decls=decls.replace("<4 x i32> @lull.buffer.desc(", "<8 x i32> @lull.buffer.desc(")),
            ["lull.buffer.desc", "<8 x i32> (i32, i32, i32)", "<4 x i32> (i32, i32, i32)"])
    refused("wrong number of operands", module([("i32", "lull.push.constant()")],
            decls=decls.replace("lull.push.constant(i32)", "lull.push.constant()")), ["lull.push.constant"])
    refused("other type at the call", module([("i64", "lull.push.constant(i32 0)")]).replace("add i64", "add i32")
            .replace("extractelement i64", "bad"), [], want=3)
    refused("address taken", module([]) + "@p = global ptr @lull.push.constant\n", ["lull.push.constant", "called"])
    refused("defined", module([push(0)], decls=decls.replace("declare i32 @lull.push.constant(i32)",
            "define i32 @lull.push.constant(i32 %x) {\n  ret i32 %x\n}")), ["cannot be defined"])
    refused("offset", module([push(6)]), ["offset 6", "multiple of 4"])
    refused("dimension", module([("i32", "lull.local.id(i32 3)")]), ["dimension 3"])
    refused("ids outside compute", module([("i32", "lull.local.id(i32 0)")], cc="amdgpu_ps"), ["compute"])
    refused("compute shader with parameters", module([push(0)], params="i32 inreg %x"), ["'main'", "parameters"])
    refused("merged stage without its SGPRs", module([desc("image", 0, 1)], cc="amdgpu_gs"), ["8 parameters"])
    refused("no shader", module([push(0)], cc=""), ["no shader"])
    refused("kernel", module([push(0)], cc="amdgpu_kernel"), ["no shader"])
    refused("two compute shaders", module([push(0)]) + "define amdgpu_cs void @b() {\n  ret void\n}\n", ["'main'", "'b'"])
    refused("recursion", module([("i32", "f(i32 1)")], more="define i32 @f(i32 %n) {\n  %x = call i32 @lull.push.constant(i32 4)\n"
            "  %c = icmp eq i32 %n, 9\n  br i1 %c, label %a, label %b\na:\n  ret i32 %x\nb:\n  %y = call i32 @f(i32 %x)\n  ret i32 %y\n}\n"),
            ["'f'", "lull.push.constant"])
    refused("root dword without a layout", module([("i32", "lull.user.data(i32 3)")]), ["0x3", "layout"])
    refused("pipeline metadata are there", module([push(0)], more=f"!amdgpu.pal.metadata.msgpack = !{{!9}}\n!9 = !{{!{own}}}\n"),
            ["PAL metadata"])
    refused("metadata that are not msgpack", module([push(0)], more='!amdgpu.pal.metadata.msgpack = !{!9}\n!9 = !{!"\\81\\A1"}\n'),
            ["MessagePack"])
    refused("workgroup of 2048", module([push(0)], attrs="!reqd_work_group_size !0", more="!0 = !{i32 64, i32 32, i32 1}\n"), ["1024"])
    refused("amdhsa", module([push(0)]), ["amdpal"], rel, "-mtriple=amdgcn-amd-amdhsa")
    refused("no such binding", module([desc("buffer", 0, 5)]), ["bad.ll", "set 0, binding 5"], layout([table]))
    refused("binding of another type", module([desc("sampler", 0, 0)]), ["sampler", "set 0, binding 0"], layout([table]))
    refused("no such set", module([("ptr addrspace(4)", "lull.desc.table(i32 1)")]), ["set 1"], layout([table]))
    refused("no push constants", module([push(0)]), ["no push constants"], layout([table]))
    refused("behind the push constants", module([push(8)]), ["offset 8", "8 bytes"], layout([{"type": "push_constants", "size": 2}]))
    refused("bad layout", module([push(0)]), ["layout.json"], layout([{"type": "nothing"}]))
    refused("no layout", module([push(0)]), ["none.json"], "--layout", d / "none.json")
    refused("both", module([push(0)]), ["--layout"], rel, layout([table]), want=2)

end()
