#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull run and lull diff of scenes: what is the same, what differs, who made it, what is refused. scene.py LULL SOURCE.

What differs by construction: a shader asks for the size of subgroups. No CPU has vectors of 32 floats, so on lavapipe it is smaller than 32; the
virtual GPU has no such size.
"""
import json
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
for variable in "VK_DRIVER_FILES", "VK_ICD_FILENAMES":  # of a RADV that is not the system's: lavapipe, too
    if variable in os.environ:
        os.environ[variable] += ":/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
LAVAPIPE = ["--against", "lavapipe"]
PANE = source / "examples/pane.scene"

HEAD = """size 32 24
vert glsl
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1, 0.5, 1); }
end
"""
SAME = """frag glsl
layout(location = 0) out uvec4 color;
void main() { color = uvec4(1, 2, 3, 4); }
end
draw 3
"""
SMALL = "#extension GL_KHR_shader_subgroup_basic : require\n#define SMALL (gl_SubgroupSize < 32)\n"
OTHER = "frag glsl\n" + SMALL + """layout(location = 0) out uvec4 color;
void main() { color = uvec4(1, 2, SMALL ? 200 : 100, 4); }
end
draw 3
"""
LAYER = """vert glsl
#extension GL_ARB_shader_viewport_layer_array : require
void main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1, 0.5, 1); gl_Layer = gl_InstanceIndex; }
end
"""
PART = "scissor 0 5 9 4 2\n"  # 8 pixels
COVER = "scissor 0 4 8 5 2\n" + SAME  # all of them but 4 in a row
UINT = "target R8G8B8A8_UINT\n"
DEPTH = "frag glsl\n" + SMALL + "void main() { gl_FragDepth = SMALL ? 0.25 : 0.75; }\nend\ndepth_test on\ndepth_write on\ndepth_compare always\n"
STENCIL = ("frag glsl\n" + SMALL + "void main() { if (SMALL) discard; }\nend\nstencil both always keep replace keep 9 255 255\n")
COUNT = "frag glsl\n" + SMALL + """layout(binding = 2) buffer N { uint n[]; };
void main() { n[3] = SMALL ? 5 : 6; }
end
"""
PACKED = "frag glsl\n" + SMALL + """layout(location = 0) out vec4 color;
void main() { color = vec4(1, (SMALL ? 21.0 : 42.0) / 63.0, 0, 1); }
end
"""
# name, scene, first line of what is said, the draw that made it and its line; None: nothing differs
DIFFS = [
    ("nothing", UINT + SAME, None, None),
    ("all of the only draw", UINT + OTHER, "target0: 768 of 768 pixels differ, first 0,0 b: got 100, want 200, greatest distance 100", (1, 1)),
    ("the second of three", UINT + SAME + PART + OTHER + "scissor 0 20 20 2 2\n" + SAME,
     "target0: 8 of 768 pixels differ, first 5,9 b: got 100, want 200, greatest distance 100", (2, 3)),
    ("what is left of the first", UINT + PART + OTHER + COVER, "target0: 4 of 768 pixels differ, first 5,10 b: got 100, want 200, greatest distance 100", (1, 2)),
    ("the fifth of six, a clear among them", UINT + SAME + "clear 0 0 0 3 3 7 7 7 7\n" + 2 * SAME + PART + OTHER + "scissor 0 0 0 1 1\n" + SAME,
     "target0: 8 of 768 pixels differ, first 5,9 b: got 100, want 200, greatest distance 100", (5, 6)),
    ("layer 1", "layers 2\n" + UINT + LAYER + OTHER.replace("SMALL ?", "SMALL && gl_Layer == 1 ?").replace("draw 3", "draw 3 2"),
     "target0: 768 of 1536 pixels differ, first 0,0 layer 1 b: got 100, want 200, greatest distance 100", (1, 1)),
    ("depth", "depth D32_SFLOAT\n" + DEPTH + PART + "draw 3\n", "depth: 8 of 768 pixels differ, first 5,9 d: got 0.75, want 0.25, greatest distance 0.5", (1, 1)),
    ("depth of 16 bits", "depth D16_UNORM\n" + DEPTH + PART + "draw 3\n",
     "depth: 8 of 768 pixels differ, first 5,9 d: got 49151, want 16384, greatest distance 32767", (1, 1)),
    ("stencil", "depth D32_SFLOAT_S8_UINT\n" + STENCIL + PART + "draw 3\n", "stencil: 8 of 768 pixels differ, first 5,9 s: got 9, want 0, greatest distance 9", (1, 1)),
    ("a buffer", UINT + SAME + "buffer n zeros 32\nout n\nbind 2 storage n\n" + COUNT + "mask 0 0\n" + PART + "draw 3\n",
     "n: 1 of 8 u32 differ, first [3]: got 6, want 5, greatest distance 1", (2, 2)),
    ("6 bits of 16", "target R5G6B5_UNORM_PACK16\n" + PACKED + PART + "draw 3\n",
     "target0: 8 of 768 pixels differ, first 5,9 g: got 42, want 21, greatest distance 21", (1, 1)),
    ("11 bits of a float", "target B10G11R11_UFLOAT_PACK32\n" + PACKED.replace("/ 63.0", "* 2.0") + PART + "draw 3\n",
     "target0: 8 of 768 pixels differ, first 5,9 g: got 84, want 42, greatest distance 42", (1, 1)),
    ("negative bytes", "target R8G8B8A8_SINT\n" + PACKED.replace("vec4", "ivec4").replace("(SMALL ? 21.0 : 42.0) / 63.0", "SMALL ? 7 : -7") + PART + "draw 3\n",
     "target0: 8 of 768 pixels differ, first 5,9 g: got -7, want 7, greatest distance 14", (1, 1)),
    ("four samples that agree", "samples 4\ntarget R8G8B8A8_UNORM\n" + PACKED + "draw 3\n",
     "target0: 768 of 768 pixels differ, first 0,0 g: got 170, want 85, greatest distance 85", (1, 1)),
    ("a query", "target R8_UNORM\n" + STENCIL.split("stencil")[0] + "query precise\n" + PART + "draw 3\nquery end\n",
     "queries: 1 of 1 lines differ, first [0]: got occlusion 8, want occlusion 0", None),
    ("a clock", UINT + SAME + "query timestamp\n", None, None),
]


def run(*args):
    r = subprocess.run([lull, *map(str, args)], capture_output=True, text=True, timeout=120)
    return r.returncode, r.stdout, r.stderr


def png(path):
    """(width, height, bytes of red, green, blue, alpha) of a PNG whose rows are filtered in any way."""
    data = path.read_bytes()
    width, height = struct.unpack_from(">II", data, 16)
    parts, at = b"", 8
    while at < len(data):
        n, = struct.unpack_from(">I", data, at)
        parts += data[at + 8:at + 8 + n] if data[at + 4:at + 8] == b"IDAT" else b""
        at += 12 + n
    raw, out, before, step = zlib.decompress(parts), b"", bytes(4 * width), 4 * width + 1
    for y in range(height):
        row, kind = bytearray(raw[step * y + 1:step * (y + 1)]), raw[step * y]
        for i in range(len(row)):
            a, b, c = (row[i - 4], before[i], before[i - 4]) if i >= 4 else (0, before[i], 0)
            near = min((a, b, c), key=lambda v: abs(a + b - c - v))
            row[i] = row[i] + (0, a, b, (a + b) // 2, near)[kind] & 255
        before = bytes(row)
        out += before
    return width, height, out


def differences(folder):
    for name, text, line, made in DIFFS:
        file = folder / "x.scene"
        file.write_text(HEAD + text)
        status, out, err = run("diff", file, *LAVAPIPE)
        lines = out.splitlines()
        case(f"diff: {name}", status == (line is not None) and lines[:1] == ([line] if line else []), (status, out, err))
        if made:
            draws = [n for n, of in enumerate((HEAD + text).splitlines(), 1) if of.startswith(("draw ", "clear "))]
            n = draws[made[0] - 1]
            want = f"first made by draw {made[0]} of {made[1]}, {file}:{n}: {(HEAD + text).splitlines()[n - 1]}"
            case(f"diff: who made it: {name}", want in lines, (want, out))


def reports(folder):
    file = folder / "json.scene"
    file.write_text(HEAD + UINT + "depth D32_SFLOAT\n" + SAME + PART + OTHER)
    status, out, err = run("diff", file, *LAVAPIPE, "--json", "--out", folder)
    j = json.loads(out) if out else {}
    case("JSON", status == 1 and j["against"] == "lavapipe" and [(r["place"], r["pixels"], r["different"]) for r in j["results"]] ==
         [("target0", 768, 8), ("depth", 768, 0)], (status, out, err))
    first = {k: j["results"][0][k] for k in ("x", "y", "layer", "channel", "got", "want", "max_error")}
    case("JSON: the first", first == dict(x=5, y=9, layer=0, channel="b", got="100", want="200", max_error="100"), first)
    case("JSON: the draw", (j["first"]["draw"], j["first"]["of"], j["first"]["text"]) == (2, 2, "draw 3"), j)
    pictures = {k: png(folder / f"target0.{k}.png") for k in ("got", "want", "difference")}
    case("pictures: size", all(p[:2] == (32, 24) for p in pictures.values()), [p[:2] for p in pictures.values()])
    at = 4 * (32 * 9 + 5)
    texels = [tuple(p[2][at:at + 4]) for p in pictures.values()]
    case("pictures: a pixel", texels == [(1, 2, 100, 4), (1, 2, 200, 4), (0, 0, 255, 255)], texels)
    inside = {4 * (32 * y + x) for x in range(5, 9) for y in (9, 10)}
    lit = {i for i in range(0, len(pictures["difference"][2]), 4) if any(pictures["difference"][2][i:i + 3])}
    case("pictures: where they differ", lit == inside, sorted(lit ^ inside)[:9])
    case("pictures: depth, the same", not any(b for i, b in enumerate(png(folder / "depth.difference.png")[2]) if i % 4 < 3))
    same = run("diff", file, *LAVAPIPE, "--tolerance", "target0=abs:100")
    case("within a tolerance", same == (0, "", ""), same)
    less = run("diff", file, *LAVAPIPE, "--tolerance", "abs:100", "--tolerance", "target0=abs:99")
    case("not within the last that fits", less[0] == 1, less)
    turned = run("diff", file, "--against", "lull", "--vulkan-device", "lavapipe")
    case("the other way round", turned[0] == 1 and "got 200, want 100" in turned[1], turned)


def pane(folder):
    """The example. Its floor is 0.4 of 255; depth on lavapipe is that of the place before it is rounded to 1/256 pixel."""
    r = run("diff", PANE, "--against", "lavapipe:abs:1", "--tolerance", "depth=abs:0.001")
    case("the example is the same", r == (0, "", ""), r)
    r = run("run", PANE, "--out-dir", folder, "--png")
    floor = 4 * (64 * 60 + 4)
    case("lull run SCENE", r == (0, "", "") and (folder / "target0.bin").read_bytes()[floor:floor + 4] == bytes((102, 102, 102, 255)), r)
    case("its picture", png(folder / "target0.png")[2] == (folder / "target0.bin").read_bytes())
    r = run("run", PANE, "--out-dir", folder, "--draws", 0)
    case("--draws 0 is the clear", r[0] == 0 and (folder / "target0.bin").read_bytes() == bytes((0, 0, 0, 255)) * 4096, r)


def next_command(folder):
    """What the diff says to run shows the draw and its colours."""
    file = folder / "next.scene"
    file.write_text(HEAD + "target R8G8B8A8_UNORM\n" + PACKED + PART + "draw 3\n")
    _, out, err = run("diff", file, *LAVAPIPE)
    line = [x for x in out.splitlines() if x.startswith("next: lull debug ")]
    if not line:
        case("the next command", False, (out, err))
        return
    words = shlex.split(line[0][len("next: "):])
    r = subprocess.run([lull if w == "lull" else w for w in words], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    case("the next command: the shader's colour", "shader 1 0.66" in r.stdout and "Pixel 5,9" in r.stdout, (words, r.stdout, r.stderr))


def hang(folder):
    """A pixel shader that never ends."""
    file = folder / "hang.scene"
    file.write_text(HEAD + "target R8_UNORM\nbuffer n zeros 4\nbind 0 storage n\nfrag glsl\nlayout(binding = 0) buffer N { uint n[]; };\n"
                    "layout(location = 0) out vec4 color;\nvoid main() { while (atomicAdd(n[0], 0) == 0) {} color = vec4(1); }\nend\ndraw 3\n")
    r = run("run", file, "--timeout", 500)
    case("a hang: status 124 and the driver's log", r[0] == 124 and "timeout" in r[1], r)
    r = run("diff", file, "--against", "lull", "--vulkan-device", "lavapipe", "--timeout", 500, "--json")
    case("a hang of one of the two", r[0] == 124 and "timeout" in r[1], r)


def refused(name, status, text, *args):
    r = run(*args)
    case(f"refused: {name}", r[0] == status and text in r[2] and r[1] == "", r)


def refusals(folder):
    bad, glsl, lacks = folder / "bad.scene", folder / "glsl.scene", folder / "lacks.scene"
    bad.write_text(HEAD + "target R8_UNORM\ndraw 3\ndraw x\n")
    glsl.write_text(HEAD + "target R8_UNORM\nfrag glsl\n\nvoid main() { nothing = 1; }\nend\ndraw 3\n")
    lacks.write_text(HEAD + "samples 16\ntarget R8_UNORM\ndraw 3\n")
    (folder / "binary.scene").write_bytes(bytes(range(256)))
    (folder / "file.scene").write_text(HEAD + "target R8_UNORM\nfrag nowhere.spv\ndraw 3\n")
    for command in ["run"], ["diff", *LAVAPIPE]:
        word = command[0]
        refused(f"{word}: a bad line", 3, f"{bad}:7: not a number of 32 bits: x", *command, bad)
        refused(f"{word}: GLSL, its line in the scene", 3, f"{glsl}:6: shader 'frag'", *command, glsl)
        refused(f"{word}: not text", 3, "byte 0: not text", *command, folder / "binary.scene")
        refused(f"{word}: no file", 3, "No such file", *command, folder / "none.scene")
        refused(f"{word}: no shader", 3, "nowhere.spv", *command, folder / "file.scene")
        refused(f"{word}: a device lacks something", 3, "no 16 samples", *command, lacks)
    case("GLSL: the compiler's line", "scene:8:" in run("run", glsl)[2], run("run", glsl))
    refused("diff without --against", 2, "--against", "diff", PANE)
    refused("a result that is not there", 2, "--tolerance target1", "diff", PANE, *LAVAPIPE, "--tolerance", "target1=exact")
    refused("a device that is not there", 3, "Voodoo", "diff", PANE, "--against", "Voodoo")
    refused("groups", 2, "--groups", "run", PANE, "--groups", 1)
    refused("a folder that is not there", 3, "nowhere", "diff", folder / "json.scene", *LAVAPIPE, "--out", folder / "nowhere")


with tempfile.TemporaryDirectory() as work:
    at = pathlib.Path(work)
    differences(at)
    reports(at)
    pane(at)
    next_command(at)
    hang(at)
    refusals(at)
end()
