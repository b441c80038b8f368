// SPDX-License-Identifier: MIT
#include "isa/afuc/names.h"

#include <stdlib.h>
#include <string.h>

#include "hw/adreno_chip.h"
#include "hw/adreno_doms.h"

const struct lull_dom *lull_afuc_control(uint32_t id)
{
    const struct lull_dom_state s = {0};
    return lull_adreno_domain(
        lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_afuc_control, id));
}

const char *lull_afuc_gpu_name(uint32_t id)
{
    const struct lull_dom_state s = {0};
    return lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_afuc_gpu, id);
}

enum { MOST_DOMAINS = 3 };

/** Domains to look in, one after the other; how many. */
static unsigned domains(uint32_t id, unsigned gen, enum lull_afuc_space space,
                        const struct lull_dom *ret[MOST_DOMAINS])
{
    const struct lull_dom *all = lull_dom_adreno.domains;
    unsigned n = 0;
    switch (space) {
    case LULL_AFUC_CONTROL:
        ret[n++] = lull_afuc_control(id);
        break;
    case LULL_AFUC_SQE:
        ret[n++] = &all[LULL_ADRENO_DOM_A6XX_SQE_REG];
        break;
    case LULL_AFUC_PIPE:
        ret[n++] = &all[gen >= 7 ? LULL_ADRENO_DOM_A7XX_PIPE_REG : LULL_ADRENO_DOM_A6XX_PIPE_REG];
        break;
    case LULL_AFUC_GPU:
        ret[n++] = &all[gen >= 6 ? LULL_ADRENO_DOM_A6XX : LULL_ADRENO_DOM_A5XX];
        if (gen >= 6) {
            ret[n++] = &all[LULL_ADRENO_DOM_GMU];
        }
        ret[n++] = &all[LULL_ADRENO_DOM_AXXX];
        break;
    }
    return ret[0] != NULL ? n : 0;
}

bool lull_afuc_reg_name(uint32_t id, unsigned gen, enum lull_afuc_space space, uint32_t offset,
                        struct lull_str *out)
{
    const struct lull_dom_state s = {.chip = gen};
    const struct lull_dom *d[MOST_DOMAINS] = {0};
    const unsigned n = domains(id, gen, space, d);
    struct lull_dom_hit hit = {0};
    for (unsigned i = 0; i < n && hit.reg == NULL; i++) {
        hit = lull_dom_at(&lull_dom_adreno, &s, d[i], offset);
    }
    if (hit.reg != NULL) {
        lull_dom_name(&hit, out);
        if (hit.reg->kind == LULL_DOM_NONE && hit.reg->count != 0 && hit.dword == 0) {
            lull_str_add(out, "+0", 2); // an array without registers
        }
    }
    return hit.reg != NULL;
}

/** Offset of the register called @p name, of @p size bytes. */
static bool find(const struct lull_dom_state *s, const struct lull_dom *d, const char *name,
                 size_t size, uint32_t *ret)
{
    struct lull_str text = {0};
    bool found = false;
    for (unsigned i = 0; !found && i < d->n; i++) {
        const struct lull_dom_reg *r = &d->regs[i];
        const unsigned count = r->count != 0 ? r->count : 1;
        for (unsigned j = 0; !found && j < count && lull_dom_holds(&lull_dom_adreno, s, r->cond);
             j++) {
            const struct lull_dom_hit hit = {.reg = r, .index = j};
            text.size = 0;
            lull_dom_name(&hit, &text);
            found = text.size == size && strncmp(lull_str_text(&text), name, size) == 0;
            *ret = r->offset + j * r->stride;
        }
    }
    lull_str_free(&text);
    return found;
}

bool lull_afuc_reg_find(uint32_t id, unsigned gen, enum lull_afuc_space space, const char *name,
                        size_t size, uint32_t *ret)
{
    const struct lull_dom_state s = {.chip = gen};
    const struct lull_dom *d[MOST_DOMAINS] = {0};
    const unsigned n = domains(id, gen, space, d);
    const char *plus = memchr(name, '+', size);
    const size_t base = plus != NULL ? (size_t)(plus - name) : size;
    for (unsigned i = 0; i < n; i++) {
        if (find(&s, d[i], name, base, ret)) {
            *ret += plus != NULL ? (uint32_t)strtoul(plus + 1, NULL, 0) : 0;
            return true;
        }
    }
    return false;
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
