#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lines of compute shaders: lull cc -g of GLSL, and of SPIR-V with OpLine or with DebugLine, read by LLVM's tools. lines.py LULL"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull = sys.argv[1]
SOURCE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint b[]; };
uint twice(uint x)
{
    b[x] = 0x1111;
    return x * 2 + b[x + 1];
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i > 5) {
        b[i] = 0x2222;
    }
    b[i + 7] = twice(i + 90);
    for (uint k = 0; k < i; k++)
        b[k] = 0x3333;
}
"""
WANT = {n + 1 for n, line in enumerate(SOURCE.split("\n")) if re.search(r"0x[123]{4}|twice\(i", line)}


def run(*args):
    r = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


# The first block has nothing but a choice with one way: what begins behind the prologue is what it leads to, not the shader's end.
ONE_WAY = """#version 450
layout(binding = 0) buffer B { uint b[]; };
void main()
{
    switch (0u) {
    default:
        b[0] = b[1] + 7u;
        if (b[2] == 0)
            break;
        b[3] = b[4];
    }
    return;
}
"""


def one_way(d):
    (d / "one.comp").write_text(ONE_WAY)
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "one.comp", "-o", "one.spv"], cwd=d, check=True)
    listing = run(lull, "cc", "--relocatable", "-g", "-O0", "--emit=asm", d / "one.spv", "-o", "-")[1]
    found = re.findall(r"\.loc\s+\d+ (\d+) .*prologue_end", listing)
    want = [str(1 + next(n for n, line in enumerate(ONE_WAY.split("\n")) if "b[0] =" in line))]
    case("-O0: the prologue ends where the shader begins", found == want, (found, want))


MANY = 30


def many(d):
    """At -Og a variable is held to its end, and what holds it grows with the shader's length, not with its square: printf makes blocks."""
    lines = [f"uint v{k} = a * {k + 3}u + b[i + {k}]; debugPrintfEXT(\"%u\", v{k}); a ^= v{k};" for k in range(MANY)]
    body = "\n".join(["#version 450", "#extension GL_EXT_debug_printf : require", "layout(binding = 0) buffer B { uint b[]; };", "void main() {",
                      "uint i = gl_GlobalInvocationID.x, a = b[i];", *lines, "b[i] = a;", "}", ""])
    (d / "many.comp").write_text(body)
    subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "many.comp", "-o", "many.spv"], cwd=d, check=True)
    words = [lull, "cc", "-g", "-Og", "--printf", "--relocatable", d / "many.spv"]
    held = run(*words, "--emit", "ll", "-o", "-")[1].count('asm sideeffect ""')
    case("-Og: many variables over many blocks", MANY <= held < 10 * MANY, held)
    # As a pointer it is taken to pieces and put together again in each block that uses it, and LLVM's work on that grows with the square.
    text = run(*words, "--emit", "ll", "-o", "-")[1]
    atomics = set(re.findall(r"call i\d+ @llvm\.amdgcn\.(raw\.\S*atomic\.add)", text))  # printf's alone
    case("-Og: the buffer's descriptor is no pointer", atomics == {"raw.buffer.atomic.add"}, atomics)
    run(*words, "-o", d / "out.elf")
    ends = {}
    for entry in run("llvm-dwarfdump-19", "--debug-info", d / "out.elf")[1].split("DW_TAG_variable")[1:]:
        name, until = re.search(r'DW_AT_name\s*\("(v\d+)"\)', entry), re.findall(r", (0x\w+)\): DW_OP_reg", entry)
        if name and until:
            ends[name[1]] = max(int(e, 16) for e in until)
    case("-Og: each of them to the end", len(ends) == MANY and len(set(ends.values())) == 1, ends)


with tempfile.TemporaryDirectory() as tmp:
    d = pathlib.Path(tmp)
    (d / "shader.comp").write_text(SOURCE)
    for name, flags in ("line.spv", ["-g"]), ("debug.spv", ["-gVS"]), ("none.spv", []):
        subprocess.run(["glslangValidator", "--quiet", "-V", "--target-env", "vulkan1.3", *flags, "shader.comp", "-o", name], cwd=d, check=True)
    for name in "shader.comp", "line.spv", "debug.spv":
        for level in "-O0", "-O2":
            elf = d / "out.elf"
            status, said = run(lull, "cc", "--relocatable", "-g", level, d / name, "-o", elf)
            case(f"{name} {level}: compiles", status == 0 and said == "", said)
            listing = run(lull, "cc", "--relocatable", "-g", level, "--emit=asm", d / name, "-o", "-")[1]
            line, at = 0, set()
            for text in listing.split("\n"):
                m = re.match(r"\s*\.loc\s+\d+ (\d+)", text)
                line = int(m[1]) if m else line
                if re.match(r"\s*buffer_store", text):
                    at.add(line)
            case(f"{name} {level}: lines of stores", at == WANT, (at, WANT))
            inlined = run("llvm-dwarfdump-19", "--debug-info", elf)[1]
            m = re.search(r"DW_TAG_inlined_subroutine.*?DW_AT_call_line\s*\((\d+)\)", inlined, re.S)
            case(f"{name} {level}: the call", m and SOURCE.split("\n")[int(m[1]) - 1].strip().startswith("b[i + 7] = twice"), inlined[:2000])
    status, said = run(lull, "cc", "--relocatable", "-g", d / "none.spv", "-o", d / "out.elf")
    case("without lines in it", status == 0, said)
    status, said = run(lull, "cc", "--relocatable", d / "line.spv", "-o", d / "out.elf")
    case("without -g", status == 0 and ".debug_line" not in run("llvm-readelf-19", "-S", d / "out.elf")[1], said)
    one_way(d)
    many(d)
end()
