// SPDX-License-Identifier: MIT
// Speed of the interpreter, or of an engine: code CODE.bin LANES ROUNDS [interp|jit] runs raw code
// on one wave without a GPU, with ROUNDS in s0 and addresses in v0 (lane * 4) and v1 (gathered),
// lanes in v2, f32 in v3 to
// v15 and f16 in v16 to v23, until s_endpgm. Prints instructions and seconds; exit 1 if the wave
// stops earlier. LULL_JIT in the environment: the kind of host to compile for.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "hw/desc11_regs.h"
#include "hw/field.h"
#include "jit/jit.h"
#include "model/bare.h"

enum { LDS_BYTES = 4096 };

static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fill(struct bare *b, uint32_t rounds, uint8_t *lds)
{
    for (unsigned lane = 0; lane < b->w.lanes; lane++) {
        *bare_vgpr(b, 0, lane) = lane * 4;
        *bare_vgpr(b, 1, lane) = lane * 2654435761u % 1024 * 4;
        *bare_vgpr(b, 2, lane) = lane;
        for (unsigned r = 3; r < 16; r++) {
            const float x = 1.0f + (float)(lane + r) * 0.001f;
            memcpy(bare_vgpr(b, r, lane), &x, sizeof x);
        }
        for (unsigned r = 16; r < 24; r++) { // Two f16 each, near to 1.
            *bare_vgpr(b, r, lane) = 0x3c003b00 + lane * 0x10001 + r;
        }
    }
    b->w.sgpr[0] = rounds;
    b->w.sgpr[2] = BARE_DATA;
    b->w.sgpr[3] = 0;
    // Buffers: s[4:7] of bytes, s[8:11] of records of a dword.
    for (unsigned i = 0; i < 8; i += 4) {
        b->w.sgpr[4 + i] = BARE_DATA;
        b->w.sgpr[6 + i] = UINT16_MAX;
    }
    b->w.sgpr[7] =
        lull_set(0, LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK, LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW);
    b->w.sgpr[9] = lull_set(0, LULL_DESC11_BUF_WORD1__STRIDE_MASK, 4);
    b->w.sgpr[11] = lull_set(0, LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK,
                             LULL_DESC11_BUF_WORD3__OOB_SELECT__STRUCTURED);
    b->wg.lds = lds;
    b->wg.lds_size = LDS_BYTES;
    b->w.pc = BARE_CODE;
    b->w.state = LULL_WAVE_RUNNING;
}

static bool load(struct bare *b, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return false;
    }
    const size_t n = fread(b->code, 1, sizeof b->code, f);
    fclose(f);
    lull_code_cache_epoch(b->w.code);
    return n >= 4 && n < sizeof b->code;
}

/** Let the wave be compiled. False: not on this machine. */
static bool compiles(struct bare *b)
{
    const struct lull_engine *engine = NULL;
    struct lull_error *err = lull_jit_engine(getenv("LULL_JIT"), &engine);
    const bool ok = err == NULL && lull_code_cache_compile(b->w.code, engine);
    if (!ok) {
        fprintf(stderr, "%s\n", err != NULL ? lull_error_message(err) : "no memory");
    }
    lull_error_free(err);
    return ok;
}

int main(int argc, char **argv)
{
    static uint8_t lds[LDS_BYTES];
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: code CODE.bin LANES ROUNDS [interp|jit]\n");
        return 2;
    }
    struct bare *b = bare_new((uint32_t)strtoul(argv[2], NULL, 10) == 64 ? 64 : 32);
    if (!load(b, argv[1])) {
        bare_free(b);
        return 2;
    }
    if (argc == 5 && strcmp(argv[4], "jit") == 0 && !compiles(b)) {
        bare_free(b);
        return 2;
    }
    fill(b, (uint32_t)strtoul(argv[3], NULL, 10), lds);
    const double start = now();
    while (b->w.state == LULL_WAVE_RUNNING && lull_wave_run(&b->w, 1000) != 0) {
    }
    const double took = now() - start;
    const bool ended = b->w.state == LULL_WAVE_ENDED;
    printf("%" PRIu64 " %.9f\n", b->w.ninsns, took);
    if (!ended) {
        fprintf(stderr, "stopped at 0x%" PRIx64 ", not at s_endpgm\n", b->w.pc - BARE_CODE);
    }
    bare_free(b);
    return ended ? 0 : 1;
}
