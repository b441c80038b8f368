// SPDX-License-Identifier: MIT
// A workgroup: blocks, branches, calls.
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

static const uint32_t LEFT = UINT32_MAX; // rank of a lane that has left the function

/** One call of a function, for some lanes. */
struct frame {
    const struct lull_fr_function *f;
    const struct lull_ev_order *order;
    uint32_t *rank;   ///< By lane: of the block where it is; LEFT.
    uint32_t *before; ///< By lane: label of the block where it comes from.
    uint32_t *active; ///< Lanes at one block.
    uint32_t result;  ///< Id that gets what it returns; 0: nothing.
    uint64_t *phis;   ///< Values of one block's phis, before they are set.
    size_t nphis;
};

/** Lanes @p lane of the frame goes on at the block with this label. */
LULL_MUST_USE static struct lull_error *jump(struct lull_ev *ev, const struct frame *f,
                                             uint32_t lane, uint32_t from, uint32_t label)
{
    const uint32_t b = ev->block_of[label];
    if (b == 0 || b > f->f->nblocks || f->f->blocks[b - 1].label != label) {
        return lull_ev_bad(ev, "a branch to another function");
    }
    f->rank[lane] = f->order->rank[b - 1];
    f->before[lane] = from;
    return NULL;
}

/** The label that an OpSwitch goes to. */
static uint32_t chosen(const struct lull_ev *ev, const struct lull_fr_type *t, uint64_t v)
{
    const uint32_t step = t->bits > 32 ? 3 : 2;
    for (uint32_t i = 3; i + step <= ev->in->n; i += step) {
        const uint64_t high = step == 3 ? (uint64_t)ev->in->w[i + 1] << 32 : 0;
        const uint64_t literal = ev->in->w[i] | high;
        const uint64_t mask = t->bits < 64 ? (UINT64_C(1) << t->bits) - 1 : UINT64_MAX;
        if ((literal & mask) == v) {
            return ev->in->w[i + step - 1];
        }
    }
    return ev->in->w[2];
}

LULL_MUST_USE static struct lull_error *leave(struct lull_ev *ev, const struct frame *f)
{
    struct lull_ev_operand v = {0};
    uint64_t *to = NULL;
    struct lull_error *err = NULL;
    if (ev->in->op == SpvOpReturnValue) {
        err = lull_ev_get(ev, ev->in->w[1], &v);
        if (err == NULL && v.type != f->f->type->element) {
            err = lull_ev_bad(ev, "not of the type that the function returns");
        }
        err = err == NULL && f->result != 0 ? lull_ev_room(ev, f->result, v.type, &to) : err;
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        f->rank[lane] = LEFT;
        if (to != NULL) {
            memcpy(to + v.words * lane, lull_ev_of(&v, lane), v.words * sizeof *to);
        }
    }
    return err;
}

/** The last instruction of a block. */
LULL_MUST_USE static struct lull_error *terminate(struct lull_ev *ev, const struct frame *f,
                                                  uint32_t label)
{
    const struct lull_spv_insn *in = ev->in;
    struct lull_ev_operand v = {0};
    struct lull_error *err = NULL;
    if (in->op == SpvOpReturn || in->op == SpvOpReturnValue) {
        return leave(ev, f);
    }
    if (in->op == SpvOpUnreachable) {
        return lull_ev_bad(ev, "an invocation comes here");
    }
    if (in->op == SpvOpBranchConditional) {
        err = lull_ev_get_kind(ev, in->w[1], 'b', &v);
    } else if (in->op == SpvOpSwitch) {
        err = lull_ev_get_kind(ev, in->w[1], 'i', &v);
    } else if (in->op != SpvOpBranch) {
        err = lull_ev_refuse(ev, "lull does not interpret this instruction");
    }
    if (err == NULL && in->op != SpvOpBranch && v.words != 1) {
        err = lull_ev_bad(ev, "a vector where a number is needed");
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        const uint32_t to = in->op == SpvOpBranch        ? in->w[1]
                            : in->op == SpvOpSwitch      ? chosen(ev, v.type, *lull_ev_of(&v, lane))
                            : *lull_ev_of(&v, lane) != 0 ? in->w[2]
                                                         : in->w[3];
        err = jump(ev, f, lane, label, to);
    }
    return err;
}

/** What a phi is for a lane that comes from @p before. */
LULL_MUST_USE static struct lull_error *incoming(struct lull_ev *ev, uint32_t before,
                                                 const struct lull_fr_type *t,
                                                 struct lull_ev_operand *ret)
{
    for (uint32_t i = 3; i + 1 < ev->in->n; i += 2) {
        if (ev->in->w[i + 1] == before) {
            struct lull_error *err = lull_ev_get(ev, ev->in->w[i], ret);
            return err == NULL && ret->type != t ? lull_ev_bad(ev, "a value of another type") : err;
        }
    }
    return lull_ev_bad(ev, "no value for the block before");
}

/** The values of one phi, into f->phis from @p at on; or from there into the result. */
LULL_MUST_USE static struct lull_error *phi(struct lull_ev *ev, struct frame *f, size_t *at,
                                            bool set)
{
    struct lull_ev_operand result = {0};
    uint64_t *ret = NULL;
    struct lull_error *err = lull_ev_result(ev, &result, &ret);
    const size_t n = result.words * ev->n;
    if (err == NULL && !set && f->nphis < *at + n) {
        uint64_t *grown = realloc(f->phis, (*at + n) * sizeof *grown);
        err = grown == NULL ? &lull_enomem : NULL;
        f->phis = grown != NULL ? grown : f->phis;
        f->nphis = grown != NULL ? *at + n : f->nphis;
    }
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        const uint32_t lane = ev->lanes[k];
        struct lull_ev_operand from = {0};
        uint64_t *kept = f->phis + *at + result.words * k;
        if (set) {
            memcpy(ret + result.words * lane, kept, result.words * sizeof *ret);
            continue;
        }
        err = incoming(ev, f->before[lane], result.type, &from);
        if (err == NULL) {
            memcpy(kept, lull_ev_of(&from, lane), result.words * sizeof *kept);
        }
    }
    *at += n;
    return err;
}

/** All phis that a block begins with, at once. */
LULL_MUST_USE static struct lull_error *phis(struct lull_ev *ev, struct frame *f,
                                             const struct lull_fr_block *b)
{
    struct lull_error *err = NULL;
    for (unsigned pass = 0; pass < 2; pass++) {
        struct lull_spv_insn in = {0};
        size_t at = 0;
        for (size_t pos = b->first;
             err == NULL && pos < b->end && lull_spv_next(&ev->m->spv, &pos, &in) &&
             (in.op == SpvOpPhi || in.op == SpvOpLine || in.op == SpvOpNoLine);) {
            ev->in = &in;
            err = in.op == SpvOpPhi ? phi(ev, f, &at, pass == 1) : NULL;
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *call(struct lull_ev *ev)
{
    const struct lull_spv_insn *in = ev->in;
    const uint32_t which = ev->m->ids[in->w[3]].function;
    if (which == 0) {
        return lull_ev_bad(ev, "a call of what is not a function");
    }
    const struct lull_fr_function *f = &ev->m->functions[which - 1];
    struct lull_error *err = NULL;
    if (f->type->count != in->n - 4) {
        return lull_ev_bad(ev, "other parameters than the function has");
    }
    if (lull_fr_type_of(ev->m, in->w[1]) != f->type->element) {
        return lull_ev_bad(ev, "another type than the function returns");
    }
    for (uint32_t i = 0; i < f->type->count && err == NULL; i++) {
        struct lull_ev_operand v = {0};
        uint64_t *to = NULL;
        err = lull_ev_get(ev, in->w[4 + i], &v);
        err = err == NULL && v.type != f->type->members[i]
                  ? lull_ev_bad(ev, "a parameter of another type")
                  : err;
        err = err != NULL ? err : lull_ev_room(ev, f->params[i], v.type, &to);
        for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
            const uint32_t lane = ev->lanes[k];
            memcpy(to + v.words * lane, lull_ev_of(&v, lane), v.words * sizeof *to);
        }
    }
    const bool nothing = f->type->element->kind == LULL_FR_VOID;
    return err != NULL ? err
                       : lull_ev_call(ev, which - 1, ev->lanes, ev->n, nothing ? 0 : in->w[2]);
}

/** A variable's initializer: it is there anew each time. */
LULL_MUST_USE static struct lull_error *variable(struct lull_ev *ev)
{
    struct lull_ev_operand from = {0};
    if (ev->in->n < 5) {
        return NULL;
    }
    const struct lull_fr_type *t = lull_fr_type_of(ev->m, ev->in->w[1])->element;
    const struct lull_ev_pointer p = lull_ev_unpack(ev->values[ev->in->w[2]]);
    struct lull_error *err = lull_ev_get(ev, ev->in->w[4], &from);
    err = err == NULL && from.type != t ? lull_ev_bad(ev, "an initializer of another type") : err;
    for (uint32_t k = 0; k < ev->n && err == NULL; k++) {
        err = lull_ev_store(ev, &p, t, ev->lanes[k], lull_ev_of(&from, ev->lanes[k]));
    }
    return err;
}

static lull_ev_doing *const doings[] = {
    lull_ev_access,    lull_ev_alu,      lull_ev_convert, lull_ev_special,
    lull_ev_composite, lull_ev_matrix,   lull_ev_glsl,    lull_ev_glsl_parts,
    lull_ev_atomic,    lull_ev_subgroup, lull_ev_image,   lull_ev_image_sample,
};

/** One instruction that is not about blocks. */
LULL_MUST_USE static struct lull_error *step(struct lull_ev *ev)
{
    struct lull_error *err = NULL;
    bool known = false;
    switch (ev->in->op) {
    case SpvOpNop:
    case SpvOpAssumeTrueKHR:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpPhi:            // phis()
    case SpvOpControlBarrier: // all lanes are here that come
    case SpvOpMemoryBarrier:
        return NULL;
    case SpvOpVariable:
        return variable(ev);
    case SpvOpFunctionCall:
        return call(ev);
    case SpvOpExtInst:
        if (ev->in->w[3] != ev->m->glsl) {
            return NULL; // lull_fr_read(): the others are NonSemantic
        }
        break;
    default:
        break;
    }
    for (size_t i = 0; err == NULL && !known && i < sizeof doings / sizeof doings[0]; i++) {
        err = doings[i](ev, &known);
    }
    return err == NULL && !known ? lull_ev_refuse(ev, "lull does not interpret this instruction")
                                 : err;
}

/** Tell the host where a line begins. */
LULL_MUST_USE static struct lull_error *tell(struct lull_ev *ev, const struct lull_spv_line *before)
{
    const bool same = ev->line.line == before->line && ev->line.file == before->file;
    if (ev->host.line == NULL || ev->line.line == 0 || same) {
        return NULL;
    }
    const struct lull_ev_place at = {
        .in = ev->in, .line = ev->line, .function = ev->function, .lanes = ev->lanes, .n = ev->n};
    return ev->host.line(ev->host.arg, ev, &at);
}

/** Are there steps left? */
LULL_MUST_USE static struct lull_error *go_on(struct lull_ev *ev)
{
    if (ev->d.steps != 0 && ev->steps > ev->d.steps) {
        ev->stopped = true;
        return lull_spv_error(LULL_ERR_NOT_FOUND, ev->in, "still not at the end, after %llu steps",
                              (unsigned long long)ev->d.steps);
    }
    return NULL;
}

/** One block, for the lanes that are at it. */
LULL_MUST_USE static struct lull_error *block(struct lull_ev *ev, struct frame *f,
                                              const struct lull_fr_block *b)
{
    struct lull_error *err = phis(ev, f, b);
    struct lull_spv_insn in = {0};
    const uint32_t *lanes = ev->lanes, n = ev->n, function = ev->function;
    ev->line = (struct lull_spv_line){0};
    for (size_t pos = b->first; err == NULL && pos < b->end;) {
        const struct lull_spv_line before = ev->line;
        if (!lull_spv_next(&ev->m->spv, &pos, &in)) {
            break;
        }
        ev->in = &in;
        ev->steps += n;
        lull_spv_line_step(&ev->m->spv, &in, &ev->line);
        err = tell(ev, &before);
        err = err != NULL ? err : go_on(ev);
        if (err == NULL) {
            const struct lull_spv_line line = ev->line;
            err = lull_spv_ends_block(in.op) ? terminate(ev, f, b->label) : step(ev);
            ev->lanes = lanes; // a call has others
            ev->n = n;
            ev->function = function;
            ev->line = line;
        }
    }
    return err;
}

/** Blocks, until all lanes have left. */
LULL_MUST_USE static struct lull_error *blocks(struct lull_ev *ev, struct frame *f,
                                               const uint32_t *lanes, uint32_t n)
{
    struct lull_error *err = NULL;
    while (err == NULL) {
        uint32_t first = LEFT, nactive = 0;
        for (uint32_t k = 0; k < n; k++) {
            first = f->rank[lanes[k]] < first ? f->rank[lanes[k]] : first;
        }
        if (first == LEFT) {
            return NULL;
        }
        for (uint32_t k = 0; k < n; k++) {
            if (f->rank[lanes[k]] == first) {
                f->active[nactive++] = lanes[k];
            }
        }
        if (ev->host.stop != NULL && ev->host.stop(ev->host.arg)) {
            ev->stopped = true;
            return lull_error_new(LULL_ERR_NOT_FOUND, "stopped before the end");
        }
        ev->lanes = f->active;
        ev->n = nactive;
        err = block(ev, f, &f->f->blocks[f->order->block[first]]);
    }
    return err;
}

struct lull_error *lull_ev_call(struct lull_ev *ev, uint32_t function, const uint32_t *lanes,
                                uint32_t n, uint32_t result)
{
    struct lull_ev_order *order = &ev->orders[function];
    struct frame f = {.f = &ev->m->functions[function], .order = order, .result = result};
    if (order->busy || ev->depth == LULL_EV_MAX_CALLS || order->n == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "function %%%u: %s", f.f->id,
                              order->n == 0 ? "it has no code"
                                            : "a function that calls itself, or too many calls");
    }
    uint32_t *all = calloc((size_t)ev->nlanes * 3 + 1, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    f.rank = all;
    f.before = all + ev->nlanes;
    f.active = f.before + ev->nlanes;
    order->busy = true;
    ev->depth++;
    ev->function = function;
    struct lull_error *err = blocks(ev, &f, lanes, n);
    ev->depth--;
    order->busy = false;
    free(f.phis);
    free(all);
    return err;
}

struct lull_error *lull_ev_group(struct lull_ev *ev, const uint32_t group[3])
{
    memcpy(ev->group, group, sizeof ev->group);
    uint32_t *lanes = calloc(ev->nlanes, sizeof *lanes);
    struct lull_error *err = lanes == NULL ? &lull_enomem : lull_ev_begin(ev);
    for (uint32_t i = 0; err == NULL && i < ev->nlanes; i++) {
        lanes[i] = i;
    }
    err = err != NULL ? err : lull_ev_call(ev, ev->m->entry, lanes, ev->nlanes, 0);
    free(lanes);
    ev->in = NULL;
    return err;
}
