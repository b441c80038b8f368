// SPDX-License-Identifier: MIT
#include "debug/session/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/pipeline.h"

enum { PAGE = 256, MAX_SETS = 32, MAX_SLOTS = 256 };

/** VkDescriptorType. Those of shaders are LULL_SPIRV_DESC_*. */
enum { DYNAMIC_UNIFORM = 8, DYNAMIC_STORAGE = 9, INLINE_BLOCK = 1000138000 };

/** Dispatches or draws of a process so far, and what they were matched with. */
struct work {
    bool draws;
    size_t n, room;
    uint64_t *numbers;
    struct lull_names_hw *hw;
    struct lull_names_matched *matched; ///< For the first nmatched.
    size_t nmatched, nrecords;          ///< What the match was made of.
    uint64_t *strange;                  ///< Code that is no shader of the program's, by address.
    size_t nstrange;
};

struct process {
    uint32_t pid;
    struct lull_names *names;
    struct work dispatches, draws;
};

struct lull_debug_names {
    struct process *all;
    size_t n;
    uint64_t next, next_draw;   ///< Numbers of the first dispatch and draw not looked at.
    struct lull_hostcode *host; ///< Made when it is needed.
};

static void work_done(struct work *w)
{
    free(w->numbers);
    free(w->hw);
    free(w->matched);
    free(w->strange);
}

void lull_debug_names_free(struct lull_debug_names *n)
{
    for (size_t i = 0; n != NULL && i < n->n; i++) {
        lull_names_free(n->all[i].names);
        work_done(&n->all[i].dispatches);
        work_done(&n->all[i].draws);
    }
    if (n != NULL) {
        lull_hostcode_free(n->host);
        free(n->all);
    }
    free(n);
}

static struct process *process_of(struct lull_debug *d, uint32_t pid)
{
    struct lull_debug_names *n = d->names;
    for (size_t i = 0; i < n->n; i++) {
        if (n->all[i].pid == pid) {
            return &n->all[i];
        }
    }
    struct process *all = realloc(n->all, (n->n + 1) * sizeof *all);
    if (all == NULL) {
        return NULL;
    }
    n->all = all;
    struct process *p = &all[n->n++];
    *p = (struct process){.pid = pid, .draws.draws = true};
    char dir[4096] = "";
    if (d->names_dir != NULL && d->names_dir(d->run_ctx, pid, dir, sizeof dir)) {
        lull_error_free(lull_names_open(dir, pid, &p->names));
    }
    return p;
}

static bool grow(struct work *p)
{
    if (p->n < p->room) {
        return true;
    }
    size_t room = p->room == 0 ? PAGE : 2 * p->room;
    uint64_t *numbers = realloc(p->numbers, room * sizeof *numbers);
    p->numbers = numbers != NULL ? numbers : p->numbers;
    struct lull_names_hw *hw = realloc(p->hw, room * sizeof *hw);
    p->hw = hw != NULL ? hw : p->hw;
    struct lull_names_matched *matched = realloc(p->matched, room * sizeof *matched);
    p->matched = matched != NULL ? matched : p->matched;
    bool good = numbers != NULL && hw != NULL && matched != NULL;
    p->room = good ? room : p->room;
    return good;
}

/* No record fits such a dispatch. */
static void never_fits(struct lull_names_hw *hw)
{
    for (unsigned i = 0; i < 3; i++) {
        hw->grid[i] = UINT32_MAX;
        hw->block[i] = UINT32_MAX;
    }
}

static bool is_strange(const struct work *p, uint64_t code)
{
    for (size_t i = 0; i < p->nstrange; i++) {
        if (p->strange[i] == code) {
            return true;
        }
    }
    return false;
}

/* Code that does not do what the record's shader does: the driver's own. */
static bool set_aside(struct work *p, uint64_t code)
{
    uint64_t *more = realloc(p->strange, (p->nstrange + 1) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    p->strange = more;
    p->strange[p->nstrange++] = code;
    for (size_t i = 0; i < p->n; i++) {
        if (p->hw[i].code == code) {
            never_fits(&p->hw[i]);
        }
    }
    p->nmatched = 0;
    return true;
}

/* NULL: no memory. */
static struct lull_names_hw *new_hw(struct work *w, uint64_t number)
{
    if (!grow(w)) {
        return NULL;
    }
    w->numbers[w->n] = number;
    w->hw[w->n] = (struct lull_names_hw){0};
    return &w->hw[w->n++];
}

static bool add(struct lull_debug *d, const struct lull_dispatch_info *i)
{
    struct process *p = process_of(d, i->pid);
    struct lull_names_hw *hw = p != NULL ? new_hw(&p->dispatches, i->number) : NULL;
    if (hw == NULL) {
        return false;
    }
    hw->ring = i->ring_number;
    hw->code = i->code_va;
    for (unsigned k = 0; k < 3; k++) {
        hw->grid[k] = i->grid[k] + i->start[k];
        hw->block[k] = i->block[k];
    }
    if (is_strange(&p->dispatches, i->code_va)) {
        never_fits(hw);
    }
    return true;
}

/* Rectangles are the driver's own. Further draws of one packet have the names of the first. */
static bool add_draw(struct lull_debug *d, const struct lull_draw_info *i)
{
    struct process *p = process_of(d, i->pid);
    struct lull_names_hw *hw = p != NULL ? new_hw(&p->draws, i->number) : NULL;
    if (hw == NULL) {
        return false;
    }
    for (unsigned k = 0; k < LULL_STAGES; k++) {
        hw->code = (hw->code << 21 | hw->code >> 43) ^ i->code_va[k];
    }
    if (i->grid[0] != 0) {
        memcpy(hw->grid, i->grid, sizeof hw->grid);
    } else {
        hw->grid[0] = i->count;
        hw->grid[1] = i->instances;
        hw->grid[2] = i->index_bytes != 0 ? 2 : 1;
    }
    if (i->rectangles || i->part != 0) {
        never_fits(hw);
    }
    return true;
}

/* Dispatches that came since the last look. */
static bool catch_up(struct lull_debug *d)
{
    struct lull_dispatch_info *infos = calloc(PAGE, sizeof *infos);
    bool good = infos != NULL;
    for (size_t n = PAGE; good && n >= PAGE;) {
        struct lull_error *err =
            d->target->ops->dispatches(d->target, d->names->next, infos, PAGE, &n);
        good = err == NULL;
        lull_error_free(err);
        for (size_t i = 0; good && i < n && i < PAGE; i++) {
            good = add(d, &infos[i]);
            d->names->next++;
        }
    }
    free(infos);
    return good;
}

/* Draws that did. */
static bool catch_up_draws(struct lull_debug *d)
{
    struct lull_draw_info *infos = calloc(PAGE, sizeof *infos);
    bool good = infos != NULL;
    for (size_t n = PAGE; good && n >= PAGE;) {
        struct lull_error *err =
            d->target->ops->draws(d->target, d->names->next_draw, infos, PAGE, &n);
        good = err == NULL;
        lull_error_free(err);
        for (size_t i = 0; good && i < n && i < PAGE; i++) {
            good = add_draw(d, &infos[i]);
            d->names->next_draw++;
        }
    }
    free(infos);
    return good;
}

static bool match(struct process *p, struct work *w)
{
    struct lull_error *err = lull_names_update(p->names);
    size_t records = err != NULL ? 0
                     : w->draws  ? lull_names_ndraws(p->names)
                                 : lull_names_ndispatches(p->names);
    if (err == NULL && (w->nmatched != w->n || w->nrecords != records)) {
        err = (w->draws ? lull_names_match_draws : lull_names_match)(p->names, w->hw, w->n,
                                                                     w->matched);
        w->nmatched = err == NULL ? w->n : 0;
        w->nrecords = records;
    }
    bool good = err == NULL;
    lull_error_free(err);
    return good;
}

const struct lull_spirv_source *lull_dispatch_source(const struct lull_dispatch_names *n)
{
    for (size_t i = 0; n->spirv != NULL && i < n->spirv->nsources; i++) {
        if (n->spirv->sources[i].text != NULL) {
            return &n->spirv->sources[i];
        }
    }
    return NULL;
}

/* What people call the shader: the pipeline's name, the module's (of graphics the first that has
 * one), the file it came from. */
static const char *title(const struct lull_dispatch_names *n)
{
    const struct lull_names_pipeline *p = n->record->pipeline;
    if (p != NULL && p->name[0] != '\0') {
        return p->name;
    }
    if (p != NULL && p->shader != NULL && p->shader->name[0] != '\0') {
        return p->shader->name;
    }
    for (size_t i = 0; p != NULL && i < p->nstages; i++) {
        if (p->stages[i].shader != NULL && p->stages[i].shader->name[0] != '\0') {
            return p->stages[i].shader->name;
        }
    }
    for (size_t i = 0; n->spirv != NULL && i < n->spirv->nsources; i++) {
        const char *file = n->spirv->sources[i].file;
        if (file[0] != '\0') {
            const char *slash = strrchr(file, '/');
            return slash != NULL ? slash + 1 : file;
        }
    }
    return "";
}

void lull_dispatch_title(const struct lull_dispatch_names *n, struct lull_str *out)
{
    if (n->record == NULL) {
        return;
    }
    const char *text = title(n);
    const struct lull_names_pipeline *p = n->record->pipeline;
    const char *space = "";
    if (p != NULL && p->entry[0] != '\0') {
        lull_str_addf(out, "%s", p->entry);
        space = " ";
    }
    if (text[0] != '\0') {
        lull_str_addf(out, "%sof \"%s\"", space, text);
        space = " ";
    }
    for (size_t i = 0; i < n->record->nlabels; i++) {
        lull_str_addf(out, "%s%s", i == 0 ? space : " > ", i == 0 ? "[" : "");
        lull_str_addf(out, "%s", n->record->labels[i]);
    }
    lull_str_addf(out, "%s%s", n->record->nlabels != 0 ? "]" : "", n->sure ? "" : " (?)");
}

static bool shader_named(const struct lull_names_shader *s, lull_name_test *test, void *ctx)
{
    return s != NULL && test(ctx, s->name);
}

bool lull_dispatch_named(const struct lull_dispatch_names *n, lull_name_test *test, void *ctx)
{
    if (n->record == NULL) {
        return false;
    }
    const struct lull_names_pipeline *p = n->record->pipeline;
    bool found = test(ctx, title(n)) || (p != NULL && (test(ctx, p->name) || test(ctx, p->entry) ||
                                                       shader_named(p->shader, test, ctx)));
    for (size_t i = 0; !found && p != NULL && i < p->nstages; i++) {
        found = shader_named(p->stages[i].shader, test, ctx);
    }
    for (size_t i = 0; !found && i < n->record->nlabels; i++) {
        found = test(ctx, n->record->labels[i]);
    }
    return found;
}

/** Bytes of image descriptors in a set; buffers and samplers have 16. */
struct model {
    uint16_t storage, sampled, combined;
    bool sorted; ///< Slots of the greatest alignment stand in front of the others.
};

/* Source: Mesa 22.3.6 radv_descriptor_set.c (first two rows: own samplers, immutable ones), and
 * without room for FMASK, which gfx11 has not (25.0), where they are sorted. Facts only. */
static const struct model models[] = {{32, 64, 96, false}, {32, 64, 64, false}, {32, 32, 64, false},
                                      {32, 32, 32, false}, {32, 64, 96, true},  {32, 64, 64, true},
                                      {32, 32, 64, true},  {32, 32, 32, true}};

enum { NMODELS = sizeof models / sizeof models[0] };

static uint32_t slot_bytes(const struct lull_names_slot *s, const struct model *m,
                           uint32_t *ret_align)
{
    *ret_align = 16;
    switch (s->type) {
    case DYNAMIC_UNIFORM:
    case DYNAMIC_STORAGE:
        *ret_align = 1;
        return 0;
    case LULL_SPIRV_DESC_STORAGE_IMAGE:
        *ret_align = 32;
        return m->storage;
    case LULL_SPIRV_DESC_SAMPLED_IMAGE:
    case LULL_SPIRV_DESC_INPUT_ATTACHMENT:
        *ret_align = 32;
        return m->sampled;
    case LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER:
        *ret_align = 32;
        return m->combined;
    case INLINE_BLOCK:
        return s->count;
    default:
        return 16;
    }
}

static bool fits(enum lull_desc_kind kind, uint32_t type)
{
    switch (type) {
    case LULL_SPIRV_DESC_SAMPLER:
        return kind == LULL_DESC_SAMPLER;
    case LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER:
        return kind != LULL_DESC_BUFFER;
    case LULL_SPIRV_DESC_SAMPLED_IMAGE:
    case LULL_SPIRV_DESC_STORAGE_IMAGE:
    case LULL_SPIRV_DESC_INPUT_ATTACHMENT:
        return kind == LULL_DESC_IMAGE;
    case LULL_SPIRV_DESC_UNIFORM_TEXEL_BUFFER:
    case LULL_SPIRV_DESC_STORAGE_TEXEL_BUFFER:
    case LULL_SPIRV_DESC_UNIFORM_BUFFER:
    case LULL_SPIRV_DESC_STORAGE_BUFFER:
        return kind == LULL_DESC_BUFFER;
    default:
        return false;
    }
}

static int by_binding(const void *pa, const void *pb)
{
    const struct lull_names_slot *a = pa;
    const struct lull_names_slot *b = pb;
    return (a->binding > b->binding) - (a->binding < b->binding);
}

/** A set layout whose slots are in order. */
struct layout {
    struct lull_names_slot slots[MAX_SLOTS];
    size_t n;
    uint32_t set;
};

/** Where a model puts the slots of @p l, in bytes. */
static void lay_out(const struct layout *l, const struct model *m, uint64_t at[MAX_SLOTS])
{
    enum { LARGE = 32, SMALL = 16 };
    uint32_t align = 1;
    const struct lull_names_slot *last = l->n != 0 ? &l->slots[l->n - 1] : NULL;
    // Not sorted: all are of the first pass.
    const uint32_t first =
        last != NULL && slot_bytes(last, m, &align) != 0 && align == LARGE ? SMALL : LARGE;
    uint64_t end = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < l->n; i++) {
            const struct lull_names_slot *s = &l->slots[i];
            const uint32_t bytes = slot_bytes(s, m, &align);
            if ((m->sorted && align != first) != (pass == 1)) {
                continue;
            }
            at[i] = (end + align - 1) / align * align;
            end = at[i] + (uint64_t)bytes * (s->type == INLINE_BLOCK ? 1 : s->count);
        }
    }
}

static bool place(const struct layout *l, const struct model *m, const struct lull_desc *desc,
                  struct lull_binding_name *ret)
{
    uint64_t all[MAX_SLOTS] = {0};
    lay_out(l, m, all);
    for (size_t i = 0; i < l->n; i++) {
        const struct lull_names_slot *s = &l->slots[i];
        uint32_t align = 1;
        uint32_t bytes = slot_bytes(s, m, &align);
        bool block = s->type == INLINE_BLOCK;
        const uint64_t at = all[i];
        uint64_t end = at + (uint64_t)bytes * (block ? 1 : s->count);
        if (desc->offset >= at && desc->offset < end) {
            *ret = (struct lull_binding_name){
                .known = true,
                .set = l->set,
                .binding = s->binding,
                .element = (uint32_t)((desc->offset - at) / bytes),
                .name = "",
                .type = lull_spirv_descriptor_name((enum lull_spirv_descriptor)s->type)};
            uint64_t inside = (desc->offset - at) % bytes;
            bool sampler = s->type == LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER &&
                           desc->kind == LULL_DESC_SAMPLER;
            return fits(desc->kind, s->type) && (inside == 0) != sampler;
        }
    }
    return false;
}

static void load_layout(const struct lull_names_set_layout *from, uint32_t set, struct layout *l)
{
    l->set = set;
    l->n = from->nslots < MAX_SLOTS ? from->nslots : MAX_SLOTS;
    memcpy(l->slots, from->slots, l->n * sizeof l->slots[0]);
    qsort(l->slots, l->n, sizeof l->slots[0], by_binding);
}

/* All descriptors of one pointer in this set, or none. */
static bool try_set(const struct lull_bindings *b, int user, int through, const struct layout *l,
                    struct lull_binding_name *ret)
{
    for (size_t m = 0; m < NMODELS; m++) {
        bool all = true;
        for (unsigned i = 0; all && i < b->ndescs; i++) {
            const struct lull_desc *desc = &b->desc[i];
            if (desc->user == user && desc->through == through) {
                all = place(l, &models[m], desc, &ret[i]);
            }
        }
        if (all) {
            return true;
        }
    }
    for (unsigned i = 0; i < b->ndescs; i++) {
        if (b->desc[i].user == user && b->desc[i].through == through) {
            ret[i].known = false;
        }
    }
    return false;
}

static bool uses_set(const struct lull_spirv *m, uint32_t set)
{
    for (size_t i = 0; m != NULL && i < m->nbindings; i++) {
        if (m->bindings[i].set == set) {
            return true;
        }
    }
    return m == NULL;
}

static void name_variables(const struct lull_spirv *m, struct lull_binding_name *names, unsigned n)
{
    for (unsigned i = 0; m != NULL && i < n; i++) {
        const struct lull_spirv_binding *v =
            names[i].known ? lull_spirv_find_binding(m, names[i].set, names[i].binding) : NULL;
        if (v != NULL) {
            names[i].name = v->name[0] != '\0' ? v->name : v->block;
        }
    }
}

/* The first set from @p first on that explains what @p desc's pointer points to; nsets if none. */
static uint32_t find_set(const struct lull_dispatch_names *n, const struct lull_bindings *b,
                         const struct lull_desc *desc, uint32_t first, struct layout *l,
                         struct lull_binding_name *ret)
{
    const struct lull_names_layout *layout = n->record->pipeline->layout;
    uint32_t nsets = layout->nsets < MAX_SETS ? (uint32_t)layout->nsets : MAX_SETS;
    // One pointer out of an array says which set it is.
    uint32_t end = desc->through >= 0 && first < nsets ? first + 1 : nsets;
    for (uint32_t set = first; set < end; set++) {
        const struct lull_names_set_layout *from = layout->sets[set];
        if (from != NULL && uses_set(n->spirv, set)) {
            load_layout(from, set, l);
            if (try_set(b, desc->user, desc->through, l, ret)) {
                return set;
            }
        }
    }
    return nsets;
}

void lull_dispatch_bindings(const struct lull_dispatch_names *n, const struct lull_bindings *b,
                            struct lull_binding_name *ret)
{
    memset(ret, 0, b->ndescs * sizeof *ret);
    const struct lull_names_pipeline *p = n->record != NULL ? n->record->pipeline : NULL;
    struct layout *l = p != NULL && p->layout != NULL ? calloc(1, sizeof *l) : NULL;
    uint32_t next = 0; // set: pointers stand in the order of their sets
    int8_t last = -1;
    for (unsigned i = 0; l != NULL && i < b->ndescs; i++) {
        const struct lull_desc *desc = &b->desc[i];
        bool array = desc->through >= 0;
        if (desc->user < 0 || ret[i].known || (!array && desc->user == last)) {
            continue;
        }
        uint32_t set = find_set(n, b, desc, array ? (uint32_t)desc->through : next, l, ret);
        if (!array) {
            last = desc->user;
            next = set < p->layout->nsets && ret[i].known ? set + 1 : next;
        }
    }
    free(l);
    name_variables(n->spirv, ret, b->ndescs);
}

/** Does @p m put all that is known of the set where it is? */
static bool explains(const struct lull_bindings *b, const struct lull_binding_name *names,
                     const struct layout *l, const struct model *m)
{
    bool good = true;
    for (unsigned i = 0; good && i < b->ndescs; i++) {
        struct lull_binding_name at = {0};
        if (names[i].known && names[i].set == l->set) {
            good = place(l, m, &b->desc[i], &at) && at.binding == names[i].binding &&
                   at.element == names[i].element;
        }
    }
    return good;
}

size_t lull_dispatch_set(const struct lull_dispatch_names *n, const struct lull_bindings *b,
                         const struct lull_binding_name *names, uint32_t set,
                         struct lull_set_slot *ret, size_t room)
{
    const struct lull_names_layout *layout = n->record->pipeline->layout;
    const struct lull_names_set_layout *from = set < layout->nsets ? layout->sets[set] : NULL;
    struct layout *l = from != NULL ? calloc(1, sizeof *l) : NULL;
    if (l == NULL) {
        return 0;
    }
    load_layout(from, set, l);
    size_t m = 0;
    while (m < NMODELS - 1 && !explains(b, names, l, &models[m])) {
        m++;
    }
    uint64_t at[MAX_SLOTS] = {0};
    lay_out(l, &models[m], at);
    const size_t count = l->n;
    for (size_t i = 0; i < l->n && i < room; i++) {
        uint32_t align = 1;
        ret[i] = (struct lull_set_slot){.slot = l->slots[i],
                                        .offset = at[i],
                                        .stride = slot_bytes(&l->slots[i], &models[m], &align)};
    }
    free(l);
    return count;
}

/* What the code loads must be where the record's layouts put it. */
static bool plausible(struct lull_debug *d, const struct lull_dispatch_info *i,
                      const struct lull_dispatch_names *n)
{
    struct lull_bindings *b = calloc(1, sizeof *b);
    struct lull_binding_name *names = calloc(LULL_MAX_DESCRIPTORS, sizeof *names);
    bool good = true;
    const struct lull_names_pipeline *p = n->record->pipeline;
    if (b != NULL && names != NULL && p != NULL && p->layout != NULL) {
        struct lull_error *err = lull_debug_bindings(d, i, b);
        bool found = err == NULL;
        lull_error_free(err);
        lull_dispatch_bindings(n, b, names);
        for (unsigned k = 0; found && k < b->ndescs; k++) {
            // Dynamic buffers lie among the push constants, in no set.
            bool in_set = b->desc[k].user >= 0 && b->desc[k].kind != LULL_DESC_BUFFER;
            bool first = b->desc[k].user >= 0 && p->layout->nsets == 0;
            good = good && (names[k].known || !(in_set || first));
        }
    }
    free(b);
    free(names);
    return good;
}

static struct lull_hostcode *host_of(struct lull_debug_names *n)
{
    if (n->host == NULL) {
        lull_error_free(lull_hostcode_new(&n->host));
    }
    return n->host;
}

/* Dispatch or draw @p number. */
static void look_up(struct process *p, const struct work *w, uint64_t number,
                    struct lull_dispatch_names *ret)
{
    *ret = (struct lull_dispatch_names){.names = p->names};
    for (size_t k = 0; k < w->n; k++) {
        if (w->numbers[k] == number) {
            ret->record = w->matched[k].record;
            ret->sure = w->matched[k].sure;
        }
    }
    const struct lull_names_pipeline *pipeline = ret->record != NULL ? ret->record->pipeline : NULL;
    if (pipeline != NULL && pipeline->shader != NULL) {
        ret->spirv = lull_names_spirv(p->names, pipeline->shader);
        ret->entry = ret->spirv != NULL ? lull_spirv_find_entry(ret->spirv, pipeline->entry) : NULL;
    }
}

void lull_debug_names_meet(struct lull_debug *d, uint32_t pid)
{
    if (d->names_dir != NULL && d->names == NULL) {
        d->names = calloc(1, sizeof *d->names);
    }
    if (d->names_dir != NULL && d->names != NULL) {
        (void)process_of(d, pid);
    }
}

/* NULL: there are no names of process @p pid. */
static struct process *named(struct lull_debug *d, uint32_t pid, bool draws)
{
    if (d->names_dir == NULL || d->target->ops->dispatches == NULL ||
        (draws && d->target->ops->draws == NULL)) {
        return NULL;
    }
    if (d->names == NULL) {
        d->names = calloc(1, sizeof *d->names);
    }
    if (d->names == NULL || !(draws ? catch_up_draws : catch_up)(d)) {
        return NULL;
    }
    struct process *p = process_of(d, pid);
    return p != NULL && p->names != NULL && match(p, draws ? &p->draws : &p->dispatches) ? p : NULL;
}

void lull_debug_names_of_draw(struct lull_debug *d, const struct lull_draw_info *i,
                              struct lull_dispatch_names *ret)
{
    *ret = (struct lull_dispatch_names){0};
    struct process *p = named(d, i->pid, true);
    if (p != NULL) {
        look_up(p, &p->draws, i->number - i->part, ret);
        ret->host = host_of(d->names);
    }
}

void lull_debug_names_of(struct lull_debug *d, const struct lull_dispatch_info *i,
                         struct lull_dispatch_names *ret)
{
    *ret = (struct lull_dispatch_names){0};
    struct process *p = named(d, i->pid, false);
    if (p == NULL) {
        return;
    }
    look_up(p, &p->dispatches, i->number, ret);
    ret->host = host_of(d->names);
    if (ret->record != NULL && !plausible(d, i, ret)) {
        *ret = (struct lull_dispatch_names){.names = p->names};
        (void)set_aside(&p->dispatches, i->code_va);
    }
}
