// SPDX-License-Identifier: MIT
// Printf in SPIR-V lowered with every allocation failing once: it works or is LULL_ERR_NO_MEMORY,
// and leaks nothing (AddressSanitizer watches). Arguments: modules.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fault/alloc.h"
#include "spirv/printf.h"
#include "test.h"

enum { MOST_BYTES = 1 << 16, MOST_ALLOCATIONS = 5000 };

/** One run with the @p n-th allocation failing; was it done? */
static bool once(const char *name, const uint8_t *data, size_t size,
                 const struct lull_spirv_printf_options *o, long n)
{
    struct lull_printf_table *t = NULL;
    struct lull_spirv_printf_result r = {0};
    allocations_left = n;
    struct lull_error *err = lull_printf_table_new(&t);
    if (err == NULL) {
        err = lull_spirv_printf(data, size, o, t, &r);
    }
    allocations_left = -1;
    const bool done = err == NULL && r.words != NULL && r.nerrors == 0;
    const bool good = done || (err != NULL && lull_error_code(err) == LULL_ERR_NO_MEMORY);
    if (!good) {
        test_case(false, name, "allocation %ld: %s", n, err != NULL ? lull_error_message(err) : "");
    }
    lull_error_free(err);
    lull_printf_table_free(t);
    free(r.words);
    return done || !good;
}

int main(int argc, char **argv)
{
    static const struct lull_spirv_printf_options ways[] = {
        {.set = 7, .wave = true, .records = LULL_PRINTF_RECORD_ALL},
        {.place = LULL_SPIRV_PRINTF_PUSH, .push_offset = 64, .counter64 = true},
        {.place = LULL_SPIRV_PRINTF_SPEC, .spec_id = 70},
    };
    static uint8_t data[MOST_BYTES];
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        const size_t size = f != NULL ? fread(data, 1, sizeof data, f) : 0;
        if (f != NULL) {
            fclose(f);
        }
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            long n = 0;
            while (n < MOST_ALLOCATIONS && !once(argv[i], data, size, &ways[w], n)) {
                n++;
            }
            test_case(n < MOST_ALLOCATIONS && n > 0, argv[i], "way %zu: %ld allocations", w, n);
        }
    }
    return test_end();
}
