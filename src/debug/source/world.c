// SPDX-License-Identifier: MIT
#include "debug/source/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "compile/run.h"
#include "debug/source/priv.h"
#include "hw/field.h"
#include "spirv/text.h"

enum { MAX_BOS = 65536, MAX_ELEMENTS = 4096, MAX_SPECS = 64 };
static const uint64_t MOST_BYTES = UINT64_C(1) << 28; // of a process, that are kept
static const uint64_t STEPS = 200000000;

struct kept {
    uint64_t va, size;
    uint8_t *bytes; ///< Owned.
};

struct bound {
    uint32_t set, binding, element;
    struct lull_ev_buffer at;
};

struct textured {
    uint32_t set, binding, element;
    struct lull_texel texel;
};

/** What was there before the interpreter wrote. */
struct undo {
    uint8_t *at;
    uint8_t size, bytes[16];
};

struct lull_world {
    struct lull_debug *d;
    struct kept *kept; ///< Owned.
    size_t nkept;
    struct bound *bound; ///< Owned.
    size_t nbound;
    struct textured *textured; ///< Images, samplers, texel buffers. Owned.
    size_t ntextured;
    struct undo *undo; ///< Owned.
    size_t nundo, undo_room;
    uint8_t *push; ///< Owned.
    size_t push_bytes;
    uint32_t groups[3];
    struct lull_fr_spec specs[MAX_SPECS];
    char texts[MAX_SPECS][LULL_SOURCE_SPEC_ROOM];
    struct lull_fr_module m;
    // What is run:
    struct lull_error *(*line)(void *arg, struct lull_ev *ev, const struct lull_ev_place *at);
    void *line_arg;
};

void lull_world_free(struct lull_world *w)
{
    if (w == NULL) {
        return;
    }
    for (size_t i = 0; i < w->nkept; i++) {
        free(w->kept[i].bytes);
    }
    lull_fr_done(&w->m);
    free(w->kept);
    free(w->bound);
    free(w->textured);
    free(w->undo);
    free(w->push);
    free(w);
}

const struct lull_fr_module *lull_world_module(const struct lull_world *w)
{
    return &w->m;
}

LULL_MUST_USE static struct lull_error *keep_memory(struct lull_world *w)
{
    lull_cleanup(lull_freep) struct lull_bo_info *bos = calloc(MAX_BOS, sizeof *bos);
    size_t n = 0;
    uint64_t total = 0;
    struct lull_error *err = bos == NULL ? &lull_enomem : lull_debug_bos(w->d, bos, MAX_BOS, &n);
    n = n < MAX_BOS ? n : MAX_BOS;
    w->kept = err == NULL ? calloc(n + 1, sizeof *w->kept) : NULL;
    if (err == NULL && w->kept == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < n; i++) {
        if (!bos[i].writable || bos[i].name[0] != '\0') {
            continue;
        }
        total += bos[i].size;
        if (total > MOST_BYTES) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "the process has more than 256 MiB mapped for writing: its "
                                  "shaders are not interpreted");
        }
        struct kept *k = &w->kept[w->nkept++];
        *k = (struct kept){bos[i].va, bos[i].size, malloc(bos[i].size + 1)};
        err = k->bytes == NULL ? &lull_enomem
                               : w->d->target->ops->read(w->d->target, k->va, k->bytes, k->size);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *add_buffer(struct lull_world *w, const struct bound *b)
{
    struct bound *all = reallocarray(w->bound, w->nbound + 1, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    w->bound = all;
    all[w->nbound++] = *b;
    return NULL;
}

LULL_MUST_USE static struct lull_error *add_textured(struct lull_world *w, const struct textured *t)
{
    struct textured *all = reallocarray(w->textured, w->ntextured + 1, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    w->textured = all;
    all[w->ntextured++] = *t;
    return NULL;
}

/** All elements of all descriptors that the driver's code says where they are. */
LULL_MUST_USE static struct lull_error *find_descriptors(struct lull_world *w,
                                                         const struct lull_source_work *work)
{
    struct lull_error *err = NULL;
    for (unsigned k = 0; k < work->nslots; k++) {
        const struct lull_source_slot *s = &work->slots[k];
        const uint32_t n = lull_source_elements(&s->at.slot);
        for (uint32_t i = 0; i < n && i < MAX_ELEMENTS && err == NULL; i++) {
            struct bound b = {.set = s->set, .binding = s->at.slot.binding, .element = i};
            struct textured t = {.set = s->set, .binding = s->at.slot.binding, .element = i};
            if (lull_source_buffer(work, s, i, &b.at.va, &b.at.bytes)) {
                err = add_buffer(w, &b);
            } else if (lull_source_texel(work, s, i, &t.texel)) {
                err = add_textured(w, &t);
            }
        }
    }
    return err;
}

/** Specialization constants of the pipeline that the module has. */
static void find_specs(struct lull_world *w, const struct lull_source_work *work)
{
    w->m.specs = w->specs;
    for (size_t i = 0; i < work->pipeline->nspecs && w->m.nspecs < MAX_SPECS; i++) {
        const struct lull_names_spec *s = &work->pipeline->specs[i];
        char *text = w->texts[w->m.nspecs];
        if (lull_source_spec(work->names.spirv, s, text)) {
            const char *value = strchr(text, '=');
            w->specs[w->m.nspecs++] = (struct lull_fr_spec){.id = s->id, .text = value + 1};
        }
    }
}

/** The module; one without lines gets those of its text, as `--lines` has them. */
LULL_MUST_USE static struct lull_error *read_module(struct lull_world *w,
                                                    const struct lull_source_work *work)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    lull_cleanup(lull_freep) uint32_t *words = NULL;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_spv m = {0};
    size_t size = 0, nwords = 0;
    struct lull_error *err = lull_run_read(work->pipeline->shader->file, &bytes, &size);
    err = err != NULL ? err : lull_spv_read(bytes, size, &m);
    if (err == NULL && !lull_spv_has_lines(&m)) {
        err = lull_spv_text(&m, "", &text, &words, &nwords);
    }
    lull_spv_done(&m);
    return err != NULL ? err
                       : lull_fr_read(words != NULL ? (const void *)words : bytes,
                                      words != NULL ? nwords * sizeof *words : size,
                                      work->pipeline->entry, &w->m);
}

LULL_MUST_USE static struct lull_error *fill(struct lull_world *w,
                                             const struct lull_source_work *work)
{
    const struct lull_names_dispatch *r = work->names.record;
    w->push = malloc(r->npush + 1);
    if (w->push == NULL) {
        return &lull_enomem;
    }
    if (r->npush != 0) {
        memcpy(w->push, r->push, r->npush);
    }
    w->push_bytes = r->npush;
    memcpy(w->groups, w->d->dispatch.grid, sizeof w->groups);
    find_specs(w, work);
    struct lull_error *err = find_descriptors(w, work);
    err = err != NULL ? err : read_module(w, work);
    return err != NULL ? err : keep_memory(w);
}

struct lull_error *lull_world_new(struct lull_debug *d, struct lull_world **ret)
{
    struct lull_world *w = calloc(1, sizeof *w);
    struct lull_source_work *work = calloc(1, sizeof *work);
    struct lull_error *err = w == NULL || work == NULL ? &lull_enomem : NULL;
    if (err == NULL) {
        w->d = d;
        err = lull_source_look_at(d, work);
        err = err != NULL ? err : fill(w, work);
    }
    if (work != NULL) {
        lull_source_work_done(work);
    }
    free(work);
    if (err != NULL) {
        lull_world_free(w);
        return err;
    }
    *ret = w;
    return NULL;
}

LULL_MUST_USE static struct lull_error *buffer(void *arg, uint32_t set, uint32_t binding,
                                               uint32_t element, struct lull_ev_buffer *ret)
{
    const struct lull_world *w = arg;
    for (size_t i = 0; i < w->nbound; i++) {
        const struct bound *b = &w->bound[i];
        if (b->set == set && b->binding == binding && b->element == element) {
            *ret = b->at;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          "set %" PRIu32 ", binding %" PRIu32 "[%" PRIu32
                          "]: the driver's code does not say where that is",
                          set, binding, element);
}

/** Memory that was kept; NULL: none of it. Descriptors have the low 48 bits of an address. */
static uint8_t *kept_at(const struct lull_world *w, uint64_t address, size_t size)
{
    const uint64_t va = (uint64_t)((int64_t)(address << 16) >> 16);
    for (size_t i = 0; i < w->nkept; i++) {
        const struct kept *k = &w->kept[i];
        if (va >= k->va && va - k->va <= k->size && k->size - (va - k->va) >= size) {
            return k->bytes + (va - k->va);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_memory(void *arg, uint64_t va, void *ret, size_t size)
{
    const struct lull_world *w = arg;
    const uint8_t *from = kept_at(w, va, size);
    if (from == NULL) { // nobody writes it
        return w->d->target->ops->read(w->d->target, va, ret, size);
    }
    memcpy(ret, from, size);
    return NULL;
}

LULL_MUST_USE static struct lull_error *write_memory(void *arg, uint64_t va, const void *data,
                                                     size_t size)
{
    struct lull_world *w = arg;
    uint8_t *to = kept_at(w, va, size);
    if (to == NULL || size > sizeof w->undo->bytes) {
        return lull_error_fault(va, "a store to 0x%" PRIx64 ", which the process may not write",
                                va);
    }
    if (w->nundo == w->undo_room) {
        const size_t room = w->undo_room != 0 ? 2 * w->undo_room : 1024;
        struct undo *all = reallocarray(w->undo, room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        w->undo = all;
        w->undo_room = room;
    }
    struct undo *u = &w->undo[w->nundo++];
    *u = (struct undo){.at = to, .size = (uint8_t)size};
    memcpy(u->bytes, to, size);
    memcpy(to, data, size);
    return NULL;
}

/** What is in a descriptor. */
LULL_MUST_USE static struct lull_error *textured_at(const struct lull_world *w,
                                                    const struct lull_ev_slot *slot,
                                                    const struct lull_texel **ret)
{
    for (size_t i = 0; i < w->ntextured; i++) {
        const struct textured *t = &w->textured[i];
        if (t->set == slot->set && t->binding == slot->binding && t->element == slot->element) {
            *ret = &t->texel;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          "set %" PRIu32 ", binding %" PRIu32 "[%" PRIu32
                          "]: the driver's code does not say where that is",
                          slot->set, slot->binding, slot->element);
}

LULL_MUST_USE static struct lull_error *image(void *arg, struct lull_ev_image *io)
{
    enum { FROM_TABLE = 3 };
    const struct lull_world *w = arg;
    const struct lull_texel_memory memory = {arg, read_memory, write_memory};
    const bool samples = io->what == LULL_EV_IMAGE_SAMPLE || io->what == LULL_EV_IMAGE_GATHER;
    const struct lull_texel *of = NULL, *sampler = NULL;
    struct lull_error *err = textured_at(w, &io->image, &of);
    err = err == NULL && samples ? textured_at(w, &io->sampler, &sampler) : err;
    if (err != NULL) {
        return err;
    }
    struct lull_texel texel = *of;
    if (samples) {
        texel.sampler = sampler->sampler;
    }
    if (samples && texel.sampler.border_type == FROM_TABLE) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "a sampler whose border has a colour of the program's own");
    }
    return lull_texel_do(&texel, &memory, io);
}

LULL_MUST_USE static struct lull_error *begin_line(void *arg, struct lull_ev *ev,
                                                   const struct lull_ev_place *at)
{
    const struct lull_world *w = arg;
    return w->line(w->line_arg, ev, at);
}

struct lull_error *lull_world_run(struct lull_world *w, const uint32_t group[3], unsigned wave,
                                  struct lull_error *(*line)(void *arg, struct lull_ev *ev,
                                                             const struct lull_ev_place *at),
                                  void *arg)
{
    const struct lull_ev_host host = {.arg = w,
                                      .buffer = buffer,
                                      .read = read_memory,
                                      .write = write_memory,
                                      .image = image,
                                      .line = begin_line};
    struct lull_ev_dispatch d = {
        .wave = wave, .push = w->push, .push_bytes = w->push_bytes, .steps = STEPS};
    struct lull_ev *ev = NULL;
    memcpy(d.groups, w->groups, sizeof d.groups);
    w->line = line;
    w->line_arg = arg;
    struct lull_error *err = lull_ev_new(&w->m, &host, &d, &ev);
    err = err != NULL ? err : lull_ev_group(ev, group);
    lull_ev_free(ev);
    for (; w->nundo != 0; w->nundo--) {
        const struct undo *u = &w->undo[w->nundo - 1];
        memcpy(u->at, u->bytes, u->size);
    }
    return err;
}
