// SPDX-License-Identifier: MIT
// What depends on the generation: registers, packets by opcode, names.
#include <string.h>

#include "capture/walk.h"
#include "hw/adreno_chip.h"

struct row {
    const char *name;
    enum lull_cap_op op;
};

static const struct row rows[] = {
    {"CP_NOP", LULL_CAP_OP_NOP},
    {"CP_INDIRECT_BUFFER", LULL_CAP_OP_IB},
    {"CP_INDIRECT_BUFFER_PFD", LULL_CAP_OP_IB},
    {"CP_INDIRECT_BUFFER_PFE", LULL_CAP_OP_IB},
    {"CP_INDIRECT_BUFFER_CHAIN", LULL_CAP_OP_CHAIN},
    {"CP_COND_INDIRECT_BUFFER_PFE", LULL_CAP_OP_COND_IB},
    {"CP_COND_INDIRECT_BUFFER_PFD", LULL_CAP_OP_COND_IB},
    {"CP_SET_DRAW_STATE", LULL_CAP_OP_DRAW_STATE},
    {"CP_SET_MARKER", LULL_CAP_OP_MARKER},
    {"CP_SET_RENDER_MODE", LULL_CAP_OP_RENDER_MODE},
    {"CP_THREAD_CONTROL", LULL_CAP_OP_THREAD},
    {"CP_COND_REG_EXEC", LULL_CAP_OP_COND_REG},
    {"CP_COND_EXEC", LULL_CAP_OP_COND_EXEC},
    {"CP_LOAD_STATE", LULL_CAP_OP_LOAD},
    {"CP_LOAD_STATE4", LULL_CAP_OP_LOAD},
    {"CP_LOAD_STATE6", LULL_CAP_OP_LOAD},
    {"CP_LOAD_STATE6_GEOM", LULL_CAP_OP_LOAD},
    {"CP_LOAD_STATE6_FRAG", LULL_CAP_OP_LOAD},
    {"CP_REG_WRITE", LULL_CAP_OP_REG_WRITE},
    {"CP_CONTEXT_REG_BUNCH", LULL_CAP_OP_BUNCH},
    {"CP_CONTEXT_REG_BUNCH2", LULL_CAP_OP_BUNCH2},
    {"CP_REG_RMW", LULL_CAP_OP_RMW},
    {"CP_SET_CONSTANT", LULL_CAP_OP_CONSTANT},
    {"CP_START_BIN", LULL_CAP_OP_START_BIN},
    {"CP_FIXED_STRIDE_DRAW_TABLE", LULL_CAP_OP_TABLE},
    {"CP_COMPUTE_CHECKPOINT", LULL_CAP_OP_CHECKPOINT},
    {"CP_EVENT_WRITE", LULL_CAP_OP_EVENT},
    {"CP_EVENT_WRITE7", LULL_CAP_OP_EVENT},
    {"CP_BLIT", LULL_CAP_OP_BLIT},
    {"CP_RUN_OPENCL", LULL_CAP_OP_OPENCL},
    {"CP_EXEC_CS", LULL_CAP_OP_EXEC_CS},
    {"CP_EXEC_CS_INDIRECT", LULL_CAP_OP_EXEC_CS_INDIRECT},
    {"CP_DRAW_INDX", LULL_CAP_OP_DRAW_INDX},
    {"CP_DRAW_INDX_2", LULL_CAP_OP_DRAW_INDX_2},
    {"CP_DRAW_INDX_OFFSET", LULL_CAP_OP_DRAW_OFFSET},
    {"CP_DRAW_INDIRECT", LULL_CAP_OP_DRAW_INDIRECT},
    {"CP_DRAW_INDX_INDIRECT", LULL_CAP_OP_DRAW_INDX_INDIRECT},
    {"CP_DRAW_INDIRECT_MULTI", LULL_CAP_OP_DRAW_MULTI},
    {"CP_DRAW_AUTO", LULL_CAP_OP_DRAW_AUTO},
};

static void set_opcodes(struct lull_cap *c)
{
    for (unsigned op = 0; op < LULL_CAP_OPCODES; op++) {
        const char *name = lull_cap_enum(c, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, op);
        c->op_names[op] = name;
        c->op_doms[op] = lull_adreno_packet(name);
        c->op_kinds[op] = LULL_CAP_OP_NONE;
        for (size_t i = 0; name != NULL && i < sizeof rows / sizeof rows[0]; i++) {
            if (strcmp(rows[i].name, name) == 0) {
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
    return mode == LULL_CAP_BINNING  ? "BINNING"
           : mode == LULL_CAP_GMEM   ? "GMEM"
           : mode == LULL_CAP_SYSMEM ? "SYSMEM"
                                     : "any";
}

unsigned lull_cap_sets(const struct lull_cap *c)
{
    return c->gen == 6 ? 5 : c->gen >= 7 ? 8 : 0;
}

bool lull_cap_set_base(const struct lull_cap *c, bool compute, unsigned i, uint64_t *ret)
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
        const uint64_t base = lull_cap_reg(c, reg, true) & ~UINT64_C(3);
        if (base != 0) {
            *ret = base;
            return true;
        }
    }
    return false;
}
