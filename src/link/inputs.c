// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "link/link_priv.h"
#include "link/stages.h"

enum {
    MAX_SECTIONS = 4096,
    OS_HSA = 64,
};

static const char *stem_of(struct lull_linker *l, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash != NULL ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    const size_t size = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);
    char *copy = lull_arena_calloc(l->arena, size + 1, 1);
    if (copy != NULL && size > 0) {
        memcpy(copy, base, size); // zeros follow
    }
    return copy;
}

LULL_MUST_USE static struct lull_error *check_header(const struct lull_elf *elf)
{
    if (elf->machine != LULL_ELF_AMDGPU) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "machine %u, not AMDGPU", elf->machine);
    }
    if (elf->type != LULL_ELF_REL_FILE) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "ELF type %u: not a relocatable object",
                              elf->type);
    }
    if (elf->nsections == 0 || elf->nsections > MAX_SECTIONS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%zu sections", elf->nsections);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_symbols(struct lull_link_file *f)
{
    for (size_t i = 0; i < f->elf.nsections; i++) {
        if (f->elf.sections[i].type != LULL_ELF_SYMTAB) {
            continue;
        }
        if (f->symtab != NULL) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "two symbol tables");
        }
        f->symtab = &f->elf.sections[i];
    }
    if (f->symtab == NULL) {
        return NULL;
    }
    return lull_elf_symbols(&f->elf, f->symtab, &f->symbols, &f->nsymbols);
}

struct lull_error *lull_link_pipeline(struct lull_arena *a, const struct lull_elf *elf,
                                      struct lull_msgtree **ret)
{
    for (size_t i = 0; i < elf->nsections; i++) {
        struct lull_cur c = elf->sections[i].data;
        struct lull_elf_note note = {0};
        while (elf->sections[i].type == LULL_ELF_NOTE && lull_elf_next_note(&c, &note) > 0) {
            struct lull_msgtree *doc = NULL;
            if (strcmp(note.name, "AMDGPU") != 0 || note.type != LULL_LINK_NOTE_METADATA) {
                continue;
            }
            struct lull_error *err = lull_msgtree_read(a, &note.data, &doc);
            if (err != NULL) {
                return lull_error_in(err, "metadata");
            }
            struct lull_msgtree *pipelines = lull_msgtree_get(doc, "amdpal.pipelines");
            *ret = pipelines != NULL && pipelines->m.kind == LULL_MSGPACK_ARRAY ? pipelines->first
                                                                                : NULL;
            return NULL;
        }
    }
    return NULL;
}

// Does `.shaders` say that the shader of a stage runs in hardware stage `key`?
static bool maps_to(const struct lull_msgtree *shader, const struct lull_msgpack *key)
{
    const struct lull_msgtree *map = lull_msgtree_get(shader, ".hardware_mapping");
    bool found = false;
    for (const struct lull_msgtree *i =
             map != NULL && map->m.kind == LULL_MSGPACK_ARRAY ? map->first : NULL;
         i != NULL; i = i->next) {
        found = found || lull_msgtree_equal(&i->m, key);
    }
    return found;
}

uint32_t lull_link_stages(const struct lull_msgtree *pipeline, const struct lull_msgpack *key)
{
    static const char *const shaders[] = {".task",     ".vertex", ".hull",  ".domain",
                                          ".geometry", ".mesh",   ".pixel", ".compute"};
    const struct lull_msgtree *said = lull_msgtree_get(pipeline, ".shaders");
    uint32_t bits = 0;
    char name[4] = "";
    for (unsigned i = 0; i < sizeof shaders / sizeof shaders[0]; i++) {
        bits |= (uint32_t)maps_to(lull_msgtree_get(said, shaders[i]), key) << i;
    }
    if (key->kind == LULL_MSGPACK_STR && key->size == 3) {
        memcpy(name, key->data, 3);
    }
    return bits != 0 ? bits : lull_stage_bits(name[0] != '\0' ? name + 1 : name);
}

// What stages the file's metadata has; without any, its entries' names.
LULL_MUST_USE static struct lull_error *read_stages(struct lull_linker *l, struct lull_link_file *f)
{
    static const char entry[] = "_amdgpu_";
    struct lull_msgtree *pipeline = NULL;
    struct lull_error *err = lull_link_pipeline(l->arena, &f->elf, &pipeline);
    if (err != NULL) {
        return err;
    }
    const struct lull_msgtree *stages = lull_msgtree_get(pipeline, ".hardware_stages");
    for (const struct lull_msgtree *i =
             stages != NULL && stages->m.kind == LULL_MSGPACK_MAP ? stages->first : NULL;
         i != NULL; i = i->next) {
        f->stages |= lull_link_stages(pipeline, &i->key->m);
    }
    for (size_t i = 0; stages == NULL && i < f->nsymbols; i++) {
        if (strncmp(f->symbols[i].name, entry, strlen(entry)) == 0) {
            f->stages |= lull_stage_bits(f->symbols[i].name + strlen(entry));
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_input(struct lull_linker *l,
                                                   const struct lull_link_input *in,
                                                   struct lull_link_file *f)
{
    f->name = in->name;
    f->glue = in->glue;
    f->stem = stem_of(l, in->name);
    struct lull_error *err =
        f->stem == NULL ? &lull_enomem : lull_elf_parse(in->data, in->size, &f->elf);
    err = err != NULL ? err : check_header(&f->elf);
    err = err != NULL ? err : read_symbols(f);
    if (err == NULL && lull_layout_by_stage(l->layout)) {
        err = read_stages(l, f);
    }
    if (err != NULL) {
        return err;
    }
    f->pieces = calloc(f->elf.nsections, sizeof *f->pieces);
    f->out_symbols = calloc(f->nsymbols + 1, sizeof *f->out_symbols);
    for (size_t i = 0; f->pieces != NULL && i < f->elf.nsections; i++) {
        f->pieces[i].out = LULL_LINK_DROPPED;
    }
    return f->pieces == NULL || f->out_symbols == NULL ? &lull_enomem : NULL;
}

// The first file says what GPU and ABI it is; the others must agree.
LULL_MUST_USE static struct lull_error *check_same(const struct lull_link_file *a,
                                                   const struct lull_link_file *b)
{
    char gpu_a[16], gpu_b[16];
    if (a->elf.flags != b->elf.flags) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "is for %s (e_flags 0x%x), and %s for %s (0x%x)",
                              lull_link_gpu(b->elf.flags, gpu_b), b->elf.flags, a->name,
                              lull_link_gpu(a->elf.flags, gpu_a), a->elf.flags);
    }
    if (a->elf.os_abi != b->elf.os_abi || a->elf.abi_version != b->elf.abi_version) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "OS/ABI %u.%u, and %s has %u.%u", b->elf.os_abi,
                              b->elf.abi_version, a->name, a->elf.os_abi, a->elf.abi_version);
    }
    return NULL;
}

unsigned lull_link_generation(uint32_t flags)
{
    char gpu[16];
    const size_t size = strlen(lull_link_gpu(flags, gpu)); // gfx, major, minor, stepping
    unsigned major = 0;
    for (size_t i = 3; i + 2 < size; i++) {
        major = major * 10 + (unsigned)(gpu[i] - '0');
    }
    return major;
}

struct lull_error *lull_link_read_inputs(struct lull_linker *l, const struct lull_link_input *in,
                                         size_t n)
{
    if (n == 0) {
        return lull_error_new(LULL_ERR_INVALID, "no input");
    }
    l->files = calloc(n, sizeof *l->files);
    if (l->files == NULL) {
        return &lull_enomem;
    }
    l->nfiles = n;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < n; i++) {
        err = read_input(l, &in[i], &l->files[i]);
        err = err != NULL ? err : check_same(&l->files[0], &l->files[i]);
        err = lull_error_in(err, "%s", in[i].name);
    }
    if (err == NULL && n > 1 && l->files[0].elf.os_abi == OS_HSA) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "%s: objects of the HSA ABI are not stages of a pipeline; one can be "
                             "linked, not %zu",
                             in[0].name, n);
    }
    l->gfx = err == NULL ? lull_link_generation(l->files[0].elf.flags) : 0;
    return err;
}
