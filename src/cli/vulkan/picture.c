// SPDX-License-Identifier: MIT
// Results of scenes as channels of numbers: compared, and shown.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/vulkan/scene.h"
#include "file/png.h"

enum { RGBA = 4, WHITE = 255 };

/** The type that holds @p bits of a channel. */
static const struct lull_type *type_of(unsigned bits, const char *kind)
{
    const char *const sizes[] = {"8", "16", "32"};
    const char *size = sizes[bits <= 8 ? 0 : bits <= 16 ? 1 : 2];
    const bool is_float = strstr(kind, "FLOAT") != NULL;
    const bool is_signed = kind[0] == 'S' && strncmp(kind, "SRGB", 4) != 0;
    char name[8] = "";
    snprintf(name, sizeof name, "%c%s",
             is_float    ? 'f'
             : is_signed ? 'i'
                         : 'u',
             is_float && bits < 16 ? "16" : size);
    return lull_type_find(name);
}

/** "R5G6B5_UNORM_PACK16", "B8G8R8A8_SRGB", "D32_SFLOAT": channels, then their kind. */
static void channels(struct lull_picture *p)
{
    const char *kind = strchr(p->format, '_') + 1;
    const bool packed = strstr(p->format, "_PACK") != NULL;
    unsigned at = 0;
    for (const char *c = p->format; *c != '_'; p->n++) {
        p->letter[p->n] = (char)tolower((unsigned char)*c++);
        for (; isdigit((unsigned char)*c); c++) {
            p->bits[p->n] = 10 * p->bits[p->n] + (unsigned)(*c - '0');
        }
        p->type[p->n] = type_of(p->bits[p->n], kind);
        p->shift[p->n] = at;
        at += p->bits[p->n];
    }
    for (unsigned i = 0; packed && i < p->n; i++) { // the first is the highest
        p->shift[i] = at - p->shift[i] - p->bits[i];
    }
    p->srgb = strncmp(kind, "SRGB", 4) == 0;
    p->whole = strstr(kind, "INT") != NULL || strstr(kind, "SCALED") != NULL;
    p->is_signed = p->type[0]->kind == 'i';
}

bool lull_picture_of(const struct lull_scene *s, const char *name, struct lull_picture *ret)
{
    const struct lull_scene_format *f = NULL;
    if (strncmp(name, "target", 6) == 0) {
        f = s->targets[name[6] - '0'].format;
    } else if (strcmp(name, "stencil") == 0) {
        f = lull_scene_format("S8_UINT");
    } else if (strcmp(name, "depth") == 0) {
        const bool both = s->depth.format->format == VK_FORMAT_D32_SFLOAT_S8_UINT;
        f = both ? lull_scene_format("D32_SFLOAT") : s->depth.format;
    }
    if (f == NULL) {
        return false;
    }
    *ret = (struct lull_picture){.format = f->name,
                                 .width = s->width,
                                 .height = s->height,
                                 .layers = s->layers,
                                 .bytes = f->bytes};
    channels(ret);
    return true;
}

/** Channel @p c of a texel as bytes of its type. */
static void value_of(const struct lull_picture *p, unsigned c, const uint8_t *texel, uint8_t out[4])
{
    uint64_t word = 0;
    const unsigned first = p->shift[c] / 8;
    memcpy(&word, texel + first, p->bytes - first < 8 ? p->bytes - first : 8);
    word = word >> p->shift[c] % 8 & (((uint64_t)1 << p->bits[c]) - 1);
    if (p->type[c]->kind == 'f' && p->bits[c] < 16) { // 5 bits of exponent, without a sign
        word <<= 15 - p->bits[c];
    } else if (p->type[c]->kind == 'i' && (word >> (p->bits[c] - 1) & 1) != 0) {
        word |= ~(uint64_t)0 << p->bits[c];
    }
    memcpy(out, &word, 4); // little-endian
}

void lull_picture_compare(const struct lull_picture *p, const struct lull_tolerance *t,
                          const uint8_t *got, const uint8_t *want,
                          struct lull_picture_difference *ret)
{
    *ret = (struct lull_picture_difference){.pixels = (size_t)p->width * p->height * p->layers,
                                            .type = p->type[0]};
    for (size_t i = 0; i < ret->pixels; i++) {
        bool different = false;
        if (memcmp(got + i * p->bytes, want + i * p->bytes, p->bytes) == 0) {
            continue;
        }
        for (unsigned c = 0; c < p->n; c++) {
            uint8_t a[4] = {0}, b[4] = {0};
            double error = 0;
            value_of(p, c, got + i * p->bytes, a);
            value_of(p, c, want + i * p->bytes, b);
            if (memcmp(a, b, 4) == 0 || lull_within(p->type[c], t, a, b, &error)) {
                continue;
            }
            if (ret->count == 0 && !different) {
                ret->x = (uint32_t)(i % p->width);
                ret->y = (uint32_t)(i / p->width % p->height);
                ret->layer = (uint32_t)(i / p->width / p->height);
                ret->channel = p->letter[c];
                ret->type = p->type[c];
                lull_type_print(p->type[c], a, ret->got);
                lull_type_print(p->type[c], b, ret->want);
            }
            ret->max_error = fmax(ret->max_error, error);
            different = true;
        }
        ret->count += different;
    }
}

/** A channel's value; of integers as they are. */
static double number_of(const struct lull_picture *p, unsigned c, const uint8_t *texel)
{
    uint8_t bytes[4] = {0};
    uint32_t word = 0;
    value_of(p, c, texel, bytes);
    if (p->type[c]->kind == 'f') {
        return lull_type_float(p->type[c], bytes);
    }
    memcpy(&word, bytes, sizeof word);
    return p->type[c]->kind == 'i' ? (double)(int32_t)word : (double)word;
}

/** The same as 0 to 255. Whole numbers of more than 8 bits: their lowest 8. */
static uint8_t shade(const struct lull_picture *p, unsigned c, const uint8_t *texel)
{
    double v = number_of(p, c, texel);
    if (p->whole) {
        return (uint8_t)(int64_t)v;
    }
    if (p->type[c]->kind != 'f') {
        v /= (double)(((uint64_t)1 << (p->bits[c] - p->is_signed)) - 1);
    }
    return !(v > 0) ? 0 : v >= 1 ? WHITE : (uint8_t)lrint(v * WHITE);
}

/** Which of red, green, blue, alpha a channel is; -1: grey. */
static int place_of(char letter)
{
    const char *rgba = "rgba";
    const char *at = strchr(rgba, letter);
    return at != NULL ? (int)(at - rgba) : -1;
}

static void put(uint8_t *pixel, char letter, uint8_t v)
{
    const int place = place_of(letter);
    if (place >= 0) {
        pixel[place] = v;
    } else {
        pixel[0] = pixel[1] = pixel[2] = v;
    }
}

struct lull_error *lull_picture_png(const struct lull_picture *p, const uint8_t *bytes,
                                    const char *path)
{
    const size_t n = (size_t)p->width * p->height * p->layers;
    lull_cleanup(lull_freep) uint8_t *rgba = calloc(n, RGBA);
    if (rgba == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        rgba[RGBA * i + 3] = WHITE;
        for (unsigned c = 0; c < p->n; c++) {
            put(rgba + RGBA * i, p->letter[c], shade(p, c, bytes + i * p->bytes));
        }
    }
    return lull_png_write(path, p->width, p->height * p->layers, rgba);
}

struct lull_error *lull_picture_difference_png(const struct lull_picture *p, const uint8_t *got,
                                               const uint8_t *want, const char *path)
{
    const size_t n = (size_t)p->width * p->height * p->layers;
    double most[4] = {0};
    lull_cleanup(lull_freep) uint8_t *rgba = calloc(n, RGBA);
    if (rgba == NULL) {
        return &lull_enomem;
    }
    for (unsigned pass = 0; pass < 2; pass++) { // the largest distances, then the picture
        for (size_t i = 0; i < n * p->n; i++) {
            const unsigned c = (unsigned)(i % p->n);
            const size_t at = i / p->n;
            const double a = number_of(p, c, got + at * p->bytes);
            const double b = number_of(p, c, want + at * p->bytes);
            const double d = isfinite(a - b) ? fabs(a - b) : 0;
            const bool strange = memcmp(&a, &b, sizeof a) != 0 && !isfinite(a - b);
            most[c] = fmax(most[c], d);
            uint8_t *to = rgba + RGBA * at;
            const bool black = (to[0] | to[1] | to[2]) == 0;
            to[3] = WHITE;
            // Alpha is shown as grey, where the colours do not differ.
            if (pass == 1 && (strange || d > 0) && (p->letter[c] != 'a' || black)) {
                const uint8_t v = strange ? WHITE : (uint8_t)lrint(d / most[c] * WHITE);
                put(to, p->letter[c] == 'a' ? ' ' : p->letter[c], v);
            }
        }
    }
    return lull_png_write(path, p->width, p->height * p->layers, rgba);
}
