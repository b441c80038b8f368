// SPDX-License-Identifier: MIT
// What depends on the generation: registers, packets by opcode, names.
#include <string.h>

#include "adreno/show/walk.h"
#include "hw/adreno_chip.h"

static void set_opcodes(struct lull_cap *c)
{
    static const struct {
        const char *name;
        enum lull_cap_op op;
    } rows[] = {
        {"CP_LOAD_STATE", LULL_CAP_OP_TELLS},
        {"CP_SET_DRAW_STATE", LULL_CAP_OP_TELLS},
        {"CP_CONTEXT_REG_BUNCH", LULL_CAP_OP_NO_DUMP},
        {"CP_INDIRECT_BUFFER", LULL_CAP_OP_NO_DUMP},
        {"CP_INDIRECT_BUFFER_CHAIN", LULL_CAP_OP_CHAIN},
    };
    for (unsigned op = 0; op < LULL_CAP_OPCODES; op++) {
        const char *name = c->s.op_names[op];
        c->op_kinds[op] = LULL_CAP_OP_PLAIN;
        for (size_t i = 0; name != NULL && i < sizeof rows / sizeof rows[0]; i++) {
            if (strncmp(rows[i].name, name, strlen(rows[i].name)) == 0) {
                c->op_kinds[op] = (uint8_t)rows[i].op;
            }
        }
    }
}

/** Which registers are halves of wide ones. */
static void set_halves(struct lull_cap *c, const struct lull_dom *d)
{
    for (unsigned i = 0; i < d->n; i++) {
        const struct lull_dom_reg *r = &d->regs[i];
        const unsigned count = r->count != 0 ? r->count : 1;
        for (unsigned k = 0; r->width == 64 && k < count; k++) {
            const uint32_t at = r->offset + k * r->stride;
            if (at + 1 < LULL_CAP_REGS && lull_dom_lookup(c->index, at).reg == r) {
                c->half[at] = 1;
                c->half[at + 1] = lull_dom_lookup(c->index, at + 1).reg == r ? 2 : 0;
            }
        }
    }
}

struct lull_error *lull_cap_set_gpu(struct lull_cap *c, unsigned gen)
{
    const struct lull_dom *doms[LULL_ADRENO_SPACES] = {0};
    const unsigned ndoms = lull_adreno_spaces(gen, doms);
    lull_dom_index_free(c->index);
    c->index = NULL;
    c->gen = gen;
    memset(c->half, 0, sizeof c->half);
    c->dom = (struct lull_dom_state){.chip = gen};
    lull_astream_set_gpu(&c->s, gen);
    set_opcodes(c);
    struct lull_error *err =
        lull_dom_index_new(&lull_dom_adreno, gen, doms, ndoms, LULL_CAP_REGS, &c->index);
    for (unsigned i = 0; err == NULL && i < ndoms; i++) {
        set_halves(c, doms[i]);
    }
    return err;
}

const char *lull_cap_enum(const struct lull_cap *c, unsigned which, uint64_t value)
{
    return lull_dom_enum_name(&lull_dom_adreno, &c->dom, which, value);
}

const char *lull_cap_stage_name(int stage)
{
    static const char *const names[] = {"VS", "HS", "DS", "GS", "FS", "CS"};
    return stage >= 0 && stage < LULL_CAP_STAGES ? names[stage] : "all stages";
}

const char *lull_cap_mode_name(unsigned mode)
{
    return mode == LULL_AS_BINNING  ? "BINNING"
           : mode == LULL_AS_GMEM   ? "GMEM"
           : mode == LULL_AS_SYSMEM ? "SYSMEM"
                                    : "any";
}

unsigned lull_cap_sets(const struct lull_cap *c)
{
    return c->gen == 6 ? 5 : c->gen >= 7 ? 8 : 0;
}

bool lull_cap_set_base(const struct lull_cap *c, bool compute, unsigned i, uint64_t *ret,
                       uint32_t *ret_apart)
{
    // a6xx has a copy in HLSQ; drivers write both.
    const uint32_t a6xx[] = {compute ? LULL_A6XX_HLSQ_CS_BINDLESS_BASE_DESCRIPTOR
                                     : LULL_A6XX_HLSQ_BINDLESS_BASE_DESCRIPTOR,
                             compute ? LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR
                                     : LULL_A6XX_SP_BINDLESS_BASE_DESCRIPTOR};
    const uint32_t a7xx = compute ? LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR
                                  : LULL_A6XX_SP_BINDLESS_BASE_DESCRIPTOR__A7XX;
    for (unsigned k = 0; i < lull_cap_sets(c) && k < 2; k++) {
        const uint32_t reg = (c->gen >= 7 ? a7xx : a6xx[k]) + 2 * i;
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
        const uint64_t value = lull_cap_reg(c, reg, true);
        uint64_t base = 0, size = 0;
        if (hit.reg != NULL &&
            lull_dom_field(&lull_dom_adreno, &c->dom, hit.reg, "ADDR", value, &base) &&
            lull_dom_field(&lull_dom_adreno, &c->dom, hit.reg, "DESC_SIZE", value, &size) &&
            base != 0) {
            *ret = base;
            *ret_apart = 2u << size; // Source: a6xx.xml, BINDLESS_BASE
            return true;
        }
    }
    return false;
}
