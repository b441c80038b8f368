// SPDX-License-Identifier: MIT
#include "front/interface.h"

#include <spirv/unified1/spirv.h>

#include "front/module_priv.h"

enum { WORDS = 4, LAST_USE = 63, MAX_NUMBERS = 1 << 10 };

static void use(struct lull_fr_module *m, uint32_t id, uint32_t member)
{
    if (id < m->spv.bound) {
        m->ids[id].uses |= UINT64_C(1) << (member < LAST_USE ? member : LAST_USE);
    }
}

static void use_all(struct lull_fr_module *m, uint32_t id)
{
    if (id < m->spv.bound) {
        m->ids[id].uses = UINT64_MAX;
    }
}

/** Is @p id a variable outside functions that is an array of structs? */
static bool of_structs(const struct lull_fr_module *m, uint32_t id)
{
    const struct lull_fr_type *t =
        id < m->spv.bound ? lull_fr_type_of(m, m->ids[id].pointer) : NULL;
    t = t != NULL && t->kind == LULL_FR_POINTER ? t->element : NULL;
    return t != NULL && t->kind == LULL_FR_ARRAY && t->element->kind == LULL_FR_STRUCT;
}

/** An access chain: the member that it goes to; of an array of structs, that of its elements. */
static void use_chain(struct lull_fr_module *m, const struct lull_spv_insn *in)
{
    const uint32_t at = of_structs(m, lull_spv_word(in, 3)) ? 5 : 4;
    const struct lull_fr_constant *c = in->n > at ? lull_fr_constant_of(m, in->w[at]) : NULL;
    if (c != NULL && c->type->kind == LULL_FR_INT && !c->undefined && c->parts == NULL) {
        use(m, in->w[3], c->bits < LAST_USE ? (uint32_t)c->bits : LAST_USE);
    } else {
        use_all(m, lull_spv_word(in, 3));
    }
}

void lull_fr_find_uses(struct lull_fr_module *m)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = m->spv.functions; pos < m->spv.nwords && lull_spv_next(&m->spv, &pos, &in);) {
        uint32_t first = in.n, end = in.n;
        switch (in.op) {
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
            use_chain(m, &in);
            break;
        case SpvOpLoad:
        case SpvOpCopyObject:
            first = 3;
            end = 4;
            break;
        case SpvOpStore:
        case SpvOpCopyMemory:
            first = 1;
            end = 3;
            break;
        case SpvOpFunctionCall:
            first = 4;
            break;
        case SpvOpExtInst:
            first = lull_spv_has_literals(&m->spv, &in) ? in.n : 5;
            break;
        default:
            break;
        }
        for (uint32_t i = first; i < end && i < in.n; i++) {
            use_all(m, in.w[i]);
        }
    }
}

/** What is being walked. */
struct walk {
    const struct lull_fr_module *m;
    lull_fr_leaf_fn *fn;
    void *arg;
    struct lull_fr_leaf leaf;
};

LULL_NEW_ERROR static struct lull_error *bad(const struct walk *w, const char *what)
{
    return lull_error_new(LULL_ERR_BAD_DATA, "interface variable %%%u: %s", w->leaf.id, what);
}

LULL_MUST_USE static struct lull_error *give(const struct walk *w, const struct lull_fr_leaf *leaf)
{
    return leaf->decor.stream == 0 ? w->fn(w->arg, leaf) : NULL;
}

/** Locations that a plain type takes. */
static uint32_t locations(const struct lull_fr_type *t)
{
    const uint32_t words =
        (lull_fr_scalar(t)->bits == 64 ? 2 : 1) * (t->kind == LULL_FR_VECTOR ? t->count : 1);
    return words > WORDS ? 2 : 1;
}

static void add_decor(struct lull_fr_decor *to, const struct lull_fr_decor *from)
{
    to->flat |= from->flat;
    to->noperspective |= from->noperspective;
    to->centroid |= from->centroid;
    to->sample |= from->sample;
    to->per_primitive |= from->per_primitive;
    to->patch |= from->patch;
    to->stream = from->stream != 0 ? from->stream : to->stream;
}

/** A number or vector at the location where the walk is. */
LULL_MUST_USE static struct lull_error *plain(struct walk *w, const struct lull_fr_type *t)
{
    const uint32_t n = locations(t), size = lull_fr_scalar(t)->bits == 64 ? 2 : 1;
    const uint32_t words = size * (t->kind == LULL_FR_VECTOR ? t->count : 1);
    if (w->leaf.location == LULL_FR_NONE) {
        return bad(w, "it has no Location");
    }
    if (w->leaf.location + n > LULL_FR_LOCATIONS || w->leaf.component >= WORDS ||
        (w->leaf.component != 0 && w->leaf.component + words > WORDS)) {
        return bad(w, "behind the last location, which is 31, or component");
    }
    if (lull_fr_scalar(t)->kind == LULL_FR_BOOL) {
        return bad(w, "truth values cannot pass between stages");
    }
    w->leaf.type = t;
    struct lull_error *err = give(w, &w->leaf);
    w->leaf.location += n;
    return err;
}

static struct lull_error *walk(struct walk *w, const struct lull_fr_type *t) LULL_MUST_USE;

/** A member of a struct; @p used: members that functions use. */
LULL_MUST_USE static struct lull_error *member(struct walk *w, const struct lull_fr_type *t,
                                               uint32_t i, uint64_t used)
{
    const struct lull_fr_decor *d = &t->decor[i];
    struct lull_error *err = NULL;
    struct lull_fr_decor saved = w->leaf.decor;
    add_decor(&w->leaf.decor, d);
    w->leaf.path[w->leaf.npath - 1] = i;
    const bool is_used = (used >> (i < LAST_USE ? i : LAST_USE) & 1) != 0;
    if (d->builtin != LULL_FR_NONE) {
        struct lull_fr_leaf leaf = w->leaf;
        leaf.decor.builtin = d->builtin;
        leaf.type = t->members[i];
        leaf.location = leaf.component = 0;
        err = is_used ? give(w, &leaf) : NULL;
    } else {
        const uint32_t component = w->leaf.component;
        w->leaf.location = d->location != LULL_FR_NONE ? d->location : w->leaf.location;
        w->leaf.component = d->component != 0 ? d->component : component;
        err = walk(w, t->members[i]);
        w->leaf.component = component;
    }
    w->leaf.decor = saved;
    return err;
}

struct lull_error *walk(struct walk *w, const struct lull_fr_type *t)
{
    struct lull_error *err = NULL;
    if (lull_fr_is_plain(t)) {
        return plain(w, t);
    }
    if (t->kind != LULL_FR_MATRIX && t->kind != LULL_FR_ARRAY && t->kind != LULL_FR_STRUCT) {
        return bad(w, "its type cannot pass between stages");
    }
    if (t->scalars == 0 || t->scalars > MAX_NUMBERS || t->count > t->scalars ||
        w->leaf.npath == LULL_FR_MAX_PATH) {
        return bad(w, "too many numbers, none, or arrays and structs too deep in each other");
    }
    const bool outermost = w->leaf.npath == (w->leaf.each != 0);
    const uint64_t used = outermost ? w->m->ids[w->leaf.id].uses : UINT64_MAX;
    w->leaf.npath++;
    for (uint32_t i = 0; i < t->count && err == NULL; i++) {
        w->leaf.path[w->leaf.npath - 1] = i;
        err = t->kind == LULL_FR_STRUCT ? member(w, t, i, used) : walk(w, t->element);
    }
    w->leaf.npath--;
    return err;
}

/** Does a built-in that is a variable belong to a vertex, in stages that have several? */
static bool is_of_vertex(uint32_t builtin)
{
    return builtin == SpvBuiltInPosition || builtin == SpvBuiltInPointSize ||
           builtin == SpvBuiltInClipDistance || builtin == SpvBuiltInCullDistance ||
           builtin == SpvBuiltInLayer || builtin == SpvBuiltInViewportIndex;
}

/** Is the variable the patch's, or the lane's? */
static bool is_of_patch(const struct lull_fr_decor *d, const struct lull_fr_type *t)
{
    while (t->kind == LULL_FR_ARRAY) {
        t = t->element;
    }
    return d->patch || (d->builtin != LULL_FR_NONE && !is_of_vertex(d->builtin)) ||
           (t->kind == LULL_FR_STRUCT && t->count != 0 && t->decor[0].patch);
}

/** Has the stage one element of such a variable for each vertex or primitive? */
static bool is_for_each(const struct lull_fr_module *m, uint32_t storage,
                        const struct lull_fr_decor *d, const struct lull_fr_type *t)
{
    const bool in = storage == SpvStorageClassInput;
    switch (m->model) {
    case SpvExecutionModelMeshEXT:
    case SpvExecutionModelGeometry:
        return in == (m->model == SpvExecutionModelGeometry) &&
               (d->builtin == LULL_FR_NONE || is_of_vertex(d->builtin) || t->kind == LULL_FR_ARRAY);
    case SpvExecutionModelTessellationControl:
        return !is_of_patch(d, t);
    case SpvExecutionModelTessellationEvaluation:
        return in && !is_of_patch(d, t);
    default:
        return false;
    }
}

LULL_MUST_USE static struct lull_error *variable(struct walk *w, const struct lull_spv_insn *in)
{
    const struct lull_fr_id *id = &w->m->ids[in->w[2]];
    const struct lull_fr_type *t = lull_fr_type_of(w->m, in->w[1]);
    if (t == NULL || t->kind != LULL_FR_POINTER) {
        return bad(w, "its type is not a pointer");
    }
    w->leaf = (struct lull_fr_leaf){.id = in->w[2],
                                    .type = t->element,
                                    .decor = id->decor,
                                    .location = id->decor.location,
                                    .component = id->decor.component};
    t = t->element;
    if (is_for_each(w->m, in->w[3], &id->decor, t)) {
        if (t->kind != LULL_FR_ARRAY) {
            return bad(w, "it is not an array of what each vertex or primitive has");
        }
        w->leaf.npath = 1;
        w->leaf.each = t->count;
        w->leaf.type = t = t->element;
    }
    if (id->decor.builtin != LULL_FR_NONE) {
        w->leaf.location = w->leaf.component = 0;
        return give(w, &w->leaf);
    }
    return walk(w, t);
}

struct lull_error *lull_fr_leaves(const struct lull_fr_module *m, uint32_t storage,
                                  lull_fr_leaf_fn *fn, void *arg)
{
    struct walk w = {.m = m, .fn = fn, .arg = arg};
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         err == NULL && pos < m->spv.functions && lull_spv_next(&m->spv, &pos, &in);) {
        if (in.op == SpvOpVariable && in.w[3] == storage && m->ids[in.w[2]].is_interface &&
            m->ids[in.w[2]].uses != 0) {
            err = variable(&w, &in);
        }
    }
    return err;
}
