// SPDX-License-Identifier: MIT
// Code in memory as the debugger walks it, for both instruction sets: what follows must be the same
// questions with other answers.
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "debug/code/code.h"
#include "isa/ir3/ir3.h"
#include "test.h"

enum { BASE = 0x10000, ROOM = 1024 };

struct memory {
    struct lull_target target; // First.
    uint8_t bytes[ROOM];
};

LULL_MUST_USE static struct lull_error *read_bytes(struct lull_target *t, uint64_t va, void *buf,
                                                   size_t size)
{
    const struct memory *m = (const struct memory *)t;
    if (va < BASE || va - BASE > ROOM || size > ROOM - (va - BASE)) {
        return lull_error_new(LULL_ERR_FAULT, "0x%llx is not mapped", (unsigned long long)va);
    }
    memcpy(buf, m->bytes + (va - BASE), size);
    return NULL;
}

static const struct lull_target_ops rdna = {
    .kind = "test", .arch = &lull_arch_rdna3, .read = read_bytes};
static const struct lull_target_ops ir3 = {
    .kind = "test", .arch = &lull_arch_ir3, .gen = 630, .read = read_bytes};

// What llvm-objdump-19 shows for gfx1100, at 0, 4, 8, 10, 14, 18, 1c and 20:
// s_mov_b32 s0, 3; s_cbranch_scc0 to 0x1c; s_mov_b32 s4, 0x12345678; s_call_b64; s_barrier;
// s_endpgm; s_sendmsg sendmsg(MSG_DEALLOC_VGPRS); s_endpgm; s_code_end
static const uint32_t rdna_words[] = {0xbe800083, 0xbfa10005, 0xbe8400ff, 0x12345678, 0xba1e0007,
                                      0xbfbd0000, 0xbfb00000, 0xbfb60003, 0xbfb00000, 0xbf9f0000};
// Branches count from themselves, in instructions of 8 bytes.
static const char ir3_text[] = "nop\nbr p0.x, #4\nbar.g\ncall #4\nend\nnop\nend\nnop\n";

static const struct row {
    const char *name;
    const struct lull_target_ops *ops;
    unsigned at[10]; // Where instructions begin; ends with 0 behind the first.
    enum lull_code_kind kind[10];
    unsigned bytes, ninsns;
    unsigned ends[3]; // Ends with 0.
    bool returns;     // A register says where to.
    const char *second;
} rows[] = {
    {.name = "rdna3",
     .ops = &rdna,
     .at = {0, 4, 8, 0x10, 0x14, 0x18, 0x1c, 0x20},
     .kind = {LULL_CODE_PLAIN, LULL_CODE_PLAIN, LULL_CODE_PLAIN, LULL_CODE_CALL, LULL_CODE_BARRIER,
              LULL_CODE_END, LULL_CODE_PLAIN, LULL_CODE_END},
     .bytes = 0x24,
     .ninsns = 8,
     .ends = {0x18, 0x1c},
     .returns = true,
     .second = "s_cbranch_scc0 5"},
    {.name = "ir3",
     .ops = &ir3,
     .at = {0, 8, 0x10, 0x18, 0x20, 0x28, 0x30},
     .kind = {LULL_CODE_PLAIN, LULL_CODE_PLAIN, LULL_CODE_BARRIER, LULL_CODE_CALL, LULL_CODE_END,
              LULL_CODE_PLAIN, LULL_CODE_END},
     .bytes = 0x38,
     .ninsns = 7,
     .ends = {0x20, 0x30},
     .second = "br p0.x, #4"},
};

static void fill(struct memory *m, const struct row *row)
{
    *m = (struct memory){.target.ops = row->ops};
    if (row->ops == &rdna) {
        memcpy(m->bytes, rdna_words, sizeof rdna_words);
        return;
    }
    struct lull_ir3_shaders s = {0};
    struct lull_error *err = lull_ir3_assemble(ir3_text, 630, &s);
    if (test_case(err == NULL && s.n == 1, row->name, "not assembled: %s",
                  err != NULL ? lull_error_message(err) : "no shader")) {
        memcpy(m->bytes, s.all[0].words, s.all[0].n * sizeof s.all[0].words[0]);
    }
    lull_error_free(err);
    lull_ir3_shaders_done(&s);
}

LULL_MUST_USE static struct lull_error *read_reg(struct lull_target *t, lull_wave_key wave,
                                                 struct lull_wave_reg reg, uint64_t *ret)
{
    (void)t, (void)wave;
    *ret = 0x1000u + reg.index;
    return NULL;
}

static void check_return(const struct row *row)
{
    struct lull_target_ops ops = *row->ops;
    struct lull_target t = {.ops = &ops};
    uint64_t va = 0;
    ops.read_reg = read_reg;
    struct lull_error *err = lull_code_return(&t, 0, &va);
    // s[30:31]. Source: LLVM AMDGPUUsage, "Call Convention".
    test_case(row->returns ? err == NULL && va == (UINT64_C(0x101f) << 32 | 0x101e)
                           : lull_error_code(err) == LULL_ERR_UNSUPPORTED,
              row->name, "return address 0x%llx", (unsigned long long)va);
    lull_error_free(err);
}

static void check(const struct row *row)
{
    struct memory m;
    fill(&m, row);
    for (unsigned i = 0; i < row->ninsns; i++) {
        struct lull_code_insn in = {0};
        const unsigned next = i + 1 < row->ninsns ? row->at[i + 1] : row->bytes;
        test_case(lull_code_at(&m.target, BASE + row->at[i], &in) && in.kind == row->kind[i] &&
                      in.size == next - row->at[i],
                  row->name, "instruction %u: kind %d, %u bytes", i, in.kind, in.size);
    }
    struct lull_code_extent e = {0};
    struct lull_error *err = lull_code_measure(&m.target, BASE, &e);
    test_case(err == NULL && e.bytes == row->bytes && e.ninsns == row->ninsns, row->name,
              "%u bytes, %u instructions", e.bytes, e.ninsns);
    lull_error_free(err);
    uint64_t ends[4] = {0}, before[2] = {0};
    const size_t n = lull_code_ends(&m.target, BASE, ends, 4);
    test_case(n == 2 && ends[0] == BASE + row->ends[0] && ends[1] == BASE + row->ends[1], row->name,
              "%zu ends: 0x%llx, 0x%llx", n, (unsigned long long)ends[0],
              (unsigned long long)ends[1]);
    test_case(lull_code_before(&m.target, BASE, BASE + row->at[4], before, 2) == 2 &&
                  before[0] == BASE + row->at[2] && before[1] == BASE + row->at[3],
              row->name, "before: 0x%llx, 0x%llx", (unsigned long long)before[0],
              (unsigned long long)before[1]);
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    unsigned size = 0;
    err = lull_code_text(&m.target, BASE + row->at[1], (struct lull_insn_print){0}, &text, &size);
    test_case(err == NULL && strcmp(lull_str_text(&text), row->second) == 0 &&
                  size == row->at[2] - row->at[1],
              row->name, "'%s', %u bytes", lull_str_text(&text), size);
    lull_error_free(err);
    check_return(row);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check(&rows[i]);
    }
    return test_end();
}
