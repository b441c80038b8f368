// SPDX-License-Identifier: MIT
// lull_ev_group() on any module: no crash, no leak, an end after so many steps. Each buffer is 256
// bytes that repeat; addresses elsewhere are errors. Descriptors are images of all types, or texel
// buffers, by their numbers. Where a line begins, values of all ids are looked at. Seeds:
// tests/fuzz/corpus/eval/, modules by glslang and spirv-as.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "front/eval/eval.h"
#include "front/texel/texel.h"
#include "spirv_changes.h"

enum { BYTES = 256, STEPS = 20000, WAVE = 32, MAX_IDS = 512 };

struct world {
    uint8_t memory[BYTES];
    uint64_t sum;
    unsigned asked;
};

static struct lull_error *buffer(void *arg, uint32_t set, uint32_t binding, uint32_t element,
                                 struct lull_ev_buffer *ret)
{
    (void)arg;
    *ret = (struct lull_ev_buffer){.va = set + binding + element,
                                   .bytes = element == 7 ? 0 : BYTES / 2};
    return NULL;
}

static struct lull_error *read_memory(void *arg, uint64_t va, void *ret, size_t size)
{
    struct world *w = arg;
    if (size > BYTES || va > BYTES - size) {
        return lull_error_fault(va, "not there");
    }
    memcpy(ret, w->memory + va, size);
    return NULL;
}

static struct lull_error *write_memory(void *arg, uint64_t va, const void *data, size_t size)
{
    struct world *w = arg;
    if (size > BYTES || va > BYTES - size) {
        return lull_error_fault(va, "not there");
    }
    memcpy(w->memory + va, data, size);
    return NULL;
}

static struct lull_error *read_texels(void *arg, uint64_t va, void *ret, size_t size)
{
    (void)arg;
    memset(ret, (int)(va / 3 & 0xff), size);
    return NULL;
}

static struct lull_error *write_texels(void *arg, uint64_t va, const void *data, size_t size)
{
    struct world *w = arg;
    w->sum += va + ((const uint8_t *)data)[size - 1];
    return NULL;
}

static struct lull_error *image(void *arg, struct lull_ev_image *io)
{
    static const uint16_t formats[] = {1, 22, 42, 46, 57, 62, 48, 109}; // data/fmt/gfx11.fmt
    const struct lull_texel_memory memory = {arg, read_texels, write_texels};
    const uint32_t kind = io->image.set + io->image.binding + io->image.element;
    const struct lull_format_info *f = lull_format_by_code(formats[kind / 9 % 8]);
    const uint32_t samplers[4] = {io->sampler.binding * 0x9e3779b9u, io->sampler.set << 20 | 0xf00,
                                  io->sampler.binding * 0x85ebca6bu, io->sampler.element << 30};
    struct lull_texel t = {.kind = kind % 9 == 8 ? LULL_TEXEL_BUFFER : LULL_TEXEL_IMAGE};
    t.image = (struct lull_image_desc){.format = f,
                                       .type = (uint8_t)(LULL_IMAGE_1D + kind % 9),
                                       .dst_sel = {4, 5, 6, 7},
                                       .width = 9,
                                       .height = 7,
                                       .depth = 6,
                                       .last_slice = 11,
                                       .last_level = 2,
                                       .max_mip = 2,
                                       .samples = 1};
    t.buffer = (struct lull_buffer_desc){
        .format = f, .stride = f->bytes, .records = 20, .dst_sel = {4, 5, 6, 7}};
    lull_sampler_desc_parse(samplers, &t.sampler);
    return lull_texel_do(&t, &memory, io);
}

static struct lull_error *look(void *arg, struct lull_ev *ev, const struct lull_ev_place *at)
{
    struct world *w = arg;
    for (uint32_t id = 0; id < MAX_IDS && w->asked < MAX_IDS; id++) {
        const struct lull_fr_type *t = NULL;
        const uint64_t *v = NULL;
        if (lull_ev_value(ev, id, at->lanes[0], &t, &v)) {
            const uint64_t n = lull_ev_words(t);
            w->sum += n != 0 ? v[0] + v[n - 1] : 0;
            w->asked++;
        }
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t push[64] = {1, 2, 3, 4, 5, 6, 7};
    struct lull_fr_module m = {0};
    struct world w = {.memory = {1, 0, 0, 0, 2, 0, 0, 0, 3}};
    const struct lull_ev_host host = {.arg = &w,
                                      .buffer = buffer,
                                      .read = read_memory,
                                      .write = write_memory,
                                      .image = image,
                                      .line = look};
    const struct lull_ev_dispatch d = {
        .groups = {1, 2, 1}, .wave = WAVE, .push = push, .push_bytes = sizeof push, .steps = STEPS};
    struct lull_ev *ev = NULL;
    struct lull_error *err = lull_fr_read(data, size, NULL, &m);
    err = err != NULL ? err : lull_ev_new(&m, &host, &d, &ev);
    for (uint32_t i = 0; i < 2 && err == NULL; i++) {
        const uint32_t group[3] = {0, i, 0};
        err = lull_ev_group(ev, group);
    }
    volatile uint64_t keep = w.sum;
    (void)keep;
    if (err != NULL && lull_error_message(err)[0] == '\0') {
        abort();
    }
    lull_error_free(err);
    lull_ev_free(ev);
    lull_fr_done(&m);
    return 0;
}
