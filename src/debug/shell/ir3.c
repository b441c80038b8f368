// SPDX-License-Identifier: MIT
/* What the commands that speak of registers and descriptors say of an Adreno. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/ir3/descriptors.h"
#include "debug/shell/shell.h"
#include "hw/adreno_pkts.h"

enum { NAME_ROOM = 16, SHARED_FIRST = 48, SHARED = 8, CONSTANTS = 512 };

/* All four components of @p count registers. What the wave does not have ends it. */
LULL_MUST_USE static struct lull_error *rows(struct lull_cmd *c, const char *prefix, unsigned first,
                                             unsigned count)
{
    for (unsigned i = 0; i < 4 * count; i++) {
        char name[NAME_ROOM] = "";
        snprintf(name, sizeof name, "%s%u.%c", prefix, first + i / 4, "xyzw"[i % 4]);
        struct lull_error *err = lull_cmd_show_named(c, name);
        if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) {
            lull_error_free(err);
            return NULL;
        }
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *scalars(struct lull_cmd *c)
{
    static const char *const names[] = {"pc", "exec", "a1.x"};
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < sizeof names / sizeof names[0]; i++) {
        err = lull_cmd_show_named(c, names[i]);
    }
    return err != NULL ? err : rows(c, "r", SHARED_FIRST, SHARED);
}

/* Of the code that the wave runs. */
static const struct lull_adreno_dispatch *shape_of(struct lull_debug *d)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *none = lull_debug_focused(d, &w);
    const bool drawn = none == NULL && w->info.of_draw;
    lull_error_free(none);
    return drawn ? &d->draw.adreno.stage[w->info.stage] : &d->dispatch.adreno;
}

LULL_MUST_USE static struct lull_error *vectors(struct lull_cmd *c)
{
    static const char *const names[] = {"a0.x", "p0.x", "p0.y", "p0.z", "p0.w"};
    struct lull_error *err = rows(c, "r", 0, shape_of(c->d)->full);
    for (size_t i = 0; err == NULL && i < sizeof names / sizeof names[0]; i++) {
        err = lull_cmd_show_named(c, names[i]);
    }
    return err;
}

struct lull_error *lull_ir3_info_registers(struct lull_cmd *c, const char *args)
{
    if (*args == '\0' || strcmp(args, "scalar") == 0) {
        return scalars(c);
    }
    if (strcmp(args, "vector") == 0) {
        return vectors(c);
    }
    if (strcmp(args, "half") == 0) {
        return rows(c, "hr", 0, shape_of(c->d)->half);
    }
    if (strcmp(args, "constants") == 0) {
        return rows(c, "c", 0, CONSTANTS);
    }
    if (strcmp(args, "hw") == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "an Adreno's waves have no hardware registers: scalar, vector, half, "
                              "constants");
    }
    return strlen(args) < NAME_ROOM ? lull_cmd_show_named(c, *args == '$' ? args + 1 : args)
                                    : lull_error_new(LULL_ERR_INVALID, "no register '%s'", args);
}

static const char *const kinds[] = {
    [LULL_IR3_DESC_UBO] = "uniform buffer",
    [LULL_IR3_DESC_STORAGE] = "storage",
    [LULL_IR3_DESC_TEXTURE] = "texture",
    [LULL_IR3_DESC_SAMPLER] = "sampler",
};

static const char *words(const struct lull_ir3_desc *d)
{
    return !d->known   ? "named by a register at run time"
           : !d->there ? "cannot be read"
                       : "all zero";
}

static void row_json(struct lull_json *json, const struct lull_ir3_desc *d,
                     const struct lull_binding_name *api, const char *text)
{
    lull_json_open(json, '{');
    lull_json_put_str(json, "kind", kinds[d->kind]);
    if (d->bindless) {
        lull_json_put_u64(json, "set", d->set);
    }
    lull_json_put_bool(json, "known", d->known);
    if (d->known) {
        lull_json_put_u64(json, "index", d->index);
    }
    lull_json_put_hex(json, "use", d->pc);
    lull_json_put_hex(json, "descriptor", d->va);
    lull_json_put_bool(json, "reads", d->reads);
    lull_json_put_bool(json, "writes", d->writes);
    if (d->is_buffer) {
        lull_json_put_hex(json, "va", d->buffer);
        lull_json_put_u64(json, "elements", d->elements);
    }
    if (api->known) {
        lull_json_put_u64(json, "binding", api->binding);
        lull_json_put_str(json, "name", api->name);
    }
    lull_json_put_str(json, "text", text);
    lull_json_close(json, '}');
}

static void desc_row(struct lull_cmd *c, unsigned number, const struct lull_ir3_desc *d)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    char place[48] = "";
    char index[16] = "[?]";
    if (d->known) {
        snprintf(index, sizeof index, "[%" PRIu32 "]", d->index);
    }
    struct lull_binding_name api;
    lull_debug_ir3_binding(c->d, d, &api);
    snprintf(place, sizeof place, d->bindless ? "set %u" : "table", d->set);
    if (d->there) {
        lull_debug_ir3_desc_show(c->d, d, &text);
    }
    lull_str_addf(c->out, "b%-3u ", number);
    lull_cmd_desc_name(&api, c->out);
    lull_str_addf(c->out, "%s%s%-5s %-14s %s%s", api.known ? "  " : "", place, index,
                  kinds[d->kind], d->reads ? "r" : "-", d->writes ? "w" : "-");
    if (d->va != 0) {
        lull_str_addf(c->out, " at 0x%012" PRIx64, d->va);
    }
    lull_str_addf(c->out, ", first used at ");
    lull_debug_show_symbol(c->d, d->pc, c->out);
    lull_str_addf(c->out, "\n    %s\n", text.size != 0 ? lull_str_text(&text) : words(d));
    if (c->json != NULL) {
        row_json(c->json, d, &api, text.size != 0 ? lull_str_text(&text) : words(d));
    }
}

struct lull_error *lull_ir3_info_descriptors(struct lull_cmd *c, const struct lull_dispatch_info *i)
{
    lull_cleanup(lull_freep) struct lull_ir3_desc *all = calloc(LULL_IR3_MAX_DESCS, sizeof *all);
    unsigned n = 0;
    struct lull_error *err = all == NULL ? &lull_enomem : lull_debug_ir3_descs(c->d, i, all, &n);
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "descriptors");
        lull_json_open(c->json, '[');
    }
    for (unsigned k = 0; k < n; k++) {
        desc_row(c, k, &all[k]);
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (n == 0) {
        lull_str_addf(c->out, "The shader uses no descriptors.\n");
    }
    return NULL;
}

struct lull_error *lull_ir3_info_pipeline(struct lull_cmd *c, const struct lull_dispatch_info *i,
                                          const struct lull_pipeline *p)
{
    const struct lull_adreno_dispatch *a = &i->adreno;
    lull_str_addf(c->out,
                  "Pipeline %s of %s %" PRIu64 ", hash %016" PRIx64 "\n"
                  "code 0x%012" PRIx64 ", %" PRIu32 " bytes, %" PRIu32
                  " instructions, waves of %" PRIu32 " fibers\n"
                  "%" PRIu32 " full and %" PRIu32 " half registers, %" PRIu32
                  " bytes of shared memory\n",
                  p->symbol, a->of_draw ? "draw" : "dispatch", i->number, p->hash, p->va, p->bytes,
                  p->ninsns, a->fibers, a->full, a->half, a->local_bytes);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "pipeline", p->symbol);
        lull_json_put_hex(c->json, "hash", p->hash);
        lull_json_put_hex(c->json, "code", p->va);
        lull_json_put_u64(c->json, "bytes", p->bytes);
        lull_json_put_u64(c->json, "instructions", p->ninsns);
        lull_json_put_u64(c->json, "fibers", a->fibers);
        lull_json_put_u64(c->json, "full_registers", a->full);
        lull_json_put_u64(c->json, "half_registers", a->half);
        lull_json_put_u64(c->json, "shared_bytes", a->local_bytes);
    }
    return NULL;
}

static void row(struct lull_cmd *c, const char *name, const struct lull_str *text)
{
    lull_str_addf(c->out, "%-9s %s\n", name, lull_str_text(text));
    if (c->json != NULL) {
        lull_json_put_str(c->json, name, lull_str_text(text));
    }
}

static const char *topology(unsigned prim)
{
    static const char *const names[] = {
        [LULL_DI_PT_POINTLIST_PSIZE] = "point list", [LULL_DI_PT_LINELIST] = "line list",
        [LULL_DI_PT_LINESTRIP] = "line strip",       [LULL_DI_PT_TRILIST] = "triangle list",
        [LULL_DI_PT_TRIFAN] = "triangle fan",        [LULL_DI_PT_TRISTRIP] = "triangle strip",
        [LULL_DI_PT_RECTLIST] = "rectangles",        [LULL_DI_PT_POINTLIST] = "point list",
    };
    return prim < sizeof names / sizeof names[0] && names[prim] != NULL ? names[prim]
                                                                        : "primitives";
}

void lull_ir3_info_draw(struct lull_cmd *c, const struct lull_draw_info *i)
{
    const uint32_t *w = i->adreno.window;
    lull_cleanup(lull_str_free) struct lull_str vertices = {0};
    lull_cleanup(lull_str_free) struct lull_str window = {0};
    lull_str_addf(&vertices, "%s", topology(i->adreno.prim));
    if (i->index_bytes != 0) {
        lull_str_addf(&vertices, ", %" PRIu32 "-bit indices at 0x%012" PRIx64, 8 * i->index_bytes,
                      i->index_va);
    }
    row(c, "vertices", &vertices);
    for (unsigned k = LULL_STAGE_VERTEX; k <= LULL_STAGE_FRAGMENT; k++) {
        const struct lull_adreno_dispatch *a = &i->adreno.stage[k];
        const struct lull_pipeline *p = lull_pipeline_of(c->d, i->code_va[k]);
        lull_cleanup(lull_str_free) struct lull_str text = {0};
        lull_str_addf(&text,
                      "%s at 0x%012" PRIx64 ", waves of %" PRIu32 " fibers, %" PRIu32
                      " full and %" PRIu32 " half registers",
                      p != NULL ? p->symbol : "?", i->code_va[k], a->fibers, a->full, a->half);
        row(c, lull_draw_stage_name((enum lull_draw_stage)k), &text);
    }
    lull_str_addf(&window, "%" PRIu32 ",%" PRIu32 " %" PRIu32 "x%" PRIu32 "%s", w[0], w[1],
                  w[2] - w[0], w[3] - w[1], i->adreno.tiled ? ", a tile in GMEM" : "");
    row(c, "window", &window);
}
