// SPDX-License-Identifier: MIT
// A program that runs Vulkan shaders as `lull run` does, without the rest of lull: what is built
// for other machines, and what runs many shaders with one start of the driver.
//
//   alone run WORDS        as `lull run WORDS`
//   alone cases DEVICE     each line of stdin is a name and the words of one run, with tabs between
//                          them; for each there is a line NAME STATUS WHAT-IT-SAID
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/command.h"
#include "cli/vulkan/vk_options.h"

enum { LINE = 1 << 16, WORDS = 256 };

static int tell_error(struct lull_error *err)
{
    const int status =
        lull_error_code(err) == LULL_ERR_INVALID ? LULL_EXIT_USAGE : LULL_EXIT_FAILED;
    fprintf(stderr, "lull run: %s\n", lull_error_message(err));
    lull_error_free(err);
    return status;
}

LULL_MUST_USE static struct lull_error *run_case(struct lull_vk *vk, int n, char **words,
                                                 struct lull_str *out, int *status)
{
    struct lull_vk_options o = {0};
    struct lull_vk_result result = {0};
    struct lull_error *err = lull_opt_parse(&lull_vk_form, &o, n, words);
    if (err == NULL) {
        err = lull_vk_options_load(&o);
    }
    if (err == NULL) {
        err = lull_vk_run(vk, &o.c, &result);
    }
    if (err == NULL && result.end == LULL_VK_DONE) {
        err = lull_vk_cli_outs(&o);
    }
    if (err == NULL) {
        err = lull_vk_cli_tell(&o, lull_vk_name(vk), &result, out, status);
    }
    lull_vk_options_done(&o);
    return err;
}

static void one_case(struct lull_vk *vk, char *line)
{
    char *words[WORDS] = {NULL};
    int n = 0, status = LULL_EXIT_CLEAN;
    struct lull_str out = {0};
    const char *name = strtok(line, "\t\n");
    for (char *w = strtok(NULL, "\t\n"); w != NULL && n < WORDS; w = strtok(NULL, "\t\n")) {
        words[n++] = w;
    }
    if (name == NULL) {
        return;
    }
    struct lull_error *err = run_case(vk, n, words, &out, &status);
    const char *text = err != NULL ? lull_error_message(err) : lull_str_text(&out);
    printf("%s %d ", name, err != NULL ? LULL_EXIT_FAILED : status);
    for (const char *at = text; *at != '\0'; at++) {
        putchar(*at == '\n' ? ' ' : *at);
    }
    putchar('\n');
    fflush(stdout);
    lull_error_free(err);
    lull_str_free(&out);
}

static int cases(const char *device)
{
    struct lull_vk *vk = NULL;
    struct lull_error *err = lull_vk_open(device, &vk);
    if (err != NULL) {
        return tell_error(err);
    }
    char *line = malloc(LINE);
    while (line != NULL && fgets(line, LINE, stdin) != NULL) {
        one_case(vk, line);
    }
    free(line);
    lull_vk_close(vk);
    return line != NULL ? LULL_EXIT_CLEAN : LULL_EXIT_FAILED;
}

int main(int argc, char **argv)
{
    int status = LULL_EXIT_CLEAN;
    if (argc == 3 && strcmp(argv[1], "cases") == 0) {
        return cases(argv[2]);
    }
    if (argc < 2 || strcmp(argv[1], "run") != 0) {
        fprintf(stderr, "it is run by lull: see `lull run --help`\n");
        return LULL_EXIT_USAGE;
    }
    struct lull_error *err = lull_vk_form.run(&lull_vk_form, argc - 2, argv + 2, &status);
    return err != NULL ? tell_error(err) : status;
}
