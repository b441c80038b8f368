// SPDX-License-Identifier: MIT
// Crash dumps that go on: a dump is written here, of which it is known what runs from its place on
// and what that finds in registers, predicates and groups of draw state. A virtual GPU runs what
// src/adreno/resume makes of it, and the memory behind that is compared word by word; what had run
// before the place must not run again. Then dumps that cannot go on, and why.
//
// The test vdrm_msm_crash lets dumps of the virtual GPU itself go on.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/file/devcore.h"
#include "adreno/replay/device.h"
#include "adreno/replay/walk.h"
#include "adreno/resume/resume.h"
#include "drm/msm/msm.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "test.h"
#include "vdrm/msm/msm.h"

#define RING 0x1000001000000ull
#define COMMANDS 0x100000000ull
#define DATA 0x100010000ull
#define ABSENT 0x100020000ull
#define SECOND 1000000000ull

enum {
    RING_DWORDS = 256,
    WORDS = 1024, // of each buffer
    IB1 = 0x100,  // dwords in the buffer of commands
    IB2 = 0x140,
    IB3 = 0x180,
    OTHER = 0x1c0,
    STATE = 0x200,
    REF = 0x7777,
    PREDICATE = 2,
    GROUP = 5,
    ALWAYS_SET = 1, // In all modes.
    SQE = 0x33,
    PC = 0xc5,
    UCODE = 0x6000, // dwords of CP_UCODE_DBG_DATA, in which the table of handlers is
    HANDLERS = 0x4000,
    OPCODES = 0x80,
};

/* The dump. */

struct dump {
    uint32_t ring[RING_DWORDS], commands[WORDS], data[WORDS];
    uint32_t *to;
    unsigned revision; // 630
    bool with_data, no_ring, no_place;
    uint32_t pc, word; // of the SQE; $01
};

static uint32_t odd(uint32_t v)
{
    return (uint32_t)__builtin_popcount(v) % 2 == 0;
}

static uint32_t header(uint32_t what, uint32_t n)
{
    return 7u << 28 | odd(what) << 23 | what << 16 | odd(n) << 15 | n;
}

static void op(struct dump *d, uint32_t what, const uint32_t *payload, uint32_t n)
{
    *d->to++ = header(what, n);
    memcpy(d->to, payload, n * sizeof *payload);
    d->to += n;
}

#define OP(d, what, ...)                                                                           \
    op(d, what, (const uint32_t[]){__VA_ARGS__},                                                   \
       sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define ADDRESS(a) (uint32_t)(a), (uint32_t)((uint64_t)(a) >> 32)

static void reg(struct dump *d, uint32_t at, uint32_t value)
{
    *d->to++ = 4u << 28 | odd(at) << 27 | at << 8 | 1;
    *d->to++ = value;
}

static void store(struct dump *d, unsigned i, uint32_t value)
{
    OP(d, LULL_PKT_CP_MEM_WRITE, ADDRESS(DATA + i * 4ull), value);
}

static void store_reg(struct dump *d, unsigned i, uint32_t at)
{
    OP(d, LULL_PKT_CP_REG_TO_MEM, at, ADDRESS(DATA + i * 4ull));
}

// Who sets what a register has in the end: the stream; clusters, where context 1 is the one that
// agrees with the stream; the registers of the CP.
enum {
    BY_STREAM = LULL_A6XX_GRAS_CL_GUARDBAND_CLIP_ADJ,
    BY_CLUSTER = LULL_A6XX_GRAS_CL_VPORT_XOFFSET,
    BY_REGISTERS = LULL_A6XX_CP_SCRATCH_REG + 1,
    TESTED = LULL_A6XX_CP_SCRATCH_REG + 3,
};

// The words of DATA behind the run, by index; all others stay.
static const struct {
    unsigned i;
    uint32_t before, after;
    const char *what;
} expected[] = {
    {0, REF, REF, "what it waits for"},
    {16, 0xaa, 0xaa, "a store before the place"},
    {17, 0, 7, "a store behind the place"},
    {18, 0, 0x111, "a register that the stream had set"},
    {19, 0, 0x222, "a register of the clusters"},
    {20, 0, 0x333, "a register of the dump"},
    {21, 0, 13, "a store under a predicate that holds"},
    {22, 0xbb, 0xbb, "a store under a predicate that does not"},
    {23, 0, 9, "behind the calls, in IB1"},
    {24, 0, 11, "in the next IB1 of the ring"},
    {25, 0xcc, 0xcc, "in the IB1 before"},
    {26, 0, 15, "in IB2, behind IB3"},
};

static void under_predicate(struct dump *d, unsigned predicate, unsigned i, uint32_t value)
{
    enum { PRED_TEST = 1, STORE_DWORDS = 4 };
    OP(d, LULL_PKT_CP_COND_REG_EXEC, predicate << 18 | (uint32_t)PRED_TEST << 28, STORE_DWORDS);
    store(d, i, value);
}

// IB3: the place, and what tells whether the state is back. @return Its dwords.
static uint32_t innermost(struct dump *d)
{
    d->to = d->commands + IB3;
    OP(d, LULL_PKT_CP_NOP, 1);
    OP(d, LULL_PKT_CP_WAIT_REG_MEM, 0x13, ADDRESS(DATA), REF, UINT32_MAX, 16);
    store(d, 17, 7);
    store_reg(d, 18, BY_STREAM);
    store_reg(d, 19, BY_CLUSTER);
    store_reg(d, 20, BY_REGISTERS);
    under_predicate(d, PREDICATE, 21, 13);
    under_predicate(d, PREDICATE + 1, 22, 14);
    return (uint32_t)(d->to - d->commands) - IB3;
}

static void call(struct dump *d, uint32_t at, uint32_t dwords)
{
    OP(d, LULL_PKT_CP_INDIRECT_BUFFER, ADDRESS(COMMANDS + at * 4ull), dwords);
}

// @p behind: dwords of IB1 behind its call, of which nothing was read. Nothing is left of IB2, but
// the SQE is still in IB3.
static void streams(struct dump *d, uint32_t *behind)
{
    const uint32_t ib3 = innermost(d);
    d->to = d->commands + IB2;
    OP(d, LULL_PKT_CP_NOP, 1, 2);
    call(d, IB3, ib3);
    store(d, 26, 15);
    const uint32_t ib2 = (uint32_t)(d->to - d->commands) - IB2;
    d->to = d->commands + IB1;
    reg(d, BY_STREAM, 0x111);
    reg(d, TESTED, 1);
    store(d, 16, 5);
    OP(d, LULL_PKT_CP_REG_TEST, TESTED | PREDICATE << 26);
    OP(d, LULL_PKT_CP_REG_TEST, TESTED | 1 << 20 | (PREDICATE + 1) << 26);
    OP(d, LULL_PKT_CP_SET_DRAW_STATE, 1 << 18, 0, 0, 3 | 7u << 20 | 1 << 24, ADDRESS(COMMANDS));
    OP(d, LULL_PKT_CP_SET_DRAW_STATE, 2 | 1 << 20 | GROUP << 24, ADDRESS(COMMANDS + STATE * 4ull),
       1 << 17 | 1 << 24, 0, 0);
    call(d, IB2, ib2);
    const uint32_t *behind_call = d->to;
    store(d, 23, 9);
    *behind = (uint32_t)(d->to - behind_call);
    const uint32_t ib1 = (uint32_t)(d->to - d->commands) - IB1;
    d->to = d->commands + OTHER;
    store(d, 24, 11);
    const uint32_t other = (uint32_t)(d->to - d->commands) - OTHER;
    d->to = d->ring + 12;
    call(d, IB1, ib1);
    call(d, OTHER, other);
}

static void put_bo(struct lull_str *out, uint64_t at, const char *name, const uint32_t *words)
{
    lull_str_addf(out, "  - iova: 0x%016" PRIx64 "\n    size: %zu\n    name: %s\n", at,
                  WORDS * sizeof *words, name);
    if (words != NULL) {
        lull_devcore_put_data(out, 4, 5, words, WORDS);
    }
}

static void put_context(struct lull_str *out, unsigned context, uint32_t by_stream,
                        uint32_t by_cluster)
{
    lull_str_addf(out, "    - context: %u\n", context);
    lull_devcore_put_register(out, 6, BY_STREAM * 4, by_stream);
    lull_devcore_put_register(out, 6, BY_CLUSTER * 4, by_cluster);
}

static void put_registers(const struct dump *d, uint32_t behind, struct lull_str *out)
{
    const struct {
        uint32_t reg;
        uint64_t value;
        bool wide;
    } rows[] = {
        {LULL_A6XX_CP_RB_BASE, RING, true},
        {LULL_A6XX_CP_IB1_BASE, d->no_place ? 0 : COMMANDS + IB1 * 4ull, true},
        {LULL_A6XX_CP_IB1_REM_SIZE, behind, false},
        {LULL_A6XX_CP_IB2_BASE, d->no_place ? 0 : COMMANDS + IB2 * 4ull, true},
        {LULL_A6XX_CP_IB2_REM_SIZE, 0, false},
        {BY_REGISTERS, 0x333, false},
    };
    lull_str_addf(out, "registers:\n");
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        for (unsigned half = 0; half < 1u + rows[i].wide; half++) {
            lull_devcore_put_register(out, 2, (rows[i].reg + half) * 4,
                                      (uint32_t)(rows[i].value >> 32 * half));
        }
    }
}

// Two packets have a handler of their own, all others one: of what the firmware does not know.
static void put_indexed(const struct dump *d, struct lull_str *out)
{
    static uint32_t ucode[UCODE];
    const uint32_t stat[SQE] = {d->pc, d->word};
    for (unsigned i = 0; i < OPCODES; i++) {
        ucode[HANDLERS + i] = 0x100;
    }
    ucode[HANDLERS + LULL_PKT_CP_WAIT_REG_MEM] = ucode[HANDLERS + LULL_PKT_CP_NOP] = 0xc0;
    lull_str_addf(out, "indexed-registers:\n  - regs-name: CP_SQE_STAT\n    dwords: %d\n", SQE);
    lull_devcore_put_data(out, 4, 6, stat, SQE);
    lull_str_addf(out, "  - regs-name: CP_UCODE_DBG_DATA\n    dwords: %d\n", UCODE);
    lull_devcore_put_data(out, 4, 6, ucode, UCODE);
}

static struct lull_str written(struct dump *d)
{
    struct lull_str out = {0};
    uint32_t behind = 0;
    for (size_t i = 0; i < TEST_ROWS(expected); i++) {
        d->data[expected[i].i] = expected[i].before;
    }
    streams(d, &behind);
    lull_str_addf(&out, "---\nkernel: 6.12.0\nmodule: msm\nrevision: %u (%u.%u.%u.1)\n",
                  d->revision, d->revision / 100, d->revision / 10 % 10, d->revision % 10);
    lull_str_addf(&out,
                  "ringbuffer:\n  - id: 0\n    iova: 0x%016llx\n    last-fence: 1\n"
                  "    retired-fence: 0\n    rptr: 12\n    wptr: %u\n    size: %u\n",
                  RING, d->no_ring ? 12 : (unsigned)(d->to - d->ring), RING_DWORDS * 4);
    lull_devcore_put_data(&out, 4, 5, d->ring, RING_DWORDS);
    lull_str_addf(&out, "bos:\n");
    put_bo(&out, COMMANDS, "commands", d->commands);
    put_bo(&out, DATA, "data", d->with_data ? d->data : NULL);
    put_bo(&out, ABSENT, "texture", NULL);
    put_registers(d, behind, &out);
    put_indexed(d, &out);
    lull_str_addf(&out, "clusters:\n  - cluster-name: CLUSTER_GRAS\n");
    put_context(&out, 0, 0x999, 0x888);
    put_context(&out, 1, 0x111, 0x222);
    return out;
}

static struct lull_error *read_dump(struct dump *d, struct lull_resumed *ret)
{
    static const struct lull_resume_options o = {0};
    struct lull_str text = written(d);
    struct lull_stream *s = NULL;
    struct lull_error *err = lull_stream_of(lull_str_text(&text), text.size, &s);
    err = err != NULL ? err : lull_resume_read(s, &o, NULL, ret);
    lull_stream_free(s);
    lull_str_free(&text);
    return err;
}

static struct dump good(void)
{
    return (struct dump){
        .revision = 630, .with_data = true, .pc = PC, .word = header(LULL_PKT_CP_WAIT_REG_MEM, 6)};
}

/* What runs. */

static struct lull_error *run(const struct lull_resumed *r, uint32_t *data, bool *ret_done)
{
    const struct lull_vdm_options o = {
        .chip = &lull_achip_a630, .memory = 16 << 20, .longest_ms = 20};
    struct lull_kernel *k = NULL;
    struct lull_rp_device *d = NULL;
    bool hang = false;
    uint64_t size = 0;
    struct lull_error *err = lull_vdm_new(&o, &k);
    err = err != NULL ? err : lull_rp_device_open(k, "/dev/dri/renderD128", &d);
    err = err != NULL ? err : lull_rp_device_place(d, &r->submit);
    err = err != NULL ? err : lull_rp_device_run(d, &r->submit, 100 * SECOND, ret_done, &hang);
    const uint8_t *at = err == NULL ? lull_rp_device_memory(d, DATA, &size) : NULL;
    if (at != NULL && size >= WORDS * sizeof *data) {
        memcpy(data, at, WORDS * sizeof *data);
    }
    *ret_done &= !hang;
    lull_rp_device_close(d);
    if (k != NULL) {
        k->destroy(k);
    }
    return err;
}

static void check_run(const struct lull_resumed *r)
{
    uint32_t data[WORDS] = {0};
    bool done = false;
    struct lull_error *err = run(r, data, &done);
    test_case(err == NULL && done, "it runs to its end", "%s",
              err != NULL ? lull_error_message(err) : "it hangs");
    for (size_t i = 0; i < TEST_ROWS(expected); i++) {
        const unsigned at = expected[i].i;
        test_case(data[at] == expected[i].after, expected[i].what, "word %u is 0x%x, not 0x%x", at,
                  data[at], expected[i].after);
    }
    lull_error_free(err);
}

// Groups of draw state, when the first stream has run.
static void check_groups(const struct lull_resumed *r)
{
    struct lull_rp_walk *w = NULL;
    struct lull_error *err = lull_rp_walk_new(6, &w);
    if (err == NULL) {
        (void)lull_rp_walk_submit(w, &r->submit, NULL);
        const struct lull_astream *s = lull_rp_walk_state(w);
        const struct lull_as_group *g = &s->groups[GROUP];
        test_case(s->has_group == 1u << GROUP && g->address == COMMANDS + STATE * 4ull &&
                      g->count == 2 && g->mask == ALWAYS_SET,
                  "groups of draw state", "has 0x%x; 0x%" PRIx64 ", %u dwords, modes 0x%x",
                  s->has_group, g->address, g->count, g->mask);
    }
    lull_error_free(err);
    lull_rp_walk_free(w);
}

static void check_place(const struct lull_resumed *r)
{
    const uint64_t want = COMMANDS + (IB3 + 2) * 4ull;
    test_case(r->at == want && r->nlevels == 3 && r->levels[0].base == COMMANDS + IB1 * 4ull &&
                  r->levels[1].base == COMMANDS + IB2 * 4ull &&
                  r->levels[2].base == COMMANDS + IB3 * 4ull && r->levels[2].next == 2,
              "the place", "0x%" PRIx64 ", not 0x%" PRIx64 "; %u levels", r->at, want, r->nlevels);
    const struct lull_resume_absent *in = lull_resume_absent_at(r, ABSENT + 0x24);
    test_case(r->nabsent == 1 && in != NULL && strcmp(in->name, "texture") == 0 &&
                  lull_resume_absent_at(r, DATA) == NULL &&
                  lull_resume_absent_at(r, ABSENT + WORDS * 4) == NULL &&
                  strstr(lull_str_text(&r->missing), "0x100020000 texture, 4096 bytes") != NULL,
              "what is not in the dump", "%zu buffers\n%s", r->nabsent, lull_str_text(&r->missing));
    test_case(strstr(lull_str_text(&r->missing), "of context 1 1 of 1 are") != NULL,
              "which context", "%s", lull_str_text(&r->missing));
}

/* Dumps that cannot go on. */

static void refused(const char *name, const struct dump *d, const char *why)
{
    struct dump copy = *d;
    struct lull_resumed r = {0};
    struct lull_error *err = read_dump(&copy, &r);
    test_case(err != NULL && lull_error_code(err) == LULL_ERR_UNSUPPORTED &&
                  strstr(lull_error_message(err), why) != NULL && r.submit.nbuffers == 0,
              name, "%s, not %s", err != NULL ? lull_error_message(err) : "no error", why);
    lull_error_free(err);
    lull_resume_done(&r);
}

// Where the SQE is, by the table in the dump.
static void check_firmware(uint32_t pc, const char *want)
{
    struct dump d = good();
    struct lull_resumed r = {0};
    d.pc = pc;
    struct lull_error *err = read_dump(&d, &r);
    test_case(err == NULL && strstr(lull_str_text(&r.firmware), want) != NULL, want, "%s",
              lull_str_text(&r.firmware));
    lull_error_free(err);
    lull_resume_done(&r);
}

int main(void)
{
    struct dump d = good();
    struct lull_resumed r = {0};
    struct lull_error *err = read_dump(&d, &r);
    test_case(err == NULL, "a dump is read", "%s", err != NULL ? lull_error_message(err) : "");
    if (err == NULL) {
        check_place(&r);
        check_groups(&r);
        check_run(&r);
    }
    lull_error_free(err);
    lull_resume_done(&r);
    d = good();
    d.revision = 530;
    refused("an a5xx", &d, "a5xx");
    d = good();
    d.no_place = true;
    refused("in no buffer", &d, "in no indirect buffer");
    d = good();
    d.no_ring = true;
    refused("nothing left of the ring", &d, "what was left of the ring does not call");
    check_firmware(PC,
                   "PC 0x00c5, $01 0x70bc8006: CP_WAIT_REG_MEM\n          5 instructions behind "
                   "0x00c0, where the handler begins of CP_NOP, CP_WAIT_REG_MEM\n");
    check_firmware(0x102, "2 instructions behind 0x0100, where the handler begins of what this "
                          "firmware has no handler for, as of 126 opcodes\n");
    return test_end();
}
