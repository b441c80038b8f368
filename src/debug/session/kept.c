// SPDX-License-Identifier: MIT
#include "debug/session/kept.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool lull_kept_is_history(const char *at, size_t *ret_length)
{
    const size_t dollar = at[0] == '$';
    size_t n = dollar;
    while (isdigit((unsigned char)at[n])) {
        n++;
    }
    *ret_length = n;
    return !isalpha((unsigned char)at[n]) && at[n] != '_' && at[n] != '$';
}

struct lull_error *lull_kept_history(const struct lull_kept *k, const char *name,
                                     struct lull_value *ret)
{
    const bool back = name[0] == '$';
    const char *digits = name + back;
    const uint64_t given = strtoull(digits, NULL, 10);
    const uint64_t behind = !back ? 0 : *digits != '\0' ? given : 1; // of the last
    const bool absolute = !back && *digits != '\0';
    const uint64_t number = absolute ? given : behind < k->nprinted ? k->nprinted - behind : 0;
    if (number == 0 || number > k->nprinted || k->nprinted - number >= LULL_MAX_HISTORY) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "$%s: %" PRIu64 " values were printed, of which the last %d are kept",
                              name, k->nprinted, LULL_MAX_HISTORY);
    }
    *ret = k->printed[number % LULL_MAX_HISTORY].value;
    return NULL;
}

static struct lull_kept_value *find(const struct lull_kept *k, const char *name, size_t length)
{
    for (size_t i = 0; i < k->nnamed; i++) {
        if (strlen(k->named[i].name) == length && strncmp(k->named[i].name, name, length) == 0) {
            return &k->named[i];
        }
    }
    return NULL;
}

const struct lull_value *lull_kept_find(const struct lull_kept *k, const char *name, size_t length)
{
    const struct lull_kept_value *v = find(k, name, length);
    return v != NULL ? &v->value : NULL;
}

struct lull_error *lull_kept_set(struct lull_kept *k, const char *name, size_t length,
                                 const struct lull_value *value)
{
    struct lull_kept_value *v = find(k, name, length);
    if (v != NULL) {
        v->value = *value;
        return NULL;
    }
    if (k->nnamed == LULL_MAX_CONVENIENCES) {
        return lull_error_new(LULL_ERR_INVALID, "more than %d variables of one's own",
                              LULL_MAX_CONVENIENCES);
    }
    struct lull_kept_value *more = realloc(k->named, (k->nnamed + 1) * sizeof *more);
    if (more == NULL) {
        return &lull_enomem;
    }
    k->named = more;
    more[k->nnamed] = (struct lull_kept_value){.name = strndup(name, length), .value = *value};
    if (more[k->nnamed].name == NULL) {
        return &lull_enomem;
    }
    k->nnamed++;
    return NULL;
}

struct lull_error *lull_kept_print(struct lull_kept *k, const struct lull_value *value)
{
    if (k->printed == NULL) {
        k->printed = calloc(LULL_MAX_HISTORY, sizeof *k->printed);
    }
    if (k->printed == NULL) {
        return &lull_enomem;
    }
    k->nprinted++;
    k->printed[k->nprinted % LULL_MAX_HISTORY].value = *value;
    return NULL;
}

void lull_kept_done(struct lull_kept *k)
{
    for (size_t i = 0; i < k->nnamed; i++) {
        free(k->named[i].name);
    }
    free(k->named);
    free(k->printed);
    *k = (struct lull_kept){0};
}
