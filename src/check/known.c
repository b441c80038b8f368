// SPDX-License-Identifier: MIT
#include "check/known.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/** A line that has a pattern: CHECK:PLACE. */
LULL_MUST_USE static struct lull_error *add(struct lull_known *k, const char *path, size_t number,
                                            const char *line, size_t size)
{
    char *const pattern = strndup(line, size);
    char **more = realloc(k->patterns, (k->n + 1) * sizeof *more);
    k->patterns = more != NULL ? more : k->patterns;
    if (pattern == NULL || more == NULL) {
        free(pattern);
        return &lull_enomem;
    }
    k->patterns[k->n++] = pattern;
    if (strlen(pattern) != size || strchr(pattern, ':') == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: line %zu: '%.60s' is not CHECK:PLACE", path,
                              number, pattern);
    }
    return NULL;
}

struct lull_error *lull_known_parse(const char *path, const char *text, size_t size,
                                    struct lull_known *ret)
{
    struct lull_error *err = NULL;
    size_t number = 0;
    for (size_t at = 0; err == NULL && at < size;) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', size - at);
        size_t n = end != NULL ? (size_t)(end - line) : size - at;
        at += n + 1;
        number++;
        while (n > 0 && isspace((unsigned char)line[n - 1])) {
            n--;
        }
        while (n > 0 && isspace((unsigned char)line[0])) {
            line++;
            n--;
        }
        if (n > 0 && line[0] != '#') {
            err = add(ret, path, number, line, n);
        }
    }
    if (err != NULL) {
        lull_known_done(ret);
    }
    return err;
}

bool lull_known_has(const struct lull_known *k, const char *key)
{
    for (size_t i = 0; i < k->n; i++) {
        if (fnmatch(k->patterns[i], key, 0) == 0) {
            return true;
        }
    }
    return false;
}

void lull_known_done(struct lull_known *k)
{
    for (size_t i = 0; i < k->n; i++) {
        free(k->patterns[i]);
    }
    free(k->patterns);
    *k = (struct lull_known){0};
}
