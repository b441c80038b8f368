// SPDX-License-Identifier: MIT
// Watchpoints: TCP_WATCH0 to 3 compare the addresses of vector memory instructions. An observer of
// the waves that is there only while one of them is valid, so memory is not slower without.
//
// Chosen where hardware has not been asked: an access hits if any of its bytes lies in a watched
// block of 128 bytes; the instruction is done before the trap; accesses of the trap handler do not
// hit. Scratch instructions and LDS are not watched. Source: Linux kfd_dbg.c and
// amdgpu_amdkfd_gfx_v11.c (what the fields are written with), ROCdbgapi architecture.cpp.
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_spi.h"
#include "model/amd/mem/mem.h"

enum {
    BLOCK_SHIFT = 7,
    MASK_BITS = 23, // of TCP_WATCHn_CNTL.MASK: address bits 29 to 7
    ADDRESS_BITS = 48,
    EXCP_WATCH0 = 1 << 7, // of TRAPSTS.EXCP and MODE.EXCP_EN
};

static struct lull_gpu_tcp *tcp_of(struct lull_observer *o)
{
    return (struct lull_gpu_tcp *)o;
}

/** Does the mode of a watch want what @p kind does? */
static bool mode_wants(uint32_t mode, enum lull_mem_kind kind)
{
    switch (mode) {
    case LULL_GC11_TCP_WATCH_CNTL__MODE__READ:
        return kind == LULL_MEM_LOAD;
    case LULL_GC11_TCP_WATCH_CNTL__MODE__NONREAD:
        return kind != LULL_MEM_LOAD;
    case LULL_GC11_TCP_WATCH_CNTL__MODE__ATOMIC:
        return kind != LULL_MEM_LOAD && kind != LULL_MEM_STORE;
    default:
        return true;
    }
}

static bool hits(const struct lull_gpu_tcp_watch *t, uint64_t address, size_t size)
{
    const uint64_t all = (UINT64_C(1) << (ADDRESS_BITS - BLOCK_SHIFT)) - 1;
    const uint64_t first = address >> BLOCK_SHIFT & all;
    const uint64_t last = (address + size - 1) >> BLOCK_SHIFT & all;
    for (uint64_t block = first; block <= last; block++) {
        if (((block ^ t->block) & t->mask) == 0) {
            return true;
        }
    }
    return false;
}

static void access(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                   uint64_t address, size_t size, int store)
{
    struct lull_gpu_tcp *tcp = tcp_of(o);
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)at->insn;
    const struct lull_wave *w = at->wave;
    struct lull_gpu_slot *s = w->owner;
    (void)lane;
    (void)store;
    if (at->handler || in->enc == LULL_RDNA_SMEM || in->enc == LULL_RDNA_DS) {
        return;
    }
    const enum lull_mem_kind kind = (enum lull_mem_kind)lull_mem_ops[in->op].kind;
    uint32_t bits = 0;
    for (unsigned i = 0; i < LULL_TCP_WATCHES; i++) {
        const struct lull_gpu_tcp_watch *t = &tcp->watch[i];
        if (t->valid && t->vmid == w->vm->vmid && mode_wants(t->mode, kind) &&
            hits(t, address, size)) {
            bits |= i == 0 ? lull_field_put(EXCP_WATCH0, LULL_HWREG_TRAPSTS__EXCP_MASK)
                           : lull_field_put(1u << (i - 1), LULL_HWREG_TRAPSTS__EXCP_HI_MASK);
        }
    }
    s->w.trapsts |= bits;
    if (bits != 0 && (lull_field(w->mode, LULL_HWREG_MODE__EXCP_EN_MASK) & EXCP_WATCH0) != 0) {
        s->w.pending |= LULL_TRAP_EXCEPTION;
    }
}

/** Scalar registers that the launch of a dispatch writes, from s0 on. */
static unsigned sgprs_of(const struct lull_work *d)
{
    const uint32_t asked = d->rsrc2 & (LULL_GC11_COMPUTE_PGM_RSRC2__TGID_X_EN_MASK |
                                       LULL_GC11_COMPUTE_PGM_RSRC2__TGID_Y_EN_MASK |
                                       LULL_GC11_COMPUTE_PGM_RSRC2__TGID_Z_EN_MASK |
                                       LULL_GC11_COMPUTE_PGM_RSRC2__TG_SIZE_EN_MASK);
    return lull_field(d->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK) +
           (unsigned)__builtin_popcount(asked);
}

void lull_gpu_tell_all(struct lull_gpu *g, const struct lull_gpu_slot *s, unsigned index,
                       bool starts)
{
    const struct lull_gpu_group *group = s->group;
    const struct lull_work *d = group->work;
    const bool draw = d->kind != LULL_WORK_COMPUTE;
    uint32_t places[LULL_LANES][2] = {{0}};
    struct lull_observed at;
    lull_wave_seen(&s->w, NULL, &at);
    struct lull_observed_wave w = {
        .arch = at.arch,
        .wave = at.wave,
        .group = at.group,
        .dispatch = (uint64_t)(d->ring - g->rings) << 32 | d->index,
        .launch = d->id,
        .draw = draw && g->watcher.draw != NULL ? g->draw_id : UINT64_MAX,
        .index = index,
        .nwaves = group->nslots,
        .lanes = s->w.lanes,
        .launched = at.active,
        .space = at.space,
        .place = at.place,
        .sgprs = draw ? UINT32_MAX : sgprs_of(d),
        .code = starts ? s->w.pc : 0,
        .killed = !starts && s->w.state != LULL_WAVE_ENDED,
    };
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t id = group->wg.id[i];
        w.workgroup[i] = id;
        w.full[i] = d->full[i];
        w.items[i] = id + 1 == d->end[i] ? d->last[i] : d->full[i];
    }
    if (draw && lull_gfx_lanes(g, group, index, &s->w, &w.stage, places)) {
        w.at = (const uint32_t(*)[2])places;
    }
    for (struct lull_observer *o = lull_gpu_observer(g); o != NULL; o = o->next) {
        void (*tell)(struct lull_observer *, const struct lull_observed_wave *) =
            starts ? o->starts : o->ends;
        if (tell != NULL) {
            tell(o, &w);
        }
    }
}

/** Registers with which somebody wants to trap or stop waves. */
static bool traps(const struct lull_gpu *g)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < LULL_NVMID; i++) {
        any |= g->per_vmid[i].tba_lo | g->per_vmid[i].tba_hi | g->per_vmid[i].gdbg;
    }
    return any != 0;
}

bool lull_gpu_unseen(const struct lull_gpu *g)
{
    return g->config.seed == 0 && g->config.order == NULL && g->observer == NULL && !g->tcp.any &&
           g->written == NULL && g->trace == NULL && g->stop_at == UINT64_MAX && g->ntrapped == 0 &&
           !g->commanded && g->aim.kind == LULL_GPU_AIM_OFF && !traps(g);
}

void lull_gpu_reobserve(struct lull_gpu *g)
{
    if (g->written != NULL) {
        lull_written_chain(g->written, g->observer);
    }
    g->tcp.o = (struct lull_observer){.access = access, .next = lull_gpu_watching(g)};
    if (g->trace != NULL) {
        g->trace->o.next = g->tcp.any ? &g->tcp.o : lull_gpu_watching(g);
    }
    for (unsigned i = lull_gpu_next_wave(g, 0); i < g->nslots; i = lull_gpu_next_wave(g, i + 1)) {
        lull_wave_observe(&g->slots[i].w, lull_gpu_observer(g));
    }
}

void lull_gpu_tcp_written(struct lull_gpu *g)
{
    const bool before_any = g->tcp.any;
    g->tcp.any = false;
    for (unsigned i = 0; i < LULL_TCP_WATCHES; i++) {
        const uint32_t *reg =
            &g->mmio[(LULL_GC11_TCP_WATCH_ADDR_H + i * LULL_GC11_TCP_WATCH_ADDR_H__STRIDE) / 4];
        const uint32_t hi = reg[0], lo = reg[1], cntl = reg[2];
        const uint64_t address = (uint64_t)lull_field(hi, LULL_GC11_TCP_WATCH_ADDR_H__ADDR_MASK)
                                     << 32 |
                                 (lo & LULL_GC11_TCP_WATCH_ADDR_L__ADDR_MASK);
        g->tcp.watch[i] = (struct lull_gpu_tcp_watch){
            .valid = (cntl & LULL_GC11_TCP_WATCH_CNTL__VALID_MASK) != 0,
            .vmid = lull_field(cntl, LULL_GC11_TCP_WATCH_CNTL__VMID_MASK),
            .mode = lull_field(cntl, LULL_GC11_TCP_WATCH_CNTL__MODE_MASK),
            .block = address >> BLOCK_SHIFT,
            .mask = lull_field(cntl, LULL_GC11_TCP_WATCH_CNTL__MASK_MASK) |
                    ~((UINT64_C(1) << MASK_BITS) - 1),
        };
        g->tcp.any = g->tcp.any || g->tcp.watch[i].valid;
    }
    if (g->tcp.any != before_any) {
        lull_gpu_reobserve(g);
    }
}
