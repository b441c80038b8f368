// SPDX-License-Identifier: MIT
#include "check/undefined/undefined.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rdna/rdna.h"
#include "rdna_ops.h"

// What src/compile/opencl/undefined.clh puts where a program does what is not defined:
// s_ttracedata_imm with MARK and what it did, and moves of registers to themselves. Of overflows
// these have the operands, low dwords in front, and their type; of an index itself, its type, and
// the array's name.
enum { MARK = 0x6f00, MARK_MASK = 0xff00, WHAT = 0xff };
enum {
    DIVIDES = 4,
    NEGATES = 5,
    INDEX = 6,
    INDEX_ENDS = 7,
    WHATS
}; // INDEX_ENDS: the work-item ends there.
enum { A_LOW, A_HIGH, B_LOW, B_HIGH, TYPE };
enum { INDEX_LOW, INDEX_HIGH, INDEX_TYPE, NAME, NAME_DWORDS = 6, MOST_VALUES = NAME + NAME_DWORDS };
enum { LONG = 2 * 6 + 1, SIGNED = 1 };

static const struct {
    const char *sign; // What stands between its operands; NULL: no overflow.
    unsigned values;
} whats[WHATS] = {{NULL, 0},       {"+", TYPE + 1}, {"-", TYPE + 1},     {"*", TYPE + 1},
                  {"/", TYPE + 1}, {"-", TYPE + 1}, {NULL, MOST_VALUES}, {NULL, MOST_VALUES}};

static bool is_index(unsigned what)
{
    return what == INDEX || what == INDEX_ENDS;
}

struct wave {
    uint64_t pc;   // Of the mark.
    unsigned what; // 0: it is at no mark.
    unsigned lane, n;
    uint16_t regs[MOST_VALUES]; // Which have the values, and keep them up to the last move.
    uint32_t values[MOST_VALUES];
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

static int64_t number(const struct wave *w, unsigned low, unsigned type)
{
    const uint64_t both = w->values[low] | (uint64_t)w->values[low + 1] << 32;
    return type == LONG ? (int64_t)both : (int32_t)w->values[low];
}

static char *overflows(const struct wave *w)
{
    const uint32_t of = w->values[TYPE];
    const int64_t a = number(w, A_LOW, of), b = number(w, B_LOW, of);
    const char *type = of == LONG ? "a long" : "an int";
    if (w->what == NEGATES) {
        return lull_check_text("computes -(%" PRId64 "), which %s cannot hold", a, type);
    }
    return lull_check_text("computes %" PRId64 " %s %" PRId64 ", which %s cannot hold", a,
                           whats[w->what].sign, b, type);
}

static char *leaves(const struct wave *w)
{
    char name[4 * NAME_DWORDS + 1] = {0}; // 'int[8]', with the quotes, if it is no longer
    memcpy(name, &w->values[NAME], 4 * (size_t)NAME_DWORDS);
    name[strcspn(name + 1, "'") + 1] = '\0';
    const uint32_t type = w->values[INDEX_TYPE];
    if ((type & SIGNED) != 0) {
        return lull_check_text("takes index %" PRId64 " of %s", number(w, INDEX_LOW, type),
                               name + 1);
    }
    return lull_check_text("takes index %" PRIu64 " of %s",
                           w->values[INDEX_LOW] | (uint64_t)w->values[INDEX_HIGH] << 32, name + 1);
}

/** The first lane of those at the mark that does it, with its values: divisions by 0 have the mark,
 * too, and are divzero's. */
static bool find_lane(const struct lull_check_now *n, struct wave *w)
{
    for (uint64_t m = n->at->active; m != 0; m &= m - 1) {
        w->lane = (unsigned)__builtin_ctzll(m);
        for (unsigned i = 0; i < w->n; i++) {
            if (!n->at->read(n->at, w->regs[i], w->lane, &w->values[i])) {
                return false;
            }
        }
        if (w->what != DIVIDES || (w->values[B_LOW] | w->values[B_HIGH]) != 0) {
            return true;
        }
    }
    return false;
}

static void tell(const struct lull_check_now *n, struct wave *w)
{
    if (!find_lane(n, w)) {
        return;
    }
    const bool index = is_index(w->what);
    n->group->over = n->group->over || w->what == INDEX_ENDS;
    struct lull_finding *f = lull_check_found(
        n, index ? "index" : "overflow",
        index ? "an index is outside of its array" : "a signed integer overflows", w->pc, 0);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->warning = !index;
    f->sites[0] = lull_check_site(n, w->pc, w->lane);
    free(f->sites[0].insn); // A mark says nothing to who reads it.
    f->sites[0].insn = NULL;
    f->sites[0].does = index ? leaves(w) : overflows(w);
    f->note = index ? lull_check_text("what lies there is not of the array")
                    : lull_check_text("what comes out is not defined: unsigned types wrap around");
}

/** What the mark that the instruction at hand is says; 0: it is none, or of the other module. */
static unsigned mark_of(const struct lull_check_now *n, bool index)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    const unsigned what = (unsigned)in->imm & WHAT;
    return in->op == LULL_RDNA_OP_S_TTRACEDATA_IMM && (in->imm & MARK_MASK) == MARK &&
                   what < WHATS && is_index(what) == index
               ? what
               : 0;
}

static void before(const struct lull_check_now *n, bool index)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    const unsigned what = mark_of(n, index);
    if (what != 0) {
        struct wave *w = n->at->active != 0 ? wave_of(n) : NULL;
        if (w != NULL) {
            *w = (struct wave){.pc = n->at->pc, .what = what};
            lull_check_call(n, true);
        }
        return;
    }
    struct wave *w = *n->of_wave;
    if (w == NULL || w->what == 0) {
        return;
    }
    if (in->op != LULL_RDNA_OP_V_MOV_B32 || in->dst != in->src[0]) {
        w->what = 0; // Not ours.
    } else {
        w->regs[w->n++] = in->dst;
    }
    if (w->what != 0 && w->n == whats[w->what].values) {
        tell(n, w);
        w->what = 0;
    }
    lull_check_call(n, w->what != 0);
}

static bool plan_overflow(const struct lull_check_now *n, void *plan)
{
    (void)plan;
    return mark_of(n, false) != 0;
}

static void before_overflow(const struct lull_check_now *n)
{
    before(n, false);
}

static bool plan_index(const struct lull_check_now *n, void *plan)
{
    (void)plan;
    return mark_of(n, true) != 0;
}

static void before_index(const struct lull_check_now *n)
{
    before(n, true);
}

const struct lull_check_module lull_check_overflow = {
    .name = "overflow", .plan = plan_overflow, .before = before_overflow};
const struct lull_check_module lull_check_index = {
    .name = "index", .plan = plan_index, .before = before_index};
