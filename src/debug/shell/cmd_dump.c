// SPDX-License-Identifier: MIT
/* GPU memory to files. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/output.h"
#include "debug/session/bindings.h"
#include "debug/shell/debugger.h"
#include "debug/shell/shell.h"
#include "debug/shell/vertices.h"
#include "file/png.h"
#include "tex/dump.h"

enum { CHUNK = 65536, MAX_BOS = 4096, TEXEL_BYTES = 16 };

/* A file of the whole range, or none. */
LULL_MUST_USE static struct lull_error *write_file(struct lull_debug *d, const char *name,
                                                   uint64_t va, uint64_t size)
{
    struct lull_output o = {0};
    lull_cleanup(lull_freep) uint8_t *chunk = malloc(CHUNK);
    if (chunk == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_output_open(&o, name);
    for (uint64_t done = 0; err == NULL && done < size; done += CHUNK) {
        const size_t n = size - done < CHUNK ? (size_t)(size - done) : CHUNK;
        err = lull_debug_read(d, va + done, chunk, n);
        err = err != NULL ? err : lull_output_put(&o, chunk, n);
    }
    err = err != NULL ? err : lull_output_keep(&o);
    lull_output_done(&o);
    return err;
}

/* Cut the next word off @p at. */
static char *next_word(char **at)
{
    char *word = *at;
    while (**at != '\0' && !isspace((unsigned char)**at)) {
        ++*at;
    }
    while (isspace((unsigned char)**at)) {
        *(*at)++ = '\0';
    }
    return word;
}

LULL_MUST_USE static struct lull_error *find_buffer(struct lull_debug *d, const char *name,
                                                    uint64_t *va, uint64_t *size)
{
    struct lull_desc desc = {0};
    if (lull_debug_descriptor(d, name, &desc)) {
        if (desc.kind != LULL_DESC_BUFFER || desc.indexed) {
            return lull_error_new(LULL_ERR_INVALID, "'%s' is not a buffer: 'info descriptors'",
                                  name);
        }
        *va = lull_desc_buffer(&desc, size);
        return NULL;
    }
    lull_cleanup(lull_freep) struct lull_bo_info *infos = calloc(MAX_BOS, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    size_t n = 0;
    struct lull_error *err = lull_debug_bos(d, infos, MAX_BOS, &n);
    if (err != NULL) {
        return err;
    }
    for (size_t i = 0; i < n && i < MAX_BOS; i++) {
        if (strcmp(infos[i].name, name) == 0) {
            *va = infos[i].va;
            *size = infos[i].size;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND, "no buffer '%s': 'info bos' lists them", name);
}

LULL_MUST_USE static struct lull_error *one_number(struct lull_debug *d, const char *text,
                                                   const char *what, uint64_t *ret)
{
    return lull_error_in(lull_debug_address(d, text, ret), "%s", what);
}

static bool read_for_tex(void *ctx, uint64_t va, void *buf, size_t bytes)
{
    struct lull_debug *d = ctx;
    struct lull_error *err = lull_debug_read(d, va, buf, bytes);
    bool good = err == NULL;
    lull_error_free(err);
    return good;
}

/** What the words of a dump command say. */
struct dump {
    char *first, *second, *third;
    const char *file;
    uint64_t level, slice;
};

/* Depth as grey: black is the least, white the most that there is. */
LULL_MUST_USE static struct lull_error *depth_to_grey(struct lull_pixels *p)
{
    const size_t n = (size_t)p->width * p->height;
    float least = INFINITY;
    float most = -INFINITY;
    uint8_t *grey = calloc(n + 1, 4);
    if (grey == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        float z = 0;
        memcpy(&z, p->data + TEXEL_BYTES * i, sizeof z);
        least = z < least ? z : least;
        most = z > most ? z : most;
    }
    for (size_t i = 0; i < n; i++) {
        float z = 0;
        memcpy(&z, p->data + TEXEL_BYTES * i, sizeof z);
        const float v = most > least ? (z - least) / (most - least) * UINT8_MAX : UINT8_MAX;
        memset(grey + 4 * i, v > 0 && v <= UINT8_MAX ? (int)v : 0, 3);
        grey[4 * i + 3] = UINT8_MAX;
    }
    free(p->data);
    p->data = grey;
    return NULL;
}

/* What the last draw draws to: @p kind is "target", of which @p number, "depth", "stencil". */
LULL_MUST_USE static struct lull_error *drawn_pixels(struct lull_debug *d, const char *kind,
                                                     const char *number, bool picture,
                                                     struct lull_pixels *ret)
{
    struct lull_draw_view view = {0};
    const char *at = number;
    uint64_t n = 0;
    if (at != NULL && (!lull_cmd_number(&at, &n) || *at != '\0')) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not the number of a target", number);
    }
    struct lull_error *err = lull_debug_draw_image(d, kind, (unsigned)n, &view);
    if (err != NULL) {
        return err;
    }
    const bool depth = picture && strcmp(kind, "depth") == 0;
    const struct lull_tex_memory memory = {.ctx = d, .read = read_for_tex};
    err = lull_tex_read_level(&memory, &view.image, view.level, view.slice,
                              picture && !depth ? LULL_PIXELS_RGBA8 : LULL_PIXELS_RGBA32, ret);
    return err == NULL && depth ? depth_to_grey(ret) : err;
}

LULL_MUST_USE static struct lull_error *dump_drawn(struct lull_cmd *c, const struct dump *what)
{
    struct lull_pixels pixels = {0};
    struct lull_error *err =
        drawn_pixels(c->d, what->first, what->second, lull_debug_is_png(what->file), &pixels);
    err = err == NULL ? lull_debug_write_pixels(c, what->file, &pixels) : err;
    lull_pixels_done(&pixels);
    return err;
}

/* One level and slice of the image that a descriptor is of. */
LULL_MUST_USE static struct lull_error *image_pixels(struct lull_debug *d, const char *name,
                                                     uint64_t level, uint64_t slice, bool picture,
                                                     struct lull_pixels *ret)
{
    struct lull_desc desc = {0};
    struct lull_image_desc image = {0};
    if (!lull_debug_descriptor(d, name, &desc) || desc.kind != LULL_DESC_IMAGE || desc.indexed) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no image '%s': 'info descriptors' lists them",
                              name);
    }
    lull_image_desc_parse(desc.dword, &image);
    const struct lull_tex_memory memory = {.ctx = d, .read = read_for_tex};
    struct lull_error *err =
        lull_tex_read_level(&memory, &image, level <= UINT16_MAX ? (unsigned)level : UINT16_MAX,
                            slice <= UINT16_MAX ? (unsigned)slice : UINT16_MAX,
                            picture ? LULL_PIXELS_RGBA8 : LULL_PIXELS_RGBA32, ret);
    return lull_error_in(err, "image %s", name);
}

LULL_MUST_USE static struct lull_error *dump_image(struct lull_cmd *c, const struct dump *what)
{
    struct lull_pixels pixels = {0};
    struct lull_error *err = image_pixels(c->d, what->first, what->level, what->slice,
                                          lull_debug_is_png(what->file), &pixels);
    err = err == NULL ? lull_debug_write_pixels(c, what->file, &pixels) : err;
    lull_pixels_done(&pixels);
    return err;
}

struct lull_error *lull_debug_picture(struct lull_debug *d, const char *what, uint64_t level,
                                      uint64_t slice, struct lull_pixels *ret)
{
    const bool target = strncmp(what, "target", 6) == 0;
    if (target || strcmp(what, "depth") == 0 || strcmp(what, "stencil") == 0) {
        const char *number = target && what[6] != '\0' ? what + 6 : NULL;
        return drawn_pixels(d, target ? "target" : what, number, true, ret);
    }
    return image_pixels(d, what, level, slice, true, ret);
}

LULL_MUST_USE static struct lull_error *dump_bytes(struct lull_cmd *c, const struct dump *what,
                                                   bool buffer)
{
    uint64_t va = 0;
    uint64_t size = 0;
    struct lull_error *err = NULL;
    char *comma = strchr(what->first, ',');
    if (buffer && comma == NULL) {
        err = find_buffer(c->d, what->first, &va, &size);
    } else {
        if (comma != NULL) {
            *comma = '\0';
        }
        err = one_number(c->d, what->first, "start", &va);
        err = err != NULL
                  ? err
                  : one_number(c->d, comma != NULL ? comma + 1 : what->second, "size", &size);
    }
    if (err == NULL) {
        err = write_file(c->d, what->file, va, size);
    }
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%" PRIu64 " bytes from 0x%012" PRIx64 " to %s\n", size, va, what->file);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", what->file);
        lull_json_put_hex(c->json, "address", va);
        lull_json_put_u64(c->json, "size", size);
    }
    return NULL;
}

/* Words of the form name=value are taken out; the others stay in order. */
LULL_MUST_USE static struct lull_error *parse_dump(char *at, struct dump *ret)
{
    char *words[3] = {NULL};
    unsigned n = 0;
    while (*at != '\0') {
        char *word = next_word(&at);
        const char *value = strchr(word, '=');
        bool good = true;
        if (strncmp(word, "out=", 4) == 0) {
            ret->file = value + 1;
        } else if (strncmp(word, "level=", 6) == 0 || strncmp(word, "slice=", 6) == 0) {
            value++;
            good = lull_cmd_number(&value, word[0] == 'l' ? &ret->level : &ret->slice) &&
                   *value == '\0';
        } else {
            good = n < 3;
            words[n < 3 ? n++ : 2] = word;
        }
        if (!good) {
            return lull_error_new(LULL_ERR_INVALID, "'%s' is left over", word);
        }
    }
    ret->first = words[0];
    ret->second = words[1];
    ret->third = words[2];
    return NULL;
}

struct lull_error *lull_cmd_dump(struct lull_cmd *c)
{
    const char *args = c->args;
    bool buffer = lull_cmd_word(&args, "buffer");
    bool image = !buffer && lull_cmd_word(&args, "image");
    bool memory = !buffer && !image && lull_cmd_word(&args, "memory");
    const bool drawn = strncmp(args, "target", 6) == 0 || strncmp(args, "depth", 5) == 0 ||
                       strncmp(args, "stencil", 7) == 0;
    const bool counted = strncmp(args, "mesh after", 10) == 0 ||
                         strncmp(args, "overdraw", 8) == 0 || strncmp(args, "primitives", 10) == 0;
    const bool mesh = !counted && lull_cmd_word(&args, "mesh");
    lull_cleanup(lull_freep) char *copy = strdup(args);
    struct dump what = {0};
    if (copy == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = parse_dump(copy, &what);
    if (err != NULL) {
        return err;
    }
    if (memory && what.file == NULL && what.third != NULL) { // gdb's order: FILE START SIZE
        what.file = what.first;
        what.first = what.second;
        what.second = what.third;
    } else if (!memory && !drawn && !mesh && !counted && what.file == NULL) {
        what.file = what.second;
    }
    if (what.file == NULL || (!mesh && !counted && !buffer && !image && !memory && !drawn) ||
        (mesh ? what.first != NULL : what.first == NULL) || (memory && what.second == NULL)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "expected 'dump buffer NAME|N|START,SIZE out=FILE', 'dump "
                              "target [N]|depth|stencil out=FILE.png', 'dump mesh [after] "
                              "out=FILE.obj', 'dump overdraw|primitives "
                              "[frame] out=FILE.png', 'dump "
                              "image N "
                              "out=FILE.png' or 'dump memory FILE START SIZE'");
    }
    err = c->d->files != NULL ? lull_files_may_write(c->d->files, what.file) : NULL;
    lull_cleanup(lull_str_free) struct lull_str words = {0};
    const char *const all[] = {what.first, what.second, what.third};
    for (unsigned i = 0; i < sizeof all / sizeof all[0] && all[i] != NULL; i++) {
        lull_str_addf(&words, "%s%s", i == 0 ? "" : " ", all[i]);
    }
    return err != NULL ? err
           : counted   ? lull_debug_dump_drawn(c, lull_str_text(&words), what.file)
           : mesh      ? lull_debug_dump_mesh(c, what.file)
           : drawn     ? dump_drawn(c, &what)
           : image     ? dump_image(c, &what)
                       : dump_bytes(c, &what, buffer);
}
