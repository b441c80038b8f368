#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mesh and task shaders print on the virtual GPU. printf_mesh.py LULL DRAW_SCENES. lavapipe has no such stages.

Each stage is a module of its own; all write into one buffer, which a scene has. What is expected is computed here.
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end, skip  # noqa: E402

lull, scenes = sys.argv[1], sys.argv[2]
env = dict(os.environ)
env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
HEAD = "#version 460\n#extension GL_EXT_debug_printf : require\n#extension GL_EXT_mesh_shader : require\n"
ASKED = [1, 0, 3]  # meshes of each task workgroup
SHADERS = {
    "task": """layout(local_size_x = 40) in;
taskPayloadSharedEXT uint from;
void main() {
  uint n = gl_WorkGroupID.x == 0 ? 1 : gl_WorkGroupID.x == 1 ? 0 : 3;
  if (gl_LocalInvocationIndex % 13 == 0) debugPrintfEXT("task %u %u asks for %u", gl_WorkGroupID.x, gl_LocalInvocationIndex, n);
  from = gl_WorkGroupID.x + 10;
  EmitMeshTasksEXT(n, 1, 1);
}
""",
    "mesh": """PAYLOAD
layout(local_size_x = 4) in;
layout(triangles, max_vertices = 4, max_primitives = 2) out;
void main() {
  SetMeshOutputsEXT(4, 2);
  uint i = gl_LocalInvocationIndex;
  debugPrintfEXT("mesh %u of %u: vertex %u", gl_WorkGroupID.x, FROM, i);
  gl_MeshVerticesEXT[i].gl_Position = vec4(vec2(i & 1, i >> 1) / 16.0 - 1.0, 0.5, 1); // four pixels
  if (i < 2) gl_PrimitiveTriangleIndicesEXT[i] = i == 0 ? uvec3(0, 1, 2) : uvec3(1, 3, 2);
}
""",
    "frag": """layout(location = 0) out vec4 color;
void main() { debugPrintfEXT("pixel %v2d", ivec2(gl_FragCoord.xy)); color = vec4(1); }
""",
}


def call(*args):
    r = subprocess.run([*map(str, args)], capture_output=True, text=True, timeout=120, env=env)
    return r.returncode, r.stdout, r.stderr


def want(groups, tasks):
    lines = collections.Counter()
    if tasks:
        lines.update(f"task {g} {i} asks for {ASKED[g]}" for g in range(groups) for i in range(0, 40, 13))
    for g, (of, n) in enumerate([(10 + g, ASKED[g]) for g in range(groups)] if tasks else [(7, groups)]):
        for m in range(n):
            lines.update(f"mesh {m} of {of}: vertex {i}" for i in range(4))
            lines.update(f"pixel {x}, {y}" for x in range(2) for y in range(2))
    return lines


def printed(work, names, more, groups):
    """Status, text and errors of what the shaders @names print in a draw of @groups workgroups, or what the driver lacks."""
    strings, tasks = [], "task" in names
    for n in names:
        source, spv, out = work / f"a.{n}", work / f"{n}.in", work / f"a.{n}.spv"
        text = SHADERS[n].replace("PAYLOAD", "taskPayloadSharedEXT uint from;" if tasks else "").replace("FROM", "from" if tasks else "7u")
        source.write_text(HEAD + text)
        r = call("glslangValidator", "--quiet", "--target-env", "vulkan1.3", source, "-o", spv)
        assert r[0] == 0, r
        r = call(lull, "cc", "--printf", spv, "-o", out, "--printf-set", 0, "--printf-binding", 0, *more)
        assert r[:2] == (0, ""), r
        strings += ["--strings", work / f"a.{n}.strings"]
    (work / "a.scene").write_text("target R8G8B8A8_UNORM\nbuffer x zeros 65536\nout x\nbind 0 storage x\n" +
                                  "".join(f"{n} a.{n}.spv\n" for n in names) + f"draw_mesh {groups} 1 1\n")
    r = call(lull, "exec", "--", scenes, "RADV", work, work / "a.scene")
    if r[1].startswith("a lacks: "):
        return r[1]
    assert r[0] == 0 and r[1].startswith("a ok"), r
    return call(lull, "printf", "decode", work / "a.x", *strings)


with tempfile.TemporaryDirectory() as d:
    for names in (["mesh", "frag"], ["task", "mesh", "frag"]):
        for more in ([], ["--printf-atomic=wave", "--printf-counter=64"]):
            r = printed(pathlib.Path(d), names, more, len(ASKED))
            if isinstance(r, str):
                skip(f"{' '.join(names)}: this driver has {r.split(':')[1].strip()}")  # RADV 22.3.6 has none
                continue
            got = collections.Counter(r[1].splitlines())
            case(f"{' '.join(names)} {' '.join(more)}", r[0] == 0 and got == want(len(ASKED), "task" in names), r)
end()
