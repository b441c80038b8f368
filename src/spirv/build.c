// SPDX-License-Identifier: MIT
#include "spirv/build.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64, MAX_WORDS = 65535, SCALAR_BITS = 32 };

static bool room(struct lull_spv_buf *b, size_t n)
{
    if (b->failed || n > SIZE_MAX / sizeof *b->w / 4 - b->n) {
        b->failed = true;
        return false;
    }
    if (b->n + n > b->room) {
        const size_t twice = b->room != 0 ? 2 * b->room : FIRST_ROOM;
        const size_t want = twice > b->n + n ? twice : b->n + n;
        uint32_t *w = realloc(b->w, want * sizeof *w);
        if (w == NULL) {
            b->failed = true;
            return false;
        }
        b->w = w;
        b->room = want;
    }
    return true;
}

void lull_spv_buf_add(struct lull_spv_buf *b, const uint32_t *words, size_t n)
{
    if (n != 0 && room(b, n)) {
        memcpy(b->w + b->n, words, n * sizeof *words);
        b->n += n;
    }
}

void lull_spv_buf_free(struct lull_spv_buf *b)
{
    free(b->w);
    *b = (struct lull_spv_buf){0};
}

void lull_spv_emit(struct lull_spv_buf *b, uint32_t op, const uint32_t *operands, size_t n)
{
    if (n >= MAX_WORDS) {
        b->failed = true;
        return;
    }
    const uint32_t first = (uint32_t)(n + 1) << SpvWordCountShift | op;
    if (room(b, n + 1)) { // whole or not at all
        lull_spv_buf_add(b, &first, 1);
        lull_spv_buf_add(b, operands, n);
    }
}

void lull_spv_emit_text(struct lull_spv_buf *b, uint32_t op, const uint32_t *operands, size_t n,
                        const char *text)
{
    const size_t words = lull_spv_string_words(text);
    if (n + words >= MAX_WORDS) {
        b->failed = true;
        return;
    }
    const uint32_t first = (uint32_t)(n + words + 1) << SpvWordCountShift | op;
    if (room(b, n + words + 1)) {
        lull_spv_buf_add(b, &first, 1);
        lull_spv_buf_add(b, operands, n);
        memset(b->w + b->n, 0, words * sizeof *b->w);
        memcpy(b->w + b->n, text, strlen(text));
        b->n += words;
    }
}

void lull_spv_add_free(struct lull_spv_add *a)
{
    for (size_t i = 0; i < LULL_SPV_NSECTIONS; i++) {
        lull_spv_buf_free(&a->sections[i]);
    }
    free(a->constants.slots);
}

bool lull_spv_add_failed(const struct lull_spv_add *a)
{
    for (size_t i = 0; i < LULL_SPV_NSECTIONS; i++) {
        if (a->sections[i].failed) {
            return true;
        }
    }
    return false;
}

uint32_t lull_spv_id(struct lull_spv_add *a)
{
    return a->bound++;
}

/** An instruction with @p op and exactly these words from word @p from on; 0: none, else its id. */
static uint32_t find(const uint32_t *words, size_t n, uint32_t op, uint32_t from,
                     const uint32_t *operands, size_t noperands)
{
    const uint32_t first = (uint32_t)(noperands + from) << SpvWordCountShift | op;
    for (size_t i = 0; i < n; i += words[i] >> SpvWordCountShift) {
        if (words[i] == first && (noperands == 0 || memcmp(words + i + from, operands,
                                                           noperands * sizeof *words) == 0)) {
            return words[i + from - 1];
        }
    }
    return 0;
}

uint32_t lull_spv_type(struct lull_spv_add *a, uint32_t op, const uint32_t *operands, size_t n)
{
    struct lull_spv_buf *globals = &a->sections[LULL_SPV_GLOBALS];
    const struct lull_spv *m = a->m;
    uint32_t id = find(m->words + LULL_SPV_HEADER_WORDS, m->functions - LULL_SPV_HEADER_WORDS, op,
                       2, operands, n);
    if (id == 0) {
        id = find(globals->w, globals->n, op, 2, operands, n);
    }
    if (id == 0) {
        id = lull_spv_id(a);
        const uint32_t first[2] = {(uint32_t)(n + 2) << SpvWordCountShift | op, id};
        if (room(globals, n + 2)) {
            lull_spv_buf_add(globals, first, 2);
            lull_spv_buf_add(globals, operands, n);
        }
    }
    return id;
}

uint32_t lull_spv_type_void(struct lull_spv_add *a)
{
    return lull_spv_type(a, SpvOpTypeVoid, NULL, 0);
}

/** @p n of what @p op and its operands make; @p known has those made before. */
static uint32_t vector(struct lull_spv_add *a, uint32_t *known, uint32_t n, uint32_t op,
                       const uint32_t *operands, size_t noperands)
{
    if (known[1] == 0) {
        known[1] = lull_spv_type(a, op, operands, noperands);
    }
    if (known[n] == 0) {
        known[n] = lull_spv_type(a, SpvOpTypeVector, (const uint32_t[]){known[1], n}, 2);
    }
    return known[n];
}

uint32_t lull_spv_type_bool(struct lull_spv_add *a, uint32_t n)
{
    return vector(a, a->booleans, n, SpvOpTypeBool, NULL, 0);
}

uint32_t lull_spv_type_u32(struct lull_spv_add *a, uint32_t n)
{
    return vector(a, a->u32s, n, SpvOpTypeInt, (const uint32_t[]){SCALAR_BITS, 0}, 2);
}

uint32_t lull_spv_type_f32(struct lull_spv_add *a, uint32_t n)
{
    return vector(a, a->f32s, n, SpvOpTypeFloat, (const uint32_t[]){SCALAR_BITS}, 1);
}

/** The pair of @p value, or the empty one where it belongs. There is room. */
static uint32_t *slot(const struct lull_spv_constants *c, uint32_t value)
{
    static const uint32_t golden = 0x9e3779b1; // Knuth, TAOCP 3, 6.4: multiplicative hashing.
    size_t i = (size_t)(uint32_t)(value * golden) & (c->room - 1);
    while (c->slots[2 * i + 1] != 0 && c->slots[2 * i] != value) {
        i = (i + 1) & (c->room - 1);
    }
    return c->slots + 2 * i;
}

/** Twice as many slots; false: memory is short. */
static bool more_slots(struct lull_spv_constants *c)
{
    struct lull_spv_constants twice = {.room = c->room != 0 ? 2 * c->room : FIRST_ROOM, .n = c->n};
    twice.slots = calloc(twice.room, 2 * sizeof *twice.slots);
    if (twice.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < c->room; i++) {
        if (c->slots[2 * i + 1] != 0) {
            memcpy(slot(&twice, c->slots[2 * i]), c->slots + 2 * i, 2 * sizeof *c->slots);
        }
    }
    free(c->slots);
    *c = twice;
    return true;
}

uint32_t lull_spv_u32(struct lull_spv_add *a, uint32_t value)
{
    struct lull_spv_buf *globals = &a->sections[LULL_SPV_GLOBALS];
    if (a->constants.n >= a->constants.room / 2 && !more_slots(&a->constants)) {
        globals->failed = true;
        return lull_spv_id(a);
    }
    uint32_t *at = slot(&a->constants, value);
    if (at[1] == 0) {
        at[0] = value;
        at[1] = lull_spv_id(a);
        a->constants.n++;
        LULL_SPV_OP(globals, SpvOpConstant, lull_spv_type_u32(a, 1), at[1], value);
    }
    return at[1];
}

uint32_t lull_spv_u32_splat(struct lull_spv_add *a, uint32_t n, uint32_t value)
{
    const uint32_t c = lull_spv_u32(a, value);
    if (n == 1) {
        return c;
    }
    struct lull_spv_buf *globals = &a->sections[LULL_SPV_GLOBALS];
    const uint32_t type = lull_spv_type_u32(a, n), id = lull_spv_id(a);
    const uint32_t operands[] = {type, id, c, c, c, c};
    lull_spv_emit(globals, SpvOpConstantComposite, operands, 2 + (size_t)n);
    return id;
}

void lull_spv_capability(struct lull_spv_add *a, uint32_t capability)
{
    struct lull_spv_buf *b = &a->sections[LULL_SPV_CAPABILITIES];
    for (size_t i = 0; i + 1 < b->n; i += 2) {
        if (b->w[i + 1] == capability) {
            return;
        }
    }
    if (!lull_spv_has_capability(a->m, capability)) {
        LULL_SPV_OP(b, SpvOpCapability, capability);
    }
}

void lull_spv_extension(struct lull_spv_add *a, const char *name)
{
    if (!lull_spv_has_extension(a->m, name)) {
        lull_spv_emit_text(&a->sections[LULL_SPV_EXTENSIONS], SpvOpExtension, NULL, 0, name);
    }
}
