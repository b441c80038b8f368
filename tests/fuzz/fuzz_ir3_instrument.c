// SPDX-License-Identifier: MIT
// Any words as a shader that is instrumented: no crash, no leak; each instruction of the shader is
// still there, in its order, and branches stay inside. Byte 0: the GPU, and which invocations; the
// rest are words. Seeds: tests/fuzz/corpus/ir3_instrument/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/ir3/instrument.h"

enum { MOST_WORDS = 64 };

static bool same_op(uint64_t a, uint64_t b, unsigned gen)
{
    struct lull_ir3_insn x, y;
    return a == b || (lull_ir3_decode(a, gen, &x) && lull_ir3_decode(b, gen, &y) && x.op == y.op &&
                      x.branches && y.branches);
}

static void check(const struct lull_ir3_shader *s, const struct lull_ir3_instrumented *r,
                  unsigned gen)
{
    size_t at = 0;
    for (size_t i = 0; i < r->n && at < s->n; i++) {
        at += same_op(s->words[at], r->words[i], gen);
    }
    if (at != s->n) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned gens[] = {630, 660, 740, 690};
    uint64_t words[MOST_WORDS] = {0};
    bool chosen[MOST_WORDS];
    if (size < 9) {
        return 0;
    }
    const unsigned gen = gens[data[0] & 3];
    size_t n = (size - 1) / 8;
    n = n < MOST_WORDS ? n : MOST_WORDS;
    memcpy(words, data + 1, n * 8);
    for (size_t i = 0; i < n; i++) {
        struct lull_ir3_insn in;
        chosen[i] = true;
        words[i] = lull_ir3_decode(words[i], gen, &in) ? words[i] : 0;
    }
    const struct lull_ir3_shader s = {.words = words, .n = n};
    const struct lull_ir3_instrument how = {.gen = gen,
                                            .all_outputs = (data[0] & 4) != 0,
                                            .buffer = 0x100000000ull + 0x10000,
                                            .room = 4096,
                                            .slice = (data[0] & 32) != 0 ? 64 : 0,
                                            .kinds = LULL_IR3_VALUES_ALL,
                                            .chosen = chosen,
                                            .some = (data[0] & 8) != 0,
                                            .last = UINT32_MAX,
                                            .every = data[0] >> 5,
                                            .private_bytes = (data[0] & 16) != 0 ? 64 : -1};
    struct lull_ir3_instrumented r = {0};
    struct lull_error *err = lull_ir3_instrument(&s, &how, &r);
    if (err == NULL) {
        check(&s, &r, gen);
    }
    lull_error_free(err);
    lull_ir3_instrumented_done(&r);
    return 0;
}
