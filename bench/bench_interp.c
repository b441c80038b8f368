// SPDX-License-Identifier: MIT
// Speed of the interpreter on a wave that does nothing but arithmetic: lane-instructions per
// second.
#include <time.h>

#include "model/bare.h"

// Made by llvm-mc-19 -triple=amdgcn -mcpu=gfx1100 -show-encoding.
static const struct {
    const char *name;
    uint32_t lanes;
    uint32_t words[16];
    unsigned n, ninsns;
} rows[] = {
    // v_add_f32 v2, v0, v1
    {"v_add_f32 wave32", 32, {0x06040300}, 1, 1},
    {"v_add_f32 wave64", 64, {0x06040300}, 1, 1},
    // v_fma_f32 v3, v0, v1, v2
    {"v_fma_f32 wave32", 32, {0xd6130003, 0x040a0300}, 2, 1},
    // v_fmac_f32 v3, v0, v1
    {"v_fmac_f32 wave32", 32, {0x56060300}, 1, 1},
    // v_add_nc_u32 v2, v0, v1
    {"v_add_nc_u32 wave32", 32, {0x4a040300}, 1, 1},
    // v_add_f32 v2, s0, v1
    {"v_add_f32 with SGPR", 32, {0x06040200}, 1, 1},
    // s_add_u32 s0, s1, s2
    {"s_add_u32", 32, {0x80000201}, 1, 1},
    // v_fmac_f32 v3, v0, v1; v_mul_f32 v4, v3, v0; s_add_u32 s0, s1, s2; v_lshlrev_b32 v5, 2, v4;
    // v_cmp_lt_f32 vcc_lo, v0, v1; v_cndmask_b32 v6, v0, v1, vcc_lo
    {"mixed", 32, {0x56060300, 0x10080103, 0x80000201, 0x300a0882, 0x7c220300, 0x020c0300}, 6, 6},
};

static double seconds(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bare *b = bare_new(rows[i].lanes);
        // 1,000 instructions or so, then a branch back to the start.
        unsigned at = 0;
        while (at + rows[i].n < 1000) {
            memcpy(b->code + 4 * at, rows[i].words, 4 * rows[i].n);
            at += rows[i].n;
        }
        const uint32_t branch = 0xbfa00000 | ((0u - (at + 1)) & 0xffff); // s_branch to the first.
        memcpy(b->code + 4 * at, &branch, 4);
        for (unsigned r = 0; r < 8; r++) {
            for (unsigned l = 0; l < rows[i].lanes; l++) {
                *bare_vgpr(b, r, l) = 0x3f800000 + r * 0x10000 + l;
            }
        }
        b->w.pc = BARE_CODE;
        uint64_t done = 0;
        const double start = seconds();
        double end = start;
        while (end - start < 0.3) {
            done += lull_wave_run(&b->w, 1000000);
            end = seconds();
        }
        printf("%-20s %7.1f M instructions/s %6.2f G lane-instructions/s\n", rows[i].name,
               1e-6 * (double)done / (end - start),
               1e-9 * (double)done * rows[i].lanes / (end - start));
        bare_free(b);
    }
    return 0;
}
