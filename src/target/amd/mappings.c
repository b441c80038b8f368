// SPDX-License-Identifier: MIT
/* What is mapped in a client's address space: from its page tables, told apart by the file's
 * buffer handles. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "drm/amdgpu/amdgpu.h"
#include "hw/gc11_regs.h"
#include "hw/pte11_regs.h"
#include "target/amd/debug_priv.h"

enum {
    ENTRIES = 512,
    ROOT_LEVEL = 3,
    MAX_MAPPINGS = 65536,
    MAX_HANDLES = 65536,
    MISSES = 256, // handles in a row that are not there: the end
};

/** A run of addresses with one kind of page behind it. */
struct mapping {
    uint64_t va, size, address; ///< address: physical or on the bus.
    bool system, writable, executable;
};

struct list {
    struct mapping *m;
    size_t n, room;
};

/** A buffer by the memory it has; needs GEM_MMAP offsets that say where it lies, as vdrm's. */
struct buffer {
    uint64_t address, size;
    uint32_t handle;
    bool system;
};

LULL_MUST_USE static struct lull_error *add(struct list *l, const struct mapping *m)
{
    struct mapping *last = l->n != 0 ? &l->m[l->n - 1] : NULL;
    if (last != NULL && last->va + last->size == m->va &&
        last->address + last->size == m->address && last->system == m->system &&
        last->writable == m->writable && last->executable == m->executable) {
        last->size += m->size;
        return NULL;
    }
    if (l->n == MAX_MAPPINGS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "more than %d mappings", MAX_MAPPINGS);
    }
    if (l->n == l->room) {
        size_t room = l->room == 0 ? 64 : 2 * l->room;
        struct mapping *more = realloc(l->m, room * sizeof *more);
        if (more == NULL) {
            return &lull_enomem;
        }
        l->m = more;
        l->room = room;
    }
    l->m[l->n++] = *m;
    return NULL;
}

/** A table that is being read. */
struct table {
    struct lull_amd_target *t;
    struct list *l;
    uint64_t vram;
    unsigned level;
    uint64_t va; ///< Of its first entry.
    uint64_t address;
};

LULL_MUST_USE static struct lull_error *scan(const struct table *t)
{
    lull_cleanup(lull_freep) uint64_t *entries = calloc(ENTRIES, sizeof *entries);
    if (entries == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debugfs_read_vram(&t->t->debugfs, t->address - t->vram, entries,
                                                    ENTRIES * sizeof *entries);
    const uint64_t span = UINT64_C(1) << (12 + 9 * t->level);
    for (unsigned i = 0; err == NULL && i < ENTRIES; i++) {
        const uint64_t e = entries[i];
        uint64_t va = t->va + i * span;
        if ((e & LULL_PTE11_PTE__VALID_MASK) == 0) {
            continue;
        }
        if (t->level != 0 && (e & LULL_PTE11_PDE__PDE_PTE_MASK) == 0) {
            struct table next = *t;
            next.level--;
            next.va = va;
            next.address = e & LULL_PTE11_PDE__ADDRESS_MASK;
            err = scan(&next);
            continue;
        }
        struct mapping m = {
            .va = (uint64_t)((int64_t)(va << 16) >> 16),
            .size = span,
            .address = e & LULL_PTE11_PTE__ADDRESS_MASK & ~(span - 1),
            .system = (e & LULL_PTE11_PTE__SYSTEM_MASK) != 0,
            .writable = (e & LULL_PTE11_PTE__WRITEABLE_MASK) != 0,
            .executable = (e & LULL_PTE11_PTE__EXECUTABLE_MASK) != 0,
        };
        m.address -= m.system ? 0 : t->vram;
        err = add(t->l, &m);
    }
    return err;
}

/* All buffers of the file, by handle. @p gtt: offset of bus address 0 among mmap offsets. */
static size_t find_buffers(struct lull_amd_target *t, uint64_t gtt, struct buffer *ret, size_t room)
{
    size_t n = 0;
    unsigned misses = 0;
    for (uint32_t h = 1; h < MAX_HANDLES && misses < MISSES && n < room; h++) {
        struct lull_amdgpu_gem_info info = {0};
        struct lull_error *err = lull_amdgpu_gem_query(t->d->k, t->d->fd, h, &info);
        misses = err == NULL ? 0 : misses + 1;
        if (err == NULL && info.has_offset) {
            bool system = (info.domains & LULL_AMDGPU_VRAM) == 0; // where it fits it is placed
            ret[n++] = (struct buffer){.address = info.offset - (system ? gtt : 0),
                                       .size = info.size,
                                       .handle = h,
                                       .system = system};
        }
        lull_error_free(err);
    }
    return n;
}

static const char *own_name(const struct lull_amd_target *t, uint64_t va)
{
    for (size_t i = 0; t->d != NULL && i < t->d->nbos; i++) {
        if (t->d->bos[i]->va == va) {
            return t->d->bos[i]->name;
        }
    }
    return "";
}

/** What lull_amd_mappings() fills. */
struct result {
    const struct lull_amd_target *t;
    struct lull_bo_info *infos;
    size_t room, n;
};

static void put(struct result *r, const struct mapping *m, uint32_t handle)
{
    if (r->n < r->room) {
        r->infos[r->n] = (struct lull_bo_info){.name = own_name(r->t, m->va),
                                               .va = m->va,
                                               .size = m->size,
                                               .handle = handle,
                                               .vram = !m->system,
                                               .writable = m->writable,
                                               .executable = m->executable};
    }
    r->n++;
}

/* Neighbours in both address spaces look like one: cut where buffers begin and end. */
static void split(struct result *r, const struct mapping *m, const struct buffer *b, size_t nb)
{
    for (uint64_t done = 0; done < m->size;) {
        struct mapping part = *m;
        uint64_t address = m->address + done;
        uint32_t handle = 0;
        part.va += done;
        part.size -= done;
        for (size_t i = 0; i < nb; i++) {
            const bool same = b[i].system == m->system;
            const bool in = same && address - b[i].address < b[i].size;
            const bool behind = same && b[i].address > address;
            const uint64_t cut = b[i].address + (in ? b[i].size : 0); // its end, or its begin
            handle = in ? b[i].handle : handle;
            part.size = (in || behind) && cut - address < part.size ? cut - address : part.size;
        }
        put(r, &part, handle);
        done += part.size;
    }
}

struct lull_error *lull_amd_mappings(struct lull_amd_target *t, struct lull_bo_info *infos,
                                     size_t room, size_t *ret)
{
    struct list l = {0};
    struct table root = {.t = t, .l = &l, .level = ROOT_LEVEL};
    struct lull_error *err = lull_amd_root(t, &root.address, &root.vram);
    root.address &= LULL_PTE11_BASE__ADDRESS_MASK;
    err = err != NULL ? err : scan(&root);
    struct lull_walk walk = {0};
    struct lull_amdgpu_gem_info control = {0};
    if (err == NULL && !t->live) {
        err = lull_amd_walk(&t->base, t->control->va, &walk);
    }
    if (err == NULL && !t->live) {
        err = lull_amdgpu_gem_query(t->d->k, t->d->fd, t->control->handle, &control);
    }
    struct buffer *b = err == NULL ? calloc(MAX_HANDLES, sizeof *b) : NULL;
    if (err == NULL && b == NULL) {
        err = &lull_enomem;
    }
    struct result r = {.t = t, .infos = infos, .room = room};
    if (err == NULL) {
        const size_t nb =
            t->live ? 0 : find_buffers(t, control.offset - walk.address, b, MAX_HANDLES);
        for (size_t i = 0; i < l.n; i++) {
            split(&r, &l.m[i], b, nb);
        }
        *ret = r.n;
    }
    free(b);
    free(l.m);
    return err;
}
