// SPDX-License-Identifier: MIT
#include "cli/hang/hang.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/code/code.h"
#include "drm/core/faultlog.h"
#include "hw/gc11_regs.h"
#include "hw/hwreg_regs.h"
#include "hw/terms.h"
#include "target/amd/live.h"

enum { MOST_WAVES = 8192, MOST_GROUPS = 256, SHOWN = 16, MOST_BOS = 4096, BEFORE = 3 };

/** Waves of one address space at one instruction. */
struct group {
    struct lull_wave_info first;
    unsigned n;
    bool trapped; ///< Some has an exception.
};

/** A dispatch that has not ended. */
static bool in_flight(const struct lull_dispatch_info *d)
{
    return d->phase == LULL_PHASE_RUNNING || d->phase == LULL_PHASE_HELD;
}

/** The newest dispatch that runs, in @p vmid or anywhere (adreno); false: none is known. */
static bool find_dispatch(const struct lull_hang_page *p, unsigned vmid,
                          struct lull_dispatch_info *ret)
{
    size_t n = 0;
    struct lull_error *err = p->t->ops->dispatches(p->t, 0, NULL, 0, &n);
    bool found = false;
    for (size_t i = n; err == NULL && !found && i-- > 0 && n - i < SHOWN;) {
        size_t rest = 0;
        err = p->t->ops->dispatches(p->t, i, ret, 1, &rest);
        found = err == NULL && in_flight(ret) && (p->adreno || ret->vmid == vmid);
    }
    lull_error_free(err); // a real kernel has no records
    return found;
}

/* Units and fault */

static void busy(struct lull_hang_page *p, uint32_t status)
{
    static const char end[] = "_BUSY";
    const struct lull_reg_entry *e = lull_reg_at(&lull_regs_gc11, 0, LULL_GC11_GRBM_STATUS);
    const struct lull_reg *reg = lull_reg_of(&lull_regs_gc11, e);
    lull_str_addf(p->out, "busy     ");
    for (unsigned i = 0; i < reg->nfields; i++) {
        const struct lull_field *f = &reg->fields[i];
        const size_t n = strlen(f->name);
        if (f->bits == 1 && (status >> f->lo & 1) != 0 && n > strlen(end) &&
            strcmp(f->name + n - strlen(end), end) == 0) {
            lull_str_addf(p->out, " %.*s", (int)(n - strlen(end)), f->name);
        }
    }
    lull_str_addf(p->out, "  (GRBM_STATUS 0x%08" PRIx32 ")\n", status);
}

/** What is mapped at, below and above @p va. */
static void mapped(struct lull_hang_page *p, uint64_t va)
{
    struct lull_bo_info *bos = calloc(MOST_BOS, sizeof *bos);
    const struct lull_bo_info *in = NULL, *below = NULL, *above = NULL;
    size_t n = 0;
    struct lull_error *err = bos == NULL ? &lull_enomem : p->t->ops->bos(p->t, bos, MOST_BOS, &n);
    for (size_t i = 0; err == NULL && i < n && i < MOST_BOS; i++) {
        const struct lull_bo_info *b = &bos[i];
        in = va - b->va < b->size ? b : in;
        below = b->va + b->size <= va && (below == NULL || b->va > below->va) ? b : below;
        above = b->va > va && (above == NULL || b->va < above->va) ? b : above;
    }
    if (in != NULL) {
        lull_str_addf(p->out, "          mapped: byte 0x%" PRIx64 " of 0x%" PRIx64 ", %s\n",
                      va - in->va, in->va, in->writable ? "writable" : "read-only");
    } else if (err == NULL) {
        lull_str_addf(p->out, "          nothing is mapped there");
        if (below != NULL) {
            lull_str_addf(p->out,
                          "; 0x%" PRIx64 " bytes past the end of what is mapped from 0x%" PRIx64,
                          va - below->va - below->size, below->va);
        }
        if (above != NULL) {
            lull_str_addf(p->out, "; 0x%" PRIx64 " bytes before 0x%" PRIx64, above->va - va,
                          above->va);
        }
        lull_str_addf(p->out, "\n");
    }
    lull_error_free(err);
    free(bos);
}

/** The last fault that the kernel has told of. */
static void fault(struct lull_hang_page *p)
{
    struct lull_cur text = lull_cur_of(p->log, strlen(p->log));
    struct lull_faultlog f = {0}, last = {0};
    while (lull_faultlog_next(&text, &f)) {
        last = f;
    }
    if (last.kind != LULL_FAULTLOG_AMD || !last.has_address) {
        return;
    }
    if (p->j != NULL) {
        lull_json_key(p->j, "fault");
        lull_json_open(p->j, '{');
        lull_json_put_hex(p->j, "address", last.address);
        lull_json_put_u64(p->j, "vmid", last.vmid);
        lull_json_put_str(p->j, "client", last.source);
        lull_json_put_bool(p->j, "write", last.dir == LULL_FAULTLOG_WRITE);
        lull_json_close(p->j, '}');
        return;
    }
    lull_str_addf(p->out, "fault     page 0x%" PRIx64 ", %s by %s, vmid %" PRIu32 "\n",
                  last.address, last.dir == LULL_FAULTLOG_WRITE ? "write" : "read", last.source,
                  last.vmid);
    lull_amd_live_select(p->t, last.vmid);
    mapped(p, last.address);
}

/* Waves */

static bool trapped(const struct lull_wave_info *w)
{
    return (w->trapsts & (LULL_HWREG_TRAPSTS__EXCP_MASK | LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK)) !=
               0 ||
           w->stop == LULL_STOP_MEMORY || w->stop == LULL_STOP_ILLEGAL;
}

static int by_place(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->trapped != y->trapped         ? (x->trapped ? -1 : 1)
           : x->first.vmid != y->first.vmid ? (x->first.vmid < y->first.vmid ? -1 : 1)
           : x->first.pc != y->first.pc     ? (x->first.pc < y->first.pc ? -1 : 1)
                                            : 0;
}

/** Waves that stand at the same instruction are one. */
static size_t group(const struct lull_wave_info *w, size_t n, struct group *ret)
{
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        size_t g = 0;
        while (g < groups && (ret[g].first.pc != w[i].pc || ret[g].first.vmid != w[i].vmid)) {
            g++;
        }
        if (g == groups && groups == MOST_GROUPS) {
            continue;
        }
        if (g == groups) {
            ret[groups++] = (struct group){.first = w[i]};
        }
        ret[g].n++;
        ret[g].trapped |= trapped(&w[i]);
    }
    qsort(ret, groups, sizeof *ret, by_place);
    return groups;
}

static void one_line(struct lull_hang_page *p, uint64_t va, uint64_t pc, uint64_t code)
{
    const struct lull_insn_print how = {0};
    struct lull_str text = {0};
    unsigned size = 0;
    struct lull_error *err = lull_code_text(p->t, va, how, &text, &size);
    const char *words = err != NULL ? lull_error_message(err) : lull_str_text(&text);
    lull_str_addf(p->out, "       %s 0x%012" PRIx64, va == pc ? "=>" : "  ", va);
    if (code != 0 && va >= code) {
        lull_str_addf(p->out, " code+0x%" PRIx64, va - code);
    }
    lull_str_addf(p->out, "  %s\n", words);
    lull_error_free(err);
    lull_str_free(&text);
}

static void group_text(struct lull_hang_page *p, const struct group *g)
{
    struct lull_dispatch_info d = {0};
    const struct lull_wave_info *w = &g->first;
    uint64_t before[BEFORE] = {0};
    lull_str_addf(p->out, "waves     %u", g->n);
    if (p->adreno) {
        lull_str_addf(p->out,
                      " (of 64 fibers), the first of workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32,
                      w->workgroup[0], w->workgroup[1], w->workgroup[2]);
    } else {
        lull_str_addf(p->out, ", vmid %u, the first se%u.sa%u.wgp%u.simd%u.%u", w->vmid, w->se,
                      w->sa, w->wgp, w->simd, w->slot);
        lull_amd_live_select(p->t, w->vmid);
    }
    const bool known = find_dispatch(p, w->vmid, &d) && w->pc >= d.code_va;
    if (known) {
        lull_str_addf(p->out, ", dispatch %" PRIu64 ", %" PRIu32 "x%" PRIu32 "x%" PRIu32 " groups",
                      d.number, d.grid[0], d.grid[1], d.grid[2]);
    }
    lull_str_addf(p->out, "%s\n", g->trapped ? ", with an exception" : "");
    if (w->stop == LULL_STOP_MEMORY && w->fault_known) {
        lull_str_addf(p->out, "          page fault: %s of 0x%" PRIx64 " by 0x%012" PRIx64 "\n",
                      w->fault_write ? "write" : "read", w->fault_va, w->fault_pc);
        mapped(p, w->fault_va);
    }
    const size_t n = known ? lull_code_before(p->t, d.code_va, w->pc, before, BEFORE) : 0;
    for (size_t i = 0; i < n; i++) {
        one_line(p, before[i], w->pc, d.code_va);
    }
    one_line(p, w->pc, w->pc, known ? d.code_va : 0);
}

static void group_json(struct lull_hang_page *p, const struct group *g)
{
    struct lull_dispatch_info d = {0};
    struct lull_str text = {0};
    const struct lull_insn_print how = {0};
    unsigned size = 0;
    if (!p->adreno) {
        lull_amd_live_select(p->t, g->first.vmid);
    }
    struct lull_error *err = lull_code_text(p->t, g->first.pc, how, &text, &size);
    lull_json_open(p->j, '{');
    lull_json_put_u64(p->j, "waves", g->n);
    lull_json_put_u64(p->j, "vmid", g->first.vmid);
    lull_json_put_hex(p->j, "pc", g->first.pc);
    lull_json_put_bool(p->j, "exception", g->trapped);
    lull_json_put_str(p->j, "instruction", err != NULL ? "" : lull_str_text(&text));
    if (find_dispatch(p, g->first.vmid, &d) && g->first.pc >= d.code_va) {
        lull_json_put_u64(p->j, "dispatch", d.number);
        lull_json_put_u64(p->j, "pid", d.pid);
        lull_json_put_hex(p->j, "offset", g->first.pc - d.code_va);
    }
    if (g->first.stop == LULL_STOP_MEMORY && g->first.fault_known) {
        lull_json_put_hex(p->j, "fault", g->first.fault_va);
        lull_json_put_hex(p->j, "fault_pc", g->first.fault_pc);
        lull_json_put_bool(p->j, "write", g->first.fault_write);
    }
    lull_json_close(p->j, '}');
    lull_error_free(err);
    lull_str_free(&text);
}

LULL_MUST_USE static struct lull_error *waves(struct lull_hang_page *p)
{
    struct lull_wave_info *infos = calloc(MOST_WAVES, sizeof *infos);
    struct group *groups = calloc(MOST_GROUPS, sizeof *groups);
    size_t n = 0;
    struct lull_error *err = infos == NULL || groups == NULL ? &lull_enomem
                             : p->adreno ? p->t->ops->waves(p->t, infos, MOST_WAVES, &n)
                                         : p->t->ops->running(p->t, infos, MOST_WAVES, &n);
    n = n < MOST_WAVES ? n : MOST_WAVES;
    const size_t ngroups = err == NULL ? group(infos, n, groups) : 0;
    if (p->j != NULL) {
        lull_json_key(p->j, "waves");
        lull_json_open(p->j, '[');
    } else if (err == NULL && n == 0) {
        lull_str_addf(p->out, "waves     none: no shader runs\n");
    }
    for (size_t i = 0; i < ngroups; i++) {
        if (p->j != NULL) {
            group_json(p, &groups[i]);
        } else if (i < SHOWN) {
            group_text(p, &groups[i]);
        }
    }
    if (p->j != NULL) {
        lull_json_close(p->j, ']');
    } else if (ngroups > SHOWN) {
        lull_str_addf(p->out, "          and waves at %zu other places\n", ngroups - SHOWN);
    }
    free(infos);
    free(groups);
    return err;
}

struct lull_error *lull_hang_page(struct lull_hang_page *p)
{
    struct lull_amd_live_state s = {0};
    struct lull_error *err = NULL;
    if (!p->adreno) {
        err = lull_amd_live_state(p->t, &s);
    }
    if (err == NULL && !p->adreno && p->j != NULL) {
        lull_json_put_hex(p->j, "grbm_status", s.grbm_status);
    } else if (err == NULL && !p->adreno) {
        busy(p, s.grbm_status);
    }
    if (err == NULL && !p->adreno) {
        fault(p);
    }
    return err != NULL ? err : waves(p);
}

void lull_hang_next_steps(struct lull_hang_page *p)
{
    const unsigned of = p->adreno ? LULL_TERM_ADRENO : LULL_TERM_AMD;
    const char *head = "next     ";
    if (p->j != NULL) {
        lull_json_key(p->j, "next");
        lull_json_open(p->j, '[');
    }
    for (const struct lull_term *t = lull_hang_next; t->word != NULL; t++) {
        if ((t->of & of) == 0) {
            continue;
        }
        if (p->j != NULL) {
            lull_json_open(p->j, '{');
            lull_json_put_str(p->j, "command", t->word);
            lull_json_put_str(p->j, "why", t->text);
            lull_json_close(p->j, '}');
        } else {
            lull_str_addf(p->out, "%s $ %s\n              %s\n", head, t->word, t->text);
            head = "         ";
        }
    }
    if (p->j != NULL) {
        lull_json_close(p->j, ']');
    }
}
