#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Types, scopes and variables of compute shaders: what lull cc -g writes, read by LLVM's dwarfdump. dwarf.py LULL VULKAN

Expected are names, types and lines of the GLSL, and sizes, offsets and strides by the rules of std140 and std430 (OpenGL 4.6, 7.6.2.2).
Then all shaders of tests/vulkan at -O0: each variable that SPIR-V names must have a place.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, sys.argv[2])
import cases  # noqa: E402
from tap import case, end  # noqa: E402

lull, shaders = sys.argv[1], pathlib.Path(sys.argv[2]) / "shaders"
SOURCE = """#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
struct Body { vec3 pos; float mass; mat3 m; int hist[4]; };
layout(std430, binding = 0) buffer B { uint n; vec4 b[]; };
layout(std430, binding = 1) readonly buffer C { Body bodies[]; } inst;
layout(std140, binding = 2) uniform U { float arr[5]; mat3 rot; layout(row_major) mat2x3 rm; f16vec2 h; } u;
layout(std430, binding = 3) buffer D { int64_t wide; } many[2];
layout(push_constant) uniform P { uint scale; vec2 off; } pc;
shared float tile[64];
shared uint count;
float g_private = 3.0;
float twice(float x, int k)
{
    float local = x * 2 + k;
    return local;
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec3 v = vec3(i, 1, 2);
    mat2 m = mat2(1, 2, 3, 4);
    Body bd = inst.bodies[i];
    bool flag = i > 3;
    uint grid[2][3] = uint[2][3](uint[3](1, 2, 3), uint[3](4, 5, 6));
    for (int k = 0; k < 3; k++) {
        float t = twice(v.x, k);
        v.y += t + twice(v.z, 7) + twice(v.y, 8);
    }
    tile[gl_LocalInvocationIndex] = v.y + grid[i & 1][0];
    count = 5;
    barrier();
    b[i] = vec4(v, flag ? g_private : u.arr[2]) + bd.mass + pc.scale + tile[3] + float(u.h.x) + count;
    many[1].wide = 7;
    n = 1;
}
"""
# A struct in memory that LLVM lays out: vec3 takes 16 bytes there, a column of mat3 too.
BODY = "Body:80{pos@0:vec3,mass@12:float,m@16:mat3=vec3/16[3],hist@64:int[4]}"
OWN_BODY = "Body:96{pos@0:vec3/16,mass@16:float,m@32:mat3=vec3/16[3],hist@80:int[4]}"
# name: (type, place, function)
WANT = {
    "n": ("uint", "buffer+0", "main"),
    "b": ("vec4[]", "buffer+16", "main"),
    "inst": (f"C:0{{bodies@0:{BODY}[]}}", "buffer+0", "main"),
    # std140: elements of an array are 16 bytes apart; a row-major mat2x3 has three rows of two, 16 bytes apart.
    "u": ("U:180{arr@0:float/16[5],rot@80:mat3=vec3/16[3],rm@128:mat2x3=float/16[3]/4[2],h@176:f16vec2}", "buffer+0", "main"),
    "many": ("*D:8{wide@0:int64_t}[2]", "frame", "main"),
    "pc": ("P:16{scale@0:uint,off@8:vec2}", "frame", "main"),
    "gl_GlobalInvocationID": ("uvec3/16", "frame", "main"),
    "gl_LocalInvocationIndex": ("uint", "frame", "main"),
    "tile": ("float[64]", "lds", ""),
    "count": ("uint", "lds", ""),
    "g_private": ("float", "frame", "main"),
    "x": ("float", "frame", "twice"),
    "k": ("int", "frame", "main twice"),
    "local": ("float", "frame", "twice"),
    "i": ("uint", "frame", "main"),
    "v": ("vec3/16", "frame", "main"),
    "m": ("mat2=vec2[2]", "frame", "main"),
    "bd": (OWN_BODY, "frame", "main"),
    "flag": ("bool", "frame", "main"),
    "grid": ("uint[3][2]", "frame", "main"),
    "t": ("float", "frame", "main"),
}
# Arrays of descriptors whose number the shader does not say.
NOWHERE = {"indexing.comp": {"b"}}
# Variables that glslang makes for itself.
TEMPORARY = {"param", "indexable"}
COUNT = {"vec2": ("float", 2), "vec3": ("float", 3), "vec4": ("float", 4), "uvec3": ("uint", 3), "f16vec2": ("float16_t", 2)}
BYTES = {"float": (4, "float"), "uint": (4, "unsigned"), "int": (4, "signed"), "bool": (4, "boolean"), "int64_t": (8, "signed"), "float16_t": (2, "float")}


def run(*args, **how):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True, check=False, **how)
    return r.returncode, r.stdout + r.stderr


class Die:
    """An entry of .debug_info."""

    def __init__(self, tag, parent):
        self.tag, self.parent, self.at, self.children = tag, parent, {}, []

    def number(self, name):
        return int(self.at.get(name, "0").strip("()"), 0)

    def text(self, name):
        return self.at.get(name, "").strip('"')


def dies(elf):
    """{offset: Die} of what llvm-dwarfdump prints."""
    out, stack, die = {}, [], None
    for line in run("llvm-dwarfdump-19", "--debug-info", elf)[1].splitlines():
        m = re.match(r"0x([0-9a-f]+):( +)(DW_TAG_(\w+)|NULL)", line)
        a = re.match(r"\s+DW_AT_(\w+)\t\((.*)\)$", line)
        if m:
            del stack[(len(m[2]) - 1) // 2:]
            if m[4]:
                die = Die(m[4], stack[-1] if stack else None)
                out[int(m[1], 16)] = die
                if stack:
                    stack[-1].children.append(die)
                stack.append(die)
        elif a and die:
            die.at[a[1]] = a[2]
    for d in out.values():
        for name in ("type", "abstract_origin"):
            if name in d.at:
                d.at[name] = out[int(d.at[name].split()[0], 16)]
    return out


def size(t):
    """Bytes of a type."""
    if "byte_size" in t.at:
        return t.number("byte_size")
    if t.tag == "typedef":
        return size(t.at["type"])
    if t.tag == "array_type":
        of = t.children[0]
        return of.number("count") * (of.number("byte_stride") or size(t.at["type"]))
    return 8 if t.tag == "pointer_type" else 0


def say(t):
    """A type as text: NAME:BYTES{member@offset:type}, element/stride[count]."""
    if t.tag == "typedef":
        of, name = t.at["type"], t.text("name")
        if "GNU_vector" in of.at:
            scalar, n = of.at["type"].text("name"), of.children[0].number("count")
            dense = n * size(of.at["type"])
            return f"{name if COUNT[name] == (scalar, n) else '?'}" + (f"/{size(of)}" if size(of) != dense else "")
        return f"{name}={say(of)}"
    if t.tag == "structure_type":
        return f"{t.text('name')}:{t.number('byte_size')}{{" + ",".join(
            f"{m.text('name')}@{m.number('data_member_location')}:{say(m.at['type'])}" for m in t.children) + "}"
    if t.tag == "pointer_type":
        return "*" + say(t.at["type"])
    if t.tag == "array_type":
        of, element = t.children[0], say(t.at["type"])
        stride = f"/{of.number('byte_stride')}" if "byte_stride" in of.at else ""
        return f"{element}{stride}[{of.number('count') or ''}]"
    name = t.text("name")
    return name if (t.number("byte_size"), t.at["encoding"].removeprefix("DW_ATE_")) == BYTES.get(name) else f"{name}?"


def where(text):
    """A place in the test's words."""
    m = re.fullmatch(r"DW_OP_fbreg [+-]?\d+(, DW_OP_deref(?:, DW_OP_plus_uconst 0x([0-9a-f]+))?)?", text)
    if m:
        return f"buffer+{int(m[2] or '0', 16)}" if m[1] else "frame"
    return "lds" if re.fullmatch(r"DW_OP_addrx 0x[0-9a-f]+, DW_OP_lit3, DW_OP_swap, DW_OP_xderef", text) else text


def origin(d):
    return d.at.get("abstract_origin", d)


def function(d):
    """The function that a variable is in."""
    while d and d.tag not in ("subprogram", "inlined_subroutine"):
        d = d.parent
    return origin(d).text("name") if d else ""


def variables(found):
    """[(name, entry with the place, entry with the rest)]"""
    return [(origin(d).text("name"), d, origin(d)) for d in found.values() if d.tag in ("variable", "formal_parameter") and "location" in d.at]


def line_of(name, of):
    """Where GLSL declares a name in a function: its first line with it there."""
    lines = SOURCE.split("\n")
    begin = next((i for i, text in enumerate(lines) if re.match(rf"\w+ {of}\(", text)), 0)
    return next(i + 1 for i, text in enumerate(lines) if i >= begin and re.search(rf"\b{name}\b", text))


def check_source(d):
    for name, flags, with_lines in ("plain.spv", ["-g"], False), ("debug.spv", ["-gVS"], True):
        subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", *flags, "shader.comp", "-o", name], cwd=d, check=True)
        status, said = run(lull, "cc", "--relocatable", "-g", "-O0", d / name, "-o", d / "out.elf")
        case(f"{name}: compiles", status == 0, said)
        status, said = run("llvm-dwarfdump-19", "--verify", d / "out.elf")
        case(f"{name}: verifies", status == 0 and said.rstrip().endswith("No errors."), said)
        got = variables(dies(d / "out.elf"))
        for want, (kind, place, functions) in WANT.items():
            mine = [(e, o) for n, e, o in got if n == want]
            case(f"{name}: {want}: type", mine != [] and {say(o.at["type"]) for _, o in mine} == {kind}, [say(o.at["type"]) for _, o in mine])
            case(f"{name}: {want}: place", {where(e.at["location"]) for e, _ in mine} == {place}, [e.at["location"] for e, _ in mine])
            case(f"{name}: {want}: function", {function(e) for e, _ in mine} == set(functions.split() or [""]), [function(e) for e, _ in mine])
            if with_lines and place == "frame" and functions == "main" and not want.startswith("gl_") and want not in ("pc", "g_private", "many"):
                case(f"{name}: {want}: line", {o.number("decl_line") for _, o in mine} == {line_of(want, "main")}, [o.at for _, o in mine])
        calls = [e for n, e, _ in got if n == "local"]
        case(f"{name}: twice() is called three times, two on one line: each has its own variables", len({e.at["location"] for e in calls}) == len(calls) == 3, [e.at for e in calls])
        case(f"{name}: the calls' lines", {e.parent.number("call_line") for e in calls} == {27, 28}, [e.parent.at for e in calls])
        args = [e.tag for n, e, _ in got if n == "x"]
        case(f"{name}: x is a parameter", set(args) == {"formal_parameter"}, args)
        table = run("llvm-dwarfdump-19", "--debug-addr", d / "out.elf")[1]
        case(f"{name}: places in LDS", re.search(r"Addrs: \[\n0x0+\n0x0*100\n", table) is not None, table)


def names_in(text):
    """Names of variables in the functions that main reaches, and of the module's; members of blocks without a name."""
    names = dict(re.findall(r'OpName %(\S+) "([^"]*)"', text))
    members = {}
    for t, i, n in re.findall(r'OpMemberName %(\S+) (\d+) "([^"]*)"', text):
        members.setdefault(t, {})[int(i)] = n
    pointee = dict(re.findall(r"%(\S+) = OpTypePointer \w+ %(\S+)", text))
    bodies = {m[1]: m[0] for m in re.finditer(r"%(\S+) = OpFunction %.*?\n\s+OpFunctionEnd", text, re.S)}
    reached, todo = set(), re.findall(r"OpEntryPoint GLCompute %(\S+)", text)
    while todo:
        f = todo.pop()
        if f not in reached:
            reached.add(f)
            todo += re.findall(r"OpFunctionCall %\S+ %(\S+)", bodies[f])
    out = []
    head = text[:text.index(" = OpFunction ")]
    for part in [head] + [bodies[f] for f in sorted(reached)]:
        for i, t, storage in re.findall(r"%(\S+) = OpVariable %(\S+) (\w+)", part):
            if storage == "UniformConstant":
                continue  # Images and samplers are descriptors: no bytes that DWARF could say.
            if names.get(i):
                out.append(names[i])
            elif storage not in ("Function", "Private", "Input"):
                out += members.get(pointee[t], {}).values()
        out += [names[i] for i in re.findall(r"%(\S+) = OpFunctionParameter", part) if names.get(i)]
    return out


def check_all(d):
    """Each shader of tests/vulkan in each of its forms, with lines and names, and with DebugInfo.100."""
    forms = sorted({(c.shader, tuple(str(a) for a in c.args if str(a)[:2] in ("-D", "-I"))) for c in cases.CASES if not c.shader.startswith("random:")})
    entries = {c.shader: [str(a) for a in c.args[c.args.index("--entry"):][:2]] for c in cases.CASES if "--entry" in c.args}
    for flag in "-g", "-gVS":
        every = located = 0
        for name, more in forms:
            title = " ".join([flag, name, *more])
            spv = d / "all.spv"
            tool = ["spirv-as", "--target-env", "spv1.5"] if name.endswith("asm") else ["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", flag, *more]
            tool += ["-D", "-S", "comp", "-e", "main"] if name.endswith("hlsl") else []
            # glslang 12 with -gVS ends with a fault on some shaders, by how long their path is.
            status, said = run(*tool, name, "-o", spv, cwd=shaders)
            if status == 0:
                status, said = run(lull, "cc", "--relocatable", "-g", "-O0", spv, "-o", d / "all.elf", *entries.get(name, []))
            wrong, text = run("spirv-dis", spv)
            if wrong != 0:  # glslang 12 makes an id 0 of a type that is behind a buffer_reference
                case(f"{title}: spirv-dis and lull refuse glslang's module", status == 3 and "id 0 is not defined" in said and "Id is 0" in text, (said, text[-200:]))
                continue
            want = [n for n in names_in(text) if flag == "-g" or n not in TEMPORARY]
            have = {n for n, _, _ in variables(dies(d / "all.elf"))} if status == 0 else set()
            missing = {n for n in want if n not in have}
            every += len(want)
            located += sum(n in have for n in want)
            case(f"{title}: {len(want)} variables", status == 0 and missing == NOWHERE.get(name, set()), said or missing)
        case(f"{flag}: {100 * located / every:.1f} % of {every} variables have a place at -O0", located >= every - len(NOWHERE) and every > 300, (located, every))


def check_structured(d):
    """HLSL's structured buffers have their names: not those of what glslang puts around them."""
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "-D", "-S", "comp", "-e", "main", shaders / "structured.hlsl", "-o", d / "s.spv"], check=True)
    status, said = run(lull, "cc", "--relocatable", "-g", "-O0", d / "s.spv", "-o", d / "s.elf")
    got = {n: (e, o) for n, e, o in variables(dies(d / "s.elf"))} if status == 0 else {}
    item = ("Item:16{p@0:vec3,k@12:uint}[]", "buffer+0")
    for name, want in ("items", item), ("from", item), ("raw", ("uint[]", "buffer+0")):
        e, o = got.get(name, (None, None))
        case(f"structured.hlsl: {name}", e is not None and (say(o.at["type"]), where(e.at["location"])) == want, said or (e and o.at["type"].at))


with tempfile.TemporaryDirectory() as tmp:
    (pathlib.Path(tmp) / "shader.comp").write_text(SOURCE)
    check_source(pathlib.Path(tmp))
    check_all(pathlib.Path(tmp))
    check_structured(pathlib.Path(tmp))
end()
