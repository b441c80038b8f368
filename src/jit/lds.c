// SPDX-License-Identifier: MIT
// r8: the workgroup's LDS. rcx, rdx, rsi: where the lanes of a strip stand, by one address VGPR
// each: the place of all; or with RUN, of the first, the others one after the other; or APART.
#include "jit/lds.h"

#include "jit/machine.h"

#include "jit/masks.h"

#include "model/amd/mem/ds.h"

enum {
    RUN = INT32_MIN,
    APART = 1 << 30,
};

enum { JB = 2, JBE = 6, JA = 7, JS = 8, JAE = 3 };

static const uint8_t kinds[LULL_JIT_LDS_KINDS] = {LULL_RCX, LULL_RDX, LULL_RSI};
static const struct lull_vex vex_gather = {2, 1, 0, 1, 0x90}, vex_add = {1, 1, 0, 1, 0xfe},
                             vex_sub = {1, 1, 0, 1, 0xfa}, vex_and_not = {1, 1, 0, 1, 0xdf},
                             vex_test = {2, 1, 0, 1, 0x17}, vex_test_signs = {2, 1, 0, 1, 0x0e},
                             vex_to_general = {1, 1, 0, 0, 0x7e},
                             vex_from_general = {1, 1, 0, 0, 0x6e};
// vptestmd; vpcmpud of lanes that are on; kortestw.
static const struct lull_vex evex_test = {2, 1, 0, 2, 0x27}, kortest = {1, 0, 0, 0, 0x98};
// vpslld, vpsrld, vpsrad by an immediate, and where reg says which; vpbroadcastb and w, vpmovzxbd
// and wd, vpmovsxbd and wd.
static const struct lull_vex vex_convert = {2, 1, 0, 1, 0x13}; // vcvtph2ps
static const struct lull_vex vex_shift = {1, 1, 0, 1, 0x72};
enum { LEFT = 6, RIGHT = 2, ARITHMETIC = 4 };
static const struct lull_vex spread[2] = {{2, 1, 0, 1, 0x78}, {2, 1, 0, 1, 0x79}},
                             zeros[2] = {{2, 1, 0, 1, 0x31}, {2, 1, 0, 1, 0x33}},
                             signs[2] = {{2, 1, 0, 1, 0x21}, {2, 1, 0, 1, 0x23}};
static const struct lull_evex below = {
    .op = {3, 1, 0, 2, 0x1e}, .k = LULL_JIT_ON - LULL_JIT_K, .unit = 64};
enum { LESS = 1 }; // Predicate of vpcmpud.

static void text(struct lull_x86 *x, const char *bytes, size_t n)
{
    lull_x86_bytes(x, bytes, n);
}

bool lull_jit_lds(const struct lull_uop *u, struct lull_jit_lds *ret)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned half = LULL_MEM_F_D16 | LULL_MEM_F_D16HI;
    const unsigned known = op->bytes < 4 ? half : LULL_MEM_F_TWO | LULL_MEM_F_STRIDE64;
    const bool plain = in->enc == LULL_RDNA_DS && !in->gds && u->cls == LULL_UOP_QUICK &&
                       u->handler != NULL && op->group == LULL_MEM_CLASS_MOVE &&
                       op->kind == LULL_MEM_LOAD && (op->bytes < 3 || op->bytes % 4 == 0) &&
                       (op->flags & ~known) == 0;
    const bool two = (op->flags & LULL_MEM_F_TWO) != 0;
    const bool high = (op->flags & LULL_MEM_F_D16HI) != 0, low = (op->flags & half) != 0 && !high;
    if (!plain || in->vaddr < LULL_RDNA_VGPR0 || in->dst < LULL_RDNA_VGPR0 ||
        op->bytes > (two ? 8 : 16)) {
        return false;
    }
    uint64_t offset[2] = {(uint32_t)in->imm, 0};
    if (two) {
        lull_ds_two_offsets(in, op, offset);
    }
    *ret =
        (struct lull_jit_lds){.address = (uint16_t)(in->vaddr - LULL_RDNA_VGPR0),
                              .dst = (uint16_t)(in->dst - LULL_RDNA_VGPR0),
                              .n = two ? 2 : 1,
                              .bytes = op->bytes,
                              .nregs = op->bytes < 4 ? 1 : op->bytes / 4,
                              .sign = op->element == LULL_MEM_E_I8 || op->element == LULL_MEM_E_I16,
                              .high = high,
                              .keep = high  ? 0x0000ffff
                                      : low ? 0xffff0000
                                            : 0,
                              .offset = {(uint32_t)offset[0], (uint32_t)offset[1]}};
    const uint32_t last = offset[1] > offset[0] ? ret->offset[1] : ret->offset[0];
    ret->end = last + op->bytes;
    return true;
}

unsigned lull_jit_lds_nvgprs(const struct lull_jit_lds *l)
{
    const unsigned end = l->dst + l->n * l->nregs;
    return end > l->address ? end : l->address + 1u;
}

static const uint8_t sizes_of[] = {4, 8, 12, 16, 2, 1};

unsigned lull_jit_lds_size(unsigned bytes)
{
    unsigned size = 0;
    while (size + 1 < sizeof sizes_of && sizes_of[size] != bytes) {
        size++;
    }
    return size;
}

static struct lull_x86_mem at_limit(unsigned bytes)
{
    const size_t at = offsetof(struct lull_jit_area, lds_limit) +
                      sizeof(uint32_t[LULL_JIT_LANES]) * (size_t)lull_jit_lds_size(bytes);
    return (struct lull_x86_mem){LULL_R15, LULL_X86_NONE, (int32_t)at};
}

void lull_jit_lds_base(struct lull_x86 *x)
{
    text(x, "\x48\x8b\x8f", 3); // mov rcx,[rdi+disp32]
    lull_x86_u32(x, offsetof(struct lull_wave, wg));
    text(x, "\x4c\x8b\x81", 3); // mov r8,[rcx+disp32]
    lull_x86_u32(x, offsetof(struct lull_workgroup, lds));
}

void lull_jit_lds_unknown(struct lull_x86 *x)
{
    for (unsigned k = 0; k < LULL_JIT_LDS_KINDS; k++) {
        lull_x86_byte(x, 0xb8 | kinds[k]); // mov reg,APART
        lull_x86_u32(x, APART);
    }
}

void lull_jit_lds_begin(struct lull_jit_window *q, unsigned sizes)
{
    struct lull_x86 *x = q->x;
    lull_jit_lds_base(x);
    text(x, "\x8b\x89", 2); // mov ecx,[rcx+disp32]
    lull_x86_u32(x, offsetof(struct lull_workgroup, lds_size));
    text(x, "\x49\x89\x8f", 3); // mov [r15+disp32],rcx
    lull_x86_u32(x, offsetof(struct lull_jit_area, lds_size));
    text(x, "\x31\xd2", 2); // xor edx,edx
    for (unsigned size = 0; size < sizeof sizes_of; size++) {
        if ((sizes >> size & 1) != 0) {
            text(x, "\x89\xc8\x83\xe8", 4); // mov eax,ecx; sub eax,bytes-1
            lull_x86_byte(x, sizes_of[size] - 1u);
            text(x, "\x0f\x42\xc2", 3); // cmovb eax,edx
            lull_vex_reg(x, vex_from_general, 0, 0, LULL_RAX);
            lull_jit_reg(q, lull_vex_broadcast32, 0, 0, 0);
            lull_jit_store(q, 0, at_limit(sizes_of[size]));
        }
    }
}

/** lea rax,[reg + end]; cmp rax, size of LDS. */
static void compare_end(struct lull_x86 *x, unsigned reg, uint32_t end)
{
    text(x, "\x48\x8d", 2);
    lull_x86_byte(x, 0x80 | reg);
    lull_x86_u32(x, end);
    text(x, "\x49\x3b\x87", 3);
    lull_x86_u32(x, offsetof(struct lull_jit_area, lds_size));
}

/** @return the jump if @p t, differences to the first lane, are all 0. */
static size_t jump_equal(struct lull_jit_window *q, unsigned t)
{
    if (lull_jit_wide(q)) {
        const unsigned m = lull_jit_grab_mask(q), k = m % LULL_JIT_K;
        lull_jit_reg(q, evex_test, k, t, t);
        lull_vex_reg(q->x, kortest, k, 0, k);
        lull_jit_drop(q, m);
    } else {
        lull_vex_reg(q->x, vex_test, t, 0, t);
    }
    return lull_x86_jump(q->x, LULL_JE);
}

/** @return the jump if they are not those of a run. What is in @p t is lost. */
static size_t jump_apart(struct lull_jit_window *q, unsigned t, unsigned step)
{
    uint32_t run[LULL_JIT_LANES];
    for (unsigned i = 0; i < LULL_JIT_LANES; i++) {
        run[i] = i * step;
    }
    const unsigned m = lull_jit_wide(q) ? lull_jit_grab_mask(q) : t, k = m % LULL_JIT_K;
    lull_jit_mem(q, lull_vex_equal32, k, t, lull_jit_at_const(q, lull_jit_const(q, run)));
    if (lull_jit_wide(q)) {
        lull_vex_reg(q->x, kortest, k, 0, k); // Carry: all are.
        lull_jit_drop(q, m);
        return lull_x86_jump(q->x, JAE);
    }
    lull_jit_mask_bits(q, t);
    text(q->x, "\x3d\xff\0\0\0", 5); // cmp eax,0xff
    return lull_x86_jump(q->x, LULL_JNE);
}

/** @return the jump if the lanes stand apart by general register @p reg; or if not, by @p cc. */
static size_t jump_known(struct lull_x86 *x, unsigned reg, unsigned cc)
{
    lull_x86_byte(x, 0x81); // cmp reg,APART
    lull_x86_byte(x, 0xf8 | reg);
    lull_x86_u32(x, APART);
    return lull_x86_jump(x, cc);
}

/** Where the lanes stand whose addresses are in @p p, to general register @p reg. @p t is lost. */
static void classify(struct lull_jit_window *q, unsigned p, unsigned reg, unsigned step,
                     uint32_t end, unsigned t)
{
    struct lull_x86 *x = q->x;
    if (lull_jit_wide(q)) {
        lull_evex_reg(x, (struct lull_evex){.op = vex_to_general}, p, 0, reg);
    } else {
        lull_vex_reg(x, vex_to_general, p, 0, reg);
    }
    lull_jit_reg(q, lull_vex_broadcast32, t, 0, p);
    lull_jit_reg(q, vex_sub, t, p, t);
    const size_t equal = jump_equal(q, t);
    const size_t apart = jump_apart(q, t, step);
    compare_end(x, reg, end + step * (q->target->lanes - 1)); // The last of a run is so far behind.
    const size_t outside = lull_x86_jump(x, JA);
    lull_x86_byte(x, 0x81); // or reg,RUN
    lull_x86_byte(x, 0xc8 | reg);
    lull_x86_u32(x, (uint32_t)RUN);
    const size_t over = lull_x86_jump(x, LULL_JMP);
    lull_x86_land(x, equal, x->len);
    compare_end(x, reg, end);
    const size_t inside = lull_x86_jump(x, JBE);
    lull_x86_land(x, apart, x->len);
    lull_x86_land(x, outside, x->len);
    lull_x86_byte(x, 0xb8 | reg); // mov reg,APART
    lull_x86_u32(x, APART);
    lull_x86_land(x, over, x->len);
    lull_x86_land(x, inside, x->len);
}

/** The general register that says where the lanes stand, by their addresses in @p p. @p t is lost.
 * @p before: the jump of strips that most likely stand as the one before did, 0: there is none: of
 * one address for all, if that was inside; else if lanes stood apart, since a gather is right of
 * any. */
static unsigned kind_of(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned p,
                        unsigned t, struct lull_jit_lds_known *known, size_t *before)
{
    const uint8_t step = l->bytes < 4 ? l->bytes : 4;
    *before = 0;
    for (unsigned k = 0; k < LULL_JIT_LDS_KINDS; k++) {
        if (known->used[k] && known->vgpr[k] == l->address && known->step[k] == step) {
            return kinds[k];
        }
    }
    const unsigned k = known->next++ % LULL_JIT_LDS_KINDS;
    known->used[k] = true;
    known->vgpr[k] = l->address;
    known->step[k] = step;
    if (known->few && !lull_jit_wide(q) && known->equal == l->equal) {
        *before = jump_known(q->x, kinds[k], l->equal ? LULL_JNE : LULL_JE);
    }
    classify(q, p, kinds[k], step, l->end, t);
    return kinds[k];
}

void lull_jit_lds_forget(struct lull_jit_lds_known *known, uint32_t vgpr)
{
    for (unsigned k = 0; k < LULL_JIT_LDS_KINDS; k++) {
        known->used[k] &= known->vgpr[k] != vgpr;
    }
}

/** rax is the places of lanes 2 * @p pair and the next, from vector @p place, the upper half of
 * which is in @p upper; or from register file @p file, if that has them. */
static void load_pair(struct lull_x86 *x, unsigned place, unsigned upper,
                      const struct lull_x86_mem *file, unsigned pair)
{
    const struct lull_vex first = {1, 1, 1, 0, 0x7e}, second = {3, 1, 1, 0, 0x16}; // vmovq, vpextrq
    if (file != NULL) {
        text(x, "\x49\x8b\x85", 3); // mov rax,[r13+disp32]
        lull_x86_u32(x, (uint32_t)file->disp + 8 * pair);
        return;
    }
    lull_vex_reg(x, pair % 2 == 0 ? first : second, pair < 2 ? place : upper, 0, LULL_RAX);
    if (pair % 2 != 0) {
        lull_x86_byte(x, 1);
    }
}

/** An element of all lanes, which are all inside, one by one: Zen 3 takes 10 cycles for a gather,
 * and 5 or 7 for this. (Through memory, where they would have to be stored first, it is 14.)
 * @p temp[1] and @p temp[2] are lost. */
static void load_each(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned place,
                      const struct lull_x86_mem *file, const unsigned *d, const unsigned temp[3])
{
    struct lull_x86 *x = q->x;
    const struct lull_vex one = {1, 1, 0, 0, 0x6e}, next = {3, 1, 0, 0, 0x22},
                          half = {3, 1, 0, 1, 0x39}, join = {3, 1, 0, 1, 0x38};
    // vmovd, vpinsrd, vextracti128, vinserti128.
    for (unsigned i = 0; i < l->nregs; i++) {
        if (file == NULL) {
            lull_vex_reg(x, half, place, 0, temp[1]);
            lull_x86_byte(x, 1);
        }
        for (unsigned lane = 0; lane < q->target->lanes; lane++) {
            const unsigned to = lane < 4 ? d[i] : temp[2], part = lane % 4;
            const uint8_t index = lane % 2 == 0 ? LULL_R11 : LULL_RAX;
            if (lane % 2 == 0) {
                load_pair(x, place, temp[1], file, lane / 2);
                text(x, "\x41\x89\xc3\x48\xc1\xe8\x20", 7); // mov r11d,eax; shr rax,32
            }
            lull_vex_mem(x, part == 0 ? one : next, to, part == 0 ? 0 : to,
                         (struct lull_x86_mem){LULL_R8, index, (int32_t)(4 * i)});
            if (part != 0) {
                lull_x86_byte(x, part);
            }
        }
        lull_vex_reg(x, join, d[i], d[i], temp[2]);
        lull_x86_byte(x, 1);
    }
}

/** Each lane from its own place, those that are on and inside; the others are 0. @p temp[2] is
 * lost.
 */
static void gather(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned place,
                   const unsigned *d, const unsigned temp[3])
{
    struct lull_x86 *x = q->x;
    const unsigned mask = temp[1], spent = temp[2];
    for (unsigned i = 0; i < l->nregs; i++) {
        const struct lull_x86_mem m = {LULL_R8, (uint8_t)place, (int32_t)(4 * i)};
        lull_jit_copy(q, spent, mask);
        lull_jit_reg(q, lull_vex_zero, d[i], d[i], d[i]);
        if (lull_jit_wide(q)) {
            const uint8_t k = (uint8_t)(spent % LULL_JIT_K);
            lull_evex_mem(x, (struct lull_evex){.op = {2, 1, 0, 2, 0x90}, .k = k}, d[i], 0, m);
        } else {
            lull_vex_mem(x, vex_gather, d[i], spent, m);
        }
    }
}

/** @p temp[1] is lanes that are inside at @p place, and others that are off or not by sign alone.
 * @return the jump if all that have to be are inside; 0: it is not looked for. @p all: those that
 * are off, too. */
static size_t find_inside(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned place,
                          const unsigned temp[3], bool all)
{
    struct lull_x86 *x = q->x;
    const unsigned mask = temp[1];
    if (lull_jit_wide(q)) {
        lull_evex_mem(x, below, mask % LULL_JIT_K, place, at_limit(l->bytes));
        lull_x86_byte(x, LESS);
        return 0;
    }
    lull_vex_mem(x, vex_sub, mask, place, at_limit(l->bytes));
    lull_vex_reg(x, vex_and_not, mask, place, mask);
    if (all) { // Carry: all have a sign.
        lull_vex_mem(x, vex_test_signs, mask, 0, lull_jit_at_const(q, LULL_JIT_SIGN));
    } else {
        lull_vex_reg(x, vex_test_signs, mask, 0, LULL_JIT_EXEC);
    }
    return q->spare ? lull_x86_jump(x, JB) : 0;
}

/** An element that stands apart, from the addresses in @p p. */
static void load_apart(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned element,
                       unsigned p, const unsigned *d, const unsigned temp[3])
{
    struct lull_x86 *x = q->x;
    const uint32_t offset = l->offset[element];
    const struct lull_jit_slot *s = &q->slot[p];
    const bool there = offset == 0 && s->kind == LULL_JIT_VGPR && !s->dirty;
    const struct lull_x86_mem file = lull_jit_at_vgpr(q, l->address);
    unsigned place = p;
    if (offset != 0) {
        place = temp[0];
        lull_jit_mem(q, vex_add, place, p, lull_jit_at_const(q, lull_jit_const32(q, offset)));
    }
    if (!lull_jit_wide(q) && !there) { // Lanes that are off read what is first.
        lull_vex_reg(x, lull_vex_and_int, temp[0], place, LULL_JIT_EXEC);
        place = temp[0];
    }
    const size_t inside = find_inside(q, l, place, temp, there);
    if (!lull_jit_wide(q)) {
        lull_vex_reg(x, lull_vex_and_int, temp[1], temp[1], LULL_JIT_EXEC);
    }
    gather(q, l, place, d, temp);
    if (inside != 0) {
        const size_t over = lull_x86_jump(x, LULL_JMP);
        lull_x86_land(x, inside, x->len);
        load_each(q, l, place, there ? &file : NULL, d, temp);
        lull_x86_land(x, over, x->len);
    }
}

static void shift(struct lull_jit_window *q, unsigned which, unsigned p, unsigned by)
{
    if (by != 0) {
        lull_jit_reg(q, vex_shift, which, p, p);
        lull_x86_byte(q->x, by);
    }
}

/** Less than a dword at the bottom of the lanes of @p d, behind what is not of it, as it goes into
 * its register. */
static void extend(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned d)
{
    enum { BITS = 32, HALF = 16 };
    if (l->wide) {
        q->target->machine->widen(q, d, d, false);
        return;
    }
    const unsigned over = BITS - 8u * l->bytes, right = l->sign ? ARITHMETIC : RIGHT;
    shift(q, LEFT, d, over);
    shift(q, right, d, l->keep != 0 ? over - HALF : over);
    shift(q, RIGHT, d, l->keep != 0 && !l->high ? HALF : 0);
}

/** The same of a run in memory. */
static void load_run(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned d,
                     struct lull_x86_mem m)
{
    enum { HALF = 16 };
    const bool cut = l->keep != 0 && !l->high && l->sign;
    if (l->wide) {
        lull_jit_mem(q, vex_convert, d, 0, m);
        return;
    }
    if (l->bytes >= 4) {
        lull_jit_load(q, d, m);
        return;
    }
    lull_jit_mem(q, l->sign ? signs[l->bytes - 1] : zeros[l->bytes - 1], d, 0, m);
    shift(q, LEFT, d, l->high || cut ? HALF : 0);
    shift(q, RIGHT, d, cut ? HALF : 0);
}

/** What is at one place, for all lanes. */
static void load_equal(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned d,
                       struct lull_x86_mem m)
{
    if (l->bytes >= 4) {
        lull_jit_mem(q, lull_vex_broadcast32, d, 0, m);
        return;
    }
    lull_jit_mem(q, spread[l->bytes - 1], d, 0, m);
    if (l->wide) { // All words are the same.
        lull_jit_reg(q, vex_convert, d, 0, d);
    } else {
        extend(q, l, d);
    }
}

/** One element to registers @p d. @p before: what kind_of() said. */
static void load_element(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned element,
                         unsigned kind, unsigned p, const unsigned *d, const unsigned temp[3],
                         size_t before)
{
    struct lull_x86 *x = q->x;
    const unsigned n = l->nregs;
    const uint32_t offset = l->offset[element];
    lull_x86_byte(x, 0x85); // test kind,kind
    lull_x86_byte(x, 0xc0 | kind << 3 | kind);
    const size_t run = lull_x86_jump(x, JS);
    const size_t apart = jump_known(x, kind, LULL_JE);
    if (before != 0 && l->equal) {
        lull_x86_land(x, before, x->len);
    }
    for (unsigned i = 0; i < n; i++) {
        load_equal(q, l, d[i],
                   (struct lull_x86_mem){LULL_R8, (uint8_t)kind, (int32_t)(offset + 4 * i)});
    }
    const size_t over = lull_x86_jump(x, LULL_JMP);
    lull_x86_land(x, run, x->len);
    for (unsigned i = 0; i < n; i++) {
        load_run(q, l, d[i],
                 (struct lull_x86_mem){LULL_R8, (uint8_t)kind, RUN + (int32_t)(offset + 4 * i)});
    }
    const size_t over_too = lull_x86_jump(x, LULL_JMP);
    lull_x86_land(x, apart, x->len);
    if (before != 0 && !l->equal) {
        lull_x86_land(x, before, x->len);
    }
    load_apart(q, l, element, p, d, temp);
    if (l->bytes < 4) {
        extend(q, l, d[0]);
    }
    lull_x86_land(x, over, x->len);
    lull_x86_land(x, over_too, x->len);
}

/** Register @p d is element @p i of @p l. */
static void set(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned d, unsigned i)
{
    if (l->wide && l->keep == 0) {
        q->slot[d].lock = true;
        const unsigned zero = lull_jit_grab(q);
        lull_jit_reg(q, lull_vex_zero, zero, zero, zero);
        lull_jit_set(q, zero, LULL_JIT_VGPR, l->dst);
        q->slot[d].lock = false;
    }
    lull_jit_set(q, d, l->wide ? LULL_JIT_WIDE : LULL_JIT_VGPR, l->dst + i);
    q->slot[d].pend = l->wide; // Another NaN would come back.
}

/** What of dst stays, from register @p old, to @p d. */
static void merge(struct lull_jit_window *q, const struct lull_jit_lds *l, unsigned d, unsigned old,
                  unsigned temp)
{
    q->target->machine->and_with(q, temp, old, lull_jit_const32(q, l->keep));
    lull_jit_reg(q, lull_vex_or, d, d, temp);
}

void lull_jit_emit_lds(struct lull_jit_window *q, const struct lull_jit_lds *l,
                       struct lull_jit_lds_known *known)
{
    const unsigned n = l->nregs;
    const unsigned named = lull_jit_named(q, LULL_JIT_VGPR, l->address);
    q->slot[named].lock = true;
    unsigned p = named;
    size_t before = 0;
    if (l->n > 1 && l->address >= l->dst && l->address < l->dst + n) { // A result is in its place.
        p = lull_jit_grab(q);
        lull_jit_copy(q, p, named);
        q->slot[p].lock = true;
        q->slot[named].lock = false;
    }
    const bool merges = l->keep != 0 && !l->wide;
    const unsigned old = merges ? lull_jit_named(q, LULL_JIT_VGPR, l->dst) : p;
    const bool was = q->slot[old].lock;
    q->slot[old].lock = true;
    const unsigned temp[3] = {lull_jit_grab(q), lull_jit_grab_mask(q), lull_jit_grab_mask(q)};
    unsigned kind = 0;
    for (unsigned e = 0; e < l->n; e++) {
        unsigned d[LULL_JIT_LDS_MOST];
        for (unsigned i = 0; i < n; i++) {
            d[i] = lull_jit_grab(q);
        }
        if (e == 0) { // What stands where is the same for both ways.
            kind = kind_of(q, l, p, temp[0], known, &before);
        }
        load_element(q, l, e, kind, p, d, temp, e == 0 ? before : 0);
        if (merges) {
            merge(q, l, d[0], old, temp[0]);
        }
        q->slot[old].lock = was;
        for (unsigned i = 0; i < n; i++) {
            set(q, l, d[i], e * n + i);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        lull_jit_drop(q, temp[i]);
    }
    q->slot[p].lock = false;
    if (p != named) {
        lull_jit_drop(q, p);
    }
    for (unsigned i = 0; i < l->n * n; i++) {
        lull_jit_lds_forget(known, l->dst + i);
    }
}
