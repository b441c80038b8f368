// SPDX-License-Identifier: MIT
#include "check/hazards.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/hazards_priv.h"
#include "hw/hwreg_regs.h"

enum { MAX_FOUND = 65536, FIRST_WAVES = 256 };

struct lull_hazards {
    struct lull_observer observer; // First.
    struct lull_haz_wave **waves;  // Open addressing by their address; room is a power of 2.
    size_t nwaves, room;
    struct lull_hazard *found;
    size_t nfound, found_room;
    uint64_t lost;
    const struct lull_rdna_insn *in; // Being executed, for access().
};

LULL_MUST_USE static struct lull_error *grow(struct lull_hazards *h)
{
    const size_t room = h->room != 0 ? 2 * h->room : FIRST_WAVES;
    struct lull_haz_wave **waves = calloc(room, sizeof *waves);
    if (waves == NULL) {
        return &lull_enomem;
    }
    struct lull_haz_wave **old = h->waves;
    const size_t old_room = h->room;
    h->waves = waves;
    h->room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i] != NULL) {
            size_t at = (uintptr_t)old[i]->key / 64 & (room - 1);
            while (waves[at] != NULL) {
                at = (at + 1) & (room - 1);
            }
            waves[at] = old[i];
        }
    }
    free(old);
    return NULL;
}

struct lull_error *lull_hazards_new(struct lull_hazards **ret)
{
    struct lull_hazards *h = calloc(1, sizeof *h);
    struct lull_error *err = h == NULL ? &lull_enomem : grow(h);
    if (err != NULL) {
        free(h);
        return err;
    }
    *ret = h;
    return NULL;
}

void lull_hazards_free(struct lull_hazards *h)
{
    if (h == NULL) {
        return;
    }
    for (size_t i = 0; i < h->room; i++) {
        free(h->waves[i]);
    }
    free(h->waves);
    free(h->found);
    free(h);
}

static void start(struct lull_haz_wave *s, const struct lull_wave *w)
{
    *s = (struct lull_haz_wave){.key = w, .wg = w->wg};
    memcpy(s->group, w->wg->id, sizeof s->group);
}

// What is known of a wave; a new wave in the slot of an old one starts anew. NULL: no memory.
static struct lull_haz_wave *state_of(struct lull_hazards *h, const struct lull_wave *w)
{
    size_t at = (uintptr_t)w / 64 & (h->room - 1);
    while (h->waves[at] != NULL && h->waves[at]->key != w) {
        at = (at + 1) & (h->room - 1);
    }
    struct lull_haz_wave *s = h->waves[at];
    if (s == NULL) {
        s = calloc(1, sizeof *s);
        if (s == NULL) {
            h->lost++;
            return NULL;
        }
        start(s, w);
        h->waves[at] = s;
        struct lull_error *err = 2 * ++h->nwaves > h->room ? grow(h) : NULL;
        if (err != NULL && h->nwaves + 1 >= h->room) {
            h->lost++; // The table must keep a free place, or the search would not end.
            h->waves[at] = NULL;
            h->nwaves--;
            free(s);
            s = NULL;
        }
        lull_error_free(err);
    } else if (s->ninsns > w->ninsns || s->wg != w->wg ||
               memcmp(s->group, w->wg->id, sizeof s->group) != 0) {
        start(s, w);
    }
    return s;
}

// The finding of that kind at that place, new or not. NULL: lost.
static struct lull_hazard *finding(struct lull_hazards *h, enum lull_hazard_kind kind,
                                   const struct lull_wave *w, const struct lull_rdna_insn *in)
{
    for (size_t i = 0; i < h->nfound; i++) {
        struct lull_hazard *f = &h->found[i];
        if (f->kind == kind && f->pc == w->pc && f->vmid == w->vm->vmid && f->in.op == in->op) {
            return f;
        }
    }
    if (h->nfound == h->found_room && h->nfound < MAX_FOUND) {
        const size_t room = 2 * h->found_room + 16;
        struct lull_hazard *more = realloc(h->found, room * sizeof *more);
        if (more != NULL) {
            h->found = more;
            h->found_room = room;
        }
    }
    if (h->nfound == h->found_room) {
        h->lost++;
        return NULL;
    }
    struct lull_hazard *f = &h->found[h->nfound++];
    *f = (struct lull_hazard){.kind = kind,
                              .pc = w->pc,
                              .vmid = w->vm->vmid,
                              .in = *in,
                              .reg = LULL_RDNA_NONE,
                              .hw_id1 = w->hw_id1,
                              .wave_size = w->lanes};
    memcpy(f->group, w->wg->id, sizeof f->group);
    return f;
}

void lull_haz_found(const struct lull_haz_now *n, enum lull_hazard_kind kind, unsigned reg,
                    uint64_t cause)
{
    struct lull_hazard *f = finding(n->h, kind, n->w, n->in);
    if (f != NULL) {
        if (f->count == 0) {
            f->reg = (uint16_t)reg;
            f->cause = cause;
        }
        f->count++;
        f->lanes |= lull_haz_exec(n->w);
    }
}

static void before(struct lull_observer *o, const struct lull_observed *at)
{
    struct lull_hazards *h = (struct lull_hazards *)o;
    const struct lull_wave *w = at->wave;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)at->insn;
    h->in = in;
    if ((w->status & LULL_HWREG_STATUS__PRIV_MASK) != 0) {
        return; // A trap handler is not the program's.
    }
    struct lull_haz_now n = {.h = h, .w = w, .in = in, .info = lull_rdna_info(in)};
    n.s = state_of(h, w);
    if (n.s == NULL) {
        return;
    }
    n.s->ninsns = w->ninsns;
    n.nuses = lull_rdna_uses(in, w->lanes, n.uses);
    lull_haz_wait(&n);
    lull_haz_rules(&n);
    if (in->op == LULL_RDNA_OP_V_READFIRSTLANE_B32 && lull_haz_exec(w) == 0) {
        lull_haz_found(&n, LULL_HAZARD_EXEC_0, LULL_RDNA_NONE, 0);
    }
    if (lull_haz_is(&n, LULL_RDNA_F_END)) {
        start(n.s, w);
    }
}

static void access(struct lull_observer *o, const struct lull_observed *seen, unsigned lane,
                   uint64_t address, size_t size, int store)
{
    const struct lull_wave *w = seen->wave;
    struct lull_hazards *h = (struct lull_hazards *)o;
    (void)store;
    const uint64_t at = address - w->vm->shared_base;
    const bool lds = h->in != NULL &&
                     (h->in->enc == LULL_RDNA_DS || h->in->enc == LULL_RDNA_FLAT) &&
                     address >= w->vm->shared_base && at <= UINT32_MAX;
    if (!lds || at + size <= w->wg->lds_size || (w->status & LULL_HWREG_STATUS__PRIV_MASK) != 0) {
        return;
    }
    struct lull_hazard *f = finding(h, LULL_HAZARD_LDS_RANGE, w, h->in);
    if (f != NULL) {
        if (f->count == 0) {
            f->address = at;
            f->limit = w->wg->lds_size;
        }
        f->count++;
        f->lanes |= UINT64_C(1) << lane;
    }
}

struct lull_observer *lull_hazards_observer(struct lull_hazards *h)
{
    h->observer = (struct lull_observer){.before = before, .access = access};
    return &h->observer;
}

size_t lull_hazards_count(const struct lull_hazards *h)
{
    return h->nfound;
}

const struct lull_hazard *lull_hazards_at(const struct lull_hazards *h, size_t i)
{
    return &h->found[i];
}

uint64_t lull_hazards_lost(const struct lull_hazards *h)
{
    return h->lost;
}

const char *lull_hazard_name(enum lull_hazard_kind kind)
{
    static const char *const names[LULL_HAZARD_KINDS] = {
        [LULL_HAZARD_WAIT_READ] = "wait-read",
        [LULL_HAZARD_WAIT_WRITE] = "wait-write",
        [LULL_HAZARD_TRANS_USE] = "trans-use",
        [LULL_HAZARD_PARTIAL_FORWARD] = "partial-forward",
        [LULL_HAZARD_CMPX_PERMLANE] = "cmpx-permlane",
        [LULL_HAZARD_MATRIX] = "matrix",
        [LULL_HAZARD_LDS_DIRECT] = "lds-direct",
        [LULL_HAZARD_MASK_WRITE] = "mask-write",
        [LULL_HAZARD_EXEC_0] = "exec-0",
        [LULL_HAZARD_LDS_RANGE] = "lds-range",
    };
    return kind < LULL_HAZARD_KINDS ? names[kind] : "?";
}

static void add_reg(unsigned reg, struct lull_str *out)
{
    if (reg >= LULL_RDNA_VGPR0) {
        lull_str_addf(out, "v%u", reg - LULL_RDNA_VGPR0);
    } else if (reg == LULL_RDNA_VCC || reg == LULL_RDNA_VCC + 1) {
        lull_str_addf(out, "vcc_%s", reg == LULL_RDNA_VCC ? "lo" : "hi");
    } else if (reg == LULL_RDNA_EXEC || reg == LULL_RDNA_EXEC + 1) {
        lull_str_addf(out, "exec_%s", reg == LULL_RDNA_EXEC ? "lo" : "hi");
    } else if (reg == LULL_RDNA_M0) {
        lull_str_addf(out, "m0");
    } else if (reg >= LULL_RDNA_TTMP0 && reg < LULL_RDNA_NULL) {
        lull_str_addf(out, "ttmp%u", reg - LULL_RDNA_TTMP0);
    } else {
        lull_str_addf(out, "s%u", reg);
    }
}

// %R is the register, %C the address of the cause.
static const char *const sentences[LULL_HAZARD_KINDS] = {
    [LULL_HAZARD_WAIT_READ] =
        "reads %R, which the instruction at %C has yet to write: s_waitcnt is missing",
    [LULL_HAZARD_WAIT_WRITE] =
        "writes %R, which the instruction at %C may write later: s_waitcnt is missing",
    [LULL_HAZARD_TRANS_USE] = "uses %R of the transcendental instruction at %C too early: "
                              "s_waitcnt_depctr depctr_va_vdst(0) is missing",
    [LULL_HAZARD_PARTIAL_FORWARD] =
        "reads %R, written before EXEC changed at %C, and a register written after: "
        "s_waitcnt_depctr depctr_va_vdst(0) is missing",
    [LULL_HAZARD_CMPX_PERMLANE] =
        "follows the v_cmpx at %C: a VALU instruction between, but v_nop, is missing",
    [LULL_HAZARD_MATRIX] = "reads %R of the matrix instruction at %C at once: v_nop is missing",
    [LULL_HAZARD_LDS_DIRECT] = "writes %R, which the instruction at %C may still use: wait_vdst or "
                               "s_waitcnt_depctr is missing",
    [LULL_HAZARD_MASK_WRITE] =
        "reads %R, written at %C under a VALU instruction that uses it as a mask: "
        "s_waitcnt_depctr depctr_sa_sdst(0) is missing",
    [LULL_HAZARD_EXEC_0] = "no lane is on (EXEC is 0): lane 0 is read",
    [LULL_HAZARD_LDS_RANGE] = "outside of the workgroup's LDS: reads give 0, writes do nothing",
};

void lull_hazard_text(const struct lull_hazard *h, struct lull_str *out)
{
    for (const char *p = sentences[h->kind]; *p != '\0'; p++) {
        if (p[0] == '%' && p[1] == 'R') {
            add_reg(h->reg, out);
            p++;
        } else if (p[0] == '%' && p[1] == 'C') {
            lull_str_addf(out, "0x%" PRIx64, h->cause);
            p++;
        } else {
            lull_str_addf(out, "%c", *p);
        }
    }
    if (h->kind == LULL_HAZARD_LDS_RANGE) {
        lull_str_addf(out, "; byte 0x%" PRIx64 " of %u", h->address, h->limit);
    }
}
