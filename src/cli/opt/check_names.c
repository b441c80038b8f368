// SPDX-License-Identifier: MIT
#include "cli/opt/check_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "cli/opt/check_buffer.h"
#include "image/names.h"

enum { MAX_DESCRIPTORS = 4096, BITS = 8, AXES = 3 };

enum { MAX_BOUND = 4 };

/** What is known of a place in memory. */
struct where {
    size_t nbound; ///< Descriptors that it may be through; 0: not known.
    struct lull_names_descriptor bound[MAX_BOUND];
    bool never;           ///< Nothing was written to the descriptor, or VK_NULL_HANDLE.
    bool array;           ///< The binding has several elements.
    const char *variable; ///< Of the shader; "".
    struct lull_str path; ///< ".data[64]" in it; empty: not known.
    const struct lull_names_object *object; ///< NULL: not known.
    int64_t byte;                           ///< Of the buffer.
    size_t ntexel;                          ///< Coordinates in the image; 0: not known.
    int64_t texel[AXES], level;
};

/** Element of @p each bytes at *offset, which becomes the byte in it. */
static void add_element(uint64_t each, uint64_t *offset, struct lull_str *to)
{
    lull_str_addf(to, "[%" PRIu64 "]", *offset / each);
    *offset %= each;
}

/** The member of a struct that has the byte, or the last in front of it; NULL: none. */
static const struct lull_spirv_member *member_at(const struct lull_spirv_type *t, uint64_t offset)
{
    const struct lull_spirv_member *best = NULL;
    for (size_t i = 0; i < t->nmembers; i++) {
        const struct lull_spirv_member *m = &t->members[i];
        if (m->offset <= offset && (best == NULL || m->offset >= best->offset)) {
            best = m;
        }
    }
    return best;
}

static void add_matrix(const struct lull_spirv_member *m, uint64_t offset, struct lull_str *to)
{
    const struct lull_spirv_type *column = m->type->element;
    const uint64_t bytes =
        column != NULL && column->element != NULL ? column->element->bits / BITS : 0;
    if (m->matrix_stride == 0 || bytes == 0) {
        return;
    }
    const uint64_t first = offset / m->matrix_stride, second = offset % m->matrix_stride / bytes;
    lull_str_addf(to, "[%" PRIu64 "][%" PRIu64 "]", m->row_major ? second : first,
                  m->row_major ? first : second);
}

/** ".data[64].x": what of @p t byte @p offset is. False: it is behind its end. */
static bool add_path(const struct lull_spirv_type *t, uint64_t offset, struct lull_str *to)
{
    enum { DEPTH = 32 };
    for (unsigned depth = 0; t != NULL && depth < DEPTH; depth++) {
        if (t->kind == LULL_SPIRV_STRUCT) {
            const struct lull_spirv_member *m = member_at(t, offset);
            if (m == NULL) {
                return true;
            }
            if (m->name[0] != '\0') {
                lull_str_addf(to, ".%s", m->name);
            } else {
                lull_str_addf(to, ".%zu", (size_t)(m - t->members));
            }
            offset -= m->offset;
            if (m->type != NULL && m->type->kind == LULL_SPIRV_MATRIX) {
                add_matrix(m, offset, to);
                return m->type->size == 0 || offset < m->type->size;
            }
            t = m->type;
        } else if (t->kind == LULL_SPIRV_ARRAY || t->kind == LULL_SPIRV_RUNTIME_ARRAY) {
            if (t->stride == 0) {
                return true;
            }
            add_element(t->stride, &offset, to);
            t = t->element;
        } else if (t->kind == LULL_SPIRV_VECTOR && t->element != NULL && t->element->bits >= BITS) {
            const uint64_t at = offset / (t->element->bits / BITS);
            if (at < t->count && at < 4) {
                lull_str_addf(to, ".%c", "xyzw"[at]);
            }
            return at < t->count;
        } else {
            return t->bits == 0 || offset < t->bits / BITS;
        }
    }
    return true;
}

static uint64_t begin_of(const struct lull_names_descriptor *d)
{
    const struct lull_names_object *o = d->object;
    return o != NULL && o->place != 0 ? o->place + d->offset : 0;
}

/** May an access of that kind go through the descriptor? */
static bool is_for(const struct lull_names_descriptor *d, const struct lull_check_touched *t)
{
    const bool buffer = d->type >= VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER &&
                        d->type <= VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    const bool stored = d->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
                        d->type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    return t->image ? !buffer && (stored || !t->stores)
                    : d->object == NULL || d->object->kind == LULL_NAMES_BUFFER;
}

/** How well does the descriptor fit? 0: not at all. */
static unsigned fits(const struct lull_names_descriptor *d, const struct lull_check_touched *t)
{
    const uint64_t begin = begin_of(d);
    if (begin == 0 || !is_for(d, t)) {
        return 0;
    }
    if (d->object->kind == LULL_NAMES_IMAGE) {
        return t->address >= begin && t->address - begin < d->object->place_bytes ? 1 : 0;
    }
    if (t->first) {
        return begin != t->base ? 0 : d->range == t->available ? 2 : 1;
    }
    return t->address >= begin && t->address - begin < d->range ? 1 : 0;
}

static bool is_used(const struct lull_spirv *m, uint32_t set, uint32_t binding)
{
    return m == NULL || lull_spirv_find_binding(m, set, binding) != NULL;
}

/** What of the shader's variable at @p d the address is. */
static void find_path(const struct lull_check_touched *t, const struct lull_spirv *m,
                      const struct lull_names_descriptor *d, struct where *w)
{
    const struct lull_spirv_binding *v =
        m != NULL ? lull_spirv_find_binding(m, d->set, d->binding) : NULL;
    const bool known = v != NULL && v->type != NULL && t->address >= begin_of(d) &&
                       d->object->kind == LULL_NAMES_BUFFER;
    if (known && v->type->kind == LULL_SPIRV_IMAGE) { // A buffer of texels.
        uint64_t offset = t->address - begin_of(d);
        if (t->bytes != 0) {
            add_element(t->bytes, &offset, &w->path);
        }
        return;
    }
    if (known && !add_path(v->type, t->address - begin_of(d), &w->path)) {
        lull_str_free(&w->path);
        w->path = (struct lull_str){0};
    }
}

/** Which descriptor was it? Several may have the same memory. */
static void find_bound(const struct lull_check_touched *t, const struct lull_spirv *m,
                       const struct lull_names_dispatch *d, struct where *w)
{
    struct lull_names_descriptor *all = calloc(MAX_DESCRIPTORS, sizeof *all);
    const size_t n = all != NULL ? lull_names_descriptors(d, all, MAX_DESCRIPTORS) : 0;
    const struct lull_names_descriptor *best = NULL;
    unsigned best_fit = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned fit = is_used(m, all[i].set, all[i].binding) ? fits(&all[i], t) : 0;
        if (fit > best_fit) {
            best = &all[i];
            best_fit = fit;
            w->nbound = 0;
        }
        if (fit != 0 && fit == best_fit && w->nbound < MAX_BOUND) {
            w->bound[w->nbound++] = all[i];
        }
    }
    if (best != NULL) {
        w->object = best->object;
        w->byte = (int64_t)(t->address - best->object->place);
    }
    if (w->nbound == 1) {
        find_path(t, m, &w->bound[0], w);
    }
    free(all);
}

/** Is there a descriptor at that binding, and not of nothing? */
static bool is_written(const struct lull_names_descriptor *all, size_t n,
                       const struct lull_spirv_binding *b)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].set == b->set && all[i].binding == b->binding && all[i].object != NULL) {
            return true;
        }
    }
    return false;
}

/** The one binding of the shader that nothing was written to, of those that have buffers or images.
 */
static void find_never(const struct lull_spirv *m, const struct lull_names_dispatch *d,
                       struct where *w)
{
    struct lull_names_descriptor *all = calloc(MAX_DESCRIPTORS, sizeof *all);
    const size_t n = all != NULL ? lull_names_descriptors(d, all, MAX_DESCRIPTORS) : 0;
    unsigned count = 0;
    for (size_t i = 0; n < MAX_DESCRIPTORS && m != NULL && i < m->nbindings; i++) {
        const struct lull_spirv_binding *b = &m->bindings[i];
        if (b->descriptor == LULL_SPIRV_DESC_SAMPLER || is_written(all, n, b)) {
            continue;
        }
        count++;
        w->bound[0].set = b->set;
        w->bound[0].binding = b->binding;
    }
    w->never = count == 1;
    w->nbound = count == 1;
    free(all);
}

/** Scalar loads are through descriptors where their code says so: of gfx1100. */
static bool is_described(const struct lull_check_site *s)
{
    static const char scalar[] = "s_buffer_";
    return s->touched.described ||
           (s->insn != NULL && strncmp(s->insn, scalar, sizeof scalar - 1) == 0);
}

/** The shader whose wave it was; NULL: not known. Waves may be of two shaders together. */
static const struct lull_names_shader *shader_of(const struct lull_names_dispatch *d,
                                                 const struct lull_check_site *s)
{
    static const struct {
        const char *stage;
        uint32_t bits; ///< Of which the pipeline has to have one alone.
        uint32_t bit;
    } stages[] = {{"vertex shader", VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_GEOMETRY_BIT,
                   VK_SHADER_STAGE_VERTEX_BIT},
                  {"fragment shader", VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_STAGE_FRAGMENT_BIT},
                  {"tessellation evaluation shader",
                   VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT | VK_SHADER_STAGE_GEOMETRY_BIT,
                   VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
                  {"mesh shader", VK_SHADER_STAGE_MESH_BIT_EXT, VK_SHADER_STAGE_MESH_BIT_EXT}};
    const struct lull_names_pipeline *p = d != NULL ? d->pipeline : NULL;
    const struct lull_names_shader *found = p != NULL && s->stage == NULL ? p->shader : NULL;
    for (size_t i = 0; p != NULL && s->stage != NULL && i < sizeof stages / sizeof stages[0]; i++) {
        uint32_t bits = 0;
        for (size_t k = 0; strcmp(stages[i].stage, s->stage) == 0 && k < p->nstages; k++) {
            bits |= p->stages[k].stage & stages[i].bits;
            found = p->stages[k].stage == stages[i].bit ? p->stages[k].shader : found;
        }
        found = bits == 0 || bits == stages[i].bit ? found : NULL;
    }
    return found;
}

/** Coordinates of shaders count from the level and layer that the view begins at. */
static void find_texel(const struct lull_check_touched *t, struct where *w)
{
    const struct lull_names_object *o = w->object;
    const bool view = w->nbound == 1;
    if (o == NULL || o->kind != LULL_NAMES_IMAGE || t->dims == 0 ||
        (!view && (o->mips > 1 || o->layers > 1))) {
        return;
    }
    const size_t own = o->image_type + 1;
    w->ntexel = o->layers > 1 && own < AXES ? own + 1 : own < AXES ? own : AXES;
    for (size_t i = 0; i < AXES; i++) {
        w->texel[i] = t->texel[i];
    }
    w->texel[2] += view ? w->bound[0].layer : 0;
    w->texel[1] = own == 1 && w->ntexel == 2 ? w->texel[2] : w->texel[1];
    w->level = t->texel[AXES] + (view ? (int64_t)w->bound[0].level : 0);
}

/** False: nothing is known. For w->path's lull_str_free(). */
static bool find(const struct lull_check_api *a, const struct lull_check_site *s, struct where *w)
{
    struct lull_names *names = NULL;
    const struct lull_names_dispatch *d = NULL;
    *w = (struct where){.variable = ""};
    if (a == NULL || !s->touched.there || s->call) {
        return false;
    }
    if (s->stage != NULL) {
        lull_check_api_draw(a, s->draw, &names, &d);
    } else {
        lull_check_api_dispatch(a, s->launch, &names, &d);
    }
    const struct lull_names_shader *shader = shader_of(d, s);
    const struct lull_spirv *m = shader != NULL ? lull_names_spirv(names, shader) : NULL;
    if (d != NULL && s->touched.null) {
        find_never(m, d, w);
    } else if (d != NULL && is_described(s)) {
        find_bound(&s->touched, m, d, w);
    }
    if (w->object == NULL && !s->touched.null) {
        w->object = lull_check_object_at(names, s->touched.address, s->touched.image);
        w->byte = w->object != NULL ? (int64_t)(s->touched.address - w->object->place) : 0;
    }
    find_texel(&s->touched, w);
    const struct lull_spirv_binding *v =
        w->nbound == 1 && m != NULL
            ? lull_spirv_find_binding(m, w->bound[0].set, w->bound[0].binding)
            : NULL;
    if (v != NULL) {
        w->variable = v->name[0] != '\0' ? v->name : v->block;
        w->array = v->count != 1;
    }
    return w->nbound != 0 || w->object != NULL;
}

static void add_bound(const struct where *w, struct lull_str *to)
{
    for (size_t i = 0; i < w->nbound; i++) {
        lull_str_addf(to, "%sset %" PRIu32 " binding %" PRIu32, i == 0 ? "" : " or ",
                      w->bound[i].set, w->bound[i].binding);
    }
    if (w->array && !w->never) {
        lull_str_addf(to, " element %" PRIu32, w->bound[0].element);
    }
    if (w->variable[0] != '\0' || w->path.size != 0) {
        lull_str_addf(to, ": %s", w->variable);
        if (w->array && !w->never) {
            lull_str_addf(to, "[%" PRIu32 "]", w->bound[0].element);
        }
        lull_str_addf(to, "%s", lull_str_text(&w->path));
    }
}

/** `texel 5,3 of level 1 of image "out", which has 64x64`. */
static void add_image(const struct where *w, struct lull_str *to)
{
    const struct lull_names_object *o = w->object;
    const bool named = o->name[0] != '\0';
    for (size_t i = 0; i < w->ntexel; i++) {
        lull_str_addf(to, "%s%" PRId64, i == 0 ? "texel " : ",", w->texel[i]);
    }
    lull_str_addf(to, "%s", w->ntexel != 0 ? " of " : "");
    if (w->ntexel != 0 && o->mips > 1) {
        lull_str_addf(to, "level %" PRId64 " of ", w->level);
    }
    lull_str_addf(to, "%s%s%s, which has ", named ? "image \"" : "an image", o->name,
                  named ? "\"" : "");
    for (unsigned i = 0; i <= o->image_type && i < AXES; i++) {
        lull_str_addf(to, "%s%" PRIu32, i == 0 ? "" : "x", o->extent[i]);
    }
    if (o->layers > 1) {
        lull_str_addf(to, " in %" PRIu32 " layers", o->layers);
    }
}

static void put_image(const struct where *w, struct lull_json *j)
{
    const struct lull_names_object *o = w->object;
    lull_json_put_str(j, "image", o->name);
    lull_json_key(j, "extent");
    lull_json_open(j, '[');
    for (unsigned i = 0; i <= o->image_type && i < AXES; i++) {
        lull_json_u64(j, o->extent[i]);
    }
    lull_json_close(j, ']');
    if (w->ntexel == 0) {
        return;
    }
    lull_json_key(j, "texel");
    lull_json_open(j, '[');
    for (size_t i = 0; i < w->ntexel; i++) {
        lull_json_i64(j, w->texel[i]);
    }
    lull_json_close(j, ']');
    lull_json_key(j, "level");
    lull_json_i64(j, w->level);
}

void lull_check_names_add(const struct lull_check_api *a, const struct lull_check_site *s,
                          struct lull_str *to)
{
    struct where w;
    if (!find(a, s, &w)) {
        return;
    }
    add_bound(&w, to);
    if (w.never) {
        lull_str_addf(to, ", to which no buffer or image was written");
    } else if (w.object != NULL) {
        lull_str_addf(to, "%s", w.nbound != 0 ? ", " : "");
        if (w.object->kind == LULL_NAMES_IMAGE) {
            add_image(&w, to);
        } else {
            lull_check_buffer_add(w.object, w.byte, to);
        }
    }
    lull_str_free(&w.path);
}

void lull_check_names_bound(const struct lull_check_api *a, const struct lull_check_site *s,
                            struct lull_str *to)
{
    struct where w;
    if (!find(a, s, &w)) {
        return;
    }
    lull_str_free(&w.path);
    w.path = (struct lull_str){0};
    add_bound(&w, to);
    if (w.nbound == 0 && w.object != NULL) {
        lull_str_addf(to, "object 0x%" PRIx64, w.object->handle);
    }
}

void lull_check_names_json(const struct lull_check_api *a, const struct lull_check_site *s,
                           struct lull_json *j)
{
    struct where w;
    if (!find(a, s, &w)) {
        return;
    }
    lull_json_key(j, "resource");
    lull_json_open(j, '{');
    if (w.nbound == 1) {
        lull_json_put_u64(j, "set", w.bound[0].set);
        lull_json_put_u64(j, "binding", w.bound[0].binding);
        if (w.array && !w.never) {
            lull_json_put_u64(j, "element", w.bound[0].element);
        }
        lull_json_put_str(j, "variable", w.variable);
        lull_json_put_str(j, "path", lull_str_text(&w.path));
        lull_json_put_bool(j, "written", !w.never);
    }
    if (w.object != NULL && w.object->kind == LULL_NAMES_IMAGE) {
        put_image(&w, j);
    } else if (w.object != NULL) {
        lull_json_put_str(j, "buffer", w.object->name);
        lull_json_put_u64(j, "size", w.object->size);
        lull_json_key(j, "byte");
        lull_json_i64(j, w.byte);
    }
    lull_json_close(j, '}');
    lull_str_free(&w.path);
}
