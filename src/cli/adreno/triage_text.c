// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "cli/adreno/triage.h"

enum { DATE = 32, SOME = 3, MANY = 20 };

/** What of a group is shown: a fact, and what it is called. */
static const struct {
    enum lull_crash_fact fact;
    const char *title;
} shown[] = {
    {LULL_CRASH_LOCATION, "at"},     {LULL_CRASH_SURE, "sure"},     {LULL_CRASH_WAITS, "waits"},
    {LULL_CRASH_FAULTED, "fault"},   {LULL_CRASH_DRAW, "draw"},     {LULL_CRASH_SHADERS, "shaders"},
    {LULL_CRASH_PROCESS, "process"}, {LULL_CRASH_KERNEL, "kernel"}, {LULL_CRASH_GPU, "gpu"},
};

static const char *fact(const struct lull_triage_file *f, enum lull_crash_fact which)
{
    return f->facts[which] != NULL ? f->facts[which] : "";
}

bool lull_triage_times(const struct lull_triage *t, const struct lull_triage_group *g,
                       uint64_t *first, uint64_t *last)
{
    bool any = false;
    for (size_t i = 0; i < g->count; i++) {
        const char *text = fact(&t->files[g->first + i], LULL_CRASH_TIME);
        const uint64_t at = text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : 0;
        if (at == 0 || at > INT64_MAX) {
            continue;
        }
        *first = !any || at < *first ? at : *first;
        *last = !any || at > *last ? at : *last;
        any = true;
    }
    return any;
}

void lull_triage_date(uint64_t seconds, char *ret, size_t room)
{
    const time_t at = (time_t)seconds;
    struct tm tm = {0};
    ret[0] = '\0';
    if (gmtime_r(&at, &tm) != NULL) {
        (void)strftime(ret, room, "%Y-%m-%d %H:%M:%S", &tm);
    }
}

struct value {
    const char *text;
    size_t n;
};

static int by_text(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    return strcmp(x->text, y->text);
}

static int by_number(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->text, y->text);
}

/** The values of a fact and how many files have each, most first. @return How many; free @p ret. */
static size_t values(const struct lull_triage *t, const struct lull_triage_group *g,
                     enum lull_crash_fact which, struct value **ret)
{
    struct value *v = calloc(g->count, sizeof *v);
    size_t n = 0;
    *ret = v;
    if (v == NULL) {
        return 0;
    }
    for (size_t i = 0; i < g->count; i++) {
        v[i] = (struct value){fact(&t->files[g->first + i], which), 1};
    }
    qsort(v, g->count, sizeof *v, by_text);
    for (size_t i = 0; i < g->count; i++) {
        if (n != 0 && strcmp(v[n - 1].text, v[i].text) == 0) {
            v[n - 1].n++;
        } else {
            v[n++] = v[i];
        }
    }
    qsort(v, n, sizeof *v, by_number);
    return n;
}

void lull_triage_values(const struct lull_triage *t, const struct lull_triage_group *g,
                        enum lull_crash_fact which, size_t most, struct lull_str *out)
{
    struct value *v = NULL;
    const size_t n = values(t, g, which, &v);
    for (size_t i = 0; i < n && i < most; i++) {
        if (v[i].text[0] == '\0' && n == 1) {
            break;
        }
        lull_str_addf(out, "%s%s", i != 0 ? "; " : "", v[i].text[0] != '\0' ? v[i].text : "none");
        if (n > 1) {
            lull_str_addf(out, " (%zu)", v[i].n);
        }
    }
    if (n > most) {
        lull_str_addf(out, "; and %zu others", n - most);
    }
    free(v);
}

static void counts(const struct lull_triage *t, struct lull_str *out)
{
    lull_str_addf(out, "%zu dump%s in %zu group%s", t->first_damaged,
                  t->first_damaged == 1 ? "" : "s", t->ngroups, t->ngroups == 1 ? "" : "s");
    if (t->first_other != t->first_damaged) {
        lull_str_addf(out, ", %zu damaged", t->first_other - t->first_damaged);
    }
    if (t->nfiles != t->first_other) {
        lull_str_addf(out, ", %zu no crash dumps", t->nfiles - t->first_other);
    }
}

/** Names of files come from others: nothing of them may move the cursor. */
static void path(const char *text, struct lull_str *out)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        lull_str_addf(out, c >= ' ' && c != 0x7f ? "%c" : "\\x%02x", c);
    }
}

static void files_text(const struct lull_triage *t, size_t from, size_t to, const char *title,
                       struct lull_str *out)
{
    if (from != to) {
        lull_str_addf(out, "\n%s\n", title);
    }
    for (size_t i = from; i < to; i++) {
        lull_str_addf(out, "  ");
        path(t->files[i].path, out);
        lull_str_addf(out, t->files[i].error != NULL ? ": " : "\n");
        if (t->files[i].error != NULL) {
            path(t->files[i].error, out);
            lull_str_addf(out, "\n");
        }
    }
}

void lull_triage_text(const struct lull_triage *t, struct lull_str *out)
{
    counts(t, out);
    lull_str_addf(out, "\n");
    for (size_t i = 0; i < t->ngroups; i++) {
        const struct lull_triage_group *g = &t->groups[i];
        uint64_t first = 0, last = 0;
        lull_str_addf(out, "\n%5zu  %s\n", g->count,
                      fact(&t->files[g->first], LULL_CRASH_FACT_SIGNATURE));
        if (lull_triage_times(t, g, &first, &last)) {
            char from[DATE], to[DATE];
            lull_triage_date(first, from, sizeof from);
            lull_triage_date(last, to, sizeof to);
            lull_str_addf(out, "       when     %s", from);
            lull_str_addf(out, first != last ? " to %s" : "%s", first != last ? to : "");
            lull_str_addf(out, "\n");
        }
        for (size_t j = 0; j < sizeof shown / sizeof shown[0]; j++) {
            struct lull_str text = {0};
            lull_triage_values(t, g, shown[j].fact, SOME, &text);
            if (text.size != 0) {
                lull_str_addf(out, "       %-8s %s\n", shown[j].title, lull_str_text(&text));
            }
            lull_str_free(&text);
        }
        lull_str_addf(out, "       example  ");
        path(t->files[g->first].path, out);
        lull_str_addf(out, "\n");
    }
    files_text(t, t->first_damaged, t->first_other, "damaged, and in no group:", out);
    files_text(t, t->first_other, t->nfiles, "no crash dumps of an Adreno GPU:", out);
}

static void files_json(const struct lull_triage *t, size_t from, size_t to, const char *key,
                       struct lull_json *j)
{
    lull_json_key(j, key);
    lull_json_open(j, '[');
    for (size_t i = from; i < to; i++) {
        lull_json_open(j, '{');
        lull_json_put_str(j, "file", t->files[i].path);
        if (t->files[i].error != NULL) {
            lull_json_put_str(j, "error", t->files[i].error);
        }
        for (int f = 0; f < LULL_CRASH_NFACTS; f++) {
            if (f != LULL_CRASH_SURE && fact(&t->files[i], (enum lull_crash_fact)f)[0] != '\0') {
                lull_json_put_str(j, lull_crash_fact_names[f], t->files[i].facts[f]);
            }
        }
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
}

void lull_triage_json(const struct lull_triage *t, struct lull_str *out)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    lull_json_put_u64(&j, "dumps", t->first_damaged);
    lull_json_key(&j, "groups");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < t->ngroups; i++) {
        const struct lull_triage_group *g = &t->groups[i];
        uint64_t first = 0, last = 0;
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "id", g->id);
        lull_json_put_str(&j, "signature", fact(&t->files[g->first], LULL_CRASH_FACT_SIGNATURE));
        lull_json_put_u64(&j, "dumps", g->count);
        if (lull_triage_times(t, g, &first, &last)) {
            lull_json_put_u64(&j, "first_time", first);
            lull_json_put_u64(&j, "last_time", last);
        }
        lull_json_put_str(&j, "example", t->files[g->first].path);
        files_json(t, g->first, g->first + g->count, "files", &j);
        lull_json_close(&j, '}');
    }
    lull_json_close(&j, ']');
    files_json(t, t->first_damaged, t->first_other, "damaged", &j);
    files_json(t, t->first_other, t->nfiles, "no_dumps", &j);
    lull_json_close(&j, '}');
    lull_str_addf(out, "\n");
}

static void cell(const char *tag, const char *class, const char *text, struct lull_str *out)
{
    lull_str_addf(out, class != NULL ? "<%s class=\"%s\">" : "<%s>", tag, class);
    lull_str_page(out, text);
    lull_str_addf(out, "</%s>", tag);
}

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Adreno crash dumps</title>\n<style>\n"
    ":root{color-scheme:light dark;--line:#d0d4da;--soft:#f3f5f8;--bar:#5b8def;--bad:#b3261e}\n"
    "@media(prefers-color-scheme:dark){:root{--line:#3a3f47;--soft:#23272e;--bar:#4c74c9;"
    "--bad:#ff8a80}}\n"
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem}\n"
    "h1{font-size:1.5rem;margin-bottom:0}h2{font-size:1.15rem;margin-top:2.2rem}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid "
    "var(--line)}\n"
    "thead th{background:var(--soft);cursor:pointer;white-space:nowrap;user-select:none}\n"
    "thead th[aria-sort=ascending]::after{content:' \\25b2'}\n"
    "thead th[aria-sort=descending]::after{content:' \\25bc'}\n"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}td.d{white-space:nowrap}\n"
    "code,.m{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}\n"
    ".bar{background:var(--bar);height:.35rem;margin-top:.25rem;border-radius:2px}\n"
    "section{border:1px solid var(--line);border-radius:6px;padding:.2rem 1rem 1rem;margin:1rem "
    "0}\n"
    "section th{width:7rem;font-weight:600;background:none}.bad{color:var(--bad)}\n"
    "input{font:inherit;padding:.3rem .5rem;width:20rem;max-width:100%;margin:.8rem 0}\n"
    "summary{cursor:pointer;margin-top:.6rem}\n</style></head><body>\n";

static const char page_script[] =
    "<script>\n"
    "const table=document.getElementById('groups'),body=table.tBodies[0];\n"
    "table.tHead.querySelectorAll('th').forEach((th,i)=>{const go=()=>{\n"
    " const up=th.getAttribute('aria-sort')==='descending';\n"
    " table.tHead.querySelectorAll('th').forEach(o=>o.removeAttribute('aria-sort'));\n"
    " th.setAttribute('aria-sort',up?'ascending':'descending');\n"
    " const key=r=>r.cells[i].dataset.k??r.cells[i].textContent;\n"
    " const rows=[...body.rows];\n"
    " rows.sort((a,b)=>{const x=key(a),y=key(b),n=th.dataset.n?x-y:x.localeCompare(y);"
    "return up?n:-n});\n"
    " body.append(...rows)};\n"
    " th.tabIndex=0;th.addEventListener('click',go);\n"
    " th.addEventListener('keydown',e=>{if(e.key==='Enter')go()})});\n"
    "document.getElementById('filter').addEventListener('input',e=>{\n"
    " const want=e.target.value.toLowerCase();\n"
    " [...body.rows].forEach(r=>{r.hidden=!r.textContent.toLowerCase().includes(want)});\n"
    " document.querySelectorAll('section').forEach(s=>{"
    "s.hidden=!s.textContent.toLowerCase().includes(want)})});\n"
    "</script>\n";

static void times(const struct lull_triage *t, const struct lull_triage_group *g, bool last,
                  struct lull_str *out)
{
    uint64_t from = 0, to = 0;
    char date[DATE] = "";
    if (lull_triage_times(t, g, &from, &to)) {
        lull_triage_date(last ? to : from, date, sizeof date);
    }
    lull_str_addf(out, "<td class=\"d\" data-k=\"%s\">%s</td>", date, date);
}

static void overview(const struct lull_triage *t, struct lull_str *out)
{
    lull_str_addf(out, "<input id=\"filter\" type=\"search\" placeholder=\"show only groups with "
                       "...\" aria-label=\"show only groups with\">\n"
                       "<table id=\"groups\"><thead><tr><th data-n=\"1\" "
                       "aria-sort=\"descending\">dumps</th><th>signature</th><th>first</th>"
                       "<th>last</th><th>example</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < t->ngroups; i++) {
        const struct lull_triage_group *g = &t->groups[i];
        lull_str_addf(out,
                      "<tr><td class=\"n\" data-k=\"%zu\">%zu<div class=\"bar\" "
                      "style=\"width:%zu%%\"></div></td><td class=\"m\"><a href=\"#g%s\">",
                      g->count, g->count, 1 + g->count * 99 / t->groups[0].count, g->id);
        lull_str_page(out, fact(&t->files[g->first], LULL_CRASH_FACT_SIGNATURE));
        lull_str_addf(out, "</a></td>");
        times(t, g, false, out);
        times(t, g, true, out);
        cell("td", "m", t->files[g->first].path, out);
        lull_str_addf(out, "</tr>\n");
    }
    lull_str_addf(out, "</tbody></table>\n");
}

static void packets(const struct lull_triage_file *f, struct lull_str *out)
{
    const char *at = fact(f, LULL_CRASH_BEFORE);
    if (at[0] == '\0') {
        return;
    }
    lull_str_addf(out, "<tr><th>before</th><td class=\"m\">");
    while (*at != '\0') {
        const char *end = strstr(at, "; ");
        struct lull_str one = {0};
        lull_str_add(&one, at, end != NULL ? (size_t)(end - at) : strlen(at));
        lull_str_page(out, lull_str_text(&one));
        lull_str_addf(out, end != NULL ? "<br>" : "");
        lull_str_free(&one);
        at = end != NULL ? end + 2 : "";
    }
    lull_str_addf(out, "</td></tr>\n");
}

static void detail(const struct lull_triage *t, const struct lull_triage_group *g,
                   struct lull_str *out)
{
    lull_str_addf(out, "<section id=\"g%s\"><h2>%zu dumps, group %s</h2><p class=\"m\">", g->id,
                  g->count, g->id);
    lull_str_page(out, fact(&t->files[g->first], LULL_CRASH_FACT_SIGNATURE));
    lull_str_addf(out, "</p>\n<table>\n");
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        struct lull_str text = {0};
        lull_triage_values(t, g, shown[i].fact, MANY, &text);
        if (text.size != 0) {
            lull_str_addf(out, "<tr><th>%s</th>", shown[i].title);
            cell("td", "m", lull_str_text(&text), out);
            lull_str_addf(out, "</tr>\n");
        }
        lull_str_free(&text);
    }
    packets(&t->files[g->first], out);
    lull_str_addf(out, "<tr><th>example</th>");
    cell("td", "m", t->files[g->first].path, out);
    lull_str_addf(out, "</tr></table>\n<details><summary>all files</summary><ul class=\"m\">\n");
    for (size_t i = 0; i < g->count; i++) {
        cell("li", NULL, t->files[g->first + i].path, out);
        lull_str_addf(out, "\n");
    }
    lull_str_addf(out, "</ul></details></section>\n");
}

static void files_html(const struct lull_triage *t, size_t from, size_t to, const char *title,
                       struct lull_str *out)
{
    if (from == to) {
        return;
    }
    lull_str_addf(out,
                  "<h2>%s</h2>\n<table><thead><tr><th>file</th><th>why</th></tr></thead>"
                  "<tbody>\n",
                  title);
    for (size_t i = from; i < to; i++) {
        lull_str_addf(out, "<tr>");
        cell("td", "m", t->files[i].path, out);
        cell("td", "bad", t->files[i].error != NULL ? t->files[i].error : "no revision in it", out);
        lull_str_addf(out, "</tr>\n");
    }
    lull_str_addf(out, "</tbody></table>\n");
}

void lull_triage_html(const struct lull_triage *t, struct lull_str *out)
{
    lull_str_addf(out, "%s<h1>Adreno crash dumps</h1>\n<p>", page_head);
    counts(t, out);
    lull_str_addf(out, ". Dumps of a group have the same signature, which has no address, time or "
                       "kernel in it. A heading sorts.</p>\n");
    overview(t, out);
    for (size_t i = 0; i < t->ngroups; i++) {
        detail(t, &t->groups[i], out);
    }
    files_html(t, t->first_damaged, t->first_other, "Damaged, and in no group", out);
    files_html(t, t->first_other, t->nfiles, "No crash dumps of an Adreno GPU", out);
    lull_str_addf(out, "%s</body></html>\n", page_script);
}
