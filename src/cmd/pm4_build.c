// SPDX-License-Identifier: MIT
#include "cmd/pm4.h"
#include "cmd/pm4_amd_pkts.h"

enum {
    TYPE3 = 3,
    TYPE_SHIFT = 30,
    COUNT_SHIFT = 16,
    OPCODE_SHIFT = 8,
    PAD_COUNT = 0x3fff, // NOP of one dword
    SH_BASE = 0xb000,
    CONTEXT_BASE = 0x28000,
    UCONFIG_BASE = 0x30000,
    AUTO_INDEX = 2, // of a draw's initiator: SOURCE_SELECT
    POLL_INTERVAL = 4,
};

/** @p value at the field whose bits are @p mask. */
static uint32_t put(uint32_t value, uint32_t mask)
{
    return value << __builtin_ctz(mask) & mask;
}

struct lull_pm4_builder lull_pm4_builder_of(uint32_t *dwords, size_t room)
{
    return (struct lull_pm4_builder){.dwords = dwords, .room = room};
}

void lull_pm4_emit(struct lull_pm4_builder *b, uint32_t dword)
{
    if (b->ndwords < b->room) {
        b->dwords[b->ndwords] = dword;
    } else {
        b->overflow = true;
    }
    b->ndwords++;
}

void lull_pm4_emit64(struct lull_pm4_builder *b, uint64_t value)
{
    lull_pm4_emit(b, (uint32_t)value);
    lull_pm4_emit(b, (uint32_t)(value >> 32));
}

void lull_pm4_packet3(struct lull_pm4_builder *b, unsigned opcode, unsigned nbody)
{
    lull_pm4_emit(b, (uint32_t)TYPE3 << TYPE_SHIFT | (nbody - 1) << COUNT_SHIFT |
                         opcode << OPCODE_SHIFT);
}

static void set_regs(struct lull_pm4_builder *b, unsigned opcode, uint32_t index,
                     const uint32_t *values, unsigned n)
{
    lull_pm4_packet3(b, opcode, n + 1);
    lull_pm4_emit(b, index);
    for (unsigned i = 0; i < n; i++) {
        lull_pm4_emit(b, values[i]);
    }
}

void lull_pm4_set_sh(struct lull_pm4_builder *b, uint32_t reg, const uint32_t *values, unsigned n)
{
    set_regs(b, LULL_PM4_SET_SH_REG, (reg - SH_BASE) / 4, values, n);
}

void lull_pm4_set_sh1(struct lull_pm4_builder *b, uint32_t reg, uint32_t value)
{
    lull_pm4_set_sh(b, reg, &value, 1);
}

void lull_pm4_set_context1(struct lull_pm4_builder *b, uint32_t reg, uint32_t value)
{
    set_regs(b, LULL_PM4_SET_CONTEXT_REG, (reg - CONTEXT_BASE) / 4, &value, 1);
}

void lull_pm4_set_uconfig1(struct lull_pm4_builder *b, uint32_t reg, uint32_t value)
{
    set_regs(b, LULL_PM4_SET_UCONFIG_REG, (reg - UCONFIG_BASE) / 4, &value, 1);
}

void lull_pm4_dispatch(struct lull_pm4_builder *b, uint32_t x, uint32_t y, uint32_t z,
                       uint32_t initiator)
{
    lull_pm4_packet3(b, LULL_PM4_DISPATCH_DIRECT, 4);
    lull_pm4_emit(b, x);
    lull_pm4_emit(b, y);
    lull_pm4_emit(b, z);
    lull_pm4_emit(b, initiator);
}

static void wait_event(struct lull_pm4_builder *b, uint32_t event)
{
    lull_pm4_packet3(b, LULL_PM4_EVENT_WRITE, 1);
    lull_pm4_emit(b, put(event, LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE_MASK) |
                         put(LULL_PM4_EVENT_WRITE_CONTROL__EVENT_INDEX__PARTIAL_FLUSH,
                             LULL_PM4_EVENT_WRITE_CONTROL__EVENT_INDEX_MASK));
}

void lull_pm4_wait_waves(struct lull_pm4_builder *b)
{
    wait_event(b, LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__CS_PARTIAL_FLUSH);
}

void lull_pm4_wait_pixels(struct lull_pm4_builder *b)
{
    wait_event(b, LULL_PM4_EVENT_WRITE_CONTROL__EVENT_TYPE__PS_PARTIAL_FLUSH);
}

void lull_pm4_clear_state(struct lull_pm4_builder *b)
{
    lull_pm4_packet3(b, LULL_PM4_CONTEXT_CONTROL, 2);
    lull_pm4_emit(b, LULL_PM4_CONTEXT_CONTROL_LOAD__UPDATE_LOAD_ENABLES_MASK);
    lull_pm4_emit(b, LULL_PM4_CONTEXT_CONTROL_SHADOW__UPDATE_SHADOW_ENABLES_MASK);
    lull_pm4_packet3(b, LULL_PM4_CLEAR_STATE, 1);
    lull_pm4_emit(b, 0);
}

void lull_pm4_instances(struct lull_pm4_builder *b, uint32_t n)
{
    lull_pm4_packet3(b, LULL_PM4_NUM_INSTANCES, 1);
    lull_pm4_emit(b, n);
}

void lull_pm4_draw(struct lull_pm4_builder *b, uint32_t count)
{
    lull_pm4_packet3(b, LULL_PM4_DRAW_INDEX_AUTO, 2);
    lull_pm4_emit(b, count);
    lull_pm4_emit(b, AUTO_INDEX);
}

void lull_pm4_draw_mesh(struct lull_pm4_builder *b, const uint32_t groups[3])
{
    lull_pm4_packet3(b, LULL_PM4_DISPATCH_MESH_DIRECT, 4);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_emit(b, groups[i]);
    }
    lull_pm4_emit(b, AUTO_INDEX);
}

void lull_pm4_draw_indexed(struct lull_pm4_builder *b, uint64_t va, uint32_t max, uint32_t count)
{
    lull_pm4_packet3(b, LULL_PM4_DRAW_INDEX_2, 5);
    lull_pm4_emit(b, max);
    lull_pm4_emit64(b, va);
    lull_pm4_emit(b, count);
    lull_pm4_emit(b, 0);
}

void lull_pm4_invalidate(struct lull_pm4_builder *b)
{
    lull_pm4_packet3(b, LULL_PM4_ACQUIRE_MEM, 7);
    lull_pm4_emit(b, 0);
    lull_pm4_emit64(b, UINT64_C(0x01ffffffffffffff)); // all addresses, in 256 bytes
    lull_pm4_emit64(b, 0);
    lull_pm4_emit(b, POLL_INTERVAL);
    lull_pm4_emit(b, put(LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GLI_INV__ALL,
                         LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GLI_INV_MASK) |
                         LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GLM_WB_MASK |
                         LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GLM_INV_MASK |
                         LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GLK_INV_MASK |
                         LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GLV_INV_MASK |
                         LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GL1_INV_MASK |
                         LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GL2_INV_MASK |
                         LULL_PM4_ACQUIRE_MEM_GCR_CNTL__GL2_WB_MASK);
}

void lull_pm4_release(struct lull_pm4_builder *b, uint64_t va, uint64_t value)
{
    lull_pm4_packet3(b, LULL_PM4_RELEASE_MEM, 7);
    lull_pm4_emit(
        b, put(LULL_PM4_RELEASE_MEM_EVENT__EVENT_TYPE__CACHE_FLUSH_AND_INV_TS_EVENT,
               LULL_PM4_RELEASE_MEM_EVENT__EVENT_TYPE_MASK) |
               put(LULL_PM4_RELEASE_MEM_EVENT__EVENT_INDEX__END_OF_PIPE,
                   LULL_PM4_RELEASE_MEM_EVENT__EVENT_INDEX_MASK) |
               LULL_PM4_RELEASE_MEM_EVENT__GL2_WB_MASK |
               put(LULL_PM4_RELEASE_MEM_EVENT__SEQ__FORWARD, LULL_PM4_RELEASE_MEM_EVENT__SEQ_MASK));
    lull_pm4_emit(b, put(LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__DATA64,
                         LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL_MASK));
    lull_pm4_emit64(b, va);
    lull_pm4_emit64(b, value);
    lull_pm4_emit(b, 0);
}

void lull_pm4_write_data(struct lull_pm4_builder *b, uint64_t va, const uint32_t *values,
                         unsigned n)
{
    lull_pm4_packet3(b, LULL_PM4_WRITE_DATA, 3 + n);
    lull_pm4_emit(b, put(LULL_PM4_WRITE_DATA_CONTROL__DST_SEL__MEM,
                         LULL_PM4_WRITE_DATA_CONTROL__DST_SEL_MASK) |
                         LULL_PM4_WRITE_DATA_CONTROL__WR_CONFIRM_MASK);
    lull_pm4_emit64(b, va);
    for (unsigned i = 0; i < n; i++) {
        lull_pm4_emit(b, values[i]);
    }
}

void lull_pm4_wait_mem_equal(struct lull_pm4_builder *b, uint64_t va, uint32_t ref, uint32_t mask)
{
    lull_pm4_packet3(b, LULL_PM4_WAIT_REG_MEM, 6);
    lull_pm4_emit(b, put(LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION__EQUAL,
                         LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION_MASK) |
                         put(LULL_PM4_WAIT_REG_MEM_CONTROL__MEM_SPACE__MEM,
                             LULL_PM4_WAIT_REG_MEM_CONTROL__MEM_SPACE_MASK));
    lull_pm4_emit64(b, va);
    lull_pm4_emit(b, ref);
    lull_pm4_emit(b, mask);
    lull_pm4_emit(b, POLL_INTERVAL);
}

void lull_pm4_copy_clock(struct lull_pm4_builder *b, uint64_t va)
{
    lull_pm4_packet3(b, LULL_PM4_COPY_DATA, 5);
    lull_pm4_emit(b, put(LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__TIMESTAMP,
                         LULL_PM4_COPY_DATA_CONTROL__SRC_SEL_MASK) |
                         put(LULL_PM4_COPY_DATA_CONTROL__DST_SEL__MEM,
                             LULL_PM4_COPY_DATA_CONTROL__DST_SEL_MASK) |
                         LULL_PM4_COPY_DATA_CONTROL__COUNT_SEL_MASK |
                         LULL_PM4_COPY_DATA_CONTROL__WR_CONFIRM_MASK);
    lull_pm4_emit64(b, 0);
    lull_pm4_emit64(b, va);
}

static void dma(struct lull_pm4_builder *b, uint32_t source, uint64_t src, uint64_t dst,
                uint32_t nbytes)
{
    lull_pm4_packet3(b, LULL_PM4_DMA_DATA, 6);
    lull_pm4_emit(b, put(source, LULL_PM4_DMA_DATA_CONTROL__SRC_SEL_MASK) |
                         put(LULL_PM4_DMA_DATA_CONTROL__DST_SEL__MEM_GL2,
                             LULL_PM4_DMA_DATA_CONTROL__DST_SEL_MASK) |
                         LULL_PM4_DMA_DATA_CONTROL__CP_SYNC_MASK);
    lull_pm4_emit64(b, src);
    lull_pm4_emit64(b, dst);
    lull_pm4_emit(b, put(nbytes, LULL_PM4_DMA_DATA_COMMAND__BYTE_COUNT_MASK));
}

void lull_pm4_dma_fill(struct lull_pm4_builder *b, uint64_t dst, uint32_t value, uint32_t nbytes)
{
    dma(b, LULL_PM4_DMA_DATA_CONTROL__SRC_SEL__DATA, value, dst, nbytes);
}

void lull_pm4_dma_copy(struct lull_pm4_builder *b, uint64_t dst, uint64_t src, uint32_t nbytes)
{
    dma(b, LULL_PM4_DMA_DATA_CONTROL__SRC_SEL__MEM_GL2, src, dst, nbytes);
}

void lull_pm4_indirect(struct lull_pm4_builder *b, uint64_t va, uint32_t ndwords, bool chain)
{
    lull_pm4_packet3(b, LULL_PM4_INDIRECT_BUFFER, 3);
    lull_pm4_emit64(b, va);
    lull_pm4_emit(b, put(ndwords, LULL_PM4_INDIRECT_BUFFER_CONTROL__IB_SIZE_MASK) |
                         put(chain, LULL_PM4_INDIRECT_BUFFER_CONTROL__CHAIN_MASK) |
                         LULL_PM4_INDIRECT_BUFFER_CONTROL__VALID_MASK);
}

void lull_pm4_pad(struct lull_pm4_builder *b, unsigned ndwords)
{
    while (b->ndwords % ndwords != 0) {
        lull_pm4_emit(b, (uint32_t)TYPE3 << TYPE_SHIFT | PAD_COUNT << COUNT_SHIFT |
                             LULL_PM4_NOP << OPCODE_SHIFT);
    }
}
