// SPDX-License-Identifier: MIT
// Executes single instructions of ir3 for ir3_alu.py. A line: the text of the instruction, a tab,
// F (full) or H (half), and for each of 64 fibers three values in hex: r0.x r0.y r0.z, or hr0.x
// hr0.y hr0.z. The answer: r4.x of each fiber in hex, which is 0 before. Arguments: assumptions.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ir3/ir3.h"
#include "model/adreno/exec/wave.h"

enum { FIBERS = 64, LINE = 8192, OUT = 16, GEN = 660 };

static struct lull_ir3_wave wave;

static void no_room(void)
{
    fprintf(stderr, "no memory\n");
    exit(1);
}

static void run(const char *text, bool half, const uint32_t *values,
                const struct lull_ir3_assumptions *assume)
{
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_error *err = lull_ir3_assemble(text, GEN, &s);
    if (err != NULL) {
        printf("! %s\n", lull_error_message(err));
        lull_error_free(err);
        return;
    }
    struct lull_ir3_program program = {.steps = NULL};
    err = lull_ir3_program_new(s.all[0].words, 1, GEN, &program);
    if (err != NULL) {
        no_room();
    }
    const struct lull_ir3_mask all = {{UINT64_MAX, 0}};
    lull_ir3_wave_start(&wave, FIBERS, &all);
    for (unsigned i = 0; i < FIBERS; i++) {
        for (unsigned k = 0; k < 3; k++) {
            lull_ir3_set(&wave, k, half, i, values[3 * i + k]);
        }
        wave.r[OUT][i] = 0;
    }
    uint32_t consts[LULL_IR3_CONSTS] = {[8] = 9}; // c2.x, which is behind the end.
    bool done = true;
    struct lull_ir3_env env = {
        .program = &program, .consts = consts, .preamble_done = &done, .assume = *assume};
    lull_ir3_wave_step(&wave, &env);
    if (wave.status == LULL_IR3_FAULT) {
        printf("! %s", wave.wrong);
    }
    for (unsigned i = 0; wave.status != LULL_IR3_FAULT && i < FIBERS; i++) {
        printf("%" PRIx32 " ", wave.r[OUT][i]);
    }
    printf("\n");
    lull_ir3_program_done(&program);
    lull_ir3_shaders_done(&s);
}

int main(int argc, char **argv)
{
    static char line[LINE];
    struct lull_ir3_assumptions assume = {{0}};
    for (int i = 1; i < argc; i++) {
        struct lull_error *err = lull_ir3_assume_set(&assume, argv[i]);
        if (err != NULL) {
            printf("! %s\n", lull_error_message(err));
            lull_error_free(err);
            return 1;
        }
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *tab = strchr(line, '\t');
        if (tab == NULL) {
            return 2;
        }
        *tab = '\0';
        uint32_t values[3 * FIBERS] = {0};
        char *at = tab + 2;
        for (unsigned i = 0; i < 3 * FIBERS; i++) {
            values[i] = (uint32_t)strtoul(at, &at, 16);
        }
        run(line, tab[1] == 'H', values, &assume);
        fflush(stdout);
    }
    return 0;
}
