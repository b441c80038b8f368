// SPDX-License-Identifier: MIT
// Modules as the compiler reads them: values of specialization constants that fold.spvasm names
// itself, sizes, blocks; and modules with one word changed, which are refused by name. test_front
// FOLD.spv
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"
#include "compile/run.h"
#include "front/module.h"
#include "test.h"

enum { MAX_WORDS = 2048 };

static struct lull_fr_spec specs[] = {{.id = 0, .text = "7"}, {.id = 1, .text = "-3"}};

static void values(const struct lull_fr_module *m)
{
    unsigned found = 0;
    for (uint32_t id = 0; id < m->spv.bound; id++) {
        const char *name = m->ids[id].name;
        const struct lull_fr_constant *c = m->ids[id].constant;
        if (name == NULL || name[0] != '=') {
            continue;
        }
        const uint32_t want = (uint32_t)strtoul(name + 1, NULL, 16);
        found++;
        test_case(c != NULL && (uint32_t)c->bits == want, name, "%%%u: got 0x%08x, want 0x%08x", id,
                  c != NULL ? (uint32_t)c->bits : 0, want);
    }
    test_case(found == 20, "all constants", "%u", found);
    test_case(m->local_size[0] == 7 && m->local_size[1] == 1 && m->local_size[2] == 4,
              "size of a workgroup", "%u %u %u", m->local_size[0], m->local_size[1],
              m->local_size[2]);
    const struct lull_fr_function *f = &m->functions[m->entry];
    test_case(f->nblocks == 3 && f->norder == 2 && f->order[0] == 0 && f->order[1] == 2,
              "a block that is not reached", "%u of %u", f->norder, f->nblocks);
}

/** In the first instruction @p op, word @p word becomes @p value. */
static const struct {
    uint32_t op, word, value;
    const char *want;
} bad[] = {
    {SpvOpTypeVector, 2, 9999, "id 9999 is not defined"},
    {SpvOpTypeVector, 3, 1, "OpTypeVector %"},
    {SpvOpTypeInt, 2, 7, ": 7 bits"},
    {SpvOpSpecConstant, 1, 0, "bound is"},
    {SpvOpSpecConstantOp, 3, 0xfff0, "an instruction that there is not"},
    {SpvOpSpecConstantOp, 3, SpvOpFMul, "OpFMul of constants of these types"},
    {SpvOpSpecConstantOp, 4, 1, "an operand that is not a constant"},
    {SpvOpSpecConstantComposite, 0, SpvOpSpecConstantComposite | 4 << 16, "word "},
    {SpvOpBranch, 1, 1, "is not a block of this function"},
    {SpvOpBranch, 0, SpvOpNop | 2 << 16, "there are more words than operands"},
    {SpvOpFunctionEnd, 0, SpvOpNop | 1 << 16, "not in a block"},
    {SpvOpEntryPoint, 2, 5, "is not a function with blocks"},
    {SpvOpCapability, 0, 5366 | 2 << 16, "OpCooperativeMatrixReduceNV: lull does not know"},
    {SpvOpCapability, 0, 0xfff0 | 2 << 16, "instruction 65520: lull does not know"},
};

static void damaged(const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < TEST_ROWS(bad); i++) {
        static uint32_t copy[MAX_WORDS];
        struct lull_fr_module m = {.specs = specs, .nspecs = TEST_ROWS(specs)};
        memcpy(copy, words, n * sizeof *copy);
        for (size_t at = LULL_SPV_HEADER_WORDS; at < n && copy[at] != 0; at += copy[at] >> 16) {
            if ((copy[at] & SpvOpCodeMask) == bad[i].op) {
                copy[at + bad[i].word] = bad[i].value;
                break;
            }
        }
        struct lull_error *err = lull_fr_read(copy, n * sizeof *copy, NULL, &m);
        test_case(err != NULL && strstr(lull_error_message(err), bad[i].want) != NULL, bad[i].want,
                  "row %zu: %s", i, err != NULL ? lull_error_message(err) : "no error");
        lull_error_free(err);
        lull_fr_done(&m);
    }
}

static void options(const void *data, size_t size)
{
    static const struct {
        const char *entry;
        struct lull_fr_spec spec;
        const char *want;
    } rows[] = {
        {"other", {.id = 0, .text = "1"}, "--entry: there is no entry point 'other'"},
        {"main", {.id = 9, .text = "1"}, "--spec 9: there is no such constant"},
        {"main", {.id = 0, .text = "x"}, "--spec 0=x: not a value of its type"},
        {"main", {.id = 0, .text = "0x100000000"}, "not a value of its type"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_fr_spec spec = rows[i].spec;
        struct lull_fr_module m = {.specs = &spec, .nspecs = 1};
        struct lull_error *err = lull_fr_read(data, size, rows[i].entry, &m);
        test_case(err != NULL && strstr(lull_error_message(err), rows[i].want) != NULL,
                  rows[i].want, "%s", err != NULL ? lull_error_message(err) : "no error");
        lull_error_free(err);
        lull_fr_done(&m);
    }
}

int main(int argc, char **argv)
{
    lull_cleanup(lull_freep) uint8_t *data = NULL;
    size_t size = 0;
    struct lull_fr_module m = {.specs = specs, .nspecs = TEST_ROWS(specs)};
    struct lull_error *err = argc == 2 ? lull_run_read(argv[1], &data, &size) : &lull_enomem;
    err = err != NULL ? err : lull_fr_read(data, size, "main", &m);
    if (test_case(err == NULL, "a good module", "%s", err != NULL ? lull_error_message(err) : "")) {
        values(&m);
        options(data, size);
        static uint32_t words[MAX_WORDS];
        if (test_case(size <= sizeof words, "room", "%zu", size)) {
            memcpy(words, data, size);
            damaged(words, size / sizeof *words);
        }
    }
    lull_error_free(err);
    lull_fr_done(&m);
    return test_end();
}
