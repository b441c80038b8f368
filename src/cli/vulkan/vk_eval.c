// SPDX-License-Identifier: MIT
// `lull run SHADER --vulkan-device interpreter`: the SPIR-V as it stands, without a driver.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/vulkan/vk_options.h"
#include "cli/vulkan/vk_texels.h"
#include "cli/vulkan/vk_trace.h"
#include "front/eval/eval.h"
#include "front/module.h"

enum {
    ADDRESS_SHIFT = 40, ///< Resource n is at address (n + 1) << this.
    DEFAULT_WAVE = 64,
    ASKED_EVERY = 256, ///< Blocks between two looks at the clock.
};
static const uint64_t NS_PER_S = 1000000000;

struct run {
    const struct lull_vk_case *c;
    struct lull_vk_texels *texels;
    struct lull_vk_trace trace;
    uint64_t end; ///< When it takes too long: CLOCK_MONOTONIC, ns.
    unsigned asked;
};

static uint64_t now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static bool stop(void *arg)
{
    struct run *r = arg;
    if (r->asked++ % ASKED_EVERY != 0) {
        return false;
    }
    return (r->c->stop != NULL && r->c->stop(r->c->stop_arg)) || now() > r->end;
}

/** Where resource @p i is. */
static uint64_t address_of(size_t i)
{
    return ((uint64_t)i + 1) << ADDRESS_SHIFT;
}

LULL_MUST_USE static struct lull_error *buffer(void *arg, uint32_t set, uint32_t binding,
                                               uint32_t element, struct lull_ev_buffer *ret)
{
    const struct run *r = arg;
    for (size_t i = 0; i < r->c->nresources; i++) {
        const struct lull_vk_resource *b = &r->c->resources[i];
        if (!b->bound || b->set != set || b->binding != binding || b->element != element) {
            continue;
        }
        if (b->kind != LULL_VK_BUFFER) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: not a buffer", b->name);
        }
        const uint64_t rest = b->offset <= b->size ? b->size - b->offset : 0;
        const size_t of = b->same != NULL ? (size_t)(b->same - r->c->resources) : i;
        ret->va = address_of(of) + b->offset;
        ret->bytes = b->range != 0 && b->range < rest ? b->range : rest;
        return NULL;
    }
    return lull_error_new(LULL_ERR_INVALID, "nothing is bound to %u.%u[%u]", set, binding, element);
}

/** The bytes at an address; NULL: they are not there. */
static uint8_t *at(const struct run *r, uint64_t va, size_t size)
{
    const uint64_t i = (va >> ADDRESS_SHIFT) - 1,
                   offset = va & ((UINT64_C(1) << ADDRESS_SHIFT) - 1);
    if (i >= r->c->nresources) {
        return NULL;
    }
    const struct lull_vk_resource *b = &r->c->resources[i];
    size_t room = 0;
    uint8_t *bytes = lull_vk_texels_memory(r->texels, i, &room);
    if (b->kind != LULL_VK_IMAGE) {
        bytes = b->bytes;
        room = b->size;
    }
    return offset <= room && room - offset >= size ? bytes + offset : NULL;
}

LULL_MUST_USE static struct lull_error *read_memory(void *arg, uint64_t va, void *ret, size_t size)
{
    const uint8_t *from = at(arg, va, size);
    if (from == NULL) {
        return lull_error_fault(va, "a load of %zu bytes from 0x%llx, where no buffer is", size,
                                (unsigned long long)va);
    }
    memcpy(ret, from, size);
    return NULL;
}

LULL_MUST_USE static struct lull_error *write_memory(void *arg, uint64_t va, const void *data,
                                                     size_t size)
{
    uint8_t *to = at(arg, va, size);
    if (to == NULL) {
        return lull_error_fault(va, "a store of %zu bytes to 0x%llx, where no buffer is", size,
                                (unsigned long long)va);
    }
    memcpy(to, data, size);
    return NULL;
}

LULL_MUST_USE static struct lull_error *image(void *arg, struct lull_ev_image *io)
{
    const struct run *r = arg;
    const struct lull_texel_memory memory = {arg, read_memory, write_memory};
    return lull_vk_texels_do(r->texels, &memory, address_of, io);
}

LULL_MUST_USE static struct lull_error *line(void *arg, struct lull_ev *ev,
                                             const struct lull_ev_place *place)
{
    struct run *r = arg;
    lull_vk_trace_line(&r->trace, ev, place);
    return NULL;
}

LULL_MUST_USE static struct lull_error *put_addresses(const struct lull_vk_case *c)
{
    for (size_t i = 0; i < c->naddresses; i++) {
        const struct lull_vk_address *a = &c->addresses[i];
        const uint64_t address = address_of(a->of);
        uint8_t *bytes = a->into == SIZE_MAX ? c->push : c->resources[a->into].bytes;
        const size_t size = a->into == SIZE_MAX ? c->push_bytes : c->resources[a->into].size;
        if (size < sizeof address || a->offset > size - sizeof address) {
            return lull_error_new(LULL_ERR_INVALID, "no room for an address at byte %llu",
                                  (unsigned long long)a->offset);
        }
        memcpy(bytes + a->offset, &address, sizeof address);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *groups(struct lull_ev *ev, struct run *r)
{
    const struct lull_vk_case *c = r->c;
    struct lull_error *err = NULL;
    const unsigned n = c->repeat != 0 ? c->repeat : 1;
    for (unsigned i = 0; i < n; i++) {
        uint32_t g[3] = {0};
        for (g[2] = 0; g[2] < c->groups[2]; g[2]++) {
            for (g[1] = 0; g[1] < c->groups[1]; g[1]++) {
                for (g[0] = 0; g[0] < c->groups[0] && err == NULL; g[0]++) {
                    r->trace.group = g;
                    err = lull_ev_group(ev, g);
                    lull_vk_trace_group(&r->trace, ev);
                }
            }
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *interpret(const struct lull_vk_options *o,
                                                  const struct lull_fr_module *m,
                                                  struct lull_vk_result *ret)
{
    const struct lull_vk_case *c = &o->c;
    const uint64_t begin = now();
    struct run r = {.c = c, .end = begin + c->timeout_ns};
    struct lull_error *err = lull_vk_trace_begin(&r.trace, m);
    const struct lull_ev_host host = {.arg = &r,
                                      .buffer = buffer,
                                      .read = read_memory,
                                      .write = write_memory,
                                      .image = image,
                                      .line = r.trace.wanted.path != NULL ? line : NULL,
                                      .stop = stop};
    struct lull_ev_dispatch d = {.wave = c->subgroup_size != 0 ? c->subgroup_size : DEFAULT_WAVE,
                                 .push = c->push,
                                 .push_bytes = c->push_bytes};
    struct lull_ev *ev = NULL;
    memcpy(d.groups, c->groups, sizeof d.groups);
    memcpy(d.base, c->base, sizeof d.base);
    err = err != NULL ? err : put_addresses(c);
    err = err != NULL ? err : lull_vk_texels_new(c, &r.texels);
    err = err != NULL ? err : lull_ev_new(m, &host, &d, &ev);
    err = err != NULL ? err : groups(ev, &r);
    if (err != NULL && lull_ev_stopped(ev)) {
        lull_error_free(err);
        err = NULL;
        ret->end = LULL_VK_HANG;
    }
    if (r.texels != NULL && err == NULL) {
        lull_vk_texels_done(r.texels);
    }
    lull_vk_texels_free(r.texels);
    ret->ns = now() - begin;
    err = err != NULL ? err : lull_vk_trace_write(&r.trace);
    lull_vk_trace_done(&r.trace);
    lull_ev_free(ev);
    return err;
}

struct lull_error *lull_vk_eval(const struct lull_vk_options *o, struct lull_vk_result *ret)
{
    const size_t n = o->args.nspecs;
    lull_cleanup(lull_freep) struct lull_fr_spec *specs = calloc(n + 1, sizeof *specs);
    struct lull_fr_module m = {.specs = specs, .nspecs = n};
    if (specs == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        specs[i] = (struct lull_fr_spec){.id = o->args.specs[i].id, .text = o->args.spec_texts[i]};
    }
    struct lull_error *err = lull_fr_read(o->spirv, o->spirv_bytes, o->c.entry, &m);
    err = err != NULL ? err : interpret(o, &m, ret);
    lull_fr_done(&m);
    return lull_error_in(err, "%s", o->name);
}
