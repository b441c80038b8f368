// SPDX-License-Identifier: MIT
/** @file
 * What the parts that write about a crash dump share: text, JSON and one line. For
 * src/adreno/crash/ and src/adreno/resume/ only.
 */
#ifndef LULL_ADRENO_CRASH_CRASH_PAGE_H
#define LULL_ADRENO_CRASH_CRASH_PAGE_H

#include "adreno/crash/crash_pool.h"
#include "adreno/crash/crash_walk.h"
#include "base/json.h"
#include "isa/afuc/afuc.h"

struct lull_page {
    const struct lull_crash *k;
    const struct lull_crash_look *look;
    const struct lull_crash_moment *m; ///< Where the GPU was, or where the ring ended.
    const char *commands;              ///< The command stream in words; NULL: not wanted.
    struct lull_str *out;
    struct lull_json j;
};

extern const char *const lull_page_stages[LULL_CRASH_PROGRAMS];

/** RBBM_STATUS as the registers or the head say. */
bool lull_page_status(const struct lull_crash *k, uint32_t *ret);
/** "CP VFD": what is busy. @p skip: this one not; NULL: none. @return How many. */
unsigned lull_page_units(const struct lull_crash *k, const char *between, const char *skip,
                         struct lull_str *out);
/** "CP_DRAW_INDX", "write RB_CNTL", "no packet". */
void lull_page_packet(const struct lull_crash *k, uint32_t header, struct lull_str *out);
bool lull_page_is_packet(const struct lull_crash *k, uint32_t header);
/** What a packet says, field by field: "A = 1, B = 2"; nothing if that is not known. */
void lull_page_fields(const struct lull_crash *k, const struct lull_crash_step *s,
                      struct lull_str *out);
/** The packet that the GPU was in, or the one that was next if that is not known. */
const struct lull_crash_step *lull_page_culprit(const struct lull_page *p);
/** The packet that it was in is the one that had not been read to its end. */
bool lull_page_in_is_at(const struct lull_page *p);
/** Up to @p most packets that matter before the culprit, the newest first. @return How many. */
unsigned lull_page_before(const struct lull_page *p, unsigned most,
                          const struct lull_crash_step **ret);

enum { LULL_PAGE_BEFORE = 8 };

/** Where a part of the GPU is, by the register writes on their way to it. */
struct lull_page_cluster {
    const char *name;
    unsigned waiting;     ///< Draws, blits, dispatches and events that it has not done.
    struct lull_str head; ///< The oldest of them, by its register.
    bool found;
    struct lull_crash_step at; ///< The packet that it belongs to.
    unsigned back;             ///< Draws, blits, dispatches and events since then.
};
/** Cluster @p q; false: nothing is on its way to it, or the dump does not say. */
bool lull_page_cluster(const struct lull_page *p, unsigned q, struct lull_page_cluster *ret);
/** How sure the place is, and why. */
const char *lull_page_sure(const struct lull_page *p);
/** How the place was come by, as a sum; nothing if it is not known. */
void lull_page_how(const struct lull_page *p, struct lull_str *out);
/** What the GPU waits for. */
void lull_page_waits(const struct lull_page *p, struct lull_str *out);
/** Its code; n 0: not in the dump. */
struct lull_cff_words lull_page_code(const struct lull_crash *k,
                                     const struct lull_crash_program *program);
/** A number that is the same for the same code; false: it is not in the dump. */
bool lull_page_hash(const struct lull_crash *k, const struct lull_crash_program *program,
                    uint64_t *ret);
/** Dwords between rptr and wptr. */
uint64_t lull_page_unfetched(const struct lull_crash_ring *r);
/** The block of the dump called @p name; NULL: there is none with data. */
const struct lull_store_block *lull_page_block(const struct lull_crash *k,
                                               enum lull_store_kind kind, const char *name);
const struct lull_dom_index *lull_page_index(const struct lull_crash *k,
                                             const struct lull_store_block *b);
/** A register with its other half, if it has one and that is there. @return Dwords used. */
size_t lull_page_register(const struct lull_crash *k, const struct lull_store_block *b, size_t i,
                          struct lull_str *name, struct lull_str *text, uint64_t *value);
/** Messages of the dump's gmu-hfi; false: it has none. */
bool lull_page_hfi(const struct lull_crash *k, struct lull_hfi *ret);
/** Firmware section of the processor whose state is called @p name: 0 SQE, 1 BV, 2 LPAC; -1: it is
 * no state of a processor. */
int lull_page_processor(const char *name);
/** Time of the dump as a date in UTC; "" if it is none. */
void lull_page_date(const struct lull_crash *k, char *ret, size_t room);

/** Go through @p s, and call @p with what is known then. */
struct lull_error *lull_page_run(struct lull_stream *s, const struct lull_crash_look *look,
                                 struct lull_str *out,
                                 struct lull_error *(*with)(struct lull_page *p, void *ctx),
                                 void *ctx) LULL_MUST_USE;

/* crash_page.c */

/** All that the page says. */
void lull_page_text(struct lull_page *p);
/** Of it the lines on the SQE: its PC, and what is there. */
void lull_page_sqe(struct lull_page *p);

/* crash_signature.c */

/** No address and no time is in it, so that the same crash gives the same line. */
void lull_page_signature(const struct lull_page *p, struct lull_str *out);

/* crash_show.c */

void lull_page_sections(struct lull_page *p);

/* crash_json.c */

void lull_page_json(struct lull_page *p);

#endif
