// SPDX-License-Identifier: MIT
#include "check/uninit/uninit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/objects.h"
#include "check/origin.h"
#include "check/uninit/stretch.h"
#include "check/uninit/wave.h"
#include "isa/rdna/ops.h"
#include "isa/rdna/regs.h"
#include "model/amd/wave/exec.h"

static const char name[] = "uninit";

/** Of a workgroup. */
struct group {
    struct lull_twin_group *twin;
    uint32_t *lds; // Origins by dword.
};

static struct lull_origins *origins(const struct lull_check_now *n)
{
    return n->own;
}

static struct group *new_group(const struct lull_wave *w)
{
    struct group *g = calloc(1, sizeof *g);
    if (g != NULL) {
        g->twin = lull_twin_group(w->wg);
        g->lds = calloc(w->wg->lds_size / 4 + 1, sizeof *g->lds);
    }
    return g;
}

static void drop_group(void *of_group)
{
    struct group *g = of_group;
    free(g->twin);
    free(g->lds);
    free(g);
}

static void drop_wave(void *of_wave)
{
    struct lull_uninit_wave *w = of_wave;
    lull_twin_free(w->twin);
    free(w->scratch);
    free(w->scratch_dirty);
    free(w->scratch_part);
    free(w);
}

static void starts(const struct lull_check_now *n)
{
    const struct lull_wave *of = n->wave->key;
    struct group *g = *n->of_group != NULL ? *n->of_group : new_group(of);
    struct lull_uninit_wave *w = calloc(1, sizeof *w);
    const struct lull_check_objects *known = n->config;
    if (known != NULL && known->never != NULL) {
        lull_never_starts(known->never, n);
    }
    const bool first = *n->of_group == NULL;
    *n->of_group = g;
    if (w != NULL && g != NULL && g->twin != NULL && g->lds != NULL) {
        w->twin = lull_twin_new(of, g->twin, n->wave->sgprs);
        w->scratch = calloc(of->scratch_bytes / 4 + 1, sizeof *w->scratch);
        w->scratch_dirty = malloc((of->scratch_bytes / 4 + 1) * sizeof *w->scratch_dirty);
        w->scratch_part = calloc(of->scratch_bytes / 4 + 1, sizeof *w->scratch_part);
    }
    if (w == NULL || w->twin == NULL || w->scratch == NULL || w->scratch_dirty == NULL ||
        w->scratch_part == NULL) {
        lull_checks_lose(n->all);
        if (w != NULL) {
            drop_wave(w);
        }
        return;
    }
    if (n->wave->stage != NULL) { // Which registers the launch wrote is not known.
        lull_twin_know(w->twin, first);
    }
    memset(w->scratch_dirty, 0xff, (of->scratch_bytes / 4 + 1) * sizeof *w->scratch_dirty);
    *n->of_wave = w;
}

/** What is told: of what nothing wrote, of lanes that are off. */
static const char *const kinds[][2] = {
    [LULL_UNINIT_STORES] = {"what nothing wrote is stored",
                            "what a lane that is off gave is stored"},
    [LULL_UNINIT_BRANCHES] = {"a branch depends on what nothing wrote",
                              "a branch depends on what a lane that is off gave"},
    [LULL_UNINIT_ADDRESSES] = {"an address depends on what nothing wrote",
                               "an address depends on what a lane that is off gave"},
};

/** The instruction that depends on it, behind where it comes from. */
static void fill_sites(const struct lull_check_now *n, uint32_t origin, uint64_t pc, unsigned lane,
                       bool whole, const char *does, struct lull_check_site sites[2])
{
    sites[0] = lull_origin_site(origins(n), origin);
    const unsigned at = sites[0].there ? 1 : 0;
    sites[at] = lull_check_site(n, pc, lane);
    sites[at].whole = whole;
    sites[at].does = lull_check_text("%s", does);
}

void lull_uninit_tell(const struct lull_check_now *n, uint32_t origin, uint64_t pc,
                      enum lull_uninit_use use, unsigned lane, bool whole, const char *does)
{
    const struct lull_check_objects *known = n->config;
    const uint64_t from = origin != 0 ? lull_origin_pc(origins(n), origin) : pc;
    const unsigned where = origin != 0 ? lull_origin_kind(origins(n), origin) : LULL_WHERE_REGISTER;
    const bool off = where == LULL_WHERE_LANE;
    if (where == LULL_WHERE_MEMORY) { // Whether the program did it is not known yet.
        struct lull_never_found *v = lull_never_find(known->never, n, kinds[use][0], from, pc);
        if (v != NULL && v->count == 1) {
            fill_sites(n, origin, pc, lane, whole, does, v->sites);
        }
        return;
    }
    if (where == LULL_WHERE_LOCAL && n->group->over) {
        return;
    }
    struct lull_finding *f = lull_check_found(n, name, kinds[use][off], from, pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    fill_sites(n, origin, pc, lane, whole, does, f->sites);
    f->note = lull_check_text("%s", off ? "only invocations that take part have a value to give"
                                        : "nothing clears registers, local and scratch memory");
}

/** @p lanes 0: of the wave. */
static void tell(const struct lull_check_now *n, const struct lull_uninit_wave *w, uint32_t origin,
                 enum lull_uninit_use use, uint64_t lanes, const char *does)
{
    lull_uninit_tell(n, origin, w->pc, use, lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : 0,
                     lanes == 0, does);
}

/** Which registers @p in reads for data alone. */
static bool is_data(const struct lull_rdna_insn *in, unsigned reg)
{
    return reg == in->vdata || reg == in->vdata2;
}

/** Is one of 32 dwords one of these? */
static bool has_one(const uint32_t *v, uint32_t a, uint32_t b)
{
    uint32_t some = 0;
    for (unsigned l = 0; l < 32; l++) {
        some |= (uint32_t)(v[l] == a) | (uint32_t)(v[l] == b);
    }
    return some != 0;
}

/** Lanes of a flat instruction that go to local or scratch memory. */
static uint64_t flat_lanes(const struct lull_twin *t, const struct lull_rdna_insn *in)
{
    const unsigned high = in->vaddr + 1u - LULL_RDNA_VGPR0;
    const uint32_t shared = (uint32_t)(t->of->vm->shared_base >> 32);
    const uint32_t priv = (uint32_t)(t->of->vm->private_base >> 32);
    uint64_t lanes = 0;
    for (unsigned half = 0; high < t->w.nvgprs && half < t->w.lanes; half += 32) {
        const uint32_t *top = t->of->vgpr + (size_t)high * t->w.lanes + half;
        const unsigned n = has_one(top, shared, priv) ? 32 : 0;
        for (unsigned l = 0; l < n; l++) {
            lanes |= (uint64_t)(top[l] == shared || top[l] == priv) << (half + l);
        }
    }
    return lanes;
}

/** An address, a descriptor: the twin goes on with the wave's. */
static void addresses(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    const struct lull_rdna_use *uses = w->plan->uses;
    for (unsigned i = 0; i < w->plan->nuses; i++) {
        for (unsigned r = uses[i].reg; !uses[i].write && r < uses[i].reg + (unsigned)uses[i].count;
             r++) {
            if (is_data(&w->plan->in, uses[i].reg)) {
                continue;
            }
            const uint64_t lanes = lull_uninit_reads(n, w, r);
            if (lanes != 0) {
                tell(n, w, *lull_uninit_origin_of(w, r), LULL_UNINIT_ADDRESSES,
                     r >= LULL_RDNA_VGPR0 ? lanes : 0, "takes it for an address");
                lull_twin_copy(w->twin, r, UINT64_MAX);
            }
        }
    }
    w->from = 0;
}

/** May one of @p r differ? */
static inline bool meets(const struct lull_twin *t, const struct lull_uninit_regs *r)
{
    uint64_t m = (r->s[0] & t->sdirty[0]) | (r->s[1] & t->sdirty[1]);
    for (unsigned i = 0; i < r->nv; i++) {
        m |= r->v[i] & t->vdirty[i];
    }
    return m != 0 || (r->scc && t->scc_dirty);
}

/** Bytes of local memory that @p w's instruction may touch. */
static void local_range(const struct lull_uninit_wave *w, uint64_t active, uint64_t ret[2])
{
    const struct lull_wave *of = w->twin->of;
    const unsigned row = w->plan->in.vaddr - LULL_RDNA_VGPR0;
    ret[0] = 0;
    ret[1] = UINT32_MAX;
    if (!w->plan->knows || row >= of->nvgprs) {
        return;
    }
    const uint32_t *v = of->vgpr + (size_t)row * of->lanes;
    uint32_t low = UINT32_MAX, high = 0;
    for (unsigned l = 0; l < of->lanes; l++) {
        const uint32_t on = (active >> l & 1) != 0 ? 0 : UINT32_MAX;
        low = (v[l] | on) < low ? v[l] | on : low;
        high = (v[l] & ~on) > high ? v[l] & ~on : high;
    }
    if (low <= high && high <= UINT32_MAX - w->plan->reach) {
        ret[0] = low;
        ret[1] = (uint64_t)high + w->plan->reach;
    }
}

static enum lull_uninit_way local_way(struct lull_uninit_wave *w, bool reads, uint64_t active)
{
    uint64_t range[2];
    if (!reads && (w->plan->stores || !lull_twin_local_any(w->twin))) {
        return LULL_WAY_LOADS;
    }
    local_range(w, active, range);
    const bool dirty = lull_twin_local_dirty(w->twin, range[0], range[1]);
    if (!reads && !dirty) {
        return LULL_WAY_LOADS;
    }
    lull_twin_fetch_local(w->twin, range[0], range[1]);
    return LULL_WAY_RUNS;
}

/** @p reads Whether something that it reads may differ. */
static enum lull_uninit_way way_of(struct lull_uninit_wave *w, bool reads, uint64_t active)
{
    const struct lull_uninit_plan *p = w->plan;
    const struct lull_rdna_insn *in = &p->in;
    switch (in->enc) {
    case LULL_RDNA_DS:
        return in->gds ? LULL_WAY_LOADS : local_way(w, reads, active);
    case LULL_RDNA_SCRATCH:
        return !reads && lull_uninit_scratch_same(w, p, active) ? LULL_WAY_LOADS : LULL_WAY_SCRATCH;
    case LULL_RDNA_FLAT:
        if (flat_lanes(w->twin, in) == 0) {
            return LULL_WAY_LOADS;
        }
        lull_twin_fetch_local(w->twin, 0, UINT32_MAX);
        return LULL_WAY_SCRATCH;
    case LULL_RDNA_SOP1:
    case LULL_RDNA_SOP2:
    case LULL_RDNA_SOPC:
    case LULL_RDNA_SOPK:
    case LULL_RDNA_SOPP:
        return lull_sys_handler(in) != NULL    ? LULL_WAY_LOADS
               : reads || p->keeps || p->moves ? LULL_WAY_RUNS
                                               : LULL_WAY_SAME;
    default:
        return p->memory || (!reads && p->by_lane) ? LULL_WAY_LOADS : LULL_WAY_RUNS;
    }
}

/** The twin gets what it needs to execute the instruction. */
static void fetch(struct lull_uninit_wave *w)
{
    const struct lull_uninit_plan *p = w->plan;
    for (unsigned i = 0; i < p->nuses; i++) {
        for (unsigned r = 0; r < p->uses[i].count; r++) {
            lull_twin_fetch(w->twin, p->uses[i].reg + r);
        }
    }
    for (unsigned r = 0; r < 2; r++) {
        lull_twin_fetch(w->twin, LULL_RDNA_VCC + r);
    }
    lull_twin_fetch(w->twin, LULL_RDNA_M0);
    for (unsigned r = 0; p->moves && r < w->twin->w.nvgprs; r++) {
        lull_twin_fetch(w->twin, LULL_RDNA_VGPR0 + r);
    }
    for (unsigned r = 0; p->moves && r < LULL_RDNA_TTMP0; r++) {
        lull_twin_fetch(w->twin, r);
    }
}

/** Where what the instruction reads comes from, if it differs. @return whether all registers that
 * it names are there. */
static bool sources(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    const struct lull_uninit_plan *p = w->plan;
    bool there = true;
    for (unsigned i = 0; i < p->nuses; i++) {
        for (unsigned r = p->uses[i].reg; r < p->uses[i].reg + (unsigned)p->uses[i].count; r++) {
            there = there && (r < LULL_RDNA_VGPR0 || r - LULL_RDNA_VGPR0 < w->twin->w.nvgprs);
            if (!p->uses[i].write && lull_twin_dirty(w->twin, r)) {
                lull_uninit_reads(n, w, r);
                lull_twin_fetch(w->twin, r);
            }
        }
    }
    if (p->reads.scc && w->twin->scc_dirty) {
        w->from = w->from != 0 ? w->from : w->scc;
    }
    if ((lull_rdna_info(&p->in)->reads & LULL_RDNA_S_VCC) != 0) {
        lull_uninit_reads(n, w, LULL_RDNA_VCC);
        lull_uninit_reads(n, w, LULL_RDNA_VCC + 1);
    }
    return there;
}

/** A lane of a vector register and a scalar register: does what is moved not differ? */
static bool quick_lane(struct lull_uninit_wave *w, const struct lull_uninit_plan *p)
{
    const struct lull_twin *t = w->twin;
    const bool read = p->quick == LULL_QUICK_READ_LANE;
    const unsigned vgpr = (read ? p->in.src[0] : p->in.dst) - LULL_RDNA_VGPR0;
    if (vgpr >= t->w.nvgprs || (read && lull_twin_lane_differs(t, vgpr, p->part)) ||
        (!read && p->in.src[0] < LULL_TWIN_SGPRS && lull_twin_dirty(t, p->in.src[0]))) {
        return false;
    }
    w->way = read ? LULL_WAY_SAME : LULL_WAY_LOADS;
    w->active = UINT64_C(1) << p->part;
    w->some = meets(t, &p->writes);
    return true;
}

/** Is the instruction at hand one of which nothing else is to be found out? */
static bool quickly(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    const struct lull_uninit_plan *p = w->plan;
    return p->quick == LULL_QUICK_NONE                                   ? false
           : p->quick == LULL_QUICK_LOAD || p->quick == LULL_QUICK_STORE ? lull_uninit_scratch(n, w)
                                                                         : quick_lane(w, p);
}

/** The instruction at hand is about to be executed: the twin goes first. */
static void begin(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    const struct lull_uninit_plan *p = w->plan;
    w->active = n->at->active;
    w->from = 0;
    if (p->memory && meets(w->twin, &p->reads)) {
        addresses(n, w);
    }
    const bool differ = meets(w->twin, &p->reads) || (p->keeps && meets(w->twin, &p->writes));
    const bool there = sources(n, w);
    w->way = there ? way_of(w, differ, n->at->active) : LULL_WAY_LOADS;
    const bool runs = w->way == LULL_WAY_RUNS || w->way == LULL_WAY_SCRATCH;
    w->some = runs || meets(w->twin, &p->writes);
    if (w->from != 0) {
        lull_check_keep_insn(n);
    }
    if (!runs) {
        return;
    }
    lull_twin_follow(w->twin);
    fetch(w);
    if (p->memory) {
        lull_twin_access(w->twin, &p->in,
                         p->in.enc == LULL_RDNA_FLAT ? flat_lanes(w->twin, &p->in) : UINT64_MAX);
    } else {
        lull_twin_step(w->twin);
    }
}

/** Register @p reg was written. */
static void written(struct lull_uninit_wave *w, unsigned reg)
{
    struct lull_twin *t = w->twin;
    const bool alone = reg >= LULL_RDNA_VGPR0 && w->way == LULL_WAY_LOADS;
    uint32_t *origin = lull_uninit_origin_of(w, reg);
    if (origin == NULL || reg == LULL_RDNA_EXEC || reg == LULL_RDNA_EXEC + 1) {
        return;
    }
    if (w->way == LULL_WAY_SAME || w->way == LULL_WAY_LOADS) {
        lull_twin_copy(t, reg, alone ? w->active : UINT64_MAX);
        return;
    }
    lull_twin_look(t, reg);
    if (w->from != 0 && lull_twin_dirty(t, reg)) {
        *origin = w->from;
    }
}

/** Where control goes, and which lanes are on. */
static void control(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    const struct lull_twin *t = w->twin;
    const uint64_t mine = t->w.sgpr[LULL_RDNA_EXEC] | (uint64_t)t->w.sgpr[LULL_RDNA_EXEC + 1] << 32;
    const uint64_t all = n->wave->lanes == 64 ? UINT64_MAX : UINT32_MAX;
    const uint64_t differ = (mine ^ n->at->active) & n->wave->launched & all;
    if (t->w.pc != n->at->pc) {
        tell(n, w, w->from, LULL_UNINIT_BRANCHES, 0, "branches on it");
    } else if (differ != 0) {
        tell(n, w, w->from, LULL_UNINIT_BRANCHES, differ, "switches lanes on or off by it");
    }
}

/** What was begun has been executed by the wave, too. */
static void finish(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    const struct lull_uninit_plan *p = w->plan;
    const uint64_t implied = lull_rdna_info(&p->in)->writes;
    if (w->way == LULL_WAY_RUNS && p->in.enc != LULL_RDNA_DS) {
        control(n, w);
    }
    for (unsigned i = 0; i < p->nuses; i++) {
        for (unsigned r = 0; p->uses[i].write && r < p->uses[i].count; r++) {
            written(w, p->uses[i].reg + r);
        }
    }
    if ((implied & LULL_RDNA_S_VCC) != 0) {
        written(w, LULL_RDNA_VCC);
        written(w, LULL_RDNA_VCC + 1);
    }
    if ((implied & LULL_RDNA_S_SCC) != 0) {
        written(w, LULL_RDNA_SCC);
    }
    for (unsigned r = 0; p->moves && r < w->twin->w.nvgprs; r++) {
        written(w, LULL_RDNA_VGPR0 + r);
    }
    for (unsigned r = 0; p->moves && r < LULL_RDNA_TTMP0; r++) {
        written(w, r);
    }
    w->some = false;
}

/** What @p lanes of @p reg get from the instruction at hand is nobody's. */
static void undefined(struct lull_uninit_wave *w, unsigned reg, uint64_t lanes, uint32_t bits,
                      uint32_t origin)
{
    if (lanes != 0 && origin != 0 && w->given.n < LULL_GIVEN) {
        w->given.at[w->given.n++] = (struct lull_given_value){reg, bits, origin, lanes};
    }
}

/** The instruction before has given what is nobody's. */
static void give(struct lull_uninit_wave *w)
{
    for (unsigned i = 0; i < w->given.n; i++) {
        const struct lull_given_value *v = &w->given.at[i];
        uint32_t *origin = lull_uninit_origin_of(w, v->reg);
        if (origin != NULL) {
            lull_twin_change(w->twin, v->reg, v->lanes, v->bits);
            *origin = v->origin;
        }
    }
    w->given.n = 0;
}

/** It reads other lanes, of which some may be off. */
static void read_off(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    unsigned lane = 0;
    const uint64_t lanes = lull_given_off(&w->given, w->plan, w->twin->of, n->at->active, &lane);
    if (lanes != 0) {
        undefined(
            w, w->plan->in.dst, lanes, UINT32_MAX,
            lull_uninit_origin_here(n, LULL_WHERE_LANE, lane, (unsigned)__builtin_ctzll(lanes)));
    }
}

/** It has loaded from memory of which something was never written. */
static void load_never(const struct lull_check_now *n, struct lull_uninit_wave *w,
                       const struct lull_touch *t, const struct lull_never *v)
{
    const uint32_t bits = lull_given_bits(n->plan, t);
    for (unsigned d = 0; d < (t->bytes + 3) / 4; d++) {
        const uint64_t lanes = lull_given_never(v, t, w->twin->of, d);
        const unsigned l = lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : 0;
        if (lanes != 0) {
            undefined(
                w, t->data + d, lanes, bits,
                lull_uninit_origin_here(n, LULL_WHERE_MEMORY, t->address[l] + 4 * (uint64_t)d, l));
        }
    }
}

/** What the instruction before has done is known now. */
static void settle(const struct lull_check_now *n, struct lull_uninit_wave *w)
{
    if (w->some) {
        finish(n, w);
    }
    if (w->given.n != 0) {
        give(w);
    }
}

static bool calm(const struct lull_check_now *n, struct lull_check_stretch *s, const void *sum)
{
    struct lull_uninit_wave *w = *n->of_wave;
    (void)s;
    if (w != NULL) {
        settle(n, w);
    }
    return w == NULL || lull_uninit_is_calm(w, sum, n->at->active);
}

static void passed(const struct lull_check_now *n, const void *sum)
{
    struct lull_uninit_wave *w = *n->of_wave;
    if (w != NULL) {
        w->way = LULL_WAY_SAME;
        lull_uninit_pass(w, sum, n->at->active);
        lull_check_call(n, false);
    }
}

static void before(const struct lull_check_now *n)
{
    struct lull_uninit_wave *w = *n->of_wave;
    if (w == NULL) {
        return;
    }
    settle(n, w);
    const struct lull_uninit_plan *p = n->plan;
    w->plan = p;
    w->pc = n->at->pc;
    w->way = LULL_WAY_SAME;
    if (p->lanes) {
        read_off(n, w);
    }
    lull_given_follow(&w->given, p->sets, p->writes.nv, n->at->active);
    // Nothing in local memory differs, nor does what goes there or comes from there.
    const bool looks = p->looks && (!p->local || lull_twin_local_any(w->twin));
    if ((looks || meets(w->twin, &p->names)) && !quickly(n, w)) {
        begin(n, w);
    }
    lull_check_call(n, w->way == LULL_WAY_RUNS || w->way == LULL_WAY_SCRATCH);
}

/** Bits of the data of a narrow store are in the upper half of its register. */
static bool stores_high(unsigned op)
{
    return op == LULL_RDNA_OP_FLAT_STORE_D16_HI_B8 || op == LULL_RDNA_OP_FLAT_STORE_D16_HI_B16 ||
           op == LULL_RDNA_OP_GLOBAL_STORE_D16_HI_B8 ||
           op == LULL_RDNA_OP_GLOBAL_STORE_D16_HI_B16 ||
           op == LULL_RDNA_OP_BUFFER_STORE_D16_HI_B8 || op == LULL_RDNA_OP_BUFFER_STORE_D16_HI_B16;
}

/** Lanes of @p t that store what nothing wrote; @p which: one of the registers. */
static uint64_t stores(const struct lull_uninit_wave *w, const struct lull_touch *t,
                       unsigned *which)
{
    const struct lull_twin *twin = w->twin;
    const unsigned ndwords = (t->bytes + 3) / 4, first = t->data - LULL_RDNA_VGPR0;
    const unsigned shift = t->bytes < 4 && stores_high(w->plan->in.op) ? 16 : 0;
    uint64_t lanes = t->lanes;
    for (unsigned d = 0; d < ndwords && lanes != 0; d++) {
        if (first + d >= twin->w.nvgprs || !lull_twin_dirty(twin, t->data + d)) {
            return 0;
        }
        const size_t row = (size_t)(first + d) * twin->w.lanes;
        for (uint64_t m = lanes; m != 0; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(m);
            const uint32_t bits = twin->w.vgpr[row + l] ^ twin->of->vgpr[row + l];
            if ((bits >> shift & 0xff) == 0 || (t->valid[l] >> d & 1) == 0) {
                lanes &= ~(UINT64_C(1) << l);
            }
        }
        *which = t->data + d;
    }
    return lanes;
}

/** By dword, where memory of the twin's keeps its origins; @p place: the byte of lane @p l. */
static uint32_t *kept(const struct lull_check_now *n, const struct lull_uninit_wave *w,
                      const struct lull_touch *t, uint64_t place)
{
    const struct group *g = *n->of_group;
    const uint64_t bytes = t->local ? w->twin->w.wg->lds_size : w->twin->of->scratch_bytes;
    return place >= bytes ? NULL : t->local ? &g->lds[place / 4] : &w->scratch[place / 4];
}

/** The twin has stored dword @p d of what each lane stores: find out what differs. */
static void look(struct lull_uninit_wave *w, const struct lull_touch *t, unsigned d)
{
    if (t->kind == LULL_TOUCH_LOAD) {
        return;
    }
    const uint64_t bytes = w->twin->of->scratch_bytes;
    const uint64_t differ = lull_twin_differs(w->twin, t->data + d);
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const uint64_t at = t->address[l] + 4 * (uint64_t)d, bit = UINT64_C(1) << l;
        if (t->local) {
            lull_twin_look_local(w->twin, at);
            lull_twin_look_local(w->twin, at + 3);
            continue;
        }
        const bool whole = t->bytes % 4 == 0 && at % 4 == 0 && t->kind == LULL_TOUCH_STORE;
        const uint64_t last = at + 3 < bytes ? at + 3 : at;
        if (at >= bytes) {
            continue;
        }
        w->scratch_part[at / 4] = w->scratch_part[at / 4] || !whole;
        w->scratch_part[last / 4] = w->scratch_part[last / 4] || !whole;
        if ((differ & bit) != 0) {
            w->scratch_dirty[at / 4] |= bit;
            w->scratch_dirty[last / 4] |= bit;
        } else if (whole) {
            w->scratch_dirty[at / 4] &= ~bit;
        }
    }
}

/** The wave has stored what does not differ. */
static void settles(struct lull_uninit_wave *w, const struct lull_touch *t)
{
    const bool some = lull_twin_local_dirty(w->twin, t->low, t->high + t->bytes);
    for (uint64_t m = some ? t->lanes : 0; m != 0; m &= m - 1) {
        lull_twin_copy_local(w->twin, t->address[__builtin_ctzll(m)], t->bytes);
    }
}

/** Origins move between registers and memory of the twin's. */
static void moves(const struct lull_check_now *n, struct lull_uninit_wave *w,
                  const struct lull_touch *t)
{
    for (unsigned d = 0; d < (t->bytes + 3) / 4; d++) {
        uint32_t *origin = lull_uninit_origin_of(w, t->data + d);
        if (t->kind != LULL_TOUCH_STORE) {
            lull_twin_look(w->twin, t->data + d);
        }
        look(w, t, d);
        if (origin == NULL || !lull_twin_dirty(w->twin, t->data + d)) {
            continue;
        }
        const uint64_t lanes = lull_twin_differs(w->twin, t->data + d) & t->lanes;
        for (uint64_t m = lanes; m != 0; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(m);
            uint32_t *in = kept(n, w, t, t->address[l] + 4 * d);
            if (in != NULL && t->kind == LULL_TOUCH_STORE) {
                *in = *origin;
            } else if (in != NULL && *in == 0) {
                *in = lull_uninit_origin_here(n, t->local ? LULL_WHERE_LOCAL : LULL_WHERE_SCRATCH,
                                              (uint32_t)t->address[l] + 4 * d, l);
            }
            if (in != NULL && t->kind != LULL_TOUCH_STORE) {
                *origin = *in;
                break;
            }
        }
    }
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct lull_uninit_wave *w = *n->of_wave;
    const struct lull_check_objects *known = n->config;
    const struct lull_never *never = known != NULL ? known->never : NULL;
    if (w != NULL && never != NULL && never->fresh.unwritten != 0 && t->kind == LULL_TOUCH_LOAD &&
        !t->local && !t->priv && !w->plan->typed && t->data != LULL_RDNA_NONE) {
        load_never(n, w, t, never);
    }
    if (w == NULL || t->scalar || t->data < LULL_RDNA_VGPR0 || t->data == LULL_RDNA_NONE) {
        return;
    }
    unsigned which = t->data;
    if (t->local || t->priv) {
        if (w->way == LULL_WAY_RUNS || w->way == LULL_WAY_SCRATCH) {
            moves(n, w, t);
        } else if (t->local && t->kind == LULL_TOUCH_STORE) {
            settles(w, t);
        }
    } else if (t->kind == LULL_TOUCH_LOAD) {
        for (unsigned d = 0; w->way == LULL_WAY_SCRATCH && d < (t->bytes + 3) / 4; d++) {
            lull_twin_copy(w->twin, t->data + d, t->lanes);
        }
    } else if (!t->returns) {
        const uint64_t lanes = stores(w, t, &which);
        if (lanes != 0) {
            lull_check_keep_insn(n);
            tell(n, w, *lull_uninit_origin_of(w, which), LULL_UNINIT_STORES, lanes, "stores it");
        }
    }
}

const struct lull_check_module lull_check_uninit = {.name = name,
                                                    .draws = true,
                                                    .priv = true,
                                                    .priv_called = true,
                                                    .local_called = true,
                                                    .plan_bytes = sizeof(struct lull_uninit_plan),
                                                    .plan = lull_uninit_plan,
                                                    .own_bytes = sizeof(struct lull_origins),
                                                    .starts = starts,
                                                    .before = before,
                                                    .memory = memory,
                                                    .stands = lull_uninit_stands,
                                                    .sum_bytes = sizeof(struct lull_uninit_sum),
                                                    .sum = lull_uninit_sum,
                                                    .calm = calm,
                                                    .passed = passed,
                                                    .drop_wave = drop_wave,
                                                    .drop_group = drop_group,
                                                    .done = lull_origins_done};
