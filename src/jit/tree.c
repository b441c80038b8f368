// SPDX-License-Identifier: MIT
// A table is a row of 64 bytes for each value of the SGPR, in front of the code that looks there.
#include "jit/tree.h"

#include <string.h>

#include "isa/rdna/ops.h"
#include "jit/jumps.h"

enum {
    MOST = 256, // Instructions on a way, at most,
    LEAST = 12, // and so many at least where it is worth a table.
    PROBES = 8, // Values that are tried first.
    FEW = 4,    // Rows that are too few.
    ROW = 64,   // Bytes.
    VALUE = 12, // Of a row: values of SGPRs,
    REG = 44,   // and their numbers, a byte each, like
    SRC = 52,   // sources of moves and
    DST = 58,   // destinations.
    SHIFT = 6,  // Of ROW.
    NONE = 255, // No SGPR.
    SLOTS = 4,  // SGPRs on a way that are not the same for all values,
    WAITS = 16, // and ways that wait, at most.
    CC_NOT_BELOW = 3,
    CC_SIGN = 8,
};

/** SGPRs, a bit each. */
struct set {
    uint64_t bits[2];
};

static bool has(const struct set *s, unsigned sgpr)
{
    return (s->bits[sgpr / 64] >> sgpr % 64 & 1) != 0;
}

static void put(struct set *s, unsigned sgpr)
{
    s->bits[sgpr / 64] |= UINT64_C(1) << sgpr % 64;
}

/** Where a way is, and what is known there. */
struct way {
    uint32_t at, end; // end: of the block.
    unsigned ninsns;
    struct set known, written;
    bool scc;
    uint8_t n;                                                  // VGPRs that are something else,
    uint8_t dst[LULL_JIT_TREE_MOVES], src[LULL_JIT_TREE_MOVES]; // and what, of the beginning.
};

/** A way being gone by all values of the SGPR from low to high: what is done so far is the same. */
struct going {
    uint32_t low, high;
    struct way now, last; // last: at a place that code can jump to,
    struct lull_jit_tree_row
        row; // with SGPRs and SCC as they are there, and good if there was one,
    uint8_t row_slot[LULL_JIT_TREE_REGS]; // and the slots of those.
    bool any;                             // There was a place.
    bool jumped;                          // Behind the first jump.
    uint8_t nslots;
    uint8_t
        slot[LULL_RDNA_TTMP0]; // 1 + the slot of an SGPR that is not the same for all values; 0.
    unsigned npath;            // Of walker's.
};

/** One that waits for those with lower values. */
struct waiting {
    struct going g;
    uint32_t sgpr[LULL_RDNA_TTMP0], scc;
};

/** Ways; w has what is the same for all values. */
struct walker {
    const struct lull_jit_maker *m;
    const struct lull_jit_unit *unit;
    struct lull_jit_tree *t;
    struct lull_wave w;
    struct going g;
    uint32_t end; // Of the block that they begin in.
    unsigned nwaiting;
    struct waiting waiting[WAITS];
    uint32_t value[SLOTS][LULL_JIT_TREE_KEYS];
    uint16_t path[MOST + LULL_JIT_TREE_KEYS]; // Dwords behind the first jump.
};

static bool is_64(uint8_t type)
{
    return type == LULL_T_B64 || type == LULL_T_I64 || type == LULL_T_F64;
}

/** Whether what @p u does depends on its operands and SCC alone. */
static bool is_pure(const struct lull_uop *u)
{
    const struct lull_rdna_op_info *info = &lull_rdna_ops[u->in->op];
    const unsigned far = LULL_RDNA_S_VCC | LULL_RDNA_S_EXEC;
    const bool moves = u->in->op == LULL_RDNA_OP_S_MOV_B32 || u->in->op == LULL_RDNA_OP_S_MOV_B64;
    const bool known = u->in->enc == LULL_RDNA_SOPC || u->in->enc == LULL_RDNA_SOP2 || moves;
    return known && lull_jit_is_scalar(u) && ((info->reads | info->writes) & far) == 0 && !u->ttmp;
}

/** The first SGPR that @p u, a pure one, reads; -1: none. */
static int first_source(const struct lull_uop *u)
{
    for (unsigned n = 0; n < 2; n++) {
        const unsigned s = u->in->src[n];
        if (lull_sem[u->in->op].src[n] != LULL_T_NONE && (u->konst >> n & 1) == 0) {
            return s < LULL_RDNA_TTMP0 ? (int)s : -1;
        }
    }
    return -1;
}

/** Values from @p from on go another way, from here. Where there is no room, from the beginning. */
static void part(struct walker *k, uint32_t from)
{
    if (k->nwaiting < WAITS) {
        struct waiting *o = &k->waiting[k->nwaiting++];
        o->g = k->g;
        o->g.low = from;
        o->scc = k->w.scc;
        memcpy(o->sgpr, k->w.sgpr, sizeof o->sgpr);
    }
    k->g.high = from - 1;
}

/** SGPR @p s is the same for all values: those above the lowest part, if it is not. */
static void same_for_all(struct walker *k, unsigned s)
{
    if (k->g.slot[s] != 0) {
        if (k->g.low != k->g.high) {
            part(k, k->g.low + 1);
        }
        k->w.sgpr[s] = k->value[k->g.slot[s] - 1][k->g.low];
        k->g.slot[s] = 0;
    }
}

/** What VGPR @p r is, of those at the beginning. */
static unsigned now_of(const struct way *a, unsigned r)
{
    for (unsigned i = 0; i < a->n; i++) {
        if (a->dst[i] == r) {
            return a->src[i];
        }
    }
    return r;
}

/** Operands of @p u, a pure one. False: some are none that this knows. */
static bool operands(const struct lull_uop *u, struct lull_jit_tree_insn *ret)
{
    const struct lull_sem *sem = &lull_sem[u->in->op];
    const struct lull_rdna_op_info *info = &lull_rdna_ops[u->in->op];
    ret->reads_scc = (info->reads & LULL_RDNA_S_SCC) != 0;
    ret->writes_scc = (info->writes & LULL_RDNA_S_SCC) != 0;
    const unsigned d = u->in->dst, last_dst = d + (is_64(sem->d) ? 1 : 0);
    const bool results = sem->d != LULL_T_NONE;
    bool good = !results || last_dst < LULL_RDNA_TTMP0;
    ret->dst = results ? (uint8_t)d : NONE;
    ret->last_dst = results ? (uint8_t)last_dst : NONE;
    for (unsigned n = 0; n < 2; n++) {
        const unsigned s = u->in->src[n], last = s + (is_64(sem->src[n]) ? 1 : 0);
        const bool reads = sem->src[n] != LULL_T_NONE && (u->konst >> n & 1) == 0;
        ret->src[n] = reads ? (uint8_t)s : NONE;
        ret->last[n] = reads ? (uint8_t)last : NONE;
        good = good && (!reads || last < LULL_RDNA_TTMP0);
    }
    return good;
}

/** What the instruction at dword @p at is to a way. */
static enum lull_jit_tree_kind look(const struct walker *k, uint32_t at)
{
    struct lull_jit_tree_insn *ret = &k->t->insn[at];
    const struct lull_uop *u = &k->m->p->uop[at];
    const unsigned top = LULL_RDNA_VGPR0 + LULL_JIT_VGPRS;
    struct lull_jit_vector v[LULL_JIT_MAX_VECTORS];
    if (lull_jit_jump_of(u) != LULL_JIT_NO_JUMP) {
        return LULL_JIT_TREE_JUMP;
    }
    if (u->cls == LULL_UOP_SKIP) {
        return LULL_JIT_TREE_NOTHING;
    }
    if (is_pure(u)) {
        return operands(u, ret) ? LULL_JIT_TREE_SCALAR : LULL_JIT_TREE_OTHER;
    }
    if (u->in->op != LULL_RDNA_OP_V_CNDMASK_B32 ||
        lull_jit_vectors(k->m->target, u, k->m->mode, v) != 1 || v->shuffled ||
        ((v->neg | v->abs) & 3) != 0 || v->src[0] < LULL_RDNA_VGPR0 || v->src[0] >= top ||
        v->src[1] < LULL_RDNA_VGPR0 || v->src[1] >= top || v->mask_in + 1u >= LULL_RDNA_TTMP0) {
        return LULL_JIT_TREE_OTHER;
    }
    ret->mask = (uint8_t)v->mask_in;
    ret->dst = (uint8_t)v->dst;
    for (unsigned n = 0; n < 2; n++) {
        ret->src[n] = (uint8_t)(v->src[n] - LULL_RDNA_VGPR0);
    }
    return LULL_JIT_TREE_CHOICE;
}

/** v_cndmask_b32 of VGPRs, @p c, by a mask that is known and the same for all lanes. False: that is
 * none. */
static bool choose(struct walker *k, const struct lull_jit_tree_insn *c)
{
    struct way *a = &k->g.now;
    const bool wide = k->m->w->lanes == 64;
    if (!has(&a->known, c->mask) || !has(&a->known, c->mask + (wide ? 1u : 0))) {
        return false;
    }
    same_for_all(k, c->mask);
    same_for_all(k, c->mask + (wide ? 1u : 0));
    const uint32_t low = k->w.sgpr[c->mask], high = wide ? k->w.sgpr[c->mask + 1u] : low;
    unsigned i = 0;
    while (i < a->n && a->dst[i] != c->dst) {
        i++;
    }
    if (low != high || (low != 0 && low != UINT32_MAX) || i == LULL_JIT_TREE_MOVES) {
        return false;
    }
    const unsigned from = now_of(a, c->src[low != 0 ? 1 : 0]);
    a->dst[i] = c->dst;
    a->src[i] = (uint8_t)from;
    a->n = (uint8_t)(i == a->n ? i + 1 : a->n);
    return true;
}

/** One scalar instruction of 32 bits, a source of which is not the same for all values. */
static void for_each(struct walker *k, const struct lull_uop *u,
                     const struct lull_jit_tree_insn *insn)
{
    struct going *g = &k->g;
    const unsigned d = insn->dst;
    const uint32_t scc = k->w.scc, old_d = d != NONE ? k->w.sgpr[d] : 0;
    uint32_t result[LULL_JIT_TREE_KEYS], end = g->low, scc_of = 0;
    bool same = true;
    for (uint32_t key = g->low; key <= g->high && end == key; key++) {
        if (d != NONE) {
            k->w.sgpr[d] = old_d;
        }
        for (unsigned n = 0; n < 2; n++) {
            const unsigned s = insn->src[n];
            if (s != NONE && g->slot[s] != 0) {
                k->w.sgpr[s] = k->value[g->slot[s] - 1][key];
            }
        }
        k->w.scc = scc;
        u->fn(&k->w, u);
        result[key] = d != NONE ? k->w.sgpr[d] : 0;
        scc_of = key == g->low ? k->w.scc : scc_of;
        if (k->w.scc == scc_of) {
            same = same && result[key] == result[g->low];
            end = key + 1;
        }
    }
    k->w.scc = scc;
    if (d != NONE) {
        k->w.sgpr[d] = old_d;
    }
    if (end <= g->high) {
        part(k, end);
    }
    if (!same && g->nslots == SLOTS) {
        part(k, g->low + 1);
        same = true;
    }
    k->w.scc = scc_of;
    if (d != NONE) {
        k->w.sgpr[d] = result[g->low];
        g->slot[d] = same ? 0 : ++g->nslots;
    }
    for (uint32_t key = g->low; key <= g->high && !same; key++) {
        k->value[g->nslots - 1][key] = result[key];
    }
}

/** One scalar instruction. False: something is not known. */
static bool scalar(struct walker *k, const struct lull_uop *u,
                   const struct lull_jit_tree_insn *insn)
{
    struct going *g = &k->g;
    bool differs = false, wide = insn->dst != insn->last_dst;
    for (unsigned n = 0; n < 2; n++) {
        const unsigned s = insn->src[n], last = insn->last[n];
        if (s == NONE) {
            continue;
        }
        if (!has(&g->now.known, s) || !has(&g->now.known, last)) {
            return false;
        }
        differs = differs || (g->slot[s] | g->slot[last]) != 0;
        wide = wide || s != last;
    }
    if (insn->reads_scc && !g->now.scc) {
        return false;
    }
    if (differs && !wide) {
        for_each(k, u, insn);
    } else {
        for (unsigned s = 0; s < LULL_RDNA_TTMP0 && differs; s++) {
            same_for_all(k, s);
        }
        u->fn(&k->w, u);
        if (insn->dst != NONE) {
            g->slot[insn->dst] = g->slot[insn->last_dst] = 0;
        }
    }
    if (insn->dst != NONE) {
        put(&g->now.known, insn->dst);
        put(&g->now.known, insn->last_dst);
        put(&g->now.written, insn->dst);
        put(&g->now.written, insn->last_dst);
    }
    g->now.scc = g->now.scc || insn->writes_scc;
    return true;
}

/** The next instruction. False: the way ends before. */
static bool step(struct walker *k)
{
    const uint32_t at = k->g.now.at;
    if (at == k->g.now.end) {
        const int n = lull_jit_find_block(k->unit, at);
        k->g.now.end = n >= 0 ? k->unit->block[n].end : at;
    }
    if (at == k->g.now.end || k->g.now.ninsns == MOST) {
        return false; // Not in the unit, so nobody knows how many registers it wants.
    }
    const struct lull_uop *u = &k->m->p->uop[at];
    const struct lull_jit_tree_insn *insn = &k->t->insn[at];
    if (k->t->kind[at] == LULL_JIT_TREE_UNKNOWN) {
        k->t->kind[at] = (uint8_t)look(k, at);
    }
    const unsigned kind = k->t->kind[at];
    if (kind == LULL_JIT_TREE_JUMP) {
        const enum lull_jit_jump jump = lull_jit_jump_of(u);
        const bool scc = jump == LULL_JIT_SCC0 || jump == LULL_JIT_SCC1;
        k->g.jumped = true;
        if (jump != LULL_JIT_ALWAYS && !(scc && k->g.now.scc)) {
            return false;
        }
        const bool taken = jump == LULL_JIT_ALWAYS || (k->w.scc != 0) == (jump == LULL_JIT_SCC1);
        k->g.now.at = k->g.now.end = taken ? lull_jit_target_of(u, at) : at + 1;
    } else if (kind == LULL_JIT_TREE_NOTHING ||
               (kind == LULL_JIT_TREE_SCALAR && scalar(k, u, insn)) ||
               (kind == LULL_JIT_TREE_CHOICE && choose(k, insn))) {
        k->g.now.at += u->ndwords;
    } else {
        return false;
    }
    k->g.now.ninsns++;
    return true;
}

/** What was written so far is that of the row. */
static void keep(struct walker *k)
{
    struct lull_jit_tree_row *r = &k->g.row;
    k->g.last = k->g.now;
    k->g.any = true;
    r->good = true;
    r->scc = k->w.scc;
    r->nregs = 0;
    for (unsigned half = 0; half < 2; half++) {
        for (uint64_t left = k->g.now.written.bits[half]; left != 0; left &= left - 1) {
            const unsigned s = 64 * half + (unsigned)__builtin_ctzll(left);
            if (r->nregs == LULL_JIT_TREE_REGS) {
                r->good = false; // Too many.
                return;
            }
            k->g.row_slot[r->nregs] = k->g.slot[s];
            r->reg[r->nregs] = (uint8_t)s;
            r->value[r->nregs++] = k->w.sgpr[s];
        }
    }
}

/** Begin at dword @p at, with what SGPR t->sgpr is from @p low on to @p high. */
static void begin(struct walker *k, uint32_t at, uint32_t low, uint32_t high)
{
    const unsigned sgpr = k->t->sgpr;
    k->g = (struct going){.low = low, .high = high, .now = {.at = at, .end = k->end}};
    put(&k->g.now.known, sgpr);
    k->w.sgpr[sgpr] = low;
    if (low != high) { // Slot 0 is each value itself.
        k->g.slot[sgpr] = k->g.nslots = 1;
    }
}

/** Go on with those that have waited. */
static void resume(struct walker *k)
{
    const struct waiting *o = &k->waiting[--k->nwaiting];
    k->g = o->g;
    k->w.scc = o->scc;
    memcpy(k->w.sgpr, o->sgpr, sizeof o->sgpr);
}

/** As far as all is known. */
static void walk(struct walker *k)
{
    struct going *g = &k->g;
    do {
        const uint32_t here = g->now.at;
        if (g->now.ninsns != 0 && g->now.scc &&
            (here >= LULL_CODE_DWORDS || lull_jit_find_block(k->unit, here) >= 0)) {
            keep(k);
        }
        if (here < LULL_CODE_DWORDS && g->jumped && g->npath < sizeof k->path / sizeof k->path[0]) {
            k->path[g->npath++] = (uint16_t)here;
        }
    } while (step(k));
}

/** Moves of @p a, in an order in which none is overwritten before it is read. False: there is none.
 */
static bool put_in_order(const struct way *a, struct lull_jit_tree_row *r)
{
    bool done[LULL_JIT_TREE_MOVES] = {false};
    for (unsigned left = a->n; left != 0;) {
        const unsigned before = left;
        for (unsigned i = 0; i < a->n; i++) {
            bool read = false;
            for (unsigned j = 0; j < a->n; j++) {
                read = read || (j != i && !done[j] && a->src[j] == a->dst[i]);
            }
            if (done[i] || (read && a->src[i] != a->dst[i])) {
                continue;
            }
            if (a->src[i] != a->dst[i]) {
                r->dst[r->nmoves] = a->dst[i];
                r->src[r->nmoves++] = a->src[i];
            }
            done[i] = true;
            left--;
        }
        if (left == before) {
            return false;
        }
    }
    return true;
}

/** The number of @p end, which may be new; -1: there is no room. */
static int end_of(struct lull_jit_tree *t, uint32_t end)
{
    for (unsigned i = 0; i < t->nends; i++) {
        if (t->end[i] == end) {
            return (int)i;
        }
    }
    if (t->nends == LULL_JIT_TREE_ENDS) {
        return -1;
    }
    t->end[t->nends++] = end;
    return (int)(t->nends - 1);
}

/** Rows of the way that was gone, for all values that go it. */
static void make_rows(const struct walker *k, struct lull_jit_tree *t)
{
    const struct going *g = &k->g;
    struct lull_jit_tree_row r = g->row;
    r.nmoves = 0;
    const bool good =
        g->any && g->last.ninsns >= LEAST && g->row.good && put_in_order(&g->last, &r);
    const int end = good ? end_of(t, g->last.at) : -1;
    r.good = end >= 0;
    if (r.good) {
        r.end = (uint8_t)end;
        r.ninsns = (uint16_t)g->last.ninsns;
        t->nregs = r.nregs > t->nregs ? r.nregs : t->nregs;
        t->nmoves = r.nmoves > t->nmoves ? r.nmoves : t->nmoves;
    }
    for (uint32_t key = g->low; key <= g->high; key++) {
        for (unsigned i = 0; i < r.nregs && r.good; i++) {
            r.value[i] = g->row_slot[i] != 0 ? k->value[g->row_slot[i] - 1][key] : r.value[i];
        }
        t->row[key] = r;
    }
}

/** Where the instructions before the jump of @p b begin that decide it, and by what. False: they do
 * not. */
static bool find_start(const struct lull_jit_maker *m, const struct lull_jit_block *b,
                       struct lull_jit_tree *t, uint32_t *start)
{
    uint32_t at = b->at;
    int key = -1;
    const enum lull_jit_jump jump =
        b->jumps ? lull_jit_jump_of(&m->p->uop[b->end - 1]) : LULL_JIT_NO_JUMP;
    if (jump != LULL_JIT_SCC0 && jump != LULL_JIT_SCC1) {
        return false;
    }
    for (uint32_t i = 0; i + 1 < b->ninsns; i++) {
        const struct lull_uop *u = &m->p->uop[at];
        const bool pure = is_pure(u);
        if (!pure && u->cls != LULL_UOP_SKIP) {
            key = -1;
        } else if (pure && key < 0) {
            key = first_source(u);
            t->done = i;
            *start = at;
        }
        at += u->ndwords;
    }
    t->sgpr = key < 0 ? 0 : (unsigned)key;
    return key >= 0;
}

/** Whether a table is worth it, by some values. */
static bool is_long(struct walker *k, uint32_t start)
{
    static const uint32_t probe[PROBES] = {0, 1, 5, 9, 17, 29, 43, 63};
    bool found = false;
    for (unsigned i = 0; i < PROBES && !found; i++) {
        begin(k, start, probe[i], probe[i]);
        walk(k);
        found = k->g.any && k->g.last.ninsns >= LEAST;
    }
    return found;
}

/** All rows. @return how many are good; @p first and @p last of them. */
static unsigned find_rows(struct walker *k, uint32_t start, unsigned *first, unsigned *last)
{
    struct lull_jit_tree *t = k->t;
    unsigned ngood = 0;
    bool seen[LULL_CODE_DWORDS] = {false}; // Dwords of good rows.
    for (uint32_t key = 0; key < LULL_JIT_TREE_KEYS; key++) {
        k->value[0][key] = key;
    }
    for (uint32_t low = 0; low < LULL_JIT_TREE_KEYS; low = k->g.high + 1) {
        const uint32_t next =
            k->nwaiting != 0 ? k->waiting[k->nwaiting - 1].g.low : LULL_JIT_TREE_KEYS;
        if (low == next) {
            resume(k);
        } else {
            begin(k, start, low, next - 1);
        }
        walk(k);
        make_rows(k, t);
        for (unsigned n = 0; t->row[low].good && n < k->g.npath; n++) {
            seen[k->path[n]] = true;
        }
        if (t->row[low].good) {
            *first = ngood == 0 ? low : *first;
            *last = k->g.high;
            ngood += k->g.high - low + 1;
        }
    }
    for (unsigned i = 0; i < LULL_CODE_DWORDS && ngood >= FEW; i++) {
        t->inside[i] = t->inside[i] || seen[i];
    }
    return ngood;
}

bool lull_jit_find_tree(const struct lull_jit_maker *m, const struct lull_jit_unit *unit,
                        const struct lull_jit_block *b, struct lull_jit_tree *t)
{
    struct walker k;
    uint32_t start = 0;
    if (m->target->lanes != 8 || !find_start(m, b, t, &start)) {
        return false;
    }
    if (!t->begun) {
        memset(t->inside, 0, sizeof t->inside);
        memset(t->kind, LULL_JIT_TREE_UNKNOWN, sizeof t->kind);
        t->begun = true;
    }
    if (t->inside[b->end - 1]) {
        return false;
    }
    memset(&k.w, 0, sizeof k.w);
    k.w.lanes = m->w->lanes;
    k.m = m;
    k.unit = unit;
    k.t = t;
    k.end = b->end;
    k.nwaiting = 0;
    if (!is_long(&k, start)) {
        return false;
    }
    unsigned first = 0, last = 0;
    t->low = t->nregs = t->nmoves = t->nends = 0;
    if (find_rows(&k, start, &first, &last) < FEW) {
        return false;
    }
    t->low = (int32_t)first;
    t->nrows = last - first + 1;
    memmove(t->row, &t->row[first], sizeof t->row[0] * t->nrows);
    return true;
}

static void text(struct lull_x86 *x, const char *bytes, size_t n)
{
    lull_x86_bytes(x, bytes, n);
}

/** An instruction that ends with a 32-bit displacement or number. */
static void with(struct lull_x86 *x, const char *bytes, size_t n, uint32_t v)
{
    lull_x86_bytes(x, bytes, n);
    lull_x86_u32(x, v);
}

/** @p counted: instructions that were counted before. @return where the table is. */
static size_t table(struct lull_x86 *x, const struct lull_jit_tree *t, uint32_t counted)
{
    const size_t over = lull_x86_jump(x, LULL_JMP), from = x->len;
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct lull_jit_tree_row *r = &t->row[i];
        uint8_t bytes[ROW] = {0};
        const uint32_t more = r->good ? r->ninsns - counted : (uint32_t)INT32_MIN, end = r->end;
        memcpy(bytes, &more, sizeof more);
        memcpy(bytes + 4, &r->scc, sizeof r->scc);
        memcpy(bytes + 8, &end, sizeof end);
        const unsigned last = r->nregs != 0 ? r->nregs - 1u : 0;
        for (unsigned n = 0; n < t->nregs; n++) { // The last again, or what decides as it is.
            const unsigned k = n < r->nregs ? n : last;
            const uint32_t value = r->nregs != 0 ? r->value[k] : (uint32_t)t->low + i;
            memcpy(bytes + VALUE + 4 * (size_t)n, &value, sizeof value);
            bytes[REG + n] = r->nregs != 0 ? r->reg[k] : (uint8_t)t->sgpr;
        }
        memcpy(bytes + SRC, r->src, r->nmoves); // The others are of VGPR 0 to itself.
        memcpy(bytes + DST, r->dst, r->nmoves);
        text(x, (const char *)bytes, ROW);
    }
    lull_x86_land(x, over, x->len);
    return from;
}

/** rcx is the row's address. */
static void move_vgprs(const struct lull_jit_maker *m, const struct lull_jit_tree *t)
{
    struct lull_x86 *x = m->x;
    const size_t copy =
        offsetof(struct lull_jit_area, copy) + (m->w->lanes == 64 ? sizeof m->area->copy[0] : 0);
    const char *shift = m->w->lanes == 64 ? "\x08" : "\x07"; // Of a VGPR's size.
    if (t->nmoves == 0) {
        return;
    }
    with(x, "\x4c\x8b\xaf", 3, (uint32_t)lull_jit_rdna.registers); // mov r13,[rdi+disp32]
    for (unsigned i = 0; i < t->nmoves; i++) {
        text(x, "\x0f\xb6\x41", 3); // movzx eax, byte [rcx+disp8]
        lull_x86_byte(x, SRC + i);
        text(x, "\xc1\xe0", 2); // shl eax,imm8
        text(x, shift, 1);
        text(x, "\x0f\xb6\x51", 3); // movzx edx, byte [rcx+disp8]
        lull_x86_byte(x, DST + i);
        text(x, "\xc1\xe2", 2); // shl edx,imm8
        text(x, shift, 1);
        with(x, "\x41\xff\x97", 3, (uint32_t)copy); // call [r15+disp32]
    }
    text(x, "\xc5\xf8\x77", 3); // vzeroupper
}

/** rcx becomes the address of the row. @param[out] jumps Of who has none. */
static void find_row(const struct lull_jit_maker *m, const struct lull_jit_tree *t, size_t from,
                     size_t jumps[3])
{
    struct lull_x86 *x = m->x;
    const size_t sgpr = offsetof(struct lull_wave, sgpr);
    with(x, "\x8b\x87", 2, (uint32_t)(sgpr + 4 * (size_t)t->sgpr)); // mov eax,[rdi+disp32]
    with(x, "\x2d", 1, (uint32_t)t->low);                           // sub eax,imm32
    with(x, "\x3d", 1, t->nrows);                                   // cmp eax,imm32
    jumps[0] = lull_x86_jump(x, CC_NOT_BELOW);
    if (m->w->lanes == 64) {
        lull_x86_byte(x, 0x48);
    }
    with(x, "\x83\xbf", 2, (uint32_t)lull_jit_rdna.exec); // cmp [rdi+disp32],-1
    lull_x86_byte(x, UINT8_MAX);
    jumps[1] = lull_x86_jump(x, LULL_JNE);
    text(x, "\xc1\xe0", 2); // shl eax,imm8
    lull_x86_byte(x, SHIFT);
    with(x, "\x48\x8d\x0d", 3, (uint32_t)(from - (x->len + 7))); // lea rcx,[rip+disp32]
    text(x, "\x48\x01\xc1", 3);                                  // add rcx,rax
    text(x, "\x8b\x01\x85\xc0", 4);                              // mov eax,[rcx]; test eax,eax
    jumps[2] = lull_x86_jump(x, CC_SIGN);
}

void lull_jit_emit_tree(const struct lull_jit_maker *m, const struct lull_jit_block *b,
                        const struct lull_jit_tree *t, size_t ret[LULL_JIT_TREE_ENDS])
{
    struct lull_x86 *x = m->x;
    const size_t sgpr = offsetof(struct lull_wave, sgpr);
    size_t none[3] = {0};
    find_row(m, t, table(x, t, b->ninsns - t->done), none);
    text(x, "\x29\xc5", 2);                                            // sub ebp,eax
    text(x, "\x8b\x41\x04", 3);                                        // mov eax,[rcx+4]
    with(x, "\x89\x87", 2, (uint32_t)offsetof(struct lull_wave, scc)); // mov [rdi+disp32],eax
    for (unsigned i = 0; i < t->nregs; i++) {
        text(x, "\x0f\xb6\x51", 3); // movzx edx, byte [rcx+disp8]
        lull_x86_byte(x, REG + i);
        text(x, "\x8b\x41", 2); // mov eax,[rcx+disp8]
        lull_x86_byte(x, VALUE + 4 * i);
        with(x, "\x89\x84\x97", 3, (uint32_t)sgpr); // mov [rdi+4*rdx+disp32],eax
    }
    move_vgprs(m, t);
    for (unsigned i = 0; i + 1 < t->nends; i++) {
        text(x, "\x83\x79\x08", 3); // cmp dword [rcx+8],imm8
        lull_x86_byte(x, i);
        ret[i] = lull_x86_jump(x, LULL_JE);
    }
    ret[t->nends - 1] = lull_x86_jump(x, LULL_JMP);
    for (unsigned i = 0; i < 3; i++) {
        lull_x86_land(x, none[i], x->len);
    }
}
