// SPDX-License-Identifier: MIT
// rdi, r12: the wave; ebp: instructions still to be executed; on the stack: struct
// lull_exec_exit. What leaves has the result in eax and its instruction in rcx.
#include "jit/unit.h"
#include "jit/jumps.h"
#include "jit/loop.h"
#include "jit/scalar.h"
#include "jit/tree.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FIXES = 4 * LULL_JIT_MAX_BLOCKS };
enum { CC_BELOW = 2, CC_E = 4, CC_NE = 5, CC_LESS_EQUAL = 14 };

/** Instructions that can stand in a block, besides its last jump: none that observers are told of.
 * The end of the wave always leaves compiled code. */
static bool can_stand(const struct lull_uop *u)
{
    return u != NULL && (u->cls != LULL_UOP_FULL || u->in->op == LULL_RDNA_OP_S_ENDPGM) &&
           u->cls != LULL_UOP_TRAP && !u->loud;
}

static void add_block(struct lull_jit_unit *unit, uint32_t at)
{
    if (at < LULL_CODE_DWORDS && lull_jit_find_block(unit, at) < 0 &&
        unit->n < LULL_JIT_MAX_BLOCKS) {
        unit->block[unit->n++] = (struct lull_jit_block){.at = at};
        unit->number[at] = (uint16_t)unit->n;
    }
}

/** The instructions of block @p b, and blocks that it jumps to. */
static void scan(const struct lull_jit_maker *m, struct lull_jit_unit *unit, unsigned k)
{
    struct lull_jit_block *b = &unit->block[k];
    uint32_t at = b->at;
    while (b->ninsns < LULL_JIT_MAX_BLOCK && (at == b->at || lull_jit_find_block(unit, at) < 0)) {
        const struct lull_uop *u = lull_jit_uop_at(m->w, m->p, at);
        if (!can_stand(u)) {
            break;
        }
        b->ninsns++;
        unit->nvgprs = u->nvgprs > unit->nvgprs ? u->nvgprs : unit->nvgprs;
        const enum lull_jit_jump jump = lull_jit_jump_of(u);
        if (jump != LULL_JIT_NO_JUMP) {
            const uint32_t target = lull_jit_target_of(u, at);
            b->jumps = true;
            add_block(unit, target);
            if (target <= at && lull_jit_find_block(unit, target) >= 0) {
                unit->block[lull_jit_find_block(unit, target)].again = true;
            }
            if (jump != LULL_JIT_ALWAYS) {
                add_block(unit, at + 1);
            }
            at++;
            break;
        }
        at += u->ndwords;
        if (u->in->op == LULL_RDNA_OP_S_BARRIER) { // The wave comes back here.
            add_block(unit, at);
            break;
        }
        if (u->in->op == LULL_RDNA_OP_S_ENDPGM) {
            break;
        }
    }
    b->end = at;
    if (b->ninsns == LULL_JIT_MAX_BLOCK && !b->jumps) {
        add_block(unit, at);
    }
    unit->ninsns += b->ninsns;
}

void lull_jit_find_unit(const struct lull_jit_maker *m, unsigned i, struct lull_jit_unit *ret)
{
    memset(ret, 0, offsetof(struct lull_jit_unit, block));
    add_block(ret, i);
    for (unsigned k = 0; k < ret->n; k++) {
        scan(m, ret, k);
    }
}

/** A unit being emitted. What has a number of its own is not cleared before. */
struct emit {
    const struct lull_jit_maker *m;
    struct lull_jit_unit *unit;
    uint32_t next; // The dword whose block is emitted next.
    struct {
        size_t at;   // Where code ended behind which the host's flags still say SCC:
        unsigned cc; // it is 1 by this condition.
    } flags;
    struct lull_jit_region *spare; // NULL: none
    bool failed;
    unsigned nfixes, npauses, nends;
    struct {
        size_t at;       // A jump,
        uint32_t target; // and where it goes: a dword.
    } fix[MAX_FIXES];
    struct {
        size_t at;       // The jump where no instructions are left,
        uint32_t target; // and the dword that would be next.
    } pause[LULL_JIT_MAX_BLOCKS];
    size_t end[MAX_FIXES + 8 * LULL_JIT_MAX_BLOCK]; // Jumps to the end.
    struct lull_jit_loop loop;
    struct lull_jit_tree tree;
};

static void text(const struct emit *e, const char *bytes, size_t n)
{
    lull_x86_bytes(e->m->x, bytes, n);
}

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/** w->pc is dword @p at. */
static void set_pc(const struct emit *e, uint32_t at)
{
    const int64_t page = (int64_t)(e->m->p->number << LULL_PAGE_SHIFT);
    // A target may be in front of the page.
    lull_x86_load_imm(e->m->x, LULL_RAX, (uint64_t)(page + 4 * (int64_t)(int32_t)at));
    text(e, "\x48\x89\x87", 3); // mov [rdi+disp32], rax
    lull_x86_u32(e->m->x, offsetof(struct lull_wave, pc));
}

static void jump_to_end(struct emit *e)
{
    if (e->nends == sizeof e->end / sizeof e->end[0]) {
        e->failed = true;
        return;
    }
    e->end[e->nends++] = lull_x86_jump(e->m->x, LULL_JMP);
}

/** An instruction that ends with a 32-bit displacement. */
static void with(const struct emit *e, const char *bytes, size_t n, size_t disp)
{
    text(e, bytes, n);
    lull_x86_u32(e->m->x, (uint32_t)disp);
}

/** Go on in the other page that rax, dword @p at from here, is in, if it is known where. */
static void follow(struct emit *e, uint32_t at)
{
    const struct lull_wave *w = e->m->w;
    struct lull_x86 *x = e->m->x;
    const uint64_t pc = (e->m->p->number << LULL_PAGE_SHIFT) + 4 * (uint64_t)(int64_t)(int32_t)at;
    const size_t link = offsetof(struct lull_jit_area, links) +
                        lull_exec_link_of(pc) * sizeof(struct lull_exec_link);
    size_t out[5];
    with(e, "\x49\x3b\x87", 3, link + offsetof(struct lull_exec_link, pc)); // cmp rax,[r15+disp]
    out[0] = lull_x86_jump(x, CC_NE);
    lull_x86_load_imm(x, LULL_RAX, address(lull_code_epoch(w->code)));
    text(e, "\x48\x8b\x00", 3); // mov rax,[rax]
    with(e, "\x49\x3b\x87", 3, link + offsetof(struct lull_exec_link, epoch));
    out[1] = lull_x86_jump(x, CC_NE);
    with(e, "\x8b\x87", 2, offsetof(struct lull_wave, mode));                 // mov eax,[rdi+disp]
    with(e, "\x41\x3b\x87", 3, link + offsetof(struct lull_exec_link, mode)); // cmp eax,[r15+disp]
    out[2] = lull_x86_jump(x, CC_NE);
    with(e, "\x8b\x87", 2, offsetof(struct lull_wave, nvgprs));
    with(e, "\x41\x3b\x87", 3, link + offsetof(struct lull_exec_link, nvgprs));
    out[3] = lull_x86_jump(x, CC_BELOW);
    with(e, "\x41\x81\xbf", 3, link + offsetof(struct lull_exec_link, lanes)); // cmp dword, imm32
    lull_x86_u32(x, w->lanes);
    out[4] = lull_x86_jump(x, CC_NE);
    with(e, "\x41\xff\xa7", 3, link + offsetof(struct lull_exec_link, inside)); // jmp [r15+disp]
    for (unsigned i = 0; i < sizeof out / sizeof out[0]; i++) {
        lull_x86_land(x, out[i], x->len);
    }
}

/** Leave with w->pc at dword @p at. */
static void leave(struct emit *e, uint32_t at)
{
    set_pc(e, at);
    if (at >= LULL_CODE_DWORDS && e->m->w->table == LULL_TABLE_PLAIN) {
        follow(e, at);
    }
    text(e, "\x31\xc0\x31\xc9", 4); // xor eax,eax; xor ecx,ecx
    jump_to_end(e);
}

static void jump_to(struct emit *e, unsigned cc, uint32_t target)
{
    if (e->nfixes == MAX_FIXES) {
        e->failed = true;
        return;
    }
    e->fix[e->nfixes].at = lull_x86_jump(e->m->x, cc);
    e->fix[e->nfixes++].target = target;
}

/** add or sub of ebp, by /0 or /5. */
static void budget(const struct emit *e, unsigned modrm, uint32_t n)
{
    lull_x86_byte(e->m->x, 0x81);
    lull_x86_byte(e->m->x, modrm);
    lull_x86_u32(e->m->x, n);
}

enum { ADD = 0xc5, SUB = 0xed };

/** Notice if the code so far ends by storing a condition as SCC: then a jump can take it. */
static void note_flags(struct emit *e)
{
    const int cc = lull_jit_scc_condition(e->m->x);
    if (cc >= 0) {
        e->flags.at = e->m->x->len;
        e->flags.cc = (unsigned)cc;
    }
}

/** s_getpc_b64 at dword @p at: where it stands is known. False: it is something else. */
static bool getpc(const struct emit *e, const struct lull_uop *u, uint32_t at)
{
    const unsigned d = u->in->dst;
    if (u->in->op != LULL_RDNA_OP_S_GETPC_B64 || u->ttmp || d + 1 >= LULL_RDNA_TTMP0) {
        return false;
    }
    const uint64_t next = (e->m->p->number << LULL_PAGE_SHIFT) + 4 * (uint64_t)(at + u->ndwords);
    lull_x86_load_imm(e->m->x, LULL_RAX, next);
    text(e, "\x48\x89\x87", 3); // mov [rdi+disp32],rax
    lull_x86_u32(e->m->x, (uint32_t)(offsetof(struct lull_wave, sgpr) + 4 * (size_t)d));
    return true;
}

/** Call the interpreter's function of @p u, the instruction at dword @p at, behind @p done others
 * of @p b. */
static void call(struct emit *e, const struct lull_jit_block *b, const struct lull_uop *u,
                 uint32_t at, uint32_t done)
{
    struct lull_x86 *x = e->m->x;
    if (getpc(e, u, at)) {
        return;
    }
    if (lull_jit_emit_scalar(x, u)) {
        note_flags(e);
        return;
    }
    const bool plain = lull_jit_is_scalar(u) || u->cls == LULL_UOP_INLINE;
    if (!plain) {
        set_pc(e, at);
    }
    lull_x86_load_imm(x, LULL_RSI, address(u));
    lull_x86_call(x, (uint64_t)(uintptr_t)u->fn);
    lull_x86_move(x, LULL_RDI, LULL_R12);
    if (plain) {
        return;
    }
    text(e, "\x85\xc0", 2); // test eax,eax
    const size_t good = lull_x86_jump(x, CC_E);
    budget(e, ADD, b->ninsns - done);
    text(e, "\x48\xb9", 2); // mov rcx, imm64
    lull_x86_u32(x, (uint32_t)address(u));
    lull_x86_u32(x, (uint32_t)(address(u) >> 32));
    jump_to_end(e);
    lull_x86_land(x, good, x->len);
}

/** A region at dword @p at of at most @p left instructions, if there is one. @return how many it
 * has. */
static uint32_t region(struct emit *e, uint32_t at, unsigned left, uint32_t *ndwords)
{
    const struct lull_jit_maker *m = e->m;
    struct lull_jit_region *r = e->spare != NULL ? e->spare : malloc(sizeof *r);
    e->spare = r;
    if (r == NULL) {
        e->failed = true;
        return 0;
    }
    r->area = m->area;
    r->target = m->target;
    unsigned most = left < LULL_JIT_MAX_REGION ? left : LULL_JIT_MAX_REGION;
    unsigned n = 0, good = 0;
    const size_t before = m->x->len;
    do {
        m->x->len = before;
        n = lull_jit_find_region(m->w, m->p, at, m->mode, most, m->items, r);
        good = n != 0 ? lull_jit_emit_region(m->x, m->pool, m->items, r, m->w->lanes) : 0;
        most = good; // Too much for the registers: up to there, or one by one.
    } while (n != 0 && good != 0 && good < r->ninsns);
    if (n == 0 || good == 0) {
        m->x->len = before;
        return 0;
    }
    e->spare = NULL;
    r->next = e->unit->regions;
    e->unit->regions = r;
    e->unit->nvectors += n;
    e->unit->nvgprs = r->nvgprs > e->unit->nvgprs ? r->nvgprs : e->unit->nvgprs;
    *ndwords = r->ndwords;
    return r->ninsns;
}

/** Go on at @p target, which may be what comes next anyway. */
static void go_on(struct emit *e, uint32_t target)
{
    if (target != e->next) {
        jump_to(e, LULL_JMP, target);
    }
}

/** The jump at the end of a block. */
static void jump(struct emit *e, const struct lull_uop *u, uint32_t at)
{
    struct lull_x86 *x = e->m->x;
    const enum lull_jit_jump kind = lull_jit_jump_of(u);
    const uint32_t target = lull_jit_target_of(u, at);
    if (kind == LULL_JIT_ALWAYS) {
        go_on(e, target);
        return;
    }
    if (kind <= LULL_JIT_SCC1 && e->flags.at == x->len) {
        jump_to(e, e->flags.cc ^ (kind == LULL_JIT_SCC0), target);
        go_on(e, at + 1);
        return;
    }
    const bool wide = kind > LULL_JIT_SCC1 && e->m->w->lanes == 64;
    const unsigned sgpr = kind >= LULL_JIT_EXECZ ? LULL_RDNA_EXEC : LULL_RDNA_VCC;
    if (wide) {
        lull_x86_byte(x, 0x48);
    }
    text(e, "\x83\xbf", 2); // cmp [rdi+disp32], imm8
    lull_x86_u32(x, kind <= LULL_JIT_SCC1 ? (uint32_t)offsetof(struct lull_wave, scc)
                                          : (uint32_t)lull_jit_at_mask(sgpr).disp);
    lull_x86_byte(x, 0);
    jump_to(e,
            kind == LULL_JIT_SCC0 || kind == LULL_JIT_VCCZ || kind == LULL_JIT_EXECZ ? CC_E : CC_NE,
            target);
    go_on(e, at + 1);
}

/** The loop that @p b begins, if there is one, in front of its code. */
static void loop(struct emit *e, const struct lull_jit_block *b)
{
    struct lull_jit_loop_exits exits;
    if (!lull_jit_find_loop(e->m, e->unit, b, &e->loop) ||
        !lull_jit_emit_loop(e->m, &e->loop, &exits)) {
        return;
    }
    e->unit->nvectors += e->loop.nitems;
    for (unsigned i = 0; i < exits.n; i++) {
        if (e->nfixes == MAX_FIXES) {
            e->failed = true;
            return;
        }
        e->fix[e->nfixes].at = exits.to[i].at;
        e->fix[e->nfixes++].target = exits.to[i].target;
    }
}

/** The decisions that @p b ends with, in front of the code of its last instructions. */
static void tree(struct emit *e, const struct lull_jit_block *b)
{
    size_t at[LULL_JIT_TREE_ENDS];
    if (e->nfixes + LULL_JIT_TREE_ENDS > MAX_FIXES) {
        e->failed = true;
        return;
    }
    lull_jit_emit_tree(e->m, b, &e->tree, at);
    for (unsigned i = 0; i < e->tree.nends; i++) {
        e->fix[e->nfixes].at = at[i];
        e->fix[e->nfixes++].target = e->tree.end[i];
    }
}

static void block(struct emit *e, struct lull_jit_block *b)
{
    struct lull_x86 *x = e->m->x;
    b->code = x->len;
    if (b->ninsns == 0) {
        leave(e, b->at);
        return;
    }
    text(e, "\x85\xed", 2); // test ebp,ebp
    e->pause[e->npauses].at = lull_x86_jump(x, CC_LESS_EQUAL);
    e->pause[e->npauses++].target = b->at;
    loop(e, b);
    budget(e, SUB, b->ninsns);
    uint32_t at = b->at;
    const uint32_t n = b->ninsns - (b->jumps ? 1 : 0);
    const bool decides = lull_jit_find_tree(e->m, e->unit, b, &e->tree);
    for (uint32_t done = 0; done < n && !e->failed;) {
        const struct lull_uop *u = &e->m->p->uop[at];
        uint32_t ndwords = 0;
        if (decides && done == e->tree.done) {
            tree(e, b);
        }
        const uint32_t end = decides && done < e->tree.done ? e->tree.done : b->ninsns;
        const uint32_t k = region(e, at, end - done, &ndwords);
        if (k == 0 && u->cls != LULL_UOP_SKIP) {
            call(e, b, u, at, done);
        }
        done += k != 0 ? k : 1;
        at += k != 0 ? ndwords : u->ndwords;
    }
    if (b->jumps) {
        jump(e, &e->m->p->uop[at], at);
    } else {
        go_on(e, b->end);
    }
}

/** All blocks, in the order of their addresses: most go on in the one behind them. */
static void blocks(struct emit *e)
{
    struct lull_jit_block *last = NULL;
    uint32_t first = LULL_CODE_DWORDS, end = 0;
    for (unsigned k = 0; k < e->unit->n; k++) {
        const uint32_t at = e->unit->block[k].at;
        first = at < first ? at : first;
        end = at < end ? end : at + 1;
    }
    for (uint32_t at = first; at < end; at++) {
        const int k = lull_jit_find_block(e->unit, at);
        if (k >= 0 && last != NULL) {
            e->next = at;
            block(e, last);
        }
        last = k >= 0 ? &e->unit->block[k] : last;
    }
    e->next = UINT32_MAX;
    block(e, last);
    for (unsigned k = 0; k < e->npauses; k++) {
        lull_x86_land(e->m->x, e->pause[k].at, e->m->x->len);
        leave(e, e->pause[k].target);
    }
}

/** Code that is called, for each block, and what all of it ends with. */
static void enter_and_end(struct emit *e)
{
    struct lull_x86 *x = e->m->x;
    for (unsigned k = 0; k < e->unit->n; k++) {
        struct lull_jit_block *b = &e->unit->block[k];
        b->entry = x->len;
        text(e, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x56", 11); // push rbx, rbp, r12-r15, rsi
        text(e, "\x8b\x2e", 2);                                      // mov ebp,[rsi]
        lull_x86_move(x, LULL_R12, LULL_RDI);
        lull_x86_load_imm(x, LULL_R14, address(e->m->pool->bytes));
        lull_x86_load_imm(x, LULL_R15, address(e->m->area));
        lull_x86_land(x, lull_x86_jump(x, LULL_JMP), b->code);
    }
    for (unsigned k = 0; k < e->nends; k++) {
        lull_x86_land(x, e->end[k], x->len);
    }
    text(e, "\x5e\x89\x2e\x89\x46\x04\x48\x89\x4e\x08", 10); // pop rsi; left, result, u
    text(e, "\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3", 11);
}

bool lull_jit_emit_unit(const struct lull_jit_maker *m, struct lull_jit_unit *unit)
{
    struct emit *e = m->room;
    memset(e, 0, offsetof(struct emit, fix));
    e->tree.begun = false;
    e->m = m;
    e->unit = unit;
    blocks(e);
    for (unsigned k = 0; k < e->nfixes; k++) {
        const int to = lull_jit_find_block(unit, e->fix[k].target);
        lull_x86_land(m->x, e->fix[k].at, to >= 0 ? unit->block[to].code : m->x->len);
        if (to < 0) {
            leave(e, e->fix[k].target);
        }
    }
    enter_and_end(e);
    free(e->spare);
    return !e->failed && !m->x->full;
}

size_t lull_jit_unit_room(void)
{
    return sizeof(struct emit);
}

void lull_jit_free_regions(struct lull_jit_region *regions)
{
    while (regions != NULL) {
        struct lull_jit_region *r = regions;
        regions = r->next;
        free(r);
    }
}
