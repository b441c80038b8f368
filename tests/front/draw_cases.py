# SPDX-License-Identifier: MIT
"""Pairs of shaders that tests/front/draw.py draws. Corners lie beside whole pixels: no edge goes through a pixel's centre."""
import dataclasses

BODY = """void place(float depth) {
  vec2 p[6] = vec2[](vec2(-0.83, -0.91), vec2(0.87, -0.53), vec2(-0.37, 0.79), vec2(0.91, 0.83), vec2(-0.77, 0.61), vec2(0.53, -0.87));
  float w = 1.0 + float(gl_VertexIndex % 3) * 0.5;
  gl_Position = vec4(p[gl_VertexIndex % 6] * w, depth * w, w);
}
"""
HEAD = "#version 450\n"
VIEW = HEAD + "#extension GL_EXT_multiview : require\n"
HALVES = HEAD + """#extension GL_EXT_shader_explicit_arithmetic_types : require
"""


def mip_texel(x, y):
    """64x64 numbers from 0 on, then those of the next level: each band of 8 pixels reads the next level, a texel for each pixel."""
    level = x // 8
    size = 64 >> level
    start = sum((64 >> i) ** 2 for i in range(level))
    return start + y % size * size + x % size, level, level, 1


def attachment(x, y):
    """48 times 40 vec4s, numbers from 0 on; and single numbers from 0 on."""
    return 4 * (48 * y + x), 4 * (48 * y + x) + 3, 48 * y + x, 1


@dataclasses.dataclass
class Case:
    name: str
    vert: str
    frag: str
    mesh: str = ""  # instead of vert
    groups: str = ""  # of a mesh
    geom: str = ""  # with those before: one object of all
    tesc: str = ""
    tese: str = ""
    count: int = 3
    instances: tuple = (0, 1)  # first, how many
    first: int = 0
    layers: int = 1  # of each target; views are the layout's view_mask
    target: dict = dataclasses.field(default_factory=lambda: {0: "f"})  # format of each, as draw.py has them
    without: tuple = ()  # targets that the layout does not have
    samples: int = 1
    want: object = None  # instead of drivers: numbers of a pixel that is drawn, by its x and y; the last is 1
    nodes: list = dataclasses.field(default_factory=list)
    more: dict = dataclasses.field(default_factory=dict)  # of the layout; the shaders are compiled with it, too
    scene: tuple = ()
    run: tuple = ()
    cc: tuple = ()
    only: tuple = ("lavapipe", "RADV")  # lavapipe of Mesa 22.3 crashes on some, rounds derivatives of halves and of products otherwise
    radv: float = 2e-6
    lavapipe: float = 1e-3
    formats: dict = dataclasses.field(default_factory=dict)  # SPI_SHADER_COL_FORMAT of each target that is exported, as LLPC's rules and RADV have it
    exports: tuple = ()  # name, operands that are off, done


    def shaders(self):
        """Texts by stage, as scenes call it."""
        every = (("vert", self.vert), ("tesc", self.tesc), ("tese", self.tese), ("geom", self.geom), ("mesh", self.mesh), ("frag", self.frag))
        return {name: text for name, text in every if text}

    def parts(self):
        """Stages that are compiled together."""
        return [[s for s in self.shaders() if s != "frag"], ["frag"]]


CASES = [
    Case("plain", HEAD + BODY + "void main() { place(0.5); }", HEAD + "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(0.25, 0.5, 0.75, 1); }"),
    Case("varyings", HEAD + BODY + """layout(location = 0) out vec4 color;
layout(location = 3) flat out uvec2 ids;
layout(location = 1) noperspective out vec2 uv;
void main() {
  place(0.5);
  color = vec4(gl_VertexIndex == 0, gl_VertexIndex == 1, gl_VertexIndex == 2, 1);
  ids = uvec2(gl_VertexIndex + 5, 7);
  uv = gl_Position.xy;
}""", HEAD + """layout(location = 0) out vec4 o;
layout(location = 1) noperspective in vec2 uv;
layout(location = 0) in vec4 color;
layout(location = 3) flat in uvec2 ids;
void main() { o = vec4(color.rgb * 0.5 + 0.25 * uv.xyx, float(ids.y) / 8.0 + float(ids.x)); }"""),
    Case("others", HEAD + BODY + """layout(location = 2) out vec3 unread;
layout(location = 5) out vec2 a;
layout(location = 7, component = 2) out float b;
layout(location = 7, component = 0) out vec2 c;
layout(location = 9) out mat2x3 m;
layout(location = 12) out float list[3];
layout(location = 20) out Block { vec2 x; float y[2]; } block;
void main() {
  place(0.25);
  float v = float(gl_VertexIndex);
  unread = vec3(v);
  a = vec2(v, 2 * v);
  b = 0.5 * v;
  c = vec2(1 - v, v * v);
  m = mat2x3(v, 1, 2, 3, v + 4, 5);
  list = float[](v, v * 3, v * v);
  block.x = vec2(v, 0.5);
  block.y = float[](0.125 * v, 3 - v);
}""", HEAD + """layout(location = 0) out vec4 o;
layout(location = 20) in Block { vec2 x; float y[2]; } block;
layout(location = 12) in float list[3];
layout(location = 9) in mat2x3 m;
layout(location = 7, component = 2) in float b;
layout(location = 7, component = 0) in vec2 c;
layout(location = 5) in vec2 a;
void main() {
  int i = int(gl_FragCoord.x) % 3;
  o = vec4(a.x + 10 * a.y, b + 10 * c.x + 100 * c.y, m[0].x + m[1].y * 2 + m[0].z, list[i] + block.x.y + 3 * block.y[i & 1] + block.x.x);
}"""),
    Case("whole", HALVES + BODY + """layout(location = 0) flat out ivec3 i;
layout(location = 1) flat out double d;
layout(location = 2) flat out dvec3 e;
layout(location = 4) flat out u16vec2 s;
layout(location = 5) flat out int16_t t;
layout(location = 6) flat out uint64_t l;
void main() {
  place(0.5);
  i = ivec3(-5, gl_VertexIndex + 3, 1 << 30);
  d = 1.0lf / 3.0lf;
  e = dvec3(2.5lf, 1.0lf / 7.0lf, 9.0lf);
  s = u16vec2(65535, 12);
  t = int16_t(-300);
  l = 0x123456789abcdef0ul;
}""", HALVES + """layout(location = 0) out uvec4 o;
layout(location = 6) flat in uint64_t l;
layout(location = 5) flat in int16_t t;
layout(location = 4) flat in u16vec2 s;
layout(location = 2) flat in dvec3 e;
layout(location = 1) flat in double d;
layout(location = 0) flat in ivec3 i;
void main() {
  uvec2 w = unpackDouble2x32(d + e.z) ^ unpackDouble2x32(e.y * e.x);
  o = uvec4(w.x ^ uint(i.x), w.y + uint(i.y), uint(int(t)) + uint(s.x) * 3u + uint(s.y), uint(l >> 20) ^ uint(i.z));
}""", target={0: "u"}, only=("RADV",)),
    Case("halves", HALVES + BODY + """layout(location = 0) out f16vec3 a;
layout(location = 1) flat out float16_t b;
void main() {
  place(0.5);
  a = f16vec3(0.5, 0.25, 2.0);
  b = float16_t(1.5);
}""", HALVES + """layout(location = 0) out vec4 o;
layout(location = 0) in f16vec3 a;
layout(location = 1) flat in float16_t b;
void main() { o = vec4(a, b); }""", radv=1e-3, only=("RADV",)),
    Case("coordinates", HEAD + BODY + "void main() { place(0.125 + 0.25 * float(gl_VertexIndex % 3)); }",
         HEAD + "layout(location = 0) out vec4 o;\nvoid main() { o = gl_FrontFacing ? gl_FragCoord : -gl_FragCoord; }", count=6),
    Case("discard", HEAD + BODY + "layout(location = 0) out float v;\nvoid main() { place(0.5); v = float(gl_VertexIndex); }", HEAD + """layout(location = 0) in float v;
layout(location = 0) out vec4 o;
float part(float x) {
  for (int i = 0; i < 4; i++) {
    if (int(gl_FragCoord.x) % 7 == i * 2) discard;
    x += 0.5;
  }
  return x;
}
void main() {
  if ((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) % 3 == 0) discard;
  o = vec4(part(v), 1, 2, 3);
}"""),
    Case("demote", HEAD + BODY + "layout(location = 0) out vec2 v;\nvoid main() { place(0.5); v = gl_Position.xy; }", HEAD + """#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec2 v;
layout(location = 0) out vec4 o;
void main() {
  if (int(gl_FragCoord.x) % 2 == 0) demote;
  o = vec4(dFdx(gl_FragCoord.x), dFdy(gl_FragCoord.y), helperInvocationEXT() ? 9.0 : 4.0, gl_HelperInvocation ? 9.0 : 5.0);
}""", only=("RADV",)),
    Case("derivatives", HEAD + BODY + "layout(location = 0) noperspective out vec3 v;\nvoid main() { place(0.5); v = gl_Position.xyz / gl_Position.w * 16; }",
         HEAD + """layout(location = 0) noperspective in vec3 v;
layout(location = 0) out vec4 o;
void main() { o = vec4(dFdxFine(v.x * v.y), dFdyFine(v.x * v.y), fwidth(v.x), dFdxCoarse(v.x) + 4 * dFdyCoarse(v.y)); }""", radv=3e-5, only=("RADV",)),
    Case("depth", HEAD + BODY + "layout(location = 0) flat out float v;\nvoid main() { place(0.5); v = float(gl_VertexIndex); }", HEAD + """layout(location = 0) flat in float v;
layout(location = 0) out vec4 o;
void main() {
  gl_FragDepth = v < 3 ? gl_FragCoord.x / 64 : gl_FragCoord.y / 64;
  o = vec4(v + 1, 0, 0, 1);
}""", count=6, scene=("depth D32_SFLOAT clear 1", "depth_test on", "depth_write on", "depth_compare less"), run=("--depth", "less")),
    Case("clip", HEAD + """out float gl_ClipDistance[3];
out float gl_CullDistance[1];
""" + BODY + """void main() {
  place(0.5);
  gl_ClipDistance = float[](gl_Position.x + 0.3, gl_Position.y + 0.51, 1.0);
  gl_CullDistance[0] = gl_VertexIndex < 3 ? 1.0 : -1.0;
}""", HEAD + "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(1, 2, 3, 4); }", count=6),
    Case("points", HEAD + """layout(location = 0) out float v;
void main() {
  gl_Position = vec4(float(gl_VertexIndex) * 0.5 - 0.495, 0.26, 0.5, 1);
  gl_PointSize = 3.0 + 2.0 * float(gl_VertexIndex);
  v = float(gl_VertexIndex);
}""", HEAD + "layout(location = 0) in float v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(gl_PointCoord, v, 1); }",
         scene=("topology points",), run=("--topology", "points")),
    Case("instances", HEAD + """#extension GL_ARB_shader_draw_parameters : require
layout(location = 0) flat out ivec4 v;
void main() {
  vec2 p[3] = vec2[](vec2(-0.83, -0.91), vec2(-0.47, -0.53), vec2(-0.77, -0.39));
  gl_Position = vec4(p[gl_VertexIndex - 3] + vec2(0.3 * float(gl_InstanceIndex), 0.2 * float(gl_InstanceIndex)), 0.5, 1);
  v = ivec4(gl_VertexIndex, gl_InstanceIndex, gl_BaseVertexARB * 10 + gl_DrawIDARB, gl_BaseInstanceARB);
}""", HEAD + "layout(location = 0) flat in ivec4 v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(v); }", instances=(1, 4), first=3),
    Case("offset", HEAD + BODY + "layout(location = 0) out vec4 v;\nvoid main() { place(0.5); gl_Position.w = 1; v = vec4(gl_Position.xyz, float(gl_VertexIndex)); }", HEAD + """layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { o = vec4(interpolateAtOffset(v.x, vec2(0.25, -0.125)), interpolateAtOffset(v, vec2(0.25)).w, interpolateAtCentroid(v).y, v.w); }""",
         radv=3e-5, only=("RADV",)),
    Case("early", HEAD + BODY + "void main() { place(gl_VertexIndex < 3 ? 0.25 : 0.75); }", HEAD + """layout(early_fragment_tests) in;
layout(location = 0) out vec4 o;
void main() { gl_FragDepth = 0.0; o = vec4(gl_FragCoord.z, 1, 2, 3); }""", count=6,
         scene=("depth D32_SFLOAT clear 1", "depth_test on", "depth_write on", "depth_compare less"), run=("--depth", "less")),
    Case("unwritten", HEAD + BODY + "layout(location = 4) out vec2 b;\nvoid main() { place(0.5); b = vec2(3, 4); }", HEAD + """layout(location = 0) out vec4 o;
layout(location = 4) in vec2 b;
layout(location = 1) in vec2 a;
void main() { o = vec4(b, gl_FragCoord.x < 0 ? a : vec2(1)); }""", only=("RADV",)),
    Case("memory", HEAD + BODY + """layout(push_constant) uniform Push { vec4 by; uint n; } push;
layout(set = 0, binding = 3) uniform Table { vec4 rows[4]; } table;
layout(location = 0) out vec4 v;
void main() { place(0.5); v = table.rows[gl_VertexIndex] * push.by; }""", HEAD + """layout(push_constant) uniform Push { vec4 by; uint n; } push;
layout(set = 0, binding = 3) uniform Table { vec4 rows[4]; } table;
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { o = v + table.rows[push.n + uint(gl_FragCoord.x) % 2] ; }""",
         nodes=[{"type": "push_constants", "size": 5}, {"type": "table", "set": 0, "nodes": [{"type": "buffer", "binding": 3}]}],
         scene=("buffer table f32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "bind 3 uniform table", "push f32 1 2 0.5 0.25 2.802596928649634e-45"),
         run=("--bind", "0.3=values:f32:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "--push", "f32:1,2,0.5,0.25,u32:2")),
    Case("attributes", HEAD + """layout(location = 0) in vec3 corner;
layout(location = 3) in vec4 color;
layout(location = 4) in uvec2 number;
layout(location = 5) in vec2 move;
layout(location = 7) in float never;
layout(location = 0) out vec4 c;
layout(location = 1) flat out uvec2 n;
void main() {
  gl_Position = vec4(corner.xy + move, corner.z, 1);
  c = color;
  n = number;
}""", HEAD + """layout(location = 0) in vec4 c;
layout(location = 1) flat in uvec2 n;
layout(location = 0) out vec4 o;
void main() { o = c + vec4(n, 0, n.x ^ n.y); }""", instances=(1, 3),
         more={"vertex_input": {"bindings": [{"binding": 0, "stride": 12}, {"binding": 1, "stride": 8}, {"binding": 2, "stride": 8, "rate": "instance"}],
                                "attributes": [{"location": 0, "binding": 0, "format": "R32G32B32_SFLOAT", "offset": 0},
                                               {"location": 3, "binding": 1, "format": "R8G8B8A8_UNORM", "offset": 4},
                                               {"location": 4, "binding": 1, "format": "R16G16_UINT", "offset": 0},
                                               {"location": 5, "binding": 2, "format": "R32G32_SFLOAT", "offset": 0}]}},
         scene=("buffer corners f32 -0.83 -0.91 0.5 -0.27 -0.53 0.5 -0.77 -0.19 0.5", "buffer more u16 1 2 65280 255 3 4 32767 65535 5 70 0 4660",
                "buffer moves f32 9 9 0.1 0.2 0.5 0.4 1.1 0.9",
                "vertices corners 12", "vertices more 8", "vertices moves 8 instance 1",
                "attribute 0 0 R32G32B32_SFLOAT 0", "attribute 3 1 R8G8B8A8_UNORM 4", "attribute 4 1 R16G16_UINT 0", "attribute 5 2 R32G32_SFLOAT 0"),
         run=("--vertices", "0=values:f32:-0.83,-0.91,0.5,-0.27,-0.53,0.5,-0.77,-0.19,0.5:stride=12",
              "--vertices", "1=values:u16:1,2,65280,255,3,4,32767,65535,5,70,0,4660:stride=8", "--vertices", "2=values:f32:9,9,0.1,0.2,0.5,0.4,1.1,0.9:stride=8")),
    # Of the last vertex there are the bytes that are fetched, but not its whole stride.
    Case("short_vertex", HEAD + """layout(location = 0) in vec3 corner;
layout(location = 0) out vec3 c;
void main() {
  gl_Position = vec4(corner.xy, 0.5, 1);
  c = corner;
}""", HEAD + """layout(location = 0) in vec3 c;
layout(location = 0) out vec4 o;
void main() { o = vec4(c, 1); }""",
         more={"vertex_input": {"bindings": [{"binding": 0, "stride": 16}], "attributes": [{"location": 0, "binding": 0, "format": "R32G32B32_SFLOAT", "offset": 0}]}},
         scene=("buffer corners f32 -0.83 -0.91 0.5 0 -0.27 -0.53 0.25 0 0.77 0.89 0.75", "vertices corners 16", "attribute 0 0 R32G32B32_SFLOAT 0"),
         run=("--vertices", "0=values:f32:-0.83,-0.91,0.5,0,-0.27,-0.53,0.25,0,0.77,0.89,0.75:stride=16",)),
    # Targets of the layout: what is exported is what they take.
    Case("bytes", HEAD + BODY + "layout(location = 0) out vec4 c;\nvoid main() { place(0.5); c = vec4(gl_VertexIndex == 0, gl_VertexIndex == 1, gl_VertexIndex == 2, 0.7); }",
         HEAD + "layout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c * 1.25 - 0.1; }", target={0: "n"},
         more={"color_targets": [{"format": "R8G8B8A8_UNORM"}]}, formats={0: 4}, exports=(("mrt0", 2, True),), lavapipe=1, radv=0),
    Case("half_target", HEAD + BODY + "layout(location = 0) out vec4 c;\nvoid main() { place(0.5); c = vec4(gl_VertexIndex, 1, gl_VertexIndex * 3, -0.7); }",
         HEAD + "layout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c * 7; }", target={0: "h"},
         more={"color_targets": [{"format": "R16G16B16A16_SFLOAT"}]}, formats={0: 4}, exports=(("mrt0", 2, True),), radv=1e-3),
    # Two targets of three that the shader writes: the second has none. Exports are numbered without it.
    Case("two_targets", HEAD + BODY + "void main() { place(0.5); }", HEAD + """layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out uvec2 c;
void main() {
  a = vec4(gl_FragCoord.xy / 64, 0.5, 1);
  b = vec4(0.5);
  c = uvec2(gl_FragCoord.xy);
}""", target={0: "n", 1: "f", 2: "g"}, without=(1,), more={"color_targets": [{"location": 0, "format": "R8G8B8A8_UNORM"}, {"location": 2, "format": "R32G32_UINT"}]},
         formats={0: 4, 1: 2}, exports=(("mrt0", 2, False), ("mrt1", 2, True)), lavapipe=1, radv=0),
    Case("eight_targets", HEAD + BODY + "layout(location = 0) out vec3 v;\nvoid main() { place(0.5); v = vec3(gl_VertexIndex, 1, 0.25); }", HEAD + """layout(location = 0) in vec3 v;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out uvec2 c;
layout(location = 3) out float d;
layout(location = 4) out vec4 e;
layout(location = 5) out ivec4 f;
layout(location = 6) out vec4 g;
layout(location = 7) out vec4 h;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  a = vec4(gl_FragCoord.xy / 64, 0.5, 1);
  b = vec4(v, at.x);
  c = uvec2(at);
  d = v.x * 3;
  e = vec4(0.25, gl_FragCoord.yx / 64, 0.75);
  f = ivec4(at * 3 - 40, at);
  g = vec4(v.zyx * 0.5, 0.3);
  h = v.xyzx;
}""", target=dict(enumerate("nfgrbcwh")),
         more={"color_targets": [{"location": i, "format": f} for i, f in enumerate((
             "R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT", "R32G32_UINT", "R32_SFLOAT", "B8G8R8A8_UNORM", "R8G8B8A8_SINT", "R16G16B16A16_UNORM",
             "R16G16B16A16_SFLOAT"))]},
         formats={0: 4, 1: 9, 2: 2, 3: 1, 4: 4, 5: 8, 6: 5, 7: 4}, exports=tuple((f"mrt{i}", n, i == 7) for i, n in enumerate((2, 0, 2, 3, 2, 2, 2, 2))),
         only=("RADV",), radv=2e-6),
    # RADV's exports of these name VGPRs that the wave does not have.
    Case("short_targets", HEAD + BODY + "void main() { place(0.5); }", HEAD + """layout(location = 0) out vec2 a;
layout(location = 1) out ivec2 b;
layout(location = 2) out float c;
void main() { a = gl_FragCoord.xy; b = ivec2(gl_FragCoord.xy) - 20; c = gl_FragCoord.x / 64; }""", target=dict(enumerate("psq")), radv=0, lavapipe=1e-3,
         more={"color_targets": [{"location": i, "format": f} for i, f in enumerate(("R16G16_SFLOAT", "R16G16_SINT", "R8_UNORM"))]},
         formats={0: 4, 1: 8, 2: 4}, exports=(("mrt0", 3, False), ("mrt1", 3, False), ("mrt2", 3, True))),
    # Samples: each pixel is the average of what its samples have.
    Case("samples4", HEAD + BODY + "layout(location = 0) out vec4 v;\nvoid main() { place(0.5); v = vec4(gl_Position.xyz, gl_VertexIndex); }",
         HEAD + "layout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1, 2, gl_FragCoord.xy); }", count=6, samples=4),
    Case("samples2", HEAD + BODY + "void main() { place(0.5); }", HEAD + "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(1, 2, gl_FragCoord.xy); }",
         count=6, samples=2, only=("RADV",)),
    Case("samples8", HEAD + BODY + "void main() { place(0.5); }", HEAD + """layout(location = 0) out vec4 a;
layout(location = 1) out uvec2 b;
layout(location = 2) out vec4 c;
void main() { a = vec4(1, 0.5, gl_FragCoord.xy / 64); b = uvec2(gl_FragCoord.xy); c = vec4(gl_FragCoord.yx, 4, -1); }""",
         count=6, samples=8, only=("RADV",), target={0: "n", 1: "g", 2: "f"}),
    Case("sample_id", HEAD + BODY + "void main() { place(0.5); }", HEAD + """layout(location = 0) out vec4 o;
void main() {
  o = vec4(exp2(3.0 * gl_SampleID), gl_SamplePosition * exp2(2.0 * gl_SampleID), gl_SampleMaskIn[0]);
}""", count=6, samples=4, more={"num_samples": 4}, only=("RADV",)),
    Case("sample_mask", HEAD + BODY + "layout(location = 0) out float v;\nvoid main() { place(0.5); v = gl_VertexIndex; }", HEAD + """layout(location = 0) in float v;
layout(location = 0) out vec4 o;
void main() {
  gl_SampleMask[0] = int(gl_FragCoord.x) ^ (gl_SampleMaskIn[0] >> 1) ^ (int(gl_FragCoord.y) & 2);
  o = vec4(v + 1, gl_SampleMaskIn[0], 4, 1);
}""", count=6, samples=8, only=("RADV",)),
    Case("sample_depth", HEAD + BODY + "layout(location = 0) flat out float v;\nvoid main() { place(0.2 + 0.3 * (gl_VertexIndex % 3)); v = float(gl_VertexIndex); }", HEAD + """layout(location = 0) flat in float v;
layout(location = 0) out vec4 o;
void main() { o = vec4(v + 1, gl_FragCoord.z, 0, 1); if (int(gl_FragCoord.x) % 5 == 2) discard; }""", count=6, samples=4,
         scene=("depth D32_SFLOAT clear 1", "depth_test on", "depth_write on", "depth_compare less"), run=("--depth", "less")),
    Case("qualifiers", HEAD + BODY + """layout(location = 0) centroid out vec2 a;
layout(location = 1) sample out vec2 b;
layout(location = 2) centroid noperspective out vec2 c;
layout(location = 3) sample noperspective out vec2 d;
void main() { place(0.5); a = gl_Position.xy; b = gl_Position.yx * 3; c = a + 1; d = b - 1; }""", HEAD + """layout(location = 0) centroid in vec2 a;
layout(location = 1) sample in vec2 b;
layout(location = 2) centroid noperspective in vec2 c;
layout(location = 3) sample noperspective in vec2 d;
layout(location = 0) out vec4 o;
void main() { o = vec4(a + b * 2, c + d * 4) * (gl_SampleID + 1); }""", count=6, samples=4, radv=3e-5, only=("RADV",)),
    Case("centroid", HEAD + BODY + """layout(location = 0) centroid out vec2 a;
layout(location = 1) noperspective out vec2 b;
void main() { place(0.5); a = gl_Position.xy; b = gl_Position.yx * 3; }""", HEAD + """layout(location = 0) centroid in vec2 a;
layout(location = 1) noperspective in vec2 b;
layout(location = 0) out vec4 o;
void main() { o = vec4(a, b); }""", count=6, samples=8, radv=3e-5, only=("RADV",)),
    Case("interpolate_at", HEAD + BODY + """layout(location = 0) out vec4 a;
layout(location = 1) noperspective out vec2 b;
void main() { place(0.5); a = vec4(gl_Position.xyz, gl_VertexIndex); b = gl_Position.yx * 3; }""", HEAD + """layout(location = 0) in vec4 a;
layout(location = 1) noperspective in vec2 b;
layout(location = 0) out vec4 o;
void main() {
  int i = (int(gl_FragCoord.x) + int(gl_FragCoord.y)) % 4;
  o = vec4(interpolateAtSample(a, i).xw, interpolateAtSample(b, 2).y, interpolateAtCentroid(a.y) + interpolateAtOffset(b.x, vec2(0.25, -0.5)));
}""", count=6, samples=4, more={"num_samples": 4}, radv=3e-5, only=("RADV",)),
    Case("interpolate_at8", HEAD + BODY + """layout(location = 0) out vec4 a;
void main() { place(0.5); a = vec4(gl_Position.xyz, gl_VertexIndex); }""", HEAD + """layout(location = 0) in vec4 a;
layout(location = 0) out vec4 o;
void main() {
  int i = int(gl_FragCoord.x) % 8;
  o = vec4(interpolateAtSample(a, i).xyw, interpolateAtSample(a.w, gl_SampleID));
}""", count=6, samples=8, more={"num_samples": 8}, radv=3e-5, only=("RADV",)),
    # What pixel shaders read besides.
    Case("clip_inputs", HEAD + """out float gl_ClipDistance[3];
out float gl_CullDistance[1];
layout(location = 1) out float v;
""" + BODY + """void main() {
  place(0.5);
  gl_ClipDistance = float[](gl_Position.x + 0.3, gl_Position.y + 0.51, 1.0);
  gl_CullDistance = float[](gl_Position.y + 5);
  v = 2;
}""", HEAD + """in float gl_ClipDistance[3];
in float gl_CullDistance[1];
layout(location = 1) in float v;
layout(location = 0) out vec4 o;
void main() { int i = int(gl_FragCoord.x) % 3; o = vec4(gl_ClipDistance[i], gl_CullDistance[0], gl_ClipDistance[0], gl_ClipDistance[1] * v); }""", count=6),
    Case("many_clips", HEAD + """out float gl_ClipDistance[6];
""" + BODY + """void main() {
  place(0.5);
  gl_ClipDistance = float[](gl_Position.x + 0.3, gl_Position.y + 0.51, 1.0, 2.0, gl_Position.x + 4, gl_Position.y + 5);
}""", HEAD + """in float gl_ClipDistance[6];
layout(location = 0) out vec4 o;
void main() { o = vec4(gl_ClipDistance[5], gl_ClipDistance[4], gl_ClipDistance[3], gl_ClipDistance[1]); }""", count=6),
    Case("layer", HEAD + """#extension GL_ARB_shader_viewport_layer_array : require
""" + BODY + "void main() { place(0.5); gl_Layer = 0; gl_ViewportIndex = 0; }", HEAD + """layout(location = 0) out vec4 o;
void main() { o = vec4(gl_Layer + 1, gl_ViewportIndex + 2, 3, 4); }""", count=6),
    Case("no_layer", HEAD + BODY + "void main() { place(0.5); }", HEAD + """layout(location = 0) out vec4 o;
void main() { o = vec4(gl_Layer + 1, gl_ViewportIndex + 2, 3, 4); }""", count=6),
    # Views: each to its layer, which two shaders, the last alone, or neither of them look at.
    Case("views", VIEW + BODY + "layout(location = 0) flat out int v;\nvoid main() { place(0.5); gl_Position.xy *= gl_ViewIndex == 2 ? -0.61 : 0.83; v = gl_ViewIndex * 3; }",
         VIEW + "layout(location = 0) flat in int v;\nlayout(location = 0) out uvec4 o;\nvoid main() { o = uvec4(gl_ViewIndex + 5, v, 9, 1); }",
         layers=4, count=6, instances=(0, 2), target={0: "u"}, more={"view_mask": 15}),
    Case("views_pixel", HEAD + BODY + "void main() { place(0.5); }", VIEW + "layout(location = 0) out uvec4 o;\nvoid main() { o = uvec4(gl_ViewIndex + 5, 2, gl_Layer + 9, 4); }", layers=2,
         target={0: "u"}, more={"view_mask": 3}, cc=("--multiview",), only=("RADV",)),  # gl_Layer is 0 on lavapipe of Mesa 22.3
    Case("views_unread", HEAD + BODY + "layout(location = 0) out vec2 v;\nvoid main() { place(0.25); v = gl_Position.xy; }",
         HEAD + "layout(location = 0) in vec2 v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(v + 2, 0.5, 1); }", layers=3, target={0: "f"},
         more={"view_mask": 7}, cc=("--multiview",), samples=4, scene=("depth D32_SFLOAT clear 1", "depth_test on", "depth_write on", "depth_compare less"), run=("--depth", "less")),
    # More primitives than a subgroup has, without and with vertices that several have.
    Case("primitive_id", HEAD + """layout(location = 0) out vec2 v;
void main() {
  int t = gl_VertexIndex / 3, c = gl_VertexIndex % 3;
  v = vec2(t % 20, t / 20) + vec2(c == 1 ? 0.93 : 0.03, c == 2 ? 0.94 : 0.02);
  gl_Position = vec4(v * vec2(0.1, 0.2) - 0.99, 0.5, 1);
}""", HEAD + "layout(location = 0) in vec2 v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(gl_PrimitiveID, v, 1); }", count=600, cc=("--primitive-id",)),
    Case("primitive_id_strip", HEAD + """layout(location = 0) flat out int v;
void main() {
  v = gl_VertexIndex;
  gl_Position = vec4(float(v / 2) * 0.0131 - 0.987, (v & 1) * 1.713 - 0.911, 0.5, 1);
}""", HEAD + "layout(location = 0) flat in int v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(gl_PrimitiveID, v, 3, 1); }", count=290, cc=("--primitive-id",),
         scene=("topology triangle_strip",), run=("--topology", "triangle-strip")),
    Case("query_lod", HEAD + BODY + "layout(location = 0) out vec2 v;\nvoid main() { place(0.5); v = gl_Position.xy * 9; }", HEAD + """layout(location = 0) in vec2 v;
layout(set = 0, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main() { o = vec4(textureQueryLod(t, v).y, textureQueryLod(t, v * v).y, texture(t, v * 0.125).xy); }""", count=6, only=("RADV",), radv=2e-3,
         nodes=[{"type": "table", "set": 0, "nodes": [{"type": "combined_texture", "binding": 1}]}],
         scene=("buffer texels f32 " + " ".join(str(i * 37 % 11) for i in range(32)), "bind 1 texture texels R32G32_SFLOAT 4 4 linear"),
         run=("--bind", "0.1=image:4x4:rg32f:values:f32:" + ",".join(str(i * 37 % 11) for i in range(32)) + ":filter=linear:mip=linear")),
    Case("mips", HEAD + BODY + "void main() { place(0.5); }", HEAD + """layout(set = 0, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main() {
  vec2 at = gl_FragCoord.xy * exp2(float(int(gl_FragCoord.x) / 8)) / 64;
  o = vec4(texture(t, at).x, textureQueryLod(t, at), 1);
}""", count=6, want=mip_texel, nodes=[{"type": "table", "set": 0, "nodes": [{"type": "combined_texture", "binding": 1}]}],
         run=("--bind", "0.1=image:64x64:r32f:iota:f32:mips=7")),
    Case("input_attachments", HEAD + BODY + "void main() { place(0.5); }", HEAD + """layout(input_attachment_index = 0, set = 0, binding = 1) uniform subpassInput t[2];
layout(input_attachment_index = 2, set = 0, binding = 2) uniform usubpassInput u;
layout(location = 0) out vec4 o;
vec4 helped() { return subpassLoad(t[1]); }
void main() { o = vec4(helped().xw, subpassLoad(u).x, 1); }
""", count=6, want=attachment, nodes=[{"type": "table", "set": 0, "nodes": [{"type": "resource", "binding": 1, "count": 2}, {"type": "resource", "binding": 2}]}],
         run=("--bind", "0.1[1]=image:48x40:rgba32f:iota:f32", "--bind", "0.2=image:48x40:r32ui:iota:u32")),
    # Blending, coverage.
    # Two sources of blending: single pixels of a pair are left out, so that each lane has to have its neighbour's.
    *(Case(name, HEAD + BODY + "layout(location = 0) out vec4 c;\nvoid main() { place(0.5); c = vec4(gl_Position.xy * 0.3 + 0.5, 0.25, 0.75); }",
           HEAD + """layout(location = 0, index = 0) out vec4 a;
layout(location = 0, index = 1) out vec4 b;
layout(location = 0) in vec4 c;
void main() {
  if (int(gl_FragCoord.x) % 5 == 3) discard;
  a = c;
  b = vec4(0.5, c.zw, 0.25) + 0.01 * gl_FragCoord.x;
}""", count=6, target={0: f}, more={"color_targets": [{"format": vk, "blend": True}], "dual_source": two},
           scene=("blend 0 " + blend.replace(",", " "),), run=("--blend", blend), cc=cc,
           lavapipe={"f": 1e-3, "h": 2e-3}[f])  # exports of halves are rounded to zero
      for name, f, vk, two, blend, cc in (
          ("dual_source", "f", "R32G32B32A32_SFLOAT", True, "src1_color,add,one_minus_src1_color,src1_alpha,add,one", ()),
          ("dual_source_wave64", "h", "R16G16B16A16_SFLOAT", True, "src1_alpha,add,src1_color", ("-mattr=+wavefrontsize64",)),
          ("dual_source_unused", "f", "R32G32B32A32_SFLOAT", False, "one,add,one_minus_src_alpha", ()))),
    Case("blend", HEAD + BODY + "layout(location = 0) out vec4 v;\nvoid main() { place(0.5); v = vec4(gl_VertexIndex, 1, 0.5, 0.25 + 0.25 * (gl_VertexIndex % 3)); }",
         HEAD + "layout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\nvoid main() { a = v; b = v.wzyx; }",
         count=6, target={0: "f", 1: "h"}, radv=1e-3,
         more={"color_targets": [{"location": 0, "format": "R32G32B32A32_SFLOAT", "blend": True}, {"location": 1, "format": "R16G16B16A16_SFLOAT", "blend": True}]},
         scene=("blend 0 src_alpha add one_minus_src_alpha", "blend 1 one add dst_color one max one"),
         run=("--blend", "0=src_alpha,add,one_minus_src_alpha", "--blend", "1=one,add,dst_color,one,max,one")),
    Case("alpha_to_coverage", HEAD + BODY + "layout(location = 0) out vec4 v;\nvoid main() { place(0.5); v = vec4(gl_VertexIndex + 1, 1, 0.5, 0.5 * (gl_VertexIndex % 3)); }",
         HEAD + "layout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 a;\nvoid main() { a = v; }", count=6, samples=4,
         more={"color_targets": [{"location": 0, "format": "R32G32B32A32_SFLOAT"}], "alpha_to_coverage": True}, scene=("alpha_to_coverage on",), only=("RADV",)),
    # Varyings.
    Case("structures", HEAD + BODY + """struct Inner { float a; mat2 m[2]; };
struct Outer { vec3 v; Inner inner[2]; };
layout(location = 0) out Outer outer;
layout(location = 14) noperspective out mat3x2 n;
layout(location = 20, component = 1) out vec2 two;
layout(location = 20, component = 3) out float three;
layout(location = 21, component = 3) out float four[3];
layout(location = 21) out vec3 five;
void main() {
  place(0.5);
  float f = float(gl_VertexIndex);
  outer.v = vec3(f, 1, 2 * f);
  for (int i = 0; i < 2; i++) outer.inner[i] = Inner(f * i, mat2[](mat2(f, 1, i, 3), mat2(2 - f, f * f, 5, i + 7)));
  n = mat3x2(f, 2, 3, f * 2, 5, 6);
  two = vec2(f, 0.5);
  three = f * 3;
  four = float[](f, f * 2, 3 - f);
  five = vec3(f, 7, -3);
}""", HEAD + """struct Inner { float a; mat2 m[2]; };
struct Outer { vec3 v; Inner inner[2]; };
layout(location = 21) in vec3 five;
layout(location = 21, component = 3) in float four[3];
layout(location = 20, component = 3) in float three;
layout(location = 20, component = 1) in vec2 two;
layout(location = 14) noperspective in mat3x2 n;
layout(location = 0) in Outer outer;
layout(location = 0) out vec4 o;
void main() {
  int i = int(gl_FragCoord.y) & 1;
  o = vec4(dot(outer.v, vec3(1, 10, 100)) + outer.inner[i].a, outer.inner[i].m[0][1].x + 4 * outer.inner[1].m[i][0].y + outer.inner[0].m[1][1].y,
           n[0].x + n[1].y * 2 + n[2].x + two.x * 3 + two.y, three + four[i] + 2 * four[2] + five.x * 5 + five.z);
}""", count=6, lavapipe=2e-3),
    # Vulkan wants the same interpolation in all of a location; RADV takes each component as it says.
    Case("mixed", HEAD + BODY + """layout(location = 2, component = 1) out vec2 two;
layout(location = 2, component = 3) flat out int three;
void main() { place(0.5); two = gl_Position.xy; three = gl_VertexIndex + 2; }""", HEAD + """layout(location = 2, component = 3) flat in int three;
layout(location = 2, component = 1) in vec2 two;
layout(location = 0) out vec4 o;
void main() { o = vec4(two, three, 1); }""", count=6, only=("RADV",)),
    Case("flat_all", HEAD + BODY + """layout(location = 0) flat out vec4 a;
layout(location = 1) flat out mat2x3 m;
layout(location = 3) flat out uvec3 u;
layout(location = 4) noperspective out vec3 n;
void main() { place(0.5); a = vec4(gl_VertexIndex, 0.1, 0.2, 0.3); m = mat2x3(gl_VertexIndex); u = uvec3(gl_VertexIndex * 5); n = gl_Position.xyz; }""", HEAD + """layout(location = 0) flat in vec4 a;
layout(location = 1) flat in mat2x3 m;
layout(location = 3) flat in uvec3 u;
layout(location = 4) noperspective in vec3 n;
layout(location = 0) out vec4 o;
void main() { o = vec4(a.x + m[1].y * 10, u.z, n.xy); }""", count=6),
]
