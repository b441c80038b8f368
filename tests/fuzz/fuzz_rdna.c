// SPDX-License-Identifier: MIT
/** @file
 * Decode any bytes as RDNA3 code and print them: sizes stay in bounds, the
 * result does not depend on what follows, and printing never fails.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "isa/rdna/ops.h"

enum { MAX_SIZE = 20, MAX_TEXT = 400 };

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void one(const uint8_t *data, size_t size, int used, const struct lull_rdna_insn *in)
{
    struct lull_rdna_insn again = {0};
    struct lull_str text = {0}, text64 = {0};
    const struct lull_rdna_print wave64 = {.wave_size = 64};
    check(used % 4 == 0 && used <= MAX_SIZE && (size_t)used <= size && used == in->size);
    check(in->op < LULL_RDNA_NOPS && (lull_rdna_info(in)->encs >> in->enc & 1) != 0);
    check(lull_rdna_decode(data, (size_t)used - 1, &again) == LULL_RDNA_TRUNCATED);
    check(lull_rdna_decode(data, (size_t)used, &again) == used);
    lull_rdna_show(in, NULL, &text);
    lull_rdna_show(&again, NULL, &text64);
    check(strcmp(lull_str_text(&text), lull_str_text(&text64)) == 0);
    lull_str_free(&text64);
    lull_rdna_show(in, &wave64, &text64);
    check(text.err == NULL && text.size > 0 && text.size < MAX_TEXT);
    check(text64.err == NULL && text64.size > 0 && text64.size < MAX_TEXT);
    lull_str_free(&text);
    lull_str_free(&text64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (at < size) {
        struct lull_rdna_insn in = {0};
        const int used = lull_rdna_decode(data + at, size - at, &in);
        struct lull_rdna_insn lax = {0};
        const int lax_used = lull_rdna_decode_lax(data + at, size - at, &lax);
        check(used <= 0 || lax_used == used);
        if (lax_used > 0) {
            struct lull_str text = {0};
            lull_rdna_show(&lax, NULL, &text);
            check(text.err == NULL && text.size > 0 && text.size < MAX_TEXT);
            lull_str_free(&text);
        }
        if (used > 0) {
            one(data + at, size - at, used, &in);
        }
        at += used > 0 ? (size_t)used : 4;
    }
    return 0;
}
