// SPDX-License-Identifier: MIT
#include "check/undefined/marked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/ir3.h"
#include "check/objects.h"
#include "isa/rdna/rdna.h"
#include "rdna_ops.h"

enum { MAGIC, PLACE, INDEX, LENGTH, DWORDS };
enum { WAVE = 64, FIRST_ROOM = 16 };

/** What stores so many bytes has a plan: its first register of data, plus 1. */
struct plan {
    uint32_t data;
};

/** A line that was found to do it with an array, and where first: it may do so several times, and
 * loops that were unrolled have it several times. */
struct seen {
    uint64_t id, pc;
};

struct own {
    struct seen *all;
    size_t n, room;
};

static void done(void *of)
{
    struct own *own = of;
    free(own->all);
    free(own);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    static const uint64_t prime = 0x100000001b3; // Of FNV-1a with 64 bits.
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ at[i]) * prime;
    }
    return hash;
}

/** The same for all places of a line with one array. */
static uint64_t id_of(const struct lull_check_mark *m, uint32_t process, uint32_t place)
{
    uint64_t id = mix(0xcbf29ce484222325, &process, sizeof process);
    id = mix(id, m->line != 0 ? &m->line : &place, sizeof place);
    id = mix(id, &m->of, sizeof m->of);
    id = mix(id, m->file, strlen(m->file) + 1);
    return mix(id, m->name, strlen(m->name));
}

/** Where it was found first. */
static uint64_t first_pc(const struct lull_check_now *n, uint64_t id)
{
    struct own *own = n->own;
    for (size_t i = 0; i < own->n; i++) {
        if (own->all[i].id == id) {
            return own->all[i].pc;
        }
    }
    if (own->n == own->room) {
        const size_t room = own->room != 0 ? 2 * own->room : FIRST_ROOM;
        struct seen *more = reallocarray(own->all, room, sizeof *more);
        if (more == NULL) {
            return n->at->pc;
        }
        own->all = more;
        own->room = room;
    }
    own->all[own->n++] = (struct seen){id, n->at->pc};
    return n->at->pc;
}

static const struct {
    const char *what, *index, *elements;
} kinds[] = {
    [LULL_CHECK_MARK_ARRAY] = {"an index is outside of its array", "index", "element"},
    [LULL_CHECK_MARK_BUFFER] = {"an index is outside of its array, in a buffer", "index",
                                "element"},
    [LULL_CHECK_MARK_VECTOR] = {"an index is outside of its vector", "component", "component"},
    [LULL_CHECK_MARK_MATRIX] = {"an index is outside of its matrix", "column", "column"},
};

static char *does(const struct lull_check_mark *m, const uint32_t v[DWORDS])
{
    const char *name = m->name[0] != '\0' ? m->name : "what has no name";
    const int64_t index = m->is_signed ? (int64_t)(int32_t)v[INDEX] : (int64_t)v[INDEX];
    return lull_check_text("takes %s %" PRId64 " of %s, which has %" PRIu32 " %s%s",
                           kinds[m->of].index, index, name, v[LENGTH], kinds[m->of].elements,
                           v[LENGTH] == 1 ? "" : "s");
}

static void tell(const struct lull_check_now *n, unsigned lane, const struct lull_check_mark *m,
                 const uint32_t v[DWORDS])
{
    const uint64_t id = id_of(m, v[MAGIC] - LULL_CHECK_MARK_MAGIC, v[PLACE]);
    struct lull_finding *f = lull_check_found(n, "index", kinds[m->of].what, first_pc(n, id), id);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->sites[0] = lull_check_site(n, n->at->pc, lane);
    free(f->sites[0].insn); // A mark says nothing to who reads it.
    f->sites[0].insn = NULL;
    f->sites[0].does = does(m, v);
    f->sites[0].file = m->line != 0 && m->file[0] != '\0' ? strdup(m->file) : NULL;
    f->sites[0].line = m->line;
    f->note = lull_check_text("what lies there is not of it");
}

/** What the data of @p lane says; NULL: it is no mark. */
static const struct lull_check_mark *mark_of(const struct lull_check_now *n, unsigned lane,
                                             uint32_t v[DWORDS])
{
    const struct lull_check_objects *o = n->config;
    const uint32_t reg = ((const struct plan *)n->plan)->data - 1;
    for (unsigned i = 0; i < DWORDS; i++) {
        if (!n->at->read(n->at, reg + i, lane, &v[i]) ||
            v[MAGIC] - LULL_CHECK_MARK_MAGIC >= LULL_CHECK_MARK_PROCESSES) {
            return NULL;
        }
    }
    return o->mark != NULL ? o->mark(o->mark_ctx, v[MAGIC] - LULL_CHECK_MARK_MAGIC, v[PLACE])
                           : NULL;
}

static bool takes(const struct lull_check_now *n)
{
    uint32_t told = UINT32_MAX;
    bool all = (n->at->active | n->at->active_high) != 0;
    for (unsigned half = 0; half < 2; half++) {
        for (uint64_t m = half == 0 ? n->at->active : n->at->active_high; m != 0 && all;
             m &= m - 1) {
            const unsigned lane = WAVE * half + (unsigned)__builtin_ctzll(m);
            uint32_t v[DWORDS] = {0};
            const struct lull_check_mark *mark = mark_of(n, lane, v);
            all = mark != NULL;
            if (all && v[PLACE] != told) {
                told = v[PLACE];
                tell(n, lane, mark, v);
            }
        }
    }
    return all;
}

static bool plan(const struct lull_check_now *n, void *of)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    struct plan *p = of;
    p->data = in->op == LULL_RDNA_OP_GLOBAL_STORE_B128 ? in->vdata + 1u : 0;
    return p->data != 0;
}

static bool plan_ir3(const struct lull_check_now *n, void *of)
{
    const struct lull_ir3_insn *in = &lull_arch_ir3_of(n->at->insn)->in;
    const bool store = in->op == LULL_IR3_OP_STG || in->op == LULL_IR3_OP_STG_A;
    const struct lull_ir3_operand *value = &in->src[in->op == LULL_IR3_OP_STG_A ? 2 : 1];
    struct plan *p = of;
    p->data = store && in->m.size == DWORDS && value->kind == LULL_IR3_K_GPR && !value->half
                  ? (uint32_t)value->value + 1
                  : 0;
    return p->data != 0;
}

const struct lull_check_module lull_check_index_marked = {.name = "index",
                                                          .own_bytes = sizeof(struct own),
                                                          .plan_bytes = sizeof(struct plan),
                                                          .plan = plan,
                                                          .takes = takes,
                                                          .done = done};
const struct lull_check_module lull_check_index_marked_ir3 = {.name = "index",
                                                              .own_bytes = sizeof(struct own),
                                                              .plan_bytes = sizeof(struct plan),
                                                              .plan = plan_ir3,
                                                              .takes = takes,
                                                              .done = done};
