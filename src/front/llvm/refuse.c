// SPDX-License-Identifier: MIT
// Shaders that are not compiled: which instruction, on which line, and why.
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/debug_priv.h"
#include "front/llvm/stage.h"

enum { WHERE = 160 };

static const char rays[] = ": rays go through acceleration structures and tables of shaders, whose "
                           "form only the driver knows";

static const char tasks[] = ": it runs on a queue of its own, and gives workgroups and their "
                            "payload to mesh shaders through rings of the driver's";

/** What a kind of shader is called, and why there is no code for it; NULL: there is. */
static const struct {
    uint32_t model;
    const char *name, *why;
} kinds[] = {
    {SpvExecutionModelGLCompute, "a compute shader", NULL},
    {SpvExecutionModelVertex, "a vertex shader", NULL},
    {SpvExecutionModelTessellationControl, "a tessellation control shader", NULL},
    {SpvExecutionModelTessellationEvaluation, "a tessellation evaluation shader", NULL},
    {SpvExecutionModelGeometry, "a geometry shader", NULL},
    {SpvExecutionModelFragment, "a pixel shader", NULL},
    {SpvExecutionModelMeshEXT, "a mesh shader", NULL},
    {SpvExecutionModelKernel, "an OpenCL kernel", ""},
    {SpvExecutionModelTaskNV, "a task shader of NVIDIA's extension", ""},
    {SpvExecutionModelTaskEXT, "a task shader", tasks},
    {SpvExecutionModelMeshNV, "a mesh shader of NVIDIA's extension", ""},
    {SpvExecutionModelRayGenerationKHR, "a ray generation shader", rays},
    {SpvExecutionModelIntersectionKHR, "an intersection shader", rays},
    {SpvExecutionModelAnyHitKHR, "an any-hit shader", rays},
    {SpvExecutionModelClosestHitKHR, "a closest-hit shader", rays},
    {SpvExecutionModelMissKHR, "a miss shader", rays},
    {SpvExecutionModelCallableKHR, "a callable shader", rays},
};

/** " at FILE:LINE", which the last line instruction in [first, end) says; the first, if @p any. */
static void where(const struct lull_fr_module *m, size_t first, size_t end, bool any,
                  char text[WHERE])
{
    const struct lull_fl f = {.m = m};
    struct lull_spv_insn in = {0};
    const char *path = NULL;
    uint32_t line = 0, column = 0;
    text[0] = '\0';
    while (first < end && lull_spv_next(&m->spv, &first, &in)) {
        if (lull_fl_debug_line_at(&f, &in, &path, &line, &column)) {
            snprintf(text, WHERE, " at %.120s:%u", path, line);
            if (any) {
                return;
            }
        }
    }
}

static bool begins(const char *cpu, const char *prefix)
{
    return strncmp(cpu, prefix, strlen(prefix)) == 0;
}

/** Why a chip does not draw with a shader; NULL: it does. */
static const char *lacks(uint32_t model, const char *cpu, unsigned gfx)
{
    static const char *const computes[] = {"gfx908", "gfx90a", "gfx94", "gfx95"};
    for (size_t i = 0; i < sizeof computes / sizeof computes[0]; i++) {
        if (begins(cpu, computes[i])) {
            return "it has no stages that draw";
        }
    }
    if (gfx < LULL_FL_GFX9 || gfx > LULL_FL_GFX12) {
        return "shaders that draw are compiled for gfx9 to gfx12";
    }
    if (model == SpvExecutionModelMeshEXT && gfx < LULL_FL_GFX11) {
        return begins(cpu, "gfx103") ? "mesh shaders are compiled for gfx11 and gfx12: it launches "
                                       "them another way"
                                     : "it has no mesh shaders";
    }
    return NULL;
}

struct lull_error *lull_fl_check_model(const struct lull_fr_module *m, const char *cpu,
                                       unsigned gfx)
{
    const struct lull_fr_function *fn = &m->functions[m->entry];
    const char *name = "a shader of a kind that lull does not know", *why = "";
    char at[WHERE] = "";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].model == m->model) {
            name = kinds[i].name;
            why = kinds[i].why;
        }
    }
    where(m, fn->first, fn->end, true, at);
    if (why != NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "word %zu: OpEntryPoint: '%s'%s is %s (execution model %u)%s; "
                              "compute, vertex, tessellation, geometry, mesh and pixel shaders are "
                              "compiled",
                              m->entry_word, m->entry_name, at, name, m->model, why);
    }
    why = m->model == SpvExecutionModelGLCompute ? NULL : lacks(m->model, cpu, gfx);
    return why == NULL ? NULL
                       : lull_error_new(LULL_ERR_UNSUPPORTED,
                                        "word %zu: OpEntryPoint: '%s'%s is %s, for %s: %s",
                                        m->entry_word, m->entry_name, at, name, cpu, why);
}

struct lull_error *lull_fl_check_rays(const struct lull_fr_module *m)
{
    struct lull_spv_insn in = {0};
    char at[WHERE] = "";
    for (size_t pos = m->spv.functions; pos < m->spv.nwords && lull_spv_next(&m->spv, &pos, &in);) {
        const struct lull_spv_op *op = lull_spv_op(in.op);
        if (op == NULL || strncmp(op->name, "OpRayQuery", strlen("OpRayQuery")) != 0) {
            continue;
        }
        const size_t word = in.at;
        for (uint32_t i = 0; i < m->nfunctions; i++) {
            if (m->functions[i].first <= word && word < m->functions[i].end) {
                where(m, m->functions[i].first, word, false, at);
            }
        }
        return lull_spv_error(LULL_ERR_UNSUPPORTED, &in,
                              "%s%sray queries are not compiled: they go through acceleration "
                              "structures, whose form only the driver knows",
                              at + (at[0] != '\0'), at[0] != '\0' ? ": " : "");
    }
    return NULL;
}
