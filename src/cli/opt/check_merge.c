// SPDX-License-Identifier: MIT
#include "cli/opt/check_merge.h"

#include <stdlib.h>
#include <string.h>

#include "cli/opt/check_names.h"

/** `stores out`: the verb, and the argument of a kernel that is nearest. */
static void add_what(const struct lull_check_objects *objects, const struct lull_check_site *at,
                     struct lull_str *to)
{
    const struct lull_check_object *near =
        at->touched.there
            ? lull_check_object_near(objects->memory, objects->nmemory, at->touched.address)
            : NULL;
    const char *does = at->does != NULL ? at->does : "";
    lull_str_addf(to, "%.*s %s ", (int)strcspn(does, " "), does,
                  near != NULL && near->name != NULL ? near->name : "");
}

/** What findings that are one have in common, for free(); NULL: a line is not known, or there is no
 * memory. */
static char *common(const struct lull_check_objects *objects, const struct lull_finding *f,
                    const struct lull_check_code *code, const struct lull_check_lines_fn *line_of)
{
    struct lull_str s = {0};
    bool known = !f->fact;
    lull_str_addf(&s, "%s %s %d", f->check, f->what, f->warning);
    for (unsigned i = 0; known && i < 2 && f->sites[i].there; i++) {
        const struct lull_check_site *at = &f->sites[i];
        struct lull_line line = {0};
        known = !at->call && line_of->of(code, at, &line);
        if (known) {
            lull_str_addf(&s, "\n%s %u %s ", line.file, line.line,
                          at->stage != NULL ? at->stage : "");
            add_what(objects, at, &s);
            lull_check_names_bound(code->api, at, &s);
        }
    }
    char *text = known && s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

struct lull_check_merged *lull_check_merge(const struct lull_check *c,
                                           const struct lull_check_code *code,
                                           const struct lull_check_lines_fn *line)
{
    const size_t n = lull_checks_count(c->checks);
    struct lull_check_merged *all = calloc(n + 1, sizeof *all);
    char **text = calloc(n + 1, sizeof *text);
    for (size_t i = 0; all != NULL && text != NULL && i < n; i++) {
        const struct lull_finding *f = lull_checks_at(c->checks, i);
        text[i] = common(&c->objects, f, code, line);
        all[i] = (struct lull_check_merged){.first = i, .places = 1, .count = f->count};
        for (size_t k = 0; text[i] != NULL && k < i; k++) {
            if (all[k].first == k && text[k] != NULL && strcmp(text[k], text[i]) == 0) {
                all[i].first = k;
                all[k].places++;
                all[k].count += f->count;
                break;
            }
        }
    }
    const bool good = all != NULL && text != NULL && n != 0;
    for (size_t i = 0; text != NULL && i < n; i++) {
        free(text[i]);
    }
    free(text);
    if (!good) {
        free(all);
    }
    return good ? all : NULL;
}
