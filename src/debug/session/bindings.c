// SPDX-License-Identifier: MIT
#include "debug/session/bindings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/ir3/descriptors.h"
#include "debug/session/engine.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"
#include "file/spirv.h"

enum { MAX_WRITTEN = 4096 };

/* Bindings of the dispatch that is looked at; NULL if there is none or its code cannot be read. */
static struct lull_bindings *current(struct lull_debug *d)
{
    struct lull_bindings *b = d->has_dispatch ? calloc(1, sizeof *b) : NULL;
    if (b != NULL) {
        struct lull_error *err = lull_debug_bindings(d, &d->dispatch, b);
        if (err != NULL) {
            lull_error_free(err);
            free(b);
            return NULL;
        }
    }
    return b;
}

/* Which descriptor @p name is: "b3", or its variable's name. */
static bool by_name(struct lull_debug *d, const struct lull_bindings *b, const char *name,
                    size_t length, unsigned *ret)
{
    char *end = NULL;
    if (name[0] == 'b' && isdigit((unsigned char)name[1])) {
        unsigned long n = strtoul(name + 1, &end, 10);
        if (end == name + length && n < b->ndescs) {
            *ret = (unsigned)n;
            return true;
        }
    }
    struct lull_dispatch_names names = {0};
    lull_debug_names_of(d, &d->dispatch, &names);
    lull_cleanup(lull_freep) struct lull_binding_name *n = calloc(b->ndescs + 1, sizeof *n);
    if (n == NULL || names.record == NULL) {
        return false;
    }
    lull_dispatch_bindings(&names, b, n);
    for (unsigned i = 0; i < b->ndescs; i++) {
        if (n[i].known && n[i].element == 0 && strlen(n[i].name) == length &&
            strncmp(n[i].name, name, length) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

bool lull_debug_descriptor(struct lull_debug *d, const char *name, struct lull_desc *ret)
{
    lull_cleanup(lull_freep) struct lull_bindings *b = current(d);
    char *end = NULL;
    unsigned n = 0;
    if (b == NULL) {
        return false;
    }
    const unsigned long long number = strtoull(name, &end, 0);
    if (isdigit((unsigned char)*name) && *end == '\0') {
        n = number < b->ndescs ? (unsigned)number : b->ndescs;
    } else if (!by_name(d, b, name, strlen(name), &n)) {
        return false;
    }
    if (n >= b->ndescs) {
        return false;
    }
    *ret = b->desc[n];
    return true;
}

/* Descriptors of an Adreno's dispatch, in the order of info descriptors; NULL: none, or their
 * registers are others'. */
static struct lull_ir3_desc *ir3_descs(struct lull_debug *d, unsigned *ret_n)
{
    struct lull_ir3_desc *all = d->has_dispatch ? calloc(LULL_IR3_MAX_DESCS, sizeof *all) : NULL;
    struct lull_error *err = all != NULL ? lull_debug_ir3_descs(d, &d->dispatch, all, ret_n) : NULL;
    if (err != NULL) {
        lull_error_free(err);
        free(all);
        return NULL;
    }
    return all;
}

/* Is it a buffer whose address is known? */
static bool is_ir3_buffer(const struct lull_ir3_desc *d)
{
    return d->known && d->there && d->is_buffer && d->bytes != 0;
}

void lull_debug_ir3_binding(struct lull_debug *d, const struct lull_ir3_desc *desc,
                            struct lull_binding_name *ret)
{
    struct lull_dispatch_names names = {0};
    lull_debug_names_of(d, &d->dispatch, &names);
    lull_cleanup(lull_freep) struct lull_names_descriptor *all =
        names.record != NULL && names.spirv != NULL && is_ir3_buffer(desc)
            ? calloc(MAX_WRITTEN, sizeof *all)
            : NULL;
    const size_t n = all != NULL ? lull_names_descriptors(names.record, all, MAX_WRITTEN) : 0;
    *ret = (struct lull_binding_name){.name = "", .type = ""};
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) {
        const struct lull_names_object *o = all[i].object;
        const struct lull_spirv_binding *b =
            lull_spirv_find_binding(names.spirv, all[i].set, all[i].binding);
        if (b == NULL || o == NULL || o->kind != LULL_NAMES_BUFFER || o->place == 0 ||
            o->place + all[i].offset != desc->buffer) {
            continue;
        }
        found++;
        *ret = (struct lull_binding_name){.known = found == 1,
                                          .set = all[i].set,
                                          .binding = all[i].binding,
                                          .element = all[i].element,
                                          .name = b->name[0] != '\0' ? b->name : b->block,
                                          .type = lull_spirv_descriptor_name(b->descriptor)};
    }
}

/* Which of them @p name is: "b3", or its variable's name; @p n: none. */
static unsigned ir3_by_name(struct lull_debug *d, const struct lull_ir3_desc *all, unsigned n,
                            const char *name, size_t length)
{
    char *end = NULL;
    if (name[0] == 'b' && isdigit((unsigned char)name[1])) {
        const unsigned long i = strtoul(name + 1, &end, 10);
        if (end == name + length && i < n) {
            return (unsigned)i;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        struct lull_binding_name b;
        lull_debug_ir3_binding(d, &all[i], &b);
        if (b.known && b.element == 0 && strlen(b.name) == length &&
            strncmp(b.name, name, length) == 0) {
            return i;
        }
    }
    return n;
}

static bool ir3_binding(struct lull_debug *d, const char *name, uint64_t *ret_va)
{
    unsigned n = 0;
    lull_cleanup(lull_freep) struct lull_ir3_desc *all = ir3_descs(d, &n);
    const char *dot = strrchr(name, '.');
    const bool use = dot != NULL && strcmp(dot, ".use") == 0;
    const size_t length = use ? (size_t)(dot - name) : strlen(name);
    const unsigned i = all != NULL ? ir3_by_name(d, all, n, name, length) : n;
    if (i == n || (!use && !is_ir3_buffer(&all[i]))) {
        return false;
    }
    *ret_va = use ? all[i].pc : all[i].buffer;
    return true;
}

static void show_ir3_binding(struct lull_debug *d, uint64_t va, struct lull_str *out)
{
    unsigned n = 0;
    lull_cleanup(lull_freep) struct lull_ir3_desc *all = ir3_descs(d, &n);
    for (unsigned i = 0; all != NULL && i < n; i++) {
        if (is_ir3_buffer(&all[i]) && va - all[i].buffer < all[i].bytes) {
            struct lull_binding_name b;
            lull_debug_ir3_binding(d, &all[i], &b);
            if (b.known && b.name[0] != '\0') {
                lull_str_addf(out, "<%s+0x%" PRIx64 ">", b.name, va - all[i].buffer);
            } else {
                lull_str_addf(out, "<b%u+0x%" PRIx64 ">", i, va - all[i].buffer);
            }
            return;
        }
    }
}

bool lull_debug_binding(struct lull_debug *d, const char *name, uint64_t *ret_va)
{
    if (lull_debug_is_ir3(d)) {
        return ir3_binding(d, name, ret_va);
    }
    lull_cleanup(lull_freep) struct lull_bindings *b = current(d);
    const char *dot = strrchr(name, '.');
    bool use = dot != NULL && strcmp(dot, ".use") == 0;
    size_t length = use ? (size_t)(dot - name) : strlen(name);
    unsigned n = 0;
    uint64_t size = 0;
    if (b == NULL || !by_name(d, b, name, length, &n)) {
        return false;
    }
    if (use) {
        *ret_va = b->desc[n].pc;
        return true;
    }
    if (b->desc[n].kind != LULL_DESC_BUFFER || b->desc[n].indexed) {
        return false;
    }
    *ret_va = lull_desc_buffer(&b->desc[n], &size);
    return true;
}

static bool ir3_binding_at(struct lull_debug *d, uint32_t set, uint32_t binding, uint32_t element,
                           uint64_t *ret_va, uint64_t *ret_bytes)
{
    unsigned n = 0;
    lull_cleanup(lull_freep) struct lull_ir3_desc *all = ir3_descs(d, &n);
    for (unsigned i = 0; all != NULL && i < n; i++) {
        struct lull_binding_name b = {0};
        if (is_ir3_buffer(&all[i])) {
            lull_debug_ir3_binding(d, &all[i], &b);
        }
        if (b.known && b.set == set && b.binding == binding && b.element == element) {
            *ret_va = all[i].buffer;
            *ret_bytes = all[i].bytes;
            return true;
        }
    }
    return false;
}

bool lull_debug_binding_at(struct lull_debug *d, uint32_t set, uint32_t binding, uint32_t element,
                           uint64_t *ret_va, uint64_t *ret_bytes)
{
    if (lull_debug_is_ir3(d)) {
        return ir3_binding_at(d, set, binding, element, ret_va, ret_bytes);
    }
    lull_cleanup(lull_freep) struct lull_bindings *b = current(d);
    lull_cleanup(lull_freep) struct lull_binding_name *n =
        b != NULL ? calloc(b->ndescs + 1, sizeof *n) : NULL;
    struct lull_dispatch_names names = {0};
    lull_debug_names_of(d, &d->dispatch, &names);
    if (n == NULL || names.record == NULL) {
        return false;
    }
    lull_dispatch_bindings(&names, b, n);
    for (unsigned i = 0; i < b->ndescs; i++) {
        if (n[i].known && n[i].set == set && n[i].binding == binding && n[i].element == element &&
            b->desc[i].kind == LULL_DESC_BUFFER && !b->desc[i].indexed) {
            *ret_va = lull_desc_buffer(&b->desc[i], ret_bytes);
            return true;
        }
    }
    return false;
}

static void show_name(struct lull_debug *d, const struct lull_bindings *b, unsigned i,
                      uint64_t offset, struct lull_str *out)
{
    struct lull_dispatch_names names = {0};
    lull_debug_names_of(d, &d->dispatch, &names);
    lull_cleanup(lull_freep) struct lull_binding_name *n = calloc(b->ndescs, sizeof *n);
    bool named = n != NULL && names.record != NULL;
    if (named) {
        lull_dispatch_bindings(&names, b, n);
        named = n[i].known && n[i].name[0] != '\0';
    }
    if (named) {
        lull_str_addf(out, "<%s+0x%" PRIx64 ">", n[i].name, offset);
    } else {
        lull_str_addf(out, "<b%u+0x%" PRIx64 ">", i, offset);
    }
}

void lull_debug_show_binding(struct lull_debug *d, uint64_t va, struct lull_str *out)
{
    if (lull_debug_is_ir3(d)) {
        show_ir3_binding(d, va, out);
        return;
    }
    lull_cleanup(lull_freep) struct lull_bindings *b = current(d);
    for (unsigned i = 0; b != NULL && i < b->ndescs; i++) {
        uint64_t size = 0;
        uint64_t base = lull_desc_buffer(&b->desc[i], &size);
        if (b->desc[i].kind == LULL_DESC_BUFFER && !b->desc[i].indexed && va - base < size) {
            show_name(d, b, i, va - base, out);
            return;
        }
    }
}
