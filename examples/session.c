// SPDX-License-Identifier: MIT
/*
 * A debugging session from C: stops the waves of simple.s in front of their store, looks at what
 * they are about to store, changes it, and lets them go on.
 *
 *   cc -Iinclude examples/session.c -Lbuild -llull -o session
 *   LD_LIBRARY_PATH=build ./session examples/simple.s
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <lull/debug.h>

enum { ITEMS = 64, LANES = 32 };

static int failed(struct lull_error *err, const char *what)
{
    if (err != NULL) {
        fprintf(stderr, "%s: %s\n", what, lull_error_message(err));
        lull_error_free(err);
    }
    return err != NULL;
}

/* The first instruction from @p va on whose text begins with @p name. */
static int find(struct lull_debug *d, uint64_t va, const char *name, struct lull_debug_insn *ret)
{
    do {
        if (failed(lull_debug_disassemble(d, va, ret), "disassemble")) {
            return 1;
        }
        va += ret->size;
    } while (strncmp(ret->text, name, strlen(name)) != 0);
    return 0;
}

static void print_events(struct lull_debug *d)
{
    static const char *const kinds[] = {
        [LULL_DEBUG_DISPATCH_BEGAN] = "dispatch began",
        [LULL_DEBUG_STOPPED] = "stopped",
        [LULL_DEBUG_DISPATCH_ENDED] = "dispatch ended",
        [LULL_DEBUG_ENDED] = "ended",
        [LULL_DEBUG_FAULT] = "fault",
    };
    struct lull_debug_event e;
    while (lull_debug_next_event(d, &e)) {
        printf("event: %s", kinds[e.kind]);
        if (e.kind == LULL_DEBUG_STOPPED || e.kind == LULL_DEBUG_FAULT) {
            printf(", wave %u, breakpoint %u", e.wave, e.breakpoint);
        }
        printf("\n");
    }
}

/* The value of an expression in each lane, "-" where it has none. */
static int print_value(struct lull_debug *d, const char *expression)
{
    struct lull_typed_value v;
    if (failed(lull_debug_evaluate(d, expression, &v), expression)) {
        return 1;
    }
    printf("%s:", expression);
    for (unsigned i = 0; i < v.value.lanes; i++) {
        if ((v.value.valid >> i & 1) == 0) {
            printf(" -");
        } else if (v.value.type.kind == LULL_CTYPE_FLOAT && v.value.type.bits == 32) {
            const uint32_t bits = (uint32_t)v.value.v[i];
            float f;
            memcpy(&f, &bits, sizeof f);
            printf(" %g", (double)f);
        } else {
            printf(" %" PRId32, (int32_t)v.value.v[i]);
        }
    }
    printf("\n");
    return 0;
}

/* Stop in front of the store, with every wave. */
static int go_to_store(struct lull_debug *d)
{
    struct lull_debug_insn store;
    struct lull_debug_source line;
    uint64_t va = 0;
    char place[32];
    unsigned number = 0;
    if (failed(lull_debug_location(d, "simple", &va), "location") ||
        find(d, va, "global_store", &store) ||
        failed(lull_debug_source(d, store.va, &line), "source")) {
        return 1;
    }
    printf("<%s+0x%" PRIx64 "> line %" PRIu32 ": %s\n", store.symbol, store.offset, line.line,
           store.text);
    snprintf(place, sizeof place, "*0x%" PRIx64, store.va);
    return failed(lull_debug_break(d, place, NULL, false, &number), "break") ||
           failed(lull_debug_start(d, false), "start");
}

/* Wave 0: lanes 0 to 3 store something else. */
static int change_lanes(struct lull_debug *d)
{
    struct lull_typed_value v;
    if (failed(lull_debug_select(d, 0, 0), "select") || print_value(d, "$v2") ||
        print_value(d, "(float)$v2 / 2") ||
        failed(lull_debug_read_register(d, "v2", &v), "read v2")) {
        return 1;
    }
    v.value.valid = 0xf;
    for (unsigned i = 0; i < 4; i++) {
        v.value.v[i] = 1000 + i;
    }
    return failed(lull_debug_write_register(d, v.place.name, &v.value), "write v2");
}

/* Wave 1: only lanes 0 to 7 store. */
static int turn_lanes_off(struct lull_debug *d)
{
    const struct lull_value exec = {.lanes = 1, .v = {0xff}};
    return failed(lull_debug_select(d, 1, 0), "select") ||
           failed(lull_debug_write_register(d, "exec", &exec), "write exec") ||
           print_value(d, "100 / ((int)$v0 - 50)"); // lane 18 would divide by 0: it is off
}

static int run(struct lull_debug *d)
{
    struct lull_typed_value out;
    uint32_t result[ITEMS];
    if (go_to_store(d)) {
        return 1;
    }
    print_events(d);
    if (change_lanes(d) || turn_lanes_off(d) ||
        failed(lull_debug_continue(d), "continue")) { // wave 1 stands at the breakpoint, too
        return 1;
    }
    print_events(d);
    if (failed(lull_debug_continue(d), "continue")) {
        return 1;
    }
    print_events(d);
    if (failed(lull_debug_evaluate(d, "out", &out), "out") ||
        failed(lull_debug_read(d, out.value.v[0], result, sizeof result), "read out")) {
        return 1;
    }
    for (unsigned i = 0; i < ITEMS; i++) {
        printf("%s%" PRIu32, i % 16 == 0 ? "\n" : " ", result[i]);
    }
    printf("\n");
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t out[ITEMS];
    for (unsigned i = 0; i < ITEMS; i++) {
        out[i] = 7;
    }
    const struct lull_debug_arg arg = {LULL_DEBUG_BUFFER, "out", out, sizeof out};
    const struct lull_debug_kernel kernel = {
        .path = argc > 1 ? argv[1] : "examples/simple.s",
        .grid = {ITEMS},
        .block = {ITEMS},
        .args = &arg,
        .nargs = 1,
    };
    struct lull_debug *d = NULL;
    if (failed(lull_debug_open_kernel(&kernel, &d), "open")) {
        return 1;
    }
    const int status = run(d);
    lull_debug_close(d);
    return status;
}
