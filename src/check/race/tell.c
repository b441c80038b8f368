// SPDX-License-Identifier: MIT
#include "check/race/step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/objects.h"

static const char name[] = "race";

/** "texel (63, 0)"; both accesses of a race have the same one. */
static void add_texel(const struct lull_touch *t, unsigned lane, struct lull_str *out)
{
    for (unsigned i = 0; t->texel != NULL && i < t->dims; i++) {
        lull_str_addf(out, "%s%" PRId32, i == 0 ? ", texel (" : ", ",
                      t->texel[(size_t)4 * lane + i]);
    }
    lull_str_addf(out, "%s", t->texel != NULL && t->dims != 0 ? ")" : "");
}

uint32_t lull_race_bits(uint8_t mask)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        bits |= (mask >> i & 1u) != 0 ? UINT32_C(0xff) << 8 * i : 0;
    }
    return bits;
}

static char *does(const struct step *s, const char *verb, const uint32_t *value)
{
    struct lull_str place = {0};
    const uint64_t first = s->address + (unsigned)__builtin_ctz(s->mask);
    const unsigned bytes = (unsigned)__builtin_popcount(s->mask);
    lull_check_place(s->n->config, s->t->local, first, bytes, &place);
    if (s->t->image) {
        lull_str_addf(&place, " of an image");
        add_texel(s->t, s->lane, &place);
    }
    const uint32_t stored =
        value != NULL ? (*value & lull_race_bits(s->mask)) >> 8 * (unsigned)__builtin_ctz(s->mask)
                      : 0;
    char *text = value != NULL
                     ? lull_check_text("%s %u byte%s, 0x%" PRIx32 ", at %s", verb, bytes,
                                       bytes == 1 ? "" : "s", stored, lull_str_text(&place))
                     : lull_check_text("%s %u byte%s at %s", verb, bytes, bytes == 1 ? "" : "s",
                                       lull_str_text(&place));
    lull_error_free(place.err);
    place.err = NULL;
    lull_str_free(&place);
    return text;
}

static const char *verb_of(enum lull_touch_kind kind)
{
    return kind == LULL_TOUCH_LOAD    ? "loads"
           : kind == LULL_TOUCH_STORE ? "stores"
                                      : "atomically changes";
}

static struct lull_check_site other_site(const struct step *s, const struct lull_race_access *a,
                                         bool stored)
{
    const struct lull_race_record *r = &s->r->shadow.records[a->record];
    struct lull_check_site site = lull_check_site(s->n, r->pc, a->lane);
    site.wave = r->wave;
    site.lanes = r->lanes;
    memcpy(site.workgroup, r->workgroup, sizeof site.workgroup);
    memcpy(site.full, r->full, sizeof site.full);
    site.touched = (struct lull_check_touched){.there = !s->t->local,
                                               .described = s->t->described || s->t->image,
                                               .stores = stored,
                                               .image = s->t->image,
                                               .bytes = 4,
                                               .address = s->address};
    if (s->t->image && s->t->texel != NULL) { // The same texel.
        site.touched.dims = s->t->dims;
        memcpy(site.touched.texel, s->t->texel + (size_t)4 * s->lane, sizeof site.touched.texel);
    }
    return site;
}

/** What is expected between two workgroups. */
static const char *between(enum lull_race_why why)
{
    return why == LULL_RACE_RELEASE
               ? "the store may come behind the atomic operation that is to announce it: a fence, "
                 "or an atomic operation that releases, is expected behind the store"
               : "barriers order one workgroup only: expected are atomic operations, or one more "
                 "dispatch";
}

void lull_race_tell(const struct step *s, const struct lull_race_cell *c,
                    const struct lull_race_access *a, bool stored, enum lull_race_why why)
{
    const struct lull_race_record *r = &s->r->shadow.records[a->record];
    const bool same = r->group == s->n->group->number;
    // A load of local memory that the source calls atomic looks like any other.
    const bool last = a == &c->store;
    const bool atomic = stored ? last && c->atomic && s->t->kind == LULL_TOUCH_LOAD
                               : s->t->kind == LULL_TOUCH_ATOMIC;
    const bool guess = s->t->local && atomic;
    struct lull_finding *f =
        lull_check_found(s->n, name,
                         same ? "two waves of a workgroup, no barrier between them"
                              : "two workgroups of a dispatch, nothing orders them",
                         r->pc, s->n->at->pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->warning = guess;
    f->sites[0] = other_site(s, a, stored);
    f->sites[1] = lull_check_site(s->n, s->n->at->pc, s->t->from + s->lane);
    f->sites[1].touched.address = s->address;
    f->sites[1].whole = s->t->scalar;
    f->sites[0].does = does(s,
                            verb_of(!stored             ? LULL_TOUCH_LOAD
                                    : last && c->atomic ? LULL_TOUCH_ATOMIC
                                                        : LULL_TOUCH_STORE),
                            last && !c->atomic ? &c->value : NULL);
    f->sites[1].does = does(s, verb_of(s->t->kind),
                            s->t->kind == LULL_TOUCH_STORE && s->valued ? &s->value : NULL);
    f->note = lull_check_text("%s", same ? "a barrier is expected between the two" : between(why));
}

void lull_race_tell_lanes(const struct step *s, const struct lull_race_cell *c)
{
    struct lull_finding *f = lull_check_found(
        s->n, name, "two lanes of one instruction store different values to one place",
        s->n->at->pc, s->n->at->pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->sites[0] = other_site(s, &c->store, true);
    f->sites[1] = lull_check_site(s->n, s->n->at->pc, s->t->from + s->lane);
    f->sites[1].touched.address = s->address;
    f->sites[0].does = does(s, "stores", &c->value);
    f->sites[1].does = does(s, "stores", &s->value);
    f->note = lull_check_text("which of them stays is not defined");
}
