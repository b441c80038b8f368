// SPDX-License-Identifier: MIT
// A trace of a run out of any bytes: refused with the byte, or compared with itself and with one
// that is empty. Seeds: traces of small kernels, with and without steps, and damaged ones.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "check/trace/part.h"

static void compare(const struct lull_tr_run *a, const struct lull_tr_run *b, bool same)
{
    const struct lull_tr_run *const runs[2] = {a, b};
    struct lull_part_place place = {0};
    struct lull_part part = {0};
    bool any = false;
    struct lull_error *err = lull_part_memory(runs, &place, &any);
    if (err == NULL && any && same) {
        abort(); // A run differs from itself.
    }
    if (err == NULL && any) {
        err = lull_part_steps(runs, &place, &part);
    }
    lull_error_free(err);
    lull_str_free(&place.name);
}

/** The store at the end of the trace, as if another run had made it with another value. */
static void follow(const struct lull_tr_run *r)
{
    const struct lull_tr_run *const runs[2] = {r, r};
    struct lull_part_place place = {.bytes = 4, .stored = {true, true}};
    struct lull_part part = {0};
    if (r->nstores == 0) {
        return;
    }
    place.store[0] = place.store[1] = r->stores[r->nstores - 1];
    lull_error_free(lull_part_steps(runs, &place, &part));
    if (r->nsteps != 0) {
        (void)lull_part_writer(r, &r->steps[r->nsteps - 1], place.store[0].workgroup);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_tr_run run = {0}, empty = {0};
    struct lull_error *err = lull_tr_parse(data, size, &run);
    if (err != NULL) {
        if (strstr(lull_error_message(err), "byte") == NULL && err != &lull_enomem) {
            abort();
        }
        lull_error_free(err);
        return 0;
    }
    compare(&run, &run, true);
    compare(&run, &empty, false);
    compare(&empty, &run, false);
    follow(&run);
    lull_tr_done(&run);
    return 0;
}
