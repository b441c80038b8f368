// SPDX-License-Identifier: MIT
// SPIR-V as input: src/front makes LLVM IR with lull.* calls of it.
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"
#include "cc/cc.h"
#include "cc/ir.h"
#include "compile/glsl.h"
#include "front/llvm/lower.h"
#include "link/layout.h"

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

/** A shader before a geometry or evaluation shader. */
LULL_MUST_USE static struct lull_error *read_before(const char *path, struct lull_fr_module *ret)
{
    lull_cleanup(lull_freep) uint8_t *data = NULL;
    size_t size = 0;
    struct lull_error *err = lull_compile_glsl(path, NULL, 0, &data, &size);
    return err != NULL ? err : lull_error_in(lull_fr_read(data, size, NULL, ret), "%s", path);
}

/** Does the command line or the layout say that views are drawn? */
LULL_MUST_USE static struct lull_error *draws_views(const struct lull_cc_options *o, uint32_t model,
                                                    bool *ret)
{
    struct lull_layout layout = {0};
    *ret = o->multiview;
    if (o->layout == NULL || model == SpvExecutionModelGLCompute) {
        return NULL;
    }
    struct lull_error *err = lull_cc_read_layout(o->layout, &layout);
    *ret = *ret || layout.multiview;
    lull_layout_done(&layout);
    return err;
}

struct lull_error *lull_cc_read_spirv(struct lull_cc *cc, const void *data, size_t size)
{
    const struct lull_cc_options *o = cc->options;
    struct lull_fr_spec specs[LULL_CC_MAX_SPECS];
    struct lull_fr_module m = {.specs = specs, .nspecs = o->nspecs}, before[LULL_FL_BEFORE] = {0};
    for (size_t i = 0; i < o->nspecs; i++) {
        specs[i] = (struct lull_fr_spec){.id = o->specs[i].id, .text = o->specs[i].value};
    }
    struct lull_error *err = lull_fr_read(data, size, o->entry, &m);
    const char *cpu = o->cpu != NULL ? o->cpu : lull_cc_default_cpu;
    char dir[PATH_MAX] = "";
    if (getcwd(dir, sizeof dir) == NULL) {
        dir[0] = '\0';
    }
    struct lull_fl_options how = {.wave = wave_of(o),
                                  .cpu = cpu,
                                  .gfx = lull_ir_generation(cpu),
                                  .printf = o->printf,
                                  .primitive_id = o->primitive_id,
                                  .debug = o->debug,
                                  .keep = o->opt_level == 0,
                                  .nbefore = (unsigned)o->nbefore,
                                  .path = o->input,
                                  .dir = dir};
    err = lull_error_in(err, "%s", o->input);
    err = err != NULL ? err : draws_views(o, m.model, &how.multiview);
    for (size_t i = 0; i < o->nbefore && err == NULL; i++) {
        err = read_before(o->before[i], &before[i]);
        how.before[i] = (struct lull_fl_before){.m = &before[i], .path = o->before[i]};
    }
    if (err == NULL) {
        err = lull_error_in(lull_fl_lower(&m, &how, cc->context, &cc->module), "%s", o->input);
    }
    for (size_t i = 0; i < o->nbefore; i++) {
        lull_fr_done(&before[i]);
    }
    lull_fr_done(&m);
    return err;
}

struct lull_error *lull_cc_read_glsl(struct lull_cc *cc)
{
    lull_cleanup(lull_freep) uint8_t *data = NULL;
    size_t size = 0;
    struct lull_error *err = lull_compile_glsl(cc->options->input, NULL, 0, &data, &size);
    return err != NULL ? err : lull_cc_read_spirv(cc, data, size);
}
