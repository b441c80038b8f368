// SPDX-License-Identifier: MIT
/* What `lull capture` finds in trees of files that look like debugfs and sysfs, and what it says is
 * missing. Of the kernel (Linux 6.12): drivers/gpu/drm/msm/msm_rd.c makes rd and hangrd in the
 * folder of the first minor, drivers/base/devcoredump.c the class devcoredump with the file
 * `disabled`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/adreno/capture.h"
#include "test.h"

#define DRI "/sys/kernel/debug/dri"
#define CLASS "/sys/class/devcoredump"
#define CONFIG "/proc/config.gz="
#define FULL "/sys/module/msm/parameters/rd_full="

enum { MOST = 6 };

static const char has[] = "which this kernel has", lacks[] = "which this kernel does not have";

struct row {
    const char *name;
    const char *tree[MOST];       ///< "/folder/", "/file=text", "/link>target".
    const char *dri, *file;       ///< Not of the dumps.
    const char *path;             ///< Below the root: what is found. NULL: it is an error.
    const char *says[3], *unsaid; ///< Of the error.
};

static const struct row debugfs[] = {
    {"the lowest number, not the first name",
     {DRI "/10/rd=", DRI "/9/rd="},
     NULL,
     "rd",
     DRI "/9/rd",
     {0},
     NULL},
    {"the minor of the card before that of the render node",
     {DRI "/128/rd=", DRI "/0/rd="},
     NULL,
     "rd",
     DRI "/0/rd",
     {0},
     NULL},
    {"a driver that has none is passed over",
     {DRI "/0/name=amdgpu", DRI "/1/rd="},
     NULL,
     "rd",
     DRI "/1/rd",
     {0},
     NULL},
    {"--dri", {DRI "/0/rd=", DRI "/1/rd=", DRI "/2/rd="}, "1", "rd", DRI "/1/rd", {0}, NULL},
    {"--dri is a name, not a number",
     {DRI "/1/rd="},
     "01",
     "rd",
     NULL,
     {"no 'rd' in", "dri/01"},
     NULL},
    {"--dri of a driver that has none",
     {DRI "/0/rd=", DRI "/0/name=msm dev=soc", DRI "/1/name=amdgpu dev=0000:03:00.0 unique=x"},
     "1",
     "rd",
     NULL,
     {"dri/1 (dri/0 is msm, dri/1 is amdgpu)", "CONFIG_DRM_MSM"},
     NULL},
    {"hangrd is not rd",
     {DRI "/0/rd=", DRI "/1/hangrd="},
     NULL,
     "hangrd",
     DRI "/1/hangrd",
     {0},
     NULL},
    {"no hangrd", {DRI "/0/rd="}, NULL, "hangrd", NULL, {"no 'hangrd' in"}, NULL},
    {"a link to nothing", {DRI "/0/rd>gone"}, NULL, "rd", NULL, {"no 'rd' in"}, NULL},
    {"what is hidden", {DRI "/.0/rd="}, NULL, "rd", NULL, {"no 'rd' in"}, NULL},
    {"a driver that does not say its name",
     {DRI "/0/", DRI "/1/name="},
     NULL,
     "rd",
     NULL,
     {"dri/0 is unknown, dri/1 is unknown"},
     NULL},
    {"a name that is not text",
     {DRI "/0/name=m\033[2Jx\xff\n"},
     NULL,
     "rd",
     NULL,
     {"dri/0 is m?[2Jx?)"},
     "\033"},
    {"no device", {DRI "/"}, NULL, "rd", NULL, {"dri/*", "no driver is loaded"}, NULL},
    {"no dri",
     {"/sys/kernel/debug/usb/"},
     NULL,
     "rd",
     NULL,
     {"there is no", "modprobe msm", "CONFIG_DRM_MSM)"},
     "this kernel"},
    {"no dri, msm is a module",
     {"/sys/kernel/debug/usb/", CONFIG "#\nCONFIG_DRM_MSM=m\n"},
     NULL,
     "rd",
     NULL,
     {"CONFIG_DRM_MSM, ", has},
     lacks},
    {"no dri, msm is built in",
     {"/sys/kernel/debug/usb/", CONFIG "#\nCONFIG_DRM_MSM=y\n"},
     NULL,
     "rd",
     NULL,
     {has},
     lacks},
    {"no dri, another option whose name begins so",
     {"/sys/kernel/debug/usb/", CONFIG "#\nCONFIG_DRM_MSM_DPU=y\n# CONFIG_DRM_MSM is not set\n"},
     NULL,
     "rd",
     NULL,
     {lacks},
     has},
    {"no dri, another option whose name ends so",
     {"/sys/kernel/debug/usb/", CONFIG "#\nMY_CONFIG_DRM_MSM=y\n"},
     NULL,
     "rd",
     NULL,
     {lacks},
     has},
    {"no dri, a configuration that cannot be read",
     {"/sys/kernel/debug/usb/", CONFIG "\x1f\x8b\x08"},
     NULL,
     "rd",
     NULL,
     {"modprobe msm"},
     "this kernel"},
    {"another driver, and a kernel without msm",
     {DRI "/0/name=i915", CONFIG "#\n# CONFIG_DRM_MSM is not set\n"},
     NULL,
     "rd",
     NULL,
     {"dri/0 is i915", lacks},
     has},
    {"debugfs is not mounted",
     {"/sys/kernel/debug/"},
     NULL,
     "rd",
     NULL,
     {"is empty", "mount -t debugfs none /sys/kernel/debug"},
     "modprobe"},
    {"no debugfs",
     {"/sys/kernel/"},
     NULL,
     "rd",
     NULL,
     {"there is no", "CONFIG_DEBUG_FS"},
     "this kernel"},
    {"no debugfs, but the kernel has it",
     {"/sys/", CONFIG "#\nCONFIG_DEBUG_FS=y\n"},
     NULL,
     "rd",
     NULL,
     {"CONFIG_DEBUG_FS, ", has},
     lacks},
    {"no debugfs, and the kernel has none",
     {"/sys/", CONFIG "#\nCONFIG_DEBUG_FS_ALLOW_ALL=y\n"},
     NULL,
     "rd",
     NULL,
     {lacks},
     has},
    {"debugfs is a file", {"/sys/kernel/debug="}, NULL, "rd", NULL, {"Not a directory"}, NULL},
};

static const struct row dumps[] = {
    {"on", {CLASS "/disabled=0\n"}, NULL, NULL, "", {0}, NULL},
    {"no file `disabled`", {CLASS "/"}, NULL, NULL, "", {0}, NULL},
    {"off",
     {CLASS "/disabled=1\n"},
     NULL,
     NULL,
     NULL,
     {"disabled is 1", "until the next boot"},
     NULL},
    {"not there",
     {"/sys/class/"},
     NULL,
     NULL,
     NULL,
     {"there is no", "CONFIG_DEV_COREDUMP (", "no driver that makes dumps"},
     "this kernel"},
    {"not there, but the kernel has it",
     {"/sys/class/", CONFIG "#\nCONFIG_DEV_COREDUMP=y\n"},
     NULL,
     NULL,
     NULL,
     {has},
     lacks},
    {"not there, and the kernel only allows it",
     {"/sys/class/", CONFIG "#\nCONFIG_ALLOW_DEV_COREDUMP=y\n"},
     NULL,
     NULL,
     NULL,
     {lacks},
     has},
    {"a file in its place", {"/sys/class="}, NULL, NULL, NULL, {"Not a directory"}, NULL},
};

static void make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0755);
        *slash = '/';
    }
}

static bool make(const char *root, const char *entry)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s%s", root, entry);
    char *rest = path + strcspn(path, "=>");
    const char kind = *rest;
    *rest = '\0';
    make_parents(path);
    if (kind == '>') {
        return symlink(rest + 1, path) == 0;
    }
    FILE *f = kind == '=' ? fopen(path, "w") : NULL;
    const bool good = kind != '=' || (f != NULL && fputs(rest + 1, f) >= 0);
    return (f == NULL || fclose(f) == 0) && good;
}

/** A root with the files of @p tree. "" if that failed. */
static void plant(const char *const *tree, char *root, int size)
{
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(root, (size_t)size, "%s/capture-XXXXXX", tmp != NULL ? tmp : "/tmp");
    bool good = mkdtemp(root) != NULL;
    for (int i = 0; good && i < MOST && tree[i] != NULL; i++) {
        good = make(root, tree[i]);
    }
    root[0] = good ? root[0] : '\0';
}

static void uproot(const char *root)
{
    char command[600];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (root[0] == '\0' || system(command) != 0) {
        test_case(false, "rm", "%s", root);
    }
}

static bool says(const char *text, const char *const *want, int n, const char *unwanted)
{
    bool good = unwanted == NULL || strstr(text, unwanted) == NULL;
    for (int i = 0; i < n && want[i] != NULL; i++) {
        good = good && strstr(text, want[i]) != NULL;
    }
    return good;
}

static void find(const struct row *r, bool is_debugfs)
{
    char root[256];
    struct lull_str path = {0}, want = {0};
    plant(r->tree, root, sizeof root);
    struct lull_error *err = is_debugfs ? lull_capture_debugfs(root, r->dri, r->file, &path)
                                        : lull_capture_coredumps(root);
    const char *text = err != NULL ? lull_error_message(err) : lull_str_text(&path);
    lull_str_addf(&want, "%s%s", is_debugfs ? root : "", r->path != NULL ? r->path : "");
    const bool good = r->path != NULL ? err == NULL && strcmp(text, lull_str_text(&want)) == 0
                                      : err != NULL && strstr(text, root) != NULL &&
                                            says(text, r->says, 3, r->unsaid);
    test_case(good && root[0] != '\0', r->name, "%s", text);
    lull_error_free(err);
    lull_str_free(&path);
    lull_str_free(&want);
    uproot(root);
}

static const struct {
    int error;
    const char *says; ///< NULL: the error stays as it is.
} reasons[] = {
    {EACCES, "sudo"},
    {EPERM, "locked down"},     // open() of debugfs under lockdown
    {EBUSY, "another program"}, // rd_open() while it is open
    {ENODEV, "never started"},  // rd_open() without a GPU
    {ENOENT, "five minutes"},   // devcd_del()
    {EIO, NULL},
    {EISDIR, NULL},
};

static void why(void)
{
    for (size_t i = 0; i < TEST_ROWS(reasons); i++) {
        const int error = reasons[i].error;
        struct lull_error *err = lull_capture_why(lull_error_os(error, "the file"));
        const char *text = lull_error_message(err);
        const bool more = strchr(strchr(text, ':') + 1, ':') != NULL;
        test_case(strncmp(text, "the file: ", 10) == 0 && strstr(text, strerror(error)) != NULL &&
                      (reasons[i].says != NULL ? strstr(text, reasons[i].says) != NULL
                                               : !more && lull_error_errno(err) == error),
                  strerror(error), "%s", text);
        lull_error_free(err);
    }
    struct lull_error *err = lull_capture_why(lull_error_new(LULL_ERR_BAD_DATA, "words"));
    test_case(lull_error_code(err) == LULL_ERR_BAD_DATA &&
                  !strcmp(lull_error_message(err), "words"),
              "an error that is not of the system", "%s", lull_error_message(err));
    lull_error_free(err);
    test_case(lull_capture_why(NULL) == NULL, "no error", "-");
}

#define GOOD DRI "/0/rd=", DRI "/0/hangrd=", CLASS "/"

static const struct {
    const char *name, *tree[MOST];
    bool good;
    const char *says[4], *unsaid;
} checks[] = {
    {"all",
     {GOOD},
     true,
     {"rd           @" DRI "/0/rd\n", "hangrd       @" DRI "/0/hangrd\n",
      "devcoredump  the kernel makes dumps\n"},
     "rd_full"},
    {"nothing",
     {"/sys/"},
     false,
     {"rd           there is no @", "hangrd       there is no @", "devcoredump  there is no @"},
     NULL},
    {"hangrd is missing",
     {DRI "/0/rd=", CLASS "/"},
     false,
     {DRI "/0/rd\n", "hangrd       no 'hangrd' in", "makes dumps\n"},
     NULL},
    {"rd is missing",
     {DRI "/0/hangrd=", CLASS "/"},
     false,
     {"rd           no 'rd' in", DRI "/0/hangrd\n", "makes dumps\n"},
     NULL},
    {"dumps are off",
     {GOOD "disabled=1"},
     false,
     {DRI "/0/rd\n", DRI "/0/hangrd\n", "until the next boot\n"},
     "makes dumps"},
    {"rd_full is on", {GOOD, FULL "Y\n"}, true, {"rd_full      on: "}, "echo 1"},
    {"rd_full is 1", {GOOD, FULL "1\n"}, true, {"rd_full      on: "}, "echo 1"},
    {"rd_full is off",
     {GOOD, FULL "N\n"},
     true,
     {"rd_full      off: ", "echo 1 > /sys/module/msm/parameters/rd_full\n"},
     "on: "},
    {"rd_full is 0", {GOOD, FULL "0\n"}, true, {"rd_full      off: "}, "on: "},
    {"rd_full is empty", {GOOD, FULL}, true, {"makes dumps\n"}, "rd_full"},
};

static void check(size_t i)
{
    char root[256];
    struct lull_str out = {0}, plain = {0};
    plant(checks[i].tree, root, sizeof root);
    const bool good = lull_capture_check(root, &out);
    const size_t length = strlen(root); // the root is "@" in the rows
    for (const char *c = lull_str_text(&out); *c != '\0'; c++) {
        const bool is_root = length != 0 && strncmp(c, root, length) == 0;
        lull_str_addf(&plain, "%c", is_root ? '@' : *c);
        c += is_root ? length - 1 : 0;
    }
    test_case(root[0] != '\0' && good == checks[i].good &&
                  says(lull_str_text(&plain), checks[i].says, 4, checks[i].unsaid),
              checks[i].name, "%d: %s", good, lull_str_text(&plain));
    lull_str_free(&out);
    lull_str_free(&plain);
    uproot(root);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(debugfs); i++) {
        find(&debugfs[i], true);
    }
    for (size_t i = 0; i < TEST_ROWS(dumps); i++) {
        find(&dumps[i], false);
    }
    why();
    for (size_t i = 0; i < TEST_ROWS(checks); i++) {
        check(i);
    }
    return test_end();
}
