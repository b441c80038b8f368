// SPDX-License-Identifier: MIT
#include "isa/ir3/assume.h"

#include <string.h>

static void add_values(const struct lull_ir3_assume_row *r, struct lull_str *out)
{
    for (unsigned i = 0; i < LULL_IR3_ASSUME_VALUES && r->values[i] != NULL; i++) {
        lull_str_addf(out, "%s%s", i > 0 ? ", " : "", r->values[i]);
    }
}

LULL_MUST_USE static struct lull_error *no_value(const struct lull_ir3_assume_row *r,
                                                 const char *text)
{
    struct lull_str all = {0};
    add_values(r, &all);
    struct lull_error *err = lull_error_new(LULL_ERR_INVALID, "%s: %s has the values %s", text,
                                            r->name, lull_str_text(&all));
    lull_str_free(&all);
    return err;
}

LULL_MUST_USE static struct lull_error *no_name(const char *text)
{
    struct lull_str all = {0};
    for (unsigned i = 0; i < LULL_IR3_NASSUME; i++) {
        lull_str_addf(&all, "%s%s", i > 0 ? ", " : "", lull_ir3_assume_rows[i].name);
    }
    struct lull_error *err = lull_error_new(LULL_ERR_INVALID,
                                            "%s: what can be assumed is NAME=VALUE of %s; 'list' "
                                            "says what they mean",
                                            text, lull_str_text(&all));
    lull_str_free(&all);
    return err;
}

struct lull_error *lull_ir3_assume_set(struct lull_ir3_assumptions *a, const char *text)
{
    const char *equals = strchr(text, '=');
    const size_t size = equals != NULL ? (size_t)(equals - text) : 0;
    for (unsigned i = 0; equals != NULL && i < LULL_IR3_NASSUME; i++) {
        const struct lull_ir3_assume_row *r = &lull_ir3_assume_rows[i];
        if (strlen(r->name) != size || strncmp(r->name, text, size) != 0) {
            continue;
        }
        for (uint8_t k = 0; k < LULL_IR3_ASSUME_VALUES && r->values[k] != NULL; k++) {
            if (strcmp(r->values[k], equals + 1) == 0) {
                a->choice[i] = k;
                return NULL;
            }
        }
        return no_value(r, text);
    }
    return no_name(text);
}

void lull_ir3_assume_list(const struct lull_ir3_assumptions *a, struct lull_str *out)
{
    for (unsigned i = 0; i < LULL_IR3_NASSUME; i++) {
        const struct lull_ir3_assume_row *r = &lull_ir3_assume_rows[i];
        lull_str_addf(out, "%s=%s  (", r->name, r->values[a->choice[i]]);
        add_values(r, out);
        lull_str_addf(out, ")\n  %s\n  why: %s\n  source: %s\n", r->decides, r->why, r->source);
    }
}
