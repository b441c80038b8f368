// SPDX-License-Identifier: MIT
// lull doctor: what to set on this machine to debug its GPU, and the programs for lull's own.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/hang/doctor.h"
#include "cli/opt/command.h"
#include "cli/opt/machine.h"
#include "vdrm/core/launch.h"

struct args {
    const char *root;
    bool json;
};

/** Is there a file in /usr/share/vulkan/icd.d that begins so? */
static bool icd(const struct lull_doctor *d, const char *begin)
{
    struct dirent **names = NULL;
    const int n = lull_machine_list(d->root, "/usr/share/vulkan/icd.d", &names);
    bool found = false;
    for (int i = 0; i < n; i++) {
        found |= strncmp(names[i]->d_name, begin, strlen(begin)) == 0;
    }
    if (n >= 0) {
        lull_machine_free_list(names, n);
    }
    return found;
}

/** A Vulkan driver. @p needed: the machine has its GPU. */
static void driver(struct lull_doctor *d, const char *name, const char *file, bool needed,
                   const char *why)
{
    if (icd(d, file)) {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, name, NULL, "installed: %s", why);
    } else {
        lull_doctor_say(d, needed ? LULL_DOCTOR_MEND : LULL_DOCTOR_NOTE, name,
                        "sudo apt install mesa-vulkan-drivers", "not installed: %s", why);
    }
}

/** What `lull exec --gpu a660` needs. */
static void arm64(struct lull_doctor *d)
{
    static const char *const places[] = {"/usr/bin/qemu-aarch64-static", "/usr/bin/qemu-aarch64",
                                         "/usr/local/bin/qemu-aarch64-static"};
    bool qemu = false;
    char *root = NULL;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        qemu |= lull_machine_access(d->root, places[i], X_OK) == 0;
    }
    if (qemu) {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, "qemu", NULL, "installed: runs arm64 programs");
    } else {
        lull_doctor_say(d, LULL_DOCTOR_NOTE, "qemu", "sudo apt install qemu-user-static",
                        "not installed: lull exec --gpu a660 runs arm64 programs by it");
    }
    struct lull_error *err = lull_arm64_root(&root);
    if (err == NULL) {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, "arm64 folder", NULL, "%s: with an arm64 Turnip",
                        root);
    } else {
        lull_doctor_say(d, LULL_DOCTOR_NOTE, "arm64 folder", "tools/arm64-root.sh build/arm64",
                        "none: Debian's arm64 programs and drivers, Turnip too, are not here for "
                        "lull exec --gpu a660");
    }
    lull_error_free(err);
    free(root);
}

static void log_rights(struct lull_doctor *d)
{
    char restricted[8] = "";
    lull_machine_line(d->root, "/proc/sys/kernel/dmesg_restrict", restricted, sizeof restricted);
    if (strcmp(restricted, "1") == 0 && (d->amdgpu || d->msm)) {
        lull_doctor_say(d, LULL_DOCTOR_NOTE, "kernel log",
                        "sudo dmesg | lull crash explain-fault -",
                        "only root may read it, and what it says of faults");
    }
}

static void all(struct lull_doctor *d)
{
    lull_doctor_gpus(d);
    lull_doctor_debugfs(d);
    lull_doctor_amdgpu(d);
    lull_doctor_msm(d);
    lull_doctor_dumps(d);
    log_rights(d);
    driver(d, "RADV", "radeon_icd", d->amdgpu, "Vulkan on AMD's GPUs, and on lull's gfx1100");
    if (d->msm) {
        driver(d, "Turnip", "freedreno_icd", true, "Vulkan on Adreno");
    }
    arm64(d);
}

static const struct lull_opt opts[] = {
    {"--root", NULL, "DIR", "look at DIR/sys, DIR/proc and so on in place of this machine's",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, root)},
    {"--json", NULL, NULL, "one object", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.root = ""};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    struct stat st = {0};
    if (err != NULL) {
        return err;
    }
    if (a.root[0] != '\0' && stat(a.root, &st) != 0) {
        return lull_error_os(errno, "%s", a.root);
    }
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    struct lull_doctor d = {.root = a.root, .j = a.json ? &j : NULL, .out = &out};
    if (a.json) {
        lull_json_open(&j, '{');
        lull_json_key(&j, "looked_at");
        lull_json_open(&j, '[');
    }
    all(&d);
    if (a.json) {
        lull_json_close(&j, ']');
        lull_json_put_u64(&j, "to_mend", d.mend);
        lull_json_close(&j, '}');
        lull_str_addf(&out, "\n");
    }
    err = out.err;
    out.err = NULL;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
        *status = d.mend != 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    }
    lull_str_free(&out);
    return err;
}

static const struct lull_form form = {.groups = groups, .run = run};

const struct lull_command lull_cli_doctor = {
    .name = "doctor",
    .help = "say what to set on this machine to debug its GPU",
    .about = "Looks at the GPUs of amdgpu and msm and what their kernel drivers allow, at debugfs, "
             "crash dumps, Vulkan drivers, and what lull's virtual GPUs need. It changes nothing.",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status: 0, there is nothing to mend; 1, lines that begin with mend; what is a "
             "note is as one likes it.",
};
