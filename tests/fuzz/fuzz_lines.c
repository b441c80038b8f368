// SPDX-License-Identifier: MIT
// Files of VK_LAYER_LULL_lines of any bytes: no crash, no leak; each row is inside of the code and
// of a line that the file names. Seeds: tests/fuzz/corpus/lines/, written by the layer.
#include "fuzz.h"

#include <stdlib.h>

#include "debug/lines/lines.h"

static void look(const struct lull_lines *l)
{
    struct lull_lines_sum sum = {0};
    lull_lines_add_up(l, &sum);
    for (size_t i = 0; i < l->nrows; i++) {
        const struct lull_lines_row *r = &l->rows[i];
        struct lull_str text = {0};
        if (r->offset + (uint64_t)r->size > 4 * (uint64_t)l->file.ncode ||
            (r->sure != LULL_LINES_UNKNOWN && r->at.file >= l->file.nfiles) ||
            lull_lines_at(l, r->offset) != r) {
            abort();
        }
        lull_lines_show_sure(r, &text);
        lull_str_free(&text);
    }
    if (sum.exact + sum.changed + sum.several + sum.between + sum.unknown != sum.insns ||
        sum.lines_exact > sum.lines_known || sum.lines_known > sum.lines) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned gens[] = {0, 630, 740};
    for (size_t i = 0; i < sizeof gens / sizeof gens[0]; i++) {
        struct lull_lines l = {0};
        struct lull_error *err = lull_lines_read(data, size, gens[i], &l);
        if (err == NULL) {
            look(&l);
            (void)lull_lines_file_is_of(data, size, gens[i], l.file.code, 4 * l.file.ncode);
            lull_lines_done(&l);
        }
        lull_error_free(err);
    }
    return 0;
}
