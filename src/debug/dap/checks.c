// SPDX-License-Identifier: MIT
// Checks as filters of exceptions.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"

static const struct {
    const char *name, *label, *text;
} checks[] = {
    {"check-barrier", "Check: barrier", "Not all work-items of a workgroup come to one barrier"},
    {"check-bounds", "Check: bounds", "An access outside of buffers, descriptors or local memory"},
    {"check-divzero", "Check: integer division by zero", "Its result is used"},
    {"check-hazards", "Check: hazards", "A wait that the code leaves out"},
    {"check-index", "Check: index", "An index outside of an array, a vector or a matrix"},
    {"check-nan", "Check: NaN", "A NaN that the program makes and stores"},
    {"check-overflow", "Check: overflow", "Signed integers of OpenCL C overflow"},
    {"check-race", "Check: race", "Accesses that nothing orders"},
    {"check-uninit", "Check: uninitialised",
     "What nothing wrote decides a branch, an address or what is stored"},
};

enum { NCHECKS = sizeof checks / sizeof checks[0], PREFIX = 6 };

void lull_dap_check_filters(json_t *list)
{
    for (size_t i = 0; i < NCHECKS; i++) {
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:b,s:b}", "filter", checks[i].name, "label",
                                        checks[i].label, "description", checks[i].text, "default",
                                        0, "supportsCondition", 0));
    }
}

const char *lull_dap_check_of(const char *filter)
{
    for (size_t i = 0; filter != NULL && i < NCHECKS; i++) {
        if (strcmp(filter, checks[i].name) == 0) {
            return checks[i].name + PREFIX;
        }
    }
    return NULL;
}

/** Is @p name one of @p names, a list with commas? NULL: an empty one. */
static bool is_in(const char *names, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = names; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, ",");
        if (n == size && strncmp(at, name, n) == 0) {
            return true;
        }
        at += n + (at[n] == ',');
    }
    return false;
}

/** The checks among the filters of a request, with commas. */
static void wanted(const json_t *args, struct lull_str *out)
{
    const char *const keys[] = {"filters", "filterOptions"};
    for (size_t k = 0; k < 2; k++) {
        const json_t *list = json_object_get(args, keys[k]), *v = NULL;
        size_t i = 0;
        json_array_foreach(list, i, v)
        {
            const char *name =
                lull_dap_check_of(k == 0 ? json_string_value(v) : lull_dap_text(v, "filterId"));
            if (name != NULL && !is_in(lull_str_text(out), name)) {
                lull_str_addf(out, "%s%s", out->size != 0 ? "," : "", name);
            }
        }
    }
}

bool lull_dap_more_checks(struct lull_dap *p, const json_t *args)
{
    lull_cleanup(lull_str_free) struct lull_str names = {0};
    wanted(args, &names);
    free(p->stops);
    p->stops = strdup(lull_str_text(&names));
    bool more = false;
    for (size_t i = 0; i < NCHECKS; i++) {
        const char *name = checks[i].name + PREFIX;
        more = more || (is_in(p->stops, name) && !is_in(p->checks, name));
    }
    return more;
}

bool lull_dap_is_checked(const struct lull_dap *p, const char *name)
{
    return is_in(p->checks, name);
}

void lull_dap_stop_for_checks(struct lull_dap *p)
{
    if (p->d != NULL && p->d->check_only != NULL) {
        p->d->check_only(p->d->run_ctx, p->checks != NULL ? p->checks : "",
                         p->stops != NULL ? p->stops : "");
    }
}
