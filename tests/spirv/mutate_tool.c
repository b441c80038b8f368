// SPDX-License-Identifier: MIT
// Every module that one change makes of a module, judged by Khronos' validator, and the lines of
// its instructions: mutate_tool IN.spv. mutate.py reads what it prints.
#include <inttypes.h>
#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "spirv/grammar.h"
#include "spirv/mutate.h"

/** 0: valid. */
static int judge(spv_context context, const struct lull_spv_buf *b, uint32_t op, uint32_t line,
                 enum lull_spv_change change)
{
    struct spv_const_binary_t binary = {b->w, b->n};
    spv_diagnostic said = NULL;
    const spv_result_t r = spvValidate(context, &binary, &said);
    printf("%s %" PRIu32 " %" PRIu32 " %d %s\n", r == SPV_SUCCESS ? "valid" : "wrong", op, line,
           (int)change, said != NULL ? said->error : "");
    spvDiagnosticDestroy(said);
    return r != SPV_SUCCESS;
}

static int each(const struct lull_spv *m, const struct lull_spv_insn *in, uint32_t line,
                spv_context context)
{
    enum lull_spv_change change = LULL_SPV_OTHER_OPERATION;
    for (unsigned which = 0; change != LULL_SPV_NO_CHANGE; which++) {
        struct lull_spv_buf b = {0};
        struct lull_error *err = lull_spv_mutate(m, in, which, &b, &change);
        if (err != NULL) {
            printf("wrong 0 0 0 %s\n", lull_error_message(err));
            lull_error_free(err);
            return 1;
        }
        if (change != LULL_SPV_NO_CHANGE) {
            (void)judge(context, &b, in->op, line, change);
        }
        lull_spv_buf_free(&b);
    }
    return 0;
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 22 };
    uint8_t *bytes = malloc(MOST);
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    const size_t size = f != NULL && bytes != NULL ? fread(bytes, 1, MOST, f) : 0;
    struct lull_spv m = {0};
    struct lull_spv_insn in = {0};
    struct lull_spv_line l = {0};
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
    struct lull_error *err = lull_spv_read(bytes, size, &m);
    int failed = err != NULL;
    for (size_t pos = m.functions; !failed && lull_spv_next(&m, &pos, &in);) {
        lull_spv_line_step(&m, &in, &l);
        err = lull_spv_check(&m, &in);
        failed = err != NULL ? 0 : each(&m, &in, l.line, context);
        lull_error_free(err);
        err = NULL;
    }
    lull_error_free(err);
    lull_spv_done(&m);
    spvContextDestroy(context);
    free(bytes);
    if (f != NULL) {
        fclose(f);
    }
    return failed;
}
