// SPDX-License-Identifier: MIT
#include "debug/session/agent_values.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "debug/rdna/regs.h"
#include "isa/rdna/rdna.h"

enum { HW_STATUS = 2 }; // hwreg id. Source: rdna3 3.4

/** @return LULL_ARCH_NO_REG: not one that records can have. */
static unsigned number_of(const struct lull_reg_name *r)
{
    const bool scc =
        r->reg.cls == LULL_REG_HW && r->reg.index == HW_STATUS && r->bit == 0 && r->nbits == 1;
    return scc                                                 ? LULL_RDNA_SCC
           : r->nbits != 0                                     ? LULL_ARCH_NO_REG
           : r->reg.cls == LULL_REG_VGPR                       ? LULL_RDNA_VGPR0 + r->reg.index
           : r->reg.cls == LULL_REG_SGPR && r->reg.index < 128 ? r->reg.index
                                                               : LULL_ARCH_NO_REG;
}

LULL_MUST_USE static struct lull_error *find_register(void *ctx, struct lull_arena *arena,
                                                      const char **at, const void **ret)
{
    (void)ctx;
    struct lull_reg_name *r = lull_arena_calloc(arena, 1, sizeof *r);
    struct lull_error *err = r == NULL ? &lull_enomem : lull_reg_find(at, r);
    if (err == NULL && number_of(r) == LULL_ARCH_NO_REG) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "this register needs a wave that stands");
    }
    *ret = r;
    return err;
}

LULL_MUST_USE static struct lull_error *find_name(void *ctx, struct lull_arena *arena,
                                                  const char *name, const void **ret)
{
    (void)ctx, (void)arena, (void)ret;
    return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s' needs a wave that stands", name);
}

/** A register's dword in the record. */
LULL_MUST_USE static struct lull_error *dword(struct lull_agent_scope *s, unsigned reg,
                                              uint32_t *ret)
{
    lull_cleanup(lull_str_free) struct lull_str name = {0};
    *ret = 1;
    if (s->dump == NULL) {
        const bool room = s->nregs < LULL_AGENT_REGS;
        s->regs[room ? s->nregs++ : 0] = (uint16_t)reg;
        return room ? NULL : lull_error_new(LULL_ERR_UNSUPPORTED, "too many registers");
    }
    lull_arch_reg_name(&lull_arch_rdna3, reg, &name);
    const struct lull_recorded *insn = &s->dump->m->all[s->record->insn];
    for (uint32_t k = insn->ndst; k < insn->ndst + insn->nsrc; k++) {
        if (strcmp(insn->names[k], lull_str_text(&name)) == 0) {
            *ret = lull_dump_value(s->dump, s->record, k);
            return name.err;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND, "$%s was not written down", lull_str_text(&name));
}

LULL_MUST_USE static struct lull_error *read_ref(void *ctx, const void *ref, bool only_type,
                                                 struct lull_value *ret)
{
    struct lull_agent_scope *s = ctx;
    const struct lull_reg_name *r = ref;
    const unsigned count = lull_reg_count(r, s->lanes);
    struct lull_value v = {
        .type = {.kind = LULL_CTYPE_UNSIGNED}, .lanes = 1, .active = 1, .valid = 1};
    v.type.bits = count == 2 ? 64 : r->bits != 0 ? r->bits : 32;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && !only_type && i < count; i++) {
        uint32_t bits = 0;
        err = dword(s, number_of(r) + i, &bits);
        v.v[0] |= (uint64_t)bits << 32 * i;
    }
    if (err == NULL) {
        *ret = v;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_memory(void *ctx, bool lds, uint64_t address,
                                                    void *buf, size_t size)
{
    (void)ctx, (void)lds, (void)address, (void)buf, (void)size;
    return lull_error_new(LULL_ERR_UNSUPPORTED, "memory needs a wave that stands");
}

struct lull_error *lull_agent_values(struct lull_agent_scope *s, const struct lull_dprintf *p,
                                     struct lull_value *ret)
{
    const struct lull_expr_scope scope = {.ctx = s,
                                          .find_register = find_register,
                                          .find_name = find_name,
                                          .read = read_ref,
                                          .read_memory = read_memory};
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < p->nargs; i++) {
        struct lull_expr *e = NULL;
        err = lull_expr_parse(&scope, p->texts[i], NULL, &e);
        err = err != NULL ? err : lull_expr_eval(&scope, e, &ret[i]);
        lull_expr_free(e);
    }
    return err;
}

bool lull_agent_needs(const struct lull_breakpoint *b, unsigned lanes, struct lull_agent_scope *ret)
{
    struct lull_value *values = calloc(LULL_DPRINTF_ARGS, sizeof *values);
    *ret = (struct lull_agent_scope){.lanes = lanes};
    struct lull_error *err =
        values == NULL ? &lull_enomem : lull_agent_values(ret, b->print, values);
    const bool ok = err == NULL;
    lull_error_free(err);
    free(values);
    return ok;
}

bool lull_agent_can(const struct lull_debug *d, const struct lull_breakpoint *b)
{
    struct lull_agent_scope s = {0};
    return d->target->ops->allocate != NULL && d->dprintf_agent && d->printed != NULL &&
           b->test == NULL && b->ignore == 0 && b->nmore == 0 && lull_agent_needs(b, 64, &s);
}
