// SPDX-License-Identifier: MIT
// What looks like a mistake of the host: judged by what a dispatch did to its buffers, and what was
// pushed to it. A dispatch that is right may look so, too: these are warnings.
#include "cli/opt/check_lint.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A dispatch that is judged. */
struct lint {
    struct lull_checks *c;
    const struct lull_names_dispatch *record;
    const struct lull_lint_dispatch *d;
    const struct lull_lint *all;    // With those before and behind it.
    const struct lull_spirv *spirv; // NULL: not known.
};

/** A whole number that was pushed: a member of the block, or a component of one. */
struct number {
    const struct lull_spirv_member *of;
    const char *part; // ".x"; "".
    uint32_t offset, value;
};

enum { NUMBERS = 32 };

static void tell(const struct lint *l, const char *what, const struct lull_check_site *at,
                 bool hint, char *does, char *note)
{
    struct lull_check_site sites[2] = {*at, {0}};
    sites[0].insn = at->insn != NULL ? strdup(at->insn) : NULL;
    sites[0].does = does;
    struct lull_finding *f = lull_checks_late(l->c, "lint", what, l->d->space, sites, 1);
    if (f != NULL && f->count == 1) {
        f->warning = true;
        f->hint = hint;
        f->note = note;
    } else {
        free(note);
    }
}

static uint32_t word(const struct lint *l, uint32_t offset)
{
    uint32_t v = 0;
    if (offset <= l->record->npush && l->record->npush - offset >= sizeof v) {
        memcpy(&v, l->record->push + offset, sizeof v);
    }
    return v;
}

static bool pushed(const struct lint *l, const struct lull_spirv_member *m,
                   enum lull_spirv_kind kind)
{
    return m->type != NULL && m->type->kind == kind && m->type->bits == 32 &&
           m->offset <= l->record->npush && l->record->npush - m->offset >= sizeof(uint32_t);
}

/** A whole number as a float would have these bits: tiny, far below what is computed with. */
static bool like_integer(uint32_t bits)
{
    return bits != 0 && bits < 1u << 23;
}

/** These bits as a float are a number of everyday size, as an integer they are hundreds of
 * millions.
 */
static bool like_float(uint32_t bits)
{
    float f = 0;
    memcpy(&f, &bits, sizeof f);
    const float a = fabsf(f);
    return isfinite(f) && a >= 1e-6f && a <= 1e6f && bits > 1u << 28;
}

/** A float that is an integer, and an integer that is a float: they were pushed the wrong way. */
static void swapped(const struct lint *l)
{
    const struct lull_spirv_type *block = l->spirv != NULL ? l->spirv->push : NULL;
    const struct lull_spirv_member *real = NULL, *whole = NULL;
    for (size_t i = 0; block != NULL && i < block->nmembers; i++) {
        const struct lull_spirv_member *m = &block->members[i];
        if (pushed(l, m, LULL_SPIRV_FLOAT) && like_integer(word(l, m->offset))) {
            real = m;
        } else if (pushed(l, m, LULL_SPIRV_INT) && like_float(word(l, m->offset))) {
            whole = m;
        }
    }
    if (real == NULL || whole == NULL || !l->d->at.there) {
        return;
    }
    float f[2] = {0};
    const uint32_t bits[2] = {word(l, real->offset), word(l, whole->offset)};
    memcpy(f, bits, sizeof f);
    tell(l, "push constants look swapped", &l->d->at, false,
         lull_check_text("is the first to access memory: float %s (byte %u) is %g, whose bits are "
                         "%" PRIu32 "; integer %s (byte %u) is %" PRIu32 ", whose bits are %g",
                         real->name, real->offset, (double)f[0], bits[0], whole->name,
                         whole->offset, bits[1], (double)f[1]),
         lull_check_text("vkCmdPushConstants gives them in the order of the shader's block"));
}

/** All of them, in the order of the block. @return how many; the first NUMBERS. */
static size_t numbers(const struct lint *l, struct number to[NUMBERS])
{
    static const char *const parts[] = {".x", ".y", ".z", ".w"};
    const struct lull_spirv_type *block = l->spirv != NULL ? l->spirv->push : NULL;
    size_t n = 0;
    for (size_t i = 0; block != NULL && i < block->nmembers; i++) {
        const struct lull_spirv_member *m = &block->members[i];
        const bool vector = m->type != NULL && m->type->kind == LULL_SPIRV_VECTOR;
        const struct lull_spirv_type *t = vector ? m->type->element : m->type;
        const uint32_t count = vector ? m->type->count : 1;
        for (uint32_t k = 0; t != NULL && k < count && k < 4 && n < NUMBERS; k++) {
            const struct lull_spirv_member part = {.type = t, .offset = m->offset + 4 * k};
            if (pushed(l, &part, LULL_SPIRV_INT)) {
                to[n++] =
                    (struct number){m, vector ? parts[k] : "", part.offset, word(l, part.offset)};
            }
        }
    }
    return n;
}

/** "w (byte 0) is 32". */
static void add_number(struct lull_str *s, const struct number *n)
{
    lull_str_addf(s, "%s%s (byte %" PRIu32 ") is %" PRIu32, n->of->name, n->part, n->offset,
                  n->value);
}

static char *take_text(struct lull_str *s)
{
    char *text = lull_check_text("%s", lull_str_text(s));
    lull_error_free(s->err);
    s->err = NULL;
    lull_str_free(s);
    return text;
}

/** May something else than what @p b tells of have been stored in its range, behind its last? */
static bool stored_behind(const struct lint *l, const struct lull_lint_buffer *b)
{
    bool some = l->d->lost || l->d->elsewhere != 0;
    for (size_t i = 0; i < l->d->nbuffers; i++) {
        // A compiler may load one descriptor twice, for an unrolled loop: into other registers.
        const struct lull_lint_buffer *o = &l->d->buffers[i];
        some = some || (o != b && o->stores != 0 && o->base + o->low < b->base + b->available &&
                        o->base + o->high > b->base + b->high);
    }
    return some;
}

/** May other dispatches have stored in the range of @p b what this one has not? */
static bool stored_by_others(const struct lint *l, const struct lull_lint_buffer *b)
{
    bool some = false;
    for (size_t i = 0; i < l->all->n && !some; i++) {
        const struct lull_lint_dispatch *d = l->all->at[i];
        some = d != l->d && d->space == l->d->space && (d->lost || d->elsewhere != 0);
        for (size_t k = 0; k < d->nbuffers && d != l->d && d->space == l->d->space; k++) {
            const struct lull_lint_buffer *o = &d->buffers[k];
            const bool same = o->base == b->base && o->low == b->low && o->high == b->high &&
                              o->bytes == b->bytes;
            some = some || (o->stores != 0 && !same && o->base + o->low < b->base + b->available &&
                            o->base + o->high > b->base);
        }
    }
    return some;
}

/** Do work-items that are @p n, in workgroups of @p size, rounded up, make @p extent? */
static bool rounds(uint64_t n, uint64_t extent, uint32_t size)
{
    return extent >= n && extent - n < size;
}

/** What was pushed says that there are @p elements, or, of one dimension, as many as whole
 * workgroups do not make: the numbers. @return how many they are. */
static size_t says(const struct lint *l, const struct lull_lint_buffer *b, uint64_t elements,
                   bool dense, struct number ret[2])
{
    struct number all[NUMBERS];
    const size_t n = numbers(l, all);
    const uint64_t want[] = {elements, b->available / b->element, b->available};
    for (size_t i = 0; i < n && dense; i++) {
        ret[0] = all[i];
        const bool line = l->d->size[1] == 1 && l->d->size[2] == 1 && all[i].value > l->d->items &&
                          all[i].value <= elements && all[i].value - l->d->items < l->d->size[0];
        if (all[i].value == want[0] || all[i].value == want[1] || all[i].value == want[2] || line) {
            return 1;
        }
    }
    for (size_t i = 0; i + 1 < n && (dense || n == 2); i++) {
        ret[0] = all[i];
        ret[1] = all[i + 1];
        if ((uint64_t)all[i].value * all[i + 1].value == elements && l->d->items < elements) {
            return 2;
        }
    }
    return 0;
}

/** Each work-item has stored its element, from the first on, and there are more. With holes, such
 * as rows that are not whole, only if what was pushed says how many they are. */
static void too_few(const struct lint *l, const struct lull_lint_buffer *b)
{
    const uint64_t each = l->d->items != 0 ? b->bytes / l->d->items : 0;
    const bool dense = b->bytes == b->high;
    if (b->stores == 0 || b->element == 0 || b->low != 0 || each == 0 ||
        each * l->d->items != b->bytes || (dense && b->available < b->high + each) ||
        b->stores < 32 || stored_behind(l, b) || stored_by_others(l, b)) {
        return;
    }
    const uint64_t elements = b->available / each;
    struct number number[2];
    const size_t n = says(l, b, elements, dense, number);
    if (!dense && n != 2) {
        return;
    }
    struct lull_str note = {0};
    lull_str_addf(&note, "all %" PRIu64 " work-items stored one", l->d->items);
    for (size_t i = 0; i < n; i++) {
        lull_str_addf(&note, i == 0 ? "; push constant " : ", ");
        add_number(&note, &number[i]);
    }
    tell(l,
         dense ? "too few workgroups: the end of a buffer is not written"
               : "too few workgroups: parts of a buffer are not written",
         &b->last, n == 0,
         lull_check_text("stores element %" PRIu64 " of %" PRIu64 ", the last that is stored, of "
                         "%" PRIu64 " bytes each",
                         b->high / each - 1, elements, each),
         take_text(&note));
}

/** Two whole numbers are the sizes of a buffer, and would fit the grid the other way round alone.
 */
static void swapped_sizes(const struct lint *l, const struct lull_lint_buffer *b)
{
    struct number all[NUMBERS];
    const size_t n = numbers(l, all);
    const uint32_t *size = l->d->size;
    const uint64_t x = (uint64_t)l->record->grid[0] * size[0];
    const uint64_t y = (uint64_t)l->record->grid[1] * size[1];
    for (size_t i = 0; i + 1 < n; i++) {
        const uint64_t p = all[i].value, q = all[i + 1].value;
        if (l->record->indirect || b->stores == 0 || b->element == 0 || b->low != 0 || p < 2 ||
            q < 2 || p * q != b->available / b->element || b->bytes >= b->available ||
            !rounds(q, x, size[0]) || !rounds(p, y, size[1]) ||
            (rounds(p, x, size[0]) && rounds(q, y, size[1])) || stored_behind(l, b) ||
            stored_by_others(l, b)) {
            continue;
        }
        struct lull_str note = {0};
        lull_str_addf(&note, "the dispatch has %" PRIu64 " x %" PRIu64 " work-items; ", x, y);
        add_number(&note, &all[i]);
        lull_str_addf(&note, ", ");
        add_number(&note, &all[i + 1]);
        tell(l, "push constants look swapped", &b->last, false,
             lull_check_text("stores the last of %" PRIu64 " elements that are stored, of %" PRIu64,
                             b->bytes / b->element, b->available / b->element),
             take_text(&note));
        return;
    }
}

/** Two descriptors, and bytes that are written through one of them are in the other's range, too.
 */
static void aliased(const struct lint *l)
{
    for (size_t i = 0; i < l->d->nbuffers; i++) {
        const struct lull_lint_buffer *a = &l->d->buffers[i];
        for (size_t k = 0; a->stores != 0 && k < l->d->nbuffers; k++) {
            const struct lull_lint_buffer *b = &l->d->buffers[k];
            // One descriptor, to which the compiler has added an offset?
            const bool one = a->base != b->base && a->base + a->available == b->base + b->available;
            if (k == i || one || (b->stores != 0 && k < i) ||
                a->base + a->low >= b->base + b->available || a->base + a->high <= b->base ||
                b->available == 0) {
                continue;
            }
            tell(l, "two bindings share memory that is written", &a->last, true,
                 lull_check_text("stores through one descriptor, 0x%" PRIx64 " and %" PRIu64
                                 " bytes; another is 0x%" PRIx64 " and %" PRIu64 " bytes",
                                 a->base, a->available, b->base, b->available),
                 lull_check_text("was another buffer meant for one of them?"));
            return;
        }
    }
}

/** Storage buffers that the shader may write, and whether it has storage images. */
static size_t writable(const struct lull_spirv *m, bool *ret_images)
{
    size_t n = 0;
    *ret_images = false;
    for (size_t i = 0; m != NULL && i < m->nbindings; i++) {
        const struct lull_spirv_binding *b = &m->bindings[i];
        n += b->descriptor == LULL_SPIRV_DESC_STORAGE_BUFFER && !b->non_writable;
        *ret_images = *ret_images || b->descriptor == LULL_SPIRV_DESC_STORAGE_IMAGE ||
                      b->descriptor == LULL_SPIRV_DESC_STORAGE_TEXEL_BUFFER;
    }
    return n;
}

/** The shader has buffers to write, and wrote none. */
static void nothing(const struct lint *l)
{
    bool images = false;
    uint64_t stores = l->d->elsewhere;
    for (size_t i = 0; i < l->d->nbuffers; i++) {
        stores += l->d->buffers[i].stores;
    }
    if (stores == 0 && !l->d->lost && writable(l->spirv, &images) != 0 && !images &&
        l->d->at.there) {
        tell(l, "a dispatch writes nothing", &l->d->at, true,
             lull_check_text("is the first to access memory; none of %" PRIu64 " work-items stores "
                             "anything",
                             l->d->items),
             lull_check_text("its shader has buffers to write: is a size 0, or a buffer the wrong "
                             "one?"));
    }
}

void lull_check_lint_judge(struct lull_checks *c, struct lull_names *names,
                           const struct lull_names_dispatch *record, const struct lull_lint *all,
                           size_t which)
{
    const struct lull_lint_dispatch *d = all->at[which];
    const struct lull_names_pipeline *p = record->pipeline;
    const struct lint l = {
        .c = c,
        .record = record,
        .d = d,
        .all = all,
        .spirv = p != NULL && p->shader != NULL ? lull_names_spirv(names, p->shader) : NULL,
    };
    swapped(&l);
    for (size_t i = 0; i < d->nbuffers && !d->cut; i++) {
        too_few(&l, &d->buffers[i]);
        swapped_sizes(&l, &d->buffers[i]);
    }
    aliased(&l);
    if (!d->cut) {
        nothing(&l);
    }
}
