// SPDX-License-Identifier: MIT
#include "debug/source/beside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/lines.h"
#include "debug/source/beside_priv.h"

enum {
    MOST_WORDS = 64,  ///< Numbers of a variable that is shown.
    MOST_SHOWN = 256, ///< Variables.
    MOST_ROUNDS = 1 << 14,
    MOST_BYTES = 1 << 26, ///< Of all rounds.
    MOST_LEAVES = 512,
};

/** A variable that is looked at. */
struct shown {
    uint32_t id;
    bool local;
    bool around; ///< Of the entry point, while the line is in another function.
    bool argument;
    const struct lull_fr_type *type;
    size_t first; ///< Word of a round.
};

/** One time that somebody of the wave came to the line. */
struct round {
    uint64_t lanes;
    uint64_t *v;  ///< Words, each for LULL_VALUE_LANES lanes. Owned.
    uint8_t *has; ///< By variable: it has a value. Owned.
};

/** All of them. */
struct lull_beside_gather {
    struct lull_beside *b;
    const struct lull_fr_module *m;
    struct lull_beside_spot spot;
    uint32_t group[3];
    struct shown shown[MOST_SHOWN];
    size_t nshown, words;
    struct round *rounds; ///< Owned.
    size_t n, missed;
};

static void gather_done(struct lull_beside_gather *g)
{
    for (size_t i = 0; g != NULL && i < g->n; i++) {
        free(g->rounds[i].v);
        free(g->rounds[i].has);
    }
    free(g != NULL ? g->rounds : NULL);
    free(g);
}

/** What was seen of a dispatch. */
static void forget(struct lull_beside *b)
{
    lull_world_free(b->world);
    gather_done(b->gather);
    lull_match_done(&b->regs);
    lull_beside_view_done(&b->view);
    free(b->function_of);
    free(b->edits);
    b->edits = NULL;
    b->nedits = 0;
    b->function_of = NULL;
    b->nlines = 0;
    b->world = NULL;
    b->gather = NULL;
}

static void free_beside(void *ctx)
{
    struct lull_beside *b = ctx;
    if (b != NULL) {
        forget(b);
        lull_arena_done(&b->arena);
    }
    free(b);
}

struct lull_error *lull_beside_world(struct lull_debug *d, bool before, struct lull_beside **ret)
{
    struct lull_beside *b = d->beside;
    if (b != NULL && b->world != NULL && b->dispatch == d->dispatch.number &&
        (b->before || !before)) {
        *ret = b;
        return NULL;
    }
    if (b == NULL) {
        b = calloc(1, sizeof *b);
        if (b == NULL) {
            return &lull_enomem;
        }
        d->free_beside = free_beside;
        d->beside = b;
    }
    forget(b);
    struct lull_error *err = lull_world_new(d, &b->world);
    if (err != NULL) {
        return err;
    }
    b->dispatch = d->dispatch.number;
    b->before = before;
    *ret = b;
    return NULL;
}

void lull_beside_keep(struct lull_debug *d)
{
    struct lull_beside *b = NULL;
    uint64_t start = 0;
    if (d->has_dispatch && lull_debug_lines_of(d, d->dispatch.code_va, &start) != NULL) {
        lull_error_free(lull_beside_world(d, true, &b));
    }
}

const struct lull_fr_type *lull_beside_type_of(const struct lull_fr_module *m, uint32_t id)
{
    const struct lull_fr_type *t = lull_fr_type_of(m, m->spv.type[id]);
    if (t == NULL) {
        return NULL;
    }
    if (t->kind == LULL_FR_POINTER) {
        const bool own =
            t->storage == SpvStorageClassFunction || t->storage == SpvStorageClassPrivate ||
            t->storage == SpvStorageClassWorkgroup || t->storage == SpvStorageClassInput;
        t = own ? t->element : NULL;
    }
    const uint64_t n = t != NULL ? lull_ev_words(t) : 0;
    return n != 0 && n <= MOST_WORDS ? t : NULL;
}

bool lull_beside_is_named(const struct lull_fr_module *m, uint32_t id)
{
    // glslang gives a name to what it hands to functions, too.
    enum { GENERATOR_WORD = 2, GLSLANG = 8 };
    const char *name = m->ids[id].name;
    return name != NULL && *name != '\0' && m->ids[id].constant == NULL &&
           (m->spv.words[GENERATOR_WORD] >> 16 != GLSLANG || strcmp(name, "param") != 0);
}

/** Named ids that words @p from to @p to of the module define. */
static void add_shown(struct lull_beside_gather *g, size_t from, size_t to, bool local, bool around)
{
    for (uint32_t id = 1; id < g->m->spv.bound && g->nshown < MOST_SHOWN; id++) {
        const size_t at = g->m->spv.def[id];
        const struct lull_fr_type *t = at >= from && at < to && lull_beside_is_named(g->m, id)
                                           ? lull_beside_type_of(g->m, id)
                                           : NULL;
        if (t != NULL) {
            struct lull_spv_insn in = {0};
            size_t pos = at;
            const bool known = lull_spv_next(&g->m->spv, &pos, &in);
            g->shown[g->nshown++] =
                (struct shown){.id = id,
                               .local = local,
                               .around = around,
                               .argument = local && known && in.op == SpvOpFunctionParameter,
                               .type = t,
                               .first = g->words};
            g->words += (size_t)lull_ev_words(t);
        }
    }
}

/** Those of the function where the line is, then those of the module. */
static void find_shown(struct lull_beside_gather *g, uint32_t function)
{
    const struct lull_fr_function *f = &g->m->functions[function],
                                  *entry = &g->m->functions[g->m->entry];
    g->spot.function = function;
    add_shown(g, f->first, f->end, true, false);
    add_shown(g, 1, g->m->spv.functions, false, false);
    if (f != entry) { // what it was called with helps to find out which call it is
        add_shown(g, entry->first, entry->end, false, true);
    }
}

static void take(const struct lull_beside_gather *g, struct lull_ev *ev, uint32_t lane,
                 struct round *r)
{
    for (size_t i = 0; i < g->nshown; i++) {
        const struct shown *s = &g->shown[i];
        const struct lull_fr_type *t = NULL;
        const uint64_t *v = NULL;
        if (!lull_ev_value(ev, s->id, g->spot.first_lane + lane, &t, &v) || t != s->type) {
            continue;
        }
        r->has[i] = 1;
        for (size_t k = 0; k < lull_ev_words(t); k++) {
            r->v[(s->first + k) * LULL_VALUE_LANES + lane] = v[k];
        }
    }
}

LULL_MUST_USE static struct lull_error *come(void *arg, struct lull_ev *ev,
                                             const struct lull_ev_place *at)
{
    struct lull_beside_gather *g = arg;
    const uint64_t lanes = lull_beside_lanes(&g->spot, at);
    lull_beside_apply(g->b, g->group, ev, at);
    if (lanes == 0 || (g->n != 0 && at->function != g->spot.function)) {
        return NULL;
    }
    if (g->n == 0) {
        find_shown(g, at->function);
    }
    const size_t bytes = g->words * LULL_VALUE_LANES * sizeof(uint64_t) + g->nshown + 1;
    if (g->n == MOST_ROUNDS || (g->n + 1) * bytes > MOST_BYTES) {
        g->missed++;
        return NULL;
    }
    struct round *all = reallocarray(g->rounds, g->n + 1, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    g->rounds = all;
    struct round *r = &all[g->n++];
    *r = (struct round){.lanes = lanes,
                        .v = calloc(g->words * LULL_VALUE_LANES + 1, sizeof *r->v),
                        .has = calloc(g->nshown + 1, 1)};
    for (uint32_t lane = 0; r->v != NULL && r->has != NULL && lane < g->spot.lanes; lane++) {
        if ((lanes >> lane & 1) != 0) {
            take(g, ev, lane, r);
        }
    }
    return r->v != NULL && r->has != NULL ? NULL : &lull_enomem;
}

/** Numbers of a variable as leaves with names. */
struct spread {
    struct lull_beside_view *view;
    const struct round *round;
    unsigned lanes;
    uint64_t active;
    const struct shown *of;
    const char *variable;
    uint64_t offset;
    size_t word;
    bool failed;
};

const struct lull_symtype *lull_beside_number(const struct lull_fr_type *t)
{
    static const struct lull_symtype types[] = {
        {.kind = LULL_SYMTYPE_BOOL, .name = "bool", .size = 4},
        {.kind = LULL_SYMTYPE_SIGNED, .name = "int8_t", .size = 1},
        {.kind = LULL_SYMTYPE_SIGNED, .name = "int16_t", .size = 2},
        {.kind = LULL_SYMTYPE_SIGNED, .name = "int", .size = 4},
        {.kind = LULL_SYMTYPE_SIGNED, .name = "int64_t", .size = 8},
        {.kind = LULL_SYMTYPE_UNSIGNED, .name = "uint8_t", .size = 1},
        {.kind = LULL_SYMTYPE_UNSIGNED, .name = "uint16_t", .size = 2},
        {.kind = LULL_SYMTYPE_UNSIGNED, .name = "uint", .size = 4},
        {.kind = LULL_SYMTYPE_UNSIGNED, .name = "uint64_t", .size = 8},
        {.kind = LULL_SYMTYPE_FLOAT, .name = "float16_t", .size = 2},
        {.kind = LULL_SYMTYPE_FLOAT, .name = "float", .size = 4},
        {.kind = LULL_SYMTYPE_FLOAT, .name = "double", .size = 8},
    };
    const enum lull_symtype_kind kind = t->kind == LULL_FR_BOOL    ? LULL_SYMTYPE_BOOL
                                        : t->kind == LULL_FR_FLOAT ? LULL_SYMTYPE_FLOAT
                                        : t->is_signed             ? LULL_SYMTYPE_SIGNED
                                                                   : LULL_SYMTYPE_UNSIGNED;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].kind == kind && (kind == LULL_SYMTYPE_BOOL || types[i].size * 8 == t->bits)) {
            return &types[i];
        }
    }
    return NULL;
}

uint64_t lull_beside_bytes(const struct lull_fr_type *t)
{
    uint64_t n = 0;
    switch ((int)t->kind) {
    case LULL_FR_BOOL:
        return 4;
    case LULL_FR_VECTOR:
    case LULL_FR_MATRIX:
    case LULL_FR_ARRAY:
        return t->count * lull_beside_bytes(t->element);
    case LULL_FR_STRUCT:
        for (uint32_t i = 0; i < t->count; i++) {
            n += lull_beside_bytes(t->members[i]);
        }
        return n;
    default:
        return t->bits / 8;
    }
}

static void add_leaf(struct spread *s, const char *name, const struct lull_fr_type *t)
{
    struct lull_beside_leaf *l = &s->view->leaves[s->view->n];
    *l = (struct lull_beside_leaf){.name = strdup(name),
                                   .local = s->of->local,
                                   .around = s->of->around,
                                   .argument = s->of->argument,
                                   .variable = s->variable,
                                   .id = s->of->id,
                                   .word = s->word - s->of->first,
                                   .offset = s->offset};
    s->failed |= l->name == NULL;
    s->view->n++;
    l->truth = t->kind == LULL_FR_BOOL;
    l->value.type.kind = t->kind == LULL_FR_FLOAT                 ? LULL_CTYPE_FLOAT
                         : t->kind == LULL_FR_INT && t->is_signed ? LULL_CTYPE_SIGNED
                                                                  : LULL_CTYPE_UNSIGNED;
    l->value.type.bits = (uint8_t)(l->truth ? 32 : t->bits);
    l->value.type.of = lull_beside_number(t);
    l->value.lanes = s->lanes;
    l->value.active = l->value.valid = s->active;
    memcpy(l->value.v, s->round->v + s->word * LULL_VALUE_LANES, sizeof l->value.v);
    l->alike = true;
    const unsigned first = (unsigned)__builtin_ctzll(s->active);
    for (unsigned i = 0; i < s->lanes; i++) {
        l->alike &= (s->active >> i & 1) == 0 || l->value.v[i] == l->value.v[first];
    }
    s->word++;
    s->offset += lull_beside_bytes(t);
}

static void spread(struct spread *s, const char *name, const struct lull_fr_type *t)
{
    const bool composite = t->kind == LULL_FR_VECTOR || t->kind == LULL_FR_MATRIX ||
                           t->kind == LULL_FR_ARRAY || t->kind == LULL_FR_STRUCT;
    if (s->view->n == MOST_LEAVES || s->failed) {
        return;
    }
    if (!composite) {
        add_leaf(s, name, t);
        return;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        lull_cleanup(lull_str_free) struct lull_str part = {0};
        const char *member =
            t->kind == LULL_FR_STRUCT && t->names != NULL && t->names[i] != NULL ? t->names[i] : "";
        if (t->kind == LULL_FR_VECTOR && t->count <= 4) {
            lull_str_addf(&part, "%s.%c", name, "xyzw"[i]);
        } else if (*member != '\0') {
            lull_str_addf(&part, "%s.%s", name, member);
        } else {
            lull_str_addf(&part, "%s[%" PRIu32 "]", name, i);
        }
        spread(s, lull_str_text(&part), t->kind == LULL_FR_STRUCT ? t->members[i] : t->element);
    }
}

void lull_beside_view_done(struct lull_beside_view *v)
{
    for (size_t i = 0; i < v->n; i++) {
        free(v->leaves[i].name);
    }
    free(v->leaves);
    *v = (struct lull_beside_view){0};
}

/** One round as leaves, each looked for in registers. @p ret_score: how well it fits. */
LULL_MUST_USE static struct lull_error *fit(const struct lull_beside_gather *g,
                                            const struct round *r, const struct lull_debug_wave *w,
                                            const struct lull_match *regs,
                                            struct lull_beside_view *ret, unsigned *ret_score)
{
    struct spread s = {
        .view = ret, .round = r, .lanes = w->info.lanes, .active = r->lanes & w->info.exec};
    unsigned apart = 0;
    ret->leaves = calloc(MOST_LEAVES, sizeof *ret->leaves);
    if (ret->leaves == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < g->nshown && s.active != 0; i++) {
        s.of = &g->shown[i];
        s.variable = g->m->ids[g->shown[i].id].name;
        s.offset = 0;
        s.word = g->shown[i].first;
        if (r->has[i] != 0) {
            spread(&s, s.variable, g->shown[i].type);
        }
    }
    ret->lanes = s.active;
    for (size_t i = 0; i < ret->n; i++) {
        struct lull_beside_leaf *l = &ret->leaves[i];
        l->nfound = lull_match_find(regs, &l->value, s.active, l->truth, l->alike, l->found,
                                    LULL_BESIDE_FOUND);
        if (l->nfound == 0 && !l->truth && !l->alike) {
            l->nfound = lull_match_near(regs, &l->value, s.active, &l->ulp, l->found[0]);
        }
        if (l->alike && l->nfound > LULL_BESIDE_FOUND) {
            l->nfound = 0; // a number as 0 stands in many registers: that says nothing
        }
        ret->matched += l->nfound != 0;
        apart += l->nfound != 0 && !l->alike && l->ulp == 0;
    }
    const unsigned alike = ret->matched - apart; // or near
    *ret_score = s.active == 0 ? 0 : 2 * (apart * MOST_LEAVES + alike) + (r->lanes == w->info.exec);
    return s.failed ? &lull_enomem : NULL;
}

/** The round that fits best. */
LULL_MUST_USE static struct lull_error *choose(const struct lull_beside_gather *g,
                                               const struct lull_debug_wave *w,
                                               const struct lull_match *regs,
                                               struct lull_beside_view *ret)
{
    struct lull_error *err = NULL;
    unsigned best = 0;
    ret->nrounds = g->n + g->missed;
    for (size_t i = 0; i < g->n && err == NULL; i++) {
        struct lull_beside_view v = {0};
        unsigned score = 0;
        err = fit(g, &g->rounds[i], w, regs, &v, &score);
        if (err == NULL && v.lanes != 0 && (ret->lanes == 0 || score > best)) {
            v.file = ret->file;
            v.line = ret->line;
            v.exactly = ret->exactly;
            v.before = ret->before;
            v.nrounds = ret->nrounds;
            v.round = i + 1;
            v.sure = true;
            best = score;
            lull_beside_view_done(ret);
            *ret = v;
            continue;
        }
        ret->sure &= score != best;
        lull_beside_view_done(&v);
    }
    ret->sure &= ret->matched != 0 && g->missed == 0;
    return err;
}

/** The line of the instruction at @p offset, or of the last one before it that has one. */
static const struct lull_lines_row *row_at(const struct lull_lines *l, uint64_t offset,
                                           bool *ret_exactly)
{
    const struct lull_lines_row *best = NULL;
    for (size_t i = 0; i < l->nrows && l->rows[i].offset <= offset; i++) {
        best = l->rows[i].at.line != 0 ? &l->rows[i] : best;
    }
    *ret_exactly = best != NULL && best->offset == offset;
    return best;
}

/** What is asked for, of a wave that stands in code whose lines are known. */
LULL_MUST_USE static struct lull_error *place(struct lull_debug *d, const struct lull_debug_wave *w,
                                              struct lull_beside_view *ret)
{
    uint64_t start = 0, held = 0;
    const struct lull_lines *l = lull_debug_lines_of(d, w->info.pc, &start);
    const bool same = l != NULL && d->has_dispatch &&
                      lull_debug_lines_of(d, d->dispatch.code_va, &held) != NULL && held == start;
    const struct lull_lines_row *r = same ? row_at(l, w->info.pc - start, &ret->exactly) : NULL;
    if (r == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              same ? "no line is known up to 0x%" PRIx64
                                   : "no lines of the code at 0x%" PRIx64
                                     " are known: they are of compute shaders under "
                                     "'lull debug --lines -- PROGRAM'",
                              w->info.pc);
    }
    ret->file = lull_lines_path(l, &r->at);
    ret->line = r->at.line;
    return NULL;
}

/** Values at the line of @p v, of all times that the wave comes there. */
LULL_MUST_USE static struct lull_error *gather(struct lull_beside *b,
                                               const struct lull_debug_wave *w,
                                               const struct lull_beside_view *v)
{
    const uint32_t first = w->info.wave_in_group * w->info.lanes;
    const char *file = v->file != NULL && *v->file != '\0' ? v->file : NULL;
    struct lull_beside_gather *g = b->gather;
    if (g != NULL && !b->edited && g->spot.line == v->line && g->spot.first_lane == first &&
        g->spot.file == file && memcmp(g->group, w->info.workgroup, sizeof g->group) == 0) {
        return NULL;
    }
    gather_done(g);
    lull_beside_view_done(&b->view);
    b->gather = g = calloc(1, sizeof *g);
    if (g == NULL) {
        return &lull_enomem;
    }
    g->b = b;
    g->m = lull_world_module(b->world);
    g->spot = (struct lull_beside_spot){
        .file = file, .line = v->line, .first_lane = first, .lanes = w->info.lanes};
    lull_beside_rewind(b);
    memcpy(g->group, w->info.workgroup, sizeof g->group);
    struct lull_error *err = lull_world_run(b->world, w->info.workgroup, w->info.lanes, come, g);
    if (err != NULL && g->n != 0) { // what was seen until then is right
        lull_error_free(err);
        err = NULL;
    }
    if (err != NULL) {
        gather_done(g);
        b->gather = NULL;
    }
    return err;
}

struct lull_error *lull_beside_here(struct lull_debug *d, struct lull_beside_view **ret)
{
    struct lull_debug_wave *w = NULL;
    struct lull_beside *b = NULL;
    struct lull_match regs = {0};
    struct lull_beside_view v = {0};
    struct lull_error *err = lull_debug_focused(d, &w);
    err = err != NULL ? err : place(d, w, &v);
    err = err != NULL ? err : lull_beside_world(d, false, &b);
    err = err != NULL ? err : gather(b, w, &v);
    err = err != NULL ? err : lull_match_read(d, w, &regs);
    if (err == NULL && b->view.n != 0 && w->info.key == b->wave && w->info.pc == b->pc &&
        w->info.exec == b->exec && lull_match_equal(&regs, &b->regs)) {
        lull_match_done(&regs);
        *ret = &b->view;
        return NULL;
    }
    v.before = b != NULL && b->before;
    err = err != NULL ? err : choose(b->gather, w, &regs, &v);
    if (err == NULL && v.lanes == 0) {
        err = lull_error_new(LULL_ERR_NOT_FOUND,
                             "no active lane comes to line %" PRIu32 " in the interpreter", v.line);
    }
    if (err != NULL) {
        lull_match_done(&regs);
        lull_beside_view_done(&v);
        return err;
    }
    lull_match_done(&b->regs);
    lull_beside_view_done(&b->view);
    b->regs = regs;
    b->view = v;
    b->wave = w->info.key;
    b->pc = w->info.pc;
    b->exec = w->info.exec;
    *ret = &b->view;
    return NULL;
}

void lull_beside_show_sure(const struct lull_beside_view *v, const struct lull_beside_leaf *l,
                           struct lull_str *out)
{
    const unsigned n = (unsigned)__builtin_popcountll(v->lanes);
    if (l->nfound == 0) {
        lull_str_addf(out, "by the interpreter only");
        return;
    }
    lull_str_addf(out, "by value");
    if (l->ulp != 0) {
        lull_str_addf(out, " within %u ulp", l->ulp);
    }
    lull_str_addf(out, " in %u of %u lanes%s:", n, n, l->alike && n > 1 ? ", all alike" : "");
    for (unsigned i = 0; i < l->nfound && i < LULL_BESIDE_FOUND; i++) {
        lull_str_addf(out, "%s %s", i == 0 ? "" : ",", l->found[i]);
    }
    if (l->nfound > LULL_BESIDE_FOUND) {
        lull_str_addf(out, " and %u more", l->nfound - LULL_BESIDE_FOUND);
    }
}

struct lull_error *lull_beside_set(struct lull_beside *b, const struct lull_beside_leaf *l,
                                   unsigned lane, uint64_t value)
{
    const struct lull_beside_gather *g = b->gather;
    struct lull_beside_edit e = {.spot = g->spot,
                                 .round = b->view.round,
                                 .id = l->id,
                                 .lane = g->spot.first_lane + lane,
                                 .word = l->word,
                                 .value = l->truth ? value != 0 : value};
    memcpy(e.group, g->group, sizeof e.group);
    return lull_beside_remember(b, &e);
}
