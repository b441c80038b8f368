// SPDX-License-Identifier: MIT
// "PLACE = EXPRESSION".
#include "base/cleanup.h"
#include "expr/tree.h"

struct lull_error *lull_expr_assign(const struct lull_expr_scope *s, const char *text)
{
    struct lull_expr *place = NULL;
    struct lull_expr *from = NULL;
    const char *rest = NULL;
    struct lull_error *err = lull_expr_parse(s, text, &rest, &place);
    if (err == NULL && *rest != '=') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s': expected '=' after the place", text);
    }
    err = err != NULL ? err : lull_expr_parse(s, rest + 1, NULL, &from);
    err = err != NULL ? err : lull_expr_store(s, place, from);
    lull_expr_free(place);
    lull_expr_free(from);
    return err;
}
