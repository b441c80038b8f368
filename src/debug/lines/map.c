// SPDX-License-Identifier: MIT
/* What the changes say of each instruction. */
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/lines/lines.h"
#include "spirv/mutate.h"

enum {
    FEW = 3,  ///< As many altered instructions still say exactly which.
    SOME = 5, ///< As many still say something; more only if each has another in its place, as
    PART = 5, ///< copies of an unrolled loop have, and they are at most one in so many.
};

/** What changes of one line do to one instruction. */
struct vote {
    struct lull_lines_place at;
    unsigned changes; ///< That surely alter it,
    unsigned least;   ///< the one that alters the least: so many instructions.
    bool exact;       ///< One of them says exactly that it is this one.
    bool maybe;       ///< One alters it, or another like it.
    struct vote *other;
};

struct making {
    struct lull_lines_file *file;
    struct lull_lines_code code;
    struct vote **votes; ///< By instruction.
    enum lull_lines_fate *fates;
    unsigned nlarge;
};

/** What the instruction of SPIR-V does, as far as it matters. */
enum duty { COMPUTES, LOADS, STORES, ATOMIC, FENCE, ADDRESS };

static enum duty duty_of(uint32_t op)
{
    switch (op) {
    case SpvOpLoad:
    case SpvOpImageRead:
    case SpvOpImageFetch:
    case SpvOpImageGather:
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageSampleDrefExplicitLod:
        return LOADS;
    case SpvOpStore:
    case SpvOpImageWrite:
    case SpvOpAtomicStore:
        return STORES;
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
        return FENCE;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return ADDRESS;
    default:
        return op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor ? ATOMIC : COMPUTES;
    }
}

/**
 * Can this instruction be what becomes of that one? A load, say, has its address from many lines
 * and is of the line that loads.
 */
static bool can_be(const struct lull_lines_change *c, const struct lull_lines_insn *i)
{
    const bool store_left_out = c->kind != LULL_SPV_OTHER_CONSTANT;
    switch (duty_of(c->op)) {
    case LOADS:
        return i->memory && i->reads;
    case STORES:
        return store_left_out ? i->memory && i->writes : !i->memory;
    case COMPUTES:
        return !i->memory && (!i->flow || c->op == SpvOpBranchConditional);
    case ADDRESS:
        return !i->flow;
    case ATOMIC:
    case FENCE:
    default:
        return true;
    }
}

/** The vote of a line on instruction @p i, made if there is none; NULL: no memory. */
static struct vote *vote_of(struct making *k, size_t i, struct lull_lines_place at)
{
    struct vote *v = k->votes[i];
    while (v != NULL && (v->at.file != at.file || v->at.line != at.line)) {
        v = v->other;
    }
    if (v == NULL) {
        v = lull_arena_calloc(&k->file->arena, 1, sizeof *v);
        if (v != NULL) {
            v->at = at;
            v->least = UINT32_MAX;
            v->other = k->votes[i];
            k->votes[i] = v;
        }
    }
    return v;
}

/** How many instructions that it can be are surely altered, and whether each has another in its
 * place. */
static size_t count_altered(const struct making *k, const struct lull_lines_change *c,
                            bool *ret_in_place)
{
    size_t n = 0;
    *ret_in_place = true;
    for (size_t i = 0; i < k->code.n; i++) {
        if (k->fates[i] > LULL_LINES_MAYBE && can_be(c, &k->code.insns[i])) {
            n++;
            *ret_in_place &= k->fates[i] == LULL_LINES_OTHER;
        }
    }
    return n;
}

LULL_MUST_USE static struct lull_error *count_votes(struct making *k,
                                                    const struct lull_lines_change *c)
{
    bool in_place = false;
    const size_t n = count_altered(k, c, &in_place);
    const bool left_out = c->kind == LULL_SPV_LEFT_OUT;
    if (n > SOME && (!in_place || n > k->code.n / PART)) {
        k->nlarge++;
        return NULL;
    }
    for (size_t i = 0; i < k->code.n; i++) {
        if (k->fates[i] == LULL_LINES_SAME || !can_be(c, &k->code.insns[i])) {
            continue;
        }
        struct vote *v = vote_of(k, i, c->at);
        if (v == NULL) {
            return &lull_enomem;
        }
        const bool sure = k->fates[i] > LULL_LINES_MAYBE;
        v->maybe |= !sure;
        v->changes += sure;
        v->least = sure && n < v->least ? (unsigned)n : v->least;
        // What is left out takes what fed it along: one memory access says which it was.
        v->exact |= sure && (left_out ? n == 1 : in_place && n <= FEW);
    }
    return NULL;
}

/** The words of a changed code. */
static uint32_t *changed_words(const struct making *k, const struct lull_lines_change *c,
                               size_t *ret)
{
    const size_t n = (size_t)c->front + c->n + c->back;
    uint32_t *words = calloc(n + 1, sizeof *words);
    if (words != NULL) {
        memcpy(words, k->file->code, c->front * sizeof *words);
        memcpy(words + c->front, c->words, c->n * sizeof *words);
        memcpy(words + c->front + c->n, k->file->code + k->file->ncode - c->back,
               c->back * sizeof *words);
        *ret = n;
    }
    return words;
}

LULL_MUST_USE static struct lull_error *look_at(struct making *k, const struct lull_lines_change *c)
{
    struct lull_arena arena = {0};
    struct lull_lines_code code = {0};
    size_t n = 0;
    if (c->n == 0 && (size_t)c->front + c->back == k->file->ncode) {
        return NULL; // The same code.
    }
    uint32_t *words = changed_words(k, c, &n);
    struct lull_error *err =
        words == NULL ? &lull_enomem : lull_lines_code(words, n, k->file->gen, &arena, &code);
    if (err == NULL && !lull_lines_compare(&k->code, &code, k->fates)) {
        k->nlarge++;
    } else if (err == NULL) {
        err = count_votes(k, c);
    }
    lull_arena_done(&arena);
    free(words);
    return err;
}

/** The line of an instruction by the votes on it. */
static void decide(const struct vote *votes, struct lull_lines_row *r)
{
    const struct vote *best = NULL, *tie = NULL;
    bool maybe = false;
    unsigned sure = 0;
    for (const struct vote *v = votes; v != NULL; v = v->other) {
        sure += v->changes != 0;
        maybe |= v->changes == 0;
        if (v->changes == 0) {
            continue;
        }
        if (best == NULL || v->exact > best->exact ||
            (v->exact == best->exact && v->least < best->least)) {
            best = v;
            tie = NULL;
        } else if (v->exact == best->exact && v->least == best->least) {
            tie = v;
        }
    }
    if (best == NULL) {
        return;
    }
    r->at = best->at;
    r->changes = best->changes;
    r->sure = best->exact && sure == 1 && !maybe ? LULL_LINES_EXACT : LULL_LINES_CHANGED;
    if (tie != NULL) {
        const bool first = best->at.file != tie->at.file || best->at.line < tie->at.line;
        r->at = first ? best->at : tie->at;
        r->also = first ? tie->at : best->at;
        r->sure = LULL_LINES_SEVERAL;
    }
}

static bool is_target(const struct lull_lines_code *c, uint32_t offset)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->insns[i].target == offset) {
            return true;
        }
    }
    return false;
}

static bool known(const struct lull_lines_row *r)
{
    return r->sure == LULL_LINES_EXACT || r->sure == LULL_LINES_CHANGED;
}

/** Instructions without a line between two of one line, with nothing that jumps there or away. */
static void fill_between(const struct lull_lines_code *c, struct lull_lines_row *rows)
{
    for (size_t i = 0; i < c->n; i++) {
        size_t end = i + 1;
        if (!known(&rows[i]) || c->insns[i].flow) {
            continue;
        }
        while (end < c->n && rows[end].sure == LULL_LINES_UNKNOWN && !c->insns[end].flow &&
               !is_target(c, rows[end].offset)) {
            end++;
        }
        const bool one = end < c->n && known(&rows[end]) && !is_target(c, rows[end].offset) &&
                         rows[end].at.file == rows[i].at.file &&
                         rows[end].at.line == rows[i].at.line;
        for (size_t k = i + 1; one && k < end; k++) {
            rows[k].at = rows[i].at;
            rows[k].sure = LULL_LINES_BETWEEN;
        }
    }
}

LULL_MUST_USE static struct lull_error *make(struct making *k, struct lull_lines *ret)
{
    struct lull_arena *a = &k->file->arena;
    struct lull_error *err =
        lull_lines_code(k->file->code, k->file->ncode, k->file->gen, a, &k->code);
    if (err != NULL) {
        return err;
    }
    k->votes = lull_arena_calloc(a, k->code.n + 1, sizeof(struct vote *));
    k->fates = lull_arena_calloc(a, k->code.n + 1, sizeof *k->fates);
    ret->rows = lull_arena_calloc(a, k->code.n + 1, sizeof *ret->rows);
    if (k->votes == NULL || k->fates == NULL || ret->rows == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < k->file->nchanges; i++) {
        err = look_at(k, &k->file->changes[i]);
    }
    for (size_t i = 0; err == NULL && i < k->code.n; i++) {
        ret->rows[i].offset = k->code.insns[i].offset;
        ret->rows[i].size = k->code.insns[i].size;
        ret->rows[i].waits = k->code.insns[i].waits;
        decide(k->votes[i], &ret->rows[i]);
    }
    if (err == NULL) {
        fill_between(&k->code, ret->rows);
        ret->nrows = k->code.n;
        ret->nlarge = k->nlarge;
    }
    return err;
}

struct lull_error *lull_lines_read(const void *data, size_t size, unsigned gen,
                                   struct lull_lines *ret)
{
    struct lull_lines l = {0};
    struct lull_error *err = lull_lines_file_read(data, size, gen, &l.file);
    if (err != NULL) {
        return err;
    }
    struct making k = {.file = &l.file};
    err = make(&k, &l);
    if (err != NULL) {
        lull_lines_done(&l);
        return err;
    }
    *ret = l;
    return NULL;
}

void lull_lines_done(struct lull_lines *l)
{
    lull_lines_file_done(&l->file);
    *l = (struct lull_lines){0};
}
