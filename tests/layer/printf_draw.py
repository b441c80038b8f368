#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every stage of a draw prints, also from pipeline libraries: printf_draw.py LULL PROGRAM LAYERS [RAYS]. TAP.

Under the layer, on lavapipe or, with RAYS (printf_rays.c), on RADV 25.0.7, which has mesh shaders and ray tracing pipelines, too. What is expected follows from the shaders and from what the
program does (printf_draw.c): three vertices or a workgroup, two instances of a triangle that covers the pixels COVERED, drawn twice.
"""
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, program, layers = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
rays = os.path.abspath(sys.argv[4]) if sys.argv[4:] else None
backports = rays is not None
work = pathlib.Path(tempfile.mkdtemp())
env = {k: v for k, v in os.environ.items() if not k.startswith(("LULL_PRINTF", "VK_"))}
ICD = os.environ["VK_ICD_FILENAMES"] if backports else "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
env |= {"VK_DRIVER_FILES": ICD, "VK_ICD_FILENAMES": ICD, "MESA_SHADER_CACHE_DISABLE": "true"}
if not backports:
    # Without the validation layer of Debian 12: it wants the blend state of a library from the pipeline that is linked of it.
    env |= {"VK_ADD_LAYER_PATH": layers, "VK_INSTANCE_LAYERS": "VK_LAYER_LULL_printf"}
HEAD = """#version 460
#extension GL_EXT_debug_printf : require
"""
MESH = "#extension GL_EXT_mesh_shader : require\n"
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
  debugPrintfEXT("control %d of %d", gl_InvocationID, instance[0]);
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
  debugPrintfEXT("evaluation %1.0v3f of %d", gl_TessCoord, instance[0]);
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
    debugPrintfEXT("geometry %d of %d", i, instance[0]);
    gl_Position = gl_in[i].gl_Position;
    to = instance[0];
    EmitVertex();
  }
}
""",
    "task": MESH + """layout(local_size_x = 40) in;
taskPayloadSharedEXT uint from;
void main() {
  if (gl_LocalInvocationIndex % 13 == 0) debugPrintfEXT("task %u", gl_LocalInvocationIndex);
  from = 17;
  EmitMeshTasksEXT(2, 1, 1);
}
""",
    "mesh": MESH + """taskPayloadSharedEXT uint from;
layout(local_size_x = 3) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
layout(location = 0) out flat int instance[];
const vec2 at[3] = {vec2(-1, -1), vec2(0.9, -1), vec2(-1, 0.9)};
void main() {
  SetMeshOutputsEXT(3, 1);
  uint i = gl_LocalInvocationIndex;
  debugPrintfEXT("mesh %u of %u", i, from);
  gl_MeshVerticesEXT[i].gl_Position = vec4(at[i], 0, 1);
  instance[i] = int(gl_WorkGroupID.x);
  if (i == 0) gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);
}
""",
    "frag": """layout(location = 0) in flat int instance;
layout(location = 0) out vec4 color;
void main() {
  debugPrintfEXT("fragment %v2d of %d", ivec2(gl_FragCoord.xy), instance);
  color = vec4(1);
}
""",
}
RAYS_HEAD = HEAD + """#extension GL_EXT_buffer_reference_uvec2 : enable
#extension GL_EXT_RAYS : require
"""
RAYS = {
    "rgen": """layout(push_constant) uniform P { uvec2 tree; };
layout(location = 0) rayPayloadEXT float got;
void main() {
  uint x = gl_LaunchIDEXT.x;
  traceRayEXT(accelerationStructureEXT(tree), gl_RayFlagsOpaqueEXT, 0xff, 0, 0, 0, vec3(x, 0, -2), 0.0, vec3(0, 0, 1), 10.0, 0);
  debugPrintfEXT("ray %u got %1.2f", x, got);
}
""",
    "rmiss": """layout(location = 0) rayPayloadInEXT float got;
void main() { debugPrintfEXT("miss %1.1v3f", gl_WorldRayOriginEXT); got = -1; }
""",
    "rchit": """layout(location = 0) rayPayloadInEXT float got;
hitAttributeEXT vec2 at;
void main() { debugPrintfEXT("hit %1.1f at %1.3v2f", gl_HitTEXT, at); got = gl_HitTEXT; }
""",
    "comp": """layout(push_constant) uniform P { uvec2 tree; };
void main() {
  uint x = gl_GlobalInvocationID.x;
  rayQueryEXT q;
  rayQueryInitializeEXT(q, accelerationStructureEXT(tree), gl_RayFlagsOpaqueEXT, 0xff, vec3(x, 0, -2), 0.0, vec3(0, 0, 1), 10.0);
  while (rayQueryProceedEXT(q)) { }
  bool hit = rayQueryGetIntersectionTypeEXT(q, true) == gl_RayQueryCommittedIntersectionTriangleEXT;
  debugPrintfEXT("query %u got %1.2f", x, hit ? rayQueryGetIntersectionTEXT(q, true) : -1.0);
}
""",
}
COVERED = [(x, y) for y in range(8) for x in range(8) if x + .5 + y + .5 < 7.6]
DRAWS = 2


def text_of(stage):
    if stage in RAYS:
        return RAYS_HEAD.replace("RAYS", "ray_query" if stage == "comp" else "ray_tracing") + RAYS[stage]
    return HEAD + SHADERS[stage]


def line_of(stage):
    return text_of(stage)[:text_of(stage).index("debugPrintfEXT(")].count("\n") + 1


def want_rays(way):
    """The triangle has the corners (-1,-1), (2.5,-1), (-1,2.5), two in front of the rays' origins: the rays at x 0 and 1 hit it."""
    def place(stage, ray):
        if stage == "comp":
            return f"[a.comp:{line_of(stage)} pipeline 1 dispatch 0 workgroup {ray},0,0] "
        return f"[a.{stage}:{line_of(stage)} pipeline {1 + (way == 'library' and stage != 'rgen')} invocation {ray},0,0] "
    got = ["2.00", "2.00", "-1.00", "-1.00"]
    if way == "query":
        return collections.Counter(place("comp", x) + f"query {x} got {g}" for x, g in enumerate(got))
    return collections.Counter([place("rgen", x) + f"ray {x} got {g}" for x, g in enumerate(got)] +
                               [place("rmiss", x) + f"miss {x}.0, 0.0, -2.0" for x in (2, 3)] +
                               [place("rchit", x) + f"hit 2.0 at {(x + 1) / 3.5:.3f}, {1 / 3.5:.3f}" for x in (0, 1)])


def want(stages, pipelines, draws):
    """@pipelines: the numbers in front of the fragment shader, and of it."""
    def place(stage, of):
        return f"[a.{stage}:{line_of(stage)} pipeline {pipelines[stage == 'frag']}{draws} {of}] "
    out = []
    for i in range(2):
        out += [place("vert", f"vertex {v} instance {i}") + f"vertex {v} of {i}" for v in range(3) if "vert" in stages]
        out += [place("tesc", "primitive 0") + f"control {v} of {i}" for v in range(3) if "tesc" in stages]
        out += [place("tese", "primitive 0") + f"evaluation {', '.join(str(int(k == v)) for k in range(3))} of {i}" for v in range(3)
                if "tese" in stages]
        out += [place("geom", "primitive 0") + f"geometry {v} of {i}" for v in range(3) if "geom" in stages]
        out += [place("mesh", f"workgroup {i},0,0") + f"mesh {v} of 17" for v in range(3) if "mesh" in stages]
        out += [place("frag", f"pixel {x},{y}") + f"fragment {x}, {y} of {i}" for x, y in COVERED]
    out += [place("task", "workgroup 0,0,0") + f"task {n}" for n in range(0, 40, 13) if "task" in stages]
    return collections.Counter(out * DRAWS)


def printed(program, way, stages, expected):
    files = []
    for s in stages:
        (work / f"a.{s}").write_text(text_of(s))
        subprocess.run(["glslangValidator", "--quiet", "-V", "-g", "--target-env", "vulkan1.3", f"a.{s}", "-o", f"a.{s}.spv"], cwd=work,
                       check=True, stdout=subprocess.DEVNULL)
        files += [work / f"a.{s}.spv"]
    command = [lull, "exec", "--printf", "--", program] if backports else [program]
    r = subprocess.run([*command, way, *files], env=env, capture_output=True, text=True, timeout=240, cwd=work)
    lines = collections.Counter(r.stdout.splitlines())
    done = lines.pop("done", 0)
    case(f"{way}: {' '.join(stages)}", r.returncode == 0 and done == 1 and not r.stderr and lines == expected,
         (r.stderr, "missing", expected - lines, "too many", lines - expected))


def drawn(way, stages, pipelines):
    printed(program, way, stages, want(stages, pipelines, " draws 0 to 1"))


pair, five = ["vert", "frag"], ["vert", "tesc", "tese", "geom", "frag"]
drawn("whole", five, (1, 1))
drawn("multi", pair, (1, 1))
# A library has the number of its own; the first, of vertices alone, prints nothing.
for way in ("parts", "optimised", "nested", "inline"):
    drawn(way, pair, (1, 2))
drawn("nested", five, (1, 2))
if backports:
    drawn("whole", ["task", "mesh", "frag"], (1, 1))
    drawn("objects", pair, (1, 2))  # each object has a number
    for way in ("whole", "library", "deferred"):
        printed(rays, way, ["rgen", "rmiss", "rchit"], want_rays(way))
    printed(rays, "query", ["comp"], want_rays("query"))
end()
