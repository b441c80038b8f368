// SPDX-License-Identifier: MIT
// The verbs, events and values of a session (<lull/debug.h>) on a scripted target. What the target
// holds is in script_target.c: wave 0 has lanes 0 to 7 on, wave 1 all; vN[lane] is 1000 N + lane,
// sN is 0x100 + N, s0 counts s_nop; 0x100100 holds 0xdeadbeef once it is written. Expected values
// were worked out from that by hand.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/debug.h"
#include "debug/session/events.h"
#include "script_target.h"
#include "test.h"

enum { LOAD = SCRIPT_BASE + 0x40, STORE = SCRIPT_BASE + 0x64, LANES = 32 };

/** A session and its target. */
struct made {
    struct script_target target;
    struct lull_debug *d;
};

static bool make(struct made *m, unsigned ndispatches)
{
    if (ndispatches != 0) {
        script_init_program(&m->target, ndispatches);
    } else {
        script_init(&m->target);
    }
    const uint32_t word = 0xdeadbeef;
    memcpy(m->target.memory + 0x100, &word, sizeof word);
    struct lull_error *err = lull_debug_new(&m->target.target, NULL, 0, &m->d);
    if (err != NULL) {
        test_case(false, "new session", "%s", lull_error_message(err));
        lull_error_free(err);
        return false;
    }
    m->d->run = ndispatches != 0 ? script_run_program : script_run;
    m->d->run_ctx = &m->target;
    lull_debug_keep_events(m->d);
    return true;
}

static void good(struct lull_error *err, const char *name)
{
    test_case(err == NULL, name, "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
}

static void bad(struct lull_error *err, enum lull_error_code code, const char *name)
{
    test_case(err != NULL && lull_error_code(err) == code, name, "expected code %d, got %d '%s'",
              (int)code, err != NULL ? (int)lull_error_code(err) : 0,
              err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
}

static void same_event(const struct lull_debug_event *got, const struct lull_debug_event *want,
                       const char *name)
{
    bool same = got->kind == want->kind && got->stop == want->stop && got->wave == want->wave &&
                got->lane == want->lane && got->pc == want->pc && got->lanes == want->lanes &&
                got->breakpoint == want->breakpoint && got->address == want->address &&
                got->dispatch == want->dispatch && got->interrupted == want->interrupted;
    test_case(same, name,
              "kind %d stop %d wave %u lane %u pc 0x%" PRIx64 " lanes 0x%" PRIx64
              " breakpoint %u address 0x%" PRIx64 " dispatch %" PRIu64 " interrupted %d",
              (int)got->kind, (int)got->stop, got->wave, got->lane, got->pc, got->lanes,
              got->breakpoint, got->address, got->dispatch, (int)got->interrupted);
}

/* The events that wait are these and no others. */
static void events(struct lull_debug *d, const struct lull_debug_event *want, size_t n,
                   const char *name)
{
    struct lull_debug_event got = {0};
    for (size_t i = 0; i < n; i++) {
        if (!lull_debug_next_event(d, &got)) {
            test_case(false, name, "%zu events, expected %zu", i, n);
            return;
        }
        same_event(&got, &want[i], name);
    }
    test_case(!lull_debug_next_event(d, &got), name, "one more, of kind %d", (int)got.kind);
}

static void skip_events(struct lull_debug *d)
{
    struct lull_debug_event e = {0};
    while (lull_debug_next_event(d, &e)) {
    }
}

static void test_start(struct lull_debug *d, const struct script_target *t)
{
    static const struct lull_debug_event started[] = {
        {.kind = LULL_DEBUG_DISPATCH_BEGAN},
        {.kind = LULL_DEBUG_STOPPED, .stop = LULL_STOP_START, .pc = SCRIPT_BASE}};
    struct lull_debug_wave_state w[3] = {0};
    size_t n = 0;
    bad(lull_debug_continue(d), LULL_ERR_INVALID, "continue before start");
    bad(lull_debug_step(d, LULL_STEP_INSN, 1), LULL_ERR_INVALID, "step before start");
    bad(lull_debug_kill(d), LULL_ERR_INVALID, "kill before start");
    bad(lull_debug_select(d, 0, 0), LULL_ERR_NOT_FOUND, "select before start");
    events(d, NULL, 0, "an error makes no event");
    good(lull_debug_start(d, true), "start");
    events(d, started, TEST_ROWS(started), "events of start");
    bad(lull_debug_start(d, true), LULL_ERR_INVALID, "start again while it runs");
    lull_debug_waves(d, w, 1, &n);
    test_case(n == 2 && w[1].lanes == 0, "waves: room for one of two", "%zu", n);
    lull_debug_waves(d, w, 3, &n);
    test_case(n == 2 && w[0].in_focus && !w[1].in_focus && w[0].exec == 0xff &&
                  w[1].exec == UINT32_MAX && w[1].number == 1 && w[1].wave_in_group == 1 &&
                  w[0].lanes == LANES && w[0].pc == SCRIPT_BASE && w[0].stop == LULL_STOP_START,
              "waves", "%zu, exec 0x%" PRIx64 " 0x%" PRIx64, n, w[0].exec, w[1].exec);
    bad(lull_debug_select(d, 2, 0), LULL_ERR_NOT_FOUND, "select a wave that is not there");
    bad(lull_debug_select(d, 1, LANES), LULL_ERR_INVALID, "select a lane that is not there");
    good(lull_debug_select(d, 1, LANES - 1), "select");
    test_case(t->selected == t->wave[1].info.key, "memory is that of the wave", "%" PRIu64,
              t->selected);
    lull_debug_waves(d, w, 3, &n);
    test_case(w[1].in_focus && !w[0].in_focus, "the focus is there", "%d", (int)w[0].in_focus);
    good(lull_debug_select(d, 0, 0), "select back");
}

static const struct value_row {
    const char *expression;
    enum lull_ctype_kind kind;
    uint8_t bits;
    unsigned lanes;
    uint64_t active, valid;
    unsigned lane; ///< Looked at.
    uint64_t value;
    enum lull_place_kind place;
    const char *name;
    uint64_t address; ///< Of that lane.
} values[] = {
    {"$v1", LULL_CTYPE_UNSIGNED, 32, LANES, 0xff, UINT32_MAX, 31, 1031, LULL_PLACE_REGISTER, "v1",
     0},
    {"$s[4:5]", LULL_CTYPE_UNSIGNED, 64, 1, 1, 1, 0, 0x10500000104, LULL_PLACE_REGISTER, "s[4:5]",
     0},
    {"$exec", LULL_CTYPE_UNSIGNED, 32, 1, 1, 1, 0, 0xff, LULL_PLACE_REGISTER, "exec", 0},
    {"$pc", LULL_CTYPE_UNSIGNED, 64, 1, 1, 1, 0, SCRIPT_BASE, LULL_PLACE_REGISTER, "pc", 0},
    {"$v1[5]", LULL_CTYPE_UNSIGNED, 32, 1, 1, 1, 0, 1005, LULL_PLACE_REGISTER, "v1", 0},
    {"$_lane", LULL_CTYPE_SIGNED, 32, 1, 1, 1, 0, 0, LULL_PLACE_NONE, "", 0},
    {"$v1 + 1", LULL_CTYPE_UNSIGNED, 32, LANES, 0xff, UINT32_MAX, 8, 1009, LULL_PLACE_NONE, "", 0},
    // lane 8, which is off, would divide by zero
    {"1000 / ($v1 - 1008)", LULL_CTYPE_UNSIGNED, 32, LANES, 0xff, UINT32_MAX & ~(1u << 8), 9, 1000,
     LULL_PLACE_NONE, "", 0},
    {"(float)$s5 / 2", LULL_CTYPE_FLOAT, 32, 1, 1, 1, 0, 0x43028000, LULL_PLACE_NONE, "", 0},
    {"{u32}0x100100", LULL_CTYPE_UNSIGNED, 32, 1, 1, 1, 0, 0xdeadbeef, LULL_PLACE_MEMORY, "",
     0x100100},
    {"{i8}0x100101", LULL_CTYPE_SIGNED, 8, 1, 1, 1, 0, 0xbe, LULL_PLACE_MEMORY, "", 0x100101},
    // lane i reads word i of the code; lanes that are off read nothing
    {"{u32}(code + ($v1 - 1000) * 4)", LULL_CTYPE_UNSIGNED, 32, LANES, 0xff, 0xff, 2, 0xbfa0fffd,
     LULL_PLACE_MEMORY, "", SCRIPT_BASE + 8},
    {"{u32}lds:8", LULL_CTYPE_UNSIGNED, 32, 1, 1, 1, 0, 0, LULL_PLACE_LDS, "", 8},
};

static void test_values(struct lull_debug *d)
{
    struct lull_typed_value v = {0};
    for (size_t i = 0; i < TEST_ROWS(values); i++) {
        const struct value_row *r = &values[i];
        v = (struct lull_typed_value){0};
        struct lull_error *err = lull_debug_evaluate(d, r->expression, &v);
        bool same = err == NULL && v.value.type.kind == r->kind && v.value.type.bits == r->bits &&
                    v.value.lanes == r->lanes && v.value.active == r->active &&
                    v.value.valid == r->valid && v.value.v[r->lane] == r->value &&
                    v.place.kind == r->place && strcmp(v.place.name, r->name) == 0 &&
                    v.place.address[r->lane] == r->address;
        test_case(same, r->expression,
                  "%s type %d%u lanes %u active 0x%" PRIx64 " valid 0x%" PRIx64 " value 0x%" PRIx64
                  " place %d '%s' 0x%" PRIx64,
                  err != NULL ? lull_error_message(err) : "", (int)v.value.type.kind,
                  v.value.type.bits, v.value.lanes, v.value.active, v.value.valid,
                  v.value.v[r->lane], (int)v.place.kind, v.place.name, v.place.address[r->lane]);
        lull_error_free(err);
    }
    bad(lull_debug_evaluate(d, "1 +", &v), LULL_ERR_INVALID, "evaluate half an expression");
    bad(lull_debug_evaluate(d, "1000 / ($v1 - 1007)", &v), LULL_ERR_INVALID,
        "an active lane divides by zero");
    good(lull_debug_read_register(d, "v2", &v), "read v2");
    test_case(v.value.v[31] == 2031 && v.place.kind == LULL_PLACE_REGISTER, "v2 is read",
              "%" PRIu64, v.value.v[31]);
    bad(lull_debug_read_register(d, "nosuch", &v), LULL_ERR_INVALID, "read no register");
    bad(lull_debug_read_register(d, "lane", &v), LULL_ERR_INVALID, "$lane is no register");
    bad(lull_debug_read_register(d, "v1 + 1", &v), LULL_ERR_INVALID, "nor is an expression");
    test_case(v.value.v[31] == 2031, "an error leaves the value", "%" PRIu64, v.value.v[31]);
}

static void test_writes(struct lull_debug *d, struct script_wave *w)
{
    struct lull_value v = {.lanes = LANES, .valid = 0x80000005};
    for (unsigned i = 0; i < LANES; i++) {
        v.v[i] = 7000 + i;
    }
    good(lull_debug_write_register(d, "v2", &v), "write three lanes");
    test_case(w->vgpr[2][0] == 7000 && w->vgpr[2][1] == 2001 && w->vgpr[2][2] == 7002 &&
                  w->vgpr[2][30] == 2030 && w->vgpr[2][31] == 7031,
              "those and no others", "%u %u", w->vgpr[2][0], w->vgpr[2][1]);
    v = (struct lull_value){.lanes = 1, .valid = 0x6, .v = {9}};
    good(lull_debug_write_register(d, "v2", &v), "write one number to two lanes");
    test_case(w->vgpr[2][0] == 7000 && w->vgpr[2][1] == 9 && w->vgpr[2][2] == 9 &&
                  w->vgpr[2][3] == 2003,
              "to these lanes", "%u %u %u", w->vgpr[2][0], w->vgpr[2][1], w->vgpr[2][2]);
    v.lanes = 7;
    bad(lull_debug_write_register(d, "v2", &v), LULL_ERR_INVALID, "write seven numbers");
    v.lanes = LANES;
    bad(lull_debug_write_register(d, "s3", &v), LULL_ERR_INVALID, "write 32 numbers to an SGPR");
    v = (struct lull_value){.lanes = 1, .v = {0x1122334455667788}};
    good(lull_debug_write_register(d, "s[4:5]", &v), "write a pair");
    test_case(w->sgpr[4] == 0x55667788 && w->sgpr[5] == 0x11223344, "its halves", "0x%x 0x%x",
              w->sgpr[4], w->sgpr[5]);
    v.v[0] = 0xf0;
    good(lull_debug_write_register(d, "exec", &v), "write exec");
    struct lull_debug_wave_state state = {0};
    size_t n = 0;
    lull_debug_waves(d, &state, 1, &n);
    test_case(state.exec == 0xf0, "the wave's lanes are others", "0x%" PRIx64, state.exec);
    v.v[0] = 0xff;
    good(lull_debug_write_register(d, "exec", &v), "write exec back");
    bad(lull_debug_write_register(d, "wave", &v), LULL_ERR_INVALID, "$wave cannot be written");
    bad(lull_debug_write_register(d, "v1 ", &v), LULL_ERR_INVALID, "a name with a blank");
    good(lull_debug_assign(d, "$v2[*] = $v1"), "assign");
    test_case(w->vgpr[2][7] == 1007 && w->vgpr[2][31] == 7031, "all active lanes", "%u",
              w->vgpr[2][31]);
}

static void test_memory(struct lull_debug *d)
{
    uint32_t words[2] = {0x01020304, 0x05060708};
    uint32_t got[2] = {0};
    good(lull_debug_write(d, 0x100200, words, sizeof words), "write memory");
    good(lull_debug_read(d, 0x100204, got, 4), "read memory");
    test_case(got[0] == words[1], "what was written", "0x%x", got[0]);
    good(lull_debug_write_lds(d, 12, words, 4), "write LDS");
    good(lull_debug_read_lds(d, 12, got, 4), "read LDS");
    test_case(got[0] == words[0], "what was written to LDS", "0x%x", got[0]);
    bad(lull_debug_read_lds(d, 62, got, 4), LULL_ERR_INVALID, "read over the end of LDS");
    struct lull_error *err = lull_debug_read(d, 0x900000, got, 4);
    test_case(err != NULL && lull_error_code(err) == LULL_ERR_FAULT &&
                  lull_error_address(err) == 0x900000,
              "read where nothing is", "%s", err != NULL ? lull_error_message(err) : "no error");
    lull_error_free(err);
}

static void test_code(struct lull_debug *d)
{
    struct lull_debug_insn in = {0};
    struct lull_debug_source line = {0};
    uint64_t va = 0;
    good(lull_debug_disassemble(d, SCRIPT_BASE, &in), "disassemble");
    test_case(in.va == SCRIPT_BASE && in.size == 4 && strcmp(in.text, "s_nop 0") == 0 &&
                  in.symbol[0] == '\0',
              "s_nop", "%u '%s'", in.size, in.text);
    good(lull_debug_disassemble(d, STORE, &in), "disassemble a store");
    test_case(in.size == 8 && strcmp(in.text, "global_store_b32 v[2:3], v1, off") == 0, "store",
              "%u '%s'", in.size, in.text);
    bad(lull_debug_disassemble(d, 0x900000, &in), LULL_ERR_FAULT, "disassemble what is not there");
    bad(lull_debug_source(d, SCRIPT_BASE, &line), LULL_ERR_NOT_FOUND, "no source");
    good(lull_debug_location(d, "*$pc+8", &va), "location");
    test_case(va == SCRIPT_BASE + 8, "8 behind the pc", "0x%" PRIx64, va);
    bad(lull_debug_location(d, "simple.s:3", &va), LULL_ERR_NOT_FOUND, "a line that is not there");
}

static void test_steps(struct lull_debug *d)
{
    const struct lull_debug_event stepped = {
        .kind = LULL_DEBUG_STOPPED, .stop = LULL_STOP_STEP, .pc = SCRIPT_BASE + 4};
    const struct lull_debug_event there = {
        .kind = LULL_DEBUG_STOPPED, .stop = LULL_STOP_BREAKPOINT, .pc = SCRIPT_BASE + 8};
    skip_events(d);
    good(lull_debug_step(d, LULL_STEP_INSN, 4), "four steps of the loop of three");
    events(d, &stepped, 1, "event of a step");
    good(lull_debug_until(d, "*0x100008"), "until");
    events(d, &there, 1, "event of until");
    bad(lull_debug_until(d, "nosuch"), LULL_ERR_INVALID, "until nowhere");
    bad(lull_debug_until(d, "simple.s:3"), LULL_ERR_NOT_FOUND, "until a line that is not there");
    events(d, NULL, 0, "no event of it");
}

static void test_breakpoints(struct lull_debug *d)
{
    unsigned n = 0;
    struct lull_debug_event e = {
        .kind = LULL_DEBUG_STOPPED, .stop = LULL_STOP_BREAKPOINT, .pc = SCRIPT_BASE};
    bad(lull_debug_break(d, "*0x100002", NULL, false, &n), LULL_ERR_INVALID,
        "break inside an instruction");
    bad(lull_debug_break(d, "*0x100000", "$s0 ==", false, &n), LULL_ERR_INVALID,
        "break with half a condition");
    test_case(n == 0, "no number of an error", "%u", n);
    good(lull_debug_break(d, "*0x100000", "$v1 == 1003 || $v1 == 1006", false, &n), "break");
    test_case(n == 1, "number", "%u", n);
    lull_debug_set_locking(d, LULL_LOCK_ON);
    skip_events(d);
    good(lull_debug_continue(d), "continue to it");
    e.breakpoint = 1;
    e.lanes = 0x48;
    e.lane = 3;
    events(d, &e, 1, "event of a condition that holds in two lanes");
    good(lull_debug_condition(d, 1, NULL), "no condition");
    good(lull_debug_ignore(d, 1, 2), "ignore twice");
    struct lull_typed_value before = {0};
    struct lull_typed_value after = {0};
    good(lull_debug_read_register(d, "s0", &before), "read s0");
    good(lull_debug_continue(d), "pass it twice");
    good(lull_debug_read_register(d, "s0", &after), "read s0 again");
    test_case(after.value.v[0] - before.value.v[0] == 6, "three rounds of two", "%" PRIu64,
              after.value.v[0] - before.value.v[0]);
    e.lanes = 0;
    events(d, &e, 1, "event without a condition");
    good(lull_debug_break(d, "*0x100008", NULL, true, &n), "break once");
    good(lull_debug_enable(d, 1, false), "disable");
    good(lull_debug_continue(d), "continue to the temporary one");
    e = (struct lull_debug_event){
        .kind = LULL_DEBUG_STOPPED, .stop = LULL_STOP_BREAKPOINT, .lane = 3, .pc = SCRIPT_BASE + 8};
    events(d, &e, 1, "event of a temporary one");
    bad(lull_debug_delete(d, n), LULL_ERR_NOT_FOUND, "it is gone");
    good(lull_debug_delete(d, 1), "delete");
    bad(lull_debug_enable(d, 1, true), LULL_ERR_NOT_FOUND, "enable what was deleted");
    bad(lull_debug_condition(d, 1, "1"), LULL_ERR_NOT_FOUND, "nor has it a condition");
    bad(lull_debug_ignore(d, 1, 1), LULL_ERR_NOT_FOUND, "nor can it be ignored");
    bad(lull_debug_catch(d, LULL_CATCHPOINT_ALL, "", false, &n), LULL_ERR_UNSUPPORTED,
        "catch where there is one dispatch");
}

static void test_watch(struct lull_debug *d, struct script_wave *w)
{
    unsigned n = 0;
    for (unsigned i = 0; i < LANES; i++) {
        w->vgpr[2][i] = 0x100300 + 4 * i;
        w->vgpr[3][i] = 0;
    }
    const struct lull_value pc = {.lanes = 1, .v = {STORE}};
    good(lull_debug_write_register(d, "pc", &pc), "write pc");
    good(lull_debug_watch(d, "{u32}0x100310", LULL_WATCH_READ, true, NULL, &n),
         "watch reads in software");
    good(lull_debug_delete(d, n), "and no more");
    bad(lull_debug_watch(d, "{u32}0x900000", LULL_WATCH_WRITE, false, NULL, &n), LULL_ERR_FAULT,
        "watch what is not there");
    good(lull_debug_watch(d, "{u32}0x100310", LULL_WATCH_WRITE, false, NULL, &n), "watch");
    skip_events(d);
    good(lull_debug_continue(d), "continue to the store");
    const struct lull_debug_event e = {.kind = LULL_DEBUG_STOPPED,
                                       .stop = LULL_STOP_EXCEPTION,
                                       .lane = 4,
                                       .lanes = 0x10,
                                       .pc = STORE + 8,
                                       .breakpoint = n};
    events(d, &e, 1, "event of a watchpoint: lane 4 stores there");
    good(lull_debug_delete(d, n), "delete it");
}

static void test_fault(struct lull_debug *d, struct script_wave *w)
{
    const struct lull_value pc = {.lanes = 1, .v = {LOAD}};
    for (unsigned i = 0; i < LANES; i++) {
        w->vgpr[2][i] = i < 6 ? 0x100100 : 0x900000 + 4 * i;
        w->vgpr[3][i] = 0;
    }
    good(lull_debug_write_register(d, "pc", &pc), "write pc");
    skip_events(d);
    good(lull_debug_step(d, LULL_STEP_INSN, 1), "step over a load");
    const struct lull_debug_event e = {.kind = LULL_DEBUG_FAULT,
                                       .stop = LULL_STOP_MEMORY,
                                       .lane = 6,
                                       .lanes = 0xc0,
                                       .pc = LOAD,
                                       .address = 0x900018};
    events(d, &e, 1, "lanes 6 and 7 are refused");
}

/* What was told, and how often. */
struct told {
    unsigned n;
    struct lull_debug_event last[4];
};

static void tell(void *ctx, const struct lull_debug_event *event)
{
    struct told *t = ctx;
    t->last[t->n++ % TEST_ROWS(t->last)] = *event;
}

static void test_end_of_it(struct lull_debug *d)
{
    static const struct lull_debug_event ended[] = {{.kind = LULL_DEBUG_DISPATCH_ENDED},
                                                    {.kind = LULL_DEBUG_ENDED}};
    struct told t = {0};
    lull_debug_set_locking(d, LULL_LOCK_STEP);
    good(lull_debug_kill(d), "kill");
    events(d, NULL, 0, "kill is no event");
    good(lull_debug_start(d, true), "start again");
    skip_events(d);
    good(lull_debug_continue(d), "continue to the end");
    events(d, ended, TEST_ROWS(ended), "events of the end");
    bad(lull_debug_continue(d), LULL_ERR_INVALID, "continue behind the end");
    lull_debug_on_event(d, tell, &t);
    good(lull_debug_start(d, false), "start without a stop");
    test_case(t.n == 3, "three events are told", "%u", t.n);
    same_event(&t.last[0], &(struct lull_debug_event){.kind = LULL_DEBUG_DISPATCH_BEGAN},
               "told: it began");
    same_event(&t.last[1], &ended[0], "told: the dispatch ended");
    same_event(&t.last[2], &ended[1], "told: all ended");
    events(d, NULL, 0, "what is told is not kept");
}

static void test_kernel(void)
{
    static struct made m;
    if (make(&m, 0)) {
        test_start(m.d, &m.target);
        test_values(m.d);
        test_memory(m.d);
        test_code(m.d);
        test_writes(m.d, &m.target.wave[0]);
        test_steps(m.d);
        test_breakpoints(m.d);
        test_watch(m.d, &m.target.wave[0]);
        test_fault(m.d, &m.target.wave[0]);
        test_end_of_it(m.d);
    }
    lull_debug_close(m.d);
}

static void test_program(void)
{
    static struct made m;
    static const struct lull_debug_event held[] = {
        {.kind = LULL_DEBUG_DISPATCH_BEGAN},
        {.kind = LULL_DEBUG_DISPATCH_BEGAN, .dispatch = 1},
        {.kind = LULL_DEBUG_DISPATCH_ENDED},
        {.kind = LULL_DEBUG_DISPATCH_HELD, .dispatch = 1}};
    static const struct lull_debug_event inside = {
        .kind = LULL_DEBUG_STOPPED, .stop = LULL_STOP_START, .pc = SCRIPT_BASE, .dispatch = 1};
    static const struct lull_debug_event rest[] = {
        {.kind = LULL_DEBUG_DISPATCH_BEGAN, .dispatch = 2},
        {.kind = LULL_DEBUG_DISPATCH_ENDED, .dispatch = 1},
        {.kind = LULL_DEBUG_DISPATCH_ENDED, .dispatch = 2},
        {.kind = LULL_DEBUG_ENDED, .dispatch = 2}};
    unsigned n = 0;
    if (make(&m, 3)) {
        bad(lull_debug_catch(m.d, LULL_CATCHPOINT_NUMBER, "1 2", false, &n), LULL_ERR_INVALID,
            "catch two numbers");
        bad(lull_debug_catch(m.d, LULL_CATCHPOINT_PIPELINE, "xyz", false, &n), LULL_ERR_INVALID,
            "catch a hash that is not one");
        bad(lull_debug_catch(m.d, LULL_CATCHPOINT_NAME, "(", false, &n), LULL_ERR_INVALID,
            "catch half a regular expression");
        good(lull_debug_catch(m.d, LULL_CATCHPOINT_NUMBER, "1", false, &n), "catch");
        bad(lull_debug_condition(m.d, n, "1"), LULL_ERR_INVALID, "a catchpoint has no condition");
        good(lull_debug_start(m.d, false), "start a program");
        events(m.d, held, TEST_ROWS(held), "events up to the held dispatch");
        good(lull_debug_step(m.d, LULL_STEP_INSN, 1), "step into it");
        events(m.d, &inside, 1, "event of its first instruction");
        good(lull_debug_continue(m.d), "continue to the end of the program");
        events(m.d, rest, TEST_ROWS(rest), "events of the rest");
    }
    lull_debug_close(m.d);
}

/* One wave of two has the lane: the other goes on, and is not told of. */
static void test_goal(void)
{
    static struct made m;
    static const struct lull_debug_goal goal = {.kind = LULL_DEBUG_VERTEX, .draw = UINT64_MAX};
    static const struct lull_debug_event there = {.kind = LULL_DEBUG_STOPPED,
                                                  .stop = LULL_STOP_START,
                                                  .wave = 1,
                                                  .lane = 5,
                                                  .lanes = 0x20,
                                                  .pc = SCRIPT_BASE};
    static const struct lull_debug_event rest[] = {{.kind = LULL_DEBUG_DISPATCH_ENDED},
                                                   {.kind = LULL_DEBUG_ENDED}};
    for (unsigned found = 0; found < 2; found++) {
        unsigned n = 0;
        if (make(&m, 1)) {
            bad(lull_debug_go_to(m.d, &goal), LULL_ERR_INVALID, "go to a vertex before start");
            good(lull_debug_catch(m.d, LULL_CATCHPOINT_ALL, "", false, &n), "catch");
            good(lull_debug_start(m.d, false), "start a program");
            skip_events(m.d);
            m.target.goal = (struct lull_aimed){.found = found != 0, .hw_id1 = 1, .lane = 5};
            good(lull_debug_go_to(m.d, &goal), "go to a vertex");
            if (found != 0) {
                events(m.d, &there, 1, "event of its lane");
                good(lull_debug_continue(m.d), "continue behind it");
            }
            events(m.d, rest, TEST_ROWS(rest), found != 0 ? "the end" : "it did not come");
        }
        lull_debug_close(m.d);
    }
    if (make(&m, 0)) {
        bad(lull_debug_go_to(m.d, &goal), LULL_ERR_UNSUPPORTED, "a kernel has no vertices");
    }
    lull_debug_close(m.d);
}

/* Nobody waits any more for what an interrupt stops late: it goes on. */
static void test_late_interrupt(void)
{
    static struct made m;
    static const struct lull_debug_event ended[] = {{.kind = LULL_DEBUG_DISPATCH_ENDED},
                                                    {.kind = LULL_DEBUG_ENDED}};
    for (unsigned i = 0; i < SCRIPT_WAVES; i++) {
        if (make(&m, 0)) {
            good(lull_debug_start(m.d, true), "start both waves");
            skip_events(m.d);
            m.target.late = &m.target.wave[i];
            good(lull_debug_continue(m.d), "continue, and one is stopped late");
            events(m.d, ended, TEST_ROWS(ended), "events of the end");
        }
        lull_debug_close(m.d);
    }
}

int main(void)
{
    test_late_interrupt();
    test_kernel();
    test_program();
    test_goal();
    return test_end();
}
