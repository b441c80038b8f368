// SPDX-License-Identifier: MIT
// One line of a names file: docs/formats/names.md.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <vulkan/vulkan_core.h>

#include "image/names_priv.h"
#include "image/names_value.h"

enum {
    MAX_SETS = 1024,
    SPEC_BYTES = 8,
    MAX_SLOTS = 1 << 20,
};

LULL_MUST_USE static struct lull_error *read_start(struct lull_names *n, const json_t *o)
{
    uint32_t version = 0;
    const char *program = NULL;
    struct lull_error *err = lull_names_u32(o, "version", &version);
    if (err == NULL) {
        err = lull_names_text(o, "program", &program);
    }
    if (err == NULL && version != 1) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "version %u, known is 1", version);
    }
    return err != NULL ? err : lull_names_copy(n, program, &n->program);
}

LULL_MUST_USE static struct lull_error *read_shader(struct lull_names *n, const json_t *o)
{
    struct lull_names_module *m = lull_names_make(n, 1, sizeof *m);
    const char *hash = NULL, *file = NULL;
    struct lull_error *err =
        m == NULL ? &lull_enomem : lull_names_handle_in(o, "shader", &m->shader.handle);
    if (err == NULL) {
        err = lull_names_text(o, "hash", &hash);
    }
    if (err == NULL) {
        err = lull_names_text(o, "file", &file);
    }
    if (err == NULL && (strchr(file, '/') != NULL || strlen(hash) != 16 ||
                        strspn(hash, "0123456789abcdef") != 16)) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "no file name or hash of ours");
    }
    if (err != NULL) {
        return err;
    }
    m->shader.name = "";
    err = lull_names_copy(n, hash, &m->shader.hash);
    if (err == NULL && file[0] != '\0') {
        size_t size = strlen(n->dir) + strlen(file) + 2;
        char *path = lull_names_make(n, 1, size);
        if (path == NULL) {
            return &lull_enomem;
        }
        snprintf(path, size, "%s/%s", n->dir, file);
        m->shader.file = path;
    } else {
        m->shader.file = "";
    }
    if (err == NULL) {
        err = lull_names_add(&n->modules, m);
    }
    return err != NULL
               ? err
               : lull_names_put(&n->handles, VK_OBJECT_TYPE_SHADER_MODULE, m->shader.handle, m);
}

LULL_MUST_USE static struct lull_error *read_set_layout(struct lull_names *n, const json_t *o)
{
    struct lull_names_set_layout *l = lull_names_make(n, 1, sizeof *l);
    const json_t *list = NULL;
    struct lull_error *err =
        l == NULL ? &lull_enomem : lull_names_handle_in(o, "set_layout", &l->handle);
    if (err == NULL) {
        err = lull_names_u32(o, "flags", &l->flags);
    }
    if (err == NULL) {
        err = lull_names_list_in(o, "bindings", MAX_SLOTS, &list);
    }
    if (err != NULL) {
        return err;
    }
    struct lull_names_slot *slots = lull_names_make(n, json_array_size(list) + 1, sizeof *slots);
    if (slots == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *b = json_array_get(list, i);
        const struct {
            const char *key;
            uint32_t *to;
        } parts[] = {
            {"binding", &slots[i].binding}, {"type", &slots[i].type},   {"count", &slots[i].count},
            {"stages", &slots[i].stages},   {"flags", &slots[i].flags},
        };
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
            err = lull_names_u32(b, parts[p].key, parts[p].to);
            if (err != NULL) {
                return lull_error_in(err, "binding %zu of the list", i);
            }
        }
        if (json_object_get(b, "immutable") != NULL) {
            err = lull_names_u32(b, "immutable", &slots[i].immutable);
            slots[i].samplers =
                lull_names_samplers(&n->arena, json_object_get(b, "samplers"), slots[i].immutable);
        }
        if (err != NULL) {
            return lull_error_in(err, "binding %zu of the list", i);
        }
    }
    l->slots = slots;
    l->nslots = json_array_size(list);
    return lull_names_put(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, l->handle, l);
}

LULL_MUST_USE static struct lull_error *read_ranges(struct lull_names *n, const json_t *list,
                                                    struct lull_names_layout *l)
{
    struct lull_names_range *ranges = lull_names_make(n, json_array_size(list) + 1, sizeof *ranges);
    struct lull_error *err = ranges == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; i < json_array_size(list) && err == NULL; i++) {
        const json_t *r = json_array_get(list, i);
        err = lull_names_u32(r, "stages", &ranges[i].stages);
        if (err == NULL) {
            err = lull_names_u32(r, "offset", &ranges[i].offset);
        }
        if (err == NULL) {
            err = lull_names_u32(r, "size", &ranges[i].size);
        }
    }
    l->ranges = ranges;
    l->nranges = json_array_size(list);
    return err;
}

LULL_MUST_USE static struct lull_error *read_layout(struct lull_names *n, const json_t *o)
{
    struct lull_names_layout *l = lull_names_make(n, 1, sizeof *l);
    const json_t *list = NULL, *push = NULL;
    struct lull_error *err =
        l == NULL ? &lull_enomem : lull_names_handle_in(o, "layout", &l->handle);
    if (err == NULL) {
        err = lull_names_list_in(o, "sets", MAX_SETS, &list);
    }
    if (err == NULL) {
        err = lull_names_list_in(o, "push", MAX_SETS, &push);
    }
    if (err != NULL) {
        return err;
    }
    const struct lull_names_set_layout **sets =
        lull_names_make(n, json_array_size(list) + 1, sizeof *sets);
    if (sets == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint64_t handle = 0;
        err = lull_names_handle(json_array_get(list, i), "sets", &handle);
        if (err != NULL) {
            return err;
        }
        sets[i] = lull_names_get(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, handle);
    }
    l->sets = sets;
    l->nsets = json_array_size(list);
    err = read_ranges(n, push, l);
    return err != NULL ? err
                       : lull_names_put(&n->handles, VK_OBJECT_TYPE_PIPELINE_LAYOUT, l->handle, l);
}

LULL_MUST_USE static struct lull_error *read_specs(struct lull_names *n, const json_t *list,
                                                   struct lull_names_pipeline *p)
{
    struct lull_names_spec *specs = lull_names_make(n, json_array_size(list) + 1, sizeof *specs);
    struct lull_error *err = specs == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; i < json_array_size(list) && err == NULL; i++) {
        const json_t *s = json_array_get(list, i);
        uint8_t bytes[SPEC_BYTES] = {0};
        size_t size = 0;
        err = lull_names_u32(s, "id", &specs[i].id);
        if (err == NULL) {
            err = lull_names_bytes(s, "hex", bytes, sizeof bytes, &size);
        }
        specs[i].size = (uint32_t)size;
        for (size_t b = 0; b < size; b++) {
            specs[i].value |= (uint64_t)bytes[b] << 8 * b;
        }
    }
    p->specs = specs;
    p->nspecs = json_array_size(list);
    return err;
}

static void local_size(struct lull_names *n, struct lull_names_pipeline *p)
{
    const struct lull_spirv *m = p->shader != NULL ? lull_names_spirv(n, p->shader) : NULL;
    const struct lull_spirv_entry *e = m != NULL ? lull_spirv_find_entry(m, p->entry) : NULL;
    for (unsigned axis = 0; e != NULL && axis < 3; axis++) {
        p->local_size[axis] = e->local_size[axis];
        for (size_t i = 0; i < p->nspecs; i++) {
            if (p->specs[i].id == e->local_size_spec[axis] && p->specs[i].size >= 4) {
                p->local_size[axis] = (uint32_t)p->specs[i].value;
            }
        }
    }
}

// NULL: the program named it in a way that the layer does not know.
static const struct lull_names_shader *shader_of(const struct lull_names *n, uint64_t handle,
                                                 const char *hash)
{
    const struct lull_names_shader *s =
        lull_names_get(&n->handles, VK_OBJECT_TYPE_SHADER_MODULE, handle);
    return s != NULL && strcmp(s->hash, hash) == 0 ? s : NULL;
}

LULL_MUST_USE static struct lull_error *read_pipeline(struct lull_names *n, const json_t *o)
{
    struct lull_names_lived *lived = lull_names_make(n, 1, sizeof *lived);
    struct lull_names_pipeline *p = lived != NULL ? &lived->pipeline : NULL;
    uint64_t shader = 0, layout = 0;
    const char *entry = NULL, *hash = NULL;
    const json_t *specs = NULL;
    struct lull_error *err =
        p == NULL ? &lull_enomem : lull_names_handle_in(o, "pipeline", &p->handle);
    if (err == NULL) {
        err = lull_names_handle_in(o, "shader", &shader);
    }
    if (err == NULL) {
        err = lull_names_handle_in(o, "layout", &layout);
    }
    if (err == NULL) {
        err = lull_names_text(o, "entry", &entry);
    }
    if (err == NULL) {
        err = lull_names_text(o, "hash", &hash);
    }
    if (err == NULL) {
        err = lull_names_u32(o, "subgroup", &p->subgroup);
    }
    if (err == NULL) {
        err = lull_names_list_in(o, "spec", MAX_SLOTS, &specs);
    }
    if (err == NULL) {
        err = lull_names_copy(n, entry, &p->entry);
    }
    if (err == NULL) {
        err = read_specs(n, specs, p);
    }
    if (err != NULL) {
        return err;
    }
    lived->born = n->line;
    lived->died = SIZE_MAX;
    p->name = "";
    p->shader = shader_of(n, shader, hash);
    p->layout = lull_names_get(&n->handles, VK_OBJECT_TYPE_PIPELINE_LAYOUT, layout);
    local_size(n, p);
    err = lull_names_add(&n->pipelines, p);
    return err != NULL ? err : lull_names_put(&n->handles, VK_OBJECT_TYPE_PIPELINE, p->handle, p);
}

LULL_MUST_USE static struct lull_error *read_stages(struct lull_names *n, const json_t *list,
                                                    struct lull_names_pipeline *p)
{
    struct lull_names_stage *stages = lull_names_make(n, json_array_size(list) + 1, sizeof *stages);
    struct lull_error *err = stages == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; i < json_array_size(list) && err == NULL; i++) {
        const json_t *o = json_array_get(list, i);
        const char *entry = NULL;
        const char *hash = NULL;
        uint64_t shader = 0;
        err = lull_names_u32(o, "stage", &stages[i].stage);
        err = err != NULL ? err : lull_names_handle_in(o, "shader", &shader);
        err = err != NULL ? err : lull_names_text(o, "entry", &entry);
        err = err != NULL ? err : lull_names_text(o, "hash", &hash);
        err = err != NULL ? err : lull_names_copy(n, entry, &stages[i].entry);
        stages[i].shader = err == NULL ? shader_of(n, shader, hash) : NULL;
    }
    p->stages = stages;
    p->nstages = json_array_size(list);
    return err;
}

LULL_MUST_USE static struct lull_error *read_attributes(struct lull_names *n, const json_t *list,
                                                        struct lull_names_pipeline *p)
{
    struct lull_names_attribute *all = lull_names_make(n, json_array_size(list) + 1, sizeof *all);
    struct lull_error *err = all == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; i < json_array_size(list) && err == NULL; i++) {
        const json_t *o = json_array_get(list, i);
        err = lull_names_u32(o, "location", &all[i].location);
        err = err != NULL ? err : lull_names_u32(o, "binding", &all[i].binding);
        err = err != NULL ? err : lull_names_u32(o, "format", &all[i].format);
        err = err != NULL ? err : lull_names_u32(o, "offset", &all[i].offset);
        err = err != NULL ? err : lull_names_u32(o, "stride", &all[i].stride);
        err = err != NULL ? err : lull_names_u32(o, "rate", &all[i].rate);
    }
    p->attributes = all;
    p->nattributes = json_array_size(list);
    return err;
}

LULL_MUST_USE static struct lull_error *read_graphics(struct lull_names *n, const json_t *o)
{
    struct lull_names_lived *lived = lull_names_make(n, 1, sizeof *lived);
    struct lull_names_pipeline *p = lived != NULL ? &lived->pipeline : NULL;
    uint64_t layout = 0;
    const json_t *stages = NULL;
    const json_t *attributes = NULL;
    struct lull_error *err =
        p == NULL ? &lull_enomem : lull_names_handle_in(o, "pipeline", &p->handle);
    err = err != NULL ? err : lull_names_handle_in(o, "layout", &layout);
    err = err != NULL ? err : lull_names_list_in(o, "stages", MAX_SLOTS, &stages);
    err = err != NULL ? err : lull_names_list_in(o, "attributes", MAX_SLOTS, &attributes);
    err = err != NULL ? err : read_stages(n, stages, p);
    err = err != NULL ? err : read_attributes(n, attributes, p);
    if (err != NULL) {
        return err;
    }
    lived->born = n->line;
    lived->died = SIZE_MAX;
    p->name = p->entry = "";
    p->layout = lull_names_get(&n->handles, VK_OBJECT_TYPE_PIPELINE_LAYOUT, layout);
    err = lull_names_add(&n->pipelines, p);
    return err != NULL ? err : lull_names_put(&n->handles, VK_OBJECT_TYPE_PIPELINE, p->handle, p);
}

LULL_MUST_USE static struct lull_error *read_image(const json_t *o, struct lull_names_object *to)
{
    const struct {
        const char *key;
        uint32_t *to;
    } parts[] = {
        {"type", &to->image_type}, {"format", &to->format},   {"mips", &to->mips},
        {"layers", &to->layers},   {"samples", &to->samples}, {"tiling", &to->tiling},
        {"usage", &to->usage},
    };
    struct lull_error *err = lull_names_three(o, "extent", to->extent);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && err == NULL; i++) {
        err = lull_names_u32(o, parts[i].key, parts[i].to);
    }
    return err;
}

static uint32_t type_of(enum lull_names_kind kind)
{
    return kind == LULL_NAMES_MEMORY   ? VK_OBJECT_TYPE_DEVICE_MEMORY
           : kind == LULL_NAMES_BUFFER ? VK_OBJECT_TYPE_BUFFER
                                       : VK_OBJECT_TYPE_IMAGE;
}

LULL_MUST_USE static struct lull_error *read_object(struct lull_names *n, const json_t *o,
                                                    enum lull_names_kind kind)
{
    static const char *const keys[] = {"memory", "buffer", "image"};
    struct lull_names_object *to = lull_names_make(n, 1, sizeof *to);
    struct lull_error *err =
        to == NULL ? &lull_enomem : lull_names_handle_in(o, keys[kind], &to->handle);
    if (err == NULL && kind != LULL_NAMES_IMAGE) {
        err = lull_names_u64(o, "size", &to->size);
        if (err == NULL) {
            err = lull_names_u32(o, kind == LULL_NAMES_MEMORY ? "type" : "usage", &to->usage);
        }
    } else if (err == NULL) {
        err = read_image(o, to);
    }
    if (err != NULL) {
        return err;
    }
    to->kind = kind;
    to->name = "";
    err = lull_names_add(&n->objects, to);
    return err != NULL ? err : lull_names_put(&n->handles, type_of(kind), to->handle, to);
}

LULL_MUST_USE static struct lull_error *read_bind(struct lull_names *n, const json_t *o)
{
    bool image = json_object_get(o, "image") != NULL;
    uint64_t handle = 0, memory = 0, offset = 0;
    struct lull_error *err = lull_names_handle_in(o, image ? "image" : "buffer", &handle);
    if (err == NULL) {
        err = lull_names_handle_in(o, "memory", &memory);
    }
    if (err == NULL) {
        err = lull_names_u64(o, "offset", &offset);
    }
    struct lull_names_object *to =
        lull_names_get(&n->handles, image ? VK_OBJECT_TYPE_IMAGE : VK_OBJECT_TYPE_BUFFER, handle);
    if (err == NULL && to != NULL) {
        to->memory = memory;
        to->offset = offset;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_address(struct lull_names *n, const json_t *o)
{
    uint64_t handle = 0, address = 0;
    struct lull_error *err = lull_names_handle_in(o, "buffer", &handle);
    if (err == NULL) {
        err = lull_names_handle_in(o, "address", &address);
    }
    struct lull_names_object *to = lull_names_get(&n->handles, VK_OBJECT_TYPE_BUFFER, handle);
    if (err == NULL && to != NULL) {
        to->address = address;
    }
    return err;
}

// Records that show the name themselves.
static void set_name(void *record, uint32_t type, const char *name)
{
    if (type == VK_OBJECT_TYPE_PIPELINE) {
        ((struct lull_names_pipeline *)record)->name = name;
    } else if (type == VK_OBJECT_TYPE_SHADER_MODULE) {
        ((struct lull_names_module *)record)->shader.name = name;
    } else if (type == VK_OBJECT_TYPE_BUFFER || type == VK_OBJECT_TYPE_IMAGE ||
               type == VK_OBJECT_TYPE_DEVICE_MEMORY) {
        ((struct lull_names_object *)record)->name = name;
    }
}

LULL_MUST_USE static struct lull_error *read_name(struct lull_names *n, const json_t *o)
{
    uint32_t type = 0;
    uint64_t handle = 0;
    const char *text = NULL, *name = NULL;
    struct lull_error *err = lull_names_u32(o, "type", &type);
    if (err == NULL) {
        err = lull_names_handle_in(o, "handle", &handle);
    }
    if (err == NULL) {
        err = lull_names_text(o, "name", &text);
    }
    if (err == NULL) {
        err = lull_names_copy(n, text, &name);
    }
    if (err != NULL) {
        return err;
    }
    void *record = lull_names_get(&n->handles, type, handle);
    if (record != NULL) {
        set_name(record, type, name);
    }
    return lull_names_put(&n->names, type, handle, (void *)name);
}

LULL_MUST_USE static struct lull_error *read_free(struct lull_names *n, const json_t *o)
{
    uint32_t type = 0;
    uint64_t handle = 0;
    struct lull_error *err = lull_names_u32(o, "type", &type);
    if (err == NULL) {
        err = lull_names_handle_in(o, "handle", &handle);
    }
    if (err != NULL) {
        return err;
    }
    void *record = lull_names_get(&n->handles, type, handle);
    if (record != NULL && (type == VK_OBJECT_TYPE_BUFFER || type == VK_OBJECT_TYPE_IMAGE ||
                           type == VK_OBJECT_TYPE_DEVICE_MEMORY)) {
        ((struct lull_names_object *)record)->freed = true;
    } else if (record != NULL && type == VK_OBJECT_TYPE_PIPELINE) {
        ((struct lull_names_lived *)record)->died = n->line;
    }
    err = lull_names_put(&n->names, type, handle, NULL);
    return err != NULL ? err : lull_names_put(&n->handles, type, handle, NULL);
}

LULL_MUST_USE static struct lull_error *read_wait(struct lull_names *n, const json_t *o)
{
    (void)o;
    n->waits++;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_kind(struct lull_names *n, const json_t *o,
                                                  const char *kind)
{
    static const struct {
        const char *kind;
        struct lull_error *(*read)(struct lull_names *n, const json_t *o);
    } kinds[] = {
        {"start", read_start},
        {"shader", read_shader},
        {"set_layout", read_set_layout},
        {"layout", read_layout},
        {"pipeline", read_pipeline},
        {"set", lull_names_read_set},
        {"write", lull_names_read_write},
        {"copy", lull_names_read_copy},
        {"place", lull_names_read_place},
        {"bind", read_bind},
        {"address", read_address},
        {"name", read_name},
        {"free", read_free},
        {"submit", lull_names_read_submit},
        {"graphics", read_graphics},
        {"stack", lull_names_read_stack},
        {"wait", read_wait},
        {"event", lull_names_read_event},
        {"semaphore", lull_names_read_semaphore},
        {"signal", lull_names_read_signal},
        {"device", lull_names_read_device},
    };
    static const char *const objects[] = {"memory", "buffer", "image"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kind, kinds[i].kind) == 0) {
            return lull_error_in(kinds[i].read(n, o), "%s", kind);
        }
    }
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        if (strcmp(kind, objects[i]) == 0) {
            return lull_error_in(read_object(n, o, (enum lull_names_kind)i), "%s", kind);
        }
    }
    return NULL; // A kind of a later version.
}

struct lull_error *lull_names_line(struct lull_names *n, const char *text, size_t size)
{
    json_error_t problem = {0};
    json_t *o = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    const char *kind = json_string_value(json_object_get(o, "k"));
    struct lull_error *err = NULL;
    if (o == NULL) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "no JSON: %s", problem.text);
    } else if (kind == NULL) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "no object with a kind 'k'");
    } else {
        err = read_kind(n, o, kind);
    }
    json_decref(o);
    return err;
}
