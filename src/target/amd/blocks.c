// SPDX-License-Identifier: MIT
// Blocks of breakpoints that stand in code: what is in them, and where they lead.
#include <string.h>

#include "arch/arch.h"
#include "isa/rdna/rdna.h"
#include "isa/rdna_ops.h"
#include "target/amd/breaks.h"
#include "target/amd/debug_priv.h"
#include "target/amd/trap_layout.h"

enum {
    ROOM_IN_BLOCK = (LULL_TRAP_BLOCK_EXIT - LULL_TRAP_BLOCK_CODE) / 4,
    LIVE = 1 << LULL_TRAP_BLOCK_LIVE_BIT,
    TEST = 1 << LULL_TRAP_BLOCK_TEST_BIT,
    MOST_USED = LULL_TRAP_BLOCKS / 4 * 3,
    NO_KEY = 1, // Of a block that nothing leads to any more; 0 would end a search.
};

static const uint64_t VA_MASK = UINT64_C(0xffffffffffff);

static uint64_t canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

static uint8_t *block_at(const struct lull_amd_breaks *b, unsigned i)
{
    return (uint8_t *)b->blocks->map + (size_t)i * LULL_TRAP_BLOCK_SIZE;
}

static uint64_t block_va(const struct lull_amd_breaks *b, unsigned i)
{
    return b->blocks->va + (uint64_t)i * LULL_TRAP_BLOCK_SIZE;
}

static uint64_t get64(const uint8_t *at, unsigned offset)
{
    uint64_t v = 0;
    memcpy(&v, at + offset, sizeof v);
    return v;
}

static void put64(uint8_t *at, unsigned offset, uint64_t v)
{
    memcpy(at + offset, &v, sizeof v);
}

static void put32(uint8_t *at, unsigned offset, uint32_t v)
{
    *(volatile uint32_t *)(void *)(at + offset) = v;
}

static uint64_t key_of(uint64_t va)
{
    return (va & VA_MASK) | (uint64_t)LULL_TRAP_ID_BREAK << 48;
}

/** The block of @p va, or the free one where it belongs. */
static unsigned block_of(const struct lull_amd_breaks *b, uint64_t va, bool *ret_there)
{
    unsigned i = (unsigned)(va / 4) % LULL_TRAP_BLOCKS;
    for (;; i = (i + 1) % LULL_TRAP_BLOCKS) {
        const uint64_t key = get64(block_at(b, i), LULL_TRAP_BLOCK_KEY);
        *ret_there = key == key_of(va);
        if (*ret_there || key == 0) {
            return i;
        }
    }
}

static struct lull_rdna_insn plain(enum lull_rdna_op op, enum lull_rdna_enc enc)
{
    return (struct lull_rdna_insn){.op = (uint16_t)op,
                                   .enc = (uint8_t)enc,
                                   .dst = LULL_RDNA_NONE,
                                   .sdst = LULL_RDNA_NONE,
                                   .src = {LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE},
                                   .vaddr = LULL_RDNA_NONE,
                                   .vdata = LULL_RDNA_NONE};
}

uint32_t lull_amd_trap_word(unsigned id)
{
    uint32_t words[LULL_RDNA_MAX_MADE] = {0};
    struct lull_rdna_insn in = plain(LULL_RDNA_OP_S_TRAP, LULL_RDNA_SOPP);
    in.imm = (int32_t)id;
    (void)lull_rdna_encode(&in, words);
    return words[0];
}

/** Code of a block, while it is made. */
struct made {
    uint32_t words[ROOM_IN_BLOCK + LULL_RDNA_MAX_MADE];
    unsigned n;
    bool good;        ///< The instruction can be moved.
    uint64_t next[2]; ///< Behind the code, and behind a branch in it that is taken.
};

static void add(struct made *m, const struct lull_rdna_insn *in)
{
    uint32_t words[LULL_RDNA_MAX_MADE];
    const unsigned n = lull_rdna_encode(in, words);
    m->good = m->good && n != 0 && m->n + n <= ROOM_IN_BLOCK;
    if (m->good) {
        memcpy(m->words + m->n, words, 4 * n);
        m->n += n;
    }
}

/** SCC stays as it is. */
static void add_address(struct made *m, unsigned reg, uint64_t address)
{
    struct lull_rdna_insn in = plain(LULL_RDNA_OP_S_MOV_B32, LULL_RDNA_SOP1);
    in.src[0] = LULL_RDNA_LITERAL;
    for (unsigned i = 0; i < 2; i++) {
        in.dst = (uint16_t)(reg + i);
        in.literal = (uint32_t)(address >> 32 * i);
        add(m, &in);
    }
}

static void add_call(struct made *m, const struct lull_rdna_insn *in, const struct lull_flow *f)
{
    const unsigned from = in->src[0];
    add_address(m, in->dst, m->next[0]);
    if (f->known) {
        m->next[0] = f->target;
        return;
    }
    struct lull_rdna_insn go = plain(LULL_RDNA_OP_S_SETPC_B64, LULL_RDNA_SOP1);
    go.src[0] = in->src[0];
    add(m, &go);
    m->good = m->good && (from + 1 < in->dst || from > in->dst + 1u);
}

/** FLAGS, and what waves look at instead of them. */
static void put_flags(uint8_t *at, uint32_t flags)
{
    const bool tests = (flags & LIVE) != 0 && (flags & TEST) != 0;
    if (!tests) {
        put64(at, LULL_TRAP_BLOCK_TESTED, 0);
    }
    put32(at, LULL_TRAP_BLOCK_FLAGS, flags);
    if (tests) {
        put64(at, LULL_TRAP_BLOCK_TESTED, get64(at, LULL_TRAP_BLOCK_KEY));
    }
}

/** What does outside of the code what the instruction of @p b does in it. */
static struct made make(const struct lull_amd_break *b)
{
    struct made m = {.good = true, .next = {b->va + b->size}};
    struct lull_rdna_insn in = {0};
    struct lull_insn_room room;
    const struct lull_arch_mode lax = {.lax = true};
    if (lull_rdna_decode_lax(b->code, sizeof b->code, &in) != b->size ||
        lull_arch_rdna3.decode(&lax, b->code, sizeof b->code, &room) != b->size) {
        m.good = false;
        return m;
    }
    const struct lull_flow f = lull_arch_rdna3.flow(lull_insn_in(&room), b->va);
    m.next[1] = f.target;
    if (f.kind == LULL_FLOW_JUMP || f.kind == LULL_FLOW_BRANCH) {
        m.good = in.enc == LULL_RDNA_SOPP;
        in.imm = 1; // Over the first exit.
        add(&m, &in);
    } else if (f.kind == LULL_FLOW_CALL) {
        add_call(&m, &in, &f);
    } else if (in.op == LULL_RDNA_OP_S_GETPC_B64) {
        add_address(&m, in.dst, m.next[0]);
    } else if (in.op == LULL_RDNA_OP_S_CLAUSE) { // What follows is not the clause.
        in = plain(LULL_RDNA_OP_S_NOP, LULL_RDNA_SOPP);
        in.imm = 0;
        add(&m, &in);
    } else {
        m.good = f.kind != LULL_FLOW_TRAP && in.op != LULL_RDNA_OP_S_SUBVECTOR_LOOP_BEGIN &&
                 in.op != LULL_RDNA_OP_S_SUBVECTOR_LOOP_END;
        m.n = b->size / 4;
        memcpy(m.words, b->code, b->size);
    }
    return m;
}

bool lull_amd_block_fill(struct lull_amd_breaks *b, const struct lull_amd_break *is)
{
    const struct made m = make(is);
    bool there = false;
    unsigned i = block_of(b, is->va, &there);
    const unsigned start = LULL_TRAP_BLOCK_EXIT - 4 * m.n;
    if (!m.good) {
        return false;
    }
    uint8_t *at = block_at(b, i);
    const bool same = there && get64(at, LULL_TRAP_BLOCK_START) == block_va(b, i) + start &&
                      memcmp(at + start, m.words, 4 * m.n) == 0 &&
                      get64(at, LULL_TRAP_BLOCK_NEXT + 8) == (m.next[1] & VA_MASK);
    if (!same && b->used == MOST_USED) {
        return false;
    }
    if (there && !same) { // A wave may be in it.
        put_flags(at, 0);
        put64(at, LULL_TRAP_BLOCK_KEY, NO_KEY);
        i = block_of(b, is->va, &there);
        at = block_at(b, i);
    }
    if (!same) {
        const uint32_t exits = lull_amd_trap_word(LULL_TRAP_ID_EXIT);
        put64(at, LULL_TRAP_BLOCK_SELF, canonical(block_va(b, i) + LULL_TRAP_BLOCK_EXIT));
        put64(at, LULL_TRAP_BLOCK_SELF + 8, canonical(block_va(b, i) + LULL_TRAP_BLOCK_EXIT + 4));
        put64(at, LULL_TRAP_BLOCK_HOME, is->va & VA_MASK);
        put64(at, LULL_TRAP_BLOCK_TEST, 0);
        put64(at, LULL_TRAP_BLOCK_NEXT, m.next[0] & VA_MASK);
        put64(at, LULL_TRAP_BLOCK_NEXT + 8, m.next[1] & VA_MASK);
        put64(at, LULL_TRAP_BLOCK_START, block_va(b, i) + start);
        put_flags(at, 0);
        memcpy(at + start, m.words, 4 * m.n);
        put32(at, LULL_TRAP_BLOCK_EXIT, exits);
        put32(at, LULL_TRAP_BLOCK_EXIT + 4, exits);
        put64(at, LULL_TRAP_BLOCK_KEY, key_of(is->va));
        b->used++;
    }
    const uint32_t test = same ? (uint32_t)get64(at, LULL_TRAP_BLOCK_FLAGS) & TEST : 0;
    put_flags(at, test | LIVE);
    return true;
}

void lull_amd_block_rest(struct lull_amd_breaks *b, uint64_t va)
{
    bool there = false;
    const unsigned i = block_of(b, va, &there);
    if (there) {
        put_flags(block_at(b, i), (uint32_t)get64(block_at(b, i), LULL_TRAP_BLOCK_FLAGS) & TEST);
    }
}

uint64_t lull_amd_block_test(const struct lull_amd_breaks *b, uint64_t va)
{
    bool there = false;
    const unsigned i = block_of(b, va, &there);
    return there ? get64(block_at(b, i), LULL_TRAP_BLOCK_TEST) : 0;
}

void lull_amd_block_set_test(struct lull_amd_breaks *b, uint64_t va, uint64_t test)
{
    bool there = false;
    uint8_t *at = block_at(b, block_of(b, va, &there));
    if (there && test != 0) {
        put64(at, LULL_TRAP_BLOCK_TEST, test);
    }
    if (there) {
        const uint32_t flags = (uint32_t)get64(at, LULL_TRAP_BLOCK_FLAGS) & ~(uint32_t)TEST;
        put_flags(at, flags | (test != 0 ? (uint32_t)TEST : 0));
    }
}

bool lull_amd_breaks_stand(const struct lull_amd_target *t, uint64_t va)
{
    bool there = false;
    if (t->breaks.blocks == NULL) {
        return false;
    }
    const unsigned i = block_of(&t->breaks, va, &there);
    return there &&
           (get64(block_at(&t->breaks, i), LULL_TRAP_BLOCK_FLAGS) >> LULL_TRAP_BLOCK_LIVE_BIT &
            1) != 0;
}

uint64_t lull_amd_breaks_detour(const struct lull_amd_target *t, uint64_t va)
{
    bool there = false;
    if (!lull_amd_breaks_stand(t, va)) {
        return va;
    }
    return get64(block_at(&t->breaks, block_of(&t->breaks, va, &there)), LULL_TRAP_BLOCK_START);
}

uint64_t lull_amd_breaks_origin(const struct lull_amd_target *t, uint64_t pc)
{
    const struct lull_amd_breaks *b = &t->breaks;
    const uint64_t offset = b->blocks != NULL ? (pc - b->blocks->va) & VA_MASK : UINT64_MAX;
    if (offset >= (uint64_t)LULL_TRAP_BLOCKS * LULL_TRAP_BLOCK_SIZE) {
        return pc;
    }
    const uint8_t *at = block_at(b, (unsigned)(offset / LULL_TRAP_BLOCK_SIZE));
    const unsigned in = offset % LULL_TRAP_BLOCK_SIZE;
    return canonical(in < LULL_TRAP_BLOCK_EXIT
                         ? get64(at, LULL_TRAP_BLOCK_HOME)
                         : get64(at, LULL_TRAP_BLOCK_NEXT + (in - LULL_TRAP_BLOCK_EXIT) / 4 * 8));
}
