// SPDX-License-Identifier: MIT
// Vertex input and colour targets of a layout.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "link/layout_priv.h"
#include "link/vkformat.h"

enum {
    MAX_STRIDE = 0x3fff, // 14 bits of a buffer descriptor
    MAX_OFFSET = 0xffff,
    MAX_LOCATION = 255,
    MAX_ATTRIBUTES = 64,
    ALL_COMPONENTS = 15,
};

enum binding_key { BINDING, STRIDE, RATE, DIVISOR, BINDING_KEYS };

static const struct lull_layout_word binding_words[BINDING_KEYS] = {
    [BINDING] = {"binding", NULL},
    [STRIDE] = {"stride", NULL},
    [RATE] = {"rate", "inputRate"},
    [DIVISOR] = {"divisor", NULL},
};

enum attribute_key { LOCATION, ATTRIBUTE_BINDING, FORMAT, OFFSET, ATTRIBUTE_KEYS };

static const struct lull_layout_word attribute_words[ATTRIBUTE_KEYS] = {
    [LOCATION] = {"location", NULL},
    [ATTRIBUTE_BINDING] = {"binding", NULL},
    [FORMAT] = {"format", NULL},
    [OFFSET] = {"offset", NULL},
};

enum color_key { COLOR_LOCATION, COLOR_FORMAT, BLEND, WRITE_MASK, SOURCE_ALPHA, COLOR_KEYS };

static const struct lull_layout_word color_words[COLOR_KEYS] = {
    [COLOR_LOCATION] = {"location", NULL},
    [COLOR_FORMAT] = {"format", NULL},
    [BLEND] = {"blend", "blendEnable"},
    [WRITE_MASK] = {"write_mask", "channelWriteMask"},
    [SOURCE_ALPHA] = {"source_alpha", "blendSrcAlphaToColor"},
};

enum { VERTEX_BINDINGS, VERTEX_ATTRIBUTES, VERTEX_KEYS };

static const struct lull_layout_word vertex_words[VERTEX_KEYS] = {
    [VERTEX_BINDINGS] = {"bindings", "vertexBindings"},
    [VERTEX_ATTRIBUTES] = {"attributes", "vertexAttributes"},
};

static const char *const rates[2] = {"vertex", "instance"};
static const char *const vulkan_rates[2] = {"VK_VERTEX_INPUT_RATE_VERTEX",
                                            "VK_VERTEX_INPUT_RATE_INSTANCE"};

/** The keys of one object of a list, whose path is set. */
LULL_MUST_USE static struct lull_error *take(struct lull_layout_reader *r, json_t *o,
                                             const struct lull_layout_word *words, size_t n,
                                             json_t **v)
{
    return json_is_object(o) ? lull_layout_take_keys(r, o, words, n, v)
                             : lull_layout_bad(r, "", "not an object");
}

LULL_MUST_USE static struct lull_error *check_list(const struct lull_layout_reader *r,
                                                   const json_t *list, const char *key, size_t most)
{
    return list == NULL                   ? NULL
           : !json_is_array(list)         ? lull_layout_bad(r, key, "not a list")
           : json_array_size(list) > most ? lull_layout_bad(r, key, "too many")
                                          : NULL;
}

LULL_MUST_USE static struct lull_error *get_rate(const struct lull_layout_reader *r,
                                                 const json_t *v, bool *ret)
{
    const char *text = v != NULL ? json_string_value(v) : rates[0];
    for (unsigned i = 0; i < 2 && text != NULL; i++) {
        if (strcmp(text, rates[i]) == 0 || strcmp(text, vulkan_rates[i]) == 0) {
            *ret = i == 1;
            return NULL;
        }
    }
    return lull_layout_bad(r, "rate", "neither \"vertex\" nor \"instance\"");
}

LULL_MUST_USE static struct lull_error *get_format(const struct lull_layout_reader *r,
                                                   const json_t *v, bool color,
                                                   const struct lull_vkformat **ret)
{
    const char *text = json_string_value(v);
    if (text == NULL) {
        return lull_layout_bad(r, "format", v == NULL ? "missing" : "not a string");
    }
    const struct lull_vkformat *f = lull_vkformat_named(text);
    if (f == NULL || !(color ? f->color : f->vertex)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s.format: \"%s\" is not a format of %s", r->path,
                              text, color ? "colour targets" : "vertex buffers");
    }
    *ret = f;
    return NULL;
}

LULL_MUST_USE static struct lull_error *need(const struct lull_layout_reader *r, json_t *const *v,
                                             const struct lull_layout_word *words, unsigned key,
                                             uint32_t most, uint32_t *ret)
{
    return v[key] == NULL ? lull_layout_bad(r, words[key].name, "missing")
                          : lull_layout_get_number(r, v[key], words[key].name, most, ret);
}

LULL_MUST_USE static struct lull_error *read_binding(struct lull_layout_reader *r, json_t *o,
                                                     const struct lull_layout_binding *before,
                                                     uint32_t n, struct lull_layout_binding *ret)
{
    json_t *v[BINDING_KEYS] = {NULL};
    struct lull_error *err = take(r, o, binding_words, BINDING_KEYS, v);
    ret->divisor = 1;
    err = err != NULL
              ? err
              : need(r, v, binding_words, BINDING, LULL_LAYOUT_VERTEX_BUFFERS - 1, &ret->binding);
    err = err != NULL ? err : need(r, v, binding_words, STRIDE, MAX_STRIDE, &ret->stride);
    err = err != NULL ? err : get_rate(r, v[RATE], &ret->instance);
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[DIVISOR], "divisor", UINT32_MAX, &ret->divisor);
    if (err == NULL && !ret->instance && ret->divisor != 1) {
        err = lull_layout_bad(r, "divisor", "only of buffers with the rate \"instance\"");
    }
    for (uint32_t i = 0; err == NULL && i < n; i++) {
        err = before[i].binding == ret->binding
                  ? lull_layout_bad(r, "binding", "an earlier one has the same number")
                  : NULL;
    }
    return err;
}

static bool has_buffer(const struct lull_layout *l, uint32_t binding)
{
    for (uint32_t i = 0; i < l->nbindings; i++) {
        if (l->bindings[i].binding == binding) {
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *read_attribute(struct lull_layout_reader *r, json_t *o,
                                                       const struct lull_layout_attribute *before,
                                                       uint32_t n,
                                                       struct lull_layout_attribute *ret)
{
    json_t *v[ATTRIBUTE_KEYS] = {NULL};
    struct lull_error *err = take(r, o, attribute_words, ATTRIBUTE_KEYS, v);
    err = err != NULL ? err : need(r, v, attribute_words, LOCATION, MAX_LOCATION, &ret->location);
    err = err != NULL ? err
                      : need(r, v, attribute_words, ATTRIBUTE_BINDING,
                             LULL_LAYOUT_VERTEX_BUFFERS - 1, &ret->binding);
    err = err != NULL ? err : get_format(r, v[FORMAT], false, &ret->format);
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[OFFSET], "offset", MAX_OFFSET, &ret->offset);
    for (uint32_t i = 0; err == NULL && i < n; i++) {
        err = before[i].location == ret->location
                  ? lull_layout_bad(r, "location", "an earlier one has the same number")
                  : NULL;
    }
    if (err == NULL && !has_buffer(r->layout, ret->binding) && !r->pipe) {
        err = lull_layout_bad(r, "binding", "not the number of a vertex buffer");
    }
    return err;
}

struct lull_error *lull_layout_read_vertex_lists(struct lull_layout_reader *r, json_t *bindings,
                                                 json_t *attributes)
{
    struct lull_layout *l = r->layout;
    const size_t outer = strlen(r->path), nb = json_array_size(bindings),
                 na = json_array_size(attributes);
    struct lull_error *err = check_list(r, bindings, "bindings", LULL_LAYOUT_VERTEX_BUFFERS);
    err = err != NULL ? err : check_list(r, attributes, "attributes", MAX_ATTRIBUTES);
    if (err != NULL) {
        return err;
    }
    struct lull_layout_binding *b = lull_arena_calloc(&l->arena, nb + 1, sizeof *b);
    struct lull_layout_attribute *a = lull_arena_calloc(&l->arena, na + 1, sizeof *a);
    err = a == NULL || b == NULL ? &lull_enomem : NULL;
    for (uint32_t i = 0; err == NULL && i < nb; i++) {
        (void)snprintf(r->path + outer, sizeof r->path - outer, "%sbindings[%" PRIu32 "]",
                       outer != 0 ? "." : "", i);
        err = read_binding(r, json_array_get(bindings, i), b, i, &b[i]);
    }
    l->has_vertex_input = true;
    l->bindings = b;
    l->nbindings = (uint32_t)nb;
    for (uint32_t i = 0; err == NULL && i < na; i++) {
        (void)snprintf(r->path + outer, sizeof r->path - outer, "%sattributes[%" PRIu32 "]",
                       outer != 0 ? "." : "", i);
        struct lull_layout_attribute *one = &a[l->nattributes];
        err = read_attribute(r, json_array_get(attributes, i), a, l->nattributes, one);
        l->nattributes += has_buffer(l, one->binding); // LLPC's files may have more
    }
    r->path[outer] = '\0';
    l->attributes = a;
    return err;
}

struct lull_error *lull_layout_read_vertex_input(struct lull_layout_reader *r, json_t *o)
{
    json_t *v[VERTEX_KEYS] = {NULL};
    const size_t outer = strlen(r->path);
    (void)snprintf(r->path + outer, sizeof r->path - outer, "vertex_input");
    struct lull_error *err = take(r, o, vertex_words, VERTEX_KEYS, v);
    err = err != NULL ? err
                      : lull_layout_read_vertex_lists(r, v[VERTEX_BINDINGS], v[VERTEX_ATTRIBUTES]);
    r->path[outer] = '\0';
    return err;
}

/** Vulkan's word for a place without a target. */
static bool is_undefined(const json_t *v)
{
    const char *text = json_string_value(v);
    return text != NULL &&
           (strcmp(text, "UNDEFINED") == 0 || strcmp(text, "VK_FORMAT_UNDEFINED") == 0);
}

LULL_MUST_USE static struct lull_error *read_color(struct lull_layout_reader *r, json_t *o,
                                                   uint32_t index)
{
    json_t *v[COLOR_KEYS] = {NULL};
    struct lull_layout_color color = {.write_mask = ALL_COMPONENTS};
    uint32_t mask = ALL_COMPONENTS, location = index;
    struct lull_error *err = take(r, o, color_words, COLOR_KEYS, v);
    err = err != NULL ? err
                      : lull_layout_get_number(r, v[COLOR_LOCATION], "location",
                                               LULL_LAYOUT_COLORS - 1, &location);
    if (err == NULL && (v[COLOR_FORMAT] == NULL || !is_undefined(v[COLOR_FORMAT]))) {
        err = get_format(r, v[COLOR_FORMAT], true, &color.format);
    }
    err = err != NULL ? err : lull_layout_get_bool(r, v[BLEND], "blend", &color.blend);
    err = err != NULL
              ? err
              : lull_layout_get_bool(r, v[SOURCE_ALPHA], "source_alpha", &color.source_alpha);
    err = err != NULL
              ? err
              : lull_layout_get_number(r, v[WRITE_MASK], "write_mask", ALL_COMPONENTS, &mask);
    if (err == NULL && r->layout->colors[location].format != NULL) {
        err = lull_layout_bad(r, "location", "an earlier one has the same number");
    }
    if (err == NULL) {
        color.write_mask = (uint8_t)mask;
        r->layout->colors[location] = color;
    }
    return err;
}

struct lull_error *lull_layout_read_colors(struct lull_layout_reader *r, json_t *list)
{
    const size_t outer = strlen(r->path);
    struct lull_error *err = check_list(r, list, "color_targets", LULL_LAYOUT_COLORS);
    for (uint32_t i = 0; err == NULL && i < json_array_size(list); i++) {
        (void)snprintf(r->path + outer, sizeof r->path - outer, "color_targets[%" PRIu32 "]", i);
        err = read_color(r, json_array_get(list, i), i);
    }
    r->path[outer] = '\0';
    r->layout->has_colors = true;
    return err;
}

const struct lull_layout_attribute *lull_layout_attribute_at(
    const struct lull_layout *layout, uint32_t location,
    const struct lull_layout_binding **ret_binding)
{
    for (uint32_t i = 0; i < layout->nattributes; i++) {
        const struct lull_layout_attribute *a = &layout->attributes[i];
        if (a->location != location) {
            continue;
        }
        for (uint32_t k = 0; k < layout->nbindings; k++) {
            if (layout->bindings[k].binding == a->binding) {
                *ret_binding = &layout->bindings[k];
                return a;
            }
        }
    }
    return NULL;
}

static void write_vertex_input(const struct lull_layout *l, struct lull_json *j)
{
    lull_json_key(j, "vertex_input");
    lull_json_open(j, '{');
    lull_json_key(j, "bindings");
    lull_json_open(j, '[');
    for (uint32_t i = 0; i < l->nbindings; i++) {
        const struct lull_layout_binding *b = &l->bindings[i];
        lull_json_open(j, '{');
        lull_json_put_u64(j, "binding", b->binding);
        lull_json_put_u64(j, "stride", b->stride);
        lull_json_put_str(j, "rate", rates[b->instance]);
        lull_json_put_u64(j, "divisor", b->divisor);
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
    lull_json_key(j, "attributes");
    lull_json_open(j, '[');
    for (uint32_t i = 0; i < l->nattributes; i++) {
        const struct lull_layout_attribute *a = &l->attributes[i];
        lull_json_open(j, '{');
        lull_json_put_u64(j, "location", a->location);
        lull_json_put_u64(j, "binding", a->binding);
        lull_json_put_str(j, "format", a->format->name);
        lull_json_put_u64(j, "offset", a->offset);
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
    lull_json_close(j, '}');
}

void lull_layout_write_drawing(const struct lull_layout *layout, struct lull_json *j)
{
    if (layout->has_vertex_input) {
        write_vertex_input(layout, j);
    }
    if (layout->has_colors) {
        lull_json_key(j, "color_targets");
        lull_json_open(j, '[');
        for (uint32_t i = 0; i < LULL_LAYOUT_COLORS; i++) {
            const struct lull_layout_color *c = &layout->colors[i];
            if (c->format != NULL) {
                lull_json_open(j, '{');
                lull_json_put_u64(j, "location", i);
                lull_json_put_str(j, "format", c->format->name);
                lull_json_put_bool(j, "blend", c->blend);
                lull_json_put_bool(j, "source_alpha", c->source_alpha);
                lull_json_put_u64(j, "write_mask", c->write_mask);
                lull_json_close(j, '}');
            }
        }
        lull_json_close(j, ']');
    }
    lull_json_put_bool(j, "alpha_to_coverage", layout->alpha_to_coverage);
    lull_json_put_bool(j, "dual_source", layout->dual_source);
    lull_json_put_u64(j, "patch_control_points", layout->patch_control_points);
    lull_json_put_bool(j, "multiview", layout->multiview);
    lull_json_put_u64(j, "view_mask", layout->view_mask);
}
