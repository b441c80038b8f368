// SPDX-License-Identifier: MIT
// The relocation pass, from the layout's file to the metadata.
#include <string.h>

#include "base/cleanup.h"
#include "cc/ir.h"
#include "cc/reloc_priv.h"
#include "compile/run.h"

/** PAL finds the entry by this name. */
LULL_MUST_USE static struct lull_error *rename_entry(struct lull_rl *rl, struct lull_rl_entry *e)
{
    char name[] = "_amdgpu_xx_main_fetchless";
    memcpy(name + sizeof "_amdgpu_" - 1, e->stage, 2);
    if (e->nattribute_vgprs == 0) {
        name[sizeof "_amdgpu_xx_main" - 1] = '\0';
    }
    if (e->glue == LULL_RL_EXPORT) {
        return NULL;
    }
    LLVMValueRef taken = LLVMGetNamedGlobal(rl->cc->module, name);
    taken = taken != NULL ? taken : LLVMGetNamedFunction(rl->cc->module, name);
    if (taken != NULL && taken != e->fn) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: '%s' is what the shader '%s' is to be called",
                              rl->cc->options->input, name, e->name);
    }
    LLVMSetValueName2(e->fn, name, strlen(name));
    LLVMSetLinkage(e->fn, LLVMExternalLinkage);
    return NULL;
}

/** The declarations of intrinsics are of no use any more. */
static void drop_declarations(LLVMModuleRef m)
{
    LLVMValueRef next = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL; f = next) {
        next = LLVMGetNextFunction(f);
        if (strncmp(lull_ir_name(f), "lull.", 5) == 0 && LLVMGetFirstUse(f) == NULL) {
            LLVMDeleteFunction(f);
        }
    }
}

LULL_MUST_USE static struct lull_error *lower(struct lull_rl *rl)
{
    struct lull_error *err = lull_rl_scan(rl);
    for (size_t i = 0; err == NULL && i < rl->nentries; i++) {
        struct lull_rl_entry *e = &rl->entries[i];
        if (e->ncalls != 0) {
            err = lull_rl_assign(rl, e);
            err = err != NULL ? err : lull_rl_parameters(rl, e);
            err = err != NULL ? err : lull_rl_emit(rl, e);
        }
        err = err != NULL ? err : rename_entry(rl, e);
    }
    if (err == NULL) {
        drop_declarations(rl->cc->module);
        err = lull_rl_metadata(rl);
    }
    return err;
}

struct lull_error *lull_cc_read_layout(const char *path, struct lull_layout *ret)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(path, &bytes, &size);
    if (err == NULL) {
        err = lull_layout_read((const char *)bytes, size, ret);
        err = err != NULL ? lull_error_in(err, "%s", path) : NULL;
    }
    return err;
}

struct lull_error *lull_cc_reloc(struct lull_cc *cc)
{
    const bool wanted = lull_rl_wanted(cc->module);
    if (!wanted && lull_rl_has_pipelines(cc->module)) {
        return NULL; // the front end did it all
    }
    if (wanted && lull_rl_has_pipelines(cc->module)) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "%s: there are PAL metadata of a pipeline; shaders that use lull.* "
                              "intrinsics get their own",
                              cc->options->input);
    }
    if (!cc->amdpal) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: shaders are for amdpal, the target is %s",
                              cc->options->input, LLVMGetTarget(cc->module));
    }
    struct lull_layout layout = {0};
    struct lull_rl rl = {.cc = cc};
    struct lull_error *err = NULL;
    if (cc->options->layout != NULL) {
        err = lull_cc_read_layout(cc->options->layout, &layout);
        rl.layout = &layout;
        const bool usual = cc->options->printf_set == LULL_LAYOUT_PRINTF_SET &&
                           cc->options->printf_binding == LULL_LAYOUT_PRINTF_BINDING;
        if (err == NULL && cc->printf_in_layout && usual) {
            err =
                lull_layout_add_buffer(&layout, LULL_LAYOUT_PRINTF_SET, LULL_LAYOUT_PRINTF_BINDING);
        }
    }
    if (err == NULL) {
        err = lower(&rl);
    }
    lull_arena_done(&rl.arena);
    lull_layout_done(&layout);
    return err;
}
