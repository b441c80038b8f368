// SPDX-License-Identifier: MIT
#include "cli/opt/windows.h"

#include <errno.h>
#include <stdlib.h>

// Source: Mesa 22.3.6 and 25.0.7, docs/envvars.rst. docs/man/lull-exec.1 has these rows, too.
const struct lull_windows_row lull_windows_rows[] = {
    {"MESA_VK_WSI_DEBUG", "sw,noshm",
     "images go to the X server by its protocol: the virtual GPU shares no memory with it (DRI3), "
     "and RADV 25 cannot take an X server's shared memory as an image"},
    {"MESA_LOADER_DRIVER_OVERRIDE", "zink",
     "OpenGL by Mesa's driver on top of Vulkan: radeonsi does not know the virtual GPU"},
    {0},
};

struct lull_error *lull_windows_set(void)
{
    for (const struct lull_windows_row *r = lull_windows_rows; r->name != NULL; r++) {
        if (setenv(r->name, r->value, 0) != 0) {
            return lull_error_os(errno, "%s", r->name);
        }
    }
    return NULL;
}
