// SPDX-License-Identifier: MIT
/* Command lines by rows: as glibc's getopt_long() reads them, and what becomes of the values. */
#include "cli/opt/opt.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum mode { FAST = 5, SLOW = 7 };

struct got {
    bool summary, color;
    uint8_t small;
    uint32_t jobs;
    uint64_t big;
    enum mode mode;
    unsigned style;
    const char *in, *out, *file;
    struct lull_opt_words more;
    char **rest;
    char called[32];
};

LULL_MUST_USE static struct lull_error *call(void *base, const struct lull_opt *o,
                                             const char *value)
{
    struct got *g = base;
    (void)o;
    strncat(g->called, value, sizeof g->called - strlen(g->called) - 1);
    return NULL;
}

static const struct lull_opt opts[] = {
    {"--summary", "-s", NULL, "", LULL_OPT_FLAG, LULL_OPT_AT(struct got, summary)},
    {"--no-color", NULL, NULL, "", LULL_OPT_OFF, LULL_OPT_AT(struct got, color)},
    {"--jobs", "-j", "N", "", LULL_OPT_NUMBER, LULL_OPT_AT(struct got, jobs), .min = 1, .max = 64},
    {"--small", NULL, "N", "", LULL_OPT_NUMBER, LULL_OPT_AT(struct got, small), .max = 255},
    {"--big", NULL, "N", "", LULL_OPT_NUMBER, LULL_OPT_AT(struct got, big)},
    {"--slow", NULL, NULL, "", LULL_OPT_SET, LULL_OPT_AT(struct got, mode), .min = SLOW},
    {"--style", NULL, "lull|cffdump", "", LULL_OPT_CHOICE, LULL_OPT_AT(struct got, style)},
    {"--in", NULL, "FILE", "", LULL_OPT_IN, LULL_OPT_AT(struct got, in)},
    {"--out", "-o", "FILE", "", LULL_OPT_OUT, LULL_OPT_AT(struct got, out)},
    {"--call", "-c", "TEXT", "", LULL_OPT_CALL, .call = call, .flags = LULL_OPT_MANY},
    {"-ex", NULL, "TEXT", "", LULL_OPT_CALL, .call = call, .flags = LULL_OPT_LAST},
    {0},
};

static const struct lull_opt file_opts[] = {
    {"FILE", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct got, file), .flags = LULL_OPT_NEEDED},
    {"MORE", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct got, more), .flags = LULL_OPT_MANY},
    {0},
};

static const struct lull_opt one_opts[] = {
    {"FILE", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct got, file)},
    {"REST", .kind = LULL_OPT_REST, LULL_OPT_AT(struct got, rest)},
    {0},
};

static const struct lull_opt rest_opts[] = {
    {"REST", .kind = LULL_OPT_REST, LULL_OPT_AT(struct got, rest)},
    {0},
};

static const struct lull_opt_group many_groups[] = {{NULL, opts, 0}, {NULL, file_opts, 0}, {0}};
static const struct lull_opt_group one_groups[] = {{NULL, opts, 0}, {NULL, one_opts, 0}, {0}};
static const struct lull_opt_group rest_groups[] = {{NULL, opts, 0}, {NULL, rest_opts, 0}, {0}};
static const struct lull_form many = {.groups = many_groups};
static const struct lull_form one = {.groups = one_groups};
static const struct lull_form program = {.groups = rest_groups, .flags = LULL_FORM_PROGRAM};
static const struct lull_form dashes = {.groups = many_groups, .flags = LULL_FORM_DASHES};

enum { MOST_WORDS = 8, TEXT = 256 };

static int split(const char *line, char *text, char **words)
{
    int n = 0;
    snprintf(text, TEXT, "%s", line);
    for (char *w = strtok(text, " "); w != NULL && n < MOST_WORDS; w = strtok(NULL, " ")) {
        words[n++] = strcmp(w, "''") == 0 ? w + 2 : w;
    }
    words[n] = NULL;
    return n;
}

/** What was stored, but for what is as it was. */
static void describe(const struct got *g, char *text)
{
    size_t n = 0;
    text[0] = '\0';
    n += (size_t)snprintf(text + n, TEXT - n, "%s%s", g->summary ? "summary " : "",
                          g->color ? "" : "plain ");
    n += (size_t)snprintf(text + n, TEXT - n, "jobs %u small %u big %" PRIu64 " mode %d style %u",
                          g->jobs, g->small, g->big, (int)g->mode, g->style);
    n += (size_t)snprintf(text + n, TEXT - n, " in %s out %s file %s called %s more",
                          g->in != NULL ? g->in : "", g->out != NULL ? g->out : "",
                          g->file != NULL ? g->file : "", g->called);
    for (size_t i = 0; i < g->more.n; i++) {
        n += (size_t)snprintf(text + n, TEXT - n, " %s", g->more.at[i]);
    }
    n += (size_t)snprintf(text + n, TEXT - n, " rest");
    for (char **w = g->rest; w != NULL && *w != NULL; w++) {
        n += (size_t)snprintf(text + n, TEXT - n, " %s", *w);
    }
}

#define NONE "jobs 9 small 9 big 9 mode 5 style 9 in  out  file "

static const struct {
    const struct lull_form *form;
    const char *line;
    const char *want; ///< What is stored; of a line that is refused the message.
} lines[] = {
    {&many, "f", NONE "f called  more rest"},
    {&many, "a b c", NONE "a called  more b c rest"},
    {&many, "-s f -j4",
     "summary jobs 4 small 9 big 9 mode 5 style 9 in  out  file f called  more rest"},
    {&many, "-sj 4 f",
     "summary jobs 4 small 9 big 9 mode 5 style 9 in  out  file f called  more rest"},
    {&many, "--jobs 010 --small 0XfF f", // not in octal
     "jobs 10 small 255 big 9 mode 5 style 9 in  out  file f called  more rest"},
    {&many, "f --jobs 0x", "--jobs: '0x' is not a number from 1 to 64"},
    {&many, "--jobs=0x10 f --no-color",
     "plain jobs 16 small 9 big 9 mode 5 style 9 in  out  file f called  more rest"},
    {&many, "--small 255 --big 18446744073709551615 --slow f",
     "jobs 9 small 255 big 18446744073709551615 mode 7 style 9 in  out  file f called  more rest"},
    {&many, "--style cffdump f",
     "jobs 9 small 9 big 9 mode 5 style 1 in  out  file f called  more rest"},
    {&many, "-ca --call=b -c c -ex d f", NONE "f called abcd more rest"},
    {&many, "-- -s --jobs", NONE "-s called  more --jobs rest"},
    {&many, "- --in -", "jobs 9 small 9 big 9 mode 5 style 9 in - out  file - called  more rest"},
    {&one, "f -- a -s", NONE "f called  more rest a -s"},
    {&one, "-- a", NONE " called  more rest a"},
    {&program, "-s p -s --jobs x",
     "summary jobs 9 small 9 big 9 mode 5 style 9 in  out  file  called  more rest p -s --jobs x"},
    {&program, "-- -p", NONE " called  more rest -p"},
    {&dashes, "-%d -7 --%x", NONE "-%d called  more -7 --%x rest"},
    {&dashes, "-s -x",
     "summary jobs 9 small 9 big 9 mode 5 style 9 in  out  file -x called  more rest"},
    {&many, "", "no FILE given"},
    {&many, "f --what", "no option '--what'"},
    {&many, "f --summ", "no option '--summ'"},
    {&many, "f -sx", "no option '-sx'"},
    {&dashes, "f --what", "no option '--what'"},
    {&many, "f --jobs", "--jobs needs a value: N"},
    {&many, "f -sj", "--jobs needs a value: N"},
    {&many, "f --in ''", "--in needs a value: FILE"},
    {&many, "f -s --summary=1", "--summary takes no value: '--summary=1'"},
    {&many, "f -j 3 --jobs 4", "--jobs is given twice"},
    {&many, "f --jobs 0", "--jobs: '0' is not a number from 1 to 64"},
    {&many, "f --jobs 65", "--jobs: '65' is not a number from 1 to 64"},
    {&many, "f --jobs -1", "--jobs: '-1' is not a number from 1 to 64"},
    {&many, "f --small 256", "--small: '256' is not a number up to 255"},
    {&many, "f --small 1k", "--small: '1k' is not a number up to 255"},
    {&many, "f --big 18446744073709551616", "--big: '18446744073709551616' is not a number"},
    {&many, "f --style mesa", "--style: 'mesa' is not lull or cffdump"},
    {&many, "f --style lul", "--style: 'lul' is not lull or cffdump"},
    {&one, "f g", "'g' is one word too many"},
};

static void stored(void)
{
    for (size_t i = 0; i < TEST_ROWS(lines); i++) {
        char text[TEXT] = "", got[TEXT] = "", *words[MOST_WORDS + 1] = {NULL};
        struct got g = {.color = true, .small = 9, .jobs = 9, .big = 9, .mode = FAST, .style = 9};
        const int n = split(lines[i].line, text, words);
        struct lull_error *err = lull_opt_parse(lines[i].form, &g, n, words);
        if (err == NULL) {
            describe(&g, got);
        } else {
            snprintf(got, sizeof got, "%s", lull_error_message(err));
        }
        test_case(strcmp(got, lines[i].want) == 0 &&
                      (err == NULL || lull_error_code(err) == LULL_ERR_INVALID),
                  lines[i].line, "got '%s', want '%s'", got, lines[i].want);
        lull_error_free(err);
    }
}

/* The same rows for glibc. Letters are those of the rows that have one. */
static const struct option longs[] = {
    {"summary", no_argument, NULL, 0},
    {"no-color", no_argument, NULL, 1},
    {"jobs", required_argument, NULL, 2},
    {"small", required_argument, NULL, 3},
    {"big", required_argument, NULL, 4},
    {"slow", no_argument, NULL, 5},
    {"style", required_argument, NULL, 6},
    {"in", required_argument, NULL, 7},
    {"out", required_argument, NULL, 8},
    {"call", required_argument, NULL, 9},
    {NULL, 0, NULL, 0},
};

static int row_of_letter(int letter)
{
    return letter == 's' ? 0 : letter == 'j' ? 2 : letter == 'o' ? 8 : letter == 'c' ? 9 : letter;
}

/** "0 2=4 |file more", up to the first error, which is "?". */
static void by_glibc(int argc, char **argv, char *text)
{
    size_t n = 0;
    int which = 0;
    text[0] = '\0';
    optind = 0; // anew
    while ((which = getopt_long(argc, argv, ":sj:o:c:", longs, NULL)) != -1) {
        if (which == '?' || which == ':') {
            snprintf(text + n, TEXT - n, "?");
            return;
        }
        const bool value = optarg != NULL;
        n += (size_t)snprintf(text + n, TEXT - n, "%d%s%s ", row_of_letter(which), value ? "=" : "",
                              value ? optarg : "");
    }
    n += (size_t)snprintf(text + n, TEXT - n, "|");
    for (int i = optind; i < argc; i++) {
        n += (size_t)snprintf(text + n, TEXT - n, "%s ", argv[i]);
    }
}

static void by_rows(int argc, char **argv, char *text)
{
    static const struct lull_form form = {.groups = many_groups, .flags = LULL_FORM_SHORTENED};
    struct lull_opt_scan scan = {.form = &form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    char operands[TEXT] = "";
    size_t n = 0, m = 0;
    text[0] = '\0';
    while (lull_opt_next(&scan, &item)) {
        const bool bad = !item.operand && (item.opt == NULL || item.extra ||
                                           (item.opt->value != NULL && item.value == NULL));
        if (bad) {
            snprintf(text + n, TEXT - n, "?");
            return;
        }
        if (item.operand) {
            m += (size_t)snprintf(operands + m, TEXT - m, "%s ", item.word);
        } else {
            const bool value = item.value != NULL;
            n += (size_t)snprintf(text + n, TEXT - n, "%d%s%s ", (int)(item.opt - opts),
                                  value ? "=" : "", value ? item.value : "");
        }
    }
    snprintf(text + n, TEXT - n, "|%s", operands);
}

/** Lines of random words, read by glibc and by the rows. */
static void as_glibc(unsigned long seed)
{
    static const char *const words[] = {
        "-s",     "-j",         "-j4",        "-sj4",     "-sj",   "-ox",    "-co",   "--summary",
        "--summ", "--jobs",     "--j=3",      "--jobs=",  "--s",   "--st",   "--sl",  "--in=a",
        "--",     "-",          "file",       "-x",       "-sx",   "--what", "--out", "--o=b",
        "=",      "--call=a=b", "--no-color", "--slow=1", "--big", "--sm=1",
    };
    enum { LINES = 20000 };
    unsigned wrong = 0;
    char first[3 * TEXT] = "";
    srandom((unsigned)seed);
    for (unsigned i = 0; i < LINES; i++) {
        char *line[MOST_WORDS + 2] = {(char *)(uintptr_t) "lull"}, *copy[MOST_WORDS + 2];
        char shown[TEXT] = "", want[TEXT] = "", got[TEXT] = "";
        const int n = (int)(random() % 6);
        for (int k = 1; k <= n; k++) {
            line[k] = (char *)(uintptr_t)words[(unsigned long)random() % TEST_ROWS(words)];
            strncat(shown, line[k], sizeof shown - strlen(shown) - 2);
            strncat(shown, " ", 2);
        }
        memcpy(copy, line, sizeof copy); // getopt_long() sorts them
        by_glibc(n + 1, copy, want);
        by_rows(n, line + 1, got);
        if (strcmp(want, got) != 0 && wrong++ == 0) {
            snprintf(first, sizeof first, "%s: '%s', glibc '%s'", shown, got, want);
        }
    }
    test_case(wrong == 0, "random lines as getopt_long() reads them",
              "seed %lu: %u of %d, first %s", seed, wrong, LINES, first);
}

/** A file that is read is not written; what was given is known by any of its names. */
static void others(void)
{
    char name[] = "/tmp/test_opt.XXXXXX";
    const int fd = mkstemp(name);
    char *line[] = {(char *)(uintptr_t) "f", (char *)(uintptr_t) "--in", name,
                    (char *)(uintptr_t) "-o", name};
    struct got g = {0};
    struct lull_opts o = {.form = &many, .base = &g};
    struct lull_error *err = lull_opts_parse(&o, (int)TEST_ROWS(line), line);
    test_case(fd >= 0 && err != NULL && lull_error_code(err) == LULL_ERR_INVALID &&
                  strstr(lull_error_message(err), name) != NULL,
              "an input is not an output", "%s", err != NULL ? lull_error_message(err) : "none");
    lull_error_free(err);
    (void)remove(name);
    test_case(lull_opts_given(&o, "--in") && lull_opts_given(&o, "--out") &&
                  lull_opts_given(&o, "-o") && !lull_opts_given(&o, "--jobs"),
              "what was given", "in %d", lull_opts_given(&o, "--in"));
}

int main(int argc, char **argv)
{
    stored();
    as_glibc(argc > 1 ? strtoul(argv[1], NULL, 0) : 1);
    others();
    return test_end();
}
