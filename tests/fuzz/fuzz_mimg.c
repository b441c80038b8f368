// SPDX-License-Identifier: MIT
/** @file
 * Any image instruction with any descriptors and addresses: it ends, and touches no more than its
 * registers and the memory that page tables give (the sanitizer sees).
 *
 * Input: 3 dwords of the instruction, 12 of image and sampler, a byte of choices, then registers.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static const struct {
    const char *text;
    unsigned ndwords;
    uint32_t dwords[5];
} asm_rows[] = {{"", 0, {0}}};

#include "model/wave_fixture.h"

enum { INSN = 3, SCALARS = 12, HEAD = 4 * (INSN + SCALARS) + 1, MIMG = 0x3c };

/** Registers of their own, so that the one behind the last is seen. */
static void fill_registers(struct fixture *f, const uint8_t *data, size_t size)
{
    const size_t bytes = sizeof f->vgpr / (64 / f->w.lanes);
    f->w.vgpr = malloc(bytes);
    if (f->w.vgpr == NULL) {
        abort();
    }
    memset(f->w.vgpr, 0, bytes);
    for (size_t i = 0; size > 0 && i < bytes; i++) {
        ((uint8_t *)f->w.vgpr)[i] = data[i % size];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t code[INSN] = {0};
    struct lull_rdna_insn in = {0};
    if (size < HEAD) {
        return 0;
    }
    memcpy(code, data, sizeof code);
    code[0] = (code[0] & 0x03ffffff) | (uint32_t)MIMG << 26;
    if (lull_rdna_decode(code, sizeof code, &in) <= 0) {
        return 0;
    }
    const uint8_t choices = data[HEAD - 1];
    struct fixture *f = fix_new(choices & 1 ? 64 : 32, 1);
    memcpy(f->w.sgpr, data + sizeof code, 4 * SCALARS);
    if ((choices & 2) != 0) { // Where there is memory.
        f->w.sgpr[0] = (uint32_t)(FIX_VA >> 8);
        f->w.sgpr[1] = (f->w.sgpr[1] & ~0xffu) | (uint32_t)(FIX_VA >> 40 & 0xff);
    }
    if ((choices & 4) != 0) { // Descriptors that the instruction finds.
        in.sbase = 0;
        in.ssamp = in.ssamp == LULL_RDNA_NONE ? in.ssamp : 8;
    }
    fill_registers(f, data + HEAD, size - HEAD);
    lull_exec_fn *fn = lull_mem_handler(&in, LULL_TABLE_PLAIN);
    if (fn == NULL) {
        abort(); // Every MIMG instruction has one.
    }
    const enum lull_exec_result r = fn(&f->w, &in);
    if (r != LULL_EXEC_NEXT && r != LULL_EXEC_MEMORY && r != LULL_EXEC_ILLEGAL) {
        abort();
    }
    free(f->w.vgpr);
    fix_free(f);
    return 0;
}
