// SPDX-License-Identifier: MIT
/** @file
 * What the functions that gen/pm4 makes call. For src/adreno/stream/ and these functions only.
 */
#ifndef LULL_ADRENO_STREAM_EFFECTS_H
#define LULL_ADRENO_STREAM_EFFECTS_H

#include "adreno/stream/stream.h"

enum { LULL_AS_ROW_GROUPS = 1, LULL_AS_ROW_MESA = 2 };

/** A packet in data/adreno/pm4.sem. */
struct lull_as_row {
    const char *name;
    unsigned flags; ///< LULL_AS_ROW_*: groups of state run before; what cffdump takes it to do.
    void (*run)(struct lull_astream *s, const struct lull_apkt_args *p);
};

extern const struct lull_as_row lull_as_rows[];
extern const unsigned lull_as_nrows;

/* What is known */

uint64_t lull_as_address(const struct lull_astream *s);
struct lull_av lull_as_modes(const struct lull_astream *s);
struct lull_av lull_as_threads(const struct lull_astream *s);
/** May a loop go on? */
bool lull_as_busy(struct lull_astream *s);

/* Spaces */

struct lull_av lull_as_get_reg(struct lull_astream *s, struct lull_av at);
void lull_as_set_reg(struct lull_astream *s, struct lull_av at, struct lull_av v);
struct lull_av lull_as_get_mem(struct lull_astream *s, struct lull_av at);
void lull_as_set_mem(struct lull_astream *s, struct lull_av at, struct lull_av v);
struct lull_av lull_as_get_scratch(struct lull_astream *s, struct lull_av at);
void lull_as_set_scratch(struct lull_astream *s, struct lull_av at, struct lull_av v);
struct lull_av lull_as_get_chip(struct lull_astream *s, struct lull_av at);
void lull_as_set_chip(struct lull_astream *s, struct lull_av at, struct lull_av v);
struct lull_av lull_as_get_pred(struct lull_astream *s, struct lull_av at);
void lull_as_set_pred(struct lull_astream *s, struct lull_av at, struct lull_av v);
void lull_as_set_drawpred(struct lull_astream *s, struct lull_av at, struct lull_av v);

/* Conditions within a row */

enum lull_as_outcome lull_as_branch(struct lull_astream *s, struct lull_av condition);
void lull_as_begin(struct lull_astream *s, enum lull_as_outcome o);
void lull_as_end(struct lull_astream *s, enum lull_as_outcome o);

/* Verbs */

bool lull_as_do_need(struct lull_astream *s, uint32_t dwords);
void lull_as_do_text(struct lull_astream *s);
void lull_as_do_call(struct lull_astream *s, uint64_t address, uint32_t dwords);
void lull_as_do_call_if(struct lull_astream *s, struct lull_av condition, uint64_t address,
                        uint32_t dwords);
void lull_as_do_chain(struct lull_astream *s, uint64_t address, uint32_t dwords);
void lull_as_do_bins(struct lull_astream *s, uint32_t count, uint64_t prefix,
                     uint32_t prefix_dwords, uint32_t body_dwords);
void lull_as_do_table(struct lull_astream *s, uint64_t address, uint32_t stride, uint32_t dwords,
                      uint32_t count);
void lull_as_do_commands(struct lull_astream *s, uint32_t from);
void lull_as_do_exec(struct lull_astream *s, struct lull_av condition, uint32_t dwords);
void lull_as_do_mode(struct lull_astream *s, uint32_t mask, bool sure);
void lull_as_do_marker(struct lull_astream *s, uint32_t value);
void lull_as_do_render_mode(struct lull_astream *s, uint32_t value);
void lull_as_do_thread(struct lull_astream *s, uint32_t pipes);
void lull_as_do_group(struct lull_astream *s, const struct lull_as_group_of *g);
void lull_as_do_load(struct lull_astream *s, const struct lull_as_load *l);
void lull_as_do_draw(struct lull_astream *s, const struct lull_as_draw *d);
void lull_as_do_dispatch(struct lull_astream *s, const struct lull_as_draw *d);
void lull_as_do_blit(struct lull_astream *s, const struct lull_as_draw *d);
void lull_as_do_pixels(struct lull_astream *s, uint32_t event);
void lull_as_do_event(struct lull_astream *s, uint32_t event);
void lull_as_do_wait_idle(struct lull_astream *s);
void lull_as_do_wait_me(struct lull_astream *s);
void lull_as_do_wait_writes(struct lull_astream *s);
void lull_as_do_wait_other(struct lull_astream *s);
void lull_as_do_poll(struct lull_astream *s, uint32_t space, uint64_t address, uint32_t function,
                     uint32_t ref, uint32_t mask);

/* Between step.c and verbs.c */

static inline bool lull_as_told(const struct lull_astream *s, enum lull_as_what what)
{
    return (s->sink.deaf >> what & 1) == 0;
}

void lull_as_tell(struct lull_astream *s, struct lull_as_event e);
void lull_as_wrong(struct lull_astream *s, enum lull_as_problem kind, uint64_t address,
                   uint32_t dwords, uint32_t n);
/** Registers are written: told, and stored. */
void lull_as_write(struct lull_astream *s, uint32_t reg, const uint32_t *values, uint32_t n,
                   bool known);
/** What was written one after the other is told. */
void lull_as_flush(struct lull_astream *s);
/** A buffer is to be run after what the packet asked for before. */
void lull_as_enqueue(struct lull_astream *s, struct lull_as_call call);
/** The buffer in which the packet stands that is being done. */
struct lull_as_frame *lull_as_buffer(struct lull_astream *s);
struct lull_as_frame *lull_as_push_loop(struct lull_astream *s, enum lull_as_frame_kind kind);

#endif
