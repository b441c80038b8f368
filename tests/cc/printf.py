#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""printf lowered by lull cc and run on the model: lines and buffers against what Python computes. printf.py LULL."""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def entries(data):
    """The buffer's (asked, lost) and its entries as (id, payload dwords): docs/formats/printf-buffer.md."""
    asked, lost, _ = struct.unpack_from("<QII", data)
    words = struct.unpack_from(f"<{(len(data) - 16) // 4}I", data, 16)
    got, at = [], 0
    while at + 2 <= min(asked, len(words)):
        head = words[at] | words[at + 1] << 32
        size = head & 0xFFFF
        if size < 2 or at + size > len(words):
            break
        got.append((head >> 16, words[at + 2:at + size]))
        at += size
    return asked, lost, got


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def f64(x):
    return list(struct.unpack("<II", struct.pack("<d", x)))


def u64(x):
    return [x & 0xFFFFFFFF, x >> 32 & 0xFFFFFFFF]


# Each: type and value as LLVM writes them, format, payload dwords, text.
scalars = [
    ("i1 true", "%u", [1], "1"),
    ("i8 -56", "%d", [200], "-56"),
    ("i8 -56", "%u", [200], "200"),
    ("i16 -2", "%d", [0xFFFE], "-2"),
    ("i16 -2", "%hx", [0xFFFE], "fffe"),
    ("i24 -1", "%u", [0xFFFFFF], "16777215"),
    ("i32 -123456", "%d", [0x100000000 - 123456], "-123456"),
    ("i32 305419896", "%#010x", [0x12345678], "0x12345678"),
    ("i64 -5", "%ld", u64(-5), "-5"),
    ("i64 1311768467463790320", "%lx", u64(0x123456789ABCDEF0), "123456789abcdef0"),
    ("i48 1", "%lu", [1, 0], "1"),
    ("half 0xH3E00", "%f", [f32(1.5)], "1.500000"),
    ("bfloat 0xR3FC0", "%g", [f32(1.5)], "1.5"),
    ("bfloat 0xRC2F7", "%.1f", [f32(-123.5)], "-123.5"),
    ("float 3.25", "%e", [f32(3.25)], "3.250000e+00"),
    ("double 1.0e-300", "%g", f64(1e-300), "1e-300"),
    ("<2 x i32> <i32 7, i32 -7>", "%v2d", [7, 0xFFFFFFF9], "7, -7"),
    ("<3 x i16> <i16 1, i16 -1, i16 3>", "%v3d", [1, 0xFFFF, 3], "1, -1, 3"),
    ("<4 x i8> <i8 1, i8 2, i8 3, i8 -4>", "%v4u", [1, 2, 3, 252], "1, 2, 3, 252"),
    ("<2 x i1> <i1 true, i1 false>", "%v2u", [1, 0], "1, 0"),
    ("<2 x i64> <i64 1, i64 -1>", "%v2ld", [1, 0, 0xFFFFFFFF, 0xFFFFFFFF], "1, -1"),
    ("<4 x half> <half 0xH3C00, half 0xH4000, half 0xHBC00, half 0xH0000>", "%.1v4f",
     [f32(1), f32(2), f32(-1), 0], "1.0, 2.0, -1.0, 0.0"),
    ("<2 x bfloat> <bfloat 0xR3F80, bfloat 0xR4000>", "%v2g", [f32(1), f32(2)], "1, 2"),
    ("<3 x float> <float 1.5, float 2.5, float -3.5>", "%v3f", [f32(1.5), f32(2.5), f32(-3.5)],
     "1.500000, 2.500000, -3.500000"),
    ("<2 x double> <double 0.5, double 2.0>", "%v2g", f64(0.5) + f64(2.0), "0.5, 2"),
    ("<16 x i8> <" + ", ".join(f"i8 {i}" for i in range(16)) + ">", "%v16u", list(range(16)),
     ", ".join(map(str, range(16)))),
    ("ptr addrspace(1) inttoptr (i64 1311768467463790320 to ptr addrspace(1))", "%lx",
     u64(0x123456789ABCDEF0), None),
    ("ptr addrspace(3) inttoptr (i32 4096 to ptr addrspace(3))", "%p", [4096, 0], None),
]


def ll_string(name, text, end=True):
    data = text.encode() + (b"\0" if end else b"")
    body = "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in data)
    return f'@{name} = private unnamed_addr addrspace(4) constant [{len(data)} x i8] c"{body}"'


def opaque(arg, i):
    """The argument through memory that the optimizer does not see through: values are not constants."""
    ty, value = re.match(r"(<.*?> |ptr addrspace\(\d\) |\S+ )(.*)", arg).groups()
    ty = ty.strip()
    return (f"  %s{i} = alloca {ty}, addrspace(5)\n  store volatile {ty} {value}, ptr addrspace(5) %s{i}\n"
            f"  %v{i} = load volatile {ty}, ptr addrspace(5) %s{i}\n", f"{ty} %v{i}")


def kernel(strings, body, extra="", name="k"):
    return ('target triple = "amdgcn-amd-amdhsa"\n' + "\n".join(strings)
            + "\ndeclare void @lgc.debug.printf(ptr addrspace(4), ...)\n"
            "declare i32 @llvm.amdgcn.workitem.id.x()\ndeclare i32 @llvm.amdgcn.workgroup.id.x()\n" + extra
            + f"\ndefine amdgpu_kernel void @{name}() {{\n" + body + "  ret void\n}\n")


def types_case(d, level, through, mode):
    strings = [ll_string(f"f{i}", f"{i}: {fmt}\n") for i, (_, fmt, _, _) in enumerate(scalars)]
    body = ""
    for i, (arg, _, _, _) in enumerate(scalars):
        if through:
            text, arg = opaque(arg, i)
            body += text
        body += f"  call void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) @f{i}, {arg})\n"
    path, saved = d / "types.ll", d / "types.buf"
    path.write_text(kernel(strings, body))
    status, out, err = run("run", path, "--printf", "--printf-save", saved, "--printf-atomic", mode, f"-O{level}",
                           "--grid", 1, "--block", 1)
    got = entries(saved.read_bytes())[2] if status == 0 else []
    wrong = [(i, [hex(x) for x in payload]) for i, ((_, payload), s) in enumerate(zip(got, scalars))
             if list(payload) != s[2]]
    case(f"payload of all types, -O{level}{', values not constant' if through else ''}, {mode}",
         len(got) == len(scalars) and not wrong, (status, err, len(got), wrong))
    lines = out.split("\n")
    wrong = [(i, lines[i:i + 1]) for i, s in enumerate(scalars)
             if s[3] is not None and lines[i:i + 1] != [f"{i}: {s[3]}"]]
    case(f"text of all types, -O{level}{', values not constant' if through else ''}, {mode}", not wrong, wrong)


many = """
kernel void k(uint rounds)
{
    uint g = get_global_id(0);
    for (uint r = 0; r < rounds; r++) {
        if ((g + r) % 3 != 0)
            printf("%u %u %f\\n", g, r, (float)g * 0.5f + r);
        else
            printf("other %lu\\n", (ulong)g << 32 | r);
    }
}
"""


def expect_line(g, r):
    return f"{g} {r} {g * 0.5 + r:f}" if (g + r) % 3 else f"other {g << 32 | r}"


def many_cases(d):
    path, saved = d / "many.cl", d / "many.buf"
    path.write_text(many)
    grid, rounds = 64 * 32, 49  # 64 waves, 100,352 entries
    want = sorted(expect_line(g, r) for g in range(grid) for r in range(rounds))
    sizes = {True: 6, False: 4}  # dwords: header, two uints, a double; header, a ulong
    for mode in ("wave", "lane"):
        status, out, err = run("run", path, "--printf", "--printf-size", 4 << 20, "--printf-atomic", mode, "--grid",
                               grid, "--block", 128, "--arg", f"u32:{rounds}", "--seed", 7)
        case(f"{len(want)} entries from 64 waves, {mode}: each once", status == 0 and sorted(out.split("\n")[:-1]) == want,
             (status, err, len(out.split(chr(10)))))
        for room in (1, 5, 1000, 123457):
            size = 16 + 4 * room
            status, out, err = run("run", path, "--printf", "--printf-size", size, "--printf-atomic", mode, "--grid",
                                   grid, "--block", 128, "--arg", f"u32:{rounds}", "--printf-save", saved)
            asked, lost, got = entries(saved.read_bytes())
            data = saved.read_bytes()
            used = sum(2 + len(p) for _, p in got)
            # The entry that begins within the buffer has its header there, if that fits, and no more.
            rest = data[16 + 4 * used:]
            header = len(rest) < 8 or struct.unpack_from("<H", rest)[0] in sizes.values()
            said = re.search(r"printf: (\d+) entries lost", err)
            lines = out.split("\n")[:-1]
            known = set(want)
            case(f"room for {room} dwords, {mode}: exact loss", status == 1 and said is not None
                 and int(said[1]) == lost == len(want) - len(lines) and len(lines) == len(got)
                 and all(x in known for x in lines) and len(set(lines)) == len(lines)
                 and asked == sum(sizes[(g + r) % 3 != 0] for g in range(grid) for r in range(rounds)) + 0
                 and header and not any(rest[8 if len(rest) >= 8 else 0:]), (status, err, lost, len(lines), asked, used))


def order_case(d):
    path = d / "order.cl"
    path.write_text("kernel void k(void) {\n  uint l = get_local_id(0);\n"
                    "  if (l % 4 != 1) printf(\"a %u\\n\", l);\n  for (uint i = 0; i < l % 5; i++) printf(\"b %u %u\\n\", i, l);\n}\n")
    for wave in (32, 64):
        for level in (0, 1, 2, 3):
            status, out, err = run("run", path, "--printf", "--grid", wave, "--block", wave, "--wave", wave, f"-O{level}")
            lines = out.split("\n")[:-1]
            want = [f"a {l}" for l in range(wave) if l % 4 != 1]
            want += [f"b {i} {l}" for i in range(4) for l in range(wave) if i < l % 5]
            case(f"lanes in order, wave{wave}, -O{level}", status == 0 and lines == want, (status, err, lines[:70]))


def record_case(d):
    path = d / "record.cl"
    path.write_text("kernel void k(void) { printf(\"%u %u %u\\n\", (uint)get_global_id(0), (uint)get_global_id(1), "
                    "(uint)get_local_linear_id()); }\n")
    status, out, err = run("run", path, "--printf", "--printf-record", "lane,dispatch,workgroup,wave", "--grid", "40,5",
                           "--block", "20,3")
    got = set(out.split("\n")[:-1])
    want = set()
    for y in range(5):
        for x in range(40):
            rows = 3 if y < 3 else 2  # the last row of workgroups is smaller
            lin = (y % 3) * 20 + x % 20
            want.add(f"[dispatch 0 workgroup {x // 20},{y // 3},0 wave {lin // 32} lane {lin % 32}] {x} {y} {lin}")
    case("records, with workgroups of two sizes", status == 0 and got == want, (err, sorted(got ^ want)[:8]))


def text_cases(d):
    path = d / "text.cl"
    path.write_text("""
constant char fixed[] = "fixed";
void __attribute__((noinline)) deep(uint n) { printf("deep %u\\n", n); }
kernel void k(void)
{
    uint i = get_global_id(0);
    int n = printf("%s|%5s|%-6s|%.2s|%c|%%|\\n", "abc", "de", "fg", fixed, 'x');
    printf("%d\\n", n);
    deep(i + 1);
    printf("");
    printf("no newline");
}
""")
    for level in (0, 2):
        status, out, err = run("run", path, "--printf", "--grid", 1, "--block", 1, f"-O{level}")
        case(f"strings, results, functions that are not inlined, -O{level}", status == 0
             and out == "abc|   de|fg    |fi|x|%|\n0\ndeep 1\nno newline\n", (status, out, err))
    status, out, err = run("run", path, "--printf", "--json", "--grid", 1, "--block", 1)
    case("--json", status == 0 and '{"printf":"deep 1\\u000a"}' in out and '"result":"done"' in out, out)
    # lgc.debug.printf: a line for each entry. printf: as in C, also of the same text.
    path = d / "lines.ll"
    path.write_text(kernel([ll_string("f0", "one %d"), ll_string("f1", "two\n"), ll_string("f2", "c,")],
                           "".join("  call void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) @f0, i32 %d)\n" % i
                                   for i in (1, 2)) +
                           "".join(f"  call {'i32' if f == 'printf' else 'void'} (ptr addrspace(4), ...) @{f}(ptr addrspace(4) @{s})\n"
                                   for f, s in (("lgc.debug.printf", "f1"), ("printf", "f2"), ("printf", "f2"),
                                                ("lgc.debug.printf", "f2"), ("printf", "f2"))),
                           extra="declare i32 @printf(ptr addrspace(4), ...)\n"))
    status, out, err = run("run", path, "--printf", "--grid", 1, "--block", 1)
    case("lgc.debug.printf: lines; printf: text goes on", (status, out, err) == (0, "one 1\none 2\ntwo\nc,c,\nc,\nc,\n", ""),
         (status, out, err))
    status, out, err = run("debug", path, "--printf", "--grid", 1, "--block", 1, "-batch", "-ex", "run")
    case("the same in the debugger", "one 1\none 2\ntwo\nc,c,\nc,\nc,\n" in out, (status, out, err))
    path = d / "c.cl"
    path.write_text("kernel void k(global uint *p) { printf(\"before\\n\"); p[1 << 28] = 1; }\n")
    status, out, err = run("run", path, "--printf", "--grid", 1, "--block", 1, "--arg", "zeros:16")
    case("lines before a page fault", status == 1 and out.startswith("before\n") and "page fault" in out, (status, out, err))


def refusals(d):
    decl = "declare void @lgc.debug.printf(ptr addrspace(4), ...)\n"
    call = "  call void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) "
    f = ll_string("f", "%d")

    def refused(name, text, wants, *args):
        path, out = d / "bad.ll", d / "bad.elf"
        path.write_text(text)
        status, said, err = run("cc", "--printf", path, "-o", out, *args)
        case(name, status == 3 and not out.exists() and all(w in err for w in wants) and len(err.splitlines()) == 1,
             (status, err))

    refused("format that is not a constant", kernel([], call + "%p)\n").replace("@k()", "@k(ptr addrspace(4) %p)"),
            ["'k'", "not a constant string"])
    refused("format in memory that changes", kernel([f.replace("constant", "global")], call + "@f, i32 1)\n"),
            ["not a constant string"])
    refused("C format without an end", 'target triple = "amdgcn-amd-amdhsa"\n' + ll_string("f", "%d", False)
            + "\ndeclare i32 @printf(ptr addrspace(4), ...)\ndefine amdgpu_kernel void @k() {\n"
            "  %r = call i32 (ptr addrspace(4), ...) @printf(ptr addrspace(4) @f, i32 1)\n  ret void\n}\n",
            ["not a constant string with an end"])
    refused("no arguments at all", 'target triple = "amdgcn-amd-amdhsa"\ndeclare void @lgc.debug.printf(...)\n'
            "define amdgpu_kernel void @k() {\n  call void (...) @lgc.debug.printf()\n  ret void\n}\n",
            ["without a format"])
    refused("address taken", kernel([f], "", "@t = addrspace(1) global ptr @lgc.debug.printf\n"), ["address", "is taken"])
    refused("stored pointer", kernel([f], "  %s = alloca ptr, addrspace(5)\n"
            "  store ptr @lgc.debug.printf, ptr addrspace(5) %s\n"), ["'k'", "other than by a plain call"])
    refused("passed on", kernel([f], "  call void @g(ptr @lgc.debug.printf)\n", "declare void @g(ptr)\n"),
            ["argument of a call"])
    refused("invoke", kernel([f], "  invoke void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) @f, i32 1) "
            "to label %a unwind label %b\nb:\n  %l = landingpad i32 cleanup\n  br label %a\na:\n")
            .replace("@k()", "@k() personality ptr null"), ["other than by a plain call"])
    refused("argument that cannot be printed", kernel([f], call + "@f, i128 1)\n"), ["argument 1", "i128"])
    refused("structure", kernel([f], call + "@f, { i32, i32 } zeroinitializer)\n"), ["argument 1"])
    refused("result that is not an integer", kernel([f], "  %r = call float (ptr addrspace(4), ...) @lgc.debug.printf("
            "ptr addrspace(4) @f, i32 1)\n").replace("declare void @lgc", "declare float @lgc"), ["neither an integer"])
    refused("too few arguments", kernel([f], call + "@f)\n"), ["'k'", "format"])
    refused("empty format", kernel([ll_string("f", "")], call + "@f)\n"), ["format"])
    refused("undefined format", kernel(["@f = private addrspace(4) constant [4 x i8] undef"], call + "@f)\n"),
            ["not a constant string"])
    refused("format in another form", kernel(["@f = private addrspace(4) constant [4 x i16] zeroinitializer"], call + "@f)\n"),
            ["not a constant string"])
    refused("format from elsewhere", kernel(["@f = external addrspace(4) constant [4 x i8]"], call + "@f)\n"),
            ["not a constant string"])
    refused("format beyond its string", kernel([f], call + "getelementptr (i8, ptr addrspace(4) @f, i64 9))\n"),
            ["not a constant string"])
    refused("%s without a literal", kernel([ll_string("f", "%s")], call + "@f, i32 1)\n"), ["'k'"])
    big = "<40000 x i32> zeroinitializer"
    refused("more than 65,535 dwords", kernel([f], call + f"@f, {big}, {big})\n"), ["65535 dwords"])
    refused("no buffer on a target without an argument for it",
            kernel([f], call + "@f, i32 1)\n").replace("amdgpu_kernel", "amdgpu_cs").replace("-amdhsa", "-amdpal"),
            ["without a buffer"])
    refused("address without a size", kernel([f], "  call void (ptr addrspace(1), ptr addrspace(4), ...) @lgc.debug.printf("
            "ptr addrspace(1) null, ptr addrspace(4) @f, i32 1)\n").replace("(ptr addrspace(4), ...)\n", "(...)\n", 1),
            ["--printf-size"])
    debug = ('!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!3}\n!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1,'
             ' emissionKind: FullDebug)\n!1 = !DIFile(filename: "shader.glsl", directory: "/x")\n!2 = distinct !DISubprogram('
             'name: "k", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)\n!3 = !{i32 2, '
             '!"Debug Info Version", i32 3}\n!4 = !DILocation(line: 42, column: 7, scope: !2)\n!5 = !DISubroutineType(types: !{})\n')
    refused("source line in the message", kernel([f], call + "@f), !dbg !4\n").replace("@k() {", "@k() !dbg !2 {") + debug,
            ["shader.glsl:42:7"])
    path = d / "warn.ll"
    path.write_text(kernel([f], call + "@f, float 1.0), !dbg !4\n").replace("@k() {", "@k() !dbg !2 {") + debug)
    status, out, err = run("cc", "--printf", path, "-o", d / "warn.elf")
    case("a mismatch is a warning with the source line", status == 0 and "warning: shader.glsl:42:7" in err, err)


def lowered_cases(d):
    """printf that clang's own passes have lowered: back to calls, at every level."""
    source, ir, obj, code = (d / x for x in ("low.cl", "low.ll", "low.o", "low.co"))
    source.write_text("""
kernel void k(char c, char4 c4, float3 f3, long2 l2)
{
    uint i = __builtin_amdgcn_workitem_id_x();
    printf("%d %d:%hd\\n", i, c, (short)c);
    printf("%s|%s|%d %s\\n", "here", "", i, "abcdefg");
    printf("%v4hhd %v3hlf %v2ld\\n", c4, f3, l2);
    printf("plain\\n");
    printf("%s%d %s%x%s\\n", "four", 7, "abc", 7, "12345678");
    if (i & 1) printf("%s %x %f\\n", "a", 7, 1.5f);
}
""")
    want = ("0 -3:-3\n1 -3:-3\nhere||0 abcdefg\nhere||1 abcdefg\n" + "1, -1, 3, 5 1.000000, 2.000000, 3.000000 1, -1\n" * 2
            + "plain\n" * 2 + "four7 abc712345678\n" * 2 + "a 7 1.500000\n")
    for level in range(4):
        subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", f"-O{level}", "-S",
                        "-emit-llvm", "-x", "cl", "-cl-std=CL2.0", source, "-o", ir], check=True)
        lowered = "__printf_alloc(i32" in ir.read_text()
        built = run("cc", "--printf", ir, "-o", obj)
        subprocess.run(["ld.lld-19", "-shared", obj, "-o", code], capture_output=True)
        got = run("run", code, "--printf", "--grid", 2, "--block", 2, "--arg", "i8:-3", "--arg", "hex:01ff0305", "--arg",
                  "hex:0000803f000000400000404000000000", "--arg", "hex:0100000000000000ffffffffffffffff")
        case(f"printf that clang lowered, -O{level}", lowered and built[0] == 0 and got[:2] == (0, want), (built, got))
    text = ir.read_text()
    for name, change, wants in (
            ("its format is gone", lambda t: re.sub(r'!"1:', '!"77:', re.sub(r'!"2:', '!"78:', t)), ["llvm.printf.fmts"]),
            ("another use", lambda t: re.sub(r"(%\d+) = (tail )?call (ptr addrspace\(1\)) @__printf_alloc\(i32 4\)[^\n]*",
                                             r"\g<0>\n  call void @other(\3 \1)", t) + "\ndeclare void @other(ptr addrspace(1))\n",
             ["another way"])):
        ir.write_text(change(text))
        status, out, err = run("cc", "--printf", ir, "-o", d / "never.o")
        case(f"printf that clang lowered: {name}", status == 3 and "-disable-llvm-passes" in err
             and all(w in err for w in wants) and not (d / "never.o").exists(), (status, err))


def pal_cases(d):
    path, out = d / "pal.ll", d / "pal.elf"
    text = ('target triple = "amdgcn--amdpal"\n' + ll_string("a", "x %d y %f", False) + "\n" + ll_string("b", "%lu")
            + "\ndeclare void @lgc.debug.printf(ptr addrspace(7), ptr addrspace(4), ...)\n"
            "define amdgpu_cs void @main(<4 x i32> inreg %rsrc, <3 x i32> %id) {\n"
            "  %i = bitcast <4 x i32> %rsrc to i128\n  %r = inttoptr i128 %i to ptr addrspace(8)\n"
            "  %p = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)\n  %x = extractelement <3 x i32> %id, i32 0\n"
            "  call void (ptr addrspace(7), ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(7) %p, "
            "ptr addrspace(4) @a, i32 %x, float 1.0)\n"
            "  call void (ptr addrspace(7), ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(7) %p, "
            "ptr addrspace(4) @b, i64 5)\n  ret void\n}\n")
    path.write_text(text)
    for cpu in ("gfx900", "gfx1030", "gfx1100", "gfx1200"):
        status, said, err = run("cc", "--printf", path, "-o", out, f"-mcpu={cpu}", "--printf-strings", d / "strings.mp")
        notes = subprocess.run(["llvm-readelf-19", "--notes", out], capture_output=True, text=True).stdout
        case(f"strings in the PAL note, {cpu}", status == 0 and "amdpal.format_strings" in notes and "x %d y %f" in notes
             and re.search(r"\.argument_count:\s+2", notes) and "amdpal.pipelines" in notes, err + notes)
    status, asm, err = run("cc", "--printf", path, "--emit=asm", "-o", "-")
    per_wave = asm.count("buffer_atomic_add_u64")
    case("one 64-bit atomic for each call, under the first lane", status == 0 and per_wave == 2
         and "v_mbcnt_lo" in asm and "0x20000000" in asm, (per_wave, err))
    status, asm, err = run("cc", "--printf", "--printf-atomic=lane", path, "--emit=asm", "-o", "-")
    case("one for each lane if asked", status == 0 and asm.count("buffer_atomic_add_u64") == 2
         and "v_mbcnt" not in asm, err)
    # A document that is there stays, and the strings of a module that was lowered before do too.
    blob = b"\x82\xaeamdpal.version\x92\x02\x06\xa5other\xa3a\x01c"
    md = "!amdgpu.pal.metadata.msgpack = !{!0}\n!0 = !{!\"" + "".join(f"\\{b:02x}" for b in blob) + "\"}\n"
    path.write_text(text + md)
    status, said, err = run("cc", "--printf", path, "-o", out)
    notes = subprocess.run(["llvm-readelf-19", "--notes", out], capture_output=True, text=True).stdout
    case("a PAL document that is there is kept", status == 0 and "other:" in notes and "amdpal.version" in notes
         and "x %d y %f" in notes, err + notes)
    path.write_text(text + md.replace("\\82", "\\c1"))
    status, said, err = run("cc", "--printf", path, "-o", out)
    case("a damaged PAL document is refused", status == 3 and "pal.ll: PAL metadata" in err, err)
    pixel = text.replace("amdgpu_cs void @main(<4 x i32> inreg %rsrc, <3 x i32> %id)",
                         "amdgpu_ps void @main(<4 x i32> inreg %rsrc, <3 x i32> %id)")
    path.write_text(pixel)
    status, ir, err = run("cc", "--printf", "-O0", "--emit=ll", path, "-o", "-")
    case("helper lanes of pixel shaders are silent", status == 0 and "llvm.amdgcn.live.mask" in ir, err)


def layout_cases(d):
    path, out = d / "rel.ll", d / "rel.elf"
    path.write_text('target triple = "amdgcn-amd-amdpal"\n' + ll_string("f", "x %d")
                    + "\ndeclare i32 @lull.local.id(i32)\ndeclare void @lgc.debug.printf(ptr addrspace(4), ...)\n"
                    "define amdgpu_cs void @main() {\n  %x = call i32 @lull.local.id(i32 0)\n"
                    "  call void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) @f, i32 %x)\n  ret void\n}\n")

    def relocations(*args):
        status, said, err = run("cc", "--printf", path, "-o", out, *args)
        text = subprocess.run(["llvm-readelf-19", "-r", "--notes", out], capture_output=True, text=True).stdout
        return status, err, set(re.findall(r"ABS32_LO\s+0+ (\S+)", text)), text

    status, err, names, text = relocations("--relocatable")
    case("buffer by LLPC's set and binding, relocatable", status == 0 and "doff_4294967280_6_b" in names
         and "amdpal.format_strings" in text and "user_data_reg_map" in text, (err, names))
    status, err, names, text = relocations("--relocatable", "--printf-set", 1, "--printf-binding=9", "--printf-record",
                                           "workgroup,wave,lane,dispatch")
    case("buffer by another set and binding, with records", status == 0 and "doff_1_9_b" in names, (err, names))
    layout = d / "layout.json"
    layout.write_text('[{"type": "table", "set": 1, "nodes": [{"type": "buffer", "binding": 9}]}]')
    status, err, names, text = relocations("--layout", layout, "--printf-set", 1, "--printf-binding=9")
    case("buffer by a layout", status == 0 and not names, (err, names))
    status, err, names, text = relocations("--layout", layout)
    case("the usual place, which the layout does not have", status == 0 and not names, (err, names))
    status, err, names, text = relocations("--layout", layout, "--printf-set", 7)
    case("no buffer in the layout", status == 3 and "set 7, binding 6" in err, err)


def pipeline_cases(d):
    """Relocatable, linked, run as a pipeline, decoded by lull printf; and the same by a layout."""
    path, elf, linked, buf = d / "pipe.ll", d / "pipe.elf", d / "linked.elf", d / "pipe.buf"
    path.write_text('target triple = "amdgcn-amd-amdpal"\n' + ll_string("f", "x %d of %u %s\n") + "\n" + ll_string("s", "hi")
                    + "\ndeclare i32 @lull.local.id(i32)\ndeclare i32 @lull.workgroup.id(i32)\n"
                    "declare void @lgc.debug.printf(...)\ndefine amdgpu_cs void @main() !reqd_work_group_size !0 {\n"
                    "  %x = call i32 @lull.local.id(i32 0)\n  %g = call i32 @lull.workgroup.id(i32 0)\n"
                    "  call void (...) @lgc.debug.printf(ptr addrspace(4) @f, i32 %x, i32 %g, ptr addrspace(4) @s)\n"
                    "  ret void\n}\n!0 = !{i32 48, i32 2, i32 1}\n")
    layout = d / "pipe.json"
    layout.write_text('[{"type":"table","set":0,"nodes":[{"type":"buffer","binding":0},{"type":"buffer","binding":3}]}]')
    where = ["--printf-set", 0, "--printf-binding", 3, "--printf-record", "workgroup,wave,lane"]
    want = []
    for g in range(2):
        for y in range(2):
            for x in range(48):
                n = y * 48 + x
                want.append(f"[workgroup {g},0,0 wave {n // 32} lane {n % 32}] x {x} of {g} hi")
    steps = [run("cc", "--printf", "--relocatable", *where, path, "-o", elf), run("link", elf, "--layout", layout, "-o", linked)]
    for name, program, before in (("linked", linked, steps),
                                  ("by a layout", elf, [run("cc", "--printf", "--layout", layout, *where, path, "-o", d / "by.elf")])):
        program = d / "by.elf" if name == "by a layout" else program
        got = run("run", program, "--layout", layout, "--groups", 2, "--bind", "0.3=zeros:65536", "--out", f"0.3={buf}")
        text = run("printf", "decode", buf, "--strings", program)
        case(f"pipeline {name}: run and decoded", all(s[0] == 0 for s in before) and got[0] == 0 and text[0] == 0
             and sorted(text[1].split("\n")[:-1]) == sorted(want), (before, got, text[0], text[1][:500], text[2]))
        got = run("run", program, "--layout", layout, "--groups", 2, "--bind", "0.3=zeros:1000", "--out", f"0.3={buf}")
        asked, lost, entries_in = entries(buf.read_bytes()[:1000])
        case(f"pipeline {name}: exact loss", got[0] == 0 and lost == len(want) - len(entries_in)
             and len(entries_in) == (1000 - 16) // 4 // 11, (got, asked, lost, len(entries_in)))


def uniform_cases(d):
    """One atomic for a wave only where all lanes mean one buffer: compiled, and run with two buffers."""
    head = ('target triple = "amdgcn-amd-amdhsa"\n' + ll_string("f", "%u")
            + "\ndeclare void @lgc.debug.printf(...)\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n")
    path, a, b = d / "two.ll", d / "a.buf", d / "b.buf"
    path.write_text(head + "define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {\n"
                    "  %x = call i32 @llvm.amdgcn.workitem.id.x()\n  %o = and i32 %x, 1\n  %c = icmp eq i32 %o, 0\n"
                    "  %p = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b\n"
                    "  call void (...) @lgc.debug.printf(ptr addrspace(1) %p, ptr addrspace(4) @f, i32 %x)\n"
                    "  call void (...) @lgc.debug.printf(ptr addrspace(1) %a, ptr addrspace(4) @f, i32 %x)\n  ret void\n}\n")
    obj, code = d / "two.o", d / "two.co"
    built = run("cc", "--printf", "--printf-size=4096", path, "-o", obj)
    subprocess.run(["ld.lld-19", "-shared", obj, "-o", code])
    got = run("run", code, "--grid", 64, "--block", 64, "--arg", f"zeros:4096:out={a}", "--arg", f"zeros:4096:out={b}")
    if got[0] == 0:
        first, second = (sorted(p[0] for _, p in entries(x.read_bytes())[2]) for x in (a, b))
        case("lanes with different buffers", first == sorted([*range(64), *range(0, 64, 2)]) and second == list(range(1, 64, 2)),
             (first, second))
    else:
        case("lanes with different buffers", False, (built, got))
    status, asm, err = run("cc", "--printf", "--printf-size=4096", path, "--emit=asm", "-o", "-")
    case("... and only the other call adds for the wave", status == 0 and asm.count("v_mbcnt_lo") <= 2
         and asm.count("global_atomic_add_u64") == 2, (err, asm.count("v_mbcnt_lo")))


def clamp_case(d):
    """A counter at and above 2 GiB, as after very many calls: nothing is written, all is counted."""
    path, obj, code, buf = d / "clamp.ll", d / "clamp.o", d / "clamp.co", d / "clamp.buf"
    path.write_text('target triple = "amdgcn-amd-amdhsa"\n' + ll_string("f", "%u")
                    + "\ndeclare void @lgc.debug.printf(...)\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n"
                    "define amdgpu_kernel void @k(ptr addrspace(1) %a) {\n  %x = call i32 @llvm.amdgcn.workitem.id.x()\n"
                    "  call void (...) @lgc.debug.printf(ptr addrspace(1) %a, ptr addrspace(4) @f, i32 %x)\n  ret void\n}\n")
    for mode in ("wave", "lane"):
        run("cc", "--printf", f"--printf-size={3 << 30}", f"--printf-atomic={mode}", path, "-o", obj)
        subprocess.run(["ld.lld-19", "-shared", obj, "-o", code])
        for start in ((1 << 29) - 1, 1 << 29, 1 << 32, (1 << 33) + 5, (1 << 63) + 1):
            (d / "start").write_bytes(struct.pack("<QII", start, 0, 0) + bytes(4080))
            got = run("run", code, "--grid", 40, "--block", 40, "--arg", f"buffer:{d / 'start'}:out={buf}")
            data = buf.read_bytes() if got[0] == 0 else bytes(4096)
            asked, lost, _ = struct.unpack_from("<QII", data)
            case(f"counter at {start:#x}, {mode}", got[0] == 0 and asked == start + 3 * 40 and lost == 40
                 and not any(data[16:]), (got, asked, lost))


def attribute_case(d):
    path = d / "attr.ll"
    path.write_text(kernel([ll_string("f", "%u\n")], "  call void @h(i32 3)\n  call void @h(i32 4)\n",
                           "define void @h(i32 %n) noinline memory(none) willreturn nounwind \"amdgpu-no-implicitarg-ptr\" "
                           "\"amdgpu-no-workgroup-id-x\" {\n  call void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) @f, "
                           "i32 %n)\n  ret void\n}\n"))
    status, out, err = run("run", path, "--printf", "--printf-record", "workgroup", "--grid", 1, "--block", 1)
    case("attributes that printing makes wrong", status == 0
         and out == "[workgroup 0,0,0] 3\n[workgroup 0,0,0] 4\n", (status, out, err))


def several_cases(d):
    """Two objects in one code object: two notes; and a fat pointer that the kernel makes itself."""
    call = "  call void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) @f, i32 5)\n"
    one = kernel([ll_string("f", "from one %d\n")], call + "  call void @two()\n", "declare void @two()\n")
    two = kernel([ll_string("f", "from two %d\n")], call).replace("amdgpu_kernel void @k", "void @two")
    objs = []
    for name, text in (("one", one), ("two", two)):
        path, obj = d / f"{name}.ll", d / f"{name}.o"
        path.write_text(text)
        objs.append((run("cc", "--printf", path, "-o", obj), obj))
    code = d / "both.co"
    subprocess.run(["ld.lld-19", "-shared", "-Bsymbolic", objs[0][1], objs[1][1], "-o", code])
    status, out, err = run("run", code, "--printf", "--grid", 1, "--block", 1)
    case("two objects in one code object: two notes", status == 0 and out == "from one 5\nfrom two 5\n", (objs, out, err))
    path, obj, buf, strings = d / "fat.ll", d / "fat.elf", d / "fat.buf", d / "fat.strings"
    path.write_text('target triple = "amdgcn-amd-amdhsa"\n' + ll_string("f", "id %d v=%v4g") + """
declare void @lgc.debug.printf(ptr addrspace(7), ptr addrspace(4), ...)
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p1(ptr addrspace(1), i16, i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %size) {
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p1(ptr addrspace(1) %out, i16 0, i32 %size, i32 822243328)
  %p = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %fx = uitofp i32 %x to float
  %v = insertelement <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>, float %fx, i32 2
  %p2 = getelementptr i8, ptr addrspace(7) %p, i32 512
  call void (ptr addrspace(7), ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(7) %p2, ptr addrspace(4) @f, i32 %x, <4 x float> %v)
  ret void
}
""")
    built = run("cc", "--printf", "--printf-strings", strings, path, "-o", obj)
    got = run("run", obj, "--grid", 40, "--block", 40, "--arg", f"zeros:4096:out={buf}", "--arg", "u32:1064")
    data = buf.read_bytes() if got[0] == 0 else bytes(4096)
    asked, lost, found = entries(data[512:1064])
    want = [(x, f32(1), f32(2), f32(x), f32(4)) for x in range(19)]
    case("fat pointer with an offset: room behind it, nothing outside", got[0] == 0 and asked == 280 and lost == 21
         and [p for _, p in found] == want and not any(data[:512]) and not any(data[1064:]), (built, got, asked, lost, len(found)))
    (d / "cut.buf").write_bytes(data[512:1064])
    text = run("printf", "decode", d / "cut.buf", "--strings", strings)
    case("decoded with the strings' file", text[0] == 1 and text[1].startswith("id 0 v=1, 2, 0, 4\nid 1 v=1, 2, 1, 4\n")
         and "21 entries lost" in text[2], text)
    status, out, err = run("cc", "--printf", "--printf-strings", d / "no" / "dir", path, "-o", d / "never.elf")
    case("strings' file that cannot be written: nothing is", status == 3 and not (d / "never.elf").exists(), err)


def debugger_cases(d):
    path = d / "dbg.cl"
    path.write_text("kernel void k(global uint *out)\n{\n    uint i = get_global_id(0);\n    printf(\"first %u\\n\", i);\n"
                    "    out[i] = i;\n    printf(\"second %u\", i);\n}\n")
    common = ["debug", path, "--printf", "--grid", 2, "--block", 2, "--arg", "zeros:64", "-batch", "--echo"]
    status, out, err = run(*common, "-ex", f"break {path.name}:5", "-ex", "run", "-ex", "info printf", "-ex", "delete", "-ex",
                           "continue", "-ex", "run")
    parts = out.split("(lull) ")[1:]
    case("debugger: lines come at each stop", status == 0 and parts[1].startswith("run\nfirst 0\nfirst 1\nWave 0 ")
         and "40 used; 2 entries shown, 0 lost" in parts[2] and parts[4].startswith("continue\nsecond 0second 1\n[")
         and parts[5].startswith("run\nfirst 0\nfirst 1\nsecond 0second 1\n["), (out, err))
    status, out, err = run(*common, "--json", "-ex", "run", "-ex", "info printf")
    case("debugger: --json", status == 0 and '{"printf":"first 1\\u000a"}' in out and "4 entries shown" in out, (out, err))
    spin = d / "spin.cl"
    spin.write_text("kernel void k(void)\n{\n    printf(\"early\\n\");\n    for (volatile uint i = 0; i < 100000; i++) { }\n"
                    "    printf(\"late\\n\");\n}\n")
    status, out, err = run("debug", spin, "--printf", "--grid", 1, "--block", 1, "-batch", "-ex", "run")
    case("debugger: a long kernel", status == 0 and out.startswith("early\nlate\n["), (out, err))


def usage_cases(d):
    path = d / "use.cl"
    path.write_text('kernel void k(void) { printf("hello %d\\n", 1); }\n')
    grid = ["--grid", 1, "--block", 1]
    status, out, err = run("run", path, *grid)
    case("printf without --printf says what to do", status == 3 and "--printf" in err.split("\n")[0], err)
    status, out, err = run("run", path, "--printf", "--json", "--printf-size", 20, *grid)
    case("losses in --json", status == 1 and '"printf_lost":1' in out, (status, out, err))
    for bad in (["--printf-size", 8], ["--printf-size", "x"], ["--printf-record", "color"], ["--printf-atomic", "both"],
                ["--printf-size"]):
        status, out, err = run("run", path, *grid, *bad)
        case(f"wrong: {' '.join(map(str, bad))}", status in (2, 3) and bad[0] in err, (status, err))
    code = d / "use.co"
    ir, obj = d / "use.bc", d / "use.o"
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-nogpulib", "-O1",
                    "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", path, "-o", ir], check=True)
    status, out, err = run("cc", "--printf", ir, "-o", obj)
    linked = subprocess.run(["ld.lld-19", "-shared", obj, "-o", code], capture_output=True, text=True)
    status2, out, err2 = run("run", code, "--printf", *grid)
    case("a code object that was compiled and linked before", status == linked.returncode == status2 == 0
         and out == "hello 1\n", (err, linked.stderr, err2, out))
    status, out, err = run("run", code, *grid)
    case("... without a buffer nothing is written", status == 0 and out == "", (out, err))
    two = d / "two.ll"
    two.write_text(kernel([ll_string("f", "%x\n")], "".join(
        f"  call void (ptr addrspace(4), ...) @lgc.debug.printf(ptr addrspace(4) @f, {arg})\n" for arg in ("i32 1", "i64 2"))))
    status, out, err = run("run", two, "--printf", *grid)
    said = [line for line in err.splitlines() if "another shape" in line]
    case("one string with two shapes is warned of, and printed", status == 0 and out == "1\n2\n" and said
         and all("warning: " in line for line in said), (status, out, err))
    silent = d / "silent.cl"
    silent.write_text("kernel void k(global uint *p) { p[0] = 1; }\n")
    status, out, err = run("run", silent, "--printf", "--arg", "zeros:16", *grid)
    case("--printf of a kernel that prints nothing", status == 0 and out == "" and "no printf" in err, (out, err))


with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)
    types_case(d, 2, False, "wave")
    types_case(d, 0, True, "wave")
    types_case(d, 2, True, "lane")
    order_case(d)
    many_cases(d)
    record_case(d)
    text_cases(d)
    refusals(d)
    lowered_cases(d)
    pal_cases(d)
    layout_cases(d)
    uniform_cases(d)
    clamp_case(d)
    attribute_case(d)
    several_cases(d)
    pipeline_cases(d)
    debugger_cases(d)
    usage_cases(d)
end()
