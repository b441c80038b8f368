// SPDX-License-Identifier: MIT
#include "cli/opt/layers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/opt/gpu.h"
#include "vdrm/core/launch.h"
#include "vdrm/core/session.h"

/** @p value beside what the variable has, with a colon between. */
LULL_MUST_USE static struct lull_error *add(const char *name, const char *value, bool in_front)
{
    const char *now = getenv(name);
    struct lull_str text = {0};
    if (now == NULL || now[0] == '\0') {
        lull_str_addf(&text, "%s", value);
    } else {
        lull_str_addf(&text, "%s:%s", in_front ? value : now, in_front ? now : value);
    }
    struct lull_error *err = text.err;
    if (err == NULL && setenv(name, text.text, 1) != 0) {
        err = lull_error_os(errno, "%s", name);
    }
    lull_str_free(&text);
    return err;
}

struct lull_error *lull_layers_add(const char *name, bool arm64)
{
    lull_cleanup(lull_freep) char *layers = NULL;
    struct lull_str folder = {0};
    struct lull_error *err = lull_session_layers(&layers);
    if (err == NULL) {
        lull_str_addf(&folder, "%s%s", layers, arm64 ? "/arm64" : "");
        err = folder.err != NULL ? folder.err : add("VK_ADD_LAYER_PATH", folder.text, true);
    }
    lull_str_free(&folder);
    return err != NULL ? err : add("VK_INSTANCE_LAYERS", name, false);
}

/** Is @p list made of the words that the layer knows? */
LULL_MUST_USE static struct lull_error *check_records(const char *list)
{
    static const char *const words[] = {"none", "place", "workgroup", "wave", "lane"};
    for (const char *at = list;;) {
        const size_t n = strcspn(at, ",");
        bool known = false;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            known |= strlen(words[i]) == n && memcmp(words[i], at, n) == 0;
        }
        if (!known) {
            return lull_error_new(
                LULL_ERR_INVALID,
                "--printf-record: '%.*s' is none of none, place, workgroup, wave, "
                "lane",
                (int)n, at);
        }
        if (at[n] == '\0') {
            return NULL;
        }
        at += n + 1;
    }
}

LULL_MUST_USE static struct lull_error *is_arm64(const char *gpu, char *const argv[], bool *ret)
{
    struct lull_launch program = {0};
    struct lull_error *err = lull_launch_of(argv, lull_gpu_is_adreno(gpu), &program);
    *ret = program.arm64;
    lull_launch_done(&program);
    return err;
}

struct lull_error *lull_printf_layer_set(const struct lull_printf_layer *p, const char *gpu,
                                         char *const argv[])
{
    bool arm64 = false;
    enum { DIGITS = 24 };
    char bytes[DIGITS] = "";
    if (!p->wanted) {
        return p->bytes == 0 && p->records == NULL
                   ? NULL
                   : lull_error_new(LULL_ERR_INVALID, "%s needs --printf",
                                    p->bytes != 0 ? "--printf-size" : "--printf-record");
    }
    struct lull_error *err = p->records != NULL ? check_records(p->records) : NULL;
    if (err == NULL && p->bytes % 4 != 0) {
        err = lull_error_new(LULL_ERR_INVALID, "--printf-size: not a multiple of 4");
    }
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)p->bytes);
    if (err == NULL && ((p->bytes != 0 && setenv("LULL_PRINTF_SIZE", bytes, 1) != 0) ||
                        (p->records != NULL && setenv("LULL_PRINTF_RECORD", p->records, 1) != 0))) {
        err = lull_error_os(errno, "LULL_PRINTF_SIZE");
    }
    if (err == NULL) {
        err = is_arm64(gpu, argv, &arm64);
    }
    return err != NULL ? err : lull_layers_add("VK_LAYER_LULL_printf", arm64);
}

struct lull_error *lull_lines_layer_set(bool wanted, bool noopt, const char *gpu)
{
    const bool adreno = lull_gpu_is_adreno(gpu);
    if (!wanted || (adreno && noopt)) {
        return lull_error_new(LULL_ERR_INVALID,
                              wanted ? "--noopt is for programs on gfx1100"
                                     : "--lines is for a program, which stands behind --, and "
                                       "--noopt goes with it");
    }
    if (setenv("LULL_LINES", noopt ? "noopt" : "on", 1) != 0) {
        return lull_error_os(errno, "LULL_LINES");
    }
    return lull_layers_add("VK_LAYER_LULL_lines", adreno);
}
