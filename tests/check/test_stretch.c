// SPDX-License-Identifier: MIT
// Instructions that the checks are told of as a whole: what is found, and what comes out, is the
// same as if they are told of each.
//
// Random code of instructions that compute, wait, load, store and change EXEC, with NaNs among its
// numbers and registers that nothing wrote, twice: with stretches, and without.
#include <stdint.h>

#include "stretch_rows.h"

#include "../model/wave_fixture.h"

#include "check/checks.h"
#include "check/hazards.h"
#include "check/nan/nan.h"
#include "check/rdna/rdna.h"
#include "check/uninit/uninit.h"

enum { CODE = 160, ROUNDS = 240, DWORDS = 5, SGPRS = 8, BUDGET = 97 };
#define CODE_AT (FIX_VA + FIX_AREA - 4096)

// In front: most registers get a value.
static const char *const first[] = {
    ASM("v_mov_b32 v1, 1.0"),         ASM("v_mov_b32 v2, 2.0"),         ASM("v_mov_b32 v3, 0.5"),
    ASM("v_mov_b32 v4, v0"),          ASM("v_cvt_f32_u32 v5, v0"),      ASM("v_mov_b32 v6, 4.0"),
    ASM("v_mov_b32 v7, v1"),          ASM("v_mov_b32 v8, v2"),          ASM("v_mov_b32 v9, 0"),
    ASM("v_mov_b32 v10, 0"),          ASM("v_mov_b32 v11, 0"),          ASM("v_mov_b32 v12, 0"),
    ASM("v_mov_b32 v13, 1.0"),        ASM("v_mov_b32 v14, 0"),          ASM("v_mov_b32 v15, 2.0"),
    ASM("v_mov_b32 v16, 0xff800000"), ASM("v_mov_b32 v17, 0x7f800000"), ASM("v_mov_b32 v18, v0"),
    ASM("v_mov_b32 v19, v0"),         ASM("v_mov_b32 v20, 64"),         ASM("v_mov_b32 v21, v0"),
    ASM("v_mov_b32 v22, v0"),         ASM("s_mov_b32 s9, 0x5555"),      ASM("s_mov_b32 s10, 1"),
    ASM("s_mov_b32 s11, 2"),          ASM("s_mov_b32 s12, 3"),          ASM("s_mov_b32 s13, 4"),
    ASM("s_mov_b32 vcc_lo, 0xffff"),  ASM("s_mov_b32 vcc_hi, -1"),      ASM("s_cmp_lg_u32 s4, 0"),
};

static const char *const texts[] = {
    ASM("v_add_f32 v1, v2, v3"),
    ASM("v_add_f32 v2, v2, v4"),
    ASM("v_mul_f32 v3, v1, v2"),
    ASM("v_sub_f32 v5, v6, v6"),
    ASM("v_fmac_f32 v4, v1, v5"),
    ASM("v_fma_f32 v6, v4, v5, -v1"),
    ASM("v_dual_mul_f32 v7, v1, v2 :: v_dual_add_f32 v8, v3, v4"),
    ASM("v_dual_fmac_f32 v9, v1, v2 :: v_dual_mov_b32 v10, v3"),
    ASM("v_fma_f64 v[12:13], v[12:13], v[14:15], v[2:3]"),
    ASM("v_mul_f64 v[14:15], v[12:13], v[2:3]"),
    ASM("v_add_f16 v11, v1, v2"),
    ASM("v_pk_add_f16 v11, v11, v2"),
    ASM("v_mov_b32 v16, v17"),
    ASM("v_mov_b32 v17, 0x7f800000"),
    ASM("v_xor_b32 v18, v17, v1"),
    ASM("v_lshlrev_b32 v19, 3, v18"),
    ASM("v_and_b32 v20, v19, v0"),
    ASM("v_cndmask_b32 v21, v1, v2, vcc_lo"),
    ASM("v_cmp_lt_f32 vcc_lo, v1, v2"),
    ASM("v_cmp_gt_u32 s9, v18, v0"),
    ASM("v_add_co_u32 v22, vcc_lo, v18, v0"),
    ASM("v_mov_b32_dpp v23, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"),
    ASM("v_readlane_b32 s10, v1, 3"),
    ASM("v_writelane_b32 v3, s11, 5"),
    ASM("v_rcp_f32 v5, v1"),
    ASM("v_sqrt_f32 v6, v2"),
    ASM("v_nop"),
    ASM("v_cmpx_lt_u32 v0, v20"),
    ASM("v_permlane16_b32 v20, v1, s4, s5"),
    ASM("v_lshlrev_b32 v20, 4, v0"),
    ASM("v_mul_f32 v1, v20, v20"),
    ASM("v_add_f32 v2, v17, v16"),
    ASM("s_add_i32 s12, s13, s4"),
    ASM("s_and_b32 s13, s12, s14"),
    ASM("s_mov_b32 s14, 7"),
    ASM("s_cselect_b32 s11, s4, s13"),
    ASM("s_cmov_b32 s12, s4"),
    ASM("s_cmp_lt_i32 s12, s13"),
    ASM("s_mov_b32 vcc_lo, s9"),
    ASM("s_and_saveexec_b32 s15, vcc_lo"),
    ASM("s_or_b32 exec_lo, exec_lo, s15"),
    ASM("s_mov_b64 exec, -1"),
    ASM("s_mov_b64 exec, -1"),
    ASM("s_mov_b64 exec, -1"),
    ASM("s_mov_b64 exec, -1"),
    ASM("s_nop 0"),
    ASM("s_cbranch_scc1 0"),
    ASM("s_cbranch_execz 0"),
    ASM("s_cbranch_vccnz 0"),
    ASM("s_branch 0"),
    ASM("s_delay_alu instid0(VALU_DEP_1)"),
    ASM("s_waitcnt vmcnt(0)"),
    ASM("s_waitcnt lgkmcnt(0)"),
    ASM("s_waitcnt lgkmcnt(1)"),
    ASM("s_waitcnt vmcnt(0) lgkmcnt(0)"),
    ASM("ds_load_b32 v1, v0 offset:16"),
    ASM("ds_load_2addr_b32 v[2:3], v0 offset0:3 offset1:9"),
    ASM("ds_store_b32 v0, v5 offset:64"),
    ASM("ds_store_b32 v0, v18"),
    ASM("global_load_b32 v4, v0, s[4:5]"),
    ASM("global_store_b32 v0, v6, s[4:5]"),
    ASM("global_store_b32 v0, v21, s[4:5] offset:512"),
    ASM("global_store_b32 v0, v11, s[4:5] offset:1536"),
    ASM("global_store_b64 v0, v[12:13], s[4:5] offset:1024"),
};

/** Checks of a run. */
struct run {
    struct fixture *f;
    struct lull_hazards *hazards;
    struct lull_checks *checks;
    struct lull_observer *o;
};

/** Of 64 lanes v_dual_* are illegal: few waves come to one. */
static const char *text_of(struct fixture *f)
{
    const char *text = texts[fix_random(f) % TEST_ROWS(texts)];
    const bool illegal = f->w.lanes == 64 && strncmp(text, "v_dual", 6) == 0;
    return illegal && fix_random(f) % 24 != 0 ? texts[0] : text;
}

static void put_code(struct fixture *f, unsigned most)
{
    unsigned at = FIX_AREA - 4096;
    for (unsigned i = 0; i < most; i++) {
        const bool there = i < TEST_ROWS(first);
        const char *text = there ? first[i] : text_of(f);
        if (there && fix_random(f) % 16 == 0) {
            continue;
        }
        for (size_t k = 0; k < TEST_ROWS(asm_rows); k++) {
            if (strcmp(asm_rows[k].text, text) == 0) {
                memcpy(fix_at(f, at), asm_rows[k].dwords, 4 * asm_rows[k].ndwords);
                at += 4 * asm_rows[k].ndwords;
            }
        }
    }
    const uint32_t back = 0xbfa00000u | (uint16_t) - (int)((at - (FIX_AREA - 4096)) / 4 + 1);
    memcpy(fix_at(f, at), &back, sizeof back); // s_branch to the first.
}

static struct fixture *ready(unsigned lanes, uint64_t seed)
{
    static const uint32_t numbers[] = {0,          0x3f800000, 0x7f800000,
                                       0xff800000, 0x40490fdb, 0x7fc00000};
    struct fixture *f = fix_new(lanes, seed);
    put_code(f, CODE);
    for (unsigned i = 0; i < sizeof f->vgpr / sizeof f->vgpr[0]; i++) {
        const uint64_t r = fix_random(f);
        f->vgpr[i] =
            r % 8 == 0 ? numbers[(r >> 8) % TEST_ROWS(numbers)] : 0x3f000000 + (uint32_t)(r >> 40);
    }
    for (unsigned l = 0; l < lanes; l++) {
        fix_v(f, 0)[l] = 4 * l;
    }
    f->w.sgpr[4] = (uint32_t)FIX_VA;
    f->w.sgpr[5] = (uint32_t)(FIX_VA >> 32);
    f->w.pc = CODE_AT;
    f->w.state = LULL_WAVE_RUNNING;
    f->w.code = lull_code_cache_new();
    return f;
}

static struct run start(unsigned lanes, uint64_t seed, bool stretches)
{
    struct run r = {.f = ready(lanes, seed)};
    struct lull_error *err = lull_checks_new(&r.checks);
    err = err != NULL ? err : lull_hazards_new(&lull_hazard_rules_rdna3, &r.hazards);
    err = err != NULL ? err : lull_hazards_join(r.hazards, r.checks);
    err = err != NULL ? err : lull_checks_add(r.checks, &lull_check_nan, NULL);
    err = err != NULL ? err : lull_checks_add(r.checks, &lull_check_uninit, NULL);
    if (err != NULL) {
        abort();
    }
    r.o = lull_checks_observer(r.checks);
    r.o->stretch = stretches ? r.o->stretch : NULL;
    lull_wave_observe(&r.f->w, r.o);
    const struct lull_observed_wave w = {.wave = &r.f->w,
                                         .group = &r.f->wg,
                                         .nwaves = 1,
                                         .lanes = lanes,
                                         .launched = lanes == 64 ? UINT64_MAX : UINT32_MAX,
                                         .items = {lanes, 1, 1},
                                         .full = {lanes, 1, 1},
                                         .sgprs = SGPRS,
                                         .code = CODE_AT};
    r.o->starts(r.o, &w);
    return r;
}

static void end(struct run *r)
{
    lull_wave_observe(&r->f->w, NULL);
    lull_checks_free(r->checks);
    lull_hazards_free(r->hazards);
    lull_code_cache_free(r->f->w.code);
    fix_free(r->f);
}

/** Findings in which they differ. */
static unsigned others(const struct run *a, const struct run *b)
{
    unsigned n = lull_checks_count(a->checks) != lull_checks_count(b->checks) ||
                 lull_hazards_count(a->hazards) != lull_hazards_count(b->hazards);
    for (size_t i = 0; n == 0 && i < lull_checks_count(a->checks); i++) {
        const struct lull_finding *x = lull_checks_at(a->checks, i),
                                  *y = lull_checks_at(b->checks, i);
        n += strcmp(x->what, y->what) != 0 || x->count != y->count ||
             x->sites[0].pc != y->sites[0].pc || x->sites[1].pc != y->sites[1].pc ||
             x->sites[1].lane != y->sites[1].lane ||
             (x->sites[0].does != NULL && strcmp(x->sites[0].does, y->sites[0].does) != 0);
    }
    for (size_t i = 0; n == 0 && i < lull_hazards_count(a->hazards); i++) {
        const struct lull_hazard *x = lull_hazards_at(a->hazards, i),
                                 *y = lull_hazards_at(b->hazards, i);
        n += x->kind != y->kind || x->pc != y->pc || x->reg != y->reg || x->cause != y->cause ||
             x->count != y->count;
    }
    return n;
}

int main(void)
{
    uint64_t found = 0, hazards = 0;
    unsigned state = 0, findings = 0, halts = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned lanes = i % 3 == 0 ? 64 : 32;
        struct run a = start(lanes, i + 1, true), b = start(lanes, i + 1, false);
        for (unsigned k = 0; k < 12; k++) {
            const uint32_t n = BUDGET + (uint32_t)(i + k) % 40;
            state += lull_wave_run(&a.f->w, n) != lull_wave_run(&b.f->w, n);
        }
        state += memcmp(a.f->vgpr, b.f->vgpr, sizeof a.f->vgpr) != 0 || a.f->w.pc != b.f->w.pc ||
                 memcmp(a.f->w.sgpr, b.f->w.sgpr, sizeof a.f->w.sgpr) != 0 ||
                 memcmp(a.f->lds, b.f->lds, sizeof a.f->lds) != 0 || a.f->w.scc != b.f->w.scc;
        halts += a.f->w.state != LULL_WAVE_RUNNING;
        const unsigned n = others(&a, &b);
        if (n != 0) {
            printf("# round %u: %zu and %zu findings, %zu and %zu hazards\n", i,
                   lull_checks_count(a.checks), lull_checks_count(b.checks),
                   lull_hazards_count(a.hazards), lull_hazards_count(b.hazards));
        }
        findings += n;
        found += lull_checks_count(b.checks);
        hazards += lull_hazards_count(b.hazards);
        end(&a);
        end(&b);
    }
    test_case(state == 0, "what comes out", "%u times something else", state);
    test_case(findings == 0, "what is found", "%u times something else", findings);
    test_case(halts < ROUNDS / 3, "waves run", "%u of %u halted", halts, ROUNDS);
    test_case(found > ROUNDS && hazards > ROUNDS, "there is something to find",
              "%llu findings, %llu hazards", (unsigned long long)found,
              (unsigned long long)hazards);
    return test_end();
}
