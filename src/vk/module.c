// SPDX-License-Identifier: MIT
// From the reflection of a SPIR-V module to what a host needs of it.
#include "vk/module.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cur.h"
#include "file/spirv.h"

enum { HEADER_WORDS = 5, MAX_DEPTH = 16, SPIRV_1_4 = 0x10400 };

/** The one type of number in a type: "f32"; NULL: none yet; "": several. */
static const char *element(const struct lull_spirv_type *t, unsigned depth)
{
    static const char *const names[3][4] = {
        {"u8", "u16", "u32", "u64"}, {"i8", "i16", "i32", "i64"}, {"", "f16", "f32", "f64"}};
    const char *found = NULL;
    if (t == NULL || depth > MAX_DEPTH) {
        return "";
    }
    const unsigned size = t->bits == 8 ? 0 : t->bits == 16 ? 1 : t->bits == 32 ? 2 : 3;
    switch (t->kind) {
    case LULL_SPIRV_INT:
        return names[t->is_signed][size];
    case LULL_SPIRV_FLOAT:
        return names[2][size];
    case LULL_SPIRV_POINTER:
        return "u64";
    case LULL_SPIRV_VECTOR:
    case LULL_SPIRV_MATRIX:
    case LULL_SPIRV_ARRAY:
    case LULL_SPIRV_RUNTIME_ARRAY:
        return element(t->element, depth + 1);
    case LULL_SPIRV_STRUCT:
        for (size_t i = 0; i < t->nmembers; i++) {
            const char *e = element(t->members[i].type, depth + 1);
            found = found == NULL || (e != NULL && strcmp(e, found) == 0) ? e : "";
            if (found != NULL && found[0] == '\0') {
                break;
            }
        }
        return found;
    case LULL_SPIRV_VOID:
    case LULL_SPIRV_BOOL:
    case LULL_SPIRV_IMAGE:
    case LULL_SPIRV_SAMPLER:
    case LULL_SPIRV_SAMPLED_IMAGE:
    case LULL_SPIRV_ACCELERATION_STRUCTURE:
    case LULL_SPIRV_OTHER:
        break;
    }
    return NULL;
}

/** GLSL's name of an image format. Source: SPIR-V specification, section 3.11. */
static const char *format_name(uint32_t format)
{
    static const char *const names[] = {
        [SpvImageFormatRgba32f] = "rgba32f",
        [SpvImageFormatRgba16f] = "rgba16f",
        [SpvImageFormatR32f] = "r32f",
        [SpvImageFormatRgba8] = "rgba8",
        [SpvImageFormatRgba8Snorm] = "rgba8_snorm",
        [SpvImageFormatRg32f] = "rg32f",
        [SpvImageFormatRg16f] = "rg16f",
        [SpvImageFormatR11fG11fB10f] = "r11f_g11f_b10f",
        [SpvImageFormatR16f] = "r16f",
        [SpvImageFormatRgba16] = "rgba16",
        [SpvImageFormatRgb10A2] = "rgb10_a2",
        [SpvImageFormatRg16] = "rg16",
        [SpvImageFormatRg8] = "rg8",
        [SpvImageFormatR16] = "r16",
        [SpvImageFormatR8] = "r8",
        [SpvImageFormatRgba16Snorm] = "rgba16_snorm",
        [SpvImageFormatRg16Snorm] = "rg16_snorm",
        [SpvImageFormatRg8Snorm] = "rg8_snorm",
        [SpvImageFormatR16Snorm] = "r16_snorm",
        [SpvImageFormatR8Snorm] = "r8_snorm",
        [SpvImageFormatRgba32i] = "rgba32i",
        [SpvImageFormatRgba16i] = "rgba16i",
        [SpvImageFormatRgba8i] = "rgba8i",
        [SpvImageFormatR32i] = "r32i",
        [SpvImageFormatRg32i] = "rg32i",
        [SpvImageFormatRg16i] = "rg16i",
        [SpvImageFormatRg8i] = "rg8i",
        [SpvImageFormatR16i] = "r16i",
        [SpvImageFormatR8i] = "r8i",
        [SpvImageFormatRgba32ui] = "rgba32ui",
        [SpvImageFormatRgba16ui] = "rgba16ui",
        [SpvImageFormatRgba8ui] = "rgba8ui",
        [SpvImageFormatR32ui] = "r32ui",
        [SpvImageFormatRgb10a2ui] = "rgb10_a2ui",
        [SpvImageFormatRg32ui] = "rg32ui",
        [SpvImageFormatRg16ui] = "rg16ui",
        [SpvImageFormatRg8ui] = "rg8ui",
        [SpvImageFormatR16ui] = "r16ui",
        [SpvImageFormatR8ui] = "r8ui",
        [SpvImageFormatR64ui] = "r64ui",
        [SpvImageFormatR64i] = "r64i",
    };
    return format < sizeof names / sizeof names[0] ? names[format] : NULL;
}

LULL_MUST_USE static struct lull_error *image_var(const struct lull_spirv_binding *b,
                                                  struct lull_vk_var *v)
{
    const struct lull_spirv_type *t = b->type;
    t = t->kind == LULL_SPIRV_SAMPLED_IMAGE ? t->element : t;
    v->arrayed = t->image.arrayed;
    v->format = format_name(t->image.format);
    if (t->image.dim == SpvDimBuffer) {
        return NULL;
    }
    if (t->image.dim > SpvDimCube || t->image.ms) {
        const char *name = lull_spirv_dim_name(t->image.dim);
        return lull_error_new(LULL_ERR_UNSUPPORTED, "binding %u.%u: image of dimension %s%s",
                              b->set, b->binding, name != NULL ? name : "unknown",
                              t->image.ms ? ", multisampled" : "");
    }
    v->dim = (enum lull_vk_dim)t->image.dim; // SpvDim1D, 2D, 3D, Cube are 0 to 3
    return NULL;
}

LULL_MUST_USE static struct lull_error *variable(const struct lull_spirv_binding *b,
                                                 struct lull_vk_var *v)
{
    static const struct {
        enum lull_spirv_descriptor from;
        enum lull_vk_class to;
    } classes[] = {
        {LULL_SPIRV_DESC_SAMPLER, LULL_VK_ONLY_SAMPLER},
        {LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER, LULL_VK_COMBINED},
        {LULL_SPIRV_DESC_SAMPLED_IMAGE, LULL_VK_SAMPLED_IMAGE},
        {LULL_SPIRV_DESC_STORAGE_IMAGE, LULL_VK_STORAGE_IMAGE},
        {LULL_SPIRV_DESC_UNIFORM_TEXEL_BUFFER, LULL_VK_UNIFORM_TEXELS},
        {LULL_SPIRV_DESC_STORAGE_TEXEL_BUFFER, LULL_VK_STORAGE_TEXELS},
        {LULL_SPIRV_DESC_UNIFORM_BUFFER, LULL_VK_UNIFORM_BUFFER},
        {LULL_SPIRV_DESC_STORAGE_BUFFER, LULL_VK_STORAGE_BUFFER},
    };
    *v = (struct lull_vk_var){.set = b->set, .binding = b->binding, .element = "u32"};
    v->count = b->count;
    v->name = b->name[0] != '\0' ? b->name : b->block;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (classes[i].from != b->descriptor) {
            continue;
        }
        v->class = classes[i].to;
        v->writable = !b->non_writable &&
                      (v->class == LULL_VK_STORAGE_BUFFER || v->class == LULL_VK_STORAGE_IMAGE ||
                       v->class == LULL_VK_STORAGE_TEXELS);
        if (v->class == LULL_VK_UNIFORM_BUFFER || v->class == LULL_VK_STORAGE_BUFFER) {
            const char *e = element(b->type, 0);
            v->element = e != NULL && e[0] != '\0' ? e : "u32";
            v->min_bytes = b->type->size;
            return NULL;
        }
        return v->class == LULL_VK_ONLY_SAMPLER ? NULL : image_var(b, v);
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED, "binding %u.%u: %s", b->set, b->binding,
                          lull_spirv_descriptor_name(b->descriptor));
}

static struct lull_vk_constant constant(const struct lull_spirv_constant *c)
{
    const bool boolean = c->type->kind == LULL_SPIRV_BOOL;
    return (struct lull_vk_constant){
        .id = c->spec_id,
        .kind = boolean                             ? 'b'
                : c->type->kind == LULL_SPIRV_FLOAT ? 'f'
                : c->type->is_signed                ? 'i'
                                                    : 'u',
        .size = boolean ? 4 : c->type->bits / 8,
    };
}

/** OpCapability instructions, which stand first. */
LULL_MUST_USE static struct lull_error *capabilities(const void *bytes, size_t size,
                                                     struct lull_vk_module *m)
{
    m->capabilities = lull_arena_calloc(&m->spirv.arena, size / 8 + 1, sizeof *m->capabilities);
    if (m->capabilities == NULL) {
        return &lull_enomem;
    }
    struct lull_cur c = lull_cur_of(bytes, size);
    (void)lull_cur_take(&c, HEADER_WORDS * sizeof(uint32_t));
    for (;;) {
        const uint32_t first = lull_cur_u32(&c);
        const uint32_t capability = lull_cur_u32(&c);
        if (c.bad || (first & SpvOpCodeMask) != SpvOpCapability ||
            first >> SpvWordCountShift != 2) {
            return NULL;
        }
        m->capabilities[m->ncapabilities++] = capability;
    }
}

LULL_MUST_USE static struct lull_error *collect(struct lull_vk_module *m)
{
    struct lull_spirv *s = &m->spirv;
    m->entries = lull_arena_calloc(&s->arena, s->nentries + 1, sizeof *m->entries);
    m->vars = lull_arena_calloc(&s->arena, s->nbindings + 1, sizeof *m->vars);
    m->constants = lull_arena_calloc(&s->arena, s->nconstants + 1, sizeof *m->constants);
    if (m->entries == NULL || m->vars == NULL || m->constants == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < s->nentries; i++) {
        if (s->entries[i].compute) {
            m->entries[m->nentries++] = s->entries[i].name;
        }
    }
    for (size_t i = 0; i < s->nconstants; i++) {
        m->constants[m->nconstants++] = constant(&s->constants[i]);
    }
    m->push_bytes = s->push != NULL ? s->push->size : 0;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < s->nbindings; i++) {
        err = variable(&s->bindings[i], &m->vars[m->nvars++]);
    }
    return err;
}

struct given {
    const struct lull_vk_spec *specs;
    size_t n;
};

static bool spec_value(const void *ctx, uint32_t id, uint64_t *ret)
{
    const struct given *g = ctx;
    for (size_t i = 0; i < g->n; i++) {
        if (g->specs[i].id == id) {
            *ret = g->specs[i].bits;
            return true;
        }
    }
    return false;
}

static bool in_interface(const struct lull_vk_module *m, const struct lull_spirv_entry *e,
                         uint32_t id)
{
    for (size_t i = 0; i < e->ninterface; i++) {
        if (e->interface[i] == id) {
            return true;
        }
    }
    return m->spirv.version < SPIRV_1_4 && m->spirv.nentries == 1;
}

uint64_t lull_vk_shared_bytes(const struct lull_vk_module *m, const char *entry,
                              const struct lull_vk_spec *specs, size_t nspecs)
{
    const struct lull_spirv_entry *e =
        entry != NULL ? lull_spirv_find_entry(&m->spirv, entry) : NULL;
    const struct given given = {specs, nspecs};
    const struct lull_spirv_specs values = {.value = spec_value, .ctx = &given, .n = nspecs};
    uint64_t sum = 0, block = 0;
    for (size_t i = 0; e != NULL && i < m->spirv.nshared; i++) {
        const struct lull_spirv_shared *s = &m->spirv.shared[i];
        const uint64_t n = in_interface(m, e, s->id) ? lull_spirv_room(s->type, &values).least : 0;
        if (s->type->block) {
            block = n > block ? n : block;
        } else {
            sum += n;
        }
    }
    return sum + block;
}

struct lull_error *lull_vk_module_parse(const void *bytes, size_t size, struct lull_vk_module **ret)
{
    struct lull_vk_module *m = calloc(1, sizeof *m);
    struct lull_error *err = m != NULL ? lull_spirv_read(bytes, size, &m->spirv) : &lull_enomem;
    if (err == NULL) {
        err = capabilities(bytes, size, m);
    }
    if (err == NULL) {
        err = collect(m);
    }
    if (err != NULL) {
        lull_vk_module_free(m);
        return err;
    }
    *ret = m;
    return NULL;
}

void lull_vk_module_free(struct lull_vk_module *m)
{
    if (m != NULL) {
        lull_spirv_done(&m->spirv);
        free(m);
    }
}
