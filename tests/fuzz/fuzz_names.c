// SPDX-License-Identifier: MIT
// lull_names_update() on a file of any bytes, in two halves: no crash, no leak; and matching and
// ordering what was read. Seeds: tests/fuzz/corpus/names/, written by the layer.
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/names.h"

static void match(const struct lull_names *n)
{
    struct lull_names_hw hw[32] = {0};
    struct lull_names_matched got[32] = {0};
    size_t count = lull_names_ndispatches(n) < 32 ? lull_names_ndispatches(n) : 32;
    for (size_t i = 0; i < count; i++) {
        const struct lull_names_dispatch *d = lull_names_dispatch_at(n, i);
        memcpy(hw[i].grid, d->grid, sizeof hw[i].grid);
        hw[i].ring = d->family % 40;
        hw[i].code = i % 4;
    }
    struct lull_error *err = lull_names_match(n, hw, count, got);
    for (size_t i = 0; i < count && err == NULL; i++) {
        if (got[i].record != NULL && got[i].record->number >= lull_names_ndispatches(n)) {
            abort();
        }
    }
    lull_error_free(err);
}

// What orders the first few.
static void order(const struct lull_names *n)
{
    const struct lull_names_access what = {LULL_NAMES_READ, 0xffff800100080004};
    const size_t count = lull_names_ndispatches(n) < 4 ? lull_names_ndispatches(n) : 4;
    for (size_t i = 0; i < count * count; i++) {
        const struct lull_names_dispatch *a = lull_names_dispatch_at(n, i / count);
        const struct lull_names_dispatch *b = lull_names_dispatch_at(n, i % count);
        const struct lull_names_transfers t = lull_names_transfers_at(n, i / count);
        (void)lull_names_order(n, a, b, &what);
        (void)lull_names_order_grid(n, a, b, what.address);
        if (t.n != 0) {
            (void)lull_names_order_transfer(n, i / count, &t.at[0], b, &what);
            (void)lull_names_order_transfer_grid(n, i / count, &t.at[0], b, what.address);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char dir[] = "/tmp/lull-fuzz-names-XXXXXX", path[64] = "";
    if (mkdtemp(dir) == NULL) {
        abort();
    }
    snprintf(path, sizeof path, "%s/1.names", dir);
    struct lull_names *n = NULL;
    struct lull_error *err = lull_names_open(dir, 1, &n);
    for (unsigned half = 0; half < 2 && err == NULL; half++) {
        FILE *f = fopen(path, "a");
        size_t at = half * (size / 2);
        if (f == NULL || fwrite(data + at, 1, half == 0 ? size / 2 : size - at, f) > size) {
            abort();
        }
        fclose(f);
        err = lull_names_update(n);
    }
    if (err == NULL) {
        match(n);
        order(n);
        for (size_t i = 0; i < lull_names_npipelines(n); i++) {
            (void)lull_names_spirv(n, lull_names_pipeline_at(n, i)->shader);
        }
        (void)lull_names_at_address(n, 0x1000);
    }
    lull_error_free(err);
    lull_names_free(n);
    unlink(path);
    rmdir(dir);
    return 0;
}
