// SPDX-License-Identifier: MIT
#include "cli/run/report.h"

#include <stdlib.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "cli/opt/command.h"
#include "hw/gc11_regs.h"
#include "hw/hwreg_regs.h"
#include "target/amd/inspect.h"

enum { MAX_WAVES = 4096, SHOWN_WAVES = 64 };

/** What is known when the report is written. */
struct findings {
    struct lull_amdgpu_vm_fault fault;
    struct lull_amd_wave *waves;
    size_t nwaves, nbad; ///< nbad: waves with an exception.
    bool illegal;
    struct lull_error *blind; ///< Why no wave could be looked at.
};

/** Bits of TRAPSTS that end a wave without a trap handler. */
static bool has_exception(const struct lull_amd_wave *w)
{
    return (w->status.trapsts &
            (LULL_HWREG_TRAPSTS__EXCP_MASK | LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK)) != 0;
}

static void add_place(const struct lull_report *r, uint64_t pc, struct lull_str *s)
{
    const uint64_t offset = pc - r->code->va;
    const struct lull_symbol *sym =
        r->image != NULL ? lull_image_symbol_at(r->image, offset) : NULL;
    struct lull_line line = {0};
    if (sym != NULL) {
        lull_str_addf(s, "%s+0x%llx", sym->name, (unsigned long long)(offset - sym->offset));
    } else {
        lull_str_addf(s, "code+0x%llx", (unsigned long long)offset);
    }
    if (r->image != NULL && lull_image_line_at(r->image, offset, &line)) {
        lull_str_addf(s, " %s:%u", lull_path_from_here(line.file), line.line);
    }
}

/** Text of the instruction at @p pc, or of its bytes. */
static void add_instruction(const struct lull_report *r, uint64_t pc, struct lull_str *s)
{
    const uint64_t offset = pc - r->code->va;
    const struct lull_arch_mode lax = {.lax = true};
    const struct lull_insn_print how = {.pc = pc};
    if (offset >= r->code->size) {
        lull_str_addf(s, "?");
        return;
    }
    const uint8_t *bytes = (const uint8_t *)r->code->map + offset;
    if (lull_arch_show(&lull_arch_rdna3, &lax, &how, bytes, (size_t)(r->code->size - offset), s) >
        0) {
        return;
    }
    lull_str_addf(s, "no instruction: bytes");
    for (size_t i = 0; i < 8 && offset + i < r->code->size; i++) {
        lull_str_addf(s, " %02x", bytes[i]);
    }
}

/** The buffer that holds @p va, or those around it. */
static void add_buffer(const struct lull_report *r, uint64_t va, struct lull_str *s)
{
    const struct lull_amd_bo *below = NULL;
    const struct lull_amd_bo *above = NULL;
    for (size_t i = 0; i < lull_amd_nbos(r->device); i++) {
        const struct lull_amd_bo *bo = lull_amd_bo_at(r->device, i);
        if (bo->va <= va && (below == NULL || bo->va > below->va)) {
            below = bo;
        } else if (bo->va > va && (above == NULL || bo->va < above->va)) {
            above = bo;
        }
    }
    if (below != NULL && va < below->va + below->size) {
        lull_str_addf(s, "in buffer '%s' (%s%s), 0x%llx bytes from its start", below->name,
                      below->writable ? "writable" : "read-only",
                      below->executable ? ", executable" : "",
                      (unsigned long long)(va - below->va));
        return;
    }
    lull_str_addf(s, "in no buffer");
    if (below != NULL) {
        lull_str_addf(s, "; 0x%llx bytes past the end of '%s'",
                      (unsigned long long)(va - below->va - below->size), below->name);
    }
    if (above != NULL) {
        lull_str_addf(s, "; 0x%llx bytes before '%s'", (unsigned long long)(above->va - va),
                      above->name);
    }
}

static void add_status(uint32_t status, struct lull_str *s)
{
    const struct lull_reg_entry *e =
        lull_reg_at(&lull_regs_gc11, 0, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS);
    if (e != NULL) {
        lull_reg_show(lull_reg_of(&lull_regs_gc11, e), status, s);
    } else {
        lull_str_addf(s, "0x%08x", status);
    }
}

static void text_waves(const struct lull_report *r, const struct findings *f, struct lull_str *s)
{
    size_t shown = 0;
    if (f->blind != NULL) {
        lull_str_addf(s, "  waves cannot be seen: %s\n", lull_error_message(f->blind));
    }
    for (size_t i = 0; i < f->nwaves && shown < SHOWN_WAVES; i++) {
        const struct lull_amd_wave *w = &f->waves[i];
        if (f->nbad != 0 && !has_exception(w)) {
            continue;
        }
        shown++;
        lull_str_addf(s, "  wave se%u.sa%u.wgp%u.simd%u.%u  pc 0x%llx ", w->slot.se, w->slot.sa,
                      w->slot.wgp, w->slot.simd, w->slot.wave, (unsigned long long)w->status.pc);
        add_place(r, w->status.pc, s);
        lull_str_addf(s, "  ");
        add_instruction(r, w->status.pc, s);
        lull_str_addf(s, "\n");
    }
    const size_t all = f->nbad != 0 ? f->nbad : f->nwaves;
    if (shown < all) {
        lull_str_addf(s, "  and %zu more\n", all - shown);
    }
}

static void text_report(const struct lull_report *r, const struct findings *f, const char *kind)
{
    struct lull_str *s = r->out;
    if (f->fault.status != 0) {
        lull_str_addf(s, "page fault at 0x%llx: ", (unsigned long long)f->fault.va);
        add_buffer(r, f->fault.va, s);
        lull_str_addf(s, "\n  GCVM_L2_PROTECTION_FAULT_STATUS ");
        add_status(f->fault.status, s);
        lull_str_addf(s, "\n");
    } else if (f->nbad != 0) {
        lull_str_addf(s, "%s in %zu wave%s\n", kind, f->nbad, f->nbad == 1 ? "" : "s");
    } else if (r->lost) {
        lull_str_addf(s, "hang: the kernel killed the job\n");
    } else {
        lull_str_addf(s, "hang: no progress in %llu ms of GPU time; %zu wave%s\n",
                      (unsigned long long)r->timeout_ms, f->nwaves, f->nwaves == 1 ? "" : "s");
    }
    text_waves(r, f, s);
}

static void json_text(struct lull_json *j, const char *key, struct lull_str *s)
{
    lull_json_put_str(j, key, lull_str_text(s));
    lull_str_free(s);
    *s = (struct lull_str){0};
}

static void json_report(const struct lull_report *r, const struct findings *f, const char *kind)
{
    struct lull_json j = {.out = r->out};
    struct lull_str s = {0};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "result", kind);
    if (f->fault.status != 0) {
        lull_json_put_hex(&j, "address", f->fault.va);
        lull_json_put_hex(&j, "status", f->fault.status);
        add_status(f->fault.status, &s);
        json_text(&j, "status_text", &s);
        add_buffer(r, f->fault.va, &s);
        json_text(&j, "where", &s);
    }
    lull_json_key(&j, "waves");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < f->nwaves; i++) {
        const struct lull_amd_wave *w = &f->waves[i];
        lull_json_open(&j, '{');
        lull_json_put_u64(&j, "se", w->slot.se);
        lull_json_put_u64(&j, "sa", w->slot.sa);
        lull_json_put_u64(&j, "wgp", w->slot.wgp);
        lull_json_put_u64(&j, "simd", w->slot.simd);
        lull_json_put_u64(&j, "slot", w->slot.wave);
        lull_json_put_hex(&j, "pc", w->status.pc);
        lull_json_put_hex(&j, "trapsts", w->status.trapsts);
        lull_json_put_bool(&j, "exception", has_exception(w));
        add_place(r, w->status.pc, &s);
        json_text(&j, "place", &s);
        add_instruction(r, w->status.pc, &s);
        json_text(&j, "instruction", &s);
        lull_json_close(&j, '}');
    }
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
    lull_str_addf(r->out, "\n");
}

struct lull_error *lull_report_failure(const struct lull_report *r, int *ret_status)
{
    struct findings f = {0};
    lull_cleanup(lull_freep) struct lull_amd_wave *waves = calloc(MAX_WAVES, sizeof *waves);
    if (waves == NULL) {
        return &lull_enomem;
    }
    f.waves = waves;
    struct lull_error *err = lull_amd_last_fault(r->device, &f.fault);
    if (err != NULL) {
        return err;
    }
    if (!r->lost) {
        f.blind = lull_amd_scan(r->device, r->dri, r->code->va, r->code->va + r->code->size, waves,
                                MAX_WAVES, &f.nwaves);
    }
    for (size_t i = 0; i < f.nwaves; i++) {
        f.nbad += has_exception(&waves[i]);
        f.illegal |= (waves[i].status.trapsts & LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK) != 0;
    }
    const char *kind = f.fault.status != 0 ? "page fault"
                       : f.illegal         ? "illegal instruction"
                       : f.nbad != 0       ? "exception"
                                           : "hang";
    *ret_status = f.fault.status != 0 || f.nbad != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_TIMEOUT;
    if (r->json) {
        json_report(r, &f, kind);
    } else {
        text_report(r, &f, kind);
    }
    lull_error_free(f.blind);
    return NULL;
}
