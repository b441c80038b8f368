// SPDX-License-Identifier: MIT
/* Names and addresses: kernels, code of pipelines, buffers, bindings. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "debug/code/code.h"
#include "debug/session/bindings.h"
#include "debug/session/block.h"
#include "debug/session/engine.h"
#include "debug/session/lines.h"
#include "debug/session/pipeline.h"

bool lull_debug_find_symbol(struct lull_debug *d, const char *name, uint64_t *ret_va)
{
    for (size_t i = 0; d->image != NULL && i < lull_image_nsymbols(d->image); i++) {
        const struct lull_symbol *symbol = lull_image_symbol(d->image, i);
        if (strcmp(symbol->name, name) == 0) {
            *ret_va = d->image_va + symbol->offset;
            return true;
        }
    }
    const struct lull_pipeline *p = lull_pipeline_by_symbol(d, name);
    if (p != NULL) {
        *ret_va = p->va;
        return true;
    }
    if (lull_debug_is_program(d)) {
        return lull_debug_binding(d, name, ret_va) || lull_debug_block_address(d, name, ret_va);
    }
    struct lull_bo_info infos[64];
    size_t n = 0;
    struct lull_error *err = lull_debug_bos(d, infos, 64, &n);
    lull_error_free(err);
    for (size_t i = 0; err == NULL && i < n && i < 64; i++) {
        if (strcmp(infos[i].name, name) == 0) {
            *ret_va = infos[i].va;
            return true;
        }
    }
    return false;
}

void lull_debug_show_place(struct lull_debug *d, uint64_t va, struct lull_str *out)
{
    if (lull_debug_is_program(d)) {
        lull_debug_show_binding(d, va, out);
        return;
    }
    struct lull_bo_info infos[64];
    size_t n = 0;
    struct lull_error *err = lull_debug_bos(d, infos, 64, &n);
    bool known = err == NULL;
    lull_error_free(err);
    for (size_t i = 0; known && i < n && i < 64; i++) {
        if (va - infos[i].va < infos[i].size && infos[i].name[0] != '\0') {
            lull_str_addf(out, "<%s+0x%" PRIx64 ">", infos[i].name, va - infos[i].va);
            return;
        }
    }
}

void lull_debug_show_symbol(const struct lull_debug *d, uint64_t va, struct lull_str *out)
{
    uint64_t start = 0;
    const char *name = NULL;
    if (lull_debug_code(d, va, &start, &name)) {
        lull_str_addf(out, "<%s+0x%" PRIx64 ">", name, va - start);
    }
}

bool lull_debug_line_at(const struct lull_debug *d, uint64_t va, struct lull_line *ret)
{
    if (d->image == NULL || va < d->image_va ||
        !lull_image_line_at(d->image, va - d->image_va, ret) || ret->line == 0) {
        return lull_debug_lines_at(d, va, ret);
    }
    ret->file = lull_path_from_here(ret->file);
    return true;
}

struct names {
    const struct lull_debug *d;
    struct lull_str text;
};

static const char *name_target(void *ctx, uint64_t address)
{
    struct names *n = ctx;
    uint64_t start = 0;
    const char *name = NULL;
    if (!lull_debug_code(n->d, address, &start, &name)) {
        return NULL;
    }
    uint64_t past = address - start;
    lull_str_free(&n->text);
    n->text = (struct lull_str){0};
    lull_str_addf(&n->text, "%s", name);
    if (past != 0) {
        lull_str_addf(&n->text, "+0x%" PRIx64, past);
    }
    return lull_str_text(&n->text);
}

struct lull_error *lull_debug_insn_text(struct lull_debug *d, uint64_t va, unsigned lanes,
                                        struct lull_str *out, unsigned *ret_size)
{
    struct names names = {.d = d};
    const struct lull_insn_print how = {.lanes = lanes, .symbol = name_target, .ctx = &names};
    struct lull_error *err = lull_code_text(d->target, va, how, out, ret_size);
    lull_str_free(&names.text);
    return err;
}
