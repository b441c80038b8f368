// SPDX-License-Identifier: MIT
/* Memory violations in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/fault.h"
#include "debug/shell/shell.h"

static bool same_refusal(const struct lull_refusal *a, const struct lull_refusal *b)
{
    return a->refused && b->refused && a->missing == b->missing && a->step.level == b->step.level &&
           a->step.entry_address == b->step.entry_address;
}

/* Lanes @p first to @p last share one refusal. */
static void show_range(struct lull_cmd *c, const struct lull_access *a,
                       const struct lull_refusal *r, unsigned first, unsigned last)
{
    if (a->scalar) {
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

static void show_refusals(struct lull_cmd *c, const struct lull_access *a,
                          const struct lull_refusal *r)
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

/* The target knows what was refused. */
LULL_MUST_USE static struct lull_error *show_known(struct lull_cmd *c,
                                                   const struct lull_wave_info *i)
{
    unsigned size = 0;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_error *err = lull_debug_insn_text(c->d, i->fault_pc, i->lanes, &text, &size);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_str_free) struct lull_str who = {0};
    struct lull_invocation invocation = {.vertex = 0};
    const bool known = lull_debug_invocation(c->d, i, i->fault_lane, &invocation);
    if (known) {
        lull_str_addf(&who, " (draw %" PRIu64 ", ", i->draw);
        lull_debug_show_invocation(&invocation, &who);
        lull_str_addf(&who, ")");
    }
    lull_str_addf(c->out,
                  "Page fault by %s at 0x%012" PRIx64 ", %s of 0x%012" PRIx64
                  " by fiber %u%s: not mapped%s\n",
                  lull_str_text(&text), i->fault_pc, i->fault_write ? "write" : "read", i->fault_va,
                  lull_wave_fiber(i, i->fault_lane), lull_str_text(&who),
                  i->fault_write ? ", or read-only; it is dropped" : "; it gives 0");
    if (c->d->dumped.absent != NULL) {
        lull_cleanup(lull_str_free) struct lull_str why = {0};
        c->d->dumped.absent(c->d->dumped.ctx, i->fault_va, &why);
        lull_str_addf(c->out, why.size != 0 ? "  %s\n" : "%s", lull_str_text(&why));
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "fault");
        lull_json_open(c->json, '{');
        lull_json_put_hex(c->json, "pc", i->fault_pc);
        lull_json_put_str(c->json, "text", lull_str_text(&text));
        lull_json_put_hex(c->json, "va", i->fault_va);
        lull_json_put_u64(c->json, "lane", i->fault_lane);
        lull_json_put_u64(c->json, "fiber", lull_wave_fiber(i, i->fault_lane));
        lull_json_put_bool(c->json, "write", i->fault_write);
        if (known) {
            lull_debug_json_invocation(&invocation, c->json);
        }
        lull_json_close(c->json, '}');
    }
    return NULL;
}

struct lull_error *lull_debug_show_fault(struct lull_cmd *c, const struct lull_debug_wave *wave)
{
    if (wave->info.fault_known) {
        return show_known(c, &wave->info);
    }
    lull_cleanup(lull_freep) struct lull_debug_fault *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debug_find_fault(c->d, wave, f);
    if (err == NULL && f->n != 0) {
        lull_str_addf(c->out, "Memory violation by %s at 0x%012" PRIx64 "%s, %s:\n", f->a.name,
                      f->va, f->va == wave->info.pc ? "" : " (the wave ran on since)",
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
