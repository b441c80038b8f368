// SPDX-License-Identifier: MIT
// Modules: those that print are lowered, and what is known of their calls is kept.
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "layer/printf/printf.h"
#include "printf/table.h"
#include "spirv/module.h"
#include "spirv/printf.h"

bool lull_lp_room(void *items, size_t n, size_t *room, size_t size)
{
    void **at = items;
    if (n < *room) {
        return true;
    }
    const size_t more = *room == 0 ? 16 : 2 * *room;
    void *now = realloc(*at, more * size);
    if (now != NULL) {
        *at = now;
        *room = more;
    }
    return now != NULL;
}

const char *lull_lp_keep(struct lull_lp_device *d, const char *text)
{
    const size_t size = text != NULL ? strlen(text) + 1 : 0;
    char *copy = size > 1 ? lull_arena_calloc(&d->arena, size, 1) : NULL;
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

struct lull_lp_module *lull_lp_module(struct lull_lp_device *d, VkShaderModule handle)
{
    struct lull_lp_module *m = handle != VK_NULL_HANDLE ? d->modules : NULL;
    while (m != NULL && m->handle != handle) {
        m = m->other;
    }
    return m;
}

/** While a module is lowered. */
struct lowering {
    struct lull_lp_device *d;
    struct lull_lp_module *m;
    bool failed;
};

static void on_message(void *arg, const struct lull_spirv_printf_message *message)
{
    const struct lowering *l = arg;
    lull_lp_complain("shader module %u: %s%s%u: %s%s", l->m->number,
                     message->file != NULL ? message->file : "",
                     message->file != NULL ? ":" : "line ", message->line,
                     message->error ? "" : "warning: ", message->text);
}

static void on_site(void *arg, const struct lull_spirv_printf_site *site)
{
    struct lowering *l = arg;
    struct lull_lp_device *d = l->d;
    if (l->failed || !lull_lp_room(&d->sites, d->nsites, &d->sites_room, sizeof *d->sites)) {
        l->failed = true;
        return;
    }
    d->sites[d->nsites++] = (struct lull_lp_site){l->m, lull_lp_keep(d, site->file), site->line};
}

/** The execution model of all entry points; UINT32_MAX: there are several. */
static uint32_t model_of(const void *code, size_t size)
{
    struct lull_spv m = {0};
    struct lull_spv_insn in = {0};
    uint32_t model = UINT32_MAX;
    bool first = true;
    struct lull_error *err = lull_spv_read(code, size, &m);
    if (err != NULL) {
        lull_error_free(err);
        return model;
    }
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < m.functions && lull_spv_next(&m, &pos, &in);) {
        if (in.op == SpvOpEntryPoint) {
            model = first || model == lull_spv_word(&in, 1) ? lull_spv_word(&in, 1) : UINT32_MAX;
            first = false;
        }
    }
    lull_spv_done(&m);
    return model;
}

/** Lower with these records; no memory in *ret if there is nothing to lower. */
LULL_MUST_USE static struct lull_error *with_records(struct lowering *l, const void *code,
                                                     size_t size, unsigned records,
                                                     struct lull_spirv_printf_result *ret)
{
    const struct lull_lp_device *d = l->d;
    const struct lull_spirv_printf_options options = {.place = LULL_SPIRV_PRINTF_ADDRESS,
                                                      .address = d->address,
                                                      .bytes = d->bytes,
                                                      .first_site = (uint32_t)d->nsites,
                                                      .pipeline_spec = LULL_LP_SPEC_ID,
                                                      .records = records,
                                                      .fn = on_message,
                                                      .site = on_site,
                                                      .arg = l};
    return lull_spirv_printf(code, size, &options, d->table, ret);
}

/** Lower; where what lines begin with cannot be recorded, without that. Lock held. */
LULL_MUST_USE static struct lull_error *lower(struct lowering *l, const void *code, size_t size,
                                              struct lull_spirv_printf_result *ret)
{
    const unsigned of_invocation = LULL_PRINTF_WORKGROUP | LULL_PRINTF_WAVE | LULL_PRINTF_LANE;
    const size_t nsites = l->d->nsites;
    struct lull_error *err = with_records(l, code, size, l->d->records, ret);
    if (err != NULL && (l->d->records & of_invocation) != 0) {
        lull_lp_complain("shader module %u: lines do not say which invocation: %s", l->m->number,
                         lull_error_message(err));
        lull_error_free(err);
        l->d->nsites = nsites;
        err = with_records(l, code, size, l->d->records & ~of_invocation, ret);
    }
    if (err != NULL || ret->words == NULL || l->failed) {
        l->d->nsites = nsites;
    }
    return err;
}

/** Does the module name the instructions of debug printf at all? Most do not: this is quick. */
static bool names_printf(const void *code, size_t size)
{
    static const char name[] = "NonSemantic.DebugPrintf";
    return memmem(code, size, name, sizeof name) != NULL;
}

struct lull_lp_module *lull_lp_lower(struct lull_lp_device *d, const void *code, size_t size,
                                     uint32_t **ret, size_t *ret_words)
{
    struct lull_spirv_printf_result result = {0};
    *ret = NULL;
    if (d->buffer == VK_NULL_HANDLE || code == NULL || !names_printf(code, size)) {
        return NULL;
    }
    pthread_mutex_lock(&d->lock);
    struct lull_lp_module *m = lull_arena_calloc(&d->arena, 1, sizeof *m);
    struct lowering l = {d, m, m == NULL};
    struct lull_error *err = &lull_enomem;
    if (m != NULL) {
        m->number = ++d->nmodules;
        m->model = model_of(code, size);
        err = lower(&l, code, size, &result);
    }
    if (err != NULL) {
        lull_lp_complain("shader module %u prints nothing: %s", d->nmodules,
                         lull_error_message(err));
        lull_error_free(err);
    }
    if (err != NULL || result.words == NULL || l.failed) {
        free(result.words);
        m = NULL;
    } else {
        m->other = d->modules;
        d->modules = m;
        d->prints = true;
        *ret = result.words;
        *ret_words = result.nwords;
    }
    pthread_mutex_unlock(&d->lock);
    return m;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device,
                                                    const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *alloc,
                                                    VkShaderModule *ret)
{
    struct lull_lp_device *d = lull_lp_device(device);
    VkShaderModuleCreateInfo now = *info;
    uint32_t *words = NULL;
    size_t nwords = 0;
    struct lull_lp_module *m = lull_lp_lower(d, info->pCode, info->codeSize, &words, &nwords);
    if (m != NULL) {
        now.pCode = words;
        now.codeSize = 4 * nwords;
    }
    const VkResult result = d->next.create_module(device, &now, alloc, ret);
    if (m != NULL && result == VK_SUCCESS) {
        pthread_mutex_lock(&d->lock);
        m->handle = *ret;
        pthread_mutex_unlock(&d->lock);
    }
    free(words);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_module(VkDevice device, VkShaderModule module,
                                                 const VkAllocationCallbacks *alloc)
{
    struct lull_lp_device *d = lull_lp_device(device);
    pthread_mutex_lock(&d->lock);
    struct lull_lp_module *m = lull_lp_module(d, module);
    if (m != NULL) {
        m->handle = VK_NULL_HANDLE;
    }
    pthread_mutex_unlock(&d->lock);
    d->next.destroy_module(device, module, alloc);
}

const struct lull_loader_hook *lull_lp_module_hooks(size_t *ret)
{
    static const struct lull_loader_hook hooks[] = {
        {"vkCreateShaderModule", (PFN_vkVoidFunction)create_module},
        {"vkDestroyShaderModule", (PFN_vkVoidFunction)destroy_module},
    };
    *ret = sizeof hooks / sizeof hooks[0];
    return hooks;
}
