// SPDX-License-Identifier: MIT
#include "isa/ir3/extent.h"

#include "isa/ir3/decode.h"
#include "isa/ir3_spec.h"
#include "isa/spec/spec.h"

enum { MOST = 1 << 18, ZEROS = 64 };

uint32_t lull_ir3_extent(unsigned gen, const uint32_t *words, uint32_t n)
{
    uint32_t zeros = 0;
    int64_t reached = 0; // The farthest that something jumps to.
    n = n / 2 < MOST ? n / 2 : MOST;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t word = words[i * 2] | (uint64_t)words[i * 2 + 1] << 32;
        struct lull_ir3_insn in;
        zeros = word == 0 ? zeros + 1 : 0;
        if (zeros == ZEROS) {
            return i + 1 - ZEROS;
        }
        if (word >> 61 != 0) {
            continue; // Not of the category that flow has.
        }
        if (lull_spec_find(&lull_spec_ir3, 0, gen, word) == NULL) {
            return i;
        }
        if (!lull_ir3_decode(word, gen, &in)) {
            continue;
        }
        if (in.branches && (int64_t)i + in.target > reached && in.target < MOST) {
            reached = (int64_t)i + in.target;
        }
        if ((in.op == LULL_IR3_OP_END || in.op == LULL_IR3_OP_CHSH) && reached <= (int64_t)i) {
            return i + 1;
        }
    }
    return n;
}

uint64_t lull_ir3_hash(const uint32_t *words, uint32_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); // FNV-1a, by dword
    for (uint32_t i = 0; i < n; i++) {
        h = (h ^ words[i]) * UINT64_C(0x100000001b3);
    }
    h ^= h >> 32;
    return h != 0 ? h : 1;
}
