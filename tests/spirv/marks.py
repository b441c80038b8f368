#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lull_spv_mark() makes of the shaders of tests/vulkan: modules that Khronos' validator takes, marked where there is something to mark: divisions, indices.

    marks.py MARKS_TOOL SHADERS

Which divide integers of 64 bits: their text, as spirv-dis has it. TAP.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

tool, shaders = sys.argv[1], pathlib.Path(sys.argv[2])
DIVISION = re.compile(r"= Op(?:UDiv|SDiv|UMod|SRem|SMod) (%\w+) ")


OWN = """#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { T a[]; };
layout(set = 0, binding = 1) buffer B { uint8_t b[]; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    a[i] = a[i + 1] / a[i + 2] % a[i + 3] + a[i] / T(3);
    b[i] = b[i + 1] / b[i + 2];
}
"""


def divisions(text):
    """How many, by the types of their results."""
    ints = set(re.findall(r"(%\w+) = OpTypeInt 64 ", text))
    wide = ints | {v for v, of in re.findall(r"(%\w+) = OpTypeVector (%\w+) ", text) if of in ints}
    types = DIVISION.findall(text)
    return sum(t in wide for t in types), sum(t not in wide for t in types)


def text_of(path):
    return subprocess.run(["spirv-dis", "--raw-id", path], capture_output=True, text=True, check=True).stdout


def VALID(path):
    return subprocess.run(["spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", path], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    module, marked = pathlib.Path(folder) / "m.spv", pathlib.Path(folder) / "n.spv"
    some = places = 0
    own = [pathlib.Path(folder) / f"{kind}.comp" for kind in ("uint64_t", "int64_t", "u64vec2", "i64vec3", "u64vec4")]
    for shader in own:
        shader.write_text(re.sub(r"\bT\b", shader.stem, OWN))
    for shader in own + sorted(shaders.glob("*.comp")) + sorted(shaders.glob("*.spvasm")):
        how = ["spirv-as", "--target-env", "spv1.6"] if shader.suffix == ".spvasm" else ["glslangValidator", "-V", "-g", "--target-env", "spirv1.6"]
        marked.unlink(missing_ok=True)
        if subprocess.run([*how, "-o", module, shader], capture_output=True).returncode != 0:
            continue  # Of other environments.
        r = subprocess.run([tool, module, marked, "2"], capture_output=True, text=True)
        places += len(r.stdout.splitlines())
        valid = VALID(marked) if marked.exists() else None
        if r.returncode != 0 or marked.exists() != (r.stdout != "") or (valid and valid.returncode != VALID(module).returncode):
            case(f"{shader.name}: indices", False, (r, valid))
        marked.unlink(missing_ok=True)
        r = subprocess.run([tool, module, marked, "1"], capture_output=True, text=True)
        wide, narrow = divisions(text_of(module))
        some += wide != 0
        if wide == 0:
            case(f"{shader.name}: nothing to mark", r.returncode == 0 and not marked.exists(), r)
            continue
        valid = VALID(marked)
        case(f"{shader.name}: {wide} divisions are marked", r.returncode == 0 and valid.returncode == 0 and divisions(text_of(marked)) == (wide, narrow + wide), (r, valid))
    case("some shaders have such divisions", some > len(own), some)
    case("and places with an index", places > 100, places)
end()
