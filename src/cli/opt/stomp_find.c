// SPDX-License-Identifier: MIT
#include "cli/opt/stomp_find.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/opt/command.h"
#include "hw/adreno_doms.h"
#include "hw/stale.h"

enum { AT_CMDBUF = 1, AT_PASS = 2, INVERSE = 4, REGS = 0x10000 };

const struct lull_opt lull_stomp_find_opts[] = {
    {"--range", NULL, "FIRST,LAST", "registers from FIRST to LAST; 0x0c00,0xbe01 if not given",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_stomp_find, range)},
    {"--flags", NULL, "cmdbuf,renderpass,inverse",
     "when registers are filled: in front of each submit, as if not given, or at the start of each "
     "render pass, or both; inverse: the registers outside of --range",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_stomp_find, flags)},
    {"--runs", NULL, "N", "run each set up to N times: it passes if all of them do; 1 if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_stomp_find, b.runs), .min = 1},
    {"--timeout", NULL, "SECONDS", "a run that takes longer is ended, and fails", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_stomp_find, b.timeout_s), .min = 1, .max = UINT32_MAX},
    {"--json", NULL, NULL, "the result as JSON", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_stomp_find, b.json)},
    {0},
};

struct lull_error *lull_stomp_find_when(struct lull_stomp_find *f)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"cmdbuf", AT_CMDBUF}, {"renderpass", AT_PASS}, {"inverse", INVERSE}};
    const char *at = f->flags != NULL ? f->flags : "";
    unsigned when = 0;
    while (*at != '\0') {
        const size_t n = strcspn(at, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            bit |=
                strlen(known[i].name) == n && memcmp(at, known[i].name, n) == 0 ? known[i].bit : 0;
        }
        if (bit == 0) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "--flags '%s': there are cmdbuf, renderpass and inverse", at);
        }
        when |= bit;
        at += n + (at[n] == ',');
    }
    f->inverse = (when & INVERSE) != 0;
    f->at = (when & AT_PASS) == 0     ? LULL_STOMP_CMDBUF
            : (when & AT_CMDBUF) == 0 ? LULL_STOMP_PASS
                                      : LULL_STOMP_BOTH;
    return NULL;
}

struct lull_error *lull_stomp_find_range(const struct lull_stomp_find *f, uint32_t *first,
                                         uint32_t *last)
{
    char *end = NULL;
    *first = LULL_STOMP_FIRST;
    *last = LULL_STOMP_LAST;
    if (f->range == NULL) {
        return NULL;
    }
    const unsigned long long from = strtoull(f->range, &end, 0);
    const bool two = end != f->range && *end == ',';
    const char *rest = two ? end + 1 : end;
    const unsigned long long to = two ? strtoull(rest, &end, 0) : 0;
    if (!two || end == rest || *end != '\0' || to < from || to >= REGS) {
        return lull_error_new(LULL_ERR_INVALID, "--range '%s': want FIRST,LAST, up to 0x%x",
                              f->range, REGS - 1);
    }
    *first = (uint32_t)from;
    *last = (uint32_t)to;
    return NULL;
}

struct lull_error *lull_stomp_find_room(struct lull_stomp_find *f, size_t n)
{
    f->names = calloc(n + 1, sizeof *f->names);
    f->b.flags = calloc(n + 1, sizeof *f->b.flags);
    return f->names != NULL && f->b.flags != NULL ? NULL : &lull_enomem;
}

void lull_stomp_find_add(struct lull_stomp_find *f, uint64_t number)
{
    static const char *const formats[] = {[LULL_STOMP_REGISTERS] = "0x%04" PRIx64,
                                          [LULL_STOMP_BUFFERS] = "%" PRIu64,
                                          [LULL_STOMP_PAGES] = "0x%" PRIx64};
    char *name = f->names[f->b.nflags];
    (void)snprintf(name, LULL_STOMP_NAME, formats[f->kind], number);
    f->b.flags[f->b.nflags++] = (struct lull_bisect_flag){.flag = name};
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

struct lull_error *lull_stomp_find_registers(struct lull_stomp_find *f)
{
    uint32_t regs[2 * LULL_STOMP_MOST] = {0}, first = 0, last = 0;
    unsigned n = 0;
    struct lull_error *err = lull_stomp_find_range(f, &first, &last);
    err = err != NULL ? err : lull_stomp_find_room(f, (size_t)2 * LULL_STOMP_MOST);
    if (err != NULL) {
        return err;
    }
    for (int pass = 0; pass < 2; pass++) {
        if (f->at != (pass != 0 ? LULL_STOMP_CMDBUF : LULL_STOMP_PASS)) {
            const unsigned all = lull_stale_registers(f->gen, pass != 0, regs + n, LULL_STOMP_MOST);
            n += all < LULL_STOMP_MOST ? all : LULL_STOMP_MOST;
        }
    }
    qsort(regs, n, sizeof regs[0], by_number);
    for (unsigned i = 0; i < n; i++) {
        if ((regs[i] >= first && regs[i] <= last) != f->inverse) {
            lull_stomp_find_add(f, regs[i]);
        }
    }
    return f->b.nflags != 0
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "--range: no register there may hold garbage");
}

static const char *register_of(const struct lull_stomp_find *f, const char *flag,
                               struct lull_str *name, struct lull_str *fields)
{
    const struct lull_dom_state state = {.chip = f->gen};
    const uint32_t reg = (uint32_t)strtoul(flag, NULL, 0);
    const struct lull_dom_hit hit =
        lull_dom_at(&lull_dom_adreno, &state, &lull_dom_adreno.domains[LULL_ADRENO_DOM_A6XX], reg);
    const struct lull_dom_field *fields_of = NULL;
    if (hit.reg == NULL) {
        return "";
    }
    lull_dom_name(&hit, name);
    const unsigned n = lull_dom_fields(&lull_dom_adreno, hit.reg, &fields_of);
    for (unsigned i = 0; i < n; i++) {
        if (lull_dom_holds(&lull_dom_adreno, &state, fields_of[i].cond)) {
            lull_str_addf(fields, "%s%s", fields->size != 0 ? ", " : "", fields_of[i].name);
        }
    }
    return hit.reg->usage == LULL_DOM_USE_RP_BLIT ? "each render pass or blit"
                                                  : "each command buffer";
}

static void say(const struct lull_stomp_find *f)
{
    static const char *const what[] = {"register", "buffer", "page"};
    const struct lull_bisect *b = &f->b;
    if (b->nset == 0) {
        printf("\n%s passes, whatever %ss hold.\n", f->subject, what[f->kind]);
        return;
    }
    printf("\n%s fails with garbage in %s%s:\n", f->subject,
           b->nset > 1 ? "these together, and no fewer of them" : "this ",
           b->nset > 1 ? "" : what[f->kind]);
    for (size_t i = 0; i < b->nset; i++) {
        const char *flag = b->flags[b->set[i]].flag;
        struct lull_str name = {0}, fields = {0};
        if (f->kind == LULL_STOMP_BUFFERS) {
            printf("  buffer %s that it makes\n", flag);
            continue;
        }
        if (f->kind == LULL_STOMP_PAGES) {
            printf("  4096 bytes at %s, zeros in the capture\n", flag);
            continue;
        }
        const char *set = register_of(f, flag, &name, &fields);
        printf("  %s %s, which drivers set in %s\n", flag, lull_str_text(&name), set);
        if (fields.size != 0) {
            printf("    fields: %s\n", lull_str_text(&fields));
        }
        lull_str_free(&name);
        lull_str_free(&fields);
    }
}

LULL_MUST_USE static struct lull_error *say_json(const struct lull_stomp_find *f)
{
    static const char *const keys[] = {"registers", "buffers", "pages"};
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    lull_json_open(&j, '{');
    lull_json_put_u64(&j, "runs", f->b.nruns);
    lull_json_key(&j, keys[f->kind]);
    lull_json_open(&j, '[');
    for (size_t i = 0; i < f->b.nset; i++) {
        const char *flag = f->b.flags[f->b.set[i]].flag;
        struct lull_str name = {0}, fields = {0};
        if (f->kind == LULL_STOMP_BUFFERS) {
            lull_json_u64(&j, strtoul(flag, NULL, 10));
            continue;
        }
        if (f->kind == LULL_STOMP_PAGES) {
            lull_json_str(&j, flag);
            continue;
        }
        lull_json_open(&j, '{');
        const char *set = register_of(f, flag, &name, &fields);
        lull_json_put_str(&j, "offset", flag);
        lull_json_put_str(&j, "register", lull_str_text(&name));
        lull_json_put_str(&j, "set_in", set);
        lull_json_put_str(&j, "fields", lull_str_text(&fields));
        lull_json_close(&j, '}');
        lull_str_free(&name);
        lull_str_free(&fields);
    }
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
    return lull_bisect_print(&out);
}

struct lull_error *lull_stomp_find_say(const struct lull_stomp_find *f)
{
    if (f->b.json) {
        return say_json(f);
    }
    say(f);
    return NULL;
}

struct lull_error *lull_stomp_find(struct lull_stomp_find *f, int *status)
{
    static const char *const things[] = {"registers", "buffers", "pages"};
    f->b.runs = f->b.runs == 0 ? 1 : f->b.runs;
    f->b.first = f->b.must_pass = true;
    f->b.things = things[f->kind];
    struct lull_error *err = lull_bisect(&f->b);
    if (err != NULL || f->b.interrupted) {
        *status = f->b.interrupted ? LULL_EXIT_INTERRUPTED : *status;
        return err;
    }
    *status = f->b.nset != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    return lull_stomp_find_say(f);
}

void lull_stomp_find_done(struct lull_stomp_find *f)
{
    lull_bisect_done(&f->b);
    free(f->names);
}
