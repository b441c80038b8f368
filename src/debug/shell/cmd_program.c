// SPDX-License-Identifier: MIT
/* info dispatches, pipeline, descriptors, push-constants: what a program gives the GPU. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"
#include "debug/shell/shell.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "tex/descriptor.h"

enum { PAGE = 256, SHOWN = 64, VGPR_GRANULE64 = 4, VGPR_GRANULE32 = 8 };

static const char *const phases[] = {
    [LULL_PHASE_HELD] = "held",
    [LULL_PHASE_RUNNING] = "running",
    [LULL_PHASE_DONE] = "done",
    [LULL_PHASE_KILLED] = "killed",
};

/* Dispatch "N", or the held one (the last that was, if none is). */
LULL_MUST_USE static struct lull_error *which(struct lull_debug *d, const char *args,
                                              struct lull_dispatch_info *ret)
{
    uint64_t n = 0;
    const char *at = args;
    size_t got = 0;
    struct lull_error *err = lull_debug_dispatches(d, 0, ret, 0, &got); // is it a program?
    if (err != NULL) {
        return err;
    }
    if (lull_debug_is_ir3(d) && lull_debug_draw_stage(d, at, ret, &err)) {
        return err;
    }
    if (*at == '\0') {
        if (!d->has_dispatch) {
            return lull_error_new(LULL_ERR_NOT_FOUND, "no dispatch has come yet");
        }
        struct lull_dispatch_info now = {0};
        err = lull_debug_dispatches(d, d->dispatch.number, &now, 1, &got);
        *ret = d->dispatch;
        // It may have ended since, or the program has.
        ret->phase = err == NULL && got != 0       ? now.phase
                     : d->started                  ? ret->phase
                     : d->outcome == LULL_OUT_DONE ? LULL_PHASE_DONE
                                                   : LULL_PHASE_KILLED;
        return err;
    }
    if (!lull_cmd_number(&at, &n) || *at != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not the number of a dispatch", args);
    }
    err = lull_debug_dispatches(d, n, ret, 1, &got);
    if (err == NULL && got == 0) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "dispatch %" PRIu64 " has not come yet", n);
    }
    return err;
}

static void dispatch_names(struct lull_cmd *c, const struct lull_dispatch_info *i)
{
    struct lull_dispatch_names n = {0};
    lull_debug_names_of(c->d, i, &n);
    if (n.record == NULL) {
        return;
    }
    lull_cleanup(lull_str_free) struct lull_str title = {0};
    lull_dispatch_title(&n, &title);
    lull_json_put_str(c->json, "title", lull_str_text(&title));
    lull_json_put_bool(c->json, "sure", n.sure);
    lull_json_key(c->json, "labels");
    lull_json_open(c->json, '[');
    for (size_t k = 0; k < n.record->nlabels; k++) {
        lull_json_str(c->json, n.record->labels[k]);
    }
    lull_json_close(c->json, ']');
}

static void dispatch_row(struct lull_cmd *c, const struct lull_dispatch_info *i)
{
    struct lull_debug *d = c->d;
    bool here = d->has_dispatch && d->dispatch.number == i->number;
    lull_str_addf(c->out, "%c %-4" PRIu64 " %-8s ", here ? '*' : ' ', i->number, phases[i->phase]);
    lull_dispatch_line(d, i, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json == NULL) {
        return;
    }
    const struct lull_pipeline *p = lull_pipeline_of(d, i->code_va);
    lull_json_open(c->json, '{');
    lull_json_put_u64(c->json, "number", i->number);
    lull_json_put_str(c->json, "state", phases[i->phase]);
    lull_json_put_u64(c->json, "pid", i->pid);
    lull_json_put_str(c->json, "ring", i->ring);
    lull_json_put_hex(c->json, "code", i->code_va);
    lull_json_put_str(c->json, "pipeline", p != NULL ? p->symbol : "");
    dispatch_names(c, i);
    lull_json_key(c->json, "grid");
    lull_json_open(c->json, '[');
    for (unsigned k = 0; k < 3; k++) {
        lull_json_u64(c->json, i->grid[k]);
    }
    lull_json_close(c->json, ']');
    lull_json_key(c->json, "block");
    lull_json_open(c->json, '[');
    for (unsigned k = 0; k < 3; k++) {
        lull_json_u64(c->json, i->block[k]);
    }
    lull_json_close(c->json, ']');
    lull_json_close(c->json, '}');
}

static void json_list(struct lull_cmd *c, const char *key)
{
    if (c->json != NULL) {
        lull_json_key(c->json, key);
        lull_json_open(c->json, '[');
    }
}

static void json_end(struct lull_cmd *c)
{
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
}

struct lull_error *lull_cmd_info_dispatch(struct lull_cmd *c)
{
    struct lull_dispatch_info i = {0};
    struct lull_error *err = which(c->d, c->args, &i);
    if (err != NULL) {
        return err;
    }
    json_list(c, "dispatches");
    dispatch_row(c, &i);
    json_end(c);
    struct lull_dispatch_names names = {0};
    lull_debug_names_of(c->d, &i, &names);
    lull_debug_show_stacks(c, &names);
    return NULL;
}

struct lull_error *lull_cmd_info_dispatches(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    lull_cleanup(lull_freep) struct lull_dispatch_info *infos = calloc(PAGE, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    size_t n = 0;
    struct lull_error *err = lull_debug_dispatches(d, 0, infos, 0, &n);
    uint64_t total = n;
    uint64_t first = total > SHOWN ? total - SHOWN : 0;
    if (err == NULL) {
        err = lull_debug_dispatches(d, first, infos, PAGE, &n);
    }
    if (err != NULL) {
        return err;
    }
    json_list(c, "dispatches");
    if (first != 0) {
        lull_str_addf(c->out, "(%" PRIu64 " earlier ones)\n", first);
    }
    for (size_t i = 0; i < n && i < PAGE; i++) {
        dispatch_row(c, &infos[i]);
    }
    json_end(c);
    if (total == 0) {
        lull_str_addf(c->out, "No dispatches yet.\n");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *pipeline_code(struct lull_cmd *c,
                                                      const struct lull_pipeline *p, unsigned lanes)
{
    struct lull_error *err = NULL;
    for (uint64_t va = p->va; err == NULL && va < p->va + p->bytes;) {
        unsigned size = 0;
        err = lull_debug_show_insn(c, va, false, lanes, &size, NULL);
        va += size;
    }
    return err;
}

static void pipeline_names(struct lull_cmd *c, const struct lull_dispatch_info *i)
{
    struct lull_dispatch_names n = {0};
    lull_debug_names_of(c->d, i, &n);
    const struct lull_names_pipeline *p = n.record != NULL ? n.record->pipeline : NULL;
    if (p == NULL) {
        return;
    }
    lull_dispatch_title(&n, c->out);
    lull_str_addf(c->out, ", SPIR-V %s", p->shader != NULL ? p->shader->hash : "?");
    for (size_t k = 0; k < p->nspecs; k++) {
        lull_str_addf(c->out, "%s constant %" PRIu32 " = 0x%" PRIx64, k == 0 ? "," : "",
                      p->specs[k].id, p->specs[k].value);
    }
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        lull_json_put_str(c->json, "entry", p->entry);
        lull_json_put_str(c->json, "name", p->name);
        lull_json_put_str(c->json, "spirv", p->shader != NULL ? p->shader->hash : "");
    }
}

struct lull_error *lull_cmd_info_pipeline(struct lull_cmd *c)
{
    const char *at = c->args;
    (void)lull_cmd_word(&at, "pipeline");
    bool code = lull_cmd_word(&at, "code");
    struct lull_dispatch_info i = {0};
    struct lull_pipeline *p = NULL;
    struct lull_error *err = which(c->d, at, &i);
    err = err != NULL ? err : lull_pipeline_at(c->d, i.code_va, &p);
    if (err != NULL) {
        return err;
    }
    if (lull_debug_is_ir3(c->d)) {
        err = lull_ir3_info_pipeline(c, &i, p);
        return err != NULL || !code ? err : pipeline_code(c, p, i.adreno.fibers);
    }
    bool wave32 = lull_get(i.initiator, LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK) != 0;
    unsigned vgprs = (lull_get(i.rsrc1, LULL_GC11_COMPUTE_PGM_RSRC1__VGPRS_MASK) + 1) *
                     (wave32 ? VGPR_GRANULE32 : VGPR_GRANULE64);
    uint32_t lds = lull_get(i.rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__LDS_SIZE_MASK)
                   << 9; // in 512 bytes
    bool scratch = lull_get(i.rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__SCRATCH_EN_MASK) != 0;
    unsigned user = lull_get(i.rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK);
    lull_str_addf(c->out,
                  "Pipeline %s of dispatch %" PRIu64 ", hash %016" PRIx64 "\n"
                  "code 0x%012" PRIx64 ", %" PRIu32 " bytes, %" PRIu32 " instructions, wave%u\n"
                  "%u VGPRs, %u user SGPRs, %" PRIu32 " bytes of LDS, %s scratch\n"
                  "RSRC1 0x%08" PRIx32 " RSRC2 0x%08" PRIx32 " RSRC3 0x%08" PRIx32 "\n",
                  p->symbol, i.number, p->hash, p->va, p->bytes, p->ninsns, wave32 ? 32 : 64, vgprs,
                  user, lds, scratch ? "with" : "no", i.rsrc1, i.rsrc2, i.rsrc3);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "pipeline", p->symbol);
        lull_json_put_hex(c->json, "hash", p->hash);
        lull_json_put_hex(c->json, "code", p->va);
        lull_json_put_u64(c->json, "bytes", p->bytes);
        lull_json_put_u64(c->json, "instructions", p->ninsns);
        lull_json_put_u64(c->json, "lanes", wave32 ? 32 : 64);
        lull_json_put_u64(c->json, "vgprs", vgprs);
        lull_json_put_u64(c->json, "user_sgprs", user);
        lull_json_put_u64(c->json, "lds_bytes", lds);
        lull_json_put_bool(c->json, "scratch", scratch);
    }
    pipeline_names(c, &i);
    return code ? pipeline_code(c, p, wave32 ? 32 : 64) : NULL;
}

static const char *const kinds[] = {
    [LULL_DESC_BUFFER] = "buffer", [LULL_DESC_IMAGE] = "image", [LULL_DESC_SAMPLER] = "sampler"};

static void desc_text(const struct lull_desc *desc, struct lull_str *out)
{
    struct lull_image_desc image = {0};
    struct lull_sampler_desc sampler = {0};
    struct lull_buffer_desc buffer = {0};
    if (desc->indexed) {
        lull_str_addf(out, "indexed at run time");
    } else if (desc->kind == LULL_DESC_IMAGE) {
        lull_image_desc_parse(desc->dword, &image);
        lull_image_desc_show(&image, out);
    } else if (desc->kind == LULL_DESC_SAMPLER) {
        lull_sampler_desc_parse(desc->dword, &sampler);
        lull_sampler_desc_show(&sampler, out);
    } else {
        lull_buffer_desc_parse(desc->dword, &buffer);
        lull_buffer_desc_show(&buffer, out);
    }
}

static void desc_place(const struct lull_desc *desc, struct lull_str *out)
{
    if (desc->user >= 0 && desc->through >= 0) {
        lull_str_addf(out, "s%d[%d]+0x%" PRIx32, desc->user, desc->through, desc->offset);
    } else if (desc->user >= 0) {
        lull_str_addf(out, "s%d+0x%" PRIx32, desc->user, desc->offset);
    } else {
        lull_str_addf(out, desc->va != 0 ? "0x%" PRIx64 : "in registers", desc->va);
    }
}

static void desc_row(struct lull_cmd *c, unsigned number, const struct lull_desc *desc,
                     const struct lull_binding_name *name)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_cleanup(lull_str_free) struct lull_str at = {0};
    lull_cleanup(lull_str_free) struct lull_str api = {0};
    desc_place(desc, &at);
    desc_text(desc, &text);
    lull_cmd_desc_name(name, &api);
    lull_str_addf(c->out, "b%-3u %s%s%-10s %s%s  %s, first used at ", number, lull_str_text(&api),
                  name->known ? "  " : "", lull_str_text(&at), desc->reads ? "r" : "-",
                  desc->writes ? "w" : "-", lull_str_text(&text));
    lull_debug_show_symbol(c->d, desc->pc, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json == NULL) {
        return;
    }
    uint64_t size = 0;
    uint64_t base = lull_desc_buffer(desc, &size);
    lull_json_open(c->json, '{');
    lull_json_put_u64(c->json, "number", number);
    lull_json_put_str(c->json, "kind", kinds[desc->kind]);
    lull_json_put_str(c->json, "place", lull_str_text(&at));
    if (name->known) {
        lull_json_put_u64(c->json, "set", name->set);
        lull_json_put_u64(c->json, "binding", name->binding);
        lull_json_put_u64(c->json, "element", name->element);
        lull_json_put_str(c->json, "name", name->name);
        lull_json_put_str(c->json, "type", name->type);
    }
    lull_json_put_hex(c->json, "use", desc->pc);
    lull_json_put_hex(c->json, "descriptor", desc->va);
    lull_json_put_bool(c->json, "reads", desc->reads);
    lull_json_put_bool(c->json, "writes", desc->writes);
    lull_json_put_bool(c->json, "indexed", desc->indexed);
    if (desc->kind == LULL_DESC_BUFFER && !desc->indexed) {
        lull_json_put_hex(c->json, "va", base);
        lull_json_put_u64(c->json, "size", size);
    }
    lull_json_put_str(c->json, "text", lull_str_text(&text));
    lull_json_close(c->json, '}');
}

LULL_MUST_USE static struct lull_error *bindings(struct lull_cmd *c, struct lull_dispatch_info *i,
                                                 struct lull_bindings **ret)
{
    struct lull_error *err = NULL;
    if (!lull_debug_draw_stage(c->d, c->args, i, &err)) {
        err = which(c->d, c->args, i);
    }
    if (err != NULL) {
        return err;
    }
    struct lull_bindings *b = calloc(1, sizeof *b);
    err = b == NULL ? &lull_enomem : lull_debug_bindings(c->d, i, b);
    if (err != NULL) {
        free(b);
        return err;
    }
    *ret = b;
    return NULL;
}

struct lull_error *lull_cmd_info_descriptors(struct lull_cmd *c)
{
    struct lull_dispatch_info i = {0};
    if (lull_debug_is_ir3(c->d)) {
        struct lull_error *none = which(c->d, c->args, &i);
        return none != NULL ? none : lull_ir3_info_descriptors(c, &i);
    }
    lull_cleanup(lull_freep) struct lull_bindings *b = NULL;
    struct lull_error *err = bindings(c, &i, &b);
    if (err != NULL) {
        return err;
    }
    struct lull_dispatch_names names = {0};
    lull_cleanup(lull_freep) struct lull_binding_name *named = calloc(b->ndescs + 1, sizeof *named);
    if (named == NULL) {
        return &lull_enomem;
    }
    lull_debug_names_of(c->d, &i, &names);
    lull_dispatch_bindings(&names, b, named);
    json_list(c, "descriptors");
    for (unsigned k = 0; k < b->ndescs; k++) {
        desc_row(c, k, &b->desc[k], &named[k]);
    }
    json_end(c);
    if (b->ndescs == 0) {
        lull_str_addf(c->out, "The shader uses no descriptors.\n");
    }
    return NULL;
}

static void show_dword(struct lull_cmd *c, const char *place, uint32_t v)
{
    float f = 0;
    memcpy(&f, &v, sizeof f);
    lull_str_addf(c->out, "%-10s 0x%08" PRIx32 "  %" PRId32 "  %g\n", place, v, (int32_t)v,
                  (double)f);
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "place", place);
        lull_json_put_hex(c->json, "value", v);
        lull_json_close(c->json, '}');
    }
}

/** Where a value of a struct stands. */
struct typed {
    struct lull_cmd *c;
    const uint8_t *bytes;
    size_t size;
    unsigned rows;
};

enum { MAX_ROWS = 256, MAX_PATH = 200 };

static void typed_scalar(struct typed *t, const char *path, const struct lull_spirv_type *type,
                         uint64_t offset)
{
    size_t n = type->bits / 8;
    uint64_t v = 0;
    if (n == 0 || n > sizeof v || offset + n > t->size || t->rows++ >= MAX_ROWS) {
        return;
    }
    memcpy(&v, t->bytes + offset, n);
    const bool real = type->kind == LULL_SPIRV_FLOAT;
    const struct lull_ctype as = {.kind = real              ? LULL_CTYPE_FLOAT
                                          : type->is_signed ? LULL_CTYPE_SIGNED
                                                            : LULL_CTYPE_UNSIGNED,
                                  .bits = (uint8_t)(8 * n)};
    lull_str_addf(t->c->out, "%-16s +0x%-4" PRIx64 " ", path, offset);
    lull_value_show_one(v, as, real ? '\0' : type->is_signed ? 'd' : 'u', t->c->out);
    lull_str_addf(t->c->out, "  (0x%0*" PRIx64 ")\n", (int)(2 * n), v);
    if (t->c->json != NULL) {
        lull_json_open(t->c->json, '{');
        lull_json_put_str(t->c->json, "name", path);
        lull_json_put_u64(t->c->json, "offset", offset);
        lull_json_put_hex(t->c->json, "value", v);
        lull_json_close(t->c->json, '}');
    }
}

/* All scalars of a type as it is laid out. Nesting ends where a path gets too long. */
static void typed_value(struct typed *t, const char *path, const struct lull_spirv_type *type,
                        uint64_t offset, uint32_t stride)
{
    char inner[MAX_PATH] = {0};
    if (strlen(path) + 24 > sizeof inner || t->rows >= MAX_ROWS) {
        return;
    }
    if (type->kind == LULL_SPIRV_STRUCT) {
        for (size_t i = 0; i < type->nmembers; i++) {
            const struct lull_spirv_member *m = &type->members[i];
            snprintf(inner, sizeof inner, "%s%s%s", path, path[0] != '\0' ? "." : "", m->name);
            typed_value(t, inner, m->type, offset + m->offset, m->matrix_stride);
        }
    } else if (type->kind == LULL_SPIRV_VECTOR || type->kind == LULL_SPIRV_MATRIX ||
               type->kind == LULL_SPIRV_ARRAY) {
        bool vector = type->kind == LULL_SPIRV_VECTOR;
        uint64_t step = vector                            ? type->element->bits / 8
                        : type->kind == LULL_SPIRV_MATRIX ? stride
                                                          : type->stride;
        for (uint32_t i = 0; step != 0 && i < type->count && i < MAX_ROWS; i++) {
            snprintf(inner, sizeof inner, "%.170s[%" PRIu32 "]", path, i);
            typed_value(t, inner, type->element, offset + i * step, stride);
        }
    } else {
        struct lull_spirv_type scalar = *type;
        scalar.bits = type->kind == LULL_SPIRV_POINTER ? 64 : type->bits;
        typed_scalar(t, path, &scalar, offset);
    }
}

/* With names: the members of the block, from what the program pushed. */
static bool push_by_name(struct lull_cmd *c, const struct lull_dispatch_info *i)
{
    struct lull_dispatch_names n = {0};
    lull_debug_names_of(c->d, i, &n);
    if (n.record == NULL || n.spirv == NULL || n.spirv->push == NULL || n.record->npush == 0) {
        return false;
    }
    struct typed t = {.c = c, .bytes = n.record->push, .size = n.record->npush};
    json_list(c, "push_constants");
    typed_value(&t, "", n.spirv->push, 0, 0);
    json_end(c);
    return true;
}

struct lull_error *lull_cmd_info_push_constants(struct lull_cmd *c)
{
    struct lull_dispatch_info i = {0};
    if (lull_debug_is_ir3(c->d)) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED,
            "push constants of an Adreno are among the constants: 'info registers "
            "constants'");
    }
    lull_cleanup(lull_freep) struct lull_bindings *b = NULL;
    struct lull_error *err = bindings(c, &i, &b);
    if (err != NULL || push_by_name(c, &i)) {
        return err;
    }
    unsigned end = b->grid >= 0 ? (unsigned)b->grid : b->nuser;
    unsigned n = 0;
    char place[32] = {0};
    json_list(c, "push_constants");
    // s[0:1] belong to the driver; pointers stand in front of the values.
    for (unsigned k = 2; k < end; k++) {
        if ((b->pointers >> k & 1) == 0) {
            snprintf(place, sizeof place, "s%u", k);
            show_dword(c, place, i.user_data[k]);
            n++;
        }
    }
    for (unsigned k = 0; k < b->nconstants; k++) {
        snprintf(place, sizeof place, "s%d+0x%" PRIx32, b->constant[k].user, b->constant[k].offset);
        show_dword(c, place, b->constant[k].value);
        n++;
    }
    json_end(c);
    if (n == 0) {
        lull_str_addf(c->out, "The shader reads no push constants.\n");
    }
    return NULL;
}
