// SPDX-License-Identifier: MIT
// Statements of a function, and those that repeat as loops.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/decompile/priv.h"

enum { LONGEST = 8, SAVED = 4, LIST = 8, COLUMN = 96 };

void lull_dc_add(struct lull_dc_statements *to, struct lull_str *text,
                 const struct lull_dc_statement *as)
{
    if (text->err != NULL || to->err != NULL) {
        to->err = to->err != NULL ? to->err : text->err;
        lull_str_free(text);
        return;
    }
    if (to->n == to->room) {
        const size_t room = 2 * to->room + 64;
        struct lull_dc_statement *grown = reallocarray(to->all, room, sizeof *grown);
        if (grown == NULL) {
            to->err = &lull_enomem;
            lull_str_free(text);
            return;
        }
        to->all = grown;
        to->room = room;
    }
    to->all[to->n] = *as;
    to->all[to->n++].text = text->text;
    *text = (struct lull_str){0};
}

void lull_dc_statements_done(struct lull_dc_statements *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->all[i].text);
    }
    free(s->all);
}

/** How often the @p period statements from @p at on come in a row. */
static size_t times(const struct lull_dc_statements *s, size_t at, size_t period)
{
    size_t n = at + period;
    while (n < s->n && strcmp(s->all[n].text, s->all[n - period].text) == 0) {
        n++;
    }
    return (n - at) / period;
}

/** Writes of one value to registers, from @p at on. */
static size_t list(const struct lull_dc_statements *s, size_t at)
{
    size_t n = at;
    while (n < s->n && s->all[n].plain && s->all[n].value == s->all[at].value) {
        n++;
    }
    return n - at;
}

/** @p text with each line deeper by a step. */
static void deeper(const char *text, struct lull_str *out)
{
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        const size_t n = end != NULL ? (size_t)(end - text) + 1 : strlen(text);
        lull_str_add(out, "    ", 4);
        lull_str_add(out, text, n);
        text += n;
    }
}

static void write_list(const struct lull_dc_statements *s, size_t at, size_t n,
                       const struct lull_dc_names *names, struct lull_str *out)
{
    size_t column = COLUMN;
    lull_str_addf(out, "    static const uint32_t regs_%zu[] = {", at);
    for (size_t i = 0; i < n; i++) {
        struct lull_str name = {0};
        lull_dc_reg_in_c(names, s->all[at + i].reg, &name);
        column += name.size + 2;
        if (column > COLUMN) {
            lull_str_addf(out, "\n       ");
            column = 8 + name.size;
        }
        lull_str_addf(out, " %s,", lull_str_text(&name));
        out->err = out->err != NULL ? out->err : name.err;
        lull_str_free(&name);
    }
    lull_str_addf(out,
                  "\n    };\n    for (unsigned i = 0; i < %zu; i++) {\n"
                  "        %s(g, regs_%zu[i], 0x%08" PRIx32 ");\n    }\n",
                  n, names->gen >= 5 ? "pkt4" : "pkt0", at, s->all[at].value);
}

void lull_dc_write(const struct lull_dc_statements *s, const struct lull_dc_names *names,
                   struct lull_str *out)
{
    for (size_t at = 0; at < s->n;) {
        size_t period = 0, count = 0;
        for (size_t p = 1; period == 0 && p <= LONGEST && at + p < s->n; p++) {
            count = times(s, at, p);
            period = p * (count - 1) >= SAVED ? p : 0;
        }
        const size_t same = list(s, at);
        if (period != 0) {
            lull_str_addf(out, "    for (unsigned i = 0; i < %zu; i++) {\n", count);
            for (size_t i = 0; i < period; i++) {
                deeper(s->all[at + i].text, out);
            }
            lull_str_addf(out, "    }\n");
            at += period * count;
        } else if (same >= LIST) {
            write_list(s, at, same, names, out);
            at += same;
        } else {
            lull_str_add(out, s->all[at].text, strlen(s->all[at].text));
            at++;
        }
    }
}
