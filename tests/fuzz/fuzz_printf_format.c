// SPDX-License-Identifier: MIT
// A format up to its last NUL, then dwords: conversions lie in the format, one behind the other;
// the text is bounded; what is malformed is in it as it stands.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "printf/format.h"
#include "printf/plan.h"

// What a plan of the format prints is what was printed without one.
static void check_plan(const char *format, size_t size, const struct lull_printf_payload *in,
                       const struct lull_str *want, bool good)
{
    struct lull_arena arena = {0};
    struct lull_str out = {0};
    const struct lull_printf_plan *plan = lull_printf_plan_new(&arena, format, size, in);
    if (plan != NULL && lull_printf_plan_text(plan, in->dwords, in->ndwords, &out) &&
        (!good || out.size != want->size ||
         memcmp(lull_str_text(&out), lull_str_text(want), out.size) != 0)) {
        abort();
    }
    lull_str_free(&out);
    lull_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size > 0 ? memrchr(data, '\0', size) : NULL;
    const char *format = (const char *)data;
    const size_t length = nul != NULL ? (size_t)(nul - data) : size;
    const size_t n = nul != NULL ? (size - length - 1) / 4 : 0;
    uint32_t dwords[64] = {0};
    uint64_t mask = size > 0 ? data[0] * (uint64_t)0x9e3779b97f4a7c15 : 0;
    memcpy(dwords, nul != NULL ? nul + 1 : data, (n < 64 ? n : 64) * 4);

    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag = {0};
    size_t at = 0, end = 0, width = 0;
    for (int r = 0; (r = lull_printf_next(format, length, &at, &conv, &diag)) != 0;) {
        if (conv.offset < end || conv.size == 0 || conv.offset + conv.size != at || at > length ||
            (r < 0 && (diag.offset > length || diag.message[0] == '\0'))) {
            abort();
        }
        end = at;
        width += 400 + conv.vector * (size_t)((conv.width > 0 ? conv.width : 0) +
                                              (conv.precision > 0 ? conv.precision : 0) + 400);
    }
    if (width > 1 << 20) {
        return 0;
    }
    const struct lull_printf_payload in = {
        .dwords = dwords, .ndwords = n < 64 ? n : 64, .mask64 = &mask, .nmask = 1};
    struct lull_printf_diags diags = {0};
    struct lull_str out = {0};
    const bool good = lull_printf_text(format, length, &in, &out, &diags);
    if (out.err != NULL || out.size > length + width || good != (diags.errors == 0)) {
        abort();
    }
    check_plan(format, length, &in, &out, good);
    lull_str_free(&out);
    return 0;
}
