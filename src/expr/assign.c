// SPDX-License-Identifier: MIT
// "PLACE = EXPRESSION"; of what has parts also "PLACE = {1, 2}" and "PLACE = OTHER".
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "expr/tree.h"
#include "symbols/show.h"

enum { MAX_NUMBERS = 256, MAX_DEPTH = 12 };

/* A number that is to be written, when all of them are known. */
struct number {
    struct lull_location at;
    struct lull_value value;
};

struct numbers {
    const struct lull_expr_scope *scope;
    const char *text; ///< Of the whole assignment.
    size_t n, room;
    struct number *all; ///< Owned.
};

static bool has_parts(const struct lull_location *at)
{
    return at->type.kind == LULL_CTYPE_PARTS && at->type.stars == 0 && at->ref == NULL;
}

static bool is_array(const struct lull_symtype *t)
{
    return t->kind == LULL_SYMTYPE_ARRAY || t->kind == LULL_SYMTYPE_VECTOR;
}

static uint64_t parts_of(const struct lull_location *at)
{
    const struct lull_symtype *t = lull_symtype_plain(at->type.of);
    return is_array(t) ? t->count : t->kind == LULL_SYMTYPE_STRUCT ? t->nmembers : 0;
}

static struct lull_location part(const struct lull_location *at, uint64_t i)
{
    const struct lull_symtype *t = lull_symtype_plain(at->type.of);
    const bool array = is_array(t);
    struct lull_location p =
        lull_location_part(at, array ? t->of : t->members[i].type,
                           array ? lull_symtype_element(t, i) : t->members[i].offset);
    p.bit = array ? 0 : t->members[i].bit;
    p.nbits = array ? 0 : t->members[i].nbits;
    return p;
}

LULL_MUST_USE static struct lull_error *add(struct numbers *to, const struct lull_location *at,
                                            const struct lull_value *value)
{
    if (to->n == MAX_NUMBERS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s': more than %d numbers", to->text,
                              MAX_NUMBERS);
    }
    if (to->n == to->room) {
        const size_t room = to->room == 0 ? 4 : 2 * to->room;
        struct number *all = reallocarray(to->all, room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        to->all = all;
        to->room = room;
    }
    to->all[to->n++] = (struct number){.at = *at, .value = *value};
    return NULL;
}

/* One number for all elements of a vector. */
LULL_MUST_USE static struct lull_error *spread(struct numbers *to, const struct lull_location *at,
                                               const struct lull_value *value)
{
    struct lull_error *err = NULL;
    const bool vector =
        has_parts(at) && lull_symtype_plain(at->type.of)->kind == LULL_SYMTYPE_VECTOR;
    for (uint64_t i = 0; vector && err == NULL && i < parts_of(at); i++) {
        const struct lull_location p = part(at, i);
        err = add(to, &p, value);
    }
    return vector ? err : add(to, at, value);
}

/* Each number of @p from to its place in @p at. */
LULL_MUST_USE static struct lull_error *copy(struct numbers *to, const struct lull_location *at,
                                             const struct lull_location *from, unsigned depth)
{
    struct lull_error *err = NULL;
    struct lull_value v = {0};
    if (has_parts(at) != has_parts(from) || depth == MAX_DEPTH ||
        (has_parts(at) && (parts_of(at) != parts_of(from) || parts_of(at) == 0))) {
        return lull_error_new(LULL_ERR_INVALID, "'%s': the parts of the two sides differ",
                              to->text);
    }
    if (!has_parts(at)) {
        err = lull_location_load(to->scope, from, &v);
        return err != NULL ? err : add(to, at, &v);
    }
    for (uint64_t i = 0; err == NULL && i < parts_of(at); i++) {
        const struct lull_location p = part(at, i);
        const struct lull_location q = part(from, i);
        err = copy(to, &p, &q, depth + 1);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *list(struct numbers *to, const struct lull_location *at,
                                             const char **text, unsigned depth);

/* A number of a list, or a list in it. */
LULL_MUST_USE static struct lull_error *item(struct numbers *to, const struct lull_location *at,
                                             const char **text, unsigned depth)
{
    struct lull_expr *e = NULL;
    struct lull_value v = {0};
    *text += strspn(*text, " \t");
    if (has_parts(at) && **text == '{') {
        return list(to, at, text, depth + 1);
    }
    struct lull_error *err = lull_expr_parse(to->scope, *text, text, &e);
    err = err != NULL ? err : lull_expr_eval(to->scope, e, &v);
    lull_expr_free(e);
    return err != NULL ? err : spread(to, at, &v);
}

/* "{1, 2}", as many as there are parts; *@p text stands at the bracket. */
LULL_MUST_USE static struct lull_error *list(struct numbers *to, const struct lull_location *at,
                                             const char **text, unsigned depth)
{
    const uint64_t n = parts_of(at);
    struct lull_error *err = NULL;
    bool good = n != 0 && depth < MAX_DEPTH;
    for (uint64_t i = 0; err == NULL && good && i < n; i++) {
        const struct lull_location p = part(at, i);
        ++*text; // the bracket, or the comma
        err = item(to, &p, text, depth);
        good = err != NULL || **text == (i + 1 < n ? ',' : '}');
    }
    if (err == NULL && !good) {
        return lull_error_new(LULL_ERR_INVALID,
                              "'%s': there are %" PRIu64 " parts, which take {A, B, ...}", to->text,
                              n);
    }
    *text += err == NULL;
    *text += strspn(*text, " \t");
    return err;
}

/* What stands behind the '=' as numbers with their places. */
LULL_MUST_USE static struct lull_error *right_side(struct numbers *to,
                                                   const struct lull_location *at, const char *text)
{
    struct lull_expr *from = NULL;
    struct lull_location other = {0};
    struct lull_ctype type = {0};
    struct lull_value v = {0};
    const char *list_at = text + strspn(text, " \t");
    struct lull_error *err = lull_expr_parse(to->scope, text, NULL, &from);
    if (err != NULL && has_parts(at) && *list_at == '{') {
        lull_error_free(err);
        err = list(to, at, &list_at, 0);
        return err != NULL || *list_at == '\0'
                   ? err
                   : lull_error_new(LULL_ERR_INVALID, "'%s': '%s' is left over", to->text, list_at);
    }
    err = err != NULL ? err : lull_expr_type(to->scope, from, &type);
    if (err == NULL && has_parts(at) && type.kind == LULL_CTYPE_PARTS && type.stars == 0) {
        err = lull_expr_locate(to->scope, from, &other);
        err = err != NULL ? err : copy(to, at, &other, 0);
    } else if (err == NULL) {
        err = lull_expr_eval(to->scope, from, &v);
        err = err != NULL ? err : spread(to, at, &v);
    }
    lull_expr_free(from);
    return err;
}

struct lull_error *lull_expr_assign(const struct lull_expr_scope *s, const char *text)
{
    struct numbers to = {.scope = s, .text = text};
    struct lull_expr *place = NULL;
    struct lull_location at = {0};
    const char *rest = NULL;
    struct lull_error *err = lull_expr_parse(s, text, &rest, &place);
    if (err == NULL && *rest != '=') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s': expected '=' after the place", text);
    }
    err = err != NULL ? err : lull_expr_locate(s, place, &at);
    err = err != NULL ? err : right_side(&to, &at, rest + 1);
    for (size_t i = 0; err == NULL && to.n > 1 && i < to.n; i++) { // all are there, or none is set
        struct lull_value now = {0};
        err = lull_location_load(s, &to.all[i].at, &now);
    }
    for (size_t i = 0; err == NULL && i < to.n; i++) {
        err = lull_expr_store(s, &to.all[i].at, &to.all[i].value);
    }
    free(to.all);
    lull_expr_free(place);
    return err;
}
