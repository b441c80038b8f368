// SPDX-License-Identifier: MIT
/** @file
 * AMD PM4 command streams: split a buffer of dwords into packets, and build one.
 *
 * The walker knows lengths, not meanings; names and fields come from
 * data/pkt/pm4_amd.pkt. A visitor decides what a packet means: the printer
 * and the model's command processor. The builder is the client's side.
 */
#ifndef LULL_CMD_PM4_H
#define LULL_CMD_PM4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    LULL_PM4_MAX_BODY = 0x4000, ///< Dwords after the header, at most (14-bit count plus 1).
};

struct lull_pm4_packet {
    size_t offset;        ///< Of the header, in dwords from the start of the buffer.
    unsigned type;        ///< 0, 2 or 3.
    unsigned opcode;      ///< Type 3 only: 0 to 255 (cmd/pm4_amd_pkts.h).
    unsigned reg;         ///< Type 0 only: first register, in dwords.
    bool predicate;       ///< Type 3 only: skip if predication says so.
    unsigned nbody;       ///< Dwords after the header.
    const uint32_t *body; ///< Inside the buffer.
};

/**
 * What header @p header says: everything but offset and body.
 *
 * @return False for type 1, which no chip has used since R300.
 */
bool lull_pm4_header(uint32_t header, struct lull_pm4_packet *ret);

/** Called once per packet, in stream order. An error stops the walk and is returned. */
typedef struct lull_error *lull_pm4_visit_fn(void *ctx, const struct lull_pm4_packet *packet);

/**
 * Walk the packets of a command buffer.
 *
 * @param dwords Command buffer in host byte order.
 * @param ndwords Length of @p dwords, in dwords.
 * @return NULL; LULL_ERR_BAD_DATA if a packet runs past the end or is of type 1;
 *         or the first error of @p visit. Packets before it were visited.
 *
 * Source: AMD "Radeon R5xx Acceleration", 5 "PM4"; Linux amdgpu soc15d.h;
 * padding NOP of one dword: Mesa src/amd/common/sid.h.
 */
struct lull_error *lull_pm4_walk(const uint32_t *dwords, size_t ndwords, lull_pm4_visit_fn *visit,
                                 void *ctx) LULL_MUST_USE;

/**
 * A command buffer being written, in the caller's memory.
 *
 * Sticky: when the room is used up nothing more is written, `overflow` is set and
 * `ndwords` goes on counting, so that a first pass over no memory measures.
 */
struct lull_pm4_builder {
    uint32_t *dwords; ///< Borrowed; may be NULL if room is 0.
    size_t room;      ///< Dwords that fit.
    size_t ndwords;   ///< Dwords asked for so far.
    bool overflow;
};

struct lull_pm4_builder lull_pm4_builder_of(uint32_t *dwords, size_t room);

/** One dword as it is. */
void lull_pm4_emit(struct lull_pm4_builder *b, uint32_t dword);
/** A 64-bit value, low dword first. */
void lull_pm4_emit64(struct lull_pm4_builder *b, uint64_t value);
/** Header of a type 3 packet with @p nbody dwords (1 to LULL_PM4_MAX_BODY) to follow. */
void lull_pm4_packet3(struct lull_pm4_builder *b, unsigned opcode, unsigned nbody);

/** SET_SH_REG: @p n registers from byte offset @p reg (0xb000 to 0xbffc). */
void lull_pm4_set_sh(struct lull_pm4_builder *b, uint32_t reg, const uint32_t *values, unsigned n);
void lull_pm4_set_sh1(struct lull_pm4_builder *b, uint32_t reg, uint32_t value);
/** SET_CONTEXT_REG: byte offset 0x28000 to 0x2fffc. */
void lull_pm4_set_context1(struct lull_pm4_builder *b, uint32_t reg, uint32_t value);
/** SET_UCONFIG_REG: byte offset 0x30000 to 0x3fffc. */
void lull_pm4_set_uconfig1(struct lull_pm4_builder *b, uint32_t reg, uint32_t value);

/** DISPATCH_DIRECT; @p initiator: COMPUTE_DISPATCH_INITIATOR. */
void lull_pm4_dispatch(struct lull_pm4_builder *b, uint32_t x, uint32_t y, uint32_t z,
                       uint32_t initiator);
/** CONTEXT_CONTROL that loads and shadows nothing, and CLEAR_STATE. */
void lull_pm4_clear_state(struct lull_pm4_builder *b);
/** NUM_INSTANCES, of the draws after it. */
void lull_pm4_instances(struct lull_pm4_builder *b, uint32_t n);
/** DRAW_INDEX_AUTO: vertices 0 to @p count - 1. */
void lull_pm4_draw(struct lull_pm4_builder *b, uint32_t count);
/** DISPATCH_MESH_DIRECT: a grid of workgroups of a mesh shader. */
void lull_pm4_draw_mesh(struct lull_pm4_builder *b, const uint32_t groups[3]);
/** DRAW_INDEX_2: @p count indices at @p va, where there are @p max. */
void lull_pm4_draw_indexed(struct lull_pm4_builder *b, uint64_t va, uint32_t max, uint32_t count);
/** EVENT_WRITE PS_PARTIAL_FLUSH: wait for the pixel waves of all draws so far. */
void lull_pm4_wait_pixels(struct lull_pm4_builder *b);
/** EVENT_WRITE CS_PARTIAL_FLUSH: wait for the waves of all dispatches so far. */
void lull_pm4_wait_waves(struct lull_pm4_builder *b);
/** ACQUIRE_MEM that invalidates the caches of shaders, instructions and scalars too. */
void lull_pm4_invalidate(struct lull_pm4_builder *b);
/** RELEASE_MEM: when all work so far is done, write 64-bit @p value at @p va (8-byte aligned). */
void lull_pm4_release(struct lull_pm4_builder *b, uint64_t va, uint64_t value);
/** WRITE_DATA: @p n dwords to @p va (4-byte aligned), write confirmed. */
void lull_pm4_write_data(struct lull_pm4_builder *b, uint64_t va, const uint32_t *values,
                         unsigned n);
/** WAIT_REG_MEM: until (dword at @p va & @p mask) == @p ref. */
void lull_pm4_wait_mem_equal(struct lull_pm4_builder *b, uint64_t va, uint32_t ref, uint32_t mask);
/** COPY_DATA: 64-bit GPU clock to @p va (8-byte aligned). */
void lull_pm4_copy_clock(struct lull_pm4_builder *b, uint64_t va);
/** DMA_DATA: fill @p nbytes (below 64 MiB, multiple of 4) with a dword, or copy them; then wait. */
void lull_pm4_dma_fill(struct lull_pm4_builder *b, uint64_t dst, uint32_t value, uint32_t nbytes);
void lull_pm4_dma_copy(struct lull_pm4_builder *b, uint64_t dst, uint64_t src, uint32_t nbytes);
/** INDIRECT_BUFFER; @p chain: go there and do not come back. */
void lull_pm4_indirect(struct lull_pm4_builder *b, uint64_t va, uint32_t ndwords, bool chain);
/** Fill with NOPs to a multiple of @p ndwords (the kernel asks for ib_size_alignment). */
void lull_pm4_pad(struct lull_pm4_builder *b, unsigned ndwords);

#endif
