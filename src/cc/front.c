// SPDX-License-Identifier: MIT
// SPIR-V as input: src/front makes LLVM IR with lull.* calls of it.
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cc/cc.h"
#include "cc/ir.h"
#include "compile/glsl.h"
#include "front/llvm/lower.h"

enum { WAVE32 = 32, WAVE64 = 64 };

/** Lanes of a wave: what the features say, or what the processor has without them. */
static unsigned wave_of(const struct lull_cc_options *o)
{
    const char *attrs = o->attrs != NULL ? o->attrs : "", *cpu = o->cpu != NULL ? o->cpu : "";
    if (strstr(attrs, "+wavefrontsize64") != NULL) {
        return WAVE64;
    }
    const bool gfx9 = strncmp(cpu, "gfx9", 4) == 0;
    return gfx9 && strstr(attrs, "+wavefrontsize32") == NULL ? WAVE64 : WAVE32;
}

struct lull_error *lull_cc_read_spirv(struct lull_cc *cc, const void *data, size_t size)
{
    struct lull_fr_spec specs[LULL_CC_MAX_SPECS];
    struct lull_fr_module m = {.specs = specs, .nspecs = cc->options->nspecs};
    for (size_t i = 0; i < cc->options->nspecs; i++) {
        specs[i] = (struct lull_fr_spec){.id = cc->options->specs[i].id,
                                         .text = cc->options->specs[i].value};
    }
    struct lull_error *err = lull_fr_read(data, size, cc->options->entry, &m);
    char dir[PATH_MAX] = "";
    if (getcwd(dir, sizeof dir) == NULL) {
        dir[0] = '\0';
    }
    const struct lull_fl_options how = {
        .wave = wave_of(cc->options),
        .gfx =
            lull_ir_generation(cc->options->cpu != NULL ? cc->options->cpu : lull_cc_default_cpu),
        .printf = cc->options->printf,
        .debug = cc->options->debug,
        .keep = cc->options->opt_level == 0,
        .path = cc->options->input,
        .dir = dir};
    err = err != NULL ? err : lull_fl_lower(&m, &how, cc->context, &cc->module);
    lull_fr_done(&m);
    return lull_error_in(err, "%s", cc->options->input);
}

struct lull_error *lull_cc_read_glsl(struct lull_cc *cc)
{
    lull_cleanup(lull_freep) uint8_t *data = NULL;
    size_t size = 0;
    struct lull_error *err = lull_compile_glsl(cc->options->input, NULL, 0, &data, &size);
    return err != NULL ? err : lull_cc_read_spirv(cc, data, size);
}
