// SPDX-License-Identifier: MIT
/* lull diff-run: the first place where two runs part. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "check/trace/part.h"
#include "cli/opt/command.h"
#include "cli/run/diff_run_text.h"
#include "compile/run.h"

enum { INTERPRETED = 2, EXIT_EXEC = 127, WHO = 80, SELF = 4096, MIB = 1 << 20, MOST_MIB = 512 };

struct args {
    bool json, output;
    uint64_t most_mib;
    char **argv;
};

/** The two runs, and what they have left. */
struct both {
    const struct args *a;
    char self[SELF];
    char *dir;
    size_t nvariables; // Words NAME=VALUE in front of the command.
    size_t nwords;     // Of the command.
    char **words[2];   // Owned, with their texts.
    uint8_t *bytes[3]; // Owned. Number 2: the shader interpreted.
    struct lull_tr_run runs[3];
};

static const struct lull_opt opts[] = {
    {"--trace-memory", NULL, "MIB", "a run's trace may have so much; 512 if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, most_mib), .min = 1, .max = 1024},
    {"--output", NULL, NULL, "show what the runs print, on standard error", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, output)},
    {"--json", NULL, NULL, "the result as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {"COMMAND", .kind = LULL_OPT_REST, LULL_OPT_AT(struct args, argv), .flags = LULL_OPT_NEEDED},
    {0},
};

/** "A::B": what run @p which has of it; what is in front of @p from both have. NULL: no memory. */
static char *half(const char *word, size_t from, unsigned which)
{
    const char *at = strstr(word + from, "::");
    if (at == NULL) {
        return strdup(word);
    }
    const size_t first = (size_t)(at - word), second = strlen(at + 2);
    char *ret = calloc(first + second + 1, 1);
    if (ret != NULL && which == 0) {
        memcpy(ret, word, first);
    } else if (ret != NULL) {
        memcpy(ret, word, from);
        memcpy(ret + from, at + 2, second);
    }
    return ret;
}

static bool is_variable(const char *word)
{
    const char *equal = strchr(word, '=');
    return equal != NULL && equal != word && word[0] != '-' &&
           strcspn(word, "/.") > (size_t)(equal - word);
}

/** The words of both runs; those that a run has empty are left out. */
LULL_MUST_USE static struct lull_error *split(struct both *b)
{
    char *const *argv = b->a->argv;
    size_t n = 0;
    bool differ = false;
    while (argv[n] != NULL) {
        differ = differ || strstr(argv[n], "::") != NULL;
        n++;
    }
    while (argv[b->nvariables] != NULL && is_variable(argv[b->nvariables])) {
        b->nvariables++;
    }
    const char *command = argv[b->nvariables];
    if (command == NULL || (strcmp(command, "run") != 0 && strcmp(command, "exec") != 0)) {
        return lull_error_new(LULL_ERR_INVALID, "COMMAND is run or exec, not '%s'",
                              command != NULL ? command : "");
    }
    if (!differ) {
        return lull_error_new(LULL_ERR_INVALID, "no word says A::B: the runs would be the same");
    }
    for (unsigned r = 0; r < 2; r++) {
        b->words[r] = calloc(n + 2, sizeof(char *));
        for (size_t i = 0, k = 0; b->words[r] != NULL && i < n; i++) {
            const size_t equal = i < b->nvariables ? strcspn(argv[i], "=") + 1 : 0;
            char *word = half(argv[i], equal, r);
            if (word == NULL) {
                return &lull_enomem;
            }
            if (word[0] == '\0' && argv[i][0] != '\0' && i >= b->nvariables) {
                free(word);
            } else {
                b->words[r][k++] = word;
            }
        }
        if (b->words[r] == NULL) {
            return &lull_enomem;
        }
    }
    return NULL;
}

static bool set_variables(const struct both *b, unsigned run, const char *path, const char *who)
{
    char most[WHO] = "";
    bool good = true;
    for (size_t i = 0; good && i < b->nvariables; i++) {
        char *name = b->words[run][i], *equal = strchr(name, '=');
        *equal = '\0';
        good = setenv(name, equal + 1, 1) == 0;
    }
    snprintf(most, sizeof most, "%" PRIu64, b->a->most_mib * MIB);
    return good && setenv("LULL_TRACE", path, 1) == 0 && setenv("LULL_TRACE_MOST", most, 1) == 0 &&
           (who == NULL || setenv("LULL_TRACE_WHO", who, 1) == 0);
}

/** How many words of @p at say --gpu; 0: the next does not. */
static size_t gpu_words(char *const *at)
{
    static const char gpu[] = "--gpu";
    const size_t n = sizeof gpu - 1;
    return at[0] == NULL || strncmp(at[0], gpu, n) != 0 ? 0
           : at[0][n] == '='                            ? 1
           : at[0][n] == '\0' && at[1] != NULL          ? 2
                                                        : 0;
}

/** In the child. */
static void become(const struct both *b, unsigned run, const char *path, const char *who)
{
    static char device[] = "--vulkan-device", interpreter[] = "interpreter";
    char **argv = b->words[run == INTERPRETED ? 0 : run] + b->nvariables;
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(b->a->output ? STDERR_FILENO : null, STDOUT_FILENO);
    if (run == INTERPRETED) {
        dup2(null, STDERR_FILENO); // It may not be able to.
    }
    if (!set_variables(b, run == INTERPRETED ? 0 : run, path, who)) {
        _exit(EXIT_EXEC);
    }
    size_t n = 0;
    while (argv[n] != NULL) {
        n++;
    }
    char **all = calloc(n + 4, sizeof *all);
    if (all != NULL) {
        all[0] = (char *)(uintptr_t)b->self;
        size_t k = 1;
        for (size_t i = 0; i < n;) {
            const size_t skip = run == INTERPRETED ? gpu_words(argv + i) : 0;
            i += skip;
            if (skip == 0) {
                all[k++] = argv[i++];
            }
        }
        if (run == INTERPRETED) {
            all[k] = device;
            all[k + 1] = interpreter;
        }
        execv(b->self, all);
    }
    _exit(EXIT_EXEC);
}

/** One run, of which @p who is followed, or nobody; its trace is read. */
LULL_MUST_USE static struct lull_error *run_one(struct both *b, unsigned run,
                                                const struct lull_tr_store *who)
{
    static const char *const names[] = {"first", "second", "interpreted"};
    lull_cleanup(lull_str_free) struct lull_str path = {0};
    char text[WHO] = "";
    int status = 0;
    size_t size = 0;
    lull_str_addf(&path, "%s/%s.trace", b->dir, names[run]);
    if (path.err != NULL) {
        return &lull_enomem;
    }
    (void)unlink(path.text);
    if (who != NULL) {
        snprintf(text, sizeof text, "%" PRIu32 ":%" PRIu32 ",%" PRIu32 ",%" PRIu32 ":%" PRIu32,
                 who->dispatch, who->workgroup[0], who->workgroup[1], who->workgroup[2], who->item);
    }
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        become(b, run, path.text, who != NULL ? text : NULL);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return lull_error_os(errno, "the %s run", names[run]);
    }
    if (access(path.text, R_OK) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "the %s run left no trace; %s %d", names[run],
                              WIFSIGNALED(status) ? "it was ended by signal" : "its exit status is",
                              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    const int failed = WIFEXITED(status) ? WEXITSTATUS(status) : 0; // Of programs it says nothing.
    if (strcmp(b->words[0][b->nvariables], "run") == 0 &&
        (failed == LULL_EXIT_USAGE || failed == LULL_EXIT_FAILED)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "the %s run failed, with exit status %d",
                              names[run], failed);
    }
    lull_tr_done(&b->runs[run]);
    free(b->bytes[run]);
    b->bytes[run] = NULL;
    struct lull_error *err = lull_run_read(path.text, &b->bytes[run], &size);
    err = err != NULL ? err : lull_tr_parse(b->bytes[run], size, &b->runs[run]);
    (void)unlink(path.text);
    return lull_error_in(err, "the %s run", names[run]);
}

/** Who wrote what the load at the place where the runs part reads. */
static void look_behind(struct lull_diff_run *d)
{
    const struct lull_part *p = &d->part;
    if (p->why != LULL_PART_INPUT || p->chain[0].n == 0 || p->chain[1].n == 0) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct lull_tr_store *any = &d->place.store[d->place.stored[i] ? i : 1 - i];
        const struct lull_tr_store *w =
            lull_part_writer(d->runs[i], &p->chain[i].steps[0], any->workgroup);
        d->hop.stored[i] = w != NULL;
        d->hop.store[i] = w != NULL ? *w : (struct lull_tr_store){0};
        d->hops = d->hops || w != NULL;
    }
}

/** Are words and input the same, and only what chooses drivers is not: environment, or --gpu? */
static bool same_words(const struct both *b)
{
    char *const *one = b->words[0] + b->nvariables, *const *other = b->words[1] + b->nvariables;
    bool same = true;
    while (same && (*one != NULL || *other != NULL)) {
        const size_t n = gpu_words(one), m = gpu_words(other);
        same = n != 0 || m != 0 || (*one != NULL && *other != NULL && strcmp(*one, *other) == 0);
        one += n != 0 || m != 0 ? n : 1;
        other += n != 0 || m != 0 ? m : 1;
    }
    return same;
}

/** Lines of the source, if the interpreter can run it. */
static void look_at_source(struct both *b, struct lull_diff_run *d, const struct lull_tr_store *who)
{
    if (d->part.same_code || !same_words(b) || strcmp(b->words[0][b->nvariables], "run") != 0) {
        return;
    }
    struct lull_error *err = run_one(b, INTERPRETED, who);
    if (err == NULL) {
        d->lines = &b->runs[INTERPRETED];
        d->line = lull_part_source(d->lines, &d->part, &d->place);
    }
    lull_error_free(err); // A kernel, or what the interpreter does not know.
}

LULL_MUST_USE static struct lull_error *tell(const struct lull_diff_run *d, bool json)
{
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    if (json) {
        lull_json_open(&j, '{');
        lull_json_put_bool(&j, "equal", false);
        lull_diff_run_json(d, &j);
        lull_json_close(&j, '}');
        lull_str_addf(&out, "\n");
    } else {
        lull_diff_run_text(d, &out);
    }
    struct lull_error *err = out.err;
    out.err = NULL;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    return err;
}

LULL_MUST_USE static struct lull_error *compare(struct both *b, int *status)
{
    struct lull_diff_run d = {.runs = {&b->runs[0], &b->runs[1]}};
    struct lull_tr_store who[2];
    bool any = false;
    struct lull_error *err = run_one(b, 0, NULL);
    err = err != NULL ? err : run_one(b, 1, NULL);
    err = err != NULL ? err : lull_part_memory(d.runs, &d.place, &any);
    if (err == NULL && !any) {
        printf(b->a->json ? "{\"equal\":true,\"places\":%" PRIu64 "}\n"
                          : "equal: %" PRIu64 " places were written, and are the same\n",
               d.place.places);
    }
    if (err == NULL && any) {
        for (unsigned i = 0; i < 2; i++) {
            who[i] = d.place.store[d.place.stored[i] ? i : 1 - i];
        }
        *status = LULL_EXIT_FINDINGS;
        err = run_one(b, 0, &who[0]);
        err = err != NULL ? err : run_one(b, 1, &who[1]);
        lull_str_free(&d.place.name);
        // Once more: what is known of the place lies in the traces.
        err = err != NULL ? err : lull_part_memory(d.runs, &d.place, &any);
        if (err == NULL && !any) {
            err = lull_error_new(LULL_ERR_UNSUPPORTED, "the runs differ from one time to the next");
        }
        err = err != NULL ? err : lull_part_steps(d.runs, &d.place, &d.part);
        if (err == NULL) {
            look_behind(&d);
            look_at_source(b, &d, &who[0]);
            err = tell(&d, b->a->json);
        }
    }
    lull_str_free(&d.place.name);
    return err;
}

static void done(struct both *b)
{
    for (unsigned r = 0; r < 2; r++) {
        for (size_t i = 0; b->words[r] != NULL && b->words[r][i] != NULL; i++) {
            free(b->words[r][i]);
        }
        free(b->words[r]);
    }
    for (unsigned r = 0; r <= INTERPRETED; r++) {
        lull_tr_done(&b->runs[r]);
        free(b->bytes[r]);
    }
    if (b->dir != NULL) {
        lull_run_remove_dir(b->dir);
    }
    free(b->dir);
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.most_mib = MOST_MIB};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    if (err != NULL) {
        return err;
    }
    struct both b = {.a = &a};
    err = split(&b);
    if (err == NULL && readlink("/proc/self/exe", b.self, sizeof b.self - 1) <= 0) {
        err = lull_error_os(errno, "/proc/self/exe");
    }
    err = err != NULL ? err : lull_run_make_dir(&b.dir);
    err = err != NULL ? err : compare(&b, status);
    done(&b);
    return err;
}

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

static const struct lull_form form = {
    .usage = "[OPTIONS] [NAME=VALUE ...] run|exec WORD ...",
    .about = "Runs lull run or lull exec twice, with the words behind it; where a word says A::B, "
             "the first run has A and the second B, or no word if that is empty. NAME=VALUE in "
             "front sets the environment. Then the memory that the runs wrote is compared, and the "
             "invocation that stored to the first place that differs is followed in both.",
    .groups = groups,
    .flags = LULL_FORM_PROGRAM,
    .run = run,
};

const struct lull_command lull_cli_diff_run = {
    .name = "diff-run",
    .help = "find the first place where two runs part: seeds, optimisation, inputs, drivers",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status: 0, both wrote the same; 1, they part; 3, it cannot be told.\n"
             "\n"
             "  lull diff-run run sum.cl -O0::-O2 --grid 64 --block 64 --arg zeros:256:name=out\n"
             "  lull diff-run run race.cl --seed 1::2 --grid 256 --block 128 --arg zeros:1024\n"
             "  lull diff-run VK_ICD_FILENAMES=old.json::new.json run a.comp --groups 1 "
             "--bind 0.0=zeros:256",
};
