// SPDX-License-Identifier: MIT
// Notes of the inputs: target, PAL metadata, format strings.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "link/link_priv.h"
#include "link/stages.h"

static const char *const unlinked_keys[] = {
    ".vertexInputs",      ".colorExports",         ".fragInputs",
    ".fragBuiltInInputs", ".fragBuiltInInputInfo", ".discardState",
};

static bool filled(const struct lull_msgtree *t)
{
    return t != NULL && (t->first != NULL || (t->m.kind == LULL_MSGPACK_STR && t->m.size > 0));
}

// What only glue code could join is refused; what says so is left out of the result.
LULL_MUST_USE static struct lull_error *check_glue(const struct lull_linker *l,
                                                   const struct lull_link_file *f,
                                                   const struct lull_msgtree *pipeline)
{
    if (!lull_link_is_fetched(l, f) && filled(lull_msgtree_get(pipeline, ".vertexInputs"))) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED,
            "metadata '.vertexInputs': the vertex shader needs a fetch shader, which "
            "is not made here");
    }
    if (!lull_link_is_exported(l, f) && filled(lull_msgtree_get(pipeline, ".colorExports"))) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "metadata '.colorExports': the pixel shader needs a colour export "
                              "shader, which is not made here");
    }
    if (filled(lull_msgtree_get(pipeline, ".fragBuiltInInputs"))) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED,
            "metadata '.fragBuiltInInputs': the pixel shader reads built-in inputs, "
            "whose places only a compile of the whole pipeline knows");
    }
    return NULL;
}

// Stages that the GPU does not have.
LULL_MUST_USE static struct lull_error *check_gpu(const struct lull_linker *l,
                                                  const struct lull_msgtree *pipeline)
{
    const struct lull_msgtree *stages = lull_msgtree_get(pipeline, ".hardware_stages");
    char name[8] = "";
    for (const struct lull_msgtree *i =
             stages != NULL && stages->m.kind == LULL_MSGPACK_MAP ? stages->first : NULL;
         i != NULL; i = i->next) {
        const struct lull_msgpack *key = &i->key->m;
        if (key->kind != LULL_MSGPACK_STR || key->size < 2 || key->size > sizeof name) {
            continue;
        }
        memcpy(name, key->data + 1, key->size - 1); // without its dot
        name[key->size - 1] = '\0';
        const char *instead = lull_stage_instead(l->gfx, name);
        if (instead != NULL) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "metadata '.hardware_stages': gfx%u has no stage '.%s': write %s",
                                  l->gfx, name, instead);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_pipelines(struct lull_linker *l,
                                                        const struct lull_link_file *f,
                                                        struct lull_msgtree *doc)
{
    if (doc->m.kind != LULL_MSGPACK_MAP) {
        return lull_error_new(LULL_ERR_BAD_DATA, "metadata is not a map");
    }
    struct lull_msgtree *pipelines = lull_msgtree_get(doc, "amdpal.pipelines");
    if (pipelines == NULL) {
        return NULL;
    }
    if (pipelines->m.kind != LULL_MSGPACK_ARRAY || pipelines->m.size != 1 ||
        pipelines->first->m.kind != LULL_MSGPACK_MAP) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "metadata 'amdpal.pipelines': not a list of one pipeline");
    }
    struct lull_error *err = check_glue(l, f, pipelines->first);
    err = err != NULL ? err : check_gpu(l, pipelines->first);
    for (size_t i = 0; err == NULL && i < sizeof unlinked_keys / sizeof unlinked_keys[0]; i++) {
        if (lull_msgtree_get(pipelines->first, unlinked_keys[i]) != NULL) {
            lull_link_note(l, "metadata", f->name, unlinked_keys[i], 0,
                           "left out: of relocatable shaders only");
            lull_msgtree_remove(pipelines->first, unlinked_keys[i]);
        }
    }
    lull_link_trim(l, f, pipelines->first);
    return err;
}

// Numbers of two files that lower minor versions can read, too.
static void level_versions(struct lull_msgtree *to, struct lull_msgtree *from)
{
    const struct lull_msgtree *a = lull_msgtree_get(to, "amdpal.version");
    const struct lull_msgtree *b = lull_msgtree_get(from, "amdpal.version");
    const bool lists = a != NULL && b != NULL && a->m.kind == LULL_MSGPACK_ARRAY &&
                       b->m.kind == LULL_MSGPACK_ARRAY && a->m.size == 2 && b->m.size == 2;
    if (!lists || !lull_msgtree_equal(&a->first->m, &b->first->m)) {
        return;
    }
    struct lull_msgtree *x = a->first->next, *y = b->first->next;
    if (x->m.kind == LULL_MSGPACK_UINT && y->m.kind == LULL_MSGPACK_UINT) {
        x->m.u = x->m.u > y->m.u ? x->m.u : y->m.u;
        y->m.u = x->m.u;
    }
}

LULL_MUST_USE static struct lull_error *add_document(struct lull_linker *l,
                                                     const struct lull_link_file *f,
                                                     const struct lull_elf_note *note)
{
    const char *file = f->name;
    struct lull_cur c = note->data;
    struct lull_msgtree *doc = NULL;
    struct lull_error *err = lull_msgtree_read(l->arena, &c, &doc);
    if (err != NULL) {
        return lull_error_in(err, "metadata");
    }
    err = check_pipelines(l, f, doc);
    err = err != NULL ? err : lull_link_read_strings(l, file, note, doc);
    if (err != NULL) {
        return err;
    }
    if (l->metadata == NULL) {
        l->metadata = doc;
        return NULL;
    }
    level_versions(l->metadata, doc);
    return lull_link_merge_tree(l, file, l->metadata, doc);
}

// A name of the target is padded with NULs by some writers.
static bool same_target(const struct lull_elf_note *a, const struct lull_cur *b)
{
    const char *x = (const char *)a->data.start, *y = (const char *)b->start;
    const size_t nx = strnlen(x, lull_cur_left(&a->data)), ny = strnlen(y, lull_cur_left(b));
    return nx == ny && memcmp(x, y, nx) == 0;
}

LULL_MUST_USE static struct lull_error *add_target(struct lull_linker *l, const char *file,
                                                   const struct lull_elf_note *note)
{
    if (lull_cur_left(&note->data) == 0) {
        return NULL;
    }
    if (l->target_file == NULL) {
        l->target = note->data;
        l->target_file = file;
        return NULL;
    }
    if (same_target(note, &l->target)) {
        return NULL;
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED, "is for '%.64s', and %s for '%.64s'",
                          (const char *)note->data.start, l->target_file,
                          (const char *)l->target.start);
}

LULL_MUST_USE static struct lull_error *add_note(struct lull_linker *l,
                                                 const struct lull_link_file *f,
                                                 const struct lull_elf_note *note)
{
    const char *file = f->name;
    if (strcmp(note->name, "AMD") == 0 && note->type == LULL_LINK_NOTE_ISA) {
        return add_target(l, file, note);
    }
    if (strcmp(note->name, "AMD") == 0 && note->type == LULL_LINK_NOTE_LEGACY) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "PAL metadata in the old form (note type %u)",
                              note->type);
    }
    if (strcmp(note->name, "AMDGPU") == 0 && note->type == LULL_LINK_NOTE_METADATA) {
        return add_document(l, f, note);
    }
    lull_link_note(l, "metadata", file, note->name, note->type, "note of type %u, as it is",
                   note->type);
    lull_elf_put_note(&l->other_notes, note->name, note->type, note->data.start,
                      lull_cur_left(&note->data));
    return l->other_notes.err;
}

LULL_MUST_USE static struct lull_error *read_notes(struct lull_linker *l,
                                                   const struct lull_link_file *f)
{
    for (size_t i = 0; i < f->elf.nsections; i++) {
        if (f->elf.sections[i].type != LULL_ELF_NOTE) {
            continue;
        }
        struct lull_cur c = f->elf.sections[i].data;
        struct lull_elf_note note = {0};
        int n = 0;
        while ((n = lull_elf_next_note(&c, &note)) > 0) {
            struct lull_error *err = add_note(l, f, &note);
            if (err != NULL) {
                return err;
            }
        }
        if (n < 0) {
            return lull_error_new(LULL_ERR_BAD_DATA, "section '%s': malformed note before byte %zu",
                                  f->elf.sections[i].name, (size_t)(c.pos - c.start));
        }
    }
    return NULL;
}

// Stages that cannot be in one pipeline.
LULL_MUST_USE static struct lull_error *check_stages(struct lull_linker *l,
                                                     const struct lull_msgtree *pipeline)
{
    const struct lull_msgtree *stages = lull_msgtree_get(pipeline, ".hardware_stages");
    const bool task = lull_msgtree_get(lull_msgtree_get(pipeline, ".shaders"), ".task") != NULL;
    bool graphics = false;
    const struct lull_msgtree *first =
        stages != NULL && stages->m.kind == LULL_MSGPACK_MAP ? stages->first : NULL;
    for (const struct lull_msgtree *i = first; i != NULL; i = i->next) {
        graphics = graphics || !lull_msgpack_is(&i->key->m, ".cs");
    }
    if (graphics && lull_msgtree_get(stages, ".cs") != NULL && !task) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "a compute shader and graphics shaders in one pipeline");
    }
    if (graphics && lull_msgtree_get(stages, ".ps") == NULL) {
        lull_link_warn(l, "graphics pipeline without a pixel shader: none is added");
    }
    return NULL;
}

struct lull_error *lull_link_merge_metadata(struct lull_linker *l)
{
    for (size_t i = 0; i < l->nfiles; i++) {
        struct lull_error *err = read_notes(l, &l->files[i]);
        if (err != NULL) {
            return lull_error_in(err, "%s", l->files[i].name);
        }
    }
    struct lull_msgtree *pipelines = lull_msgtree_get(l->metadata, "amdpal.pipelines");
    struct lull_error *err = pipelines != NULL ? check_stages(l, pipelines->first) : NULL;
    return err != NULL ? err : lull_link_put_strings(l);
}
