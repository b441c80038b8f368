// SPDX-License-Identifier: MIT
/* A held dispatch that starts other code than its own. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "target/amd/program_priv.h"

enum { LDS_GRANULE = 512 /* bytes */, CODE_ALIGN = 256 };

/** Registers for @p code, whose scratch memory is @p device's. */
LULL_MUST_USE static struct lull_error *registers(struct lull_amd_device *device, unsigned lanes,
                                                  const struct lull_other_code *code,
                                                  struct lull_control_launch *ret)
{
    const uint64_t wave_bytes =
        ((uint64_t)code->scratch_bytes * lanes + LULL_AMD_SCRATCH_GRANULE - 1) /
        LULL_AMD_SCRATCH_GRANULE * LULL_AMD_SCRATCH_GRANULE;
    struct lull_error *err = lull_amd_need_scratch(device, wave_bytes);
    if (err != NULL) {
        return err;
    }
    ret->control.match |= LULL_LAUNCH_OTHER;
    ret->code = code->code_va;
    ret->rsrc[0] = code->rsrc1;
    ret->rsrc[1] = lull_set(code->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__LDS_SIZE_MASK,
                            (code->lds_bytes + LDS_GRANULE - 1) / LDS_GRANULE);
    ret->rsrc[1] =
        lull_set(ret->rsrc[1], LULL_GC11_COMPUTE_PGM_RSRC2__SCRATCH_EN_MASK, wave_bytes != 0);
    ret->rsrc[2] = code->rsrc3;
    if (wave_bytes != 0) {
        ret->scratch = device->scratch->va;
        ret->tmpring =
            lull_set(0, LULL_GC11_COMPUTE_TMPRING_SIZE__WAVES_MASK, LULL_AMD_SCRATCH_WAVES);
        ret->tmpring = lull_set(ret->tmpring, LULL_GC11_COMPUTE_TMPRING_SIZE__WAVESIZE_MASK,
                                (uint32_t)(wave_bytes / LULL_AMD_SCRATCH_GRANULE));
    }
    memcpy(ret->user_data, code->user_data, sizeof ret->user_data);
    return NULL;
}

struct lull_error *lull_program_redirect(struct lull_target *base,
                                         const struct lull_other_code *code, bool stay)
{
    struct program *p = lull_program(base);
    if (!p->held || p->held_draw || p->holder == NULL || !p->holder->used) {
        return lull_error_new(LULL_ERR_INVALID, "no dispatch is held");
    }
    struct lull_control_launch l = {
        .control = {.op = LULL_CONTROL_LAUNCH, .number = p->held_number}};
    struct lull_error *err = NULL;
    if (code != NULL && code->code_va % CODE_ALIGN != 0) {
        return lull_error_new(LULL_ERR_INVALID, "code at 0x%" PRIx64 " is not aligned to %d",
                              code->code_va, CODE_ALIGN);
    }
    if (code != NULL) {
        struct lull_dispatch_record r = {0};
        size_t n = 0;
        err = lull_debugfs_dispatches(&p->debugfs, p->held_number, &r, 1, &n);
        const bool wave32 =
            lull_get(r.initiator, LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK);
        err = err != NULL ? err : registers(p->holder->device, wave32 ? 32 : 64, code, &l);
    }
    l.control.match |= stay ? LULL_LAUNCH_STAY : 0;
    if (err == NULL) {
        p->launch = l.control.match != 0 ? l : (struct lull_control_launch){0};
    }
    return err;
}
