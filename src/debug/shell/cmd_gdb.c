// SPDX-License-Identifier: MIT
/* Words of gdb's scripts that mean nothing here, and thread apply. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/shell.h"

/** What gdb has settings for, and lull has not: scripts may say them. */
// clang-format off
static const char *const settings[] = {
    "amdgpu", "annotate", "architecture", "args", "auto-load", "backtrace",
    "can-use-hw-watchpoints", "case-sensitive", "charset", "check", "code-cache", "complaints",
    "confirm", "cwd", "debug", "debug-file-directory", "debuginfod", "demangle-style",
    "detach-on-fork", "disable-randomization", "disassemble-next-line", "disassembly-flavor",
    "editing", "endian", "env", "environment", "exec-wrapper", "extension-language",
    "filename-display", "follow-exec-mode", "follow-fork-mode", "history", "host-charset",
    "inferior-tty", "interactive-mode", "language", "logging", "max-completions",
    "max-value-size", "mi-async", "multiple-symbols", "non-stop", "opaque-type-resolution",
    "osabi", "output-radix", "overload-resolution", "p", "print", "prompt", "python", "radix",
    "remotetimeout", "schedule-multiple", "solib-search-path", "stack-cache",
    "startup-with-shell", "step-mode", "stop-on-solib-events", "style", "substitute-path",
    "sysroot", "target-async", "target-charset", "trace-commands", "trust-readonly-sections",
    "tui", "unwindonsignal", "verbose", "width", "write"};
// clang-format on

bool lull_cmd_gdb_setting(const char *args)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *at = args;
        if (lull_cmd_word(&at, settings[i]) && *at != '=') {
            return true;
        }
    }
    return false;
}

bool lull_cmd_is_gdbs(const char *line)
{
    static const char *const words[] = {"add-symbol-file", "directory",   "exec-file", "file",
                                        "handle",          "symbol-file", "unset"};
    const size_t n = strcspn(line, " \t");
    bool is = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        is = is || (strlen(words[i]) == n && strncmp(words[i], line, n) == 0);
    }
    return is;
}

/* "all", or "1 3-5": which waves @p number is one of. @p ret: behind it; NULL: it is not a list. */
static const char *wave_list(const char *at, unsigned number, bool *ret_in)
{
    bool any = false;
    *ret_in = lull_cmd_word(&at, "all");
    if (*ret_in) {
        return at;
    }
    for (uint64_t first = 0, last = 0; isdigit((unsigned char)*at); any = true) {
        const char *minus = at + strspn(at, "0123456789");
        const bool range = *minus == '-';
        char digits[24] = {0};
        if ((size_t)(minus - at) >= sizeof digits) {
            return NULL;
        }
        memcpy(digits, at, (size_t)(minus - at));
        const char *text = digits;
        (void)lull_cmd_number(&text, &first);
        last = first;
        at = minus + range + strspn(minus + range, " ");
        if (range && !lull_cmd_number(&at, &last)) {
            return NULL;
        }
        *ret_in = *ret_in || (number >= first && number <= last);
    }
    return any ? at : NULL;
}

void lull_cmd_take_flags(const char **at, struct lull_cmd_flags *ret)
{
    for (bool any = true; any;) {
        const bool q = lull_cmd_word(at, "-q"), goes_on = lull_cmd_word(at, "-c");
        const bool silent = lull_cmd_word(at, "-s");
        ret->quiet = ret->quiet || q;
        ret->goes_on = ret->goes_on || goes_on;
        ret->silent = ret->silent || silent;
        any = q || goes_on || silent;
    }
}

struct lull_error *lull_cmd_apply_one(struct lull_cmd *c, const char *command,
                                      const struct lull_cmd_flags *flags, struct lull_str *header)
{
    lull_cleanup(lull_str_free) struct lull_str said = {0};
    struct lull_error *err = c->command(c->d, command, &said);
    if (err != NULL && flags->silent) {
        lull_error_free(err);
        return NULL;
    }
    lull_str_add(c->out, lull_str_text(header), header->size);
    lull_str_add(c->out, lull_str_text(&said), said.size);
    if (err != NULL && flags->goes_on) {
        lull_str_addf(c->out, "%s\n", lull_error_message(err));
        lull_error_free(err);
        err = NULL;
    }
    return err;
}

/* One command for each wave that stands, with the focus on it. */
LULL_MUST_USE static struct lull_error *apply(struct lull_cmd *c, const char *list)
{
    struct lull_debug *d = c->d;
    bool in = false;
    const char *command = wave_list(list, 0, &in);
    struct lull_cmd_flags flags = {0};
    if (command != NULL) {
        lull_cmd_take_flags(&command, &flags);
    }
    if (command == NULL || *command == '\0') {
        return lull_error_new(LULL_ERR_INVALID,
                              "'%s': expected all, or numbers of waves, and a command", list);
    }
    const unsigned focus = d->focus, lane = d->lane, resumes = d->resumes;
    const bool json = d->json;
    struct lull_error *err = NULL;
    d->json = false; // The text is a part of this command's object.
    for (unsigned next = 0; err == NULL && d->resumes == resumes; next++) {
        const struct lull_debug_wave *w = NULL;
        for (size_t i = 0; i < d->nwaves; i++) {
            const struct lull_debug_wave *o = &d->waves[i];
            w = o->stopped && o->number >= next && (w == NULL || o->number < w->number) ? o : w;
        }
        if (w == NULL) {
            break;
        }
        next = w->number;
        (void)wave_list(list, next, &in);
        if (in) {
            lull_cleanup(lull_str_free) struct lull_str header = {0};
            if (!flags.quiet) {
                lull_str_addf(&header, "\nWave %u:\n", next);
            }
            err = lull_debug_select(d, next, lull_debug_first_lane(d, w));
            err = err != NULL ? err : lull_cmd_apply_one(c, command, &flags, &header);
        }
    }
    d->json = json;
    if (d->resumes == resumes && lull_debug_wave_by_number(d, focus) != NULL) {
        lull_error_free(lull_debug_select(d, focus, lane)); // As it was.
    }
    return err;
}

struct lull_error *lull_cmd_thread(struct lull_cmd *c)
{
    const char *at = c->args;
    return lull_cmd_word(&at, "apply") ? apply(c, at) : lull_cmd_wave(c);
}
