// SPDX-License-Identifier: MIT
/* lull stomp: which registers or buffers with garbage in them make a program fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/opt/command.h"
#include "cli/opt/gpu.h"
#include "cli/opt/stomp.h"
#include "cli/run/bisect.h"
#include "hw/achips.h"
#include "hw/adreno_doms.h"
#include "hw/stale.h"

enum { TEXT = 16, BUFFERS = 256, FIXED = 16, FIRST = 0x0c00, LAST = 0xbe01, REGS = 0x10000 };

enum { AT_CMDBUF = 1, AT_PASS = 2, INVERSE = 4 };

struct args {
    struct lull_bisect b;
    const char *gpu, *range, *flags, *predicate;
    bool memory;
    char **program;
    // What follows from them.
    unsigned gen, when;
    char (*names)[TEXT]; // Of flags; owned.
    char self[4096];
    char **argv; // Owned; the texts are not.
};

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME", "the Adreno: a630, a660, as if not given, or a740", LULL_OPT_TEXT,
     LULL_OPT_AT(struct args, gpu)},
    {"--range", NULL, "FIRST,LAST", "registers from FIRST to LAST; 0x0c00,0xbe01 if not given",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, range)},
    {"--flags", NULL, "cmdbuf,renderpass,inverse",
     "when registers are filled: in front of each submit, as if not given, or at the start of each "
     "render pass, or both; inverse: the registers outside of --range",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, flags)},
    {"--memory", NULL, NULL, "fill new buffers instead of registers", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, memory)},
    {"--while", NULL, "COMMAND",
     "after each run sh runs COMMAND, with the program's exit status in $STATUS: the run is wrong "
     "if COMMAND succeeds, and cannot be told if it ends with 125",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, predicate)},
    {"--runs", NULL, "N", "run each set up to N times: it passes if all of them do; 1 if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, b.runs), .min = 1},
    {"--timeout", NULL, "SECONDS", "a run that takes longer is ended, and fails", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, b.timeout_s), .min = 1, .max = UINT32_MAX},
    {"--output", NULL, NULL, "show what the program prints, on standard error", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, b.output)},
    {"--json", NULL, NULL, "the result as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct args, b.json)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct args, program), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *read_flags(struct args *a)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"cmdbuf", AT_CMDBUF}, {"renderpass", AT_PASS}, {"inverse", INVERSE}};
    const char *at = a->flags != NULL ? a->flags : "";
    while (*at != '\0') {
        const size_t n = strcspn(at, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            bit |=
                strlen(known[i].name) == n && memcmp(at, known[i].name, n) == 0 ? known[i].bit : 0;
        }
        if (bit == 0) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "--flags '%s': there are cmdbuf, renderpass and inverse", at);
        }
        a->when |= bit;
        at += n + (at[n] == ',');
    }
    a->when |= (a->when & (AT_CMDBUF | AT_PASS)) == 0 ? AT_CMDBUF : 0;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_range(const struct args *a, uint32_t *first,
                                                   uint32_t *last)
{
    char *end = NULL;
    *first = FIRST;
    *last = LAST;
    if (a->range == NULL) {
        return NULL;
    }
    const unsigned long long from = strtoull(a->range, &end, 0);
    const bool two = end != a->range && *end == ',';
    const char *rest = two ? end + 1 : end;
    const unsigned long long to = two ? strtoull(rest, &end, 0) : 0;
    if (!two || end == rest || *end != '\0' || to < from || to >= REGS) {
        return lull_error_new(LULL_ERR_INVALID, "--range '%s': want FIRST,LAST, up to 0x%x",
                              a->range, REGS - 1);
    }
    *first = (uint32_t)from;
    *last = (uint32_t)to;
    return NULL;
}

static void add(struct args *a, const char *fmt, uint32_t number)
{
    char *name = a->names[a->b.nflags];
    (void)snprintf(name, TEXT, fmt, (unsigned)number);
    a->b.flags[a->b.nflags++] = (struct lull_bisect_flag){.flag = name};
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/** The things that may hold garbage. */
LULL_MUST_USE static struct lull_error *things(struct args *a)
{
    uint32_t regs[2 * LULL_STOMP_MOST] = {0}, first = 0, last = 0;
    unsigned n = 0;
    struct lull_error *err = read_range(a, &first, &last);
    a->names = calloc(2 * LULL_STOMP_MOST, sizeof *a->names);
    a->b.flags = calloc(2 * LULL_STOMP_MOST, sizeof *a->b.flags);
    if (err != NULL || a->names == NULL || a->b.flags == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    for (uint32_t i = 1; a->memory && i <= BUFFERS; i++) {
        add(a, "%u", i);
    }
    for (unsigned pass = 0; !a->memory && pass < 2; pass++) {
        if ((a->when & (pass != 0 ? AT_PASS : AT_CMDBUF)) != 0) {
            const unsigned all = lull_stale_registers(a->gen, pass != 0, regs + n, LULL_STOMP_MOST);
            n += all < LULL_STOMP_MOST ? all : LULL_STOMP_MOST;
        }
    }
    qsort(regs, n, sizeof regs[0], by_number);
    for (unsigned i = 0; i < n; i++) {
        if ((regs[i] >= first && regs[i] <= last) == ((a->when & INVERSE) == 0)) {
            add(a, "0x%04x", regs[i]);
        }
    }
    return a->b.nflags != 0
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "--range: no register there may hold garbage");
}

/** lull exec with the program; and the command behind it. */
LULL_MUST_USE static struct lull_error *command(struct args *a)
{
    static char script[] = "\"$@\"; STATUS=$?; export STATUS; sh -c \"$LULL_STOMP_WHILE\"; r=$?; "
                           "[ $r = 125 ] && exit 125; [ $r != 0 ]";
    static char sh[] = "sh", c[] = "-c", exec[] = "exec", gpu[] = "--gpu", at[] = "--stomp-at",
                memory[] = "--stomp-memory", stomp[] = "--stomp", none[] = "none", rest[] = "--";
    static char both[] = "both", pass[] = "renderpass", cmdbuf[] = "cmdbuf";
    size_t n = 0, args = 0;
    const ssize_t size = readlink("/proc/self/exe", a->self, sizeof a->self - 1);
    while (a->program[args] != NULL) {
        args++;
    }
    a->argv = calloc(args + FIXED, sizeof(char *));
    if (a->argv == NULL || size <= 0) {
        return a->argv == NULL ? &lull_enomem
                               : lull_error_new(LULL_ERR_OS, "lull does not find itself");
    }
    if (a->predicate != NULL) {
        if (setenv("LULL_STOMP_WHILE", a->predicate, 1) != 0) {
            return &lull_enomem;
        }
        a->argv[n++] = sh, a->argv[n++] = c, a->argv[n++] = script, a->argv[n++] = sh;
    }
    a->argv[n++] = a->self, a->argv[n++] = exec, a->argv[n++] = gpu, a->argv[n++] = (char *)a->gpu;
    if (!a->memory) {
        const bool two = (a->when & AT_CMDBUF) != 0 && (a->when & AT_PASS) != 0;
        a->argv[n++] = at;
        a->argv[n++] = two ? both : (a->when & AT_PASS) != 0 ? pass : cmdbuf;
    }
    a->argv[n++] = a->memory ? memory : stomp;
    a->b.place = n;
    a->argv[n++] = none;
    a->argv[n++] = rest;
    memcpy(a->argv + n, a->program, args * sizeof(char *));
    a->b.argv = a->argv;
    return NULL;
}

static const char *register_of(const struct args *a, const char *flag, struct lull_str *name,
                               struct lull_str *fields)
{
    const struct lull_dom_state state = {.chip = a->gen};
    const uint32_t reg = (uint32_t)strtoul(flag, NULL, 0);
    const struct lull_dom_hit hit =
        lull_dom_at(&lull_dom_adreno, &state, &lull_dom_adreno.domains[LULL_ADRENO_DOM_A6XX], reg);
    const struct lull_dom_field *f = NULL;
    if (hit.reg == NULL) {
        return "";
    }
    lull_dom_name(&hit, name);
    const unsigned n = lull_dom_fields(&lull_dom_adreno, hit.reg, &f);
    for (unsigned i = 0; i < n; i++) {
        if (lull_dom_holds(&lull_dom_adreno, &state, f[i].cond)) {
            lull_str_addf(fields, "%s%s", fields->size != 0 ? ", " : "", f[i].name);
        }
    }
    return hit.reg->usage == LULL_DOM_USE_RP_BLIT ? "each render pass or blit"
                                                  : "each command buffer";
}

static void say(const struct args *a)
{
    const char *what = a->memory ? "buffer" : "register";
    if (a->b.nset == 0) {
        printf("\n%s passes, whatever %ss hold.\n", a->program[0], what);
        return;
    }
    printf("\n%s fails with garbage in %s%s:\n", a->program[0],
           a->b.nset > 1 ? "these together, and no fewer of them" : "this ",
           a->b.nset > 1 ? "" : what);
    for (size_t i = 0; i < a->b.nset; i++) {
        const char *flag = a->b.flags[a->b.set[i]].flag;
        struct lull_str name = {0}, fields = {0};
        if (a->memory) {
            printf("  buffer %s that it makes\n", flag);
            continue;
        }
        const char *set = register_of(a, flag, &name, &fields);
        printf("  %s %s, which drivers set in %s\n", flag, lull_str_text(&name), set);
        if (fields.size != 0) {
            printf("    fields: %s\n", lull_str_text(&fields));
        }
        lull_str_free(&name);
        lull_str_free(&fields);
    }
}

LULL_MUST_USE static struct lull_error *say_json(const struct args *a)
{
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    lull_json_open(&j, '{');
    lull_json_put_u64(&j, "runs", a->b.nruns);
    lull_json_key(&j, a->memory ? "buffers" : "registers");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < a->b.nset; i++) {
        const char *flag = a->b.flags[a->b.set[i]].flag;
        struct lull_str name = {0}, fields = {0};
        if (a->memory) {
            lull_json_u64(&j, strtoul(flag, NULL, 10));
            continue;
        }
        lull_json_open(&j, '{');
        const char *set = register_of(a, flag, &name, &fields);
        lull_json_put_str(&j, "offset", flag);
        lull_json_put_str(&j, "register", lull_str_text(&name));
        lull_json_put_str(&j, "set_in", set);
        lull_json_put_str(&j, "fields", lull_str_text(&fields));
        lull_json_close(&j, '}');
        lull_str_free(&name);
        lull_str_free(&fields);
    }
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
    return lull_bisect_print(&out);
}

LULL_MUST_USE static struct lull_error *search(struct args *a, int *status)
{
    const struct lull_achip *chip = lull_gpu_chip(a->gpu);
    if (chip == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu %s: there are a630, a660 and a740", a->gpu);
    }
    a->gen = chip->gen;
    a->b.runs = a->b.runs == 0 ? 1 : a->b.runs;
    a->b.first = a->b.must_pass = true;
    a->b.things = a->memory ? "buffers" : "registers";
    struct lull_error *err = read_flags(a);
    err = err != NULL ? err : things(a);
    err = err != NULL ? err : command(a);
    err = err != NULL ? err : lull_bisect(&a->b);
    if (err != NULL || a->b.interrupted) {
        *status = a->b.interrupted ? LULL_EXIT_INTERRUPTED : *status;
        return err;
    }
    *status = a->b.nset != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    if (a->b.json) {
        return say_json(a);
    }
    say(a);
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.gpu = "a660"};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    err = err != NULL ? err : search(&a, status);
    lull_bisect_done(&a.b);
    free(a.names);
    free(a.argv);
    return err;
}

static const struct lull_form form = {.groups = groups, .flags = LULL_FORM_PROGRAM, .run = run};

const struct lull_command lull_cli_stomp = {
    .name = "stomp",
    .help = "find the stale registers or memory that a program of an Adreno counts on",
    .about = "Runs PROGRAM on the virtual Adreno, as lull exec does, first as it is and then with "
             "garbage (0xffffffff) in all registers that drivers set anew, or in new buffers. If "
             "that makes it fail, lull looks for the fewest that do. A run passes if the exit "
             "status is 0; 125 says that it cannot be told.",
    .after = "Exit status: 0, PROGRAM passes all the same; 1, registers or buffers were found; 3, "
             "PROGRAM fails without garbage, or could not run.\n\n"
             "Example: lull stomp --flags cmdbuf,renderpass -- ./check.sh\n",
    .forms = (const struct lull_form *const[]){&form, NULL},
};
