// SPDX-License-Identifier: MIT
// What draw packets ask for: counted primitives and invocations, and the registers that arguments
// in memory go to. Layouts of arguments: Vulkan 1.3, VkDrawIndirectCommand and its kin; of packets:
// Mesa's sid.h.
#include <inttypes.h>

#include "draw_program.h"
#include "test.h"

enum {
    LIMIT = 10000000,
    ARGUMENTS = 0x34000, // in the mapping
    COUNT = 0x35000,
    INDICES = 0x36000,
    REG = (LULL_DRAW11_SPI_SHADER_USER_DATA_GS_0 - LULL_SH_BASE) / 4 + 20,
    COUNTED = 1 << 30, // COUNT_INDIRECT_ENABLE
    XYZ = 1 << 28,
};

#define LO(offset) ((uint32_t)(FIXTURE_VA + (offset)))
#define HI ((uint32_t)(FIXTURE_VA >> 32))
#define ENABLE_DRAW_ID (UINT32_C(1) << 31)

struct row {
    const char *name;
    uint8_t opcode, n;
    uint32_t body[9];
    uint32_t args[16], count; // in memory
    bool mesh;
    uint64_t prims, vertices; // or workgroups, in vertices
    uint32_t regs[4];         // from REG on
};

static const struct row rows[] = {
    {"auto", LULL_PM4_DRAW_INDEX_AUTO, 2, {7, 2}, {0}, 0, false, 4, 12, {0}},
    {"indices", LULL_PM4_DRAW_INDEX_2, 5, {9, LO(INDICES), HI, 9, 0}, {0}, 0, false, 6, 18, {0}},
    {"indices from an offset",
     LULL_PM4_DRAW_INDEX_OFFSET_2,
     4,
     {9, 3, 3, 0},
     {0},
     0,
     false,
     2,
     6,
     {0}},
    // instances are the arguments', not those of NUM_INSTANCES
    {"indirect",
     LULL_PM4_DRAW_INDIRECT,
     4,
     {16, REG, REG + 1, 2},
     {0, 0, 0, 0, 6, 3, 40, 50},
     0,
     false,
     6,
     18,
     {40, 50}},
    {"indirect, no registers",
     LULL_PM4_DRAW_INDIRECT,
     4,
     {0, 0, 0, 2},
     {3, 1, 40, 50},
     0,
     false,
     1,
     3,
     {0}},
    {"indirect, of indices",
     LULL_PM4_DRAW_INDEX_INDIRECT,
     4,
     {0, REG, REG + 1, 0},
     {3, 2, 3, 41, 51},
     0,
     false,
     2,
     6,
     {41, 51}},
    {"several",
     LULL_PM4_DRAW_INDIRECT_MULTI,
     9,
     {0, REG, REG + 1, (REG + 2) | ENABLE_DRAW_ID, 3, 0, 0, 20, 2},
     {3, 1, 1, 2, 0, 6, 1, 3, 4, 0, 3, 2, 5, 6},
     0,
     false,
     5,
     15,
     {5, 6, 2}},
    {"one of them is empty",
     LULL_PM4_DRAW_INDIRECT_MULTI,
     9,
     {0, REG, REG + 1, (REG + 2) | ENABLE_DRAW_ID, 3, 0, 0, 16, 2},
     {3, 1, 1, 2, 6, 0, 3, 4, 3, 2, 5, 6},
     0,
     false,
     3,
     9,
     {5, 6, 2}},
    {"the count in memory is less",
     LULL_PM4_DRAW_INDIRECT_MULTI,
     9,
     {0, REG, REG + 1, (REG + 2) | ENABLE_DRAW_ID | COUNTED, 3, LO(COUNT), HI, 16, 2},
     {3, 1, 1, 2, 6, 1, 3, 4, 3, 2, 5, 6},
     2,
     false,
     3,
     9,
     {3, 4, 1}},
    {"the count in memory is more",
     LULL_PM4_DRAW_INDIRECT_MULTI,
     9,
     {0, REG, REG + 1, COUNTED, 1, LO(COUNT), HI, 16, 2},
     {3, 1, 1, 2, 6, 1, 3, 4},
     2,
     false,
     1,
     3,
     {1, 2}},
    {"several, of indices",
     LULL_PM4_DRAW_INDEX_INDIRECT_MULTI,
     9,
     {0, REG, REG + 1, (REG + 2) | ENABLE_DRAW_ID, 2, 0, 0, 20, 0},
     {3, 1, 0, 7, 8, 6, 1, 3, 9, 10},
     0,
     false,
     3,
     9,
     {9, 10, 1}},
    {"a mesh", LULL_PM4_DISPATCH_MESH_DIRECT, 4, {2, 3, 2, 2}, {0}, 0, true, 0, 12, {0}},
    {"a mesh of nothing", LULL_PM4_DISPATCH_MESH_DIRECT, 4, {2, 0, 2, 2}, {0}, 0, true, 0, 0, {0}},
    {"several meshes",
     LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI,
     8,
     {0, REG | (REG + 3) << 16, ENABLE_DRAW_ID | XYZ, 2, 0, 0, 12, 2},
     {2, 1, 1, 1, 3, 4},
     0,
     true,
     0,
     14,
     {1, 3, 4, 1}},
    {"meshes, counted",
     LULL_PM4_DISPATCH_MESH_INDIRECT_MULTI,
     8,
     {0, REG, XYZ | COUNTED, 2, LO(COUNT), HI, 12, 2},
     {2, 1, 1, 1, 3, 4},
     1,
     true,
     0,
     2,
     {2, 1, 1}},
};

/** State, the indices, and the packet. */
static void emit(struct fixture *f, const struct row *r)
{
    struct lull_pm4_builder *b = &f->b;
    draw_programs(f);
    draw_state(b, FIXTURE_VA + DRAW_FLAG, FIXTURE_VA + DRAW_IMAGE);
    lull_pm4_set_uconfig1(b, LULL_DRAW11_VGT_INDEX_TYPE,
                          LULL_DRAW11_VGT_INDEX_TYPE__INDEX_TYPE__32);
    if (r->mesh) { // NGG, wave32, fast launch 2, 32 threads
        draw_context(b, LULL_DRAW11_VGT_SHADER_STAGES_EN, 1 << 13 | 1 << 22 | 2 << 19);
        lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_GS_MESHLET_DIM, 31 << 24 | 31);
    }
    lull_pm4_packet3(b, LULL_PM4_INDEX_BASE, 2);
    lull_pm4_emit(b, LO(INDICES));
    lull_pm4_emit(b, HI);
    lull_pm4_packet3(b, LULL_PM4_INDEX_BUFFER_SIZE, 1);
    lull_pm4_emit(b, 9);
    lull_pm4_packet3(b, LULL_PM4_SET_BASE, 3);
    lull_pm4_emit(b, LULL_PM4_SET_BASE_CONTROL__BASE_INDEX__DRAW_INDIRECT);
    lull_pm4_emit(b, LO(ARGUMENTS));
    lull_pm4_emit(b, HI);
    lull_pm4_packet3(b, r->opcode, r->n);
    for (unsigned i = 0; i < r->n; i++) {
        lull_pm4_emit(b, r->body[i]);
    }
    memcpy(fixture_mem(f, ARGUMENTS), r->args, sizeof r->args);
    fixture_put32(f, COUNT, r->count);
    for (uint32_t i = 0; i < 9; i++) {
        fixture_put32(f, INDICES + 4 * i, i);
    }
}

static void test_row(const struct row *r)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    emit(&f, r);
    fixture_submit(&f, LULL_RING_GFX, 1);
    const bool ended = fixture_run(&f, LIMIT, &done) && done.result == LULL_JOB_DONE;
    const struct lull_gfx_counters *c = &f.g->counters;
    const uint64_t vertices = r->mesh ? c->ms_invocations / 32 : c->vs_invocations;
    unsigned wrong = 0;
    for (unsigned i = 0; i < 4; i++) {
        wrong += lull_sh(&f.g->rings[LULL_RING_GFX], LULL_SH_BASE + 4 * (REG + i)) != r->regs[i];
    }
    test_case(ended && c->ia_primitives == r->prims && vertices == r->vertices && wrong == 0,
              r->name,
              "%s, %" PRIu64 " primitives, want %" PRIu64 "; %" PRIu64 " vertices, want %" PRIu64
              "; %u registers wrong",
              done.message, c->ia_primitives, r->prims, vertices, r->vertices, wrong);
    fixture_free(&f);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    return test_end();
}
