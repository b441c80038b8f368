#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shaders of a graphics pipeline print on lavapipe, by all ways to the buffer. printf_graphics.py LULL HOST [RADV]: on the virtual GPU.

Each stage is a module of its own with its own strings; all write into one buffer. What is expected is computed here.
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, host = sys.argv[1], sys.argv[2]
device = [lull, "exec", "--", host, "RADV"] if sys.argv[3:] == ["RADV"] else [host, "llvmpipe"]
env = dict(os.environ)
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
HEAD = "#version 460\n#extension GL_EXT_debug_printf : require\n#extension GL_EXT_demote_to_helper_invocation : require\n"
SHADERS = {
    # A triangle whose slope goes between pixel centres: (0,0), (7.6,0), (0,7.6) in pixels.
    "vert": """layout(location = 0) out flat int instance;
const vec2 at[3] = {vec2(-1, -1), vec2(0.9, -1), vec2(-1, 0.9)};
void main() {
  debugPrintfEXT("vertex %d of %d", gl_VertexIndex, gl_InstanceIndex);
  gl_Position = vec4(at[gl_VertexIndex], 0, 1);
  instance = gl_InstanceIndex;
}
""",
    "tesc": """layout(vertices = 3) out;
layout(location = 0) in flat int instance[];
layout(location = 0) out flat int to[];
void main() {
  debugPrintfEXT("control %d %d", instance[0], gl_InvocationID);
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  to[gl_InvocationID] = instance[gl_InvocationID];
  for (int i = 0; i < 3; i++) gl_TessLevelOuter[i] = 1;
  gl_TessLevelInner[0] = 1;
}
""",
    "tese": """layout(triangles, equal_spacing, cw) in;
layout(location = 0) in flat int instance[];
layout(location = 0) out flat int to;
void main() {
  debugPrintfEXT("evaluation %d %v3f", instance[0], gl_TessCoord);
  gl_Position = mat3x4(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_in[2].gl_Position) * gl_TessCoord;
  to = instance[0];
}
""",
    "geom": """layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in flat int instance[];
layout(location = 0) out flat int to;
void main() {
  for (int i = 0; i < 3; i++) {
    debugPrintfEXT("geometry %d %d", instance[0], i);
    gl_Position = gl_in[i].gl_Position;
    to = instance[0];
    EmitVertex();
  }
}
""",
    "frag": """layout(location = 0) in flat int instance;
layout(location = 0) out vec4 color;
void show(ivec2 at) { debugPrintfEXT("kept %d %v2d", instance, at); }
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  float d = dFdx(gl_FragCoord.x);
  debugPrintfEXT("fragment %d %v2d %f", instance, at, d);
  if (at.x == at.y) DISCARD;
  if (at.y % 2 == 0) show(at);
  color = vec4(1);
}
""",
}
COVERED = [(x, y) for y in range(8) for x in range(8) if x + .5 + y + .5 < 7.6]


def call(*args):
    r = subprocess.run([*map(str, args)], capture_output=True, text=True, timeout=120, env=env)
    return r.returncode, r.stdout, r.stderr


def want(stages):
    lines = collections.Counter()
    for i in range(2):
        lines["vert"] += 0
        out = [f"vertex {v} of {i}" for v in range(3)]
        if "tesc" in stages:
            out += [f"control {i} {v}" for v in range(3)]
            out += [f"evaluation {i} {', '.join('1.000000' if k == v else '0.000000' for k in range(3))}" for v in range(3)]
        if "geom" in stages:
            out += [f"geometry {i} {v}" for v in range(3)]
        for x, y in COVERED:
            out += [f"fragment {i} {x}, {y} 1.000000"]
            out += [f"kept {i} {x}, {y}"] if x != y and y % 2 == 0 else []
        lines.update(out)
    return +lines


def stages(work, names, discard, way, more, size=1 << 20):
    paths, strings = [], []
    for n in names:
        source, spv, out = work / f"a.{n}", work / f"a.{n}.in", work / f"a.{n}.spv"
        source.write_text(HEAD + SHADERS[n].replace("DISCARD", discard))
        r = call("glslangValidator", "--quiet", "--target-env", "vulkan1.3", source, "-o", spv)
        assert r[0] == 0, r
        place = {"binding": [], "push": ["--printf-address=push:0"], "spec": ["--printf-address=spec:10"]}[way]
        r = call(lull, "cc", "--printf", spv, "-o", out, *place, *more)
        assert r[:2] == (0, "") and "its program must" in r[2], r
        paths += [out]
        strings += ["--strings", work / f"a.{n}.strings"]
    buffer = work / "buffer"
    r = call(*device, way, size, buffer, *paths)
    assert r[0] == 0, r
    return call(lull, "printf", "decode", buffer, *strings)


with tempfile.TemporaryDirectory() as d:
    d = pathlib.Path(d)
    pair, five = ["vert", "frag"], ["vert", "tesc", "tese", "geom", "frag"]
    wave = ["--printf-atomic=wave", "--printf-counter=64"]
    for names, discard, way, more in [(pair, a, b, c) for a in ("discard", "demote") for b in ("binding", "push", "spec") for c in ([], wave)
                                      if a == "discard" or b == "binding"] + \
            [(five, "discard", "binding", []), (five, "demote", "push", wave), (five, "discard", "spec", wave)]:
        r = stages(d, names, discard, way, more)
        case(f"{' '.join(names)}, {discard}, {way} {' '.join(more)}", r[0] == 0 and collections.Counter(r[1].splitlines()) == want(names),
             r)
    total = sum(want(["vert", "frag"]).values())
    for more in ([], ["--printf-atomic=wave"]):
        for size in (32, 500, 1000):
            r = stages(d, ["vert", "frag"], "discard", "binding", more, size)
            lines = collections.Counter(r[1].splitlines())
            case(f"{size} bytes {' '.join(more)}: lost are counted", r[0] == 1 and not lines - want(["vert", "frag"]) and
                 f"{total - sum(lines.values())} entries lost" in r[2], r)
    r = stages(d, ["vert", "frag"], "discard", "binding", ["--printf-record=workgroup"])
    case("records: a fragment's place is its pixel", "[workgroup 5,0,0] fragment 1 5, 0 1.000000" in r[1] and
         "[workgroup 2,1,0] vertex 2 of 1" in r[1], r)
end()
