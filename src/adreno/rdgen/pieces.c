// SPDX-License-Identifier: MIT
// Command streams, shaders and arrays: made once in a submit, and placed.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/rdgen/rdgen.h"
#include "cmd/adreno_pm4.h"
#include "hw/rd_regs.h"
#include "isa/ir3/ir3.h"

enum {
    SHADER_DWORDS = 32, ///< The GPU loads code in units of 16 instructions.
    OWN_ALIGN = 1 << 16,
};

static const uint64_t first_address = UINT64_C(1) << 32; // of a program without buffers

static void append(struct lull_rdgen *g, const uint32_t *words, size_t n)
{
    struct lull_rdgen_words *w = g->top;
    for (size_t i = 0; i < n; i++) {
        if (!lull_rdgen_grow(g, &w->words, w->n, &w->room, sizeof w->words[0])) {
            return;
        }
        w->words[w->n++] = words[i];
    }
}

void lull_rdgen_put(struct lull_rdgen *g, enum lull_rdgen_packet kind, const uint32_t *words,
                    size_t n)
{
    static const struct {
        size_t least, most; ///< Dwords after the header.
        uint32_t what;      ///< The largest register or opcode.
    } limits[] = {
        [LULL_RDGEN_WORDS] = {0, SIZE_MAX - 1, UINT32_MAX},
        [LULL_RDGEN_PKT0] = {1, 0x4000, 0x7fff},
        [LULL_RDGEN_PKT2] = {0, 0, 0},
        [LULL_RDGEN_PKT3] = {1, 0x4000, 0xff},
        [LULL_RDGEN_PKT4] = {1, 0x7f, 0x3ffff},
        [LULL_RDGEN_PKT7] = {0, 0x3fff, 0x7f},
    };
    if (g->err != NULL) {
        return;
    }
    if (g->top == NULL || n == 0) {
        lull_rdgen_fail(g, lull_error_new(LULL_ERR_BAD_DATA, "a packet outside a command stream"));
        return;
    }
    const uint32_t count = (uint32_t)n - 1;
    if (n - 1 < limits[kind].least || n - 1 > limits[kind].most || words[0] > limits[kind].what) {
        lull_rdgen_fail(g, lull_error_new(LULL_ERR_BAD_DATA,
                                          "no packet of type %u has register or opcode 0x%" PRIx32
                                          " and %zu dwords",
                                          (unsigned[]){0, 0, 2, 3, 4, 7}[kind], words[0], n - 1));
        return;
    }
    const uint32_t header = kind == LULL_RDGEN_PKT0   ? lull_apkt_old_write_header(words[0], count)
                            : kind == LULL_RDGEN_PKT2 ? lull_apkt_old_nop_header()
                            : kind == LULL_RDGEN_PKT3 ? lull_apkt_old_op_header(words[0], count)
                            : kind == LULL_RDGEN_PKT4 ? lull_apkt_write_header(words[0], count)
                            : kind == LULL_RDGEN_PKT7 ? lull_apkt_op_header(words[0], count)
                                                      : words[0];
    append(g, &header, 1);
    append(g, words + 1, n - 1);
}

static const struct lull_rdgen_piece logs[LULL_RDGEN_LOGS] = {
    [LULL_RDGEN_CP_LOG] = {.name = "the log of the CP", .dwords = LULL_RDGEN_LOG_DWORDS},
    [LULL_RDGEN_SHADER_LOG] = {.name = "the log of shaders", .dwords = LULL_RDGEN_LOG_DWORDS},
};

static void assemble(struct lull_rdgen *g, const struct lull_rdgen_piece *p)
{
    struct lull_ir3_shaders s = {0};
    const uint64_t log =
        strstr(p->ir3, "print ") != NULL ? lull_rdgen_log(g, LULL_RDGEN_SHADER_LOG) : 0;
    char *text = g->err == NULL ? lull_rdgen_expand_prints(g, p->ir3, log) : NULL;
    if (text == NULL) {
        return;
    }
    struct lull_error *err =
        g->gen == 0 ? lull_error_new(LULL_ERR_INVALID, "the GPU is not named before a shader")
                    : lull_ir3_assemble(text, g->gen * 100 + 30, &s);
    free(text);
    if (err == NULL && s.n != 1) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%zu shaders in the text of one", s.n);
    }
    for (size_t i = 0; err == NULL && i < s.all[0].n; i++) {
        const uint64_t word = s.all[0].words[i];
        append(g, (const uint32_t[]){(uint32_t)word, (uint32_t)(word >> 32)}, 2);
    }
    lull_ir3_shaders_done(&s);
    if (err != NULL) { // whatever it is, the command line is not what is wrong
        lull_rdgen_fail(
            g, lull_error_new(LULL_ERR_BAD_DATA, "%s: %s", p->name, lull_error_message(err)));
        lull_error_free(err);
    }
}

static void array(struct lull_rdgen *g, const struct lull_rdgen_piece *p)
{
    const uint32_t zero = 0;
    for (uint32_t i = 0; i < p->dwords && g->err == NULL; i++) {
        append(g, &zero, 1);
    }
    if (g->err == NULL && p->data != NULL) {
        lull_rdgen_expand(g, p->data, (uint8_t *)g->top->words, p->dwords * 4);
    }
}

/** The contents that count at @p address: the last ones that have it. */
static struct lull_rdgen_section *contents_at(struct lull_rdgen *g, uint64_t address)
{
    for (size_t i = g->n; i-- > g->first;) {
        struct lull_rdgen_section *s = &g->sections[i];
        if (s->buffer && address >= s->address && address - s->address < s->size) {
            return s;
        }
    }
    return NULL;
}

/** Do pieces that are in place have other words there? */
static bool is_taken(const struct lull_rdgen *g, const struct lull_rdgen_made *m)
{
    for (size_t i = 0; i < g->nmade; i++) {
        const struct lull_rdgen_made *o = &g->made[i];
        const uint64_t from = o->address > m->piece->address ? o->address : m->piece->address;
        if (o == m || !o->in_place) {
            continue;
        }
        for (uint64_t at = from; at - o->address < o->n * 4 && at - m->piece->address < m->n * 4;
             at += 4) {
            if ((at - from) % 4 != 0 ||
                o->words[(at - o->address) / 4] != m->words[(at - m->piece->address) / 4]) {
                return true;
            }
        }
    }
    return false;
}

/** Put it where it was, if it fits. */
static bool put_in_place(struct lull_rdgen *g, struct lull_rdgen_made *m)
{
    const struct lull_rdgen_piece *p = m->piece;
    struct lull_rdgen_section *s = p->address != 0 ? contents_at(g, p->address) : NULL;
    if (s == NULL || m->n > p->dwords ||
        p->dwords * UINT64_C(4) > s->size - (p->address - s->address) || is_taken(g, m)) {
        return false;
    }
    memcpy(s->payload + (p->address - s->address), m->words, m->n * 4);
    return true;
}

/** Where pieces with places of their own begin. */
static bool start_own(struct lull_rdgen *g)
{
    uint64_t end = 0;
    for (size_t i = g->first; i < g->n; i++) {
        const struct lull_rdgen_section *s = &g->sections[i];
        if (s->buffer && s->address + s->size > end) {
            end = s->address + s->size;
        }
    }
    end = end == 0 && g->gen != 0 && g->gen < 5 ? OWN_ALIGN : end == 0 ? first_address : end;
    // What is only known by its range may lie above.
    g->own_start = (end + 2 * OWN_ALIGN - 1) / OWN_ALIGN * OWN_ALIGN;
    return g->own_start > end;
}

/** Give it a place of its own. */
static bool put_apart(struct lull_rdgen *g, struct lull_rdgen_made *m)
{
    if (g->size == 0 && g->own_size == 0 && !start_own(g)) {
        lull_rdgen_fail(
            g, lull_error_new(LULL_ERR_BAD_DATA, "no addresses are left for %s", m->piece->name));
        return false;
    }
    const size_t pad = m->piece->ir3 != NULL ? SHADER_DWORDS : 1;
    const size_t bytes = (m->n + pad - 1) / pad * pad * 4;
    const size_t at = g->own_size;
    const size_t end = (at + bytes + LULL_RDGEN_ALIGN - 1) / LULL_RDGEN_ALIGN * LULL_RDGEN_ALIGN;
    if (end > UINT32_MAX || (g->size != 0 && (g->own_start - g->start) + end > g->size)) {
        lull_rdgen_fail(g, lull_error_new(LULL_ERR_BAD_DATA,
                                          "%s of %zu bytes does not fit into --vasize=%" PRIu64,
                                          m->piece->name, bytes, g->size));
        return false;
    }
    if (end > g->own_room) {
        uint8_t *grown = realloc(g->own, 2 * end);
        if (grown == NULL) {
            lull_rdgen_fail(g, &lull_enomem);
            return false;
        }
        g->own = grown;
        g->own_room = 2 * end;
    }
    memset(g->own + at, 0, end - at);
    memcpy(g->own + at, m->words, m->n * 4);
    g->own_size = end;
    m->address = g->own_start + at;
    return true;
}

/** Make the words of @p p. Pieces that it names are made on the way. */
static struct lull_rdgen_words make_words(struct lull_rdgen *g, const struct lull_rdgen_piece *p)
{
    struct lull_rdgen_words w = {.outer = g->top, .depth = g->top != NULL ? g->top->depth + 1 : 0};
    if (w.depth > LULL_RDGEN_DEEPEST) {
        lull_rdgen_fail(
            g, lull_error_new(LULL_ERR_BAD_DATA, "%s: too many pieces in pieces", p->name));
        return w;
    }
    g->top = &w;
    if (p->commands != NULL) {
        p->commands(g);
    } else if (p->ir3 != NULL) {
        assemble(g, p);
    } else {
        array(g, p);
    }
    g->top = w.outer;
    w.outer = NULL;
    return w;
}

/** The piece in this submit, made and placed; NULL: an error. */
static const struct lull_rdgen_made *get(struct lull_rdgen *g, const struct lull_rdgen_piece *p)
{
    for (size_t i = 0; g->err == NULL && i < g->nmade; i++) {
        if (g->made[i].piece == p && g->made[i].words == NULL) {
            lull_rdgen_fail(g, lull_error_new(LULL_ERR_BAD_DATA, "%s names itself", p->name));
        } else if (g->made[i].piece == p) {
            return &g->made[i];
        }
    }
    if (g->err != NULL || !lull_rdgen_grow(g, &g->made, g->nmade, &g->made_room, sizeof *g->made)) {
        return NULL;
    }
    const size_t at = g->nmade++;
    g->made[at] = (struct lull_rdgen_made){.piece = p};
    struct lull_rdgen_words w = make_words(g, p);
    struct lull_rdgen_made *m = &g->made[at]; // others were made in between
    m->words = w.words;
    m->n = w.n;
    if (g->err == NULL && w.n == 0 && !lull_rdgen_grow(g, &m->words, 0, &w.room, 4)) {
        return NULL;
    }
    m->address = p->address;
    const bool there = g->err == NULL && put_in_place(g, m);
    const bool placed = g->err == NULL && ((there && g->size == 0) || put_apart(g, m));
    m->in_place = there;
    return placed ? m : NULL;
}

uint64_t lull_rdgen_address(struct lull_rdgen *g, const struct lull_rdgen_piece *p)
{
    const struct lull_rdgen_made *m = get(g, p);
    return m != NULL ? m->address : 0;
}

uint32_t lull_rdgen_size(struct lull_rdgen *g, const struct lull_rdgen_piece *p)
{
    const struct lull_rdgen_made *m = get(g, p);
    return m != NULL ? (uint32_t)m->n : 0;
}

uint64_t lull_rdgen_log(struct lull_rdgen *g, enum lull_rdgen_log which)
{
    enum { CP_HEAD = 16, SHADER_HEAD = 8 };
    const uint64_t address = lull_rdgen_address(g, &logs[which]);
    if (address != 0 && g->log_used[which] == 0) {
        const uint32_t head = which == LULL_RDGEN_CP_LOG ? CP_HEAD : SHADER_HEAD;
        g->log_at[which] = (size_t)(address - g->own_start);
        g->log_used[which] = head;
        lull_rdgen_put64(g->own + g->log_at[which], address + head);
        if (which == LULL_RDGEN_CP_LOG) {
            lull_rdgen_put64(g->own + g->log_at[which] + 8, LULL_RDGEN_LOG_ENTRY);
        }
    }
    return address;
}

/** Sections that name the logs of this submit, at @p at. */
static void log_sections(struct lull_rdgen *g, size_t at)
{
    static const uint32_t types[] = {LULL_RD_CP_LOG_BUFFER, LULL_RD_SHADER_LOG_BUFFER};
    for (unsigned i = 0; i < LULL_RDGEN_LOGS; i++) {
        if (g->log_used[i] != 0) {
            (void)lull_rdgen_insert_range(g, at, types[i], g->own_start + g->log_at[i],
                                          LULL_RDGEN_LOG_DWORDS * 4);
        }
        g->log_used[i] = 0;
    }
}

void lull_rdgen_end_submit(struct lull_rdgen *g)
{
    if (g->own_size != 0) {
        const size_t at = g->submitted ? g->first_stream : g->n;
        struct lull_rdgen_section *s =
            lull_rdgen_insert_range(g, at, LULL_RD_GPUADDR, g->own_start, (uint32_t)g->own_size)
                ? lull_rdgen_insert(g, at + 1, LULL_RD_BUFFER_CONTENTS, (uint32_t)g->own_size)
                : NULL;
        if (s != NULL) {
            memcpy(s->payload, g->own, g->own_size);
        }
        log_sections(g, at);
    }
    for (size_t i = 0; i < g->nmade; i++) {
        free(g->made[i].words);
    }
    g->own_start += g->own_size; // with --vastart
    g->own_size = 0;
    g->nmade = 0;
    g->submitted = false;
    g->first = g->n;
}
