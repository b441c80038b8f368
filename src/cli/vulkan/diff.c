// SPDX-License-Identifier: MIT
#include "cli/vulkan/diff.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/opt/gpu.h"
#include "compile/run.h"

extern char **environ;

enum { MOST_MORE = 4, SPARE_ARGUMENTS = 16, EXIT_SIGNAL = 128 };

struct lull_error *lull_diff_devices(struct lull_diff *d)
{
    const char *colon = strchr(d->against, ':');
    const size_t n = colon != NULL ? (size_t)(colon - d->against) : strlen(d->against);
    const char *first = d->o.gpu != NULL ? d->o.gpu : d->o.device;
    if (d->o.gpu != NULL && (d->o.device != NULL || !lull_gpu_is_own(d->o.gpu))) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--gpu %s: gfx1100, a630, a660 or a740, without --vulkan-device",
                              d->o.gpu);
    }
    if (n == 0 || n >= LULL_DIFF_TEXT || (first != NULL && strlen(first) >= LULL_DIFF_TEXT)) {
        return lull_error_new(LULL_ERR_INVALID, "--against %s: no device", d->against);
    }
    memcpy(d->device[1], d->against, n);
    if (first != NULL) {
        memcpy(d->device[0], first, strlen(first));
    }
    for (int i = 0; i < 2; i++) {
        if (strcmp(d->device[i], LULL_VK_OWN) == 0 || strcmp(d->device[i], "gfx1100") == 0) {
            d->device[i][0] = '\0';
        }
    }
    if (d->draws && lull_gpu_is_adreno(d->device[1])) {
        return lull_error_new(LULL_ERR_INVALID, "--against %s: an Adreno of lull's does not draw",
                              d->against);
    }
    const char *adreno = d->device[lull_gpu_is_adreno(d->device[1])];
    struct lull_error *err = lull_assume_check(&d->o.assume, adreno);
    if (err != NULL || colon == NULL) {
        return err;
    }
    // In front of those given by --tolerance, which say more.
    memmove(d->o.tolerances + 1, d->o.tolerances, (LULL_VK_MAX_LIST - 1) * sizeof *d->o.tolerances);
    d->o.ntolerances += d->o.ntolerances < LULL_VK_MAX_LIST;
    return lull_tolerance_parse(colon + 1, &d->o.tolerances[0]);
}

const struct lull_opt lull_diff_opts[] = {
    {"--against", NULL, "DEVICE[:TOLERANCE]",
     "a part of the other Vulkan device's name (lavapipe), or a GPU of lull's", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_diff, against), .flags = LULL_OPT_NEEDED},
    {"--vulkan-device", NULL, "NAME", "in place of lull's virtual GPU", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_diff, o.device)},
    {0},
};

/** Options that `lull run` on device @p device shall not see. */
static bool is_ours(const struct lull_opt *o, const char *device)
{
    if (o != NULL && strcmp(o->name, "--assume") == 0) {
        return !lull_gpu_is_adreno(device);
    }
    return o != NULL && (strcmp(o->name, "--against") == 0 || strcmp(o->name, "--out") == 0 ||
                         strcmp(o->name, "--tolerance") == 0 || strcmp(o->name, "--gpu") == 0 ||
                         strcmp(o->name, "--vulkan-device") == 0 ||
                         strcmp(o->name, "--json") == 0 || strcmp(o->name, "--listing") == 0);
}

struct lull_error *lull_diff_run(struct lull_diff *d, int which, const char *const *more,
                                 int *status)
{
    char self[4096] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) {
        return lull_error_os(errno, "/proc/self/exe");
    }
    lull_cleanup(lull_freep) char **args = calloc((size_t)d->argc + SPARE_ARGUMENTS, sizeof *args);
    if (args == NULL) {
        return &lull_enomem;
    }
    int n = 0;
    args[n++] = self;
    args[n++] = (char *)(uintptr_t) "run"; // nobody writes into it
    struct lull_opt_scan scan = {.form = d->form, .argc = d->argc, .argv = d->argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        for (int i = item.first; i <= item.last && !is_ours(item.opt, d->device[which]); i++) {
            args[n++] = d->argv[i];
        }
    }
    args[n++] = (char *)(uintptr_t) "--out-dir";
    args[n++] = d->dir[which];
    for (size_t i = 0; more != NULL && more[i] != NULL && i < MOST_MORE; i++) {
        args[n++] = (char *)(uintptr_t)more[i];
    }
    if (d->device[which][0] != '\0') {
        const bool own = lull_gpu_is_own(d->device[which]);
        args[n++] = (char *)(uintptr_t)(own ? "--gpu" : "--vulkan-device");
        args[n++] = d->device[which];
    }
    pid_t pid = 0;
    const int e = posix_spawn(&pid, self, NULL, NULL, args, environ);
    if (e != 0) {
        return lull_error_os(e, "%s", self);
    }
    int how = 0;
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR) {
    }
    *status = WIFSIGNALED(how) ? EXIT_SIGNAL + WTERMSIG(how) : WEXITSTATUS(how);
    return NULL;
}

void lull_diff_done(struct lull_diff *d)
{
    for (int i = 0; i < 2; i++) {
        if (d->dir[i] != NULL) {
            lull_run_remove_dir(d->dir[i]);
        }
        free(d->dir[i]);
    }
    lull_vk_options_done(&d->o);
}
