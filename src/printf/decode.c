// SPDX-License-Identifier: MIT
#include "printf/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cur.h"
#include "printf/plan.h"

enum {
    MOST_OFFSET_BITS = 48, // an offset beyond that was not counted but is garbage
    LOOKS_PER_DWORD = 8,   // at headers, to find out where sizes lead
};

// One call of lull_printf_decode().
struct walk {
    struct lull_printf_decoder *d;
    const struct lull_printf_table *t;
    struct lull_cur entries;       // what is behind the header, whole dwords
    uint64_t asked, capacity, end; // dwords; end: how far entries may go
    uint32_t lost;                 // of the header
    uint64_t looks;                // that are left
    uint64_t sure_at, sure_end;    // sizes lead from sure_at to sure_end, where all is well
    bool live;
    bool cut;         // an entry of known size goes beyond the buffer
    uint64_t cut_end; // dword behind it
    lull_printf_fn *fn;
    void *arg;
    uint32_t *payload; // LULL_PRINTF_MAX_DWORDS
    struct lull_str text, second;
};

struct head {
    uint64_t id;
    uint32_t size;
};

static struct head head_at(const struct walk *w, uint64_t at)
{
    struct lull_cur c = lull_cur_slice(&w->entries, 4 * at, 8);
    const uint64_t v = lull_cur_u64(&c);
    return (struct head){.id = v >> 16, .size = (uint32_t)(v & 0xffff)};
}

static const char *literal(const void *arg, uint64_t id, size_t *ret_size)
{
    const struct lull_printf_string *found[LULL_PRINTF_MAX_SAME_ID] = {0};
    const size_t n = lull_printf_table_find(arg, id, found, LULL_PRINTF_MAX_SAME_ID);
    const struct lull_printf_string *s = n > 0 ? found[0] : NULL;
    for (size_t i = 0; i < n && !s->literal; i++) {
        s = found[i];
    }
    *ret_size = s != NULL ? s->size : 0;
    return s != NULL ? s->text : NULL;
}

// Text of n payload dwords as a call of s; the first problem goes into diag.
static bool render(struct walk *w, const struct lull_printf_string *s, uint64_t at, size_t n,
                   struct lull_str *to, struct lull_printf_diag *diag)
{
    struct lull_cur c = lull_cur_slice(&w->entries, 4 * (at + 2), 4 * n);
    if (lull_cur_left(&c) > 0) {
        memcpy(w->payload, c.pos, lull_cur_left(&c)); // little endian, as the host
    }
    const unsigned records = lull_printf_record_dwords(s->records);
    const size_t want = s->dwords - 2 - records;
    to->size = 0;
    if (s->plan != NULL && lull_printf_plan_text(s->plan, w->payload, n < want ? n : want, to)) {
        return true;
    }
    const struct lull_printf_payload payload = {.dwords = w->payload,
                                                .ndwords = n < want ? n : want,
                                                .types = s->types,
                                                .ntypes = s->ntypes,
                                                .mask64 = s->mask64,
                                                .nmask = s->nmask,
                                                .literal = literal,
                                                .literal_arg = w->t};
    struct lull_printf_diags diags;
    diags.count = diags.errors = 0; // the list is long
    const bool good = lull_printf_text(s->text, s->size, &payload, to, &diags);
    for (size_t i = 0; i < diags.count && !good; i++) {
        if (diags.list[i].error) {
            *diag = diags.list[i];
            break;
        }
    }
    return good;
}

// The records behind the arguments; the payload is that of the last render().
static void read_records(const struct walk *w, const struct lull_printf_string *s,
                         struct lull_printf_event *e)
{
    const uint32_t *p = w->payload + s->dwords - 2 - lull_printf_record_dwords(s->records);
    e->records = s->records;
    if ((s->records & LULL_PRINTF_SITE) != 0) {
        e->site = *p++;
    }
    if ((s->records & LULL_PRINTF_DISPATCH) != 0) {
        e->dispatch = *p++;
    }
    if ((s->records & LULL_PRINTF_WORKGROUP) != 0) {
        memcpy(e->workgroup, p, sizeof e->workgroup);
        p += 3;
    }
    if ((s->records & LULL_PRINTF_WAVE) != 0) {
        e->wave = *p++;
    }
    if ((s->records & LULL_PRINTF_LANE) != 0) {
        e->lane = *p++;
    }
    if ((s->records & LULL_PRINTF_PIPELINE) != 0) {
        e->pipeline = *p;
    }
}

LULL_MUST_USE static struct lull_error *tell(struct walk *w, struct lull_printf_event *e)
{
    e->text = lull_str_text(&w->text);
    e->problem = e->problem == NULL ? "" : e->problem;
    w->d->entries += e->kind == LULL_PRINTF_TEXT || e->kind == LULL_PRINTF_AMBIGUOUS;
    w->d->problems += e->kind != LULL_PRINTF_TEXT && e->kind != LULL_PRINTF_CANDIDATE;
    return w->text.err != NULL ? w->text.err : w->fn(w->arg, e);
}

// Number of a reading among several; {0} if there is one.
struct reading {
    unsigned number, count;
    bool more; // the table has left strings out
};

LULL_MUST_USE static struct lull_error *tell_reading(struct walk *w,
                                                     enum lull_printf_event_kind kind, uint64_t at,
                                                     uint32_t size,
                                                     const struct lull_printf_string *s,
                                                     const char *problem, struct reading reading)
{
    struct lull_printf_diag diag; // only of a text that is not good
    const uint64_t there = w->end - at < size ? w->end - at : size;
    const bool good = render(w, s, at, there < 2 ? 0 : (size_t)there - 2, &w->text, &diag);
    struct lull_printf_event e = {.kind = kind,
                                  .offset = LULL_PRINTF_HEADER_BYTES + 4 * at,
                                  .id = s->id,
                                  .dwords = size,
                                  .string = s,
                                  .text_size = w->text.size,
                                  .problem = problem,
                                  .candidate = reading.number,
                                  .candidates = reading.count,
                                  .more = reading.more};
    if (there >= s->dwords) {
        read_records(w, s, &e);
    }
    if (kind == LULL_PRINTF_TEXT && !good) {
        e.kind = LULL_PRINTF_BAD_FORMAT;
        e.problem = diag.message;
    }
    return tell(w, &e);
}

LULL_MUST_USE static struct lull_error *tell_entry(struct walk *w, enum lull_printf_event_kind kind,
                                                   uint64_t at, uint32_t size,
                                                   const struct lull_printf_string *s,
                                                   const char *problem)
{
    return tell_reading(w, kind, at, size, s, problem, (struct reading){0});
}

LULL_MUST_USE static struct lull_error *tell_place(struct walk *w, enum lull_printf_event_kind kind,
                                                   uint64_t at, uint64_t dwords, uint64_t id,
                                                   const char *problem)
{
    w->text.size = 0;
    struct lull_printf_event e = {.kind = kind,
                                  .offset = LULL_PRINTF_HEADER_BYTES + 4 * at,
                                  .id = id,
                                  .dwords = dwords,
                                  .problem = problem};
    return tell(w, &e);
}

// Is there the header of an entry that the table knows, of the right size? Only the buffer's end
// may cut it.
static bool certain(const struct walk *w, uint64_t at)
{
    const struct lull_printf_string *found[LULL_PRINTF_MAX_SAME_ID];
    if (w->end - at < 2) {
        return false;
    }
    const struct head h = head_at(w, at);
    const size_t n = h.size < 2 || (h.size > w->end - at && w->asked <= w->capacity)
                         ? 0
                         : lull_printf_table_find(w->t, h.id, found, LULL_PRINTF_MAX_SAME_ID);
    for (size_t i = 0; i < n; i++) {
        if (found[i]->dwords == h.size) {
            return true;
        }
    }
    return false;
}

// Where sizes lead from at: the end, an entry that is certain, or one that the buffer's end cuts.
// False: to something else.
static bool follow(struct walk *w, uint64_t at, uint64_t *ret)
{
    while (w->looks > 0 && at != w->end && !certain(w, at)) {
        const struct head h = w->end - at < 2 ? (struct head){0} : head_at(w, at);
        if (h.size < 2) {
            return false;
        }
        if (h.size > w->end - at) {
            *ret = at;
            return w->asked > w->capacity;
        }
        at += h.size;
        w->looks--;
    }
    *ret = at;
    return w->looks > 0;
}

// May an entry begin here? The way that was followed for one entry serves those on it, too.
static bool plausible(struct walk *w, uint64_t at)
{
    if (at != w->sure_at || at > w->sure_end) {
        if (!follow(w, at, &w->sure_end)) {
            return false;
        }
        w->sure_at = at;
    }
    w->sure_at += w->end - at < 2 ? 0 : head_at(w, at).size;
    return true;
}

// The next entry that is certain, or the end.
static uint64_t resync(const struct walk *w, uint64_t at)
{
    while (at < w->end && !certain(w, at)) {
        at++;
    }
    return at < w->end ? at : w->end;
}

static bool zeros(const struct walk *w, uint64_t from, uint64_t to)
{
    struct lull_cur c = lull_cur_slice(&w->entries, 4 * from, 4 * (to - from));
    while (lull_cur_left(&c) > 0) {
        if (lull_cur_u32(&c) != 0) {
            return false;
        }
    }
    return true;
}

// A header that leads nowhere: go on at the next entry that is certain.
LULL_MUST_USE static struct lull_error *skip_bad(struct walk *w, uint64_t at, struct head h)
{
    const uint64_t to = resync(w, at + 1);
    const bool rest = to == w->end && w->asked > w->end;
    w->d->next = to;
    if (rest && to - at <= LULL_PRINTF_MAX_DWORDS && zeros(w, at, to)) {
        return NULL; // the place of an entry that did not fit: it is counted as lost
    }
    return h.size == 0
               ? tell_place(w, LULL_PRINTF_SIZE_ZERO, at, to - at, h.id, "an entry of size 0")
               : tell_place(w, LULL_PRINTF_GARBAGE, at, to - at, h.id,
                            h.size == 1 ? "an entry of size 1"
                                        : "a header that leads to no other entry");
}

// An entry that goes beyond the buffer.
LULL_MUST_USE static struct lull_error *cut_entry(struct walk *w, uint64_t at, struct head h,
                                                  const struct lull_printf_string *s)
{
    w->d->next = w->end;
    w->cut = true;
    w->cut_end = at + h.size;
    if (w->lost > 0 && s->own) {
        return NULL; // it is among those that were counted
    }
    return tell_entry(w, LULL_PRINTF_CUT, at, h.size, s, "the entry goes beyond the buffer");
}

// An entry that goes beyond the buffer's offset.
LULL_MUST_USE static struct lull_error *beyond_offset(struct walk *w, uint64_t at, struct head h,
                                                      const struct lull_printf_string *s)
{
    struct lull_str problem = {0};
    lull_str_addf(&problem, "the entry has %" PRIu32 " dwords, and the offset ends after %" PRIu64,
                  h.size, w->end - at);
    w->d->next = resync(w, at + 2);
    struct lull_error *err =
        tell_entry(w, LULL_PRINTF_SHORT, at, h.size, s, lull_str_text(&problem));
    lull_str_free(&problem);
    return err;
}

// Strings of found that fit size; those of the decoder's pipeline only, if it has any.
static size_t choose(const struct walk *w, const struct lull_printf_string **found, size_t n,
                     uint32_t size)
{
    size_t fit = 0, own = 0;
    for (size_t i = 0; i < n; i++) {
        if (found[i]->dwords == size) {
            found[fit++] = found[i];
        }
    }
    for (size_t i = 0; i < fit && w->d->source != 0 && w->d->source <= 64; i++) {
        if ((found[i]->sources >> (w->d->source - 1) & 1) != 0) {
            found[own++] = found[i];
        }
    }
    return own > 0 ? own : fit;
}

LULL_MUST_USE static struct lull_error *fitting_entry(struct walk *w, uint64_t at, uint32_t size,
                                                      const struct lull_printf_string **found,
                                                      size_t n)
{
    struct lull_printf_diag diag; // not looked at
    size_t texts = 1;
    w->d->next = at + size;
    for (size_t i = 1; i < n; i++) { // other texts than the first's; equal ones are dropped
        bool known = false;
        for (size_t k = 0; k < texts && !known; k++) {
            render(w, found[k], at, size - 2, &w->text, &diag);
            render(w, found[i], at, size - 2, &w->second, &diag);
            known = w->text.size == w->second.size && found[i]->records == found[k]->records &&
                    memcmp(lull_str_text(&w->text), lull_str_text(&w->second), w->text.size) == 0;
        }
        if (!known) {
            found[texts++] = found[i];
        }
    }
    if (texts == 1) {
        return tell_entry(w, LULL_PRINTF_TEXT, at, size, found[0], NULL);
    }
    const struct lull_printf_string *all = NULL; // the first with this id
    const bool more = lull_printf_table_find(w->t, found[0]->id, &all, 1) > 0 && all->more;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < texts; i++) {
        err = tell_reading(w, i == 0 ? LULL_PRINTF_AMBIGUOUS : LULL_PRINTF_CANDIDATE, at, size,
                           found[i], i == 0 ? "several strings have this id and size" : NULL,
                           (struct reading){(unsigned)i + 1, (unsigned)texts, more});
    }
    return err;
}

// An entry of another size than its strings have: the greatest that fits, or the smallest.
LULL_MUST_USE static struct lull_error *odd_entry(struct walk *w, uint64_t at, uint32_t size,
                                                  const struct lull_printf_string **found, size_t n)
{
    const struct lull_printf_string *below = NULL, *least = found[0];
    for (size_t i = 0; i < n; i++) {
        const size_t need = found[i]->dwords;
        least = need < least->dwords ? found[i] : least;
        if (need < size && (below == NULL || need > below->dwords)) {
            below = found[i];
        }
    }
    const struct lull_printf_string *s = below != NULL ? below : least;
    const uint64_t right = at + s->dwords;
    // The size may be what is wrong: believe it if it leads somewhere.
    w->d->next = plausible(w, at + size)                  ? at + size
                 : right <= w->end && plausible(w, right) ? right
                                                          : resync(w, at + 2);
    struct lull_str problem = {0};
    lull_str_addf(&problem, "the entry has %" PRIu32 " dwords, its arguments need %zu", size,
                  s->dwords);
    struct lull_error *err = tell_entry(w, below != NULL ? LULL_PRINTF_LONG : LULL_PRINTF_SHORT, at,
                                        size, s, lull_str_text(&problem));
    lull_str_free(&problem);
    return err;
}

// One entry; moves on. *stop: wait for more.
LULL_MUST_USE static struct lull_error *step(struct walk *w, bool *stop)
{
    const struct lull_printf_string *found[LULL_PRINTF_MAX_SAME_ID];
    const uint64_t at = w->d->next;
    if (w->end - at < 2) {
        w->d->next = w->end;
        return w->asked > w->end ? NULL
                                 : tell_place(w, LULL_PRINTF_GARBAGE, at, w->end - at, 0,
                                              "less than an entry's header");
    }
    const struct head h = head_at(w, at);
    if (w->live && h.size == 0 && h.id == 0) {
        *stop = true;
        return NULL;
    }
    const size_t n =
        h.size < 2 ? 0 : lull_printf_table_find(w->t, h.id, found, LULL_PRINTF_MAX_SAME_ID);
    if (n == 0) {
        if (h.size < 2 || h.size > w->end - at || !plausible(w, at + h.size)) {
            return skip_bad(w, at, h);
        }
        w->d->next = at + h.size;
        return tell_place(w, LULL_PRINTF_UNKNOWN_ID, at, h.size, h.id, "no string has this id");
    }
    const struct lull_printf_string *all[LULL_PRINTF_MAX_SAME_ID];
    memcpy(all, found, n * sizeof *all);
    const size_t fit = choose(w, found, n, h.size);
    if (h.size > w->end - at) {
        return fit == 0                 ? skip_bad(w, at, h)
               : w->asked > w->capacity ? cut_entry(w, at, h, found[0])
                                        : beyond_offset(w, at, h, found[0]);
    }
    return fit > 0 ? fitting_entry(w, at, h.size, found, fit) : odd_entry(w, at, h.size, all, n);
}

enum { MOST_SIZES = 64, MOST_SUM = 1 << 12 };

// Sizes of entries, each once.
struct sizes {
    uint32_t size[MOST_SIZES];
    size_t n; // MOST_SIZES + 1: more than there is room for
    uint32_t small, large;
};

static void add_size(struct sizes *sizes, uint32_t size)
{
    sizes->small = sizes->small == 0 || size < sizes->small ? size : sizes->small;
    sizes->large = size > sizes->large ? size : sizes->large;
    for (size_t i = 0; i < sizes->n && i < MOST_SIZES; i++) {
        if (sizes->size[i] == size) {
            return;
        }
    }
    if (sizes->n < MOST_SIZES) {
        sizes->size[sizes->n] = size;
    }
    sizes->n += sizes->n <= MOST_SIZES;
}

// How many sizes make up each sum from 0 to top: the fewest (sign > 0) or the most. -1: none do.
static void count_sums(const struct sizes *sizes, int sign, uint64_t top, int32_t *counts)
{
    counts[0] = 0;
    for (uint32_t sum = 1; sum <= top; sum++) {
        counts[sum] = -1;
        for (size_t i = 0; i < sizes->n; i++) {
            const int32_t before = sizes->size[i] > sum ? -1 : counts[sum - sizes->size[i]];
            if (before >= 0 && (counts[sum] < 0 || sign * (before + 1) < sign * counts[sum])) {
                counts[sum] = before + 1;
            }
        }
    }
}

// The fewest and the most sizes whose sum is exactly dwords. False: not found.
//
// Of the fewest, less than large are not large: of large others, some have a sum that large
// divides, and would be fewer as large ones. So beyond large * large the rest of the sum is of
// large ones. For the most it is so with small ones.
static bool exact_sums(const struct sizes *sizes, uint64_t dwords, uint64_t *least, uint64_t *most)
{
    const uint64_t least_sum = (uint64_t)sizes->large * sizes->large;
    if (sizes->n == 0 || sizes->n > MOST_SIZES ||
        (dwords > MOST_SUM && least_sum + sizes->large > MOST_SUM)) {
        return false;
    }
    const uint64_t over = dwords > MOST_SUM ? dwords - MOST_SUM : 0;
    const uint64_t larges = over / sizes->large + (over % sizes->large != 0);
    const uint64_t smalls = over / sizes->small + (over % sizes->small != 0);
    const uint64_t top = dwords - over;
    int32_t *counts = malloc((size_t)(top + 1) * sizeof *counts);
    if (counts == NULL) {
        return false; // the bounds will do
    }
    count_sums(sizes, 1, top, counts);
    const int32_t few = counts[dwords - larges * sizes->large];
    count_sums(sizes, -1, top, counts);
    const int32_t many = counts[dwords - smalls * sizes->small];
    free(counts);
    if (few < 0 || many < 0) {
        return false;
    }
    *least = larges + (uint64_t)few;
    *most = smalls + (uint64_t)many;
    return true;
}

// How many entries fit into dwords that were asked for but are not there.
static void estimate(const struct walk *w, uint64_t dwords, uint64_t *least, uint64_t *most)
{
    struct sizes sizes = {0};
    for (size_t i = 0; i < lull_printf_table_count(w->t); i++) {
        const struct lull_printf_string *s = lull_printf_table_at(w->t, i);
        if (!s->literal) {
            add_size(&sizes, (uint32_t)s->dwords);
        }
    }
    if (exact_sums(&sizes, dwords, least, most)) {
        return;
    }
    const uint32_t small = sizes.small == 0 ? 2 : sizes.small;
    const uint32_t large = sizes.large == 0 ? LULL_PRINTF_MAX_DWORDS : sizes.large;
    *least = dwords / large + (dwords % large != 0);
    *most = dwords / small;
    *most = *most < *least ? *least : *most;
}

static bool all_own(const struct lull_printf_table *t)
{
    for (size_t i = 0; i < lull_printf_table_count(t); i++) {
        if (!lull_printf_table_at(t, i)->own) {
            return false;
        }
    }
    return true;
}

LULL_MUST_USE static struct lull_error *tell_lost(struct walk *w)
{
    uint64_t least = 0, most = 0;
    if (w->asked > w->end) {
        const uint64_t from = w->cut ? w->cut_end : w->d->next;
        estimate(w, w->asked > from ? w->asked - from : 0, &least, &most);
        least += w->cut;
        most += w->cut;
    }
    if (w->lost > 0) { // counted by our lowering; others may have lost some, too
        most = all_own(w->t) ? w->lost : w->lost + most;
        least = w->lost;
    }
    if (least <= w->d->reported) {
        return NULL;
    }
    struct lull_str problem = {0};
    const uint64_t new_least = least - w->d->reported, new_most = most - w->d->reported;
    if (least == most) {
        lull_str_addf(&problem, "%" PRIu64, new_least);
    } else {
        lull_str_addf(&problem, "%" PRIu64 " to %" PRIu64, new_least, new_most);
    }
    lull_str_addf(&problem, " %s lost: ", most == 1 ? "entry" : "entries");
    if (w->lost == 0 || least != most) {
        lull_str_addf(&problem, "%" PRIu64 " dwords were asked for, ", w->asked);
    } // a counter of 32 bits stops behind the end of the buffer: then it says nothing of that
    lull_str_addf(&problem, "there is room for %" PRIu64 "%s", w->capacity,
                  w->lost == 0 || least != most ? "" : " dwords");
    w->d->reported = least;
    w->text.size = 0;
    struct lull_printf_event e = {.kind = LULL_PRINTF_LOST,
                                  .offset = LULL_PRINTF_HEADER_BYTES + 4 * w->end,
                                  .lost = new_least,
                                  .lost_max = new_most,
                                  .problem = lull_str_text(&problem)};
    struct lull_error *err = tell(w, &e);
    lull_str_free(&problem);
    return err;
}

LULL_MUST_USE static struct lull_error *decode(struct walk *w)
{
    struct lull_error *err = NULL;
    bool stop = false;
    while (err == NULL && !stop && w->d->next < w->end) {
        if (w->live && w->d->until != 0 && w->d->next >= w->d->until) {
            stop = true;
        } else {
            err = step(w, &stop);
        }
    }
    return err != NULL || stop ? err : tell_lost(w);
}

LULL_MUST_USE static struct lull_error *read_header(struct walk *w, struct lull_cur *c)
{
    struct lull_error *err = NULL;
    w->asked = lull_cur_u64(c);
    w->lost = lull_cur_u32(c);
    lull_cur_u32(c);
    if (c->bad) {
        struct lull_printf_event e = {.kind = LULL_PRINTF_NO_HEADER,
                                      .problem = "the buffer has less than its 16-byte header"};
        return tell(w, &e);
    }
    w->capacity = lull_cur_left(c) / 4;
    w->capacity = w->capacity < LULL_PRINTF_CLAMP_DWORDS ? w->capacity : LULL_PRINTF_CLAMP_DWORDS;
    w->entries = lull_cur_of(c->pos, (size_t)w->capacity * 4);
    if (w->asked >> MOST_OFFSET_BITS != 0) {
        struct lull_printf_event e = {.kind = LULL_PRINTF_GARBAGE,
                                      .id = 0,
                                      .dwords = 2,
                                      .problem = "the buffer's offset is garbage"};
        err = tell(w, &e);
        w->asked = w->capacity;
        w->lost = 0;
    }
    w->end = w->asked < w->capacity ? w->asked : w->capacity;
    w->looks = LOOKS_PER_DWORD * w->end + 1;
    w->sure_at = UINT64_MAX;
    if (w->asked < w->d->asked) {
        w->d->next = 0;
        w->d->reported = 0;
    }
    w->d->asked = w->asked;
    return err != NULL ? err : decode(w);
}

struct lull_error *lull_printf_decode(struct lull_printf_decoder *d,
                                      const struct lull_printf_table *t, const void *buffer,
                                      size_t size, bool live, lull_printf_fn *fn, void *arg)
{
    struct lull_cur c = lull_cur_of(buffer, size);
    struct walk w = {.d = d, .t = t, .live = live, .fn = fn, .arg = arg};
    w.payload = malloc(LULL_PRINTF_MAX_DWORDS * sizeof *w.payload);
    struct lull_error *err = w.payload == NULL ? &lull_enomem : read_header(&w, &c);
    free(w.payload);
    lull_str_free(&w.text);
    lull_str_free(&w.second);
    return err;
}
