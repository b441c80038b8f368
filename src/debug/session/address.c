// SPDX-License-Identifier: MIT
/* Expressions as addresses, and as places in memory. */
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/variables.h"

/* The first lane that counts. */
static unsigned first_of(const struct lull_value *v)
{
    unsigned i = 0;
    while (v->lanes > 1 && i + 1 < v->lanes && ((v->active & v->valid) >> i & 1) == 0) {
        i++;
    }
    return i;
}

/* One number, or a variable that is the same in all active lanes. */
static bool is_one(const struct lull_value *v)
{
    const uint64_t lanes = v->active & v->valid;
    bool same = v->lanes == 1 || (v->type.of != NULL && lanes != 0);
    for (unsigned i = 0; same && v->lanes > 1 && i < v->lanes; i++) {
        same = (lanes >> i & 1) == 0 || v->v[i] == v->v[first_of(v)];
    }
    return same;
}

struct lull_error *lull_debug_place_of(struct lull_debug *d, const char *text, bool *ret_lds,
                                       uint64_t *ret)
{
    const struct lull_ctype u64 = {.kind = LULL_CTYPE_UNSIGNED, .bits = 64};
    struct lull_value v = {0};
    struct lull_error *err = lull_debug_eval(d, text, &v);
    const bool one = is_one(&v);
    if (err == NULL && (!one || lull_ctype_is_float(v.type))) {
        err = lull_error_new(LULL_ERR_INVALID,
                             !one ? "'%s' is not one address: name a lane, as in $v[2:3][5]"
                                  : "'%s' is not an address: it is a float",
                             text);
    }
    if (err == NULL) {
        *ret = lull_value_convert(v.type, v.v[first_of(&v)], u64);
        *ret_lds = v.type.lds;
    }
    return err;
}

struct lull_error *lull_debug_address(struct lull_debug *d, const char *text, uint64_t *ret)
{
    bool lds = false;
    uint64_t va = 0;
    struct lull_error *err = lull_debug_place_of(d, text, &lds, &va);
    if (err == NULL && lds) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is in LDS and has no address", text);
    }
    *ret = err == NULL ? va : *ret;
    return err;
}

/* Lanes that all mean one place are one. */
static void one_address(struct lull_location *at)
{
    unsigned first = 0;
    while (first + 1 < at->lanes && (at->active >> first & 1) == 0) {
        first++;
    }
    for (unsigned i = first; i < at->lanes; i++) {
        if ((at->active >> i & 1) != 0 && at->address[i] != at->address[first]) {
            return;
        }
    }
    at->address[0] = at->address[first];
    at->lanes = 1;
    at->active = 1;
}

/* Is it a name of what is in memory for all lanes, as a shader's buffers are? */
static bool is_global(const struct lull_expr_scope *scope, const struct lull_expr *e)
{
    struct lull_location at = {0};
    struct lull_error *err = lull_expr_locate(scope, e, &at);
    const bool is = err == NULL && at.ref == NULL && at.held == NULL && !at.each && !at.lds &&
                    !at.scratch && at.lanes == 1;
    lull_error_free(err);
    return is;
}

struct lull_error *lull_debug_memory_at(struct lull_debug *d, const char *text, bool *ret_is,
                                        struct lull_location *ret)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    struct lull_expr *e = NULL;
    struct lull_error *err = lull_expr_parse(&scope, text, NULL, &e);
    *ret_is = err == NULL && (lull_expr_is_memory(e) || is_global(&scope, e));
    if (*ret_is) {
        err = lull_expr_locate(&scope, e, ret);
    }
    if (err == NULL && *ret_is && ret->ref == NULL && ret->held == NULL && ret->lanes > 1 &&
        !ret->scratch) {
        one_address(ret);
    }
    if (err == NULL && *ret_is &&
        (ret->ref != NULL || ret->held != NULL || ret->scratch || ret->lds || ret->lanes != 1)) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is not one place in memory", text);
    }
    lull_expr_free(e);
    return err;
}
