// SPDX-License-Identifier: MIT
// CP_MEMPOOL: register writes between the SQE and the parts of the GPU that they are for. A queue
// for each part, made of blocks of chunks; a chunk holds two writes.
#include <string.h>

#include "forensics/crash_walk.h"

enum {
    BLOCKS = 0x80,
    CHUNKS = 8, ///< Of a block.
    CHUNK = 4,  ///< Dwords.
    NEXT = 0x1000,
    QUEUES = 0x1800, ///< Rows of eight dwords, a column for each queue.
    ROW_WRITER = QUEUES + 8,
    ROW_WRITER_SECOND = QUEUES + 24,
    ROW_READER = QUEUES + 40,
    ROW_READER_SECOND = QUEUES + 56,
    DATA2 = 0x2000,
    DATA2_DWORDS = 0x60,
    LENGTHS = DATA2 + 0x18,
    WORDS = DATA2 + DATA2_DWORDS,
    PIPE_MASK = 0xff,
};

struct place {
    uint32_t block, chunk;
};

/** @p size bits of a chunk from bit @p lo on. */
static uint32_t bits(const uint32_t *chunk, unsigned lo, unsigned size)
{
    const uint64_t low = chunk[lo / 32], high = lo / 32 + 1 < CHUNK ? chunk[lo / 32 + 1] : 0;
    return (uint32_t)((low | high << 32) >> lo % 32 & ((1ull << size) - 1));
}

static void write(struct lull_crash *k, uint32_t reg, uint32_t value, uint32_t context, bool pipe)
{
    struct lull_cff *c = k->cff;
    const uint32_t number = pipe ? reg & PIPE_MASK : reg;
    const struct lull_dom_hit hit = lull_dom_lookup(pipe ? k->pipe : c->index, number);
    struct lull_str name = {0};
    lull_cff_reg_name(&hit, number, &name);
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

static void chunk(struct lull_crash *k, const uint32_t *words, struct place p)
{
    const uint32_t at = p.block * CHUNKS * CHUNK + p.chunk * CHUNK;
    const uint32_t *w = words + at;
    for (unsigned i = 0; i < 2; i++) {
        if (bits(w, i, 1) != 0) {
            write(k, bits(w, 66 + 18 * i, 18), bits(w, 2 + 32 * i, 32), bits(w, 104 + i, 1),
                  bits(w, 102 + i, 1) != 0);
        }
    }
    // The offset is the one that Mesa 25.0.7 prints.
    lull_cff_say(k->cff, 1, "\t%05x: %08x %08x %08x %08x\n",
                 4 * (p.block * CHUNKS * CHUNK + p.chunk + CHUNK), w[0], w[1], w[2], w[3]);
}

/** Of the two blocks that a pointer may be in: the first in the second half of it. */
static struct place place(uint32_t pointer, uint32_t second)
{
    const uint32_t at = pointer % CHUNKS;
    return (struct place){at >= CHUNKS / 2 ? pointer / CHUNKS : second, at};
}

static void queue(struct lull_crash *k, const uint32_t *words, unsigned q)
{
    struct place at = place(words[ROW_READER + q], words[ROW_READER_SECOND + q]);
    const struct place end = place(words[ROW_WRITER + q], words[ROW_WRITER_SECOND + q]);
    uint32_t length = 0;
    while ((at.block != end.block || at.chunk != end.chunk) && length < BLOCKS * CHUNKS) {
        if (at.block >= BLOCKS) {
            lull_crash_damage(k, "queue %u of CP_MEMPOOL: block 0x%x, there are %d", q, at.block,
                              BLOCKS);
            break;
        }
        length++;
        chunk(k, words, at);
        if (++at.chunk == CHUNKS) {
            at = (struct place){words[NEXT + at.block], 0};
        }
    }
    if (length != words[LENGTHS + q]) {
        lull_cff_say(k->cff, 1, "\t\tCALCULATED SIZE %u DOES NOT MATCH!\n", length);
    }
}

void lull_crash_pool(struct lull_crash *k, const uint32_t *words, uint64_t n)
{
    static const char *const a6xx[] = {"FE", "SP_VS", "PC_VS", "GRAS", "SP_PS", "PS"};
    static const char *const a7xx[] = {"FE", "SP_VS", "PC_VS", "GRAS", "SP_PS", "VPC_PS", "PS"};
    const unsigned queues =
        k->cff->gen == 6 ? sizeof a6xx / sizeof a6xx[0] : sizeof a7xx / sizeof a7xx[0];
    if (n < WORDS || k->pipe == NULL) {
        lull_crash_damage(k, "CP_MEMPOOL has %d dwords at least", WORDS);
        return;
    }
    lull_cff_say(k->cff, 1, "\tdata2:\n");
    lull_crash_hex(k, words + DATA2, DATA2_DWORDS);
    for (unsigned q = 0; q < queues; q++) {
        lull_cff_say(k->cff, 1, "\tCLUSTER_%s:\n\n", k->cff->gen == 6 ? a6xx[q] : a7xx[q]);
        queue(k, words, q);
        lull_cff_say(k->cff, 1, "\n");
    }
}
