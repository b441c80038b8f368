// SPDX-License-Identifier: MIT
// lull crumbs: breadcrumbs of a GPU that hangs, as they come, and where they stand in a capture.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crumbs/where.h"
#include "adreno/file/kind.h"
#include "base/json.h"
#include "cli/adreno/crumbs.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"

struct args {
    const char *number, *file;
    bool json;
};

static const char *const whose[] = {[LULL_CRUMB_BY_POSITION] = "position",
                                    [LULL_CRUMB_BY_DRIVER] = "driver",
                                    [LULL_CRUMB_BY_LULL] = "lull"};

static void place_text(const struct lull_crumb_place *p, struct lull_str *out)
{
    lull_str_addf(out, "%s%s crumb %" PRIu32 ": stream %" PRIu64 ", ", whose[p->by],
                  p->by == LULL_CRUMB_BY_POSITION ? "" : "'s", p->number, p->stream);
    if (p->packet == 0) {
        lull_str_addf(out, "at the end: no draw, dispatch or blit comes after it");
    } else {
        lull_str_addf(out, "%s %s at 0x%" PRIx64 ", number %" PRIu32 " of them",
                      p->after ? "after" : "before",
                      p->name != NULL ? p->name : "a write of registers", p->packet, p->position);
    }
    if (p->was != 0) {
        lull_str_addf(out, "; it was at 0x%" PRIx64, p->was);
    }
    if (p->by == LULL_CRUMB_BY_DRIVER) {
        lull_str_addf(out, "; written at 0x%" PRIx64, p->crumb);
    }
    if (p->times != 1) {
        lull_str_addf(out, "; %" PRIu32 " times", p->times);
    }
    lull_str_addf(out, "\n");
}

static void place_json(const struct lull_crumb_place *p, struct lull_json *j)
{
    lull_json_open(j, '{');
    lull_json_put_u64(j, "number", p->number);
    lull_json_put_str(j, "by", whose[p->by]);
    lull_json_put_u64(j, "stream", p->stream);
    if (p->packet != 0) {
        lull_json_put_str(j, "side", p->after ? "after" : "before");
        lull_json_put_str(j, "packet", p->name != NULL ? p->name : "");
        lull_json_put_hex(j, "address", p->packet);
        lull_json_put_u64(j, "position", p->position);
    }
    if (p->was != 0) {
        lull_json_put_hex(j, "was", p->was);
    }
    if (p->by == LULL_CRUMB_BY_DRIVER) {
        lull_json_put_hex(j, "written_at", p->crumb);
    }
    lull_json_put_u64(j, "times", p->times);
    lull_json_close(j, '}');
}

/** Those that are in the stream count if there are any: the others were nowhere. */
static enum lull_crumb_by best(const struct lull_crumb_places *all)
{
    enum lull_crumb_by by = LULL_CRUMB_BY_POSITION;
    for (size_t i = 0; i < all->n; i++) {
        by = all->at[i].by > by ? all->at[i].by : by;
    }
    return by;
}

LULL_MUST_USE static struct lull_error *print(const struct args *a,
                                              const struct lull_crumb_places *all, uint64_t number,
                                              int *status)
{
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    const enum lull_crumb_by by = best(all);
    bool any = false;
    if (a->json) {
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; i < all->n; i++) {
        if (all->at[i].by != by || (a->number != NULL && all->at[i].number != number)) {
            continue;
        }
        any = true;
        if (a->json) {
            place_json(&all->at[i], &j);
        } else {
            place_text(&all->at[i], &out);
        }
    }
    if (a->json) {
        lull_json_close(&j, ']');
        lull_str_addf(&out, "\n");
    }
    struct lull_error *err = out.err;
    out.err = NULL;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
        *status = any ? LULL_EXIT_CLEAN : LULL_EXIT_FINDINGS;
    }
    if (err == NULL && !any && !a->json) {
        fprintf(stderr, "lull crumbs: %s: %s\n", a->file,
                a->number == NULL ? "no draw, dispatch or blit is in it" : "no such crumb");
    }
    lull_str_free(&out);
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {0};
    struct lull_crumb_places all = {0};
    struct lull_stream *s = NULL;
    struct lull_progress progress = {0};
    uint64_t number = 0;
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    if (err == NULL && a.number != NULL) {
        err = lull_opt_number("N", a.number, 0, UINT32_MAX, &number);
    }
    if (err != NULL) {
        return err;
    }
    err = lull_progress_open(&progress, a.file, &s);
    err = err != NULL ? err : lull_error_in(lull_kind_want_rd(s), "%s", a.file);
    if (err == NULL) {
        err = lull_error_in(lull_crumbs_where(s, &all), "%s", a.file);
    }
    err = err != NULL ? err : print(&a, &all, number, status);
    lull_crumb_places_free(&all);
    lull_stream_free(s);
    return err;
}

static const struct lull_opt where_opts[] = {
    {"--json", NULL, NULL, "a list of objects", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {"N", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct args, number), .flags = LULL_OPT_NEEDED},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};
static const struct lull_opt list_opts[] = {
    {"--json", NULL, NULL, "a list of objects", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};
static const struct lull_opt_group where_groups[] = {{NULL, where_opts, 0}, {0}};
static const struct lull_opt_group list_groups[] = {{NULL, list_opts, 0}, {0}};

static const struct lull_form form_where = {
    .word = "where",
    .about =
        "where says which packet of the capture FILE the crumb N stands at: by the crumbs that "
        "lull crumbs add or the driver has put into the stream, or, if there are none, by the "
        "packets' position.",
    .groups = where_groups,
    .run = run,
};
static const struct lull_form form_list = {
    .word = "list",
    .about = "list says so of all crumbs.",
    .groups = list_groups,
    .run = run,
};

const struct lull_command lull_cli_crumbs = {
    .name = "crumbs",
    .help = "breadcrumbs of an Adreno GPU that hangs: receive them, put them into captures, find "
            "their packets",
    .forms = (const struct lull_form *const[]){&lull_cli_crumbs_listen, &lull_cli_crumbs_add,
                                               &form_where, &form_list, NULL},
    .after = "  lull crumbs listen 9000\n"
             "  TU_BREADCRUMBS=HOST:9000,break=-1:0 PROGRAM\n"
             "  lull crumbs where 17 capture.rd\n"
             "  lull crumbs add capture.rd -o crumbs.rd && lull replay crumbs.rd",
};
