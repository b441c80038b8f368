// SPDX-License-Identifier: MIT
// The code of a region. rdi, r12: the wave; rbx: the strip's byte in masks; r13: its part of VGPR
// 0; r14: constants; r15: struct lull_jit_area; r9 to r11: parts of masks, gathered; r8, rcx, rdx,
// rsi: see lds.c.
#include "jit/masks.h"
#include "jit/region.h"
#include "jit/scalar.h"
#include "jit/shuffle.h"

#include <string.h>

enum { R9 = 9 };

/** The VGPRs that a region of choices writes, each with the number of its last choice, in an order
 * in which none is overwritten before others have read it. */
struct copies {
    unsigned n; // 0: it is not choices alone.
    uint16_t dst[LULL_JIT_CHOICES];
    uint8_t choice[LULL_JIT_CHOICES];
};

struct emit {
    struct lull_jit_window q;
    const struct lull_jit_region *r;
    unsigned lanes;
    unsigned nlds; // Loads from LDS.
    bool equal;    // One of them, and no more than there are registers, of one address for all.
    uint32_t good; // Instructions before there were not enough registers.
    size_t next;   // Where a strip ends.
    struct copies copies;
    struct {
        size_t from, to;          // Of what was emitted for all instructions,
        struct lull_jit_window q; // and what stands where behind it.
    } made;
};

static void text(struct lull_x86 *x, const char *bytes, size_t n)
{
    lull_x86_bytes(x, bytes, n);
}

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/** ror of mask register @p k by a strip, of as many bits as there are lanes. */
static void rotate(const struct emit *e, unsigned k)
{
    lull_x86_byte(e->q.x, e->lanes == 64 ? 0x49 : 0x41);
    lull_x86_byte(e->q.x, 0xc1);
    lull_x86_byte(e->q.x, 0xc8 + (R9 - 8) + k);
    lull_x86_byte(e->q.x, e->r->target->lanes);
}

/** al, or ax, is this strip's part of mask @p k. */
static void insert(const struct emit *e, unsigned k)
{
    rotate(e, k);
    if (lull_jit_wide(&e->q)) {
        text(e->q.x, "\x66\x41\x89", 3);
    } else {
        text(e->q.x, "\x41\x88", 2);
    }
    lull_x86_byte(e->q.x, 0xc0 + (R9 - 8) + k);
}

static void insert_zero(const struct emit *e, unsigned k)
{
    text(e->q.x, "\x31\xc0", 2); // xor eax,eax
    insert(e, k);
}

static void store_mask(const struct emit *e, unsigned k)
{
    rotate(e, k);
    lull_x86_byte(e->q.x, e->lanes == 64 ? 0x4c : 0x44);
    lull_x86_byte(e->q.x, 0x89);
    lull_x86_byte(e->q.x, 0x80 | (R9 - 8 + k) << 3 | LULL_RDI);
    lull_x86_u32(e->q.x, (uint32_t)e->q.target->vendor->mask(e->r->masks[k]).disp);
}

static unsigned mask_number(const struct lull_jit_region *r, uint32_t sgpr)
{
    unsigned k = 0;
    while (k + 1 < r->nmasks && r->masks[k] != sgpr) {
        k++;
    }
    return k;
}

static void call_scalar(struct lull_x86 *x, const struct lull_uop *u)
{
    if (lull_jit_emit_scalar(x, u)) {
        return;
    }
    lull_x86_load_imm(x, LULL_RSI, address(u));
    lull_x86_call(x, (uint64_t)(uintptr_t)u->fn);
    lull_x86_move(x, LULL_RDI, LULL_R12);
}

/** What pairs of SGPRs are before instruction @p at is kept. */
static void save(struct lull_x86 *x, const struct lull_jit_region *r, unsigned at)
{
    for (unsigned k = 0; k < r->nsaves; k++) {
        if (r->saves[k].at == at) {
            text(x, "\x48\x8b\x87", 3); // mov rax,[rdi+disp32]
            lull_x86_u32(x, (uint32_t)lull_jit_at_mask(2u * r->saves[k].pair).disp);
            text(x, "\x49\x89\x87", 3); // mov [r15+disp32],rax
            lull_x86_u32(x, (uint32_t)lull_jit_at_saved(k).disp);
        }
    }
}

/** eax or ecx is where source @p n of choice @p v stands. */
static void load_choice(const struct lull_jit_window *q, const struct lull_jit_vector *v,
                        unsigned n)
{
    struct lull_x86 *x = q->x;
    if (v->from[n] != 0) {
        text(x, n == 0 ? "\x41\x8b\x87" : "\x41\x8b\x8f", 3); // mov reg,[r15+disp32]
        lull_x86_u32(x, (uint32_t)lull_jit_at_choice(v->from[n] - 1u).disp);
    } else {
        lull_x86_byte(x, n == 0 ? 0xb8 : 0xb9); // mov reg,imm32
        lull_x86_u32(x, (v->src[n] - (uint32_t)LULL_RDNA_VGPR0) * q->stride);
    }
}

/** Whether the code so far ends by storing rax, or its lower half, at [rdi + @p disp]. */
static bool ends_with_store(const struct lull_x86 *x, uint32_t disp)
{
    enum { SIZE = 6 }; // mov [rdi+disp32],eax
    if (x->full || x->len <= SIZE) {
        return false;
    }
    const uint8_t *end = x->to + x->len - SIZE;
    const bool others = (end[-1] & 0xf7) != 0x40 && (end[-1] & 0xf0) == 0x40; // By its prefix.
    return !others && memcmp(end, "\x89\x87", 2) == 0 && memcmp(end + 2, &disp, sizeof disp) == 0;
}

/** Which VGPR @p v is, by its mask as it is before the instruction. */
static void make_choice(const struct lull_jit_window *q, const struct lull_jit_vector *v)
{
    struct lull_x86 *x = q->x;
    const uint32_t mask = (uint32_t)lull_jit_at_mask(v->mask_in).disp;
    if (ends_with_store(x, mask)) {
        text(x, "\x85\xc0", 2); // test eax,eax
    } else {
        text(x, "\x83\xbf", 2); // cmp dword [rdi+disp32],0
        lull_x86_u32(x, mask);
        lull_x86_byte(x, 0);
    }
    load_choice(q, v, 0);
    load_choice(q, v, 1);
    text(x, "\x0f\x45\xc1\x41\x89\x87", 6); // cmovne eax,ecx; mov [r15+disp32],eax
    lull_x86_u32(x, (uint32_t)lull_jit_at_choice(v->choice - 1u).disp);
}

static void write_mask(struct emit *e, unsigned p, uint32_t sgpr)
{
    lull_jit_mask_bits(&e->q, p);
    insert(e, mask_number(e->r, sgpr));
}

/** All that was written goes to the register file. */
static void write_back(struct emit *e)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        const struct lull_jit_slot *s = &q->slot[p];
        if (s->dirty && s->kind == LULL_JIT_VGPR) {
            lull_jit_store_on(q, p, lull_jit_at_vgpr(q, s->key));
        } else if (s->dirty && s->kind == LULL_JIT_MASK) {
            write_mask(e, p, s->key);
        }
    }
    for (unsigned n = 0; q->nspills != 0 && n < LULL_JIT_SPILLS; n++) {
        if (q->spill[n].kind == LULL_JIT_VGPR) {
            lull_jit_load(q, 0, lull_jit_at_spill(n));
            lull_jit_store_on(q, 0, lull_jit_at_vgpr(q, q->spill[n].key));
        } else if (q->spill[n].kind == LULL_JIT_MASK) {
            const unsigned p = lull_jit_wide(q) ? LULL_JIT_K + 1 : 0;
            lull_jit_load(q, p, lull_jit_at_spill(n));
            write_mask(e, p, q->spill[n].key);
        }
    }
}

/** What is done for a strip without lanes that are on. */
static void dead_strip(struct emit *e)
{
    for (unsigned k = 0; k < e->r->nmasks; k++) {
        insert_zero(e, k);
    }
    lull_x86_land(e->q.x, lull_x86_jump(e->q.x, LULL_JMP), e->next);
}

static void enter(const struct emit *e)
{
    if (e->q.target->vendor->enter != NULL) {
        e->q.target->vendor->enter(e->q.x);
    }
}

/** A strip with a lane in doubt is done by the interpreter. */
static void doubtful_strip(struct emit *e)
{
    struct lull_x86 *x = e->q.x;
    text(x, "\xc5\xf8\x77", 3);                              // vzeroupper
    text(x, "\x41\x51\x41\x52\x41\x53\x48\x83\xec\x08", 10); // push r9 to r11; sub rsp,8
    lull_x86_move(x, LULL_RDI, LULL_R12);
    lull_x86_load_imm(x, LULL_RSI, address(e->r));
    text(x, "\x8d\x14\xdd\0\0\0\0", 7); // lea edx,[rbx*8]
    lull_x86_call(x, (uint64_t)(uintptr_t)e->q.target->vendor->redo);
    lull_x86_move(x, LULL_RDI, LULL_R12);
    text(x, "\x48\x83\xc4\x08\x41\x5b\x41\x5a\x41\x59", 10);
    if (e->nlds != 0) {
        lull_jit_lds_base(x);
    }
    if (e->equal) {
        lull_jit_lds_unknown(x);
    }
    enter(e);
    if (e->q.full) {
        lull_jit_masks_full(&e->q);
    }
    for (unsigned k = 0; k < e->r->nmasks; k++) {
        text(x, "\x41\x0f\xb7\x87", 4); // movzx eax, word [r15+disp32]
        lull_x86_u32(x, (uint32_t)(offsetof(struct lull_jit_area, redone) + sizeof(uint16_t) * k));
        insert(e, k);
    }
    lull_x86_land(x, lull_x86_jump(x, LULL_JMP), e->next);
}

/** Lanes of the strip that are on. @return the jump of a strip without one. */
static size_t strip_begin(struct emit *e)
{
    struct lull_x86 *x = e->q.x;
    const struct lull_x86_mem exec = lull_jit_at_exec(&e->q);
    size_t dead = 0;
    if (!e->q.full) {
        if (lull_jit_wide(&e->q)) {
            text(x, "\x66\x83\xbc\x1f", 4); // cmp word [rdi+rbx+disp32],0
        } else {
            text(x, "\x80\xbc\x1f", 3); // cmp byte [rdi+rbx+disp32],0
        }
        lull_x86_u32(x, (uint32_t)exec.disp);
        lull_x86_byte(x, 0);
        dead = lull_x86_jump(x, LULL_JE);
    }
    lull_jit_masks_begin(&e->q);
    return dead;
}

/** An instruction of the strip. */
static void one(struct emit *e, const struct lull_jit_item *item, struct lull_jit_lds_known *known)
{
    if (item->kind == LULL_JIT_ITEM_LDS) {
        lull_jit_emit_lds(&e->q, &item->lds, known);
    }
    for (unsigned k = 0; item->kind == LULL_JIT_ITEM_VECTOR && k < item->nvectors; k++) {
        const struct lull_jit_vector *v = &item->v[k];
        lull_jit_emit_vector(&e->q, v);
        if (e->nlds == 0) {
            continue;
        }
        lull_jit_lds_forget(known, v->dst);
        lull_jit_lds_forget(known, v->dst + lull_jit_result_dwords(v) - 1);
        lull_jit_lds_forget(known, v->t == NULL ? v->src[0] - LULL_RDNA_VGPR0 : v->dst);
    }
}

/** All instructions of the strip. */
static void body(struct emit *e, const struct lull_jit_item *items)
{
    struct lull_jit_lds_known known = {.few = e->nlds <= LULL_JIT_LDS_KINDS, .equal = e->equal};
    for (unsigned i = 0; i < e->r->ninsns; i++) {
        one(e, &items[i], &known);
        e->good += !e->q.failed;
    }
    for (unsigned r = 0; r < LULL_JIT_VGPRS && e->r->nchoices != 0; r += sizeof(uint64_t)) {
        uint64_t some = 0;
        memcpy(&some, &e->q.choice[r], sizeof some);
        for (unsigned i = r; some != 0 && i < r + sizeof some; i++) {
            if (e->q.choice[i] != 0) { // What it is may be overwritten from now on.
                lull_jit_named(&e->q, LULL_JIT_VGPR, i);
            }
        }
    }
    lull_jit_narrow_all(&e->q);
    lull_jit_check_pending(&e->q);
}

/** What body() made for strips whose lanes are all on once more, for others: only masks differ,
 * which lanes that are off leave. False: it has to be made anew. */
static bool copy_body(struct emit *e)
{
    struct lull_x86 *x = e->q.x;
    const struct lull_jit_window *q = &e->made.q;
    if (e->made.to == 0 || x->full || q->nmarks > LULL_JIT_MARKS) {
        return false;
    }
    size_t at = e->made.from;
    for (unsigned i = 0; i < q->nmarks; i++) {
        text(x, (const char *)x->to + at, q->mark[i].at - at);
        at = q->mark[i].at;
        lull_jit_mask_on(&e->q, q->mark[i].reg);
    }
    text(x, (const char *)x->to + at, e->made.to - at);
    lull_jit_duplicate(&e->q, q, sizeof e->q);
    e->q.full = false;
    e->good = q->failed ? 0 : e->r->ninsns;
    return true;
}

/** cmp of EXEC and a constant. */
static void compare_exec(const struct emit *e, int with)
{
    if (e->lanes == 64) {
        lull_x86_byte(e->q.x, 0x48);
    }
    text(e->q.x, "\x83\xbf", 2); // cmp [rdi+disp32],imm8
    lull_x86_u32(e->q.x, (uint32_t)lull_jit_at_exec(&e->q).disp);
    lull_x86_byte(e->q.x, (uint8_t)with);
}

/** No lane of the wave is on: all masks are 0. @return the jump to where they are stored. */
static size_t dead_wave(struct emit *e)
{
    struct lull_x86 *x = e->q.x;
    compare_exec(e, 0);
    if (e->r->nmasks == 0) {
        return lull_x86_jump(x, LULL_JE);
    }
    const size_t alive = lull_x86_jump(x, LULL_JNE);
    for (unsigned k = 0; k < e->r->nmasks; k++) {
        text(x, "\x45\x31", 2); // xor r9d+k,r9d+k
        lull_x86_byte(x, 0xc0 | (R9 - 8 + k) << 3 | (R9 - 8 + k));
    }
    const size_t ret = lull_x86_jump(x, LULL_JMP);
    lull_x86_land(x, alive, x->len);
    return ret;
}

/** All strips, one after the other; @p full: all lanes of all are on. @return the jump at their
 * end.
 */
static size_t loop(struct emit *e, const struct lull_jit_item *items, bool full)
{
    struct lull_x86 *x = e->q.x;
    struct lull_jit_pool *pool = e->q.pool;
    const uint32_t stride = e->q.stride;
    lull_jit_clear(&e->q, sizeof e->q);
    e->q.x = x;
    e->q.target = e->r->target;
    e->q.pool = pool;
    e->q.stride = stride;
    e->q.full = full;
    e->q.spare = e->r->nmasks < LULL_JIT_MASKS;
    if (full) {
        lull_jit_masks_full(&e->q);
    }
    const size_t top = x->len;
    const size_t dead = strip_begin(e);
    if (full) {
        e->made.from = x->len;
        body(e, items);
        e->made.to = e->q.failed ? 0 : x->len;
        lull_jit_duplicate(&e->made.q, &e->q, sizeof e->q);
    } else if (!copy_body(e)) {
        body(e, items);
    }
    size_t doubt = 0;
    if (e->q.checked) {
        doubt = lull_jit_doubt_jump(&e->q);
    }
    write_back(e);
    e->next = x->len;
    text(x, "\x49\x83\xc5", 3); // add r13,bytes of a strip
    lull_x86_byte(x, lull_jit_bytes(e->r->target));
    text(x, "\x83\xc3", 2); // add ebx,bytes of a strip's mask
    lull_x86_byte(x, e->r->target->lanes / 8);
    text(x, "\x83\xfb", 2); // cmp ebx,bytes of a mask
    lull_x86_byte(x, e->lanes / 8);
    lull_x86_land(x, lull_x86_jump(x, LULL_JNE), top);
    const size_t over = lull_x86_jump(x, LULL_JMP);
    if (!full && e->r->nmasks == 0) {
        lull_x86_land(x, dead, e->next);
    } else if (!full) {
        lull_x86_land(x, dead, x->len);
        dead_strip(e);
    }
    if (e->q.checked) {
        lull_x86_land(x, doubt, x->len);
        doubtful_strip(e);
    }
    return over;
}

/** The VGPRs that each choice may be, as bits, by the choice's number. */
static void find_sources(const struct emit *e, const struct lull_jit_item *items,
                         uint64_t (*ret)[4])
{
    for (unsigned i = 0; i < e->r->ninsns; i++) {
        const struct lull_jit_vector *v = &items[i].v[0];
        for (unsigned k = 0; items[i].kind == LULL_JIT_ITEM_VECTOR && k < 2; k++) {
            const unsigned r = v->src[k] - (unsigned)LULL_RDNA_VGPR0;
            for (unsigned n = 0; v->from[k] != 0 && n < 4; n++) {
                ret[v->choice - 1][n] |= ret[v->from[k] - 1][n];
            }
            if (v->from[k] == 0) {
                ret[v->choice - 1][r / 64] |= UINT64_C(1) << r % 64;
            }
        }
    }
}

/** Whether all vector instructions of the region are choices; @p c gets the last of each VGPR. */
static bool only_choices(const struct emit *e, const struct lull_jit_item *items, struct copies *c)
{
    uint8_t last[LULL_JIT_VGPRS] = {0};
    if (e->r->nchoices == 0) {
        return false;
    }
    for (unsigned i = 0; i < e->r->ninsns; i++) {
        const struct lull_jit_vector *v = &items[i].v[0];
        if (items[i].kind == LULL_JIT_ITEM_LDS ||
            (items[i].kind == LULL_JIT_ITEM_VECTOR && v->choice == 0)) {
            return false;
        }
        if (items[i].kind == LULL_JIT_ITEM_VECTOR) {
            last[v->dst] = v->choice;
        }
    }
    for (unsigned r = 0; r < LULL_JIT_VGPRS; r += sizeof(uint64_t)) {
        uint64_t some = 0;
        memcpy(&some, &last[r], sizeof some);
        for (unsigned i = r; some != 0 && i < r + sizeof some; i++) {
            if (last[i] != 0) {
                c->dst[c->n] = (uint16_t)i;
                c->choice[c->n++] = last[i];
            }
        }
    }
    return c->n != 0;
}

/** Whether a copy from number @p first on, but @p k itself, may read what @p k writes. */
static bool is_read(const struct copies *c, uint64_t (*reads)[4], unsigned first, unsigned k)
{
    bool ret = false;
    for (unsigned i = first; i < c->n; i++) {
        const uint64_t word = reads[c->choice[i] - 1][c->dst[k] / 64];
        ret = ret || (i != k && (word >> c->dst[k] % 64 & 1) != 0);
    }
    return ret;
}

/** Whether the copies can be put in order; then they are. */
static bool put_in_order(const struct emit *e, const struct lull_jit_item *items, struct copies *c)
{
    uint64_t reads[LULL_JIT_CHOICES][4];
    lull_jit_clear(reads, sizeof reads[0] * e->r->nchoices);
    find_sources(e, items, reads);
    for (unsigned first = 0; first < c->n; first++) {
        unsigned k = first;
        while (k < c->n && is_read(c, reads, first, k)) {
            k++;
        }
        if (k == c->n) {
            return false;
        }
        const uint16_t dst = c->dst[k];
        const uint8_t choice = c->choice[k];
        c->dst[k] = c->dst[first];
        c->choice[k] = c->choice[first];
        c->dst[first] = dst;
        c->choice[first] = choice;
    }
    return true;
}

void lull_jit_emit_copy(struct lull_x86 *x, unsigned lanes, const struct lull_jit_target *t)
{
    struct lull_jit_window q = {.x = x, .target = t, .stride = 4 * lanes};
    const unsigned bytes = lull_jit_bytes(t);
    text(x, "\x39\xd0", 2); // cmp eax,edx
    const size_t same = lull_x86_jump(x, LULL_JE);
    for (unsigned s = 0; s < lanes / t->lanes; s++) {
        lull_jit_load(&q, s, (struct lull_x86_mem){LULL_R13, LULL_RAX, (int32_t)(bytes * s)});
    }
    for (unsigned s = 0; s < lanes / t->lanes; s++) {
        lull_jit_store(&q, s, (struct lull_x86_mem){LULL_R13, LULL_RDX, (int32_t)(bytes * s)});
    }
    lull_x86_land(x, same, x->len);
    lull_x86_byte(x, 0xc3); // ret
}

/** Choices alone, all lanes of all strips being on: whole registers are copied, where they are not
 * what they were. @return the jump at their end. */
static size_t copy_all(struct emit *e, const struct copies *c)
{
    struct lull_x86 *x = e->q.x;
    for (unsigned i = 0; i < c->n; i++) {
        text(x, "\x41\x8b\x87", 3); // mov eax,[r15+disp32]
        lull_x86_u32(x, (uint32_t)lull_jit_at_choice(c->choice[i] - 1u).disp);
        lull_x86_byte(x, 0xba); // mov edx,imm32
        lull_x86_u32(x, c->dst[i] * e->q.stride);
        text(x, "\x41\xff\x97", 3); // call [r15+disp32]
        lull_x86_u32(x, (uint32_t)(offsetof(struct lull_jit_area, copy) +
                                   (e->lanes == 64 ? sizeof e->r->area->copy[0] : 0)));
    }
    return lull_x86_jump(x, LULL_JMP);
}

static void strips(struct emit *e, const struct lull_jit_item *items)
{
    struct lull_x86 *x = e->q.x;
    const size_t asleep = dead_wave(e);
    text(x, "\x31\xdb\x4c\x8b\xaf", 5); // xor ebx,ebx; mov r13,[rdi+disp32]
    lull_x86_u32(x, (uint32_t)e->q.target->vendor->registers);
    compare_exec(e, -1);
    const size_t some = lull_x86_jump(x, LULL_JNE);
    const bool copies = e->copies.n != 0 && put_in_order(e, items, &e->copies);
    const size_t over = copies ? copy_all(e, &e->copies) : loop(e, items, true);
    lull_x86_land(x, some, x->len);
    e->good = 0;
    const size_t over_too = loop(e, items, false);
    lull_x86_land(x, over, x->len);
    lull_x86_land(x, over_too, x->len);
    lull_x86_land(x, asleep, x->len);
    for (unsigned k = 0; k < e->r->nmasks; k++) {
        store_mask(e, k);
    }
    text(x, "\xc5\xf8\x77", 3); // vzeroupper
}

uint32_t lull_jit_emit_region(struct lull_x86 *x, struct lull_jit_pool *pool,
                              const struct lull_jit_item *items, const struct lull_jit_region *r,
                              unsigned lanes)
{
    const uint32_t stride = r->target->vendor->stride;
    struct emit e; // made.q is set when made.to is.
    lull_jit_clear(&e, offsetof(struct emit, copies));
    e.copies.n = 0;
    e.made.from = e.made.to = 0;
    e.q.x = x;
    e.q.target = r->target;
    e.q.pool = pool;
    e.q.stride = stride != 0 ? stride : 4 * lanes;
    e.r = r;
    e.lanes = lanes;
    unsigned sizes = 0; // Of loads from LDS: see lull_jit_lds_begin().
    const bool saves = !only_choices(&e, items, &e.copies); // Else nothing reads them.
    for (unsigned i = 0; i < r->ninsns; i++) {
        if (items[i].kind == LULL_JIT_ITEM_SCALAR) {
            if (saves) {
                save(x, r, i);
            }
            call_scalar(x, items[i].u);
        }
        if (items[i].kind == LULL_JIT_ITEM_VECTOR && items[i].v[0].choice != 0) {
            make_choice(&e.q, &items[i].v[0]);
        }
        if (items[i].kind == LULL_JIT_ITEM_VECTOR && items[i].v[0].shuffled) {
            lull_jit_emit_shuffle(x, items[i].u, r->area, items[i].v[0].shuffle);
        }
        if (items[i].kind == LULL_JIT_ITEM_LDS) {
            sizes |= 1u << lull_jit_lds_size(items[i].lds.bytes);
            e.nlds++;
            e.equal = e.equal || items[i].lds.equal;
        }
    }
    if (sizes != 0) {
        lull_jit_lds_begin(&e.q, sizes);
    }
    e.equal = e.equal && e.nlds <= LULL_JIT_LDS_KINDS;
    if (e.equal) {
        lull_jit_lds_unknown(x);
    }
    enter(&e);
    strips(&e, items);
    // What is pending at the end may need a register, too.
    return x->full ? 0 : e.q.failed && e.good == r->ninsns ? r->ninsns - 1 : e.good;
}
