// SPDX-License-Identifier: MIT
// lull ir3 records: what an instrumented shader has written.
#include "cli/adreno/ir3_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/adreno/ir3_instrument.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"

enum { CHUNK = 1 << 16 };

/** A buffer, and what is in it. */
struct one {
    const char *path, *manifest_path;
    char *beside; ///< `path`, if it was not given; owned.
    char *bytes, *text;
    struct lull_manifest manifest;
    struct lull_dump dump;
};

struct args {
    struct one one, other;
    const char *sqlite, *html;
    bool json, nan, some;
    uint32_t first, last;
};

LULL_MUST_USE static struct lull_error *invocations(void *base, const struct lull_opt *o,
                                                    const char *value)
{
    struct args *a = base;
    char end = 0;
    const int n = sscanf(value, "%" SCNu32 "-%" SCNu32 "%c", &a->first, &a->last, &end);
    a->some = true;
    a->last = n == 1 ? a->first : a->last;
    const bool ok = value[strspn(value, "0123456789-")] == '\0' && n >= 1 && n <= 2;
    return ok && a->first <= a->last
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not N or N-M", o->name, value);
}

static const struct lull_opt opts[] = {
    {"--invocations", NULL, "N[-M]", "records of these alone", LULL_OPT_CALL, .call = invocations},
    {"--first-nan", NULL, NULL,
     "the first record with a float instruction that writes what is not a number", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, nan)},
    {"--diff", NULL, "BUFFER", "the first record in which this one differs", LULL_OPT_IN,
     LULL_OPT_AT(struct args, other.path)},
    {"--diff-manifest", NULL, "FILE", "the other one's manifest; the same if not given",
     LULL_OPT_IN, LULL_OPT_AT(struct args, other.manifest_path)},
    {"--sqlite", NULL, "FILE", "all records as a database, instead of text", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, sqlite)},
    {"--html", NULL, "FILE",
     "a page with the instructions, the values of each over invocations, and the first that is\n"
     "not a number",
     LULL_OPT_OUT, LULL_OPT_AT(struct args, html)},
    {"--json", NULL, NULL, "records as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {"MANIFEST", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, one.manifest_path),
     .flags = LULL_OPT_NEEDED},
    {"BUFFER", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, one.path)},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

/** NAME.bin for NAME.records, as --records of lull exec and lull replay write it. */
LULL_MUST_USE static struct lull_error *beside(struct one *o)
{
    static const char end[] = ".records";
    const size_t size = strlen(o->manifest_path), n = sizeof end - 1;
    struct lull_str path = {0};
    if (size <= n || strcmp(o->manifest_path + size - n, end) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s: BUFFER is needed: the name does not end in %s",
                              o->manifest_path, end);
    }
    lull_str_addf(&path, "%.*s.bin", (int)(size - n), o->manifest_path);
    o->path = o->beside = path.err == NULL ? strdup(lull_str_text(&path)) : NULL;
    lull_str_free(&path);
    return o->path != NULL ? NULL : &lull_enomem;
}

LULL_MUST_USE static struct lull_error *load(struct one *o)
{
    size_t size = 0;
    struct lull_error *err = o->path == NULL ? beside(o) : NULL;
    err = err != NULL ? err : lull_input_read(o->manifest_path, &o->text, &size);
    if (err == NULL) {
        err =
            lull_error_in(lull_manifest_read(o->text, size, &o->manifest), "%s", o->manifest_path);
    }
    err = err != NULL ? err : lull_input_read(o->path, &o->bytes, &size);
    return err != NULL
               ? err
               : lull_error_in(lull_dump_of(&o->manifest, o->bytes, size, &o->dump), "%s", o->path);
}

static void unload(struct one *o)
{
    lull_dump_done(&o->dump);
    lull_manifest_done(&o->manifest);
    free(o->bytes);
    free(o->text);
    free(o->beside);
}

static void put_values(const struct lull_dump *d, const struct lull_dump_record *r, bool dst,
                       struct lull_json *j)
{
    const struct lull_recorded *i = &d->m->all[r->insn];
    const uint32_t first = dst ? 0 : i->ndst, end = dst ? i->ndst : i->ndst + i->nsrc;
    lull_json_key(j, dst ? "dst" : "src");
    lull_json_open(j, '[');
    for (uint32_t k = first; k < end; k++) {
        lull_json_open(j, '{');
        lull_json_put_str(j, "name", i->names[k]);
        lull_json_put_u64(j, "bits", lull_dump_value(d, r, k));
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
}

void lull_records_put(const struct lull_dump *d, const struct lull_dump_record *r,
                      struct lull_json *j)
{
    lull_json_open(j, '{');
    lull_json_put_u64(j, "invocation", r->invocation);
    lull_json_put_u64(j, "instruction", r->insn);
    lull_json_put_u64(j, "at", d->m->all[r->insn].at);
    lull_json_put_str(j, "text", d->m->all[r->insn].text);
    put_values(d, r, true, j);
    put_values(d, r, false, j);
    lull_json_close(j, '}');
}

/** Print what there is if it is much, or at the end. */
LULL_MUST_USE static struct lull_error *flush(struct lull_str *out, bool all)
{
    if (out->err == NULL && (all || out->size > CHUNK)) {
        fputs(lull_str_text(out), stdout);
        out->size = 0;
    }
    return out->err;
}

LULL_MUST_USE static struct lull_error *show(struct args *a)
{
    struct lull_dump *d = &a->one.dump;
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    struct lull_error *err = NULL;
    lull_dump_sort(d);
    if (a->json) {
        lull_json_open(&j, '{');
        lull_json_put_u64(&j, "written", d->written);
        lull_json_put_u64(&j, "invocations", d->invocations);
        lull_json_put_u64(&j, "missing", d->missing);
        lull_json_put_u64(&j, "sliceless", d->sliceless);
        lull_json_key(&j, "records");
        lull_json_open(&j, '[');
    } else {
        lull_str_addf(&out, "Data written %" PRIu64 "\nInvocations %" PRIu32 "\n", d->written,
                      d->invocations);
    }
    for (size_t i = 0; err == NULL && i < d->n; i++) {
        const struct lull_dump_record *r = &d->all[i];
        if (a->some && (r->invocation < a->first || r->invocation > a->last)) {
            continue;
        } else if (a->json) {
            lull_records_put(d, r, &j);
        } else {
            lull_dump_print(d, r, &out);
        }
        err = flush(&out, false);
    }
    if (a->json) {
        lull_json_close(&j, ']');
        lull_json_close(&j, '}');
        lull_str_addf(&out, "\n");
    }
    err = err != NULL ? err : flush(&out, true);
    lull_str_free(&out);
    return err;
}

LULL_MUST_USE static struct lull_error *first_nan(const struct args *a, int *status)
{
    const struct lull_dump *d = &a->one.dump;
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    size_t at = 0;
    uint32_t value = 0;
    const bool found = lull_dump_nan(d, &at, &value);
    if (a->json) {
        lull_json_open(&j, '{');
        lull_json_key(&j, "record");
        if (found) {
            lull_records_put(d, &d->all[at], &j);
            lull_json_put_str(&j, "name", d->m->all[d->all[at].insn].names[value]);
        } else {
            lull_json_null(&j);
        }
        lull_json_close(&j, '}');
        lull_str_addf(&out, "\n");
    } else if (found) {
        lull_str_addf(&out, "%s is not a number, the first of %zu records:\n",
                      d->m->all[d->all[at].insn].names[value], d->n);
        lull_dump_print(d, &d->all[at], &out);
    } else {
        lull_str_addf(&out, "no float instruction of %zu records writes what is not a number\n",
                      d->n);
    }
    *status = found ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    struct lull_error *err = flush(&out, true);
    lull_str_free(&out);
    return err;
}

static void put_side(const struct one *o, size_t at, bool json, struct lull_str *out,
                     struct lull_json *j)
{
    const struct lull_dump *d = &o->dump;
    if (json && at < d->n) {
        lull_records_put(d, &d->all[at], j);
    } else if (json) {
        lull_json_null(j);
    } else if (at < d->n) {
        lull_str_addf(out, "%s\n", o->path);
        lull_dump_print(d, &d->all[at], out);
    } else {
        lull_str_addf(out, "%s\nno more records\n", o->path);
    }
}

LULL_MUST_USE static struct lull_error *diff(struct args *a, int *status)
{
    const struct lull_dump *x = &a->one.dump, *y = &a->other.dump;
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    size_t at = 0;
    uint32_t value = 0;
    lull_dump_sort(&a->one.dump);
    lull_dump_sort(&a->other.dump);
    const bool found = lull_dump_differ(x, y, &at, &value);
    const char *name =
        found && value != UINT32_MAX ? x->m->all[x->all[at].insn].names[value] : NULL;
    *status = found ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    if (a->json) {
        lull_json_open(&j, '{');
        lull_json_put_bool(&j, "differ", found);
        lull_json_key(&j, "records");
        lull_json_open(&j, '[');
    } else if (!found) {
        lull_str_addf(&out, "%zu records, all the same\n", x->n);
    } else {
        lull_str_addf(&out, "the first difference is record %zu%s%s\n", at,
                      name != NULL ? ": " : "", name != NULL ? name : "");
    }
    if (found) {
        put_side(&a->one, at, a->json, &out, &j);
        put_side(&a->other, at, a->json, &out, &j);
    }
    if (a->json) {
        lull_json_close(&j, ']');
        lull_json_close(&j, '}');
        lull_str_addf(&out, "\n");
    }
    struct lull_error *err = flush(&out, true);
    lull_str_free(&out);
    return err;
}

LULL_MUST_USE static struct lull_error *page(struct args *a)
{
    struct lull_dump *d = &a->one.dump;
    struct lull_records_page p = {.first = a->first, .last = a->last};
    size_t at = 0;
    p.nan = lull_dump_nan(d, &at, &p.nan_value);
    p.nan_at = p.nan ? d->all[at].at : 0;
    lull_dump_sort(d);
    return lull_ir3_records_html(d, &p, a->html);
}

LULL_MUST_USE static struct lull_error *tell(struct args *a, int *status)
{
    const struct lull_dump *d = &a->one.dump;
    if (d->missing != 0) {
        fprintf(stderr,
                "lull ir3: %s: %" PRIu64 " bytes of records are missing: there was room for %u%s\n",
                a->one.path, d->missing, d->m->slice != 0 ? d->m->slice : d->m->room,
                d->m->slice != 0 ? " of each invocation" : "");
        *status = LULL_EXIT_FINDINGS;
    }
    if (d->sliceless != 0) {
        fprintf(stderr,
                "lull ir3: %s: records of %" PRIu32 " invocations are missing: there were slices "
                "for %" PRIu32 "\n",
                a->one.path, d->sliceless, lull_manifest_slices(d->m));
        *status = LULL_EXIT_FINDINGS;
    }
    if (a->html != NULL) {
        return page(a);
    } else if (a->sqlite != NULL) {
        return lull_ir3_records_sql(d, a->sqlite);
    } else if (a->nan) {
        return first_nan(a, status);
    } else if (a->other.path != NULL) {
        return diff(a, status);
    }
    return show(a);
}

struct lull_error *lull_ir3_records_show(const char *manifest, const char *buffer)
{
    struct args a = {.one = {.manifest_path = manifest, .path = buffer}, .last = UINT32_MAX};
    int status = 0;
    struct lull_error *err = load(&a.one);
    err = err != NULL ? err : tell(&a, &status);
    unload(&a.one);
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.last = UINT32_MAX};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    const int files = (a.sqlite != NULL) + (a.html != NULL);
    const int kinds = files + a.nan + (a.other.path != NULL);
    if (err == NULL && (kinds > 1 || (files > 0 && a.json))) {
        err = lull_error_new(LULL_ERR_INVALID, "one of --sqlite, --html, --first-nan and --diff");
    }
    if (err == NULL && a.other.path == NULL && a.other.manifest_path != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "--diff-manifest needs --diff");
    }
    err = err != NULL ? err : load(&a.one);
    if (err == NULL && a.other.path != NULL) {
        a.other.manifest_path =
            a.other.manifest_path != NULL ? a.other.manifest_path : a.one.manifest_path;
        err = load(&a.other);
    }
    err = err != NULL ? err : tell(&a, status);
    unload(&a.one);
    unload(&a.other);
    return err;
}

const struct lull_form lull_ir3_records_form = {
    .word = "records",
    .about = "records shows what a shader of instrument has written: for each record invocation, "
             "instruction, destinations and sources. BUFFER is NAME.bin for NAME.records if it is "
             "not given.",
    .groups = groups,
    .after = "Exit status 1: records are missing, --diff and --first-nan have found something.",
    .run = run,
};
