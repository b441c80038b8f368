// SPDX-License-Identifier: MIT
/** @file
 * What instructions are said to read and write (from the rows of semantics) against what they do.
 *
 * Each word of gfx1100.vec that computes runs twice: with two states that agree on nothing but
 * what it is said to read. What it is said to write must come out the same, all else must stay.
 * The other way round: SCC, VCC, EXEC and a destination that are said to be read make a difference.
 */
#include "isa/rdna/ops.h"
#include "isa/rdna/regs.h"
#include "model/amd/exec/uop.h"
#include "model/bare.h"
#include "test.h"

enum { TRIALS = 4, ATTEMPTS = 400, NSGPRS = 128, WORDS = 5, SGPR = 10 };

struct probe {
    struct lull_rdna_insn in;
    uint32_t words[WORDS];
    unsigned nwords, lanes, nuses;
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    struct bare *a, *b, *before_a, *before_b;
    uint64_t seed;
};

static uint32_t draw(struct probe *p)
{
    static const uint32_t special[] = {0,          1,          31,         0x80000000,
                                       0xffffffff, 0x3f800000, 0x7fc00000, 0x3c003c00};
    p->seed ^= p->seed << 13;
    p->seed ^= p->seed >> 7;
    p->seed ^= p->seed << 17;
    return (p->seed & 7) == 0 ? special[p->seed >> 8 & 7] : (uint32_t)(p->seed >> 32);
}

static bool named(const struct probe *p, unsigned reg, bool write)
{
    for (unsigned i = 0; i < p->nuses; i++) {
        const struct lull_rdna_use *u = &p->uses[i];
        if (u->write == write && reg >= u->reg && reg < u->reg + u->count) {
            return true;
        }
    }
    const struct lull_rdna_op_info *info = lull_rdna_info(&p->in);
    const bool dual = p->in.enc == LULL_RDNA_VOPD;
    const unsigned second = dual && !write ? lull_rdna_ops[p->in.y.op].reads : 0;
    const unsigned states = write ? info->writes : info->reads | second;
    // A scalar instruction of 64 bits has the whole EXEC, in a wave32, too.
    const bool whole = lull_rdna_type_dwords[info->type[LULL_RDNA_SLOT_DST]] == 2;
    const unsigned wide = whole && info->encs == 1U << LULL_RDNA_SOP1 ? 2 : p->lanes / 32;
    return ((states & LULL_RDNA_S_EXEC) != 0 && reg >= LULL_RDNA_EXEC &&
            reg < LULL_RDNA_EXEC + wide) ||
           ((states & LULL_RDNA_S_VCC) != 0 && reg >= LULL_RDNA_VCC &&
            reg < LULL_RDNA_VCC + wide) ||
           ((states & LULL_RDNA_S_M0) != 0 && reg == LULL_RDNA_M0);
}

static void randomise(struct probe *p, struct bare *b)
{
    for (unsigned i = 0; i < NSGPRS; i++) {
        b->w.sgpr[i] = draw(p);
    }
    for (unsigned i = 0; i < BARE_VGPRS * p->lanes; i++) {
        b->vgpr[i] = draw(p);
    }
    b->w.sgpr[LULL_RDNA_NULL] = 0;
    b->w.scc = draw(p) & 1;
    b->w.mode = draw(p) & 0x8003ff;
}

/** What the instruction reads is the same in both. */
static void agree(struct probe *p)
{
    const bool dual = p->in.enc == LULL_RDNA_VOPD;
    const unsigned reads =
        lull_rdna_info(&p->in)->reads | (dual ? lull_rdna_ops[p->in.y.op].reads : 0u);
    for (unsigned i = 0; i < NSGPRS; i++) {
        p->b->w.sgpr[i] = named(p, i, false) ? p->a->w.sgpr[i] : p->b->w.sgpr[i];
    }
    for (unsigned r = 0; r < BARE_VGPRS; r++) {
        if (named(p, LULL_RDNA_VGPR0 + r, false)) {
            memcpy(p->b->vgpr + r * p->lanes, p->a->vgpr + r * p->lanes, 4 * p->lanes);
        }
    }
    p->b->w.scc = (reads & LULL_RDNA_S_SCC) != 0 ? p->a->w.scc : p->b->w.scc;
    p->b->w.mode = (reads & LULL_RDNA_S_MODE) != 0 ? p->a->w.mode : p->b->w.mode;
}

static void copy_state(struct bare *to, const struct bare *from)
{
    memcpy(to->w.sgpr, from->w.sgpr, sizeof to->w.sgpr);
    memcpy(to->vgpr, from->vgpr, sizeof to->vgpr);
    to->w.scc = from->w.scc;
    to->w.mode = from->w.mode;
}

/** One half of a register: the same in both, or untouched in both; untouched if not written. */
static bool fits_half(const uint32_t v[4], unsigned shift, bool written)
{
    uint32_t h[4];
    for (unsigned i = 0; i < 4; i++) {
        h[i] = v[i] >> shift & 0xffff;
    }
    return (h[0] == h[2] && h[1] == h[3]) || (written && h[0] == h[1]);
}

/** A register after (a, b) and before (a, b). */
static bool fits(uint32_t a, uint32_t b, uint32_t before_a, uint32_t before_b, bool written)
{
    const uint32_t v[4] = {a, b, before_a, before_b};
    return fits_half(v, 0, written) && fits_half(v, 16, written);
}

/** The name of what does not fit, or NULL. */
static const char *compare(const struct probe *p, unsigned *where)
{
    const unsigned writes = lull_rdna_info(&p->in)->writes;
    const struct bare *a = p->a, *b = p->b, *s = p->before_a, *t = p->before_b;
    for (*where = 0; *where < NSGPRS; ++*where) {
        const unsigned i = *where;
        if (!fits(a->w.sgpr[i], b->w.sgpr[i], s->w.sgpr[i], t->w.sgpr[i], named(p, i, true))) {
            return "scalar register";
        }
    }
    for (*where = 0; *where < BARE_VGPRS * p->lanes; ++*where) {
        const unsigned i = *where;
        const bool written = named(p, LULL_RDNA_VGPR0 + i / p->lanes, true);
        if (!fits(a->vgpr[i], b->vgpr[i], s->vgpr[i], t->vgpr[i], written)) {
            return "lane of a vector register";
        }
    }
    *where = 0;
    if (!fits(a->w.scc, b->w.scc, s->w.scc, t->w.scc, (writes & LULL_RDNA_S_SCC) != 0)) {
        return "SCC";
    }
    return a->w.pc != b->w.pc ? "PC" : NULL;
}

static void try_word(struct probe *p, const char *line)
{
    const char *bad = NULL;
    unsigned where = 0;
    for (unsigned trial = 0; trial < TRIALS && bad == NULL; trial++) {
        randomise(p, p->a);
        randomise(p, p->b);
        agree(p);
        copy_state(p->before_a, p->a);
        copy_state(p->before_b, p->b);
        bare_run(p->a, p->words, p->nwords);
        bare_run(p->b, p->words, p->nwords);
        if (p->a->w.state != LULL_WAVE_RUNNING || p->b->w.state != LULL_WAVE_RUNNING) {
            return;
        }
        bad = compare(p, &where);
    }
    test_case(bad == NULL, line,
              "%s (wave%u): %s %u depends on something else, or should have stayed", line, p->lanes,
              bad, where);
}

/** Registers of which the number is chosen when it runs. */
static bool chooses(const struct lull_rdna_insn *in)
{
    return lull_sem[in->op].kind == LULL_SEM_HAND &&
           (lull_rdna_info(in)->reads & LULL_RDNA_S_M0) != 0;
}

/** Vector registers that it is said to write are below that which the dispatcher clears to. */
static void check_written(struct probe *p, const char *line)
{
    struct lull_uop u;
    lull_uop_make(&u, &p->in, p->lanes, LULL_TABLE_PLAIN);
    const unsigned end = lull_uop_written(&u);
    unsigned most = chooses(&p->in) && p->in.dst >= LULL_RDNA_VGPR0 ? BARE_VGPRS : 0;
    for (unsigned i = 0; i < p->nuses; i++) {
        const struct lull_rdna_use *use = &p->uses[i];
        const unsigned last = use->reg + use->count;
        if (use->write && use->reg >= LULL_RDNA_VGPR0 && last - LULL_RDNA_VGPR0 > most) {
            most = last - LULL_RDNA_VGPR0;
        }
    }
    test_case(most <= end, line, "%s (wave%u): writes registers below v%u, only v%u is known", line,
              p->lanes, most, end);
}

/** Instructions of which the registers are known before they run, and that only compute. */
static bool computes(const struct lull_rdna_insn *in)
{
    const unsigned kind = lull_sem[in->op].kind;
    const bool relative = (lull_rdna_info(in)->reads & LULL_RDNA_S_M0) != 0;
    return (kind == LULL_SEM_SCALAR || kind == LULL_SEM_LANES || kind == LULL_SEM_HAND) &&
           !relative;
}

static void each_vector(struct probe *p)
{
    char path[4096], line[512];
    const char *source = getenv("LULL_SOURCE");
    snprintf(path, sizeof path, "%s/tests/isa/gfx1100.vec", source != NULL ? source : ".");
    FILE *f = fopen(path, "r");
    if (!test_case(f != NULL, "gfx1100.vec opens", "%s", path)) {
        return;
    }
    while (fgets(line, sizeof line, f) != NULL) {
        char *at = line, *end = line;
        for (p->nwords = 0; p->nwords < WORDS && line[0] != '#' && *at != '\t'; at = end) {
            p->words[p->nwords++] = (uint32_t)strtoul(at, &end, 16);
        }
        line[strcspn(line, "\n")] = '\0';
        if (p->nwords == 0 || lull_rdna_decode(p->words, 4 * p->nwords, &p->in) <= 0) {
            continue;
        }
        p->nuses = lull_rdna_uses(&p->in, p->lanes, p->uses);
        check_written(p, strchr(line, '\t') + 1);
        if (computes(&p->in)) {
            try_word(p, strchr(line, '\t') + 1);
        }
    }
    fclose(f);
}

/** One run of a scalar row: operands, state and result in @p w; D is SGPR 10 and 11. */
static void scalar_row(unsigned op, const struct probe *p, const uint32_t values[4],
                       struct lull_wave *w)
{
    struct lull_rdna_insn in = {
        .op = (uint16_t)op, .dst = SGPR, .size = 4, .imm = (int16_t)values[3]};
    struct lull_uop u = {.in = &in, .konst = 3};
    u.value[0] = values[0] | (uint64_t)values[1] << 32;
    u.value[1] = values[2] | (uint64_t)values[0] << 32;
    w->lanes = p->lanes;
    (void)lull_sem_scalar[op](w, &u);
}

/** Whether @p state of the wave, changed by itself, ever changes something else or what is written.
 */
static bool scalar_matters(unsigned op, struct probe *p, unsigned state)
{
    const bool writes = (lull_rdna_ops[op].writes & state) != 0;
    for (unsigned n = 0; n < ATTEMPTS; n++) {
        struct lull_wave a = {.scc = draw(p) & 1}, b = a;
        const uint32_t values[4] = {draw(p), draw(p), draw(p), draw(p) % 4};
        for (unsigned i = 0; i < NSGPRS; i++) {
            a.sgpr[i] = b.sgpr[i] = i == SGPR ? draw(p) % 4 : (draw(p) & 1) * draw(p);
        }
        b.scc ^= state == LULL_RDNA_S_SCC;
        b.sgpr[SGPR] ^= state == LULL_RDNA_S_DST ? 1 + draw(p) % 3 : 0;
        const unsigned reg = state == LULL_RDNA_S_VCC ? LULL_RDNA_VCC : LULL_RDNA_EXEC;
        for (unsigned i = 0; i < 2 && (state & (LULL_RDNA_S_VCC | LULL_RDNA_S_EXEC)) != 0; i++) {
            b.sgpr[reg + i] = a.sgpr[reg + i] == 0;
        }
        scalar_row(op, p, values, &a);
        scalar_row(op, p, values, &b);
        a.scc = state == LULL_RDNA_S_SCC && !writes ? b.scc : a.scc;
        if (state == LULL_RDNA_S_DST && !writes) {
            a.sgpr[SGPR] = b.sgpr[SGPR];
        }
        for (unsigned i = 0;
             i < 2 && !writes && (state & (LULL_RDNA_S_VCC | LULL_RDNA_S_EXEC)) != 0; i++) {
            a.sgpr[reg + i] = b.sgpr[reg + i];
        }
        if (a.scc != b.scc || a.pc != b.pc || memcmp(a.sgpr, b.sgpr, sizeof a.sgpr) != 0) {
            return true;
        }
    }
    return false;
}

/** Whether a lane function looks at D (or VCC) as it was. */
static bool lane_matters(unsigned op, struct probe *p, unsigned state)
{
    for (unsigned n = 0; n < ATTEMPTS; n++) {
        uint32_t v[6][32], d[4][32];
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned k = 0; k < 6; k++) {
                v[k][i] = draw(p);
            }
            d[0][i] = d[1][i] = draw(p);
            d[2][i] = d[3][i] = draw(p);
            d[1][i] = state == LULL_RDNA_S_DST ? draw(p) : d[1][i];
        }
        struct lull_lane_ctx x = {.mode = 0xf0, .ah = v[3], .bh = v[4], .ch = v[5], .dh = d[2]},
                             y = x;
        y.dh = d[3];
        y.in = state == LULL_RDNA_S_VCC ? UINT32_MAX : 0;
        lull_lanes_base[op].soft(d[0], v[0], v[1], v[2], &x);
        lull_lanes_base[op].soft(d[1], v[0], v[1], v[2], &y);
        if (memcmp(d[0], d[1], sizeof d[0]) != 0 || memcmp(d[2], d[3], sizeof d[2]) != 0) {
            return true;
        }
    }
    return false;
}

/** What a row is said to read makes a difference. */
static void check_reads(struct probe *p)
{
    for (unsigned op = 0; op < LULL_RDNA_NOPS; op++) {
        const struct lull_rdna_op_info *info = &lull_rdna_ops[op];
        const bool lanes = lull_sem[op].kind == LULL_SEM_LANES;
        const unsigned half =
            lull_sem[op].d == LULL_T_F16 && info->type[LULL_RDNA_SLOT_SRC0] == LULL_RDNA_T_MIX;
        const unsigned all =
            lanes ? LULL_RDNA_S_VCC | (half ? 0 : LULL_RDNA_S_DST)
                  : LULL_RDNA_S_SCC | LULL_RDNA_S_VCC | LULL_RDNA_S_EXEC | LULL_RDNA_S_DST;
        for (unsigned state = 1; state <= all; state <<= 1) {
            if ((info->reads & all & state) == 0 ||
                (!lanes && lull_sem[op].kind != LULL_SEM_SCALAR)) {
                continue;
            }
            const bool ok = lanes ? lane_matters(op, p, state) : scalar_matters(op, p, state);
            test_case(ok, info->name, "%s is said to read 0x%x, but that makes no difference",
                      info->name, state);
        }
    }
}

int main(void)
{
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
        struct probe p = {.lanes = lanes, .seed = 88172645463325252u};
        p.a = bare_new(lanes);
        p.b = bare_new(lanes);
        p.before_a = bare_new(lanes);
        p.before_b = bare_new(lanes);
        each_vector(&p);
        check_reads(&p);
        bare_free(p.a);
        bare_free(p.b);
        bare_free(p.before_a);
        bare_free(p.before_b);
    }
    return test_end();
}
