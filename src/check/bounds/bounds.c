// SPDX-License-Identifier: MIT
#include "check/bounds/bounds.h"

#include <inttypes.h>

#include "arch/arch.h"
#include "check/bounds/outside.h"
#include "check/bounds/reach.h"
#include "check/shadow/shadow.h"

static const char name[] = "bounds";

/** What a lane does outside of what it may. */
struct outside {
    const struct lull_check_now *n;
    const struct lull_touch *t;
    unsigned lane;
    uint64_t address;
};

static const char *const does[] = {
    [LULL_TOUCH_LOAD] = "loads",
    [LULL_TOUCH_STORE] = "stores",
    [LULL_TOUCH_ATOMIC] = "atomically changes",
};

static void add_value(const struct outside *o, struct lull_str *s)
{
    uint32_t v = 0;
    const struct lull_observed *at = o->n->at;
    if (o->t->kind != LULL_TOUCH_LOAD && o->t->bytes <= 4 &&
        at->read(at, o->t->data, o->t->from + o->lane, &v)) {
        const uint32_t mask = o->t->bytes == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * o->t->bytes) - 1;
        lull_str_addf(s, ", 0x%" PRIx32 ",", v & mask);
    }
}

/** "byte 256 of out, which has 256": @p from where the object begins. */
static void add_offset(const struct outside *o, const char *of, uint64_t from, uint64_t size,
                       struct lull_str *s)
{
    struct lull_str range = {0};
    lull_str_addf(&range, "the range of ");
    o->n->at->arch->descriptor(o->t->descriptor, &range);
    const char *what = of != NULL ? of : o->t->local ? "local memory" : lull_str_text(&range);
    if (o->address >= from) {
        const uint64_t offset = o->address - from;
        lull_str_addf(s, " at byte %" PRIu64 " of %s, which has %" PRIu64, offset, what, size);
        if (o->t->bytes != 0 && offset % o->t->bytes == 0 && size % o->t->bytes == 0) {
            lull_str_addf(s, " (element %" PRIu64 " of %" PRIu64 ")", offset / o->t->bytes,
                          size / o->t->bytes);
        }
    } else {
        lull_str_addf(s, " %" PRIu64 " bytes in front of %s", from - o->address, what);
    }
    lull_error_free(range.err);
    range.err = NULL;
    lull_str_free(&range);
}

static void tell(const struct outside *o, const char *kind, const char *of, uint64_t from,
                 uint64_t size, const char *note)
{
    struct lull_finding *f = lull_check_found(o->n, name, kind, o->n->at->pc, 0);
    if (f == NULL || f->count != 1) {
        return;
    }
    struct lull_str s = {0};
    lull_str_addf(&s, "%s %u byte%s", does[o->t->kind], o->t->bytes, o->t->bytes == 1 ? "" : "s");
    add_value(o, &s);
    add_offset(o, of, from, size, &s);
    f->sites[0] = lull_check_site(o->n, o->n->at->pc, o->t->from + o->lane);
    f->sites[0].whole = o->t->scalar;
    f->sites[0].does = lull_check_text("%s", lull_str_text(&s));
    f->note = lull_check_text("%s", note);
    f->warning = size == 0 && o->t->described && o->t->kind == LULL_TOUCH_LOAD; // nullDescriptor
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
}

/** Does any byte of it lie in one of the objects? */
static bool touches(const struct lull_check_object *all, size_t n, uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        if (address < all[i].at + all[i].size && address + bytes > all[i].at) {
            return true;
        }
    }
    return false;
}

/** Objects are known: is it outside of them? */
static void against(const struct outside *o, const struct lull_check_object *all, size_t n)
{
    const unsigned bytes = o->t->bytes;
    if (lull_check_object_of(all, n, o->address, bytes) != NULL ||
        (o->t->kind == LULL_TOUCH_LOAD && touches(all, n, o->address, bytes))) {
        return;
    }
    const struct lull_check_object *near = lull_check_object_near(all, n, o->address);
    if (o->t->local) {
        tell(o, "local memory is left", near != NULL ? near->name : NULL,
             near != NULL ? near->at : 0, near != NULL ? near->size : 0,
             "hardware gives out local memory in larger pieces: this is another variable, or "
             "nobody's");
    } else if (near != NULL) {
        tell(o, "a buffer is left", near->name, near->at, near->size,
             "no buffer of the kernel is there");
    }
}

static void local(const struct outside *o, const struct lull_check_objects *known)
{
    if (known != NULL && known->local_known) {
        against(o, known->local, known->nlocal);
    } else if (o->t->valid[o->lane] == 0) {
        tell(o, "local memory is left", NULL, 0, o->n->at->local_bytes,
             "hardware gives 0 there, and drops what is written");
    }
}

static void described(const struct outside *o)
{
    if (o->t->null) {
        tell(o, "nothing is bound: the descriptor is null", NULL, o->t->base, 0,
             "its binding was never written (vkUpdateDescriptorSets), or VK_NULL_HANDLE was");
        return;
    }
    const unsigned dwords = (o->t->bytes + 3) / 4;
    const unsigned all = (1u << dwords) - 1;
    if (o->t->kind != LULL_TOUCH_LOAD && (o->t->valid[o->lane] & all) != all) {
        tell(o, "the range of a descriptor is left", NULL, o->t->base, o->t->available,
             "hardware drops it: defined only where the program enables robustBufferAccess");
    }
}

/** Do all lanes stay in one object? Most do. */
static bool in_one(const struct lull_touch *t, const struct lull_check_object *all, size_t n)
{
    const struct lull_check_object *o = lull_check_object_of(all, n, t->low, t->bytes);
    return o != NULL && t->high - o->at <= o->size - t->bytes;
}

/** Is there nothing to say? Told quickly. */
static bool is_right(const struct lull_touch *t, const struct lull_check_objects *known)
{
    if (t->described) {
        return t->kind == LULL_TOUCH_LOAD && t->available != 0;
    }
    if (t->local) {
        return known != NULL && known->local_known && in_one(t, known->local, known->nlocal);
    }
    return known == NULL || known->nmemory == 0 || in_one(t, known->memory, known->nmemory);
}

static void look(const struct lull_check_now *n, const struct lull_touch *t)
{
    const struct lull_check_objects *known = n->config;
    if (known != NULL && known->reach != NULL && n->wave->stage == NULL && !t->local && !t->priv &&
        !t->image && !t->described) {
        lull_reach_touch(known->reach, n, t);
    }
    if (known != NULL && known->reach != NULL && n->wave->stage == NULL && t->local &&
        t->kind != LULL_TOUCH_LOAD) {
        lull_reach_touch_local(known->reach, n, t);
    }
    if (t->priv || (t->image && !t->null) || t->lanes == 0 || is_right(t, known)) {
        return;
    }
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        const struct outside o = {.n = n, .t = t, .lane = lane, .address = t->address[lane]};
        if (t->local) {
            local(&o, known);
        } else if (t->described) {
            described(&o);
        } else if (known != NULL && known->nmemory != 0) {
            against(&o, known->memory, known->nmemory);
        }
    }
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    lull_outside_memory(n, t);
    look(n, t);
}

static void memory_ir3(const struct lull_check_now *n, const struct lull_touch *t)
{
    lull_outside_ir3_memory(n, t);
    look(n, t);
}

/** Of no instruction before() is always called: outside.h asks for it while there are marks. */
static bool plan(const struct lull_check_now *n, void *plan)
{
    (void)n;
    (void)plan;
    return false;
}

const struct lull_check_module lull_check_bounds = {.name = name,
                                                    .draws = true,
                                                    .images = true,
                                                    .priv = true,
                                                    .priv_called = true,
                                                    .dropped = true,
                                                    .plan = plan,
                                                    .before = lull_outside_before,
                                                    .memory = memory,
                                                    .drop_wave = lull_outside_drop};

const struct lull_check_module lull_check_bounds_ir3 = {.name = name,
                                                        .draws = true,
                                                        .images = true,
                                                        .plan_bytes =
                                                            sizeof(struct lull_shadow_plan),
                                                        .own_bytes = LULL_OUTSIDE_IR3_BYTES,
                                                        .plan = lull_outside_ir3_plan,
                                                        .dropped = true,
                                                        .starts = lull_outside_ir3_starts,
                                                        .priv = true,
                                                        .priv_called = true,
                                                        .before = lull_outside_ir3_before,
                                                        .memory = memory_ir3,
                                                        .drop_wave = lull_outside_ir3_drop};
