// SPDX-License-Identifier: MIT
#include "isa/afuc/names.h"

#include <stdlib.h>
#include <string.h>

#include "hw/adreno_doms.h"

static const struct lull_dom *by_name(const char *name)
{
    for (unsigned i = 0; name != NULL && i < lull_dom_adreno.ndomains; i++) {
        if (strcmp(lull_dom_adreno.domains[i].name, name) == 0) {
            return &lull_dom_adreno.domains[i];
        }
    }
    return NULL;
}

const struct lull_dom *lull_afuc_control(uint32_t id)
{
    const struct lull_dom_state s = {0};
    return by_name(lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_afuc_control, id));
}

const char *lull_afuc_gpu_name(uint32_t id)
{
    const struct lull_dom_state s = {0};
    return lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_afuc_gpu, id);
}

static const struct lull_dom *domain(uint32_t id, unsigned gen, enum lull_afuc_space space)
{
    switch (space) {
    case LULL_AFUC_CONTROL:
        return lull_afuc_control(id);
    case LULL_AFUC_SQE:
        return &lull_dom_adreno.domains[LULL_ADRENO_DOM_A6XX_SQE_REG];
    case LULL_AFUC_PIPE:
        return &lull_dom_adreno.domains[gen >= 7 ? LULL_ADRENO_DOM_A7XX_PIPE_REG
                                                 : LULL_ADRENO_DOM_A6XX_PIPE_REG];
    case LULL_AFUC_GPU:
        break;
    }
    return &lull_dom_adreno.domains[gen >= 6 ? LULL_ADRENO_DOM_A6XX : LULL_ADRENO_DOM_A5XX];
}

bool lull_afuc_reg_name(uint32_t id, unsigned gen, enum lull_afuc_space space, uint32_t offset,
                        struct lull_str *out)
{
    const struct lull_dom_state s = {.chip = gen};
    const struct lull_dom *d = domain(id, gen, space);
    const struct lull_dom_hit hit =
        d != NULL ? lull_dom_at(&lull_dom_adreno, &s, d, offset) : (struct lull_dom_hit){0};
    if (hit.reg != NULL) {
        lull_dom_name(&hit, out);
    }
    return hit.reg != NULL;
}

bool lull_afuc_reg_find(uint32_t id, unsigned gen, enum lull_afuc_space space, const char *name,
                        size_t size, uint32_t *ret)
{
    const struct lull_dom_state s = {.chip = gen};
    const struct lull_dom *d = domain(id, gen, space);
    const char *plus = memchr(name, '+', size);
    const size_t base = plus != NULL ? (size_t)(plus - name) : size;
    struct lull_str text = {0};
    bool found = false;
    for (unsigned i = 0; d != NULL && !found && i < d->n; i++) {
        const struct lull_dom_reg *r = &d->regs[i];
        const unsigned count = r->count != 0 ? r->count : 1;
        for (unsigned j = 0; !found && j < count && lull_dom_holds(&lull_dom_adreno, &s, r->cond);
             j++) {
            const struct lull_dom_hit hit = {.reg = r, .index = j};
            text.size = 0;
            lull_dom_name(&hit, &text);
            found = text.size == base && strncmp(lull_str_text(&text), name, base) == 0;
            *ret = r->offset + j * r->stride;
        }
    }
    lull_str_free(&text);
    if (found && plus != NULL) {
        *ret += (uint32_t)strtoul(plus + 1, NULL, 0);
    }
    return found;
}

void lull_afuc_packet_name(unsigned gen, unsigned opcode, struct lull_str *out)
{
    const struct lull_dom_state s = {.chip = gen};
    const char *name =
        lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, opcode);
    if (name != NULL) {
        lull_str_addf(out, "%s", name);
    } else {
        lull_str_addf(out, "UNKN%u", opcode);
    }
}
