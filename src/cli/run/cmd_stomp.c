// SPDX-License-Identifier: MIT
/* lull stomp: which registers or memory with garbage in them make a program or a capture fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/opt/command.h"
#include "cli/opt/gpu.h"
#include "cli/opt/stomp_find.h"
#include "cli/replay/stomp.h"
#include "cli/run/stomp_driver.h"
#include "hw/achips.h"

enum { BUFFERS = 256, FIXED = 16 };

struct args {
    struct lull_stomp_find f;
    const char *gpu, *predicate;
    bool via_driver;
    char **program;
    // What follows from them.
    char self[4096];
    char **argv; // Owned; the texts are not.
};

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME", "the Adreno: a630, a660, as if not given, or a740", LULL_OPT_TEXT,
     LULL_OPT_AT(struct args, gpu)},
    {"--memory", NULL, NULL, "fill new buffers instead of registers", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, f.memory)},
    {"--while", NULL, "COMMAND",
     "after each run sh runs COMMAND, with the program's exit status in $STATUS: the run is wrong "
     "if COMMAND succeeds, and cannot be told if it ends with 125",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, predicate)},
    {"--via-driver", NULL, NULL,
     "run PROGRAM as it is, not on the model: Turnip fills the registers itself, by "
     "TU_DEBUG_STALE_REGS_RANGE and TU_DEBUG_STALE_REGS_FLAGS; --gpu says whose names they have",
     LULL_OPT_FLAG, LULL_OPT_AT(struct args, via_driver)},
    {"--output", NULL, NULL, "show what the program prints, on standard error", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, f.b.output)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct args, program), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_stomp_find_opts, offsetof(struct args, f)}, {NULL, opts, 0}, {0}};

/** The things that may hold garbage. */
LULL_MUST_USE static struct lull_error *things(struct args *a)
{
    uint32_t first = 0, last = 0;
    if (!a->f.memory) {
        return lull_stomp_find_registers(&a->f);
    }
    a->f.kind = LULL_STOMP_BUFFERS;
    struct lull_error *err = lull_stomp_find_range(&a->f, &first, &last);
    err = err != NULL ? err : lull_stomp_find_room(&a->f, BUFFERS);
    for (uint32_t i = 1; err == NULL && i <= BUFFERS; i++) {
        lull_stomp_find_add(&a->f, i);
    }
    return err;
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
    if (!a->via_driver) {
        char *const words[] = {cmdbuf, pass, both};
        a->argv[n++] = a->self, a->argv[n++] = exec, a->argv[n++] = gpu;
        a->argv[n++] = (char *)a->gpu;
        if (!a->f.memory) {
            a->argv[n++] = at;
            a->argv[n++] = words[a->f.at];
        }
        a->argv[n++] = a->f.memory ? memory : stomp;
        a->f.b.place = n;
        a->argv[n++] = none;
        a->argv[n++] = rest;
    }
    memcpy(a->argv + n, a->program, args * sizeof(char *));
    a->f.b.argv = a->argv;
    return NULL;
}

LULL_MUST_USE static struct lull_error *search(struct args *a, int *status)
{
    const struct lull_achip *chip = lull_gpu_chip(a->gpu);
    if (chip == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu %s: there are a630, a660 and a740", a->gpu);
    }
    a->f.gen = chip->gen;
    a->f.subject = a->program[0];
    struct lull_error *err = lull_stomp_find_when(&a->f);
    if (err == NULL && a->via_driver && (a->f.memory || a->f.inverse)) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "--via-driver: --memory and the flag inverse are of lull's own");
    }
    if (a->via_driver) {
        err = err != NULL ? err : command(a);
        return err != NULL ? err : lull_stomp_driver(&a->f, status);
    }
    err = err != NULL ? err : things(a);
    err = err != NULL ? err : command(a);
    return err != NULL ? err : lull_stomp_find(&a->f, status);
}

LULL_MUST_USE static struct lull_error *run_program(const struct lull_form *form, int argc,
                                                    char **argv, int *status)
{
    struct args a = {.gpu = "a660"};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    err = err != NULL ? err : search(&a, status);
    lull_stomp_find_done(&a.f);
    free(a.argv);
    return err;
}

static const struct lull_form form = {
    .groups = groups, .flags = LULL_FORM_PROGRAM, .run = run_program};

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    const bool capture = lull_replay_stomp_is(argc, argv);
    const struct lull_form *f = capture ? &lull_replay_stomp_form : &form;
    return f->run(f, argc, argv, status);
}

const struct lull_command lull_cli_stomp = {
    .name = "stomp",
    .help = "find the stale registers or memory that a program or capture of an Adreno counts on",
    .about = "Runs PROGRAM on the virtual Adreno, as lull exec does, or replays CAPTURE.rd, as "
             "lull replay does, first as it is and then with garbage (0xffffffff) in all registers "
             "that drivers set anew, or in memory that was zeros. If that makes it fail, lull "
             "looks for the fewest that do. A run passes if the exit status is 0; 125 says that it "
             "cannot be told. A replay fails if memory after any submit, or how that ends, "
             "differs, or by --while and --until.",
    .after = "Exit status: 0, it passes all the same; 1, registers or memory were found; 3, it "
             "fails without garbage, or could not run.\n\n"
             "Examples: lull stomp --flags cmdbuf,renderpass -- ./check.sh\n"
             "          lull stomp --flags cmdbuf,renderpass capture.rd.gz\n",
    .forms = (const struct lull_form *const[]){&form, &lull_replay_stomp_form, NULL},
    .run = run,
};
