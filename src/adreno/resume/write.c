// SPDX-License-Identifier: MIT
// Packets that put state back: registers, what packets had loaded and set besides, predicates, and
// groups of draw state, which run when the next draw does.
#include <stdlib.h>
#include <string.h>

#include "adreno/resume/parts.h"
#include "base/cleanup.h"
#include "cmd/adreno_build.h"
#include "cmd/adreno_pm4.h"
#include "hw/adreno_pkts.h"

enum { MOST_WRITE = 0x7f, BR = 0, BV = 1, BOTH = 3 };

static void put(struct lull_str *out, const uint32_t *words, size_t n)
{
    lull_str_add(out, (const char *)words, n * sizeof *words);
}

static void put_built(struct lull_str *out, struct lull_abuild *b)
{
    put(out, b->words, b->n);
    if (out->err == NULL) {
        out->err = b->err;
        b->err = NULL;
    }
    lull_abuild_done(b);
}

static bool written(const struct lull_resume_state *st, unsigned pipe, uint32_t reg)
{
    const struct lull_as_regs *r = &st->s.regs[pipe];
    const bool has = (r->known[reg / 64] >> reg % 64 & 1) != 0;
    return has && (pipe == BR || r->v[reg] != st->s.regs[BR].v[reg] ||
                   (st->s.regs[BR].known[reg / 64] >> reg % 64 & 1) == 0);
}

/** Those of a pipe that follow each other by one packet. */
static void registers(const struct lull_resume_state *st, unsigned pipe, struct lull_str *out)
{
    for (uint32_t reg = 0; reg < LULL_AS_REGS;) {
        uint32_t n = 0;
        while (n < MOST_WRITE && reg + n < LULL_AS_REGS && written(st, pipe, reg + n)) {
            n++;
        }
        if (n != 0) {
            const uint32_t header = lull_apkt_write_header(reg, n);
            put(out, &header, 1);
            put(out, st->s.regs[pipe].v + reg, n);
        }
        reg += n != 0 ? n : 1;
    }
}

static void thread(const struct lull_resume_state *st, uint32_t pipes, struct lull_str *out)
{
    struct lull_abuild b = {.gen = st->s.gen};
    (void)lull_abuild_packet(&b, "CP_THREAD_CONTROL", 1,
                             LULL_ABUILD_SET(lull_anumber("THREAD", pipes)));
    put_built(out, &b);
}

static void predicates(const struct lull_resume_state *st, struct lull_str *out)
{
    struct lull_abuild b = {.gen = st->s.gen};
    if (st->s.predicates_known != 0) {
        (void)lull_abuild_packet(&b, "CP_REG_TEST", 3,
                                 LULL_ABUILD_SET(lull_anumber("PRED_UPDATE", 1),
                                                 lull_anumber("PRED_MASK", st->s.predicates_known),
                                                 lull_anumber("PRED_VAL", st->s.predicates)));
    }
    put_built(out, &b);
}

static void groups(const struct lull_resume_state *st, struct lull_str *out)
{
    for (unsigned i = 0; i < LULL_AS_GROUPS; i++) {
        if ((st->s.has_group >> i & 1) != 0) {
            const uint32_t header =
                lull_apkt_op_header(LULL_PKT_CP_SET_DRAW_STATE, LULL_RESUME_GROUP_DWORDS);
            put(out, &header, 1);
            put(out, st->groups[i], LULL_RESUME_GROUP_DWORDS);
        }
    }
}

static int by_order(const void *a, const void *b)
{
    const struct lull_resume_packet *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/** In the order in which they ran last. */
static void packets(const struct lull_resume_state *st, struct lull_str *out)
{
    lull_cleanup(lull_freep) struct lull_resume_packet *all = calloc(st->npackets + 1, sizeof *all);
    size_t n = 0;
    if (all == NULL) {
        out->err = out->err != NULL ? out->err : &lull_enomem;
        return;
    }
    for (size_t i = 0; st->packets != NULL && i < LULL_RESUME_PLACES; i++) {
        if (st->packets[i].words != NULL) {
            all[n++] = st->packets[i];
        }
    }
    qsort(all, n, sizeof *all, by_order);
    for (size_t i = 0; i < n; i++) {
        put(out, all[i].words, all[i].n);
    }
}

struct lull_error *lull_resume_write(const struct lull_resume_state *st, uint32_t **ret,
                                     size_t *ret_n)
{
    struct lull_str out = {0};
    if (st->s.thread != 0) {
        thread(st, BOTH, &out);
    }
    registers(st, BR, &out);
    if (st->s.thread != 0) {
        thread(st, LULL_AS_BV, &out);
        registers(st, BV, &out);
        thread(st, st->s.thread, &out);
    }
    packets(st, &out);
    predicates(st, &out);
    groups(st, &out);
    struct lull_error *err = out.err;
    out.err = NULL;
    uint32_t *words = err == NULL ? malloc(out.size + sizeof *words) : NULL;
    if (err == NULL && words == NULL) {
        err = &lull_enomem;
    }
    if (err == NULL) {
        memcpy(words, lull_str_text(&out), out.size);
        *ret = words;
        *ret_n = out.size / sizeof *words;
    }
    lull_str_free(&out);
    return err;
}
