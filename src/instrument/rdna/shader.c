// SPDX-License-Identifier: MIT
#include "instrument/rdna/shader.h"

#include <stdlib.h>

#include "isa/rdna/ops.h"

enum { NSGPRS = 106 };

static const struct lull_insn *insn_of(const struct lull_rdna_step *s)
{
    return (const struct lull_insn *)(const void *)&s->in;
}

LULL_MUST_USE static struct lull_error *take_apart(struct lull_rdna_shader *s)
{
    size_t at = 0;
    while (at < s->size) {
        struct lull_rdna_step *step = &s->steps[s->n];
        const int size = lull_rdna_decode_lax(s->code + at, s->size - at, &step->in);
        if (size <= 0) {
            return lull_error_new(LULL_ERR_BAD_DATA, "offset 0x%zx: not an instruction", at);
        }
        step->at = (uint32_t)at;
        step->target = LULL_RDNA_NOWHERE;
        s->n++;
        at += (size_t)size;
    }
    return NULL;
}

/** The instruction at byte @p at. */
static uint32_t find(const struct lull_rdna_shader *s, uint64_t at)
{
    size_t first = 0, end = s->n;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (s->steps[middle].at == at) {
            return (uint32_t)middle;
        }
        first = s->steps[middle].at < at ? middle + 1 : first;
        end = s->steps[middle].at < at ? end : middle;
    }
    return LULL_RDNA_NOWHERE;
}

LULL_MUST_USE static struct lull_error *follow(struct lull_rdna_shader *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct lull_rdna_step *step = &s->steps[i];
        const struct lull_flow f = lull_arch_rdna3.flow(insn_of(step), step->at);
        const char *name = lull_rdna_info(&step->in)->name;
        step->flow = f.kind;
        if (f.kind == LULL_FLOW_RETURN || (f.kind == LULL_FLOW_CALL && !f.known)) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "offset 0x%x: %s goes to an address that registers hold",
                                  step->at, name);
        }
        if (!f.known) {
            continue;
        }
        step->target = find(s, f.target);
        if (step->target == LULL_RDNA_NOWHERE) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "offset 0x%x: %s goes to no instruction of this code", step->at,
                                  name);
        }
    }
    return NULL;
}

static void name_registers(struct lull_rdna_shader *s)
{
    s->nvgprs = 4;
    for (size_t i = 0; i < s->n; i++) {
        struct lull_arch_use all[LULL_ARCH_MAX_USES];
        const unsigned n = lull_arch_rdna3.uses(insn_of(&s->steps[i]), s->lanes, all);
        for (unsigned k = 0; k < n; k++) {
            for (unsigned r = all[k].reg; r < all[k].reg + all[k].count && r < NSGPRS; r++) {
                s->named[r / 64] |= UINT64_C(1) << r % 64;
            }
            const unsigned end = all[k].reg + all[k].count;
            if (end > LULL_RDNA_VGPR0 + s->nvgprs) {
                s->nvgprs = end - LULL_RDNA_VGPR0;
            }
        }
    }
}

/** Scalar moves whose registers M0 chooses. */
static bool is_relative(unsigned op)
{
    return op == LULL_RDNA_OP_S_MOVRELS_B32 || op == LULL_RDNA_OP_S_MOVRELS_B64 ||
           op == LULL_RDNA_OP_S_MOVRELD_B32 || op == LULL_RDNA_OP_S_MOVRELD_B64 ||
           op == LULL_RDNA_OP_S_MOVRELSD_2_B32;
}

LULL_MUST_USE static struct lull_error *check(const struct lull_rdna_shader *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (is_relative(s->steps[i].in.op)) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "offset 0x%x: %s chooses scalar registers at run time",
                                  s->steps[i].at, lull_rdna_info(&s->steps[i].in)->name);
        }
    }
    if (s->n == 0 ||
        (s->steps[s->n - 1].flow != LULL_FLOW_END && s->steps[s->n - 1].flow != LULL_FLOW_JUMP)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "the code does not end");
    }
    return NULL;
}

struct lull_error *lull_rdna_shader_of(const void *code, size_t size, unsigned lanes,
                                       struct lull_rdna_shader *ret)
{
    struct lull_rdna_shader s = {.code = code, .size = size, .lanes = lanes};
    s.steps = calloc(size / 4 + 1, sizeof *s.steps);
    struct lull_error *err = s.steps == NULL ? &lull_enomem : take_apart(&s);
    err = err != NULL ? err : follow(&s);
    err = err != NULL ? err : check(&s);
    if (err != NULL) {
        lull_rdna_shader_done(&s);
        return err;
    }
    name_registers(&s);
    *ret = s;
    return NULL;
}

void lull_rdna_shader_done(struct lull_rdna_shader *s)
{
    free(s->steps);
    *s = (struct lull_rdna_shader){0};
}

unsigned lull_rdna_values_add(uint16_t all[LULL_RDNA_VALUES], unsigned n, unsigned reg)
{
    for (unsigned i = 0; i < n; i++) {
        if (all[i] == reg) {
            return n;
        }
    }
    if (n < LULL_RDNA_VALUES) {
        all[n++] = (uint16_t)reg;
    }
    return n;
}

unsigned lull_rdna_values(const struct lull_rdna_shader *s, const struct lull_rdna_step *step,
                          bool dst, uint16_t ret[LULL_RDNA_VALUES])
{
    struct lull_arch_use all[LULL_ARCH_MAX_USES];
    const unsigned nall = lull_arch_rdna3.uses(insn_of(step), s->lanes, all);
    unsigned n = 0;
    for (unsigned i = 0; i < nall; i++) {
        const bool exec = all[i].reg == LULL_RDNA_EXEC || all[i].reg == LULL_RDNA_EXEC + 1;
        const bool trap = all[i].reg >= LULL_RDNA_TTMP0 && all[i].reg < LULL_RDNA_NULL;
        if (all[i].write != dst || (exec && all[i].implied && !dst) || trap) {
            continue; // The trap handler's are nobody else's to read.
        }
        for (unsigned k = 0; k < all[i].count; k++) {
            n = lull_rdna_values_add(ret, n, all[i].reg + k);
        }
    }
    for (unsigned k = 0; !dst && k < 3; k++) {
        if (step->in.src[k] == LULL_RDNA_SCC) { // As an operand: src_scc.
            n = lull_rdna_values_add(ret, n, LULL_RDNA_SCC);
        }
    }
    return n;
}
