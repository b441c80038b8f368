// SPDX-License-Identifier: MIT
// ALU instructions by documented values: rows of alu.txt, assembled by LLVM.
#include "jit/jit.h"
#include "model/bare.h"
#include "model/observer.h"
#include "test.h"

/** A register and a value: v VGPR, l VGPR = lane number, s SGPR, c SCC, m MODE, p pc, t STATUS, w
 * wave64. */
struct item {
    char kind;
    unsigned reg;
    int lane; ///< -1: all lanes; in results all that were on.
    uint32_t value;
};

struct row {
    const char *text;
    uint32_t lanes;
    unsigned nwords;
    uint32_t words[24];
    struct item given[12], want[12];
};

#include "alu_rows.h"

static void set(struct bare *b, const struct item *i)
{
    switch (i->kind) {
    case 'v':
    case 'l':
        for (unsigned l = 0; l < b->w.lanes; l++) {
            if (i->lane < 0 || i->lane == (int)l) {
                *bare_vgpr(b, i->reg, l) = i->kind == 'l' ? l : i->value;
            }
        }
        break;
    case 's':
        b->w.sgpr[i->reg] = i->value;
        break;
    case 'c':
        b->w.scc = i->value;
        break;
    case 'm':
        b->w.mode = i->value;
        break;
    case 't':
        b->w.status = i->value;
        break;
    default:
        break;
    }
}

/** Compare; on a difference @p got and @p lane say which. */
static bool is(struct bare *b, const struct item *i, uint64_t exec, uint32_t *got, unsigned *lane)
{
    *lane = 0;
    switch (i->kind) {
    case 'v':
    case 'l':
        for (unsigned l = 0; l < b->w.lanes; l++) {
            const bool look = i->lane < 0 ? (exec >> l & 1) != 0 : i->lane == (int)l;
            *got = *bare_vgpr(b, i->reg, l);
            *lane = l;
            if (look && *got != (i->kind == 'l' ? l : i->value)) {
                return false;
            }
        }
        return true;
    case 's':
        *got = b->w.sgpr[i->reg];
        break;
    case 'c':
        *got = b->w.scc;
        break;
    case 'm':
        *got = b->w.mode;
        break;
    case 'p':
        *got = (uint32_t)(b->w.pc - BARE_CODE);
        break;
    default:
        *got = b->w.status;
        break;
    }
    return *got == i->value;
}

static void check(const struct row *row, const char *how, struct lull_observer *observer)
{
    struct bare *b = bare_new(row->lanes);
    lull_wave_observe(&b->w, observer);
    for (const struct item *i = row->given; i->kind != 0; i++) {
        set(b, i);
    }
    const uint64_t exec = b->w.sgpr[126] | (uint64_t)b->w.sgpr[127] << 32;
    bare_run(b, row->words, row->nwords);
    const bool ran = b->w.state == LULL_WAVE_RUNNING;
    bool ok = ran;
    uint32_t got = 0;
    unsigned lane = 0;
    const struct item *i = row->want;
    while (ok && i->kind != 0) {
        ok = is(b, i, exec, &got, &lane);
        i += ok;
    }
    char name[256];
    snprintf(name, sizeof name, "%s (%s)", row->text, how);
    if (!ran) {
        test_case(false, name, "the wave stopped at +0x%x, TRAPSTS 0x%x",
                  (unsigned)(b->w.pc - BARE_CODE), b->w.trapsts);
    } else {
        test_case(ok, name, "%c%u lane %u: 0x%x, want 0x%x", i->kind, i->reg, lane, got, i->value);
    }
    bare_free(b);
}

enum { COPIES = 3, PASSES = 20 };

/** Whether @p row says something of the pc, which is another where other code is around. */
static bool is_placed(const struct row *row)
{
    bool found = strncmp(row->text, "s_getpc", 7) == 0 || strncmp(row->text, "s_call", 6) == 0;
    for (const struct item *i = row->want; i->kind != 0; i++) {
        found = found || i->kind == 'p';
    }
    return found;
}

/** The row behind some moves, so often that it is compiled. */
static void check_compiled(const struct row *row, const struct lull_engine *engine,
                           const char *target)
{
    static const uint32_t move = 0x7ff403fa, end = 0xbfb00000; // v_mov_b32 v250, v250; s_endpgm
    struct bare *b = bare_new(row->lanes);
    lull_code_cache_compile(b->w.code, engine);
    for (unsigned i = 0; i < COPIES; i++) {
        memcpy(b->code + 4ul * i, &move, sizeof move);
    }
    memcpy(b->code + 4ul * COPIES, row->words, 4ul * row->nwords);
    memcpy(b->code + 4ul * (COPIES + row->nwords), &end, sizeof end);
    const struct lull_wave first = b->w;
    uint64_t exec = 0;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        memset(b->vgpr, 0, sizeof b->vgpr);
        b->w = first;
        b->w.pc = BARE_CODE;
        for (const struct item *i = row->given; i->kind != 0; i++) {
            set(b, i);
        }
        exec = b->w.sgpr[126] | (uint64_t)b->w.sgpr[127] << 32;
        lull_wave_run(&b->w, 1000);
    }
    bool ok = b->w.state == LULL_WAVE_ENDED;
    uint32_t got = 0;
    unsigned lane = 0;
    const struct item *i = row->want;
    while (ok && i->kind != 0) {
        ok = is(b, i, exec, &got, &lane);
        i += ok;
    }
    char name[256];
    snprintf(name, sizeof name, "%s (compiled for %s)", row->text, target);
    test_case(ok, name, "state %d, %c%u lane %u: 0x%x, want 0x%x", b->w.state,
              i->kind != 0 ? i->kind : '-', i->reg, lane, got, i->value);
    bare_free(b);
}

/** @p target: the kind of host that code is made for. */
static void check_all_compiled(const char *target)
{
    const struct lull_engine *engine = NULL;
    struct lull_error *err = lull_jit_engine(target, &engine);
    if (err != NULL) {
        test_skip("%s: %s", target, lull_error_message(err));
        lull_error_free(err);
        return;
    }
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        if (!is_placed(&rows[i])) {
            check_compiled(&rows[i], engine, target);
        }
    }
}

int main(void)
{
    struct lull_observer nothing = {0};
    check_all_compiled("x86-64-v3");
    check_all_compiled("x86-64-v4");
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check(&rows[i], "fast", NULL);
        check(&rows[i], "observed", &nothing);
    }
    return test_end();
}
