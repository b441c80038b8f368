// SPDX-License-Identifier: MIT
/** @file
 * Random programs for the compiler of waves: each instruction that lull_rdna_encode() makes in the
 * form of VOP3, and those of forms.h, with random operands and modifiers; scalar instructions,
 * jumps and loads from LDS between them.
 */
#ifndef LULL_TESTS_JIT_PROGRAMS_H
#define LULL_TESTS_JIT_PROGRAMS_H

#include "isa/rdna/ops.h"
#include "jit/template.h"

enum {
    WORDS = 512, // Of a program, at most.
    INSTRUCTIONS = 24,
    SAVED_EXEC = 96, // s[96:97] hold EXEC.
    ROUND = 98,      // s98 counts rounds of the program.
    COPIES = 12,     // Of a row that can be compiled for one that cannot.
    MAX_ROWS = COPIES * LULL_RDNA_NOPS,
};

struct program {
    uint32_t words[WORDS];
    unsigned n;
    uint32_t page; // Of the code, where it stands.
};

/** Random numbers start from @p seed. @return what takes them up where they were. */
uint64_t random_start(uint64_t seed);

uint32_t random32(void);

/** Mostly numbers that stay numbers; the corners of the formats; NaNs if @p wild. */
uint32_t number(bool wild);

/** Vector instructions that have a row, by number; those that @p target has several times. */
unsigned find_rows(const struct lull_jit_target *target, uint16_t rows[MAX_ROWS]);

/** Instructions from the row at @p *next on, some jumped over, as often as s[ROUND] says. */
void make_program(struct program *p, unsigned lanes, const uint16_t *rows, unsigned nrows,
                  unsigned *next);

#endif
