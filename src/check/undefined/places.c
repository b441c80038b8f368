// SPDX-License-Identifier: MIT
#include "check/undefined/places.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 0x7fffffff };

/** Up to the next tab; NULL: there is none. What follows is at *@p rest. */
static char *field(char *at, char **rest)
{
    char *tab = at != NULL ? strchr(at, '\t') : NULL;
    if (tab == NULL) {
        return NULL;
    }
    *tab = '\0';
    *rest = tab + 1;
    return at;
}

/** One line without its end: LINE, array|buffer|vector|matrix, int|uint, FILE, NAME. */
static bool take(char *line, struct lull_check_mark *ret)
{
    static const char *const kinds[] = {[LULL_CHECK_MARK_ARRAY] = "array",
                                        [LULL_CHECK_MARK_BUFFER] = "buffer",
                                        [LULL_CHECK_MARK_VECTOR] = "vector",
                                        [LULL_CHECK_MARK_MATRIX] = "matrix"};
    char *rest = line, *end = NULL;
    char *number = field(rest, &rest);
    const char *of = number != NULL ? field(rest, &rest) : NULL;
    const char *sign = of != NULL ? field(rest, &rest) : NULL;
    const char *file = sign != NULL ? field(rest, &rest) : NULL;
    if (file == NULL || strchr("0123456789", number[0]) == NULL) {
        return false;
    }
    const unsigned long n = strtoul(number, &end, 10);
    unsigned kind = 0;
    while (kind < sizeof kinds / sizeof kinds[0] && strcmp(kinds[kind], of) != 0) {
        kind++;
    }
    *ret = (struct lull_check_mark){.of = (enum lull_check_mark_of)kind,
                                    .is_signed = strcmp(sign, "int") == 0,
                                    .name = rest,
                                    .file = file,
                                    .line = (uint32_t)n};
    return end != number && *end == '\0' && n <= MOST_LINE && strchr(rest, '\t') == NULL &&
           kind < sizeof kinds / sizeof kinds[0] && (ret->is_signed || strcmp(sign, "uint") == 0);
}

struct lull_error *lull_check_marked_parse(char *text, size_t size, struct lull_check_marked *ret)
{
    struct lull_check_marked m = {.text = text};
    struct lull_error *err = NULL;
    for (char *at = text, *end = NULL; err == NULL && at < text + size; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + size - at));
        if (end == NULL) {
            break; // It is being written.
        }
        *end = '\0';
        if (m.n == m.room) {
            const size_t room = 2 * m.room + 64;
            struct lull_check_mark *more = reallocarray(m.all, room, sizeof *more);
            if (more == NULL) {
                err = &lull_enomem;
                break;
            }
            m.all = more;
            m.room = room;
        }
        if (strlen(at) != (size_t)(end - at) || !take(at, &m.all[m.n])) {
            err =
                lull_error_new(LULL_ERR_BAD_DATA, "line %zu is not a place with an index", m.n + 1);
        }
        m.n++;
    }
    if (err != NULL) {
        lull_check_marked_done(&m);
        return err;
    }
    *ret = m;
    return NULL;
}

void lull_check_marked_done(struct lull_check_marked *m)
{
    free(m->all);
    free(m->text);
    *m = (struct lull_check_marked){0};
}
