// SPDX-License-Identifier: MIT
#include "cli/opt/check_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

struct lull_check_file_entry *lull_check_file_add(struct lull_check_file *f)
{
    struct lull_check_file_entry *more = realloc(f->entries, (f->n + 1) * sizeof *more);
    if (more == NULL) {
        return NULL;
    }
    f->entries = more;
    more[f->n] = (struct lull_check_file_entry){0};
    return &more[f->n++];
}

void lull_check_file_done(struct lull_check_file *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->entries[i].key);
        free(f->entries[i].text);
        for (unsigned k = 0; k < 2; k++) {
            free(f->entries[i].places[k].file);
            free(f->entries[i].places[k].name);
            free(f->entries[i].places[k].resource);
        }
    }
    free(f->entries);
}

static void text_of(struct lull_json *j, const char *key, const char *text)
{
    lull_json_key(j, key);
    lull_json_open(j, '{');
    lull_json_put_str(j, "text", text);
    lull_json_close(j, '}');
}

static void sarif_place(struct lull_json *j, const struct lull_check_file_place *p)
{
    lull_json_open(j, '{');
    if (p->file != NULL) {
        lull_json_key(j, "physicalLocation");
        lull_json_open(j, '{');
        lull_json_key(j, "artifactLocation");
        lull_json_open(j, '{');
        lull_json_put_str(j, "uri", p->file);
        lull_json_close(j, '}');
        lull_json_key(j, "region");
        lull_json_open(j, '{');
        lull_json_put_u64(j, "startLine", p->line);
        lull_json_close(j, '}');
        lull_json_close(j, '}');
    }
    lull_json_key(j, "logicalLocations");
    lull_json_open(j, '[');
    lull_json_open(j, '{');
    lull_json_put_str(j, "fullyQualifiedName", p->name);
    lull_json_close(j, '}');
    if (p->resource != NULL && p->resource[0] != '\0') {
        lull_json_open(j, '{');
        lull_json_put_str(j, "fullyQualifiedName", p->resource);
        lull_json_put_str(j, "kind", "resource");
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
    lull_json_close(j, '}');
}

static void sarif_result(struct lull_json *j, const struct lull_check_file_entry *e)
{
    lull_json_open(j, '{');
    lull_json_put_str(j, "ruleId", e->check);
    lull_json_put_str(j, "level", e->fact ? "note" : e->warning ? "warning" : "error");
    text_of(j, "message", e->text);
    lull_json_put_u64(j, "occurrenceCount", e->count > 0 ? e->count : 1);
    if (e->code_places > 1) {
        lull_json_key(j, "properties");
        lull_json_open(j, '{');
        lull_json_put_u64(j, "placesOfCode", e->code_places);
        lull_json_close(j, '}');
    }
    for (unsigned i = 0; i < 2 && i < e->nplaces; i++) {
        lull_json_key(j, i == 0 ? "locations" : "relatedLocations");
        lull_json_open(j, '[');
        sarif_place(j, &e->places[i]);
        lull_json_close(j, ']');
    }
    lull_json_key(j, "partialFingerprints");
    lull_json_open(j, '{');
    lull_json_put_str(j, "lullKey/v1", e->key);
    lull_json_close(j, '}');
    if (e->known) {
        lull_json_key(j, "suppressions");
        lull_json_open(j, '[');
        lull_json_open(j, '{');
        lull_json_put_str(j, "kind", "external");
        lull_json_close(j, '}');
        lull_json_close(j, ']');
    }
    lull_json_close(j, '}');
}

/** Source: OASIS, Static Analysis Results Interchange Format 2.1.0, sections 3.13 to 3.35. */
void lull_check_file_sarif(const struct lull_check_file *f, struct lull_str *out)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "version", "2.1.0");
    lull_json_key(&j, "runs");
    lull_json_open(&j, '[');
    lull_json_open(&j, '{');
    lull_json_key(&j, "tool");
    lull_json_open(&j, '{');
    lull_json_key(&j, "driver");
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "name", "lull");
    lull_json_key(&j, "rules");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < f->nchecks; i++) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "id", f->checks[i]);
        lull_json_close(&j, '}');
    }
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
    lull_json_close(&j, '}');
    lull_json_key(&j, "results");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < f->n; i++) {
        sarif_result(&j, &f->entries[i]);
    }
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
    lull_str_addf(out, "\n");
}

/** Text in XML; bytes that XML does not have become '?'. */
static void xml(struct lull_str *out, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        switch (*c) {
        case '&':
            lull_str_addf(out, "&amp;");
            break;
        case '<':
            lull_str_addf(out, "&lt;");
            break;
        case '>':
            lull_str_addf(out, "&gt;");
            break;
        case '"':
            lull_str_addf(out, "&quot;");
            break;
        case '\n':
            lull_str_addf(out, "&#10;");
            break;
        default:
            lull_str_addf(out, "%c", *c >= ' ' && *c < 0x7f ? *c : '?');
        }
    }
}

static void test_case(struct lull_str *out, const struct lull_check_file *f, const char *name)
{
    lull_str_addf(out, "  <testcase classname=\"");
    xml(out, f->program);
    lull_str_addf(out, "\" name=\"");
    xml(out, name);
    lull_str_addf(out, "\"");
}

/** A case for each finding, and one for each check without any. Warnings and what is known are
 * skipped. */
void lull_check_file_junit(const struct lull_check_file *f, struct lull_str *out)
{
    size_t cases = f->n, failed = 0, skipped = 0;
    bool silent[sizeof f->checks / sizeof f->checks[0]];
    for (size_t i = 0; i < f->nchecks; i++) {
        silent[i] = true;
        for (size_t k = 0; k < f->n; k++) {
            silent[i] = silent[i] && strcmp(f->entries[k].check, f->checks[i]) != 0;
        }
        cases += silent[i];
    }
    for (size_t k = 0; k < f->n; k++) {
        const bool skip = f->entries[k].warning || f->entries[k].known;
        skipped += skip;
        failed += !skip;
    }
    lull_str_addf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"lull --check\" "
                  "tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
                  cases, failed, skipped);
    for (size_t i = 0; i < f->nchecks; i++) {
        if (silent[i]) {
            test_case(out, f, f->checks[i]);
            lull_str_addf(out, "/>\n");
        }
    }
    for (size_t k = 0; k < f->n; k++) {
        const struct lull_check_file_entry *e = &f->entries[k];
        const bool skip = e->warning || e->known;
        test_case(out, f, e->key);
        lull_str_addf(out, ">\n    <%s message=\"", skip ? "skipped" : "failure");
        xml(out, e->known ? "known" : e->kind);
        lull_str_addf(out, "\">");
        xml(out, e->text);
        lull_str_addf(out, "</%s>\n  </testcase>\n", skip ? "skipped" : "failure");
    }
    lull_str_addf(out, "</testsuite>\n");
}
