// SPDX-License-Identifier: MIT
// Any state of a draw: registers of draw11.reg on top of those of a good draw, then draw packets
// and what they read. It ends, and nothing crashes. Seeds: tests/fuzz/corpus/draw/.
//
// An input: a byte for the packet, a byte for the vertices, then records of a register (two bytes,
// its offset in dwords; of those that are none, the next in turn) and its value (four).
#include "fuzz.h"

#include "../model/draw_program.h"

enum { CYCLES = 20000, ROUNDS = 64, RECORD = 6, ARGUMENTS = 0x34000 };

static const uint8_t packets[] = {LULL_PM4_DRAW_INDEX_AUTO, LULL_PM4_DRAW_INDEX_2,
                                  LULL_PM4_DRAW_INDEX_OFFSET_2, LULL_PM4_DRAW_INDIRECT_MULTI,
                                  LULL_PM4_DISPATCH_MESH_DIRECT};

static void set_reg(struct lull_pm4_builder *b, uint32_t offset, uint32_t value)
{
    if (offset < LULL_SH_BASE + LULL_SH_BYTES) {
        lull_pm4_set_sh1(b, offset, value);
    } else if (offset < LULL_CONTEXT_BASE + LULL_CONTEXT_BYTES) {
        draw_context(b, offset, value);
    } else if (offset < LULL_UCONFIG_BASE + LULL_UCONFIG_BYTES) {
        lull_pm4_set_uconfig1(b, offset, value);
    }
}

static void set_record(struct lull_pm4_builder *b, const uint8_t *record)
{
    uint32_t value = 0;
    memcpy(&value, record + 2, sizeof value);
    const uint32_t n = record[0] | (uint32_t)record[1] << 8;
    const struct lull_reg_db *db = &lull_regs_draw11;
    const struct lull_reg_entry *e = lull_reg_at(db, 0, n * 4);
    e = e != NULL ? e : &db->by_offset[n % db->nentries];
    set_reg(b, e->offset, value);
}

/** A packet whose numbers are all small. */
static void draw(struct lull_pm4_builder *b, uint8_t opcode, uint8_t count)
{
    const uint64_t va = FIXTURE_VA + ARGUMENTS;
    const uint32_t bodies[][9] = {
        [LULL_PM4_DRAW_INDEX_AUTO] = {count, 2},
        [LULL_PM4_DRAW_INDEX_2] = {count, (uint32_t)va, (uint32_t)(va >> 32), count},
        [LULL_PM4_DRAW_INDEX_OFFSET_2] = {count, 3, count},
        [LULL_PM4_DRAW_INDIRECT_MULTI] = {0, 0x8d, 0x8e, 0x8f | UINT32_C(1) << 31, count % 8, 0, 0,
                                          16, 2},
        [LULL_PM4_DISPATCH_MESH_DIRECT] = {count % 4, count / 4 % 4, count / 16 % 4, 2},
    };
    static const uint8_t sizes[] = {
        [LULL_PM4_DRAW_INDEX_AUTO] = 2,      [LULL_PM4_DRAW_INDEX_2] = 5,
        [LULL_PM4_DRAW_INDEX_OFFSET_2] = 4,  [LULL_PM4_DRAW_INDIRECT_MULTI] = 9,
        [LULL_PM4_DISPATCH_MESH_DIRECT] = 4,
    };
    lull_pm4_packet3(b, LULL_PM4_SET_BASE, 3);
    lull_pm4_emit(b, LULL_PM4_SET_BASE_CONTROL__BASE_INDEX__DRAW_INDIRECT);
    lull_pm4_emit(b, (uint32_t)va);
    lull_pm4_emit(b, (uint32_t)(va >> 32));
    lull_pm4_packet3(b, opcode, sizes[opcode]);
    for (unsigned i = 0; i < sizes[opcode]; i++) {
        lull_pm4_emit(b, bodies[opcode][i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    struct lull_gpu_done done = {0};
    bool ended = false;
    if (size >= 2) {
        draw_programs(&f);
        draw_state(&f.b, FIXTURE_VA + DRAW_FLAG, FIXTURE_VA + DRAW_IMAGE);
        for (size_t i = 2; i + RECORD <= size && i < FIXTURE_IB_DWORDS; i += RECORD) {
            set_record(&f.b, data + i);
        }
        memcpy(fixture_mem(&f, ARGUMENTS), data, size < 0x1000 ? size : 0x1000);
        draw(&f.b, packets[data[0] % (sizeof packets / sizeof packets[0])], data[1]);
        fixture_submit(&f, LULL_RING_GFX, 1);
        for (unsigned i = 0; !ended && i < ROUNDS && lull_gpu_run(f.g, CYCLES / ROUNDS) != 0; i++) {
            ended = lull_gpu_next_done(f.g, &done);
        }
        if (!ended) {
            lull_gpu_reset_ring(f.g, LULL_RING_GFX);
            ended = lull_gpu_next_done(f.g, &done);
        }
        if (!ended || (done.result == LULL_JOB_DONE) != (done.message[0] == '\0') ||
            f.g->nwaves != 0) {
            abort();
        }
    }
    fixture_free(&f);
    return 0;
}
