// SPDX-License-Identifier: MIT
// The command processor, packet by packet. What must come out is what Mesa's adreno_pm4.xml says of
// each packet, worked out by hand.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/stream/stream.h"
#include "test.h"

enum { STREAM = 0x10000, OTHER = 0x20000, DATA = 0x30000, WORDS = 64, WORK = 1 << 16, LOG = 4096 };
// Opcodes and registers: adreno_pm4.xml, a6xx.xml.
enum { NOP = 0x10, WFI = 0x26, RMW = 0x21, MARKER = 0x65, STATE = 0x43, DRAW = 0x38, COND = 0x47 };
enum { IB = 0x3f, CHAIN = 0x57, TEST = 0x39, TO_REG = 0x42, TO_MEM = 0x3e, WRITE = 0x3d };
enum { BINS = 0x50, THREAD = 0x17, MEM_TO_MEM = 0x73, TO_SCRATCH = 0x4a, FROM_SCRATCH = 0x4d };
enum { COND_EXEC = 0x44, COND_WRITE = 0x45, BUNCH = 0x5c, MEMCPY = 0x75, LOAD = 0x32, WHAT = 0x7e };
enum { A = 0x8004, B = 0x8005, SCRATCH0 = 0x883 };

struct machine {
    uint32_t stream[WORDS], other[WORDS], data[WORDS];
    char log[LOG];
    size_t n;
    struct lull_astream s;
};

static struct lull_as_words reads(void *ctx, uint64_t address, uint32_t n)
{
    struct machine *m = ctx;
    const struct {
        uint64_t at;
        const uint32_t *words;
    } rows[] = {{STREAM, m->stream}, {OTHER, m->other}, {DATA, m->data}};
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const uint64_t at = (address - rows[i].at) / 4;
        if (address >= rows[i].at && at < WORDS) {
            const uint32_t left = WORDS - (uint32_t)at;
            return (struct lull_as_words){rows[i].words + at, address, n < left ? n : left, false};
        }
    }
    return (struct lull_as_words){.address = address};
}

static void note(struct machine *m, const char *fmt, ...) TEST_PRINTF(2, 3);

static void note(struct machine *m, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(m->log + m->n, LOG - m->n, fmt, args);
    va_end(args);
    m->n += n > 0 && (size_t)n < LOG - m->n ? (size_t)n : 0;
}

/** What happens, in short. */
static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct machine *m = ctx;
    static const char *const outcomes[] = {"?", "yes", "no"};
    switch ((unsigned)e->what) {
    case LULL_AS_MET:
        note(m, e->packet->dead ? " (%" PRIx64 ")" : " %" PRIx64, e->packet->address);
        break;
    case LULL_AS_CALL:
        note(m, " {");
        break;
    case LULL_AS_RETURN:
        note(m, " }");
        break;
    case LULL_AS_CONDITION:
        note(m, " %s", outcomes[e->u.condition.outcome]);
        break;
    case LULL_AS_DRAWS:
        note(m, " draw%" PRIu32, e->u.draw->vertices);
        break;
    case LULL_AS_LOADS:
        note(m, " load%" PRIu32, e->u.load->units);
        break;
    case LULL_AS_STORE:
        note(m, e->u.memory.known ? " m%" PRIx64 "=%" PRIx32 : " m%" PRIx64 "=?",
             e->u.memory.address, e->u.memory.values[0]);
        break;
    case LULL_AS_GROUPS_TOLD:
        note(m, e->u.group.what == LULL_AS_GROUP_LEFT_OUT ? " out%u" : " g%u", e->u.group.id);
        break;
    case LULL_AS_NO_ROW:
        note(m, " norow");
        break;
    case LULL_AS_WRONG:
        note(m, " !%d", (int)e->u.problem.kind);
        break;
    default:
        (void)s;
        break;
    }
}

static uint32_t odd(uint32_t v)
{
    return (uint32_t)__builtin_parity(v) ^ 1;
}

static uint32_t p4(uint32_t reg, uint32_t n)
{
    return 4u << 28 | odd(reg) << 27 | reg << 8 | odd(n) << 7 | n;
}

static uint32_t p7(uint32_t op, uint32_t n)
{
    return 7u << 28 | odd(op) << 23 | op << 16 | odd(n) << 15 | n;
}

/** Rows: words whose first of a packet is (opcode or register, payload dwords) in short. */
#define P7(op, n) (0xf7000000u | (op) << 8 | (n))
#define P4(reg, n) (0xf4000000u | (reg) << 4 | (n))

static void put(uint32_t *to, const uint32_t *from, unsigned n)
{
    for (unsigned i = 0; i < n;) {
        const uint32_t w = from[i];
        const uint32_t count = w >> 24 == 0xf7 ? w & 0xff : w >> 24 == 0xf4 ? w & 15 : 0;
        to[i] = w >> 24 == 0xf7   ? p7(w >> 8 & 0xff, count)
                : w >> 24 == 0xf4 ? p4(w >> 4 & 0x3ffff, count)
                                  : w;
        for (uint32_t k = 1; k <= count && i + k < n; k++) {
            to[i + k] = from[i + k];
        }
        i += count + 1;
    }
}

static struct machine *make(unsigned gen, const struct lull_as_policy *policy)
{
    struct machine *m = calloc(1, sizeof *m);
    if (m == NULL) {
        exit(1);
    }
    m->s.policy = *policy;
    m->s.memory = (struct lull_as_memory){.ctx = m, .read = reads};
    m->s.sink = (struct lull_as_sink){.ctx = m, .did = did};
    m->s.gen = gen;
    lull_astream_reset(&m->s);
    return m;
}

static void run(struct machine *m, unsigned n)
{
    const struct lull_as_words w = {m->stream, STREAM, n, false};
    bool more = lull_astream_start(&m->s, w, WORK);
    while (more) {
        more = lull_astream_step(&m->s);
    }
}

/* Registers */

enum { NEVER = 1, KNOWN, UNSURE };

static const struct effect {
    const char *name;
    unsigned gen, n;
    uint32_t words[16];
    uint32_t reg, state, value;
} effects[] = {
    {"write", 6, 2, {P4(A, 1), 5}, A, KNOWN, 5},
    {"never written", 6, 2, {P4(A, 1), 5}, B, NEVER, 0},
    // ((0x80000001 & 0xffffffff) rotl 4) | 0x100
    {"RMW rotates after masking",
     6,
     6,
     {P4(A, 1), 0x800000f1, P7(RMW, 3), A | 4 << 24, 0x8000000f, 0x100},
     A,
     KNOWN,
     0x118},
    {"RMW adds", 6, 6, {P4(A, 1), 7, P7(RMW, 3), A | 1u << 29, 6, 0xfffffffe}, A, KNOWN, 4},
    {"RMW with registers",
     6,
     8,
     {P4(A, 2), 0xff, 0x0f, P7(RMW, 3), A | 1u << 31 | 1u << 30, B, B, 0},
     A,
     KNOWN,
     0x0f},
    {"RMW of what nobody wrote", 6, 4, {P7(RMW, 3), A, 0xff, 1}, A, UNSURE, 0},
    {"RMW with no bit kept", 6, 4, {P7(RMW, 3), A, 0, 9}, A, KNOWN, 9},
    {"RMW of a scratch register",
     7,
     6,
     {P4(SCRATCH0 + 2, 1), 0x30, P7(RMW, 3), 2 | 1 << 19, 0xf0, 1},
     SCRATCH0 + 2,
     KNOWN,
     0x31},
    {"RMW of a6xx has no such bit",
     6,
     6,
     {P4(SCRATCH0 + 2, 1), 0x30, P7(RMW, 3), 2 | 1 << 19, 0xf0, 1},
     SCRATCH0 + 2,
     KNOWN,
     0x30},
    {"to scratch and back",
     6,
     6,
     {P4(A, 1), 6, P7(TO_SCRATCH, 1), A | 3 << 20, P7(FROM_SCRATCH, 1), B | 3 << 20},
     B,
     KNOWN,
     6},
    {"memory to a register", 6, 4, {P7(TO_REG, 3), A | 1 << 19, DATA + 8, 0}, A, KNOWN, 0x33},
    {"memory to registers", 6, 4, {P7(TO_REG, 3), A | 2 << 19, DATA + 4, 0}, B, KNOWN, 0x33},
    {"memory shifted", 6, 4, {P7(TO_REG, 3), A | 1u << 30, DATA + 8, 0}, A, KNOWN, 0xcc},
    {"no memory there", 6, 6, {P4(A, 1), 5, P7(TO_REG, 3), A, 0x90000, 0}, A, UNSURE, 0},
    {"what the CP wrote before",
     6,
     8,
     {P7(WRITE, 3), DATA + 8, 0, 0x77, P7(TO_REG, 3), A, DATA + 8, 0},
     A,
     KNOWN,
     0x77},
    {"a register by memory",
     6,
     10,
     {P4(A, 1), 9, P7(TO_MEM, 3), A, DATA, 0, P7(TO_REG, 3), B, DATA, 0},
     B,
     KNOWN,
     9},
    // 0x22 - 0x11 + 0x33
    {"memory to memory",
     6,
     14,
     {P7(MEM_TO_MEM, 9), 2, DATA + 12, 0, DATA + 4, 0, DATA, 0, DATA + 8, 0, P7(TO_REG, 3), A,
      DATA + 12, 0},
     A,
     KNOWN,
     0x44},
    {"a copy of memory",
     6,
     10,
     {P7(MEMCPY, 5), 2, DATA + 4, 0, DATA + 32, 0, P7(TO_REG, 3), A, DATA + 36, 0},
     A,
     KNOWN,
     0x33},
    {"pairs", 6, 5, {P7(BUNCH, 4), B, 4, A, 3}, A, KNOWN, 3},
    {"a comparison that holds",
     6,
     9, // REG == 0x22 at DATA + 4
     {P7(COND_WRITE, 8), 3 | 1 << 4, DATA + 4, 0, 0x22, 0xff, A, 0, 8},
     A,
     KNOWN,
     8},
    {"one that does not",
     6,
     9,
     {P7(COND_WRITE, 8), 4 | 1 << 4, DATA + 4, 0, 0x22, 0xff, A, 0, 8},
     A,
     NEVER,
     0},
    {"one that nobody knows",
     6,
     11,
     {P4(A, 1), 1, P7(COND_WRITE, 8), 3 | 1 << 4, 0x90000, 0, 0x22, 0xff, A, 0, 8},
     A,
     UNSURE,
     0},
};

static void registers(void)
{
    const struct lull_as_policy policy = {0};
    for (size_t i = 0; i < TEST_ROWS(effects); i++) {
        const struct effect *r = &effects[i];
        struct machine *m = make(r->gen, &policy);
        const uint32_t data[] = {0x11, 0x22, 0x33};
        memcpy(m->data, data, sizeof data);
        put(m->stream, r->words, r->n);
        run(m, r->n);
        const struct lull_as_regs *g = lull_astream_regs(&m->s);
        const unsigned known = g->known[r->reg / 64] >> r->reg % 64 & 1;
        const unsigned unknown = g->unknown[r->reg / 64] >> r->reg % 64 & 1;
        const unsigned state = known != 0 ? KNOWN : unknown != 0 ? UNSURE : NEVER;
        test_case(state == r->state && (state != KNOWN || g->v[r->reg] == r->value), r->name,
                  "state %u, want %u; 0x%x, want 0x%x;%s", state, r->state, g->v[r->reg], r->value,
                  m->log);
        free(m);
    }
}

/* What runs */

static const struct lull_as_policy plain = {0}, every = {.conditions = LULL_AS_ALL},
                                   forgets = {.groups = LULL_AS_GROUPS_FORGOTTEN};
static const struct walk {
    const char *name;
    const struct lull_as_policy *policy;
    unsigned gen, n, other_n;
    uint32_t words[28], other[8];
    const char *want;
} walks[] = {
    {"a call",
     &plain,
     6,
     5,
     1,
     {P7(IB, 3), OTHER, 0, 1, P7(WFI, 0)},
     {P7(WFI, 0)},
     " 10000 { 20000 } 10010 }"},
    {"a chain",
     &plain,
     6,
     5,
     1,
     {P7(CHAIN, 3), OTHER, 0, 1, P7(WFI, 0)},
     {P7(WFI, 0)},
     " 10000 { 20000 } }"},
    {"a buffer that calls itself", &plain, 6, 4, 0, {P7(IB, 3), STREAM, 0, 4}, {0}, " 10000 !4 }"},
    {"no buffer", &plain, 6, 4, 0, {P7(IB, 3), 0x90000, 0, 4}, {0}, " 10000 !3 { } }"},
    {"a call without its size", &plain, 6, 3, 0, {P7(IB, 2), OTHER, 0}, {0}, " 10000 !2 }"},
    {"the end within a packet", &plain, 6, 2, 0, {P4(A, 3), 0}, {0}, " 10000 !1 }"},
    {"no header", &plain, 6, 3, 0, {0x12345678, 0x9abcdef0, P7(WFI, 0)}, {0}, " !0 10008 }"},
    {"bins",
     &plain,
     6,
     8,
     2,
     {P7(BINS, 5), 2, OTHER, 0, 1, 1, P7(WFI, 0), P7(NOP, 0)},
     {P7(WFI, 0), P7(WFI, 0)},
     " 10000 { 20000 } { 10018 } { 20004 } { 10018 } 1001c }"},
    {"groups: once for each mode",
     &plain,
     6,
     20,
     1,
     {P7(MARKER, 1),
      2,
      P7(STATE, 3),
      1 | 7 << 20 | 5 << 24,
      OTHER,
      0,
      P7(DRAW, 3),
      4,
      1,
      3,
      P7(DRAW, 3),
      4,
      1,
      4,
      P7(MARKER, 1),
      4,
      P7(DRAW, 3),
      4,
      1,
      5},
     {P7(WFI, 0)},
     " 10000 10008 g5 10018 { 20000 } draw3 10028 draw4 10038 10040 { 20000 } draw5 }"},
    {"groups: not in this mode",
     &plain,
     6,
     10,
     1,
     {P7(MARKER, 1), 2, P7(STATE, 3), 1 | 4 << 20 | 5 << 24, OTHER, 0, P7(DRAW, 3), 4, 1, 3},
     {P7(WFI, 0)},
     " 10000 10008 g5 10018 out5 draw3 }"},
    {"groups: forgotten, before the packet is met",
     &forgets,
     6,
     12,
     1,
     {P7(STATE, 3), 1 | 7 << 20 | 5 << 24, OTHER, 0, P7(DRAW, 3), 4, 1, 3, P7(DRAW, 3), 4, 1, 4},
     {P7(WFI, 0)},
     " 10000 g5 { 20000 } 10010 draw3 10020 draw4 }"},
    {"groups: at once, in their order",
     &plain,
     6,
     7,
     1,
     {P7(STATE, 6), 1 | 7 << 20 | 9 << 24 | 8 << 16, OTHER, 0, 1 | 7 << 20 | 1 << 24 | 8 << 16,
      OTHER, 0},
     {P7(WFI, 0)},
     " 10000 g9 g1 { 20000 } { 20000 } }"},
    {"a draw in a group",
     &plain,
     6,
     8,
     4,
     {P7(STATE, 3), 4 | 7 << 20, OTHER, 0, P7(DRAW, 3), 4, 1, 3},
     {P7(DRAW, 3), 4, 1, 9},
     " 10000 g0 10010 { 20000 !6 draw9 } draw3 }"},
    {"a mode that is not this one",
     &plain,
     6,
     7,
     0,
     {P7(MARKER, 1), 4, P7(COND, 2), 3u << 28 | 1 << 27, 1, P7(WFI, 0), P7(WFI, 0)},
     {0},
     " 10000 10008 no (10014) 10018 }"},
    {"a mode that is not known",
     &plain,
     6,
     5,
     0,
     {P7(COND, 2), 3u << 28 | 1 << 27, 1, P7(WFI, 0), P7(WFI, 0)},
     {0},
     " 10000 ? 1000c 10010 }"},
    {"all conditions hold",
     &every,
     6,
     7,
     0,
     {P7(MARKER, 1), 4, P7(COND, 2), 3u << 28 | 1 << 27, 1, P7(WFI, 0), P7(WFI, 0)},
     {0},
     " 10000 10008 ? 10014 10018 }"},
    {"a predicate",
     &plain,
     6,
     8,
     0,
     {P4(A, 1), 4, P7(TEST, 1), A | 2 << 20, P7(COND, 2), 1u << 28, 1, P7(WFI, 0)},
     {0},
     " 10000 10008 10010 yes 1001c }"},
    {"a predicate that is clear",
     &plain,
     6,
     8,
     0,
     {P4(A, 1), 4, P7(TEST, 1), A | 3 << 20, P7(COND, 2), 1u << 28, 1, P7(WFI, 0)},
     {0},
     " 10000 10008 10010 no (1001c) }"},
    {"registers that are alike",
     &plain,
     6,
     8,
     0,
     {P4(A, 2), 4, 4, P7(COND, 3), 2u << 28 | A, B, 1, P7(WFI, 0)},
     {0},
     " 10000 1000c yes 1001c }"},
    {"a bool and a time in memory",
     &plain,
     6,
     8,
     0,
     {P7(COND_EXEC, 6), DATA, 0, DATA + 4, 0, 0x22, 1, P7(WFI, 0)},
     {0},
     " 10000 yes 1001c }"},
    {"a time that is over",
     &plain,
     6,
     8,
     0,
     {P7(COND_EXEC, 6), DATA, 0, DATA + 4, 0, 0x21, 1, P7(WFI, 0)},
     {0},
     " 10000 no (1001c) }"},
    {"the other pipe",
     &plain,
     7,
     6,
     0,
     {P7(THREAD, 1), 1, P7(COND, 2), 5u << 28 | 1 << 25, 1, P7(WFI, 0)},
     {0},
     " 10000 10008 no (10014) }"},
    {"a load of 1023 units",
     &plain,
     6,
     4,
     0,
     {P7(LOAD, 3), 1023u << 22 | 1 << 14, 0, 0},
     {0},
     " 10000 load1023 }"},
    {"a packet without a row", &plain, 6, 1, 0, {P7(WHAT, 0)}, {0}, " 10000 norow }"},
    {"a register to memory",
     &plain,
     6,
     6,
     0,
     {P4(A, 1), 5, P7(TO_MEM, 3), A, DATA, 0},
     {0},
     " 10000 10008 m30000=5 }"},
    {"one that nobody wrote",
     &plain,
     6,
     4,
     0,
     {P7(TO_MEM, 3), A, DATA, 0},
     {0},
     " 10000 m30000=? }"},
};

static void runs(void)
{
    for (size_t i = 0; i < TEST_ROWS(walks); i++) {
        const struct walk *r = &walks[i];
        struct machine *m = make(r->gen, r->policy);
        const uint32_t data[] = {0x11, 0x22, 0x33};
        memcpy(m->data, data, sizeof data);
        put(m->stream, r->words, r->n);
        put(m->other, r->other, r->other_n);
        run(m, r->n);
        test_case(strcmp(m->log, r->want) == 0 && m->s.nframes == 0, r->name, "got '%s', want '%s'",
                  m->log, r->want);
        free(m);
    }
}

/** Stop before a packet in a buffer that is called, look, and go on. */
static void stops(void)
{
    static const uint32_t words[] = {P7(IB, 3), OTHER, 0, 3, P4(A, 1), 2};
    static const uint32_t other[] = {P4(A, 1), 1, P7(WFI, 0)};
    struct machine *m = make(6, &plain);
    put(m->stream, words, TEST_ROWS(words));
    put(m->other, other, TEST_ROWS(other));
    bool more =
        lull_astream_start(&m->s, (struct lull_as_words){m->stream, STREAM, 6, false}, WORK);
    while (more && lull_astream_at(&m->s) != OTHER + 8) {
        more = lull_astream_step(&m->s);
    }
    const uint32_t then = lull_astream_regs(&m->s)->v[A];
    test_case(more && m->s.nframes == 3 && then == 1, "stop before a packet", "%u frames, %u",
              m->s.nframes, then);
    while (more) {
        more = lull_astream_step(&m->s);
    }
    test_case(lull_astream_at(&m->s) == 0 && lull_astream_regs(&m->s)->v[A] == 2, "and go on", "%u",
              lull_astream_regs(&m->s)->v[A]);
    free(m);
}

/** Each pipe has registers of its own. */
static void pipes(void)
{
    static const uint32_t words[] = {P7(THREAD, 1), 3, P4(A, 1), 1, P7(THREAD, 1), 2,
                                     P4(A, 1),      2, P4(B, 1), 2, P7(THREAD, 1), 1};
    struct machine *m = make(7, &plain);
    put(m->stream, words, TEST_ROWS(words));
    run(m, TEST_ROWS(words));
    const struct lull_as_regs *br = &m->s.regs[0], *bv = &m->s.regs[1];
    test_case(br->v[A] == 1 && bv->v[A] == 2 && bv->v[B] == 2 &&
                  (br->known[B / 64] >> B % 64 & 1) == 0 && lull_astream_regs(&m->s) == br,
              "two pipes", "BR %u, BV %u", br->v[A], bv->v[A]);
    free(m);
}

/** Bins without end: there is an end. */
static void work(void)
{
    static const uint32_t words[] = {P7(BINS, 5), 0x7fffffff, OTHER, 0, 1, 1, P7(WFI, 0)};
    static const uint32_t other[] = {P7(WFI, 0)};
    struct machine *m = make(6, &plain);
    put(m->stream, words, TEST_ROWS(words));
    put(m->other, other, 1);
    run(m, TEST_ROWS(words));
    test_case(m->s.idle && m->s.nframes == 0, "too much", "%u", m->s.nframes);
    free(m);
}

int main(void)
{
    registers();
    runs();
    stops();
    pipes();
    work();
    return test_end();
}
