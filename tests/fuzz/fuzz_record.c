// SPDX-License-Identifier: MIT
// A record of a dispatch out of any bytes: refused with the byte, or written again as it was.
// Seeds: records of small kernels, with and without data and a time, and damaged ones.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "file/record.h"
#include "file/record_program.h"

// The same of a program's: what was read lies in the file, and in its mapping.
static void program(const uint8_t *data, size_t size)
{
    struct lull_record_program p = {0};
    struct lull_error *err = lull_record_program_parse(data, size, &p);
    if (err != NULL && strstr(lull_error_message(err), "byte") == NULL && err != &lull_enomem) {
        abort();
    }
    lull_error_free(err);
    for (size_t i = 0; i < p.npages; i++) {
        const struct lull_record_pages *at = &p.pages[i];
        bool inside = false;
        for (size_t k = 0; k < p.nranges && !inside; k++) {
            inside =
                at->va >= p.ranges[k].va && at->va - p.ranges[k].va + at->size <= p.ranges[k].size;
        }
        if (!inside || at->bytes < data || at->bytes + at->size > data + size) {
            abort();
        }
    }
    lull_record_program_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_record *r = calloc(1, sizeof *r), *again = calloc(1, sizeof *again);
    struct lull_str out = {0};
    if (r == NULL || again == NULL) {
        abort();
    }
    program(data, size);
    struct lull_error *err = lull_record_parse(data, size, r);
    if (err != NULL) {
        if (strstr(lull_error_message(err), "byte") == NULL && err != &lull_enomem) {
            abort();
        }
        lull_error_free(err);
    } else {
        lull_record_write(r, &out);
        err = out.err != NULL ? out.err : lull_record_parse(out.text, out.size, again);
        if (err != NULL || again->nargs != r->nargs || again->nfiles != r->nfiles ||
            again->seed != r->seed || again->time != r->time) {
            abort(); // What was read is not what is written.
        }
    }
    lull_str_free(&out);
    free(r);
    free(again);
    return 0;
}
