// SPDX-License-Identifier: MIT
// An offset in an SGPR that only scalar loads use becomes their immediate:
//
//     s_mov_b32 s2, 16               s_nop 0; s_nop 0
//     s_load_b32 s0, s[0:1], s2      s_load_b32 s0, s[0:1], 16
//
// The move goes if every use that it reaches is such a load, and each of those loads is reached by
// no other value of the register. Control flow is followed through the whole function; where it is
// not understood, nothing is folded.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/shcode_regs.h"
#include "isa/rdna/ops.h"
#include "isa/rdna/rdna.h"
#include "isa/rdna/regs.h"
#include "link/code.h"

enum {
    MAX_STEPS = 1 << 24, // instructions looked at in one link
    FIRST_VCC = LULL_RDNA_VCC,
};

struct folder {
    struct lull_linker *l;
    uint8_t *text;
    size_t size;
    struct lull_link_code code;
    struct lull_link_smem form;
    uint32_t *work; // of a walk
    uint32_t nwork, walk;
    uint32_t *loads; // that use the register
    uint32_t nloads;
    uint64_t steps;
};

// With one size of a wave.
static enum lull_link_use use_of(const struct lull_rdna_insn *in, unsigned lanes, uint16_t reg)
{
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned n = lull_rdna_uses(in, lanes, uses);
    const uint64_t flags = lull_rdna_info(in)->flags;
    unsigned reads = 0;
    bool written = false;
    for (unsigned i = 0; i < n; i++) {
        const bool touches = reg >= uses[i].reg && reg < uses[i].reg + uses[i].count;
        reads += touches && !uses[i].write;
        written = written || (touches && uses[i].write);
    }
    if (in->enc == LULL_RDNA_SMEM && (flags & LULL_RDNA_F_LOAD) != 0 && in->soffset == reg &&
        reads == 1) {
        return written ? LULL_LINK_OFFSET_AND_WRITTEN : LULL_LINK_OFFSET_OF_LOAD;
    }
    return reads > 0 ? LULL_LINK_READ : written ? LULL_LINK_WRITTEN : LULL_LINK_UNTOUCHED;
}

// What an instruction does with a register, whatever the size of a wave.
static enum lull_link_use touch(const struct lull_link_insn *x, uint16_t reg)
{
    const struct lull_rdna_insn *in = &x->in;
    if (x->text != NULL) {
        return lull_link_line_use(x, reg);
    }
    const bool chosen_at_run_time = (lull_rdna_info(in)->reads & LULL_RDNA_S_M0) != 0 &&
                                    in->enc != LULL_RDNA_SOPP && in->enc != LULL_RDNA_DS;
    const enum lull_link_use small = use_of(in, 32, reg), large = use_of(in, 64, reg);
    if (chosen_at_run_time || small == LULL_LINK_READ || large == LULL_LINK_READ) {
        return LULL_LINK_READ;
    }
    if (small == large) {
        return small;
    }
    return small == LULL_LINK_UNTOUCHED || large == LULL_LINK_UNTOUCHED ? LULL_LINK_UNTOUCHED
                                                                        : LULL_LINK_READ;
}

static bool visit(struct folder *f, uint32_t i)
{
    if (f->code.insns[i].seen != f->walk) {
        f->code.insns[i].seen = f->walk;
        f->work[f->nwork++] = i;
    }
    return ++f->steps < MAX_STEPS;
}

// Successors of instruction i. False: control leaves the function with the register alive.
static bool go_on(struct folder *f, uint32_t i)
{
    const struct lull_link_insn *x = &f->code.insns[i];
    if (x->target != LULL_LINK_NO_INSN && !visit(f, x->target)) {
        return false;
    }
    return !x->falls || (i + 1 < f->code.n && visit(f, i + 1));
}

// All that the move's value reaches: loads go to the list; NULL, or why not.
static const char *follow(struct folder *f, uint32_t move, uint16_t reg)
{
    f->nwork = 0;
    f->nloads = 0;
    f->walk++;
    if (!go_on(f, move)) {
        return "the register is alive where the function ends";
    }
    while (f->nwork > 0) {
        const uint32_t i = f->work[--f->nwork];
        const enum lull_link_use use = touch(&f->code.insns[i], reg);
        if (use == LULL_LINK_READ) {
            return "another instruction reads the register";
        }
        if (use == LULL_LINK_OFFSET_OF_LOAD || use == LULL_LINK_OFFSET_AND_WRITTEN) {
            f->loads[f->nloads++] = i;
        }
        if ((use == LULL_LINK_UNTOUCHED || use == LULL_LINK_OFFSET_OF_LOAD) && !go_on(f, i)) {
            return "the register is alive where the function ends";
        }
    }
    return f->nloads > 0 ? NULL : "nothing uses the register";
}

// Instructions before i. False: i is where the function begins.
static bool go_back(struct folder *f, uint32_t i)
{
    if (i == 0) {
        return false;
    }
    if (f->code.insns[i - 1].falls && !visit(f, i - 1)) {
        return false;
    }
    for (uint32_t k = f->code.insns[i].sources; k != LULL_LINK_NO_INSN;
         k = f->code.insns[k].chain) {
        if (!visit(f, k)) {
            return false;
        }
    }
    return true;
}

// Is the move the only instruction whose value of the register reaches the load?
static bool only_source(struct folder *f, uint32_t move, uint32_t load, uint16_t reg)
{
    f->nwork = 0;
    f->walk++;
    if (!go_back(f, load)) {
        return false;
    }
    while (f->nwork > 0) {
        const uint32_t i = f->work[--f->nwork];
        if (i == move) {
            continue;
        }
        const enum lull_link_use use = touch(&f->code.insns[i], reg);
        if (use == LULL_LINK_WRITTEN || use == LULL_LINK_OFFSET_AND_WRITTEN ||
            use == LULL_LINK_READ || !go_back(f, i)) {
            return false;
        }
    }
    return true;
}

static bool fits(const struct folder *f, const struct lull_link_insn *load, uint32_t value)
{
    // The field is signed, and a negative offset means something else to some loads.
    const uint32_t most = f->form.offset >> 1;
    const int64_t sum = (int64_t)load->in.imm + value;
    return load->in.imm >= 0 && sum <= most && sum % 4 == 0;
}

static void put_word(struct folder *f, uint64_t at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        f->text[at + i] = (uint8_t)(word >> 8 * i);
    }
}

static uint32_t get_word(const struct folder *f, uint64_t at)
{
    const uint8_t *p = f->text + at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void rewrite(struct folder *f, const struct lull_link_insn *move, uint32_t value)
{
    put_word(f, move->at, LULL_SHCODE_S_NOP);
    put_word(f, move->at + 4, LULL_SHCODE_S_NOP);
    for (uint32_t i = 0; i < f->nloads; i++) {
        struct lull_link_insn *load = &f->code.insns[f->loads[i]];
        uint32_t word = get_word(f, load->at + 4);
        const uint32_t sum = (uint32_t)load->in.imm + value;
        word = lull_set(word, f->form.offset, sum);
        word = lull_set(word, f->form.soffset, f->form.none);
        put_word(f, load->at + 4, word);
        put_word(f, load->at, (get_word(f, load->at) & ~f->form.enable) | f->form.number);
        load->in.soffset = load->text != NULL ? UINT16_MAX : LULL_RDNA_NULL;
        load->in.imm = (int32_t)sum;
    }
    f->l->result->moves++;
    f->l->result->folded += f->nloads;
}

// NULL: it was folded; else why not.
static const char *fold_site(struct folder *f, const struct lull_link_site *site)
{
    if (f->code.trouble != NULL) {
        return f->code.trouble;
    }
    const uint32_t i =
        site->offset >= 4 ? lull_link_insn_at(&f->code, site->offset - 4) : LULL_LINK_NO_INSN;
    const struct lull_link_insn *move = i != LULL_LINK_NO_INSN ? &f->code.insns[i] : NULL;
    if (move == NULL || move->in.op != LULL_RDNA_OP_S_MOV_B32 || move->in.size != 8) {
        return "not the literal of an s_mov_b32";
    }
    const uint16_t reg = move->in.dst;
    if (reg >= FIRST_VCC) {
        return "no SGPR of the shader's own";
    }
    const char *why = follow(f, i, reg);
    for (uint32_t k = 0; why == NULL && k < f->nloads; k++) {
        const struct lull_link_insn *load = &f->code.insns[f->loads[k]];
        if (!fits(f, load, site->value)) {
            why = "the offset does not fit the load's immediate";
        } else if (!only_source(f, i, f->loads[k], reg)) {
            why = "a load may get another value";
        }
    }
    if (why == NULL) {
        rewrite(f, move, site->value);
    }
    return why;
}

LULL_MUST_USE static struct lull_error *fold_one(struct folder *f,
                                                 const struct lull_link_site *site)
{
    uint64_t begin = 0, end = 0;
    const char *why = "in no function";
    if (lull_link_function_at(f->l, site->offset, &begin, &end) && end <= f->size &&
        begin % 4 == 0) {
        if (f->code.insns == NULL || begin != f->code.begin || end != f->code.end) {
            struct lull_error *err = lull_link_decode(f->l, begin, end, &f->code);
            if (err != NULL) {
                return err;
            }
        }
        why = fold_site(f, site);
    }
    lull_link_note(f->l, "fold", site->file, site->symbol, site->value,
                   why == NULL ? ".text+0x%" PRIx64 ": 0x%" PRIx32 " is an immediate of %s%s"
                               : ".text+0x%" PRIx64 ": 0x%" PRIx32 " stays in its register: %s%s",
                   site->offset, site->value,
                   why != NULL      ? why
                   : f->nloads == 1 ? "one load"
                                    : "several loads",
                   "");
    return NULL;
}

struct lull_error *lull_link_fold(struct lull_linker *l)
{
    if (l->nsites == 0 || l->options.no_fold) {
        return NULL;
    }
    struct lull_str *text = &l->outs[0].data;
    struct folder f = {.l = l, .text = (uint8_t *)text->text, .size = text->size};
    if (!lull_link_smem(l->gfx, &f.form) ||
        (l->gfx != LULL_LINK_GFX_OF_DECODER && l->lines == NULL)) {
        lull_link_note(l, "fold", "", ".text", 0,
                       "nothing: only code for gfx9 to gfx12 is understood%s",
                       l->gfx > LULL_LINK_GFX_OF_DECODER + 1 ? "" : ", and that with a listing");
        return NULL;
    }
    f.work = calloc(text->size / 4 + 1, sizeof *f.work);
    f.loads = calloc(text->size / 4 + 1, sizeof *f.loads);
    struct lull_error *err = f.work == NULL || f.loads == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; err == NULL && i < l->nsites; i++) {
        err = fold_one(&f, &l->sites[i]);
    }
    lull_link_code_done(&f.code);
    free(f.work);
    free(f.loads);
    return err;
}
