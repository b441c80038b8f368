// SPDX-License-Identifier: MIT
// CP_MEMPOOL: register writes between the SQE and the parts of the GPU that they are for. A queue
// for each part, made of blocks of chunks; a chunk holds two writes.
#include "adreno/crash/crash_pool.h"

#include <string.h>

#include "adreno/crash/crash_walk.h"

enum {
    BLOCKS = 0x80,
    CHUNKS = 8, ///< Of a block.
    CHUNK = 4,  ///< Dwords.
    NEXT = 0x1000,
    QUEUES = 0x1800, ///< Rows of eight dwords, a column for each queue.
    ROW_UNKNOWN_0 = QUEUES,
    ROW_WRITER = QUEUES + 8,
    ROW_UNKNOWN_1 = QUEUES + 16,
    ROW_WRITER_SECOND = QUEUES + 24,
    ROW_UNKNOWN_2 = QUEUES + 32,
    ROW_READER = QUEUES + 40,
    ROW_UNKNOWN_3 = QUEUES + 48,
    ROW_READER_SECOND = QUEUES + 56,
    ROW_BLOCKS = QUEUES + 64,
    ROW_UNKNOWN_4 = QUEUES + 72,
    DATA2 = 0x2000,
    DATA2_DWORDS = 0x60,
    LENGTHS = DATA2 + 0x18,
    WORDS = DATA2 + DATA2_DWORDS,
    PIPE_MASK = 0xff,
};

/** @p size bits of a chunk from bit @p lo on. */
static uint32_t bits(const uint32_t *chunk, unsigned lo, unsigned size)
{
    const uint64_t low = chunk[lo / 32], high = lo / 32 + 1 < CHUNK ? chunk[lo / 32 + 1] : 0;
    return (uint32_t)((low | high << 32) >> lo % 32 & ((1ull << size) - 1));
}

bool lull_pool_write(const uint32_t *chunk, unsigned i, struct lull_pool_write *ret)
{
    if (bits(chunk, i, 1) == 0) {
        return false;
    }
    const bool pipe = bits(chunk, 102 + i, 1) != 0;
    const uint32_t reg = bits(chunk, 66 + 18 * i, 18);
    *ret = (struct lull_pool_write){.reg = pipe ? reg & PIPE_MASK : reg,
                                    .value = bits(chunk, 2 + 32 * i, 32),
                                    .context = bits(chunk, 104 + i, 1),
                                    .pipe = pipe};
    return true;
}

static void write(struct lull_crash *k, const struct lull_pool_write *w)
{
    struct lull_cff *c = k->cff;
    const uint32_t number = w->reg, value = w->value, context = w->context;
    const bool pipe = w->pipe;
    const struct lull_dom_index *ix = pipe ? k->pipe : c->index; // none before a6xx
    const struct lull_dom_hit hit =
        ix != NULL ? lull_dom_lookup(ix, number) : (struct lull_dom_hit){0};
    struct lull_str name = {0};
    lull_cff_name(c->dom.colors, &hit, number, &name);
    if (pipe) {
        lull_cff_say(c, 1, "\t\twrite %s (%02x) pipe\n", lull_str_text(&name), number);
    } else if (c->gen == 6) {
        lull_cff_say(c, 1, "\t\twrite %s (%05x) context %u\n", lull_str_text(&name), number,
                     context);
    } else {
        lull_cff_say(c, 1, "\t\twrite %s (%05x)\n", lull_str_text(&name), number);
    }
    lull_str_free(&name);
    if (!pipe || hit.reg == NULL || hit.reg->kind != LULL_DOM_VOID) {
        lull_cff_show(c, &hit, number, value, 2, 1);
    }
}

static void chunk(struct lull_crash *k, const uint32_t *w, uint32_t block, uint32_t chunk)
{
    for (unsigned i = 0; i < 2; i++) {
        struct lull_pool_write one = {0};
        if (lull_pool_write(w, i, &one)) {
            write(k, &one);
        }
    }
    // The offset is the one that Mesa 25.0.7 prints.
    lull_cff_say(k->cff, 1, "\t%05x: %08x %08x %08x %08x\n",
                 4 * (block * CHUNKS * CHUNK + chunk + CHUNK), w[0], w[1], w[2], w[3]);
}

/** Of the two blocks that a pointer may be in: the first in the second half of it. */
static uint32_t block_of(uint32_t pointer, uint32_t second)
{
    return pointer % CHUNKS >= CHUNKS / 2 ? pointer / CHUNKS : second;
}

void lull_pool_start(const uint32_t *words, unsigned q, struct lull_pool_place *ret)
{
    *ret = (struct lull_pool_place){
        .words = words,
        .block = block_of(words[ROW_READER + q], words[ROW_READER_SECOND + q]),
        .chunk = words[ROW_READER + q] % CHUNKS,
        .last_block = block_of(words[ROW_WRITER + q], words[ROW_WRITER_SECOND + q]),
        .last_chunk = words[ROW_WRITER + q] % CHUNKS};
}

const uint32_t *lull_pool_next(struct lull_pool_place *p)
{
    const bool end = p->block == p->last_block && p->chunk == p->last_chunk;
    p->bad = p->block >= BLOCKS;
    if (end || p->bad || p->n == BLOCKS * CHUNKS) {
        return NULL;
    }
    const uint32_t *chunk = p->words + p->block * CHUNKS * CHUNK + p->chunk * CHUNK;
    p->n++;
    if (++p->chunk == CHUNKS) {
        p->block = p->words[NEXT + p->block];
        p->chunk = 0;
    }
    return chunk;
}

uint32_t lull_pool_length(const uint32_t *words, unsigned q)
{
    return words[LENGTHS + q];
}

unsigned lull_pool_queues(unsigned gen)
{
    return gen == 6 ? 6 : 7;
}

const char *lull_pool_name(unsigned gen, unsigned q)
{
    static const char *const names[] = {"FE", "SP_VS", "PC_VS", "GRAS", "SP_PS", "VPC_PS", "PS"};
    return names[gen == 6 && q == 5 ? 6 : q];
}

static void pointers(struct lull_crash *k, const uint32_t *words, unsigned q)
{
    const struct {
        const char *name;
        uint32_t value;
        bool decimal;
    } rows[] = {
        {"writer_first_block", words[ROW_WRITER + q] / CHUNKS, false},
        {"writer_second_block", words[ROW_WRITER_SECOND + q], false},
        {"writer_chunk", words[ROW_WRITER + q] % CHUNKS, true},
        {"reader_first_block", words[ROW_READER + q] / CHUNKS, false},
        {"reader_second_block", words[ROW_READER_SECOND + q], false},
        {"reader_chunk", words[ROW_READER + q] % CHUNKS, true},
        {"block_count", words[ROW_BLOCKS + q], true},
        {"unk2", words[ROW_UNKNOWN_2 + q], false},
        {"queue_size", words[LENGTHS + q], true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lull_cff_say(k->cff, 1, rows[i].decimal ? "\t\t%s: %d\n" : "\t\t%s: 0x%x\n", rows[i].name,
                     rows[i].value);
    }
    lull_cff_say(k->cff, 1, "\n");
}

static void queue(struct lull_crash *k, const uint32_t *words, unsigned q)
{
    struct lull_pool_place p = {0};
    lull_pool_start(words, q, &p);
    if (k->o.verbose) {
        pointers(k, words, q);
        lull_cff_say(k->cff, 1, "\tblock %x\n", p.block);
    }
    for (;;) {
        const uint32_t b = p.block, at = p.chunk;
        const uint32_t *words4 = lull_pool_next(&p);
        if (words4 == NULL) {
            break;
        }
        chunk(k, words4, b, at);
        if (k->o.verbose && p.chunk == 0) {
            lull_cff_say(k->cff, 1, "\tblock %x\n", p.block);
        }
    }
    if (p.bad) {
        lull_crash_damage(k, "queue %u of CP_MEMPOOL: block 0x%x, there are %d", q, p.block,
                          BLOCKS);
    }
    if (p.n != words[LENGTHS + q]) {
        lull_cff_say(k->cff, 1, "\t\tCALCULATED SIZE %u DOES NOT MATCH!\n", p.n);
    }
}

bool lull_pool_fits(uint64_t n)
{
    return n >= WORDS;
}

void lull_crash_pool(struct lull_crash *k, const uint32_t *words, uint64_t n)
{
    struct lull_cff *c = k->cff;
    if (!lull_pool_fits(n) || c->index == NULL) {
        lull_crash_damage(k, "CP_MEMPOOL has %d dwords at least", WORDS);
        return;
    }
    lull_cff_say(c, 1, "\tdata2:\n");
    lull_crash_hex(k, words + DATA2, DATA2_DWORDS, 1);
    if (k->o.verbose) {
        lull_cff_say(c, 1, "\tunk0: %x\n\tunk1: %x\n\tunk3: %x\n\tunk4: %x\n\n",
                     words[ROW_UNKNOWN_0], words[ROW_UNKNOWN_1], words[ROW_UNKNOWN_3],
                     words[ROW_UNKNOWN_4]);
    }
    for (unsigned q = 0; q < lull_pool_queues(c->gen); q++) {
        lull_cff_say(c, 1, "\tCLUSTER_%s:\n\n", lull_pool_name(c->gen, q));
        queue(k, words, q);
        lull_cff_say(c, 1, "\n");
    }
}
