// SPDX-License-Identifier: MIT
// Layouts: what is read, what is refused and in which words, and the rules of the search.
// Expected values: LLPC's findResourceNode and its descriptor sizes, by hand.
#include "test.h"

#include <string.h>

#include "link/layout.h"

static const char full[] =
    "{\"nodes\": ["
    " {\"type\": \"buffer\", \"set\": 3, \"binding\": 1},"
    " {\"type\": \"table\", \"set\": 0, \"nodes\": ["
    "  {\"type\": \"buffer\", \"binding\": 0},"
    "  {\"type\": \"combined_texture\", \"binding\": 1, \"count\": 3},"
    "  {\"type\": \"resource\", \"binding\": 2, \"offset\": 64, \"size\": 32},"
    "  {\"type\": \"const_buffer_compact\", \"binding\": 9}]},"
    " {\"type\": \"DescriptorTableVaPtr\", \"offsetInDwords\": 47, \"sizeInDwords\": 1, \"next\": ["
    "  {\"type\": \"DescriptorSampler\", \"set\": \"0xfffffff0\", \"binding\": 6}]},"
    " {\"type\": \"push_constants\", \"size\": 4}]}";

struct look {
    enum lull_layout_type want;
    uint32_t set, binding;
    int root, offset, stride; // -1: not found
};

static const struct look looks[] = {
    {LULL_LAYOUT_BUFFER, 3, 1, 0, 0, 4},        {LULL_LAYOUT_BUFFER, 0, 0, 4, 0, 4},
    {LULL_LAYOUT_SAMPLER, 0, 1, 4, 4, 12},      {LULL_LAYOUT_RESOURCE, 0, 1, 4, 4, 12},
    {LULL_LAYOUT_TEXEL_BUFFER, 0, 1, 4, 4, 12}, {LULL_LAYOUT_COMBINED_TEXTURE, 0, 1, 4, 4, 12},
    {LULL_LAYOUT_ANY, 0, 2, 4, 64, 8},          {LULL_LAYOUT_SAMPLER, 0, 2, -1, 0, 0},
    {LULL_LAYOUT_FMASK, 0, 2, -1, 0, 0},        {LULL_LAYOUT_CONST_BUFFER, 0, 9, 4, 96, 2},
    {LULL_LAYOUT_BUFFER, 0, 9, 4, 96, 2},       {LULL_LAYOUT_SAMPLER, 0xfffffff0, 6, 47, 0, 4},
    {LULL_LAYOUT_BUFFER, 0, 3, -1, 0, 0},       {LULL_LAYOUT_BUFFER, 7, 0, -1, 0, 0},
};

struct refusal {
    const char *text, *message;
};

static const struct refusal refusals[] = {
    {"{\"nodes\": [", "line 1"},
    {"7", "line 1"},
    {"{}", "nodes: missing"},
    {"{\"nodes\": 1}", "nodes: not a list"},
    {"{\"nodes\": [], \"node\": 1}", "node: no such key"},
    {"{\"nodes\": [], \"nodes\": []}", "line 1"},
    {"{\"nodes\": [], \"userDataNode\": []}", "given twice"},
    {"[7]", "nodes[0]: not an object"},
    {"[{}]", "nodes[0].type: missing"},
    {"[{\"type\": \"bufer\"}]", "nodes[0].type: no such type of node: \"bufer\""},
    {"[{\"type\": \"buffer\", \"binding\": 0}]", "nodes[0].set: missing"},
    {"[{\"type\": \"buffer\", \"set\": 0}]", "nodes[0].binding: missing"},
    {"[{\"type\": \"buffer\", \"set\": -1, \"binding\": 0}]", "nodes[0].set: not a number"},
    {"[{\"type\": \"buffer\", \"set\": 4294967296, \"binding\": 0}]", "nodes[0].set: not a number"},
    {"[{\"type\": \"buffer\", \"set\": 1.5, \"binding\": 0}]", "nodes[0].set: not a number"},
    {"[{\"type\": \"buffer\", \"set\": \"0xg\", \"binding\": 0}]", "nodes[0].set: not a number"},
    {"[{\"type\": \"push_constants\"}]", "nodes[0].size: missing"},
    {"[{\"type\": \"push_constants\", \"size\": 1, \"count\": 1}]",
     "nodes[0].count: has no meaning"},
    {"[{\"type\": \"PushConst\", \"size\": 1, \"set\": -1}]", "nodes[0].set: not a number"},
    {"[{\"type\": \"table\", \"set\": 0, \"visibility\": -1, \"nodes\": []}]",
     "nodes[0].visibility: not a number"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"mutable\", \"binding\": 0, "
     "\"stride\": 3}]}]",
     "nodes[0].nodes[0].stride: 3 dwords, and a mutable has 4"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"mutable\", \"binding\": 0}, "
     "{\"type\": \"sampler\", \"binding\": 0}]}]",
     "nodes[0].nodes[1]: set 0 binding 0 is that of nodes[0].nodes[0], too"},
    {"[{\"type\": \"table\"}]", "nodes[0].nodes: missing"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"table\", \"nodes\": []}]}]",
     "nodes[0].nodes[0].type: stands only in the root table"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"buffer\", \"binding\": 0, "
     "\"size\": 3}]}]",
     "nodes[0].nodes[0].size: 3 dwords, and a buffer has 4"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"resource\", \"binding\": 0, "
     "\"stride\": 4}]}]",
     "nodes[0].nodes[0].stride: 4 dwords, and a resource has 8"},
    {"[{\"type\": \"buffer\", \"set\": 0, \"binding\": 0}, {\"type\": \"table\", \"offset\": 3, "
     "\"nodes\": []}]",
     "nodes[1]: dwords 3 to 3 overlap those of nodes[0]"},
    {"[{\"type\": \"buffer\", \"set\": 0, \"binding\": 0, \"offset\": 65533}]",
     "nodes[0].offset: the node ends behind"},
    {"[{\"type\": \"table\", \"nodes\": [{\"type\": \"sampler\", \"set\": 0, \"binding\": 0, "
     "\"immutable\": [[1, 2, 3, 4], [5, 6, 7, 8]]}]}]",
     "nodes[0].nodes[0].immutable: 2 samplers, and room for 1"},
    {"[{\"type\": \"table\", \"set\": 3, \"nodes\": [{\"type\": \"buffer\", \"binding\": 7}, "
     "{\"type\": \"sampler\", \"binding\": 6}, {\"type\": \"const_buffer\", \"binding\": 7}]}]",
     "nodes[0].nodes[2]: set 3 binding 7 is that of nodes[0].nodes[0], too"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"combined_texture\", \"binding\": "
     "1}, "
     "{\"type\": \"sampler\", \"binding\": 1}]}]",
     "nodes[0].nodes[1]: set 0 binding 1 is that of nodes[0].nodes[0], too"},
    {"[{\"type\": \"buffer\", \"set\": 0, \"binding\": 0}, {\"type\": \"buffer_compact\", "
     "\"set\": 0, \"binding\": 0}]",
     "nodes[1]: set 0 binding 0 is that of nodes[0], too"},
    {"{\"binding_ranges\": true, \"nodes\": [{\"type\": \"table\", \"set\": 0, \"nodes\": ["
     "{\"type\": \"resource\", \"binding\": 5}, {\"type\": \"resource\", \"binding\": 2, "
     "\"count\": 4}]}]}",
     "nodes[0].nodes[0]: set 0 binding 5 is that of nodes[0].nodes[1], too"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"combined_texture\", \"binding\": "
     "1, \"sampler_offset\": 7}]}]",
     "nodes[0].nodes[0].sampler_offset: 7 dwords, and a resource has 8"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"combined_texture\", \"binding\": "
     "1, \"stride\": 16, \"sampler_offset\": 13}]}]",
     "nodes[0].nodes[0].sampler_offset: the sampler ends at dword 17, behind its element"},
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"sampler\", \"binding\": 1, "
     "\"sampler_offset\": 8}]}]",
     "nodes[0].nodes[0].sampler_offset: has no meaning"},
    {"[{\"type\": \"push_area\", \"nodes\": [{\"type\": \"sampler\", \"set\": 0, \"binding\": "
     "1}]}]",
     "nodes[0].nodes[0].type: a push area holds"},
    {"[{\"type\": \"push_area\", \"nodes\": [{\"type\": \"buffer\", \"binding\": 1}]}]",
     "nodes[0].nodes[0].set: missing"},
    {"[{\"type\": \"push_area\", \"set\": 0, \"nodes\": []}]", "nodes[0].set: has no meaning"},
    {"[{\"type\": \"buffer\", \"set\": 0, \"binding\": 0, \"visibility\": 66}, {\"type\": "
     "\"buffer_compact\", \"set\": 0, \"binding\": 0, \"visibility\": 64}]",
     "nodes[1]: set 0 binding 0 is that of nodes[0], too"},
    {"{\"nodes\": [], \"topology\": \"quads\"}", "topology: none of the words"},
    {"{\"nodes\": [], \"shadow_table\": true}", "shadow_table: not a number"},
};

static const struct refusal unrelocatable[] = {
    {"[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"sampler\", \"binding\": 5, "
     "\"ycbcr\": true}]}]",
     "nodes[0].nodes[0] (ycbcr sampler, set 0 binding 5): its conversion"},
    {"[{\"type\": \"inline_buffer\", \"set\": 2, \"binding\": 1, \"size\": 4}]",
     "nodes[0] (inline_buffer, set 2 binding 1)"},
    {"[{\"type\": \"sampler\", \"set\": 2, \"binding\": 1}]", "stands in the root table"},
    {"[{\"type\": \"texel_buffer\", \"set\": 2, \"binding\": 1}]", "stands in the root table"},
    {"[{\"type\": \"mutable\", \"set\": 2, \"binding\": 1}]", "stands in the root table"},
    {"[{\"type\": \"combined_texture\", \"set\": 2, \"binding\": 1}]", "stands in the root table"},
    {"[{\"type\": \"table\", \"set\": 1, \"nodes\": [{\"type\": \"buffer\", \"binding\": 0}]},"
     "{\"type\": \"table\", \"set\": 1, \"nodes\": [{\"type\": \"buffer\", \"binding\": 1}]}]",
     "nodes[1].nodes[0] (buffer, set 1 binding 1): the set is in two tables"},
    {"[{\"type\": \"table\", \"set\": 1, \"nodes\": [{\"type\": \"buffer\", \"binding\": 0},"
     "{\"type\": \"buffer\", \"set\": 2, \"binding\": 0}]}]",
     "its table holds another set"},
    {"[{\"type\": \"table\", \"set\": 1, \"visibility\": 66, \"nodes\": [{\"type\": \"buffer\", "
     "\"binding\": 0}]}, {\"type\": \"table\", \"visibility\": 64, \"nodes\": [{\"type\": "
     "\"buffer\", \"set\": 1, \"binding\": 0}]}]",
     "nodes[1].nodes[0] (buffer, set 1 binding 0): the set is in two tables"},
    {"[{\"type\": \"table\", \"set\": 1, \"nodes\": [{\"type\": \"buffer\", \"binding\": 0}]},"
     "{\"type\": \"push_area\", \"nodes\": [{\"type\": \"buffer\", \"set\": 1, \"binding\": 1}]}]",
     "nodes[1].nodes[0] (buffer, set 1 binding 1): stands in the push area"},
};

static void check_looks(const struct lull_layout *l, const struct look *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct look *k = &rows[i];
        struct lull_layout_place at = {0};
        const bool found = lull_layout_find(l, 0, k->want, k->set, k->binding, &at);
        const bool ok =
            found == (k->root >= 0) &&
            (!found || ((int)at.root->offset == k->root &&
                        (int)at.node->offset == (at.node == at.root ? k->root : k->offset) &&
                        (int)at.node->stride == k->stride));
        test_case(ok, "search", "row %zu: %s", i, found ? at.node->path : "not found");
    }
}

static void test_looks(void)
{
    struct lull_layout l = {0};
    struct lull_error *err = lull_layout_read(full, strlen(full), &l);
    if (!test_case(err == NULL, "full layout", "%s", err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return;
    }
    check_looks(&l, looks, TEST_ROWS(looks));
    const struct lull_layout_node *t = lull_layout_table(&l, 0, 0xfffffff0);
    test_case(t != NULL && t->offset == 47 && lull_layout_table(&l, 0, 3) == NULL, "tables",
              "wrong");
    test_case(lull_layout_root_size(&l) == 52, "root size", "%u", lull_layout_root_size(&l));
    lull_layout_done(&l);
}

// As LLPC's dumper writes a layout: a set, a binding and a stride of 0 on push constants, 0 for the
// stride of a type, masks of stages, overlapping nodes.
static const char llpc[] =
    "{\"userDataNode\": ["
    " {\"visibility\": 66, \"type\": \"DescriptorTableVaPtr\", \"offsetInDwords\": 2, "
    "  \"sizeInDwords\": 1, \"next\": ["
    "  {\"type\": \"DescriptorImage\", \"offsetInDwords\": 0, \"sizeInDwords\": 16, "
    "   \"set\": \"0x00000001\", \"binding\": 0, \"strideInDwords\": 0},"
    "  {\"type\": \"DescriptorConstTexelBuffer\", \"offsetInDwords\": 4, \"sizeInDwords\": 4, "
    "   \"set\": 1, \"binding\": 1, \"strideInDwords\": 0},"
    "  {\"type\": \"DescriptorMutable\", \"offsetInDwords\": 16, \"sizeInDwords\": 32, "
    "   \"set\": 1, \"binding\": 2, \"strideInDwords\": 16},"
    "  {\"type\": \"DescriptorMutable\", \"offsetInDwords\": 48, \"sizeInDwords\": 4, "
    "   \"set\": 1, \"binding\": 3, \"strideInDwords\": 0},"
    "  {\"type\": \"DescriptorCombinedTexture\", \"offsetInDwords\": 52, \"sizeInDwords\": 24, "
    "   \"set\": 1, \"binding\": 4, \"strideInDwords\": 0},"
    "  {\"type\": \"DescriptorAtomicCounter\", \"offsetInDwords\": 80, \"sizeInDwords\": 4, "
    "   \"set\": 1, \"binding\": 5, \"strideInDwords\": 0}]},"
    " {\"visibility\": \"0xffffffff\", \"type\": \"PushConst\", \"offsetInDwords\": 4, "
    "  \"sizeInDwords\": 6, \"set\": \"0xFFFFFFFF\", \"binding\": 0, \"strideInDwords\": 0}]}";

static const struct look llpc_looks[] = {
    {LULL_LAYOUT_RESOURCE, 1, 0, 2, 0, 8},      {LULL_LAYOUT_TEXEL_BUFFER, 1, 1, 2, 4, 4},
    {LULL_LAYOUT_BUFFER, 1, 2, 2, 16, 16},      {LULL_LAYOUT_RESOURCE, 1, 2, 2, 16, 16},
    {LULL_LAYOUT_SAMPLER, 1, 2, 2, 16, 16},     {LULL_LAYOUT_TEXEL_BUFFER, 1, 2, 2, 16, 16},
    {LULL_LAYOUT_CONST_BUFFER, 1, 3, 2, 48, 4}, {LULL_LAYOUT_RESOURCE, 1, 3, -1, 0, 0},
    {LULL_LAYOUT_SAMPLER, 1, 4, 2, 52, 12},     {LULL_LAYOUT_BUFFER, 1, 5, 2, 80, 4},
    {LULL_LAYOUT_BUFFER, 1, 0, -1, 0, 0},       {LULL_LAYOUT_ANY, 0xffffffff, 0, -1, 0, 0},
};

static void test_llpc(void)
{
    struct lull_layout l = {0};
    struct lull_error *err = lull_layout_read(llpc, strlen(llpc), &l);
    if (!test_case(err == NULL, "LLPC's", "%s", err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return;
    }
    check_looks(&l, llpc_looks, TEST_ROWS(llpc_looks));
    struct lull_layout_place at = {0};
    test_case(lull_layout_first(&l, 0, LULL_LAYOUT_PUSH_CONSTANTS, &at) && at.node->offset == 4 &&
                  at.node->size == 6 && at.node->visibility == UINT32_MAX,
              "LLPC's push constants", "wrong");
    test_case(l.nodes[0].visibility == 66 && lull_layout_table_size(&l.nodes[0]) == 84,
              "LLPC's table", "%u, %u dwords", l.nodes[0].visibility,
              lull_layout_table_size(&l.nodes[0]));
    lull_layout_done(&l);
}

// In the sections of stages, as old files of LLPC's have nodes.
static const char stages[] = "[VsInfo]\n"
                             "userDataNode[0].type = DescriptorTableVaPtr\n"
                             "userDataNode[0].offsetInDwords = 0\n"
                             "userDataNode[0].sizeInDwords = 1\n"
                             "userDataNode[0].next[0].type = DescriptorSampler\n"
                             "userDataNode[0].next[0].offsetInDwords = 0\n"
                             "userDataNode[0].next[0].sizeInDwords = 4\n"
                             "userDataNode[0].next[0].set = 0\n"
                             "userDataNode[0].next[0].binding = 1\n"
                             "descriptorRangeValue[0].type = DescriptorSampler\n"
                             "descriptorRangeValue[0].set = 0\n"
                             "descriptorRangeValue[0].binding = 1\n"
                             "descriptorRangeValue[0].arraySize = 1\n"
                             "descriptorRangeValue[0].uintData = 1, 2, 3, 4294967295\n"
                             "[FsInfo]\n"
                             "userDataNode[0].type = PushConst\n"
                             "userDataNode[0].offsetInDwords = 0\n"
                             "userDataNode[0].sizeInDwords = 4\n"
                             "[GraphicsPipelineState]\n"
                             "topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN\n"
                             "colorBuffer[7].format = VK_FORMAT_UNDEFINED\n";

static void test_stages(void)
{
    struct lull_layout l = {0};
    struct lull_error *err = lull_layout_read(stages, strlen(stages), &l);
    if (!test_case(err == NULL, "nodes of stages", "%s",
                   err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return;
    }
    const struct lull_layout_node *n = l.nodes, *sampler = n[0].inner;
    test_case(l.nnodes == 2 && n[0].visibility == 2 && n[1].visibility == 64,
              "stages of nodes: 1 << 1 for vertices, 1 << 6 for pixels", "%u nodes, %u", l.nnodes,
              n[0].visibility);
    test_case(sampler->nimmutable == 1 && sampler->immutable[0] == 1 &&
                  sampler->immutable[2] == 3 && sampler->immutable[3] == UINT32_MAX,
              "a static descriptor's value", "%u samplers", sampler->nimmutable);
    test_case(l.topology == LULL_LAYOUT_TRIANGLES && l.has_colors && l.colors[7].format == NULL &&
                  !l.has_vertex_input && l.num_samples == 1,
              "what a .pipe file does not say", "wrong");
    lull_layout_done(&l);
}

static const char by_stage[] =
    "[{\"type\": \"buffer\", \"set\": 0, \"binding\": 0, \"visibility\": 2},"
    " {\"type\": \"buffer\", \"set\": 0, \"binding\": 0, \"visibility\": 64},"
    " {\"type\": \"table\", \"set\": 1, \"visibility\": 16, \"nodes\": []},"
    " {\"type\": \"push_constants\", \"size\": 1, \"visibility\": 256},"
    " {\"type\": \"push_constants\", \"size\": 1}]";

static void test_visibility(void)
{
    struct lull_layout l = {0};
    struct lull_layout_place at = {0};
    struct lull_error *err = lull_layout_read(by_stage, strlen(by_stage), &l);
    if (!test_case(err == NULL, "nodes of stages of their own", "%s",
                   err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return;
    }
    test_case(lull_layout_by_stage(&l), "nodes that some stages see", "not seen");
    const bool pixels = lull_layout_find(&l, 64, LULL_LAYOUT_BUFFER, 0, 0, &at);
    test_case(pixels && at.node->offset == 4, "what pixel shaders see", "%u", at.node->offset);
    test_case(!lull_layout_find(&l, 16, LULL_LAYOUT_BUFFER, 0, 0, &at), "what no stage sees",
              "found");
    // A ray tracing stage, 1 << 8, is a compute shader, 1 << 7.
    const bool rays = lull_layout_first(&l, 128, LULL_LAYOUT_PUSH_CONSTANTS, &at);
    test_case(rays && at.node->offset == 9, "ray tracing", "%u", at.node->offset);
    lull_layout_done(&l);
}

static void test_ranges(void)
{
    static const char text[] =
        "{\"binding_ranges\": true, \"nodes\": [{\"type\": \"table\", \"nodes\": ["
        "{\"type\": \"resource\", \"set\": 0, \"binding\": 4, \"count\": 3}]}]}";
    struct lull_layout l = {0};
    struct lull_error *err = lull_layout_read(text, strlen(text), &l);
    struct lull_layout_place at = {0};
    test_case(err == NULL && lull_layout_find(&l, 0, LULL_LAYOUT_RESOURCE, 0, 6, &at) &&
                  !lull_layout_find(&l, 0, LULL_LAYOUT_RESOURCE, 0, 7, &at) &&
                  !lull_layout_find(&l, 0, LULL_LAYOUT_RESOURCE, 0, 3, &at),
              "binding ranges", "wrong");
    lull_error_free(err);
    lull_layout_done(&l);
    static const char several[] =
        "[{\"type\": \"table\", \"set\": 0, \"nodes\": [{\"type\": \"resource\", \"binding\": 1}, "
        "{\"type\": \"sampler\", \"binding\": 1}, {\"type\": \"fmask\", \"binding\": 1}]}]";
    l = (struct lull_layout){0};
    err = lull_layout_read(several, strlen(several), &l);
    test_case(err == NULL && lull_layout_find(&l, 0, LULL_LAYOUT_SAMPLER, 0, 1, &at) &&
                  at.node->offset == 8 && lull_layout_find(&l, 0, LULL_LAYOUT_FMASK, 0, 1, &at) &&
                  at.node->offset == 12,
              "kinds that a shader tells apart may have one binding", "%s",
              err != NULL ? lull_error_message(err) : "found elsewhere");
    lull_error_free(err);
    lull_layout_done(&l);
}

static void test_refusals(void)
{
    for (size_t i = 0; i < TEST_ROWS(refusals); i++) {
        struct lull_layout l = {0};
        struct lull_error *err = lull_layout_read(refusals[i].text, strlen(refusals[i].text), &l);
        const char *got = err != NULL ? lull_error_message(err) : "taken";
        test_case(strstr(got, refusals[i].message) != NULL, refusals[i].message, "got: %s", got);
        lull_error_free(err);
        lull_layout_done(&l);
    }
    for (size_t i = 0; i < TEST_ROWS(unrelocatable); i++) {
        struct lull_layout l = {0};
        const char *text = unrelocatable[i].text;
        struct lull_error *err = lull_layout_read(text, strlen(text), &l);
        err = err != NULL ? err : lull_layout_check_relocatable(&l);
        const char *got = err != NULL ? lull_error_message(err) : "taken";
        test_case(strstr(got, unrelocatable[i].message) != NULL, unrelocatable[i].message,
                  "got: %s", got);
        lull_error_free(err);
        lull_layout_done(&l);
    }
}

int main(void)
{
    test_looks();
    test_llpc();
    test_stages();
    test_visibility();
    test_ranges();
    test_refusals();
    return test_end();
}
