// SPDX-License-Identifier: MIT
/* source on, off: a dispatch that runs lull's own code. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/shell.h"
#include "debug/source/source.h"

/** Is @p word what stands at *at? Then *at is behind it. */
static bool is_word(const char **at, const char *word)
{
    const size_t n = strcspn(*at, " ");
    if (n != strlen(word) || strncmp(*at, word, n) != 0) {
        return false;
    }
    *at += n + strspn(*at + n, " ");
    return true;
}

LULL_MUST_USE static struct lull_error *level_of(const char *text, unsigned *ret)
{
    if (*text == '\0') {
        return NULL;
    }
    for (unsigned i = 0; strncmp(text, "-O", 2) == 0 && i < LULL_SOURCE_LEVELS; i++) {
        if (text[2] == lull_source_level[i] && text[3] == '\0') {
            *ret = i;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "'%s' is not -O0 to -O3 or -Og", text);
}

/** ulp:N or rel:X. */
LULL_MUST_USE static struct lull_error *tolerance_of(const char *text,
                                                     struct lull_source_options *o)
{
    char *end = NULL;
    const size_t size = strcspn(text, " ");
    const bool ulp = strncmp(text, "ulp:", 4) == 0, rel = strncmp(text, "rel:", 4) == 0;
    const char *number = text + 4;
    if (ulp && *number >= '0' && *number <= '9') {
        o->ulps = strtoull(number, &end, 10);
    } else if (rel && (*number == '.' || (*number >= '0' && *number <= '9'))) {
        o->relative = strtod(number, &end);
    }
    if (end == NULL || end != text + size || !(o->relative < 1)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--tolerance '%.*s' is not ulp:N or rel:X with X below 1", (int)size,
                              text);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *on(struct lull_cmd *c, const char *args)
{
    struct lull_source_options o = {0};
    lull_cleanup(lull_str_free) struct lull_str notes = {0};
    struct lull_error *err = level_of(args, &o.level);
    err = err != NULL ? err : lull_source_on(c->d, &o, &notes);
    if (err != NULL) {
        return err;
    }
    uint64_t start = 0, end = 0;
    struct lull_line line = {0};
    lull_image_code_range(c->d->image, &start, &end);
    lull_str_addf(c->out, "%sThe dispatch will run lull's code, -O%c, at 0x%" PRIx64 ".\n",
                  lull_str_text(&notes), lull_source_level[o.level], c->d->image_va);
    if (!lull_image_line_find(c->d->image, NULL, 1, &start)) {
        lull_str_addf(c->out, "The module has no lines: compile it with debug information "
                              "(glslangValidator -g).\n");
    } else if (lull_image_line_at(c->d->image, start, &line) && c->json != NULL) {
        lull_json_put_str(c->json, "file", line.file);
    }
    if (c->json != NULL) {
        lull_json_put_hex(c->json, "code", c->d->image_va);
        lull_json_put_str(c->json, "notes", lull_str_text(&notes));
    }
    return notes.err;
}

static void float_of(uint32_t bits, float *ret)
{
    memcpy(ret, &bits, sizeof *ret);
}

/** What the comparison came to, in a line or two. */
static void show_result(struct lull_cmd *c, const struct lull_source_result *r)
{
    const char *s = r->nbuffers == 1 ? "" : "s";
    if (r->equal) {
        lull_str_addf(c->out, "equal: %" PRIu64 " bytes in %u buffer%s", r->wrote, r->nbuffers, s);
        if (r->nnear != 0) {
            lull_str_addf(c->out, ", with %" PRIu64 " float%s within the tolerance", r->nnear,
                          r->nnear == 1 ? "" : "s");
        }
        lull_str_addf(c->out, "\n");
        return;
    }
    lull_cleanup(lull_str_free) struct lull_str place = {0};
    float before = 0, driver = 0, lull = 0;
    float_of(r->before, &before);
    float_of(r->driver, &driver);
    float_of(r->lull, &lull);
    lull_debug_show_place(c->d, r->va, &place);
    lull_str_addf(c->out,
                  "different: %" PRIu64 " of %" PRIu64 " bytes in %u buffer%s, first 0x%" PRIx64
                  " %s\n"
                  "  before         0x%08" PRIx32 "  %.9g\n"
                  "  driver's code  0x%08" PRIx32 "  %.9g\n"
                  "  lull's code    0x%08" PRIx32 "  %.9g\n",
                  r->ndiffer, r->wrote, r->nbuffers, s, r->va, lull_str_text(&place), r->before,
                  (double)before, r->driver, (double)driver, r->lull, (double)lull);
    if (r->nfloats != 0) {
        lull_str_addf(c->out,
                      "Of %" PRIu64 " values that differ, %" PRIu64 " %s, %" PRIu64
                      " unit%s in the last place apart at most%s.\n",
                      r->nvalues, r->nfloats, r->nfloats == 1 ? "is a float" : "are floats",
                      r->ulps, r->ulps == 1 ? "" : "s",
                      r->nnear != 0 ? ", besides those within the tolerance" : "");
    }
    lull_str_addf(c->out,
                  "'watch {u32}0x%" PRIx64 "' stops at who writes it, behind 'source on' or off.\n",
                  r->va);
}

static void result_json(struct lull_json *json, const struct lull_source_result *r)
{
    lull_json_put_bool(json, "equal", r->equal);
    lull_json_put_u64(json, "wrote", r->wrote);
    lull_json_put_u64(json, "buffers", r->nbuffers);
    lull_json_put_u64(json, "differ", r->ndiffer);
    lull_json_put_u64(json, "near", r->nnear);
    if (!r->equal) {
        lull_json_put_hex(json, "address", r->va);
        lull_json_put_u64(json, "before", r->before);
        lull_json_put_u64(json, "driver", r->driver);
        lull_json_put_u64(json, "lull", r->lull);
        lull_json_put_u64(json, "values", r->nvalues);
        lull_json_put_u64(json, "floats", r->nfloats);
        lull_json_put_u64(json, "ulps", r->ulps);
    }
}

LULL_MUST_USE static struct lull_error *compare_one(struct lull_cmd *c,
                                                    const struct lull_source_options *o)
{
    lull_cleanup(lull_str_free) struct lull_str notes = {0};
    struct lull_source_result r = {0};
    struct lull_error *err = lull_source_compare(c->d, o, &notes, &r);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%s", lull_str_text(&notes));
    show_result(c, &r);
    if (c->json != NULL) {
        result_json(c->json, &r);
    }
    c->d->status = r.equal ? c->d->status : 1;
    return notes.err;
}

/** Each dispatch that comes, from the held one or the program's start on, to its end. */
LULL_MUST_USE static struct lull_error *compare_all(struct lull_cmd *c,
                                                    const struct lull_source_options *o)
{
    unsigned number = 0;
    struct lull_debug *d = c->d;
    struct lull_error *err = lull_debug_catch(d, LULL_CATCHPOINT_ALL, "", false, &number);
    if (err == NULL && !d->started) {
        err = lull_debug_start(d, false);
    }
    while (err == NULL && d->held) {
        lull_str_addf(c->out, "dispatch %" PRIu64 ": ", d->dispatch.number);
        struct lull_cmd quiet = *c;
        quiet.json = NULL;
        err = d->at_draw ? NULL : compare_one(&quiet, o);
        if (err != NULL && (lull_error_code(err) == LULL_ERR_UNSUPPORTED ||
                            lull_error_code(err) == LULL_ERR_NOT_FOUND)) {
            lull_str_addf(c->out, "not compared: %s\n", lull_error_message(err));
            lull_error_free(err);
            err = NULL;
        }
        err = err != NULL ? err : lull_debug_continue(d);
    }
    return err != NULL ? err : lull_debug_report(c);
}

LULL_MUST_USE static struct lull_error *compare(struct lull_cmd *c, const char *args)
{
    struct lull_source_options o = {0};
    const bool all = is_word(&args, "all");
    struct lull_error *err = NULL;
    while (err == NULL && is_word(&args, "--tolerance")) {
        err = tolerance_of(args, &o);
        args += strcspn(args, " ");
        args += strspn(args, " ");
    }
    err = err != NULL ? err : level_of(args, &o.level);
    if (err != NULL) {
        return err;
    }
    return all ? compare_all(c, &o) : compare_one(c, &o);
}

struct lull_error *lull_cmd_source(struct lull_cmd *c)
{
    const char *at = c->args;
    if (is_word(&at, "on")) {
        return on(c, at);
    }
    if (is_word(&at, "compare")) {
        return compare(c, at);
    }
    if (is_word(&at, "off") && *at == '\0') {
        struct lull_error *err = lull_source_off(c->d);
        if (err == NULL) {
            lull_str_addf(c->out, "The dispatch will run its own code.\n");
        }
        return err;
    }
    return lull_error_new(
        LULL_ERR_INVALID,
        "source on [-O0..3|g], off or compare [all] [--tolerance ulp:N|rel:X] [-O0..3|g]");
}
