// SPDX-License-Identifier: MIT
// Code of gfx1100 of any bytes, rewritten: a byte of choices, one of the room, a u16 with the bytes
// of code, the code, and what is left is what its waves have written. No crash, no leak; the new
// code is instructions from its begin to its end. Seeds: tests/fuzz/corpus/rdna_instrument/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/cur.h"
#include "instrument/rdna/unroll.h"
#include "instrument/records.h"

enum { MOST_INSNS = 1 << 14, WAVE64 = 1, COMPUTE = 2, CHOICE_SHIFT = 2 };

static void check_code(const struct lull_rdna_instrumented *r)
{
    for (size_t at = 0; at < r->n;) {
        struct lull_rdna_insn in;
        const int size = lull_rdna_decode_lax(r->words + at, 4 * (r->n - at), &in);
        if (size <= 0) {
            abort();
        }
        at += (size_t)size / 4;
    }
}

static void read_records(struct lull_rdna_instrumented *r, struct lull_cur *c)
{
    struct lull_rdna_unrolled u = {0};
    struct lull_dump d = {0};
    const size_t left = lull_cur_left(c);
    struct lull_error *err = lull_rdna_unroll(r, lull_cur_take(c, left), left, &u);
    if (err == NULL) {
        uint32_t wave = 0;
        unsigned lane = 0;
        err = lull_dump_of(&r->manifest, u.bytes.text, u.bytes.size, &d);
        if (err != NULL ||
            (d.n != 0 && !lull_rdna_lane_of(&u, d.all[0].invocation, &wave, &lane))) {
            abort(); // What was unrolled is right.
        }
    }
    lull_error_free(err);
    lull_dump_done(&d);
    lull_rdna_unrolled_done(&u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_cur c = lull_cur_of(data, size);
    const unsigned choices = lull_cur_u8(&c), room = lull_cur_u8(&c);
    size_t bytes = lull_cur_u16(&c);
    bytes = (bytes < lull_cur_left(&c) ? bytes : lull_cur_left(&c)) & ~(size_t)3;
    const uint8_t *code = lull_cur_take(&c, bytes);
    struct lull_rdna_shader s = {0};
    struct lull_rdna_instrumented r = {0};
    bool chosen[MOST_INSNS];
    struct lull_error *err =
        lull_rdna_shader_of(code, bytes, (choices & WAVE64) != 0 ? 64 : 32, &s);
    for (size_t i = 0; i < MOST_INSNS; i++) {
        chosen[i] = i % (1 + (choices >> CHOICE_SHIFT)) == 0;
    }
    const struct lull_rdna_instrument how = {.va = 0x100000,
                                             .to = 0x40000000,
                                             .buffer = 0x80000000,
                                             .room = room << 4,
                                             .chosen = chosen,
                                             .compute = (choices & COMPUTE) != 0,
                                             .id_sgpr = room % 16,
                                             .ids = choices & 7};
    if (err == NULL) {
        err = lull_rdna_instrument(&s, &how, &r);
    }
    if (err == NULL) {
        check_code(&r);
        read_records(&r, &c);
    }
    lull_error_free(err);
    lull_rdna_instrumented_done(&r);
    lull_rdna_shader_done(&s);
    return 0;
}
