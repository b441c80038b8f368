// SPDX-License-Identifier: MIT
// What is computed when code is made against the processor itself: each operation that
// lull_jit_fold() knows, in all its forms, is encoded, executed, and gives the same number.
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/encode.h"
#include "jit/fold.h"
#include "test.h"

enum { ROOM = 4096, MAPS = 3, PREFIXES = 4, OPCODES = 256, GROUPS = 8 };

/** Results of machine code: of two dwords, and of one if it has one operand. */
typedef uint32_t binary_fn(uint32_t a, uint32_t b);

static const uint32_t numbers[] = {
    0,          1,          2,          5,          15,         16,        30,         31,
    32,         33,         63,         64,         255,        256,       0x7fffffff, 0x80000000,
    0x80000001, 0xffffffff, 0xfffffffe, 0x12345678, 0x87654321, 0xffff0000};

/** The operation with s1 in ymm1, s2 in ymm2 and the result in ymm0. */
static void operation(struct lull_x86 *x, const struct lull_jit_op *o)
{
    const struct lull_vex op = {o->map, o->pp, o->w, o->l, o->opcode};
    const bool shift = o->form == LULL_JIT_VM, zero = o->form == LULL_JIT_ZERO;
    const unsigned reg = shift ? o->ext : 0, v = shift || zero ? 0 : 1, rm = zero ? 0 : 2;
    if (o->evex != 0) {
        lull_evex_reg(x, (struct lull_evex){.op = op}, reg, v, rm);
    } else {
        lull_vex_reg(x, op, reg, v, rm);
    }
    if (o->has_imm != 0) {
        lull_x86_byte(x, o->imm);
    }
}

/** Make it at @p write, to be executed where the same memory is seen as code. */
static void make(uint8_t *write, const struct lull_jit_op *o)
{
    struct lull_x86 x = {.to = write, .size = ROOM};
    const struct lull_vex from_general = {1, 1, 0, 0, 0x6e}, broadcast = {2, 1, 0, 1, 0x58},
                          to_general = {1, 1, 0, 0, 0x7e};
    lull_vex_reg(&x, from_general, 1, 0, LULL_RDI);
    lull_vex_reg(&x, broadcast, 1, 0, 1);
    lull_vex_reg(&x, from_general, 2, 0, LULL_RSI);
    lull_vex_reg(&x, broadcast, 2, 0, 2);
    operation(&x, o);
    lull_vex_reg(&x, to_general, 0, 0, LULL_RAX);
    lull_x86_bytes(&x, "\xc5\xf8\x77\xc3", 4); // vzeroupper; ret
}

/** Memory as it is written and as it is executed. */
struct views {
    uint8_t *write;
    binary_fn *run;
};

static struct views map(void)
{
    struct views v = {0};
    const int fd = memfd_create("fold", 0);
    if (fd >= 0 && ftruncate(fd, ROOM) == 0) {
        v.write = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        const void *run = mmap(NULL, ROOM, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
        memcpy(&v.run, &run, sizeof run);
    }
    return v;
}

/** What was compared. */
static unsigned operations, parts, wrong;

static void compare(struct views *v, const struct lull_jit_op *o)
{
    uint32_t got = 0;
    if (!lull_jit_fold(o, 0, 0, &got)) {
        return;
    }
    make(v->write, o);
    operations++;
    for (size_t i = 0; i < TEST_ROWS(numbers); i++) {
        for (size_t k = 0; k < TEST_ROWS(numbers); k++) {
            const uint32_t a = numbers[i], b = numbers[k], want = v->run(a, b);
            if (!lull_jit_fold(o, a, b, &got) || got != want) {
                printf("# map %u pp %u opcode %02x /%u imm %u: %08x, %08x -> %08x, the processor "
                       "says %08x\n",
                       o->map, o->pp, o->opcode, o->ext, o->imm, a, b, got, want);
                wrong++;
                return;
            }
        }
    }
}

/** What an operation with operands @p a and @p b is, if only one of them, or none, is known. */
static void compare_part(struct views *v, const struct lull_jit_op *o, uint32_t a, uint32_t b)
{
    for (unsigned known = 0; known < 4; known++) {
        const struct lull_jit_fact first = {(known & 1) != 0, a}, second = {(known & 2) != 0, b},
                                   none = {0};
        const enum lull_jit_part part = lull_jit_fold_part(o, first, second, none);
        const uint32_t want = part == LULL_JIT_PART_FIRST    ? a
                              : part == LULL_JIT_PART_SECOND ? b
                                                             : 0;
        if (part == LULL_JIT_PART_NONE) {
            continue;
        }
        make(v->write, o);
        parts++;
        if (v->run(a, b) != want) {
            printf("# map %u pp %u opcode %02x /%u imm %u: %08x, %08x, of which %u are known, is "
                   "not %08x\n",
                   o->map, o->pp, o->opcode, o->ext, o->imm, a, b, known, want);
            wrong++;
        }
    }
}

/** The same where one is nothing, everything or something else. */
static void compare_parts(struct views *v, const struct lull_jit_op *o)
{
    static const uint32_t some[] = {0, 1, 0x87654321, 0xffffffff};
    for (size_t i = 0; i < TEST_ROWS(some); i++) {
        for (size_t k = 0; k < TEST_ROWS(some); k++) {
            compare_part(v, o, some[i], some[k]);
        }
    }
}

/** How operations are encoded. */
struct how {
    bool evex, w;
};

/** Whether the result is a mask with EVEX. */
static bool is_mask(unsigned map, unsigned code)
{
    return map == 1 && (code >> 4 == 6 || code >> 4 == 7) && (code & 15) >= 4 && (code & 15) <= 6;
}

/** All forms of an opcode. */
static void opcode(struct views *v, struct how how, unsigned map, unsigned pp, unsigned code)
{
    struct lull_jit_op o = {.map = (uint8_t)map,
                            .pp = (uint8_t)pp,
                            .w = how.w,
                            .l = how.evex ? 2 : 1,
                            .evex = how.evex,
                            .kd = how.evex && is_mask(map, code),
                            .opcode = (uint8_t)code,
                            .s1 = 0,
                            .s2 = 1,
                            .s3 = -1,
                            .d = 2,
                            .konst = -1,
                            .k = -1};
    o.form = LULL_JIT_RVM;
    compare(v, &o);
    compare_parts(v, &o);
    o.form = LULL_JIT_ZERO;
    o.has_imm = map == 3;
    o.imm = 0xff;
    compare(v, &o);
    o.form = LULL_JIT_VM;
    o.has_imm = 1;
    for (unsigned ext = 0; ext < GROUPS; ext++) {
        for (size_t i = 0; i < TEST_ROWS(numbers) && numbers[i] < OPCODES; i++) {
            o.ext = (uint8_t)ext;
            o.imm = (uint8_t)numbers[i];
            compare(v, &o);
            compare_part(v, &o, 5, 0x87654321);
        }
    }
}

static void all(struct views *v, struct how how)
{
    for (unsigned m = 1; m <= MAPS; m++) {
        for (unsigned pp = 0; pp < PREFIXES; pp++) {
            for (unsigned code = 0; code < OPCODES; code++) {
                opcode(v, how, m, pp, code);
            }
        }
    }
}

int main(void)
{
    if (!__builtin_cpu_supports("avx2")) {
        test_skip("this machine has not got AVX2");
        return test_end();
    }
    struct views v = map();
    if (v.run == NULL) {
        test_case(false, "memory", "none that can be executed");
        return test_end();
    }
    all(&v, (struct how){0});
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw")) {
        const unsigned before = operations;
        all(&v, (struct how){.evex = true});
        all(&v, (struct how){.evex = true, .w = true});
        test_case(operations > before + 50, "operations with EVEX that are folded", "%u",
                  operations - before);
    } else {
        test_skip("operations with EVEX: this machine has not got AVX-512 F, DQ and BW");
    }
    test_case(wrong == 0, "numbers folded as the processor computes them", "%u of %u operations",
              wrong, operations);
    test_case(parts > 200, "results that are one operand or nothing", "%u", parts);
    test_case(operations > 50, "operations that are folded", "%u", operations);
    return test_end();
}
