// SPDX-License-Identifier: MIT
#include "cli/opt/check_shared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20, SPIRV_1_4 = 0x10400 };

static bool spec_value(const void *ctx, uint32_t id, uint64_t *ret)
{
    const struct lull_names_pipeline *p = ctx;
    for (size_t i = 0; i < p->nspecs; i++) {
        if (p->specs[i].id == id) {
            *ret = p->specs[i].value;
            return true;
        }
    }
    return false;
}

static bool in_interface(const struct lull_spirv *m, const struct lull_spirv_entry *e, uint32_t id)
{
    for (size_t i = 0; i < e->ninterface; i++) {
        if (e->interface[i] == id) {
            return true;
        }
    }
    return m->version < SPIRV_1_4;
}

/** Drivers keep things of their own there for rays. */
static bool has_rays(const struct lull_spirv *m)
{
    for (size_t i = 0; i < m->nbindings; i++) {
        if (m->bindings[i].descriptor == LULL_SPIRV_DESC_ACCELERATION_STRUCTURE) {
            return true;
        }
    }
    return false;
}

/** Bytes that the variables take at most, in any order; *ret_name: of the only one, else "". 0: not
 * known. */
static uint64_t shared_most(const struct lull_spirv *m, const struct lull_names_pipeline *p,
                            const char **ret_name)
{
    const struct lull_spirv_entry *e = lull_spirv_find_entry(m, p->entry);
    const struct lull_spirv_specs specs = {.value = spec_value, .ctx = p, .n = p->nspecs};
    uint64_t sum = 0, least = UINT64_MAX, most = 1;
    unsigned n = 0;
    *ret_name = "";
    for (size_t i = 0; e != NULL && i < m->nshared; i++) {
        const struct lull_spirv_shared *s = &m->shared[i];
        if (!in_interface(m, e, s->id)) {
            continue;
        }
        const struct lull_spirv_room need = lull_spirv_room(s->type, &specs);
        if (need.most == 0 || sum + need.most > MOST) {
            return 0;
        }
        sum += need.most;
        least = need.align < least ? need.align : least;
        most = need.align > most ? need.align : most;
        *ret_name = m->names != NULL && m->names[s->id] != NULL ? m->names[s->id] : "";
        n++;
    }
    *ret_name = n == 1 ? *ret_name : "";
    return n == 0 || has_rays(m) ? 0 : sum + (n - 1) * (most - (least < most ? least : most));
}

static char *text_of(const struct lull_reach_end *e, uint64_t most, const char *name)
{
    const char *verb = e->kind == LULL_TOUCH_STORE ? "stores" : "atomically changes";
    if (name[0] != '\0') {
        return lull_check_text("%s %u byte%s at byte %" PRIu64 " of %s, which has %" PRIu64, verb,
                               e->bytes, e->bytes == 1 ? "" : "s", e->address, name, most);
    }
    return lull_check_text("%s %u byte%s at byte %" PRIu64
                           " of local memory, of which the shader's variables have %" PRIu64,
                           verb, e->bytes, e->bytes == 1 ? "" : "s", e->address, most);
}

void lull_check_shared_judge(struct lull_checks *c, struct lull_names *names,
                             const struct lull_names_dispatch *d, const struct lull_reach_local *l)
{
    const struct lull_names_pipeline *p = d->pipeline;
    const struct lull_spirv *m =
        p != NULL && p->shader != NULL ? lull_names_spirv(names, p->shader) : NULL;
    const char *name = "";
    const uint64_t most = m != NULL ? shared_most(m, p, &name) : 0;
    if (most == 0 || l->last.address < most) { // Drivers may put several stores together.
        return;
    }
    struct lull_check_site sites[2] = {l->last.site, {0}};
    const char *insn = lull_check_insn(c, l->space, l->last.site.pc);
    sites[0].insn = insn != NULL ? strdup(insn) : NULL;
    sites[0].does = text_of(&l->last, most, name);
    struct lull_finding *f =
        lull_checks_late(c, "bounds", "local memory is left", l->space, sites, 1);
    if (f != NULL && f->count == 1) {
        f->note = lull_check_text("hardware gives out local memory in larger pieces: this is "
                                  "another variable, or nobody's");
    }
}
