# SPDX-License-Identifier: MIT
"""lull link with LLPC's .pipe files: the same layout in JSON gives the same bytes, and the numbers are those of LLPC's rules, by hand."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lib import Elf, assemble, case, layout, run, shader, tap  # noqa: E402

LULL = sys.argv[1]

# As LLPC's dumper writes it: sections, keys, CRLF in places, comments behind values.
PIPE = """\
; a comment with [brackets]
[Version]
version = 75

[CsGlsl]
layout(binding = 0) uniform U { vec4 x; }; // userDataNode[0].type = Nothing
int a[2]; ; userDataNode

[CsInfo]
entryPoint = main
options.waveSize = 32

[ResourceMapping]
userDataNode[0].visibility = 0x80 ; compute
userDataNode[0].type = DescriptorTableVaPtr\r
userDataNode[0].offsetInDwords = 2
userDataNode[0].sizeInDwords = 1
userDataNode[0].next[0].type = DescriptorImage
userDataNode[0].next[0].offsetInDwords = 0
userDataNode[0].next[0].sizeInDwords = 16
userDataNode[0].next[0].set = 0x00000001
userDataNode[0].next[0].binding = 0
userDataNode[0].next[0].strideInDwords = 0
userDataNode[0].next[1].type = DescriptorConstTexelBuffer
userDataNode[0].next[1].offsetInDwords = 16
userDataNode[0].next[1].sizeInDwords = 4
userDataNode[0].next[1].set = 1
userDataNode[0].next[1].binding = 1
userDataNode[ 0 ].next[2].type=DescriptorMutable
userDataNode[0].next[2].offsetInDwords = 32
userDataNode[0].next[2].sizeInDwords = 32
userDataNode[0].next[2].set = 1
userDataNode[0].next[2].binding = 2
userDataNode[0].next[2].strideInDwords = 16
userDataNode[1].visibility = 128
userDataNode[1].type = PushConst
userDataNode[1].offsetInDwords = 4
userDataNode[1].sizeInDwords = 6
userDataNode[1].set = 0xFFFFFFFF
userDataNode[1].binding = 0

[ComputePipelineState]
deviceIndex = 3
options.shadowDescriptorTableUsage = Enable
options.shadowDescriptorTablePtrHigh = 0xABCD
options.resourceLayoutScheme = Compact
options.includeDisassembly = 0
"""

JSON = [{"type": "table", "offset": 2, "visibility": 128, "nodes": [
            {"type": "resource", "set": 1, "binding": 0, "size": 16},
            {"type": "texel_buffer", "set": 1, "binding": 1},
            {"type": "mutable", "set": 1, "binding": 2, "offset": 32, "size": 32, "stride": 16}]},
        {"type": "push_constants", "offset": 4, "size": 6, "visibility": 128}]

# Bytes: 4 times the dwords above.
WANT = {"doff_1_0_r": 0, "dstride_1_0": 32, "doff_1_1_t": 64, "doff_1_2_b": 128, "dstride_1_2": 64, "descset_1": 8, "pushconst": 16,
        "$deviceIdx": 3, "$shadowenabled": 1, "$shadowdesctable": 0xabcd}

DRAW = """\
[VsInfo]
entryPoint = main
[FsInfo]
entryPoint = main
[ResourceMapping]
userDataNode[0].type = IndirectUserDataVaPtr
userDataNode[0].offsetInDwords = 1
userDataNode[0].sizeInDwords = 1
userDataNode[0].indirectUserDataCount = 8
[GraphicsPipelineState]
topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP
numSamples = 8
samplePatternIdx = 48
alphaToCoverageEnable = 1
dualSourceBlendEnable = 0
colorBuffer[1].format = VK_FORMAT_R16G16B16A16_SFLOAT
colorBuffer[1].blendEnable = true
colorBuffer[1].channelWriteMask = 14
[VertexInputState]
binding[0].binding = 3
binding[0].stride = 24
binding[0].inputRate = VK_VERTEX_INPUT_RATE_INSTANCE
attribute[0].location = 2
attribute[0].binding = 3
attribute[0].format = VK_FORMAT_R32G32_SFLOAT
attribute[0].offset = 12
attribute[1].location = 4
attribute[1].binding = 9
attribute[1].format = VK_FORMAT_R32_SFLOAT
attribute[1].offset = 0
divisor[0].binding = 3
divisor[0].divisor = 5
"""

DRAW_JSON = {"topology": "lines", "num_samples": 8, "sample_pattern_index": 48, "alpha_to_coverage": True, "color_targets": [
                 {"location": 1, "format": "R16G16B16A16_SFLOAT", "blend": True, "write_mask": 14}],
             "vertex_input": {"bindings": [{"binding": 3, "stride": 24, "rate": "instance", "divisor": 5}],
                              "attributes": [{"location": 2, "binding": 3, "format": "R32G32_SFLOAT", "offset": 12}]}}

# A row: what is replaced in PIPE, by what, and how the message goes on behind "FILE: line N: ", the line of the change.
BAD = [
    ("sizeInDwords = 16", "sizeInDwords = 1x", 'sizeInDwords: "1x" is not a number of 32 bits'),
    ("sizeInDwords = 16", "sizeInDwords = 4294967296", 'sizeInDwords: "4294967296" is not a number of 32 bits'),
    ("sizeInDwords = 16", "sizeInDwords = 7", "userDataNode[0].next[0].size: 7 dwords, and a resource has 8"),
    ("sizeInDwords = 16", "sizeInDwords", 'not "key = value"'),
    ("sizeInDwords = 16", "sizeInDword = 16", "userDataNode[0].next[0].sizeInDword: no such key"),
    ("DescriptorImage", "DescriptorImag", 'userDataNode[0].next[0].type: no such type of node: "DescriptorImag"'),
    ("next[1].type", "next[7].type", "next[7] comes before next[1]"),
    ("next[1].type", "next[x].type", "userDataNode[0].next[x].type: not a number in brackets"),
    ("next[1].type", "next[99999].type", "next[99999]: more than 16384"),
    ("userDataNode[1].visibility", "userDataNode[4294967295].visibility", "userDataNode[4294967295]: more than 16384"),
    ("userDataNode[1].sizeInDwords = 6", "userDataNode[1].sizeInDwords = 6 ;\nuserDataNode[1].sizeInDwords = 6", "sizeInDwords: given twice"),
    ("[ResourceMapping]", "[ResourceMapping", "no ']' behind a section's name"),
    ("[ComputePipelineState]", "[ResourceMapping]", "a second section [ResourceMapping]"),
    ("= Compact", "= Loose", 'scheme: "Loose" is none of the words that it may be'),
    ("offsetInDwords = 4\n", "offsetInDwords = 65535\n", "userDataNode[1].offset: the node ends behind the largest table"),
]


def link(inputs, lay, out, *options):
    return run(LULL, "link", *inputs, "--layout", lay, "-o", out, *options)


def write(work, name, text):
    (work / name).write_bytes(text.encode())
    return work / name


def same_bytes(work):
    body = "".join(f' s_mov_b32 s4, "{n}"@abs32@lo\n' for n in WANT) + " s_endpgm"
    obj = assemble(work, "cs.o", shader("cs", body))
    lay = layout(work, JSON, device_index=3, shadow_table=0xabcd)
    a, b = link([obj], write(work, "a.pipe", PIPE), work / "a.elf"), link([obj], lay, work / "b.elf")
    case("a .pipe file is taken", a[0] == 0 and b[0] == 0, (a, b))
    got = {n: Elf(work / "a.elf").word(8 * i + 4) for i, n in enumerate(WANT)} if a[0] == 0 else a
    case("numbers of a .pipe file", got == WANT, got)
    case("the same bytes as with JSON", (work / "a.elf").read_bytes() == (work / "b.elf").read_bytes(), "they differ")
    old = PIPE.replace("[ResourceMapping]\n", "").replace("userDataNode[0].visibility = 0x80 ; compute\n", "").replace("userDataNode[1].visibility = 128\n", "")
    r = link([obj], write(work, "old.pipe", old), work / "old.elf")
    case("nodes in [CsInfo], as old files have them", r[0] == 0 and (work / "old.elf").read_bytes() == (work / "b.elf").read_bytes(), r)


def drawing(work):
    """Vertex input and targets: a vertex shader of a pixel shader's pipeline, with the parts that the layout makes."""
    vs = write(work, "v.vert", "#version 450\nlayout(location = 2) in vec2 p;\nvoid main() { gl_Position = vec4(p, 0.0, 1.0); }\n")
    ps = write(work, "p.frag", "#version 450\nlayout(location = 1) out vec4 c;\nvoid main() { c = vec4(gl_FragCoord.x); }\n")
    objs = [work / "v.o", work / "p.o"]
    r = [run(LULL, "cc", "-mcpu=gfx1100", "--relocatable", s, "-o", o) for s, o in zip((vs, ps), objs)]
    pipe, lay = write(work, "draw.pipe", DRAW), layout(work, [{"type": "indirect_user_data", "offset": 1, "indirect_size": 8}], "draw.json", **DRAW_JSON)
    a, b = link(objs, pipe, work / "c.elf"), link(objs, lay, work / "d.elf")
    good = a[0] == 0 and b[0] == 0
    case("vertex input and colour targets of a .pipe file", good and (work / "c.elf").read_bytes() == (work / "d.elf").read_bytes(), (r, a, b))
    fewer = layout(work, [{"type": "indirect_user_data", "offset": 1, "indirect_size": 8}], "fewer.json", **{**DRAW_JSON, "color_targets": []})
    c = link(objs, fewer, work / "e.elf")
    case("the colour targets count", c[0] == 0 and good and (work / "e.elf").read_bytes() != (work / "c.elf").read_bytes(), c)


VISIBLE = """\
[ResourceMapping]
userDataNode[0].visibility = 64
userDataNode[0].type = DescriptorTableVaPtr
userDataNode[0].offsetInDwords = 5
userDataNode[0].sizeInDwords = 1
userDataNode[0].next[0].type = DescriptorBuffer
userDataNode[0].next[0].offsetInDwords = 12
userDataNode[0].next[0].sizeInDwords = 4
userDataNode[0].next[0].set = 0
userDataNode[0].next[0].binding = 7
userDataNode[1].visibility = 2
userDataNode[1].type = DescriptorTableVaPtr
userDataNode[1].offsetInDwords = 6
userDataNode[1].sizeInDwords = 1
userDataNode[1].next[0].type = DescriptorBuffer
userDataNode[1].next[0].offsetInDwords = 40
userDataNode[1].next[0].sizeInDwords = 4
userDataNode[1].next[0].set = 0
userDataNode[1].next[0].binding = 7
userDataNode[2].visibility = 66
userDataNode[2].type = PushConst
userDataNode[2].offsetInDwords = 7
userDataNode[2].sizeInDwords = 2
userDataNode[3].visibility = 16
userDataNode[3].type = PushConst
userDataNode[3].offsetInDwords = 9
userDataNode[3].sizeInDwords = 2
"""


def visibility(work):
    """Vertex and pixel shaders find nodes of their own; a stage that may be several kinds of shaders does, if the kinds that see one agree."""
    names, set0 = ("doff_0_7_b", "descset_0", "pushconst"), 0x80000000
    body = "".join(f" s_mov_b32 s4, {n}@abs32@lo\n" for n in names) + " s_endpgm"
    pipe = write(work, "visible.pipe", VISIBLE)

    def words(stage, extra=""):
        regs = f"        .user_data_reg_map: [0x10000000, {set0}]"
        obj = assemble(work, f"{stage}.o", shader(stage, body, regs, pipeline=extra))
        r = link([obj], pipe, work / f"{stage}.elf", "--no-fold")
        if r[0] != 0:
            return r
        e = Elf(work / f"{stage}.elf")
        p = e.metadata()["amdpal.pipelines"][0]
        return [e.word(8 * i + 4) for i in range(3)] + [p[".hardware_stages"]["." + stage][".user_data_reg_map"][1]]

    def only(shader_name, stage):
        return f"    .shaders:\n      .{shader_name}:\n        .hardware_mapping: [.{stage}]"

    # Bytes of dword 12 in its table, of dwords 5 and 7 of the root table; the register's dword.
    case("nodes that pixel shaders see", words("ps") == [48, 20, 28, 5], words("ps"))
    case("nodes that vertex shaders see", words("gs", only("vertex", "gs")) == [160, 24, 28, 6], words("gs", only("vertex", "gs")))
    r = words("gs")
    case("push constants of two stages that a file may both be", r[0] == 3 and "userDataNode[3]" in r[2] and "does not say" in r[2], r)
    r = words("gs", only("geometry", "gs"))
    case("a binding that the stage does not see", r[0] == 3 and "symbol 'doff_0_7_b': the layout has no buffer for set 0 binding 7" in r[2], r)
    obj = assemble(work, "bare.o", f".text\n.globl _amdgpu_ps_main\n.type _amdgpu_ps_main,@function\n_amdgpu_ps_main:\n{body}\n.size _amdgpu_ps_main, .-_amdgpu_ps_main\n")
    r = link([obj], pipe, work / "bare.elf", "--no-fold")
    case("without metadata the entry's name says the stage", r[0] == 0 and Elf(work / "bare.elf").word(4) == 48, r)
    gs, ps = (assemble(work, f"two_{s}.o", shader(s, body, f"        .user_data_reg_map: [0x10000000, {set0}]", pipeline=only(k, s)))
              for s, k in (("gs", "vertex"), ("ps", "pixel")))
    r = link([gs, ps], pipe, work / "two.elf", "--no-fold")
    got = Elf(work / "two.elf") if r[0] == 0 else None
    at = {s["name"]: s["value"] for s in got.symbols} if got else {}
    case("both in one pipeline", got is not None and got.word(at["_amdgpu_gs_main"] + 4) == 160 and got.word(at["_amdgpu_ps_main"] + 4) == 48, r)


def compiled(work):
    """lull cc --layout finds what the stage sees: the offset of the load is that of its table's pointer in the root table, or of its register."""
    pipe = write(work, "visible.pipe", VISIBLE)
    ps = write(work, "b.frag", "#version 450\nlayout(set = 0, binding = 7) uniform U { vec4 x; };\nlayout(location = 0) out vec4 c;\nvoid main() { c = x; }\n")
    r = run(LULL, "cc", "-mcpu=gfx1100", f"--layout={pipe}", ps, "-o", work / "b.o")
    p = Elf(work / "b.o").metadata()["amdpal.pipelines"][0] if r[0] == 0 else {}
    case("lull cc finds the pixel shader's table", r[0] == 0 and 5 in p[".hardware_stages"][".ps"][".user_data_reg_map"] and
         6 not in p[".hardware_stages"][".ps"][".user_data_reg_map"], (r, p))


def refusals(work):
    obj = assemble(work, "cs.o", shader("cs", " s_endpgm"))
    for old, new, want in BAD:
        assert old in PIPE, old
        p = write(work, "bad.pipe", PIPE.replace(old, new, 1))
        r = link([obj], p, work / "bad.elf")
        line = PIPE[:PIPE.index(old)].count("\n") + new.count(";\n") + 1
        message = f"lull link: {p}: line {line}: {want}"
        case(f"refused: {want}", r[0] == 3 and r[2].startswith(message) and r[2].count("\n") == 1 and not (work / "bad.elf").exists(), r)
    p = write(work, "none.pipe", "; nothing\n")
    r = link([obj], p, work / "bad.elf")
    case("refused: a file of comments", r[0] == 3 and "line 1: comments, and no section" in r[2], r)


with tempfile.TemporaryDirectory() as d:
    for f in (same_bytes, drawing, visibility, compiled, refusals):
        f(pathlib.Path(d))
tap.end()
