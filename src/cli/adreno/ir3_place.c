// SPDX-License-Identifier: MIT
#include "cli/adreno/ir3_place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "cli/vulkan/vk_args.h"

enum { PAGE = 4096, ROW = 8 };

/** "PLACE=..." taken apart. */
LULL_MUST_USE static struct lull_error *split(const char *option, const char *text,
                                              uint64_t *ret_number, const char **ret_rest)
{
    char *end = NULL;
    const bool digit = text[0] >= '0' && text[0] <= '9';
    *ret_number = digit ? strtoull(text, &end, 0) : 0;
    if (!digit || *end != '=' || end[1] == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not NUMBER=...", option, text);
    }
    *ret_rest = end + 1;
    return NULL;
}

/** The place of that number or address, new if there is none. */
LULL_MUST_USE static struct lull_error *find(struct lull_ir3_places *p, uint64_t number,
                                             bool memory, struct lull_ir3_place **ret)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->all[i].number == number && p->all[i].memory == memory) {
            *ret = &p->all[i];
            return NULL;
        }
    }
    if (p->n == LULL_IR3_PLACES) {
        return lull_error_new(LULL_ERR_INVALID, "more than %d buffers", LULL_IR3_PLACES);
    }
    *ret = &p->all[p->n++];
    **ret = (struct lull_ir3_place){.number = number, .memory = memory};
    return NULL;
}

struct lull_error *lull_ir3_places_content(struct lull_ir3_places *p, const char *option,
                                           const char *text, bool memory)
{
    uint64_t number = 0;
    const char *rest = NULL;
    struct lull_ir3_place *place = NULL;
    struct lull_error *err = split(option, text, &number, &rest);
    if (err == NULL && memory && (number == 0 || number % PAGE != 0)) {
        err = lull_error_new(LULL_ERR_INVALID, "%s: '%s': the address is not a multiple of %d",
                             option, text, PAGE);
    }
    err = err != NULL ? err : find(p, number, memory, &place);
    if (err == NULL && place->content != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "%s: '%s': it is given twice", option, text);
    }
    if (err == NULL) {
        place->content = rest;
    }
    return err;
}

struct lull_error *lull_ir3_places_out(struct lull_ir3_places *p, const char *option,
                                       const char *text)
{
    uint64_t number = 0;
    const char *rest = NULL;
    struct lull_ir3_place *place = NULL;
    struct lull_error *err = split(option, text, &number, &rest);
    // Buffers have small numbers, memory is somewhere above.
    err = err != NULL ? err : find(p, number, number >= PAGE, &place);
    if (err == NULL && place->out != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "%s: '%s': it is given twice", option, text);
    }
    if (err == NULL) {
        place->out = rest;
    }
    return err;
}

struct lull_error *lull_ir3_places_files(const struct lull_ir3_places *p, const char *kernel)
{
    struct lull_files files = {0};
    lull_files_in(&files, kernel);
    for (size_t i = 0; i < p->n; i++) {
        const char *content = p->all[i].content;
        lull_files_in(&files, content != NULL ? lull_vk_content_file(content) : NULL);
        lull_files_out(&files, p->all[i].out);
    }
    struct lull_error *err = lull_files_check(&files);
    lull_files_done(&files);
    return err;
}

uint64_t lull_ir3_places_lowest(const struct lull_ir3_places *p)
{
    uint64_t lowest = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct lull_ir3_place *one = &p->all[i];
        lowest = one->memory && (lowest == 0 || one->number < lowest) ? one->number : lowest;
    }
    return lowest;
}

static void name_of(const struct lull_ir3_place *p, struct lull_str *out)
{
    if (p->memory) {
        lull_str_addf(out, "0x%" PRIx64, p->number);
    } else {
        lull_str_addf(out, "buf[%" PRIu64 "]", p->number);
    }
}

LULL_MUST_USE static struct lull_error *about(struct lull_error *err,
                                              const struct lull_ir3_place *p)
{
    struct lull_str name = {0};
    name_of(p, &name);
    struct lull_error *e = lull_error_in(err, "%s", lull_str_text(&name));
    lull_str_free(&name);
    return e;
}

/** One of them; @p header says what a buffer needs, NULL: it is memory. */
LULL_MUST_USE static struct lull_error *make(struct lull_ir3_place *p,
                                             const struct lull_adreno_buffer *header,
                                             struct lull_adreno_device *d)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err =
        p->content != NULL ? lull_vk_content(p->content, "u32", 0, &bytes, &size) : NULL;
    p->bytes = header != NULL ? (uint64_t)header->dwords * 4 : (size + 3) / 4 * 4;
    if (err == NULL && header == NULL && p->content == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "no --memory lies there");
    }
    if (err == NULL && size > p->bytes) {
        err =
            lull_error_new(LULL_ERR_INVALID, "%zu bytes for a buffer of %" PRIu64, size, p->bytes);
    }
    if (err == NULL) {
        err = lull_adreno_buffer_new(d, p->bytes, p->memory ? p->number : 0, &p->bo);
    }
    if (err == NULL && bytes != NULL) {
        memcpy(p->bo->map, bytes, size);
    } else if (err == NULL && header != NULL) {
        memcpy(p->bo->map, header->init, header->ninit * sizeof *header->init);
    }
    return err;
}

struct lull_error *lull_ir3_places_make(struct lull_ir3_places *p, struct lull_adreno_device *d,
                                        const struct lull_adreno_kernel *k)
{
    const struct lull_ir3_places given = *p;
    struct lull_error *err = NULL;
    p->n = 0;
    for (unsigned i = 0; err == NULL && i < k->nbuffers; i++) {
        struct lull_ir3_place *one = NULL;
        err = find(p, i, false, &one);
    }
    for (size_t i = 0; err == NULL && i < given.n; i++) {
        const struct lull_ir3_place *g = &given.all[i];
        struct lull_ir3_place *one = NULL;
        if (!g->memory && g->number >= k->nbuffers) {
            err = about(
                lull_error_new(LULL_ERR_INVALID, "the kernel has %u of @buf and @ubo", k->nbuffers),
                g);
            continue;
        }
        err = find(p, g->number, g->memory, &one);
        if (err == NULL) {
            *one = *g;
        }
    }
    for (size_t i = 0; err == NULL && i < p->n; i++) {
        struct lull_ir3_place *one = &p->all[i];
        err = about(make(one, one->memory ? NULL : &k->buffers[one->number], d), one);
    }
    return err;
}

static uint32_t dword(const struct lull_ir3_place *p, uint64_t i)
{
    uint32_t v = 0;
    memcpy(&v, (const uint8_t *)p->bo->map + 4 * i, sizeof v);
    return v;
}

static float number(uint32_t bits)
{
    float f = 0;
    memcpy(&f, &bits, sizeof f);
    return f;
}

void lull_ir3_places_print(const struct lull_ir3_places *p, struct lull_str *out)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct lull_ir3_place *one = &p->all[i];
        const uint64_t n = one->bytes / 4;
        name_of(one, out);
        lull_str_addf(out, ":\n");
        for (uint64_t k = 0; k < n; k++) {
            lull_str_addf(out, "%c%08x%s", k % ROW == 0 ? '\t' : ' ', dword(one, k),
                          k % ROW == ROW - 1 || k == n - 1 ? "\n" : "");
        }
        for (uint64_t k = 0; k < n; k++) {
            lull_str_addf(out, "%c%8f%s", k % ROW == 0 ? '\t' : ' ', (double)number(dword(one, k)),
                          k % ROW == ROW - 1 || k == n - 1 ? "\n" : "");
        }
    }
}

void lull_ir3_places_json(const struct lull_ir3_places *p, struct lull_json *j)
{
    lull_json_open(j, '[');
    for (size_t i = 0; i < p->n; i++) {
        const struct lull_ir3_place *one = &p->all[i];
        lull_json_open(j, '{');
        if (one->memory) {
            lull_json_put_hex(j, "address", one->number);
        } else {
            lull_json_put_u64(j, "buffer", one->number);
        }
        lull_json_key(j, "dwords");
        lull_json_open(j, '[');
        for (uint64_t k = 0; k < one->bytes / 4; k++) {
            lull_json_u64(j, dword(one, k));
        }
        lull_json_close(j, ']');
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
}

struct lull_error *lull_ir3_places_write(const struct lull_ir3_places *p)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < p->n; i++) {
        const struct lull_ir3_place *one = &p->all[i];
        if (one->out != NULL) {
            err = lull_output_write(one->out, one->bo->map, (size_t)one->bytes);
        }
    }
    return err;
}

void lull_ir3_places_where(const struct lull_ir3_places *p, uint64_t address, struct lull_str *out)
{
    const struct lull_ir3_place *below = NULL;
    for (size_t i = 0; i < p->n; i++) {
        const struct lull_ir3_place *one = &p->all[i];
        if (one->bo->iova <= address && (below == NULL || one->bo->iova > below->bo->iova)) {
            below = one;
        }
    }
    if (below == NULL) {
        lull_str_addf(out, "in no buffer");
        return;
    }
    const uint64_t at = address - below->bo->iova;
    if (at < below->bytes) {
        lull_str_addf(out, "in ");
        name_of(below, out);
        lull_str_addf(out, ", 0x%" PRIx64 " bytes from its start", at);
    } else {
        lull_str_addf(out, "in no buffer; 0x%" PRIx64 " bytes past the end of ", at - below->bytes);
        name_of(below, out);
    }
}
