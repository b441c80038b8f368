// SPDX-License-Identifier: MIT
// lull_fr_read() on any bytes: no crash, no leak, and what it gives can be walked: each block that
// is reached stands once in its order, constants have as many parts as their types. Seeds:
// tests/fuzz/corpus/front/, modules by glslang and spirv-as. libFuzzer changes whole instructions
// and operands, so that most of a module stays one.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "front/module.h"
#include "spirv/text.h"
#include "spirv_changes.h"

static uint64_t constant(const struct lull_fr_constant *c, unsigned depth)
{
    if (c == NULL || depth > 100) {
        abort(); // types are not nested deeper
    }
    uint64_t sum = c->bits;
    for (uint32_t i = 0; c->parts != NULL && i < c->type->count && i < 4; i++) {
        sum += constant(c->parts[i], depth + 1);
    }
    return sum;
}

static uint64_t function(const struct lull_fr_function *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->norder; i++) {
        const struct lull_fr_block *b = &f->blocks[f->order[i]];
        for (uint32_t k = 0; k < b->nsuccessors; k++) {
            sum += f->blocks[b->successors[k]].label;
        }
        if (b->end <= b->first || f->order[i] >= f->nblocks) {
            abort();
        }
    }
    return sum;
}

/** Any module that can be read has a text, and the module with its lines can be read. */
static uint64_t text_of(const struct lull_spv *m)
{
    struct lull_str text = {0};
    struct lull_spv again = {0};
    uint32_t *words = NULL;
    size_t n = 0;
    struct lull_error *err = lull_spv_text(m, "x", &text, &words, &n);
    struct lull_error *bad = err == NULL ? lull_spv_read(words, n * sizeof *words, &again) : NULL;
    if (bad != NULL) {
        abort();
    }
    const uint64_t sum = text.size;
    lull_error_free(err);
    lull_spv_done(&again);
    lull_str_free(&text);
    free(words);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_fr_spec specs[] = {{.id = 0, .text = "3"}, {.id = 1, .text = "2.5"}};
    struct lull_fr_module m = {.specs = specs, .nspecs = size % 3};
    uint64_t sum = 0;
    struct lull_error *err = lull_fr_read(data, size, NULL, &m);
    for (uint32_t id = 0; err == NULL && id < m.spv.bound; id++) {
        sum += m.ids[id].constant != NULL ? constant(m.ids[id].constant, 0) : 0;
    }
    for (uint32_t i = 0; err == NULL && i < m.nfunctions; i++) {
        sum += function(&m.functions[i]);
    }
    sum += err == NULL ? text_of(&m.spv) : 0;
    volatile uint64_t keep = sum;
    (void)keep;
    if (err != NULL && lull_error_message(err)[0] == '\0') {
        abort();
    }
    lull_error_free(err);
    lull_fr_done(&m);
    return 0;
}
