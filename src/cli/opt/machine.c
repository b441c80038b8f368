// SPDX-License-Identifier: MIT
#include "cli/opt/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/opt/input.h"

int lull_machine_look(const char *root, const char *path, struct stat *st)
{
    struct lull_str full = {0};
    lull_str_addf(&full, "%s%s", root, path);
    const int error = stat(lull_str_text(&full), st) == 0 ? 0 : errno;
    lull_str_free(&full);
    return error;
}

int lull_machine_access(const char *root, const char *path, int mode)
{
    struct lull_str full = {0};
    lull_str_addf(&full, "%s%s", root, path);
    const int error = access(lull_str_text(&full), mode) == 0 ? 0 : errno;
    lull_str_free(&full);
    return error;
}

void lull_machine_line(const char *root, const char *path, char *ret, int size)
{
    struct lull_str full = {0};
    lull_str_addf(&full, "%s%s", root, path);
    ret[0] = '\0';
    FILE *f = fopen(lull_str_text(&full), "r");
    if (f != NULL) {
        if (fgets(ret, size, f) == NULL) {
            ret[0] = '\0';
        }
        fclose(f);
    }
    ret[strcspn(ret, "\n")] = '\0';
    for (char *c = ret; *c != '\0'; c++) {
        *c = (char)(*c >= ' ' && *c <= '~' ? *c : '?');
    }
    lull_str_free(&full);
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    const unsigned long x = strtoul((*a)->d_name, NULL, 10), y = strtoul((*b)->d_name, NULL, 10);
    return x != y ? (x < y ? -1 : 1) : strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

int lull_machine_list(const char *root, const char *path, struct dirent ***ret)
{
    struct lull_str full = {0};
    lull_str_addf(&full, "%s%s", root, path);
    const int n = scandir(lull_str_text(&full), ret, visible, by_number);
    const int error = n < 0 ? -errno : 0;
    lull_str_free(&full);
    return n < 0 ? error : n;
}

void lull_machine_free_list(struct dirent **names, int n)
{
    for (int i = 0; i < n; i++) {
        free(names[i]);
    }
    free(names);
}

/** All of a configuration; NULL: it cannot be read. */
static char *read_config(const char *root)
{
    char release[128] = "", *text = NULL;
    size_t size = 0;
    struct lull_str path = {0}, boot = {0};
    lull_machine_line(root, "/proc/sys/kernel/osrelease", release, sizeof release);
    lull_str_addf(&path, "%s/proc/config.gz", root);
    lull_str_addf(&boot, "%s/boot/config-%s", root, release);
    struct lull_error *err = lull_input_read(lull_str_text(&path), &text, &size);
    if (err != NULL && release[0] != '\0' && strchr(release, '/') == NULL) {
        lull_error_free(err);
        err = lull_input_read(lull_str_text(&boot), &text, &size);
    }
    text = err != NULL ? NULL : text;
    lull_error_free(err);
    lull_str_free(&path);
    lull_str_free(&boot);
    return text;
}

enum lull_machine_config lull_machine_config(const char *root, const char *option)
{
    struct lull_str on = {0}, module = {0};
    char *text = read_config(root);
    lull_str_addf(&on, "\n%s=y\n", option);
    lull_str_addf(&module, "\n%s=m\n", option);
    const bool has = text != NULL && (strstr(text, lull_str_text(&on)) != NULL ||
                                      strstr(text, lull_str_text(&module)) != NULL);
    const bool known = text != NULL;
    free(text);
    lull_str_free(&on);
    lull_str_free(&module);
    return has ? LULL_MACHINE_YES : known ? LULL_MACHINE_NO : LULL_MACHINE_UNKNOWN;
}
