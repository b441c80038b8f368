// SPDX-License-Identifier: MIT
/* What goes into a draw, in its digest: indices, elements of vertices, textures. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/vertex.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"
#include "debug/shell/vertices.h"
#include "hw/draw11_regs.h"
#include "hw/gc11_regs.h"
#include "hw/reg.h"
#include "tex/descriptor.h"

enum { SHOWN_INDICES = 8, SHOWN_VERTICES = 4, MAX_TEXTURES = 64 };

/* VkFormat: R32_UINT, R32_SINT, R32_SFLOAT, the same of two components, of three, of four. */
enum { VK_R32_UINT = 98, VK_R32G32B32A32_SFLOAT = 109 };

static bool has_binding(const struct lull_names_attribute *all, size_t n, uint32_t binding)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].binding == binding) {
            return true;
        }
    }
    return false;
}

/* Bindings of @p p with lower numbers than @p binding; UINT32_MAX: all. */
static unsigned bindings_below(const struct lull_names_pipeline *p, uint32_t binding)
{
    unsigned n = 0;
    for (size_t i = 0; i < p->nattributes; i++) {
        const struct lull_names_attribute *a = &p->attributes[i];
        n += a->binding < binding && !has_binding(p->attributes, i, a->binding);
    }
    return n;
}

/* The attribute that @p all[k] is: bindings lie in the order of their numbers, if the shader uses
 * all of them; else what alone has its place and stride. */
static const struct lull_names_attribute *attribute(const struct lull_names_pipeline *p,
                                                    const struct lull_vertex_element *all,
                                                    unsigned n, unsigned k)
{
    unsigned tables = 0;
    unsigned rank = 0;
    unsigned fitting = 0;
    const struct lull_names_attribute *found = NULL;
    for (unsigned i = 0; i < n; i++) {
        tables += i == 0 || all[i].table != all[i - 1].table;
        rank = i == k ? tables - 1 : rank;
    }
    const bool whole = tables == bindings_below(p, UINT32_MAX);
    for (size_t i = 0; i < p->nattributes; i++) {
        const struct lull_names_attribute *a = &p->attributes[i];
        if (a->offset == all[k].offset && a->stride == all[k].stride &&
            (!whole || bindings_below(p, a->binding) == rank)) {
            found = a;
            fitting++;
        }
    }
    return fitting == 1 ? found : NULL;
}

struct lull_error *lull_debug_vertices(struct lull_debug *d, const struct lull_draw_info *i,
                                       const struct lull_draw_regs *r, struct lull_vertices *ret)
{
    const bool hull = i->code_va[LULL_STAGE_HULL] != 0;
    struct lull_dispatch_info stage = {0};
    lull_cleanup(lull_freep) struct lull_bindings *b = calloc(1, sizeof *b);
    *ret = (struct lull_vertices){0};
    if (b == NULL) {
        return &lull_enomem;
    }
    lull_debug_stage_of(i, r, hull ? LULL_STAGE_HULL : LULL_STAGE_GEOMETRY, &stage);
    struct lull_error *err =
        stage.code_va != 0 && i->grid[0] == 0 ? lull_debug_bindings(d, &stage, b) : NULL;
    if (err != NULL) {
        return err;
    }
    ret->n = lull_vertex_elements(b, hull, ret->element);
    struct lull_dispatch_names names = {0};
    lull_debug_names_of_draw(d, i, &names);
    const struct lull_names_pipeline *p = names.record != NULL ? names.record->pipeline : NULL;
    for (unsigned k = 0; k < ret->n; k++) {
        const struct lull_names_attribute *a =
            p != NULL ? attribute(p, ret->element, ret->n, k) : NULL;
        const bool dwords =
            a != NULL && a->format >= VK_R32_UINT && a->format <= VK_R32G32B32A32_SFLOAT;
        ret->location[k] = a != NULL ? (int)a->location : -1;
        ret->integer[k] = lull_vertex_is_integer(&ret->element[k]) ||
                          (dwords && (a->format - VK_R32_UINT) % 3 != 2);
    }
    return NULL;
}

static void show_value(const uint32_t v[4], unsigned n, bool integer, struct lull_str *out,
                       struct lull_json *json)
{
    lull_str_addf(out, " (");
    if (json != NULL) {
        lull_json_open(json, '[');
    }
    for (unsigned i = 0; i < n; i++) {
        float f = 0;
        memcpy(&f, &v[i], sizeof f);
        lull_str_addf(out, "%s", i == 0 ? "" : " ");
        if (integer) {
            lull_str_addf(out, "%" PRId32, (int32_t)v[i]);
        } else {
            lull_str_addf(out, "%.6g", (double)f);
        }
        if (json != NULL && integer) {
            lull_json_i64(json, (int32_t)v[i]);
        } else if (json != NULL) {
            lull_json_float(json, f);
        }
    }
    lull_str_addf(out, ")");
    if (json != NULL) {
        lull_json_close(json, ']');
    }
}

/* Values of the first vertices, or instances. */
static void show_values(struct lull_cmd *c, const struct lull_draw_info *draw,
                        const struct lull_vertices *v, unsigned k, struct lull_str *out)
{
    const struct lull_vertex_element *e = &v->element[k];
    const bool instances = e->rate == LULL_RATE_INSTANCE;
    const uint32_t count = instances ? draw->instances : draw->count;
    const unsigned n =
        e->format != NULL && e->format->components != 1 ? e->format->components : e->loads;
    for (uint32_t i = 0; e->rate != LULL_RATE_OTHER && i < count && i < SHOWN_VERTICES; i++) {
        uint32_t value[4] = {0};
        uint32_t index = i;
        struct lull_error *err = instances ? NULL : lull_draw_index(c->d->target, draw, i, &index);
        err = err != NULL ? err : lull_vertex_read(c->d->target, e, index, value);
        if (err != NULL) {
            lull_str_addf(out, " (%s)", lull_error_message(err));
            lull_error_free(err);
            break;
        }
        show_value(value, n, v->integer[k], out, c->json);
    }
    lull_str_addf(out, "%s", count > SHOWN_VERTICES ? " ..." : "");
}

static void show_element(struct lull_cmd *c, const struct lull_draw_info *draw,
                         const struct lull_vertices *v, unsigned k)
{
    static const char *const rates[] = {[LULL_RATE_VERTEX] = "",
                                        [LULL_RATE_INSTANCE] = " for each instance",
                                        [LULL_RATE_OTHER] =
                                            " by a number that the shader computes"};
    const struct lull_vertex_element *e = &v->element[k];
    lull_cleanup(lull_str_free) struct lull_str format = {0};
    lull_cleanup(lull_str_free) struct lull_str values = {0};
    lull_vertex_format(e, v->integer[k], &format);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        if (v->location[k] >= 0) {
            lull_json_put_u64(c->json, "location", (uint64_t)v->location[k]);
        }
        lull_json_put_hex(c->json, "va", e->base);
        lull_json_put_u64(c->json, "offset", e->offset);
        lull_json_put_u64(c->json, "stride", e->stride);
        lull_json_put_u64(c->json, "first", e->first);
        lull_json_put_str(c->json, "format", lull_str_text(&format));
        lull_json_put_bool(c->json, "per_instance", e->rate == LULL_RATE_INSTANCE);
        lull_json_key(c->json, "values");
        lull_json_open(c->json, '[');
    }
    show_values(c, draw, v, k, &values);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
        lull_json_close(c->json, '}');
    }
    lull_str_addf(c->out, "element %-2u", k);
    if (v->location[k] >= 0) {
        lull_str_addf(c->out, "location %d, ", v->location[k]);
    }
    lull_str_addf(c->out, "%s at 0x%012" PRIx64 "+%" PRIu32 ", stride %" PRIu32 "%s",
                  lull_str_text(&format), e->base, e->offset, e->stride, rates[e->rate]);
    if (e->first != 0) {
        lull_str_addf(c->out, ", from %" PRIu32 " on", e->first);
    }
    lull_str_addf(c->out, ":%s\n", lull_str_text(&values));
}

static void show_indices(struct lull_cmd *c, const struct lull_draw_info *draw)
{
    if (draw->index_bytes == 0) {
        return;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "indices");
        lull_json_open(c->json, '[');
    }
    lull_str_addf(c->out, "indices  ");
    for (uint32_t i = 0; i < draw->count && i < SHOWN_INDICES; i++) {
        uint32_t index = 0;
        struct lull_error *err = lull_draw_index(c->d->target, draw, i, &index);
        if (err != NULL) {
            lull_str_addf(c->out, " %s", lull_error_message(err));
            lull_error_free(err);
            break;
        }
        lull_str_addf(c->out, " %" PRIu32, index);
        if (c->json != NULL) {
            lull_json_u64(c->json, index);
        }
    }
    lull_str_addf(c->out, "%s\n", draw->count > SHOWN_INDICES ? " ..." : "");
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
}

static void show_textures(struct lull_cmd *c, const struct lull_draw_info *i,
                          const struct lull_draw_regs *r, struct lull_bindings *b)
{
    static const char *const stages[LULL_STAGES] = {"hs", "gs", "ps"};
    unsigned n = 0;
    for (unsigned k = 0; k < LULL_STAGES; k++) {
        struct lull_dispatch_info stage = {0};
        lull_debug_stage_of(i, r, k, &stage);
        struct lull_error *err =
            stage.code_va != 0 ? lull_debug_bindings(c->d, &stage, b) : &lull_enomem;
        const bool good = err == NULL;
        lull_error_free(err);
        for (unsigned j = 0; good && j < b->ndescs && n < MAX_TEXTURES; j++) {
            struct lull_image_desc image = {0};
            lull_cleanup(lull_str_free) struct lull_str text = {0};
            if (b->desc[j].kind != LULL_DESC_IMAGE || b->desc[j].indexed) {
                continue;
            }
            lull_image_desc_parse(b->desc[j].dword, &image);
            lull_str_addf(&text, "%s ", stages[k]);
            lull_image_desc_show(&image, &text);
            lull_str_addf(c->out, "texture %-2u%s\n", n++, lull_str_text(&text));
            if (c->json != NULL) {
                lull_json_str(c->json, lull_str_text(&text));
            }
        }
    }
}

struct lull_error *lull_debug_show_vertices(struct lull_cmd *c, const struct lull_draw_info *i,
                                            const struct lull_draw_regs *r)
{
    lull_cleanup(lull_freep) struct lull_vertices *v = calloc(1, sizeof *v);
    lull_cleanup(lull_freep) struct lull_bindings *b = calloc(1, sizeof *b);
    if (v == NULL || b == NULL) {
        return &lull_enomem;
    }
    show_indices(c, i);
    struct lull_error *err = lull_debug_vertices(c->d, i, r, v);
    if (err != NULL) { // code that is gone: the rest of the digest is no worse for it
        lull_error_free(err);
        return NULL;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "elements");
        lull_json_open(c->json, '[');
    }
    for (unsigned k = 0; k < v->n; k++) {
        show_element(c, i, v, k);
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
        lull_json_key(c->json, "textures");
        lull_json_open(c->json, '[');
    }
    show_textures(c, i, r, b);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return NULL;
}

static const struct {
    uint32_t rsrc2, user_data, first;
} stages[LULL_STAGES] = {
    {LULL_DRAW11_SPI_SHADER_PGM_RSRC2_HS, LULL_DRAW11_SPI_SHADER_USER_DATA_HS_0, 8},
    {LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS, LULL_DRAW11_SPI_SHADER_USER_DATA_GS_0, 8},
    {LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS, LULL_DRAW11_SPI_SHADER_USER_DATA_PS_0, 0},
};

void lull_debug_stage_of(const struct lull_draw_info *i, const struct lull_draw_regs *r, unsigned k,
                         struct lull_dispatch_info *ret)
{
    const uint32_t n = lull_get(lull_draw_reg(r, stages[k].rsrc2),
                                LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS__USER_SGPR_MASK); // of all
    *ret = (struct lull_dispatch_info){
        .number = UINT64_MAX,
        .pid = i->pid,
        .client = i->client,
        .code_va = i->code_va[k],
        .rsrc2 = lull_set(0, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK, n < 16 ? n : 16),
        .first_user = stages[k].first,
    };
    for (unsigned j = 0; j < 16; j++) {
        ret->user_data[j] = lull_draw_reg(r, stages[k].user_data + 4 * j);
    }
}
