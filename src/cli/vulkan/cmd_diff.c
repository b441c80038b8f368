// SPDX-License-Identifier: MIT
// lull diff: the same Vulkan shader on two devices, and where their results part.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/opt/command.h"
#include "cli/vulkan/vk_options.h"
#include "compile/run.h"

extern char **environ;

enum { SPARE_ARGUMENTS = 8, MAX_TEXT = 128, EXIT_SIGNAL = 128 };

/** Both runs. */
struct diff {
    const struct lull_form *form;
    struct lull_vk_options o;
    const char *against;      ///< The other device.
    char device[2][MAX_TEXT]; ///< ""; lull's own.
    char *dir[2];
};

/** DEVICE or DEVICE:TOLERANCE. */
LULL_MUST_USE static struct lull_error *against(struct diff *d)
{
    const char *colon = strchr(d->against, ':');
    const size_t n = colon != NULL ? (size_t)(colon - d->against) : strlen(d->against);
    if (n == 0 || n >= MAX_TEXT || (d->o.device != NULL && strlen(d->o.device) >= MAX_TEXT)) {
        return lull_error_new(LULL_ERR_INVALID, "--against %s: no device", d->against);
    }
    memcpy(d->device[1], d->against, n);
    if (d->o.device != NULL) {
        memcpy(d->device[0], d->o.device, strlen(d->o.device));
    }
    if (colon == NULL) {
        return NULL;
    }
    // In front of those given by --tolerance, which say more.
    memmove(d->o.tolerances + 1, d->o.tolerances, (LULL_VK_MAX_LIST - 1) * sizeof *d->o.tolerances);
    d->o.ntolerances += d->o.ntolerances < LULL_VK_MAX_LIST;
    return lull_tolerance_parse(colon + 1, &d->o.tolerances[0]);
}

static const struct lull_opt opts[] = {
    {"--against", NULL, "DEVICE[:TOLERANCE]", "a part of the other Vulkan device's name (lavapipe)",
     LULL_OPT_TEXT, LULL_OPT_AT(struct diff, against), .flags = LULL_OPT_NEEDED},
    {"--vulkan-device", NULL, "NAME", "in place of lull's virtual GPU", LULL_OPT_TEXT,
     LULL_OPT_AT(struct diff, o.device)},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0},
    {NULL, lull_vk_work_opts, offsetof(struct diff, o)},
    {NULL, lull_vk_shader_opts, offsetof(struct diff, o)},
    {NULL, lull_vk_tolerance_opts, offsetof(struct diff, o)},
    {0},
};

/** Options that `lull run` shall not see. */
static bool is_ours(const struct lull_opt *o)
{
    return o != NULL && (strcmp(o->name, "--against") == 0 || strcmp(o->name, "--tolerance") == 0 ||
                         strcmp(o->name, "--vulkan-device") == 0 || strcmp(o->name, "--json") == 0);
}

/** `lull run` in a process of its own: a driver that crashes shall not take the comparison along.
 */
LULL_MUST_USE static struct lull_error *run_one(struct diff *d, int which, int argc, char **argv,
                                                int *status)
{
    char self[4096] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) {
        return lull_error_os(errno, "/proc/self/exe");
    }
    lull_cleanup(lull_freep) char **args = calloc((size_t)argc + SPARE_ARGUMENTS, sizeof *args);
    if (args == NULL) {
        return &lull_enomem;
    }
    int n = 0;
    args[n++] = self;
    args[n++] = (char *)(uintptr_t) "run"; // nobody writes into it
    struct lull_opt_scan scan = {.form = d->form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        for (int i = item.first; i <= item.last && !is_ours(item.opt); i++) {
            args[n++] = argv[i];
        }
    }
    args[n++] = (char *)(uintptr_t) "--out-dir";
    args[n++] = d->dir[which];
    if (d->device[which][0] != '\0') {
        args[n++] = (char *)(uintptr_t) "--vulkan-device";
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

LULL_MUST_USE static struct lull_error *read_result(const struct diff *d, int which,
                                                    const struct lull_vk_resource *r, uint8_t **ret)
{
    struct lull_str path = {0};
    size_t size = 0;
    lull_str_addf(&path, "%s/%s.bin", d->dir[which], r->name);
    struct lull_error *err = path.err != NULL ? path.err : lull_run_read(path.text, ret, &size);
    lull_str_free(&path);
    return err != NULL || size == r->size
               ? err
               : lull_error_new(LULL_ERR_BAD_DATA, "%s: %zu bytes", r->name, size);
}

LULL_MUST_USE static struct lull_error *compare(const struct diff *d, struct lull_str *out,
                                                bool *found)
{
    struct lull_json j = {.out = out};
    struct lull_error *err = NULL;
    if (d->o.json) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "against", d->device[1]);
        lull_json_key(&j, "bindings");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; err == NULL && i < d->o.args.n; i++) {
        const struct lull_vk_resource *r = &d->o.args.resources[i];
        lull_cleanup(lull_freep) uint8_t *a = NULL;
        lull_cleanup(lull_freep) uint8_t *b = NULL;
        if (r->kind == LULL_VK_SAMPLER) {
            continue;
        }
        err = read_result(d, 0, r, &a);
        if (err == NULL) {
            err = read_result(d, 1, r, &b);
        }
        if (err != NULL) {
            break;
        }
        const struct lull_tolerance t = lull_vk_options_tolerance(&d->o, r);
        struct lull_difference difference = {0};
        lull_compare(t.type, &t, a, b, r->size, &difference);
        *found |= difference.count != 0;
        if (d->o.json) {
            lull_json_open(&j, '{');
            lull_difference_json(&j, r->name, &difference);
            lull_json_close(&j, '}');
        } else if (difference.count != 0) {
            lull_difference_text(out, r->name, &difference);
        }
    }
    if (d->o.json) {
        lull_json_close(&j, ']');
        lull_json_close(&j, '}');
        lull_str_addf(out, "\n");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *both(struct diff *d, int argc, char **argv, int *status)
{
    struct lull_error *err = NULL;
    for (int which = 1; err == NULL && *status == LULL_EXIT_CLEAN && which >= 0; which--) {
        err = lull_run_make_dir(&d->dir[which]);
        if (err == NULL) {
            err = run_one(d, which, argc, argv, status);
        }
    }
    if (err != NULL || *status != LULL_EXIT_CLEAN) {
        return err;
    }
    struct lull_str out = {0};
    bool found = false;
    err = compare(d, &out, &found);
    err = err != NULL ? err : out.err;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    *status = found ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct diff d = {.form = form};
    struct lull_error *err = lull_opt_parse(form, &d, argc, argv);
    err = err != NULL ? err : against(&d);
    if (err == NULL) {
        err = lull_vk_options_load(&d.o);
    }
    if (err == NULL) {
        err = both(&d, argc, argv, status);
    }
    for (int i = 0; i < 2; i++) {
        if (d.dir[i] != NULL) {
            lull_run_remove_dir(d.dir[i]);
        }
        free(d.dir[i]);
    }
    lull_vk_options_done(&d.o);
    return err;
}

static const struct lull_form form = {
    .about = "SHADER: .comp or .glsl (GLSL, compiled by glslangValidator), or .spv. It runs on the "
             "DEVICE of --against, and on lull's virtual GPU or --vulkan-device NAME. TOLERANCE: "
             "ulp:N, abs:X, rel:X; exact if not given. --timeout is 60000 if not given, of host "
             "time.",
    .groups = groups,
    .run = run,
};

const struct lull_command lull_cli_diff = {
    .name = "diff",
    .help = "run a Vulkan compute shader on two devices and compare all its buffers and images",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status 1: they differ. Also what lull run says of either device.\n\n"
             "  lull diff saxpy.comp --against lavapipe:ulp:1 --groups 16 --bind "
             "0.0=iota:1024:f32 \\\n"
             "      --bind 0.1=rand:1:1024:f32 --push f32:2.5",
};
