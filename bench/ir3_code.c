// SPDX-License-Identifier: MIT
// Speed of the model of ir3: ir3_code TEXT ROUNDS executes the instructions of TEXT, which end
// nothing, on one wave of 128 fibers. r0.x is the fiber's number, r0.y four times that, r2.x and
// r2.y (64 bits) the address of a dword of its own; r1.x to r1.w are floats. Prints fiber
// instructions and seconds of CPU time; exit 1 if the wave stops.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa/ir3/ir3.h"
#include "model/adreno/exec/wave.h"

enum { FIBERS = 128, GEN = 660, DATA = 1 << 16, LOCAL = 4096 };

static struct lull_ir3_wave wave;
static uint8_t data[4096];

static uint8_t *place(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    (void)ctx, (void)write;
    return address >= DATA && address - DATA + bytes <= sizeof data ? &data[address - DATA] : NULL;
}

static void fill(void)
{
    const struct lull_ir3_mask all = {{UINT64_MAX, UINT64_MAX}};
    lull_ir3_wave_start(&wave, FIBERS, &all);
    for (unsigned i = 0; i < FIBERS; i++) {
        wave.r[0][i] = i;
        wave.r[1][i] = 4 * i;
        for (unsigned k = 0; k < 4; k++) {
            const float x = 1.0f + (float)(i + k) * 0.001f;
            memcpy(&wave.r[4 + k][i], &x, sizeof x);
        }
        wave.r[8][i] = DATA + 4 * i;
        wave.r[9][i] = 0;
    }
}

static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int refuse(struct lull_error *err)
{
    fprintf(stderr, "%s\n", lull_error_message(err));
    lull_error_free(err);
    return 1;
}

int main(int argc, char **argv)
{
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_ir3_program program = {.steps = NULL};
    static uint32_t consts[LULL_IR3_CONSTS];
    static uint8_t local[LOCAL];
    bool done = true;
    struct lull_error *err = argc == 3
                                 ? lull_ir3_assemble(argv[1], GEN, &s)
                                 : lull_error_new(LULL_ERR_INVALID, "usage: ir3_code TEXT ROUNDS");
    if (err == NULL) {
        err = lull_ir3_program_new(s.all[0].words, (uint32_t)s.all[0].n, GEN, &program);
    }
    if (err != NULL) {
        return refuse(err);
    }
    struct lull_ir3_env env = {.program = &program,
                               .memory.at = place,
                               .consts = consts,
                               .nconsts = LULL_IR3_CONSTS,
                               .local = local,
                               .local_bytes = LOCAL,
                               .preamble_done = &done};
    fill();
    const double start = now();
    for (unsigned long n = strtoul(argv[2], NULL, 0); n != 0; n--) {
        for (wave.pc = 0; wave.pc < program.n && wave.status == LULL_IR3_RUNS;) {
            lull_ir3_wave_step(&wave, &env);
        }
    }
    printf("%" PRIu64 " %.6f\n", wave.ninsns * FIBERS, now() - start);
    const bool good = wave.status == LULL_IR3_RUNS && env.nfaults == 0;
    if (!good) {
        fprintf(stderr, "%s\n", wave.wrong[0] != '\0' ? wave.wrong : "memory refused an access");
    }
    lull_ir3_program_done(&program);
    lull_ir3_shaders_done(&s);
    return good ? 0 : 1;
}
