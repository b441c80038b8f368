// SPDX-License-Identifier: MIT
// lull crash: what an Adreno GPU was doing when its crash dump was made.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash.h"
#include "adreno/file/kind.h"
#include "cli/adreno/triage.h"
#include "cli/opt/command.h"
#include "cli/opt/firmware.h"
#include "cli/opt/progress.h"
#include "isa/afuc/afuc.h"

struct args {
    const char *file, *firmware;
    bool crashdec, no_page;
    unsigned sections;
    enum lull_crash_style style;
};

static const struct {
    const char *name;
    unsigned section;
} sections[] = {
    {"page", 0},
    {"commands", LULL_CRASH_COMMANDS},
    {"code", LULL_CRASH_CODE},
    {"rings", LULL_CRASH_RINGBUFFERS},
    {"buffers", LULL_CRASH_BUFFERS},
    {"registers", LULL_CRASH_REGISTERS},
    {"gmu", LULL_CRASH_GMU},
    {"indexed", LULL_CRASH_INDEXED},
    {"blocks", LULL_CRASH_BLOCKS},
    {"clusters", LULL_CRASH_CLUSTERS},
    {"debugbus", LULL_CRASH_DEBUGBUS},
    {"all", LULL_CRASH_ALL},
};

/** "rings,gmu" */
LULL_MUST_USE static struct lull_error *add_sections(struct args *a, const char *list)
{
    bool page = false;
    for (const char *at = list; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, ",");
        bool known = false;
        for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
            if (strlen(sections[i].name) == n && strncmp(sections[i].name, at, n) == 0) {
                a->sections |= sections[i].section;
                page |= sections[i].section == 0;
                known = true;
            }
        }
        if (!known) {
            return lull_error_new(LULL_ERR_INVALID, "no section '%.*s'", (int)n, at);
        }
        at += n + (at[n] == ',');
    }
    a->no_page = !page;
    return a->sections != 0 || page ? NULL : lull_error_new(LULL_ERR_INVALID, "which section?");
}

LULL_MUST_USE static struct lull_error *show(const struct args *a)
{
    const struct lull_crash_options o = {.summary = true};
    struct lull_stream *s = NULL;
    struct lull_str out = {0};
    struct lull_afuc fw = {0};
    uint32_t *words = NULL;
    struct lull_error *err =
        a->firmware != NULL ? lull_firmware_read(a->firmware, &words, &fw) : NULL;
    struct lull_progress progress = {.quiet = a->crashdec};
    err = err != NULL ? err : lull_progress_open(&progress, a->file, &s);
    if (err == NULL && !a->crashdec) { // that is as lenient as Mesa's
        err = lull_error_in(lull_kind_want_devcore(s), "%s", a->file);
    }
    if (err != NULL) {
        lull_stream_free(s);
        free(words);
        return err;
    }
    if (a->crashdec) {
        err = lull_crash_decode(s, &o, stdout, stderr);
    } else {
        const struct lull_crash_look look = {.style = a->style,
                                             .no_page = a->no_page,
                                             .sections = a->sections,
                                             .firmware = a->firmware != NULL ? &fw : NULL};
        err = lull_crash_page(s, &look, &out);
        fputs(lull_str_text(&out), stdout);
    }
    if (err == NULL && out.err != NULL) {
        err = &lull_enomem;
    }
    lull_str_free(&out);
    lull_stream_free(s);
    free(words);
    return lull_error_in(err, "%s", a->file);
}

LULL_MUST_USE static struct lull_error *section(void *base, const struct lull_opt *o,
                                                const char *value)
{
    return lull_error_in(add_sections(base, value), "%s", o->name);
}

LULL_MUST_USE static struct lull_error *all(void *base, const struct lull_opt *o, const char *value)
{
    struct args *a = base;
    (void)o;
    (void)value;
    a->sections |= LULL_CRASH_ALL;
    a->no_page = false;
    return NULL;
}

static const struct lull_opt opts[] = {
    {"--all", NULL, NULL, "all sections after the page", LULL_OPT_CALL, .call = all},
    {"--section", NULL, "LIST",
     "only these: page, commands, code, rings, buffers, registers, gmu, indexed, blocks, clusters, "
     "debugbus, all; with commas",
     LULL_OPT_CALL, .call = section, .flags = LULL_OPT_MANY},
    {"--json", NULL, NULL, "the page and all sections as one object", LULL_OPT_SET,
     LULL_OPT_AT(struct args, style), .min = LULL_CRASH_JSON},
    {"--signature", NULL, NULL, "one line, the same for crashes of one kind", LULL_OPT_SET,
     LULL_OPT_AT(struct args, style), .min = LULL_CRASH_SIGNATURE},
    {"--firmware", NULL, "FILE", "of the SQE, to show what is at its PC (and those of BV and LPAC)",
     LULL_OPT_IN, LULL_OPT_AT(struct args, firmware)},
    {"--style", NULL, "lull|crashdec", "crashdec: all of the dump, as lull crashdec -s",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct args, crashdec)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {0};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    (void)status;
    return err != NULL ? err : show(&a);
}

static const struct lull_form form_show = {
    .word = "show",
    .about = "show says what the GPU was doing, on a page, and shows the dump's sections. FILE may "
             "be gzip or zstd; - is standard input.",
    .groups = groups,
    .run = run,
};

const struct lull_command lull_cli_crash = {
    .name = "crash",
    .help = "what an Adreno GPU was doing when its crash dump (devcoredump) was made",
    .forms = (const struct lull_form *const[]){&form_show, &lull_cli_triage,
                                               &lull_cli_explain_fault, NULL},
    .after = "  lull crash show crash.devcore\n"
             "  lull crash triage --html crashes.html crashes/\n"
             "  sudo dmesg | lull crash explain-fault - --devcore crash.devcore",
};
