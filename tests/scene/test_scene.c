// SPDX-License-Identifier: MIT
// Scenes as text: what is read, and what is refused, on which line and in which words. Expected
// values: docs/formats/scene.md, and Vulkan's numbers for its names.
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "scene/scene.h"

#define HEAD "target R8G8B8A8_UNORM\nvert v.spv\n"

/** A scene that is refused: "a/b.scene:LINE: TEXT". */
struct bad {
    const char *name, *text, *message;
};

static const struct bad bads[] = {
    {"nothing", "", "0: a scene needs a target or depth, and a draw"},
    {"no draw", HEAD, "2: a scene needs a target or depth, and a draw"},
    {"no target", "vert v.spv\ndraw 3\n", "2: a scene needs a target or depth, and a draw"},
    {"no such word", "target R8_UNORM\n\n# no\ntriangle\n", "4: not a word of scenes: triangle"},
    {"a line that ends", HEAD "draw\n", "3: the line ends where a word is needed"},
    {"too many words", HEAD "draw 3 1 0 0 7 8\n", "3: too many words: 7 8"},
    {"not a number", HEAD "draw 3x\n", "3: not a number of 32 bits: 3x"},
    {"a large number", HEAD "draw 4294967296\n", "3: not a number of 32 bits: 4294967296"},
    {"a size of 0", "size 0 5\n", "1: 0 is not from 1 to 4096"},
    {"a large size", "size 5 4097\n", "1: 4097 is not from 1 to 4096"},
    {"no layers", "layers 0\n", "1: 0 is not from 1 to 64"},
    {"3 samples", "samples 3\n", "1: not a word that can stand here: 3"},
    {"views without layers", HEAD "views 2\ndraw 3\n", "4: 'views' names each layer, or none"},
    {"views of some layers", HEAD "layers 2\nviews 2\ndraw 3\n",
     "5: 'views' names each layer, or none"},
    {"too large a picture", "size 4096 4096\nlayers 5\n" HEAD "draw 3\n",
     "5: size, layers and samples make more than 2^26 texels"},
    {"no such format", "target R8G8B8\n", "1: not a format that scenes know: R8G8B8"},
    {"a target of depth", "target D16_UNORM\n", "1: not a format of colours: D16_UNORM"},
    {"depth of colours", "depth R8_UNORM\n", "1: not a format of depth: R8_UNORM"},
    {"cleared to more than 1", "depth D16_UNORM clear 1.5\n", "1: depth is cleared to 0 to 1"},
    {"cleared to infinity", "depth D16_UNORM clear inf\n", "1: not a finite number: inf"},
    {"stencil of 9 bits", "depth S8_UINT clear 1 256\n", "1: 256 is not from 0 to 255"},
    {"9 targets",
     "target R8_UNORM\ntarget R8_UNORM\ntarget R8_UNORM\ntarget R8_UNORM\ntarget R8_UNORM\n"
     "target R8_UNORM\ntarget R8_UNORM\ntarget R8_UNORM\ntarget R8_UNORM\n",
     "9: more targets than 8"},
    {"an empty buffer", "buffer b f32\n", "1: a buffer has 1 byte to 16 MiB: b"},
    {"a large buffer", "buffer b zeros 16777217\n", "1: 16777217 is not from 1 to 16777216"},
    {"a buffer twice", "buffer b u8 1\nbuffer b u8 2\n", "2: there is a buffer of this name: b"},
    {"a result's name", "buffer target0 u8 1\n", "1: results have this name: target0"},
    {"a path as a name", "buffer ../b u8 1\n",
     "1: not a name of up to 31 letters, digits and _: ../b"},
    {"a value that is not one", "buffer b f32 1 2 x 4\n", "1: not a number: x"},
    {"no such type", "buffer b f16 1\n", "1: not a word that can stand here: f16"},
    {"no such buffer", "out b\n", "1: no buffer above has this name: b"},
    {"a binding twice", "buffer b u8 1\nbind 0 storage b\nbind 0 uniform b\n",
     "3: this binding is bound already"},
    {"binding 8", "buffer b u8 1\nbind 8 storage b\n", "2: 8 is not from 0 to 7"},
    {"a small texture", "buffer b u8 1 2 3\nbind 0 texture b R8_UNORM 2 2 nearest\n",
     "2: the buffer is smaller than the texture"},
    {"GLSL without end", "target R8_UNORM\nvert glsl\nvoid main() {}\n\n",
     "2: GLSL without its end: a line 'end'"},
    {"GLSL on the line", "vert glsl void\n", "1: GLSL begins in the line behind 'glsl'"},
    {"no vertex shader", "target R8_UNORM\nfrag f.spv\ndraw 3\n",
     "3: a draw needs a shader 'vert', and none 'mesh'"},
    {"a draw of the mesh", "target R8_UNORM\nmesh m\ndraw 3\n",
     "3: a draw needs a shader 'vert', and none 'mesh'"},
    {"a mesh of vertices", HEAD "draw_mesh 1\n",
     "3: draw_mesh needs a shader 'mesh', and none 'vert'"},
    {"half a tessellation", HEAD "tesc t\ntopology patches\ndraw 3\n",
     "5: shaders 'tesc' and 'tese' need each other"},
    {"patches alone", HEAD "topology patches\ndraw 3\n",
     "4: tessellation shaders and 'topology patches' need each other"},
    {"a task of no mesh", HEAD "task t\ndraw 3\n", "4: a shader 'task' needs draw_mesh"},
    {"attribute first", "attribute 0 0 R8_UNORM 0\n",
     "1: an attribute needs a line 'vertices' above"},
    {"vertex buffer 1", "buffer b u8 1\nvertices b 1\nattribute 0 1 R8_UNORM 0\n",
     "3: 1 is not from 0 to 0"},
    {"a location twice",
     "buffer b u8 1\nvertices b 1\nattribute 0 0 R8_UNORM 0\nattribute 0 0 R8_UNORM 0\n",
     "4: this location has an attribute already"},
    {"vertices behind the buffer", "buffer b u8 1 2\nvertices b 1 offset 2\n",
     "2: 2 is not from 0 to 1"},
    {"7 bytes of push constants", "push u8 1 2 3 4 5 6 7\n",
     "1: push constants are a multiple of 4 bytes"},
    {"no topology", "topology fans\n", "1: not a word that can stand here: fans"},
    {"a patch of 33", "patch 33\n", "1: 33 is not from 1 to 32"},
    {"a viewport without width", "viewport 0 0 0 0 5 0 1\n",
     "1: not a viewport: X Y WIDTH HEIGHT, and depths from 0 to 1"},
    {"viewport 16", "viewport 16 0 0 5 5 0 1\n", "1: 16 is not from 0 to 15"},
    {"a scissor of -1", "scissor 0 -1 0 5 5\n", "1: -1 is not from 0 to 16384"},
    {"bounds of 2", "bounds 0 2\n", "1: bounds of depth are from 0 to 1"},
    {"no indices", HEAD "draw_indexed 3\n", "3: a draw of indices needs a line 'index' above"},
    {"indices behind the buffer", HEAD "buffer i u16 0 1 2\nindex i u16\ndraw_indexed 3 1 1\n",
     "5: the draw reads beyond its buffer, or not at a multiple of 4 bytes"},
    {"arguments behind the buffer", HEAD "buffer a u32 3 1 0 0\ndraw_indirect a 4 1 16\n",
     "4: the draw reads beyond its buffer, or not at a multiple of 4 bytes"},
    {"a count that is not there",
     HEAD "buffer a zeros 20\nbuffer c u8 1\ndraw_indirect_count a 0 c 0 1\n",
     "5: the draw reads beyond its buffer, or not at a multiple of 4 bytes"},
    {"clear of no depth", HEAD "clear depth 0 0 1 1 0\n", "3: there is nothing like that to clear"},
    {"clear outside", HEAD "clear 0 60 0 5 1 0 0 0 0\n",
     "3: the rectangle is empty, or not inside the picture"},
    {"a query in a query", HEAD "query precise\ndraw 3\nquery statistics\n",
     "5: the query before it has not ended"},
    {"an end of no query", HEAD "draw 3\nquery end\n", "4: there is no query to end"},
    {"a query without end", HEAD "query precise\ndraw 3\n", "4: the scene ends inside: query"},
    {"a condition of 3 bytes", HEAD "buffer c u8 1 2 3\ncondition c 0\ndraw 3\ncondition end\n",
     "4: a condition is 4 bytes of its buffer, at a multiple of 4"},
    {"feedback in a secondary",
     HEAD "secondary on\nbuffer b u32 1\nfeedback b b\ndraw 3\nfeedback end\n",
     "5: feedback needs 'secondary off'"},
};

static void refused(void)
{
    for (size_t i = 0; i < TEST_ROWS(bads); i++) {
        struct lull_scene s = {0};
        char want[160] = "";
        snprintf(want, sizeof want, "a/b.scene:%s", bads[i].message);
        struct lull_error *err =
            lull_scene_parse(&s, "a/b.scene", bads[i].text, strlen(bads[i].text));
        const char *got = err != NULL ? lull_error_message(err) : "it is read";
        test_case(strcmp(got, want) == 0, bads[i].name, "%s, expected %s", got, want);
        lull_error_free(err);
        lull_scene_done(&s);
    }
    struct lull_scene s = {0};
    struct lull_error *err = lull_scene_parse(&s, "x", "size\0 1", 7);
    test_case(err != NULL && strcmp(lull_error_message(err), "x: byte 4: not text") == 0, "a zero",
              "%s", err != NULL ? lull_error_message(err) : "it is read");
    lull_error_free(err);
}

static const char good[] = "size 20 10 # in texels\r\n"
                           "samples 4\n"
                           "target R16G16_SINT clear -1 2 0 0\n"
                           "target B8G8R8A8_UNORM\n"
                           "depth D32_SFLOAT_S8_UINT clear 0.25 200\n"
                           "buffer v f32 1 -0.5 nan\n"
                           "buffer i u16 1 0x102\n"
                           "out i\n"
                           "vertices v 12\n"
                           "attribute 3 0 R32G32B32_SFLOAT 0\n"
                           "index i u16\n"
                           "vert sub/v.spv\n"
                           "  frag\tglsl\n"
                           "void main() {\n"
                           "}\n"
                           "\n"
                           " end \n"
                           "draw_indexed 2\n"
                           "query precise\n"
                           "cull back\n"
                           "blend 1 one reverse src1_alpha zero max dst_color\n"
                           "viewport 1 -4 10 20 -10 0 1\n"
                           "vert sub/v.spv\n"
                           "frag none\n"
                           "draw 3 1 0 7\n"
                           "query end\n"
                           "clear 1 5 5 2 3 1 0.5 0 1\n";

static void whole(const struct lull_scene *s)
{
    const float *v = (const float *)(const void *)s->buffers[0].data;
    test_case(s->width == 20 && s->height == 10 && s->samples == 4 && s->layers == 1 &&
                  s->ntargets == 2,
              "the picture", "%u %u", s->width, s->height);
    test_case(s->targets[0].clear.color.int32[0] == -1 &&
                  s->depth.clear.depthStencil.depth == 0.25f &&
                  s->depth.clear.depthStencil.stencil == 200 &&
                  s->targets[1].format->format == VK_FORMAT_B8G8R8A8_UNORM,
              "targets", "%d", s->targets[0].clear.color.int32[0]);
    test_case(s->buffers[0].size == 12 && v[1] == -0.5f && v[2] != v[2] && s->buffers[1].out &&
                  memcmp(s->buffers[1].data, (uint8_t[]){1, 0, 2, 1}, 4) == 0,
              "buffers", "%zu bytes", s->buffers[0].size);
    test_case(s->nshaders == 2 && strcmp(s->shaders[0].path, "a/sub/v.spv") == 0 &&
                  strcmp(s->shaders[1].text, "\n\n\n\n\n\n\n\n\n\n\n\n#version 460\nvoid main() "
                                             "{\n}\n\n") == 0 &&
                  s->shaders[1].line == 17 - 4,
              "shaders", "%u: %s", s->nshaders, s->shaders[1].text);
}

static void steps(const struct lull_scene *s)
{
    const struct lull_scene_state *a = s->steps[0].state, *b = s->steps[2].state;
    test_case(s->nsteps == 5 && s->steps[0].kind == LULL_SCENE_DRAW_INDEXED &&
                  s->steps[0].args[1] == 1 && s->steps[0].line == 18 &&
                  strcmp(s->steps[0].text, "draw_indexed 2") == 0,
              "steps", "%zu", s->nsteps);
    test_case(a->cull == VK_CULL_MODE_NONE && a->viewports[0].width == 20 && a->nviewports == 1 &&
                  a->shader[LULL_SCENE_FRAG] == 2 && a->index_type == VK_INDEX_TYPE_UINT16,
              "state of a draw is of the lines above", "%d", (int)a->cull);
    test_case(b->cull == VK_CULL_MODE_BACK_BIT && b->shader[LULL_SCENE_FRAG] == 0 &&
                  b->shader[LULL_SCENE_VERT] == 1 && b->viewports[1].height == -10 &&
                  b->nviewports == 2 && s->steps[2].args[3] == 7,
              "the second draw", "%d", (int)b->cull);
    test_case(b->blend[1].colorBlendOp == VK_BLEND_OP_REVERSE_SUBTRACT &&
                  b->blend[1].dstColorBlendFactor == VK_BLEND_FACTOR_SRC1_ALPHA &&
                  b->blend[1].alphaBlendOp == VK_BLEND_OP_MAX &&
                  b->blend[1].dstAlphaBlendFactor == VK_BLEND_FACTOR_DST_COLOR &&
                  b->blend[0].blendEnable == 0,
              "blending", "%d", (int)b->blend[1].colorBlendOp);
}

/** What is left of 2 draws, a clear and a query's two ends. */
static void cuts(void)
{
    static const struct {
        size_t n, left;
        enum lull_scene_step_kind last;
    } rows[] = {{0, 2, LULL_SCENE_QUERY_END},
                {1, 3, LULL_SCENE_QUERY_END},
                {2, 4, LULL_SCENE_QUERY_END},
                {3, 5, LULL_SCENE_CLEAR},
                {9, 5, LULL_SCENE_CLEAR}};
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_scene s = {0};
        char name[32] = "";
        struct lull_error *err = lull_scene_parse(&s, "a/b.scene", good, sizeof good - 1);
        lull_scene_cut(&s, rows[i].n);
        snprintf(name, sizeof name, "the first %zu", rows[i].n);
        test_case(err == NULL && s.nsteps == rows[i].left &&
                      s.steps[s.nsteps - 1].kind == rows[i].last,
                  name, "%zu steps", s.nsteps);
        lull_error_free(err);
        lull_scene_done(&s);
    }
}

int main(void)
{
    struct lull_scene s = {0};
    struct lull_error *err = lull_scene_parse(&s, "a/b.scene", good, sizeof good - 1);
    if (test_case(err == NULL, "a scene", "%s", err != NULL ? lull_error_message(err) : "")) {
        whole(&s);
        steps(&s);
        cuts();
    }
    lull_error_free(err);
    lull_scene_done(&s);
    refused();
    return test_end();
}
