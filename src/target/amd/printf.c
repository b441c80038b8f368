// SPDX-License-Identifier: MIT
#include "target/amd/printf.h"

#include <string.h>

#include "hw/desc11_regs.h"
#include "hw/field.h"

enum { DISPATCH_DWORD = 3 };

struct lull_error *lull_amd_printf_new(struct lull_amd_device *d, uint64_t bytes, uint32_t dispatch,
                                       struct lull_amd_printf *ret)
{
    struct lull_error *err = lull_amd_bo_new(d, "printf", bytes, LULL_AMD_BO_GTT, &ret->buffer);
    if (err == NULL) {
        err = lull_amd_bo_new(d, "printf descriptor", 16, LULL_AMD_BO_GTT | LULL_AMD_BO_READONLY,
                              &ret->descriptor);
    }
    if (err != NULL) {
        return err;
    }
    const uint64_t va = ret->buffer->va;
    uint32_t word[4] = {0};
    word[0] = (uint32_t)va;
    word[1] = lull_set(0, LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK, (uint32_t)(va >> 32));
    word[2] = (uint32_t)bytes;
    word[3] =
        lull_set(0, LULL_DESC11_BUF_WORD3__DST_SEL_X_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_X__X);
    word[3] = lull_set(word[3], LULL_DESC11_BUF_WORD3__DST_SEL_Y_MASK,
                       LULL_DESC11_BUF_WORD3__DST_SEL_Y__Y);
    word[3] = lull_set(word[3], LULL_DESC11_BUF_WORD3__DST_SEL_Z_MASK,
                       LULL_DESC11_BUF_WORD3__DST_SEL_Z__Z);
    word[3] = lull_set(word[3], LULL_DESC11_BUF_WORD3__DST_SEL_W_MASK,
                       LULL_DESC11_BUF_WORD3__DST_SEL_W__W);
    word[3] = lull_set(word[3], LULL_DESC11_BUF_WORD3__FORMAT_MASK, // 0 would be no buffer
                       LULL_DESC11_BUF_WORD3__FORMAT__32_UINT);
    word[3] = lull_set(word[3], LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK,
                       LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW);
    memcpy(ret->descriptor->map, word, sizeof word);
    memset(ret->buffer->map, 0, bytes);
    memcpy((uint32_t *)ret->buffer->map + DISPATCH_DWORD, &dispatch, sizeof dispatch);
    return NULL;
}
