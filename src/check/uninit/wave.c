// SPDX-License-Identifier: MIT
#include "check/uninit/wave.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/objects.h"
#include "check/origin.h"
#include "isa/rdna/regs.h"

char *lull_uninit_local_text(const struct lull_check_now *n, uint64_t place)
{
    struct lull_str s = {0};
    lull_check_place(n->config, true, place, 4, &s);
    char *text = lull_check_text("loads %s, which no work-item had written",
                                 s.err == NULL ? lull_str_text(&s) : "local memory");
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

uint32_t lull_uninit_origin(const struct lull_check_now *n, enum lull_uninit_where where,
                            unsigned lane, char *does)
{
    const uint32_t there = lull_origin_find(n->own, n->at->pc, where);
    if (there != 0) {
        free(does);
        return there;
    }
    lull_check_keep_insn(n);
    return lull_origin_add(n->own, n, n->at->pc, where, lane, does);
}

static char *read_text(const struct lull_check_now *n, enum lull_uninit_where where, uint64_t place)
{
    if (where == LULL_WHERE_LOCAL) {
        return lull_uninit_local_text(n, place);
    }
    if (where == LULL_WHERE_SCRATCH) {
        return lull_check_text(
            "loads byte 0x%" PRIx64 " of its scratch memory, which it did not write", place);
    }
    if (where == LULL_WHERE_MEMORY) {
        return lull_check_text("loads from address 0x%" PRIx64
                               ", in a page that neither the host nor the GPU ever wrote",
                               place);
    }
    if (where == LULL_WHERE_LANE) {
        return lull_check_text("reads the value of lane %" PRIu64 ", which is off", place);
    }
    return place < LULL_RDNA_VGPR0
               ? lull_check_text("reads s%" PRIu64 ", which nothing wrote", place)
               : lull_check_text("reads v%" PRIu64 ", which nothing wrote",
                                 place - LULL_RDNA_VGPR0);
}

/** At the instruction at hand: new, or it was there. @p place: register by operand number; byte;
 * lane; address. */
uint32_t lull_uninit_origin_here(const struct lull_check_now *n, enum lull_uninit_where where,
                                 uint64_t place, unsigned lane)
{
    const uint32_t there = lull_origin_find(n->own, n->at->pc, where);
    return there != 0 ? there : lull_uninit_origin(n, where, lane, read_text(n, where, place));
}

/** Of @p reg, of any kind. NULL: it has none. */
uint32_t *lull_uninit_origin_of(struct lull_uninit_wave *w, unsigned reg)
{
    return reg < LULL_TWIN_SGPRS  ? &w->s[reg]
           : reg == LULL_RDNA_SCC ? &w->scc
           : reg >= LULL_RDNA_VGPR0 && reg - LULL_RDNA_VGPR0 < LULL_TWIN_VGPRS
               ? &w->v[reg - LULL_RDNA_VGPR0]
               : NULL;
}

/** Whether register @p reg differs where the instruction at hand reads it, of which it then is the
 * origin if the value has none. */
uint64_t lull_uninit_reads(const struct lull_check_now *n, struct lull_uninit_wave *w, unsigned reg)
{
    uint32_t *origin = lull_uninit_origin_of(w, reg);
    if (origin == NULL || !lull_twin_dirty(w->twin, reg)) {
        return 0;
    }
    const bool vgpr = reg >= LULL_RDNA_VGPR0;
    uint64_t lanes = lull_twin_differs(w->twin, reg);
    lanes &= vgpr ? n->at->active : 1;
    if (lanes != 0 && *origin == 0) {
        *origin =
            lull_uninit_origin_here(n, LULL_WHERE_REGISTER, reg, (unsigned)__builtin_ctzll(lanes));
    }
    if (lanes != 0 && w->from == 0) {
        w->from = *origin;
    }
    return lanes;
}
