// SPDX-License-Identifier: MIT
#include "check/overflow/overflow.h"

#include <inttypes.h>
#include <stdlib.h>

#include "isa/rdna/rdna.h"
#include "rdna_ops.h"

static const char name[] = "overflow";

// What src/compile/opencl/overflow.clh puts where an operation has overflowed: s_ttracedata_imm
// with MARK and the operation, and moves of registers to themselves, which have the operands, low
// dwords in front, and what type they are: 2 * log2(bits) + 1.
enum { MARK = 0x6f00, MARK_MASK = 0xff00, OPERATION = 0xff };
enum { A_LOW, A_HIGH, B_LOW, B_HIGH, TYPE, VALUES };
enum { LONG = 2 * 6 + 1 };

/** By operation: what stands between its operands. */
static const char *const signs[] = {NULL, "+", "-", "*", "/", "-"};

enum { NEGATES = 5, OPERATIONS = sizeof signs / sizeof signs[0] };

struct wave {
    uint64_t pc; // Of the mark.
    unsigned operation;
    unsigned lane, n;
    uint32_t values[VALUES];
};

static struct wave *wave_of(const struct lull_check_now *n)
{
    if (*n->of_wave == NULL) {
        *n->of_wave = calloc(1, sizeof(struct wave));
        if (*n->of_wave == NULL) {
            lull_checks_lose(n->all);
        }
    }
    return *n->of_wave;
}

static int64_t number(const struct wave *w, unsigned low)
{
    const uint64_t both = w->values[low] | (uint64_t)w->values[low + 1] << 32;
    return w->values[TYPE] == LONG ? (int64_t)both : (int32_t)w->values[low];
}

static char *does(const struct wave *w)
{
    const int64_t a = number(w, A_LOW), b = number(w, B_LOW);
    const char *type = w->values[TYPE] == LONG ? "a long" : "an int";
    if (w->operation == NEGATES) {
        return lull_check_text("computes -(%" PRId64 "), which %s cannot hold", a, type);
    }
    return lull_check_text("computes %" PRId64 " %s %" PRId64 ", which %s cannot hold", a,
                           signs[w->operation], b, type);
}

static void tell(const struct lull_check_now *n, const struct wave *w)
{
    struct lull_finding *f = lull_check_found(n, name, "a signed integer overflows", w->pc, 0);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->warning = true;
    f->sites[0] = lull_check_site(n, w->pc, w->lane);
    free(f->sites[0].insn); // A mark says nothing to who reads it.
    f->sites[0].insn = NULL;
    f->sites[0].does = does(w);
    f->note = lull_check_text("what comes out is not defined: unsigned types wrap around");
}

/** Operation of the mark that the instruction at hand is; 0: it is none. */
static unsigned mark_of(const struct lull_check_now *n)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    const unsigned operation = (unsigned)in->imm & OPERATION;
    return in->op == LULL_RDNA_OP_S_TTRACEDATA_IMM && (in->imm & MARK_MASK) == MARK &&
                   operation < OPERATIONS
               ? operation
               : 0;
}

static bool plan(const struct lull_check_now *n, void *plan)
{
    (void)plan;
    return mark_of(n) != 0;
}

static void before(const struct lull_check_now *n)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    const unsigned operation = mark_of(n);
    if (operation != 0) {
        struct wave *w = n->at->active != 0 ? wave_of(n) : NULL;
        if (w != NULL) {
            *w = (struct wave){.pc = n->at->pc,
                               .operation = operation,
                               .lane = (unsigned)__builtin_ctzll(n->at->active)};
            lull_check_call(n, true);
        }
        return;
    }
    struct wave *w = *n->of_wave;
    if (w == NULL || w->operation == 0) {
        return;
    }
    if (in->op != LULL_RDNA_OP_V_MOV_B32 || in->dst != in->src[0] ||
        !n->at->read(n->at, in->dst, w->lane, &w->values[w->n])) {
        w->operation = 0; // Not ours.
    } else if (++w->n == VALUES) {
        tell(n, w);
        w->operation = 0;
    }
    lull_check_call(n, w->operation != 0);
}

const struct lull_check_module lull_check_overflow = {.name = name, .plan = plan, .before = before};
