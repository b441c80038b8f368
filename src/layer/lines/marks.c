// SPDX-License-Identifier: MIT
// What --check has put into the program's shaders.
#include <stdlib.h>
#include <string.h>

#include "layer/lines/lines.h"
#include "spirv/marks.h"

/** Of $LULL_MARKS. */
static unsigned wanted(void)
{
    const char *what = getenv("LULL_MARKS");
    return what != NULL && strcmp(what, "divisions") == 0 ? LULL_SPV_MARK_DIVISIONS : 0;
}

uint32_t *lull_ll_marked(const void *code, size_t bytes, size_t *ret_bytes)
{
    const unsigned what = wanted();
    uint32_t *words = NULL;
    size_t n = 0;
    struct lull_error *err = what != 0 ? lull_spv_mark(code, bytes, what, &words, &n) : NULL;
    if (err != NULL) {
        lull_ll_complain("a shader is as it was: %s", lull_error_message(err));
        lull_error_free(err);
    }
    *ret_bytes = n * sizeof *words;
    return words;
}

/** The code that a stage brings itself; NULL: it has a module. */
static const VkShaderModuleCreateInfo *own_code(const VkPipelineShaderStageCreateInfo *stage)
{
    const VkShaderModuleCreateInfo *own = stage->pNext;
    const bool is = stage->module == VK_NULL_HANDLE && own != NULL &&
                    own->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    return is ? own : NULL;
}

void lull_ll_mark_stage(struct lull_ll_marked *m, VkPipelineShaderStageCreateInfo *stage)
{
    const VkShaderModuleCreateInfo *own = own_code(stage);
    size_t bytes = 0;
    uint32_t *words = own != NULL ? lull_ll_marked(own->pCode, own->codeSize, &bytes) : NULL;
    struct lull_ll_marked_code *c = words != NULL ? malloc(sizeof *c) : NULL;
    if (c == NULL) {
        free(words);
        return;
    }
    *c = (struct lull_ll_marked_code){.info = *own, .words = words, .other = m->all};
    c->info.pCode = words;
    c->info.codeSize = bytes;
    m->all = c;
    stage->pNext = &c->info;
}

void lull_ll_marked_done(struct lull_ll_marked *m)
{
    for (struct lull_ll_marked_code *c = m->all, *other = NULL; c != NULL; c = other) {
        other = c->other;
        free(c->words);
        free(c);
    }
    m->all = NULL;
}
