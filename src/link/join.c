// SPDX-License-Identifier: MIT
// Glue and the shader that it belongs to: one after the other in .text, one function.
//
// Source: LLPC lgc/elfLinker/ElfLinker.cpp: the part in front takes the entry's name and goes up to
// the shader's end; the shader goes up to the end of the part behind it.
#include <inttypes.h>
#include <string.h>

#include "link/link_priv.h"

static const char suffix[] = "_fetchless";

bool lull_link_is_fetched(const struct lull_linker *l, const struct lull_link_file *f)
{
    return f > l->files && f[-1].glue == LULL_LINK_FETCH;
}

bool lull_link_is_exported(const struct lull_linker *l, const struct lull_link_file *f)
{
    return f + 1 < l->files + l->nfiles && f[1].glue == LULL_LINK_EXPORT;
}

/** The code of @p f in .text. */
LULL_MUST_USE static struct lull_error *code_of(const struct lull_link_file *f, uint64_t *begin,
                                                uint64_t *end)
{
    unsigned n = 0;
    for (size_t i = 0; i < f->elf.nsections; i++) {
        if (f->pieces[i].out == 0) {
            *begin = f->pieces[i].offset;
            *end = f->pieces[i].offset + f->pieces[i].size;
            n++;
        }
    }
    return n == 1 ? NULL
                  : lull_error_new(LULL_ERR_UNSUPPORTED,
                                   "%s: %u sections of code; another part is to follow one, or to "
                                   "stand in front of it",
                                   f->name, n);
}

/** The function of @p f that begins at @p begin, or the one that ends at @p end. */
static struct lull_link_symbol *function(const struct lull_linker *l,
                                         const struct lull_link_file *f, const uint64_t *begin,
                                         const uint64_t *end)
{
    for (uint32_t i = 0; i < l->nsymbols; i++) {
        struct lull_link_symbol *y = &l->symbols[i];
        if (y->file == f->name && y->s.type == LULL_ELF_FUNC && y->s.section == 0 &&
            y->s.binding != LULL_ELF_LOCAL && (begin == NULL || y->s.value == *begin) &&
            (end == NULL || y->s.value + y->s.size == *end)) {
            return y;
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *join(struct lull_linker *l, const struct lull_link_file *a,
                                             const struct lull_link_file *b)
{
    uint64_t begin[2] = {0}, end[2] = {0};
    struct lull_error *err = code_of(a, &begin[0], &end[0]);
    err = err != NULL ? err : code_of(b, &begin[1], &end[1]);
    if (err != NULL) {
        return err;
    }
    struct lull_link_symbol *first = function(l, a, NULL, &end[0]);
    const struct lull_link_symbol *second = function(l, b, &begin[1], NULL);
    if (first == NULL || second == NULL) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED,
            "%s: the shader is not the %s function of its section, where %s joins "
            "it",
            first == NULL ? a->name : b->name, first == NULL ? "last" : "first",
            first == NULL ? b->name : a->name);
    }
    first->s.size = end[1] - first->s.value;
    lull_link_note(l, "glue", a->name, first->name, first->s.value,
                   "0x%" PRIx64 " to 0x%" PRIx64
                   " of .text, and runs on into %s of %s at 0x%" PRIx64,
                   first->s.value, end[0], second->name, b->name, begin[1]);
    return NULL;
}

struct lull_error *lull_link_join(struct lull_linker *l)
{
    struct lull_error *err = NULL;
    for (size_t i = l->nfiles; err == NULL && i-- > 0;) { // what is behind first
        struct lull_link_file *f = &l->files[i];
        if (f->glue == LULL_LINK_SHADER) {
            err = lull_link_is_exported(l, f) ? join(l, f, f + 1) : NULL;
            err = err == NULL && lull_link_is_fetched(l, f) ? join(l, f - 1, f) : err;
        }
    }
    return err;
}

/** Take all keys but @p keep out of map @p t. */
static void keep_only(struct lull_msgtree *t, const char *const *keep)
{
    for (struct lull_msgtree *i = t != NULL && t->m.kind == LULL_MSGPACK_MAP ? t->first : NULL,
                             *next = NULL;
         i != NULL; i = next) {
        bool stays = false;
        next = i->next;
        for (size_t k = 0; keep[k] != NULL; k++) {
            stays = stays || lull_msgpack_is(&i->key->m, keep[k]);
        }
        char name[64] = "";
        if (!stays && i->key->m.kind == LULL_MSGPACK_STR && i->key->m.size < sizeof name) {
            memcpy(name, i->key->m.data, i->key->m.size);
            lull_msgtree_remove(t, name);
        }
    }
}

/** "_amdgpu_gs_main_fetchless" is called "_amdgpu_gs_main" with its fetch part. */
static void name_entry(struct lull_msgtree *entry)
{
    const size_t n = sizeof suffix - 1;
    if (entry != NULL && entry->m.kind == LULL_MSGPACK_STR && entry->m.size > n &&
        memcmp(entry->m.data + entry->m.size - n, suffix, n) == 0) {
        entry->m.size -= n;
    }
}

void lull_link_trim(const struct lull_linker *l, const struct lull_link_file *f,
                    struct lull_msgtree *pipeline)
{
    static const char *const parts[] = {".hardware_stages", ".graphics_registers", NULL};
    static const char *const counts[] = {".sgpr_count", ".vgpr_count", ".scratch_memory_size",
                                         NULL};
    static const char *const registers[] = {".spi_shader_col_format", ".cb_shader_mask", NULL};
    struct lull_msgtree *stages = lull_msgtree_get(pipeline, ".hardware_stages");
    const bool map = stages != NULL && stages->m.kind == LULL_MSGPACK_MAP;
    for (struct lull_msgtree *i = map ? stages->first : NULL; i != NULL; i = i->next) {
        if (f->glue != LULL_LINK_SHADER) {
            keep_only(i, counts);
        } else if (lull_link_is_fetched(l, f)) {
            name_entry(lull_msgtree_get(i, ".entry_point"));
            name_entry(lull_msgtree_get(i, ".entry_point_symbol"));
        }
    }
    if (f->glue != LULL_LINK_SHADER) {
        keep_only(lull_msgtree_get(pipeline, ".graphics_registers"), registers);
        keep_only(pipeline, parts);
    }
}
