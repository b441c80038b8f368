// SPDX-License-Identifier: MIT
/* Memory of the GPU, and LDS of the focused wave's workgroup. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"

/* The wave whose workgroup's LDS is meant. */
LULL_MUST_USE static struct lull_error *lds_of(struct lull_debug *d, uint64_t offset,
                                               lull_wave_key *ret)
{
    struct lull_debug_wave *wave = NULL;
    if (offset > UINT32_MAX) {
        return lull_error_new(LULL_ERR_INVALID, "lds:0x%" PRIx64 " is not an LDS offset", offset);
    }
    if (d->target->ops->read_lds == NULL || d->target->ops->write_lds == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target shows no LDS",
                              d->target->ops->kind);
    }
    struct lull_error *err = lull_debug_focused(d, &wave);
    *ret = err == NULL ? wave->info.key : 0;
    return err;
}

/* What the dump that goes on says of that address. */
LULL_MUST_USE static struct lull_error *explained(const struct lull_debug *d,
                                                  struct lull_error *err)
{
    lull_cleanup(lull_str_free) struct lull_str why = {0};
    if (err == NULL || lull_error_code(err) != LULL_ERR_FAULT || d->dumped.absent == NULL) {
        return err;
    }
    const uint64_t at = lull_error_address(err);
    d->dumped.absent(d->dumped.ctx, at, &why);
    if (why.size == 0) {
        return err;
    }
    lull_error_free(err);
    return lull_error_fault(at, "0x%" PRIx64 " is not mapped: %s", at, lull_str_text(&why));
}

struct lull_error *lull_debug_read_memory(void *ctx, bool lds, uint64_t address, void *buf,
                                          size_t size)
{
    struct lull_debug *d = ctx;
    const struct lull_target_ops *ops = d->target->ops;
    lull_wave_key wave = 0;
    struct lull_error *err = lds ? lds_of(d, address, &wave) : NULL;
    return err != NULL ? err
           : lds       ? ops->read_lds(d->target, wave, (uint32_t)address, buf, size)
                       : explained(d, ops->read(d->target, address, buf, size));
}

struct lull_error *lull_debug_write_memory(void *ctx, bool lds, uint64_t address, const void *buf,
                                           size_t size)
{
    struct lull_debug *d = ctx;
    const struct lull_target_ops *ops = d->target->ops;
    lull_wave_key wave = 0;
    struct lull_error *err = lds ? lds_of(d, address, &wave) : NULL;
    return err != NULL ? err
           : lds       ? ops->write_lds(d->target, wave, (uint32_t)address, buf, size)
                       : ops->write(d->target, address, buf, size);
}
