// SPDX-License-Identifier: MIT
// Any command buffers, code and descriptors on the model GPU's rings: no crash, no write outside
// what the page tables allow, and a reset ends what does not end. Seeds: tests/fuzz/corpus/ib/.
//
// The input is a list of records, each a byte and what it wants:
//   0x00-0x7f  a packet: which opcode, how many dwords (a byte), then the dwords, each a byte that
//              says what it is made of and its bytes
//   0x80-0xbf  bytes for memory: where (two bytes, in 4 bytes), how many (a byte), the bytes
//   0xc0-0xcf  submit what was collected to ring n % 5, and let the GPU run for a while
//   0xd0-0xdf  a raw dword for the command buffer
//   0xe0-0xff  let the GPU run
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cur.h"
#include "cmd/pm4_amd_pkts.h"
#include "model/gpu_fixture.h"

enum {
    CYCLES = 4000,
    RECORDS = 300,
    SUBMITS = 12,
    TABLE_BYTES = 0x3000 + 0x1000 * (FIXTURE_BYTES / 0x200000),
};

static const uint8_t opcodes[] = {
    LULL_PM4_SET_SH_REG,
    LULL_PM4_SET_CONTEXT_REG,
    LULL_PM4_SET_UCONFIG_REG,
    LULL_PM4_DISPATCH_DIRECT,
    LULL_PM4_DISPATCH_INDIRECT,
    LULL_PM4_WRITE_DATA,
    LULL_PM4_COPY_DATA,
    LULL_PM4_DMA_DATA,
    LULL_PM4_ATOMIC_MEM,
    LULL_PM4_INDIRECT_BUFFER,
    LULL_PM4_EVENT_WRITE,
    LULL_PM4_RELEASE_MEM,
    LULL_PM4_WAIT_REG_MEM,
    LULL_PM4_WAIT_REG_MEM64,
    LULL_PM4_COND_EXEC,
    LULL_PM4_COND_WRITE,
    LULL_PM4_SET_PREDICATION,
    LULL_PM4_REWIND,
    LULL_PM4_LOAD_SH_REG,
    LULL_PM4_LOAD_SH_REG_INDEX,
    LULL_PM4_REG_RMW,
    LULL_PM4_CONTEXT_REG_RMW,
    LULL_PM4_SET_SH_REG_PAIRS,
    LULL_PM4_SET_SH_REG_PAIRS_PACKED,
    LULL_PM4_SET_BASE,
    LULL_PM4_PRED_EXEC,
    LULL_PM4_EVENT_WRITE_ZPASS,
    LULL_PM4_ACQUIRE_MEM,
    LULL_PM4_STRMOUT_BUFFER_UPDATE,
    LULL_PM4_LOAD_UCONFIG_REG,
    LULL_PM4_SET_SH_REG_INDEX,
    LULL_PM4_NOP,
    LULL_PM4_DRAW_INDEX_AUTO,
};

/** A dword of a packet: an address, a register, a small number, or anything. */
static uint32_t dword(struct lull_cur *c)
{
    static const uint32_t words[] = {
        (uint32_t)(FIXTURE_VA >> 32),
        (uint32_t)(FIXTURE_VA >> 8),
        (uint32_t)(FIXTURE_VA >> 40),
        LULL_GC11_COMPUTE_PGM_LO / 4 - 0x2c00,
        LULL_GC11_COMPUTE_NUM_THREAD_X / 4 - 0x2c00,
        LULL_GC11_COMPUTE_USER_DATA_0 / 4 - 0x2c00,
        LULL_GC11_COMPUTE_USER_DATA_0 / 4,
        LULL_GC11_COMPUTE_TMPRING_SIZE / 4 - 0x2c00,
        0x8005,
        0x0005,
        UINT32_MAX,
        0x80000000,
        0x00100000, // INDIRECT_BUFFER: chain
        0x00000020,
        0x00602000, // DMA_DATA between memory
        0x00100509, // COPY_DATA of the clock
    };
    const unsigned kind = lull_cur_u8(c);
    if (kind < 0x40) {
        return kind;
    }
    if (kind < 0x80) {
        return words[kind % (sizeof words / sizeof words[0])];
    }
    if (kind < 0xc0) { // in the mapping
        return (uint32_t)FIXTURE_VA + (uint32_t)lull_cur_u16(c) * 4;
    }
    return kind < 0xe0 ? lull_cur_u16(c) : lull_cur_u32(c);
}

static void packet(struct fixture *f, struct lull_cur *c, unsigned op)
{
    const unsigned n = lull_cur_u8(c) % 16 + 1;
    lull_pm4_emit(&f->b, 3u << 30 | (n - 1) << 16 | (uint32_t)opcodes[op % sizeof opcodes] << 8 |
                             (op > 0x60));
    for (unsigned i = 0; i < n; i++) {
        lull_pm4_emit(&f->b, dword(c));
    }
}

static void poke(const struct fixture *f, struct lull_cur *c)
{
    const uint32_t at = lull_cur_u16(c) * 4u;
    const size_t want = lull_cur_u8(c), left = lull_cur_left(c), n = want < left ? want : left;
    const uint8_t *from = lull_cur_take(c, n);
    if (from != NULL && n > 0) {
        memcpy(fixture_mem(f, at), from, n);
    }
}

static void run(const struct fixture *f)
{
    struct lull_gpu_done done = {0};
    for (uint64_t left = CYCLES; left > 0;) {
        const uint64_t n = lull_gpu_run(f->g, left);
        while (lull_gpu_next_done(f->g, &done)) {
        }
        if (n == 0) {
            break;
        }
        left -= n < left ? n : left;
    }
}

static void submit(struct fixture *f, unsigned ring, uint64_t cookie)
{
    const uint32_t n = (uint32_t)(f->b.ndwords < FIXTURE_IB_DWORDS ? f->b.ndwords : 0);
    const struct lull_gpu_job job = {.vmid = FIXTURE_VMID,
                                     .cookie = cookie,
                                     .nibs = 1,
                                     .ib = {{.va = FIXTURE_VA + FIXTURE_IB, .ndwords = n}}};
    struct lull_error *err = lull_gpu_submit(f->g, (enum lull_ring)(ring % LULL_RING_COUNT), &job);
    if (err != NULL) {
        abort();
    }
    run(f);
    f->b = lull_pm4_builder_of((uint32_t *)(void *)fixture_mem(f, FIXTURE_IB), FIXTURE_IB_DWORDS);
}

/** The first page from @p at on that was ever touched is not below @p end (-1: there is none). */
static bool untouched(const struct fixture *f, off_t at, off_t end)
{
    const off_t data = lseek(lull_gpu_memfd(f->g), at, SEEK_DATA);
    return data < 0 || data >= end;
}

/** Memory that is not mapped was not even read, but for the tables, which are as they were. */
static void check_memory(const struct fixture *f, const uint8_t *tables)
{
    const off_t all = FIXTURE_DATA + FIXTURE_BYTES;
    if (!untouched(f, 0, FIXTURE_TABLES) ||
        !untouched(f, FIXTURE_TABLES + TABLE_BYTES, FIXTURE_DATA) ||
        !untouched(f, all, INT64_MAX) ||
        memcmp(lull_gpu_phys(f->g)->vram + FIXTURE_TABLES, tables, TABLE_BYTES) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_cur c = lull_cur_of(data, size);
    struct fixture f = fixture_new(size & 1, 2, 1, 2);
    uint8_t *tables = malloc(TABLE_BYTES);
    if (tables == NULL) {
        abort();
    }
    memcpy(tables, lull_gpu_phys(f.g)->vram + FIXTURE_TABLES, TABLE_BYTES);
    unsigned submits = 0;
    for (unsigned n = 0; n < RECORDS && lull_cur_left(&c) > 0 && submits < SUBMITS; n++) {
        const unsigned op = lull_cur_u8(&c);
        if (op < 0x80) {
            packet(&f, &c, op);
        } else if (op < 0xc0) {
            poke(&f, &c);
        } else if (op < 0xd0) {
            submit(&f, op, ++submits);
        } else if (op < 0xe0) {
            lull_pm4_emit(&f.b, lull_cur_u32(&c));
        } else {
            run(&f);
            submits++;
        }
    }
    submit(&f, (unsigned)(size % LULL_RING_COUNT), UINT64_MAX);
    // What is left goes at a reset: of each ring, as often as there are jobs.
    for (unsigned ring = 0; ring < LULL_RING_COUNT; ring++) {
        for (unsigned i = 0; i <= SUBMITS; i++) {
            lull_gpu_reset_ring(f.g, (enum lull_ring)ring);
        }
        if (lull_gpu_dispatching(f.g, (enum lull_ring)ring)) {
            abort();
        }
    }
    check_memory(&f, tables);
    free(tables);
    fixture_free(&f);
    return 0;
}
