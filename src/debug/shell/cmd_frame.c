// SPDX-License-Identifier: MIT
/* Where a wave is and where it goes: finish, backtrace, info source, info access. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/access.h"
#include "debug/session/engine.h"
#include "debug/session/pipeline.h"
#include "isa/rdna/ops.h"

enum {
    RETURN_SGPR = 30, ///< s[30:31] at a call. Source: LLVM AMDGPUUsage, "Call Convention".
    MAX_ENDS = 16,
    MAX_CODE = 1 << 16, ///< Instructions looked at for s_endpgm.
};

static bool is_call(const struct lull_rdna_insn *in)
{
    return in->op == LULL_RDNA_OP_S_SWAPPC_B64 || in->op == LULL_RDNA_OP_S_CALL_B64;
}

/* The kernel whose code holds @p va, if it is one that the GPU starts. */
static bool in_kernel(const struct lull_debug *d, uint64_t va)
{
    const struct lull_symbol *symbol = NULL;
    if (lull_pipeline_of(d, va) == NULL && d->image != NULL && va >= d->image_va &&
        va - d->image_va < lull_image_size(d->image)) {
        symbol = lull_image_symbol_at(d->image, va - d->image_va);
    }
    for (size_t i = 0; symbol != NULL && i < lull_image_nkernels(d->image); i++) {
        if (lull_image_kernel(d->image, i)->entry == symbol->offset) {
            return true;
        }
    }
    return symbol == NULL; // code without symbols has no functions
}

/* Instruction lengths differ: the one in front of @p va is a call if some length says so. */
static bool behind_call(struct lull_debug *d, uint64_t va)
{
    uint64_t at = 0;
    struct lull_rdna_insn in = {0};
    return lull_debug_insns_before(d, va, &at, 1) == 1 && lull_debug_decode(d, at, &in) &&
           is_call(&in) && at + in.size == va;
}

/* Address that s[30:31] would return to; false if that is no place behind a call. */
LULL_MUST_USE static struct lull_error *return_address(struct lull_debug *d,
                                                       const struct lull_debug_wave *w,
                                                       uint64_t *ret_va, bool *ret_good)
{
    uint64_t low = 0;
    uint64_t high = 0;
    struct lull_error *err = lull_debug_read_reg(d, w, LULL_REG_SGPR, RETURN_SGPR, 0, &low);
    err = err != NULL ? err : lull_debug_read_reg(d, w, LULL_REG_SGPR, RETURN_SGPR + 1, 0, &high);
    *ret_va = low | high << 32;
    *ret_good = err == NULL && behind_call(d, *ret_va);
    return err;
}

/* s_endpgm from @p va on, in front of the s_sendmsg that gives the VGPRs back if there is one. */
static size_t find_ends(struct lull_debug *d, uint64_t va, uint64_t *ret, size_t room)
{
    size_t n = 0;
    uint64_t before = 0;
    bool gives_back = false;
    struct lull_rdna_insn in = {0};
    for (unsigned i = 0; i < MAX_CODE && n < room && lull_debug_decode(d, va, &in); i++) {
        if (in.op == LULL_RDNA_OP_S_CODE_END) {
            break;
        }
        if (in.op == LULL_RDNA_OP_S_ENDPGM) {
            ret[n++] = gives_back ? before : va;
        }
        gives_back = in.op == LULL_RDNA_OP_S_SENDMSG;
        before = gives_back ? va : 0;
        va += in.size;
    }
    return n;
}

struct lull_error *lull_cmd_finish(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err == NULL && *c->args != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is left over", c->args);
    }
    uint64_t to[MAX_ENDS] = {0};
    size_t n = 0;
    bool good = false;
    if (err == NULL && !in_kernel(d, w->info.pc)) {
        err = return_address(d, w, &to[0], &good);
        if (err == NULL && !good) {
            err = lull_error_new(LULL_ERR_NOT_FOUND,
                                 "s[30:31] holds no return address here: the function saved it "
                                 "elsewhere; 'until PLACE' goes to a place");
        }
        n = 1;
    } else if (err == NULL) {
        n = find_ends(d, w->info.pc, to, MAX_ENDS);
        if (n == 0) {
            err = lull_error_new(LULL_ERR_NOT_FOUND, "no s_endpgm behind 0x%" PRIx64, w->info.pc);
        }
    }
    if (err == NULL) {
        err = lull_debug_run_to(d, to, n, !good);
    }
    return err != NULL ? err : lull_debug_report(c);
}

static void frame(struct lull_cmd *c, unsigned number, uint64_t va)
{
    struct lull_line line = {0};
    lull_cleanup(lull_str_free) struct lull_str symbol = {0};
    lull_debug_show_symbol(c->d, va, &symbol);
    lull_str_addf(c->out, "#%u  0x%012" PRIx64 " %s", number, va, lull_str_text(&symbol));
    bool known = lull_debug_line_at(c->d, va, &line);
    if (known) {
        lull_str_addf(c->out, " at %s:%" PRIu32, line.file, line.line);
    }
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "frame", number);
        lull_json_put_hex(c->json, "pc", va);
        lull_json_put_str(c->json, "symbol", lull_str_text(&symbol));
        if (known) {
            lull_json_put_str(c->json, "file", line.file);
            lull_json_put_u64(c->json, "line", line.line);
        }
        lull_json_close(c->json, '}');
    }
}

struct lull_error *lull_cmd_backtrace(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "frames");
        lull_json_open(c->json, '[');
    }
    frame(c, 0, w->info.pc);
    bool kernel = in_kernel(d, w->info.pc);
    uint64_t va = 0;
    bool good = false;
    if (!kernel) {
        err = return_address(d, w, &va, &good);
    }
    if (good) {
        frame(c, 1, va);
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (err == NULL && !kernel && (!good || !in_kernel(d, va))) {
        lull_str_addf(c->out, "Further callers are not known: GPU code keeps no frame pointer, and "
                              "s[30:31] tells the newest return only.\n");
    }
    return err;
}

struct lull_error *lull_cmd_info_source(struct lull_cmd *c)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(c->d, &w);
    if (err != NULL) {
        return err;
    }
    struct lull_line line = {0};
    if (!lull_debug_line_at(c->d, w->info.pc, &line)) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no source for 0x%" PRIx64 " (was it compiled with -g?)", w->info.pc);
    }
    lull_cleanup(lull_fclosep) FILE *f = fopen(line.file, "r");
    lull_str_addf(c->out, "Source file %s, line %" PRIu32 "%s\n", line.file, line.line,
                  f != NULL ? "" : " (the file is not there)");
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", line.file);
        lull_json_put_u64(c->json, "line", line.line);
        lull_json_put_bool(c->json, "readable", f != NULL);
    }
    return NULL;
}

/* What a lane is about to store, or what stands where it reads; up to four dwords. */
LULL_MUST_USE static struct lull_error *lane_data(const struct lull_access *a, unsigned lane,
                                                  struct lull_str *out)
{
    const struct lull_rdna_insn *in = &a->in;
    bool stores = a->writes && in->vdata != LULL_RDNA_NONE && in->vdata >= LULL_RDNA_VGPR0;
    unsigned dwords = stores ? a->ndata : (a->bytes + 3) / 4;
    dwords = dwords < 4 ? dwords : 4;
    for (unsigned i = 0; i < dwords; i++) {
        uint64_t v = 0;
        struct lull_error *err =
            stores ? lull_debug_read_reg(a->d, a->wave, LULL_REG_VGPR,
                                         in->vdata - LULL_RDNA_VGPR0 + i, lane, &v)
                   : a->d->target->ops->read(a->d->target, a->va[lane] + 4ull * i, &v,
                                             a->bytes < 4 ? a->bytes : 4);
        if (err != NULL) {
            return err;
        }
        v &= a->bytes < 4 ? (1u << (8 * a->bytes)) - 1 : UINT32_MAX;
        float f = 0;
        uint32_t word = (uint32_t)v;
        memcpy(&f, &word, sizeof f);
        lull_str_addf(out, " 0x%0*" PRIx32 " (%" PRIi32, a->bytes < 4 ? (int)(2 * a->bytes) : 8,
                      word, (int32_t)word);
        if (a->bytes >= 4) {
            lull_str_addf(out, ", %g", (double)f);
        }
        lull_str_addf(out, ")");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *access_row(struct lull_cmd *c, const struct lull_access *a,
                                                   unsigned lane)
{
    lull_cleanup(lull_str_free) struct lull_str data = {0};
    lull_cleanup(lull_str_free) struct lull_str where = {0};
    bool outside = (a->outside >> lane & 1) != 0;
    lull_debug_show_place(a->d, a->va[lane], &where);
    struct lull_error *err = outside && !a->writes ? NULL : lane_data(a, lane, &data);
    if (err != NULL && lull_error_code(err) == LULL_ERR_FAULT) {
        lull_str_addf(&data, " <not mapped>");
        lull_error_free(err);
        err = NULL;
    }
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%c lane %2u  0x%012" PRIx64 "%s%s %s%s%s\n",
                  lane == c->d->lane && a->lanes > 1 ? '*' : ' ', lane, a->va[lane],
                  where.size != 0 ? " " : "", lull_str_text(&where), a->writes ? "<-" : "->",
                  lull_str_text(&data), outside ? "  outside the buffer: nothing happens" : "");
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "lane", lane);
        lull_json_put_hex(c->json, "va", a->va[lane]);
        lull_json_put_str(c->json, "place", lull_str_text(&where));
        lull_json_put_bool(c->json, "outside", outside);
        lull_json_put_str(c->json, "data", lull_str_text(&data));
        lull_json_close(c->json, '}');
    }
    return NULL;
}

struct lull_error *lull_cmd_info_access(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    const char *at = c->args;
    bool outside = lull_cmd_word(&at, "outside");
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err == NULL && *at != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s': expected 'info access [outside]'", at);
    }
    if (err != NULL) {
        return err;
    }
    struct lull_access a = {.d = d, .wave = w};
    bool known = false;
    if (lull_debug_decode(d, w->info.pc, &a.in)) {
        err = lull_access_find(&a, &known);
    }
    if (err == NULL && !known) {
        err = lull_error_new(LULL_ERR_NOT_FOUND,
                             "the next instruction has no memory addresses that can be told");
    }
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%s, %s %u byte%s a lane:\n", lull_rdna_info(&a.in)->name,
                  a.writes && a.reads ? "changes"
                  : a.writes          ? "writes"
                                      : "reads",
                  a.bytes, a.bytes == 1 ? "" : "s");
    if (c->json != NULL) {
        lull_json_key(c->json, "access");
        lull_json_open(c->json, '[');
    }
    uint64_t shown = a.mask & (outside ? a.outside : UINT64_MAX);
    for (unsigned i = 0; err == NULL && i < a.lanes; i++) {
        err = (shown >> i & 1) != 0 ? access_row(c, &a, i) : NULL;
    }
    if (shown == 0) {
        lull_str_addf(c->out, outside ? "No lane is outside.\n" : "No lane is active.\n");
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return err;
}
