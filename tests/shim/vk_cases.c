// SPDX-License-Identifier: MIT
// Vulkan shaders as `lull run` runs them, in one process and without the rest of lull: what a
// program for another machine is built of. Each line of stdin is a case: its name and the words of
// the command, with tabs between them. Argument: a part of the device's name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/vulkan/vk_options.h"
#include "file/png.h"

enum { LINE = 1 << 16, WORDS = 256, COULD_NOT_RUN = 3 };

// What is not built for the other machine.
struct lull_error *lull_png_write(const char *path, uint32_t width, uint32_t height,
                                  const uint8_t *rgba)
{
    (void)width, (void)height, (void)rgba;
    return lull_error_new(LULL_ERR_UNSUPPORTED, "'%s': no pictures here", path);
}

struct lull_error *lull_vk_cli_self(const struct lull_form *form, int argc, char **argv,
                                    const struct lull_vk_options *o, int *status)
{
    (void)form, (void)argc, (void)argv, (void)o, (void)status;
    return lull_error_new(LULL_ERR_UNSUPPORTED, "no GPU of lull's own here");
}

static struct lull_error *run(struct lull_vk *vk, int n, char **words, struct lull_str *out,
                              int *status)
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
    if (err == NULL) {
        err = lull_vk_cli_tell(&o, lull_vk_name(vk), &result, out, status);
    }
    lull_vk_options_done(&o);
    return err;
}

/** "NAME STATUS WHAT IT SAID", in one line. */
static void one(struct lull_vk *vk, char *line)
{
    char *words[WORDS] = {NULL};
    int n = 0, status = COULD_NOT_RUN;
    struct lull_str out = {0};
    const char *name = strtok(line, "\t\n");
    for (char *w = strtok(NULL, "\t\n"); w != NULL && n < WORDS; w = strtok(NULL, "\t\n")) {
        words[n++] = w;
    }
    struct lull_error *err = run(vk, n, words, &out, &status);
    const char *text = err != NULL ? lull_error_message(err) : lull_str_text(&out);
    printf("%s %d ", name, err != NULL ? COULD_NOT_RUN : status);
    for (const char *at = text; *at != '\0'; at++) {
        putchar(*at == '\n' ? ' ' : *at);
    }
    putchar('\n');
    fflush(stdout);
    lull_error_free(err);
    lull_str_free(&out);
}

int main(int argc, char **argv)
{
    struct lull_vk *vk = NULL;
    struct lull_error *err = lull_vk_open(argc > 1 ? argv[1] : NULL, &vk);
    char *line = malloc(LINE);
    if (err != NULL || line == NULL) {
        fprintf(stderr, "%s\n", err != NULL ? lull_error_message(err) : "no memory");
        lull_error_free(err);
        free(line);
        return COULD_NOT_RUN;
    }
    while (fgets(line, LINE, stdin) != NULL) {
        one(vk, line);
    }
    free(line);
    lull_vk_close(vk);
    return 0;
}
