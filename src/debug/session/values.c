// SPDX-License-Identifier: MIT
/* What a session shows of a wave that stands: registers, memory, code. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/pipeline.h"

struct lull_error *lull_debug_read_register(struct lull_debug *d, const char *name,
                                            struct lull_typed_value *ret)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_typed_value v = {0};
    lull_str_addf(&text, "$%s", name);
    struct lull_error *err = lull_debug_evaluate(d, lull_str_text(&text), &v);
    if (err == NULL && v.place.kind != LULL_PLACE_REGISTER) {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is not a register", name);
    }
    if (err == NULL) {
        *ret = v;
    }
    return err;
}

struct lull_error *lull_debug_read(struct lull_debug *d, uint64_t va, void *buf, size_t size)
{
    return lull_debug_read_memory(d, false, va, buf, size);
}

struct lull_error *lull_debug_write(struct lull_debug *d, uint64_t va, const void *buf, size_t size)
{
    return lull_debug_write_memory(d, false, va, buf, size);
}

struct lull_error *lull_debug_read_lds(struct lull_debug *d, uint32_t offset, void *buf,
                                       size_t size)
{
    return lull_debug_read_memory(d, true, offset, buf, size);
}

struct lull_error *lull_debug_write_lds(struct lull_debug *d, uint32_t offset, const void *buf,
                                        size_t size)
{
    return lull_debug_write_memory(d, true, offset, buf, size);
}

void lull_debug_waves(struct lull_debug *d, struct lull_debug_wave_state *states, size_t room,
                      size_t *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < d->nwaves; i++) {
        const struct lull_debug_wave *w = &d->waves[i];
        if (!w->stopped) {
            continue;
        }
        if (n < room) {
            states[n] = (struct lull_debug_wave_state){
                .number = w->number,
                .in_focus = d->has_focus && d->focus == w->number,
                .stop = w->info.stop,
                .workgroup = {w->info.workgroup[0], w->info.workgroup[1], w->info.workgroup[2]},
                .wave_in_group = w->info.wave_in_group,
                .lanes = w->info.lanes,
                .exec = w->info.exec,
                .pc = w->info.pc,
            };
        }
        n++;
    }
    *ret = n;
}

struct lull_error *lull_debug_disassemble(struct lull_debug *d, uint64_t va,
                                          struct lull_debug_insn *ret)
{
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_debug_insn insn = {.va = va};
    uint64_t start = 0;
    const char *name = NULL;
    struct lull_error *err =
        lull_debug_insn_text(d, va, w != NULL ? w->info.lanes : 0, &text, &insn.size);
    if (err != NULL) {
        return err;
    }
    snprintf(insn.text, sizeof insn.text, "%s", lull_str_text(&text));
    if (lull_debug_code(d, va, &start, &name)) {
        snprintf(insn.symbol, sizeof insn.symbol, "%s", name);
        insn.offset = va - start;
    }
    *ret = insn;
    return NULL;
}

struct lull_error *lull_debug_source(struct lull_debug *d, uint64_t va,
                                     struct lull_debug_source *ret)
{
    struct lull_line line = {0};
    if (!lull_debug_line_at(d, va, &line)) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no source line for 0x%" PRIx64 " (was it compiled with -g?)", va);
    }
    *ret = (struct lull_debug_source){.file = line.file,
                                      .line = line.line,
                                      .column = line.column,
                                      .va = d->image_va + line.offset};
    return NULL;
}
