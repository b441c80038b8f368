// SPDX-License-Identifier: MIT
#include "debug/shell/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { ROOM_AT_FIRST = 64, WAVES_WIDTH = 14 };

struct lull_error *lull_rows_add(struct lull_rows *r, unsigned wave, const char *text)
{
    if (r->n == r->room) {
        const size_t room = r->room == 0 ? ROOM_AT_FIRST : 2 * r->room;
        struct lull_row *rows = realloc(r->rows, room * sizeof *rows);
        if (rows == NULL) {
            return &lull_enomem;
        }
        r->rows = rows;
        r->room = room;
    }
    char *copy = strdup(text);
    if (copy == NULL) {
        return &lull_enomem;
    }
    r->rows[r->n++] = (struct lull_row){.wave = wave, .text = copy};
    return NULL;
}

void lull_rows_free(struct lull_rows *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->rows[i].text);
    }
    free(r->rows);
    *r = (struct lull_rows){0};
}

static int by_text(const void *pa, const void *pb)
{
    const struct lull_row *a = pa;
    const struct lull_row *b = pb;
    const int order = strcmp(a->text, b->text);
    return order != 0 ? order : a->wave < b->wave ? -1 : a->wave > b->wave;
}

/* Behind the last wave of the range that begins at @p i: waves with numbers in a row. */
static size_t range_end(const struct lull_row *rows, size_t n, size_t i)
{
    for (i++; i < n && rows[i].wave == rows[i - 1].wave + 1; i++) {
    }
    return i;
}

void lull_rows_waves(const struct lull_row *rows, size_t n, struct lull_str *out)
{
    lull_str_addf(out, "[");
    for (size_t i = 0; i < n;) {
        const size_t end = range_end(rows, n, i);
        lull_str_addf(out, "%s%u", i == 0 ? "" : ",", rows[i].wave);
        if (end > i + 1) {
            lull_str_addf(out, "-%u", rows[end - 1].wave);
        }
        i = end;
    }
    lull_str_addf(out, "]");
}

static void show_group(const struct lull_row *rows, size_t n, const unsigned *current,
                       struct lull_str *out)
{
    lull_cleanup(lull_str_free) struct lull_str waves = {0};
    bool is_current = false;
    for (size_t i = 0; current != NULL && i < n; i++) {
        is_current = is_current || rows[i].wave == *current;
    }
    lull_rows_waves(rows, n, &waves);
    lull_str_addf(out, "%c %-*s %5zu wave%s  %s\n", is_current ? '*' : ' ', WAVES_WIDTH,
                  lull_str_text(&waves), n, n == 1 ? " " : "s", rows[0].text);
}

static void group_json(const struct lull_row *rows, size_t n, struct lull_json *json)
{
    lull_json_open(json, '{');
    lull_json_key(json, "waves");
    lull_json_open(json, '[');
    for (size_t i = 0; i < n;) {
        const size_t end = range_end(rows, n, i);
        lull_json_open(json, '[');
        lull_json_u64(json, rows[i].wave);
        lull_json_u64(json, rows[end - 1].wave);
        lull_json_close(json, ']');
        i = end;
    }
    lull_json_close(json, ']');
    lull_json_put_u64(json, "count", n);
    lull_json_put_str(json, "text", rows[0].text);
    lull_json_close(json, '}');
}

/* Behind the last row with the text of row @p i. */
static size_t group_end(const struct lull_rows *r, size_t i)
{
    size_t end = i + 1;
    while (end < r->n && strcmp(r->rows[end].text, r->rows[i].text) == 0) {
        end++;
    }
    return end;
}

void lull_rows_show(struct lull_rows *r, const unsigned *current, struct lull_str *out,
                    struct lull_json *json)
{
    if (r->n == 0) {
        return;
    }
    qsort(r->rows, r->n, sizeof *r->rows, by_text);
    // Groups by their first wave: the smallest that is above the one shown last.
    int64_t shown = -1;
    for (;;) {
        size_t next = r->n;
        for (size_t i = 0; i < r->n; i = group_end(r, i)) {
            const bool comes = r->rows[i].wave > shown;
            next = comes && (next == r->n || r->rows[i].wave < r->rows[next].wave) ? i : next;
        }
        if (next == r->n) {
            return;
        }
        shown = r->rows[next].wave;
        const size_t n = group_end(r, next) - next;
        show_group(r->rows + next, n, current, out);
        if (json != NULL) {
            group_json(r->rows + next, n, json);
        }
    }
}
