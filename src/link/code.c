// SPDX-License-Identifier: MIT
#include "link/code.h"

#include <stdlib.h>
#include <string.h>

#include "isa/rdna/ops.h"

uint32_t lull_link_insn_at(const struct lull_link_code *c, uint64_t at)
{
    return at >= c->begin && at < c->end && at % 4 == 0 ? c->starts[(at - c->begin) / 4]
                                                        : LULL_LINK_NO_INSN;
}

void lull_link_code_done(struct lull_link_code *c)
{
    free(c->insns);
    free(c->starts);
    *c = (struct lull_link_code){0};
}

// Branches of an instruction whose targets are not known yet.
static const char *flow_of(const struct lull_link_insn *x, bool *branches, bool *falls)
{
    const struct lull_rdna_insn *in = &x->in;
    if (x->text != NULL) {
        return lull_link_line_flow(x->text, branches, falls);
    }
    const uint64_t flags = lull_rdna_info(in)->flags;
    *branches = (flags & LULL_RDNA_F_BRANCH) != 0;
    *falls = (flags & LULL_RDNA_F_END) == 0 && (!*branches || (flags & LULL_RDNA_F_COND) != 0);
    return *branches && in->enc != LULL_RDNA_SOPP ? "a jump or call through registers" : NULL;
}

static void link_branches(struct lull_link_code *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        struct lull_link_insn *x = &c->insns[i];
        bool branches = false;
        (void)flow_of(x, &branches, &x->falls);
        if (!branches) {
            continue;
        }
        const uint64_t to = (uint64_t)((int64_t)x->at + x->in.size + 4 * (int64_t)x->in.imm);
        x->target = lull_link_insn_at(c, to);
        if (x->target == LULL_LINK_NO_INSN) {
            c->trouble = "a branch out of the function";
            return;
        }
        x->chain = c->insns[x->target].sources;
        c->insns[x->target].sources = i;
    }
}

static bool decode_one(const struct lull_linker *l, uint64_t at, uint64_t end,
                       struct lull_link_insn *x)
{
    const uint8_t *text = (const uint8_t *)l->outs[0].data.text;
    if (l->lines != NULL) {
        return lull_link_decode_line(l, at, x) && x->in.size <= end - at;
    }
    return lull_rdna_decode(text + at, (size_t)(end - at), &x->in) >= 0;
}

struct lull_error *lull_link_decode(const struct lull_linker *l, uint64_t begin, uint64_t end,
                                    struct lull_link_code *c)
{
    lull_link_code_done(c);
    const size_t dwords = (size_t)(end - begin) / 4;
    c->begin = begin;
    c->end = end;
    c->insns = malloc((dwords + 1) * sizeof *c->insns); // Most are larger: only n are touched.
    c->starts = malloc((dwords + 1) * sizeof *c->starts);
    if (c->insns == NULL || c->starts == NULL) {
        return &lull_enomem;
    }
    memset(c->starts, 0xff, (dwords + 1) * sizeof *c->starts);
    for (uint64_t at = begin; at < end && c->trouble == NULL;) {
        struct lull_link_insn *x = &c->insns[c->n];
        bool branches = false, falls = false;
        x->text = NULL;
        if (!decode_one(l, at, end, x)) {
            c->trouble = "an unknown instruction";
            break;
        }
        *x = (struct lull_link_insn){.in = x->in,
                                     .text = x->text,
                                     .at = (uint32_t)at,
                                     .target = LULL_LINK_NO_INSN,
                                     .sources = LULL_LINK_NO_INSN,
                                     .chain = LULL_LINK_NO_INSN};
        c->trouble = flow_of(x, &branches, &falls);
        c->starts[(at - begin) / 4] = c->n++;
        at += x->in.size;
    }
    if (c->trouble == NULL) {
        link_branches(c);
    }
    return NULL;
}

bool lull_link_function_at(const struct lull_linker *l, uint64_t at, uint64_t *begin, uint64_t *end)
{
    for (uint32_t i = 0; i < l->nsymbols; i++) {
        const struct lull_elf_symbol *s = &l->symbols[i].s;
        if (s->type == LULL_ELF_FUNC && s->section == 0 && at >= s->value &&
            at - s->value < s->size) {
            *begin = s->value;
            *end = s->value + s->size;
            return true;
        }
    }
    return false;
}

// Can control, from the first instruction on, come to the function's end?
LULL_MUST_USE static struct lull_error *runs_off(struct lull_link_code *c, bool *ret)
{
    uint32_t *work = calloc((size_t)c->n + 1, sizeof *work), n = 0;
    if (work == NULL) {
        return &lull_enomem;
    }
    *ret = c->n == 0;
    if (c->n > 0) {
        c->insns[0].seen = 1;
        work[n++] = 0;
    }
    while (n > 0 && !*ret) {
        const uint32_t i = work[--n];
        const uint32_t next[] = {c->insns[i].target, c->insns[i].falls ? i + 1 : LULL_LINK_NO_INSN};
        for (unsigned k = 0; k < 2; k++) {
            *ret = *ret || next[k] == c->n;
            if (next[k] < c->n && c->insns[next[k]].seen == 0) {
                c->insns[next[k]].seen = 1;
                work[n++] = next[k];
            }
        }
    }
    free(work);
    return NULL;
}

// PAL's name of the entry of a hardware stage: "_amdgpu_ps_main".
static bool is_entry(const char *name)
{
    const size_t size = strlen(name);
    return size > 13 && strncmp(name, "_amdgpu_", 8) == 0 && strcmp(name + size - 5, "_main") == 0;
}

struct lull_error *lull_link_check_ends(struct lull_linker *l)
{
    struct lull_link_code c = {0};
    struct lull_error *err = NULL;
    const bool known = l->gfx == LULL_LINK_GFX_OF_DECODER || l->lines != NULL;
    for (uint32_t i = 0; known && err == NULL && i < l->nsymbols; i++) {
        const struct lull_link_symbol *y = &l->symbols[i];
        const struct lull_elf_symbol *s = &y->s;
        if (s->type != LULL_ELF_FUNC || s->section != 0 || !is_entry(y->name) ||
            s->value % 4 != 0 || s->value > l->outs[0].data.size ||
            s->size > l->outs[0].data.size - s->value) {
            continue;
        }
        bool off = false;
        err = lull_link_decode(l, s->value, s->value + s->size, &c);
        err = err != NULL || c.trouble != NULL ? err : runs_off(&c, &off);
        if (off) {
            err = lull_error_new(LULL_ERR_UNSUPPORTED,
                                 "%s: %s runs on behind its end, where an export shader or another "
                                 "part is to follow; none is made here: write what exports, and "
                                 "return nothing",
                                 y->file, y->name);
        }
    }
    lull_link_code_done(&c);
    return err;
}
