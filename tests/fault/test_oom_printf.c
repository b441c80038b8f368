// SPDX-License-Identifier: MIT
// Printf with every allocation failing once: strings are added, written, read and used to decode a
// buffer. It works or is LULL_ERR_NO_MEMORY, and leaks nothing (AddressSanitizer watches).
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fault/alloc.h"
#include "printf/decode.h"
#include "test.h"

LULL_MUST_USE static struct lull_error *on_event(void *arg, const struct lull_printf_event *e)
{
    unsigned *texts = arg;
    *texts += e->kind == LULL_PRINTF_TEXT;
    return NULL;
}

LULL_MUST_USE static struct lull_error *use(struct lull_printf_table *t,
                                            struct lull_printf_table *again, struct lull_str *doc,
                                            unsigned *texts)
{
    static const struct lull_printf_type types[] = {
        {LULL_PRINTF_I32, LULL_PRINTF_SIGNED, 1},
        {LULL_PRINTF_DOUBLE, LULL_PRINTF_SIGN_UNKNOWN, 1}};
    uint64_t id = 0, other = 0;
    struct lull_error *err = lull_printf_table_add(t, "%d", 2, &types[0], 1, 0, &id);
    if (err == NULL) { // another shape: a warning
        err = lull_printf_table_add(t, "%d", 2, &types[1], 1, 0, &other);
    }
    if (err == NULL) {
        lull_printf_table_document(t, doc);
        err = doc->err != NULL ? doc->err
                               : lull_printf_table_load(again, doc->text, doc->size, "doc", NULL);
    }
    uint32_t buffer[4 + 5] = {12, 0, 0, 0, (uint32_t)(id << 16 | 3), (uint32_t)(id >> 16), 5};
    struct lull_printf_decoder d = {0};
    return err != NULL
               ? err
               : lull_printf_decode(&d, again, buffer, sizeof buffer, false, on_event, texts);
}

int main(void)
{
    bool worked = false;
    unsigned texts = 0;
    for (long n = 0; !worked && n < 1000; n++) {
        struct lull_printf_table *t = NULL, *again = NULL;
        struct lull_str doc = {0};
        texts = 0;
        allocations_left = n;
        struct lull_error *err = lull_printf_table_new(&t);
        err = err != NULL ? err : lull_printf_table_new(&again);
        err = err != NULL ? err : use(t, again, &doc, &texts);
        allocations_left = -1;
        worked = err == NULL && texts == 1;
        test_case(worked || err == NULL || lull_error_code(err) == LULL_ERR_NO_MEMORY, "printf",
                  "allocation %ld: %s", n, err != NULL ? lull_error_message(err) : "");
        lull_error_free(err);
        lull_str_free(&doc);
        lull_printf_table_free(t);
        lull_printf_table_free(again);
    }
    test_case(worked, "succeeds in the end", "%u texts", texts);
    return test_end();
}
