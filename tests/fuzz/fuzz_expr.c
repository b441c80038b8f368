// SPDX-License-Identifier: MIT
// An expression of the debugger over the names of tests/expr/stub.h: wrong types are found without
// its being computed, a value has no more bits than its type, and an assignment keeps to its
// places.
#include "fuzz.h"

#include <stdlib.h>

#include "expr/stub.h"

static void evaluate(const struct lull_expr_scope *scope, const char *text)
{
    struct lull_expr *e = NULL;
    struct lull_value v = {0};
    struct lull_location at = {0};
    struct lull_str out = {0};
    struct lull_error *err = lull_expr_parse(scope, text, NULL, &e);
    if (err != NULL) {
        lull_error_free(err);
        return;
    }
    struct lull_error *wrong = lull_expr_check(scope, e);
    err = lull_expr_eval(scope, e, &v);
    const unsigned bits = lull_ctype_bits(v.type);
    if (err == NULL && (wrong != NULL || (v.lanes != 1 && v.lanes != STUB_LANES) || bits < 8)) {
        abort();
    }
    for (unsigned k = 0; err == NULL && k < v.lanes; k++) {
        if (bits < 64 && v.v[k] >> bits != 0) {
            abort();
        }
    }
    for (const char *format = "xdutfc"; err == NULL && *format != '\0'; format++) {
        lull_value_show(&v, *format, 0, &out);
    }
    struct lull_error *nowhere = lull_expr_locate(scope, e, &at);
    if (nowhere == NULL && at.ref == NULL && at.lanes != 1 && at.lanes != STUB_LANES) {
        abort();
    }
    lull_str_free(&out);
    lull_error_free(nowhere);
    lull_error_free(wrong);
    lull_error_free(err);
    lull_expr_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stub stub;
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    stub_init(&stub);
    const struct lull_expr_scope scope = stub_scope(&stub);
    evaluate(&scope, text);
    lull_error_free(lull_expr_assign(&scope, text));
    for (unsigned k = 0; k < STUB_LANES; k++) {
        if (stub.reg[2][k] != 7 && k > 0) { // $s0 is one number
            abort();
        }
    }
    free(text);
    return 0;
}
