// SPDX-License-Identifier: MIT
/** @file
 * What the parts of a walk know of each other. For src/capture/ only.
 */
#ifndef LULL_CAPTURE_WALK_H
#define LULL_CAPTURE_WALK_H

#include "capture/capture.h"
#include "hw/adreno_doms.h"

/** What packets do, so that no number of an opcode is needed. */
enum lull_cap_op {
    LULL_CAP_OP_NONE,
    LULL_CAP_OP_NOP,
    LULL_CAP_OP_IB,
    LULL_CAP_OP_CHAIN,
    LULL_CAP_OP_COND_IB,
    LULL_CAP_OP_DRAW_STATE,
    LULL_CAP_OP_MARKER,
    LULL_CAP_OP_RENDER_MODE,
    LULL_CAP_OP_THREAD,
    LULL_CAP_OP_COND_REG,
    LULL_CAP_OP_COND_EXEC,
    LULL_CAP_OP_LOAD,
    LULL_CAP_OP_REG_WRITE,
    LULL_CAP_OP_BUNCH,
    LULL_CAP_OP_BUNCH2,
    LULL_CAP_OP_RMW,
    LULL_CAP_OP_CONSTANT,
    LULL_CAP_OP_START_BIN,
    LULL_CAP_OP_TABLE,
    LULL_CAP_OP_CHECKPOINT,
    LULL_CAP_OP_EVENT,
    LULL_CAP_OP_BLIT,
    LULL_CAP_OP_OPENCL,
    LULL_CAP_OP_EXEC_CS,
    LULL_CAP_OP_EXEC_CS_INDIRECT,
    LULL_CAP_OP_DRAW_INDX,
    LULL_CAP_OP_DRAW_INDX_2,
    LULL_CAP_OP_DRAW_OFFSET,
    LULL_CAP_OP_DRAW_INDIRECT,
    LULL_CAP_OP_DRAW_INDX_INDIRECT,
    LULL_CAP_OP_DRAW_MULTI,
    LULL_CAP_OP_DRAW_AUTO,
};

/** Something is wrong at @p address (0: with the section that is being read). */
void lull_cap_problem(struct lull_cap *c, uint64_t address, const char *fmt, ...) LULL_PRINTF(3, 4);
void lull_cap_note(struct lull_cap *c, const char *fmt, ...) LULL_PRINTF(2, 3);

/** Dword @p i after the header; 0 beyond the end. */
static inline uint32_t lull_cap_arg(const struct lull_cap_packet *p, uint32_t i)
{
    return i + 1 < p->n ? p->words[i + 1] : 0;
}

/** Address at dword @p i: of two dwords from a5xx on. */
uint64_t lull_cap_arg_address(const struct lull_cap *c, const struct lull_cap_packet *p,
                              uint32_t i);

/** Part of @p w from dword @p from on. */
static inline struct lull_cap_words lull_cap_part(struct lull_cap_words w, uint32_t from,
                                                  uint32_t n)
{
    from = from < w.n ? from : w.n;
    n = n < w.n - from ? n : w.n - from;
    return (struct lull_cap_words){w.words + from, w.address + from * 4ull, n};
}

/* memory.c */

struct lull_error *lull_cap_add_buffer(struct lull_cap *c,
                                       const struct lull_rd_range *r) LULL_MUST_USE;
struct lull_error *lull_cap_fill_buffer(struct lull_cap *c,
                                        const struct lull_rd_section *s) LULL_MUST_USE;
void lull_cap_drop_buffers(struct lull_cap *c);

/* gpu.c */

struct lull_error *lull_cap_set_gpu(struct lull_cap *c, unsigned gen) LULL_MUST_USE;

/* walk.c */

void lull_cap_commands(struct lull_cap *c, struct lull_cap_words w);
/** Run a buffer of @p dwords at @p address for packet @p p. */
void lull_cap_run(struct lull_cap *c, const struct lull_cap_packet *p, struct lull_cap_call call);
/** The work of @p n dwords; false: there may be no more in this stream. */
bool lull_cap_work(struct lull_cap *c, uint64_t n);
/** The first register from @p from on that was written since the last draw, or ever (@p all);
 * LULL_CAP_REGS: none. */
uint32_t lull_cap_next(const struct lull_cap *c, bool all, uint32_t from);
/** @p n values for the registers from @p reg on. */
void lull_cap_write(struct lull_cap *c, uint32_t reg, const uint32_t *values, uint32_t n);

/* effects.c */

/** What a packet does. @p rest: the dwords after it in its buffer. @return How many of the rest are
 * done with; those that do nothing are *ret_dead. */
uint32_t lull_cap_effect(struct lull_cap *c, const struct lull_cap_packet *p,
                         struct lull_cap_words rest, uint32_t *ret_dead);

/* groups.c */

void lull_cap_set_groups(struct lull_cap *c, const struct lull_cap_packet *p);
/** Before a draw: run the groups that wait. */
void lull_cap_run_groups(struct lull_cap *c, const struct lull_cap_packet *p);
void lull_cap_marker(struct lull_cap *c, const struct lull_cap_packet *p);
void lull_cap_render_mode(struct lull_cap *c, const struct lull_cap_packet *p);
/** Dwords after a conditional packet that are not executed. */
uint32_t lull_cap_condition(struct lull_cap *c, const struct lull_cap_packet *p);

/* loads.c */

void lull_cap_load_state(struct lull_cap *c, const struct lull_cap_packet *p);

/* draws.c */

/** @return False: not a packet that draws, computes or copies. */
bool lull_cap_draw_packet(struct lull_cap *c, const struct lull_cap_packet *p, enum lull_cap_op op);

/* shaders.c */

/** The shader at @p address; false: nothing is known of it. */
bool lull_cap_shader_at(struct lull_cap *c, enum lull_cap_stage stage, uint64_t address,
                        struct lull_cap_shader *ret);
/** Fills d->shaders by the registers. */
void lull_cap_draw_shaders(struct lull_cap *c, struct lull_cap_draw *d);

#endif
