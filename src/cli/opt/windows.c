// SPDX-License-Identifier: MIT
#include "cli/opt/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

// Source: Mesa 22.3.6 and 25.0.7, docs/envvars.rst. docs/man/lull-exec.1 has these rows, too.
const struct lull_windows_row lull_windows_rows[] = {
    {"MESA_VK_WSI_DEBUG", "sw,noshm", LULL_WINDOWS_UNSET,
     "images go to the X server by its protocol: the virtual GPU shares no memory with it (DRI3), "
     "and RADV 25 cannot take an X server's shared memory as an image"},
    {"MESA_LOADER_DRIVER_OVERRIDE", "zink", LULL_WINDOWS_UNSET,
     "OpenGL by Mesa's driver on top of Vulkan: radeonsi does not know the virtual GPU"},
    {"RADV_DEBUG", "nodcc", LULL_WINDOWS_ADD, "compressed colour is not read or written yet"},
    {"RADV_DEBUG", "nohiz", LULL_WINDOWS_ADD, "hierarchical depth is not read or written yet"},
    {0},
};

/** Is @p word one of a list with commas? */
static bool holds(const char *list, const char *word)
{
    const size_t n = strlen(word);
    while (list != NULL && list[0] != '\0') {
        const size_t k = strcspn(list, ",");
        if (k == n && memcmp(list, word, n) == 0) {
            return true;
        }
        list += k + (list[k] == ',');
    }
    return false;
}

LULL_MUST_USE static struct lull_error *set(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0 ? NULL : lull_error_os(errno, "%s", name);
}

struct lull_error *lull_windows_set(void)
{
    struct lull_error *err = NULL;
    for (const struct lull_windows_row *r = lull_windows_rows; err == NULL && r->name != NULL;
         r++) {
        const char *now = getenv(r->name);
        struct lull_str list = {0};
        if (now == NULL || (r->how == LULL_WINDOWS_ADD && now[0] == '\0')) {
            err = set(r->name, r->value);
        } else if (r->how == LULL_WINDOWS_ADD && !holds(now, r->value)) {
            lull_str_addf(&list, "%s,%s", now, r->value);
            err = list.err != NULL ? list.err : set(r->name, list.text);
        }
        lull_str_free(&list);
    }
    return err;
}
