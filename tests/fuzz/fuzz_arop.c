// SPDX-License-Identifier: MIT
// What is behind the shaders of Adreno, by any registers: the 2D engine, BLIT events, tests and
// targets of a quad. Input: a byte that chooses, then records of 6 bytes: a register and its value.
#include <stdlib.h>

#include "../model/adreno/back_end.h"
#include "fuzz.h"
#include "model/adreno/draw/blit.h"

enum { RECORD = 6, TEXELS = 2000, KINDS = 3, TILE_BYTES = 1 << 16 };

static void blit(const struct lull_arop_source *s, bool event)
{
    struct lull_ablit b = {.under_way = false};
    struct lull_error *err = event ? lull_ablit_event(s, &b) : lull_ablit_start(s, &b);
    const bool ran = b.under_way;
    const uint64_t n = lull_ablit_run(&b, TEXELS);
    if (n > TEXELS || (n == 0) != !ran || (n < TEXELS && b.under_way) || (err != NULL && ran)) {
        abort();
    }
    lull_error_free(err);
}

static void quad(const struct lull_arop_source *s, const uint8_t *data, size_t size)
{
    struct lull_arop r = {.samples = 0};
    struct lull_arop_quad q = {.x = 2, .mask = UINT32_MAX, .front = true};
    struct lull_error *err = lull_arop_read(s, &r);
    if (err == NULL) {
        memcpy(q.out, data, size < sizeof q.out ? size : sizeof q.out);
        memcpy(q.z, data, size < sizeof q.z ? size : sizeof q.z);
        const uint32_t early = lull_arop_early(&r, &q);
        const uint32_t late = lull_arop_output(&r, &q);
        const uint32_t samples = r.sample_mask * 0x01010101u;
        if ((early & ~samples) != 0 || (late & ~samples) != 0) {
            abort();
        }
    }
    lull_error_free(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned chips[] = {630, 660, 740};
    struct back_end *b = calloc(1, sizeof *b);
    uint8_t *tile = calloc(1, TILE_BYTES);
    uint64_t passed = 0;
    const struct lull_agmem gmem = {tile, TILE_BYTES};
    for (size_t i = 1; b != NULL && i + RECORD <= size; i += RECORD) {
        uint32_t v = 0;
        memcpy(&v, data + i + 2, sizeof v);
        b->regs[data[i] | data[i + 1] << 8] = v;
    }
    if (b != NULL && tile != NULL && size > 0) {
        const struct lull_arop_source s = {.gpu_id = chips[data[0] / KINDS % 3],
                                           .ctx = b,
                                           .reg = back_end_reg,
                                           .memory = {.ctx = b, .at = back_end_at},
                                           .gmem = &gmem,
                                           .passed = &passed};
        if (data[0] % KINDS == 0) {
            quad(&s, data, size);
        } else {
            blit(&s, data[0] % KINDS == 2);
        }
    }
    free(tile);
    free(b);
    return 0;
}
