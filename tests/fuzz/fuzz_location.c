// SPDX-License-Identifier: MIT
// A location expression: for each operation its opcode, a byte for each operand, signed. What it
// gives is one of the kinds that there are, and it comes to an end.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "symbols/location.h"

enum { MAX_OPS = 200 };

static struct lull_error *read_register(void *ctx, unsigned number, unsigned lane, uint64_t *ret)
{
    enum lull_locreg kind = LULL_LOCREG_PC;
    unsigned index = 0;
    (void)ctx;
    if (!lull_locreg_of(number, &kind, &index)) {
        abort();
    }
    *ret = index + lane;
    return NULL;
}

static struct lull_error *read_memory(void *ctx, enum lull_locspace space, unsigned lane,
                                      uint64_t address, void *buf, size_t size)
{
    (void)ctx;
    (void)lane;
    if (size == 0 || size > 8 || space > LULL_LOCSPACE_LOCAL) {
        abort();
    }
    memset(buf, (int)(address & 0xff), size);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_locop ops[MAX_OPS] = {{0}};
    struct lull_locexpr expr = {.ops = ops};
    for (; expr.n < MAX_OPS && 3 * expr.n + 2 < size; expr.n++) {
        const uint8_t *at = data + 3 * expr.n;
        ops[expr.n] = (struct lull_locop){.op = at[0],
                                          .a = (uint64_t)(int64_t)(int8_t)at[1],
                                          .b = (uint64_t)(int64_t)(int8_t)at[2],
                                          .at = (uint32_t)(3 * expr.n)};
        if (at[0] == 0x90 || at[0] == 0x92) { // regx, bregx: registers have larger numbers
            ops[expr.n].a = at[1] * 12u;
        }
    }
    const struct lull_locexpr base = {.n = expr.n > 0, .ops = ops};
    const struct lull_locenv env = {
        .read_register = read_register, .read_memory = read_memory, .frame_base = &base};
    struct lull_locplace place = {0};
    struct lull_error *err = lull_location_find(&expr, &env, &place);
    for (unsigned i = 0; err == NULL && i < place.n; i++) {
        if (place.pieces[i].kind > LULL_LOCPLACE_VALUE || place.n > LULL_LOC_PIECES) {
            abort();
        }
    }
    lull_error_free(err);
    return 0;
}
