// SPDX-License-Identifier: MIT
// <lull/debug.h> on the model: kernels of examples/ opened, run, stopped, and their results. What
// must come out is what the kernels' own sources say, computed here.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lull/debug.h>

#include "test.h"

enum { ITEMS = 256, SAXPY_N = 100, SAXPY_LINE = 11 };
#define SAXPY_A 2.5f

/** Path of an example; overwritten by the next call. */
struct path {
    char text[1024];
};

static struct path example(const char *name)
{
    struct path p = {{0}};
    const char *root = getenv("LULL_SOURCE");
    snprintf(p.text, sizeof p.text, "%s/examples/%s", root != NULL ? root : "..", name);
    return p;
}

static bool good(struct lull_error *err, const char *name)
{
    const bool ok = err == NULL;
    test_case(ok, name, "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    return ok;
}

static void bad(struct lull_error *err, enum lull_error_code code, const char *word,
                const char *name)
{
    test_case(err != NULL && lull_error_code(err) == code &&
                  strstr(lull_error_message(err), word) != NULL,
              name, "expected code %d with '%s', got %d '%s'", (int)code, word,
              err != NULL ? (int)lull_error_code(err) : 0,
              err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
}

/* The newest event; the older ones are dropped. */
static struct lull_debug_event newest(struct lull_debug *d)
{
    struct lull_debug_event e = {0};
    while (lull_debug_next_event(d, &e)) {
    }
    return e;
}

static void is_kind(struct lull_debug *d, enum lull_debug_event_kind kind, const char *name)
{
    const struct lull_debug_event e = newest(d);
    test_case(e.kind == kind, name, "kind %d, expected %d", (int)e.kind, (int)kind);
}

static bool read_buffer(struct lull_debug *d, const char *name, void *buf, size_t size)
{
    struct lull_typed_value v = {0};
    return good(lull_debug_evaluate(d, name, &v), "address of a buffer") &&
           good(lull_debug_read(d, v.value.v[0], buf, size), "read a buffer");
}

static void test_open(void)
{
    static const uint8_t noise[64] = {1, 2, 3};
    static uint32_t out[ITEMS];
    const struct path loop = example("loop.s");
    const struct path nothing = example("nothing.s");
    const struct lull_debug_arg buffer = {LULL_DEBUG_BUFFER, "out", out, sizeof out};
    const struct lull_debug_arg empty = {LULL_DEBUG_BUFFER, "out", NULL, 0};
    const struct lull_debug_arg value = {LULL_DEBUG_VALUE, NULL, out, 65};
    const struct lull_debug_arg number = {LULL_DEBUG_VALUE, NULL, out, 4};
    const struct lull_debug_kernel base = {
        .path = loop.text, .grid = {ITEMS}, .block = {ITEMS}, .args = &buffer, .nargs = 1};
    struct lull_debug *d = NULL;
    struct lull_debug_kernel k = base;
    k.path = NULL;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_INVALID, "path or code", "neither path nor code");
    k.code = noise;
    k.code_size = sizeof noise;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_UNSUPPORTED, "ELF", "code that is noise");
    k.path = loop.text;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_INVALID, "path or code", "both");
    k = base;
    k.path = nothing.text;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_OS, "nothing.s", "a file that is not there");
    k = base;
    k.name = "simple";
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_NOT_FOUND, "'simple'", "a kernel not in it");
    k = base;
    k.nargs = 0;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_INVALID, "argument", "an argument too few");
    k = base;
    k.args = &empty;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_INVALID, "argument 0", "an empty buffer");
    k.args = &value;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_INVALID, "argument 0", "a value too large");
    k.args = &number;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_INVALID, "", "a number of 4 bytes for a buffer");
    k = base;
    k.grid[0] = 0;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_INVALID, "", "no work-items");
    k = base;
    k.block[0] = 1025;
    bad(lull_debug_open_kernel(&k, &d), LULL_ERR_INVALID, "", "a workgroup too large");
    bad(lull_debug_open_socket("/nonexistent/socket", &d), LULL_ERR_OS, "", "nobody listens");
    test_case(d == NULL, "an error gives no session", "%p", (void *)d);
    lull_debug_close(NULL);
}

/* loop.s: out[i] = 250 (i + 1). Stopped in a round, one lane changed; run again, it is as given. */
static void test_again(void)
{
    static uint32_t out[ITEMS];
    const struct path loop = example("loop.s");
    const struct lull_debug_arg arg = {LULL_DEBUG_BUFFER, NULL, NULL, sizeof out};
    const struct lull_debug_kernel k = {.path = loop.text,
                                        .name = "loop",
                                        .grid = {ITEMS},
                                        .block = {ITEMS},
                                        .args = &arg,
                                        .nargs = 1};
    struct lull_debug *d = NULL;
    struct lull_value v = {.lanes = 1, .valid = 1u << 5, .v = {1000000}};
    unsigned n = 0;
    size_t waves = 0;
    if (!good(lull_debug_open_kernel(&k, &d), "open loop.s")) {
        return;
    }
    good(lull_debug_break(d, "loop+0x14", "$wave == 3", true, &n), "break in wave 3");
    good(lull_debug_start(d, false), "start");
    const struct lull_debug_event e = newest(d);
    test_case(e.kind == LULL_DEBUG_STOPPED && e.wave == 3, "wave 3 stopped", "kind %d wave %u",
              (int)e.kind, e.wave);
    lull_debug_waves(d, NULL, 0, &waves);
    test_case(waves == 8, "all 8 waves stand", "%zu", waves);
    good(lull_debug_write_register(d, "v2", &v), "write a lane");
    good(lull_debug_continue(d), "continue");
    is_kind(d, LULL_DEBUG_ENDED, "it ended");
    if (read_buffer(d, "out", out, sizeof out)) {
        // stopped in front of the first round: all 250 of them come on top
        test_case(out[101] == 1000000 + 250 * 102 && out[100] == 250 * 101,
                  "lane 5 of wave 3 is item 101", "%" PRIu32 " %" PRIu32, out[101], out[100]);
    }
    good(lull_debug_start(d, false), "start again");
    is_kind(d, LULL_DEBUG_ENDED, "it ended again");
    unsigned wrong = 0;
    if (read_buffer(d, "out", out, sizeof out)) {
        for (unsigned i = 0; i < ITEMS; i++) {
            wrong += out[i] != 250 * (i + 1);
        }
        test_case(wrong == 0, "as if nothing had been", "%u items are wrong", wrong);
    }
    good(lull_debug_start(d, true), "start, and leave it standing");
    lull_debug_close(d);
}

/* What the buffer y holds now that x and y were given. */
static void is_saxpy(struct lull_debug *d, const float *x, const float *y, const char *name)
{
    static float result[128];
    unsigned wrong = 0;
    if (read_buffer(d, "y", result, sizeof result)) {
        for (unsigned i = 0; i < 128; i++) {
            const float want = i < SAXPY_N ? fmaf(SAXPY_A, x[i], y[i]) : y[i];
            wrong += result[i] != want;
        }
        test_case(wrong == 0, name, "%u items are wrong", wrong);
    }
}

/* saxpy.cl at -O0: the line of the store, by its number; values, and lanes that are off. */
static void test_source(void)
{
    static float x[128];
    static float y[128];
    const float a = SAXPY_A;
    const uint32_t n = SAXPY_N;
    const struct path saxpy = example("saxpy.cl");
    const struct lull_debug_arg args[] = {{LULL_DEBUG_BUFFER, "y", y, sizeof y},
                                          {LULL_DEBUG_BUFFER, "x", x, sizeof x},
                                          {LULL_DEBUG_VALUE, NULL, &a, sizeof a},
                                          {LULL_DEBUG_VALUE, NULL, &n, sizeof n}};
    const struct lull_debug_kernel k = {
        .path = saxpy.text, .grid = {128}, .block = {64}, .args = args, .nargs = 4};
    struct lull_debug *d = NULL;
    struct lull_debug_source line = {0};
    unsigned number = 0;
    for (unsigned i = 0; i < 128; i++) {
        x[i] = (float)i;
        y[i] = 0.5f * (float)i;
    }
    if (!good(lull_debug_open_kernel(&k, &d), "open saxpy.cl")) {
        return;
    }
    bad(lull_debug_break(d, "saxpy.cl:400", NULL, false, &number), LULL_ERR_NOT_FOUND,
        "saxpy.cl:400", "break behind the end of the file");
    good(lull_debug_break(d, "saxpy.cl:11", NULL, false, &number), "break at a line");
    good(lull_debug_start(d, false), "start");
    struct lull_debug_event e = newest(d);
    good(lull_debug_source(d, e.pc, &line), "source of the stop");
    test_case(e.breakpoint == number && line.line == SAXPY_LINE && line.va == e.pc &&
                  strstr(line.file, "saxpy.cl") != NULL,
              "it stopped at the line", "breakpoint %u, %s:%" PRIu32, e.breakpoint,
              line.file != NULL ? line.file : "", line.line);
    good(lull_debug_delete(d, number), "delete");
    good(lull_debug_step(d, LULL_STEP_LINE, 1), "step a line");
    e = newest(d);
    good(lull_debug_source(d, e.pc, &line), "source behind the step");
    test_case(e.stop == LULL_STOP_STEP && line.line > SAXPY_LINE, "another line", "%" PRIu32,
              line.line);
    good(lull_debug_continue(d), "continue");
    is_kind(d, LULL_DEBUG_ENDED, "it ended");
    is_saxpy(d, x, y, "y = a x + y, up to n");
    good(lull_debug_start(d, false), "start again");
    is_saxpy(d, x, y, "y was as given before");
    lull_debug_close(d);
}

/* saxpy.cl with a = infinity: fma(a, 0, 0) is invalid in item 0 alone, and gives a NaN. */
static void test_exceptions(void)
{
    static float x[128];
    static float y[128];
    const float a = INFINITY;
    const uint32_t n = SAXPY_N;
    const struct path saxpy = example("saxpy.cl");
    const struct lull_debug_arg args[] = {{LULL_DEBUG_BUFFER, "y", y, sizeof y},
                                          {LULL_DEBUG_BUFFER, "x", x, sizeof x},
                                          {LULL_DEBUG_VALUE, NULL, &a, sizeof a},
                                          {LULL_DEBUG_VALUE, NULL, &n, sizeof n}};
    const struct lull_debug_kernel k = {
        .path = saxpy.text, .grid = {128}, .block = {64}, .args = args, .nargs = 4};
    struct lull_debug *d = NULL;
    unsigned number = 0;
    for (unsigned i = 0; i < 128; i++) {
        x[i] = (float)i;
    }
    if (!good(lull_debug_open_kernel(&k, &d), "open saxpy.cl")) {
        return;
    }
    bad(lull_debug_catch_exceptions(d, 0, &number), LULL_ERR_INVALID, "0x0", "no exception");
    bad(lull_debug_catch_exceptions(d, 1u << 7, &number), LULL_ERR_INVALID, "0x80",
        "an exception that there is not");
    good(lull_debug_catch_exceptions(d, LULL_EXCEPTION_INVALID | LULL_EXCEPTION_OVERFLOW, &number),
         "catch exceptions");
    good(lull_debug_start(d, false), "start");
    const struct lull_debug_event e = newest(d);
    test_case(e.kind == LULL_DEBUG_STOPPED && e.stop == LULL_STOP_EXCEPTION &&
                  e.exceptions == LULL_EXCEPTION_INVALID && e.breakpoint == number &&
                  e.lanes == 1 && e.lane == 0,
              "stopped at the invalid operation of lane 0",
              "kind %d stop %d exceptions 0x%" PRIx32 " breakpoint %u lanes 0x%" PRIx64,
              (int)e.kind, (int)e.stop, e.exceptions, e.breakpoint, e.lanes);
    good(lull_debug_continue(d), "continue");
    is_kind(d, LULL_DEBUG_ENDED, "no other wave raises one");
    lull_debug_close(d);
}

/* oob_store.cl: work-item 71 stores 4 GiB and a bit behind out. */
static void test_fault(void)
{
    static uint32_t out[128];
    const struct path oob = example("oob_store.cl");
    const struct lull_debug_arg arg = {LULL_DEBUG_BUFFER, "out", out, sizeof out};
    const struct lull_debug_kernel k = {
        .path = oob.text, .grid = {128}, .block = {128}, .args = &arg, .nargs = 1};
    struct lull_debug *d = NULL;
    struct lull_debug_wave_state w[4] = {0};
    struct lull_typed_value v = {0};
    size_t n = 0;
    if (!good(lull_debug_open_kernel(&k, &d), "open oob_store.cl")) {
        return;
    }
    good(lull_debug_start(d, false), "start");
    const struct lull_debug_event e = newest(d);
    good(lull_debug_evaluate(d, "out", &v), "address of out");
    test_case(e.kind == LULL_DEBUG_FAULT && e.stop == LULL_STOP_MEMORY && e.lane == 7 &&
                  e.lanes == 1u << 7 && e.address == v.value.v[0] + 4 * ((UINT64_C(1) << 28) + 71),
              "lane 7 and its address", "kind %d lane %u lanes 0x%" PRIx64 " address 0x%" PRIx64,
              (int)e.kind, e.lane, e.lanes, e.address);
    lull_debug_waves(d, w, 4, &n);
    bool second = false;
    for (size_t i = 0; i < n && i < 4; i++) {
        second = second || (w[i].in_focus && w[i].wave_in_group == 2);
    }
    test_case(second, "in the group's wave 2", "%zu waves", n);
    lull_debug_close(d);
}

/* Two of 32 items print; what came is in the order of the buffer, by the verb that ends it. */
static void test_printf(void)
{
    static const char text[] = "kernel void say(global uint *out)\n"
                               "{\n"
                               "    const uint i = get_global_id(0);\n"
                               "    out[i] = i;\n"
                               "    if (i % 20 == 7) {\n"
                               "        printf(\"item %u of %s\\n\", i, \"say\");\n"
                               "    }\n"
                               "}\n";
    static uint32_t out[32];
    char name[] = "/tmp/lull-test-say-XXXXXX.cl";
    const int fd = mkstemps(name, 3);
    const struct lull_debug_arg arg = {LULL_DEBUG_BUFFER, "out", out, sizeof out};
    const struct lull_debug_kernel k = {
        .path = name, .grid = {32}, .block = {32}, .args = &arg, .nargs = 1, .printf = true};
    struct lull_debug *d = NULL;
    struct lull_debug_event e = {0};
    char got[128] = "";
    bool written = fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)(sizeof text - 1);
    if (written && good(lull_debug_open_kernel(&k, &d), "open a kernel with printf")) {
        good(lull_debug_start(d, false), "start it");
        good(lull_debug_start(d, false), "start it again");
        while (lull_debug_next_event(d, &e)) {
            size_t n = strlen(got);
            snprintf(got + n, sizeof got - n, "%s",
                     e.kind == LULL_DEBUG_OUTPUT  ? e.text
                     : e.kind == LULL_DEBUG_ENDED ? "ended\n"
                                                  : "");
        }
        test_case(strcmp(got, "item 7 of say\nitem 27 of say\nended\n"
                              "item 7 of say\nitem 27 of say\nended\n") == 0,
                  "what it printed, in each run", "'%s'", got);
    }
    lull_debug_close(d);
    close(fd);
    remove(name);
}

static bool third_time(void *ctx)
{
    unsigned *n = ctx;
    return ++*n == 3;
}

/* hang.cl waits for ever. */
static void test_hang(void)
{
    static uint32_t flag[32];
    unsigned asked = 0;
    const struct path hang = example("hang.cl");
    const struct lull_debug_arg arg = {LULL_DEBUG_BUFFER, "flag", flag, sizeof flag};
    const struct lull_debug_kernel k = {
        .path = hang.text, .grid = {32}, .block = {32}, .args = &arg, .nargs = 1};
    struct lull_debug *d = NULL;
    const uint32_t one[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct lull_typed_value v = {0};
    if (!good(lull_debug_open_kernel(&k, &d), "open hang.cl")) {
        return;
    }
    lull_debug_set_timeout(d, 20);
    good(lull_debug_start(d, false), "start what hangs");
    is_kind(d, LULL_DEBUG_TIMED_OUT, "time is up");
    lull_debug_set_timeout(d, 0);
    lull_debug_set_interrupt(d, third_time, &asked);
    good(lull_debug_continue(d), "continue until asked");
    const struct lull_debug_event e = newest(d);
    test_case(asked == 3 && e.kind == LULL_DEBUG_STOPPED && e.interrupted &&
                  e.stop == LULL_STOP_HOST,
              "stopped because it was asked for", "asked %u, kind %d", asked, (int)e.kind);
    good(lull_debug_evaluate(d, "flag", &v), "address of flag");
    good(lull_debug_write(d, v.value.v[0], one, sizeof one), "write what it waits for");
    good(lull_debug_continue(d), "continue to the end");
    is_kind(d, LULL_DEBUG_ENDED, "it ended");
    if (read_buffer(d, "flag", flag, sizeof flag)) {
        test_case(flag[0] == 2 && flag[31] == 2, "and did what comes after", "%" PRIu32, flag[31]);
    }
    lull_debug_close(d);
}

int main(void)
{
    test_open();
    test_again();
    test_source();
    test_exceptions();
    test_fault();
    test_hang();
    test_printf();
    return test_end();
}
