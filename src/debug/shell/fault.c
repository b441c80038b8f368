// SPDX-License-Identifier: MIT
/* Memory violations: which lanes the page tables refused, and by which entry. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/access.h"
#include "debug/session/engine.h"
#include "hw/pte11_regs.h"
#include "isa/rdna/ops.h"

enum { LOOK_BACK = 8 };

/** Why one lane's address was refused. */
struct refusal {
    bool refused;
    const char *missing; ///< Name of the bit.
    struct lull_walk_step step;
};

LULL_MUST_USE static struct lull_error *check_address(const struct lull_access *a, uint64_t va,
                                                      struct refusal *ret)
{
    struct lull_walk walk = {0};
    struct lull_error *err = lull_debug_walk(a->d, va, &walk);
    if (err != NULL) {
        return err;
    }
    *ret = (struct refusal){0};
    if (walk.nsteps > 0) {
        ret->step = walk.steps[walk.nsteps - 1];
    }
    if (!walk.mapped) {
        *ret = (struct refusal){.refused = true, .missing = "VALID", .step = ret->step};
    } else if (a->reads && (ret->step.entry & LULL_PTE11_PTE__READABLE_MASK) == 0) {
        *ret = (struct refusal){.refused = true, .missing = "READABLE", .step = ret->step};
    } else if (a->writes && (ret->step.entry & LULL_PTE11_PTE__WRITEABLE_MASK) == 0) {
        *ret = (struct refusal){.refused = true, .missing = "WRITEABLE", .step = ret->step};
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_lane(const struct lull_access *a, unsigned lane,
                                                   struct refusal *ret)
{
    uint64_t last = a->va[lane] + a->bytes - 1;
    struct lull_error *err = check_address(a, a->va[lane], ret);
    if (err == NULL && !ret->refused && (last ^ a->va[lane]) > LULL_PTE11_VA__OFFSET_MASK) {
        err = check_address(a, last, ret); // it goes on in another page
    }
    return err;
}

static bool same_refusal(const struct refusal *a, const struct refusal *b)
{
    return a->refused && b->refused && a->missing == b->missing && a->step.level == b->step.level &&
           a->step.entry_address == b->step.entry_address;
}

/* Lanes @p first to @p last share one refusal. */
static void show_range(struct lull_cmd *c, const struct lull_access *a, const struct refusal *r,
                       unsigned first, unsigned last)
{
    if (a->in.enc == LULL_RDNA_SMEM) {
        lull_str_addf(c->out, "  scalar: VA 0x%012" PRIx64, a->va[first]);
    } else if (first == last) {
        lull_str_addf(c->out, "  lane %u: VA 0x%012" PRIx64, first, a->va[first]);
    } else {
        lull_str_addf(c->out, "  lanes %u-%u: VA 0x%012" PRIx64 " to 0x%012" PRIx64, first, last,
                      a->va[first], a->va[last]);
    }
    lull_str_addf(c->out, ", %s: %s entry at 0x%012" PRIx64 " = 0x%016" PRIx64 " has %s clear\n",
                  strcmp(r->missing, "VALID") == 0      ? "not mapped"
                  : strcmp(r->missing, "READABLE") == 0 ? "not readable"
                                                        : "not writable",
                  lull_walk_level_name(r->step.level), r->step.entry_address, r->step.entry,
                  r->missing);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "first_lane", first);
        lull_json_put_u64(c->json, "last_lane", last);
        lull_json_put_hex(c->json, "first_va", a->va[first]);
        lull_json_put_hex(c->json, "last_va", a->va[last]);
        lull_json_put_str(c->json, "level", lull_walk_level_name(r->step.level));
        lull_json_put_hex(c->json, "entry_address", r->step.entry_address);
        lull_json_put_hex(c->json, "entry", r->step.entry);
        lull_json_put_str(c->json, "missing", r->missing);
        lull_json_close(c->json, '}');
    }
}

static void show_refusals(struct lull_cmd *c, const struct lull_access *a, const struct refusal *r)
{
    for (unsigned i = 0; i < a->lanes; i++) {
        if (!r[i].refused) {
            continue;
        }
        unsigned last = i;
        while (last + 1 < a->lanes && same_refusal(&r[i], &r[last + 1])) {
            last++;
        }
        show_range(c, a, &r[i], i, last);
        i = last;
    }
}

/** The instruction whose addresses the page tables refuse. */
struct fault {
    struct lull_access a;
    uint64_t va;
    unsigned n; ///< Lanes refused; 0: none was found.
    struct refusal refusals[LULL_MAX_LANES];
};

/* Refused lanes of the instruction at @p va. */
LULL_MUST_USE static struct lull_error *look_at(struct lull_debug *d,
                                                const struct lull_debug_wave *wave, uint64_t va,
                                                struct fault *f)
{
    bool known = false;
    *f = (struct fault){.a = {.d = d, .wave = wave}, .va = va};
    if (!lull_debug_decode(d, va, &f->a.in)) {
        return NULL;
    }
    struct lull_error *err = lull_access_find(&f->a, &known);
    for (unsigned i = 0; err == NULL && known && i < f->a.lanes; i++) {
        if (((f->a.mask & ~f->a.outside) >> i & 1) != 0) {
            err = check_lane(&f->a, i, &f->refusals[i]);
            f->n += err == NULL && f->refusals[i].refused;
        }
    }
    return err;
}

/* Hardware may report it some instructions late: the newest that has a refused lane did it. */
LULL_MUST_USE static struct lull_error *find_fault(struct lull_debug *d,
                                                   const struct lull_debug_wave *wave,
                                                   struct fault *f)
{
    uint64_t at[LOOK_BACK + 1] = {0};
    size_t n = lull_debug_insns_before(d, wave->info.pc, at, LOOK_BACK);
    at[n++] = wave->info.pc;
    struct lull_error *err = NULL;
    while (err == NULL && f->n == 0 && n > 0) {
        err = look_at(d, wave, at[--n], f);
    }
    return err;
}

uint64_t lull_debug_fault_lanes(struct lull_debug *d, const struct lull_debug_wave *wave)
{
    lull_cleanup(lull_freep) struct fault *f = calloc(1, sizeof *f);
    uint64_t lanes = 0;
    struct lull_error *err = f != NULL ? find_fault(d, wave, f) : NULL;
    for (unsigned i = 0; f != NULL && err == NULL && f->a.lanes > 1 && i < f->a.lanes; i++) {
        lanes |= (uint64_t)f->refusals[i].refused << i;
    }
    lull_error_free(err);
    return lanes;
}

struct lull_error *lull_debug_show_fault(struct lull_cmd *c, const struct lull_debug_wave *wave)
{
    lull_cleanup(lull_freep) struct fault *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = find_fault(c->d, wave, f);
    if (err == NULL && f->n != 0) {
        lull_str_addf(c->out, "Memory violation by %s at 0x%012" PRIx64 "%s, %s:\n",
                      lull_rdna_info(&f->a.in)->name, f->va,
                      f->va == wave->info.pc ? "" : " (the wave ran on since)",
                      f->a.writes && f->a.reads ? "atomic"
                      : f->a.writes             ? "write"
                                                : "read");
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "refused");
        lull_json_open(c->json, '[');
    }
    if (err == NULL) {
        show_refusals(c, &f->a, f->refusals);
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (err != NULL) {
        lull_str_addf(c->out, "The addresses cannot be checked: %s\n", lull_error_message(err));
        lull_error_free(err);
    } else if (f->n == 0) {
        lull_str_addf(
            c->out,
            "No lane of the last instructions has an address that the page tables refuse now: "
            "the registers may have changed since.\n");
    }
    return NULL;
}
