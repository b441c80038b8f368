// SPDX-License-Identifier: MIT
// Words of a line.
#include "scene/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

const struct lull_scene_word scene_value_types[] = {
    {"f32", 0}, {"u32", 0}, {"i32", 0}, {"u16", 0}, {"u8", 0}, {"zeros", 1}, {0},
};

void scene_fail(struct scene_parse *p, struct lull_error *err)
{
    if (p->err == NULL) {
        p->err = err;
    } else {
        lull_error_free(err);
    }
}

void scene_complain(struct scene_parse *p, const char *what, const char *word)
{
    enum { MOST = 64 };
    scene_fail(p, lull_error_new(LULL_ERR_BAD_DATA, "%s:%u: %s%s%.*s", p->path, p->line, what,
                                 word[0] != '\0' ? ": " : "", MOST, word));
}

bool scene_next_line(struct scene_parse *p)
{
    if (p->next == NULL || p->next[0] == '\0') {
        return false;
    }
    p->rest = p->next;
    char *end = strchr(p->rest, '\n');
    p->next = end != NULL ? end + 1 : NULL;
    if (end != NULL) {
        *end = '\0';
    }
    p->line++;
    return true;
}

const char *scene_peek(struct scene_parse *p)
{
    p->rest += strspn(p->rest, blanks);
    return p->rest;
}

bool scene_more(struct scene_parse *p)
{
    return p->err == NULL && scene_peek(p)[0] != '\0';
}

const char *scene_take(struct scene_parse *p)
{
    char *word = p->rest + strspn(p->rest, blanks);
    const size_t n = strcspn(word, blanks);
    p->rest = word + n;
    if (p->rest[0] != '\0') {
        *p->rest++ = '\0';
    }
    if (n == 0) {
        scene_complain(p, "the line ends where a word is needed", "");
    }
    return word;
}

uint32_t scene_number(struct scene_parse *p)
{
    const char *word = scene_take(p);
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(word, &end, 0);
    if (p->err == NULL && (end == word || *end != '\0' || v < INT32_MIN || v > UINT32_MAX)) {
        scene_complain(p, "not a number of 32 bits", word);
    }
    return (uint32_t)v;
}

uint32_t scene_number_in(struct scene_parse *p, uint32_t low, uint32_t high)
{
    const char *word = scene_peek(p);
    const uint32_t v = scene_number(p);
    if (p->err == NULL && (v < low || v > high)) {
        scene_fail(p, lull_error_new(LULL_ERR_BAD_DATA, "%s:%u: %s is not from %u to %u", p->path,
                                     p->line, word, low, high));
    }
    return p->err == NULL ? v : low;
}

float scene_real(struct scene_parse *p)
{
    const char *word = scene_take(p);
    char *end = NULL;
    const float v = strtof(word, &end);
    if (p->err == NULL && (end == word || *end != '\0')) {
        scene_complain(p, "not a number", word);
    }
    return v;
}

float scene_finite(struct scene_parse *p)
{
    const char *word = scene_peek(p);
    const float v = scene_real(p);
    if (!isfinite(v)) {
        scene_complain(p, "not a finite number", word);
        return 0;
    }
    return v;
}

uint32_t scene_choice(struct scene_parse *p, const struct lull_scene_word *table)
{
    const char *word = scene_take(p);
    const struct lull_scene_word *found = lull_scene_word(table, word);
    if (found == NULL) {
        scene_complain(p, "not a word that can stand here", word);
        return table[0].value;
    }
    return found->value;
}

bool scene_optional(struct scene_parse *p, const char *word)
{
    const size_t n = strlen(word);
    const char *next = scene_peek(p);
    if (strncmp(next, word, n) == 0 && (next[n] == '\0' || strchr(blanks, next[n]) != NULL)) {
        (void)scene_take(p);
        return true;
    }
    return false;
}

const struct lull_scene_format *scene_format(struct scene_parse *p)
{
    const char *word = scene_take(p);
    const struct lull_scene_format *f = lull_scene_format(word);
    if (f == NULL) {
        scene_complain(p, "not a format that scenes know", word);
        return lull_scene_format("R8G8B8A8_UNORM");
    }
    return f;
}

uint32_t scene_buffer(struct scene_parse *p)
{
    const char *word = scene_take(p);
    for (uint32_t i = 0; i < p->s->nbuffers; i++) {
        if (strcmp(p->s->buffers[i].name, word) == 0) {
            return i;
        }
    }
    scene_complain(p, "no buffer above has this name", word);
    return 0;
}

VkClearValue scene_clear_value(struct scene_parse *p, enum lull_scene_class type)
{
    VkClearValue v = {0};
    if (type == LULL_SCENE_DEPTH) {
        v.depthStencil.depth = scene_finite(p);
        v.depthStencil.stencil = scene_more(p) ? scene_number_in(p, 0, UINT8_MAX) : 0;
        if (!(v.depthStencil.depth >= 0 && v.depthStencil.depth <= 1)) {
            scene_complain(p, "depth is cleared to 0 to 1", "");
        }
        return v;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (type == LULL_SCENE_FLOAT) {
            v.color.float32[i] = scene_real(p);
        } else {
            v.color.uint32[i] = scene_number(p);
        }
    }
    return v;
}

size_t scene_values(struct scene_parse *p, const char *type, uint8_t *out, size_t room)
{
    size_t n = 0;
    const bool is_float = strncmp(type, "f32", 3) == 0;
    const size_t bytes = strncmp(type, "u8", 2) == 0 ? 1 : strncmp(type, "u16", 3) == 0 ? 2 : 4;
    while (scene_more(p)) {
        uint32_t v = 0;
        if (is_float) {
            const float f = scene_real(p);
            memcpy(&v, &f, sizeof v);
        } else {
            v = scene_number(p);
        }
        if (n + bytes > room) {
            scene_complain(p, "too many values", "");
            return n;
        }
        memcpy(out + n, &v, bytes); // little-endian
        n += bytes;
    }
    return n;
}
