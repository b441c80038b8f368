// SPDX-License-Identifier: MIT
// Where texels of images in TILE6_3 are: what Mesa's fdl6_memcpy_linear_to_tiled() writes, for
// HIGHEST_BANK_BIT 15 and four channels (a630), 16 and eight (a660, a740).
#include <string.h>

#include "model/adreno/exec/texel.h"
#include "test.h"

static const struct {
    unsigned gen, pitch;
    uint32_t x, y;
    uint64_t want;
} rows[] = {
    {630, 256, 1, 0, 4},
    {630, 256, 0, 1, 8},
    {630, 256, 5, 3, 108},
    {630, 256, 16, 0, 1792},
    {630, 256, 0, 4, 1536},
    {630, 256, 33, 17, 6668},
    {630, 256, 63, 63, 14588},
    {660, 256, 1, 0, 4},
    {660, 256, 0, 4, 1536},
    {660, 256, 33, 17, 7692},
    {660, 256, 63, 63, 15612},
    {740, 256, 33, 17, 7692},
    {740, 256, 63, 63, 15612},
    {630, 16384, 100, 37, 564296},
    {630, 16384, 4000, 63, 995112},
    {660, 16384, 100, 37, 596040},
    {740, 16384, 4000, 63, 944936},
};

/** Each byte of 64 by 64 texels is one's, and no other's. */
static void once(unsigned bytes)
{
    enum { SIDE = 64 };
    static uint8_t seen[SIDE * SIDE * 16];
    const uint32_t total = SIDE * SIDE * bytes;
    uint32_t bad = 0;
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint64_t at =
            lull_tile6_3(lull_ir3_chip(660), bytes, SIDE * bytes, i % SIDE, i / SIDE);
        for (unsigned k = 0; k < bytes; k++) {
            bad += at + k >= total || seen[at + k]++ != 0;
        }
    }
    char name[64];
    snprintf(name, sizeof name, "texels of %u bytes are apart", bytes);
    test_case(bad == 0, name, "%u bytes are not", bad);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const uint64_t got =
            lull_tile6_3(lull_ir3_chip(rows[i].gen), 4, rows[i].pitch, rows[i].x, rows[i].y);
        char name[64];
        snprintf(name, sizeof name, "a%u, pitch %u: texel %u,%u", rows[i].gen, rows[i].pitch,
                 rows[i].x, rows[i].y);
        test_case(got == rows[i].want, name, "got %llu, want %llu", (unsigned long long)got,
                  (unsigned long long)rows[i].want);
    }
    for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
        once(bytes);
    }
    return test_end();
}
