// SPDX-License-Identifier: MIT
#include "arch/arch.h"
#include "target/adreno/program_priv.h"

/* Banks of the arch, and the same in the kernel's words. */
static const struct {
    const char *first; // The name of its first register.
    enum lull_msm_bank bank;
    unsigned count;
} banks[] = {
    {"r0.x", LULL_MSM_FULL, 61 * 4},   {"hr0.x", LULL_MSM_HALF, 61 * 4},
    {"c0.x", LULL_MSM_CONST, 512 * 4}, {"a0.x", LULL_MSM_ADDRESS, 2},
    {"p0.x", LULL_MSM_PREDICATE, 4},
};

bool lull_adreno_bank(unsigned reg, enum lull_msm_bank *ret_bank, unsigned *ret_number)
{
    for (size_t i = 0; i < sizeof banks / sizeof banks[0]; i++) {
        struct lull_arch_reg r = {.number = 0};
        if (lull_arch_find_reg(&lull_arch_ir3, banks[i].first, &r) && reg >= r.number &&
            reg - r.number < banks[i].count) {
            *ret_bank = banks[i].bank;
            *ret_number = reg - r.number;
            return true;
        }
    }
    return false;
}
