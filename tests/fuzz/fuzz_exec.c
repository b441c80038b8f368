// SPDX-License-Identifier: MIT
// Any bytes as the code of a wave, with registers filled from them: no crash, no access outside the
// wave's memory, and the loop keeps to its budget. Seeds: tests/fuzz/corpus/exec/.
#include "fuzz.h"

#include "model/bare.h"

enum { BUDGET = 200, STOPS = 500, LDS_BYTES = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t interesting[] = {BARE_DATA, 0,          0x3f800000, 0xffffffff,
                                           7,         0x7fc00000, 64,         0x80000000};
    if (size < 1) {
        return 0;
    }
    struct bare *b = bare_new((data[0] & 1) != 0 ? 64 : 32);
    uint8_t *lds = calloc(1, LDS_BYTES);
    if (lds == NULL) {
        abort();
    }
    b->wg = (struct lull_workgroup){.lds = lds, .lds_size = LDS_BYTES, .nwaves = 1};
    b->w.nvgprs = (data[0] & 2) != 0 ? BARE_VGPRS : 24;
    b->w.status |= (data[0] & 4) != 0 ? 1u << 5 : 0; // PRIV
    b->w.trap_en = (data[0] & 8) != 0;
    b->w.tba = BARE_CODE + 64;
    for (unsigned i = 0; i < 24 * b->w.lanes; i++) {
        b->vgpr[i] = interesting[(i + data[0]) % 8] + i % 5;
    }
    for (unsigned i = 0; i < LULL_RDNA_NULL; i++) {
        b->w.sgpr[i] = (i & 1) != 0 ? 0 : interesting[(i / 2 + data[0]) % 8];
    }
    const size_t n = size - 1 < sizeof b->code ? size - 1 : sizeof b->code;
    memcpy(b->code, data + 1, n);
    b->w.pc = BARE_CODE;
    b->w.state = LULL_WAVE_RUNNING;
    // Where the wave stops, it goes on one dword further, so that one bad word does not hide the
    // rest.
    for (unsigned i = 0; i < STOPS && b->w.pc < BARE_CODE + n; i++) {
        b->w.state = LULL_WAVE_RUNNING;
        b->w.status = (data[0] & 4) != 0 ? 1u << 5 : 0;
        if (lull_wave_run(&b->w, BUDGET) > BUDGET || b->w.sgpr[LULL_RDNA_NULL] != 0 ||
            b->w.scc > 1) {
            abort();
        }
        b->w.pc = (b->w.pc - BARE_CODE < n ? b->w.pc : BARE_CODE + 4 * i) + 4;
    }
    free(lds);
    bare_free(b);
    return 0;
}
