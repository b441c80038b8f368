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
end()
